/*
 * lu_sweep_form.h: the kernel of cl/lu_sweep.cl as a function for the emulator, in each form below.
 */
#ifndef CLSOLVE_TEST_LU_SWEEP_FORM_H
#define CLSOLVE_TEST_LU_SWEEP_FORM_H

#include <stdint.h>

#include "kernels/emulator.h"

/* The kernel's arguments. */
typedef struct lu_sweep_solve {
    int64_t n;
    int sides, backward, trans, unit;
    void *T, *B;
    int64_t T_offset, T_ld, B_offset, B_ld;
    emulator_words *words;
    unsigned sweep;
    int *late;
} lu_sweep_solve;

typedef struct lu_sweep_form {
    int is_complex, is_double, sides, block, items, pairs; /* pairs of words an element */
    void (*kernel)(void *solve);
} lu_sweep_form;

#endif
