/*
 * The caller's own CUDA: stream, device memory with offset and ld, events in and out, through clsolve/cuda.h. What lies
 * between the lines of a matrix, before and behind it, must not change, nor the thread's current context.
 */
#include "cuda/caller.h"

typedef enum how { WAITING, ENQUEUED, WITH_EVENTS } how;

static void factor_and_solve(how way, clsolve_layout layout, clsolve_op op) {
    SCRATCH double *A = random_values(1, N * N), *B = random_values(2, N * NRHS), *X = random_values(3, N * NRHS);
    SCRATCH double *back = random_values(4, N * N);
    device_matrix a = put(layout, N, N, A), b = put(layout, N, NRHS, B);
    CUevent there = NULL, factored = NULL, done = NULL;
    clsolve_report report;
    clsolve_lu *lu = make();

    if (way == WAITING) {
        WORKS(clsolve_lu_factor(lu, &a.view));
        WORKS(clsolve_lu_solve(lu, op, &b.view));
    } else if (way == ENQUEUED) {
        WORKS(clsolve_lu_factor_enqueue(lu, &a.view, NULL));
        WORKS(clsolve_lu_solve_enqueue(lu, op, &b.view, NULL));
    } else {
        CU(cu.event_create(&there, CU_EVENT_DISABLE_TIMING));
        CU(cu.event_record(there, stream));
        WORKS(clsolve_lu_factor_enqueue(lu, &a.view, EVENTS(1, &there, &factored)));
        WORKS(clsolve_lu_solve_enqueue(lu, op, &b.view, EVENTS(1, &factored, &done)));
        assert_non_null(done);
        CU(cu.event_wait(done));
    }
    get(&a, back);
    assert_same(back, A, N * N);
    get(&b, X);
    double ratio = ratio_solve(type, op, N, NRHS, A, X, B);
    if (!(ratio < RATIO_BOUND)) fail_msg("ratio %g", ratio);
    assert_int_equal(clsolve_lu_status(lu), CLSOLVE_OK);
    assert_context_is_ours();
    /* The matrix has not crossed to the host, nor come from there. */
    if (way == WAITING) {
        WORKS(clsolve_lu_report(lu, &report));
        assert_true(report.bytes_up < N * N && report.bytes_down < N * N * (type == CLSOLVE_F64 ? 8 : 4) / 2);
    }
    CUevent events[] = {there, factored, done};
    for (int e = 0; e < 3; e++)
        if (events[e]) CU(cu.event_destroy(events[e]));
    clsolve_lu_destroy(lu);
    drop(&a);
    drop(&b);
}

TEST(each_way) {
    for (int way = WAITING; way <= WITH_EVENTS; way++)
        for (int layout = CLSOLVE_COLUMN_MAJOR; layout <= CLSOLVE_ROW_MAJOR; layout++)
            for (int op = CLSOLVE_NO_TRANS; op <= CLSOLVE_TRANS; op++)
                factor_and_solve((how)way, (clsolve_layout)layout, (clsolve_op)op);
}

TEST(singular_leaves_b) {
    SCRATCH double *A = random_values(5, N * N), *B = random_values(6, N * NRHS), *back = random_values(7, N * NRHS);
    for (int i = 0; i < N; i++) A[i + 7 * N] = 0;
    device_matrix a = put(CLSOLVE_COLUMN_MAJOR, N, N, A), b = put(CLSOLVE_COLUMN_MAJOR, N, NRHS, B);
    clsolve_lu *lu = make();
    WORKS(clsolve_lu_factor_enqueue(lu, &a.view, NULL));
    for (int known = 0; known < 2; known++) { /* an outcome of the numbers is no failure to enqueue */
        CUevent done = NULL;
        WORKS(clsolve_lu_solve_enqueue(lu, CLSOLVE_NO_TRANS, &b.view, EVENTS(0, NULL, &done)));
        assert_non_null(done);
        CU(cu.event_wait(done));
        CU(cu.event_destroy(done));
        assert_int_equal(clsolve_lu_status(lu), CLSOLVE_SINGULAR);
        get(&b, back);
        assert_same(back, B, N * NRHS);
    }
    clsolve_lu_destroy(lu);
    drop(&a);
    drop(&b);
}

/* A block-tridiagonal system whose arrays all lie there, columns of a matrix being its lines: nothing crosses. */
TEST(a_grid_stays_there) {
    enum { LINES = 13, POINTS = 29, ALL = LINES * POINTS };
    double *values[7], Y[ALL]; /* up, a, c, b, down, F, Y: F so that the solution is all ones */
    device_matrix m[7];
    clsolve_grid g[7];
    clsolve_block_gs *handle = NULL;
    clsolve_report result;
    for (int q = 0; q < 7; q++) values[q] = random_values(20 + (uint64_t)q, ALL);
    for (int o = 0; o < ALL; o++) {
        int there[] = {o >= POINTS, o % POINTS > 0, 1, o % POINTS < POINTS - 1, o < ALL - POINTS};
        values[2][o] = 5;
        values[5][o] = values[6][o] = 0;
        for (int q = 0; q < 5; q++) values[5][o] += there[q] ? values[q][o] : 0;
    }
    for (int q = 0; q < 7; q++) {
        m[q] = put(CLSOLVE_COLUMN_MAJOR, POINTS, LINES, values[q]);
        g[q] = clsolve_cuda_grid(type, LINES, POINTS, m[q].view.data, m[q].view.offset);
        g[q].line_stride = m[q].view.ld;
    }
    WORKS(clsolve_block_gs_create(context, LINES, POINTS, type, NULL, &handle));
    WORKS(clsolve_block_gs_factor(handle, &g[0], &g[1], &g[2], &g[3], &g[4]));
    WORKS(clsolve_block_gs_solve(handle, &g[5], &g[6], 1));
    WORKS(clsolve_block_gs_report(handle, &result));
    assert_int_equal(result.bytes_up, 0);
    assert_true(result.bytes_down < 4096);
    get(&m[6], Y);
    for (int o = 0; o < ALL; o++) assert_true(Y[o] - 1 < 1e-4 && 1 - Y[o] < 1e-4);
    clsolve_block_gs_destroy(handle);
    assert_context_is_ours();
    for (int q = 0; q < 7; q++) {
        drop(&m[q]);
        free(values[q]);
    }
}

/* Batches of both families, members as columns of a matrix with gaps: nothing crosses but infos. */
TEST(batches_stay_there) {
    enum { COUNT = 8, ORDER = 5, BAD = 2 };
    SCRATCH double *A = random_values(31, COUNT * ORDER * ORDER), *B = random_values(32, COUNT * ORDER);
    SCRATCH double *AB = random_values(33, COUNT * 3 * ORDER), *X = random_values(34, COUNT * ORDER);
    clsolve_gauss_jordan_batch *dense = NULL;
    clsolve_band_batch *narrow = NULL;
    clsolve_report report;
    int64_t info[COUNT];
    for (int k = 0; k < COUNT * ORDER * ORDER; k++) {
        int i = k % ORDER, j = k / ORDER % ORDER, m = k / ORDER / ORDER;
        A[k] = m == BAD && j == 1 ? 0 : i == j ? 4 : i - j > 1 || j - i > 1 ? 0 : A[k];
        if (i - j <= 1 && j - i <= 1) AB[(m * ORDER + j) * 3 + 1 + i - j] = A[k];
    }
    for (int family = 0; family < 2; family++) {
        int64_t rows = family ? 3 : ORDER;
        device_matrix a = put(CLSOLVE_COLUMN_MAJOR, rows, COUNT * ORDER, family ? AB : A);
        device_matrix b = put(CLSOLVE_COLUMN_MAJOR, ORDER, COUNT, B);
        clsolve_batch av = clsolve_cuda_batch(type, COUNT, rows, ORDER, a.view.data, a.view.offset);
        clsolve_batch bv = clsolve_cuda_batch(type, COUNT, ORDER, 1, b.view.data, b.view.offset);
        av.ld = a.view.ld, av.stride = av.ld * ORDER;
        bv.ld = bv.stride = b.view.ld;
        if (family) {
            WORKS(clsolve_band_batch_create(context, ORDER, 1, 1, COUNT, type, NULL, &narrow));
            WORKS(clsolve_band_batch_factor(narrow, &av, info));
            WORKS(clsolve_band_batch_report(narrow, &report));
            assert_int_equal(report.bytes_up, 0);
            WORKS(clsolve_band_batch_solve(narrow, CLSOLVE_NO_TRANS, &bv, info));
            WORKS(clsolve_band_batch_report(narrow, &report));
        } else {
            WORKS(clsolve_gauss_jordan_batch_create(context, ORDER, COUNT, type, NULL, &dense));
            WORKS(clsolve_gauss_jordan_batch_solve(dense, CLSOLVE_NO_TRANS, &av, &bv, info));
            WORKS(clsolve_gauss_jordan_batch_report(dense, &report));
        }
        assert_int_equal(report.bytes_up, 0);
        assert_true(report.bytes_down <= COUNT * 16);
        get(&b, X);
        for (int m = 0; m < COUNT; m++) {
            assert_int_equal(info[m], m == BAD ? 2 : 0);
            if (m == BAD) assert_same(X + m * ORDER, B + m * ORDER, ORDER);
            if (m != BAD)
                assert_true(ratio_solve(type, CLSOLVE_NO_TRANS, ORDER, 1, A + m * ORDER * ORDER, X + m * ORDER,
                                        B + m * ORDER) < RATIO_BOUND);
        }
        bv.offset += 1000;
        clsolve_status status = family ? clsolve_band_batch_solve(narrow, CLSOLVE_NO_TRANS, &bv, info)
                                       : clsolve_gauss_jordan_batch_solve(dense, CLSOLVE_NO_TRANS, &av, &bv, info);
        assert_int_equal(status, CLSOLVE_ERROR_INVALID_ARGUMENT);
        drop(&a);
        drop(&b);
    }
    clsolve_gauss_jordan_batch_destroy(dense);
    clsolve_band_batch_destroy(narrow);
    assert_context_is_ours();
}

/* The factors of the same complex members of order `n` at two places are the same. */
static void same_factors(int64_t n, const clsolve_batch *a, const clsolve_batch *b) {
    const clsolve_batch *const places[] = {a, b};
    const size_t bytes = (size_t)(a->count * n * n * (type == CLSOLVE_C64 ? 16 : 8));
    clsolve_cholesky_batch *batch = NULL;
    void *F[2];
    int64_t info[2][8] = {{0}};
    assert_true(a->count <= 8);
    WORKS(clsolve_cholesky_batch_create(context, n, a->count, type, NULL, &batch));
    for (int k = 0; k < 2; k++) {
        F[k] = calloc(1, bytes);
        clsolve_batch view =
            type == CLSOLVE_C64 ? clsolve_batch_c64(a->count, n, n, F[k]) : clsolve_batch_c32(a->count, n, n, F[k]);
        WORKS(clsolve_cholesky_batch_factor(batch, CLSOLVE_LOWER, places[k], info[k]));
        WORKS(clsolve_cholesky_batch_factors(batch, CLSOLVE_LOWER, &view));
    }
    clsolve_cholesky_batch_destroy(batch);
    assert_memory_equal(info[0], info[1], sizeof info[0]);
    assert_memory_equal(F[0], F[1], bytes);
    free(F[0]), free(F[1]);
}

/* Inverses of complex members, apart and in place, also at an address that is no multiple of an element's size. */
TEST(inverses_stay_there) {
    enum { COUNT = 5, ORDER = 7, SIZE = ORDER * ORDER, BAD = 2 };
    const clsolve_type own_type = type;
    double identity[2 * SIZE] = {0};
    clsolve_gauss_jordan_batch *batch = NULL;
    clsolve_report report;
    int64_t info[COUNT];
    for (int i = 0; i < ORDER; i++) identity[2 * i * (ORDER + 1)] = 1;
    type = own_type == CLSOLVE_F64 ? CLSOLVE_C64 : CLSOLVE_C32;
    SCRATCH double *A = random_values(41, 2 * COUNT * SIZE), *X = random_values(42, 2 * COUNT * SIZE),
                   *Y = random_values(43, 2 * COUNT * SIZE);
    for (int k = 0; k < COUNT * SIZE; k++) {
        if (k % SIZE % (ORDER + 1) == 0) A[2 * k] = test_rounded(type, A[2 * k] + 6);
        if (k / SIZE == BAD && k / ORDER % ORDER == 1) A[2 * k] = A[2 * k + 1] = 0;
    }
    WORKS(clsolve_gauss_jordan_batch_create(context, ORDER, COUNT, type, NULL, &batch));
    for (int way = 0; way < 3; way++) {
        device_matrix a = put(CLSOLVE_COLUMN_MAJOR, ORDER, COUNT * ORDER, A);
        device_matrix x = put(CLSOLVE_COLUMN_MAJOR, ORDER, COUNT * ORDER, X);
        clsolve_batch av = clsolve_cuda_batch(type, COUNT, ORDER, ORDER, a.view.data, a.view.offset);
        clsolve_batch xv = clsolve_cuda_batch(type, COUNT, ORDER, ORDER, x.view.data, x.view.offset);
        const CUdeviceptr odd = x.memory + (CUdeviceptr)(x.before / OFFSET / 2);
        av.ld = xv.ld = a.view.ld;
        av.stride = xv.stride = a.view.ld * ORDER;
        if (way == 2) { /* A at half an element behind the beginning of x, whose own data is no more of use */
            xv = av;
            av.data = (void *)(uintptr_t)odd;
            av.offset = 0;
            CU(cu.copy_across(odd, a.memory + (CUdeviceptr)a.before, a.bytes, stream));
            same_factors(ORDER, &xv, &av);
        }
        WORKS(clsolve_gauss_jordan_batch_invert(batch, &av, way == 1 ? &av : &xv, info));
        WORKS(clsolve_gauss_jordan_batch_report(batch, &report));
        assert_int_equal(report.bytes_up, 0);
        assert_int_equal(report.device_bytes, COUNT * ((way == 2 ? SIZE * (type == CLSOLVE_C64 ? 16 : 8) : 0) + 4));
        if (way == 0) get(&x, Y);
        if (way > 0) get(&a, Y);
        for (int m = 0; m < COUNT; m++) {
            const double *at = A + 2 * m * SIZE, *found = Y + 2 * m * SIZE;
            assert_int_equal(info[m], m == BAD ? 2 : 0);
            if (m == BAD) assert_same(found, way == 0 ? X + 2 * m * SIZE : at, 2 * SIZE);
            if (m != BAD)
                assert_true(ratio_solve(type, CLSOLVE_NO_TRANS, ORDER, ORDER, at, found, identity) < RATIO_BOUND);
        }
        drop(&a);
        drop(&x);
    }
    clsolve_gauss_jordan_batch_destroy(batch);
    type = own_type;
    assert_context_is_ours();
}

TEST(without_a_stream) {
    SCRATCH double *A = random_values(9, N * N), *B = random_values(10, N), *X = random_values(11, N);
    clsolve_context *other = NULL;
    clsolve_lu *lu = NULL;
    device_matrix a = put(CLSOLVE_COLUMN_MAJOR, N, N, A), b = put(CLSOLVE_COLUMN_MAJOR, N, 1, B);
    CU(cu.stream_wait(stream)); /* the library's own stream knows nothing of ours */
    assert_int_equal(clsolve_context_create_cuda((int)id, NULL, NULL, &other), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_create(other, N, type, NULL, &lu), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_factor(lu, &a.view), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &b.view), CLSOLVE_OK);
    clsolve_lu_destroy(lu);
    clsolve_context_destroy(other);
    get(&b, X);
    double ratio = ratio_solve(type, CLSOLVE_NO_TRANS, N, 1, A, X, B);
    if (!(ratio < RATIO_BOUND)) fail_msg("ratio %g", ratio);
    drop(&a);
    drop(&b);
}

/* CUDA's names for its default streams: what the caller has enqueued there comes before, without a wait. */
TEST(on_default_streams) {
    CUstream theirs[] = {CU_STREAM_LEGACY, CU_STREAM_PER_THREAD}, before = stream;
    clsolve_context *other = context;
    CUcontext popped = NULL;
    for (int s = 0; s < 2; s++) {
        /* They are the device's whatever context is current, and where none is. */
        CU(cu.context_pop(&popped));
        clsolve_status status = clsolve_context_create_cuda((int)id, theirs[s], NULL, &context);
        CU(cu.context_push(popped));
        assert_int_equal(status, CLSOLVE_OK);
        stream = theirs[s];
        for (int way = WAITING; way <= WITH_EVENTS; way++)
            factor_and_solve((how)way, CLSOLVE_COLUMN_MAJOR, CLSOLVE_NO_TRANS);
        clsolve_context_destroy(context);
        CU(cu.stream_wait(stream));
    }
    stream = before;
    context = other;
}

int main(void) {
    return CALLER_RUN;
}
