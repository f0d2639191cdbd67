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

#endif
