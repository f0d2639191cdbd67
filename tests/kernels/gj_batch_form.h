/*
 * gj_batch_form.h: the kernel of cl/gj_batch.cl as a function for the emulator, with its rows in the lanes of a wave.
 */
#ifndef CLSOLVE_TEST_GJ_BATCH_FORM_H
#define CLSOLVE_TEST_GJ_BATCH_FORM_H

#include <stdint.h>

#include "kernels/emulator.h"

/* The kernel's arguments. */
typedef struct gj_batch_launch {
    void *A, *B;
    int64_t a_offset, a_row, a_column, a_member, b_offset, b_row, b_column, b_member, rhs, first, end;
    int keep, *info;
} gj_batch_launch;

/* members: of a group. */
typedef struct gj_batch_form {
    int is_complex, is_double, n, rhs, members;
    void (*kernel)(void *launch);
} gj_batch_form;

#endif
