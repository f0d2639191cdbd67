/*
 * builtin_test_values.c: the product with a known result: see builtin.h. Apart, so that a test can put an erring device
 * in its place.
 */
#include "blas/builtin.h"

static double test_value(int64_t i, int64_t j) {
    return (double)((7 * i + 11 * j + i * j) % 17 - 8);
}

/* An element of A: the sum of 117 products with numbers up to 8 is below 2^24. */
static double wide_value(int64_t i, int64_t j) {
    return (double)((1009 * i + 3571 * j + i * j) % 16001 - 8000);
}

static void put(void *to, clsolve_type type, int64_t at, double value) {
    if (type == CLSOLVE_F64)
        ((double *)to)[at] = value;
    else
        ((float *)to)[at] = (float)value;
}

static double get(const void *from, clsolve_type type, int64_t at) {
    return type == CLSOLVE_F64 ? ((const double *)from)[at] : (double)((const float *)from)[at];
}

/* All of the room, as though the place began a column earlier, so that what lies before it has a value too; `trans`:
 * transposed. */
void cls_builtin_test_fill(void *to, clsolve_type type, cls_ref ref, int trans, int wide) {
    for (int64_t at = 0; at < CLS_TEST_ROOM; at++) {
        int64_t from = at - ref.offset + ref.ld, i = from % ref.ld, j = from / ref.ld - 1;
        const int64_t row = trans ? j : i, column = trans ? i + 1 : j + 1;
        put(to, type, at, wide ? wide_value(row, column) : test_value(row, column));
    }
}

int cls_builtin_test_right(const void *C, clsolve_type type, cls_ref ref) {
    for (int64_t at = 0; at < CLS_TEST_ROOM; at++) {
        int64_t from = at - ref.offset + ref.ld, i = from % ref.ld, j = from / ref.ld - 1;
        double expected = test_value(i, j + 1);
        if (j >= 0 && j < CLS_TEST_N && i < CLS_TEST_M)
            for (int64_t l = 0; l < CLS_TEST_K; l++) expected -= wide_value(i, l + 1) * test_value(l, j + 1);
        if (!(get(C, type, at) == expected)) return 0;
    }
    return 1;
}
