/*
 * band_support.h: band matrices for tests, and what LAPACK makes of them. The values are tight doubles in plain form:
 * element (i,j) at (ku + i - j) + j * (kl + ku + 1), rounded to the type; zeros outside of the matrix.
 */
#ifndef CLSOLVE_TEST_BAND_SUPPORT_H
#define CLSOLVE_TEST_BAND_SUPPORT_H

#include <clsolve/band.h>

#include "lu/ratios.h"

/*
 * Narrow kernels are compiled for each kl and ku (of those that the matrix has), type and form. So that the programs share
 * them, bands that are to be narrow have one of these: 0 and 0, 1 and 1, 0 and 2, 2 and 0, 3 and 2, 4 and 4, 20 and 9, 31 and
 * 33, which are as many as there may be.
 */
typedef struct test_band {
    clsolve_type type;
    int64_t n, kl, ku;
    double *values;
} test_band;

/* Random in [-1, 1), and `diagonal` added to the main diagonal. */
test_band test_band_random(test_random *random, clsolve_type type, int64_t n, int64_t kl, int64_t ku, double diagonal);
/* The same, drawn again until elimination leaves a pivot everywhere that is more than rounding errors: without, a float matrix
 * of many lower diagonals and few upper ones is found singular now and then. */
test_band test_band_regular(test_random *random, clsolve_type type, int64_t n, int64_t kl, int64_t ku, double diagonal);
/* A band whose elimination is exact, and whose pivots are the only ones (narrow_band_exact). */
test_band test_band_exact(test_random *random, clsolve_type type, int64_t n, int64_t kl, int64_t ku, int singular);
void test_band_free(test_band *A);
#define scratch_band SCRATCH_BY(test_band_free) test_band
/* Where a(i,j) is; NULL outside of the band. */
double *test_band_at(const test_band *A, int64_t i, int64_t j);

/* As the caller has it: form and layout; what is outside of the matrix and above it is `outside` (NaN for the bravest). */
test_matrix test_band_view(const test_band *A, clsolve_band_form form, clsolve_layout layout, int64_t spare,
                           double outside);

/* Y = op(A) X, n x cols tight doubles, in long double. */
void test_band_multiply(const test_band *A, clsolve_op op, int64_t cols, const double *X, double *Y);
double test_band_norm(const test_band *A, clsolve_op op); /* 1-norm of op(A) */
/* dget02's ratio, as ratio_solve. */
double test_band_ratio(const test_band *A, clsolve_op op, int64_t cols, const double *X, const double *B);

/* LAPACK's gbtrf of A: its info; pivots, and the factors as 2 kl + ku + 1 x n doubles. Either may be NULL. */
int64_t test_band_lapack(const test_band *A, int64_t *ipiv, double *AFB);
/* X from LAPACK's gbtrs with such factors, for B in X. */
void test_band_lapack_solve(const test_band *A, const int64_t *ipiv, const double *AFB, clsolve_op op, int64_t cols,
                            double *X);

/* Random right-hand sides solved for by factors of A: the ratio, and nothing written beside them. */
void test_band_check_solve(clsolve_context *context, clsolve_band *band, const test_band *A, clsolve_op op,
                           clsolve_layout layout, int64_t cols);
/*
 * Factors as gbtrf has them: valid pivots, multipliers of at most 1 and LAPACK's ratio. Pivots are not compared with
 * LAPACK's, because rounding decides between close candidates: see test_band_exact.
 */
void test_band_judge_factors(const test_band *A, const double *AFB, const int64_t *ipiv, const char *what);
/* The export of such factors, judged; the report's determinant is theirs, and LAPACK's gbtrs solves with them. */
void test_band_check_factors(clsolve_context *context, clsolve_band *band, const test_band *A);

/* The smallest memory limit that such a handle is made with. */
int64_t test_band_least_limit(clsolve_context *context, clsolve_type type, int64_t n, int64_t kl, int64_t ku,
                              const clsolve_band_options *options);

/* Options with the panel that CLSOLVE_TEST_PANEL names. */
clsolve_band_options test_band_options(void);

clsolve_report test_band_report(const clsolve_band *band);

#define BAND_EXPECT(context, call, status) TEST_EXPECT(context, call, status, "")

#endif
