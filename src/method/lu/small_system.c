/* small_system.c: the small system that tests the kernels of small.h, and its solution. */
#include "base/element.h"
#include "method/lu/small.h"

enum { N = CLS_LU_SMALL_ORDER };

/* `value`; in complex systems i times it when `turn` is odd. */
static double complex turned(clsolve_type type, double value, int64_t turn) {
    return cls_is_complex(type) && turn % 2 ? value * I : value;
}

/* L and U: halves, so that all is exact in each type; no element of L off the diagonal is as large as 1. */
static double complex lower(clsolve_type type, int64_t i, int64_t j) {
    if (i <= j) return i == j;
    return turned(type, (double)((i * 5 + j * 7 + i * j) % 3 - 1) / 2, i + j);
}

static double complex upper(clsolve_type type, int64_t i, int64_t j) {
    if (i >= j) return turned(type, i == j ? 2 : 0, i);
    return turned(type, (double)((i * 3 + j * 5) % 3 - 1) / 2, i + j);
}

static double complex solution(clsolve_type type, int64_t i) {
    return (double)(i % 7 - 3) + (cls_is_complex(type) ? (double)(i % 5 - 2) * I : 0);
}

/* Row i of L U is row place(i) of A: every column exchanges rows. */
static int64_t place(int64_t i) {
    return (i * 7 + 3) % N;
}

void cls_lu_small_system(clsolve_type type, void *A, void *B) {
    for (int64_t i = 0; i < N; ++i) {
        double complex b = 0;
        for (int64_t j = 0; j < N; ++j) {
            double complex a = 0;
            for (int64_t k = 0; k <= i && k <= j; ++k) a += lower(type, i, k) * upper(type, k, j);
            cls_element_put(type, A, place(i) + j * N, a);
            b += a * solution(type, j);
        }
        cls_element_put(type, B, place(i), b);
    }
}

int cls_lu_small_right(clsolve_type type, const void *X) {
    for (int64_t k = 0; k < N; ++k)
        if (!(cabs(cls_element_get(type, X, k) - solution(type, k)) < 1e-3)) return 0;
    return 1;
}
