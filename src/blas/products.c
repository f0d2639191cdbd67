/* products.c: calls go to the device's provider. */
#include "blas/blas.h"

#include "blas/builtin.h"

clsolve_status cls_gemm(cls_device *device, cls_blas_options options, clsolve_type type, clsolve_op op_a,
                        clsolve_op op_b, int64_t m, int64_t n, int64_t k, double alpha, cls_ref A, cls_ref B,
                        double beta, cls_ref C) {
    const cls_product product = {options, type, op_a, op_b, m, n, k, alpha, beta, A, B, C, 0};
    return device->blas->provider->gemm(device, &product);
}

int cls_gemm_triangle_at_once(const cls_device *device, clsolve_type type) {
    return device->blas->provider->triangle && cls_builtin_mma_suits(device, type);
}

clsolve_status cls_gemm_triangle(cls_device *device, cls_blas_options options, clsolve_type type, clsolve_op op_a,
                                 clsolve_op op_b, int64_t n, int64_t k, double alpha, cls_ref A, cls_ref B, double beta,
                                 cls_ref C, int *done) {
    const cls_blas_provider *provider = device->blas->provider;
    const cls_product product = {options, type, op_a, op_b, n, n, k, alpha, beta, A, B, C, 1};

    *done = 0;
    return provider->triangle ? provider->triangle(device, &product, done) : CLSOLVE_OK;
}

int cls_gemm_steps_at_once(const cls_device *device, clsolve_type type) {
    const cls_blas_provider *provider = device->blas->provider;
    return provider->steps && provider->has_steps(device, type);
}

clsolve_status cls_gemm_steps(cls_device *device, cls_blas_options options, clsolve_type type, clsolve_op op_a,
                              clsolve_op op_b, int64_t m, int64_t n, int64_t k, double alpha, cls_ref A, cls_ref B,
                              double beta, cls_ref C, cls_steps steps, int64_t count) {
    cls_product product = {options, type, op_a, op_b, m, n, k, alpha, beta, A, B, C, 0};

    if (count > 1 && cls_gemm_steps_at_once(device, type))
        return device->blas->provider->steps(device, &product, steps, count);
    for (int64_t i = 0; i < count; ++i) {
        CLS_TRY(device->blas->provider->gemm(device, &product));
        product.A.offset += steps.A;
        product.B.offset += steps.B;
        product.C.offset += steps.C;
    }
    return CLSOLVE_OK;
}

clsolve_status cls_trsm(cls_device *device, cls_blas_options options, clsolve_type type, cls_uplo uplo, clsolve_op op,
                        int64_t m, int64_t n, cls_ref T, cls_ref B) {
    const cls_triangle triangle = {options, type, uplo, op, m, n, T, B};
    return device->blas->provider->trsm(device, &triangle);
}
