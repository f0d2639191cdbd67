/*
 * test_sparse_large.c: what must not grow faster than the matrix: a system with ten million entries, and the pairing of
 * rows with columns where no entry of the diagonal is in its place.
 */
#include "method/sparse/engine.h"
#include "method/sparse/klu.h"
#include "sparse/patterns.h"

/* ---- ten million entries ---- */

/* A band of SIDE diagonals on either side; the values of one row are those of all. */
TEST(test_entries) {
    enum { SIDE = 12, N = 10000000 / (2 * SIDE + 1) + SIDE, ENTRIES = (2 * SIDE + 1) * N };
    SCRATCH int32_t *start = malloc((N + 1) * sizeof *start), *column = malloc((size_t)ENTRIES * sizeof *column);
    int32_t end = 0;
    SCRATCH double *value = malloc((size_t)ENTRIES * sizeof *value), *b = malloc(N * sizeof *b),
                   *x = malloc(N * sizeof *x);
    OWNED(context) *context = NULL;
    OWNED(sparse) *sparse = NULL;
    clsolve_sparse_analysis analysis;
    assert_true(start && column && value && b && x);
    for (int32_t i = 0; i < N; i++) {
        start[i] = end;
        b[i] = x[i] = 1 + i % 7;
        for (int32_t j = i - SIDE; j <= i + SIDE; j++) {
            if (j < 0 || j >= N) continue;
            column[end] = j;
            value[end++] = j == i ? 3 * SIDE : j < i ? -1 : -0.5;
        }
    }
    start[N] = end;
    const clsolve_csr A = clsolve_csr_f64(N, start, column, value);
    clsolve_matrix X = clsolve_matrix_f64(N, 1, x);
    assert_int_equal(clsolve_context_create("host", &context), CLSOLVE_OK);
    assert_int_equal(clsolve_sparse_create_csr(context, &A, NULL, &sparse), CLSOLVE_OK);
    assert_int_equal(clsolve_sparse_factor_csr(sparse, &A), CLSOLVE_OK);
    assert_int_equal(clsolve_sparse_solve(sparse, CLSOLVE_NO_TRANS, &X), CLSOLVE_OK);
    assert_int_equal(clsolve_sparse_get_analysis(sparse, &analysis), CLSOLVE_OK);
    assert_int_equal(analysis.entries, end);
    assert_true(analysis.factor_entries < 1.01 * end); /* no order fills more than the band */
    double worst = 0, largest = 0;
    for (int32_t i = 0; i < N; i++) {
        double rest = b[i];
        for (int32_t e = start[i]; e < start[i + 1]; e++) rest -= value[e] * x[column[e]];
        worst = fmax(worst, fabs(rest));
        largest = fmax(largest, fabs(x[i]));
    }
    assert_true(worst <= 1e-14 * (4.5 * SIDE * largest + 7));
}

/* ---- the pairing ---- */

/* A grid whose rows have a chance order. */
static csr shuffled_grid(int64_t points, test_random *random) {
    const csr_form form = {.type = CLSOLVE_F64, .index = CLSOLVE_I64};
    scratch_triplets A = pattern_make(PATTERN_GRID2, points, random);
    SCRATCH int64_t *to = permutation_make(A.n, random);
    for (int64_t e = 0; e < A.count; e++) {
        if (A.at[e].row == A.at[e].column) A.at[e].value = 8;
        A.at[e].row = to[A.at[e].row];
    }
    triplets_sort(&A);
    csr rows = csr_make(&A, &form, NULL);
    return rows;
}

TEST(test_steps) {
    test_random random = test_random_start(1);
    scratch_csr rows = shuffled_grid(900, &random);
    cls_csr A;
    cls_error error = {0};
    assert_int_equal(cls_csr_take_pattern(&error, "test", &rows.view, &A), CLSOLVE_OK);
    for (int few = 0; few < 2; few++) {
        cls_klu *klu;
        cls_klu_found found;
        cls_klu_analyse(&A, CLSOLVE_ORDER_AUTO, NULL, few, &klu, &found);
        assert_non_null(klu);
        assert_int_equal(found.stopped, few);
        if (!few) assert_int_equal(found.rank, A.n);
        cls_klu_free(klu);
    }
    cls_csr_free(&A);
}

/* KLU stops, and AUTO takes fronts; their matching finds the rank. */
TEST(test_stopped) {
    test_random random = test_random_start(2);
    OWNED(context) *context = NULL;
    OWNED(sparse) *sparse = NULL;
    clsolve_sparse_analysis analysis;
    scratch_csr rows = shuffled_grid(40000, &random);
    assert_int_equal(clsolve_context_create("host", &context), CLSOLVE_OK);
    assert_int_equal(clsolve_sparse_create_csr(context, &rows.view, NULL, &sparse), CLSOLVE_OK);
    assert_int_equal(clsolve_sparse_factor_csr(sparse, &rows.view), CLSOLVE_OK);
    assert_int_equal(clsolve_sparse_get_analysis(sparse, &analysis), CLSOLVE_OK);
    assert_string_equal(analysis.engine, "multifrontal");
    assert_int_equal(analysis.structural_rank, 40000);
    assert_int_equal(analysis.matched, 1);
}

TEST_PROGRAM_ALONE(NULL, NULL)
