#include "lu/refine_support.h"

#include "api/context.h"
#include "blas/blas.h"

clsolve_context *rs_context;
int rs_fp64, rs_copies_on_device;
clsolve_lu_options rs_plain, rs_mixed;

double *rs_turned(clsolve_type type, int64_t n, const double *A) {
    const int64_t parts = test_numbers(type, 1);
    double *made = test_elements(type, n * n);
    for (int64_t k = 0; k < n * n; ++k) made[parts * k + (parts == 2 ? k % n % 2 : 0)] = test_rounded(type, A[k]);
    return made;
}

rs_outcome rs_solve(test_random *random, const clsolve_lu_options *options, clsolve_layout layout, clsolve_op op,
                    int64_t n, int64_t nrhs, const double *A) {
    SCRATCH double *B = test_doubles(n * nrhs), *X = test_doubles(n * nrhs);
    scratch_matrix a = test_matrix_make(CLSOLVE_F64, layout, n, n, 2),
                   b = test_matrix_make(CLSOLVE_F64, layout, n, nrhs, 1);
    clsolve_lu *lu = NULL;
    rs_outcome out = {.solved = CLSOLVE_OK};

    test_right_sides(random, op, n, nrhs, A, B);
    test_matrix_set(&a, A);
    test_matrix_set(&b, B);
    assert_int_equal(clsolve_lu_create(rs_context, n, CLSOLVE_F64, options, &lu), CLSOLVE_OK);
    out.factored = clsolve_lu_factor(lu, &a.view);
    if (out.factored == CLSOLVE_OK) out.solved = clsolve_lu_solve(lu, op, &b.view);
    assert_int_equal(clsolve_lu_report(lu, &out.report), CLSOLVE_OK);
    test_matrix_get(&b, X);
    test_matrix_spare_intact(&b);
    if (out.factored == CLSOLVE_OK && out.solved == CLSOLVE_OK) {
        double ratio = ratio_solve(CLSOLVE_F64, op, n, nrhs, A, X, B);
        if (!(ratio < RATIO_BOUND))
            fail_msg("n %d, op %d, %s: ratio %g, backward error %g", (int)n, (int)op, out.report.precision, ratio,
                     out.report.refinement.backward_error);
    } else {
        assert_true(out.factored >= 0 && out.solved >= 0);
        for (int64_t k = 0; k < n * nrhs; ++k) assert_true(X[k] == B[k]);
    }
    clsolve_lu_destroy(lu);
    return out;
}

int rs_open(void **state) {
    rs_context = test_context(1);
    rs_fp64 = clsolve_context_device(rs_context).fp64;
    rs_plain = rs_mixed = test_lu_options();
    rs_mixed.precision = CLSOLVE_PRECISION_MIXED;
    rs_mixed.rcond = 1;
    /* Factors that stay in the host's memory have their copy there; the host computes in double. */
    int mapped = cls_in_place(rs_context->device) && rs_plain.panel != CLSOLVE_PANEL_NATIVE;
    rs_copies_on_device = rs_fp64 || !mapped;
    return 0;
}

int rs_close(void **state) {
    clsolve_context_destroy(rs_context);
    return 0;
}
