/* The inertia of LDL^T against eigenvalues by LAPACK's syev and heev; singular matrices; the report; refusals. */
#include <clsolve/clsolve.h>

#include <complex.h>
#include <float.h>
#include <lapacke.h>

#include "api/context.h"
#include "ldl/ldl_support.h"
#include "support/fixture.h"

enum { MOST = 40 };
static int matrices = 1000;

/* Eigenvalues of a hermitian A by signs. *clear: none is as small as rounding may make it. */
static clsolve_inertia by_eigenvalues(const ldl_shape *shape, int64_t n, const double complex *A, int *clear) {
    SCRATCH double complex *V = ldl_elements(n * n);
    double values[MOST], largest = 0, least = (double)INFINITY;
    clsolve_inertia count = {0, 0, 0};

    memcpy(V, A, (size_t)(n * n) * sizeof *V);
    assert_int_equal(LAPACKE_zheev(LAPACK_COL_MAJOR, 'N', 'L', (lapack_int)n, V, (lapack_int)n, values), 0);
    for (int64_t k = 0; k < n; ++k) {
        largest = fmax(largest, fabs(values[k]));
        least = fmin(least, fabs(values[k]));
        count.positive += values[k] > 0;
        count.negative += values[k] < 0;
    }
    *clear = least > 100 * (double)n * test_epsilon(shape->type) * largest;
    return count;
}

static clsolve_inertia counted(const ldl_shape *shape, int64_t n, const double complex *A, clsolve_uplo uplo,
                               clsolve_status expected) {
    const clsolve_ldl_options options = test_ldl_options(shape);
    scratch_matrix a = test_matrix_make(shape->type, CLSOLVE_COLUMN_MAJOR, n, n, 1);
    clsolve_inertia count = {-1, -1, -1};
    clsolve_ldl *ldl = NULL;
    clsolve_report report;

    ldl_set(shape, &a, uplo, A);
    assert_int_equal(clsolve_ldl_create(context, n, shape->type, &options, &ldl), CLSOLVE_OK);
    const clsolve_status status = clsolve_ldl_factor(ldl, uplo, &a.view);
    if (status != expected) fail_msg("%s, n %d: %s", shape->name, (int)n, clsolve_context_message(context));
    assert_int_equal(clsolve_ldl_inertia(ldl, &count), CLSOLVE_OK);
    assert_int_equal(clsolve_ldl_report(ldl, &report), CLSOLVE_OK);
    assert_memory_equal(&count, &report.direct.inertia, sizeof count);
    assert_int_equal(count.positive + count.negative + count.zero, n);
    clsolve_ldl_destroy(ldl);
    return count;
}

/* Float factors of a device without double are not counted. */
static int counts(const ldl_shape *shape) {
    return shape->symmetry == CLSOLVE_SYMMETRY_HERMITIAN && test_has_type(context, shape->type) &&
           (shape->type == CLSOLVE_F32 || shape->type == CLSOLVE_C32 || clsolve_context_device(context).fp64);
}

TEST(test_eigenvalues) {
    test_random random = test_random_start(11);
    int compared = 0;

    for (int m = 0; m < matrices; ++m) {
        const ldl_shape *shape = &ldl_shapes[m % 4];
        const ldl_kind kind = (ldl_kind)(m / 4 % LDL_KINDS);
        const int64_t n = test_random_between(&random, 1, m % 10 == 0 ? MOST : 12);
        SCRATCH double complex *A = ldl_elements(n * n);
        int clear;
        ldl_make(&random, shape, kind, n, A);
        const clsolve_inertia right = by_eigenvalues(shape, n, A, &clear);
        if (clear && counts(shape)) {
            const clsolve_inertia count = counted(shape, n, A, m % 3 ? CLSOLVE_LOWER : CLSOLVE_UPPER, CLSOLVE_OK);
            if (count.positive != right.positive || count.negative != right.negative || count.zero != 0)
                fail_msg("matrix %d, %s, %s, n %d: (%d, %d, %d), not (%d, %d, 0)", m, ldl_names[kind], shape->name,
                         (int)n, (int)count.positive, (int)count.negative, (int)count.zero, (int)right.positive,
                         (int)right.negative);
            compared++;
        }
    }
    assert_true(compared > matrices / 3);
}

/* Rows and columns of zeros among those of a matrix of small integers, whose factors are exact. */
TEST(test_singular) {
    enum { N = 9 };
    for (int s = 0; s < 4; ++s) {
        double complex A[N * N] = {0};
        if (!counts(&ldl_shapes[s])) continue;
        /* 1 0 4 with 2 beside: pairs (1, 2) that are [0 2; 2 0], one row of zeros, and a diagonal. */
        A[0 + 0 * N] = 4;
        A[1 + 2 * N] = A[2 + 1 * N] = 2;
        A[4 + 4 * N] = -1;
        A[5 + 7 * N] = A[7 + 5 * N] = -3;
        A[8 + 8 * N] = 1;
        const clsolve_inertia count = counted(&ldl_shapes[s], N, A, CLSOLVE_LOWER, CLSOLVE_SINGULAR);
        assert_int_equal(count.positive, 4);
        assert_int_equal(count.negative, 3);
        assert_int_equal(count.zero, 2);
        double complex none[N * N] = {0};
        assert_int_equal(counted(&ldl_shapes[s], N, none, CLSOLVE_UPPER, CLSOLVE_SINGULAR).zero, N);
        assert_int_equal(counted(&ldl_shapes[s], 0, none, CLSOLVE_UPPER, CLSOLVE_OK).zero, 0);
    }
}

/* Imported blocks of order 2 may have any signs, and be singular. */
TEST(test_imported) {
    enum { N = 4 };
    static const struct {
        float a, b, c, d;
        int positive, negative, zero;
    } cases[] = {{2, 1, 2, 1, 3, 0, 1},  {-2, 1, -2, 1, 1, 2, 1}, {1, 2, 1, 1, 2, 1, 1}, {1, 1, 1, 1, 2, 0, 2},
                 {0, 0, -3, 1, 1, 1, 2}, {0, 3, 0, -1, 1, 2, 1},  {0, 0, 0, 1, 1, 0, 3}, {-4, 2, -1, 1, 1, 1, 2}};
    const clsolve_ldl_options options = test_ldl_options(&ldl_shapes[1]);
    OWNED(ldl) *ldl = NULL;

    assert_int_equal(clsolve_ldl_create(context, N, CLSOLVE_F32, &options, &ldl), CLSOLVE_OK);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        float F[N * N] = {0};
        const int64_t ipiv[N] = {-1, -2, 3, 4};
        clsolve_matrix f = clsolve_matrix_f32(N, N, F);
        clsolve_inertia count;
        clsolve_report report;
        F[0] = cases[k].a, F[1] = cases[k].b, F[N + 1] = cases[k].c, F[2 * (N + 1)] = cases[k].d;
        assert_int_equal(clsolve_ldl_import(ldl, &f, ipiv), CLSOLVE_SINGULAR);
        assert_int_equal(clsolve_ldl_report(ldl, &report), CLSOLVE_OK);
        assert_int_equal(report.info, cases[k].zero == 1 ? 4 : 1);
        assert_int_equal(clsolve_ldl_inertia(ldl, &count), CLSOLVE_OK);
        if (count.positive != cases[k].positive || count.negative != cases[k].negative || count.zero != cases[k].zero)
            fail_msg("case %d: (%d, %d, %d)", (int)k, (int)count.positive, (int)count.negative, (int)count.zero);
    }
}

/* Float factors of doubles are not counted, nor are complex eigenvalues. */
TEST(test_refused) {
    clsolve_ldl_options options = test_ldl_options(&ldl_shapes[0]);
    const double A[4] = {1, 2, 2, 1};
    const double C[8] = {1, 1, 2, 0, 2, 0, 1, -1};
    clsolve_inertia count;
    clsolve_ldl *ldl = NULL;

    if (test_has_type(context, CLSOLVE_F64)) {
        clsolve_matrix a = clsolve_matrix_f64(2, 2, (double *)(uintptr_t)A);
        options.precision = CLSOLVE_PRECISION_MIXED;
        assert_int_equal(clsolve_ldl_create(context, 2, CLSOLVE_F64, &options, &ldl), CLSOLVE_OK);
        assert_int_equal(clsolve_ldl_inertia(ldl, &count), CLSOLVE_ERROR_STATE);
        assert_int_equal(clsolve_ldl_factor(ldl, CLSOLVE_LOWER, &a), CLSOLVE_OK);
        assert_int_equal(clsolve_ldl_inertia(ldl, &count), CLSOLVE_ERROR_UNSUPPORTED);
        assert_non_null(strstr(clsolve_context_message(context), "of float"));
        assert_int_equal(clsolve_ldl_inertia(ldl, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT);
        clsolve_ldl_destroy(ldl);
    }
    if (test_has_type(context, CLSOLVE_C64)) {
        clsolve_matrix c = clsolve_matrix_f64(2, 2, (double *)(uintptr_t)C);
        c.type = CLSOLVE_C64;
        options = test_ldl_options(&ldl_shapes[4]);
        assert_int_equal(clsolve_ldl_create(context, 2, CLSOLVE_C64, &options, &ldl), CLSOLVE_OK);
        assert_int_equal(clsolve_ldl_factor(ldl, CLSOLVE_LOWER, &c), CLSOLVE_OK);
        assert_int_equal(clsolve_ldl_inertia(ldl, &count), CLSOLVE_ERROR_UNSUPPORTED);
        clsolve_ldl_destroy(ldl);
    }
    assert_int_equal(clsolve_ldl_inertia(NULL, &count), CLSOLVE_ERROR_INVALID_ARGUMENT);
}

int main(void) {
    test_require_device();
    test_ldl_require_panel();
    if (test_reduced()) matrices = 200;
    return test_run(open_context, close_context);
}
