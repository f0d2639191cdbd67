/* The front door on symmetric matrices: when AUTO tries Cholesky, what follows a failure, Cholesky by name. */
#include <math.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "cholesky/cholesky_support.h"
#include "solve/sparse_support.h"

enum { N = 200, NRHS = 2 };

static clsolve_type type; /* double where the device has it */
static double A[N * N], B[N * NRHS], X[N * NRHS];

#define EXPECT(call, wanted, words)                                                                                    \
    do {                                                                                                               \
        clsolve_status got_ = (call);                                                                                  \
        if (got_ != (wanted) || !strstr(clsolve_context_message(context), words))                                      \
            fail_msg("%s gave %s: %s", #call, clsolve_status_name(got_), clsolve_context_message(context));            \
    } while (0)

static void make(int64_t n, uint64_t use) {
    test_random random = test_random_start(use);
    spd_make(&random, type, SPD_WELL, n, A);
    test_random_fill(&random, B, n * NRHS);
    for (int64_t k = 0; k < n * NRHS; ++k) B[k] = test_rounded(type, B[k]);
}

/* A solver's way and the one call's, on the first n rows. Both are to go to `name`, after `attempts` of others. */
static void solve_both(int64_t n, clsolve_layout layout, clsolve_solver_options options, const char *name,
                       int attempts) {
    test_matrix a = test_matrix_make(type, layout, n, n, 3), b = test_matrix_make(type, layout, n, NRHS, 1);
    clsolve_solver *solver = NULL;

    test_matrix_set(&a, A);
    for (int handle = 0; handle < 2; ++handle) {
        clsolve_solve_report report;
        test_matrix_set(&b, B);
        clsolve_status status = CLSOLVE_OK;
        if (handle) {
            status = clsolve_solver_create(context, &a.view, &options, &solver);
            if (status == CLSOLVE_OK) status = clsolve_solver_factor(solver, &a.view);
            if (status == CLSOLVE_OK) status = clsolve_solver_solve(solver, CLSOLVE_TRANS, &b.view);
            assert_int_equal(clsolve_solver_report(solver, &report), CLSOLVE_OK);
            clsolve_solver_destroy(solver);
        } else {
            status = clsolve_solve(context, CLSOLVE_TRANS, &a.view, &b.view, &options, &report);
        }
        if (status != CLSOLVE_OK) fail_msg("%s", clsolve_context_message(context));
        if (strcmp(report.name, name) != 0) fail_msg("n %d: %s, not %s: %s", (int)n, report.name, name, report.reason);
        assert_string_equal(report.report.method, name);
        assert_int_equal(report.attempts_count, attempts);
        if (attempts > 0) {
            assert_int_equal(report.attempts[0].method, CLSOLVE_METHOD_CHOLESKY);
            assert_int_equal(report.attempts[0].status, CLSOLVE_NOT_POSITIVE_DEFINITE);
            assert_non_null(strstr(report.attempts[0].text, "minor of order"));
        }
        test_matrix_get(&b, X);
        const double ratio = ratio_solve(type, CLSOLVE_TRANS, n, NRHS, A, X, B);
        if (!(ratio < RATIO_BOUND)) fail_msg("n %d, %s: ratio %g", (int)n, name, ratio);
    }
    test_matrix_free(&a);
    test_matrix_free(&b);
}

/* AUTO tries Cholesky in the host's memory alone. */
static int tries(void) {
    return clsolve_context_device(context).host_memory;
}

static int on_host(void) {
    const char *host = getenv("CLSOLVE_HOST");
    return host && strcmp(host, "always") == 0;
}

static void test_auto(void **state) {
    const clsolve_solver_options defaults = {0}, pivots = {.pivoting = CLSOLVE_PIVOTING_PARTIAL};
    (void)state;

    make(N, 1);
    solve_both(N, CLSOLVE_COLUMN_MAJOR, defaults, tries() ? "cholesky" : "lu", 0);
    solve_both(N, CLSOLVE_ROW_MAJOR, defaults, tries() ? "cholesky" : "lu", 0);
    solve_both(N, CLSOLVE_COLUMN_MAJOR, pivots, "lu", 0);
    make(100, 2); /* few rows */
    solve_both(100, CLSOLVE_COLUMN_MAJOR, defaults, "lu", 0);
    make(N, 3); /* not symmetric: the last pair */
    A[N - 1 + (N - 2) * N] *= 1.5;
    solve_both(N, CLSOLVE_COLUMN_MAJOR, defaults, "lu", 0);
    make(N, 4); /* the diagonal is not positive */
    A[7 * (N + 1)] = -A[7 * (N + 1)];
    solve_both(N, CLSOLVE_COLUMN_MAJOR, defaults, "lu", 0);
    make(N, 5); /* indefinite all the same */
    A[150 + 20 * N] = A[20 + 150 * N] = 8;
    solve_both(N, CLSOLVE_COLUMN_MAJOR, defaults, "lu", tries());
}

static void test_by_name(void **state) {
    const clsolve_solver_options options = {.method = CLSOLVE_METHOD_CHOLESKY},
                                 pivots = {.method = CLSOLVE_METHOD_CHOLESKY, .pivoting = CLSOLVE_PIVOTING_PARTIAL};
    test_matrix a = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, 50, 50, 0);
    test_matrix b = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, 50, NRHS, 0);
    clsolve_solver *solver = NULL;
    clsolve_solve_report report;
    (void)state;

    make(50, 6);
    solve_both(50, CLSOLVE_ROW_MAJOR, options, "cholesky", 0);
    EXPECT(clsolve_solver_create(context, &a.view, &pivots, &solver), CLSOLVE_ERROR_UNSUPPORTED, "PARTIAL");
    assert_int_equal(clsolve_solver_create(context, &a.view, &options, &solver), CLSOLVE_OK);

    A[9 + 30 * 50] += 1; /* not symmetric */
    test_matrix_set(&a, A);
    test_matrix_set(&b, B);
    EXPECT(clsolve_solve(context, CLSOLVE_NO_TRANS, &a.view, &b.view, &options, &report),
           CLSOLVE_ERROR_INVALID_ARGUMENT, "A(31,10) and A(10,31)");
    EXPECT(clsolve_solver_factor(solver, &a.view), CLSOLVE_ERROR_INVALID_ARGUMENT, "not symmetric");
    EXPECT(clsolve_solver_solve(solver, CLSOLVE_NO_TRANS, &b.view), CLSOLVE_ERROR_STATE, "factor a matrix");

    A[30 + 9 * 50] += 1; /* not positive definite */
    A[9 * 51] = 1e-3;
    test_matrix_set(&a, A);
    EXPECT(clsolve_solve(context, CLSOLVE_NO_TRANS, &a.view, &b.view, &options, &report), CLSOLVE_NOT_POSITIVE_DEFINITE,
           "minor of order");
    assert_true(report.report.info > 0 && report.attempts_count == 0);
    EXPECT(clsolve_solver_factor(solver, &a.view), CLSOLVE_NOT_POSITIVE_DEFINITE, "minor of order");
    EXPECT(clsolve_solver_solve(solver, CLSOLVE_NO_TRANS, &b.view), CLSOLVE_NOT_POSITIVE_DEFINITE,
           "not positive definite");
    test_matrix_get(&b, X);
    for (int k = 0; k < 50 * NRHS; ++k) assert_true(X[k] == B[k]);
    clsolve_solver_destroy(solver);
    test_matrix_free(&a);
    test_matrix_free(&b);
}

/* New values go where they can: LU that was gone on to stays, and Cholesky leaves a matrix that is no longer symmetric. */
static void test_new_values(void **state) {
    const clsolve_solver_options defaults = {0};
    test_matrix a = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, N, N, 0);
    clsolve_solver *solver = NULL;
    clsolve_solve_report report;
    static const char *const names[] = {"cholesky", "cholesky", "lu", "lu"};
    (void)state;
    assert_int_equal(clsolve_solver_create(context, &a.view, &defaults, &solver), CLSOLVE_OK);
    for (uint64_t round = 0; round < 4; ++round) {
        make(N, 10 + round);
        if (round == 2) A[5] += 1;
        test_matrix_set(&a, A);
        assert_int_equal(clsolve_solver_factor(solver, &a.view), CLSOLVE_OK);
        assert_int_equal(clsolve_solver_report(solver, &report), CLSOLVE_OK);
        assert_string_equal(report.name, tries() ? names[round] : "lu");
    }
    clsolve_solver_destroy(solver);
    test_matrix_free(&a);
}

/* ---- sparse ---- */

/* Entries far from the diagonal, in an order that no renumbering makes a band of; symmetric, the diagonal `diagonal`. */
static sparse scattered(int64_t n, double diagonal, int lopsided) {
    sparse S = sparse_begin(n, n * n);
    for (int64_t i = 0; i < n; ++i) {
        sparse_row(&S, i);
        for (int64_t j = 0; j < n; ++j) {
            const int64_t low = i < j ? i : j, high = i < j ? j : i;
            const int there = i == j || ((low * 2654435761 + high * 40503) ^ (high * 97 >> 3) * low) % 11 == 0;
            if (there) sparse_add(&S, j, i == j ? diagonal : lopsided && i == n - 1 ? 0.6 : 0.5);
        }
    }
    sparse_row(&S, n);
    return S;
}

static void solve_sparse(clsolve_solver *solver, const sparse *S, clsolve_solve_report *report) {
    const int64_t n = S->n;
    double *b = calloc((size_t)n, sizeof *b), *x = calloc((size_t)n, sizeof *x);
    clsolve_csr view = sparse_view(S);
    assert_true(b && x);
    for (int64_t i = 0; i < n; ++i) b[i] = x[i] = (double)(i % 7) - 3;
    clsolve_matrix right = clsolve_matrix_f64(n, 1, x);
    if (clsolve_solver_factor_csr(solver, &view) != CLSOLVE_OK ||
        clsolve_solver_solve(solver, CLSOLVE_NO_TRANS, &right) != CLSOLVE_OK)
        fail_msg("%s", clsolve_context_message(context));
    assert_int_equal(clsolve_solver_report(solver, report), CLSOLVE_OK);
    assert_true(sparse_backward(S, 0, 1, b, x) <= sparse_promised(n, CLSOLVE_F64));
    free(b);
    free(x);
}

static void test_sparse(void **state) {
    enum { ORDER = 400 };
    const clsolve_solver_options defaults = {0}, by_name = {.method = CLSOLVE_METHOD_CHOLESKY};
    sparse good = scattered(ORDER, 60, 0), bad = scattered(ORDER, 0.1, 0), other = scattered(ORDER, 60, 1);
    clsolve_csr view = sparse_view(&good), lopsided = sparse_view(&other);
    clsolve_solver *solver = NULL;
    clsolve_solve_report report;
    (void)state;
    if (type != CLSOLVE_F64) skip();

    assert_int_equal(clsolve_solver_create_csr(context, &view, &defaults, &solver), CLSOLVE_OK);
    solve_sparse(solver, &good, &report);
    const int tried = strcmp(report.name, "cholesky") == 0;
    assert_true(tried || !tries()); /* a GPU may be quicker by another method */
    assert_true(report.symmetric);
    solve_sparse(solver, &other, &report); /* no longer symmetric */
    assert_true(strcmp(report.name, "cholesky") != 0 && report.attempts_count == 0);
    clsolve_solver_destroy(solver);

    assert_int_equal(clsolve_solver_create_csr(context, &view, &defaults, &solver), CLSOLVE_OK);
    solve_sparse(solver, &bad, &report); /* indefinite */
    assert_true(strcmp(report.name, "cholesky") != 0);
    if (tries()) assert_int_equal(report.attempts_count, tried);
    if (report.attempts_count > 0) assert_int_equal(report.attempts[0].status, CLSOLVE_NOT_POSITIVE_DEFINITE);
    clsolve_solver_destroy(solver);

    assert_int_equal(clsolve_solver_create_csr(context, &view, &by_name, &solver), CLSOLVE_OK);
    solve_sparse(solver, &good, &report);
    assert_string_equal(report.name, "cholesky");
    EXPECT(clsolve_solver_factor_csr(solver, &lopsided), CLSOLVE_ERROR_INVALID_ARGUMENT, "not symmetric");
    clsolve_solver_destroy(solver);
    sparse_free(&good);
    sparse_free(&bad);
    sparse_free(&other);
}

/* Tridiagonal, symmetric, with the diagonal `diagonal`. */
static sparse tridiagonal(int64_t n, double diagonal) {
    sparse S = sparse_begin(n, 3 * n);
    for (int64_t i = 0; i < n; ++i) {
        sparse_row(&S, i);
        if (i > 0) sparse_add(&S, i - 1, -1);
        sparse_add(&S, i, i == n / 2 ? diagonal : 2.5);
        if (i + 1 < n) sparse_add(&S, i + 1, -1);
    }
    sparse_row(&S, n);
    return S;
}

/* Cholesky by name of a small band; AUTO takes it where bands go to the host, and goes on from it to LU. */
static void test_band(void **state) {
    enum { ORDER = 300 };
    const clsolve_solver_options defaults = {0}, by_name = {.method = CLSOLVE_METHOD_CHOLESKY, .rcond = 1};
    sparse good = tridiagonal(ORDER, 3), bad = tridiagonal(ORDER, 0.1);
    clsolve_csr view = sparse_view(&good), indefinite = sparse_view(&bad);
    clsolve_solver *solver = NULL;
    clsolve_solve_report report;
    (void)state;
    if (type != CLSOLVE_F64) skip();

    assert_int_equal(clsolve_solver_create_csr(context, &view, &by_name, &solver), CLSOLVE_OK);
    solve_sparse(solver, &good, &report);
    assert_int_equal(report.method, CLSOLVE_METHOD_CHOLESKY);
    assert_string_equal(report.name, "band-cholesky");
    assert_string_equal(report.report.method, "band-cholesky");
    assert_int_equal(report.report.band.lower, 1);
    assert_true(report.report.direct.rcond > 0.01);
    EXPECT(clsolve_solver_factor_csr(solver, &indefinite), CLSOLVE_NOT_POSITIVE_DEFINITE, "order 151");
    solve_sparse(solver, &good, &report);
    clsolve_solver_destroy(solver);

    assert_int_equal(clsolve_solver_create_csr(context, &view, &defaults, &solver), CLSOLVE_OK);
    solve_sparse(solver, &good, &report);
    assert_true(strcmp(report.name, "band-cholesky") == 0 || !on_host()); /* a device may be quicker */
    clsolve_solver_destroy(solver);
    assert_int_equal(clsolve_solver_create_csr(context, &indefinite, &defaults, &solver), CLSOLVE_OK);
    solve_sparse(solver, &bad, &report);
    assert_true(report.method != CLSOLVE_METHOD_CHOLESKY);
    if (on_host()) assert_int_equal(report.attempts_count, 1);
    if (report.attempts_count > 0) assert_int_equal(report.attempts[0].status, CLSOLVE_NOT_POSITIVE_DEFINITE);
    clsolve_solver_destroy(solver);
    sparse_free(&good);
    sparse_free(&bad);
}

/* Of a large matrix threads share the search; the pair that is told is of the first columns that have one. */
static void test_search(void **state) {
    enum { N = 1100 };
    static const int64_t pairs[][2] = {{5, 3}, {140, 127}, {1099, 128}, {1099, 1098}, {700, 600}};
    const clsolve_solver_options options = {.method = CLSOLVE_METHOD_CHOLESKY};
    float *a = calloc((size_t)N * N, sizeof *a), b[N] = {0};
    clsolve_matrix A = clsolve_matrix_f32(N, N, a), B = clsolve_matrix_f32(N, 1, b);
    (void)state;
    assert_non_null(a);
    for (int64_t j = 0; j < N; ++j) a[j * (N + 1)] = 4;
    for (size_t p = 0; p < sizeof pairs / sizeof *pairs; ++p) {
        char words[64];
        const int64_t i = pairs[p][0], j = pairs[p][1];
        a[i + j * N] = 1;
        if (p == 4) a[1050 + 1049 * N] = 1; /* another one, behind it */
        (void)snprintf(words, sizeof words, "A(%d,%d) and A(%d,%d)", (int)i + 1, (int)j + 1, (int)j + 1, (int)i + 1);
        assert_int_equal(clsolve_solve(context, CLSOLVE_NO_TRANS, &A, &B, &options, NULL),
                         CLSOLVE_ERROR_INVALID_ARGUMENT);
        if (!strstr(clsolve_context_message(context), words)) fail_msg("%s", clsolve_context_message(context));
        a[i + j * N] = 0;
    }
    free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_auto),       cmocka_unit_test(test_by_name),
                                       cmocka_unit_test(test_new_values), cmocka_unit_test(test_sparse),
                                       cmocka_unit_test(test_band),       cmocka_unit_test(test_search)};
    test_require_device();
    context = test_context(1);
    type = clsolve_context_device(context).fp64 ? CLSOLVE_F64 : CLSOLVE_F32;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    clsolve_context_destroy(context);
    return failed;
}
