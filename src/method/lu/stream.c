/* stream.c: block columns of the factors from the host's memory past the device, one on its way while one is in use. */
#include "method/lu/out_of_core.h"

static int64_t width_at(const cls_lu *lu, int64_t j) {
    return lu->n - j < lu->block ? lu->n - j : lu->block;
}

/* Enqueues the copy of the block column at j; it starts when the slot's last use is over. */
static clsolve_status bring(cls_lu *lu, cls_uplo half, int64_t j, int64_t slot) {
    cls_device *device = lu->device;
    cls_lu_out *out = &lu->out;
    int64_t size = cls_type_size(lu->type), width = width_at(lu, j);
    int64_t row = half == CLS_LOWER_UNIT ? j : 0, end = half == CLS_LOWER_UNIT ? lu->n : j + width;
    cls_rect rect = {(size_t)((end - row) * size), (size_t)width, 0, (size_t)(lu->A.ld * size), (size_t)(lu->n * size)};
    cls_wait wait = {out->used[slot] ? 1 : 0, &out->used[slot]};
    const char *from = (const char *)out->host + (row + j * lu->n) * size;

    device->ops->event_release(device, out->up[slot]);
    out->up[slot] = NULL;
    CLS_TRY(device->ops->write(device, CLS_UP, out->stream[slot], from, &rect, &wait, &out->up[slot]));
    return device->ops->flush(device, CLS_UP);
}

static clsolve_status use_block(cls_lu *lu, int64_t j, int64_t slot, cls_lu_block_use use, void *user) {
    cls_device *device = lu->device;
    cls_lu_out *out = &lu->out;
    cls_ref at = {out->stream[slot], 0, lu->A.ld};

    CLS_TRY(device->ops->queue_wait(device, CLS_COMPUTE, out->up[slot]));
    CLS_TRY(use(lu, j, width_at(lu, j), at, user));
    device->ops->event_release(device, out->used[slot]);
    out->used[slot] = NULL;
    CLS_TRY(device->ops->mark(device, CLS_COMPUTE, &out->used[slot]));
    return device->ops->flush(device, CLS_COMPUTE);
}

/* The use of one block column is enqueued before the next is brought, for that may make the host wait for a slot. */
static clsolve_status stream_blocks(cls_lu *lu, cls_uplo half, int64_t count, int backward, cls_lu_block_use use,
                                    void *user) {
    for (int64_t k = 0; k < count; ++k) {
        int64_t j = (backward ? count - 1 - k : k) * lu->block, next = backward ? j - lu->block : j + lu->block;
        if (k == 0) CLS_TRY(bring(lu, half, j, 0));
        CLS_TRY(use_block(lu, j, k % lu->out.streams, use, user));
        if (k + 1 < count) CLS_TRY(bring(lu, half, next, (k + 1) % lu->out.streams));
    }
    return CLSOLVE_OK;
}

clsolve_status cls_lu_stream(cls_lu *lu, cls_uplo half, int64_t end, int backward, cls_lu_block_use use, void *user) {
    int64_t count = (end + lu->block - 1) / lu->block;
    clsolve_status status = stream_blocks(lu, half, count, backward, use, user);

    /* After a failure nothing may still read the host's memory when the caller goes on. */
    if (status != CLSOLVE_OK) {
        (void)lu->device->ops->finish(lu->device, CLS_UP);
        (void)lu->device->ops->finish(lu->device, CLS_COMPUTE);
    }
    return status;
}
