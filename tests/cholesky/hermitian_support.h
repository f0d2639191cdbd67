/* hermitian_support.h: LAPACK's ratios of hermitian matrices of any type, in double; of real ones imaginary parts are 0. Matrices are tight and
 * column-major. */
#ifndef HERMITIAN_SUPPORT_H
#define HERMITIAN_SUPPORT_H

#include <complex.h>

#include <clsolve/factorization.h>

#include "lu/ratios.h"

int triangle_has(clsolve_uplo uplo, int64_t i, int64_t j);

/* A number of the type, with both parts in [-1, 1). */
double complex hermitian_drawn(test_random *random, clsolve_type type);

double hermitian_norm(int64_t rows, int64_t cols, const double complex *A); /* ||A||_1 */
/* ||C - A op(B)||_1: A is n x inner, C n x cols, B inner x cols, or with `adjoint` cols x inner. */
double hermitian_rest(int64_t n, int64_t inner, int64_t cols, const double complex *A, const double complex *B,
                      int adjoint, const double complex *C);

/* dpot01, dpot03 and dpot02: of F and X the triangle `uplo` is read; the diagonal of a factor is positive and real. */
double hermitian_factor_ratio(clsolve_type type, int64_t n, const double complex *A, const double complex *F,
                              clsolve_uplo uplo);
double hermitian_inverse_ratio(clsolve_type type, int64_t n, const double complex *A, const double complex *X,
                               clsolve_uplo uplo);
double hermitian_solve_ratio(clsolve_type type, int64_t n, int64_t nrhs, const double complex *A,
                             const double complex *X, const double complex *B);

#endif
