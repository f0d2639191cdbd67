/* built.h (private): which kernels a context and its folder have, by family, type and shape (cls_task_shape). */
#ifndef CLS_API_BUILT_H
#define CLS_API_BUILT_H

#include "api/context.h"
#include "cost/where.h"

typedef enum cls_built_state { CLS_BUILT_HERE, CLS_BUILT_BEFORE, CLS_BUILT_NOWHERE } cls_built_state;

cls_built_state cls_built_state_of(clsolve_context *context, const cls_task *task);
/* Seconds that the device still needs before it can begin. */
double cls_built_seconds(const cls_device *device, cls_built_state state);

/* The kernels of the task, or of a measurement of the family, are there, for this context and for later ones. */
void cls_built_mark(clsolve_context *context, const cls_task *task);
void cls_built_mark_samples(clsolve_context *context, cls_family family, clsolve_type type);

/* "what.family.type": under which the folder has what is known of a family and a type. */
void cls_built_name(const char *what, cls_family family, clsolve_type type, char name[64]);

#endif
