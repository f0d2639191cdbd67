/*
 * opencl.h: calls for programs that use OpenCL themselves: their own context and queue, cl_mem, wait lists and events.
 *
 * Example, given cl_context cl, cl_device_id device, cl_command_queue queue, int64_t n, cl_mem a, cl_mem b:
 *
 *     clsolve_context *context;
 *     clsolve_lu *lu = NULL;
 *     clsolve_matrix A = clsolve_opencl_matrix(CLSOLVE_F64, CLSOLVE_COLUMN_MAJOR, n, n, n, a, 0); // ld = n
 *     clsolve_matrix B = clsolve_opencl_matrix(CLSOLVE_F64, CLSOLVE_COLUMN_MAJOR, n, 1, n, b, 0);
 *     clsolve_status status = clsolve_context_create_opencl(cl, device, queue, NULL, &context);
 *     if (status == CLSOLVE_OK) status = clsolve_lu_create(context, n, CLSOLVE_F64, NULL, &lu);
 *     if (status == CLSOLVE_OK) status = clsolve_lu_factor_enqueue(lu, &A, NULL); // in queue's order
 *     if (status == CLSOLVE_OK) status = clsolve_lu_solve_enqueue(lu, CLSOLVE_NO_TRANS, &B, NULL);
 *     if (status == CLSOLVE_OK) status = clsolve_lu_status(lu); // waits, and returns the outcome: b holds x now
 *     clsolve_lu_destroy(lu);
 *     clsolve_context_destroy(context);
 *
 * clsolve.h does not include this header, because this header includes CL/cl.h.
 */
#ifndef CLSOLVE_OPENCL_H
#define CLSOLVE_OPENCL_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

#include <clsolve/clsolve.h>
#include <clsolve/export.h>

CLSOLVE_BEGIN_DECLS

/*
 * Creates a context on the caller's device.
 *
 *   cl        the caller's context; retained until clsolve_context_destroy
 *   device    a device of `cl`
 *   queue     an in-order queue of `cl` and `device`; retained until clsolve_context_destroy. NULL: a queue of the
 *             library's own
 *   options   NULL: the defaults; the selector is not used
 *   context   out: the context; NULL on failure
 *
 *   status                   when
 *   ERROR_INVALID_ARGUMENT   cl, device and queue do not belong together, or the queue runs out of order
 *   others                   as for clsolve_context_create_with
 *
 * `queue` becomes the compute queue of the context. The caller's work in the queue runs in the order in which it and
 * the calls of the library were enqueued. The library creates more queues of its own, for copies from and to the host
 * and for concurrent work. clsolve_context_destroy waits for all work in them.
 */
CLSOLVE_API clsolve_status clsolve_context_create_opencl(cl_context cl, cl_device_id device, cl_command_queue queue,
                                                         const clsolve_context_options *options,
                                                         clsolve_context **context);

/*
 * For callers with more than one queue: `queue`, of the cl_context that `context` was made of, comes before all later
 * calls on the context and its handles. The work that the caller has enqueued in `queue` up to now is done before these
 * calls read or write an array on the device. The host does not wait. `queue` may be of any device of the cl_context,
 * and may run out of order. The call sends off (clFlush) what is in it.
 *
 *     produce(other_queue, a, b);                            // the caller's kernels write a and b there
 *     clsolve_context_follow_opencl(context, other_queue);
 *     clsolve_solve(context, CLSOLVE_NO_TRANS, &A, &B, NULL, NULL);
 *     consume(other_queue, b);                               // in order: clsolve_solve has written b when it returns
 *
 * A call without _enqueue has read and written its arrays when it returns, so nothing has to be done for other queues
 * after it. After a call with _enqueue they wait for its event `done`.
 *
 * Nothing has to be followed where the caller uses only the queue that clsolve_context_create_opencl was given.
 *
 *   status                   when
 *   ERROR_INVALID_ARGUMENT   context or queue is NULL, the queue is of another cl_context, or the context was not made
 *                            by clsolve_context_create_opencl
 *   ERROR_DEVICE             the driver refused it; nothing was enqueued for the context
 */
CLSOLVE_API clsolve_status clsolve_context_follow_opencl(clsolve_context *context, cl_command_queue queue);

/*
 * A view of a matrix in the caller's buffer. Element (0, 0) lies `offset` elements from the start of the buffer. See
 * matrix.h for layout and ld.
 *
 * Every call that takes a matrix takes this view, on a context of clsolve_context_create_opencl with the cl_context
 * of the buffer. The library copies the matrix on the device. docs/interface.md lists what crosses to the host, for
 * example right-hand sides that are refined. Exceptions:
 *
 *   the matrix reaches beyond the buffer                             ERROR_INVALID_ARGUMENT
 *   LU or Cholesky handle that is out of core (lu.h, cholesky.h)     ERROR_UNSUPPORTED
 *   factors and inverses of Cholesky (cholesky.h)                    ERROR_UNSUPPORTED
 *   band handle that has a window (band.h)                           ERROR_UNSUPPORTED
 *
 * A device with host_memory may map the buffer. A buffer that was made with CL_MEM_HOST_NO_ACCESS, _READ_ONLY or
 * _WRITE_ONLY is copied as a whole on the device instead. This takes its bytes once more for the time of the call.
 */
static inline clsolve_matrix clsolve_opencl_matrix(clsolve_type type, clsolve_layout layout, int64_t rows, int64_t cols,
                                                   int64_t ld, cl_mem memory, int64_t offset) {
    clsolve_matrix m = {type, layout, rows, cols, ld, (void *)memory, CLSOLVE_ON_DEVICE, offset};
    return m;
}

/*
 * A view of values on a grid of N lines of M points (block_gs.h) in the caller's buffer, line after line without
 * gaps. The first value lies `offset` elements from the start of the buffer. Change the strides afterwards for other
 * storage.
 *
 * Every call that takes a clsolve_grid takes this view, on a context as above. The library copies the values on the
 * device, in the caller's queue. ERROR_INVALID_ARGUMENT: the values reach beyond the buffer.
 */
static inline clsolve_grid clsolve_opencl_grid(clsolve_type type, int64_t N, int64_t M, cl_mem memory, int64_t offset) {
    clsolve_grid g = {type, M, 1, N * M, (void *)memory, CLSOLVE_ON_DEVICE, offset};
    return g;
}

/*
 * A view of many small matrices (batch.h) in the caller's buffer, column-major and one after the other without
 * gaps. The first begins `offset` elements from the start of the buffer. Change layout, ld, stride and offsets
 * afterwards for other storage.
 *
 * Calls of the batch families take this view, on a context as above. The library copies the members on the device,
 * but for calls that take them where they lie (gauss_jordan_batch.h). One copy takes all members, except for these
 * views: members with an ld of their own that do not follow each other without gaps, and members by offsets. Then each
 * member is a copy. Exceptions:
 *
 *   a member reaches beyond the buffer        ERROR_INVALID_ARGUMENT
 *   tridiagonal members by offsets            ERROR_UNSUPPORTED, on the host too
 */
static inline clsolve_batch clsolve_opencl_batch(clsolve_type type, int64_t count, int64_t rows, int64_t cols,
                                                 cl_mem memory, int64_t offset) {
    clsolve_batch b = {type,           CLSOLVE_COLUMN_MAJOR, count, rows, cols, rows > 0 ? rows : 1, rows * cols, NULL,
                       (void *)memory, CLSOLVE_ON_DEVICE,    offset};
    return b;
}

/*
 * Events for a call that enqueues (enqueue.h), for arrays of the views above. The caller releases *done.
 *
 *     cl_event solved;
 *     clsolve_events events = clsolve_opencl_events(1, &queue_event, &solved);    // after queue_event
 *     clsolve_status status = clsolve_lu_solve_enqueue(lu, CLSOLVE_NO_TRANS, &B, &events);
 *
 * The first use of a kernel on a device may wait, because some kernels are tested then. It does not wait for the
 * caller's queue, unless the driver does.
 *
 * If an event of `wait` fails, the driver decides what follows. Usually the work that waits for the event fails too.
 * The result is not reliable then. clsolve_<family>_status or a later call returns ERROR_DEVICE if the driver reports
 * the failure.
 */
static inline clsolve_events clsolve_opencl_events(int64_t count, const cl_event *wait, cl_event *done) {
    clsolve_events events = {"opencl", count, wait, done};
    return events;
}

CLSOLVE_END_DECLS

#endif
