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

void cls_lu_substitute_system(clsolve_type type, void *LU, void *B) {
    double y[N]; /* U times the solution */

    for (int64_t i = 0; i < N; ++i) {
        y[i] = 0;
        for (int64_t j = 0; j < N; ++j) {
            put(type, LU, i + j * N, element(i, j));
            if (j >= i) y[i] += element(i, j) * solution(j);
        }
    }
    for (int64_t i = 0; i < N; ++i) {
        double sum = y[i];
        for (int64_t j = 0; j < i; ++j) sum += element(i, j) * y[j];
        put(type, B, i, sum);
    }
}

int cls_lu_substitute_right(clsolve_type type, const void *X) {
    for (int64_t i = 0; i < N; ++i) {
        double x = type == CLSOLVE_F64 ? ((const double *)X)[i] : (double)((const float *)X)[i];
        if (!(fabs(x - solution(i)) < 1e-3)) return 0;
    }
    return 1;
}
