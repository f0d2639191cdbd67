/* ldl_support.h: symmetric and hermitian matrices of any signs, and LAPACK's ratios for their factors
 * (TESTING/LIN/dsyt01_rook.f). All in double complex, tight and column-major; of real types imaginary parts are 0. */
#ifndef LDL_SUPPORT_H
#define LDL_SUPPORT_H

#include <complex.h>

#include <clsolve/ldl.h>

#include "cholesky/hermitian_support.h"

/* The six kinds of matrices that one handle is for. */
typedef struct ldl_shape {
    clsolve_type type;
    clsolve_symmetry symmetry;
    const char *name;
} ldl_shape;
enum { LDL_SHAPES = 6 };
extern const ldl_shape ldl_shapes[LDL_SHAPES];

/* Options of the shape, with the panel that the environment's CLSOLVE_TEST_PANEL names. */
clsolve_ldl_options test_ldl_options(const ldl_shape *shape);
/* For main, after test_require_device: where that panel is not for the device under test, says so and exits with TEST_SKIPPED. */
void test_ldl_require_panel(void);

typedef enum ldl_kind {
    LDL_RANDOM,
    LDL_DIAGONAL,    /* of both signs */
    LDL_ILL,         /* eigenvalues of both signs, condition 0.1 / eps */
    LDL_TINY,        /* near underflow */
    LDL_HUGE,        /* near overflow */
    LDL_GRADED,      /* D S D with D from 1 to 2^-30, or as far as float has it */
    LDL_SADDLE,      /* H B^T; B 0 */
    LDL_NO_DIAGONAL, /* zeros on the diagonal, so that all pivots are of order 2 */
    LDL_KINDS
} ldl_kind;
extern const char *const ldl_names[LDL_KINDS];

double complex *ldl_elements(int64_t count);
/* n x n, both triangles, rounded to the type. */
void ldl_make(test_random *random, const ldl_shape *shape, ldl_kind kind, int64_t n, double complex *A);

/* A's triangle into m; the other one becomes NaN, and of a hermitian matrix the imaginary parts on the diagonal. And what m has in the
 * triangle: the other one of `values` is made from it, which must still be NaN in m. */
void ldl_set(const ldl_shape *shape, const test_matrix *m, clsolve_uplo uplo, const double complex *A);
void ldl_get(const ldl_shape *shape, const test_matrix *m, clsolve_uplo uplo, double complex *values);

/* ||P^T A P - L D L^T||_1 / (n ||A||_1 eps) of what clsolve_ldl_factors gives. With `bounded`, of a matrix that was not
 * scaled, it fails where an element of L is larger than the pivots leave. */
double ldl_factor_ratio(const ldl_shape *shape, int64_t n, const double complex *A, const double complex *F,
                        const int64_t *ipiv, int bounded);

/* log |det A| and its argument, by elimination with partial pivots in double. */
double ldl_log_det(int64_t n, const double complex *A, double *argument);

#endif
