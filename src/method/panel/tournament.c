/*
 * tournament.c: leaves whose pivots a tournament finds (L. Grigori, J. Demmel, H. Xiang, CALU: a communication
 * optimal LU factorization algorithm, SIAM J. Matrix Anal. Appl. 32 (2011), section 2). A round takes a launch, L one
 * more (cl/lu_tournament.cl). Pivots and moves of rows have the form of any other leaf, so users of the factors see
 * no difference.
 *
 *     rounds of an m x w leaf by groups of c rows:   ceil(m / c) groups, each with w winners; ceil(w groups / c) ...; 1
 */
#include "method/panel/parts.h"

#include <stdio.h>

/*
 * Rows of a group. Where some work-items run in step, a search takes one barrier whatever their number: many rows a
 * group make few rounds. Elsewhere a group is as small as a vendor's step, where barriers cost least.
 */
enum { MANY = 512, FEW = 128, ROWS = 64 };

static int64_t ceil_div(int64_t a, int64_t b) {
    return (a + b - 1) / b;
}

/* A row of complex doubles takes twice the registers. */
static int64_t rows_of_group(const cls_panel *panel) {
    if (panel->device->matrix_unit == 0) return FEW;
    return panel->type == CLSOLVE_C64 ? MANY / 2 : MANY;
}

static clsolve_status build(cls_panel *panel) {
    cls_device *device = panel->device;
    cls_panel_tournament *t = &panel->tournament;
    cls_program *rounds, *rows;
    char options[160];

    (void)snprintf(options, sizeof options, "%s -DCLS_UNIT=%d -DLS=%d -DWIDTH=%d", cls_type_option(panel->type),
                   device->matrix_unit, (int)t->lanes, (int)panel->leaf);
    CLS_TRY(device->ops->program_get(device, "lu_tournament", options, &rounds));
    CLS_TRY(device->ops->kernel_create(device, rounds, "lu_tournament_round", &t->round));
    (void)snprintf(options, sizeof options, "%s -DCLS_UNIT=%d -DLS=%d -DWIDTH=%d", cls_type_option(panel->type),
                   device->matrix_unit, ROWS, (int)panel->leaf);
    CLS_TRY(device->ops->program_get(device, "lu_tournament", options, &rows));
    return device->ops->kernel_create(device, rows, "lu_tournament_rows", &t->rows);
}

clsolve_status cls_panel_tournament_setup(cls_panel *panel) {
    cls_device *device = panel->device;
    cls_panel_tournament *t = &panel->tournament;
    size_t size = (size_t)cls_type_size(panel->type), leaf = (size_t)panel->leaf;

    if (device->info.max_work_group < ROWS || panel->leaf > ROWS / 2)
        return cls_fail(
            device->error, CLSOLVE_ERROR_UNSUPPORTED,
            "tournament pivoting wants work-groups of %d work-items, and %s has %lld: choose partial pivoting", ROWS,
            device->info.name, (long long)device->info.max_work_group);
    t->on = 1;
    t->lanes = cls_work_group(device, rows_of_group(panel));
    CLS_TRY(build(panel));
    /* Used by turns: a round reads what the round before has written. */
    int64_t rows = panel->rows;
    for (int s = 0; s < 2; ++s) {
        rows = ceil_div(rows > 0 ? rows : 1, t->lanes) * panel->leaf;
        CLS_TRY(device->ops->buffer_create(device, (size_t)rows * sizeof(int64_t), &t->winners[s]));
        CLS_TRY(device->ops->buffer_create(device, (size_t)rows * leaf * size, &t->elements[s]));
    }
    return device->ops->buffer_create(device, (leaf + 1) * (leaf + 1) * size, &t->upper);
}

void cls_panel_tournament_release(cls_panel *panel) {
    cls_device *device = panel->device;
    cls_panel_tournament *t = &panel->tournament;

    device->ops->kernel_destroy(device, t->round);
    device->ops->kernel_destroy(device, t->rows);
    device->ops->buffer_destroy(device, t->upper);
    for (int s = 0; s < 2; ++s) {
        device->ops->buffer_destroy(device, t->winners[s]);
        device->ops->buffer_destroy(device, t->elements[s]);
    }
}

/* The rounds, down to one group. *last: the list that its winners are in. */
static clsolve_status play(cls_panel *panel, cls_ref A, int64_t m, int64_t width, int64_t top, int *last) {
    cls_panel_tournament *t = &panel->tournament;
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
                          CLS_BUFFER(panel->sources),
                          CLS_BUFFER(panel->targets),
                          CLS_BUFFER(panel->ipiv),
                          CLS_BUFFER(panel->info)};
        CLS_TRY(cls_launch(panel->device, CLS_COMPUTE, t->round, &grid, CLS_ARGS(args)));
        *last = out;
        if (groups == 1) return CLSOLVE_OK;
        from = (cls_ref){t->elements[out], 0, left};
        rows = left;
    }
}

clsolve_status cls_panel_tournament_leaf(cls_panel *panel, const cls_matrix *matrix, int64_t j, int64_t m,
                                         int64_t width) {
    cls_panel_tournament *t = &panel->tournament;
    cls_ref A = cls_matrix_at(matrix, j, j);
    int64_t groups = 1 + ceil_div(m - width, ROWS);
    int last;

    CLS_TRY(play(panel, A, m, width, j, &last));
    cls_grid grid = {{(size_t)(groups * ROWS), 1, 1}, {ROWS, 1, 1}};
    cls_arg args[] = {CLS_BUFFER(A.buffer),
                      CLS_VALUE(A.offset),
                      CLS_VALUE(A.ld),
                      CLS_VALUE(m),
                      CLS_VALUE(width),
                      CLS_VALUE(j),
                      CLS_BUFFER(t->winners[last]),
                      CLS_BUFFER(t->upper),
                      CLS_BUFFER(panel->targets)};
    return cls_launch(panel->device, CLS_COMPUTE, t->rows, &grid, CLS_ARGS(args));
}
