/* selftest_system.c: the small system of selftest.c, and its solution. */
#include "method/panel/parts.h"

#include <math.h>

enum { N = CLS_PANEL_TEST_ORDER };

/* Small whole numbers, exact in either type; the largest of each column lies below the diagonal. */
static int64_t entry(int64_t i, int64_t j) {
    return (i * 37 + j * 101 + i * j * 13) % 29 - 14 + (i == (j + 7) % N ? 64 : 0);
}

static int64_t solution(int64_t i) {
    return i % 7 - 3;
}

static void put(clsolve_type type, void *data, int64_t index, int64_t value) {
    if (type == CLSOLVE_F64)
        ((double *)data)[index] = (double)value;
    else
        ((float *)data)[index] = (float)value;
}

void cls_panel_test_system(clsolve_type type, void *A, void *B) {
    for (int64_t i = 0; i < N; ++i) {
        int64_t sum = 0;
        for (int64_t j = 0; j < N; ++j) {
            sum += entry(i, j) * solution(j);
            put(type, A, i * N + j, entry(i, j));
        }
        put(type, B, i, sum);
    }
}

int cls_panel_test_right(clsolve_type type, const void *X) {
    double bound = type == CLSOLVE_F64 ? 1e-10 : 1e-3;
    for (int64_t i = 0; i < N; ++i) {
        double x = type == CLSOLVE_F64 ? ((const double *)X)[i] : (double)((const float *)X)[i];
        if (!(fabs(x - (double)solution(i)) < bound)) return 0;
    }
    return 1;
}
