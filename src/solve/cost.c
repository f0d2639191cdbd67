#include "solve/cost.h"

#include <math.h>
#include <string.h>

#include "base/type.h"

/* Kernels and programs of a first solve, counted in the caches of PoCL and of NVRTC. In the host's memory LAPACK and
 * OpenBLAS do the work of LU and of bands. */
enum {
    LU_KERNELS = 12,
    LU_PROGRAMS = 6,
    CHOLESKY_KERNELS = 8,
    CHOLESKY_PROGRAMS = 5,
    NARROW_KERNELS = 3,
    NARROW_PROGRAMS = 1,
    GRID_KERNELS = 24,
    GRID_PROGRAMS = 5
};

static double clock_of(const clsolve_device_info *info) {
    return info->clock_mhz > 0 ? 1e6 * info->clock_mhz : 1.5e9;
}

cls_cost_machine cls_cost_machine_of(const clsolve_device_info *info, clsolve_type type) {
    double units = info->compute_units > 0 ? info->compute_units : 1;
    double cycles = units * clock_of(info);
    /* Four real products make a complex one. */
    double faster = (cls_is_double(type) ? 1.0 : 2.0) / (cls_is_complex(type) ? 4 : 1);

    if (info->host_memory)
        return (cls_cost_machine){.rate = 32 * faster * cycles,
                                  .half = 100,
                                  .memory = 5e9 * fmin(units, 16),
                                  .host = 4e9,
                                  .pivot = 2e-6,
                                  .pivot_of_narrow = cls_is_complex(type) ? 0.2e-6 : 0.1e-6,
                                  .rate_of_band = 32 * faster * clock_of(info),
                                  .memory_of_band = 10e9,
                                  .least_of_band = 0.01,
                                  .launches = 160e-6,
                                  .fixed_lu = 0,
                                  .fixed = 50e-6,
                                  .compile = 0.25,
                                  .load = 0.15,
                                  .in_place = 1};
    return (cls_cost_machine){.rate = 64 * faster * cycles,
                              .half = 2000,
                              .memory = 15e9 * units,
                              .host = 1e9,
                              .bus = 10e9,
                              .pivot = 3e-6,
                              .pivot_of_narrow = 2e-6,
                              .rate_of_band = 64 * faster * cycles,
                              .memory_of_band = 15e9 * units,
                              .least_of_band = 0.25,
                              .launches = 50e-6,
                              .fixed_lu = 100e-6,
                              .fixed = 150e-6,
                              .compile = strcmp(info->platform, "CUDA") == 0 ? 0.06 : 0.2, /* many at once; not so */
                              .load = 0.005};
}

static double start(const cls_cost_machine *m, cls_build_state built, int kernels, int programs) {
    if (built == CLS_BUILD_HERE) return 0;
    return built == CLS_BUILD_CACHED ? programs * m->load : kernels * m->compile;
}

static double size_of(const cls_cost_system *system) {
    return (double)cls_type_size(system->type);
}

static double right_sides(const cls_cost_system *system) {
    return system->nrhs > 0 ? (double)system->nrhs : 1;
}

/* The matrix is laid out on the host and crosses the bus. */
static double seconds_to_device(const cls_cost_machine *m, double bytes) {
    return bytes / m->host + (m->bus > 0 ? bytes / m->bus : 0);
}

/* The time of both dense factorizations apart from their kernels and their operations. */
static double cost_of_matrix(const cls_cost_machine *m, const cls_cost_system *system) {
    double n = (double)system->analysis->n, bytes = n * n * size_of(system);
    return m->fixed_lu + seconds_to_device(m, bytes) + right_sides(system) * 2 * bytes / m->memory;
}

double cls_cost_lu(const cls_cost_machine *m, const cls_cost_system *system, cls_build_state built) {
    double n = (double)system->analysis->n;
    double build = m->in_place ? 0 : start(m, built, LU_KERNELS, LU_PROGRAMS);
    double factor = n * m->pivot + 2.0 / 3 * n * n * (n + m->half) / m->rate;
    return build + factor + cost_of_matrix(m, system);
}

/* A leaf of 64 columns has no pivots to look for, and one barrier a column. */
double cls_cost_cholesky(const cls_cost_machine *m, const cls_cost_system *system, cls_build_state built) {
    double n = (double)system->analysis->n;
    double build = m->in_place ? 0 : start(m, built, CHOLESKY_KERNELS, CHOLESKY_PROGRAMS);
    double factor = n * m->pivot / 4 + 1.0 / 3 * n * n * (n + m->half) / m->rate;
    return build + factor + cost_of_matrix(m, system);
}

static double rate_of_band(const cls_cost_machine *m, double k) {
    return m->rate_of_band * fmax(m->least_of_band, k / (k + m->half));
}

double cls_cost_band(const cls_cost_machine *m, const cls_cost_system *system, cls_build_state built) {
    cls_order_band band = system->analysis->after;
    double n = (double)system->analysis->n, kl = (double)band.kl, ku = (double)band.ku, size = size_of(system);
    int narrow = band.kl + band.ku <= CLS_NARROW_BAND;
    double build = m->in_place ? 0
                   : narrow    ? start(m, built, NARROW_KERNELS, NARROW_PROGRAMS)
                               : start(m, built, LU_KERNELS, LU_PROGRAMS);
    double factor = n * (narrow || m->in_place ? m->pivot_of_narrow : m->pivot) +
                    cls_band_work(system->analysis->n, band) / rate_of_band(m, kl);
    double solve = 2 * n * (2 * kl + ku + 1) * size / m->memory_of_band;
    return build + m->fixed + factor + seconds_to_device(m, n * (kl + ku + 1) * size) + right_sides(system) * solve;
}

/* By the kernels of a dense matrix in blocks, which narrow bands do not fill. */
double cls_cost_band_cholesky(const cls_cost_machine *m, const cls_cost_system *system, cls_build_state built) {
    const double n = (double)system->analysis->n, k = (double)system->analysis->after.kl, size = size_of(system);
    if (m->in_place || k <= CLS_NARROW_BAND) return HUGE_VAL;
    const double factor = n * m->pivot / 4 + n * k * (k + 1) / rate_of_band(m, k);
    const double solve = 2 * n * (k + 1) * size / m->memory_of_band;
    return start(m, built, CHOLESKY_KERNELS, CHOLESKY_PROGRAMS) + m->fixed + factor +
           seconds_to_device(m, n * (k + 1) * size) + right_sides(system) * solve;
}

/* LAPACK's, which looks for no pivots, and multiplies half as fast as it does for LU: triangles of fewer columns. */
double cls_cost_band_cholesky_by_host(const cls_cost_machine *m, const cls_cost_system *system) {
    const double n = (double)system->analysis->n, k = (double)system->analysis->after.kl, size = size_of(system);
    const double factor = n * m->pivot_of_narrow / 2 + n * k * (k + 1) / (rate_of_band(m, k) / 2);
    const double solve = 2 * n * (k + 1) * size / m->memory_of_band;
    return m->fixed + factor + n * (k + 1) * size / m->host + right_sides(system) * solve;
}

double cls_cost_grid(const cls_cost_machine *m, const cls_cost_system *system, cls_build_state built) {
    const cls_analysis *a = system->analysis;
    double n = (double)a->n, size = size_of(system), levels = 1 + log2((double)(a->lines > 0 ? a->lines : 1));
    double iterations = a->dominant ? 40 : 160;
    double cycle = levels * m->launches + right_sides(system) * 60 * n * size / m->memory;
    return start(m, built, GRID_KERNELS, GRID_PROGRAMS) + m->fixed + iterations * cycle +
           seconds_to_device(m, 12 * n * size);
}

double cls_host_bytes_lu(const cls_cost_system *system) {
    double n = (double)system->analysis->n;
    return n * n * size_of(system);
}

/* The band here and, on a device in the host's memory, with its fill-in there. */
double cls_host_bytes_band(const cls_cost_system *system) {
    cls_order_band band = system->analysis->after;
    return (double)system->analysis->n * (3.0 * (double)band.kl + 2.0 * (double)band.ku + 2) * size_of(system);
}
