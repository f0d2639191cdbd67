/*
 * enqueue.h: the contract of the calls clsolve_<family>_<verb>_enqueue, and their events. The calls enqueue work in the
 * caller's own OpenCL queue or CUDA stream, and each family's header declares its own.
 *
 * The context must be of clsolve_context_create_opencl (opencl.h, with an example) or of clsolve_context_create_cuda
 * (cuda.h, likewise). A call does the work of the call without _enqueue, for arrays on the device.
 *
 *   status                   when
 *   OK                       the work is enqueued, whatever its numerical outcome; *done holds an event
 *   ERROR_INVALID_ARGUMENT   an argument is not valid, an array lies on the host, or the context is on the host or on
 *                            another backend than the events
 *   ERROR_UNSUPPORTED        the handle takes no arrays on the device, see below
 *   ERROR_STATE              solve: nothing was factored
 *   ERROR_DEVICE and others  the work could not be enqueued; *done is NULL
 *
 * Errors of arguments, ERROR_UNSUPPORTED and ERROR_STATE come at once and without any wait. A call that they refuse
 * changes nothing: neither an array, nor the factors, nor the outcome that clsolve_<family>_status returns.
 *
 * The work goes through the compute queue of the context, in the order of the calls. Arrays that a call reads must not
 * change before *done. A next call on the handle need not wait for *done.
 *
 * Outcome. SINGULAR, NOT_POSITIVE_DEFINITE, NOT_CONVERGED, OVERFLOW and ERROR_NONFINITE are outcomes of the numbers.
 * The enqueueing call does not return them; clsolve_<family>_status does. The array of the result is then as the call
 * without _enqueue leaves it. After a factorization with such an outcome, known or not yet known, a solve returns OK
 * and leaves its result as it was. clsolve_<family>_status then returns the outcome of the factorization.
 *
 * Some calls return when all work is enqueued. The others work before they return, because the host must see numbers
 * between the launches:
 *
 *   call                      handle                                                   the call
 *   lu_factor, lu_solve       in core, WORKING, native panels, no rcond, no            returns when all is enqueued
 *                             equilibrate
 *   lu_factor, lu_solve       in core with rcond, equilibrate, hybrid panels, or a     works before it returns
 *                             copy of A (refine, MIXED, RBT, no double)
 *   lu_factor, lu_solve       out of core                                              ERROR_UNSUPPORTED
 *   cholesky_factor,          as lu_factor and lu_solve                                as these
 *   cholesky_solve
 *   ldl_factor, ldl_solve     as cholesky_factor and cholesky_solve; see below         as these
 *   gauss_jordan_solve,       any                                                      works before it returns
 *   gauss_jordan_invert
 *   band_factor, band_solve   without a window                                         works before it returns
 *   band_factor, band_solve   with a window                                            ERROR_UNSUPPORTED
 *   sparse_factor_values      factors in double, all on the device; no rcond; the      returns when all is enqueued
 *                             factors before, of values that stayed on the device,
 *                             replaced no pivot
 *   sparse_solve              such factors; more than 16 columns take room for X       returns when all is enqueued
 *                             on the device
 *   sparse_factor_values,     any other; A that is not symmetric is refused after the  works before it returns
 *   sparse_solve              wait
 *   block_gs_factor,          any of clsolve_block_gs_create                           works before it returns
 *   block_gs_solve
 *   lu_batch, cholesky_batch, `info` is NULL; members have one order, and kernels take   returns when all is enqueued
 *   ldl_batch                 them where they lie; see below
 *   gauss_jordan_batch,       any other; a batch's status is OK when it ran, and         works before it returns
 *   lu_batch,                 `info` is written before the call returns
 *   cholesky_batch, ldl_batch,
 *   sparse_batch, band_batch,
 *   tridiagonal_batch
 *
 * A handle with ERROR_UNSUPPORTED takes its arrays from the host, by the calls without _enqueue.
 *
 * If matrix products run on the host (a device with host_memory, through OpenBLAS), each call works before it returns,
 * whatever the handle. A call that works before it returns also waits for the events of `wait`. The call never returns
 * if the same thread would set one of these events later.
 *
 * A dense factorization that returns when all is enqueued does not scale a tiny matrix. Its report has neither growth
 * nor determinant. The outcome of lu_solve is NOT_CONVERGED if work-groups that wait for each other did not meet, which
 * a busy device alone may cause. B is then as it was, and the next solve goes by kernels that do not wait.
 *
 * Batches. The calls of LU, Cholesky and LDL^T take NULL for `info`. The infos then stay on the device, where solves
 * find them, until clsolve_<family>_infos or a call that works before it returns. A call with NULL works before it
 * returns too
 *
 *     if members have orders of their own
 *     if the engine of lu.h factors the members, because they are large and few
 *     if right-hand sides are more than a work-group has, or the buffer keeps kernels from them (lu_batch.h)
 *
 * LDL^T. A factorization that returns when all is enqueued looks for pivots within windows (ldl.h). Where a window has
 * none, the search in whole columns wants the host, which reads how many columns it took. clsolve_ldl_status, or any
 * call that needs the factors, then ends the factorization from that window on. The outcome of solves that were
 * enqueued before is NOT_CONVERGED: B is as it was, and can be solved for again. The inertia comes with the first wait.
 *
 * Sparse systems. Factors in float want the host between the steps of refinement, because residuals are computed there
 * in double. Factors in the host's memory pass through the device in pieces that the host carries. So these calls work
 * before they return. A solve that returns when all is enqueued has no help of the host. It takes as many steps of
 * refinement as the solves before have taken. The outcome is NOT_CONVERGED where these are too few. It is that too
 * where the values have to be factored again: their size has changed by more than 16, or a pivot was replaced.
 * clsolve_sparse_status then factors, and returns what clsolve_sparse_factor_values would, also ERROR_INVALID_ARGUMENT
 * for an A that is not symmetric. Calls that follow work before they return. After ERROR_NONFINITE, and
 * after ERROR_INVALID_ARGUMENT from clsolve_sparse_status, there are no factors. If the enqueueing call itself returns
 * ERROR_INVALID_ARGUMENT, also for an A that is not symmetric, the factors stay as they were.
 *
 * clsolve_<family>_status waits for the enqueued work of its handle and returns its outcome, as the call without
 * _enqueue returns it. This is the outcome of the factorization or, when that is OK, of the last of several solves. The
 * context has the message. ERROR_INVALID_ARGUMENT: the handle is NULL.
 *
 *   - The call may be repeated. An enqueueing call that was refused in between does not change the outcome.
 *   - Calls on the handle without _enqueue also wait for the enqueued work first. Such a call replaces the outcome.
 *   - The report of the handle covers only work that has been waited for.
 */
#ifndef CLSOLVE_ENQUEUE_H
#define CLSOLVE_ENQUEUE_H

#include <stdint.h>

/*
 * Made by clsolve_opencl_events or clsolve_cuda_events, which let the compiler check the types. A call that takes NULL
 * instead waits for no event and gives none.
 */
typedef struct clsolve_events {
    const char *backend; /* "opencl" or "cuda" */
    int64_t count;       /* number of events in `wait` */
    const void *wait;    /* in: events that are done before the work starts, none of them NULL; NULL if count is 0 */
    void *done;          /* out: *done is a new event, done when the work is; the caller releases it. It is NULL after
                          * an error. NULL: not wanted */
} clsolve_events;

#endif
