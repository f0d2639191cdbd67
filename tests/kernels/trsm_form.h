/*
 * trsm_form.h: the kernel of cl/trsm.cl as a function for the emulator, in each form below.
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
    int is_double, columns, items, lanes;
    void (*kernel)(void *solve);
} trsm_form;

/* X(double, EACH, SETS, devices): 0 without lanes in step, 1 with, 2 with copies that go on beside the work-item too. Each has
 * its line in CMakeLists.txt. */
#define TRSM_FORMS(X)                                                                                                  \
    X(1, 1, 1, 2)                                                                                                      \
    X(0, 1, 1, 2)                                                                                                      \
    X(1, 2, 2, 2)                                                                                                      \
    X(0, 2, 2, 2)                                                                                                      \
    X(1, 1, 1, 1)                                                                                                      \
    X(0, 2, 2, 1)                                                                                                      \
    X(1, 1, 1, 0)                                                                                                      \
    X(0, 2, 2, 0)

#endif
