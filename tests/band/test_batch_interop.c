/*
 * Batches in the caller's own OpenCL buffers: the members never cross to the host. Those without a solution, and what is
 * beside the members, stay as they were.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lu/interop_support.h"

enum { COUNT = 9, N = 6, NRHS = 2, KL = 1, KU = 2, ROWS = KL + KU + 1, SINGULAR = 3, NONFINITE = 7 };
/* How members lie: one after the other, with gaps in each and between, or by offsets. */
enum { TIGHT, GAPS, STRIDE, OFFSETS, HOWS };

static double *zeros(int64_t count) {
    double *values = calloc((size_t)count, sizeof *values);
    assert_non_null(values);
    return values;
}

#define EXPECT(call, wanted)                                                                                           \
    do {                                                                                                               \
        clsolve_status got_ = (call);                                                                                  \
        if (got_ != (wanted)) fail_msg("%s: %s", #call, clsolve_context_message(io.context));                          \
    } while (0)

/* A matrix of all members beside each other: its gaps are those of the members. TIGHT has none. */
typedef struct members {
    clsolve_batch view;
    io_matrix memory;
    double *tight;  /* the members, column-major, one after the other */
    double *values; /* the matrix: what lies between the members too */
    int64_t apart;  /* columns from one member to the next */
    int64_t cols;   /* of the matrix */
    int64_t *offsets;
} members;

static int64_t place_of(const members *m, int64_t member) {
    return m->view.offsets ? (COUNT - 1 - member) * m->apart : member * m->apart;
}

static members put(int how, int64_t rows, int64_t cols, double *tight) {
    members m = {.tight = tight, .apart = cols + (how == STRIDE || how == OFFSETS)};
    m.cols = m.apart * COUNT;
    m.values = io_values(77, rows * m.cols);
    m.offsets = calloc(COUNT, sizeof *m.offsets);
    assert_non_null(m.offsets);
    m.view.offsets = how == OFFSETS ? m.offsets : NULL; /* place_of asks for it */
    for (int64_t c = 0; c < COUNT; c++)
        memcpy(m.values + place_of(&m, c) * rows, tight + c * rows * cols, (size_t)(rows * cols) * sizeof *tight);
    /* A column of all is a matrix without gaps. */
    m.memory = how == TIGHT || how == STRIDE ? io_put(CLSOLVE_COLUMN_MAJOR, rows * m.cols, 1, m.values)
                                             : io_put(CLSOLVE_COLUMN_MAJOR, rows, m.cols, m.values);
    m.view = clsolve_opencl_batch(io.type, COUNT, rows, cols, m.memory.memory, m.memory.view.offset);
    if (how == GAPS || how == OFFSETS) m.view.ld = m.memory.view.ld;
    m.view.stride = m.view.ld * m.apart;
    for (int64_t c = 0; c < COUNT; c++) m.offsets[c] = (COUNT - 1 - c) * m.view.stride;
    if (how == OFFSETS) m.view.offsets = m.offsets;
    return m;
}

/* The members that are there now; all else is as it was. */
static void get(members *m, double *tight) {
    int64_t rows = m->view.rows, size = rows * m->view.cols;
    double *now = zeros(rows * m->cols);
    io_get(&m->memory, NULL, now);
    for (int64_t c = 0; c < COUNT; c++) {
        double *at = now + place_of(m, c) * rows;
        memcpy(tight + c * size, at, (size_t)size * sizeof *at);
        memcpy(at, m->values + place_of(m, c) * rows, (size_t)size * sizeof *at);
    }
    io_same(now, m->values, rows * m->cols);
    free(now);
}

static void drop(members *m) {
    io_drop(&m->memory);
    free(m->values);
    free(m->tight);
    free(m->offsets);
}

/* Systems with large diagonals; SINGULAR has a zero column. */
static double *matrices(void) {
    double *A = io_values(1, COUNT * N * N);
    for (int64_t k = 0; k < COUNT * N * N; k++) {
        if (k % (N * N) % (N + 1) == 0) A[k] += 4;
        if (k / (N * N) == SINGULAR && k / N % N == 2) A[k] = 0;
    }
    return A;
}

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
    double *X = zeros(COUNT * N * N);
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
    free(X);
}

static void test_small_matrices(void **state) {
    (void)state;
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
    double *before = io_values(3, COUNT * size), *there = zeros(COUNT * size), *here = zeros(COUNT * size);
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
    free(there), free(here);
}

static void narrow_bands(int how, clsolve_op op) {
    double *A = matrices(), *X = zeros(COUNT * N * NRHS);
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
    free(A);
    free(X);
}

static void test_narrow_bands(void **state) {
    (void)state;
    for (int how = 0; how < HOWS; how++)
        for (int op = CLSOLVE_NO_TRANS; op <= CLSOLVE_TRANS; op++) narrow_bands(how, (clsolve_op)op);
}

/* Beyond the buffer, and on a context that does not know the buffer: nothing changes, and the factors stay. */
static void test_refusals(void **state) {
    members a = put(TIGHT, N, N, matrices()), b = put(TIGHT, N, NRHS, right_sides());
    double *X = zeros(COUNT * N * NRHS);
    clsolve_context *other = test_context(0);
    clsolve_gauss_jordan_batch *batch = NULL, *stranger = NULL;
    int64_t info[COUNT], far[COUNT] = {0};
    clsolve_batch view;
    (void)state;

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
    free(X);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_small_matrices), cmocka_unit_test(test_narrow_bands),
                                       cmocka_unit_test(test_refusals)};
    test_require_device();
    test_require_backend("opencl");
    return cmocka_run_group_tests(tests, io_open, io_close);
}
