/* Programs, kernels, launches, events between queues, and two devices in two threads. */
#include "device_support.h"

#include <pthread.h>

#include "device/opencl/opencl.h"

enum { ROWS = 100, COLUMNS = 7, LD = 104, ELEMENTS = LD * COLUMNS };

static cls_error error;
static cls_device *device;

static int open_device(void **state) {
    device = test_device("", &error);
    return 0;
}

static int close_device(void **state) {
    device->ops->destroy(device);
    return 0;
}

static int on_cuda(void) {
    return strcmp(device->info.backend, "cuda") == 0;
}

static cls_kernel *scale_kernel(cls_device *on) {
    cls_program *program = NULL;
    cls_kernel *kernel = NULL;
    assert_ok(on, on->ops->program_get(on, "scale", cls_type_option(CLSOLVE_F32), &program));
    assert_ok(on, on->ops->kernel_create(on, program, "scale", &kernel));
    return kernel;
}

/* C = beta C on a ROWS x COLUMNS matrix, by cl/scale.cl. */
static clsolve_status scale(cls_device *on, cls_queue queue, cls_kernel *kernel, cls_buffer *buffer, float beta,
                            const cls_wait *wait, cls_event **done) {
    int64_t rows = ROWS, columns = COLUMNS, offset = 0, ld = LD;
    cls_arg args[] = {CLS_VALUE(rows),    CLS_VALUE(columns), CLS_VALUE(beta),
                      CLS_BUFFER(buffer), CLS_VALUE(offset),  CLS_VALUE(ld)};
    cls_grid grid = {{128, 3, 1}, {64, 1, 1}};
    return on->ops->launch(on, queue, kernel, &grid, args, 6, wait, done);
}

static void assert_scaled(const float *got, float inside, float outside) {
    for (int i = 0; i < ELEMENTS; i++) assert_true(got[i] == (i % LD < ROWS ? inside : outside));
}

static void fill_ones(float *data) {
    for (int i = 0; i < ELEMENTS; i++) data[i] = 1;
}

TEST(a_program_is_made_once) {
    cls_program *one = NULL, *two = NULL, *other = NULL;
    assert_ok(device, device->ops->program_get(device, "scale", "-DREAL=float", &one));
    double spent = device->build_seconds;
    assert_true(spent > 0);
    assert_ok(device, device->ops->program_get(device, "scale", "-DREAL=float", &two));
    assert_ptr_equal(one, two);
    assert_true(device->build_seconds == spent);
    assert_ok(device, device->ops->program_get(device, "scale", "-DREAL=int", &other));
    assert_ptr_not_equal(one, other);
}

static clsolve_status announced_once(void *what) {
    cls_program *program;
    (void)what;
    return device->ops->program_get(device, "scale", "-DREAL=float -DA=7", &program);
}

/* Each handle announces its programs: those that nobody has asked for yet are no reason to call a context cold. */
TEST(an_announcement_counts_once) {
    assert_ok(device, cls_announce(device, announced_once, NULL));
    const double spent = device->build_seconds;
    assert_ok(device, cls_announce(device, announced_once, NULL));
    assert_true(device->build_seconds == spent);
}

/* What is announced, with what nobody asks for and with what does not build. */
static clsolve_status announced(void *what) {
    static const char *const options[] = {"-DREAL=float -DA=1",        "-DREAL=float -DA=2", "-DREAL=float -DA=3",
                                          "-DREAL=no_such_type -DA=4", "-DREAL=float -DA=5", "-DREAL=float -DA=6"};
    cls_program *program = (cls_program *)&error;
    cls_kernel *kernel = (cls_kernel *)&error;
    (void)what;
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
            CLS_TRY(device->ops->program_get(device, "scale", options[i], &program));
            assert_null(program);
            CLS_TRY(device->ops->kernel_create(device, program, "scale", &kernel));
            assert_null(kernel);
        }
    return device->ops->program_get(device, "no_such_file", "", &program);
}

TEST(an_announced_program_is_as_any_other) {
    cls_program *one = NULL, *two = NULL, *program = NULL;
    cls_kernel *kernel = NULL;
    char alone[sizeof error.text];
    for (int round = 0; round < 2; round++) {
        if (round == 1) assert_ok(device, cls_announce(device, announced, NULL));
        assert_false(device->announcing);
        assert_int_equal(device->ops->program_get(device, "scale", "-DREAL=no_such_type -DA=4", &program),
                         CLSOLVE_ERROR_BUILD);
        assert_null(program);
        assert_non_null(strstr(error.text, "no_such_type"));
        if (round == 0) memcpy(alone, error.text, sizeof alone);
    }
    assert_string_equal(error.text, alone);
    assert_ok(device, device->ops->program_get(device, "scale", "-DREAL=float -DA=5", &one));
    assert_ok(device, device->ops->program_get(device, "scale", "-DREAL=float -DA=1", &two));
    assert_ptr_not_equal(one, two);
    assert_ok(device, device->ops->program_get(device, "scale", "-DREAL=float -DA=5", &two));
    assert_ptr_equal(one, two);
    assert_ok(device, device->ops->kernel_create(device, one, "scale", &kernel));
    device->ops->kernel_destroy(device, kernel);
    /* It builds no better the second time, and the others are still under way, or not begun, when the device goes. */
    assert_int_equal(device->ops->program_get(device, "scale", "-DREAL=no_such_type -DA=4", &program),
                     CLSOLVE_ERROR_BUILD);
}

TEST(a_failed_build_gives_the_log) {
    cls_program *program = (cls_program *)&error;
    assert_int_equal(device->ops->program_get(device, "scale", "-DREAL=no_such_type", &program), CLSOLVE_ERROR_BUILD);
    assert_null(program);
    assert_non_null(strstr(error.text, "scale.cl"));
    assert_non_null(strstr(error.text, on_cuda() ? "NVRTC_ERROR_COMPILATION" : "CL_BUILD_PROGRAM_FAILURE"));
    assert_non_null(strstr(error.text, "no_such_type"));
    assert_int_equal(device->ops->program_get(device, "no_such_file", "", &program), CLSOLVE_ERROR_BUILD);
    assert_non_null(strstr(error.text, "no_such_file"));
    cls_kernel *kernel = NULL;
    assert_ok(device, device->ops->program_get(device, "scale", "-DREAL=float", &program));
    assert_int_equal(device->ops->kernel_create(device, program, "no_such_kernel", &kernel), CLSOLVE_ERROR_BUILD);
    assert_null(kernel);
    assert_non_null(strstr(error.text, "no_such_kernel"));
    device->ops->kernel_destroy(device, NULL);
}

TEST(a_launch_runs_and_is_counted) {
    static float data[ELEMENTS];
    cls_buffer *buffer = NULL;
    cls_kernel *kernel = scale_kernel(device);
    assert_ok(device, device->ops->buffer_create(device, sizeof data, &buffer));
    fill_ones(data);
    test_upload(device, buffer, data, sizeof data);
    int64_t launches = device->counters.launches;
    assert_ok(device, scale(device, CLS_COMPUTE, kernel, buffer, 3, NULL, NULL));
    assert_ok(device, scale(device, CLS_COMPUTE, kernel, buffer, 5, NULL, NULL));
    assert_int_equal(device->counters.launches, launches + 2);
    test_download(device, buffer, data, sizeof data);
    assert_scaled(data, 15, 1);
    device->ops->kernel_destroy(device, kernel);
    device->ops->buffer_destroy(device, buffer);
}

TEST(an_empty_grid_is_no_launch) {
    cls_kernel *kernel = scale_kernel(device);
    cls_event *done = NULL;
    int64_t launches = device->counters.launches;
    for (int d = 0; d < 3; d++) {
        cls_grid grid = {{64, 1, 1}, {64, 1, 1}};
        grid.global[d] = 0;
        assert_ok(device, device->ops->launch(device, CLS_COMPUTE, kernel, &grid, NULL, 0, NULL, &done));
        assert_ok(device, device->ops->event_wait(device, done));
        device->ops->event_release(device, done);
    }
    assert_int_equal(device->counters.launches, launches);
    device->ops->kernel_destroy(device, kernel);
}

TEST(a_wrong_launch_names_kernel_and_code) {
    cls_kernel *kernel = scale_kernel(device);
    int64_t launches = device->counters.launches;
    short wrong = 1;
    cls_arg args[6];
    cls_grid grid = {{64, 1, 1}, {64, 1, 1}};
    for (int a = 0; a < 6; a++) args[a] = (cls_arg)CLS_VALUE(wrong);
    assert_int_equal(cls_launch(device, CLS_COMPUTE, kernel, &grid, CLS_ARGS(args)), CLSOLVE_ERROR_DEVICE);
    assert_non_null(strstr(error.text, "\"scale\""));
    assert_non_null(strstr(error.text, on_cuda() ? "CUDA_ERROR_INVALID_VALUE" : "CL_INVALID_"));
    assert_int_equal(device->counters.launches, launches);
    device->ops->kernel_destroy(device, kernel);
}

/* Also after a launch that was right, from which a driver still has the arguments that are missing. */
TEST(a_wrong_number_of_arguments_is_refused) {
    static float data[ELEMENTS];
    int64_t rows = ROWS, columns = COLUMNS, offset = 0, ld = LD;
    float beta = 2;
    cls_kernel *kernel = scale_kernel(device);
    cls_buffer *buffer = NULL;
    cls_grid grid = {{128, 3, 1}, {64, 1, 1}};
    assert_ok(device, device->ops->buffer_create(device, sizeof data, &buffer));
    fill_ones(data);
    test_upload(device, buffer, data, sizeof data);
    assert_ok(device, scale(device, CLS_COMPUTE, kernel, buffer, 3, NULL, NULL));
    int64_t launches = device->counters.launches;
    cls_arg args[] = {CLS_VALUE(rows),   CLS_VALUE(columns), CLS_VALUE(beta), CLS_BUFFER(buffer),
                      CLS_VALUE(offset), CLS_VALUE(ld),      CLS_VALUE(ld)};
    const struct {
        cls_args args;
        const char *said;
    } turns[] = {{CLS_ARGS(args), "7 arguments where"}, {CLS_ARGS_BUT(args, 2), "5 arguments where"}};
    for (int t = 0; t < 2; t++) {
        assert_int_equal(cls_launch(device, CLS_COMPUTE, kernel, &grid, turns[t].args), CLSOLVE_ERROR_DEVICE);
        assert_non_null(strstr(error.text, "\"scale\""));
        assert_non_null(strstr(error.text, turns[t].said));
    }
    assert_int_equal(device->counters.launches, launches);
    assert_ok(device, cls_launch(device, CLS_COMPUTE, kernel, &grid, CLS_ARGS_BUT(args, 1)));
    test_download(device, buffer, data, sizeof data);
    assert_scaled(data, 6, 1);
    device->ops->kernel_destroy(device, kernel);
    device->ops->buffer_destroy(device, buffer);
}

/* How often OpenCL's driver was told an argument. */
static int arguments_told;
WRAPS(cl_int, clSetKernelArg, (cl_kernel kernel, cl_uint at, size_t size, const void *value)) {
    arguments_told++;
    return __real_clSetKernelArg(kernel, at, size, value);
}

static int told_by(cls_kernel *kernel, cls_buffer *buffer, float beta) {
    arguments_told = 0;
    assert_ok(device, scale(device, CLS_COMPUTE, kernel, buffer, beta, NULL, NULL));
    return arguments_told;
}

static cls_buffer *buffer_of_ones(void) {
    static float data[ELEMENTS];
    cls_buffer *buffer = NULL;
    fill_ones(data);
    assert_ok(device, device->ops->buffer_create(device, sizeof data, &buffer));
    test_upload(device, buffer, data, sizeof data);
    return buffer;
}

static void drop_scaled(cls_buffer *buffer, float inside) {
    static float data[ELEMENTS];
    test_download(device, buffer, data, sizeof data);
    assert_scaled(data, inside, 1);
    device->ops->buffer_destroy(device, buffer);
}

/* A kernel is told an argument that is another than at its last launch, and no other one. A buffer is another one also
 * where the driver gives it the handle of one that has gone. */
TEST(a_kernel_is_told_what_changes) {
    if (on_cuda()) skip();
    cls_kernel *kernel = scale_kernel(device), *other = scale_kernel(device);
    cls_buffer *buffer = buffer_of_ones(), *second = buffer_of_ones();
    assert_int_equal(told_by(kernel, buffer, 3), 6);
    assert_int_equal(told_by(kernel, buffer, 3), 0);
    assert_int_equal(told_by(kernel, buffer, 2), 1);
    assert_int_equal(told_by(kernel, second, 2), 1);
    assert_int_equal(told_by(kernel, buffer, 5), 2);
    assert_int_equal(told_by(other, second, 5), 6);
    assert_int_equal(told_by(kernel, second, 7), 2);
    drop_scaled(buffer, 90);
    drop_scaled(second, 70);
    for (int round = 0; round < 20; round++) {
        buffer = buffer_of_ones();
        assert_int_equal(told_by(kernel, buffer, 7), 1);
        assert_int_equal(told_by(kernel, buffer, 7), 0);
        drop_scaled(buffer, 49);
    }
    device->ops->kernel_destroy(device, kernel);
    device->ops->kernel_destroy(device, other);
}

/* A launch that the driver refuses leaves an argument that it has not taken: the next one is told again. */
TEST(a_refused_argument_is_told_again) {
    if (on_cuda()) skip();
    cls_kernel *kernel = scale_kernel(device);
    cls_buffer *buffer = buffer_of_ones();
    int64_t rows = ROWS, columns = COLUMNS, offset = 0, ld = LD;
    float beta = 3;
    short wrong = 1; /* no buffer */
    cls_grid grid = {{128, 3, 1}, {64, 1, 1}};
    cls_arg args[] = {CLS_VALUE(rows),  CLS_VALUE(columns), CLS_VALUE(beta),
                      CLS_VALUE(wrong), CLS_VALUE(offset),  CLS_VALUE(ld)};
    assert_int_equal(told_by(kernel, buffer, 3), 6);
    for (int round = 0; round < 2; round++)
        assert_int_equal(cls_launch(device, CLS_COMPUTE, kernel, &grid, CLS_ARGS(args)), CLSOLVE_ERROR_DEVICE);
    assert_int_equal(told_by(kernel, buffer, 3), 1);
    drop_scaled(buffer, 9);
    device->ops->kernel_destroy(device, kernel);
}

TEST(facts_are_kept_by_name) {
    cls_error message;
    cls_device *own = test_device("", &message);
    assert_int_equal(cls_fact_get(own, "one"), 0);
    assert_ok(own, cls_fact_set(own, "one", 7));
    assert_ok(own, cls_fact_set(own, "other", -1));
    assert_ok(own, cls_fact_set(own, "one", 8));
    assert_int_equal(cls_fact_get(own, "one"), 8);
    assert_int_equal(cls_fact_get(own, "other"), -1);
    assert_int_equal(cls_fact_get(own, "on"), 0);
    assert_int_equal(cls_fact_get(device, "one"), 0); /* another device's */
    own->ops->destroy(own);
}

/* Up in one queue, compute in another, down in the third, many times; only events keep the order. */
TEST(events_order_the_queues) {
    static float up[ELEMENTS], down[ELEMENTS];
    cls_buffer *buffer = NULL;
    cls_kernel *kernel = scale_kernel(device);
    cls_rect rect = {sizeof up, 1, 0, sizeof up, sizeof up};
    assert_ok(device, device->ops->buffer_create(device, sizeof up, &buffer));
    for (int round = 0; round < 40; round++) {
        cls_event *there = NULL, *scaled = NULL, *back = NULL;
        for (int i = 0; i < ELEMENTS; i++) up[i] = (float)(round + 1);
        assert_ok(device, device->ops->write(device, CLS_UP, buffer, up, &rect, NULL, &there));
        if (round % 2) {
            cls_wait wait = {1, &there};
            assert_ok(device, scale(device, CLS_COMPUTE, kernel, buffer, 2, &wait, &scaled));
            cls_wait next = {1, &scaled};
            assert_ok(device, device->ops->read(device, CLS_DOWN, buffer, down, &rect, &next, &back));
        } else {
            assert_ok(device, device->ops->queue_wait(device, CLS_COMPUTE, there));
            assert_ok(device, scale(device, CLS_COMPUTE, kernel, buffer, 2, NULL, NULL));
            assert_ok(device, device->ops->mark(device, CLS_COMPUTE, &scaled));
            assert_ok(device, device->ops->queue_wait(device, CLS_DOWN, scaled));
            assert_ok(device, device->ops->read(device, CLS_DOWN, buffer, down, &rect, NULL, &back));
        }
        assert_ok(device, device->ops->event_wait(device, back));
        assert_scaled(down, 2 * (float)(round + 1), (float)(round + 1));
        assert_true(device->ops->elapsed(device, there, back) >= 0);
        device->ops->event_release(device, there);
        device->ops->event_release(device, scaled);
        device->ops->event_release(device, back);
    }
    device->ops->event_release(device, NULL);
    device->ops->kernel_destroy(device, kernel);
    device->ops->buffer_destroy(device, buffer);
}

TEST(destroy_waits_for_the_queues) {
    static float data[ELEMENTS];
    cls_error message;
    cls_device *own = test_device("", &message);
    cls_buffer *buffer = NULL;
    cls_kernel *kernel = scale_kernel(own);
    assert_ok(own, own->ops->buffer_create(own, sizeof data, &buffer));
    assert_ok(own, own->ops->fill(own, CLS_COMPUTE, buffer, 0, sizeof data, 0));
    for (int i = 0; i < 200; i++) assert_ok(own, scale(own, CLS_COMPUTE, kernel, buffer, 1, NULL, NULL));
    assert_ok(own, own->ops->flush(own, CLS_COMPUTE));
    own->ops->kernel_destroy(own, kernel);
    own->ops->buffer_destroy(own, buffer);
    own->ops->destroy(own);
}

/* A thread opens a device of its own, works and closes it, again and again. Returns NULL when all went well. */
static void *thread_body(void *argument) {
    const char *selector = argument;
    static _Thread_local float data[ELEMENTS];
    for (int round = 0; round < 4; round++) {
        cls_error message;
        cls_device *own = NULL;
        cls_buffer *buffer = NULL;
        cls_program *program = NULL;
        cls_kernel *kernel = NULL;
        cls_rect rect = {sizeof data, 1, 0, sizeof data, sizeof data};
        if (cls_device_open(selector, "", &message, &own) != CLSOLVE_OK) return "open";
        for (int i = 0; i < ELEMENTS; i++) data[i] = 1;
        if (own->ops->buffer_create(own, sizeof data, &buffer) != CLSOLVE_OK) return "buffer";
        if (own->ops->program_get(own, "scale", "-DREAL=float", &program) != CLSOLVE_OK) return "program";
        if (own->ops->kernel_create(own, program, "scale", &kernel) != CLSOLVE_OK) return "kernel";
        if (own->ops->write(own, CLS_COMPUTE, buffer, data, &rect, NULL, NULL) != CLSOLVE_OK) return "write";
        for (int i = 0; i < 10; i++)
            if (scale(own, CLS_COMPUTE, kernel, buffer, 2, NULL, NULL) != CLSOLVE_OK) return "launch";
        if (own->ops->read(own, CLS_COMPUTE, buffer, data, &rect, NULL, NULL) != CLSOLVE_OK) return "read";
        if (own->ops->finish(own, CLS_COMPUTE) != CLSOLVE_OK) return "finish";
        own->ops->kernel_destroy(own, kernel);
        own->ops->buffer_destroy(own, buffer);
        own->ops->destroy(own);
        for (int i = 0; i < ELEMENTS; i++)
            if (data[i] != (i % LD < ROWS ? 1024.0f : 1.0f)) return "values";
    }
    return NULL;
}

TEST(two_devices_in_two_threads) {
    pthread_t threads[2];
    char selector[32];
    (void)snprintf(selector, sizeof selector, "%s", device->info.selector);
    for (int t = 0; t < 2; t++) assert_int_equal(pthread_create(&threads[t], NULL, thread_body, selector), 0);
    for (int t = 0; t < 2; t++) {
        void *failed = NULL;
        assert_int_equal(pthread_join(threads[t], &failed), 0);
        if (failed) print_error("thread %d: %s\n", t, (const char *)failed);
        assert_null(failed);
    }
}

TEST(every_code_has_a_name) {
    assert_string_equal(cls_opencl_error_name(CL_SUCCESS), "CL_SUCCESS");
    assert_string_equal(cls_opencl_error_name(-4), "CL_MEM_OBJECT_ALLOCATION_FAILURE");
    assert_string_equal(cls_opencl_error_name(-1001), "CL_PLATFORM_NOT_FOUND_KHR");
    if (test_has_clblast()) assert_string_equal(cls_opencl_error_name(-1017), "CLBlastInvalidDimension");
    assert_string_equal(cls_opencl_error_name(12345), "unknown error");
    assert_int_equal(cls_opencl_fail(&error, CL_OUT_OF_HOST_MEMORY, "f"), CLSOLVE_ERROR_OUT_OF_MEMORY);
    assert_string_equal(error.text, "f failed: CL_OUT_OF_HOST_MEMORY (-6)");
    assert_int_equal(cls_opencl_fail(&error, CL_MEM_OBJECT_ALLOCATION_FAILURE, "f"),
                     CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY);
    assert_int_equal(cls_opencl_fail(&error, CL_OUT_OF_RESOURCES, "f"), CLSOLVE_ERROR_DEVICE);
}

TEST_PROGRAM(open_device, close_device)
