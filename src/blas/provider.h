/*
 * provider.h: a BLAS library as a table of two operations, and the tables that there are. A
 * provider includes the inner header of the backend that it works on.
 */
#ifndef CLS_BLAS_PROVIDER_H
#define CLS_BLAS_PROVIDER_H

#include "blas/blas.h"

/* C = alpha op(A) op(B) + beta C, C m x n, inner size k. */
typedef struct cls_product {
    cls_blas_options options;
    clsolve_type type;
    clsolve_op op_a, op_b;
    int64_t m, n, k;
    double alpha, beta;
    cls_ref A, B, C;
    int lower; /* 1: of C the tiles above the diagonal are left as they are; for cls_builtin_triangle alone */
} cls_product;

/* B = op(T)^-1 B, B m x n. */
typedef struct cls_triangle {
    cls_blas_options options;
    clsolve_type type;
    cls_uplo uplo;
    clsolve_op op;
    int64_t m, n;
    cls_ref T, B;
} cls_triangle;

/* trsm_block, in_place and narrow as in cls_blas. */
struct cls_blas_provider {
    const char *name;
    int64_t trsm_block;
    int in_place, narrow;
    clsolve_status (*gemm)(cls_device *device, const cls_product *product);
    clsolve_status (*trsm)(cls_device *device, const cls_triangle *triangle);
    /* cls_gemm_triangle in one launch: cls_builtin_triangle; NULL: it has none. */
    clsolve_status (*triangle)(cls_device *device, const cls_product *product, int *done);
    /* cls_gemm_steps in one call, m, n, k and count at least 1, and for which types; NULL: it has none. */
    clsolve_status (*steps)(cls_device *device, const cls_product *product, cls_steps steps, int64_t count);
    int (*has_steps)(const cls_device *device, clsolve_type type);
    /* Gives back what it keeps for the device, if anything, while the device's queues and context are still there. */
    void (*release)(cls_device *device);
};

extern const cls_blas_provider cls_blas_clblast;
extern const cls_blas_provider cls_blas_clblast_alone; /* its product, and no built-in one */
extern const cls_blas_provider cls_blas_builtin;       /* the built-in products alone: where the build has no CLBlast */
extern const cls_blas_provider cls_blas_openblas;
extern const cls_blas_provider cls_blas_cublas;
extern const cls_blas_provider cls_blas_cublas_alone; /* likewise */

/* The device's calls go to this provider from now on. */
void cls_blas_use(cls_device *device, const cls_blas_provider *provider);

#endif
