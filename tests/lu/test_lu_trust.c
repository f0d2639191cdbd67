/* What says whether an answer can be trusted: growth, determinant, condition number, scaling; against LAPACK. */
#include <clsolve/clsolve.h>

#include <float.h>
#include <lapacke.h>

#include "lu/ratios.h"
#include "support/fixture.h"

static int fp64;
static clsolve_lu_options base; /* with the panel and the pivoting that the environment asks for */

static const int64_t sizes[] = {0, 1, 2, 3, 5, 16, 31, 67, 101, 129, 191};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void same(double got, double wanted, double relative, const char *what, int64_t n, int kind) {
    double error = fabs(got - wanted);
    if (!(error <= relative * fabs(wanted)))
        fail_msg("%s of n %d, %s: %.17g where LAPACK gives %.17g", what, (int)n, test_kind_names[kind], got, wanted);
}

/* LAPACK's own factors of A, in the type's precision. */
typedef struct reference {
    int64_t n, info;
    double *LU;
    lapack_int *ipiv;
} reference;

static reference factor_by_lapack(clsolve_type type, int64_t n, const double *A) {
    reference f = {.n = n, .LU = test_doubles(n * n), .ipiv = calloc((size_t)n + 1, sizeof(lapack_int))};
    SCRATCH float *single = test_room((n * n) + 1, sizeof *single);
    lapack_int order = (lapack_int)n, ld = order > 0 ? order : 1;
    assert_non_null(f.ipiv);
    for (int64_t k = 0; k < n * n; ++k) f.LU[k] = A[k], single[k] = (float)A[k];
    if (type == CLSOLVE_F64) {
        f.info = LAPACKE_dgetrf(LAPACK_COL_MAJOR, order, order, f.LU, ld, f.ipiv);
    } else {
        f.info = LAPACKE_sgetrf(LAPACK_COL_MAJOR, order, order, single, ld, f.ipiv);
        for (int64_t k = 0; k < n * n; ++k) f.LU[k] = (double)single[k];
    }
    return f;
}

static void reference_free(reference *f) {
    free(f->LU);
    free(f->ipiv);
}

static double largest(int64_t n, const double *A, int upper) {
    double most = 0;
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < (upper ? j + 1 : n); ++i) most = fmax(most, fabs(A[i + j * n]));
    return most;
}

/* Scaled by itself: dlaqge's bound. */
static int is_tiny(clsolve_type type, int64_t n, const double *A) {
    double most = largest(n, A, 0);
    return most > 0 && most < (type == CLSOLVE_F64 ? DBL_MIN / DBL_EPSILON : (double)(FLT_MIN / FLT_EPSILON));
}

/* Sign, and log|det| within `bound`, of the factors LU with pivots from 1. */
static void check_determinant(const clsolve_report *report, int64_t n, const double *LU, const int64_t *ipiv,
                              double bound, int kind) {
    double log_abs = 0;
    int sign = 1;
    for (int64_t i = 0; i < n; ++i) {
        double u = LU[i + i * n];
        if (u == 0) sign = 0;
        if (u < 0) sign = -sign;
        if (ipiv[i] != i + 1) sign = -sign;
        log_abs += log(fabs(u));
    }
    assert_int_equal(report->direct.det_sign, sign);
    if (sign == 0) {
        assert_true(isinf(report->direct.log_abs_det) && report->direct.log_abs_det < 0);
        return;
    }
    if (!(fabs(report->direct.log_abs_det - log_abs) <= bound * (1 + fabs(log_abs))))
        fail_msg("log|det| of n %d, %s: %.17g, not %.17g", (int)n, test_kind_names[kind], report->direct.log_abs_det,
                 log_abs);
}

static double condition_by_lapack(clsolve_type type, int64_t n, const double *A, const reference *f) {
    lapack_int order = (lapack_int)n;
    double norm = LAPACKE_dlange(LAPACK_COL_MAJOR, '1', order, order, A, order), rcond = -1;
    (void)type;
    assert_int_equal(LAPACKE_dgecon(LAPACK_COL_MAJOR, '1', order, f->LU, order, norm, &rcond), 0);
    return rcond;
}

/* Sound factors of A, with `partial` pivoting no multiplier beyond 1; growth, determinant and info are theirs. */
static void check_factors(const clsolve_report *report, clsolve_type type, int kind, int64_t n, const double *A,
                          const double *LU, const int64_t *ipiv) {
    double eps = test_epsilon(type), size = largest(n, A, 0), ratio = ratio_factors(type, n, A, LU, ipiv);
    int64_t zero = 0;
    if (!(ratio < RATIO_BOUND)) fail_msg("n %d, %s: factors' ratio %g", (int)n, test_kind_names[kind], ratio);
    for (int64_t j = n - 1; j >= 0; --j) {
        if (LU[j + j * n] == 0) zero = j + 1;
        for (int64_t i = j + 1; i < n; ++i)
            if (!(fabs(LU[i + j * n]) <= 1 + 16 * eps))
                fail_msg("n %d, %s: multiplier %d, %d is %g", (int)n, test_kind_names[kind], (int)i, (int)j,
                         LU[i + j * n]);
    }
    assert_int_equal(report->info, zero);
    if (n > 0) same(report->direct.growth, size > 0 ? largest(n, LU, 1) / size : 1, 4 * eps, "growth", n, kind);
    check_determinant(report, n, LU, ipiv, type == CLSOLVE_F64 ? 1e-9 : 1e-5, kind); /* single: of float sums */
}

/* LAPACK's pivots, and its factors up to rounding. */
static void compare_factors(const reference *expected, int kind, const double *LU, const int64_t *ipiv) {
    int64_t n = expected->n;
    double most = largest(n, expected->LU, 0), eps = test_epsilon(CLSOLVE_F64);
    for (int64_t i = 0; i < n; ++i) assert_int_equal(ipiv[i], expected->ipiv[i]);
    for (int64_t k = 0; k < n * n; ++k)
        if (!(fabs(LU[k] - expected->LU[k]) <= 1000 * (double)n * eps * most))
            fail_msg("L\\U(%d) of n %d, %s: %g, not %g", (int)k, (int)n, test_kind_names[kind], LU[k], expected->LU[k]);
}

/* Growth, determinant, condition number, factors and pivots of one matrix. */
static void check_one(test_random *random, clsolve_type type, clsolve_layout layout, int kind, int64_t n) {
    clsolve_lu_options options = base;
    options.rcond = 1;
    SCRATCH double *A = test_doubles(n * n), *LU = test_doubles(n * n);
    SCRATCH int64_t *ipiv = calloc((size_t)n + 1, sizeof *ipiv);
    scratch_matrix a = test_matrix_make(type, layout, n, n, 2), f = test_matrix_make(type, layout, n, n, 1);
    OWNED(lu) *lu = NULL;
    clsolve_report report;

    test_kind_make(random, type, kind, n, A);
    test_matrix_set(&a, A);
    SCRATCH_BY(reference_free) reference expected = factor_by_lapack(type, n, A);
    assert_int_equal(clsolve_lu_create(context, n, type, &options, &lu), CLSOLVE_OK);
    clsolve_status status = clsolve_lu_factor(lu, &a.view);
    assert_int_equal(clsolve_lu_report(lu, &report), CLSOLVE_OK);
    assert_int_equal(status, report.info > 0 ? CLSOLVE_SINGULAR : CLSOLVE_OK);
    /* A condition of 0.1 / eps leaves a last pivot that rounding may make zero. */
    if (kind != 9) assert_int_equal(report.info, expected.info);
    assert_string_equal(report.precision, type == CLSOLVE_F64 ? "double" : "single");
    assert_null(report.direct.fallback);
    assert_int_equal(report.direct.equilibrated, is_tiny(type, n, A) ? CLSOLVE_SCALED_UNIFORMLY : 0);
    assert_int_equal(report.direct.rcond_is_bound, 0);
    assert_string_equal(report.direct.det_precision, report.precision);
    assert_true(report.refinement.backward_error == -1 && report.refinement.history_length == 0);

    assert_int_equal(clsolve_lu_factors(lu, &f.view, ipiv), CLSOLVE_OK);
    test_matrix_get(&f, LU);
    test_matrix_spare_intact(&f);
    check_factors(&report, type, kind, n, A, LU, ipiv);
    /* Rounding chooses between close candidates for a pivot; in double well-conditioned ones have none. */
    if (kind != 8 && kind != 9 && type == CLSOLVE_F64) compare_factors(&expected, kind, LU, ipiv);
    if (n == 0) {
        assert_true(report.direct.rcond == 1 && report.direct.det_sign == 1 && report.direct.log_abs_det == 0 &&
                    report.direct.growth == 0);
    } else if (report.info > 0) {
        assert_true(report.direct.rcond == 0);
    } else if (expected.info == 0) {
        double rcond = condition_by_lapack(type, n, A, &expected);
        if (!(report.direct.rcond <= 3 * rcond && report.direct.rcond >= rcond / 3))
            fail_msg("rcond of n %d, %s, type %d: %g where dgecon gives %g", (int)n, test_kind_names[kind], (int)type,
                     report.direct.rcond, rcond);
    }
}

static void kinds_and_sizes(clsolve_type type, clsolve_layout layout, uint64_t use) {
    test_random random = test_random_start(use);
    if (type == CLSOLVE_F64 && !fp64) skip();
    for (int s = 0; s < SIZES; ++s)
        for (int kind = 1; kind <= TEST_KINDS; ++kind) check_one(&random, type, layout, kind, sizes[s]);
}

TEST(test_f64_column) {
    kinds_and_sizes(CLSOLVE_F64, CLSOLVE_COLUMN_MAJOR, 21);
}

TEST(test_f64_row) {
    kinds_and_sizes(CLSOLVE_F64, CLSOLVE_ROW_MAJOR, 22);
}

TEST(test_f32_column) {
    kinds_and_sizes(CLSOLVE_F32, CLSOLVE_COLUMN_MAJOR, 23);
}

TEST(test_f32_row) {
    kinds_and_sizes(CLSOLVE_F32, CLSOLVE_ROW_MAJOR, 24);
}

/* Matrices whose inverse's norm the first vectors of the estimate miss or nearly miss, and known conditions. */
TEST(test_condition) {
    enum { N = 40 };
    clsolve_type type = fp64 ? CLSOLVE_F64 : CLSOLVE_F32;
    for (int which = 0; which < 3; ++which) {
        SCRATCH double *A = test_doubles(N * N);
        for (int64_t j = 0; j < N; ++j)
            for (int64_t i = 0; i < N; ++i) {
                if (which == 0) A[i + j * N] = i == j ? ldexp(1, (int)(j / 8)) : 0; /* diagonal: exact */
                if (which == 1) A[i + j * N] = i == j ? 1 : i < j ? -0.25 : 0;      /* its inverse grows upwards */
                if (which == 2) A[i + j * N] = i == j ? 2 : i == j + 1 || j == i + 1 ? -1 : 0;
            }
        scratch_matrix a = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, N, N, 0);
        clsolve_lu_options options = base;
        options.rcond = 1;
        OWNED(lu) *lu = NULL;
        clsolve_report report;
        test_matrix_set(&a, A);
        SCRATCH_BY(reference_free) reference f = factor_by_lapack(type, N, A);
        double rcond = condition_by_lapack(type, N, A, &f);
        assert_int_equal(clsolve_lu_create(context, N, type, &options, &lu), CLSOLVE_OK);
        assert_int_equal(clsolve_lu_factor(lu, &a.view), CLSOLVE_OK);
        assert_int_equal(clsolve_lu_report(lu, &report), CLSOLVE_OK);
        if (!(report.direct.rcond <= 1.01 * rcond && report.direct.rcond >= rcond / 1.01))
            fail_msg("matrix %d: rcond %g where dgecon gives %g", which, report.direct.rcond, rcond);
        if (which == 0) assert_true(fabs(report.direct.rcond - 0.0625) < 1e-6);
    }
}

/* Of A, with the option's value. */
static double rcond_of(clsolve_type type, int64_t n, const double *A, int32_t option) {
    scratch_matrix a = test_matrix_make(type, CLSOLVE_ROW_MAJOR, n, n, 1);
    clsolve_lu_options options = base;
    OWNED(lu) *lu = NULL;
    clsolve_report report;
    options.rcond = option;
    test_matrix_set(&a, A);
    assert_int_equal(clsolve_lu_create(context, n, type, &options, &lu), CLSOLVE_OK);
    assert_true(clsolve_lu_factor(lu, &a.view) >= 0);
    assert_int_equal(clsolve_lu_report(lu, &report), CLSOLVE_OK);
    return report.direct.rcond;
}

enum { HARD_N = 67, HARD_KINDS = 7, HARD_WELL = 2 };
static const char *const hard_names[HARD_KINDS] = {
    "condition 100", "singular values 1 to 1e-3", "triangle of -1", "Kahan",
    "Hilbert",       "one tiny singular value",   "graded"};

static void make_hard(test_random *random, int which, double *A) {
    const int64_t n = HARD_N;
    const double c = 0.5, s = sqrt(1 - c * c);
    if (which == 0 || which == 1) test_with_condition(random, n, which == 0 ? 2 : 3, which == 0 ? 1e2 : 1e3, A);
    if (which == 5) test_with_condition(random, n, 2, 1e20, A);
    if (which == 6) test_with_condition(random, n, 3, 1e20, A);
    for (int64_t j = 0; j < n && which >= 2 && which <= 4; ++j)
        for (int64_t i = 0; i < n; ++i)
            A[i + j * n] = which == 4 ? 1 / (double)(i + j + 1)
                           : i > j    ? 0
                                      : (i == j       ? 1
                                         : which == 3 ? -c
                                                      : -1) *
                                         (which == 3 ? pow(s, (double)i) : 1);
}

/* Estimated where it has to be, with the same bits, and only there. */
TEST(test_if_ill) {
    test_random random = test_random_start(41);
    SCRATCH double *A = test_doubles(HARD_N * HARD_N);
    for (int which = 0; which < 2 * HARD_KINDS; ++which) {
        const clsolve_type type = which % 2 ? CLSOLVE_F32 : CLSOLVE_F64;
        if (type == CLSOLVE_F64 && !fp64) continue;
        make_hard(&random, which / 2, A);
        const double always = rcond_of(type, HARD_N, A, 1), found = rcond_of(type, HARD_N, A, CLSOLVE_RCOND_IF_ILL);
        const int well = which / 2 < HARD_WELL;
        if (well && type == CLSOLVE_F64 ? always < 1e-5 || found != -1
                                        : found != always || (!well && !(always < test_epsilon(type))))
            fail_msg("%s, type %d: rcond %g, and %g with IF_ILL", hard_names[which / 2], (int)type, always, found);
    }
}

/* Not asked for, not paid for, and said so. */
TEST(test_unasked) {
    double one = 3;
    float single = 3;
    clsolve_matrix a = clsolve_matrix_f64(1, 1, &one);
    clsolve_lu_options options = base;
    OWNED(lu) *lu = NULL;
    clsolve_report report;
    if (!fp64) a = clsolve_matrix_f32(1, 1, &single);
    assert_int_equal(clsolve_lu_create(context, 1, a.type, &options, &lu), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_report(lu, &report), CLSOLVE_OK);
    assert_true(report.direct.rcond == -1 && report.direct.growth == 0 && report.direct.det_sign == 0);
    assert_int_equal(clsolve_lu_factor(lu, &a), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_report(lu, &report), CLSOLVE_OK);
    assert_true(report.direct.rcond == -1 && report.direct.growth == 1 && report.direct.det_sign == 1);
    assert_true(fabs(report.direct.log_abs_det - log(3)) < 1e-6);
}

/* Wilkinson's matrix: growth 2^(n-1), determinant too. */
/* Wilkinson's matrix: the last column doubles in each step. */
static void growth_of(int64_t n, clsolve_report *report) {
    clsolve_type type = fp64 ? CLSOLVE_F64 : CLSOLVE_F32;
    SCRATCH double *A = test_doubles(n * n);
    scratch_matrix a = test_matrix_make(type, CLSOLVE_ROW_MAJOR, n, n, 0);
    clsolve_lu_options options = base;
    options.rcond = 1;
    OWNED(lu) *lu = NULL;
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < n; ++i) A[i + j * n] = i == j || j == n - 1 ? 1 : i > j ? -1 : 0;
    test_matrix_set(&a, A);
    assert_int_equal(clsolve_lu_create(context, n, type, &options, &lu), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_factor(lu, &a.view), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_report(lu, report), CLSOLVE_OK);
    assert_true(report->direct.growth == ldexp(1, (int)n - 1));
    assert_true(report->direct.det_sign == 1 && fabs(report->direct.log_abs_det - (double)(n - 1) * log(2)) < 1e-5);
}

/* Factors that have grown beyond their digits tell nothing of A's condition, which is about n. */
TEST(test_growth) {
    clsolve_report report;
    growth_of(50, &report);
    assert_true(report.direct.rcond == -1);
    growth_of(10, &report);
    assert_true(report.direct.rcond > 0.02 && report.direct.rcond < 0.5);
}

/* A determinant far beyond the range of the type, from a matrix in many slabs. */
TEST(test_determinant) {
    enum { N = 100 };
    clsolve_type type = fp64 ? CLSOLVE_F64 : CLSOLVE_F32;
    clsolve_lu_options options = base;
    options.block = 16;
    options.slab_bytes = 1;
    double *A = test_doubles(N * N), scale = type == CLSOLVE_F64 ? 1e-300 : 1e-30;
    scratch_matrix a = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, N, N, 0);
    OWNED(lu) *lu = NULL;
    clsolve_report report;
    /* A cycle of length N, N even: an odd permutation; and three signs. */
    for (int64_t j = 0; j < N; ++j) A[(j + 1) % N + j * N] = (j % 40 == 7 ? -1 : 1) * scale;
    test_matrix_set(&a, A);
    assert_int_equal(clsolve_lu_create(context, N, type, &options, &lu), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_factor(lu, &a.view), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_report(lu, &report), CLSOLVE_OK);
    assert_int_equal(report.direct.det_sign, 1);
    assert_true(fabs(report.direct.log_abs_det / (N * log(scale)) - 1) < 1e-6);
    assert_int_equal(report.slabs, base.panel == CLSOLVE_PANEL_NATIVE ? (N + 15) / 16 : report.slabs);
    assert_true(report.slabs > 1 && report.slab_columns == 0);
    free(A);
}

/* Norm, largest element and growth are those of all slabs, wherever the largest stands. */
TEST(test_many_slabs) {
    enum { N = 100 };
    clsolve_type type = fp64 ? CLSOLVE_F64 : CLSOLVE_F32;
    clsolve_lu_options options = base;
    options.block = 16;
    options.slab_bytes = 1;
    options.rcond = 1;
    static const int64_t places[] = {0, 50, N - 1, 0};
    SCRATCH double *A = test_doubles(N * N);
    scratch_matrix a = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, N, N, 0);
    for (size_t p = 0; p < sizeof places / sizeof *places; ++p) {
        OWNED(lu) *lu = NULL;
        clsolve_report report;
        for (int64_t k = 0; k < N * N; ++k) A[k] = k % (N + 1) == 0;
        A[places[p] * (N + 1)] = 1024;
        /* Once U's last slab grows, from 1000 to 1001, and stays below the first one's 1024. */
        if (p == 3) A[N - 1] = 1024, A[(N - 1) * N] = -1000;
        test_matrix_set(&a, A);
        assert_int_equal(clsolve_lu_create(context, N, type, &options, &lu), CLSOLVE_OK);
        assert_int_equal(clsolve_lu_factor(lu, &a.view), CLSOLVE_OK);
        assert_int_equal(clsolve_lu_report(lu, &report), CLSOLVE_OK);
        assert_true(report.slabs > 1);
        assert_true(p == 3 || fabs(report.direct.rcond * 1024 - 1) < 1e-3);
        assert_true(report.direct.growth == 1);
    }
}

static int open_all(void **state) {
    (void)open_context(state);
    fp64 = clsolve_context_device(context).fp64;
    base = test_lu_options();
    return 0;
}

TEST_PROGRAM(open_all, close_context)
