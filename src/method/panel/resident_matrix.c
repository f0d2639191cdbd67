/* resident_matrix.c: the leaf with a known outcome that resident.c tests a device with. */
#include "method/panel/parts.h"

#include <math.h>

#include "base/element.h"

static double size_of(double complex a) {
    return fabs(creal(a)) + fabs(cimag(a));
}

/* The m x width test matrix becomes L\U by plain partial pivoting; rows are swapped, but from step `first` on not in
 * the columns before. */
static void reference(int64_t m, int64_t width, int64_t first, double complex *A) {
    for (int64_t t = 0; t < width; ++t) {
        int64_t p = t;
        for (int64_t i = t; i < m; ++i)
            if (size_of(A[i + t * m]) > size_of(A[p + t * m])) p = i;
        for (int64_t k = t < first ? 0 : first; k < width; ++k) {
            const double complex x = A[t + k * m];
            A[t + k * m] = A[p + k * m];
            A[p + k * m] = x;
        }
        for (int64_t i = t + 1; i < m; ++i) {
            A[i + t * m] /= A[t + t * m];
            for (int64_t k = t + 1; k < width; ++k) A[i + k * m] -= A[i + t * m] * A[t + k * m];
        }
    }
}

/* Numbers below 1, and pivots from the last row upwards, so large that no rounding makes another row the pivot. */
static double test_value(int64_t i, int64_t k, int64_t m) {
    return (double)((i * 40503 + k * 9176 + 12345) % 65537) / 65536.0 - (double)(i == m - 1 - k) * 64.0;
}

static double test_imaginary(int64_t i, int64_t k) {
    return (double)((i * 9176 + k * 40503 + 54321) % 65537) / 65536.0 - 0.5;
}

int cls_panel_leaf_agrees(clsolve_type type, int64_t elements, const double *expected, const void *got) {
    const int64_t parts = cls_type_parts(type);
    double bound = cls_is_double(type) ? 1e-11 : 1e-3;
    for (int64_t k = 0; k < elements; ++k)
        for (int64_t part = 0; part < parts; ++part) {
            const double wanted = expected[2 * k + part];
            if (!(fabs(cls_type_get(type, got, parts * k + part) - wanted) <= bound * (1 + fabs(wanted)))) return 0;
        }
    return 1;
}

void cls_panel_leaf_matrix(clsolve_type type, int64_t m, int64_t width, int64_t first, void *data, double *expected) {
    double complex *A = (double complex *)expected;
    for (int64_t k = 0; k < width; ++k)
        for (int64_t i = 0; i < m; ++i) {
            const int64_t at = i + k * m;
            A[at] = test_value(i, k, m) + (cls_is_complex(type) ? test_imaginary(i, k) * I : 0);
            cls_element_put(type, data, at, A[at]);
        }
    reference(m, width, first, A);
}
