/* operator.c: band factors as an operator on vectors of the host. */
#include <math.h>

#include "base/memory.h"
#include "method/band/sides.h"
#include "method/band/trust.h"
#include "method/rcond.h"
#include "method/vectors.h"

static clsolve_status apply_columns(cls_band *band, clsolve_op op, int64_t cols, double *x) {
    cls_transfer *transfer = &band->panel.transfer;
    clsolve_matrix view = clsolve_host_f64(band->n, cols, x);

    if (cls_band_slides(band)) {
        cls_band_sides_take(band, &view, 0, cols);
        CLS_TRY(cls_band_apply(band, op, cols));
        cls_band_sides_give(band, &view, 0, cols);
        return CLSOLVE_OK;
    }
    CLS_TRY(cls_vectors_up(band->device, transfer, cols, x, &band->B));
    CLS_TRY(cls_band_apply(band, op, cols));
    return cls_vectors_down(band->device, transfer, cols, &band->B, x);
}

clsolve_status cls_band_apply_host(const cls_band_operator *factors, clsolve_op op, int64_t cols, const double *from,
                                   double *to) {
    cls_band *band = factors->band;
    int64_t n = band->n, most = cls_band_most_columns(band, cols);
    /* diag(r) A diag(c) z = diag(r) b, x = diag(c) z; and for the transpose the other way round. */
    const double *in = op == CLSOLVE_NO_TRANS ? factors->r : factors->c;
    const double *out = op == CLSOLVE_NO_TRANS ? factors->c : factors->r;

    if (n == 0 || cols == 0) return CLSOLVE_OK;
    int *sizes = cls_alloc((size_t)cols, sizeof *sizes);
    if (!sizes) return cls_fail(band->device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a few numbers");
    for (int64_t c = 0; c < cols; ++c) sizes[c] = cls_vector_bring_in(n, in, factors->unit, from + c * n, to + c * n);
    clsolve_status status = cls_band_reserve(band, most, 0);
    for (int64_t c = 0; c < cols && status == CLSOLVE_OK; c += most)
        status = apply_columns(band, op, cols - c < most ? cols - c : most, to + c * n);
    for (int64_t c = 0; c < cols; ++c) cls_vector_bring_out(n, out, sizes[c] + factors->exponent, to + c * n);
    cls_free(sizes);
    return status;
}

/* ---- the condition number ---- */

static clsolve_status solve_one(void *self, clsolve_op op, double *x) {
    return cls_band_apply_host(self, op, 1, x, x);
}

clsolve_status cls_band_rcond(const cls_band_operator *factors, double norm1, double *rcond) {
    cls_band_operator sized = *factors;
    double size = cls_vector_unit(norm1);
    /* ||A|| / size and ||A^-1|| * size: both stay in range where the norms themselves may not. */
    sized.exponent = ilogb(size);
    return cls_rcond(sized.band->device->error, sized.band->n, norm1 / size / CLS_NORM_SCALE, solve_one, &sized, rcond);
}
