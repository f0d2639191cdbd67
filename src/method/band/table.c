/* table.c: band LU's table of operations for method/direct. */
#include "method/band/direct.h"

#include <math.h>

#include "base/clock.h"
#include "method/band/stream.h"
#include "method/fetch.h"

/* ---- factor ---- */

static clsolve_status band_copy(cls_direct *direct, const clsolve_matrix *A, int scale) {
    const cls_band *band = direct->factors;
    cls_fetched there; /* the copy lies on the host */

    if (band->entries) {
        cls_band_source sparse = {.entries = band->entries};
        cls_band_copy_take(&direct->copy, band, &sparse, scale);
        return CLSOLVE_OK;
    }
    CLS_TRY(cls_fetch(direct->device, A, &there));
    cls_band_source source = {&there.view, band->first, NULL, NULL};
    cls_band_copy_take(&direct->copy, band, &source, scale);
    cls_fetched_free(&there);
    return CLSOLVE_OK;
}

/* Takes the matrix in block column by block column, from the copy or from the caller, and factors it. */
static clsolve_status band_factor(cls_direct *direct, const clsolve_matrix *A, int *again) {
    cls_band *band = direct->factors;
    cls_band_source copied = {.copy = &direct->copy}, given = {A, band->first, NULL, band->entries};
    double upload = 0;

    *again = 0;
    CLS_TRY(cls_band_factor(band, direct->copies ? &copied : &given, direct->options, &upload));
    direct->costs.factor.upload += upload;
    if (!direct->copies) {
        direct->measures = band->measures;
        cls_direct_set_unit(direct, band->unit);
    } else if (!cls_direct_scaled_lines(direct)) {
        band->unit = fmax(direct->copy.unit, 1); /* for U as it is shown */
    }
    direct->info = band->info;
    direct->growth = band->growth;
    direct->largest = band->measures.largest;
    return CLSOLVE_OK;
}

static clsolve_status band_perturb(void *factors, double largest) {
    return cls_band_perturb(factors, largest);
}

/* ---- fall back ---- */

static clsolve_status factor_wide(cls_direct *direct, void *factors, int64_t *info, cls_growth *growth) {
    const cls_band *own = direct->factors;
    cls_band *wide = factors;
    clsolve_band_options quiet = *(const clsolve_band_options *)direct->options;
    cls_copy plain = direct->copy; /* without the scalings that float wanted */
    cls_band_source source = {.copy = &plain};
    double upload;

    plain.r = plain.c = NULL;
    quiet.progress = NULL; /* the caller has seen it reach 1 */
    if (quiet.memory_limit > 0) {
        quiet.memory_limit -= cls_band_bytes(own);
        if (quiet.memory_limit < 1) quiet.memory_limit = 1;
    }
    CLS_TRY(cls_band_setup(direct->device, own->n, own->kl, own->ku, cls_double_type(own->type), &quiet, wide));
    CLS_TRY(cls_band_factor(wide, &source, &quiet, &upload));
    wide->unit = fmax(direct->copy.unit, 1);
    *info = wide->info;
    *growth = wide->growth;
    return CLSOLVE_OK;
}

static void band_release(void *factors) {
    cls_band_release(factors);
}

/* ---- report ---- */

static void band_report(const cls_direct *direct, clsolve_report *report) {
    const cls_band *band = direct->factors, *wide = direct->wide;

    report->device_bytes = cls_band_bytes(band) + (wide ? cls_band_bytes(wide) : 0);
    report->host_bytes = cls_band_stream_bytes(band) + (wide ? cls_band_stream_bytes(wide) : 0);
    report->slab_columns = band->stream ? band->capacity : 0;
    report->band.lower = band->kl;
    report->band.upper = band->ku;
    report->band.block = band->block;
    report->band.panel = band->way->name;
}

static const cls_direct_ops operations = {.factors_name = "U",
                                          .factors_size = sizeof(cls_band),
                                          .plain_first = 1,
                                          .perturbs_for_room = 1,
                                          .copy = band_copy,
                                          .factor = band_factor,
                                          .import = cls_band_import,
                                          .perturb = band_perturb,
                                          .solve = cls_band_solve_host,
                                          .solve_unrefined = cls_band_solve_unrefined,
                                          .factor_wide = factor_wide,
                                          .release = band_release,
                                          .report = band_report};

/* ---- setup ---- */

enum { FEW = 4096 }; /* elements of a band whose phases take about as long as reads of the clock */

clsolve_status cls_band_direct_setup(cls_device *device, int64_t n, int64_t kl, int64_t ku, clsolve_type type,
                                     const clsolve_band_options *options, cls_band *band, cls_direct *direct) {
    const cls_direct given = {.ops = &operations,
                              .device = device,
                              .type = type,
                              .n = n,
                              .factors = band,
                              .options = options,
                              .refines = options->refine,
                              .equilibrate = options->equilibrate != 0,
                              .wants_rcond = options->rcond};

    CLS_TRY(cls_direct_begin(direct, &given, options->precision, 0));
    direct->copies = direct->refines || options->equilibrate;
    CLS_TRY(cls_band_setup(device, n, kl, ku, cls_direct_factors_type(direct), options, band));
    /* The topmost diagonal in use: a matrix has no more of them than its order. */
    band->first = (options->form == CLSOLVE_BAND_GBTRF ? kl : 0) + ku - band->ku;
    band->diagonal = kl + ku;
    if (direct->copies) CLS_TRY(cls_copy_setup_band(device, n, band->kl, band->ku, type, &direct->copy));
    band->one_phase = device->no_kernels && band->window.mapped && n * band->window.ld <= FEW;
    direct->one_phase = band->one_phase && !direct->copies;
    if (band->stream) direct->host_only = "the device, and a band that is larger than the device";
    cls_direct_made(direct, 0);
    return CLSOLVE_OK;
}
