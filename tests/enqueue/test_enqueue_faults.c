/*
 * Each allocation on the host and each call of the driver fails in its turn while Gauss-Jordan, a band and LU are
 * enqueued on the caller's own context, queue and buffers, and while LU is asked how it went: B is the solution or what
 * it was, the status is the failure's, and the handle works again once the fault is gone.
 */
#include <clsolve/clsolve.h>
#include <clsolve/opencl.h>

#include "api/context.h"
#include "support/fault_run.h"
#include "support/opencl_caller.h"
#include "support/test_support.h"

enum { N = 20, NRHS = 2, ROWS = 3 };

static opencl_caller caller;
static cl_mem memory_A, memory_AB, memory_B;
static enum { JORDAN, BAND, LU, LU_ROWS, KINDS } kind; /* LU_ROWS: of row-major matrices */
static float A[N * N], AB[ROWS * N], B[N * NRHS];      /* A is tridiagonal, and AB the same matrix */

typedef struct handles {
    clsolve_gauss_jordan *full;
    clsolve_band *band;
    clsolve_lu *lu;
} handles;

static double element(const float *m, int rows, int cols, int i, int j) {
    return (double)m[kind == LU_ROWS ? i * cols + j : i + j * rows];
}

static int solved(const float *Y) {
    for (int i = 0; i < N; i++)
        for (int c = 0; c < NRHS; c++) {
            double sum = 0;
            for (int j = 0; j < N; j++) sum += element(A, N, N, i, j) * element(Y, N, NRHS, j, c);
            double off = sum - element(B, N, NRHS, i, c);
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
    if (kind == BAND) return clsolve_band_create(caller.context, N, 1, 1, CLSOLVE_F32, NULL, &h->band);
    if (kind == JORDAN) return clsolve_gauss_jordan_create(caller.context, N, CLSOLVE_F32, NULL, &h->full);
    return clsolve_lu_create(caller.context, N, CLSOLVE_F32, NULL, &h->lu);
}

static clsolve_status factor(handles *h, clsolve_layout layout, cl_event *done) {
    clsolve_matrix a = clsolve_opencl_matrix(CLSOLVE_F32, layout, N, N, N, memory_A, 0);
    clsolve_matrix ab = clsolve_opencl_matrix(CLSOLVE_F32, CLSOLVE_COLUMN_MAJOR, ROWS, N, ROWS, memory_AB, 0);
    if (kind == BAND) return clsolve_band_factor_enqueue(h->band, &ab, EVENTS(0, NULL, done));
    return kind == JORDAN ? CLSOLVE_OK : clsolve_lu_factor_enqueue(h->lu, &a, EVENTS(0, NULL, done));
}

static clsolve_status solve(handles *h, clsolve_layout layout, const clsolve_events *events) {
    clsolve_matrix a = clsolve_opencl_matrix(CLSOLVE_F32, layout, N, N, N, memory_A, 0);
    clsolve_matrix b = clsolve_opencl_matrix(CLSOLVE_F32, layout, N, NRHS, kind == LU_ROWS ? NRHS : N, memory_B, 0);
    if (kind == BAND) return clsolve_band_solve_enqueue(h->band, CLSOLVE_NO_TRANS, &b, events);
    if (kind == JORDAN) return clsolve_gauss_jordan_solve_enqueue(h->full, CLSOLVE_NO_TRANS, &a, &b, events);
    return clsolve_lu_solve_enqueue(h->lu, CLSOLVE_NO_TRANS, &b, events);
}

static clsolve_status enqueue(handles *h) {
    const clsolve_layout layout = kind == LU_ROWS ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR;
    cl_event factored = NULL, done = NULL;
    clsolve_status status = factor(h, layout, &factored);
    const cl_event *wait = factored ? &factored : NULL;
    if (status == CLSOLVE_OK) status = solve(h, layout, EVENTS(factored ? 1 : 0, wait, &done));
    assert_true((status == CLSOLVE_OK) == (done != NULL));
    if (h->lu) {
        if (status == CLSOLVE_OK) status = clsolve_lu_status(h->lu);
    } else {
        clsolve_status told = h->band ? clsolve_band_status(h->band) : clsolve_gauss_jordan_status(h->full);
        /* A call that is refused before it begins, because a check of its arrays failed, leaves no outcome. */
        assert_true(told == status || told == CLSOLVE_OK);
    }
    if (factored) (void)clReleaseEvent(factored);
    if (done) (void)clReleaseEvent(done);
    return status;
}

static fault_outcome scenario(const char **failed) {
    fault_outcome out = {CLSOLVE_OK, ""};
    handles h = {NULL, NULL, NULL};
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
    clsolve_lu_destroy(h.lu);
    assert_int_equal(caller.context->device->counters.buffers, buffers);
    return out;
}

TEST(each_call) {
    for (kind = test_pretends("gpu") ? LU : JORDAN; kind < KINDS; kind++) {
        const char *failed = NULL;
        faults_arm(FAULT_DEVICE, INT64_MAX);
        assert_int_equal(scenario(&failed).status, CLSOLVE_OK); /* warms the driver's own caches */
        fault_all(kind < LU ? 1 : 2, kind < LU ? 5 : 10, scenario);
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

TEST_PROGRAM_OF("opencl", open_all, close_all)
