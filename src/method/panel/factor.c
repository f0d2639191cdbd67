/*
 * factor.c: LU of a tall panel by halving (S. Toledo, Locality of Reference in LU Decomposition with Partial Pivoting,
 * SIAM J. Matrix Anal. Appl. 18 (1997), section 2), down to leaves of the kind that suits.
 */
#include "method/panel/parts.h"

/* ---- memory and kernels ---- */

static clsolve_status take_lists(cls_panel *panel, int64_t cols) {
    const cls_device_ops *ops = panel->device->ops;
    const size_t word = sizeof(int64_t);

    CLS_TRY(ops->buffer_create(panel->device, (size_t)cols * word, &panel->ipiv));
    CLS_TRY(ops->buffer_create(panel->device, (size_t)(2 * cols) * word, &panel->sources));
    CLS_TRY(ops->buffer_create(panel->device, (size_t)(2 * cols) * word, &panel->targets));
    CLS_TRY(ops->buffer_create(panel->device, 2 * word, &panel->info));
    return cls_panel_empty_lists(panel, cols);
}

void cls_panel_choose(cls_panel *panel, const cls_panel_shape *shape) {
    panel->type = shape->type;
    panel->hybrid = shape->hybrid;
    panel->mapped = shape->mapped;
    panel->rows = shape->rows;
    panel->leaf = shape->leaf;
    panel->block = shape->block;
    panel->memory_limit = shape->memory_limit;
    cls_panel_steps_choose(panel, shape->by_steps);
}

clsolve_status cls_panel_create(cls_device *device, const cls_panel_shape *shape, cls_panel *panel) {
    panel->device = device;
    cls_panel_choose(panel, shape);
    if (panel->mapped) return CLSOLVE_OK;
    CLS_TRY(cls_panel_steps_take(panel));
    CLS_TRY(take_lists(panel, shape->cols));
    CLS_TRY(cls_panel_moves_take(panel, shape->cols));
    return shape->unpivoted ? cls_panel_unpivoted_setup(panel) : CLSOLVE_OK;
}

clsolve_status cls_panel_build(cls_panel *panel) {
    CLS_TRY(cls_panel_steps_build(panel));
    return cls_panel_moves_build(panel);
}

void cls_panel_release(cls_panel *panel) {
    cls_device *device = panel->device;
    cls_buffer *buffers[] = {panel->ipiv, panel->sources, panel->targets, panel->info};

    if (!device) return;
    /* Kernels that still run use these buffers. After a failure to wait there is nothing better to do than to go on. */
    (void)device->ops->finish(device, CLS_COMPUTE);
    for (size_t b = 0; b < sizeof buffers / sizeof *buffers; ++b) device->ops->buffer_destroy(device, buffers[b]);
    cls_panel_steps_release(panel);
    cls_panel_moves_release(panel);
    cls_panel_resident_release(panel);
    cls_panel_unpivoted_release(panel);
    cls_panel_host_release(panel);
    *panel = (cls_panel){0};
}

void cls_panel_set_block(cls_panel *panel, int64_t block) {
    panel->block = block;
}

/* ---- a factorization ---- */

/* Without pivots the host factors panels only where the matrix lies in its memory. */
int cls_panel_on_host(const cls_panel *panel) {
    return panel->unpivoted.on ? panel->mapped : panel->hybrid;
}

clsolve_status cls_panel_begin(cls_panel *panel, cls_panel_repeat repeat) {
    cls_device *device = panel->device;

    panel->moves.done = 0;
    panel->resident.allowed = repeat == CLS_PANEL_REPEATABLE;
    if (cls_panel_on_host(panel)) return CLSOLVE_OK;
    return device->ops->fill(device, CLS_COMPUTE, panel->info, 0, 2 * sizeof(int64_t), 0);
}

clsolve_status cls_panel_end(cls_panel *panel, int64_t *info, int *again) {
    cls_device *device = panel->device;
    int64_t words[2] = {0, 0};
    cls_rect rect = {sizeof words, 1, 0, sizeof words, sizeof words};

    if (cls_panel_on_host(panel)) return device->ops->finish(device, CLS_COMPUTE);
    CLS_TRY(device->ops->read(device, CLS_COMPUTE, panel->info, words, &rect, NULL, NULL));
    CLS_TRY(device->ops->finish(device, CLS_COMPUTE));
    *info = words[0];
    if (words[1] == 0) return CLSOLVE_OK;
    cls_panel_resident_failed(panel);
    *again = 1;
    return CLSOLVE_OK;
}

/* Whether a leaf of so many rows goes by resident.c. */
static int is_resident(const cls_panel *panel, int64_t rows) {
    return !panel->unpivoted.on && panel->resident.allowed && rows <= panel->resident.rows &&
           rows > panel->steps.whole_rows;
}

static clsolve_status factor_leaf(cls_panel *panel, const cls_matrix *A, int64_t j, int64_t rows, int64_t cols) {
    if (panel->unpivoted.on) return cls_panel_unpivoted_leaf(panel, A, j, rows, cols);
    if (is_resident(panel, rows)) return cls_panel_resident_leaf(panel, A, j, rows, cols, 0);
    return cls_panel_steps_leaf(panel, A, j, rows, cols);
}

/* A leaf behind the leaf of `left` columns at j, which has still to be applied to it. */
static clsolve_status factor_second(cls_panel *panel, const cls_matrix *A, int64_t j, int64_t rows, int64_t left,
                                    int64_t cols) {
    const int64_t k = j + left, right = cols - left;
    const cls_block_column first = {cls_matrix_at(A, j, j), j, left, j + rows};

    if (cols <= 2 * panel->leaf && is_resident(panel, rows - left) && cls_panel_resident_updates(panel))
        return cls_panel_resident_leaf(panel, A, k, rows - left, right, left);
    CLS_TRY(cls_panel_step(panel, CLS_COMPUTE, &first, A, k, j + cols));
    return cls_panel_factor(panel, A, k, rows - left, right);
}

clsolve_status cls_panel_factor(cls_panel *panel, const cls_matrix *A, int64_t j, int64_t rows, int64_t cols) {
    if (cols <= panel->leaf) return factor_leaf(panel, A, j, rows, cols);

    /* [A1 A2]: factor A1, bring A2 up to it, factor what is left of A2, and let A1's rows follow. */
    int64_t leaves = (cols + panel->leaf - 1) / panel->leaf;
    int64_t left = leaves / 2 * panel->leaf, k = j + left, end = j + cols;
    CLS_TRY(cls_panel_factor(panel, A, j, rows, left));
    CLS_TRY(factor_second(panel, A, j, rows, left, cols));
    return cls_panel_move_rows(panel, CLS_COMPUTE, A, j, k, k, 0, k, end, 0);
}

void cls_panel_set_range(cls_panel *panel, int whole_range) {
    panel->whole_range = whole_range;
}
