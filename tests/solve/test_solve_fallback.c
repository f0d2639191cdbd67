/* What AUTO does when a method gives up: an iteration that stops, a line that is singular, a band that does not fit;
 * and where nothing follows: what was asked for by name, and a singular grid that no right-hand side outside its
 * range can meet. */
#include "solve/sparse_support.h"

typedef struct outcome {
    clsolve_status status;
    clsolve_solve_report report;
} outcome;

static void require_double(void) {
    if (!clsolve_context_device(context).fp64) skip();
}

static outcome solve(const sparse *A, const clsolve_solver_options *options, double *x) {
    outcome o;
    clsolve_csr view = sparse_view(A);
    clsolve_matrix B = clsolve_matrix_f64(A->n, 1, x);
    o.status = clsolve_solve_csr(context, CLSOLVE_NO_TRANS, &view, &B, options, &o.report);
    assert_int_equal(o.report.report.status, o.status);
    return o;
}

static double *random_side(int64_t n, uint64_t use) {
    test_random random = test_random_start(use);
    double *b = calloc((size_t)n + 1, sizeof *b);
    test_random_fill(&random, b, n);
    return b;
}

static double *copy(int64_t n, const double *x) {
    double *y = calloc((size_t)n + 1, sizeof *y);
    memcpy(y, x, (size_t)n * sizeof *y);
    return y;
}

TEST(test_not_converged) {
    require_double();
    scratch_sparse A = sparse_wild_grid(30, 40, 1);
    SCRATCH double *b = random_side(A.n, 2), *x = copy(A.n, b);
    clsolve_solver_options options = {.tolerance = 1e-10}; /* AUTO then takes the iteration for every grid */
    outcome o = solve(&A, &options, x);
    assert_int_equal(o.status, CLSOLVE_OK);
    assert_int_equal(o.report.attempts_count, 1);
    assert_int_equal(o.report.attempts[0].method, CLSOLVE_METHOD_BLOCK_GS);
    assert_int_equal(o.report.attempts[0].status, CLSOLVE_NOT_CONVERGED);
    assert_non_null(strstr(o.report.attempts[0].text, "relative residual"));
    assert_int_not_equal(o.report.method, CLSOLVE_METHOD_BLOCK_GS);
    assert_true(sparse_backward(&A, 0, 1, b, x) <= 1e-12);

    /* Asked for by name, or with a limit, the iteration has the last word, and B is as it was. */
    clsolve_solver_options named = {.method = CLSOLVE_METHOD_BLOCK_GS}, limited = {.max_iterations = 2};
    const clsolve_solver_options *ends[] = {&named, &limited};
    for (int e = 0; e < 2; e++) {
        memcpy(x, b, (size_t)A.n * sizeof *x);
        o = solve(&A, ends[e], x);
        assert_int_equal(o.status, CLSOLVE_NOT_CONVERGED);
        assert_int_equal(o.report.attempts_count, 0);
        assert_memory_equal(x, b, (size_t)A.n * sizeof *x);
        assert_non_null(strstr(clsolve_context_message(context), "clsolve_solver_solve: "));
    }
}

/* Once gone on to, a method stays, also for new values. */
TEST(test_stays) {
    require_double();
    scratch_sparse A = sparse_grid(12, 11, 4.5);
    for (int64_t e = A.start[33]; e < A.start[44]; e++) /* nothing of line 4 is left but what couples it */
        if (A.column[e] >= 33 && A.column[e] < 44) A.value[e] = 0;
    clsolve_csr view = sparse_view(&A);
    clsolve_solver_options options = {.tolerance = 1e-10};
    OWNED(solver) *solver = NULL;
    clsolve_solve_report report;
    assert_int_equal(clsolve_solver_create_csr(context, &view, &options, &solver), CLSOLVE_OK);
    for (int round = 0; round < 3; round++) {
        SCRATCH double *b = random_side(A.n, 4), *x = copy(A.n, b);
        clsolve_matrix B = clsolve_matrix_f64(A.n, 1, x);
        assert_int_equal(clsolve_solver_factor_csr(solver, &view), CLSOLVE_OK);
        assert_int_equal(clsolve_solver_solve(solver, CLSOLVE_TRANS, &B), CLSOLVE_OK);
        assert_int_equal(clsolve_solver_report(solver, &report), CLSOLVE_OK);
        assert_int_equal(report.attempts_count, round == 0);
        assert_true(sparse_backward(&A, 1, 1, b, x) <= 1e-12);
    }
}

/* Lines by themselves are singular, the matrix is not: 2 lines of 2, coupled across alone but for one line. */
TEST(test_singular_line) {
    require_double();
    int64_t start[] = {0, 2, 4, 5, 6}, column[] = {0, 2, 1, 3, 0, 1};
    double value[] = {1, 1, 1, 1, 1, 1}, x[] = {2, 2, 1, 1};
    sparse A = {4, 6, start, column, value};
    clsolve_solver_options options = {.tolerance = 1e-10};
    outcome o = solve(&A, &options, x);
    assert_int_equal(o.status, CLSOLVE_OK);
    assert_int_equal(o.report.attempts_count, 1);
    assert_int_equal(o.report.attempts[0].status, CLSOLVE_SINGULAR);
    for (int i = 0; i < 4; i++) assert_true(fabs(x[i] - 1) < 1e-14);
}

/* All row sums are zero: the solution with mean 0 where there is one, with the accuracy that AUTO promises; else the
 * iteration's word. With one line the matrix is tridiagonal. */
static void check_singular_grid(int64_t N, int64_t M) {
    scratch_sparse A = sparse_grid(N, M, 0);
    for (int64_t i = 0; i < A.n; i++)
        for (int64_t e = A.start[i]; e < A.start[i + 1]; e++)
            if (A.column[e] == i) A.value[e] = (double)(A.start[i + 1] - A.start[i] - 1);
    double *b = random_side(A.n, 5), mean = 0, sum = 0;
    for (int64_t i = 0; i < A.n; i++) mean += b[i] / (double)A.n;
    for (int64_t i = 0; i < A.n; i++) b[i] -= mean;
    SCRATCH double *x = copy(A.n, b);
    outcome o = solve(&A, NULL, x);
    assert_int_equal(o.status, CLSOLVE_OK);
    assert_int_equal(o.report.method, CLSOLVE_METHOD_BLOCK_GS);
    assert_int_equal(o.report.singular, 1);
    for (int64_t i = 0; i < A.n; i++) sum += x[i];
    assert_true(fabs(sum) < 1e-10);
    const double error = sparse_backward(&A, 0, 1, b, x);
    if (!(error <= sparse_promised(A.n, CLSOLVE_F64)))
        fail_msg("%d x %d: backward error %g after %d corrections", (int)N, (int)M, error, (int)o.report.corrections);
    assert_true(fabs(o.report.backward_error - error) <= sparse_promised(A.n, CLSOLVE_F64));

    b[3] += 5;
    memcpy(x, b, (size_t)A.n * sizeof *x);
    o = solve(&A, NULL, x);
    assert_int_equal(o.status, CLSOLVE_NOT_CONVERGED);
    assert_int_equal(o.report.method, CLSOLVE_METHOD_BLOCK_GS);
    assert_int_equal(o.report.attempts_count, 0);
    assert_non_null(strstr(clsolve_context_message(context), "row sums are zero"));
    assert_memory_equal(x, b, (size_t)A.n * sizeof *x);
    free(b);
}

TEST(test_singular_grid) {
    require_double();
    check_singular_grid(6, 7);
    check_singular_grid(24, 20);
    check_singular_grid(1, 20);
}

/* The host has no kernels for grids: a direct method follows, and whether it meets a zero pivot is rounding's to say. */
TEST(test_singular_on_the_host) {
    OWNED(context) *host = NULL;
    clsolve_solve_report report;
    assert_int_equal(clsolve_context_create("host", &host), CLSOLVE_OK);
    scratch_sparse A = sparse_grid(6, 5, 0);
    for (int64_t i = 0; i < A.n; i++)
        for (int64_t e = A.start[i]; e < A.start[i + 1]; e++)
            if (A.column[e] == i) A.value[e] = (double)(A.start[i + 1] - A.start[i] - 1);
    SCRATCH double *x = calloc((size_t)A.n, sizeof *x);
    clsolve_csr view = sparse_view(&A);
    clsolve_matrix B = clsolve_matrix_f64(A.n, 1, x);
    clsolve_status status = clsolve_solve_csr(host, CLSOLVE_NO_TRANS, &view, &B, NULL, &report);
    if (status < 0) fail_msg("%s", clsolve_context_message(host));
    assert_int_not_equal(report.method, CLSOLVE_METHOD_BLOCK_GS);
}

/* The same with random coefficients, on which no iteration here converges: LU's answer, with mean 0, where b is in the
 * range; else the iteration's word. */
TEST(test_singular_given_up) {
    require_double();
    scratch_sparse A = sparse_wild_grid(30, 40, 9);
    double *b = calloc((size_t)A.n, sizeof *b), sum = 0;
    for (int64_t i = 0; i < A.n; i++) {
        double others = 0;
        for (int64_t e = A.start[i]; e < A.start[i + 1]; e++)
            if (A.column[e] != i) others += A.value[e];
        for (int64_t e = A.start[i]; e < A.start[i + 1]; e++) {
            if (A.column[e] == i) A.value[e] = -others;
            b[i] += A.value[e] * (double)(A.column[e] % 7 + 40); /* the mean of what solves it is not 0 */
        }
    }
    SCRATCH double *x = copy(A.n, b);
    outcome o = solve(&A, NULL, x);
    assert_int_equal(o.status, CLSOLVE_OK);
    assert_int_equal(o.report.singular, 1);
    assert_true(sparse_backward(&A, 0, 1, b, x) < 1e-12); /* rounding takes b out of the range by as much */
    for (int64_t i = 0; i < A.n; i++) sum += x[i];
    assert_true(fabs(sum) < 1e-6);

    b[5] += 100;
    memcpy(x, b, (size_t)A.n * sizeof *x);
    o = solve(&A, NULL, x);
    assert_int_equal(o.status, CLSOLVE_NOT_CONVERGED);
    assert_int_equal(o.report.method, CLSOLVE_METHOD_BLOCK_GS);
    assert_int_equal(o.report.attempts_count, 0);
    assert_memory_equal(x, b, (size_t)A.n * sizeof *x);
    free(b);
}

/* Less memory than the smallest window on the band: dense LU in slabs, or where that does not fit either, the band's
 * words. */
TEST(test_memory) {
    static const int64_t limits[] = {100, 60, 50, 45, 40, 35, 30, 25, 20};
    require_double();
    scratch_sparse A = sparse_band(100, 20, 20, 0, 6);
    SCRATCH double *b = random_side(A.n, 7), *x = copy(A.n, b);
    int went_on = 0;
    for (size_t l = 0; l < sizeof limits / sizeof *limits; l++) {
        clsolve_solver_options options = {.memory_limit = limits[l] * 1024};
        memcpy(x, b, (size_t)A.n * sizeof *x);
        outcome o = solve(&A, &options, x);
        if (o.status != CLSOLVE_OK) {
            assert_int_equal(o.status, CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY);
            continue;
        }
        assert_true(sparse_backward(&A, 0, 1, b, x) <= sparse_promised(A.n, CLSOLVE_F64));
        went_on += o.report.attempts_count == 1 && o.report.method == CLSOLVE_METHOD_LU &&
                   o.report.attempts[0].method == CLSOLVE_METHOD_BAND;
    }
    if (clsolve_context_device(context).host_memory) assert_true(went_on > 0);

    clsolve_solver_options options = {.memory_limit = 1000};
    memcpy(x, b, (size_t)A.n * sizeof *x);
    outcome o = solve(&A, &options, x);
    assert_int_equal(o.status, CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY);
    assert_int_equal(o.report.attempts_count, 0);
    assert_memory_equal(x, b, (size_t)A.n * sizeof *x);
}

/* Wilkinson's matrix with smaller multipliers: pivots grow and spoil LU's first answer, and corrections repair it. */
TEST(test_growth) {
    enum { N = 90 };
    require_double();
    scratch_sparse A = sparse_begin(N, N * N);
    for (int64_t i = 0; i < N; i++) {
        sparse_row(&A, i);
        for (int64_t j = 0; j < i; j++) sparse_add(&A, j, -0.3);
        sparse_add(&A, i, 1);
        if (i < N - 1) sparse_add(&A, N - 1, 1);
    }
    sparse_row(&A, N);
    SCRATCH double *b = random_side(N, 8), *x = copy(N, b);
    outcome o = solve(&A, NULL, x);
    assert_int_equal(o.status, CLSOLVE_OK);
    assert_true(sparse_backward(&A, 0, 1, b, x) <= sparse_promised(N, CLSOLVE_F64));
    assert_true(o.report.corrections > 0 || o.report.report.direct.growth < 1e4);
}

TEST_PROGRAM(sparse_set_up, sparse_tear_down)
