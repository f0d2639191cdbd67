/* memory.c: whether a matrix is factored in core or out of core, and how wide the slabs of the latter are. */
#include "method/lu/out_of_core.h"

typedef struct budget {
    int64_t column; /* bytes of a column of n elements on the device */
    int64_t had;    /* bytes left for the matrix, right-hand sides and streams */
    int64_t state;  /* bytes that the handle has taken before */
} budget;

/* Counts the device's memory that is left, as far as its driver says. */
static budget count_budget(const cls_lu *lu) {
    cls_device *device = lu->device;
    budget b = {.column = cls_matrix_ld(lu->n, cls_type_size(lu->type)) * cls_type_size(lu->type)};

    b.state = lu->base_bytes + device->counters.buffer_bytes; /* base_bytes is still minus what there was before */
    b.had = cls_out_left(device, lu->memory_limit, lu->beside + b.state);
    return b;
}

enum {
    RIGHT_SIDES = 64,   /* columns that an in-core matrix leaves room for; a solve takes their memory when they come */
    LITTLE = 128 * 1024 /* bytes: more than what else the handle takes after the matrix */
};

/* Columns next to the matrix: under a limit the right-hand sides' transposed copy must have room too. */
static int64_t columns_beside(const cls_lu *lu) {
    return cls_lesser(lu->n, RIGHT_SIDES) * (lu->memory_limit > 0 ? 2 : 1);
}

int cls_lu_fits_in_core(const cls_lu *lu) {
    budget b = count_budget(lu);
    int64_t beside = columns_beside(lu);
    if (lu->memory_limit > 0) b.had -= LITTLE;
    return lu->n == 0 || (b.had > 0 && lu->n <= b.had / b.column - beside);
}

/* The bytes that cls_lu_fits_in_core would be content with, all that the handle takes counted. */
static double in_core_bytes(const cls_lu *lu, const budget *b) {
    double columns = (double)lu->n + (double)columns_beside(lu);
    return (double)lu->beside + (double)b->state + (double)b->column * columns + (lu->memory_limit > 0 ? LITTLE : 0);
}

clsolve_status cls_lu_not_in_core(const cls_lu *lu, clsolve_status status, const char *why) {
    const budget b = count_budget(lu);
    const int limited = lu->memory_limit > 0 && lu->memory_limit - lu->beside - b.state <= b.had;
    return cls_fail(
        lu->device->error, status,
        "an LU of order %lld wants %.0f bytes of device memory in core, with all else of the handle, and %s "
        "leaves %lld: %s",
        (long long)lu->n, in_core_bytes(lu, &b), limited ? "memory_limit" : lu->device->info.name,
        (long long)(b.had > 0 ? b.had + b.state + lu->beside : 0), why);
}

clsolve_status cls_lu_out_setup(cls_lu *lu) {
    const budget b = count_budget(lu);
    const cls_out_room room = {.limit = lu->memory_limit,
                               .beside = lu->beside,
                               .taken = b.state,
                               .slab_bytes = lu->slab_bytes,
                               .in_core = in_core_bytes(lu, &b)};

    lu->out = (cls_out){.device = lu->device,
                        .what = "an LU",
                        .owner = lu,
                        .lower = CLS_LOWER_UNIT,
                        .type = lu->type,
                        .n = lu->n,
                        .window = &lu->A,
                        .transfer = &lu->transfer,
                        .check = &lu->check,
                        .move = cls_lu_out_move};
    CLS_TRY(cls_out_setup(&lu->out, &room, lu->block, lu->panel.leaf));
    lu->block = lu->out.block;
    cls_panel_set_block(&lu->panel, lu->block);
    return CLSOLVE_OK;
}
