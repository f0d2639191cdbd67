/*
 * Each call of the driver, and each allocation, fails in its turn while a sparse matrix is factored and solved on two
 * devices: the status is the right one, B is as it was, the handle works once the fault is gone, and nothing is left
 * behind on any device.
 */
#define _POSIX_C_SOURCE 200809L
#include <clsolve/clsolve.h>

#include "sparse/joined.h"
#include "sparse/patterns.h"
#include "support/fault_run.h"

enum { SIDE = 9, N = SIDE * SIDE, ENTRIES = 5 * N };

static clsolve_context *context;
static clsolve_sparse_form form;
static int32_t start[N + 1], column[ENTRIES];
static double value[ENTRIES];
static float B[N], X[N];

static void make_system(void) {
    five_points(SIDE, start, column, value);
    for (int32_t i = 0; i < N; i++) B[i] = (float)(i % 3) + 1;
}

static int64_t buffers(void) {
    int64_t all = 0;
    for (int d = 0; d < 2; d++) all += test_buffers(context->devices[d]);
    return all;
}

static clsolve_status call(clsolve_sparse *sparse, float *Y) {
    const clsolve_csr A = clsolve_csr_f64(N, start, column, value);
    double y[N];
    clsolve_matrix view = clsolve_matrix_f64(N, 1, y);
    for (int i = 0; i < N; i++) y[i] = (double)B[i];
    clsolve_status status = clsolve_sparse_factor_csr(sparse, &A);
    if (status == CLSOLVE_OK) status = clsolve_sparse_solve(sparse, CLSOLVE_NO_TRANS, &view);
    for (int i = 0; i < N; i++) Y[i] = (float)y[i];
    return status;
}

static fault_outcome scenario(const char **failed) {
    const clsolve_csr A = clsolve_csr_f64(N, start, column, value);
    const clsolve_sparse_options options = {
        .form = form, .where = CLSOLVE_WHERE_DEVICE, .amalgamation = CLSOLVE_CHOICE_OFF};
    const int64_t before = buffers();
    fault_outcome out = {CLSOLVE_OK, ""};
    clsolve_sparse *sparse = NULL;
    clsolve_sparse_analysis found;
    float Y[N];
    memcpy(Y, B, sizeof Y);
    out.status = clsolve_sparse_create_csr(context, &A, &options, &sparse);
    if (sparse) out.status = call(sparse, Y);
    *failed = faults_disarm();
    if (out.status != CLSOLVE_OK) {
        fault_failed(context, &out, memcmp(Y, B, sizeof Y) == 0, fault_solved(N, X, Y));
        if (sparse && call(sparse, Y) != CLSOLVE_OK)
            fail_msg("after %s (%s): %s", out.message, *failed ? *failed : "no fault",
                     clsolve_context_message(context));
    }
    if (sparse) {
        assert_true(fault_solved(N, X, Y));
        assert_int_equal(clsolve_sparse_get_analysis(sparse, &found), CLSOLVE_OK);
        if (!*failed) assert_int_equal(found.devices, 2);
    }
    clsolve_sparse_destroy(sparse);
    assert_int_equal(buffers(), before);
    return out;
}

/* The solution without a fault, on the host. */
static void find_solution(void) {
    const clsolve_csr A = clsolve_csr_f64(N, start, column, value);
    double x[N];
    clsolve_matrix view = clsolve_matrix_f64(N, 1, x);
    clsolve_context *host = NULL;
    for (int i = 0; i < N; i++) x[i] = (double)B[i];
    assert_int_equal(clsolve_context_create("host", &host), CLSOLVE_OK);
    assert_int_equal(clsolve_solve_csr(host, CLSOLVE_NO_TRANS, &A, &view, NULL, NULL), CLSOLVE_OK);
    clsolve_context_destroy(host);
    for (int i = 0; i < N; i++) X[i] = (float)x[i];
}

static void each_call(void **state) {
    const char *failed;
    form = *(const clsolve_sparse_form *)*state;
    context = joined_contexts(2, 1);
    assert_int_equal(scenario(&failed).status, CLSOLVE_OK); /* programs are made once */
    fault_lasting = 1;
    fault_all(3, 5, scenario);
    clsolve_context_destroy(context);
    assert_int_equal(faults_objects(), 0);
}

int main(void) {
    static clsolve_sparse_form forms[] = {CLSOLVE_SPARSE_GENERAL, CLSOLVE_SPARSE_POSITIVE_DEFINITE};
    const struct CMUnitTest tests[] = {{"LU", each_call, NULL, NULL, &forms[0]},
                                       {"Cholesky", each_call, NULL, NULL, &forms[1]}};
    test_require_device();
    require_fronts();
    assert_int_equal(setenv("CLSOLVE_SHARES", "1,1", 1), 0);
    make_system();
    find_solution();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
