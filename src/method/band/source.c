/* source.c: the caller's band to where it is factored. */
#include <string.h>

#include "base/memory.h"
#include "method/band/entries.h"
#include "method/fetch.h"

/* ---- packing ---- */

static void zero(const cls_band *band, void *to, int64_t begin, int64_t end) {
    int64_t size = cls_type_size(band->type);
    if (end > begin) memset((char *)to + begin * size, 0, (size_t)((end - begin) * size));
}

/* The rows of column j that the matrix has: first .. end-1 of kl + ku + 1. */
static void rows_there(const cls_band *band, int64_t j, int64_t *first, int64_t *end) {
    int64_t rows = band->kl + band->ku + 1;
    *first = j < band->ku ? band->ku - j : 0;
    *end = band->rows - j <= band->kl ? band->ku + band->rows - j : rows;
    if (j >= band->cols) *end = *first;
}

static void pack_view(const cls_band *band, const cls_band_source *source, int64_t j, int64_t first, int64_t end,
                      char *to) {
    const clsolve_matrix *view = source->view;
    int64_t size = cls_type_size(band->type), top = source->first + first;
    int by_column = view->layout == CLSOLVE_COLUMN_MAJOR;
    const char *from = (const char *)view->data + (by_column ? top + j * view->ld : top * view->ld + j) * size;

    if (by_column)
        memcpy(to + first * size, from, (size_t)((end - first) * size));
    else
        for (int64_t r = first; r < end; ++r, from += view->ld * size) memcpy(to + r * size, from, (size_t)size);
}

static void pack_copy(const cls_band *band, const cls_copy *copy, int64_t j, int64_t first, int64_t end, void *to) {
    const int64_t parts = cls_type_parts(band->type);
    const double *from = copy->values + j * copy->length * parts;

    for (int64_t k = first * parts; k < end * parts; ++k)
        cls_type_put(band->type, to, k, copy->r ? from[k] * copy->c[j] * copy->r[j - band->ku + k / parts] : from[k]);
}

/* Rows first .. end-1 of a column that was packed. */
static void multiply(const cls_band *band, void *column, int64_t first, int64_t end) {
    const int64_t parts = cls_type_parts(band->type);
    for (int64_t k = first * parts; k < end * parts; ++k)
        cls_type_put(band->type, column, k, cls_type_get(band->type, column, k) * band->unit);
}

void cls_band_pack(const cls_band *band, const cls_band_source *source, int64_t begin, int64_t cols, void *to,
                   int64_t pitch) {
    char *column = to;

    for (int64_t j = begin; j < begin + cols; ++j, column += pitch * cls_type_size(band->type)) {
        int64_t first, end;
        rows_there(band, j, &first, &end);
        zero(band, column, 0, first);
        zero(band, column, end, band->kl + band->ku + 1);
        if (first == end) continue;
        if (source->entries)
            cls_band_entries_pack(band, source->entries, j, first, end, column);
        else if (source->copy)
            pack_copy(band, source->copy, j, first, end, column);
        else
            pack_view(band, source, j, first, end, column);
        if (band->unit != 1) multiply(band, column, first, end);
    }
}

/* ---- by all hands ---- */

enum { PART_BYTES = 1 << 18 }; /* of a part of a job: enough that its lock is nothing */

static int64_t columns_of_part(int64_t bytes) {
    return bytes < PART_BYTES ? PART_BYTES / (bytes > 0 ? bytes : 1) : 1;
}

typedef struct packing {
    const cls_band *band;
    const cls_band_source *source;
    int64_t begin, cols, each, pitch;
    char *to;
} packing;

static void pack_part(void *what, int64_t part) {
    const packing *p = what;
    int64_t first = part * p->each, left = p->cols - first;
    cls_band_pack(p->band, p->source, p->begin + first, left < p->each ? left : p->each,
                  p->to + first * p->pitch * cls_type_size(p->band->type), p->pitch);
}

static void packing_job(packing *p, cls_job *job) {
    p->each = columns_of_part(p->pitch * cls_type_size(p->band->type));
    *job = (cls_job){.work = pack_part, .what = p, .parts = (p->cols + p->each - 1) / p->each};
}

static void haul_part(void *what, int64_t part) {
    const cls_band_haul *h = what;
    int64_t first = part * h->each, end = first + h->each < h->cols ? first + h->each : h->cols;
    for (int64_t c = first; c < end; ++c)
        memcpy(h->to + (size_t)c * h->to_pitch, h->from + (size_t)c * h->from_pitch, h->bytes);
}

void cls_band_haul_job(cls_band_haul *haul, cls_job *job) {
    haul->each = columns_of_part((int64_t)haul->bytes);
    *job = (cls_job){.work = haul_part, .what = haul, .parts = (haul->cols + haul->each - 1) / haul->each};
}

/* ---- a mapped window ---- */

enum { CACHED = 16 * 1024 }; /* bytes of columns that are measured while they are in the cache */

static void take_mapped(cls_band *band, const cls_band_source *source) {
    cls_counters *counters = &band->device->counters; /* counted as the copy that it is */
    int64_t size = cls_type_size(band->type), rows = band->kl + band->ku + 1, ld = band->window.ld;

    for (int64_t j = 0, taken = 0; j < band->n; ++j) {
        char *column = cls_matrix_host(&band->window, 0, j);
        int64_t first = band->top - band->ku;
        memset(column, 0, (size_t)(first * size));
        cls_band_pack(band, source, j, 1, column + first * size, ld);
        memset(column + (first + rows) * size, 0, (size_t)((ld - first - rows) * size));
        taken++;
        if (taken * ld * size < CACHED && j + 1 < band->n) continue;
        (void)cls_band_measure(band, j + 1 - taken, taken); /* on the host it cannot fail */
        taken = 0;
    }
    counters->transfers_up++;
    counters->bytes_up += rows * band->n * size;
}

/* ---- over the bus ---- */

clsolve_status cls_band_slot_wait(cls_band *band, cls_band_slot *slot) {
    cls_device *device = band->device;
    if (!slot->busy) return CLSOLVE_OK;
    clsolve_status status = device->ops->event_wait(device, slot->busy);
    device->ops->event_release(device, slot->busy);
    slot->busy = NULL;
    return status;
}

static packing packing_of(const cls_band *band, const cls_band_source *source, int64_t j, int64_t width,
                          const cls_band_slot *slot) {
    return (packing){.band = band,
                     .source = source,
                     .begin = j,
                     .cols = width,
                     .pitch = band->kl + band->ku + 1,
                     .to = slot->memory};
}

/* Sends the packed columns up into the window. Enqueues. */
static clsolve_status cross(cls_band *band, int64_t j, int64_t width, cls_band_slot *slot, cls_event **done) {
    cls_device *device = band->device;
    int64_t rows = band->kl + band->ku + 1, size = cls_type_size(band->type);
    cls_matrix to = cls_band_physical(band, j, width, band->top - band->ku, rows);
    size_t bytes = (size_t)(rows * size);
    cls_rect rect = {bytes, (size_t)width, (size_t)(to.offset * size), (size_t)(to.ld * size), bytes};

    CLS_TRY(device->ops->write(device, CLS_UP, to.slab[0], slot->memory, &rect, NULL, done));
    CLS_TRY(device->ops->mark(device, CLS_UP, &slot->busy));
    return device->ops->flush(device, CLS_UP);
}

clsolve_status cls_band_send(cls_band *band, const cls_band_source *source, int64_t j, int64_t width,
                             cls_band_slot *slot, cls_event **done) {
    cls_job job;

    CLS_TRY(cls_band_slot_wait(band, slot));
    packing p = packing_of(band, source, j, width, slot);
    packing_job(&p, &job);
    cls_pool_run(band->pool, &job);
    return cross(band, j, width, slot, done);
}

clsolve_status cls_band_clear(cls_band *band, cls_queue queue) {
    const cls_matrix *w = &band->window;

    for (int64_t j = 0, run; j < w->cols; j += run) {
        run = cls_matrix_run(w, j, w->cols);
        CLS_TRY(band->device->ops->fill(band->device, queue, w->slab[j / w->slab_cols], 0,
                                        (size_t)(run * w->ld * cls_type_size(band->type)), 0));
    }
    return CLSOLVE_OK;
}

/* Columns on their way: while some cross, the next are packed. */
struct cls_band_convoy {
    cls_band_source source;
    packing packing[CLS_BAND_RING];
    cls_job job[CLS_BAND_RING];
    int64_t packed, crossed; /* how many chunks */
    int64_t next, there;     /* the column to be packed next; those before it have begun to cross */
    int64_t measured;        /* columns that were measured as they came */
};

/* The next chunk goes to the threads. */
static clsolve_status load(cls_band *band, cls_band_convoy *c) {
    const int64_t k = c->packed % CLS_BAND_RING;
    int64_t width = cls_band_run(band, c->next, band->n);

    if (width > band->chunk) width = band->chunk;
    CLS_TRY(cls_band_slot_wait(band, &band->up[k]));
    c->packing[k] = packing_of(band, &c->source, c->next, width, &band->up[k]);
    packing_job(&c->packing[k], &c->job[k]);
    cls_pool_post(band->pool, &c->job[k]);
    c->next += width;
    c->packed++;
    return CLSOLVE_OK;
}

/* The oldest chunk that is packed, or will be, crosses. */
static clsolve_status ship(cls_band *band, cls_band_convoy *c) {
    const int64_t k = c->crossed % CLS_BAND_RING;

    cls_pool_wait(band->pool, &c->job[k]);
    CLS_TRY(cross(band, c->packing[k].begin, c->packing[k].cols, &band->up[k], NULL));
    if (c->crossed > 0) band->device->counters.transfers_up--; /* it is one band */
    c->there = c->packing[k].begin + c->packing[k].cols;
    c->crossed++;
    return CLSOLVE_OK;
}

/* Until the columns before `to` have begun to cross. */
static clsolve_status advance(cls_band *band, cls_band_convoy *c, int64_t to) {
    while (c->there < to) {
        int room = c->next < band->n && c->packed - c->crossed < 2;
        CLS_TRY(room ? load(band, c) : ship(band, c));
    }
    return CLSOLVE_OK;
}

/* Further as far as nothing has to be waited for. */
static clsolve_status poll(cls_band *band, cls_band_convoy *c) {
    const cls_device_ops *ops = band->device->ops;
    int moved = 1;
    while (moved) {
        const cls_band_slot *slot = &band->up[c->packed % CLS_BAND_RING];
        moved = 0;
        if (c->packed > c->crossed && cls_pool_is_over(band->pool, &c->job[c->crossed % CLS_BAND_RING])) {
            CLS_TRY(ship(band, c));
            moved = 1;
        }
        if (c->next < band->n && c->packed - c->crossed < CLS_BAND_RING &&
            (!slot->busy || ops->event_is_over(band->device, slot->busy))) {
            CLS_TRY(load(band, c));
            moved = 1;
        }
    }
    return CLSOLVE_OK;
}

/* The threads read the caller's band no more. */
static void halt(cls_band *band, cls_band_convoy *c) {
    for (int k = 0; k < CLS_BAND_RING; ++k) cls_pool_wait(band->pool, &c->job[k]);
}

static clsolve_status set_out(cls_band *band, const cls_band_source *source, cls_band_convoy *c) {
    *c = (cls_band_convoy){.source = *source};
    CLS_TRY(band->device->ops->finish(band->device, CLS_COMPUTE)); /* nobody uses the window any more */
    return cls_band_clear(band, CLS_UP);
}

static clsolve_status take_host(cls_band *band, const cls_band_source *source) {
    cls_band_convoy c;

    CLS_TRY(set_out(band, source, &c));
    clsolve_status status = advance(band, &c, band->n);
    halt(band, &c);
    CLS_TRY(status);
    return band->device->ops->finish(band->device, CLS_UP);
}

/* ---- while it is factored ---- */

int cls_band_can_come(const cls_band *band, const cls_band_source *source) {
    return band->pool && !band->window.mapped && !band->stream && !band->panel.hybrid && band->block > 1 &&
           !(source->entries && cls_band_entries_are_few(band, source->entries)) &&
           !(source->view && source->view->place == CLSOLVE_ON_DEVICE);
}

clsolve_status cls_band_come_begin(cls_band *band, const cls_band_source *source) {
    band->convoy = cls_alloc(1, sizeof *band->convoy);
    if (!band->convoy)
        return cls_fail(band->device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a band's way up");
    return set_out(band, source, band->convoy);
}

clsolve_status cls_band_come_need(cls_band *band, int64_t to) {
    cls_band_convoy *c = band->convoy;
    cls_device *device = band->device;
    cls_event *come = NULL;

    if (!c) return CLSOLVE_OK;
    CLS_TRY(advance(band, c, to < band->n ? to : band->n));
    CLS_TRY(poll(band, c));
    if (c->measured >= to || c->measured == c->there) return CLSOLVE_OK;
    CLS_TRY(device->ops->mark(device, CLS_UP, &come));
    clsolve_status status = device->ops->queue_wait(device, CLS_COMPUTE, come);
    device->ops->event_release(device, come);
    if (status == CLSOLVE_OK) status = cls_band_measure(band, c->measured, c->there - c->measured);
    c->measured = c->there;
    return status;
}

void cls_band_come_end(cls_band *band) {
    if (!band->convoy) return;
    halt(band, band->convoy);
    cls_free(band->convoy);
    band->convoy = NULL;
}

/* ---- a view on the device ---- */

/* Rows first .. end-1 of `cols` columns from the caller's buffer, on the compute queue: nothing crosses. */
static clsolve_status copy_rows(cls_band *band, const cls_band_source *source, cls_buffer *from, int64_t j,
                                int64_t cols, int64_t first, int64_t end) {
    size_t size = (size_t)cls_type_size(band->type);
    const clsolve_matrix *view = source->view;

    for (int64_t c = j, run; c < j + cols; c += run) {
        run = cls_band_run(band, c, j + cols);
        cls_matrix to = cls_band_physical(band, c, run, band->top - band->ku + first, end - first);
        cls_span span = {(size_t)(end - first) * size,
                         (size_t)run,
                         (size_t)(view->offset + source->first + first + c * view->ld) * size,
                         (size_t)view->ld * size,
                         (size_t)to.offset * size,
                         (size_t)to.ld * size};
        CLS_TRY(band->device->ops->copy_rect(band->device, CLS_COMPUTE, from, to.slab[0], &span));
    }
    return CLSOLVE_OK;
}

/* Column by column where rows lie outside of the matrix, for anything may be there. */
static clsolve_status copy_all(cls_band *band, const cls_band_source *source, cls_buffer *from) {
    int64_t n = band->n, rows = band->kl + band->ku + 1, last = n - band->kl, first, end;

    CLS_TRY(cls_band_clear(band, CLS_COMPUTE));
    if (last > band->ku) CLS_TRY(copy_rows(band, source, from, band->ku, last - band->ku, 0, rows));
    for (int64_t j = 0; j < n; ++j) {
        rows_there(band, j, &first, &end);
        if (j < band->ku || j >= last) CLS_TRY(copy_rows(band, source, from, j, 1, first, end));
    }
    return CLSOLVE_OK;
}

/* A row-major AB is transposed into the window, whatever lies outside of the matrix in it; that becomes 0 after. */
static clsolve_status transpose_all(cls_band *band, const cls_band_source *source, cls_buffer *from) {
    const clsolve_matrix *view = source->view;
    const cls_device_ops *ops = band->device->ops;
    int64_t n = band->n, rows = band->kl + band->ku + 1, last = n - band->kl, first, end;
    int64_t size = cls_type_size(band->type), top = band->top - band->ku;

    CLS_TRY(cls_band_clear(band, CLS_COMPUTE));
    for (int64_t j = 0, run; j < n; j += run) {
        run = cls_band_run(band, j, n);
        cls_matrix to = cls_band_physical(band, j, run, top, rows);
        cls_ref lines = {from, view->offset + source->first * view->ld + j, view->ld};
        CLS_TRY(cls_transpose_from(band->device, &band->transfer, lines, run, rows, &to));
    }
    for (int64_t j = 0; j < n; ++j) {
        if (j >= band->ku && j < last) continue;
        rows_there(band, j, &first, &end);
        cls_matrix column = cls_band_physical(band, j, 1, top, rows);
        CLS_TRY(ops->fill(band->device, CLS_COMPUTE, column.slab[0], (size_t)(column.offset * size),
                          (size_t)(first * size), 0));
        CLS_TRY(ops->fill(band->device, CLS_COMPUTE, column.slab[0], (size_t)((column.offset + end) * size),
                          (size_t)((rows - end) * size), 0));
    }
    return CLSOLVE_OK;
}

static clsolve_status take_mapped_buffer(cls_band *band, const cls_band_source *source, cls_buffer *buffer) {
    cls_device *device = band->device;
    cls_counters counters = device->counters;
    cls_band_source there = *source;
    clsolve_matrix view = *source->view;
    void *memory;

    CLS_TRY(device->ops->map(device, buffer, &memory));
    view.data = (char *)memory + view.offset * cls_type_size(view.type);
    there.view = &view;
    take_mapped(band, &there);
    device->counters = counters; /* nothing has crossed to the caller's side */
    return device->ops->unmap(device, buffer, memory);
}

static clsolve_status take_device(cls_band *band, const cls_band_source *source) {
    cls_device *device = band->device;
    const clsolve_matrix *view = source->view;
    cls_buffer *buffer;

    CLS_TRY(cls_transfer_adopt(device, view, &buffer));
    int by_column = view->layout == CLSOLVE_COLUMN_MAJOR;
    clsolve_status status = band->window.mapped ? take_mapped_buffer(band, source, buffer)
                            : by_column         ? copy_all(band, source, buffer)
                                                : transpose_all(band, source, buffer);
    device->ops->buffer_destroy(device, buffer);
    return status;
}

/* By way of the host, which multiplies. */
static clsolve_status take_fetched(cls_band *band, const cls_band_source *source) {
    cls_band_source there = *source;
    cls_fetched fetched;

    CLS_TRY(cls_fetch(band->device, source->view, &fetched));
    there.view = &fetched.view;
    const clsolve_status status = cls_band_take(band, &there);
    cls_fetched_free(&fetched);
    return status;
}

clsolve_status cls_band_take(cls_band *band, const cls_band_source *source) {
    const int plain = band->unit == 1;

    if (source->view && source->view->place == CLSOLVE_ON_DEVICE)
        return plain ? take_device(band, source) : take_fetched(band, source);
    if (plain && !band->window.mapped && source->entries && cls_band_entries_are_few(band, source->entries)) {
        CLS_TRY(cls_band_clear(band, CLS_COMPUTE));
        return cls_band_entries_scatter(band, source->entries);
    }
    if (!band->window.mapped) return take_host(band, source);
    take_mapped(band, source);
    return CLSOLVE_OK;
}
