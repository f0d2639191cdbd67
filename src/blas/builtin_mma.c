/*
 * builtin_mma.c: the product by a matrix unit. Two tiles: the large one reads its operands less often, the small one
 * gives work to all compute units when C is small.
 */
#include "blas/builtin.h"

#include <stdio.h>

/* As cl/gemm_mma.cl has them: the tile of a work-group and the part of a warp of 32 work-items. */
static const struct tile {
    int bm, bn, wm, wn, stages;
} tiles[CLS_MMA_TILES] = {{64, 64, 32, 32, 4}, {128, 64, 64, 32, 4}};

int cls_builtin_mma_suits(const cls_device *device, clsolve_type type) {
    return device->matrix_unit >= 80 &&
           !(device->blas && device->blas->builtin && device->blas->builtin->mma_fails[type == CLSOLVE_F64]);
}

int cls_builtin_mma_takes(const cls_device *device, const cls_product *p) {
    enum { FLOAT_COLUMNS = 8, FLOAT_INNER = 16 };
    if (p->m == 0 || p->n == 0 || p->k == 0 || p->alpha == 0 || !cls_builtin_mma_suits(device, p->type)) return 0;
    return p->type == CLSOLVE_F64 || (p->n >= FLOAT_COLUMNS && p->k >= FLOAT_INNER && !p->options.whole_range);
}

static int64_t groups_of(cls_mma_tile tile, const cls_product *p) {
    return (p->m + tiles[tile].bm - 1) / tiles[tile].bm * ((p->n + tiles[tile].bn - 1) / tiles[tile].bn);
}

static clsolve_status launch(cls_device *device, cls_kernel *kernel, const void *how, const cls_product *p) {
    const cls_mma_tile tile = *(const cls_mma_tile *)how;
    const int in_double = p->type == CLSOLVE_F64;
    size_t items = (size_t)(tiles[tile].bm / tiles[tile].wm * (tiles[tile].bn / tiles[tile].wn) * 32);
    int64_t groups = groups_of(tile, p);
    cls_grid grid = {{(size_t)groups * items, 1, 1}, {items, 1, 1}};
    float alpha = (float)p->alpha, beta = (float)p->beta;
    cls_arg of_doubles[2] = {CLS_VALUE(p->alpha), CLS_VALUE(p->beta)};
    cls_arg of_floats[2] = {CLS_VALUE(alpha), CLS_VALUE(beta)};
    const cls_arg *scalars = in_double ? of_doubles : of_floats;
    cls_arg args[] = {CLS_VALUE(p->m),         CLS_VALUE(p->n),        CLS_VALUE(p->k),    scalars[0],
                      CLS_BUFFER(p->A.buffer), CLS_VALUE(p->A.offset), CLS_VALUE(p->A.ld), CLS_BUFFER(p->B.buffer),
                      CLS_VALUE(p->B.offset),  CLS_VALUE(p->B.ld),     scalars[1],         CLS_BUFFER(p->C.buffer),
                      CLS_VALUE(p->C.offset),  CLS_VALUE(p->C.ld)};
    return cls_launch(device, p->options.queue, kernel, &grid, CLS_ARGS(args));
}

/* The elements of a word of 16 bytes. */
static int word_of(clsolve_type type) {
    return type == CLSOLVE_F64 ? 2 : 4;
}

static clsolve_status prepare(cls_device *device, cls_kernel **slot, clsolve_type type, cls_mma_tile tile,
                              clsolve_op op_a, clsolve_op op_b, int words) {
    const struct tile *t = &tiles[tile];
    char options[160];
    (void)snprintf(options, sizeof options,
                   "-DCLS_UNIT=%d -DBM=%d -DBN=%d -DWM=%d -DWN=%d -DSTAGES=%d -DTRANS_A=%d -DTRANS_B=%d -DVECTOR=%d",
                   device->matrix_unit, t->bm, t->bn, t->wm, t->wn, t->stages, op_a == CLSOLVE_TRANS,
                   op_b == CLSOLVE_TRANS, words ? word_of(type) : 1);
    const cls_builtin_form form = {"gemm_mma", type, options, op_a, op_b, !words, launch, &tile};
    return cls_builtin_tested(device, &form, slot, &device->blas->builtin->mma_fails[type == CLSOLVE_F64]);
}

clsolve_status cls_builtin_mma(cls_device *device, const cls_product *p, int *right) {
    const int in_double = p->type == CLSOLVE_F64;
    cls_builtin *builtin;
    CLS_TRY(cls_builtin_get(device, &builtin));
    cls_mma_tile tile = groups_of(CLS_MMA_LARGE, p) >= device->info.compute_units ? CLS_MMA_LARGE : CLS_MMA_SMALL;
    int words = (p->A.offset | p->A.ld | p->B.offset | p->B.ld) % word_of(p->type) == 0;
    cls_kernel **slot = &builtin->mma[in_double][tile][p->op_a == CLSOLVE_TRANS][p->op_b == CLSOLVE_TRANS][words];
    if (!*slot) CLS_TRY(prepare(device, slot, p->type, tile, p->op_a, p->op_b, words));
    *right = !builtin->mma_fails[in_double];
    return *right && !device->announcing ? launch(device, *slot, &tile, p) : CLSOLVE_OK;
}

clsolve_status cls_builtin_mma_try(cls_device *device, clsolve_type type) {
    const int in_double = type == CLSOLVE_F64;
    cls_builtin *builtin;
    CLS_TRY(cls_builtin_get(device, &builtin));
    for (int form = 0; form < 2 * CLS_MMA_TILES && !builtin->mma_fails[in_double]; form++) {
        cls_kernel **slot = &builtin->mma[in_double][form / 2][0][0][form % 2];
        if (!*slot)
            CLS_TRY(
                prepare(device, slot, type, (cls_mma_tile)(form / 2), CLSOLVE_NO_TRANS, CLSOLVE_NO_TRANS, form % 2));
    }
    return CLSOLVE_OK;
}
