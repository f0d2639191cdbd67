/*
 * where.c: the choice between device and host.
 *
 * Both times come from samples (cost/where.h), guessed until the machine is measured: by clsolve_calibrate, or here. To
 * measure takes programs of shapes that the caller may never ask for, so it is done here when the handles for which
 * the guess did not decide have come to as many seconds of work, with the device's kernels built. The samples are kept
 * with the programs.
 *
 * Kernels that are not built yet cost their compilation. A call that the host ends sooner goes to the host at once,
 * and a thread compiles meanwhile (beside.h). So no call waits for a compiler, but for one that takes longer on the
 * host than the compilation.
 */
#define _POSIX_C_SOURCE 200809L

#include "api/where.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/beside.h"
#include "api/built.h"
#include "api/calibrate.h"
#include "base/environment.h"
#include "base/memory.h"
#include "blas/blas.h"
#include "device/backend.h"
#include "device/programs.h"
#include "device/staging.h"

/* Seconds: to measure a family's speeds, and what is worth writing down. */
static const double measure_seconds = 1.0, worth_noting = 1e-3;
/* Bytes that no host lacks. */
static const double any_host_has = 64 << 20;
/* The guess decides where one side takes so many times as long as the other. */
static const double plain = 16;
clsolve_status cls_context_host(clsolve_context *context, cls_device **host) {
    *host = NULL;
    if (!context->where.host) {
        cls_device *made = NULL;
        CLS_TRY(cls_host_open(&context->error, &made));
        clsolve_status status = cls_blas_create(made);
        if (status != CLSOLVE_OK) {
            cls_device_close(made);
            return status;
        }
        context->where.host = made;
    }
    *host = context->where.host;
    return CLSOLVE_OK;
}

void cls_where_release(clsolve_context *context) {
    cls_device_close(context->where.host);
    cls_free(context->where.shapes);
}

void cls_where_built(clsolve_context *context, const cls_choice *choice) {
    if (choice->device == context->device) cls_built_mark(context, &choice->task);
}

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

static cls_seconds_pair seconds_of(const cls_times *times, const cls_task *task) {
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

static void guess(clsolve_context *context, cls_family family, clsolve_type type, cls_times *times) {
    *times = cls_times_guess(&context->device->info, context->where.host->info.compute_units, family, type);
}

/* The family's times: measured, as far as they were, or guessed. */
static cls_times *times_of(clsolve_context *context, cls_family family, clsolve_type type) {
    cls_times *times = &context->where.times[family][!cls_is_double(type)];
    char name[64];
    if (times->host.fixed[0] != 0 || times->known) return times;
    name_of_times(context, family, type, name);
    if (!cls_recall_bytes(context->device, name, times, sizeof *times) || !times->known)
        guess(context, family, cls_real_type(type), times);
    return times;
}

static clsolve_status measure(clsolve_context *context, cls_family family, clsolve_type type) {
    cls_times *times = times_of(context, family, type);
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

static cls_seconds_pair expect(clsolve_context *context, const cls_task *task) {
    cls_times *times = times_of(context, task->family, task->type);
    cls_seconds_pair expected = seconds_of(times, task);
    if (times->known || decides(&expected) || cls_built_state_of(context, task) == CLS_BUILT_NOWHERE) return expected;
    if (!is_due(context, task, fmin(expected.host, expected.device))) return expected;
    /* The samples' programs are compiled before: a call only measures. */
    if (cls_beside_ask(context, task, 1) != CLS_BESIDE_READY) return expected;
    cls_error said = context->error;
    (void)measure(context, task->family, task->type); /* else the guess stays */
    context->error = said;
    return seconds_of(times, task);
}

clsolve_status cls_where_calibrate(clsolve_context *context, clsolve_type type) {
    cls_device *host;
    if (context->device->no_kernels) return CLSOLVE_OK;
    CLS_TRY(cls_staging_calibrate(context->device));
    CLS_TRY(cls_context_host(context, &host));
    for (int family = 0; family < CLS_FAMILIES; ++family) CLS_TRY(measure(context, (cls_family)family, type));
    return CLSOLVE_OK;
}

/* ---- the choice ---- */

static cls_choice on_device(const clsolve_context *context, const char *reason) {
    return (cls_choice){.device = context->device, .where = "device", .reason = reason};
}

static cls_choice on_host(const clsolve_context *context, const char *reason) {
    return (cls_choice){.device = context->where.host, .where = "host", .reason = reason};
}

/* The device is faster, once it has its kernels. */
static cls_choice on_device_with_kernels(clsolve_context *context, const cls_task *task,
                                         const cls_seconds_pair *expected) {
    const cls_built_state built = cls_built_state_of(context, task);
    const cls_choice device = on_device(context, "auto: the device is expected to be faster");
    if (expected->host > expected->device + cls_built_seconds(context->device, built)) return device;
    switch (built == CLS_BUILT_HERE ? CLS_BESIDE_READY : cls_beside_ask(context, task, 0)) {
    case CLS_BESIDE_READY:
        return device;
    case CLS_BESIDE_FAILED:
        return on_host(context, "auto: the device's kernels could not be compiled");
    case CLS_BESIDE_BUSY:
        break;
    }
    return on_host(context, "auto: the host, while a thread compiles the device's kernels");
}

/* Both sides can do it. */
static cls_choice compare(clsolve_context *context, const cls_task *task) {
    if (cls_in_place(context->device)) return on_host(context, "auto: the device is the host's own cores");
    cls_seconds_pair expected = expect(context, task);
    /* Where the host is faster anyway, the kernels count for nothing, and to look for them takes longer than few
     * rows. */
    cls_choice choice = expected.host <= expected.device ? on_host(context, "auto: the host is expected to be faster")
                                                         : on_device_with_kernels(context, task, &expected);
    choice.expected = expected;
    return choice;
}

/* CLSOLVE_HOST=never or =always stands in AUTO's place, for tests and measurements. */
static clsolve_where forced(clsolve_where asked) {
    const char *text = cls_environment_word("CLSOLVE_HOST");
    if (asked != CLSOLVE_WHERE_AUTO || !text) return asked;
    return strcmp(text, "never") == 0 ? CLSOLVE_WHERE_DEVICE : CLSOLVE_WHERE_HOST;
}

/* LAPACK counts in 32 bits; and A must have room twice, the caller's own and the handle's. */
static int host_has_room(const cls_task *task) {
    double width = task->family == CLS_FAMILY_BAND            ? 2.0 * (double)task->kl + (double)task->ku + 2
                   : task->family == CLS_FAMILY_BAND_CHOLESKY ? (double)task->kl + 2
                   : task->family == CLS_FAMILY_LINES         ? 5
                                                              : (double)task->n;
    double members = task->family >= CLS_FAMILY_BATCH ? (double)task->count : 1;
    double bytes = members * (double)task->n * width * (double)cls_type_size(task->type);
    if (task->n >= INT_MAX / 2 || width >= INT_MAX / 2) return 0;
    if (2 * bytes <= any_host_has) return 1; /* to ask takes longer than to solve a small system */
    double there = (double)cls_host_memory();
    return there <= 0 || 2 * bytes <= there;
}

static clsolve_status choose(clsolve_context *context, const char *call, const cls_task *task, clsolve_where asked,
                             int host_can, cls_choice *choice) {
    cls_device *host;

    if (asked < CLSOLVE_WHERE_AUTO || asked > CLSOLVE_WHERE_HOST)
        return cls_fail(&context->error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: where is %d: see clsolve_where", call,
                        (int)asked);
    if (context->device->no_kernels) {
        *choice = (cls_choice){.device = context->device,
                               .where = "host",
                               .reason = context->peer_count > 0 ? "the host is the first of the context's devices"
                                                                 : "the context is of the host alone"};
        return CLSOLVE_OK;
    }
    int is_order = asked == CLSOLVE_WHERE_HOST;
    asked = forced(asked);
    const int has_room = host_has_room(task);
    if (is_order && host_can && !context->device->callers && !has_room)
        return cls_fail(&context->error, CLSOLVE_ERROR_OUT_OF_MEMORY,
                        "%s: the host has no room for a problem of this size, n = %lld: leave `where` 0", call,
                        (long long)task->n);
    /* A caller with handles of their own has data on the device. */
    host_can = host_can && !context->device->callers && has_room;
    if (is_order && !host_can)
        return cls_fail(&context->error, CLSOLVE_ERROR_UNSUPPORTED,
                        "%s: the host does not do what the options ask for: leave `where` 0", call);
    *choice = on_device(context, asked == CLSOLVE_WHERE_DEVICE ? "asked for" : "auto: the device alone can do it");
    if (!host_can || asked == CLSOLVE_WHERE_DEVICE) return CLSOLVE_OK;
    CLS_TRY(cls_context_host(context, &host));
    *choice = asked == CLSOLVE_WHERE_HOST ? on_host(context, "asked for") : compare(context, task);
    return CLSOLVE_OK;
}

clsolve_status cls_where_choose(clsolve_context *context, const char *call, const cls_task *task, clsolve_where asked,
                                int host_can, cls_choice *choice) {
    CLS_TRY(choose(context, call, task, asked, host_can, choice));
    choice->task = *task;
    return CLSOLVE_OK;
}

clsolve_status cls_where_measure(clsolve_context *context, cls_family family, clsolve_type type) {
    const cls_device *device = context->device;
    cls_device *host;
    if (device->no_kernels || device->callers || cls_in_place(device) ||
        forced(CLSOLVE_WHERE_AUTO) != CLSOLVE_WHERE_AUTO)
        return CLSOLVE_OK;
    CLS_TRY(cls_context_host(context, &host));
    return times_of(context, family, type)->known ? CLSOLVE_OK : measure(context, family, type);
}

cls_seconds_pair cls_where_seconds(clsolve_context *context, const cls_task *task) {
    cls_device *host;
    const cls_error said = context->error;
    cls_seconds_pair seconds = {1, 1};
    if (cls_context_host(context, &host) == CLSOLVE_OK) {
        if (!context->device->no_kernels && !times_of(context, task->family, task->type)->known)
            (void)measure(context, task->family, task->type); /* else the guess stays */
        seconds = seconds_of(times_of(context, task->family, task->type), task);
    }
    context->error = said;
    return seconds;
}

clsolve_status cls_where_predict(clsolve_context *context, const cls_task *task, cls_seconds_pair *expected) {
    cls_device *host;
    const cls_device *device = context->device;

    CLS_TRY(cls_context_host(context, &host));
    *expected = seconds_of(times_of(context, task->family, task->type), task);
    const clsolve_where only = forced(CLSOLVE_WHERE_AUTO);
    if (device->no_kernels || cls_in_place(device) || only == CLSOLVE_WHERE_HOST)
        expected->device = HUGE_VAL;
    else
        expected->device += cls_built_seconds(device, cls_built_state_of(context, task));
    if (!device->no_kernels && (device->callers || !host_has_room(task) || only == CLSOLVE_WHERE_DEVICE))
        expected->host = HUGE_VAL;
    return CLSOLVE_OK;
}

int cls_where_wants(clsolve_context *context, const cls_task *task) {
    const cls_device *device = context->device;
    return !device->callers && !device->no_kernels && !cls_in_place(device) &&
           forced(CLSOLVE_WHERE_AUTO) == CLSOLVE_WHERE_AUTO && cls_beside_ask(context, task, 0) == CLS_BESIDE_READY;
}

double cls_where_host_seconds(clsolve_context *context, const cls_task *task) {
    const cls_device *device = context->device;
    cls_device *host;
    if (device->callers || device->no_kernels || !host_has_room(task) ||
        forced(CLSOLVE_WHERE_AUTO) == CLSOLVE_WHERE_DEVICE || cls_context_host(context, &host) != CLSOLVE_OK)
        return HUGE_VAL;
    return seconds_of(times_of(context, task->family, task->type), task).host;
}

double cls_where_grid_seconds(clsolve_context *context, clsolve_type type, int64_t unknowns) {
    cls_task task = {.family = CLS_FAMILY_GRID, .type = type, .n = unknowns};
    cls_device *host;
    if (cls_context_host(context, &host) != CLSOLVE_OK) return -1;
    const cls_times *times = times_of(context, CLS_FAMILY_GRID, type);
    return times->known && times->device.fixed[0] > 0 ? seconds_of(times, &task).device : -1;
}

void cls_where_report(const cls_choice *choice, clsolve_report *report) {
    report->where = choice->where;
    report->where_reason = choice->reason;
    report->expected_host = choice->expected.host;
    report->expected_device = choice->expected.device;
    if (strcmp(choice->where, "host") != 0) return;
    report->host_bytes += report->device_bytes;
    report->device_bytes = 0;
    report->bytes_up = report->bytes_down = report->transfers_up = report->transfers_down = 0; /* there is no bus */
}
