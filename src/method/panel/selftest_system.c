/* selftest_system.c: the small system by which kernels of LU are tested, and its solution. */
#include "base/element.h"
#include "method/panel/panel.h"

/* Small whole numbers, exact in any type; the largest of each column lies below the diagonal. */
static double complex entry(clsolve_type type, int64_t n, int64_t i, int64_t j) {
    const int64_t value = (i * 37 + j * 101 + i * j * 13) % 29 - 14 + (i == (j + 7) % n ? 64 : 0);
    return (double)value + (cls_is_complex(type) ? (double)((i * 11 + j * 7) % 13 - 6) * I : 0);
}

static double complex solution(clsolve_type type, int64_t i) {
    return (double)(i % 7 - 3) + (cls_is_complex(type) ? (double)(i % 5 - 2) * I : 0);
}

void cls_panel_test_system(clsolve_type type, int64_t n, int by_columns, void *A, void *B) {
    for (int64_t i = 0; i < n; ++i) {
        double complex sum = 0;
        for (int64_t j = 0; j < n; ++j) {
            sum += entry(type, n, i, j) * solution(type, j);
            cls_element_put(type, A, by_columns ? i + j * n : i * n + j, entry(type, n, i, j));
        }
        cls_element_put(type, B, i, sum);
    }
}

int cls_panel_test_right(clsolve_type type, int64_t n, const void *X) {
    const double bound = cls_is_double(type) ? 1e-10 : 1e-3;
    for (int64_t k = 0; k < n; ++k)
        if (!(cabs(cls_element_get(type, X, k) - solution(type, k)) < bound)) return 0;
    return 1;
}
