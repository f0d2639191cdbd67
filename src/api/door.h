/*
 * door.h: what src/solve needs of a context beyond the public headers: its message, and which kernels it has.
 *
 * src/solve stands above the handles and knows neither the context's struct nor the device.
 */
#ifndef CLS_API_DOOR_H
#define CLS_API_DOOR_H

#include <stddef.h>

#include <clsolve/block_gs.h>
#include <clsolve/cholesky.h>
#include <clsolve/context.h>
#include <clsolve/lu.h>
#include <clsolve/matrix.h>
#include <clsolve/report.h>
#include <clsolve/sparse.h>
#include <clsolve/status.h>

#include "base/pool.h"
#include "cost/where.h"

/* Writes the context's message (printf style) and returns `status`. */
clsolve_status cls_context_fail(clsolve_context *context, clsolve_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ERROR_FORKED, with the message: the context is of the process that forked this one. */
clsolve_status cls_context_is_own(clsolve_context *context);

/* A copy of the message of the last call that failed, without the "clsolve_<call>: " that it begins with. */
void cls_context_said(clsolve_context *context, char *text, size_t size);

/* 1: this context has built a program of cl/<name>.cl. */
int cls_context_has_program(clsolve_context *context, const char *name);

/* 1: a thread has compiled the kernels of the task for the context's device. 0: it begins to, or there is none. */
int cls_context_wants(clsolve_context *context, const cls_task *task);

/* A small number by a name, kept between runs for this device, its driver and these kernels; 0: none is known. */
int cls_context_recall(clsolve_context *context, const char *name);
void cls_context_remember(clsolve_context *context, const char *name, int number);

/* Seconds of the task on the host, as a handle with options that say nothing of it would choose; HUGE_VAL where it
 * would not choose, because the device works in the host's memory, or the choice is forbidden. */
double cls_context_host_seconds(clsolve_context *context, const cls_task *task);
/* The job, by the threads of the context's device that copy, and the caller's. */
void cls_context_run(clsolve_context *context, cls_job *job);
/* The same, concurrently with the calls on the context that the thread makes until cls_context_end, which waits for
 * all parts: their transfers go before the parts. No other thread uses the context meanwhile. 0: there are no
 * threads, and nothing was begun. */
int cls_context_begin(clsolve_context *context, cls_job *job);
void cls_context_end(clsolve_context *context, cls_job *job);
/* Seconds of the iteration for a grid of so many unknowns, measured; -1: it was not. */
double cls_context_grid_seconds(clsolve_context *context, clsolve_type type, int64_t unknowns);

/* A X = B by dense LU with a handle that an earlier call has left with the context (lu_once.c). The arguments are
 * valid; the report is that of clsolve_lu_report. 0: there is no handle for this call. */
int cls_lu_once(clsolve_context *context, clsolve_op op, const clsolve_matrix *A, const clsolve_matrix *B,
                const clsolve_lu_options *options, clsolve_report *report, clsolve_status *status);
/* In the place of clsolve_lu_destroy: the handle that has solved with A stays with the context where that is worth
 * it. */
void cls_lu_keep(clsolve_lu *lu, const clsolve_matrix *A);

/* As clsolve_sparse_report, but without determinant and growth where they are not known: these may take another
 * factorization, on the host. */
void cls_sparse_glance(clsolve_sparse *sparse, clsolve_report *report);

/* Cholesky likewise: a handle that goes with the caller, for a call with A and B, whose arguments are valid; NULL:
 * there is none. And in the place of clsolve_cholesky_destroy. */
clsolve_cholesky *cls_cholesky_once(clsolve_context *context, const clsolve_matrix *A, const clsolve_matrix *B,
                                    const clsolve_cholesky_options *options);
void cls_cholesky_keep(clsolve_cholesky *cholesky, const clsolve_matrix *A);

/* Calls on the handles of the direct methods alike, of dense LU, Cholesky and LDL^T and of bands, as the public ones of
 * each do them: of a symmetric matrix the lower triangle, and `op` for those that have one. NULL is fine for the last
 * two. */
clsolve_status cls_door_factor(void *handle, const clsolve_matrix *A);
clsolve_status cls_door_solve(void *handle, clsolve_op op, const clsolve_matrix *B);
clsolve_status cls_door_report(const void *handle, clsolve_report *report);
void cls_door_destroy(void *handle);

/* ---- matrices that the caller has on the device ---- */

/* *there: `view` itself where it lies on the host; else a tight copy on the host in the same layout, whose data the
 * caller of this frees. */
clsolve_status cls_context_fetch(clsolve_context *context, const clsolve_matrix *view, clsolve_matrix *there);
/* Writes such a copy back to its view on the device. */
clsolve_status cls_context_store(clsolve_context *context, const clsolve_matrix *there, const clsolve_matrix *view);

/* 1: a square view on the device, not empty, is symmetric, of complex elements as `symmetry` says, and with `positive`
 * its diagonal is positive: a launch, and a word that comes back. 0: it is not, or it could not be looked at. */
int cls_context_is_symmetric_there(clsolve_context *context, const clsolve_matrix *A, clsolve_symmetry symmetry,
                                   int positive);

/* A copy on the device of a view on the device: *kept is a view of *buffer, which cls_context_release takes. */
struct cls_buffer;
clsolve_status cls_context_keep(clsolve_context *context, const clsolve_matrix *view, clsolve_matrix *kept,
                                struct cls_buffer **buffer);
void cls_context_release(clsolve_context *context, struct cls_buffer *buffer); /* NULL is fine */

/* The iteration stops at this relative residual from now on. */
void cls_block_gs_aim(clsolve_block_gs *handle, double tolerance);

#endif
