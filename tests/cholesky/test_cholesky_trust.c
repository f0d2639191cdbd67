/* Scaling, condition, refinement and mixed precision of Cholesky; imported factors; a real matrix. */
#include <clsolve/clsolve.h>

#include <lapacke.h>

#include "cholesky/cholesky_support.h"
#include "io/matrix_market.h"
#include "support/fixture.h"

static int fp64, reduced;

enum { N = 130, NRHS = 3 };

static clsolve_cholesky *make(int64_t n, clsolve_type type, clsolve_cholesky_options options) {
    clsolve_cholesky *cholesky = NULL;
    options.panel = test_cholesky_options().panel;
    if (clsolve_cholesky_create(context, n, type, &options, &cholesky) != CLSOLVE_OK)
        fail_msg("create: %s", clsolve_context_message(context));
    return cholesky;
}

static clsolve_report report_of(const clsolve_cholesky *cholesky) {
    clsolve_report report;
    assert_int_equal(clsolve_cholesky_report(cholesky, &report), CLSOLVE_OK);
    return report;
}

/* Factors A and solves for B = A X0 with some X0; returns LAPACK's ratio. */
static double solve(clsolve_cholesky *cholesky, clsolve_type type, clsolve_uplo uplo, int64_t n, const double *A) {
    test_random random = test_random_start(77);
    SCRATCH double *B = test_room(n * NRHS, sizeof *B), *X = test_room(n * NRHS, sizeof *X);
    scratch_matrix a = test_matrix_make(type, CLSOLVE_ROW_MAJOR, n, n, 1);
    scratch_matrix b = test_matrix_make(type, CLSOLVE_ROW_MAJOR, n, NRHS, 1);
    test_random_fill(&random, X, n * NRHS);
    for (int64_t c = 0; c < NRHS; ++c)
        for (int64_t j = 0; j < n; ++j)
            for (int64_t i = 0; i < n; ++i) B[i + c * n] += A[i + j * n] * X[j + c * n];
    for (int64_t k = 0; k < n * NRHS; ++k) B[k] = test_rounded(type, B[k]);
    triangle_set(&a, uplo, A);
    test_matrix_set(&b, B);
    if (clsolve_cholesky_factor(cholesky, uplo, &a.view) != CLSOLVE_OK)
        fail_msg("factor: %s", clsolve_context_message(context));
    triangle_rest_intact(&a, uplo);
    if (clsolve_cholesky_solve(cholesky, &b.view) != CLSOLVE_OK)
        fail_msg("solve: %s", clsolve_context_message(context));
    test_matrix_get(&b, X);
    const double ratio = ratio_solve(type, CLSOLVE_NO_TRANS, n, NRHS, A, X, B);
    return ratio;
}

static void in_types(void (*check)(clsolve_type type)) {
    check(CLSOLVE_F32);
    if (fp64) check(CLSOLVE_F64);
}

/* ---- equilibration ---- */

static void scaled_factor(clsolve_type type, clsolve_cholesky_options options) {
    static double A[N * N], F[N * N];
    test_random random = test_random_start(5);
    scratch_matrix f = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, N, N, 0);
    OWNED(cholesky) *cholesky = make(N, type, options);

    for (int kind = 0; kind < SPD_KINDS; ++kind) {
        if (kind == SPD_ILL) continue;
        spd_make(&random, type, (spd_kind)kind, N, A);
        const double ratio = solve(cholesky, type, CLSOLVE_UPPER, N, A);
        if (!(ratio < RATIO_BOUND)) fail_msg("%s: ratio %g", spd_names[kind], ratio);
        const clsolve_report report = report_of(cholesky);
        if (kind == SPD_GRADED && options.equilibrate) assert_int_equal(report.direct.equilibrated, 3);
        if (kind == SPD_WELL) assert_int_equal(report.direct.equilibrated, 0);
        /* The exported factor is A's own. */
        triangle_set(&f, CLSOLVE_LOWER, A);
        assert_int_equal(clsolve_cholesky_factors(cholesky, CLSOLVE_LOWER, &f.view), CLSOLVE_OK);
        triangle_get(&f, CLSOLVE_LOWER, F);
        const double of_factor = ratio_cholesky(type, N, A, F);
        if (!(of_factor < RATIO_BOUND)) fail_msg("factor, %s: ratio %g", spd_names[kind], of_factor);
        if (kind == SPD_TINY || kind == SPD_HUGE) continue;
        assert_int_equal(clsolve_cholesky_inverse(cholesky, CLSOLVE_LOWER, &f.view), CLSOLVE_OK);
        triangle_get(&f, CLSOLVE_LOWER, F);
        const double of_inverse = ratio_inverse(type, N, A, F);
        if (!(of_inverse < RATIO_BOUND)) fail_msg("inverse, %s: ratio %g", spd_names[kind], of_inverse);
    }
}

static void check_equilibrate(clsolve_type type) {
    scaled_factor(type, (clsolve_cholesky_options){.equilibrate = 1});
}

TEST(test_equilibrate) {
    in_types(check_equilibrate);
}

/* With a copy of A; the working precision's own refinement. */
static void check_refine(clsolve_type type) {
    scaled_factor(type, (clsolve_cholesky_options){.equilibrate = 1, .refine = 1});
    scaled_factor(type, (clsolve_cholesky_options){.refine = 1});
}

TEST(test_refine) {
    in_types(check_refine);
}

/* ---- condition ---- */

static void check_condition(clsolve_type type) {
    static double A[N * N], F[N * N];
    test_random random = test_random_start(6);
    double norm = 0, inverse = 0, rcond = -2;
    OWNED(cholesky) *cholesky = make(N, type, (clsolve_cholesky_options){.rcond = 1});

    spd_make(&random, type, SPD_GRADED, N, A);
    (void)solve(cholesky, type, CLSOLVE_LOWER, N, A);
    memcpy(F, A, sizeof F);
    assert_int_equal(LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', N, F, N), 0);
    assert_int_equal(LAPACKE_dpotri(LAPACK_COL_MAJOR, 'L', N, F, N), 0);
    norm = LAPACKE_dlansy(LAPACK_COL_MAJOR, '1', 'L', N, A, N);
    inverse = LAPACKE_dlansy(LAPACK_COL_MAJOR, '1', 'L', N, F, N);
    /* The estimate is never more than the norm of the inverse, and rarely less than a third. */
    const double exact = 1 / norm / inverse, told = report_of(cholesky).direct.rcond;
    assert_true(told > 0.9 * exact && told < 10 * exact);
    assert_int_equal(clsolve_cholesky_condition(cholesky, norm, &rcond), CLSOLVE_OK);
    assert_true(rcond > 0.9 * exact && rcond < 10 * exact);
    assert_int_equal(clsolve_cholesky_condition(cholesky, 0, &rcond), CLSOLVE_OK);
    assert_true(rcond == 0);
}

/* Estimated with the same bits, and only where it has to be. */
static void check_if_ill(clsolve_type type) {
    static double A[N * N];
    test_random random = test_random_start(8);
    for (int ill = 0; ill < 2; ++ill) {
        double told[2];
        spd_make(&random, type, ill ? SPD_ILL : SPD_WELL, N, A);
        for (int k = 0; k < 2; ++k) {
            OWNED(cholesky) *cholesky =
                make(N, type, (clsolve_cholesky_options){.rcond = k ? CLSOLVE_RCOND_IF_ILL : 1});
            (void)solve(cholesky, type, CLSOLVE_LOWER, N, A);
            told[k] = report_of(cholesky).direct.rcond;
        }
        assert_true(ill ? told[0] < 1e-3 : told[0] > 1e-3);
        assert_true(told[1] == (ill || type == CLSOLVE_F32 ? told[0] : -1));
    }
}

TEST(test_condition) {
    in_types(check_condition);
    in_types(check_if_ill);
}

/* ---- float factors, answers in double ---- */

TEST(test_mixed) {
    static double A[N * N];
    test_random random = test_random_start(7);
    OWNED(cholesky) *cholesky = make(N, CLSOLVE_F64, (clsolve_cholesky_options){.precision = CLSOLVE_PRECISION_MIXED});

    spd_make(&random, CLSOLVE_F64, SPD_WELL, N, A);
    assert_true(solve(cholesky, CLSOLVE_F64, CLSOLVE_LOWER, N, A) < RATIO_BOUND);
    clsolve_report report = report_of(cholesky);
    assert_string_equal(report.precision, "mixed");
    assert_null(report.direct.fallback);
    assert_true(report.iterations > 0);

    /* Tiny, huge and graded ones pass through float because they are scaled. */
    static const spd_kind kinds[] = {SPD_TINY, SPD_HUGE, SPD_GRADED};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
        spd_make(&random, CLSOLVE_F64, kinds[k], N, A);
        assert_true(solve(cholesky, CLSOLVE_F64, CLSOLVE_UPPER, N, A) < RATIO_BOUND);
    }

    /* The float factors of such matrices are no float factors of A itself. */
    for (int k = 0; k < 2; ++k) {
        scratch_matrix f = test_matrix_make(CLSOLVE_F32, CLSOLVE_COLUMN_MAJOR, N, N, 0);
        spd_make(&random, CLSOLVE_F64, SPD_WELL, N, A);
        for (int64_t e = 0; e < N * N; ++e) A[e] = ldexp(A[e], k ? 300 : -400);
        triangle_set(&f, CLSOLVE_LOWER, A);
        memset(f.view.data, 7, N * N * sizeof(float));
        assert_true(solve(cholesky, CLSOLVE_F64, CLSOLVE_LOWER, N, A) < RATIO_BOUND);
        assert_int_equal(clsolve_cholesky_factors(cholesky, CLSOLVE_LOWER, &f.view), CLSOLVE_OVERFLOW);
        assert_non_null(strstr(clsolve_context_message(context), "range of float"));
        for (int64_t e = 0; e < N * N * (int64_t)sizeof(float); ++e) assert_int_equal(((char *)f.view.data)[e], 7);
    }

    /* Positive definite in double alone: the minor of order 2 is 2^-40. */
    spd_make(&random, CLSOLVE_F64, SPD_DIAGONAL, N, A);
    A[0] = A[1] = A[N] = 1;
    A[N + 1] = 1 + 0x1p-40;
    if (fp64) {
        assert_true(solve(cholesky, CLSOLVE_F64, CLSOLVE_LOWER, N, A) < RATIO_BOUND);
        report = report_of(cholesky);
        assert_int_equal(report.direct.fallback_reason, CLSOLVE_FALLBACK_SINGULAR);
        assert_non_null(strstr(report.direct.fallback, "minor"));
    } else {
        clsolve_matrix view = clsolve_matrix_f64(N, N, A);
        assert_int_equal(clsolve_cholesky_factor(cholesky, CLSOLVE_LOWER, &view), CLSOLVE_NOT_POSITIVE_DEFINITE);
        assert_int_equal(report_of(cholesky).info, 2);
    }
}

/* ---- factors of the caller's ---- */

static void check_import(clsolve_type type) {
    static double A[N * N], F[N * N], X[N * NRHS], B[N * NRHS];
    test_random random = test_random_start(8);
    clsolve_cholesky *cholesky = make(N, type, (clsolve_cholesky_options){0});

    spd_make(&random, type, SPD_WELL, N, A);
    for (int uplo = CLSOLVE_LOWER; uplo <= CLSOLVE_UPPER; ++uplo) {
        scratch_matrix f = test_matrix_make(type, uplo ? CLSOLVE_COLUMN_MAJOR : CLSOLVE_ROW_MAJOR, N, N, 2);
        scratch_matrix b = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, N, NRHS, 0);
        memcpy(F, A, sizeof F);
        assert_int_equal(LAPACKE_dpotrf(LAPACK_COL_MAJOR, uplo ? 'U' : 'L', N, F, N), 0);
        for (int k = 0; k < N * N; ++k) F[k] = test_rounded(type, F[k]);
        triangle_set(&f, (clsolve_uplo)uplo, F);
        assert_int_equal(clsolve_cholesky_import(cholesky, (clsolve_uplo)uplo, &f.view), CLSOLVE_OK);
        assert_true(report_of(cholesky).direct.rcond == -1);
        test_random_fill(&random, B, N * NRHS);
        for (int k = 0; k < N * NRHS; ++k) B[k] = test_rounded(type, B[k]);
        test_matrix_set(&b, B);
        assert_int_equal(clsolve_cholesky_solve(cholesky, &b.view), CLSOLVE_OK);
        test_matrix_get(&b, X);
        assert_true(ratio_solve(type, CLSOLVE_NO_TRANS, N, NRHS, A, X, B) < RATIO_BOUND);
        assert_int_equal(clsolve_cholesky_inverse(cholesky, (clsolve_uplo)uplo, &f.view), CLSOLVE_OK);
        triangle_rest_intact(&f, (clsolve_uplo)uplo);

        F[70 * (N + 1)] = 0;
        triangle_set(&f, (clsolve_uplo)uplo, F);
        assert_int_equal(clsolve_cholesky_import(cholesky, (clsolve_uplo)uplo, &f.view), CLSOLVE_NOT_POSITIVE_DEFINITE);
        assert_int_equal(report_of(cholesky).info, 71);
        F[uplo ? 3 + 5 * N : 5 + 3 * N] = (double)NAN;
        triangle_set(&f, (clsolve_uplo)uplo, F);
        assert_int_equal(clsolve_cholesky_import(cholesky, (clsolve_uplo)uplo, &f.view), CLSOLVE_ERROR_NONFINITE);
        assert_non_null(strstr(clsolve_context_message(context), uplo ? "F(4,6)" : "F(6,4)"));
        assert_int_equal(clsolve_cholesky_solve(cholesky, &b.view), CLSOLVE_ERROR_STATE);
    }
    clsolve_cholesky_destroy(cholesky);
    cholesky = make(N, type, (clsolve_cholesky_options){.refine = 1});
    scratch_matrix f = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, N, N, 0);
    assert_int_equal(clsolve_cholesky_import(cholesky, CLSOLVE_LOWER, &f.view), CLSOLVE_ERROR_UNSUPPORTED);
    clsolve_cholesky_destroy(cholesky);
}

TEST(test_import) {
    in_types(check_import);
}

/* ---- a power grid: the admittance matrix 1138_bus ---- */

TEST(test_real_matrix) {
    const char *path = test_matrix_path("1138_bus");
    mm_matrix M;
    if (!path || !fp64 || reduced) skip();
    assert_int_equal(mm_read(path, &M, NULL), MM_OK);
    const int64_t n = M.rows;
    SCRATCH double *A = test_doubles(n * n);
    for (int64_t j = 0; j < n; ++j)
        for (int64_t k = M.start[j]; k < M.start[j + 1]; ++k) A[M.row[k] + j * n] = M.value[k];
    OWNED(cholesky) *cholesky = make(n, CLSOLVE_F64, (clsolve_cholesky_options){.rcond = 1});
    for (int uplo = CLSOLVE_LOWER; uplo <= CLSOLVE_UPPER; ++uplo)
        assert_true(solve(cholesky, CLSOLVE_F64, (clsolve_uplo)uplo, n, A) < RATIO_BOUND);
    /* Its condition is 8.6e6 in the 2-norm; norms differ by a factor of n at most. */
    const double rcond = report_of(cholesky).direct.rcond;
    assert_true(rcond < 1 / 8.5e6 && rcond > 1e-10);
    mm_free(&M);
}

int main(void) {
    test_require_device();
    test_cholesky_require_panel();
    reduced = test_reduced();
    (void)open_context(NULL);
    fp64 = clsolve_context_device(context).fp64;
    return test_run(NULL, close_context);
}
