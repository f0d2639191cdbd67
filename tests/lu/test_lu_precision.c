/*
 * CLSOLVE_PRECISION_AUTO where double is slow: float factors, and no answer, status, condition number or export that
 * differs from those of double. CLSOLVE_PRETEND=double-ratio=... lets any device with memory of its own be such a device.
 */
#define _POSIX_C_SOURCE 200809L

#include "lu/refine_support.h"

#include "api/context.h"
#include "blas/blas.h"
#include "device/opencl/opencl.h"
#include "method/direct/precision.h"

enum { N = 90 };

/* Where the choice is open at all. */
static int is_open(void) {
    return rs_fp64 && !cls_in_place(rs_context->device);
}

static rs_outcome with(clsolve_precision precision, const double *A, int64_t n, int rcond) {
    test_random random = test_random_start(50);
    clsolve_lu_options options = {.panel = rs_plain.panel, .precision = precision, .rcond = rcond};
    return rs_solve(&random, &options, CLSOLVE_COLUMN_MAJOR, CLSOLVE_NO_TRANS, n, 3, A);
}

TEST(test_choice) {
    test_random random = test_random_start(51);
    SCRATCH double *A = test_doubles(N * N);
    test_with_condition(&random, N, 3, 1e3, A);
    test_pretend("double-ratio=32");
    rs_outcome slow = with(CLSOLVE_PRECISION_AUTO, A, N, 0), asked = with(CLSOLVE_PRECISION_WORKING, A, N, 0);
    test_pretend("double-ratio=2");
    rs_outcome fast = with(CLSOLVE_PRECISION_AUTO, A, N, 0), mixed = with(CLSOLVE_PRECISION_MIXED, A, N, 0);
    test_pretend(NULL);
    assert_true(slow.solved == CLSOLVE_OK && asked.solved == CLSOLVE_OK && fast.solved == CLSOLVE_OK);
    assert_string_equal(slow.report.precision, !rs_fp64 || is_open() ? "mixed" : "double");
    assert_string_equal(asked.report.precision, rs_fp64 ? "double" : "mixed");
    assert_string_equal(fast.report.precision, rs_fp64 ? "double" : "mixed");
    assert_string_equal(mixed.report.precision, "mixed");
    assert_non_null(strstr(asked.report.precision_reason, rs_fp64 ? "asked for" : "does not compute in double"));
    if (is_open()) assert_non_null(strstr(slow.report.precision_reason, "much slower in double"));
}

/* Options that leave no choice: the host's way to double is not to be lost by them. */
TEST(test_no_choice) {
    clsolve_lu_options options[] = {{.pivoting = CLSOLVE_PIVOTING_RBT}, {.memory_limit = 1 << 24}};
    if (!is_open()) skip();
    test_pretend("double-ratio=64");
    for (size_t k = 0; k < sizeof options / sizeof *options; ++k) {
        clsolve_lu *lu = NULL;
        clsolve_report report;
        assert_int_equal(clsolve_lu_create(rs_context, N, CLSOLVE_F64, &options[k], &lu), CLSOLVE_OK);
        assert_int_equal(clsolve_lu_report(lu, &report), CLSOLVE_OK);
        assert_string_equal(report.precision, "double");
        clsolve_lu_destroy(lu);
    }
    clsolve_band *band = NULL;
    clsolve_report report;
    assert_int_equal(clsolve_band_create(rs_context, N, 3, 3, CLSOLVE_F64, NULL, &band), CLSOLVE_OK);
    assert_int_equal(clsolve_band_report(band, &report), CLSOLVE_OK);
    assert_string_equal(report.precision, "double");
    clsolve_band_destroy(band);
    clsolve_lu *lu = NULL;
    assert_int_equal(clsolve_lu_create(rs_context, N, CLSOLVE_F32, NULL, &lu), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_report(lu, &report), CLSOLVE_OK);
    assert_string_equal(report.precision, "single");
    clsolve_lu_destroy(lu);
    test_pretend(NULL);
}

/* LAPACK's kinds, and conditions up to 1e18: the same status as double's; rs_solve checks the answer. */
TEST(test_as_double) {
    if (!rs_fp64) skip();
    test_random random = test_random_start(52);
    SCRATCH double *A = test_doubles(N * N);
    for (int kind = 1; kind <= 14; ++kind) {
        int64_t n = kind % 3 == 0 ? N / 2 : N;
        if (kind <= 11)
            test_kind_make(&random, CLSOLVE_F64, kind, n, A);
        else
            test_with_condition(&random, n, 3, kind == 12 ? 1e9 : kind == 13 ? 1e13 : 1e18, A);
        test_pretend(NULL);
        rs_outcome plain = with(CLSOLVE_PRECISION_WORKING, A, n, 1);
        test_pretend("double-ratio=32");
        rs_outcome automatic = with(CLSOLVE_PRECISION_AUTO, A, n, 1);
        test_pretend(NULL);
        assert_int_equal(automatic.factored, plain.factored);
        assert_int_equal(automatic.solved, plain.solved);
        assert_int_equal(automatic.report.direct.rcond_is_bound, 0);
        double a = automatic.report.direct.rcond, b = plain.report.direct.rcond;
        if (plain.factored == CLSOLVE_OK && b > 1e-14 && !(a < 5 * b && b < 5 * a))
            fail_msg("kind %d: rcond %g, in double %g", kind, a, b);
        if (plain.factored == CLSOLVE_OK && b < 1e-15) assert_true(a < 1e-13);
    }
}

/* Factors that are asked for are double ones, and the answers after that come from them. */
TEST(test_export) {
    if (!rs_fp64) skip();
    test_random random = test_random_start(53);
    SCRATCH double *A = test_doubles(N * N), *LU = test_doubles(N * N);
    double B[N];
    SCRATCH float *singles = test_room(N * N, sizeof *singles);
    int64_t ipiv[N];
    clsolve_matrix in_float = clsolve_matrix_f32(N, N, singles);
    clsolve_matrix a = clsolve_matrix_f64(N, N, A), lu_view = clsolve_matrix_f64(N, N, LU);
    clsolve_matrix b = clsolve_matrix_f64(N, 1, B);
    clsolve_lu_options options = {.panel = rs_plain.panel};
    clsolve_report report;
    OWNED(lu) *lu = NULL;
    test_random_fill(&random, A, N * N);
    test_random_fill(&random, B, N);
    test_pretend("double-ratio=32");
    assert_int_equal(clsolve_lu_create(rs_context, N, CLSOLVE_F64, &options, &lu), CLSOLVE_OK);
    for (int round = 0; round < 2; ++round) { /* the second factorization is of float again */
        assert_int_equal(clsolve_lu_factor(lu, &a), CLSOLVE_OK);
        assert_int_equal(clsolve_lu_report(lu, &report), CLSOLVE_OK);
        assert_string_equal(report.precision, is_open() ? "mixed" : "double");
        /* Who asks for float gets what the handle has. */
        assert_int_equal(clsolve_lu_factors(lu, &in_float, ipiv),
                         is_open() ? CLSOLVE_OK : CLSOLVE_ERROR_INVALID_ARGUMENT);
        assert_int_equal(clsolve_lu_report(lu, &report), CLSOLVE_OK);
        assert_string_equal(report.precision, is_open() ? "mixed" : "double");
        assert_int_equal(clsolve_lu_factors(lu, &lu_view, ipiv), CLSOLVE_OK);
        double ratio = ratio_factors(CLSOLVE_F64, N, A, LU, ipiv);
        if (!(ratio < RATIO_BOUND)) fail_msg("the exported factors: ratio %g", ratio);
        assert_int_equal(clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &b), CLSOLVE_OK);
        assert_int_equal(clsolve_lu_report(lu, &report), CLSOLVE_OK);
        assert_string_equal(report.precision, "double");
        if (is_open()) assert_string_equal(report.direct.fallback, "the factors were asked for");
    }
    test_pretend(NULL);
}

/* NVIDIA's GPUs through OpenCL, by their compute capability. */
TEST(test_known) {
    static const int half[] = {60, 70, 80, 90, 100}, slow[] = {61, 75, 86, 89, 120}, unknown[] = {0, 72, 87, 91, 999};
    for (int k = 0; k < 5; k++) {
        assert_int_equal(cls_opencl_double_ratio(half[k]), 2);
        assert_true(cls_opencl_double_ratio(slow[k]) == 32 || cls_opencl_double_ratio(slow[k]) == 64);
        assert_int_equal(cls_opencl_double_ratio(unknown[k]), 0);
    }
}

/* What the device tells is not measured, and does not stay where it tells nothing. */
TEST(test_told) {
    cls_device *device = rs_context->device;
    const int told = device->double_ratio;
    int ratio = -1;
    test_pretend(NULL);
    int64_t launches = device->counters.launches;
    device->double_ratio = 77;
    assert_int_equal(cls_double_ratio(device, &ratio), CLSOLVE_OK);
    assert_int_equal(ratio, rs_fp64 ? 77 : 0);
    assert_int_equal(device->counters.launches, launches);
    test_pretend("double-ratio=5"); /* which is stronger */
    assert_int_equal(cls_double_ratio(device, &ratio), CLSOLVE_OK);
    assert_int_equal(ratio, rs_fp64 ? 5 : 0);
    test_pretend(NULL);
    device->double_ratio = told;
}

/* Measured once; without double there is nothing to measure. */
TEST(test_ratio) {
    cls_device *device = rs_context->device;
    int first, second;
    const int told = device->double_ratio;
    test_pretend(NULL);
    device->double_ratio = 0;
    assert_int_equal(cls_double_ratio(device, &first), CLSOLVE_OK);
    int64_t launches = device->counters.launches;
    assert_int_equal(cls_double_ratio(device, &second), CLSOLVE_OK);
    assert_int_equal(device->counters.launches, launches);
    assert_int_equal(first, second);
    assert_true(rs_fp64 ? first >= 1 : first == 0);
    if (rs_fp64) assert_int_equal(device->ops->recall(device, "direct.double_ratio"), device->cache_folder ? first : 0);
    device->double_ratio = told;
}

TEST_PROGRAM(rs_open, rs_close)
