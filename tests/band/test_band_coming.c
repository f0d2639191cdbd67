/*
 * test_band_coming.c: a band that goes up while it is factored: its answers, with pivots and without need of them, what is
 * refused, tiny ones, and every allocation and driver call failing once.
 */
#include <clsolve/band.h>

#include "api/band.h"
#include "device/staging.h"
#include "support/fault_run.h"
#include "support/fixture.h"

enum { N = 301, KL = 20, KU = 13, ROWS = KL + KU + 1 };

static double given[ROWS * N], sides[N], X[N];

/* a(i,j) at row KU + i - j; what is not of the matrix is NaN, for nobody may look at it. */
static void fill(uint64_t seed, double diagonal) {
    test_random random = test_random_start(seed);
    for (int j = 0; j < N; ++j)
        for (int r = 0; r < ROWS; ++r) {
            int i = j + r - KU;
            given[r + j * ROWS] =
                i < 0 || i >= N ? (double)NAN : (2 * test_random_unit(&random) - 1) + (i == j ? diagonal : 0);
        }
    for (int i = 0; i < N; ++i) sides[i] = (2 * test_random_unit(&random) - 1);
}

/* A handle that has a pool, and chunks of few columns. */
static clsolve_status open_handle(int chunk, clsolve_band **band) {
    clsolve_band_options options = {.panel = CLSOLVE_PANEL_NATIVE, .block = 16};
    CLS_TRY(clsolve_band_create(context, N, KL, KU, CLSOLVE_F64, &options, band));
    (*band)->band.pool = cls_device_pool(context->device);
    if ((*band)->band.chunk > chunk) (*band)->band.chunk = chunk;
    return CLSOLVE_OK;
}

static clsolve_status factor(clsolve_band *band) {
    clsolve_matrix AB = clsolve_matrix_f64(ROWS, N, given);
    return clsolve_band_factor(band, &AB);
}

static clsolve_status factor_and_solve(clsolve_band *band) {
    clsolve_matrix B = clsolve_matrix_f64(N, 1, X);
    memcpy(X, sides, sizeof X);
    CLS_TRY(factor(band));
    return clsolve_band_solve(band, CLSOLVE_NO_TRANS, &B);
}

/* max |b - A x| / (max row sum |A| max |x|) in units of n eps */
static double ratio(void) {
    double worst = 0, norm = 0, most = 0;
    for (int i = 0; i < N; ++i) {
        double sum = sides[i], row = 0;
        for (int j = i > KL ? i - KL : 0; j < N && j <= i + KU; ++j) {
            sum -= given[KU + i - j + j * ROWS] * X[j];
            row += fabs(given[KU + i - j + j * ROWS]);
        }
        worst = fmax(worst, fabs(sum)), norm = fmax(norm, row), most = fmax(most, fabs(X[i]));
    }
    return worst / (norm * most * N * 0x1p-53);
}

static int came(const clsolve_band *band) {
    const cls_band_source source = {0};
    return cls_band_can_come(&band->band, &source);
}

TEST(test_answers) {
    clsolve_band *band = NULL;
    clsolve_report report;
    for (int chunk = 1; chunk <= 64; chunk *= 4)
        for (int diagonal = 0; diagonal <= 9; diagonal += 9) {
            assert_int_equal(open_handle(chunk, &band), CLSOLVE_OK);
            assert_true(came(band));
            for (int round = 0; round < 3; ++round) {
                fill((uint64_t)(round + chunk), diagonal);
                assert_int_equal(factor_and_solve(band), CLSOLVE_OK);
                assert_true(ratio() < 30);
                assert_int_equal(clsolve_band_report(band, &report), CLSOLVE_OK);
                assert_int_equal(report.transfers_up, 2); /* A and B, however many pieces each has */
            }
            clsolve_band_destroy(band);
        }
}

TEST(test_refused) {
    clsolve_report report;
    OWNED(band) *band = NULL;
    assert_int_equal(open_handle(7, &band), CLSOLVE_OK);
    for (int j = 0; j < N; j += N - 1) {
        fill(3, 5);
        given[KU + j * ROWS] = (double)INFINITY;
        assert_int_equal(factor(band), CLSOLVE_ERROR_NONFINITE);
        char place[64];
        (void)snprintf(place, sizeof place, "(%d,%d)", j + 1, j + 1);
        assert_non_null(strstr(clsolve_context_message(context), place));
    }
    fill(3, 5);
    for (int r = 0; r < ROWS; ++r)
        if (!isnan(given[r + 200 * ROWS])) given[r + 200 * ROWS] = 0;
    assert_int_equal(factor(band), CLSOLVE_SINGULAR);
    assert_int_equal(clsolve_band_report(band, &report), CLSOLVE_OK);
    assert_int_equal(report.info, 201);
    fill(4, 5); /* and all is well again */
    assert_int_equal(factor_and_solve(band), CLSOLVE_OK);
    assert_true(ratio() < 30);
}

/* Numbers near the smallest are factored with care, after they have come a second time. */
TEST(test_tiny) {
    OWNED(band) *band = NULL;
    clsolve_report report;
    assert_int_equal(open_handle(7, &band), CLSOLVE_OK);
    fill(5, 5);
    assert_int_equal(factor_and_solve(band), CLSOLVE_OK);
    assert_int_equal(clsolve_band_report(band, &report), CLSOLVE_OK);
    int64_t once = report.bytes_up;
    for (int k = 0; k < ROWS * N; ++k) given[k] = ldexp(given[k], -1030);
    for (int i = 0; i < N; ++i) sides[i] = ldexp(sides[i], -1000);
    assert_int_equal(factor_and_solve(band), CLSOLVE_OK);
    assert_true(ratio() < 1e4); /* subnormal numbers have few digits: rounding's part grows with what they lack */
    assert_int_equal(clsolve_band_report(band, &report), CLSOLVE_OK);
    assert_true(report.bytes_up > once * 3 / 2);
}

static fault_outcome scenario(const char **failed) {
    fault_outcome out = {CLSOLVE_OK, ""};
    int64_t buffers = context->device->counters.buffers;
    clsolve_band *band = NULL;

    fill(6, 5);
    memcpy(X, sides, sizeof X);
    out.status = open_handle(9, &band);
    if (out.status == CLSOLVE_OK) out.status = factor_and_solve(band);
    *failed = faults_disarm();
    if (out.status != CLSOLVE_OK) {
        fault_failed(context, &out, memcmp(X, sides, sizeof X) == 0, ratio() < 30);
        if (band) assert_int_equal(factor_and_solve(band), CLSOLVE_OK);
    }
    if (band) assert_true(ratio() < 30);
    clsolve_band_destroy(band);
    cls_staging_destroy(context->device); /* which slots there are depends on the time */
    assert_int_equal(context->device->counters.buffers, buffers);
    return out;
}

TEST(test_faults) {
    const char *failed = NULL;
    faults_arm(FAULT_DEVICE, INT64_MAX);
    assert_int_equal(scenario(&failed).status, CLSOLVE_OK); /* warms the driver's own caches */
    fault_each(FAULT_ALLOCATION, NULL, 5, scenario);
    fault_each(FAULT_DEVICE, NULL, 10, scenario);
}

static int open_all(void **state) {
    (void)open_context(state);
    context->device->threads = 3;
    return 0;
}

static int has_double(void) {
    OWNED(context) *one = test_context(1);
    return clsolve_context_device(one).fp64;
}

int main(void) {
    test_require_device();
    if (!has_double()) return TEST_SKIPPED;
    return test_run(open_all, close_context);
}
