#define _GNU_SOURCE

#include "lapack/faster.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "lapack/device.h"
#include "lapack/measured.h"

/* The largest order that is asked for: LAPACK on the host takes hours from there on. */
enum { MOST_ORDER = 1 << 17 };

static const char *name_of(clsolve_type type) {
    static const char *const names[] = {[CLSOLVE_F32] = "float",
                                        [CLSOLVE_F64] = "double",
                                        [CLSOLVE_C32] = "complex float",
                                        [CLSOLVE_C64] = "complex double"};
    return names[type];
}

/* The order that is compiled for: all orders beyond the tiny ones share their kernels. A band's go by its diagonals. */
enum { LAPACK_WARM_ORDER = 1024 };

/* 1: seconds of a factorization with a solve; 0: the model failed, and the host gets the call. */
static int predict(lapack_kind kind, int64_t m, int64_t n, int64_t nrhs, clsolve_type type, double *device,
                   double *host) {
    const lapack_library *library = &cls_lapack.library;
    const clsolve_status status =
        kind == KIND_SYMMETRIC ? library->cholesky_predict(cls_lapack.context, n, nrhs, type, device, host)
        : kind == KIND_LDL     ? library->ldl_predict(cls_lapack.context, n, nrhs, type, device, host)
                               : library->lu_predict(cls_lapack.context, m, n, nrhs, type, device, host);
    if (status != CLSOLVE_OK) return 0;
    *device += cls_lapack.overhead[type];
    return 1;
}

/* The device is asked to be so many times as fast. The host's time of few rows is uncertain by that: its threads are
 * awake in a loop of calls, and asleep in a program that does other things, as when they are measured by turns with a
 * device. */
static const double surely = 3;

static int device_wins(lapack_kind kind, int64_t n, clsolve_type type) {
    double device, host;
    return predict(kind, n, n, 1, type, &device, &host) && surely * device < host;
}

/* The least order that the device factors faster, if there is such. Beyond it the device gains ever more. */
static int64_t least_order(lapack_kind kind, clsolve_type type) {
    int64_t high = LAPACK_LOOK_ORDER, low;
    while (high < MOST_ORDER && !device_wins(kind, high, type)) high *= 2;
    if (high >= MOST_ORDER) return INT64_MAX;
    for (low = high / 2; high - low > 1;) {
        int64_t middle = low + (high - low) / 2;
        *(device_wins(kind, middle, type) ? &high : &low) = middle;
    }
    return high;
}

/* A system of order 1 takes the device no time that counts. */
static long long start_of(lapack_kind kind, clsolve_type type) {
    double device, host;
    int known = kind == KIND_BAND ? cls_lapack.library.band_predict(cls_lapack.context, 1, 1, 0, 0, 1, type, &device,
                                                                    &host) == CLSOLVE_OK
                                  : predict(kind, 1, 1, 1, type, &device, &host);
    return known && device < 1e6 ? (long long)(1e9 * device) : LLONG_MAX;
}

int cls_lapack_lacks_kernels(lapack_kind kind, clsolve_type type) {
    const lapack_library *library = &cls_lapack.library;
    if (cls_lapack.no_kernels[kind][type]) return 0;
    return !(kind == KIND_BAND        ? library->band_is_warm
             : kind == KIND_SYMMETRIC ? library->cholesky_is_warm
             : kind == KIND_LDL       ? library->ldl_is_warm
                                      : library->lu_is_warm)(cls_lapack.context, type);
}

/* The least order for each call that the model is to look at, or that the device gets. */
static int64_t least_of(lapack_kind kind, clsolve_type type) {
    if (cls_lapack.no_kernels[kind][type]) return INT64_MAX;
    if (cls_lapack.options.least >= 0) return cls_lapack.options.least;
    if (!cls_lapack_is_single(type) && !cls_lapack.library.context_device(cls_lapack.context).fp64) return INT64_MAX;
    if (kind == KIND_BAND) return LAPACK_LOOK_ORDER;
    const int64_t least = least_order(kind, type);
    return cls_lapack_lacks_kernels(kind, type) && least > LAPACK_LOOK_ORDER ? LAPACK_LOOK_ORDER : least;
}

/*
 * While kernels are missing, calls from LAPACK_LOOK_ORDER on are looked at: their time is summed up, and when it has
 * come to the time of the compilation the kernels are compiled (gate.c).
 */
void cls_lapack_tabulate(void) {
    for (int kind = 0; kind < LAPACK_KINDS; kind++)
        for (int t = CLSOLVE_F32; t < LAPACK_TYPES; t++) {
            const clsolve_type type = (clsolve_type)t;
            if (kind != KIND_DENSE && cls_lapack_is_complex(type)) continue; /* there are no such routines */
            const int64_t least = least_of((lapack_kind)kind, type);
            atomic_store(&cls_lapack.start[kind][t], start_of((lapack_kind)kind, type));
            atomic_store(&cls_lapack.least[kind][t], least);
            if (kind == KIND_DENSE)
                cls_lapack_say("%s: the device from order %lld on", name_of(type), (long long)least);
        }
    if (atomic_load(&cls_lapack.phase) == PHASE_HOST) cls_lapack_close(); /* a fork's child, meanwhile */
}

/* ---- the time of a call on top of the prediction ---- */

enum { OVERHEAD_ORDER = 128, OVERHEAD_ROUNDS = 4 };

/* A call as gesv's, of the identity; HUGE_VAL: it failed. */
static double call_seconds(clsolve_matrix *A, clsolve_matrix *B, int64_t *ipiv) {
    const lapack_library *library = &cls_lapack.library;
    const clsolve_lu_options options = cls_device_lu_options(A->cols, A->type);
    clsolve_lu *lu = NULL;
    const int64_t start = cls_lapack_now();
    clsolve_status status = library->lu_create(cls_lapack.context, A->cols, A->type, &options, &lu);
    if (status == CLSOLVE_OK) status = library->lu_factor(lu, A);
    if (status == CLSOLVE_OK) status = library->lu_solve(lu, CLSOLVE_NO_TRANS, B);
    if (status == CLSOLVE_OK) status = library->lu_factors(lu, A, ipiv);
    library->lu_destroy(lu);
    return status == CLSOLVE_OK ? 1e-9 * (double)(cls_lapack_now() - start) : HUGE_VAL;
}

/*
 * The library predicts a factorization and a solve with a handle that is there. LAPACK's calls make and destroy one,
 * and want the factors back. That is most of the time of a small system.
 */
static void measure_overhead(clsolve_type type) {
    enum { N = OVERHEAD_ORDER };
    const size_t size = cls_device_size(type);
    char *room = calloc(N * N + N, size);
    int64_t ipiv[N];
    clsolve_matrix A = {type, CLSOLVE_COLUMN_MAJOR, N, N, N, room, CLSOLVE_ON_HOST, 0}, B = A;
    double least = HUGE_VAL, device, host;
    if (!room) return;
    B.cols = 1;
    B.data = room + size * N * N;
    for (int64_t k = 0; k < N; k++)
        if (cls_lapack_is_single(type))
            *(float *)(void *)(room + size * (size_t)(k * (N + 1))) = 1; /* the real part comes first */
        else
            *(double *)(void *)(room + size * (size_t)(k * (N + 1))) = 1;
    for (int round = 0; round < OVERHEAD_ROUNDS; round++) least = fmin(least, call_seconds(&A, &B, ipiv));
    cls_lapack.overhead[type] = 0;
    if (least < HUGE_VAL && predict(KIND_DENSE, N, N, 1, type, &device, &host))
        cls_lapack.overhead[type] = fmax(least - device, 0);
    free(room);
}

/* A band as the call's, but no longer than its kernels need. */
static clsolve_status compile_band(clsolve_type type, const lapack_wanted *wanted) {
    const int64_t most = LAPACK_WARM_ORDER + 4 * (wanted->kl + wanted->ku);
    return cls_lapack.library.band_warm(cls_lapack.context, wanted->n < most ? wanted->n : most, wanted->kl, wanted->ku,
                                        type);
}

void cls_lapack_compile(lapack_kind kind, clsolve_type type, const lapack_wanted *wanted) {
    const clsolve_status status =
        kind == KIND_BAND        ? compile_band(type, wanted)
        : kind == KIND_SYMMETRIC ? cls_lapack.library.cholesky_warm(cls_lapack.context, LAPACK_WARM_ORDER, type)
        : kind == KIND_LDL       ? cls_lapack.library.ldl_warm(cls_lapack.context, LAPACK_WARM_ORDER, type)
                           : cls_lapack.library.lu_warm(cls_lapack.context, LAPACK_WARM_ORDER, LAPACK_WARM_ORDER, type);
    static const char *const of_kind[LAPACK_KINDS] = {"", "positive definite matrices of ", "bands of ",
                                                      "symmetric matrices of "};
    cls_lapack_say("kernels for %s%s: %s", of_kind[kind], name_of(type),
                   status == CLSOLVE_OK ? "compiled" : cls_lapack.library.context_message(cls_lapack.context));
    if (status != CLSOLVE_OK) {
        cls_lapack.no_kernels[kind][type] = 1;
    } else if (kind == KIND_DENSE) {
        measure_overhead(type);
        cls_lapack_say("%s: %.0f us of a call next to its work", name_of(type), 1e6 * cls_lapack.overhead[type]);
    }
    cls_lapack_tabulate();
}

/*
 * The model knows a factorization with one solve: D seconds on the device with the transfers both ways, H on the host,
 * for 2/3 n^3 operations. All else is bounded by these. Factors of the caller's have to go up, which D contains, so it
 * counts a whole D for them.
 *
 *   work       operations         on the host       on the device, at most
 *   SOLVE      2 n^2 nrhs         r H               D + r D, r = 3 nrhs / n: D has the upload and a solve, r D the rest
 *   INVERT     4/3 n^3            2 H               D + D: a solve with n right-hand sides, at the rate of products
 *
 * Cholesky's and LDL^T's D and H are for 1/3 n^3 operations: r is 6 nrhs / n, and INVERT has 2/3 n^3, so its 2 H and
 * 2 D stand too.
 *
 * ESTIMATE does not come here (gate.c): each of its solves reads n^2 numbers once, on the host too, and the host has
 * done a few of them before the factors are up. For many of them D is no bound of the device's time.
 */
static int expect_dense(lapack_kind kind, const lapack_shape *shape, clsolve_type type, double seconds[LAPACK_SIDES]) {
    const int factors = shape->work == WORK_FACTOR;
    double device, host, r = (kind == KIND_DENSE ? 3 : 6) * (double)shape->nrhs / (double)shape->n;
    if (!predict(kind, shape->m, shape->n, factors ? shape->nrhs : 1, type, &device, &host)) return 0;
    seconds[SIDE_DEVICE] = device * (factors ? 1 : shape->work == WORK_INVERT ? 2 : 1 + r);
    seconds[SIDE_HOST] = host * (factors ? 1 : shape->work == WORK_INVERT ? 2 : r);
    return 1;
}

/*
 * For a band the model knows D and H likewise, for kl (kl + ku) operations a column of the factorization and 2 kl + ku
 * + 1 of a solve. A solve with factors of the caller's takes r H on the host, where r is its part of these operations.
 * The factors that go up are up to twice as many numbers as the band in D. So the device takes 2 D + r D at most.
 */
static int expect_band(const lapack_shape *shape, clsolve_type type, double seconds[LAPACK_SIDES]) {
    const int factors = shape->work == WORK_FACTOR;
    const double below = (double)shape->kl, upper = (double)(shape->kl + shape->ku), solve = below + upper + 1;
    double device, host, r = (double)shape->nrhs * solve / (below * upper + solve);
    if (cls_lapack.library.band_predict(cls_lapack.context, shape->m, shape->n, shape->kl, shape->ku,
                                        factors ? shape->nrhs : 1, type, &device, &host) != CLSOLVE_OK)
        return 0;
    seconds[SIDE_DEVICE] = device * (factors ? 1 : 2 + r);
    seconds[SIDE_HOST] = host * (factors ? 1 : r);
    return 1;
}

int cls_lapack_is_faster(const lapack_call *call, const lapack_shape *shape, uint32_t class_key) {
    double seconds[LAPACK_SIDES];
    if (cls_lapack.options.least >= 0) return shape->n >= cls_lapack.options.least;
    const int known = call->kind == KIND_BAND ? expect_band(shape, call->type, seconds)
                                              : expect_dense(call->kind, shape, call->type, seconds);
    return known && surely * seconds[SIDE_DEVICE] < seconds[SIDE_HOST] && cls_measured_choose(class_key, seconds);
}
