/* cholesky_support.h: symmetric matrices and LAPACK's ratios for them (TESTING/LIN/dpot01.f, dpot02.f, dpot03.f). */
#ifndef CHOLESKY_SUPPORT_H
#define CHOLESKY_SUPPORT_H

#include <clsolve/cholesky.h>

#include "lu/ratios.h"

/* Options with the panel that the environment's CLSOLVE_TEST_PANEL names. */
clsolve_cholesky_options test_cholesky_options(void);

/* For main, after test_require_device: where that panel is not for the device under test, says so and exits with TEST_SKIPPED. */
void test_cholesky_require_panel(void);

/* The least memory limit that a handle takes, out of core, as its refusal says it. `options` may be NULL. */
int64_t cholesky_least_limit(clsolve_context *context, clsolve_type type, int64_t n,
                             const clsolve_cholesky_options *options);

/* The kinds of LAPACK's dchkpo (TESTING/LIN/dlatb4.f, path DPO) that are positive definite, and graded ones. */
typedef enum spd_kind {
    SPD_DIAGONAL,
    SPD_WELL,   /* condition 2 */
    SPD_ILL,    /* condition 0.1 / eps */
    SPD_TINY,   /* near underflow */
    SPD_HUGE,   /* near overflow */
    SPD_GRADED, /* D S D with D from 1 to 2^-30, or as far as float has it */
    SPD_KINDS
} spd_kind;
extern const char *const spd_names[SPD_KINDS];

/* n x n, both triangles, rounded to the type. */
void spd_make(test_random *random, clsolve_type type, spd_kind kind, int64_t n, double *A);

/* dpot01: ||A - L L^T||_1 / (n ||A||_1 eps); of F the lower triangle is read, column-major, ld n. */
double ratio_cholesky(clsolve_type type, int64_t n, const double *A, const double *F);
/* `values`, n x n tight, into the triangle `uplo` of m; the other one becomes NaN. And back: the other one of `values` is
 * made from it. */
void triangle_set(const test_matrix *m, clsolve_uplo uplo, const double *values);
void triangle_get(const test_matrix *m, clsolve_uplo uplo, double *values);
/* Fails the test when the other triangle, or an element between lines, is no longer what triangle_set made it. */
void triangle_rest_intact(const test_matrix *m, clsolve_uplo uplo);

#endif
