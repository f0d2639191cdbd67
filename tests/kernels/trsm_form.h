/*
 * trsm_form.h: the kernels of cl/trsm.cl and cl/trsm_portable.cl as functions for the emulator, in each form below.
 */
#ifndef CLSOLVE_TEST_TRSM_FORM_H
#define CLSOLVE_TEST_TRSM_FORM_H

#include <stdint.h>

#include "kernels/emulator.h"

/* The kernel's arguments. */
typedef struct trsm_solve {
    int m, backward, trans, unit;
    int64_t n;
    void *T, *B;
    int64_t T_offset, T_ld, B_offset, B_ld;
} trsm_solve;

typedef struct trsm_form {
    int is_double, columns, items;
    int together; /* rows whose pivots are inverted where they all may be */
    int most_rows;
    void (*kernel)(void *solve);
} trsm_form;

#endif
