/* lu_several.c: an LU handle over all devices of its context (method/several/several.h). */
#include "api/lu_state.h"

#include "device/peer.h"

/* The orders from which AUTO takes several devices, by how panels go to the others: below them one alone is as fast
 * (docs/scale.md). */
static const int64_t from_order[] = {[CLS_APART] = 32768, [CLS_BY_HOST] = 16384, [CLS_DIRECT] = 4096};

/* The one that the devices allow; 0: none. */
static int64_t several_from(const clsolve_context *context) {
    int64_t count;
    cls_joint worst = CLS_DIRECT;
    cls_device *const *devices = cls_context_devices(context, &count);
    for (int64_t d = 0; d < count; ++d) {
        if (devices[d]->info.type != CLSOLVE_DEVICE_GPU) return 0;
        const cls_joint joint = d > 0 ? cls_device_joins(devices[d], devices[0]) : worst;
        if (joint < worst) worst = joint;
    }
    return from_order[worst];
}

static int auto_wants_several(const clsolve_context *context, int64_t n) {
    const int64_t from = several_from(context);
    return from > 0 && n >= from;
}

int cls_lu_wants_several(const clsolve_lu *lu, int64_t n) {
    const clsolve_context *context = lu->it.head.context;
    if (context->peer_count == 0 || lu->it.head.choice.device != context->device || n < 1) return 0;
    return cls_several_has(&lu->options) &&
           (lu->options.where == CLSOLVE_WHERE_DEVICE || auto_wants_several(context, n));
}

clsolve_status cls_lu_several_setup(clsolve_lu *lu, int64_t n, clsolve_type type) {
    const cls_task task = {.family = CLS_FAMILY_LU, .type = type, .n = n, .nrhs = 1};
    double shares[CLS_DEVICES_MOST];
    int64_t count;
    cls_device *const *devices = cls_context_devices(lu->it.head.context, &count);

    CLS_TRY(cls_context_check_type(lu->it.head.context, "clsolve_lu_create", type));
    cls_context_shares(lu->it.head.context, &task, shares);
    const cls_several_shape shape = {
        .n = n, .type = type, .count = (int)count, .shares = shares, .options = &lu->options};
    CLS_TRY(cls_several_direct_setup(devices, &shape, &lu->several, &lu->it.direct));
    lu->lu.n = n;
    lu->lu.type = lu->several.type;
    return CLSOLVE_OK;
}

void cls_lu_several_release(clsolve_lu *lu) {
    cls_several_release(&lu->several);
}

clsolve_status cls_lu_several_refuse(clsolve_lu *lu, const char *call) {
    return cls_fail(&lu->it.head.context->error, CLSOLVE_ERROR_UNSUPPORTED,
                    "%s: the handle is one over several devices: create it on a context of one device", call);
}
