/*
 * Each allocation on the host and each call of the driver fails in its turn while a factorization and a solve are
 * enqueued on the caller's own context, queue and buffers, and while it is asked how they went: B is the solution or what
 * it was, and the handle works again once the fault is gone.
 */
#include <clsolve/clsolve.h>
#include <clsolve/opencl.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/context.h"
#include "support/fault_run.h"
#include "support/opencl_caller.h"
#include "support/test_support.h"

enum { N = 20, NRHS = 2 };

static opencl_caller caller;
static cl_mem memory_A, memory_B;
static clsolve_layout layout;
static float A[N * N], B[N * NRHS];

static float element(const float *m, int rows, int cols, int i, int j) {
    return m[layout == CLSOLVE_COLUMN_MAJOR ? i + j * rows : i * cols + j];
}

static int solved(const float *Y) {
    for (int i = 0; i < N; i++)
        for (int c = 0; c < NRHS; c++) {
            double sum = 0;
            for (int j = 0; j < N; j++) sum += (double)element(A, N, N, i, j) * (double)element(Y, N, NRHS, j, c);
            double off = sum - (double)element(B, N, NRHS, i, c);
            if (!(off <= 1e-3 && -off <= 1e-3)) return 0;
        }
    return 1;
}

static void put_B(void) {
    assert_int_equal(clEnqueueWriteBuffer(caller.queue, memory_B, CL_TRUE, 0, sizeof B, B, 0, NULL, NULL), CL_SUCCESS);
}

static void get_B(float *Y) {
    assert_int_equal(clEnqueueReadBuffer(caller.queue, memory_B, CL_TRUE, 0, sizeof B, Y, 0, NULL, NULL), CL_SUCCESS);
}

static clsolve_status enqueue(clsolve_lu *lu) {
    int64_t lda = N, ldb = layout == CLSOLVE_COLUMN_MAJOR ? N : NRHS;
    clsolve_matrix a = clsolve_opencl_matrix(CLSOLVE_F32, layout, N, N, lda, memory_A, 0);
    clsolve_matrix b = clsolve_opencl_matrix(CLSOLVE_F32, layout, N, NRHS, ldb, memory_B, 0);
    cl_event factored = NULL, done = NULL;
    clsolve_status status = clsolve_lu_factor_enqueue(lu, &a, EVENTS(0, NULL, &factored));
    if (status == CLSOLVE_OK) status = clsolve_lu_solve_enqueue(lu, CLSOLVE_NO_TRANS, &b, EVENTS(1, &factored, &done));
    if (status == CLSOLVE_OK) status = clsolve_lu_status(lu);
    if (factored) (void)clReleaseEvent(factored);
    if (done) (void)clReleaseEvent(done);
    return status;
}

static fault_outcome scenario(const char **failed) {
    fault_outcome out = {CLSOLVE_OK, ""};
    clsolve_lu *lu = NULL;
    float Y[N * NRHS];
    int64_t buffers = caller.context->device->counters.buffers;

    out.status = clsolve_lu_create(caller.context, N, CLSOLVE_F32, NULL, &lu);
    if (out.status == CLSOLVE_OK) out.status = enqueue(lu);
    *failed = faults_disarm();
    if (out.status != CLSOLVE_OK)
        (void)snprintf(out.message, sizeof out.message, "%s", clsolve_context_message(caller.context));
    get_B(Y);
    if (memcmp(Y, B, sizeof Y) != 0 || out.status == CLSOLVE_OK) assert_true(solved(Y));
    put_B();
    if (lu && out.status != CLSOLVE_OK) {
        assert_int_equal(enqueue(lu), CLSOLVE_OK);
        get_B(Y);
        assert_true(solved(Y));
        put_B();
    }
    clsolve_lu_destroy(lu);
    assert_int_equal(caller.context->device->counters.buffers, buffers);
    return out;
}

static void each_call(void **state) {
    for (int l = 0; l < 2; l++) {
        const char *failed = NULL;
        layout = l ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR;
        faults_arm(FAULT_DEVICE, INT64_MAX);
        assert_int_equal(scenario(&failed).status, CLSOLVE_OK); /* warms the driver's own caches */
        fault_each(FAULT_ALLOCATION, NULL, 2, scenario);
        fault_each(FAULT_DEVICE, NULL, 10, scenario);
    }
}

static int open_all(void **state) {
    test_random random = test_random_start(1);
    for (int k = 0; k < N * N; k++) A[k] = (float)test_random_signed(&random) + (k % (N + 1) == 0 ? 4 : 0);
    for (int k = 0; k < N * NRHS; k++) B[k] = (float)test_random_signed(&random);
    if (opencl_caller_open(&caller) != 0) return -1;
    memory_A = clCreateBuffer(caller.cl, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof A, A, NULL);
    memory_B = clCreateBuffer(caller.cl, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof B, B, NULL);
    return memory_A && memory_B ? 0 : -1;
}

static int close_all(void **state) {
    (void)clReleaseMemObject(memory_A);
    (void)clReleaseMemObject(memory_B);
    return opencl_caller_close(&caller);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_call)};
    test_require_device();
    test_require_backend("opencl");
    return cmocka_run_group_tests(tests, open_all, close_all);
}
