/* element.h: an element of any type as a complex double, on the host: for systems whose solutions are known. */
#ifndef CLS_ELEMENT_H
#define CLS_ELEMENT_H

#include <complex.h>

#include "base/type.h"

/* A real type leaves the imaginary part out. */
static inline void cls_element_put(clsolve_type type, void *array, int64_t k, double complex value) {
    const int64_t parts = cls_type_parts(type);
    cls_type_put(type, array, k * parts, creal(value));
    if (parts == 2) cls_type_put(type, array, k * parts + 1, cimag(value));
}

static inline double complex cls_element_get(clsolve_type type, const void *array, int64_t k) {
    const int64_t parts = cls_type_parts(type);
    return cls_type_get(type, array, k * parts) + (parts == 2 ? cls_type_get(type, array, k * parts + 1) * I : 0);
}

#endif
