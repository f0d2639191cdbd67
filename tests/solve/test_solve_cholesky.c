/* The front door on symmetric matrices: when AUTO tries Cholesky, what follows a failure, Cholesky by name. */
#include <pthread.h>

#include "cholesky/cholesky_support.h"
#include "solve/sparse_support.h"

/* The first piece of the search has 512 rows. */
enum { MOST = 520, FEW = 100, NRHS = 2 };

static int64_t N;                     /* rows of a matrix for which AUTO tries Cholesky */
static clsolve_op op = CLSOLVE_TRANS; /* of all solves */
static clsolve_type type;             /* double where the device has it; some tests go on to complex */
static double A[2 * MOST * MOST], B[2 * MOST * NRHS], X[2 * MOST * NRHS];

#define EXPECT(call, wanted, words) TEST_EXPECT(context, call, wanted, words)

/* AUTO tries Cholesky at once in the host's memory alone; on a GPU while the search goes on. */
static int tries_at_once(void) {
    return clsolve_context_device(context).host_memory;
}

/* The real part of an element of the first n rows; the next number is the imaginary one. */
static double *at(int64_t n, int64_t i, int64_t j) {
    return A + test_numbers(type, i + j * n);
}

/* Symmetric, or hermitian, and positive definite; and right-hand sides. */
static void make(int64_t n, uint64_t use) {
    test_random random = test_random_start(use);
    if (type < CLSOLVE_C32) {
        spd_make(&random, type, SPD_WELL, n, A);
    } else {
        test_random_fill(&random, A, 2 * n * n);
        for (int64_t k = 0; k < 2 * n * n; ++k) A[k] = test_rounded(type, A[k]);
        for (int64_t j = 0; j < n; ++j) {
            *at(n, j, j) = 2 * (double)n;
            at(n, j, j)[1] = 0;
            for (int64_t i = j + 1; i < n; ++i) {
                *at(n, j, i) = *at(n, i, j);
                at(n, j, i)[1] = -at(n, i, j)[1];
            }
        }
    }
    test_random_fill(&random, B, test_numbers(type, n * NRHS));
    for (int64_t k = 0; k < test_numbers(type, n * NRHS); ++k) B[k] = test_rounded(type, B[k]);
}

/* What becomes of a matrix: the method, and before LU an attempt of Cholesky with that status, and words of its
 * text. */
typedef struct expected {
    const char *name;
    clsolve_status attempt; /* OK: none */
    const char *words;
} expected;

static const expected to_cholesky = {"cholesky", CLSOLVE_OK, ""}, to_lu = {"lu", CLSOLVE_OK, ""},
                      after_minor = {"lu", CLSOLVE_NOT_POSITIVE_DEFINITE, "minor of order"};

/* A symmetric matrix of any signs goes to the quicker of LDL^T and LU. */
static expected of_any_signs(expected wanted) {
    double device, host, lu_device, lu_host;
    assert_int_equal(clsolve_ldl_predict(context, N, 1, type, &device, &host), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_predict(context, N, N, 1, type, &lu_device, &lu_host), CLSOLVE_OK);
    if (fmin(device, host) < fmin(lu_device, lu_host)) wanted.name = "ldl";
    return wanted;
}

/* Elements (i, j) and (j, i) differ, outside the first piece of the search. */
static expected after_search(int64_t i, int64_t j) {
    static char words[80];
    if (tries_at_once()) return to_lu;
    if (i == j)
        (void)snprintf(words, sizeof words, "not hermitian: A(%d,%d)", (int)i + 1, (int)i + 1);
    else
        (void)snprintf(words, sizeof words, "%s: A(%d,%d) and A(%d,%d)", type < CLSOLVE_C32 ? "symmetric" : "hermitian",
                       (int)i + 1, (int)j + 1, (int)j + 1, (int)i + 1);
    return (expected){"lu", CLSOLVE_ERROR_INVALID_ARGUMENT, words};
}

static void check_report(const clsolve_solve_report *report, int64_t n, const expected *wanted) {
    if (strcmp(report->name, wanted->name) != 0)
        fail_msg("n %d: %s, not %s: %s", (int)n, report->name, wanted->name, report->reason);
    assert_string_equal(report->report.method, wanted->name);
    assert_int_equal(report->attempts_count, wanted->attempt != CLSOLVE_OK);
    if (report->attempts_count == 0) return;
    assert_int_equal(report->attempts[0].method, CLSOLVE_METHOD_CHOLESKY);
    assert_int_equal(report->attempts[0].status, wanted->attempt);
    if (!strstr(report->attempts[0].text, wanted->words)) fail_msg("%s", report->attempts[0].text);
    assert_string_equal(report->reason, "auto: after cholesky");
}

/* A solver's way and the one call's, on the first n rows; in the shape of a GPU by turns. It ends with the status
 * `ends`. */
static void solve_both_to(int64_t n, clsolve_layout layout, clsolve_solver_options options, expected wanted,
                          clsolve_status ends) {
    test_matrix a = test_matrix_make(type, layout, n, n, 3), b = test_matrix_make(type, layout, n, NRHS, 1);
    clsolve_solver *solver = NULL;
    static int turn;

    test_matrix_set(&a, A);
    turn ^= 1;
    for (int handle = 0; handle < 2; ++handle) {
        clsolve_solve_report report;
        if (!tries_at_once() && handle == turn) continue; /* kernels on a CPU take their time */
        test_matrix_set(&b, B);
        clsolve_status status = CLSOLVE_OK;
        if (handle) {
            status = clsolve_solver_create(context, &a.view, &options, &solver);
            if (status == CLSOLVE_OK) status = clsolve_solver_factor(solver, &a.view);
            if (status == CLSOLVE_OK) status = clsolve_solver_solve(solver, op, &b.view);
            assert_int_equal(clsolve_solver_report(solver, &report), CLSOLVE_OK);
            clsolve_solver_destroy(solver);
        } else {
            status = clsolve_solve(context, op, &a.view, &b.view, &options, &report);
        }
        if (status != ends) fail_msg("%s: %s", clsolve_status_name(status), clsolve_context_message(context));
        check_report(&report, n, &wanted);
        test_matrix_get(&b, X);
        if (ends != CLSOLVE_OK) assert_memory_equal(X, B, (size_t)test_numbers(type, n * NRHS) * sizeof *X);
        const double ratio = ends == CLSOLVE_OK ? ratio_solve(type, op, n, NRHS, A, X, B) : 0;
        if (!(ratio < RATIO_BOUND)) fail_msg("n %d, %s: ratio %g", (int)n, wanted.name, ratio);
        test_matrix_spare_intact(&a);
    }
    test_matrix_free(&a);
    test_matrix_free(&b);
}

static void solve_both(int64_t n, clsolve_layout layout, clsolve_solver_options options, expected wanted) {
    solve_both_to(n, layout, options, wanted, CLSOLVE_OK);
}

static void try_all(void) {
    const clsolve_solver_options defaults = {0}, pivots = {.pivoting = CLSOLVE_PIVOTING_PARTIAL};
    const int complex = type >= CLSOLVE_C32;
    test_random random = test_random_start(17);

    make(N, 1);
    solve_both(N, CLSOLVE_COLUMN_MAJOR, defaults, to_cholesky);
    solve_both(N, CLSOLVE_ROW_MAJOR, defaults, to_cholesky);
    if (!complex) solve_both(N, CLSOLVE_COLUMN_MAJOR, pivots, to_lu);
    make(FEW, 2); /* few rows */
    solve_both(FEW, CLSOLVE_COLUMN_MAJOR, defaults, to_lu);
    make(N, 3); /* not symmetric: the last pair */
    at(N, N - 1, N - 2)[complex] *= 1.5;
    solve_both(N, CLSOLVE_COLUMN_MAJOR, defaults, after_search(N - 1, N - 2));
    make(N, 4); /* in the first piece */
    *at(N, 100, 99) += 1;
    solve_both(N, CLSOLVE_COLUMN_MAJOR, defaults, to_lu);
    make(N, 5); /* the diagonal is not positive */
    *at(N, N - 1, N - 1) = 0;
    solve_both(N, CLSOLVE_COLUMN_MAJOR, defaults, of_any_signs(to_lu));
    make(N, 6); /* indefinite all the same */
    *at(N, 150, 20) = *at(N, 20, 150) = complex ? 3 * (double)N : 8;
    if (complex) at(N, 150, 20)[1] = at(N, 20, 150)[1] = 0;
    solve_both(N, CLSOLVE_COLUMN_MAJOR, defaults, of_any_signs(after_minor));
    /* Both: what Cholesky finds in the lower triangle says nothing. */
    const int64_t j = test_random_between(&random, 150, N - 2), i = test_random_between(&random, j + 1, N - 1);
    *at(N, j, i) += 1;
    solve_both(N, CLSOLVE_COLUMN_MAJOR, defaults, after_search(i, j));
    make(N, 7);
    *at(N, j, i) = (double)NAN;
    solve_both_to(N, CLSOLVE_COLUMN_MAJOR, defaults, after_search(i, j), CLSOLVE_ERROR_NONFINITE);
    if (!complex) return;
    make(N, 8);
    at(N, i, i)[1] = 1;
    solve_both(N, CLSOLVE_COLUMN_MAJOR, defaults, after_search(i, i));
}

TEST(test_auto) {
    const clsolve_type own = type;
    try_all();
    type = own == CLSOLVE_F64 ? CLSOLVE_C64 : CLSOLVE_C32;
    try_all();
    type = own;
}

/* A becomes its own transpose, and its diagonal complex. */
static void make_transpose(int64_t n, uint64_t use) {
    make(n, use);
    for (int64_t j = 0; j < n; ++j) {
        at(n, j, j)[0] = at(n, j, j)[1] = 0.5;
        for (int64_t i = j + 1; i < n; ++i) at(n, j, i)[1] = at(n, i, j)[1];
    }
}

/* A complex matrix with A = A^T goes to L D L^T where that is expected to be faster than LU; one pair, of the last rows
 * or of the first piece of the search, keeps it from that. */
TEST(complex_symmetric) {
    const clsolve_solver_options defaults = {0}, by_name = {.method = CLSOLVE_METHOD_LDL};
    const expected to_ldl = {"ldl", CLSOLVE_OK, ""};
    const clsolve_type own = type;
    type = own == CLSOLVE_F64 ? CLSOLVE_C64 : CLSOLVE_C32;
    for (op = CLSOLVE_NO_TRANS; op <= CLSOLVE_CONJ_TRANS; ++op) {
        make_transpose(N, 30 + (uint64_t)op);
        solve_both(N, CLSOLVE_COLUMN_MAJOR, defaults, of_any_signs(to_lu));
        solve_both(N, CLSOLVE_ROW_MAJOR, by_name, to_ldl);
        make(50, 40 + (uint64_t)op);
        solve_both(50, CLSOLVE_COLUMN_MAJOR, by_name, to_ldl); /* hermitian */
    }
    op = CLSOLVE_TRANS;
    make_transpose(N, 33);
    at(N, 100, 99)[1] += 1;
    solve_both(N, CLSOLVE_COLUMN_MAJOR, defaults, to_lu);
    scratch_matrix a = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, N, N, 0);
    scratch_matrix b = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, N, NRHS, 0);
    test_matrix_set(&a, A);
    test_matrix_set(&b, B);
    EXPECT(clsolve_solve(context, op, &a.view, &b.view, &by_name, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT,
           "not hermitian: A(1,1), counted from 1, is not real; CLSOLVE_METHOD_LDL takes hermitian ones, and those "
           "with A = A^T");
    make_transpose(N, 34);
    at(N, N - 1, N - 2)[0] += 1;
    if (tries_at_once()) solve_both(N, CLSOLVE_COLUMN_MAJOR, defaults, to_lu);
    type = own;
}

/* One solver takes values of either symmetry, and each again. */
TEST(symmetries_of_new_values) {
    enum { FEW_ROWS = 40 };
    const clsolve_solver_options by_name = {.method = CLSOLVE_METHOD_LDL};
    const clsolve_type own = type;
    clsolve_solver *solver = NULL;
    type = own == CLSOLVE_F64 ? CLSOLVE_C64 : CLSOLVE_C32;
    scratch_matrix a = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, FEW_ROWS, FEW_ROWS, 0);
    scratch_matrix b = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, FEW_ROWS, NRHS, 0);
    assert_int_equal(clsolve_solver_create(context, &a.view, &by_name, &solver), CLSOLVE_OK);
    for (uint64_t turn = 0; turn < 4; ++turn) {
        (turn % 2 ? make_transpose : make)(FEW_ROWS, 50 + turn);
        test_matrix_set(&a, A);
        test_matrix_set(&b, B);
        assert_int_equal(clsolve_solver_factor(solver, &a.view), CLSOLVE_OK);
        assert_int_equal(clsolve_solver_solve(solver, CLSOLVE_CONJ_TRANS, &b.view), CLSOLVE_OK);
        test_matrix_get(&b, X);
        assert_true(ratio_solve(type, CLSOLVE_CONJ_TRANS, FEW_ROWS, NRHS, A, X, B) < RATIO_BOUND);
    }
    clsolve_solver_destroy(solver);
    type = own;
}

TEST(test_by_name) {
    const clsolve_solver_options options = {.method = CLSOLVE_METHOD_CHOLESKY},
                                 pivots = {.method = CLSOLVE_METHOD_CHOLESKY, .pivoting = CLSOLVE_PIVOTING_PARTIAL};
    scratch_matrix a = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, 50, 50, 0);
    scratch_matrix b = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, 50, NRHS, 0);
    OWNED(solver) *solver = NULL;
    clsolve_solve_report report;

    make(50, 6);
    solve_both(50, CLSOLVE_ROW_MAJOR, options, to_cholesky);
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
}

/* New values go where they can: LU that was gone on to stays, and Cholesky leaves a matrix that is no longer
 * symmetric. */
TEST(test_new_values) {
    const clsolve_solver_options defaults = {0};
    scratch_matrix a = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, N, N, 0);
    OWNED(solver) *solver = NULL;
    clsolve_solve_report report;
    static const char *const names[] = {"cholesky", "cholesky", "lu", "lu"};
    assert_int_equal(clsolve_solver_create(context, &a.view, &defaults, &solver), CLSOLVE_OK);
    for (uint64_t round = 0; round < 4; ++round) {
        make(N, 10 + round);
        if (round == 2) A[5] += 1;
        test_matrix_set(&a, A);
        assert_int_equal(clsolve_solver_factor(solver, &a.view), CLSOLVE_OK);
        assert_int_equal(clsolve_solver_report(solver, &report), CLSOLVE_OK);
        assert_string_equal(report.name, names[round]);
    }
}

/* Two threads, one context: each call has a handle of its own, and one stays. */
static void *solve_often(void *what) {
    enum { N = 40, TURNS = 20 };
    const clsolve_solver_options options = {.method = CLSOLVE_METHOD_CHOLESKY};
    const double *values = what;
    float a[N * N], b[N];
    int64_t wrong = 0;
    for (int turn = 0; turn < TURNS; turn++) {
        for (int64_t k = 0; k < N * N; k++) a[k] = k % (N + 1) == 0 ? 2 : (float)values[0];
        for (int64_t k = 0; k < N; k++) b[k] = 2 + (N - 1) * a[1];
        clsolve_matrix A = clsolve_matrix_f32(N, N, a), X = clsolve_matrix_f32(N, 1, b);
        if (clsolve_solve(context, CLSOLVE_NO_TRANS, &A, &X, &options, NULL) != CLSOLVE_OK) wrong++;
        for (int64_t k = 0; k < N; k++) wrong += fabs((double)b[k] - 1) > 1e-4;
    }
    return wrong ? what : NULL;
}

TEST(threads_share_what_stays) {
    static double shares[] = {0.01, 0.02};
    pthread_t thread;
    void *failed = NULL;
    assert_int_equal(pthread_create(&thread, NULL, solve_often, &shares[0]), 0);
    assert_null(solve_often(&shares[1]));
    assert_int_equal(pthread_join(thread, &failed), 0);
    assert_null(failed);
}

/* ---- sparse ---- */

/* Entries far from the diagonal, in an order that no renumbering makes a band of; symmetric, the diagonal
 * `diagonal`. */
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
    SCRATCH double *b = test_room(n, sizeof *b), *x = test_room(n, sizeof *x);
    clsolve_csr view = sparse_view(S);
    for (int64_t i = 0; i < n; ++i) b[i] = x[i] = (double)(i % 7) - 3;
    clsolve_matrix right = clsolve_matrix_f64(n, 1, x);
    if (clsolve_solver_factor_csr(solver, &view) != CLSOLVE_OK ||
        clsolve_solver_solve(solver, CLSOLVE_NO_TRANS, &right) != CLSOLVE_OK)
        fail_msg("%s", clsolve_context_message(context));
    assert_int_equal(clsolve_solver_report(solver, report), CLSOLVE_OK);
    assert_true(sparse_backward(S, 0, 1, b, x) <= sparse_promised(n, CLSOLVE_F64));
}

TEST(test_sparse) {
    enum { ORDER = 400 };
    const clsolve_solver_options defaults = {0}, by_name = {.method = CLSOLVE_METHOD_CHOLESKY};
    scratch_sparse good = scattered(ORDER, 60, 0), bad = scattered(ORDER, 0.1, 0), other = scattered(ORDER, 60, 1);
    clsolve_csr view = sparse_view(&good), lopsided = sparse_view(&other);
    clsolve_solver *solver = NULL;
    clsolve_solve_report report;
    if (type != CLSOLVE_F64) skip();

    assert_int_equal(clsolve_solver_create_csr(context, &view, &defaults, &solver), CLSOLVE_OK);
    solve_sparse(solver, &good, &report);
    const int tried = strcmp(report.name, "cholesky") == 0;
    const int sparse_way = strcmp(report.name, "sparse-cholesky") == 0;
    assert_true(tried || sparse_way || !tries_at_once()); /* a GPU may be quicker by another method */
    assert_true(report.symmetric);
    solve_sparse(solver, &other, &report); /* no longer symmetric */
    assert_true(strcmp(report.name, "cholesky") != 0 && report.attempts_count == 0);
    clsolve_solver_destroy(solver);

    assert_int_equal(clsolve_solver_create_csr(context, &view, &defaults, &solver), CLSOLVE_OK);
    solve_sparse(solver, &bad, &report); /* indefinite */
    assert_true(strcmp(report.name, "cholesky") != 0);
    if (tries_at_once()) assert_int_equal(report.attempts_count, tried);
    if (report.attempts_count > 0) assert_int_equal(report.attempts[0].status, CLSOLVE_NOT_POSITIVE_DEFINITE);
    clsolve_solver_destroy(solver);

    assert_int_equal(clsolve_solver_create_csr(context, &view, &by_name, &solver), CLSOLVE_OK);
    solve_sparse(solver, &good, &report);
    assert_string_equal(report.name, "cholesky");
    EXPECT(clsolve_solver_factor_csr(solver, &lopsided), CLSOLVE_ERROR_INVALID_ARGUMENT, "not symmetric");
    clsolve_solver_destroy(solver);
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
TEST(test_band) {
    enum { ORDER = 300 };
    const clsolve_solver_options defaults = {0}, by_name = {.method = CLSOLVE_METHOD_CHOLESKY, .rcond = 1};
    scratch_sparse good = tridiagonal(ORDER, 3), bad = tridiagonal(ORDER, 0.1);
    clsolve_csr view = sparse_view(&good), indefinite = sparse_view(&bad);
    clsolve_solver *solver = NULL;
    clsolve_solve_report report;
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
    assert_true(strcmp(report.name, "band-cholesky") == 0 || !test_on_host()); /* a device may be quicker */
    clsolve_solver_destroy(solver);
    assert_int_equal(clsolve_solver_create_csr(context, &indefinite, &defaults, &solver), CLSOLVE_OK);
    solve_sparse(solver, &bad, &report);
    assert_true(report.method != CLSOLVE_METHOD_CHOLESKY);
    if (test_on_host()) assert_int_equal(report.attempts_count, 1);
    if (report.attempts_count > 0) assert_int_equal(report.attempts[0].status, CLSOLVE_NOT_POSITIVE_DEFINITE);
    clsolve_solver_destroy(solver);
}

/* Of a large matrix threads share the search; the pair that is told is of the first columns that have one. */
TEST(test_search) {
    enum { N = 1100 };
    static const int64_t pairs[][2] = {{5, 3}, {140, 127}, {1099, 128}, {1099, 1098}, {700, 600}};
    const clsolve_solver_options options = {.method = CLSOLVE_METHOD_CHOLESKY};
    float *a = test_room(N * N, sizeof *a), b[N] = {0};
    clsolve_matrix A = clsolve_matrix_f32(N, N, a), B = clsolve_matrix_f32(N, 1, b);
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
    test_require_device();
    context = test_context(1);
    type = clsolve_context_device(context).fp64 ? CLSOLVE_F64 : CLSOLVE_F32;
    N = tries_at_once() ? 200 : MOST;
    int failed = test_run(NULL, NULL);
    clsolve_context_destroy(context);
    return failed;
}
