#include "api/expected.h"

#include <math.h>

#include "api/beside.h"
#include "api/built.h"
#include "api/host.h"
#include "api/times.h"
#include "blas/blas.h"
#include "device/staging.h"

clsolve_status cls_expected_measure(clsolve_context *context, cls_family family, clsolve_type type) {
    const cls_device *device = context->device;
    cls_device *host;
    if (device->no_kernels || device->callers || cls_in_place(device) ||
        cls_host_forced(CLSOLVE_WHERE_AUTO) != CLSOLVE_WHERE_AUTO)
        return CLSOLVE_OK;
    CLS_TRY(cls_context_host(context, &host));
    return cls_context_times(context, family, type)->known ? CLSOLVE_OK : cls_context_measure(context, family, type);
}

cls_seconds_pair cls_expected_seconds(clsolve_context *context, const cls_task *task) {
    cls_device *host;
    const cls_error said = context->error;
    cls_seconds_pair seconds = {1, 1};
    if (cls_context_host(context, &host) == CLSOLVE_OK) {
        if (!context->device->no_kernels && !cls_context_times(context, task->family, task->type)->known)
            (void)cls_context_measure(context, task->family, task->type); /* else the guess stays */
        seconds = cls_context_seconds(cls_context_times(context, task->family, task->type), task);
    }
    context->error = said;
    return seconds;
}

clsolve_status cls_expected_predict(clsolve_context *context, const cls_task *task, cls_seconds_pair *expected) {
    cls_device *host;
    const cls_device *device = context->device;

    CLS_TRY(cls_context_host(context, &host));
    *expected = cls_context_seconds(cls_context_times(context, task->family, task->type), task);
    const clsolve_where only = cls_host_forced(CLSOLVE_WHERE_AUTO);
    if (device->no_kernels || cls_in_place(device) || only == CLSOLVE_WHERE_HOST)
        expected->device = HUGE_VAL;
    else
        expected->device += cls_built_seconds(device, cls_built_state_of(context, task));
    if (!device->no_kernels && (device->callers || !cls_host_has_room(task) || only == CLSOLVE_WHERE_DEVICE))
        expected->host = HUGE_VAL;
    return CLSOLVE_OK;
}

int cls_expected_wants(clsolve_context *context, const cls_task *task) {
    const cls_device *device = context->device;
    return !device->callers && !device->no_kernels && !cls_in_place(device) &&
           cls_host_forced(CLSOLVE_WHERE_AUTO) == CLSOLVE_WHERE_AUTO &&
           cls_beside_ask(context, task, 0) == CLS_BESIDE_READY;
}

double cls_expected_host_seconds(clsolve_context *context, const cls_task *task) {
    const cls_device *device = context->device;
    cls_device *host;
    if (device->callers || device->no_kernels || !cls_host_has_room(task) ||
        cls_host_forced(CLSOLVE_WHERE_AUTO) == CLSOLVE_WHERE_DEVICE || cls_context_host(context, &host) != CLSOLVE_OK)
        return HUGE_VAL;
    return cls_context_seconds(cls_context_times(context, task->family, task->type), task).host;
}

double cls_expected_grid_seconds(clsolve_context *context, clsolve_type type, int64_t unknowns) {
    cls_task task = {.family = CLS_FAMILY_GRID, .type = type, .n = unknowns};
    cls_device *host;
    if (cls_context_host(context, &host) != CLSOLVE_OK) return -1;
    const cls_times *times = cls_context_times(context, CLS_FAMILY_GRID, type);
    return times->known && times->device.fixed[0] > 0 ? cls_context_seconds(times, &task).device : -1;
}

clsolve_status cls_expected_calibrate(clsolve_context *context, clsolve_type type) {
    cls_device *host;
    if (context->device->no_kernels) return CLSOLVE_OK;
    CLS_TRY(cls_staging_calibrate(context->device));
    CLS_TRY(cls_context_host(context, &host));
    for (int family = 0; family < CLS_FAMILIES; ++family)
        CLS_TRY(cls_context_measure(context, (cls_family)family, type));
    return CLSOLVE_OK;
}
