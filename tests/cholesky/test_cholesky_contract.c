/* What a Cholesky handle promises beside accuracy: statuses, messages, unchanged arguments, transfers, memory. */
#include <clsolve/clsolve.h>

#include "api/context.h"
#include "blas/blas.h"
#include "cholesky/cholesky_support.h"
#include "support/fixture.h"

static int reduced;
static clsolve_type type; /* double where the device has it */

#define HANDLE            clsolve_cholesky
#define OPTIONS           clsolve_cholesky_options
#define CALL(verb)        clsolve_cholesky_##verb
#define FACTOR            "clsolve_cholesky_factor"
#define GET(handle, view) clsolve_cholesky_factors((handle), CLSOLVE_LOWER, (view))
#define PUT(handle, view) clsolve_cholesky_import((handle), CLSOLVE_LOWER, (view))
#define GOES_OUT_OF_CORE  1

static clsolve_panel panel_asked(void) {
    return test_cholesky_options().panel;
}

/* A triangle of 4 on the diagonal and 1 beside it, NaN in the other. Element (i, j) of the triangle becomes `value`. */
static test_matrix simple(int64_t n, clsolve_layout layout, clsolve_uplo uplo, int64_t i, int64_t j, double value) {
    SCRATCH double *A = test_doubles((n * n) + 1);
    test_matrix a = test_matrix_make(type, layout, n, n, 1);
    for (int64_t k = 0; k < n; ++k) {
        A[k * (n + 1)] = 4;
        if (k + 1 < n) A[k * (n + 1) + 1] = A[(k + 1) * (n + 1) - 1] = 1;
    }
    if (i >= 0) A[i + j * n] = value;
    triangle_set(&a, uplo, A);
    return a;
}

#include "cholesky/half_contract.h"

/* The first minor that is not positive, wherever it is; B stays, and the handle goes on. */
TEST(test_not_positive_definite) {
    enum { N = 150 };
    static const int64_t columns[] = {0, 1, 31, 32, 63, 64, 100, 128, N - 1};
    static const double values[] = {-1, 0,
                                    0.2}; /* 4 - 1 / 3.7 and more are the pivots, so each makes a minor negative */
    OWNED(cholesky) *cholesky = make(N, NULL);

    for (size_t c = 0; c < sizeof columns / sizeof *columns; ++c)
        for (int shape = 0; shape < 4; ++shape) {
            const clsolve_layout layout = shape % 2 ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR;
            const clsolve_uplo uplo = shape / 2 ? CLSOLVE_UPPER : CLSOLVE_LOWER;
            const int64_t k = columns[c];
            scratch_matrix a = simple(N, layout, uplo, k, k, values[k > 0 ? c % 3 : c % 2]);
            scratch_matrix good = simple(N, layout, uplo, -1, -1, 0), b = test_ones(type, N, 2);
            clsolve_report report;
            double rcond;
            char order[32];
            (void)snprintf(order, sizeof order, "order %d ", (int)k + 1);
            EXPECT(clsolve_cholesky_factor(cholesky, uplo, &a.view), CLSOLVE_NOT_POSITIVE_DEFINITE, order);
            assert_int_equal(clsolve_cholesky_report(cholesky, &report), CLSOLVE_OK);
            assert_int_equal(report.status, CLSOLVE_NOT_POSITIVE_DEFINITE);
            assert_int_equal(report.info, k + 1);
            assert_int_equal(report.direct.det_sign, 0);
            assert_true(report.direct.log_abs_det == 0 && report.direct.rcond == -1);
            EXPECT(clsolve_cholesky_solve(cholesky, &b.view), CLSOLVE_NOT_POSITIVE_DEFINITE, order);
            test_all_ones(&b);
            EXPECT(clsolve_cholesky_factors(cholesky, uplo, &a.view), CLSOLVE_NOT_POSITIVE_DEFINITE, order);
            EXPECT(clsolve_cholesky_inverse(cholesky, uplo, &a.view), CLSOLVE_NOT_POSITIVE_DEFINITE, order);
            EXPECT(clsolve_cholesky_condition(cholesky, 1, &rcond), CLSOLVE_NOT_POSITIVE_DEFINITE, order);
            triangle_rest_intact(&a, uplo);
            assert_int_equal(clsolve_cholesky_factor(cholesky, uplo, &good.view), CLSOLVE_OK);
            assert_int_equal(clsolve_cholesky_solve(cholesky, &b.view), CLSOLVE_OK);
        }
}

/* What is finite and has no factor in the type: elements of L overflow, and a minor is lost by that. */
TEST(test_overflow_within) {
    OWNED(cholesky) *cholesky = make(3, NULL);
    const double small = type == CLSOLVE_F64 ? 1e-300 : 1e-37, large = type == CLSOLVE_F64 ? 1e300 : 1e37;
    const double A[9] = {small, large, 0, large, large, 0, 0, 0, 1};
    scratch_matrix a = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, 3, 3, 0);
    test_matrix_set(&a, A);
    EXPECT(clsolve_cholesky_factor(cholesky, CLSOLVE_LOWER, &a.view), CLSOLVE_NOT_POSITIVE_DEFINITE, "order 2 ");
}

/* Of A one triangle crosses once, in slabs of 64 columns, B once up, X once down, and little else. */
TEST(test_transfers) {
    enum { N = 300, NRHS = 3, SLAB = 64 };
    if (context->device->no_kernels) skip();                                 /* there is no bus */
    const int in_float = type == CLSOLVE_F64 && !context->device->info.fp64; /* from a copy of all of A */
    scratch_matrix a = simple(N, CLSOLVE_COLUMN_MAJOR, CLSOLVE_LOWER, -1, -1, 0), b = test_ones(type, N, NRHS);
    OWNED(cholesky) *cholesky = make(N, NULL);
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
}

/* From n = 2048 on, on NVIDIA's GPUs from 8192 on, a factorization that has failed is not carried on: few products follow, and
 * info is right. */
TEST(test_stops_early) {
    enum { N = 2100, BAD = 70 };
    clsolve_cholesky_options options = {.block = 64};
    test_matrix a, good;
    OWNED(cholesky) *cholesky = NULL;
    clsolve_report report;
    if (reduced) skip();
    cholesky = make(N, &options);
    a = simple(N, CLSOLVE_COLUMN_MAJOR, CLSOLVE_LOWER, BAD, BAD, -1);
    good = simple(N, CLSOLVE_COLUMN_MAJOR, CLSOLVE_LOWER, -1, -1, 0);
    const int64_t before = context->device->counters.launches;
    EXPECT(clsolve_cholesky_factor(cholesky, CLSOLVE_LOWER, &a.view), CLSOLVE_NOT_POSITIVE_DEFINITE, "order 71 ");
    const int64_t failed = context->device->counters.launches - before;
    assert_int_equal(clsolve_cholesky_report(cholesky, &report), CLSOLVE_OK);
    assert_int_equal(report.info, BAD + 1);
    assert_int_equal(clsolve_cholesky_factor(cholesky, CLSOLVE_LOWER, &good.view), CLSOLVE_OK);
    const int64_t whole = context->device->counters.launches - before - failed;
    if (context->device->matrix_unit == 0) assert_true(whole < 40 || failed < whole / 2); /* LAPACK's has no launches */
    test_matrix_free(&a);
    test_matrix_free(&good);
}

int main(void) {
    test_require_device();
    test_cholesky_require_panel();
    reduced = test_reduced();
    (void)open_context(NULL);
    type = clsolve_context_device(context).fp64 ? CLSOLVE_F64 : CLSOLVE_F32;
    return test_run(NULL, close_context);
}
