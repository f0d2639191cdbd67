/*
 * Each allocation on the host and each call of the driver of a whole use (create, set, solve) fails in its turn: there is a
 * status and a message, Y is as it was or solved, the handle works once the fault is gone, and nothing is left behind.
 */
#include "api/context.h"
#include "block_gs/grid_problem.h"
#include "support/faults.h"

enum { N = 9, M = 5 };

static clsolve_context *context;
static int64_t objects_before;
static grid_problem problem;
static float arrays[5][N * M], F[N * M];

static clsolve_status use(clsolve_block_gs *handle, float *Y) {
    clsolve_grid g[5], f = clsolve_grid_f32(N, M, F), y = clsolve_grid_f32(N, M, Y);
    for (int q = 0; q < 5; ++q) g[q] = clsolve_grid_f32(N, M, arrays[q]);
    clsolve_status status = clsolve_block_gs_factor(handle, &g[0], &g[1], &g[2], &g[3], &g[4]);
    return status == CLSOLVE_OK ? clsolve_block_gs_solve(handle, &f, &y, 1) : status;
}

static int solved(const float *Y) {
    double wide[N * M];
    for (int o = 0; o < N * M; ++o) wide[o] = (double)Y[o];
    return grid_residual(&problem, wide) < 1e-4;
}

static const char *scenario(fault_kind kind, int64_t k, clsolve_status *status) {
    clsolve_block_gs *handle = NULL;
    float Y[N * M];
    int64_t buffers = context->device->counters.buffers;
    int untouched = 1;
    for (int o = 0; o < N * M; ++o) Y[o] = 7;
    faults_arm(kind, k);
    *status = clsolve_block_gs_create(context, N, M, CLSOLVE_F32, NULL, &handle);
    if (*status == CLSOLVE_OK) *status = use(handle, Y);
    const char *failed = faults_disarm();
    for (int o = 0; o < N * M; ++o) untouched &= Y[o] == 7;
    if (*status != CLSOLVE_OK) {
        assert_true(clsolve_context_message(context)[0] != 0);
        assert_true(untouched || solved(Y));
        if (handle) {
            for (int o = 0; o < N * M; ++o) Y[o] = 0;
            assert_int_equal(use(handle, Y), CLSOLVE_OK);
        }
    }
    if (*status == CLSOLVE_OK || handle) assert_true(solved(Y));
    clsolve_block_gs_destroy(handle);
    assert_int_equal(context->device->counters.buffers, buffers);
    return failed;
}

/* A slab, and the coarse slab that it makes. */
static clsolve_status use_slabs(clsolve_grid_slab **slab, clsolve_grid_slab **coarse, float *Y) {
    clsolve_status status = clsolve_grid_slab_create(context, N, M, 1, N - 2, CLSOLVE_F32, slab);
    if (status == CLSOLVE_OK)
        status = clsolve_grid_slab_put_coefficients(*slab, 0, N, arrays[0], arrays[1], arrays[2], arrays[3], arrays[4]);
    if (status == CLSOLVE_OK) status = clsolve_grid_slab_factor(*slab, NULL);
    if (status == CLSOLVE_OK) status = clsolve_grid_slab_put(*slab, CLSOLVE_GRID_SLAB_F, 0, N, F);
    if (status == CLSOLVE_OK) status = clsolve_grid_slab_half_sweep(*slab, 1, 1);
    if (status == CLSOLVE_OK) status = clsolve_grid_slab_residual(*slab);
    if (status == CLSOLVE_OK) status = clsolve_grid_slab_coarsen(*slab, 0, coarse);
    if (status == CLSOLVE_OK) status = clsolve_grid_slab_restrict(*slab, *coarse);
    if (status == CLSOLVE_OK) status = clsolve_grid_slab_prolong(*slab, *coarse);
    return status == CLSOLVE_OK ? clsolve_grid_slab_get(*slab, CLSOLVE_GRID_SLAB_Y, 0, N, Y) : status;
}

static const char *slab_scenario(fault_kind kind, int64_t k, clsolve_status *status) {
    clsolve_grid_slab *slab = NULL, *coarse = NULL;
    float Y[N * M];
    int64_t buffers = context->device->counters.buffers;
    faults_arm(kind, k);
    *status = use_slabs(&slab, &coarse, Y);
    const char *failed = faults_disarm();
    if (*status != CLSOLVE_OK) assert_true(clsolve_context_message(context)[0] != 0);
    clsolve_grid_slab_destroy(coarse);
    clsolve_grid_slab_destroy(slab);
    assert_int_equal(context->device->counters.buffers, buffers);
    return failed;
}

static void each_of(const char *(*one)(fault_kind, int64_t, clsolve_status *), fault_kind kind, int least) {
    int errors = 0;
    const char *failed = "";
    for (int64_t k = 0; failed; ++k) {
        clsolve_status status;
        failed = one(kind, k, &status);
        errors += status != CLSOLVE_OK;
        if (!failed) assert_int_equal(status, CLSOLVE_OK);
    }
    print_message("%d of them lead to an error\n", errors);
    assert_true(errors >= least);
}

static void each(fault_kind kind, int least) {
    each_of(scenario, kind, least);
}

TEST(test_slabs) {
    each_of(slab_scenario, FAULT_ALLOCATION, 2);
    each_of(slab_scenario, FAULT_DEVICE, 30);
}

TEST(test_host) {
    each(FAULT_ALLOCATION, 5);
}

TEST(test_device) {
    each(FAULT_DEVICE, 50);
}

static int open_context(void **state) {
    objects_before = faults_objects();
    context = test_context(1);
    problem = grid_random(N, M, 9);
    const double *from[5] = {problem.up, problem.a, problem.c, problem.b, problem.down};
    for (int o = 0; o < N * M; ++o) {
        for (int q = 0; q < 5; ++q) arrays[q][o] = (float)from[q][o];
        F[o] = (float)problem.F[o];
    }
    return 0;
}

static int close_context(void **state) {
    clsolve_context_destroy(context);
    grid_free(&problem);
    print_message("%d driver objects left\n", (int)(faults_objects() - objects_before));
    return faults_objects() == objects_before ? 0 : -1;
}

TEST_PROGRAM(open_context, close_context)
