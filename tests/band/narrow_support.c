#include "band/narrow_support.h"

#include <float.h>
#include <lapacke.h>

static void *doubles(int64_t count) {
    double *memory = test_doubles(count + 1);
    return memory;
}

static int inside(const narrow_band *band, int64_t i, int64_t j) {
    return i >= 0 && i < band->n && i - j <= band->kl && j - i <= band->ku;
}

narrow_band narrow_band_random(test_random *random, int64_t n, int64_t kl, int64_t ku, double spare) {
    narrow_band band = {n, kl, ku, 2 * kl + ku + 1, doubles((2 * kl + ku + 1) * n)};
    for (int64_t j = 0; j < n; ++j)
        for (int64_t r = 0; r < band.ld; ++r)
            band.a[r + j * band.ld] = inside(&band, r - kl - ku + j, j) ? test_random_signed(random) : spare;
    return band;
}

/* ---- a band whose elimination is exact ---- */

typedef struct exact {
    narrow_band band;
    double *w;    /* n x n by rows: what is left of A */
    int64_t *row; /* of A, that stands at a place now */
} exact;

/* Makes the element at place (i, j), which lies within A's diagonals, equal to `value` as it stands now. */
static void set_exact(exact *e, int64_t i, int64_t j, double value) {
    double *now = &e->w[i * e->band.n + j];
    *narrow_band_at(&e->band, e->row[i], j) += value - *now;
    *now = value;
}

/* Is x a small multiple of 2^-8? Sums of such numbers are exact in float, in any order. */
static int on_grid(double x) {
    return fabs(x) <= 32 && x * 256 == floor(x * 256);
}

/* A row whose last column is j must be the pivot's: later its elements would be fill-in, and no longer free. */
static int64_t choose_pivot(const exact *e, test_random *random, int64_t j, int64_t last, int *free_choice) {
    *free_choice = 0;
    for (int64_t i = j; i <= last; ++i)
        if (e->row[i] + e->band.ku == j) return i;
    *free_choice = 1;
    return test_random_between(random, j, last);
}

static void swap_places(exact *e, int64_t i, int64_t k) {
    int64_t n = e->band.n, row = e->row[i];
    e->row[i] = e->row[k];
    e->row[k] = row;
    for (int64_t c = 0; c < n; ++c) {
        double value = e->w[i * n + c];
        e->w[i * n + c] = e->w[k * n + c];
        e->w[k * n + c] = value;
    }
}

/* Row i -= multiplier * row j right of column j, with a multiplier of 0 where results would leave the grid. */
static void eliminate_exact(exact *e, int64_t i, int64_t j, double multiplier) {
    int64_t n = e->band.n;
    for (int64_t c = j + 1; c < n; ++c)
        if (!on_grid(e->w[i * n + c] - multiplier * e->w[j * n + c])) multiplier = 0;
    set_exact(e, i, j, multiplier * e->w[j * n + j]);
    for (int64_t c = j + 1; c < n; ++c) e->w[i * n + c] -= multiplier * e->w[j * n + c];
}

narrow_band narrow_band_exact(test_random *random, int64_t n, int64_t kl, int64_t ku, int singular) {
    exact e = {{n, kl, ku, 2 * kl + ku + 1, doubles((2 * kl + ku + 1) * n)}, doubles(n * n), NULL};
    int64_t zero = singular ? test_random_between(random, 0, n - 1) : n;
    e.row = calloc((size_t)n + 1, sizeof *e.row);
    assert_non_null(e.row);
    for (int64_t i = 0; i < n; ++i) e.row[i] = i;
    for (int64_t j = 0; j < n; ++j) {
        int free_choice;
        int64_t last = j + kl < n ? j + kl : n - 1, p = choose_pivot(&e, random, j, last, &free_choice);
        int none = j >= zero && (free_choice || p == j);
        double pivot = (double)(1 << test_random_between(random, 0, 2));
        if (none) {
            zero = n;
            for (int64_t i = j; i <= last; ++i) set_exact(&e, i, j, 0);
            continue;
        }
        set_exact(&e, p, j, test_random_bits(random) & 1 ? pivot : -pivot);
        for (int64_t c = j + 1; c <= e.row[p] + ku && c < n; ++c)
            set_exact(&e, p, c, (double)test_random_between(random, -2, 2));
        swap_places(&e, j, p);
        for (int64_t i = j + 1; i <= last; ++i)
            eliminate_exact(&e, i, j, 0.5 * (double)test_random_between(random, -1, 1));
    }
    free(e.w);
    free(e.row);
    return e.band;
}

/* ---- LAPACK's answers ---- */

void narrow_band_free(narrow_band *band) {
    free(band->a);
    band->a = NULL;
}

void narrow_band_round(const narrow_band *band, clsolve_type type) {
    for (int64_t k = 0; type == CLSOLVE_F32 && k < band->ld * band->n; ++k) band->a[k] = (double)(float)band->a[k];
}

int64_t narrow_band_gbtrf(const narrow_band *band, double *factors, int64_t *pivots) {
    lapack_int n = (lapack_int)band->n, *ipiv = test_room(n + 1, sizeof *ipiv);
    memcpy(factors, band->a, (size_t)(band->ld * band->n) * sizeof *factors);
    for (int64_t j = 0; j < band->n; ++j) /* the rows of fill-in, whatever stood there */
        for (int64_t r = 0; r < band->kl; ++r) factors[r + j * band->ld] = 0;
    lapack_int info = LAPACKE_dgbtrf_work(LAPACK_COL_MAJOR, n, n, (lapack_int)band->kl, (lapack_int)band->ku, factors,
                                          (lapack_int)band->ld, ipiv);
    for (int64_t j = 0; j < band->n; ++j) pivots[j] = ipiv[j];
    free(ipiv);
    return info;
}

double narrow_band_rcond(const narrow_band *band, const double *factors, const int64_t *pivots) {
    lapack_int n = (lapack_int)band->n, *ipiv = calloc((size_t)n + 1, sizeof *ipiv);
    SCRATCH lapack_int *iwork = calloc((size_t)n + 1, sizeof *iwork);
    double *work = doubles(3 * n), norm = 0, rcond = 0;
    assert_true(ipiv != NULL && iwork != NULL);
    for (int64_t j = 0; j < band->n; ++j) {
        double sum = 0;
        for (int64_t i = 0; i < band->n; ++i)
            if (inside(band, i, j)) sum += fabs(*narrow_band_at(band, i, j));
        norm = fmax(norm, sum);
        ipiv[j] = (lapack_int)pivots[j];
    }
    LAPACKE_dgbcon_work(LAPACK_COL_MAJOR, '1', n, (lapack_int)band->kl, (lapack_int)band->ku, factors,
                        (lapack_int)band->ld, ipiv, norm, &rcond, work, iwork);
    free(ipiv);
    free(work);
    return rcond;
}

/* column := P L (column j of U) - (column j of A). From the last to the first: multipliers, then the swap. */
static void product_less_band(const narrow_band *band, const double *factors, const int64_t *pivots, int64_t j,
                              double *column) {
    int64_t n = band->n, kv = band->kl + band->ku, first = j > kv ? j - kv : 0,
            end = j + band->kl < n ? j + band->kl + 1 : n;
    for (int64_t i = first; i < end; ++i) column[i] = i <= j && j - i <= kv ? factors[kv + i - j + j * band->ld] : 0;
    for (int64_t k = j; k >= first; --k) {
        int64_t other = pivots[k] - 1;
        double value = column[k];
        for (int64_t i = k + 1; i < n && i - k <= band->kl; ++i)
            column[i] += factors[kv + i - k + k * band->ld] * value;
        column[k] = column[other];
        column[other] = value;
    }
    for (int64_t i = first; i < end; ++i)
        if (inside(band, i, j)) column[i] -= *narrow_band_at(band, i, j);
}

double narrow_band_factor_ratio(const narrow_band *band, clsolve_type type, const double *factors,
                                const int64_t *pivots) {
    int64_t n = band->n;
    double eps = type == CLSOLVE_F32 ? FLT_EPSILON / 2 : DBL_EPSILON / 2, norm = 0, worst = 0, *column = doubles(n);
    for (int64_t j = 0; j < n; ++j) {
        double sum = 0, difference = 0;
        int64_t kv = band->kl + band->ku, first = j > kv ? j - kv : 0, end = j + band->kl < n ? j + band->kl + 1 : n;
        for (int64_t i = first; i < end; ++i)
            if (inside(band, i, j)) sum += fabs(*narrow_band_at(band, i, j));
        product_less_band(band, factors, pivots, j, column);
        for (int64_t i = first; i < end; ++i) difference += fabs(column[i]);
        norm = fmax(norm, sum);
        worst = test_worst(worst, difference);
    }
    free(column);
    return worst == 0 ? 0 : worst / norm / (double)n / eps;
}

double narrow_band_ratio(const narrow_band *band, clsolve_type type, clsolve_op op, int64_t columns, const double *B,
                         const double *X) {
    int64_t n = band->n;
    double worst = 0, norm = 0, *sums = doubles(n), *r = doubles(n);
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = j > band->ku ? j - band->ku : 0; i < n && i <= j + band->kl; ++i)
            sums[op == CLSOLVE_TRANS ? i : j] += fabs(*narrow_band_at(band, i, j));
    for (int64_t j = 0; j < n; ++j) norm = fmax(norm, sums[j]);
    for (int64_t c = 0; c < columns; ++c) {
        const double *b = B + c * n, *x = X + c * n;
        double residual = 0, size = 0;
        for (int64_t i = 0; i < n; ++i) r[i] = b[i];
        for (int64_t j = 0; j < n; ++j)
            for (int64_t i = j > band->ku ? j - band->ku : 0; i < n && i <= j + band->kl; ++i) {
                if (op == CLSOLVE_TRANS)
                    r[j] -= *narrow_band_at(band, i, j) * x[i];
                else
                    r[i] -= *narrow_band_at(band, i, j) * x[j];
            }
        for (int64_t i = 0; i < n; ++i) {
            residual += fabs(r[i]);
            size += fabs(x[i]);
        }
        double eps = type == CLSOLVE_F32 ? FLT_EPSILON / 2 : DBL_EPSILON / 2;
        double ratio = residual == 0 ? 0 : residual / norm / size / eps;
        if (worst == worst && !(ratio <= worst)) worst = ratio; /* NaN stays */
    }
    free(sums);
    free(r);
    return worst;
}
