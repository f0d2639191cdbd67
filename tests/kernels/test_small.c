/*
 * Every kernel of cl/ at sizes that a simulator can run, in each shape that the library chooses (a GPU's and a CPU's, with a
 * launch a column and with one a leaf), against a plain host reference. check_oclgrind.sh runs it under Oclgrind, which
 * looks for races, barriers that not all reach and accesses out of bounds. Reduced: fewer sizes of the same kernels.
 */
#include "kernels/small_support.h"

#include "device/buffer.h"
#include "lu/ratios.h"
#include "method/cholesky/band.h"
#include "method/cholesky/direct.h"
#include "method/async.h"
#include "method/lu/direct.h"
#include "method/lu/direct.h"
#include "method/direct/scaling.h"

static clsolve_matrix view(clsolve_type type, clsolve_layout layout, int64_t rows, int64_t cols, void *data) {
    clsolve_matrix m = clsolve_matrix_f64(rows, cols, data);
    m.type = type;
    m.layout = layout;
    m.ld = layout == CLSOLVE_COLUMN_MAJOR ? rows : cols;
    return m;
}

/* Factor, factors and both solves, with steps.whole_rows as chosen or 0, so that each column is a launch. */
static void factor_and_solve(clsolve_type type, clsolve_layout layout, int64_t n, int whole, int64_t slab_bytes) {
    enum { NRHS = 5 };
    clsolve_lu_options options = {.slab_bytes = slab_bytes, .panel = CLSOLVE_PANEL_NATIVE};
    test_random random = test_random_start((uint64_t)n);
    SCRATCH double *A = small_doubles(n * n), *B = small_doubles(n * NRHS), *X = small_doubles(n * NRHS);
    scratch_matrix a = test_matrix_make(type, layout, n, n, 1), b = test_matrix_make(type, layout, n, NRHS, 1);
    int64_t info = 0, row, column;
    int again = 0;
    cls_growth growth;
    cls_lu lu;

    memset(&lu, 0, sizeof lu);
    test_kind_make(&random, type, 4, n, A);
    test_random_fill(&random, B, n * NRHS);
    for (int64_t k = 0; k < n * NRHS; k++) B[k] = test_rounded(type, B[k]);
    test_matrix_set(&a, A);
    assert_ok(small_device, cls_lu_setup(small_device, n, type, &options, &lu));
    if (!whole) lu.panel.steps.whole_rows = 0;
    assert_ok(small_device, cls_upload_square(small_device, &lu.transfer, &a.view, &lu.A));
    assert_ok(small_device, cls_check_finite(small_device, &lu.check, &lu.A, n, &row, &column));
    assert_int_equal(row, -1);
    assert_ok(small_device, lu.engine->factor(&lu, &options, &info, &growth, &again));
    assert_int_equal(again, 0);
    assert_int_equal(info, 0);
    for (int op = CLSOLVE_NO_TRANS; op <= CLSOLVE_TRANS; op++) {
        test_matrix_set(&b, B);
        assert_ok(small_device, cls_lu_reserve(&lu, NRHS, layout == CLSOLVE_ROW_MAJOR));
        small_up(&lu, &b, &lu.B);
        assert_ok(small_device, cls_lu_apply(&lu, (clsolve_op)op, NRHS));
        small_down(&lu, &lu.B, &b);
        test_matrix_get(&b, X);
        double ratio = ratio_solve(type, (clsolve_op)op, n, NRHS, A, X, B);
        if (!(ratio < RATIO_BOUND)) fail_msg("n %d, type %d, op %d: ratio %g", (int)n, (int)type, op, ratio);
    }
    cls_lu_release(&lu);
}

/* A launch a leaf, and a launch a column with row-major lines in slabs: each in one type where there are two. */
static void with_leaves(clsolve_type type) {
    factor_and_solve(type, CLSOLVE_COLUMN_MAJOR, 21, 1, 0);
}

static void with_columns(clsolve_type type) {
    factor_and_solve(type, CLSOLVE_ROW_MAJOR, 17, 0, 17 * 8 * 8);
}

TEST(lu_in_the_shape_of_the_device) {
    if (test_reduced()) skip(); /* leaves are enqueued() too, columns lu_of_several_blocks() */
    with_leaves(small_has(CLSOLVE_F64) ? CLSOLVE_F64 : CLSOLVE_F32);
    with_columns(CLSOLVE_F32);
}

/* The kernels as a CPU gets them: one work-item a group. What is memory to whom stays as it is. */
TEST(lu_in_the_shape_of_a_cpu) {
    clsolve_device_type is = small_device->info.type;
    small_device->info.type = CLSOLVE_DEVICE_CPU;
    with_leaves(CLSOLVE_F32);
    with_columns(small_has(CLSOLVE_F64) ? CLSOLVE_F64 : CLSOLVE_F32);
    small_device->info.type = is;
}

/* Several blocks: panels by halves, rows moved left and right of a hole, products in between. */
TEST(lu_of_several_blocks) {
    factor_and_solve(CLSOLVE_F32, CLSOLVE_COLUMN_MAJOR, test_reduced() ? 34 : 40, 0, 0);
}

/* A X = B with a diagonal of n: a leaf, and with n > 64 rows below it. */
static void cholesky_of(clsolve_type type, int64_t n, clsolve_uplo uplo) {
    enum { NRHS = 2 };
    const clsolve_cholesky_options options = {.panel = CLSOLVE_PANEL_NATIVE};
    test_random random = test_random_start((uint64_t)n);
    SCRATCH double *A = small_doubles(n * n), *B = small_doubles(n * NRHS), *X = small_doubles(n * NRHS);
    scratch_matrix a = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, n, n, 1);
    scratch_matrix b = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, n, NRHS, 0);
    static cls_cholesky cholesky;
    static cls_direct direct;

    for (int64_t j = 0; j < n; j++)
        for (int64_t i = j; i < n; i++)
            A[i + j * n] = A[j + i * n] = i == j ? (double)n : test_rounded(type, test_random_signed(&random));
    test_random_fill(&random, B, n * NRHS);
    for (int64_t k = 0; k < n * NRHS; k++) B[k] = test_rounded(type, B[k]);
    test_matrix_set(&a, A);
    test_matrix_set(&b, B);
    memset(&cholesky, 0, sizeof cholesky);
    assert_ok(small_device, cls_cholesky_direct_setup(small_device, n, type, &options, &cholesky, &direct));
    cholesky.uplo = uplo;
    assert_ok(small_device, cls_direct_factor(&direct, "test", &a.view));
    assert_ok(small_device, cls_direct_solve(&direct, "test", CLSOLVE_NO_TRANS, &b.view));
    test_matrix_get(&b, X);
    double ratio = ratio_solve(type, CLSOLVE_NO_TRANS, n, NRHS, A, X, B);
    if (!(ratio < RATIO_BOUND)) fail_msg("ratio %g", ratio);
    cls_direct_release(&direct);
    cls_cholesky_release(&cholesky);
}

/* A band of k diagonals on either side, in either form. */
static void band_cholesky_of(clsolve_type type, int64_t n, int64_t k, clsolve_uplo uplo, clsolve_layout layout) {
    const clsolve_band_cholesky_options options = {.rcond = 0};
    test_random random = test_random_start((uint64_t)n);
    SCRATCH double *A = small_doubles(n * n), *AB = small_doubles((k + 1) * n), *B = small_doubles(n),
                   *X = small_doubles(n);
    scratch_matrix a = test_matrix_make(type, layout, k + 1, n, 1);
    scratch_matrix b = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, n, 1, 0);
    static cls_band_cholesky band;
    static cls_direct direct;

    for (int64_t j = 0; j < n; j++)
        for (int64_t i = j; i < n && i <= j + k; i++) {
            const double value = i == j ? 2 * (double)k + 1 : test_rounded(type, test_random_signed(&random));
            A[i + j * n] = A[j + i * n] = value;
            AB[uplo == CLSOLVE_LOWER ? i - j + j * (k + 1) : k + j - i + i * (k + 1)] = value;
        }
    for (int64_t i = 0; i < n; i++) B[i] = test_rounded(type, test_random_signed(&random));
    test_matrix_set(&a, AB);
    test_matrix_set(&b, B);
    memset(&band, 0, sizeof band);
    assert_ok(small_device, cls_band_cholesky_setup(small_device, n, k, type, &options, &band, &direct));
    band.uplo = uplo;
    assert_ok(small_device, cls_direct_factor(&direct, "test", &a.view));
    assert_ok(small_device, cls_direct_solve(&direct, "test", CLSOLVE_NO_TRANS, &b.view));
    test_matrix_get(&b, X);
    const double ratio = ratio_solve(type, CLSOLVE_NO_TRANS, n, 1, A, X, B);
    if (!(ratio < RATIO_BOUND)) fail_msg("ratio %g", ratio);
    cls_direct_release(&direct);
    cls_band_cholesky_release(&band);
}

TEST(band_cholesky) {
    band_cholesky_of(CLSOLVE_F32, test_reduced() ? 35 : 70, 9, CLSOLVE_UPPER, CLSOLVE_ROW_MAJOR);
}

TEST(cholesky) {
    cholesky_of(CLSOLVE_F32, 66, CLSOLVE_LOWER);
    if (small_has(CLSOLVE_F64)) cholesky_of(CLSOLVE_F64, 19, CLSOLVE_UPPER);
    /* A leaf in local memory. */
    clsolve_device_type is = small_device->info.type;
    small_device->info.type = CLSOLVE_DEVICE_CPU;
    cholesky_of(CLSOLVE_F32, 19, CLSOLVE_UPPER);
    small_device->info.type = is;
}

static cls_buffer *state_of(const cls_direct *direct) {
    return ((const cls_lu *)direct->factors)->panel.info;
}

/* Enqueued on matrices that are on the device already: the outcome kept there, the solution delivered. */
TEST(enqueued) {
    enum { N = 21, NRHS = 2 };
    clsolve_lu_options options = {.panel = CLSOLVE_PANEL_NATIVE};
    test_random random = test_random_start(7);
    double A[N * N] = {0}, B[N * NRHS], X[N * NRHS];
    scratch_matrix a = test_matrix_make(CLSOLVE_F32, CLSOLVE_COLUMN_MAJOR, N, N, 0);
    scratch_matrix b = test_matrix_make(CLSOLVE_F32, CLSOLVE_ROW_MAJOR, N, NRHS, 0);
    cls_buffer *on_a = NULL, *on_b = NULL;
    cls_async async = {0};
    cls_async_outcome outcome;
    cls_lu lu;

    memset(&lu, 0, sizeof lu);
    test_kind_make(&random, CLSOLVE_F32, 4, N, A);
    test_random_fill(&random, B, N * NRHS);
    for (int k = 0; k < N * NRHS; k++) B[k] = test_rounded(CLSOLVE_F32, B[k]);
    test_matrix_set(&a, A);
    test_matrix_set(&b, B);
    assert_ok(small_device, cls_lu_setup(small_device, N, CLSOLVE_F32, &options, &lu));
    assert_ok(small_device, small_device->ops->buffer_create(small_device, sizeof(float) * N * N, &on_a));
    assert_ok(small_device, small_device->ops->buffer_create(small_device, sizeof(float) * N * NRHS, &on_b));
    test_upload(small_device, on_a, a.memory, sizeof(float) * N * N);
    test_upload(small_device, on_b, b.memory, sizeof(float) * N * NRHS);
    small_device->callers = 1; /* the buffers are of this very context */
    clsolve_matrix view_a = {CLSOLVE_F32, CLSOLVE_COLUMN_MAJOR, N, N, N, on_a->memory, CLSOLVE_ON_DEVICE, 0};
    clsolve_matrix view_b = {CLSOLVE_F32, CLSOLVE_ROW_MAJOR, N, NRHS, NRHS, on_b->memory, CLSOLVE_ON_DEVICE, 0};
    const cls_direct_ops ops = {.sides = cls_lu_sides, .state = state_of};
    cls_direct direct = {.ops = &ops, .device = small_device, .factors = &lu};
    assert_ok(small_device, cls_async_setup(small_device, lu.type, &async));
    assert_ok(small_device, lu.engine->enqueue(&lu, &async, &view_a));
    assert_ok(small_device, cls_sides_solve_enqueue(&direct, &async, CLSOLVE_NO_TRANS, &view_b, 1));
    assert_ok(small_device, cls_async_wait(small_device, &async, lu.panel.info, &outcome));
    assert_true(outcome.found[CLS_ASYNC_A] == -1 && outcome.found[CLS_ASYNC_FACTORS] == -1 &&
                outcome.found[CLS_ASYNC_B] == -1 && outcome.found[CLS_ASYNC_X] == -1);
    assert_int_equal(outcome.info, 0);
    test_download(small_device, on_b, b.memory, sizeof(float) * N * NRHS);
    test_matrix_get(&b, X);
    double ratio = ratio_solve(CLSOLVE_F32, CLSOLVE_NO_TRANS, N, NRHS, A, X, B);
    if (!(ratio < RATIO_BOUND)) fail_msg("ratio %g", ratio);
    small_device->ops->buffer_destroy(small_device, on_a);
    small_device->ops->buffer_destroy(small_device, on_b);
    cls_async_release(small_device, &async);
    cls_lu_release(&lu);
}

/* The triangular solve: each half, each direction, below and at its block. */
TEST(triangles) {
    static const int64_t orders[] = {1, 7, 32};
    for (clsolve_type type = CLSOLVE_F32; type <= CLSOLVE_F64; type++) {
        if (!small_has(type) || (test_reduced() && type == CLSOLVE_F32 && small_has(CLSOLVE_F64))) continue;
        for (int c = 0; c < 12; c++) {
            enum { NRHS = 3 };
            if (test_reduced() && (c / 3 + c + (int)type) % 2) continue;
            int64_t m = orders[c % 3], size = cls_type_size(type);
            cls_uplo uplo = c / 3 % 2 ? CLS_UPPER : CLS_LOWER_UNIT;
            clsolve_op op = c / 6 ? CLSOLVE_TRANS : CLSOLVE_NO_TRANS;
            test_random random = test_random_start((uint64_t)c);
            SCRATCH double *T = small_doubles(m * m), *X = small_doubles(m * NRHS), *B = small_doubles(m * NRHS);
            test_random_fill(&random, T, m * m);
            test_random_fill(&random, X, m * NRHS);
            for (int64_t k = 0; k < m * m; k++) T[k] = test_rounded(type, T[k] / (double)m);
            for (int64_t k = 0; k < m; k++) T[k + k * m] = 2;
            /* B = op(T) X, of the half that counts. */
            for (int64_t i = 0; i < m; i++)
                for (int64_t j = 0; j < m; j++) {
                    int64_t r = op == CLSOLVE_TRANS ? j : i, s = op == CLSOLVE_TRANS ? i : j;
                    double t = r == s ? (uplo == CLS_UPPER ? 2 : 1) : (uplo == CLS_UPPER) == (r < s) ? T[r + s * m] : 0;
                    for (int64_t k = 0; k < NRHS; k++) B[i + k * m] += t * X[j + k * m];
                }
            scratch_matrix t = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, m, m, 0);
            scratch_matrix b = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, m, NRHS, 0);
            cls_ref on_t = {NULL, 0, m}, on_b = {NULL, 0, m};
            test_matrix_set(&t, T);
            test_matrix_set(&b, B);
            assert_ok(small_device,
                      small_device->ops->buffer_create(small_device, (size_t)(m * m * size), &on_t.buffer));
            assert_ok(small_device,
                      small_device->ops->buffer_create(small_device, (size_t)(m * NRHS * size), &on_b.buffer));
            test_upload(small_device, on_t.buffer, t.memory, (size_t)(m * m * size));
            test_upload(small_device, on_b.buffer, b.memory, (size_t)(m * NRHS * size));
            assert_ok(small_device, cls_trsm(small_device, CLS_BLAS_DEFAULT, type, uplo, op, m, NRHS, on_t, on_b));
            test_download(small_device, on_b.buffer, b.memory, (size_t)(m * NRHS * size));
            test_matrix_get(&b, B);
            for (int64_t k = 0; k < m * NRHS; k++)
                if (!(fabs(B[k] - X[k]) < 1e3 * test_epsilon(type))) fail_msg("case %d: off by %g", c, B[k] - X[k]);
            small_device->ops->buffer_destroy(small_device, on_t.buffer);
            small_device->ops->buffer_destroy(small_device, on_b.buffer);
        }
    }
}

/* A product without an inner size only scales. */
TEST(scaling) {
    float C[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    cls_ref on = {NULL, 0, 4};
    assert_ok(small_device, small_device->ops->buffer_create(small_device, sizeof C, &on.buffer));
    test_upload(small_device, on.buffer, C, sizeof C);
    assert_ok(small_device, cls_gemm(small_device, CLS_BLAS_DEFAULT, CLSOLVE_F32, CLSOLVE_NO_TRANS, CLSOLVE_NO_TRANS, 3,
                                     3, 0, 1, on, on, 0.5, on));
    test_download(small_device, on.buffer, C, sizeof C);
    for (int i = 0; i < 12; i++) assert_true(C[i] == (i % 4 == 3 ? (float)(i + 1) : (float)(i + 1) / 2));
    small_device->ops->buffer_destroy(small_device, on.buffer);
}

/* The search for NaN and Inf, and the transposition in place. */
TEST(search_and_transposition) {
    enum { N = 19 };
    clsolve_type type = small_device->info.fp64 ? CLSOLVE_F64 : CLSOLVE_F32;
    double A[N * N];
    int64_t row = 0, column = 0;
    cls_transfer transfer = {0};
    cls_check check = {0};
    cls_matrix m;
    scratch_matrix a = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, N, N, 0);
    for (int k = 0; k < N * N; k++) A[k] = k;
    A[7 + 13 * N] = NAN;
    test_matrix_set(&a, A);
    clsolve_matrix lines = view(type, CLSOLVE_ROW_MAJOR, N, N, a.memory);
    assert_ok(small_device, cls_matrix_create(small_device, type, N, N, 1, 0, &m));
    assert_ok(small_device, cls_transfer_create(small_device, type, &transfer));
    assert_ok(small_device, cls_check_create(small_device, type, &check));
    assert_ok(small_device, cls_upload_square(small_device, &transfer, &lines, &m));
    assert_ok(small_device, cls_check_finite(small_device, &check, &m, N, &row, &column));
    assert_int_equal(row, 13);
    assert_int_equal(column, 7);
    cls_matrix slabs; /* the place counts from the first one */
    assert_ok(small_device, cls_matrix_create(small_device, type, N, N, 1, (int64_t)(3 * N * sizeof *A), &slabs));
    assert_true(slabs.slabs > 1);
    assert_ok(small_device, cls_upload_square(small_device, &transfer, &lines, &slabs));
    assert_ok(small_device, cls_check_finite(small_device, &check, &slabs, N, &row, &column));
    assert_int_equal(row, 13);
    assert_int_equal(column, 7);
    cls_matrix_destroy(small_device, &slabs);
    assert_ok(small_device, cls_transpose_square(small_device, &transfer, &m, NULL));
    assert_ok(small_device, cls_check_finite(small_device, &check, &m, N, &row, &column));
    assert_int_equal(row, 7);
    assert_int_equal(column, 13);
    cls_check_destroy(small_device, &check);
    cls_transfer_destroy(small_device, &transfer);
    cls_matrix_destroy(small_device, &m);
}

/* The largest sum of a row: whole numbers, so exactly, from columns that work-items share. */
TEST(sums_of_rows) {
    enum { N = 67 };
    clsolve_type type = small_device->info.fp64 ? CLSOLVE_F64 : CLSOLVE_F32;
    double *A = test_doubles(N * N), largest = 0;
    cls_transfer transfer = {0};
    cls_scaling scale = {0};
    cls_matrix m;
    scratch_matrix a = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, N, N, 0);
    for (int i = 0; i < N; i++) {
        double sum = 0;
        for (int j = 0; j < N; j++) {
            A[i + j * N] = (i * 7 + j * 5) % 11 - 5;
            sum += fabs(A[i + j * N]);
        }
        largest = fmax(largest, sum);
    }
    test_matrix_set(&a, A);
    assert_ok(small_device, cls_matrix_create(small_device, type, N, N, 1, 0, &m));
    assert_ok(small_device, cls_transfer_create(small_device, type, &transfer));
    assert_ok(small_device, cls_scaling_create(small_device, N, type, type, 0, &scale));
    assert_ok(small_device, cls_upload_square(small_device, &transfer, &a.view, &m));
    assert_ok(small_device, cls_scaling_find(small_device, &scale, &m, 5, 0));
    assert_true(scale.norm_inf == largest * 0x1p-16);
    cls_scaling_destroy(small_device, &scale);
    cls_transfer_destroy(small_device, &transfer);
    cls_matrix_destroy(small_device, &m);
    free(A);
}

TEST_PROGRAM(small_open, small_close)
