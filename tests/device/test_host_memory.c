/* Memory of the host from clsolve_host_alloc: a matrix in it is solved, crosses without staging, and is given back. */
#include <clsolve/clsolve.h>

#include "api/context.h"
#include "support/fixture.h"

TEST(test_contract) {
    void *memory = &context, *first = NULL, *second = NULL;
    char mine[8] = {0};
    assert_int_equal(clsolve_host_alloc(NULL, 8, &memory), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_null(memory);
    assert_int_equal(clsolve_host_alloc(context, 8, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(clsolve_context_message(context), "clsolve_host_alloc: memory is NULL"));
    assert_int_equal(clsolve_host_free(context, NULL), CLSOLVE_OK);
    assert_int_equal(clsolve_host_free(NULL, mine), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_host_free(context, mine), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(clsolve_context_message(context), "not from clsolve_host_alloc"));

    assert_int_equal(clsolve_host_alloc(context, 0, &first), CLSOLVE_OK);
    assert_non_null(first);
    assert_int_equal(clsolve_host_alloc(context, 100000, &second), CLSOLVE_OK);
    assert_int_equal((uintptr_t)second % 16, 0);
    memset(second, 0x5a, 100000);
    assert_int_equal(clsolve_host_free(context, first), CLSOLVE_OK);
    assert_int_equal(clsolve_host_free(context, first), CLSOLVE_ERROR_INVALID_ARGUMENT);
    for (int i = 0; i < 100000; i++) assert_int_equal(((unsigned char *)second)[i], 0x5a);
    assert_int_equal(clsolve_host_free(context, second), CLSOLVE_OK);
    /* One that is left is the context's to give back: memory checkers see it. */
    assert_int_equal(clsolve_host_alloc(context, 5000, &second), CLSOLVE_OK);
}

TEST(test_solve) {
    enum { N = 300 };
    test_random random = test_random_start(1);
    void *memory = NULL, *sides = NULL;
    assert_int_equal(clsolve_host_alloc(context, N * N * sizeof(float), &memory), CLSOLVE_OK);
    assert_int_equal(clsolve_host_alloc(context, N * sizeof(float), &sides), CLSOLVE_OK);
    assert_true(context->device->ops->reaches(context->device, memory, N * N * sizeof(float)));
    float *A = memory, *x = sides;
    for (int i = 0; i < N; i++) x[i] = 0;
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            A[i + j * N] = (float)test_random_signed(&random) + (i == j ? 40 : 0);
            x[i] += A[i + j * N];
        }
    clsolve_matrix a = clsolve_matrix_f32(N, N, A), b = clsolve_matrix_f32(N, 1, x);
    assert_int_equal(clsolve_solve(context, CLSOLVE_NO_TRANS, &a, &b, NULL, NULL), CLSOLVE_OK);
    for (int i = 0; i < N; i++) assert_true(x[i] > 0.999f && x[i] < 1.001f);
    assert_int_equal(clsolve_host_free(context, memory), CLSOLVE_OK);
    assert_int_equal(clsolve_host_free(context, sides), CLSOLVE_OK);
}

TEST_PROGRAM_ALONE(open_context, close_context)
