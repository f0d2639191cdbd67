/* factors_tiny.c: factors of tiny matrices, which are multiplied by a power of two before they are factored. */
#include "lu/given_support.h"

static lu_system make_tiny(clsolve_type type, int64_t n) {
    lu_system s = given_system(type, n, 21);
    for (int64_t k = 0; k < n * n; ++k) s.A[k] = test_rounded(type, ldexp(s.A[k], type == CLSOLVE_F64 ? -1000 : -112));
    given_by_lapack(&s);
    return s;
}

static void check_tiny(const lu_system *s, clsolve_lu *lu, int refines) {
    scratch_matrix a = given_matrix(s, CLSOLVE_COLUMN_MAJOR, s->n, s->A);
    assert_int_equal(clsolve_lu_factor(lu, &a.view), CLSOLVE_OK);
    given_check_condition(s, lu, CLSOLVE_COLUMN_MAJOR);
    given_check_refine(s, lu, CLSOLVE_COLUMN_MAJOR);
    if (!refines) { /* with other factors in the same handle the number is forgotten */
        scratch_matrix m = given_matrix(s, CLSOLVE_COLUMN_MAJOR, s->n, s->LU);
        assert_int_equal(clsolve_lu_import(lu, &m.view, s->ipiv), CLSOLVE_OK);
        given_check_condition(s, lu, CLSOLVE_COLUMN_MAJOR);
        given_check_refine(s, lu, CLSOLVE_COLUMN_MAJOR);
    }
}

TEST(test_tiny) {
    static const int64_t orders[] = {1, 5, 50, 65, 130};
    for (size_t k = 0; k < sizeof orders / sizeof *orders; ++k)
        for (int is_double = 0; is_double <= given_has_double; ++is_double)
            for (int refines = 0; refines < 2; ++refines)
                for (int host = 0; host < 2; ++host) {
                    SCRATCH_BY(given_free) lu_system s = make_tiny(is_double ? CLSOLVE_F64 : CLSOLVE_F32, orders[k]);
                    OWNED(lu) *lu = given_handle(&s, host, refines);
                    check_tiny(&s, lu, refines);
                }
}
