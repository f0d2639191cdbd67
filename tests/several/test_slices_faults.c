/*
 * A device of several fails, in any of its calls: the call returns one error that names the device, infos are as they
 * were, a member is solved or as it was, and the next call works. Out of memory likewise.
 */
#define _POSIX_C_SOURCE 200809L

#include <clsolve/clsolve.h>

#include "several/pocl_devices.h"
#include "support/fault_run.h"
#include "support/test_support.h"

enum { N = 3, COUNT = 18, UNTOUCHED = 77 };
static clsolve_context *context;

/* Member m is (m + 2) I with a one beside the diagonal; its solution is 1, 2, 3. */
static void fill(float *A, float *B) {
    memset(A, 0, COUNT * N * N * sizeof *A);
    for (int m = 0; m < COUNT; m++)
        for (int i = 0; i < N; i++) {
            A[m * N * N + i * N + i] = (float)(m + 2);
            if (i + 1 < N) A[m * N * N + (i + 1) * N + i] = 1;
            B[m * N + i] = (float)((m + 2) * (i + 1) + (i + 1 < N ? i + 2 : 0));
        }
}

/* Each member of X is the solution, or B. */
static void check_members(const float *X, const float *B, clsolve_status status) {
    for (int m = 0; m < COUNT; m++) {
        double off = 0;
        for (int i = 0; i < N; i++) off = fmax(off, fabs((double)X[m * N + i] - (i + 1)));
        int same = memcmp(X + m * N, B + m * N, N * sizeof *X) == 0;
        if (!(off < 1e-3) && !(status != CLSOLVE_OK && same)) fail_msg("member %d is neither B nor X", m);
    }
}

static fault_outcome finish(clsolve_status status, const float *X, const float *B, const int64_t *info,
                            const char **failed) {
    fault_outcome out = {.status = status};
    *failed = faults_disarm();
    (void)snprintf(out.message, sizeof out.message, "%s", status ? clsolve_context_message(context) : "");
    check_members(X, B, status);
    for (int m = 0; m < COUNT; m++) assert_int_equal(info[m], status == CLSOLVE_OK ? 0 : UNTOUCHED);
    if (status != CLSOLVE_OK && *failed && strncmp(*failed, "cl", 2) == 0 && strncmp(*failed, "cls_", 4) != 0 &&
        !strstr(out.message, "device opencl:"))
        fail_msg("%s failed, and no device is named: %s", *failed, out.message);
    return out;
}

static fault_outcome gauss_jordan(const char **failed) {
    const clsolve_gauss_jordan_batch_options options = {.where = CLSOLVE_WHERE_DEVICE};
    static float a[COUNT * N * N], b[COUNT * N], x[COUNT * N];
    clsolve_batch A = clsolve_batch_f32(COUNT, N, N, a), X = clsolve_batch_f32(COUNT, N, 1, x);
    OWNED(gauss_jordan_batch) *batch = NULL;
    int64_t info[COUNT];
    fill(a, b);
    memcpy(x, b, sizeof x);
    for (int m = 0; m < COUNT; m++) info[m] = UNTOUCHED;
    clsolve_status status = clsolve_gauss_jordan_batch_create(context, N, COUNT, CLSOLVE_F32, &options, &batch);
    assert_int_equal(status == CLSOLVE_OK, batch != NULL);
    if (status == CLSOLVE_OK) status = clsolve_gauss_jordan_batch_solve(batch, CLSOLVE_NO_TRANS, &A, &X, info);
    fault_outcome out = finish(status, x, b, info, failed);
    return out;
}

static fault_outcome tridiagonal(const char **failed) {
    const clsolve_tridiagonal_batch_options options = {.where = CLSOLVE_WHERE_DEVICE};
    static float a[COUNT * N * N], b[COUNT * N], x[COUNT * N], line[3][COUNT * N];
    clsolve_batch X = clsolve_batch_f32(COUNT, N, 1, x), d[3];
    OWNED(tridiagonal_batch) *batch = NULL;
    int64_t info[COUNT], first[COUNT];
    fill(a, b);
    memcpy(x, b, sizeof x);
    for (int m = 0; m < COUNT; m++) info[m] = UNTOUCHED;
    for (int q = 0; q < 3; q++) {
        d[q] = clsolve_batch_f32(COUNT, N, 1, line[q]);
        for (int m = 0; m < COUNT; m++)
            for (int i = 0; i < N; i++) line[q][m * N + i] = q == 0 ? 0 : q == 1 ? (float)(m + 2) : i + 1 < N ? 1 : 0;
    }
    clsolve_status status = clsolve_tridiagonal_batch_create(context, N, COUNT, CLSOLVE_F32, &options, &batch);
    assert_int_equal(status == CLSOLVE_OK, batch != NULL);
    if (status == CLSOLVE_OK) status = clsolve_tridiagonal_batch_factor(batch, &d[0], &d[1], &d[2], first);
    if (status == CLSOLVE_OK) status = clsolve_tridiagonal_batch_solve(batch, CLSOLVE_NO_TRANS, &X, info);
    fault_outcome out = finish(status, x, b, info, failed);
    return out;
}

static void open_context(void) {
    assert_int_equal(clsolve_context_create("opencl:0,1,2", &context), CLSOLVE_OK);
}

static void each(fault_scenario run) {
    const char *failed;
    open_context();
    assert_int_equal(run(&failed).status, CLSOLVE_OK); /* programs are made once */
    fault_lasting = 1;                                 /* slots for transfers keep events, and a failure settles them */
    fault_all(3, 10, run);
    fault_each(FAULT_DEVICE, "clCreateBuffer", 3, run);
    clsolve_context_destroy(context);
    assert_int_equal(faults_objects(), 0);
}

TEST(gauss_jordan_faults) {
    each(gauss_jordan);
}

/* Its transfers go as those of gauss_jordan do, so with slots for transfers that one is enough. */
TEST(tridiagonal_faults) {
    if (test_pretends("gpu")) skip();
    each(tridiagonal);
}

static fault_outcome opening(const char **failed) {
    fault_outcome out = {CLSOLVE_OK, ""};
    clsolve_context_options options = {
        .selector = "opencl:0,1,2", .cache_folder = "", .message = out.message, .message_size = sizeof out.message};
    out.status = clsolve_context_create_with(&options, &context);
    *failed = faults_disarm();
    assert_int_equal(out.status == CLSOLVE_OK, context != NULL);
    clsolve_context_destroy(context);
    return out;
}

TEST(opening_faults) {
    fault_lasting = 0;
    fault_each(FAULT_ALLOCATION, NULL, 5, opening);
    /* Devices with memory of their own ask for one context of all first, and do without. */
    fault_each(FAULT_DEVICE, "clCreateContext", test_pretends("gpu") ? 0 : 3, opening);
}

int main(void) {
    pocl_devices();
    assert_int_equal(setenv("CLSOLVE_SHARES", "1,1,1", 1), 0);
    return test_run(NULL, NULL);
}
