/*
 * Arrays in the caller's own buffers, with offsets and strides: the solution is the one of arrays on the host, nothing crosses
 * but a few words, and what lies between the values does not change. In double where the device has it, else in float.
 */
#include <clsolve/clsolve.h>
#include <clsolve/opencl.h>

#include "api/context.h"
#include "block_gs/grid_problem.h"
#include "support/opencl_caller.h"

enum { N = 21, M = 34, OFFSET = 5, PITCH = M + 3, STEP = 2, NRHS = 2, EACH = N * PITCH * STEP };

static opencl_caller caller;

static int open_all(void **state) {
    return opencl_caller_open(&caller);
}

static int close_all(void **state) {
    return opencl_caller_close(&caller);
}

static size_t word(void) {
    return caller.type == CLSOLVE_F64 ? sizeof(double) : sizeof(float);
}

/* Right-hand side r is (r + 1) times the values. All else in the buffer is 77. */
static clsolve_grid put(const double *values, int64_t nrhs) {
    int64_t words = OFFSET + NRHS * EACH;
    char *memory = calloc((size_t)words, word());
    cl_int code;
    assert_non_null(memory);
    for (int64_t w = 0; w < words; ++w) {
        int64_t r = w < OFFSET ? -1 : (w - OFFSET) / EACH, in = w < OFFSET ? 0 : (w - OFFSET) % EACH;
        int64_t i = in / (PITCH * STEP), k = in % (PITCH * STEP);
        int inside = r >= 0 && r < nrhs && k % STEP == 0 && k / STEP < M;
        double x = inside ? (double)(r + 1) * values[i * M + k / STEP] : 77;
        if (caller.type == CLSOLVE_F64)
            ((double *)(void *)memory)[w] = x;
        else
            ((float *)(void *)memory)[w] = (float)x;
    }
    cl_mem buffer =
        clCreateBuffer(caller.cl, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, (size_t)words * word(), memory, &code);
    assert_int_equal(code, CL_SUCCESS);
    free(memory);
    clsolve_grid g = clsolve_opencl_grid(caller.type, N, M, buffer, OFFSET);
    g.line_stride = PITCH * STEP;
    g.stride = STEP;
    g.rhs_stride = EACH;
    return g;
}

static void get(const clsolve_grid *g, int64_t nrhs, double *values) {
    int64_t words = OFFSET + NRHS * EACH;
    SCRATCH char *memory = calloc((size_t)words, word());
    assert_non_null(memory);
    assert_int_equal(
        clEnqueueReadBuffer(caller.queue, g->data, CL_TRUE, 0, (size_t)words * word(), memory, 0, NULL, NULL), 0);
    for (int64_t w = 0; w < words; ++w) {
        int64_t r = w < OFFSET ? -1 : (w - OFFSET) / EACH, in = w < OFFSET ? 0 : (w - OFFSET) % EACH;
        int64_t i = in / (PITCH * STEP), k = in % (PITCH * STEP);
        double x = caller.type == CLSOLVE_F64 ? ((double *)(void *)memory)[w] : (double)((float *)(void *)memory)[w];
        if (r >= 0 && r < nrhs && k % STEP == 0 && k / STEP < M)
            values[r * N * M + i * M + k / STEP] = x;
        else
            assert_true(x == 77);
    }
}

static void drop(clsolve_grid *g) {
    (void)clReleaseMemObject(g->data);
}

TEST(test_in_place_system) {
    scratch_grid p = grid_random(N, M, 1);
    const double *from[5] = {p.up, p.a, p.c, p.b, p.down};
    double expected[N * M] = {0}, Y[NRHS * N * M] = {0};
    clsolve_block_gs *handle = NULL;
    clsolve_grid g[5];
    clsolve_block_gs *host = grid_set(caller.context, &p, caller.type, NULL);
    assert_int_equal(grid_solve(host, &p, caller.type, expected), CLSOLVE_OK);
    clsolve_block_gs_destroy(host);

    for (int q = 0; q < 5; ++q) g[q] = put(from[q], 1);
    clsolve_grid F = put(p.F, NRHS), y = put(Y, NRHS);
    assert_int_equal(clsolve_block_gs_create(caller.context, N, M, caller.type, NULL, &handle), CLSOLVE_OK);
    cls_counters before = caller.context->device->counters;
    clsolve_status status = clsolve_block_gs_factor(handle, &g[0], &g[1], &g[2], &g[3], &g[4]);
    if (status != CLSOLVE_OK) fail_msg("%s", clsolve_context_message(caller.context));
    assert_int_equal(clsolve_block_gs_solve(handle, &F, &y, NRHS), CLSOLVE_OK);
    cls_counters after = caller.context->device->counters;
    assert_int_equal(after.bytes_up - before.bytes_up, 0);
    assert_true(after.bytes_down - before.bytes_down < 4096);
    get(&y, NRHS, Y);
    double bound = caller.type == CLSOLVE_F64 ? 1e-8 : 1e-3;
    for (int r = 0; r < NRHS; ++r)
        for (int o = 0; o < N * M; ++o)
            assert_true(fabs(Y[r * N * M + o] - (r + 1) * expected[o]) < bound * (1 + fabs(expected[o])));

    /* What reaches beyond its buffer is refused, and nothing is touched. */
    clsolve_grid bad = y;
    bad.offset += 2 * EACH;
    assert_int_equal(clsolve_block_gs_solve(handle, &F, &bad, 1), CLSOLVE_ERROR_INVALID_ARGUMENT);
    bad = F;
    bad.rhs_stride *= 2;
    assert_int_equal(clsolve_block_gs_solve(handle, &bad, &y, NRHS), CLSOLVE_ERROR_INVALID_ARGUMENT);
    bad = F;
    bad.offset = -1;
    assert_int_equal(clsolve_block_gs_solve(handle, &bad, &y, 1), CLSOLVE_ERROR_INVALID_ARGUMENT);
    get(&y, NRHS, Y);
    clsolve_block_gs_destroy(handle);
    for (int q = 0; q < 5; ++q) drop(&g[q]);
    drop(&F);
    drop(&y);
}

TEST(test_tridiagonal) {
    scratch_grid p = grid_random(N, M, 2);
    double expected[N * M] = {0}, X[NRHS * N * M] = {0};
    for (int o = 0; o < N * M; ++o) p.up[o] = p.down[o] = 0;
    grid_sweep(&p, 0, 1, expected);
    clsolve_grid g[4] = {put(p.a, 1), put(p.c, 1), put(p.b, 1), put(p.F, NRHS)};
    clsolve_batch v[4];
    clsolve_tridiagonal_batch *batch = NULL;
    int64_t info[N];
    for (int q = 0; q < 4; ++q)
        v[q] = (clsolve_batch){.type = caller.type,
                               .layout = CLSOLVE_ROW_MAJOR,
                               .count = N,
                               .rows = M,
                               .cols = 1,
                               .ld = STEP,
                               .stride = PITCH * STEP,
                               .data = g[q].data,
                               .place = CLSOLVE_ON_DEVICE,
                               .offset = OFFSET};
    cls_counters before = caller.context->device->counters;
    clsolve_status status = clsolve_tridiagonal_batch_create(caller.context, M, N, caller.type, NULL, &batch);
    if (status == CLSOLVE_OK) status = clsolve_tridiagonal_batch_factor(batch, &v[0], &v[1], &v[2], info);
    if (status == CLSOLVE_OK) status = clsolve_tridiagonal_batch_solve(batch, CLSOLVE_NO_TRANS, &v[3], info);
    if (status != CLSOLVE_OK) fail_msg("%s", clsolve_context_message(caller.context));
    assert_int_equal(caller.context->device->counters.bytes_up - before.bytes_up, 0);
    for (int i = 0; i < N; ++i) assert_int_equal(info[i], 0);
    get(&g[3], NRHS, X);
    v[3].offset += 2 * EACH; /* beyond the buffer */
    assert_int_equal(clsolve_tridiagonal_batch_solve(batch, CLSOLVE_NO_TRANS, &v[3], info),
                     CLSOLVE_ERROR_INVALID_ARGUMENT);
    clsolve_tridiagonal_batch_destroy(batch);
    double bound = caller.type == CLSOLVE_F64 ? 1e-11 : 1e-3;
    for (int o = 0; o < N * M; ++o) assert_true(fabs(X[o] - expected[o]) < bound * (1 + fabs(expected[o])));
    for (int q = 0; q < 4; ++q) drop(&g[q]);
}

TEST_PROGRAM(open_all, close_all)
