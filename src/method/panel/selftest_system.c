/* selftest_system.c: the small system of selftest.c, and its solution. */
#include "method/panel/parts.h"

#include <math.h>

enum { N = CLS_PANEL_TEST_ORDER };

/* Small whole numbers, exact in any type; the largest of each column lies below the diagonal. */
static int64_t entry(int64_t i, int64_t j) {
    return (i * 37 + j * 101 + i * j * 13) % 29 - 14 + (i == (j + 7) % N ? 64 : 0);
}

static int64_t solution(int64_t i) {
    return i % 7 - 3;
}

/* The imaginary parts of a complex system. */
static int64_t imaginary(int64_t i, int64_t j) {
    return (i * 11 + j * 7) % 13 - 6;
}

static int64_t imaginary_solution(int64_t i) {
    return i % 5 - 2;
}

static void put(clsolve_type type, void *data, int64_t index, int64_t re, int64_t im) {
    const int64_t parts = cls_type_parts(type);
    cls_type_put(type, data, parts * index, (double)re);
    if (parts == 2) cls_type_put(type, data, parts * index + 1, (double)im);
}

void cls_panel_test_system(clsolve_type type, void *A, void *B) {
    const int is_complex = cls_is_complex(type);
    for (int64_t i = 0; i < N; ++i) {
        int64_t sum = 0, im = 0;
        for (int64_t j = 0; j < N; ++j) {
            const int64_t a = entry(i, j), b = is_complex ? imaginary(i, j) : 0;
            const int64_t x = solution(j), y = is_complex ? imaginary_solution(j) : 0;
            sum += a * x - b * y;
            im += a * y + b * x;
            put(type, A, i * N + j, a, b);
        }
        put(type, B, i, sum, im);
    }
}

int cls_panel_test_right(clsolve_type type, const void *X) {
    const double bound = cls_is_double(type) ? 1e-10 : 1e-3;
    const int64_t parts = cls_type_parts(type);
    for (int64_t k = 0; k < parts * N; ++k) {
        const int64_t right = k % parts ? imaginary_solution(k / parts) : solution(k / parts);
        if (!(fabs(cls_type_get(type, X, k) - (double)right) < bound)) return 0;
    }
    return 1;
}
