/*
 * An LU batch while each allocation on the host and each call of the driver fails in its turn, from creating a context to the last of
 * all calls: the status tells what failed, right-hand sides are as they were, the handle still works once the fault is gone, and nothing
 * is left behind. Members are factored by panels, which take the most calls.
 */
#include <clsolve/clsolve.h>

#include "api/context.h"
#include "support/fault_run.h"
#include "support/test_support.h"

enum { COUNT = 2, N = 33, SIDES = 3 };
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

FAULT_HANDLE(it, lu_batch, clsolve_lu_batch_create(context, N, COUNT, CLSOLVE_F32, &options, &made), work,
             COUNT *N *SIDES, B, X);

TEST(of_a_batch) {
    test_random random = test_random_start(3);
    for (int k = 0; k < COUNT * N * N; k++)
        A[k] = (float)test_random_signed(&random) + (k % (N * N) % (N + 1) == 0 ? 9 : 0);
    for (int k = 0; k < COUNT * N * SIDES; k++) B[k] = (float)test_random_signed(&random);
    fault_all(5, 5, fault_with_handle(NULL, NULL, &it));
}

TEST_PROGRAM(NULL, NULL)
