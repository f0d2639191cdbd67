/*
 * The caller's own OpenCL: context, device and queue, matrices in the caller's buffers with offset and ld, wait lists in
 * and events out. What lies between the lines of a matrix, before and behind it, must not change.
 */
#include <clsolve/clsolve.h>
#include <clsolve/opencl.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/context.h"
#include "lu/ratios.h"
#include "support/test_support.h"

enum { N = 75, NRHS = 6, OFFSET = 37, BEHIND = 11 };

static cl_context cl;
static cl_device_id id;
static cl_command_queue queue;
static clsolve_context *context;
static clsolve_type type;

/* ---- the caller's side ---- */

/* The device that the tests are to run on, found by the name that the library gives it. */
static int find_device(void) {
    clsolve_context *any = test_context(1);
    clsolve_device_info info = clsolve_context_device(any);
    cl_platform_id platforms[16];
    cl_uint count = 0;
    clsolve_context_destroy(any);
    if (clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS) return 0;
    for (cl_uint p = 0; p < count && p < 16; p++) {
        cl_device_id ids[16];
        cl_uint devices = 0;
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 16, ids, &devices) != CL_SUCCESS) continue;
        for (cl_uint d = 0; d < devices && d < 16; d++) {
            char name[256] = "";
            (void)clGetDeviceInfo(ids[d], CL_DEVICE_NAME, sizeof name, name, NULL);
            if (strstr(name, info.name)) {
                id = ids[d];
                return 1;
            }
        }
    }
    return 0;
}

static int open_all(void **state) {
    cl_int code = CL_SUCCESS;
    (void)state;
    if (!find_device()) return -1;
    cl = clCreateContext(NULL, 1, &id, NULL, NULL, &code);
    if (cl) queue = clCreateCommandQueue(cl, id, 0, &code);
    if (code != CL_SUCCESS) return -1;
    if (clsolve_context_create_opencl(cl, id, queue, NULL, &context) != CLSOLVE_OK) return -1;
    type = clsolve_context_device(context).fp64 ? CLSOLVE_F64 : CLSOLVE_F32;
    return 0;
}

static int close_all(void **state) {
    (void)state;
    int64_t left = context->device->counters.buffers;
    clsolve_context_destroy(context);
    (void)clReleaseCommandQueue(queue);
    (void)clReleaseContext(cl);
    return left == 0 ? 0 : -1;
}

/* A matrix in a buffer of the caller's, with something before, between and behind. */
typedef struct device_matrix {
    clsolve_matrix view;
    test_matrix host; /* what was put there, lines and what is between them */
    cl_mem memory;
    size_t bytes, before;
} device_matrix;

static device_matrix put(clsolve_layout layout, int64_t rows, int64_t cols, const double *values) {
    device_matrix d;
    cl_int code = CL_SUCCESS;
    size_t size = type == CLSOLVE_F64 ? 8 : 4;
    d.host = test_matrix_make(type, layout, rows, cols, 3);
    test_matrix_set(&d.host, values);
    d.before = OFFSET * size;
    d.bytes = (size_t)(d.host.lines * d.host.view.ld) * size;
    d.memory = clCreateBuffer(cl, CL_MEM_READ_WRITE, d.before + d.bytes + BEHIND, NULL, &code);
    assert_int_equal(code, CL_SUCCESS);
    const char pattern = 0x5a;
    assert_int_equal(clEnqueueFillBuffer(queue, d.memory, &pattern, 1, 0, d.before + d.bytes + BEHIND, 0, NULL, NULL),
                     0);
    assert_int_equal(clEnqueueWriteBuffer(queue, d.memory, CL_TRUE, d.before, d.bytes, d.host.memory, 0, NULL, NULL),
                     0);
    d.view = clsolve_opencl_matrix(type, layout, rows, cols, d.host.view.ld, d.memory, OFFSET);
    return d;
}

/* What is there now, behind `wait`; the surroundings are intact. */
static void get(device_matrix *d, const cl_event *wait, double *values) {
    size_t all = d->before + d->bytes + BEHIND;
    char *copy = malloc(all);
    assert_non_null(copy);
    assert_int_equal(clEnqueueReadBuffer(queue, d->memory, CL_TRUE, 0, all, copy, wait ? 1 : 0, wait, NULL), 0);
    for (size_t i = 0; i < all; i++)
        if (i < d->before || i >= d->before + d->bytes) assert_int_equal(copy[i], 0x5a);
    memcpy(d->host.memory, copy + d->before, d->bytes);
    test_matrix_spare_intact(&d->host);
    test_matrix_get(&d->host, values);
    free(copy);
}

static void drop(device_matrix *d) {
    (void)clReleaseMemObject(d->memory);
    test_matrix_free(&d->host);
}

static double *random_values(uint64_t use, int64_t count) {
    test_random random = test_random_start(use);
    double *values = calloc((size_t)count, sizeof *values);
    assert_non_null(values);
    for (int64_t k = 0; k < count; k++) values[k] = test_rounded(type, test_random_signed(&random));
    return values;
}

static void same(const double *a, const double *b, int64_t count) {
    for (int64_t k = 0; k < count; k++) assert_true(a[k] == b[k]);
}

static clsolve_lu *make(void) {
    clsolve_lu *lu = NULL;
    if (clsolve_lu_create(context, N, type, NULL, &lu) != CLSOLVE_OK) fail_msg("%s", clsolve_context_message(context));
    return lu;
}

/* ---- calls that wait ---- */

static void factor_and_solve(clsolve_layout layout, clsolve_op op) {
    double *A = random_values(1, N * N), *B = random_values(2, N * NRHS), *X = random_values(3, N * NRHS);
    double *back = random_values(4, N * N);
    device_matrix a = put(layout, N, N, A), b = put(layout, N, NRHS, B);
    clsolve_report report;
    clsolve_lu *lu = make();

    if (clsolve_lu_factor(lu, &a.view) != CLSOLVE_OK) fail_msg("%s", clsolve_context_message(context));
    if (clsolve_lu_solve(lu, op, &b.view) != CLSOLVE_OK) fail_msg("%s", clsolve_context_message(context));
    get(&a, NULL, back);
    same(back, A, N * N);
    get(&b, NULL, X);
    double ratio = ratio_solve(type, op, N, NRHS, A, X, B);
    if (!(ratio < RATIO_BOUND)) fail_msg("ratio %g", ratio);
    /* No matrix has crossed: only what the searches for NaN and the pivots leave. */
    assert_int_equal(clsolve_lu_report(lu, &report), CLSOLVE_OK);
    assert_int_equal(report.bytes_up, 0);
    assert_int_equal(report.transfers_up, 0);
    assert_in_range(report.bytes_down, 0, 4 * 256 * 8 + 64);
    clsolve_lu_destroy(lu);
    drop(&a);
    drop(&b);
    free(A);
    free(B);
    free(X);
    free(back);
}

static void matrices_on_the_device(void **state) {
    (void)state;
    factor_and_solve(CLSOLVE_COLUMN_MAJOR, CLSOLVE_NO_TRANS);
    factor_and_solve(CLSOLVE_COLUMN_MAJOR, CLSOLVE_TRANS);
    factor_and_solve(CLSOLVE_ROW_MAJOR, CLSOLVE_NO_TRANS);
    factor_and_solve(CLSOLVE_ROW_MAJOR, CLSOLVE_TRANS);
}

/* L\U into the caller's buffer, in both layouts, equals what comes to the host. */
static void factors_to_the_device(void **state) {
    (void)state;
    double *A = random_values(1, N * N), *on_host = random_values(2, N * N), *on_device = random_values(3, N * N);
    clsolve_lu *lu = make();
    for (int layout = CLSOLVE_COLUMN_MAJOR; layout <= CLSOLVE_ROW_MAJOR; layout++) {
        device_matrix a = put((clsolve_layout)layout, N, N, A);
        test_matrix f = test_matrix_make(type, (clsolve_layout)layout, N, N, 0);
        assert_int_equal(clsolve_lu_factor(lu, &a.view), CLSOLVE_OK);
        assert_int_equal(clsolve_lu_factors(lu, &f.view, NULL), CLSOLVE_OK);
        assert_int_equal(clsolve_lu_factors(lu, &a.view, NULL), CLSOLVE_OK);
        test_matrix_get(&f, on_host);
        get(&a, NULL, on_device);
        same(on_host, on_device, N * N);
        test_matrix_free(&f);
        drop(&a);
    }
    clsolve_lu_destroy(lu);
    free(A);
    free(on_host);
    free(on_device);
}

static void failures_change_nothing(void **state) {
    (void)state;
    double *A = random_values(1, N * N), *B = random_values(2, N * NRHS), *back = random_values(3, N * NRHS);
    clsolve_lu *lu = make();
    device_matrix b = put(CLSOLVE_COLUMN_MAJOR, N, NRHS, B);
    for (int k = 0; k < N; k++) A[k + 7 * N] = 0;
    device_matrix a = put(CLSOLVE_COLUMN_MAJOR, N, N, A);
    assert_int_equal(clsolve_lu_factor(lu, &a.view), CLSOLVE_SINGULAR);
    assert_int_equal(clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &b.view), CLSOLVE_SINGULAR);
    get(&b, NULL, back);
    same(back, B, N * NRHS);

    /* Beyond the buffer, a negative offset, a buffer of another context. */
    clsolve_matrix bad = a.view;
    bad.offset = OFFSET + 2;
    assert_int_equal(clsolve_lu_factor(lu, &bad),
                     CLSOLVE_OK + CLSOLVE_SINGULAR); /* the spare room behind is the buffer's */
    bad.offset = OFFSET + 200;
    assert_int_equal(clsolve_lu_factor(lu, &bad), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(clsolve_context_message(context), "elements"));
    bad.offset = -1;
    assert_int_equal(clsolve_lu_factor(lu, &bad), CLSOLVE_ERROR_INVALID_ARGUMENT);
    bad.offset = INT64_MAX;
    assert_int_equal(clsolve_lu_factor(lu, &bad), CLSOLVE_ERROR_INVALID_ARGUMENT);
    bad.offset = 0, bad.ld = INT64_MAX / 16 / N;
    assert_int_equal(clsolve_lu_factor(lu, &bad), CLSOLVE_ERROR_INVALID_ARGUMENT);
    bad = a.view, bad.place = (clsolve_place)7;
    assert_int_equal(clsolve_lu_factor(lu, &bad), CLSOLVE_ERROR_INVALID_ARGUMENT);
    clsolve_context *other = test_context(1);
    clsolve_lu *of_other = NULL;
    assert_int_equal(clsolve_lu_create(other, N, type, NULL, &of_other), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_factor(of_other, &a.view), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(clsolve_context_message(other), "cl_context"));
    clsolve_lu_destroy(of_other);
    clsolve_context_destroy(other);
    clsolve_lu_destroy(lu);
    drop(&a);
    drop(&b);
    free(A);
    free(B);
    free(back);
}

/* ---- calls that don't ---- */

/* Where the products run on the host, the calls wait for what they wait for. */
static int runs_ahead(void) {
    return !clsolve_context_device(context).host_memory;
}

/* Factor and two solves behind an event that is set only when all is enqueued: nothing can have waited. */
static void enqueued(clsolve_layout layout) {
    double *A = random_values(1, N * N), *B = random_values(2, N * NRHS), *X = random_values(3, N * NRHS);
    device_matrix a = put(layout, N, N, A), b = put(layout, N, NRHS, B), c = put(layout, N, NRHS, B);
    clsolve_lu *lu = make();
    cl_int code = CL_SUCCESS, at = CL_COMPLETE;
    cl_event gate = clCreateUserEvent(cl, &code), first = NULL, second = NULL;
    assert_int_equal(code, CL_SUCCESS);
    if (!runs_ahead()) (void)clSetUserEventStatus(gate, CL_COMPLETE);

    if (clsolve_lu_factor_enqueue(lu, &a.view, 1, &gate, NULL) != CLSOLVE_OK)
        fail_msg("%s", clsolve_context_message(context));
    if (clsolve_lu_solve_enqueue(lu, CLSOLVE_NO_TRANS, &b.view, 0, NULL, &first) != CLSOLVE_OK)
        fail_msg("%s", clsolve_context_message(context));
    assert_int_equal(clsolve_lu_solve_enqueue(lu, CLSOLVE_TRANS, &c.view, 1, &first, &second), CLSOLVE_OK);
    if (runs_ahead()) {
        assert_int_equal(clGetEventInfo(first, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof at, &at, NULL), CL_SUCCESS);
        assert_true(at > CL_COMPLETE);
        (void)clSetUserEventStatus(gate, CL_COMPLETE);
    }
    get(&b, &first, X);
    double ratio = ratio_solve(type, CLSOLVE_NO_TRANS, N, NRHS, A, X, B);
    if (!(ratio < RATIO_BOUND)) fail_msg("ratio %g", ratio);
    get(&c, &second, X);
    ratio = ratio_solve(type, CLSOLVE_TRANS, N, NRHS, A, X, B);
    if (!(ratio < RATIO_BOUND)) fail_msg("ratio %g, transposed", ratio);
    assert_int_equal(clsolve_lu_status(lu), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_status(lu), CLSOLVE_OK);

    /* One that waits, after those that don't. */
    device_matrix d = put(layout, N, NRHS, B);
    assert_int_equal(clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &d.view), CLSOLVE_OK);
    drop(&d);
    (void)clReleaseEvent(gate);
    (void)clReleaseEvent(first);
    (void)clReleaseEvent(second);
    clsolve_lu_destroy(lu);
    drop(&a);
    drop(&b);
    drop(&c);
    free(A);
    free(B);
    free(X);
}

static void enqueued_calls(void **state) {
    (void)state;
    enqueued(CLSOLVE_COLUMN_MAJOR);
    enqueued(CLSOLVE_ROW_MAJOR);
}

/* What the host learns only later: each outcome, with B as it was. */
static void one_outcome(double *A, double *B, clsolve_status expected, const char *words) {
    double *back = random_values(9, N * NRHS);
    device_matrix a = put(CLSOLVE_COLUMN_MAJOR, N, N, A), b = put(CLSOLVE_COLUMN_MAJOR, N, NRHS, B);
    clsolve_lu *lu = make();
    cl_event done = NULL;
    assert_int_equal(clsolve_lu_factor_enqueue(lu, &a.view, 0, NULL, NULL), CLSOLVE_OK);
    clsolve_status status = clsolve_lu_solve_enqueue(lu, CLSOLVE_NO_TRANS, &b.view, 0, NULL, &done);
    if (runs_ahead()) assert_int_equal(status, CLSOLVE_OK);
    get(&b, done ? &done : NULL, back);
    for (int k = 0; k < N * NRHS; k++) assert_true(back[k] == B[k] || B[k] != B[k]);
    status = clsolve_lu_status(lu);
    if (runs_ahead()) assert_int_equal(status, expected);
    assert_true(status != CLSOLVE_OK);
    if (runs_ahead() && !strstr(clsolve_context_message(context), words))
        fail_msg("%s", clsolve_context_message(context));
    if (done) (void)clReleaseEvent(done);
    clsolve_lu_destroy(lu);
    drop(&a);
    drop(&b);
    free(back);
}

static void outcomes_are_kept(void **state) {
    (void)state;
    double *A = random_values(1, N * N), *B = random_values(2, N * NRHS), kept = A[5 + 6 * N];
    B[3 + 2 * N] = (double)NAN;
    one_outcome(A, B, CLSOLVE_ERROR_NONFINITE, "B(4,3)");
    B[3 + 2 * N] = 1;
    A[5 + 6 * N] = (double)NAN;
    one_outcome(A, B, CLSOLVE_ERROR_NONFINITE, "A(6,7)");
    A[5 + 6 * N] = kept;
    for (int i = 0; i < N; i++) A[i + 33 * N] = 0;
    one_outcome(A, B, CLSOLVE_SINGULAR, "U(34,34)");
    free(A);
    free(B);
}

static void enqueue_arguments(void **state) {
    (void)state;
    double *A = random_values(1, N * N);
    device_matrix a = put(CLSOLVE_COLUMN_MAJOR, N, N, A);
    clsolve_matrix host = clsolve_host_f64(N, N, A), bad = a.view;
    cl_event none = NULL;
    clsolve_lu *lu = make();
    host.type = type;
    assert_int_equal(clsolve_lu_status(lu), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_status(NULL), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_lu_factor_enqueue(lu, &host, 0, NULL, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_lu_factor_enqueue(lu, &a.view, 1, NULL, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_lu_factor_enqueue(lu, &a.view, 0, &none, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_lu_solve_enqueue(lu, CLSOLVE_NO_TRANS, &a.view, 0, NULL, NULL), CLSOLVE_ERROR_STATE);
    bad.offset = OFFSET + 1000;
    assert_int_equal(clsolve_lu_factor_enqueue(lu, &bad, 0, NULL, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_lu_solve_enqueue(lu, CLSOLVE_NO_TRANS, &a.view, 0, NULL, NULL), CLSOLVE_ERROR_STATE);
    clsolve_lu_destroy(lu);
    drop(&a);
    free(A);
}

/* ---- making the context ---- */

static void contexts(void **state) {
    (void)state;
    cl_int code = CL_SUCCESS;
    char message[512];
    clsolve_context_options options = {.message = message, .message_size = sizeof message};
    clsolve_context *made = (clsolve_context *)message;
    assert_int_equal(clsolve_context_create_opencl(NULL, id, queue, &options, &made), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_null(made);
    assert_non_null(strstr(message, "NULL"));
    assert_int_equal(clsolve_context_create_opencl(cl, id, queue, &options, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT);

    cl_command_queue wild = clCreateCommandQueue(cl, id, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
    if (wild) { /* some devices have none */
        assert_int_equal(clsolve_context_create_opencl(cl, id, wild, &options, &made), CLSOLVE_ERROR_INVALID_ARGUMENT);
        assert_non_null(strstr(message, "out of order"));
        (void)clReleaseCommandQueue(wild);
    }
    cl_context another = clCreateContext(NULL, 1, &id, NULL, NULL, &code);
    assert_int_equal(code, CL_SUCCESS);
    assert_int_equal(clsolve_context_create_opencl(another, id, queue, &options, &made),
                     CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(message, "another context"));

    /* Without a queue, and outliving what it was made of. */
    assert_int_equal(clsolve_context_create_opencl(another, id, NULL, &options, &made), CLSOLVE_OK);
    assert_string_equal(message, "");
    (void)clReleaseContext(another);
    double a[] = {2}, b[] = {6};
    float fa[] = {2}, fb[] = {6};
    clsolve_matrix A = clsolve_host_f64(1, 1, a), B = clsolve_host_f64(1, 1, b);
    if (type == CLSOLVE_F32) A = clsolve_host_f32(1, 1, fa), B = clsolve_host_f32(1, 1, fb);
    assert_int_equal(clsolve_solve(made, &A, &B, NULL, NULL), CLSOLVE_OK);
    assert_true((type == CLSOLVE_F32 ? (double)fb[0] : b[0]) == 3);
    clsolve_context_destroy(made);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrices_on_the_device),
        cmocka_unit_test(factors_to_the_device),
        cmocka_unit_test(failures_change_nothing),
        cmocka_unit_test(enqueued_calls),
        cmocka_unit_test(outcomes_are_kept),
        cmocka_unit_test(enqueue_arguments),
        cmocka_unit_test(contexts),
    };
    test_require_device();
    test_require_backend("opencl");
    return cmocka_run_group_tests(tests, open_all, close_all);
}
