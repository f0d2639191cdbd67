/*
 * test_process.c WHAT: what a process does around its calls of LAPACK:
 *
 *   threads   threads solve at the same time, of which one at most is on the device
 *   fork      children solve, while the parent's threads are inside
 *   leave     the process ends while the library's thread looks for a device or compiles
 *   unload    the library is loaded and unloaded by dlopen and dlclose
 */
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lapack/lapack_names.h"

typedef void gesv(const integer *, const integer *, double *, const integer *, integer *, double *, const integer *,
                  integer *);

/* A system whose solution is all ones; 0: it was found. */
static int solve(gesv *call, integer n) {
    const integer one = 1;
    integer info = -7, *ipiv = malloc((size_t)n * sizeof *ipiv);
    double *a = malloc((size_t)(n * n) * sizeof *a), *b = calloc((size_t)n, sizeof *b), worst = 0;
    if (!ipiv || !a || !b) abort();
    for (integer j = 0; j < n; j++)
        for (integer i = 0; i < n; i++) {
            double value = (double)((i * 37 + j * 101 + (i * j) % 13) % 19) / 19 + (i == j ? (double)n : 0);
            a[i + j * n] = value;
            b[i] += value;
        }
    call(&n, &one, a, &n, ipiv, b, &n, &info);
    for (integer i = 0; i < n; i++) {
        double error = fabs(b[i] - 1);
        if (!(error <= worst)) worst = error;
    }
    free(a), free(b), free(ipiv);
    return !(info == 0 && worst < 1e-10);
}

static atomic_int wrong, ended;

static void *solve_many(void *orders) {
    for (int k = 0; k < 40; k++)
        if (solve(dgesv_, *(integer *)orders + k % 3)) atomic_fetch_add(&wrong, 1);
    return NULL;
}

static int threads(void) {
    static integer orders[] = {50, 33, 97, 130};
    pthread_t all[4];
    if (solve(dgesv_, 20)) return 1; /* the device is open from here on */
    for (int t = 0; t < 4; t++)
        if (pthread_create(&all[t], NULL, solve_many, &orders[t]) != 0) return 1;
    for (int t = 0; t < 4; t++) (void)pthread_join(all[t], NULL);
    return atomic_load(&wrong) != 0;
}

static void *solve_on(void *unused) {
    (void)unused;
    while (!atomic_load(&ended)) (void)solve(dgesv_, 80);
    return NULL;
}

/* What runs at the end of a process runs too; but a leak checker calls lost what the parent's other thread was working with. */
static void leave(int code) {
#ifdef __SANITIZE_ADDRESS__
    _exit(code);
#else
    exit(code);
#endif
}

/* A child that hangs is ended by its alarm. */
static int forks(void) {
    pthread_t other;
    int bad = solve(dgesv_, 60);
    if (pthread_create(&other, NULL, solve_on, NULL) != 0) return 1;
    for (int k = 0; k < 20; k++) {
        int status = -1;
        pid_t child = fork();
        if (child == 0) {
            (void)alarm(60);
            leave(solve(dgesv_, 70));
        }
        if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
            (void)fprintf(stderr, "child %d: status %d\n", k, status);
            bad = 1;
        }
        bad |= solve(dgesv_, 40);
    }
    atomic_store(&ended, 1);
    (void)pthread_join(other, NULL);
    return bad;
}

static int unload(const char *library) {
    for (int k = 0; k < 3; k++) {
        union {
            void *object;
            gesv *call;
        } found;
        void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
        if (!handle) {
            (void)fprintf(stderr, "%s\n", dlerror());
            return 1;
        }
        found.object = dlsym(handle, "dgesv_");
        if (!found.object || solve(found.call, 90)) return 1;
        (void)dlclose(handle);
    }
    return 0;
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "threads") == 0) return threads();
    if (strcmp(what, "fork") == 0) return forks();
    if (strcmp(what, "leave") == 0) return solve(dgesv_, argc > 2 ? (integer)atoi(argv[2]) : 900);
    if (strcmp(what, "unload") == 0 && argc > 2) return unload(argv[2]);
    (void)fprintf(stderr, "test_process: threads, fork, leave [N] or unload LIBRARY\n");
    return 2;
}
