/* Scaling of rows and columns against LAPACK's dgeequb, and solves that undo it. */
#include <clsolve/clsolve.h>

#include <lapacke.h>
#include <float.h>

#include "lu/ratios.h"
#include "support/fixture.h"

static int fp64;
static clsolve_panel panel;

static const int64_t sizes[] = {0, 1, 2, 3, 5, 16, 31, 67, 101, 129, 191};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* Rows and columns times powers of ten that lie far apart. */
static void graded(test_random *random, int64_t n, int spread, double *A) {
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < n; ++i)
            A[i + j * n] = test_random_signed(random) * pow(10, (double)(i * 37 % n) * spread / (double)n) *
                           pow(10, -(double)(j * 11 % n) * spread / (double)n);
}

static void check_equilibration(test_random *random, clsolve_type type, clsolve_layout layout, int64_t n, int refine) {
    clsolve_lu_options options = {.panel = panel, .equilibrate = 1, .rcond = 1, .refine = refine, .block = 16};
    SCRATCH double *A = test_doubles(n * n), *B = test_doubles(2 * n), *X = test_doubles(2 * n), *r = test_doubles(n),
                   *c = test_doubles(n);
    double rowcnd, colcnd, amax;
    scratch_matrix a = test_matrix_make(type, layout, n, n, 1);
    OWNED(lu) *lu = NULL;
    clsolve_report report;

    graded(random, n, type == CLSOLVE_F64 ? 12 : 6, A);
    for (int64_t k = 0; k < n * n; ++k) A[k] = test_rounded(type, A[k]);
    test_matrix_set(&a, A);
    assert_int_equal(LAPACKE_dgeequb(LAPACK_COL_MAJOR, (lapack_int)n, (lapack_int)n, A, (lapack_int)n, r, c, &rowcnd,
                                     &colcnd, &amax),
                     0);
    assert_int_equal(clsolve_lu_create(context, n, type, &options, &lu), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_factor(lu, &a.view), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_report(lu, &report), CLSOLVE_OK);
    assert_int_equal(report.direct.equilibrated, (rowcnd < 0.1) + 2 * (colcnd < 0.1));

    /* The factors are those of diag(r) A diag(c) with LAPACK's r and c. */
    SCRATCH double *S = test_doubles(n * n), *LU = test_doubles(n * n);
    SCRATCH int64_t *ipiv = calloc((size_t)n + 1, sizeof *ipiv);
    scratch_matrix f = test_matrix_make(type, layout, n, n, 0);
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < n; ++i)
            S[i + j * n] = A[i + j * n] * (report.direct.equilibrated & 1 ? r[i] : 1) *
                           (report.direct.equilibrated & 2 ? c[j] : 1);
    assert_int_equal(clsolve_lu_factors(lu, &f.view, ipiv), CLSOLVE_OK);
    test_matrix_get(&f, LU);
    double ratio = ratio_factors(type, n, S, LU, ipiv);
    if (!(ratio < RATIO_BOUND)) fail_msg("n %d: ratio of the scaled factors %g", (int)n, ratio);
    /* The determinant is A's own. */
    lapack_int *pivots = calloc((size_t)n + 1, sizeof *pivots);
    double log_abs = 0, rcond = -1,
           norm = LAPACKE_dlange(LAPACK_COL_MAJOR, '1', (lapack_int)n, (lapack_int)n, A, (lapack_int)n);
    memcpy(S, A, (size_t)(n * n) * sizeof *S);
    assert_int_equal(LAPACKE_dgetrf(LAPACK_COL_MAJOR, (lapack_int)n, (lapack_int)n, S, (lapack_int)n, pivots), 0);
    assert_int_equal(LAPACKE_dgecon(LAPACK_COL_MAJOR, '1', (lapack_int)n, S, (lapack_int)n, norm, &rcond), 0);
    free(pivots);
    for (int64_t i = 0; i < n; ++i) log_abs += log(fabs(S[i + i * n]));
    assert_true(fabs(report.direct.log_abs_det - log_abs) < (type == CLSOLVE_F64 ? 1e-6 : 0.1) * (double)n);
    if (type == CLSOLVE_F64 && !(report.direct.rcond <= 3 * rcond && report.direct.rcond >= rcond / 3))
        fail_msg("n %d, scaled: rcond %g where dgecon gives %g", (int)n, report.direct.rcond, rcond);

    for (int op = CLSOLVE_NO_TRANS; op <= CLSOLVE_TRANS; ++op) {
        scratch_matrix b = test_matrix_make(type, layout, n, 2, 1);
        SCRATCH double *want = test_doubles(2 * n);
        /* X of the size that the scaling suggests, so that every row of the residual counts. */
        for (int64_t k = 0; k < 2 * n; ++k) want[k] = test_random_signed(random);
        memset(B, 0, (size_t)(2 * n) * sizeof *B);
        for (int64_t k = 0; k < 2; ++k)
            for (int64_t j = 0; j < n; ++j)
                for (int64_t i = 0; i < n; ++i)
                    B[i + k * n] += (op == CLSOLVE_NO_TRANS ? A[i + j * n] : A[j + i * n]) * want[j + k * n];
        for (int64_t k = 0; k < 2 * n; ++k) B[k] = test_rounded(type, B[k]);
        test_matrix_set(&b, B);
        assert_int_equal(clsolve_lu_solve(lu, (clsolve_op)op, &b.view), CLSOLVE_OK);
        test_matrix_get(&b, X);
        test_matrix_spare_intact(&b);
        ratio = ratio_solve(type, (clsolve_op)op, n, 2, A, X, B);
        if (!(ratio < RATIO_BOUND)) fail_msg("n %d, op %d: ratio %g", (int)n, op, ratio);
    }
}

TEST(test_equilibration) {
    test_random random = test_random_start(25);
    for (int s = 1; s < SIZES; ++s)
        for (int layout = CLSOLVE_COLUMN_MAJOR; layout <= CLSOLVE_ROW_MAJOR; ++layout)
            for (int refine = 0; refine <= 1; ++refine) {
                check_equilibration(&random, CLSOLVE_F32, (clsolve_layout)layout, sizes[s], refine);
                if (fp64) check_equilibration(&random, CLSOLVE_F64, (clsolve_layout)layout, sizes[s], refine);
            }
}

/* What needs no scaling gets none, and a row of zeros stays what it is. */
TEST(test_not_equilibrated) {
    clsolve_type type = fp64 ? CLSOLVE_F64 : CLSOLVE_F32;
    clsolve_lu_options options = {.panel = panel, .equilibrate = 1};
    double A[4] = {1, 0.5, -0.5, 1}, Z[4] = {1e-9, 0, 1, 0};
    scratch_matrix a = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, 2, 2, 0);
    OWNED(lu) *lu = NULL;
    clsolve_report report;
    assert_int_equal(clsolve_lu_create(context, 2, type, &options, &lu), CLSOLVE_OK);
    test_matrix_set(&a, A);
    assert_int_equal(clsolve_lu_factor(lu, &a.view), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_report(lu, &report), CLSOLVE_OK);
    assert_int_equal(report.direct.equilibrated, 0);
    test_matrix_set(&a, Z);
    assert_int_equal(clsolve_lu_factor(lu, &a.view), CLSOLVE_SINGULAR);
    assert_int_equal(clsolve_lu_report(lu, &report), CLSOLVE_OK);
    assert_int_equal(report.info, 2);
    assert_int_equal(report.direct.det_sign, 0);
    if (report.direct.equilibrated == 0) assert_null(strstr(clsolve_context_message(context), "scaled"));
}

/* Two rows that are multiples of each other, far apart in size: the message of a zero pivot says that A was scaled. */
TEST(test_singular) {
    const clsolve_lu_options options = {.panel = panel, .equilibrate = 1};
    double A[4] = {1, 0x1p600, 2, 0x1p601}, B[2] = {0};
    clsolve_matrix a = clsolve_matrix_f64(2, 2, A), b = clsolve_matrix_f64(2, 1, B);
    OWNED(lu) *lu = NULL;
    clsolve_report report;
    if (!fp64) skip(); /* a zero pivot of float factors is perturbed */
    assert_int_equal(clsolve_lu_create(context, 2, CLSOLVE_F64, &options, &lu), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_factor(lu, &a), CLSOLVE_SINGULAR);
    assert_non_null(strstr(clsolve_context_message(context), "scaled"));
    assert_int_equal(clsolve_lu_report(lu, &report), CLSOLVE_OK);
    assert_true(report.info == 2 && (report.direct.equilibrated & 1));
    assert_int_equal(clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &b), CLSOLVE_SINGULAR);
    assert_non_null(strstr(clsolve_context_message(context), "scaled"));
}

/*
 * Columns, or rows with op T, of sizes from one end of the range to the other, and x of the sizes that undo it: a(i,j) r(i)
 * would underflow, and of a band `reach` elements wide r b has all sizes. No row of the residual is large beside its terms.
 */
static void check_range(test_random *random, clsolve_type type, int refine, int64_t limit, int64_t reach) {
    enum { N = 40 };
    const int64_t n = N;
    const double end = type == CLSOLVE_F64 ? 996 : 118;
    clsolve_lu_options options = {.panel = panel, .equilibrate = 1, .refine = refine, .memory_limit = limit};
    scratch_matrix a = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, n, n, 0);
    scratch_matrix b = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, n, 1, 0);
    SCRATCH double *A = test_doubles(n * n), *B = test_doubles(n), *X = test_doubles(n), *size = test_doubles(n);
    OWNED(lu) *lu = NULL;

    for (int64_t j = 0; j < n; ++j) {
        size[j] = ldexp(1, (int)((double)(2 * j - n + 1) / (double)(n - 1) * end));
        for (int64_t i = 0; i < n; ++i)
            A[i + j * n] = test_rounded(
                type, i - j > reach || j - i > reach ? 0 : (test_random_signed(random) + 9 * (i == j)) * size[j]);
    }
    test_matrix_set(&a, A);
    assert_int_equal(clsolve_lu_create(context, n, type, &options, &lu), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_factor(lu, &a.view), CLSOLVE_OK);
    for (int op = CLSOLVE_NO_TRANS; op <= CLSOLVE_TRANS; ++op) {
        for (int64_t i = 0; i < n; ++i) B[i] = test_rounded(type, test_random_signed(random) * (op ? size[i] : 1));
        test_matrix_set(&b, B);
        assert_int_equal(clsolve_lu_solve(lu, (clsolve_op)op, &b.view), CLSOLVE_OK);
        test_matrix_get(&b, X);
        for (int64_t i = 0; i < n; ++i) {
            long double rest = B[i], sum = fabs(B[i]);
            for (int64_t j = 0; j < n; ++j) {
                const long double term = (long double)A[op ? j + i * n : i + j * n] * X[j];
                rest -= term;
                sum += fabsl(term);
            }
            if (!(fabsl(rest) <= 1000 * (double)n * test_epsilon(type) * sum))
                fail_msg("type %d, op %d, row %d: %Lg of %Lg", (int)type, op, (int)i, rest, sum);
        }
    }
}

TEST(test_range) {
    const int64_t limit = 100000; /* out of core */
    test_random random = test_random_start(26);
    for (int refine = 0; refine <= 1; ++refine) {
        check_range(&random, CLSOLVE_F32, refine, 0, 40);
        if (!fp64) continue;
        check_range(&random, CLSOLVE_F64, refine, 0, 40);
        check_range(&random, CLSOLVE_F64, refine, 0, 2);
        check_range(&random, CLSOLVE_F64, refine, limit, 2);
    }
}

/* The condition of `size` times a matrix is that of the matrix, wherever in the range it lies. `a` is n x n. */
static void check_condition(clsolve_type type, int64_t n, const double *a, double size, double least, double most) {
    scratch_matrix m = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, n, n, 0);
    double *A = test_doubles(n * n), norm = 0;
    for (int64_t k = 0; k < n * n; ++k) A[k] = test_rounded(type, a[k] * size);
    for (int64_t j = 0; j < n; ++j) {
        double sum = 0;
        for (int64_t i = 0; i < n; ++i) sum += fabs(A[i + j * n]);
        norm = fmax(norm, sum);
    }
    test_matrix_set(&m, A);
    for (int host = 0; host < 2; ++host) {
        const clsolve_lu_options options = {.rcond = 1,
                                            .precision = CLSOLVE_PRECISION_WORKING,
                                            .where = host ? CLSOLVE_WHERE_HOST : CLSOLVE_WHERE_DEVICE};
        OWNED(lu) *lu = NULL;
        clsolve_report report;
        double given = -1;
        assert_int_equal(clsolve_lu_create(context, n, type, &options, &lu), CLSOLVE_OK);
        assert_int_equal(clsolve_lu_factor(lu, &m.view), CLSOLVE_OK);
        assert_int_equal(clsolve_lu_report(lu, &report), CLSOLVE_OK);
        assert_int_equal(clsolve_lu_condition(lu, CLSOLVE_NORM_ONE, norm, &given), CLSOLVE_OK);
        if (!(report.direct.rcond >= least && report.direct.rcond <= most && given >= least && given <= 1.01 * most))
            fail_msg("type %d, n %d, size %g: rcond %g and %g", (int)type, (int)n, size, report.direct.rcond, given);
    }
    free(A);
}

TEST(test_condition_at_the_ends) {
    enum { N = 12 };
    const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    double hilbert[N * N], few[16];
    for (int k = 0; k < N * N; ++k) hilbert[k] = 1.0 / (k % N + k / N + 1);
    for (int k = 0; k < 16; ++k) few[k] = 1.0 / (k % 4 + k / 4 + 1);
    check_condition(CLSOLVE_F32, 3, unit, 3e38, 0.999, 1);
    check_condition(CLSOLVE_F32, 3, unit, 1e-45, 0.999, 1);
    check_condition(CLSOLVE_F32, 4, few, 0x1p127, 3e-5, 4e-5); /* 1 / 28375 */
    check_condition(CLSOLVE_F32, 4, few, 0x1p-100, 3e-5, 4e-5);
    if (!fp64) return;
    check_condition(CLSOLVE_F64, 3, unit, 9e307, 0.999, 1);
    check_condition(CLSOLVE_F64, 3, unit, DBL_MAX, 0.999, 1);
    check_condition(CLSOLVE_F64, 3, unit, 1e-322, 0.999, 1);
    check_condition(CLSOLVE_F64, N, hilbert, 5e307, 1e-18, 1e-15);
    check_condition(CLSOLVE_F64, N, hilbert, 1e-290, 1e-18, 1e-15);
}

/* Rows of subnormal numbers: a solve with the transpose multiplies by their factors last, and keeps the digits until then. */
TEST(test_subnormal_transposed) {
    enum { N = 2, UP = 1066 };
    const double whole[N * N] = {16, 5, 3, 17};
    if (!fp64) skip();
    for (int op = CLSOLVE_NO_TRANS; op <= CLSOLVE_TRANS; ++op) {
        const double side[N] = {10.25, -1.5};
        clsolve_lu_options options = {.panel = panel, .equilibrate = 1};
        double A[N * N], x[N];
        OWNED(lu) *lu = NULL;
        for (int k = 0; k < N * N; ++k) A[k] = ldexp(whole[k], -UP);
        for (int k = 0; k < N; ++k) x[k] = ldexp(side[k], -UP);
        clsolve_matrix a = clsolve_matrix_f64(N, N, A), b = clsolve_matrix_f64(N, 1, x);
        assert_int_equal(clsolve_lu_create(context, N, CLSOLVE_F64, &options, &lu), CLSOLVE_OK);
        assert_int_equal(clsolve_lu_factor(lu, &a), CLSOLVE_OK);
        assert_int_equal(clsolve_lu_solve(lu, (clsolve_op)op, &b), CLSOLVE_OK);
        for (int i = 0; i < N; ++i) {
            double left = side[i];
            for (int j = 0; j < N; ++j) left -= whole[op == CLSOLVE_TRANS ? j + i * N : i + j * N] * x[j];
            assert_true(fabs(left) < 1e-13);
        }
    }
}

static int open_all(void **state) {
    (void)open_context(state);
    fp64 = clsolve_context_device(context).fp64;
    panel = test_lu_options().panel;
    return 0;
}

TEST_PROGRAM(open_all, close_context)
