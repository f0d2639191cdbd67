/*
 * A device that really is too small, without any option: PoCL under POCL_MEMORY_LIMIT, most of which other buffers hold,
 * and a matrix larger than the rest, so that the factorization goes out of core by itself.
 */
#include <clsolve/clsolve.h>

#include "api/context.h"
#include "lu/ratios.h"
#include "support/test_support.h"

enum { N = 5000, BUFFERS = 16, LEFT = 64 * 1024 * 1024 };

static cls_buffer *held[BUFFERS];

/* Takes all of the device's memory but `left` bytes. Nothing is written there. */
static void take_all_but(cls_device *device, int64_t left) {
    for (int b = 0; b < BUFFERS; ++b) {
        int64_t wanted = device->info.global_memory - device->counters.buffer_bytes - left;
        if (wanted > device->info.max_allocation) wanted = device->info.max_allocation;
        if (wanted > 0) assert_int_equal(device->ops->buffer_create(device, (size_t)wanted, &held[b]), CLSOLVE_OK);
    }
    assert_in_range(device->info.global_memory - device->counters.buffer_bytes, 0, left);
}

/* x is known: all ones. The bound of the residual, row by row, without a second matrix. */
static void check_ones(const clsolve_matrix *X) {
    const double *x = X->data;
    for (int64_t i = 0; i < N; ++i)
        if (!(fabs(x[i] - 1) < 1e-8)) fail_msg("x(%d) is %.17g", (int)i + 1, x[i]);
}

TEST(test_out_of_core_by_itself) {
    clsolve_context *context = *state;
    cls_device *device = context->device;
    SCRATCH double *a = malloc((size_t)N * N * sizeof *a), *b = test_doubles(N);
    clsolve_matrix A = clsolve_matrix_f64(N, N, a), B = clsolve_matrix_f64(N, 1, b);
    test_random random = test_random_start(1);
    clsolve_solve_report whole;
    clsolve_report report;

    assert_non_null(a);
    test_random_fill(&random, a, (int64_t)N * N);
    for (int64_t j = 0; j < N; ++j) a[j + j * N] += 2; /* not dominant: pivots still move rows */
    for (int64_t j = 0; j < N; ++j)
        for (int64_t i = 0; i < N; ++i) b[i] += a[i + j * N];
    take_all_but(device, LEFT);

    clsolve_status status = clsolve_solve(context, CLSOLVE_NO_TRANS, &A, &B, NULL, &whole);
    report = whole.report;
    if (status != CLSOLVE_OK) fail_msg("%s", clsolve_context_message(context));
    check_ones(&B);
    assert_in_range(report.slab_columns, 1, N / 2);
    assert_int_equal(report.host_bytes, (int64_t)N * N * 8);
    assert_in_range(report.device_bytes, 1, LEFT);
    assert_true(report.bytes_up > (int64_t)N * N * 8);
    print_message("n %d in %lld bytes: slabs of %lld columns, %lld bytes up, %lld down, %.1f s\n", N,
                  (long long)report.device_bytes, (long long)report.slab_columns, (long long)report.bytes_up,
                  (long long)report.bytes_down, report.seconds.total);

    /* With next to nothing left it is refused, and says what it wants. */
    cls_buffer *rest = NULL;
    int64_t left = device->info.global_memory - device->counters.buffer_bytes;
    assert_int_equal(device->ops->buffer_create(device, (size_t)(left - 1024 * 1024), &rest), CLSOLVE_OK);
    assert_int_equal(clsolve_solve(context, CLSOLVE_NO_TRANS, &A, &B, NULL, NULL), CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY);
    assert_non_null(strstr(clsolve_context_message(context), "wants"));
    check_ones(&B);
    device->ops->buffer_destroy(device, rest);
}

static int open_context(void **state) {
    *state = test_context(1);
    return 0;
}

static int close_context(void **state) {
    OWNED(context) *context = *state;
    for (int b = 0; b < BUFFERS; ++b) context->device->ops->buffer_destroy(context->device, held[b]);
    return 0;
}

int main(void) {
    test_require_device();

    /* A device without such a limit is too large to fill, and one without double is no place for this. */
    clsolve_context *context = test_context(1);
    clsolve_device_info info = clsolve_context_device(context);
    clsolve_context_destroy(context);
    if (info.global_memory > INT64_C(2) * 1024 * 1024 * 1024 || !info.fp64) return TEST_SKIPPED;
    return test_run(open_context, close_context);
}
