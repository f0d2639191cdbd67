/* lu_many.c: an LU handle over all devices of its context (method/many/many.h). */
#include "api/lu.h"

#include "device/peer.h"

/* The order from which AUTO takes several devices: below it one alone is as fast (docs/scale.md). */
enum { MANY_FROM = 4096 };

/* Through the host's memory panels take too long for AUTO: two GPUs through OpenCL were not always faster than one. */
static int all_fetch(const clsolve_context *context) {
    int64_t count;
    cls_device *const *devices = cls_context_devices(context, &count);
    for (int64_t d = 1; d < count; ++d)
        if (!cls_device_joins(devices[d], devices[0])) return 0;
    return 1;
}

int cls_lu_wants_many(const clsolve_lu *lu, int64_t n) {
    const clsolve_context *context = lu->context;
    if (context->peer_count == 0 || lu->choice.device != context->device || n < 1) return 0;
    return cls_many_has(&lu->options) &&
           (lu->options.where == CLSOLVE_WHERE_DEVICE || (n >= MANY_FROM && all_fetch(context)));
}

clsolve_status cls_lu_many_setup(clsolve_lu *lu, int64_t n, clsolve_type type) {
    const cls_task task = {.family = CLS_FAMILY_LU, .type = type, .n = n, .nrhs = 1};
    double shares[CLS_DEVICES_MOST];
    int64_t count;
    cls_device *const *devices = cls_context_devices(lu->context, &count);

    CLS_TRY(cls_context_check_type(lu->context, "clsolve_lu_create", type));
    cls_context_shares(lu->context, &task, shares);
    const cls_many_shape shape = {.n = n, .type = type, .count = (int)count, .shares = shares, .options = &lu->options};
    CLS_TRY(cls_many_direct_setup(devices, &shape, &lu->many, &lu->direct));
    lu->lu.n = n;
    lu->lu.type = lu->many.type;
    return CLSOLVE_OK;
}

void cls_lu_many_release(clsolve_lu *lu) {
    cls_many_release(&lu->many);
}

clsolve_status cls_lu_many_refuse(clsolve_lu *lu, const char *call) {
    return cls_fail(&lu->context->error, CLSOLVE_ERROR_UNSUPPORTED,
                    "%s: the handle is one over several devices: create it on a context of one device", call);
}
