/* Sparse systems of every kind on the host (solving.h). */
#include "sparse/solving.h"

TEST(test_general) {
    static const int64_t sizes[] = {0, 1, 2, 3, 5, 7, 31, 64, 101, 211, 307};
    test_random random = test_random_start(1);
    int64_t turn = 0;
    for (int kind = 0; kind < PATTERNS; kind++)
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
            for (int again = 0; again < 3; again++) run_general((pattern)kind, sizes[s], turn++, &random);
}

/* Each setup on a grid of three dimensions whose fronts have several panels and tiles, real and complex. */
TEST(test_fronts) {
    test_random random = test_random_start(2);
    for (int64_t turn = 0; turn < 2 * SETUPS; turn++) run_general(PATTERN_GRID3, 1000, 3 * turn, &random);
}

TEST(test_thousands) {
    test_random random = test_random_start(3);
    run_general(PATTERN_GRID3, 2744, 0, &random);
    run_general(PATTERN_GRID3, 2744, 3, &random);
    run_general(PATTERN_GRID2, 4900, 1, &random);
    run_general(PATTERN_POWER, 3001, 12, &random);
    run_general(PATTERN_SADDLE, 3001, 6, &random);
    run_general(PATTERN_BLOCKS, 5003, 10, &random);
}

TEST(test_definite) {
    static const int64_t sizes[] = {0, 1, 2, 3, 5, 31, 101, 307};
    test_random random = test_random_start(4);
    int64_t turn = 0;
    for (int kind = 0; kind < PATTERNS; kind++)
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
            for (int again = 0; again < 2; again++)
                run_one_sided(CLSOLVE_SPARSE_POSITIVE_DEFINITE, (pattern)kind, sizes[s], turn++, &random);
    for (turn = 0; turn < 12; turn++)
        run_one_sided(CLSOLVE_SPARSE_POSITIVE_DEFINITE, PATTERN_GRID3, 1331, turn, &random);
}

/* Values of so many entries are compared, copied and checked in several slices, by threads where there are some. */
TEST(test_slices) {
    enum { N = 40000 };
    test_random random = test_random_start(11);
    scratch_triplets A = pattern_make_definite(PATTERN_GRID2, N, 0, &random);
    scratch_csr rows = csr_make(&A, &(csr_form){.type = CLSOLVE_F64, .index = CLSOLVE_I32, .base = 1}, &random);
    const clsolve_sparse_options options = {.form = CLSOLVE_SPARSE_POSITIVE_DEFINITE};
    const trial t = {.A = &A, .rows = &rows, .options = options, .about = "slices"};
    double *value = rows.values;
    SCRATCH double *B = test_elements(CLSOLVE_F64, A.n), *X = test_elements(CLSOLVE_F64, A.n);
    int32_t *column = rows.column;
    const int64_t last = rows.count - 2;
    const double before = value[last];
    clsolve_matrix x = clsolve_matrix_f64(A.n, 1, X);
    OWNED(sparse) *sparse = NULL;
    check(&t, clsolve_sparse_create_csr(context, &rows.view, &options, &sparse), "create");
    value[last] = before + 1e-6;
    EXPECT(context, clsolve_sparse_factor_csr(sparse, &rows.view), CLSOLVE_ERROR_INVALID_ARGUMENT, "is not symmetric");
    value[last] = NAN;
    EXPECT(context, clsolve_sparse_factor_csr(sparse, &rows.view), CLSOLVE_ERROR_NONFINITE, "is NaN or Inf");
    value[last] = before;
    column[last]--;
    EXPECT(context, clsolve_sparse_factor_csr(sparse, &rows.view), CLSOLVE_ERROR_INVALID_ARGUMENT, "another pattern");
    column[last]++;
    for (int again = 0; again < 2; again++) {
        for (int64_t i = 0; i < A.n; i++) X[i] = B[i] = (double)(i % 7) - 3;
        check(&t, clsolve_sparse_factor_csr(sparse, &rows.view), "factor");
        check(&t, clsolve_sparse_solve(sparse, CLSOLVE_NO_TRANS, &x), "solve");
        assert_true(triplets_backward(&A, CLSOLVE_F64, CLSOLVE_NO_TRANS, 1, B, X) <= triplets_bound(A.n, CLSOLVE_F64));
    }
}

/*
 * A row and a column of thousands of entries of one sign, and X of nearly equal elements: roundings of a plain sum all
 * go one way, and a residual that has them shows nothing of an error of X.
 */
TEST(test_long_rows) {
    enum { N = 5000 };
    for (int turn = 0; turn < 8; turn++) {
        const clsolve_type type = turn / 2 % 2 ? CLSOLVE_C64 : CLSOLVE_F64;
        const clsolve_op op = turn % 2 ? CLSOLVE_TRANS : CLSOLVE_NO_TRANS;
        const clsolve_sparse_options options = {.engine = turn < 4 ? CLSOLVE_SPARSE_MULTIFRONTAL : CLSOLVE_SPARSE_KLU};
        scratch_triplets A = {.n = N};
        triplets_add(&A, 0, 0, N);
        for (int64_t j = 1; j < N; j++) {
            triplets_add(&A, 0, j, op == CLSOLVE_NO_TRANS ? 0.3 : 0.1);
            triplets_add(&A, j, 0, op == CLSOLVE_NO_TRANS ? 0.1 : 0.3);
            triplets_add(&A, j, j, 1.7);
        }
        triplets_sort(&A);
        scratch_csr rows = csr_make(&A, &(csr_form){.type = type, .index = CLSOLVE_I32}, NULL);
        const trial t = {.A = &A, .rows = &rows, .options = options, .type = type, .op = op, .about = "long rows"};
        SCRATCH double *B = test_elements(type, N), *X = test_elements(type, N);
        for (int64_t k = 0; k < test_numbers(type, N); k++) X[k] = B[k] = 1.0 / 3;
        clsolve_matrix x = clsolve_matrix_f64(N, 1, X);
        x.type = type;
        OWNED(sparse) *sparse = NULL;
        check(&t, clsolve_sparse_create_csr(context, &rows.view, &options, &sparse), "create");
        check(&t, clsolve_sparse_factor_csr(sparse, &rows.view), "factor");
        check(&t, clsolve_sparse_solve(sparse, op, &x), "solve");
        const double error = triplets_backward(&A, type, op, 1, B, X);
        if (!(error <= triplets_bound(N, type))) fail_msg("turn %d: backward error %.2g", turn, error);
    }
}

int main(void) {
    if (clsolve_context_create("host", &context) != CLSOLVE_OK) return 1;
    const int failed = test_run(NULL, NULL);
    clsolve_context_destroy(context);
    return failed;
}
