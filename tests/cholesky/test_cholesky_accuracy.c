/* Cholesky against LAPACK's own measures: its matrices and ratios; both types, layouts and triangles. */
#include <clsolve/clsolve.h>

#include "cholesky/cholesky_support.h"
#include "support/fixture.h"

/* Leaves are of 64 columns, or 32; blocks as the options say. */
static const int64_t sizes[] = {0,  1,  2,   3,   5,   16,  31,  32,  33,  63,  64,
                                65, 67, 101, 127, 128, 129, 191, 255, 256, 257, 541};
enum { SIZES = sizeof sizes / sizeof *sizes };
static int size_count = SIZES, stride = 1;

static int has_type(clsolve_type type) {
    return type == CLSOLVE_F32 || clsolve_context_device(context).fp64;
}

/* One matrix in one shape. */
typedef struct trial {
    clsolve_cholesky *handle;
    clsolve_type type;
    clsolve_layout layout;
    clsolve_uplo uplo;
    spd_kind kind;
    int64_t n;
    const double *A; /* both triangles */
} trial;

static void bounded(const trial *t, const char *what, double ratio) {
    if (!(ratio < RATIO_BOUND))
        fail_msg("%s: n %d, %s, type %d, layout %d, uplo %d: ratio %g", what, (int)t->n, spd_names[t->kind],
                 (int)t->type, (int)t->layout, (int)t->uplo, ratio);
}

static void check_solve(const trial *t, test_random *random, int64_t nrhs) {
    const int64_t n = t->n;
    SCRATCH double *B = test_doubles(n * nrhs), *X = test_doubles(n * nrhs);
    scratch_matrix b = test_matrix_make(t->type, t->layout, n, nrhs, 2);

    /* B = A X0, so that X is in range whatever the size of A. */
    for (int64_t k = 0; k < n * nrhs; ++k) X[k] = test_random_signed(random);
    for (int64_t c = 0; c < nrhs; ++c)
        for (int64_t j = 0; j < n; ++j)
            for (int64_t i = 0; i < n; ++i) B[i + c * n] += t->A[i + j * n] * X[j + c * n];
    for (int64_t k = 0; k < n * nrhs; ++k) B[k] = test_rounded(t->type, B[k]);
    test_matrix_set(&b, B);
    assert_int_equal(clsolve_cholesky_solve(t->handle, &b.view), CLSOLVE_OK);
    test_matrix_get(&b, X);
    test_matrix_spare_intact(&b);
    bounded(t, "solve", ratio_solve(t->type, CLSOLVE_NO_TRANS, n, nrhs, t->A, X, B));
}

/* The factor in either triangle, whichever was read. */
static void check_factor(const trial *t) {
    SCRATCH double *F = test_doubles(t->n * t->n), *none = test_doubles(t->n * t->n);

    for (int uplo = CLSOLVE_LOWER; uplo <= CLSOLVE_UPPER; ++uplo) {
        scratch_matrix f = test_matrix_make(t->type, t->layout, t->n, t->n, 3);
        triangle_set(&f, (clsolve_uplo)uplo, none);
        assert_int_equal(clsolve_cholesky_factors(t->handle, (clsolve_uplo)uplo, &f.view), CLSOLVE_OK);
        triangle_get(&f, (clsolve_uplo)uplo, F);
        triangle_rest_intact(&f, (clsolve_uplo)uplo);
        bounded(t, "factor", ratio_cholesky(t->type, t->n, t->A, F));
        for (int64_t k = 0; k < t->n; ++k) assert_true(F[k * (t->n + 1)] > 0);
    }
}

/* Where it is in the range of the type. */
static void check_inverse(const trial *t) {
    SCRATCH double *X = test_doubles(t->n * t->n), *none = test_doubles(t->n * t->n);
    clsolve_uplo other = t->uplo == CLSOLVE_LOWER ? CLSOLVE_UPPER : CLSOLVE_LOWER;
    scratch_matrix x = test_matrix_make(t->type, t->layout, t->n, t->n, 1);

    if (t->kind != SPD_TINY && t->kind != SPD_HUGE) {
        triangle_set(&x, other, none);
        assert_int_equal(clsolve_cholesky_inverse(t->handle, other, &x.view), CLSOLVE_OK);
        triangle_get(&x, other, X);
        triangle_rest_intact(&x, other);
        bounded(t, "inverse", ratio_inverse(t->type, t->n, t->A, X));
    }
}

static double log_det(int64_t n, const double *A) {
    double *F = test_doubles(n * n), sum = 0;
    for (int64_t k = 0; k < n * n; ++k) F[k] = A[k];
    for (int64_t j = 0; j < n; ++j) { /* A = L D L^T, column by column */
        for (int64_t i = j + 1; i < n; ++i)
            for (int64_t k = j + 1; k <= i; ++k) F[i + k * n] -= F[i + j * n] / F[j + j * n] * F[k + j * n];
        sum += log(F[j + j * n]);
    }
    free(F);
    return sum;
}

static void check_report(const trial *t) {
    clsolve_report report;
    assert_int_equal(clsolve_cholesky_report(t->handle, &report), CLSOLVE_OK);
    assert_string_equal(report.method, "cholesky");
    assert_int_equal(report.info, 0);
    assert_int_equal(report.direct.det_sign, 1);
    if (t->kind != SPD_ILL && t->n < 300) {
        double expected = log_det(t->n, t->A), digits = t->type == CLSOLVE_F32 ? 1e-4 : 1e-10;
        assert_true(fabs(report.direct.log_abs_det - expected) <= digits * (fabs(expected) + (double)t->n));
    }
}

static void check_matrix(trial *t, test_random *random) {
    SCRATCH double *A = test_doubles(t->n * t->n);
    scratch_matrix a = test_matrix_make(t->type, t->layout, t->n, t->n, 5);

    spd_make(random, t->type, t->kind, t->n, A);
    t->A = A;
    triangle_set(&a, t->uplo, A);
    clsolve_status status = clsolve_cholesky_factor(t->handle, t->uplo, &a.view);
    if (status != CLSOLVE_OK) fail_msg("n %d, %s: %s", (int)t->n, spd_names[t->kind], clsolve_context_message(context));
    triangle_rest_intact(&a, t->uplo);
    check_factor(t);
    check_solve(t, random, 1);
    check_solve(t, random, 5);
    check_inverse(t);
    check_report(t);
}

/* Each size with all kinds, or half of them; layouts and triangles take turns, so that all meet. */
static void check_sizes(clsolve_type type, const clsolve_cholesky_options *options, int use) {
    test_random random = test_random_start((uint64_t)use);

    for (int s = 0; s < size_count; s += stride) {
        trial t = {.type = type, .n = sizes[s]};
        assert_int_equal(clsolve_cholesky_create(context, t.n, type, options, &t.handle), CLSOLVE_OK);
        for (int kind = 0; kind < SPD_KINDS; ++kind) {
            if (t.n > 130 && (kind + s) / 4 % 2) continue; /* all shapes are among four that follow each other */
            t.kind = (spd_kind)kind;
            for (int shape = 0; shape < 4; ++shape) {
                if (t.n > 130 && shape != (s + kind) % 4) continue;
                t.layout = shape % 2 ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR;
                t.uplo = shape / 2 ? CLSOLVE_UPPER : CLSOLVE_LOWER;
                check_matrix(&t, &random);
            }
        }
        clsolve_cholesky_destroy(t.handle);
    }
}

TEST(test_float) {
    clsolve_cholesky_options options = test_cholesky_options();
    check_sizes(CLSOLVE_F32, &options, 1);
}

TEST(test_double) {
    clsolve_cholesky_options options = test_cholesky_options();
    if (!has_type(CLSOLVE_F64)) skip();
    check_sizes(CLSOLVE_F64, &options, 2);
}

/* Small blocks, and several slabs, of which no block crosses two. */
TEST(test_slabs) {
    clsolve_cholesky_options options = test_cholesky_options();
    /* LAPACK wants one piece. */
    if (options.panel == CLSOLVE_PANEL_HYBRID || strcmp(clsolve_context_device(context).backend, "host") == 0) skip();
    options.panel = CLSOLVE_PANEL_NATIVE;
    options.block = 64;
    options.slab_bytes = 64 * 300 * 4;
    check_sizes(CLSOLVE_F32, &options, 3);
}

/* Small blocks in one slab: where queues overlap, panels and updates do. */
TEST(test_blocks) {
    clsolve_cholesky_options options = test_cholesky_options();
    const int least = size_count > 15 ? 15 : 10;
    if (options.panel == CLSOLVE_PANEL_HYBRID || strcmp(clsolve_context_device(context).backend, "host") == 0) skip();
    options.panel = CLSOLVE_PANEL_NATIVE;
    options.block = 64;
    const clsolve_type type = has_type(CLSOLVE_F64) ? CLSOLVE_F64 : CLSOLVE_F32;
    test_random random = test_random_start(4);
    for (int s = least; s < SIZES; s += 3) {
        trial t = {.type = type, .n = sizes[s], .kind = s % 2 ? SPD_ILL : SPD_WELL, .uplo = CLSOLVE_LOWER};
        t.layout = CLSOLVE_COLUMN_MAJOR;
        assert_int_equal(clsolve_cholesky_create(context, t.n, type, &options, &t.handle), CLSOLVE_OK);
        check_matrix(&t, &random);
        clsolve_cholesky_destroy(t.handle);
    }
}

int main(void) {
    test_require_device();
    test_cholesky_require_panel();
    if (test_reduced()) {
        size_count = 15;
        stride = 2;
    }
    return test_run(open_context, close_context);
}
