/*
 * residual.c: the three ratios of residual.h. For complex numbers the real and the imaginary parts are measured: |re| +
 * |im| in sums, max(|re|, |im|) in maxima.
 *
 * Norms of huge or tiny entries must not overflow on their way to a harmless quotient: the 2-norm scales as it
 * goes, and quotients are formed in long double. Where ||A|| or ||A|| ||X|| nears either end of the range, A, X and B
 * are replaced by copies times powers of two, which changes no ratio: an Inf below the line would make 0 of any
 * residual, and so would products that underflow.
 */
#include "tool/residual.h"

#include <math.h>
#include <stdlib.h>

/* A maximum that keeps NaN, which every comparison would lose. */
static double larger(double a, double b) {
    return isnan(a) || a > b ? a : b;
}

static double quotient(long double above, long double below) {
    return above == 0 && below == 0 ? 0 : (double)(above / below);
}

static double norm_inf(int64_t n, const double *x) {
    double most = 0;
    for (int64_t i = 0; i < n; i++) most = larger(most, fabs(x[i]));
    return most;
}

static double norm_1(int64_t n, const double *x) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += fabs(x[i]);
    return sum;
}

static double norm_2(int64_t n, const double *x) {
    double scale = norm_inf(n, x), sum = 0;
    if (!(scale > 0) || isinf(scale)) return scale;
    for (int64_t i = 0; i < n; i++) sum += (x[i] / scale) * (x[i] / scale);
    return scale * sqrt(sum);
}

/* ||A||_1 is returned; row_sums (A->rows, zeroed) gathers the absolute row sums, whose largest is ||A||_inf. */
static double norms_of_matrix(const mm_matrix *A, double *row_sums) {
    double most = 0;
    const int64_t parts = mm_numbers(A);
    for (int64_t j = 0; j < A->cols; j++) {
        int64_t first = A->sparse ? A->start[j] : j * A->rows;
        int64_t last = A->sparse ? A->start[j + 1] : first + A->rows;
        for (int64_t k = first; k < last; k++)
            row_sums[A->sparse ? A->row[k] : k - first] += norm_1(parts, A->value + k * parts);
        most = larger(most, norm_1((last - first) * parts, A->value + first * parts));
    }
    return most;
}

static bool compute(const mm_matrix *A, const mm_matrix *B, const mm_matrix *X, double eps, residuals *result) {
    const int64_t rows = A->rows, n = rows * mm_numbers(A), columns = B->cols; /* n: numbers in a column */
    *result = (residuals){0};
    if (n == 0 || columns == 0) return true;
    double *R = calloc((size_t)n * (size_t)columns, sizeof *R);
    double *row_sums = calloc((size_t)rows, sizeof *row_sums);
    if (R == NULL || row_sums == NULL) {
        free(R);
        free(row_sums);
        return false;
    }
    double A_1 = norms_of_matrix(A, row_sums), A_inf = norm_inf(rows, row_sums), R_1 = 0, X_1 = 0;
    mm_product(A, columns, X->value, R);
    for (int64_t j = 0; j < columns; j++) {
        const double *b = B->value + j * n, *x = X->value + j * n;
        double *r = R + j * n;
        for (int64_t i = 0; i < n; i++) r[i] = b[i] - r[i];
        long double bound = (long double)A_inf * norm_inf(n, x) + norm_inf(n, b);
        result->relative = larger(result->relative, quotient(norm_2(n, r), norm_2(n, b)));
        result->backward = larger(result->backward, quotient(norm_inf(n, r), bound));
        R_1 = larger(R_1, norm_1(n, r));
        X_1 = larger(X_1, norm_1(n, x));
    }
    result->scaled = quotient(R_1, (long double)A_1 * X_1 * (long double)rows * eps);
    free(R);
    free(row_sums);
    return true;
}

static int64_t values_of(const mm_matrix *M) {
    return (M->sparse ? M->entries : M->rows * M->cols) * mm_numbers(M);
}

/* `copy` is M times 2^exponent, with values of its own. */
static bool scaled_copy(const mm_matrix *M, int exponent, mm_matrix *copy) {
    *copy = *M;
    copy->value = calloc((size_t)values_of(M) + 1, sizeof *copy->value);
    for (int64_t k = 0; copy->value != NULL && k < values_of(M); k++) copy->value[k] = ldexp(M->value[k], exponent);
    return copy->value != NULL;
}

/* The power of two that brings x to about 1; none for 0, NaN and Inf. */
static int exponent_to_one(double x) {
    return x > 0 && isfinite(x) ? -ilogb(x) : 0;
}

bool residuals_compute(const mm_matrix *A, const mm_matrix *B, const mm_matrix *X, double eps, residuals *result) {
    double a = norm_inf(values_of(A), A->value), b = norm_inf(values_of(B), B->value),
           x = norm_inf(values_of(X), X->value);
    long double most = (long double)(A->rows + 1) * a;
    const bool huge = a >= 0x1p900 || b >= 0x1p900 || x >= 0x1p900 || (x >= 1 && most * x >= 0x1p900L);
    const bool tiny = a > 0 && x > 0 && x <= 1 && (long double)a * x <= 0x1p-900L;
    if (!huge && !tiny) return compute(A, B, X, eps, result);

    mm_matrix scaled[3];
    int by[3] = {exponent_to_one(a), 0, exponent_to_one(x)};
    const mm_matrix *given[3] = {A, B, X};
    by[1] = x > 0 ? by[0] + by[2] : exponent_to_one(b); /* of X = 0 the residual is B, which must not become 0 */
    if (by[1] > exponent_to_one(b) + 900) {             /* B as well must stay in the range */
        by[1] = exponent_to_one(b) + 900;
        by[0] = by[1] - by[2];
    }
    bool fine = true;
    for (int m = 0; m < 3; m++) fine = scaled_copy(given[m], by[m], &scaled[m]) && fine;
    fine = fine && compute(&scaled[0], &scaled[1], &scaled[2], eps, result);
    for (int m = 0; m < 3; m++) free(scaled[m].value);
    return fine;
}
