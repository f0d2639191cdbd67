/* ahead.h (private): kernels that are compiled before a matrix is there, the same for dense matrices and bands. */
#ifndef CLS_API_AHEAD_H
#define CLS_API_AHEAD_H

#include <clsolve/matrix.h>

#include "api/context.h"
#include "api/where.h"

/* Makes handles of the task on the device and runs a small system through one. `user` as cls_ahead_warm's. */
typedef clsolve_status cls_ahead_step(clsolve_context *context, const cls_task *task, const void *user);

/* Does the step and measures the family, unless there is nothing to compile. */
clsolve_status cls_ahead_warm(clsolve_context *context, const cls_task *task, cls_ahead_step *step, const void *user);

/* 1: a handle of the family and type was made on the device, or there is nothing to compile. Takes no lock. */
int cls_ahead_is_warm(const clsolve_context *context, cls_family family, clsolve_type type);

/* 1: AUTO would give the task to the host now, only because a thread compiles the device's kernels; the question begins
 * that. */
int cls_ahead_is_compiling(clsolve_context *context, const cls_task *task);

/* The most columns of a matrix that is factored, so that queues and copies have run too. */
enum { CLS_AHEAD_TRIED = 512 };

/* Factors A with the handle, and solves for B. */
typedef clsolve_status cls_ahead_run(void *handle, const clsolve_matrix *A, clsolve_matrix *B);

/* Runs the identity of order n through the handle, and a vector of ones. A has n columns of `rows`, the first 1 at
 * `first` and the others `step` apart. */
clsolve_status cls_ahead_try(void *handle, cls_ahead_run *run, clsolve_type type, int64_t n, int64_t rows,
                             int64_t first, int64_t step);

/* The seconds of a dense system on both sides, as the model has them. n right-hand sides more take `rate` times as long
 * as the factorization. `call` begins messages. */
clsolve_status cls_ahead_predict(clsolve_context *context, const char *call, const cls_task *task, int64_t nrhs,
                                 double rate, double *device, double *host);

#endif
