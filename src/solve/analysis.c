#include "solve/analysis.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "cost/methods.h"

/* ---- the band ---- */

static double stored(int64_t n, cls_order_band band) {
    return (double)n * (double)(band.kl + band.ku + 1);
}

/* order.h takes compressed columns. The rows of A are the columns of its transpose, where kl and ku change places. */
static cls_order_band band_of(const cls_csr *csr, const int64_t *place) {
    cls_order_band turned = cls_order_band_of(csr->n, csr->start, csr->column, place);
    return (cls_order_band){.kl = turned.ku, .ku = turned.kl};
}

/* Less work wins; with equal work, less memory. */
static int is_better(int64_t n, cls_order_band a, cls_order_band b) {
    double work = cls_band_work(n, a.kl, a.ku) - cls_band_work(n, b.kl, b.ku);
    return work < 0 || (work == 0 && stored(n, a) < stored(n, b));
}

int cls_order_cannot_help(int64_t entries, int64_t N, int64_t M) {
    return N >= M && M > 1 && entries == 5 * N * M - 2 * N - 2 * M;
}

/* A band that is at least half full is left as it is: an order can hardly make it narrower. */
static int find_band(const cls_csr *csr, cls_analysis *a) {
    a->before = a->after = band_of(csr, NULL);
    if (cls_order_cannot_help(csr->entries, a->lines, a->line_length)) return 1;
    if (2.0 * (double)csr->entries >= stored(csr->n, a->before)) return 1;
    a->place = cls_alloc((size_t)csr->n + 1, sizeof *a->place);
    if (!a->place || !cls_order_reverse_cuthill_mckee(csr->n, csr->start, csr->column, a->place)) return 0;
    cls_order_band after = band_of(csr, a->place);
    if (is_better(csr->n, after, a->before)) {
        a->after = after;
    } else {
        cls_free(a->place);
        a->place = NULL;
    }
    return 1;
}

/* ---- the grid ---- */

/* The diagonal nearest to +-1, without +-1 itself: the length of a line. A tridiagonal matrix is one line. */
static int64_t find_length(const cls_csr *csr) {
    int64_t length = 0;
    for (int64_t i = 0; i < csr->n; i++)
        for (int64_t e = csr->start[i]; e < csr->start[i + 1]; e++) {
            int64_t offset = llabs(i - csr->column[e]);
            if (offset > 1 && (length == 0 || offset < length)) length = offset;
        }
    return length > 0 ? length : csr->n;
}

/* May a grid with lines of M have the entry (i, j)? */
static int fits_grid(int64_t i, int64_t j, int64_t M) {
    if (j - i == 1) return j % M != 0 || M == 1;
    if (i - j == 1) return i % M != 0 || M == 1;
    return i == j || llabs(i - j) == M;
}

static void refuse_entry(cls_analysis *a, int64_t M, int64_t i, int64_t j) {
    char what[96];
    if (llabs(i - j) == 1)
        (void)snprintf(what, sizeof what, "couples the end of a line with the beginning of the next");
    else
        (void)snprintf(what, sizeof what, "is on diagonal %lld, not 0, +-1 or +-%lld", (long long)(j - i),
                       (long long)M);
    (void)snprintf(a->no_grid, sizeof a->no_grid,
                   "not block-tridiagonal of lines of %lld: entry (%lld, %lld) %s; use CLSOLVE_METHOD_LU", (long long)M,
                   (long long)i + 1, (long long)j + 1, what);
}

static void find_grid(const cls_csr *csr, cls_analysis *a) {
    int64_t n = csr->n, M = find_length(csr);
    if (n == 0) {
        (void)snprintf(a->no_grid, sizeof a->no_grid, "the matrix is empty: no grid");
        return;
    }
    if (n % M != 0) {
        (void)snprintf(a->no_grid, sizeof a->no_grid,
                       "not block-tridiagonal of lines: the diagonal nearest to +-1 is +-%lld, which does not divide "
                       "n = %lld; use CLSOLVE_METHOD_LU",
                       (long long)M, (long long)n);
        return;
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t e = csr->start[i]; e < csr->start[i + 1]; e++)
            if (!fits_grid(i, csr->column[e], M)) {
                refuse_entry(a, M, i, csr->column[e]);
                return;
            }
    a->lines = n / M;
    a->line_length = M;
}

/* ---- symmetry ---- */

/* The place of (i, j) among the entries; -1: there is none. */
static int64_t find_entry(const cls_csr *csr, int64_t i, int64_t j) {
    int64_t low = csr->start[i], high = csr->start[i + 1];
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (csr->column[middle] < j)
            low = middle + 1;
        else
            high = middle;
    }
    return low < csr->start[i + 1] && csr->column[low] == j ? low : -1;
}

/* `sign`: -1: imaginary parts are to be opposite, and on the diagonal 0. */
static int is_symmetric(const cls_csr *csr, int values_too, double sign) {
    for (int64_t i = 0; i < csr->n; i++)
        for (int64_t e = csr->start[i]; e < csr->start[i + 1]; e++) {
            int64_t j = csr->column[e], twin = j == i ? e : find_entry(csr, j, i);
            if (twin < 0) return 0;
            for (int64_t p = 0; values_too && p < csr->parts; p++)
                if (csr->value[e * csr->parts + p] != (p ? sign : 1) * csr->value[twin * csr->parts + p]) return 0;
        }
    return 1;
}

clsolve_status cls_analyse_pattern(cls_error *error, const char *call, const cls_csr *csr, cls_analysis *analysis) {
    *analysis = (cls_analysis){.n = csr->n, .entries = csr->entries};
    analysis->work = cls_alloc((size_t)csr->n + 1, (size_t)csr->parts * sizeof *analysis->work);
    find_grid(csr, analysis);
    if (!analysis->work || !find_band(csr, analysis)) {
        cls_analysis_free(analysis);
        return cls_fail(error, CLSOLVE_ERROR_OUT_OF_MEMORY,
                        "%s: no host memory for the order of %lld rows, or more than 2^31 - 1 rows", call,
                        (long long)csr->n);
    }
    analysis->symmetric_pattern = is_symmetric(csr, 0, 1);
    return CLSOLVE_OK;
}

typedef struct row_sums {
    long double diagonal, others; /* absolute values */
    long double sum[2];           /* its parts */
    int positive;                 /* a(i,i) > 0 */
} row_sums;

/* Adds the row's absolute values to the sums of the columns. */
static row_sums sum_row(const cls_csr *csr, int64_t i, long double *columns) {
    row_sums row = {0, 0, {0, 0}, 0};
    for (int64_t e = csr->start[i]; e < csr->start[i + 1]; e++) {
        long double value = csr->value[e * csr->parts], imaginary = csr->parts == 2 ? csr->value[2 * e + 1] : 0;
        long double size = csr->parts == 2 ? cls_modulus(value, imaginary) : fabsl(value);
        row.sum[0] += value;
        row.sum[1] += imaginary;
        columns[csr->column[e]] += size;
        if (csr->column[e] == i) {
            row.diagonal = size;
            row.positive = value > 0 && imaginary == 0;
        } else {
            row.others += size;
        }
    }
    return row;
}

void cls_analyse_values(const cls_csr *csr, double epsilon, cls_analysis *analysis) {
    analysis->dominant = analysis->sums_to_zero = analysis->positive_diagonal = 1;
    analysis->norm_1 = analysis->norm_inf = 0;
    analysis->weak_diagonal = 0;
    for (int64_t j = 0; j < csr->n; j++) analysis->work[j] = 0;
    for (int64_t i = 0; i < csr->n; i++) {
        row_sums row = sum_row(csr, i, analysis->work);
        long double size = row.others + row.diagonal;
        if (!(row.diagonal >= row.others * (1 - 8 * epsilon))) analysis->dominant = 0;
        if (!(row.diagonal >= 0.01 * row.others)) analysis->weak_diagonal = 1;
        if (!(fabsl(row.sum[0]) <= 16 * epsilon * size && fabsl(row.sum[1]) <= 16 * epsilon * size))
            analysis->sums_to_zero = 0;
        if (!row.positive) analysis->positive_diagonal = 0;
        if (size > analysis->norm_inf) analysis->norm_inf = size;
    }
    for (int64_t j = 0; j < csr->n; j++)
        if (analysis->work[j] > analysis->norm_1) analysis->norm_1 = analysis->work[j];
    analysis->symmetric = analysis->symmetric_pattern && is_symmetric(csr, 1, 1);
    analysis->hermitian = analysis->symmetric;
    if (csr->parts == 2) analysis->hermitian = analysis->symmetric_pattern && is_symmetric(csr, 1, -1);
}

void cls_analysis_free(cls_analysis *analysis) {
    cls_free(analysis->place);
    cls_free(analysis->work);
    *analysis = (cls_analysis){0};
}
