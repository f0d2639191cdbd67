/* cusolver.c: libcusolver.so.12, what clsolve-bench calls of it; see stand_in.h. */
#include "stand_in.h"

#include <cusolverDn.h>
#include <lapacke.h>
#include <stdlib.h>

struct cusolverDnContext {
    CUstream stream;
};

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t *handle) {
    *handle = calloc(1, sizeof **handle);
    return *handle ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_ALLOC_FAILED;
}

cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle) {
    free(handle);
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream) {
    handle->stream = stream;
    return CUSOLVER_STATUS_SUCCESS;
}

static int begin(cusolverDnHandle_t handle) {
    if (!handle->stream) return 0;
    stand_in_open(handle->stream);
    return clFinish(handle->stream->queue) == CL_SUCCESS;
}

cusolverStatus_t cusolverDnDgetrf_bufferSize(cusolverDnHandle_t handle, int m, int n, double *A, int lda, int *words) {
    (void)handle, (void)m, (void)A, (void)lda;
    *words = n;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnDgetrf(cusolverDnHandle_t handle, int m, int n, double *A, int lda, double *work,
                                  int *pivots, int *info) {
    (void)work;
    if (!begin(handle)) return CUSOLVER_STATUS_INVALID_VALUE;
    *info = LAPACKE_dgetrf(LAPACK_COL_MAJOR, m, n, A, lda, pivots);
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnDgetrs(cusolverDnHandle_t handle, cublasOperation_t op, int n, int nrhs, const double *A,
                                  int lda, const int *pivots, double *B, int ldb, int *info) {
    if (!begin(handle)) return CUSOLVER_STATUS_INVALID_VALUE;
    *info = LAPACKE_dgetrs(LAPACK_COL_MAJOR, op == CUBLAS_OP_T ? 'T' : 'N', n, nrhs, A, lda, pivots, B, ldb);
    return CUSOLVER_STATUS_SUCCESS;
}

static char letter(cublasFillMode_t uplo) {
    return uplo == CUBLAS_FILL_MODE_UPPER ? 'U' : 'L';
}

cusolverStatus_t cusolverDnDpotrf_bufferSize(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, double *A,
                                             int lda, int *words) {
    (void)handle, (void)uplo, (void)A, (void)lda;
    *words = n;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnDpotrf(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, double *A, int lda,
                                  double *work, int words, int *info) {
    (void)work, (void)words;
    if (!begin(handle)) return CUSOLVER_STATUS_INVALID_VALUE;
    *info = LAPACKE_dpotrf(LAPACK_COL_MAJOR, letter(uplo), n, A, lda);
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnDpotrs(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, int nrhs, const double *A,
                                  int lda, double *B, int ldb, int *info) {
    if (!begin(handle)) return CUSOLVER_STATUS_INVALID_VALUE;
    *info = LAPACKE_dpotrs(LAPACK_COL_MAJOR, letter(uplo), n, nrhs, A, lda, B, ldb);
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnDpotrfBatched(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, double *A[], int lda,
                                         int *info, int count) {
    if (!begin(handle)) return CUSOLVER_STATUS_INVALID_VALUE;
    for (int m = 0; m < count; m++) info[m] = LAPACKE_dpotrf(LAPACK_COL_MAJOR, letter(uplo), n, A[m], lda);
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnDpotrsBatched(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, int nrhs, double *A[],
                                         int lda, double *B[], int ldb, int *info, int count) {
    if (!begin(handle)) return CUSOLVER_STATUS_INVALID_VALUE;
    *info = 0;
    for (int m = 0; m < count && *info == 0; m++)
        *info = LAPACKE_dpotrs(LAPACK_COL_MAJOR, letter(uplo), n, nrhs, A[m], lda, B[m], ldb);
    return CUSOLVER_STATUS_SUCCESS;
}
