/* complex_support.h: what the tests of complex dense LU share. */
#ifndef CLSOLVE_TEST_LU_COMPLEX_SUPPORT_H
#define CLSOLVE_TEST_LU_COMPLEX_SUPPORT_H

#include <clsolve/clsolve.h>

#include "lu/ratios.h"
#include "support/test_support.h"

extern clsolve_context *zlu_context;

int zlu_has_double(void);
double *zlu_elements(int64_t count);
/* With the panel that the environment says. */
clsolve_lu *zlu_make(int64_t n, clsolve_type type, const clsolve_lu_options *options);
clsolve_report zlu_report_of(const clsolve_lu *lu);

#endif
