/*
 * calibrate.c: the samples of cost/where.h, measured on this machine: calls as a caller's, from host to host. Host and
 * device run by turns, as they do in a program that does other things too: threads of the host that have just worked
 * are faster.
 */
#include <math.h>

#include "api/calibrate.h"
#include "api/trial.h"
#include "base/clock.h"
#include "base/memory.h"
#include "method/gauss_jordan/batch_host.h"

/* The device is not measured further where it took so many times as long as the host. */
static const double hopeless = 20;
/* Turns that are timed, after one that is not: the median counts. A turn lasts a millisecond at least, seconds. */
enum { ROUNDS = 3, CALLS = 50 };
static const double turn = 1e-3;
/* Bytes of a band that no cache of a core holds, and the columns that are enough of one with few diagonals. */
enum { LONG_BAND = 3 * CLS_BAND_CACHED, MOST_COLUMNS = 50000 };

/* ---- both sides by turns ---- */

static double median_of_three(const double *x) {
    return fmax(fmin(x[0], x[1]), fmin(fmax(x[0], x[1]), x[2]));
}

/* The mean of a turn's calls. */
static clsolve_status take_turn(cls_trial *t, double *seconds) {
    double start = cls_seconds();
    int calls = 0;
    do {
        CLS_TRY(cls_trial_run(t));
        calls++;
    } while (calls < CALLS && cls_seconds() - start < turn);
    *seconds = (cls_seconds() - start) / calls;
    return CLSOLVE_OK;
}

/* sides[0] the host, sides[1] the device; a NULL takes no part. */
static clsolve_status time_sides(cls_trial *const sides[2], double seconds[2]) {
    double times[2][ROUNDS];
    for (int round = -1; round < ROUNDS; ++round)
        for (int s = 0; s < 2; ++s) {
            double seconds;
            if (!sides[s]) continue;
            CLS_TRY(take_turn(sides[s], &seconds));
            if (round >= 0) times[s][round] = seconds;
        }
    for (int s = 0; s < 2; ++s) seconds[s] = sides[s] ? median_of_three(times[s]) : 0;
    return CLSOLVE_OK;
}

typedef struct machine {
    cls_device *sides[2]; /* host and device; NULL: takes no part */
    cls_family family;
    clsolve_type type;
} machine;

/* Seconds of a system of n, and k diagonals or members, on both sides. */
static clsolve_status time_both(const machine *m, int64_t n, int64_t k, double seconds[2]) {
    cls_trial *both[2] = {NULL, NULL};
    clsolve_status status = CLSOLVE_OK;
    for (int s = 0; s < 2 && status == CLSOLVE_OK; ++s) {
        if (!m->sides[s]) continue;
        both[s] = cls_alloc(1, sizeof *both[s]);
        if (!both[s]) {
            status = CLSOLVE_ERROR_OUT_OF_MEMORY;
            break;
        }
        *both[s] = (cls_trial){.device = m->sides[s], .family = m->family, .type = m->type, .n = n, .k = k};
        status = cls_trial_open(both[s]);
    }
    if (status == CLSOLVE_OK) status = time_sides(both, seconds);
    for (int s = 0; s < 2; ++s) {
        if (both[s]) cls_trial_close(both[s]);
        cls_free(both[s]);
    }
    return status;
}

/* ---- the samples ---- */

static clsolve_status sample_dense(const machine *m, int s, cls_samples *const samples[2]) {
    double seconds[2];
    CLS_TRY(time_both(m, cls_sample_orders[s], 0, seconds));
    for (int side = 0; side < 2; ++side) samples[side]->fixed[s] = seconds[side];
    return CLSOLVE_OK;
}

/* The time of a call however short, and of each of so many columns or members, from two calls. */
static void fit(const double a[2], const double b[2], int64_t few, int64_t many, int s, cls_samples *const samples[2]) {
    for (int side = 0; side < 2; ++side) {
        samples[side]->each[s] = fmax((b[side] - a[side]) / (double)(many - few), 0.01 * b[side] / (double)many);
        samples[side]->fixed[s] = fmax(a[side] - (double)few * samples[side]->each[s], 1e-6);
    }
}

/* Two short bands, and a long one on the host alone: a device has no caches that count. */
static clsolve_status sample_band(const machine *m, int s, cls_samples *const samples[2]) {
    const int64_t k = cls_sample_diagonals[s], few = 2 * k + 64, many = 4 * few;
    const int64_t rows = m->family == CLS_FAMILY_BAND ? 3 * k + 1 : k + 1;
    const int64_t room = LONG_BAND / (rows * cls_type_size(m->type));
    const int64_t length = room < MOST_COLUMNS ? room : MOST_COLUMNS;
    machine alone = {{m->sides[0], NULL}, m->family, m->type};
    double a[2], b[2], c[2] = {0, 0};
    CLS_TRY(time_both(m, few, k, a));
    CLS_TRY(time_both(m, many, k, b));
    fit(a, b, few, many, s, samples);
    samples[1]->other[s] = samples[1]->each[s];
    if (m->sides[0]) CLS_TRY(time_both(&alone, length, k, c));
    samples[0]->other[s] = fmax(c[0] / (double)length, samples[0]->each[s]);
    return CLSOLVE_OK;
}

/* One member, and two numbers of members for which the host wakes threads. */
static clsolve_status sample_batch(const machine *m, int s, cls_samples *const samples[2]) {
    const int64_t n = cls_sample_members[s];
    const int64_t few = CLS_GJ_BATCH_SERIAL / (n * n * n) + 8, many = 2 * few + (1 << 16) / n;
    double one[2], a[2], b[2];
    CLS_TRY(time_both(m, n, 1, one));
    CLS_TRY(time_both(m, n, few, a));
    CLS_TRY(time_both(m, n, many, b));
    fit(a, b, few, many, s, samples);
    for (int side = 0; side < 2; ++side) samples[side]->other[s] = one[side];
    samples[0]->serial = CLS_GJ_BATCH_SERIAL;
    return CLSOLVE_OK;
}

/* Three shapes for three numbers. */
static clsolve_status sample_lines(const machine *m, cls_samples *const samples[2]) {
    const int64_t few = 64, many = 4096, shorter = 1024, members = 2048;
    double a[2], b[2], c[2];
    CLS_TRY(time_both(m, few, 1, a));
    CLS_TRY(time_both(m, many, 1, b));
    CLS_TRY(time_both(m, shorter, members, c));
    for (int side = 0; side < 2; ++side) {
        cls_samples *to = samples[side];
        double step = (b[side] - a[side]) / (double)(many - few), one = a[side] + step * (double)(shorter - few);
        to->each[1] = fmax((c[side] - one) / (double)(shorter * (members - 1)), 1e-12);
        to->each[0] = fmax(step - to->each[1], 1e-12);
        to->fixed[0] = fmax(a[side] - (double)few * (to->each[0] + to->each[1]), 1e-7);
    }
    samples[0]->serial = CLS_HOST_LINES_SERIAL;
    return CLSOLVE_OK;
}

/* A small grid and a larger one, on the device. */
static clsolve_status sample_grid(const machine *m, cls_samples *const samples[2]) {
    const int64_t few = 32, many = 128;
    double a[2], b[2];
    CLS_TRY(time_both(m, few, 0, a));
    CLS_TRY(time_both(m, many, 0, b));
    samples[1]->each[0] = fmax((b[1] - a[1]) / (double)(many * many - few * few), 1e-12);
    samples[1]->fixed[0] = fmax(a[1] - (double)(few * few) * samples[1]->each[0], 1e-6);
    return CLSOLVE_OK;
}

static double of_sample(const cls_samples *samples, int s) {
    return samples->each[s] > 0 ? samples->each[s] : samples->fixed[s];
}

/* The device is as much slower than the host as at the sample before. */
static void extrapolate(cls_family family, cls_times *times, int s) {
    times->device.fixed[s] = times->device.fixed[s - 1] / times->host.fixed[s - 1] * times->host.fixed[s];
    if (times->host.each[s - 1] > 0)
        times->device.each[s] = times->device.each[s - 1] / times->host.each[s - 1] * times->host.each[s];
    times->device.other[s] = cls_family_is_band(family) ? times->device.each[s] : times->device.other[s - 1];
}

static clsolve_status measure(machine *m, cls_times *times) {
    cls_samples *const samples[2] = {&times->host, &times->device};
    cls_device *device = m->sides[1];
    clsolve_status (*sample)(const machine *, int, cls_samples *const *) = cls_family_is_band(m->family) ? sample_band
                                                                           : m->family == CLS_FAMILY_BATCH
                                                                               ? sample_batch
                                                                               : sample_dense;

    if (m->family == CLS_FAMILY_LINES) return sample_lines(m, samples);
    if (m->family == CLS_FAMILY_GRID) return sample_grid(m, samples);
    for (int s = 0; s < CLS_SAMPLES; ++s) {
        CLS_TRY(sample(m, s, samples));
        if (device && !m->sides[1]) extrapolate(m->family, times, s);
        if (s >= CLS_SAMPLES / 2 && m->sides[0] && m->sides[1] &&
            of_sample(&times->device, s) > hopeless * of_sample(&times->host, s))
            m->sides[1] = NULL;
    }
    if (!device) times->device = times->host; /* both are the same cores */
    return CLSOLVE_OK;
}

clsolve_status cls_calibrate(cls_device *device, cls_device *host, cls_family family, clsolve_type type,
                             cls_times *times) {
    int same = cls_in_place(device) && family < CLS_FAMILY_BATCH;
    machine m = {{family == CLS_FAMILY_GRID ? NULL : host, same ? NULL : device}, family, type};
    cls_times made = {.known = 1};
    CLS_TRY(measure(&m, &made));
    *times = made;
    return CLSOLVE_OK;
}
