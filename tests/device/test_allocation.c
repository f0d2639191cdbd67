/*
 * Each allocation on the host fails in its turn: every call then gives OUT_OF_MEMORY (or does without, as the cache on
 * disk does), leaves no object behind and works the next time. The linker puts __wrap_cls_alloc in cls_alloc's place.
 */
#include "device_support.h"

#include "base/memory.h"

void *__real_cls_alloc(size_t count, size_t size);
void *__wrap_cls_alloc(size_t count, size_t size);

static int64_t left = INT64_MAX; /* allocations until one fails */
static int failed;

void *__wrap_cls_alloc(size_t count, size_t size) {
    if (left-- == 0) {
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

static void each_allocation_may_fail(void **state) {
    (void)state;
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

int main(void) {
    test_require_device();
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
