/*
 * Batches in the caller's own OpenCL buffers: the members never cross to the host. Those without a solution, and what is
 * beside the members, stay as they were. batch_inverses.c has more of Gauss-Jordan.
 */
#include "band/interop_members.h"

static double *right_sides(void) {
    double *B = io_values(2, COUNT * N * NRHS);
    B[NONFINITE * N * NRHS] = (double)INFINITY;
    return B;
}

static void check_infos(const int64_t *info, int nonfinite) {
    for (int c = 0; c < COUNT; c++) assert_int_equal(info[c], c == SINGULAR ? 3 : c == NONFINITE && nonfinite ? -1 : 0);
}

static void check_solutions(clsolve_op op, const double *A, const double *B, const double *X, const int64_t *info) {
    for (int c = 0; c < COUNT; c++) {
        const double *b = B + c * N * NRHS, *x = X + c * N * NRHS;
        if (info[c] != 0)
            for (int k = 0; k < N * NRHS; k++) assert_true(x[k] == b[k]);
        else
            assert_true(ratio_solve(io.type, op, N, NRHS, A + c * N * N, x, b) < RATIO_BOUND);
    }
}

/* Only infos, and words of the library's own, have crossed. */
static void check_bytes(const clsolve_report *report) {
    assert_int_equal(report->bytes_up, 0);
    assert_true(report->bytes_down <= COUNT * 16);
    assert_int_equal(report->members, COUNT);
    assert_int_equal(report->nrhs, NRHS);
}

static void small_matrices(int how, clsolve_op op) {
    members a = put(how, N, N, matrices()), b = put(how, N, NRHS, right_sides());
    SCRATCH double *X = zeros(COUNT * N * N);
    clsolve_gauss_jordan_batch *batch = NULL;
    clsolve_report report;
    int64_t info[COUNT] = {0};

    EXPECT(clsolve_gauss_jordan_batch_create(io.context, N, COUNT, io.type, NULL, &batch), CLSOLVE_OK);
    EXPECT(clsolve_gauss_jordan_batch_solve(batch, op, &a.view, &b.view, info), CLSOLVE_OK);
    assert_int_equal(info[NONFINITE], -1);
    assert_true(info[SINGULAR] > 0);
    for (int c = 0; c < COUNT; c++) assert_true(info[c] == 0 || c == SINGULAR || c == NONFINITE);
    EXPECT(clsolve_gauss_jordan_batch_report(batch, &report), CLSOLVE_OK);
    check_bytes(&report);
    get(&b, X);
    check_solutions(op, a.tight, b.tight, X, info);

    EXPECT(clsolve_gauss_jordan_batch_invert(batch, &a.view, &a.view, info), CLSOLVE_OK);
    check_infos(info, 0);
    EXPECT(clsolve_gauss_jordan_batch_report(batch, &report), CLSOLVE_OK);
    assert_int_equal(report.bytes_up, 0);
    get(&a, X);
    for (int k = 0; k < N * N; k++) assert_true(X[SINGULAR * N * N + k] == a.tight[SINGULAR * N * N + k]);
    for (int k = 0; k < N * N; k++) { /* A_0 X_0 = I */
        double sum = 0;
        for (int l = 0; l < N; l++) sum += a.tight[k % N + l * N] * X[l + k / N * N];
        assert_true(fabs(sum - (k % (N + 1) == 0)) < 1e-4);
    }
    clsolve_gauss_jordan_batch_destroy(batch);
    drop(&a);
    drop(&b);
}

TEST(test_small_matrices) {
    for (int how = 0; how < HOWS; how++)
        for (int op = CLSOLVE_NO_TRANS; op <= CLSOLVE_TRANS; op++) small_matrices(how, (clsolve_op)op);
}

/* The bands of `A`, whose other elements become 0. */
static double *bands(double *A) {
    double *AB = zeros(COUNT * ROWS * N);
    for (int c = 0; c < COUNT; c++)
        for (int j = 0; j < N; j++)
            for (int i = 0; i < N; i++) {
                double *a = A + c * N * N + i + j * N;
                if (i - j > KL || j - i > KU)
                    *a = 0;
                else
                    AB[c * ROWS * N + KU + i - j + j * ROWS] = *a;
            }
    return AB;
}

/* gbtrf's form in the caller's buffer is what the host gets, and beyond the buffer nothing is written. */
static void check_factors(clsolve_band_batch *batch, int how) {
    const int64_t rows = ROWS + KL, size = rows * N;
    double *before = io_values(3, COUNT * size);
    SCRATCH double *there = zeros(COUNT * size), *here = zeros(COUNT * size);
    members f = put(how, rows, N, before);
    test_matrix host = test_matrix_make(io.type, CLSOLVE_COLUMN_MAJOR, rows, N * COUNT, 0);
    clsolve_batch view = clsolve_opencl_batch(io.type, COUNT, rows, N, NULL, 0), bad = f.view;
    view.data = host.memory;
    view.place = CLSOLVE_ON_HOST;
    EXPECT(clsolve_band_batch_factors(batch, &view, NULL), CLSOLVE_OK);
    EXPECT(clsolve_band_batch_factors(batch, &f.view, NULL), CLSOLVE_OK);
    bad.offset += 10000;
    EXPECT(clsolve_band_batch_factors(batch, &bad, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT);
    test_matrix_get(&host, here);
    get(&f, there);
    io_same(here, there, COUNT * size);
    test_matrix_free(&host);
    drop(&f);
}

static void narrow_bands(int how, clsolve_op op) {
    SCRATCH double *A = matrices(), *X = zeros(COUNT * N * NRHS);
    members ab = put(how, ROWS, N, bands(A)), b = put(how, N, NRHS, right_sides());
    clsolve_band_batch *batch = NULL;
    clsolve_report report;
    int64_t info[COUNT] = {0};

    EXPECT(clsolve_band_batch_create(io.context, N, KL, KU, COUNT, io.type, NULL, &batch), CLSOLVE_OK);
    EXPECT(clsolve_band_batch_factor(batch, &ab.view, info), CLSOLVE_OK);
    EXPECT(clsolve_band_batch_report(batch, &report), CLSOLVE_OK);
    assert_int_equal(report.bytes_up, 0);
    check_infos(info, 0);
    EXPECT(clsolve_band_batch_solve(batch, op, &b.view, info), CLSOLVE_OK);
    check_infos(info, 1);
    EXPECT(clsolve_band_batch_report(batch, &report), CLSOLVE_OK);
    check_bytes(&report);
    get(&b, X);
    check_solutions(op, A, b.tight, X, info);
    check_factors(batch, how);
    clsolve_band_batch_destroy(batch);
    drop(&ab);
    drop(&b);
}

TEST(test_narrow_bands) {
    for (int how = 0; how < HOWS; how++)
        for (int op = CLSOLVE_NO_TRANS; op <= CLSOLVE_TRANS; op++) narrow_bands(how, (clsolve_op)op);
}

/* Beyond the buffer, and on a context that does not know the buffer: nothing changes, and the factors stay. */
TEST(test_refusals) {
    members a = put(TIGHT, N, N, matrices()), b = put(TIGHT, N, NRHS, right_sides());
    SCRATCH double *X = zeros(COUNT * N * NRHS);
    clsolve_context *other = test_context(0);
    clsolve_gauss_jordan_batch *batch = NULL, *stranger = NULL;
    int64_t info[COUNT], far[COUNT] = {0};
    clsolve_batch view;

    for (int c = 0; c < COUNT; c++) info[c] = 99;
    EXPECT(clsolve_gauss_jordan_batch_create(io.context, N, COUNT, io.type, NULL, &batch), CLSOLVE_OK);
    assert_int_equal(clsolve_gauss_jordan_batch_create(other, N, COUNT, io.type, NULL, &stranger), CLSOLVE_OK);
#define SOLVE(A, B) clsolve_gauss_jordan_batch_solve(batch, CLSOLVE_NO_TRANS, A, B, info)
    view = b.view, view.offset += 64;
    EXPECT(SOLVE(&a.view, &view), CLSOLVE_ERROR_INVALID_ARGUMENT);
    view = b.view, view.offset = INT64_MAX;
    EXPECT(SOLVE(&a.view, &view), CLSOLVE_ERROR_INVALID_ARGUMENT);
    view = a.view, view.stride += 64;
    EXPECT(SOLVE(&view, &b.view), CLSOLVE_ERROR_INVALID_ARGUMENT);
    view = a.view, view.offsets = far, far[4] = COUNT * N * N;
    EXPECT(SOLVE(&view, &b.view), CLSOLVE_ERROR_INVALID_ARGUMENT);
    clsolve_status status = clsolve_gauss_jordan_batch_solve(stranger, CLSOLVE_NO_TRANS, &a.view, &b.view, info);
    assert_int_equal(status, CLSOLVE_ERROR_INVALID_ARGUMENT);
    for (int c = 0; c < COUNT; c++) assert_int_equal(info[c], 99);
    get(&b, X);
    for (int k = 0; k < COUNT * N * NRHS; k++) assert_true(X[k] == b.tight[k]);

    view = a.view, view.stride = 0; /* one matrix for all */
    EXPECT(SOLVE(&view, &b.view), CLSOLVE_OK);
    for (int c = 0; c < COUNT; c++) assert_int_equal(info[c], c == NONFINITE ? -1 : 0);
    clsolve_gauss_jordan_batch_destroy(batch);
    clsolve_gauss_jordan_batch_destroy(stranger);
    clsolve_context_destroy(other);
    drop(&a);
    drop(&b);
}

TEST_PROGRAM_OF("opencl", io_open, io_close)
