/*
 * lu_batch_form.h: the kernels of cl/lu_batch_small.cl and cl/direct_batch_solve.cl, and the panels of cl/front_panel.cl with
 * LAPACK's pivots, as functions for the emulator, with rows in the lanes of waves.
 */
#ifndef CLSOLVE_TEST_LU_BATCH_FORM_H
#define CLSOLVE_TEST_LU_BATCH_FORM_H

#include <stdint.h>

#include "kernels/emulator.h"

/* The arguments of all three: members of order n lie tight and column-major in A, of `rhs` columns in B. */
typedef struct lu_batch_launch {
    int64_t n, count, rhs;
    void *A, *F, *B;
    int *rows, *scales, *info, *outcome, *exchanges;
    int transposes, column; /* column: of a panel */
    const int64_t *fronts;
    const int *list;
} lu_batch_launch;

/* items: of a group; members: of a group; cholesky: of positive definite members; small: a kernel of whole members, else
 * panels. */
typedef struct lu_batch_form {
    int is_complex, is_double, most, items, members, width, sides, cholesky, small;
    void (*factor)(void *launch);
    void (*solve)(void *launch);
} lu_batch_form;

#endif
