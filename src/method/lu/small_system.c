/* small_system.c: the small system that tests the kernels of small.h, and its solution. */
#include <math.h>

#include "method/lu/small.h"

enum { N = CLS_LU_SMALL_ORDER };

/* A complex number; of real systems y is 0. */
typedef struct number {
    double x, y;
} number;

static number plus_times(number a, number b, number c) {
    return (number){a.x + b.x * c.x - b.y * c.y, a.y + b.x * c.y + b.y * c.x};
}

/* `value`; in complex systems i times it when `turn` is odd. */
static number turned(clsolve_type type, double value, int64_t turn) {
    return cls_is_complex(type) && turn % 2 ? (number){0, value} : (number){value, 0};
}

/* L and U: halves, so that all is exact in each type; no element of L off the diagonal is as large as 1. */
static number lower(clsolve_type type, int64_t i, int64_t j) {
    if (i <= j) return (number){i == j ? 1 : 0, 0};
    return turned(type, (double)((i * 5 + j * 7 + i * j) % 3 - 1) / 2, i + j);
}

static number upper(clsolve_type type, int64_t i, int64_t j) {
    if (i >= j) return turned(type, i == j ? 2 : 0, i);
    return turned(type, (double)((i * 3 + j * 5) % 3 - 1) / 2, i + j);
}

static number solution(clsolve_type type, int64_t i) {
    return (number){(double)(i % 7 - 3), cls_is_complex(type) ? (double)(i % 5 - 2) : 0};
}

/* Row i of L U is row place(i) of A: every column exchanges rows. */
static int64_t place(int64_t i) {
    return (i * 7 + 3) % N;
}

static void put(clsolve_type type, void *data, int64_t index, number value) {
    const int64_t parts = cls_type_parts(type);
    cls_type_put(type, data, parts * index, value.x);
    if (parts == 2) cls_type_put(type, data, parts * index + 1, value.y);
}

void cls_lu_small_system(clsolve_type type, void *A, void *B) {
    for (int64_t i = 0; i < N; ++i) {
        number b = {0, 0};
        for (int64_t j = 0; j < N; ++j) {
            number a = {0, 0};
            for (int64_t k = 0; k <= i && k <= j; ++k) a = plus_times(a, lower(type, i, k), upper(type, k, j));
            put(type, A, place(i) + j * N, a);
            b = plus_times(b, a, solution(type, j));
        }
        put(type, B, place(i), b);
    }
}

int cls_lu_small_right(clsolve_type type, const void *X) {
    const int64_t parts = cls_type_parts(type);
    for (int64_t k = 0; k < N * parts; ++k) {
        const number expected = solution(type, k / parts);
        if (!(fabs(cls_type_get(type, X, k) - (k % parts ? expected.y : expected.x)) < 1e-3)) return 0;
    }
    return 1;
}
