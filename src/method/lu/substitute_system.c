/* substitute_system.c: the small system of the kernel's test in substitute.c, and its solution. */
#include "method/lu/substitute_system.h"

#include <math.h>

#include "base/type.h"

enum { N = CLS_LU_SUBSTITUTE_ORDER };

/* A complex number; of real systems y is 0. */
typedef struct number {
    double x, y;
} number;

/* Quarters, so that the solve is exact in each type; small off the diagonal, so that no inverse grows. */
static number element(clsolve_type type, int64_t i, int64_t j) {
    const double re = i == j ? 2 : (double)((i * 5 + j * 7 + i * j) % 3 - 1) / 4;
    const double im = i == j ? 0 : (double)((i * 7 + j * 3 + i * j) % 3 - 1) / 4;
    return (number){re, cls_is_complex(type) ? im : 0};
}

static number solution(clsolve_type type, int64_t i) {
    return (number){(double)(i % 7 - 3), cls_is_complex(type) ? (double)(i % 5 - 2) : 0};
}

/* Element (i, j) of op(T), T = L, whose diagonal is one, or U. */
static number of_triangle(clsolve_type type, clsolve_op op, int upper, int64_t i, int64_t j) {
    const int trans = op != CLSOLVE_NO_TRANS;
    const int64_t row = trans ? j : i, column = trans ? i : j;
    number a = element(type, row, column);
    if (i == j) return upper ? a : (number){1, 0};
    if (upper ? row > column : row < column) return (number){0, 0};
    if (op == CLSOLVE_CONJ_TRANS) a.y = -a.y;
    return a;
}

/* The row of op(T) at i times x. */
static number row_times(clsolve_type type, clsolve_op op, int upper, int64_t i, const number *x) {
    number sum = {0, 0};
    for (int64_t j = 0; j < N; ++j) {
        const number a = of_triangle(type, op, upper, i, j);
        sum.x += a.x * x[j].x - a.y * x[j].y;
        sum.y += a.x * x[j].y + a.y * x[j].x;
    }
    return sum;
}

static void put(clsolve_type type, void *data, int64_t index, number value) {
    const int64_t parts = cls_type_parts(type);
    cls_type_put(type, data, parts * index, value.x);
    if (parts == 2) cls_type_put(type, data, parts * index + 1, value.y);
}

void cls_lu_substitute_system(clsolve_type type, clsolve_op op, void *LU, void *B) {
    number x[N], y[N]; /* y: U, or the transpose of L, times the solution */

    for (int64_t i = 0; i < N; ++i) x[i] = solution(type, i);
    for (int64_t i = 0; i < N; ++i) {
        for (int64_t j = 0; j < N; ++j) put(type, LU, i + j * N, element(type, i, j));
        y[i] = row_times(type, op, op == CLSOLVE_NO_TRANS, i, x);
    }
    for (int64_t i = 0; i < N; ++i) put(type, B, i, row_times(type, op, op != CLSOLVE_NO_TRANS, i, y));
}

int cls_lu_substitute_right(clsolve_type type, const void *X) {
    const double bound = cls_is_double(type) ? 1e-12 : 1e-4; /* all is exact, a reciprocal's rounding aside */
    const int64_t parts = cls_type_parts(type);

    for (int64_t k = 0; k < N * parts; ++k) {
        const number expected = solution(type, k / parts);
        if (!(fabs(cls_type_get(type, X, k) - (k % parts ? expected.y : expected.x)) < bound)) return 0;
    }
    return 1;
}
