/* lapack.c: LAPACK's potrf, potrs and potri where the matrix is mapped. cls_cholesky_setup has seen that sizes fit. */
#include <lapacke.h>

#include "method/cholesky/cholesky.h"

static char letter(int upper) {
    return upper ? 'U' : 'L';
}

void cls_cholesky_lapack_factor(const cls_cholesky *cholesky, int64_t *info) {
    const cls_cholesky *c = cholesky;
    const lapack_int n = (lapack_int)c->n, ld = (lapack_int)c->A.ld;
    void *a = cls_matrix_host(&c->A, 0, 0);

    *info = c->type == CLSOLVE_F64 ? LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, letter(c->upper), n, a, ld)
                                   : LAPACKE_spotrf_work(LAPACK_COL_MAJOR, letter(c->upper), n, a, ld);
}

void cls_cholesky_lapack_solve(const cls_cholesky *cholesky, int64_t cols) {
    const cls_cholesky *c = cholesky;
    const lapack_int n = (lapack_int)c->n, ld = (lapack_int)c->A.ld, ldb = (lapack_int)c->B.ld;
    const void *a = cls_matrix_host(&c->A, 0, 0);

    for (int64_t j = 0, run; j < cols; j += run) {
        run = cls_matrix_run(&c->B, j, cols);
        void *b = cls_matrix_host(&c->B, 0, j);
        if (c->type == CLSOLVE_F64)
            (void)LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, letter(c->upper), n, (lapack_int)run, a, ld, b, ldb);
        else
            (void)LAPACKE_spotrs_work(LAPACK_COL_MAJOR, letter(c->upper), n, (lapack_int)run, a, ld, b, ldb);
    }
}

void cls_cholesky_lapack_invert(clsolve_type type, int64_t n, int upper, void *values) {
    if (type == CLSOLVE_F64)
        (void)LAPACKE_dpotri_work(LAPACK_COL_MAJOR, letter(upper), (lapack_int)n, values, (lapack_int)n);
    else
        (void)LAPACKE_spotri_work(LAPACK_COL_MAJOR, letter(upper), (lapack_int)n, values, (lapack_int)n);
}
