/* ahead.h (private): kernels that are compiled before a matrix is there, the same for dense matrices and bands. */
#ifndef CLS_API_AHEAD_H
#define CLS_API_AHEAD_H

#include "api/context.h"
#include "api/where.h"

/* Makes handles of the task on the device and runs a small system through one. */
typedef clsolve_status cls_ahead_step(clsolve_context *context, const cls_task *task);

/* Does the step and measures the family, unless there is nothing to compile. */
clsolve_status cls_ahead_warm(clsolve_context *context, const cls_task *task, cls_ahead_step *step);

/* 1: a handle of the family and type was made on the device, or there is nothing to compile. Takes no lock. */
int cls_ahead_is_warm(const clsolve_context *context, cls_family family, clsolve_type type);

/* Writes 1 to `count` elements that lie `step` elements apart. */
void cls_ahead_put_ones(clsolve_type type, void *a, int64_t count, int64_t step);

#endif
