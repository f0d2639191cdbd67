/* blas.c: what BLAS providers share. */
#include "device/blas.h"

static size_t rounded_up(int64_t value, int64_t unit) {
    return (size_t)((value + unit - 1) / unit * unit);
}

clsolve_status cls_blas_scale(cls_device *device, cls_kernel **kernels, clsolve_type type, int64_t m, int64_t n,
                              double beta, cls_ref C) {
    enum { ROWS = 64, MOST_GROUPS = 1024 }; /* ROWS as in cl/scale.cl, which walks on over further columns */
    cls_kernel **kernel = &kernels[type == CLSOLVE_F64];
    if (beta == 1) return CLSOLVE_OK;
    if (!*kernel) {
        cls_program *program = NULL;
        CLS_TRY(device->ops->program_get(device, "scale", cls_type_option(type), &program));
        CLS_TRY(device->ops->kernel_create(device, program, "scale", kernel));
    }
    float beta32 = (float)beta;
    cls_arg factor64 = CLS_VALUE(beta), factor32 = CLS_VALUE(beta32);
    cls_arg args[] = {CLS_VALUE(m),         CLS_VALUE(n),        type == CLSOLVE_F64 ? factor64 : factor32,
                      CLS_BUFFER(C.buffer), CLS_VALUE(C.offset), CLS_VALUE(C.ld)};
    cls_grid grid = {{rounded_up(m, ROWS), (size_t)(n < MOST_GROUPS ? n : MOST_GROUPS), 1}, {ROWS, 1, 1}};
    return device->ops->launch(device, CLS_COMPUTE, *kernel, &grid, args, 6, NULL, NULL);
}
