/* lu_panel_form.h: the kernels of cl/lu_panel.cl as functions for the emulator, in each form below. */
#ifndef CLSOLVE_TEST_LU_PANEL_FORM_H
#define CLSOLVE_TEST_LU_PANEL_FORM_H

#include <stdint.h>

#include "kernels/emulator.h"

/* Arguments of all its kernels; a step's are those of the launch that runs. */
typedef struct lu_panel_leaf {
    void *A;
    int64_t offset, ld, m, width, top, t, chunk;
    int64_t *positions, *rows, *places, *pivots, *ipiv, *info;
    void *values;
} lu_panel_leaf;

typedef struct lu_panel_form {
    int is_double, items, width, sub_groups;
    void (*begin)(void *leaf), (*step)(void *leaf), (*whole)(void *leaf);
} lu_panel_form;

#endif
