/* layout.c: where the elements of a band lie, and what each step of a factorization asks of it. */
#include "method/band/band.h"
#include "method/direct/scaling.h"

/* ---- where elements lie ---- */

cls_ref cls_band_at(const cls_band *band, int64_t i, int64_t j) {
    cls_ref ref = cls_matrix_at(&band->window, 0, j % band->capacity);
    ref.offset += band->top + i - j;
    ref.ld -= 1;
    return ref;
}

void *cls_band_host(const cls_band *band, int64_t i, int64_t j) {
    return cls_matrix_host(&band->window, band->top + i - j, j);
}

int64_t cls_band_run(const cls_band *band, int64_t j, int64_t limit) {
    int64_t here = j % band->capacity, most = limit - j;
    int64_t end = band->capacity - here < most ? band->capacity : here + most;
    return cls_matrix_run(&band->window, here, end);
}

static cls_matrix part(const cls_band *band, int64_t j, int64_t cols) {
    cls_matrix view = band->window;
    view.slab += j % band->capacity / view.slab_cols;
    view.mapped = NULL;
    view.cols = view.slab_cols = cols;
    view.slabs = 1;
    view.origin = j;
    view.bytes = 0;
    return view;
}

cls_matrix cls_band_view(const cls_band *band, int64_t j, int64_t cols, int64_t lead) {
    cls_matrix view = part(band, j, cols);
    view.rows = band->n;
    view.ld -= 1;
    view.origin = j - lead;
    view.offset = cls_band_at(band, lead, j).offset;
    view.mapped = band->window.mapped ? band->window.mapped + (view.slab - band->window.slab) : NULL;
    return view;
}

cls_matrix cls_band_physical(const cls_band *band, int64_t j, int64_t cols, int64_t first, int64_t rows) {
    cls_matrix view = part(band, j, cols);
    view.rows = rows;
    view.offset = cls_matrix_at(&band->window, first, j % band->capacity).offset;
    return view;
}

int64_t cls_band_width(const cls_band *band, int64_t j) {
    return band->n - j < band->block ? band->n - j : band->block;
}

int64_t cls_band_below(const cls_band *band, int64_t j) {
    int64_t end = j + cls_band_width(band, j);
    return band->n - end < band->kl ? band->n : end + band->kl;
}

int64_t cls_band_before(const cls_band *band, int64_t end) {
    return (end - 1) / band->block * band->block;
}

int64_t cls_band_lead(const cls_band *band, int64_t j) {
    return j - j % band->capacity;
}

void cls_band_set_block(cls_band *band, int64_t block) {
    int64_t widest = band->n > 0 ? band->n : 1;
    band->block = block < widest ? block : widest;
    band->top = band->kv + band->block - 1;
}

/* ---- each step ---- */

int cls_band_tiny(const cls_band *band) {
    return band->stream || cls_scaling_unit(band->type, band->measures.largest) != 1;
}

cls_blas_options cls_band_how(const cls_band *band) {
    return (cls_blas_options){.queue = CLS_COMPUTE, .whole_range = cls_band_tiny(band)};
}

clsolve_status cls_band_tell(cls_band *band, const clsolve_band_options *options, int64_t done) {
    const cls_device_ops *ops = band->device->ops;
    cls_event *now = NULL;

    if (!options || !options->progress) return CLSOLVE_OK;
    if (!band->window.mapped) {
        CLS_TRY(ops->mark(band->device, CLS_COMPUTE, &now));
        clsolve_status status = ops->flush(band->device, CLS_COMPUTE);
        if (status == CLSOLVE_OK && band->told) status = ops->event_wait(band->device, band->told);
        ops->event_release(band->device, band->told);
        band->told = now;
        CLS_TRY(status);
    }
    options->progress(options->progress_user, "factor", (double)done / (double)band->n);
    return CLSOLVE_OK;
}
