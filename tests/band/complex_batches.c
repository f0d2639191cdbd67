/* complex_batches.c: batches of complex bands and of complex tridiagonal matrices: residuals, infos of bad members. */
#include "band/complex_support.h"

/* ---- batches ---- */

/* All members in the layout's tight form; the last but one is singular, the one before holds NaN. */
static void check_batch(test_random *random, clsolve_type type, clsolve_layout layout, const zband_shape *s,
                        int64_t count) {
    const int64_t n = s->n, rows = s->kl + s->ku + 1, size = type == CLSOLVE_C64 ? 16 : 8;
    SCRATCH char *ab = calloc((size_t)(count * rows * n) + 1, (size_t)size),
                 *b = calloc((size_t)(count * n * ZBAND_SIDES) + 1, (size_t)size);
    double **A = calloc((size_t)count, sizeof *A), **B = calloc((size_t)count, sizeof *B);
    SCRATCH int64_t *info = calloc((size_t)count, sizeof *info);
    clsolve_band_batch *batch = NULL;
    assert_true(ab && b && A && B && info);
    clsolve_batch AB = {type, layout, count,           rows, n, layout == CLSOLVE_COLUMN_MAJOR ? rows : n, rows * n,
                        NULL, ab,     CLSOLVE_ON_HOST, 0};
    clsolve_batch X = {type,
                       layout,
                       count,
                       n,
                       ZBAND_SIDES,
                       layout == CLSOLVE_COLUMN_MAJOR ? n : ZBAND_SIDES,
                       n * ZBAND_SIDES,
                       NULL,
                       b,
                       CLSOLVE_ON_HOST,
                       0};
    if (AB.ld < 1) AB.ld = 1;
    if (X.ld < 1) X.ld = 1;
    for (int64_t m = 0; m < count; ++m) {
        A[m] = zband_dense(random, type, s);
        B[m] = zband_sides(random, type, n);
        if (m == count - 2 && n > 0)
            for (int64_t k = 0; k < 2 * n; ++k) A[m][k] = 0;
        if (m == count - 3 && n > 0) A[m][2 * (n - 1 + (n - 1) * n) + 1] = (double)NAN;
        scratch_matrix a = zband_store(type, layout, s, 0, A[m]);
        char *to = ab + m * rows * n * size;
        const int64_t lines = layout == CLSOLVE_COLUMN_MAJOR ? n : rows,
                      length = layout == CLSOLVE_COLUMN_MAJOR ? rows : n;
        for (int64_t l = 0; l < lines; ++l)
            memcpy(to + l * length * size, (char *)a.view.data + l * a.view.ld * size, (size_t)(length * size));
    }
    if (clsolve_band_batch_create(zband_context, n, s->kl, s->ku, count, type, NULL, &batch) != CLSOLVE_OK)
        fail_msg("%s", clsolve_context_message(zband_context));
    (void)clsolve_band_batch_factor(batch, &AB, info);
    for (int64_t m = 0; m < count; ++m)
        assert_true(info[m] == (n == 0 ? 0 : m == count - 2 ? 1 : m == count - 3 ? -1 : 0));
    for (int op = CLSOLVE_NO_TRANS; op <= CLSOLVE_CONJ_TRANS; ++op) {
        const int by_column = layout == CLSOLVE_COLUMN_MAJOR;
        double *x = test_elements(type, n * ZBAND_SIDES);
        for (int64_t k = 0; k < 2 * count * n * ZBAND_SIDES; ++k) {
            const int64_t e = k / 2, m = e / (n * ZBAND_SIDES), at = e % (n * ZBAND_SIDES);
            const int64_t from = by_column ? at : at / ZBAND_SIDES + at % ZBAND_SIDES * n;
            const double value = B[m][2 * from + k % 2];
            if (type == CLSOLVE_C64)
                ((double *)(void *)b)[k] = value;
            else
                ((float *)(void *)b)[k] = (float)value;
        }
        (void)clsolve_band_batch_solve(batch, (clsolve_op)op, &X, info);
        for (int64_t m = 0; m < count; ++m) {
            if (info[m] != 0 || n == 0) continue;
            for (int64_t e = 0; e < n * ZBAND_SIDES; ++e)
                for (int p = 0; p < 2; ++p) {
                    const int64_t k = 2 * (m * n * ZBAND_SIDES + e) + p;
                    const int64_t to = by_column ? e : e / ZBAND_SIDES + e % ZBAND_SIDES * n;
                    x[2 * to + p] = type == CLSOLVE_C64 ? ((double *)(void *)b)[k] : (double)((float *)(void *)b)[k];
                }
            const double ratio = ratio_solve(type, (clsolve_op)op, n, ZBAND_SIDES, A[m], x, B[m]);
            if (!(ratio < RATIO_BOUND))
                fail_msg("member %d of %d, n %d, op %d: ratio %g", (int)m, (int)count, (int)n, op, ratio);
        }
        free(x);
    }
    clsolve_band_batch_destroy(batch);
    for (int64_t m = 0; m < count; ++m) {
        free(A[m]);
        free(B[m]);
    }
    free(A);
    free(B);
}

TEST(test_batches) {
    static const zband_shape some[] = {{0, 0, 0}, {1, 1, 1}, {2, 1, 1}, {7, 1, 1}, {13, 3, 2}, {33, 4, 4}, {70, 20, 9}};
    test_random random = test_random_start(6);
    for (int type = CLSOLVE_C32; type <= (int)zband_last_type(); ++type)
        for (int k = 0; k < 7; k += test_reduced() ? 2 : 1) {
            const clsolve_layout layout = k % 2 ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR;
            if (!zband_is_taken((clsolve_type)type, &some[k])) continue;
            check_batch(&random, (clsolve_type)type, layout, &some[k], 5);
            if (k == 3 || k == 4)
                check_batch(&random, (clsolve_type)type, layout, &some[k], 300); /* interleaved on a GPU */
        }
}

/* ---- tridiagonal batches ---- */

/* Members one after the other, in all three arrays; one with a zero column, one with NaN. */
static void check_tridiagonal(test_random *random, clsolve_type type, int64_t n, int64_t count, int interleaved,
                              const clsolve_tridiagonal_batch_options *options) {
    const zband_shape s = {n, 1, 1};
    double **A = test_room(count, sizeof *A), *b = test_elements(type, count * n);
    double *d[3] = {test_elements(type, count * n), test_elements(type, count * n), test_elements(type, count * n)};
    test_matrix m[4];
    SCRATCH int64_t *info = test_room(count, sizeof *info);
    clsolve_tridiagonal_batch *batch = NULL;
    const int64_t line = interleaved ? count : n, lines = interleaved ? n : count; /* of column-major storage */
    for (int64_t k = 0; k < count; ++k) {
        A[k] = zband_dense(random, type, &s);
        for (int64_t i = 0; i < n && options->pivoting == CLSOLVE_PIVOTING_NONE; ++i) A[k][2 * (i + i * n)] += 4;
        if (k == 1)
            for (int64_t i = 0; i < 2 * n; ++i) A[k][i] = 0;
        if (k == 2) A[k][0] = (double)NAN;
        for (int64_t i = 0; i < n; ++i)
            for (int q = 0; q < 3; ++q) {
                const int64_t j = i + q - 1, at = 2 * (interleaved ? k + i * count : i + k * n);
                for (int p = 0; p < 2; ++p) d[q][at + p] = j < 0 || j >= n ? (double)NAN : A[k][2 * (i + j * n) + p];
            }
    }
    clsolve_batch views[4];
    for (int q = 0; q < 4; ++q) {
        m[q] = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, line, lines, 0);
        views[q] = (clsolve_batch){type,
                                   interleaved ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR,
                                   count,
                                   n,
                                   1,
                                   interleaved ? count : n,
                                   interleaved ? 1 : n,
                                   NULL,
                                   m[q].view.data,
                                   CLSOLVE_ON_HOST,
                                   0};
        if (q < 3) test_matrix_set(&m[q], d[q]);
    }
    if (clsolve_tridiagonal_batch_create(zband_context, n, count, type, options, &batch) != CLSOLVE_OK)
        fail_msg("create: %s", clsolve_context_message(zband_context));
    (void)clsolve_tridiagonal_batch_factor(batch, &views[0], &views[1], &views[2], info);
    for (int64_t k = 0; k < count; ++k) assert_true(k == 1 ? info[k] > 0 : info[k] == (k == 2 ? -1 : 0));
    for (int op = CLSOLVE_NO_TRANS; op <= CLSOLVE_CONJ_TRANS; ++op) {
        double *x = test_elements(type, count * n);
        SCRATCH double *one = test_elements(type, n), *right = test_elements(type, n);
        for (int64_t k = 0; k < 2 * count * n; ++k) b[k] = test_rounded(type, test_random_signed(random));
        test_matrix_set(&m[3], b);
        (void)clsolve_tridiagonal_batch_solve(batch, (clsolve_op)op, &views[3], info);
        test_matrix_get(&m[3], x);
        for (int64_t k = 0; k < count; ++k) {
            for (int64_t i = 0; i < 2 * n; ++i) {
                const int64_t at = 2 * (interleaved ? k + i / 2 * count : i / 2 + k * n) + i % 2;
                one[i] = x[at];
                right[i] = b[at];
                if (info[k] != 0) assert_true(x[at] == b[at]);
            }
            const double ratio = info[k] == 0 ? ratio_solve(type, (clsolve_op)op, n, 1, A[k], one, right) : 0;
            if (!(ratio < RATIO_BOUND)) fail_msg("member %d, n %d, op %d: ratio %g", (int)k, (int)n, op, ratio);
        }
        free(x);
    }
    clsolve_tridiagonal_batch_destroy(batch);
    for (int64_t k = 0; k < count; ++k) free(A[k]);
    for (int q = 0; q < 4; ++q) test_matrix_free(&m[q]);
    for (int q = 0; q < 3; ++q) free(d[q]);
    free(A);
    free(b);
}

TEST(test_tridiagonal) {
    static const int64_t orders[] = {1, 2, 3, 5, 17, 131};
    static const clsolve_tridiagonal_batch_options host = {.where = CLSOLVE_WHERE_HOST};
    static const clsolve_tridiagonal_batch_options device[] = {
        {.where = CLSOLVE_WHERE_DEVICE},
        {.where = CLSOLVE_WHERE_DEVICE, .pivoting = CLSOLVE_PIVOTING_PARTIAL},
        {.where = CLSOLVE_WHERE_DEVICE, .pivoting = CLSOLVE_PIVOTING_NONE}};
    test_random random = test_random_start(7);
    for (int type = CLSOLVE_C32; type <= CLSOLVE_C64; ++type)
        for (int k = 0; k < 6; ++k) check_tridiagonal(&random, (clsolve_type)type, orders[k], 5, k % 2, &host);
    for (int type = CLSOLVE_C32; type <= (int)zband_last_type(); ++type)
        for (int k = 0; k < 9; ++k) /* all orders of three */
            check_tridiagonal(&random, (clsolve_type)type, orders[2 * (k / 3) + 1], 5, k % 2, &device[k % 3]);
}
