#include "lu/ratios.h"

#include <cblas.h>
#include <lapacke.h>

#include "base/type.h"

clsolve_lu_options test_lu_options(void) {
    const char *panel = test_env("CLSOLVE_TEST_PANEL");
    clsolve_lu_options options = {.panel = CLSOLVE_PANEL_AUTO};
    if (panel && strcmp(panel, "native") == 0)
        options.panel = CLSOLVE_PANEL_NATIVE;
    else if (panel && strcmp(panel, "hybrid") == 0)
        options.panel = CLSOLVE_PANEL_HYBRID;
    else if (panel && strcmp(panel, "auto") != 0)
        fail_msg("CLSOLVE_TEST_PANEL is \"%s\": auto, native or hybrid", panel);
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

static const double spare_value = -77.25; /* exact in all types */

const char *const test_type_names[CLSOLVE_C64 + 1] = {"", "f32", "f64", "c32", "c64"};

int64_t test_numbers(clsolve_type type, int64_t count) {
    return cls_type_parts(type) * count;
}

double *test_elements(clsolve_type type, int64_t count) {
    double *memory = test_doubles(test_numbers(type, count) + 1);
    return memory;
}

int test_has_type(clsolve_context *context, clsolve_type type) {
    return !cls_is_double(type) || clsolve_context_device(context).fp64;
}

double test_rounded(clsolve_type type, double value) {
    return cls_is_double(type) ? value : (double)(float)value;
}

double test_epsilon(clsolve_type type) {
    return cls_type_epsilon(type) / 2;
}

/* ---- matrices with room behind each line ---- */

/* Real number `index` of the memory. */
static void put(const test_matrix *m, int64_t index, double value) {
    cls_type_put(m->view.type, m->memory, index, value);
}

static double get(const test_matrix *m, int64_t index) {
    return cls_type_get(m->view.type, m->memory, index);
}

/* Of the first real number of element (i, j). */
static int64_t index_of(const test_matrix *m, int64_t i, int64_t j) {
    const int64_t parts = cls_type_parts(m->view.type);
    return parts * (m->view.layout == CLSOLVE_COLUMN_MAJOR ? i + j * m->view.ld : i * m->view.ld + j);
}

test_matrix test_matrix_make(clsolve_type type, clsolve_layout layout, int64_t rows, int64_t cols, int64_t spare) {
    int64_t length = layout == CLSOLVE_COLUMN_MAJOR ? rows : cols;
    test_matrix m = {.lines = layout == CLSOLVE_COLUMN_MAJOR ? cols : rows};
    int64_t ld = (length > 0 ? length : 1) + spare;
    size_t count = (size_t)test_numbers(type, ld * m.lines + 1);

    m.memory = malloc(count * (cls_is_double(type) ? sizeof(double) : sizeof(float)));
    assert_non_null(m.memory);
    m.view = (clsolve_matrix){type, layout, rows, cols, ld, m.memory, CLSOLVE_ON_HOST, 0};
    for (size_t k = 0; k < count; ++k) put(&m, (int64_t)k, spare_value);
    return m;
}

void test_matrix_free(test_matrix *m) {
    free(m->memory);
    m->memory = NULL;
}

test_matrix test_ones(clsolve_type type, int64_t n, int64_t nrhs) {
    SCRATCH double *B = test_room(n * nrhs, sizeof *B);
    test_matrix b = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, n, nrhs, 0);
    for (int64_t k = 0; k < n * nrhs; ++k) B[k] = 1;
    test_matrix_set(&b, B);
    return b;
}

void test_all_ones(const test_matrix *b) {
    const int64_t count = b->view.rows * b->view.cols;
    SCRATCH double *B = test_room(count, sizeof *B);
    test_matrix_get(b, B);
    for (int64_t k = 0; k < count; ++k) assert_true(B[k] == 1);
}

void test_matrix_set(const test_matrix *m, const double *values) {
    const int64_t parts = cls_type_parts(m->view.type);
    for (int64_t j = 0; j < m->view.cols; ++j)
        for (int64_t i = 0; i < m->view.rows; ++i)
            for (int64_t p = 0; p < parts; ++p)
                put(m, index_of(m, i, j) + p, values[(i + j * m->view.rows) * parts + p]);
}

void test_matrix_get(const test_matrix *m, double *values) {
    const int64_t parts = cls_type_parts(m->view.type);
    for (int64_t j = 0; j < m->view.cols; ++j)
        for (int64_t i = 0; i < m->view.rows; ++i)
            for (int64_t p = 0; p < parts; ++p)
                values[(i + j * m->view.rows) * parts + p] = get(m, index_of(m, i, j) + p);
}

void test_matrix_spare_intact(const test_matrix *m) {
    const int64_t length =
        test_numbers(m->view.type, m->view.layout == CLSOLVE_COLUMN_MAJOR ? m->view.rows : m->view.cols);
    const int64_t ld = test_numbers(m->view.type, m->view.ld);
    for (int64_t line = 0; line < m->lines; ++line)
        for (int64_t k = length; k < ld; ++k) assert_true(get(m, line * ld + k) == spare_value);
}

/* ---- ratios ---- */

static double modulus(clsolve_type type, const double *A, int64_t k) {
    return cls_is_complex(type) ? hypot(A[2 * k], A[2 * k + 1]) : fabs(A[k]);
}

double ratio_norm(clsolve_type type, int64_t rows, int64_t cols, const double *A) {
    double norm = 0;
    for (int64_t j = 0; j < cols; ++j) {
        double sum = 0;
        for (int64_t i = 0; i < rows; ++i) sum += modulus(type, A, i + j * rows);
        if (norm == norm && !(sum <= norm)) norm = sum; /* NaN stays */
    }
    return norm;
}

double ratio_norm_inf(clsolve_type type, int64_t n, const double *A) {
    double norm = 0;
    for (int64_t i = 0; i < n; ++i) {
        double sum = 0;
        for (int64_t j = 0; j < n; ++j) sum += modulus(type, A, i + j * n);
        if (norm == norm && !(sum <= norm)) norm = sum; /* NaN stays */
    }
    return norm;
}

/* |b - op(A) x| of row i. */
static double residual_of(clsolve_type type, clsolve_op op, int64_t n, int64_t i, const double *A, const double *x,
                          const double *b) {
    const int64_t along = op == CLSOLVE_NO_TRANS ? n : 1, first = op == CLSOLVE_NO_TRANS ? i : i * n;
    if (!cls_is_complex(type)) {
        long double r = b[i];
        for (int64_t k = 0; k < n; ++k) r -= (long double)A[first + k * along] * x[k];
        return (double)fabsl(r);
    }
    const long double sign = op == CLSOLVE_CONJ_TRANS ? -1 : 1;
    long double re = b[2 * i], im = b[2 * i + 1];
    for (int64_t k = 0; k < n; ++k) {
        const double *a = A + 2 * (first + k * along);
        re -= (long double)a[0] * x[2 * k] - sign * a[1] * x[2 * k + 1];
        im -= (long double)a[0] * x[2 * k + 1] + sign * a[1] * x[2 * k];
    }
    return (double)hypotl(re, im);
}

double ratio_solve(clsolve_type type, clsolve_op op, int64_t n, int64_t nrhs, const double *A, const double *X,
                   const double *B) {
    double worst = 0, norm = op == CLSOLVE_NO_TRANS ? ratio_norm(type, n, n, A) : ratio_norm_inf(type, n, A);
    const int64_t column = test_numbers(type, n);

    if (n == 0 || nrhs == 0) return 0;
    for (int64_t c = 0; c < nrhs; ++c) {
        double residual = 0, size = 0;
        for (int64_t i = 0; i < n; ++i) {
            residual += residual_of(type, op, n, i, A, X + c * column, B + c * column);
            size += modulus(type, X, i + c * n);
        }
        double ratio = residual == 0 ? 0 : residual / norm / size / ((double)n * test_epsilon(type));
        worst = test_worst(worst, ratio);
    }
    return worst;
}

/* Element r of R less l u. */
static void take_out(clsolve_type type, double *R, int64_t r, const double *L, int64_t l, const double *u) {
    if (!cls_is_complex(type)) {
        R[r] -= L[l] * u[0];
        return;
    }
    R[2 * r] -= L[2 * l] * u[0] - L[2 * l + 1] * u[1];
    R[2 * r + 1] -= L[2 * l] * u[1] + L[2 * l + 1] * u[0];
}

double ratio_rectangle(clsolve_type type, int64_t m, int64_t n, const double *A, const double *LU,
                       const int64_t *ipiv) {
    const int64_t parts = cls_type_parts(type), count = test_numbers(type, m * n), least = m < n ? m : n;
    if (least == 0) return 0;
    SCRATCH double *R = test_room(count, sizeof *R);
    memcpy(R, A, (size_t)count * sizeof *R);
    for (int64_t i = 0; i < least; ++i) {
        assert_in_range(ipiv[i], i + 1, m);
        for (int64_t j = 0; j < n * parts; ++j) {
            double *a = &R[(i + j / parts * m) * parts + j % parts];
            double *b = &R[(ipiv[i] - 1 + j / parts * m) * parts + j % parts], t = *a;
            *a = *b;
            *b = t;
        }
    }
    for (int64_t j = 0; j < n; ++j) /* column j of L U, column by column */
        for (int64_t k = 0; k <= j && k < least; ++k) {
            const double *u = LU + (k + j * m) * parts;
            for (int64_t p = 0; p < parts; ++p) R[(k + j * m) * parts + p] -= u[p];
            for (int64_t i = k + 1; i < m; ++i) take_out(type, R, i + j * m, LU, i + k * m, u);
        }
    const double residual = ratio_norm(type, m, n, R), norm = ratio_norm(type, m, n, A);
    return residual == 0 ? 0 : residual / norm / ((double)n * test_epsilon(type));
}

double ratio_factors(clsolve_type type, int64_t n, const double *A, const double *LU, const int64_t *ipiv) {
    return ratio_rectangle(type, n, n, A, LU, ipiv);
}

double ratio_inverse(clsolve_type type, int64_t n, const double *A, const double *X) {
    const int64_t parts = cls_type_parts(type);
    const double one[2] = {1, 0};
    const blasint order = (blasint)n;
    if (n == 0) return 0;
    SCRATCH double *R = test_elements(type, n * n);
    for (int64_t k = 0; k < n; ++k) R[parts * k * (n + 1)] = -1;
    if (parts == 2)
        cblas_zgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, order, order, order, one, A, order, X, order, one, R,
                    order);
    else
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, order, order, order, 1, A, order, X, order, 1, R, order);
    return ratio_norm(type, n, n, R) / ratio_norm(type, n, n, A) / ratio_norm(type, n, n, X) / (double)n /
           test_epsilon(type);
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
    double tiny = cls_type_least(type);
    lapack_int iseed[4], kl = kind == 1 ? 0 : (lapack_int)n - 1, ku = kl;

    if (kind == 8) condition = sqrt(0.1 / eps);
    if (kind == 9) condition = 0.1 / eps;
    if (kind == 10) norm = tiny / eps * 4;
    if (kind == 11) norm = eps / tiny / 4;
    if (kind == 2) kl = 0;
    if (kind == 3) ku = 0;
    for (int k = 0; k < 4; ++k) iseed[k] = (lapack_int)test_random_between(random, 0, 2047) * 2 + 1;
    SCRATCH double *d = test_doubles(n); /* LAPACKE looks for NaN in it */
    const lapack_int m = (lapack_int)n;
    if (cls_is_complex(type))
        assert_int_equal(LAPACKE_zlatms(LAPACK_COL_MAJOR, m, m, 'S', iseed, 'N', d, 3, condition, norm, kl, ku, 'N',
                                        (lapack_complex_double *)(void *)A, m),
                         0);
    else
        assert_int_equal(
            LAPACKE_dlatms(LAPACK_COL_MAJOR, m, m, 'S', iseed, 'N', d, 3, condition, norm, kl, ku, 'N', A, m), 0);
}

void test_kind_make(test_random *random, clsolve_type type, int kind, int64_t n, double *A) {
    if (n == 0) return;
    make_dense(random, type, kind, n, A);
    int64_t zero_from = kind == 5 ? 0 : kind == 6 ? n - 1 : kind == 7 ? n / 2 : n;
    int64_t zero_to = kind == 5 ? 1 : n;
    for (int64_t k = test_numbers(type, zero_from * n); k < test_numbers(type, zero_to * n); ++k) A[k] = 0;
    for (int64_t k = 0; k < test_numbers(type, n * n); ++k) A[k] = test_rounded(type, A[k]);
}

void test_with_condition(test_random *random, int64_t n, int mode, double condition, double *A) {
    lapack_int iseed[4];
    SCRATCH double *d = test_doubles(n + 1);
    memset(A, 0, (size_t)(n * n) * sizeof *A); /* LAPACKE looks for NaN in it */
    for (int k = 0; k < 4; ++k) iseed[k] = (lapack_int)test_random_between(random, 0, 2047) * 2 + 1;
    assert_int_equal(LAPACKE_dlatms(LAPACK_COL_MAJOR, (lapack_int)n, (lapack_int)n, 'U', iseed, 'N', d, mode, condition,
                                    1, (lapack_int)n - 1, (lapack_int)n - 1, 'N', A, (lapack_int)n),
                     0);
}

void test_right_sides(test_random *random, clsolve_op op, int64_t n, int64_t nrhs, const double *A, double *B) {
    SCRATCH double *X = test_doubles(n * nrhs);
    test_random_fill(random, X, n * nrhs);
    for (int64_t c = 0; c < nrhs; ++c)
        for (int64_t i = 0; i < n; ++i) {
            long double sum = 0;
            for (int64_t k = 0; k < n; ++k)
                sum += (long double)(op == CLSOLVE_NO_TRANS ? A[i + k * n] : A[k + i * n]) * X[k + c * n];
            B[i + c * n] = (double)sum;
        }
}
