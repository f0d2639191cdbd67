/* Matrices whose row sums are all zero: of one tridiagonal system, under plain sweeps. */
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tridiagonal), cmocka_unit_test(test_sweeps)};
    test_require_device();
    return cmocka_run_group_tests(tests, open_context, close_context);
}
