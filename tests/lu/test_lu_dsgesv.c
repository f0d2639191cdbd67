/*
 * LAPACK's test of dsgesv (TESTING/LIN/ddrvab.f, dget08.f) for all that refines: its kinds of matrices, and for each
 * column
 *
 *     ||b - op(A) x||_inf  <=  sqrt(n) epsilon ||op(A)||_inf ||x||_inf
 *
 * with the residual in long double. In few rows rounding alone may exceed that, see bound_of. The condition
 * of kind 9 is 0.1 / epsilon: where refinement does not get there less is promised, see check_hard.
 */
#include "lu/out_of_core_support.h"

static const int64_t sizes[] = {0, 1, 2, 3, 5, 10, 16, 17, 33, 67, 101, 127, 128, 129, 199};
static const int64_t few_sizes[] = {0, 1, 3, 33, 129};
static const int64_t counts[] = {1, 2, 15};

enum { RANDOM = 0, UNEVEN = -1 }; /* kinds that LAPACK has not */

typedef struct way {
    const char *name;
    clsolve_lu_options options;
    int out_of_core;
    int alone; /* there are no double factors to fall back to */
} way;

static int has_double(void) {
    return ooc_type == CLSOLVE_F64;
}

static way way_of(clsolve_precision precision, clsolve_pivoting pivoting) {
    way w = {.name = precision == CLSOLVE_PRECISION_MIXED ? "mixed" : "double", .alone = !has_double()};
    w.options.precision = precision;
    w.options.pivoting = pivoting;
    w.options.seed = test_seed();
    if (pivoting == CLSOLVE_PIVOTING_RBT) w.name = precision == CLSOLVE_PRECISION_MIXED ? "rbt and mixed" : "rbt";
    return w;
}

/* ---- what dget08 computes ---- */

/* Of b - op(A) x; in long double, which has room for all of double's products. */
static long double column_ratio(clsolve_op op, int64_t n, const double *A, const double *x, const double *b) {
    long double norm = 0, largest_r = 0, largest_x = 0;

    for (int64_t i = 0; i < n; ++i) {
        long double r = b[i], sum = 0;
        for (int64_t k = 0; k < n; ++k) {
            long double a = op == CLSOLVE_NO_TRANS ? A[i + k * n] : A[k + i * n];
            r -= a * x[k];
            sum += fabsl(a);
        }
        norm = fmaxl(norm, sum);
        if (largest_r == largest_r && !(fabsl(r) <= largest_r)) largest_r = fabsl(r); /* NaN stays */
        largest_x = fmaxl(largest_x, fabsl((long double)x[i]));
    }
    return largest_r == 0 ? 0 : largest_r / norm / largest_x / test_epsilon(CLSOLVE_F64);
}

static double ratio_of(clsolve_op op, int64_t n, int64_t nrhs, const double *A, const double *X, const double *B) {
    double worst = 0;
    for (int64_t c = 0; c < nrhs; ++c) {
        double ratio = (double)column_ratio(op, n, A, X + c * n, B + c * n);
        worst = test_worst(worst, ratio);
    }
    return worst;
}

/* ---- judging ---- */

/* Refinement is settled (method/direct/refine.h) with 4 epsilon or sqrt(n) epsilon / 2, as it computes the residual. The
 * rounding of that residual may add 2 epsilon in few rows, and 5/8 sqrt(n) epsilon in many. */
static double bound_of(int64_t n) {
    return fmax(6, 1.125 * sqrt((double)n));
}

/* Kind 9: LAPACK's own bound after a fallback. With nothing to fall back to, an acceptable backward error or none. */
static void check_hard(const way *w, int64_t n, clsolve_status status, const clsolve_report *r, double ratio) {
    if (!w->alone && !(ratio < RATIO_BOUND)) fail_msg("%s, n %d: ratio %g", w->name, (int)n, ratio);
    if (!w->alone || status == CLSOLVE_NOT_CONVERGED || n == 0) return;
    assert_true(r->refinement.backward_error >= 0 &&
                r->refinement.backward_error <= fmax((double)n, 10) * test_epsilon(CLSOLVE_F64));
}

static void check(const way *w, int kind, clsolve_op op, int64_t n, int64_t nrhs, clsolve_status status,
                  const clsolve_report *r, double ratio) {
    double bound = bound_of(n);

    if (status != CLSOLVE_OK && !(kind == 9 && w->alone && status == CLSOLVE_NOT_CONVERGED))
        fail_msg("%s, n %d, kind %d: %s", w->name, (int)n, kind, clsolve_context_message(ooc_context));
    if (kind == 9 && (w->alone || r->direct.fallback || r->direct.pivoting_fallback)) {
        check_hard(w, n, status, r, ratio);
        return;
    }
    if (!(ratio <= bound))
        fail_msg("%s, n %d, nrhs %d, op %d, kind %d: ratio %g, bound %g, %d steps, backward error %g", w->name, (int)n,
                 (int)nrhs, (int)op, kind, ratio, bound, (int)r->iterations, r->refinement.backward_error);
    /* Double factors are for matrices that float cannot do with, not for rounding. */
    if (kind != 8 && kind != 9) assert_null(r->direct.fallback);
}

/* ---- solving ---- */

/* One solve with the factors of A that `lu` has. */
static void solve(test_random *random, const way *w, clsolve_lu *lu, int kind, clsolve_layout layout, clsolve_op op,
                  int64_t n, int64_t nrhs, const double *A) {
    SCRATCH double *B = ooc_doubles(n * nrhs), *X = ooc_doubles(n * nrhs);
    scratch_matrix b = test_matrix_make(CLSOLVE_F64, layout, n, nrhs, 1);

    test_right_sides(random, op, n, nrhs, A, B);
    test_matrix_set(&b, B);
    clsolve_status status = clsolve_lu_solve(lu, op, &b.view);
    clsolve_report report = ooc_report_of(lu);
    test_matrix_get(&b, X);
    check(w, kind, op, n, nrhs, status, &report, ratio_of(op, n, nrhs, A, X, B));
}

static clsolve_lu *make(const way *w, int64_t n) {
    clsolve_lu_options options = w->options;
    if (!w->out_of_core) return ooc_make(CLSOLVE_F64, n, &options);
    options.block = 16;
    options.memory_limit = ooc_least_limit(CLSOLVE_F32, n, 16) + n * 8 * 20;
    clsolve_lu *lu = ooc_make(CLSOLVE_F64, n, &options);
    assert_true(ooc_report_of(lu).slab_columns > 0);
    return lu;
}

/* Column 5 is full of ones and all else is small off the diagonal: ||A||_1 is about n, ||A||_inf about 3. */
static void make_uneven(test_random *random, int64_t n, double *A) {
    test_random_fill(random, A, n * n);
    for (int64_t k = 0; k < n * n; ++k) A[k] /= (double)n;
    for (int64_t i = 0; i < n; ++i) A[i + i * n] += 1;
    for (int64_t i = 0; i < n; ++i) A[i + 5 * n] += 1;
}

/* Both ways for one right-hand side; several, and reduced all, one way, by turns. */
static int is_wanted(int kind, size_t count, int op) {
    return (counts[count] == 1 && !test_reduced()) || ((size_t)op + count + (size_t)(kind + 1)) % 2 == 0;
}

/* The matrix of a kind, or RANDOM, or UNEVEN, factored once; every number of right-hand sides. */
static void solve_kind(test_random *random, const way *w, clsolve_lu *lu, int kind, int64_t n) {
    clsolve_layout layout = (n + kind) % 2 ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR;
    SCRATCH double *A = ooc_doubles(n * n);
    scratch_matrix a = test_matrix_make(CLSOLVE_F64, layout, n, n, 1);

    if (kind == RANDOM)
        test_random_fill(random, A, n * n);
    else if (kind == UNEVEN)
        make_uneven(random, n, A);
    else
        test_kind_make(random, CLSOLVE_F64, kind, n, A);
    test_matrix_set(&a, A);
    if (clsolve_lu_factor(lu, &a.view) != CLSOLVE_OK)
        fail_msg("%s, n %d, kind %d: %s", w->name, (int)n, kind, clsolve_context_message(ooc_context));
    for (size_t k = 0; k < sizeof counts / sizeof *counts; ++k)
        for (int op = CLSOLVE_NO_TRANS; op <= CLSOLVE_TRANS; ++op)
            if (is_wanted(kind, k, op)) solve(random, w, lu, kind, layout, (clsolve_op)op, n, counts[k], A);
}

static void solve_size(test_random *random, const way *w, int64_t n) {
    OWNED(lu) *lu = make(w, n);
    for (int kind = 1; kind <= TEST_KINDS; ++kind)
        if (!test_kind_singular(kind)) solve_kind(random, w, lu, kind, n);
    if (n > 16) solve_kind(random, w, lu, UNEVEN, n);
}

static void solve_sizes(uint64_t use, const way *w) {
    test_random random = test_random_start(use);
    const int64_t *list = test_reduced() ? few_sizes : sizes;
    size_t count = test_reduced() ? sizeof few_sizes / sizeof *few_sizes : sizeof sizes / sizeof *sizes;
    for (size_t s = 0; s < count; ++s) solve_size(&random, w, list[s]);
}

/* ---- tests ---- */

TEST(test_mixed) {
    way w = way_of(CLSOLVE_PRECISION_MIXED, CLSOLVE_PIVOTING_PARTIAL);
    solve_sizes(81, &w);
}

TEST(test_rbt) {
    way w = way_of(CLSOLVE_PRECISION_WORKING, CLSOLVE_PIVOTING_RBT);
    solve_sizes(82, &w);
}

TEST(test_rbt_mixed) {
    way w = way_of(CLSOLVE_PRECISION_MIXED, CLSOLVE_PIVOTING_RBT);
    solve_sizes(83, &w);
}

TEST(test_out_of_core) {
    static const int64_t orders[] = {97, 130, 151};
    test_random random = test_random_start(84);
    way w = way_of(CLSOLVE_PRECISION_MIXED, CLSOLVE_PIVOTING_PARTIAL);
    w.name = "mixed, out of core";
    w.out_of_core = w.alone = 1;
    for (size_t s = test_reduced() ? 1 : 0; s < sizeof orders / sizeof *orders; s += test_reduced() ? 2 : 1)
        solve_size(&random, &w, orders[s]);
}

/* More rows. */
TEST(test_larger) {
    test_random random = test_random_start(85);
    int64_t n = test_reduced() ? 250 : 401;
    way ways[] = {way_of(CLSOLVE_PRECISION_MIXED, CLSOLVE_PIVOTING_PARTIAL),
                  way_of(CLSOLVE_PRECISION_WORKING, CLSOLVE_PIVOTING_RBT)};
    for (size_t k = 0; k < sizeof ways / sizeof *ways; ++k) {
        OWNED(lu) *lu = make(&ways[k], n);
        solve_kind(&random, &ways[k], lu, RANDOM, n);
        solve_kind(&random, &ways[k], lu, UNEVEN, n);
        if (!test_reduced()) solve_kind(&random, &ways[k], lu, 4, n);
    }
}

/* The one call that does it all. */
TEST(test_at_once) {
    enum { N = 101, COUNT = 15 };
    test_random random = test_random_start(86);
    way w = way_of(CLSOLVE_PRECISION_MIXED, CLSOLVE_PIVOTING_PARTIAL);
    clsolve_solver_options options = test_solver_options(&w.options);
    SCRATCH double *A = ooc_doubles(N * N), *B = ooc_doubles(N * COUNT), *X = ooc_doubles(N * COUNT);
    for (int kind = 1; kind <= TEST_KINDS; ++kind) {
        if (test_kind_singular(kind)) continue;
        clsolve_solve_report whole;
        clsolve_report report;
        clsolve_matrix a = clsolve_matrix_f64(N, N, A), x = clsolve_matrix_f64(N, COUNT, X);
        test_kind_make(&random, CLSOLVE_F64, kind, N, A);
        test_right_sides(&random, CLSOLVE_NO_TRANS, N, COUNT, A, B);
        memcpy(X, B, N * COUNT * sizeof *X);
        clsolve_status status = clsolve_solve(ooc_context, CLSOLVE_NO_TRANS, &a, &x, &options, &whole);
        report = whole.report;
        check(&w, kind, CLSOLVE_NO_TRANS, N, COUNT, status, &report, ratio_of(CLSOLVE_NO_TRANS, N, COUNT, A, X, B));
    }
}

/* A band of A alone, by the same refinement. */
static void solve_band(test_random *random, const way *w, int kind, int64_t n, int64_t kl, int64_t ku, clsolve_op op) {
    clsolve_band_options options = {.precision = CLSOLVE_PRECISION_MIXED, .panel = test_lu_options().panel};
    int64_t rows = kl + ku + 1, nrhs = 15;
    SCRATCH double *A = ooc_doubles(n * n), *AB = ooc_doubles(rows * n), *B = ooc_doubles(n * nrhs),
                   *X = ooc_doubles(n * nrhs);
    clsolve_matrix ab = clsolve_matrix_f64(rows, n, AB), x = clsolve_matrix_f64(n, nrhs, X);
    OWNED(band) *band = NULL;
    clsolve_report report;

    test_kind_make(random, CLSOLVE_F64, kind, n, A);
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < n; ++i) {
            double *a = &A[i + j * n];
            if (i == j) *a += ldexp(2, ilogb(A[0])); /* the condition of a band that is cut out is another one */
            if (i - j > kl || j - i > ku)
                *a = 0;
            else
                AB[ku + i - j + j * rows] = *a;
        }
    test_right_sides(random, op, n, nrhs, A, B);
    memcpy(X, B, (size_t)(n * nrhs) * sizeof *X);
    assert_int_equal(clsolve_band_create(ooc_context, n, kl, ku, CLSOLVE_F64, &options, &band), CLSOLVE_OK);
    assert_int_equal(clsolve_band_factor(band, &ab), CLSOLVE_OK);
    clsolve_status status = clsolve_band_solve(band, op, &x);
    assert_int_equal(clsolve_band_report(band, &report), CLSOLVE_OK);
    check(w, kind, op, n, nrhs, status, &report, ratio_of(op, n, nrhs, A, X, B));
}

TEST(test_band) {
    static const int64_t shapes[][3] = {{1, 0, 0}, {5, 1, 2}, {60, 3, 7}, {133, 20, 11}};
    static const int kinds[] = {4, 10, 11};
    test_random random = test_random_start(87);
    way w = way_of(CLSOLVE_PRECISION_MIXED, CLSOLVE_PIVOTING_PARTIAL);
    w.name = "a band, mixed";
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; ++s)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k)
            for (int op = CLSOLVE_NO_TRANS; op <= CLSOLVE_TRANS; ++op)
                solve_band(&random, &w, kinds[k], shapes[s][0], shapes[s][1], shapes[s][2], (clsolve_op)op);
}

TEST_PROGRAM(ooc_open, ooc_close)
