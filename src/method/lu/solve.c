#include "method/columns/pass.h"
#include "method/lu/direct.h"
#include "method/lu/rbt.h"
#include "method/lu/sweep.h"

static clsolve_status take(cls_pass *pass, cls_pass_column *F) {
    const cls_lu *lu = pass->holder;
    F->at = cls_matrix_at(&lu->A, F->begin, F->j);
    return CLSOLVE_OK;
}

/* The columns c .. c+cols-1 of B, which lie in one slab. */
static clsolve_status solve_slab(cls_lu *lu, clsolve_op op, int64_t c, int64_t cols) {
    static const cls_pass_ops ops = {.take = take};
    cls_pass pass = cls_pass_of(&ops, lu, lu->device, CLS_LOWER_UNIT, lu->n, lu->device->blas->trsm_block);

    if (cls_lu_sweeps(lu, cols)) return cls_lu_sweep(lu, op, cols, cls_matrix_at(&lu->B, 0, c));
    pass.slab = lu->A.slab_cols;
    return cls_pass_both(&pass, op, &lu->B, c, c + cols);
}

clsolve_status cls_lu_apply(cls_lu *lu, clsolve_op op, int64_t cols) {
    if (lu->n == 0 || cols == 0) return CLSOLVE_OK;
    if (lu->rbt.on) CLS_TRY(cls_lu_rbt_before(lu, op, cols));
    if (op == CLSOLVE_NO_TRANS) CLS_TRY(lu->engine->move_rows(lu, cols, 0));
    for (int64_t c = 0, run; c < cols; c += run) {
        run = cls_matrix_run(&lu->B, c, cols);
        CLS_TRY(solve_slab(lu, op, c, run));
    }
    if (op != CLSOLVE_NO_TRANS) CLS_TRY(lu->engine->move_rows(lu, cols, 1));
    return lu->rbt.on ? cls_lu_rbt_after(lu, op, cols) : CLSOLVE_OK;
}

static clsolve_status grow(cls_lu *lu, cls_matrix *matrix, int64_t rows, int64_t cols, int64_t others) {
    if (matrix->slab && matrix->rows >= rows && matrix->cols >= cols) return CLSOLVE_OK;
    cls_matrix_destroy(lu->device, matrix);
    int64_t column = cls_matrix_ld(rows, cls_type_size(lu->type)) * cls_type_size(lu->type);
    int64_t left = lu->memory_limit - lu->beside - lu->base_bytes - others;
    if (lu->memory_limit > 0 && cols > left / column)
        return cls_fail(lu->device->error, CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY,
                        "%lld right-hand sides want %.0f bytes of device memory, and the memory limit leaves %lld: "
                        "solve for fewer at a time",
                        (long long)(rows == lu->n ? cols : rows), (double)column * (double)cols, (long long)left);
    return cls_matrix_reserve(lu->device, lu->type, rows, cols, lu->slab_bytes, lu->A.mapped != NULL, matrix);
}

clsolve_status cls_lu_reserve(cls_lu *lu, int64_t cols, int row_major) {
    CLS_TRY(grow(lu, &lu->B, lu->n, cols, lu->scratch.bytes));
    return row_major && !lu->A.mapped ? grow(lu, &lu->scratch, cols, lu->n, lu->B.bytes) : CLSOLVE_OK;
}

clsolve_status cls_lu_pivots(cls_lu *lu, int64_t *ipiv) {
    cls_device *device = lu->device;
    size_t bytes = (size_t)lu->n * sizeof *ipiv;
    cls_rect rect = {bytes, 1, 0, bytes, bytes};

    if (lu->panel.hybrid) {
        for (int64_t k = 0; k < lu->n; ++k) ipiv[k] = lu->panel.host_pivots[k];
        return CLSOLVE_OK;
    }
    CLS_TRY(device->ops->read(device, CLS_COMPUTE, lu->panel.ipiv, ipiv, &rect, NULL, NULL));
    return device->ops->finish(device, CLS_COMPUTE);
}
