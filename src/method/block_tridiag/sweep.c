#include "method/block_tridiag/block_tridiag.h"

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

static clsolve_status half_sweep(cls_bt_grid *g, int number, place F, place Y, int64_t rhs, int colour_, int fresh_,
                                 int64_t first, int64_t panels, int only_, double omega_, cls_buffer *control) {
    const cls_bt_level *level = &g->level[number];
    int32_t colour = colour_, fresh = fresh_, only = only_;
    int64_t z_stride = g->level[0].panels * g->M * g->shape.width;
    cls_bt_real omega = cls_bt_real_of(g->type, omega_);
    size_t local = (size_t)g->shape.work_group;
    if (g->pivoted && local > 1) local = (size_t)g->shape.width;

    cls_grid grid = {{(size_t)panels * local, (size_t)rhs, 1}, {local, 1, 1}};
    cls_arg args[] = {CLS_BUFFER(number == 0 ? g->coef : g->coarse_coef),
                      CLS_VALUE(level->coef_at),
                      CLS_VALUE(level->size),
                      CLS_BUFFER(F.buffer),
                      CLS_VALUE(F.at),
                      CLS_VALUE(F.stride),
                      CLS_BUFFER(Y.buffer),
                      CLS_VALUE(Y.at),
                      CLS_VALUE(Y.stride),
                      CLS_BUFFER(g->Z),
                      CLS_VALUE(z_stride),
                      CLS_VALUE(level->panels),
                      CLS_VALUE(g->M),
                      CLS_VALUE(first),
                      CLS_VALUE(colour),
                      CLS_VALUE(fresh),
                      CLS_VALUE(only),
                      CLS_REAL(g->type, omega),
                      CLS_BUFFER(control)};
    return g->device->ops->launch(g->device, CLS_COMPUTE, g->pivoted ? g->sweep_pivoted : g->sweep, &grid, args, 19,
                                  NULL, NULL);
}

clsolve_status cls_bt_half_sweep(cls_bt_grid *g, cls_bt_vector F, cls_bt_vector Y, int64_t rhs, int colour, int fresh,
                                 int64_t line, double omega, cls_buffer *control) {
    int64_t panels = g->level[0].panels;

    if (line >= 0)
        return half_sweep(g, 0, top_place(g, F), top_place(g, Y), rhs, (int)(line % 2), 0, line / 2 % panels, 1,
                          (int)(line / 2 / panels), omega, control);
    if (colour == 1 && g->N == 1) return CLSOLVE_OK;
    return half_sweep(g, 0, top_place(g, F), top_place(g, Y), rhs, colour, fresh, 0, panels, -1, omega, control);
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
                               int product_, cls_buffer *control, int64_t *groups) {
    const cls_bt_level *top = &g->level[0];
    int32_t both = 2, store = R != NULL, product = product_;
    int64_t zero = 0;
    size_t local = (size_t)g->shape.work_group;

    *groups = 2 * top->panels * top->splits;
    cls_grid grid = {{(size_t)*groups * local, (size_t)rhs, 1}, {local, 1, 1}};
    cls_arg args[] = {CLS_BUFFER(g->coef),  CLS_VALUE(zero),          CLS_VALUE(top->size), CLS_BUFFER(F),
                      CLS_VALUE(zero),      CLS_VALUE(top->size),     CLS_BUFFER(Y),        CLS_VALUE(zero),
                      CLS_VALUE(top->size), CLS_BUFFER(R ? R : g->Z), CLS_VALUE(top->size), CLS_VALUE(top->panels),
                      CLS_VALUE(g->M),      CLS_VALUE(top->splits),   CLS_VALUE(both),      CLS_VALUE(store),
                      CLS_VALUE(product),   CLS_BUFFER(g->partial),   CLS_BUFFER(control)};
    return g->device->ops->launch(g->device, CLS_COMPUTE, g->residual, &grid, args, 19, NULL, NULL);
}

/* ---- the multigrid cycle ---- */

static clsolve_status restrict_to(cls_bt_grid *g, int number, place F, place Y, int64_t rhs, cls_buffer *control,
                                  int64_t *groups) {
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
                      CLS_BUFFER(g->partial),
                      CLS_BUFFER(control)};
    return g->device->ops->launch(g->device, CLS_COMPUTE, g->restriction, &grid, args, 18, NULL, NULL);
}

static clsolve_status correct(cls_bt_grid *g, int number, place Y, int64_t rhs, cls_buffer *control) {
    const cls_bt_level *level = &g->level[number];
    place C = coarse_place(g, g->Y, number + 1);
    size_t local = (size_t)g->shape.work_group;

    cls_grid grid = {{(size_t)(level->panels * level->splits) * local, (size_t)rhs, 1}, {local, 1, 1}};
    cls_arg args[] = {CLS_BUFFER(Y.buffer), CLS_VALUE(Y.at),          CLS_VALUE(Y.stride),     CLS_BUFFER(C.buffer),
                      CLS_VALUE(C.at),      CLS_VALUE(C.stride),      CLS_VALUE(level->lines), CLS_VALUE(level->panels),
                      CLS_VALUE(g->M),      CLS_VALUE(level->splits), CLS_BUFFER(control)};
    return g->device->ops->launch(g->device, CLS_COMPUTE, g->correct, &grid, args, 11, NULL, NULL);
}

/* Black, then red: what is left is on the black lines, which are the coarse ones. */
static clsolve_status smooth_before(cls_bt_grid *g, int number, int sweeps, place F, place Y, int64_t rhs, int fresh,
                                    cls_buffer *control) {
    int64_t panels = g->level[number].panels;
    for (int s = 0; s < sweeps; ++s) {
        if (g->level[number].lines > 1)
            CLS_TRY(half_sweep(g, number, F, Y, rhs, 1, fresh && s == 0, 0, panels, -1, 1, control));
        CLS_TRY(half_sweep(g, number, F, Y, rhs, 0, 0, 0, panels, -1, 1, control));
    }
    return CLSOLVE_OK;
}

/* Red, then black: the corrected black lines are carried to the red ones first. */
static clsolve_status smooth_after(cls_bt_grid *g, int number, int sweeps, place F, place Y, int64_t rhs,
                                   cls_buffer *control) {
    int64_t panels = g->level[number].panels;
    for (int s = 0; s < sweeps; ++s) {
        CLS_TRY(half_sweep(g, number, F, Y, rhs, 0, 0, 0, panels, -1, 1, control));
        CLS_TRY(half_sweep(g, number, F, Y, rhs, 1, 0, 0, panels, -1, 1, control));
    }
    return CLSOLVE_OK;
}

static clsolve_status coarse_whole(cls_bt_grid *g, const cls_bt_cycle *cycle, int number, int64_t rhs, int fresh_,
                                   cls_buffer *control) {
    const cls_bt_level *level = &g->level[number];
    int32_t fresh = fresh_, before = cycle->before, after = cycle->after;
    int64_t z_stride = g->level[0].panels * g->M * g->shape.width;
    size_t local = (size_t)g->shape.work_group;

    cls_grid grid = {{(size_t)rhs * local, 1, 1}, {local, 1, 1}};
    cls_arg args[] = {CLS_BUFFER(g->coarse_coef), CLS_VALUE(level->coef_at), CLS_BUFFER(g->F), CLS_BUFFER(g->Y),
                      CLS_VALUE(level->vec_at),   CLS_VALUE(g->coarse_size), CLS_BUFFER(g->Z), CLS_VALUE(z_stride),
                      CLS_VALUE(level->lines),    CLS_VALUE(g->M),           CLS_VALUE(fresh), CLS_VALUE(before),
                      CLS_VALUE(after),           CLS_BUFFER(control)};
    return g->device->ops->launch(g->device, CLS_COMPUTE, g->coarse, &grid, args, 14, NULL, NULL);
}

/* What is below `number` twice for W, an F-cycle then a V-cycle for F. */
static clsolve_status visit(cls_bt_grid *g, const cls_bt_cycle *cycle, clsolve_cycle kind, int number, int64_t rhs,
                            int fresh, cls_buffer *control) {
    place F = coarse_place(g, g->F, number), Y = coarse_place(g, g->Y, number);
    int64_t groups;

    if (number >= g->whole) return coarse_whole(g, cycle, number, rhs, fresh, control);
    CLS_TRY(smooth_before(g, number, cycle->before, F, Y, rhs, fresh, control));
    CLS_TRY(restrict_to(g, number, F, Y, rhs, control, &groups));
    CLS_TRY(visit(g, cycle, kind, number + 1, rhs, 1, control));
    if (kind != CLSOLVE_CYCLE_V)
        CLS_TRY(visit(g, cycle, kind == CLSOLVE_CYCLE_F ? CLSOLVE_CYCLE_V : kind, number + 1, rhs, 0, control));
    CLS_TRY(correct(g, number, Y, rhs, control));
    return smooth_after(g, number, cycle->after, F, Y, rhs, control);
}

clsolve_status cls_bt_cycle_down(cls_bt_grid *g, const cls_bt_cycle *cycle, cls_bt_vector F, cls_bt_vector Y,
                                 int64_t rhs, int fresh, cls_buffer *control, int64_t *groups) {
    place f = top_place(g, F), y = top_place(g, Y);

    CLS_TRY(smooth_before(g, 0, cycle->before, f, y, rhs, fresh, control));
    /* One line, or one level: the sweep has solved it, and the norm is all that is wanted. */
    if (g->levels == 1) return cls_bt_residual(g, F, Y, rhs, NULL, 0, control, groups);
    return restrict_to(g, 0, f, y, rhs, control, groups);
}

clsolve_status cls_bt_cycle_up(cls_bt_grid *g, const cls_bt_cycle *cycle, cls_bt_vector F, cls_bt_vector Y, int64_t rhs,
                               cls_buffer *control) {
    place f = top_place(g, F), y = top_place(g, Y);

    if (g->levels == 1) return CLSOLVE_OK;
    CLS_TRY(visit(g, cycle, cycle->kind, 1, rhs, 1, control));
    if (cycle->kind != CLSOLVE_CYCLE_V)
        CLS_TRY(visit(g, cycle, cycle->kind == CLSOLVE_CYCLE_F ? CLSOLVE_CYCLE_V : cycle->kind, 1, rhs, 0, control));
    CLS_TRY(correct(g, 0, y, rhs, control));
    return smooth_after(g, 0, cycle->after, f, y, rhs, control);
}
