/*
 * Every kernel of the family at sizes that a simulator can run, in float, in a CPU's shape and in a GPU's, the latter with
 * lines in one tile, in several, and each tile a group's own; against the plain reference. Oclgrind looks for races, barriers
 * that not all reach and accesses out of bounds meanwhile (oclgrind.sh).
 */
#include "api/context.h"
#include "block_gs/grid_test.h"
#include "block_gs/tridiagonal_support.h"
#include "method/block_gs/grid.h"

static void shape(int gpu, int units) {
    context->device->info = kept;
    context->device->info.type = gpu ? CLSOLVE_DEVICE_GPU : CLSOLVE_DEVICE_CPU;
    context->device->info.max_work_group = kept.max_work_group < 16 ? kept.max_work_group : 16;
    context->device->info.compute_units = units;
}

static void solve(grid_problem p, clsolve_block_gs_options options) {
    options.tolerance = 1e-2; /* few iterations, for simulators */
    OWNED(block_gs) *handle = grid_set(context, &p, CLSOLVE_F32, &options);
    SCRATCH double *Y = test_doubles(p.N * p.M);
    clsolve_status status = grid_solve(handle, &p, CLSOLVE_F32, Y);
    double residual = grid_residual(&p, Y);
    if (status != CLSOLVE_OK || !(residual < (options.jacobi ? 0.1 : 1.1e-2)))
        fail_msg("method %d, %d x %d: %s, residual %g", (int)options.method, (int)p.N, (int)p.M,
                 clsolve_context_message(context), residual);
    grid_free(&p);
}

static void sweep(int64_t N, int64_t M, int sequential) {
    scratch_grid p = grid_random(N, M, 5);
    clsolve_block_gs_options options = {.method = CLSOLVE_BLOCK_GS_SWEEPS, .sequential = sequential};
    OWNED(block_gs) *handle = grid_set(context, &p, CLSOLVE_F32, &options);
    SCRATCH double *Y = test_doubles(N * M), *expected = calloc((size_t)(N * M), sizeof *Y);
    assert_non_null(expected);
    for (int64_t o = 0; o < N * M; ++o) Y[o] = expected[o] = (double)(o % 5) - 2;
    grid_sweep(&p, sequential, 1, expected);
    assert_int_equal(grid_solve(handle, &p, CLSOLVE_F32, Y), CLSOLVE_OK);
    for (int64_t o = 0; o < N * M; ++o) assert_true(fabs(Y[o] - expected[o]) < 1e-4 * (1 + fabs(expected[o])));
}

/* Independent lines, every second one near the end of the range; the first has NaN in F. By either kind of factors. */
static void lines(int64_t N, int64_t M, clsolve_pivoting pivoting) {
    scratch_grid p = grid_random(N, M, 9);
    float *array[4];
    double *arrays[4] = {p.a, p.c, p.b, p.F}, *expected = zeros(N * M);
    int64_t *info = test_room(N, sizeof *info);
    for (int64_t o = 0; o < N * M; ++o) p.up[o] = p.down[o] = 0;
    grid_solve_dense(&p, expected);
    for (int q = 0; q < 4; ++q) {
        array[q] = calloc((size_t)(N * M), sizeof(float));
        assert_non_null(array[q]);
        for (int64_t o = 0; o < N * M; ++o) array[q][o] = (float)ldexp(arrays[q][o], o / M % 2 ? 100 : 0);
    }
    array[3][1] = (float)NAN;
    EXPECT(tridiagonal_once(context, N, M, CLSOLVE_F32, array[0], array[1], array[2], array[3], 1, pivoting, info),
           CLSOLVE_OK, "");
    for (int64_t i = 0; i < N; ++i) assert_int_equal(info[i], i == 0 ? -1 : 0);
    free(info);
    for (int64_t o = M; o < N * M; ++o)
        assert_true(fabs((double)array[3][o] - expected[o]) < 1e-2 * (1 + fabs(expected[o])));
    for (int q = 0; q < 4; ++q) free(array[q]);
    free(expected);
}

/* `more` lines: so that all have the same lanes, 8 in a CPU's shape and 4 in a GPU's (grid_test.h). */
static void each_kernel(int64_t more) {
    lines(5 + more, 17, CLSOLVE_PIVOTING_AUTO);
    if (!test_reduced()) lines(5 + more, 17, CLSOLVE_PIVOTING_PARTIAL); /* FGMRES has these factors too */
    sweep(5 + more, 17, 1);
    sweep(7 + more, 20, 0);
    solve(grid_hemodynamics_2(8 + more, 20), (clsolve_block_gs_options){.method = CLSOLVE_BLOCK_GS_MULTIGRID});
    solve(grid_hemodynamics_2(6 + more, 17), (clsolve_block_gs_options){.method = CLSOLVE_BLOCK_GS_CG});
    solve(grid_random(6 + more, 17, 6),
          (clsolve_block_gs_options){.method = CLSOLVE_BLOCK_GS_FGMRES, .pivoting = CLSOLVE_PIVOTING_PARTIAL});
    solve(grid_random(6 + more, 17, 7), (clsolve_block_gs_options){.jacobi = 1});
    if (!test_reduced()) /* else test_gpu */
        solve(grid_diffusion(5 + more, 20, 1, NULL, 1, 8), (clsolve_block_gs_options){.zero_guess = 1});
}

TEST(test_cpu) {
    shape(0, 2);
    each_kernel(4);
}

/* Reduced: what a GPU's shape does otherwise; the methods around it are those of test_cpu. */
TEST(test_gpu) {
    shape(1, 1);
    if (test_reduced()) {
        solve(grid_hemodynamics_2(5, 17), (clsolve_block_gs_options){.method = CLSOLVE_BLOCK_GS_MULTIGRID});
        solve(grid_diffusion(5, 17, 1, NULL, 1, 8), (clsolve_block_gs_options){.zero_guess = 1});
        lines(5, 17, CLSOLVE_PIVOTING_AUTO);
    } else {
        each_kernel(0);
    }
}

/* The kernels of split lines, in one sweep; the methods around them are those of test_gpu. */
TEST(test_split) {
    shape(1, 1000);
    sweep(5, 270, 0); /* more tiles than each group scans itself */
    if (test_reduced()) return;
    sweep(5, 17, 0);
    solve(grid_hemodynamics_2(8, 20), (clsolve_block_gs_options){.method = CLSOLVE_BLOCK_GS_MULTIGRID});
}

/* On a large GPU, where no kernel of this test can be compiled for the shape in good time: the levels of a small grid
 * have as many lanes as fill a group, other few lines one. */
TEST(test_lanes) {
    static const struct {
        int64_t n, width, parts, alone;
    } due[] = {{64, 16, 16, 1}, {128, 16, 16, 1}, {256, 1, 32, 1}, {511, 2, 64, 2}, {1023, 4, 64, 4}, {8191, 8, 32, 8}};
    cls_device device = *context->device;
    device.info.type = CLSOLVE_DEVICE_GPU;
    device.info.compute_units = 132;
    device.info.max_work_group = 1024;
    device.info.local_memory = 48 << 10;
    for (size_t k = 0; k < sizeof due / sizeof *due; ++k) {
        const cls_bt_shape s = cls_bt_shape_for(&device, CLSOLVE_F64, 1, 0, due[k].n, due[k].n);
        const cls_bt_shape t = cls_bt_shape_for(&device, CLSOLVE_F64, 0, 0, due[k].n, due[k].n);
        if (s.width != due[k].width || s.parts != due[k].parts || t.width != due[k].alone)
            fail_msg("n %d: %d lanes of %d, alone %d", (int)due[k].n, (int)s.width, (int)s.parts, (int)t.width);
    }
}

TEST_PROGRAM(grid_open, grid_close)
