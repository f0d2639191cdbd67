#include "cholesky/cholesky_support.h"

#include <cblas.h>
#include <float.h>

#include "api/context.h"
#include "blas/blas.h"

clsolve_cholesky_options test_cholesky_options(void) {
    return (clsolve_cholesky_options){.panel = test_lu_options().panel};
}

void test_cholesky_require_panel(void) {
    if (test_cholesky_options().panel != CLSOLVE_PANEL_HYBRID) return;
    clsolve_context *context = test_context(0);
    const int has = cls_in_place(context->device);
    clsolve_context_destroy(context);
    if (has) return;
    fprintf(stderr, "skipped: hybrid panels of Cholesky are for devices that work in the host's memory\n");
    exit(TEST_SKIPPED);
}

const char *const spd_names[SPD_KINDS] = {"diagonal",       "condition 2",   "condition 0.1/eps",
                                          "near underflow", "near overflow", "graded"};

/* ---- matrices ---- */

/* Q D Q^T with orthogonal Q, the product of two reflections, and D from 1 to 1 / condition, geometrically. */
static void with_condition(test_random *random, int64_t n, double condition, double *A) {
    SCRATCH double *v = test_room(n, sizeof *v), *w = test_room(n, sizeof *w);
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < n; ++i)
            A[i + j * n] = i == j ? pow(condition, n > 1 ? -(double)i / (double)(n - 1) : 0) : 0;
    for (int reflection = 0; reflection < 2; ++reflection) {
        double norm = 0, dot = 0;
        for (int64_t i = 0; i < n; ++i) {
            v[i] = test_random_signed(random);
            norm += v[i] * v[i];
        }
        for (int64_t i = 0; i < n; ++i) {
            w[i] = 0;
            for (int64_t k = 0; k < n; ++k) w[i] += A[i + k * n] * v[k];
            w[i] *= 2 / norm;
            dot += w[i] * v[i];
        }
        for (int64_t i = 0; i < n; ++i) w[i] -= dot / norm * v[i];
        for (int64_t j = 0; j < n; ++j)
            for (int64_t i = 0; i < n; ++i) A[i + j * n] -= v[i] * w[j] + w[i] * v[j];
    }
}

static double scale_of(clsolve_type type, spd_kind kind) {
    const double small = type == CLSOLVE_F32 ? (double)FLT_MIN : DBL_MIN;
    const double eps = type == CLSOLVE_F32 ? (double)FLT_EPSILON : DBL_EPSILON;
    return kind == SPD_TINY ? small / eps * 4 : kind == SPD_HUGE ? eps / small / 4 : 1;
}

void spd_make(test_random *random, clsolve_type type, spd_kind kind, int64_t n, double *A) {
    const double eps = test_epsilon(type), scale = scale_of(type, kind);
    const int steps = type == CLSOLVE_F32 ? 10 : 30;

    /* A rounded matrix of condition c keeps positive eigenvalues while c n eps is well below 1. */
    with_condition(random, n, kind == SPD_ILL ? 0.1 / (eps * (double)(n + 10)) : 2, A);
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = j; i < n; ++i) {
            double value = A[i + j * n] * scale;
            if (kind == SPD_DIAGONAL) value = i == j ? 1 + test_random_unit(random) : 0;
            if (kind == SPD_GRADED && n > 1)
                value = ldexp(value, (int)(-steps * i / (n - 1)) + (int)(-steps * j / (n - 1)));
            A[i + j * n] = A[j + i * n] = test_rounded(type, value);
        }
}

/* ---- ratios ---- */

double ratio_cholesky(clsolve_type type, int64_t n, const double *A, const double *F) {
    SCRATCH double *L = test_room(n * n, sizeof *L), *R = test_room(n * n, sizeof *R);
    if (n == 0) return 0;
    /* Scaled, so that no product leaves the range of double. */
    const double size = ratio_norm(type, n, n, A), unit = ldexp(1, -(ilogb(size) & ~1)), root = sqrt(unit);
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = j; i < n; ++i) L[i + j * n] = F[i + j * n] * root;
    for (int64_t k = 0; k < n * n; ++k) R[k] = A[k] * unit;
    const double norm = ratio_norm(type, n, n, R);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, (int)n, (int)n, (int)n, -1, L, (int)n, L, (int)n, 1, R,
                (int)n);
    return ratio_norm(type, n, n, R) / ((double)n * norm * test_epsilon(type));
}

/* ---- triangles ---- */

static int is_inside(clsolve_uplo uplo, int64_t i, int64_t j) {
    return uplo == CLSOLVE_LOWER ? i >= j : i <= j;
}

void triangle_set(const test_matrix *m, clsolve_uplo uplo, const double *values) {
    const int64_t n = m->view.rows;
    SCRATCH double *all = test_room(n * n, sizeof *all);
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < n; ++i) all[i + j * n] = is_inside(uplo, i, j) ? values[i + j * n] : (double)NAN;
    test_matrix_set(m, all);
}

void triangle_get(const test_matrix *m, clsolve_uplo uplo, double *values) {
    const int64_t n = m->view.rows;
    test_matrix_get(m, values);
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < n; ++i)
            if (!is_inside(uplo, i, j)) values[i + j * n] = values[j + i * n];
}

void triangle_rest_intact(const test_matrix *m, clsolve_uplo uplo) {
    const int64_t n = m->view.rows;
    SCRATCH double *all = test_room(n * n, sizeof *all);
    test_matrix_get(m, all);
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < n; ++i)
            if (!is_inside(uplo, i, j)) assert_true(isnan(all[i + j * n]));
    test_matrix_spare_intact(m);
}

int64_t cholesky_least_limit(clsolve_context *context, clsolve_type type, int64_t n,
                             const clsolve_cholesky_options *options) {
    clsolve_cholesky_options least = options ? *options : (clsolve_cholesky_options){0};
    clsolve_cholesky *none = NULL;
    long long bytes = 0;

    least.panel = test_cholesky_options().panel;
    least.memory_limit = 1;
    assert_int_equal(clsolve_cholesky_create(context, n, type, &least, &none), CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY);
    const char *words = strstr(clsolve_context_message(context), "wants ");
    assert_non_null(words);
    assert_non_null(strstr(words, "out of core at least"));
    assert_int_equal(sscanf(words, "wants %lld", &bytes), 1);
    return bytes;
}
