/*
 * solve.c: op(A)^-1 B by block columns.
 *
 *      A x = b:     b = L_p^-1 P_p ... L_1^-1 P_1 b, each block column's swaps just before its triangle;  x = U^-1 b
 *      A^T x = b:   b = U^-T b;   x = P_1^T L_1^-T ... P_p^T L_p^-T b
 */
#include "method/band/sides.h"
#include "method/band/stream.h"

/* A block column as a solve sees it. */
typedef struct block {
    int64_t j, k, below; /* its columns j .. k-1; its panel's rows j .. below-1 */
    int64_t above;       /* the first row of its U */
} block;

static block block_at(const cls_band *band, int64_t j) {
    block b = {j, j + cls_band_width(band, j), cls_band_below(band, j), j > band->kv ? j - band->kv : 0};
    return b;
}

static clsolve_status swap(cls_band *band, const block *b, int64_t cols, int reverse) {
    int64_t lead = cls_band_lead(band, b->j);
    cls_matrix sides = cls_band_sides(band, lead);
    return cls_panel_move_rows(&band->panel, CLS_COMPUTE, &sides, 0, cols, cols, 0, b->j - lead, b->k - lead, reverse);
}

static clsolve_status triangle(cls_band *band, cls_uplo half, clsolve_op op, const block *b, int64_t cols) {
    cls_ref T = cls_band_at(band, b->j, b->j);

    for (int64_t c = 0, run; c < cols; c += run) {
        run = cls_matrix_run(&band->B, c, cols);
        CLS_TRY(cls_trsm(band->device, cls_band_how(band), band->type, half, op, b->k - b->j, run, T,
                         cls_band_side(band, b->j, c)));
    }
    return CLSOLVE_OK;
}

/* B(to ..) -= op(F) B(from ..) where F is rows i .. end-1 of the block column. */
static clsolve_status product(cls_band *band, clsolve_op op, const block *b, int64_t i, int64_t end, int64_t cols) {
    int64_t width = b->k - b->j, rows = end - i;
    cls_ref F = cls_band_at(band, i, b->j);

    for (int64_t c = 0, run; c < cols; c += run) {
        run = cls_matrix_run(&band->B, c, cols);
        cls_ref mine = cls_band_side(band, b->j, c), others = cls_band_side(band, i, c);
        int plain = op == CLSOLVE_NO_TRANS;
        CLS_TRY(cls_gemm(band->device, cls_band_how(band), band->type, op, CLSOLVE_NO_TRANS, plain ? rows : width, run,
                         plain ? width : rows, -1.0, F, plain ? mine : others, 1.0, plain ? others : mine));
    }
    return CLSOLVE_OK;
}

static clsolve_status step(cls_band *band, cls_uplo half, clsolve_op op, int64_t j, int64_t cols) {
    block b = block_at(band, j);
    int lower = half == CLS_LOWER_UNIT;
    int64_t i = lower ? b.k : b.above, end = lower ? b.below : b.j;

    CLS_TRY(cls_band_sides_reach(band, lower ? b.j : b.above, lower ? b.below : b.k, cols));
    if (op == CLSOLVE_NO_TRANS) {
        if (lower) CLS_TRY(swap(band, &b, cols, 0));
        CLS_TRY(triangle(band, half, op, &b, cols));
        return product(band, op, &b, i, end, cols);
    }
    CLS_TRY(product(band, op, &b, i, end, cols));
    CLS_TRY(triangle(band, half, op, &b, cols));
    return lower ? swap(band, &b, cols, 1) : CLSOLVE_OK;
}

static clsolve_status sweep(cls_band *band, cls_uplo half, clsolve_op op, int64_t cols) {
    int backward = (half == CLS_UPPER) == (op == CLSOLVE_NO_TRANS);
    int64_t last = cls_band_before(band, band->n);

    CLS_TRY(cls_band_stream_read(band, half, backward));
    for (int64_t at = 0; at < band->n; at += band->block) {
        int64_t j = backward ? last - at : at;
        CLS_TRY(cls_band_stream_take(band, j));
        CLS_TRY(step(band, half, op, j, cols));
        CLS_TRY(cls_band_stream_leave(band, j));
    }
    return CLSOLVE_OK;
}

clsolve_status cls_band_apply_blocked(cls_band *band, clsolve_op op, int64_t cols) {
    cls_uplo first = op == CLSOLVE_NO_TRANS ? CLS_LOWER_UNIT : CLS_UPPER;
    cls_uplo second = op == CLSOLVE_NO_TRANS ? CLS_UPPER : CLS_LOWER_UNIT;
    clsolve_status status = cls_band_sides_begin(band, cols);

    if (status == CLSOLVE_OK) status = sweep(band, first, op, cols);
    if (status == CLSOLVE_OK) status = sweep(band, second, op, cols);
    if (status == CLSOLVE_OK) status = cls_band_sides_end(band, cols);
    if (!band->stream) return status;
    cls_error said = *band->device->error; /* the first failure is the one to tell */
    cls_band_stream_drop(band);
    if (status != CLSOLVE_OK) *band->device->error = said;
    return status;
}

clsolve_status cls_band_apply(cls_band *band, clsolve_op op, int64_t cols) {
    if (band->n == 0 || cols == 0) return CLSOLVE_OK;
    return band->way->apply(band, op, cols);
}
