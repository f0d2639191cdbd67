/*
 * lapack.c: bands of few diagonals in the host's memory as a way of clsolve_band: the fewest by few.c, others by LAPACK's
 * gbtrf and gbtrs. The mapped window with blocks of one column is gbtrf's own storage. Wider bands are faster by blocks
 * (factor.c).
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
#include "method/band/few.h"
#include "method/band/lapack.h"

typedef struct own {
    lapack_int *pivots;
    int few;     /* all of it by few.c */
    int careful; /* the factors have a subnormal pivot, and are few.c's */
} own;

int cls_band_lapack_fits(const cls_band *band) {
    int64_t rows = 2 * band->kl + band->ku + 1;
    return band->device->no_kernels && band->kl + band->ku <= CLS_LAPACK_DIAGONALS && band->kl + band->ku < band->n &&
           band->n < INT_MAX && rows < INT_MAX && band->slab_bytes == 0;
}

clsolve_status cls_band_lapack_setup(cls_band *band) {
    own *made = band->own = cls_alloc(1, sizeof *made);
    if (made) made->few = band->kl + band->ku <= CLS_FEW_DIAGONALS;
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

/* ---- by quotients ---- */

static int has_small_pivot(const cls_band *band) {
    const void *first = cls_band_host(band, 0, 0);
    double least = band->type == CLSOLVE_F64 ? DBL_MIN : (double)FLT_MIN;
    for (int64_t j = 0, at = 0; j < band->n; ++j, at += band->window.ld) {
        double u = fabs(band->type == CLSOLVE_F64 ? ((const double *)first)[at] : (double)((const float *)first)[at]);
        if (u != 0 && !(u >= least)) return 1;
    }
    return 0;
}

static int64_t factor_by_quotients(cls_band *band) {
    own *mine = band->own;
    void *AB = cls_matrix_host(&band->window, 0, 0);
    return band->type == CLSOLVE_F64
               ? cls_few_factor_f64(AB, band->window.ld, band->n, band->kl, band->kv, mine->pivots)
               : cls_few_factor_f32(AB, band->window.ld, band->n, band->kl, band->kv, mine->pivots);
}

static void solve_by_quotients(const cls_band *band, clsolve_op op, int64_t c) {
    const own *mine = band->own;
    const void *AB = cls_matrix_host(&band->window, 0, 0);
    const int64_t ld = band->window.ld, n = band->n, kl = band->kl, kv = band->kv;
    void *x = cls_matrix_host(&band->B, 0, c);
    if (band->type == CLSOLVE_F64)
        (op == CLSOLVE_TRANS ? cls_few_solve_transposed_f64 : cls_few_solve_f64)(AB, ld, n, kl, kv, mine->pivots, x);
    else
        (op == CLSOLVE_TRANS ? cls_few_solve_transposed_f32 : cls_few_solve_f32)(AB, ld, n, kl, kv, mine->pivots, x);
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

    int64_t info = mine->few ? factor_by_quotients(band) : gbtrf(band);
    mine->careful = !mine->few && has_small_pivot(band);
    if (mine->careful) {
        CLS_TRY(cls_band_take(band, band->source));
        info = factor_by_quotients(band);
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
        const int quotients = mine->few || mine->careful;
        if (!quotients) gbtrs(band, op, c, run);
        for (int64_t k = c; quotients && k < c + run; ++k) solve_by_quotients(band, op, k);
    }
    return CLSOLVE_OK;
}

const cls_band_way cls_band_lapack = {"lapack", factor, apply, release};
