/* step.c: the step of every blocked LU, by a factored block column in other columns: panel.h has the picture. */
#include "method/panel/panel.h"

static clsolve_status solve(const cls_panel *panel, cls_blas_options how, const cls_block_column *L, int64_t cols,
                            cls_ref A12) {
    return cls_trsm(panel->device, how, panel->type, CLS_LOWER_UNIT, CLSOLVE_NO_TRANS, L->width, cols, L->at, A12);
}

clsolve_status cls_panel_solve(const cls_panel *panel, cls_queue queue, const cls_block_column *L, const cls_matrix *A,
                               int64_t from, int64_t to) {
    const cls_blas_options how = {queue, panel->whole_range, panel->steady};

    for (int64_t c = from, run; c < to; c += run) { /* slab by slab */
        run = cls_matrix_run(A, c, to);
        CLS_TRY(solve(panel, how, L, run, cls_matrix_at(A, L->j, c)));
    }
    return CLSOLVE_OK;
}

clsolve_status cls_panel_update(const cls_panel *panel, cls_queue queue, const cls_block_column *L, const cls_matrix *A,
                                int64_t from, int64_t to) {
    const cls_blas_options how = {queue, panel->whole_range, panel->steady};
    const int64_t width = L->width, below = L->end - L->j - width;

    for (int64_t c = from, run; c < to; c += run) {
        run = cls_matrix_run(A, c, to);
        const cls_ref A12 = cls_matrix_at(A, L->j, c);
        CLS_TRY(solve(panel, how, L, run, A12));
        if (below > 0)
            CLS_TRY(cls_gemm(panel->device, how, panel->type, CLSOLVE_NO_TRANS, CLSOLVE_NO_TRANS, below, run, width,
                             -1.0, cls_ref_at(L->at, width, 0), A12, 1.0, cls_ref_at(A12, width, 0)));
    }
    return CLSOLVE_OK;
}

clsolve_status cls_panel_step(cls_panel *panel, cls_queue queue, const cls_block_column *L, const cls_matrix *A,
                              int64_t from, int64_t to) {
    if (from >= to) return CLSOLVE_OK;
    CLS_TRY(cls_panel_move_rows(panel, queue, A, from, to, to, 0, L->j, L->j + L->width, 0));
    return cls_panel_update(panel, queue, L, A, from, to);
}

clsolve_status cls_panel_multiply(const cls_panel *panel, cls_queue queue, const cls_matrix *A, int64_t top,
                                  int64_t bottom, int64_t p, int64_t q, int64_t from, int64_t to) {
    const cls_blas_options how = {queue, panel->whole_range, panel->steady};

    if (top >= bottom) return CLSOLVE_OK;
    for (int64_t c = from, run; c < to; c += run) {
        run = cls_matrix_run(A, c, to);
        for (int64_t k = p, inner; k < q; k += inner) {
            inner = cls_matrix_run(A, k, q);
            CLS_TRY(cls_gemm(panel->device, how, panel->type, CLSOLVE_NO_TRANS, CLSOLVE_NO_TRANS, bottom - top, run,
                             inner, -1.0, cls_matrix_at(A, top, k), cls_matrix_at(A, k, c), 1.0,
                             cls_matrix_at(A, top, c)));
        }
    }
    return CLSOLVE_OK;
}
