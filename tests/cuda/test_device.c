/*
 * What the CUDA backend checks itself, because the driver does not or not in time: kernels' arguments, the ends of buffers,
 * cuBLAS's sizes, devices that cannot be used; and the times between events.
 */
#define _POSIX_C_SOURCE 200809L

#include "blas/blas_support.h"

#include <limits.h>
#include <time.h>

#include "base/memory.h"
#include "device/cuda/cuda_device.h"
#include "device/interop.h"
#include "device/kernels.h"
#include "method/direct/precision.h"

static cls_error error;
static cls_device *device;

static int open_device(void **state) {
    device = test_blas_device("", &error);
    return 0;
}

static int close_device(void **state) {
    device->ops->destroy(device);
    return 0;
}

static void says(const char *text) {
    if (!strstr(error.text, text)) fail_msg("%s", error.text);
}

/* ---- kernels' arguments ---- */

TEST(arguments_are_counted) {
    cls_program *program = NULL;
    cls_kernel *kernel = NULL;
    cls_buffer *buffer = NULL;
    int64_t one = 1, zero = 0;
    float beta = 1;
    if (!cls_cuda_of(device)->driver.param_info) skip(); /* before CUDA 12.4 nobody knows what a kernel takes */
    assert_ok(device, device->ops->program_get(device, "scale", cls_type_option(CLSOLVE_F32), &program));
    assert_ok(device, device->ops->kernel_create(device, program, "scale", &kernel));
    assert_ok(device, device->ops->buffer_create(device, 64, &buffer));
    assert_ok(device, device->ops->fill(device, CLS_COMPUTE, buffer, 0, 64, 0));
    cls_arg args[] = {CLS_VALUE(one),  CLS_VALUE(one), CLS_VALUE(beta), CLS_BUFFER(buffer),
                      CLS_VALUE(zero), CLS_VALUE(one), CLS_VALUE(one)};
    cls_grid grid = {{64, 1, 1}, {64, 1, 1}};
    assert_ok(device, device->ops->launch(device, CLS_COMPUTE, kernel, &grid, args, 6, NULL, NULL));
    for (int32_t wrong = 5; wrong <= 7; wrong += 2) {
        assert_int_equal(device->ops->launch(device, CLS_COMPUTE, kernel, &grid, args, wrong, NULL, NULL),
                         CLSOLVE_ERROR_DEVICE);
        says("arguments where the kernel takes 6");
    }
    assert_ok(device, device->ops->finish(device, CLS_COMPUTE));
    device->ops->buffer_destroy(device, buffer);
    device->ops->kernel_destroy(device, kernel);
}

static const char *dialect(void) {
    for (const cls_kernel_source *s = cls_kernel_sources; s->name; s++)
        if (strcmp(s->name, "dialect") == 0) return s->text;
    return NULL;
}

/* Local memory of a few bytes, and then of REALs, which have to be where a REAL may be. */
TEST(local_arguments_are_aligned) {
    static const char text[] =
        "KERNEL WORK_GROUP(32, 1, 1) void reversed(GLOBAL REAL *a, LOCAL_ARG(int, y), LOCAL_ARG(REAL, x)) {\n"
        "    LOCAL_FROM_ARG(int, y);\n    LOCAL_FROM_ARG(REAL, x);\n    x[LOCAL_ID(0)] = a[LOCAL_ID(0)];\n"
        "    if (LOCAL_ID(0) == 0) y[0] = 1;\n    BARRIER();\n    a[LOCAL_ID(0)] = x[31 - LOCAL_ID(0)] + "
        "(REAL)y[0];\n}\n";
    cls_source source = {"reversed", cls_type_option(CLSOLVE_F64), {dialect(), "\n", text}};
    cls_program program = {0};
    cls_made made = {0};
    cls_kernel *kernel = NULL;
    cls_buffer *buffer = NULL;
    double data[32];
    assert_ok(device, device->compiler->prepare(device));
    assert_ok(device, device->compiler->compile(device, &source, 1, device->error, &made));
    assert_ok(device, device->compiler->finish(device, &made));
    program.handle = made.handle;
    assert_ok(device, device->ops->kernel_create(device, &program, "reversed", &kernel));
    assert_ok(device, device->ops->buffer_create(device, sizeof data, &buffer));
    for (int i = 0; i < 32; i++) data[i] = i;
    test_upload(device, buffer, data, sizeof data);
    cls_arg args[] = {CLS_BUFFER(buffer), CLS_LOCAL(sizeof(int)), CLS_LOCAL(sizeof data)};
    cls_grid grid = {{32, 1, 1}, {32, 1, 1}};
    assert_ok(device, device->ops->launch(device, CLS_COMPUTE, kernel, &grid, args, 3, NULL, NULL));
    test_download(device, buffer, data, sizeof data);
    for (int i = 0; i < 32; i++) assert_true(data[i] == 32 - i);
    device->ops->buffer_destroy(device, buffer);
    device->ops->kernel_destroy(device, kernel);
    device->compiler->release(device, program.handle);
    cls_free(made.binary);
}

/* ---- the ends of buffers ---- */

/* Three columns of 30 bytes, 35 apart, end at the hundredth: the driver rounds a buffer up, and would not see more. */
TEST(columns_end_within_the_buffer) {
    cls_buffer *from = NULL, *to = NULL;
    char host[3 * 30] = {0};
    assert_ok(device, device->ops->buffer_create(device, 100, &from));
    assert_ok(device, device->ops->buffer_create(device, 200, &to));
    assert_ok(device, device->ops->fill(device, CLS_COMPUTE, from, 0, 100, 0));
    for (size_t pitch = 35; pitch <= 36; pitch++) {
        clsolve_status expected = pitch == 35 ? CLSOLVE_OK : CLSOLVE_ERROR_DEVICE;
        cls_span there = {30, 3, 0, pitch, 0, 50}, back = {30, 3, 0, 50, 0, pitch};
        cls_rect rect = {30, 3, 0, pitch, 30};
        assert_int_equal(device->ops->copy_rect(device, CLS_COMPUTE, from, to, &there), expected);
        if (expected != CLSOLVE_OK) says("beyond a buffer of 100");
        error.text[0] = '\0';
        assert_int_equal(device->ops->copy_rect(device, CLS_COMPUTE, to, from, &back), expected);
        if (expected != CLSOLVE_OK) says("beyond a buffer of 100");
        error.text[0] = '\0';
        assert_int_equal(device->ops->write(device, CLS_COMPUTE, from, host, &rect, NULL, NULL), expected);
        if (expected != CLSOLVE_OK) says("beyond a buffer of 100");
    }
    assert_ok(device, device->ops->finish(device, CLS_COMPUTE));
    device->ops->buffer_destroy(device, from);
    device->ops->buffer_destroy(device, to);
}

/* ---- cuBLAS ---- */

static clsolve_status multiply(cls_buffer *buffer, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb,
                               int64_t ldc) {
    cls_ref A = {buffer, 0, lda}, B = {buffer, 1, ldb}, C = {buffer, 2, ldc};
    return cls_gemm(device, CLS_BLAS_DEFAULT, CLSOLVE_F64, CLSOLVE_NO_TRANS, CLSOLVE_NO_TRANS, m, n, k, 1, A, B, 0, C);
}

TEST(sizes_beyond_int_are_refused) {
    const int64_t most = INT_MAX;
    cls_buffer *buffer = NULL;
    assert_ok(device, device->ops->buffer_create(device, 24, &buffer));
    assert_ok(device, device->ops->fill(device, CLS_COMPUTE, buffer, 0, 24, 0));
    assert_ok(device, multiply(buffer, 1, 1, 1, most, most, most));
    const int unit = device->matrix_unit;
    device->matrix_unit = 0; /* its product can count so far */
    for (int wrong = 0; wrong < 6; wrong++) {
        for (int64_t beyond = most + 1; beyond <= 2 * most + 3; beyond += most + 2) { /* as an int: negative, and 1 */
            int64_t sizes[6] = {1, 1, 1, 1, 1, 1};
            sizes[wrong] = beyond;
            error.text[0] = '\0';
            assert_int_equal(multiply(buffer, sizes[0], sizes[1], sizes[2], sizes[3], sizes[4], sizes[5]),
                             CLSOLVE_ERROR_UNSUPPORTED);
            says("more than cuBLAS can count");
        }
    }
    device->matrix_unit = unit;
    assert_ok(device, device->ops->finish(device, CLS_COMPUTE));
    device->ops->buffer_destroy(device, buffer);
}

/* ---- time ---- */

static double now(void) {
    struct timespec t;
    assert_int_equal(clock_gettime(CLOCK_MONOTONIC, &t), 0);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* No measure of speed: a unit, by two events with a sleep of the host between them. */
TEST(elapsed_is_in_seconds) {
    const struct timespec pause = {0, 100 * 1000 * 1000};
    cls_event *begin = NULL, *end = NULL;
    double before = now();
    assert_ok(device, device->ops->mark(device, CLS_COMPUTE, &begin));
    assert_ok(device, device->ops->event_wait(device, begin));
    (void)nanosleep(&pause, NULL);
    assert_ok(device, device->ops->mark(device, CLS_COMPUTE, &end));
    assert_ok(device, device->ops->event_wait(device, end));
    double all = now() - before, between = device->ops->elapsed(device, begin, end);
    if (!(between > 0.02 && between < 2 * all)) fail_msg("%g s where the host sees %g", between, all);
    device->ops->event_release(device, begin);
    device->ops->event_release(device, end);
}

/* ---- devices that cannot be used: the stand-in has them when it is asked to ---- */

static bool is_stand_in(void) {
    return strncmp(device->info.name, "Stand-in", 8) == 0;
}

/* It is listed, so that people see it; what it said is the error. */
TEST(a_broken_device_is_not_opened) {
    clsolve_device_info list[8];
    cls_device *other = NULL;
    int64_t count = 0;
    if (!is_stand_in()) skip();
    assert_int_equal(setenv("CLSOLVE_STAND_IN_BROKEN", "0", 1), 0);
    assert_int_equal(cls_devices_list(list, 8, &count, &error), CLSOLVE_OK);
    clsolve_status status = cls_device_open("cuda:0", "", &error, &other);
    cls_error of_adopting = {{0}};
    clsolve_status adopted = cls_device_adopt_cuda(0, NULL, "", &of_adopting, &other);
    assert_int_equal(unsetenv("CLSOLVE_STAND_IN_BROKEN"), 0);
    assert_int_equal(status, CLSOLVE_ERROR_DEVICE);
    assert_null(other);
    says("cuDeviceTotalMem failed");
    assert_int_equal(adopted, CLSOLVE_ERROR_DEVICE);
    assert_non_null(strstr(of_adopting.text, "cuDeviceTotalMem failed"));
    assert_true(count >= 2);
    assert_string_equal(list[0].name, "Stand-in 0");
}

TEST(a_prohibited_device_is_not_listed) {
    clsolve_device_info list[8];
    cls_device *other = NULL;
    cls_error message = {{0}};
    int64_t count = 0;
    if (!is_stand_in()) skip();
    assert_int_equal(setenv("CLSOLVE_STAND_IN_PROHIBITED", "0", 1), 0);
    clsolve_status status = cls_devices_list(list, 8, &count, &error);
    clsolve_status adopted = cls_device_adopt_cuda(0, NULL, "", &message, &other);
    assert_int_equal(unsetenv("CLSOLVE_STAND_IN_PROHIBITED"), 0);
    assert_int_equal(status, CLSOLVE_OK);
    assert_true(count >= 1);
    assert_string_equal(list[0].selector, "cuda:0");
    assert_string_equal(list[0].name, "Stand-in 1");
    assert_int_equal(adopted, CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_null(other);
}

/* ---- how slow double is ---- */

/* The driver's word is taken as it is, and nothing is compiled or run; where it has none the device is measured. */
TEST(the_driver_tells_the_ratio_of_double) {
    for (int told = 0; told < 2; told++) {
        int ratio = 0;
        if (told) assert_int_equal(setenv("CLSOLVE_STAND_IN_RATIO", "64", 1), 0);
        cls_device *other = test_device("", &error);
        assert_int_equal(unsetenv("CLSOLVE_STAND_IN_RATIO"), 0);
        assert_ok(other, cls_double_ratio(other, &ratio));
        const int said = other->double_ratio; /* a GPU tells its own */
        assert_true(said > 0 ? ratio == said && other->counters.launches == 0
                             : ratio >= 1 && other->counters.launches > 0);
        if (is_stand_in()) assert_int_equal(said, told ? 64 : 0);
        other->ops->destroy(other);
    }
}

int main(void) {
    const char *wanted = test_selector();
    if (!wanted || strncmp(wanted, "cuda", 4) != 0) (void)setenv("CLSOLVE_TEST_DEVICE", "cuda:0", 1);
    (void)setenv("CLSOLVE_TEST_DEVICE_OPTIONAL", "1", 1);
    test_require_device();
    return test_run(open_device, close_device);
}
