/* A context over several devices: which devices a selector names, what is refused, and how work is dealt out. */
#define _POSIX_C_SOURCE 200809L

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <clsolve/clsolve.h>

#include "api/context.h"
#include "several/pocl_devices.h"

static char message[4096];

static clsolve_status create(const char *selector, clsolve_context **context) {
    clsolve_context_options options = {
        .selector = selector, .cache_folder = "", .message = message, .message_size = sizeof message};
    return clsolve_context_create_with(&options, context);
}

/* The selectors of the devices with blanks between them. */
static void assert_devices(const char *selector, const char *expected) {
    OWNED(context) *context = NULL;
    char text[256] = "";
    if (create(selector, &context) != CLSOLVE_OK) print_error("%s: %s\n", selector, message);
    assert_non_null(context);
    for (int64_t i = 0; i < clsolve_context_device_count(context); i++) {
        const clsolve_device_info info = clsolve_context_device_at(context, i);
        (void)snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? " " : "", info.selector);
    }
    assert_string_equal(text, expected);
    assert_string_equal(clsolve_context_device(context).selector, clsolve_context_device_at(context, 0).selector);
    assert_int_equal(clsolve_context_device_at(context, clsolve_context_device_count(context)).compute_units, 0);
    assert_int_equal(clsolve_context_device_at(context, -1).compute_units, 0);
}

static void assert_refused(const char *selector, clsolve_status status, const char *text) {
    clsolve_context *context = (clsolve_context *)message;
    assert_int_equal(create(selector, &context), status);
    assert_null(context);
    if (!strstr(message, text)) print_error("%s: %s\n", selector, message);
    assert_non_null(strstr(message, text));
}

TEST(lists) {
    assert_devices("opencl:0", "opencl:0");
    assert_devices("opencl:0,1", "opencl:0 opencl:1");
    assert_devices("opencl:1, opencl:0 ,2", "opencl:1 opencl:0 opencl:2");
    assert_devices("OpenCL:2,host", "opencl:2 host");
    assert_devices("host,opencl:1", "host opencl:1");
    assert_devices(" opencl : 0 , opencl: 1,2", "opencl:0 opencl:1 opencl:2");
    assert_devices(" opencl: 1 ", "opencl:1");
    assert_devices(" host ", "host");
    assert_devices("opencl:0,1,2,host", "opencl:0 opencl:1 opencl:2 host");
}

TEST(whole_kinds) {
    static const char *const kinds[] = {"opencl:all", "cpu:all", "ALL", " opencl : all", "pthread: all"};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        OWNED(context) *context = NULL;
        assert_int_equal(create(kinds[k], &context), CLSOLVE_OK);
        assert_in_range(clsolve_context_device_count(context), k < 4 ? 3 : 2, CLS_DEVICES_MOST);
    }
    assert_refused("frobnicator:all", CLSOLVE_ERROR_NO_DEVICE, "before \":all\" comes gpu, cpu, opencl, cuda");
    assert_refused("gpu:all,frobnicator:all", CLSOLVE_ERROR_NO_DEVICE, "frobnicator");
}

TEST(wrong_lists) {
    assert_refused("opencl:0,opencl:0", CLSOLVE_ERROR_INVALID_ARGUMENT, "opencl:0 (");
    assert_refused("opencl:0,1,0", CLSOLVE_ERROR_INVALID_ARGUMENT, "twice");
    assert_refused("opencl:0,opencl:99", CLSOLVE_ERROR_NO_DEVICE, "\"opencl:99\"");
    assert_refused("nothing such,opencl:0", CLSOLVE_ERROR_NO_DEVICE, "nothing such");
    assert_refused("opencl:0,", CLSOLVE_ERROR_INVALID_ARGUMENT, "empty part");
    assert_refused(",", CLSOLVE_ERROR_INVALID_ARGUMENT, "empty part");
    assert_refused("0,1", CLSOLVE_ERROR_INVALID_ARGUMENT, "without a backend");
    assert_refused("host,1", CLSOLVE_ERROR_INVALID_ARGUMENT, "without a backend");
}

TEST(create_many) {
    static const char *const right[] = {"opencl:1", "opencl:0"}, *const list[] = {"opencl:0,1"};
    clsolve_context_options options = {.cache_folder = "", .message = message, .message_size = sizeof message};
    clsolve_context *context = NULL;
    assert_int_equal(clsolve_context_create_many(&options, 2, right, &context), CLSOLVE_OK);
    assert_int_equal(clsolve_context_device_count(context), 2);
    assert_string_equal(clsolve_context_device(context).selector, "opencl:1");
    clsolve_context_destroy(context);
    assert_int_equal(clsolve_context_create_many(&options, 0, right, &context), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_context_create_many(&options, 65, right, &context), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_context_create_many(&options, 2, NULL, &context), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_context_create_many(&options, 2, right, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_context_create_many(&options, 1, list, &context), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(message, "one selector for each device"));
    options.selector = "cpu";
    assert_int_equal(clsolve_context_create_many(&options, 2, right, &context), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(message, "leave it NULL"));
    options.selector = NULL;
    options.reserved[3] = 1;
    assert_int_equal(clsolve_context_create_many(&options, 2, right, &context), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_context_device_count(NULL), 0);
}

/* ---- shares ---- */

TEST(shares) {
    const cls_task task = {.family = CLS_FAMILY_BATCH, .type = CLSOLVE_F32, .n = 8, .count = 100};
    double share[CLS_DEVICES_MOST];
    clsolve_context *context = NULL;
    assert_int_equal(create("opencl:1,2", &context), CLSOLVE_OK);
    cls_context_shares(context, &task, share); /* one kind: "basic" comes first */
    assert_true(share[0] == 0.5 && share[1] == 0.5);
    clsolve_context_destroy(context);

    assert_int_equal(setenv("CLSOLVE_SHARES", "1,3", 1), 0);
    assert_refused("opencl:0,1,2", CLSOLVE_ERROR_INVALID_ARGUMENT, "CLSOLVE_SHARES has 2 numbers");
    assert_int_equal(create("opencl:0,1", &context), CLSOLVE_OK);
    cls_context_shares(context, &task, share);
    assert_true(share[0] == 0.25 && share[1] == 0.75);
    assert_int_equal(unsetenv("CLSOLVE_SHARES"), 0);
    clsolve_context_destroy(context);
}

TEST(dealt) {
    static const double given[][4] = {{1, 1, 1, 1}, {0.5, 0, 0.25, 0.25}, {1000, 1, 1, 1}, {0, 0, 1, 0}};
    int64_t firsts[5];
    for (size_t g = 0; g < sizeof given / sizeof given[0]; g++)
        for (int64_t count = 0; count < 60; count++) {
            cls_deal(count, 4, given[g], firsts);
            assert_int_equal(firsts[0], 0);
            assert_int_equal(firsts[4], count);
            for (int d = 0; d < 4; d++) {
                assert_true(firsts[d] <= firsts[d + 1]);
                if (given[g][d] == 0) assert_int_equal(firsts[d], firsts[d + 1]);
            }
        }
    cls_deal(101, 4, given[1], firsts);
    assert_in_range(firsts[1], 50, 51);
}

TEST_PROGRAM_BY(pocl_devices(), NULL, NULL)
