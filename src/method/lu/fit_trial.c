/* fit_trial.c: the time of one factorization, or of one solve, with given sizes. */
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "method/lu/fit.h"
#include "method/lu/lu.h"

/* A prime, so that the columns of a matrix begin at different numbers: it is as good as random, and not singular. */
enum { NUMBERS = 1000003 };
/* Repetitions, the fastest of which counts. The first may compile products; short ones differ more. */
enum { LEAST_RUNS = 2, MOST_RUNS = 5 };
static const double enough = 0.1; /* seconds of all repetitions after the first */

/* ---- matrices ---- */

/* Uniform in [-1, 1): D. Knuth, The Art of Computer Programming 2, 3.2.1, with a power of two for a modulus. */
static double next_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(*state >> 11) / 4503599627370496.0 - 1.0;
}

clsolve_status cls_lu_trials_create(cls_device *device, clsolve_type type, cls_lu_trials *trials) {
    uint64_t state = 24;

    *trials = (cls_lu_trials){device, type, cls_alloc(NUMBERS, (size_t)cls_type_size(type))};
    if (!trials->numbers)
        return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for random numbers");
    for (int64_t k = 0; k < NUMBERS; ++k) {
        if (type == CLSOLVE_F64)
            ((double *)trials->numbers)[k] = next_random(&state);
        else
            ((float *)trials->numbers)[k] = (float)next_random(&state);
    }
    return CLSOLVE_OK;
}

void cls_lu_trials_destroy(cls_lu_trials *trials) {
    cls_free(trials->numbers);
    trials->numbers = NULL;
}

int cls_lu_trial_fits(const cls_lu_trials *trials, int64_t n) {
    cls_device *device = trials->device;
    const int64_t size = cls_type_size(trials->type), left = device->ops->memory_left(device);
    return cls_matrix_ld(n, size) * size * (n + 256) <= left / (device->info.host_memory ? 4 : 2);
}

/* `count` numbers from number *first on, round and round, into the slab from element `at` on. */
static clsolve_status fill_slab(const cls_lu_trials *trials, cls_matrix *matrix, int64_t slab, int64_t count,
                                int64_t *first) {
    cls_device *device = trials->device;
    const size_t size = (size_t)cls_type_size(trials->type);

    for (int64_t at = 0, part; at < count; at += part) {
        part = NUMBERS - *first < count - at ? NUMBERS - *first : count - at;
        const char *from = (const char *)trials->numbers + (size_t)*first * size;
        const size_t bytes = (size_t)part * size, offset = (size_t)at * size;
        const cls_rect rect = {bytes, 1, offset, bytes, bytes};
        if (matrix->mapped)
            memcpy((char *)matrix->mapped[slab] + offset, from, bytes);
        else
            CLS_TRY(device->ops->write(device, CLS_COMPUTE, matrix->slab[slab], from, &rect, NULL, NULL));
        *first = (*first + part) % NUMBERS;
    }
    return CLSOLVE_OK;
}

static clsolve_status fill(const cls_lu_trials *trials, cls_matrix *matrix) {
    int64_t first = 0;
    for (int64_t s = 0; s < matrix->slabs; ++s) {
        const int64_t left = matrix->cols - s * matrix->slab_cols;
        const int64_t cols = left < matrix->slab_cols ? left : matrix->slab_cols;
        CLS_TRY(fill_slab(trials, matrix, s, cols * matrix->ld, &first));
    }
    return trials->device->ops->finish(trials->device, CLS_COMPUTE);
}

/* ---- times ---- */

/* A resident leaf that fails is a launch a column the next time. */
static clsolve_status factor(const cls_lu_trials *trials, cls_lu *lu, double *seconds) {
    int64_t info;
    int again = 1;

    for (int turn = 0; turn < 2 && again; ++turn) {
        CLS_TRY(fill(trials, &lu->A));
        const double start = cls_seconds();
        CLS_TRY(cls_lu_factor(lu, NULL, &info, &again));
        *seconds = cls_seconds() - start;
    }
    return CLSOLVE_OK;
}

/* With A and with A^T, one after the other: half the time. */
static clsolve_status solve(const cls_lu_trials *trials, cls_lu *lu, double *seconds) {
    cls_device *device = trials->device;

    CLS_TRY(cls_lu_reserve(lu, 1, 0));
    CLS_TRY(fill(trials, &lu->B));
    const double start = cls_seconds();
    CLS_TRY(cls_lu_apply(lu, CLSOLVE_NO_TRANS, 1));
    CLS_TRY(cls_lu_apply(lu, CLSOLVE_TRANS, 1));
    CLS_TRY(device->ops->finish(device, CLS_COMPUTE));
    *seconds = (cls_seconds() - start) / 2;
    return CLSOLVE_OK;
}

static clsolve_status measure(const cls_lu_trials *trials, cls_lu *lu, int64_t n, int solves, double *seconds) {
    double one, all = 0;

    lu->in_core_only = 1;
    CLS_TRY(cls_lu_setup(trials->device, n, trials->type, NULL, lu));
    *seconds = 0;
    if (solves) CLS_TRY(factor(trials, lu, &one));
    for (int run = 0; run < MOST_RUNS && (run < LEAST_RUNS || all < enough); ++run) {
        CLS_TRY(solves ? solve(trials, lu, &one) : factor(trials, lu, &one));
        if (run == 0 || one < *seconds) *seconds = one;
        if (run > 0) all += one;
    }
    return CLSOLVE_OK;
}

clsolve_status cls_lu_trial(const cls_lu_trials *trials, int64_t n, const cls_fitted *fitted, int solves,
                            double *seconds) {
    cls_device *device = trials->device;
    cls_fitted both[2] = {*fitted, *fitted}, *const before = device->fitted;
    const cls_counters counted = device->counters;
    cls_lu lu = {0};

    device->fitted = both;
    clsolve_status status = measure(trials, &lu, n, solves, seconds);
    cls_lu_release(&lu);
    device->fitted = before;
    device->counters = counted; /* what a trial moves is no caller's */
    return status;
}
