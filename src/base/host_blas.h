/*
 * host_blas.h: calls of the host's BLAS and LAPACK by type, on columns. Sizes have gone through blas_int.h, and the
 * caller stands behind CLS_HOST_BLAS (process.h).
 *
 *      CLS_HOST_BLAS;
 *      info = CLS_LAPACKE(type, getrf, m, n, A, ld, pivots);
 *      cls_host_trsm(type, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, m, n, A, ld, B, ld);
 */
#ifndef CLS_HOST_BLAS_H
#define CLS_HOST_BLAS_H

#include <cblas.h>

#include "base/type.h"

/* The routine that is for the type; without a scalar among its arguments. CLS_LAPACKE wants <lapacke.h>. */
#define CLS_LAPACKE(type, routine, ...)                                                                                \
    ((type) == CLSOLVE_F32   ? LAPACKE_s##routine##_work(LAPACK_COL_MAJOR, __VA_ARGS__)                                \
     : (type) == CLSOLVE_F64 ? LAPACKE_d##routine##_work(LAPACK_COL_MAJOR, __VA_ARGS__)                                \
     : (type) == CLSOLVE_C32 ? LAPACKE_c##routine##_work(LAPACK_COL_MAJOR, __VA_ARGS__)                                \
                             : LAPACKE_z##routine##_work(LAPACK_COL_MAJOR, __VA_ARGS__))
#define CLS_CBLAS(type, routine, ...)                                                                                  \
    ((type) == CLSOLVE_F32   ? cblas_s##routine(CblasColMajor, __VA_ARGS__)                                            \
     : (type) == CLSOLVE_F64 ? cblas_d##routine(CblasColMajor, __VA_ARGS__)                                            \
     : (type) == CLSOLVE_C32 ? cblas_c##routine(CblasColMajor, __VA_ARGS__)                                            \
                             : cblas_z##routine(CblasColMajor, __VA_ARGS__))

/* B = op(T)^-1 B, or B op(T)^-1. */
static inline void cls_host_trsm(clsolve_type type, CBLAS_SIDE side, CBLAS_UPLO half, CBLAS_TRANSPOSE trans,
                                 CBLAS_DIAG diagonal, blasint m, blasint n, const void *T, blasint ldt, void *B,
                                 blasint ldb) {
    const double one_c64[2] = {1, 0};
    const float one_c32[2] = {1, 0};
    if (type == CLSOLVE_F32)
        cblas_strsm(CblasColMajor, side, half, trans, diagonal, m, n, 1, T, ldt, B, ldb);
    else if (type == CLSOLVE_F64)
        cblas_dtrsm(CblasColMajor, side, half, trans, diagonal, m, n, 1, T, ldt, B, ldb);
    else if (type == CLSOLVE_C32)
        cblas_ctrsm(CblasColMajor, side, half, trans, diagonal, m, n, one_c32, T, ldt, B, ldb);
    else
        cblas_ztrsm(CblasColMajor, side, half, trans, diagonal, m, n, one_c64, T, ldt, B, ldb);
}

/* C = alpha op(A) op(B) + beta C, with real factors. */
static inline void cls_host_gemm(clsolve_type type, CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, blasint m, blasint n,
                                 blasint k, double alpha, const void *A, blasint lda, const void *B, blasint ldb,
                                 double beta, void *C, blasint ldc) {
    const double alpha_c64[2] = {alpha, 0}, beta_c64[2] = {beta, 0};
    const float alpha_c32[2] = {(float)alpha, 0}, beta_c32[2] = {(float)beta, 0};
    if (type == CLSOLVE_F32)
        cblas_sgemm(CblasColMajor, ta, tb, m, n, k, alpha_c32[0], A, lda, B, ldb, beta_c32[0], C, ldc);
    else if (type == CLSOLVE_F64)
        cblas_dgemm(CblasColMajor, ta, tb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
    else if (type == CLSOLVE_C32)
        cblas_cgemm(CblasColMajor, ta, tb, m, n, k, alpha_c32, A, lda, B, ldb, beta_c32, C, ldc);
    else
        cblas_zgemm(CblasColMajor, ta, tb, m, n, k, alpha_c64, A, lda, B, ldb, beta_c64, C, ldc);
}

#endif
