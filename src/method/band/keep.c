#include "method/band/keep.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include <cblas.h>

#include "base/memory.h"
#include "method/scaling.h"

clsolve_status cls_band_keep_setup(cls_error *error, const cls_band *band, cls_band_keep *keep) {
    size_t n = (size_t)band->n;

    keep->error = error;
    keep->n = band->n;
    keep->kl = band->kl;
    keep->ku = band->ku;
    keep->rows = band->kl + band->ku + 1;
    keep->unit = 1;
    if (keep->n > INT_MAX || keep->rows > INT_MAX) /* what BLAS counts with */
        return cls_fail(error, CLSOLVE_ERROR_UNSUPPORTED, "refinement and equilibration count no more than %d rows",
                        INT_MAX);
    keep->values = cls_alloc(n, (size_t)keep->rows * sizeof *keep->values);
    keep->r = cls_alloc(n, sizeof *keep->r);
    keep->c = cls_alloc(n, sizeof *keep->c);
    if (!keep->values || !keep->r || !keep->c)
        return cls_fail(error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a copy of A: %lld x %lld doubles",
                        (long long)keep->rows, (long long)keep->n);
    return CLSOLVE_OK;
}

void cls_band_keep_release(cls_band_keep *keep) {
    cls_free(keep->values);
    cls_free(keep->r);
    cls_free(keep->c);
    *keep = (cls_band_keep){0};
}

/* ---- taking it in ---- */

/* As cls_band_pack, but the caller's numbers become double whatever the factors are. */
static void take(cls_band_keep *keep, const cls_band *band, const cls_band_source *source) {
    cls_band plain = *band; /* its shape, with the caller's type */
    plain.type = source->view->type;
    if (plain.type == CLSOLVE_F64) {
        cls_band_pack(&plain, source, 0, keep->n, keep->values, keep->rows);
        return;
    }
    /* Into the far half of each column's room, then forward: no number is overwritten before it is read. */
    for (int64_t j = 0; j < keep->n; ++j) {
        double *column = keep->values + j * keep->rows;
        float *singles = (float *)column + keep->rows;
        cls_band_pack(&plain, source, j, 1, singles, keep->rows);
        for (int64_t r = 0; r < keep->rows; ++r) {
            float value;
            memcpy(&value, singles + r, sizeof value);
            double wide = (double)value;
            memcpy(column + r, &wide, sizeof wide);
        }
    }
}

/* r(i): sums of row i on the way, for the norm. */
static void measure(cls_band_keep *keep) {
    cls_measures *m = &keep->measures;
    double *sums = keep->r;

    *m = (cls_measures){.row = -1, .column = -1};
    memset(sums, 0, (size_t)keep->n * sizeof *sums);
    keep->norm_inf = 0;
    for (int64_t j = 0; j < keep->n; ++j) {
        const double *column = keep->values + j * keep->rows;
        int64_t first = j < keep->ku ? keep->ku - j : 0;
        int64_t end = keep->n - j <= keep->kl ? keep->ku + keep->n - j : keep->rows;
        double sum = 0;
        for (int64_t r = first; r < end; ++r) {
            double a = fabs(column[r]);
            sums[j - keep->ku + r] += a * CLS_NORM_SCALE;
            sum += a * CLS_NORM_SCALE;
            if (a > m->largest) m->largest = a;
            if (!isfinite(a) && m->row < 0) m->row = j - keep->ku + r, m->column = j;
        }
        m->norm1 = fmax(m->norm1, sum);
    }
    for (int64_t i = 0; i < keep->n; ++i) keep->norm_inf = fmax(keep->norm_inf, sums[i]);
}

static void ones(int64_t n, double *v) {
    for (int64_t i = 0; i < n; ++i) v[i] = 1;
}

static double extreme(int64_t n, const double *v, int most) {
    double found = n > 0 ? v[0] : 0;
    for (int64_t i = 1; i < n; ++i) found = most ? fmax(found, v[i]) : fmin(found, v[i]);
    return found;
}

/* The largest |a| of each row, or of each column of diag(r) A. */
static void largest_of(const cls_band_keep *keep, const double *r, double *largest) {
    memset(largest, 0, (size_t)keep->n * sizeof *largest);
    for (int64_t j = 0; j < keep->n; ++j) {
        const double *column = keep->values + j * keep->rows;
        int64_t first = j < keep->ku ? keep->ku - j : 0;
        int64_t end = keep->n - j <= keep->kl ? keep->ku + keep->n - j : keep->rows;
        for (int64_t k = first; k < end; ++k) {
            int64_t i = j - keep->ku + k;
            double a = fabs(column[k]) * (r ? r[i] : 1), *to = &largest[r ? j : i];
            if (a > *to) *to = a;
        }
    }
}

static void lift(cls_band_keep *keep, clsolve_type type) {
    keep->unit = cls_scaling_lift(type, keep->measures.largest);
    if (keep->unit == 1) return;
    for (int64_t k = 0; k < keep->n * keep->rows; ++k) keep->values[k] *= keep->unit;
    measure(keep);
}

static void scale_rows(cls_band_keep *keep, clsolve_type type, int scale) {
    double *r = keep->r;
    largest_of(keep, NULL, r);
    keep->empty_line = keep->n > 0 && extreme(keep->n, r, 0) == 0;
    double ratio = cls_scaling_factors(type, keep->n, r, r);
    keep->scaled_r = scale == 2 || cls_scaling_worth(type, ratio, keep->measures.largest, 1);
    if (!keep->scaled_r) ones(keep->n, r);
}

static void scale_columns(cls_band_keep *keep, clsolve_type type, int scale) {
    double *c = keep->c;
    largest_of(keep, keep->r, c);
    keep->empty_line = keep->empty_line || (keep->n > 0 && extreme(keep->n, c, 0) == 0);
    double ratio = cls_scaling_factors(type, keep->n, c, c);
    keep->scaled_c = scale == 2 || cls_scaling_worth(type, ratio, 1, 0);
    if (!keep->scaled_c) ones(keep->n, c);
}

void cls_band_keep_set(cls_band_keep *keep, const cls_band *band, const cls_band_source *source, int scale) {
    clsolve_type type = source->view->type;

    take(keep, band, source);
    measure(keep);
    keep->unit = 1;
    if (keep->measures.row < 0) lift(keep, type);
    ones(keep->n, keep->r);
    ones(keep->n, keep->c);
    keep->scaled_r = keep->scaled_c = keep->empty_line = 0;
    if (keep->measures.row >= 0 || scale == 0) return;
    scale_rows(keep, type, scale);
    scale_columns(keep, type, scale);
}

int64_t cls_band_keep_exponent(const cls_band_keep *keep) {
    int64_t sum = -keep->n * ilogb(keep->unit);
    for (int64_t i = 0; i < keep->n; ++i) sum -= ilogb(keep->r[i]) + ilogb(keep->c[i]);
    return sum;
}

/* ---- residuals ---- */

clsolve_status cls_band_keep_residual(void *self, clsolve_op op, int64_t cols, const double *X, const double *B,
                                      double *R) {
    const cls_band_keep *keep = self;
    blasint n = (blasint)keep->n, kl = (blasint)keep->kl, ku = (blasint)keep->ku, ld = (blasint)keep->rows;
    size_t bytes = (size_t)(keep->n * cols) * sizeof *R;

    if (B)
        memcpy(R, B, bytes);
    else
        memset(R, 0, bytes);
    for (int64_t c = 0; c < cols && keep->n > 0; ++c)
        cblas_dgbmv(CblasColMajor, op == CLSOLVE_TRANS ? CblasTrans : CblasNoTrans, n, n, kl, ku, -1.0, keep->values,
                    ld, X + c * keep->n, 1, 1.0, R + c * keep->n, 1);
    return CLSOLVE_OK;
}
