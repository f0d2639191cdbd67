/*
 * substitute_form.h: the kernel of cl/substitute.cl as a function for the emulator, in each form below.
 */
#ifndef CLSOLVE_TEST_SUBSTITUTE_FORM_H
#define CLSOLVE_TEST_SUBSTITUTE_FORM_H

#include <stdint.h>

#include "kernels/emulator.h"

/* The kernel's arguments. */
typedef struct substitute_step {
    int m, before, cols, triangles, backward, trans, unit;
    int64_t rows;
    void *t, *u, *b;
    int64_t t_offset, beside_offset, open_offset, ld, b_offset, x_offset, open_b, ldb;
} substitute_step;

typedef struct substitute_form {
    int is_complex, is_double, block, items, rows; /* rows: open ones of a group */
    void (*kernel)(void *step);
} substitute_form;

#endif
