/*
 * cuda.h: for programs that use CUDA themselves: a context of libclsolve on their own stream, matrices in their own device
 * memory, and calls that take events to wait for and give one. Not part of clsolve.h. It needs no header of CUDA's: a
 * struct CUstream_st * is a CUstream of the driver's interface and a cudaStream_t of the runtime's alike, and a
 * struct CUevent_st * a CUevent or cudaEvent_t.
 *
 *     clsolve_context_create_cuda(0, stream, NULL, &ctx);
 *     clsolve_lu_create(ctx, n, CLSOLVE_F64, NULL, &lu);
 *     clsolve_matrix A = clsolve_cuda_matrix(CLSOLVE_F64, CLSOLVE_COLUMN_MAJOR, n, n, lda, a, 0);
 *     clsolve_matrix B = clsolve_cuda_matrix(CLSOLVE_F64, CLSOLVE_COLUMN_MAJOR, n, nrhs, ldb, b, 0);
 *     clsolve_lu_factor_enqueue_cuda(lu, &A, 0, NULL, NULL);                     after what is in `stream`
 *     clsolve_lu_solve_enqueue_cuda(lu, CLSOLVE_NO_TRANS, &B, 0, NULL, NULL);    B is X for what comes behind it there
 *     status = clsolve_lu_status(lu);                                            waits, and says how it went
 *
 * A libclsolve that was built without CUDA has these calls too: it creates no such context, and says so.
 */
#ifndef CLSOLVE_CUDA_H
#define CLSOLVE_CUDA_H

#include <stdint.h>

#include <clsolve/block_tridiag.h>
#include <clsolve/context.h>
#include <clsolve/export.h>
#include <clsolve/lu.h>
#include <clsolve/matrix.h>
#include <clsolve/status.h>

struct CUstream_st;
struct CUevent_st;

CLSOLVE_BEGIN_DECLS

/*
 * A context on the caller's device: a CUdevice, or what cudaGetDevice gives. `stream` becomes its compute queue: what the
 * caller has enqueued there comes before, and what the caller enqueues there later comes after. It belongs to that device, is
 * not being captured, and lives at least as long as the context, as does its CUcontext. clsolve_context_destroy waits for all
 * that is in it. More streams, for copies from and to the host and for work beside, are the library's own either way. Of
 * `options` (may be NULL) the selector counts for nothing.
 *
 * NULL IS NOT CUDA's DEFAULT STREAM HERE, though cudaStream_t 0 is elsewhere: it asks for a stream of the library's own, which
 * is in no order with the caller's work, not with that in the default stream either. For that one give CU_STREAM_LEGACY
 * (cudaStreamLegacy): of the device's primary context. CU_STREAM_PER_THREAD (cudaStreamPerThread) names another stream in each
 * thread that calls: use such a context from one thread only, create and destroy included, or its own work is in no order.
 *
 * The calling thread's current CUcontext is the same after each call of the library as before it.
 *
 * Errors: INVALID_ARGUMENT for a device that is not there, or a stream of another; ERROR_NO_DEVICE without NVIDIA's driver;
 * ERROR_UNSUPPORTED from a libclsolve without CUDA; as clsolve_context_create_with.
 */
CLSOLVE_API clsolve_status clsolve_context_create_cuda(int device, struct CUstream_st *stream,
                                                       const clsolve_context_options *options,
                                                       clsolve_context **context);

/*
 * A matrix in the caller's device memory, element (0, 0) at `offset` elements from `memory`, an address that cudaMalloc,
 * cuMemAlloc or their like gave, or one within; layout and ld as in matrix.h. Calls that take a matrix take it, on a
 * context made by clsolve_context_create_cuda on the memory's device, and copy on the device: the matrix never crosses to
 * the host. ERROR_INVALID_ARGUMENT when it reaches beyond what was allocated, or is no memory of that device's.
 *
 * Handles of LU that refine (refine, MIXED, CLSOLVE_PIVOTING_RBT, CLSOLVE_F64 on a device without double) or are out of core
 * take none: UNSUPPORTED. So do bands that keep a copy of A or of which a window is on the device, and a band's own matrix is
 * taken in column-major order alone (band.h).
 */
static inline clsolve_matrix clsolve_cuda_matrix(clsolve_type type, clsolve_layout layout, int64_t rows, int64_t cols,
                                                 int64_t ld, void *memory, int64_t offset) {
    clsolve_matrix m = {type, layout, rows, cols, ld, memory, CLSOLVE_ON_DEVICE, offset};
    return m;
}

/*
 * Values on a grid of N lines of M points (block_tridiag.h) in the caller's device memory, the first at `offset` elements from
 * `memory`, line after line without gaps; change the strides afterwards for anything else. As clsolve_cuda_matrix otherwise.
 */
static inline clsolve_grid clsolve_cuda_grid(clsolve_type type, int64_t N, int64_t M, void *memory, int64_t offset) {
    clsolve_grid g = {type, M, 1, N * M, memory, CLSOLVE_ON_DEVICE, offset};
    return g;
}

/*
 * As clsolve_lu_factor and clsolve_lu_solve, for matrices of clsolve_cuda_matrix: the work starts when the `count` events
 * of `wait` are done (none of them NULL; `wait` is NULL when there are none) and is over when *done is, a new CUevent that
 * the caller destroys; `done` may be NULL. The work goes through the context's compute queue, in the order of the calls.
 *
 * The call returns when all is enqueued, and whether the matrix was singular, or not finite, stays on the device until
 * clsolve_lu_status (lu.h) asks. B is overwritten only if all went well, the factorization too. Two things wait, for all
 * that is on the device and in the caller's stream before: a call that needs more memory than the handle holds (the
 * first factorization and the first solve, and one with more right-hand sides than any before, or in another layout), since
 * CUDA frees memory so, and the first use of a kernel on a device, for it is loaded and some are tried. Where the stream is
 * held up by something that the same thread does later, that never comes: make one call of that size beforehand.
 *
 * Which handles do so: those that are in core and WORKING, with native panels and neither rcond nor equilibrate. With
 * one of these two options, or hybrid panels, the call does its work before it returns. A handle that refines (refine,
 * MIXED, CLSOLVE_PIVOTING_RBT, CLSOLVE_F64 on a device without double) or is out of core takes no matrices on the device:
 * UNSUPPORTED, at once and without waiting for anything; clsolve_lu_factor and clsolve_lu_solve take its matrices from the
 * host. What an enqueued factorization does not do: growth and determinant (the report knows neither), and the scaling of a
 * tiny matrix.
 *
 * What is returned says whether the work could be enqueued: OK, INVALID_ARGUMENT (a matrix on the host, too), UNSUPPORTED,
 * ERROR_STATE, ERROR_DEVICE and its like, but no numerical outcome: on OK there always is an event in *done, whatever came
 * of the numbers. After a factorization that came to SINGULAR, OVERFLOW or ERROR_NONFINITE, known or not yet known, a solve
 * is OK, leaves B as it was, and clsolve_lu_status tells that outcome; ERROR_STATE: nothing was factored at all.
 * A must not change before *done; the next solve need not wait.
 */
CLSOLVE_API clsolve_status clsolve_lu_factor_enqueue_cuda(clsolve_lu *lu, const clsolve_matrix *A, int32_t count,
                                                          struct CUevent_st *const *wait, struct CUevent_st **done);
CLSOLVE_API clsolve_status clsolve_lu_solve_enqueue_cuda(clsolve_lu *lu, clsolve_op op, clsolve_matrix *B,
                                                         int32_t count, struct CUevent_st *const *wait,
                                                         struct CUevent_st **done);

CLSOLVE_END_DECLS

#endif
