/* context_many.c: a context over several devices: the lead, and a whole context for each other device (context.h). */
#include "api/context.h"

#include <stdio.h>
#include <string.h>

#include "base/environment.h"
#include "base/memory.h"

/* ---- create, destroy ---- */

/* Device `d` of the list, opened; the message says which one failed. */
static clsolve_status open_one(const char *call, const clsolve_context_options *options, const char *selector,
                               cls_error *error, clsolve_context **made) {
    cls_error said = {""};
    clsolve_context_options one = *options;
    one.selector = selector;
    one.message = said.text;
    one.message_size = sizeof said.text;
    clsolve_status status = cls_context_make_one(call, NULL, &one, made);
    if (status == CLSOLVE_OK) return status;
    return cls_fail(error, status, "%s: device \"%s\": %.3800s", call, selector, said.text);
}

static clsolve_status check_twice(const char *call, const clsolve_context *lead, const clsolve_context *peer,
                                  cls_error *error) {
    const char *selector = peer->device->info.selector;
    int twice = strcmp(lead->device->info.selector, selector) == 0;
    for (int64_t i = 0; i < lead->peer_count; i++)
        twice |= strcmp(lead->peers[i]->device->info.selector, selector) == 0;
    if (!twice) return CLSOLVE_OK;
    return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: the device %s (%s) is named twice: name it once", call,
                    selector, peer->device->info.name);
}

static clsolve_status open_peers(const char *call, const clsolve_context_options *options,
                                 const cls_selector *selectors, int64_t count, cls_error *error,
                                 clsolve_context *lead) {
    int numbers[CLS_ENVIRONMENT_LIST], given = cls_environment_numbers("CLSOLVE_SHARES", numbers);
    if (given > 0 && given != count)
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                        "CLSOLVE_SHARES has %d numbers where there are %lld devices: give one for each", given,
                        (long long)count);
    lead->peers = cls_alloc((size_t)count, sizeof *lead->peers);
    lead->devices = cls_alloc((size_t)count, sizeof *lead->devices);
    lead->shares = cls_alloc((size_t)count, sizeof *lead->shares);
    if (!lead->peers || !lead->devices || !lead->shares)
        return cls_fail(error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a context of several devices");
    lead->devices[0] = lead->device;
    for (int64_t i = 1; i < count; i++) {
        clsolve_context *peer;
        CLS_TRY(open_one(call, options, selectors[i].text, error, &peer));
        clsolve_status status = check_twice(call, lead, peer, error);
        if (status != CLSOLVE_OK) {
            clsolve_context_destroy(peer);
            return status;
        }
        lead->peers[lead->peer_count++] = peer;
        lead->devices[i] = peer->device;
    }
    return CLSOLVE_OK;
}

clsolve_status cls_context_make_several(const char *call, const clsolve_context_options *options,
                                        const cls_selector *selectors, int64_t count, cls_error *error,
                                        clsolve_context **made) {
    clsolve_context *lead;
    *made = NULL;
    CLS_TRY(open_one(call, options, selectors[0].text, error, &lead));
    clsolve_status status = count > 1 ? open_peers(call, options, selectors, count, error, lead) : CLSOLVE_OK;
    if (status == CLSOLVE_OK)
        *made = lead;
    else
        clsolve_context_destroy(lead);
    return status;
}

void cls_context_release_peers(clsolve_context *context) {
    cls_pool_destroy(context->drivers);
    for (int64_t i = 0; i < context->peer_count; i++) clsolve_context_destroy(context->peers[i]);
    cls_free(context->peers);
    cls_free(context->devices);
    cls_free(context->shares);
}

/* ---- the devices ---- */

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
                            "%s: the device %s (%s) has no double precision: leave it out, or use CLSOLVE_F32", call,
                            devices[d]->info.selector, devices[d]->info.name);
    return CLSOLVE_OK;
}

cls_pool *cls_context_drivers(clsolve_context *context) {
    if (!context->drivers && context->peer_count > 0) context->drivers = cls_pool_create((int)context->peer_count);
    return context->drivers;
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
    cls_enter(context);
    const double share = context->peer_count > 0 ? context->shares[i] : 1;
    (void)cls_leave(context, CLSOLVE_OK);
    return share;
}
