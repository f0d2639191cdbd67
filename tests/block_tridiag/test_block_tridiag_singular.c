/* Matrices whose row sums are all zero: of one tridiagonal system, under plain sweeps, with a drift along the lines. */
#include <math.h>
#include <stdlib.h>

#include "block_tridiag/grid_problem.h"

static clsolve_context *context;

/* One system or two, of which the first is singular: refused with its number, F as it was. */
static void test_tridiagonal(void **state) {
    enum { M = 4 };
    (void)state;
    for (int64_t N = 1; N <= 2; ++N)
        for (int64_t m = 1; m <= M; m += M - 1)
            for (int lines = CLSOLVE_LINES_AUTO; lines <= CLSOLVE_LINES_PIVOTED; ++lines) {
                float side[2 * M], diagonal[2 * M], right[2 * M];
                for (int64_t o = 0; o < N * m; ++o) side[o] = -1, right[o] = 5;
                for (int64_t o = 0; o < N * m; ++o) {
                    int64_t k = o % m;
                    diagonal[o] = (float)((k > 0) + (k + 1 < m) + 3 * (o >= m));
                }
                clsolve_grid a = clsolve_grid_f32(N, m, side), c = clsolve_grid_f32(N, m, diagonal);
                clsolve_grid F = clsolve_grid_f32(N, m, right);
                clsolve_block_tridiag_result result;
                clsolve_block_tridiag *handle;
                clsolve_status status =
                    clsolve_tridiagonal_create(context, N, m, CLSOLVE_F32, (clsolve_line_factors)lines, &handle);
                assert_int_equal(status, CLSOLVE_OK);
                status = clsolve_tridiagonal_set(handle, &a, &c, &a);
                if (status != CLSOLVE_SINGULAR) fail_msg("%d x %d: %s", (int)N, (int)m, clsolve_status_name(status));
                assert_int_equal(clsolve_block_tridiag_result_get(handle, &result), CLSOLVE_OK);
                assert_int_equal(result.report.info, 1);
                assert_false(result.singular);
                clsolve_block_tridiag_destroy(handle);
                status = clsolve_tridiagonal_solve_once(context, N, m, &a, &c, &a, &F, 1, (clsolve_line_factors)lines);
                assert_int_equal(status, CLSOLVE_SINGULAR);
                for (int64_t o = 0; o < N * m; ++o) assert_true(right[o] == 5);
            }
}

/* So many sweeps as were asked for and nothing else: the mean of the iterate is its own. */
static void test_sweeps(void **state) {
    enum { N = 5, M = 6, SIZE = N * M };
    (void)state;
    for (int sequential = 0; sequential < 2; ++sequential) {
        grid_problem p = grid_diffusion(N, M, 1, NULL, 1, 420);
        clsolve_block_tridiag_options options = {
            .method = CLSOLVE_BLOCK_TRIDIAG_SWEEPS, .sweeps = 2, .sequential = sequential};
        clsolve_block_tridiag *handle = grid_set(context, &p, CLSOLVE_F32, &options);
        double Y[SIZE], expected[SIZE];
        for (int o = 0; o < SIZE; ++o) Y[o] = expected[o] = o;
        grid_sweep(&p, sequential, 2, expected);
        assert_int_equal(grid_solve(handle, &p, CLSOLVE_F32, Y), CLSOLVE_OK);
        for (int o = 0; o < SIZE; ++o)
            if (!(fabs(Y[o] - expected[o]) < 1e-4 * SIZE)) fail_msg("%d: %g, not %g", o, Y[o], expected[o]);
        clsolve_block_tridiag_destroy(handle);
        grid_free(&p);
    }
}

/* -lap u + w u_k, closed: all row sums are zero, and the matrix is not symmetric. F is in its range. */
static grid_problem drift(int64_t N, int64_t M, double w) {
    grid_problem p = grid_diffusion(N, M, 1, NULL, 1, 421);
    test_random random = test_random_start(422);
    double *X = calloc((size_t)(N * M), sizeof *X);
    assert_non_null(X);
    test_random_fill(&random, X, N * M);
    for (int64_t o = 0; o < N * M; ++o) {
        double up = o >= M ? -1 : 0, down = o < (N - 1) * M ? -1 : 0;
        double a = o % M > 0 ? -1 - w : 0, b = o % M + 1 < M ? -1 : 0;
        p.up[o] = up, p.down[o] = down, p.a[o] = a, p.b[o] = b, p.c[o] = -(up + down + a + b);
        p.F[o] = p.c[o] * X[o];
        if (up != 0) p.F[o] += up * X[o - M];
        if (down != 0) p.F[o] += down * X[o + M];
        if (a != 0) p.F[o] += a * X[o - 1];
        if (b != 0) p.F[o] += b * X[o + 1];
    }
    free(X);
    return p;
}

static void test_drift(void **state) {
    static const double strength[] = {0.1, 0.3, 0.5};
    (void)state;
    if (!clsolve_context_device(context).fp64) skip();
    for (int s = 0; s < 3; ++s) {
        grid_problem p = drift(40, 41, strength[s]);
        double *Y = calloc((size_t)(p.N * p.M), sizeof *Y), mean = 0;
        assert_non_null(Y);
        clsolve_block_tridiag *handle = grid_set(context, &p, CLSOLVE_F64, NULL);
        clsolve_status status = grid_solve(handle, &p, CLSOLVE_F64, Y);
        if (status != CLSOLVE_OK) fail_msg("drift %g: %s", strength[s], clsolve_context_message(context));
        assert_true(grid_residual(&p, Y) < 1.2e-10);
        for (int64_t o = 0; o < p.N * p.M; ++o) mean += Y[o] / (double)(p.N * p.M);
        assert_true(fabs(mean) < 1e-9);
        clsolve_block_tridiag_destroy(handle);
        grid_free(&p);
        free(Y);
    }
}

static int open_context(void **state) {
    (void)state;
    context = test_context(1);
    return 0;
}

static int close_context(void **state) {
    (void)state;
    clsolve_context_destroy(context);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tridiagonal), cmocka_unit_test(test_sweeps),
                                       cmocka_unit_test(test_drift)};
    test_require_device();
    return cmocka_run_group_tests(tests, open_context, close_context);
}
