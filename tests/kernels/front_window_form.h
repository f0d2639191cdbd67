/* front_window_form.h: the kernel of cl/front_window.cl as a function for the emulator, with rows in the lanes of waves. */
#ifndef CLSOLVE_TEST_FRONT_WINDOW_FORM_H
#define CLSOLVE_TEST_FRONT_WINDOW_FORM_H

#include <stdint.h>

#include "kernels/emulator.h"

/* The arguments for one front. */
typedef struct front_window_launch {
    const int64_t *front;
    int list, t;
    void *A, *blocks;
    int *starts, *order, *replaced, *pivots;
    double tiny, zero;
} front_window_launch;

typedef struct front_window_form {
    int is_complex, is_double, ldl, items, per, width;
    void (*kernel)(void *launch);
} front_window_form;

#endif
