#include "lu/complex_support.h"

clsolve_context *zlu_context;

int zlu_has_double(void) {
    return test_has_type(zlu_context, CLSOLVE_C64);
}

double *zlu_elements(int64_t count) {
    return test_elements(CLSOLVE_C64, count);
}

clsolve_lu *zlu_make(int64_t n, clsolve_type type, const clsolve_lu_options *options) {
    clsolve_lu_options mine = *options;
    clsolve_lu *lu = NULL;
    mine.panel = test_lu_options().panel;
    if (clsolve_lu_create(zlu_context, n, type, &mine, &lu) != CLSOLVE_OK)
        fail_msg("create: %s", clsolve_context_message(zlu_context));
    return lu;
}

clsolve_report zlu_report_of(const clsolve_lu *lu) {
    clsolve_report report;
    assert_int_equal(clsolve_lu_report(lu, &report), CLSOLVE_OK);
    return report;
}
