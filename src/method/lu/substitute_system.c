/* substitute_system.c: the small system of the kernel's test in substitute.c, and its solution. */
#include "method/lu/substitute.h"

#include <math.h>

enum { N = CLS_LU_SUBSTITUTE_ORDER };

static void put(clsolve_type type, void *data, int64_t index, double value) {
    if (type == CLSOLVE_F64)
        ((double *)data)[index] = value;
    else
        ((float *)data)[index] = (float)value;
}

/* Quarters, so that the solve is exact in either type; small off the diagonal, so that no inverse grows. */
static double element(int64_t i, int64_t j) {
    return i == j ? 2 : (double)((i * 5 + j * 7 + i * j) % 3 - 1) / 4;
}

static double solution(int64_t i) {
    return (double)(i % 7 - 3);
}

/* Element (i, j) of L, whose diagonal is one, or of U; with `trans` of its transpose. */
static double of_lower(int64_t i, int64_t j, int trans) {
    return i == j ? 1 : (trans ? j > i : i > j) ? (trans ? element(j, i) : element(i, j)) : 0;
}

static double of_upper(int64_t i, int64_t j, int trans) {
    return (trans ? j <= i : i <= j) ? (trans ? element(j, i) : element(i, j)) : 0;
}

void cls_lu_substitute_system(clsolve_type type, int trans, void *LU, void *B) {
    double y[N]; /* U, or the transpose of L, times the solution */

    for (int64_t i = 0; i < N; ++i) {
        y[i] = 0;
        for (int64_t j = 0; j < N; ++j) {
            put(type, LU, i + j * N, element(i, j));
            y[i] += (trans ? of_lower(i, j, 1) : of_upper(i, j, 0)) * solution(j);
        }
    }
    for (int64_t i = 0; i < N; ++i) {
        double sum = 0;
        for (int64_t j = 0; j < N; ++j) sum += (trans ? of_upper(i, j, 1) : of_lower(i, j, 0)) * y[j];
        put(type, B, i, sum);
    }
}

int cls_lu_substitute_right(clsolve_type type, const void *X) {
    const double bound = type == CLSOLVE_F64 ? 1e-12 : 1e-4; /* all is exact, a reciprocal's rounding aside */

    for (int64_t i = 0; i < N; ++i) {
        double x = type == CLSOLVE_F64 ? ((const double *)X)[i] : (double)((const float *)X)[i];
        if (!(fabs(x - solution(i)) < bound)) return 0;
    }
    return 1;
}
