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

static char letter(cublasFillMode_t uplo) {
    return uplo == CUBLAS_FILL_MODE_UPPER ? 'U' : 'L';
}

static char letter_of(cublasOperation_t op) {
    return op == CUBLAS_OP_C ? 'C' : op == CUBLAS_OP_T ? 'T' : 'N';
}

/* The routines of the types whose letters are L and l, with elements of `type`, as LAPACK has them. */
#define ROUTINES(L, l, type)                                                                                           \
    cusolverStatus_t cusolverDn##L##getrf_bufferSize(cusolverDnHandle_t handle, int m, int n, type *A, int lda,        \
                                                     int *words) {                                                     \
        (void)handle, (void)m, (void)A, (void)lda;                                                                     \
        *words = n;                                                                                                    \
        return CUSOLVER_STATUS_SUCCESS;                                                                                \
    }                                                                                                                  \
    cusolverStatus_t cusolverDn##L##getrf(cusolverDnHandle_t handle, int m, int n, type *A, int lda, type *work,       \
                                          int *pivots, int *info) {                                                    \
        void *a = A;                                                                                                   \
        (void)work;                                                                                                    \
        if (!begin(handle)) return CUSOLVER_STATUS_INVALID_VALUE;                                                      \
        *info = LAPACKE_##l##getrf(LAPACK_COL_MAJOR, m, n, a, lda, pivots);                                            \
        return CUSOLVER_STATUS_SUCCESS;                                                                                \
    }                                                                                                                  \
    cusolverStatus_t cusolverDn##L##getrs(cusolverDnHandle_t handle, cublasOperation_t op, int n, int nrhs,            \
                                          const type *A, int lda, const int *pivots, type *B, int ldb, int *info) {    \
        const void *a = A;                                                                                             \
        void *b = B;                                                                                                   \
        if (!begin(handle)) return CUSOLVER_STATUS_INVALID_VALUE;                                                      \
        *info = LAPACKE_##l##getrs(LAPACK_COL_MAJOR, letter_of(op), n, nrhs, a, lda, pivots, b, ldb);                  \
        return CUSOLVER_STATUS_SUCCESS;                                                                                \
    }                                                                                                                  \
    cusolverStatus_t cusolverDn##L##potrf_bufferSize(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, type *A, \
                                                     int lda, int *words) {                                            \
        (void)handle, (void)uplo, (void)A, (void)lda;                                                                  \
        *words = n;                                                                                                    \
        return CUSOLVER_STATUS_SUCCESS;                                                                                \
    }                                                                                                                  \
    cusolverStatus_t cusolverDn##L##potrf(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, type *A, int lda,   \
                                          type *work, int words, int *info) {                                          \
        void *a = A;                                                                                                   \
        (void)work, (void)words;                                                                                       \
        if (!begin(handle)) return CUSOLVER_STATUS_INVALID_VALUE;                                                      \
        *info = LAPACKE_##l##potrf(LAPACK_COL_MAJOR, letter(uplo), n, a, lda);                                         \
        return CUSOLVER_STATUS_SUCCESS;                                                                                \
    }                                                                                                                  \
    cusolverStatus_t cusolverDn##L##potrs(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, int nrhs,           \
                                          const type *A, int lda, type *B, int ldb, int *info) {                       \
        const void *a = A;                                                                                             \
        void *b = B;                                                                                                   \
        if (!begin(handle)) return CUSOLVER_STATUS_INVALID_VALUE;                                                      \
        *info = LAPACKE_##l##potrs(LAPACK_COL_MAJOR, letter(uplo), n, nrhs, a, lda, b, ldb);                           \
        return CUSOLVER_STATUS_SUCCESS;                                                                                \
    }                                                                                                                  \
    cusolverStatus_t cusolverDn##L##sytrf_bufferSize(cusolverDnHandle_t handle, int n, type *A, int lda, int *words) { \
        (void)handle, (void)A, (void)lda;                                                                              \
        *words = n;                                                                                                    \
        return CUSOLVER_STATUS_SUCCESS;                                                                                \
    }                                                                                                                  \
    cusolverStatus_t cusolverDn##L##sytrf(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, type *A, int lda,   \
                                          int *pivots, type *work, int words, int *info) {                             \
        void *a = A;                                                                                                   \
        (void)work, (void)words;                                                                                       \
        if (!begin(handle)) return CUSOLVER_STATUS_INVALID_VALUE;                                                      \
        *info = LAPACKE_##l##sytrf(LAPACK_COL_MAJOR, letter(uplo), n, a, lda, pivots);                                 \
        return CUSOLVER_STATUS_SUCCESS;                                                                                \
    }                                                                                                                  \
    cusolverStatus_t cusolverDn##L##potrfBatched(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, type *A[],   \
                                                 int lda, int *info, int count) {                                      \
        if (!begin(handle)) return CUSOLVER_STATUS_INVALID_VALUE;                                                      \
        for (int m = 0; m < count; m++)                                                                                \
            info[m] = LAPACKE_##l##potrf(LAPACK_COL_MAJOR, letter(uplo), n, (void *)A[m], lda);                        \
        return CUSOLVER_STATUS_SUCCESS;                                                                                \
    }                                                                                                                  \
    cusolverStatus_t cusolverDn##L##potrsBatched(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, int nrhs,    \
                                                 type *A[], int lda, type *B[], int ldb, int *info, int count) {       \
        if (!begin(handle)) return CUSOLVER_STATUS_INVALID_VALUE;                                                      \
        *info = 0;                                                                                                     \
        for (int m = 0; m < count && *info == 0; m++)                                                                  \
            *info = LAPACKE_##l##potrs(LAPACK_COL_MAJOR, letter(uplo), n, nrhs, (void *)A[m], lda, (void *)B[m], ldb); \
        return CUSOLVER_STATUS_SUCCESS;                                                                                \
    }

ROUTINES(S, s, float)
ROUTINES(D, d, double)
ROUTINES(C, c, cuComplex)
ROUTINES(Z, z, cuDoubleComplex)
