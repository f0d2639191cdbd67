/*
 * Each allocation on the host and each call of the driver fails in its turn while Gauss-Jordan and a band solve are
 * enqueued on the caller's own context, queue and buffers: B is the solution or what it was, the status is the
 * failure's, and the handle works again once the fault is gone.
 */
#include <clsolve/clsolve.h>
#include <clsolve/opencl.h>

#include <stdio.h>
#include <string.h>

#include "api/context.h"
#include "support/fault_run.h"
#include "support/opencl_caller.h"
#include "support/test_support.h"

enum { N = 20, NRHS = 2, ROWS = 3 };

static opencl_caller caller;
static cl_mem memory_A, memory_AB, memory_B;
static int banded;
static float A[N * N], AB[ROWS * N], B[N * NRHS]; /* A is tridiagonal, and AB the same matrix */

typedef struct handles {
    clsolve_gauss_jordan *full;
    clsolve_band *band;
} handles;

static int solved(const float *Y) {
    for (int i = 0; i < N; i++)
        for (int c = 0; c < NRHS; c++) {
            double sum = 0;
            for (int j = 0; j < N; j++) sum += (double)A[i + j * N] * (double)Y[j + c * N];
            double off = sum - (double)B[i + c * N];
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

static clsolve_status create(handles *h) {
    return banded ? clsolve_band_create(caller.context, N, 1, 1, CLSOLVE_F32, NULL, &h->band)
                  : clsolve_gauss_jordan_create(caller.context, N, CLSOLVE_F32, NULL, &h->full);
}

static clsolve_status enqueue(handles *h) {
    clsolve_matrix a = clsolve_opencl_matrix(CLSOLVE_F32, CLSOLVE_COLUMN_MAJOR, N, N, N, memory_A, 0);
    clsolve_matrix ab = clsolve_opencl_matrix(CLSOLVE_F32, CLSOLVE_COLUMN_MAJOR, ROWS, N, ROWS, memory_AB, 0);
    clsolve_matrix b = clsolve_opencl_matrix(CLSOLVE_F32, CLSOLVE_COLUMN_MAJOR, N, NRHS, N, memory_B, 0);
    cl_event factored = NULL, done = NULL;
    clsolve_status status = CLSOLVE_OK;
    if (banded) status = clsolve_band_factor_enqueue(h->band, &ab, EVENTS(0, NULL, &factored));
    cl_uint count = factored ? 1 : 0;
    const cl_event *wait = factored ? &factored : NULL;
    if (status == CLSOLVE_OK && banded)
        status = clsolve_band_solve_enqueue(h->band, CLSOLVE_NO_TRANS, &b, EVENTS(count, wait, &done));
    if (status == CLSOLVE_OK && !banded)
        status = clsolve_gauss_jordan_solve_enqueue(h->full, CLSOLVE_NO_TRANS, &a, &b, EVENTS(0, NULL, &done));
    assert_true((status == CLSOLVE_OK) == (done != NULL));
    clsolve_status told = banded ? clsolve_band_status(h->band) : clsolve_gauss_jordan_status(h->full);
    /* A call that is refused before it begins, because a check of its arrays failed, leaves no outcome. */
    assert_true(told == status || told == CLSOLVE_OK);
    if (factored) (void)clReleaseEvent(factored);
    if (done) (void)clReleaseEvent(done);
    return status;
}

static fault_outcome scenario(const char **failed) {
    fault_outcome out = {CLSOLVE_OK, ""};
    handles h = {NULL, NULL};
    float Y[N * NRHS];
    int64_t buffers = caller.context->device->counters.buffers;

    out.status = create(&h);
    int created = out.status == CLSOLVE_OK;
    if (created) out.status = enqueue(&h);
    *failed = faults_disarm();
    if (out.status != CLSOLVE_OK)
        (void)snprintf(out.message, sizeof out.message, "%s", clsolve_context_message(caller.context));
    get_B(Y);
    if (memcmp(Y, B, sizeof Y) != 0 || out.status == CLSOLVE_OK) assert_true(solved(Y));
    put_B();
    if (created && out.status != CLSOLVE_OK) {
        assert_int_equal(enqueue(&h), CLSOLVE_OK);
        get_B(Y);
        assert_true(solved(Y));
        put_B();
    }
    clsolve_gauss_jordan_destroy(h.full);
    clsolve_band_destroy(h.band);
    assert_int_equal(caller.context->device->counters.buffers, buffers);
    return out;
}

static void each_call(void **state) {
    for (banded = 0; banded < 2; banded++) {
        const char *failed = NULL;
        faults_arm(FAULT_DEVICE, INT64_MAX);
        assert_int_equal(scenario(&failed).status, CLSOLVE_OK); /* warms the driver's own caches */
        fault_each(FAULT_ALLOCATION, NULL, 1, scenario);
        fault_each(FAULT_DEVICE, NULL, 5, scenario);
    }
}

static cl_mem put(void *values, size_t bytes) {
    return clCreateBuffer(caller.cl, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, values, NULL);
}

static int open_all(void **state) {
    test_random random = test_random_start(1);
    for (int j = 0; j < N; j++)
        for (int d = 0; d < ROWS; d++) {
            int i = j + d - 1;
            AB[d + j * ROWS] = (float)test_random_signed(&random) + (d == 1 ? 4 : 0);
            if (i >= 0 && i < N) A[i + j * N] = AB[d + j * ROWS];
        }
    for (int k = 0; k < N * NRHS; k++) B[k] = (float)test_random_signed(&random);
    if (opencl_caller_open(&caller) != 0) return -1;
    memory_A = put(A, sizeof A);
    memory_AB = put(AB, sizeof AB);
    memory_B = put(B, sizeof B);
    return memory_A && memory_AB && memory_B ? 0 : -1;
}

static int close_all(void **state) {
    (void)clReleaseMemObject(memory_A);
    (void)clReleaseMemObject(memory_AB);
    (void)clReleaseMemObject(memory_B);
    return opencl_caller_close(&caller);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_call)};
    test_require_device();
    test_require_backend("opencl");
    return cmocka_run_group_tests(tests, open_all, close_all);
}
