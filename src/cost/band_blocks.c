#include "cost/band_blocks.h"

#include <math.h>

/*
 * A CPU: one core through PoCL took, in us a column, hybrid with blocks of 16, 32 and 64 at k = kl = ku = 1: 0.25,
 * 0.36, 0.70; at 16: 0.82, 0.88, 1.27; at 32: 1.19, 1.36, 1.23; narrow at k = 1, 4, 8: 0.05, 0.12, 0.21; on a machine
 * with other work, so good for their order. At k = 500, n = 10^4, on two cores with no other work, blocks of 32 and 48
 * took 14 us a column, of 64 15 to 22, of 112 16: `rate` is for such two cores.
 * A GPU: an H200 through OpenCL on a host of 16 cores took, in us a column without the way up, with blocks of
 *
 *                          32    64    96   128   192   288
 *      native, k = 16     2.1   2.2         2.4
 *                  32     2.0   2.2   2.3   2.4
 *                 128     2.2   2.3         2.5
 *                1000           2.8   2.8   2.8   2.9   2.9
 *                2000                 3.9         3.7
 *      hybrid, k = 16     2.7   1.8         5.1                narrow, k = 16   0.89
 *                 128     3.4   5.4         6.0                          24   1.17
 *                1000     7.9   7.7   7.9   9.3   9.4  10.3
 *                2000    10.0        10.9        13.0
 *
 * step, rate, half, column, fold and panel are the least squares of the native ones, all met within 5 %. LAPACK's
 * threads take some 5 us a column to agree; panels too small for them are of no account here, for the device is as
 * fast. The numbers that grow with the number of compute units are given for the 132 of that device.
 */
cls_band_machine cls_band_machine_of(int host_memory, int in_place, int64_t compute_units) {
    const cls_band_machine cpu = {.in_place = in_place,
                                  .leaf = 16,
                                  .widest = 256,
                                  .step = 7.5e-6,
                                  .rate = 6e10,
                                  .half = 9,
                                  .column = 20e-6,
                                  .panel = 1e10,
                                  .host = 1.8e10,
                                  .host_column = 0.2e-6,
                                  .trip = 20e-6,
                                  .bus = 5e9,
                                  .narrow_column = 0.08e-6,
                                  .narrow = 2e9};
    cls_band_machine gpu = {.in_place = in_place,
                            .leaf = 32,
                            .widest = 512,
                            .step = 10e-6,
                            .rate = 3.7e13,
                            .half = 215,
                            .column = 1.75e-6,
                            .fold = 25e-6,
                            .panel = 3.3e12,
                            .host = 1e11,
                            .host_column = 5e-6,
                            .trip = 60e-6,
                            .bus = 5.5e10,
                            .narrow_column = 0.67e-6,
                            .narrow = 4.6e9};
    if (host_memory) return cpu;
    double part = compute_units > 0 ? (double)compute_units / 132 : 1;
    gpu.rate *= part;
    gpu.panel *= part;
    gpu.half *= fmin(part, 1); /* a small device is filled by a small product */
    return gpu;
}

double cls_band_seconds(const cls_band_machine *machine, cls_band_mode mode, int64_t n, int64_t kl, int64_t kv,
                        int64_t size, int64_t block) {
    const cls_band_machine *d = machine;
    double nb = (double)block, l = (double)kl, v = (double)kv, m = l + nb, blocks = ceil((double)n / nb);
    double update = d->step + 2 * l * v * (nb + d->half) / d->rate;

    if (mode == CLS_BAND_MODE_NARROW) return (double)n * (d->narrow_column + 2 * l * v / d->narrow);
    double folds = block > d->leaf ? nb / (double)d->leaf - 1 : 0;
    if (mode == CLS_BAND_MODE_NATIVE)
        return blocks * (update + nb * d->column + folds * d->fold + nb * nb * (m + v) / d->panel);
    if (d->in_place) return blocks * (update + nb * d->host_column + nb * nb * (m + v) / d->host);
    double device = update + nb * nb * v / d->panel;
    double panel = d->trip + 2 * m * nb * (double)size / d->bus + nb * d->host_column + nb * nb * m / d->host +
                   d->step / 2 + 2 * l * nb * nb / d->rate;
    return blocks * fmax(device, panel);
}

/* No wider than what the panel reaches: a wider one is for the most part zeros, which cost time and memory. */
static int64_t widest_of(const cls_band_machine *machine, int64_t n, int64_t kl, int64_t kv) {
    int64_t reach = kl + kv > machine->leaf ? kl + kv : machine->leaf;
    int64_t most = reach < machine->widest ? reach : machine->widest;
    return most < n ? most : n;
}

static void consider(const cls_band_machine *machine, cls_band_mode mode, int64_t n, int64_t kl, int64_t kv,
                     int64_t size, int64_t block, cls_band_choice *best) {
    double seconds = cls_band_seconds(machine, mode, n, kl, kv, size, block);
    if (best->block > 0 && !(seconds < best->seconds)) return;
    *best = (cls_band_choice){mode, block, seconds};
}

cls_band_choice cls_band_choose(const cls_band_machine *machine, unsigned modes, int64_t n, int64_t kl, int64_t kv,
                                int64_t size, int64_t block) {
    static const cls_band_mode blocked[] = {CLS_BAND_MODE_NATIVE, CLS_BAND_MODE_HYBRID};
    cls_band_choice best = {CLS_BAND_MODE_NATIVE, 0, 0};
    int64_t most = widest_of(machine, n, kl, kv), leaf = machine->leaf;

    for (int k = 0; k < 2; ++k) {
        if (!(modes & (unsigned)blocked[k])) continue;
        if (block > 0) {
            consider(machine, blocked[k], n, kl, kv, size, block < n ? block : n, &best);
            continue;
        }
        if (most <= leaf) consider(machine, blocked[k], n, kl, kv, size, most, &best);
        for (int64_t nb = leaf; nb <= most && most > leaf; nb += leaf)
            consider(machine, blocked[k], n, kl, kv, size, nb, &best);
    }
    if (block == 0 && (modes & (unsigned)CLS_BAND_MODE_NARROW))
        consider(machine, CLS_BAND_MODE_NARROW, n, kl, kv, size, 1, &best);
    return best;
}
