/* memory.c: whether a matrix is factored in core or out of core, and how wide the slabs of the latter are. */
#include "method/lu/out_of_core.h"

#include "base/memory.h"

typedef struct budget {
    int64_t column; /* bytes of a column of n elements on the device */
    int64_t had;    /* bytes left for the matrix, right-hand sides and streams */
    int64_t state;  /* bytes that the handle has taken before */
} budget;

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* What is left of the device's memory, as far as its driver says. */
static budget count_budget(const cls_lu *lu) {
    cls_device *device = lu->device;
    budget b = {.column = cls_matrix_ld(lu->n, cls_type_size(lu->type)) * cls_type_size(lu->type)};

    b.state = lu->base_bytes + device->counters.buffer_bytes; /* base_bytes is still minus what there was before */
    b.had = device->ops->memory_left(device);
    if (lu->memory_limit > 0) b.had = least(b.had, lu->memory_limit - lu->beside - b.state);
    return b;
}

enum {
    RIGHT_SIDES = 64,   /* columns that an in-core matrix leaves room for; a solve takes their memory when they come */
    LITTLE = 128 * 1024 /* bytes: more than what else the handle takes after the matrix */
};

/* Columns beside the matrix: under a limit the right-hand sides' transposed copy must have room too. */
static int64_t columns_beside(const cls_lu *lu) {
    return least(lu->n, RIGHT_SIDES) * (lu->memory_limit > 0 ? 2 : 1);
}

int cls_lu_fits_in_core(const cls_lu *lu) {
    budget b = count_budget(lu);
    int64_t beside = columns_beside(lu);
    if (lu->memory_limit > 0) b.had -= LITTLE;
    return lu->n == 0 || (b.had > 0 && lu->n <= b.had / b.column - beside);
}

/* A block column as n x block, or as block x n on its way to or from a row-major matrix. */
static int64_t stream_bytes(const cls_lu *lu, const budget *b, int64_t block) {
    int64_t size = cls_type_size(lu->type);
    int64_t upright = b->column * block, lying = cls_matrix_ld(block, size) * size * lu->n;
    return upright > lying ? upright : lying;
}

/* The widest slab beside `streams` block columns; 0: not one block. */
static int64_t slab_beside(const cls_lu *lu, const budget *b, int64_t block, int64_t streams) {
    int64_t stream = stream_bytes(lu, b, block), largest = lu->device->info.max_allocation;
    /* A block column is one buffer, whatever slab_bytes says of the window's. */
    if (largest > 0 && stream > largest) return 0;
    int64_t left = (b->had - streams * stream) / b->column;
    return left < block ? 0 : left - left % block;
}

/*
 * A wide slab saves transfers and a wide block makes faster products. The block gives way while the slab is not two
 * blocks at least, down to the leaf; then the second stream does, and with it the overlap.
 */
static int choose_slab(cls_lu *lu, const budget *b) {
    int64_t block = lu->block;

    lu->out.streams = 2;
    while (block > lu->panel.leaf && slab_beside(lu, b, block, 2) < 2 * block) {
        block = block / 2 - block / 2 % lu->panel.leaf;
        if (block < lu->panel.leaf) block = lu->panel.leaf;
    }
    lu->out.slab = slab_beside(lu, b, block, 2);
    if (lu->out.slab == 0) {
        lu->out.streams = 1;
        lu->out.slab = slab_beside(lu, b, block, 1);
    }
    if (lu->out.slab == 0) return 0;
    lu->block = block;
    cls_panel_set_block(&lu->panel, block);
    return 1;
}

/* What would be enough for cls_lu_fits_in_core, all that the handle takes counted. */
static double in_core_bytes(const cls_lu *lu, const budget *b) {
    double columns = (double)lu->n + (double)columns_beside(lu);
    return (double)lu->beside + (double)b->state + (double)b->column * columns + (lu->memory_limit > 0 ? LITTLE : 0);
}

clsolve_status cls_lu_rbt_not_in_core(const cls_lu *lu) {
    budget b = count_budget(lu);
    return cls_fail(lu->device->error, CLSOLVE_ERROR_UNSUPPORTED,
                    "a matrix of order %lld wants %.0f bytes of device memory to be factored in core, %s leaves %lld, "
                    "and out of core nothing is factored without pivots: choose partial pivoting",
                    (long long)lu->n, in_core_bytes(lu, &b),
                    lu->memory_limit > 0 ? "memory_limit" : lu->device->info.name,
                    (long long)(b.had > 0 ? b.had + b.state : 0));
}

clsolve_status cls_lu_not_in_core(const cls_lu *lu) {
    budget b = count_budget(lu);
    int limited = lu->memory_limit > 0 && lu->memory_limit - lu->beside - b.state <= b.had;
    return cls_fail(
        lu->device->error, CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY,
        "single-precision factors do not do for this matrix, and double ones of order %lld beside them want "
        "%.0f bytes of device memory with all else of the handle, and %s has %lld",
        (long long)lu->n, in_core_bytes(lu, &b), limited ? "memory_limit" : lu->device->info.name,
        (long long)(limited ? lu->memory_limit : b.had + b.state + lu->beside));
}

static clsolve_status too_small(const cls_lu *lu, const budget *b) {
    int64_t panels = b->column * lu->panel.leaf + stream_bytes(lu, b, lu->panel.leaf);
    const char *whose = lu->memory_limit > 0 ? "the memory limit" : lu->device->info.name;
    int64_t had = lu->memory_limit > 0 ? lu->memory_limit : lu->device->info.global_memory;
    return cls_fail(lu->device->error, CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY,
                    "an LU of order %lld wants %lld bytes of device memory out of core at least (two panels of %lld "
                    "columns) and %.0f in core; %s is %lld, of which %lld are left",
                    (long long)lu->n, (long long)(b->state + panels), (long long)lu->panel.leaf, in_core_bytes(lu, b),
                    whose, (long long)had, (long long)(b->had > 0 ? b->had + b->state : 0));
}

static clsolve_status take_host(cls_lu *lu) {
    int64_t size = cls_type_size(lu->type), there = cls_host_memory();
    double wanted = (double)lu->n * (double)lu->n * (double)size;

    if (there == 0 || wanted <= (double)there) lu->out.host = cls_alloc((size_t)lu->n * (size_t)lu->n, (size_t)size);
    if (lu->out.host) return CLSOLVE_OK;
    /* Who set no limit asked for the device's memory: that it is short comes first. */
    return cls_fail(
        lu->device->error, lu->memory_limit > 0 ? CLSOLVE_ERROR_OUT_OF_MEMORY : CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY,
        "an LU of order %lld wants %.0f bytes: %s has %lld for this handle, and the host, with %lld in all, "
        "has no room for the factors either",
        (long long)lu->n, wanted, lu->device->info.name,
        (long long)(lu->memory_limit > 0 ? lu->memory_limit : lu->device->info.global_memory), (long long)there);
}

clsolve_status cls_lu_out_setup(cls_lu *lu) {
    budget b = count_budget(lu);
    cls_device *device = lu->device;

    /* Without a limit of the caller's, something is left for the driver and for what a BLAS provider takes itself. */
    if (lu->memory_limit == 0) b.had -= b.had / 8;
    if (!choose_slab(lu, &b)) return too_small(lu, &b);
    CLS_TRY(cls_matrix_create(device, lu->type, lu->n, least(lu->out.slab, lu->n), lu->block, lu->slab_bytes, &lu->A));
    for (int64_t s = 0; s < lu->out.streams; ++s)
        CLS_TRY(device->ops->buffer_create(device, (size_t)stream_bytes(lu, &b, lu->block), &lu->out.stream[s]));
    return take_host(lu);
}
