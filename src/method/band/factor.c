/*
 * factor.c: a band by block columns, with panels on the device or on the host: band.h has the picture. The loop is that
 * of dense LU (method/lu/factor.c).
 */
#include <string.h>

#include "method/band/stream.h"
#include "method/direct/scaling.h"
#include "method/lu/factor.h"

/* ---- its columns, for the loop of LU ---- */

static clsolve_status ring_need(void *holder, cls_queue queue, int64_t to) {
    (void)queue; /* all is in COMPUTE */
    CLS_TRY(cls_band_stream_need(holder, to));
    return cls_band_come_need(holder, to);
}

static cls_matrix ring_view(void *holder, int64_t lead, int64_t c, int64_t to, int64_t *run) {
    *run = cls_band_run(holder, c, to);
    return cls_band_view(holder, c, *run, lead);
}

static clsolve_status ring_take(void *holder, int64_t j, int64_t k, cls_block_column *L) {
    const cls_band *band = holder;
    const int64_t lead = cls_band_lead(band, j);
    *L = (cls_block_column){cls_band_at(band, j, j), j - lead, k - j, cls_band_below(band, j) - lead};
    return CLSOLVE_OK;
}

static clsolve_status ring_factor(void *holder, int64_t j, int64_t k, cls_event *ready) {
    cls_band *band = holder;
    const int64_t lead = cls_band_lead(band, j);

    if (band->panel.hybrid) return cls_band_host_panel(band, j, ready);
    const cls_matrix A = cls_band_view(band, j, k - j, lead);
    return cls_panel_factor(&band->panel, &A, j - lead, cls_band_below(band, j) - j, k - j);
}

static clsolve_status ring_factored(void *holder, int64_t j, int64_t k) {
    cls_band *band = holder;
    CLS_TRY(cls_band_stream_final(band, j));
    return band->window.mapped ? cls_band_look_at(band, j, k - j) : CLSOLVE_OK;
}

static clsolve_status ring_used(void *holder, int64_t j, int64_t k, cls_queue queue) {
    (void)k;
    (void)queue;
    return cls_band_stream_done(holder, j);
}

/*
 * kv columns beyond the block column at most; and if the pivots are known, ku beyond the lowest row that was swapped up
 * so far (gbtrf's ju): without swaps a third of the work is left.
 */
static int64_t ring_reach(void *holder, int64_t j, int64_t k) {
    const cls_band *band = holder;
    const int64_t most = band->n - k < band->kv ? band->n : k + band->kv;

    (void)j;
    if (!band->panel.hybrid || band->reached > most) return most;
    return band->reached > k ? band->reached : k;
}

static const cls_columns_ops ring_ops = {.need = ring_need,
                                         .view = ring_view,
                                         .factor = ring_factor,
                                         .factored = ring_factored,
                                         .take = ring_take,
                                         .used = ring_used,
                                         .reach = ring_reach};

clsolve_status cls_band_factor_blocked(cls_band *band, const clsolve_band_options *options) {
    const int travels = band->panel.hybrid && !band->window.mapped;
    const cls_columns columns = {.ops = &ring_ops,
                                 .holder = band,
                                 .panel = &band->panel,
                                 .ahead = travels ? CLS_AHEAD_BLOCK : CLS_AHEAD_NOT,
                                 .end = band->n,
                                 .last = band->n,
                                 .block = band->block,
                                 .strip = band->block,
                                 .rows_stay = 1,
                                 .travels = travels,
                                 .progress = options ? options->progress : NULL,
                                 .progress_user = options ? options->progress_user : NULL,
                                 .power = 1};
    return cls_lu_factor_loop(&columns);
}

/* ---- the whole ---- */

static clsolve_status factor(cls_band *band, const clsolve_band_options *options) {
    cls_panel_set_range(&band->panel, cls_band_tiny(band));
    return band->way->factor(band, options);
}

/* Numbers as small as those that want care are not expected: measures are known when all of it has come. */
static clsolve_status factor_coming(cls_band *band, const cls_band_source *source,
                                    const clsolve_band_options *options) {
    band->measures.largest = 1;
    clsolve_status status = cls_band_come_begin(band, source);
    if (status == CLSOLVE_OK) status = factor(band, options);
    cls_band_come_end(band);
    if (status == CLSOLVE_OK) return cls_band_measured(band);
    cls_error first = *band->device->error; /* the first failure is the one to tell */
    (void)band->device->ops->finish(band->device, CLS_UP);
    *band->device->error = first;
    return status;
}

static clsolve_status take(cls_band *band, const cls_band_source *source) {
    CLS_TRY(cls_band_take(band, source));
    if (!band->window.mapped) CLS_TRY(cls_band_measure(band, 0, band->n));
    return cls_band_measured(band);
}

/* By what has been measured: is a tiny A to be multiplied by band->unit? A copy was, as it was made. */
static int find_unit(cls_band *band, const cls_band_source *source) {
    if (!source->copy) band->unit = cls_scaling_tiny(band->type, band->measures.largest);
    return band->unit != 1;
}

static clsolve_status factor_whole(cls_band *band, const cls_band_source *source, const clsolve_band_options *options,
                                   double *upload) {
    double start = cls_band_now(band);
    int comes = cls_band_can_come(band, source);

    if (comes) {
        CLS_TRY(factor_coming(band, source, options));
        if (band->measures.row >= 0) return CLSOLVE_OK;
        if (!cls_band_tiny(band)) return cls_band_look_at(band, 0, band->n);
        CLS_TRY(cls_panel_start(&band->panel, CLS_PANEL_REPEATABLE));
        start = cls_band_now(band);
    } else {
        CLS_TRY(take(band, source));
    }
    /* A tiny band comes once more, to be scaled. */
    if (band->measures.row < 0 && (find_unit(band, source) || comes)) CLS_TRY(take(band, source));
    *upload += cls_band_now(band) - start;
    if (band->measures.row >= 0) return CLSOLVE_OK;
    CLS_TRY(factor(band, options));
    return band->window.mapped ? CLSOLVE_OK : cls_band_look_at(band, 0, band->n);
}

static clsolve_status stream_once(cls_band *band, const cls_band_source *source, const clsolve_band_options *options) {
    clsolve_status status = cls_band_stream_begin(band, source);

    if (status == CLSOLVE_OK) status = factor(band, options);
    if (status == CLSOLVE_OK) status = cls_band_stream_end(band);
    if (status == CLSOLVE_OK) return cls_band_measured(band);
    /* The first failure is the one to tell. */
    cls_error first = *band->device->error;
    cls_band_stream_drop(band);
    *band->device->error = first;
    return status;
}

/* Whether a band is tiny is known when all of it has passed: it passes once more then. */
static clsolve_status factor_stream(cls_band *band, const cls_band_source *source,
                                    const clsolve_band_options *options) {
    CLS_TRY(stream_once(band, source, options));
    if (band->measures.row >= 0 || !find_unit(band, source)) return CLSOLVE_OK;
    CLS_TRY(cls_panel_start(&band->panel, CLS_PANEL_REPEATABLE));
    band->info = band->reached = 0;
    return stream_once(band, source, options);
}

clsolve_status cls_band_factor(cls_band *band, const cls_band_source *source, const clsolve_band_options *options,
                               double *upload) {
    int again;
    *upload = 0;
    band->info = 0;
    band->unit = 1;
    band->measures = (cls_measures){.row = -1, .column = -1};
    band->growth = cls_growth_begin();
    if (band->n == 0) return CLSOLVE_OK;
    do {
        int64_t info = 0;
        again = 0;
        CLS_TRY(cls_panel_start(&band->panel, CLS_PANEL_REPEATABLE));
        band->info = band->reached = 0;
        band->unit = 1;
        CLS_TRY(band->stream ? factor_stream(band, source, options) : factor_whole(band, source, options, upload));
        if (band->measures.row >= 0) return CLSOLVE_OK;
        /* Host panels and windows know the column of a zero pivot themselves. */
        CLS_TRY(cls_panel_end(&band->panel, band->panel.hybrid || band->stream ? &info : &band->info, &again));
    } while (again); /* once at most, see cls_panel_end */
    return cls_band_growth(band);
}

clsolve_status cls_band_pivots(cls_band *band, int64_t *ipiv) {
    cls_device *device = band->device;
    size_t bytes = (size_t)band->n * sizeof *ipiv;
    cls_rect rect = {bytes, 1, 0, bytes, bytes};

    if (band->stream) {
        memcpy(ipiv, cls_band_stream_pivots(band), bytes);
        return CLSOLVE_OK;
    }
    if (band->panel.hybrid) {
        for (int64_t k = 0; k < band->n; ++k) ipiv[k] = band->panel.host_pivots[k];
        return CLSOLVE_OK;
    }
    CLS_TRY(device->ops->read(device, CLS_COMPUTE, band->panel.ipiv, ipiv, &rect, NULL, NULL));
    return device->ops->finish(device, CLS_COMPUTE);
}
