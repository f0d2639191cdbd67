/* resident_matrix.c: the leaf with a known outcome that resident.c tests a device with. */
#include "method/panel/parts.h"

#include <math.h>

/* The m x width test matrix becomes L\U by plain partial pivoting; rows are swapped, but from step `first` on not in the
 * columns before. */
static void reference(int64_t m, int64_t width, int64_t first, double *A) {
    for (int64_t t = 0; t < width; ++t) {
        int64_t p = t;
        for (int64_t i = t; i < m; ++i)
            if (fabs(A[i + t * m]) > fabs(A[p + t * m])) p = i;
        for (int64_t k = t < first ? 0 : first; k < width; ++k) {
            double x = A[t + k * m];
            A[t + k * m] = A[p + k * m];
            A[p + k * m] = x;
        }
        for (int64_t i = t + 1; i < m; ++i) {
            double l = A[i + t * m] /= A[t + t * m];
            for (int64_t k = t + 1; k < width; ++k) A[i + k * m] -= l * A[t + k * m];
        }
    }
}

/* Numbers below 1, and pivots from the last row upwards, so large that no rounding makes another row the pivot. */
static double test_value(int64_t i, int64_t k, int64_t m) {
    return (double)((i * 40503 + k * 9176 + 12345) % 65537) / 65536.0 - (double)(i == m - 1 - k) * 64.0;
}

static double element(clsolve_type type, const void *data, int64_t index) {
    return type == CLSOLVE_F64 ? ((const double *)data)[index] : (double)((const float *)data)[index];
}

int cls_panel_leaf_agrees(clsolve_type type, int64_t elements, const double *expected, const void *got) {
    double bound = type == CLSOLVE_F64 ? 1e-11 : 1e-3;
    for (int64_t k = 0; k < elements; ++k)
        if (!(fabs(element(type, got, k) - expected[k]) <= bound * (1 + fabs(expected[k])))) return 0;
    return 1;
}

void cls_panel_leaf_matrix(clsolve_type type, int64_t m, int64_t width, int64_t first, void *data, double *expected) {
    for (int64_t k = 0; k < width; ++k)
        for (int64_t i = 0; i < m; ++i) {
            double value = expected[i + k * m] = test_value(i, k, m);
            if (type == CLSOLVE_F64)
                ((double *)data)[i + k * m] = value;
            else
                ((float *)data)[i + k * m] = (float)value;
        }
    reference(m, width, first, expected);
}
