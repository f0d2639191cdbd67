#include "method/block_gs/block_gs.h"

/* A vector as a kernel sees it: a buffer, where the level begins in it, words between right-hand sides. */
typedef struct place {
    cls_buffer *buffer;
    int64_t at, stride;
} place;

static place coarse_place(const cls_bt_grid *g, cls_buffer *buffer, int number) {
    place p = {buffer, g->level[number].vec_at, g->coarse_size};
    return p;
}

static place top_place(const cls_bt_grid *g, cls_buffer *buffer) {
    place p = {buffer, 0, g->level[0].size};
    return p;
}

/* Bits of cl/bt_lines.clh. */
enum { USUAL = 0, FRESH = 1, CORRECTED = 2, TRANSPOSED = 4, FROM_ABOVE = 8, FROM_BELOW = 16 };
/* And of cl/bt_sweep.cl: lines of both colours in one launch, each examined. */
enum { BOTH = 2, EXAMINED = 32 };

/* Half a sweep of a level. C: the next level's solution where `mode` says CORRECTED, else any place. */
typedef struct half {
    int number;
    place F, Y, C;
    int64_t rhs;
    int colour, mode;
    int64_t first, panels; /* panels first .. first + panels - 1 */
    int only;              /* the one lane that is written, or -1 */
    double omega;
    cls_buffer *flags; /* where `mode` says EXAMINED */
} half;

static clsolve_status sweep_pivoted(cls_bt_grid *g, const half *h, cls_buffer *control) {
    const cls_bt_level *level = &g->level[h->number];
    int32_t colour = h->colour, fresh = h->mode & FRESH, only = h->only;
    int64_t z_stride = cls_bt_z_size(g);
    cls_bt_real omega = cls_bt_real_of(g->type, h->omega);
    size_t local = (size_t)cls_bt_pivot_group(&g->shape);

    cls_grid grid = {{(size_t)h->panels * local, (size_t)h->rhs, 1}, {local, 1, 1}};
    cls_arg args[] = {
        CLS_BUFFER(g->coef),    CLS_VALUE(level->coef_at), CLS_VALUE(level->size),  CLS_BUFFER(h->F.buffer),
        CLS_VALUE(h->F.at),     CLS_VALUE(h->F.stride),    CLS_BUFFER(h->Y.buffer), CLS_VALUE(h->Y.at),
        CLS_VALUE(h->Y.stride), CLS_BUFFER(g->Z),          CLS_VALUE(z_stride),     CLS_VALUE(level->panels),
        CLS_VALUE(g->M),        CLS_VALUE(h->first),       CLS_VALUE(colour),       CLS_VALUE(fresh),
        CLS_VALUE(only),        CLS_REAL(g->type, omega),  CLS_BUFFER(control)};
    if (h->mode & TRANSPOSED)
        return cls_launch(g->device, CLS_COMPUTE, g->sweep_transposed, &grid, CLS_ARGS_BUT(args, 4));
    return cls_launch(g->device, CLS_COMPUTE, g->sweep_pivoted, &grid, CLS_ARGS(args));
}

static clsolve_status half_sweep(cls_bt_grid *g, const half *h, cls_buffer *control) {
    const cls_bt_level *level = &g->level[h->number];
    int32_t colour = h->colour, mode = h->mode, only = h->only;
    int64_t z_stride = cls_bt_z_size(g), tiles = cls_bt_tiles(g);
    int split = cls_bt_split(g, h->panels, h->rhs);
    /* Up to two tiles for each work-item of a line, each group scans them on the way: an eighth of what it reads
     * anyhow. */
    int32_t joined = tiles > 2 * g->shape.parts;
    cls_bt_real omega = cls_bt_real_of(g->type, h->omega);
    size_t local = (size_t)g->shape.work_group, groups = (size_t)(h->panels * (split ? tiles : 1));

    if (g->pivoted) return sweep_pivoted(g, h, control);
    CLS_TRY(cls_bt_parts_build(g, CLS_BT_PART_SWEEPS));
    cls_grid grid = {{groups * local, (size_t)h->rhs, 1}, {local, 1, 1}};
    cls_arg args[] = {CLS_BUFFER(h->number == 0 ? g->coef : g->coarse_coef),
                      CLS_VALUE(level->coef_at),
                      CLS_VALUE(level->size),
                      CLS_BUFFER(h->F.buffer),
                      CLS_VALUE(h->F.at),
                      CLS_VALUE(h->F.stride),
                      CLS_BUFFER(h->Y.buffer),
                      CLS_VALUE(h->Y.at),
                      CLS_VALUE(h->Y.stride),
                      CLS_BUFFER(g->Z),
                      CLS_VALUE(z_stride),
                      CLS_BUFFER(h->C.buffer),
                      CLS_VALUE(h->C.at),
                      CLS_VALUE(h->C.stride),
                      CLS_VALUE(level->lines),
                      CLS_VALUE(level->panels),
                      CLS_VALUE(g->M),
                      CLS_VALUE(h->first),
                      CLS_VALUE(colour),
                      CLS_VALUE(mode),
                      CLS_VALUE(only),
                      CLS_REAL(g->type, omega),
                      CLS_BUFFER(h->flags ? h->flags : g->states),
                      CLS_BUFFER(control),
                      CLS_VALUE(tiles),
                      CLS_BUFFER(g->joints),
                      CLS_VALUE(joined)};
    if (!split) return cls_launch(g->device, CLS_COMPUTE, g->sweep, &grid, CLS_ARGS_BUT(args, 3));
    CLS_TRY(cls_launch(g->device, CLS_COMPUTE, g->sweep_begin, &grid, CLS_ARGS_BUT(args, 1)));
    if (joined) {
        cls_grid lines = {{(size_t)h->panels * local, (size_t)h->rhs, 1}, {local, 1, 1}};
        cls_arg join[] = {CLS_BUFFER(g->joints), CLS_VALUE(tiles), CLS_BUFFER(control)};
        CLS_TRY(cls_launch(g->device, CLS_COMPUTE, g->sweep_join, &lines, CLS_ARGS(join)));
    }
    return cls_launch(g->device, CLS_COMPUTE, g->sweep_end, &grid, CLS_ARGS(args));
}

static clsolve_status sweep_colour(cls_bt_grid *g, int number, place F, place Y, int64_t rhs, int colour, int mode,
                                   cls_buffer *control) {
    half h = {number, F, Y, Y, rhs, colour, mode, 0, g->level[number].panels, -1, 1, NULL};
    if (mode & CORRECTED) h.C = coarse_place(g, g->Y, number + 1);
    return half_sweep(g, &h, control);
}

clsolve_status cls_bt_half_sweep(cls_bt_grid *g, cls_bt_vector F, cls_bt_vector Y, int64_t rhs, int colour, int fresh,
                                 int64_t line, double omega, cls_buffer *control) {
    int64_t panels = g->level[0].panels;
    place f = top_place(g, F), y = top_place(g, Y);
    half h = {0, f, y, y, rhs, colour, fresh ? FRESH : USUAL, 0, panels, -1, omega, NULL};

    if (line >= 0) {
        h.colour = (int)(line % 2);
        h.mode = USUAL;
        h.first = line / 2 % panels;
        h.panels = 1;
        h.only = (int)(line / 2 / panels);
    } else if (colour == 1 && g->N == 1) {
        return CLSOLVE_OK;
    }
    return half_sweep(g, &h, control);
}

clsolve_status cls_bt_solve_lines(cls_bt_grid *g, cls_bt_vector F, cls_bt_vector Y, int64_t rhs, int transposed,
                                  cls_buffer *flags, int *examined) {
    const int mode = transposed ? FRESH | TRANSPOSED : FRESH, colours = g->N > 1 ? 2 : 1;
    const place f = top_place(g, F), y = top_place(g, Y);
    const half all = {0, f, y, y, rhs, BOTH, mode | EXAMINED, 0, colours * g->level[0].panels, -1, 1, flags};

    *examined = !g->pivoted;
    if (*examined) return half_sweep(g, &all, g->idle);
    for (int colour = 0; colour < colours; ++colour) CLS_TRY(sweep_colour(g, 0, f, y, rhs, colour, mode, g->idle));
    return CLSOLVE_OK;
}

/* C w = A e, C w' = B e; C^T v = B of the line above, C^T v' = A of the line below. */
clsolve_status cls_bt_weigh(cls_bt_grid *g, int number, cls_buffer *weights) {
    enum { UP = 3, DOWN = 4 };
    static const struct {
        int array, mode;
    } solves[4] = {
        {UP, FRESH}, {DOWN, FRESH}, {DOWN, FRESH | TRANSPOSED | FROM_ABOVE}, {UP, FRESH | TRANSPOSED | FROM_BELOW}};
    const cls_bt_level *level = &g->level[number];
    cls_buffer *coef = number == 0 ? g->coef : g->coarse_coef;

    for (int s = 0; s < 4; ++s) {
        place F = {coef, level->coef_at + solves[s].array * level->size, 0};
        place Y = {weights, s * level->panels * g->M * g->shape.width, 0};
        CLS_TRY(sweep_colour(g, number, F, Y, 1, 0, solves[s].mode, g->idle));
    }
    return CLSOLVE_OK;
}

clsolve_status cls_bt_sweep(cls_bt_grid *g, cls_bt_vector F, cls_bt_vector Y, int64_t rhs, int sequential, double omega,
                            cls_buffer *control) {
    if (!sequential) {
        CLS_TRY(cls_bt_half_sweep(g, F, Y, rhs, 0, 0, -1, omega, control));
        return cls_bt_half_sweep(g, F, Y, rhs, 1, 0, -1, omega, control);
    }
    for (int64_t i = 0; i < g->N; ++i) CLS_TRY(cls_bt_half_sweep(g, F, Y, rhs, 0, 0, i, omega, control));
    return CLSOLVE_OK;
}

clsolve_status cls_bt_residual(cls_bt_grid *g, cls_bt_vector F, cls_bt_vector Y, int64_t rhs, cls_bt_vector R,
                               cls_bt_rest what, cls_buffer *control, int64_t *groups) {
    const cls_bt_level *top = &g->level[0];
    int32_t store = R != NULL, product = what != CLS_BT_REST, conjugated = what != CLS_BT_PLAIN_PRODUCT;
    int64_t zero = 0;
    size_t local = (size_t)g->shape.work_group;

    *groups = 2 * top->panels * top->splits;
    cls_grid grid = {{(size_t)*groups * local, (size_t)rhs, 1}, {local, 1, 1}};
    cls_arg args[] = {CLS_BUFFER(g->coef),    CLS_VALUE(zero),          CLS_VALUE(top->size), CLS_BUFFER(F),
                      CLS_VALUE(zero),        CLS_VALUE(top->size),     CLS_BUFFER(Y),        CLS_VALUE(zero),
                      CLS_VALUE(top->size),   CLS_BUFFER(R ? R : g->Z), CLS_VALUE(top->size), CLS_VALUE(top->panels),
                      CLS_VALUE(g->M),        CLS_VALUE(top->splits),   CLS_VALUE(store),     CLS_VALUE(product),
                      CLS_BUFFER(g->partial), CLS_BUFFER(control),      CLS_VALUE(conjugated)};
    CLS_TRY(cls_bt_parts_build(g, CLS_BT_PART_RESIDUAL));
    return cls_launch(g->device, CLS_COMPUTE, g->residual, &grid, CLS_ARGS_BUT(args, cls_is_complex(g->type) ? 0 : 1));
}

/* ---- the multigrid cycle ---- */

/* `first`: black lines were solved from zero, and the red ones once after them. */
static clsolve_status restrict_to(cls_bt_grid *g, int number, place F, place Y, int64_t rhs, int first_,
                                  cls_buffer *control, int64_t *groups) {
    int32_t first = first_;
    const cls_bt_level *level = &g->level[number];
    place C = coarse_place(g, g->F, number + 1);
    size_t local = (size_t)g->shape.work_group;

    *groups = level->panels * level->splits;
    cls_grid grid = {{(size_t)*groups * local, (size_t)rhs, 1}, {local, 1, 1}};
    cls_arg args[] = {CLS_BUFFER(number == 0 ? g->coef : g->coarse_coef),
                      CLS_VALUE(level->coef_at),
                      CLS_VALUE(level->size),
                      CLS_BUFFER(F.buffer),
                      CLS_VALUE(F.at),
                      CLS_VALUE(F.stride),
                      CLS_BUFFER(Y.buffer),
                      CLS_VALUE(Y.at),
                      CLS_VALUE(Y.stride),
                      CLS_BUFFER(C.buffer),
                      CLS_VALUE(C.at),
                      CLS_VALUE(C.stride),
                      CLS_VALUE(level->lines),
                      CLS_VALUE(level->panels),
                      CLS_VALUE(g->M),
                      CLS_VALUE(level->splits),
                      CLS_VALUE(first),
                      CLS_BUFFER(g->partial),
                      CLS_BUFFER(control)};
    CLS_TRY(cls_bt_parts_build(g, CLS_BT_PART_RESTRICT));
    return cls_launch(g->device, CLS_COMPUTE, g->restriction, &grid, CLS_ARGS(args));
}

/*
 * Black, then red: what is left is on the black lines, which are the coarse ones. `solved`: black is so already, by the
 * end of the cycle before.
 */
static clsolve_status smooth_before(cls_bt_grid *g, int number, int sweeps, place F, place Y, int64_t rhs, int fresh,
                                    int solved, cls_buffer *control) {
    for (int s = 0; s < sweeps; ++s) {
        if (g->level[number].lines > 1 && !(solved && s == 0))
            CLS_TRY(sweep_colour(g, number, F, Y, rhs, 1, fresh && s == 0 ? FRESH : USUAL, control));
        CLS_TRY(sweep_colour(g, number, F, Y, rhs, 0, USUAL, control));
    }
    return CLSOLVE_OK;
}

/*
 * Red, then black. The first red lines see the black ones with their coarse correction, which carries it to them: they
 * are its interpolation. It need not be written down, for the black lines are solved anew next.
 */
static clsolve_status smooth_after(cls_bt_grid *g, int number, int sweeps, place F, place Y, int64_t rhs,
                                   cls_buffer *control) {
    for (int s = 0; s < sweeps; ++s) {
        CLS_TRY(sweep_colour(g, number, F, Y, rhs, 0, s == 0 ? CORRECTED : USUAL, control));
        CLS_TRY(sweep_colour(g, number, F, Y, rhs, 1, USUAL, control));
    }
    return CLSOLVE_OK;
}

static clsolve_status coarse_whole(cls_bt_grid *g, const cls_bt_cycle *cycle, int number, int64_t rhs, int fresh_,
                                   cls_buffer *control) {
    const cls_bt_level *level = &g->level[number];
    int32_t fresh = fresh_, before = cycle->before, after = cycle->after;
    int64_t z_stride = cls_bt_z_size(g);
    size_t local = (size_t)g->shape.work_group;

    cls_grid grid = {{(size_t)rhs * local, 1, 1}, {local, 1, 1}};
    cls_arg args[] = {CLS_BUFFER(g->coarse_coef), CLS_VALUE(level->coef_at), CLS_BUFFER(g->F), CLS_BUFFER(g->Y),
                      CLS_VALUE(level->vec_at),   CLS_VALUE(g->coarse_size), CLS_BUFFER(g->Z), CLS_VALUE(z_stride),
                      CLS_VALUE(level->lines),    CLS_VALUE(g->M),           CLS_VALUE(fresh), CLS_VALUE(before),
                      CLS_VALUE(after),           CLS_BUFFER(control)};
    CLS_TRY(cls_bt_parts_build(g, CLS_BT_PART_COARSE));
    return cls_launch(g->device, CLS_COMPUTE, g->coarse, &grid, CLS_ARGS(args));
}

/* The levels below `number`, twice for W, an F-cycle then a V-cycle for F. */
static clsolve_status visit(cls_bt_grid *g, const cls_bt_cycle *cycle, clsolve_block_gs_cycle kind, int number,
                            int64_t rhs, int fresh, cls_buffer *control) {
    place F = coarse_place(g, g->F, number), Y = coarse_place(g, g->Y, number);
    int64_t groups;

    if (number >= g->whole) return coarse_whole(g, cycle, number, rhs, fresh, control);
    if (g->level[number].lines == 1) return sweep_colour(g, number, F, Y, rhs, 0, FRESH, control);
    CLS_TRY(smooth_before(g, number, cycle->before, F, Y, rhs, fresh, 0, control));
    CLS_TRY(restrict_to(g, number, F, Y, rhs, fresh && cycle->before == 1, control, &groups));
    CLS_TRY(visit(g, cycle, kind, number + 1, rhs, 1, control));
    if (kind != CLSOLVE_BLOCK_GS_CYCLE_V)
        CLS_TRY(visit(g, cycle, kind == CLSOLVE_BLOCK_GS_CYCLE_F ? CLSOLVE_BLOCK_GS_CYCLE_V : kind, number + 1, rhs, 0,
                      control));
    return smooth_after(g, number, cycle->after, F, Y, rhs, control);
}

clsolve_status cls_bt_cycle_down(cls_bt_grid *g, const cls_bt_cycle *cycle, cls_bt_vector F, cls_bt_vector Y,
                                 int64_t rhs, cls_bt_state state, cls_buffer *control, int64_t *groups) {
    int fresh = state == CLS_BT_ZERO;
    place f = top_place(g, F), y = top_place(g, Y);

    CLS_TRY(smooth_before(g, 0, cycle->before, f, y, rhs, fresh, state == CLS_BT_CYCLED, control));
    /* One line, or one level: the sweep has solved it, and the norm is all that is wanted. */
    if (g->levels == 1) return cls_bt_residual(g, F, Y, rhs, NULL, CLS_BT_REST, control, groups);
    return restrict_to(g, 0, f, y, rhs, fresh && cycle->before == 1, control, groups);
}

clsolve_status cls_bt_cycle_up(cls_bt_grid *g, const cls_bt_cycle *cycle, cls_bt_vector F, cls_bt_vector Y, int64_t rhs,
                               cls_buffer *control) {
    place f = top_place(g, F), y = top_place(g, Y);

    if (g->levels == 1) return CLSOLVE_OK;
    CLS_TRY(visit(g, cycle, cycle->kind, 1, rhs, 1, control));
    if (cycle->kind != CLSOLVE_BLOCK_GS_CYCLE_V)
        CLS_TRY(visit(g, cycle, cycle->kind == CLSOLVE_BLOCK_GS_CYCLE_F ? CLSOLVE_BLOCK_GS_CYCLE_V : cycle->kind, 1,
                      rhs, 0, control));
    return smooth_after(g, 0, cycle->after, f, y, rhs, control);
}
