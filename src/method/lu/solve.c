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

clsolve_status cls_lu_apply(void *factors, clsolve_op op, int64_t cols) {
    cls_lu *lu = factors;

    lu->sweep.used = 0;
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

cls_sides cls_lu_sides(void *factors, int64_t cols) {
    cls_lu *lu = factors;

    return (cls_sides){.n = lu->n,
                       .slab_bytes = lu->slab_bytes,
                       .type = lu->type,
                       .limited = lu->memory_limit > 0,
                       .left = lu->memory_limit - lu->beside - lu->base_bytes,
                       .mapped = lu->A.mapped != NULL,
                       .B = &lu->B,
                       .scratch = &lu->scratch,
                       .transfer = &lu->transfer,
                       .check = &lu->check,
                       .factors = lu,
                       .apply = cls_lu_apply,
                       .failed = cls_lu_sweeps(lu, cols) ? cls_lu_sweep_failed : NULL};
}

clsolve_status cls_lu_solve_host(void *factors, clsolve_op op, int64_t cols, double *x) {
    const cls_lu *lu = factors;
    const cls_sides sides = cls_lu_sides(factors, cols);
    return cls_sides_solve_vectors(lu->device, &sides, op, cols, x);
}

clsolve_status cls_lu_reserve(cls_lu *lu, int64_t cols, int row_major) {
    const cls_sides sides = cls_lu_sides(lu, cols);
    return cls_sides_reserve(lu->device, &sides, cols, row_major);
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
