/*
 * Each call of the driver fails in its turn while sparse factors are made and used on the device: the status is the right one,
 * the message names the call, B is as it was, the handle works once the fault is gone, and nothing is left behind.
 */
#include <clsolve/clsolve.h>

#include "api/context.h"
#include "sparse/patterns.h"
#include "support/fault_run.h"
#include "support/test_support.h"

enum { SIDE = 5, N = SIDE * SIDE, ENTRIES = 5 * N };

/* Vectors of factors in double stay on the device. */
typedef struct kind {
    clsolve_sparse_form form;
    int in_double;
    int streams; /* the device has no room for all factors */
} kind;

static const kind *now;
static int64_t limit;
static int32_t start[N + 1], column[ENTRIES];
static float value[ENTRIES], B[N], X[N];
static double doubles[ENTRIES];

static void make_system(void) {
    five_points(SIDE, start, column, doubles);
    for (int32_t e = 0; e < start[N]; e++) value[e] = (float)doubles[e];
    for (int32_t i = 0; i < N; i++) B[i] = (float)(i % 3) + 1;
}

static clsolve_csr matrix(void) {
    return now->in_double ? clsolve_csr_f64(N, start, column, doubles) : clsolve_csr_f32(N, start, column, value);
}

static clsolve_sparse_options options_of(int64_t limit) {
    return (clsolve_sparse_options){.form = now->form,
                                    .where = CLSOLVE_WHERE_DEVICE,
                                    .amalgamation = now->streams ? CLSOLVE_CHOICE_OFF : CLSOLVE_CHOICE_AUTO,
                                    .device_memory_limit = limit};
}

/* The most of the device's memory that does not hold all factors. */
static int64_t limit_that_streams(clsolve_context *context) {
    const clsolve_csr A = matrix();
    clsolve_sparse_analysis found = {0};
    int64_t limit = 0;
    while (now->streams && found.streamed_bytes == 0) {
        const clsolve_sparse_options options = options_of(limit);
        clsolve_sparse *sparse;
        assert_int_equal(clsolve_sparse_create_csr(context, &A, &options, &sparse), CLSOLVE_OK);
        assert_int_equal(clsolve_sparse_get_analysis(sparse, &found), CLSOLVE_OK);
        clsolve_sparse_destroy(sparse);
        if (found.streamed_bytes == 0) limit = (limit > 0 ? limit : (int64_t)found.device_bytes) - 64;
    }
    return limit;
}

static clsolve_status call(clsolve_sparse *sparse, float *Y) {
    const clsolve_csr A = matrix();
    double y[N];
    clsolve_matrix view = now->in_double ? clsolve_matrix_f64(N, 1, y) : clsolve_matrix_f32(N, 1, Y);
    memcpy(Y, B, sizeof B);
    for (int i = 0; i < N; i++) y[i] = (double)B[i];
    clsolve_status status = clsolve_sparse_factor_csr(sparse, &A);
    if (status == CLSOLVE_OK) status = clsolve_sparse_solve(sparse, CLSOLVE_NO_TRANS, &view);
    for (int i = 0; i < N && now->in_double; i++) Y[i] = (float)y[i];
    return status;
}

static fault_outcome use(clsolve_context *context, const char **failed) {
    const clsolve_csr A = matrix();
    const clsolve_sparse_options options = options_of(limit);
    const int64_t buffers = test_buffers(context->device);
    fault_outcome out = {CLSOLVE_OK, ""};
    clsolve_sparse *sparse = NULL;
    float Y[N];

    memcpy(Y, B, sizeof Y);
    out.status = clsolve_sparse_create_csr(context, &A, &options, &sparse);
    if (sparse) out.status = call(sparse, Y);
    *failed = faults_disarm();
    if (out.status == CLSOLVE_OK) {
        assert_true(fault_solved(N, X, Y));
    } else {
        fault_failed(context, &out, memcmp(Y, B, sizeof Y) == 0, fault_solved(N, X, Y));
        if (sparse && call(sparse, Y) != CLSOLVE_OK)
            fail_msg("after %s (%s): %s", out.message, *failed ? *failed : "no fault",
                     clsolve_context_message(context));
        if (sparse) assert_true(fault_solved(N, X, Y));
    }
    clsolve_sparse_destroy(sparse);
    assert_int_equal(test_buffers(context->device), buffers);
    return out;
}

/* The solution without a fault, on the host. */
static void find_solution(void) {
    const clsolve_csr A = clsolve_csr_f32(N, start, column, value);
    clsolve_matrix x = clsolve_matrix_f32(N, 1, X);
    OWNED(context) *context = NULL;
    memcpy(X, B, sizeof X);
    assert_int_equal(clsolve_context_create("host", &context), CLSOLVE_OK);
    assert_int_equal(clsolve_solve_csr(context, CLSOLVE_NO_TRANS, &A, &x, NULL, NULL), CLSOLVE_OK);
}

static void each_call(void **state) {
    clsolve_context *context = test_context(1);
    now = *state;
    limit = limit_that_streams(context);
    clsolve_context_destroy(context);
    /* Without the library's cache of programs: for it PoCL would compile all kernels of each program. */
    fault_each(FAULT_DEVICE, NULL, 5, fault_with_context(NULL, "", use));
}

/* From the third factorization on, new values take no memory, neither the host's nor the device's. */
static void no_allocation(void **state) {
    now = *state;
    const clsolve_csr A = matrix();
    const clsolve_sparse_options options = options_of(0);
    clsolve_context *context = test_context(1);
    clsolve_sparse *sparse = NULL;
    float Y[N];
    assert_int_equal(clsolve_sparse_create_csr(context, &A, &options, &sparse), CLSOLVE_OK);
    for (int again = 0; again < 2; again++) assert_int_equal(call(sparse, Y), CLSOLVE_OK);
    const int is_cuda = strcmp(clsolve_context_device(context).backend, "cuda") == 0;
    for (int there = 0; there < 2; there++) {
        if (there)
            faults_arm_call(is_cuda ? "cuMemAlloc" : "clCreateBuffer", INT64_MAX);
        else
            faults_arm(FAULT_ALLOCATION, INT64_MAX);
        assert_int_equal(clsolve_sparse_factor_csr(sparse, &A), CLSOLVE_OK);
        assert_null(faults_disarm());
        if (faults_seen() != 0) fail_msg("%d allocations on the %s", (int)faults_seen(), there ? "device" : "host");
    }
    clsolve_sparse_destroy(sparse);
    clsolve_context_destroy(context);
}

int main(void) {
    static kind kinds[] = {{CLSOLVE_SPARSE_GENERAL, 0, 0},
                           {CLSOLVE_SPARSE_POSITIVE_DEFINITE, 0, 0},
                           {CLSOLVE_SPARSE_GENERAL, 1, 0},
                           {CLSOLVE_SPARSE_GENERAL, 0, 1},
                           {CLSOLVE_SPARSE_SYMMETRIC, 1, 0}};
    const struct CMUnitTest tests[] = {{"LU", each_call, NULL, NULL, &kinds[0]},
                                       {"Cholesky", each_call, NULL, NULL, &kinds[1]},
                                       {"LU in double", each_call, NULL, NULL, &kinds[2]},
                                       {"LU that streams", each_call, NULL, NULL, &kinds[3]},
                                       {"L D L^T", each_call, NULL, NULL, &kinds[4]},
                                       {"no allocation in LU", no_allocation, NULL, NULL, &kinds[2]},
                                       {"no allocation in L D L^T", no_allocation, NULL, NULL, &kinds[4]}};
    test_require_device();
    require_fronts();
    make_system();
    find_solution();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
