/*
 * test_played.c: what the library does with a device whose times, kernels and failures the test decides (played.h).
 * Linked with a copy of the library that loads the played one. Argument 1: the played library.
 */
#define _GNU_SOURCE

#include <dlfcn.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "lapack/played_tests.h"

void dgecon_(const char *norm, const integer *n, const double *a, const integer *lda, const double *anorm,
             double *rcond, double *work, integer *iwork, integer *info, size_t length);
void dgerfs_(const char *trans, const integer *n, const integer *nrhs, const double *a, const integer *lda,
             const double *af, const integer *ldaf, const integer *ipiv, const double *b, const integer *ldb, double *x,
             const integer *ldx, double *ferr, double *berr, double *work, integer *iwork, integer *info,
             size_t length);
void dgesvx_(const char *fact, const char *trans, const integer *n, const integer *nrhs, double *a, const integer *lda,
             double *af, const integer *ldaf, integer *ipiv, char *equed, double *r, double *c, double *b,
             const integer *ldb, double *x, const integer *ldx, double *rcond, double *ferr, double *berr, double *work,
             integer *iwork, integer *info, size_t fact_length, size_t trans_length, size_t equed_length);

played_state *played;

/* ---- one system, through all routines ---- */

typedef struct data {
    double a[LD * N], lu[LD * N], b[LD * NRHS], x[LD * NRHS], inverse[LD * N], rcond, ferr[NRHS], berr[NRHS];
    double expert_lu[LD * N], expert_x[2][LD * NRHS], expert_rcond[2], growth[2];
    integer ipiv[N], expert_ipiv[N], infos[8];
} data;

static void fill(data *d) {
    memset(d, 0, sizeof *d);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < LD; i++)
            d->a[i + j * LD] = (double)((i * 37 + j * 101 + (i * j) % 13) % 19) / 19 + 9 * (i == j);
    for (int k = 0; k < LD * NRHS; k++) d->b[k] = (double)(k % 7);
}

/* gesvx: A is factored, and then the factors are given. */
static void run_expert(data *d, char trans) {
    const integer n = N, nrhs = NRHS, ld = LD;
    double ferr[NRHS], berr[NRHS];
    static double work[4 * N], r[N], c[N];
    static integer iwork[N];
    char equed = 'X';
    for (int given = 0; given < 2; given++) {
        dgesvx_(given ? "F" : "N", &trans, &n, &nrhs, d->a, &ld, d->expert_lu, &ld, d->expert_ipiv, &equed, r, c, d->b,
                &ld, d->expert_x[given], &ld, &d->expert_rcond[given], ferr, berr, work, iwork, &d->infos[6 + given], 1,
                1, 1);
        d->growth[given] = work[0];
        assert_int_equal(equed, 'N');
        for (int k = 0; k < NRHS; k++) assert_true(ferr[k] < 1e-10 && berr[k] < 1e-14);
    }
}

static void run_all(data *d, char trans) {
    const integer n = N, nrhs = NRHS, ld = LD, size = 64 * N;
    static double work[64 * N];
    static integer iwork[N];
    const double norm = 200;
    memcpy(d->lu, d->a, sizeof d->lu);
    memcpy(d->x, d->b, sizeof d->x);
    dgetrf_(&n, &n, d->lu, &ld, d->ipiv, &d->infos[0]);
    dgetrs_(&trans, &n, &nrhs, d->lu, &ld, d->ipiv, d->x, &ld, &d->infos[1], 1);
    dgerfs_(&trans, &n, &nrhs, d->a, &ld, d->lu, &ld, d->ipiv, d->b, &ld, d->x, &ld, d->ferr, d->berr, work, iwork,
            &d->infos[2], 1);
    dgecon_(trans == 'N' ? "O" : "I", &n, d->lu, &ld, &norm, &d->rcond, work, iwork, &d->infos[3], 1);
    memcpy(d->inverse, d->lu, sizeof d->inverse);
    dgetri_(&n, d->inverse, &ld, d->ipiv, work, &size, &d->infos[4]);
    memcpy(d->lu, d->a, sizeof d->lu);
    double right[LD * NRHS];
    memcpy(right, d->b, sizeof right);
    dgesv_(&n, &nrhs, d->lu, &ld, d->ipiv, right, &ld, &d->infos[5]);
    run_expert(d, trans);
}

static void estimate(data *d) {
    const integer n = N, ld = LD;
    const double norm = 200;
    double work[4 * N];
    integer iwork[N], info = -1;
    dgecon_("1", &n, d->a, &ld, &norm, &d->rcond, work, iwork, &info, 1);
    assert_int_equal(info, 0);
}

int factors_there(integer n) {
    integer info = -1, *ipiv = calloc((size_t)n, sizeof *ipiv);
    double *a = calloc((size_t)(n * n), sizeof *a);
    int before = atomic_load(&played->factored);
    assert_true(a && ipiv);
    for (integer i = 0; i < n; i++) a[i + i * n] = 1;
    dgetrf_(&n, &n, a, &n, ipiv, &info);
    assert_int_equal(info, 0);
    free(a), free(ipiv);
    return atomic_load(&played->factored) > before;
}

void close_to(const double *x, const double *y, size_t count) {
    for (size_t k = 0; k < count; k++) assert_true(fabs(x[k] - y[k]) <= 1e-9 * (1 + fabs(y[k])));
}

/* ---- tests, in order: the state of the process goes on ---- */

/* Kernels are missing: the host does it all, until that has come to the time that they take. */
static void test_kernels(void **unused) {
    static data d;
    (void)unused;
    fill(&d);
    estimate(&d);
    assert_int_equal(atomic_load(&played->contexts), 0); /* an estimate is no reason to look for a device */
    played->blocks = 1;
    run_all(&d, 'N');
    assert_int_equal(atomic_load(&played->contexts), 1);
    assert_int_equal(atomic_load(&played->handles), 0);
    int before = atomic_load(&played->calls);
    (void)alarm(120);
    while (atomic_load(&played->warming) == 0) run_all(&d, 'N');
    (void)alarm(0);
    assert_int_equal(atomic_load(&played->calls), before); /* nothing went to the device */
    for (int k = 0; k < 10; k++) {                         /* while kernels are compiled all goes to the host */
        run_all(&d, 'N');
        assert_int_equal(d.infos[0], 0);
    }
    assert_int_equal(atomic_load(&played->calls), before);
    (void)sem_post(&played->release);
    (void)alarm(120);
    while (!factors_there(300)) continue;
    (void)alarm(0);
    assert_true(atomic_load(&played->warm));
}

/* The device takes four milliseconds more, and a thousandth of the host's time: asked to be three times as fast, it wins from 262 rows on.
 * Shorter calls are the host's until they are measured (played_times.c). */
static void test_threshold(void **unused) {
    static const integer orders[] = {64, 200, 261, 262, 263, 300};
    const double fixed = played->device_fixed;
    (void)unused;
    played->device_fixed = 4e-3;
    for (size_t k = 0; k < sizeof orders / sizeof *orders; k++) {
        double n = (double)orders[k], work = 2.0 / 3 * n * n * n;
        int wins = 3 * (played->device_fixed + work / played->device_rate) < work / played->host_rate;
        assert_int_equal(factors_there(orders[k]), wins);
    }
    played->device_fixed = fixed;
}

/* Factors that the caller gives have to go up: few right-hand sides, estimates and refinements are the host's. */
static void test_given_threshold(void **unused) {
    enum { ORDER = 400, MOST = 30 };
    const double fixed = played->device_fixed, rate = played->host_rate;
    played->device_fixed = 4e-3; /* calls of 10 ms and more begin where the model says */
    played->host_rate = rate / 4;
    const integer n = ORDER, size = 64 * ORDER;
    const double work = 2.0 / 3 * ORDER * ORDER * ORDER, norm = 1;
    const double device = 3 * (played->device_fixed + work / played->device_rate), host = work / played->host_rate;
    double *a = calloc(ORDER * ORDER, sizeof *a), *b = calloc(ORDER * ORDER, sizeof *b);
    double *room = calloc(64 * ORDER, sizeof *room), rcond = -1;
    integer *ipiv = calloc(ORDER, sizeof *ipiv), *iwork = calloc(ORDER, sizeof *iwork), info = -1;
    int on_device = 0, before;
    (void)unused;
    assert_true(a && b && room && ipiv && iwork);
    for (int i = 0; i < ORDER; i++) a[i + i * ORDER] = 1, ipiv[i] = i + 1;
    for (integer nrhs = 1; nrhs < MOST; nrhs++) {
        double r = 3.0 * (double)nrhs / ORDER;
        before = atomic_load(&played->calls);
        dgetrs_("N", &n, &nrhs, a, &n, ipiv, b, &n, &info, 1);
        assert_int_equal(atomic_load(&played->calls) > before, (1 + r) * device < r * host);
        on_device += atomic_load(&played->calls) > before;
    }
    assert_true(on_device > 0 && on_device < MOST - 1);
    before = atomic_load(&played->calls);
    dgecon_("1", &n, a, &n, &norm, &rcond, room, iwork, &info, 1);
    assert_true(atomic_load(&played->calls) == before && fabs(rcond - 1) < 1e-12);
    dgetri_(&n, a, &n, ipiv, room, &size, &info);
    assert_true(atomic_load(&played->calls) > before && info == 0);
    played->device_fixed = fixed;
    played->host_rate = rate;
    free(a), free(b), free(room), free(ipiv), free(iwork);
}

static void same(const data *x, const data *y) {
    assert_memory_equal(x->infos, y->infos, sizeof x->infos);
    assert_memory_equal(x->ipiv, y->ipiv, sizeof x->ipiv);
    close_to(x->lu, y->lu, LD * N);
    close_to(x->x, y->x, LD * NRHS);
    close_to(x->inverse, y->inverse, LD * N);
    close_to(&x->rcond, &y->rcond, 1);
    close_to(x->a, y->a, LD * N);
    close_to(x->b, y->b, LD * NRHS);
    close_to(x->expert_lu, y->expert_lu, LD * N);
    close_to(x->expert_x[0], y->expert_x[0], 2 * LD * NRHS);
    close_to(x->expert_rcond, y->expert_rcond, 2);
    close_to(x->growth, y->growth, 2);
}

/* All goes to the device from here on (the program's second part has CLSOLVE_LAPACK_MIN=0). */
static void test_routines(void **unused) {
    static const char *const steps[] = {NULL,        "lu_create", "lu_factor",    "lu_solve",           "lu_factors",
                                        "lu_refine", "lu_import", "lu_condition", "lu_factor_in_place", "lu_inverse"};
    static data host, device;
    (void)unused;
    for (int t = 0; t < 2; t++) {
        const char trans = t ? 'T' : 'N';
        fill(&host);
        played->failing = "lu_create"; /* and what takes no handle */
        played->status = CLSOLVE_ERROR_DEVICE;
        run_all(&host, trans);
        for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
            fill(&device);
            played->failing = steps[k];
            int before = atomic_load(&played->calls);
            run_all(&device, trans);
            assert_true(atomic_load(&played->calls) >= before + 6);
            same(&device, &host);
            assert_int_equal(atomic_load(&played->handles), 0);
        }
    }
    played->failing = NULL;
}

/* A thread copies a larger matrix; the device fails when it has overwritten both. */
static void test_large(void **unused) {
    enum { LARGE = 1501, LEADING = 1504 }; /* large enough for several threads to copy */
    const integer n = LARGE, nrhs = 2, ld = LEADING;
    double *a = calloc((size_t)LEADING * LARGE, sizeof *a), *b = calloc((size_t)LEADING * 2, sizeof *b);
    integer *ipiv = calloc(LARGE, sizeof *ipiv), info = -1;
    (void)unused;
    assert_true(a && b && ipiv);
    for (int fault = 0; fault < 2; fault++) {
        played->failing = fault ? "lu_factors" : NULL;
        for (int k = 0; k < LEADING * LARGE; k++)
            a[k] = (double)(k * 37 % 101) / 101 + (k % (LEADING + 1) == 0 ? 90 : 0);
        for (int k = 0; k < 2 * LEADING; k++) b[k] = 0;
        for (int j = 0; j < LARGE; j++)
            for (int i = 0; i < LARGE; i++) b[i] += a[i + j * LEADING];
        int before = atomic_load(&played->calls);
        dgesv_(&n, &nrhs, a, &ld, ipiv, b, &ld, &info);
        assert_int_equal(info, 0);
        assert_true(atomic_load(&played->calls) >= before + 4);
        for (int i = 0; i < LARGE; i++) assert_true(fabs(b[i] - 1) < 1e-9 && b[i + LEADING] == 0);
        assert_true(a[LARGE] == (double)(LARGE * 37 % 101) / 101); /* between two columns */
    }
    played->failing = NULL;
    free(a), free(b), free(ipiv);
}

/* m is not n. */
static void test_rectangular(void **unused) {
    static data d, good;
    (void)unused;
    const integer m = 50, n = N, ld = LD;
    integer info = -1;
    for (int fault = 0; fault < 2; fault++) {
        fill(&d);
        memcpy(d.lu, d.a, sizeof d.lu);
        int before = atomic_load(&played->calls);
        played->failing = fault ? "lu_factor_in_place" : NULL;
        dgetrf_(&m, &n, d.lu, &ld, d.ipiv, &info);
        assert_int_equal(info, 0);
        assert_int_equal(atomic_load(&played->calls), before + 1);
        if (fault) close_to(d.lu, good.lu, LD * N);
        good = d;
    }
    played->failing = NULL;
    for (integer j = 0; j < n; j++)
        for (integer i = m; i < ld; i++) assert_true(d.lu[i + j * ld] == d.a[i + j * ld]);
    for (integer i = 0; i < m; i++) assert_true(d.ipiv[i] > i && d.ipiv[i] <= m);
    assert_int_equal(d.ipiv[m], 0);
}

/* ---- a device that cannot be opened ---- */

/* At first: the host does the calls, and a later one opens the device. */
static void test_opened_later(void **unused) {
    (void)unused;
    played->failing = "context_create_with";
    played->status = CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY;
    for (int k = 0; k < 50; k++) assert_false(factors_there(N));
    assert_true(atomic_load(&played->calls) >= 1 && atomic_load(&played->calls) < 7); /* not each of them has looked */
    played->failing = NULL;
    (void)alarm(60);
    while (!factors_there(N)) (void)usleep(10000);
    (void)alarm(0);
    assert_int_equal(atomic_load(&played->contexts), 1);
}

/* There is none: that is not asked again. */
static void test_opened_never(void **unused) {
    (void)unused;
    played->failing = "context_create_with";
    played->status = CLSOLVE_ERROR_NO_DEVICE;
    assert_false(factors_there(N));
    played->failing = NULL;
    (void)usleep(300000); /* more than the pause before a second look */
    assert_false(factors_there(N));
    assert_true(atomic_load(&played->calls) == 1 && atomic_load(&played->contexts) == 0);
}

/* ---- the end of the process while kernels are compiled ---- */

static void release(void) {
    (void)sem_post(&played->release);
}

static void *release_later(void *unused) {
    const struct timespec moment = {.tv_nsec = 300000000};
    (void)nanosleep(&moment, NULL);
    release();
    return unused;
}

static void check_compiled(void) {
    if (!atomic_load(&played->warm)) _exit(9);
}

static int leave(void) {
    static data d;
    fill(&d);
    (void)atexit(check_compiled); /* the last of all to run */
    played->blocks = 1;
    (void)alarm(120);
    while (atomic_load(&played->warming) == 0) run_all(&d, 'N');
    (void)atexit(check_compiled); /* the first: so go the objects of a compiler */
    /* The process is ending when the compiler goes on. */
    return pthread_create(&(pthread_t){0}, NULL, release_later, NULL);
}

/* For another thread the handlers that come behind the compiler's alone wait. */
static void *leave_there(void *unused) {
    const struct timespec moment = {.tv_nsec = 100000000};
    (void)unused;
    played->tester = pthread_self();
    const int code = leave();
    (void)nanosleep(&moment, NULL);
    exit(code);
}

int main(int argc, char **argv) {
    const struct CMUnitTest by_model[] = {
        cmocka_unit_test(test_kernels),         cmocka_unit_test(test_threshold),
        cmocka_unit_test(test_given_threshold), cmocka_unit_test(test_band_kernels),
        cmocka_unit_test(test_no_band_kernels), cmocka_unit_test(test_band_threshold)};
    const struct CMUnitTest all_there[] = {cmocka_unit_test(test_routines),    cmocka_unit_test(test_large),
                                           cmocka_unit_test(test_rectangular), cmocka_unit_test(test_bands),
                                           cmocka_unit_test(test_symmetric),   cmocka_unit_test(test_not_definite),
                                           cmocka_unit_test(test_indefinite)};
    const struct CMUnitTest times[] = {cmocka_unit_test(test_known_host), cmocka_unit_test(test_slow_device),
                                       cmocka_unit_test(test_change), cmocka_unit_test(test_far_host),
                                       cmocka_unit_test(test_trials)};
    const struct CMUnitTest later[] = {cmocka_unit_test(test_opened_later)};
    const struct CMUnitTest never[] = {cmocka_unit_test(test_opened_never)};
    void *library = argc > 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
    played = library ? dlsym(library, PLAYED_STATE) : NULL;
    if (!played) {
        (void)fprintf(stderr, "test_played LIBRARY model|times|routines|later|never|leave|leave_there: %s\n",
                      dlerror());
        return 2;
    }
    (void)sem_init(&played->release, 0, 0);
    played->tester = pthread_self();
    if (strcmp(argv[2], "leave") == 0) return leave();
    if (strcmp(argv[2], "leave_there") == 0) {
        pthread_t thread;
        return pthread_create(&thread, NULL, leave_there, NULL) != 0 || pthread_join(thread, NULL) != 0;
    }
    if (strcmp(argv[2], "times") == 0) return cmocka_run_group_tests(times, NULL, NULL);
    if (strcmp(argv[2], "later") == 0) return cmocka_run_group_tests(later, NULL, NULL);
    if (strcmp(argv[2], "never") == 0) return cmocka_run_group_tests(never, NULL, NULL);
    played->stands = strcmp(argv[2], "model") == 0;
    return strcmp(argv[2], "model") == 0 ? cmocka_run_group_tests(by_model, NULL, NULL)
                                         : cmocka_run_group_tests(all_there, NULL, NULL);
}
