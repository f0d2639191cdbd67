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

/* X(double, EACH, SETS, devices): 1 with lanes in step, 2 with copies that go on beside the work-item too. Each has
 * its line in CMakeLists.txt. */
#define TRSM_FORMS(X)                                                                                                  \
    X(1, 1, 1, 2)                                                                                                      \
    X(0, 1, 1, 2)                                                                                                      \
    X(1, 2, 2, 2)                                                                                                      \
    X(0, 2, 2, 2)                                                                                                      \
    X(1, 1, 1, 1)                                                                                                      \
    X(0, 2, 2, 1)

/* X(double, EACH, MOST_ROWS) */
#define TRSM_PORTABLE_FORMS(X)                                                                                         \
    X(1, 1, 128)                                                                                                       \
    X(0, 2, 128)                                                                                                       \
    X(1, 2, 64)                                                                                                        \
    X(0, 1, 64)

#endif
