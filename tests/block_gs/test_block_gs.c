/* Answers: sweeps against the sequential reference, methods against LAPACK, cycle counts of multigrid. */
#include "api/context.h"
#include "block_gs/grid_test.h"

static const int64_t sizes[][2] = {{1, 1},  {1, 2},  {2, 1},   {2, 3},   {9, 1},   {9, 2},  {10, 3},
                                   {16, 7}, {9, 17}, {31, 33}, {37, 64}, {1, 500}, {500, 1}};
enum { SIZES = sizeof sizes / sizeof *sizes };

static double distance(const double *x, const double *y, int64_t n) {
    double most = 0, size = 1;
    for (int64_t i = 0; i < n; ++i) {
        most = test_worst(most, fabs(x[i] - y[i]));
        size = fmax(size, fabs(y[i]));
    }
    return most / size;
}

/* ---- sweeps ---- */

static void compare_lines(int64_t N, int64_t M, clsolve_type type, int sequential, clsolve_pivoting lines,
                          uint64_t use) {
    enum { SWEEPS = 5 };
    scratch_grid p = grid_random(N, M, use);
    clsolve_block_gs_options options = {
        .method = CLSOLVE_BLOCK_GS_SWEEPS, .sweeps = SWEEPS, .sequential = sequential, .pivoting = lines};
    clsolve_block_gs *handle = grid_set(context, &p, type, &options);
    SCRATCH double *expected = zeros(N * M), *Y = zeros(N * M);
    double eps = type == CLSOLVE_F64 ? 1e-13 : 2e-5;
    for (int64_t o = 0; o < N * M; ++o) expected[o] = Y[o] = (double)(o % 7) - 3;
    grid_sweep(&p, sequential, SWEEPS, expected);
    assert_int_equal(grid_solve(handle, &p, type, Y), CLSOLVE_OK);
    double error = distance(Y, expected, N * M);
    if (!(error < eps)) fail_msg("%d x %d, sequential %d: off by %g", (int)N, (int)M, sequential, error);
    clsolve_block_gs_destroy(handle);
}

static void compare_sweeps(int64_t N, int64_t M, clsolve_type type, int sequential, uint64_t use) {
    compare_lines(N, M, type, sequential, CLSOLVE_PIVOTING_AUTO, use);
}

TEST(test_sweeps) {
    for (int s = 0; s < SIZES; ++s)
        for (int sequential = 0; sequential < 2; ++sequential) {
            compare_sweeps(sizes[s][0], sizes[s][1], usual, sequential, (uint64_t)s);
            if (s % 2 && sizes[s][0] >= 9)
                compare_sweeps(sizes[s][0], sizes[s][1], CLSOLVE_F32, sequential, (uint64_t)s + 100);
            compare_lines(sizes[s][0], sizes[s][1], usual, sequential, CLSOLVE_PIVOTING_PARTIAL, (uint64_t)s + 200);
        }
}

static void count_cycles(const char *name, grid_problem p, int bound);

/* Many tridiagonal systems at once, with rows that only just dominate: errors of a pivot travel far. */
static void compare_tridiagonal(int64_t N, int64_t M, uint64_t use) {
    scratch_grid p = grid_random(N, M, use);
    SCRATCH double *X = zeros(N * M), *expected = zeros(N * M);
    if (usual != CLSOLVE_F64) return;
    for (int64_t o = 0; o < N * M; ++o) {
        p.up[o] = p.down[o] = 0;
        p.a[o] = p.b[o] = -1;
        p.c[o] = o % M == 0 ? 1.5 : 2;
    }
    clsolve_block_gs_options options = {.method = CLSOLVE_BLOCK_GS_SWEEPS};
    OWNED(block_gs) *handle = grid_set(context, &p, usual, &options);
    grid_sweep(&p, 0, 1, expected);
    assert_int_equal(grid_solve(handle, &p, usual, X), CLSOLVE_OK);
    double residual = grid_residual(&p, X), theirs = grid_residual(&p, expected);
    if (!(residual < 20 * theirs)) fail_msg("residual %g, that of the reference %g", residual, theirs);
}

/* The way a GPU does it, several work-items a line and lines in several tiles, on whatever device this is. */
TEST(test_partitioned) {
    clsolve_device_info kept = context->device->info;
    context->device->info.type = CLSOLVE_DEVICE_GPU;
    context->device->info.max_work_group = kept.max_work_group < 16 ? kept.max_work_group : 16;
    compare_sweeps(9, 512, usual, 0, 1000);
    compare_sweeps(37, 600, usual, 0, 1001);
    compare_sweeps(33, 513, usual, 1, 1002);
    /* Units enough that tiles of a line go to groups of their own; more tiles than work-items on a line, too, and so
     * many that what enters them is found in a launch of its own. */
    context->device->info.compute_units = 1000;
    compare_sweeps(9, 512, usual, 0, 1003);
    compare_sweeps(7, 1500, usual, 0, 1004);
    compare_sweeps(5, 1500, usual, 1, 1005);
    if (usual == CLSOLVE_F64) compare_sweeps(8, 300, CLSOLVE_F32, 0, 1006);
    count_cycles("split", grid_hemodynamics_2(64, 700), 12);
    compare_tridiagonal(6, 700, 1007);
    context->device->info = kept;
}

/* ---- methods ---- */

static void compare_method(const clsolve_block_gs_options *options, int64_t N, int64_t M, uint64_t use) {
    scratch_grid p =
        options->method == CLSOLVE_BLOCK_GS_CG ? grid_diffusion(N, M, 1, NULL, 0, use) : grid_random(N, M, use);
    OWNED(block_gs) *handle = grid_set(context, &p, usual, options);
    SCRATCH double *expected = zeros(N * M), *Y = zeros(N * M);
    double bound = usual == CLSOLVE_F64 ? 1e-7 : 5e-2;
    grid_solve_dense(&p, expected);
    clsolve_status status = grid_solve(handle, &p, usual, Y);
    if (status != CLSOLVE_OK)
        fail_msg("method %d, %d x %d: %s", (int)options->method, (int)N, (int)M, clsolve_context_message(context));
    double error = distance(Y, expected, N * M), residual = grid_residual(&p, Y);
    if (!(error < bound) || !(residual < (options->jacobi ? 10 : 1) * (usual == CLSOLVE_F64 ? 1.1e-10 : 2e-5)))
        fail_msg("method %d, %d x %d: off by %g, residual %g", (int)options->method, (int)N, (int)M, error, residual);
}

TEST(test_methods) {
    static const clsolve_block_gs_options list[] = {
        {.method = CLSOLVE_BLOCK_GS_AUTO},
        {.method = CLSOLVE_BLOCK_GS_AUTO, .pivoting = CLSOLVE_PIVOTING_PARTIAL},
        {.method = CLSOLVE_BLOCK_GS_AUTO, .jacobi = 1},
        {.method = CLSOLVE_BLOCK_GS_GAUSS_SEIDEL},
        {.method = CLSOLVE_BLOCK_GS_GAUSS_SEIDEL, .sequential = 1},
        {.method = CLSOLVE_BLOCK_GS_SOR, .omega = 1.1},
        {.method = CLSOLVE_BLOCK_GS_SOR},
        {.method = CLSOLVE_BLOCK_GS_GAUSS_SEIDEL, .sequential = 1, .pivoting = CLSOLVE_PIVOTING_PARTIAL},
        {.method = CLSOLVE_BLOCK_GS_SOR, .omega = 1.1, .pivoting = CLSOLVE_PIVOTING_PARTIAL},
        {.method = CLSOLVE_BLOCK_GS_CG},
        {.method = CLSOLVE_BLOCK_GS_CG, .preconditioner = CLSOLVE_BLOCK_GS_PRECONDITIONER_ZEBRA},
        {.method = CLSOLVE_BLOCK_GS_BICGSTAB, .preconditioner = CLSOLVE_BLOCK_GS_PRECONDITIONER_ZEBRA},
        {.method = CLSOLVE_BLOCK_GS_FGMRES, .preconditioner = CLSOLVE_BLOCK_GS_PRECONDITIONER_ZEBRA},
        /* Without a preconditioner the default limit may be too few: how many iterations it takes is the matrix's. */
        {.method = CLSOLVE_BLOCK_GS_FGMRES,
         .preconditioner = CLSOLVE_BLOCK_GS_PRECONDITIONER_NONE,
         .max_iterations = 100000},
        {.method = CLSOLVE_BLOCK_GS_CG, .single_precision = 1},
    };
    for (size_t m = 0; m < sizeof list / sizeof *list; ++m)
        for (int s = (int)(m % 2); s < SIZES; s += 2) /* every other size, by turns */
            if (sizes[s][0] * sizes[s][1] <= 600 && (!list[m].single_precision || sizes[s][0] >= 9))
                compare_method(&list[m], sizes[s][0], sizes[s][1], m * 50 + (uint64_t)s);
}

/* ---- multigrid ---- */

static void count_iterations(const char *name, grid_problem p, clsolve_block_gs_method method, int bound) {
    clsolve_block_gs_options options = {.method = method, .tolerance = usual == CLSOLVE_F64 ? 1e-8 : 2e-5};
    OWNED(block_gs) *handle = grid_set(context, &p, usual, &options);
    SCRATCH double *Y = zeros(p.N * p.M);
    clsolve_status status = grid_solve(handle, &p, usual, Y);
    clsolve_report result = result_of(handle);
    if (status != CLSOLVE_OK || result.iterations > bound)
        fail_msg("%s, %d x %d: %s after %d cycles, residual %g", name, (int)p.N, (int)p.M, clsolve_status_name(status),
                 (int)result.iterations, result.block_gs.relative_residual);
    grid_free(&p);
}

static void count_cycles(const char *name, grid_problem p, int bound) {
    count_iterations(name, p, CLSOLVE_BLOCK_GS_MULTIGRID, bound);
}

TEST(test_cycles) {
    static const int64_t sides[] = {15, 16, 63, 100, 127};
    for (size_t s = 0; s < sizeof sides / sizeof *sides; ++s)
        count_cycles("hemodynamics-2", grid_hemodynamics_2(sides[s], sides[s]), 12);
    if (usual == CLSOLVE_F64) count_cycles("hemodynamics-2", grid_hemodynamics_2(255, 255), 12);
    /* About 500 sweeps at the best omega, and 840 at one that is too small by 0.015. */
    if (usual == CLSOLVE_F64)
        count_iterations("omega estimated", grid_hemodynamics_2(127, 127), CLSOLVE_BLOCK_GS_SOR, 650);
    /* Lines longer than the groups along one take at a time. */
    if (usual == CLSOLVE_F64) count_cycles("long lines", grid_hemodynamics_2(2, 270000), 12);
    count_cycles("hemodynamics-2", grid_hemodynamics_2(37, 150), 12);
    count_cycles("hemodynamics-2", grid_hemodynamics_2(150, 37), 12);
    count_cycles("hemodynamics-1", grid_hemodynamics_1(128, 128), 14);
    count_cycles("ratio 0.01", grid_diffusion(127, 127, 0.01, NULL, 0, 2000), 12);
    count_cycles("ratio 1", grid_diffusion(127, 127, 1, NULL, 0, 2001), 12);
    count_cycles("ratio 100", grid_diffusion(127, 127, 100, NULL, 0, 2002), 12);
}

/* A block, a wall along the lines and one across, 10^4 times as permeable, or as tight, as the rest. The tight
 * block, all but cut off from the boundary, takes a cycle or two more than the others, but not when CG stands around. */
TEST(test_jumps) {
    enum { SIDE = 100 };
    if (usual != CLSOLVE_F64) skip(); /* in float ||A|| ||Y|| eps alone is more than the tolerance */
    SCRATCH double *K = zeros(SIDE * SIDE);
    for (int shape = 0; shape < 6; ++shape) {
        double inside = shape % 2 ? 1e4 : 1e-4;
        for (int64_t i = 0; i < SIDE; ++i)
            for (int64_t k = 0; k < SIDE; ++k) {
                int block = i >= 25 && i < 50 && k >= 20 && k < 75, along = i == 33, across = k == 33;
                K[i * SIDE + k] = (shape / 2 == 0 ? block : shape / 2 == 1 ? along : across) ? inside : 1;
            }
        count_cycles("jump", grid_diffusion(SIDE, SIDE, 1, K, 0, 3000), shape == 0 ? 14 : 12);
        count_iterations("jump, auto", grid_diffusion(SIDE, SIDE, 1, K, 0, 3000), CLSOLVE_BLOCK_GS_AUTO, 12);
    }
}

/* Each cell its own permeability, over four decades: too much for cycles alone, and auto notices. */
TEST(test_rough) {
    enum { SIDE = 60 };
    SCRATCH double *K = zeros(SIDE * SIDE), *Y = zeros(SIDE * SIDE);
    test_random random = test_random_start(3100);
    if (usual != CLSOLVE_F64) skip();
    for (int64_t o = 0; o < SIDE * SIDE; ++o) K[o] = test_random_unit(&random) < 0.5 ? 1 : 1e4;
    scratch_grid p = grid_diffusion(SIDE, SIDE, 1, K, 0, 3101);
    clsolve_block_gs_options options = {.tolerance = 1e-8};
    OWNED(block_gs) *handle = grid_set(context, &p, usual, &options);
    clsolve_status status = grid_solve(handle, &p, usual, Y);
    if (status != CLSOLVE_OK) fail_msg("%s", clsolve_context_message(context));
    assert_true(grid_residual(&p, Y) < 1.1e-8);
}

TEST(test_singular_consistent) {
    static const int64_t shapes[][2] = {{1, 9}, {2, 2}, {64, 64}, {33, 80}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; ++s) {
        scratch_grid p = grid_diffusion(shapes[s][0], shapes[s][1], 1, NULL, 1, 4000 + s);
        OWNED(block_gs) *handle = grid_set(context, &p, usual, NULL);
        double *Y = zeros(p.N * p.M), mean = 0;
        clsolve_status status = grid_solve(handle, &p, usual, Y);
        if (status != CLSOLVE_OK) fail_msg("closed %d: %s", (int)s, clsolve_context_message(context));
        for (int64_t o = 0; o < p.N * p.M; ++o) mean += Y[o] / (double)(p.N * p.M);
        assert_true(result_of(handle).block_gs.singular == 1);
        assert_true(grid_residual(&p, Y) < (usual == CLSOLVE_F64 ? 1e-9 : 1e-4));
        assert_true(fabs(mean) < (usual == CLSOLVE_F64 ? 1e-9 : 1e-2));
        free(Y);
    }
}

TEST_PROGRAM(grid_open, grid_close)
