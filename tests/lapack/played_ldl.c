/* played_ldl.c: L D L^T of the played libclsolve (played.h), for doubles, by the host's sytrf or sytrf_rook. */
#include <stdlib.h>

#include <clsolve/clsolve.h>

#include "lapack/played.h"
#include "lapack/played_host.h"

#define EXPORTED __attribute__((visibility("default")))

struct clsolve_ldl {
    int32_t n, info, partial, *ipiv;
    double *a;
};

typedef union function {
    void *object;
    void (*sytrf)(const char *, const int32_t *, double *, const int32_t *, int32_t *, double *, const int32_t *,
                  int32_t *, size_t);
    void (*sytrs)(const char *, const int32_t *, const int32_t *, const double *, const int32_t *, const int32_t *,
                  double *, const int32_t *, int32_t *, size_t);
    void (*sytri)(const char *, const int32_t *, double *, const int32_t *, const int32_t *, double *, int32_t *,
                  size_t);
    void (*sycon)(const char *, const int32_t *, const double *, const int32_t *, const int32_t *, const double *,
                  double *, double *, int32_t *, int32_t *, size_t);
} function;

/* By the handle's pivots. */
static function lapack(const clsolve_ldl *h, const char *partial, const char *rook) {
    return (function){played_lapack(h->partial ? partial : rook)};
}

EXPORTED clsolve_status clsolve_ldl_predict(clsolve_context *context, int64_t n, int64_t nrhs, clsolve_type type,
                                            double *device_seconds, double *host_seconds) {
    return clsolve_cholesky_predict(context, n, nrhs, type, device_seconds, host_seconds);
}

EXPORTED int clsolve_ldl_is_warm(const clsolve_context *context, clsolve_type type) {
    (void)context, (void)type;
    return 1;
}

EXPORTED clsolve_status clsolve_ldl_warm(clsolve_context *context, int64_t n, clsolve_type type) {
    (void)context, (void)n, (void)type;
    return CLSOLVE_OK;
}

EXPORTED clsolve_status clsolve_ldl_create(clsolve_context *context, int64_t n, clsolve_type type,
                                           const clsolve_ldl_options *options, clsolve_ldl **ldl) {
    (void)context;
    *ldl = NULL;
    if (played_fails("ldl_create") || type != CLSOLVE_F64) return CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY;
    *ldl = calloc(1, sizeof **ldl);
    if (!*ldl) abort();
    (*ldl)->n = (int32_t)n;
    (*ldl)->partial = options->pivots == CLSOLVE_LDL_PIVOTS_PARTIAL;
    (*ldl)->a = calloc((size_t)(n * n), sizeof(double));
    (*ldl)->ipiv = calloc((size_t)n, sizeof(int32_t));
    atomic_fetch_add(&played.handles, 1);
    return CLSOLVE_OK;
}

EXPORTED void clsolve_ldl_destroy(clsolve_ldl *ldl) {
    if (!ldl) return;
    free(ldl->a), free(ldl->ipiv), free(ldl);
    atomic_fetch_sub(&played.handles, 1);
}

EXPORTED clsolve_status clsolve_ldl_factor(clsolve_ldl *h, clsolve_uplo uplo, const clsolve_matrix *A) {
    const int32_t size = 64 * h->n;
    double *work = calloc((size_t)size, sizeof *work);
    atomic_fetch_add(&played.factored, 1);
    const int bad = played_fails("ldl_factor") || uplo != CLSOLVE_LOWER;
    if (!bad) {
        played_move(h->n, h->a, uplo, A, 0);
        lapack(h, "dsytrf_", "dsytrf_rook_").sytrf("L", &h->n, h->a, &h->n, h->ipiv, work, &size, &h->info, 1);
    }
    free(work);
    return bad ? played.status : h->info ? CLSOLVE_SINGULAR : CLSOLVE_OK;
}

EXPORTED clsolve_status clsolve_ldl_import(clsolve_ldl *h, const clsolve_matrix *F, const int64_t *ipiv) {
    if (played_fails("ldl_import")) return played.status;
    played_move(h->n, h->a, CLSOLVE_LOWER, F, 0);
    for (int32_t k = 0; k < h->n; k++) h->ipiv[k] = (int32_t)ipiv[k];
    return CLSOLVE_OK;
}

EXPORTED clsolve_status clsolve_ldl_factors(clsolve_ldl *h, clsolve_matrix *F, int64_t *ipiv) {
    if (played_fails("ldl_factors")) return played.status;
    played_move(h->n, h->a, CLSOLVE_LOWER, F, 1);
    for (int32_t k = 0; k < h->n; k++) ipiv[k] = h->ipiv[k];
    return CLSOLVE_OK;
}

EXPORTED clsolve_status clsolve_ldl_report(const clsolve_ldl *h, clsolve_report *report) {
    if (played_fails("ldl_report")) return played.status;
    *report = (clsolve_report){.info = h->info};
    return CLSOLVE_OK;
}

EXPORTED clsolve_status clsolve_ldl_solve(clsolve_ldl *h, clsolve_matrix *B) {
    const int32_t nrhs = (int32_t)B->cols, ldb = (int32_t)B->ld;
    int32_t info = 0;
    if (played_fails("ldl_solve")) return played.status;
    lapack(h, "dsytrs_", "dsytrs_rook_").sytrs("L", &h->n, &nrhs, h->a, &h->n, h->ipiv, B->data, &ldb, &info, 1);
    return CLSOLVE_OK;
}

EXPORTED clsolve_status clsolve_ldl_inverse(clsolve_ldl *h, clsolve_uplo uplo, clsolve_matrix *X) {
    double *work = calloc((size_t)h->n, sizeof *work);
    int32_t info = 0;
    const int bad = played_fails("ldl_inverse") || uplo != CLSOLVE_LOWER;
    if (!bad) {
        lapack(h, "dsytri_", "dsytri_rook_").sytri("L", &h->n, h->a, &h->n, h->ipiv, work, &info, 1);
        played_move(h->n, h->a, uplo, X, 1);
    }
    free(work);
    return bad ? played.status : CLSOLVE_OK;
}

EXPORTED clsolve_status clsolve_ldl_condition(clsolve_ldl *h, double norm_A, double *rcond) {
    double *work = calloc(2 * (size_t)h->n, sizeof *work);
    int32_t *iwork = calloc((size_t)h->n, sizeof *iwork), info = 0;
    const int bad = played_fails("ldl_condition");
    if (!bad)
        lapack(h, "dsycon_", "dsycon_rook_")
            .sycon("L", &h->n, h->a, &h->n, h->ipiv, &norm_A, rcond, work, iwork, &info, 1);
    free(work), free(iwork);
    return bad ? played.status : CLSOLVE_OK;
}
