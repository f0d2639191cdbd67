/*
 * Each allocation on the host and each call of the driver fails in its turn where sparse factors are made of values in
 * the caller's buffer, and B and X lie in one: B is the solution or what it was, the values are what they were, no
 * buffer is left, and the handle works once the fault is gone.
 */
#include <clsolve/clsolve.h>
#include <clsolve/opencl.h>

#include "api/context.h"
#include "device/staging.h"
#include "sparse/patterns.h"
#include "support/fault_run.h"
#include "support/opencl_caller.h"
#include "support/test_support.h"

enum { SIDE = 5, N = SIDE * SIDE, NRHS = 18, ENTRIES = 5 * N }; /* X of more than 16 columns waits in a buffer */

static opencl_caller caller;
static cl_mem memory_A, memory_B[2]; /* B twice, for two rounds of a run */
static clsolve_sparse_options options = {.where = CLSOLVE_WHERE_DEVICE};
static int32_t start[N + 1], column[ENTRIES];
static double value[ENTRIES], B[N * NRHS];

static void make_system(void) {
    five_points(SIDE, start, column, value);
    for (int k = 0; k < N * NRHS; k++) B[k] = k % 7 + 1;
}

static void write_all(cl_mem memory, const void *values, size_t bytes) {
    assert_int_equal(clEnqueueWriteBuffer(caller.queue, memory, CL_TRUE, 0, bytes, values, 0, NULL, NULL), 0);
}

static void read_all(cl_mem memory, void *values, size_t bytes) {
    assert_int_equal(clEnqueueReadBuffer(caller.queue, memory, CL_TRUE, 0, bytes, values, 0, NULL, NULL), 0);
}

/* B is row-major. */
static int solved(const double *X) {
    for (int c = 0; c < NRHS; c++)
        for (int i = 0; i < N; i++) {
            double left = B[i * NRHS + c];
            for (int32_t e = start[i]; e < start[i + 1]; e++) left -= value[e] * X[column[e] * NRHS + c];
            if (!(fabs(left) <= 1e-12)) return 0;
        }
    return 1;
}

static clsolve_status work(clsolve_sparse *sparse, int round) {
    const clsolve_matrix values =
        clsolve_opencl_matrix(CLSOLVE_F64, CLSOLVE_COLUMN_MAJOR, start[N], 1, start[N], memory_A, 0);
    clsolve_matrix b = clsolve_opencl_matrix(CLSOLVE_F64, CLSOLVE_ROW_MAJOR, N, NRHS, NRHS, memory_B[round], 0);
    clsolve_status status = clsolve_sparse_factor_values(sparse, &values);
    if (status == CLSOLVE_OK && round == 0) return clsolve_sparse_solve(sparse, CLSOLVE_NO_TRANS, &b);
    if (status == CLSOLVE_OK) status = clsolve_sparse_factor_values_enqueue(sparse, &values, NULL);
    if (status == CLSOLVE_OK) status = clsolve_sparse_solve_enqueue(sparse, CLSOLVE_NO_TRANS, &b, NULL);
    const clsolve_status outcome = clsolve_sparse_status(sparse);
    return status == CLSOLVE_OK ? outcome : status;
}

static fault_outcome scenario(const char **failed) {
    const clsolve_csr A = clsolve_csr_f64(N, start, column, value);
    const int64_t buffers = test_buffers(caller.context->device);
    fault_outcome out = {CLSOLVE_OK, ""};
    clsolve_sparse *sparse = NULL;
    double X[N * NRHS], back[ENTRIES];
    out.status = clsolve_sparse_create_csr(caller.context, &A, &options, &sparse);
    for (int round = 0; round < 2 && out.status == CLSOLVE_OK; round++) out.status = work(sparse, round);
    *failed = faults_disarm();
    if (out.status != CLSOLVE_OK)
        (void)snprintf(out.message, sizeof out.message, "%s", clsolve_context_message(caller.context));
    for (int round = 0; round < 2; round++) {
        read_all(memory_B[round], X, sizeof X);
        if (memcmp(X, B, sizeof X) != 0 || out.status == CLSOLVE_OK) assert_true(solved(X));
        write_all(memory_B[round], B, sizeof B);
    }
    read_all(memory_A, back, (size_t)start[N] * sizeof *back);
    assert_memory_equal(back, value, (size_t)start[N] * sizeof *back);
    if (out.status != CLSOLVE_OK && sparse) {
        if (work(sparse, 0) != CLSOLVE_OK) fail_msg("%s", clsolve_context_message(caller.context));
        read_all(memory_B[0], X, sizeof X);
        assert_true(solved(X));
        write_all(memory_B[0], B, sizeof B);
    }
    clsolve_sparse_destroy(sparse);
    cls_staging_destroy(caller.context->device); /* which slots there are depends on the time */
    assert_int_equal(test_buffers(caller.context->device), buffers);
    return out;
}

TEST(each_call) {
    const char *failed = NULL;
    if (caller.type != CLSOLVE_F64) skip(); /* else all crosses */
    for (int form = CLSOLVE_SPARSE_GENERAL; form <= CLSOLVE_SPARSE_POSITIVE_DEFINITE; form++) {
        options.form = (clsolve_sparse_form)form;
        options.matching = form == CLSOLVE_SPARSE_GENERAL ? CLSOLVE_CHOICE_ON : CLSOLVE_CHOICE_AUTO;
        write_all(memory_A, value, sizeof value);
        for (int round = 0; round < 2; round++) write_all(memory_B[round], B, sizeof B);
        faults_arm(FAULT_DEVICE, INT64_MAX);
        const fault_outcome out = scenario(&failed);
        if (out.status != CLSOLVE_OK) fail_msg("%s", out.message); /* warms the driver's own caches */
        fault_all(1, 3, scenario);
    }
}

static int open_all(void **state) {
    if (opencl_caller_open(&caller) != 0) return -1;
    memory_A = clCreateBuffer(caller.cl, CL_MEM_READ_WRITE, sizeof value, NULL, NULL);
    for (int k = 0; k < 2; k++) memory_B[k] = clCreateBuffer(caller.cl, CL_MEM_READ_WRITE, sizeof B, NULL, NULL);
    return memory_A && memory_B[0] && memory_B[1] ? 0 : -1;
}

static int close_all(void **state) {
    (void)clReleaseMemObject(memory_A);
    for (int k = 0; k < 2; k++) (void)clReleaseMemObject(memory_B[k]);
    return opencl_caller_close(&caller);
}

int main(void) {
    test_require_device();
    test_require_backend("opencl");
    require_fronts();
    make_system();
    return test_run(open_all, close_all);
}
