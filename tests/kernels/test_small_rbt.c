/*
 * The kernels of LU without pivots at sizes that a simulator can run: the butterflies against dense products with their
 * matrices, written from their definition, and then the factors by what they solve. Also under Oclgrind.
 */
#include "kernels/small_support.h"

#include "method/lu/rbt.h"

/*
 * The butterfly of the level whose numbers are at r as a matrix M (n x n): partners are `step` quarters apart, within halves
 * on the inner level (step 1) and across them on the outer one (step 2); who has none is alone.
 */
static void butterfly(int64_t n, int64_t step, const double *r, double *M) {
    int64_t q = (n + 3) / 4;
    memset(M, 0, (size_t)(n * n) * sizeof *M);
    for (int64_t i = 0; i < n; i++) {
        int second = (i / q) / step % 2 == 1;
        int64_t other = second ? i - step * q : i + step * q;
        M[i + i * n] = second ? -r[i] : r[i];
        if (other < n) M[i + other * n] = r[other];
    }
}

/* C = op(A) B */
static void multiply(int64_t n, int64_t cols, int trans, const double *A, const double *B, double *C) {
    for (int64_t c = 0; c < cols; c++)
        for (int64_t i = 0; i < n; i++) {
            double sum = 0;
            for (int64_t k = 0; k < n; k++) sum += (trans ? A[k + i * n] : A[i + k * n]) * B[k + c * n];
            C[i + c * n] = sum;
        }
}

static void check_close(clsolve_type type, int64_t n, int64_t cols, const test_matrix *got, const double *expected) {
    SCRATCH double *values = small_doubles(n * cols);
    test_matrix_get(got, values);
    for (int64_t k = 0; k < n * cols; k++)
        if (!(fabs(values[k] - expected[k]) < 64 * test_epsilon(type)))
            fail_msg("n %d, element %d: %g, not %g", (int)n, (int)k, values[k], expected[k]);
}

static int simulated(void) {
    return strcmp(test_selector() ? test_selector() : "", "oclgrind") == 0;
}

/* W^T A V and W^T b, V y as dense products have them; then L U, and the solution with A and with A^T. */
static void without_pivots(clsolve_type type, int64_t n, int64_t slab_bytes, int64_t block) {
    enum { NRHS = 3 };
    clsolve_lu_options options = {.slab_bytes = slab_bytes,
                                  .panel = CLSOLVE_PANEL_NATIVE,
                                  .block = (int32_t)block,
                                  .pivoting = CLSOLVE_PIVOTING_RBT,
                                  .seed = (uint64_t)n};
    int64_t q = (n + 3) / 4, info = 0, size = cls_type_size(type);
    test_random random = test_random_start((uint64_t)n + 100);
    SCRATCH double *A = small_doubles(n * n), *B = small_doubles(n * NRHS), *X = small_doubles(n * NRHS),
                   *T = small_doubles(n * n), *r = small_doubles(16 * q);
    double *M = small_doubles(n * n), *side[2] = {small_doubles(n * n), small_doubles(n * n)};
    scratch_matrix a = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, n, n, 1);
    scratch_matrix b = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, n, NRHS, 1);
    scratch_matrix numbers = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, 16 * q, 1, 0);
    int again = 0;
    cls_lu lu;

    memset(&lu, 0, sizeof lu);
    test_random_fill(&random, A, n * n);
    test_random_fill(&random, B, n * NRHS);
    for (int64_t k = 0; k < n * n; k++) A[k] = test_rounded(type, A[k] + (k % (n + 1) == 0 ? 4 : 0));
    for (int64_t k = 0; k < n * NRHS; k++) B[k] = test_rounded(type, B[k]);
    test_matrix_set(&a, A);
    assert_ok(small_device, cls_lu_setup(small_device, n, type, &options, &lu));
    assert_ok(small_device, cls_lu_reserve(&lu, NRHS, 0));
    test_download(small_device, lu.rbt.diagonals, numbers.memory, (size_t)(16 * q * size));
    test_matrix_get(&numbers, r);
    for (int s = 0; s < 2; s++) { /* W and V: inner times outer */
        butterfly(n, 1, r + 8 * q * s, T);
        butterfly(n, 2, r + 8 * q * s + 4 * q, M);
        multiply(n, n, 0, T, M, side[s]);
    }

    cls_lu_rbt_begin(&lu, 5);
    for (int op = CLSOLVE_NO_TRANS; op <= CLSOLVE_TRANS; op++) {
        int trans = op == CLSOLVE_TRANS;
        for (int after = 0; after < 2; after++) {
            test_matrix_set(&b, B);
            small_up(&lu, &b, &lu.B);
            assert_ok(small_device, after ? cls_lu_rbt_after(&lu, (clsolve_op)op, NRHS)
                                          : cls_lu_rbt_before(&lu, (clsolve_op)op, NRHS));
            small_down(&lu, &lu.B, &b);
            multiply(n, NRHS, !after, side[after != trans], B, X);
            check_close(type, n, NRHS, &b, X);
        }
    }
    assert_ok(small_device, cls_upload_square(small_device, &lu.transfer, &a.view, &lu.A));
    assert_ok(small_device, cls_lu_rbt_transform(&lu));
    small_down(&lu, &lu.A, &a);
    multiply(n, n, 0, A, side[1], M);
    multiply(n, n, 1, side[0], M, T);
    check_close(type, n, n, &a, T);

    test_matrix_set(&a, A);
    assert_ok(small_device, cls_upload_square(small_device, &lu.transfer, &a.view, &lu.A));
    assert_ok(small_device, cls_lu_factor(&lu, NULL, &info, &again));
    assert_int_equal(info, 0);
    for (int op = CLSOLVE_NO_TRANS; op <= CLSOLVE_TRANS && !(simulated() && n < 22); op++) { /* trsm has its own */
        test_matrix_set(&b, B);
        small_up(&lu, &b, &lu.B);
        assert_ok(small_device, cls_lu_apply(&lu, (clsolve_op)op, NRHS));
        small_down(&lu, &lu.B, &b);
        test_matrix_get(&b, X);
        double ratio = ratio_solve(type, (clsolve_op)op, n, NRHS, A, X, B);
        if (!(ratio < 100 * RATIO_BOUND)) fail_msg("n %d, type %d, op %d: ratio %g", (int)n, (int)type, op, ratio);
    }
    cls_lu_release(&lu);
    free(M), free(side[0]), free(side[1]);
}

/* Leaves of 8 columns, and of fewer at the end, in several slabs. What is simulated takes long: there the one type, and no leaves
 * of 32. */
TEST(lu_without_pivots) {
    clsolve_type most = small_has(CLSOLVE_F64) && !simulated() ? CLSOLVE_F64 : CLSOLVE_F32;
    for (int64_t n = 1; n <= 9; n += simulated() ? 3 : 1) without_pivots(n % 2 ? most : CLSOLVE_F32, n, 0, 8);
    without_pivots(CLSOLVE_F32, 22, 22 * 8 * 8, 8);
    if (simulated()) return;
    without_pivots(most, 35, 0, 0);
    without_pivots(CLSOLVE_F32, 131, 0, 0);
}

/* A pivot that is too small, where it is: in a leaf that is not the first, and NaN counts as one. */
TEST(small_pivots) {
    enum { N = 21, COLUMN = 18 };
    clsolve_lu_options options = {.panel = CLSOLVE_PANEL_NATIVE, .block = 8, .pivoting = CLSOLVE_PIVOTING_RBT};
    const double wrong[] = {0, 0x1p-30, (double)NAN};
    for (int w = simulated() ? 2 : 0; w < 3; w++) {
        scratch_matrix a = test_matrix_make(CLSOLVE_F32, CLSOLVE_COLUMN_MAJOR, N, N, 0);
        double A[N * N] = {0};
        int64_t info = 0;
        cls_lu lu;
        memset(&lu, 0, sizeof lu);
        for (int k = 0; k < N; k++) A[k + k * N] = k == COLUMN ? wrong[w] : 1;
        test_matrix_set(&a, A);
        assert_ok(small_device, cls_lu_setup(small_device, N, CLSOLVE_F32, &options, &lu));
        assert_ok(small_device, cls_upload_square(small_device, &lu.transfer, &a.view, &lu.A));
        cls_lu_rbt_begin(&lu, 1);
        /* No butterflies: the pivots are as written. */
        assert_ok(small_device, cls_panel_start(&lu.panel, CLS_PANEL_REPEATABLE));
        assert_ok(small_device, cls_lu_factor_columns(&lu, 0, N, NULL, &info));
        int again = 0;
        assert_ok(small_device, cls_panel_end(&lu.panel, &info, &again));
        assert_int_equal(info, COLUMN + 1);
        cls_lu_release(&lu);
    }
}

TEST_PROGRAM(small_open, small_close)
