/*
 * Factors that LAPACK made, given to a handle: solves (dget02's ratio), condition against gecon, inverse (dget03's
 * ratio), refinement against gerfs. Both types and layouts, the device under test and the host.
 */
#include "lu/given_support.h"

/* ---- solves and factors ---- */

static void check_solve(const lu_system *s, clsolve_lu *lu, clsolve_layout layout) {
    const int64_t n = s->n;
    SCRATCH double *B = test_doubles(n * GIVEN_NRHS), *X = test_doubles(n * GIVEN_NRHS), *LU = test_doubles(n * n);
    SCRATCH int64_t *ipiv = test_room(n + 1, sizeof *ipiv);
    test_random random = test_random_start(7);

    test_random_fill(&random, B, n * GIVEN_NRHS);
    for (int64_t k = 0; k < n * GIVEN_NRHS; ++k) B[k] = test_rounded(s->type, B[k]);
    for (int op = 0; op < 2; ++op)
        for (int64_t nrhs = 1; nrhs <= GIVEN_NRHS; nrhs += 2) {
            scratch_matrix b = given_matrix(s, layout, nrhs, B);
            assert_int_equal(clsolve_lu_solve(lu, (clsolve_op)op, &b.view), CLSOLVE_OK);
            test_matrix_get(&b, X);
            double ratio = ratio_solve(s->type, (clsolve_op)op, n, nrhs, s->A, X, B);
            if (!(ratio < RATIO_BOUND)) fail_msg("n %d, op %d, nrhs %d: ratio %g", (int)n, op, (int)nrhs, ratio);
            test_matrix_spare_intact(&b);
        }
    /* What was imported comes back bit for bit. */
    scratch_matrix m = given_matrix(s, layout, n, s->A);
    assert_int_equal(clsolve_lu_factors(lu, &m.view, ipiv), CLSOLVE_OK);
    test_matrix_get(&m, LU);
    assert_memory_equal(LU, s->LU, (size_t)(n * n) * sizeof *LU);
    assert_memory_equal(ipiv, s->ipiv, (size_t)n * sizeof *ipiv);
}

TEST(test_import) {
    given_each(check_solve);
}

/* The determinant is that of A; of the growth nothing is known; and the handle still factors. */
TEST(test_report) {
    scratch_given s = given_system(CLSOLVE_F32, 40, 3);
    for (int host = 0; host < 2; ++host) {
        OWNED(lu) *lu = given_import(&s, host, CLSOLVE_COLUMN_MAJOR);
        clsolve_report report;
        scratch_matrix a = given_matrix(&s, CLSOLVE_COLUMN_MAJOR, s.n, s.A);
        double log_det = 0;
        int sign = 1;
        for (int64_t k = 0; k < s.n; ++k) {
            log_det += log(fabs(s.LU[k + k * s.n]));
            sign *= (s.LU[k + k * s.n] > 0 ? 1 : -1) * (s.ipiv[k] == k + 1 ? 1 : -1);
        }
        assert_int_equal(clsolve_lu_report(lu, &report), CLSOLVE_OK);
        assert_true(fabs(report.direct.log_abs_det - log_det) < 1e-3);
        assert_int_equal(report.direct.det_sign, sign);
        assert_true(report.direct.growth == 0 && report.direct.rcond == -1);
        assert_int_equal(clsolve_lu_factor(lu, &a.view), CLSOLVE_OK);
        assert_int_equal(clsolve_lu_report(lu, &report), CLSOLVE_OK);
        assert_true(report.direct.growth > 0);
    }
}

/* ---- condition ---- */

static double norm_of(const lu_system *s, int inf) {
    return inf ? ratio_norm_inf(s->type, s->n, s->A) : ratio_norm(s->type, s->n, s->n, s->A);
}

static double rcond_by_lapack(const lu_system *s, char which, double norm) {
    lapack_int n = (lapack_int)s->n, ld = n > 0 ? n : 1;
    double rcond = -1;
    if (s->type == CLSOLVE_F64) {
        assert_int_equal(LAPACKE_dgecon(LAPACK_COL_MAJOR, which, n, s->LU, ld, norm, &rcond), 0);
        return rcond;
    }
    float *single = test_room(s->n * s->n + 1, sizeof *single), found = -1;
    for (int64_t k = 0; k < s->n * s->n; ++k) single[k] = (float)s->LU[k];
    assert_int_equal(LAPACKE_sgecon(LAPACK_COL_MAJOR, which, n, single, ld, (float)norm, &found), 0);
    free(single);
    return (double)found;
}

/* The same estimate from the same vectors: rounding alone sets the two apart. */
void given_check_condition(const lu_system *s, clsolve_lu *lu, clsolve_layout layout) {
    (void)layout;
    for (int inf = 0; inf < 2; ++inf) {
        double norm = norm_of(s, inf), wanted = rcond_by_lapack(s, inf ? 'I' : '1', norm), rcond = -1;
        assert_int_equal(clsolve_lu_condition(lu, inf ? CLSOLVE_NORM_INF : CLSOLVE_NORM_ONE, norm, &rcond), CLSOLVE_OK);
        if (!(rcond <= 3 * wanted && 3 * rcond >= wanted))
            fail_msg("n %d, norm %d: rcond %g, LAPACK's %g", (int)s->n, inf, rcond, wanted);
    }
}

/* e_1 times a row of 64s, plus the identity: the two norms differ much, of the inverse too. */
static lu_system make_arrow(void) {
    lu_system s = given_system(CLSOLVE_F32, 50, 4);
    memset(s.A, 0, (size_t)(s.n * s.n) * sizeof *s.A);
    for (int64_t k = 0; k < s.n; ++k) {
        s.A[k + k * s.n] = 1;
        if (k > 0) s.A[k * s.n] = 64;
    }
    given_by_lapack(&s);
    return s;
}

TEST(test_condition_norms) {
    scratch_given s = make_arrow();
    for (int host = 0; host < 2; ++host) {
        OWNED(lu) *lu = given_import(&s, host, CLSOLVE_COLUMN_MAJOR);
        double one, inf, n1 = norm_of(&s, 0), ni = norm_of(&s, 1);
        assert_int_equal(clsolve_lu_condition(lu, CLSOLVE_NORM_ONE, n1, &one), CLSOLVE_OK);
        assert_int_equal(clsolve_lu_condition(lu, CLSOLVE_NORM_INF, ni, &inf), CLSOLVE_OK);
        /* ||A^-1|| is ||A|| in both norms, exactly. */
        assert_true(fabs(one * n1 * n1 - 1) < 1e-3);
        assert_true(fabs(inf * ni * ni - 1) < 1e-3);
        /* The norm is the caller's: with a tiny one it is more than 1. */
        assert_int_equal(clsolve_lu_condition(lu, CLSOLVE_NORM_ONE, 1e-3 / n1, &one), CLSOLVE_OK);
        assert_true(fabs(one * 1e-3 - 1) < 1e-3);
    }
}

TEST(test_condition) {
    given_each(given_check_condition);
}

/* ---- inverse: dget03's ||I - A X|| / (n ||A|| ||X|| eps) ---- */

static void check_inverse(const lu_system *s, clsolve_lu *lu, clsolve_layout layout) {
    const int64_t n = s->n;
    SCRATCH double *X = test_doubles(n * n);
    scratch_matrix x = given_matrix(s, layout, n, s->LU);

    assert_int_equal(clsolve_lu_inverse(lu, &x.view), CLSOLVE_OK);
    test_matrix_get(&x, X);
    test_matrix_spare_intact(&x);
    const double ratio = ratio_inverse(s->type, n, s->A, X);
    if (!(ratio < RATIO_BOUND)) fail_msg("n %d: inverse's ratio %g", (int)n, ratio);
}

TEST(test_inverse) {
    given_each(check_inverse);
}

/* ---- refinement ---- */

static void refine_by_lapack(const lu_system *s, char trans, int64_t nrhs, const double *B, double *X, double *ferr,
                             double *berr) {
    lapack_int n = (lapack_int)s->n, ld = n > 0 ? n : 1;
    if (s->type == CLSOLVE_F64) {
        assert_int_equal(LAPACKE_dgerfs(LAPACK_COL_MAJOR, trans, n, (lapack_int)nrhs, s->A, ld, s->LU, ld, s->pivots, B,
                                        ld, X, ld, ferr, berr),
                         0);
        return;
    }
    const size_t square = (size_t)(s->n * s->n), count = (size_t)(s->n * nrhs);
    float *all = test_room((int64_t)(2 * square + 2 * count) + 1, sizeof *all), f[GIVEN_NRHS], e[GIVEN_NRHS];
    float *A = all, *LU = A + square, *b = LU + square, *x = b + count;
    for (size_t k = 0; k < square; ++k) A[k] = (float)s->A[k], LU[k] = (float)s->LU[k];
    for (size_t k = 0; k < count; ++k) b[k] = (float)B[k], x[k] = (float)X[k];
    assert_int_equal(
        LAPACKE_sgerfs(LAPACK_COL_MAJOR, trans, n, (lapack_int)nrhs, A, ld, LU, ld, s->pivots, b, ld, x, ld, f, e), 0);
    for (int64_t c = 0; c < nrhs; ++c) ferr[c] = (double)f[c], berr[c] = (double)e[c];
    free(all);
}

/* B = op(A) Y for a known Y of few digits; X begins with an error of 1e-2. */
void given_check_refine(const lu_system *s, clsolve_lu *lu, clsolve_layout layout) {
    const int64_t n = s->n;
    SCRATCH double *B = test_doubles(n * GIVEN_NRHS);
    SCRATCH double *X = test_doubles(n * GIVEN_NRHS), *rough = test_doubles(n * GIVEN_NRHS),
                   *after = test_doubles(n * GIVEN_NRHS);
    double ferr[GIVEN_NRHS], berr[GIVEN_NRHS], ferr_l[GIVEN_NRHS], berr_l[GIVEN_NRHS];
    test_random random = test_random_start(11);

    test_random_fill(&random, B, n * GIVEN_NRHS);
    for (int64_t k = 0; k < n * GIVEN_NRHS; ++k) B[k] = test_rounded(s->type, B[k]);
    for (int op = 0; op < 2; ++op) {
        scratch_matrix a = given_matrix(s, layout, n, s->A), b = given_matrix(s, layout, GIVEN_NRHS, B),
                       x = given_matrix(s, layout, GIVEN_NRHS, B);
        assert_int_equal(clsolve_lu_solve(lu, (clsolve_op)op, &x.view), CLSOLVE_OK);
        test_matrix_get(&x, X);
        for (int64_t k = 0; k < n * GIVEN_NRHS; ++k)
            rough[k] = test_rounded(s->type, X[k] * (1 + (k % 2 ? 1e-2 : -1e-2)));
        test_matrix_set(&x, rough);
        assert_int_equal(clsolve_lu_refine(lu, (clsolve_op)op, &a.view, &b.view, &x.view, ferr, berr), CLSOLVE_OK);
        test_matrix_get(&x, after);
        test_matrix_spare_intact(&x);
        refine_by_lapack(s, op ? 'T' : 'N', GIVEN_NRHS, B, rough, ferr_l, berr_l);
        double ratio = ratio_solve(s->type, (clsolve_op)op, n, GIVEN_NRHS, s->A, after, B);
        if (!(ratio < RATIO_BOUND)) fail_msg("n %d, op %d: refined, ratio %g", (int)n, op, ratio);
        for (int c = 0; c < GIVEN_NRHS && n > 0; ++c) {
            if (!(berr[c] <= 8 * test_epsilon(s->type))) fail_msg("n %d: berr %g", (int)n, berr[c]);
            /* The weights of the bound have a part that rounding decides, which is the smaller one. */
            if (!(ferr[c] <= 10 * ferr_l[c] && 10 * ferr[c] >= ferr_l[c]))
                fail_msg("n %d, op %d: ferr %g, LAPACK's %g", (int)n, op, ferr[c], ferr_l[c]);
        }
        if (n == 0) assert_true(ferr[0] == 0 && berr[GIVEN_NRHS - 1] == 0);
        test_matrix_set(&x, rough);
        assert_int_equal(clsolve_lu_refine(lu, (clsolve_op)op, &a.view, &b.view, &x.view, NULL, NULL), CLSOLVE_OK);
    }
}

TEST(test_refine) {
    given_each(given_check_refine);
}

/* The bound is of the inverse's rows, not of its columns. */
TEST(test_refine_norms) {
    scratch_given s = make_arrow();
    for (int host = 0; host < 2; ++host) {
        OWNED(lu) *lu = given_import(&s, host, CLSOLVE_COLUMN_MAJOR);
        given_check_refine(&s, lu, CLSOLVE_COLUMN_MAJOR);
    }
}

/* ---- singular, refused ---- */

TEST(test_singular) {
    float LU[9] = {2, 0.5f, 0.5f, 1, 0, 0.25f, 1, 1, 3}, b[3] = {1, 2, 3}, out[9];
    int64_t ipiv[3] = {2, 2, 3}, back[3];
    lu_system s = {.type = CLSOLVE_F32, .n = 3};
    clsolve_matrix m = clsolve_matrix_f32(3, 3, LU), B = clsolve_matrix_f32(3, 1, b), X = clsolve_matrix_f32(3, 3, out);
    for (int host = 0; host < 2; ++host) {
        OWNED(lu) *lu = given_handle(&s, host, 0);
        clsolve_report report;
        double rcond = -1;
        memset(out, 0, sizeof out);
        GIVEN_EXPECT(clsolve_lu_condition(lu, CLSOLVE_NORM_ONE, 1, &rcond), CLSOLVE_ERROR_STATE, "factors");
        GIVEN_EXPECT(clsolve_lu_import(lu, &m, ipiv), CLSOLVE_SINGULAR, "U(2,2)");
        assert_int_equal(clsolve_lu_report(lu, &report), CLSOLVE_OK);
        assert_int_equal(report.info, 2);
        assert_int_equal(clsolve_lu_condition(lu, CLSOLVE_NORM_ONE, 1, &rcond), CLSOLVE_OK);
        assert_true(rcond == 0);
        GIVEN_EXPECT(clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &B), CLSOLVE_SINGULAR, "singular");
        GIVEN_EXPECT(clsolve_lu_inverse(lu, &X), CLSOLVE_SINGULAR, "singular");
        for (int k = 0; k < 9; ++k) assert_true(out[k] == 0);
        assert_true(b[0] == 1 && b[1] == 2 && b[2] == 3);
        assert_int_equal(clsolve_lu_factors(lu, &X, back), CLSOLVE_OK);
        assert_memory_equal(out, LU, sizeof LU);
        assert_memory_equal(back, ipiv, sizeof ipiv);
    }
}

TEST(test_refused) {
    SCRATCH_BY(given_free) lu_system s = given_system(CLSOLVE_F32, 4, 5);
    clsolve_lu *lu = given_import(&s, 0, CLSOLVE_COLUMN_MAJOR), *copies = NULL;
    scratch_matrix m = given_matrix(&s, CLSOLVE_COLUMN_MAJOR, 4, s.LU);
    int64_t wrong[4] = {1, 1, 3, 4};
    double rcond = 5, bound = 6;
    float one = 1;
    clsolve_matrix small = clsolve_matrix_f32(1, 1, &one);
    clsolve_lu_options refine = {.refine = 1};

    assert_int_equal(clsolve_lu_import(NULL, &m.view, s.ipiv), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_lu_condition(NULL, CLSOLVE_NORM_ONE, 1, &rcond), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_lu_inverse(NULL, &m.view), CLSOLVE_ERROR_INVALID_ARGUMENT);
    GIVEN_EXPECT(clsolve_lu_import(lu, &m.view, wrong), CLSOLVE_ERROR_INVALID_ARGUMENT, "ipiv[1] is 1");
    GIVEN_EXPECT(clsolve_lu_import(lu, &m.view, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT, "ipiv is NULL");
    GIVEN_EXPECT(clsolve_lu_import(lu, &small, s.ipiv), CLSOLVE_ERROR_INVALID_ARGUMENT, "LU has 1 rows");
    GIVEN_EXPECT(clsolve_lu_condition(lu, (clsolve_norm)2, 1, &rcond), CLSOLVE_ERROR_INVALID_ARGUMENT, "norm is 2");
    GIVEN_EXPECT(clsolve_lu_condition(lu, CLSOLVE_NORM_ONE, -1, &rcond), CLSOLVE_ERROR_INVALID_ARGUMENT, "norm_A");
    GIVEN_EXPECT(clsolve_lu_condition(lu, CLSOLVE_NORM_ONE, (double)NAN, &rcond), CLSOLVE_ERROR_INVALID_ARGUMENT,
                 "norm_A");
    GIVEN_EXPECT(clsolve_lu_inverse(lu, &small), CLSOLVE_ERROR_INVALID_ARGUMENT, "X has 1 rows");
    GIVEN_EXPECT(clsolve_lu_refine(lu, CLSOLVE_NO_TRANS, &small, &m.view, &m.view, &bound, NULL),
                 CLSOLVE_ERROR_INVALID_ARGUMENT, "A has 1 rows");
    /* A refused call leaves the factors. */
    check_solve(&s, lu, CLSOLVE_COLUMN_MAJOR);
    ((float *)m.memory)[1] = (float)NAN;
    GIVEN_EXPECT(clsolve_lu_import(lu, &m.view, s.ipiv), CLSOLVE_ERROR_NONFINITE, "LU(2,1)");
    GIVEN_EXPECT(clsolve_lu_inverse(lu, &m.view), CLSOLVE_ERROR_STATE, "no factors");
    assert_true(rcond == 5 && bound == 6);
    assert_int_equal(clsolve_lu_create(given_context, 4, CLSOLVE_F32, &refine, &copies), CLSOLVE_OK);
    GIVEN_EXPECT(clsolve_lu_import(copies, &m.view, s.ipiv), CLSOLVE_ERROR_UNSUPPORTED, "copy of A");
    clsolve_lu_destroy(copies);
    refine = (clsolve_lu_options){.nonfinite = 1};
    GIVEN_EXPECT(clsolve_lu_create(given_context, 4, CLSOLVE_F32, &refine, &copies), CLSOLVE_ERROR_UNSUPPORTED,
                 "nonfinite");
    clsolve_lu_destroy(lu);
}

TEST(test_refine_nonfinite) {
    SCRATCH_BY(given_free) lu_system s = given_system(CLSOLVE_F32, 6, 8);
    OWNED(lu) *lu = given_import(&s, 0, CLSOLVE_COLUMN_MAJOR);
    scratch_matrix a = given_matrix(&s, CLSOLVE_COLUMN_MAJOR, 6, s.A);
    float b[12] = {0, 1, 2, 3, 4, 5, 1, 1, 1, 1, 1, 1}, x[12] = {1, 1, 1, 1, 1, 1, 1, 1, (float)INFINITY, 1, 1, 1};
    float before[12];
    double ferr[2] = {7, 7}, berr[2] = {7, 7};
    clsolve_matrix B = clsolve_matrix_f32(6, 2, b), X = clsolve_matrix_f32(6, 2, x);
    memcpy(before, x, sizeof x);
    GIVEN_EXPECT(clsolve_lu_refine(lu, CLSOLVE_NO_TRANS, &a.view, &B, &X, ferr, berr), CLSOLVE_ERROR_NONFINITE,
                 "column 2");
    assert_memory_equal(before, x, sizeof x);
    assert_true(ferr[0] == 7 && ferr[1] == 7 && berr[0] == 7 && berr[1] == 7);
}

static int setup(void **state) {
    given_context = test_context(1);
    given_has_double = clsolve_context_device(given_context).fp64;
    return 0;
}

static int teardown(void **state) {
    clsolve_context_destroy(given_context);
    return 0;
}

TEST_PROGRAM(setup, teardown)
