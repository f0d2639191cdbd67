/*
 * Cholesky under a memory limit, in real types: the same answers from less memory, what crosses, what is refused. Complex ones
 * are in test_cholesky_complex.c, faults in test_cholesky_faults.c.
 */
#include <clsolve/clsolve.h>

#include "api/cholesky.h"
#include "api/context.h"
#include "cholesky/cholesky_support.h"
#include "support/fixture.h"

enum { N = 421, NRHS = 150 };

static double A[N * N], F[N * N], X[N * NRHS], B[N * NRHS];

static int64_t size_of(clsolve_type type) {
    return type == CLSOLVE_F32 ? 4 : 8;
}

static clsolve_report report_of(const clsolve_cholesky *handle) {
    clsolve_report report;
    assert_int_equal(clsolve_cholesky_report(handle, &report), CLSOLVE_OK);
    return report;
}

static clsolve_cholesky *make(clsolve_type type, clsolve_cholesky_options options) {
    clsolve_cholesky *handle = NULL;
    options.panel = test_cholesky_options().panel;
    if (clsolve_cholesky_create(context, N, type, &options, &handle) != CLSOLVE_OK)
        fail_msg("%s", clsolve_context_message(context));
    return handle;
}

static clsolve_status factor(clsolve_cholesky *handle, clsolve_type type, clsolve_layout layout, clsolve_uplo uplo) {
    scratch_matrix a = test_matrix_make(type, layout, N, N, 2);
    triangle_set(&a, uplo, A);
    const clsolve_status status = clsolve_cholesky_factor(handle, uplo, &a.view);
    triangle_rest_intact(&a, uplo);
    return status;
}

static void bounded(const char *what, clsolve_type type, double ratio) {
    if (!(ratio < RATIO_BOUND)) fail_msg("%s, type %d: ratio %g", what, (int)type, ratio);
}

/* Factor, solve, export and inverse; `nrhs` more than the window has columns, or few. */
static void check(clsolve_cholesky *handle, test_random *random, clsolve_type type, clsolve_layout layout,
                  clsolve_uplo uplo, int64_t nrhs, int exports) {
    const clsolve_uplo other = uplo == CLSOLVE_LOWER ? CLSOLVE_UPPER : CLSOLVE_LOWER;
    test_matrix b = test_matrix_make(type, layout, N, nrhs, 1), f = test_matrix_make(type, layout, N, N, 3);

    if (factor(handle, type, layout, uplo) != CLSOLVE_OK) fail_msg("%s", clsolve_context_message(context));
    for (int64_t k = 0; k < N * nrhs; ++k) B[k] = test_rounded(type, test_random_signed(random));
    test_matrix_set(&b, B);
    if (clsolve_cholesky_solve(handle, &b.view) != CLSOLVE_OK) fail_msg("%s", clsolve_context_message(context));
    test_matrix_get(&b, X);
    test_matrix_spare_intact(&b);
    bounded("solve", type, ratio_solve(type, CLSOLVE_NO_TRANS, N, nrhs, A, X, B));
    for (int inverse = 0; inverse < 2 * exports; ++inverse) {
        triangle_set(&f, other, F);
        assert_int_equal((inverse ? clsolve_cholesky_inverse : clsolve_cholesky_factors)(handle, other, &f.view),
                         CLSOLVE_OK);
        triangle_get(&f, other, F);
        triangle_rest_intact(&f, other);
        bounded(inverse ? "inverse" : "factor", type, (inverse ? ratio_inverse : ratio_cholesky)(type, N, A, F));
    }
    test_matrix_free(&b);
    test_matrix_free(&f);
}

/* The factor out and in again, by either triangle: solves go on. */
static void check_import(clsolve_cholesky *handle, clsolve_type type, clsolve_layout layout, clsolve_uplo uplo) {
    scratch_matrix f = test_matrix_make(type, layout, N, N, 1), b = test_matrix_make(type, layout, N, 2, 0);
    triangle_set(&f, uplo, F);
    assert_int_equal(clsolve_cholesky_factors(handle, uplo, &f.view), CLSOLVE_OK);
    if (clsolve_cholesky_import(handle, uplo, &f.view) != CLSOLVE_OK) fail_msg("%s", clsolve_context_message(context));
    test_matrix_set(&b, B);
    assert_int_equal(clsolve_cholesky_solve(handle, &b.view), CLSOLVE_OK);
    test_matrix_get(&b, X);
    bounded("import", type, ratio_solve(type, CLSOLVE_NO_TRANS, N, 2, A, X, B));
}

static int has(clsolve_type type) {
    return type == CLSOLVE_F32 || clsolve_context_device(context).fp64;
}

/* From two panels to the whole: always right, and the device's memory within the limit. */
TEST(test_limits) {
    test_random random = test_random_start(1);
    for (int type = CLSOLVE_F32; type <= CLSOLVE_F64; ++type) {
        if (!has((clsolve_type)type)) continue;
        const clsolve_type t = (clsolve_type)type;
        const int64_t whole = N * N * size_of(t), least = cholesky_least_limit(context, t, N, NULL);
        int turn = type, in_core = 0;
        spd_make(&random, t, SPD_WELL, N, A);
        for (int64_t limit = least; limit < 3 * whole; limit += whole / (test_reduced() ? 1 : 3), ++turn) {
            const int64_t before = context->device->counters.buffer_bytes;
            OWNED(cholesky) *handle = make(t, (clsolve_cholesky_options){.memory_limit = limit});
            const clsolve_report report = report_of(handle);
            assert_in_range(context->device->counters.buffer_bytes - before, 1, limit);
            if (limit == least) assert_true(report.slab_columns > 0 && report.host_bytes == whole && report.slabs > 1);
            if (report.slab_columns == 0) in_core = 1;
            if (in_core) assert_int_equal(report.slab_columns, 0); /* once a limit is enough, more of it is too */
            check(handle, &random, t, turn % 2 ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR,
                  turn / 2 % 2 ? CLSOLVE_UPPER : CLSOLVE_LOWER, in_core ? 3 : NRHS, 1);
            check_import(handle, t, turn / 2 % 2 ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR,
                         turn % 2 ? CLSOLVE_UPPER : CLSOLVE_LOWER);
        }
        assert_true(in_core);
    }
}

/* Scaling, a tiny matrix, copies of A, factors in float, blocks; the condition. */
TEST(test_options) {
    static const clsolve_cholesky_options all[] = {{.block = 64, .rcond = 1},
                                                   {.equilibrate = 1, .rcond = 1},
                                                   {.refine = 1},
                                                   {.precision = CLSOLVE_PRECISION_MIXED}};
    test_random random = test_random_start(2);
    for (size_t o = 0; o < sizeof all / sizeof *all; ++o)
        for (int shape = 0; shape < 4; ++shape) {
            const clsolve_type t = has(CLSOLVE_F64) || all[o].precision ? CLSOLVE_F64 : CLSOLVE_F32;
            clsolve_cholesky_options options = all[o];
            options.memory_limit = cholesky_least_limit(context, t, N, &options);
            OWNED(cholesky) *handle = make(t, options);
            assert_true(report_of(handle).slab_columns > 0);
            spd_make(&random, t, o == 0 && shape % 2 ? SPD_TINY : o == 1 ? SPD_GRADED : SPD_WELL, N, A);
            check(handle, &random, t, shape % 2 ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR,
                  shape / 2 ? CLSOLVE_UPPER : CLSOLVE_LOWER, 2, o != 3 && !(o == 0 && shape % 2));
            if (options.rcond && o == 0) assert_in_range(1e3 * report_of(handle).direct.rcond, 100, 1000);
            assert_int_equal(report_of(handle).direct.det_sign, 1);
        }
}

/* A right-hand side as tiny as the matrix, which is multiplied as a whole before it is factored. */
TEST(test_tiny) {
    const clsolve_type t = has(CLSOLVE_F64) ? CLSOLVE_F64 : CLSOLVE_F32;
    const double tiny = t == CLSOLVE_F64 ? 0x1p-1000 : 0x1p-120;
    clsolve_cholesky_options options = {.block = 64};
    scratch_matrix b = test_matrix_make(t, CLSOLVE_COLUMN_MAJOR, N, 1, 0);
    options.memory_limit = cholesky_least_limit(context, t, N, &options);
    OWNED(cholesky) *handle = make(t, options);
    assert_true(report_of(handle).slab_columns > 0);
    for (int64_t i = 0; i < N * N; ++i) A[i] = i % (N + 1) == 0 ? 2 * tiny : 0;
    for (int64_t i = 0; i < N; ++i) B[i] = 2 * tiny;
    test_matrix_set(&b, B);
    assert_int_equal(factor(handle, t, CLSOLVE_COLUMN_MAJOR, CLSOLVE_LOWER), CLSOLVE_OK);
    assert_int_equal(clsolve_cholesky_solve(handle, &b.view), CLSOLVE_OK);
    test_matrix_get(&b, X);
    for (int64_t i = 0; i < N; ++i) assert_true(fabs(X[i] - 1) < 1e-5);
}

/* A minor that is not positive in each slab, NaN, an X that overflows; then the handle takes a good matrix. */
TEST(test_refused) {
    const clsolve_type t = has(CLSOLVE_F64) ? CLSOLVE_F64 : CLSOLVE_F32;
    static const int64_t bad[] = {0, 63, 64, 128, N - 1};
    test_random random = test_random_start(3);
    OWNED(cholesky) *handle =
        make(t, (clsolve_cholesky_options){.memory_limit = cholesky_least_limit(context, t, N, NULL)});
    scratch_matrix b = test_matrix_make(t, CLSOLVE_ROW_MAJOR, N, NRHS, 1);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        spd_make(&random, t, SPD_WELL, N, A);
        A[bad[k] * (N + 1)] = -1;
        assert_int_equal(factor(handle, t, CLSOLVE_ROW_MAJOR, CLSOLVE_LOWER), CLSOLVE_NOT_POSITIVE_DEFINITE);
        assert_int_equal(report_of(handle).info, bad[k] + 1);
        A[bad[k] * (N + 1)] = (double)NAN;
        assert_int_equal(factor(handle, t, CLSOLVE_COLUMN_MAJOR, CLSOLVE_UPPER), CLSOLVE_ERROR_NONFINITE);
    }
    memset(A, 0, sizeof A);
    for (int64_t k = 0; k < N; ++k) A[k * (N + 1)] = 0.125;
    assert_int_equal(factor(handle, t, CLSOLVE_ROW_MAJOR, CLSOLVE_LOWER), CLSOLVE_OK);
    for (int wrong = 0; wrong < 2; ++wrong) {
        for (int64_t k = 0; k < N * NRHS; ++k) B[k] = 1;
        B[7 + (NRHS - 1) * N] = !wrong ? (double)NAN : t == CLSOLVE_F64 ? 1e308 : 3e38;
        test_matrix_set(&b, B);
        assert_int_equal(clsolve_cholesky_solve(handle, &b.view), wrong ? CLSOLVE_OVERFLOW : CLSOLVE_ERROR_NONFINITE);
        if (!strstr(clsolve_context_message(context), wrong ? ",150)" : "B(8,150)"))
            fail_msg("%s", clsolve_context_message(context));
        test_matrix_get(&b, X);
        for (int64_t k = 0; k < N * NRHS; ++k) assert_true(isnan(B[k]) ? isnan(X[k]) : X[k] == test_rounded(t, B[k]));
    }
    spd_make(&random, t, SPD_WELL, N, A);
    check(handle, &random, t, CLSOLVE_COLUMN_MAJOR, CLSOLVE_LOWER, 2, 1);
}

/* What crosses, to the byte: the slabs' rows from the diagonal on up and down, and for each slab the L left of it. */
TEST(test_transfers) {
    const int64_t size = 4;
    test_random random = test_random_start(4);
    OWNED(cholesky) *handle = make(
        CLSOLVE_F32,
        (clsolve_cholesky_options){.block = 64, .memory_limit = cholesky_least_limit(context, CLSOLVE_F32, N, NULL)});
    const int64_t slab = report_of(handle).slab_columns, block = handle->factors.out.block;
    int64_t up = 0, down = 0;
    for (int64_t s = 0; s < N; s += slab) {
        down += (N - s) * (N - s < slab ? N - s : slab);
        for (int64_t j = 0; j < s; j += block) up += (N - j) * block;
    }
    spd_make(&random, CLSOLVE_F32, SPD_WELL, N, A);
    assert_int_equal(factor(handle, CLSOLVE_F32, CLSOLVE_COLUMN_MAJOR, CLSOLVE_LOWER), CLSOLVE_OK);
    assert_int_equal(report_of(handle).bytes_up, (up + down) * size);
    assert_in_range(report_of(handle).bytes_down, down * size, down * size + 512);
}

TEST_PROGRAM(open_context, close_context)
