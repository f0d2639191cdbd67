/*
 * cublas.c: BLAS on CUDA devices: cuBLAS. It is loaded, and a queue's handle made, by the first call that wants it, so
 * that no other waits for it. Products in double that the built-in kernel of the matrix unit takes want it late: when
 * as much time has gone by since the first of them as cuBLAS takes to start. So its start never more than doubles the
 * time of a short run, and long ones have it. Products that must have the same bits each time do without it.
 */
#include "blas/builtin.h"
#include "device/cuda/enter.h"

#include <limits.h>

#include "base/clock.h"
#include "base/memory.h"

typedef struct cublas {
    cls_cuda_cublas library;            /* loaded when it is first needed */
    cublasHandle_t handles[CLS_QUEUES]; /* one a queue, because a handle's workspace serves one stream at a time */
    /* When the first product came, not counting the waits for compilers; the seconds that a start takes, as measured at
     * the first start on this machine. 0: not yet. */
    double first, start;
} cublas;

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

static clsolve_status need_state(cls_device *device, cublas **result) {
    if (!device->blas->state) device->blas->state = cls_alloc(1, sizeof(cublas));
    *result = device->blas->state;
    return *result ? CLSOLVE_OK : cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for cuBLAS");
}

/* In milliseconds, kept with the programs. */
static const char start_name[] = "cublas start";

/* Does cuBLAS start later than now? */
static clsolve_status starts_later(cls_device *device, int *later) {
    const double unmeasured = 0.15, now = cls_seconds() - device->build_seconds;
    cublas *state = NULL;
    CLS_TRY(need_state(device, &state));
    *later = state->library.library == NULL;
    if (!*later || device->announcing) return CLSOLVE_OK;
    if (state->first == 0) {
        int known = device->ops->recall(device, start_name);
        state->start = known > 0 ? 1e-3 * known : unmeasured;
        state->first = now;
    }
    *later = now - state->first < state->start;
    return CLSOLVE_OK;
}

static clsolve_status load_library(cls_cuda *device, cublas *state) {
    double begin = cls_seconds();
    CLS_TRY(cls_cuda_cublas_load(&state->library, device->driver.cuda, device->base.error));
    int took = (int)(1e3 * (cls_seconds() - begin)) + 1;
    if (device->base.ops->recall(&device->base, start_name) == 0)
        device->base.ops->remember(&device->base, start_name, took);
    return CLSOLVE_OK;
}

/* The library with a handle for that queue. */
static clsolve_status need_handle(cls_cuda *device, cls_queue queue, cublas **result) {
    cublas *state = NULL;
    CLS_TRY(need_state(&device->base, &state));
    *result = state;
    if (state->handles[queue]) return CLSOLVE_OK;
    if (!state->library.library) CLS_TRY(load_library(device, state));
    cublasHandle_t handle = NULL;
    CLS_TRY(check(device, state->library.create(&handle), "cublasCreate"));
    cublasStatus_t code = state->library.set_stream(handle, device->queues[queue]);
    if (code != CUBLAS_STATUS_SUCCESS) {
        (void)state->library.destroy(handle);
        return check(device, code, "cublasSetStream");
    }
    state->handles[queue] = handle;
    return CLSOLVE_OK;
}

/* The device's context is current. */
static void release(cls_device *device) {
    cublas *state = device->blas->state;
    if (!state) return;
    for (int q = 0; q < CLS_QUEUES; q++)
        if (state->handles[q]) (void)state->library.destroy(state->handles[q]);
    cls_cuda_library_close(state->library.library);
    cls_free(state);
    device->blas->state = NULL;
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
    return op == CLSOLVE_NO_TRANS ? CUBLAS_OP_N : op == CLSOLVE_TRANS ? CUBLAS_OP_T : CUBLAS_OP_C;
}

static void *element(clsolve_type type, cls_ref ref) {
    return (char *)ref.buffer->memory + ref.offset * cls_type_size(type);
}

/* ---- C = alpha op(A) op(B) + beta C ---- */

typedef struct product {
    cls_queue queue;
    clsolve_type type;
    cublasOperation_t op_a, op_b;
    int sizes[6]; /* m, n, k, and the leading dimensions of A, B, C */
    double alpha, beta;
    void *A, *B, *C;
} product;

/* Three real products for a complex one (N. J. Higham, Stability of a method for multiplying complex matrices with
 * three real matrix multiplications, SIAM J. Matrix Anal. Appl. 13 (1992)): the error is as small relative to the
 * norms, and not to each element. Its rate was up to a sixth higher than zgemm's (docs/findings/products.md). */
static int is_for_three(const int *sizes) {
    enum { LEAST = 64 };
    return sizes[0] >= LEAST && sizes[1] >= LEAST && sizes[2] >= LEAST;
}

static cublasStatus_t call(const cublas *state, cublasHandle_t handle, const product *p) {
    const cls_cuda_cublas *library = &state->library;
    const int *s = p->sizes;
    const float alpha = (float)p->alpha, beta = (float)p->beta;
    const cuDoubleComplex alpha_c64 = {p->alpha, 0}, beta_c64 = {p->beta, 0};
    const cuComplex alpha_c32 = {alpha, 0}, beta_c32 = {beta, 0};

    switch (p->type) {
    case CLSOLVE_F32:
        return library->sgemm(handle, p->op_a, p->op_b, s[0], s[1], s[2], &alpha, p->A, s[3], p->B, s[4], &beta, p->C,
                              s[5]);
    case CLSOLVE_C32:
        return library->cgemm(handle, p->op_a, p->op_b, s[0], s[1], s[2], &alpha_c32, p->A, s[3], p->B, s[4], &beta_c32,
                              p->C, s[5]);
    case CLSOLVE_C64:
        return (is_for_three(s) ? library->zgemm_three : library->zgemm)(
            handle, p->op_a, p->op_b, s[0], s[1], s[2], &alpha_c64, p->A, s[3], p->B, s[4], &beta_c64, p->C, s[5]);
    case CLSOLVE_F64:
        break;
    }
    return library->dgemm(handle, p->op_a, p->op_b, s[0], s[1], s[2], &p->alpha, p->A, s[3], p->B, s[4], &p->beta, p->C,
                          s[5]);
}

static clsolve_status multiply(cls_cuda *device, const product *p) {
    cublas *state = NULL;
    CLS_TRY(need_handle(device, p->queue, &state));
    cublasHandle_t handle = state->handles[p->queue];
    CLS_TRY(check(device, call(state, handle, p), "a product of cuBLAS"));
    device->base.counters.launches++;
    return CLSOLVE_OK;
}

static clsolve_status multiply_within(cls_cuda *device, const product *p) {
    CLS_CUDA_WITHIN(device, multiply(device, p));
}

/* In cuBLAS's words. */
static clsolve_status product_of(cls_cuda *device, const cls_product *w, product *p) {
    *p = (product){.queue = w->options.queue,
                   .type = w->type,
                   .op_a = operation(w->op_a),
                   .op_b = operation(w->op_b),
                   .alpha = w->alpha,
                   .beta = w->beta,
                   .A = element(w->type, w->A),
                   .B = element(w->type, w->B),
                   .C = element(w->type, w->C)};
    const int64_t sizes[] = {w->m, w->n, w->k, w->A.ld, w->B.ld, w->C.ld};
    return narrowed(device, sizes, 6, p->sizes);
}

static clsolve_status plain(cls_device *base, const cls_product *w) {
    cls_cuda *device = cls_cuda_of(base);
    if (w->m == 0 || w->n == 0) return CLSOLVE_OK;
    /* cuBLAS's behaviour without a product is not documented. */
    if (w->k == 0 || w->alpha == 0) return cls_scale(base, w->options.queue, w->type, w->m, w->n, w->beta, w->C);
    product p;
    CLS_TRY(product_of(device, w, &p));
    return multiply_within(device, &p);
}

/* In float the built-in product of the matrix unit, three terms of tf32, is faster than cuBLAS's, which has none but
 * in tf32 alone. In double they are as fast, but cuBLAS is better with few columns, and worse with fewest of few rows:
 * a band's solve takes 21 ms instead of 36 (docs/findings/bands.md); dense LU's of 16384 took 8.9 ms with the built-in
 * one and 5 with cuBLAS (docs/findings/solves.md). */
static clsolve_status gemm(cls_device *device, const cls_product *p) {
    enum { FEWEST = 4, FEW_ROWS = 2048 };
    int right = 0, builtin = cls_builtin_mma_takes(device, p);
    if (builtin && !p->options.steady && p->type == CLSOLVE_F64 && (p->n > FEWEST || p->m > FEW_ROWS))
        CLS_TRY(starts_later(device, &builtin));
    if (builtin) CLS_TRY(cls_builtin_mma(device, p, &right));
    return right || device->announcing ? CLSOLVE_OK : plain(device, p);
}

/* Whether products of that type are cuBLAS's. */
static int has_steps(const cls_device *device, clsolve_type type) {
    (void)device;
    return type != CLSOLVE_F32;
}

static clsolve_status multiply_steps(cls_cuda *device, const product *p, cls_steps steps, int count) {
    const cuDoubleComplex alpha_c64 = {p->alpha, 0}, beta_c64 = {p->beta, 0};
    const cuComplex alpha_c32 = {(float)p->alpha, 0}, beta_c32 = {(float)p->beta, 0};
    const int *s = p->sizes;
    cublasStatus_t code;
    cublas *state = NULL;
    CLS_TRY(need_handle(device, p->queue, &state));
    const cls_cuda_cublas *library = &state->library;
    cublasHandle_t handle = state->handles[p->queue];
    if (p->type == CLSOLVE_C32)
        code = library->cgemm_steps(handle, p->op_a, p->op_b, s[0], s[1], s[2], &alpha_c32, p->A, s[3], steps.A, p->B,
                                    s[4], steps.B, &beta_c32, p->C, s[5], steps.C, count);
    else if (p->type == CLSOLVE_C64)
        code = library->zgemm_steps(handle, p->op_a, p->op_b, s[0], s[1], s[2], &alpha_c64, p->A, s[3], steps.A, p->B,
                                    s[4], steps.B, &beta_c64, p->C, s[5], steps.C, count);
    else
        code = library->dgemm_steps(handle, p->op_a, p->op_b, s[0], s[1], s[2], &p->alpha, p->A, s[3], steps.A, p->B,
                                    s[4], steps.B, &p->beta, p->C, s[5], steps.C, count);
    CLS_TRY(check(device, code, "products of cuBLAS"));
    device->base.counters.launches++;
    return CLSOLVE_OK;
}

static clsolve_status multiply_steps_within(cls_cuda *device, const product *p, cls_steps steps, int count) {
    CLS_CUDA_WITHIN(device, multiply_steps(device, p, steps, count));
}

static clsolve_status steps(cls_device *base, const cls_product *w, cls_steps distance, int64_t count) {
    cls_cuda *device = cls_cuda_of(base);
    product p;
    int small = 0;
    if (base->announcing) return CLSOLVE_OK;
    CLS_TRY(product_of(device, w, &p));
    CLS_TRY(narrowed(device, &count, 1, &small));
    return multiply_steps_within(device, &p, distance, small);
}

/* Triangles are solved by our own kernel with cuBLAS's products around it: it is the faster where LU wants it. */
const cls_blas_provider cls_blas_cublas = {"cuBLAS", INT64_MAX, 0,      1, gemm, cls_builtin_trsm, cls_builtin_triangle,
                                           steps,    has_steps, release};
const cls_blas_provider cls_blas_cublas_alone = {"cuBLAS",         INT64_MAX, 0,     1,         plain,
                                                 cls_builtin_trsm, NULL,      steps, has_steps, release};
