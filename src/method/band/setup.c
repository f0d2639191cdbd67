#include "method/band/band.h"

#include <limits.h>

#include "base/memory.h"
#include "blas/blas.h"
#include "cost/band_blocks.h"
#include "method/band/lapack.h"
#include "method/band/narrow.h"
#include "method/band/sides.h"
#include "method/band/stream.h"

/* ---- setup ---- */

/* POOL_BYTES: from how many bytes on threads are worth their start. */
enum { SLOT_BYTES = 1 << 20, POOL_BYTES = 32 << 20 };

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
    if (band->device->no_kernels) return 0;
    if (!cls_band_narrow_wanted(band->device, band->type, band->n, band->kl, band->ku, band->slab_bytes)) return 0;
    cls_band_set_block(band, 1);
    return cls_band_fits_as_a_whole(band);
}

/* Takes mode and block as the options say, else as the model has it. Takes the narrow kernels where nobody asked for
 * blocks or a panel. */
static cls_band_mode choose_mode(cls_band *band, clsolve_panel panel, int64_t block) {
    const cls_device *device = band->device;
    unsigned modes = panel == CLSOLVE_PANEL_NATIVE   ? CLS_BAND_MODE_NATIVE
                     : panel == CLSOLVE_PANEL_HYBRID ? CLS_BAND_MODE_HYBRID
                                                     : CLS_BAND_MODE_NATIVE | CLS_BAND_MODE_HYBRID;
    cls_band_machine machine =
        cls_band_machine_of(device->info.host_memory, cls_in_place(device), device->info.compute_units);

    if (panel == CLSOLVE_PANEL_AUTO && device->no_kernels) modes = CLS_BAND_MODE_HYBRID;
    if (panel == CLSOLVE_PANEL_AUTO && band->n > INT_MAX) modes = CLS_BAND_MODE_NATIVE; /* LAPACK counts in 32 bits */
    if (panel == CLSOLVE_PANEL_AUTO && block == 0 && band->n > 0 && can_be_narrow(band)) modes |= CLS_BAND_MODE_NARROW;
    cls_band_choice choice = cls_band_choose(&machine, modes, band->n > 0 ? band->n : 1, band->kl, band->kv,
                                             cls_type_size(band->type), block);
    cls_band_set_block(band, choice.block);
    return choice.mode;
}

/* The panel; and kernels that examine factors and transfer right-hand sides, where those are not mapped. */
static clsolve_status take_panel(cls_band *band, int hybrid, int mapped) {
    cls_device *device = band->device;
    int64_t rows = band->kl + band->block;
    int64_t leaf = cls_panel_leaf_of(device, band->type, rows, band->block, hybrid);
    cls_panel_shape shape = {.type = band->type,
                             .rows = rows,
                             .cols = band->capacity,
                             .leaf = leaf,
                             .block = leaf, /* moves go leaf by leaf: a block reaches few columns */
                             .hybrid = hybrid,
                             .mapped = mapped};

    CLS_TRY(cls_panel_create(device, &shape, &band->panel));
    if (hybrid) CLS_TRY(cls_panel_take_host(&band->panel, band->capacity, mapped ? 0 : rows * band->block));
    return CLSOLVE_OK;
}

static clsolve_status build(cls_band *band) {
    cls_device *device = band->device;

    CLS_TRY(cls_panel_open(&band->panel));
    CLS_TRY(cls_check_kernel(device, band->type, "lu_det", &band->det));
    CLS_TRY(cls_check_kernel(device, band->type, "lu_mend", &band->mend));
    CLS_TRY(cls_check_create(device, band->type, &band->after));
    return cls_transfer_create(device, band->type, &band->transfer);
}

/* A native band's first update and the transposed product of its condition estimate; in a window they are the same. */
static clsolve_status announce_products(cls_band *band) {
    int64_t b = band->block, rows = band->kl;
    cls_ref A = {NULL, 0, band->window.ld - 1}, odd = {NULL, 1, band->window.ld - 1};
    const cls_blas_options how = CLS_BLAS_DEFAULT;
    if (rows <= 0) return CLSOLVE_OK;
    CLS_TRY(cls_gemm(band->device, how, band->type, CLSOLVE_NO_TRANS, CLSOLVE_NO_TRANS, rows, b, b, -1.0, odd, A, 1.0,
                     odd));
    return cls_gemm(band->device, how, band->type, CLSOLVE_TRANS, CLSOLVE_NO_TRANS, b, 1, rows, -1.0, odd, A, 1.0, A);
}

static clsolve_status announced(void *what) {
    cls_band *band = what;
    CLS_TRY(build(band));
    return announce_products(band);
}

/* A narrow band's kernels take the place of panels and products; the rest is the same. */
static clsolve_status announced_narrow(void *what) {
    cls_band *band = what;
    cls_narrow narrow;
    CLS_TRY(build(band));
    return cls_narrow_create(band->device, band->n, band->kl, band->ku, band->type, 1, 0, &narrow);
}

static const cls_band_way native_way = {"native", cls_band_factor_blocked, cls_band_apply_blocked, NULL};
static const cls_band_way hybrid_way = {"hybrid", cls_band_factor_blocked, cls_band_apply_blocked, NULL};

static clsolve_status take_memory(cls_band *band, int hybrid, int narrow, int lapack) {
    cls_device *device = band->device;
    int64_t column_bytes = cls_band_rows(band) * cls_type_size(band->type);
    int whole = band->capacity >= band->n, mapped = hybrid && whole && cls_in_place(device);

    band->way = hybrid ? &hybrid_way : &native_way;
    CLS_TRY(cls_matrix_create(device, band->type, cls_band_rows(band), band->capacity, band->block, band->slab_bytes,
                              &band->window));
    if (hybrid && (band->window.ld > INT_MAX || band->capacity > INT_MAX))
        return cls_fail(device->error, CLSOLVE_ERROR_UNSUPPORTED,
                        "LAPACK counts in 32 bits, too few for %lld columns of %lld: use CLSOLVE_PANEL_NATIVE",
                        (long long)band->capacity, (long long)band->window.ld);
    CLS_TRY(take_panel(band, hybrid, mapped));
    if (lapack) {
        band->way = &cls_band_lapack;
        CLS_TRY(cls_band_lapack_setup(band));
        return cls_matrix_map(device, &band->window);
    }
    if (!mapped) {
        CLS_TRY(cls_announce(device, narrow ? announced_narrow : announced, band));
        CLS_TRY(build(band));
    }
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
    if (!whole || (double)column_bytes * (double)band->n >= POOL_BYTES) band->pool = cls_device_pool(device);
    return whole ? CLSOLVE_OK : cls_band_stream_setup(band);
}

clsolve_status cls_band_setup(cls_device *device, int64_t n, int64_t kl, int64_t ku, clsolve_type type,
                              const clsolve_band_options *options, cls_band *band) {
    int64_t most = n > 0 ? n - 1 : 0, leaf = device->info.host_memory ? 16 : 32;
    clsolve_panel panel = options ? options->panel : CLSOLVE_PANEL_AUTO;
    int fixed = options && options->block > 0;

    band->device = device;
    band->type = type;
    band->n = band->rows = band->cols = n;
    band->kl = kl < most ? kl : most;
    band->ku = ku < most ? ku : most;
    band->kv = band->kl + band->ku < most ? band->kl + band->ku : most;
    band->above = band->kv;
    band->slab_bytes = options ? options->slab_bytes : 0;
    band->memory_limit = options ? options->memory_limit : 0;
    band->left = device->ops->memory_left(device); /* asked once: others may take of it meanwhile */
    cls_band_mode mode = choose_mode(band, panel, fixed ? options->block : 0);
    int lapack = mode == CLS_BAND_MODE_HYBRID && panel == CLSOLVE_PANEL_AUTO && !fixed && cls_band_lapack_fits(band);
    if (lapack) cls_band_set_block(band, 1);
    CLS_TRY(cls_band_choose_window(band, fixed || lapack, leaf));
    if (band->capacity < band->n) lapack = 0;
    int64_t before = device->counters.buffer_bytes;
    CLS_TRY(take_memory(band, mode == CLS_BAND_MODE_HYBRID, mode == CLS_BAND_MODE_NARROW, lapack));
    band->base_bytes = device->counters.buffer_bytes - before;
    return CLSOLVE_OK;
}

void cls_band_release(cls_band *band) {
    cls_device *device = band->device;

    if (!device) return;
    /* Work that still runs uses this memory; a failure to wait leaves nothing better to do than to go on. */
    for (int q = 0; q < CLS_QUEUES; ++q) (void)device->ops->finish(device, (cls_queue)q);
    if (band->way && band->way->release) band->way->release(band);
    cls_band_stream_release(band);
    for (int r = 0; r < CLS_BAND_RING; ++r) {
        device->ops->event_release(device, band->up[r].busy);
        device->ops->pinned_destroy(device, band->up[r].pinned);
    }
    device->ops->event_release(device, band->told);
    cls_panel_release(&band->panel);
    device->ops->kernel_destroy(device, band->det);
    device->ops->kernel_destroy(device, band->mend);
    cls_transfer_destroy(device, &band->transfer);
    cls_free(band->spare);
    cls_check_destroy(device, &band->check);
    cls_check_destroy(device, &band->after);
    cls_matrix_destroy(device, &band->window);
    cls_matrix_destroy(device, &band->B);
    cls_matrix_destroy(device, &band->scratch);
    cls_band_sides_release(band);
    *band = (cls_band){0};
}

int64_t cls_band_bytes(const cls_band *band) {
    return band->base_bytes + band->B.bytes + band->scratch.bytes;
}
