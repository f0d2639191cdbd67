/*
 * Batches of doubles of 33 to 512 rows by LU and by Cholesky, which NVIDIA's GPUs factor in one launch, at the ends of each class: LAPACK's
 * ratios of solves in both layouts, from either triangle; and beside good members one that is singular or not positive definite, one that
 * holds NaN and one that is tiny. Elsewhere other tests have all kernels: skipped.
 */
#include <clsolve/clsolve.h>

#include <float.h>

#include "api/context.h"
#include "support/fixture.h"

enum { COUNT = 5, MOST = 512, BAD = 1, NUMBERLESS = 2, TINY = 4, TINY_BY = -1040 };

/* With so few digits that a tiny multiple has them all. */
static double drawn(test_random *random) {
    return round(test_random_signed(random) * 256) / 256;
}

static double factor_of(int m) {
    return m == TINY ? ldexp(1, TINY_BY) : 1;
}

/* As they are but for their size; `at` is where a member begins. */
static void make_member(test_random *random, int cholesky, int m, int64_t n, double *at) {
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j <= i; ++j) {
            at[i + j * n] = drawn(random);
            at[j + i * n] = cholesky ? at[i + j * n] : drawn(random);
        }
    for (int64_t i = 0; i < n && cholesky; ++i) at[i + i * n] += (double)n;
    for (int64_t i = 0; i < n && m == BAD; ++i) at[i + n / 2 * n] = at[n / 2 + i * n] = 0;
    if (m == NUMBERLESS) at[n - 1] = at[(n - 1) * n] = NAN;
}

static clsolve_status solve(int cholesky, clsolve_uplo uplo, const clsolve_batch *A, clsolve_batch *X, int64_t *info) {
    clsolve_status status;
    if (cholesky) {
        const clsolve_cholesky_batch_options options = {.where = CLSOLVE_WHERE_DEVICE};
        OWNED(cholesky_batch) *batch = NULL;
        status = clsolve_cholesky_batch_create(context, A->rows, COUNT, CLSOLVE_F64, &options, &batch);
        if (status == CLSOLVE_OK) status = clsolve_cholesky_batch_factor(batch, uplo, A, info);
        if (status == CLSOLVE_OK) status = clsolve_cholesky_batch_solve(batch, X, info);
    } else {
        const clsolve_lu_batch_options options = {.where = CLSOLVE_WHERE_DEVICE};
        OWNED(lu_batch) *batch = NULL;
        status = clsolve_lu_batch_create(context, A->rows, COUNT, CLSOLVE_F64, &options, &batch);
        if (status == CLSOLVE_OK) status = clsolve_lu_batch_factor(batch, A, info);
        if (status == CLSOLVE_OK) status = clsolve_lu_batch_solve(batch, CLSOLVE_NO_TRANS, X, info);
    }
    return status;
}

static double ratio_of(const double *A, const double *x, const double *b, int64_t n, int by_row) {
    double norm = 0, most = 0, worst = 0;
    for (int64_t i = 0; i < n; ++i) {
        double sum = b[i], size = 0;
        for (int64_t j = 0; j < n; ++j) {
            const double a = A[by_row ? i * n + j : i + j * n];
            sum -= a * x[j];
            size += fabs(a);
        }
        norm = fmax(norm, size);
        most = fmax(most, fabs(x[i]));
        worst = fmax(worst, fabs(sum));
    }
    return worst / (norm * most * (double)n * DBL_EPSILON);
}

static void check(test_random *random, int cholesky, int64_t n, int by_row) {
    const size_t elements = (size_t)(COUNT * n * n), rows = (size_t)(COUNT * n);
    SCRATCH double *A = malloc(elements * sizeof *A);
    SCRATCH double *a = malloc(elements * sizeof *a), *b = malloc(rows * sizeof *b), *x = malloc(rows * sizeof *x);
    int64_t info[COUNT];
    assert_true(A && a && b && x);
    for (int m = 0; m < COUNT; ++m) {
        make_member(random, cholesky, m, n, A + m * n * n);
        for (int64_t k = 0; k < n * n; ++k) a[m * n * n + k] = A[m * n * n + k] * factor_of(m);
        for (int64_t k = m * n; k < (m + 1) * n; ++k) x[k] = (b[k] = drawn(random)) * factor_of(m);
    }
    clsolve_batch of_a = clsolve_batch_f64(COUNT, n, n, a), of_x = clsolve_batch_f64(COUNT, n, 1, x);
    of_a.layout = by_row ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR;
    test_works(context, solve(cholesky, n % 2 ? CLSOLVE_UPPER : CLSOLVE_LOWER, &of_a, &of_x, info));
    for (int m = 0; m < COUNT; ++m) {
        assert_int_equal(info[m], m == BAD ? n / 2 + 1 : m == NUMBERLESS ? -1 : 0);
        if (info[m] != 0) continue;
        const double ratio = ratio_of(A + m * n * n, x + m * n, b + m * n, n, by_row);
        if (!(ratio < 30))
            fail_msg("Cholesky %d, n %d, by rows %d, member %d: ratio %g", cholesky, (int)n, by_row, m, ratio);
    }
}

static void check_orders(int cholesky) {
    static const int64_t orders[] = {33, 47, 64, 65, 96, 113, 128, 129, 200, 255, 256, 257, 500, 512};
    test_random random = test_random_start(512);
    for (size_t o = 0; o < sizeof orders / sizeof *orders; ++o) {
        if (!cholesky && orders[o] > 256) continue;
        check(&random, cholesky, orders[o], 0);
        check(&random, cholesky, orders[o], 1);
    }
}

TEST(test_lu) {
    (void)state;
    check_orders(0);
}

TEST(test_cholesky) {
    (void)state;
    check_orders(1);
}

int main(void) {
    test_require_device();
    (void)open_context(NULL);
    const int has = context->device->matrix_unit >= 80 && clsolve_context_device(context).fp64;
    (void)close_context(NULL);
    if (!has) return 77;
    return test_run(open_context, close_context);
}
