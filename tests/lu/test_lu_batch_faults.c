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
static clsolve_status work(clsolve_lu_batch *batch, float *F, float *Y) {
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

static int solved(const float *Y) {
    return fault_solved(COUNT * N * SIDES, X, Y);
}

static fault_outcome use(clsolve_context *context, const char **failed) {
    static float F[COUNT * N * N], Y[COUNT * N * SIDES];
    const clsolve_lu_batch_options options = {.condition = 1};
    const int64_t buffers = test_buffers(context->device);
    fault_outcome out = {CLSOLVE_OK, ""};
    clsolve_lu_batch *batch = NULL;

    memcpy(Y, B, sizeof Y);
    out.status = clsolve_lu_batch_create(context, N, COUNT, CLSOLVE_F32, &options, &batch);
    if (out.status == CLSOLVE_OK) out.status = work(batch, F, Y);
    *failed = faults_disarm();
    if (out.status != CLSOLVE_OK) {
        fault_failed(context, &out, memcmp(Y, B, sizeof Y) == 0, solved(Y));
        memcpy(Y, B, sizeof Y);
        if (batch && work(batch, F, Y) != CLSOLVE_OK)
            fail_msg("after %s failed: %s", *failed ? *failed : "nothing", clsolve_context_message(context));
    }
    if (batch) assert_true(solved(Y));
    clsolve_lu_batch_destroy(batch);
    assert_int_equal(test_buffers(context->device), buffers);
    return out;
}

static fault_outcome scenario(const char **failed) {
    return fault_with_context(selector, NULL, use, failed);
}

static void of_a_batch(void **state) {
    const clsolve_context_options context_options = {.selector = selector};
    const clsolve_lu_batch_options options = {.condition = 1};
    test_random random = test_random_start(3);
    const char *failed = NULL;
    clsolve_context *context = NULL;
    clsolve_lu_batch *batch = NULL;
    float F[COUNT * N * N];
    for (int k = 0; k < COUNT * N * N; k++)
        A[k] = (float)test_random_signed(&random) + (k % (N * N) % (N + 1) == 0 ? 9 : 0);
    for (int k = 0; k < COUNT * N * SIDES; k++) B[k] = (float)test_random_signed(&random);
    memcpy(X, B, sizeof X);
    assert_int_equal(clsolve_context_create_with(&context_options, &context), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_batch_create(context, N, COUNT, CLSOLVE_F32, &options, &batch), CLSOLVE_OK);
    assert_int_equal(work(batch, F, X), CLSOLVE_OK);
    clsolve_lu_batch_destroy(batch);
    clsolve_context_destroy(context);
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
