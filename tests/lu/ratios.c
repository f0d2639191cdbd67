#include "lu/ratios.h"

#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

clsolve_lu_options test_lu_options(void) {
    const char *panel = test_env("CLSOLVE_TEST_PANEL"), *pivoting = test_env("CLSOLVE_TEST_PIVOTING");
    clsolve_lu_options options = {.panel = CLSOLVE_PANEL_AUTO};
    if (panel && strcmp(panel, "native") == 0)
        options.panel = CLSOLVE_PANEL_NATIVE;
    else if (panel && strcmp(panel, "hybrid") == 0)
        options.panel = CLSOLVE_PANEL_HYBRID;
    else if (panel && strcmp(panel, "auto") != 0)
        fail_msg("CLSOLVE_TEST_PANEL is \"%s\": auto, native or hybrid", panel);
    if (pivoting && strcmp(pivoting, "tournament") == 0)
        options.pivoting = CLSOLVE_PIVOTING_TOURNAMENT;
    else if (pivoting && strcmp(pivoting, "partial") != 0)
        fail_msg("CLSOLVE_TEST_PIVOTING is \"%s\": partial or tournament", pivoting);
    return options;
}

clsolve_solver_options test_solver_options(const clsolve_lu_options *lu) {
    return (clsolve_solver_options){.panel = lu->panel,
                                    .block = lu->block,
                                    .memory_limit = lu->memory_limit,
                                    .slab_bytes = lu->slab_bytes,
                                    .precision = lu->precision,
                                    .equilibrate = lu->equilibrate,
                                    .refine = lu->refine,
                                    .rcond = lu->rcond,
                                    .pivoting = lu->pivoting,
                                    .seed = lu->seed};
}

static const double spare_value = -77.25; /* exact in both types */

double test_rounded(clsolve_type type, double value) {
    return type == CLSOLVE_F32 ? (double)(float)value : value;
}

double test_epsilon(clsolve_type type) {
    return type == CLSOLVE_F32 ? (double)FLT_EPSILON / 2 : DBL_EPSILON / 2;
}

/* ---- matrices with room behind each line ---- */

static void put(const test_matrix *m, int64_t index, double value) {
    if (m->view.type == CLSOLVE_F32)
        ((float *)m->memory)[index] = (float)value;
    else
        ((double *)m->memory)[index] = value;
}

static double get(const test_matrix *m, int64_t index) {
    return m->view.type == CLSOLVE_F32 ? (double)((float *)m->memory)[index] : ((double *)m->memory)[index];
}

static int64_t index_of(const test_matrix *m, int64_t i, int64_t j) {
    return m->view.layout == CLSOLVE_COLUMN_MAJOR ? i + j * m->view.ld : i * m->view.ld + j;
}

test_matrix test_matrix_make(clsolve_type type, clsolve_layout layout, int64_t rows, int64_t cols, int64_t spare) {
    int64_t length = layout == CLSOLVE_COLUMN_MAJOR ? rows : cols;
    test_matrix m = {.lines = layout == CLSOLVE_COLUMN_MAJOR ? cols : rows};
    int64_t ld = (length > 0 ? length : 1) + spare;
    size_t count = (size_t)(ld * m.lines + 1);

    m.memory = malloc(count * (type == CLSOLVE_F32 ? sizeof(float) : sizeof(double)));
    assert_non_null(m.memory);
    m.view = (clsolve_matrix){type, layout, rows, cols, ld, m.memory, CLSOLVE_ON_HOST, 0};
    for (size_t k = 0; k < count; ++k) put(&m, (int64_t)k, spare_value);
    return m;
}

void test_matrix_free(test_matrix *m) {
    free(m->memory);
    m->memory = NULL;
}

void test_matrix_set(const test_matrix *m, const double *values) {
    for (int64_t j = 0; j < m->view.cols; ++j)
        for (int64_t i = 0; i < m->view.rows; ++i) put(m, index_of(m, i, j), values[i + j * m->view.rows]);
}

void test_matrix_get(const test_matrix *m, double *values) {
    for (int64_t j = 0; j < m->view.cols; ++j)
        for (int64_t i = 0; i < m->view.rows; ++i) values[i + j * m->view.rows] = get(m, index_of(m, i, j));
}

void test_matrix_spare_intact(const test_matrix *m) {
    int64_t length = m->view.layout == CLSOLVE_COLUMN_MAJOR ? m->view.rows : m->view.cols;
    for (int64_t line = 0; line < m->lines; ++line)
        for (int64_t k = length; k < m->view.ld; ++k) assert_true(get(m, line * m->view.ld + k) == spare_value);
}

/* ---- ratios ---- */

static double norm1(int64_t rows, int64_t cols, const double *A) {
    double norm = 0;
    for (int64_t j = 0; j < cols; ++j) {
        double sum = 0;
        for (int64_t i = 0; i < rows; ++i) sum += fabs(A[i + j * rows]);
        if (norm == norm && !(sum <= norm)) norm = sum; /* NaN stays */
    }
    return norm;
}

static double norm_inf(int64_t n, const double *A) {
    double norm = 0;
    for (int64_t i = 0; i < n; ++i) {
        double sum = 0;
        for (int64_t j = 0; j < n; ++j) sum += fabs(A[i + j * n]);
        if (norm == norm && !(sum <= norm)) norm = sum; /* NaN stays */
    }
    return norm;
}

double ratio_solve(clsolve_type type, clsolve_op op, int64_t n, int64_t nrhs, const double *A, const double *X,
                   const double *B) {
    double worst = 0, norm = op == CLSOLVE_NO_TRANS ? norm1(n, n, A) : norm_inf(n, A);

    if (n == 0 || nrhs == 0) return 0;
    for (int64_t c = 0; c < nrhs; ++c) {
        double residual = 0, size = 0;
        for (int64_t i = 0; i < n; ++i) {
            long double r = B[i + c * n];
            for (int64_t k = 0; k < n; ++k)
                r -= (long double)(op == CLSOLVE_NO_TRANS ? A[i + k * n] : A[k + i * n]) * X[k + c * n];
            residual += (double)fabsl(r);
            size += fabs(X[i + c * n]);
        }
        double ratio = residual == 0 ? 0 : residual / norm / size / ((double)n * test_epsilon(type));
        worst = test_worst(worst, ratio);
    }
    return worst;
}

double ratio_factors(clsolve_type type, int64_t n, const double *A, const double *LU, const int64_t *ipiv) {
    if (n == 0) return 0;
    double *R = malloc((size_t)(n * n) * sizeof *R);
    assert_non_null(R);
    memcpy(R, A, (size_t)(n * n) * sizeof *R);
    for (int64_t i = 0; i < n; ++i) {
        assert_in_range(ipiv[i], i + 1, n);
        for (int64_t j = 0; j < n; ++j) {
            double t = R[i + j * n];
            R[i + j * n] = R[ipiv[i] - 1 + j * n];
            R[ipiv[i] - 1 + j * n] = t;
        }
    }
    for (int64_t j = 0; j < n; ++j) /* column j of L U, column by column */
        for (int64_t k = 0; k <= j; ++k) {
            double u = LU[k + j * n];
            R[k + j * n] -= u;
            for (int64_t i = k + 1; i < n; ++i) R[i + j * n] -= LU[i + k * n] * u;
        }
    double residual = norm1(n, n, R), norm = norm1(n, n, A);
    free(R);
    return residual == 0 ? 0 : residual / norm / ((double)n * test_epsilon(type));
}

/* ---- matrices ---- */

const char *const test_kind_names[TEST_KINDS + 1] = {"",
                                                     "diagonal",
                                                     "upper triangular",
                                                     "lower triangular",
                                                     "random, condition 2",
                                                     "first column zero",
                                                     "last column zero",
                                                     "last n/2 columns zero",
                                                     "condition sqrt(0.1/eps)",
                                                     "condition 0.1/eps",
                                                     "scaled near underflow",
                                                     "scaled near overflow"};

int test_kind_singular(int kind) {
    return kind >= 5 && kind <= 7;
}

/* What LAPACK's dlatb4 says of a kind: condition, norm, and which half is cut away. */
static void make_dense(test_random *random, clsolve_type type, int kind, int64_t n, double *A) {
    double eps = test_epsilon(type), condition = 2, norm = 1;
    double tiny = type == CLSOLVE_F32 ? (double)FLT_MIN : DBL_MIN;
    lapack_int iseed[4], kl = kind == 1 ? 0 : (lapack_int)n - 1, ku = kl;

    if (kind == 8) condition = sqrt(0.1 / eps);
    if (kind == 9) condition = 0.1 / eps;
    if (kind == 10) norm = tiny / eps * 4;
    if (kind == 11) norm = eps / tiny / 4;
    if (kind == 2) kl = 0;
    if (kind == 3) ku = 0;
    for (int k = 0; k < 4; ++k) iseed[k] = (lapack_int)test_random_between(random, 0, 2047) * 2 + 1;
    double *d = calloc((size_t)n, sizeof *d); /* LAPACKE looks for NaN in it */
    assert_non_null(d);
    assert_int_equal(LAPACKE_dlatms(LAPACK_COL_MAJOR, (lapack_int)n, (lapack_int)n, 'S', iseed, 'N', d, 3, condition,
                                    norm, kl, ku, 'N', A, (lapack_int)n),
                     0);
    free(d);
}

void test_kind_make(test_random *random, clsolve_type type, int kind, int64_t n, double *A) {
    if (n == 0) return;
    make_dense(random, type, kind, n, A);
    int64_t zero_from = kind == 5 ? 0 : kind == 6 ? n - 1 : kind == 7 ? n / 2 : n;
    int64_t zero_to = kind == 5 ? 1 : n;
    for (int64_t j = zero_from; j < zero_to; ++j)
        for (int64_t i = 0; i < n; ++i) A[i + j * n] = 0;
    for (int64_t k = 0; k < n * n; ++k) A[k] = test_rounded(type, A[k]);
}

void test_with_condition(test_random *random, int64_t n, int mode, double condition, double *A) {
    lapack_int iseed[4];
    double *d = calloc((size_t)n + 1, sizeof *d);
    assert_non_null(d);
    memset(A, 0, (size_t)(n * n) * sizeof *A); /* LAPACKE looks for NaN in it */
    for (int k = 0; k < 4; ++k) iseed[k] = (lapack_int)test_random_between(random, 0, 2047) * 2 + 1;
    assert_int_equal(LAPACKE_dlatms(LAPACK_COL_MAJOR, (lapack_int)n, (lapack_int)n, 'U', iseed, 'N', d, mode, condition,
                                    1, (lapack_int)n - 1, (lapack_int)n - 1, 'N', A, (lapack_int)n),
                     0);
    free(d);
}
