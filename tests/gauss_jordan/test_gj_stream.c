/*
 * test_gj_stream.c: a batch of inverses in slices that cross in both directions at once gives the bits of one that does
 * not, for members at even distances; singular members and those with NaN stay as they were; what crosses is counted once;
 * and each call of the driver and each allocation fails once, which changes neither A nor the infos.
 */
#include <clsolve/clsolve.h>

#include "api/context.h"
#include "device/staging.h"
#include "gauss_jordan/gj_support.h"
#include "method/gauss_jordan/batch.h"
#include "support/fault_run.h"
#include "support/fixture.h"

enum { N = 5, MOST = 4001, PAD = 3, LD = N + PAD };

static float A[MOST * N * N], X[MOST * N * LD], Y[MOST * N * N];
static int64_t info[MOST], told[MOST];

/* One in 97 has a zero column, and so has the last one of a slice: of 700 members that slice has no other. */
static int is_singular(int64_t m, int64_t count) {
    return m % 97 == 15 || m + 1 == count * 6 / 16;
}

/* Diagonally dominant members, some singular, and one in 89 with a NaN. */
static void fill(int64_t count, int64_t n) {
    test_random random = test_random_start((uint64_t)count);
    for (int64_t m = 0; m < count; ++m) {
        float *a = A + m * n * n;
        for (int64_t k = 0; k < n * n; ++k) a[k] = (float)test_random_signed(&random) + (k % (n + 1) == 0 ? 4 : 0);
        for (int64_t i = 0; i < n && is_singular(m, count); ++i) a[i] = 0;
        if (m % 89 == 31) a[n * n - 1] = NAN;
    }
}

static clsolve_batch view_of(int64_t count, int64_t n, int64_t ld, float *data) {
    clsolve_batch view = clsolve_batch_f32(count, n, n, data);
    view.ld = ld;
    view.stride = n * ld;
    return view;
}

static int can(int64_t count, const clsolve_batch *a, const clsolve_batch *x) {
    const cls_gj_batch batch = {.device = context->device, .type = CLSOLVE_F32, .n = a->rows, .count = count};
    return cls_gj_batch_can_stream(&batch, a, x);
}

/* By slices, with room between columns; then in place, which is not by slices. */
static void check(int64_t n, int64_t count) {
    OWNED(gauss_jordan_batch) *gj = gj_batch_make(context, n, count, CLSOLVE_F32);
    clsolve_batch a = view_of(count, n, n, A), x = view_of(count, n, n + PAD, X), y = view_of(count, n, n, Y);
    clsolve_report report;

    fill(count, n);
    memcpy(Y, A, sizeof Y);
    for (int64_t k = 0; k < MOST * N * LD; ++k) X[k] = -77;
    assert_int_equal(can(count, &a, &x), 1);
    assert_int_equal(clsolve_gauss_jordan_batch_invert(gj, &a, &x, info), CLSOLVE_OK);
    assert_int_equal(clsolve_gauss_jordan_batch_report(gj, &report), CLSOLVE_OK);
    assert_int_equal(report.bytes_up, count * n * n * (int64_t)sizeof(float));
    assert_int_equal(report.transfers_up, 1);
    assert_int_equal(report.transfers_down, 2); /* the inverses, and their infos */
    assert_memory_equal(A, Y, (size_t)(count * n * n) * sizeof(float));
    assert_int_equal(can(count, &y, &y), 0);
    assert_int_equal(clsolve_gauss_jordan_batch_invert(gj, &y, &y, told), CLSOLVE_OK);
    assert_memory_equal(info, told, (size_t)count * sizeof *info);
    for (int64_t m = 0; m < count; ++m) {
        int64_t sound = !is_singular(m, count) && m % 89 != 31;
        if ((info[m] == 0) != sound) fail_msg("n %d, member %d: info %d", (int)n, (int)m, (int)info[m]);
        for (int64_t j = 0; j < n; ++j)
            for (int64_t i = 0; i < n + PAD; ++i) {
                float got = X[(m * n + j) * (n + PAD) + i], wanted = i < n && sound ? Y[(m * n + j) * n + i] : -77;
                if (got != wanted) fail_msg("n %d, member %d, element (%d, %d)", (int)n, (int)m, (int)i, (int)j);
            }
    }
}

TEST(test_answers) {
    check(1, 3989);
    for (int64_t count = MOST - 17; count <= MOST; count += 17) check(3, count);
    check(N, 700);
    check(N, MOST);
}

TEST(test_refused) {
    int64_t offsets[MOST];
    clsolve_batch a = view_of(MOST, N, N, A), x = view_of(MOST, N, LD, X), scattered = a, far = x;
    assert_int_equal(can(MOST, &a, &x), 1);
    assert_int_equal(can(15, &a, &x), 0);
    context->device->shares_memory = 1;
    assert_int_equal(can(MOST, &a, &x), 0);
    context->device->shares_memory = 0;
    for (int64_t m = 0; m < MOST; ++m) offsets[m] = m * N * N;
    scattered.offsets = offsets;
    assert_int_equal(can(MOST, &scattered, &x), 0);
    far.stride++;
    assert_int_equal(can(MOST, &a, &far), 0);
    clsolve_batch over = view_of(MOST / 2, N, N, A), beside = view_of(MOST / 2, N, N, A + MOST / 2 * N * N);
    assert_int_equal(can(MOST / 2, &over, &beside), 1);
    beside.data = (float *)beside.data - 1;
    assert_int_equal(can(MOST / 2, &over, &beside), 0);
}

/* ---- faults ---- */

enum { FEW = 700 };

/* Each element of X is as it was, or the inverse's: a copy may have failed within a member. */
static int is_old_or_new(void) {
    for (int64_t k = 0; k < FEW * N * N; ++k)
        if (X[k] != -77 && X[k] != Y[k]) return 0;
    return 1;
}

static fault_outcome scenario(const char **failed) {
    fault_outcome out = {CLSOLVE_OK, ""};
    clsolve_batch a = view_of(FEW, N, N, A), x = view_of(FEW, N, N, X);
    int64_t buffers = context->device->counters.buffers;
    clsolve_gauss_jordan_batch *gj = NULL;

    for (int64_t k = 0; k < FEW * N * N; ++k) X[k] = -77;
    for (int64_t m = 0; m < FEW; ++m) info[m] = 99;
    out.status = clsolve_gauss_jordan_batch_create(context, N, FEW, CLSOLVE_F32, NULL, &gj);
    if (out.status == CLSOLVE_OK) out.status = clsolve_gauss_jordan_batch_invert(gj, &a, &x, info);
    *failed = faults_disarm();
    if (out.status != CLSOLVE_OK) {
        fault_failed(context, &out, is_old_or_new(), 1);
        for (int64_t m = 0; m < FEW; ++m) assert_int_equal(info[m], 99);
        if (gj) assert_int_equal(clsolve_gauss_jordan_batch_invert(gj, &a, &x, info), CLSOLVE_OK);
    }
    if (gj) assert_memory_equal(info, told, sizeof *info * FEW);
    for (int64_t m = 0; gj && m < FEW; ++m)
        for (int64_t k = m * N * N; k < (m + 1) * N * N; ++k)
            if (info[m] == 0 && X[k] != Y[k]) fail_msg("%s failed: member %d is wrong", *failed, (int)m);
    clsolve_gauss_jordan_batch_destroy(gj);
    cls_staging_destroy(context->device); /* which slots there are depends on the time */
    assert_int_equal(context->device->counters.buffers, buffers);
    return out;
}

TEST(test_faults) {
    const char *failed = NULL;
    clsolve_batch y = view_of(FEW, N, N, Y);
    fill(FEW, N);
    memcpy(Y, A, sizeof Y);
    clsolve_gauss_jordan_batch *gj = gj_batch_make(context, N, FEW, CLSOLVE_F32);
    assert_int_equal(clsolve_gauss_jordan_batch_invert(gj, &y, &y, told), CLSOLVE_OK);
    clsolve_gauss_jordan_batch_destroy(gj);
    faults_arm(FAULT_DEVICE, INT64_MAX);
    assert_int_equal(scenario(&failed).status, CLSOLVE_OK); /* warms the driver's own caches */
    fault_each(FAULT_ALLOCATION, NULL, 4, scenario);
    fault_each(FAULT_DEVICE, NULL, 30, scenario);
}

static int open_all(void **state) {
    (void)open_context(state);
    context->device->staging_bytes = 1024; /* many pieces, by several threads */
    context->device->threads = 3;
    return 0;
}

TEST_PROGRAM_ALONE(open_all, close_context)
