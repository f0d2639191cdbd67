/* solve.c: op(A)^-1 B by block columns, each one's swaps just before its triangle, or back just behind. */
#include "method/band/sides.h"
#include "method/band/stream.h"
#include "method/columns/pass.h"

static clsolve_status begin(cls_pass *pass) {
    return cls_band_stream_read(pass->holder, pass->half, pass->backward);
}

static clsolve_status take(cls_pass *pass, cls_pass_column *F) {
    cls_band *band = pass->holder;

    if (pass->half != CLS_UPPER)
        F->end = cls_band_below(band, F->j);
    else if (F->j > band->kv)
        F->begin = F->j - band->kv;
    F->at = cls_band_at(band, F->begin, F->j);
    CLS_TRY(cls_band_stream_take(band, F->j));
    CLS_TRY(cls_band_sides_reach(band, F->begin, F->end, pass->to));
    pass->B = cls_band_sides(band, 0);
    return CLSOLVE_OK;
}

static clsolve_status move(cls_pass *pass, const cls_pass_column *F) {
    cls_band *band = pass->holder;
    const int64_t lead = cls_band_lead(band, F->j), j = F->j - lead;
    const cls_matrix sides = cls_band_sides(band, lead);
    return cls_panel_move_rows(&band->panel, CLS_COMPUTE, &sides, 0, pass->to, pass->to, 0, j, j + F->width,
                               pass->op != CLSOLVE_NO_TRANS);
}

static clsolve_status used(cls_pass *pass, const cls_pass_column *F) {
    return cls_band_stream_leave(pass->holder, F->j);
}

clsolve_status cls_band_apply_blocked(cls_band *band, clsolve_op op, int64_t cols) {
    static const cls_pass_ops ops = {begin, take, move, used};
    cls_pass pass = cls_pass_of(&ops, band, band->device, CLS_LOWER_UNIT, band->n, band->block);
    clsolve_status status = cls_band_sides_begin(band, cols);

    pass.triangle = pass.product = cls_band_how(band);
    if (status == CLSOLVE_OK) status = cls_pass_both(&pass, op, &band->B, 0, cols);
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
