/* What an LDL^T handle promises beside accuracy: statuses, messages, unchanged arguments, transfers, memory. */
#include <clsolve/clsolve.h>

#include "api/context.h"
#include "ldl/ldl_support.h"
#include "support/fixture.h"

static clsolve_type type; /* double where the device has it */

static int64_t pivots[4];
#define HANDLE            clsolve_ldl
#define OPTIONS           clsolve_ldl_options
#define CALL(verb)        clsolve_ldl_##verb
#define FACTOR            "clsolve_ldl_factor"
#define GET(handle, view) clsolve_ldl_factors((handle), (view), pivots)
#define PUT(handle, view) clsolve_ldl_import((handle), (view), pivots)
#define GOES_OUT_OF_CORE  0

static clsolve_panel panel_asked(void) {
    return test_ldl_options(&ldl_shapes[0]).panel;
}

/* A triangle of 1 beside a diagonal of zeros, all pivots of order 2, and NaN in the other triangle. Element (i, j) of it becomes
 * `value`. */
static test_matrix simple(int64_t n, clsolve_layout layout, clsolve_uplo uplo, int64_t i, int64_t j, double value) {
    const ldl_shape shape = {type, CLSOLVE_SYMMETRY_HERMITIAN, ""};
    SCRATCH double complex *A = ldl_elements(n * n);
    test_matrix a = test_matrix_make(type, layout, n, n, 1);
    for (int64_t k = 0; k + 1 < n; k += 2) A[k * (n + 1) + 1] = A[(k + 1) * (n + 1) - 1] = 1;
    if (n % 2) A[n * n - 1] = 1;
    if (i >= 0) A[i + j * n] = A[j + i * n] = value;
    ldl_set(&shape, &a, uplo, A);
    return a;
}

#include "cholesky/half_contract.h"

/* Pivots that no factorization leaves. */
TEST(test_pivots) {
    static const int64_t wrong[][4] = {{0, 2, 3, 4},   {1, 1, 3, 4},   {5, 2, 3, 4},
                                       {-1, 2, 3, 4},  {1, 2, 3, -4},  {1, -2, 3, 4},
                                       {-1, -1, 3, 4}, {1, 2, -3, -5}, {INT64_MIN, -2, 3, 4}};
    static const int64_t right[][4] = {{1, 2, 3, 4}, {4, 3, 3, 4}, {-1, -2, -3, -4}, {-4, -4, 3, 4}};
    OWNED(ldl) *ldl = make(4, NULL);
    scratch_matrix f = simple(4, CLSOLVE_ROW_MAJOR, CLSOLVE_LOWER, -1, -1, 0);

    if (type == CLSOLVE_F64 && !clsolve_context_device(context).fp64) skip(); /* it keeps a copy of A */
    EXPECT(clsolve_ldl_import(ldl, &f.view, NULL), INVALID, "ipiv is NULL");
    EXPECT(clsolve_ldl_factors(ldl, &f.view, NULL), INVALID, "ipiv is NULL");
    refused(&(OPTIONS){.symmetry = (clsolve_symmetry)2}, "symmetry is 2");
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k)
        EXPECT(clsolve_ldl_import(ldl, &f.view, wrong[k]), CLSOLVE_ERROR_INVALID_ARGUMENT, "ipiv[");
    for (size_t k = 0; k < sizeof right / sizeof *right; ++k) {
        const clsolve_status status = clsolve_ldl_import(ldl, &f.view, right[k]);
        assert_true(status == CLSOLVE_OK || status == CLSOLVE_SINGULAR);
    }
}

/* The first zero pivot, wherever it is; B stays, and the handle goes on. */
TEST(test_singular) {
    enum { N = 131 };
    static const int64_t columns[] = {0, 31, 64, 130};
    OWNED(ldl) *ldl = make(N, NULL);

    for (size_t c = 0; c < 4; ++c) {
        const clsolve_uplo uplo = c % 2 ? CLSOLVE_UPPER : CLSOLVE_LOWER;
        const int64_t k = columns[c], i = k == 130 ? k : k / 2 * 2 + 1, j = k == 130 ? k : k / 2 * 2;
        scratch_matrix a = simple(N, CLSOLVE_ROW_MAJOR, uplo, i, j, 0); /* two rows of zeros, or one */
        scratch_matrix good = simple(N, CLSOLVE_ROW_MAJOR, uplo, -1, -1, 0), b = test_ones(type, N, 2);
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
        test_all_ones(&b);
        assert_int_equal(clsolve_ldl_factor(ldl, uplo, &good.view), CLSOLVE_OK);
        assert_int_equal(clsolve_ldl_solve(ldl, &b.view), CLSOLVE_OK);
        test_all_ones(&b); /* each row has one 1 */
    }
}

/* A finite matrix whose factors are not. */
TEST(test_overflow) {
    const double most = type == CLSOLVE_F64 ? 1.7e308 : 3.3e38;
    const double A[9] = {most, -most, most, -most, most, most, most, most, -most};
    scratch_matrix a = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, 3, 3, 0), b = test_ones(type, 3, 1);
    OWNED(ldl) *ldl = make(3, NULL);

    if (type == CLSOLVE_F64 && !clsolve_context_device(context).fp64) skip(); /* its copy is scaled */
    test_matrix_set(&a, A);
    EXPECT(clsolve_ldl_factor(ldl, CLSOLVE_LOWER, &a.view), CLSOLVE_OVERFLOW, "leaves the range");
    EXPECT(clsolve_ldl_solve(ldl, &b.view), CLSOLVE_OVERFLOW, "NaN or Inf");
    test_all_ones(&b);
}

/* Of A one triangle crosses once, B once up, X once down, and little else; new values take no memory. */
TEST(test_transfers) {
    enum { N = 300, NRHS = 3, SLAB = 64 };
    if (context->device->no_kernels) skip();                                 /* there is no bus */
    const int in_float = type == CLSOLVE_F64 && !context->device->info.fp64; /* from a copy of all of A */
    scratch_matrix a = simple(N, CLSOLVE_COLUMN_MAJOR, CLSOLVE_LOWER, -1, -1, 0), b = test_ones(type, N, NRHS);
    OWNED(ldl) *ldl = make(N, NULL);
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
}

/* WORKING takes the host, whose factors are of double, where the device has no double; on the device they are of float,
 * and have no inertia. */
TEST(test_working_without_double) {
    const char *host = getenv("CLSOLVE_HOST");
    const OPTIONS options = {.precision = CLSOLVE_PRECISION_WORKING};
    double A[] = {0, 1, 0, 1, 0, 0, 0, 0, -1};
    const clsolve_matrix a = clsolve_matrix_f64(3, 3, A);
    OWNED(ldl) *ldl = NULL;
    clsolve_inertia count;
    clsolve_report report;

    if (context->device->info.fp64) skip();
    assert_int_equal(clsolve_ldl_create(context, 3, CLSOLVE_F64, &options, &ldl), CLSOLVE_OK);
    assert_int_equal(clsolve_ldl_factor(ldl, CLSOLVE_UPPER, &a), CLSOLVE_OK);
    assert_int_equal(clsolve_ldl_report(ldl, &report), CLSOLVE_OK);
    if (host && strcmp(host, "never") == 0) {
        EXPECT(clsolve_ldl_inertia(ldl, &count), CLSOLVE_ERROR_UNSUPPORTED, "and CLSOLVE_WHERE_HOST");
        return;
    }
    assert_string_equal(report.where, "host");
    assert_int_equal(clsolve_ldl_inertia(ldl, &count), CLSOLVE_OK);
    assert_int_equal(count.positive, 1);
    assert_int_equal(count.negative, 2);
}

int main(void) {
    test_require_device();
    test_ldl_require_panel();
    (void)open_context(NULL);
    type = test_has_type(context, CLSOLVE_F64) ? CLSOLVE_F64 : CLSOLVE_F32;
    return test_run(NULL, close_context);
}
