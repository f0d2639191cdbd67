/* Cholesky on matrices in the caller's own OpenCL buffers: both layouts and triangles; nothing else of a buffer changes. */
#include "lu/interop_support.h"

#include "cholesky/cholesky_support.h"

enum { N = IO_N, NRHS = IO_NRHS };

/* `enqueues`: by the calls that don't wait. */
static clsolve_status factor_and_solve(clsolve_cholesky *cholesky, clsolve_uplo uplo, io_matrix *a, io_matrix *b,
                                       int enqueues) {
    if (!enqueues) {
        const clsolve_status status = clsolve_cholesky_factor(cholesky, uplo, &a->view);
        return status == CLSOLVE_OK ? clsolve_cholesky_solve(cholesky, &b->view) : status;
    }
    clsolve_status status = clsolve_cholesky_factor_enqueue(cholesky, uplo, &a->view, NULL);
    if (status == CLSOLVE_OK) status = clsolve_cholesky_solve_enqueue(cholesky, &b->view, NULL);
    return status == CLSOLVE_OK ? clsolve_cholesky_status(cholesky) : status;
}

static void solve_there(clsolve_layout layout, clsolve_uplo uplo, int refine, int enqueues) {
    SCRATCH double *A = io_values(1, N * N), *B = io_values(2, N * NRHS), *X = io_values(3, N * NRHS),
                   *back = io_values(4, N * N);
    test_random random = test_random_start(11);
    clsolve_cholesky_options options = test_cholesky_options();
    OWNED(cholesky) *cholesky = NULL;
    clsolve_report report;

    spd_make(&random, io.type, SPD_WELL, N, A);
    scratch_io a = io_put(layout, N, N, A), b = io_put(layout, N, NRHS, B);
    options.refine = refine;
    if (clsolve_cholesky_create(io.context, N, io.type, &options, &cholesky) != CLSOLVE_OK ||
        factor_and_solve(cholesky, uplo, &a, &b, enqueues) != CLSOLVE_OK)
        fail_msg("%s", clsolve_context_message(io.context));
    io_get(&a, NULL, back);
    io_same(back, A, N * N);
    io_get(&b, NULL, X);
    const double ratio = ratio_solve(io.type, CLSOLVE_NO_TRANS, N, NRHS, A, X, B);
    if (!(ratio < RATIO_BOUND)) fail_msg("ratio %g", ratio);
    assert_int_equal(clsolve_cholesky_report(cholesky, &report), CLSOLVE_OK);
    if (!refine) assert_int_equal(report.bytes_up, 0); /* no matrix has crossed */
    /* What goes out goes to the host. */
    assert_int_equal(clsolve_cholesky_factors(cholesky, uplo, &a.view), CLSOLVE_ERROR_UNSUPPORTED);
    assert_int_equal(clsolve_cholesky_inverse(cholesky, uplo, &a.view), CLSOLVE_ERROR_UNSUPPORTED);
}

TEST(matrices_on_the_device) {
    for (int how = 0; how < 4; ++how)
        for (int shape = 0; shape < 4; ++shape)
            solve_there(shape % 2 ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR, shape / 2 ? CLSOLVE_UPPER : CLSOLVE_LOWER,
                        how % 2, how / 2);
}

/* Enqueued work is waited for by calls that need it, and forgotten by a factorization; out of core no array is taken. */
TEST(enqueued_before_others) {
    SCRATCH double *A = io_values(1, N * N), *B = io_values(2, N * NRHS), *X = io_values(3, N * NRHS);
    test_random random = test_random_start(12);
    clsolve_cholesky_options options = test_cholesky_options();
    clsolve_cholesky *cholesky = NULL;
    double rcond = 0;

    spd_make(&random, io.type, SPD_WELL, N, A);
    scratch_io a = io_put(CLSOLVE_COLUMN_MAJOR, N, N, A), b = io_put(CLSOLVE_ROW_MAJOR, N, NRHS, B);
    assert_int_equal(clsolve_cholesky_create(io.context, N, io.type, &options, &cholesky), CLSOLVE_OK);
    assert_int_equal(clsolve_cholesky_factor_enqueue(cholesky, CLSOLVE_LOWER, &a.view, NULL), CLSOLVE_OK);
    assert_int_equal(clsolve_cholesky_solve(cholesky, &b.view), CLSOLVE_OK);
    assert_int_equal(clsolve_cholesky_condition(cholesky, 1, &rcond), CLSOLVE_OK);
    assert_true(rcond > 0);
    io_get(&b, NULL, X);
    assert_true(ratio_solve(io.type, CLSOLVE_NO_TRANS, N, NRHS, A, X, B) < RATIO_BOUND);
    A[3 * (N + 1)] = -1;
    scratch_io bad = io_put(CLSOLVE_COLUMN_MAJOR, N, N, A);
    assert_int_equal(clsolve_cholesky_factor_enqueue(cholesky, CLSOLVE_LOWER, &bad.view, NULL), CLSOLVE_OK);
    assert_int_equal(clsolve_cholesky_condition(cholesky, 1, &rcond), CLSOLVE_NOT_POSITIVE_DEFINITE);
    assert_int_equal(clsolve_cholesky_factor(cholesky, CLSOLVE_LOWER, &a.view), CLSOLVE_OK);
    assert_int_equal(clsolve_cholesky_status(cholesky), CLSOLVE_OK);
    clsolve_cholesky_destroy(cholesky);

    options.memory_limit = cholesky_least_limit(io.context, io.type, N, NULL);
    assert_int_equal(clsolve_cholesky_create(io.context, N, io.type, &options, &cholesky), CLSOLVE_OK);
    clsolve_report report;
    assert_int_equal(clsolve_cholesky_report(cholesky, &report), CLSOLVE_OK);
    const clsolve_status out_of_core =
        report.slab_columns > 0 ? CLSOLVE_ERROR_UNSUPPORTED : CLSOLVE_OK; /* a wide leaf */
    assert_int_equal(clsolve_cholesky_factor(cholesky, CLSOLVE_LOWER, &a.view), out_of_core);
    assert_int_equal(clsolve_cholesky_factor_enqueue(cholesky, CLSOLVE_LOWER, &a.view, NULL), out_of_core);
    clsolve_cholesky_destroy(cholesky);
}

/* A hermitian matrix on the host, and right-hand sides on the device: with the transpose these come to the host. */
static void solve_transposed(clsolve_type type) {
    SCRATCH double *A = io_values(1, N * N);
    SCRATCH double *B = io_values(2, N * NRHS), *X = io_values(3, N * NRHS);
    const clsolve_solver_options by_name = {.method = CLSOLVE_METHOD_CHOLESKY};
    if (type >= CLSOLVE_C32) {
        for (int64_t k = 0; k < 2 * N * N; ++k) A[k] = 0;
        for (int64_t k = 0; k < N; ++k) A[2 * k * (N + 1)] = 4;
        for (int64_t k = 0; k + 1 < N; ++k) {
            A[2 * (k + 1 + k * N) + 1] = 1;
            A[2 * (k + (k + 1) * N) + 1] = -1;
        }
        scratch_matrix a = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, N, N, 1);
        test_matrix_set(&a, A);
        scratch_io b = io_put(CLSOLVE_ROW_MAJOR, N, NRHS, B);
        if (clsolve_solve(io.context, CLSOLVE_TRANS, &a.view, &b.view, &by_name, NULL) != CLSOLVE_OK)
            fail_msg("%s", clsolve_context_message(io.context));
        io_get(&b, NULL, X);
        assert_true(ratio_solve(type, CLSOLVE_TRANS, N, NRHS, A, X, B) < RATIO_BOUND);
    }
}

TEST(transposed) {
    io_in_each_type(solve_transposed);
}

/* A band in either form and layout, read where it lies; with refinement it comes to the host. */
static void solve_band(clsolve_layout layout, clsolve_uplo uplo, int refine) {
    enum { K = 9 };
    SCRATCH double *A = io_values(1, N * N), *B = io_values(2, N * NRHS), *X = io_values(3, N * NRHS);
    SCRATCH double *AB = io_values(4, (K + 1) * N), *back = io_values(5, (K + 1) * N);
    const clsolve_band_cholesky_options options = {.refine = refine};
    OWNED(band_cholesky) *band = NULL;
    clsolve_report report;

    for (int64_t j = 0; j < N; ++j)
        for (int64_t i = 0; i < N; ++i) {
            const int64_t d = i < j ? j - i : i - j;
            A[i + j * N] = d > K ? 0 : d == 0 ? 3 * K : A[(i < j ? i + j * N : j + i * N)];
            if (d <= K && uplo == CLSOLVE_LOWER && i >= j) AB[d + j * (K + 1)] = A[i + j * N];
            if (d <= K && uplo == CLSOLVE_UPPER && i <= j) AB[K - d + j * (K + 1)] = A[i + j * N];
        }
    scratch_io ab = io_put(layout, K + 1, N, AB), b = io_put(layout, N, NRHS, B);
    if (clsolve_band_cholesky_create(io.context, N, K, io.type, &options, &band) != CLSOLVE_OK ||
        clsolve_band_cholesky_factor(band, uplo, &ab.view) != CLSOLVE_OK ||
        clsolve_band_cholesky_solve(band, &b.view) != CLSOLVE_OK)
        fail_msg("%s", clsolve_context_message(io.context));
    io_get(&ab, NULL, back);
    io_same(back, AB, (K + 1) * N);
    io_get(&b, NULL, X);
    const double ratio = ratio_solve(io.type, CLSOLVE_NO_TRANS, N, NRHS, A, X, B);
    if (!(ratio < RATIO_BOUND)) fail_msg("ratio %g", ratio);
    assert_int_equal(clsolve_band_cholesky_report(band, &report), CLSOLVE_OK);
    assert_string_equal(report.where, "device");
    if (!refine && !clsolve_context_device(io.context).host_memory) assert_int_equal(report.bytes_up, 0);
    assert_int_equal(clsolve_band_cholesky_factors(band, uplo, &ab.view), CLSOLVE_ERROR_UNSUPPORTED);
}

TEST(bands_on_the_device) {
    for (int shape = 0; shape < 8; ++shape)
        solve_band(shape & 1 ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR, shape & 2 ? CLSOLVE_UPPER : CLSOLVE_LOWER,
                   (shape & 4) != 0);
}

TEST_PROGRAM_OF("opencl", io_open, io_close)
