#include "api/ahead.h"

#include <stdatomic.h>

clsolve_status cls_ahead_warm(clsolve_context *context, const cls_task *task, cls_ahead_step *step) {
    if (task->n == 0 || context->device->no_kernels) return CLSOLVE_OK;
    CLS_TRY(step(context, task));
    return cls_where_measure(context, task->family, task->type);
}

int cls_ahead_is_warm(const clsolve_context *context, cls_family family, clsolve_type type) {
    if (!context || !cls_type_is_known(type)) return 0;
    if (context->device->no_kernels) return 1;
    return atomic_load(&((clsolve_context *)(uintptr_t)context)->built[family][type - CLSOLVE_F32]);
}

void cls_ahead_put_ones(clsolve_type type, void *a, int64_t count, int64_t step) {
    for (int64_t k = 0; k < count; ++k) cls_type_put(type, a, k * step * cls_type_parts(type), 1);
}
