/* setup.c: what kind of matrix it is, the factors of the lines, the coarse operators. */
#include "method/block_gs/block_gs.h"

/* Groups along a line of kernels that take one line a group row. */
static cls_grid grid_of_lines(const cls_bt_grid *g, int64_t lines, int64_t across) {
    size_t local = (size_t)cls_bt_setup_group(&g->shape);
    cls_grid grid = {{(size_t)lines * local, (size_t)across, 1}, {local, 1, 1}};
    return grid;
}

clsolve_status cls_bt_inspect(cls_bt_grid *g, int *bits, double *largest) {
    int64_t words[CLS_BT_INSPECTORS];
    cls_bt_real sizes[CLS_BT_INSPECTORS];
    int64_t size = g->level[0].size, panels = g->level[0].panels;
    int64_t groups = 2 * panels * ((g->M + CLS_BT_ROWS_EACH - 1) / CLS_BT_ROWS_EACH);
    if (groups > CLS_BT_INSPECTORS) groups = CLS_BT_INSPECTORS;
    cls_device *device = g->device;
    size_t word = cls_bt_real_size(g->type);
    cls_bt_real eps = cls_bt_real_of(g->type, cls_is_double(g->type) ? 0x1p-53 : 0x1p-24);
    cls_rect rect = {(size_t)groups * sizeof *words, 1, 0, sizeof words, sizeof words};
    cls_rect row = {word, (size_t)groups, 0, word, sizeof *sizes};

    cls_grid grid = grid_of_lines(g, groups, 1);
    cls_arg args[] = {CLS_BUFFER(g->coef), CLS_VALUE(size),        CLS_VALUE(g->N),     CLS_VALUE(panels),
                      CLS_VALUE(g->M),     CLS_REAL(g->type, eps), CLS_BUFFER(g->bits), CLS_BUFFER(g->sizes)};
    CLS_TRY(cls_launch(device, CLS_COMPUTE, g->inspect, &grid, CLS_ARGS(args)));
    CLS_TRY(device->ops->read(device, CLS_COMPUTE, g->bits, words, &rect, NULL, NULL));
    CLS_TRY(device->ops->read(device, CLS_COMPUTE, g->sizes, sizes, &row, NULL, NULL));
    CLS_TRY(device->ops->finish(device, CLS_COMPUTE));
    *bits = 0;
    *largest = 0;
    for (int64_t w = 0; w < groups; ++w) {
        double size_here = cls_is_double(g->type) ? sizes[w].d : (double)sizes[w].f;
        *bits |= (int)words[w];
        *largest = *largest < 0 || size_here < 0 ? -1 : size_here > *largest ? size_here : *largest;
    }
    return CLSOLVE_OK;
}

/* Reads the states that a factor kernel left behind, and finds what they say of real lines. */
static clsolve_status read_states(cls_bt_grid *g, const cls_bt_level *level, int64_t *unsafe, int64_t *line,
                                  int32_t *infos) {
    enum { PIECE = 16384 };
    int32_t piece[PIECE];
    int64_t width = g->shape.width, count = 2 * level->panels * width;
    cls_device *device = g->device;

    *unsafe = 0;
    *line = -1;
    for (int64_t begin = 0; begin < count; begin += PIECE) {
        int64_t here = count - begin < PIECE ? count - begin : PIECE;
        cls_rect rect = {(size_t)here * sizeof *piece, 1, (size_t)begin * sizeof *piece, sizeof piece, sizeof piece};
        CLS_TRY(device->ops->read(device, CLS_COMPUTE, g->states, piece, &rect, NULL, NULL));
        CLS_TRY(device->ops->finish(device, CLS_COMPUTE));
        for (int64_t i = 0; i < here; ++i) {
            int64_t panel = (begin + i) / width, lane = (begin + i) % width;
            int64_t slot = lane * level->panels + panel % level->panels, at = 2 * slot + panel / level->panels;
            if (at >= level->lines) continue;
            *unsafe += piece[i] != 0;
            if (infos) infos[at] = piece[i] > 1 ? piece[i] - 1 : 0;
            if (piece[i] > 1 && (*line < 0 || at < *line)) *line = at;
        }
    }
    return CLSOLVE_OK;
}

/* A singular system's last line, made regular: cl/bt_setup.cl. */
static clsolve_status pin(cls_bt_grid *g, const cls_bt_level *level, cls_buffer *coef) {
    cls_bt_real apart = cls_bt_real_of(g->type, cls_is_double(g->type) ? 0x1p-50 : 0x1p-21);
    cls_grid grid = grid_of_lines(g, 1, 1);
    cls_arg args[] = {CLS_BUFFER(coef), CLS_VALUE(level->coef_at), CLS_VALUE(level->size), CLS_VALUE(g->M),
                      CLS_REAL(g->type, apart)};
    CLS_TRY(cls_bt_parts_build(g, CLS_BT_PART_PIN));
    return cls_launch(g->device, CLS_COMPUTE, g->pin, &grid, CLS_ARGS(args));
}

static clsolve_status launch_factor(cls_bt_grid *g, const cls_grid *grid, cls_args args) {
    CLS_TRY(cls_bt_parts_build(g, CLS_BT_PART_FACTOR));
    return cls_launch(g->device, CLS_COMPUTE, g->factor, grid, args);
}

clsolve_status cls_bt_factor(cls_bt_grid *g, int number, int64_t *unsafe, int64_t *line, int32_t *infos) {
    enum { DIAGONAL = 1, PINNED = 6 }; /* Q_C and Q_D of cl/bt_layout.clh */
    const cls_bt_level *level = &g->level[number];
    cls_device *device = g->device;
    cls_buffer *coef = number == 0 ? g->coef : g->coarse_coef;
    int pinned = g->singular && level->lines == 1;
    int32_t diagonal = pinned ? PINNED : DIAGONAL;
    cls_bt_real growth = cls_bt_real_of(g->type, 1e3);

    size_t local = (size_t)g->shape.work_group;
    cls_grid own = {{2 * (size_t)level->panels * local, 1, 1}, {local, 1, 1}};
    size_t lanes = (size_t)cls_bt_pivot_group(&g->shape);
    cls_grid grid = {{2 * (size_t)level->panels * lanes, 1, 1}, {lanes, 1, 1}};
    cls_arg plain[] = {CLS_BUFFER(coef), CLS_VALUE(level->coef_at), CLS_VALUE(level->size), CLS_VALUE(level->panels),
                       CLS_VALUE(g->M),  CLS_REAL(g->type, growth), CLS_VALUE(diagonal),    CLS_BUFFER(g->states)};
    cls_arg pivoted[] = {CLS_BUFFER(coef), CLS_VALUE(level->size), CLS_VALUE(level->panels),
                         CLS_VALUE(g->M),  CLS_VALUE(diagonal),    CLS_BUFFER(g->states)};
    if (pinned) CLS_TRY(pin(g, level, coef));
    if (g->pivoted)
        CLS_TRY(cls_launch(device, CLS_COMPUTE, g->factor_pivoted, &grid, CLS_ARGS(pivoted)));
    else
        CLS_TRY(launch_factor(g, &own, CLS_ARGS(plain)));
    return unsafe ? read_states(g, level, unsafe, line, infos) : CLSOLVE_OK;
}

clsolve_status cls_bt_damp(cls_bt_grid *g, double part_) {
    const cls_bt_level *top = &g->level[0];
    cls_bt_real part = cls_bt_real_of(g->type, part_);
    cls_grid grid = grid_of_lines(g, g->N < 65535 ? g->N : 65535, 1);
    cls_arg args[] = {CLS_BUFFER(g->coef),    CLS_VALUE(top->size), CLS_VALUE(g->N),
                      CLS_VALUE(top->panels), CLS_VALUE(g->M),      CLS_REAL(g->type, part)};
    CLS_TRY(cls_bt_parts_build(g, CLS_BT_PART_LEVELS));
    return cls_launch(g->device, CLS_COMPUTE, g->damp, &grid, CLS_ARGS(args));
}

/* ---- coarse levels ---- */

static clsolve_status coarsen_level(cls_bt_grid *g, int number) {
    const cls_bt_level *fine = &g->level[number], *coarse = &g->level[number + 1];
    cls_buffer *from = number == 0 ? g->coef : g->coarse_coef;
    cls_device *device = g->device;
    int32_t symmetric = g->symmetric, singular = g->singular;

    CLS_TRY(cls_bt_weigh(g, number, g->weights));
    cls_grid pieces = grid_of_lines(g, fine->panels, cls_bt_pieces(g->M));
    cls_arg args[] = {CLS_BUFFER(from),        CLS_VALUE(fine->coef_at),   CLS_VALUE(fine->size),
                      CLS_BUFFER(g->weights),  CLS_VALUE(fine->lines),     CLS_VALUE(fine->panels),
                      CLS_VALUE(g->M),         CLS_BUFFER(g->coarse_coef), CLS_VALUE(coarse->coef_at),
                      CLS_VALUE(coarse->size), CLS_VALUE(symmetric),       CLS_VALUE(singular)};
    CLS_TRY(cls_bt_parts_build(g, CLS_BT_PART_LEVELS));
    CLS_TRY(cls_launch(device, CLS_COMPUTE, g->coarsen, &pieces, CLS_ARGS(args)));
    return cls_bt_factor(g, number + 1, NULL, NULL, NULL);
}

/* All levels are enqueued; nothing waits, and nothing is allocated but for the first matrix. */
clsolve_status cls_bt_coarsen(cls_bt_grid *g) {
    cls_bt_measure_levels(g);
    if (g->levels == 1) return CLSOLVE_OK;
    const cls_bt_level *last = &g->level[g->levels - 1];
    if (!g->coarse_coef) CLS_TRY(cls_bt_make(g, (size_t)(last->coef_at + 8 * last->size), &g->coarse_coef));
    if (!g->weights) CLS_TRY(cls_bt_make(g, (size_t)(4 * cls_bt_z_size(g) + g->shape.width), &g->weights));
    if (!g->F) g->rhs = 0; /* coarse vectors are wanted now */
    for (int l = 0; l + 1 < g->levels; ++l) CLS_TRY(coarsen_level(g, l));
    return CLSOLVE_OK;
}

clsolve_status cls_bt_coarsen_once(cls_bt_grid *g) {
    cls_bt_measure_levels(g);
    g->levels = g->whole = 2;
    CLS_TRY(cls_bt_make(g, (size_t)(8 * g->level[1].size), &g->coarse_coef));
    CLS_TRY(cls_bt_make(g, (size_t)(4 * cls_bt_z_size(g) + g->shape.width), &g->weights));
    return coarsen_level(g, 0);
}

clsolve_status cls_bt_forget_levels(cls_bt_grid *g) {
    clsolve_status status = g->device->ops->finish(g->device, CLS_COMPUTE);
    g->device->ops->buffer_destroy(g->device, g->coarse_coef);
    g->device->ops->buffer_destroy(g->device, g->weights);
    g->coarse_coef = g->weights = NULL;
    g->levels = g->whole = 1;
    return status;
}
