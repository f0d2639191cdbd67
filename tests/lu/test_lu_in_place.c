/*
 * clsolve_lu_factor_in_place against LAPACK: dget01's ratio ||P A - L U||_1 / (n ||A||_1 eps) for matrices of any
 * shape, both types and layouts, ld beyond the lines; info and pivots of singular ones; NaN, Inf and tiny matrices;
 * refused calls.
 */
#include <clsolve/clsolve.h>

#include <float.h>
#include <lapacke.h>

#include "lu/ratios.h"
#include "support/fixture.h"

static int has_double;

static const int64_t shapes[][2] = {{0, 0},     {0, 5},     {5, 0},     {1, 1},     {1, 2},     {2, 1},     {1, 97},
                                    {97, 1},    {2, 3},     {3, 2},     {5, 3},     {15, 16},   {16, 15},   {17, 16},
                                    {16, 17},   {31, 33},   {33, 32},   {64, 63},   {65, 64},   {7, 131},   {131, 7},
                                    {127, 128}, {129, 128}, {128, 129}, {257, 61},  {61, 257},  {300, 300}, {509, 3},
                                    {3, 509},   {1031, 67}, {67, 1031}, {401, 211}, {211, 401}, {64, 64},   {129, 129}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static clsolve_lu_options options_of(clsolve_where where) {
    clsolve_lu_options options = test_lu_options();
    options.where = where;
    if (where == CLSOLVE_WHERE_HOST) options.panel = CLSOLVE_PANEL_AUTO;
    return options;
}

/* ---- one matrix ---- */

typedef struct outcome {
    clsolve_status status;
    clsolve_report report;
    double ratio;
    int64_t *ipiv;
    double *LU;
} outcome;

static void release(outcome *o) {
    free(o->ipiv);
    free(o->LU);
}

static outcome factor(clsolve_type type, clsolve_layout layout, int64_t m, int64_t n, const double *A,
                      const clsolve_lu_options *options) {
    const int64_t k = least(m, n);
    scratch_matrix a = test_matrix_make(type, layout, m, n, 3);
    outcome o = {.ipiv = calloc((size_t)k + 1, sizeof *o.ipiv), .LU = test_doubles(m * n)};

    assert_non_null(o.ipiv);
    o.ipiv[k] = -77;
    test_matrix_set(&a, A);
    o.status = clsolve_lu_factor_in_place(context, &a.view, o.ipiv, options, &o.report);
    test_matrix_get(&a, o.LU);
    test_matrix_spare_intact(&a);
    assert_int_equal(o.ipiv[k], -77);
    for (int64_t t = 0; o.status >= CLSOLVE_OK && t < k; ++t)
        if (o.ipiv[t] < t + 1 || o.ipiv[t] > m)
            fail_msg("pivot %d of %d x %d is %d", (int)t, (int)m, (int)n, (int)o.ipiv[t]);
    if (o.status >= CLSOLVE_OK) o.ratio = ratio_rectangle(type, m, n, A, o.LU, o.ipiv);
    return o;
}

static double *random_matrix(clsolve_type type, int64_t m, int64_t n, uint64_t use) {
    test_random random = test_random_start(use);
    double *A = test_doubles(m * n);
    test_random_fill(&random, A, m * n);
    for (int64_t k = 0; k < m * n; ++k) A[k] = test_rounded(type, A[k]);
    return A;
}

/* ---- accuracy ---- */

static void check_shape(clsolve_type type, clsolve_layout layout, int64_t m, int64_t n, clsolve_where where) {
    SCRATCH double *A = random_matrix(type, m, n, (uint64_t)(m * 4096 + n));
    clsolve_lu_options options = options_of(where);
    outcome o = factor(type, layout, m, n, A, &options);

    if (o.status != CLSOLVE_OK)
        fail_msg("%d x %d: %s: %s", (int)m, (int)n, clsolve_status_name(o.status), clsolve_context_message(context));
    if (!(o.ratio < RATIO_BOUND)) fail_msg("%d x %d, layout %d: ratio %g", (int)m, (int)n, (int)layout, o.ratio);
    if (where == CLSOLVE_WHERE_DEVICE) assert_string_equal(o.report.where, "device");
    if (where == CLSOLVE_WHERE_HOST) assert_string_equal(o.report.where, "host");
    assert_int_equal(o.report.info, 0);
    assert_int_equal(o.report.n, n);
    /* L's elements are at most 1: the pivots are those of partial pivoting. */
    for (int64_t j = 0; j < least(m, n); ++j)
        for (int64_t i = j + 1; i < m; ++i) assert_true(fabs(o.LU[i + j * m]) <= 1 + 1e-5);
    release(&o);
}

TEST(test_shapes) {
    for (size_t s = 0; s < SHAPES; ++s) {
        if (test_reduced() && s % 3 != 0) continue;
        for (int is_double = 0; is_double <= has_double; ++is_double) {
            clsolve_type type = is_double ? CLSOLVE_F64 : CLSOLVE_F32;
            clsolve_layout layout = (s + (size_t)is_double) % 2 ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR;
            check_shape(type, layout, shapes[s][0], shapes[s][1], CLSOLVE_WHERE_DEVICE);
            check_shape(type, CLSOLVE_COLUMN_MAJOR, shapes[s][0], shapes[s][1], CLSOLVE_WHERE_DEVICE);
            check_shape(type, layout, shapes[s][0], shapes[s][1], CLSOLVE_WHERE_HOST);
        }
    }
}

/* Several block columns and several buffers. */
TEST(test_slabs) {
    static const int64_t cases[][2] = {{150, 90}, {90, 150}, {301, 64}, {64, 301}};
    for (size_t s = 0; s < sizeof cases / sizeof *cases; ++s) {
        const int64_t m = cases[s][0], n = cases[s][1];
        SCRATCH double *A = random_matrix(CLSOLVE_F32, m, n, 77 + s);
        clsolve_lu_options options = options_of(CLSOLVE_WHERE_DEVICE);
        options.block = 32;
        options.slab_bytes = 40 * m * 4;
        outcome o = factor(CLSOLVE_F32, CLSOLVE_COLUMN_MAJOR, m, n, A, &options);
        assert_int_equal(o.status, CLSOLVE_OK);
        if (!(o.ratio < RATIO_BOUND)) fail_msg("%d x %d in slabs: ratio %g", (int)m, (int)n, o.ratio);
        release(&o);
    }
}

/* ---- singular, tiny, nonfinite ---- */

/* Columns that repeat an earlier one: pivots that are exactly zero in any arithmetic are those of zero columns. */
TEST(test_singular) {
    static const int64_t cases[][2] = {{40, 40}, {90, 33}, {33, 90}, {200, 70}};
    for (size_t s = 0; s < sizeof cases / sizeof *cases; ++s)
        for (int host = 0; host < 2; ++host) {
            const int64_t m = cases[s][0], n = cases[s][1], zero = 20;
            SCRATCH double *A = random_matrix(CLSOLVE_F32, m, n, 5 + s);
            clsolve_lu_options options = options_of(host ? CLSOLVE_WHERE_HOST : CLSOLVE_WHERE_DEVICE);
            memset(A + zero * m, 0, (size_t)m * sizeof *A);
            outcome o = factor(CLSOLVE_F32, CLSOLVE_COLUMN_MAJOR, m, n, A, &options);
            assert_int_equal(o.status, CLSOLVE_SINGULAR);
            assert_int_equal(o.report.info, zero + 1);
            assert_int_equal(o.report.status, CLSOLVE_SINGULAR);
            assert_true(o.ratio < RATIO_BOUND);
            release(&o);
        }
}

TEST(test_tiny) {
    static const int64_t cases[][2] = {{40, 40}, {70, 33}, {33, 70}};
    for (size_t s = 0; s < sizeof cases / sizeof *cases; ++s)
        for (int host = 0; host < 2; ++host) {
            const int64_t m = cases[s][0], n = cases[s][1];
            SCRATCH double *A = random_matrix(CLSOLVE_F32, m, n, 9 + s);
            clsolve_lu_options options = options_of(host ? CLSOLVE_WHERE_HOST : CLSOLVE_WHERE_DEVICE);
            outcome plain = factor(CLSOLVE_F32, CLSOLVE_COLUMN_MAJOR, m, n, A, &options);
            for (int64_t k = 0; k < m * n; ++k) A[k] = ldexp(A[k], -120);
            for (int64_t k = 0; k < m * n; ++k) A[k] = test_rounded(CLSOLVE_F32, A[k]);
            outcome o = factor(CLSOLVE_F32, CLSOLVE_ROW_MAJOR, m, n, A, &options);
            assert_int_equal(plain.status, CLSOLVE_OK);
            assert_int_equal(o.status, CLSOLVE_OK);
            for (int64_t k = 0; k < m * n; ++k) {
                int64_t i = k % m, j = k / m;
                assert_true(isfinite(o.LU[k]));
                if (i > j) assert_true(fabs(o.LU[k]) <= 1 + 1e-5);
            }
            /* L U is A to the spacing of the subnormal numbers around it. */
            double ratio = o.ratio * (double)FLT_EPSILON / 2 * ratio_norm(CLSOLVE_F64, m, n, A);
            assert_true(ratio < (double)m * ldexp(1, -140));
            release(&plain);
            release(&o);
        }
}

static void check_refused(double bad, int64_t m, int64_t n, clsolve_where where) {
    SCRATCH double *A = random_matrix(CLSOLVE_F32, m, n, 3);
    clsolve_lu_options options = options_of(where);

    A[m * (n / 2) + m / 3] = bad;
    scratch_matrix a = test_matrix_make(CLSOLVE_F32, CLSOLVE_COLUMN_MAJOR, m, n, 2);
    int64_t ipiv[64];
    SCRATCH double *after = test_doubles(m * n);
    for (int k = 0; k < 64; ++k) ipiv[k] = -5;
    test_matrix_set(&a, A);
    assert_int_equal(clsolve_lu_factor_in_place(context, &a.view, ipiv, &options, NULL), CLSOLVE_ERROR_NONFINITE);
    assert_non_null(strstr(clsolve_context_message(context), "A("));
    test_matrix_get(&a, after);
    assert_memory_equal(A, after, (size_t)(m * n) * sizeof *A);
    for (int k = 0; k < 64; ++k) assert_int_equal(ipiv[k], -5);
}

/* With nonfinite the call is LAPACK's. */
static void check_passes(double bad, int64_t m, int64_t n, clsolve_where where) {
    SCRATCH double *A = random_matrix(CLSOLVE_F32, m, n, 3);
    clsolve_lu_options options = options_of(where);
    lapack_int pivots[64];
    SCRATCH float *reference = test_room(m * n, sizeof *reference), *mine = test_room(m * n, sizeof *mine);
    int64_t ipiv[64];

    options.nonfinite = 1;
    A[m * (n / 2) + m / 3] = bad;
    for (int64_t k = 0; k < m * n; ++k) mine[k] = reference[k] = (float)A[k];
    lapack_int info =
        LAPACKE_sgetrf_work(LAPACK_COL_MAJOR, (lapack_int)m, (lapack_int)n, reference, (lapack_int)m, pivots);
    clsolve_matrix view = clsolve_matrix_f32(m, n, mine);
    clsolve_report report;
    clsolve_status status = clsolve_lu_factor_in_place(context, &view, ipiv, &options, &report);
    assert_int_equal(status, info > 0 ? CLSOLVE_SINGULAR : CLSOLVE_OK);
    assert_int_equal(report.info, info);
    assert_string_equal(report.where, "host");
    for (int64_t k = 0; k < m * n; ++k) {
        assert_int_equal(isfinite(mine[k]), isfinite(reference[k]));
        if (isfinite(mine[k])) assert_true(mine[k] == reference[k]);
    }
    for (int64_t k = 0; k < least(m, n); ++k) assert_int_equal(ipiv[k], pivots[k]);
}

TEST(test_nonfinite) {
    static const int64_t cases[][2] = {{20, 20}, {64, 30}, {30, 64}};
    for (size_t s = 0; s < sizeof cases / sizeof *cases; ++s)
        for (int host = 0; host < 2; ++host) {
            clsolve_where where = host ? CLSOLVE_WHERE_HOST : CLSOLVE_WHERE_DEVICE;
            check_refused((double)NAN, cases[s][0], cases[s][1], where);
            check_refused((double)-INFINITY, cases[s][0], cases[s][1], where);
            check_passes((double)NAN, cases[s][0], cases[s][1], where);
            check_passes((double)INFINITY, cases[s][0], cases[s][1], where);
        }
}

/* The second pivot's row grows beyond float. */
TEST(test_overflow) {
    for (int way = 0; way < 4; ++way)
        for (int64_t m = 2; m <= 3; ++m) {
            double A[6] = {0};
            clsolve_lu_options options = options_of(way & 1 ? CLSOLVE_WHERE_HOST : CLSOLVE_WHERE_DEVICE);
            options.nonfinite = way >> 1;
            A[0] = 1, A[1] = -1;
            A[m] = 3e38, A[m + 1] = 3e38;
            outcome o = factor(CLSOLVE_F32, CLSOLVE_COLUMN_MAJOR, m, 2, A, &options);
            assert_int_equal(o.status, options.nonfinite ? CLSOLVE_OK : CLSOLVE_OVERFLOW);
            assert_true(isinf(o.LU[m + 1]));
            release(&o);
        }
}

/* ---- refused ---- */

#define EXPECT(call, wanted, words) TEST_EXPECT(context, call, wanted, words)

TEST(test_refused) {
    float a[6] = {1, 2, 3, 4, 5, 7};
    int64_t ipiv[2] = {-1, -1};
    clsolve_matrix A = clsolve_matrix_f32(3, 2, a), bad = A;
    clsolve_lu_options options = {.reserved = {0}};

    assert_int_equal(clsolve_lu_factor_in_place(NULL, &A, ipiv, NULL, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT);
    EXPECT(clsolve_lu_factor_in_place(context, NULL, ipiv, NULL, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT, "A is NULL");
    EXPECT(clsolve_lu_factor_in_place(context, &A, NULL, NULL, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT, "ipiv");
    bad.ld = 2;
    EXPECT(clsolve_lu_factor_in_place(context, &bad, ipiv, NULL, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT, "ld of A");
    bad = A;
    bad.type = (clsolve_type)9;
    EXPECT(clsolve_lu_factor_in_place(context, &bad, ipiv, NULL, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT, "type of A");
    bad = A;
    bad.place = CLSOLVE_ON_DEVICE;
    EXPECT(clsolve_lu_factor_in_place(context, &bad, ipiv, NULL, NULL), CLSOLVE_ERROR_UNSUPPORTED, "on the device");
    options.nonfinite = 2;
    EXPECT(clsolve_lu_factor_in_place(context, &A, ipiv, &options, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT, "nonfinite");
    options = (clsolve_lu_options){.pivoting = CLSOLVE_PIVOTING_RBT};
    EXPECT(clsolve_lu_factor_in_place(context, &A, ipiv, &options, NULL), CLSOLVE_ERROR_UNSUPPORTED, "partial");
    options.pivoting = CLSOLVE_PIVOTING_TOURNAMENT;
    EXPECT(clsolve_lu_factor_in_place(context, &A, ipiv, &options, NULL), CLSOLVE_ERROR_UNSUPPORTED, "was removed");
    options = (clsolve_lu_options){.refine = 1};
    EXPECT(clsolve_lu_factor_in_place(context, &A, ipiv, &options, NULL), CLSOLVE_ERROR_UNSUPPORTED, "refine");
    options = (clsolve_lu_options){.reserved = {1}};
    EXPECT(clsolve_lu_factor_in_place(context, &A, ipiv, &options, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT, "reserved");
    options = (clsolve_lu_options){.where = CLSOLVE_WHERE_DEVICE, .memory_limit = 16};
    EXPECT(clsolve_lu_factor_in_place(context, &A, ipiv, &options, NULL), CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY, "bytes");
    for (int k = 0; k < 5; ++k) assert_true(a[k] == (float)(k + 1));
    assert_true(ipiv[0] == -1 && ipiv[1] == -1);
}

static int open_all(void **state) {
    (void)open_context(state);
    has_double = clsolve_context_device(context).fp64;
    return 0;
}

TEST_PROGRAM(open_all, close_context)
