/*
 * The front door with matrices in the caller's own OpenCL buffers: dense A and B by both methods, and right-hand sides of
 * sparse matrices. What is beside them stays.
 */
#include "api/context.h"
#include "api/door.h"
#include "lu/interop_support.h"
#include "solve/sparse_support.h"

#define EXPECT(call, status) TEST_EXPECT(io.context, call, status, "")

static const int64_t sizes[] = {1, 2, 3, 5, 16, 17, 67};
enum { NRHS = 3 };

static double *matrix_of(uint64_t use, int64_t n) {
    double *A = io_values(use, n * n);
    for (int64_t i = 0; i < n; i++) A[i + i * n] = test_rounded(io.type, A[i + i * n] + 4);
    return A;
}

static void check(const double *A, const double *B, io_matrix *b, int64_t n, clsolve_op op) {
    SCRATCH double *X = io_values(0, n * NRHS);
    io_get(b, NULL, X);
    double ratio = ratio_solve(io.type, op, n, NRHS, A, X, B);
    if (!(ratio < RATIO_BOUND)) fail_msg("n %d: ratio %g", (int)n, ratio);
}

/* ---- dense ---- */

typedef struct way {
    clsolve_solver_options options;
    int one_call;
} way;

static const way ways[] = {{{.method = CLSOLVE_METHOD_AUTO}, 1},
                           {{.method = CLSOLVE_METHOD_GAUSS_JORDAN}, 1},
                           {{.method = CLSOLVE_METHOD_LU, .refine = 1}, 1},
                           {{.method = CLSOLVE_METHOD_AUTO}, 0},
                           {{.method = CLSOLVE_METHOD_LU, .refine = 1}, 0},
                           {{.method = CLSOLVE_METHOD_GAUSS_JORDAN}, 0}};

static void dense(const way *w, int64_t n, clsolve_layout layout, clsolve_op op) {
    SCRATCH double *A = matrix_of(1, n), *B = io_values(2, n * NRHS);
    scratch_io a = io_put(layout, n, n, A), b = io_put(layout, n, NRHS, B);
    clsolve_solver *solver = NULL;
    if (w->one_call) {
        EXPECT(clsolve_solve(io.context, op, &a.view, &b.view, &w->options, NULL), CLSOLVE_OK);
    } else {
        EXPECT(clsolve_solver_create(io.context, &a.view, &w->options, &solver), CLSOLVE_OK);
        EXPECT(clsolve_solver_factor(solver, &a.view), CLSOLVE_OK);
        EXPECT(clsolve_solver_solve(solver, op, &b.view), CLSOLVE_OK);
        clsolve_solver_destroy(solver);
    }
    check(A, B, &b, n, op);
}

TEST(dense_matrices) {
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (int layout = CLSOLVE_COLUMN_MAJOR; layout <= CLSOLVE_ROW_MAJOR; layout++)
                dense(&ways[w], sizes[s], (clsolve_layout)layout, s % 2 ? CLSOLVE_TRANS : CLSOLVE_NO_TRANS);
}

/* Symmetric, of complex elements hermitian, and positive definite. */
static double *definite_of(uint64_t use, int64_t n) {
    const int64_t parts = test_numbers(io.type, 1);
    double *A = io_values(use, n * n);
    for (int64_t j = 0; j < n; j++) {
        for (int64_t k = 0; k < parts; k++) A[parts * j * (n + 1) + k] = k == 0 ? 2 * (double)n : 0;
        for (int64_t i = j + 1; i < n; i++)
            for (int64_t k = 0; k < parts; k++)
                A[parts * (j + i * n) + k] = (k == 0 ? 1 : -1) * A[parts * (i + j * n) + k];
    }
    return A;
}

/* A handle of few rows stays with the context: the next call of its kind takes no memory, and its answer is the same. */
static void a_handle_stays(clsolve_method method) {
    enum { N = 33, LARGE = 400, TURNS = 4 };
    SCRATCH double *A = definite_of(1, N), *B = io_values(2, N * NRHS), *zeros = test_doubles(N * N);
    SCRATCH double *large = definite_of(3, LARGE), *sides = io_values(4, LARGE * NRHS);
    const cls_counters *counters = &io.context->device->counters;
    const clsolve_status bad = method == CLSOLVE_METHOD_AUTO ? CLSOLVE_SINGULAR : CLSOLVE_NOT_POSITIVE_DEFINITE;
    for (int rcond = 0; rcond < 2; rcond++) {
        clsolve_solver_options options = {.method = method, .rcond = rcond};
        clsolve_solve_report report, first = {.name = NULL};
        int64_t buffers = 0;
        for (int turn = 0; turn < TURNS; turn++) {
            clsolve_op op = turn % 2 ? CLSOLVE_TRANS : CLSOLVE_NO_TRANS;
            io_matrix a = io_put(CLSOLVE_ROW_MAJOR, N, N, A), b = io_put(CLSOLVE_COLUMN_MAJOR, N, NRHS, B);
            EXPECT(clsolve_solve(io.context, op, &a.view, &b.view, &options, &report), CLSOLVE_OK);
            check(A, B, &b, N, op);
            io_drop(&a);
            io_drop(&b);
            if (turn == 0) first = report, buffers = counters->buffers;
            assert_int_equal(counters->buffers, buffers);
            assert_true(report.report.direct.rcond == first.report.direct.rcond); /* the same work in the same order */
            assert_int_equal(report.report.direct.rcond >= 0, rcond);
            /* A failure in between changes nothing for the next call. */
            a = io_put(CLSOLVE_ROW_MAJOR, N, N, zeros), b = io_put(CLSOLVE_COLUMN_MAJOR, N, NRHS, B);
            EXPECT(clsolve_solve(io.context, op, &a.view, &b.view, &options, &report), bad);
            assert_int_equal(report.report.info, 1);
            io_drop(&a);
            io_drop(&b);
        }
        /* A handle of more than 512 KB and a thousandth of the device's memory goes with its call, whatever stays. */
        io_matrix a = io_put(CLSOLVE_COLUMN_MAJOR, LARGE, LARGE, large);
        io_matrix b = io_put(CLSOLVE_COLUMN_MAJOR, LARGE, NRHS, sides);
        EXPECT(clsolve_solve(io.context, CLSOLVE_NO_TRANS, &a.view, &b.view, &options, NULL), CLSOLVE_OK);
        check(large, sides, &b, LARGE, CLSOLVE_NO_TRANS);
        io_drop(&a);
        io_drop(&b);
        if (LARGE * LARGE * 4 > clsolve_context_device(io.context).global_memory / 1024)
            assert_int_equal(counters->buffers, buffers);
    }
}

TEST(a_handle_stays_with_the_context) {
    a_handle_stays(CLSOLVE_METHOD_AUTO);
    a_handle_stays(CLSOLVE_METHOD_CHOLESKY);
}

/* ---- symmetric matrices ---- */

/* What is made of a symmetric matrix before it is looked at. */
typedef enum spoil {
    AS_IT_IS,
    ELEMENT,       /* one off the diagonal becomes another */
    IMAGINARY,     /* its imaginary part alone; of a real matrix nothing */
    LAST_ROW,      /* the last row's first */
    NOT_A_NUMBER,  /* two become NaN, which is equal to nothing */
    INFINITE,      /* two become Inf, which are equal */
    NEGATIVE,      /* an element of the diagonal */
    NOTHING_THERE, /* the last of the diagonal is 0 */
    NOT_REAL,      /* one of the diagonal has an imaginary part; of a real matrix nothing */
    SPOILS
} spoil;

/* Row i is not column j. */
static void draw_pair(test_random *random, int64_t n, int64_t *i, int64_t *j) {
    *i = test_random_between(random, 0, n - 1);
    *j = test_random_between(random, 0, n - 2);
    *j += *j >= *i;
}

/* Is it still symmetric, with a positive diagonal? n is 2 at least. */
static int spoil_it(spoil how, test_random *random, int64_t n, double *A) {
    const int64_t parts = test_numbers(io.type, 1);
    int64_t i, j;
    draw_pair(random, n, &i, &j);
    double *one = A + parts * (i + j * n), *other = A + parts * (j + i * n), *diagonal = A + parts * i * (n + 1);
    if (how == ELEMENT) one[test_random_between(random, 0, parts - 1)] += 1;
    if (how == IMAGINARY && parts == 2) one[1] += 1;
    if (how == LAST_ROW) A[parts * (n - 1)] += 1;
    if (how == NOT_A_NUMBER) one[0] = other[0] = (double)NAN;
    if (how == INFINITE) one[0] = other[0] = (double)INFINITY;
    if (how == NEGATIVE) diagonal[0] *= -1;
    if (how == NOTHING_THERE) A[parts * (n * n - 1)] = 0;
    if (how == NOT_REAL && parts == 2) diagonal[1] = 1;
    return how == AS_IT_IS || how == INFINITE || (parts == 1 && (how == IMAGINARY || how == NOT_REAL));
}

static int is_definite(const clsolve_matrix *A) {
    return cls_context_is_symmetric_there(io.context, A, CLSOLVE_SYMMETRY_HERMITIAN, 1);
}

static void check_each(clsolve_type type) {
    static const int64_t orders[] = {2, 3, 5, 31, 32, 33, 64, 65, 97, 131};
    test_random random = test_random_start(31);
    for (size_t o = 0; o < sizeof orders / sizeof *orders; o++)
        for (int how = 0; how < SPOILS; how++) {
            const int64_t n = orders[o];
            SCRATCH double *A = definite_of(5, n);
            const int wanted = spoil_it((spoil)how, &random, n, A);
            scratch_io a = io_put((o + (size_t)how) % 2 ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR, n, n, A);
            if (is_definite(&a.view) != wanted)
                fail_msg("type %d, n %d, case %d: not %d", (int)type, (int)n, how, wanted);
        }
    double positive[] = {1, 0}, negative[] = {-1, 0};
    scratch_io one = io_put(CLSOLVE_COLUMN_MAJOR, 1, 1, positive), other = io_put(CLSOLVE_ROW_MAJOR, 1, 1, negative);
    assert_int_equal(is_definite(&one.view), 1);
    assert_int_equal(is_definite(&other.view), 0);
    one.view.offset += 1000; /* nothing can be told of it, and nothing is */
    assert_int_equal(is_definite(&one.view), 0);
}

/* By the kernel, on any device: tiles, their edges, padding that is not symmetric. */
TEST(symmetry_is_found) {
    const clsolve_type own = io.type;
    for (clsolve_type type = CLSOLVE_F32; type <= CLSOLVE_C64; type++) {
        if (!test_has_type(io.context, type)) continue;
        io.type = type;
        check_each(type);
    }
    io.type = own;
}

/* AUTO on a matrix of `n` rows goes to `name`, after `attempts` of Cholesky, and ends with that status. */
static void goes_to(const char *name, int attempts, clsolve_status ends, int64_t n, const double *A) {
    SCRATCH double *B = io_values(2, n * NRHS), *X = io_values(3, n * NRHS);
    for (int handle = 0; handle < 2; handle++) {
        scratch_io a = io_put(CLSOLVE_ROW_MAJOR, n, n, A), b = io_put(CLSOLVE_COLUMN_MAJOR, n, NRHS, B);
        clsolve_solver *solver = NULL;
        clsolve_solve_report report;
        clsolve_status status;
        if (handle) {
            EXPECT(clsolve_solver_create(io.context, &a.view, NULL, &solver), CLSOLVE_OK);
            status = clsolve_solver_factor(solver, &a.view);
            if (status == CLSOLVE_OK) status = clsolve_solver_solve(solver, CLSOLVE_TRANS, &b.view);
            assert_int_equal(clsolve_solver_report(solver, &report), CLSOLVE_OK);
            clsolve_solver_destroy(solver);
        } else {
            status = clsolve_solve(io.context, CLSOLVE_TRANS, &a.view, &b.view, NULL, &report);
        }
        EXPECT(status, ends);
        if (strcmp(report.name, name) != 0) fail_msg("%s, not %s: %s", report.name, name, report.reason);
        assert_int_equal(report.attempts_count, attempts);
        if (attempts) assert_int_equal(report.attempts[0].status, CLSOLVE_NOT_POSITIVE_DEFINITE);
        if (ends == CLSOLVE_OK) check(A, B, &b, n, CLSOLVE_TRANS);
        io_get(&b, NULL, X);
        if (ends != CLSOLVE_OK) io_same(X, B, n * NRHS);
    }
}

static void auto_of_type(clsolve_type type) {
    enum { N = 513 };
    const char *name = clsolve_context_device(io.context).host_memory ? "lu" : "cholesky";
    const int tries = strcmp(name, "cholesky") == 0;
    const int64_t parts = test_numbers(type, 1);
    double *A = definite_of(7, N);
    goes_to(name, 0, CLSOLVE_OK, N, A);
    A[parts * (N - 1) + parts - 1] += 1; /* the last row's first */
    goes_to("lu", 0, CLSOLVE_OK, N, A);
    A[parts * (N - 1) + parts - 1] = (double)NAN;
    goes_to("lu", 0, CLSOLVE_ERROR_NONFINITE, N, A);
    free(A);
    A = definite_of(8, N);
    A[parts * (400 + 3 * N)] = A[parts * (3 + 400 * N)] = 4 * N; /* indefinite */
    goes_to("lu", tries, CLSOLVE_OK, N, A);
    free(A);
    A = definite_of(9, 511); /* few rows */
    goes_to("lu", 0, CLSOLVE_OK, 511, A);
    free(A);
}

TEST(auto_takes_cholesky_on_a_gpu) {
    io_in_each_type(auto_of_type);
}

/* A method by name, in one call and by a solver: OK, or the words of the message. */
static void by_name(clsolve_method method, clsolve_op op, int64_t n, const double *A, const char *words) {
    const clsolve_solver_options options = {.method = method};
    const clsolve_status ends = words ? CLSOLVE_ERROR_INVALID_ARGUMENT : CLSOLVE_OK;
    SCRATCH double *B = io_values(2, n * NRHS), *X = io_values(3, n * NRHS);
    for (int handle = 0; handle < 2; handle++) {
        scratch_io a = io_put(handle ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR, n, n, A);
        scratch_io b = io_put(CLSOLVE_COLUMN_MAJOR, n, NRHS, B);
        clsolve_solver *solver = NULL;
        if (handle) {
            EXPECT(clsolve_solver_create(io.context, &a.view, &options, &solver), CLSOLVE_OK);
            TEST_EXPECT(io.context, clsolve_solver_factor(solver, &a.view), ends, words ? words : "");
            EXPECT(clsolve_solver_solve(solver, op, &b.view), words ? CLSOLVE_ERROR_STATE : CLSOLVE_OK);
            clsolve_solver_destroy(solver);
        } else {
            TEST_EXPECT(io.context, clsolve_solve(io.context, op, &a.view, &b.view, &options, NULL), ends,
                        words ? words : "");
        }
        if (!words) check(A, B, &b, n, op);
        io_get(&b, NULL, X);
        if (words) io_same(X, B, n * NRHS);
    }
}

/* The same matrices are taken and refused on the device as on the host. */
static void names_of_type(clsolve_type type) {
    enum { N = 67, SPOILT = N - 1 };
    const clsolve_method ldl = CLSOLVE_METHOD_LDL, cholesky = CLSOLVE_METHOD_CHOLESKY;
    const int64_t parts = test_numbers(type, 1);
    SCRATCH double *A = definite_of(11, N);
    by_name(cholesky, CLSOLVE_TRANS, N, A, NULL);
    A[parts * 5 * (N + 1)] = 0; /* of any signs */
    A[parts * 7 * (N + 1)] *= -1;
    by_name(ldl, CLSOLVE_TRANS, N, A, NULL);
    A[parts * SPOILT] += 1; /* the last row's first */
    by_name(ldl, CLSOLVE_NO_TRANS, N, A, "A(67,1) and A(1,67), counted from 1, differ; CLSOLVE_METHOD_LDL takes");
    by_name(cholesky, CLSOLVE_NO_TRANS, N, A, "A(67,1) and A(1,67), counted from 1, differ; CLSOLVE_METHOD_CHOLESKY");
    if (parts == 1) return;
    for (int64_t j = 0; j < N; j++) /* A = A^T */
        for (int64_t i = j; i < N; i++)
            for (int k = 0; k < 2; k++) A[2 * (j + i * N) + k] = A[2 * (i + j * N) + k];
    A[2 * 3 * (N + 1) + 1] = 1;
    for (clsolve_op op = CLSOLVE_NO_TRANS; op <= CLSOLVE_CONJ_TRANS; op++) by_name(ldl, op, N, A, NULL);
    by_name(cholesky, CLSOLVE_NO_TRANS, N, A, "not hermitian");
    A[2 * SPOILT + 1] += 1;
    by_name(ldl, CLSOLVE_NO_TRANS, N, A, "not hermitian");
}

TEST(symmetry_by_name) {
    io_in_each_type(names_of_type);
}

/* Gauss-Jordan's solver keeps its own copy: where A was, not where it is after. */
TEST(gauss_jordan_keeps_a_copy) {
    enum { N = 67 };
    clsolve_solver_options options = {.method = CLSOLVE_METHOD_GAUSS_JORDAN};
    double *A[3] = {matrix_of(1, N), matrix_of(2, N), matrix_of(3, N)}, *B = io_values(4, N * NRHS);
    double *zeros = test_doubles(N * N);
    int64_t buffers = io.context->device->counters.buffers;
    clsolve_solver *solver = NULL;
    clsolve_solve_report report;
    /* On the device, on the host, and on the device again. */
    for (int turn = 0; turn < 3; turn++) {
        scratch_io a = io_put(CLSOLVE_ROW_MAJOR, N, N, A[turn]), b = io_put(CLSOLVE_COLUMN_MAJOR, N, NRHS, B);
        const clsolve_matrix *view = turn == 1 ? &a.host.view : &a.view;
        if (!solver) EXPECT(clsolve_solver_create(io.context, view, &options, &solver), CLSOLVE_OK);
        EXPECT(clsolve_solver_factor(solver, view), CLSOLVE_OK);
        test_matrix_set(&a.host, zeros);
        assert_int_equal(
            clEnqueueWriteBuffer(io.queue, a.memory, CL_TRUE, a.before, a.bytes, a.host.memory, 0, NULL, NULL),
            CL_SUCCESS);
        EXPECT(clsolve_solver_solve(solver, CLSOLVE_NO_TRANS, &b.view), CLSOLVE_OK);
        check(A[turn], B, &b, N, CLSOLVE_NO_TRANS);
        EXPECT(clsolve_solver_report(solver, &report), CLSOLVE_OK);
        if (turn != 1) assert_int_equal(report.report.bytes_up, 0);
        clsolve_matrix bad = a.view;
        bad.offset += 1000;
        EXPECT(clsolve_solver_factor(solver, &bad), CLSOLVE_ERROR_INVALID_ARGUMENT);
        EXPECT(clsolve_solver_solve(solver, CLSOLVE_NO_TRANS, &b.view), CLSOLVE_ERROR_STATE);
    }
    clsolve_solver_destroy(solver);
    assert_int_equal(io.context->device->counters.buffers, buffers);
    free(A[0]), free(A[1]), free(A[2]), free(B), free(zeros);
}

/* ---- sparse ---- */

static void sparse_sides(const sparse *A, int one_call, clsolve_layout layout, clsolve_op op) {
    int64_t n = A->n;
    clsolve_csr view = sparse_view(A);
    SCRATCH double *B = io_values(2, n * NRHS), *X = io_values(3, n * NRHS);
    scratch_io b = io_put(layout, n, NRHS, B);
    clsolve_solver *solver = NULL;
    view.type = io.type;
    SCRATCH float *singles = test_room(A->count, sizeof *singles);
    for (int64_t k = 0; k < A->count; k++) singles[k] = (float)A->value[k];
    if (io.type == CLSOLVE_F32) view.values = singles;
    if (one_call) {
        EXPECT(clsolve_solve_csr(io.context, op, &view, &b.view, NULL, NULL), CLSOLVE_OK);
    } else {
        EXPECT(clsolve_solver_create_csr(io.context, &view, NULL, &solver), CLSOLVE_OK);
        EXPECT(clsolve_solver_factor_csr(solver, &view), CLSOLVE_OK);
        EXPECT(clsolve_solver_solve(solver, op, &b.view), CLSOLVE_OK);
        clsolve_matrix bad = b.view;
        bad.offset += n * 100;
        EXPECT(clsolve_solver_solve(solver, op, &bad), CLSOLVE_ERROR_INVALID_ARGUMENT);
        clsolve_solver_destroy(solver);
    }
    io_get(&b, NULL, X);
    double backward = sparse_backward(A, op == CLSOLVE_TRANS, NRHS, B, X);
    if (!(backward <= 2 * sparse_promised(n, io.type))) fail_msg("backward error %g", backward);
}

TEST(sparse_matrices) {
    sparse all[] = {sparse_band(60, 2, 1, 0, 7), sparse_grid(9, 8, 4.5), sparse_random(40, 3, 8)};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        for (int64_t e = 0; e < all[k].count; e++) all[k].value[e] = test_rounded(io.type, all[k].value[e]);
        for (int one = 0; one < 2; one++)
            for (int layout = CLSOLVE_COLUMN_MAJOR; layout <= CLSOLVE_ROW_MAJOR; layout++)
                sparse_sides(&all[k], one, (clsolve_layout)layout, one ? CLSOLVE_NO_TRANS : CLSOLVE_TRANS);
        sparse_free(&all[k]);
    }
}

/* A NaN among the right-hand sides: they stay. */
TEST(sparse_failure) {
    enum { N = 60 };
    scratch_sparse A = sparse_band(N, 2, 1, 0, 7);
    clsolve_csr view = sparse_view(&A);
    SCRATCH double *B = io_values(2, N), *back = io_values(3, N);
    OWNED(solver) *solver = NULL;
    if (io.type == CLSOLVE_F32) skip();
    B[7] = (double)INFINITY;
    scratch_io b = io_put(CLSOLVE_ROW_MAJOR, N, 1, B);
    EXPECT(clsolve_solver_create_csr(io.context, &view, NULL, &solver), CLSOLVE_OK);
    EXPECT(clsolve_solver_solve(solver, CLSOLVE_NO_TRANS, &b.view), CLSOLVE_ERROR_STATE);
    EXPECT(clsolve_solver_factor_csr(solver, &view), CLSOLVE_OK);
    EXPECT(clsolve_solver_solve(solver, CLSOLVE_NO_TRANS, &b.view), CLSOLVE_ERROR_NONFINITE);
    assert_non_null(strstr(clsolve_context_message(io.context), "B(8,1)"));
    io_get(&b, NULL, back);
    io_same(back, B, N);
}

TEST_PROGRAM_OF("opencl", io_open, io_close)
