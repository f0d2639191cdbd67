/*
 * half.h: one triangle of a symmetric matrix on its way to where a family factors it in core: copied, measured, and
 * scaled where that is asked for. Kernels factor the lower triangle and read no other. So the other one is made only
 * for a condition number and for scaling.
 */
#ifndef CLS_HALF_H
#define CLS_HALF_H

#include "method/direct/direct.h"
#include "method/symmetric.h"

typedef struct cls_half {
    const cls_matrix *A; /* where it goes */
    cls_check *check;
    cls_transfer *transfer;
    cls_symmetric *mirror;
    clsolve_uplo uplo; /* the caller's triangle */
    int transposes;    /* a complex A is equal to its transpose, and not to the conjugate one */
    int upper;         /* of a mapped A: the triangle that is factored is the upper one in memory */
    int crosses;       /* the copy into a mapped A counts as a transfer */
} cls_half;

/* The operation `take` of a handle without a copy: direct->measures, ->largest and ->scaling. n > 0. */
clsolve_status cls_half_take(cls_direct *direct, const cls_half *half, const clsolve_matrix *A);
/* Where rows and columns were scaled, direct->largest is that of A as it will be factored; for growth. */
clsolve_status cls_half_measure_scaled(cls_direct *direct, const cls_half *half);
/* The operation `copy`. */
clsolve_status cls_half_copy(cls_direct *direct, const cls_half *half, const clsolve_matrix *A, int scale);
/* A NaN is told where the caller has it. */
void cls_half_name_place(clsolve_uplo uplo, cls_measures *measures);

#endif
