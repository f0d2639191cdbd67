/* given_support.h: systems whose factors LAPACK computes, for the tests of factors that come from the caller. */
#ifndef CLSOLVE_TEST_GIVEN_SUPPORT_H
#define CLSOLVE_TEST_GIVEN_SUPPORT_H

#include <clsolve/clsolve.h>

#include <lapacke.h>

#include "lu/ratios.h"
#include "support/test_support.h"

extern clsolve_context *given_context;
extern int given_has_double;

enum { GIVEN_NRHS = 3 };

typedef struct system {
    clsolve_type type;
    int64_t n, *ipiv;
    double *A, *LU;
    lapack_int *pivots, info;
} lu_system;

/* A's factors in its type. */
void given_by_lapack(lu_system *s);
lu_system given_system(clsolve_type type, int64_t n, uint64_t use);
void given_free(lu_system *s);
#define scratch_given SCRATCH_BY(given_free) lu_system
clsolve_lu *given_handle(const lu_system *s, int host, int refines);
test_matrix given_matrix(const lu_system *s, clsolve_layout layout, int64_t cols, const double *values);
/* A handle that has the factors. */
clsolve_lu *given_import(const lu_system *s, int host, clsolve_layout layout);
/* For each size, type, layout and place. */
void given_each(void (*check)(const lu_system *s, clsolve_lu *lu, clsolve_layout layout));

#define GIVEN_EXPECT(call, wanted, words) TEST_EXPECT(given_context, call, wanted, words)

/* test_lu_factors.c: what clsolve_lu_condition and clsolve_lu_refine give. */
void given_check_condition(const lu_system *s, clsolve_lu *lu, clsolve_layout layout);
void given_check_refine(const lu_system *s, clsolve_lu *lu, clsolve_layout layout);

#endif
