/*
 * Each allocation on the host and each call of the driver fails in its turn where solutions are refined: in fixed
 * precision, from float factors, with A on the device and on the host, in core and out of core, and where a matrix is
 * scaled by itself. B is as it was, and the handle works again once the fault is gone.
 */
#include <clsolve/clsolve.h>

#include "api/context.h"
#include "blas/blas.h"
#include "device/staging.h"
#include "support/fault_run.h"
#include "support/fixture.h"

enum { N = 20, NRHS = 2 };

static clsolve_lu_options options;
static double A[N * N], B[N * NRHS];
static enum { FULL, PERMUTED } shape; /* of A */

static int solved(const double *Y) {
    for (int i = 0; i < N; i++)
        for (int c = 0; c < NRHS; c++) {
            double sum = 0, size = 0;
            for (int j = 0; j < N; j++) {
                double term = A[i + j * N] * Y[j + c * N];
                sum += term;
                size += term < 0 ? -term : term;
            }
            double off = sum - B[i + c * N];
            if (!((off < 0 ? -off : off) <= 1e-10 * size)) return 0;
        }
    return 1;
}

/* Once more without the fault: nothing of it stays. */
static void again(clsolve_lu *lu, const clsolve_matrix *a) {
    double Y[N * NRHS];
    clsolve_matrix y = clsolve_matrix_f64(N, NRHS, Y);
    memcpy(Y, B, sizeof Y);
    assert_int_equal(clsolve_lu_factor(lu, a), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &y), CLSOLVE_OK);
    assert_true(solved(Y));
}

/* A copy to the device leaves an event in its staging slot until the slot is wanted again. So that all that is counted as
 * left behind is: */
static void free_slots(void) {
    cls_staging_destroy(context->device); /* which slots there are depends on the time */
}

static fault_outcome scenario(const char **failed) {
    fault_outcome out = {CLSOLVE_OK, ""};
    clsolve_lu *lu = NULL;
    double Y[N * NRHS];
    clsolve_matrix a = clsolve_matrix_f64(N, N, A), y = clsolve_matrix_f64(N, NRHS, Y);
    int64_t buffers = context->device->counters.buffers;

    memcpy(Y, B, sizeof Y);
    out.status = clsolve_lu_create(context, N, CLSOLVE_F64, &options, &lu);
    if (out.status == CLSOLVE_OK) out.status = clsolve_lu_factor(lu, &a);
    if (out.status == CLSOLVE_OK) out.status = clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &y);
    *failed = faults_disarm();
    if (out.status != CLSOLVE_OK) {
        fault_failed(context, &out, memcmp(Y, B, sizeof Y) == 0, solved(Y));
        if (lu) again(lu, &a);
    } else {
        assert_true(solved(Y));
    }
    clsolve_lu_destroy(lu);
    free_slots();
    assert_int_equal(context->device->counters.buffers, buffers);
    return out;
}

static void fail_each(const clsolve_lu_options *wanted, double size, int least) {
    const char *failed = NULL;
    test_random random = test_random_start(1);
    options = *wanted;
    for (int k = 0; k < N * N; k++) A[k] = (test_random_signed(&random) + (k % (N + 1) == 0 ? 4 : 0)) * size;
    for (int k = 0; k < N * N && shape == PERMUTED; k++) A[k] = (k / N == (k % N + 1) % N) * size;
    for (int k = 0; k < N * NRHS; k++) B[k] = test_random_signed(&random) * size;
    /* Hybrid panels are in the host's memory alone, and in core. */
    int last = wanted->memory_limit > 0 || !cls_in_place(context->device) ? CLSOLVE_PANEL_NATIVE : CLSOLVE_PANEL_HYBRID;
    for (int panel = CLSOLVE_PANEL_NATIVE; panel <= last; panel++) {
        options.panel = (clsolve_panel)panel;
        faults_arm(FAULT_DEVICE, INT64_MAX);
        assert_int_equal(scenario(&failed).status, CLSOLVE_OK); /* warms the driver's own caches */
        fault_each(FAULT_ALLOCATION, NULL, least, scenario);
        /* A matrix that stays in the host's memory needs few of the driver's calls. */
        fault_each(FAULT_DEVICE, NULL, panel == CLSOLVE_PANEL_HYBRID ? least - 3 : least, scenario);
    }
}

static int has_double(void) {
    return clsolve_context_device(context).fp64;
}

TEST(fixed_precision) {
    clsolve_lu_options wanted = {.refine = 1, .rcond = 1, .equilibrate = 1};
    if (has_double()) fail_each(&wanted, 1, 10);
}

TEST(mixed_precision) {
    clsolve_lu_options wanted = {.precision = CLSOLVE_PRECISION_MIXED, .rcond = 1};
    fail_each(&wanted, 1, 10);
}

/* The least limit that a handle can be made under; out of core for all but the smallest matrices. */
TEST(under_a_limit) {
    for (int mixed = 0; mixed < 2; mixed++) {
        clsolve_lu_options wanted = {
            .refine = !mixed, .equilibrate = !mixed, .rcond = 1, .block = 4, .memory_limit = 1};
        wanted.panel = CLSOLVE_PANEL_NATIVE;
        clsolve_status status = CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY;
        if (mixed) wanted.precision = CLSOLVE_PRECISION_MIXED;
        if (!mixed && !has_double()) continue;
        for (; status == CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY; wanted.memory_limit += 512) {
            OWNED(lu) *lu = NULL;
            status = clsolve_lu_create(context, N, CLSOLVE_F64, &wanted, &lu);
        }
        assert_int_equal(status, CLSOLVE_OK);
        fail_each(&wanted, 1, 10);
    }
}

/* Without pivots, with all that an answer of those takes; and where partial pivoting takes over. */
TEST(no_pivots) {
    clsolve_lu_options wanted = {.pivoting = CLSOLVE_PIVOTING_RBT};
    if (has_double()) fail_each(&wanted, 1, 10);
    shape = PERMUTED;
    wanted.rcond = 1;
    if (has_double()) fail_each(&wanted, 1, 10);
    shape = FULL;
}

TEST(tiny_numbers) {
    clsolve_lu_options wanted = {.rcond = 1};
    if (has_double()) fail_each(&wanted, 0x1p-1000, 10);
}

TEST_PROGRAM(open_context, close_context)
