/*
 * The caller's own CUDA: stream, device memory with offset and ld, events in and out, through clsolve/cuda.h. What lies
 * between the lines of a matrix, before and behind it, must not change, nor the thread's current context.
 */
#define _POSIX_C_SOURCE 200809L

#include <clsolve/clsolve.h>
#include <clsolve/cuda.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/cuda/driver.h"
#include "lu/ratios.h"
#include "support/test_support.h"

enum { N = 75, NRHS = 6, OFFSET = 37, BEHIND = 11 };

static cls_cuda_driver cu;
static CUdevice id;
static CUcontext own; /* the device's primary context, current throughout */
static CUstream stream;
static clsolve_context *context;
static clsolve_type type;

#define WORKS(call)                                                                                                    \
    do {                                                                                                               \
        if ((call) != CLSOLVE_OK) fail_msg("%s", clsolve_context_message(context));                                    \
    } while (0)
#define CU(call) assert_int_equal((call), CUDA_SUCCESS)

static int open_all(void **state) {
    char message[512] = "";
    clsolve_context_options options = {.message = message, .message_size = sizeof message};
    (void)state;
    if (cu.primary_retain(&own, id) != CUDA_SUCCESS || cu.context_push(own) != CUDA_SUCCESS) return -1;
    if (cu.stream_create(&stream, CU_STREAM_NON_BLOCKING, 0) != CUDA_SUCCESS) return -1;
    if (clsolve_context_create_cuda((int)id, stream, &options, &context) != CLSOLVE_OK) {
        print_error("%s\n", message);
        return -1;
    }
    type = clsolve_context_device(context).fp64 ? CLSOLVE_F64 : CLSOLVE_F32;
    return 0;
}

static int close_all(void **state) {
    CUcontext popped = NULL;
    (void)state;
    clsolve_context_destroy(context);
    if (cu.stream_destroy(stream) != CUDA_SUCCESS) return -1; /* still the caller's */
    if (cu.context_pop(&popped) != CUDA_SUCCESS || popped != own) return -1;
    return cu.primary_release(id) == CUDA_SUCCESS ? 0 : -1;
}

/* ---- the caller's side ---- */

/* A matrix in memory of the caller's, with something before, between and behind. */
typedef struct device_matrix {
    clsolve_matrix view;
    test_matrix host; /* what was put there, lines and what is between them */
    CUdeviceptr memory;
    size_t bytes, before;
} device_matrix;

/* Only enqueued: nobody waits for it. */
static device_matrix put(clsolve_layout layout, int64_t rows, int64_t cols, const double *values) {
    device_matrix d;
    size_t size = type == CLSOLVE_F64 ? 8 : 4;
    d.host = test_matrix_make(type, layout, rows, cols, 3);
    test_matrix_set(&d.host, values);
    d.before = OFFSET * size;
    d.bytes = (size_t)(d.host.lines * d.host.view.ld) * size;
    CU(cu.memory_alloc(&d.memory, d.before + d.bytes + BEHIND));
    CU(cu.set_bytes(d.memory, 0x5a, d.before + d.bytes + BEHIND, stream));
    CU(cu.copy_up(d.memory + d.before, d.host.memory, d.bytes, stream));
    d.view = clsolve_cuda_matrix(type, layout, rows, cols, d.host.view.ld, (void *)(uintptr_t)d.memory, OFFSET);
    return d;
}

/* What is there when the stream has come to this point; the surroundings are intact. */
static void get(device_matrix *d, double *values) {
    size_t all = d->before + d->bytes + BEHIND;
    char *copy = malloc(all);
    assert_non_null(copy);
    CU(cu.copy_down(copy, d->memory, all, stream));
    CU(cu.stream_wait(stream));
    for (size_t i = 0; i < all; i++)
        if (i < d->before || i >= d->before + d->bytes) assert_int_equal(copy[i], 0x5a);
    memcpy(d->host.memory, copy + d->before, d->bytes);
    test_matrix_spare_intact(&d->host);
    test_matrix_get(&d->host, values);
    free(copy);
}

static void drop(device_matrix *d) {
    CU(cu.memory_free(d->memory));
    test_matrix_free(&d->host);
}

static double *random_values(uint64_t use, int64_t count) {
    test_random random = test_random_start(use);
    double *values = calloc((size_t)count, sizeof *values);
    assert_non_null(values);
    for (int64_t k = 0; k < count; k++) values[k] = test_rounded(type, test_random_signed(&random));
    return values;
}

static void assert_same(const double *a, const double *b, int64_t count) {
    for (int64_t k = 0; k < count; k++) assert_true(a[k] == b[k]);
}

static clsolve_lu *make(void) {
    clsolve_lu *lu = NULL;
    WORKS(clsolve_lu_create(context, N, type, NULL, &lu));
    return lu;
}

static void assert_context_is_ours(void) {
    CUdevice now = -1;
    CUcontext popped = NULL;
    CU(cu.context_device(&now));
    assert_int_equal(now, id);
    CU(cu.context_pop(&popped));
    assert_ptr_equal(popped, own);
    CU(cu.context_push(own));
}

/* ---- factor and solve ---- */

typedef enum how { WAITING, ENQUEUED, WITH_EVENTS } how;

static void factor_and_solve(how way, clsolve_layout layout, clsolve_op op) {
    double *A = random_values(1, N * N), *B = random_values(2, N * NRHS), *X = random_values(3, N * NRHS);
    double *back = random_values(4, N * N);
    device_matrix a = put(layout, N, N, A), b = put(layout, N, NRHS, B);
    CUevent there = NULL, factored = NULL, done = NULL;
    clsolve_report report;
    clsolve_lu *lu = make();

    if (way == WAITING) {
        WORKS(clsolve_lu_factor(lu, &a.view));
        WORKS(clsolve_lu_solve(lu, op, &b.view));
    } else if (way == ENQUEUED) {
        WORKS(clsolve_lu_factor_enqueue_cuda(lu, &a.view, 0, NULL, NULL));
        WORKS(clsolve_lu_solve_enqueue_cuda(lu, op, &b.view, 0, NULL, NULL));
    } else {
        CU(cu.event_create(&there, CU_EVENT_DISABLE_TIMING));
        CU(cu.event_record(there, stream));
        WORKS(clsolve_lu_factor_enqueue_cuda(lu, &a.view, 1, &there, &factored));
        WORKS(clsolve_lu_solve_enqueue_cuda(lu, op, &b.view, 1, &factored, &done));
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
    free(A), free(B), free(X), free(back);
}

static void each_way(void **state) {
    (void)state;
    for (int way = WAITING; way <= WITH_EVENTS; way++)
        for (int layout = CLSOLVE_COLUMN_MAJOR; layout <= CLSOLVE_ROW_MAJOR; layout++)
            for (int op = CLSOLVE_NO_TRANS; op <= CLSOLVE_TRANS; op++)
                factor_and_solve((how)way, (clsolve_layout)layout, (clsolve_op)op);
}

static void singular_leaves_b(void **state) {
    double *A = random_values(5, N * N), *B = random_values(6, N * NRHS), *back = random_values(7, N * NRHS);
    (void)state;
    for (int i = 0; i < N; i++) A[i + 7 * N] = 0;
    device_matrix a = put(CLSOLVE_COLUMN_MAJOR, N, N, A), b = put(CLSOLVE_COLUMN_MAJOR, N, NRHS, B);
    clsolve_lu *lu = make();
    WORKS(clsolve_lu_factor_enqueue_cuda(lu, &a.view, 0, NULL, NULL));
    for (int known = 0; known < 2; known++) { /* an outcome of the numbers is no failure to enqueue */
        CUevent done = NULL;
        WORKS(clsolve_lu_solve_enqueue_cuda(lu, CLSOLVE_NO_TRANS, &b.view, 0, NULL, &done));
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
    free(A), free(B), free(back);
}

/* A block-tridiagonal system whose arrays all lie there, columns of a matrix being its lines: nothing crosses. */
static void a_grid_stays_there(void **state) {
    enum { LINES = 13, POINTS = 29, ALL = LINES * POINTS };
    double *values[7], Y[ALL]; /* up, a, c, b, down, F, Y: F so that the solution is all ones */
    device_matrix m[7];
    clsolve_grid g[7];
    clsolve_block_tridiag *handle = NULL;
    clsolve_block_tridiag_result result;
    (void)state;
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
    WORKS(clsolve_block_tridiag_create(context, LINES, POINTS, type, NULL, &handle));
    WORKS(clsolve_block_tridiag_set(handle, &g[0], &g[1], &g[2], &g[3], &g[4]));
    WORKS(clsolve_block_tridiag_solve(handle, &g[5], &g[6], 1));
    WORKS(clsolve_block_tridiag_result_get(handle, &result));
    assert_int_equal(result.report.bytes_up, 0);
    assert_true(result.report.bytes_down < 4096);
    get(&m[6], Y);
    for (int o = 0; o < ALL; o++) assert_true(Y[o] - 1 < 1e-4 && 1 - Y[o] < 1e-4);
    clsolve_block_tridiag_destroy(handle);
    assert_context_is_ours();
    for (int q = 0; q < 7; q++) {
        drop(&m[q]);
        free(values[q]);
    }
}

/* ---- what is refused ---- */

#define REFUSED(call, text)                                                                                            \
    do {                                                                                                               \
        assert_int_equal((call), CLSOLVE_ERROR_INVALID_ARGUMENT);                                                      \
        if (!strstr(clsolve_context_message(context), text)) fail_msg("%s", clsolve_context_message(context));         \
    } while (0)

static void bad_memory_is_refused(void **state) {
    double *A = random_values(8, N * N);
    (void)state;
    device_matrix a = put(CLSOLVE_COLUMN_MAJOR, N, N, A);
    clsolve_lu *lu = make();
    clsolve_matrix bad = a.view;
    bad.data = A; /* the host's */
    REFUSED(clsolve_lu_factor(lu, &bad), "no memory on a CUDA device");
    bad = a.view, bad.offset += BEHIND; /* beyond the end */
    assert_int_equal(clsolve_lu_factor(lu, &bad), CLSOLVE_ERROR_INVALID_ARGUMENT);
    bad = a.host.view;
    REFUSED(clsolve_lu_factor_enqueue_cuda(lu, &bad, 0, NULL, NULL), "clsolve_cuda_matrix()");
    REFUSED(clsolve_lu_factor_enqueue_cuda(lu, &a.view, 1, NULL, NULL), "wait list");
    REFUSED(clsolve_lu_factor_enqueue_cuda(lu, &a.view, -1, NULL, NULL), "wait list");
    WORKS(clsolve_lu_factor(lu, &a.view)); /* none of that stays */
    clsolve_lu_destroy(lu);

    /* A context of the library's own takes none, for its stream and the caller's are in no order. */
    clsolve_context *plain = NULL;
    assert_int_equal(clsolve_context_create(test_selector(), &plain), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_create(plain, N, type, NULL, &lu), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_factor(lu, &a.view), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(clsolve_context_message(plain), "clsolve_context_create_cuda"));
    clsolve_lu_destroy(lu);
    clsolve_context_destroy(plain);
    drop(&a);
    free(A);
}

static void memory_of_another_device_is_refused(void **state) {
    double *A = random_values(12, N * N);
    CUdevice other = id == 0 ? 1 : 0;
    CUcontext there = NULL, popped = NULL;
    CUdeviceptr memory = 0;
    int count = 0;
    (void)state;
    CU(cu.device_count(&count));
    if (count < 2) skip();
    CU(cu.primary_retain(&there, other));
    CU(cu.context_push(there));
    CU(cu.memory_alloc(&memory, N * N * sizeof *A));
    CU(cu.context_pop(&popped));
    clsolve_lu *lu = make();
    clsolve_matrix bad = clsolve_cuda_matrix(type, CLSOLVE_COLUMN_MAJOR, N, N, N, (void *)(uintptr_t)memory, 0);
    REFUSED(clsolve_lu_factor(lu, &bad), "another CUDA device");
    REFUSED(clsolve_lu_factor_enqueue_cuda(lu, &bad, 0, NULL, NULL), "another CUDA device");
    clsolve_lu_destroy(lu);
    CU(cu.context_push(there));
    CU(cu.memory_free(memory));
    CU(cu.context_pop(&popped));
    CU(cu.primary_release(other));
    free(A);
}

/* What counts is what is left behind it. */
static void a_pointer_into_an_allocation(void **state) {
    double *A = random_values(13, N * N);
    size_t size = type == CLSOLVE_F64 ? 8 : 4;
    (void)state;
    device_matrix a = put(CLSOLVE_COLUMN_MAJOR, N, N, A);
    clsolve_lu *lu = make();
    clsolve_matrix within = a.view;
    within.data = (char *)a.view.data + OFFSET * size;
    within.offset = 0;
    WORKS(clsolve_lu_factor(lu, &within));
    within.data = (char *)within.data + 2 * BEHIND * size; /* the last elements are beyond */
    assert_int_equal(clsolve_lu_factor(lu, &within), CLSOLVE_ERROR_INVALID_ARGUMENT);
    clsolve_lu_destroy(lu);
    drop(&a);
    free(A);
}

static void bad_devices_are_refused(void **state) {
    int count = 0;
    char message[512] = "";
    clsolve_context_options options = {.message = message, .message_size = sizeof message};
    clsolve_context *other = context;
    (void)state;
    CU(cu.device_count(&count));
    assert_int_equal(clsolve_context_create_cuda(count, NULL, &options, &other), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_null(other);
    assert_non_null(strstr(message, "clsolve_context_create_cuda"));
    assert_int_equal(clsolve_context_create_cuda(-1, NULL, &options, &other), CLSOLVE_ERROR_INVALID_ARGUMENT);
    if (count < 2) return;
    assert_int_equal(clsolve_context_create_cuda((int)id == 0 ? 1 : 0, stream, &options, &other),
                     CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(message, "another device"));
    assert_context_is_ours();
}

static void without_a_stream(void **state) {
    double *A = random_values(9, N * N), *B = random_values(10, N), *X = random_values(11, N);
    clsolve_context *other = NULL;
    clsolve_lu *lu = NULL;
    (void)state;
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
    free(A), free(B), free(X);
}

/* CUDA's names for its default streams: what the caller has enqueued there comes before, without a wait. */
static void on_default_streams(void **state) {
    CUstream theirs[] = {CU_STREAM_LEGACY, CU_STREAM_PER_THREAD}, before = stream;
    clsolve_context *other = context;
    CUcontext popped = NULL;
    (void)state;
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
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_way),
        cmocka_unit_test(singular_leaves_b),
        cmocka_unit_test(a_grid_stays_there),
        cmocka_unit_test(bad_memory_is_refused),
        cmocka_unit_test(memory_of_another_device_is_refused),
        cmocka_unit_test(a_pointer_into_an_allocation),
        cmocka_unit_test(bad_devices_are_refused),
        cmocka_unit_test(without_a_stream),
        cmocka_unit_test(on_default_streams),
    };
    char why[256];
    int count = 0;
    if (!cls_cuda_driver_load(&cu, why, sizeof why) || cu.device_count(&count) != CUDA_SUCCESS || count == 0) {
        fprintf(stderr, "skipped: no CUDA device here: %s\n", why);
        return TEST_SKIPPED;
    }
    /* Of the caller's side this is about CUDA, whatever else the tests are to run on. */
    const char *wanted = test_selector();
    int number = 0;
    if (wanted && sscanf(wanted, "cuda:%d", &number) == 1) id = number;
    if (!wanted || strncmp(wanted, "cuda", 4) != 0) (void)setenv("CLSOLVE_TEST_DEVICE", "cuda:0", 1);
    int failed = cmocka_run_group_tests(tests, open_all, close_all);
    cls_cuda_driver_unload(&cu);
    return failed;
}
