/* Each method for a matrix made for it, by AUTO and by name; new values, many right-hand sides, transposed systems. */
#include "solve/sparse_support.h"

static clsolve_type type_of_device(void) {
    return clsolve_context_device(context).fp64 ? CLSOLVE_F64 : CLSOLVE_F32;
}

static clsolve_solver *make_solver(const sparse *A, clsolve_method method) {
    clsolve_csr view = sparse_view(A);
    clsolve_solver_options options = {.method = method};
    clsolve_solver *solver = NULL;
    clsolve_status status = clsolve_solver_create_csr(context, &view, &options, &solver);
    if (status == CLSOLVE_OK) status = clsolve_solver_factor_csr(solver, &view);
    if (status != CLSOLVE_OK) fail_msg("method %d: %s", (int)method, clsolve_context_message(context));
    return solver;
}

/* Solves for random right-hand sides in either layout, and returns the report; the answer must be as accurate as
 * promised. */
static clsolve_solve_report solve(clsolve_solver *solver, const sparse *A, clsolve_op op, int64_t nrhs,
                                  clsolve_layout layout, double bound) {
    test_random random = test_random_start((uint64_t)(A->n + nrhs));
    size_t count = (size_t)(A->n * nrhs) + 1;
    SCRATCH double *b = calloc(count, sizeof *b), *given = calloc(count, sizeof *given), *x = calloc(count, sizeof *x);
    clsolve_solve_report report;
    test_random_fill(&random, b, A->n * nrhs);
    clsolve_matrix B = clsolve_matrix_f64(A->n, nrhs, given);
    if (layout == CLSOLVE_ROW_MAJOR) {
        B.layout = CLSOLVE_ROW_MAJOR;
        B.ld = nrhs > 0 ? nrhs : 1;
    }
    for (int64_t j = 0; j < nrhs; j++)
        for (int64_t i = 0; i < A->n; i++)
            given[layout == CLSOLVE_ROW_MAJOR ? i * B.ld + j : i + j * B.ld] = b[i + j * A->n];
    clsolve_status status = clsolve_solver_solve(solver, op, &B);
    if (status != CLSOLVE_OK) fail_msg("solve: %s", clsolve_context_message(context));
    for (int64_t j = 0; j < nrhs; j++)
        for (int64_t i = 0; i < A->n; i++)
            x[i + j * A->n] = given[layout == CLSOLVE_ROW_MAJOR ? i * B.ld + j : i + j * B.ld];
    double backward = sparse_backward(A, op == CLSOLVE_TRANS, nrhs, b, x);
    assert_int_equal(clsolve_solver_report(solver, &report), CLSOLVE_OK);
    if (!(backward <= bound))
        fail_msg("%s: backward error %g is above %g (%s)", report.name, backward, bound, report.reason);
    if (nrhs > 0 && A->n > 0) assert_true(fabs(report.backward_error - backward) <= 4 * 0x1p-53 + backward);
    return report;
}

#define ANY_DIRECT CLSOLVE_METHOD_AUTO

static void solve_all_ways(const sparse *A, clsolve_method method, clsolve_method runs, double bound) {
    OWNED(solver) *solver = make_solver(A, method);
    for (int64_t nrhs = 0; nrhs < 4; nrhs++) {
        (void)solve(solver, A, CLSOLVE_NO_TRANS, nrhs, CLSOLVE_COLUMN_MAJOR, bound);
        (void)solve(solver, A, CLSOLVE_NO_TRANS, nrhs, CLSOLVE_ROW_MAJOR, bound);
        clsolve_solve_report report = solve(solver, A, CLSOLVE_TRANS, nrhs, CLSOLVE_COLUMN_MAJOR, bound);
        if (runs == ANY_DIRECT)
            assert_true(report.method != CLSOLVE_METHOD_BLOCK_GS && report.method != CLSOLVE_METHOD_AUTO);
        if (runs != ANY_DIRECT) assert_int_equal(report.method, runs);
        assert_int_equal(report.attempts_count, 0);
        assert_true(strlen(report.reason) > 0);
    }
}

static double promised(const sparse *A) {
    return sparse_promised(A->n, CLSOLVE_F64);
}

TEST(test_dense_pattern) {
    if (type_of_device() != CLSOLVE_F64) skip();
    scratch_sparse A = sparse_random(150, 60, 1);
    solve_all_ways(&A, CLSOLVE_METHOD_AUTO, ANY_DIRECT,
                   promised(&A)); /* the band is the matrix: times as measured decide */
    solve_all_ways(&A, CLSOLVE_METHOD_LU, CLSOLVE_METHOD_LU, promised(&A));
    solve_all_ways(&A, CLSOLVE_METHOD_GAUSS_JORDAN, CLSOLVE_METHOD_GAUSS_JORDAN, 1e-12);
}

/* A band in any order is found, and the answer is in the caller's. */
TEST(test_band) {
    if (type_of_device() != CLSOLVE_F64) skip();
    for (int shuffled = 0; shuffled < 2; shuffled++) {
        scratch_sparse A = sparse_band(20000, 2, 3, shuffled, 2);
        /* Band LU, or sparse LU while kernels for bands would have to be compiled. */
        solve_all_ways(&A, CLSOLVE_METHOD_AUTO, ANY_DIRECT, promised(&A));
        solve_all_ways(&A, CLSOLVE_METHOD_BAND, CLSOLVE_METHOD_BAND, promised(&A));
        OWNED(solver) *solver = make_solver(&A, CLSOLVE_METHOD_BAND);
        clsolve_solve_report report = solve(solver, &A, CLSOLVE_NO_TRANS, 2, CLSOLVE_COLUMN_MAJOR, promised(&A));
        assert_int_equal(report.reordered, shuffled);
        assert_true(report.lower + report.upper <= 12);
        if (!shuffled) assert_int_equal(report.lower, 2);
        if (!shuffled) assert_int_equal(report.upper, 3);
        if (shuffled) assert_true(report.lower_before > 100);
    }
}

/* A small grid goes to a direct method; which one may depend on the kernels that are built. */
TEST(test_small_grid) {
    if (type_of_device() != CLSOLVE_F64) skip();
    scratch_sparse A = sparse_grid(30, 30, 4);
    solve_all_ways(&A, CLSOLVE_METHOD_AUTO, ANY_DIRECT, promised(&A));
    OWNED(solver) *solver = make_solver(&A, CLSOLVE_METHOD_AUTO);
    clsolve_solve_report report;
    assert_int_equal(clsolve_solver_report(solver, &report), CLSOLVE_OK);
    assert_int_equal(report.lines, 30);
    assert_int_equal(report.line_length, 30);
    assert_int_equal(report.symmetric_pattern, 1);
    assert_int_equal(report.symmetric, 1);
}

/* By name the iteration ends at its tolerance. AUTO with an option of the iteration takes it; a large grid goes there
 * by itself, and then its answer is as accurate as a direct method's. */
TEST(test_iteration) {
    if (type_of_device() != CLSOLVE_F64) skip();
    sparse A = sparse_grid(12, 9, 4.1);
    solve_all_ways(&A, CLSOLVE_METHOD_BLOCK_GS, CLSOLVE_METHOD_BLOCK_GS, 1e-10);
    A.value[1] = -0.5; /* not symmetric: transposed solves tell */
    solve_all_ways(&A, CLSOLVE_METHOD_BLOCK_GS, CLSOLVE_METHOD_BLOCK_GS, 1e-10);
    sparse_free(&A);

    scratch_sparse large = sparse_grid(600, 600, 4);
    OWNED(solver) *solver = make_solver(&large, CLSOLVE_METHOD_AUTO);
    clsolve_solve_report report = solve(solver, &large, CLSOLVE_NO_TRANS, 1, CLSOLVE_COLUMN_MAJOR, promised(&large));
    if (report.method == CLSOLVE_METHOD_BLOCK_GS) { /* a CPU may be quicker by sparse Cholesky */
        assert_true(report.history_count > 1 && report.history != NULL);
        assert_true(strlen(report.iteration) > 0);
        assert_string_equal(report.report.block_gs.method, report.iteration); /* the solver's, like the history */
        assert_ptr_equal(report.report.block_gs.history, report.history);
    } else {
        assert_int_equal(report.method, CLSOLVE_METHOD_SPARSE_CHOLESKY);
    }
    assert_int_equal(report.attempts_count, 0);
}

/* New values for the same pattern, method by method. */
TEST(test_new_values) {
    static const clsolve_method methods[] = {CLSOLVE_METHOD_AUTO, CLSOLVE_METHOD_LU, CLSOLVE_METHOD_GAUSS_JORDAN,
                                             CLSOLVE_METHOD_BAND, CLSOLVE_METHOD_BLOCK_GS};
    if (type_of_device() != CLSOLVE_F64) skip();
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        scratch_sparse A = sparse_grid(10, 8, 4.5);
        OWNED(solver) *solver = make_solver(&A, methods[m]);
        for (int round = 0; round < 3; round++) {
            clsolve_csr view = sparse_view(&A);
            for (int64_t e = 0; e < A.count; e++) A.value[e] *= 1 + 0.1 * (double)((e + round) % 3);
            assert_int_equal(clsolve_solver_factor_csr(solver, &view), CLSOLVE_OK);
            (void)solve(solver, &A, CLSOLVE_NO_TRANS, 2, CLSOLVE_COLUMN_MAJOR, 1e-10);
            (void)solve(solver, &A, CLSOLVE_TRANS, 1, CLSOLVE_COLUMN_MAJOR, 1e-10);
        }
    }
}

/* In float the promise is float's. */
TEST(test_single) {
    scratch_sparse A = sparse_band(300, 2, 2, 1, 5);
    SCRATCH float *value = calloc((size_t)A.count, sizeof *value), *single = calloc(300, sizeof *single);
    SCRATCH double *b = calloc(300, sizeof *b), *x = calloc(300, sizeof *x);
    for (int64_t e = 0; e < A.count; e++) A.value[e] = (double)(value[e] = (float)A.value[e]);
    for (int64_t i = 0; i < 300; i++) b[i] = (double)(single[i] = (float)(i % 7) - 3);
    clsolve_csr view = clsolve_csr_i64_f32(300, A.start, A.column, value);
    clsolve_matrix B = clsolve_matrix_f32(300, 1, single);
    assert_int_equal(clsolve_solve_csr(context, CLSOLVE_NO_TRANS, &view, &B, NULL, NULL), CLSOLVE_OK);
    for (int64_t i = 0; i < 300; i++) x[i] = (double)single[i];
    assert_true(sparse_backward(&A, 0, 1, b, x) <= sparse_promised(300, CLSOLVE_F32));
}

/* A solver made from a dense matrix: dense LU or Gauss-Jordan, with new values. */
TEST(test_dense) {
    if (type_of_device() != CLSOLVE_F64) skip();
    for (int method = CLSOLVE_METHOD_AUTO; method <= CLSOLVE_METHOD_GAUSS_JORDAN; method++) {
        clsolve_solver_options options = {.method = (clsolve_method)method};
        double a[] = {4, 1, 0, -1, 5, 2, 0, 1, 3}, b[3] = {2, 14, 13};
        clsolve_matrix A = clsolve_matrix_f64(3, 3, a), B = clsolve_matrix_f64(3, 1, b);
        OWNED(solver) *solver = NULL;
        clsolve_solve_report report;
        assert_int_equal(clsolve_solver_create(context, &A, &options, &solver), CLSOLVE_OK);
        assert_int_equal(clsolve_solver_factor(solver, &A), CLSOLVE_OK);
        assert_int_equal(clsolve_solver_solve(solver, 0, &B), CLSOLVE_OK);
        for (int i = 0; i < 3; i++) assert_true(fabs(b[i] - (i + 1)) < 1e-14);
        for (int e = 0; e < 9; e++) a[e] *= 2;
        assert_int_equal(clsolve_solver_factor(solver, &A), CLSOLVE_OK);
        assert_int_equal(clsolve_solver_solve(solver, CLSOLVE_NO_TRANS, &B), CLSOLVE_OK);
        assert_int_equal(clsolve_solver_report(solver, &report), CLSOLVE_OK);
        assert_int_equal(report.method, method == 0 ? CLSOLVE_METHOD_LU : method);
    }
}

static int64_t order_sum(const int64_t *order, int64_t n) {
    int64_t sum = 0;
    for (int64_t k = 0; k < n; k++) sum += order[k];
    return sum;
}

/* What a sparse method tells beside the report, and that no other method tells it. */
TEST(test_sparse_figures) {
    enum { N = 60 };
    clsolve_sparse_analysis analysis;
    int64_t rows[N], columns[N], given[N];
    scratch_sparse A = sparse_band(N, 1, 1, 0, 5);
    clsolve_csr view = sparse_view(&A);
    if (type_of_device() != CLSOLVE_F64) skip();
    for (int64_t k = 0; k < N; k++) given[k] = N - 1 - k;
    for (int method = CLSOLVE_METHOD_BAND; method <= CLSOLVE_METHOD_SPARSE_LU; method += 3) {
        const int is_sparse = method == CLSOLVE_METHOD_SPARSE_LU;
        const clsolve_status expected = is_sparse ? CLSOLVE_OK : CLSOLVE_ERROR_STATE;
        const clsolve_solver_options options = {.method = (clsolve_method)method,
                                                .order = is_sparse ? CLSOLVE_ORDER_GIVEN : CLSOLVE_ORDER_AUTO,
                                                .permutation = is_sparse ? given : NULL};
        OWNED(solver) *solver = NULL;
        assert_int_equal(clsolve_solver_create_csr(context, &view, &options, &solver), CLSOLVE_OK);
        assert_int_equal(clsolve_solver_sparse_permutations(solver, rows, columns), CLSOLVE_ERROR_STATE);
        assert_int_equal(clsolve_solver_sparse_analysis(solver, &analysis), CLSOLVE_ERROR_STATE);
        assert_int_equal(clsolve_solver_factor_csr(solver, &view), CLSOLVE_OK);
        assert_int_equal(clsolve_solver_sparse_permutations(solver, rows, columns), expected);
        assert_int_equal(clsolve_solver_sparse_permutations(solver, NULL, NULL), expected);
        assert_int_equal(clsolve_solver_sparse_analysis(solver, &analysis), expected);
        if (is_sparse) {
            assert_string_equal(analysis.order, "given");
            assert_memory_equal(columns, given, sizeof given); /* the diagonal is large: no pivot is delayed */
            assert_int_equal(order_sum(rows, N), N * (N - 1) / 2);
        } else {
            assert_non_null(strstr(clsolve_context_message(context), "by a sparse method"));
        }
    }
    assert_int_equal(clsolve_solver_sparse_permutations(NULL, rows, columns), CLSOLVE_ERROR_INVALID_ARGUMENT);
}

/* A limit of memory, the condition and progress reach the sparse methods. */
static void count_calls(void *user, const char *phase, double fraction) {
    assert_true(phase && fraction >= 0 && fraction <= 1);
    ++*(int *)user;
}

TEST(test_sparse_options) {
    enum { N = 30 };
    scratch_sparse A = sparse_grid(N, N, 4.5);
    clsolve_csr view = sparse_view(&A);
    if (type_of_device() != CLSOLVE_F64) skip();
    static const clsolve_method methods[] = {CLSOLVE_METHOD_SPARSE_LU, CLSOLVE_METHOD_SPARSE_CHOLESKY,
                                             CLSOLVE_METHOD_SPARSE_LDL};
    for (int m = 0; m < 3; m++) {
        int calls = 0;
        clsolve_solver_options options = {.method = methods[m],
                                          .memory_limit = 1000,
                                          .slab_bytes = 4096,
                                          .rcond = 1,
                                          .progress = count_calls,
                                          .progress_user = &calls};
        clsolve_solver *solver = NULL;
        clsolve_solve_report report;
        assert_int_equal(clsolve_solver_create_csr(context, &view, &options, &solver), CLSOLVE_OK);
        assert_int_equal(clsolve_solver_factor_csr(solver, &view), CLSOLVE_ERROR_OUT_OF_MEMORY);
        assert_non_null(strstr(clsolve_context_message(context), "memory_limit is 1e-06 GB"));
        clsolve_solver_destroy(solver);
        options.memory_limit = (int64_t)1 << 30;
        assert_int_equal(clsolve_solver_create_csr(context, &view, &options, &solver), CLSOLVE_OK);
        assert_int_equal(clsolve_solver_factor_csr(solver, &view), CLSOLVE_OK);
        assert_int_equal(clsolve_solver_report(solver, &report), CLSOLVE_OK);
        assert_true(report.report.direct.rcond > 0 && calls > 0);
        clsolve_solver_destroy(solver);
    }
}

/* AUTO takes sparse LU of this matrix on the host, and with a limit that it would pass another method. */
TEST(test_sparse_limit) {
    enum { N = 700 };
    scratch_sparse A = sparse_random(N, 2, 9);
    clsolve_csr view = sparse_view(&A);
    OWNED(context) *host = NULL;
    clsolve_solve_report report;
    clsolve_solver *solver = NULL;
    assert_int_equal(clsolve_context_create("host", &host), CLSOLVE_OK);
    for (int limited = 0; limited < 2; limited++) {
        const clsolve_solver_options options = {.memory_limit = limited ? 1000 : 0};
        assert_int_equal(clsolve_solver_create_csr(host, &view, &options, &solver), CLSOLVE_OK);
        const clsolve_status status = clsolve_solver_factor_csr(solver, &view);
        assert_int_equal(clsolve_solver_report(solver, &report), CLSOLVE_OK);
        assert_int_equal(report.method == CLSOLVE_METHOD_SPARSE_LU, !limited);
        assert_true(status == CLSOLVE_OK || (limited && status == CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY));
        clsolve_solver_destroy(solver);
    }
}

/* A ring, two neighbours on each side, with chords from the first half to the second one, far from a band. Its diagonal is zero, so no Cholesky is
 * tried; `lopsided`: one value differs from its twin. */
static sparse chords(int64_t n, int lopsided) {
    sparse A = sparse_begin(n, 6 * n);
    SCRATCH int64_t *other = test_room(n, sizeof *other);
    for (int64_t i = 0; i < n / 2; i++) {
        other[i] = n / 2 + (617 * i + 5) % (n / 2);
        other[other[i]] = i;
    }
    for (int64_t i = 0; i < n; i++) {
        const int64_t beside[] = {(i + n - 2) % n, (i + n - 1) % n, (i + 1) % n, (i + 2) % n, other[i]};
        sparse_row(&A, i);
        for (int64_t j = 0; j < n; j++) {
            int there = 0;
            for (int k = 0; k < 5; k++) there |= beside[k] == j;
            if (j == i) sparse_add(&A, j, 0);
            if (there) sparse_add(&A, j, 1 + 0.1 * (double)((i + j) % 5) + (lopsided && i == 0 ? 1 : 0));
        }
    }
    sparse_row(&A, n);
    return A;
}

/* AUTO on the host takes sparse LDL^T of a symmetric indefinite matrix, and leaves it for values that are not symmetric. */
TEST(test_sparse_ldl) {
    enum { N = 3000 };
    const sparse A = chords(N, 0), other = chords(N, 1);
    OWNED(context) *host = NULL;
    OWNED(solver) *solver = NULL;
    clsolve_solve_report report;
    SCRATCH double *b = test_room(N, sizeof *b), *x = test_room(N, sizeof *x);
    assert_int_equal(clsolve_context_create("host", &host), CLSOLVE_OK);
    for (int turn = 0; turn < 3; turn++) {
        const sparse *now = turn == 1 ? &other : &A;
        const clsolve_csr view = sparse_view(now);
        clsolve_matrix X = clsolve_matrix_f64(N, 1, x);
        for (int64_t i = 0; i < N; i++) b[i] = x[i] = (double)(i % 7) - 3;
        if (!solver) assert_int_equal(clsolve_solver_create_csr(host, &view, NULL, &solver), CLSOLVE_OK);
        assert_int_equal(clsolve_solver_factor_csr(solver, &view), CLSOLVE_OK);
        assert_int_equal(clsolve_solver_solve(solver, CLSOLVE_NO_TRANS, &X), CLSOLVE_OK);
        assert_true(sparse_backward(now, 0, 1, b, x) <= sparse_promised(N, CLSOLVE_F64));
        assert_int_equal(clsolve_solver_report(solver, &report), CLSOLVE_OK);
        if (turn == 0) assert_string_equal(report.name, "sparse-ldl");
        if (turn == 1) assert_string_not_equal(report.name, "sparse-ldl");
        const clsolve_inertia *i = &report.report.direct.inertia;
        assert_int_equal(i->positive + i->negative, strcmp(report.name, "sparse-ldl") == 0 ? N : 0);
    }
}

/* The imaginary part that a(i,j) of chords gets: of symmetric values, of hermitian ones, of others. */
static double imaginary_of(int turn, int64_t i, int64_t j) {
    const double size = i == j ? 0.5 : 0.2 * (double)((i + j) % 3);
    if (turn == 1) return i == j ? 0 : i < j ? size : -size;
    return turn == 2 && i == 1 && j == 0 ? size + 1 : size;
}

/* The largest part of op(A) x - b; the pattern of A is symmetric. */
static double complex_residual(const clsolve_csr *A, clsolve_op op, const double *b, const double *x) {
    const int64_t *start = A->row_start, *column = A->column;
    const double *value = A->values, sign = op == CLSOLVE_CONJ_TRANS ? -1 : 1;
    SCRATCH double *r = test_room(2 * A->rows, sizeof *r);
    double most = 0;
    for (int64_t k = 0; k < 2 * A->rows; k++) r[k] = -b[k];
    for (int64_t i = 0; i < A->rows; i++)
        for (int64_t e = start[i]; e < start[i + 1]; e++) {
            const int64_t to = op == CLSOLVE_NO_TRANS ? i : column[e], from = op == CLSOLVE_NO_TRANS ? column[e] : i;
            const double re = value[2 * e], im = sign * value[2 * e + 1];
            r[2 * to] += re * x[2 * from] - im * x[2 * from + 1];
            r[2 * to + 1] += re * x[2 * from + 1] + im * x[2 * from];
        }
    for (int64_t k = 0; k < 2 * A->rows; k++) most = fmax(most, isnan(r[k]) ? HUGE_VAL : fabs(r[k]));
    return most;
}

/* So AUTO does for complex values: A = A^T, then A = A^H, then neither, and back. */
TEST(test_sparse_ldl_complex) {
    enum { N = 3000 };
    const sparse A = chords(N, 0);
    clsolve_context *host = NULL;
    clsolve_solver *solver = NULL;
    clsolve_solve_report report;
    clsolve_csr view = sparse_view(&A);
    const int64_t *start = view.row_start, *column = view.column;
    const double *real = view.values;
    SCRATCH double *values = test_room(2 * start[N], sizeof *values);
    SCRATCH double *b = test_room(2 * N, sizeof *b), *x = test_room(2 * N, sizeof *x);
    view.type = CLSOLVE_C64;
    view.values = values;
    assert_int_equal(clsolve_context_create("host", &host), CLSOLVE_OK);
    for (int turn = 0; turn < 4; turn++) {
        for (int64_t i = 0; i < N; i++)
            for (int64_t e = start[i]; e < start[i + 1]; e++) {
                values[2 * e] = real[e];
                values[2 * e + 1] = imaginary_of(turn, i, column[e]);
            }
        if (!solver) assert_int_equal(clsolve_solver_create_csr(host, &view, NULL, &solver), CLSOLVE_OK);
        assert_int_equal(clsolve_solver_factor_csr(solver, &view), CLSOLVE_OK);
        for (clsolve_op op = CLSOLVE_NO_TRANS; op <= CLSOLVE_CONJ_TRANS; op++) {
            clsolve_matrix X = clsolve_matrix_f64(N, 1, x);
            X.type = CLSOLVE_C64;
            double most = 0;
            for (int64_t k = 0; k < 2 * N; k++) b[k] = x[k] = (double)(k % 7) - 3;
            assert_int_equal(clsolve_solver_solve(solver, op, &X), CLSOLVE_OK);
            for (int64_t k = 0; k < 2 * N; k++) most = fmax(most, fabs(x[k]));
            const double least = sparse_promised(N, CLSOLVE_F64) * 16 * (most + 1),
                         found = complex_residual(&view, op, b, x);
            if (!(found <= least)) fail_msg("turn %d, op %d: residual %g, not %g", turn, (int)op, found, least);
        }
        assert_int_equal(clsolve_solver_report(solver, &report), CLSOLVE_OK);
        if (turn < 2) assert_string_equal(report.name, "sparse-ldl");
        if (turn == 2) assert_string_not_equal(report.name, "sparse-ldl");
        const clsolve_inertia *i = &report.report.direct.inertia;
        assert_int_equal(i->positive + i->negative, turn == 1 ? N : 0);
    }
    clsolve_solver_destroy(solver);
    clsolve_context_destroy(host);
}

TEST_PROGRAM(sparse_set_up, sparse_tear_down)
