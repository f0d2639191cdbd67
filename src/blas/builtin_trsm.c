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

enum { BLOCK = 128, SIDES = 8 }; /* as in cl/trsm.cl */

/* A work-group: its EACH and SETS. */
typedef struct shape {
    int each, sets;
    const char *options;
} shape;
static const shape few = {1, 1, "-DEACH=1 -DSETS=1"}, many = {2, 2, "-DEACH=2 -DSETS=2"};

typedef struct solve {
    cls_device *device;
    const cls_triangle *all;
    const shape *shape;
    cls_kernel *kernel;
} solve;

static bool is_forward(const solve *s) {
    return (s->all->uplo == CLS_LOWER_UNIT) == (s->all->op == CLSOLVE_NO_TRANS);
}

/* m <= BLOCK */
static clsolve_status solve_block(const solve *s, int64_t m, cls_ref T, cls_ref B) {
    int32_t order = (int32_t)m, backward = !is_forward(s);
    int32_t trans = s->all->op == CLSOLVE_TRANS, unit = s->all->uplo == CLS_LOWER_UNIT;
    cls_arg args[] = {CLS_VALUE(order),     CLS_VALUE(s->all->n), CLS_VALUE(backward), CLS_VALUE(trans),
                      CLS_VALUE(unit),      CLS_BUFFER(T.buffer), CLS_VALUE(T.offset), CLS_VALUE(T.ld),
                      CLS_BUFFER(B.buffer), CLS_VALUE(B.offset),  CLS_VALUE(B.ld)};
    int64_t columns = SIDES * s->shape->each * s->shape->sets, items = BLOCK * s->shape->sets;
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

/* The depth is log2(m / 128). */
static clsolve_status solve_halves(const solve *s, int64_t m, cls_ref T, cls_ref B) {
    if (m <= BLOCK) return solve_block(s, m, T, B);
    int64_t top = (m / 2 + BLOCK - 1) / BLOCK * BLOCK, bottom = m - top;
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
static int suits_many(const cls_device *device, int64_t n) {
    return device->info.type != CLSOLVE_DEVICE_CPU && device->info.local_memory >= 48 << 10 &&
           n > 2 * SIDES * device->info.compute_units;
}

clsolve_status cls_builtin_trsm(cls_device *device, const cls_triangle *t) {
    cls_builtin *builtin;
    if (t->m == 0 || t->n == 0) return CLSOLVE_OK;
    CLS_TRY(cls_builtin_get(device, &builtin));
    int wide = suits_many(device, t->n);
    const shape *shape = wide ? &many : &few;
    cls_kernel **kernel = &builtin->trsm[t->type == CLSOLVE_F64][wide];
    char options[64];
    (void)snprintf(options, sizeof options, "-DCLS_UNIT=%d %s", device->matrix_unit, shape->options);
    CLS_TRY(cls_builtin_kernel(device, kernel, "trsm", "trsm", t->type, options));
    if (device->announcing) return CLSOLVE_OK; /* its products are announced by themselves */
    solve s = {device, t, shape, *kernel};
    return solve_halves(&s, t->m, t->T, t->B);
}
