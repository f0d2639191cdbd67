/*
 * Allocations and calls of the driver fail in their turn while a batch of sparse matrices is made, factored and solved: the status is
 * the right one, each member's B is as it was or solved, the handle works once the fault is gone, and nothing is left behind. One
 * member is done anew on the host. Members come in portions.
 */
#include <clsolve/clsolve.h>

#include "api/context.h"
#include "support/fault_run.h"
#include "support/test_support.h"

enum { N = 12, ENTRIES = 3 * N - 2, MEMBERS = 19, AGAIN = 9 };

static int32_t start[N + 1], column[ENTRIES];
static double values[ENTRIES * MEMBERS];
static double B[N * MEMBERS];
static int64_t limit; /* of memory */
static clsolve_where where;

/* Tridiagonal matrices whose solution is 1 everywhere; the member AGAIN has a zero as the first element of its diagonal. */
static void make_members(void) {
    for (int i = 0, e = 0; i < N; start[++i] = e)
        for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < N; j++, e++) {
            column[e] = j;
            for (int m = 0; m < MEMBERS; m++) {
                const double value = i != j ? 1 : m == AGAIN && i == 0 ? 0 : 4 + m;
                values[e + ENTRIES * m] = value;
                B[i + N * m] += value;
            }
        }
}

static int is_solved(const double *x) {
    for (int i = 0; i < N; i++)
        if (!(fabs(x[i] - 1) < 1e-12)) return 0;
    return 1;
}

static clsolve_status work(clsolve_sparse_batch *batch, double *X) {
    int64_t info[MEMBERS] = {0};
    const clsolve_batch V = clsolve_batch_f64(MEMBERS, ENTRIES, 1, values);
    clsolve_batch view = clsolve_batch_f64(MEMBERS, N, 1, X);
    clsolve_status status = clsolve_sparse_batch_factor(batch, &V, info);
    if (status == CLSOLVE_OK) status = clsolve_sparse_batch_solve(batch, CLSOLVE_TRANS, &view, info);
    for (int m = 0; m < MEMBERS && status == CLSOLVE_OK; m++)
        if (info[m] != 0) fail_msg("member %d: info %lld", m, (long long)info[m]);
    return status;
}

static fault_outcome use(clsolve_context *context, const char **failed) {
    const clsolve_csr A = clsolve_csr_f64(N, start, column, values);
    const clsolve_sparse_batch_options options = {.where = where, .memory_limit = limit};
    const int64_t buffers = test_buffers(context->device);
    fault_outcome out = {CLSOLVE_OK, ""};
    clsolve_sparse_batch *batch = NULL;
    double X[N * MEMBERS];
    memcpy(X, B, sizeof X);
    out.status = clsolve_sparse_batch_create_csr(context, &A, MEMBERS, &options, &batch);
    if (batch) out.status = work(batch, X);
    *failed = faults_disarm();
    int known = 1, solved = 1;
    for (int m = 0; m < MEMBERS; m++) {
        known &= is_solved(X + N * m) || memcmp(X + N * m, B + N * m, N * sizeof *X) == 0;
        solved &= is_solved(X + N * m);
    }
    if (out.status == CLSOLVE_OK) {
        assert_true(solved);
    } else {
        fault_failed(context, &out, known, solved);
        memcpy(X, B, sizeof X);
        if (batch && work(batch, X) != CLSOLVE_OK)
            fail_msg("after %s (%s): %s", out.message, *failed ? *failed : "no fault",
                     clsolve_context_message(context));
    }
    clsolve_sparse_batch_destroy(batch);
    assert_int_equal(test_buffers(context->device), buffers);
    return out;
}

/* Room for some of the members. */
static void find_limit(void) {
    const clsolve_csr A = clsolve_csr_f64(N, start, column, values);
    const clsolve_sparse_batch_options options = {.where = CLSOLVE_WHERE_DEVICE};
    OWNED(context) *context = test_context(1);
    OWNED(sparse_batch) *batch = NULL;
    clsolve_report report;
    assert_int_equal(clsolve_sparse_batch_create_csr(context, &A, MEMBERS, &options, &batch), CLSOLVE_OK);
    assert_int_equal(clsolve_sparse_batch_report(batch, &report), CLSOLVE_OK);
    limit = report.device_bytes * 3 / 2; /* right-hand sides take as much again */
}

TEST(on_the_device) {
    where = CLSOLVE_WHERE_DEVICE;
    find_limit();
    fault_all(5, 5, fault_with_context(NULL, NULL, use));
}

TEST(on_the_host) {
    where = CLSOLVE_WHERE_HOST;
    limit = 0;
    fault_each(FAULT_ALLOCATION, NULL, 5, fault_with_context(NULL, NULL, use));
}

TEST_PROGRAM_BY((test_require_device(), make_members()), NULL, NULL)
