/*
 * Each allocation on the host and each call of the driver fails in its turn, from creating a context to the last of a solve:
 * the status is the right one, the message says which call it was, B is as it was, the handle still works once the fault is
 * gone, and nothing is left behind.
 */
#include <clsolve/clsolve.h>

#include "api/context.h"
#include "cholesky/cholesky_support.h"
#include "support/fault_run.h"
#include "support/test_support.h"

/* One leaf and what is below it, so that it is quick in the shape of a GPU too. */
enum { N = 70, NRHS = 2, LD = N + 2 };

static fault_scenario scenario;
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

FAULT_HANDLE(it, cholesky, clsolve_cholesky_create(context, N, type, &options, &made), work, 2 * LD * NRHS, B, X);

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

FAULT_HANDLE(of_batch, cholesky_batch,
             clsolve_cholesky_batch_create_ragged(context, orders, 2, CLSOLVE_F32, NULL, &made), work_batch,
             2 * MEMBER * SIDES, sides, solutions);

TEST(of_a_batch) {
    test_random random = test_random_start(2);
    for (int k = 0; k < 2 * MEMBER * MEMBER; k++)
        members[k] = k % (MEMBER * MEMBER) % (MEMBER + 1) == 0 ? 20 : (float)test_random_signed(&random);
    for (int k = 0; k < 2 * MEMBER * SIDES; k++) sides[k] = (float)test_random_signed(&random);
    fault_all(10, 30, fault_with_handle(NULL, NULL, &of_batch));
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

static const float right[ORDER] = {5, 6, 6, 6, 6, 6, 6, 5};
static float ones[ORDER];
FAULT_HANDLE(of_band, band_cholesky, clsolve_band_cholesky_create(context, ORDER, 1, CLSOLVE_F32, &wanted, &made),
             work_band, ORDER, right, ones);

static fault_scenario start_band(const char *selector) {
    scenario = fault_with_handle(selector, NULL, &of_band);
    for (int i = 0; i < ORDER; i++) assert_true(fabsf(ones[i] - 1) < 1e-5F);
    return scenario;
}

TEST(of_a_band) {
    wanted = (clsolve_band_cholesky_options){.rcond = 1, .refine = 1};
    fault_each(FAULT_ALLOCATION, NULL, 5, start_band("host"));
}

TEST(of_a_band_by_kernels) {
    for (int refine = 0; refine < 2; ++refine) {
        wanted = (clsolve_band_cholesky_options){.rcond = 1, .refine = refine, .where = CLSOLVE_WHERE_DEVICE};
        fault_each(refine ? FAULT_ALLOCATION : FAULT_DEVICE, NULL, 5, start_band(NULL));
    }
}

/* Two leaves as wide as those of some GPUs are more than all of so small a matrix, which is factored in core then. */
static int goes_out_of_core(int64_t *limit) {
    clsolve_cholesky_options least = {.panel = CLSOLVE_PANEL_NATIVE};
    clsolve_context *context = test_context(1);
    clsolve_cholesky *cholesky = NULL;
    clsolve_report report;

    *limit = least.memory_limit = cholesky_least_limit(context, CLSOLVE_F32, N, NULL);
    assert_int_equal(clsolve_cholesky_create(context, N, CLSOLVE_F32, &least, &cholesky), CLSOLVE_OK);
    assert_int_equal(clsolve_cholesky_report(cholesky, &report), CLSOLVE_OK);
    clsolve_cholesky_destroy(cholesky);
    clsolve_context_destroy(context);
    return report.slab_columns > 0;
}

static void start(clsolve_panel panel, clsolve_uplo wanted, int refine) {
    test_random random = test_random_start(1);
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
    scenario = fault_with_handle(NULL, NULL, &it);
}

TEST(by_kernels) {
    start(CLSOLVE_PANEL_NATIVE, CLSOLVE_UPPER, 0);
    fault_all(10, 50, scenario);
}

TEST(by_the_default) {
    start(CLSOLVE_PANEL_AUTO, CLSOLVE_LOWER, 0);
    fault_all(10, 10, scenario);
}

TEST(refined) {
    start(CLSOLVE_PANEL_NATIVE, CLSOLVE_LOWER, 1);
    fault_all(10, 50, scenario);
}

/* The calls are those of real matrices, with other kernels: some of them suffice. */
TEST(complex_elements) {
    type = CLSOLVE_C32;
    fault_stride = 9;
    start(CLSOLVE_PANEL_NATIVE, CLSOLVE_UPPER, 0);
    fault_all(1, 2, scenario);
    fault_stride = 1;
    type = CLSOLVE_F32;
}

TEST(streamed) {
    int64_t limit;
    if (!goes_out_of_core(&limit)) skip();
    out_of_core = 1;
    start(CLSOLVE_PANEL_NATIVE, CLSOLVE_UPPER, 0);
    fault_all(10, 10, scenario);
}

TEST_PROGRAM(NULL, NULL)
