#include "api/enqueue.h"

#include <string.h>

#include "method/events.h"

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

clsolve_status cls_enqueue_check(clsolve_context *context, const cls_enqueue *how) {
    const clsolve_device_info *info = &context->device->info;
    cls_error *error = &context->error;

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

clsolve_status cls_enqueue_check_place(clsolve_context *context, const cls_enqueue *how, const char *argument,
                                       const char *view, clsolve_place place) {
    if (place == CLSOLVE_ON_DEVICE) return CLSOLVE_OK;
    return cls_fail(&context->error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                    "%s: %s is on the host: give one of clsolve_%s_%s()", how->call, argument,
                    context->device->info.backend, view);
}

clsolve_status cls_enqueue_check_batches(clsolve_context *context, const cls_enqueue *how, const char *const names[],
                                         const clsolve_batch *const views[], int count) {
    if (!how) return CLSOLVE_OK;
    CLS_TRY(cls_enqueue_check(context, how));
    for (int v = 0; v < count; ++v) CLS_TRY(cls_enqueue_check_place(context, how, names[v], "batch", views[v]->place));
    return CLSOLVE_OK;
}

clsolve_status cls_enqueue_check_matrices(clsolve_context *context, const cls_enqueue *how, const char *const names[],
                                          const clsolve_matrix *const views[], int count) {
    if (!how) return CLSOLVE_OK;
    CLS_TRY(cls_enqueue_check(context, how));
    for (int v = 0; v < count; ++v) CLS_TRY(cls_enqueue_check_place(context, how, names[v], "matrix", views[v]->place));
    return CLSOLVE_OK;
}

clsolve_status cls_enqueue_begin(clsolve_context *context, const cls_enqueue *how) {
    return cls_events_before(context->device, &how->wait);
}

clsolve_status cls_enqueue_send(clsolve_context *context, const cls_enqueue *how, clsolve_status *kept,
                                cls_error *message) {
    clsolve_status status = cls_events_behind(context->device, how->done);
    if (status == CLSOLVE_OK) return CLSOLVE_OK;
    *kept = status;
    cls_enqueue_save(context, status, message);
    return status;
}

clsolve_status cls_enqueue_end(clsolve_context *context, const cls_enqueue *how, clsolve_status status,
                               clsolve_status *kept, cls_error *message) {
    *kept = status;
    cls_enqueue_save(context, status, message);
    if (status != CLSOLVE_OK && !cls_enqueue_is_outcome(status)) return status;
    return cls_enqueue_send(context, how, kept, message);
}

clsolve_status cls_enqueue_nothing(clsolve_context *context, const cls_enqueue *how, clsolve_status outcome,
                                   clsolve_status *kept, cls_error *message) {
    clsolve_status status = cls_enqueue_begin(context, how);
    if (status != CLSOLVE_OK) return cls_enqueue_end(context, how, status, kept, message);
    *kept = outcome;
    return cls_enqueue_send(context, how, kept, message);
}
