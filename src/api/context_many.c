/* context_many.c: the devices of a context: the lead, and those of the peers (context.h). */
#include "api/context.h"

#include <string.h>

cls_device *const *cls_context_devices(const clsolve_context *context, int64_t *count) {
    *count = 1 + context->peer_count;
    return context->peer_count > 0 ? context->devices : &context->device;
}

clsolve_context *cls_context_of(clsolve_context *context, int64_t d) {
    return d == 0 ? context : context->peers[d - 1];
}

clsolve_status cls_context_failed_on(clsolve_context *context, const char *call, int64_t d, clsolve_status status) {
    const clsolve_context *at = cls_context_of(context, d);
    const clsolve_device_info *info = &at->device->info;
    const cls_error said = at->error; /* of the lead, it is also where the message goes */
    if (context->peer_count == 0) return status;
    return cls_fail(&context->error, status, "%s: device %s (%s): %.3800s", call, info->selector, info->name,
                    said.text);
}

clsolve_status cls_context_check_type(clsolve_context *context, const char *call, clsolve_type type) {
    int64_t count;
    cls_device *const *devices = cls_context_devices(context, &count);
    for (int64_t d = 0; d < count && cls_is_double(type); d++)
        if (!devices[d]->info.fp64)
            return cls_fail(&context->error, CLSOLVE_ERROR_UNSUPPORTED,
                            "%s: the device %s (%s) has no double precision: leave it out, or use %s", call,
                            devices[d]->info.selector, devices[d]->info.name,
                            cls_is_complex(type) ? "CLSOLVE_C32" : "CLSOLVE_F32");
    return CLSOLVE_OK;
}

cls_pool *cls_context_drivers(clsolve_context *context) {
    if (!context->drivers && context->peer_count > 0) context->drivers = cls_pool_create((int)context->peer_count);
    return context->drivers;
}

cls_counters cls_context_counters(const clsolve_context *context) {
    int64_t count;
    cls_device *const *devices = cls_context_devices(context, &count);
    cls_counters all = {0};
    for (int64_t d = 0; d < count; d++) {
        const cls_counters *of = &devices[d]->counters;
        all.bytes_up += of->bytes_up;
        all.bytes_down += of->bytes_down;
        all.transfers_up += of->transfers_up;
        all.transfers_down += of->transfers_down;
    }
    return all;
}

double cls_context_build_seconds(const clsolve_context *context) {
    int64_t count;
    cls_device *const *devices = cls_context_devices(context, &count);
    double seconds = 0;
    for (int64_t d = 0; d < count; d++) seconds += devices[d]->build_seconds;
    return seconds;
}

int64_t clsolve_context_device_count(const clsolve_context *context) {
    return context ? 1 + context->peer_count : 0;
}

clsolve_device_info clsolve_context_device_at(const clsolve_context *context, int64_t i) {
    clsolve_device_info info;
    int64_t count;
    memset(&info, 0, sizeof info);
    if (context && i >= 0 && i <= context->peer_count) info = cls_context_devices(context, &count)[i]->info;
    return info;
}

double clsolve_context_share_at(clsolve_context *context, int64_t i) {
    if (!context || i < 0 || i > context->peer_count) return 0;
    if (cls_enter(context) != CLSOLVE_OK) return 0;
    const double share = context->peer_count > 0 ? context->shares[i] : 1;
    (void)cls_leave(context, CLSOLVE_OK);
    return share;
}
