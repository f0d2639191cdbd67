/* fit.c: which sizes are tried, one after the other. */
#include "method/lu/fit.h"

#include <string.h>

#include "base/clock.h"
#include "method/lu/lu.h"
#include "method/lu/substitute.h"

enum { LEAF_ORDER = 4096, FEW_ORDER = 4096, LEAST_AHEAD = 2048, LEAST_BLOCK = 64, MOST_BLOCKS = 6 };
/* A measurement takes as long as so many factorizations, with its setup; a part and order has so many of them. */
enum { RUNS = 5, TRIALS = 4 };

typedef struct fit {
    cls_lu_trials trials;
    const cls_fit_options *options;
    cls_fit_record *record;
    cls_fit_state *state;
    double start;
    int in_place;
} fit;

static double time_limit(const fit *f) {
    return f->options->limit > 0 ? f->options->limit : f->options->seconds;
}

static double left(const fit *f) {
    return time_limit(f) - (cls_seconds() - f->start);
}

/* ---- one measurement ---- */

/* The fastest factorization of order n; 0: none was measured. */
static double fastest(const fit *f, int64_t n) {
    double best = 0;
    for (int t = 0; t < f->record->count; t++) {
        const cls_fit_trial *trial = &f->record->trials[t];
        if (trial->part != CLS_FIT_FEW && trial->n == n && trial->seconds > 0 && (best == 0 || trial->seconds < best))
            best = trial->seconds;
    }
    return best;
}

/* Seconds of a factorization of order n, from those of half the order and a quarter of it: eight times as long at most,
 * and where small matrices do not fill the device a little more than the step before. 0: not known. */
static double expected(const fit *f, int64_t n) {
    const double one = fastest(f, n), half = fastest(f, n / 2), quarter = fastest(f, n / 4);
    const double growth = quarter > 0 ? 1.4 * half / quarter : 8;
    return one > 0 ? one : half * (growth < 8 ? growth : 8);
}

/* The sizes found so far, but for one. Leaf and block are measured with the usual look-ahead. */
static cls_fitted sizes_for(const fit *f, cls_fit_part part, int64_t n, int32_t value) {
    cls_fitted sizes = f->record->fitted;
    switch (part) {
    case CLS_FIT_LEAF:
        memset(&sizes, 0, sizeof sizes);
        sizes.by_steps = value < 0;
        sizes.leaf = value < 0 ? -value : value;
        break;
    case CLS_FIT_BLOCK:
        sizes.ahead_from = 0;
        for (int k = 0; k < CLS_FITTED_ORDERS; k++)
            if (cls_fitted_orders[k] == n) sizes.block[k] = value;
        break;
    case CLS_FIT_AHEAD:
        sizes.ahead_from = value ? 1 : CLS_FITTED_NEVER;
        break;
    case CLS_FIT_FEW:
        sizes.few = value;
        break;
    case CLS_FIT_PARTS:
        break;
    }
    return sizes;
}

/* Of a size, or of an order for which the device has no room. */
static int is_refusal(clsolve_status status, int64_t n) {
    return status == CLSOLVE_ERROR_BUILD || status == CLSOLVE_ERROR_DEVICE || status == CLSOLVE_ERROR_UNSUPPORTED ||
           (status == CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY && n > cls_fitted_orders[0]);
}

/* A size that the compiler or the device refuses is no failure of the fit: it does not run. */
static clsolve_status run_trial(fit *f, cls_fit_trial *trial) {
    cls_device *device = f->trials.device;
    const cls_error before = *device->error;
    const cls_fitted sizes = sizes_for(f, trial->part, trial->n, trial->value);

    clsolve_status status = cls_lu_trial(&f->trials, trial->n, &sizes, trial->part == CLS_FIT_FEW, &trial->seconds);
    if (is_refusal(status, trial->n)) {
        trial->seconds = 0;
        *device->error = before;
        return CLSOLVE_OK;
    }
    return status;
}

/* The best one so far, where `rival` is faster: other work may have been under way when it was measured. */
static clsolve_status measure_again(fit *f, const cls_fit_trial *rival) {
    const cls_fit_trial *best = cls_fit_best(f->record, rival->part, rival->n);

    if (!best || rival->seconds <= 0 || rival->seconds >= best->seconds) return CLSOLVE_OK;
    cls_fit_trial again = *best;
    CLS_TRY(run_trial(f, &again));
    if (again.seconds > 0 && again.seconds < best->seconds)
        f->record->trials[best - f->record->trials].seconds = again.seconds;
    return CLSOLVE_OK;
}

/* Unless it is in the record, or time is up. */
static clsolve_status try_size(fit *f, cls_fit_part part, int64_t n, int32_t value) {
    const cls_fit_options *o = f->options;
    cls_fit_trial trial = {part, (int32_t)n, value, 0};

    if (f->state->stopped || cls_fit_find(f->record, part, n, value) || f->record->count == CLS_FIT_TRIALS)
        return CLSOLVE_OK;
    if (f->state->measured > 0 && left(f) < RUNS * expected(f, n)) {
        f->state->stopped = 1;
        return CLSOLVE_OK;
    }
    if (o->progress) o->progress(o->progress_user, cls_fit_part_name(part), 1 - left(f) / time_limit(f));
    CLS_TRY(run_trial(f, &trial));
    CLS_TRY(measure_again(f, &trial));
    f->record->trials[f->record->count++] = trial;
    f->state->measured++;
    cls_fit_decide(f->record);
    if (o->keep) o->keep(o->keeper, f->record);
    return CLSOLVE_OK;
}

/* ---- the parts ---- */

/* What a handle takes of which nothing was fitted. */
static cls_panel_sizes usual_sizes(const fit *f, int64_t n) {
    cls_device *device = f->trials.device;
    cls_fitted *before = device->fitted;
    device->fitted = NULL;
    const cls_panel_sizes sizes = cls_panel_sizes_of(device, f->trials.type, n, f->in_place, 1, 0);
    device->fitted = before;
    return sizes;
}

/* The most columns of a leaf of one launch; 0: there is none. */
static int32_t one_launch(const fit *f, int64_t n) {
    cls_device *device = f->trials.device;
    cls_fitted *before = device->fitted;
    device->fitted = NULL;
    const int64_t width = device->info.host_memory ? 0 : cls_panel_resident_width(device, f->trials.type, n);
    device->fitted = before;
    return (int32_t)width;
}

static int count_of(const fit *f, cls_fit_part part, int64_t n) {
    int count = 0;
    for (int t = 0; t < f->record->count; t++)
        count += f->record->trials[t].part == part && f->record->trials[t].n == n;
    return count;
}

/* The order at which leaves are compared. It stays when it was begun with. */
static clsolve_status leaf_order(fit *f, int32_t steps, int64_t *n) {
    for (*n = LEAF_ORDER; *n >= 1024; *n /= 2)
        if (count_of(f, CLS_FIT_LEAF, *n) > 1) return CLSOLVE_OK;
    for (int64_t next = 1024; next <= LEAF_ORDER; next *= 2) {
        const int32_t whole = one_launch(f, next);
        if (next > 1024 &&
            (TRIALS * RUNS * expected(f, next) > f->options->seconds / 4 || !cls_lu_trial_fits(&f->trials, next)))
            break;
        CLS_TRY(try_size(f, CLS_FIT_LEAF, next, whole > 0 ? whole : -steps));
        *n = next;
    }
    return CLSOLVE_OK;
}

static clsolve_status fit_leaf(fit *f) {
    const int32_t steps = (int32_t)usual_sizes(f, 1024).leaf;
    int64_t n;

    if (f->in_place) return CLSOLVE_OK; /* LAPACK factors the panels */
    CLS_TRY(leaf_order(f, steps, &n));
    const int32_t whole = one_launch(f, n);
    if (whole > 0) {
        for (int32_t leaf = whole / 2; leaf >= 32 && leaf >= whole / 4; leaf /= 2)
            CLS_TRY(try_size(f, CLS_FIT_LEAF, n, leaf));
        return try_size(f, CLS_FIT_LEAF, n, -32);
    }
    CLS_TRY(try_size(f, CLS_FIT_LEAF, n, -2 * steps));
    return try_size(f, CLS_FIT_LEAF, n, -steps / 2);
}

/* The next size of a block in that direction. */
static int32_t next_block(int32_t block, int up) {
    static const int32_t sizes[] = {64,   96,   128,  192,  256,  384,  512,  768,
                                    1024, 1536, 2048, 3072, 4096, 6144, 8192, 16384};
    const int count = sizeof sizes / sizeof sizes[0];
    int k = 0;
    while (k < count && (up ? sizes[k] <= block : sizes[k] < block)) k++;
    if (up) return k < count ? sizes[k] : 0;
    return k > 0 ? sizes[k - 1] : 0;
}

/* Up and down from the best one, until both its neighbours are known. */
static clsolve_status fit_block(fit *f, int64_t n) {
    const int32_t most = (int32_t)(f->in_place ? n : n / 2);

    CLS_TRY(try_size(f, CLS_FIT_BLOCK, n, (int32_t)usual_sizes(f, n).block));
    while (count_of(f, CLS_FIT_BLOCK, n) < MOST_BLOCKS && !f->state->stopped) {
        const cls_fit_trial *best = cls_fit_best(f->record, CLS_FIT_BLOCK, n);
        if (!best) break;
        const int32_t up = next_block(best->value, 1), down = next_block(best->value, 0);
        if (up > 0 && up <= most && !cls_fit_find(f->record, CLS_FIT_BLOCK, n, up))
            CLS_TRY(try_size(f, CLS_FIT_BLOCK, n, up));
        else if (down >= LEAST_BLOCK && !cls_fit_find(f->record, CLS_FIT_BLOCK, n, down))
            CLS_TRY(try_size(f, CLS_FIT_BLOCK, n, down));
        else
            break;
    }
    return CLSOLVE_OK;
}

static clsolve_status fit_ahead(fit *f, int64_t n) {
    const int usual = f->trials.device->beside || one_launch(f, n) > 32;

    if (f->in_place || n < LEAST_AHEAD) return CLSOLVE_OK;
    CLS_TRY(try_size(f, CLS_FIT_AHEAD, n, usual));
    return try_size(f, CLS_FIT_AHEAD, n, !usual);
}

static clsolve_status fit_few(fit *f, int64_t n) {
    const int32_t most = cls_lu_substitute_most(f->trials.device);

    if (most == 0) return CLSOLVE_OK;
    for (int32_t few = most; few >= 64; few /= 2) CLS_TRY(try_size(f, CLS_FIT_FEW, n, few));
    return try_size(f, CLS_FIT_FEW, n, CLS_FITTED_PRODUCTS);
}

static clsolve_status fit_all(fit *f) {
    int64_t last = 0;

    CLS_TRY(fit_leaf(f));
    for (int k = 0; k < CLS_FITTED_ORDERS; k++) {
        const int64_t n = cls_fitted_orders[k];
        /* Orders that take longer than there is time at all are left to the sizes of smaller ones. */
        if (last > 0 && (!cls_lu_trial_fits(&f->trials, n) || TRIALS * RUNS * expected(f, n) > f->options->seconds))
            break;
        CLS_TRY(fit_block(f, n));
        CLS_TRY(fit_ahead(f, n));
        last = n;
        if (n == FEW_ORDER) CLS_TRY(fit_few(f, n));
    }
    return last < FEW_ORDER ? fit_few(f, last) : CLSOLVE_OK;
}

clsolve_status cls_lu_fit(cls_device *device, clsolve_type type, const cls_fit_options *options, cls_fit_record *record,
                          cls_fit_state *state) {
    fit f = {.options = options, .record = record, .state = state};

    memset(state, 0, sizeof *state);
    f.start = cls_seconds();
    f.in_place = cls_in_place(device);
    CLS_TRY(cls_lu_trials_create(device, type, &f.trials));
    clsolve_status status = fit_all(&f);
    cls_lu_trials_destroy(&f.trials);
    return status;
}
