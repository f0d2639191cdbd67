/*
 * range.c: numbers brought into the middle of the type's range, and back. Norms are sums of squares and products of
 * Krylov methods are of two vectors, so the iteration wants numbers whose squares are far from either end, and levels
 * in float want the same of numbers that came as double. With A' = A 2^-e and F' = F 2^-f it finds Y' = Y 2^(e - f).
 * Powers of two round nothing; and what is in the middle already is left as it is.
 */
#include "method/block_gs/block_gs.h"

#include <math.h>

#include "base/memory.h"

/* So far from 1, in powers of two, numbers may be. */
int cls_bt_comfort(const cls_bt *bt) {
    enum { DOUBLE = 64, FLOAT = 16 };
    return cls_is_double(bt->grid.type) && !bt->has_single ? DOUBLE : FLOAT;
}

/* The power of two that brings x > 0 to about 1, where it is uncomfortable; else 0. */
static int shift_of(const cls_bt *bt, double x) {
    int exponent = x > 0 ? ilogb(x) : 0;
    return exponent > cls_bt_comfort(bt) || exponent < -cls_bt_comfort(bt) ? exponent : 0;
}

clsolve_status cls_bt_scale_matrix(cls_bt *bt, double largest, int *scaled) {
    bt->exponent = shift_of(bt, largest);
    *scaled = bt->exponent != 0;
    return cls_bt_rescale(&bt->grid, bt->grid.coef, 0, 5 * bt->grid.level[0].size, -bt->exponent);
}

static clsolve_status reserve(cls_bt *bt) {
    int64_t rhs = bt->run.rhs;
    if (rhs <= bt->columns) return CLSOLVE_OK;
    cls_free(bt->residuals);
    cls_free(bt->sizes);
    cls_free(bt->shifts);
    bt->columns = 0;
    bt->residuals = cls_alloc((size_t)rhs, sizeof *bt->residuals);
    bt->sizes = cls_alloc((size_t)(2 * rhs), sizeof *bt->sizes);
    bt->shifts = cls_alloc((size_t)rhs, sizeof *bt->shifts);
    if (!bt->residuals || !bt->sizes || !bt->shifts) return cls_no_memory(bt->device->error, "the norms");
    bt->columns = rhs;
    return CLSOLVE_OK;
}

/*
 * By F; where sweeps are asked for, whose guess counts whatever it is, by A Y if that is larger.
 */
static int shift_of_column(const cls_bt *bt, double F, double Y) {
    if (bt->options.method != CLSOLVE_BLOCK_GS_SWEEPS || !(Y > 0)) return shift_of(bt, F);
    int guess = ilogb(Y) + bt->exponent, most = F > 0 && ilogb(F) > guess ? ilogb(F) : guess;
    return most > cls_bt_comfort(bt) || most < -cls_bt_comfort(bt) || bt->exponent != 0 ? most : 0;
}

clsolve_status cls_bt_scale_in(cls_bt *bt, int *finite) {
    cls_bt_grid *g = &bt->grid;
    int64_t size = g->level[0].size;
    size_t bytes = (size_t)(size * cls_type_size(g->type));
    int sweeps = bt->options.method == CLSOLVE_BLOCK_GS_SWEEPS;

    *finite = 1;
    CLS_TRY(reserve(bt));
    CLS_TRY(cls_bt_measure(&bt->run, bt->F, bt->Y, bt->sizes));
    for (int64_t r = 0; r < bt->run.rhs; ++r) {
        double F = bt->sizes[2 * r], Y = bt->sizes[2 * r + 1];
        if (F < 0 || Y < 0) *finite = 0;
        if (!*finite) return CLSOLVE_OK;
        int shift = bt->shifts[r] = shift_of_column(bt, F, Y);
        CLS_TRY(cls_bt_rescale(g, bt->F, r * size, size, -shift));
        if (F > 0 || sweeps)
            CLS_TRY(cls_bt_rescale(g, bt->Y, r * size, size, Y > 0 ? bt->exponent - shift : 0));
        else if (Y > 0)
            CLS_TRY(bt->device->ops->fill(bt->device, CLS_COMPUTE, bt->Y, (size_t)r * bytes, bytes, 0));
    }
    return bt->scale ? cls_bt_times(&bt->run, bt->F, bt->scale) : CLSOLVE_OK;
}

clsolve_status cls_bt_scale_out(cls_bt *bt) {
    int64_t size = bt->grid.level[0].size;
    for (int64_t r = 0; r < bt->run.rhs; ++r)
        CLS_TRY(cls_bt_rescale(&bt->grid, bt->Y, r * size, size, bt->shifts[r] - bt->exponent));
    return cls_bt_measure(&bt->run, bt->Y, NULL, bt->sizes);
}
