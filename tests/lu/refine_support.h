/* refine_support.h: what the tests of refinement and of mixed precision share. */
#ifndef CLSOLVE_TEST_REFINE_SUPPORT_H
#define CLSOLVE_TEST_REFINE_SUPPORT_H

#include <clsolve/clsolve.h>

#include "lu/ratios.h"
#include "support/test_support.h"

extern clsolve_context *rs_context;
extern int rs_fp64;
extern int rs_copies_on_device; /* with room, a copy of A in double lies there, whether it computes in double or not */
extern clsolve_lu_options rs_plain, rs_mixed; /* with the panel under test; mixed asks for rcond too */

/* Real elements as the type has them, those of odd rows times i where it is complex; for free(). */
double *rs_turned(clsolve_type type, int64_t n, const double *A);

typedef struct rs_outcome {
    clsolve_status factored, solved;
    clsolve_report report;
} rs_outcome;

/* Factors A, solves, checks the answer against LAPACK's bound in double, or that B is untouched where there is none. */
rs_outcome rs_solve(test_random *random, const clsolve_lu_options *options, clsolve_layout layout, clsolve_op op,
                    int64_t n, int64_t nrhs, const double *A);

/* Set-up and tear-down of a group. */
int rs_open(void **state);
int rs_close(void **state);

#endif
