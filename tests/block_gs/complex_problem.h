/* complex_problem.h: systems on a grid in complex double, of each kind of symmetry, and their residuals. */
#ifndef CLSOLVE_TEST_COMPLEX_PROBLEM_H
#define CLSOLVE_TEST_COMPLEX_PROBLEM_H

#include <complex.h>
#include <stdint.h>

#include "support/test_support.h"

typedef double _Complex element;

enum { A = 0, C = 1, B = 2, UP = 3, DOWN = 4 };

/* Point (i, k) at [i * M + k]; NaN where nothing is coupled. */
typedef struct complex_problem {
    int64_t N, M;
    element *q[5], *F, *Y;
} complex_problem;

typedef enum complex_kind { GENERAL, HERMITIAN, SYMMETRIC, KINDS } complex_kind;

/* n zeros, to be freed. */
element *complex_elements(int64_t n);

/* F is drawn at random, the coefficients are 0. */
complex_problem complex_problem_make(int64_t N, int64_t M, test_random *random);
void complex_problem_free(complex_problem *p);
#define scratch_complex SCRATCH_BY(complex_problem_free) complex_problem

/* Couplings out of the grid are never used, whatever they hold: NaN. */
void complex_problem_mark_edges(complex_problem *p);

/* Dominant by half, of the kind: couplings drawn at random and mirrored. */
complex_problem complex_problem_dominant(int64_t N, int64_t M, complex_kind what, uint64_t use);

/* F - A Y on line i; row: M elements. */
void complex_problem_rest(const complex_problem *p, const element *F, const element *Y, int64_t i, element *row);

/* |F - A Y|_2 / |F|_2 */
double complex_problem_residual(const complex_problem *p, const element *F, const element *Y);

#endif
