/*
 * builtin_alone.c: BLAS for devices with memory of their own in a build without CLBlast: the built-in products alone,
 * by the device's matrix unit where that is right (builtin_mma.c), else by the portable kernel (builtin_tiled.c).
 * Complex matrices go through products of real ones (builtin_complex.c).
 */
#include "blas/builtin.h"

static clsolve_status gemm(cls_device *device, const cls_product *p) {
    int right = 0;
    if (p->m == 0 || p->n == 0) return CLSOLVE_OK;
    if (p->k == 0 || p->alpha == 0) return cls_scale(device, p->options.queue, p->type, p->m, p->n, p->beta, p->C);
    if (cls_builtin_complex_suits(device, p)) return cls_builtin_complex(device, p);
    if (cls_builtin_mma_takes(device, p)) CLS_TRY(cls_builtin_mma(device, p, &right));
    if (!right && cls_builtin_tiled_suits(device, p)) CLS_TRY(cls_builtin_tiled(device, p, &right));
    if (right || device->announcing) return CLSOLVE_OK;
    return cls_fail(device->error, CLSOLVE_ERROR_UNSUPPORTED,
                    "the built-in product is wrong on %s, or its kernel does not run there, and this build has no "
                    "CLBlast: give another device",
                    device->info.name);
}

const cls_blas_provider cls_blas_builtin = {"built-in",           INT64_MAX, 0,    0,   gemm, cls_builtin_trsm,
                                            cls_builtin_triangle, NULL,      NULL, NULL};
