/* product_wide.h (private): products by wide vectors, where the CPU has them. */
#ifndef CLS_FRONTS_HOST_PRODUCT_WIDE_H
#define CLS_FRONTS_HOST_PRODUCT_WIDE_H

#include <complex.h>
#include <stdint.h>

/* Doubles of this CPU's vectors: 8, 4, or 0: it has none that would be used here. */
int cls_product_lanes(void);

/*
 * C -= A B, or A conj(B), by vectors of so many doubles. A is m x k, its columns lda apart; element (l, j) of B, k x n,
 * is B[l * down + j * across]. n is 4 or more. 0: there is no such way, and nothing was done.
 */
int cls_subtract_wide_real(int lanes, int64_t m, int64_t n, int64_t k, const double *A, int64_t lda, const double *B,
                           int64_t down, int64_t across, int conjugated, double *C, int64_t ldc);
int cls_subtract_wide_complex(int lanes, int64_t m, int64_t n, int64_t k, const double complex *A, int64_t lda,
                              const double complex *B, int64_t down, int64_t across, int conjugated, double complex *C,
                              int64_t ldc);

#endif
