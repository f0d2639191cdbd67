/* Arguments that are wrong, states that are, and that B is then as it was. */
#include "solve/sparse_support.h"

#define EXPECT(call, due, text) TEST_EXPECT(context, call, due, text)

enum { N = 6 };

static clsolve_csr make_view(const sparse *A, float *value) {
    for (int64_t e = 0; e < A->count; e++) value[e] = (float)A->value[e];
    return clsolve_csr_i64_f32(A->n, A->start, A->column, value);
}

TEST(test_options) {
    scratch_sparse A = sparse_band(N, 1, 1, 0, 1);
    float value[64];
    clsolve_csr view = make_view(&A, value);
    clsolve_matrix dense = clsolve_matrix_f32(2, 2, value), wide = clsolve_matrix_f32(2, 3, value);
    clsolve_solver *solver = NULL;
    clsolve_solver_options wrong[] = {{.method = (clsolve_method)10},
                                      {.nrhs = -1},
                                      {.tolerance = 2},
                                      {.tolerance = (double)NAN},
                                      {.max_iterations = -1},
                                      {.reserved = {[5] = 1}},
                                      {.block = -1},
                                      {.memory_limit = -5},
                                      {.panel = (clsolve_panel)7},
                                      {.equilibrate = 2},
                                      {.method = CLSOLVE_METHOD_LU, .rcond = -1},
                                      {.method = CLSOLVE_METHOD_LU, .rcond = 3},
                                      {.method = CLSOLVE_METHOD_BAND, .refine = 3},
                                      {.precision = CLSOLVE_PRECISION_MIXED},
                                      {.method = CLSOLVE_METHOD_BAND, .tolerance = 1e-3},
                                      {.method = CLSOLVE_METHOD_LU, .max_iterations = 5},
                                      {.method = CLSOLVE_METHOD_GAUSS_JORDAN, .iteration = CLSOLVE_BLOCK_GS_FGMRES},
                                      {.method = CLSOLVE_METHOD_BLOCK_GS, .refine = 1},
                                      {.method = CLSOLVE_METHOD_GAUSS_JORDAN, .memory_limit = 5}};
    for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++) {
        EXPECT(clsolve_solver_create_csr(context, &view, &wrong[w], &solver), CLSOLVE_ERROR_INVALID_ARGUMENT,
               "clsolve_solver_create_csr: ");
        assert_null(solver);
    }
    clsolve_solver_options lacking[] = {{.method = CLSOLVE_METHOD_BAND, .pivoting = CLSOLVE_PIVOTING_RBT},
                                        {.method = CLSOLVE_METHOD_BAND, .pivoting = CLSOLVE_PIVOTING_NONE},
                                        {.method = CLSOLVE_METHOD_BLOCK_GS, .pivoting = CLSOLVE_PIVOTING_RBT},
                                        {.method = CLSOLVE_METHOD_GAUSS_JORDAN, .pivoting = CLSOLVE_PIVOTING_RBT},
                                        {.method = CLSOLVE_METHOD_LU, .pivoting = CLSOLVE_PIVOTING_NONE},
                                        {.pivoting = CLSOLVE_PIVOTING_NONE}};
    for (size_t w = 0; w < sizeof lacking / sizeof *lacking; w++)
        EXPECT(clsolve_solver_create_csr(context, &view, &lacking[w], &solver), CLSOLVE_ERROR_UNSUPPORTED, "PIVOTING");
    for (clsolve_method method = CLSOLVE_METHOD_AUTO; method <= CLSOLVE_METHOD_CHOLESKY; method++) {
        clsolve_solver_options past = {.method = method, .pivoting = CLSOLVE_PIVOTING_TOURNAMENT};
        EXPECT(clsolve_solver_create_csr(context, &view, &past, &solver), CLSOLVE_ERROR_UNSUPPORTED,
               method == CLSOLVE_METHOD_CHOLESKY ? "TOURNAMENT was removed: use CLSOLVE_PIVOTING_AUTO"
                                                 : "TOURNAMENT was removed: use CLSOLVE_PIVOTING_PARTIAL");
        assert_null(solver);
    }
    clsolve_solver_options band = {.method = CLSOLVE_METHOD_BAND};
    EXPECT(clsolve_solver_create(context, &dense, &band, &solver), CLSOLVE_ERROR_INVALID_ARGUMENT, "clsolve_csr");
    EXPECT(clsolve_solver_create(context, &wide, NULL, &solver), CLSOLVE_ERROR_INVALID_ARGUMENT, "2 x 3");
    EXPECT(clsolve_solver_create(context, NULL, NULL, &solver), CLSOLVE_ERROR_INVALID_ARGUMENT, "NULL");
    EXPECT(clsolve_solver_create_csr(context, NULL, NULL, &solver), CLSOLVE_ERROR_INVALID_ARGUMENT, "NULL");
    EXPECT(clsolve_solver_create_csr(context, &view, NULL, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT, "NULL");
    assert_int_equal(clsolve_solver_create_csr(NULL, &view, NULL, &solver), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_solver_factor_csr(NULL, &view), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_solver_factor(NULL, &dense), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_solver_solve(NULL, CLSOLVE_NO_TRANS, &dense), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_solver_report(NULL, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT);
    clsolve_solver_destroy(NULL);
    clsolve_matrix B = clsolve_matrix_f32(2, 1, value);
    clsolve_solver_options one = {.method = CLSOLVE_METHOD_BAND};
    EXPECT(clsolve_solve(context, CLSOLVE_NO_TRANS, &dense, &B, &one, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT, "sparse");
}

/* The one call for dense matrices: its options, both transpositions, and what it reports. */
TEST(test_dense_in_one_call) {
    static const clsolve_method methods[] = {CLSOLVE_METHOD_AUTO, CLSOLVE_METHOD_LU, CLSOLVE_METHOD_GAUSS_JORDAN};
    float a[] = {0, 2, 1, 0, 1, 4, 3, 1, 0}; /* column by column; sums of rows 3 4 5, of columns 3 5 4 */
    clsolve_matrix A = clsolve_matrix_f32(3, 3, a);
    clsolve_solve_report report;
    for (int m = 0; m < 3; m++)
        for (int op = CLSOLVE_NO_TRANS; op <= CLSOLVE_TRANS; op++) {
            float b[] = {3, op == CLSOLVE_TRANS ? 5 : 4, op == CLSOLVE_TRANS ? 4 : 5};
            clsolve_matrix B = clsolve_matrix_f32(3, 1, b);
            clsolve_solver_options options = {.method = methods[m]};
            assert_int_equal(clsolve_solve(context, (clsolve_op)op, &A, &B, &options, &report), CLSOLVE_OK);
            for (int i = 0; i < 3; i++) assert_true(b[i] > 0.999F && b[i] < 1.001F);
            assert_int_equal(report.method, m == 2 ? CLSOLVE_METHOD_GAUSS_JORDAN : CLSOLVE_METHOD_LU);
            assert_string_equal(report.name, m == 2 ? "gauss-jordan" : "lu");
            assert_string_equal(report.reason, m == 0 ? "auto: the matrix is dense" : "asked for");
            assert_int_equal(report.report.n, 3);
        }
    float b[] = {1, 2, 3};
    clsolve_matrix B = clsolve_matrix_f32(3, 1, b);
    clsolve_solver_options later = {.reserved = {[5] = 1}}, plain = {.pivoting = CLSOLVE_PIVOTING_NONE},
                           past = {.pivoting = CLSOLVE_PIVOTING_TOURNAMENT},
                           jordan = {.method = CLSOLVE_METHOD_GAUSS_JORDAN, .pivoting = CLSOLVE_PIVOTING_RBT};
    EXPECT(clsolve_solve(context, (clsolve_op)3, &A, &B, NULL, &report), CLSOLVE_ERROR_INVALID_ARGUMENT, "op is 3");
    assert_int_equal(report.report.status, CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_true(report.backward_error == -1 && report.report.direct.rcond == -1);
    EXPECT(clsolve_solve(context, CLSOLVE_NO_TRANS, &A, &B, &later, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT,
           "reserved[5]");
    EXPECT(clsolve_solve(context, CLSOLVE_NO_TRANS, &A, &B, &plain, NULL), CLSOLVE_ERROR_UNSUPPORTED, "NONE");
    EXPECT(clsolve_solve(context, CLSOLVE_NO_TRANS, &A, &B, &jordan, NULL), CLSOLVE_ERROR_UNSUPPORTED, "RBT");
    EXPECT(clsolve_solve(context, CLSOLVE_NO_TRANS, &A, &B, &past, NULL), CLSOLVE_ERROR_UNSUPPORTED,
           "clsolve_solve: CLSOLVE_PIVOTING_TOURNAMENT was removed: use CLSOLVE_PIVOTING_PARTIAL or "
           "CLSOLVE_PIVOTING_RBT");
    assert_true(b[0] == 1 && b[1] == 2 && b[2] == 3);
    float easy[] = {4, 1, 1, 1, 4, 1, 1, 1, 4};
    A.data = easy;
    jordan.pivoting = CLSOLVE_PIVOTING_NONE;
    b[0] = b[1] = b[2] = 6;
    assert_int_equal(clsolve_solve(context, CLSOLVE_NO_TRANS, &A, &B, &jordan, NULL), CLSOLVE_OK);
    for (int i = 0; i < 3; i++) assert_true(b[i] > 0.999F && b[i] < 1.001F);
}

TEST(test_states) {
    scratch_sparse A = sparse_band(N, 1, 1, 0, 2);
    float value[64], b[N] = {1, 2, 3, 4, 5, 6}, kept[N];
    clsolve_csr view = make_view(&A, value), pattern = view, other = view;
    clsolve_matrix B = clsolve_matrix_f32(N, 1, b), bad = B, dense = clsolve_matrix_f32(N, N, NULL);
    OWNED(solver) *solver = NULL;
    memcpy(kept, b, sizeof b);
    pattern.values = NULL; /* enough for the analysis */
    assert_int_equal(clsolve_solver_create_csr(context, &pattern, NULL, &solver), CLSOLVE_OK);
    EXPECT(clsolve_solver_solve(solver, CLSOLVE_NO_TRANS, &B), CLSOLVE_ERROR_STATE, "first");
    EXPECT(clsolve_solver_factor_csr(solver, &pattern), CLSOLVE_ERROR_INVALID_ARGUMENT, "values");
    EXPECT(clsolve_solver_factor_csr(solver, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT, "sparse");
    EXPECT(clsolve_solver_factor(solver, &dense), CLSOLVE_ERROR_INVALID_ARGUMENT, "clsolve_solver_factor_csr");
    int64_t moved[64];
    memcpy(moved, A.column, (size_t)A.count * sizeof *moved);
    moved[A.start[3]] = 5;
    other.column = moved;
    static const char another[] = "row 3 of A, counted from 0, has another pattern";
    EXPECT(clsolve_solver_factor_csr(solver, &other), CLSOLVE_ERROR_INVALID_ARGUMENT, another);
    assert_int_equal(clsolve_solver_factor_csr(solver, &view), CLSOLVE_OK);
    /* What is refused leaves the factors. */
    EXPECT(clsolve_solver_factor_csr(solver, &other), CLSOLVE_ERROR_INVALID_ARGUMENT, another);
    assert_int_equal(clsolve_solver_solve(solver, CLSOLVE_NO_TRANS, &B), CLSOLVE_OK);
    memcpy(b, kept, sizeof b);

    bad.rows = N - 1;
    EXPECT(clsolve_solver_solve(solver, CLSOLVE_NO_TRANS, &bad), CLSOLVE_ERROR_INVALID_ARGUMENT, "rows");
    bad = B;
    bad.type = CLSOLVE_F64;
    EXPECT(clsolve_solver_solve(solver, CLSOLVE_NO_TRANS, &bad), CLSOLVE_ERROR_INVALID_ARGUMENT, "f64");
    bad = B;
    bad.place = CLSOLVE_ON_DEVICE;
    EXPECT(clsolve_solver_solve(solver, CLSOLVE_NO_TRANS, &bad), CLSOLVE_ERROR_INVALID_ARGUMENT, "on the device");
    EXPECT(clsolve_solver_solve(solver, (clsolve_op)5, &B), CLSOLVE_ERROR_INVALID_ARGUMENT, "op is 5");
    EXPECT(clsolve_solver_solve(solver, CLSOLVE_NO_TRANS, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT, "B is NULL");
    assert_memory_equal(b, kept, sizeof b);
    b[2] = (float)INFINITY;
    EXPECT(clsolve_solver_solve(solver, CLSOLVE_NO_TRANS, &B), CLSOLVE_ERROR_NONFINITE, "B(3,1)");
    b[2] = kept[2];

    float wanted[N], before = value[A.start[2]];
    assert_int_equal(clsolve_solver_solve(solver, CLSOLVE_NO_TRANS, &B), CLSOLVE_OK);
    memcpy(wanted, b, sizeof b);
    for (int turn = 0; turn < 2; turn++) { /* values that are refused leave the factors, and their own values */
        value[A.start[2]] = (float)NAN;
        EXPECT(clsolve_solver_factor_csr(solver, &view), CLSOLVE_ERROR_NONFINITE,
               "A(3,2), counted from 1, is NaN or Inf");
        memcpy(b, kept, sizeof b);
        assert_int_equal(clsolve_solver_solve(solver, CLSOLVE_NO_TRANS, &B), CLSOLVE_OK);
        assert_memory_equal(b, wanted, sizeof b);
        value[A.start[2]] = before;
        assert_int_equal(clsolve_solver_factor_csr(solver, &view), CLSOLVE_OK);
    }
    memset(value, 0, sizeof value); /* a factorization that fails takes the one before with it */
    memcpy(b, kept, sizeof b);
    EXPECT(clsolve_solver_factor_csr(solver, &view), CLSOLVE_SINGULAR, "singular");
    assert_int_not_equal(clsolve_solver_solve(solver, CLSOLVE_NO_TRANS, &B), CLSOLVE_OK);
    assert_memory_equal(b, kept, sizeof b);
}

/* A solver for dense matrices, by LU and by Gauss-Jordan: what is refused leaves the factors, a singular matrix stays
 * singular until the next factor. */
TEST(test_dense_states) {
    static const clsolve_method methods[] = {CLSOLVE_METHOD_LU, CLSOLVE_METHOD_GAUSS_JORDAN};
    for (int m = 0; m < 2; m++) {
        float value[4] = {2, 0, 0, 4}, zero[4] = {0}, b[2] = {2, 8};
        clsolve_matrix A = clsolve_matrix_f32(2, 2, value), none = clsolve_matrix_f32(2, 2, zero), wide = A;
        clsolve_matrix B = clsolve_matrix_f32(2, 1, b);
        clsolve_solver_options options = {.method = methods[m]};
        OWNED(solver) *solver = NULL;
        wide.cols = 3;
        assert_int_equal(clsolve_solver_create(context, &A, &options, &solver), CLSOLVE_OK);
        assert_int_equal(clsolve_solver_factor(solver, &A), CLSOLVE_OK);
        EXPECT(clsolve_solver_factor(solver, &wide), CLSOLVE_ERROR_INVALID_ARGUMENT, "3 columns");
        EXPECT(clsolve_solver_factor(solver, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT, "A is NULL");
        assert_int_equal(clsolve_solver_solve(solver, CLSOLVE_NO_TRANS, &B), CLSOLVE_OK);
        assert_true(b[0] == 1 && b[1] == 2);
        if (methods[m] == CLSOLVE_METHOD_LU) EXPECT(clsolve_solver_factor(solver, &none), CLSOLVE_SINGULAR, "singular");
        if (methods[m] != CLSOLVE_METHOD_LU) assert_int_equal(clsolve_solver_factor(solver, &none), CLSOLVE_OK);
        EXPECT(clsolve_solver_solve(solver, CLSOLVE_NO_TRANS, &B), CLSOLVE_SINGULAR, "singular");
        assert_true(b[0] == 1 && b[1] == 2);
        assert_int_equal(clsolve_solver_factor(solver, &A), CLSOLVE_OK);
        assert_int_equal(clsolve_solver_solve(solver, CLSOLVE_NO_TRANS, &B), CLSOLVE_OK);
    }
}

TEST(test_singular) {
    int64_t start[] = {0, 1, 2, 2}, column[] = {0, 1};
    float value[] = {1, 1}, b[] = {1, 2, 3};
    clsolve_csr view = clsolve_csr_i64_f32(3, start, column, value);
    clsolve_matrix B = clsolve_matrix_f32(3, 1, b);
    clsolve_solve_report report;
    for (int method = CLSOLVE_METHOD_AUTO; method <= CLSOLVE_METHOD_BAND; method++) {
        clsolve_solver_options options = {.method = (clsolve_method)method};
        assert_int_equal(clsolve_solve_csr(context, CLSOLVE_NO_TRANS, &view, &B, &options, &report), CLSOLVE_SINGULAR);
        assert_int_equal(report.report.info, 3);
        assert_true(b[0] == 1 && b[1] == 2 && b[2] == 3);
    }
}

/* The one call for sparse matrices: the same transpositions and refusals as the one for dense ones. */
TEST(test_sparse_in_one_call) {
    int64_t start[] = {0, 2, 4, 5}, column[] = {0, 1, 1, 2, 2}; /* sums of rows 3 7 5, of columns 1 5 9 */
    float value[] = {1, 2, 3, 4, 5}, kept[] = {1, 2, 3};
    clsolve_csr view = clsolve_csr_i64_f32(3, start, column, value);
    clsolve_solve_report report;
    for (int op = CLSOLVE_NO_TRANS; op <= CLSOLVE_TRANS; op++) {
        float b[] = {op == CLSOLVE_TRANS ? 1 : 3, op == CLSOLVE_TRANS ? 5 : 7, op == CLSOLVE_TRANS ? 9 : 5};
        clsolve_matrix B = clsolve_matrix_f32(3, 1, b);
        assert_int_equal(clsolve_solve_csr(context, (clsolve_op)op, &view, &B, NULL, &report), CLSOLVE_OK);
        for (int i = 0; i < 3; i++) assert_true(b[i] > 0.999F && b[i] < 1.001F);
    }
    clsolve_matrix B = clsolve_matrix_f32(3, 1, kept);
    clsolve_solver_options later = {.reserved = {[0] = 1}}, plain = {.pivoting = CLSOLVE_PIVOTING_NONE};
    EXPECT(clsolve_solve_csr(context, (clsolve_op)3, &view, &B, NULL, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT, "op is 3");
    EXPECT(clsolve_solve_csr(context, CLSOLVE_NO_TRANS, &view, &B, &plain, NULL), CLSOLVE_ERROR_UNSUPPORTED, "NONE");
    EXPECT(clsolve_solve_csr(context, CLSOLVE_NO_TRANS, &view, &B, &later, &report), CLSOLVE_ERROR_INVALID_ARGUMENT,
           "reserved[0]");
    assert_int_equal(report.report.status, CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_true(report.backward_error == -1 && report.report.direct.rcond == -1);
    assert_true(report.report.refinement.backward_error == -1);
    assert_true(kept[0] == 1 && kept[1] == 2 && kept[2] == 3);
}

/* By name a matrix that the method does not take is refused, with the entry; and what no host can hold, before it is
 * tried. */
TEST(test_not_taken) {
    sparse A = sparse_band(N, 1, 4, 0, 3);
    float value[64], b[N] = {0};
    clsolve_csr view = make_view(&A, value);
    clsolve_matrix B = clsolve_matrix_f32(N, 1, b);
    clsolve_solver_options grid = {.method = CLSOLVE_METHOD_BLOCK_GS};
    EXPECT(clsolve_solve_csr(context, CLSOLVE_NO_TRANS, &view, &B, &grid, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT,
           "not block-tridiagonal");
    sparse_free(&A);

    enum { LARGE = 3000000 };
    scratch_sparse large = sparse_begin(LARGE, LARGE);
    SCRATCH float *ones = calloc(LARGE, sizeof *ones), *x = calloc(LARGE, sizeof *x);
    for (int64_t i = 0; i < LARGE; i++) {
        sparse_row(&large, i);
        sparse_add(&large, i, 1);
        ones[i] = 2;
        x[i] = 4;
    }
    sparse_row(&large, LARGE);
    view = clsolve_csr_i64_f32(LARGE, large.start, large.column, ones);
    B = clsolve_matrix_f32(LARGE, 1, x);
    clsolve_solver_options lu = {.method = CLSOLVE_METHOD_LU};
    EXPECT(clsolve_solve_csr(context, CLSOLVE_NO_TRANS, &view, &B, &lu, NULL), CLSOLVE_ERROR_OUT_OF_MEMORY,
           "a dense matrix of 3000000 x 3000000");
    clsolve_solve_report report; /* and by AUTO it is a band, or has fronts */
    assert_int_equal(clsolve_solve_csr(context, CLSOLVE_NO_TRANS, &view, &B, NULL, &report), CLSOLVE_OK);
    assert_true(report.method == CLSOLVE_METHOD_BAND || report.method == CLSOLVE_METHOD_SPARSE_LU);
    for (int64_t i = 0; i < LARGE; i += 9999) assert_true(x[i] == 2);
}

TEST_PROGRAM(sparse_set_up, sparse_tear_down)
