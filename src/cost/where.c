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

/* ---- samples by the rates, until the machine has been measured ---- */

static double operations(cls_family family, double n) {
    const int symmetric = family == CLS_FAMILY_CHOLESKY || family == CLS_FAMILY_LDL;
    return (family == CLS_FAMILY_INVERSE ? 6 : symmetric ? 1 : 2) * n * n * n / 3;
}

static void guess_dense(const cls_call_rates *rates, cls_family family, cls_samples *samples) {
    for (int s = 0; s < CLS_SAMPLES; ++s) {
        const double n = (double)cls_sample_orders[s];
        const cls_work work = {.calls = 1, .columns = n, .operations = operations(family, n), .size = n};
        samples->fixed[s] = cls_clock(family == CLS_FAMILY_LDL ? &rates->ldl : &rates->dense, &work);
    }
}

static void guess_band(const cls_call_rates *rates, cls_family family, cls_samples *samples) {
    for (int s = 0; s < CLS_SAMPLES; ++s) {
        const double k = (double)cls_sample_diagonals[s];
        const cls_work column = {.columns = 1, .operations = (family == CLS_FAMILY_BAND ? 4 : 1) * k * k, .size = k};
        samples->fixed[s] = rates->band.call;
        samples->each[s] = samples->other[s] = cls_clock(&rates->band, &column);
    }
}

static void guess_batch(const cls_call_rates *rates, cls_samples *samples) {
    samples->serial = rates->serial;
    for (int s = 0; s < CLS_SAMPLES; ++s) {
        const double n = (double)cls_sample_members[s];
        const cls_work member = {.columns = 1, .operations = 2 * n * n * n, .size = n, .bytes = 2 * n * n * 8};
        samples->fixed[s] = rates->batch.call;
        samples->each[s] = cls_clock(&rates->batch, &member);
        samples->other[s] = rates->alone.call + cls_clock(&rates->alone, &member);
    }
}

static void guess_lines(const cls_call_rates *rates, cls_samples *samples) {
    samples->fixed[0] = rates->lines.call;
    samples->each[0] = rates->lines.step;
    samples->each[1] = rates->lines.unknown;
    samples->serial = rates->serial_lines;
}

static void guess(const cls_call_rates *rates, cls_family family, cls_samples *samples) {
    if (cls_family_is_band(family))
        guess_band(rates, family, samples);
    else if (family == CLS_FAMILY_BATCH)
        guess_batch(rates, samples);
    else if (family == CLS_FAMILY_LINES)
        guess_lines(rates, samples);
    else
        guess_dense(rates, family, samples);
}

cls_times cls_times_guess(const clsolve_device_info *device, int32_t cores, cls_family family, clsolve_type type) {
    const cls_call_rates host = cls_call_rates_of_host(cores, type), there = cls_call_rates_of_device(device, type);
    cls_times times = {0};
    guess(&host, family, &times.host);
    guess(&there, family, &times.device);
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
 * slowly: it is 1.5 on the way to several times the last order, and of LDL^T less, whose search for pivots is longer
 * than its products: on an H200 5.70 ms at 4096 and 13.5 at 8192. */
static double dense(const cls_samples *samples, cls_family family, double n) {
    const double least = family == CLS_FAMILY_LDL ? CLS_GROWTH_LEAST_LDL : CLS_GROWTH_LEAST;
    return between(cls_sample_orders, samples->fixed, n, least, CLS_GROWTH_MOST);
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
    return dense(samples, task->family, (double)task->n);
}

cls_seconds_pair cls_times_of(const cls_times *times, const cls_task *task) {
    return (cls_seconds_pair){seconds_of(&times->host, task), seconds_of(&times->device, task)};
}
