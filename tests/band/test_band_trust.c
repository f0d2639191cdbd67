/* Scaling, refinement, mixed precision and devices without double; the condition number against LAPACK's. */
#include "band/band_support.h"

#include "api/context.h"
#include "method/band/direct.h"

#include <float.h>
#include <lapacke.h>
#include "support/fixture.h"

static int fp64;

typedef struct outcome {
    clsolve_status factored, solved;
    clsolve_report report;
    double ratio;
} outcome;

static outcome solve(const test_band *A, const clsolve_band_options *options, clsolve_op op, clsolve_layout layout,
                     int64_t cols) {
    int64_t n = A->n;
    SCRATCH double *T = test_doubles(n * cols), *B = test_doubles(n * cols), *X = test_doubles(n * cols);
    scratch_matrix ab = test_band_view(A, options->form, layout, 1, (double)NAN);
    scratch_matrix b = test_matrix_make(A->type, layout, n, cols, 1);
    test_random random = test_random_start((uint64_t)(n + cols));
    clsolve_band *band = NULL;
    outcome out = {.solved = CLSOLVE_OK};

    test_random_fill(&random, T, n * cols);
    test_band_multiply(A, op, cols, T, B);
    for (int64_t k = 0; k < n * cols; ++k) B[k] = test_rounded(A->type, B[k]);
    test_matrix_set(&b, B);
    BAND_EXPECT(context, clsolve_band_create(context, n, A->kl, A->ku, A->type, options, &band), CLSOLVE_OK);
    out.factored = clsolve_band_factor(band, &ab.view);
    if (out.factored == CLSOLVE_OK) out.solved = clsolve_band_solve(band, op, &b.view);
    out.report = test_band_report(band);
    test_matrix_get(&b, X);
    test_matrix_spare_intact(&b);
    if (out.factored != CLSOLVE_OK || out.solved != CLSOLVE_OK) assert_memory_equal(X, B, (size_t)(n * cols) * 8);
    out.ratio = test_band_ratio(A, op, cols, X, B);
    clsolve_band_destroy(band);
    return out;
}

#define SOLVED(out)                                                                                                    \
    do {                                                                                                               \
        if ((out).factored != CLSOLVE_OK || (out).solved != CLSOLVE_OK || !((out).ratio < RATIO_BOUND))                \
            fail_msg("%s, %s, ratio %g: %s", clsolve_status_name((out).factored), clsolve_status_name((out).solved),   \
                     (out).ratio, clsolve_context_message(context));                                                   \
    } while (0)

/* Double answers from float factors, in every form; also from a window. */
TEST(test_mixed) {
    static const int64_t shapes[][3] = {{1, 0, 0}, {5, 1, 1}, {60, 3, 7}, {133, 20, 11}, {80, 0, 4}, {40, 60, 60}};
    test_random random = test_random_start(1);

    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; ++s)
        for (int op = CLSOLVE_NO_TRANS; op <= CLSOLVE_TRANS; ++op)
            for (int layout = CLSOLVE_COLUMN_MAJOR; layout <= CLSOLVE_ROW_MAJOR; ++layout) {
                scratch_band A = test_band_random(&random, CLSOLVE_F64, shapes[s][0], shapes[s][1], shapes[s][2], 6);
                clsolve_band_options options = test_band_options();
                options.precision = CLSOLVE_PRECISION_MIXED;
                options.form = layout == CLSOLVE_COLUMN_MAJOR ? CLSOLVE_BAND_GBTRF : CLSOLVE_BAND_PLAIN;
                options.block = 16;
                outcome out = solve(&A, &options, (clsolve_op)op, (clsolve_layout)layout, 19);
                SOLVED(out);
                assert_string_equal(out.report.precision, "mixed");
                assert_null(out.report.direct.fallback);
                assert_true(out.report.refinement.backward_error < 1e-14);
            }
}

/* Too hard for float factors: double ones where there are any, GMRES or an honest refusal where not. */
TEST(test_fallback) {
    test_random random = test_random_start(2);
    int64_t n = 200;
    scratch_band A = test_band_random(&random, CLSOLVE_F64, n, 1, 1, 0);
    clsolve_band_options options = test_band_options();
    /* Pairs of columns that differ little: a condition of some 1e12; of the first float's pivot is zero whatever its roundings. */
    *test_band_at(&A, 0, 0) = 4;
    *test_band_at(&A, 1, 0) = 2;
    for (int64_t j = 0; j < n; j += 2) {
        *test_band_at(&A, j, j + 1) = *test_band_at(&A, j, j) * (1 + 1e-12);
        *test_band_at(&A, j + 1, j + 1) = *test_band_at(&A, j + 1, j) * (1 - 1e-12);
        if (j > 0) *test_band_at(&A, j, j - 1) = *test_band_at(&A, j - 1, j) = 0;
    }
    options.precision = CLSOLVE_PRECISION_MIXED;
    options.rcond = 1;
    outcome out = solve(&A, &options, CLSOLVE_NO_TRANS, CLSOLVE_COLUMN_MAJOR, 1);
    if (fp64) {
        SOLVED(out);
        assert_string_equal(out.report.precision, "double");
        assert_non_null(out.report.direct.fallback);
        assert_true(out.report.direct.rcond > 0 && out.report.direct.rcond < 1e-9);
    } else {
        assert_int_equal(out.factored, CLSOLVE_OK);
        if (out.solved == CLSOLVE_OK)
            SOLVED(out);
        else
            assert_int_equal(out.solved, CLSOLVE_NOT_CONVERGED);
    }
    /* A column of zeros is singular in any precision. */
    for (int64_t i = 0; i < n; ++i)
        if (test_band_at(&A, i, 30)) *test_band_at(&A, i, 30) = 0;
    out = solve(&A, &options, CLSOLVE_NO_TRANS, CLSOLVE_COLUMN_MAJOR, 1);
    assert_int_equal(out.factored, CLSOLVE_SINGULAR);
    assert_true(out.report.direct.rcond == 0);
}

/* Rows that differ by hundreds of orders of magnitude. */
TEST(test_scaling) {
    test_random random = test_random_start(3);
    int64_t n = 90;

    for (int t = 0; t < 1 + fp64; ++t) {
        clsolve_type type = t == 0 ? CLSOLVE_F32 : CLSOLVE_F64;
        int most = type == CLSOLVE_F64 ? 900 : 100;
        scratch_band A = test_band_random(&random, type, n, 4, 7, 5);
        clsolve_band_options options = test_band_options();
        for (int64_t j = 0; j < n; ++j)
            for (int64_t i = 0; i < n; ++i)
                if (test_band_at(&A, i, j))
                    *test_band_at(&A, i, j) = ldexp(*test_band_at(&A, i, j), (int)(most * (i % 7 - 3) / 4));
        options.equilibrate = 1;
        options.block = 16;
        outcome out = solve(&A, &options, CLSOLVE_NO_TRANS, CLSOLVE_COLUMN_MAJOR, 3);
        SOLVED(out);
        assert_int_equal(out.report.direct.equilibrated & 1, 1);
        assert_int_equal(out.report.iterations, 0);
        double wanted = out.report.direct.log_abs_det;
        options.refine = 1;
        out = solve(&A, &options, CLSOLVE_NO_TRANS, CLSOLVE_ROW_MAJOR, 3);
        SOLVED(out);
        assert_true(out.report.refinement.history_length > 0);
        assert_true(fabs(out.report.direct.log_abs_det - wanted) < 1e-3 * (1 + fabs(wanted)));
    }
}

/* Within a factor of three of LAPACK's gbcon, both being estimates from below. */
TEST(test_rcond) {
    test_random random = test_random_start(4);

    for (int64_t n = 2; n < 200; n = 3 * n + 1) {
        clsolve_type type = fp64 ? CLSOLVE_F64 : CLSOLVE_F32;
        int64_t kl = n > 5 ? 5 : 1, ku = n > 3 ? 3 : 1, rows = 2 * kl + ku + 1;
        scratch_band A = test_band_random(&random, type, n, kl, ku, 0);
        double *AFB = test_doubles(rows * n), expected = 0;
        SCRATCH int64_t *ipiv = test_room(n, sizeof *ipiv);
        SCRATCH lapack_int *pivots = test_room(n, sizeof *pivots);
        clsolve_band_options options = test_band_options();
        options.rcond = 1;
        options.block = 16;
        assert_int_equal(test_band_lapack(&A, ipiv, AFB), 0);
        for (int64_t k = 0; k < n; ++k) pivots[k] = (lapack_int)ipiv[k];
        assert_int_equal(LAPACKE_dgbcon(LAPACK_COL_MAJOR, '1', (lapack_int)n, (lapack_int)kl, (lapack_int)ku, AFB,
                                        (lapack_int)rows, pivots, test_band_norm(&A, CLSOLVE_NO_TRANS), &expected),
                         0);
        outcome out = solve(&A, &options, CLSOLVE_NO_TRANS, CLSOLVE_COLUMN_MAJOR, 1);
        if (!(out.report.direct.rcond < 3 * expected && out.report.direct.rcond > expected / 3))
            fail_msg("n %d: rcond %g, LAPACK's %g", (int)n, out.report.direct.rcond, expected);
        free(AFB);
    }
}

/* Matrices of numbers near the smallest, and right-hand sides of such numbers and of others: as good as of others. */
static void check_tiny(const test_band *A, int down, const clsolve_band_options *options, clsolve_op op) {
    int64_t n = A->n, cols = 2;
    SCRATCH double *B = test_doubles(n * cols), *X = test_doubles(n * cols);
    test_random random = test_random_start((uint64_t)(n + down));
    scratch_band tiny = {A->type, n, A->kl, A->ku, test_doubles(n * (A->kl + A->ku + 1))};
    scratch_matrix b = test_matrix_make(A->type, CLSOLVE_ROW_MAJOR, n, cols, 1);
    OWNED(band) *band = NULL;

    for (int64_t k = 0; k < n * (A->kl + A->ku + 1); ++k) tiny.values[k] = ldexp(A->values[k], -down);
    scratch_matrix ab = test_band_view(&tiny, options->form, CLSOLVE_COLUMN_MAJOR, 1, (double)NAN);
    BAND_EXPECT(context, clsolve_band_create(context, n, A->kl, A->ku, A->type, options, &band), CLSOLVE_OK);
    BAND_EXPECT(context, clsolve_band_factor(band, &ab.view), CLSOLVE_OK);
    double det = test_band_report(band).direct.log_abs_det + (double)n * down * log(2), once = 0;
    for (int up = 0; up <= down / 2; up += down / 2) { /* B by 2^-down, and by half as much */
        test_random_fill(&random, X, n * cols);
        test_band_multiply(A, op, cols, X, B);
        for (int64_t k = 0; k < n * cols; ++k) B[k] = test_rounded(A->type, B[k]);
        for (int64_t k = 0; k < n * cols; ++k) X[k] = ldexp(B[k], up - down);
        test_matrix_set(&b, X);
        BAND_EXPECT(context, clsolve_band_solve(band, op, &b.view), CLSOLVE_OK);
        test_matrix_get(&b, X);
        for (int64_t k = 0; k < n * cols; ++k) X[k] = ldexp(X[k], -up);
        double ratio = test_band_ratio(A, op, cols, X, B);
        if (!(ratio < RATIO_BOUND)) fail_msg("2^-%d, n %d: ratio %g", down, (int)n, ratio);
    }
    clsolve_report r = test_band_report(band);
    if (options->rcond) assert_true(r.direct.rcond > 1e-3 && r.direct.rcond <= 1);
    if (options->precision == CLSOLVE_PRECISION_MIXED) assert_string_equal(r.precision, "mixed");
    /* The determinant of what is 2^down times as large. */
    clsolve_band_options plain = test_band_options();
    outcome whole = solve(A, &plain, CLSOLVE_NO_TRANS, CLSOLVE_COLUMN_MAJOR, 1);
    once = whole.report.direct.log_abs_det;
    if (!(fabs(det - once) < 1e-3 * (double)n)) fail_msg("2^-%d: log|det| %g, of the other %g", down, det, once);
}

TEST(test_tiny) {
    static const int downs[] = {300, 660, 960, 1010};
    test_random random = test_random_start(6);

    for (int64_t n = 1; n < 60; n = 5 * n + 2) {
        test_band A = test_band_random(&random, CLSOLVE_F64, n, 3, 2, 9);
        for (int k = 0; k < 4; ++k)
            for (int way = 0; way < 4; ++way) {
                clsolve_band_options options = test_band_options();
                options.precision = way == 1 ? CLSOLVE_PRECISION_MIXED : CLSOLVE_PRECISION_WORKING;
                options.refine = way == 2;
                options.equilibrate = way == 3;
                options.rcond = way > 0;
                options.block = 16;
                check_tiny(&A, downs[k], &options, k % 2 ? CLSOLVE_TRANS : CLSOLVE_NO_TRANS);
            }
        test_band_free(&A);
        A = test_band_random(&random, CLSOLVE_F32, n, 3, 2, 9);
        for (int refine = 0; refine < 2; ++refine) {
            clsolve_band_options options = test_band_options();
            options.refine = refine;
            options.equilibrate = !refine;
            check_tiny(&A, 115, &options, CLSOLVE_TRANS);
        }
        test_band_free(&A);
    }
}

/* The copy of A: the norms that backward errors and conditions are measured by. */
TEST(test_norms) {
    test_random random = test_random_start(9);
    for (int64_t n = 1; n < 50; n = 3 * n + 1) {
        scratch_band A = test_band_random(&random, CLSOLVE_F64, n, n < 4 ? 0 : 3, n < 4 ? 0 : 2, 0);
        scratch_matrix ab = test_band_view(&A, CLSOLVE_BAND_PLAIN, CLSOLVE_ROW_MAJOR, 1, (double)NAN);
        cls_band shape = {.type = CLSOLVE_F64, .n = n, .rows = n, .cols = n, .kl = A.kl, .ku = A.ku};
        cls_band_source source = {.view = &ab.view};
        cls_copy copy = {0};
        double largest = 0;
        for (int64_t k = 0; k < n * (A.kl + A.ku + 1); ++k) largest = fmax(largest, fabs(A.values[k]));
        assert_int_equal(cls_copy_setup_band(context->device, n, A.kl, A.ku, CLSOLVE_F64, &copy), CLSOLVE_OK);
        cls_band_copy_take(&copy, &shape, &source, 0);
        double one = test_band_norm(&A, CLSOLVE_NO_TRANS) * CLS_NORM_SCALE;
        double inf = test_band_norm(&A, CLSOLVE_TRANS) * CLS_NORM_SCALE;
        assert_true(copy.measures.row < 0 && copy.measures.largest == largest);
        assert_true(fabs(copy.measures.norm1 - one) < 1e-14 * one && fabs(copy.norm_inf - inf) < 1e-14 * inf);
        cls_copy_release(&copy);
    }
}

/* An answer that leaves the range: what the report says of it are numbers, or -1 where there is none. */
TEST(test_overflow) {
    if (!fp64) skip();
    for (int mixed = 0; mixed < 2; ++mixed) {
        test_random random = test_random_start(8);
        scratch_band A = test_band_random(&random, CLSOLVE_F64, 20, 3, 2, 5);
        clsolve_band_options options = test_band_options();
        OWNED(band) *band = NULL;
        double B[20], X[20];
        options.refine = !mixed;
        options.precision = mixed ? CLSOLVE_PRECISION_MIXED : CLSOLVE_PRECISION_WORKING;
        for (int64_t k = 0; k < 20 * 6; ++k) A.values[k] = ldexp(A.values[k], -600);
        for (int i = 0; i < 20; ++i) B[i] = X[i] = ldexp(1, 500);
        scratch_matrix ab = test_band_view(&A, CLSOLVE_BAND_PLAIN, CLSOLVE_COLUMN_MAJOR, 0, (double)NAN);
        clsolve_matrix b = clsolve_matrix_f64(20, 1, X);
        BAND_EXPECT(context, clsolve_band_create(context, 20, 3, 2, CLSOLVE_F64, &options, &band), CLSOLVE_OK);
        BAND_EXPECT(context, clsolve_band_factor(band, &ab.view), CLSOLVE_OK);
        BAND_EXPECT(context, clsolve_band_solve(band, CLSOLVE_NO_TRANS, &b), CLSOLVE_OVERFLOW);
        assert_memory_equal(X, B, sizeof X);
        clsolve_report r = test_band_report(band);
        assert_true(r.refinement.backward_error == -1 ||
                    (r.refinement.backward_error >= 0 && r.refinement.backward_error <= 1));
        assert_true(r.refinement.history_length > 0);
        for (int64_t k = 0; k < r.refinement.history_length; ++k)
            assert_true(r.refinement.history[k] >= -1 && r.refinement.history[k] <= 1);
    }
}

/* A memory limit that leaves no room for double factors: those of float do, mended, where they can, and a matrix that is singular
 * is called so. */
TEST(test_no_room) {
    clsolve_band_options options = test_band_options();
    clsolve_band *band = NULL;

    options.precision = CLSOLVE_PRECISION_MIXED;
    for (int64_t n = 1; n < 40; n *= 5) {
        test_random random = test_random_start(7 + (uint64_t)n);
        scratch_band A = test_band_random(&random, CLSOLVE_F64, n, 1, 1, 4);
        int64_t limit = 1 << 16;
        clsolve_status status = CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY;
        for (; status == CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY; limit += 128) {
            options.memory_limit = limit;
            status = clsolve_band_create(context, n, 1, 1, CLSOLVE_F64, &options, &band);
        }
        BAND_EXPECT(context, status, CLSOLVE_OK);
        if (n > 1) { /* the last two equal in float, not in double */
            *test_band_at(&A, n - 2, n - 2) = 4;
            *test_band_at(&A, n - 2, n - 1) = 4 * (1 + 1e-9);
            *test_band_at(&A, n - 1, n - 2) = 2;
            *test_band_at(&A, n - 1, n - 1) = 2 * (1 - 1e-9);
            if (n > 2) *test_band_at(&A, n - 2, n - 3) = *test_band_at(&A, n - 3, n - 2) = 0;
            outcome out = solve(&A, &options, CLSOLVE_NO_TRANS, CLSOLVE_COLUMN_MAJOR, 2);
            SOLVED(out);
        }
        /* A column of zeros, or a row. */
        for (int64_t i = 0; i < n; ++i) {
            double *a = n != 5 ? test_band_at(&A, i, n - 1) : test_band_at(&A, n - 1, i);
            if (a) *a = 0;
        }
        scratch_matrix ab = test_band_view(&A, options.form, CLSOLVE_COLUMN_MAJOR, 0, (double)NAN);
        BAND_EXPECT(context, clsolve_band_factor(band, &ab.view), CLSOLVE_SINGULAR);
        assert_int_equal(test_band_report(band).info, n);
        clsolve_band_destroy(band);
    }
}

/* A handle of doubles where there are none. */
TEST(test_no_double) {
    test_random random = test_random_start(5);
    scratch_band A = test_band_random(&random, CLSOLVE_F64, 150, 20, 9, 5);
    clsolve_band_options options = test_band_options();

    if (fp64) skip();
    outcome out = solve(&A, &options, CLSOLVE_TRANS, CLSOLVE_COLUMN_MAJOR, 2);
    SOLVED(out);
    assert_string_equal(out.report.precision, "mixed");
}

int main(void) {
    test_require_device();
    (void)open_context(NULL);
    fp64 = clsolve_context_device(context).fp64;
    return test_run(NULL, close_context);
}
