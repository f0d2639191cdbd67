/*
 * lapack.c: LAPACK's gbtrf and gbtrs as a way of clsolve_band, for few diagonals in the host's memory. The mapped window
 * with blocks of one column is gbtrf's own storage. Wider bands are faster by blocks (factor.c).
 *
 * Many a LAPACK multiplies by the reciprocal of a pivot, which overflows for one that is subnormal. Factors with such a
 * pivot are made again by quotients, of A taken once more; so are solves with them.
 */
#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include <lapacke.h>

#include "base/memory.h"
#include "method/band/lapack.h"

typedef struct own {
    lapack_int *pivots;
    int careful; /* the factors have a subnormal pivot */
} own;

int cls_band_lapack_fits(const cls_band *band) {
    int64_t rows = 2 * band->kl + band->ku + 1;
    return band->device->no_kernels && band->kl + band->ku <= CLS_LAPACK_DIAGONALS && band->kl + band->ku < band->n &&
           band->n < INT_MAX && rows < INT_MAX && band->slab_bytes == 0;
}

clsolve_status cls_band_lapack_setup(cls_band *band) {
    own *made = band->own = cls_alloc(1, sizeof *made);
    if (made) made->pivots = cls_alloc((size_t)band->n, sizeof *made->pivots);
    if (made && made->pivots) return CLSOLVE_OK;
    return cls_fail(band->device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for pivots");
}

static void release(cls_band *band) {
    own *mine = band->own;
    if (mine) cls_free(mine->pivots);
    cls_free(mine);
    band->own = NULL;
}

/* ---- by quotients, plainly: for the rare band that wants it ---- */

static double get(const cls_band *band, int64_t i, int64_t j) {
    const void *a = cls_band_host(band, i, j);
    return band->type == CLSOLVE_F64 ? *(const double *)a : (double)*(const float *)a;
}

static void put(const cls_band *band, int64_t i, int64_t j, double value) {
    void *a = cls_band_host(band, i, j);
    if (band->type == CLSOLVE_F64)
        *(double *)a = value;
    else
        *(float *)a = (float)value;
}

static int has_small_pivot(const cls_band *band) {
    const void *first = cls_band_host(band, 0, 0);
    double least = band->type == CLSOLVE_F64 ? DBL_MIN : (double)FLT_MIN;
    for (int64_t j = 0, at = 0; j < band->n; ++j, at += band->window.ld) {
        double u = fabs(band->type == CLSOLVE_F64 ? ((const double *)first)[at] : (double)((const float *)first)[at]);
        if (u != 0 && !(u >= least)) return 1;
    }
    return 0;
}

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static void eliminate(cls_band *band, int64_t j, int64_t below, int64_t right) {
    double pivot = get(band, j, j);
    for (int64_t i = j + 1; i < below; ++i) put(band, i, j, get(band, i, j) / pivot);
    for (int64_t c = j + 1; c < right; ++c) {
        double u = get(band, j, c);
        for (int64_t i = j + 1; i < below && u != 0; ++i) put(band, i, c, get(band, i, c) - get(band, i, j) * u);
    }
}

/* gbtf2 with quotients. */
static lapack_int factor_carefully(cls_band *band) {
    own *mine = band->own;
    lapack_int info = 0;
    for (int64_t j = 0; j < band->n; ++j) {
        int64_t below = least(band->n, j + band->kl + 1), right = least(band->n, j + band->kv + 1), p = j;
        for (int64_t i = j + 1; i < below; ++i)
            if (fabs(get(band, i, j)) > fabs(get(band, p, j))) p = i;
        mine->pivots[j] = (lapack_int)p + 1;
        for (int64_t c = j; p != j && c < right; ++c) {
            double x = get(band, j, c);
            put(band, j, c, get(band, p, c));
            put(band, p, c, x);
        }
        if (get(band, j, j) != 0)
            eliminate(band, j, below, right);
        else if (info == 0)
            info = (lapack_int)j + 1;
    }
    return info;
}

static double x_of(const cls_band *band, int64_t i, int64_t c) {
    const void *x = cls_matrix_host(&band->B, i, c);
    return band->type == CLSOLVE_F64 ? *(const double *)x : (double)*(const float *)x;
}

static void set_x(const cls_band *band, int64_t i, int64_t c, double value) {
    void *x = cls_matrix_host(&band->B, i, c);
    if (band->type == CLSOLVE_F64)
        *(double *)x = value;
    else
        *(float *)x = (float)value;
}

static void swap_x(const cls_band *band, int64_t j, int64_t c) {
    const own *mine = band->own;
    double x = x_of(band, j, c);
    set_x(band, j, c, x_of(band, mine->pivots[j] - 1, c));
    set_x(band, mine->pivots[j] - 1, c, x);
}

static void solve_plainly(const cls_band *band, int64_t c) {
    for (int64_t j = 0; j < band->n; ++j) {
        swap_x(band, j, c);
        for (int64_t i = j + 1; i < least(band->n, j + band->kl + 1); ++i)
            set_x(band, i, c, x_of(band, i, c) - get(band, i, j) * x_of(band, j, c));
    }
    for (int64_t j = band->n - 1; j >= 0; --j) {
        set_x(band, j, c, x_of(band, j, c) / get(band, j, j));
        for (int64_t i = j > band->kv ? j - band->kv : 0; i < j; ++i)
            set_x(band, i, c, x_of(band, i, c) - get(band, i, j) * x_of(band, j, c));
    }
}

static void solve_transposed(const cls_band *band, int64_t c) {
    for (int64_t j = 0; j < band->n; ++j) {
        double x = x_of(band, j, c);
        for (int64_t i = j > band->kv ? j - band->kv : 0; i < j; ++i) x -= get(band, i, j) * x_of(band, i, c);
        set_x(band, j, c, x / get(band, j, j));
    }
    for (int64_t j = band->n - 1; j >= 0; --j) {
        double x = x_of(band, j, c);
        for (int64_t i = j + 1; i < least(band->n, j + band->kl + 1); ++i) x -= get(band, i, j) * x_of(band, i, c);
        set_x(band, j, c, x);
        swap_x(band, j, c);
    }
}

/* ---- by LAPACK ---- */

static lapack_int gbtrf(cls_band *band) {
    own *mine = band->own;
    lapack_int n = (lapack_int)band->n, kl = (lapack_int)band->kl, ku = (lapack_int)band->ku;
    lapack_int ld = (lapack_int)band->window.ld;
    void *AB = cls_matrix_host(&band->window, 0, 0);
    return band->type == CLSOLVE_F64 ? LAPACKE_dgbtrf_work(LAPACK_COL_MAJOR, n, n, kl, ku, AB, ld, mine->pivots)
                                     : LAPACKE_sgbtrf_work(LAPACK_COL_MAJOR, n, n, kl, ku, AB, ld, mine->pivots);
}

static clsolve_status factor(cls_band *band, const clsolve_band_options *options) {
    own *mine = band->own;

    lapack_int info = gbtrf(band);
    mine->careful = has_small_pivot(band);
    if (mine->careful) {
        CLS_TRY(cls_band_take(band, band->source));
        info = factor_carefully(band);
    }
    for (int64_t j = 0; j < band->n; ++j) band->panel.host_pivots[j] = mine->pivots[j];
    band->info = info;
    CLS_TRY(cls_band_look_at(band, 0, band->n));
    return cls_band_tell(band, options, band->n);
}

static void gbtrs(const cls_band *band, clsolve_op op, int64_t c, int64_t cols) {
    const own *mine = band->own;
    lapack_int n = (lapack_int)band->n, kl = (lapack_int)band->kl, ku = (lapack_int)band->ku;
    lapack_int ld = (lapack_int)band->window.ld, ldb = (lapack_int)band->B.ld, nrhs = (lapack_int)cols;
    const void *AB = cls_matrix_host(&band->window, 0, 0);
    char trans = op == CLSOLVE_TRANS ? 'T' : 'N';
    void *B = cls_matrix_host(&band->B, 0, c);
    if (band->type == CLSOLVE_F64)
        (void)LAPACKE_dgbtrs_work(LAPACK_COL_MAJOR, trans, n, kl, ku, nrhs, AB, ld, mine->pivots, B, ldb);
    else
        (void)LAPACKE_sgbtrs_work(LAPACK_COL_MAJOR, trans, n, kl, ku, nrhs, AB, ld, mine->pivots, B, ldb);
}

static clsolve_status apply(cls_band *band, clsolve_op op, int64_t cols) {
    const own *mine = band->own;
    for (int64_t c = 0, run; c < cols; c += run) {
        run = cls_matrix_run(&band->B, c, cols);
        if (!mine->careful) gbtrs(band, op, c, run);
        for (int64_t k = c; mine->careful && k < c + run; ++k)
            op == CLSOLVE_TRANS ? solve_transposed(band, k) : solve_plainly(band, k);
    }
    return CLSOLVE_OK;
}

const cls_band_way cls_band_lapack = {"lapack", factor, apply, release};
