/* Sparse systems: singular and indefinite matrices, ranges that are left, new values, and the report. */
#include "base/type.h"
#include "sparse/patterns.h"
#include "support/fixture.h"

/* General solvers, and Cholesky. */
static const clsolve_sparse_options general[] = {
    {0},
    {.engine = CLSOLVE_SPARSE_MULTIFRONTAL},
    {.engine = CLSOLVE_SPARSE_MULTIFRONTAL, .matching = CLSOLVE_CHOICE_ON},
    {.engine = CLSOLVE_SPARSE_MULTIFRONTAL, .matching = CLSOLVE_CHOICE_OFF},
    {.engine = CLSOLVE_SPARSE_KLU},
    {.engine = CLSOLVE_SPARSE_KLU, .order = CLSOLVE_ORDER_NATURAL}};
enum { GENERAL = sizeof general / sizeof general[0] };
static const clsolve_sparse_options definite = {.form = CLSOLVE_SPARSE_POSITIVE_DEFINITE};

static csr plain(const triplets *A, clsolve_type type) {
    const csr_form form = {.type = type, .index = CLSOLVE_I32};
    return csr_make(A, &form, NULL);
}

/* Solves with a random B and checks the backward error. */
static void expect_solved(clsolve_sparse *sparse, const triplets *A, clsolve_type type, clsolve_op op,
                          test_random *random) {
    SCRATCH double *B = test_elements(type, A->n), *X = test_elements(type, A->n);
    scratch_matrix b = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, A->n, 1, 0);
    test_random_fill(random, B, test_numbers(type, A->n));
    for (int64_t k = 0; k < test_numbers(type, A->n); k++) B[k] = test_rounded(type, B[k]);
    test_matrix_set(&b, B);
    EXPECT(context, clsolve_sparse_solve(sparse, op, &b.view), CLSOLVE_OK, "");
    test_matrix_get(&b, X);
    const double error = triplets_backward(A, type, op, 1, B, X);
    if (!(error <= triplets_bound(A->n, type))) fail_msg("backward error %.2g", error);
}

/* A solve fails with the status, and B stays. */
static void expect_unsolved(clsolve_sparse *sparse, clsolve_type type, int64_t n, double b, clsolve_status wanted) {
    SCRATCH double *B = test_elements(type, n), *X = test_elements(type, n);
    scratch_matrix x = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, n, 1, 0);
    for (int64_t k = 0; k < test_numbers(type, n); k++) B[k] = test_rounded(type, b);
    test_matrix_set(&x, B);
    EXPECT(context, clsolve_sparse_solve(sparse, CLSOLVE_NO_TRANS, &x.view), wanted, "");
    test_matrix_get(&x, X);
    assert_memory_equal(B, X, (size_t)test_numbers(type, n) * sizeof *B);
}

/* Without factors the order is that of the analysis. */
static void expect_order(clsolve_sparse *sparse, int64_t n) {
    SCRATCH int64_t *rows = calloc((size_t)n + 1, sizeof *rows), *columns = calloc((size_t)n + 1, sizeof *columns);
    assert_true(rows && columns);
    EXPECT(context, clsolve_sparse_permutations(sparse, rows, columns), CLSOLVE_OK, "");
    assert_true(is_permutation(rows, n) && is_permutation(columns, n));
}

/* What the report says of a factorization that ended so. */
static void expect_no_factors(clsolve_sparse *sparse, clsolve_status status) {
    const clsolve_report report = sparse_report(context, sparse);
    assert_int_equal(report.status, status);
    assert_true(report.info > 0);
    assert_int_equal(report.direct.det_sign, 0);
    assert_true(report.direct.growth == 0);
    assert_true(report.direct.log_abs_det == (status == CLSOLVE_SINGULAR ? -HUGE_VAL : 0));
    assert_null(report.direct.pivoting_used);
    expect_order(sparse, report.n);
}

/* ---- singular ---- */

/* Rows 1 and 2 have entries in column 0 alone, so one of them has no column. */
TEST(test_structure) {
    const int64_t n = 6;
    scratch_triplets A = {.n = n};
    clsolve_sparse_analysis analysis;
    for (int64_t i = 0; i < n; i++) triplets_add(&A, i, i == 2 || i == 1 ? 0 : i, 3);
    triplets_add(&A, 0, 4, 1);
    triplets_add(&A, 4, 2, 1);
    triplets_sort(&A);
    scratch_csr rows = plain(&A, CLSOLVE_F64);
    for (int k = 0; k < GENERAL; k++) {
        clsolve_sparse_options options = general[k];
        options.rcond = 1;
        OWNED(sparse) *sparse = sparse_create(context, &rows.view, &options);
        EXPECT(context, clsolve_sparse_factor_csr(sparse, &rows.view), CLSOLVE_SINGULAR,
               "no column is left for row 3, counted from 1");
        expect_no_factors(sparse, CLSOLVE_SINGULAR);
        assert_true(sparse_report(context, sparse).direct.rcond == 0);
        EXPECT(context, clsolve_sparse_get_analysis(sparse, &analysis), CLSOLVE_OK, "");
        assert_int_equal(analysis.structural_rank, 5);
        expect_unsolved(sparse, CLSOLVE_F64, n, 1, CLSOLVE_SINGULAR);
    }
}

/* A full pattern whose row or column `zero` has the value zero: the message names it, and info is the column. */
TEST(test_places) {
    enum { SIZE = 7 };
    test_random random = test_random_start(4);
    for (int zero = 0; zero < SIZE; zero++)
        for (int of_rows = 0; of_rows < 2; of_rows++) {
            scratch_triplets A = {.n = SIZE};
            char words[64];
            for (int i = 0; i < SIZE; i++)
                for (int j = 0; j < SIZE; j++)
                    triplets_add(&A, i, j, (of_rows ? i : j) == zero ? 0 : 2 + test_random_unit(&random));
            scratch_csr rows = plain(&A, CLSOLVE_C64);
            (void)snprintf(words, sizeof words, "%s %d", of_rows ? "row" : "column", zero + 1);
            for (int k = 0; k < GENERAL; k++) {
                OWNED(sparse) *sparse = sparse_create(context, &rows.view, &general[k]);
                EXPECT(context, clsolve_sparse_factor_csr(sparse, &rows.view), CLSOLVE_SINGULAR, words);
                assert_non_null(strstr(clsolve_context_message(context), of_rows ? "column " : "row "));
                assert_non_null(strstr(clsolve_context_message(context), ", counted from 1; "));
                const int64_t info = sparse_report(context, sparse).info;
                assert_true(of_rows ? info > 0 && info <= SIZE : info == zero + 1);
            }
        }
}

/* Symmetric without diagonal entries 0 and 3; rows 0 and 3 have an entry in column 1 alone, so the rank is 3 of 4. */
TEST(test_definite_rank) {
    static const int8_t places[][2] = {{1, 0}, {1, 1}, {2, 2}, {3, 1}};
    for (clsolve_sparse_part part = CLSOLVE_SPARSE_WHOLE; part <= CLSOLVE_SPARSE_UPPER; part++) {
        clsolve_sparse_options options = definite;
        clsolve_sparse_analysis analysis;
        scratch_triplets A = {.n = 4};
        options.part = part;
        for (size_t e = 0; e < sizeof places / sizeof places[0]; e++) {
            const int i = places[e][0], j = places[e][1];
            if (part != CLSOLVE_SPARSE_UPPER || i == j) triplets_add(&A, i, j, 1);
            if (part != CLSOLVE_SPARSE_LOWER && i != j) triplets_add(&A, j, i, 1);
        }
        triplets_sort(&A);
        scratch_csr rows = plain(&A, CLSOLVE_F64);
        OWNED(sparse) *sparse = sparse_create(context, &rows.view, &options);
        EXPECT(context, clsolve_sparse_get_analysis(sparse, &analysis), CLSOLVE_OK, "");
        assert_int_equal(analysis.structural_rank, 3);
        EXPECT(context, clsolve_sparse_factor_csr(sparse, &rows.view), CLSOLVE_NOT_POSITIVE_DEFINITE, "column");
    }
}

/* Columns 2 and 4 are the same: ones in rows 2 and 4. With `sum` added to A(4,4) the matrix is not singular. */
static triplets twins(int64_t n, double sum) {
    triplets A = {.n = n};
    for (int64_t i = 0; i < n; i++)
        if (i != 2 && i != 4) triplets_add(&A, i, i, 2);
    triplets_add(&A, 2, 2, 1);
    triplets_add(&A, 2, 4, 1);
    triplets_add(&A, 4, 2, 1);
    triplets_add(&A, 4, 4, 1 + sum);
    triplets_sort(&A);
    return A;
}

TEST(test_values) {
    test_random random = test_random_start(1);
    for (clsolve_type type = CLSOLVE_F32; type <= CLSOLVE_C64; type++) {
        scratch_triplets A = twins(9, 0), better = twins(9, 0.5);
        scratch_csr singular = plain(&A, type), regular = plain(&better, type);
        for (int k = 0; k < GENERAL; k++) {
            clsolve_sparse_options options = general[k];
            options.rcond = 1;
            OWNED(sparse) *sparse = sparse_create(context, &singular.view, &options);
            for (int again = 0; again < 2; again++) {
                EXPECT(context, clsolve_sparse_factor_csr(sparse, &singular.view), CLSOLVE_SINGULAR, "singular");
                expect_no_factors(sparse, CLSOLVE_SINGULAR);
                const clsolve_report report = sparse_report(context, sparse);
                assert_true(report.info == 3 || report.info == 5);
                assert_true(report.direct.rcond == 0);
                expect_unsolved(sparse, type, 9, 1, CLSOLVE_SINGULAR);
                EXPECT(context, clsolve_sparse_factor_csr(sparse, &regular.view), CLSOLVE_OK, "");
                assert_true(sparse_report(context, sparse).direct.rcond > 0.05);
                assert_true(fabs(sparse_report(context, sparse).direct.log_abs_det - 6 * log(2)) < 1e-12);
                expect_solved(sparse, &better, type, CLSOLVE_TRANS, &random);
            }
        }
    }
}

/* Entries that are zero at create count for the pattern, so a later matrix may have values there. */
TEST(test_zeros_first) {
    const int64_t n = 40;
    test_random random = test_random_start(2);
    scratch_triplets A = pattern_make(PATTERN_RANDOM, n, &random), zeros = {.n = n};
    for (int64_t e = 0; e < A.count; e++) triplets_add(&zeros, A.at[e].row, A.at[e].column, A.at[e].row > 3);
    triplets_round(&A, CLSOLVE_F64);
    scratch_csr first = plain(&zeros, CLSOLVE_F64), second = plain(&A, CLSOLVE_F64);
    for (int k = 0; k < GENERAL; k++) {
        OWNED(sparse) *sparse = sparse_create(context, &first.view, &general[k]);
        EXPECT(context, clsolve_sparse_factor_csr(sparse, &first.view), CLSOLVE_SINGULAR, "singular");
        EXPECT(context, clsolve_sparse_factor_csr(sparse, &second.view), CLSOLVE_OK, "");
        expect_solved(sparse, &A, CLSOLVE_F64, CLSOLVE_NO_TRANS, &random);
    }
}

/* New values may be zeros: KLU, which keeps its pivots, does not look at those of blocks of one row. */
TEST(test_zeros_later) {
    const int64_t n = 7;
    scratch_triplets A = {.n = n}, zeros = {.n = n};
    for (int64_t i = 0; i < n; i++) {
        triplets_add(&A, i, i, 1 + (double)i);
        triplets_add(&zeros, i, i, i < 3 ? 1 : 0);
    }
    for (clsolve_type type = CLSOLVE_F32; type <= CLSOLVE_C64; type++) {
        scratch_csr first = plain(&A, type), second = plain(&zeros, type);
        for (int k = 0; k < GENERAL; k++) {
            OWNED(sparse) *sparse = sparse_create(context, &first.view, &general[k]);
            EXPECT(context, clsolve_sparse_factor_csr(sparse, &first.view), CLSOLVE_OK, "");
            EXPECT(context, clsolve_sparse_factor_csr(sparse, &second.view), CLSOLVE_SINGULAR, "singular");
            expect_no_factors(sparse, CLSOLVE_SINGULAR);
            expect_unsolved(sparse, type, n, 1, CLSOLVE_SINGULAR);
        }
    }
}

TEST(test_indefinite) {
    test_random random = test_random_start(3);
    for (clsolve_type type = CLSOLVE_F32; type <= CLSOLVE_C64; type++) {
        scratch_triplets A = pattern_make_definite(PATTERN_GRID2, 100, cls_is_complex(type), &random);
        triplets_round(&A, type);
        scratch_csr good = plain(&A, type);
        const int64_t wrong = test_random_between(&random, 0, A.n - 1);
        for (int64_t e = 0; e < A.count; e++)
            if (A.at[e].row == wrong && A.at[e].column == wrong) A.at[e].value *= -1;
        scratch_csr bad = plain(&A, type);
        for (int64_t e = 0; e < A.count; e++)
            if (A.at[e].row == wrong && A.at[e].column == wrong) A.at[e].value *= -1;
        OWNED(sparse) *sparse = sparse_create(context, &good.view, &definite);
        for (int again = 0; again < 2; again++) {
            EXPECT(context, clsolve_sparse_factor_csr(sparse, &good.view), CLSOLVE_OK, "");
            assert_true(sparse_report(context, sparse).direct.det_sign == 1);
            EXPECT(context, clsolve_sparse_factor_csr(sparse, &bad.view), CLSOLVE_NOT_POSITIVE_DEFINITE, "column");
            expect_no_factors(sparse, CLSOLVE_NOT_POSITIVE_DEFINITE);
            assert_int_equal(sparse_report(context, sparse).info, wrong + 1);
            expect_unsolved(sparse, type, A.n, 1, CLSOLVE_NOT_POSITIVE_DEFINITE);
        }
        EXPECT(context, clsolve_sparse_factor_csr(sparse, &good.view), CLSOLVE_OK, "");
        expect_solved(sparse, &A, type, CLSOLVE_TRANS, &random);
    }
}

/* ---- ranges ---- */

/* Squares of the entries leave the range. */
TEST(test_far) {
    test_random random = test_random_start(5);
    for (int up = 0; up < 2; up++)
        for (clsolve_type type = CLSOLVE_F64; type <= CLSOLVE_C64; type = (clsolve_type)(type + 2))
            for (int k = 0; k <= GENERAL; k++) {
                scratch_triplets A = k < GENERAL
                                         ? pattern_make(PATTERN_GRID2, 64, &random)
                                         : pattern_make_definite(PATTERN_GRID2, 64, cls_is_complex(type), &random);
                for (int64_t e = 0; e < A.count; e++) A.at[e].value *= up ? 1e200 : 1e-200;
                triplets_round(&A, type);
                scratch_csr rows = plain(&A, type);
                OWNED(sparse) *sparse = sparse_create(context, &rows.view, k < GENERAL ? &general[k] : &definite);
                EXPECT(context, clsolve_sparse_factor_csr(sparse, &rows.view), CLSOLVE_OK, "");
                for (clsolve_op op = CLSOLVE_NO_TRANS; op <= CLSOLVE_CONJ_TRANS; op++)
                    expect_solved(sparse, &A, type, op, &random);
            }
}

/* Values near the ends of the range give the bits of values near 1, times a power of two. */
TEST(test_ends_of_the_range) {
    static const clsolve_sparse_options one_sided[] = {{.form = CLSOLVE_SPARSE_POSITIVE_DEFINITE},
                                                       {.form = CLSOLVE_SPARSE_SYMMETRIC},
                                                       {.form = CLSOLVE_SPARSE_HERMITIAN}};
    static const int exponents[] = {0, 1016, -960, 700};
    enum { N = 64, FORMS = 5 };
    for (clsolve_type type = CLSOLVE_F64; type <= CLSOLVE_C64; type = (clsolve_type)(type + 2))
        for (int k = 0; k < FORMS; k++) {
            test_random random = test_random_start(6);
            scratch_triplets A = pattern_make_definite(PATTERN_GRID2, N, cls_is_complex(type), &random);
            const clsolve_sparse_options *options = k < 2 ? &general[k + 2] : &one_sided[k - 2];
            SCRATCH double *B = test_elements(type, N), *first = test_elements(type, N), *X = test_elements(type, N);
            double log_det = 0;
            if (cls_is_complex(type) && options->form == CLSOLVE_SPARSE_SYMMETRIC) continue;
            for (int64_t e = 0; e < A.count; e++)
                A.at[e].value = CMPLX(round(8 * creal(A.at[e].value)), round(8 * cimag(A.at[e].value)));
            for (size_t s = 0; s < sizeof exponents / sizeof exponents[0]; s++) {
                scratch_triplets scaled = {.n = N};
                for (int64_t e = 0; e < A.count; e++) {
                    const double complex a = A.at[e].value;
                    triplets_add(&scaled, A.at[e].row, A.at[e].column,
                                 CMPLX(ldexp(creal(a), exponents[s]), ldexp(cimag(a), exponents[s])));
                }
                scratch_csr rows = plain(&scaled, type);
                scratch_matrix b = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, N, 1, 0);
                clsolve_sparse *sparse = sparse_create(context, &rows.view, options);
                EXPECT(context, clsolve_sparse_factor_csr(sparse, &rows.view), CLSOLVE_OK, "");
                for (int64_t i = 0; i < test_numbers(type, N); i++) B[i] = ldexp((double)(i % 7) - 2, exponents[s]);
                test_matrix_set(&b, B);
                EXPECT(context, clsolve_sparse_solve(sparse, CLSOLVE_NO_TRANS, &b.view), CLSOLVE_OK, "");
                test_matrix_get(&b, X);
                const double now = sparse_report(context, sparse).direct.log_abs_det - N * exponents[s] * log(2);
                if (s == 0) {
                    log_det = now;
                    memcpy(first, X, (size_t)test_numbers(type, N) * sizeof *X);
                }
                assert_memory_equal(X, first, (size_t)test_numbers(type, N) * sizeof *X);
                assert_true(fabs(now - log_det) < 1e-8);
                clsolve_sparse_destroy(sparse);
            }
        }
}

/* The second pivot is 2e308, or i times that. The last entry would become zero if all were scaled. */
TEST(test_factors_overflow) {
    for (int is_complex = 0; is_complex < 2; is_complex++) {
        scratch_triplets A = {.n = 3};
        triplets_add(&A, 0, 0, 1e308);
        triplets_add(&A, 0, 1, is_complex ? CMPLX(0, 1e308) : 1e308);
        triplets_add(&A, 1, 0, -1e308);
        triplets_add(&A, 1, 1, is_complex ? CMPLX(0, 1e308) : 1e308);
        triplets_add(&A, 2, 2, 0x1p-1074);
        scratch_csr rows = plain(&A, is_complex ? CLSOLVE_C64 : CLSOLVE_F64);
        OWNED(sparse) *sparse = sparse_create(context, &rows.view, &general[3]);
        EXPECT(context, clsolve_sparse_factor_csr(sparse, &rows.view), CLSOLVE_OVERFLOW, "NaN or Inf");
        expect_unsolved(sparse, rows.view.type, 3, 1, CLSOLVE_ERROR_STATE);
    }
}

/* Columns of NaN hold no pivot, but the matrix is not singular. */
TEST(test_nan_pivots) {
    scratch_triplets A = {.n = 3};
    for (int64_t i = 0; i < A.n; i++)
        for (int64_t j = 0; j < A.n; j++) triplets_add(&A, i, j, i > 0 && j == 0 ? -1.5e308 : 1.5e308);
    A.at[8].value = 0x1p-1074;
    scratch_csr rows = plain(&A, CLSOLVE_F64);
    clsolve_sparse_options options = general[3];
    options.order = CLSOLVE_ORDER_NATURAL;
    OWNED(sparse) *sparse = sparse_create(context, &rows.view, &options);
    EXPECT(context, clsolve_sparse_factor_csr(sparse, &rows.view), CLSOLVE_OVERFLOW, "NaN or Inf");
    for (int64_t e = 0; e < A.count; e++) A.at[e].value = 1;
    scratch_csr singular = plain(&A, CLSOLVE_F64);
    EXPECT(context, clsolve_sparse_factor_csr(sparse, &singular.view), CLSOLVE_SINGULAR, "column 2");
}

TEST(test_solution_overflow) {
    for (clsolve_type type = CLSOLVE_F32; type <= CLSOLVE_C64; type++) {
        const double small = cls_is_double(type) ? 1e-200 : 1e-30;
        scratch_triplets A = {.n = 7};
        for (int64_t i = 0; i < A.n; i++) triplets_add(&A, i, i, small);
        scratch_csr rows = plain(&A, type);
        for (int k = 0; k <= GENERAL; k++) {
            OWNED(sparse) *sparse = sparse_create(context, &rows.view, k < GENERAL ? &general[k] : &definite);
            EXPECT(context, clsolve_sparse_factor_csr(sparse, &rows.view), CLSOLVE_OK, "");
            expect_unsolved(sparse, type, A.n, 1 / small, CLSOLVE_OVERFLOW);
            expect_unsolved(sparse, type, A.n, 1 / small, CLSOLVE_OVERFLOW);
        }
    }
}

/* Partial pivoting doubles the last column in each step (J. H. Wilkinson, J. ACM 8, 1961). In another order it does
 * not. */
TEST(test_growth) {
    enum { N = 100 };
    test_random random = test_random_start(8);
    scratch_triplets A = {.n = N};
    for (int64_t i = 0; i < N; i++) {
        for (int64_t j = 0; j < i; j++) triplets_add(&A, i, j, -1);
        triplets_add(&A, i, i, 1);
        if (i < N - 1) triplets_add(&A, i, N - 1, 1);
    }
    scratch_csr rows = plain(&A, CLSOLVE_F64);
    for (int k = 1; k < GENERAL; k++) {
        clsolve_sparse *sparse = sparse_create(context, &rows.view, &general[k]);
        EXPECT(context, clsolve_sparse_factor_csr(sparse, &rows.view), CLSOLVE_OK, "");
        if (general[k].engine == CLSOLVE_SPARSE_MULTIFRONTAL) {
            SCRATCH double *B = test_elements(CLSOLVE_F64, N);
            clsolve_matrix b = clsolve_matrix_f64(N, 1, B);
            for (int64_t i = 0; i < N; i++) B[i] = (i % 2 ? 0.02 : -0.02) * (double)(i * 7919 % 101);
            EXPECT(context, clsolve_sparse_solve(sparse, CLSOLVE_NO_TRANS, &b), CLSOLVE_NOT_CONVERGED, "made elements");
        } else if (general[k].order == CLSOLVE_ORDER_AUTO) {
            expect_solved(sparse, &A, CLSOLVE_F64, CLSOLVE_NO_TRANS, &random);
        }
        clsolve_sparse_destroy(sparse);
    }
}

/* ---- new values, and the report ---- */

static void expect_report(clsolve_sparse *sparse, const triplets *A, clsolve_type type, int is_definite) {
    const dense_facts facts = dense_measure(A);
    const clsolve_report report = sparse_report(context, sparse);
    const clsolve_report_direct *direct = &report.direct;
    clsolve_sparse_analysis analysis;
    assert_string_equal(report.method, is_definite ? "sparse-cholesky" : "sparse-lu");
    assert_string_equal(report.where, "host");
    assert_int_equal(report.n, A->n);
    assert_int_equal(report.info, 0);
    EXPECT(context, clsolve_sparse_get_analysis(sparse, &analysis), CLSOLVE_OK, "");
    const double allowed = 1e-12 * (double)A->n / facts.rcond;
    if (!is_definite && strcmp(analysis.engine, "multifrontal") == 0) assert_true(direct->growth > 0);
    if (!(fabs(direct->log_abs_det - facts.log_abs) <= allowed))
        fail_msg("log |det| is %.15g, not %.15g", direct->log_abs_det, facts.log_abs);
    assert_int_equal(abs(direct->det_sign), 1);
    const double angle = direct->det_phase + (direct->det_sign < 0 ? acos(-1) : 0);
    if (!(fabs(remainder(angle - facts.phase, 2 * acos(-1))) <= allowed))
        fail_msg("the determinant's angle is %g, not %g", angle, remainder(facts.phase, 2 * acos(-1)));
    if (cls_is_complex(type)) assert_int_equal(direct->det_sign, 1);
    if (direct->rcond != -1 && !(direct->rcond > 0.9 * facts.rcond && direct->rcond < RATIO_BOUND * facts.rcond))
        fail_msg("rcond is %g, not %g", direct->rcond, facts.rcond);
}

/* Random values come for the same pattern, of which a fifth is zero or tiny. */
static void change(triplets *A, clsolve_type type, test_random *random) {
    for (int64_t e = 0; e < A->count; e++) {
        const double kind = test_random_unit(random), size = kind < 0.1 ? 0 : kind < 0.2 ? 1e-9 : 1;
        const double re = size * test_random_signed(random);
        A->at[e].value = CMPLX(re, size * test_random_signed(random));
    }
    triplets_round(A, type);
}

static void refactor(pattern kind, clsolve_type type, const clsolve_sparse_options *from, test_random *random) {
    clsolve_sparse_options options = *from;
    const int is_definite = options.form == CLSOLVE_SPARSE_POSITIVE_DEFINITE;
    scratch_triplets A =
        is_definite ? pattern_make_definite(kind, 90, cls_is_complex(type), random) : pattern_make(kind, 90, random);
    options.rcond = test_random_unit(random) < 0.5;
    triplets_round(&A, type);
    scratch_csr rows = plain(&A, type);
    OWNED(sparse) *sparse = sparse_create(context, &rows.view, &options);
    for (int again = 0; again < 8; again++) {
        csr now = plain(&A, type);
        const dense_facts facts = dense_measure(&A);
        if (facts.rcond > 1e-9) {
            EXPECT(context, clsolve_sparse_factor_csr(sparse, &now.view), CLSOLVE_OK, "");
            expect_report(sparse, &A, type, is_definite);
            expect_solved(sparse, &A, type, (clsolve_op)(CLSOLVE_NO_TRANS + (again + 1) % 3), random);
        }
        csr_free(&now);
        if (!is_definite) change(&A, type, random);
        for (int64_t e = 0; e < A.count && is_definite; e++) A.at[e].value *= 2;
    }
}

TEST(test_refactor) {
    test_random random = test_random_start(4);
    for (int kind = 0; kind < PATTERNS; kind++)
        for (int k = 0; k <= GENERAL; k++)
            refactor((pattern)kind, (clsolve_type)(CLSOLVE_F32 + (kind + k) % 4), k < GENERAL ? &general[k] : &definite,
                     &random);
}

/* Values of another scale than those that rows were paired and scaled for. */
TEST(test_other_scale) {
    static const int32_t start[] = {0, 2, 4}, column[] = {0, 1, 0, 1};
    static const double scale[][2] = {{1, 1},          {1e170, 1e170}, {1e-170, 1e-170},
                                      {1e150, 1e-150}, {1e80, 1e-80},  {1e160, 1}};
    enum { SCALES = sizeof scale / sizeof scale[0] };
    for (int options = 0; options < GENERAL; options++)
        for (int k = 0; k < SCALES * SCALES; k++) {
            const double *p = scale[k / SCALES], *q = scale[k % SCALES];
            const double first[] = {1e-3 * p[0], 2 * p[0], 3 * p[1], 4e-3 * p[1]};
            const double then[] = {1e-3 * q[0], 2 * q[0], 3 * q[1], 4e-3 * q[1]};
            double b[] = {then[0] + then[1], then[2] + then[3]};
            clsolve_csr A = clsolve_csr_f64(2, start, column, first);
            clsolve_matrix B = clsolve_matrix_f64(2, 1, b);
            OWNED(sparse) *sparse = sparse_create(context, &A, &general[options]);
            EXPECT(context, clsolve_sparse_factor_csr(sparse, &A), CLSOLVE_OK, "");
            A.values = then;
            EXPECT(context, clsolve_sparse_factor_csr(sparse, &A), CLSOLVE_OK, "");
            EXPECT(context, clsolve_sparse_solve(sparse, CLSOLVE_NO_TRANS, &B), CLSOLVE_OK, "");
            if (!(fabs(b[0] - 1) < 1e-9 && fabs(b[1] - 1) < 1e-9)) fail_msg("options %d, scales %d", options, k);
            assert_int_equal(sparse_report(context, sparse).info, 0);
        }
}

TEST_PROGRAM_ALONE(open_host, close_context)
