/* form_support.h: what tests on the emulator share: room for operands, and elements of the type that a form has. */
#ifndef CLSOLVE_TEST_FORM_SUPPORT_H
#define CLSOLVE_TEST_FORM_SUPPORT_H

#include <complex.h>

#include "support/test_support.h"

/* Of two floats a double holds enough for one rounding more to change nothing. */
static inline double form_rounded(int is_double, double x) {
    return is_double ? x : (double)(float)x;
}

static inline void form_put(int is_double, void *to, int64_t at, double value) {
    if (is_double)
        ((double *)to)[at] = value;
    else
        ((float *)to)[at] = (float)value;
}

static inline double form_get(int is_double, const void *from, int64_t at) {
    return is_double ? ((const double *)from)[at] : (double)((const float *)from)[at];
}

/* The same of elements, complex ones of two numbers. */
static inline void form_put_element(int is_complex, int is_double, void *to, int64_t at, double complex value) {
    form_put(is_double, to, is_complex ? 2 * at : at, creal(value));
    if (is_complex) form_put(is_double, to, 2 * at + 1, cimag(value));
}

static inline double complex form_get_element(int is_complex, int is_double, const void *from, int64_t at) {
    return is_complex ? CMPLX(form_get(is_double, from, 2 * at), form_get(is_double, from, 2 * at + 1))
                      : CMPLX(form_get(is_double, from, at), 0);
}

#endif
