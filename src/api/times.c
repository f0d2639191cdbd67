/*
 * times.c: the samples of cost/where.h that a context has: by default rates until the machine is measured, by
 * clsolve_calibrate or here. To measure takes programs of shapes that the caller may never ask for. So it is done when
 * the handles for which the default did not decide have come to as many seconds of work, with the device's kernels
 * built. The samples are kept with the programs.
 */
#include "api/times.h"

#include <math.h>
#include <stdio.h>

#include "api/beside.h"
#include "api/built.h"
#include "api/calibrate.h"
#include "blas/blas.h"
#include "device/recall.h"

/* Seconds: to measure a family's speeds, and what is worth writing down. */
static const double measure_seconds = 1.0, worth_noting = 1e-3;
/* Rates that were not measured here decide where one side takes so many times as long as the other. */
static const double plain = 16;

/* ---- seconds that add up ---- */

/* Adds to a sum, which the folder has under the name in milliseconds. Calls that add less are noted several at a time.
 * Returns the sum of all. */
static double add_seconds(cls_device *device, const char *name, cls_sum *sum, double more) {
    const double most = 1e6; /* seconds of which the milliseconds fit in a number of the folder */

    if (!sum->looked) sum->before = 1e-3 * cls_recall(device, name);
    sum->looked = 1;
    sum->here = fmin(sum->here + more, most);
    const double fresh = sum->here - sum->noted;
    if (fresh >= worth_noting) {
        const int there = cls_recall(device, name); /* others may have added to it */
        cls_remember(device, name, (int)fmin(1e3 * fresh + there, 1e3 * most));
        sum->noted = sum->here;
    }
    return sum->before + sum->here;
}

/* ---- times ---- */

/* Four real products for a complex one: no complex matrix is measured, the model is that of a larger real one. */
static cls_task real_task(const cls_task *task) {
    cls_task real = *task;
    real.type = cls_real_type(task->type);
    if (!cls_is_complex(task->type)) return real;
    if (cls_family_is_band(task->family)) {
        const int64_t most = task->n > 0 ? task->n - 1 : 0;
        real.kl = 2 * task->kl < most ? 2 * task->kl : most;
        real.ku = 2 * task->ku < most ? 2 * task->ku : most;
    } else if (task->family == CLS_FAMILY_GRID) {
        real.n = 2 * task->n; /* each unknown's words are twice as many, and memory is what an iteration waits for */
    } else {
        real.n = (int64_t)(cbrt(4) * (double)task->n);
    }
    return real;
}

cls_seconds_pair cls_context_seconds(const cls_times *times, const cls_task *task) {
    const cls_task real = real_task(task);
    return cls_times_of(times, &real);
}

static int decides(const cls_seconds_pair *expected) {
    return expected->host > plain * expected->device || expected->device > plain * expected->host;
}

/* The number of cores is part of the name: hosts may share a folder of programs. */
static void name_of_times(const clsolve_context *context, cls_family family, clsolve_type type, char name[64]) {
    char begin[32];
    (void)snprintf(begin, sizeof begin, "times.%d", (int)context->where.host->info.compute_units);
    cls_built_name(begin, family, cls_real_type(type), name);
}

cls_times *cls_context_times(clsolve_context *context, cls_family family, clsolve_type type) {
    cls_times *times = &context->where.times[family][!cls_is_double(type)];
    char name[64];
    if (times->host.fixed[0] != 0 || times->known) return times;
    name_of_times(context, family, type, name);
    if (!cls_recall_bytes(context->device, name, times, sizeof *times) || !times->known)
        *times = cls_times_guess(&context->device->info, context->where.host->info.compute_units, family,
                                 cls_real_type(type));
    return times;
}

clsolve_status cls_context_measure(clsolve_context *context, cls_family family, clsolve_type type) {
    cls_times *times = cls_context_times(context, family, type);
    char name[64];
    type = cls_real_type(type);
    times->known = 1; /* it is not tried again by itself */
    CLS_TRY(cls_calibrate(context->device, context->where.host, family, type, times));
    if (!cls_in_place(context->device)) cls_built_mark_samples(context, family, type);
    name_of_times(context, family, type, name);
    cls_remember_bytes(context->device, name, times, sizeof *times);
    return CLSOLVE_OK;
}

static int is_due(clsolve_context *context, const cls_task *task, double seconds) {
    const clsolve_type type = cls_real_type(task->type);
    char name[64];
    cls_built_name("unsure", task->family, type, name);
    cls_sum *sum = &context->where.unsure[task->family][!cls_is_double(type)];
    return add_seconds(context->device, name, sum, seconds) >= measure_seconds;
}

cls_seconds_pair cls_context_compare(clsolve_context *context, const cls_task *task) {
    cls_times *times = cls_context_times(context, task->family, task->type);
    cls_seconds_pair expected = cls_context_seconds(times, task);
    if (times->known || decides(&expected) || cls_built_state_of(context, task) == CLS_BUILT_NOWHERE) return expected;
    if (!is_due(context, task, fmin(expected.host, expected.device))) return expected;
    /* The samples' programs are compiled before: a call only measures. */
    if (cls_beside_ask(context, task, 1) != CLS_BESIDE_READY) return expected;
    cls_error said = context->error;
    (void)cls_context_measure(context, task->family, task->type); /* else the guess stays */
    context->error = said;
    return cls_context_seconds(times, task);
}
