/* lapack.c: LAPACK's potrf, potrs and potri where the matrix is mapped. cls_cholesky_setup has seen that sizes fit. */
#include <complex.h>

#include <lapacke.h>

#include "base/blas_int.h"
#include "base/host_blas.h"
#include "base/process.h"
#include "method/cholesky/cholesky.h"

static char letter(int upper) {
    return upper ? 'U' : 'L';
}

void cls_cholesky_lapack_factor(const cls_cholesky *cholesky, int64_t *info) {
    const cls_cholesky *c = cholesky;
    const lapack_int n = cls_blas_int(c->n), ld = cls_blas_int(c->A.ld);
    void *a = cls_matrix_host(&c->A, 0, 0);

    CLS_HOST_BLAS;
    *info = CLS_LAPACKE(c->type, potrf, letter(c->upper), n, a, ld);
}

void cls_cholesky_lapack_solve(const cls_cholesky *cholesky, int64_t cols) {
    const cls_cholesky *c = cholesky;
    const lapack_int n = cls_blas_int(c->n), ld = cls_blas_int(c->A.ld), ldb = cls_blas_int(c->B.ld);
    const void *a = cls_matrix_host(&c->A, 0, 0);

    for (int64_t j = 0, run; j < cols; j += run) {
        run = cls_blas_run(cls_matrix_run(&c->B, j, cols));
        void *b = cls_matrix_host(&c->B, 0, j);
        CLS_HOST_BLAS;
        /* arguments alone can be wrong */
        (void)CLS_LAPACKE(c->type, potrs, letter(c->upper), n, cls_blas_int(run), a, ld, b, ldb);
    }
}

void cls_cholesky_lapack_invert(clsolve_type type, int64_t n, int upper, void *values) {
    CLS_HOST_BLAS;
    (void)CLS_LAPACKE(type, potri, letter(upper), cls_blas_int(n), values, cls_blas_int(n));
}
