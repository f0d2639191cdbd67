/* Sparse systems of every kind with a device's numbers (solving.h): fewer cases, because launches take long on a CPU. */
#include "api/context.h"
#include "sparse/solving.h"

TEST(test_general) {
    static const int64_t sizes[] = {1, 5, 64};
    test_random random = test_random_start(1);
    int64_t turn = 0;
    for (int kind = 0; kind < PATTERNS; kind++)
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
            run_general((pattern)kind, sizes[s], turn++, &random);
}

/* A grid of three dimensions whose fronts have several panels and tiles, real and complex. */
TEST(test_fronts) {
    test_random random = test_random_start(2);
    const int64_t before = alone;
    run_general(PATTERN_GRID3, 1000, 3, &random);
    run_general(PATTERN_GRID3, 1000, 6, &random);
    assert_int_equal(alone, before);               /* the host need not help */
    run_general(PATTERN_SADDLE, 307, 20, &random); /* without a matching: the host has to help */
}

TEST(test_definite) {
    static const int64_t sizes[] = {1, 5};
    test_random random = test_random_start(4);
    const int64_t before = alone;
    int64_t turn = 0;
    for (int kind = 0; kind < PATTERNS; kind++)
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
            run_one_sided(CLSOLVE_SPARSE_POSITIVE_DEFINITE, (pattern)kind, sizes[s], turn++, &random);
    run_one_sided(CLSOLVE_SPARSE_POSITIVE_DEFINITE, PATTERN_RANDOM, 801, 1, &random);
    for (turn = 28; turn < 36; turn++)
        run_one_sided(CLSOLVE_SPARSE_POSITIVE_DEFINITE, PATTERN_GRID2, 60, turn, &random);
    assert_int_equal(alone, before);
}

/* Determinant and sign are those of the host's factors. */
static void check_determinant(const trial *t, clsolve_sparse *sparse) {
    clsolve_sparse_options options = t->options;
    OWNED(sparse) *host = NULL;
    clsolve_report here, there_too;
    options.where = CLSOLVE_WHERE_HOST;
    check(t, clsolve_sparse_create_csr(context, &t->rows->view, &options, &host), "create");
    check(t, clsolve_sparse_factor_csr(host, &t->rows->view), "factor");
    check(t, clsolve_sparse_report(host, &here), "report");
    check(t, clsolve_sparse_report(sparse, &there_too), "report");
    assert_true(fabs(here.direct.log_abs_det - there_too.direct.log_abs_det) < 1e-9 * fabs(here.direct.log_abs_det));
    assert_int_equal(here.direct.det_sign, there_too.direct.det_sign);
}

/* The same values give the same bits, however work-groups follow each other. */
TEST(test_same_bits) {
    test_random random = test_random_start(5);
    scratch_triplets A = pattern_make(PATTERN_GRID3, 512, &random);
    scratch_csr rows = csr_make(&A, &(csr_form){.type = CLSOLVE_F64, .index = CLSOLVE_I32}, &random);
    const clsolve_sparse_options options = {.where = CLSOLVE_WHERE_DEVICE};
    const trial t = {.A = &A, .rows = &rows, .options = options, .about = "the same values"};
    double *B[2] = {test_elements(CLSOLVE_F64, A.n), test_elements(CLSOLVE_F64, A.n)};
    clsolve_sparse *sparse = NULL;
    check(&t, clsolve_sparse_create_csr(context, &rows.view, &options, &sparse), "create");
    for (int again = 0; again < 2; again++) {
        clsolve_matrix view = clsolve_matrix_f64(A.n, 1, B[again]);
        for (int64_t i = 0; i < A.n; i++) B[again][i] = (double)(i % 7) - 3;
        check(&t, clsolve_sparse_factor_csr(sparse, &rows.view), "factor");
        check(&t, clsolve_sparse_solve(sparse, CLSOLVE_NO_TRANS, &view), "solve");
    }
    assert_memory_equal(B[0], B[1], (size_t)A.n * sizeof *B[0]);
    check_determinant(&t, sparse);
    clsolve_sparse_destroy(sparse);
    free(B[0]);
    free(B[1]);
}

/* ---- launches, bytes and memory of a factorization ---- */

/* `copies` of A as the blocks of a diagonal. */
static triplets repeated(const triplets *A, int64_t copies) {
    triplets all = {.n = copies * A->n};
    for (int64_t c = 0; c < copies; c++)
        for (int64_t e = 0; e < A->count; e++)
            triplets_add(&all, c * A->n + A->at[e].row, c * A->n + A->at[e].column, A->at[e].value);
    return all;
}

typedef struct counted {
    int64_t fronts, levels, factor, solve; /* launches */
} counted;

/* New values of A, whose blocks are eliminated in the same order. A later factorization moves 8 bytes an entry up, and
 * no memory. */
static counted count_launches(const triplets *block, int64_t copies, const int64_t *order) {
    scratch_triplets A = repeated(block, copies);
    scratch_csr rows = csr_make(&A, &(csr_form){.type = CLSOLVE_F64, .index = CLSOLVE_I32}, NULL);
    SCRATCH int64_t *whole = calloc((size_t)A.n, sizeof *whole);
    SCRATCH double *B = test_elements(CLSOLVE_F64, A.n);
    for (int64_t k = 0; k < A.n; k++) whole[k] = k / block->n * block->n + order[k % block->n];
    const clsolve_sparse_options options = {
        .where = CLSOLVE_WHERE_DEVICE, .order = CLSOLVE_ORDER_GIVEN, .permutation = whole};
    const trial t = {.A = &A, .rows = &rows, .options = options, .about = "launches"};
    clsolve_matrix x = clsolve_matrix_f64(A.n, 1, B);
    clsolve_sparse *sparse = NULL;
    clsolve_sparse_analysis analysis;
    clsolve_report report;
    counted found = {0};
    check(&t, clsolve_sparse_create_csr(context, &rows.view, &options, &sparse), "create");
    for (int again = 0; again < 3; again++) {
        const cls_counters before = context->device->counters;
        check(&t, clsolve_sparse_factor_csr(sparse, &rows.view), "factor");
        const cls_counters factored = cls_counters_since(&context->device->counters, &before);
        if (again == 2) {
            check(&t, clsolve_sparse_report(sparse, &report), "report");
            const int64_t bytes = strcmp(report.precision, "double") == 0 ? 8 : 4;
            assert_int_equal(factored.bytes_up, bytes * A.count);
            assert_int_equal(context->device->counters.buffers, before.buffers);
            assert_int_equal(context->device->counters.buffer_bytes, before.buffer_bytes);
        }
        const int64_t launches = context->device->counters.launches;
        found.factor = launches - before.launches;
        for (int64_t i = 0; i < A.n; i++) B[i] = (double)(i % 7) - 3;
        check(&t, clsolve_sparse_solve(sparse, CLSOLVE_NO_TRANS, &x), "solve");
        found.solve = context->device->counters.launches - launches;
    }
    check(&t, clsolve_sparse_get_analysis(sparse, &analysis), "get_analysis");
    found.fronts = analysis.fronts;
    found.levels = analysis.levels;
    clsolve_sparse_destroy(sparse);
    return found;
}

/* Launches of a level go by its classes of fronts: twice as many fronts of the same sizes take no more of them. Each class
 * has more than 256 fronts, so that none joins another one. */
TEST(test_launches) {
    test_random random = test_random_start(6);
    scratch_triplets A = pattern_make(PATTERN_GRID2, 100, &random);
    scratch_csr rows = csr_make(&A, &(csr_form){.type = CLSOLVE_F64, .index = CLSOLVE_I32}, NULL);
    const clsolve_sparse_options options = {.where = CLSOLVE_WHERE_HOST, .order = CLSOLVE_ORDER_NESTED};
    const trial t = {.A = &A, .rows = &rows, .options = options, .about = "order"};
    SCRATCH int64_t *order = calloc((size_t)A.n, sizeof *order);
    clsolve_sparse *sparse = NULL;
    check(&t, clsolve_sparse_create_csr(context, &rows.view, &options, &sparse), "create");
    check(&t, clsolve_sparse_permutations(sparse, NULL, order), "permutations");
    clsolve_sparse_destroy(sparse);
    const counted some = count_launches(&A, 260, order), many = count_launches(&A, 520, order);
    assert_true(some.levels > 2 && some.fronts > 260 * some.levels); /* several classes a level */
    assert_int_equal(many.fronts, 2 * some.fronts);
    assert_int_equal(many.levels, some.levels);
    assert_true(some.factor > 0 && many.factor == some.factor);
    assert_true(some.solve > 0 && many.solve == some.solve);
}

/* ---- vectors on the device ---- */

/* B of nrhs columns, times 2^exponent. */
static void fill_columns(double *B, int64_t n, int64_t nrhs, int exponent) {
    for (int64_t k = 0; k < n * nrhs; k++) B[k] = ldexp((double)(k % 11) - 4.5, exponent);
}

/* A solve moves B up and X down, and some numbers of each column and step; in chunks, if B has many columns. */
TEST(test_crossing) {
    test_random random = test_random_start(6);
    scratch_triplets A = pattern_make(PATTERN_GRID2, 100, &random);
    scratch_csr rows = csr_make(&A, &(csr_form){.type = CLSOLVE_F64, .index = CLSOLVE_I32}, &random);
    const clsolve_sparse_options options = {.where = CLSOLVE_WHERE_DEVICE};
    const trial t = {.A = &A, .rows = &rows, .options = options, .about = "bytes of a solve"};
    OWNED(sparse) *sparse = NULL;
    clsolve_report before, after;
    SCRATCH double *B = test_elements(CLSOLVE_F64, 20 * A.n);
    check(&t, clsolve_sparse_create_csr(context, &rows.view, &options, &sparse), "create");
    check(&t, clsolve_sparse_factor_csr(sparse, &rows.view), "factor");
    check(&t, clsolve_sparse_report(sparse, &before), "report");
    for (int again = 0; again < 3; again++) { /* the pattern goes up with the first */
        const int64_t nrhs = again == 2 ? 20 : 1, bytes = A.n * nrhs * (int64_t)sizeof *B;
        clsolve_matrix view = clsolve_matrix_f64(A.n, nrhs, B);
        fill_columns(B, A.n, nrhs, 0);
        check(&t, clsolve_sparse_solve(sparse, CLSOLVE_NO_TRANS, &view), "solve");
        check(&t, clsolve_sparse_report(sparse, &after), "report");
        assert_string_equal(after.where, "device");
        if (again == 0 || strcmp(after.precision, "double") != 0) continue;
        assert_int_equal(after.bytes_up - before.bytes_up, bytes);
        assert_true(after.bytes_down - before.bytes_down >= bytes);
        assert_true(after.bytes_down - before.bytes_down <= bytes + 40 * nrhs * (1 + after.iterations));
        assert_int_equal(after.transfers_up - before.transfers_up, (nrhs + 15) / 16);
    }
}

/* X of 2^of_A A and 2^of_B B, whose columns are the same up to a power of two. */
/* Returns log |det| of A as it was. */
static double solve_scaled(const trial *t, int of_A, int of_B, double *X, int64_t nrhs) {
    clsolve_csr view = t->rows->view;
    OWNED(sparse) *sparse = NULL;
    clsolve_report report;
    clsolve_matrix x = clsolve_matrix_f64(t->A->n, nrhs, X);
    SCRATCH double *value = test_elements(CLSOLVE_F64, t->rows->count);
    for (int64_t e = 0; e < t->rows->count; e++) value[e] = ldexp(((const double *)view.values)[e], of_A);
    view.values = value;
    check(t, clsolve_sparse_create_csr(context, &view, &t->options, &sparse), "create");
    check(t, clsolve_sparse_factor_csr(sparse, &view), "factor");
    for (int again = 0; again < 2; again++) { /* the pattern goes up with the first */
        const cls_counters before = context->device->counters;
        fill_columns(X, t->A->n, nrhs, of_B);
        check(t, clsolve_sparse_solve(sparse, CLSOLVE_NO_TRANS, &x), "solve");
        const cls_counters moved = cls_counters_since(&context->device->counters, &before);
        check(t, clsolve_sparse_report(sparse, &report), "report");
        assert_string_equal(report.where, "device");
        if (again && strcmp(report.precision, "double") == 0) /* the device refines, not the host's vectors */
            assert_int_equal(moved.bytes_up, t->A->n * nrhs * (int64_t)sizeof *X);
    }
    for (int64_t k = 0; k < t->A->n * nrhs; k++) X[k] = ldexp(X[k], of_A - of_B);
    return report.direct.log_abs_det - (double)(t->A->n * of_A) * log(2);
}

/* Values far from 1 are scaled by powers of two on their way: X has the same bits. */
TEST(test_ranges) {
    static const int exponents[][2] = {{200, 0}, {0, -900}, {-300, -1022}, {1018, 200}};
    test_random random = test_random_start(7);
    scratch_triplets A = pattern_make(PATTERN_ARROW, 400, &random); /* a row that a whole work-group sums */
    scratch_csr rows = csr_make(&A, &(csr_form){.type = CLSOLVE_F64, .index = CLSOLVE_I64}, &random);
    double *X[2] = {test_elements(CLSOLVE_F64, 3 * A.n), test_elements(CLSOLVE_F64, 3 * A.n)};
    for (int scaled = 0; scaled < 2; scaled++) {
        const clsolve_sparse_options options = {.where = CLSOLVE_WHERE_DEVICE, .matching = scaled ? ON : OFF};
        const trial t = {.A = &A, .rows = &rows, .options = options, .about = "values far from 1"};
        const double log_det = solve_scaled(&t, 0, 0, X[0], 3);
        for (size_t k = 0; k < sizeof exponents / sizeof exponents[0]; k++) {
            const double now = solve_scaled(&t, exponents[k][0], exponents[k][1], X[1], 3);
            assert_true(fabs(now - log_det) < 1e-11 * (double)A.n * fabs(exponents[k][0] + 1.0));
            assert_memory_equal(X[0], X[1], (size_t)(3 * A.n) * sizeof *X[0]);
        }
    }
    free(X[0]);
    free(X[1]);
}

/* A ring of n points, whose smallest eigenvalue is `least`; row i times 2^(i % 7), column j times 2^-(j % 5). */
static triplets ring(int64_t n, double least) {
    triplets A = {.n = n};
    for (int64_t i = 0; i < n; i++) {
        const int64_t beside[] = {i, (i + 1) % n, (i + n - 1) % n};
        for (int k = 0; k < 3; k++)
            triplets_add(&A, i, beside[k], ldexp(k == 0 ? 2 + least : -1, (int)(i % 7) - (int)(beside[k] % 5)));
    }
    triplets_sort(&A);
    return A;
}

/* X is so large that a residual is small beside A and X, not beside B: the device measures all three. */
TEST(test_large_solution) {
    test_random random = test_random_start(9);
    scratch_triplets A = ring(60, 1e-5);
    scratch_csr rows = csr_make(&A, &(csr_form){.type = CLSOLVE_F64, .index = CLSOLVE_I32}, &random);
    const int64_t before = alone;
    for (int k = 0; k < 4; k++) {
        const clsolve_sparse_options options = {.where = CLSOLVE_WHERE_DEVICE, .matching = k % 2 ? ON : OFF};
        const trial t = {.A = &A,
                         .rows = &rows,
                         .options = options,
                         .type = CLSOLVE_F64,
                         .op = k / 2 ? CLSOLVE_TRANS : CLSOLVE_NO_TRANS,
                         .layout = CLSOLVE_COLUMN_MAJOR,
                         .nrhs = 1,
                         .about = "a ring"};
        run(&t, &random);
    }
    assert_int_equal(alone, before);
}

/* Blocks of three rows that begin with a small pivot, which is replaced; `apart`: it stands alone. */
static triplets small_pivots(int64_t n, int apart) {
    triplets A = {.n = n};
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i - i % 3; j < i - i % 3 + 3; j++) {
            if (i - j > 1 || j - i > 1 || (apart && i != j && (i % 3 == 0 || j % 3 == 0))) continue;
            triplets_add(&A, i, j, i != j ? 1 : i % 3 == 0 ? 1e-9 : 3);
        }
    return A;
}

/* Else vectors are refined on the host. */
static int there_in_double(void) {
    return context->device->info.fp64 && context->device->double_ratio < 16;
}

/* Refinement on the device makes replaced pivots good, for 17 columns in two turns; where they stand alone it cannot, and
 * the host has B as it was. */
static void run_refined(int apart, int64_t nrhs) {
    test_random random = test_random_start(10);
    scratch_triplets A = small_pivots(30, apart);
    scratch_csr rows = csr_make(&A, &(csr_form){.type = CLSOLVE_F64, .index = CLSOLVE_I32}, &random);
    const clsolve_sparse_options options = {
        .where = CLSOLVE_WHERE_DEVICE, .matching = OFF, .amalgamation = OFF, .order = CLSOLVE_ORDER_NATURAL};
    const trial t = {.A = &A, .rows = &rows, .options = options, .about = "small pivots"};
    SCRATCH double *B = test_elements(CLSOLVE_F64, nrhs * A.n), *X = test_elements(CLSOLVE_F64, nrhs * A.n);
    clsolve_matrix x = clsolve_matrix_f64(A.n, nrhs, X);
    OWNED(sparse) *sparse = NULL;
    clsolve_report report;
    fill_columns(B, A.n, nrhs, 0);
    memcpy(X, B, (size_t)(nrhs * A.n) * sizeof *X);
    check(&t, clsolve_sparse_create_csr(context, &rows.view, &options, &sparse), "create");
    check(&t, clsolve_sparse_factor_csr(sparse, &rows.view), "factor");
    check(&t, clsolve_sparse_solve(sparse, CLSOLVE_NO_TRANS, &x), "solve");
    check(&t, clsolve_sparse_report(sparse, &report),
          "report"); /* which has the host's factors, because of the pivots */
    if (!apart) assert_true(report.refinement.history[0] > 1e-12 && report.iterations > 0);
    if (!apart && there_in_double()) assert_int_equal(report.refinement.gmres_iterations, 0);
    assert_true(triplets_backward(&A, CLSOLVE_F64, CLSOLVE_NO_TRANS, nrhs, B, X) <= triplets_bound(A.n, CLSOLVE_F64));
    check(&t, clsolve_sparse_solve(sparse, CLSOLVE_NO_TRANS, &x), "solve");
    check(&t, clsolve_sparse_report(sparse, &report), "report");
    assert_string_equal(report.where, "host");
    assert_non_null(strstr(report.where_reason, "and solves since"));
}

TEST(test_refined) {
    run_refined(0, 17);
    run_refined(1, 1);
    run_refined(1, 17);
}

/* NaN and Inf are noticed on the device, B stays, and the factors are still the device's. */
TEST(test_nonfinite) {
    test_random random = test_random_start(8);
    scratch_triplets A = pattern_make(PATTERN_GRID2, 100, &random);
    scratch_csr rows = csr_make(&A, &(csr_form){.type = CLSOLVE_F64, .index = CLSOLVE_I32}, &random);
    const clsolve_sparse_options options = {.where = CLSOLVE_WHERE_DEVICE};
    const trial t = {.A = &A, .rows = &rows, .options = options, .about = "B with NaN"};
    SCRATCH double *B = test_elements(CLSOLVE_F64, 2 * A.n), *before = test_elements(CLSOLVE_F64, 2 * A.n);
    clsolve_matrix view = clsolve_matrix_f64(A.n, 2, B);
    OWNED(sparse) *sparse = NULL;
    clsolve_report report;
    check(&t, clsolve_sparse_create_csr(context, &rows.view, &options, &sparse), "create");
    check(&t, clsolve_sparse_factor_csr(sparse, &rows.view), "factor");
    for (int bad = 0; bad < 2; bad++) {
        fill_columns(B, A.n, 2, 0);
        B[bad == 0 ? 3 : 2 * A.n - 1] = bad == 0 ? (double)NAN : -HUGE_VAL;
        memcpy(before, B, (size_t)(2 * A.n) * sizeof *B);
        EXPECT(context, clsolve_sparse_solve(sparse, CLSOLVE_NO_TRANS, &view), CLSOLVE_ERROR_NONFINITE, "NaN or Inf");
        assert_memory_equal(B, before, (size_t)(2 * A.n) * sizeof *B);
    }
    fill_columns(B, A.n, 2, 0);
    check(&t, clsolve_sparse_solve(sparse, CLSOLVE_NO_TRANS, &view), "solve");
    check(&t, clsolve_sparse_report(sparse, &report), "report");
    assert_string_equal(report.where, "device");
}

/* The report says where, and why, before there are factors and after values that have none; and why AUTO stays on the
 * host. */
TEST(test_reasons) {
    enum { FULL = 1200 }; /* with 6e8 operations, which are not few */
    static const int32_t start[] = {0, 2, 4, 4}, column[] = {0, 1, 0, 1};
    static const double value[] = {1, 2, 3, 4};
    const clsolve_csr empty_row = clsolve_csr_f64(3, start, column, value);
    clsolve_sparse_options options = {.where = CLSOLVE_WHERE_DEVICE};
    clsolve_sparse *sparse = NULL;
    clsolve_report report;
    (void)state;
    EXPECT(context, clsolve_sparse_create_csr(context, &empty_row, &options, &sparse), CLSOLVE_OK, "");
    for (int after = 0; after < 2; after++) {
        if (after) EXPECT(context, clsolve_sparse_factor_csr(sparse, &empty_row), CLSOLVE_SINGULAR, "structural rank");
        EXPECT(context, clsolve_sparse_report(sparse, &report), CLSOLVE_OK, "");
        assert_string_equal(report.where, "device");
        assert_non_null(strstr(report.where_reason, "asked for"));
    }
    clsolve_sparse_destroy(sparse);

    int32_t *rows = malloc((FULL + 1 + FULL * FULL) * sizeof *rows), *columns = rows + FULL + 1;
    assert_non_null(rows);
    for (int32_t i = 0; i <= FULL; i++) rows[i] = FULL * i;
    for (int32_t e = 0; e < FULL * FULL; e++) columns[e] = e % FULL;
    const clsolve_csr full = clsolve_csr_f64(FULL, rows, columns, NULL);
    options = (clsolve_sparse_options){.form = CLSOLVE_SPARSE_POSITIVE_DEFINITE};
    EXPECT(context, clsolve_sparse_create_csr(context, &full, &options, &sparse), CLSOLVE_OK, "");
    EXPECT(context, clsolve_sparse_report(sparse, &report), CLSOLVE_OK, "");
    assert_null(strstr(report.where_reason, "few operations"));
    if (context->device->info.host_memory) assert_non_null(strstr(report.where_reason, "host's own memory"));
    clsolve_sparse_destroy(sparse);
    free(rows);
}

/* X is too small for the type, and so is B with a matching's scales: the call says so, and B stays. */
TEST(test_tiny_solution) {
    static const struct {
        clsolve_type type;
        int of_a, of_b; /* powers of two */
        clsolve_choice matching;
    } cases[] = {{CLSOLVE_F64, 700, -960, OFF},
                 {CLSOLVE_F64, 700, -365, OFF},
                 {CLSOLVE_F64, 700, -960, ON},
                 {CLSOLVE_F32, 70, -90, OFF}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        test_random random = test_random_start(12);
        scratch_triplets A = pattern_make(PATTERN_GRID2, 100, &random);
        for (int64_t e = 0; e < A.count; e++) A.at[e].value *= ldexp(1, cases[k].of_a);
        scratch_csr rows = csr_make(&A, &(csr_form){.type = cases[k].type, .index = CLSOLVE_I32}, &random);
        const clsolve_sparse_options options = {.where = CLSOLVE_WHERE_DEVICE, .matching = cases[k].matching};
        const trial t = {.A = &A, .rows = &rows, .options = options, .about = "a tiny solution"};
        SCRATCH double *B = test_elements(cases[k].type, A.n), *X = test_elements(cases[k].type, A.n);
        scratch_matrix b = test_matrix_make(cases[k].type, CLSOLVE_COLUMN_MAJOR, A.n, 1, 0);
        OWNED(sparse) *sparse = NULL;
        for (int64_t i = 0; i < A.n; i++) B[i] = ldexp((double)(i % 5) + 1, cases[k].of_b);
        test_matrix_set(&b, B);
        check(&t, clsolve_sparse_create_csr(context, &rows.view, &options, &sparse), "create");
        check(&t, clsolve_sparse_factor_csr(sparse, &rows.view), "factor");
        EXPECT(context, clsolve_sparse_solve(sparse, CLSOLVE_NO_TRANS, &b.view), CLSOLVE_NOT_CONVERGED, "");
        test_matrix_get(&b, X);
        assert_memory_equal(X, B, (size_t)A.n * sizeof *B);
    }
}

/* The condition number is that of A where pivots were replaced. */
TEST(test_rcond) {
    static const int32_t start[] = {0, 1, 2, 3}, column[] = {0, 1, 2};
    static const double value[] = {1, 0x1p-30, 0.5};
    const clsolve_csr A = clsolve_csr_f64(3, start, column, value);
    const clsolve_sparse_options options = {.where = CLSOLVE_WHERE_DEVICE, .matching = OFF, .rcond = 1};
    OWNED(sparse) *sparse = NULL;
    clsolve_report report;
    (void)state;
    EXPECT(context, clsolve_sparse_create_csr(context, &A, &options, &sparse), CLSOLVE_OK, "");
    EXPECT(context, clsolve_sparse_factor_csr(sparse, &A), CLSOLVE_OK, "");
    EXPECT(context, clsolve_sparse_report(sparse, &report), CLSOLVE_OK, "");
    assert_true(report.direct.rcond == 0x1p-30);
}

/* What is no matrix for the device's factors: the host says what it is. */
/* Each replaced pivot is counted once: rows that are nearly those of others leave as many. */
TEST(test_replaced) {
    static const int64_t sizes[] = {20, 100, 300};
    test_random random = test_random_start(3);
    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (int64_t few = 1; few < 4; few++) {
            const clsolve_sparse_options options = {.where = CLSOLVE_WHERE_DEVICE, .matching = OFF};
            const int64_t n = sizes[s];
            clsolve_sparse_analysis analysis;
            clsolve_sparse *sparse = NULL;
            clsolve_report report;
            scratch_triplets A = {.n = n};
            for (int64_t i = 0; i < n; i++)
                for (int64_t j = 0; j < n; j++) {
                    const int64_t like = i < n - few ? i : n - 1 - i;
                    const double value = 1 / (double)(n + (like + 3 * j) % 7) + (like == j ? 2 : 0);
                    triplets_add(&A, i, j, like == i ? value : value + (i == j ? 1e-10 : 0));
                }
            scratch_csr rows = csr_make(&A, &(csr_form){.type = CLSOLVE_F64, .index = CLSOLVE_I64}, &random);
            const trial t = {.A = &A, .rows = &rows, .options = options, .about = "rows that are nearly alike"};
            check(&t, clsolve_sparse_create_csr(context, &rows.view, &options, &sparse), "create");
            check(&t, clsolve_sparse_factor_csr(sparse, &rows.view), "factor");
            check(&t, clsolve_sparse_get_analysis(sparse, &analysis), "get_analysis");
            check(&t, clsolve_sparse_report(sparse, &report), "report");
            if (strcmp(report.precision, "double") == 0) assert_int_equal(analysis.replaced, few);
            clsolve_sparse_destroy(sparse);
        }
}

TEST(test_singular) {
    static const int32_t start[] = {0, 2, 4, 5}, column[] = {0, 1, 0, 1, 2};
    static const double singular[] = {1, 2, 2, 4, 1}, indefinite[] = {1, 2, 2, 1, 1}, definite[] = {1, 2, 2, 5, 1};
    clsolve_csr A = clsolve_csr_f64(3, start, column, singular);
    clsolve_sparse_options options = {.where = CLSOLVE_WHERE_DEVICE};
    clsolve_sparse *sparse = NULL;
    EXPECT(context, clsolve_sparse_create_csr(context, &A, &options, &sparse), CLSOLVE_OK, "");
    EXPECT(context, clsolve_sparse_factor_csr(sparse, &A), CLSOLVE_SINGULAR, "no pivot is left");
    clsolve_sparse_destroy(sparse);
    options.form = CLSOLVE_SPARSE_POSITIVE_DEFINITE;
    EXPECT(context, clsolve_sparse_create_csr(context, &A, &options, &sparse), CLSOLVE_OK, "");
    A.values = indefinite;
    EXPECT(context, clsolve_sparse_factor_csr(sparse, &A), CLSOLVE_NOT_POSITIVE_DEFINITE, "is not positive");
    A.values = definite;
    EXPECT(context, clsolve_sparse_factor_csr(sparse, &A), CLSOLVE_OK, "");
    clsolve_sparse_destroy(sparse);
}

int main(void) {
    require_fronts();
    on_device = 1;
    context = test_context(1);
    const int failed = test_run(NULL, NULL);
    clsolve_context_destroy(context);
    printf("%d solves with the device's factors, %d with the host's after them\n", (int)there, (int)alone);
    if (failed == 0 && (alone > there / 8 || (alone == 0 && !test_env("CLSOLVE_TEST_ONLY")))) {
        printf("too %s: the device's factors are wrong\n", alone > 0 ? "many" : "few");
        return 1;
    }
    return failed;
}
