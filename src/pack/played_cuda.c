/* played_cuda.c: see played_cuda.h. The driver makes its context current and no more; cuBLAS has products that do
 * nothing. */
#include "pack/played_cuda.h"

#include "base/memory.h"
#include "device/cuda/cuda_device.h"

static CUresult push(CUcontext context) {
    (void)context;
    return CUDA_SUCCESS;
}

static CUresult pop(CUcontext *context) {
    *context = NULL;
    return CUDA_SUCCESS;
}

static cublasStatus_t make(cublasHandle_t *handle) {
    static int any;
    *handle = (cublasHandle_t)&any;
    return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t unmake(cublasHandle_t handle) {
    (void)handle;
    return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t set_stream(cublasHandle_t handle, cudaStream_t stream) {
    (void)handle, (void)stream;
    return CUBLAS_STATUS_SUCCESS;
}

/* Products do nothing, as launches do; those of real numbers, for only these are asked for. */
static cublasStatus_t dgemm(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k,
                            const double *alpha, const double *A, int lda, const double *B, int ldb, const double *beta,
                            double *C, int ldc) {
    (void)handle, (void)op_a, (void)op_b, (void)m, (void)n, (void)k, (void)alpha, (void)A, (void)lda, (void)B;
    (void)ldb, (void)beta, (void)C, (void)ldc;
    return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t sgemm(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k,
                            const float *alpha, const float *A, int lda, const float *B, int ldb, const float *beta,
                            float *C, int ldc) {
    (void)handle, (void)op_a, (void)op_b, (void)m, (void)n, (void)k, (void)alpha, (void)A, (void)lda, (void)B;
    (void)ldb, (void)beta, (void)C, (void)ldc;
    return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t dgemm_steps(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n,
                                  int k, const double *alpha, const double *A, int lda, long long int step_A,
                                  const double *B, int ldb, long long int step_B, const double *beta, double *C,
                                  int ldc, long long int step_C, int count) {
    (void)step_A, (void)step_B, (void)step_C, (void)count;
    return dgemm(handle, op_a, op_b, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}

clsolve_status __wrap_cls_cuda_cublas_load(cls_cuda_cublas *table, int cuda, cls_error *error);
clsolve_status __wrap_cls_cuda_cublas_load(cls_cuda_cublas *table, int cuda, cls_error *error) {
    (void)cuda, (void)error;
    *table = (cls_cuda_cublas){.create = make,
                               .destroy = unmake,
                               .set_stream = set_stream,
                               .dgemm = dgemm,
                               .sgemm = sgemm,
                               .dgemm_steps = dgemm_steps};
    return CLSOLVE_OK;
}

clsolve_status played_cuda_widen(cls_device **device) {
    cls_cuda *wide = cls_alloc(1, sizeof *wide);
    if (!wide) {
        clsolve_status status = cls_fail((*device)->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no memory for a played GPU");
        (*device)->ops->destroy(*device);
        return status;
    }
    wide->base = **device;
    wide->driver.context_push = push;
    wide->driver.context_pop = pop;
    cls_free(*device);
    *device = &wide->base;
    return CLSOLVE_OK;
}

void played_cuda_set(cls_device *device, int capability, int double_ratio) {
    device->matrix_unit = capability;
    device->double_ratio = double_ratio;
    device->beside = device->splits = device->promised_together = 1;
    device->callers = device->whole_words = 0;
    device->info.max_allocation = device->info.global_memory;
}
