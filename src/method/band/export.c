/* export.c: the factors in LAPACK's own form. */
#include <string.h>

#include "base/memory.h"
#include "method/band/stream.h"
#include "method/fetch.h"

/* A block column's physical columns in the host's memory. */
static clsolve_status fetch(cls_band *band, int64_t j, int64_t width, char *to) {
    cls_device *device = band->device;
    int64_t size = cls_type_size(band->type), ld = band->window.ld;
    size_t column = (size_t)(ld * size);

    if (band->stream || band->window.mapped) {
        for (int64_t c = 0; c < width; ++c)
            memcpy(to + (size_t)c * column,
                   band->stream ? cls_band_stream_column(band, j + c) : cls_matrix_host(&band->window, 0, j + c),
                   column);
        return CLSOLVE_OK;
    }
    cls_matrix block = cls_band_physical(band, j, width, 0, ld);
    cls_rect rect = {column, (size_t)width, (size_t)(block.offset * size), column, column};
    CLS_TRY(device->ops->read(device, CLS_DOWN, block.slab[0], to, &rect, NULL, NULL));
    return device->ops->finish(device, CLS_DOWN);
}

static void swap_elements(char *a, char *b, size_t size) {
    char t[16];
    memcpy(t, a, size);
    memcpy(a, b, size);
    memcpy(b, t, size);
}

static void swap_rows_before(const cls_band *band, int64_t j, int64_t t, int64_t p, char *block) {
    int64_t size = cls_type_size(band->type), ld = band->window.ld;

    for (int64_t c = j; p != t && c < t; ++c) {
        char *column = block + ((c - j) * ld + band->top - c) * size;
        swap_elements(column + t * size, column + p * size, (size_t)size);
    }
}

void cls_band_swap_multipliers(const cls_band *band, int64_t j, int64_t width, const int64_t *ipiv, char *block,
                               int undo) {
    for (int64_t k = 1; k < width; ++k) {
        int64_t t = undo ? j + width - k : j + k;
        swap_rows_before(band, j, t, ipiv[t] - 1, block);
    }
}

/* U of A itself: its rows first .. last of column c were computed from unit A. With more columns than rows
 * last may be less than c. */
static void unscale(const cls_band *band, int64_t first, int64_t last, int64_t c, int64_t down, char *diagonal) {
    const int64_t parts = cls_type_parts(band->type), size = cls_type_size(band->type);
    for (int64_t i = first; i <= last; ++i)
        for (int64_t p = 0; p < parts; ++p) {
            char *u = diagonal + (i - c) * down * size;
            cls_type_put(band->type, u, p, cls_type_get(band->type, u, p) / band->unit);
        }
}

static void store(const cls_band *band, int64_t j, int64_t width, const char *block, int64_t diagonal,
                  const clsolve_matrix *AFB) {
    int64_t size = cls_type_size(band->type), ld = band->window.ld;
    int64_t down = AFB->layout == CLSOLVE_COLUMN_MAJOR ? 1 : AFB->ld;
    int64_t across = AFB->layout == CLSOLVE_COLUMN_MAJOR ? AFB->ld : 1;

    for (int64_t c = j; c < j + width && c < band->cols; ++c) {
        int64_t first = c > band->kv ? c - band->kv : 0;
        int64_t end = band->rows - c <= band->kl ? band->rows : c + band->kl + 1;
        const char *from = block + ((c - j) * ld + band->top - c) * size;
        char *to = (char *)AFB->data + c * across * size;
        for (int64_t i = first; i < end; ++i)
            memcpy(to + (diagonal + i - c) * down * size, from + i * size, (size_t)size);
        if (band->unit != 1) unscale(band, first, c < end ? c : end - 1, c, down, to + diagonal * down * size);
    }
}

/* `AFB` lies in the host's memory. */
static clsolve_status export_there(cls_band *band, int64_t given_kl, int64_t given_ku, const clsolve_matrix *AFB) {
    cls_device *device = band->device;
    int64_t most = band->block > 64 ? band->block : 64 / band->block * band->block;
    char *block = cls_alloc((size_t)most, (size_t)(band->window.ld * cls_type_size(band->type)));
    int64_t *ipiv = cls_alloc((size_t)band->n, sizeof *ipiv);
    clsolve_status status = CLSOLVE_OK;

    if (!block || !ipiv)
        status = cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a block column of factors");
    else
        status = cls_band_pivots(band, ipiv);
    if (status == CLSOLVE_OK) status = device->ops->finish(device, CLS_COMPUTE);
    for (int64_t j = 0, width; j < band->n && status == CLSOLVE_OK; j += width) {
        width = band->block; /* the swaps to undo are those of one block */
        if (band->block == 1) width = cls_band_run(band, j, j + most < band->n ? j + most : band->n);
        if (width > band->n - j) width = band->n - j;
        status = fetch(band, j, width, block);
        if (status == CLSOLVE_OK && band->block > 1) cls_band_swap_multipliers(band, j, width, ipiv, block, 1);
        if (status == CLSOLVE_OK) store(band, j, width, block, given_kl + given_ku, AFB);
    }
    cls_free(block);
    cls_free(ipiv);
    return status;
}

/* The host makes LAPACK's form. Elements of AFB outside of the matrix stay, so an AFB on the device comes to the host
 * first. */
clsolve_status cls_band_export(cls_band *band, int64_t given_kl, int64_t given_ku, const clsolve_matrix *AFB) {
    cls_fetched there;

    CLS_TRY(cls_fetch(band->device, AFB, &there));
    clsolve_status status = export_there(band, given_kl, given_ku, &there.view);
    if (status == CLSOLVE_OK) status = cls_store(band->device, &there, AFB);
    cls_fetched_free(&there);
    return status;
}
