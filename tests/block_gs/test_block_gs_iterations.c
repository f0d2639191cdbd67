/*
 * How many iterations things take, which only the right recurrences and weights give; the coarse operator by its formulas;
 * what is kept when sweeps diverge; which factors lines get.
 */
#include <lapacke.h>

#include "api/block_gs.h"
#include "api/context.h"
#include "block_gs/grid_test.h"

enum { WIDEST = 20 };

/* Iterations to 1e-10 by cycles of one kind, which the true residual bears out. */
static int64_t iterations_of(const grid_problem *p, clsolve_block_gs_cycle kind, int before, int after) {
    clsolve_block_gs_options options = {
        .method = CLSOLVE_BLOCK_GS_MULTIGRID, .cycle = kind, .smooth_before = before, .smooth_after = after};
    OWNED(block_gs) *handle = grid_set(context, p, usual, &options);
    SCRATCH double *Y = zeros(p->N * p->M);
    assert_int_equal(grid_solve(handle, p, usual, Y), CLSOLVE_OK);
    int64_t iterations = result_of(handle).iterations;
    assert_true(grid_residual(p, Y) < (usual == CLSOLVE_F64 ? 1.1e-10 : 2e-5));
    return iterations;
}

/*
 * More work in a cycle means fewer cycles: coarse levels visited twice (W and F), two sweeps for one.
 * 19 lines are few enough for one kernel on any device, 150 are not.
 */
TEST(test_cycle_kinds) {
    static const int64_t lines[] = {19, 150};
    for (int s = 0; s < 2; ++s) {
        scratch_grid p = grid_hemodynamics_2(lines[s], 60);
        int64_t v = iterations_of(&p, CLSOLVE_BLOCK_GS_CYCLE_V, 1, 1);
        int64_t w = iterations_of(&p, CLSOLVE_BLOCK_GS_CYCLE_W, 1, 1),
                f = iterations_of(&p, CLSOLVE_BLOCK_GS_CYCLE_F, 1, 1);
        int64_t v21 = iterations_of(&p, CLSOLVE_BLOCK_GS_CYCLE_V, 2, 1),
                v12 = iterations_of(&p, CLSOLVE_BLOCK_GS_CYCLE_V, 1, 2);
        int64_t v22 = iterations_of(&p, CLSOLVE_BLOCK_GS_CYCLE_V, 2, 2);
        print_message("%d lines: V %d, W %d, F %d, V(2,1) %d, V(1,2) %d, V(2,2) %d\n", (int)p.N, (int)v, (int)w, (int)f,
                      (int)v21, (int)v12, (int)v22);
        assert_true(w <= f && f <= v && v22 <= v21 && v22 <= v12 && v21 <= v && v12 <= v);
        if (usual == CLSOLVE_F64) assert_true(f < v && v22 < v);
    }
}

static int64_t iterations_with(const grid_problem *p, clsolve_block_gs_options options) {
    OWNED(block_gs) *handle = grid_set(context, p, usual, &options);
    SCRATCH double *Y = zeros(p->N * p->M);
    clsolve_status status = grid_solve(handle, p, usual, Y);
    if (status != CLSOLVE_OK) fail_msg("method %d: %s", (int)options.method, clsolve_context_message(context));
    int64_t iterations = result_of(handle).iterations;
    return iterations;
}

/* Each line's rows times a number of its own, 1 to 100: the restriction's weights are others than the interpolation's then. */
static void scale_lines(grid_problem *p) {
    for (int64_t o = 0; o < p->N * p->M; ++o) {
        double x = pow(10, (double)(o / p->M * 7 % 11) / 5);
        p->up[o] *= x, p->a[o] *= x, p->c[o] *= x, p->b[o] *= x, p->down[o] *= x, p->F[o] *= x;
    }
}

/* Counts that only the right recurrences and weights give. */
TEST(test_counts) {
    enum { SIDE = 63 };
    static const clsolve_block_gs_method krylov[] = {CLSOLVE_BLOCK_GS_CG, CLSOLVE_BLOCK_GS_BICGSTAB,
                                                     CLSOLVE_BLOCK_GS_FGMRES};
    static const int bounds[6] = {80, 70, 280, 12, 40, 35}; /* 63, 48, 226, 9, and of some seeds up to 24 and 21 */
    SCRATCH double *K = zeros(SIDE * SIDE);
    test_random random = test_random_start(5000);
    int64_t count[6];

    if (usual != CLSOLVE_F64) skip();
    scratch_grid plain = grid_hemodynamics_2(SIDE, SIDE), scaled = grid_diffusion(SIDE, SIDE, 1, NULL, 0, 5001);
    for (int64_t o = 0; o < SIDE * SIDE; ++o) K[o] = pow(10, 4 * test_random_unit(&random));
    scratch_grid rough = grid_diffusion(SIDE, SIDE, 1, K, 0, 5002);
    scale_lines(&scaled);
    for (int m = 0; m < 3; ++m)
        count[m] = iterations_with(
            &plain,
            (clsolve_block_gs_options){.method = krylov[m], .preconditioner = CLSOLVE_BLOCK_GS_PRECONDITIONER_ZEBRA});
    count[3] = iterations_with(&scaled, (clsolve_block_gs_options){.method = CLSOLVE_BLOCK_GS_MULTIGRID});
    count[4] = iterations_with(&rough, (clsolve_block_gs_options){.method = CLSOLVE_BLOCK_GS_CG});
    count[5] = iterations_with(
        &rough, (clsolve_block_gs_options){.method = CLSOLVE_BLOCK_GS_CG, .cycle = CLSOLVE_BLOCK_GS_CYCLE_W});
    for (int c = 0; c < 6; ++c)
        if (count[c] > bounds[c]) fail_msg("count %d: %d, above %d", c, (int)count[c], bounds[c]);
}

/*
 * Sweeps that diverge: what is handed back is the best of what was tested, and the report's residual is its. Slowly, and so
 * fast that the first test sees what is no number any more.
 */
static void diverge(double across) {
    enum { N = 12, M = 11 };
    scratch_grid p = grid_random(N, M, 3200);
    double Y[N * M], first = 0;
    clsolve_block_gs_options options = {.method = CLSOLVE_BLOCK_GS_GAUSS_SEIDEL, .max_iterations = 400};
    for (int o = 0; o < N * M; ++o) {
        p.up[o] = p.down[o] = across, p.a[o] = p.b[o] = 0.25, p.c[o] = 1.5;
        Y[o] = 0;
    }
    if (fabs(across) <= 1) grid_solve_dense(&p, Y); /* near it a guess is better than zero */
    for (int o = 0; o < N * M && fabs(across) <= 1; ++o) Y[o] += 0.02 * ((double)(o % 7) - 3);
    first = grid_residual(&p, Y);
    OWNED(block_gs) *handle = grid_set(context, &p, usual, &options);
    clsolve_status status = grid_solve(handle, &p, usual, Y);
    clsolve_report result = result_of(handle);
    assert_int_equal(status, CLSOLVE_NOT_CONVERGED);
    double least = result.block_gs.history[0];
    for (int64_t t = 0; t < result.block_gs.history_count; ++t) least = fmin(least, result.block_gs.history[t]);
    assert_false(result.block_gs.history[result.block_gs.history_count - 1] < 2 * least); /* else this shows nothing */
    assert_true(first <= 1 && fabs(result.block_gs.history[0] - first) < 1e-4 * first);
    assert_true(fabs(grid_residual(&p, Y) - least) < 1e-4 * least &&
                fabs(result.block_gs.relative_residual - least) < 1e-4 * least);
}

TEST(test_best_is_kept) {
    diverge(-1);
    diverge(usual == CLSOLVE_F64 ? -1e22 : -1e6);
}

/* ---- the coarse operator, by the formulas of cl/bt_setup.cl ---- */

/* Coefficient q of cl/bt_layout.clh, 0 where it leads out of the grid. */
static double fine(const grid_problem *p, int q, int64_t i, int64_t k) {
    const double *arrays[] = {p->a, p->c, p->b, p->up, p->down};
    int64_t line = i + (q == 4) - (q == 3), to = k + (q == 2) - (q == 0);
    return line < 0 || line >= p->N || to < 0 || to >= p->M ? 0 : arrays[q][i * p->M + k];
}

/* x = -C^-1 f, or -C^-T f, of line i, f being coefficient q of line `from`; zeros where there is no such line. */
static void weigh(const grid_problem *p, int64_t i, int transposed, int q, int64_t from, double *x) {
    double d[WIDEST], below[WIDEST], above[WIDEST];
    lapack_int M = (lapack_int)p->M;
    for (int64_t k = 0; k < M; ++k) {
        d[k] = fine(p, 1, i, k);
        x[k] = from < 0 || from >= p->N ? 0 : -fine(p, q, from, k);
        if (k + 1 == M) continue;
        below[k] = transposed ? fine(p, 2, i, k) : fine(p, 0, i, k + 1);
        above[k] = transposed ? fine(p, 0, i, k + 1) : fine(p, 2, i, k);
    }
    assert_int_equal(LAPACKE_dgtsv(LAPACK_COL_MAJOR, M, 1, below, d, above, x, M), 0);
}

/* a, c, b, up, down of coarse line J at k. */
static void expect_coarse(const grid_problem *p, int64_t J, int64_t k, int symmetric, int singular, double to[5]) {
    int64_t own = 2 * J + 1, M = p->M;
    double sum = fine(p, 0, own, k) + fine(p, 1, own, k) + fine(p, 2, own, k);
    to[0] = fine(p, 0, own, k), to[2] = fine(p, 2, own, k), to[3] = to[4] = 0;
    for (int side = 0; side < 2; ++side) { /* the red line above, the red line below */
        int64_t red = own - 1 + 2 * side, far = red - 1 + 2 * side;
        double w[WIDEST], q[WIDEST], v[WIDEST]; /* J's weight on it, the other black line's, J's in the restriction */
        if (red >= p->N) continue;
        weigh(p, red, 0, side ? 3 : 4, red, w);
        weigh(p, red, 0, side ? 4 : 3, red, q);
        weigh(p, red, 1, side ? 4 : 3, own, v);
        sum += fine(p, side ? 4 : 3, own, k) * (w[k] + q[k]);
        for (int64_t n = k - 1; n <= k + 1; n += 2)
            if (n >= 0 && n < M)
                to[n < k ? 0 : 2] += fine(p, n < k ? 0 : 2, red, k) * (v[k] * w[n] + (v[k] * q[n] + v[n] * q[k]) / 2);
        if (far < 0 || far >= p->N) continue;
        to[side ? 4 : 3] = fine(p, side ? 4 : 3, own, k) * q[k];
        if (symmetric) to[side ? 4 : 3] = (to[side ? 4 : 3] + fine(p, side ? 3 : 4, far, k) * w[k]) / 2;
    }
    to[1] = (singular ? 0 : sum) - to[0] - to[2] - to[3] - to[4];
}

static void compare_coarse(grid_problem p, int symmetric, int singular) {
    clsolve_block_gs_options options = {.method = CLSOLVE_BLOCK_GS_MULTIGRID};
    OWNED(block_gs) *handle = grid_set(context, &p, usual, &options);
    const cls_bt_grid *g = &handle->bt.grid;
    const cls_bt_level *level = &g->level[1];
    int64_t W = g->shape.width, rows = p.M * W;
    size_t bytes = (size_t)(5 * level->size) * sizeof(double);
    cls_rect rect = {bytes, 1, (size_t)level->coef_at * sizeof(double), bytes, bytes};
    SCRATCH double *coef = zeros(5 * level->size);
    assert_int_equal(g->device->ops->read(g->device, CLS_COMPUTE, g->coarse_coef, coef, &rect, NULL, NULL), CLSOLVE_OK);
    assert_int_equal(g->device->ops->finish(g->device, CLS_COMPUTE), CLSOLVE_OK);
    assert_int_equal(g->symmetric, symmetric);
    for (int64_t J = 0; J < p.N / 2; ++J)
        for (int64_t k = 0; k < p.M; ++k) {
            int64_t at = W + J % 2 * (level->panels * rows + W) + J / 2 % level->panels * rows + J / 2 / level->panels;
            double to[5];
            expect_coarse(&p, J, k, symmetric, singular, to);
            for (int q = 0; q < 5; ++q) {
                double x = coef[q * level->size + at + k * W];
                if (!(fabs(x - to[q]) < 1e-12 * fabs(to[1])))
                    fail_msg("coarse line %d, k %d, coefficient %d: %g, not %g", (int)J, (int)k, q, x, to[q]);
            }
        }
    grid_free(&p);
}

TEST(test_coarse_operator) {
    clsolve_device_info kept = context->device->info;
    double K[10 * WIDEST];
    test_random random = test_random_start(5200);
    if (usual != CLSOLVE_F64) skip();
    for (int o = 0; o < 10 * WIDEST; ++o) K[o] = pow(10, 2 * test_random_unit(&random));
    for (int gpu = 0; gpu < 2; ++gpu) { /* several work-items a line, in the latter */
        if (gpu) context->device->info.type = CLSOLVE_DEVICE_GPU;
        if (gpu) context->device->info.max_work_group = kept.max_work_group < 16 ? kept.max_work_group : 16;
        compare_coarse(grid_random(9, WIDEST, 5201), 0, 0);
        compare_coarse(grid_random(10, WIDEST, 5202), 0, 0);
        compare_coarse(grid_diffusion(9, WIDEST, 1, K, 0, 5203), 1, 0);
        compare_coarse(grid_diffusion(10, WIDEST, 0.1, K, 1, 5204), 1, 1);
    }
    context->device->info = kept;
}

/* F = 0: the solution is 0, whatever the guess; sweeps, which start from it, have their residuals measured by the first. */
TEST(test_zero_right_side) {
    enum { N = 20, M = 23 };
    scratch_grid p = grid_hemodynamics_2(N, M);
    double Y[N * M], most = 0;
    for (int sweeps = 0; sweeps < 2; ++sweeps) {
        clsolve_block_gs_options options = {.method = sweeps ? CLSOLVE_BLOCK_GS_SWEEPS : CLSOLVE_BLOCK_GS_AUTO,
                                            .sweeps = 30};
        for (int o = 0; o < N * M; ++o) {
            p.F[o] = 0;
            Y[o] = (double)(o % 7) - 3;
        }
        OWNED(block_gs) *handle = grid_set(context, &p, usual, &options);
        assert_int_equal(grid_solve(handle, &p, usual, Y), CLSOLVE_OK);
        clsolve_report result = result_of(handle);
        assert_true(fabs(result.block_gs.history[0] - sweeps) < 1e-6);
        most = 0;
        for (int o = 0; o < N * M; ++o) most = fmax(most, fabs(Y[o]));
        assert_true(sweeps ? most > 0 && most < 3 : most == 0);
    }
}

/* Relaxed sweeps against the reference, lines with row exchanges too. */
TEST(test_relaxed) {
    enum { N = 21, M = 18, SWEEPS = 8 };
    scratch_grid p = grid_random(N, M, 5100);
    for (int lines = CLSOLVE_PIVOTING_AUTO; lines <= CLSOLVE_PIVOTING_PARTIAL; ++lines)
        for (int sequential = 0; sequential < 2; ++sequential) {
            clsolve_block_gs_options options = {.method = CLSOLVE_BLOCK_GS_SOR,
                                                .omega = 1.2,
                                                .pivoting = (clsolve_pivoting)lines,
                                                .sequential = sequential,
                                                .max_iterations = SWEEPS,
                                                .tolerance = 1e-14};
            OWNED(block_gs) *handle = grid_set(context, &p, usual, &options);
            double Y[N * M] = {0}, expected[N * M] = {0};
            assert_int_equal(grid_solve(handle, &p, usual, Y), CLSOLVE_NOT_CONVERGED);
            grid_relax(&p, sequential, SWEEPS, 1.2, expected);
            for (int o = 0; o < N * M; ++o)
                assert_true(fabs(Y[o] - expected[o]) < (usual == CLSOLVE_F64 ? 1e-12 : 1e-4) * (1 + fabs(expected[o])));
        }
}

/* With levels in float: two right-hand sides take as many steps as the first alone. */
TEST(test_columns_in_float) {
    enum { N = 17, M = 20, SIZE = N * M };
    const clsolve_block_gs_options options = {.method = CLSOLVE_BLOCK_GS_CG, .single_precision = 1};
    scratch_grid p = grid_hemodynamics_2(N, M);
    double F[2 * SIZE];
    int64_t steps[2];
    if (usual != CLSOLVE_F64) skip();
    for (int o = 0; o < 2 * SIZE; ++o) F[o] = o < SIZE ? p.F[o] : 3 * p.F[o - SIZE];
    OWNED(block_gs) *handle = grid_set(context, &p, usual, &options);
    for (int nrhs = 1; nrhs <= 2; ++nrhs) {
        double Y[2 * SIZE] = {0};
        clsolve_grid f = clsolve_grid_f64(N, M, F), y = clsolve_grid_f64(N, M, Y);
        assert_int_equal(clsolve_block_gs_solve(handle, &f, &y, nrhs), CLSOLVE_OK);
        steps[nrhs - 1] = result_of(handle).iterations;
    }
    assert_true(steps[1] <= steps[0] + 1);
}

static void arrives(const char *name, grid_problem p, clsolve_type type, int64_t most) {
    const double tolerance = type == CLSOLVE_F64 ? 1e-10 : 2e-5; /* rounding holds floats at 1e-5 now and then */
    clsolve_block_gs_options options = {.method = CLSOLVE_BLOCK_GS_SOR, .tolerance = tolerance};
    SCRATCH double *Y = zeros(p.N * p.M);
    OWNED(block_gs) *handle = grid_set(context, &p, type, &options);
    clsolve_status status = grid_solve(handle, &p, type, Y);
    int64_t sweeps = result_of(handle).iterations;
    if (status != CLSOLVE_OK || sweeps > most)
        fail_msg("%s: %d sweeps of at most %d, %s", name, (int)sweeps, (int)most, clsolve_context_message(context));
    assert_true(grid_residual(&p, Y) < 1.1 * tolerance);
    grid_free(&p);
}

/*
 * An estimated omega may be too large, where eigenvalues are complex and where rounding has made the residual settle: that
 * is found out, and SOR arrives where plain sweeps do.
 */
TEST(test_estimates) {
    arrives("drift across and along", grid_drift(40, 200, 0.5, 0.5, 5200), usual, 500);
    arrives("drift in float", grid_drift(40, 200, 0.5, 0.5, 5200), CLSOLVE_F32, 700);
    arrives("drift along", grid_drift(40, 200, 0, 1.5, 5201), usual, 500);
    arrives("drift before complex", grid_drift(64, 64, 0.9, 0.9, 5202), usual, 500);
    if (usual == CLSOLVE_F64) arrives("complex", grid_drift(31, 33, 1.5, 1.5, 5203), usual, 500);
    arrives("symmetric", grid_diffusion(255, 255, 1, NULL, 0, 5204), usual, 1500);
    arrives("where rounding holds it", grid_diffusion(60, 400, 50, NULL, 0, 5204), CLSOLVE_F32, 3000);
    for (uint64_t use = 0; use < 20; ++use) arrives("random", grid_random(9, 17, 5210 + use), usual, 200);
}

/* Residuals that grow a thousandfold are not carried on: 216 sweeps with omega = 1, and not many more with the estimate. */
TEST(test_estimate_grows) {
    const double r = 0.9, angle = 0.21859; /* mu^2 = r exp(+- i angle) */
    double up[] = {0, 0, 1, 1}, a[] = {0, -sin(angle) / r, 0, 0}, c[] = {cos(angle) / r, cos(angle) / r, 1, 1};
    double b[] = {sin(angle) / r, 0, 0, 0}, down[] = {1, 1, 0, 0}, F[] = {1, 2, 3, 4}, Y[4] = {0};
    grid_problem p = {2, 2, up, a, c, b, down, F};
    clsolve_block_gs_options options = {.method = CLSOLVE_BLOCK_GS_SOR, .max_iterations = 320};
    if (usual != CLSOLVE_F64) skip();
    OWNED(block_gs) *handle = grid_set(context, &p, usual, &options);
    if (grid_solve(handle, &p, usual, Y) != CLSOLVE_OK) fail_msg("%s", clsolve_context_message(context));
    assert_true(result_of(handle).block_gs.omega == 1 && grid_residual(&p, Y) < 1.1e-10);
}

TEST_PROGRAM(grid_open, grid_close)
