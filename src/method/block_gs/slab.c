/* slab.c: a slab of whole lines: what of it lies where, its coefficients, its vectors, and the steps. */
#include "method/block_gs/slab.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"

enum { F = 0, Y = 1, R = 2 };
enum { A_LEFT = 0, DIAGONAL = 1, A_RIGHT = 2, UP = 3, DOWN = 4, ARRAYS = 5 }; /* as cl/bt_layout.clh has them */

/* ---- where lines lie ---- */

static int64_t base_of(int64_t first) {
    if (first == 0) return 0;
    if (first % 2 == 0) return first - 2;
    return first > 1 ? first - 3 : 0;
}

static int64_t stop_of(int64_t end, int64_t all) {
    int64_t stop = end % 2 == 0 ? end + 2 : end + 1;
    return stop < all ? stop : all;
}

/* ---- lines to and fro ---- */

static clsolve_status put_lines(cls_bt_slab *s, const void *values, int64_t line, int64_t lines, cls_buffer *to,
                                int64_t at, const cls_bt_range *range) {
    return cls_bt_put_lines(&s->grid, values, line - s->base, lines, to, at, range, s->staging, s->staged);
}

/* Lines f0, f0 + fs, ... of `from` to lines t0, t0 + ts, ... of `to`, both by the numbers of their local grids. */
typedef struct move {
    cls_buffer *from, *to;
    int64_t from_at, from_panels, f0, fs, to_at, to_panels, t0, ts, count;
    int32_t add, conjugated;
} move;

static clsolve_status move_lines(const cls_bt_slab *s, const move *m) {
    const cls_bt_grid *g = &s->grid;
    size_t local = (size_t)cls_bt_setup_group(&g->shape);
    cls_grid grid = {{2 * (size_t)m->to_panels * local, (size_t)cls_bt_pieces(g->M), 1}, {local, 1, 1}};
    cls_arg args[] = {CLS_BUFFER(m->from), CLS_VALUE(m->from_at),   CLS_VALUE(m->from_panels), CLS_VALUE(m->f0),
                      CLS_VALUE(m->fs),    CLS_BUFFER(m->to),       CLS_VALUE(m->to_at),       CLS_VALUE(m->to_panels),
                      CLS_VALUE(m->t0),    CLS_VALUE(m->ts),        CLS_VALUE(m->count),       CLS_VALUE(g->M),
                      CLS_VALUE(m->add),   CLS_VALUE(m->conjugated)};
    if (m->count == 0) return CLSOLVE_OK;
    return cls_launch(g->device, CLS_COMPUTE, s->move, &grid, CLS_ARGS(args));
}

/* ---- set up, release ---- */

/* The lines that are neither own nor ghost: identities. */
static clsolve_status put_fillers(cls_bt_slab *s) {
    const cls_bt_range all = {0, INT64_MAX, 0, INT64_MAX};
    size_t word = (size_t)cls_type_size(s->grid.type);
    char *ones = cls_alloc((size_t)s->grid.M, word);
    clsolve_status status = CLSOLVE_OK;

    if (!ones) return cls_no_memory(s->grid.device->error, "a line");
    for (int64_t k = 0; k < s->grid.M; ++k) cls_type_put(s->grid.type, ones, k * cls_type_parts(s->grid.type), 1);
    for (int64_t line = s->base; line < s->stop && status == CLSOLVE_OK; ++line)
        if (line < cls_bt_slab_lowest(s) || line >= cls_bt_slab_end(s))
            status = put_lines(s, ones, line, 1, s->grid.coef, DIAGONAL * s->grid.level[0].size, &all);
    cls_free(ones);
    return status;
}

static clsolve_status build_move(cls_bt_slab *s) {
    const cls_named_kernel move[] = {{"bt_move_lines", &s->move}};
    char options[128];
    (void)snprintf(options, sizeof options, "%s -DW=%d -DLS=%d", cls_type_option(s->grid.type),
                   (int)s->grid.shape.width, (int)cls_bt_setup_group(&s->grid.shape));
    return CLS_KERNELS_MAKE(s->grid.device, "bt_slab", options, move);
}

/* Lines of the shape must have one width on all levels: that of the finest. */
static clsolve_status setup(cls_device *device, int64_t M, clsolve_type type, const cls_bt_shape *shape,
                            cls_bt_slab *s) {
    enum { STAGING = 16 << 20 };
    int64_t line = M * cls_type_size(type), lines = s->stop - s->base;

    CLS_TRY(cls_bt_grid_create(device, type, lines, M, shape, CLS_BT_WHOLE, 0, &s->grid));
    CLS_TRY(cls_bt_grid_reserve(&s->grid, 1));
    for (int v = 0; v < CLS_SLAB_VECTORS; ++v)
        CLS_TRY(cls_bt_make(&s->grid, (size_t)s->grid.level[0].size, &s->vectors[v]));
    s->staged = STAGING / line < 1 ? 1 : STAGING / line < lines ? STAGING / line : lines;
    CLS_TRY(device->ops->buffer_create(device, (size_t)(s->staged * line), &s->staging));
    CLS_TRY(build_move(s));
    return put_fillers(s);
}

static void place(cls_bt_slab *s, int64_t N, int64_t first, int64_t count) {
    s->all = N;
    s->first = first;
    s->count = count;
    s->base = base_of(first);
    s->stop = stop_of(first + count, N);
}

clsolve_status cls_bt_slab_setup(cls_device *device, int64_t N, int64_t M, int64_t first, int64_t count,
                                 clsolve_type type, cls_bt_slab *s) {
    place(s, N, first, count);
    if (count == 0) return CLSOLVE_OK;
    cls_bt_shape shape = cls_bt_shape_for(device, type, 0, 0, s->stop - s->base, M);
    return setup(device, M, type, &shape, s);
}

void cls_bt_slab_release(cls_bt_slab *s) {
    cls_device *device = s->grid.device;
    if (!device) return;
    (void)device->ops->finish(device, CLS_COMPUTE);
    cls_buffers_destroy(device, s->vectors, CLS_SLAB_VECTORS);
    device->ops->buffer_destroy(device, s->staging);
    device->ops->kernel_destroy(device, s->move);
    cls_bt_grid_release(&s->grid);
    *s = (cls_bt_slab){0};
}

/* ---- coefficients ---- */

clsolve_status cls_bt_slab_put_coefficients(cls_bt_slab *s, int64_t line, int64_t lines, const void *const arrays[5]) {
    const cls_bt_range all = {0, INT64_MAX, 0, INT64_MAX};
    cls_bt_range ranges[ARRAYS] = {all, all, all, all, all};
    ranges[A_LEFT].first_k = 1;
    ranges[A_RIGHT].last_k = s->grid.M - 2;
    ranges[UP].first_line = 1;
    ranges[DOWN].last_line = s->grid.N - 2;
    for (int q = 0; q < ARRAYS; ++q)
        CLS_TRY(put_lines(s, arrays[q], line, lines, s->grid.coef, q * s->grid.level[0].size, &ranges[q]));
    return CLSOLVE_OK;
}

clsolve_status cls_bt_slab_get_coefficients(cls_bt_slab *s, int64_t line, int64_t lines, void *const arrays[5]) {
    for (int q = 0; q < ARRAYS; ++q)
        CLS_TRY(cls_bt_get_lines(&s->grid, arrays[q], line - s->base, lines, s->grid.coef, q * s->grid.level[0].size,
                                 s->staging, s->staged));
    return CLSOLVE_OK;
}

/* Coupling `from` of line `line`, or its conjugate, becomes coupling `to` of a filler. */
static clsolve_status mirror(cls_bt_slab *s, int64_t line, int from, int64_t filler, int to, int conjugated) {
    const cls_bt_level *top = &s->grid.level[0];
    const move m = {.from = s->grid.coef,
                    .from_at = from * top->size,
                    .from_panels = top->panels,
                    .f0 = line - s->base,
                    .fs = 1,
                    .to = s->grid.coef,
                    .to_at = to * top->size,
                    .to_panels = top->panels,
                    .t0 = filler - s->base,
                    .ts = 1,
                    .count = 1,
                    .conjugated = conjugated};
    return move_lines(s, &m);
}

/* The fillers' couplings are those of a symmetric matrix, or of a hermitian one. A red filler stands above alone. */
static clsolve_status mirror_ghosts(cls_bt_slab *s, cls_bt_symmetry kind) {
    const int conjugated = kind == CLS_BT_HERMITIAN;
    int64_t above = cls_bt_slab_lowest(s), below = cls_bt_slab_end(s) - 1;
    if (above > s->base) CLS_TRY(mirror(s, above, UP, above - 1, DOWN, conjugated));
    if (below % 2 == 0 && below + 1 < s->stop) CLS_TRY(mirror(s, below, DOWN, below + 1, UP, conjugated));
    return CLSOLVE_OK;
}

/* Which symmetry the lines have is seen with fillers of that kind. */
static clsolve_status inspect(cls_bt_slab *s, int *symmetry, double *largest) {
    int bits, hermitian_bits;
    CLS_TRY(mirror_ghosts(s, CLS_BT_SYMMETRIC));
    CLS_TRY(cls_bt_inspect(&s->grid, &bits, largest));
    *symmetry = bits & CLS_BT_ASYMMETRIC ? 0 : CLS_BT_SYMMETRIC;
    if (!cls_is_complex(s->grid.type) || *largest < 0) return CLSOLVE_OK;
    CLS_TRY(mirror_ghosts(s, CLS_BT_HERMITIAN));
    CLS_TRY(cls_bt_inspect(&s->grid, &hermitian_bits, largest));
    if (!(hermitian_bits & CLS_BT_NOT_HERMITIAN)) *symmetry |= CLS_BT_HERMITIAN;
    return CLSOLVE_OK;
}

clsolve_status cls_bt_slab_factor(cls_bt_slab *s, int *symmetry, double *largest, int64_t *unsafe, int64_t *line) {
    *symmetry = CLS_BT_SYMMETRIC | CLS_BT_HERMITIAN; /* no line contradicts */
    *largest = 0;
    *unsafe = 0;
    *line = -1;
    if (s->count == 0) return CLSOLVE_OK;
    CLS_TRY(inspect(s, symmetry, largest));
    if (*largest < 0) return CLSOLVE_OK;
    CLS_TRY(cls_bt_factor(&s->grid, 0, unsafe, line, NULL));
    if (*line >= 0) *line += s->base;
    return CLSOLVE_OK;
}

/* ---- the coarse slab ---- */

/* The coarse lines of the local grid, as its level 1, to the coarse slab. */
static clsolve_status give_coefficients(cls_bt_slab *s, cls_bt_slab *coarse) {
    const cls_bt_level *from = &s->grid.level[1], *to = &coarse->grid.level[0];
    for (int q = 0; q < ARRAYS; ++q) {
        const move m = {.from = s->grid.coarse_coef,
                        .from_at = from->coef_at + q * from->size,
                        .from_panels = from->panels,
                        .f0 = coarse->first - s->base / 2,
                        .fs = 1,
                        .to = coarse->grid.coef,
                        .to_at = q * to->size,
                        .to_panels = to->panels,
                        .t0 = coarse->first - coarse->base,
                        .ts = 1,
                        .count = coarse->count};
        CLS_TRY(move_lines(s, &m));
    }
    return CLSOLVE_OK;
}

clsolve_status cls_bt_slab_coarsen(cls_bt_slab *s, cls_bt_symmetry symmetric, cls_bt_slab *coarse) {
    int64_t first = s->first / 2, count = (s->first + s->count) / 2 - first;

    place(coarse, s->all / 2, first, count);
    if (count == 0) return CLSOLVE_OK;
    s->grid.symmetric = symmetric;
    if (cls_is_complex(s->grid.type)) CLS_TRY(mirror_ghosts(s, symmetric));
    CLS_TRY(setup(s->grid.device, s->grid.M, s->grid.type, &s->grid.shape, coarse));
    clsolve_status status = cls_bt_coarsen_once(&s->grid);
    if (status == CLSOLVE_OK) status = give_coefficients(s, coarse);
    clsolve_status finished = cls_bt_forget_levels(&s->grid);
    return status != CLSOLVE_OK ? status : finished;
}

/* ---- vectors and steps ---- */

clsolve_status cls_bt_slab_put(cls_bt_slab *s, int vector, int64_t line, int64_t lines, const void *values) {
    const cls_bt_range all = {0, INT64_MAX, 0, INT64_MAX};
    return put_lines(s, values, line, lines, s->vectors[vector], 0, &all);
}

clsolve_status cls_bt_slab_get(cls_bt_slab *s, int vector, int64_t line, int64_t lines, void *values) {
    return cls_bt_get_lines(&s->grid, values, line - s->base, lines, s->vectors[vector], 0, s->staging, s->staged);
}

clsolve_status cls_bt_slab_half_sweep(cls_bt_slab *s, int colour, int fresh) {
    if (s->count == 0) return CLSOLVE_OK;
    return cls_bt_half_sweep(&s->grid, s->vectors[F], s->vectors[Y], 1, colour, fresh, -1, 1, s->grid.idle);
}

clsolve_status cls_bt_slab_residual(cls_bt_slab *s) {
    int64_t groups;
    if (s->count == 0) return CLSOLVE_OK;
    return cls_bt_residual(&s->grid, s->vectors[F], s->vectors[Y], 1, s->vectors[R], CLS_BT_REST, s->grid.idle,
                           &groups);
}

/* Coarse line J is line 2 J + 1. */
clsolve_status cls_bt_slab_restrict(cls_bt_slab *s, cls_bt_slab *coarse) {
    const move m = {.from = s->vectors[R],
                    .from_panels = s->grid.level[0].panels,
                    .f0 = 2 * coarse->first + 1 - s->base,
                    .fs = 2,
                    .to = coarse->vectors[F],
                    .to_panels = coarse->grid.level[0].panels,
                    .t0 = coarse->first - coarse->base,
                    .ts = 1,
                    .count = coarse->count};
    return move_lines(s, &m);
}

clsolve_status cls_bt_slab_prolong(cls_bt_slab *s, const cls_bt_slab *coarse) {
    const move m = {.from = coarse->vectors[Y],
                    .from_panels = coarse->grid.level[0].panels,
                    .f0 = coarse->first - coarse->base,
                    .fs = 1,
                    .to = s->vectors[Y],
                    .to_panels = s->grid.level[0].panels,
                    .t0 = 2 * coarse->first + 1 - s->base,
                    .ts = 2,
                    .count = coarse->count,
                    .add = 1};
    return move_lines(s, &m);
}
