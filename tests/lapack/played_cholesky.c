/* played_cholesky.c: the Cholesky of the played libclsolve (played.h), for doubles, by the host's LAPACK. */
#include <stdlib.h>

#include <clsolve/clsolve.h>

#include "lapack/played.h"
#include "lapack/played_host.h"

#define EXPORTED __attribute__((visibility("default")))

struct clsolve_cholesky {
    int32_t n, info;
    char uplo;
    double *a;
};

typedef union function {
    void *object;
    void (*potrf)(const char *, const int32_t *, double *, const int32_t *, int32_t *, size_t);
    void (*potrs)(const char *, const int32_t *, const int32_t *, const double *, const int32_t *, double *,
                  const int32_t *, int32_t *, size_t);
    void (*pocon)(const char *, const int32_t *, const double *, const int32_t *, const double *, double *, double *,
                  int32_t *, int32_t *, size_t);
} function;

static function lapack(const char *symbol) {
    return (function){played_lapack(symbol)};
}

EXPORTED clsolve_status clsolve_cholesky_predict(clsolve_context *context, int64_t n, int64_t nrhs, clsolve_type type,
                                                 double *device_seconds, double *host_seconds) {
    const double work = 1.0 / 3 * (double)n * (double)n * (double)n;
    (void)context, (void)nrhs, (void)type;
    *host_seconds = work / played.host_rate;
    *device_seconds = played.device_fixed + work / played.device_rate;
    if (!atomic_load(&played.cholesky_warm)) *device_seconds += played.compile_seconds;
    return CLSOLVE_OK;
}

EXPORTED int clsolve_cholesky_is_warm(const clsolve_context *context, clsolve_type type) {
    (void)context, (void)type;
    return atomic_load(&played.cholesky_warm);
}

EXPORTED clsolve_status clsolve_cholesky_warm(clsolve_context *context, int64_t n, clsolve_type type) {
    (void)context, (void)n, (void)type;
    atomic_store(&played.cholesky_warm, 1);
    return CLSOLVE_OK;
}

EXPORTED clsolve_status clsolve_cholesky_create(clsolve_context *context, int64_t n, clsolve_type type,
                                                const clsolve_cholesky_options *options, clsolve_cholesky **cholesky) {
    (void)context, (void)options;
    *cholesky = NULL;
    if (played_fails("cholesky_create") || type != CLSOLVE_F64) return CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY;
    *cholesky = calloc(1, sizeof **cholesky);
    if (!*cholesky) abort();
    (*cholesky)->n = (int32_t)n;
    (*cholesky)->a = calloc((size_t)(n * n), sizeof(double));
    atomic_fetch_add(&played.handles, 1);
    return CLSOLVE_OK;
}

EXPORTED void clsolve_cholesky_destroy(clsolve_cholesky *cholesky) {
    if (!cholesky) return;
    free(cholesky->a), free(cholesky);
    atomic_fetch_sub(&played.handles, 1);
}

static void move(clsolve_cholesky *h, clsolve_uplo uplo, const clsolve_matrix *m, int to) {
    played_move(h->n, h->a, uplo, m, to);
    h->uplo = uplo == CLSOLVE_UPPER ? 'U' : 'L';
}

EXPORTED clsolve_status clsolve_cholesky_factor(clsolve_cholesky *h, clsolve_uplo uplo, const clsolve_matrix *A) {
    atomic_fetch_add(&played.factored, 1);
    if (played_fails("cholesky_factor")) return played.status;
    move(h, uplo, A, 0);
    lapack("dpotrf_").potrf(&h->uplo, &h->n, h->a, &h->n, &h->info, 1);
    return h->info ? CLSOLVE_NOT_POSITIVE_DEFINITE : CLSOLVE_OK;
}

EXPORTED clsolve_status clsolve_cholesky_import(clsolve_cholesky *h, clsolve_uplo uplo, const clsolve_matrix *F) {
    if (played_fails("cholesky_import")) return played.status;
    move(h, uplo, F, 0);
    return CLSOLVE_OK;
}

EXPORTED clsolve_status clsolve_cholesky_factors(clsolve_cholesky *h, clsolve_uplo uplo, clsolve_matrix *F) {
    if (played_fails("cholesky_factors")) return played.status;
    move(h, uplo, F, 1);
    return CLSOLVE_OK;
}

EXPORTED clsolve_status clsolve_cholesky_solve(clsolve_cholesky *h, clsolve_matrix *B) {
    const int32_t nrhs = (int32_t)B->cols, ldb = (int32_t)B->ld;
    int32_t info = 0;
    if (played_fails("cholesky_solve")) return played.status;
    lapack("dpotrs_").potrs(&h->uplo, &h->n, &nrhs, h->a, &h->n, B->data, &ldb, &info, 1);
    return CLSOLVE_OK;
}

EXPORTED clsolve_status clsolve_cholesky_inverse(clsolve_cholesky *h, clsolve_uplo uplo, clsolve_matrix *X) {
    int32_t info = 0;
    if (played_fails("cholesky_inverse")) return played.status;
    lapack("dpotri_").potrf(&h->uplo, &h->n, h->a, &h->n, &info, 1);
    move(h, uplo, X, 1);
    return CLSOLVE_OK;
}

EXPORTED clsolve_status clsolve_cholesky_condition(clsolve_cholesky *h, double norm_A, double *rcond) {
    double *work = calloc(3 * (size_t)h->n, sizeof *work);
    int32_t *iwork = calloc((size_t)h->n, sizeof *iwork), info = 0;
    int bad = played_fails("cholesky_condition");
    if (!bad) lapack("dpocon_").pocon(&h->uplo, &h->n, h->a, &h->n, &norm_A, rcond, work, iwork, &info, 1);
    free(work), free(iwork);
    return bad ? played.status : CLSOLVE_OK;
}
