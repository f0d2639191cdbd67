/* Dense LU against LAPACK's own measures: its matrices, its ratios, its pivots; all types, layouts and operations. */
#include <clsolve/clsolve.h>

#include <lapacke.h>

#include "lu/ratios.h"
#include "support/fixture.h"

static const int64_t sizes[] = {0, 1, 2, 3, 5, 15, 16, 17, 31, 32, 33, 63, 64, 65, 67, 101, 127, 128, 129, 191, 257};
enum { SIZES = sizeof sizes / sizeof *sizes };
/* CLSOLVE_TEST_REDUCED=1: every third size up to 101, some kinds of each, and smaller blocks, for devices that are slow or tested beside
 * another. */
static int stride = 1, size_count = SIZES;

static double *doubles(int64_t count) {
    return test_elements(CLSOLVE_F64, count);
}

static int has_type(clsolve_type type) {
    return test_has_type(context, type);
}

/* A X = B and the same of A^T and A^H with the factors; a failure leaves B as it was. */
static void check_solves(test_random *random, clsolve_lu *lu, clsolve_type type, clsolve_layout layout, int kind,
                         int64_t n, int64_t nrhs, const double *A) {
    const int64_t count = test_numbers(type, n * nrhs);
    double *B = doubles(count), *X = doubles(count);
    int singular = test_kind_singular(kind) && n > 0;

    for (int op = CLSOLVE_NO_TRANS; op <= CLSOLVE_CONJ_TRANS; ++op) {
        test_matrix b = test_matrix_make(type, layout, n, nrhs, 2);
        for (int64_t k = 0; k < count; ++k) B[k] = test_rounded(type, test_random_signed(random));
        test_matrix_set(&b, B);
        clsolve_status status = clsolve_lu_solve(lu, (clsolve_op)op, &b.view);
        test_matrix_get(&b, X);
        test_matrix_spare_intact(&b);
        if (singular) {
            assert_int_equal(status, CLSOLVE_SINGULAR);
            for (int64_t k = 0; k < count; ++k) assert_true(X[k] == B[k]);
        } else if (status == CLSOLVE_OK) {
            double ratio = ratio_solve(type, (clsolve_op)op, n, nrhs, A, X, B);
            if (!(ratio < RATIO_BOUND))
                fail_msg("n %d, %s, op %d, type %d, layout %d: ratio %g", (int)n, test_kind_names[kind], op, (int)type,
                         (int)layout, ratio);
        } else { /* right-hand sides of order 1 and a matrix near underflow: X may be too large for the type */
            assert_int_equal(status, CLSOLVE_OVERFLOW);
            assert_int_equal(kind, 10);
            for (int64_t k = 0; k < count; ++k) assert_true(X[k] == B[k]);
        }
        test_matrix_free(&b);
    }
    free(B);
    free(X);
}

/* One factorization, its factors, and solves with A and its transpose. */
static void check_one(test_random *random, clsolve_type type, clsolve_layout layout, int kind, int64_t n, int64_t nrhs,
                      clsolve_lu_options options) {
    const int64_t count = test_numbers(type, n * n);
    SCRATCH double *A = doubles(count), *LU = doubles(count);
    SCRATCH int64_t *ipiv = calloc((size_t)n + 1, sizeof *ipiv);
    scratch_matrix a = test_matrix_make(type, layout, n, n, 3), f = test_matrix_make(type, layout, n, n, 1);
    clsolve_lu *lu = NULL;
    clsolve_report report;

    test_kind_make(random, type, kind, n, A);
    test_matrix_set(&a, A);
    assert_int_equal(clsolve_lu_create(context, n, type, &options, &lu), CLSOLVE_OK);
    clsolve_status status = clsolve_lu_factor(lu, &a.view);
    int singular = test_kind_singular(kind) && n > 0;
    if (status != (singular ? CLSOLVE_SINGULAR : CLSOLVE_OK))
        fail_msg("%s, n %d, %s: %s", test_type_names[type], (int)n, test_kind_names[kind],
                 clsolve_context_message(context));
    test_matrix_get(&a, LU); /* A is only read */
    for (int64_t k = 0; k < count; ++k) assert_true(LU[k] == A[k]);

    assert_int_equal(clsolve_lu_factors(lu, &f.view, ipiv), CLSOLVE_OK);
    test_matrix_get(&f, LU);
    test_matrix_spare_intact(&f);
    double ratio = ratio_factors(type, n, A, LU, ipiv);
    if (!(ratio < RATIO_BOUND))
        fail_msg("%s, n %d, %s: factors' ratio %g", test_type_names[type], (int)n, test_kind_names[kind], ratio);

    assert_int_equal(clsolve_lu_report(lu, &report), CLSOLVE_OK);
    if (singular) {
        int64_t first = kind == 5 ? 1 : kind == 6 ? n : n / 2 + 1;
        assert_int_equal(report.info, first);
    } else {
        assert_int_equal(report.info, 0);
    }

    check_solves(random, lu, type, layout, kind, n, nrhs, A);
    clsolve_lu_destroy(lu);
}

static void kinds_and_sizes(clsolve_type type, clsolve_layout layout, uint64_t use) {
    test_random random = test_random_start(use);
    if (!has_type(type)) skip();
    const int step = stride == 1                      ? 1
                     : layout == CLSOLVE_COLUMN_MAJOR ? 2
                                                      : 4; /* of the kinds: other ones for the next size */
    for (int s = 0; s < size_count; s += stride)
        for (int kind = 1 + s / stride % step; kind <= TEST_KINDS; kind += step)
            check_one(&random, type, layout, kind, sizes[s], (s + kind) % 4, test_lu_options());
}

#define TEST_OF(type, TYPE, use)                                                                                       \
    TEST(test_##type##_column) {                                                                                       \
        kinds_and_sizes(CLSOLVE_##TYPE, CLSOLVE_COLUMN_MAJOR, use);                                                    \
    }                                                                                                                  \
    TEST(test_##type##_row) {                                                                                          \
        kinds_and_sizes(CLSOLVE_##TYPE, CLSOLVE_ROW_MAJOR, (use) + 1);                                                 \
    }
TEST_OF(f64, F64, 1)
TEST_OF(f32, F32, 3)
TEST_OF(c64, C64, 11)
TEST_OF(c32, C32, 13)

/* Blocks that do not fit n, the leaf or each other; a matrix cut into many slabs. */
TEST(test_blocks_and_slabs) {
    static const clsolve_lu_options options[] = {
        {.block = 7},      {.block = 1000}, {.block = 32, .slab_bytes = 300 * 8 * 70},
        {.slab_bytes = 1}, {.block = 1},    {.block = 24}};
    const size_t count = sizeof options / sizeof *options - (stride > 1 ? 2 : 0);
    test_random random = test_random_start(5);
    const int is_double = has_type(CLSOLVE_F64);

    for (size_t k = 0; k < 2 * count; ++k) {
        if (stride > 1 && (k / 2 + k) % 2) continue; /* real or complex by turns: each block is a program of its own */
        const clsolve_type type = k % 2 ? is_double ? CLSOLVE_C64 : CLSOLVE_C32 : is_double ? CLSOLVE_F64 : CLSOLVE_F32;
        clsolve_lu_options mine = options[k / 2];
        mine.panel = test_lu_options().panel;
        check_one(&random, type, CLSOLVE_COLUMN_MAJOR, 4, 300 / stride, 5, mine);
        check_one(&random, type, CLSOLVE_ROW_MAJOR, 4, 211 / stride, 300 / stride, mine);
    }
}

/* LAPACK's getrf of a double type. */
static lapack_int factor_by_lapack(clsolve_type type, int64_t n, double *A, lapack_int *ipiv) {
    const lapack_int order = (lapack_int)n;
    if (type == CLSOLVE_C64)
        return LAPACKE_zgetrf(LAPACK_COL_MAJOR, order, order, (lapack_complex_double *)(void *)A, order, ipiv);
    return LAPACKE_dgetrf(LAPACK_COL_MAJOR, order, order, A, order, ipiv);
}

/* Pivots equal LAPACK's: where no two candidates are equal, and where many are and the first of them must be taken. */
static void compare_pivots(clsolve_type type, int64_t n, const double *A) {
    const int64_t count = test_numbers(type, n * n);
    SCRATCH double *mine = doubles(count), *theirs = doubles(count);
    SCRATCH int64_t *ipiv = calloc((size_t)n + 1, sizeof *ipiv);
    SCRATCH lapack_int *expected = calloc((size_t)n + 1, sizeof *expected);
    clsolve_matrix a = clsolve_matrix_f64(n, n, mine);
    clsolve_lu_options options = test_lu_options();
    OWNED(lu) *lu = NULL;

    a.type = type;
    for (int64_t k = 0; k < count; ++k) mine[k] = theirs[k] = A[k];
    lapack_int info = factor_by_lapack(type, n, theirs, expected);
    assert_int_equal(clsolve_lu_create(context, n, type, &options, &lu), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_factor(lu, &a), info == 0 ? CLSOLVE_OK : CLSOLVE_SINGULAR);
    assert_int_equal(clsolve_lu_factors(lu, &a, ipiv), CLSOLVE_OK);
    for (int64_t k = 0; k < n; ++k) assert_int_equal(ipiv[k], expected[k]);
    clsolve_report report;
    assert_int_equal(clsolve_lu_report(lu, &report), CLSOLVE_OK);
    assert_int_equal(report.info, info);
}

/* Entries -1, 0, 1, drawn until nothing is rounded in their elimination: a multiplier of 1/3 makes a zero or something very small of
 * 1 - 3/3, as the compiler has it, and a singular matrix or another one. */
static void draw_ties(test_random *random, int64_t n, double *A) {
    SCRATCH double *LU = doubles(n * n);
    lapack_int ipiv[5];
    int rounded;

    assert_true(n <= 5);
    do {
        for (int64_t k = 0; k < n * n; ++k) LU[k] = A[k] = (double)test_random_between(random, -1, 1);
        assert_true(LAPACKE_dgetrf(LAPACK_COL_MAJOR, (lapack_int)n, (lapack_int)n, LU, (lapack_int)n, ipiv) >= 0);
        rounded = 0;
        for (int64_t k = 0; k < n * n; ++k) rounded |= LU[k] * 1024 != rint(LU[k] * 1024);
    } while (rounded);
}

static void check_pivots(clsolve_type type, uint64_t use) {
    test_random random = test_random_start(use);
    const int64_t parts = test_numbers(type, 1);

    for (int s = 1; s < size_count; s += stride) {
        int64_t n = sizes[s];
        SCRATCH double *A = doubles(n * n * parts);
        test_random_fill(&random, A, n * n * parts);
        compare_pivots(type, n, A);
        /* Ties in every column. */
        if (n <= 5 && parts == 1) {
            draw_ties(&random, n, A);
            compare_pivots(type, n, A);
        }
        /* A permutation matrix: exact, every pivot somewhere else; of complex numbers 1, -1, i and -i. */
        for (int64_t k = 0; k < n * n * parts; ++k) A[k] = 0;
        for (int64_t j = 0; j < n; ++j) A[(n - 1 - j + j * n) * parts + (parts == 2 ? j / 2 % 2 : 0)] = j % 2 ? -1 : 1;
        compare_pivots(type, n, A);
        /* All ones: singular at column 2, all candidates of column 1 equal. */
        for (int64_t k = 0; k < n * n; ++k) A[k * parts] = 1, A[k * parts + parts - 1] = 1;
        compare_pivots(type, n, A);
    }
}

TEST(test_pivots) {
    if (!has_type(CLSOLVE_F64)) skip();
    check_pivots(CLSOLVE_F64, 6);
    check_pivots(CLSOLVE_C64, 15);
}

/* In rows, more right-hand sides than a grid of tiles has places in its second dimension, on the device that it is: one that is
 * treated as a GPU has no such limit, and takes long. */
TEST(test_many_right_sides) {
    enum { N = 2 };
    const int64_t NRHS = test_pretends("gpu") ? 1025 : 65536 * 16 + 1;
    clsolve_type type = has_type(CLSOLVE_F64) ? CLSOLVE_F64 : CLSOLVE_F32;
    clsolve_lu_options options = test_lu_options();
    OWNED(lu) *lu = NULL;
    scratch_matrix a = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, N, N, 0);
    scratch_matrix b = test_matrix_make(type, CLSOLVE_ROW_MAJOR, N, NRHS, 0);
    double A[N * N] = {1, 3, 2, 4};
    SCRATCH double *B = doubles(N * NRHS), *X = doubles(N * NRHS);

    test_matrix_set(&a, A);
    for (int64_t k = 0; k < N * NRHS; ++k) B[k] = 1 + (double)(k % 7);
    test_matrix_set(&b, B);
    assert_int_equal(clsolve_lu_create(context, N, type, &options, &lu), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_factor(lu, &a.view), CLSOLVE_OK);
    if (clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &b.view) != CLSOLVE_OK) fail_msg("%s", clsolve_context_message(context));
    test_matrix_get(&b, X);
    for (int64_t c = 0; c < NRHS; ++c) {
        const double *x = X + c * N;
        double off = fabs(A[0] * x[0] + A[2] * x[1] - B[c * N]) + fabs(A[1] * x[0] + A[3] * x[1] - B[c * N + 1]);
        if (!(off < 1e-4)) fail_msg("right-hand side %d is off by %g", (int)c, off);
    }
}

/* Wilkinson's matrix grows by 2^(n-1): the factors must still be those of partial pivoting. */
TEST(test_growth) {
    if (!has_type(CLSOLVE_F64)) skip();
    int64_t n = 53;
    SCRATCH double *A = doubles(n * n);
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < n; ++i) A[i + j * n] = i == j || j == n - 1 ? 1 : i > j ? -1 : 0;
    compare_pivots(CLSOLVE_F64, n, A);
}

/* Rows and columns that differ by many orders of magnitude, up to subnormal pivots. */
TEST(test_graded) {
    if (!has_type(CLSOLVE_F64)) skip();
    test_random random = test_random_start(7);
    int64_t n = 97;
    SCRATCH double *A = doubles(n * n), *B = doubles(n), *X = doubles(n);
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < n; ++i) A[i + j * n] = ldexp(test_random_signed(&random), (int)(-10 * i));
    for (int64_t i = 0; i < n; ++i) {
        double sum = 0;
        for (int64_t j = 0; j < n; ++j) sum += A[i + j * n];
        B[i] = X[i] = sum;
    }
    clsolve_matrix a = clsolve_matrix_f64(n, n, A), x = clsolve_matrix_f64(n, 1, X);
    assert_int_equal(clsolve_solve(context, CLSOLVE_NO_TRANS, &a, &x, NULL, NULL), CLSOLVE_OK);
    double ratio = ratio_solve(CLSOLVE_F64, CLSOLVE_NO_TRANS, n, 1, A, X, B);
    if (!(ratio < RATIO_BOUND)) fail_msg("graded: ratio %g", ratio);

    /* A subnormal pivot: its reciprocal is Inf, so multipliers must be quotients. */
    double tiny[4] = {4e-320, 2e-320, 1e-320, 3.0}, b[2] = {1.2e-319, 3.0};
    clsolve_matrix t = clsolve_matrix_f64(2, 2, tiny), r = clsolve_matrix_f64(2, 1, b);
    clsolve_status status = clsolve_solve(context, CLSOLVE_NO_TRANS, &t, &r, NULL, NULL);
    assert_true(status == CLSOLVE_OK || status == CLSOLVE_OVERFLOW);
    if (status == CLSOLVE_OK) assert_true(isfinite(b[0]) && isfinite(b[1]));
    /* The same beside a 1, so that the matrix is not scaled as a whole: the device's panel divides. */
    double beside[9] = {1, 0, 0, 0, 4e-320, 2e-320, 0, 1e-320, 8e-320}, LU[9];
    clsolve_matrix s = clsolve_matrix_f64(3, 3, beside), f = clsolve_matrix_f64(3, 3, LU);
    clsolve_lu_options options = {.panel = CLSOLVE_PANEL_NATIVE};
    OWNED(lu) *lu = NULL;
    assert_int_equal(clsolve_lu_create(context, 3, CLSOLVE_F64, &options, &lu), CLSOLVE_OK);
    if (clsolve_lu_factor(lu, &s) != CLSOLVE_OK) fail_msg("%s", clsolve_context_message(context));
    assert_int_equal(clsolve_lu_factors(lu, &f, NULL), CLSOLVE_OK);
    assert_true(fabs(LU[5] - 0.5) < 1e-3);
}

int main(void) {
    test_require_device();
    if (test_reduced()) stride = 3, size_count = 16;
    return test_run(open_context, close_context);
}
