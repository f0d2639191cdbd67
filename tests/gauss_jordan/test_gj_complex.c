/*
 * Complex matrices: solutions in each variant, op and layout, inverses, and batches of both, by scaled residuals; LAPACK's
 * rcond; zero pivots, NaN, and |z| beyond the range of its parts.
 */
#include "gauss_jordan/gj_support.h"

#include <clsolve/solve.h>

#include <complex.h>
#include <float.h>
#include <lapacke.h>

#include "base/type.h"
#include "support/test_support.h"

static clsolve_context *context;
static test_random numbers;

/* A matrix, or members one behind the other, in its type; lines of `ld` elements. */
typedef struct values {
    clsolve_type type;
    clsolve_layout layout;
    int64_t rows, cols, ld, stride;
    void *data;
} values;

static int64_t lines(const values *v) {
    return v->layout == CLSOLVE_COLUMN_MAJOR ? v->cols : v->rows;
}

static values make(clsolve_type type, clsolve_layout layout, int64_t count, int64_t rows, int64_t cols) {
    values v = {type, layout, rows, cols, 0, 0, NULL};
    v.ld = (layout == CLSOLVE_COLUMN_MAJOR ? rows : cols) + test_random_between(&numbers, 0, 2);
    v.stride = v.ld * lines(&v) + test_random_between(&numbers, 0, 2);
    v.data = calloc((size_t)(count * v.stride + 1), (size_t)cls_type_size(type));
    assert_non_null(v.data);
    for (int64_t k = 0; k < 2 * count * v.stride; k++) cls_type_put(type, v.data, k, test_random_signed(&numbers));
    return v;
}

static int64_t at_of(const values *v, int64_t member, int64_t i, int64_t j) {
    return member * v->stride + (v->layout == CLSOLVE_COLUMN_MAJOR ? i + j * v->ld : i * v->ld + j);
}

static double complex get(const values *v, int64_t member, int64_t i, int64_t j) {
    const int64_t at = 2 * at_of(v, member, i, j);
    return cls_type_get(v->type, v->data, at) + I * cls_type_get(v->type, v->data, at + 1);
}

static void put(values *v, int64_t member, int64_t i, int64_t j, double complex x) {
    const int64_t at = 2 * at_of(v, member, i, j);
    cls_type_put(v->type, v->data, at, creal(x));
    cls_type_put(v->type, v->data, at + 1, cimag(x));
}

static values copy_of(const values *v, int64_t count) {
    const size_t bytes = (size_t)(count * v->stride * cls_type_size(v->type));
    values c = *v;
    c.data = malloc(bytes + 1);
    assert_non_null(c.data);
    memcpy(c.data, v->data, bytes);
    return c;
}

static clsolve_matrix view(const values *v) {
    return (clsolve_matrix){
        .type = v->type, .layout = v->layout, .rows = v->rows, .cols = v->cols, .ld = v->ld, .data = v->data};
}

static clsolve_batch batch_view(const values *v, int64_t count) {
    return (clsolve_batch){.type = v->type,
                           .layout = v->layout,
                           .count = count,
                           .rows = v->rows,
                           .cols = v->cols,
                           .ld = v->ld,
                           .stride = v->stride,
                           .data = v->data};
}

/* op(A)(i, j) */
static double complex of_a(const values *A, clsolve_op op, int64_t member, int64_t i, int64_t j) {
    const double complex x = op == CLSOLVE_NO_TRANS ? get(A, member, i, j) : get(A, member, j, i);
    return op == CLSOLVE_CONJ_TRANS ? conj(x) : x;
}

static double norm_of(const values *v, int64_t member) {
    double norm = 0;
    for (int64_t j = 0; j < v->cols; j++) {
        double sum = 0;
        for (int64_t i = 0; i < v->rows; i++) sum += cabs(get(v, member, i, j));
        norm = fmax(norm, sum);
    }
    return norm;
}

/* ||B - op(A) X||_1 / (||A|| ||X||_1 n eps), ||A|| in the larger of both norms; B NULL: the identity. */
static double ratio_of(const values *A, clsolve_op op, const values *X, const values *B, int64_t member) {
    const int64_t n = A->rows;
    double most = 0, rows = 0;
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int64_t j = 0; j < n; j++) sum += cabs(get(A, member, i, j));
        rows = fmax(rows, sum);
    }
    for (int64_t j = 0; j < X->cols; j++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++) {
            double complex r = B ? get(B, member, i, j) : (double complex)(i == j);
            for (int64_t k = 0; k < n; k++) r -= of_a(A, op, member, i, k) * get(X, member, k, j);
            sum += cabs(r);
        }
        most = test_worst(most, sum);
    }
    return most / (fmax(norm_of(A, member), rows) * norm_of(X, member) * (double)n * cls_type_epsilon(A->type));
}

static clsolve_layout any_layout(void) {
    return test_random_between(&numbers, 0, 1) ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR;
}

static int has(clsolve_type type) {
    return !cls_is_double(type) || test_has_type(context, CLSOLVE_C64);
}

/* In other shapes, for which all kernels are compiled anew, a test takes one of the types. */
static int is_left_out(int type, clsolve_type shaped) {
    return gj_shaped() && has(CLSOLVE_C64) && type != (int)shaped;
}

/* ---- one matrix ---- */

/* A solver keeps a copy of A. What is in A's lines behind it is no part of it. */
static void solve_by_solver(const values *A, clsolve_op op, const values *B) {
    const clsolve_solver_options options = {.method = CLSOLVE_METHOD_GAUSS_JORDAN};
    values X = copy_of(B, 1), mine = copy_of(A, 1);
    clsolve_solver *solver = NULL;
    clsolve_matrix x = view(&X);

    for (int64_t line = 0; line < lines(A); ++line)
        for (int64_t k = 2 * (A->rows + line * A->ld); k < 2 * (line + 1) * A->ld; ++k)
            cls_type_put(A->type, mine.data, k, (double)NAN);
    const clsolve_matrix a = view(&mine);
    assert_int_equal(clsolve_solver_create(context, &a, &options, &solver), CLSOLVE_OK);
    assert_int_equal(clsolve_solver_factor(solver, &a), CLSOLVE_OK);
    if (clsolve_solver_solve(solver, op, &x) != CLSOLVE_OK) fail_msg("%s", clsolve_context_message(context));
    assert_true(ratio_of(A, op, &X, B, 0) < RATIO_BOUND);
    clsolve_solver_destroy(solver);
    free(X.data);
    free(mine.data);
}

static void solve_one(clsolve_type type, int64_t n, clsolve_op op, const clsolve_gauss_jordan_options *options) {
    values A = make(type, any_layout(), 1, n, n),
           B = make(type, any_layout(), 1, n, test_random_between(&numbers, 1, 4));
    values X = copy_of(&B, 1);
    clsolve_gauss_jordan *gj = gj_make(context, n, type, options);
    const clsolve_matrix a = view(&A);
    clsolve_matrix x = view(&X);
    if (clsolve_gauss_jordan_solve(gj, op, &a, &x) != CLSOLVE_OK) fail_msg("%s", clsolve_context_message(context));
    assert_true(ratio_of(&A, op, &X, &B, 0) < RATIO_BOUND);
    clsolve_gauss_jordan_destroy(gj);
    if (n > 0 && n < 40 && !gj_shaped()) solve_by_solver(&A, op, &B);
    free(A.data);
    free(B.data);
    free(X.data);
}

TEST(solves) {
    static const int64_t sizes[] = {1, 2, 3, 5, 17, 33, 67};
    for (int type = CLSOLVE_C32; type <= CLSOLVE_C64 && has((clsolve_type)type); type++)
        for (int variant = CLSOLVE_GAUSS_JORDAN_AUTO; variant <= CLSOLVE_GAUSS_JORDAN_BLOCKED; variant++)
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
                /* Each size in one of the types; in other shapes each variant, whose kernels are compiled anew. */
                if (has(CLSOLVE_C64) && (type + variant + (gj_shaped() ? 0 : (int)s)) % 2) continue;
                const clsolve_gauss_jordan_options options = {.variant = (clsolve_gauss_jordan_variant)variant,
                                                              .block = s % 2 ? 16 : 0};
                solve_one((clsolve_type)type, sizes[s], (clsolve_op)(s % 3), &options);
            }
}

static double lapack_rcond(const values *A) {
    const lapack_int n = (lapack_int)A->rows;
    lapack_complex_double *LU = test_room(n * n, sizeof *LU);
    SCRATCH lapack_int *ipiv = test_room(n, sizeof *ipiv);
    double rcond = 0;
    for (int64_t k = 0; k < n * n; k++) LU[k] = get(A, 0, k % n, k / n);
    assert_int_equal(LAPACKE_zgetrf(LAPACK_COL_MAJOR, n, n, LU, n, ipiv), 0);
    assert_int_equal(LAPACKE_zgetri(LAPACK_COL_MAJOR, n, LU, n, ipiv), 0);
    for (int64_t j = 0; j < n; j++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++) sum += cabs(LU[i + j * n]);
        rcond = fmax(rcond, sum);
    }
    free(LU);
    return 1 / (rcond * norm_of(A, 0));
}

TEST(inverses) {
    static const int64_t sizes[] = {1, 2, 5, 31, 64, 67, 130};
    for (int type = CLSOLVE_C32; type <= CLSOLVE_C64 && has((clsolve_type)type); type++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            if (is_left_out(type, CLSOLVE_C32)) continue;
            const int64_t n = sizes[s];
            values A = make((clsolve_type)type, any_layout(), 1, n, n),
                   X = make((clsolve_type)type, any_layout(), 1, n, n);
            clsolve_gauss_jordan *gj = gj_make(context, n, (clsolve_type)type, NULL);
            clsolve_report report;
            for (int64_t i = 0; i < n; i++) put(&A, 0, i, i, get(&A, 0, i, i) + 4);
            const clsolve_matrix a = view(&A);
            clsolve_matrix x = view(&X);
            assert_int_equal(clsolve_gauss_jordan_invert(gj, &a, &x), CLSOLVE_OK);
            assert_true(ratio_of(&A, CLSOLVE_NO_TRANS, &X, NULL, 0) < RATIO_BOUND);
            assert_int_equal(clsolve_gauss_jordan_report(gj, &report), CLSOLVE_OK);
            assert_true(fabs(report.direct.rcond / lapack_rcond(&A) - 1) < (type == CLSOLVE_C64 ? 1e-8 : 1e-2));
            clsolve_gauss_jordan_destroy(gj);
            free(A.data);
            free(X.data);
        }
}

/* A zero column, NaN in an imaginary part, and numbers whose moduli are beyond the range of the type. */
TEST(unusual_ones) {
    enum { N = 7 };
    for (int type = CLSOLVE_C32; type <= CLSOLVE_C64 && has((clsolve_type)type); type++)
        for (int what = 0; what < 4; what++) {
            if (is_left_out(type, CLSOLVE_C32)) continue;
            const double large = type == CLSOLVE_C64 ? DBL_MAX : (double)FLT_MAX;
            values A = make((clsolve_type)type, any_layout(), 1, N, N),
                   X = make((clsolve_type)type, any_layout(), 1, N, N);
            clsolve_gauss_jordan *gj = gj_make(context, N, (clsolve_type)type, NULL);
            clsolve_report report;
            for (int64_t i = 0; i < N; i++) {
                if (what == 0) put(&A, 0, i, 4, 0);
                for (int64_t j = 0; what == 2 && j < N; j++) put(&A, 0, i, j, i == j ? large * (0.9 + 0.9 * I) : 0);
                for (int64_t j = 0; what == 3 && j < N; j++) put(&A, 0, i, j, get(&A, 0, i, j) * (0x1p100 / large));
            }
            if (what == 1) put(&A, 0, 3, 2, 1 + NAN * I);
            const clsolve_matrix a = view(&A);
            clsolve_matrix x = view(&X);
            const clsolve_status status = clsolve_gauss_jordan_invert(gj, &a, &x);
            assert_int_equal(clsolve_gauss_jordan_report(gj, &report), CLSOLVE_OK);
            if (what == 0) {
                assert_int_equal(status, CLSOLVE_SINGULAR);
                assert_int_equal(report.info, 5);
            } else if (what == 1) {
                assert_int_equal(status, CLSOLVE_ERROR_NONFINITE);
            } else if (what == 3) {
                assert_int_equal(status, CLSOLVE_OK);
                assert_true(ratio_of(&A, CLSOLVE_NO_TRANS, &X, NULL, 0) < RATIO_BOUND);
            } else if (status == CLSOLVE_OK) { /* 1 / (large (1 + i)) may be subnormal */
                assert_true(isfinite(creal(get(&X, 0, 0, 0))));
            } else {
                assert_int_equal(status, CLSOLVE_OVERFLOW);
            }
            clsolve_gauss_jordan_destroy(gj);
            free(A.data);
            free(X.data);
        }
}

/* ---- batches ---- */

enum { COUNT = 5 };

static void batch_solves(clsolve_type type, int64_t n, clsolve_op op, int64_t rhs) {
    values A = make(type, any_layout(), COUNT, n, n), B = make(type, any_layout(), COUNT, n, rhs);
    values X = copy_of(&B, COUNT);
    clsolve_gauss_jordan_batch *batch = gj_batch_make(context, n, COUNT, type);
    int64_t info[COUNT];
    for (int64_t i = 0; i < n; i++) put(&A, 1, i, n / 2, 0);
    const clsolve_batch a = batch_view(&A, COUNT);
    clsolve_batch x = batch_view(&X, COUNT);
    assert_int_equal(clsolve_gauss_jordan_batch_solve(batch, op, &a, &x, info), CLSOLVE_OK);
    for (int64_t m = 0; m < COUNT; m++) {
        assert_true(m == 1 ? info[m] > 0 : info[m] == 0);
        if (m != 1) assert_true(ratio_of(&A, op, &X, &B, m) < RATIO_BOUND);
    }
    clsolve_gauss_jordan_batch_destroy(batch);
    free(A.data);
    free(B.data);
    free(X.data);
}

static void batch_inverses(clsolve_type type, int64_t n) {
    values A = make(type, any_layout(), COUNT, n, n), X = make(type, any_layout(), COUNT, n, n);
    clsolve_gauss_jordan_batch *batch = gj_batch_make(context, n, COUNT, type);
    int64_t info[COUNT];
    put(&A, 2, n - 1, 0, 1 + NAN * I);
    for (int64_t i = 0; i < n; i++) /* pivots whose squares leave the range of the type */
        for (int64_t j = 0; j < n; j++) put(&A, 3, i, j, get(&A, 3, i, j) * (type == CLSOLVE_C64 ? 0x1p700 : 0x1p90));
    const clsolve_batch a = batch_view(&A, COUNT);
    clsolve_batch x = batch_view(&X, COUNT);
    assert_int_equal(clsolve_gauss_jordan_batch_invert(batch, &a, &x, info), CLSOLVE_OK);
    for (int64_t m = 0; m < COUNT; m++) {
        assert_int_equal(info[m], m == 2 ? -1 : 0);
        if (m != 2) assert_true(ratio_of(&A, CLSOLVE_NO_TRANS, &X, NULL, m) < RATIO_BOUND);
    }
    clsolve_gauss_jordan_batch_destroy(batch);
    free(A.data);
    free(X.data);
}

TEST(batches) {
    static const int64_t sizes[] = {3, 32};
    for (int type = CLSOLVE_C32; type <= CLSOLVE_C64 && has((clsolve_type)type); type++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes - (size_t)gj_shaped(); s++) {
            if (is_left_out(type, CLSOLVE_C64)) continue;
            batch_inverses((clsolve_type)type, sizes[s]);
            batch_solves((clsolve_type)type, sizes[s], s % 2 ? CLSOLVE_TRANS : CLSOLVE_CONJ_TRANS, 3);
        }
}

static int open_context(void **state) {
    numbers = test_random_start(0x6c6a);
    context = gj_context();
    return 0;
}

static int close_context(void **state) {
    clsolve_context_destroy(context);
    return 0;
}

TEST_PROGRAM(open_context, close_context)
