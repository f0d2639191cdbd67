#include "cost/methods.h"

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

    /* LAPACK and OpenBLAS know no clock: a CPU's of these years. */
    const double host_rate = 32 * faster * (info->clock_mhz > 0 ? clock_of(info) : 2.6e9);

    if (info->host_memory)
        return (cls_cost_machine){.rate = units * host_rate,
                                  .half = 100,
                                  .memory = 5e9 * fmin(units, 16),
                                  .host = 8e9,
                                  .pivot = 2e-6,
                                  .pivot_of_narrow = cls_is_complex(type) ? 0.1e-6 : 0.05e-6,
                                  .rate_of_band = host_rate,
                                  .memory_of_band = 30e9,
                                  .least_of_band = 0.01,
                                  .launches = 160e-6,
                                  .fixed_lu = 0,
                                  .fixed = 20e-6,
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

/* ---- what a method counts, and the seconds of it ---- */

typedef struct counts {
    double fixed, pivots;    /* seconds of a call whatever its size, and of its pivot columns */
    double operations, rate; /* of the factorization */
    double bytes;            /* of the matrix, laid out on the host and sent over the bus */
    double read, memory;     /* bytes that a right-hand side reads, at so many a second */
} counts;

static double seconds_of(const cls_cost_machine *m, const cls_cost_system *system, const counts *c) {
    const double sides = system->nrhs > 0 ? (double)system->nrhs : 1;
    return c->fixed + c->pivots + c->operations / c->rate + c->bytes / m->host + (m->bus > 0 ? c->bytes / m->bus : 0) +
           sides * c->read / c->memory;
}

static double size_of(const cls_cost_system *system) {
    return (double)cls_type_size(system->type);
}

/* ---- dense matrices ---- */

static double dense(const cls_cost_machine *m, const cls_cost_system *system, double pivot, double operations) {
    const double n = (double)system->n, bytes = n * n * size_of(system);
    const counts c = {.fixed = m->fixed_lu,
                      .pivots = n * pivot,
                      .operations = operations * n * n * (n + m->half),
                      .rate = m->rate,
                      .bytes = bytes,
                      .read = 2 * bytes,
                      .memory = m->memory};
    return seconds_of(m, system, &c);
}

double cls_cost_lu(const cls_cost_machine *m, const cls_cost_system *system, cls_build_state built) {
    return (m->in_place ? 0 : start(m, built, LU_KERNELS, LU_PROGRAMS)) + dense(m, system, m->pivot, 2.0 / 3);
}

/* A leaf of 64 columns has no pivots to look for, and one barrier a column. */
double cls_cost_cholesky(const cls_cost_machine *m, const cls_cost_system *system, cls_build_state built) {
    return (m->in_place ? 0 : start(m, built, CHOLESKY_KERNELS, CHOLESKY_PROGRAMS)) +
           dense(m, system, m->pivot / 4, 1.0 / 3);
}

/* ---- bands ---- */

static double rate_of_band(const cls_cost_machine *m, double k) {
    return m->rate_of_band * fmax(m->least_of_band, k / (k + m->half));
}

/* `rows`: of the band; `factors`: of what a solve reads twice. */
static double banded(const cls_cost_machine *m, const cls_cost_system *system, double pivot, double operations,
                     double rate, double rows, double factors) {
    const double n = (double)system->n, size = size_of(system);
    const counts c = {.fixed = m->fixed,
                      .pivots = n * pivot,
                      .operations = operations,
                      .rate = rate,
                      .bytes = n * rows * size,
                      .read = 2 * n * factors * size,
                      .memory = m->memory_of_band};
    return seconds_of(m, system, &c);
}

double cls_cost_band(const cls_cost_machine *m, const cls_cost_system *system, cls_build_state built) {
    const double kl = (double)system->kl, ku = (double)system->ku;
    const int narrow = system->kl + system->ku <= CLS_NARROW_BAND;
    const double build = m->in_place ? 0
                         : narrow    ? start(m, built, NARROW_KERNELS, NARROW_PROGRAMS)
                                     : start(m, built, LU_KERNELS, LU_PROGRAMS);
    return build + banded(m, system, narrow || m->in_place ? m->pivot_of_narrow : m->pivot,
                          cls_band_work(system->n, system->kl, system->ku), rate_of_band(m, kl), kl + ku + 1,
                          2 * kl + ku + 1);
}

/* By the kernels of a dense matrix in blocks, which narrow bands do not fill. */
double cls_cost_band_cholesky(const cls_cost_machine *m, const cls_cost_system *system, cls_build_state built) {
    const double n = (double)system->n, k = (double)system->kl;
    if (m->in_place || k <= CLS_NARROW_BAND) return HUGE_VAL;
    return start(m, built, CHOLESKY_KERNELS, CHOLESKY_PROGRAMS) +
           banded(m, system, m->pivot / 4, n * k * (k + 1), rate_of_band(m, k), k + 1, k + 1);
}

/* LAPACK's, which looks for no pivots, and multiplies half as fast as it does for LU: triangles of fewer columns. */
double cls_cost_band_cholesky_by_host(const cls_cost_machine *m, const cls_cost_system *system) {
    const double n = (double)system->n, k = (double)system->kl;
    return banded(m, system, m->pivot_of_narrow / 2, n * k * (k + 1), rate_of_band(m, k) / 2, k + 1, k + 1);
}

/* ---- grids ---- */

double cls_cost_grid(const cls_cost_machine *m, const cls_cost_system *system, cls_build_state built) {
    const double n = (double)system->n, size = size_of(system), iterations = system->dominant ? 40 : 160;
    const double levels = 1 + log2((double)(system->lines > 0 ? system->lines : 1));
    const counts c = {.fixed = m->fixed + iterations * levels * m->launches,
                      .rate = 1,
                      .bytes = 12 * n * size,
                      .read = iterations * 60 * n * size,
                      .memory = m->memory};
    return start(m, built, GRID_KERNELS, GRID_PROGRAMS) + seconds_of(m, system, &c);
}

double cls_host_bytes_lu(const cls_cost_system *system) {
    return (double)system->n * (double)system->n * size_of(system);
}

/* The band here and, on a device in the host's memory, with its fill-in there. */
double cls_host_bytes_band(const cls_cost_system *system) {
    return (double)system->n * (3.0 * (double)system->kl + 2.0 * (double)system->ku + 2) * size_of(system);
}
