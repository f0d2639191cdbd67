#include "method/lu/tournament.h"

#include <stdio.h>

/*
 * Rows of a group. Where some work-items run in step a search takes one barrier whatever their number, so many rows a group
 * make few rounds; elsewhere a group is as small as a vendor's step, where barriers cost least.
 */
enum { MANY = 512, FEW = 128, ROWS = 64 };

static int64_t ceil_div(int64_t a, int64_t b) {
    return (a + b - 1) / b;
}

static clsolve_status build(cls_lu *lu) {
    cls_device *device = lu->device;
    cls_lu_tournament *t = &lu->tournament;
    cls_program *rounds, *rows;
    char options[160];

    (void)snprintf(options, sizeof options, "%s -DCLS_UNIT=%d -DLS=%d -DWIDTH=%d", cls_type_option(lu->type),
                   device->matrix_unit, (int)t->lanes, (int)lu->leaf);
    CLS_TRY(device->ops->program_get(device, "lu_tournament", options, &rounds));
    CLS_TRY(device->ops->kernel_create(device, rounds, "lu_tournament_round", &t->round));
    (void)snprintf(options, sizeof options, "%s -DCLS_UNIT=%d -DLS=%d -DWIDTH=%d", cls_type_option(lu->type),
                   device->matrix_unit, ROWS, (int)lu->leaf);
    CLS_TRY(device->ops->program_get(device, "lu_tournament", options, &rows));
    return device->ops->kernel_create(device, rows, "lu_tournament_rows", &t->rows);
}

clsolve_status cls_lu_tournament_setup(cls_lu *lu) {
    cls_device *device = lu->device;
    cls_lu_tournament *t = &lu->tournament;
    size_t size = (size_t)cls_type_size(lu->type), leaf = (size_t)lu->leaf;

    if (device->info.max_work_group < ROWS || lu->leaf > ROWS / 2)
        return cls_fail(
            device->error, CLSOLVE_ERROR_UNSUPPORTED,
            "tournament pivoting wants work-groups of %d work-items, and %s has %lld: choose partial pivoting", ROWS,
            device->info.name, (long long)device->info.max_work_group);
    t->on = 1;
    t->lanes = cls_work_group(device, device->matrix_unit > 0 ? MANY : FEW);
    CLS_TRY(build(lu));
    /* By turns: what a round leaves is what the next one takes. */
    int64_t rows = lu->n;
    for (int s = 0; s < 2; ++s) {
        rows = ceil_div(rows > 0 ? rows : 1, t->lanes) * lu->leaf;
        CLS_TRY(device->ops->buffer_create(device, (size_t)rows * sizeof(int64_t), &t->winners[s]));
        CLS_TRY(device->ops->buffer_create(device, (size_t)rows * leaf * size, &t->elements[s]));
    }
    return device->ops->buffer_create(device, (leaf + 1) * (leaf + 1) * size, &t->upper);
}

void cls_lu_tournament_release(cls_lu *lu) {
    cls_device *device = lu->device;
    cls_lu_tournament *t = &lu->tournament;

    device->ops->kernel_destroy(device, t->round);
    device->ops->kernel_destroy(device, t->rows);
    device->ops->buffer_destroy(device, t->upper);
    for (int s = 0; s < 2; ++s) {
        device->ops->buffer_destroy(device, t->winners[s]);
        device->ops->buffer_destroy(device, t->elements[s]);
    }
}

/* The rounds, down to one group; *last says which list its winners are in. */
static clsolve_status play(cls_lu *lu, cls_ref A, int64_t m, int64_t width, int64_t top, int *last) {
    const cls_device_ops *ops = lu->device->ops;
    cls_lu_tournament *t = &lu->tournament;
    size_t lanes = (size_t)t->lanes;
    cls_ref from = A;
    int64_t rows = m;

    for (int round = 0;; ++round) {
        int in = (round + 1) % 2, out = round % 2;
        int64_t groups = ceil_div(rows, t->lanes), left = groups * width;
        int32_t first = round == 0;
        cls_grid grid = {{(size_t)groups * lanes, 1, 1}, {lanes, 1, 1}};
        cls_arg args[] = {CLS_BUFFER(from.buffer),
                          CLS_VALUE(from.offset),
                          CLS_VALUE(from.ld),
                          CLS_VALUE(rows),
                          CLS_VALUE(width),
                          CLS_VALUE(first),
                          CLS_BUFFER(t->winners[in]),
                          CLS_BUFFER(t->winners[out]),
                          CLS_BUFFER(t->elements[out]),
                          CLS_VALUE(left),
                          CLS_BUFFER(t->upper),
                          CLS_VALUE(top),
                          CLS_BUFFER(lu->sources),
                          CLS_BUFFER(lu->targets),
                          CLS_BUFFER(lu->ipiv),
                          CLS_BUFFER(lu->info)};
        CLS_TRY(ops->launch(lu->device, CLS_COMPUTE, t->round, &grid, args, 16, NULL, NULL));
        *last = out;
        if (groups == 1) return CLSOLVE_OK;
        from = (cls_ref){t->elements[out], 0, left};
        rows = left;
    }
}

clsolve_status cls_lu_tournament_leaf(cls_lu *lu, int64_t j, int64_t width) {
    cls_lu_tournament *t = &lu->tournament;
    cls_ref A = cls_matrix_at(&lu->A, j, j);
    int64_t m = lu->n - j, groups = 1 + ceil_div(m - width, ROWS);
    int last;

    CLS_TRY(play(lu, A, m, width, j, &last));
    cls_grid grid = {{(size_t)(groups * ROWS), 1, 1}, {ROWS, 1, 1}};
    cls_arg args[] = {CLS_BUFFER(A.buffer),
                      CLS_VALUE(A.offset),
                      CLS_VALUE(A.ld),
                      CLS_VALUE(m),
                      CLS_VALUE(width),
                      CLS_VALUE(j),
                      CLS_BUFFER(t->winners[last]),
                      CLS_BUFFER(t->upper),
                      CLS_BUFFER(lu->targets)};
    return lu->device->ops->launch(lu->device, CLS_COMPUTE, t->rows, &grid, args, 9, NULL, NULL);
}
