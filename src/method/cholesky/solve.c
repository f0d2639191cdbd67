/* solve.c: L Y = B and L^H X = Y, and the room for B. */
#include "method/cholesky/cholesky.h"
#include "method/columns/pass.h"

static clsolve_status take(cls_pass *pass, cls_pass_column *F) {
    const cls_cholesky *c = pass->holder;
    F->end = cls_cholesky_bottom(c, F->j + F->width);
    F->at = cls_matrix_at(&c->A, F->j, F->j);
    return CLSOLVE_OK;
}

/* In a band a block of columns takes a slab's place: only its triangle is dense. */
clsolve_status cls_cholesky_apply_from(cls_cholesky *cholesky, int64_t top, int64_t cols) {
    static const cls_pass_ops ops = {.take = take};
    const cls_cholesky *f = cholesky;
    cls_pass pass = cls_pass_of(&ops, cholesky, f->device, CLS_LOWER, f->n, f->is_band ? f->block : f->A.slab_cols);

    pass.first = top;
    pass.product = (cls_blas_options){CLS_COMPUTE, f->whole_range, f->steady};
    for (int64_t c = 0, run; c < cols; c += run) {
        run = cls_matrix_run(&f->B, c, cols);
        CLS_TRY(cls_pass_both(&pass, CLSOLVE_NO_TRANS, &f->B, c, c + run));
    }
    return CLSOLVE_OK;
}

clsolve_status cls_cholesky_apply(cls_cholesky *cholesky, int64_t cols) {
    if (cholesky->n == 0 || cols == 0) return CLSOLVE_OK;
    if (!cholesky->A.mapped) return cls_cholesky_apply_from(cholesky, 0, cols);
    cls_cholesky_lapack_solve(cholesky, cols);
    return CLSOLVE_OK;
}

static clsolve_status apply(void *factors, clsolve_op op, int64_t cols) {
    (void)op;
    return cls_cholesky_apply(factors, cols);
}

cls_sides cls_cholesky_sides(void *factors, int64_t cols) {
    cls_cholesky *c = factors;

    (void)cols;
    return (cls_sides){.n = c->n,
                       .slab_bytes = c->slab_bytes,
                       .type = c->type,
                       .limited = c->memory_limit > 0,
                       .left = c->memory_limit - c->beside - c->base_bytes,
                       .mapped = c->A.mapped != NULL,
                       .B = &c->B,
                       .scratch = &c->scratch,
                       .transfer = &c->transfer,
                       .check = &c->check,
                       .factors = c,
                       .apply = apply};
}

clsolve_status cls_cholesky_reserve(cls_cholesky *cholesky, int64_t cols, int row_major) {
    const cls_sides sides = cls_cholesky_sides(cholesky, cols);
    return cls_sides_reserve(cholesky->device, &sides, cols, row_major);
}

clsolve_status cls_cholesky_solve_host(void *factors, clsolve_op op, int64_t cols, double *x) {
    cls_cholesky *c = factors;
    const cls_sides sides = cls_cholesky_sides(c, cols);
    (void)op;
    return cls_sides_solve_vectors(c->device, &sides, CLSOLVE_NO_TRANS, cols, x);
}
