/* cusparse.c: libcusparse.so.12, what clsolve-bench calls of it; see stand_in.h. */
#include "stand_in.h"

#include <cusparse.h>
#include <lapacke.h>
#include <stdlib.h>
#include <string.h>

struct cusparseContext {
    CUstream stream;
};

cusparseStatus_t cusparseCreate(cusparseHandle_t *handle) {
    *handle = calloc(1, sizeof **handle);
    return *handle ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ALLOC_FAILED;
}

cusparseStatus_t cusparseDestroy(cusparseHandle_t handle) {
    free(handle);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSetStream(cusparseHandle_t handle, cudaStream_t stream) {
    handle->stream = stream;
    return CUSPARSE_STATUS_SUCCESS;
}

/* The first of dl and the last of du are not looked at. */
#define LINES(L, l, type)                                                                                              \
    cusparseStatus_t cusparse##L##gtsv2StridedBatch_bufferSizeExt(cusparseHandle_t handle, int m, const type *dl,      \
                                                                  const type *d, const type *du, const type *x,        \
                                                                  int count, int stride, size_t *bytes) {              \
        (void)handle, (void)dl, (void)d, (void)du, (void)x, (void)count, (void)stride;                                 \
        *bytes = 3 * sizeof(type) * (size_t)m;                                                                         \
        return CUSPARSE_STATUS_SUCCESS;                                                                                \
    }                                                                                                                  \
    cusparseStatus_t cusparse##L##gtsv2StridedBatch(cusparseHandle_t handle, int m, const type *dl, const type *d,     \
                                                    const type *du, type *x, int count, int stride, void *work) {      \
        type *below = work, *c = below + m, *u = c + m;                                                                \
        if (!handle->stream) return CUSPARSE_STATUS_INVALID_VALUE;                                                     \
        stand_in_open(handle->stream);                                                                                 \
        if (clFinish(handle->stream->queue) != CL_SUCCESS) return CUSPARSE_STATUS_EXECUTION_FAILED;                    \
        for (int b = 0; b < count; b++) {                                                                              \
            const size_t at = (size_t)b * (size_t)stride, bytes = sizeof(type) * (size_t)m;                            \
            memcpy(c, d + at, bytes);                                                                                  \
            memcpy(u, du + at, bytes);                                                                                 \
            memcpy(below, dl + at + 1, bytes - sizeof(type));                                                          \
            if (LAPACKE_##l##gtsv(LAPACK_COL_MAJOR, m, 1, (void *)below, (void *)c, (void *)u, (void *)(x + at), m) != \
                0)                                                                                                     \
                return CUSPARSE_STATUS_EXECUTION_FAILED;                                                               \
        }                                                                                                              \
        return CUSPARSE_STATUS_SUCCESS;                                                                                \
    }

LINES(S, s, float)
LINES(D, d, double)
LINES(C, c, cuComplex)
LINES(Z, z, cuDoubleComplex)
