/* LDL^T against LAPACK's own measures: its ratios for all types and both symmetries, layouts and triangles. */
#include <clsolve/clsolve.h>

#include <lapacke.h>

#include "api/context.h"
#include "ldl/ldl_support.h"
#include "support/fixture.h"

/* Panels are of 32 or 64 columns. */
static const int64_t sizes[] = {0, 1, 2, 3, 5, 16, 31, 32, 33, 63, 64, 65, 101, 128, 129, 257};
enum { SIZES = sizeof sizes / sizeof *sizes };
static int size_count = SIZES, stride = 1;

typedef struct trial {
    clsolve_ldl *handle;
    const ldl_shape *shape;
    clsolve_layout layout;
    clsolve_uplo uplo;
    ldl_kind kind;
    int64_t n;
    double complex *A; /* both triangles */
    double norm;
    int scaled;
} trial;

static void bounded(const trial *t, const char *what, double ratio) {
    if (!(ratio < RATIO_BOUND))
        fail_msg("%s: n %d, %s, %s, layout %d, uplo %d: ratio %g", what, (int)t->n, ldl_names[t->kind], t->shape->name,
                 (int)t->layout, (int)t->uplo, ratio);
}

static void okay(const trial *t, const char *call, clsolve_status status) {
    if (status != CLSOLVE_OK)
        fail_msg("%s: n %d, %s, %s: %s", call, (int)t->n, ldl_names[t->kind], t->shape->name,
                 clsolve_context_message(context));
}

static void put(const test_matrix *m, const double complex *values) {
    const int64_t count = m->view.rows * m->view.cols;
    SCRATCH double *numbers = test_elements(m->view.type, count);
    const int64_t parts = test_numbers(m->view.type, 1);
    for (int64_t k = 0; k < count * parts; ++k)
        numbers[k] = ((const double *)(const void *)values)[k / parts * 2 + k % parts];
    test_matrix_set(m, numbers);
}

static void get(const test_matrix *m, double complex *values) {
    const int64_t count = m->view.rows * m->view.cols, parts = test_numbers(m->view.type, 1);
    SCRATCH double *numbers = test_elements(m->view.type, count);
    test_matrix_get(m, numbers);
    for (int64_t k = 0; k < count; ++k) values[k] = CMPLX(numbers[k * parts], parts == 2 ? numbers[k * 2 + 1] : 0);
}

static void check_solve(const trial *t, test_random *random, int64_t nrhs) {
    const int64_t n = t->n;
    SCRATCH double complex *B = ldl_elements(n * nrhs), *X = ldl_elements(n * nrhs);
    scratch_matrix b = test_matrix_make(t->shape->type, t->layout, n, nrhs, 2);

    /* B = A X0, so that X is in range whatever the size of A. */
    for (int64_t k = 0; k < n * nrhs; ++k) X[k] = hermitian_drawn(random, t->shape->type);
    for (int64_t c = 0; c < nrhs; ++c)
        for (int64_t j = 0; j < n; ++j)
            for (int64_t i = 0; i < n; ++i) B[i + c * n] += t->A[i + j * n] * X[j + c * n];
    put(&b, B);
    get(&b, B); /* rounded */
    okay(t, "solve", clsolve_ldl_solve(t->handle, &b.view));
    get(&b, X);
    test_matrix_spare_intact(&b);
    if (n > 0) bounded(t, "solve", hermitian_solve_ratio(t->shape->type, n, nrhs, t->A, X, B));
}

static test_matrix nothing(const trial *t, clsolve_uplo uplo, int64_t spare) {
    SCRATCH double complex *none = ldl_elements(t->n * t->n);
    test_matrix m = test_matrix_make(t->shape->type, t->layout, t->n, t->n, spare);
    ldl_set(t->shape, &m, uplo, none);
    return m;
}

/* What was exported solves as a handle's own factors. */
static void check_import(const trial *t, const test_matrix *f, const int64_t *ipiv, test_random *random) {
    const clsolve_ldl_options options = test_ldl_options(t->shape);
    trial other = *t;
    okay(t, "create", clsolve_ldl_create(context, t->n, t->shape->type, &options, &other.handle));
    const clsolve_status status = clsolve_ldl_import(other.handle, &f->view, ipiv);
    if (status != CLSOLVE_ERROR_UNSUPPORTED) { /* a device without double keeps a copy of A */
        okay(t, "import", status);
        check_solve(&other, random, 2);
    }
    clsolve_ldl_destroy(other.handle);
}

static void check_factors(const trial *t, test_random *random) {
    const int64_t n = t->n;
    SCRATCH double complex *F = ldl_elements(n * n);
    SCRATCH int64_t *ipiv = test_room(n + 1, sizeof *ipiv);
    scratch_matrix f = nothing(t, CLSOLVE_LOWER, 3);

    const clsolve_status status = clsolve_ldl_factors(t->handle, &f.view, ipiv);
    if (status != CLSOLVE_ERROR_INVALID_ARGUMENT) { /* in float, for a device without double */
        okay(t, "factors", status);
        ldl_get(t->shape, &f, CLSOLVE_LOWER, F);
        bounded(t, "factors", n > 0 ? ldl_factor_ratio(t->shape, n, t->A, F, ipiv, !t->scaled) : 0);
        /* A last block of order 2 has no exchanges, as LAPACK's. */
        if (n > 1 && ipiv[n - 1] < 0) assert_true(ipiv[n - 1] == -n && ipiv[n - 2] == 1 - n);
        if (n > 2 && n < 130) check_import(t, &f, ipiv, random);
    }
}

/* Where it is in the range of the type; and the condition number by it. */
static void check_inverse(const trial *t) {
    const int64_t n = t->n;
    SCRATCH double complex *X = ldl_elements(n * n), *one = ldl_elements(n * n);
    const clsolve_uplo other = t->uplo == CLSOLVE_LOWER ? CLSOLVE_UPPER : CLSOLVE_LOWER;
    double rcond;

    if (t->kind != LDL_TINY && t->kind != LDL_HUGE && n > 0) {
        scratch_matrix x = nothing(t, other, 1);
        okay(t, "inverse", clsolve_ldl_inverse(t->handle, other, &x.view));
        ldl_get(t->shape, &x, other, X);
        const double size = t->norm * hermitian_norm(n, n, X);
        for (int64_t k = 0; k < n; ++k) one[k * (n + 1)] = 1;
        bounded(t, "inverse",
                hermitian_rest(n, n, n, t->A, X, 0, one) / ((double)n * size * test_epsilon(t->shape->type)));
        const clsolve_status status = clsolve_ldl_condition(t->handle, t->norm, &rcond);
        if (status != CLSOLVE_ERROR_UNSUPPORTED) { /* float factors */
            okay(t, "condition", status);
            if (!(rcond * size > 0.5 && rcond * size < 10))
                fail_msg("n %d, %s, %s: rcond %g where 1 / (||A|| ||X||) is %g", (int)n, ldl_names[t->kind],
                         t->shape->name, rcond, 1 / size);
        }
    }
}

static void check_report(const trial *t) {
    const double pi = acos(-1), digits = t->shape->type == CLSOLVE_F64 || t->shape->type == CLSOLVE_C64 ? 1e-10 : 1e-3;
    const double most = digits * (double)(t->n + 1);
    clsolve_report report;
    double argument;

    okay(t, "report", clsolve_ldl_report(t->handle, &report));
    assert_string_equal(report.method, "ldl");
    assert_int_equal(report.info, 0);
    if (t->shape->symmetry == CLSOLVE_SYMMETRY_TRANSPOSE || t->n == 0) {
        assert_int_equal(report.direct.inertia.positive + report.direct.inertia.negative, 0);
    } else if (strcmp(report.precision, "mixed") != 0) {
        const clsolve_inertia *i = &report.direct.inertia;
        assert_int_equal(i->positive + i->negative + i->zero, t->n);
    }
    if (t->kind == LDL_ILL || t->n > 130 || strcmp(report.precision, "mixed") == 0) return;
    const double expected = ldl_log_det(t->n, t->A, &argument);
    const double phase = report.direct.det_phase + (report.direct.det_sign < 0 ? pi : 0);
    if (!(fabs(report.direct.log_abs_det - expected) <= most * (1 + fabs(expected))) ||
        !(fabs(remainder(phase - argument, 2 * pi)) <= most))
        fail_msg("n %d, %s, %s: log |det| %g and argument %g, not %g and %g", (int)t->n, ldl_names[t->kind],
                 t->shape->name, report.direct.log_abs_det, phase, expected, argument);
}

static void check_matrix(trial *t, test_random *random) {
    scratch_matrix a = test_matrix_make(t->shape->type, t->layout, t->n, t->n, 5);

    t->A = ldl_elements(t->n * t->n);
    ldl_make(random, t->shape, t->kind, t->n, t->A);
    t->norm = hermitian_norm(t->n, t->n, t->A);
    ldl_set(t->shape, &a, t->uplo, t->A);
    okay(t, "factor", clsolve_ldl_factor(t->handle, t->uplo, &a.view));
    check_factors(t, random);
    check_solve(t, random, 1);
    check_solve(t, random, 5);
    check_inverse(t);
    check_report(t);
    free(t->A);
}

/* Each size with all kinds, or some of them; layouts and triangles take turns, so that all meet. */
static void check_sizes(const ldl_shape *shape, const clsolve_ldl_options *options, int use) {
    test_random random = test_random_start((uint64_t)use);

    for (int s = 0; s < size_count; s += stride) {
        trial t = {.shape = shape, .n = sizes[s]};
        okay(&t, "create", clsolve_ldl_create(context, t.n, shape->type, options, &t.handle));
        for (int kind = 0; kind < LDL_KINDS; ++kind) {
            if (t.n > 100 && (kind + s + use) % 3) continue;
            t.kind = (ldl_kind)kind;
            for (int form = 0; form < 4; ++form) {
                if (t.n > 5 && form != (s + kind) % 4) continue;
                t.layout = form % 2 ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR;
                t.uplo = form / 2 ? CLSOLVE_UPPER : CLSOLVE_LOWER;
                check_matrix(&t, &random);
            }
        }
        clsolve_ldl_destroy(t.handle);
    }
}

TEST(test_shapes) {
    for (int s = 0; s < LDL_SHAPES; ++s) {
        const clsolve_ldl_options options = test_ldl_options(&ldl_shapes[s]);
        if (test_has_type(context, ldl_shapes[s].type)) check_sizes(&ldl_shapes[s], &options, s);
    }
}

/* Refined, scaled, with float factors; and all of it. The options are those of every direct method. */
TEST(test_options) {
    for (int which = 1; which < 8; ++which) {
        const ldl_shape *shape = &ldl_shapes[which % LDL_SHAPES];
        clsolve_ldl_options options = test_ldl_options(shape);
        const int is_double = shape->type == CLSOLVE_F64 || shape->type == CLSOLVE_C64;
        test_random random = test_random_start(100 + (uint64_t)which);
        trial t = {.shape = shape, .n = 70, .layout = CLSOLVE_ROW_MAJOR, .uplo = CLSOLVE_UPPER, .scaled = which & 2};

        options.refine = which & 1;
        options.equilibrate = (which & 2) != 0;
        if ((which & 4) && is_double) options.precision = CLSOLVE_PRECISION_MIXED;
        options.rcond = 1;
        if (!test_has_type(context, shape->type)) continue;
        okay(&t, "create", clsolve_ldl_create(context, t.n, shape->type, &options, &t.handle));
        for (int kind = 0; kind < LDL_KINDS; ++kind) {
            clsolve_report report;
            double rcond;
            t.kind = (ldl_kind)kind;
            t.A = ldl_elements(t.n * t.n);
            ldl_make(&random, shape, t.kind, t.n, t.A);
            t.norm = hermitian_norm(t.n, t.n, t.A);
            scratch_matrix a = test_matrix_make(shape->type, t.layout, t.n, t.n, 1);
            ldl_set(shape, &a, t.uplo, t.A);
            okay(&t, "factor", clsolve_ldl_factor(t.handle, t.uplo, &a.view));
            check_solve(&t, &random, 3);
            if (!(options.precision == CLSOLVE_PRECISION_MIXED)) check_factors(&t, &random);
            check_inverse(&t);
            okay(&t, "report", clsolve_ldl_report(t.handle, &report));
            if (kind != LDL_TINY && kind != LDL_HUGE && is_double) assert_string_equal(report.precision, "double");
            /* Its solves are refined, those with the adjoint too. */
            if (kind == LDL_RANDOM) assert_true(report.direct.rcond > 0 && !report.direct.rcond_is_bound);
            if (clsolve_ldl_condition(t.handle, t.norm, &rcond) == CLSOLVE_OK && !report.direct.rcond_is_bound)
                if (!(fabs(report.direct.rcond - fmin(rcond, 1)) <= (t.kind == LDL_ILL ? 0.9 : 0.01) * rcond))
                    fail_msg("%s, %s, options %d: rcond %g, not %g", ldl_names[kind], shape->name, which,
                             report.direct.rcond, rcond);
            free(t.A);
        }
        clsolve_ldl_destroy(t.handle);
    }
}

/* ---- partial pivots ---- */

#define LAPACK_OF(shape, name, ...)                                                                                    \
    ((shape)->type == CLSOLVE_F32   ? LAPACKE_ssy##name(LAPACK_COL_MAJOR, 'L', __VA_ARGS__)                            \
     : (shape)->type == CLSOLVE_F64 ? LAPACKE_dsy##name(LAPACK_COL_MAJOR, 'L', __VA_ARGS__)                            \
     : (shape)->type == CLSOLVE_C32                                                                                    \
         ? ((shape)->symmetry == CLSOLVE_SYMMETRY_HERMITIAN ? LAPACKE_che##name(LAPACK_COL_MAJOR, 'L', __VA_ARGS__)    \
                                                            : LAPACKE_csy##name(LAPACK_COL_MAJOR, 'L', __VA_ARGS__))   \
     : (shape)->symmetry == CLSOLVE_SYMMETRY_HERMITIAN ? LAPACKE_zhe##name(LAPACK_COL_MAJOR, 'L', __VA_ARGS__)         \
                                                       : LAPACKE_zsy##name(LAPACK_COL_MAJOR, 'L', __VA_ARGS__))

/* One right-hand side of A X0, in b. */
static void make_side(const trial *t, test_random *random, const test_matrix *b, double complex *B) {
    const int64_t n = t->n;
    for (int64_t i = 0; i < n; ++i) B[i] = 0;
    for (int64_t j = 0; j < n; ++j) {
        const double complex x = hermitian_drawn(random, t->shape->type);
        for (int64_t i = 0; i < n; ++i) B[i] += t->A[i + j * n] * x;
    }
    put(b, B);
    get(b, B);
}

/* LAPACK solves with the library's factors, which are right by its form of them. */
static void check_for_lapack(const trial *t, test_random *random) {
    const int64_t n = t->n;
    SCRATCH double complex *F = ldl_elements(n * n), *B = ldl_elements(n), *X = ldl_elements(n);
    SCRATCH int64_t *ipiv = test_room(n, sizeof *ipiv);
    SCRATCH int32_t *pivots = test_room(n, sizeof *pivots);
    scratch_matrix f = nothing(t, CLSOLVE_LOWER, 0),
                   b = test_matrix_make(t->shape->type, CLSOLVE_COLUMN_MAJOR, n, 1, 0);

    okay(t, "factors", clsolve_ldl_factors(t->handle, &f.view, ipiv));
    for (int64_t k = 0; k < n; ++k) pivots[k] = (int32_t)ipiv[k];
    make_side(t, random, &b, B);
    assert_int_equal(LAPACK_OF(t->shape, trs, (int32_t)n, 1, f.view.data, (int32_t)f.view.ld, pivots, b.view.data,
                               (int32_t)b.view.ld),
                     0);
    get(&b, X);
    bounded(t, "LAPACK's solve", hermitian_solve_ratio(t->shape->type, n, 1, t->A, X, B));
    ldl_get(t->shape, &f, CLSOLVE_LOWER, F);
    for (int64_t k = 0; k < n; ++k)
        if (ipiv[k] < 0) {
            assert_true(k + 1 < n && ipiv[k + 1] == ipiv[k]);
            ipiv[k] = -(k + 1); /* as rook pivots */
            ++k;
        }
    bounded(t, "factors", ldl_factor_ratio(t->shape, n, t->A, F, ipiv, 0));
}

/* The library takes LAPACK's. */
static void check_of_lapack(trial *t, test_random *random) {
    const int64_t n = t->n;
    SCRATCH int64_t *ipiv = test_room(n, sizeof *ipiv);
    SCRATCH int32_t *pivots = test_room(n, sizeof *pivots);
    scratch_matrix f = test_matrix_make(t->shape->type, CLSOLVE_COLUMN_MAJOR, n, n, 0);

    put(&f, t->A);
    assert_int_equal(LAPACK_OF(t->shape, trf, (int32_t)n, f.view.data, (int32_t)f.view.ld, pivots), 0);
    for (int64_t k = 0; k < n; ++k) ipiv[k] = pivots[k];
    okay(t, "import", clsolve_ldl_import(t->handle, &f.view, ipiv));
    check_solve(t, random, 2);
    check_inverse(t);
    for (int64_t k = 0; k + 1 < n; ++k)
        if (ipiv[k] < 0) {
            ipiv[k] = -(k + 1); /* as a rook's, which differs from the other one */
            if (ipiv[k] != ipiv[k + 1])
                assert_int_equal(clsolve_ldl_import(t->handle, &f.view, ipiv), CLSOLVE_ERROR_INVALID_ARGUMENT);
            ++k;
        }
}

/* Without double precision the factors of doubles are of float. */
static int in_its_type(clsolve_type type) {
    return !cls_is_double(type) || !context->device || context->device->info.fp64;
}

/* sytrf's form of the factors, both ways. */
TEST(test_partial) {
    static const int64_t orders[] = {1, 2, 3, 5, 33, 64, 65, 131};
    static const ldl_kind kinds[] = {LDL_RANDOM, LDL_SADDLE, LDL_NO_DIAGONAL, LDL_GRADED};
    for (int s = 0; s < LDL_SHAPES; ++s)
        for (size_t o = 0; o < sizeof orders / sizeof *orders; ++o) {
            clsolve_ldl_options options = test_ldl_options(&ldl_shapes[s]);
            test_random random = test_random_start(200 + (uint64_t)s);
            trial t = {.shape = &ldl_shapes[s], .n = orders[o], .layout = CLSOLVE_COLUMN_MAJOR};
            options.precision = CLSOLVE_PRECISION_WORKING;
            options.pivots = CLSOLVE_LDL_PIVOTS_PARTIAL;
            if (!test_has_type(context, t.shape->type) || !in_its_type(t.shape->type)) continue;
            okay(&t, "create", clsolve_ldl_create(context, t.n, t.shape->type, &options, &t.handle));
            t.kind = kinds[(o + (size_t)s) % 4];
            t.A = ldl_elements(t.n * t.n);
            ldl_make(&random, t.shape, t.kind, t.n, t.A);
            t.norm = hermitian_norm(t.n, t.n, t.A);
            scratch_matrix a = test_matrix_make(t.shape->type, CLSOLVE_COLUMN_MAJOR, t.n, t.n, 1);
            ldl_set(t.shape, &a, CLSOLVE_LOWER, t.A);
            okay(&t, "factor", clsolve_ldl_factor(t.handle, CLSOLVE_LOWER, &a.view));
            check_solve(&t, &random, 2);
            check_for_lapack(&t, &random);
            check_of_lapack(&t, &random);
            free(t.A);
            clsolve_ldl_destroy(t.handle);
        }
}

/* A matrix in several buffers is refused. */
TEST(test_slabs) {
    clsolve_ldl_options options = test_ldl_options(&ldl_shapes[1]);
    clsolve_ldl *ldl = NULL;
    options.slab_bytes = 64 * 300 * 4;
    options.where = CLSOLVE_WHERE_DEVICE;
    assert_int_equal(clsolve_ldl_create(context, 257, CLSOLVE_F32, &options, &ldl), CLSOLVE_ERROR_UNSUPPORTED);
    assert_null(ldl);
}

int main(void) {
    test_require_device();
    test_ldl_require_panel();
    if (test_reduced()) stride = 3;
    return test_run(open_context, close_context);
}
