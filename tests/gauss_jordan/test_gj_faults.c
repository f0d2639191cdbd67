/*
 * Each allocation on the host and each call of the driver fails in its turn, from the first of creating a context to the
 * last of a solve, an inverse or a batch: the status is the right one, the message names the call, what would be written is
 * as it was, the handle still works once the fault is gone, and nothing is left behind.
 */
#include <clsolve/clsolve.h>

#include "api/context.h"
#include "support/fault_run.h"
#include "support/test_support.h"

enum { N = 3, SIZE = 2 * N * N, UNTOUCHED = 99 };

static int inverts;
static clsolve_gauss_jordan_options options = {.block = 2};
static clsolve_type type = CLSOLVE_F32; /* or CLSOLVE_C32, whose elements are two numbers */
static float A[SIZE], B[SIZE], X[SIZE];

static clsolve_status work(void *gj, float *Y) {
    clsolve_matrix a = clsolve_matrix_f32(N, N, A), y = clsolve_matrix_f32(N, N, Y);
    a.type = y.type = type;
    return inverts ? clsolve_gauss_jordan_invert(gj, &a, &y) : clsolve_gauss_jordan_solve(gj, CLSOLVE_NO_TRANS, &a, &y);
}

static clsolve_status work_batch(void *batch, float *Y) {
    clsolve_batch a = clsolve_batch_f32(1, N, N, A), y = clsolve_batch_f32(1, N, N, Y);
    int64_t info = UNTOUCHED;
    a.type = y.type = type;
    const clsolve_status status = clsolve_gauss_jordan_batch_solve(batch, CLSOLVE_NO_TRANS, &a, &y, &info);
    assert_int_equal(info, status == CLSOLVE_OK ? 0 : UNTOUCHED);
    return status;
}

FAULT_HANDLE(of_matrix, gauss_jordan, clsolve_gauss_jordan_create(context, N, type, &options, &made), work, SIZE, B, X);
FAULT_HANDLE(of_batch, gauss_jordan_batch, clsolve_gauss_jordan_batch_create(context, N, 1, type, NULL, &made),
             work_batch, SIZE, B, X);

static void check(const fault_handle *handle, int inverse, clsolve_gauss_jordan_variant variant) {
    test_random random = test_random_start(400);
    const int parts = type == CLSOLVE_C32 ? 2 : 1;
    inverts = inverse;
    options.variant = variant;
    for (int i = 0; i < SIZE; i++) A[i] = (float)test_random_signed(&random);
    for (int i = 0; i < N; i++) A[parts * i * (N + 1)] += 3;
    for (int i = 0; i < SIZE; i++) B[i] = (float)test_random_signed(&random);
    fault_all(fault_stride > 1 ? 1 : 5, fault_stride > 1 ? 2 : 15, fault_with_handle(NULL, NULL, handle));
}

TEST(solves) {
    check(&of_matrix, 0, CLSOLVE_GAUSS_JORDAN_ONE_PASS);
    check(&of_matrix, 0, CLSOLVE_GAUSS_JORDAN_BLOCKED);
}

TEST(inverses) {
    check(&of_matrix, 1, CLSOLVE_GAUSS_JORDAN_OPERATIONS);
}

TEST(batches) {
    check(&of_batch, 0, CLSOLVE_GAUSS_JORDAN_AUTO);
}

/* The calls are those of real matrices, with other kernels: some of them suffice. */
TEST(complex_elements) {
    type = CLSOLVE_C32;
    fault_stride = 9;
    check(&of_matrix, 1, CLSOLVE_GAUSS_JORDAN_BLOCKED);
    check(&of_batch, 0, CLSOLVE_GAUSS_JORDAN_AUTO);
    fault_stride = 1;
    type = CLSOLVE_F32;
}

TEST_PROGRAM(NULL, NULL)
