/* shares.c: see context.h. */
#include "api/context.h"

#include <math.h>
#include <string.h>

#include "api/expected.h"
#include "base/environment.h"

static int same_kind(const cls_device *a, const cls_device *b) {
    return strcmp(a->info.backend, b->info.backend) == 0 && strcmp(a->info.name, b->info.name) == 0 &&
           strcmp(a->info.vendor, b->info.vendor) == 0 && strcmp(a->info.driver, b->info.driver) == 0 &&
           a->info.compute_units == b->info.compute_units;
}

/* Tasks in a second. The host is measured with each device that has kernels, so its speed is known from there. */
static double speed_of(clsolve_context *context, int64_t d, const cls_task *task) {
    clsolve_context *at = cls_context_of(context, d);
    for (int64_t other = 0; at->device->no_kernels && other <= context->peer_count; other++) {
        clsolve_context *measured = cls_context_of(context, other);
        if (!measured->device->no_kernels) return 1 / fmax(cls_expected_seconds(measured, task).host, 1e-9);
    }
    cls_seconds_pair seconds = cls_expected_seconds(at, task);
    return 1 / fmax(at->device->no_kernels ? seconds.host : seconds.device, 1e-9);
}

int cls_context_is_uniform(const clsolve_context *context) {
    int64_t count;
    cls_device *const *devices = cls_context_devices(context, &count);
    int uniform = 1;
    for (int64_t d = 1; d < count; d++) uniform &= same_kind(devices[d], devices[0]);
    return uniform;
}

static void measured(clsolve_context *context, const cls_task *task, int64_t count, cls_device *const *devices,
                     double *speeds) {
    const int uniform = cls_context_is_uniform(context);
    for (int64_t d = 0; d < count; d++) {
        int64_t like = 0;
        while (like < d && !same_kind(devices[like], devices[d])) like++;
        speeds[d] = uniform ? 1 : like < d ? speeds[like] : speed_of(context, d, task);
    }
}

void cls_context_shares(clsolve_context *context, const cls_task *task, double *shares) {
    int64_t count;
    cls_device *const *devices = cls_context_devices(context, &count);
    int numbers[CLS_ENVIRONMENT_LIST], given = cls_environment_shares(numbers);
    double sum = 0;
    if (given == count)
        for (int64_t d = 0; d < count; d++) shares[d] = numbers[d];
    else
        measured(context, task, count, devices, shares);
    for (int64_t d = 0; d < count; d++) sum += shares[d];
    for (int64_t d = 0; d < count; d++) shares[d] /= sum;
    cls_context_note_shares(context, shares);
}

void cls_context_note_shares(clsolve_context *context, const double *shares) {
    double sum = 0;
    for (int64_t d = 0; context->peer_count > 0 && d <= context->peer_count; d++) sum += shares[d];
    for (int64_t d = 0; context->peer_count > 0 && d <= context->peer_count; d++)
        context->shares[d] = sum > 0 ? shares[d] / sum : 0;
}

void cls_deal(int64_t count, int64_t devices, const double *shares, int64_t *firsts) {
    double sum = 0, until = 0;
    for (int64_t d = 0; d < devices; d++) sum += shares[d];
    firsts[0] = 0;
    for (int64_t d = 0; d < devices; d++) {
        until += shares[d];
        int64_t end = d + 1 == devices ? count : (int64_t)((double)count * (until / sum) + 0.5);
        firsts[d + 1] = end < firsts[d] ? firsts[d] : end > count ? count : end;
    }
}
