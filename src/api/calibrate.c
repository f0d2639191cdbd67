/*
 * calibrate.c: the samples of cost/where.h, measured on this machine: calls as a caller's, from host to host. Host and device
 * run by turns, as they do in a program that does other things too: threads of the host that have just worked are faster.
 */
#include <math.h>

#include "api/where.h"
#include "base/clock.h"
#include "base/memory.h"
#include "blas/blas.h"
#include "method/band/direct.h"
#include "method/block_gs/members.h"
#include "method/block_gs/members_host.h"
#include "method/block_gs/whole.h"
#include "method/cholesky/band.h"
#include "method/cholesky/direct.h"
#include "method/gauss_jordan/batch.h"
#include "method/gauss_jordan/batch_host.h"
#include "method/gauss_jordan/whole.h"
#include "method/lu/direct.h"
#include "method/members.h"

/* The device is not measured further where it took so many times as long as the host. */
static const double hopeless = 20;
/* Turns that are timed, after one that is not: the median counts. A turn lasts a millisecond at least, seconds. */
enum { ROUNDS = 3, CALLS = 50 };
static const double turn = 1e-3;
/* Bytes of a band that no cache of a core holds, and the columns that are enough of one with few diagonals. */
enum { LONG_BAND = 3 * CLS_BAND_CACHED, MOST_COLUMNS = 50000 };

/* ---- one system on one side ---- */

/* n, and k diagonals, members or nothing. What a family does not use is zeroed. */
typedef struct trial {
    cls_device *device;
    cls_family family;
    clsolve_type type;
    int64_t n, k;
    clsolve_matrix data[4]; /* A and b; below, on and above the diagonal and b; -1, 4 and b of a grid */
    int32_t *infos;
    cls_lu lu;
    cls_cholesky cholesky;
    cls_band band;
    cls_band_cholesky band_cholesky;
    cls_direct direct;
    cls_gj gj;
    cls_gj_batch batch;
    cls_bt_members lines;
    cls_host_lines host_lines;
} trial;

static void put(const trial *t, int which, int64_t at, double value) {
    if (t->type == CLSOLVE_F32)
        ((float *)t->data[which].data)[at] = (float)value;
    else
        ((double *)t->data[which].data)[at] = value;
}

/* Pseudo-random between -1/2 and 1/2, with `added` to row `row` of each column; row < 0: to (j, j). */
static clsolve_status fill(trial *t, int which, int64_t rows, int64_t cols, int64_t row, double added) {
    clsolve_matrix *m = &t->data[which];
    uint64_t state = 88172645463325252u;
    *m = t->type == CLSOLVE_F64 ? clsolve_matrix_f64(rows, cols, NULL) : clsolve_matrix_f32(rows, cols, NULL);
    m->data = cls_alloc((size_t)rows, (size_t)(cols * cls_type_size(t->type)));
    if (!m->data) return CLSOLVE_ERROR_OUT_OF_MEMORY;
    for (int64_t j = 0; j < cols; ++j)
        for (int64_t i = 0; i < rows; ++i) {
            state ^= state << 13, state ^= state >> 7, state ^= state << 17; /* Marsaglia's xorshift64 */
            double value = (double)(state >> 11) * 0x1p-53 - 0.5 + (i == (row < 0 ? j : row) ? added : 0);
            put(t, which, i + j * rows, value);
        }
    return CLSOLVE_OK;
}

static clsolve_grid grid_of(const trial *t, int which, int64_t N, int64_t M) {
    clsolve_grid view = clsolve_grid_f64(N, M, t->data[which].data);
    view.type = t->type;
    return view;
}

static clsolve_status open_dense(trial *t) {
    static const clsolve_lu_options options = {0};
    int inverse = t->family == CLS_FAMILY_INVERSE;
    CLS_TRY(fill(t, 0, t->n, t->n, -1, (double)t->n));
    CLS_TRY(fill(t, 1, t->n, inverse ? t->n : 1, -1, 0));
    return inverse ? cls_gj_setup(t->device, t->n, t->type, NULL, &t->gj)
                   : cls_lu_direct_setup(t->device, t->n, t->type, &options, &t->lu, &t->direct);
}

/* The lower triangle of the same matrix is that of a positive definite one. */
static clsolve_status open_cholesky(trial *t) {
    static const clsolve_cholesky_options options = {0};
    CLS_TRY(fill(t, 0, t->n, t->n, -1, (double)t->n));
    CLS_TRY(fill(t, 1, t->n, 1, -1, 0));
    return cls_cholesky_direct_setup(t->device, t->n, t->type, &options, &t->cholesky, &t->direct);
}

static clsolve_status open_band(trial *t) {
    static const clsolve_band_options options = {0};
    CLS_TRY(fill(t, 0, 2 * t->k + 1, t->n, t->k, 2 * (double)t->k));
    CLS_TRY(fill(t, 1, t->n, 1, -1, 0));
    return cls_band_direct_setup(t->device, t->n, t->k, t->k, t->type, &options, &t->band, &t->direct);
}

static clsolve_status open_band_cholesky(trial *t) {
    static const clsolve_band_cholesky_options options = {0};
    CLS_TRY(fill(t, 0, t->k + 1, t->n, 0, 2 * (double)t->k));
    CLS_TRY(fill(t, 1, t->n, 1, -1, 0));
    return cls_band_cholesky_setup(t->device, t->n, t->k, t->type, &options, &t->band_cholesky, &t->direct);
}

static clsolve_status open_batch(trial *t) {
    t->infos = cls_alloc((size_t)t->k, sizeof *t->infos);
    if (!t->infos) return CLSOLVE_ERROR_OUT_OF_MEMORY;
    CLS_TRY(fill(t, 0, t->n, t->n * t->k, 0, 0));
    return cls_gj_batch_setup(t->device, t->n, t->k, t->type, &t->batch);
}

static clsolve_status open_lines(trial *t) {
    t->infos = cls_alloc((size_t)t->k, sizeof *t->infos);
    if (!t->infos) return CLSOLVE_ERROR_OUT_OF_MEMORY;
    for (int q = 0; q < 4; ++q) CLS_TRY(fill(t, q, 1, t->n * t->k, q == 1 ? 0 : 1, 4));
    return t->device->no_kernels
               ? cls_host_lines_setup(t->device, t->n, t->k, t->type, &t->host_lines)
               : cls_bt_members_setup(t->device, t->n, t->k, t->type, CLSOLVE_PIVOTING_AUTO, &t->lines);
}

/* Of a grid a call sets up too: the solver's handle is for one matrix. */
static clsolve_status open_grid(trial *t) {
    for (int q = 0; q < 3; ++q) CLS_TRY(fill(t, q, 1, t->n * t->n, 0, 0));
    for (int64_t at = 0; at < t->n * t->n; ++at) {
        put(t, 0, at, -1);
        put(t, 1, at, 4.1);
    }
    return CLSOLVE_OK;
}

static clsolve_status open_trial(trial *t) {
    switch (t->family) {
    case CLS_FAMILY_BAND:
        return open_band(t);
    case CLS_FAMILY_BAND_CHOLESKY:
        return open_band_cholesky(t);
    case CLS_FAMILY_BATCH:
        return open_batch(t);
    case CLS_FAMILY_LINES:
        return open_lines(t);
    case CLS_FAMILY_GRID:
        return open_grid(t);
    case CLS_FAMILY_CHOLESKY:
        return open_cholesky(t);
    case CLS_FAMILY_LU:
    case CLS_FAMILY_INVERSE:
    case CLS_FAMILIES:
        break;
    }
    return open_dense(t);
}

static void close_trial(trial *t) {
    cls_direct_release(&t->direct);
    cls_lu_release(&t->lu);
    cls_cholesky_release(&t->cholesky);
    cls_band_release(&t->band);
    cls_band_cholesky_release(&t->band_cholesky);
    cls_gj_release(&t->gj);
    cls_gj_batch_release(&t->batch);
    cls_bt_members_release(&t->lines);
    cls_host_lines_release(&t->host_lines);
    for (int q = 0; q < 4; ++q) cls_free(t->data[q].data);
    cls_free(t->infos);
}

/* ---- one call ---- */

static const char call[] = "calibration";

static clsolve_status run_batch(trial *t) {
    cls_gj_strides column = {1, t->n, 0};
    clsolve_batch view = clsolve_batch_f64(t->k, t->n, t->n, t->data[0].data);
    view.type = t->type;
    CLS_TRY(cls_gj_batch_reserve(&t->batch, 0));
    CLS_TRY(cls_members_up(t->device, &view, t->batch.A));
    CLS_TRY(cls_gj_batch_run(&t->batch, 0, column, column));
    CLS_TRY(cls_gj_batch_finish(&t->batch));
    return cls_members_down(t->device, &view, t->batch.A, t->infos);
}

static clsolve_status run_lines(trial *t) {
    clsolve_grid views[4];
    clsolve_seconds seconds = {0};
    for (int q = 0; q < 4; ++q) views[q] = grid_of(t, q, t->k, t->n);
    const clsolve_grid *const arrays[3] = {&views[0], &views[1], &views[2]};
    if (!t->device->no_kernels) {
        CLS_TRY(cls_bt_members_factor(&t->lines, arrays, t->infos, &seconds));
        return cls_bt_members_solve(&t->lines, CLSOLVE_NO_TRANS, &views[3], 1, t->infos, &seconds);
    }
    cls_host_lines_factor(&t->host_lines, arrays, t->infos);
    return cls_host_lines_solve(&t->host_lines, CLSOLVE_NO_TRANS, &views[3], 1, t->infos);
}

/* The five-point Laplacian, nearly: the solution takes the place of the right-hand side. */
static clsolve_status run_grid(trial *t) {
    static const clsolve_block_gs_options options = {.zero_guess = 1};
    clsolve_grid beside = grid_of(t, 0, t->n, t->n), on = grid_of(t, 1, t->n, t->n), b = grid_of(t, 2, t->n, t->n);
    const clsolve_grid *const arrays[5] = {&beside, &on, &beside, &beside, &beside};
    cls_bt bt = {0};
    cls_bt_factored factored;
    cls_bt_solved solved;
    clsolve_status status = cls_bt_setup(t->device, t->n, t->n, t->type, &options, &bt);
    if (status == CLSOLVE_OK) status = cls_bt_factor_system(&bt, call, arrays, &factored);
    if (status == CLSOLVE_OK) status = cls_bt_solve_system(&bt, call, &(cls_bt_sides){&b, NULL, &b, 1}, &solved);
    cls_bt_release(&bt);
    return status;
}

static clsolve_status run_trial(trial *t) {
    cls_gj_outcome outcome = {.rcond = -1};
    switch (t->family) {
    case CLS_FAMILY_BATCH:
        return run_batch(t);
    case CLS_FAMILY_LINES:
        return run_lines(t);
    case CLS_FAMILY_GRID:
        return run_grid(t);
    case CLS_FAMILY_INVERSE:
        return cls_gj_inverse(&t->gj, &t->data[0], &t->data[1], &outcome);
    case CLS_FAMILY_LU:
    case CLS_FAMILY_CHOLESKY:
    case CLS_FAMILY_BAND:
    case CLS_FAMILY_BAND_CHOLESKY:
    case CLS_FAMILIES:
        break;
    }
    CLS_TRY(cls_direct_factor(&t->direct, call, &t->data[0]));
    return cls_direct_solve(&t->direct, call, CLSOLVE_NO_TRANS, &t->data[1]);
}

/* ---- both sides by turns ---- */

static double median_of_three(const double *x) {
    return fmax(fmin(x[0], x[1]), fmin(fmax(x[0], x[1]), x[2]));
}

/* The mean of a turn's calls. */
static clsolve_status take_turn(trial *t, double *seconds) {
    double start = cls_seconds();
    int calls = 0;
    do {
        CLS_TRY(run_trial(t));
        calls++;
    } while (calls < CALLS && cls_seconds() - start < turn);
    *seconds = (cls_seconds() - start) / calls;
    return CLSOLVE_OK;
}

/* sides[0] the host, sides[1] the device; a NULL takes no part. */
static clsolve_status time_sides(trial *const sides[2], double seconds[2]) {
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
    trial *both[2] = {NULL, NULL};
    clsolve_status status = CLSOLVE_OK;
    for (int s = 0; s < 2 && status == CLSOLVE_OK; ++s) {
        if (!m->sides[s]) continue;
        both[s] = cls_alloc(1, sizeof *both[s]);
        if (!both[s]) {
            status = CLSOLVE_ERROR_OUT_OF_MEMORY;
            break;
        }
        *both[s] = (trial){.device = m->sides[s], .family = m->family, .type = m->type, .n = n, .k = k};
        status = open_trial(both[s]);
    }
    if (status == CLSOLVE_OK) status = time_sides(both, seconds);
    for (int s = 0; s < 2; ++s) {
        if (both[s]) close_trial(both[s]);
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

/* What a call takes however short, and each of so many columns or members, from two calls. */
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
        if (s >= CLS_SAMPLES / 2 && m->sides[1] && of_sample(&times->device, s) > hopeless * of_sample(&times->host, s))
            m->sides[1] = NULL;
    }
    if (!device) times->device = times->host; /* both are the same cores */
    return CLSOLVE_OK;
}

clsolve_status cls_calibrate(clsolve_context *context, cls_device *host, cls_family family, clsolve_type type,
                             cls_times *times) {
    int same = cls_in_place(context->device) && family < CLS_FAMILY_BATCH;
    machine m = {{family == CLS_FAMILY_GRID ? NULL : host, same ? NULL : context->device}, family, type};
    cls_times made = {.known = 1};
    CLS_TRY(measure(&m, &made));
    *times = made;
    return CLSOLVE_OK;
}
