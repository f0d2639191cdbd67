/* What an LDL^T handle promises beside accuracy: statuses, messages, unchanged arguments, transfers, memory. */
#include <clsolve/clsolve.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/context.h"
#include "ldl/ldl_support.h"
#include "support/fixture.h"

static clsolve_type type; /* double where the device has it */

#define EXPECT(call, wanted, words)                                                                                    \
    do {                                                                                                               \
        clsolve_status got_ = (call);                                                                                  \
        if (got_ != (wanted) || !strstr(clsolve_context_message(context), words))                                      \
            fail_msg("%s gave %s: %s", #call, clsolve_status_name(got_), clsolve_context_message(context));            \
    } while (0)

static clsolve_ldl *make(int64_t n, const clsolve_ldl_options *options) {
    clsolve_ldl_options mine = options ? *options : (clsolve_ldl_options){0};
    clsolve_ldl *ldl = NULL;
    mine.panel = test_ldl_options(&ldl_shapes[0]).panel;
    if (clsolve_ldl_create(context, n, type, &mine, &ldl) != CLSOLVE_OK)
        fail_msg("create: %s", clsolve_context_message(context));
    return ldl;
}

/* A triangle of 1 beside a diagonal of zeros, all pivots of order 2, and NaN in the other triangle. Element (i, j) of it becomes
 * `value`. */
static test_matrix beside(int64_t n, clsolve_layout layout, clsolve_uplo uplo, int64_t i, int64_t j, double value) {
    const ldl_shape shape = {type, CLSOLVE_SYMMETRY_HERMITIAN, ""};
    double complex *A = ldl_elements(n * n);
    test_matrix a = test_matrix_make(type, layout, n, n, 1);
    for (int64_t k = 0; k + 1 < n; k += 2) A[k * (n + 1) + 1] = A[(k + 1) * (n + 1) - 1] = 1;
    if (n % 2) A[n * n - 1] = 1;
    if (i >= 0) A[i + j * n] = A[j + i * n] = value;
    ldl_set(&shape, &a, uplo, A);
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
    test_matrix a = beside(4, CLSOLVE_COLUMN_MAJOR, CLSOLVE_LOWER, -1, -1, 0), b = ones(4, 2);
    clsolve_ldl *ldl = make(4, NULL), *none = (clsolve_ldl *)&a;
    clsolve_ldl_options options = {.block = -1};
    clsolve_report report;
    int64_t ipiv[4];
    double rcond;
    clsolve_matrix bad;

    assert_int_equal(clsolve_ldl_create(NULL, 4, type, NULL, &none), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_null(none);
    EXPECT(clsolve_ldl_create(context, 4, type, NULL, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT, "NULL");
    EXPECT(clsolve_ldl_create(context, -1, type, NULL, &none), CLSOLVE_ERROR_INVALID_ARGUMENT, "-1");
    EXPECT(clsolve_ldl_create(context, 4, (clsolve_type)9, NULL, &none), CLSOLVE_ERROR_INVALID_ARGUMENT, "type is 9");
    EXPECT(clsolve_ldl_create(context, 4, type, &options, &none), CLSOLVE_ERROR_INVALID_ARGUMENT, "block");
    options = (clsolve_ldl_options){.symmetry = (clsolve_symmetry)2};
    EXPECT(clsolve_ldl_create(context, 4, type, &options, &none), CLSOLVE_ERROR_INVALID_ARGUMENT, "symmetry is 2");
    options = (clsolve_ldl_options){.reserved = {1}};
    EXPECT(clsolve_ldl_create(context, 4, type, &options, &none), CLSOLVE_ERROR_INVALID_ARGUMENT, "reserved[0]");
    options = (clsolve_ldl_options){.refine = 3};
    EXPECT(clsolve_ldl_create(context, 4, type, &options, &none), CLSOLVE_ERROR_INVALID_ARGUMENT, "refine is 3");
    assert_null(none);

    EXPECT(clsolve_ldl_solve(ldl, &b.view), CLSOLVE_ERROR_STATE, "clsolve_ldl_factor");
    EXPECT(clsolve_ldl_factors(ldl, &a.view, ipiv), CLSOLVE_ERROR_STATE, "clsolve_ldl_factor");
    EXPECT(clsolve_ldl_inverse(ldl, CLSOLVE_LOWER, &a.view), CLSOLVE_ERROR_STATE, "clsolve_ldl_factor");
    EXPECT(clsolve_ldl_condition(ldl, 1, &rcond), CLSOLVE_ERROR_STATE, "clsolve_ldl_factor");
    EXPECT(clsolve_ldl_factor(ldl, CLSOLVE_LOWER, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT, "A is NULL");
    EXPECT(clsolve_ldl_factor(ldl, (clsolve_uplo)7, &a.view), CLSOLVE_ERROR_INVALID_ARGUMENT, "uplo is 7");
    assert_int_equal(clsolve_ldl_factor(NULL, CLSOLVE_LOWER, &a.view), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_ldl_solve(NULL, &b.view), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_ldl_factors(NULL, &a.view, ipiv), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_ldl_import(NULL, &a.view, ipiv), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_ldl_inverse(NULL, CLSOLVE_LOWER, &a.view), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_ldl_condition(NULL, 1, &rcond), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_ldl_report(NULL, &report), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_ldl_status(NULL), CLSOLVE_ERROR_INVALID_ARGUMENT);
    EXPECT(clsolve_ldl_report(ldl, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT, "report");
    bad = a.view, bad.rows = 3;
    EXPECT(clsolve_ldl_factor(ldl, CLSOLVE_LOWER, &bad), CLSOLVE_ERROR_INVALID_ARGUMENT, "3 rows where 4");
    bad = a.view, bad.place = CLSOLVE_ON_DEVICE; /* host memory, and no context of our own */
    EXPECT(clsolve_ldl_factor(ldl, CLSOLVE_LOWER, &bad), CLSOLVE_ERROR_INVALID_ARGUMENT, "clsolve_context_create_");

    assert_int_equal(clsolve_ldl_factor(ldl, CLSOLVE_LOWER, &a.view), CLSOLVE_OK);
    EXPECT(clsolve_ldl_factors(ldl, &a.view, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT, "ipiv is NULL");
    EXPECT(clsolve_ldl_condition(ldl, -1, &rcond), CLSOLVE_ERROR_INVALID_ARGUMENT, "norm_A");
    all_ones(&b);
    bad = b.view, bad.cols = 0, bad.data = NULL;
    assert_int_equal(clsolve_ldl_solve(ldl, &bad), CLSOLVE_OK);
    clsolve_ldl_destroy(ldl);
    clsolve_ldl_destroy(NULL);
    test_matrix_free(&a);
    test_matrix_free(&b);
}

/* Pivots that no factorization leaves. */
static void test_pivots(void **state) {
    static const int64_t wrong[][4] = {{0, 2, 3, 4},   {1, 1, 3, 4},   {5, 2, 3, 4},
                                       {-1, 2, 3, 4},  {1, 2, 3, -4},  {1, -2, 3, 4},
                                       {-1, -1, 3, 4}, {1, 2, -3, -5}, {INT64_MIN, -2, 3, 4}};
    static const int64_t right[][4] = {{1, 2, 3, 4}, {4, 3, 3, 4}, {-1, -2, -3, -4}, {-4, -4, 3, 4}};
    clsolve_ldl *ldl = make(4, NULL);
    test_matrix f = beside(4, CLSOLVE_ROW_MAJOR, CLSOLVE_LOWER, -1, -1, 0);

    if (type == CLSOLVE_F64 && !clsolve_context_device(context).fp64) skip(); /* it keeps a copy of A */
    EXPECT(clsolve_ldl_import(ldl, &f.view, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT, "ipiv is NULL");
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k)
        EXPECT(clsolve_ldl_import(ldl, &f.view, wrong[k]), CLSOLVE_ERROR_INVALID_ARGUMENT, "ipiv[");
    for (size_t k = 0; k < sizeof right / sizeof *right; ++k) {
        const clsolve_status status = clsolve_ldl_import(ldl, &f.view, right[k]);
        assert_true(status == CLSOLVE_OK || status == CLSOLVE_SINGULAR);
    }
    clsolve_ldl_destroy(ldl);
    test_matrix_free(&f);
}

/* The first zero pivot, wherever it is; B stays, and the handle goes on. */
static void test_singular(void **state) {
    enum { N = 131 };
    static const int64_t columns[] = {0, 31, 64, 130};
    clsolve_ldl *ldl = make(N, NULL);

    for (size_t c = 0; c < 4; ++c) {
        const clsolve_uplo uplo = c % 2 ? CLSOLVE_UPPER : CLSOLVE_LOWER;
        const int64_t k = columns[c], i = k == 130 ? k : k / 2 * 2 + 1, j = k == 130 ? k : k / 2 * 2;
        test_matrix a = beside(N, CLSOLVE_ROW_MAJOR, uplo, i, j, 0); /* two rows of zeros, or one */
        test_matrix good = beside(N, CLSOLVE_ROW_MAJOR, uplo, -1, -1, 0), b = ones(N, 2);
        clsolve_report report;
        clsolve_inertia inertia;
        EXPECT(clsolve_ldl_factor(ldl, uplo, &a.view), CLSOLVE_SINGULAR, "exactly zero");
        assert_int_equal(clsolve_ldl_report(ldl, &report), CLSOLVE_OK);
        assert_int_equal(report.status, CLSOLVE_SINGULAR);
        assert_in_range(report.info, 1, N);
        assert_int_equal(report.direct.det_sign, 0);
        assert_true(isinf(report.direct.log_abs_det));
        if (strcmp(report.precision, "mixed") != 0) {
            assert_int_equal(clsolve_ldl_inertia(ldl, &inertia), CLSOLVE_OK);
            assert_int_equal(inertia.zero, k == 130 ? 1 : 2);
        }
        EXPECT(clsolve_ldl_solve(ldl, &b.view), CLSOLVE_SINGULAR, "exactly zero");
        EXPECT(clsolve_ldl_inverse(ldl, uplo, &a.view), CLSOLVE_SINGULAR, "exactly zero");
        all_ones(&b);
        assert_int_equal(clsolve_ldl_factor(ldl, uplo, &good.view), CLSOLVE_OK);
        assert_int_equal(clsolve_ldl_solve(ldl, &b.view), CLSOLVE_OK);
        all_ones(&b); /* each row has one 1 */
        test_matrix_free(&a);
        test_matrix_free(&good);
        test_matrix_free(&b);
    }
    clsolve_ldl_destroy(ldl);
}

/* NaN and Inf in the triangle are told where the caller has them; in the other one nobody looks. */
static void test_nonfinite(void **state) {
    enum { N = 70 };
    static const int64_t places[][2] = {{0, 0}, {5, 2}, {69, 64}, {69, 69}};
    clsolve_ldl *ldl = make(N, NULL);

    for (size_t p = 0; p < sizeof places / sizeof *places; ++p)
        for (int shape = 0; shape < 4; ++shape) {
            const clsolve_uplo uplo = shape / 2 ? CLSOLVE_UPPER : CLSOLVE_LOWER;
            const int64_t i = places[p][uplo], j = places[p][1 - uplo];
            test_matrix a = beside(N, shape % 2 ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR, uplo, i, j,
                                   p % 2 ? (double)NAN : -(double)INFINITY);
            test_matrix b = ones(N, 1);
            char place[64];
            (void)snprintf(place, sizeof place, "A(%d,%d)", (int)i + 1, (int)j + 1);
            EXPECT(clsolve_ldl_factor(ldl, uplo, &a.view), CLSOLVE_ERROR_NONFINITE, place);
            EXPECT(clsolve_ldl_solve(ldl, &b.view), CLSOLVE_ERROR_STATE, "no factors");
            all_ones(&b);
            test_matrix_free(&a);
            test_matrix_free(&b);
        }
    clsolve_ldl_destroy(ldl);
}

/* A finite matrix whose factors are not. */
static void test_overflow(void **state) {
    const double most = type == CLSOLVE_F64 ? 1.7e308 : 3.3e38;
    const double A[9] = {most, -most, most, -most, most, most, most, most, -most};
    test_matrix a = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, 3, 3, 0), b = ones(3, 1);
    clsolve_ldl *ldl = make(3, NULL);

    if (type == CLSOLVE_F64 && !clsolve_context_device(context).fp64) skip(); /* its copy is scaled */
    test_matrix_set(&a, A);
    EXPECT(clsolve_ldl_factor(ldl, CLSOLVE_LOWER, &a.view), CLSOLVE_OVERFLOW, "leaves the range");
    EXPECT(clsolve_ldl_solve(ldl, &b.view), CLSOLVE_OVERFLOW, "NaN or Inf");
    all_ones(&b);
    clsolve_ldl_destroy(ldl);
    test_matrix_free(&a);
    test_matrix_free(&b);
}

static void test_bad_right_sides(void **state) {
    clsolve_ldl *ldl = make(9, NULL);
    test_matrix a = beside(9, CLSOLVE_COLUMN_MAJOR, CLSOLVE_UPPER, -1, -1, 0);
    test_matrix b = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, 9, 2, 0);
    double B[18] = {0}, Y[18];
    B[9 + 4] = (double)NAN;
    test_matrix_set(&b, B);
    assert_int_equal(clsolve_ldl_factor(ldl, CLSOLVE_UPPER, &a.view), CLSOLVE_OK);
    EXPECT(clsolve_ldl_solve(ldl, &b.view), CLSOLVE_ERROR_NONFINITE, "B(5,2)");
    test_matrix_get(&b, Y);
    assert_true(isnan(Y[13]) && Y[0] == 0);
    test_matrix_free(&a);
    test_matrix_free(&b);
    clsolve_ldl_destroy(ldl);
}

/* Of A one triangle crosses once, B once up, X once down, and little else; new values take no memory. */
static void test_transfers(void **state) {
    enum { N = 300, NRHS = 3, SLAB = 64 };
    if (context->device->no_kernels) skip();                                 /* there is no bus */
    const int in_float = type == CLSOLVE_F64 && !context->device->info.fp64; /* from a copy of all of A */
    test_matrix a = beside(N, CLSOLVE_COLUMN_MAJOR, CLSOLVE_LOWER, -1, -1, 0), b = ones(N, NRHS);
    clsolve_ldl *ldl = make(N, NULL);
    const int64_t size = type == CLSOLVE_F64 ? 8 : 4, bytes = context->device->counters.buffer_bytes;
    clsolve_report report;

    for (int round = 0; round < 2; ++round) {
        assert_int_equal(clsolve_ldl_factor(ldl, CLSOLVE_LOWER, &a.view), CLSOLVE_OK);
        assert_int_equal(context->device->counters.buffer_bytes, bytes);
        assert_int_equal(clsolve_ldl_report(ldl, &report), CLSOLVE_OK);
        if (strcmp(report.where, "device") != 0) continue;
        /* With the numbers of rows, which the pivots move. */
        const int64_t most = in_float ? N * N * size : N * (N + SLAB) / 2 * size;
        assert_in_range(report.bytes_up, N * (N + 1) / 2 * size, most + 8 * N);
        assert_in_range(report.bytes_down, 0, 64 * N);
    }
    assert_int_equal(clsolve_ldl_solve(ldl, &b.view), CLSOLVE_OK);
    assert_int_equal(clsolve_ldl_report(ldl, &report), CLSOLVE_OK);
    assert_int_equal(report.n, N);
    assert_int_equal(report.nrhs, NRHS);
    assert_true(report.device_bytes >= N * N * size || report.host_bytes >= N * N * size);
    clsolve_ldl_destroy(ldl);
    test_matrix_free(&a);
    test_matrix_free(&b);
}

static void test_memory(void **state) {
    clsolve_ldl_options options = {.panel = test_ldl_options(&ldl_shapes[0]).panel, .memory_limit = 1};
    clsolve_ldl *ldl = NULL;
    EXPECT(clsolve_ldl_create(context, 200, type, &options, &ldl), CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY,
           "memory_limit leaves");
    assert_null(ldl);
    if (context->device->no_kernels) return; /* the host's memory is not counted in advance */
    options.memory_limit = 0;
    options.where = CLSOLVE_WHERE_DEVICE;
    EXPECT(clsolve_ldl_create(context, 3000000, type, &options, &ldl), CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY,
           "order 3000000");
    assert_null(ldl);
}

static double told;

static void tell(void *user, const char *phase, double fraction) {
    assert_ptr_equal(user, &told);
    assert_string_equal(phase, "factor");
    assert_true(fraction >= told && fraction <= 1);
    told = fraction;
}

/* Ahead of a matrix: progress, predicted times, compiled kernels. */
static void test_ahead(void **state) {
    clsolve_ldl_options options = {.progress = tell, .progress_user = &told};
    clsolve_ldl *ldl = make(150, &options);
    test_matrix a = beside(150, CLSOLVE_COLUMN_MAJOR, CLSOLVE_LOWER, -1, -1, 0);
    double device, host;
    told = 0;
    assert_int_equal(clsolve_ldl_factor(ldl, CLSOLVE_LOWER, &a.view), CLSOLVE_OK);
    assert_true(told == 1);
    assert_int_equal(clsolve_ldl_predict(context, 500, 1, type, &device, &host), CLSOLVE_OK);
    assert_true(device > 0 && host > 0);
    EXPECT(clsolve_ldl_predict(context, -1, 1, type, &device, &host), CLSOLVE_ERROR_INVALID_ARGUMENT, "n is -1");
    assert_int_equal(clsolve_ldl_warm(context, 20, type), CLSOLVE_OK);
    assert_in_range(clsolve_ldl_is_warm(context, type), 0, 1);
    assert_int_equal(clsolve_ldl_is_warm(NULL, type), 0);
    clsolve_ldl_destroy(ldl);
    test_matrix_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arguments), cmocka_unit_test(test_pivots),   cmocka_unit_test(test_singular),
        cmocka_unit_test(test_nonfinite), cmocka_unit_test(test_overflow), cmocka_unit_test(test_bad_right_sides),
        cmocka_unit_test(test_transfers), cmocka_unit_test(test_memory),   cmocka_unit_test(test_ahead)};
    test_require_device();
    test_ldl_require_panel();
    context = test_context(0);
    type = test_has_type(context, CLSOLVE_F64) ? CLSOLVE_F64 : CLSOLVE_F32;
    clsolve_context_destroy(context);
    return cmocka_run_group_tests(tests, open_context, close_context);
}
