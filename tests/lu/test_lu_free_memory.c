/*
 * A device of whose memory others hold the most: a driver that tells what is free (cuMemGetInfo of CUDA's, here the
 * stand-in's; AMD's through OpenCL, here in any driver's place) has a matrix factored out of core where it does not fit that,
 * though it would fit the whole; and what does not fit at all is refused with what it wants.
 */
#define _POSIX_C_SOURCE 200809L

#include <clsolve/clsolve.h>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "api/context.h"
#include "support/test_support.h"

enum { N = 700, KL = 40, WHOLE = 2 * KL + 1 + KL, FREE_MEMORY_AMD = 0x4039 };

static int64_t bytes_free = -1; /* that the driver tells; -1: it knows no such question */

WRAPS(cl_int, clGetDeviceInfo, (cl_device_id id, cl_device_info what, size_t size, void *value, size_t *wanted)) {
    size_t kib[2] = {(size_t)bytes_free / 1024, 16};
    if (what != FREE_MEMORY_AMD) return __real_clGetDeviceInfo(id, what, size, value, wanted);
    if (bytes_free < 0 || size < sizeof kib || !value) return CL_INVALID_VALUE;
    memcpy(value, kib, sizeof kib);
    if (wanted) *wanted = sizeof kib;
    return CL_SUCCESS;
}

typedef struct fixture {
    clsolve_context *context;
    float *a, *b, *asked;
    clsolve_report report;
} fixture;

static void tell(const fixture *f, int64_t bytes) {
    char text[32];
    if (f->context) cls_context_let_go(f->context); /* a handle that has stayed asks for no memory */
    bytes_free = bytes;
    (void)snprintf(text, sizeof text, "%lld", bytes >= 0 ? (long long)bytes : INT64_C(1) << 32);
    assert_int_equal(setenv("CLSOLVE_STAND_IN_FREE", text, 1), 0);
}

/* Random elements within KL of the diagonal, or everywhere, in float; B so that X is all ones. */
static void make(float *a, float *b, int banded) {
    test_random random = test_random_start(1);
    for (int j = 0; j < N; ++j)
        for (int i = 0; i < N; ++i)
            a[i + j * N] = banded && abs(i - j) > KL ? 0 : (float)test_random_signed(&random) + (i == j ? 30.0F : 0);
    for (int i = 0; i < N; ++i) {
        double sum = 0;
        for (int j = 0; j < N; ++j) sum += (double)a[i + j * N];
        b[i] = (float)sum;
    }
}

static void check_ones(const float *x) {
    for (int i = 0; i < N; ++i)
        if (!(fabsf(x[i] - 1) < 1e-3F)) fail_msg("x(%d) is %.9g", i + 1, (double)x[i]);
}

static clsolve_status solve_dense(fixture *f) {
    clsolve_matrix A = clsolve_matrix_f32(N, N, f->a), B = clsolve_matrix_f32(N, 1, f->b);
    make(f->a, f->asked, 0);
    memcpy(f->b, f->asked, N * sizeof *f->b);
    clsolve_solve_report whole;
    clsolve_status status = clsolve_solve(f->context, CLSOLVE_NO_TRANS, &A, &B, NULL, &whole);
    f->report = whole.report;
    return status;
}

TEST(test_dense) {
    fixture *f = *state;
    const int64_t bytes = (int64_t)N * N * (int64_t)sizeof(float);
    const int64_t in_core[] = {-1, 8 * bytes}, out_of_core[] = {bytes, bytes / 2};

    for (size_t i = 0; i < sizeof in_core / sizeof *in_core; ++i) {
        tell(f, in_core[i]);
        if (solve_dense(f) != CLSOLVE_OK) fail_msg("%s", clsolve_context_message(f->context));
        check_ones(f->b);
        assert_int_equal(f->report.host_bytes, 0);
    }
    for (size_t i = 0; i < sizeof out_of_core / sizeof *out_of_core; ++i) {
        tell(f, out_of_core[i]);
        if (solve_dense(f) != CLSOLVE_OK) fail_msg("%s", clsolve_context_message(f->context));
        check_ones(f->b);
        assert_int_equal(f->report.host_bytes, bytes);
        assert_in_range(f->report.device_bytes, 1, out_of_core[i]);
    }
    tell(f, 32 * 1024);
    assert_int_equal(solve_dense(f), CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY);
    assert_non_null(strstr(clsolve_context_message(f->context), "wants"));
    assert_memory_equal(f->b, f->asked, N * sizeof *f->b);
    /* What was free is asked each time: nothing of that stays. */
    tell(f, -1);
    assert_int_equal(solve_dense(f), CLSOLVE_OK);
    assert_int_equal(f->report.host_bytes, 0);
}

static clsolve_status solve_band(fixture *f, const clsolve_band_options *options, float *band) {
    clsolve_matrix B = clsolve_matrix_f32(N, 1, f->b);
    OWNED(band) *handle = NULL;
    make(f->a, f->asked, 1);
    memcpy(f->b, f->asked, N * sizeof *f->b);
    for (int j = 0; j < N; ++j)
        for (int i = j > KL ? j - KL : 0; i < N && i <= j + KL; ++i)
            band[KL + i - j + j * (2 * KL + 1)] = f->a[i + j * N];
    clsolve_matrix A = clsolve_matrix_f32(2 * KL + 1, N, band);
    clsolve_status status = clsolve_band_create(f->context, N, KL, KL, CLSOLVE_F32, options, &handle);
    if (status == CLSOLVE_OK) status = clsolve_band_factor(handle, &A);
    if (status == CLSOLVE_OK) status = clsolve_band_solve(handle, CLSOLVE_NO_TRANS, &B);
    if (status == CLSOLVE_OK) status = clsolve_band_report(handle, &f->report);
    return status;
}

TEST(test_band) {
    fixture *f = *state;
    const clsolve_band_options options = {.panel = CLSOLVE_PANEL_NATIVE, .block = 32};
    SCRATCH float *band = test_room((2 * KL + 1) * N, sizeof *band);

    tell(f, -1);
    if (solve_band(f, &options, band) != CLSOLVE_OK) fail_msg("%s", clsolve_context_message(f->context));
    check_ones(f->b);
    assert_int_equal(f->report.host_bytes, 0);
    /* Beside the rows' pivots and swaps there is room for some blocks of the band. */
    int64_t some = 300 * 1024 + 48 * N + (int64_t)sizeof(float) * (WHOLE + 32 + 32) * N / 2;
    tell(f, some);
    if (solve_band(f, &options, band) != CLSOLVE_OK) fail_msg("%s", clsolve_context_message(f->context));
    check_ones(f->b);
    assert_true(f->report.host_bytes > 0);
    assert_in_range(f->report.device_bytes, 1, some);
    tell(f, 32 * 1024);
    assert_int_equal(solve_band(f, &options, band), CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY);
    assert_non_null(strstr(clsolve_context_message(f->context), "wants"));
    assert_memory_equal(f->b, f->asked, N * sizeof *f->b);
}

static int open_all(void **state) {
    static fixture f;
    tell(&f, -1);
    f.context = test_context(1);
    f.a = calloc((size_t)N * N, sizeof *f.a);
    f.b = calloc(N, sizeof *f.b);
    f.asked = calloc(N, sizeof *f.asked);
    *state = &f;
    return f.a && f.b && f.asked ? 0 : -1;
}

static int close_all(void **state) {
    fixture *f = *state;
    clsolve_context_destroy(f->context);
    free(f->a);
    free(f->b);
    free(f->asked);
    return 0;
}

int main(void) {
    test_require_device();
    /* A real CUDA device says what it has, not what a test wants to hear. */
    if (!getenv("CLSOLVE_STAND_IN_FREE")) test_require_backend("opencl");
    return test_run(open_all, close_all);
}
