/* What a Cholesky handle promises beside accuracy: statuses, messages, unchanged arguments, transfers, memory. */
#include <clsolve/clsolve.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/context.h"
#include "blas/blas.h"
#include "cholesky/cholesky_support.h"

static clsolve_context *context;
static int reduced;
static clsolve_type type; /* double where the device has it */

#define EXPECT(call, wanted, words)                                                                                    \
    do {                                                                                                               \
        clsolve_status got_ = (call);                                                                                  \
        if (got_ != (wanted) || !strstr(clsolve_context_message(context), words))                                      \
            fail_msg("%s gave %s: %s", #call, clsolve_status_name(got_), clsolve_context_message(context));            \
    } while (0)

static clsolve_cholesky *make(int64_t n, const clsolve_cholesky_options *options) {
    clsolve_cholesky_options mine = options ? *options : (clsolve_cholesky_options){0};
    clsolve_cholesky *cholesky = NULL;
    mine.panel = test_cholesky_options().panel;
    if (clsolve_cholesky_create(context, n, type, &mine, &cholesky) != CLSOLVE_OK)
        fail_msg("create: %s", clsolve_context_message(context));
    return cholesky;
}

/* A triangle of 4 on the diagonal and 1 beside it, NaN in the other. Element (i, j) of the triangle becomes `value`. */
static test_matrix tridiagonal(int64_t n, clsolve_layout layout, clsolve_uplo uplo, int64_t i, int64_t j,
                               double value) {
    double *A = calloc((size_t)(n * n) + 1, sizeof *A);
    test_matrix a = test_matrix_make(type, layout, n, n, 1);
    assert_non_null(A);
    for (int64_t k = 0; k < n; ++k) {
        A[k * (n + 1)] = 4;
        if (k + 1 < n) A[k * (n + 1) + 1] = A[(k + 1) * (n + 1) - 1] = 1;
    }
    if (i >= 0) A[i + j * n] = value;
    triangle_set(&a, uplo, A);
    free(A);
    return a;
}

static test_matrix ones(int64_t n, int64_t nrhs) {
    double *B = malloc((size_t)(n * nrhs + 1) * sizeof *B);
    test_matrix b = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, n, nrhs, 0);
    assert_non_null(B);
    for (int64_t k = 0; k < n * nrhs; ++k) B[k] = 1;
    test_matrix_set(&b, B);
    free(B);
    return b;
}

static void all_ones(const test_matrix *b) {
    const int64_t count = b->view.rows * b->view.cols;
    double *B = malloc((size_t)(count + 1) * sizeof *B);
    assert_non_null(B);
    test_matrix_get(b, B);
    for (int64_t k = 0; k < count; ++k) assert_true(B[k] == 1);
    free(B);
}

static void test_arguments(void **state) {
    test_matrix a = tridiagonal(4, CLSOLVE_COLUMN_MAJOR, CLSOLVE_LOWER, -1, -1, 0), b = ones(4, 2);
    clsolve_cholesky *cholesky = make(4, NULL), *none = (clsolve_cholesky *)&a;
    clsolve_cholesky_options options = {.block = -1};
    clsolve_report report;
    double rcond;
    clsolve_matrix bad;

    assert_int_equal(clsolve_cholesky_create(NULL, 4, type, NULL, &none), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_null(none);
    EXPECT(clsolve_cholesky_create(context, 4, type, NULL, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT, "NULL");
    EXPECT(clsolve_cholesky_create(context, -1, type, NULL, &none), CLSOLVE_ERROR_INVALID_ARGUMENT, "-1");
    EXPECT(clsolve_cholesky_create(context, 4, (clsolve_type)9, NULL, &none), CLSOLVE_ERROR_INVALID_ARGUMENT,
           "type is 9");
    EXPECT(clsolve_cholesky_create(context, 4, type, &options, &none), CLSOLVE_ERROR_INVALID_ARGUMENT, "block");
    options = (clsolve_cholesky_options){.panel = (clsolve_panel)9};
    EXPECT(clsolve_cholesky_create(context, 4, type, &options, &none), CLSOLVE_ERROR_INVALID_ARGUMENT, "panel is 9");
    options = (clsolve_cholesky_options){.reserved = {1}};
    EXPECT(clsolve_cholesky_create(context, 4, type, &options, &none), CLSOLVE_ERROR_INVALID_ARGUMENT, "reserved[0]");
    options = (clsolve_cholesky_options){.rcond = -1};
    EXPECT(clsolve_cholesky_create(context, 4, type, &options, &none), CLSOLVE_ERROR_INVALID_ARGUMENT, "rcond is -1");
    options = (clsolve_cholesky_options){.equilibrate = 2};
    EXPECT(clsolve_cholesky_create(context, 4, type, &options, &none), CLSOLVE_ERROR_INVALID_ARGUMENT,
           "equilibrate is 2: give 0 or 1");
    options = (clsolve_cholesky_options){.refine = 3};
    EXPECT(clsolve_cholesky_create(context, 4, type, &options, &none), CLSOLVE_ERROR_INVALID_ARGUMENT, "refine is 3");
    assert_null(none);

    EXPECT(clsolve_cholesky_solve(cholesky, &b.view), CLSOLVE_ERROR_STATE, "clsolve_cholesky_factor");
    EXPECT(clsolve_cholesky_factors(cholesky, CLSOLVE_LOWER, &a.view), CLSOLVE_ERROR_STATE, "clsolve_cholesky_factor");
    EXPECT(clsolve_cholesky_inverse(cholesky, CLSOLVE_LOWER, &a.view), CLSOLVE_ERROR_STATE, "clsolve_cholesky_factor");
    EXPECT(clsolve_cholesky_condition(cholesky, 1, &rcond), CLSOLVE_ERROR_STATE, "clsolve_cholesky_factor");
    EXPECT(clsolve_cholesky_factor(cholesky, CLSOLVE_LOWER, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT, "A is NULL");
    EXPECT(clsolve_cholesky_factor(cholesky, (clsolve_uplo)7, &a.view), CLSOLVE_ERROR_INVALID_ARGUMENT, "uplo is 7");
    assert_int_equal(clsolve_cholesky_factor(NULL, CLSOLVE_LOWER, &a.view), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_cholesky_solve(NULL, &b.view), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_cholesky_factors(NULL, CLSOLVE_LOWER, &a.view), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_cholesky_import(NULL, CLSOLVE_LOWER, &a.view), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_cholesky_inverse(NULL, CLSOLVE_LOWER, &a.view), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_cholesky_condition(NULL, 1, &rcond), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_cholesky_report(NULL, &report), CLSOLVE_ERROR_INVALID_ARGUMENT);
    EXPECT(clsolve_cholesky_report(cholesky, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT, "report");
    bad = a.view, bad.rows = 3;
    EXPECT(clsolve_cholesky_factor(cholesky, CLSOLVE_LOWER, &bad), CLSOLVE_ERROR_INVALID_ARGUMENT, "3 rows where 4");
    bad = a.view, bad.ld = 3;
    EXPECT(clsolve_cholesky_factor(cholesky, CLSOLVE_LOWER, &bad), CLSOLVE_ERROR_INVALID_ARGUMENT, "ld");
    bad = a.view, bad.place = CLSOLVE_ON_DEVICE; /* host memory, and no context of our own */
    EXPECT(clsolve_cholesky_factor(cholesky, CLSOLVE_LOWER, &bad), CLSOLVE_ERROR_INVALID_ARGUMENT,
           "clsolve_context_create_");

    assert_int_equal(clsolve_cholesky_factor(cholesky, CLSOLVE_LOWER, &a.view), CLSOLVE_OK);
    bad = b.view, bad.rows = 5, bad.ld = 5;
    EXPECT(clsolve_cholesky_solve(cholesky, &bad), CLSOLVE_ERROR_INVALID_ARGUMENT, "5 rows where 4");
    EXPECT(clsolve_cholesky_condition(cholesky, -1, &rcond), CLSOLVE_ERROR_INVALID_ARGUMENT, "norm_A");
    EXPECT(clsolve_cholesky_factors(cholesky, (clsolve_uplo)2, &a.view), CLSOLVE_ERROR_INVALID_ARGUMENT, "uplo is 2");
    all_ones(&b);
    bad = b.view, bad.cols = 0, bad.data = NULL;
    assert_int_equal(clsolve_cholesky_solve(cholesky, &bad), CLSOLVE_OK);
    clsolve_cholesky_destroy(cholesky);
    clsolve_cholesky_destroy(NULL);
    test_matrix_free(&a);
    test_matrix_free(&b);
}

/* The first minor that is not positive, wherever it is; B stays, and the handle goes on. */
static void test_not_positive_definite(void **state) {
    enum { N = 150 };
    static const int64_t columns[] = {0, 1, 31, 32, 63, 64, 100, 128, N - 1};
    static const double values[] = {-1, 0,
                                    0.2}; /* 4 - 1 / 3.7 and more are the pivots, so each makes a minor negative */
    clsolve_cholesky *cholesky = make(N, NULL);

    for (size_t c = 0; c < sizeof columns / sizeof *columns; ++c)
        for (int shape = 0; shape < 4; ++shape) {
            const clsolve_layout layout = shape % 2 ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR;
            const clsolve_uplo uplo = shape / 2 ? CLSOLVE_UPPER : CLSOLVE_LOWER;
            const int64_t k = columns[c];
            test_matrix a = tridiagonal(N, layout, uplo, k, k, values[k > 0 ? c % 3 : c % 2]);
            test_matrix good = tridiagonal(N, layout, uplo, -1, -1, 0), b = ones(N, 2);
            clsolve_report report;
            char order[32];
            (void)snprintf(order, sizeof order, "order %d ", (int)k + 1);
            EXPECT(clsolve_cholesky_factor(cholesky, uplo, &a.view), CLSOLVE_NOT_POSITIVE_DEFINITE, order);
            assert_int_equal(clsolve_cholesky_report(cholesky, &report), CLSOLVE_OK);
            assert_int_equal(report.status, CLSOLVE_NOT_POSITIVE_DEFINITE);
            assert_int_equal(report.info, k + 1);
            assert_int_equal(report.direct.det_sign, 0);
            assert_true(report.direct.log_abs_det == 0 && report.direct.rcond == -1);
            EXPECT(clsolve_cholesky_solve(cholesky, &b.view), CLSOLVE_NOT_POSITIVE_DEFINITE, order);
            all_ones(&b);
            EXPECT(clsolve_cholesky_factors(cholesky, uplo, &a.view), CLSOLVE_NOT_POSITIVE_DEFINITE, order);
            EXPECT(clsolve_cholesky_inverse(cholesky, uplo, &a.view), CLSOLVE_NOT_POSITIVE_DEFINITE, order);
            triangle_rest_intact(&a, uplo);
            assert_int_equal(clsolve_cholesky_factor(cholesky, uplo, &good.view), CLSOLVE_OK);
            assert_int_equal(clsolve_cholesky_solve(cholesky, &b.view), CLSOLVE_OK);
            test_matrix_free(&a);
            test_matrix_free(&good);
            test_matrix_free(&b);
        }
    clsolve_cholesky_destroy(cholesky);
}

/* What is finite and has no factor in the type: elements of L overflow, and a minor is lost by that. */
static void test_overflow_within(void **state) {
    clsolve_cholesky *cholesky = make(3, NULL);
    const double small = type == CLSOLVE_F64 ? 1e-300 : 1e-37, large = type == CLSOLVE_F64 ? 1e300 : 1e37;
    const double A[9] = {small, large, 0, large, large, 0, 0, 0, 1};
    test_matrix a = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, 3, 3, 0);
    test_matrix_set(&a, A);
    EXPECT(clsolve_cholesky_factor(cholesky, CLSOLVE_LOWER, &a.view), CLSOLVE_NOT_POSITIVE_DEFINITE, "order 2 ");
    test_matrix_free(&a);
    clsolve_cholesky_destroy(cholesky);
}

/* NaN and Inf in the triangle are told where the caller has them; in the other one nobody looks. */
static void test_nonfinite(void **state) {
    enum { N = 70 };
    static const int64_t places[][2] = {{0, 0}, {5, 2}, {69, 64}, {69, 69}};
    clsolve_cholesky *cholesky = make(N, NULL);

    for (size_t p = 0; p < sizeof places / sizeof *places; ++p)
        for (int shape = 0; shape < 4; ++shape) {
            const clsolve_uplo uplo = shape / 2 ? CLSOLVE_UPPER : CLSOLVE_LOWER;
            const int64_t i = places[p][uplo], j = places[p][1 - uplo];
            test_matrix a = tridiagonal(N, shape % 2 ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR, uplo, i, j,
                                        p % 2 ? (double)NAN : -(double)INFINITY);
            test_matrix b = ones(N, 1);
            char place[64];
            (void)snprintf(place, sizeof place, "A(%d,%d)", (int)i + 1, (int)j + 1);
            EXPECT(clsolve_cholesky_factor(cholesky, uplo, &a.view), CLSOLVE_ERROR_NONFINITE, place);
            EXPECT(clsolve_cholesky_solve(cholesky, &b.view), CLSOLVE_ERROR_STATE, "no factors");
            all_ones(&b);
            test_matrix_free(&a);
            test_matrix_free(&b);
        }
    clsolve_cholesky_destroy(cholesky);
}

static void test_bad_right_sides(void **state) {
    clsolve_cholesky *cholesky = make(9, NULL);
    test_matrix a = tridiagonal(9, CLSOLVE_COLUMN_MAJOR, CLSOLVE_UPPER, -1, -1, 0);
    test_matrix b = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, 9, 2, 0);
    double B[18] = {0}, Y[18];
    B[9 + 4] = (double)NAN;
    test_matrix_set(&b, B);
    assert_int_equal(clsolve_cholesky_factor(cholesky, CLSOLVE_UPPER, &a.view), CLSOLVE_OK);
    EXPECT(clsolve_cholesky_solve(cholesky, &b.view), CLSOLVE_ERROR_NONFINITE, "B(5,2)");
    test_matrix_get(&b, Y);
    assert_true(isnan(Y[13]) && Y[0] == 0);
    test_matrix_free(&a);
    test_matrix_free(&b);
    clsolve_cholesky_destroy(cholesky);
}

/* Of A one triangle crosses once, in slabs of 64 columns, B once up, X once down, and little else. */
static void test_transfers(void **state) {
    enum { N = 300, NRHS = 3, SLAB = 64 };
    if (context->device->no_kernels) skip();                                 /* there is no bus */
    const int in_float = type == CLSOLVE_F64 && !context->device->info.fp64; /* from a copy of all of A */
    test_matrix a = tridiagonal(N, CLSOLVE_COLUMN_MAJOR, CLSOLVE_LOWER, -1, -1, 0), b = ones(N, NRHS);
    clsolve_cholesky *cholesky = make(N, NULL);
    const int64_t size = type == CLSOLVE_F64 ? 8 : 4, bytes = context->device->counters.buffer_bytes;
    clsolve_report report;
    int64_t once = 0;

    for (int round = 0; round < 2; ++round) { /* new values take no memory */
        assert_int_equal(clsolve_cholesky_factor(cholesky, CLSOLVE_LOWER, &a.view), CLSOLVE_OK);
        assert_int_equal(context->device->counters.buffer_bytes, bytes);
        assert_int_equal(clsolve_cholesky_report(cholesky, &report), CLSOLVE_OK);
        assert_in_range(report.transfers_up, 1, (N + SLAB - 1) / SLAB);
        assert_in_range(report.bytes_up, N * (N + 1) / 2 * size, in_float ? N * N * size : N * (N + SLAB) / 2 * size);
        once = report.transfers_up;
        if (once > 1) { /* (300 + 236 + 172 + 108) 64 + 44 44 elements */
            int64_t elements = 0;
            for (int64_t j = 0; j < N; j += SLAB) elements += (N - j) * (N - j < SLAB ? N - j : SLAB);
            assert_int_equal(report.bytes_up, elements * size);
        }
        assert_in_range(report.transfers_down, 0, 4); /* measures, verdict, determinant */
        assert_in_range(report.bytes_down, 0, 256);
    }
    assert_int_equal(clsolve_cholesky_solve(cholesky, &b.view), CLSOLVE_OK);
    assert_int_equal(clsolve_cholesky_report(cholesky, &report), CLSOLVE_OK);
    assert_int_equal(report.transfers_up, once + 1);
    assert_in_range(report.transfers_down, 1, 8);
    assert_in_range(report.bytes_down, N * NRHS * size, N * NRHS * size + 512);
    assert_int_equal(report.n, N);
    assert_int_equal(report.nrhs, NRHS);
    assert_true(report.device_bytes >= N * N * size || report.host_bytes >= N * N * size);
    clsolve_cholesky_destroy(cholesky);
    test_matrix_free(&a);
    test_matrix_free(&b);
}

/* No room, not even for two panels, is told, and what would do. */
static void test_memory(void **state) {
    const int64_t n = 200;
    clsolve_cholesky_options options = {.panel = test_cholesky_options().panel, .memory_limit = 1};
    clsolve_cholesky *cholesky = NULL;
    EXPECT(clsolve_cholesky_create(context, n, type, &options, &cholesky), CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY,
           "memory_limit leaves");
    assert_null(cholesky);
    if (context->device->no_kernels) return; /* the host's memory is not counted in advance */
    assert_non_null(strstr(clsolve_context_message(context), "out of core at least"));
    options.memory_limit = 0;
    EXPECT(clsolve_cholesky_create(context, 3000000, type, &options, &cholesky), CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY,
           "order 3000000");
    assert_null(cholesky);
}

static double told;

static void tell(void *user, const char *phase, double fraction) {
    assert_ptr_equal(user, &told);
    assert_string_equal(phase, "factor");
    assert_true(fraction >= told && fraction <= 1);
    told = fraction;
}

static void test_progress(void **state) {
    clsolve_cholesky_options options = {.progress = tell, .progress_user = &told, .block = 64};
    clsolve_cholesky *cholesky = make(300, &options);
    test_matrix a = tridiagonal(300, CLSOLVE_COLUMN_MAJOR, CLSOLVE_LOWER, -1, -1, 0);
    told = 0;
    assert_int_equal(clsolve_cholesky_factor(cholesky, CLSOLVE_LOWER, &a.view), CLSOLVE_OK);
    assert_true(told == 1);
    clsolve_cholesky_destroy(cholesky);
    test_matrix_free(&a);
}

/* From n = 2048 on, on NVIDIA's GPUs from 8192 on, a factorization that has failed is not carried on: few products follow, and
 * info is right. */
static void test_stops_early(void **state) {
    enum { N = 2100, BAD = 70 };
    clsolve_cholesky_options options = {.block = 64};
    test_matrix a, good;
    clsolve_cholesky *cholesky;
    clsolve_report report;
    if (reduced) skip();
    cholesky = make(N, &options);
    a = tridiagonal(N, CLSOLVE_COLUMN_MAJOR, CLSOLVE_LOWER, BAD, BAD, -1);
    good = tridiagonal(N, CLSOLVE_COLUMN_MAJOR, CLSOLVE_LOWER, -1, -1, 0);
    const int64_t before = context->device->counters.launches;
    EXPECT(clsolve_cholesky_factor(cholesky, CLSOLVE_LOWER, &a.view), CLSOLVE_NOT_POSITIVE_DEFINITE, "order 71 ");
    const int64_t failed = context->device->counters.launches - before;
    assert_int_equal(clsolve_cholesky_report(cholesky, &report), CLSOLVE_OK);
    assert_int_equal(report.info, BAD + 1);
    assert_int_equal(clsolve_cholesky_factor(cholesky, CLSOLVE_LOWER, &good.view), CLSOLVE_OK);
    const int64_t whole = context->device->counters.launches - before - failed;
    if (context->device->matrix_unit == 0) assert_true(whole < 40 || failed < whole / 2); /* LAPACK's has no launches */
    clsolve_cholesky_destroy(cholesky);
    test_matrix_free(&a);
    test_matrix_free(&good);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arguments),       cmocka_unit_test(test_not_positive_definite),
        cmocka_unit_test(test_overflow_within), cmocka_unit_test(test_nonfinite),
        cmocka_unit_test(test_bad_right_sides), cmocka_unit_test(test_transfers),
        cmocka_unit_test(test_memory),          cmocka_unit_test(test_progress),
        cmocka_unit_test(test_stops_early)};
    test_require_device();
    test_cholesky_require_panel();
    reduced = test_reduced();
    context = test_context(1);
    type = clsolve_context_device(context).fp64 ? CLSOLVE_F64 : CLSOLVE_F32;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    clsolve_context_destroy(context);
    return failed;
}
