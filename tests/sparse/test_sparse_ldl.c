/*
 * L D L^T and L D L^H of sparse matrices on the host: solutions, inertia beside the eigenvalues of LAPACK, delayed
 * pivots, blocks of order 2, singular matrices, and what the calls refuse.
 */
#include <lapacke.h>

#include "base/type.h"
#include "sparse/solving.h"

static const clsolve_sparse_form forms[] = {CLSOLVE_SPARSE_SYMMETRIC, CLSOLVE_SPARSE_HERMITIAN};

TEST(test_solutions) {
    static const int64_t sizes[] = {0, 1, 2, 3, 5, 7, 31, 64, 101, 211, 307};
    test_random random = test_random_start(1);
    int64_t turn = 0;
    for (int kind = 0; kind < PATTERNS; kind++)
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
            for (int again = 0; again < 3; again++, turn++)
                run_one_sided(forms[turn % 2], (pattern)kind, sizes[s], turn / 2, &random);
    for (turn = 0; turn < 16; turn++) run_one_sided(forms[turn % 2], PATTERN_GRID3, 1331, turn / 2, &random);
    for (turn = 0; turn < 4; turn++) run_one_sided(forms[turn % 2], PATTERN_SADDLE, 3001, turn / 2, &random);
}

/* ---- inertia ---- */

/* Of the dense matrix; *gap: the smallest absolute eigenvalue beside the largest. */
static clsolve_inertia eigenvalue_signs(const triplets *A, double *gap) {
    const lapack_int n = (lapack_int)A->n;
    SCRATCH double complex *dense = triplets_dense(A);
    double *value = test_doubles(n + 1), least = INFINITY, most = 0;
    clsolve_inertia inertia = {0};
    if (n > 0) assert_int_equal(LAPACKE_zheev(LAPACK_COL_MAJOR, 'N', 'L', n, dense, n, value), 0);
    for (lapack_int k = 0; k < n; k++) {
        *(value[k] > 0 ? &inertia.positive : &inertia.negative) += 1;
        least = fmin(least, fabs(value[k]));
        most = fmax(most, fabs(value[k]));
    }
    *gap = n > 0 ? least / most : 1;
    free(value);
    return inertia;
}

static void expect_inertia(const char *about, const clsolve_inertia *got, const clsolve_inertia *wanted) {
    if (got->positive != wanted->positive || got->negative != wanted->negative || got->zero != wanted->zero)
        fail_msg("%s: inertia %d %d %d, not %d %d %d", about, (int)got->positive, (int)got->negative, (int)got->zero,
                 (int)wanted->positive, (int)wanted->negative, (int)wanted->zero);
}

static clsolve_sparse *factored(const triplets *A, clsolve_type type, const clsolve_sparse_options *options,
                                clsolve_status wanted) {
    scratch_csr rows = csr_make(A, &(csr_form){.type = type, .index = CLSOLVE_I32}, NULL);
    clsolve_sparse *sparse = NULL;
    const trial t = {.about = "factored"};
    check(&t, clsolve_sparse_create_csr(context, &rows.view, options, &sparse), "create");
    EXPECT(context, clsolve_sparse_factor_csr(sparse, &rows.view), wanted, "");
    return sparse;
}

/* 1 if the eigenvalues are far enough from zero for their signs to be certain. */
static int check_inertia(const triplets *A, clsolve_type type, const clsolve_sparse_options *options,
                         const char *about) {
    clsolve_inertia got;
    clsolve_report report;
    double gap;
    const clsolve_inertia wanted = eigenvalue_signs(A, &gap);
    if (!(gap > 1e-10)) return 0;
    clsolve_sparse *sparse = factored(A, type, options, CLSOLVE_OK);
    EXPECT(context, clsolve_sparse_inertia(sparse, &got), CLSOLVE_OK, "");
    expect_inertia(about, &got, &wanted);
    assert_int_equal(clsolve_sparse_report(sparse, &report), CLSOLVE_OK);
    expect_inertia(about, &report.direct.inertia, &wanted);
    assert_string_equal(report.method, "sparse-ldl");
    const dense_facts facts = dense_measure(A);
    assert_true(fabs(report.direct.log_abs_det - facts.log_abs) <= 1e-7 * (double)(A->n + 1));
    if (cls_is_complex(type))
        assert_true(fabs(remainder(report.direct.det_phase - facts.phase, 2 * acos(-1))) <= 1e-6);
    else
        assert_int_equal(report.direct.det_sign, wanted.negative % 2 ? -1 : 1);
    clsolve_sparse_destroy(sparse);
    return 1;
}

/* Over a thousand matrices. Every other one has rows and columns that differ by up to 10^8. */
TEST(test_inertia) {
    static const clsolve_type types[] = {CLSOLVE_F64, CLSOLVE_C64, CLSOLVE_F32, CLSOLVE_C32};
    test_random random = test_random_start(2);
    int64_t certain = 0;
    for (int turn = 0; turn < 1400; turn++) {
        const clsolve_type type = types[turn % 4];
        const pattern kind = (pattern)(turn / 4 % PATTERNS);
        const clsolve_sparse_options options = {.form = cls_is_complex(type) || turn % 3 ? CLSOLVE_SPARSE_HERMITIAN
                                                                                         : CLSOLVE_SPARSE_SYMMETRIC,
                                                .matching = (clsolve_choice)(turn / 2 % 3)};
        scratch_triplets A = pattern_make_symmetric(kind, test_random_between(&random, 1, 60), options.form,
                                                    cls_is_complex(type), &random);
        for (int64_t e = 0; e < A.count && turn % 8 > 3; e++)
            A.at[e].value *= pow(10, (double)((A.at[e].row + A.at[e].column) % 5));
        triplets_round(&A, type);
        certain += check_inertia(&A, type, &options, pattern_names[kind]);
    }
    print_message("%d matrices\n", (int)certain);
    assert_true(certain >= 1000);
}

/* ---- one front ---- */

/*
 * Row i has one element in the other half, at n - 1 - i, and small ones elsewhere there; each half has a zero diagonal
 * block. The order is the natural one, so the row of each pivot lies far from its column, outside the panel.
 */
TEST(test_far_partners) {
    test_random random = test_random_start(3);
    for (int64_t half = 20; half <= 320; half *= 4)
        for (int turn = 0; turn < 4; turn++) {
            const clsolve_type type = turn % 2 ? CLSOLVE_C64 : CLSOLVE_F64;
            const clsolve_sparse_options options = {
                .form = forms[turn / 2], .order = CLSOLVE_ORDER_NATURAL, .matching = CLSOLVE_CHOICE_OFF};
            scratch_triplets A = {.n = 2 * half};
            double B[2 * 640], X[2 * 640];
            for (int64_t i = half; i < A.n; i++)
                for (int64_t j = 0; j < half; j++)
                    triplets_add_both(&A, options.form, i, j,
                                      i == A.n - 1 - j ? 1 : 1e-3 * CMPLX(test_random_signed(&random), turn % 2));
            triplets_sort(&A);
            OWNED(sparse) *sparse = factored(&A, type, &options, CLSOLVE_OK);
            clsolve_matrix x = clsolve_matrix_f64(A.n, 1, X);
            x.type = type;
            for (int64_t k = 0; k < test_numbers(type, A.n); k++) X[k] = B[k] = test_random_signed(&random);
            EXPECT(context, clsolve_sparse_solve(sparse, CLSOLVE_CONJ_TRANS, &x), CLSOLVE_OK, "");
            assert_true(triplets_backward(&A, type, CLSOLVE_CONJ_TRANS, 1, B, X) <= triplets_bound(A.n, type));
            const clsolve_inertia wanted = {half, half, 0};
            clsolve_inertia got;
            if (options.form == CLSOLVE_SPARSE_HERMITIAN || turn % 2 == 0) {
                EXPECT(context, clsolve_sparse_inertia(sparse, &got), CLSOLVE_OK, "");
                expect_inertia("far partners", &got, &wanted);
            }
        }
}

/*
 * One row has the largest element of each column, and a diagonal so large that no column makes a block of order 2 with
 * it. All others have zeros on the diagonal: this row alone is a pivot, and each panel of 32 columns may take it in as
 * its last one. 33 and 65 divide the orders.
 */
TEST(test_wanted_row) {
    static const int64_t orders[] = {66, 99, 325};
    test_random random = test_random_start(5);
    for (int turn = 0; turn < 12; turn++) {
        const int64_t n = orders[turn / 4], wanted = turn % 2 ? n - 1 : n / 2;
        const clsolve_type type = turn / 2 % 2 ? CLSOLVE_C64 : CLSOLVE_F64;
        const clsolve_sparse_options options = {.form = CLSOLVE_SPARSE_HERMITIAN, .order = CLSOLVE_ORDER_NATURAL};
        scratch_triplets A = {.n = n};
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j <= i; j++) {
                const double drawn = test_random_signed(&random);
                if (i == wanted || j == wanted)
                    triplets_add_both(&A, options.form, i, j, i == j ? 1e5 : 1);
                else if (i > j)
                    triplets_add_both(&A, options.form, i, j, drawn + (drawn > 0 ? 8 : -8));
            }
        for (int64_t e = 0; e < A.count; e++)
            if (A.at[e].row != wanted && A.at[e].column != wanted) A.at[e].value /= 10;
        triplets_sort(&A);
        assert_true(check_inertia(&A, type, &options, "wanted row"));
    }
}

/* ---- many delayed pivots ---- */

static clsolve_sparse_analysis analysis_of(const triplets *A, const clsolve_sparse_options *options) {
    clsolve_sparse_analysis found;
    OWNED(sparse) *sparse = factored(A, CLSOLVE_F64, options, CLSOLVE_OK);
    SCRATCH double *B = test_elements(CLSOLVE_F64, A->n), *X = test_elements(CLSOLVE_F64, A->n);
    clsolve_matrix x = clsolve_matrix_f64(A->n, 1, X);
    for (int64_t k = 0; k < A->n; k++) X[k] = B[k] = (double)(k % 5) - 2.25;
    EXPECT(context, clsolve_sparse_solve(sparse, CLSOLVE_NO_TRANS, &x), CLSOLVE_OK, "");
    assert_true(triplets_backward(A, CLSOLVE_F64, CLSOLVE_NO_TRANS, 1, B, X) <= triplets_bound(A->n, CLSOLVE_F64));
    EXPECT(context, clsolve_sparse_get_analysis(sparse, &found), CLSOLVE_OK, "");
    return found;
}

/* Rows that differ by 10^8 or 10^12 are scaled, later or at once: then few pivots are delayed. */
TEST(test_scales) {
    test_random random = test_random_start(4);
    for (int turn = 0; turn < 6; turn++) {
        const double decades = turn % 2 ? 4 : 6;
        clsolve_sparse_options options = {.form = CLSOLVE_SPARSE_SYMMETRIC};
        scratch_triplets A = pattern_make_symmetric(PATTERN_SADDLE, 900, options.form, 0, &random);
        double scale[900];
        for (int64_t k = 0; k < A.n; k++) scale[k] = pow(10, decades * test_random_signed(&random));
        for (int64_t e = 0; e < A.count; e++) A.at[e].value *= scale[A.at[e].row] * scale[A.at[e].column];
        const clsolve_sparse_analysis with = analysis_of(&A, &options);
        options.matching = CLSOLVE_CHOICE_OFF;
        const clsolve_sparse_analysis without = analysis_of(&A, &options);
        assert_true(without.delayed > A.n / 2 && with.delayed < without.delayed / 2);
        assert_true(!with.matched && !without.matched);
    }
}

/* Columns with a zero diagonal have one large element, in the last row, and small ones on the way: they go up through all
 * fronts. A matching pairs them. */
TEST(test_chain) {
    enum { LONG = 60, WAITING = 30 };
    clsolve_sparse_options options = {
        .form = CLSOLVE_SPARSE_SYMMETRIC, .order = CLSOLVE_ORDER_NATURAL, .amalgamation = CLSOLVE_CHOICE_OFF};
    scratch_triplets A = {.n = 2 * WAITING + LONG};
    for (int64_t k = 0; k < WAITING; k++) {
        triplets_add_both(&A, options.form, WAITING, k, 1e-6);
        triplets_add_both(&A, options.form, A.n - 1 - k, k, 1);
    }
    for (int64_t k = WAITING; k < A.n; k++) {
        triplets_add_both(&A, options.form, k, k, k % 2 ? 1 : -1);
        if (k > WAITING) triplets_add_both(&A, options.form, k, k - 1, 0.25);
    }
    triplets_sort(&A);
    const clsolve_sparse_analysis with = analysis_of(&A, &options);
    options.matching = CLSOLVE_CHOICE_OFF;
    const clsolve_sparse_analysis without = analysis_of(&A, &options);
    assert_true(without.delayed > 2 * A.n && !without.matched);
    assert_true(with.matched);
}

/* ---- singular matrices ---- */

/* Diagonal blocks whose elements are small integers, so that nothing is rounded: (1 1; 1 1), (0 1; 1 0), (-2), a row of
 * zeros, and a block of order 3 and rank 1. `dead`: how many eigenvalues are zero. */
static triplets integer_blocks(int kinds, clsolve_inertia *wanted) {
    static const struct {
        int64_t order;
        clsolve_inertia inertia;
        double value[9];
    } blocks[] = {{2, {1, 0, 1}, {1, 1, 1, 1}},
                  {2, {1, 1, 0}, {0, 1, 1, 0}},
                  {1, {0, 1, 0}, {-2}},
                  {1, {0, 0, 1}, {0}},
                  {3, {0, 1, 2}, {-1, -2, 1, -2, -4, 2, 1, 2, -1}}};
    triplets A = {0};
    *wanted = (clsolve_inertia){0};
    for (int k = 0; k < 40; k++) {
        const int kind = k % 5;
        if (!(kinds >> kind & 1)) continue;
        for (int64_t i = 0; i < blocks[kind].order; i++)
            for (int64_t j = 0; j < blocks[kind].order; j++)
                triplets_add(&A, A.n + i, A.n + j, blocks[kind].value[i + j * blocks[kind].order]);
        A.n += blocks[kind].order;
        wanted->positive += blocks[kind].inertia.positive;
        wanted->negative += blocks[kind].inertia.negative;
        wanted->zero += blocks[kind].inertia.zero;
    }
    triplets_sort(&A);
    return A;
}

TEST(test_singular) {
    for (int kinds = 0; kinds < 32; kinds++) {
        const clsolve_sparse_options options = {.form = CLSOLVE_SPARSE_SYMMETRIC};
        clsolve_inertia wanted, got;
        clsolve_report report;
        scratch_triplets A = integer_blocks(kinds, &wanted);
        OWNED(sparse) *sparse = factored(&A, CLSOLVE_F64, &options, wanted.zero > 0 ? CLSOLVE_SINGULAR : CLSOLVE_OK);
        EXPECT(context, clsolve_sparse_inertia(sparse, &got), CLSOLVE_OK, "");
        expect_inertia("singular", &got, &wanted);
        assert_int_equal(clsolve_sparse_report(sparse, &report), CLSOLVE_OK);
        assert_true((report.info > 0) == (wanted.zero > 0));
        if (wanted.zero > 0) {
            double b[64] = {0};
            clsolve_matrix B = clsolve_matrix_f64(A.n, 1, b);
            assert_true(isinf(report.direct.log_abs_det));
            EXPECT(context, clsolve_sparse_solve(sparse, CLSOLVE_NO_TRANS, &B), CLSOLVE_SINGULAR, "");
        }
    }
}

/* Factors with NaN are not counted: neither alone nor next to a singular block. */
TEST(test_overflow) {
    static const double huge[4][4] = {{.03, 1, 1, .9}, {1, .5, .2, .3}, {1, .2, .1, -.7}, {.9, .3, -.7, .2}};
    const clsolve_sparse_options options = {.form = CLSOLVE_SPARSE_SYMMETRIC, .matching = CLSOLVE_CHOICE_OFF};
    for (int64_t first = 0; first < 3; first += 2) {
        clsolve_inertia got;
        scratch_triplets A = {.n = first + 5};
        for (int64_t k = 0; k < first * first; k++) triplets_add(&A, k / 2, k % 2, 1);
        for (int64_t i = 0; i < 4; i++)
            for (int64_t j = 0; j < 4; j++) triplets_add(&A, first + i, first + j, huge[i][j] * 1e308);
        triplets_add(&A, first + 4, first + 4, 0x1p-1074); /* scaled, it would be zero */
        triplets_sort(&A);
        OWNED(sparse) *sparse = factored(&A, CLSOLVE_F64, &options, CLSOLVE_OVERFLOW);
        EXPECT(context, clsolve_sparse_inertia(sparse, &got), CLSOLVE_ERROR_STATE, "");
    }
}

/* ---- what is refused ---- */

TEST(test_contract) {
    static const int32_t start[] = {0, 2, 4}, column[] = {0, 1, 0, 1};
    double complex value[] = {1, CMPLX(2, 1), CMPLX(2, 1), 3}, turned[] = {1, CMPLX(2, 1), CMPLX(2, -1), 3};
    clsolve_csr A = {CLSOLVE_C64, CLSOLVE_I32, 0, 2, 2, start, column, value};
    clsolve_sparse_options options = {.form = CLSOLVE_SPARSE_HERMITIAN};
    clsolve_sparse *sparse;
    clsolve_inertia inertia;
    assert_int_equal(clsolve_sparse_inertia(NULL, &inertia), CLSOLVE_ERROR_INVALID_ARGUMENT);
    EXPECT(context, clsolve_sparse_create_csr(context, &A, &options, &sparse), CLSOLVE_OK, "");
    EXPECT(context, clsolve_sparse_inertia(sparse, &inertia), CLSOLVE_ERROR_STATE, "no factors");
    EXPECT(context, clsolve_sparse_inertia(sparse, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT, "inertia is NULL");
    EXPECT(context, clsolve_sparse_factor_csr(sparse, &A), CLSOLVE_ERROR_INVALID_ARGUMENT, "not hermitian");
    A.values = turned;
    EXPECT(context, clsolve_sparse_factor_csr(sparse, &A), CLSOLVE_OK, "");
    EXPECT(context, clsolve_sparse_inertia(sparse, &inertia), CLSOLVE_OK, "");
    expect_inertia("hermitian", &inertia, &(clsolve_inertia){1, 1, 0});
    clsolve_sparse_destroy(sparse);

    options.form = CLSOLVE_SPARSE_SYMMETRIC;
    EXPECT(context, clsolve_sparse_create_csr(context, &A, &options, &sparse), CLSOLVE_OK, "");
    EXPECT(context, clsolve_sparse_factor_csr(sparse, &A), CLSOLVE_ERROR_INVALID_ARGUMENT, "not symmetric");
    A.values = value;
    EXPECT(context, clsolve_sparse_factor_csr(sparse, &A), CLSOLVE_OK, "");
    EXPECT(context, clsolve_sparse_inertia(sparse, &inertia), CLSOLVE_ERROR_UNSUPPORTED, "hermitian");
    clsolve_sparse_destroy(sparse);

    clsolve_csr none = A;
    none.rows = none.cols = 0;
    EXPECT(context, clsolve_sparse_create_csr(context, &none, &options, &sparse), CLSOLVE_OK, "");
    EXPECT(context, clsolve_sparse_factor_csr(sparse, &none), CLSOLVE_OK, "");
    EXPECT(context, clsolve_sparse_inertia(sparse, &inertia), CLSOLVE_ERROR_UNSUPPORTED, "hermitian");
    clsolve_sparse_destroy(sparse);

    A.type = CLSOLVE_F64;
    A.values = (double[]){4, 1, 1, 2};
    for (int form = CLSOLVE_SPARSE_GENERAL; form <= CLSOLVE_SPARSE_POSITIVE_DEFINITE; form++) {
        options.form = (clsolve_sparse_form)form;
        EXPECT(context, clsolve_sparse_create_csr(context, &A, &options, &sparse), CLSOLVE_OK, "");
        EXPECT(context, clsolve_sparse_factor_csr(sparse, &A), CLSOLVE_OK, "");
        EXPECT(context, clsolve_sparse_inertia(sparse, &inertia),
               form == CLSOLVE_SPARSE_GENERAL ? CLSOLVE_ERROR_UNSUPPORTED : CLSOLVE_OK, "");
        if (form != CLSOLVE_SPARSE_GENERAL) expect_inertia("definite", &inertia, &(clsolve_inertia){2, 0, 0});
        clsolve_sparse_destroy(sparse);
    }
}

/* The structural rank counts both triangles, whichever is given. */
TEST(test_structure) {
    for (int part = CLSOLVE_SPARSE_WHOLE; part <= CLSOLVE_SPARSE_UPPER; part++) {
        const clsolve_sparse_options options = {.form = CLSOLVE_SPARSE_SYMMETRIC, .part = (clsolve_sparse_part)part};
        scratch_triplets A = {.n = 5};
        clsolve_inertia inertia;
        clsolve_sparse_analysis found;
        for (int64_t k = 0; k < 4; k++) { /* an arrow whose diagonal has one element */
            if (part != CLSOLVE_SPARSE_UPPER) triplets_add(&A, 4, k, 1 + (double)k);
            if (part != CLSOLVE_SPARSE_LOWER) triplets_add(&A, k, 4, 1 + (double)k);
        }
        triplets_add(&A, 4, 4, 1);
        triplets_sort(&A);
        OWNED(sparse) *sparse = factored(&A, CLSOLVE_F64, &options, CLSOLVE_SINGULAR);
        assert_non_null(strstr(clsolve_context_message(context), "structural rank is 2 of 5"));
        EXPECT(context, clsolve_sparse_get_analysis(sparse, &found), CLSOLVE_OK, "");
        assert_int_equal(found.structural_rank, 2);
        EXPECT(context, clsolve_sparse_inertia(sparse, &inertia), CLSOLVE_OK, "");
        expect_inertia("arrow", &inertia, &(clsolve_inertia){1, 1, 3});
    }
}

/*
 * (H B^T; B 0) with m rows of B, all of whose entries are in `columns` columns: its structural rank is at most n +
 * 2 columns. H is positive definite or zero. Where H is zero nothing is rounded before the zeros are left. Else the
 * counts are right or not known.
 */
TEST(test_structure_of_saddles) {
    enum { ROWS = 30, MOST = 6 };
    test_random random = test_random_start(5);
    for (int columns = 1; columns <= MOST; columns++)
        for (int definite = 0; definite < 2; definite++) {
            const clsolve_sparse_options options = {.form = CLSOLVE_SPARSE_SYMMETRIC};
            scratch_triplets A = {.n = ROWS + MOST};
            clsolve_inertia got;
            for (int64_t j = 0; j < MOST; j++)
                if (definite || j >= columns) triplets_add(&A, j, j, test_random_signed(&random) + 2);
            for (int64_t i = 0; i < ROWS; i++)
                for (int64_t j = 0; j < columns; j++) {
                    const double value = test_random_signed(&random);
                    triplets_add(&A, MOST + i, j, value);
                    triplets_add(&A, j, MOST + i, value);
                }
            triplets_sort(&A);
            clsolve_sparse *sparse = factored(&A, CLSOLVE_F64, &options, CLSOLVE_SINGULAR);
            const clsolve_status status = clsolve_sparse_inertia(sparse, &got);
            assert_true(status == CLSOLVE_OK || (definite && status == CLSOLVE_ERROR_STATE));
            if (status == CLSOLVE_OK) expect_inertia("saddle", &got, &(clsolve_inertia){MOST, columns, ROWS - columns});
            clsolve_sparse_destroy(sparse);
        }
}

int main(void) {
    if (clsolve_context_create("host", &context) != CLSOLVE_OK) return 1;
    const int failed = test_run(NULL, NULL);
    clsolve_context_destroy(context);
    return failed;
}
