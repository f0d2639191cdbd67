/*
 * slabs.c: slabs of factors. A slab that stays on the device has a buffer of its own. The others take turns in
 * two, and have a place in the host's memory, which is pageable, because it may be most of what the host has. The
 * device layer carries it in pieces, by threads.
 *
 * The host enqueues the work on one slab, and carries another one while the device computes.
 */
#include "base/memory.h"
#include "base/type.h"
#include "method/fronts_device/device.h"

static size_t bytes_of(const cls_sparse_device *sparse, int64_t slab) {
    return (size_t)(sparse->slab[slab].elements * cls_type_size(sparse->type));
}

/* ---- memory ---- */

static clsolve_status take_host(cls_sparse_device *sparse) {
    for (int64_t i = 0; i < sparse->streamed; i++) {
        sparse->slab[i].host = cls_alloc(bytes_of(sparse, i) + 1, 1);
        if (!sparse->slab[i].host)
            return cls_no_memory(sparse->device->error, "%.0f bytes of sparse factors that the device has no room for",
                                 sparse->streamed_bytes);
    }
    return CLSOLVE_OK;
}

clsolve_status cls_front_take_slabs(cls_sparse_device *sparse) {
    cls_device *device = sparse->device;
    size_t slot = 0;
    sparse->arena = cls_alloc((size_t)(sparse->slots + sparse->slabs - sparse->streamed) + 1, sizeof *sparse->arena);
    if (!sparse->arena) return cls_no_memory(device->error, "a list of buffers");
    for (int64_t i = 0; i <= sparse->slots + sparse->slabs - sparse->streamed; i++) sparse->arena[i] = NULL;
    for (int64_t i = 0; i < sparse->streamed; i++) slot = bytes_of(sparse, i) > slot ? bytes_of(sparse, i) : slot;
    for (int64_t i = 0; i < sparse->slots; i++) CLS_TRY(device->ops->buffer_create(device, slot, &sparse->arena[i]));
    for (int64_t i = sparse->streamed; i < sparse->slabs; i++)
        CLS_TRY(device->ops->buffer_create(device, bytes_of(sparse, i), cls_front_arena(sparse, i)));
    cls_front_forget_slabs(sparse);
    return take_host(sparse);
}

void cls_front_free_slabs(cls_sparse_device *sparse) {
    cls_device *device = sparse->device;
    if (sparse->streamed > 0) { /* nothing may still read the host's memory, or write it */
        (void)device->ops->finish(device, CLS_UP);
        (void)device->ops->finish(device, CLS_DOWN);
    }
    cls_front_forget_slabs(sparse);
    for (int64_t i = 0; sparse->arena && i < sparse->slots + sparse->slabs - sparse->streamed; i++)
        device->ops->buffer_destroy(device, sparse->arena[i]);
    for (int64_t i = 0; i < sparse->streamed; i++) {
        cls_free(sparse->slab[i].host);
        sparse->slab[i].host = NULL;
    }
    cls_free(sparse->arena);
    sparse->arena = NULL;
}

void cls_front_forget_slabs(cls_sparse_device *sparse) {
    for (int slot = 0; slot < CLS_FRONT_SLOTS; slot++) {
        sparse->device->ops->event_release(sparse->device, sparse->used[slot]);
        sparse->used[slot] = NULL;
        sparse->held[slot] = -1;
        sparse->unsaved[slot] = 0;
    }
}

/* ---- slabs that take turns ---- */

/* COMPUTE waits for what has crossed. */
static clsolve_status wait_for(cls_device *device, cls_queue queue, cls_event *crossed) {
    clsolve_status status = device->ops->flush(device, queue);
    if (status == CLSOLVE_OK) status = device->ops->queue_wait(device, CLS_COMPUTE, crossed);
    device->ops->event_release(device, crossed);
    return status;
}

/* The slab of a slot goes down, unless it is in the host's memory. */
static clsolve_status save(cls_sparse_device *sparse, int64_t slot) {
    cls_device *device = sparse->device;
    const cls_wait wait = {sparse->used[slot] ? 1 : 0, &sparse->used[slot]};
    cls_event *crossed = NULL;
    if (!sparse->unsaved[slot]) return CLSOLVE_OK;
    const size_t bytes = bytes_of(sparse, sparse->held[slot]);
    const cls_rect rect = {bytes, 1, 0, bytes, bytes};
    CLS_TRY(device->ops->read(device, CLS_DOWN, sparse->arena[slot], sparse->slab[sparse->held[slot]].host, &rect,
                              &wait, &crossed));
    sparse->unsaved[slot] = 0;
    return wait_for(device, CLS_DOWN, crossed);
}

clsolve_status cls_front_clear_slab(cls_sparse_device *sparse, int64_t slab) {
    cls_device *device = sparse->device;
    if (slab < sparse->streamed) {
        const int64_t slot = slab % sparse->slots;
        CLS_TRY(save(sparse, slot));
        sparse->held[slot] = slab;
    }
    return device->ops->fill(device, CLS_COMPUTE, *cls_front_arena(sparse, slab), 0, bytes_of(sparse, slab), 0);
}

clsolve_status cls_front_leave_slab(cls_sparse_device *sparse, int64_t slab, int made) {
    cls_device *device = sparse->device;
    if (slab >= sparse->streamed) return CLSOLVE_OK;
    const int64_t slot = slab % sparse->slots;
    device->ops->event_release(device, sparse->used[slot]);
    sparse->used[slot] = NULL;
    sparse->unsaved[slot] = made;
    CLS_TRY(device->ops->mark(device, CLS_COMPUTE, &sparse->used[slot]));
    return device->ops->flush(device, CLS_COMPUTE);
}

clsolve_status cls_front_save_slabs(cls_sparse_device *sparse) {
    if (sparse->streamed == 0) return CLSOLVE_OK;
    for (int64_t slot = 0; slot < sparse->slots; slot++) CLS_TRY(save(sparse, slot));
    return sparse->device->ops->finish(sparse->device, CLS_DOWN);
}

clsolve_status cls_front_bring_slab(cls_sparse_device *sparse, int64_t slab) {
    cls_device *device = sparse->device;
    if (slab >= sparse->streamed) return CLSOLVE_OK;
    const int64_t slot = slab % sparse->slots;
    const cls_wait wait = {sparse->used[slot] ? 1 : 0, &sparse->used[slot]};
    const size_t bytes = bytes_of(sparse, slab);
    const cls_rect rect = {bytes, 1, 0, bytes, bytes};
    cls_event *crossed = NULL;
    if (sparse->held[slot] == slab) return CLSOLVE_OK;
    sparse->held[slot] = -1;
    CLS_TRY(device->ops->write(device, CLS_UP, sparse->arena[slot], sparse->slab[slab].host, &rect, &wait, &crossed));
    CLS_TRY(wait_for(device, CLS_UP, crossed));
    sparse->held[slot] = slab;
    return CLSOLVE_OK;
}
