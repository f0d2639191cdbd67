/*
 * lu_resident_form.h: the kernels of cl/lu_resident.cl and cl/lu_together.cl as functions for the emulator, in each form below.
 */
#ifndef CLSOLVE_TEST_LU_RESIDENT_FORM_H
#define CLSOLVE_TEST_LU_RESIDENT_FORM_H

#include <stdint.h>

#include "kernels/emulator.h"

/* The kernel's arguments. */
typedef struct lu_leaf {
    void *A;
    int64_t offset, ld, m, width, top;
    unsigned before;
    emulator_words *offers;
    int most;
    int64_t *sources, *targets, *ipiv, *info;
    int inner; /* of cl/lu_together.cl alone, as is `upper` */
    void *upper;
} lu_leaf;

typedef struct lu_form {
    int is_double, height, width, items, batches; /* 0 batches: cl/lu_together.cl */
    int sub_groups;                               /* 1: it searches by them */
    void (*kernel)(void *leaf);
} lu_form;

/* X(double, ROWS, COLUMNS, BATCHES, SPINS), each with its line in CMakeLists.txt. A few SPINS are for groups that come late. */
#define LU_FORMS(X)                                                                                                    \
    X(1, 1, 16, 1, 2000000)                                                                                            \
    X(0, 1, 16, 1, 2000000)                                                                                            \
    X(1, 1, 4, 4, 2000000)                                                                                             \
    X(0, 1, 4, 4, 2000000)                                                                                             \
    X(1, 2, 16, 4, 2000000)                                                                                            \
    X(0, 2, 4, 1, 2000000)                                                                                             \
    X(1, 4, 16, 1, 2000000)                                                                                            \
    X(0, 4, 16, 4, 2000000)                                                                                            \
    X(1, 8, 8, 4, 2000000)                                                                                             \
    X(0, 8, 8, 1, 2000000)                                                                                             \
    X(1, 2, 16, 1, 20)                                                                                                 \
    X(0, 1, 4, 4, 20)

/* X(double, ROWS, SETS, WIDTH, SPINS, SUBS) */
#define LU_TOGETHER_FORMS(X)                                                                                           \
    X(1, 32, 1, 16, 2000000, 0)                                                                                        \
    X(1, 32, 2, 16, 2000000, 0)                                                                                        \
    X(0, 32, 2, 16, 2000000, 0)                                                                                        \
    X(1, 64, 4, 32, 2000000, 0)                                                                                        \
    X(0, 32, 2, 16, 2000000, 1)                                                                                        \
    X(1, 64, 4, 32, 2000000, 1)                                                                                        \
    X(0, 128, 2, 64, 2000000, 1)                                                                                       \
    X(1, 32, 1, 16, 20, 0)                                                                                             \
    X(0, 64, 2, 16, 20, 1)

#endif
