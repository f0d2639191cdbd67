#include "lu/rbt_support.h"

clsolve_lu_options rbt_options(uint64_t seed) {
    clsolve_lu_options options = rs_plain;
    options.pivoting = CLSOLVE_PIVOTING_RBT;
    options.seed = seed;
    return options;
}

int rbt_reaches(clsolve_type type) {
    return type == CLSOLVE_F32 || type == CLSOLVE_C32 || rs_fp64;
}

void rbt_cycle(int64_t n, double *A) {
    for (int64_t i = 0; i < n; ++i) A[i + (i + 1) % n * n] = 1;
}

double *rbt_random_matrix(test_random *random, clsolve_type type, int64_t n) {
    const int64_t count = test_numbers(type, n * n);
    double *A = test_doubles(count);
    test_random_fill(random, A, count);
    for (int64_t k = 0; k < count; ++k) A[k] = test_rounded(type, A[k]);
    return A;
}

rbt_answer rbt_solve(test_random *random, clsolve_type type, clsolve_layout layout, const clsolve_lu_options *options,
                     clsolve_op op, int64_t n, int64_t nrhs, const double *A) {
    const int64_t count = test_numbers(type, n * nrhs);
    SCRATCH double *B = test_doubles(count), *X = test_doubles(count);
    scratch_matrix a = test_matrix_make(type, layout, n, n, 3), b = test_matrix_make(type, layout, n, nrhs, 2);
    clsolve_lu *lu = NULL;
    rbt_answer out = {.solved = CLSOLVE_OK};

    test_random_fill(random, B, count);
    for (int64_t k = 0; k < count; ++k) B[k] = test_rounded(type, B[k]);
    test_matrix_set(&a, A);
    test_matrix_set(&b, B);
    if (clsolve_lu_create(rs_context, n, type, options, &lu) != CLSOLVE_OK)
        fail_msg("%s", clsolve_context_message(rs_context));
    out.factored = clsolve_lu_factor(lu, &a.view);
    if (out.factored == CLSOLVE_OK) out.solved = clsolve_lu_solve(lu, op, &b.view);
    assert_int_equal(clsolve_lu_report(lu, &out.report), CLSOLVE_OK);
    test_matrix_get(&b, X);
    test_matrix_spare_intact(&a);
    test_matrix_spare_intact(&b);
    if (out.factored == CLSOLVE_OK && out.solved == CLSOLVE_OK) {
        double ratio = ratio_solve(type, op, n, nrhs, A, X, B);
        if (!(ratio < RATIO_BOUND))
            fail_msg("n %d, type %d, op %d, %s: ratio %g", (int)n, (int)type, (int)op, out.report.direct.pivoting_used,
                     ratio);
    } else {
        assert_true(out.factored >= 0 && out.solved >= 0);
        for (int64_t k = 0; k < count; ++k) assert_true(X[k] == B[k]);
    }
    clsolve_lu_destroy(lu);
    return out;
}
