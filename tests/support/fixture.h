/* fixture.h: the context that the functions of a program share, opened before the first and closed behind the last:
 *
 *      return cmocka_run_group_tests(tests, open_context, close_context);
 */
#ifndef CLSOLVE_TEST_FIXTURE_H
#define CLSOLVE_TEST_FIXTURE_H

#include "api/context.h"
#include "support/test_support.h"

static clsolve_context *context;

static inline int open_context(void **state) {
    context = test_context(1);
    return 0;
}

/* On the host's device. */
static inline int open_host(void **state) {
    return clsolve_context_create("host", &context) != CLSOLVE_OK;
}

/* On the device under test, with work-groups of 32 at most where CLSOLVE_TEST_SHAPE is 32. */
static inline int open_shaped(void **state) {
    const char *shape = test_env("CLSOLVE_TEST_SHAPE");
    (void)open_context(state);
    if (!shape) return 0;
    assert_string_equal(shape, "32");
    context->device->info.max_work_group = 32;
    context->device->rolled = 1;
    return 0;
}

static inline int close_context(void **state) {
    clsolve_context_destroy(context);
    return 0;
}

#endif
