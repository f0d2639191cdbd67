/* cublas.c: libcublas.so.13, see stand_in.h. */
#include "stand_in.h"

#include <cblas.h>
#include <cublas_v2.h>
#include <stdlib.h>

struct cublasContext {
    CUstream stream;
};

cublasStatus_t cublasCreate_v2(cublasHandle_t *handle) {
    *handle = calloc(1, sizeof **handle);
    return *handle ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED;
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
    free(handle);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
    handle->stream = stream;
    return CUBLAS_STATUS_SUCCESS;
}

/* The host works on the memory when the stream has come to this point. */
static int begin(cublasHandle_t handle) {
    if (!handle->stream) return 0;
    stand_in_open(handle->stream);
    return clFinish(handle->stream->queue) == CL_SUCCESS;
}

static CBLAS_TRANSPOSE trans(cublasOperation_t op) {
    return op == CUBLAS_OP_T ? CblasTrans : CblasNoTrans;
}

#define GEMM(name, real, blas)                                                                                         \
    cublasStatus_t name(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,        \
                        const real *alpha, const real *A, int lda, const real *B, int ldb, const real *beta, real *C,  \
                        int ldc) {                                                                                     \
        if (!begin(handle) || m < 1 || n < 1 || k < 1) return CUBLAS_STATUS_INVALID_VALUE;                             \
        blas(CblasColMajor, trans(ta), trans(tb), m, n, k, *alpha, A, lda, B, ldb, *beta, C, ldc);                     \
        return CUBLAS_STATUS_SUCCESS;                                                                                  \
    }
GEMM(cublasDgemm_v2, double, cblas_dgemm)
GEMM(cublasSgemm_v2, float, cblas_sgemm)

#define TRSM(name, real, blas)                                                                                         \
    cublasStatus_t name(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t op,     \
                        cublasDiagType_t diagonal, int m, int n, const real *alpha, const real *T, int ldt, real *B,   \
                        int ldb) {                                                                                     \
        if (!begin(handle) || m < 1 || n < 1) return CUBLAS_STATUS_INVALID_VALUE;                                      \
        blas(CblasColMajor, side == CUBLAS_SIDE_LEFT ? CblasLeft : CblasRight,                                         \
             uplo == CUBLAS_FILL_MODE_UPPER ? CblasUpper : CblasLower, trans(op),                                      \
             diagonal == CUBLAS_DIAG_UNIT ? CblasUnit : CblasNonUnit, m, n, *alpha, T, ldt, B, ldb);                   \
        return CUBLAS_STATUS_SUCCESS;                                                                                  \
    }
TRSM(cublasDtrsm_v2, double, cblas_dtrsm)
TRSM(cublasStrsm_v2, float, cblas_strsm)
