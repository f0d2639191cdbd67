/*
 * import.c: factors from the caller, as LAPACK's gbtrf leaves them, in the place of a factorization. Block column by
 * block column they get the form of band.h: within a block the rows of L are swapped to its end.
 */
#include <math.h>
#include <string.h>

#include "method/band/direct.h"
#include "method/band/lapack.h"
#include "method/band/stream.h"
#include "method/mapped.h"

typedef struct incoming {
    cls_band *band;
    const clsolve_matrix *AFB;
    const int64_t *ipiv;
    cls_growth growth;  /* of the columns so far */
    double mantissa[2]; /* the product of the pivots is mantissa * 2^exponent */
    int64_t exponent;
    int64_t info;
} incoming;

/* ---- one column ---- */

/* Column j of the caller's, and of it the rows first .. end-1 of the matrix, into physical rows; zeros around them. */
static void unpack(const incoming *in, int64_t j, int64_t first, int64_t end, char *column) {
    const cls_band *band = in->band;
    const clsolve_matrix *AFB = in->AFB;
    const int64_t size = cls_type_size(band->type), row = band->diagonal + first - j;
    const int by_column = AFB->layout == CLSOLVE_COLUMN_MAJOR;
    const char *from = (const char *)AFB->data + (by_column ? row + j * AFB->ld : row * AFB->ld + j) * size;
    char *to = column + (band->top - j + first) * size;

    memset(column, 0, (size_t)(band->window.ld * size));
    if (by_column)
        memcpy(to, from, (size_t)((end - first) * size));
    else
        for (int64_t i = first; i < end; ++i, from += AFB->ld * size, to += size) memcpy(to, from, (size_t)size);
}

static void multiply(incoming *in, int64_t j, const void *diagonal) {
    const clsolve_type type = in->band->type;
    const double sign = in->ipiv[j] != j + 1 ? -1 : 1;
    const double u[2] = {sign * cls_type_get(type, diagonal, 0),
                         cls_is_complex(type) ? sign * cls_type_get(type, diagonal, 1) : 0};
    cls_mapped_multiply(cls_is_complex(type), u, in->mantissa, &in->exponent);
    if (cls_type_is_zero(type, diagonal) && in->info == 0) in->info = j + 1;
}

/* The largest of U, and the first NaN or Inf of all. */
static void examine(incoming *in, int64_t j, int64_t first, int64_t end, const char *column) {
    const cls_band *band = in->band;
    const int64_t size = cls_type_size(band->type);
    const char *at = column + (band->top - j + first) * size, *diagonal = column + band->top * size;
    double upper, lower, largest, multiplier;

    cls_mapped_column(band->type, at, j - first + 1, &upper, &largest);
    cls_mapped_column(band->type, diagonal + size, end - j - 1, &lower, &multiplier);
    in->growth.largest = fmax(in->growth.largest, largest);
    multiply(in, j, diagonal);
    if (isfinite(upper) && isfinite(lower)) return;
    const int64_t parts = cls_type_parts(band->type);
    for (int64_t k = 0; k < parts * (end - first) && in->growth.row < 0; ++k)
        if (!isfinite(cls_type_get(band->type, at, k))) {
            in->growth.row = band->diagonal + first + k / parts - j;
            in->growth.column = j;
        }
}

static void take_block(incoming *in, int64_t j, int64_t width, char *block) {
    const cls_band *band = in->band;
    const int64_t n = band->n, column = band->window.ld * cls_type_size(band->type);

    for (int64_t c = j; c < j + width && in->growth.row < 0; ++c) {
        const int64_t first = c > band->kv ? c - band->kv : 0, end = n - c <= band->kl ? n : c + band->kl + 1;
        unpack(in, c, first, end, block + (c - j) * column);
        examine(in, c, first, end, block + (c - j) * column);
    }
    if (in->growth.row < 0) cls_band_swap_multipliers(band, j, width, in->ipiv, block, 0);
}

/* ---- all of them ---- */

/* Where the window is not in the host's memory, through pinned memory: while some columns cross, the next are taken. */
static clsolve_status send(cls_band *band, int64_t j, int64_t width, cls_band_slot *slot) {
    cls_device *device = band->device;
    const int64_t size = cls_type_size(band->type);
    const size_t column = (size_t)(band->window.ld * size);
    cls_matrix to = cls_band_physical(band, j, width, 0, band->window.ld);
    cls_rect rect = {column, (size_t)width, (size_t)(to.offset * size), column, column};

    CLS_TRY(device->ops->write(device, CLS_UP, to.slab[0], slot->memory, &rect, NULL, NULL));
    if (j > 0) device->counters.transfers_up--; /* it is one band */
    CLS_TRY(device->ops->mark(device, CLS_UP, &slot->busy));
    return device->ops->flush(device, CLS_UP);
}

static void take_blocks(incoming *in, int64_t j, int64_t width, char *to) {
    const cls_band *band = in->band;
    const int64_t column = band->window.ld * cls_type_size(band->type);

    for (int64_t b = j; b < j + width && in->growth.row < 0; b += band->block)
        take_block(in, b, cls_band_width(band, b), to + (b - j) * column);
}

static clsolve_status take_over_bus(incoming *in) {
    cls_band *band = in->band;
    const int64_t most = band->chunk > band->block ? band->chunk / band->block * band->block : band->block;
    int64_t turn = 0;

    for (int64_t j = 0, width; j < band->n && in->growth.row < 0; j += width) {
        cls_band_slot *slot = &band->up[turn++ % CLS_BAND_RING];
        width = cls_band_run(band, j, most < band->n - j ? j + most : band->n);
        CLS_TRY(cls_band_slot_wait(band, slot));
        take_blocks(in, j, width, slot->memory);
        CLS_TRY(send(band, j, width, slot));
    }
    return band->device->ops->finish(band->device, CLS_UP);
}

static clsolve_status take(incoming *in) {
    cls_band *band = in->band;

    CLS_TRY(band->device->ops->finish(band->device, CLS_COMPUTE)); /* nobody uses the window any more */
    if (!band->stream && !band->window.mapped) return take_over_bus(in);
    /* Solves bring columns into the window without the rows above the band, which are to be zeros. */
    if (band->stream) CLS_TRY(cls_band_clear(band, CLS_UP));
    for (int64_t j = 0; j < band->n && in->growth.row < 0; j += band->block)
        take_blocks(in, j, cls_band_width(band, j),
                    band->stream ? cls_band_stream_column(band, j) : cls_matrix_host(&band->window, 0, j));
    return CLSOLVE_OK;
}

static clsolve_status set_pivots(cls_band *band, const int64_t *ipiv) {
    if (band->stream) {
        memcpy(cls_band_stream_pivots(band), ipiv, (size_t)band->n * sizeof *ipiv);
        return CLSOLVE_OK;
    }
    CLS_TRY(cls_panel_set_pivots(&band->panel, band->n, ipiv, band->block));
    if (band->way == &cls_band_lapack) cls_band_lapack_set_pivots(band);
    return CLSOLVE_OK;
}

static void set_outcome(const incoming *in) {
    cls_band *band = in->band;
    cls_growth *growth = &band->growth;

    *growth = in->growth;
    cls_growth_multiply(growth, cls_is_complex(band->type), in->mantissa[0], in->mantissa[1], (double)in->exponent);
    band->info = in->info;
    band->above = band->kv;
    /* Nothing is known of A: its numbers are taken to be of U's size. */
    band->measures = (cls_measures){.row = -1, .column = -1, .largest = growth->largest};
}

clsolve_status cls_band_import(cls_direct *direct, const clsolve_matrix *AFB, const int64_t *ipiv) {
    cls_band *band = direct->factors;
    incoming in = {.band = band, .AFB = AFB, .ipiv = ipiv, .growth = cls_growth_begin(), .mantissa = {1, 0}};

    band->unit = 1;
    CLS_TRY(take(&in));
    if (in.growth.row < 0) CLS_TRY(set_pivots(band, ipiv));
    set_outcome(&in);
    direct->info = band->info;
    direct->growth = band->growth;
    return CLSOLVE_OK;
}
