/*
 * Each allocation on the host and each call of the driver fails in its turn, from creating a context to the last of a solve:
 * the status is the right one, the message says which call it was, B is as it was, the handle still works once the fault is
 * gone, and nothing is left behind.
 */
#include <clsolve/clsolve.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/context.h"
#include "cholesky/cholesky_support.h"
#include "support/fault_run.h"
#include "support/test_support.h"

/* One leaf and what is below it, so that it is quick in the shape of a GPU too. */
enum { N = 70, NRHS = 2, LD = N + 2 };

static char selector[128];
static int out_of_core; /* under the least limit */
static clsolve_uplo uplo;
static clsolve_cholesky_options options;
static clsolve_type type = CLSOLVE_F32; /* or CLSOLVE_C32, whose elements are two numbers */
static float A[2 * LD * N], B[2 * LD * NRHS], X[2 * LD * NRHS];

static clsolve_matrix view(float *data, int64_t cols) {
    clsolve_matrix m = clsolve_matrix_f32(N, cols, data);
    m.type = type;
    m.ld = LD;
    return m;
}

/* All that the handle does, in one status. Y is written last. */
static clsolve_status work(void *cholesky, float *Y) {
    static float F[2 * LD * N];
    clsolve_matrix a = view(A, N), f = view(F, N), y = view(Y, NRHS);
    CLS_TRY(clsolve_cholesky_factor(cholesky, uplo, &a));
    CLS_TRY(clsolve_cholesky_factors(cholesky, uplo, &f));
    CLS_TRY(clsolve_cholesky_inverse(cholesky, uplo, &f));
    return clsolve_cholesky_solve(cholesky, &y);
}

static clsolve_status create(clsolve_context *context, void **handle) {
    clsolve_cholesky *made = NULL;
    const clsolve_status status = clsolve_cholesky_create(context, N, type, &options, &made);
    *handle = made;
    return status;
}

static void destroy(void *handle) {
    clsolve_cholesky_destroy(handle);
}

static const fault_handle it = {create, work, destroy, 2 * LD *NRHS, B, X};

static fault_outcome use(clsolve_context *context, const char **failed) {
    return fault_use_handle(context, &it, failed);
}

/* ---- a batch: the same steps for its members; those of orders of their own take the most memory ---- */

enum { MEMBER = 9, SIDES = 3 };
static const int64_t orders[2] = {MEMBER, MEMBER};
static float members[2 * MEMBER * MEMBER], sides[2 * MEMBER * SIDES], solutions[2 * MEMBER * SIDES];

static clsolve_status work_batch(void *batch, float *Y) {
    static float F[2 * MEMBER * MEMBER];
    int64_t info[2];
    clsolve_batch a = clsolve_batch_f32(2, MEMBER, MEMBER, members), f = a, y = clsolve_batch_f32(2, MEMBER, SIDES, Y);
    f.data = F;
    CLS_TRY(clsolve_cholesky_batch_factor(batch, CLSOLVE_UPPER, &a, info));
    CLS_TRY(clsolve_cholesky_batch_factors(batch, CLSOLVE_UPPER, &f));
    CLS_TRY(clsolve_cholesky_batch_inverse(batch, CLSOLVE_UPPER, &f, info));
    return clsolve_cholesky_batch_solve(batch, &y, info);
}

static clsolve_status create_batch(clsolve_context *context, void **handle) {
    clsolve_cholesky_batch *made = NULL;
    const clsolve_status status = clsolve_cholesky_batch_create_ragged(context, orders, 2, CLSOLVE_F32, NULL, &made);
    *handle = made;
    return status;
}

static void destroy_batch(void *handle) {
    clsolve_cholesky_batch_destroy(handle);
}

static const fault_handle it_batch = {create_batch, work_batch, destroy_batch, 2 * MEMBER *SIDES, sides, solutions};

static fault_outcome use_batch(clsolve_context *context, const char **failed) {
    return fault_use_handle(context, &it_batch, failed);
}

static fault_outcome batch_scenario(const char **failed) {
    return fault_with_context(selector, NULL, use_batch, failed);
}

static void of_a_batch(void **state) {
    test_random random = test_random_start(2);
    const char *failed = NULL;
    for (int k = 0; k < 2 * MEMBER * MEMBER; k++)
        members[k] = k % (MEMBER * MEMBER) % (MEMBER + 1) == 0 ? 20 : (float)test_random_signed(&random);
    for (int k = 0; k < 2 * MEMBER * SIDES; k++) sides[k] = (float)test_random_signed(&random);
    fault_find_solution(selector, NULL, &it_batch);
    faults_arm(FAULT_DEVICE, INT64_MAX);
    assert_int_equal(batch_scenario(&failed).status, CLSOLVE_OK);
    fault_each(FAULT_ALLOCATION, NULL, 10, batch_scenario);
    fault_each(FAULT_DEVICE, NULL, 30, batch_scenario);
}

/* ---- a band, whose handle asks for the host's memory alone ---- */

enum { ORDER = 8 };
static const float band[2 * ORDER] = {4, 1, 4, 1, 4, 1, 4, 1, 4, 1, 4, 1, 4, 1, 4, 1};

static clsolve_band_cholesky_options wanted;

static clsolve_status work_band(void *handle, float *Y) {
    float F[2 * ORDER] = {0};
    clsolve_matrix AB = clsolve_matrix_f32(2, ORDER, (float *)(uintptr_t)band), f = clsolve_matrix_f32(2, ORDER, F),
                   y = clsolve_matrix_f32(ORDER, 1, Y);
    CLS_TRY(clsolve_band_cholesky_factor(handle, CLSOLVE_LOWER, &AB));
    CLS_TRY(clsolve_band_cholesky_factors(handle, CLSOLVE_UPPER, &f));
    return clsolve_band_cholesky_solve(handle, &y);
}

static clsolve_status create_band(clsolve_context *context, void **handle) {
    clsolve_band_cholesky *made = NULL;
    const clsolve_status status = clsolve_band_cholesky_create(context, ORDER, 1, CLSOLVE_F32, &wanted, &made);
    *handle = made;
    return status;
}

static void destroy_band(void *handle) {
    clsolve_band_cholesky_destroy(handle);
}

static const float right[ORDER] = {5, 6, 6, 6, 6, 6, 6, 5};
static float ones[ORDER] = {1, 1, 1, 1, 1, 1, 1, 1};
static const fault_handle it_band = {create_band, work_band, destroy_band, ORDER, right, ones};

static fault_outcome use_band(clsolve_context *context, const char **failed) {
    return fault_use_handle(context, &it_band, failed);
}

static fault_outcome band_scenario(const char **failed) {
    return fault_with_context("host", NULL, use_band, failed);
}

static void of_a_band(void **state) {
    wanted = (clsolve_band_cholesky_options){.rcond = 1, .refine = 1};
    fault_each(FAULT_ALLOCATION, NULL, 5, band_scenario);
}

static fault_outcome band_there(const char **failed) {
    return fault_with_context(selector, NULL, use_band, failed);
}

static void of_a_band_by_kernels(void **state) {
    for (int refine = 0; refine < 2; ++refine) {
        wanted = (clsolve_band_cholesky_options){.rcond = 1, .refine = refine, .where = CLSOLVE_WHERE_DEVICE};
        fault_each(refine ? FAULT_ALLOCATION : FAULT_DEVICE, NULL, 5, band_there);
    }
}

static fault_outcome scenario(const char **failed) {
    return fault_with_context(selector, NULL, use, failed);
}

/* Two leaves as wide as those of some GPUs are more than all of so small a matrix, which is factored in core then. */
static int goes_out_of_core(int64_t *limit) {
    clsolve_context_options context_options = {.selector = selector};
    clsolve_cholesky_options least = {.panel = CLSOLVE_PANEL_NATIVE};
    clsolve_context *context = NULL;
    clsolve_cholesky *cholesky = NULL;
    clsolve_report report;

    assert_int_equal(clsolve_context_create_with(&context_options, &context), CLSOLVE_OK);
    *limit = least.memory_limit = cholesky_least_limit(context, CLSOLVE_F32, N, NULL);
    assert_int_equal(clsolve_cholesky_create(context, N, CLSOLVE_F32, &least, &cholesky), CLSOLVE_OK);
    assert_int_equal(clsolve_cholesky_report(cholesky, &report), CLSOLVE_OK);
    clsolve_cholesky_destroy(cholesky);
    clsolve_context_destroy(context);
    return report.slab_columns > 0;
}

static void start(clsolve_panel panel, clsolve_uplo wanted, int refine) {
    test_random random = test_random_start(1);
    const char *failed = NULL;
    const int parts = type == CLSOLVE_C32 ? 2 : 1;

    options = (clsolve_cholesky_options){.panel = panel, .refine = refine};
    uplo = wanted;
    for (int j = 0; j < N; j++)
        for (int i = 0; i < LD; i++) {
            const int inside = i < N && (uplo == CLSOLVE_LOWER ? i >= j : i <= j);
            for (int p = 0; p < parts; p++)
                A[parts * (i + j * LD) + p] = !inside            ? NAN
                                              : i == j && p == 0 ? 80
                                              : i == j           ? 0
                                                                 : (float)test_random_signed(&random);
        }
    for (int k = 0; k < 2 * LD * NRHS; k++) B[k] = (float)test_random_signed(&random);
    if (out_of_core) assert_true(goes_out_of_core(&options.memory_limit));
    fault_find_solution(selector, NULL, &it);
    faults_arm(FAULT_DEVICE, INT64_MAX);
    assert_int_equal(scenario(&failed).status, CLSOLVE_OK);
    assert_null(failed);
}

static void by_kernels(void **state) {
    start(CLSOLVE_PANEL_NATIVE, CLSOLVE_UPPER, 0);
    fault_each(FAULT_ALLOCATION, NULL, 10, scenario);
    fault_each(FAULT_DEVICE, NULL, 50, scenario);
}

static void by_the_default(void **state) {
    start(CLSOLVE_PANEL_AUTO, CLSOLVE_LOWER, 0);
    fault_each(FAULT_ALLOCATION, NULL, 10, scenario);
    fault_each(FAULT_DEVICE, NULL, 10, scenario);
}

static void refined(void **state) {
    start(CLSOLVE_PANEL_NATIVE, CLSOLVE_LOWER, 1);
    fault_each(FAULT_ALLOCATION, NULL, 10, scenario);
    fault_each(FAULT_DEVICE, NULL, 50, scenario);
}

/* The calls are those of real matrices, with other kernels: some of them suffice. */
static void complex_elements(void **state) {
    type = CLSOLVE_C32;
    fault_stride = 9;
    start(CLSOLVE_PANEL_NATIVE, CLSOLVE_UPPER, 0);
    fault_each(FAULT_ALLOCATION, NULL, 1, scenario);
    fault_each(FAULT_DEVICE, NULL, 2, scenario);
    fault_stride = 1;
    type = CLSOLVE_F32;
}

static void streamed(void **state) {
    int64_t limit;
    if (!goes_out_of_core(&limit)) skip();
    out_of_core = 1;
    start(CLSOLVE_PANEL_NATIVE, CLSOLVE_UPPER, 0);
    fault_each(FAULT_ALLOCATION, NULL, 10, scenario);
    fault_each(FAULT_DEVICE, NULL, 10, scenario);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_kernels), cmocka_unit_test(by_the_default),
                                       cmocka_unit_test(refined),    cmocka_unit_test(complex_elements),
                                       cmocka_unit_test(streamed),   cmocka_unit_test(of_a_batch),
                                       cmocka_unit_test(of_a_band),  cmocka_unit_test(of_a_band_by_kernels)};
    test_require_device();
    const char *named = test_selector();
    if (named) (void)snprintf(selector, sizeof selector, "%s", named);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
