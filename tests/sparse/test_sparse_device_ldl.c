/*
 * L D L^T and L D L^H of sparse matrices with a device's numbers: solutions in every type and storage, fronts of each
 * kind, inertia beside the eigenvalues of LAPACK, pivots that the device replaces, and the same bits each time.
 */
#include <lapacke.h>

#include "base/type.h"
#include "sparse/solving.h"

static const clsolve_sparse_form forms[] = {CLSOLVE_SPARSE_SYMMETRIC, CLSOLVE_SPARSE_HERMITIAN};

TEST(test_solutions) {
    static const int64_t sizes[] = {1, 5, 64};
    test_random random = test_random_start(1);
    int64_t turn = 0;
    for (int kind = 0; kind < PATTERNS; kind++)
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++, turn++)
            run_one_sided(forms[turn % 2], (pattern)kind, sizes[s], turn / 2, &random);
    run_one_sided(CLSOLVE_SPARSE_SYMMETRIC, PATTERN_GRID3, 1000, 0, &random);
    run_one_sided(CLSOLVE_SPARSE_HERMITIAN, PATTERN_GRID3, 729, 2, &random);
    run_one_sided(CLSOLVE_SPARSE_SYMMETRIC, PATTERN_SADDLE, 901, 3, &random);
}

static clsolve_sparse *factored(const triplets *A, clsolve_type type, const clsolve_sparse_options *options) {
    scratch_csr rows = csr_make(A, &(csr_form){.type = type, .index = CLSOLVE_I32}, NULL);
    clsolve_sparse *sparse = NULL;
    const trial t = {.about = "factored"};
    check(&t, clsolve_sparse_create_csr(context, &rows.view, options, &sparse), "create");
    check(&t, clsolve_sparse_factor_csr(sparse, &rows.view), "factor");
    return sparse;
}

/* X, nrhs columns, is a solution as good as promised; returns the report after the solve. */
static clsolve_report solve(const triplets *A, clsolve_type type, clsolve_op op, int64_t nrhs, clsolve_sparse *sparse,
                            void *X) {
    SCRATCH void *B = test_elements(type, A->n * nrhs);
    const size_t bytes = (size_t)(A->n * nrhs * cls_type_size(type));
    clsolve_matrix x = clsolve_matrix_f64(A->n, nrhs, X);
    clsolve_report report;
    x.type = type;
    for (int64_t k = 0; k < test_numbers(type, A->n * nrhs); k++) {
        const double value = (double)(k * 7 % 13) - 6;
        if (cls_is_double(type))
            ((double *)B)[k] = value;
        else
            ((float *)B)[k] = (float)value;
    }
    memcpy(X, B, bytes);
    EXPECT(context, clsolve_sparse_solve(sparse, op, &x), CLSOLVE_OK, "");
    assert_true(triplets_backward(A, type, op, nrhs, B, X) <= triplets_bound(A->n, type));
    assert_int_equal(clsolve_sparse_report(sparse, &report), CLSOLVE_OK);
    return report;
}

/* ---- fronts of each kind ---- */

/* Two full blocks of `half` rows, and `border` rows that are full: as many fronts, of which the second has the border
 * too. `hollow`: rows 1 and 2, 3 and 4, ... of each have a pivot of order 2, also rows 31 and 32, which two panels of 32
 * columns part. */
static triplets two_blocks(int64_t half, int64_t border, int hollow, clsolve_sparse_form form, int is_complex,
                           test_random *random) {
    triplets A = {.n = 2 * half + border};
    for (int64_t i = 0; i < A.n; i++)
        for (int64_t j = 0; j <= i; j++) {
            const int64_t in_block = i < 2 * half ? i % half : i - 2 * half;
            const double size = !hollow ? 1 : i == j + 1 && in_block % 2 == 0 ? 40 : 0.5;
            const double re = size * test_random_signed(random) + (size > 1 ? 50 : 0),
                         im = is_complex ? size * test_random_signed(random) : 0;
            if (i < 2 * half && i / half != j / half) continue;
            if (i == j && hollow)
                triplets_add(&A, i, i, in_block == 0 ? 50 : 0);
            else if (i == j)
                triplets_add(&A, i, i, form == CLSOLVE_SPARSE_HERMITIAN ? re : CMPLX(re, im));
            else
                triplets_add_both(&A, form, i, j, CMPLX(re, im));
        }
    triplets_sort(&A);
    return A;
}

static void run_blocks(int64_t half, int64_t border, clsolve_type type, clsolve_sparse_form form, int64_t nrhs,
                       test_random *random) {
    const clsolve_sparse_options options = {
        .form = form, .where = CLSOLVE_WHERE_DEVICE, .order = CLSOLVE_ORDER_NATURAL};
    scratch_triplets A = two_blocks(half, border, nrhs == 1, form, cls_is_complex(type), random);
    triplets_round(&A, type);
    SCRATCH void *X = test_elements(type, A.n * nrhs);
    clsolve_sparse *sparse = factored(&A, type, &options);
    for (int op = CLSOLVE_NO_TRANS; op <= CLSOLVE_CONJ_TRANS; op++) {
        const clsolve_report report = solve(&A, type, (clsolve_op)op, nrhs, sparse, X);
        assert_string_equal(report.where, "device");
    }
    clsolve_sparse_destroy(sparse);
}

TEST(test_fronts) {
    test_random random = test_random_start(2);
    run_blocks(40, 70, CLSOLVE_F64, CLSOLVE_SPARSE_SYMMETRIC, 1, &random); /* NEAR and FAR */
    run_blocks(90, 150, CLSOLVE_F64, CLSOLVE_SPARSE_SYMMETRIC, 17, &random);
    run_blocks(100, 940, CLSOLVE_F64, CLSOLVE_SPARSE_SYMMETRIC, 2, &random); /* WIDE, and two BROAD of a LARGE one */
    run_blocks(270, 60, CLSOLVE_F64, CLSOLVE_SPARSE_SYMMETRIC, 1, &random);  /* MIDDLE */
    run_blocks(40, 70, CLSOLVE_C64, CLSOLVE_SPARSE_HERMITIAN, 1, &random);
    run_blocks(60, 100, CLSOLVE_C64, CLSOLVE_SPARSE_SYMMETRIC, 1, &random);
    run_blocks(270, 40, CLSOLVE_C64, CLSOLVE_SPARSE_HERMITIAN, 2, &random);
}

/* ---- inertia ---- */

static clsolve_inertia eigenvalue_signs(const triplets *A, double *gap) {
    const lapack_int n = (lapack_int)A->n;
    SCRATCH double complex *dense = triplets_dense(A);
    double *value = test_doubles(n + 1), least = INFINITY, most = 0;
    clsolve_inertia inertia = {0};
    assert_int_equal(LAPACKE_zheev(LAPACK_COL_MAJOR, 'N', 'L', n, dense, n, value), 0);
    for (lapack_int k = 0; k < n; k++) {
        *(value[k] > 0 ? &inertia.positive : &inertia.negative) += 1;
        least = fmin(least, fabs(value[k]));
        most = fmax(most, fabs(value[k]));
    }
    *gap = least / most;
    free(value);
    return inertia;
}

/* *by_device: the device's pivots were enough. */
static void check_inertia(pattern kind, int64_t n, clsolve_type type, int64_t *by_device, test_random *random) {
    const clsolve_sparse_options options = {.form = CLSOLVE_SPARSE_HERMITIAN, .where = CLSOLVE_WHERE_DEVICE};
    scratch_triplets A = pattern_make_symmetric(kind, n, options.form, cls_is_complex(type), random);
    clsolve_inertia got;
    clsolve_report report;
    double gap;
    triplets_round(&A, type);
    const clsolve_inertia wanted = eigenvalue_signs(&A, &gap);
    if (gap > 1e-10) {
        OWNED(sparse) *sparse = factored(&A, type, &options);
        EXPECT(context, clsolve_sparse_inertia(sparse, &got), CLSOLVE_OK, "");
        assert_int_equal(got.positive, wanted.positive);
        assert_int_equal(got.negative, wanted.negative);
        assert_int_equal(got.zero, 0);
        assert_int_equal(clsolve_sparse_report(sparse, &report), CLSOLVE_OK);
        const dense_facts facts = dense_measure(&A);
        const double allowed =
            strcmp(report.where, "device") == 0 && strcmp(report.precision, "double") != 0 ? 1e-2 : 1e-7;
        assert_true(fabs(report.direct.log_abs_det - facts.log_abs) <= allowed * (double)(A.n + 1));
        if (!cls_is_complex(type)) assert_int_equal(report.direct.det_sign, wanted.negative % 2 ? -1 : 1);
        *by_device += strcmp(report.where, "device") == 0;
    }
}

TEST(test_inertia) {
    test_random random = test_random_start(3);
    int64_t by_device = 0;
    for (int turn = 0; turn < 6 * PATTERNS; turn++)
        check_inertia((pattern)(turn % PATTERNS), test_random_between(&random, 1, 60),
                      turn % 5 == 0 ? CLSOLVE_C64 : CLSOLVE_F64, &by_device, &random);
    check_inertia(PATTERN_GRID3, 343, CLSOLVE_F64, &by_device, &random);
    print_message("%d by the device\n", (int)by_device);
    assert_true(by_device > 2 * PATTERNS);
}

/* ---- the engine of dense matrices ---- */

/* Full matrices, fronts of one piece: with pivots within windows, and with `corners` [0 B; B^T 0], which have none, so
 * that all is done again by other kernels, more than once. The inertia is that of the eigenvalues. */
static void run_full(int64_t n, int corners, clsolve_type type, clsolve_sparse_form form, test_random *random) {
    const clsolve_sparse_options options = {
        .form = form, .where = CLSOLVE_WHERE_DEVICE, .order = CLSOLVE_ORDER_NATURAL, .matching = OFF};
    scratch_triplets A = {.n = n};
    clsolve_inertia got, wanted;
    double gap;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++) {
            const double re = test_random_signed(random), im = cls_is_complex(type) ? test_random_signed(random) : 0;
            if (corners && (i < n / 2) == (j < n / 2)) continue;
            if (i == j)
                triplets_add(&A, i, i, i % 3 == 0 ? 0 : re);
            else
                triplets_add_both(&A, form, i, j, CMPLX(re, im));
        }
    triplets_sort(&A);
    triplets_round(&A, type);
    SCRATCH void *X = test_elements(type, n * 2);
    OWNED(sparse) *sparse = factored(&A, type, &options);
    for (int again = 0; again < 2; again++) {
        (void)solve(&A, type, CLSOLVE_NO_TRANS, 2, sparse, X);
        scratch_csr rows = csr_make(&A, &(csr_form){.type = type, .index = CLSOLVE_I32}, NULL);
        check(&(trial){.about = "full"}, clsolve_sparse_factor_csr(sparse, &rows.view), "factor");
    }
    if (form == CLSOLVE_SPARSE_HERMITIAN || !cls_is_complex(type)) {
        wanted = eigenvalue_signs(&A, &gap);
        EXPECT(context, clsolve_sparse_inertia(sparse, &got), CLSOLVE_OK, "");
        assert_int_equal(got.positive, wanted.positive);
        assert_int_equal(got.negative, wanted.negative);
    }
}

TEST(test_full) {
    test_random random = test_random_start(6);
    run_full(530, 0, CLSOLVE_F64, CLSOLVE_SPARSE_SYMMETRIC, &random);
    run_full(521, 0, CLSOLVE_C64, CLSOLVE_SPARSE_HERMITIAN, &random);
    run_full(540, 1, CLSOLVE_F64, CLSOLVE_SPARSE_SYMMETRIC, &random);
}

/* ---- replaced pivots ---- */

/* Blocks (e 1; 1 e) between two halves, in the natural order and without pairs: no front of the first half has a pivot.
 * The device replaces them, and the host counts the inertia. */
TEST(test_replaced) {
    enum { HALF = 100 };
    const clsolve_sparse_options options = {.form = CLSOLVE_SPARSE_SYMMETRIC,
                                            .where = CLSOLVE_WHERE_DEVICE,
                                            .order = CLSOLVE_ORDER_NATURAL,
                                            .matching = OFF,
                                            .amalgamation = OFF};
    scratch_triplets A = {.n = 2 * HALF};
    clsolve_sparse_analysis analysis;
    clsolve_inertia got;
    double X[2 * HALF];
    for (int64_t i = 0; i < HALF; i++) {
        triplets_add(&A, i, i, 1e-11);
        triplets_add(&A, HALF + i, HALF + i, i % 3 == 0 ? 1e-3 : 0);
        triplets_add_both(&A, options.form, HALF + i, i, 1);
        if (i > 0) triplets_add_both(&A, options.form, HALF + i, HALF + i - 1, 0.5);
    }
    triplets_sort(&A);
    OWNED(sparse) *sparse = factored(&A, CLSOLVE_F64, &options);
    (void)solve(&A, CLSOLVE_F64, CLSOLVE_NO_TRANS, 1, sparse, X);
    check(&(trial){.about = "replaced"}, clsolve_sparse_get_analysis(sparse, &analysis), "analysis");
    assert_true(analysis.replaced > 0);
    EXPECT(context, clsolve_sparse_inertia(sparse, &got), CLSOLVE_OK, "");
    assert_int_equal(got.positive, HALF);
    assert_int_equal(got.negative, HALF);
}

/* Columns of a small matrix whose rows differ much are paired by create, and else by the first factorization that
 * replaces pivots. */
TEST(test_pairs_at_once) {
    enum { HALF = 8, BORDER = 3 };
    test_random random = test_random_start(9);
    for (int unlike = 0; unlike < 2; unlike++)
        for (int host = 0; host < 2; host++) {
            const clsolve_sparse_options options = {.form = CLSOLVE_SPARSE_SYMMETRIC,
                                                    .where = host ? CLSOLVE_WHERE_HOST : CLSOLVE_WHERE_DEVICE};
            scratch_triplets A = two_blocks(HALF, BORDER, 1, options.form, 0, &random);
            SCRATCH double *X = test_elements(CLSOLVE_F64, A.n);
            clsolve_sparse_analysis analysis;
            clsolve_sparse *sparse = NULL;
            for (int64_t k = 0; k < A.count && unlike; k++)
                A.at[k].value *= (A.at[k].row == 0 ? 0x1p14 : 1) * (A.at[k].column == 0 ? 0x1p14 : 1);
            scratch_csr rows = csr_make(&A, &(csr_form){.type = CLSOLVE_F64, .index = CLSOLVE_I32}, NULL);
            EXPECT(context, clsolve_sparse_create_csr(context, &rows.view, &options, &sparse), CLSOLVE_OK, "");
            EXPECT(context, clsolve_sparse_get_analysis(sparse, &analysis), CLSOLVE_OK, "");
            assert_int_equal(analysis.matched, unlike && !host);
            EXPECT(context, clsolve_sparse_factor_csr(sparse, &rows.view), CLSOLVE_OK, "");
            (void)solve(&A, CLSOLVE_F64, CLSOLVE_NO_TRANS, 1, sparse, X);
            clsolve_sparse_destroy(sparse);
        }
}

TEST(test_singular) {
    const clsolve_sparse_options options = {.form = CLSOLVE_SPARSE_SYMMETRIC, .where = CLSOLVE_WHERE_DEVICE};
    scratch_triplets A = {.n = 6};
    clsolve_inertia got;
    OWNED(sparse) *sparse = NULL;
    for (int64_t i = 0; i < 6; i++) /* (1 1; 1 1), twice, and (0 1; 1 0) */
        for (int64_t j = i / 2 * 2; j < i / 2 * 2 + 2; j++) triplets_add(&A, i, j, i >= 4 && i == j ? 0 : 1);
    scratch_csr rows = csr_make(&A, &(csr_form){.type = CLSOLVE_F64, .index = CLSOLVE_I32}, NULL);
    check(&(trial){.about = "singular"}, clsolve_sparse_create_csr(context, &rows.view, &options, &sparse), "create");
    EXPECT(context, clsolve_sparse_factor_csr(sparse, &rows.view), CLSOLVE_SINGULAR, "");
    EXPECT(context, clsolve_sparse_inertia(sparse, &got), CLSOLVE_OK, "");
    assert_int_equal(got.positive, 3);
    assert_int_equal(got.negative, 1);
    assert_int_equal(got.zero, 2);
}

/* An arrow without a diagonal has rank 2. The device replaces pivots of the rows behind the first, which hide that. */
TEST(test_hidden) {
    enum { N = 24 };
    static const clsolve_type types[] = {CLSOLVE_F64, CLSOLVE_C64, CLSOLVE_F32};
    for (size_t k = 0; k < sizeof types / sizeof types[0]; k++)
        for (int rcond = 0; rcond < 2; rcond++) {
            const clsolve_sparse_options options = {.form = forms[(k + (size_t)rcond) % 2],
                                                    .where = CLSOLVE_WHERE_DEVICE,
                                                    .order = CLSOLVE_ORDER_NATURAL,
                                                    .rcond = rcond};
            scratch_triplets A = {.n = N};
            clsolve_report report;
            OWNED(sparse) *sparse = NULL;
            SCRATCH double *X = test_elements(types[k], N);
            for (int64_t i = 0; i < N; i++) {
                triplets_add(&A, i, i, 0);
                if (i == N - 1) continue;
                triplets_add(&A, i, N - 1, 1 + (double)(i % 3));
                triplets_add(&A, N - 1, i, 1 + (double)(i % 3));
            }
            triplets_sort(&A);
            scratch_csr rows = csr_make(&A, &(csr_form){.type = types[k], .index = CLSOLVE_I32}, NULL);
            EXPECT(context, clsolve_sparse_create_csr(context, &rows.view, &options, &sparse), CLSOLVE_OK, "");
            EXPECT(context, clsolve_sparse_factor_csr(sparse, &rows.view), CLSOLVE_SINGULAR, "no pivot is left");
            EXPECT(context, clsolve_sparse_report(sparse, &report), CLSOLVE_OK, "");
            assert_true(report.direct.rcond == (rcond ? 0 : -1));
            const int has_signs = types[k] != CLSOLVE_C64 || options.form == CLSOLVE_SPARSE_HERMITIAN;
            assert_int_equal(report.direct.inertia.zero, has_signs ? N - 2 : 0);
            clsolve_matrix x = clsolve_matrix_f64(N, 1, X);
            x.type = types[k];
            EXPECT(context, clsolve_sparse_solve(sparse, CLSOLVE_NO_TRANS, &x), CLSOLVE_SINGULAR, "singular");
        }
}

/* Pivots of order 2 of tiny values: products of two elements would be below the range. */
TEST(test_tiny_blocks) {
    enum { HALF = 8, BORDER = 3, DOWN = 700 };
    const clsolve_sparse_options options = {.form = CLSOLVE_SPARSE_SYMMETRIC, .where = CLSOLVE_WHERE_DEVICE};
    test_random random = test_random_start(6);
    scratch_triplets A = two_blocks(HALF, BORDER, 1, options.form, 1, &random);
    double log_abs[2];
    for (int tiny = 0; tiny < 2; tiny++) {
        clsolve_report report;
        clsolve_sparse *sparse = factored(&A, CLSOLVE_C64, &options);
        EXPECT(context, clsolve_sparse_report(sparse, &report), CLSOLVE_OK, "");
        log_abs[tiny] = report.direct.log_abs_det;
        clsolve_sparse_destroy(sparse);
        for (int64_t e = 0; e < A.count; e++) A.at[e].value *= ldexp(1, -DOWN);
    }
    assert_true(fabs(log_abs[0] - log_abs[1] - DOWN * log(2) * (double)A.n) < 1e-6);
}

/* ---- again ---- */

/* The same values give the same bits, and new values need no new analysis. */
TEST(test_again) {
    test_random random = test_random_start(5);
    const clsolve_sparse_options options = {.form = CLSOLVE_SPARSE_SYMMETRIC, .where = CLSOLVE_WHERE_DEVICE};
    scratch_triplets A = pattern_make_symmetric(PATTERN_GRID3, 512, options.form, 0, &random);
    csr rows = csr_make(&A, &(csr_form){.type = CLSOLVE_F64, .index = CLSOLVE_I32}, NULL);
    const trial t = {.about = "again"};
    double *X[2] = {test_elements(CLSOLVE_F64, A.n), test_elements(CLSOLVE_F64, A.n)};
    clsolve_sparse *sparse = factored(&A, CLSOLVE_F64, &options);
    for (int again = 0; again < 2; again++) {
        const clsolve_report report = solve(&A, CLSOLVE_F64, CLSOLVE_NO_TRANS, 1, sparse, X[again]);
        assert_string_equal(report.where, "device");
        check(&t, clsolve_sparse_factor_csr(sparse, &rows.view), "factor");
    }
    assert_memory_equal(X[0], X[1], (size_t)A.n * sizeof *X[0]);
    for (int64_t e = 0; e < A.count; e++) /* another one of the pattern, as far from definite as before */
        if (A.at[e].row == A.at[e].column) A.at[e].value = -A.at[e].value;
    csr_free(&rows);
    rows = csr_make(&A, &(csr_form){.type = CLSOLVE_F64, .index = CLSOLVE_I32}, NULL);
    check(&t, clsolve_sparse_factor_csr(sparse, &rows.view), "factor");
    (void)solve(&A, CLSOLVE_F64, CLSOLVE_TRANS, 1, sparse, X[0]);
    clsolve_sparse_destroy(sparse);
    free(X[0]);
    free(X[1]);
    csr_free(&rows);
}

/* ---- facts of a matrix in double whose factors are in float ---- */

enum { SMALL = 5 };

/* L D L^T with a unit L and D = diag(1, second, 3, 1, last): eigenvalues have the signs of D. */
static triplets product_of(double second, double last, test_random *random) {
    const double D[SMALL] = {1, second, 3, 1, last};
    double L[SMALL][SMALL] = {{0}};
    triplets A = {.n = SMALL};
    for (int64_t i = 0; i < SMALL; i++)
        for (int64_t j = 0; j <= i; j++) L[i][j] = i == j ? 1 : test_random_signed(random);
    for (int64_t i = 0; i < SMALL; i++)
        for (int64_t j = 0; j <= i; j++) {
            double sum = 0;
            for (int64_t k = 0; k <= j; k++) sum += L[i][k] * D[k] * L[j][k];
            if (i == j)
                triplets_add(&A, i, i, sum);
            else
                triplets_add_both(&A, CLSOLVE_SPARSE_SYMMETRIC, i, j, sum);
        }
    triplets_sort(&A);
    return A;
}

/* The report does not claim what float has not shown, and the inertia, if there are factors, is that of double. */
static void check_facts(clsolve_sparse_form form, double second, double last, test_random *random) {
    const int definite = second > 0 && last > 0;
    const clsolve_sparse_options options = {.form = form, .where = CLSOLVE_WHERE_DEVICE};
    scratch_triplets A = product_of(second, last, random);
    scratch_csr rows = csr_make(&A, &(csr_form){.type = CLSOLVE_F64, .index = CLSOLVE_I32}, NULL);
    OWNED(sparse) *sparse = NULL;
    clsolve_inertia got;
    clsolve_report report;
    EXPECT(context, clsolve_sparse_create_csr(context, &rows.view, &options, &sparse), CLSOLVE_OK, "");
    clsolve_status status = clsolve_sparse_factor_csr(sparse, &rows.view);
    assert_int_equal(clsolve_sparse_report(sparse, &report), CLSOLVE_OK);
    if (last == 1) assert_string_equal(report.precision, "single"); /* pivots are far from zero */
    if (status == CLSOLVE_OK) assert_string_equal(report.direct.det_precision, report.precision);
    if (status == CLSOLVE_OK && strcmp(report.precision, "single") == 0)
        assert_int_equal(report.direct.inertia.positive + report.direct.inertia.negative, 0);
    if (status == CLSOLVE_OK) status = clsolve_sparse_inertia(sparse, &got);
    if (form == CLSOLVE_SPARSE_POSITIVE_DEFINITE && !definite) {
        assert_int_equal(status, CLSOLVE_NOT_POSITIVE_DEFINITE);
        return;
    }
    assert_int_equal(status, CLSOLVE_OK);
    assert_int_equal(got.negative, (second < 0) + (last < 0));
    assert_int_equal(got.positive, SMALL - got.negative);
    assert_int_equal(clsolve_sparse_report(sparse, &report), CLSOLVE_OK);
    assert_string_equal(report.direct.det_precision, "double");
    assert_int_equal(report.direct.det_sign, got.negative % 2 ? -1 : 1);
    assert_int_equal(report.direct.inertia.negative, got.negative);
    assert_true(fabs(report.direct.log_abs_det - log(fabs(3 * second * last))) < 1e-4);
}

/* A small rcond is that of the host's factors in double. */
static void check_rcond(clsolve_sparse_form form, double last, test_random *random) {
    scratch_triplets A = product_of(2, last, random);
    double rcond[2];
    for (int host = 0; host < 2; host++) {
        const clsolve_sparse_options options = {
            .form = form, .where = host ? CLSOLVE_WHERE_HOST : CLSOLVE_WHERE_DEVICE, .rcond = 1};
        OWNED(sparse) *sparse = factored(&A, CLSOLVE_F64, &options);
        clsolve_report report;
        assert_int_equal(clsolve_sparse_report(sparse, &report), CLSOLVE_OK);
        rcond[host] = report.direct.rcond;
    }
    assert_true(fabs(rcond[0] / rcond[1] - 1) < 1e-2);
}

TEST(test_float_factors) {
    test_random random = test_random_start(9);
    test_pretend("double-ratio=32");
    for (int turn = 0; turn < 12; turn++) {
        const double tiny = turn == 0 ? 1 : turn % 2 ? -1e-9 : 1e-9;
        check_facts(CLSOLVE_SPARSE_SYMMETRIC, turn % 3 ? -2 : 2, tiny, &random);
        check_facts(CLSOLVE_SPARSE_POSITIVE_DEFINITE, 2, tiny, &random);
        check_rcond(CLSOLVE_SPARSE_SYMMETRIC, tiny, &random);
    }
    check_rcond(CLSOLVE_SPARSE_POSITIVE_DEFINITE, 1e-9, &random);
    test_pretend(NULL);
}

int main(void) {
    context = test_context(1);
    on_device = 1;
    const int failed = test_run(NULL, NULL);
    clsolve_context_destroy(context);
    printf("%d solves with the device's factors, %d with the host's after them\n", (int)there, (int)alone);
    if (failed == 0 && alone > there / 4 && !test_env("CLSOLVE_TEST_ONLY")) { /* a third is without a matching */
        printf("too many: the device's factors are wrong\n");
        return 1;
    }
    return failed;
}
