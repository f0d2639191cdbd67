/* stream.c: block columns of the factors from the host's memory past the device, one on its way while one is in use. */
#include "method/out_of_core/out_of_core.h"

#include "method/events.h"

static int64_t width_at(const cls_out *out, int64_t j) {
    return out->n - j < out->block ? out->n - j : out->block;
}

/* Enqueues the copy of the block column at j; it starts when the slot's last use is over. */
static clsolve_status bring(cls_out *out, cls_uplo half, int64_t j, int64_t slot) {
    cls_device *device = out->device;
    int64_t size = cls_type_size(out->type), width = width_at(out, j);
    int64_t row = half != CLS_UPPER ? j : 0, end = half != CLS_UPPER ? out->n : j + width;
    cls_rect rect = {(size_t)((end - row) * size), (size_t)width, 0, (size_t)(out->window->ld * size),
                     (size_t)(out->n * size)};
    cls_wait wait = {out->used[slot] ? 1 : 0, &out->used[slot]};
    const char *from = (const char *)out->host + (row + j * out->n) * size;

    device->ops->event_release(device, out->up[slot]);
    out->up[slot] = NULL;
    CLS_TRY(device->ops->write(device, CLS_UP, out->stream[slot], from, &rect, &wait, &out->up[slot]));
    return device->ops->flush(device, CLS_UP);
}

static clsolve_status use_block(cls_out *out, int64_t j, int64_t slot, cls_out_use use, void *user) {
    cls_device *device = out->device;
    cls_ref at = {out->stream[slot], 0, out->window->ld};

    CLS_TRY(device->ops->queue_wait(device, CLS_COMPUTE, out->up[slot]));
    CLS_TRY(use(out->owner, j, width_at(out, j), at, user));
    return cls_queue_mark(device, CLS_COMPUTE, &out->used[slot]);
}

/* The use of one block column is enqueued before the next is brought, for that may make the host wait for a slot. */
static clsolve_status stream_blocks(cls_out *out, cls_uplo half, int64_t count, int backward, cls_out_use use,
                                    void *user) {
    for (int64_t k = 0; k < count; ++k) {
        int64_t j = (backward ? count - 1 - k : k) * out->block, next = backward ? j - out->block : j + out->block;
        if (k == 0) CLS_TRY(bring(out, half, j, 0));
        CLS_TRY(use_block(out, j, k % out->streams, use, user));
        if (k + 1 < count) CLS_TRY(bring(out, half, next, (k + 1) % out->streams));
    }
    return CLSOLVE_OK;
}

clsolve_status cls_out_stream(cls_out *out, cls_uplo half, int64_t end, int backward, cls_out_use use, void *user) {
    int64_t count = (end + out->block - 1) / out->block;
    clsolve_status status = stream_blocks(out, half, count, backward, use, user);

    /* After a failure nothing may still read the host's memory when the caller goes on. */
    if (status != CLSOLVE_OK) {
        (void)out->device->ops->finish(out->device, CLS_UP);
        (void)out->device->ops->finish(out->device, CLS_COMPUTE);
    }
    return status;
}
