/*
 * blas.h: the BLAS operations that methods need, on matrices in device memory, in stream with the compute queue.
 *
 * Providers: cuBLAS for CUDA devices; CLBlast for OpenCL GPUs (gemm; the triangular solve is our own kernel plus gemm, because CLBlast's makes
 * the host wait after every 16 rows), OpenBLAS on mapped memory for devices that work in the host's own memory.
 * Where CLBlast is the provider, products of our own come first where they suit (own.h): always for =own, and only the matrix unit's
 * for =clblast.
 * The environment variable CLSOLVE_BLAS=clblast, =own, =openblas or =cublas forces the provider, for tests and measurements.
 * Everything is column-major. Any of m, n, k may be 0: then the call does what BLAS says and launches nothing needless.
 */
#ifndef CLS_BLAS_H
#define CLS_BLAS_H

#include <stdint.h>

#include "device/device.h"

/* A matrix in a device buffer: element (i, j) at offset + i + j * ld, in elements. */
typedef struct cls_ref {
    cls_buffer *buffer;
    int64_t offset, ld;
} cls_ref;

typedef enum cls_uplo { CLS_LOWER_UNIT = 1, CLS_UPPER = 2 } cls_uplo; /* the two halves of an LU, as it stores them */

struct cls_blas {
    const char *name; /* "CLBlast", "OpenBLAS", "cuBLAS" */

    /* The block order that suits this provider's triangular solves: a solve with more rows is cut by the caller;
     * INT64_MAX where the provider does best on the whole. */
    int64_t trsm_block;

    int in_place; /* 1: it works on the host's cores, so also on buffers that are mapped */
    int narrow;   /* 1: its products with few columns take about as long as reading A does */

    /* C (m x n) = alpha op(A) op(B) + beta C, inner size k. */
    clsolve_status (*gemm)(cls_device *device, clsolve_type type, clsolve_op op_a, clsolve_op op_b, int64_t m,
                           int64_t n, int64_t k, double alpha, cls_ref A, cls_ref B, double beta, cls_ref C);

    /* B (m x n) = op(T)^-1 B, T m x m, the half of it that `uplo` says. By quotients: a pivot's reciprocal may overflow. */
    clsolve_status (*trsm)(cls_device *device, clsolve_type type, cls_uplo uplo, clsolve_op op, int64_t m, int64_t n,
                           cls_ref T, cls_ref B);
};

static inline cls_ref cls_ref_at(cls_ref ref, int64_t i, int64_t j) {
    cls_ref moved = {ref.buffer, ref.offset + i + j * ref.ld, ref.ld};
    return moved;
}

static inline int64_t cls_type_size(clsolve_type type) {
    return type == CLSOLVE_F64 ? 8 : 4;
}

/* "-DREAL=double" or "-DREAL=float": the option every typed kernel is built with. */
static inline const char *cls_type_option(clsolve_type type) {
    return type == CLSOLVE_F64 ? "-DREAL=double -DCLS_DOUBLE=1" : "-DREAL=float -DCLS_DOUBLE=0";
}

/* The host and the provider can both work on matrices where they are, without a copy. */
static inline int cls_in_place(const cls_device *device) {
    return device->info.host_memory && device->blas->in_place;
}

#endif
