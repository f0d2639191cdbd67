/*
 * Each allocation and each driver call fails in its turn, in clsolve_lu_factor_in_place and in the calls on factors
 * of the caller's: the status is the right one, what the call was to write is as it was, and nothing is left behind.
 */
#include <clsolve/clsolve.h>

#include "api/context.h"
#include "blas/blas.h"
#include "support/fault_run.h"
#include "support/test_support.h"

enum { M = 30, N = 20, NRHS = 2 };

static int in_place; /* the device works in the host's memory */
static int64_t rows, cols;
static clsolve_layout layout;
static clsolve_lu_options options;
static float A[M * M], factors[M * M], rhs[M * NRHS];
static int64_t pivots[M];

static clsolve_matrix view(float *data, int64_t m, int64_t n) {
    clsolve_matrix v = clsolve_matrix_f32(m, n, data);
    v.layout = layout;
    v.ld = layout == CLSOLVE_COLUMN_MAJOR ? m : n;
    return v;
}

/* ---- in place ---- */

static fault_outcome factor(clsolve_context *context, const char **failed) {
    fault_outcome out = {CLSOLVE_OK, ""};
    float a[M * M];
    int64_t ipiv[M];
    clsolve_matrix view_of_a = view(a, rows, cols);
    int64_t buffers = context->device->counters.buffers;

    memcpy(a, A, sizeof a);
    for (int k = 0; k < M; ++k) ipiv[k] = -3;
    out.status = clsolve_lu_factor_in_place(context, &view_of_a, ipiv, &options, NULL);
    *failed = faults_disarm();
    if (out.status != CLSOLVE_OK) {
        fault_failed(context, &out, memcmp(a, A, sizeof a) == 0, fault_solved(M * M, factors, a));
        for (int k = 0; k < M; ++k) assert_int_equal(ipiv[k], -3);
    } else {
        assert_true(fault_solved(M * M, factors, a));
        for (int64_t k = 0; k < N; ++k) assert_int_equal(ipiv[k], pivots[k]);
    }
    assert_int_equal(context->device->counters.buffers, buffers);
    return out;
}

static fault_scenario scenario;

static void prepare(int64_t m, int64_t n, clsolve_layout wanted, clsolve_panel panel, fault_use use) {
    test_random random = test_random_start(2);
    const char *failed = NULL;
    clsolve_context *context = test_context(1);

    rows = m, cols = n, layout = wanted;
    options = (clsolve_lu_options){.panel = panel, .where = CLSOLVE_WHERE_DEVICE};
    options.precision = CLSOLVE_PRECISION_WORKING;
    for (int k = 0; k < M * M; ++k) A[k] = (float)test_random_signed(&random);
    for (int k = 0; k < M * NRHS; ++k) rhs[k] = (float)test_random_signed(&random);
    memcpy(factors, A, sizeof factors);
    clsolve_matrix a = view(factors, rows, cols);
    assert_int_equal(clsolve_lu_factor_in_place(context, &a, pivots, &options, NULL), CLSOLVE_OK);
    clsolve_context_destroy(context);
    scenario = fault_with_context(NULL, NULL, use);
    faults_arm(FAULT_DEVICE, INT64_MAX);
    assert_int_equal(scenario(&failed).status, CLSOLVE_OK);
    assert_null(failed);
}

static void each_in_place(clsolve_panel panel) {
    prepare(M, N, CLSOLVE_COLUMN_MAJOR, panel, factor);
    fault_all(5, 10, scenario);
    prepare(N, M, CLSOLVE_ROW_MAJOR, panel, factor);
    fault_all(5, 10, scenario);
    prepare(N, N, CLSOLVE_COLUMN_MAJOR, panel, factor);
    fault_each(FAULT_ALLOCATION, NULL, 5, scenario);
}

TEST(in_place_native) {
    each_in_place(CLSOLVE_PANEL_NATIVE);
}

TEST(in_place_hybrid) {
    if (!in_place) skip();
    each_in_place(CLSOLVE_PANEL_HYBRID);
}

/* ---- factors of the caller's ---- */

static float right_inverse[N * N]; /* of a run without a fault */

static fault_outcome use_factors(clsolve_context *context, const char **failed) {
    fault_outcome out = {CLSOLVE_OK, ""};
    float x[M * NRHS], inverse[N * N] = {0}, none[N * N] = {0};
    double bounds[NRHS] = {-1, -1}, rcond = -1;
    clsolve_matrix LU = view(factors, N, N), a = view(A, N, N), b = view(rhs, N, NRHS), X = view(x, N, NRHS);
    clsolve_matrix I = view(inverse, N, N);
    OWNED(lu) *lu = NULL;

    memcpy(x, rhs, sizeof x);
    out.status = clsolve_lu_create(context, N, CLSOLVE_F32, &options, &lu);
    if (out.status == CLSOLVE_OK) out.status = clsolve_lu_import(lu, &LU, pivots);
    if (out.status == CLSOLVE_OK) out.status = clsolve_lu_condition(lu, CLSOLVE_NORM_INF, 10, &rcond);
    if (out.status == CLSOLVE_OK) out.status = clsolve_lu_refine(lu, CLSOLVE_TRANS, &a, &b, &X, bounds, NULL);
    if (out.status == CLSOLVE_OK) out.status = clsolve_lu_inverse(lu, &I);
    *failed = faults_disarm();
    if (out.status != CLSOLVE_OK) {
        int intact = memcmp(inverse, none, sizeof none) == 0;
        int refined = bounds[0] >= 0; /* the call before the inverse was done */
        /* The device may fail after the inverse has come down. */
        fault_failed(context, &out, intact && (refined || memcmp(x, rhs, sizeof x) == 0),
                     fault_solved(N * N, right_inverse, inverse));
        if (lu) {
            assert_int_equal(clsolve_lu_import(lu, &LU, pivots), CLSOLVE_OK);
            assert_int_equal(clsolve_lu_inverse(lu, &I), CLSOLVE_OK);
        }
    } else {
        assert_true(rcond > 0 && bounds[1] >= 0);
        memcpy(right_inverse, inverse, sizeof inverse);
    }
    return out;
}

static void each_of_factors(clsolve_panel panel) {
    prepare(N, N, CLSOLVE_COLUMN_MAJOR, panel, use_factors);
    fault_all(5, 10, scenario);
}

TEST(factors_native) {
    each_of_factors(CLSOLVE_PANEL_NATIVE);
}

TEST(factors_hybrid) {
    if (!in_place) skip();
    each_of_factors(CLSOLVE_PANEL_HYBRID);
}

int main(void) {
    test_require_device();
    clsolve_context *context = test_context(1);
    in_place = cls_in_place(context->device);
    clsolve_context_destroy(context);
    return test_run(NULL, NULL);
}
