/* fixture.h: support/fixture.h with the device in the shape that the form of a test asks for (gj_context). */
#ifndef CLSOLVE_TEST_GJ_FIXTURE_H
#define CLSOLVE_TEST_GJ_FIXTURE_H

#include "gauss_jordan/gj_support.h"

static clsolve_context *context;
static clsolve_type type; /* double where the device has it */

static inline int open_context(void **state) {
    context = gj_context();
    type = clsolve_context_device(context).fp64 ? CLSOLVE_F64 : CLSOLVE_F32;
    return 0;
}

static inline int close_context(void **state) {
    clsolve_context_destroy(context);
    return 0;
}

#endif
