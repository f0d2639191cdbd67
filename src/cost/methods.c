#include "cost/methods.h"

#include <math.h>

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

static double start(const cls_rates *m, cls_build_state built, int kernels, int programs) {
    if (built == CLS_BUILD_HERE) return 0;
    return built == CLS_BUILD_CACHED ? programs * m->load : kernels * m->compile;
}

/* ---- what a method counts, and the seconds of it ---- */

/* The matrix is laid out on the host and sent over the bus; each right-hand side reads the factors. */
typedef struct counts {
    cls_work work;
    double bytes;        /* of the matrix */
    double read, memory; /* bytes that a right-hand side reads, at so many a second */
} counts;

static double seconds_of(const cls_rates *m, const cls_cost_system *system, const cls_pace *pace, const counts *c) {
    const double sides = system->nrhs > 0 ? (double)system->nrhs : 1;
    return cls_clock(pace, &c->work) + c->bytes / m->host + (m->bus > 0 ? c->bytes / m->bus : 0) +
           sides * c->read / c->memory;
}

static double size_of(const cls_cost_system *system) {
    return (double)cls_type_size(system->type);
}

/* ---- dense matrices ---- */

static double dense(const cls_rates *m, const cls_cost_system *system, const cls_pace *pace, double operations) {
    const double n = (double)system->n, bytes = n * n * size_of(system);
    const counts c = {.work = {.calls = 1, .columns = n, .operations = operations * n * n * n, .size = n},
                      .bytes = bytes,
                      .read = 2 * bytes,
                      .memory = m->memory};
    return seconds_of(m, system, pace, &c);
}

double cls_cost_lu(const cls_rates *m, const cls_cost_system *system, cls_build_state built) {
    return (m->in_place ? 0 : start(m, built, LU_KERNELS, LU_PROGRAMS)) + dense(m, system, &m->dense, 2.0 / 3);
}

double cls_cost_cholesky(const cls_rates *m, const cls_cost_system *system, cls_build_state built) {
    return (m->in_place ? 0 : start(m, built, CHOLESKY_KERNELS, CHOLESKY_PROGRAMS)) +
           dense(m, system, &m->cholesky, 1.0 / 3);
}

/* ---- bands ---- */

/* `rows`: of the band; `factors`: of what a solve reads twice. */
static double banded(const cls_rates *m, const cls_cost_system *system, const cls_pace *pace, double operations,
                     double rows, double factors) {
    const double n = (double)system->n, size = size_of(system);
    const counts c = {.work = {.calls = 1, .columns = n, .operations = operations, .size = (double)system->kl},
                      .bytes = n * rows * size,
                      .read = 2 * n * factors * size,
                      .memory = m->memory_of_band};
    return seconds_of(m, system, pace, &c);
}

double cls_cost_band(const cls_rates *m, const cls_cost_system *system, cls_build_state built) {
    const double kl = (double)system->kl, ku = (double)system->ku;
    const int narrow = system->kl + system->ku <= CLS_NARROW_BAND;
    const double build = m->in_place ? 0
                         : narrow    ? start(m, built, NARROW_KERNELS, NARROW_PROGRAMS)
                                     : start(m, built, LU_KERNELS, LU_PROGRAMS);
    return build + banded(m, system, narrow ? &m->narrow : &m->band, cls_band_work(system->n, system->kl, system->ku),
                          kl + ku + 1, 2 * kl + ku + 1);
}

static double band_cholesky(const cls_rates *m, const cls_cost_system *system) {
    const double k = (double)system->kl;
    return banded(m, system, &m->band_cholesky, (double)system->n * k * (k + 1), k + 1, k + 1);
}

/* By the kernels of a dense matrix in blocks, which narrow bands do not fill. */
double cls_cost_band_cholesky(const cls_rates *m, const cls_cost_system *system, cls_build_state built) {
    if (m->in_place || system->kl <= CLS_NARROW_BAND) return HUGE_VAL;
    return start(m, built, CHOLESKY_KERNELS, CHOLESKY_PROGRAMS) + band_cholesky(m, system);
}

double cls_cost_band_cholesky_by_host(const cls_rates *m, const cls_cost_system *system) {
    return band_cholesky(m, system);
}

/* ---- grids ---- */

double cls_cost_grid(const cls_rates *m, const cls_cost_system *system, cls_build_state built) {
    const double n = (double)system->n, size = size_of(system), iterations = system->dominant ? 40 : 160;
    const double levels = 1 + log2((double)(system->lines > 0 ? system->lines : 1));
    const counts c = {.work = {.calls = 1, .columns = iterations * levels},
                      .bytes = 12 * n * size,
                      .read = iterations * 60 * n * size,
                      .memory = m->memory};
    return start(m, built, GRID_KERNELS, GRID_PROGRAMS) + seconds_of(m, system, &m->grid, &c);
}

double cls_host_bytes_lu(const cls_cost_system *system) {
    return (double)system->n * (double)system->n * size_of(system);
}

/* The band here and, on a device in the host's memory, with its fill-in there. */
double cls_host_bytes_band(const cls_cost_system *system) {
    return (double)system->n * (3.0 * (double)system->kl + 2.0 * (double)system->ku + 2) * size_of(system);
}
