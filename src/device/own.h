/*
 * own.h: BLAS by kernels of our own, written against device.h alone, so for any backend; the providers take from it what
 * suits them. Arguments as in blas.h.
 */
#ifndef CLS_OWN_H
#define CLS_OWN_H

#include "device/blas.h"

/* The tiles that cl/gemm_mma.cl is built with. */
typedef enum cls_mma_tile { CLS_MMA_SMALL = 0, CLS_MMA_LARGE = 1, CLS_MMA_TILES = 2 } cls_mma_tile;

/* What a device keeps of them; NULL until first needed. [0] float, [1] double where there are two. */
struct cls_own {
    cls_kernel *scale[2], *trsm[2];
    /* By tile, op(A), op(B), whether copies take two elements, and whether a group walks on over further tiles. */
    cls_kernel *mma[CLS_MMA_TILES][2][2][2][2];
    int mma_fails; /* 1: the self-test found it wrong on this device */
};

/* The device's, made at the first call. */
clsolve_status cls_own_get(cls_device *device, cls_own **own);
/* Gives it back; `destroy` of a backend calls it before the programs go. */
void cls_own_release(cls_device *device);

/* A kernel into *slot, unless it is there. `options` beside the type's; may be "". */
clsolve_status cls_own_kernel(cls_device *device, cls_kernel **slot, const char *file, const char *name,
                              clsolve_type type, const char *options);

/* C = beta C */
clsolve_status cls_own_scale(cls_device *device, clsolve_type type, int64_t m, int64_t n, double beta, cls_ref C);

/* Whether cls_own_gemm is for this device: one with a matrix unit for double, whose kernel is right. */
int cls_own_gemm_suits(const cls_device *device, clsolve_type type);

/*
 * The product by the device's matrix unit (cl/gemm_mma.cl). The first use of each form computes a small product with a known
 * result. *right: 0, when that was wrong; then nothing was enqueued and cls_own_gemm_suits is false from now on.
 */
clsolve_status cls_own_gemm(cls_device *device, clsolve_op op_a, clsolve_op op_b, int64_t m, int64_t n, int64_t k,
                            double alpha, cls_ref A, cls_ref B, double beta, cls_ref C, int *right);

/* The triangular solve: blocks by cl/trsm.cl, the rest by the device's gemm. Nothing in it waits. */
clsolve_status cls_own_trsm(cls_device *device, clsolve_type type, cls_uplo uplo, clsolve_op op, int64_t m, int64_t n,
                            cls_ref T, cls_ref B);

#endif
