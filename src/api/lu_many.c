/* lu_many.c: an LU handle over all devices of its context (method/many/many.h). */
#include "api/lu.h"

#include "base/memory.h"

/* The order from which AUTO takes several devices: below it one alone is done before the others have had their part. */
enum { MANY_FROM = 8192 };

int cls_lu_wants_many(const clsolve_lu *lu, int64_t n) {
    const clsolve_context *context = lu->context;
    if (context->peer_count < 2 || lu->choice.device != context->device || n < 1) return 0;
    return cls_many_has(&lu->options) && (lu->options.where == CLSOLVE_WHERE_DEVICE || n >= MANY_FROM);
}

clsolve_status cls_lu_many_setup(clsolve_lu *lu, int64_t n, clsolve_type type) {
    const clsolve_context *context = lu->context;
    const int count = context->peer_count;
    cls_device **devices = cls_alloc((size_t)count, sizeof(cls_device *));
    const cls_many_shape shape = {.n = n, .type = type, .count = count, .options = &lu->options};

    if (!devices)
        return cls_fail(lu->choice.device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a list of devices");
    devices[0] = context->device;
    for (int d = 1; d < count; ++d) devices[d] = context->peers[d]->device;
    const clsolve_status status = cls_many_direct_setup(devices, &shape, &lu->many, &lu->direct);
    cls_free(devices);
    lu->lu.n = n;
    lu->lu.type = lu->many.type;
    return status;
}

void cls_lu_many_release(clsolve_lu *lu) {
    cls_many_release(&lu->many);
}

clsolve_status cls_lu_many_refuse(clsolve_lu *lu, const char *call) {
    return cls_fail(&lu->context->error, CLSOLVE_ERROR_UNSUPPORTED,
                    "%s: the handle is one over several devices: create it on a context of one device", call);
}
