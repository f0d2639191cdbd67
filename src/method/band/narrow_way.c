/* narrow_way.c: the narrow kernels as a way of clsolve_band: one matrix, kept on the device in one buffer. */
#include "method/band/narrow.h"

#include "base/memory.h"

int cls_band_narrow_wanted(const cls_device *device, clsolve_type type, int64_t n, int64_t kl, int64_t ku,
                           int64_t slab_bytes) {
    int64_t limit = device->info.max_allocation, size = cls_type_size(type);
    if (slab_bytes > 0 && (limit <= 0 || slab_bytes < limit)) limit = slab_bytes;
    if (!cls_narrow_fits(device, type, kl, ku)) return 0;
    int64_t ld = cls_matrix_ld(2 * kl + ku + 1, size);
    return n < INT64_MAX / 16 / ld && (limit <= 0 || n * ld * size <= limit);
}

clsolve_status cls_band_narrow_setup(cls_band *band) {
    cls_narrow *narrow = cls_alloc(1, sizeof *narrow);
    if (!narrow)
        return cls_fail(band->device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a narrow band's kernels");
    band->own = narrow;
    return cls_narrow_create(band->device, band->n, band->kl, band->ku, band->type, 1, 0, narrow);
}

static void release(cls_band *band) {
    if (band->own) cls_narrow_release(band->own);
    cls_free(band->own);
    band->own = NULL;
}

static cls_narrow_data data_of(const cls_band *band) {
    cls_narrow_data data = {.AB = band->window.slab[0],
                            .top = band->top,
                            .ld = band->window.ld,
                            .ipiv = band->panel.ipiv,
                            .info = band->panel.info};
    return data;
}

typedef struct telling {
    cls_band *band;
    const clsolve_band_options *options;
} telling;

static clsolve_status tell(void *user, int64_t done) {
    const telling *t = user;
    return cls_band_tell(t->band, t->options, done);
}

static clsolve_status factor(cls_band *band, const clsolve_band_options *options) {
    cls_narrow_data data = data_of(band);
    telling t = {band, options};
    if (band->n == 0) return CLSOLVE_OK;
    return cls_narrow_factor(band->own, &data, tell, &t);
}

static clsolve_status apply(cls_band *band, clsolve_op op, int64_t cols) {
    cls_narrow_data data = data_of(band);
    for (int64_t c = 0, width; c < cols && band->n > 0; c += width) {
        width = cls_matrix_run(&band->B, c, cols);
        CLS_TRY(cls_narrow_solve(band->own, &data, op, width, cls_matrix_at(&band->B, 0, c), 0));
    }
    return CLSOLVE_OK;
}

const cls_band_way cls_band_narrow = {"narrow", factor, apply, release};
