/* played_bands.c: the tests of test_played about bands. */
#define _GNU_SOURCE

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "lapack/played_tests.h"

void sgbtrf_(const integer *m, const integer *n, const integer *kl, const integer *ku, float *ab, const integer *ldab,
             integer *ipiv, integer *info);

/* ---- kernels and times ---- */

enum { BAND_ORDER = 2000, BAND_KL = 40, BAND_KU = 45, BAND_ROWS = 2 * BAND_KL + BAND_KU + 1 };

/* The identity, as a medium band. 1: the device factored it. */
static int band_factors_there(int is_float) {
    const integer n = BAND_ORDER, kl = BAND_KL, ku = BAND_KU, ldab = BAND_ROWS;
    integer info = -1, *ipiv = calloc(BAND_ORDER, sizeof *ipiv);
    double *ab = calloc(BAND_ORDER * BAND_ROWS, sizeof *ab);
    float *single = calloc(BAND_ORDER * BAND_ROWS, sizeof *single);
    int before = atomic_load(&played->factored);
    assert_true(ab && single && ipiv);
    for (int j = 0; j < BAND_ORDER; j++) ab[BAND_KL + BAND_KU + j * BAND_ROWS] = 1;
    for (int j = 0; j < BAND_ORDER; j++) single[BAND_KL + BAND_KU + j * BAND_ROWS] = 1;
    if (is_float)
        sgbtrf_(&n, &n, &kl, &ku, single, &ldab, ipiv, &info);
    else
        dgbtrf_(&n, &n, &kl, &ku, ab, &ldab, ipiv, &info);
    assert_int_equal(info, 0);
    free(ab), free(single), free(ipiv);
    return atomic_load(&played->factored) > before;
}

static double seconds_now(void) {
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Dense kernels are there, those of bands are not: the host's time for bands asks for these. */
void test_band_kernels(void **unused) {
    (void)unused;
    assert_int_equal(atomic_load(&played->band_warming), 0); /* what the host spent on dense systems asked for none */
    int before = atomic_load(&played->calls);
    (void)alarm(120);
    const double start = seconds_now();
    while (atomic_load(&played->band_warming) == 0) assert_false(band_factors_there(0));
    assert_true(seconds_now() - start >= played->compile_seconds); /* of bands alone: the dense systems took as long */
    for (int k = 0; k < 3; k++) assert_false(band_factors_there(0) || factors_there(300)); /* the thread is inside */
    assert_int_equal(atomic_load(&played->calls), before);
    (void)sem_post(&played->release);
    while (!band_factors_there(0)) continue;
    (void)alarm(0);
    assert_true(played->band[0] > BAND_KL && played->band[0] <= BAND_ORDER);
    assert_true(played->band[1] == BAND_KL && played->band[2] == BAND_KU);
    assert_true(factors_there(300));
    assert_int_equal(atomic_load(&played->warming), 1);
    assert_int_equal(atomic_load(&played->band_warming), 1);
}

/* Kernels that do not compile are asked for once. Such calls stay on the host, and all others go on as before. */
void test_no_band_kernels(void **unused) {
    const double compile_seconds = played->compile_seconds;
    (void)unused;
    (void)alarm(120);
    while (atomic_load(&played->band_warming) == 1) assert_false(band_factors_there(1));
    played->failing = "band_warm";
    played->status = CLSOLVE_ERROR_BUILD;
    played->compile_seconds = 0; /* so that a second try would come at once, or the device get a call */
    (void)sem_post(&played->release);
    while (!band_factors_there(0)) continue; /* the thread is done */
    (void)alarm(0);
    int before = atomic_load(&played->calls);
    for (int k = 0; k < 20; k++) assert_false(band_factors_there(1));
    assert_int_equal(atomic_load(&played->calls), before);
    assert_int_equal(atomic_load(&played->band_warming), 2);
    assert_true(band_factors_there(0) && factors_there(300));
    played->failing = NULL;
    played->compile_seconds = compile_seconds;
}

/* Narrow bands are the host's, and so are few right-hand sides. The played host takes no time for narrow ones. */
void test_band_threshold(void **unused) {
    enum { ORDER = 2000 };
    static const integer diagonals[] = {1, 2, 8, 11, 12, 60};
    double *ab = calloc(ORDER * 181, sizeof *ab), *b = calloc(ORDER * 200, sizeof *b), rcond = -1;
    double *work = calloc(3 * ORDER, sizeof *work);
    integer *ipiv = calloc(ORDER, sizeof *ipiv), *iwork = calloc(ORDER, sizeof *iwork), info = -1;
    int on_device = 0;
    (void)unused;
    assert_true(ab && b && work && ipiv && iwork);
    for (size_t k = 0; k < sizeof diagonals / sizeof *diagonals; k++) {
        const integer n = ORDER, kl = diagonals[k], ldab = 3 * kl + 1, counts[] = {1, 20, 200};
        const double work_of = 2.0 * ORDER * kl * 2 * kl, norm = 1;
        const double device = 3 * (played->device_fixed + work_of / played->device_rate);
        const double host = work_of / played->host_rate;
        memset(ab, 0, ORDER * 181 * sizeof *ab);
        for (int j = 0; j < ORDER; j++) ab[2 * kl + j * ldab] = 1;
        int before = atomic_load(&played->factored);
        dgbtrf_(&n, &n, &kl, &kl, ab, &ldab, ipiv, &info);
        assert_int_equal(info, 0);
        assert_int_equal(atomic_load(&played->factored) > before, device < host);
        for (int c = 0; c < 3; c++) {
            const double r = (double)counts[c] * (3 * kl + 1) / (2.0 * kl * kl + 3 * kl + 1);
            before = atomic_load(&played->calls);
            dgbtrs_("N", &n, &kl, &kl, &counts[c], ab, &ldab, ipiv, b, &n, &info, 1);
            assert_int_equal(atomic_load(&played->calls) > before, (2 + r) * device < r * host);
            on_device += atomic_load(&played->calls) > before;
        }
        before = atomic_load(&played->calls);
        dgbcon_("1", &n, &kl, &kl, ab, &ldab, ipiv, &norm, &rcond, work, iwork, &info, 1);
        assert_int_equal(atomic_load(&played->calls), before);
        assert_true(fabs(rcond - 1) < 1e-12);
    }
    assert_true(on_device > 0 && on_device < 18);
    free(ab), free(b), free(work), free(ipiv), free(iwork);
}

/* ---- all calls of bands ---- */

enum { KL = 5, KU = 7, LDAB = 2 * KL + KU + 3 };

typedef struct band_data {
    double tall[LDAB * N], ab[LDAB * N], x[LD * NRHS], both[LDAB * N], y[LD * NRHS], rcond;
    integer tall_ipiv[N], ipiv[N], both_ipiv[N], infos[5];
} band_data;

static void fill_band(double *ab) {
    for (int j = 0; j < N; j++)
        for (int i = 0; i < LDAB; i++)
            ab[i + j * LDAB] = (double)((i * 37 + j * 101 + (i * j) % 13) % 19) / 19 + 9 * (i == KL + KU);
}

static void run_bands(band_data *d, char trans) {
    const integer n = N, m = N + 3, kl = KL, ku = KU, nrhs = NRHS, ld = LD, ldab = LDAB;
    const double norm = 200;
    static double work[3 * N];
    static integer iwork[N];
    memset(d, 0, sizeof *d);
    fill_band(d->tall), fill_band(d->ab), fill_band(d->both);
    for (int k = 0; k < LD * NRHS; k++) d->x[k] = d->y[k] = (double)(k % 7);
    dgbtrf_(&m, &n, &kl, &ku, d->tall, &ldab, d->tall_ipiv, &d->infos[0]);
    dgbtrf_(&n, &n, &kl, &ku, d->ab, &ldab, d->ipiv, &d->infos[1]);
    dgbtrs_(&trans, &n, &kl, &ku, &nrhs, d->ab, &ldab, d->ipiv, d->x, &ld, &d->infos[2], 1);
    dgbcon_(trans == 'N' ? "1" : "I", &n, &kl, &ku, d->ab, &ldab, d->ipiv, &norm, &d->rcond, work, iwork, &d->infos[3],
            1);
    dgbsv_(&n, &kl, &ku, &nrhs, d->both, &ldab, d->both_ipiv, d->y, &ld, &d->infos[4]);
}

static void same_bands(const band_data *x, const band_data *y) {
    assert_memory_equal(x->infos, y->infos, sizeof x->infos);
    assert_memory_equal(x->tall_ipiv, y->tall_ipiv, sizeof x->tall_ipiv);
    assert_memory_equal(x->ipiv, y->ipiv, sizeof x->ipiv);
    assert_memory_equal(x->both_ipiv, y->both_ipiv, sizeof x->both_ipiv);
    close_to(x->tall, y->tall, LDAB * N);
    close_to(x->ab, y->ab, LDAB * N);
    close_to(x->both, y->both, LDAB * N);
    close_to(x->x, y->x, LD * NRHS);
    close_to(x->y, y->y, LD * NRHS);
    close_to(&x->rcond, &y->rcond, 1);
}

void test_bands(void **unused) {
    static const char *const steps[] = {NULL,           "band_create", "band_factor",    "band_solve",
                                        "band_factors", "band_import", "band_condition", "band_factor_in_place",
                                        "band_report"};
    static band_data host, device;
    (void)unused;
    played->status = CLSOLVE_ERROR_DEVICE;
    for (int t = 0; t < 3; t++) {
        for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
            int before = atomic_load(&played->calls);
            played->failing = steps[k];
            run_bands(&device, "NTC"[t]);
            assert_true(atomic_load(&played->calls) >= before + 5);
            if (k == 0) host = device; /* by the same LAPACK */
            same_bands(&device, &host);
            assert_int_equal(atomic_load(&played->handles), 0);
        }
    }
    played->failing = NULL;
}
