/* lapack.c: LAPACK's potrf, potrs and potri where the matrix is mapped. cls_cholesky_setup has seen that sizes fit. */
#include <complex.h>

#include <lapacke.h>

#include "base/blas_int.h"
#include "base/process.h"
#include "method/cholesky/cholesky.h"

/* The routine of the type, with these arguments behind the layout. */
#define LAPACK(result, type, routine, ...)                                                                             \
    do {                                                                                                               \
        CLS_HOST_BLAS;                                                                                                 \
        switch (type) {                                                                                                \
        case CLSOLVE_F32:                                                                                              \
            (result) = LAPACKE_s##routine##_work(LAPACK_COL_MAJOR, __VA_ARGS__);                                       \
            break;                                                                                                     \
        case CLSOLVE_F64:                                                                                              \
            (result) = LAPACKE_d##routine##_work(LAPACK_COL_MAJOR, __VA_ARGS__);                                       \
            break;                                                                                                     \
        case CLSOLVE_C32:                                                                                              \
            (result) = LAPACKE_c##routine##_work(LAPACK_COL_MAJOR, __VA_ARGS__);                                       \
            break;                                                                                                     \
        case CLSOLVE_C64:                                                                                              \
            (result) = LAPACKE_z##routine##_work(LAPACK_COL_MAJOR, __VA_ARGS__);                                       \
            break;                                                                                                     \
        }                                                                                                              \
    } while (0)

static char letter(int upper) {
    return upper ? 'U' : 'L';
}

void cls_cholesky_lapack_factor(const cls_cholesky *cholesky, int64_t *info) {
    const cls_cholesky *c = cholesky;
    const lapack_int n = cls_blas_int(c->n), ld = cls_blas_int(c->A.ld);
    void *a = cls_matrix_host(&c->A, 0, 0);

    LAPACK(*info, c->type, potrf, letter(c->upper), n, a, ld);
}

void cls_cholesky_lapack_solve(const cls_cholesky *cholesky, int64_t cols) {
    const cls_cholesky *c = cholesky;
    const lapack_int n = cls_blas_int(c->n), ld = cls_blas_int(c->A.ld), ldb = cls_blas_int(c->B.ld);
    const void *a = cls_matrix_host(&c->A, 0, 0);
    lapack_int info;

    for (int64_t j = 0, run; j < cols; j += run) {
        run = cls_blas_run(cls_matrix_run(&c->B, j, cols));
        void *b = cls_matrix_host(&c->B, 0, j);
        LAPACK(info, c->type, potrs, letter(c->upper), n, cls_blas_int(run), a, ld, b, ldb);
    }
    (void)info; /* arguments alone can be wrong */
}

void cls_cholesky_lapack_invert(clsolve_type type, int64_t n, int upper, void *values) {
    lapack_int info;

    LAPACK(info, type, potri, letter(upper), cls_blas_int(n), values, cls_blas_int(n));
    (void)info;
}
