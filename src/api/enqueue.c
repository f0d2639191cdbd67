#include "api/enqueue.h"

#include <string.h>

cls_enqueue cls_enqueue_as(const char *call, const clsolve_events *events) {
    cls_enqueue how = {.call = call};

    if (!events) return how;
    how.backend = events->backend ? events->backend : "";
    how.wait.count = events->count < 0 || events->count > INT32_MAX ? -1 : (int32_t)events->count;
    how.wait.events = events->wait;
    how.done = events->done;
    if (how.done) *how.done = NULL;
    return how;
}

static clsolve_status check_events(const clsolve_context *context, const cls_enqueue *how, cls_error *error) {
    const clsolve_device_info *info = &context->device->info;

    if (strcmp(info->backend, "host") == 0)
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: the handle's context is on %s: nothing is enqueued",
                        how->call, info->selector);
    if (how->backend && strcmp(info->backend, how->backend) != 0)
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                        "%s: the handle's context is on %s: give events of clsolve_%s_events()", how->call,
                        info->selector, info->backend);
    if (how->wait.count < 0 || (how->wait.count > 0) != (how->wait.events != NULL))
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: the wait list and its count disagree", how->call);
    for (int32_t e = 0; e < how->wait.count; e++)
        if (!how->wait.events[e])
            return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: event %d of the wait list is NULL", how->call,
                            (int)e);
    return CLSOLVE_OK;
}

clsolve_status cls_enqueue_check(clsolve_context *context, const cls_enqueue *how, const char *view, int count,
                                 const char *const names[], const clsolve_place places[]) {
    if (!how) return CLSOLVE_OK;
    CLS_TRY(check_events(context, how, &context->error));
    for (int v = 0; v < count; ++v)
        if (places[v] != CLSOLVE_ON_DEVICE)
            return cls_fail(&context->error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                            "%s: %s is on the host: give one of clsolve_%s_%s()", how->call, names[v],
                            context->device->info.backend, view);
    return CLSOLVE_OK;
}
