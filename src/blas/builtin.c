#include "blas/builtin.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"

clsolve_status cls_builtin_get(cls_device *device, cls_builtin **builtin) {
    cls_blas *blas = device->blas;
    if (!blas->builtin) blas->builtin = cls_alloc(1, sizeof *blas->builtin);
    *builtin = blas->builtin;
    return *builtin ? CLSOLVE_OK
                    : cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a list of kernels");
}

void cls_builtin_release(cls_device *device) {
    cls_builtin *builtin = device->blas->builtin;
    if (!builtin) return;
    for (int t = 0; t < CLS_TYPES; t++) {
        device->ops->kernel_destroy(device, builtin->scale[t]);
        device->ops->kernel_destroy(device, builtin->trsm[t][0]);
        device->ops->kernel_destroy(device, builtin->trsm[t][1]);
    }
    for (int k = 0; k < 2; k++) device->ops->kernel_destroy(device, builtin->complex_form[k]);
    for (int q = 0; q < CLS_QUEUES; q++) {
        device->ops->buffer_destroy(device, builtin->room[q].buffer);
        device->ops->buffer_destroy(device, builtin->turned[q].buffer);
    }
    cls_kernel **mma = &builtin->mma[0][0][0][0][0];
    for (size_t k = 0; k < sizeof builtin->mma / sizeof *mma; k++) device->ops->kernel_destroy(device, mma[k]);
    cls_kernel **tiled = &builtin->tiled[0][0][0][0][0];
    for (size_t k = 0; k < sizeof builtin->tiled / sizeof *tiled; k++) device->ops->kernel_destroy(device, tiled[k]);
    cls_free(builtin);
    device->blas->builtin = NULL;
}

clsolve_status cls_builtin_kernel(cls_device *device, cls_kernel **slot, const char *file, const char *name,
                                  clsolve_type type, const char *options) {
    char all[384];
    cls_program *program = NULL;
    if (*slot) return CLSOLVE_OK;
    (void)snprintf(all, sizeof all, "%s%s%s", cls_type_option(type), options[0] ? " " : "", options);
    CLS_TRY(device->ops->program_get(device, file, all, &program));
    return device->ops->kernel_create(device, program, name, slot);
}

clsolve_status cls_scale(cls_device *device, cls_queue queue, clsolve_type type, int64_t m, int64_t n, double beta,
                         cls_ref C) {
    enum { ROWS = 64, MOST_GROUPS = 1024 }; /* ROWS as in cl/scale.cl, which walks on over further columns */
    cls_builtin *builtin;
    if (beta == 1 || m == 0 || n == 0) return CLSOLVE_OK;
    CLS_TRY(cls_builtin_get(device, &builtin));
    cls_kernel **kernel = &builtin->scale[cls_builtin_place(type)];
    CLS_TRY(cls_builtin_kernel(device, kernel, "scale", "scale", type, ""));
    float beta32 = (float)beta;
    cls_arg factor64 = CLS_VALUE(beta), factor32 = CLS_VALUE(beta32);
    cls_arg args[] = {CLS_VALUE(m), CLS_VALUE(n), cls_is_double(type) ? factor64 : factor32, CLS_REF(C)};
    cls_grid grid = {{(size_t)((m + ROWS - 1) / ROWS * ROWS), (size_t)(n < MOST_GROUPS ? n : MOST_GROUPS), 1},
                     {ROWS, 1, 1}};
    return cls_launch(device, queue, *kernel, &grid, CLS_ARGS(args));
}
