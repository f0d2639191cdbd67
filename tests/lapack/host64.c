/*
 * host64.c: a LAPACK with integers of 64 bits, for tests: dgesv and dgetrf, done by the LAPACK with 32 bits that is
 * installed. Built twice: with names that end in _64_, and with LAPACK's plain names (PLAIN_NAMES), which say nothing of the
 * width.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

#ifdef PLAIN_NAMES
#define NAME(routine) routine##_
#else
#define NAME(routine) routine##_64_
#endif

typedef union lapack_function {
    void *object;
    void (*gesv)(int32_t *, int32_t *, double *, int32_t *, int32_t *, double *, int32_t *, int32_t *);
    void (*getrf)(int32_t *, int32_t *, double *, int32_t *, int32_t *, int32_t *);
} lapack_function;

static lapack_function find(const char *symbol) {
    lapack_function found = {dlsym(dlopen("liblapack.so.3", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE), symbol)};
    if (!found.object) abort();
    return found;
}

/* Pivots of 32 bits; NULL: back into the caller's. */
static int32_t *room(int64_t n) {
    int32_t *pivots = malloc((size_t)(n > 0 ? n : 1) * sizeof *pivots);
    if (!pivots) abort();
    return pivots;
}

static void widen(int32_t *pivots, int64_t *ipiv, int64_t n) {
    for (int64_t i = 0; i < n; i++) ipiv[i] = pivots[i];
    free(pivots);
}

void NAME(dgesv)(int64_t *n, int64_t *nrhs, double *a, int64_t *lda, int64_t *ipiv, double *b, int64_t *ldb,
                 int64_t *info);
void NAME(dgesv)(int64_t *n, int64_t *nrhs, double *a, int64_t *lda, int64_t *ipiv, double *b, int64_t *ldb,
                 int64_t *info) {
    int32_t sizes[] = {(int32_t)*n, (int32_t)*nrhs, (int32_t)*lda, (int32_t)*ldb}, outcome, *pivots = room(*n);
    find("dgesv_").gesv(&sizes[0], &sizes[1], a, &sizes[2], pivots, b, &sizes[3], &outcome);
    widen(pivots, ipiv, outcome < 0 ? 0 : *n);
    *info = outcome;
}

void NAME(dgetrf)(int64_t *m, int64_t *n, double *a, int64_t *lda, int64_t *ipiv, int64_t *info);
void NAME(dgetrf)(int64_t *m, int64_t *n, double *a, int64_t *lda, int64_t *ipiv, int64_t *info) {
    int64_t count = *m < *n ? *m : *n;
    int32_t sizes[] = {(int32_t)*m, (int32_t)*n, (int32_t)*lda}, outcome, *pivots = room(count);
    find("dgetrf_").getrf(&sizes[0], &sizes[1], a, &sizes[2], pivots, &outcome);
    widen(pivots, ipiv, outcome < 0 ? 0 : count);
    *info = outcome;
}
