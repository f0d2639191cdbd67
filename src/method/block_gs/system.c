#include "method/block_gs/block_gs.h"

#include <stdio.h>

#include "base/memory.h"
#include "base/pool.h"

static void fill_defaults(clsolve_block_gs_options *o, clsolve_type type) {
    if (o->smooth_before == 0) o->smooth_before = 1;
    if (o->smooth_after == 0) o->smooth_after = 1;
    if (o->sweeps == 0) o->sweeps = 1;
    if (o->tolerance == 0) o->tolerance = cls_is_double(type) ? 1e-10 : 1e-5;
}

/* Is a hierarchy of levels of any use to what was asked for? */
static int wants_levels(const clsolve_block_gs_options *o) {
    switch (o->method) {
    case CLSOLVE_BLOCK_GS_SWEEPS:
    case CLSOLVE_BLOCK_GS_GAUSS_SEIDEL:
    case CLSOLVE_BLOCK_GS_SOR:
        return 0;
    case CLSOLVE_BLOCK_GS_CG:
    case CLSOLVE_BLOCK_GS_COCG:
    case CLSOLVE_BLOCK_GS_BICGSTAB:
    case CLSOLVE_BLOCK_GS_FGMRES:
        return o->preconditioner == CLSOLVE_BLOCK_GS_PRECONDITIONER_AUTO ||
               o->preconditioner == CLSOLVE_BLOCK_GS_PRECONDITIONER_MULTIGRID;
    case CLSOLVE_BLOCK_GS_AUTO:
    case CLSOLVE_BLOCK_GS_MULTIGRID:
        break;
    }
    return 1;
}

/*
 * AUTO takes float for the preconditioner where vectors are long enough to be what takes the time, and on a GPU: a
 * CPU's two cores took 1.3 to 1.4 times as long with it up to 1024 x 1024, where memory is not yet what they wait for.
 */
static int wants_single(const cls_device *device, const clsolve_block_gs_options *o, clsolve_type type, int64_t N,
                        int64_t M) {
    enum { LONG = 1 << 15 };
    if (!cls_is_double(type)) return 0;
    if (o->single_precision) return 1;
    if (device->info.host_memory) return 0;
    return o->method == CLSOLVE_BLOCK_GS_AUTO && o->pivoting != CLSOLVE_PIVOTING_PARTIAL && N * M >= LONG;
}

static clsolve_status build(cls_bt *bt, const char *source, const char *options, const cls_named_kernel *list,
                            size_t count) {
    cls_program *program;
    CLS_TRY(bt->device->ops->program_get(bt->device, source, options, &program));
    for (size_t k = 0; k < count; ++k)
        if (!*list[k].kernel)
            CLS_TRY(bt->device->ops->kernel_create(bt->device, program, list[k].name, list[k].kernel));
    return CLSOLVE_OK;
}

static clsolve_status build_converters(cls_bt *bt) {
    const cls_named_kernel list[] = {{"bt_narrow", &bt->to_float},
                                     {"bt_widen", &bt->to_double},
                                     {"bt_dot_float", &bt->dot_float},
                                     {"bt_direction", &bt->direction},
                                     {"bt_advance_float", &bt->advance_float}};
    char options[128];
    (void)snprintf(options, sizeof options, "%s -DLS=%d -DRUN=%d", cls_type_option(bt->grid.type),
                   (int)bt->grid.shape.flat, (int)bt->grid.shape.run);
    return build(bt, "bt_convert", options, list, sizeof list / sizeof *list);
}

static clsolve_status announced(void *what) {
    return cls_bt_grid_announce(&((const cls_bt *)what)->grid);
}

/* Most large matrices are definite, and take levels in float. Where many programs compile at once, these begin too. */
static clsolve_status announced_levels(void *what) {
    cls_bt bt = *(const cls_bt *)what;
    bt.single = bt.grid;
    bt.single.type = cls_single_type(bt.grid.type);
    bt.single.role = CLS_BT_INNER;
    CLS_TRY(cls_bt_parts_build(&bt.single, CLS_BT_PARTS_OF_LEVELS));
    return build_converters(&bt);
}

/* Parts of both grids. */
typedef struct wanted_parts {
    cls_bt *bt;
    unsigned outer, inner;
} wanted_parts;

static clsolve_status build_wanted(void *what) {
    const wanted_parts *w = what;
    CLS_TRY(cls_bt_parts_build(&w->bt->grid, w->outer));
    if (w->inner == 0) return CLSOLVE_OK;
    CLS_TRY(cls_bt_parts_build(&w->bt->single, w->inner));
    return build_converters(w->bt);
}

/* Cycles have no use for the kernels of Krylov methods, nor has CG with levels in float (`inner`). A singular system's
 * mean takes them. */
static int wants_krylov(const cls_bt *bt, int inner) {
    const clsolve_block_gs_method method = bt->options.method;
    const int is_auto = method == CLSOLVE_BLOCK_GS_AUTO;
    if (bt->grid.singular || cls_is_complex(bt->grid.type)) return 1;
    if (method == CLSOLVE_BLOCK_GS_CG || (is_auto && cls_bt_definite(bt))) return !inner;
    return is_auto ? (bt->bits & CLS_BT_NOT_DOMINANT) != 0 : method != CLSOLVE_BLOCK_GS_MULTIGRID;
}

/* All that levels take, in the grid's type or in float: they compile together. */
static clsolve_status build_levels(cls_bt *bt, int outer, int inner, int krylov) {
    const unsigned parts = CLS_BT_PARTS_OF_LEVELS | (bt->grid.singular ? CLS_BT_PART_PIN : 0);
    wanted_parts wanted = {bt, (outer ? parts : 0) | (krylov ? CLS_BT_PART_KRYLOV : 0),
                           inner && bt->has_single ? parts : 0};
    if (!cls_bt_parts_missing(&bt->grid, wanted.outer) && !cls_bt_parts_missing(&bt->single, wanted.inner))
        return CLSOLVE_OK;
    CLS_TRY(cls_announce(bt->device, build_wanted, &wanted));
    return build_wanted(&wanted);
}

clsolve_status cls_bt_build_all(cls_bt *bt) {
    return build_levels(bt, 1, 1, 1);
}

clsolve_status cls_bt_setup(cls_device *device, int64_t N, int64_t M, clsolve_type type,
                            const clsolve_block_gs_options *options, cls_bt *bt) {
    enum { MANY_COMPILERS = 6 };
    void *memory = NULL;

    bt->device = device;
    if (options) bt->options = *options;
    fill_defaults(&bt->options, type);
    const int single = wants_single(device, &bt->options, type, N, M);
    const int levels = bt->options.method != CLSOLVE_BLOCK_GS_SWEEPS;
    const int pivoted = bt->options.pivoting == CLSOLVE_PIVOTING_PARTIAL;
    const cls_bt_role role = !levels ? CLS_BT_LINES : single ? CLS_BT_OUTER : CLS_BT_WHOLE;
    const cls_bt_shape shape = cls_bt_shape_for(device, type, levels, single, N, M);
    bt->grid =
        (cls_bt_grid){.device = device, .type = type, .N = N, .M = M, .shape = shape, .role = role, .pivoted = pivoted};
    CLS_TRY(cls_announce(device, announced, bt));
    if (single && device->builders && cls_pool_threads(device->builders) >= MANY_COMPILERS)
        CLS_TRY(cls_announce(device, announced_levels, bt));
    CLS_TRY(cls_bt_grid_create(device, type, N, M, &shape, role, pivoted, &bt->grid));
    if (single) {
        bt->has_single = 1;
        CLS_TRY(cls_bt_grid_create(device, cls_single_type(type), N, M, &shape, CLS_BT_INNER, 0, &bt->single));
    }
    if (bt->options.single_precision) CLS_TRY(cls_bt_build_all(bt));
    if (bt->options.jacobi) CLS_TRY(cls_bt_make(&bt->grid, (size_t)bt->grid.level[0].size, &bt->scale));
    CLS_TRY(device->ops->pinned_create(device, 2 * CLS_BT_CONTROL * sizeof(int64_t), &bt->pinned, &memory));
    bt->looks = memory;
    return CLSOLVE_OK;
}

static void drop_vectors(cls_bt *bt) {
    cls_device *device = bt->device;

    (void)device->ops->finish(device, CLS_COMPUTE);
    CLS_BUFFERS_DESTROY(device, bt->F, bt->Y, bt->best, bt->narrow, bt->wide);
    cls_buffers_destroy(device, bt->work, (size_t)bt->works);
    cls_bt_run_release(&bt->run);
    bt->F = bt->Y = bt->best = bt->narrow = bt->wide = NULL;
    bt->works = 0;
    bt->rhs = 0;
}

void cls_bt_release(cls_bt *bt) {
    cls_device *device = bt->device;
    if (!device) return;
    drop_vectors(bt);
    CLS_BUFFERS_DESTROY(device, bt->scale, bt->ones);
    CLS_KERNELS_DESTROY(device, bt->to_float, bt->to_double, bt->dot_float, bt->direction, bt->advance_float);
    if (bt->pinned) device->ops->pinned_destroy(device, bt->pinned);
    cls_bt_grid_release(&bt->grid);
    cls_bt_grid_release(&bt->single);
    cls_free(bt->history);
    cls_free(bt->residuals);
    cls_free(bt->sizes);
    cls_free(bt->shifts);
    *bt = (cls_bt){0};
}

/* ---- set ---- */

/* A grid with room and kernels for row exchanges, which does without them too, takes the place of the plain one; the
 * coefficients are copied over. */
static clsolve_status become_pivoted(cls_bt *bt) {
    cls_bt_grid *old = &bt->grid, made = {0};
    size_t bytes = (size_t)(5 * old->level[0].size * cls_type_size(old->type));
    clsolve_status status = cls_bt_grid_create(bt->device, old->type, old->N, old->M, &old->shape, old->role, 1, &made);
    made.symmetric = old->symmetric;
    made.singular = old->singular;
    if (status == CLSOLVE_OK)
        status = bt->device->ops->copy(bt->device, CLS_COMPUTE, old->coef, 0, made.coef, 0, bytes);
    if (status == CLSOLVE_OK) status = bt->device->ops->finish(bt->device, CLS_COMPUTE);
    if (status != CLSOLVE_OK) {
        cls_bt_grid_release(&made);
        return status;
    }
    drop_vectors(bt); /* the run among them knows the old grid's control */
    cls_bt_grid_release(old);
    bt->grid = made;
    return CLSOLVE_OK;
}

/* A vector of ones on the lines that are, zeros in the padding. */
static clsolve_status make_ones(cls_bt *bt) {
    double one[2] = {0, 0}; /* room for an element of any type */
    cls_bt_grid *g = &bt->grid;
    clsolve_grid host = {.type = g->type, .data = one};
    cls_type_put(g->type, one, 0, 1);
    if (bt->ones) return CLSOLVE_OK;
    CLS_TRY(cls_bt_make(g, (size_t)g->level[0].size, &bt->ones));
    return cls_bt_upload_constant(g, &host, bt->ones);
}

/*
 * Are levels with losses of use? Coarse grids have too few points for the waves of a matrix whose diagonal does not
 * dominate, and without losses their corrections are no corrections. The Krylov method around them takes the losses
 * out.
 */
static int wants_losses(const cls_bt *bt) {
    return cls_is_complex(bt->grid.type) && bt->bits & CLS_BT_NOT_DOMINANT && !bt->grid.singular &&
           bt->options.method != CLSOLVE_BLOCK_GS_MULTIGRID;
}

/* The part of what the diagonal lacks: 1 failed on waves of 0.125 k^2 i over 255 x 255 points, 12 a wave's length; with
 * 2 all converged. */
static const double losses = 2;

static clsolve_status set_up_single(cls_bt *bt) {
    cls_bt_grid *s = &bt->single;
    int64_t words = 5 * bt->grid.level[0].size;

    if (!s->device)
        CLS_TRY(
            cls_bt_grid_create(bt->device, bt->grid.type, bt->grid.N, bt->grid.M, &bt->grid.shape, CLS_BT_WHOLE, 0, s));
    s->symmetric = bt->grid.symmetric;
    s->singular = bt->grid.singular;
    if (bt->has_single)
        CLS_TRY(cls_bt_convert(bt, bt->to_float, bt->grid.coef, s->coef, words));
    else
        CLS_TRY(bt->device->ops->copy(bt->device, CLS_COMPUTE, bt->grid.coef, 0, s->coef, 0,
                                      (size_t)(words * cls_type_size(s->type))));
    if (bt->damped) CLS_TRY(cls_bt_damp(s, losses));
    CLS_TRY(cls_bt_factor(s, 0, NULL, NULL, NULL));
    return cls_bt_coarsen(s);
}

clsolve_status cls_bt_convert(cls_bt *bt, cls_kernel *kernel, cls_buffer *from, cls_buffer *to, int64_t elements) {
    const cls_bt_shape *s = &bt->grid.shape;
    int64_t words = elements * cls_type_parts(bt->grid.type);
    cls_grid grid = {{(size_t)(s->groups * s->flat), 1, 1}, {(size_t)s->flat, 1, 1}};
    cls_arg args[] = {CLS_BUFFER(from), CLS_BUFFER(to), CLS_VALUE(words)};
    return cls_launch(bt->device, CLS_COMPUTE, kernel, &grid, CLS_ARGS(args));
}

clsolve_status cls_bt_factor_lines(cls_bt *bt, int64_t *line, int32_t *infos) {
    cls_bt_grid *g = &bt->grid;
    int64_t unsafe = 0;

    if (bt->options.pivoting == CLSOLVE_PIVOTING_AUTO) g->pivoted = 0; /* whatever the matrix before this one wanted */
    CLS_TRY(cls_bt_factor(g, 0, &unsafe, line, infos));
    if (unsafe > 0 && bt->options.pivoting == CLSOLVE_PIVOTING_AUTO) {
        if (!g->sweep_pivoted) CLS_TRY(become_pivoted(bt));
        g->pivoted = 1;
        CLS_TRY(cls_bt_factor(g, 0, &unsafe, line, infos));
    }
    return CLSOLVE_OK;
}

clsolve_status cls_bt_prepare(cls_bt *bt, int64_t *line) {
    cls_bt_grid *g = &bt->grid;

    g->symmetric = cls_bt_symmetry_of(bt);
    g->singular = !(bt->bits & CLS_BT_HAS_SUM);
    CLS_TRY(cls_bt_factor_lines(bt, line, NULL));
    if (*line >= 0) return CLSOLVE_OK;
    if (g->singular) CLS_TRY(make_ones(bt));
    bt->has_levels = !g->pivoted && wants_levels(&bt->options);
    bt->single_ready = 0;
    bt->damped = bt->has_levels && wants_losses(bt);
    if (!bt->has_levels) return CLSOLVE_OK;
    const int inner = bt->damped || (bt->has_single && (bt->options.single_precision || cls_bt_definite(bt)));
    const int outer = !inner || bt->options.method == CLSOLVE_BLOCK_GS_MULTIGRID;
    CLS_TRY(build_levels(bt, outer, inner, wants_krylov(bt, inner)));
    if (inner) CLS_TRY(set_up_single(bt));
    bt->single_ready = inner;
    bt->grid.levels = 1; /* those of the matrix before are not this one's */
    return outer ? cls_bt_coarsen(g) : CLSOLVE_OK;
}

clsolve_status cls_bt_make_levels(cls_bt *bt) {
    if (bt->grid.levels > 1 || bt->grid.N == 1) return CLSOLVE_OK;
    CLS_TRY(build_levels(bt, 1, 0, 1));
    CLS_TRY(cls_bt_coarsen(&bt->grid));
    return cls_bt_grid_reserve(&bt->grid, bt->rhs);
}

cls_bt_symmetry cls_bt_symmetry_of(const cls_bt *bt) {
    if (cls_is_complex(bt->grid.type) && !(bt->bits & CLS_BT_NOT_HERMITIAN)) return CLS_BT_HERMITIAN;
    return bt->bits & CLS_BT_ASYMMETRIC ? CLS_BT_GENERAL : CLS_BT_SYMMETRIC;
}

/* A diagonal of one sign that dominates: by Gershgorin's circles no eigenvalue lies on the other side of zero. */
int cls_bt_definite(const cls_bt *bt) {
    int both = CLS_BT_POSITIVE | CLS_BT_NEGATIVE;
    cls_bt_symmetry kind = cls_is_complex(bt->grid.type) ? CLS_BT_HERMITIAN : CLS_BT_SYMMETRIC;
    return cls_bt_symmetry_of(bt) == kind && !(bt->bits & CLS_BT_NOT_DOMINANT) && (bt->bits & both) != both;
}

/* ---- vectors ---- */

clsolve_status cls_bt_reserve(cls_bt *bt, int64_t rhs) {
    int64_t words = bt->grid.level[0].size * rhs, tests = bt->options.max_iterations;

    CLS_TRY(cls_bt_grid_reserve(&bt->grid, rhs));
    if (bt->single_ready) CLS_TRY(cls_bt_grid_reserve(&bt->single, rhs));
    if (rhs <= bt->rhs) {
        bt->run.rhs = rhs;
        return CLSOLVE_OK;
    }
    drop_vectors(bt);
    CLS_TRY(cls_bt_make(&bt->grid, (size_t)words, &bt->F));
    CLS_TRY(cls_bt_make(&bt->grid, (size_t)words, &bt->Y));
    CLS_TRY(cls_bt_make(&bt->grid, (size_t)words, &bt->best));
    if (bt->has_single) {
        CLS_TRY(cls_bt_make(&bt->single, (size_t)words, &bt->narrow));
        CLS_TRY(cls_bt_make(&bt->single, (size_t)words, &bt->wide));
    }
    CLS_TRY(cls_bt_run_create(&bt->grid, rhs, tests > 16384 ? tests + 64 : 16448, &bt->run));
    bt->rhs = rhs;
    return CLSOLVE_OK;
}

clsolve_status cls_bt_reserve_works(cls_bt *bt, int works) {
    for (; bt->works < works; ++bt->works)
        CLS_TRY(cls_bt_make(&bt->grid, (size_t)(bt->grid.level[0].size * bt->rhs), &bt->work[bt->works]));
    return CLSOLVE_OK;
}
