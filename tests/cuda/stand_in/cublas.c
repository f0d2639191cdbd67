/* cublas.c: libcublas.so.13, see stand_in.h. */
#include "stand_in.h"

#include <cblas.h>
#include <cublas_v2.h>
#include <lapacke.h>
#include <stdlib.h>
#include <string.h>

struct cublasContext {
    CUstream stream;
};

cublasStatus_t cublasGetProperty(libraryPropertyType what, int *value) {
    *value = what == MAJOR_VERSION ? 13 : 0;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasCreate_v2(cublasHandle_t *handle) {
    *handle = calloc(1, sizeof **handle);
    return *handle ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED;
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
    free(handle);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
    handle->stream = stand_in_named(stream);
    return CUBLAS_STATUS_SUCCESS;
}

/* The host works on the memory when the stream has come to this point. */
static int begin(cublasHandle_t handle) {
    if (!handle->stream) return 0;
    stand_in_open(handle->stream);
    return clFinish(handle->stream->queue) == CL_SUCCESS;
}

static CBLAS_TRANSPOSE trans(cublasOperation_t op) {
    return op == CUBLAS_OP_N ? CblasNoTrans : op == CUBLAS_OP_T ? CblasTrans : CblasConjTrans;
}

/* IS_ZERO(p): whether a number at p is 0; PASS(p): how BLAS takes it, complex ones by address. */
#define IS_ZERO_REAL(p)    (*(p) == 0)
#define IS_ZERO_COMPLEX(p) ((p)->x == 0 && (p)->y == 0)
#define BY_VALUE(p)        (*(p))
#define BY_ADDRESS(p)      (p)
#define GEMM(name, real, blas, IS_ZERO, PASS)                                                                          \
    cublasStatus_t name(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,        \
                        const real *alpha, const real *A, int lda, const real *B, int ldb, const real *beta, real *C,  \
                        int ldc) {                                                                                     \
        /* What it does without a product is not documented: so nobody may rely on it. */                              \
        if (!begin(handle) || m < 1 || n < 1 || k < 1 || IS_ZERO(alpha)) return CUBLAS_STATUS_INVALID_VALUE;           \
        blas(CblasColMajor, trans(ta), trans(tb), m, n, k, PASS(alpha), A, lda, B, ldb, PASS(beta), C, ldc);           \
        return CUBLAS_STATUS_SUCCESS;                                                                                  \
    }
GEMM(cublasDgemm_v2, double, cblas_dgemm, IS_ZERO_REAL, BY_VALUE)
GEMM(cublasSgemm_v2, float, cblas_sgemm, IS_ZERO_REAL, BY_VALUE)
GEMM(cublasZgemm_v2, cuDoubleComplex, cblas_zgemm, IS_ZERO_COMPLEX, BY_ADDRESS)
GEMM(cublasZgemm3m, cuDoubleComplex, cblas_zgemm, IS_ZERO_COMPLEX, BY_ADDRESS)
GEMM(cublasCgemm_v2, cuComplex, cblas_cgemm, IS_ZERO_COMPLEX, BY_ADDRESS)

#define GEMM_STEPS(name, one, real)                                                                                    \
    cublasStatus_t name(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,        \
                        const real *alpha, const real *A, int lda, long long step_a, const real *B, int ldb,           \
                        long long step_b, const real *beta, real *C, int ldc, long long step_c, int count) {           \
        cublasStatus_t status = CUBLAS_STATUS_SUCCESS;                                                                 \
        for (int i = 0; i < count && status == CUBLAS_STATUS_SUCCESS; i++)                                             \
            status = one(handle, ta, tb, m, n, k, alpha, A + i * step_a, lda, B + i * step_b, ldb, beta,               \
                         C + i * step_c, ldc);                                                                         \
        return status;                                                                                                 \
    }
GEMM_STEPS(cublasDgemmStridedBatched, cublasDgemm_v2, double)
GEMM_STEPS(cublasZgemmStridedBatched, cublasZgemm_v2, cuDoubleComplex)
GEMM_STEPS(cublasCgemmStridedBatched, cublasCgemm_v2, cuComplex)

/* ---- for clsolve-bench ---- */

#define BATCHED(L, l, type)                                                                                            \
    cublasStatus_t cublas##L##getrfBatched(cublasHandle_t handle, int n, type *const A[], int lda, int *pivots,        \
                                           int *info, int count) {                                                     \
        if (!begin(handle)) return CUBLAS_STATUS_INVALID_VALUE;                                                        \
        for (int m = 0; m < count; m++)                                                                                \
            info[m] = LAPACKE_##l##getrf(LAPACK_COL_MAJOR, n, n, (void *)A[m], lda, pivots + (ptrdiff_t)m * n);        \
        return CUBLAS_STATUS_SUCCESS;                                                                                  \
    }                                                                                                                  \
    cublasStatus_t cublas##L##getriBatched(cublasHandle_t handle, int n, const type *const A[], int lda,               \
                                           const int *pivots, type *const C[], int ldc, int *info, int count) {        \
        if (!begin(handle) || lda != n || ldc != n) return CUBLAS_STATUS_INVALID_VALUE;                                \
        for (int m = 0; m < count; m++) {                                                                              \
            memcpy(C[m], A[m], sizeof(type) * (size_t)n * (size_t)n);                                                  \
            info[m] = LAPACKE_##l##getri(LAPACK_COL_MAJOR, n, (void *)C[m], ldc, pivots + (ptrdiff_t)m * n);           \
        }                                                                                                              \
        return CUBLAS_STATUS_SUCCESS;                                                                                  \
    }                                                                                                                  \
    cublasStatus_t cublas##L##matinvBatched(cublasHandle_t handle, int n, const type *const A[], int lda,              \
                                            type *const X[], int ldx, int *info, int count) {                          \
        int pivots[32];                                                                                                \
        if (!begin(handle) || n > 32 || lda != n || ldx != n) return CUBLAS_STATUS_INVALID_VALUE;                      \
        for (int m = 0; m < count; m++) {                                                                              \
            memcpy(X[m], A[m], sizeof(type) * (size_t)n * (size_t)n);                                                  \
            info[m] = LAPACKE_##l##getrf(LAPACK_COL_MAJOR, n, n, (void *)X[m], ldx, pivots);                           \
            if (info[m] == 0) info[m] = LAPACKE_##l##getri(LAPACK_COL_MAJOR, n, (void *)X[m], ldx, pivots);            \
        }                                                                                                              \
        return CUBLAS_STATUS_SUCCESS;                                                                                  \
    }

BATCHED(S, s, float)
BATCHED(D, d, double)
BATCHED(C, c, cuComplex)
BATCHED(Z, z, cuDoubleComplex)
