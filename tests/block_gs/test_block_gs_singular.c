/* Matrices whose row sums are all zero: of one tridiagonal system, under plain sweeps, with a drift along the lines. */
#include "block_gs/grid_test.h"
#include "block_gs/tridiagonal_support.h"

/* Nine systems or ten, the first of them singular: its info says so and its F is as it was; the others are solved. */
TEST(test_tridiagonal) {
    enum { M = 4, MOST = 10 };
    for (int64_t N = MOST - 1; N <= MOST; ++N)
        for (int64_t m = 1; m <= M; m += M - 1)
            for (int lines = CLSOLVE_PIVOTING_AUTO; lines <= CLSOLVE_PIVOTING_PARTIAL; ++lines) {
                float side[MOST * M], diagonal[MOST * M], right[MOST * M];
                for (int64_t o = 0; o < N * m; ++o) side[o] = -1, right[o] = 5;
                for (int64_t o = 0; o < N * m; ++o) {
                    int64_t k = o % m;
                    diagonal[o] = (float)((k > 0) + (k + 1 < m) + 3 * (o >= m));
                }
                int64_t info[MOST] = {99};
                EXPECT(tridiagonal_once(context, N, m, CLSOLVE_F32, side, diagonal, side, right, 1,
                                        (clsolve_pivoting)lines, info),
                       CLSOLVE_OK, "");
                for (int64_t i = 0; i < N; ++i)
                    if (info[i] != (i == 0 ? m : 0))
                        fail_msg("%d x %d: %d of %d", (int)N, (int)m, (int)info[i], (int)i);
                for (int64_t o = 0; o < m; ++o) assert_true(right[o] == 5);
                for (int64_t o = m; o < N * m; ++o) assert_true(fabsf(right[o]) < 3.5f && right[o] > 1);
            }
}

/* So many sweeps as were asked for and nothing else: the mean of the iterate is its own. */
TEST(test_sweeps) {
    enum { N = 9, M = 6, SIZE = N * M };
    for (int sequential = 0; sequential < 2; ++sequential) {
        scratch_grid p = grid_diffusion(N, M, 1, NULL, 1, 420);
        clsolve_block_gs_options options = {.method = CLSOLVE_BLOCK_GS_SWEEPS, .sweeps = 2, .sequential = sequential};
        OWNED(block_gs) *handle = grid_set(context, &p, CLSOLVE_F32, &options);
        double Y[SIZE], expected[SIZE];
        for (int o = 0; o < SIZE; ++o) Y[o] = expected[o] = o;
        grid_sweep(&p, sequential, 2, expected);
        assert_int_equal(grid_solve(handle, &p, CLSOLVE_F32, Y), CLSOLVE_OK);
        for (int o = 0; o < SIZE; ++o)
            if (!(fabs(Y[o] - expected[o]) < 1e-4 * SIZE)) fail_msg("%d: %g, not %g", o, Y[o], expected[o]);
    }
}

/*
 * -lap u with a drift, closed: couplings against the drift are 1 + w times those with it, all row sums are zero, and the matrix is
 * not symmetric. F is in its range. `cut` > 0: nothing couples the unknowns before it in each line to those from it on.
 */
static grid_problem drift(int64_t N, int64_t M, double along, double across, int64_t cut) {
    grid_problem p = grid_diffusion(N, M, 1, NULL, 1, 421);
    test_random random = test_random_start(422);
    SCRATCH double *X = zeros(N * M);
    test_random_fill(&random, X, N * M);
    for (int64_t o = 0; o < N * M; ++o) {
        int64_t k = o % M;
        double up = o >= M ? -1 - fmax(across, 0) : 0, down = o < (N - 1) * M ? -1 + fmin(across, 0) : 0;
        double a = k > 0 && k != cut ? -1 - fmax(along, 0) : 0, b = k + 1 < M && k + 1 != cut ? -1 + fmin(along, 0) : 0;
        p.up[o] = up, p.down[o] = down, p.a[o] = a, p.b[o] = b, p.c[o] = -(up + down + a + b);
        p.F[o] = p.c[o] * X[o];
        if (up != 0) p.F[o] += up * X[o - M];
        if (down != 0) p.F[o] += down * X[o + M];
        if (a != 0) p.F[o] += a * X[o - 1];
        if (b != 0) p.F[o] += b * X[o + 1];
    }
    return p;
}

/* Solved in so many iterations, the mean of the solution being 0. */
static void expect_solved(grid_problem p, clsolve_pivoting lines, int64_t most) {
    clsolve_block_gs_options options = {.pivoting = lines};
    double *Y = zeros(p.N * p.M), mean = 0, largest = 0;
    OWNED(block_gs) *handle = grid_set(context, &p, usual, &options);
    clsolve_status status = grid_solve(handle, &p, usual, Y);
    clsolve_report result = result_of(handle);
    double residual = grid_residual(&p, Y); /* NaN where F is zero: then so is Y */
    for (int64_t o = 0; o < p.N * p.M; ++o) {
        mean += Y[o] / (double)(p.N * p.M);
        largest = fmax(largest, fabs(Y[o]));
    }
    if (status != CLSOLVE_OK || !(isnan(residual) ? largest == 0 : residual < (usual == CLSOLVE_F64 ? 1.2e-10 : 2e-5)))
        fail_msg("%d x %d, a %g, b %g: %s, residual %g", (int)p.N, (int)p.M, p.a[p.M - 1], p.b[0],
                 clsolve_status_name(status), residual);
    if (!result.block_gs.singular || result.iterations > most)
        fail_msg("%d x %d: %d iterations of %s", (int)p.N, (int)p.M, (int)result.iterations, result.block_gs.method);
    if (!(fabs(mean) <= (usual == CLSOLVE_F64 ? 1e-9 : 1e-4) * largest)) fail_msg("mean %g of %g", mean, largest);
    grid_free(&p);
    free(Y);
}

/* However strong it is, and whichever way: rounding of the last coarse line would grow like its power, and so would constants. */
TEST(test_drift) {
    static const double strength[] = {0.1, 0.5, 1, 2, 10, -0.5, -1, -10};
    for (int s = 0; s < 8; ++s) expect_solved(drift(40, 41, strength[s], 0, 0), CLSOLVE_PIVOTING_AUTO, 16);
    if (in_gpu_shape()) return;
    need_double();
    expect_solved(drift(9, 700, 1, 0, 0), CLSOLVE_PIVOTING_AUTO, 20);
    expect_solved(drift(40, 41, 0, 1, 0), CLSOLVE_PIVOTING_AUTO, 40);
    expect_solved(drift(40, 41, 0.3, 0.3, 0), CLSOLVE_PIVOTING_AUTO, 40);
    expect_solved(drift(40, 41, -0.3, -0.3, 0), CLSOLVE_PIVOTING_AUTO, 40);
    expect_solved(drift(40, 41, 1, 1, 0), CLSOLVE_PIVOTING_AUTO, 300);
    expect_solved(drift(40, 41, -1, -1, 0), CLSOLVE_PIVOTING_AUTO, 300);
}

/* One line and nothing else: one sweep solves it, by either kind of factors, and each part of one that falls apart. */
TEST(test_one_line) {
    static const int64_t length[] = {1, 2, 3, 63, 64, 65, 129, 500};
    const int64_t most = usual == CLSOLVE_F64 ? 1 : 2;
    for (int l = 0; l < 8; ++l)
        for (int lines = CLSOLVE_PIVOTING_AUTO; lines <= CLSOLVE_PIVOTING_PARTIAL; ++lines)
            for (int way = -1; way <= 1; ++way) {
                int64_t M = length[l];
                if (in_gpu_shape() && l != 4) continue;
                expect_solved(drift(1, M, 2 * way, 0, 0), (clsolve_pivoting)lines, most);
                for (int64_t cut = 1; cut < M; cut += cut < 3 || cut >= M - 3 ? 1 : M - 5)
                    expect_solved(drift(1, M, 2 * way, 0, cut), (clsolve_pivoting)lines, most);
            }
    for (int64_t cut = 1; cut < 41; cut += 13) expect_solved(drift(40, 41, 1, 0, cut), CLSOLVE_PIVOTING_AUTO, 20);
}

/*
 * Row sums are zero but for rounding, and the guess is far from mean 0: what is told is the residual of what is handed back,
 * when the mean is taken off, and status and tolerance are about that.
 */
TEST(test_far_guess) {
    enum { N = 21, M = 34, SIZE = N * M };
    static const clsolve_block_gs_method methods[] = {CLSOLVE_BLOCK_GS_AUTO, CLSOLVE_BLOCK_GS_MULTIGRID,
                                                      CLSOLVE_BLOCK_GS_CG, CLSOLVE_BLOCK_GS_BICGSTAB,
                                                      CLSOLVE_BLOCK_GS_FGMRES};
    double K[SIZE];
    test_random random = test_random_start(424);
    need_double();
    for (int o = 0; o < SIZE; ++o) K[o] = 1 + test_random_unit(&random);
    scratch_grid p = grid_diffusion(N, M, 1, K, 1, 425);
    for (int m = 0; m < 5; ++m)
        for (int limit = 0; limit <= 3; limit += 3) {
            clsolve_block_gs_options options = {.method = methods[m], .max_iterations = limit};
            OWNED(block_gs) *handle = grid_set(context, &p, CLSOLVE_F64, &options);
            double Y[SIZE], mean = 0;
            for (int o = 0; o < SIZE; ++o) Y[o] = 1e9 + o % 3;
            clsolve_status status = grid_solve(handle, &p, CLSOLVE_F64, Y);
            clsolve_report result = result_of(handle);
            double truth = grid_residual(&p, Y), told = result.block_gs.relative_residual;
            for (int o = 0; o < SIZE; ++o) mean += Y[o] / SIZE;
            assert_true(result.block_gs.singular);
            if (status != (limit == 0 ? CLSOLVE_OK : CLSOLVE_NOT_CONVERGED) || (limit == 0 && !(told <= 1e-10)))
                fail_msg("method %d, limit %d: %s", methods[m], limit, clsolve_context_message(context));
            if (!(fabs(truth - told) <= 1e-3 * truth + 1e-13))
                fail_msg("method %d, limit %d: residual %g, told %g", methods[m], limit, truth, told);
            if (!(fabs(mean) < 1e-6)) fail_msg("method %d, limit %d: mean %g", methods[m], limit, mean);
        }
}

TEST_PROGRAM(grid_open, grid_close)
