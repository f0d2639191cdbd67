/*
 * opencl.h: for programs that use OpenCL themselves: a context of libclsolve made of their own cl_context, cl_device_id
 * and cl_command_queue, matrices in their own cl_mem, and calls that take a wait list and give an event. Not part of
 * clsolve.h, for it includes CL/cl.h.
 *
 *     clsolve_context_create_opencl(context, device, queue, NULL, &ctx);
 *     clsolve_lu_create(ctx, n, CLSOLVE_F64, NULL, &lu);
 *     clsolve_matrix A = clsolve_opencl_matrix(CLSOLVE_F64, CLSOLVE_COLUMN_MAJOR, n, n, lda, a, 0);
 *     clsolve_matrix B = clsolve_opencl_matrix(CLSOLVE_F64, CLSOLVE_COLUMN_MAJOR, n, nrhs, ldb, b, 0);
 *     clsolve_lu_factor_enqueue(lu, &A, 0, NULL, NULL);                                after what is in `queue`
 *     clsolve_lu_solve_enqueue(lu, CLSOLVE_NO_TRANS, &B, 0, NULL, &done);              B is X when `done` is
 *     status = clsolve_lu_status(lu);                                                  waits, and says how it went
 */
#ifndef CLSOLVE_OPENCL_H
#define CLSOLVE_OPENCL_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

#include <clsolve/block_tridiag.h>
#include <clsolve/context.h>
#include <clsolve/export.h>
#include <clsolve/lu.h>
#include <clsolve/matrix.h>
#include <clsolve/status.h>

CLSOLVE_BEGIN_DECLS

/*
 * A context on the caller's device. `queue` becomes its compute queue: what the caller has enqueued there comes before,
 * and what the caller enqueues there later comes after. It must run in order; NULL: a queue of the library's own. More
 * queues, for copies from and to the host and for work beside, are the library's own either way. Context and queue are
 * retained until clsolve_context_destroy, which waits for all that is in them. Of `options` (may be NULL) the selector counts
 * for nothing.
 * Errors: INVALID_ARGUMENT for what does not belong together, and for a queue that runs out of order; as
 * clsolve_context_create_with.
 */
CLSOLVE_API clsolve_status clsolve_context_create_opencl(cl_context cl, cl_device_id device, cl_command_queue queue,
                                                         const clsolve_context_options *options,
                                                         clsolve_context **context);

/*
 * A matrix in the caller's buffer, element (0, 0) at `offset` elements from its start; layout and ld as in matrix.h. Calls
 * that take a matrix take it, on a context made by clsolve_context_create_opencl of the buffer's cl_context, and
 * copy on the device: the matrix never crosses to the host. A device with host_memory may map the buffer; one that was
 * made with CL_MEM_HOST_NO_ACCESS, _READ_ONLY or _WRITE_ONLY is copied on the device instead, whole, which takes its bytes
 * once more for that long. ERROR_INVALID_ARGUMENT when the matrix reaches beyond the buffer.
 *
 * Handles of LU that refine (refine, MIXED, CLSOLVE_PIVOTING_RBT, CLSOLVE_F64 on a device without double) or are out of core
 * take none: UNSUPPORTED. So do bands that keep a copy of A or of which a window is on the device, and a band's own matrix is
 * taken in column-major order alone (band.h).
 */
static inline clsolve_matrix clsolve_opencl_matrix(clsolve_type type, clsolve_layout layout, int64_t rows, int64_t cols,
                                                   int64_t ld, cl_mem memory, int64_t offset) {
    clsolve_matrix m = {type, layout, rows, cols, ld, (void *)memory, CLSOLVE_ON_DEVICE, offset};
    return m;
}

/*
 * Values on a grid of N lines of M points in the caller's buffer, the first at `offset` elements from its start, line after
 * line without gaps; change the strides afterwards for anything else. Every call that takes a clsolve_grid takes it, on a
 * context as above: the values are copied on the device, in the caller's queue. ERROR_INVALID_ARGUMENT when they reach
 * beyond the buffer.
 */
static inline clsolve_grid clsolve_opencl_grid(clsolve_type type, int64_t N, int64_t M, cl_mem memory, int64_t offset) {
    clsolve_grid g = {type, M, 1, N * M, (void *)memory, CLSOLVE_ON_DEVICE, offset};
    return g;
}

/*
 * As clsolve_lu_factor and clsolve_lu_solve, for matrices of clsolve_opencl_matrix: the work starts when the `count` events
 * of `wait` are done (none of them NULL; `wait` is NULL when there are none) and is over when *done is, which the caller
 * releases; `done` may be NULL. The work goes through the context's compute queue, in the order of the calls. Events that fail are waited for as the
 * driver does: as a rule what waits for them fails too, B is then not to be relied on, and clsolve_lu_status or a later call
 * tells ERROR_DEVICE where the driver does.
 *
 * Where matrix products run on the device, the call returns when all is enqueued, and whether the matrix was singular, or
 * not finite, stays on the device until clsolve_lu_status asks. B is overwritten only if all went well, the factorization
 * too. Only the first use of a kernel on a device may wait, for some are tried, but not for what is in the caller's queue,
 * unless the driver does. Where they run on the host (a device with host_memory, through OpenBLAS), the call does its
 * work before it returns, and waits for `wait` to that end: an event that the same thread would set later never comes.
 *
 * Which handles do so: those that are in core and WORKING, with native panels and neither rcond nor equilibrate. With
 * one of these two options, or hybrid panels, the call waits as on such a device. A handle that refines (refine, MIXED,
 * CLSOLVE_PIVOTING_RBT, CLSOLVE_F64 on a device without double) or is out of core takes no matrices on the device:
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
CLSOLVE_API clsolve_status clsolve_lu_factor_enqueue(clsolve_lu *lu, const clsolve_matrix *A, cl_uint count,
                                                     const cl_event *wait, cl_event *done);
CLSOLVE_API clsolve_status clsolve_lu_solve_enqueue(clsolve_lu *lu, clsolve_op op, clsolve_matrix *B, cl_uint count,
                                                    const cl_event *wait, cl_event *done);

CLSOLVE_END_DECLS

#endif
