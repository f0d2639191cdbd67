/* Small runs of every kernel of Gauss-Jordan, for Oclgrind to watch (races.sh); right answers are checked all the same. */
#include <clsolve/clsolve.h>

#include "gauss_jordan/fixture.h"

static void check(int variant, int plain, int64_t slab_bytes, test_random *random) {
    int64_t n = 7, nrhs = 2;
    clsolve_gauss_jordan_options options = {.variant = (clsolve_gauss_jordan_variant)variant,
                                            .pivoting = plain ? CLSOLVE_PIVOTING_NONE : CLSOLVE_PIVOTING_PARTIAL,
                                            .block = 4,
                                            .slab_bytes = slab_bytes};
    SCRATCH double *A = test_doubles(n * n), *B = test_doubles(n * nrhs), *X = test_doubles(n * n);
    scratch_matrix a = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, n, n, 0);
    scratch_matrix b = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, n, nrhs, 0);
    OWNED(gauss_jordan) *gj = gj_make(context, n, type, &options);

    for (int64_t k = 0; k < n * n; ++k) A[k] = test_rounded(type, test_random_signed(random));
    for (int64_t i = 0; plain && i < n; ++i) A[i + i * n] = (double)n;
    for (int64_t k = 0; k < n * nrhs; ++k) B[k] = test_rounded(type, test_random_signed(random));
    test_matrix_set(&a, A);
    test_matrix_set(&b, B);
    assert_int_equal(clsolve_gauss_jordan_solve(gj, CLSOLVE_NO_TRANS, &a.view, &b.view), CLSOLVE_OK);
    test_matrix_get(&b, X);
    assert_true(ratio_solve(type, CLSOLVE_NO_TRANS, n, nrhs, A, X, B) < RATIO_BOUND);
    assert_int_equal(clsolve_gauss_jordan_invert(gj, &a.view, &a.view), CLSOLVE_OK);
    test_matrix_get(&a, X);
    assert_true(ratio_inverse(type, n, A, X) < RATIO_BOUND);
}

TEST(test_rows) {
    test_random random = test_random_start(400);
    for (int variant = CLSOLVE_GAUSS_JORDAN_TWO_PASS; variant <= CLSOLVE_GAUSS_JORDAN_OPERATIONS; ++variant) {
        check(variant, 0, 0, &random);
    }
}

TEST(test_blocked) {
    test_random random = test_random_start(401);
    check(CLSOLVE_GAUSS_JORDAN_BLOCKED, 0, 0, &random);
    check(CLSOLVE_GAUSS_JORDAN_BLOCKED, 1, 0, &random);
}

TEST(test_batch) {
    static const int64_t orders[] = {3, 9};
    test_random random = test_random_start(402);
    for (size_t o = 0; o < 2; ++o) {
        int64_t n = orders[o], count = 5, info[5];
        scratch_matrix a = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, n, n * count, 0);
        scratch_matrix b = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, n, count, 0);
        SCRATCH double *values = test_doubles(n * n * count);
        clsolve_batch A = {.type = type,
                           .layout = CLSOLVE_COLUMN_MAJOR,
                           .count = count,
                           .rows = n,
                           .cols = n,
                           .ld = n,
                           .stride = n * n,
                           .data = a.memory};
        clsolve_batch B = A;
        OWNED(gauss_jordan_batch) *gj = gj_batch_make(context, n, count, type);
        B.cols = 1, B.stride = n, B.data = b.memory;
        test_random_fill(&random, values, n * n * count);
        test_matrix_set(&a, values);
        test_matrix_set(&b, values);
        assert_int_equal(clsolve_gauss_jordan_batch_solve(gj, CLSOLVE_NO_TRANS, &A, &B, info), CLSOLVE_OK);
        assert_int_equal(clsolve_gauss_jordan_batch_invert(gj, &A, &A, info), CLSOLVE_OK);
        for (int c = 0; c < 5; ++c) assert_int_equal(info[c], 0);
    }
}

TEST_PROGRAM(open_context, close_context)
