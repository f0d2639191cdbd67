/*
 * Each allocation and each driver call fails in its turn, in clsolve_band_factor_in_place and in the calls on factors of
 * the caller's: the status is the right one, what the call was to write is as it was, and nothing is left behind.
 */
#include <clsolve/clsolve.h>

#include "api/context.h"
#include "support/fault_run.h"
#include "support/test_support.h"

enum { MOST = 40, KL = 3, KU = 2, ROWS = 2 * KL + KU + 1, NRHS = 2 };

static int64_t rows, cols;
static clsolve_band_options options;
static float AB[ROWS * MOST], factors[ROWS * MOST], rhs[MOST * NRHS], answer[MOST * NRHS];
static int64_t pivots[MOST];

/* ---- in place ---- */

static fault_outcome factor(clsolve_context *context, const char **failed) {
    fault_outcome out = {CLSOLVE_OK, ""};
    float ab[ROWS * MOST];
    int64_t ipiv[MOST];
    clsolve_matrix view = clsolve_matrix_f32(ROWS, cols, ab);
    int64_t buffers = context->device->counters.buffers;

    memcpy(ab, AB, sizeof ab);
    for (int k = 0; k < MOST; ++k) ipiv[k] = -3;
    out.status = clsolve_band_factor_in_place(context, rows, cols, KL, KU, &view, ipiv, &options, NULL);
    *failed = faults_disarm();
    if (out.status != CLSOLVE_OK) {
        fault_failed(context, &out, memcmp(ab, AB, sizeof ab) == 0, fault_solved(ROWS * cols, factors, ab));
        for (int k = 0; k < MOST; ++k) assert_int_equal(ipiv[k], -3);
    } else {
        assert_true(fault_solved(ROWS * cols, factors, ab));
        for (int64_t k = 0; k < (rows < cols ? rows : cols); ++k) assert_int_equal(ipiv[k], pivots[k]);
    }
    assert_int_equal(context->device->counters.buffers, buffers);
    return out;
}

static fault_scenario scenario;

/* The diagonal leads, so that the pivots do not hang on roundings. One block column, which comes down at once. */
static void prepare(int64_t m, int64_t n, clsolve_panel panel, int64_t memory_limit, int32_t block, fault_use use) {
    test_random random = test_random_start(2);
    const char *failed = NULL;
    clsolve_context *context = test_context(1);
    clsolve_report report;

    rows = m, cols = n;
    options = (clsolve_band_options){
        .panel = panel, .where = CLSOLVE_WHERE_DEVICE, .block = block, .memory_limit = memory_limit};
    for (int k = 0; k < ROWS * MOST; ++k) AB[k] = (float)test_random_signed(&random) + (k % ROWS == KL + KU ? 6 : 0);
    for (int k = 0; k < MOST * NRHS; ++k) rhs[k] = (float)test_random_signed(&random);
    memcpy(factors, AB, sizeof factors);
    clsolve_matrix view = clsolve_matrix_f32(ROWS, cols, factors);
    assert_int_equal(clsolve_band_factor_in_place(context, m, n, KL, KU, &view, pivots, &options, &report), CLSOLVE_OK);
    assert_int_equal(report.slab_columns > 0, memory_limit > 0);
    clsolve_context_destroy(context);
    scenario = fault_with_context(NULL, NULL, use);
    faults_arm(FAULT_DEVICE, INT64_MAX);
    assert_int_equal(scenario(&failed).status, CLSOLVE_OK);
    assert_null(failed);
}

static void each_in_place(clsolve_panel panel) {
    static const int64_t shapes[][2] = {{MOST, MOST}, {MOST, 25}, {25, MOST}};
    for (int k = 0; k < 3; ++k) {
        prepare(shapes[k][0], shapes[k][1], panel, 0, MOST + 10, factor);
        fault_all(5, 10, scenario);
    }
}

TEST(in_place_native) {
    each_in_place(CLSOLVE_PANEL_NATIVE);
}

TEST(in_place_hybrid) {
    each_in_place(CLSOLVE_PANEL_HYBRID);
}

/* ---- factors of the caller's ---- */

static fault_outcome use_factors(clsolve_context *context, const char **failed) {
    fault_outcome out = {CLSOLVE_OK, ""};
    float x[MOST * NRHS];
    double rcond = -1;
    clsolve_matrix AFB = clsolve_matrix_f32(ROWS, MOST, factors), X = clsolve_matrix_f32(MOST, NRHS, x);
    OWNED(band) *band = NULL;

    memcpy(x, rhs, sizeof x);
    out.status = clsolve_band_create(context, MOST, KL, KU, CLSOLVE_F32, &options, &band);
    if (out.status == CLSOLVE_OK) out.status = clsolve_band_import(band, &AFB, pivots);
    if (out.status == CLSOLVE_OK) out.status = clsolve_band_condition(band, CLSOLVE_NORM_INF, 10, &rcond);
    if (out.status == CLSOLVE_OK) out.status = clsolve_band_solve(band, CLSOLVE_TRANS, &X);
    *failed = faults_disarm();
    if (out.status != CLSOLVE_OK) {
        fault_failed(context, &out, memcmp(x, rhs, sizeof x) == 0, fault_solved(MOST * NRHS, answer, x));
        if (band) {
            memcpy(x, rhs, sizeof x);
            assert_int_equal(clsolve_band_import(band, &AFB, pivots), CLSOLVE_OK);
            assert_int_equal(clsolve_band_solve(band, CLSOLVE_TRANS, &X), CLSOLVE_OK);
            assert_true(fault_solved(MOST * NRHS, answer, x));
        }
    } else {
        assert_true(rcond > 0);
        memcpy(answer, x, sizeof x);
    }
    return out;
}

static void each_of_factors(clsolve_panel panel, int64_t memory_limit, int32_t block) {
    prepare(MOST, MOST, panel, memory_limit, block, use_factors);
    fault_all(5, 10, scenario);
}

TEST(factors_native) {
    each_of_factors(CLSOLVE_PANEL_NATIVE, 0, 8);
}

TEST(factors_hybrid) {
    each_of_factors(CLSOLVE_PANEL_HYBRID, 0, 8);
}

/* The smallest memory limit that such a band is taken with. */
static int64_t limit(int32_t block) {
    OWNED(context) *context = test_context(1);
    clsolve_band_options wanted = {.panel = CLSOLVE_PANEL_NATIVE, .block = block};
    int64_t low = 1, high = (int64_t)1 << 24;
    while (high - low > 64) {
        OWNED(band) *band = NULL;
        wanted.memory_limit = (low + high) / 2;
        if (clsolve_band_create(context, MOST, KL, KU, CLSOLVE_F32, &wanted, &band) == CLSOLVE_OK)
            high = wanted.memory_limit;
        else
            low = wanted.memory_limit;
    }
    return high;
}

TEST(factors_window) {
    fault_stride = 9;
    each_of_factors(CLSOLVE_PANEL_NATIVE, limit(4), 4);
    fault_stride = 1;
}

TEST_PROGRAM(NULL, NULL)
