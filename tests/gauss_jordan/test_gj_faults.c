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
enum { SOLVE, INVERT, BATCH };

static int kind; /* of the three */
static clsolve_gauss_jordan_variant variant;
static clsolve_type type = CLSOLVE_F32; /* or CLSOLVE_C32, whose elements are two numbers */
static float A[SIZE], B[SIZE], X[SIZE];

/* A handle of one of the two families. */
typedef struct handles {
    clsolve_gauss_jordan *gj;
    clsolve_gauss_jordan_batch *batch;
} handles;

static clsolve_status make(clsolve_context *context, handles *h) {
    clsolve_gauss_jordan_options options = {.variant = variant, .block = 2};
    *h = (handles){NULL, NULL};
    if (kind == BATCH) return clsolve_gauss_jordan_batch_create(context, N, 1, type, NULL, &h->batch);
    return clsolve_gauss_jordan_create(context, N, type, &options, &h->gj);
}

static void destroy(handles *h) {
    clsolve_gauss_jordan_destroy(h->gj);
    clsolve_gauss_jordan_batch_destroy(h->batch);
}

static clsolve_status call(const handles *h, float *Y, int64_t *info) {
    clsolve_matrix a = clsolve_matrix_f32(N, N, A), y = clsolve_matrix_f32(N, N, Y);
    clsolve_batch av = clsolve_batch_f32(1, N, N, A), yv = clsolve_batch_f32(1, N, N, Y);
    a.type = y.type = av.type = yv.type = type;
    memcpy(Y, B, sizeof B);
    *info = UNTOUCHED;
    if (kind == SOLVE) return clsolve_gauss_jordan_solve(h->gj, CLSOLVE_NO_TRANS, &a, &y);
    if (kind == INVERT) return clsolve_gauss_jordan_invert(h->gj, &a, &y);
    return clsolve_gauss_jordan_batch_solve(h->batch, CLSOLVE_NO_TRANS, &av, &yv, info);
}

static int solved(const float *Y) {
    return fault_solved(SIZE, X, Y);
}

static fault_outcome use(clsolve_context *context, const char **failed) {
    fault_outcome out = {CLSOLVE_OK, ""};
    handles h;
    float Y[SIZE];
    int64_t info = UNTOUCHED, buffers = test_buffers(context->device);

    memcpy(Y, B, sizeof Y);
    out.status = make(context, &h);
    const int made = h.gj || h.batch;
    assert_true((out.status == CLSOLVE_OK) == made);
    if (made) out.status = call(&h, Y, &info);
    *failed = faults_disarm();
    if (out.status == CLSOLVE_OK) {
        assert_true(solved(Y));
        assert_true(kind != BATCH || info == 0);
    } else {
        assert_int_equal(info, UNTOUCHED);
        fault_failed(context, &out, memcmp(Y, B, sizeof Y) == 0, solved(Y));
        if (made) {
            clsolve_status status = call(&h, Y, &info);
            if (status != CLSOLVE_OK)
                fail_msg("after %s (%s): %s: %s", out.message, *failed ? *failed : "no fault",
                         clsolve_status_name(status), clsolve_context_message(context));
            assert_true(solved(Y));
        }
    }
    destroy(&h);
    assert_int_equal(test_buffers(context->device), buffers);
    return out;
}

/* What X must be; the run also fills the folder of kernels and the driver's own caches. */
static void start(void) {
    test_random random = test_random_start(400);
    OWNED(context) *context = test_context(1);
    handles h;
    int64_t info;
    const int parts = type == CLSOLVE_C32 ? 2 : 1;
    for (int i = 0; i < SIZE; i++) A[i] = (float)test_random_signed(&random);
    for (int i = 0; i < N; i++) A[parts * i * (N + 1)] += 3;
    for (int i = 0; i < SIZE; i++) B[i] = (float)test_random_signed(&random);
    assert_int_equal(make(context, &h), CLSOLVE_OK);
    assert_int_equal(call(&h, X, &info), CLSOLVE_OK);
    destroy(&h);
}

static void check(int which, clsolve_gauss_jordan_variant wanted) {
    kind = which;
    variant = wanted;
    start();
    fault_all(fault_stride > 1 ? 1 : 5, fault_stride > 1 ? 2 : 15, fault_with_context(NULL, NULL, use));
}

TEST(solves) {
    check(SOLVE, CLSOLVE_GAUSS_JORDAN_ONE_PASS);
    check(SOLVE, CLSOLVE_GAUSS_JORDAN_BLOCKED);
}

TEST(inverses) {
    check(INVERT, CLSOLVE_GAUSS_JORDAN_OPERATIONS);
}

TEST(batches) {
    check(BATCH, CLSOLVE_GAUSS_JORDAN_AUTO);
}

/* The calls are those of real matrices, with other kernels: some of them suffice. */
TEST(complex_elements) {
    type = CLSOLVE_C32;
    fault_stride = 9;
    check(INVERT, CLSOLVE_GAUSS_JORDAN_BLOCKED);
    check(BATCH, CLSOLVE_GAUSS_JORDAN_AUTO);
    fault_stride = 1;
    type = CLSOLVE_F32;
}

TEST_PROGRAM(NULL, NULL)
