/* small_system.c: the small system that tests the kernels of small.h, and its solution. */
#include <math.h>

#include "method/lu/small.h"

enum { N = CLS_LU_SMALL_ORDER };

static void put(clsolve_type type, void *data, int64_t index, double value) {
    if (type == CLSOLVE_F64)
        ((double *)data)[index] = value;
    else
        ((float *)data)[index] = (float)value;
}

/* L and U: halves, so that all is exact in either type; no element of L beside the diagonal is as large as 1. */
static double lower(int64_t i, int64_t j) {
    return i == j ? 1 : i < j ? 0 : (double)((i * 5 + j * 7 + i * j) % 3 - 1) / 2;
}

static double upper(int64_t i, int64_t j) {
    return i == j ? 2 : i > j ? 0 : (double)((i * 3 + j * 5) % 3 - 1) / 2;
}

static double solution(int64_t i) {
    return (double)(i % 7 - 3);
}

/* Row i of L U is row number(i) of A: every column exchanges rows. */
static int64_t number(int64_t i) {
    return (i * 7 + 3) % N;
}

void cls_lu_small_system(clsolve_type type, void *A, void *B) {
    for (int64_t i = 0; i < N; ++i) {
        double b = 0;
        for (int64_t j = 0; j < N; ++j) {
            double a = 0;
            for (int64_t k = 0; k <= i && k <= j; ++k) a += lower(i, k) * upper(k, j);
            put(type, A, number(i) + j * N, a);
            b += a * solution(j);
        }
        put(type, B, number(i), b);
    }
}

int cls_lu_small_right(clsolve_type type, const void *X) {
    for (int64_t i = 0; i < N; ++i) {
        double x = type == CLSOLVE_F64 ? ((const double *)X)[i] : (double)((const float *)X)[i];
        if (!(fabs(x - solution(i)) < 1e-3)) return 0;
    }
    return 1;
}
