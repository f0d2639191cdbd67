/*
 * ratios.h: LAPACK's test ratios, and the matrices of its tests, for all types. Everything is computed in double; a
 * matrix of floats is widened first, so that the ratio shows the solver's error and not the test's. Arrays of doubles
 * have two for a complex element, test_numbers(type, count) for so many elements.
 */
#ifndef CLSOLVE_TEST_RATIOS_H
#define CLSOLVE_TEST_RATIOS_H

#include <stdint.h>

#include <clsolve/lu.h>
#include <clsolve/solve.h>
#include <clsolve/matrix.h>

#include "support/test_support.h"

/* Options with the panel that the environment's CLSOLVE_TEST_PANEL names (native, hybrid), so that a test program runs
 * once for each; else the library's choice. */
clsolve_lu_options test_lu_options(void);
/* The same options for the one-call forms. */
clsolve_solver_options test_solver_options(const clsolve_lu_options *lu);

/* The bound of LAPACK's own tests. Compare as !(ratio < RATIO_BOUND), so that NaN fails. */
#define RATIO_BOUND 30.0

/* A matrix in any type and layout with spare elements behind each line, which must never change. */
typedef struct test_matrix {
    clsolve_matrix view;
    int64_t lines;
    void *memory;
} test_matrix;

test_matrix test_matrix_make(clsolve_type type, clsolve_layout layout, int64_t rows, int64_t cols, int64_t spare);
void test_matrix_free(test_matrix *m);
#define scratch_matrix SCRATCH_BY(test_matrix_free) test_matrix

/* Right-hand sides of ones, tight; and whether they still are. */
test_matrix test_ones(clsolve_type type, int64_t n, int64_t nrhs);
void test_all_ones(const test_matrix *b);
/* From and to tight column-major elements in double. */
void test_matrix_set(const test_matrix *m, const double *values);
void test_matrix_get(const test_matrix *m, double *values);
/* Fails the test when an element between lines has changed. */
void test_matrix_spare_intact(const test_matrix *m);

/* Doubles for so many elements, and zeroed memory for them; whether the device under test computes in the type. */
int64_t test_numbers(clsolve_type type, int64_t count);
double *test_elements(clsolve_type type, int64_t count);
int test_has_type(clsolve_context *context, clsolve_type type);

/* The names of the types that tests run through. */
extern const char *const test_type_names[CLSOLVE_C64 + 1];

/* What a value becomes in the type. */
double test_rounded(clsolve_type type, double value);
double test_epsilon(clsolve_type type); /* LAPACK's eps: half a unit in the last place of 1 */

/* dget02: max over columns of ||b - op(A) x||_1 / (||op(A)||_1 ||x||_1 n eps). */
double ratio_solve(clsolve_type type, clsolve_op op, int64_t n, int64_t nrhs, const double *A, const double *X,
                   const double *B);
/* dget01: ||P A - L U||_1 / (n ||A||_1 eps), n x n or m x n; ipiv counts from 1. */
double ratio_factors(clsolve_type type, int64_t n, const double *A, const double *LU, const int64_t *ipiv);
double ratio_rectangle(clsolve_type type, int64_t m, int64_t n, const double *A, const double *LU, const int64_t *ipiv);
/* dget03: ||A X - I||_1 / (||A||_1 ||X||_1 n eps). */
double ratio_inverse(clsolve_type type, int64_t n, const double *A, const double *X);
/* ||A||_1 and ||A||_inf; NaN where an element is NaN. */
double ratio_norm(clsolve_type type, int64_t rows, int64_t cols, const double *A);
double ratio_norm_inf(clsolve_type type, int64_t n, const double *A);

/* The general matrices of LAPACK's dchkge and zchkge (TESTING/LIN/dlatb4.f, path DGE), numbered as there, 1 .. 11. */
enum { TEST_KINDS = 11 };
extern const char *const test_kind_names[TEST_KINDS + 1];
/* Exactly singular by construction. */
int test_kind_singular(int kind);
void test_kind_make(test_random *random, clsolve_type type, int kind, int64_t n, double *A);

/* dlatms: singular values between 1 and 1 / condition, spread as `mode` says: 2: one is small, 3: geometrically. */
void test_with_condition(test_random *random, int64_t n, int mode, double condition, double *A);

/* B = op(A) X of real numbers for a random X, in long double, so that there is a solution of known size. */
void test_right_sides(test_random *random, clsolve_op op, int64_t n, int64_t nrhs, const double *A, double *B);

#endif
