/*
 * product.h (private): products of dense blocks on one thread, for real and for complex numbers (x_real, x_complex).
 *
 * On CPUs with AVX2 or AVX-512 products with a plain A go by product_wide.c. Others are OpenBLAS's, by tiles of
 * CLS_TILE^3, whose size is below that at which it takes threads of its own: the threads of a pool do not wait for each
 * other there, none of OpenBLAS's spins, and the order of all additions is fixed.
 */
#ifndef CLS_FRONTS_HOST_PRODUCT_H
#define CLS_FRONTS_HOST_PRODUCT_H

#include <complex.h>
#include <math.h>
#include <stdint.h>

enum { CLS_TILE = 64 };

static inline int64_t cls_least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* LAPACK's size of a complex number where pivots are compared. */
static inline double cls_size(double complex x) {
    return fabs(creal(x)) + fabs(cimag(x));
}

/* x / t. The division of C squares t where ranges are limited (-fcx-limited-range): so t is brought to about 1
 * before. */
static inline double complex cls_quotient(double complex x, double complex t) {
    int exponent = 0;
    (void)frexp(fmax(fabs(creal(t)), fabs(cimag(t))), &exponent);
    const double scale = ldexp(1, exponent > 1000 ? -1000 : exponent < -1000 ? 1000 : -exponent);
    return x / (t * scale) * scale;
}

#define CLS_PRODUCTS(ELEMENT, NAME)                                                                                    \
    /* The inverse of a matrix of order 2, column-major. 0: there is none. */                                          \
    int cls_invert_two_##NAME(const ELEMENT E[4], ELEMENT inverse[4]);                                                 \
    /* y -= A w, where A is rows x k; w[l * step]. */                                                                  \
    void cls_combine_##NAME(int64_t rows, int64_t k, const ELEMENT *A, int64_t lda, const ELEMENT *w, int64_t step,    \
                            ELEMENT *y);                                                                               \
    /* y -= A^T x, or A^H x, where A is rows x k. */                                                                   \
    void cls_project_##NAME(int64_t rows, int64_t k, const ELEMENT *A, int64_t lda, int conjugated, const ELEMENT *x,  \
                            ELEMENT *y);                                                                               \
    /* C -= op(A) op(B), where op(A) is m x k and op(B) k x n; forms as below. */                                      \
    void cls_subtract_##NAME(int form_a, int form_b, int64_t m, int64_t n, int64_t k, const ELEMENT *A, int64_t lda,   \
                             const ELEMENT *B, int64_t ldb, ELEMENT *C, int64_t ldc);                                  \
    /* B = op(T)^-1 B, where T is a triangle of order k and B k x n. */                                                \
    void cls_triangle_##NAME(int upper, int form, int unit, int64_t k, int64_t n, const ELEMENT *T, int64_t ldt,       \
                             ELEMENT *B, int64_t ldb);

/* Forms of a matrix. */
enum { CLS_PLAIN = 0, CLS_TRANSPOSED = 1, CLS_ADJOINT = 2 };

CLS_PRODUCTS(double, real)
CLS_PRODUCTS(double complex, complex)

#endif
