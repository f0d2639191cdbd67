/* What a handle is for: one matrix after the other, whatever the one before wanted. */
#include "block_gs/grid_test.h"

/* One handle: a matrix whose lines want pivoting, and before and after it one whose lines do not. */
TEST(test_pivoted_between) {
    enum { N = 10, M = 40, SIZE = N * M };
    need_double();
    OWNED(block_gs) *handle = NULL;
    assert_int_equal(clsolve_block_gs_create(context, N, M, CLSOLVE_F64, NULL, &handle), CLSOLVE_OK);
    for (int i = 0; i < 7; ++i) {
        int wants = i == 1 || i == 3 || i == 4, nrhs = 1 + i % 3;
        scratch_grid p = grid_random(N, M, 423);
        clsolve_report result;
        double F[3 * SIZE], Y[3 * SIZE] = {0};
        if (wants) p.c[2 * M] = 0, p.a[2 * M + 1] = p.b[2 * M] = 3;
        clsolve_grid f = clsolve_grid_f64(N, M, F), y = clsolve_grid_f64(N, M, Y);
        for (int o = 0; o < 3 * SIZE; ++o) F[o] = p.F[o % SIZE];
        assert_int_equal(grid_set_again(handle, &p), CLSOLVE_OK);
        assert_int_equal(clsolve_block_gs_solve(handle, &f, &y, nrhs), CLSOLVE_OK);
        for (int r = 0; r < nrhs; ++r) assert_true(grid_residual(&p, Y + r * SIZE) < 1.2e-10);
        result = result_of(handle);
        if (result.block_gs.pivoted != wants || (result.block_gs.levels > 0) == wants)
            fail_msg("matrix %d: pivoted %d, %d levels, %s: %s", i, result.block_gs.pivoted,
                     (int)result.block_gs.levels, result.block_gs.method, result.block_gs.reason);
    }
}

TEST_PROGRAM(grid_open, grid_close)
