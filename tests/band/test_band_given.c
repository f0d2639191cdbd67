/*
 * Factors that LAPACK's gbtrf made, given to a handle: solves (dget02's ratio), the export, the condition number against
 * gbcon. Both types and layouts; panels and blocks of each kind, a window, and the host.
 */
#include "band/band_support.h"
#include "support/fixture.h"

#include <lapacke.h>

static int has_double;

/* n, kl, ku: none above or below, more diagonals than the matrix has, sizes around blocks, primes. */
static const int64_t shapes[][3] = {{0, 2, 1},    {1, 0, 0},   {1, 2, 3},    {2, 1, 1},   {3, 0, 2},    {5, 4, 4},
                                    {5, 7, 9},    {16, 3, 2},  {17, 0, 2},   {31, 2, 0},  {64, 31, 33}, {97, 31, 33},
                                    {128, 64, 3}, {113, 3, 2}, {129, 3, 70}, {65, 20, 9}, {200, 20, 9}, {130, 1, 1}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

typedef enum way { BY_DEFAULT, BY_ODD_BLOCKS, BY_BLOCKS, BY_WINDOW, ON_HOST, HOST_BLOCKS, WAYS } way;

typedef struct given {
    test_band A;
    double *AFB;
    int64_t rows, *ipiv;
} given;

static given make_given(clsolve_type type, int64_t n, int64_t kl, int64_t ku, uint64_t use) {
    test_random random = test_random_start(use);
    given g = {.A = test_band_regular(&random, type, n, kl, ku, kl > 4 * ku + 3 ? 3 : 0), .rows = 2 * kl + ku + 1};
    g.AFB = test_doubles(g.rows * n);
    g.ipiv = calloc((size_t)n + 1, sizeof *g.ipiv);
    assert_non_null(g.ipiv);
    if (n > 0) assert_int_equal(test_band_lapack(&g.A, g.ipiv, g.AFB), 0);
    return g;
}

static void free_given(given *g) {
    test_band_free(&g->A);
    free(g->AFB);
    free(g->ipiv);
}

static int is_inside(const given *g, int64_t r, int64_t j) {
    int64_t i = r - g->A.kl - g->A.ku + j;
    return i >= 0 && i < g->A.n;
}

/* What is outside of the matrix is NaN: nobody may read it. */
static test_matrix view_of(const given *g, clsolve_layout layout) {
    test_matrix m = test_matrix_make(g->A.type, layout, g->rows, g->A.n, 2);
    SCRATCH double *all = test_doubles(g->rows * g->A.n);
    for (int64_t j = 0; j < g->A.n; ++j)
        for (int64_t r = 0; r < g->rows; ++r)
            all[r + j * g->rows] = is_inside(g, r, j) ? g->AFB[r + j * g->rows] : (double)NAN;
    test_matrix_set(&m, all);
    return m;
}

static clsolve_band_options options_of(const given *g, way which) {
    clsolve_band_options options = test_band_options();
    options.precision = CLSOLVE_PRECISION_WORKING;
    options.where = which >= ON_HOST ? CLSOLVE_WHERE_HOST : CLSOLVE_WHERE_DEVICE;
    if (which >= ON_HOST) options.panel = CLSOLVE_PANEL_AUTO;
    if (which == BY_ODD_BLOCKS) options.block = 7;
    if (which == BY_BLOCKS) options.block = 16;
    if (which == BY_WINDOW) {
        options.block = 7;
        options.memory_limit = test_band_least_limit(context, g->A.type, g->A.n, g->A.kl, g->A.ku, &options);
    }
    return options;
}

static clsolve_band *make_handle(const given *g, way which) {
    clsolve_band_options options = options_of(g, which);
    clsolve_band *band = NULL;
    BAND_EXPECT(context, clsolve_band_create(context, g->A.n, g->A.kl, g->A.ku, g->A.type, &options, &band),
                CLSOLVE_OK);
    return band;
}

static clsolve_band *imported(const given *g, way which, clsolve_layout layout) {
    clsolve_band *band = make_handle(g, which);
    scratch_matrix m = view_of(g, layout);
    BAND_EXPECT(context, clsolve_band_import(band, &m.view, g->ipiv), CLSOLVE_OK);
    return band;
}

/* ---- solves and factors ---- */

/* What was imported comes back bit for bit, and nothing outside of the matrix is written. */
static void check_export(const given *g, clsolve_band *band, clsolve_layout layout) {
    const int64_t n = g->A.n;
    scratch_matrix m = test_matrix_make(g->A.type, layout, g->rows, n, 1);
    SCRATCH double *AFB = test_doubles(g->rows * n);
    SCRATCH int64_t *ipiv = test_room(n + 1, sizeof *ipiv);

    for (int64_t k = 0; k < g->rows * n; ++k) AFB[k] = 777;
    test_matrix_set(&m, AFB);
    BAND_EXPECT(context, clsolve_band_factors(band, &m.view, ipiv), CLSOLVE_OK);
    test_matrix_get(&m, AFB);
    test_matrix_spare_intact(&m);
    for (int64_t j = 0; j < n; ++j)
        for (int64_t r = 0; r < g->rows; ++r) {
            double wanted = is_inside(g, r, j) ? g->AFB[r + j * g->rows] : 777;
            int64_t above = g->A.kl + g->A.ku - r;
            if (above >= n || -above >= n) continue;
            if (AFB[r + j * g->rows] != wanted)
                fail_msg("n %d kl %d ku %d: AFB(%d,%d) is %g, not %g", (int)n, (int)g->A.kl, (int)g->A.ku, (int)r,
                         (int)j, AFB[r + j * g->rows], wanted);
        }
    assert_memory_equal(ipiv, g->ipiv, (size_t)n * sizeof *ipiv);
}

/* The determinant is that of A; of the growth nothing is known. */
static void check_report(const given *g, const clsolve_band *band, way which) {
    clsolve_report report;
    double log_det = 0;
    int sign = 1;

    for (int64_t j = 0; j < g->A.n; ++j) {
        double u = g->AFB[g->A.kl + g->A.ku + j * g->rows];
        log_det += log(fabs(u));
        sign *= (u > 0 ? 1 : -1) * (g->ipiv[j] == j + 1 ? 1 : -1);
    }
    assert_int_equal(clsolve_band_report(band, &report), CLSOLVE_OK);
    assert_true(fabs(report.direct.log_abs_det - log_det) < 1e-9 * (1 + fabs(log_det)));
    assert_int_equal(report.direct.det_sign, sign);
    assert_true(report.direct.growth == 0 && report.direct.rcond == -1 && report.info == 0);
    assert_string_equal(report.where, which >= ON_HOST ? "host" : "device");
    if (which == BY_WINDOW && g->A.n >= 200 && g->A.kl < 30) assert_true(report.slab_columns > 0);
}

static double norm_of(const test_band *A, int inf) {
    return test_band_norm(A, inf ? CLSOLVE_TRANS : CLSOLVE_NO_TRANS);
}

static double rcond_by_lapack(const given *g, char which, double norm) {
    lapack_int n = (lapack_int)g->A.n, kl = (lapack_int)g->A.kl, ku = (lapack_int)g->A.ku, ld = (lapack_int)g->rows;
    SCRATCH lapack_int *pivots = test_room(n + 1, sizeof *pivots);
    double rcond = -1;
    for (int64_t k = 0; k < n; ++k) pivots[k] = (lapack_int)g->ipiv[k];
    if (g->A.type == CLSOLVE_F64) {
        assert_int_equal(LAPACKE_dgbcon(LAPACK_COL_MAJOR, which, n, kl, ku, g->AFB, ld, pivots, norm, &rcond), 0);
    } else {
        float *single = test_room((g->rows * n) + 1, sizeof *single), found = -1;
        for (int64_t k = 0; k < g->rows * n; ++k) single[k] = (float)g->AFB[k];
        assert_int_equal(LAPACKE_sgbcon(LAPACK_COL_MAJOR, which, n, kl, ku, single, ld, pivots, (float)norm, &found),
                         0);
        rcond = (double)found;
        free(single);
    }
    return rcond;
}

/* The same estimate from the same vectors: rounding alone sets the two apart. */
static void check_condition(const given *g, clsolve_band *band) {
    for (int inf = 0; inf < 2; ++inf) {
        double norm = norm_of(&g->A, inf), wanted = g->A.n > 0 ? rcond_by_lapack(g, inf ? 'I' : '1', norm) : 1,
               rcond = -1;
        BAND_EXPECT(context, clsolve_band_condition(band, inf ? CLSOLVE_NORM_INF : CLSOLVE_NORM_ONE, norm, &rcond),
                    CLSOLVE_OK);
        if (!(rcond <= 3 * wanted && 3 * rcond >= wanted))
            fail_msg("n %d kl %d ku %d, norm %d: rcond %g, LAPACK's %g", (int)g->A.n, (int)g->A.kl, (int)g->A.ku, inf,
                     rcond, wanted);
    }
}

static void check_all(const given *g, way which, clsolve_layout layout) {
    OWNED(band) *band = imported(g, which, layout);
    for (int op = 0; op < 2 && g->A.n > 0; ++op)
        for (int64_t cols = 1; cols <= 3; cols += 2)
            test_band_check_solve(context, band, &g->A, (clsolve_op)op, layout, cols);
    check_export(g, band, layout);
    if (g->A.n > 0) check_report(g, band, which);
    check_condition(g, band);
}

TEST(test_import) {
    for (int64_t k = 0; k < SHAPES; ++k)
        for (int is_double = 0; is_double <= has_double; ++is_double) {
            if (test_reduced() && (k % 2 || (has_double && (k / 2 + is_double) % 2))) continue;
            given g = make_given(is_double ? CLSOLVE_F64 : CLSOLVE_F32, shapes[k][0], shapes[k][1], shapes[k][2],
                                 (uint64_t)(100 + k));
            for (int which = 0; which < WAYS; ++which)
                check_all(&g, (way)which, (k + is_double + which) % 2 ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR);
            free_given(&g);
        }
}

/* Without swaps: U has fewer diagonals than it has room for. */
static given make_leading(int64_t n, int64_t kl, int64_t ku) {
    test_random random = test_random_start(10);
    return (given){.A = test_band_random(&random, CLSOLVE_F32, n, kl, ku, 20), .rows = 2 * kl + ku + 1};
}

/* A handle that has imported factors a matrix of its own, and imports again. */
TEST(test_again) {
    for (int which = 0; which < WAYS; ++which) {
        given g = make_given(CLSOLVE_F32, 90, 20, 9, 9), other = make_leading(90, 20, 9);
        clsolve_band *band = imported(&g, (way)which, CLSOLVE_COLUMN_MAJOR);
        test_matrix ab = test_band_view(&other.A, CLSOLVE_BAND_PLAIN, CLSOLVE_COLUMN_MAJOR, 0, (double)NAN);
        test_matrix m = view_of(&g, CLSOLVE_COLUMN_MAJOR);
        clsolve_report report;
        BAND_EXPECT(context, clsolve_band_factor(band, &ab.view), CLSOLVE_OK);
        test_band_check_solve(context, band, &other.A, CLSOLVE_TRANS, CLSOLVE_COLUMN_MAJOR, 2);
        test_band_check_factors(context, band, &other.A);
        assert_int_equal(clsolve_band_report(band, &report), CLSOLVE_OK);
        assert_true(report.direct.growth > 0);
        BAND_EXPECT(context, clsolve_band_import(band, &m.view, g.ipiv), CLSOLVE_OK);
        test_band_check_solve(context, band, &g.A, CLSOLVE_NO_TRANS, CLSOLVE_ROW_MAJOR, 2);
        check_export(&g, band, CLSOLVE_ROW_MAJOR);
        test_matrix_free(&ab);
        test_matrix_free(&m);
        clsolve_band_destroy(band);
        free_given(&g);
        free_given(&other);
    }
}

/* After a factorization of the handle's own: the condition number that the option rcond gives. */
TEST(test_condition_of_own) {
    for (int copies = 0; copies < 2; ++copies) {
        given g = make_given(CLSOLVE_F32, 120, 4, 4, 77);
        clsolve_band_options options = test_band_options();
        clsolve_band *band = NULL;
        clsolve_report report;
        double rcond = -1;
        test_matrix ab = test_band_view(&g.A, CLSOLVE_BAND_GBTRF, CLSOLVE_COLUMN_MAJOR, 0, (double)NAN);
        options.form = CLSOLVE_BAND_GBTRF;
        options.rcond = 1;
        options.refine = copies;
        BAND_EXPECT(context, clsolve_band_create(context, 120, 4, 4, CLSOLVE_F32, &options, &band), CLSOLVE_OK);
        BAND_EXPECT(context, clsolve_band_factor(band, &ab.view), CLSOLVE_OK);
        assert_int_equal(clsolve_band_report(band, &report), CLSOLVE_OK);
        BAND_EXPECT(context, clsolve_band_condition(band, CLSOLVE_NORM_ONE, norm_of(&g.A, 0), &rcond), CLSOLVE_OK);
        assert_true(fabs(rcond - report.direct.rcond) < 1e-3 * rcond);
        clsolve_band_destroy(band);
        test_matrix_free(&ab);
        free_given(&g);
    }
}

/* ---- singular, nonfinite, refused ---- */

#define EXPECT(call, wanted, words) TEST_EXPECT(context, call, wanted, words)

TEST(test_singular) {
    for (int which = 0; which < WAYS; ++which) {
        given g = make_given(CLSOLVE_F32, 60, 4, 4, 5);
        clsolve_band *band = make_handle(&g, (way)which);
        clsolve_report report;
        double b[60] = {1}, rcond = -1;
        test_matrix B = test_matrix_make(CLSOLVE_F32, CLSOLVE_COLUMN_MAJOR, 60, 1, 0);
        g.AFB[8 + 33 * g.rows] = g.AFB[8 + 50 * g.rows] = 0;
        test_matrix m = view_of(&g, CLSOLVE_COLUMN_MAJOR);
        test_matrix_set(&B, b);
        EXPECT(clsolve_band_import(band, &m.view, g.ipiv), CLSOLVE_SINGULAR, "U(34,34)");
        assert_int_equal(clsolve_band_report(band, &report), CLSOLVE_OK);
        assert_true(report.info == 34 && report.direct.det_sign == 0);
        EXPECT(clsolve_band_solve(band, CLSOLVE_NO_TRANS, &B.view), CLSOLVE_SINGULAR, "U(34,34)");
        BAND_EXPECT(context, clsolve_band_condition(band, CLSOLVE_NORM_ONE, 3, &rcond), CLSOLVE_OK);
        assert_true(rcond == 0);
        check_export(&g, band, CLSOLVE_COLUMN_MAJOR);
        test_matrix_free(&m);
        test_matrix_free(&B);
        clsolve_band_destroy(band);
        free_given(&g);
    }
}

TEST(test_nonfinite) {
    static const int64_t places[][2] = {{8, 0}, {0, 20}, {11, 20}, {5, 59}}; /* diagonal, fill-in, L, U */
    for (int which = 0; which < WAYS; ++which)
        for (int k = 0; k < 4; ++k) {
            given g = make_given(CLSOLVE_F32, 60, 4, 4, 6);
            clsolve_band *band = imported(&g, (way)which, CLSOLVE_COLUMN_MAJOR);
            char words[40];
            g.AFB[places[k][0] + places[k][1] * g.rows] = k % 2 ? (double)INFINITY : (double)NAN;
            test_matrix m = view_of(&g, CLSOLVE_ROW_MAJOR);
            (void)snprintf(words, sizeof words, "AFB(%d,%d)", (int)places[k][0] + 1, (int)places[k][1] + 1);
            EXPECT(clsolve_band_import(band, &m.view, g.ipiv), CLSOLVE_ERROR_NONFINITE, words);
            EXPECT(clsolve_band_factors(band, NULL, g.ipiv), CLSOLVE_ERROR_STATE, "no factors");
            test_matrix_free(&m);
            clsolve_band_destroy(band);
            free_given(&g);
        }
}

TEST(test_refused) {
    given g = make_given(CLSOLVE_F32, 20, 3, 2, 8);
    clsolve_band *band = imported(&g, BY_DEFAULT, CLSOLVE_COLUMN_MAJOR), *copies = NULL;
    test_matrix m = view_of(&g, CLSOLVE_COLUMN_MAJOR);
    clsolve_matrix bad = m.view;
    int64_t wrong[20];
    double rcond = 5;
    clsolve_band_options options = {.refine = 1};

    assert_int_equal(clsolve_band_import(NULL, &m.view, g.ipiv), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_band_condition(NULL, CLSOLVE_NORM_ONE, 1, &rcond), CLSOLVE_ERROR_INVALID_ARGUMENT);
    memcpy(wrong, g.ipiv, sizeof wrong);
    wrong[4] = 9; /* kl = 3: row 5 .. 8 */
    EXPECT(clsolve_band_import(band, &m.view, wrong), CLSOLVE_ERROR_INVALID_ARGUMENT, "ipiv[4] is 9");
    wrong[4] = 4;
    EXPECT(clsolve_band_import(band, &m.view, wrong), CLSOLVE_ERROR_INVALID_ARGUMENT, "this one is 5 .. 8");
    wrong[4] = 5, wrong[19] = 21;
    EXPECT(clsolve_band_import(band, &m.view, wrong), CLSOLVE_ERROR_INVALID_ARGUMENT, "20 .. 20");
    EXPECT(clsolve_band_import(band, &m.view, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT, "ipiv is NULL");
    EXPECT(clsolve_band_import(band, NULL, g.ipiv), CLSOLVE_ERROR_INVALID_ARGUMENT, "AFB is NULL");
    bad.rows = 6; /* the plain form */
    EXPECT(clsolve_band_import(band, &bad, g.ipiv), CLSOLVE_ERROR_INVALID_ARGUMENT, "AFB has 6 rows");
    bad = m.view;
    bad.place = CLSOLVE_ON_DEVICE;
    assert_true(clsolve_band_import(band, &bad, g.ipiv) < 0);
    EXPECT(clsolve_band_condition(band, (clsolve_norm)2, 1, &rcond), CLSOLVE_ERROR_INVALID_ARGUMENT, "norm is 2");
    EXPECT(clsolve_band_condition(band, CLSOLVE_NORM_INF, (double)INFINITY, &rcond), CLSOLVE_ERROR_INVALID_ARGUMENT,
           "norm_A");
    EXPECT(clsolve_band_condition(band, CLSOLVE_NORM_ONE, 1, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT, "rcond");
    /* A refused call leaves the factors. */
    test_band_check_solve(context, band, &g.A, CLSOLVE_NO_TRANS, CLSOLVE_COLUMN_MAJOR, 1);
    clsolve_band_destroy(band);
    BAND_EXPECT(context, clsolve_band_create(context, 20, 3, 2, CLSOLVE_F32, &options, &copies), CLSOLVE_OK);
    EXPECT(clsolve_band_import(copies, &m.view, g.ipiv), CLSOLVE_ERROR_UNSUPPORTED, "copy of A");
    options = (clsolve_band_options){.nonfinite = 1};
    EXPECT(clsolve_band_create(context, 20, 3, 2, CLSOLVE_F32, &options, &band), CLSOLVE_ERROR_UNSUPPORTED,
           "clsolve_band_factor_in_place");
    EXPECT(clsolve_band_condition(copies, CLSOLVE_NORM_ONE, 1, &rcond), CLSOLVE_ERROR_STATE, "clsolve_band_factor");
    assert_true(rcond == 5);
    clsolve_band_destroy(copies);
    test_matrix_free(&m);
    free_given(&g);
}

static int open_all(void **state) {
    (void)open_context(state);
    has_double = clsolve_context_device(context).fp64;
    return 0;
}

TEST_PROGRAM(open_all, close_context)
