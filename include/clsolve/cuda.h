/*
 * cuda.h: calls for programs that use CUDA themselves: their own stream, device memory and events.
 *
 * Example, given int device, struct CUstream_st *stream, int64_t n, double *a, double *b:
 *
 *     clsolve_context *context;
 *     clsolve_lu *lu = NULL;
 *     clsolve_matrix A = clsolve_cuda_matrix(CLSOLVE_F64, CLSOLVE_COLUMN_MAJOR, n, n, n, a, 0); // a, b: on the device
 *     clsolve_matrix B = clsolve_cuda_matrix(CLSOLVE_F64, CLSOLVE_COLUMN_MAJOR, n, 1, n, b, 0);
 *     clsolve_status status = clsolve_context_create_cuda(device, stream, NULL, &context);
 *     if (status == CLSOLVE_OK) status = clsolve_lu_create(context, n, CLSOLVE_F64, NULL, &lu);
 *     if (status == CLSOLVE_OK) status = clsolve_lu_factor_enqueue(lu, &A, NULL); // in `stream`
 *     if (status == CLSOLVE_OK) status = clsolve_lu_solve_enqueue(lu, CLSOLVE_NO_TRANS, &B, NULL);
 *     if (status == CLSOLVE_OK) status = clsolve_lu_status(lu); // waits, and returns the outcome: b holds x now
 *     clsolve_lu_destroy(lu);
 *     clsolve_context_destroy(context);
 *
 * clsolve.h does not include this header. This header needs no header of CUDA:
 *
 *   struct CUstream_st *   a CUstream of the driver's interface, and a cudaStream_t of the runtime's
 *   struct CUevent_st *    a CUevent, and a cudaEvent_t
 *
 * A libclsolve that was built without CUDA has these calls too; clsolve_context_create_cuda then returns
 * ERROR_UNSUPPORTED.
 */
#ifndef CLSOLVE_CUDA_H
#define CLSOLVE_CUDA_H

#include <clsolve/clsolve.h>
#include <clsolve/export.h>

struct CUstream_st;
struct CUevent_st;

CLSOLVE_BEGIN_DECLS

/*
 * Creates a context on the caller's device.
 *
 *   device    a CUdevice, or the number that cudaGetDevice gives
 *   stream    a stream of that device, not being captured. NULL: a stream of the library's own, see below
 *   options   NULL: the defaults; the selector is not used
 *   context   out: the context; NULL on failure
 *
 *   status                   when
 *   ERROR_INVALID_ARGUMENT   the device does not exist, or the stream is of another device
 *   ERROR_NO_DEVICE          NVIDIA's driver is not there
 *   ERROR_UNSUPPORTED        libclsolve was built without CUDA
 *   others                   as for clsolve_context_create_with
 *
 * `stream` becomes the compute queue of the context. The caller's work in the stream runs in the order in which it
 * and the calls of the library were enqueued. The library creates more streams of its own, for copies from and to the
 * host and for concurrent work. The stream and its CUcontext must live at least as long as the context.
 * clsolve_context_destroy waits for all work in the stream.
 *
 * Default streams:
 *
 *   NULL                   HERE NOT CUDA's DEFAULT STREAM, though cudaStream_t 0 is elsewhere. It asks for a stream of
 *                          the library's own, in no order with the caller's work, nor with the default stream's.
 *   CU_STREAM_LEGACY       cudaStreamLegacy: the default stream of the device's primary context
 *   CU_STREAM_PER_THREAD   cudaStreamPerThread: another stream in each thread. Use the context from one thread only, to
 *                          create and destroy it too; else the library's own work is in no order.
 *
 * After each call of the library the calling thread has the same current CUcontext as before.
 */
CLSOLVE_API clsolve_status clsolve_context_create_cuda(int device, struct CUstream_st *stream,
                                                       const clsolve_context_options *options,
                                                       clsolve_context **context);

/*
 * For callers with more than one stream: `stream`, of the device of the context, comes before all later calls on the
 * context and its handles. The work that the caller has enqueued in `stream` up to now is done before these calls read
 * or write an array on the device. The host does not wait.
 *
 *     produce(other_stream, a, b);                           // the caller's kernels write a and b there
 *     clsolve_context_follow_cuda(context, other_stream);
 *     clsolve_solve(context, CLSOLVE_NO_TRANS, &A, &B, NULL, NULL);
 *     consume(other_stream, b);                              // in order: clsolve_solve has written b when it returns
 *
 * A call without _enqueue has read and written its arrays when it returns, so nothing has to be done for other streams
 * after it. After a call with _enqueue they wait for its event `done`.
 *
 * CU_STREAM_LEGACY and CU_STREAM_PER_THREAD are the default streams of the CUcontext in which the context works. This
 * is the CUcontext of its own stream, else the device's primary one. NULL is not the default stream, as in
 * clsolve_context_create_cuda.
 *
 *   status                   when
 *   ERROR_INVALID_ARGUMENT   context or stream is NULL, the stream is of another device, or the context was not made by
 *                            clsolve_context_create_cuda
 *   ERROR_DEVICE             the driver refused it, for example because the stream is being captured; nothing was
 *                            enqueued for the context
 */
CLSOLVE_API clsolve_status clsolve_context_follow_cuda(clsolve_context *context, struct CUstream_st *stream);

/*
 * A view of a matrix in the caller's device memory. Element (0, 0) lies `offset` elements from `memory`. `memory` is an
 * address that cudaMalloc, cuMemAlloc or a similar call gave, or an address within. See matrix.h for layout and ld.
 *
 * Every call that takes a matrix takes this view, on a context of clsolve_context_create_cuda on the device of the
 * memory. The library copies the matrix on the device. docs/interface.md lists what crosses to the host, for example
 * right-hand sides that are refined. Exceptions:
 *
 *   the matrix reaches beyond the allocation                         ERROR_INVALID_ARGUMENT
 *   `memory` is no memory of that device                             ERROR_INVALID_ARGUMENT
 *   LU or Cholesky handle that is out of core (lu.h, cholesky.h)     ERROR_UNSUPPORTED
 *   factors and inverses of Cholesky (cholesky.h)                    ERROR_UNSUPPORTED
 *   band handle that has a window (band.h)                           ERROR_UNSUPPORTED
 */
static inline clsolve_matrix clsolve_cuda_matrix(clsolve_type type, clsolve_layout layout, int64_t rows, int64_t cols,
                                                 int64_t ld, void *memory, int64_t offset) {
    clsolve_matrix m = {type, layout, rows, cols, ld, memory, CLSOLVE_ON_DEVICE, offset};
    return m;
}

/*
 * A view of values on a grid of N lines of M points (block_gs.h) in the caller's device memory, line after line
 * without gaps. The first value lies `offset` elements from `memory`. Change the strides afterwards for other
 * storage. All else is as for clsolve_cuda_matrix.
 */
static inline clsolve_grid clsolve_cuda_grid(clsolve_type type, int64_t N, int64_t M, void *memory, int64_t offset) {
    clsolve_grid g = {type, M, 1, N * M, memory, CLSOLVE_ON_DEVICE, offset};
    return g;
}

/*
 * A view of many small matrices (batch.h) in the caller's device memory, column-major and one after the other without
 * gaps. The first begins `offset` elements from `memory`. Change layout, ld, stride and offsets afterwards for
 * other storage.
 *
 * Calls of the batch families take this view, on a context as above. The library copies the members on the device,
 * but for calls that take them where they lie (gauss_jordan_batch.h). One copy takes all members, except for these
 * views: members with an ld of their own that do not follow each other without gaps, and members by offsets. Then each
 * member is a copy. Exceptions:
 *
 *   a member reaches beyond the allocation    ERROR_INVALID_ARGUMENT
 *   tridiagonal members by offsets            ERROR_UNSUPPORTED, on the host too
 */
static inline clsolve_batch clsolve_cuda_batch(clsolve_type type, int64_t count, int64_t rows, int64_t cols,
                                               void *memory, int64_t offset) {
    clsolve_batch b = {type,   CLSOLVE_COLUMN_MAJOR, count, rows, cols, rows > 0 ? rows : 1, rows * cols, NULL,
                       memory, CLSOLVE_ON_DEVICE,    offset};
    return b;
}

/*
 * Events for a call that enqueues (enqueue.h), for arrays of the views above. The caller destroys *done, a new CUevent.
 *
 *     struct CUevent_st *solved;
 *     clsolve_events events = clsolve_cuda_events(1, &stream_event, &solved);     // after stream_event
 *     clsolve_status status = clsolve_lu_solve_enqueue(lu, CLSOLVE_NO_TRANS, &B, &events);
 *
 * Two things wait for all work on the device, the caller's stream included:
 *
 *   - a call that needs more memory than the handle holds, because CUDA frees memory in this way. The first
 *     factorization and the first solve do, and a solve with more right-hand sides than any before, or in another
 *     layout.
 *   - the first use of a kernel on a device, because the kernel is loaded, and some kernels are tested
 *
 * This wait never ends if the stream is held up by something that the same thread does later. Make one call of that
 * size beforehand.
 */
static inline clsolve_events clsolve_cuda_events(int64_t count, struct CUevent_st *const *wait,
                                                 struct CUevent_st **done) {
    clsolve_events events = {"cuda", count, wait, done};
    return events;
}

CLSOLVE_END_DECLS

#endif
