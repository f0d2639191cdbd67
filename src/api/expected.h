/* expected.h (private): what the model of the time expects of tasks, for whoever chooses without a handle. */
#ifndef CLS_API_EXPECTED_H
#define CLS_API_EXPECTED_H

#include "api/context.h"
#include "cost/where.h"

/* The seconds of the task on both sides, with the seconds until the device can begin; HUGE_VAL for a side that AUTO
 * never takes. Nothing is measured. */
clsolve_status cls_expected_predict(clsolve_context *context, const cls_task *task, cls_seconds_pair *expected);

/* 1: a thread has compiled the device's kernels of the task, for which AUTO has another method meanwhile (beside.h). */
int cls_expected_wants(clsolve_context *context, const cls_task *task);

/* Seconds of the task on the host where AUTO compares the two sides, as far as they are known; else HUGE_VAL. */
double cls_expected_host_seconds(clsolve_context *context, const cls_task *task);

/* Seconds of the iteration for a grid with a dominant matrix of so many unknowns, from the matrix to the solution; -1:
 * it was not measured. */
double cls_expected_grid_seconds(clsolve_context *context, clsolve_type type, int64_t unknowns);

/* Measures the family, unless it was, or AUTO has nothing to compare. It takes about a second. */
clsolve_status cls_expected_measure(clsolve_context *context, cls_family family, clsolve_type type);

/* The same also where AUTO compares nothing, and then seconds of the task with kernels that are built. For shares of
 * several devices: a context of the host alone is not measured. */
cls_seconds_pair cls_expected_seconds(clsolve_context *context, const cls_task *task);

/* Measures all families. */
clsolve_status cls_expected_calibrate(clsolve_context *context, clsolve_type type);

#endif
