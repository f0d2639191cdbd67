/* rbt_support.h: what the tests of LU without pivoting share. */
#ifndef CLSOLVE_TEST_RBT_SUPPORT_H
#define CLSOLVE_TEST_RBT_SUPPORT_H

#include "lu/refine_support.h"

/* Butterflies from that seed, with the panel under test. */
clsolve_lu_options rbt_options(uint64_t seed);

/* Whether the device has factors of that type; one without double has float ones for both, and says "mixed". */
int rbt_reaches(clsolve_type type);

/* n x n numbers in [-1, 1), as the type has them; for free(). */
double *rbt_random_matrix(test_random *random, clsolve_type type, int64_t n);

/* Row i has its one in column i + 1: no group of four rows meets its own columns while a quarter of them is more than one, so
 * that the first pivot is zero. A is zeros before. */
void rbt_cycle(int64_t n, double *A);

typedef struct rbt_answer {
    clsolve_status factored, solved;
    clsolve_report report;
} rbt_answer;

/* Factors A and solves for nrhs random columns, spare elements behind each line. The answer is within LAPACK's bound in the
 * type, or B is untouched where there is none. */
rbt_answer rbt_solve(test_random *random, clsolve_type type, clsolve_layout layout, const clsolve_lu_options *options,
                     clsolve_op op, int64_t n, int64_t nrhs, const double *A);

#endif
