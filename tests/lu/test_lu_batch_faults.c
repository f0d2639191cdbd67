/*
 * An LU batch while each allocation on the host and each call of the driver fails in its turn, from creating a context to the last of
 * all calls: the status tells what failed, right-hand sides are as they were, the handle still works once the fault is gone, and nothing
 * is left behind. Members are factored by panels, which take the most calls.
 */
#include <clsolve/clsolve.h>

#include <stdio.h>
#include <string.h>

#include "api/context.h"
#include "support/fault_run.h"
#include "support/test_support.h"

enum { COUNT = 2, N = 33, SIDES = 3 };
static char selector[128];
static float A[COUNT * N * N], B[COUNT * N * SIDES], X[COUNT * N * SIDES];

/* Y is written last. */
static clsolve_status work(void *batch, float *Y) {
    static float F[COUNT * N * N];
    clsolve_batch a = clsolve_batch_f32(COUNT, N, N, A), f = clsolve_batch_f32(COUNT, N, N, F),
                  y = clsolve_batch_f32(COUNT, N, SIDES, Y);
    int64_t info[COUNT], ipiv[COUNT * N];
    double numbers[COUNT];
    CLS_TRY(clsolve_lu_batch_factor(batch, &a, info));
    CLS_TRY(clsolve_lu_batch_factors(batch, &f, ipiv));
    CLS_TRY(clsolve_lu_batch_determinant(batch, numbers, NULL, NULL));
    CLS_TRY(clsolve_lu_batch_condition(batch, numbers));
    CLS_TRY(clsolve_lu_batch_inverse(batch, &f, info));
    return clsolve_lu_batch_solve(batch, CLSOLVE_NO_TRANS, &y, info);
}

static const clsolve_lu_batch_options options = {.condition = 1};

static clsolve_status create(clsolve_context *context, void **handle) {
    clsolve_lu_batch *made = NULL;
    const clsolve_status status = clsolve_lu_batch_create(context, N, COUNT, CLSOLVE_F32, &options, &made);
    *handle = made;
    return status;
}

static void destroy(void *handle) {
    clsolve_lu_batch_destroy(handle);
}

static const fault_handle it = {create, work, destroy, COUNT *N *SIDES, B, X};

static fault_outcome use(clsolve_context *context, const char **failed) {
    return fault_use_handle(context, &it, failed);
}

static fault_outcome scenario(const char **failed) {
    return fault_with_context(selector, NULL, use, failed);
}

static void of_a_batch(void **state) {
    test_random random = test_random_start(3);
    const char *failed = NULL;
    for (int k = 0; k < COUNT * N * N; k++)
        A[k] = (float)test_random_signed(&random) + (k % (N * N) % (N + 1) == 0 ? 9 : 0);
    for (int k = 0; k < COUNT * N * SIDES; k++) B[k] = (float)test_random_signed(&random);
    fault_find_solution(selector, NULL, &it);
    faults_arm(FAULT_DEVICE, INT64_MAX);
    assert_int_equal(scenario(&failed).status, CLSOLVE_OK);
    fault_each(FAULT_ALLOCATION, NULL, 5, scenario);
    fault_each(FAULT_DEVICE, NULL, 5, scenario);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(of_a_batch)};
    test_require_device();
    (void)snprintf(selector, sizeof selector, "%s", test_selector());
    return cmocka_run_group_tests(tests, NULL, NULL);
}
