#include "band/band_support.h"
#include "band/narrow_support.h"

#include <lapacke.h>

clsolve_band_options test_band_options(void) {
    clsolve_band_options options = {.panel = test_lu_options().panel};
    return options;
}

double *test_band_at(const test_band *A, int64_t i, int64_t j) {
    if (i < 0 || i >= A->n || j < 0 || j >= A->n || i - j > A->kl || j - i > A->ku) return NULL;
    return &A->values[A->ku + i - j + j * (A->kl + A->ku + 1)];
}

test_band test_band_random(test_random *random, clsolve_type type, int64_t n, int64_t kl, int64_t ku, double diagonal) {
    test_band A = {type, n, kl, ku, test_doubles(n * (kl + ku + 1))};
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = j - ku; i <= j + kl; ++i) {
            double *a = test_band_at(&A, i, j);
            if (a) *a = test_rounded(type, test_random_signed(random) + (i == j ? diagonal : 0));
        }
    return A;
}

test_band test_band_exact(test_random *random, clsolve_type type, int64_t n, int64_t kl, int64_t ku, int singular) {
    test_band A = {type, n, kl, ku, test_doubles(n * (kl + ku + 1))};
    narrow_band band = narrow_band_exact(random, n, kl, ku, singular);
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < n; ++i) {
            double *a = test_band_at(&A, i, j);
            if (a) *a = *narrow_band_at(&band, i, j);
        }
    narrow_band_free(&band);
    return A;
}

void test_band_free(test_band *A) {
    free(A->values);
    A->values = NULL;
}

test_matrix test_band_view(const test_band *A, clsolve_band_form form, clsolve_layout layout, int64_t spare,
                           double outside) {
    int64_t fill = form == CLSOLVE_BAND_GBTRF ? A->kl : 0, rows = fill + A->kl + A->ku + 1;
    test_matrix m = test_matrix_make(A->type, layout, rows, A->n, spare);
    SCRATCH double *all = test_doubles(rows * A->n);

    for (int64_t j = 0; j < A->n; ++j)
        for (int64_t r = 0; r < rows; ++r) {
            const double *a = r < fill ? NULL : test_band_at(A, j - A->ku + r - fill, j);
            all[r + j * rows] = a ? *a : outside;
        }
    test_matrix_set(&m, all);
    return m;
}

/* ---- residuals ---- */

static int64_t first_row(const test_band *A, int64_t j) {
    return j > A->ku ? j - A->ku : 0;
}

static int64_t end_row(const test_band *A, int64_t j) {
    return A->n - j <= A->kl ? A->n : j + A->kl + 1;
}

static void subtract(const test_band *A, clsolve_op op, const double *x, long double *r) {
    for (int64_t j = 0; j < A->n; ++j)
        for (int64_t i = first_row(A, j); i < end_row(A, j); ++i) {
            long double a = (long double)*test_band_at(A, i, j);
            if (op == CLSOLVE_NO_TRANS)
                r[i] -= a * x[j];
            else
                r[j] -= a * x[i];
        }
}

void test_band_multiply(const test_band *A, clsolve_op op, int64_t cols, const double *X, double *Y) {
    long double *r = test_room(A->n + 1, sizeof *r);
    for (int64_t c = 0; c < cols; ++c) {
        memset(r, 0, (size_t)A->n * sizeof *r);
        subtract(A, op, X + c * A->n, r);
        for (int64_t i = 0; i < A->n; ++i) Y[i + c * A->n] = (double)-r[i];
    }
    free(r);
}

double test_band_norm(const test_band *A, clsolve_op op) {
    double *sums = test_doubles(A->n), norm = 0;
    for (int64_t j = 0; j < A->n; ++j)
        for (int64_t i = first_row(A, j); i < end_row(A, j); ++i)
            sums[op == CLSOLVE_NO_TRANS ? j : i] += fabs(*test_band_at(A, i, j));
    for (int64_t j = 0; j < A->n; ++j)
        if (norm == norm && !(sums[j] <= norm)) norm = sums[j];
    free(sums);
    return norm;
}

double test_band_ratio(const test_band *A, clsolve_op op, int64_t cols, const double *X, const double *B) {
    double worst = 0, norm = test_band_norm(A, op);
    long double *r = test_room(A->n + 1, sizeof *r);

    for (int64_t c = 0; c < cols && A->n > 0; ++c) {
        double residual = 0, size = 0;
        for (int64_t i = 0; i < A->n; ++i) r[i] = (long double)B[i + c * A->n];
        subtract(A, op, X + c * A->n, r);
        for (int64_t i = 0; i < A->n; ++i) {
            residual += (double)fabsl(r[i]);
            size += fabs(X[i + c * A->n]);
        }
        double ratio = residual == 0 ? 0 : residual / norm / size / ((double)A->n * test_epsilon(A->type));
        if (worst == worst && !(ratio <= worst)) worst = ratio; /* NaN stays */
    }
    free(r);
    return worst;
}

/* ---- LAPACK ---- */

int64_t test_band_lapack(const test_band *A, int64_t *ipiv, double *AFB) {
    lapack_int n = (lapack_int)A->n, kl = (lapack_int)A->kl, ku = (lapack_int)A->ku, ld = 2 * kl + ku + 1, info;
    SCRATCH lapack_int *pivots = test_room(n + 1, sizeof *pivots);
    scratch_matrix m = test_band_view(A, CLSOLVE_BAND_GBTRF, CLSOLVE_COLUMN_MAJOR, 0, 0);

    if (A->type == CLSOLVE_F64)
        info = LAPACKE_dgbtrf_work(LAPACK_COL_MAJOR, n, n, kl, ku, m.memory, ld, pivots);
    else
        info = LAPACKE_sgbtrf_work(LAPACK_COL_MAJOR, n, n, kl, ku, m.memory, ld, pivots);
    for (int64_t k = 0; ipiv && k < A->n; ++k) ipiv[k] = pivots[k];
    if (AFB) test_matrix_get(&m, AFB);
    return info;
}

void test_band_lapack_solve(const test_band *A, const int64_t *ipiv, const double *AFB, clsolve_op op, int64_t cols,
                            double *X) {
    lapack_int n = (lapack_int)A->n, kl = (lapack_int)A->kl, ku = (lapack_int)A->ku, ld = 2 * kl + ku + 1;
    SCRATCH lapack_int *pivots = test_room(n + 1, sizeof *pivots);
    scratch_matrix m = test_matrix_make(A->type, CLSOLVE_COLUMN_MAJOR, ld, n, 0);
    scratch_matrix x = test_matrix_make(A->type, CLSOLVE_COLUMN_MAJOR, n, cols, 0);
    char trans = op == CLSOLVE_NO_TRANS ? 'N' : 'T';

    for (int64_t k = 0; k < A->n; ++k) pivots[k] = (lapack_int)ipiv[k];
    test_matrix_set(&m, AFB);
    test_matrix_set(&x, X);
    if (A->type == CLSOLVE_F64)
        assert_int_equal(LAPACKE_dgbtrs_work(LAPACK_COL_MAJOR, trans, n, kl, ku, (lapack_int)cols, m.memory, ld, pivots,
                                             x.memory, n),
                         0);
    else
        assert_int_equal(LAPACKE_sgbtrs_work(LAPACK_COL_MAJOR, trans, n, kl, ku, (lapack_int)cols, m.memory, ld, pivots,
                                             x.memory, n),
                         0);
    test_matrix_get(&x, X);
}

/* Whether elimination in the matrix's type leaves a pivot that is rounding errors and no more, and might as well be zero. */
static int has_lost_pivot(const test_band *A) {
    int64_t rows = 2 * A->kl + A->ku + 1;
    double *AFB = test_doubles(rows * A->n), least = 1, most = 0;
    int64_t info = test_band_lapack(A, NULL, AFB);

    for (int64_t j = 0; j < A->n; ++j) {
        double u = fabs(AFB[A->kl + A->ku + j * rows]);
        most = fmax(most, u);
        least = j == 0 ? u : fmin(least, u);
    }
    free(AFB);
    return info != 0 || least < 16 * test_epsilon(A->type) * most;
}

test_band test_band_regular(test_random *random, clsolve_type type, int64_t n, int64_t kl, int64_t ku,
                            double diagonal) {
    for (int tries = 0;; ++tries) {
        test_band A = test_band_random(random, type, n, kl, ku, diagonal);
        if (!has_lost_pivot(&A)) return A;
        test_band_free(&A);
        assert_true(tries < 50);
    }
}

/* ---- checks ---- */

void test_band_check_solve(clsolve_context *context, clsolve_band *band, const test_band *A, clsolve_op op,
                           clsolve_layout layout, int64_t cols) {
    test_random random = test_random_start((uint64_t)cols);
    SCRATCH double *B = test_doubles(A->n * cols), *X = test_doubles(A->n * cols);
    scratch_matrix b = test_matrix_make(A->type, layout, A->n, cols, 1);

    for (int64_t k = 0; k < A->n * cols; ++k) B[k] = test_rounded(A->type, test_random_signed(&random));
    test_matrix_set(&b, B);
    BAND_EXPECT(context, clsolve_band_solve(band, op, &b.view), CLSOLVE_OK);
    test_matrix_get(&b, X);
    test_matrix_spare_intact(&b);
    double ratio = test_band_ratio(A, op, cols, X, B);
    if (!(ratio < RATIO_BOUND))
        fail_msg("n %d kl %d ku %d op %d layout %d: ratio %g", (int)A->n, (int)A->kl, (int)A->ku, op, layout, ratio);
}

void test_band_judge_factors(const test_band *A, const double *AFB, const int64_t *ipiv, const char *what) {
    int64_t n = A->n, kv = A->kl + A->ku, rows = A->kl + kv + 1;
    SCRATCH_BY(narrow_band_free) narrow_band band = {n, A->kl, A->ku, rows, test_doubles(rows * n)};
    for (int64_t j = 0; j < n; ++j)
        for (int64_t r = 0; r < rows; ++r) {
            const double *a = r < A->kl ? NULL : test_band_at(A, j + r - kv, j);
            band.a[r + j * rows] = a ? *a : 0;
        }
    for (int64_t j = 0; j < n; ++j) {
        int64_t last = j + A->kl < n ? j + A->kl : n - 1;
        if (ipiv[j] < j + 1 || ipiv[j] > last + 1) fail_msg("%s: pivot %d is %d", what, (int)j, (int)ipiv[j]);
        for (int64_t i = j + 1; i <= last; ++i) {
            double l = AFB[kv + i - j + j * rows];
            if (!(fabs(l) <= 1 + 16 * test_epsilon(A->type)))
                fail_msg("%s: multiplier %d of column %d is %g", what, (int)i, (int)j, l);
        }
    }
    double ratio = narrow_band_factor_ratio(&band, A->type, AFB, ipiv);
    if (!(ratio < RATIO_BOUND)) fail_msg("%s: factors' ratio %g", what, ratio);
}

void test_band_check_factors(clsolve_context *context, clsolve_band *band, const test_band *A) {
    int64_t n = A->n, rows = 2 * A->kl + A->ku + 1, *ipiv = test_room(n, sizeof *ipiv);
    SCRATCH double *AFB = test_doubles(rows * n), *B = test_doubles(n), *X = test_doubles(n);
    double logarithm = 0;
    scratch_matrix afb = test_matrix_make(A->type, CLSOLVE_COLUMN_MAJOR, rows, n, 0);
    clsolve_report r;
    int sign = 1;

    BAND_EXPECT(context, clsolve_band_factors(band, &afb.view, ipiv), CLSOLVE_OK);
    test_matrix_get(&afb, AFB);
    test_band_judge_factors(A, AFB, ipiv, "export");
    for (int64_t j = 0; j < n; ++j) {
        double u = AFB[A->kl + A->ku + j * rows];
        if ((u < 0) != (ipiv[j] != j + 1)) sign = -sign;
        logarithm += log(fabs(u));
    }
    assert_int_equal(clsolve_band_report(band, &r), CLSOLVE_OK);
    assert_int_equal(r.direct.det_sign, sign);
    double close = A->type == CLSOLVE_F64 ? 1e-9 : 1e-5;
    assert_true(fabs(r.direct.log_abs_det - logarithm) < close * (1 + fabs(logarithm)));
    for (int64_t i = 0; i < n; ++i) B[i] = X[i] = 1;
    test_band_lapack_solve(A, ipiv, AFB, CLSOLVE_NO_TRANS, 1, X);
    assert_true(test_band_ratio(A, CLSOLVE_NO_TRANS, 1, X, B) < RATIO_BOUND);
    free(ipiv);
}

/* ---- memory limits ---- */

static int is_made(clsolve_context *context, clsolve_type type, int64_t n, int64_t kl, int64_t ku,
                   const clsolve_band_options *options) {
    clsolve_band *band = NULL;
    clsolve_status status = clsolve_band_create(context, n, kl, ku, type, options, &band);
    if (status != CLSOLVE_OK && status != CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY)
        fail_msg("%s: %s", clsolve_status_name(status), clsolve_context_message(context));
    clsolve_band_destroy(band);
    return status == CLSOLVE_OK;
}

int64_t test_band_least_limit(clsolve_context *context, clsolve_type type, int64_t n, int64_t kl, int64_t ku,
                              const clsolve_band_options *given) {
    clsolve_band_options options = *given;
    int64_t low = 1, high = (int64_t)1 << 26; /* not enough, enough */
    while (high - low > 512) {
        options.memory_limit = (low + high) / 2;
        if (is_made(context, type, n, kl, ku, &options))
            high = options.memory_limit;
        else
            low = options.memory_limit;
    }
    return high;
}

clsolve_report test_band_report(const clsolve_band *band) {
    clsolve_report report;
    assert_int_equal(clsolve_band_report(band, &report), CLSOLVE_OK);
    return report;
}
