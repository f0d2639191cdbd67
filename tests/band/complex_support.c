#include "band/complex_support.h"

clsolve_context *zband_context;

clsolve_type zband_last_type(void) {
    return test_has_type(zband_context, CLSOLVE_C64) ? CLSOLVE_C64 : CLSOLVE_C32;
}

int zband_is_taken(clsolve_type type, const zband_shape *s) {
    const int64_t kl = s->kl < s->n ? s->kl : s->n - 1;
    return s->n == 0 || kl == 3 || zband_last_type() == CLSOLVE_C32 || (type == CLSOLVE_C64) == (kl % 2 == 0);
}

int zband_is_in(const zband_shape *s, int64_t i, int64_t j) {
    return i >= 0 && i < s->n && i - j <= s->kl && j - i <= s->ku;
}

double *zband_dense(test_random *random, clsolve_type type, const zband_shape *s) {
    const double diagonal = s->n > 300 ? (double)(s->kl + s->ku) : 0.5; /* long bands are close to singular */
    double *A = test_elements(type, s->n * s->n);
    for (int64_t j = 0; j < s->n; ++j)
        for (int64_t i = 0; i < s->n; ++i)
            for (int p = 0; p < 2 && zband_is_in(s, i, j); ++p)
                A[2 * (i + j * s->n) + p] = test_rounded(type, test_random_signed(random) + (i == j ? diagonal : 0));
    return A;
}

test_matrix zband_store(clsolve_type type, clsolve_layout layout, const zband_shape *s, int64_t fill, const double *A) {
    const int64_t rows = fill + s->kl + s->ku + 1;
    test_matrix m = test_matrix_make(type, layout, rows, s->n, 2);
    SCRATCH double *all = test_elements(type, rows * s->n);
    for (int64_t j = 0; j < s->n; ++j)
        for (int64_t r = 0; r < rows; ++r)
            for (int p = 0; p < 2; ++p) {
                const int64_t i = j - s->ku + r - fill;
                all[2 * (r + j * rows) + p] = zband_is_in(s, i, j) ? A[2 * (i + j * s->n) + p] : (double)NAN;
            }
    test_matrix_set(&m, all);
    return m;
}

double *zband_sides(test_random *random, clsolve_type type, int64_t n) {
    double *B = test_elements(type, n * ZBAND_SIDES);
    for (int64_t k = 0; k < 2 * n * ZBAND_SIDES; ++k) B[k] = test_rounded(type, test_random_signed(random));
    return B;
}
