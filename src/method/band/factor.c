/* factor.c: a band by block columns, with panels on the device or on the host: band.h has the picture. */
#include <string.h>

#include "method/band/stream.h"
#include "method/direct/scaling.h"

/* ---- one step ---- */

/* The block column at j, factored, in the columns from .. to-1 right of it, as far as they lie side by side at once. */
static clsolve_status update(cls_band *band, int64_t j, int64_t from, int64_t to) {
    const int64_t lead = cls_band_lead(band, j);
    const cls_block_column L = {cls_band_at(band, j, j), j - lead, cls_band_width(band, j),
                                cls_band_below(band, j) - lead};

    for (int64_t c = from, run; c < to; c += run) {
        run = cls_band_run(band, c, to);
        const cls_matrix A = cls_band_view(band, c, run, lead);
        CLS_TRY(cls_panel_step(&band->panel, CLS_COMPUTE, &L, &A, c - lead, c - lead + run));
    }
    return CLSOLVE_OK;
}

/*
 * Behind the columns that the block column at j reaches: kv beyond it at most; and if the pivots are known, ku beyond
 * the lowest row that was swapped up so far (gbtrf's ju): without swaps a third of the work is left.
 */
static int64_t reach(const cls_band *band, int64_t j) {
    int64_t k = j + cls_band_width(band, j), most = band->n - k < band->kv ? band->n : k + band->kv;
    if (!band->panel.hybrid || band->reached > most) return most;
    return band->reached > k ? band->reached : k;
}

/* ---- the loop ---- */

static int travels(const cls_band *band) {
    return band->panel.hybrid && !band->window.mapped;
}

/* Columns before `to` are there. */
static clsolve_status need(cls_band *band, int64_t to) {
    CLS_TRY(cls_band_stream_need(band, to));
    return cls_band_come_need(band, to);
}

/* On the host after *ready, which is released. */
static clsolve_status factor_panel(cls_band *band, int64_t j, cls_event **ready) {
    const int64_t width = cls_band_width(band, j), lead = cls_band_lead(band, j);

    if (band->panel.hybrid) {
        const clsolve_status status = cls_band_host_panel(band, j, *ready);
        band->device->ops->event_release(band->device, *ready);
        *ready = NULL;
        return status;
    }
    const cls_matrix A = cls_band_view(band, j, width, lead);
    return cls_panel_factor(&band->panel, &A, j - lead, cls_band_below(band, j) - j, width);
}

/* The block column at j. Where panels travel, the next block column comes first, so that it can travel while the rest
 * of the product is computed. */
static clsolve_status step(cls_band *band, int64_t j, cls_event **ready) {
    const cls_device_ops *ops = band->device->ops;
    const int64_t k = j + cls_band_width(band, j);
    int64_t from = k;

    CLS_TRY(need(band, travels(band) ? j + 2 * band->block : reach(band, j)));
    CLS_TRY(factor_panel(band, j, ready));
    CLS_TRY(cls_band_stream_final(band, j));
    if (band->window.mapped) CLS_TRY(cls_band_look_at(band, j, k - j));
    const int64_t end = reach(band, j);
    if (travels(band)) {
        from = end - k < band->block ? end : k + band->block;
        CLS_TRY(update(band, j, k, from));
        CLS_TRY(ops->mark(band->device, CLS_COMPUTE, ready));
        CLS_TRY(ops->flush(band->device, CLS_COMPUTE));
        CLS_TRY(need(band, end));
    }
    CLS_TRY(update(band, j, from, end));
    return cls_band_stream_done(band, j);
}

static clsolve_status steps(cls_band *band, const clsolve_band_options *options, cls_event **ready) {
    if (travels(band)) { /* the first panel's block column may still be on its way */
        CLS_TRY(need(band, 2 * band->block));
        CLS_TRY(band->device->ops->mark(band->device, CLS_COMPUTE, ready));
    }
    for (int64_t j = 0; j < band->n; j += band->block) {
        CLS_TRY(step(band, j, ready));
        CLS_TRY(cls_band_tell(band, options, j + cls_band_width(band, j)));
    }
    return CLSOLVE_OK;
}

clsolve_status cls_band_factor_blocked(cls_band *band, const clsolve_band_options *options) {
    cls_event *ready = NULL;
    const clsolve_status status = steps(band, options, &ready);
    band->device->ops->event_release(band->device, ready);
    return status;
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
