/* What the handles promise beside accuracy: statuses, messages, strides, several right-hand sides, transfers. */
#include "api/context.h"
#include "block_gs/grid_test.h"

/* On a device that another driver plays, as in a GPU's shape: what has arrays and kernels of its own there. */
static int few(void) {
    return test_reduced() || in_gpu_shape();
}

TEST(test_arguments) {
    scratch_grid p = grid_random(10, 3, 1);
    OWNED(block_gs) *handle = NULL;
    clsolve_block_gs_options options = {.omega = 2};
    clsolve_grid g = grid_view(&p, p.F), bad = g;
    if (in_gpu_shape()) skip();
    need_double();
    assert_int_equal(clsolve_block_gs_create(NULL, 1, 1, CLSOLVE_F64, NULL, &handle), CLSOLVE_ERROR_INVALID_ARGUMENT);
    EXPECT(clsolve_block_gs_create(context, 0, 1, CLSOLVE_F64, NULL, &handle), CLSOLVE_ERROR_INVALID_ARGUMENT,
           "N is 0");
    EXPECT(clsolve_block_gs_create(context, 4, 3, CLSOLVE_F64, &options, &handle), CLSOLVE_ERROR_INVALID_ARGUMENT,
           "omega");
    options = (clsolve_block_gs_options){.max_iterations = INT64_C(1) << 61};
    EXPECT(clsolve_block_gs_create(context, 4, 3, CLSOLVE_F64, &options, &handle), CLSOLVE_ERROR_INVALID_ARGUMENT,
           "10000000");
    options = (clsolve_block_gs_options){.sequential = 1, .jacobi = 2};
    EXPECT(clsolve_block_gs_create(context, 4, 3, CLSOLVE_F64, &options, &handle), CLSOLVE_ERROR_INVALID_ARGUMENT,
           "jacobi is 2");
    assert_null(handle);
    assert_int_equal(clsolve_block_gs_create(context, 10, 3, CLSOLVE_F64, NULL, &handle), CLSOLVE_OK);
    EXPECT(clsolve_block_gs_solve(handle, &g, &g, 1), CLSOLVE_ERROR_STATE, "call clsolve_block_gs_factor");
    EXPECT(clsolve_block_gs_solve(handle, &g, &g, 0), CLSOLVE_ERROR_INVALID_ARGUMENT, "1 or more");
    EXPECT(clsolve_block_gs_factor(handle, &g, &g, NULL, &g, &g), CLSOLVE_ERROR_INVALID_ARGUMENT, "c or its data");
    bad.stride = 0;
    EXPECT(clsolve_block_gs_factor(handle, &g, &g, &g, &g, &bad), CLSOLVE_ERROR_INVALID_ARGUMENT, "strides of down");
    bad = g, bad.type = CLSOLVE_F32;
    EXPECT(clsolve_block_gs_factor(handle, &g, &g, &g, &g, &bad), CLSOLVE_ERROR_INVALID_ARGUMENT, "type");
    clsolve_block_gs_destroy(NULL);
}

TEST(test_nonfinite) {
    scratch_grid p = grid_random(10, 3, 2);
    OWNED(block_gs) *handle = NULL;
    clsolve_grid F = grid_view(&p, p.F);
    double Y[30];
    clsolve_grid y = grid_view(&p, Y);
    if (in_gpu_shape()) skip();
    need_double();
    handle = grid_set(context, &p, CLSOLVE_F64, NULL);
    for (int i = 0; i < 30; ++i) Y[i] = 7;
    p.F[11] = NAN;
    EXPECT(clsolve_block_gs_solve(handle, &F, &y, 1), CLSOLVE_ERROR_NONFINITE, "NaN");
    for (int i = 0; i < 30; ++i) assert_true(Y[i] == 7);
    p.b[7] = INFINITY;
    EXPECT(grid_set_again(handle, &p), CLSOLVE_ERROR_NONFINITE, "NaN");
    EXPECT(clsolve_block_gs_solve(handle, &F, &y, 1), CLSOLVE_ERROR_STATE, "call clsolve_block_gs_factor");
}

/* The same system through strides of every kind, and three right-hand sides at once. */
TEST(test_strides) {
    enum { N = 9, M = 5, NRHS = 3 };
    scratch_grid p = grid_random(N, M, 4);
    double plain[N * M] = {0};
    SCRATCH double *wide = test_doubles(NRHS * 4 * N * M * 3), *F = test_doubles(NRHS * 4 * N * M * 3);
    OWNED(block_gs) *handle = NULL;
    if (in_gpu_shape()) skip();
    need_double();
    handle = grid_set(context, &p, CLSOLVE_F64, NULL);
    assert_int_equal(grid_solve(handle, &p, CLSOLVE_F64, plain), CLSOLVE_OK);
    const clsolve_grid shapes[] = {{CLSOLVE_F64, M + 2, 1, N * (M + 2), NULL, CLSOLVE_ON_HOST, 0},
                                   {CLSOLVE_F64, 1, N + 1, M * (N + 1), NULL, CLSOLVE_ON_HOST, 0},
                                   {CLSOLVE_F64, 3 * M, 2, 3 * M * N, NULL, CLSOLVE_ON_HOST, 0}};
    for (int s = 0; s < 3; ++s) {
        clsolve_grid f = shapes[s], y = shapes[s];
        f.data = F;
        y.data = wide;
        for (int r = 0; r < NRHS; ++r)
            for (int i = 0; i < N; ++i)
                for (int k = 0; k < M; ++k) {
                    int64_t at = i * f.line_stride + k * f.stride + r * f.rhs_stride;
                    F[at] = (r + 1) * p.F[i * M + k];
                    wide[at] = 0;
                }
        EXPECT(clsolve_block_gs_solve(handle, &f, &y, NRHS), CLSOLVE_OK, "");
        for (int r = 0; r < NRHS; ++r)
            for (int i = 0; i < N; ++i)
                for (int k = 0; k < M; ++k) {
                    double x = wide[i * y.line_stride + k * y.stride + r * y.rhs_stride];
                    assert_true(fabs(x - (r + 1) * plain[i * M + k]) < 1e-7 * (1 + fabs(x)));
                }
    }
}

/* However long it iterates, F and Y go up once, Y comes down once, and the rest is a few words a look. */
TEST(test_transfers) {
    enum { N = 64, M = 64, LOOK = 64 };
    scratch_grid p = grid_hemodynamics_2(N, M);
    clsolve_block_gs_options options = {.method = CLSOLVE_BLOCK_GS_GAUSS_SEIDEL, .tolerance = 1e-4};
    double Y[N * M] = {0};
    OWNED(block_gs) *handle = NULL;
    clsolve_report result;
    if (few()) skip();
    need_double();
    handle = grid_set(context, &p, CLSOLVE_F64, &options);
    assert_int_equal(grid_solve(handle, &p, CLSOLVE_F64, Y), CLSOLVE_OK);
    cls_counters before = context->device->counters;
    memset(Y, 0, sizeof Y);
    assert_int_equal(grid_solve(handle, &p, CLSOLVE_F64, Y), CLSOLVE_OK);
    cls_counters after = context->device->counters;
    result = result_of(handle);
    assert_true(result.iterations > 500);
    assert_int_equal(after.bytes_up - before.bytes_up, 2 * sizeof Y);
    assert_int_equal(after.transfers_up - before.transfers_up, 2);
    int64_t rest = after.bytes_down - before.bytes_down - (int64_t)sizeof Y;
    if (rest > LOOK * (result.iterations / 32 + 4) + 8 * result.block_gs.history_count + 64)
        fail_msg("%d bytes beside the solution for %d sweeps", (int)rest, (int)result.iterations);
    assert_int_equal(after.buffers, before.buffers);
}

TEST(test_not_converged) {
    scratch_grid p = grid_hemodynamics_2(40, 40);
    clsolve_block_gs_options options = {.method = CLSOLVE_BLOCK_GS_GAUSS_SEIDEL, .max_iterations = 20};
    double Y[1600] = {0};
    clsolve_block_gs *handle;
    clsolve_report result;
    if (few()) skip();
    need_double();
    handle = grid_set(context, &p, CLSOLVE_F64, &options);
    EXPECT(grid_solve(handle, &p, CLSOLVE_F64, Y), CLSOLVE_NOT_CONVERGED, "20 iterations");
    result = result_of(handle);
    assert_true(grid_residual(&p, Y) < 0.1);
    assert_true(fabs(grid_residual(&p, Y) - result.block_gs.relative_residual) < 1e-6);
    clsolve_block_gs_destroy(handle);

    /* A right-hand side out of the range of a singular matrix never converges, and the message tells why. */
    scratch_grid closed = grid_diffusion(20, 20, 1, NULL, 1, 5);
    closed.F[3] += 100;
    options = (clsolve_block_gs_options){.max_iterations = 40};
    handle = grid_set(context, &closed, CLSOLVE_F64, &options);
    EXPECT(grid_solve(handle, &closed, CLSOLVE_F64, Y), CLSOLVE_NOT_CONVERGED, "row sums");
    for (int i = 0; i < 400; ++i) assert_true(isfinite(Y[i]));
    clsolve_block_gs_destroy(handle);
    /* Cycles that come to a standstill are given up long before their limit of 100. */
    options = (clsolve_block_gs_options){.method = CLSOLVE_BLOCK_GS_MULTIGRID};
    handle = grid_set(context, &closed, CLSOLVE_F64, &options);
    EXPECT(grid_solve(handle, &closed, CLSOLVE_F64, Y), CLSOLVE_NOT_CONVERGED, "row sums");
    result = result_of(handle);
    assert_true(result.iterations < 60);
    clsolve_block_gs_destroy(handle);
}

/* What auto took, and why. */
static void expect_auto(grid_problem p, clsolve_block_gs_method method, const char *ran, const char *reason) {
    clsolve_block_gs_options options = {.method = method};
    OWNED(block_gs) *handle = grid_set(context, &p, CLSOLVE_F64, &options);
    clsolve_report result;
    SCRATCH double *Y = test_doubles(p.N * p.M);
    EXPECT(grid_solve(handle, &p, CLSOLVE_F64, Y), CLSOLVE_OK, "");
    assert_true(grid_residual(&p, Y) < 1.1e-10);
    result = result_of(handle);
    /* An end in '.' is the method's end. */
    size_t length = strlen(ran), end = ran[length - 1] == '.' ? length - 1 : 0;
    int is = end > 0 ? strlen(result.block_gs.method) == end && memcmp(result.block_gs.method, ran, end) == 0
                     : strstr(result.block_gs.method, ran) != NULL;
    if (!is || !strstr(result.block_gs.reason, reason))
        fail_msg("%s, for: %s", result.block_gs.method, result.block_gs.reason);
    grid_free(&p);
}

/* Central differences of -lap u + v . grad u with cell Peclet numbers; beyond 1 coefficients have both signs. */
static grid_problem convection(int64_t N, int64_t M, double across, double along) {
    grid_problem p = grid_hemodynamics_2(N, M);
    for (int64_t o = 0; o < N * M; ++o) {
        p.up[o] = -1 - across, p.a[o] = -1 - along;
        p.down[o] = -1 + across, p.b[o] = -1 + along;
        p.c[o] = 4;
        p.F[o] = 1;
    }
    return p;
}

/*
 * Random couplings under a diagonal twice their sum: a sweep alone more than halves the residual, so that cycles come to
 * no standstill whatever the seed.
 */
static grid_problem dominant(int64_t N, int64_t M, uint64_t use) {
    grid_problem p = grid_random(N, M, use);
    for (int64_t o = 0; o < N * M; ++o) p.c[o] *= 2;
    return p;
}

TEST(test_auto) {
    if (test_reduced() && !in_gpu_shape()) skip();
    need_double();
    int in_host_memory = clsolve_context_device(context).host_memory;
    expect_auto(grid_hemodynamics_2(200, 200), CLSOLVE_BLOCK_GS_AUTO,
                in_host_memory ? "cg + multigrid V(1,1)." : "in float", "symmetric");
    expect_auto(dominant(200, 200, 70), CLSOLVE_BLOCK_GS_AUTO, "multigrid", "not symmetric");
    if (few()) return;
    expect_auto(grid_hemodynamics_2(40, 40), CLSOLVE_BLOCK_GS_AUTO, "cg + multigrid", "symmetric");
    expect_auto(convection(40, 40, 0.5, 0), CLSOLVE_BLOCK_GS_AUTO, "multigrid", "not symmetric");
    expect_auto(convection(40, 40, 0, 0.5), CLSOLVE_BLOCK_GS_AUTO, "multigrid", "not symmetric");
    expect_auto(convection(40, 40, 3, 3), CLSOLVE_BLOCK_GS_AUTO, "fgmres", "does not dominate");
    expect_auto(grid_diffusion(30, 30, 1, NULL, 1, 71), CLSOLVE_BLOCK_GS_AUTO, "multigrid", "singular");
    for (int method = 0; method <= CLSOLVE_BLOCK_GS_MULTIGRID; method += CLSOLVE_BLOCK_GS_MULTIGRID) {
        grid_problem zero = grid_random(10, 9, 3);
        zero.c[2 * 9] = 0;
        zero.a[2 * 9 + 1] = zero.b[2 * 9] = 3;
        expect_auto(zero, (clsolve_block_gs_method)method, "fgmres + zebra", "pivoting");
    }
}

/* One handle, matrices of one kind after the other, and more right-hand sides in between. */
TEST(test_again) {
    grid_problem p[2] = {grid_random(200, 170, 72), grid_hemodynamics_2(200, 170)};
    clsolve_block_gs *handle = NULL;
    static const int order[] = {0, 1, 0, 1, 1, 0};
    int64_t n = p[0].N * p[0].M;
    SCRATCH double *Y = test_doubles(3 * n), *F = test_doubles(3 * n);
    need_double();
    assert_int_equal(clsolve_block_gs_create(context, 200, 170, CLSOLVE_F64, NULL, &handle), CLSOLVE_OK);
    for (int i = 0; i < 6; ++i) {
        grid_problem *q = &p[order[i]];
        int64_t nrhs = i / 2 + 1;
        clsolve_grid f = grid_view(q, F), y = grid_view(q, Y);
        EXPECT(grid_set_again(handle, q), CLSOLVE_OK, "");
        if (i == 0) continue; /* set twice without a solve in between */
        for (int64_t r = 0; r < nrhs; ++r) memcpy(F + r * n, q->F, (size_t)n * sizeof *F);
        memset(Y, 0, (size_t)(3 * n) * sizeof *Y);
        EXPECT(clsolve_block_gs_solve(handle, &f, &y, nrhs), CLSOLVE_OK, "");
        for (int64_t r = 0; r < nrhs; ++r) assert_true(grid_residual(q, Y + r * n) < 1.1e-10);
    }
    clsolve_block_gs_destroy(handle);
    grid_free(&p[0]);
    grid_free(&p[1]);
}

/* The library's own dense LU is of the same mind. */
TEST(test_dense_lu) {
    enum { N = 13, M = 11, SIDE = N * M };
    scratch_grid p = grid_random(N, M, 73);
    double *A = test_doubles(SIDE * SIDE), X[SIDE], Y[SIDE] = {0};
    OWNED(block_gs) *handle = NULL;
    if (few()) skip();
    need_double();
    for (int64_t i = 0; i < N; ++i)
        for (int64_t k = 0; k < M; ++k) {
            int64_t o = i * M + k;
            A[o + o * SIDE] = p.c[o];
            if (k > 0) A[o + (o - 1) * SIDE] = p.a[o];
            if (k + 1 < M) A[o + (o + 1) * SIDE] = p.b[o];
            if (i > 0) A[o + (o - M) * SIDE] = p.up[o];
            if (i + 1 < N) A[o + (o + M) * SIDE] = p.down[o];
        }
    memcpy(X, p.F, sizeof X);
    clsolve_matrix a = clsolve_matrix_f64(SIDE, SIDE, A), x = clsolve_matrix_f64(SIDE, 1, X);
    EXPECT(clsolve_solve(context, CLSOLVE_NO_TRANS, &a, &x, NULL, NULL), CLSOLVE_OK, "");
    handle = grid_set(context, &p, CLSOLVE_F64, NULL);
    EXPECT(grid_solve(handle, &p, CLSOLVE_F64, Y), CLSOLVE_OK, "");
    for (int i = 0; i < SIDE; ++i) assert_true(fabs(X[i] - Y[i]) < 1e-8 * (1 + fabs(X[i])));
    free(A);
}

TEST_PROGRAM(grid_open, grid_close)
