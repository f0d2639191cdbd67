#include <clsolve/tune.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/context.h"
#include "api/validate.h"
#include "api/expected.h"
#include "base/environment.h"
#include "device/program_cache.h"
#include "blas/tune.h"

/* A type that the device has. `call` begins the message. */
static clsolve_status check_type(cls_device *device, const char *call, clsolve_type type) {
    CLS_TRY(cls_validate_type(device->error, call, "type", type, CLS_REAL_TYPES));
    if (type == CLSOLVE_F64 && !device->info.fp64)
        return cls_fail(device->error, CLSOLVE_ERROR_UNSUPPORTED, "%s has no double: tune it for single precision",
                        device->info.name);
    return CLSOLVE_OK;
}

/* `what` begins the message. */
static clsolve_status can_store(cls_device *device, const char *what) {
    char why[512];
    if (!device->cache_folder)
        return cls_fail(
            device->error, CLSOLVE_ERROR_FILE,
            "%s cannot be stored, for there is no folder: the context was made without one, HOME is not set, "
            "or others may write to the folder",
            what);
    if (!cls_cache_writable(device->cache_folder, why, sizeof why))
        return cls_fail(device->error, CLSOLVE_ERROR_FILE, "%s cannot be stored: %s", what, why);
    return CLSOLVE_OK;
}

static clsolve_status check(cls_device *device, clsolve_type type, const clsolve_tune_options *options) {
    static const char call[] = "clsolve_tune";
    CLS_TRY(check_type(device, call, type));
    CLS_TRY(CLS_VALIDATE_RESERVED(device->error, call, options->reserved));
    if (!(options->seconds >= 0) || isinf(options->seconds))
        return cls_fail(device->error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                        "%s: seconds is %g: give a number above 0, or 0 for the default", call, options->seconds);
    if (!(options->limit >= 0) || isinf(options->limit))
        return cls_fail(device->error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                        "%s: limit is %g: give a number above 0, or 0 for what `seconds` says", call, options->limit);
    if (!device->blas->rival)
        return cls_fail(device->error, CLSOLVE_ERROR_UNSUPPORTED,
                        "%s is %s: %s multiplies there, and there is nothing to tune", device->info.selector,
                        device->no_kernels ? "the host alone" : device->info.name, device->blas->name);
    return options->dry ? CLSOLVE_OK : can_store(device, "the tuning record");
}

clsolve_status clsolve_context_check_cache(clsolve_context *context) {
    if (!context) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_enter(context));
    return cls_leave(context, can_store(context->device, "what is compiled"));
}

/* 1: products find the record that is stored. */
static int is_record_used(const cls_device *device, clsolve_type type) {
    return device->blas->rival && !device->blas->in_place && device->blas->tiled == CLS_TILED_MEASURED &&
           !cls_builtin_mma_suits(device, type);
}

/* Products that do not ask the record do not use the outcome of the comparison. */
static void mark_used(const cls_device *device, clsolve_tune_report *report) {
    if (is_record_used(device, report->type)) return;
    for (int32_t u = 0; u < report->update_count; u++)
        report->updates[u].used =
            device->blas->tiled == CLS_TILED_ALWAYS && !device->blas->in_place && report->updates[u].own > 0;
}

/* The place of the record, and whether the last time was fine. */
typedef struct keeper {
    cls_device *device;
    const char *folder; /* the device has none while it searches */
    clsolve_type type;
    clsolve_tune_report *report;
    char why[512];
} keeper;

static void keep(void *user, const cls_record *record) {
    keeper *k = user;
    k->report->stored = cls_record_store(k->folder, record, &k->device->info, k->type, k->report->file,
                                         sizeof k->report->file, k->why, sizeof k->why);
}

static clsolve_status tune(cls_device *device, clsolve_type type, const clsolve_tune_options *options,
                           clsolve_tune_report *report) {
    const cls_record *used;
    cls_record_outcome outcome;
    cls_record record;
    keeper k = {.device = device, .folder = device->cache_folder, .type = type, .report = report};
    const cls_tune_keeper stores = {options->dry ? NULL : keep, &k};
    CLS_TRY(check(device, type, options));
    CLS_TRY(cls_tune_search(device, type, options, &stores, report, &record));
    mark_used(device, report);
    if (options->dry) return CLSOLVE_OK;
    keep(&k, &record);
    if (!report->stored)
        return cls_fail(device->error, CLSOLVE_ERROR_FILE, "the tuning record cannot be stored: %s", k.why);
    return cls_builtin_record(device, type, 1, &used, &outcome);
}

clsolve_status clsolve_tune(clsolve_context *context, clsolve_type type, const clsolve_tune_options *options,
                            clsolve_tune_report *report) {
    static const clsolve_tune_options defaults = {0};
    clsolve_tune_report mine;
    if (!context) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    if (!report) report = &mine;
    memset(report, 0, sizeof *report);
    report->type = type;
    CLS_TRY(cls_enter(context));
    clsolve_status status = tune(context->device, type, options ? options : &defaults, report);
    return cls_leave(context, status);
}

/* ---- what is used ---- */

static void describe(cls_device *device, clsolve_type type, const cls_record *record, cls_record_outcome outcome,
                     char *text, size_t size) {
    const char *product = device->blas->name, *said = cls_record_outcome_text(outcome);
    if (device->blas->rival && !device->blas->in_place && cls_builtin_mma_suits(device, type))
        product = "the device's matrix unit";
    else if (device->blas->tiled == CLS_TILED_ALWAYS)
        product = cls_environment_word("CLSOLVE_BLAS") ? "the library's own, for CLSOLVE_BLAS says so"
                                                       : "the library's own, for it was built without CLBlast";
    if (!is_record_used(device, type) || (outcome != CLS_RECORD_FOUND && cls_record_best(record) == 0))
        (void)snprintf(text, size, "%s; %s", product, said);
    else if (device->blas->builtin->tiled_fails[type == CLSOLVE_F64])
        (void)snprintf(text, size, "%s; a tuning record is there, but its kernel is wrong here or does not run",
                       product);
    else if (outcome != CLS_RECORD_FOUND)
        (void)snprintf(text, size, "the library's own where it was measured faster than %s on such devices; %s",
                       product, said);
    else if (cls_record_best(record) > 0)
        (void)snprintf(text, size, "the library's own where it was measured faster, up to %.1f times %s",
                       cls_record_best(record), product);
    else
        (void)snprintf(text, size, "%s, measured faster than the library's own everywhere", product);
}

clsolve_status clsolve_tune_describe(clsolve_context *context, clsolve_type type, char *text, size_t size) {
    const cls_record *record;
    cls_record_outcome outcome;
    if (text && size > 0) text[0] = '\0';
    if (!context) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_enter(context));
    clsolve_status status = check_type(context->device, "clsolve_tune_describe", type);
    if (status == CLSOLVE_OK) status = cls_builtin_record(context->device, type, 0, &record, &outcome);
    if (status == CLSOLVE_OK && text && size > 0) describe(context->device, type, record, outcome, text, size);
    return cls_leave(context, status);
}

/* ---- device or host ---- */

clsolve_status clsolve_calibrate(clsolve_context *context, clsolve_type type) {
    if (!context) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_enter(context));
    clsolve_status status = cls_validate_type(&context->error, "clsolve_calibrate", "type", type, CLS_REAL_TYPES);
    if (status == CLSOLVE_OK && type == CLSOLVE_F64 && !context->device->info.fp64 && !context->device->no_kernels)
        status =
            cls_fail(&context->error, CLSOLVE_ERROR_UNSUPPORTED,
                     "clsolve_calibrate: %s has no double: calibrate single precision", context->device->info.name);
    if (status == CLSOLVE_OK) status = cls_expected_calibrate(context, type);
    return cls_leave(context, status);
}
