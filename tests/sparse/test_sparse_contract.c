/* Sparse systems: statuses, messages, what stays after a failure, and what report, analysis and permutations say. */
#include "base/type.h"
#include "sparse/patterns.h"
#include "support/fixture.h"

/* | 4 1 0 0 |
 * | 1 4 1 0 |
 * | 0 1 4 1 |
 * | 0 0 1 4 | */
enum { N = 4, ENTRIES = 10 };
static const int32_t start4[N + 1] = {0, 2, 5, 8, 10}, column4[ENTRIES] = {0, 1, 0, 1, 2, 1, 2, 3, 2, 3};
static const double value4[ENTRIES] = {4, 1, 1, 4, 1, 1, 4, 1, 1, 4};

static clsolve_csr view4(const double *values) {
    return clsolve_csr_f64(N, start4, column4, values);
}

/* Each engine, and Cholesky. */
enum { FRONTS, KLU, CHOLESKY, ENGINES };
static clsolve_sparse_options options_of(int engine) {
    return (clsolve_sparse_options){.form =
                                        engine == CHOLESKY ? CLSOLVE_SPARSE_POSITIVE_DEFINITE : CLSOLVE_SPARSE_GENERAL,
                                    .engine = engine == KLU      ? CLSOLVE_SPARSE_KLU
                                              : engine == FRONTS ? CLSOLVE_SPARSE_MULTIFRONTAL
                                                                 : CLSOLVE_SPARSE_AUTO};
}

/* The factors in use are those of `scale` times the matrix. */
static void expect_factors(clsolve_sparse *sparse, double scale) {
    double b[N] = {5 * scale, 6 * scale, 6 * scale, 5 * scale};
    clsolve_matrix B = clsolve_matrix_f64(N, 1, b);
    EXPECT(context, clsolve_sparse_solve(sparse, CLSOLVE_NO_TRANS, &B), CLSOLVE_OK, "");
    for (int i = 0; i < N; i++) assert_true(fabs(b[i] - 1) < 1e-14);
}

/* A failed solve leaves B as it was. */
static void expect_no_solution(clsolve_sparse *sparse, const double *b, clsolve_status wanted, const char *words) {
    double kept[N];
    memcpy(kept, b, sizeof kept);
    clsolve_matrix B = clsolve_matrix_f64(N, 1, kept);
    EXPECT(context, clsolve_sparse_solve(sparse, CLSOLVE_NO_TRANS, &B), wanted, words);
    assert_memory_equal(kept, b, sizeof kept);
    assert_int_equal(sparse_report(context, sparse).status, wanted);
}

static const double ones[N] = {1, 1, 1, 1};

/* ---- arguments ---- */

static void refuse(const clsolve_csr *A, clsolve_sparse_options options, clsolve_status wanted, const char *words) {
    clsolve_sparse *sparse = (clsolve_sparse *)(uintptr_t)8;
    EXPECT(context, clsolve_sparse_create_csr(context, A, &options, &sparse), wanted, words);
    assert_null(sparse);
}

TEST(test_pattern) {
    int32_t start[N + 1], column[ENTRIES];
    const clsolve_sparse_options none = {0};
    const clsolve_status invalid = CLSOLVE_ERROR_INVALID_ARGUMENT;
    clsolve_csr A = clsolve_csr_f64(N, start, column, value4);
    memcpy(start, start4, sizeof start);
    memcpy(column, column4, sizeof column);
    start[0] = 1;
    refuse(&A, none, invalid, "begins with 1");
    start[0] = 0;
    start[2] = 1;
    refuse(&A, none, invalid, "falls from 2 to 1 after row 1, counted from 0");
    start[2] = 5;
    column[4] = 4;
    refuse(&A, none, invalid, "row 1 of A has an entry in column 4");
    column[4] = -1;
    refuse(&A, none, invalid, "row 1 of A has an entry in column -1");
    A.base = 1;
    refuse(&A, none, invalid, "begins with 0");
    A.base = 2;
    refuse(&A, none, invalid, "base of A is 2");
    A = view4(value4);
    A.cols = 5;
    refuse(&A, none, invalid, "4 x 5");
    A.cols = A.rows = -1;
    refuse(&A, none, invalid, "-1 x -1");
    A = view4(value4);
    A.row_start = NULL;
    refuse(&A, none, invalid, "row_start of A is NULL");
    A = view4(value4);
    A.column = NULL;
    refuse(&A, none, invalid, "column of A is NULL");
    A = view4(value4);
    A.type = (clsolve_type)9;
    refuse(&A, none, invalid, "type of A is 9");
    A = view4(value4);
    A.index = (clsolve_index)3;
    refuse(&A, none, invalid, "index type of A is 3");
    refuse(NULL, none, invalid, "A is NULL");
}

#define REFUSE_OPTION(wanted, words, ...) refuse(&A, (clsolve_sparse_options){__VA_ARGS__}, wanted, words)

TEST(test_options) {
    static const int64_t twice[N] = {0, 1, 2, 1}, outside[N] = {0, 1, 2, 4}, below[N] = {3, -1, 0, 1};
    const clsolve_status invalid = CLSOLVE_ERROR_INVALID_ARGUMENT, unsupported = CLSOLVE_ERROR_UNSUPPORTED;
    const clsolve_csr A = view4(value4);
    REFUSE_OPTION(invalid, "no form 4", .form = (clsolve_sparse_form)4);
    REFUSE_OPTION(invalid, "no part 3", .form = CLSOLVE_SPARSE_POSITIVE_DEFINITE, .part = (clsolve_sparse_part)3);
    REFUSE_OPTION(invalid, "part LOWER", .part = CLSOLVE_SPARSE_UPPER);
    REFUSE_OPTION(invalid, "no order 6", .order = (clsolve_sparse_order)6);
    REFUSE_OPTION(invalid, "permutation", .order = CLSOLVE_ORDER_GIVEN);
    REFUSE_OPTION(invalid, "permutation", .permutation = twice);
    REFUSE_OPTION(invalid, "permutation[3] is 1", .order = CLSOLVE_ORDER_GIVEN, .permutation = twice);
    REFUSE_OPTION(invalid, "permutation[3] is 4", .order = CLSOLVE_ORDER_GIVEN, .permutation = outside);
    REFUSE_OPTION(invalid, "permutation[1] is -1", .order = CLSOLVE_ORDER_GIVEN, .permutation = below);
    REFUSE_OPTION(invalid, "no engine 3", .engine = (clsolve_sparse_engine)3);
    REFUSE_OPTION(invalid, "matching is 3", .matching = (clsolve_choice)3);
    REFUSE_OPTION(invalid, "amalgamation 4", .amalgamation = (clsolve_choice)4);
    REFUSE_OPTION(invalid, "threshold is -0.5", .threshold = -0.5);
    REFUSE_OPTION(invalid, "threshold is 1.5", .threshold = 1.5);
    REFUSE_OPTION(invalid, "threshold is", .threshold = NAN);
    REFUSE_OPTION(invalid, "threads is -1", .threads = -1);
    REFUSE_OPTION(invalid, "memory_limit -1", .memory_limit = -1);
    REFUSE_OPTION(invalid, "rcond", .rcond = 2);
    REFUSE_OPTION(invalid, "where", .where = (clsolve_where)7);
    REFUSE_OPTION(invalid, "reserved", .reserved = {0, 0, 0, 1});
    REFUSE_OPTION(unsupported, "no kernels", .where = CLSOLVE_WHERE_DEVICE); /* a context of the host alone */
    REFUSE_OPTION(unsupported, "KLU", .where = CLSOLVE_WHERE_DEVICE, .engine = CLSOLVE_SPARSE_KLU);
    REFUSE_OPTION(unsupported, "KLU", .engine = CLSOLVE_SPARSE_KLU, .form = CLSOLVE_SPARSE_POSITIVE_DEFINITE);
    REFUSE_OPTION(unsupported, "KLU", .engine = CLSOLVE_SPARSE_KLU, .form = CLSOLVE_SPARSE_HERMITIAN);
    REFUSE_OPTION(unsupported, "KLU", .engine = CLSOLVE_SPARSE_KLU, .order = CLSOLVE_ORDER_METIS);
    REFUSE_OPTION(unsupported, "KLU", .engine = CLSOLVE_SPARSE_KLU, .order = CLSOLVE_ORDER_NESTED);
    REFUSE_OPTION(unsupported, "matching", .engine = CLSOLVE_SPARSE_KLU, .matching = CLSOLVE_CHOICE_ON);
}

TEST(test_null) {
    const clsolve_status invalid = CLSOLVE_ERROR_INVALID_ARGUMENT;
    const clsolve_csr A = view4(value4);
    clsolve_sparse_analysis analysis;
    clsolve_report report;
    OWNED(sparse) *sparse = (clsolve_sparse *)(uintptr_t)8;
    clsolve_matrix B = clsolve_matrix_f64(N, 1, NULL);
    int64_t order[N];
    assert_int_equal(clsolve_sparse_create_csr(NULL, &A, NULL, &sparse), invalid);
    assert_null(sparse);
    EXPECT(context, clsolve_sparse_create_csr(context, &A, NULL, NULL), invalid, "sparse is NULL");
    assert_int_equal(clsolve_sparse_factor_csr(NULL, &A), invalid);
    assert_int_equal(clsolve_sparse_solve(NULL, CLSOLVE_NO_TRANS, &B), invalid);
    assert_int_equal(clsolve_sparse_get_analysis(NULL, &analysis), invalid);
    assert_int_equal(clsolve_sparse_permutations(NULL, order, order), invalid);
    assert_int_equal(clsolve_sparse_report(NULL, &report), invalid);
    clsolve_sparse_destroy(NULL);
    sparse = sparse_create(context, &A, NULL);
    EXPECT(context, clsolve_sparse_factor_csr(sparse, NULL), invalid, "A is NULL");
    EXPECT(context, clsolve_sparse_get_analysis(sparse, NULL), invalid, "analysis is NULL");
    EXPECT(context, clsolve_sparse_report(sparse, NULL), invalid, "report is NULL");
    EXPECT(context, clsolve_sparse_factor_csr(sparse, &A), CLSOLVE_OK, "");
    EXPECT(context, clsolve_sparse_solve(sparse, CLSOLVE_NO_TRANS, NULL), invalid, "B is NULL");
    EXPECT(context, clsolve_sparse_solve(sparse, CLSOLVE_NO_TRANS, &B), invalid, "B");
    EXPECT(context, clsolve_sparse_permutations(sparse, NULL, NULL), CLSOLVE_OK, "");
    EXPECT(context, clsolve_sparse_permutations(sparse, NULL, order), CLSOLVE_OK, "");
    EXPECT(context, clsolve_sparse_permutations(sparse, order, NULL), CLSOLVE_OK, "");
    assert_true(is_permutation(order, N));
}

/* ---- B ---- */

TEST(test_right_side) {
    const clsolve_csr A = view4(value4);
    double b[N + 1] = {1, 2, 3, 4, 5};
    clsolve_matrix B = clsolve_matrix_f64(N, 1, b);
    for (int engine = 0; engine < ENGINES; engine++) {
        const clsolve_sparse_options options = options_of(engine);
        OWNED(sparse) *sparse = sparse_create(context, &A, &options);
        expect_no_solution(sparse, ones, CLSOLVE_ERROR_STATE, "no factors");
        EXPECT(context, clsolve_sparse_permutations(sparse, NULL, NULL), CLSOLVE_OK, "");
        EXPECT(context, clsolve_sparse_factor_csr(sparse, &A), CLSOLVE_OK, "");
        B.rows = N + 1;
        EXPECT(context, clsolve_sparse_solve(sparse, CLSOLVE_NO_TRANS, &B), CLSOLVE_ERROR_INVALID_ARGUMENT, "B");
        B.rows = N;
        B.type = CLSOLVE_F32;
        EXPECT(context, clsolve_sparse_solve(sparse, CLSOLVE_NO_TRANS, &B), CLSOLVE_ERROR_INVALID_ARGUMENT, "B");
        B.type = CLSOLVE_F64;
        EXPECT(context, clsolve_sparse_solve(sparse, (clsolve_op)9, &B), CLSOLVE_ERROR_INVALID_ARGUMENT, "op");
        expect_no_solution(sparse, (double[N]){1, NAN, 1, 1}, CLSOLVE_ERROR_NONFINITE, "B holds NaN or Inf");
        expect_no_solution(sparse, (double[N]){1, 1, 1, -INFINITY}, CLSOLVE_ERROR_NONFINITE, "B holds NaN or Inf");
        expect_factors(sparse, 1);
    }
}

/* ---- A of factor ---- */

TEST(test_other_matrix) {
    double scaled[ENTRIES], wrong[ENTRIES];
    int32_t column[ENTRIES], start[N + 1] = {0, 2, 4, 8, 10};
    const clsolve_status invalid = CLSOLVE_ERROR_INVALID_ARGUMENT;
    for (int e = 0; e < ENTRIES; e++) scaled[e] = 3 * value4[e];
    memcpy(column, column4, sizeof column);
    column[1] = 2;
    for (int engine = 0; engine < ENGINES; engine++) {
        const clsolve_sparse_options options = options_of(engine);
        clsolve_csr A = view4(value4);
        clsolve_sparse *sparse = sparse_create(context, &A, &options);
        A.values = scaled;
        EXPECT(context, clsolve_sparse_factor_csr(sparse, &A), CLSOLVE_OK, "");
        A.column = column;
        EXPECT(context, clsolve_sparse_factor_csr(sparse, &A), invalid,
               "row 0 of A, counted from 0, has another pattern");
        A = clsolve_csr_f64(N, start, column4, value4);
        EXPECT(context, clsolve_sparse_factor_csr(sparse, &A), invalid, "has another pattern");
        A = clsolve_csr_f64(N - 1, start4, column4, value4);
        EXPECT(context, clsolve_sparse_factor_csr(sparse, &A), invalid, "3 rows");
        A = clsolve_csr_c64(N, start4, column4, value4);
        EXPECT(context, clsolve_sparse_factor_csr(sparse, &A), invalid, "type");
        A = view4(NULL);
        EXPECT(context, clsolve_sparse_factor_csr(sparse, &A), invalid, "NULL");
        for (int e = 0; e < ENTRIES; e++) {
            A = view4(wrong);
            memcpy(wrong, value4, sizeof wrong);
            wrong[e] = e % 2 ? NAN : INFINITY;
            EXPECT(context, clsolve_sparse_factor_csr(sparse, &A), CLSOLVE_ERROR_NONFINITE, "is NaN or Inf");
            assert_int_equal(sparse_report(context, sparse).status, CLSOLVE_ERROR_NONFINITE);
        }
        expect_factors(sparse, 3);
        clsolve_sparse_destroy(sparse);
        clsolve_csr B = view4(wrong);
        EXPECT(context, clsolve_sparse_create_csr(context, &B, &options, &sparse), CLSOLVE_ERROR_NONFINITE, "A(4,4)");
    }
}

/* Refused values leave the outcome of the factorization before, whether the values come in A or alone. */
TEST(test_refused) {
    double wrong[ENTRIES], zeros[ENTRIES] = {0};
    memcpy(wrong, value4, sizeof wrong);
    wrong[3] = NAN;
    for (int engine = 0; engine < ENGINES; engine++)
        for (int alone = 0; alone < 2; alone++) {
            const clsolve_sparse_options options = options_of(engine);
            clsolve_csr A = view4(value4), bad = view4(wrong);
            const clsolve_matrix values = clsolve_matrix_f64(ENTRIES, 1, wrong);
            OWNED(sparse) *sparse = sparse_create(context, &A, &options);
            for (int step = 0; step < 3; step++) { /* nothing was factored, then a singular A, then a regular one */
                A.values = step == 1 ? zeros : value4;
                const clsolve_status before = step == 0   ? CLSOLVE_ERROR_STATE
                                              : step == 1 ? clsolve_sparse_factor_csr(sparse, &A)
                                                          : CLSOLVE_OK;
                if (step == 1) assert_true(before == CLSOLVE_SINGULAR || before == CLSOLVE_NOT_POSITIVE_DEFINITE);
                if (step == 2) EXPECT(context, clsolve_sparse_factor_csr(sparse, &A), CLSOLVE_OK, "");
                const clsolve_report known = sparse_report(context, sparse);
                const clsolve_status status =
                    alone ? clsolve_sparse_factor_values(sparse, &values) : clsolve_sparse_factor_csr(sparse, &bad);
                assert_int_equal(status, CLSOLVE_ERROR_NONFINITE);
                const clsolve_report now = sparse_report(context, sparse);
                assert_int_equal(now.status, CLSOLVE_ERROR_NONFINITE);
                assert_int_equal(now.info, known.info);
                assert_int_equal(now.direct.det_sign, known.direct.det_sign);
                assert_memory_equal(&now.direct.inertia, &known.direct.inertia, sizeof now.direct.inertia);
                if (step < 2)
                    expect_no_solution(sparse, ones, before, step == 0 ? "there are no factors" : "found the matrix");
                else
                    expect_factors(sparse, 1);
            }
        }
}

/* The view of factor may have another index type and base than that of create. */
TEST(test_other_form) {
    int64_t start[N + 1], column[ENTRIES];
    for (int i = 0; i <= N; i++) start[i] = start4[i] + 1;
    for (int e = 0; e < ENTRIES; e++) column[e] = column4[e] + 1;
    const clsolve_csr A = view4(value4);
    clsolve_csr other = clsolve_csr_i64_f64(N, start, column, value4);
    other.base = 1;
    OWNED(sparse) *sparse = sparse_create(context, &A, NULL);
    EXPECT(context, clsolve_sparse_factor_csr(sparse, &other), CLSOLVE_OK, "");
    expect_factors(sparse, 1);
}

TEST(test_symmetry) {
    static const int32_t start[3] = {0, 2, 3}, column[3] = {0, 1, 1};
    const clsolve_sparse_options options = options_of(CHOLESKY);
    double wrong[ENTRIES], lonely[3] = {1, 0, 1};
    clsolve_csr A = view4(wrong);
    memcpy(wrong, value4, sizeof wrong);
    clsolve_sparse *sparse = sparse_create(context, &A, &options);
    EXPECT(context, clsolve_sparse_factor_csr(sparse, &A), CLSOLVE_OK, "");
    wrong[5] = 1.5;
    EXPECT(context, clsolve_sparse_factor_csr(sparse, &A), CLSOLVE_ERROR_INVALID_ARGUMENT, "not symmetric: A(2,3)");
    expect_factors(sparse, 1);
    clsolve_sparse_destroy(sparse);
    A = clsolve_csr_f64(2, start, column, lonely); /* a zero without a partner is symmetric, another number is not */
    sparse = sparse_create(context, &A, &options);
    EXPECT(context, clsolve_sparse_factor_csr(sparse, &A), CLSOLVE_OK, "");
    lonely[1] = 0.5;
    EXPECT(context, clsolve_sparse_factor_csr(sparse, &A), CLSOLVE_ERROR_INVALID_ARGUMENT, "not symmetric: A(1,2)");
    clsolve_sparse_destroy(sparse);
}

/* Imaginary parts on the diagonal of a hermitian matrix count as zeros, whatever they are. */
TEST(test_hermitian) {
    static const int32_t start[3] = {0, 2, 4}, column[4] = {0, 1, 0, 1};
    double values[2 * 4] = {2, 0.25, 1, 1, 1, -1, 3, NAN};
    const clsolve_csr A = clsolve_csr_c64(2, start, column, values);
    for (clsolve_sparse_part part = CLSOLVE_SPARSE_WHOLE; part <= CLSOLVE_SPARSE_UPPER; part++) {
        double b[2 * 2] = {3, 1, 4, -1};
        clsolve_matrix B = clsolve_matrix_c64(2, 1, b);
        clsolve_sparse_options options = options_of(CHOLESKY);
        options.part = part;
        OWNED(sparse) *sparse = sparse_create(context, &A, &options);
        EXPECT(context, clsolve_sparse_factor_csr(sparse, &A), CLSOLVE_OK, "");
        EXPECT(context, clsolve_sparse_solve(sparse, CLSOLVE_NO_TRANS, &B), CLSOLVE_OK, "");
        for (int k = 0; k < 4; k++) assert_true(fabs(b[k] - (k % 2 == 0)) < 1e-14);
        values[5] = -2;
        const clsolve_status wanted = part == CLSOLVE_SPARSE_WHOLE ? CLSOLVE_ERROR_INVALID_ARGUMENT : CLSOLVE_OK;
        if (part != CLSOLVE_SPARSE_LOWER)
            EXPECT(context, clsolve_sparse_factor_csr(sparse, &A), wanted, wanted ? "not hermitian: A(1,2)" : "");
        values[5] = -1;
    }
}

/* NaN in the triangle that is not read. */
TEST(test_not_read) {
    for (clsolve_sparse_part part = CLSOLVE_SPARSE_LOWER; part <= CLSOLVE_SPARSE_UPPER; part++) {
        double values[ENTRIES];
        clsolve_sparse_options options = options_of(CHOLESKY);
        options.part = part;
        int row = 0;
        for (int e = 0; e < ENTRIES; e++) {
            while (e >= start4[row + 1]) row++;
            const int read = part == CLSOLVE_SPARSE_LOWER ? column4[e] <= row : column4[e] >= row;
            values[e] = read ? value4[e] : NAN;
        }
        const clsolve_csr A = view4(values);
        OWNED(sparse) *sparse = sparse_create(context, &A, &options);
        EXPECT(context, clsolve_sparse_factor_csr(sparse, &A), CLSOLVE_OK, "");
        expect_factors(sparse, 1);
    }
}

/* ---- memory, values that come later ---- */

TEST(test_memory_limit) {
    const clsolve_csr A = view4(value4), pattern = view4(NULL);
    for (int engine = 0; engine < ENGINES; engine++) {
        clsolve_sparse_options options = options_of(engine);
        options.memory_limit = 8;
        refuse(&A, options, CLSOLVE_ERROR_OUT_OF_MEMORY, "memory_limit is");
        options.order = CLSOLVE_ORDER_NATURAL;
        refuse(&A, options, CLSOLVE_ERROR_OUT_OF_MEMORY, "memory_limit is");
        if (engine == CHOLESKY) continue;
        clsolve_sparse *sparse = sparse_create(context, &pattern, &options);
        for (int again = 0; again < 2; again++) {
            EXPECT(context, clsolve_sparse_factor_csr(sparse, &A), CLSOLVE_ERROR_OUT_OF_MEMORY, "memory_limit is");
            expect_no_solution(sparse, ones, CLSOLVE_ERROR_STATE, "no factors");
        }
        clsolve_sparse_destroy(sparse);
        options.memory_limit = 100000;
        sparse = sparse_create(context, &A, &options);
        clsolve_sparse_destroy(sparse);
    }
}

TEST(test_values_later) {
    const clsolve_csr A = view4(value4), pattern = view4(NULL);
    clsolve_sparse_analysis analysis;
    for (int engine = 0; engine < ENGINES; engine++) {
        const clsolve_sparse_options options = options_of(engine);
        OWNED(sparse) *sparse = sparse_create(context, &pattern, &options);
        const clsolve_status before = engine == CHOLESKY ? CLSOLVE_OK : CLSOLVE_ERROR_STATE;
        EXPECT(context, clsolve_sparse_get_analysis(sparse, &analysis), before, "");
        EXPECT(context, clsolve_sparse_permutations(sparse, NULL, NULL), before, "");
        EXPECT(context, clsolve_sparse_factor_csr(sparse, &pattern), CLSOLVE_ERROR_INVALID_ARGUMENT, "NULL");
        EXPECT(context, clsolve_sparse_factor_csr(sparse, &A), CLSOLVE_OK, "");
        EXPECT(context, clsolve_sparse_get_analysis(sparse, &analysis), CLSOLVE_OK, "");
        assert_string_equal(analysis.engine, engine == KLU ? "klu" : "multifrontal");
        expect_factors(sparse, 1);
    }
}

/* ---- the order before a factorization ---- */

/* Large entries at (i, i + 1): the matching, or for KLU the block triangular form, pairs these, because nothing else is
 * there. Pivots on such places keep the order of the analysis. */
TEST(test_order) {
    static const int64_t start[N + 1] = {0, 1, 2, 3, 4}, column[N] = {1, 2, 3, 0}, given[N] = {2, 0, 3, 1};
    static const double value[N] = {3, 4, 5, 6};
    const clsolve_csr cycle = clsolve_csr_i64_f64(N, start, column, value), A = view4(value4);
    int64_t before[2][N], after[2][N];
    for (int engine = 0; engine < ENGINES; engine++) {
        clsolve_sparse_options options = options_of(engine);
        options.order = CLSOLVE_ORDER_GIVEN;
        options.permutation = given;
        for (int cycles = 0; cycles < (engine == CHOLESKY ? 1 : 2); cycles++) {
            const clsolve_csr *matrix = cycles ? &cycle : &A;
            if (cycles) options = options_of(engine);
            OWNED(sparse) *sparse = sparse_create(context, matrix, &options);
            EXPECT(context, clsolve_sparse_permutations(sparse, before[0], before[1]), CLSOLVE_OK, "");
            for (int k = 0; k < N && !cycles; k++)
                assert_true(is_permutation(before[1], N) && before[0][k] == before[1][k]);
            for (int k = 0; k < N && cycles; k++) assert_int_equal(before[1][k], (before[0][k] + 1) % N);
            EXPECT(context, clsolve_sparse_factor_csr(sparse, matrix), CLSOLVE_OK, "");
            EXPECT(context, clsolve_sparse_permutations(sparse, after[0], after[1]), CLSOLVE_OK, "");
            assert_memory_equal(before, after, sizeof before);
        }
    }
}

/* ---- progress ---- */

typedef struct steps {
    int count;
    double last;
} steps;

static void take_step(void *user, const char *phase, double fraction) {
    steps *s = user;
    assert_non_null(phase);
    assert_true(fraction >= s->last && fraction <= 1);
    s->last = fraction;
    s->count++;
}

TEST(test_progress) {
    const clsolve_csr A = view4(value4);
    for (int engine = 0; engine < ENGINES; engine++) {
        steps s = {0};
        clsolve_sparse_options options = options_of(engine);
        options.progress = take_step;
        options.progress_user = &s;
        OWNED(sparse) *sparse = sparse_create(context, &A, &options);
        assert_true(s.count > 0 && s.last == 1);
    }
}

TEST_PROGRAM_ALONE(open_host, close_context)
