/*
 * lapack_gate.c: what libclsolve_lapack.so costs a program whose systems stay on the host. Linked in front of LAPACK, it
 * calls each routine by turns through the library and at the host's own address.
 *
 *     bench_lapack_gate            the device is left to the library: small systems stay on the host
 *
 * It prints seconds through the library, at the host's address, and their ratio: of an empty call, whose difference is the
 * gate; of systems of order 10 to 300; of two threads with systems of order 50.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef void gesv(const int32_t *, const int32_t *, double *, const int32_t *, int32_t *, double *, const int32_t *,
                  int32_t *);
gesv dgesv_;

enum { ROUNDS = 31, MOST = 300 };

static double now(void) {
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct job {
    gesv *call;
    int32_t n;
    int calls;
    double seconds; /* of a call */
} job;

/* The matrix is made anew before each call: getrf leaves its factors there. */
static void *run(void *user) {
    job *j = user;
    const int32_t one = 1, ld = j->n > 0 ? j->n : 1;
    int32_t info = 0, *ipiv = calloc(MOST, sizeof *ipiv);
    size_t count = (size_t)j->n * (size_t)j->n;
    double *a = malloc((count + 1) * sizeof *a), *a0 = malloc((count + 1) * sizeof *a0), *b = calloc(MOST, sizeof *b);
    if (!ipiv || !a || !a0 || !b) abort();
    for (size_t k = 0; k < count; k++) a0[k] = (double)(k * 37 % 101) / 101 + (k % (size_t)(j->n + 1) == 0 ? j->n : 0);
    double start = now();
    for (int k = 0; k < j->calls; k++) {
        memcpy(a, a0, count * sizeof *a);
        j->call(&j->n, &one, a, &ld, ipiv, b, &ld, &info);
    }
    j->seconds = (now() - start) / j->calls;
    if (info != 0) abort();
    free(a), free(a0), free(b), free(ipiv);
    return NULL;
}

static double on_threads(gesv *call, int32_t n, int calls, int threads) {
    job jobs[2] = {{call, n, calls, 0}, {call, n, calls, 0}};
    pthread_t other;
    if (threads == 2 && pthread_create(&other, NULL, run, &jobs[1]) != 0) abort();
    (void)run(&jobs[0]);
    if (threads == 2) (void)pthread_join(other, NULL);
    return threads == 2 && jobs[1].seconds > jobs[0].seconds ? jobs[1].seconds : jobs[0].seconds;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Medians of rounds by turns. */
static void measure(gesv *host, int32_t n, int calls, int threads) {
    double through[ROUNDS], direct[ROUNDS];
    for (int r = 0; r < ROUNDS; r++) {
        through[r] = on_threads(dgesv_, n, calls, threads);
        direct[r] = on_threads(host, n, calls, threads);
    }
    qsort(through, ROUNDS, sizeof *through, compare);
    qsort(direct, ROUNDS, sizeof *direct, compare);
    double t = through[ROUNDS / 2], d = direct[ROUNDS / 2];
    (void)printf("n %4d  threads %d  library %.3e s  host %.3e s  ratio %.3f  difference %.1f ns\n", (int)n, threads, t,
                 d, t / d, 1e9 * (t - d));
}

int main(void) {
    static const int32_t orders[] = {10, 20, 50, 100, 200, 300};
    union {
        void *object;
        gesv *call;
    } host = {dlsym(dlopen("liblapack.so.3", RTLD_NOW), "dgesv_")};
    if (!host.object) {
        (void)fprintf(stderr, "no dgesv_ in liblapack.so.3\n");
        return 1;
    }
    measure(host.call, 0, 1000000, 1);
    for (size_t k = 0; k < sizeof orders / sizeof *orders; k++)
        measure(host.call, orders[k], 2 + 20000000 / (orders[k] * orders[k] * (orders[k] + 40)), 1);
    measure(host.call, 50, 1000, 2);
    return 0;
}
