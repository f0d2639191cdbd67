/*
 * Each allocation on the host and each call of the driver fails in its turn, from the first of creating a context to the
 * last of a solve: the status is the right one, the message says which call it was, B is as it was, the handle still
 * works once the fault is gone, and nothing is left behind, neither on the host nor in the driver.
 */
#include <clsolve/clsolve.h>

#include "api/context.h"
#include "support/fault_run.h"
#include "support/test_support.h"

/* A panel and a bit, so that it is quick in the shape of a GPU too, where CLBlast would compile again each time. */
enum { N = 40, KL = 3, KU = 2, ROWS = KL + KU + 1, NRHS = 3, LD = N + 2 };

static fault_scenario scenario;
static clsolve_layout layout;
static clsolve_band_options band_options;
static clsolve_type type = CLSOLVE_F32; /* or CLSOLVE_C32, whose elements are two numbers */
static float A[2 * LD * ROWS], B[2 * LD * NRHS], X[2 * LD * NRHS];

static clsolve_matrix view(float *data, int64_t rows, int64_t cols) {
    clsolve_matrix m = clsolve_matrix_f32(rows, cols, data);
    m.type = type;
    m.layout = layout;
    m.ld = layout == CLSOLVE_COLUMN_MAJOR ? rows : cols;
    return m;
}

static void fill(void) {
    test_random random = test_random_start(1);
    for (int i = 0; i < 2 * LD * ROWS; i++) A[i] = (float)test_random_signed(&random);
    /* The diagonal leads, so that the answer does not hang on roundings. */
    const int parts = type == CLSOLVE_C32 ? 2 : 1;
    for (int j = 0; j < N; j++) A[parts * (layout == CLSOLVE_COLUMN_MAJOR ? KU + j * ROWS : KU * N + j)] += 9;
    for (int i = 0; i < 2 * LD * NRHS; i++) B[i] = (float)test_random_signed(&random);
    memcpy(X, B, sizeof X);
}

/* An export without host memory leaves both arrays as they were. */
static void export_without_memory(clsolve_band *band) {
    enum { FACTOR_ROWS = 2 * KL + KU + 1 };
    float AFB[2 * FACTOR_ROWS * N];
    int64_t ipiv[N];
    clsolve_matrix afb = clsolve_matrix_f32(FACTOR_ROWS, N, AFB);
    afb.type = type;
    for (int k = 0; k < 2 * FACTOR_ROWS * N; ++k) AFB[k] = -77;
    for (int k = 0; k < N; ++k) ipiv[k] = -77;
    for (int call = 0; call < 2; ++call) {
        faults_arm(FAULT_ALLOCATION, call);
        clsolve_status status = clsolve_band_factors(band, &afb, ipiv);
        const char *taken = faults_disarm();
        assert_non_null(taken);
        assert_int_equal(status, CLSOLVE_ERROR_OUT_OF_MEMORY);
        for (int k = 0; k < 2 * FACTOR_ROWS * N; ++k) assert_true(AFB[k] == -77);
        for (int k = 0; k < N; ++k) assert_int_equal(ipiv[k], -77);
    }
    faults_arm(FAULT_ALLOCATION, INT64_MAX); /* forgets what failed */
    assert_int_equal(clsolve_band_factors(band, &afb, ipiv), CLSOLVE_OK);
    assert_null(faults_disarm());
}

static clsolve_status work(void *band, float *Y) {
    const clsolve_matrix a = view(A, ROWS, N);
    clsolve_matrix y = view(Y, N, NRHS);
    CLS_TRY(clsolve_band_factor(band, &a));
    return clsolve_band_solve(band, CLSOLVE_NO_TRANS, &y);
}

FAULT_HANDLE(it, band, clsolve_band_create(context, N, KL, KU, type, &band_options, &made), work, 2 * LD * NRHS, B, X);

static void start(clsolve_layout wanted, clsolve_panel panel) {
    clsolve_context *context = test_context(1);
    layout = wanted;
    band_options.panel = panel;
    fill();
    clsolve_matrix a = view(A, ROWS, N);
    clsolve_band *band = NULL;
    assert_int_equal(clsolve_band_create(context, N, KL, KU, type, &band_options, &band), CLSOLVE_OK);
    assert_int_equal(clsolve_band_factor(band, &a), CLSOLVE_OK);
    clsolve_report report;
    assert_int_equal(clsolve_band_report(band, &report), CLSOLVE_OK);
    assert_int_equal(report.slab_columns > 0, band_options.memory_limit > 0);
    /* A factorization takes no memory; what estimates the condition takes two vectors. */
    if (!band_options.rcond) faults_arm(FAULT_ALLOCATION, 0);
    clsolve_status status = clsolve_band_factor(band, &a);
    const char *taken = faults_disarm();
    assert_int_equal(status, CLSOLVE_OK);
    /* But slots for transfers, whose number depends on the time, and which a transfer can do without. */
    if (!context->device->staged) assert_null(taken);
    export_without_memory(band);
    clsolve_band_destroy(band);
    clsolve_context_destroy(context);
    scenario = fault_with_handle(NULL, NULL, &it);
}

static int all_are(const float *y, float value) {
    for (int i = 0; i < N; ++i)
        if (!(y[i] == value)) return 0;
    return 1;
}

/* Twice the identity, as a sparse matrix in a band that is zero for the most part. */
static fault_outcome use_csr(clsolve_context *context, const char **failed) {
    enum { WIDE = 12 };
    fault_outcome out = {CLSOLVE_OK, ""};
    const clsolve_band_options options = {.panel = CLSOLVE_PANEL_NATIVE, .where = CLSOLVE_WHERE_DEVICE};
    clsolve_band *band = NULL;
    int64_t start_[N + 1], column[N], place[N];
    float value[N], y[N];
    int64_t buffers = context->device->counters.buffers;
    for (int i = 0; i <= N; ++i) start_[i] = i;
    for (int i = 0; i < N; ++i) column[i] = i, place[i] = N - 1 - i, value[i] = 2, y[i] = 1;
    const clsolve_csr sparse = clsolve_csr_i64_f32(N, start_, column, value);
    clsolve_matrix b = clsolve_matrix_f32(N, 1, y);

    out.status = clsolve_band_create(context, N, WIDE, WIDE, CLSOLVE_F32, &options, &band);
    if (out.status == CLSOLVE_OK) out.status = clsolve_band_factor_csr(band, &sparse, place, place);
    if (out.status == CLSOLVE_OK) out.status = clsolve_band_solve(band, CLSOLVE_NO_TRANS, &b);
    *failed = faults_disarm();
    if (out.status != CLSOLVE_OK)
        fault_failed(context, &out, all_are(y, 1), all_are(y, 0.5f));
    else
        assert_true(all_are(y, 0.5f));
    clsolve_band_destroy(band);
    assert_int_equal(context->device->counters.buffers, buffers);
    return out;
}

TEST(sparse_matrices) {
    const char *failed = NULL;
    scenario = fault_with_context(NULL, NULL, use_csr);
    assert_int_equal(scenario(&failed).status, CLSOLVE_OK);
    fault_all(10, 30, scenario);
}

TEST(panels_on_the_device) {
    start(CLSOLVE_COLUMN_MAJOR, CLSOLVE_PANEL_NATIVE);
    fault_all(10, 50, scenario);
    start(CLSOLVE_ROW_MAJOR, CLSOLVE_PANEL_NATIVE);
    fault_each(FAULT_DEVICE, NULL, 50, scenario);
}

TEST(panels_on_the_host) {
    start(CLSOLVE_COLUMN_MAJOR, CLSOLVE_PANEL_HYBRID);
    fault_all(10, 20, scenario);
    start(CLSOLVE_ROW_MAJOR, CLSOLVE_PANEL_HYBRID);
    fault_each(FAULT_DEVICE, NULL, 20, scenario);
}

/* The smallest memory limit that such a band is taken with. */
static int64_t limit(void) {
    OWNED(context) *context = test_context(1);
    clsolve_band_options options = band_options;
    int64_t low = 1, high = (int64_t)1 << 24;
    while (high - low > 64) {
        OWNED(band) *band = NULL;
        options.memory_limit = (low + high) / 2;
        if (clsolve_band_create(context, N, KL, KU, CLSOLVE_F32, &options, &band) == CLSOLVE_OK)
            high = options.memory_limit;
        else
            low = options.memory_limit;
    }
    return high;
}

/* The window on a band that may not be on the device as a whole. */
TEST(windows) {
    band_options.block = 4;
    band_options.memory_limit = limit();
    start(CLSOLVE_COLUMN_MAJOR, CLSOLVE_PANEL_NATIVE);
    fault_each(FAULT_ALLOCATION, NULL, 10, scenario);
    fault_stride = 9;
    fault_each(FAULT_DEVICE, NULL, 50, scenario);
    start(CLSOLVE_ROW_MAJOR, CLSOLVE_PANEL_HYBRID);
    fault_each(FAULT_DEVICE, NULL, 50, scenario);
    fault_stride = 1;
    band_options = (clsolve_band_options){0};
}

/* The calls are those of real matrices, with other kernels: some of them suffice. */
TEST(complex_elements) {
    type = CLSOLVE_C32;
    fault_stride = 9;
    start(CLSOLVE_COLUMN_MAJOR, CLSOLVE_PANEL_NATIVE);
    fault_all(1, 2, scenario);
    fault_stride = 1;
    type = CLSOLVE_F32;
}

/* A copy of A, scalings and refinement. */
TEST(refined) {
    band_options.refine = band_options.equilibrate = band_options.rcond = 1;
    start(CLSOLVE_COLUMN_MAJOR, CLSOLVE_PANEL_AUTO);
    fault_each(FAULT_ALLOCATION, NULL, 10, scenario);
    band_options = (clsolve_band_options){0};
}

TEST_PROGRAM(NULL, NULL)
