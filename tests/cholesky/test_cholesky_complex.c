/*
 * Hermitian positive definite matrices: LAPACK's ratios in both triangles and layouts, the diagonal's imaginary part,
 * options, and matrices that are not positive definite.
 */
#include <clsolve/clsolve.h>

#include <complex.h>
#include <float.h>
#include <lapacke.h>

#include "api/context.h"
#include "cholesky/cholesky_support.h"
#include "cholesky/hermitian_support.h"
#include "support/fixture.h"

/* Leaves are of 64 columns, or 32. */
static const int64_t sizes[] = {0, 1, 2, 3, 5, 31, 32, 33, 63, 64, 65, 101, 129, 257};
enum { SIZES = sizeof sizes / sizeof *sizes };

typedef struct trial {
    clsolve_type type;
    clsolve_layout layout;
    clsolve_uplo uplo;
    int64_t n;
    double complex *A; /* both triangles */
    clsolve_cholesky *handle;
} trial;

static double complex *elements(int64_t count) {
    return (double complex *)(void *)test_elements(CLSOLVE_C64, count);
}

static double complex rounded(clsolve_type type, double complex value) {
    return CMPLX(test_rounded(type, creal(value)), test_rounded(type, cimag(value)));
}

/* A = X X^H + n D with random X: eigenvalues between about n and 3 n, times the grades of rows and columns. */
static void fill(test_random *random, const trial *t, int graded) {
    const int64_t n = t->n;
    SCRATCH double complex *X = elements(n * n);

    for (int64_t k = 0; k < n * n; ++k) X[k] = CMPLX(test_random_signed(random), test_random_signed(random));
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = j; i < n; ++i) {
            double complex sum = i == j ? (double)n : 0;
            for (int64_t k = 0; k < n; ++k) sum += X[i + k * n] * conj(X[j + k * n]);
            if (graded) sum *= ldexp(1, -(int)((i + j) * 8 / n));
            sum = rounded(t->type, i == j ? creal(sum) : sum);
            t->A[i + j * n] = sum;
            t->A[j + i * n] = conj(sum);
        }
}

/* The triangle of A in the trial's array; the other one NaN, and the diagonal's imaginary parts anything, NaN too. */
static test_matrix give(const trial *t) {
    const int64_t n = t->n;
    SCRATCH double complex *all = elements(n * n);
    test_matrix a = test_matrix_make(t->type, t->layout, n, n, 2);

    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < n; ++i) {
            const int inside = t->uplo == CLSOLVE_LOWER ? i >= j : i <= j;
            all[i + j * n] = inside ? t->A[i + j * n] : CMPLX((double)NAN, (double)NAN);
            if (i == j) all[i + j * n] = CMPLX(creal(t->A[i + j * n]), i % 3 ? 7 : (double)NAN);
        }
    test_matrix_set(&a, (double *)all);
    return a;
}

/* What came out in the triangle `uplo`; the other one of it is left 0, or with `whole` made of it. */
static void take(const trial *t, clsolve_uplo uplo, const test_matrix *a, int whole, double complex *values) {
    const int64_t n = t->n;

    test_matrix_get(a, (double *)values);
    test_matrix_spare_intact(a);
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < n; ++i) {
            if (uplo == CLSOLVE_LOWER ? i >= j : i <= j) continue;
            assert_true(isnan(creal(values[i + j * n]))); /* as it was */
            values[i + j * n] = whole ? conj(values[j + i * n]) : 0;
        }
}

static void bounded(const trial *t, const char *what, double ratio) {
    if (!(ratio < RATIO_BOUND))
        fail_msg("%s: n %d, %s, layout %d, uplo %d: ratio %g", what, (int)t->n, test_type_names[t->type],
                 (int)t->layout, (int)t->uplo, ratio);
}

static void check_factor(const trial *t) {
    const int64_t n = t->n;
    SCRATCH double complex *F = elements(n * n);

    for (int uplo = CLSOLVE_LOWER; uplo <= CLSOLVE_UPPER; ++uplo) {
        trial other = *t;
        other.uplo = (clsolve_uplo)uplo;
        scratch_matrix f = give(&other);
        assert_int_equal(clsolve_cholesky_factors(t->handle, other.uplo, &f.view), CLSOLVE_OK);
        take(t, other.uplo, &f, 0, F);
        if (n > 0) bounded(t, "factor", hermitian_factor_ratio(t->type, n, t->A, F, other.uplo));
    }
}

static void check_inverse(const trial *t, clsolve_uplo uplo) {
    const int64_t n = t->n;
    SCRATCH double complex *X = elements(n * n);
    trial other = *t;

    other.uplo = uplo;
    scratch_matrix x = give(&other);
    assert_int_equal(clsolve_cholesky_inverse(t->handle, uplo, &x.view), CLSOLVE_OK);
    take(t, uplo, &x, 1, X);
    if (n > 0) bounded(t, "inverse", hermitian_inverse_ratio(t->type, n, t->A, X, uplo));
}

static void check_solve(const trial *t, test_random *random, int64_t nrhs) {
    const int64_t n = t->n;
    SCRATCH double *B = test_elements(CLSOLVE_C64, n * nrhs), *X = test_elements(CLSOLVE_C64, n * nrhs);
    scratch_matrix b = test_matrix_make(t->type, t->layout, n, nrhs, 1);

    for (int64_t k = 0; k < 2 * n * nrhs; ++k) B[k] = test_rounded(t->type, test_random_signed(random));
    test_matrix_set(&b, B);
    if (clsolve_cholesky_solve(t->handle, &b.view) != CLSOLVE_OK) fail_msg("%s", clsolve_context_message(context));
    test_matrix_get(&b, X);
    test_matrix_spare_intact(&b);
    bounded(t, "solve", ratio_solve(t->type, CLSOLVE_NO_TRANS, n, nrhs, (const double *)t->A, X, B));
}

/* log det and rcond against LAPACK's. */
static void check_report(const trial *t, int wants_rcond) {
    const lapack_int n = (lapack_int)t->n;
    SCRATCH double complex *F = elements(t->n * t->n);
    double log_det = 0, rcond = 1, given = 0;
    clsolve_report report;

    memcpy(F, t->A, (size_t)(t->n * t->n) * sizeof *F);
    assert_int_equal(LAPACKE_zpotrf(LAPACK_COL_MAJOR, 'L', n, F, n > 0 ? n : 1), 0);
    for (int64_t k = 0; k < n; ++k) log_det += 2 * log(creal(F[k * (n + 1)]));
    if (n > 0) assert_int_equal(LAPACKE_zpocon(LAPACK_COL_MAJOR, 'L', n, F, n, hermitian_norm(n, n, t->A), &rcond), 0);
    assert_int_equal(clsolve_cholesky_report(t->handle, &report), CLSOLVE_OK);
    assert_int_equal(report.direct.det_sign, 1);
    assert_true(report.direct.det_phase == 0);
    assert_true(fabs(report.direct.log_abs_det - log_det) <= 1e-3 * (1 + fabs(log_det)));
    if (wants_rcond) assert_true(report.direct.rcond > rcond / 4 && report.direct.rcond < rcond * 4);
    const clsolve_status status = clsolve_cholesky_condition(t->handle, hermitian_norm(n, n, t->A), &given);
    if (status == CLSOLVE_OK && n > 0) assert_true(given > rcond / 4 && given < rcond * 4);
}

static void check(trial *t, test_random *random, clsolve_cholesky_options options, int graded) {
    options.panel = test_cholesky_options().panel;
    options.rcond = 1;
    t->A = elements(t->n * t->n);
    if (clsolve_cholesky_create(context, t->n, t->type, &options, &t->handle) != CLSOLVE_OK)
        fail_msg("create: %s", clsolve_context_message(context));
    fill(random, t, graded);
    scratch_matrix a = give(t);
    if (clsolve_cholesky_factor(t->handle, t->uplo, &a.view) != CLSOLVE_OK)
        fail_msg("n %d: %s", (int)t->n, clsolve_context_message(context));
    test_matrix_spare_intact(&a);
    check_solve(t, random, 1);
    check_solve(t, random, 3);
    if (options.precision != CLSOLVE_PRECISION_MIXED) {
        check_factor(t);
        check_inverse(t, t->uplo == CLSOLVE_LOWER ? CLSOLVE_UPPER : CLSOLVE_LOWER);
        check_inverse(t, t->uplo);
    }
    check_report(t, 1);
    clsolve_cholesky_destroy(t->handle);
    free(t->A);
}

static int is_there(clsolve_type type) {
    return test_has_type(context, type);
}

TEST(test_sizes) {
    test_random random = test_random_start(1);

    for (int s = 0; s < SIZES; s += test_reduced() ? 3 : 1)
        for (int type = CLSOLVE_C32; type <= CLSOLVE_C64; ++type)
            for (int shape = 0; shape < 4; ++shape) {
                trial t = {.type = (clsolve_type)type, .n = sizes[s]};
                if (!is_there(t.type) || (t.n > 33 && shape != (s + type) % 4)) continue;
                t.layout = shape % 2 ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR;
                t.uplo = shape / 2 ? CLSOLVE_UPPER : CLSOLVE_LOWER;
                check(&t, &random, (clsolve_cholesky_options){.block = 0}, 0);
            }
}

/* Scaling, a copy of A, and factors in float; on a device without double a handle of complex doubles is mixed. */
TEST(test_options) {
    static const clsolve_cholesky_options all[] = {
        {.equilibrate = 1}, {.refine = 1}, {.equilibrate = 1, .refine = 1}, {.precision = CLSOLVE_PRECISION_MIXED}};
    test_random random = test_random_start(2);

    for (size_t o = 0; o < sizeof all / sizeof *all; ++o)
        for (int type = CLSOLVE_C32; type <= CLSOLVE_C64; ++type)
            for (int shape = 0; shape < 4; ++shape) {
                const int mixed = all[o].precision == CLSOLVE_PRECISION_MIXED;
                trial t = {.type = (clsolve_type)type, .n = 70};
                if (test_reduced() && shape != ((int)o + type) % 4) continue;
                if (mixed ? type == CLSOLVE_C32 : !is_there(t.type)) continue;
                t.layout = shape % 2 ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR;
                t.uplo = shape / 2 ? CLSOLVE_UPPER : CLSOLVE_LOWER;
                check(&t, &random, all[o], all[o].equilibrate);
            }
}

/* Under the least limit that will do; 4 slabs of 64 columns, or 7 of 32. */
TEST(test_out_of_core) {
    static const clsolve_cholesky_options all[] = {
        {.block = 64}, {.equilibrate = 1}, {.refine = 1}, {.precision = CLSOLVE_PRECISION_MIXED}};
    test_random random = test_random_start(6);

    if (context->device->no_kernels) skip(); /* the host's memory is not counted in advance */
    for (size_t o = 0; o < sizeof all / sizeof *all; ++o) {
        const int mixed = all[o].precision == CLSOLVE_PRECISION_MIXED;
        trial t = {.type = mixed || (is_there(CLSOLVE_C64) && o % 2 == 0) ? CLSOLVE_C64 : CLSOLVE_C32, .n = 203};
        clsolve_cholesky_options options = all[o];
        t.layout = o % 2 ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR;
        t.uplo = o / 2 ? CLSOLVE_UPPER : CLSOLVE_LOWER;
        options.memory_limit = cholesky_least_limit(context, t.type, t.n, &options);
        check(&t, &random, options, options.equilibrate);
    }
}

/* A factor of LAPACK's from each triangle and layout. */
TEST(test_import) {
    test_random random = test_random_start(3);

    for (int shape = 0; shape < 4; ++shape) {
        trial t = {.type = is_there(CLSOLVE_C64) ? CLSOLVE_C64 : CLSOLVE_C32, .n = 45};
        const lapack_int n = (lapack_int)t.n;
        const clsolve_cholesky_options options = test_cholesky_options();
        t.layout = shape % 2 ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR;
        t.uplo = shape / 2 ? CLSOLVE_UPPER : CLSOLVE_LOWER;
        t.A = elements(t.n * t.n);
        fill(&random, &t, 0);
        trial factor = t;
        factor.A = elements(t.n * t.n);
        memcpy(factor.A, t.A, (size_t)(t.n * t.n) * sizeof *t.A);
        assert_int_equal(LAPACKE_zpotrf(LAPACK_COL_MAJOR, shape / 2 ? 'U' : 'L', n, factor.A, n), 0);
        scratch_matrix f = give(&factor);
        assert_int_equal(clsolve_cholesky_create(context, t.n, t.type, &options, &t.handle), CLSOLVE_OK);
        if (clsolve_cholesky_import(t.handle, t.uplo, &f.view) != CLSOLVE_OK)
            fail_msg("import: %s", clsolve_context_message(context));
        check_solve(&t, &random, 2);
        check_factor(&t);
        check_report(&t, 0);
        clsolve_cholesky_destroy(t.handle);
        free(factor.A);
        free(t.A);
    }
}

/* The first minor that is not positive, and NaN and Inf where they are. */
TEST(test_refused) {
    test_random random = test_random_start(4);
    const clsolve_cholesky_options options = test_cholesky_options();
    trial t = {.type = CLSOLVE_C32, .n = 80};
    clsolve_report report;

    t.A = elements(t.n * t.n);
    assert_int_equal(clsolve_cholesky_create(context, t.n, t.type, &options, &t.handle), CLSOLVE_OK);
    for (int shape = 0; shape < 4; ++shape) {
        t.layout = shape % 2 ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR;
        t.uplo = shape / 2 ? CLSOLVE_UPPER : CLSOLVE_LOWER;
        fill(&random, &t, 0);
        t.A[66 * (t.n + 1)] = -1;
        test_matrix a = give(&t);
        assert_int_equal(clsolve_cholesky_factor(t.handle, t.uplo, &a.view), CLSOLVE_NOT_POSITIVE_DEFINITE);
        assert_int_equal(clsolve_cholesky_report(t.handle, &report), CLSOLVE_OK);
        assert_int_equal(report.info, 67);
        test_matrix_free(&a);
        t.A[66 * (t.n + 1)] = 1000;
        t.A[50 + 9 * t.n] = CMPLX(0, (double)INFINITY);
        t.A[9 + 50 * t.n] = CMPLX((double)NAN, 0);
        a = give(&t);
        assert_int_equal(clsolve_cholesky_factor(t.handle, t.uplo, &a.view), CLSOLVE_ERROR_NONFINITE);
        assert_non_null(strstr(clsolve_context_message(context), shape / 2 ? "A(10,51)" : "A(51,10)"));
        test_matrix_free(&a);
    }
    clsolve_cholesky_destroy(t.handle);
    free(t.A);
}

/* The front door, by name and by AUTO, in one call and by a solver, also a solver of a sparse matrix. */
static clsolve_status solve_through(int door, clsolve_op op, const test_matrix *a, clsolve_matrix *b,
                                    const clsolve_solver_options *options, clsolve_solve_report *report) {
    const int64_t n = a->view.rows;
    clsolve_solver *solver = NULL;
    if (door == 0) return clsolve_solve(context, op, &a->view, b, options, report);
    if (door == 1) {
        clsolve_status status = clsolve_solver_create(context, &a->view, options, &solver);
        if (status == CLSOLVE_OK) status = clsolve_solver_factor(solver, &a->view);
        if (status == CLSOLVE_OK) status = clsolve_solver_solve(solver, op, b);
        if (solver) assert_int_equal(clsolve_solver_report(solver, report), CLSOLVE_OK);
        clsolve_solver_destroy(solver);
        return status;
    }
    /* Row by row, as a row-major array is, without the spare at the ends of its rows. */
    SCRATCH int32_t *start = calloc((size_t)n + 1, sizeof *start), *column = calloc((size_t)(n * n), sizeof *column);
    const size_t size = a->view.type == CLSOLVE_C64 ? sizeof(double complex) : sizeof(float complex);
    SCRATCH char *values = calloc((size_t)(n * n), size);
    assert_true(start && column && values);
    for (int64_t i = 0; i < n; ++i) {
        start[i + 1] = (int32_t)((i + 1) * n);
        for (int64_t j = 0; j < n; ++j) column[i * n + j] = (int32_t)j;
        memcpy(values + (size_t)(i * n) * size, (const char *)a->view.data + (size_t)(i * a->view.ld) * size,
               (size_t)n * size);
    }
    const clsolve_csr view = {.type = a->view.type,
                              .index = CLSOLVE_I32,
                              .rows = n,
                              .cols = n,
                              .row_start = start,
                              .column = column,
                              .values = values};
    return clsolve_solve_csr(context, op, &view, b, options, report);
}

TEST(test_one_call) {
    const int64_t n = 130;
    const clsolve_solver_options by_name = {.method = CLSOLVE_METHOD_CHOLESKY};
    const clsolve_type type = is_there(CLSOLVE_C64) ? CLSOLVE_C64 : CLSOLVE_C32;
    test_random random = test_random_start(5);
    trial t = {.type = type, .n = n, .A = elements(n * n)};
    scratch_matrix a = test_matrix_make(type, CLSOLVE_ROW_MAJOR, n, n, 1);
    SCRATCH double *B = test_elements(CLSOLVE_C64, n), *X = test_elements(CLSOLVE_C64, n);

    fill(&random, &t, 0);
    test_matrix_set(&a, (double *)t.A);
    for (int way = 0; way < 18; ++way) {
        const int op = CLSOLVE_NO_TRANS + way % 3, automatic = way / 3 % 2, door = way / 6;
        clsolve_solve_report report;
        scratch_matrix b = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, n, 1, 0);
        for (int64_t k = 0; k < 2 * n; ++k) B[k] = test_rounded(type, test_random_signed(&random));
        test_matrix_set(&b, B);
        const clsolve_status status =
            solve_through(door, (clsolve_op)op, &a, &b.view, automatic ? NULL : &by_name, &report);
        test_matrix_get(&b, X);
        if (status != CLSOLVE_OK) fail_msg("door %d: %s", door, clsolve_context_message(context));
        /* AUTO goes where the model expects less time, where there is a choice: with a GPU, and for a sparse matrix. */
        if (!automatic || (door < 2 && clsolve_context_device(context).host_memory))
            assert_string_equal(report.name, "cholesky");
        bounded(&t, "one call", ratio_solve(type, (clsolve_op)op, n, 1, (const double *)t.A, X, B));
    }
    /* A minor that is not positive, behind a diagonal that is: LDL^T or LU follows, and B was conjugated and back. */
    t.A[90 + 20 * n] = CMPLX(0, 900);
    t.A[20 + 90 * n] = CMPLX(0, -900);
    test_matrix_set(&a, (double *)t.A);
    for (int door = 0; door < 2; ++door) {
        clsolve_solve_report report;
        scratch_matrix c = test_matrix_make(type, CLSOLVE_ROW_MAJOR, n, 1, 0);
        test_matrix_set(&c, B);
        if (solve_through(door, CLSOLVE_TRANS, &a, &c.view, NULL, &report) != CLSOLVE_OK)
            fail_msg("%s", clsolve_context_message(context));
        assert_true(strcmp(report.name, "lu") == 0 || strcmp(report.name, "ldl") == 0); /* the quicker one */
        if (clsolve_context_device(context).host_memory) assert_int_equal(report.attempts_count, 1);
        test_matrix_get(&c, X);
        bounded(&t, "after cholesky", ratio_solve(type, CLSOLVE_TRANS, n, 1, (const double *)t.A, X, B));
    }
    t.A[7 * n + 3] += 1;
    test_matrix_set(&a, (double *)t.A);
    scratch_matrix b = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, n, 1, 0);
    assert_int_equal(clsolve_solve(context, CLSOLVE_NO_TRANS, &a.view, &b.view, &by_name, NULL),
                     CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(clsolve_context_message(context), "not hermitian"));
    free(t.A);
}

TEST_PROGRAM_BY((test_require_device(), test_cholesky_require_panel()), open_context, close_context)
