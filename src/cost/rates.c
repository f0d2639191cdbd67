#include "cost/rates.h"

#include <math.h>
#include <string.h>

#include "base/type.h"

/* Four real products make a complex one. */
static double faster_than_double(clsolve_type type) {
    return (cls_is_double(type) ? 1.0 : 2.0) / (cls_is_complex(type) ? 4 : 1);
}

static double units_of(const clsolve_device_info *info) {
    return info->compute_units > 0 ? info->compute_units : 1;
}

static double clock_or(const clsolve_device_info *info, double otherwise) {
    return info->clock_mhz > 0 ? 1e6 * info->clock_mhz : otherwise;
}

/* ---- a device, or a host alone ---- */

/*
 * One core of an AMD EPYC, 2026-11-29 (docs/findings/host-or-device.md), by the choices that it was fitted to: LAPACK's
 * gbtrf and pbtrf multiply blocks too small for more than one core, so a band's rate and memory are those of one.
 * Cholesky looks for no pivots, and multiplies half as fast, by triangles of fewer columns. LAPACK and OpenBLAS know no
 * clock: without one it is a CPU's of these years.
 */
static cls_rates host_rates(const clsolve_device_info *info, clsolve_type type) {
    const double core = 32 * faster_than_double(type) * clock_or(info, 2.6e9), units = units_of(info);
    const double pivot = cls_is_complex(type) ? 0.1e-6 : 0.05e-6, call = 20e-6, half = 100, slowest = 100;
    const cls_pace dense = {.column = 2e-6, .rate = units * core, .half = half};
    const cls_pace band = {.call = call, .column = pivot, .rate = core, .half = half, .slowest = slowest};
    return (cls_rates){.in_place = 1,
                       .dense = dense,
                       .cholesky = {.column = dense.column / 4, .rate = dense.rate, .half = half},
                       .band = band,
                       .narrow = band,
                       .band_cholesky = {call, pivot / 2, core / 2, half, 0, slowest},
                       .grid = {.call = call, .column = 160e-6},
                       .memory = 5e9 * fmin(units, 16),
                       .memory_of_band = 30e9,
                       .host = 8e9,
                       .compile = 0.25,
                       .load = 0.15};
}

/*
 * One H200 through CUDA, from host to host: LU of orders 64, 256 and 1024 took 0.25, 0.62 and 2.40 ms, 2026-11-24
 * (docs/findings/host-or-device.md); a column of a band 2.3 us at k = 16, 2.2 at 128, 2.8 at 1000, 3.7 at 2000
 * (below). A leaf of Cholesky has no pivots to look for, and one barrier a column. Kernels are compiled many at once
 * through CUDA, and through OpenCL not so.
 */
static cls_rates gpu_rates(const clsolve_device_info *info, clsolve_type type) {
    const double units = units_of(info), rate = 64 * faster_than_double(type) * units * clock_or(info, 1.5e9);
    const double column = 2e-6, half = 2000, slowest = 4;
    const cls_pace band = {.call = 300e-6, .column = column, .rate = rate, .half = half, .slowest = slowest};
    cls_pace band_cholesky = band;
    band_cholesky.column = column / 4;
    return (cls_rates){.dense = {.call = 150e-6, .column = column, .rate = rate, .half = half},
                       .cholesky = {.call = 150e-6, .column = column / 4, .rate = rate, .half = half},
                       .band = band,
                       .narrow = band,
                       .band_cholesky = band_cholesky,
                       .grid = {.call = 150e-6, .column = 50e-6},
                       .memory = 15e9 * units,
                       .memory_of_band = 15e9 * units,
                       .host = 1e9,
                       .bus = 10e9,
                       .compile = strcmp(info->platform, "CUDA") == 0 ? 0.06 : 0.2,
                       .load = 0.005};
}

cls_rates cls_rates_of(const clsolve_device_info *info, clsolve_type type) {
    return info->host_memory ? host_rates(info, type) : gpu_rates(info, type);
}

/* docs/findings/compilation.md: by CUDA's compiler many programs at once, by OpenCL's one after the other. */
double cls_rates_first_call(const clsolve_device_info *info) {
    return strcmp(info->platform, "CUDA") == 0 ? 0.7 : 2;
}

double cls_rates_loaded_call(void) {
    return 0.03;
}

/* ---- calls on the device or on the host, until they are measured ---- */

/*
 * 16 cores of an H200's host, by turns with the device, 2026-11-24 (docs/findings/host-or-device.md): LU of orders 64
 * and 1024 took 0.035 and 14 ms, a column of a band of k = 64 2.6 us. LDL^T of floats is LAPACK's, which searches
 * pivots column by column, and multiplies a vector at a time within a panel: it is slower than LU below some 600
 * columns a thread. LDL^T of doubles takes half of LU's time (0.53, 0.36, 0.42 of it for n = 500, 1000, 2000, one
 * thread).
 */
cls_call_rates cls_call_rates_of_host(int32_t cores, clsolve_type type) {
    const double threads = fmin(cores > 0 ? cores : 1, 16), rate = 8e9 * threads * faster_than_double(type);
    return (cls_call_rates){
        .dense = {.call = 3e-6, .rate = rate, .half = 60 * threads},
        .ldl = {.call = 3e-6, .rate = rate, .half = (cls_is_double(type) ? 60 : 750) * threads},
        .band = {.call = 5e-6, .column = 0.1e-6, .rate = 12e9 * faster_than_double(type), .half = 100},
        .batch = {.call = 2e-6, .column = 0.5e-6, .rate = rate, .half = 200},
        .alone = {.column = 0.3e-6, .rate = 1e9},
        .lines = {2e-6, 5e-9, 20e-9 / threads},
        .serial = 4e5,
        .serial_lines = 16e3};
}

/* As a GPU, whatever the device: one that works in the host's memory is asked for its host. */
cls_call_rates cls_call_rates_of_device(const clsolve_device_info *info, clsolve_type type) {
    const cls_rates gpu = gpu_rates(info, type);
    return (cls_call_rates){.dense = gpu.dense,
                            .ldl = gpu.dense,
                            .band = gpu.band,
                            .batch = {.call = 200e-6, .rate = gpu.dense.rate / 10, .stream = 10e9},
                            .alone = {.column = 100e-6, .rate = HUGE_VAL},
                            .lines = {400e-6, 20e-9, 4e-9}};
}

/* ---- block columns of a band ---- */

/*
 * A CPU: one core through PoCL took, in us a column, hybrid with blocks of 16, 32 and 64 at k = kl = ku = 1: 0.25,
 * 0.36, 0.70; at 16: 0.82, 0.88, 1.27; at 32: 1.19, 1.36, 1.23; narrow at k = 1, 4, 8: 0.05, 0.12, 0.21; on a machine
 * with other work, so good for their order. At k = 500, n = 10^4, on two cores with no other work, blocks of 32 and 48
 * took 14 us a column, of 64 15 to 22, of 112 16: the rate is for such two cores.
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
 * `update` and `panel` are the least squares of the native ones, all met within 5 %. LAPACK's threads take some 5 us a
 * column to agree; panels too small for them are of no account here, for the device is as fast. The numbers that grow
 * with the number of compute units are given for the 132 of that device.
 */
cls_band_machine cls_band_machine_of(int host_memory, int in_place, int64_t compute_units) {
    const cls_band_machine cpu = {.in_place = in_place,
                                  .leaf = 16,
                                  .widest = 256,
                                  .update = {.call = 7.5e-6, .rate = 6e10, .half = 9},
                                  .panel = {.column = 20e-6, .rate = 1e10},
                                  .host_panel = {.column = 0.2e-6, .rate = 1.8e10},
                                  .trip = {.call = 20e-6, .stream = 5e9},
                                  .narrow = {.column = 0.08e-6, .rate = 2e9}};
    const double part = compute_units > 0 ? (double)compute_units / 132 : 1;
    const double filled = fmin(part, 1); /* a small device is filled by a small product */
    const cls_band_machine gpu = {.in_place = in_place,
                                  .leaf = 32,
                                  .widest = 512,
                                  .update = {.call = 10e-6, .rate = 3.7e13 * part, .half = 215 * filled},
                                  .panel = {.call = 25e-6, .column = 1.75e-6, .rate = 3.3e12 * part},
                                  .host_panel = {.column = 5e-6, .rate = 1e11},
                                  .trip = {.call = 60e-6, .stream = 5.5e10},
                                  .narrow = {.column = 0.67e-6, .rate = 4.6e9}};
    return host_memory ? cpu : gpu;
}

/* ---- sparse factorizations on the host ---- */

/* Two cores of an AMD EPYC, November 2026: docs/sparse.md. */
cls_sparse_rates cls_sparse_rates_of(int lanes) {
    const double rate = lanes == 8 ? 30e9 : lanes == 4 ? 20e9 : 10e9;
    return (cls_sparse_rates){.klu = {.rate = 2e9, .stream = 1e8},
                              .fronts = {.column = 0.8e-6, .rate = rate, .stream = 1 / 3e-9},
                              .solve = {.column = 20e-9, .stream = 1 / 2e-9},
                              .order = 12e9};
}
