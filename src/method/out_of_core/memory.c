/* memory.c: how wide the slabs of a matrix are that is factored out of core, and their memory. */
#include "base/memory.h"
#include "method/out_of_core/out_of_core.h"

int64_t cls_out_left(cls_device *device, int64_t limit, int64_t taken) {
    const int64_t had = device->ops->memory_left(device);
    return limit > 0 && limit - taken < had ? limit - taken : had;
}

/* Bytes of a column of n elements on the device. */
static int64_t column_bytes(const cls_out *out) {
    return cls_matrix_ld(out->n, cls_type_size(out->type)) * cls_type_size(out->type);
}

/* A block column as n x block, or as block x n on its way to or from a row-major matrix. */
static int64_t stream_bytes(const cls_out *out, int64_t block) {
    const int64_t size = cls_type_size(out->type);
    const int64_t upright = column_bytes(out) * block, lying = cls_matrix_ld(block, size) * size * out->n;
    return upright > lying ? upright : lying;
}

/* The widest slab that leaves room for `streams` block columns; 0: not one block. */
static int64_t slab_beside(const cls_out *out, int64_t had, int64_t block, int64_t streams) {
    const int64_t stream = stream_bytes(out, block), largest = out->device->info.max_allocation;
    /* A block column is one buffer, whatever slab_bytes says of the window's. */
    if (largest > 0 && stream > largest) return 0;
    const int64_t left = (had - streams * stream) / column_bytes(out);
    return left < block ? 0 : left - left % block;
}

/* For `had` bytes. 0: not two panels of `leaf` columns fit. A wide slab saves transfers and a wide block makes faster
 * products. The block gives way while the slab is not two blocks at least, down to the leaf; then the second stream
 * does, and with it the overlap. */
static int choose(cls_out *out, int64_t had, int64_t block, int64_t leaf) {
    out->streams = 2;
    while (block > leaf && slab_beside(out, had, block, 2) < 2 * block) {
        block = block / 2 - block / 2 % leaf;
        if (block < leaf) block = leaf;
    }
    out->block = block;
    out->slab = slab_beside(out, had, block, 2);
    if (out->slab > 0) return 1;
    out->streams = 1;
    out->slab = slab_beside(out, had, block, 1);
    return out->slab > 0;
}

static clsolve_status too_small(const cls_out *out, const cls_out_room *room, int64_t had, int64_t leaf) {
    const int64_t least = room->taken + column_bytes(out) * leaf + stream_bytes(out, leaf);
    return cls_fail(out->device->error, CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY,
                    "%s of order %lld wants %lld bytes of device memory out of core at least (two panels of %lld "
                    "columns) and %.0f in core; %s leaves %lld, with what the handle has taken",
                    out->what, (long long)out->n, (long long)least, (long long)leaf, room->in_core,
                    room->limit > 0 ? "memory_limit" : out->device->info.name,
                    (long long)(had > 0 ? had + room->taken : 0));
}

static clsolve_status take_host(cls_out *out, int64_t limit) {
    const int64_t size = cls_type_size(out->type), there = cls_host_memory();
    const double wanted = (double)out->n * (double)out->n * (double)size;

    if (there == 0 || wanted <= (double)there) out->host = cls_alloc((size_t)out->n * (size_t)out->n, (size_t)size);
    if (out->host) return CLSOLVE_OK;
    /* Who set no limit asked for the device's memory: that it is short comes first. */
    return cls_fail(out->device->error, limit > 0 ? CLSOLVE_ERROR_OUT_OF_MEMORY : CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY,
                    "%s of order %lld wants %.0f bytes: %s has %lld for this handle, and the host, with %lld in all, "
                    "has no room for "
                    "the factors either",
                    out->what, (long long)out->n, wanted, out->device->info.name,
                    (long long)(limit > 0 ? limit : out->device->info.global_memory), (long long)there);
}

static clsolve_status take(cls_out *out, int64_t slab_bytes, int64_t limit) {
    cls_device *device = out->device;
    const int64_t cols = out->slab < out->n ? out->slab : out->n;

    CLS_TRY(cls_matrix_create(device, out->type, out->n, cols, out->block, slab_bytes, out->window));
    for (int64_t s = 0; s < out->streams; ++s)
        CLS_TRY(device->ops->buffer_create(device, (size_t)stream_bytes(out, out->block), &out->stream[s]));
    return take_host(out, limit);
}

clsolve_status cls_out_setup(cls_out *out, const cls_out_room *room, int64_t block, int64_t leaf) {
    int64_t had = cls_out_left(out->device, room->limit, room->beside + room->taken);

    /* Without a limit of the caller's, something is left for the driver and for what a BLAS provider takes itself. */
    if (room->limit == 0) had -= had / 8;
    if (!choose(out, had, block, leaf)) return too_small(out, room, had, leaf);
    return take(out, room->slab_bytes, room->limit);
}
