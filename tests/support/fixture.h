/* fixture.h: the context that the functions of a program share, opened before the first and closed behind the last:
 *
 *      return cmocka_run_group_tests(tests, open_context, close_context);
 */
#ifndef CLSOLVE_TEST_FIXTURE_H
#define CLSOLVE_TEST_FIXTURE_H

#include "support/test_support.h"

static clsolve_context *context;

static inline int open_context(void **state) {
    context = test_context(1);
    return 0;
}

static inline int close_context(void **state) {
    clsolve_context_destroy(context);
    return 0;
}

#endif
