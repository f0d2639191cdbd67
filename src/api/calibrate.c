/* calibrate.c: the samples of cost/where.h, measured on this machine: calls as a caller's, from host to host. */
#include <math.h>

#include "api/where.h"
#include "base/clock.h"
#include "base/memory.h"
#include "blas/blas.h"
#include "method/band/direct.h"
#include "method/block_gs/members.h"
#include "method/block_gs/members_host.h"
#include "method/block_gs/whole.h"
#include "method/gauss_jordan/batch.h"
#include "method/gauss_jordan/whole.h"
#include "method/lu/direct.h"
#include "method/members.h"

/* The device is not measured further where it took so many times as long as the host. */
static const double hopeless = 20;
/* Calls that are timed, after one that is not. */
enum { ROUNDS = 2 };

/* ---- matrices ---- */

/* rows x cols, pseudo-random between -1/2 and 1/2, with `diagonal` added in row `row` of each column; row < 0: (j, j). */
static clsolve_matrix make_matrix(clsolve_type type, int64_t rows, int64_t cols, int64_t row, double diagonal) {
    clsolve_matrix m = {.type = type, .layout = CLSOLVE_COLUMN_MAJOR, .rows = rows, .cols = cols, .ld = rows};
    uint64_t state = 88172645463325252u;
    m.data = cls_alloc((size_t)rows, (size_t)cols * (type == CLSOLVE_F32 ? 4 : 8));
    for (int64_t j = 0; m.data && j < cols; ++j)
        for (int64_t i = 0; i < rows; ++i) {
            state ^= state << 13, state ^= state >> 7, state ^= state << 17; /* Marsaglia's xorshift64 */
            double value = (double)(state >> 11) * 0x1p-53 - 0.5;
            if (i == (row < 0 ? j : row)) value += diagonal;
            if (type == CLSOLVE_F32)
                ((float *)m.data)[i + j * rows] = (float)value;
            else
                ((double *)m.data)[i + j * rows] = value;
        }
    return m;
}

/* ---- one call ---- */

static clsolve_status factor_and_solve(cls_direct *direct, const clsolve_matrix *A, const clsolve_matrix *b) {
    CLS_TRY(cls_direct_factor(direct, "calibration", A));
    return cls_direct_solve(direct, "calibration", CLSOLVE_NO_TRANS, b);
}

/* The least of a few; below 0: it failed. */
static double time_direct(cls_direct *direct, const clsolve_matrix *A, const clsolve_matrix *b) {
    double best = HUGE_VAL;
    for (int round = 0; round <= ROUNDS; ++round) {
        double start = cls_seconds();
        if (factor_and_solve(direct, A, b) != CLSOLVE_OK) return -1;
        if (round > 0) best = fmin(best, cls_seconds() - start);
    }
    return best;
}

static double time_lu(cls_device *device, clsolve_type type, int64_t n, const clsolve_matrix *A,
                      const clsolve_matrix *b) {
    static const clsolve_lu_options options = {0};
    cls_lu lu = {0};
    cls_direct direct = {0};
    double seconds = -1;
    if (cls_lu_direct_setup(device, n, type, &options, &lu, &direct) == CLSOLVE_OK)
        seconds = time_direct(&direct, A, b);
    cls_direct_release(&direct);
    cls_lu_release(&lu);
    return seconds;
}

static double time_inverse(cls_device *device, clsolve_type type, int64_t n, const clsolve_matrix *A,
                           const clsolve_matrix *X) {
    cls_gj gj = {0};
    double best = HUGE_VAL;
    clsolve_status status = cls_gj_setup(device, n, type, NULL, &gj);
    for (int round = 0; status == CLSOLVE_OK && round <= ROUNDS; ++round) {
        cls_gj_outcome outcome = {.rcond = -1};
        double start = cls_seconds();
        status = cls_gj_inverse(&gj, A, X, &outcome);
        if (round > 0) best = fmin(best, cls_seconds() - start);
    }
    cls_gj_release(&gj);
    return status == CLSOLVE_OK ? best : -1;
}

static double time_dense(cls_device *device, cls_family family, clsolve_type type, int64_t n) {
    clsolve_matrix A = make_matrix(type, n, n, -1, (double)n);
    clsolve_matrix b = make_matrix(type, n, family == CLS_FAMILY_INVERSE ? n : 1, -1, 0);
    double seconds = -1;
    if (A.data && b.data)
        seconds =
            family == CLS_FAMILY_INVERSE ? time_inverse(device, type, n, &A, &b) : time_lu(device, type, n, &A, &b);
    cls_free(A.data);
    cls_free(b.data);
    return seconds;
}

static double time_band(cls_device *device, clsolve_type type, int64_t n, int64_t k) {
    static const clsolve_band_options options = {0};
    clsolve_matrix A = make_matrix(type, 2 * k + 1, n, k, 2 * (double)k), b = make_matrix(type, n, 1, -1, 0);
    cls_band band = {0};
    cls_direct direct = {0};
    double seconds = -1;
    if (A.data && b.data && cls_band_direct_setup(device, n, k, k, type, &options, &band, &direct) == CLSOLVE_OK)
        seconds = time_direct(&direct, &A, &b);
    cls_direct_release(&direct);
    cls_band_release(&band);
    cls_free(A.data);
    cls_free(b.data);
    return seconds;
}

static clsolve_status invert_batch(cls_gj_batch *batch, const clsolve_batch *A, const int32_t *infos) {
    cls_gj_strides column = {1, batch->n};
    CLS_TRY(cls_members_up(batch->device, A, batch->A));
    CLS_TRY(cls_gj_batch_run(batch, 0, column, column));
    CLS_TRY(cls_gj_batch_finish(batch));
    return cls_members_down(batch->device, A, batch->A, infos);
}

static double time_batch(cls_device *device, clsolve_type type, int64_t n, int64_t count) {
    clsolve_matrix A = make_matrix(type, n, n * count, 0, 0);
    clsolve_batch view = clsolve_batch_f64(count, n, n, A.data);
    int32_t *infos = cls_alloc((size_t)count, sizeof *infos);
    cls_gj_batch batch = {0};
    double best = HUGE_VAL;
    view.type = type;
    clsolve_status status = A.data && infos ? cls_gj_batch_setup(device, n, count, type, &batch) : CLSOLVE_ERROR_DEVICE;
    for (int round = 0; status == CLSOLVE_OK && round <= ROUNDS; ++round) {
        double start = cls_seconds();
        status = invert_batch(&batch, &view, infos);
        if (round > 0) best = fmin(best, cls_seconds() - start);
    }
    cls_gj_batch_release(&batch);
    cls_free(infos);
    cls_free(A.data);
    return status == CLSOLVE_OK ? best : -1;
}

/* Both sides of a batch of lines have structs of their own. */
typedef struct lines {
    cls_bt_members device;
    cls_host_lines host;
    clsolve_grid views[4]; /* below, on, above the diagonal; B */
    int32_t *infos;
} lines;

static clsolve_status run_lines(lines *l, int on_host) {
    const clsolve_grid *const arrays[3] = {&l->views[0], &l->views[1], &l->views[2]};
    clsolve_seconds seconds = {0};
    if (!on_host) {
        CLS_TRY(cls_bt_members_factor(&l->device, arrays, l->infos, &seconds));
        return cls_bt_members_solve(&l->device, 0, &l->views[3], 1, l->infos, &seconds);
    }
    cls_host_lines_factor(&l->host, arrays, l->infos, &seconds);
    return cls_host_lines_solve(&l->host, 0, &l->views[3], 1, l->infos, &seconds);
}

static double time_lines(cls_device *device, clsolve_type type, int64_t n, int64_t count) {
    clsolve_matrix diagonals[4]; /* 4 on the main one */
    lines l = {.infos = cls_alloc((size_t)count, sizeof *l.infos)};
    int made = l.infos != NULL;
    double best = HUGE_VAL;
    for (int q = 0; q < 4; ++q) {
        diagonals[q] = make_matrix(type, 1, n * count, q == 1 ? 0 : 1, 4);
        made = made && diagonals[q].data;
        l.views[q] = clsolve_grid_f64(count, n, diagonals[q].data);
        l.views[q].type = type;
    }
    clsolve_status status = CLSOLVE_ERROR_DEVICE;
    if (made)
        status = device->no_kernels ? cls_host_lines_setup(device, n, count, type, &l.host)
                                    : cls_bt_members_setup(device, n, count, type, CLSOLVE_PIVOTING_AUTO, &l.device);
    for (int round = 0; status == CLSOLVE_OK && round <= ROUNDS; ++round) {
        double start = cls_seconds();
        status = run_lines(&l, device->no_kernels);
        if (round > 0) best = fmin(best, cls_seconds() - start);
    }
    cls_bt_members_release(&l.device);
    cls_host_lines_release(&l.host);
    for (int q = 0; q < 4; ++q) cls_free(diagonals[q].data);
    cls_free(l.infos);
    return status == CLSOLVE_OK ? best : -1;
}

/* The five-point Laplacian on N x N points, with its set-up. */
static double time_grid(cls_device *device, clsolve_type type, int64_t N) {
    static const clsolve_block_gs_options options = {.zero_guess = 1};
    clsolve_matrix values[3]; /* -1, 4, and right-hand sides, of which the solution takes the place */
    clsolve_grid views[3];
    int made = 1;
    for (int q = 0; q < 3; ++q) {
        values[q] = make_matrix(type, 1, N * N, 0, q == 0 ? -1 : 4);
        made = made && values[q].data;
        views[q] = clsolve_grid_f64(N, N, values[q].data);
        views[q].type = type;
    }
    const clsolve_grid *const arrays[5] = {&views[0], &views[1], &views[0], &views[0], &views[0]};
    double best = HUGE_VAL;
    clsolve_status status = made ? CLSOLVE_OK : CLSOLVE_ERROR_OUT_OF_MEMORY;
    for (int round = 0; status == CLSOLVE_OK && round <= ROUNDS; ++round) {
        cls_bt bt = {0};
        cls_bt_factored factored;
        cls_bt_solved solved;
        double start = cls_seconds();
        status = cls_bt_setup(device, N, N, type, &options, &bt);
        if (status == CLSOLVE_OK) status = cls_bt_factor_system(&bt, "calibration", arrays, &factored);
        if (status == CLSOLVE_OK)
            status = cls_bt_solve_system(&bt, "calibration", &(cls_bt_sides){&views[2], NULL, &views[2], 1}, &solved);
        if (round > 0) best = fmin(best, cls_seconds() - start);
        cls_bt_release(&bt);
    }
    for (int q = 0; q < 3; ++q) cls_free(values[q].data);
    return status == CLSOLVE_OK ? best : -1;
}

/* ---- the samples ---- */

/* Two lengths give what a call takes however short, and a column. */
static int sample_band(cls_device *device, clsolve_type type, int s, cls_samples *samples) {
    int64_t k = cls_sample_diagonals[s], few = 2 * k + 64, many = 4 * few;
    double a = time_band(device, type, few, k), b = time_band(device, type, many, k);
    if (a < 0 || b < 0) return 0;
    samples->each[s] = fmax((b - a) / (double)(many - few), 0.01 * b / (double)many);
    samples->fixed[s] = fmax(a - (double)few * samples->each[s], 1e-6);
    return 1;
}

/* Two numbers of members likewise. */
static int sample_batch(cls_device *device, clsolve_type type, int s, cls_samples *samples) {
    const int64_t n = cls_sample_members[s], few = 8, many = 65536 / (n * n) + 64;
    double a = time_batch(device, type, n, few), b = time_batch(device, type, n, many);
    if (a < 0 || b < 0) return 0;
    samples->each[s] = fmax((b - a) / (double)(many - few), 0.01 * b / (double)many);
    samples->fixed[s] = fmax(a - (double)few * samples->each[s], 1e-6);
    return 1;
}

/* Three shapes for three numbers; only the first sample has them. */
static int sample_lines(cls_device *device, clsolve_type type, int s, cls_samples *samples) {
    const double few = 64, many = 4096, members = 128;
    if (s > 0) return 1;
    double a = time_lines(device, type, (int64_t)few, 1), b = time_lines(device, type, (int64_t)many, 1);
    double c = time_lines(device, type, (int64_t)many, (int64_t)members);
    if (a < 0 || b < 0 || c < 0) return 0;
    samples->each[1] = fmax((c - b) / (many * (members - 1)), 1e-12);
    samples->each[0] = fmax((b - a) / (many - few) - samples->each[1], 1e-12);
    samples->fixed[0] = fmax(a - few * (samples->each[0] + samples->each[1]), 1e-7);
    return 1;
}

/* A small and a larger grid. */
static int sample_grid(cls_device *device, clsolve_type type, int s, cls_samples *samples) {
    const int64_t few = 32, many = 128;
    if (s > 0 || device->no_kernels) return 1;
    double a = time_grid(device, type, few), b = time_grid(device, type, many);
    if (a < 0 || b < 0) return 0;
    samples->each[0] = fmax((b - a) / (double)(many * many - few * few), 1e-12);
    samples->fixed[0] = fmax(a - (double)(few * few) * samples->each[0], 1e-6);
    return 1;
}

static int sample(cls_device *device, cls_family family, clsolve_type type, int s, cls_samples *samples) {
    if (family == CLS_FAMILY_BAND) return sample_band(device, type, s, samples);
    if (family == CLS_FAMILY_BATCH) return sample_batch(device, type, s, samples);
    if (family == CLS_FAMILY_LINES) return sample_lines(device, type, s, samples);
    if (family == CLS_FAMILY_GRID) return sample_grid(device, type, s, samples);
    samples->fixed[s] = time_dense(device, family, type, cls_sample_orders[s]);
    return samples->fixed[s] > 0;
}

/* As much slower than the host as at the sample before. */
static void extrapolate(cls_times *times, int s) {
    double of_fixed = times->device.fixed[s - 1] / times->host.fixed[s - 1];
    times->device.fixed[s] = of_fixed * times->host.fixed[s];
    if (times->host.each[s - 1] > 0)
        times->device.each[s] = times->device.each[s - 1] / times->host.each[s - 1] * times->host.each[s];
}

static int is_hopeless(const cls_times *times, int s) {
    double host = times->host.each[s] > 0 ? times->host.each[s] : times->host.fixed[s];
    double device = times->host.each[s] > 0 ? times->device.each[s] : times->device.fixed[s];
    return s == 2 && device > hopeless * host;
}

static int measure(clsolve_context *context, cls_device *host, cls_family family, clsolve_type type, cls_times *times) {
    int stopped = 0;
    for (int s = 0; s < CLS_SAMPLES; ++s)
        if (!sample(host, family, type, s, &times->host)) return 0;
    if (cls_in_place(context->device) && family < CLS_FAMILY_BATCH) { /* both are the same cores */
        times->device = times->host;
        return 1;
    }
    for (int s = 0; s < CLS_SAMPLES; ++s) {
        if (stopped)
            extrapolate(times, s);
        else if (!sample(context->device, family, type, s, &times->device))
            return 0;
        stopped = stopped || (family < CLS_FAMILY_LINES && is_hopeless(times, s));
    }
    return 1;
}

int cls_calibrate(clsolve_context *context, cls_device *host, cls_family family, clsolve_type type, cls_times *times) {
    cls_error said = context->error;
    cls_times made = {0};
    int fine = measure(context, host, family, type, &made);
    context->error = said;
    made.known = fine;
    if (fine) *times = made;
    times->known = 1; /* it is not tried again */
    return fine;
}
