/* cholesky_form.h: the kernels of cl/cholesky.cl and cl/cholesky_tiles.cl as functions for the emulator, in each form that CMakeLists.txt lists. */
#ifndef CLSOLVE_TEST_CHOLESKY_FORM_H
#define CLSOLVE_TEST_CHOLESKY_FORM_H

#include <stdint.h>

#include "kernels/emulator.h"

/* The arguments of both kernels: the diagonal block of m columns at `offset`, and the rows below it. */
typedef struct cholesky_leaf_of {
    void *A;
    int64_t offset, ld, rows, first;
    int m;
    int64_t *info;
    void *offers; /* where both are one launch: room for them, and their mark */
    unsigned mark;
} cholesky_leaf_of;

typedef struct cholesky_form {
    int is_double, parts; /* of an element */
    int leaf;             /* columns, at most */
    int leaf_items, rows_items;
    int rows; /* of a group */
    void (*leaf_kernel)(void *arguments);
    void (*rows_kernel)(void *arguments);
    void (*panel_kernel)(void *arguments); /* both in one launch, in groups of leaf_items; NULL: there is none */
} cholesky_form;

#endif
