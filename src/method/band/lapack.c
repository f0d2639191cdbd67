/*
 * lapack.c: bands of few diagonals in the host's memory as a way of clsolve_band: what LAPACK's gbtrf and gbtrs do, by
 * few.c. The mapped window with blocks of one column is gbtrf's own storage. Wider bands are faster by blocks
 * (factor.c).
 */
#include <limits.h>

#include "base/memory.h"
#include "method/band/few.h"
#include "method/band/lapack.h"

int cls_band_lapack_fits(const cls_band *band) {
    int64_t rows = 2 * band->kl + band->ku + 1;
    return band->device->no_kernels && band->kl + band->ku <= CLS_LAPACK_DIAGONALS && band->n < INT_MAX &&
           rows < INT_MAX && band->slab_bytes == 0;
}

clsolve_status cls_band_lapack_setup(cls_band *band) {
    band->own = cls_alloc((size_t)band->n, sizeof(int32_t));
    if (band->own) return CLSOLVE_OK;
    return cls_fail(band->device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for pivots");
}

void cls_band_lapack_set_pivots(cls_band *band) {
    int32_t *pivots = band->own;
    for (int64_t j = 0; j < band->n; ++j) pivots[j] = band->panel.host_pivots[j];
}

static void release(cls_band *band) {
    cls_free(band->own);
    band->own = NULL;
}

static clsolve_status factor(cls_band *band, const clsolve_band_options *options) {
    void *AB = cls_matrix_host(&band->window, 0, 0);
    int32_t *pivots = band->own;
    band->info = cls_few_of(band->type)
                     ->factor(AB, band->window.ld, band->n, band->kl, band->ku, band->kv, pivots, &band->above);
    for (int64_t j = 0; j < band->n; ++j) band->panel.host_pivots[j] = pivots[j];
    CLS_TRY(cls_band_look_at(band, 0, band->n));
    return cls_band_tell(band, options, band->n);
}

/* A^H x = b is A^T conj(x) = conj(b). */
static void conjugate(clsolve_type type, int64_t n, void *x) {
    for (int64_t k = 1; k < 2 * n; k += 2) cls_type_put(type, x, k, -cls_type_get(type, x, k));
}

static void solve_one(const cls_band *band, clsolve_op op, int64_t c) {
    const void *AB = cls_matrix_host(&band->window, 0, 0);
    const int64_t ld = band->window.ld, n = band->n, kl = band->kl, kv = band->kv, most = band->above;
    const int32_t *pivots = band->own;
    const cls_few *few = cls_few_of(band->type);
    void *x = cls_matrix_host(&band->B, 0, c);
    const int conjugates = op == CLSOLVE_CONJ_TRANS && cls_is_complex(band->type);
    if (conjugates) conjugate(band->type, n, x);
    (op != CLSOLVE_NO_TRANS ? few->solve_transposed : few->solve)(AB, ld, n, kl, kv, most, pivots, x);
    if (conjugates) conjugate(band->type, n, x);
}

static clsolve_status apply(cls_band *band, clsolve_op op, int64_t cols) {
    for (int64_t c = 0; c < cols; ++c) solve_one(band, op, c);
    return CLSOLVE_OK;
}

const cls_band_way cls_band_lapack = {"lapack", factor, apply, release};
