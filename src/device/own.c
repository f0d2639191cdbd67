#include "device/own.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"

clsolve_status cls_own_get(cls_device *device, cls_own **own) {
    if (!device->own) device->own = cls_alloc(1, sizeof *device->own);
    *own = device->own;
    return *own ? CLSOLVE_OK
                : cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a list of kernels");
}

void cls_own_release(cls_device *device) {
    cls_own *own = device->own;
    if (!own) return;
    for (int t = 0; t < 2; t++) {
        device->ops->kernel_destroy(device, own->scale[t]);
        device->ops->kernel_destroy(device, own->trsm[t][0]);
        device->ops->kernel_destroy(device, own->trsm[t][1]);
    }
    cls_kernel **mma = &own->mma[0][0][0][0][0];
    for (size_t k = 0; k < sizeof own->mma / sizeof *mma; k++) device->ops->kernel_destroy(device, mma[k]);
    cls_kernel **tiled = &own->tiled[0][0][0][0];
    for (size_t k = 0; k < sizeof own->tiled / sizeof *tiled; k++) device->ops->kernel_destroy(device, tiled[k]);
    cls_free(own);
    device->own = NULL;
}

clsolve_status cls_own_kernel(cls_device *device, cls_kernel **slot, const char *file, const char *name,
                              clsolve_type type, const char *options) {
    char all[384];
    cls_program *program = NULL;
    if (*slot) return CLSOLVE_OK;
    (void)snprintf(all, sizeof all, "%s%s%s", cls_type_option(type), options[0] ? " " : "", options);
    CLS_TRY(device->ops->program_get(device, file, all, &program));
    return device->ops->kernel_create(device, program, name, slot);
}

clsolve_status cls_own_scale(cls_device *device, clsolve_type type, int64_t m, int64_t n, double beta, cls_ref C) {
    enum { ROWS = 64, MOST_GROUPS = 1024 }; /* ROWS as in cl/scale.cl, which walks on over further columns */
    cls_own *own;
    if (beta == 1 || m == 0 || n == 0) return CLSOLVE_OK;
    CLS_TRY(cls_own_get(device, &own));
    cls_kernel **kernel = &own->scale[type == CLSOLVE_F64];
    CLS_TRY(cls_own_kernel(device, kernel, "scale", "scale", type, ""));
    float beta32 = (float)beta;
    cls_arg factor64 = CLS_VALUE(beta), factor32 = CLS_VALUE(beta32);
    cls_arg args[] = {CLS_VALUE(m),         CLS_VALUE(n),        type == CLSOLVE_F64 ? factor64 : factor32,
                      CLS_BUFFER(C.buffer), CLS_VALUE(C.offset), CLS_VALUE(C.ld)};
    cls_grid grid = {{(size_t)((m + ROWS - 1) / ROWS * ROWS), (size_t)(n < MOST_GROUPS ? n : MOST_GROUPS), 1},
                     {ROWS, 1, 1}};
    return device->ops->launch(device, device->blas_queue, *kernel, &grid, args, 6, NULL, NULL);
}
