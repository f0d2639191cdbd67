/*
 * Systems that are not solved, or not at once: what is handed back is the best iterate and what is told is its own; limits are
 * limits; each right-hand side fares by itself; any number of them.
 */
#include "api/context.h"
#include "block_gs/grid_test.h"

/* -lap u - k^2 u: the diagonal does not dominate, and eigenvalues have both signs. */
static grid_problem indefinite(int64_t N, int64_t M) {
    grid_problem p = grid_hemodynamics_2(N, M);
    test_random random = test_random_start(400);
    for (int64_t o = 0; o < N * M; ++o) p.c[o] = 2.7;
    test_random_fill(&random, p.F, N * M);
    return p;
}

/* All five at random: no iteration knows how. */
static grid_problem hopeless(int64_t N, int64_t M) {
    grid_problem p = grid_random(N, M, 401);
    test_random random = test_random_start(402);
    test_random_fill(&random, p.c, N * M);
    return p;
}

static void expect_honest(grid_problem p, clsolve_block_gs_options options) {
    SCRATCH double *Y = test_doubles(p.N * p.M);
    OWNED(block_gs) *handle = grid_set(context, &p, CLSOLVE_F64, &options);
    clsolve_status status = grid_solve(handle, &p, CLSOLVE_F64, Y);
    clsolve_report result = result_of(handle);
    double truth = grid_residual(&p, Y), tolerance = options.tolerance > 0 ? options.tolerance : 1e-10;
    int tested = options.method == CLSOLVE_BLOCK_GS_MULTIGRID || options.method == CLSOLVE_BLOCK_GS_GAUSS_SEIDEL ||
                 options.method == CLSOLVE_BLOCK_GS_SOR;
    double least = result.block_gs.history[0], noise = 0, unit = 0; /* what rounding makes of the residual */
    for (int64_t o = 0; o < p.N * p.M; ++o) noise = fmax(noise, fabs(Y[o])), unit = fmax(unit, fabs(p.F[o]));
    noise = 1e-15 * (1 + 8 * noise / unit);

    assert_int_equal(status, result.block_gs.relative_residual <= tolerance ? CLSOLVE_OK : CLSOLVE_NOT_CONVERGED);
    if (!(fabs(truth - result.block_gs.relative_residual) <= 1e-3 * truth + noise))
        fail_msg("method %d: residual %g, told %g", (int)options.method, truth, result.block_gs.relative_residual);
    for (int64_t t = 0; t < result.block_gs.history_count; ++t) least = fmin(least, result.block_gs.history[t]);
    /* Cycles take the residual on lines just solved for zero. */
    if (tested ? !(truth <= 1.001 * least + noise) : !(truth <= 1.001 * result.block_gs.history[0] + noise))
        fail_msg("method %d: residual %g, where %g was there", (int)options.method, truth, least);
    assert_int_equal(result.block_gs.failed, status == CLSOLVE_NOT_CONVERGED);
    if (options.max_iterations > 0) assert_true(result.iterations <= options.max_iterations);
    grid_free(&p);
}

static void test_honest(void **state) {
    static const int64_t limits[] = {1, 3, 17, 40};
    for (int method = CLSOLVE_BLOCK_GS_AUTO; method <= CLSOLVE_BLOCK_GS_FGMRES; ++method) {
        clsolve_block_gs_options options = {.method = (clsolve_block_gs_method)method};
        if (method == CLSOLVE_BLOCK_GS_SWEEPS) continue;
        for (size_t l = 0; l < sizeof limits / sizeof *limits; ++l) {
            options.max_iterations = limits[l];
            expect_honest(grid_hemodynamics_2(16, 23), options);
            expect_honest(indefinite(16, 23), options);
            expect_honest(hopeless(16, 23), options);
        }
        options = (clsolve_block_gs_options){.method = (clsolve_block_gs_method)method, .tolerance = 1e-17};
        options.max_iterations = 400;
        expect_honest(grid_hemodynamics_2(16, 23), options);
        options.preconditioner = CLSOLVE_BLOCK_GS_PRECONDITIONER_ZEBRA;
        expect_honest(indefinite(16, 23), options);
    }
}

/* A guess far off and iterates that are all worse than zero: zero comes back, with its residual, 1. */
static void test_zero_is_better(void **state) {
    enum { SIDE = 2, SIZE = SIDE * SIDE };
    for (int method = CLSOLVE_BLOCK_GS_AUTO; method <= CLSOLVE_BLOCK_GS_FGMRES; ++method) {
        clsolve_block_gs_options options = {.method = (clsolve_block_gs_method)method, .max_iterations = 1};
        if (method == CLSOLVE_BLOCK_GS_SWEEPS) continue;
        scratch_grid p = grid_random(SIDE, SIDE, 408);
        double Y[SIZE];
        for (int o = 0; o < SIZE; ++o) {
            p.up[o] = -3, p.down[o] = -0.1, p.a[o] = -0.2, p.b[o] = -5, p.c[o] = 1;
            p.F[o] = o + 1, Y[o] = 10;
        }
        OWNED(block_gs) *handle = grid_set(context, &p, CLSOLVE_F64, &options);
        clsolve_status status = grid_solve(handle, &p, CLSOLVE_F64, Y);
        clsolve_report result = result_of(handle);
        double truth = grid_residual(&p, Y);
        if (!(truth <= 1 + 1e-12) || !(fabs(truth - result.block_gs.relative_residual) < 1e-6 * (1 + truth)))
            fail_msg("method %d: residual %g, told %g", method, truth, result.block_gs.relative_residual);
        assert_int_equal(status, result.block_gs.relative_residual <= 1e-10 ? CLSOLVE_OK : CLSOLVE_NOT_CONVERGED);
    }
}

/* No iterate stands in the history twice, neither where an attempt ends nor where the next begins: Krylov methods all, so a test
 * an iteration and the one of the guess. */
static void test_history(void **state) {
    grid_problem p[3] = {grid_hemodynamics_2(16, 23), indefinite(16, 23), hopeless(16, 23)};
    double Y[16 * 23];
    for (int s = 0; s < 3; ++s) {
        clsolve_block_gs *handle = grid_set(context, &p[s], CLSOLVE_F64, NULL);
        memset(Y, 0, sizeof Y);
        (void)grid_solve(handle, &p[s], CLSOLVE_F64, Y);
        clsolve_report result = result_of(handle);
        assert_int_equal(result.block_gs.history_count, result.iterations + 1);
        if (s > 0) assert_non_null(strstr(result.block_gs.reason, "auto: fgmres"));
        clsolve_block_gs_destroy(handle);
        grid_free(&p[s]);
    }
}

/* One limit for all that auto tries; reasons and messages say how it ended. */
static void test_limits(void **state) {
    grid_problem p = indefinite(16, 23), q = grid_random(12, 11, 403);
    clsolve_block_gs_options options = {.max_iterations = 1};
    double Y[16 * 23] = {0};
    clsolve_block_gs *handle = grid_set(context, &p, CLSOLVE_F64, &options);
    assert_int_equal(grid_solve(handle, &p, CLSOLVE_F64, Y), CLSOLVE_NOT_CONVERGED);
    assert_true(grid_said("1 iteration, its limit") && grid_said("band.h"));
    assert_int_equal(result_of(handle).iterations, 1);
    assert_string_equal(result_of(handle).block_gs.reason, "auto: the diagonal does not dominate");
    clsolve_block_gs_destroy(handle);

    for (int64_t o = 0; o < q.N * q.M; ++o) q.up[o] = q.down[o] = -1, q.a[o] = q.b[o] = 0.25, q.c[o] = 1.5;
    options = (clsolve_block_gs_options){.method = CLSOLVE_BLOCK_GS_GAUSS_SEIDEL};
    handle = grid_set(context, &q, CLSOLVE_F64, &options);
    memset(Y, 0, sizeof Y);
    assert_int_equal(grid_solve(handle, &q, CLSOLVE_F64, Y), CLSOLVE_NOT_CONVERGED);
    if (!grid_said("diverging")) fail_msg("%s", clsolve_context_message(context));
    clsolve_block_gs_destroy(handle);

    options = (clsolve_block_gs_options){.method = CLSOLVE_BLOCK_GS_SOR, .omega = 1.1, .sequential = 1};
    grid_free(&q);
    q = grid_random(12, 11, 404);
    handle = grid_set(context, &q, CLSOLVE_F64, &options);
    memset(Y, 0, sizeof Y);
    assert_int_equal(grid_solve(handle, &q, CLSOLVE_F64, Y), CLSOLVE_OK);
    assert_string_equal(result_of(handle).block_gs.method, "SOR in sequence");
    clsolve_block_gs_destroy(handle);
    grid_free(&p);
    grid_free(&q);
}

/* Indefinite: FGMRES comes to a standstill by any preconditioner, and BiCGStab answers. */
static void test_indefinite(void **state) {
    static const int64_t sides[][2] = {{16, 23}, {40, 41}};
    for (int s = 0; s < 2; ++s) {
        scratch_grid p = indefinite(sides[s][0], sides[s][1]);
        SCRATCH double *Y = test_doubles(p.N * p.M);
        for (int64_t o = 0; o < p.N * p.M; ++o) p.F[o] = sin((double)o); /* not every F is as easy */
        OWNED(block_gs) *handle = grid_set(context, &p, CLSOLVE_F64, NULL);
        clsolve_status status = grid_solve(handle, &p, CLSOLVE_F64, Y);
        if (status != CLSOLVE_OK) fail_msg("%s", clsolve_context_message(context));
        assert_true(grid_residual(&p, Y) < 1.2e-10);
        assert_string_equal(result_of(handle).block_gs.method, "bicgstab + zebra");
        assert_string_equal(result_of(handle).block_gs.reason, "auto: fgmres came to a standstill");
    }
}

/* Symmetric with a diagonal of both signs that dominates: not told as not symmetric. */
static void test_signs(void **state) {
    scratch_grid p = grid_diffusion(14, 15, 1, NULL, 0, 405);
    double Y[14 * 15] = {0};
    for (int64_t o = 0; o < p.N * p.M; ++o) p.c[o] = o / p.M % 2 ? 9 : -9;
    OWNED(block_gs) *handle = grid_set(context, &p, CLSOLVE_F64, NULL);
    assert_int_equal(grid_solve(handle, &p, CLSOLVE_F64, Y), CLSOLVE_OK);
    clsolve_report result = result_of(handle);
    assert_true(result.block_gs.symmetric);
    if (strstr(result.block_gs.reason, "not symmetric") || !strstr(result.block_gs.reason, "both signs"))
        fail_msg("%s", result.block_gs.reason);
}

/* ---- several right-hand sides ---- */

/* One of them outside the range of a singular matrix: the others are solved, and it is named. */
static void test_one_fails(void **state) {
    enum { N = 20, M = 21, SIZE = N * M, NRHS = 4 };
    scratch_grid p = grid_diffusion(N, M, 1, NULL, 1, 406);
    clsolve_block_gs_method methods[] = {CLSOLVE_BLOCK_GS_AUTO, CLSOLVE_BLOCK_GS_MULTIGRID, CLSOLVE_BLOCK_GS_FGMRES,
                                         CLSOLVE_BLOCK_GS_CG};
    SCRATCH double *F = test_doubles(NRHS * SIZE), *Y = test_doubles(NRHS * SIZE);
    for (int m = 0; m < 4; ++m)
        for (int bad = 0; bad < NRHS; bad += 3) {
            clsolve_block_gs_options options = {.method = methods[m]};
            OWNED(block_gs) *handle = grid_set(context, &p, CLSOLVE_F64, &options);
            char words[64];
            for (int o = 0; o < NRHS * SIZE; ++o) F[o] = p.F[o % SIZE] * (1 + o / SIZE), Y[o] = 0;
            F[bad * SIZE + 3] += 100;
            clsolve_grid f = clsolve_grid_f64(N, M, F), y = clsolve_grid_f64(N, M, Y);
            assert_int_equal(clsolve_block_gs_solve(handle, &f, &y, NRHS), CLSOLVE_NOT_CONVERGED);
            clsolve_report result = result_of(handle);
            assert_int_equal(result.block_gs.failed, 1);
            assert_int_equal(result.block_gs.first_failed, bad + 1);
            (void)snprintf(words, sizeof words, "right-hand side %d of %d", bad + 1, NRHS);
            if (!grid_said(words)) fail_msg("%s", clsolve_context_message(context));
            for (int r = 0; r < NRHS; ++r) {
                grid_problem column = p;
                column.F = F + r * SIZE;
                double residual = grid_residual(&column, Y + r * SIZE);
                if (!(r == bad ? residual > 1e-3 && residual < 1.1 : residual < 1.1e-10))
                    fail_msg("%s: column %d of which %d is inconsistent: %g", result.block_gs.method, r, bad, residual);
            }
        }
}

/* More than a launch has groups for: in portions. A bad one in the last portion leaves all as they were. */
static void test_many(void **state) {
    enum { N = 9, M = 1, SIZE = N * M, NRHS = 65535 + 3 };
    scratch_grid p = grid_random(N, M, 407);
    SCRATCH float *F = test_room(NRHS * SIZE, sizeof *F), *Y = test_room(NRHS * SIZE, sizeof *Y);
    double wanted[SIZE];
    grid_solve_dense(&p, wanted);
    OWNED(block_gs) *handle = grid_set(context, &p, CLSOLVE_F32, NULL);
    for (int64_t o = 0; o < (int64_t)NRHS * SIZE; ++o) F[o] = (float)(p.F[o % SIZE] * (double)(1 + o / SIZE % 7));
    clsolve_grid f = clsolve_grid_f32(N, M, F), y = clsolve_grid_f32(N, M, Y);
    F[(int64_t)NRHS * SIZE - 1] = NAN;
    assert_int_equal(clsolve_block_gs_solve(handle, &f, &y, NRHS), CLSOLVE_ERROR_NONFINITE);
    for (int64_t o = 0; o < (int64_t)NRHS * SIZE; ++o) assert_true(Y[o] == 0);
    F[(int64_t)NRHS * SIZE - 1] = (float)(p.F[SIZE - 1] * (double)(1 + (NRHS - 1) % 7));
    assert_int_equal(clsolve_block_gs_solve(handle, &f, &y, NRHS), CLSOLVE_OK);
    for (int64_t o = 0; o < (int64_t)NRHS * SIZE; ++o) {
        double x = wanted[o % SIZE] * (double)(1 + o / SIZE % 7);
        assert_true(fabs((double)Y[o] - x) < 1e-3 * (1 + fabs(x)));
    }
    assert_int_equal(result_of(handle).nrhs, NRHS);
}

int main(void) {
    const struct CMUnitTest doubles[] = {cmocka_unit_test(test_honest),        cmocka_unit_test(test_history),
                                         cmocka_unit_test(test_limits),        cmocka_unit_test(test_indefinite),
                                         cmocka_unit_test(test_signs),         cmocka_unit_test(test_one_fails),
                                         cmocka_unit_test(test_zero_is_better)},
                            singles[] = {cmocka_unit_test(test_many)};
    test_require_device();
    int failed = 0;
    clsolve_context *probe = test_context(1);
    if (clsolve_context_device(probe).fp64) failed = GRID_RUN(doubles);
    clsolve_context_destroy(probe);
    return failed + GRID_RUN(singles);
}
