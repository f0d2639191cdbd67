#include "method/band/band.h"

#include <limits.h>

#include "base/memory.h"
#include "device/blas.h"
#include "method/band/model.h"
#include "method/band/narrow.h"
#include "method/band/sides.h"
#include "method/band/stream.h"

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

/* ---- setup ---- */

void cls_band_set_block(cls_band *band, int64_t block) {
    int64_t widest = band->n > 0 ? band->n : 1;
    band->block = block < widest ? block : widest;
    band->top = band->kv + band->block - 1;
}

/* Threads beside the caller's, and from how many bytes on they are worth their start. */
enum { SLOT_BYTES = 1 << 20, CREW = 6, CREW_BYTES = 32 << 20 };

static clsolve_status take_slots(cls_band *band) {
    cls_device *device = band->device;
    int64_t column = band->window.ld * cls_type_size(band->type);

    /* Narrow blocks of a band that is there as a whole go up many at a time. */
    band->chunk = band->block;
    if (band->capacity >= band->n && column * band->chunk < SLOT_BYTES) band->chunk = SLOT_BYTES / column + 1;
    if (band->chunk > band->n && band->n > 0) band->chunk = band->n;
    size_t bytes = (size_t)(column * band->chunk);
    if (band->capacity < band->n) bytes += cls_band_stream_state(band);
    for (int r = 0; r < CLS_BAND_RING; ++r)
        CLS_TRY(device->ops->pinned_create(device, bytes, &band->up[r].pinned, &band->up[r].memory));
    return CLSOLVE_OK;
}

/* Few diagonals, one buffer, and the device holds the band as a whole. */
static int can_be_narrow(cls_band *band) {
    if (!cls_band_narrow_wanted(band->device, band->type, band->n, band->kl, band->ku, band->slab_bytes)) return 0;
    cls_band_set_block(band, 1);
    return cls_band_fits_as_a_whole(band);
}

/* Mode and block as the options say, else as the model has it. Narrow kernels where nobody asked for blocks or a panel. */
static cls_band_mode choose_mode(cls_band *band, clsolve_panel panel, int64_t block) {
    const cls_device *device = band->device;
    unsigned modes = panel == CLSOLVE_PANEL_NATIVE   ? CLS_BAND_MODE_NATIVE
                     : panel == CLSOLVE_PANEL_HYBRID ? CLS_BAND_MODE_HYBRID
                                                     : CLS_BAND_MODE_NATIVE | CLS_BAND_MODE_HYBRID;
    cls_band_machine machine =
        cls_band_machine_of(device->info.host_memory, cls_in_place(device), device->info.compute_units);

    if (panel == CLSOLVE_PANEL_AUTO && band->n > INT_MAX) modes = CLS_BAND_MODE_NATIVE; /* LAPACK counts in 32 bits */
    if (panel == CLSOLVE_PANEL_AUTO && block == 0 && band->n > 0 && can_be_narrow(band)) modes |= CLS_BAND_MODE_NARROW;
    cls_band_choice choice = cls_band_choose(&machine, modes, band->n > 0 ? band->n : 1, band->kl, band->kv,
                                             cls_type_size(band->type), block);
    cls_band_set_block(band, choice.block);
    return choice.mode;
}

static clsolve_status take_memory(cls_band *band, int hybrid, int narrow) {
    cls_device *device = band->device;
    int64_t column_bytes = cls_band_rows(band) * cls_type_size(band->type);
    int whole = band->capacity >= band->n, mapped = hybrid && whole && cls_in_place(device);

    band->way = hybrid ? &cls_band_hybrid : &cls_band_native;
    CLS_TRY(cls_matrix_create(device, band->type, cls_band_rows(band), band->capacity, band->block, band->slab_bytes,
                              &band->window));
    if (hybrid && (band->window.ld > INT_MAX || band->capacity > INT_MAX))
        return cls_fail(device->error, CLSOLVE_ERROR_UNSUPPORTED,
                        "LAPACK counts in 32 bits, too few for %lld columns of %lld: use CLSOLVE_PANEL_NATIVE",
                        (long long)band->capacity, (long long)band->window.ld);
    CLS_TRY(cls_lu_setup_panels(device, band->capacity, band->kl + band->block, band->block, band->type, hybrid, mapped,
                                &band->panel));
    if (mapped) {
        band->spare = cls_alloc((size_t)(band->kl + band->block), (size_t)(band->block * cls_type_size(band->type)));
        if (!band->spare) return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a panel");
        return cls_matrix_map(device, &band->window);
    }
    CLS_TRY(cls_check_create(device, band->type, &band->check));
    CLS_TRY(take_slots(band));
    if (narrow) {
        band->way = &cls_band_narrow;
        return cls_band_narrow_setup(band);
    }
    if (!whole || (double)column_bytes * (double)band->n >= CREW_BYTES) {
        band->crew = cls_crew_create(CREW);
        if (!band->crew) return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for threads");
    }
    return whole ? CLSOLVE_OK : cls_band_stream_setup(band);
}

clsolve_status cls_band_setup(cls_device *device, int64_t n, int64_t kl, int64_t ku, clsolve_type type,
                              const clsolve_band_options *options, cls_band *band) {
    int64_t most = n > 0 ? n - 1 : 0, leaf = device->info.host_memory ? 16 : 32;
    clsolve_panel panel = options ? options->panel : CLSOLVE_PANEL_AUTO;
    int fixed = options && options->block > 0;

    band->device = device;
    band->type = type;
    band->n = n;
    band->kl = kl < most ? kl : most;
    band->ku = ku < most ? ku : most;
    band->kv = band->kl + band->ku < most ? band->kl + band->ku : most;
    band->slab_bytes = options ? options->slab_bytes : 0;
    band->memory_limit = options ? options->memory_limit : 0;
    band->left = device->ops->memory_left(device); /* asked once: others may take of it meanwhile */
    cls_band_mode mode = choose_mode(band, panel, fixed ? options->block : 0);
    CLS_TRY(cls_band_choose_window(band, fixed, leaf));
    int64_t before = device->counters.buffer_bytes;
    CLS_TRY(take_memory(band, mode == CLS_BAND_MODE_HYBRID, mode == CLS_BAND_MODE_NARROW));
    band->base_bytes = device->counters.buffer_bytes - before;
    return CLSOLVE_OK;
}

void cls_band_release(cls_band *band) {
    cls_device *device = band->device;

    if (!device) return;
    /* What still runs uses this memory; a failure to wait leaves nothing better to do than to go on. */
    for (int q = 0; q < CLS_QUEUES; ++q) (void)device->ops->finish(device, (cls_queue)q);
    if (band->way && band->way->release) band->way->release(band);
    cls_band_stream_release(band);
    cls_crew_destroy(band->crew);
    for (int r = 0; r < CLS_BAND_RING; ++r) {
        device->ops->event_release(device, band->up[r].busy);
        device->ops->pinned_destroy(device, band->up[r].pinned);
    }
    device->ops->event_release(device, band->told);
    if (band->panel.device) {
        band->panel.A = (cls_matrix){0}; /* a view: not its own */
        cls_lu_release(&band->panel);
    }
    cls_free(band->spare);
    cls_check_destroy(device, &band->check);
    cls_matrix_destroy(device, &band->window);
    cls_matrix_destroy(device, &band->B);
    cls_matrix_destroy(device, &band->scratch);
    cls_band_sides_release(band);
    *band = (cls_band){0};
}

int64_t cls_band_bytes(const cls_band *band) {
    return band->base_bytes + band->B.bytes + band->scratch.bytes;
}
