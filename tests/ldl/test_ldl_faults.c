/*
 * Each allocation on the host and each call of the driver fails in its turn, from creating a context to the last of a solve:
 * the status is the right one, the message says which call it was, B is as it was, the handle still works once the fault is
 * gone, and nothing is left behind.
 */
#include <clsolve/clsolve.h>

#include "base/error.h"
#include "ldl/ldl_support.h"
#include "support/fault_run.h"

enum { N = 37, NRHS = 2, LD = N + 2 };

static fault_scenario scenario;
static clsolve_ldl_options options;
static float A[LD * N], B[LD * NRHS], X[LD * NRHS];

static clsolve_matrix view(float *data, int64_t cols) {
    clsolve_matrix m = clsolve_matrix_f32(N, cols, data);
    m.ld = LD;
    return m;
}

/* All that the handle does, in one status. Y is written last. */
static clsolve_status work(void *ldl, float *Y) {
    static float F[LD * N];
    clsolve_matrix a = view(A, N), f = view(F, N), y = view(Y, NRHS);
    int64_t ipiv[N];
    CLS_TRY(clsolve_ldl_factor(ldl, CLSOLVE_UPPER, &a));
    CLS_TRY(clsolve_ldl_inverse(ldl, CLSOLVE_LOWER, &f));
    CLS_TRY(clsolve_ldl_factors(ldl, &f, ipiv));
    if (!options.refine) CLS_TRY(clsolve_ldl_import(ldl, &f, ipiv));
    return clsolve_ldl_solve(ldl, &y);
}

FAULT_HANDLE(it, ldl, clsolve_ldl_create(context, N, CLSOLVE_F32, &options, &made), work, LD *NRHS, B, X);

static void start(int refine, int equilibrate) {
    test_random random = test_random_start(1);

    options = (clsolve_ldl_options){
        .panel = test_ldl_options(&ldl_shapes[1]).panel, .refine = refine, .equilibrate = equilibrate};
    for (int j = 0; j < N; j++)
        for (int i = 0; i < LD; i++)
            A[i + j * LD] = i > j ? NAN : (float)test_random_signed(&random) + (i == j ? (i % 2 ? 9 : -9) : 0);
    for (int k = 0; k < LD * NRHS; k++) B[k] = (float)test_random_signed(&random);
    scenario = fault_with_handle(NULL, NULL, &it);
}

TEST(plain) {
    start(0, 0);
    fault_all(10, 5, scenario);
}

TEST(refined) {
    start(1, 1);
    fault_each(FAULT_ALLOCATION, NULL, 10, scenario);
}

TEST_PROGRAM_BY((test_require_device(), test_ldl_require_panel()), NULL, NULL)
