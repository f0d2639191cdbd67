/* solve.c: L Y = B and L^H X = Y, a slab of L's columns at a time, and the room for B. */
#include "blas/blas.h"
#include "method/cholesky/cholesky.h"

static clsolve_status product(cls_cholesky *c, clsolve_op op, int64_t m, int64_t cols, int64_t k, cls_ref A,
                              cls_ref from, cls_ref to) {
    const cls_blas_options how = {CLS_COMPUTE, c->whole_range, c->steady};
    return cls_gemm(c->device, how, c->type, op, CLSOLVE_NO_TRANS, m, cols, k, -1.0, A, from, 1.0, to);
}

static clsolve_status triangle(cls_cholesky *c, clsolve_op op, int64_t j, int64_t width, int64_t cols, cls_ref B) {
    return cls_trsm(c->device, CLS_BLAS_DEFAULT, c->type, CLS_LOWER, op, width, cols, cls_matrix_at(&c->A, j, j),
                    cls_ref_at(B, j, 0));
}

/* In a band a block of columns takes a slab's place: only its triangle is dense. */
static int64_t at_once(const cls_cholesky *c) {
    return c->is_band ? c->block : c->A.slab_cols;
}

/* Each solved slab leaves the rows below that are still open. */
static clsolve_status forward(cls_cholesky *c, int64_t top, int64_t cols, cls_ref B) {
    for (int64_t j = top, width; j < c->n; j += width) {
        const int64_t end = (j / at_once(c) + 1) * at_once(c);
        width = (end < c->n ? end : c->n) - j;
        const int64_t rows = cls_cholesky_bottom(c, j + width) - j - width;
        CLS_TRY(triangle(c, CLSOLVE_NO_TRANS, j, width, cols, B));
        if (rows > 0)
            CLS_TRY(product(c, CLSOLVE_NO_TRANS, rows, cols, width, cls_matrix_at(&c->A, j + width, j),
                            cls_ref_at(B, j, 0), cls_ref_at(B, j + width, 0)));
    }
    return CLSOLVE_OK;
}

/* Each slab first takes what the solved rows below leave, so that L is still read by columns. */
static clsolve_status backward(cls_cholesky *c, int64_t top, int64_t cols, cls_ref B) {
    for (int64_t end = c->n, j; end > top; end = j) {
        j = (end - 1) / at_once(c) * at_once(c);
        if (j < top) j = top;
        const int64_t rows = cls_cholesky_bottom(c, end) - end;
        if (rows > 0)
            CLS_TRY(product(c, cls_adjoint(c->type), end - j, cols, rows, cls_matrix_at(&c->A, end, j),
                            cls_ref_at(B, end, 0), cls_ref_at(B, j, 0)));
        CLS_TRY(triangle(c, cls_adjoint(c->type), j, end - j, cols, B));
    }
    return CLSOLVE_OK;
}

clsolve_status cls_cholesky_apply_from(cls_cholesky *cholesky, int64_t top, int64_t cols) {
    for (int64_t c = 0, run; c < cols; c += run) {
        run = cls_matrix_run(&cholesky->B, c, cols);
        const cls_ref B = cls_matrix_at(&cholesky->B, 0, c);
        CLS_TRY(forward(cholesky, top, run, B));
        CLS_TRY(backward(cholesky, top, run, B));
    }
    return CLSOLVE_OK;
}

clsolve_status cls_cholesky_apply(cls_cholesky *cholesky, int64_t cols) {
    if (cholesky->n == 0 || cols == 0) return CLSOLVE_OK;
    if (!cholesky->A.mapped) return cls_cholesky_apply_from(cholesky, 0, cols);
    cls_cholesky_lapack_solve(cholesky, cols);
    return CLSOLVE_OK;
}

static clsolve_status apply(void *factors, int64_t cols) {
    return cls_cholesky_apply(factors, cols);
}

cls_sides cls_cholesky_sides(cls_cholesky *cholesky) {
    cls_cholesky *c = cholesky;
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
    const cls_sides sides = cls_cholesky_sides(cholesky);
    return cls_sides_reserve(cholesky->device, &sides, cols, row_major);
}
