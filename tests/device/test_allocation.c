/*
 * Each allocation on the host fails in its turn: every call then gives OUT_OF_MEMORY (or does without, as the cache on
 * disk does), leaves no object behind and works the next time. The linker puts __wrap_cls_alloc in cls_alloc's place.
 */
#include "device_support.h"

#include "base/memory.h"

static int64_t left = INT64_MAX; /* allocations until one fails */
static int failed, from_then_on; /* from_then_on: all of them fail that come behind */

WRAPS(void *, cls_alloc, (size_t count, size_t size)) {
    if (left-- <= 0 && (left == -1 || from_then_on)) {
        failed = 1;
        return NULL;
    }
    return __real_cls_alloc(count, size);
}

/* Something of everything that allocates. */
static clsolve_status work(cls_device *device) {
    static char host[4096];
    cls_rect rect = {1000, 3, 0, 1000, 1100};
    cls_buffer *buffer = NULL;
    cls_pinned *pinned = NULL;
    cls_program *program = NULL;
    cls_kernel *kernel = NULL;
    void *memory = NULL;
    clsolve_status status = CLSOLVE_OK;
    device->staged = 1;
    CLS_TRY_GOTO(status, device->ops->buffer_create(device, 4096, &buffer), done);
    CLS_TRY_GOTO(status, device->ops->pinned_create(device, 4096, &pinned, &memory), done);
    CLS_TRY_GOTO(status, device->ops->write(device, CLS_UP, buffer, host, &rect, NULL, NULL), done);
    CLS_TRY_GOTO(status, device->ops->read(device, CLS_UP, buffer, host, &rect, NULL, NULL), done);
    CLS_TRY_GOTO(status, device->ops->program_get(device, "scale", "-DREAL=float", &program), done);
    CLS_TRY_GOTO(status, device->ops->kernel_create(device, program, "scale", &kernel), done);
done:
    device->ops->kernel_destroy(device, kernel);
    device->ops->pinned_destroy(device, pinned);
    device->ops->buffer_destroy(device, buffer);
    return status;
}

static clsolve_status scenario(const char *selector) {
    cls_error error = {{0}};
    cls_device *device = NULL;
    clsolve_status status = cls_device_open(selector, "/dev/null/no-folder", &error, &device);
    if (status == CLSOLVE_OK) {
        status = work(device);
        assert_int_equal(device->counters.buffers, 0);
        assert_int_equal(device->counters.buffer_bytes, 0);
        if (status != CLSOLVE_OK) assert_true(error.text[0] != '\0');
        if (status != CLSOLVE_OK) assert_int_equal(work(device), CLSOLVE_OK);
        device->ops->destroy(device);
    } else {
        assert_null(device);
        assert_true(error.text[0] != '\0');
    }
    return status;
}

TEST(each_allocation_may_fail) {
    char selector[32] = "";
    const char *wanted = test_selector();
    if (wanted) (void)snprintf(selector, sizeof selector, "%s", wanted);
    int errors = 0, turns = 0;
    do {
        left = turns++;
        failed = 0;
        clsolve_status status = scenario(selector);
        left = INT64_MAX;
        assert_true(status == CLSOLVE_OK || (failed && status == CLSOLVE_ERROR_OUT_OF_MEMORY));
        errors += status != CLSOLVE_OK;
    } while (failed);
    assert_in_range(errors, 5, turns);
}

/* Transfers go on with the slots that there are, the first of each direction being one. */
TEST(without_memory_for_slots) {
    enum { BYTES = 5000, TURNS = 40 };
    static unsigned char host[BYTES], got[BYTES];
    const cls_rect rect = {BYTES, 1, 0, BYTES, BYTES};
    int fine = 0;
    for (size_t i = 0; i < BYTES; i++) host[i] = (unsigned char)(i * 7 + i / 256);
    for (int turn = 0; turn < TURNS; turn++) {
        cls_error error = {{0}};
        cls_buffer *buffer = NULL;
        cls_device *device = test_device("", &error);
        device->staged = 1;
        device->staging_bytes = 64;
        device->threads = turn % 3 * 2;
        assert_ok(device, device->ops->buffer_create(device, BYTES, &buffer));
        memset(got, 0, BYTES);
        left = turn;
        failed = 0;
        from_then_on = 1;
        clsolve_status status = device->ops->write(device, CLS_UP, buffer, host, &rect, NULL, NULL);
        if (status == CLSOLVE_OK) status = device->ops->finish(device, CLS_UP);
        if (status == CLSOLVE_OK) status = device->ops->read(device, CLS_DOWN, buffer, got, &rect, NULL, NULL);
        left = INT64_MAX;
        from_then_on = 0;
        assert_true(status == CLSOLVE_OK || (failed && status == CLSOLVE_ERROR_OUT_OF_MEMORY));
        if (status == CLSOLVE_OK) assert_memory_equal(got, host, BYTES);
        if (status == CLSOLVE_OK && failed) {
            assert_string_equal(error.text, ""); /* a call that succeeds leaves no message */
            fine++;
        }
        device->ops->buffer_destroy(device, buffer);
        device->ops->destroy(device);
    }
    assert_true(fine > 0);
}

TEST_PROGRAM(NULL, NULL)
