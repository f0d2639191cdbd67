/*
 * gemm_mma_form.h: the kernels of cl/gemm_mma.cl and cl/gemm_mfma.cl as functions for the emulator, in each form below.
 */
#ifndef CLSOLVE_TEST_GEMM_MMA_FORM_H
#define CLSOLVE_TEST_GEMM_MMA_FORM_H

#include <stdint.h>

#include "kernels/emulator.h"

/* The kernel's arguments, and what became of it. */
typedef struct gemm_mma_product {
    int64_t m, n, k;
    double alpha;
    const void *A; /* in the form's type */
    int64_t A_offset, A_ld;
    const void *B;
    int64_t B_offset, B_ld;
    double beta;
    void *C;
    int64_t C_offset, C_ld;
    int lower;   /* 1: tiles above the diagonal are left as they are */
    int outside; /* 1 afterwards: what is no element of A or B was copied */
} gemm_mma_product;

typedef struct gemm_mma_form {
    int in_double, bm, bn, items, slice, trans_a, trans_b, vector; /* slice: of the inner size */
    void (*kernel)(void *product);
} gemm_mma_form;

#endif
