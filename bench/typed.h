/*
 * typed.h: what the tables do in the type of the elements that --type names. Arrays are of that type, whatever it is:
 *
 *     void *A = malloc((size_t)(n * n * cls_type_size(type)));
 *     bench_random_of(type, seed, A, n * n);
 *     if (BENCH_LAPACK(type, gesv_work, LAPACK_COL_MAJOR, n, 1, A, n, pivots, x, n) != 0) return -1;
 */
#ifndef CLSOLVE_BENCH_TYPED_H
#define CLSOLVE_BENCH_TYPED_H

#include <complex.h>
#include <stdint.h>

#include <lapacke.h>

#include <clsolve/batch.h>
#include <clsolve/matrix.h>

#include "base/type.h"

/* LAPACKE's routine of the type, with these arguments; its value. */
#define BENCH_LAPACK(type, routine, ...)                                                                               \
    ((type) == CLSOLVE_F32   ? LAPACKE_s##routine(__VA_ARGS__)                                                         \
     : (type) == CLSOLVE_C32 ? LAPACKE_c##routine(__VA_ARGS__)                                                         \
     : (type) == CLSOLVE_C64 ? LAPACKE_z##routine(__VA_ARGS__)                                                         \
                             : LAPACKE_d##routine(__VA_ARGS__))

/* "double", "complex float": of a table's head. */
const char *bench_type_words(clsolve_type type);

/* Real operations of a product and a sum of two elements, by those of real ones: the rates count real operations. */
static inline double bench_operations(clsolve_type type) {
    return cls_is_complex(type) ? 4 : 1;
}

/* Numbers in an element. */
static inline double bench_parts(clsolve_type type) {
    return cls_is_complex(type) ? 2 : 1;
}

/* Element k of an array. */
static inline void *bench_at(clsolve_type type, const void *array, int64_t k) {
    return (char *)array + k * cls_type_size(type);
}

static inline double _Complex bench_get(clsolve_type type, const void *array, int64_t k) {
    if (!cls_is_complex(type)) return cls_type_get(type, array, k);
    return cls_type_get(type, array, 2 * k) + I * cls_type_get(type, array, 2 * k + 1);
}

static inline void bench_put(clsolve_type type, void *array, int64_t k, double _Complex value) {
    cls_type_put(type, array, k * cls_type_parts(type), creal(value));
    if (cls_is_complex(type)) cls_type_put(type, array, 2 * k + 1, cimag(value));
}

/* A column-major matrix on the host with ld = rows. */
clsolve_matrix bench_matrix(clsolve_type type, int64_t rows, int64_t cols, void *data);

/* A batch of such matrices, one behind the other. */
clsolve_batch bench_batch(clsolve_type type, int64_t count, int64_t rows, int64_t cols, void *data);

/* bench_random in a type: uniform numbers in [-1, 1), of complex elements both parts. */
void bench_random_of(clsolve_type type, uint64_t seed, void *data, int64_t count);

/* Adds n below the diagonal and in the corner above it: a well-conditioned matrix whose pivots are off the diagonal. */
void bench_strengthen(clsolve_type type, int64_t n, void *A);

/* Makes A, column-major with ld n, hermitian by its lower triangle, with `diagonal` on the diagonal. */
void bench_hermitian(clsolve_type type, int64_t n, void *A, double diagonal);

/*
 * Ratios of LAPACK's tests, good below 30, computed in the type with its eps. Vectors and matrices are measured in the
 * 1-norm; a complex element has |re| + |im|, as in BLAS's asum. NaN without memory.
 *
 *     bench_ratio            a solution: ||b - A x|| / (||A|| ||x|| n eps), the worst column
 *     bench_ratio_inverse    an inverse: ||A X - I|| / (||A|| ||X|| n eps)
 *     bench_ratio_band       a solution; AB: a band of kl = ku = k in 2k + 1 rows. Corners outside the matrix count for
 *                            ||A||, which they make larger by little
 */
double bench_ratio(clsolve_type type, int64_t n, int64_t nrhs, const void *A, const void *X, const void *B);
double bench_ratio_inverse(clsolve_type type, int64_t n, const void *A, const void *X);
double bench_ratio_band(clsolve_type type, int64_t n, int64_t k, const void *AB, const void *x, const void *b);

#endif
