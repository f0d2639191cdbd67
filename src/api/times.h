/* times.h (private): the seconds of calls on a context's device and on its host, which is open. */
#ifndef CLS_API_TIMES_H
#define CLS_API_TIMES_H

#include "api/context.h"
#include "cost/where.h"

/* The family's samples: measured, as far as they were, or by default rates. */
cls_times *cls_context_times(clsolve_context *context, cls_family family, clsolve_type type);

/* The task's seconds by these samples, on both sides, with kernels that are built. */
cls_seconds_pair cls_context_seconds(const cls_times *times, const cls_task *task);

/* The same for a choice: the family is measured first, if that is due. */
cls_seconds_pair cls_context_compare(clsolve_context *context, const cls_task *task);

/* Measures the family. It takes about a second. */
clsolve_status cls_context_measure(clsolve_context *context, cls_family family, clsolve_type type);

#endif
