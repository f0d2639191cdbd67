/*
 * builtin_trsm.c: the triangular solve. T is halved until a block has at most 128 rows; that block is solved by
 * cl/trsm.cl, and one gemm takes the solved half out of the other:
 *
 *     forward (lower, or upper transposed)      backward (upper, or lower transposed)
 *
 *       [ T11      ] [ X1 ]   [ B1 ]              [ T11 T12 ] [ X1 ]   [ B1 ]
 *       [ T21  T22 ] [ X2 ] = [ B2 ]              [     T22 ] [ X2 ] = [ B2 ]
 *       X1 first, B2 -= T21 X1, then X2           X2 first, B1 -= T12 X2, then X1
 *
 * Halving gives as many gemms as stepping by 128 would, but most of the work lies in large ones.
 */
#include "blas/builtin.h"

#include <stdbool.h>
#include <stdio.h>

/* The kernel, and its work-group. */
typedef struct shape {
    const char *program, *options;
    int block, columns, items; /* the order of a triangle that it solves at once; of a work-group */
} shape;

/* Few columns a group, and many. cl/trsm.cl, of NVIDIA's instructions; cl/trsm_portable.cl, which wants less local memory
 * for smaller triangles. */
static const shape by_lanes[] = {{"trsm", "-DEACH=1 -DSETS=1", 128, 8, 128},
                                 {"trsm", "-DEACH=2 -DSETS=2", 128, 32, 256}};
static const shape portable[] = {{"trsm_portable", "-DEACH=1 -DMOST_ROWS=128", 128, 32, 256},
                                 {"trsm_portable", "-DEACH=2 -DMOST_ROWS=128", 128, 64, 256}};
static const shape portable_small[] = {{"trsm_portable", "-DEACH=1 -DMOST_ROWS=64", 64, 32, 128},
                                       {"trsm_portable", "-DEACH=1 -DMOST_ROWS=64", 64, 32, 128}};

enum { ENOUGH_LOCAL = 48 << 10, ENOUGH_ITEMS = 256 };

static const shape *choose_shapes(const cls_device *device) {
    const clsolve_device_info *info = &device->info;
    if (device->matrix_unit > 0 && !device->blas->builtin->no_lanes) return by_lanes;
    return info->local_memory >= ENOUGH_LOCAL && info->max_work_group >= ENOUGH_ITEMS ? portable : portable_small;
}

/* Chosen once: kernels that were built keep their shape. */
static const shape *shapes_of(cls_device *device) {
    cls_builtin *builtin = device->blas->builtin;
    if (!builtin->trsm_shapes) builtin->trsm_shapes = choose_shapes(device);
    return builtin->trsm_shapes;
}

typedef struct solve {
    cls_device *device;
    const cls_triangle *all;
    const shape *shape;
    cls_kernel *kernel;
} solve;

static bool is_forward(const solve *s) {
    return (s->all->uplo == CLS_LOWER_UNIT) == (s->all->op == CLSOLVE_NO_TRANS);
}

/* m <= the shape's block */
static clsolve_status solve_block(const solve *s, int64_t m, cls_ref T, cls_ref B) {
    int32_t order = (int32_t)m, backward = !is_forward(s);
    int32_t trans = s->all->op == CLSOLVE_TRANS, unit = s->all->uplo == CLS_LOWER_UNIT;
    cls_arg args[] = {CLS_VALUE(order),     CLS_VALUE(s->all->n), CLS_VALUE(backward), CLS_VALUE(trans),
                      CLS_VALUE(unit),      CLS_BUFFER(T.buffer), CLS_VALUE(T.offset), CLS_VALUE(T.ld),
                      CLS_BUFFER(B.buffer), CLS_VALUE(B.offset),  CLS_VALUE(B.ld)};
    int64_t columns = s->shape->columns, items = s->shape->items;
    cls_grid grid = {{(size_t)((s->all->n + columns - 1) / columns * items), 1, 1}, {(size_t)items, 1, 1}};
    return cls_launch(s->device, s->all->options.queue, s->kernel, &grid, CLS_ARGS(args));
}

/* B(to) -= op(T)(to, from) X(from), the block of op(T) that lies off its diagonal. */
static clsolve_status update(const solve *s, int64_t to, int64_t rows, int64_t from, int64_t inner, cls_ref T,
                             cls_ref B) {
    cls_ref block = s->all->op == CLSOLVE_TRANS ? cls_ref_at(T, from, to) : cls_ref_at(T, to, from);
    return cls_gemm(s->device, s->all->options, s->all->type, s->all->op, CLSOLVE_NO_TRANS, rows, s->all->n, inner,
                    -1.0, block, cls_ref_at(B, from, 0), 1.0, cls_ref_at(B, to, 0));
}

/* The depth is log2(m / block). */
static clsolve_status solve_halves(const solve *s, int64_t m, cls_ref T, cls_ref B) {
    const int64_t block = s->shape->block;
    if (m <= block) return solve_block(s, m, T, B);
    int64_t top = (m / 2 + block - 1) / block * block, bottom = m - top;
    cls_ref T22 = cls_ref_at(T, top, top), B2 = cls_ref_at(B, top, 0);
    if (is_forward(s)) {
        CLS_TRY(solve_halves(s, top, T, B));
        CLS_TRY(update(s, top, bottom, 0, top, T, B));
        return solve_halves(s, bottom, T22, B2);
    }
    CLS_TRY(solve_halves(s, bottom, T22, B2));
    CLS_TRY(update(s, 0, top, top, bottom, T, B));
    return solve_halves(s, top, T, B);
}

/* Many columns a group where with few of them the groups would be more than two a compute unit, and its local memory is
 * there. */
static int suits_many(const cls_device *device, const shape *few, int64_t n) {
    return device->info.type != CLSOLVE_DEVICE_CPU && device->info.local_memory >= ENOUGH_LOCAL &&
           n > 2 * (int64_t)few->columns * device->info.compute_units;
}

/* The kernel that suits n right-hand sides. */
static clsolve_status get_kernel(cls_device *device, const cls_triangle *t, const shape **chosen, cls_kernel **kernel) {
    const shape *shapes = shapes_of(device);
    int wide = suits_many(device, shapes, t->n);
    cls_kernel **slot = &device->blas->builtin->trsm[t->type == CLSOLVE_F64][wide];
    char options[64];
    *chosen = &shapes[wide];
    (void)snprintf(options, sizeof options, "-DCLS_UNIT=%d %s", device->matrix_unit, (*chosen)->options);
    clsolve_status status = cls_builtin_kernel(device, slot, (*chosen)->program, (*chosen)->program, t->type, options);
    *kernel = *slot;
    return status;
}

/* For a compiler without lanes. What it did build has another shape. */
static void leave_lanes(cls_device *device) {
    cls_builtin *builtin = device->blas->builtin;
    cls_kernel **kernels = &builtin->trsm[0][0];
    for (size_t k = 0; k < sizeof builtin->trsm / sizeof *kernels; k++) {
        device->ops->kernel_destroy(device, kernels[k]);
        kernels[k] = NULL;
    }
    builtin->no_lanes = 1;
    builtin->trsm_shapes = NULL;
}

clsolve_status cls_builtin_trsm(cls_device *device, const cls_triangle *t) {
    const cls_error before = *device->error;
    const shape *chosen;
    cls_builtin *builtin;
    cls_kernel *kernel;
    if (t->m == 0 || t->n == 0) return CLSOLVE_OK;
    CLS_TRY(cls_builtin_get(device, &builtin));
    clsolve_status status = get_kernel(device, t, &chosen, &kernel);
    if (status == CLSOLVE_ERROR_BUILD && shapes_of(device) == by_lanes) {
        leave_lanes(device);
        *device->error = before;
        status = get_kernel(device, t, &chosen, &kernel);
    }
    if (status != CLSOLVE_OK || device->announcing) return status; /* its products are announced by themselves */
    solve s = {device, t, chosen, kernel};
    return solve_halves(&s, t->m, t->T, t->B);
}
