/*
 * The caller's own CUDA: handles that keep a copy of A, row-major bands, bands' factors and solvers with matrices in
 * device memory, and calls behind another stream (clsolve_context_follow_cuda). What lies between the lines of a matrix,
 * before and behind it, must not change, nor the thread's current context.
 */
#include "band/band_support.h"
#include "cuda/caller.h"

static void check(device_matrix *b, clsolve_op op, const double *A, const double *B) {
    SCRATCH double *X = random_values(0, N * NRHS);
    get(b, X);
    double ratio = ratio_solve(type, op, N, NRHS, A, X, B);
    if (!(ratio < RATIO_BOUND)) fail_msg("ratio %g", ratio);
    assert_context_is_ours();
}

/* ---- dense LU ---- */

TEST(handles_with_a_copy) {
    SCRATCH double *A = random_values(1, N * N), *B = random_values(2, N * NRHS), *back = random_values(3, N * N);
    for (int kind = 0; kind < 3; kind++)
        for (int layout = CLSOLVE_COLUMN_MAJOR; layout <= CLSOLVE_ROW_MAJOR; layout++) {
            clsolve_lu_options options = {.refine = kind == 0};
            clsolve_report report;
            clsolve_lu *lu = NULL;
            if (kind == 1 && type == CLSOLVE_F64) options.precision = CLSOLVE_PRECISION_MIXED;
            if (kind == 2) options.pivoting = CLSOLVE_PIVOTING_RBT;
            device_matrix a = put((clsolve_layout)layout, N, N, A), b = put((clsolve_layout)layout, N, NRHS, B);
            WORKS(clsolve_lu_create(context, N, type, &options, &lu));
            WORKS(clsolve_lu_factor(lu, &a.view));
            WORKS(clsolve_lu_report(lu, &report));
            assert_true(report.bytes_up + report.bytes_down < N * N * (type == CLSOLVE_F64 ? 8 : 4));
            WORKS(clsolve_lu_solve(lu, CLSOLVE_TRANS, &b.view));
            check(&b, CLSOLVE_TRANS, A, B);
            drop(&b);
            b = put((clsolve_layout)layout, N, NRHS, B);
            WORKS(clsolve_lu_factor_enqueue(lu, &a.view, NULL));
            WORKS(clsolve_lu_solve_enqueue(lu, CLSOLVE_NO_TRANS, &b.view, NULL));
            WORKS(clsolve_lu_status(lu));
            check(&b, CLSOLVE_NO_TRANS, A, B);
            get(&a, back);
            assert_same(back, A, N * N);
            clsolve_lu_destroy(lu);
            drop(&a), drop(&b);
        }
}

/* AUTO takes Cholesky for a symmetric matrix, or a hermitian one, and LU where an element differs. */
static void symmetric_of_type(void) {
    enum { ROWS = 513, LAST = ROWS - 1 };
    const int64_t parts = test_numbers(type, 1);
    SCRATCH double *A = test_elements(type, ROWS * ROWS), *B = test_elements(type, ROWS),
                   *X = test_elements(type, ROWS);
    for (int64_t i = 0; i < ROWS; i++) A[parts * i * (ROWS + 1)] = 4, B[parts * i] = 1;
    A[parts * LAST + parts - 1] = 1; /* the last row's first; of complex elements its imaginary part */
    for (int turn = 0; turn < 2; turn++) {
        A[parts * LAST * ROWS + parts - 1] = turn == 1 ? 2 : parts == 2 ? -1 : 1;
        device_matrix a = put(CLSOLVE_ROW_MAJOR, ROWS, ROWS, A), b = put(CLSOLVE_COLUMN_MAJOR, ROWS, 1, B);
        clsolve_solve_report report;
        WORKS(clsolve_solve(context, CLSOLVE_NO_TRANS, &a.view, &b.view, NULL, &report));
        assert_string_equal(report.name, turn == 0 ? "cholesky" : "lu");
        assert_int_equal(report.attempts_count, 0);
        get(&b, X);
        assert_true(ratio_solve(type, CLSOLVE_NO_TRANS, ROWS, 1, A, X, B) < RATIO_BOUND);
        assert_context_is_ours();
        drop(&a), drop(&b);
    }
}

TEST(symmetric_matrices) {
    const clsolve_type own = type;
    symmetric_of_type();
    type = own == CLSOLVE_F64 ? CLSOLVE_C64 : CLSOLVE_C32;
    symmetric_of_type();
    type = own;
}

/* ---- bands ---- */

TEST(bands) {
    enum { KL = 5, KU = 8, ROWS = KL + KU + 1, ALL = ROWS + KL };
    SCRATCH double *B = random_values(2, N * NRHS), *X = random_values(3, N * NRHS);
    SCRATCH double *before = random_values(4, ALL * N), *there = random_values(5, ALL * N),
                   *here = random_values(6, ALL * N);
    for (int refine = 0; refine < 2; refine++)
        for (int layout = CLSOLVE_COLUMN_MAJOR; layout <= CLSOLVE_ROW_MAJOR; layout++) {
            test_random random = test_random_start(7);
            scratch_band A = test_band_random(&random, type, N, KL, KU, 6);
            scratch_matrix host = test_band_view(&A, CLSOLVE_BAND_PLAIN, (clsolve_layout)layout, 0, (double)NAN);
            SCRATCH double *AB = test_doubles(ROWS * N);
            clsolve_band_options options = {.refine = refine};
            clsolve_report report;
            clsolve_band *band = NULL;
            test_matrix_get(&host, AB);
            device_matrix ab = put((clsolve_layout)layout, ROWS, N, AB), b = put((clsolve_layout)layout, N, NRHS, B);
            device_matrix f = put((clsolve_layout)layout, ALL, N, before);
            WORKS(clsolve_band_create(context, N, KL, KU, type, &options, &band));
            WORKS(clsolve_band_factor(band, &ab.view));
            WORKS(clsolve_band_report(band, &report));
            if (!refine) assert_int_equal(report.bytes_up, 0);
            WORKS(clsolve_band_factors(band, &f.view, NULL));
            WORKS(clsolve_band_factors(band, &f.host.view, NULL));
            test_matrix_get(&f.host, here);
            get(&f, there);
            assert_same(here, there, ALL * N);
            WORKS(clsolve_band_solve(band, CLSOLVE_NO_TRANS, &b.view));
            get(&b, X);
            assert_true(test_band_ratio(&A, CLSOLVE_NO_TRANS, NRHS, X, B) < RATIO_BOUND);
            clsolve_band_destroy(band);
            assert_context_is_ours();
            drop(&ab), drop(&b), drop(&f);
        }
}

/* ---- solvers ---- */

/* Gauss-Jordan's solver keeps A; the caller's may go. */
TEST(a_solver_keeps_a) {
    SCRATCH double *A = random_values(1, N * N), *B = random_values(2, N * NRHS);
    clsolve_solver_options options = {.method = CLSOLVE_METHOD_GAUSS_JORDAN};
    clsolve_solver *solver = NULL;
    device_matrix a = put(CLSOLVE_ROW_MAJOR, N, N, A), b = put(CLSOLVE_ROW_MAJOR, N, NRHS, B);
    WORKS(clsolve_solver_create(context, &a.view, &options, &solver));
    WORKS(clsolve_solver_factor(solver, &a.view));
    CU(cu.set_bytes(a.memory, 0, a.before + a.bytes, stream));
    WORKS(clsolve_solver_solve(solver, CLSOLVE_NO_TRANS, &b.view));
    check(&b, CLSOLVE_NO_TRANS, A, B);
    clsolve_solver_destroy(solver);
    drop(&a), drop(&b);
}

/* The right-hand sides of a sparse matrix: four times the identity, which Cholesky too divides by exactly. */
TEST(sides_of_a_sparse_matrix) {
    SCRATCH double *B = random_values(2, N * NRHS), *X = random_values(3, N * NRHS);
    double fours[N];
    float singles[N];
    int32_t starts[N + 1], columns[N];
    for (int i = 0; i < N; i++) {
        starts[i] = columns[i] = i;
        fours[i] = 4;
        singles[i] = 4;
    }
    starts[N] = N;
    clsolve_csr A = clsolve_csr_f64(N, starts, columns, fours);
    if (type == CLSOLVE_F32) A = clsolve_csr_f32(N, starts, columns, singles);
    device_matrix b = put(CLSOLVE_ROW_MAJOR, N, NRHS, B);
    WORKS(clsolve_solve_csr(context, CLSOLVE_NO_TRANS, &A, &b.view, NULL, NULL));
    get(&b, X);
    for (int k = 0; k < N * NRHS; k++) assert_true(4 * X[k] == B[k]);
    assert_context_is_ours();
    drop(&b);
}

/* ---- another stream of the caller's ---- */

/* Zeros, until `late` gets to the values. */
static device_matrix put_late(CUstream late, clsolve_layout layout, int64_t cols, const double *values) {
    SCRATCH double *zeros = test_doubles(N * cols);
    device_matrix m = put(layout, N, cols, zeros);
    CU(cu.stream_wait(stream));
    test_matrix_set(&m.host, values);
    CU(cu.copy_up(m.memory + m.before, m.host.memory, m.bytes, late));
    return m;
}

static void solve_behind(CUstream late) {
    SCRATCH double *A = random_values(1, N * N), *B = random_values(2, N * NRHS);
    for (int refine = 0; refine < 2; refine++) {
        clsolve_solver_options options = {.method = CLSOLVE_METHOD_LU, .refine = refine};
        device_matrix a = put_late(late, CLSOLVE_ROW_MAJOR, N, A), b = put_late(late, CLSOLVE_COLUMN_MAJOR, NRHS, B);
        WORKS(clsolve_context_follow_cuda(context, late));
        WORKS(clsolve_solve(context, CLSOLVE_NO_TRANS, &a.view, &b.view, &options, NULL));
        check(&b, CLSOLVE_NO_TRANS, A, B);
        drop(&a), drop(&b);
    }
}

TEST(behind_other_streams) {
    CUstream late = NULL;
    CU(cu.stream_create(&late, CU_STREAM_NON_BLOCKING, 0));
    solve_behind(late);
    solve_behind(CU_STREAM_LEGACY);
    solve_behind(CU_STREAM_PER_THREAD);
    solve_behind(stream); /* its own does no harm */
    CU(cu.stream_destroy(late));
}

/* Also where the thread has no current context, and the streams are of another one. */
TEST(without_a_current_context) {
    CUcontext popped = NULL;
    CUstream late = NULL;
    CU(cu.stream_create(&late, CU_STREAM_NON_BLOCKING, 0));
    CU(cu.context_pop(&popped));
    clsolve_status status = clsolve_context_follow_cuda(context, late);
    CUdevice none = -1;
    assert_int_not_equal(cu.context_device(&none), CUDA_SUCCESS); /* still none */
    CU(cu.context_push(popped));
    assert_int_equal(status, CLSOLVE_OK);
    CU(cu.stream_destroy(late));
}

TEST(streams_that_are_refused) {
    CUdevice other = id == 0 ? 1 : 0;
    CUcontext there = NULL, popped = NULL;
    CUstream theirs = NULL;
    clsolve_context *plain = NULL;
    int count = 0;
    assert_int_equal(clsolve_context_follow_cuda(context, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(clsolve_context_message(context), "CU_STREAM_LEGACY"));
    assert_int_equal(clsolve_context_create(test_selector(), &plain), CLSOLVE_OK);
    assert_int_equal(clsolve_context_follow_cuda(plain, stream), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(clsolve_context_message(plain), "clsolve_context_create_cuda"));
    clsolve_context_destroy(plain);
    CU(cu.device_count(&count));
    if (count < 2) return;
    CU(cu.primary_retain(&there, other));
    CU(cu.context_push(there));
    CU(cu.stream_create(&theirs, CU_STREAM_NON_BLOCKING, 0));
    CU(cu.context_pop(&popped));
    assert_int_equal(clsolve_context_follow_cuda(context, theirs), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(clsolve_context_message(context), "another device"));
    assert_context_is_ours();
    CU(cu.context_push(there));
    CU(cu.stream_destroy(theirs));
    CU(cu.context_pop(&popped));
    CU(cu.primary_release(other));
}

int main(void) {
    return CALLER_RUN;
}
