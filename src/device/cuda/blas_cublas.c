/*
 * blas_cublas.c: BLAS on CUDA devices: cuBLAS, in the queue that device->blas_queue says. It is loaded, and its handle made, by
 * the first call, so that what needs no BLAS never waits for it.
 */
#include "device/cuda/cuda_device.h"
#include "device/own.h"

#include <limits.h>

static const char *name_of(cublasStatus_t code) {
    switch (code) {
    case CUBLAS_STATUS_NOT_INITIALIZED:
        return "CUBLAS_STATUS_NOT_INITIALIZED";
    case CUBLAS_STATUS_ALLOC_FAILED:
        return "CUBLAS_STATUS_ALLOC_FAILED";
    case CUBLAS_STATUS_INVALID_VALUE:
        return "CUBLAS_STATUS_INVALID_VALUE";
    case CUBLAS_STATUS_ARCH_MISMATCH:
        return "CUBLAS_STATUS_ARCH_MISMATCH";
    case CUBLAS_STATUS_MAPPING_ERROR:
        return "CUBLAS_STATUS_MAPPING_ERROR";
    case CUBLAS_STATUS_EXECUTION_FAILED:
        return "CUBLAS_STATUS_EXECUTION_FAILED";
    case CUBLAS_STATUS_INTERNAL_ERROR:
        return "CUBLAS_STATUS_INTERNAL_ERROR";
    case CUBLAS_STATUS_NOT_SUPPORTED:
        return "CUBLAS_STATUS_NOT_SUPPORTED";
    default:
        return "unknown error";
    }
}

static clsolve_status check(cls_cuda *device, cublasStatus_t code, const char *call) {
    if (code == CUBLAS_STATUS_SUCCESS) return CLSOLVE_OK;
    return cls_fail(device->base.error,
                    code == CUBLAS_STATUS_ALLOC_FAILED ? CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY : CLSOLVE_ERROR_DEVICE,
                    "%s failed: %s (%d)", call, name_of(code), (int)code);
}

/* The handle of the queue in which products are wanted now. */
static clsolve_status need_handle(cls_cuda *device, cublasHandle_t *result) {
    cls_queue queue = device->base.blas_queue;
    *result = device->handles[queue];
    if (*result) return CLSOLVE_OK;
    if (!device->cublas.library)
        CLS_TRY(cls_cuda_cublas_load(&device->cublas, device->driver.cuda, device->base.error));
    cublasHandle_t handle = NULL;
    CLS_TRY(check(device, device->cublas.create(&handle), "cublasCreate"));
    cublasStatus_t code = device->cublas.set_stream(handle, device->queues[queue]);
    if (code != CUBLAS_STATUS_SUCCESS) {
        (void)device->cublas.destroy(handle);
        return check(device, code, "cublasSetStream");
    }
    *result = device->handles[queue] = handle;
    return CLSOLVE_OK;
}

void cls_cuda_cublas_release(cls_cuda *device) {
    for (int q = 0; q < CLS_QUEUES; q++) {
        if (device->handles[q]) (void)device->cublas.destroy(device->handles[q]);
        device->handles[q] = NULL;
    }
    cls_cuda_library_close(device->cublas.library);
    device->cublas.library = NULL;
}

/* cuBLAS counts in int: *small receives the sizes. */
static clsolve_status narrowed(cls_cuda *device, const int64_t *sizes, int count, int *small) {
    for (int i = 0; i < count; i++) {
        if (sizes[i] > INT_MAX)
            return cls_fail(device->base.error, CLSOLVE_ERROR_UNSUPPORTED,
                            "a size or leading dimension of %lld is more than cuBLAS can count (%d)",
                            (long long)sizes[i], INT_MAX);
        small[i] = (int)sizes[i];
    }
    return CLSOLVE_OK;
}

static cublasOperation_t operation(clsolve_op op) {
    return op == CLSOLVE_TRANS ? CUBLAS_OP_T : CUBLAS_OP_N;
}

static void *element(clsolve_type type, cls_ref ref) {
    return (char *)ref.buffer->memory + ref.offset * cls_type_size(type);
}

/* ---- C = alpha op(A) op(B) + beta C ---- */

typedef struct product {
    clsolve_type type;
    cublasOperation_t op_a, op_b;
    int sizes[6]; /* m, n, k, and the leading dimensions of A, B, C */
    double alpha, beta;
    void *A, *B, *C;
} product;

static clsolve_status multiply(cls_cuda *device, const product *p) {
    const int *s = p->sizes;
    float alpha = (float)p->alpha, beta = (float)p->beta;
    cublasHandle_t handle;
    CLS_TRY(need_handle(device, &handle));
    cublasStatus_t code = p->type == CLSOLVE_F64
                              ? device->cublas.dgemm(handle, p->op_a, p->op_b, s[0], s[1], s[2], &p->alpha, p->A, s[3],
                                                     p->B, s[4], &p->beta, p->C, s[5])
                              : device->cublas.sgemm(handle, p->op_a, p->op_b, s[0], s[1], s[2], &alpha, p->A, s[3],
                                                     p->B, s[4], &beta, p->C, s[5]);
    CLS_TRY(check(device, code, p->type == CLSOLVE_F64 ? "cublasDgemm" : "cublasSgemm"));
    device->base.counters.launches++;
    return CLSOLVE_OK;
}

static clsolve_status multiply_within(cls_cuda *device, const product *p) {
    CLS_CUDA_WITHIN(device, multiply(device, p));
}

static clsolve_status plain(cls_device *base, clsolve_type type, clsolve_op op_a, clsolve_op op_b, int64_t m, int64_t n,
                            int64_t k, double alpha, cls_ref A, cls_ref B, double beta, cls_ref C) {
    cls_cuda *device = cls_cuda_of(base);
    if (m == 0 || n == 0) return CLSOLVE_OK;
    /* What cuBLAS does without a product is not documented. */
    if (k == 0 || alpha == 0) return cls_own_scale(base, type, m, n, beta, C);
    product p = {.type = type,
                 .op_a = operation(op_a),
                 .op_b = operation(op_b),
                 .alpha = alpha,
                 .beta = beta,
                 .A = element(type, A),
                 .B = element(type, B),
                 .C = element(type, C)};
    int64_t sizes[] = {m, n, k, A.ld, B.ld, C.ld};
    CLS_TRY(narrowed(device, sizes, 6, p.sizes));
    return multiply_within(device, &p);
}

/* Of floats our own by the matrix unit, three terms of tf32, is faster than cuBLAS's, which has none but in tf32 alone. */
static clsolve_status gemm(cls_device *base, clsolve_type type, clsolve_op op_a, clsolve_op op_b, int64_t m, int64_t n,
                           int64_t k, double alpha, cls_ref A, cls_ref B, double beta, cls_ref C) {
    const cls_product p = {type, op_a, op_b, m, n, k, alpha, beta, A, B, C};
    int right = 0;
    if (type == CLSOLVE_F32 && cls_own_mma_takes(base, &p)) CLS_TRY(cls_own_mma(base, &p, &right));
    return right ? CLSOLVE_OK : plain(base, type, op_a, op_b, m, n, k, alpha, A, B, beta, C);
}

/* Triangles are solved by our own kernel with cuBLAS's products around it: it is the faster where LU wants it. */
const cls_blas cls_cuda_blas_cublas = {"cuBLAS", INT64_MAX, 0, 1, gemm, cls_own_trsm};
const cls_blas cls_cuda_blas_cublas_alone = {"cuBLAS", INT64_MAX, 0, 1, plain, cls_own_trsm};
