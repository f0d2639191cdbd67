/* resident_matrix.c: the leaf with a known outcome that resident.c tests a device with. */
#include "method/panel/parts.h"

#include <math.h>

/* An element; of a real matrix the imaginary part is 0. */
typedef struct number {
    double re, im;
} number;

static double size_of(number a) {
    return fabs(a.re) + fabs(a.im);
}

static number quotient(number a, number b) {
    const double d = b.re * b.re + b.im * b.im;
    return (number){(a.re * b.re + a.im * b.im) / d, (a.im * b.re - a.re * b.im) / d};
}

/* The m x width test matrix becomes L\U by plain partial pivoting; rows are swapped, but from step `first` on not in
 * the columns before. */
static void reference(int64_t m, int64_t width, int64_t first, number *A) {
    for (int64_t t = 0; t < width; ++t) {
        int64_t p = t;
        for (int64_t i = t; i < m; ++i)
            if (size_of(A[i + t * m]) > size_of(A[p + t * m])) p = i;
        for (int64_t k = t < first ? 0 : first; k < width; ++k) {
            number x = A[t + k * m];
            A[t + k * m] = A[p + k * m];
            A[p + k * m] = x;
        }
        for (int64_t i = t + 1; i < m; ++i) {
            const number l = A[i + t * m] = quotient(A[i + t * m], A[t + t * m]);
            for (int64_t k = t + 1; k < width; ++k) {
                const number u = A[t + k * m];
                A[i + k * m].re -= l.re * u.re - l.im * u.im;
                A[i + k * m].im -= l.re * u.im + l.im * u.re;
            }
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
    const int64_t parts = cls_type_parts(type);
    number *A = (number *)expected;
    for (int64_t k = 0; k < width; ++k)
        for (int64_t i = 0; i < m; ++i) {
            const int64_t at = i + k * m;
            A[at] = (number){test_value(i, k, m), parts > 1 ? test_imaginary(i, k) : 0};
            cls_type_put(type, data, parts * at, A[at].re);
            if (parts > 1) cls_type_put(type, data, parts * at + 1, A[at].im);
        }
    reference(m, width, first, A);
}
