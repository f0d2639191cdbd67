#include "method/band/sides.h"

#include "base/memory.h"
#include "method/view.h"

int cls_band_slides(const cls_band *band) {
    return band->side_rows < band->n;
}

int64_t cls_band_least_sides(const cls_band *band) {
    return 2 * (band->block + band->kv);
}

/* ---- memory ---- */

static clsolve_status grow(cls_band *band, cls_matrix *matrix, int64_t rows, int64_t cols) {
    return cls_matrix_reserve(band->device, band->type, rows, cols, band->slab_bytes, band->window.mapped != NULL,
                              matrix);
}

clsolve_status cls_band_sides_reserve(cls_band *band, int64_t cols) {
    if (band->sides && band->side_cols >= cols) return CLSOLVE_OK;
    cls_band_sides_release(band);
    band->sides = cls_alloc((size_t)band->n, (size_t)(cols * cls_type_size(band->type)));
    if (!band->sides)
        return cls_fail(band->device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for right-hand sides");
    band->side_cols = cols;
    return CLSOLVE_OK;
}

clsolve_status cls_band_reserve(cls_band *band, int64_t cols, int row_major) {
    CLS_TRY(grow(band, &band->B, band->side_rows, cols));
    if (cls_band_slides(band)) return cls_band_sides_reserve(band, cols);
    return row_major && !band->window.mapped ? grow(band, &band->scratch, cols, band->n) : CLSOLVE_OK;
}

void cls_band_sides_release(cls_band *band) {
    cls_free(band->sides);
    band->sides = NULL;
    band->side_cols = 0;
}

/* ---- on the device ---- */

cls_ref cls_band_side(const cls_band *band, int64_t i, int64_t c) {
    return cls_matrix_at(&band->B, i - band->side_base, c);
}

cls_matrix cls_band_sides(const cls_band *band, int64_t lead) {
    cls_matrix view = band->B;
    view.offset = lead - band->side_base;
    return view;
}

/* Rows first .. end-1, as far as the matrix has them, between the window and the host. Enqueues. */
static clsolve_status cross(cls_band *band, int down, int64_t first, int64_t end, int64_t cols) {
    const cls_device_ops *ops = band->device->ops;
    size_t size = (size_t)cls_type_size(band->type), pitch = (size_t)band->n * size;

    if (first < 0) first = 0;
    if (end > band->n) end = band->n;
    for (int64_t c = 0, run; c < cols && first < end; c += run) {
        run = cls_matrix_run(&band->B, c, cols);
        cls_ref at = cls_band_side(band, first, c);
        char *host = (char *)band->sides + (size_t)c * pitch + (size_t)first * size;
        cls_rect rect = {(size_t)(end - first) * size, (size_t)run, (size_t)at.offset * size, (size_t)at.ld * size,
                         pitch};
        CLS_TRY(down ? ops->read(band->device, CLS_COMPUTE, at.buffer, host, &rect, NULL, NULL)
                     : ops->write(band->device, CLS_COMPUTE, at.buffer, host, &rect, NULL, NULL));
    }
    return CLSOLVE_OK;
}

/* Rows first .. end-1 to where the window will have them when it begins at `base`. Enqueues. */
static clsolve_status move(cls_band *band, int64_t base, int64_t first, int64_t end, int64_t cols) {
    size_t size = (size_t)cls_type_size(band->type);

    for (int64_t c = 0, run; c < cols && first < end; c += run) {
        run = cls_matrix_run(&band->B, c, cols);
        cls_ref from = cls_band_side(band, first, c);
        int64_t to = from.offset + band->side_base - base;
        cls_span span = {(size_t)(end - first) * size, (size_t)run,       (size_t)from.offset * size,
                         (size_t)from.ld * size,       (size_t)to * size, (size_t)from.ld * size};
        CLS_TRY(band->device->ops->copy_rect(band->device, CLS_COMPUTE, from.buffer, from.buffer, &span));
    }
    return CLSOLVE_OK;
}

static clsolve_status slide(cls_band *band, int64_t base, int64_t cols) {
    int64_t old = band->side_base, rows = band->side_rows, downwards = base > old;
    int64_t first = downwards ? base : old, end = (downwards ? old : base) + rows; /* the rows that stay */

    if (first < 0) first = 0;
    if (end > band->n) end = band->n;
    CLS_TRY(downwards ? cross(band, 1, old, first, cols) : cross(band, 1, end, old + rows, cols));
    CLS_TRY(move(band, base, first, end, cols));
    band->side_base = base;
    CLS_TRY(downwards ? cross(band, 0, end, base + rows, cols) : cross(band, 0, base, first, cols));
    return band->device->ops->finish(band->device, CLS_COMPUTE);
}

clsolve_status cls_band_sides_begin(cls_band *band, int64_t cols) {
    if (!cls_band_slides(band)) return CLSOLVE_OK;
    band->side_base = 0;
    CLS_TRY(cross(band, 0, 0, band->side_rows, cols));
    return band->device->ops->finish(band->device, CLS_COMPUTE);
}

clsolve_status cls_band_sides_reach(cls_band *band, int64_t lo, int64_t hi, int64_t cols) {
    if (!cls_band_slides(band)) return CLSOLVE_OK;
    if (lo < band->side_base) return slide(band, hi - band->side_rows, cols);
    return hi > band->side_base + band->side_rows ? slide(band, lo, cols) : CLSOLVE_OK;
}

clsolve_status cls_band_sides_end(cls_band *band, int64_t cols) {
    if (!cls_band_slides(band)) return CLSOLVE_OK;
    CLS_TRY(cross(band, 1, band->side_base, band->side_base + band->side_rows, cols));
    return band->device->ops->finish(band->device, CLS_COMPUTE);
}

/* ---- on the host ---- */

static clsolve_matrix host_sides(const cls_band *band, int64_t cols) {
    return cls_view_of(band->type, band->n, cols, band->sides);
}

void cls_band_sides_take(cls_band *band, const clsolve_matrix *view, int64_t begin, int64_t cols) {
    const clsolve_matrix from = cls_view_columns(view, begin, cols), to = host_sides(band, cols);
    cls_view_copy(&from, &to);
}

void cls_band_sides_give(const cls_band *band, const clsolve_matrix *view, int64_t begin, int64_t cols) {
    const clsolve_matrix from = host_sides(band, cols), to = cls_view_columns(view, begin, cols);
    cls_view_copy(&from, &to);
}

cls_place cls_band_sides_check(const cls_band *band, int64_t cols) {
    const clsolve_matrix view = host_sides(band, cols);
    return cls_view_find_nonfinite(&view);
}
