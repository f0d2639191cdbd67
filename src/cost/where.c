#include "cost/where.h"

#include <math.h>

const int64_t cls_sample_orders[CLS_SAMPLES] = {16, 64, 128, 256, 1024};
const int64_t cls_sample_diagonals[CLS_SAMPLES] = {2, 8, 24, 64, 256};
const int64_t cls_sample_members[CLS_SAMPLES] = {4, 8, 16, 32, 64};

/* ---- shapes ---- */

/* The orders between which blocks and leaves are the same (method/panel/sizes.c, method/lu/small_setup.c). */
static int64_t shape_of_order(int64_t n) {
    static const int64_t last[] = {64, 128, 256, 512, 1024, 2047, 6143, 12287, 16384};
    int64_t shape = 0;
    while (shape < (int64_t)(sizeof last / sizeof *last) && n > last[shape]) ++shape;
    return shape;
}

/* The classes of src/method/direct_batch/setup.c, apart from the orders of other members. */
static int64_t shape_of_members(int cholesky, int64_t n) {
    enum { APART = 1 << 20, SMALL = 32, NEAR = 64, WHOLE = 1024, ITEMS = 512 };
    const int64_t apart = cholesky ? 2 * APART : APART;
    int64_t most = NEAR;
    if (n <= (cholesky ? NEAR : SMALL)) return -apart - (cholesky ? n : (n + 3) / 4);
    while (most < n) most *= 2;
    return -apart - (most <= WHOLE ? most : (n + ITEMS - 1) / ITEMS * ITEMS);
}

int64_t cls_task_shape(const cls_task *task) {
    enum { RAGGED = -(1 << 25), KINDS = 8 };
    enum { NARROW = 128 }; /* a narrow band has kernels for its diagonals, and so has a small member of a batch */
    const int64_t wider = task->kl > task->ku ? task->kl : task->ku;
    switch (task->family) {
    case CLS_FAMILY_BAND:
    case CLS_FAMILY_BAND_CHOLESKY:
        return task->kl + task->ku <= NARROW ? task->kl * (NARROW + 1) + task->ku : -1 - shape_of_order(wider);
    case CLS_FAMILY_BATCH:
        return task->classes > 0                    ? RAGGED - KINDS * task->classes - task->kind
               : task->kind == CLS_MEMBERS_SPARSE   ? 0
               : task->kind == CLS_MEMBERS_LU       ? shape_of_members(0, task->order)
               : task->kind == CLS_MEMBERS_CHOLESKY ? shape_of_members(1, task->order)
               : task->kind == CLS_MEMBERS_LDL      ? -(1 << 24) - task->order
                                                    : task->n;
    case CLS_FAMILY_GRID:
        return (int64_t)(log2(fmax((double)task->n, 1)) / 2); /* a grid of twice as many lines has a level more */
    case CLS_FAMILY_LU:
    case CLS_FAMILY_INVERSE:
    case CLS_FAMILY_CHOLESKY:
    case CLS_FAMILY_LDL:
    case CLS_FAMILY_LINES:
    case CLS_FAMILIES:
        break;
    }
    return shape_of_order(task->n);
}

/* ---- guesses: orders of magnitude, until the machine has been measured ---- */

static double threads_of(int32_t cores) {
    return fmin(cores > 0 ? cores : 1, 16);
}

static double host_rate(int32_t cores, clsolve_type type) {
    return 8e9 * threads_of(cores) * (type == CLSOLVE_F32 ? 2 : 1);
}

static double device_rate(const clsolve_device_info *info, clsolve_type type) {
    double units = info->compute_units > 0 ? info->compute_units : 1;
    double clock = info->clock_mhz > 0 ? 1e6 * info->clock_mhz : 1.5e9;
    return 64 * units * clock * (type == CLSOLVE_F32 ? 2 : 1);
}

static double operations(cls_family family, double n) {
    const int symmetric = family == CLS_FAMILY_CHOLESKY || family == CLS_FAMILY_LDL;
    return (family == CLS_FAMILY_INVERSE ? 6 : symmetric ? 1 : 2) * n * n * n / 3;
}

/* Columns at which a thread of the host is half as fast as in large matrices. LAPACK's LDL^T searches pivots column by
 * column, and multiplies a vector at a time within a panel: it is slower than LU below some 600 columns. */
static double half_of(cls_family family) {
    return family == CLS_FAMILY_LDL ? 750 : 60;
}

static void guess_dense(const clsolve_device_info *info, int32_t cores, cls_family family, clsolve_type type,
                        cls_times *times) {
    for (int s = 0; s < CLS_SAMPLES; ++s) {
        double n = (double)cls_sample_orders[s], work = operations(family, n);
        times->host.fixed[s] = 3e-6 + work * (1 + half_of(family) * threads_of(cores) / n) / host_rate(cores, type);
        times->device.fixed[s] = 150e-6 + n * 2e-6 + work * (1 + 2000 / n) / device_rate(info, type);
    }
}

/* LAPACK's gbtrf and pbtrf multiply blocks too small for more than one thread. */
static void guess_band(const clsolve_device_info *info, cls_family family, clsolve_type type, cls_times *times) {
    const double rate = type == CLSOLVE_F32 ? 24e9 : 12e9;
    for (int s = 0; s < CLS_SAMPLES; ++s) {
        double k = (double)cls_sample_diagonals[s], work = (family == CLS_FAMILY_BAND ? 4 : 1) * k * k;
        times->host.fixed[s] = 5e-6;
        times->host.each[s] = 0.1e-6 + work * (1 + 100 / k) / rate;
        times->device.fixed[s] = 300e-6;
        times->device.each[s] = 1e-6 + work * (1 + 2000 / k) / device_rate(info, type);
        times->host.other[s] = times->host.each[s];
        times->device.other[s] = times->device.each[s];
    }
}

static void guess_batch(const clsolve_device_info *info, int32_t cores, clsolve_type type, cls_times *times) {
    times->host.serial = 4e5;
    for (int s = 0; s < CLS_SAMPLES; ++s) {
        double n = (double)cls_sample_members[s], work = 2 * n * n * n, bytes = 2 * n * n * 8;
        times->host.fixed[s] = 2e-6;
        times->host.other[s] = 0.3e-6 + work / 1e9;
        times->device.other[s] = 100e-6;
        times->host.each[s] = 0.5e-6 + work * (1 + 200 / n) / host_rate(cores, type);
        times->device.fixed[s] = 200e-6;
        times->device.each[s] = bytes / 10e9 + work * 10 / device_rate(info, type);
    }
}

static void guess_lines(int32_t cores, cls_times *times) {
    times->host.fixed[0] = 2e-6;
    times->host.each[0] = 5e-9;
    times->host.each[1] = 20e-9 / threads_of(cores);
    times->host.serial = 16e3;
    times->device.fixed[0] = 400e-6;
    times->device.each[0] = 20e-9;
    times->device.each[1] = 4e-9;
}

cls_times cls_times_guess(const clsolve_device_info *device, int32_t cores, cls_family family, clsolve_type type) {
    cls_times times = {0};
    if (cls_family_is_band(family))
        guess_band(device, family, type, &times);
    else if (family == CLS_FAMILY_BATCH)
        guess_batch(device, cores, type, &times);
    else if (family == CLS_FAMILY_LINES)
        guess_lines(cores, &times);
    else
        guess_dense(device, cores, family, type, &times);
    return times;
}

/* ---- between the samples, and beyond them ---- */

/* `least` and `most`: bounds on the power of the size by which the time grows before the first sample and behind the
 * last. */
static double between(const int64_t *sizes, const double *seconds, double size, double least, double most) {
    int s = 0;
    while (s < CLS_SAMPLES - 2 && size > (double)sizes[s + 1]) ++s;
    double a = (double)sizes[s], b = (double)sizes[s + 1];
    double power = log(seconds[s + 1] / seconds[s]) / log(b / a);
    if (size < a) power = fmin(fmax(power, 0), 1);
    if (size > b) power = fmin(fmax(power, least), most);
    double from = size > b ? b : a, at = size > b ? seconds[s + 1] : seconds[s];
    return at * pow(fmax(size, 1) / from, power);
}

/* A large GPU waits for itself up to the last sample, so its time grows as n there. Behind that the power comes to 3
 * slowly: it is 1.5 on the way to several times the last order. */
static double dense(const cls_samples *samples, double n) {
    return between(cls_sample_orders, samples->fixed, n, 1.5, 3);
}

/* A band takes kl (kl + ku) operations a column: as many as one of k diagonals on either side. */
static double band(const cls_samples *samples, const cls_task *task) {
    double kl = (double)task->kl, ku = (double)task->ku, k = fmax(sqrt(kl * (kl + ku) / 2), fmax(1, (kl + ku) / 8));
    double rows = task->family == CLS_FAMILY_BAND ? 2 * kl + ku + 1 : kl + 1;
    double bytes = (double)task->n * rows * (task->type == CLSOLVE_F32 ? 4 : 8);
    const double *column = bytes > CLS_BAND_CACHED ? samples->other : samples->each;
    return between(cls_sample_diagonals, samples->fixed, k, 0, 1) +
           (double)task->n * between(cls_sample_diagonals, column, k, 1, 2);
}

static double batch(const cls_samples *samples, const cls_task *task) {
    double n = (double)task->n, count = (double)task->count;
    double many = between(cls_sample_members, samples->fixed, n, 0, 1) +
                  count * between(cls_sample_members, samples->each, n, 1, 3);
    double alone = count * between(cls_sample_members, samples->other, n, 0, 3);
    return count * n * n * n < samples->serial ? alone : fmin(many, alone);
}

static double lines(const cls_samples *samples, const cls_task *task) {
    double n = (double)task->n, count = (double)task->count;
    if (n * count < samples->serial) return samples->fixed[0] + n * count * (samples->each[0] + samples->each[1]);
    return samples->fixed[0] + n * samples->each[0] + n * count * samples->each[1];
}

static double seconds_of(const cls_samples *samples, const cls_task *task) {
    switch (task->family) {
    case CLS_FAMILY_BAND:
    case CLS_FAMILY_BAND_CHOLESKY:
        return band(samples, task);
    case CLS_FAMILY_BATCH:
        return batch(samples, task);
    case CLS_FAMILY_LINES:
        return lines(samples, task);
    case CLS_FAMILY_GRID:
        return samples->fixed[0] + (double)task->n * samples->each[0];
    case CLS_FAMILY_LU:
    case CLS_FAMILY_INVERSE:
    case CLS_FAMILY_CHOLESKY:
    case CLS_FAMILY_LDL:
    case CLS_FAMILIES:
        break;
    }
    return dense(samples, (double)task->n);
}

cls_seconds_pair cls_times_of(const cls_times *times, const cls_task *task) {
    return (cls_seconds_pair){seconds_of(&times->host, task), seconds_of(&times->device, task)};
}
