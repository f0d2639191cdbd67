/* ldl_batch_form.h: the kernels of batches of L D L^T in forms that the emulator runs (ldl_batch_form.c). */
#ifndef LDL_BATCH_FORM_H
#define LDL_BATCH_FORM_H

#include "kernels/emulator.h"

/* Members have orders of their own; element (i, j) of member m of A and F at places[m] + i + j n. */
typedef struct ldl_batch_launch {
    const int64_t *table, *places, *places_of_sides;
    const int *list;
    int64_t count, rhs;
    int column; /* a group of columns */
    void *A, *F, *B;
    int *rows, *scales, *info, *outcome;
} ldl_batch_launch;

typedef struct ldl_batch_form {
    int is_complex, is_double, hermitian, most, items, members, items_of_solve, members_of_solve, sides;
    void (*factor)(void *), (*solve)(void *);
} ldl_batch_form;

#endif
