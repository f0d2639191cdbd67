/*
 * clsolve_band_factor_in_place against LAPACK: dgbt01's ratio ||P A - L U||_1 / (n ||A||_1 eps) for bands of any shape,
 * both types and layouts; gbtrf's own numbers where elimination is exact; singular ones, NaN, Inf, overflow; refused calls;
 * the predicted times.
 */
#include "band/in_place_support.h"

#include <lapacke.h>

static int has_double;

/* m, n, kl, ku. Diagonals that the matrix has are those of few pairs (band_support.h). */
static const int64_t shapes[][4] = {
    {0, 0, 1, 1},      {0, 5, 2, 1},      {5, 0, 1, 2},         {1, 1, 0, 0},     {1, 7, 0, 2},
    {1, 9, 3, 2},      {9, 1, 2, 3},      {2, 3, 1, 1},         {3, 2, 2, 0},     {5, 5, 4, 4},
    {5, 9, 7, 4},      {9, 5, 4, 7},      {12, 12, 0, 0},       {16, 15, 3, 2},   {15, 16, 3, 2},
    {17, 40, 3, 2},    {40, 17, 0, 2},    {17, 40, 2, 0},       {32, 34, 40, 40}, {34, 32, 40, 40},
    {65, 64, 31, 33},  {64, 65, 31, 33},  {97, 200, 20, 9},     {200, 97, 20, 9}, {129, 127, 9, 20},
    {131, 257, 3, 64}, {257, 131, 64, 3}, {150, 151, 160, 160}, {301, 300, 3, 2}, {211, 173, 25, 40}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* ---- accuracy ---- */

static void check_shape(const any_shape *s, clsolve_type type, clsolve_layout layout,
                        const clsolve_band_options *options) {
    SCRATCH double *A = any_random(s, type, (uint64_t)(s->m * 4096 + s->n));
    any_outcome o = any_factor(s, type, layout, A, options);

    any_expect(s, &o, CLSOLVE_OK);
    double ratio = any_ratio(s, type, A, o.AFB, o.ipiv);
    if (!(ratio < RATIO_BOUND))
        fail_msg("%d x %d, kl %d, ku %d: ratio %g", (int)s->m, (int)s->n, (int)s->kl, (int)s->ku, ratio);
    if (options->where == CLSOLVE_WHERE_DEVICE) assert_string_equal(o.report.where, "device");
    if (options->where == CLSOLVE_WHERE_HOST) assert_string_equal(o.report.where, "host");
    assert_true(o.report.info == 0 && o.report.n == s->n && o.report.status == CLSOLVE_OK);
    /* L's elements are at most 1: the pivots are those of partial pivoting. */
    for (int64_t j = 0; j < any_least(s->m, s->n); ++j)
        for (int64_t i = j + 1; i < any_least(s->m, j + 1 + s->kl); ++i)
            assert_true(fabs(*any_at(s, o.AFB, i, j)) <= 1 + 1e-5);
    any_release(&o);
}

TEST(test_shapes) {
    for (int64_t k = 0; k < SHAPES; ++k)
        for (int is_double = 0; is_double <= has_double; ++is_double) {
            if (test_reduced() && (k % 3 != 0 || (has_double && (k / 3 + is_double) % 2 == 0))) continue;
            const any_shape s = {shapes[k][0], shapes[k][1], shapes[k][2], shapes[k][3]};
            clsolve_type type = is_double ? CLSOLVE_F64 : CLSOLVE_F32;
            clsolve_layout layout = (k + is_double) % 2 ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR;
            clsolve_band_options device = any_options(CLSOLVE_WHERE_DEVICE), host = any_options(CLSOLVE_WHERE_HOST);
            check_shape(&s, type, layout, &device);
            check_shape(&s, type, layout, &host);
            device.block = 7;
            check_shape(&s, type, CLSOLVE_COLUMN_MAJOR, &device);
        }
}

/* Doubles without a device for them: AUTO gives them to the host. */
TEST(test_double) {
    const any_shape s = {40, 30, 3, 4};
    clsolve_band_options options = {.where = CLSOLVE_WHERE_AUTO};
    check_shape(&s, CLSOLVE_F64, CLSOLVE_COLUMN_MAJOR, &options);
    if (has_double) return;
    SCRATCH double *A = any_random(&s, CLSOLVE_F64, 1);
    options.where = CLSOLVE_WHERE_DEVICE;
    any_outcome o = any_factor(&s, CLSOLVE_F64, CLSOLVE_COLUMN_MAJOR, A, &options);
    any_expect(&s, &o, CLSOLVE_ERROR_UNSUPPORTED);
    any_release(&o);
}

/* A band that passes through a window, and one in several buffers. */
TEST(test_window) {
    static const any_shape cases[] = {{300, 300, 9, 20}, {310, 300, 3, 2}, {300, 330, 5, 12}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        const any_shape *s = &cases[k];
        clsolve_band_options options = any_options(CLSOLVE_WHERE_DEVICE);
        options.block = 16;
        options.slab_bytes = 40 * 64 * 4;
        check_shape(s, CLSOLVE_F32, CLSOLVE_COLUMN_MAJOR, &options);
        options.slab_bytes = 0;
        options.memory_limit = test_band_least_limit(any_context, CLSOLVE_F32, 310, s->kl, s->ku, &options);
        check_shape(s, CLSOLVE_F32, CLSOLVE_COLUMN_MAJOR, &options);
        SCRATCH double *A = any_random(s, CLSOLVE_F32, 4);
        any_outcome o = any_factor(s, CLSOLVE_F32, CLSOLVE_ROW_MAJOR, A, &options);
        any_expect(s, &o, CLSOLVE_OK);
        assert_true(o.report.slab_columns > 0 && o.report.host_bytes > 0);
        any_release(&o);
    }
}

/* ---- LAPACK's own numbers ---- */

static lapack_int by_lapack(const any_shape *s, clsolve_type type, double *AB, int64_t *ipiv) {
    const int64_t count = any_rows(s) * s->n;
    const lapack_int m = (lapack_int)s->m, n = (lapack_int)s->n, kl = (lapack_int)s->kl, ku = (lapack_int)s->ku;
    lapack_int *pivots = calloc((size_t)any_least(m, n) + 1, sizeof *pivots), ld = (lapack_int)any_rows(s), info;
    SCRATCH float *single = calloc((size_t)count + 1, sizeof *single);

    assert_true(pivots && single);
    for (int64_t k = 0; k < count; ++k) single[k] = (float)AB[k];
    info = type == CLSOLVE_F64 ? LAPACKE_dgbtrf_work(LAPACK_COL_MAJOR, m, n, kl, ku, AB, ld, pivots)
                               : LAPACKE_sgbtrf_work(LAPACK_COL_MAJOR, m, n, kl, ku, single, ld, pivots);
    for (int64_t k = 0; type == CLSOLVE_F32 && k < count; ++k) AB[k] = (double)single[k];
    for (int64_t k = 0; k < any_least(m, n); ++k) ipiv[k] = pivots[k];
    free(pivots);
    return info;
}

/*
 * The elimination of the first min(m, n) columns is exact, and their pivots are the only ones. Columns of a wide matrix
 * behind them are random.
 */
static double *make_exact(const any_shape *s, int singular, uint64_t use) {
    test_random random = test_random_start(use);
    double *AB = any_random(s, CLSOLVE_F32, use);
    scratch_band square = test_band_exact(&random, CLSOLVE_F32, s->m, s->kl, s->ku, singular);

    for (int64_t j = 0; j < any_least(s->m, s->n); ++j)
        for (int64_t i = 0; i < s->m; ++i) {
            const double *a = test_band_at(&square, i, j);
            if (a) *any_at(s, AB, i, j) = *a;
        }
    return AB;
}

/* Where LAPACK fills in or leaves zeros too. Of the columns behind the pivots rounding decides; test_shapes has their ratio. */
static void compare(const any_shape *s, const any_outcome *o, const double *wanted, const int64_t *ipiv,
                    lapack_int info) {
    const int64_t k = any_least(s->m, s->n);

    assert_int_equal(o->report.info, info);
    for (int64_t t = 0; t < k; ++t)
        if (o->ipiv[t] != ipiv[t]) fail_msg("pivot %d is %d, LAPACK's %d", (int)t, (int)o->ipiv[t], (int)ipiv[t]);
    for (int64_t j = 0; j < s->n; ++j)
        for (int64_t r = 0; r < any_rows(s); ++r) {
            double mine = o->AFB[r + j * any_rows(s)], its = wanted[r + j * any_rows(s)];
            if (any_inside(s, r, j) && (j < k || j >= s->m + s->ku) && mine != its)
                fail_msg("%d x %d, kl %d, ku %d: AB(%d,%d) is %g, LAPACK's %g", (int)s->m, (int)s->n, (int)s->kl,
                         (int)s->ku, (int)r, (int)j, mine, its);
        }
}

static void check_exact(const any_shape *s, int singular, clsolve_where where, int32_t block) {
    SCRATCH double *A = make_exact(s, singular, (uint64_t)(s->m + s->n)), *wanted = test_doubles(any_rows(s) * s->n);
    SCRATCH int64_t *ipiv = test_room(any_least(s->m, s->n) + 1, sizeof *ipiv);
    clsolve_band_options options = any_options(where);

    memcpy(wanted, A, (size_t)(any_rows(s) * s->n) * sizeof *A);
    lapack_int info = by_lapack(s, CLSOLVE_F32, wanted, ipiv);
    options.block = block;
    any_outcome o = any_factor(s, CLSOLVE_F32, CLSOLVE_COLUMN_MAJOR, A, &options);
    any_expect(s, &o, info > 0 ? CLSOLVE_SINGULAR : CLSOLVE_OK);
    compare(s, &o, wanted, ipiv, info);
    any_release(&o);
}

/* A handle factors the same. */
static void check_handle(const any_shape *s, int32_t block) {
    SCRATCH double *A = make_exact(s, 0, (uint64_t)(s->m + s->n)), *AFB = test_doubles(any_rows(s) * s->n);
    SCRATCH int64_t *ipiv = test_room(s->n + 1, sizeof *ipiv);
    clsolve_band_options options = any_options(CLSOLVE_WHERE_DEVICE);
    OWNED(band) *band = NULL;
    scratch_matrix ab = test_matrix_make(CLSOLVE_F32, CLSOLVE_COLUMN_MAJOR, any_rows(s), s->n, 0);

    options.form = CLSOLVE_BAND_GBTRF;
    options.block = block;
    any_outcome o = any_factor(s, CLSOLVE_F32, CLSOLVE_ROW_MAJOR, A, &options);
    test_matrix_set(&ab, A);
    BAND_EXPECT(any_context, clsolve_band_create(any_context, s->n, s->kl, s->ku, CLSOLVE_F32, &options, &band),
                CLSOLVE_OK);
    BAND_EXPECT(any_context, clsolve_band_factor(band, &ab.view), CLSOLVE_OK);
    BAND_EXPECT(any_context, clsolve_band_factors(band, &ab.view, ipiv), CLSOLVE_OK);
    test_matrix_get(&ab, AFB);
    assert_memory_equal(AFB, o.AFB, (size_t)(any_rows(s) * s->n) * sizeof *AFB);
    assert_memory_equal(ipiv, o.ipiv, (size_t)s->n * sizeof *ipiv);
    any_release(&o);
}

TEST(test_handle) {
    static const any_shape cases[] = {{12, 12, 3, 2}, {65, 65, 20, 9}, {150, 150, 60, 20}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        check_handle(&cases[k], 0);
        check_handle(&cases[k], 16);
    }
}

TEST(test_exact) {
    for (int64_t k = 0; k < SHAPES; ++k) {
        const any_shape s = {shapes[k][0], shapes[k][1], shapes[k][2], shapes[k][3]};
        if (s.m == 0 || s.n == 0 || (test_reduced() && k % 3)) continue;
        for (int singular = 0; singular < 2; ++singular) {
            check_exact(&s, singular, CLSOLVE_WHERE_DEVICE, 0);
            check_exact(&s, singular, CLSOLVE_WHERE_DEVICE, 7);
            check_exact(&s, singular, CLSOLVE_WHERE_HOST, 0);
        }
    }
}

/* ---- nonfinite, overflow ---- */

static void check_unchanged(const any_shape *s, double bad, clsolve_where where) {
    SCRATCH double *A = any_random(s, CLSOLVE_F32, 3);
    clsolve_band_options options = any_options(where);

    *any_at(s, A, 9, 10) = bad;
    any_outcome o = any_factor(s, CLSOLVE_F32, CLSOLVE_ROW_MAJOR, A, &options);
    any_expect(s, &o, CLSOLVE_ERROR_NONFINITE);
    assert_non_null(strstr(clsolve_context_message(any_context), "A(10,11)"));
    assert_int_equal(o.report.status, CLSOLVE_ERROR_NONFINITE);
    assert_memory_equal(A, o.AFB, (size_t)(any_rows(s) * s->n) * sizeof *A);
    for (int64_t k = 0; k < any_least(s->m, s->n); ++k) assert_int_equal(o.ipiv[k], 0);
    any_release(&o);
}

TEST(test_nonfinite) {
    static const any_shape cases[] = {{30, 30, 3, 2}, {40, 20, 3, 2}, {20, 40, 3, 2}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k)
        for (int host = 0; host < 2; ++host) {
            check_unchanged(&cases[k], (double)NAN, host ? CLSOLVE_WHERE_HOST : CLSOLVE_WHERE_DEVICE);
            check_unchanged(&cases[k], (double)-INFINITY, host ? CLSOLVE_WHERE_HOST : CLSOLVE_WHERE_DEVICE);
        }
}

/* With nonfinite the call is LAPACK's. */
static void check_passes(const any_shape *s, double bad, clsolve_where where, clsolve_layout layout) {
    SCRATCH double *A = any_random(s, CLSOLVE_F32, 3), *wanted = test_doubles(any_rows(s) * s->n);
    SCRATCH int64_t *ipiv = test_room(any_least(s->m, s->n) + 1, sizeof *ipiv);
    clsolve_band_options options = any_options(where);

    options.nonfinite = 1;
    *any_at(s, A, 9, 10) = bad;
    memcpy(wanted, A, (size_t)(any_rows(s) * s->n) * sizeof *A);
    lapack_int info = by_lapack(s, CLSOLVE_F32, wanted, ipiv);
    any_outcome o = any_factor(s, CLSOLVE_F32, layout, A, &options);
    any_expect(s, &o, info > 0 ? CLSOLVE_SINGULAR : CLSOLVE_OK);
    assert_int_equal(o.report.info, info);
    assert_string_equal(o.report.where, "host");
    for (int64_t j = 0; j < s->n; ++j)
        for (int64_t r = 0; r < any_rows(s); ++r) {
            double mine = o.AFB[r + j * any_rows(s)], its = wanted[r + j * any_rows(s)];
            if (any_inside(s, r, j)) assert_true(mine == its || (isnan(mine) && isnan(its)));
        }
    assert_memory_equal(ipiv, o.ipiv, (size_t)any_least(s->m, s->n) * sizeof *ipiv);
    any_release(&o);
}

TEST(test_passes) {
    static const any_shape cases[] = {{30, 30, 3, 2}, {40, 20, 3, 2}, {20, 40, 3, 2}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        check_passes(&cases[k], (double)NAN, CLSOLVE_WHERE_DEVICE, CLSOLVE_ROW_MAJOR);
        check_passes(&cases[k], (double)INFINITY, CLSOLVE_WHERE_HOST, CLSOLVE_COLUMN_MAJOR);
    }
}

/* The second pivot's row grows beyond float. */
TEST(test_overflow) {
    for (int host = 0; host < 2; ++host)
        for (int64_t m = 2; m <= 3; ++m) {
            const any_shape s = {m, 2, 1, 1};
            SCRATCH double *A = any_random(&s, CLSOLVE_F32, 2);
            clsolve_band_options options = any_options(host ? CLSOLVE_WHERE_HOST : CLSOLVE_WHERE_DEVICE);
            *any_at(&s, A, 0, 0) = 1, *any_at(&s, A, 1, 0) = -1;
            *any_at(&s, A, 0, 1) = 3e38, *any_at(&s, A, 1, 1) = 3e38;
            any_outcome o = any_factor(&s, CLSOLVE_F32, CLSOLVE_COLUMN_MAJOR, A, &options);
            any_expect(&s, &o, CLSOLVE_OVERFLOW);
            assert_true(isinf(*any_at(&s, o.AFB, 1, 1)));
            any_release(&o);
            options.nonfinite = 1;
            o = any_factor(&s, CLSOLVE_F32, CLSOLVE_COLUMN_MAJOR, A, &options);
            any_expect(&s, &o, CLSOLVE_OK);
            assert_true(isinf(*any_at(&s, o.AFB, 1, 1)));
            any_release(&o);
        }
}

/* ---- refused ---- */

#define EXPECT(call, wanted, words) TEST_EXPECT(any_context, call, wanted, words)

TEST(test_refused) {
    float a[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    int64_t ipiv[2] = {-1, -1};
    clsolve_matrix AB = clsolve_matrix_f32(4, 2, a), bad = AB;
    clsolve_band_options o = {.reserved = {0}};
    double device, host;

#define IN_PLACE(matrix, pivots, options)                                                                              \
    clsolve_band_factor_in_place(any_context, 3, 2, 1, 1, (matrix), (pivots), (options), NULL)
    assert_int_equal(clsolve_band_factor_in_place(NULL, 3, 2, 1, 1, &AB, ipiv, NULL, NULL),
                     CLSOLVE_ERROR_INVALID_ARGUMENT);
    EXPECT(IN_PLACE(NULL, ipiv, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT, "AB is NULL");
    EXPECT(IN_PLACE(&AB, NULL, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT, "ipiv is NULL");
    EXPECT(clsolve_band_factor_in_place(any_context, -3, 2, 1, 1, &AB, ipiv, NULL, NULL),
           CLSOLVE_ERROR_INVALID_ARGUMENT, "is -3");
    EXPECT(clsolve_band_factor_in_place(any_context, 3, 2, -1, 1, &AB, ipiv, NULL, NULL),
           CLSOLVE_ERROR_INVALID_ARGUMENT, "-1 diagonals below");
    EXPECT(clsolve_band_factor_in_place(any_context, 3, 2, 1, 2, &AB, ipiv, NULL, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT,
           "AB has 4 rows");
    EXPECT(clsolve_band_factor_in_place(any_context, 3, 3, 1, 1, &AB, ipiv, NULL, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT,
           "2 columns");
    bad.ld = 3;
    EXPECT(IN_PLACE(&bad, ipiv, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT, "ld of AB");
    bad = AB;
    bad.type = (clsolve_type)9;
    EXPECT(IN_PLACE(&bad, ipiv, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT, "type is 9");
    bad = AB;
    bad.place = CLSOLVE_ON_DEVICE;
    EXPECT(IN_PLACE(&bad, ipiv, NULL), CLSOLVE_ERROR_UNSUPPORTED, "on the device");
    o.form = (clsolve_band_form)3;
    EXPECT(IN_PLACE(&AB, ipiv, &o), CLSOLVE_ERROR_INVALID_ARGUMENT, "form is 3");
    o = (clsolve_band_options){.nonfinite = 2};
    EXPECT(IN_PLACE(&AB, ipiv, &o), CLSOLVE_ERROR_INVALID_ARGUMENT, "nonfinite is 2");
    o = (clsolve_band_options){.refine = 1};
    EXPECT(IN_PLACE(&AB, ipiv, &o), CLSOLVE_ERROR_UNSUPPORTED, "clsolve_band_create");
    o = (clsolve_band_options){.equilibrate = 1};
    EXPECT(IN_PLACE(&AB, ipiv, &o), CLSOLVE_ERROR_UNSUPPORTED, "equilibrate");
    o = (clsolve_band_options){.reserved = {1}};
    EXPECT(IN_PLACE(&AB, ipiv, &o), CLSOLVE_ERROR_INVALID_ARGUMENT, "reserved");
    o = (clsolve_band_options){.where = CLSOLVE_WHERE_DEVICE, .memory_limit = 16};
    EXPECT(IN_PLACE(&AB, ipiv, &o), CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY, "bytes");
    for (int k = 0; k < 8; ++k) assert_true(a[k] == (float)(k + 1));
    assert_true(ipiv[0] == -1 && ipiv[1] == -1);

    assert_int_equal(clsolve_band_predict(NULL, 1, 1, 0, 0, 1, CLSOLVE_F32, &device, &host),
                     CLSOLVE_ERROR_INVALID_ARGUMENT);
    EXPECT(clsolve_band_predict(any_context, -1, 1, 0, 0, 1, CLSOLVE_F32, &device, &host),
           CLSOLVE_ERROR_INVALID_ARGUMENT, "is -1");
    EXPECT(clsolve_band_predict(any_context, 1, 1, 0, 0, -1, CLSOLVE_F32, &device, &host),
           CLSOLVE_ERROR_INVALID_ARGUMENT, "nrhs is -1");
    EXPECT(clsolve_band_predict(any_context, 1, 1, 0, 0, 1, CLSOLVE_F32, NULL, &host), CLSOLVE_ERROR_INVALID_ARGUMENT,
           "two doubles");
}

/* Times grow with each size, and many right-hand sides count. */
TEST(test_predicted) {
    double device[4], host[4];
    BAND_EXPECT(any_context, clsolve_band_predict(any_context, 0, 0, 0, 0, 0, CLSOLVE_F32, &device[0], &host[0]),
                CLSOLVE_OK);
    BAND_EXPECT(any_context,
                clsolve_band_predict(any_context, 5000, 5000, 40, 40, 1, CLSOLVE_F32, &device[0], &host[0]),
                CLSOLVE_OK);
    BAND_EXPECT(any_context,
                clsolve_band_predict(any_context, 50000, 50000, 40, 40, 1, CLSOLVE_F32, &device[1], &host[1]),
                CLSOLVE_OK);
    BAND_EXPECT(any_context,
                clsolve_band_predict(any_context, 50000, 50000, 80, 40, 1, CLSOLVE_F32, &device[2], &host[2]),
                CLSOLVE_OK);
    BAND_EXPECT(any_context,
                clsolve_band_predict(any_context, 50000, 50000, 80, 40, 500, CLSOLVE_F32, &device[3], &host[3]),
                CLSOLVE_OK);
    for (int k = 0; k < 3; ++k) {
        assert_true(host[k] > 0 && device[k] > 0);
        assert_true(host[k] < host[k + 1] || isinf(host[k]));
        assert_true(device[k] < device[k + 1] || isinf(device[k]));
    }
    assert_true(isinf(host[0]) || host[3] > 5 * host[2]);
}

static int setup(void **state) {
    any_context = test_context(1);
    has_double = clsolve_context_device(any_context).fp64;
    return 0;
}

static int teardown(void **state) {
    clsolve_context_destroy(any_context);
    return 0;
}

TEST_PROGRAM(setup, teardown)
