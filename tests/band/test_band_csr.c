/*
 * Bands that come as sparse matrices: with renumbered rows and columns, either index, base and type, entries in any order and
 * some twice; in core, through a window, with a copy of A, on the host. What is refused names the entry.
 */
#include <clsolve/clsolve.h>

#include "support/fixture.h"

static test_random random_numbers;
static clsolve_device_info device;

static int open_all(void **state) {
    random_numbers = test_random_start(1);
    (void)open_context(state);
    device = clsolve_context_device(context);
    return 0;
}

/* A sparse n x n matrix: entries 0 .. count - 1, in rows one after the other. */
typedef struct sparse {
    int64_t n, count, *rows, *columns; /* the permutations, NULL: none */
    int64_t *start, *column;
    int32_t *start32, *column32;
    double *value;
    float *value32;
} sparse;

static double number(void) { /* -1 .. 1 */
    return test_random_signed(&random_numbers);
}

static int64_t *permutation(int64_t n) {
    int64_t *p = test_room(n + 1, sizeof *p);
    for (int64_t i = 0; i < n; ++i) p[i] = i;
    for (int64_t i = n - 1; i > 0; --i) {
        const int64_t j = (int64_t)(fabs(number()) * (double)i), swap = p[i];
        p[i] = p[j];
        p[j] = swap;
    }
    return p;
}

/* Within kl and ku after renumbering, diagonally dominant there; the diagonal in two entries, the columns from the right. */
static sparse sparse_make(int64_t n, int64_t kl, int64_t ku, int permuted, int32_t base) {
    sparse s = {.n = n};
    const size_t most = (size_t)(n * (kl + ku + 3) + 1);
    SCRATCH int64_t *row_of = calloc((size_t)n + 1, sizeof *row_of),
                    *column_of = calloc((size_t)n + 1, sizeof *column_of);
    s.start = calloc((size_t)n + 1, sizeof *s.start);
    s.column = calloc(most, sizeof *s.column);
    s.start32 = calloc((size_t)n + 1, sizeof *s.start32);
    s.column32 = calloc(most, sizeof *s.column32);
    s.value = calloc(most, sizeof *s.value);
    s.value32 = calloc(most, sizeof *s.value32);
    assert_true(row_of && column_of && s.start && s.column && s.start32 && s.column32 && s.value && s.value32);
    s.rows = permuted ? permutation(n) : NULL;
    s.columns = permuted ? permutation(n) : NULL;
    for (int64_t i = 0; i < n; ++i) row_of[i] = s.rows ? s.rows[i] : i, column_of[s.columns ? s.columns[i] : i] = i;
    s.start[0] = s.start32[0] = base;
    for (int64_t i = 0; i < n; ++i) {
        const int64_t row = row_of[i];
        for (int64_t j = row + ku < n ? row + ku : n - 1; j >= 0 && j >= row - kl; --j)
            for (int twice = 0; twice < (j == row ? 2 : 1); ++twice) {
                if (j != row && (row + 2 * j) % 3 == 0) continue;
                s.column[s.count] = column_of[j] + base;
                s.column32[s.count] = (int32_t)s.column[s.count];
                s.value32[s.count] = (float)(j == row ? (double)(kl + ku + 1) : number());
                s.value[s.count] = (double)s.value32[s.count];
                ++s.count;
            }
        s.start[i + 1] = s.count + base;
        s.start32[i + 1] = (int32_t)s.start[i + 1];
    }
    return s;
}

static void sparse_free(sparse *s) {
    free(s->rows), free(s->columns), free(s->start), free(s->column), free(s->start32), free(s->column32);
    free(s->value), free(s->value32);
}

/* max |A x - b| where x and b have the band's numbers, b all 1. */
static double residual(const sparse *s, int32_t base, const double *x) {
    double most = 0;
    for (int64_t i = 0; i < s->n; ++i) {
        double sum = -1;
        for (int64_t e = s->start[i] - base; e < s->start[i + 1] - base; ++e) {
            const int64_t j = s->column[e] - base;
            sum += s->value[e] * x[s->columns ? s->columns[j] : j];
        }
        most = fmax(most, fabs(sum));
    }
    return most;
}

static clsolve_csr view_of(const sparse *s, clsolve_index index, int32_t base, clsolve_type type) {
    return (clsolve_csr){type,
                         index,
                         base,
                         s->n,
                         s->n,
                         index == CLSOLVE_I64 ? (const void *)s->start : (const void *)s->start32,
                         index == CLSOLVE_I64 ? (const void *)s->column : (const void *)s->column32,
                         type == CLSOLVE_F64 ? (const void *)s->value : (const void *)s->value32};
}

static void solve(int64_t n, int64_t kl, int64_t ku, int permuted, clsolve_type type, int kind,
                  const clsolve_band_options *options) {
    const int32_t base = kind % 2;
    SCRATCH_BY(sparse_free) sparse s = sparse_make(n, kl, ku, permuted, base);
    const clsolve_csr A =
        view_of(&s, kind / 2 % 2 ? CLSOLVE_I64 : CLSOLVE_I32, base, kind / 4 % 2 ? CLSOLVE_F64 : CLSOLVE_F32);
    SCRATCH double *x = test_room(n, sizeof *x);
    SCRATCH float *x32 = test_room(n, sizeof *x32);
    clsolve_band *band = NULL;
    assert_int_equal(clsolve_band_create(context, n, kl, ku, type, options, &band), CLSOLVE_OK);
    for (int again = 0; again < 2; ++again) {
        for (int64_t i = 0; i < n; ++i) x[i] = 1, x32[i] = 1;
        clsolve_matrix B = type == CLSOLVE_F64 ? clsolve_matrix_f64(n, 1, x) : clsolve_matrix_f32(n, 1, x32);
        clsolve_status status = clsolve_band_factor_csr(band, &A, s.rows, s.columns);
        if (status == CLSOLVE_OK) status = clsolve_band_solve(band, CLSOLVE_NO_TRANS, &B);
        if (status != CLSOLVE_OK) fail_msg("n = %d: %s", (int)n, clsolve_context_message(context));
        for (int64_t i = 0; i < n && type == CLSOLVE_F32; ++i) x[i] = (double)x32[i];
        const double left = residual(&s, base, x), most = type == CLSOLVE_F64 ? 1e-12 : 1e-4;
        if (!(left < most))
            fail_msg("n = %d, %d and %d diagonals, permuted %d, kind %d: the residual is %g", (int)n, (int)kl, (int)ku,
                     permuted, kind, left);
    }
    clsolve_band_destroy(band);
}

TEST(test_solves) {
    static const int64_t shapes[][3] = {{0, 0, 0},  {1, 0, 0},  {2, 1, 1},   {5, 6, 7},    {5, 3, 2},
                                        {31, 4, 4}, {33, 0, 2}, {67, 20, 9}, {129, 40, 37}};
    const clsolve_type type = device.fp64 ? CLSOLVE_F64 : CLSOLVE_F32;
    const clsolve_band_options on_device = {.where = CLSOLVE_WHERE_DEVICE}, refined = {.refine = 1};
    int kind = 0;
    const size_t step = test_pretends("gpu") ? 3 : 1; /* there each width costs PoCL a build */
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s += step)
        for (int permuted = 0; permuted < 2; ++permuted) {
            solve(shapes[s][0], shapes[s][1], shapes[s][2], permuted, type, kind++,
                  NULL); /* kind: index, base and type of A */
            if (s % 4 == 0) solve(shapes[s][0], shapes[s][1], shapes[s][2], permuted, CLSOLVE_F32, kind++, &on_device);
        }
    solve(67, 20, 9, 1, type, 3, &refined);
}

/* A band larger than the device may hold is packed column by column; a wide band of few entries is scattered. */
TEST(test_window) {
    const clsolve_type type = device.fp64 ? CLSOLVE_F64 : CLSOLVE_F32;
    const clsolve_band_options window = {.where = CLSOLVE_WHERE_DEVICE, .block = 7, .slab_bytes = 40000};
    solve(400, 9, 7, 1, type, 6, &window);
}

/* Of a band of zeros, for the most part, the entries alone cross. */
TEST(test_bytes) {
    enum { N = 400, K = 100 };
    if (device.host_memory && !test_pretends("gpu")) skip();
    const clsolve_type type = device.fp64 ? CLSOLVE_F64 : CLSOLVE_F32;
    const clsolve_band_options options = {.where = CLSOLVE_WHERE_DEVICE, .panel = CLSOLVE_PANEL_NATIVE};
    int64_t start[N + 1], column[2 * N];
    double value[2 * N];
    OWNED(band) *band = NULL;
    clsolve_report report;
    for (int64_t i = 0; i <= N; ++i) start[i] = 2 * i;
    for (int64_t i = 0; i < N; ++i) {
        column[2 * i] = i, value[2 * i] = 4;
        column[2 * i + 1] = i < K ? i + K : i - K, value[2 * i + 1] = 1;
    }
    const clsolve_csr A = clsolve_csr_i64_f64(N, start, column, value);
    assert_int_equal(clsolve_band_create(context, N, K, K, type, &options, &band), CLSOLVE_OK);
    assert_int_equal(clsolve_band_factor_csr(band, &A, NULL, NULL), CLSOLVE_OK);
    assert_int_equal(clsolve_band_report(band, &report), CLSOLVE_OK);
    if (report.bytes_up > 2 * N * 16 + 1024) fail_msg("%lld bytes went up", (long long)report.bytes_up);
}

#define EXPECT(call, wanted, words) TEST_EXPECT(context, call, wanted, words)

TEST(test_refused) {
    int32_t start[] = {0, 2, 4, 6}, column[] = {0, 1, 1, 2, 0, 2};
    float value[] = {4, 1, 4, 1, 1, 4};
    const int64_t swapped[] = {2, 1, 0}, no_permutation[] = {0, 0, 2};
    clsolve_csr A = clsolve_csr_f32(3, start, column, value);
    clsolve_band *band = NULL;
    assert_int_equal(clsolve_band_create(context, 3, 1, 1, CLSOLVE_F32, NULL, &band), CLSOLVE_OK);
    assert_int_equal(clsolve_band_factor_csr(NULL, &A, NULL, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT);
    EXPECT(clsolve_band_factor_csr(band, NULL, NULL, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT, "NULL");
    EXPECT(clsolve_band_factor_csr(band, &A, NULL, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT, "(2, 0)");
    EXPECT(clsolve_band_factor_csr(band, &A, swapped, swapped), CLSOLVE_ERROR_INVALID_ARGUMENT, "to (0, 2)");
    EXPECT(clsolve_band_factor_csr(band, &A, no_permutation, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT, "no permutation");
    column[4] = 3;
    EXPECT(clsolve_band_factor_csr(band, &A, NULL, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT, "column 3");
    column[4] = 1;
    value[3] = NAN;
    EXPECT(clsolve_band_factor_csr(band, &A, NULL, NULL), CLSOLVE_ERROR_NONFINITE, "(1, 2)");
    value[3] = 1;
    A.base = 2;
    EXPECT(clsolve_band_factor_csr(band, &A, NULL, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT, "base");
    A.base = 0;
    A.rows = 4;
    EXPECT(clsolve_band_factor_csr(band, &A, NULL, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT, "4 rows");
    A.rows = 3;
    start[1] = 5;
    EXPECT(clsolve_band_factor_csr(band, &A, NULL, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT, "descends");
    start[1] = 2;
    EXPECT(clsolve_band_factor_csr(band, &A, NULL, NULL), CLSOLVE_OK, "");
    value[4] = value[5] = 0; /* the last row is zero */
    EXPECT(clsolve_band_factor_csr(band, &A, NULL, NULL), CLSOLVE_SINGULAR, "");
    clsolve_band_destroy(band);
    assert_int_equal(clsolve_band_create(context, 3, 1, 1, CLSOLVE_C32, NULL, &band), CLSOLVE_OK);
    value[4] = value[5] = 1;
    EXPECT(clsolve_band_factor_csr(band, &A, NULL, NULL), CLSOLVE_OK, ""); /* imaginary parts are 0 */
    clsolve_band_destroy(band);
    assert_int_equal(clsolve_band_create(context, 3, 1, 1, CLSOLVE_F32, NULL, &band), CLSOLVE_OK);
    A.type = CLSOLVE_C32;
    EXPECT(clsolve_band_factor_csr(band, &A, NULL, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT, "complex");
    clsolve_band_destroy(band);
}

/* Complex entries: (3 + 4 i) x is 25 for 3 - 4 i. In core, through a window, and with a copy; entries in two parts. */
TEST(test_complex) {
    enum { N = 300, KL = 20, KU = 9 };
    static int64_t start[N + 1], column[2 * N], place[N];
    static float value[4 * N], x[2 * N];
    for (int64_t i = 0; i < N; ++i) {
        start[i + 1] = 2 * (i + 1), place[i] = N - 1 - i;
        column[2 * i] = column[2 * i + 1] = i;
        const float parts[] = {1, 1, 2, 3};
        memcpy(value + 4 * i, parts, sizeof parts);
    }
    clsolve_csr A = clsolve_csr_i64_f32(N, start, column, value);
    clsolve_matrix B = clsolve_matrix_f32(N, 1, x);
    A.type = B.type = CLSOLVE_C32;
    const clsolve_band_options kinds[] = {{.where = CLSOLVE_WHERE_DEVICE},
                                          {.where = CLSOLVE_WHERE_DEVICE, .block = 8, .slab_bytes = 40000},
                                          {.refine = 1},
                                          {.where = CLSOLVE_WHERE_HOST}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
        OWNED(band) *band = NULL;
        for (int i = 0; i < N; ++i) x[2 * i] = 25, x[2 * i + 1] = 0;
        assert_int_equal(clsolve_band_create(context, N, KL, KU, CLSOLVE_C32, &kinds[k], &band), CLSOLVE_OK);
        EXPECT(clsolve_band_factor_csr(band, &A, place, place), CLSOLVE_OK, "");
        EXPECT(clsolve_band_solve(band, CLSOLVE_NO_TRANS, &B), CLSOLVE_OK, "");
        for (int i = 0; i < N; ++i)
            if (!(fabsf(x[2 * i] - 3) < 1e-4F && fabsf(x[2 * i + 1] + 4) < 1e-4F))
                fail_msg("options %d: x(%d) is %g + %g i", (int)k, i, (double)x[2 * i], (double)x[2 * i + 1]);
    }
}

TEST_PROGRAM(open_all, close_context)
