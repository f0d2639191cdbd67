/*
 * lu_small_form.h: the kernels of cl/lu_small.cl and cl/lu_small_solve.cl as functions for the emulator, in each form below.
 */
#ifndef CLSOLVE_TEST_LU_SMALL_FORM_H
#define CLSOLVE_TEST_LU_SMALL_FORM_H

#include <stdint.h>

#include "kernels/emulator.h"

/* The kernels' arguments; every matrix begins at element 0. */
typedef struct lu_small_system {
    int n, from, to, trans;
    void *A, *S, *B, *X;
    int64_t ld, row_step, column_step, b_row_step, b_column_step, x_row_step, x_column_step;
    int *rows;
    int64_t *ipiv, *places, *record, *words;
    void *columns;
} lu_small_system;

typedef struct lu_small_form {
    int is_complex, is_double, span, parts, each, solve_items;
    void (*factor)(void *system);
    void (*solve)(void *system);
} lu_small_form;

#endif
