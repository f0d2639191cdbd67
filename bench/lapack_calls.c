/*
 * lapack_calls.c: seconds of LAPACK's own calls, without an interpreter that copies: dgesv with one right-hand side;
 * dgetrf and dgetri; dgetrf. The program is linked with LAPACK alone; bench/lapack.py runs it with libclsolve_lapack.so in
 * front and without.
 *
 *   bench_lapack_calls ROUNDS N...      a line of JSON for each order
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void dgesv_(const int *n, const int *nrhs, double *a, const int *lda, int *ipiv, double *b, const int *ldb, int *info);
void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *ipiv, int *info);
void dgetri_(const int *n, double *a, const int *lda, const int *ipiv, double *work, const int *lwork, int *info);

enum { SOLVE, INVERSE, DETERMINANT, KINDS };

typedef struct problem {
    int n, *ipiv, lwork;
    double *a, *work_a, *b, *x, *work; /* a, b: as they were */
    double log_det;
} problem;

static double now(void) {
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double random_number(void) {
    static unsigned long long state = 88172645463325252u;
    state ^= state << 13, state ^= state >> 7, state ^= state << 17; /* Marsaglia's xorshift64 */
    return (double)(state >> 11) * 0x1p-53 - 0.5;
}

/* 1: there is memory. */
static int make(problem *p, int n) {
    const size_t all = (size_t)n * (size_t)n;
    *p = (problem){.n = n, .lwork = 64 * n};
    p->a = malloc(all * sizeof *p->a);
    p->work_a = malloc(all * sizeof *p->work_a);
    p->b = malloc((size_t)n * sizeof *p->b);
    p->x = malloc((size_t)n * sizeof *p->x);
    p->ipiv = malloc((size_t)n * sizeof *p->ipiv);
    p->work = malloc((size_t)p->lwork * sizeof *p->work);
    if (!p->a || !p->work_a || !p->b || !p->x || !p->ipiv || !p->work) return 0;
    for (size_t k = 0; k < all; k++) p->a[k] = random_number();
    for (int k = 0; k < n; k++) p->b[k] = random_number();
    return 1;
}

static void drop(problem *p) {
    free(p->a), free(p->work_a), free(p->b), free(p->x), free(p->ipiv), free(p->work);
}

/* Seconds, or -1: LAPACK failed. */
static double run(problem *p, int kind) {
    const int one = 1;
    int info = 0;
    memcpy(p->work_a, p->a, (size_t)p->n * (size_t)p->n * sizeof *p->a);
    memcpy(p->x, p->b, (size_t)p->n * sizeof *p->b);
    double start = now();
    if (kind == SOLVE)
        dgesv_(&p->n, &one, p->work_a, &p->n, p->ipiv, p->x, &p->n, &info);
    else
        dgetrf_(&p->n, &p->n, p->work_a, &p->n, p->ipiv, &info);
    if (info == 0 && kind == INVERSE) dgetri_(&p->n, p->work_a, &p->n, p->ipiv, p->work, &p->lwork, &info);
    if (kind == DETERMINANT) {
        p->log_det = 0;
        for (size_t k = 0, n = (size_t)p->n; k < n; k++) p->log_det += log(fabs(p->work_a[k + k * n]));
    }
    return info == 0 ? now() - start : -1;
}

/* The scaled residual of A x = b in the largest elements. */
static double residual(const problem *p, const double *x, const double *b) {
    double worst = 0, of_x = 0, of_a = 0;
    const size_t n = (size_t)p->n;
    for (size_t i = 0; i < n; i++) {
        double r = b ? -b[i] : i == 0 ? -1 : 0, sum = 0;
        for (size_t k = 0; k < n; k++) {
            const double value = p->a[i + k * n];
            r += value * x[k];
            sum += fabs(value);
        }
        worst = fmax(worst, fabs(r)), of_a = fmax(of_a, sum), of_x = fmax(of_x, fabs(x[i]));
    }
    return worst / (of_a * of_x * p->n * DBL_EPSILON);
}

/* The least of the rounds, after one that warms. 0: the answer was wrong. */
static int measure(problem *p, int rounds, double seconds[KINDS]) {
    for (int kind = 0; kind < KINDS; kind++) {
        seconds[kind] = HUGE_VAL;
        for (int round = -1; round < rounds; round++) {
            const double took = run(p, kind);
            if (took < 0) return 0;
            if (round >= 0) seconds[kind] = fmin(seconds[kind], took);
        }
        if (kind == SOLVE && !(residual(p, p->x, p->b) < 30)) return 0;
        if (kind == INVERSE && !(residual(p, p->work_a, NULL) < 30)) return 0; /* of its first column */
    }
    return 1;
}

int main(int argc, char **argv) {
    const int rounds = argc > 2 ? atoi(argv[1]) : 0;
    if (rounds < 1) return (void)fprintf(stderr, "bench_lapack_calls ROUNDS N...\n"), 2;
    for (int k = 2; k < argc; k++) {
        problem p;
        double seconds[KINDS];
        if (atoi(argv[k]) < 1 || !make(&p, atoi(argv[k])))
            return (void)fprintf(stderr, "bench_lapack_calls: n = %s: no memory for it\n", argv[k]), 2;
        const int right = measure(&p, rounds, seconds);
        (void)printf("{\"n\": %d, \"solve\": %.9f, \"inv\": %.9f, \"det\": %.9f, \"log_det\": %.17g, \"bad\": [%s]}\n",
                     p.n, seconds[SOLVE], seconds[INVERSE], seconds[DETERMINANT], p.log_det, right ? "" : "\"calls\"");
        (void)fflush(stdout);
        drop(&p);
    }
    return 0;
}
