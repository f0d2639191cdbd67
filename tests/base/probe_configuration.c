/* What check_configuration.sh runs under right and wrong environments: one system by dense LU, as the environment asks for it.
 * PROBE_TEARDOWN=returns or =asserts: the group's teardown fails. */
#include <clsolve/clsolve.h>

#include "lu/ratios.h"

TEST(solve) {
    (void)test_seed(); /* printed; a bad one ends the program */
    OWNED(context) *context = test_context(1);
    clsolve_lu_options options = test_lu_options();
    OWNED(lu) *lu = NULL;
    float a[] = {4, 1, 1, 3}, b[] = {6, 7}; /* by columns; x = (1, 2) */
    clsolve_matrix A = clsolve_matrix_f32(2, 2, a), B = clsolve_matrix_f32(2, 1, b);
    assert_int_equal(clsolve_lu_create(context, 2, CLSOLVE_F32, &options, &lu), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_factor(lu, &A), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &B), CLSOLVE_OK);
    assert_true(b[0] > 0.99f && b[0] < 1.01f && b[1] > 1.99f && b[1] < 2.01f);
}

static int tear_down(void **state) {
    const char *fails = getenv("PROBE_TEARDOWN");
    if (!fails) return 0;
    assert_string_not_equal(fails, "asserts");
    return -1;
}

TEST_PROGRAM(NULL, tear_down)
