/*
 * blas.h: products and triangular solves on matrices in device memory. Methods include this file alone; provider.h,
 * builtin.h, record.h and tune.h are for the room itself.
 *
 *     CLS_TRY(cls_blas_create(device));     once, when the device has been opened
 *     CLS_TRY(cls_gemm(device, CLS_BLAS_DEFAULT, type, op_a, op_b, m, n, k, -1.0, A, B, 1.0, C));
 *
 * Everything is column-major. Any of m, n, k may be 0: then the call does what BLAS says and launches nothing needless.
 */
#ifndef CLS_BLAS_H
#define CLS_BLAS_H

#include <stdint.h>

#include "device/device.h"
#include "device/ref.h"

/* The two halves of an LU, as it stores them; and the L of a Cholesky factorization. */
typedef enum cls_uplo { CLS_LOWER_UNIT = 1, CLS_UPPER = 2, CLS_LOWER = 3 } cls_uplo;

/* How a call runs. All zeros is the usual way. */
typedef struct cls_blas_options {
    cls_queue queue; /* the queue that the call is enqueued in */
    /* 1: products of floats keep float's whole range, down to its subnormal numbers, which not every matrix unit does.
     * For methods that do not scale a tiny matrix (method/direct/scaling.h). */
    int whole_range;
    /* 1: a product has the same bits each time, whatever the device has computed before. So a provider does not change
     * its kernel once its library has started. */
    int steady;
} cls_blas_options;

static inline cls_blas_options cls_blas_in(cls_queue queue) {
    return (cls_blas_options){.queue = queue};
}

#define CLS_BLAS_DEFAULT cls_blas_in(CLS_COMPUTE)
#define CLS_BLAS_STEADY  ((cls_blas_options){.queue = CLS_COMPUTE, .steady = 1})

typedef struct cls_blas_provider cls_blas_provider; /* provider.h */
typedef struct cls_builtin cls_builtin;             /* builtin.h */

/* Where the portable product is used: where it was measured to be faster, as the tuning record says (record.h); always;
 * or never. */
typedef enum cls_tiled { CLS_TILED_MEASURED = 0, CLS_TILED_ALWAYS = 1, CLS_TILED_NEVER = 2 } cls_tiled;

/* The device's BLAS. The device holds it as device->blas and gives it back when it is destroyed. */
struct cls_blas {
    const char *name; /* of the provider: "CLBlast", "OpenBLAS", "cuBLAS" */

    /* The block order that suits this provider's triangular solves: a solve with more rows is cut by the caller;
     * INT64_MAX where the provider does best on the whole. */
    int64_t trsm_block;

    int in_place; /* 1: it works on the host's cores, so also on buffers that are mapped */
    int narrow;   /* 1: its products with few columns take about as long as reading A does */

    /* For this room alone. */
    const cls_blas_provider *provider;
    const cls_blas_provider *rival; /* the portable product is measured against this one; NULL: there is none to tune */
    cls_tiled tiled;
    int no_matrix_unit;   /* 1: no maker's is used in products */
    cls_builtin *builtin; /* the built-in kernels; NULL until needed */
    void *state;          /* the provider's own; NULL until needed */
};

/*
 * Chooses and makes the BLAS of an open device:
 *
 *      cuBLAS      CUDA devices
 *      OpenBLAS    devices that work in the host's own memory
 *      CLBlast     other OpenCL devices
 *
 * The environment variable CLSOLVE_BLAS=clblast, =own, =openblas or =cublas forces a provider, for tests and
 * measurements: INVALID_ARGUMENT for another word, UNSUPPORTED where the device cannot have it. With CLBlast the
 * built-in products come first where they are faster (builtin.h): always for =own, and only the matrix unit's for
 * =clblast.
 */
clsolve_status cls_blas_create(cls_device *device);

/* C (m x n) = alpha op(A) op(B) + beta C, inner size k. */
clsolve_status cls_gemm(cls_device *device, cls_blas_options options, clsolve_type type, clsolve_op op_a,
                        clsolve_op op_b, int64_t m, int64_t n, int64_t k, double alpha, cls_ref A, cls_ref B,
                        double beta, cls_ref C);

/* The lower triangle of C (n x n) = alpha op(A) op(B) + beta C, in one launch. Less than 128 rows above the diagonal C
 * is computed too, or not; above them it stays as it is. *done: 0, and nothing was enqueued, where the device has no
 * such product. */
clsolve_status cls_gemm_triangle(cls_device *device, cls_blas_options options, clsolve_type type, clsolve_op op_a,
                                 clsolve_op op_b, int64_t n, int64_t k, double alpha, cls_ref A, cls_ref B, double beta,
                                 cls_ref C, int *done);

/* 0: the device has none for that type. */
int cls_gemm_triangle_at_once(const cls_device *device, clsolve_type type);

/* How far the operands of one product lie from those of the next one, in elements. */
typedef struct cls_steps {
    int64_t A, B, C;
} cls_steps;

/* `count` products of the same sizes, whose C do not overlap: one call of the provider's where it has such a thing. */
clsolve_status cls_gemm_steps(cls_device *device, cls_blas_options options, clsolve_type type, clsolve_op op_a,
                              clsolve_op op_b, int64_t m, int64_t n, int64_t k, double alpha, cls_ref A, cls_ref B,
                              double beta, cls_ref C, cls_steps steps, int64_t count);

/* 1: cls_gemm_steps is one call for that type; 0: it is one for each product. */
int cls_gemm_steps_at_once(const cls_device *device, clsolve_type type);

/* B (m x n) = op(T)^-1 B, T m x m, the half of it that `uplo` says. By quotients: a pivot's reciprocal may overflow. */
clsolve_status cls_trsm(cls_device *device, cls_blas_options options, clsolve_type type, cls_uplo uplo, clsolve_op op,
                        int64_t m, int64_t n, cls_ref T, cls_ref B);

/* C (m x n) = beta C */
clsolve_status cls_scale(cls_device *device, cls_queue queue, clsolve_type type, int64_t m, int64_t n, double beta,
                         cls_ref C);

/* The host and the provider can both work on matrices where they are, without a copy. */
static inline int cls_in_place(const cls_device *device) {
    return device->info.host_memory && device->blas->in_place;
}

#endif
