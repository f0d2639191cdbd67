/* tune_sizes.c: clsolve_tune_sizes, and what is known of a device's sizes. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "api/context.h"
#include "api/tuning.h"
#include "base/clock.h"
#include "blas/blas.h"
#include "method/lu/fit.h"

static const double usual_seconds = 20;

static clsolve_status check(cls_device *device, clsolve_type type, const clsolve_tune_options *options) {
    if (device->no_kernels)
        return cls_fail(device->error, CLSOLVE_ERROR_UNSUPPORTED,
                        "%s is the host alone: LAPACK factors there, and there is nothing to tune",
                        device->info.selector);
    return cls_tune_check(device, "clsolve_tune_sizes", type, options);
}

typedef struct keeper {
    cls_device *device;
    clsolve_type type;
    clsolve_tune_sizes_report *report;
    char why[512];
} keeper;

static void keep(void *user, const cls_fit_record *record) {
    keeper *k = user;
    k->report->stored = cls_fit_store(k->device, k->device->blas->name, k->type, record, k->report->file,
                                      sizeof k->report->file, k->why, sizeof k->why);
}

/* ---- the report ---- */

static void list_sizes(const cls_fitted *fitted, clsolve_tune_sizes_report *report) {
    report->leaf = fitted->leaf;
    report->leaf_by_steps = fitted->by_steps;
    report->ahead_from = fitted->ahead_from;
    report->substitution = fitted->few;
    for (int k = 0; k < CLS_FITTED_ORDERS && k < CLSOLVE_TUNE_ORDERS; k++) {
        if (fitted->block[k] == 0) continue;
        report->orders[report->order_count] = cls_fitted_orders[k];
        report->blocks[report->order_count++] = fitted->block[k];
    }
}

static void list_trials(const cls_fit_record *record, clsolve_tune_sizes_report *report) {
    for (int t = 0; t < record->count && t < CLSOLVE_TUNE_TRIALS; t++) {
        const cls_fit_trial *trial = &record->trials[t];
        report->trials[report->trial_count++] =
            (clsolve_tune_trial){cls_fit_part_name(trial->part), trial->n, trial->value, trial->seconds,
                                 trial == cls_fit_best(record, trial->part, trial->n)};
    }
}

static clsolve_status tune(cls_device *device, clsolve_type type, const clsolve_tune_options *options,
                           clsolve_tune_sizes_report *report) {
    const double start = cls_seconds();
    cls_fit_record record = {.count = 0};
    cls_fit_state state;
    keeper k = {.device = device, .type = type, .report = report};
    const cls_fit_options fit = {.seconds = options->seconds > 0 ? options->seconds : usual_seconds,
                                 .limit = options->limit,
                                 .progress = options->progress,
                                 .progress_user = options->progress_user,
                                 .keep = options->dry ? NULL : keep,
                                 .keeper = &k};
    CLS_TRY(check(device, type, options));
    if (options->resume) report->resumed = cls_fit_load(device, device->blas->name, type, &record) == CLS_RECORD_FOUND;
    CLS_TRY(cls_lu_fit(device, type, &fit, &record, &state));
    report->measured = state.measured;
    report->stopped = state.stopped;
    list_sizes(&record.fitted, report);
    list_trials(&record, report);
    report->seconds = cls_seconds() - start;
    if (options->dry) return CLSOLVE_OK;
    keep(&k, &record);
    if (!report->stored)
        return cls_fail(device->error, CLSOLVE_ERROR_FILE, "the tuning record cannot be stored: %s", k.why);
    return cls_fitted_set(device, type, &record.fitted);
}

clsolve_status clsolve_tune_sizes(clsolve_context *context, clsolve_type type, const clsolve_tune_options *options,
                                  clsolve_tune_sizes_report *report) {
    static const clsolve_tune_options defaults = {0};
    clsolve_tune_sizes_report mine;
    if (!context) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    if (!report) report = &mine;
    memset(report, 0, sizeof *report);
    report->type = type;
    CLS_TRY(cls_enter(context));
    clsolve_status status = tune(context->device, type, options ? options : &defaults, report);
    return cls_leave(context, status);
}

/* ---- what is used ---- */

/* Appends, as far as there is room. */
static void put(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void put(char *text, size_t size, const char *format, ...) {
    const size_t used = strlen(text);
    va_list list;
    va_start(list, format);
    if (used < size) (void)vsnprintf(text + used, size - used, format, list);
    va_end(list);
}

static void describe(const cls_fitted *f, cls_record_outcome outcome, char *text, size_t size) {
    const int found = outcome == CLS_RECORD_FOUND;
    const char *separator = "";
    if (f->leaf > 0) {
        put(text, size, "leaf %d%s", (int)f->leaf, f->by_steps ? " by steps" : "");
        separator = ", ";
    }
    for (int k = 0; k < CLS_FITTED_ORDERS; k++) {
        if (f->block[k] == 0) continue;
        put(text, size, "%sblock %d at n = %lld", separator, (int)f->block[k], (long long)cls_fitted_orders[k]);
        separator = ", ";
    }
    if (f->ahead_from > 0) put(text, size, "%slook-ahead from n = %d on", separator, (int)f->ahead_from);
    if (f->ahead_from < 0) put(text, size, "%sno look-ahead", separator);
    if (f->few > 0) put(text, size, "%ssubstitution by %d", separator, (int)f->few);
    if (f->few < 0) put(text, size, "%ssubstitution by products", separator);
    if (text[0] == '\0') put(text, size, "the library's own");
    if (!found) put(text, size, "; %s", cls_record_outcome_text(outcome));
}

clsolve_status clsolve_tune_sizes_describe(clsolve_context *context, clsolve_type type, char *text, size_t size) {
    cls_fit_record record;
    if (text && size > 0) text[0] = '\0';
    if (!context) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_enter(context));
    cls_device *device = context->device;
    clsolve_status status = cls_tune_check_type(device, "clsolve_tune_sizes_describe", type);
    if (status == CLSOLVE_OK && text && size > 0)
        describe(cls_fitted_of(device, type), cls_fit_load(device, device->blas->name, type, &record), text, size);
    return cls_leave(context, status);
}
