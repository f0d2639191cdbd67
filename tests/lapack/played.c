#define _GNU_SOURCE

#include "lapack/played.h"
#include "lapack/played_host.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include <clsolve/clsolve.h>

#define EXPORTED __attribute__((visibility("default")))

EXPORTED played_state played = {.host_rate = 1e9, .device_rate = 1e12, .device_fixed = 1e-3, .compile_seconds = 0.1};

struct clsolve_context {
    int unused;
};

struct clsolve_band {
    int32_t n, kl, ku, rows, info, *ipiv;
    double *ab;
};

struct clsolve_lu {
    int32_t n, info, *ipiv;
    double *a;
    clsolve_report report;
};

/* ---- LAPACK ---- */

typedef union function {
    void *object;
    void (*getrf)(const int32_t *, const int32_t *, double *, const int32_t *, int32_t *, int32_t *);
    void (*getrs)(const char *, const int32_t *, const int32_t *, const double *, const int32_t *, const int32_t *,
                  double *, const int32_t *, int32_t *, size_t);
    void (*getri)(const int32_t *, double *, const int32_t *, const int32_t *, double *, const int32_t *, int32_t *);
    void (*gecon)(const char *, const int32_t *, const double *, const int32_t *, const double *, double *, double *,
                  int32_t *, int32_t *, size_t);
    void (*gerfs)(const char *, const int32_t *, const int32_t *, const double *, const int32_t *, const double *,
                  const int32_t *, const int32_t *, const double *, const int32_t *, double *, const int32_t *,
                  double *, double *, double *, int32_t *, int32_t *, size_t);
    void (*gbtrf)(const int32_t *, const int32_t *, const int32_t *, const int32_t *, double *, const int32_t *,
                  int32_t *, int32_t *);
    void (*gbtrs)(const char *, const int32_t *, const int32_t *, const int32_t *, const int32_t *, const double *,
                  const int32_t *, const int32_t *, double *, const int32_t *, int32_t *, size_t);
    void (*gbcon)(const char *, const int32_t *, const int32_t *, const int32_t *, const double *, const int32_t *,
                  const int32_t *, const double *, double *, double *, int32_t *, int32_t *, size_t);
} function;

void *played_lapack(const char *symbol) {
    void *found = dlsym(dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL), symbol);
    if (!found) abort();
    return found;
}

static function lapack(const char *symbol) {
    return (function){played_lapack(symbol)};
}

int played_fails(const char *call) {
    atomic_fetch_add(&played.calls, 1);
    return played.failing && strcmp(played.failing, call) == 0;
}

void played_move(int32_t n, double *a, clsolve_uplo uplo, const clsolve_matrix *m, int to) {
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            double *inside = a + i + j * n, *outside = (double *)m->data + i + j * m->ld;
            if (uplo == CLSOLVE_UPPER ? i > j : i < j) continue;
            if (to)
                *outside = *inside;
            else
                *inside = *outside;
        }
}

static int is_tester(void) {
    return pthread_equal(pthread_self(), played.tester);
}

/* ---- contexts ---- */

EXPORTED clsolve_status clsolve_devices(clsolve_device_info *list, int64_t capacity, int64_t *count) {
    (void)list, (void)capacity;
    *count = 1;
    return CLSOLVE_OK;
}

EXPORTED clsolve_status clsolve_context_create_with(const clsolve_context_options *options, clsolve_context **context) {
    static clsolve_context only;
    (void)options;
    if (played_fails("context_create_with")) return played.status;
    atomic_fetch_add(&played.contexts, 1);
    *context = &only;
    return CLSOLVE_OK;
}

EXPORTED clsolve_device_info clsolve_context_device(const clsolve_context *context) {
    clsolve_device_info info = {.selector = "opencl:0", .fp64 = 1, .global_memory = 1 << 30};
    (void)context;
    return info;
}

EXPORTED const char *clsolve_context_message(const clsolve_context *context) {
    (void)context;
    return "played";
}

EXPORTED clsolve_status clsolve_lu_predict(clsolve_context *context, int64_t m, int64_t n, int64_t nrhs,
                                           clsolve_type type, double *device_seconds, double *host_seconds) {
    const double work = played_dense(n);
    (void)context, (void)m, (void)nrhs, (void)type;
    *host_seconds = work / played.host_rate;
    *device_seconds = played.device_fixed + work / played.device_rate;
    if (!atomic_load(&played.warm)) *device_seconds += played.compile_seconds;
    return CLSOLVE_OK;
}

EXPORTED int clsolve_lu_is_warm(const clsolve_context *context, clsolve_type type) {
    (void)context, (void)type;
    return atomic_load(&played.warm);
}

EXPORTED clsolve_status clsolve_lu_warm(clsolve_context *context, int64_t m, int64_t n, clsolve_type type) {
    (void)context, (void)m, (void)n, (void)type;
    atomic_fetch_add(&played.warming, 1);
    while (played.blocks && sem_wait(&played.release) != 0) {
    }
    atomic_store(&played.warm, 1);
    return played_fails("lu_warm") ? played.status : CLSOLVE_OK;
}

/* ---- dense LU ---- */

EXPORTED clsolve_status clsolve_lu_create(clsolve_context *context, int64_t n, clsolve_type type,
                                          const clsolve_lu_options *options, clsolve_lu **lu) {
    (void)context, (void)options;
    *lu = NULL;
    if (played_fails("lu_create") || type != CLSOLVE_F64) return CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY;
    *lu = calloc(1, sizeof **lu);
    if (!*lu) abort();
    (*lu)->n = (int32_t)n;
    (*lu)->a = calloc((size_t)(n * n), sizeof(double));
    (*lu)->ipiv = calloc((size_t)n, sizeof(int32_t));
    atomic_fetch_add(&played.handles, 1);
    return CLSOLVE_OK;
}

EXPORTED void clsolve_lu_destroy(clsolve_lu *lu) {
    if (!lu) return;
    free(lu->a), free(lu->ipiv), free(lu);
    atomic_fetch_sub(&played.handles, 1);
}

static void take(const clsolve_lu *lu, const clsolve_matrix *from) {
    for (int64_t j = 0; j < lu->n; j++)
        memcpy(lu->a + j * lu->n, (const double *)from->data + j * from->ld, (size_t)lu->n * sizeof(double));
}

static void give(const clsolve_lu *lu, clsolve_matrix *to) {
    for (int64_t j = 0; j < lu->n; j++)
        memcpy((double *)to->data + j * to->ld, lu->a + j * lu->n, (size_t)lu->n * sizeof(double));
}

EXPORTED clsolve_status clsolve_lu_factor(clsolve_lu *lu, const clsolve_matrix *A) {
    if (!is_tester()) return CLSOLVE_OK;
    atomic_fetch_add(&played.factored, 1);
    if (played_fails("lu_factor")) return played.status;
    played_device_works(played_dense(lu->n));
    take(lu, A);
    lapack("dgetrf_").getrf(&lu->n, &lu->n, lu->a, &lu->n, lu->ipiv, &lu->info);
    lu->report.info = lu->info;
    return lu->info ? CLSOLVE_SINGULAR : CLSOLVE_OK;
}

EXPORTED clsolve_status clsolve_lu_import(clsolve_lu *lu, const clsolve_matrix *LU, const int64_t *ipiv) {
    if (played_fails("lu_import")) return played.status;
    played_device_works(played_dense(lu->n));
    take(lu, LU);
    for (int32_t i = 0; i < lu->n; i++) lu->ipiv[i] = (int32_t)ipiv[i];
    for (int32_t i = 0; i < lu->n; i++)
        if (lu->a[i + i * lu->n] == 0) return CLSOLVE_SINGULAR;
    return CLSOLVE_OK;
}

EXPORTED clsolve_status clsolve_lu_solve(clsolve_lu *lu, clsolve_op op, clsolve_matrix *B) {
    const int32_t nrhs = (int32_t)B->cols, ldb = (int32_t)B->ld;
    int32_t info = 0;
    if (!is_tester()) return CLSOLVE_OK;
    if (played_fails("lu_solve")) return played.status;
    lapack("dgetrs_").getrs(op == CLSOLVE_TRANS ? "T" : "N", &lu->n, &nrhs, lu->a, &lu->n, lu->ipiv, B->data, &ldb,
                            &info, 1);
    return CLSOLVE_OK;
}

EXPORTED clsolve_status clsolve_lu_factors(clsolve_lu *lu, clsolve_matrix *LU, int64_t *ipiv) {
    int bad = played_fails("lu_factors");
    if (bad && LU) memset(lu->a, 0x55, (size_t)(lu->n * lu->n) * sizeof(double)); /* what it wrote until it failed */
    if (LU) give(lu, LU);
    if (bad) return played.status;
    for (int32_t i = 0; i < lu->n; i++) ipiv[i] = lu->ipiv[i];
    return CLSOLVE_OK;
}

EXPORTED clsolve_status clsolve_lu_report(const clsolve_lu *lu, clsolve_report *report) {
    *report = lu->report;
    return CLSOLVE_OK;
}

EXPORTED clsolve_status clsolve_lu_condition(clsolve_lu *lu, clsolve_norm norm, double norm_A, double *rcond) {
    double *work = calloc(4 * (size_t)lu->n, sizeof *work);
    int32_t *iwork = calloc((size_t)lu->n, sizeof *iwork), info = 0;
    int bad = played_fails("lu_condition");
    if (!bad)
        lapack("dgecon_").gecon(norm == CLSOLVE_NORM_INF ? "I" : "1", &lu->n, lu->a, &lu->n, &norm_A, rcond, work,
                                iwork, &info, 1);
    free(work), free(iwork);
    return bad ? played.status : CLSOLVE_OK;
}

EXPORTED clsolve_status clsolve_lu_inverse(clsolve_lu *lu, clsolve_matrix *X) {
    const int32_t size = 64 * lu->n;
    double *work = calloc((size_t)size, sizeof *work);
    int32_t info = 0;
    int bad = played_fails("lu_inverse");
    lapack("dgetri_").getri(&lu->n, lu->a, &lu->n, lu->ipiv, work, &size, &info);
    if (bad) memset(lu->a, 0x55, (size_t)(lu->n * lu->n) * sizeof(double)); /* what it wrote until it failed */
    give(lu, X);
    free(work);
    return bad ? played.status : CLSOLVE_OK;
}

EXPORTED clsolve_status clsolve_lu_refine(clsolve_lu *lu, clsolve_op op, const clsolve_matrix *A,
                                          const clsolve_matrix *B, clsolve_matrix *X, double *ferr, double *berr) {
    const int32_t nrhs = (int32_t)B->cols, lda = (int32_t)A->ld, ldb = (int32_t)B->ld, ldx = (int32_t)X->ld;
    double *work = calloc(3 * (size_t)lu->n, sizeof *work);
    int32_t *iwork = calloc((size_t)lu->n, sizeof *iwork), info = 0;
    int bad = played_fails("lu_refine");
    if (!bad)
        lapack("dgerfs_").gerfs(op == CLSOLVE_TRANS ? "T" : "N", &lu->n, &nrhs, A->data, &lda, lu->a, &lu->n, lu->ipiv,
                                B->data, &ldb, X->data, &ldx, ferr, berr, work, iwork, &info, 1);
    free(work), free(iwork);
    return bad ? played.status : CLSOLVE_OK;
}

EXPORTED clsolve_status clsolve_lu_factor_in_place(clsolve_context *context, clsolve_matrix *A, int64_t *ipiv,
                                                   const clsolve_lu_options *options, clsolve_report *report) {
    const int32_t m = (int32_t)A->rows, n = (int32_t)A->cols, lda = (int32_t)A->ld, count = m < n ? m : n;
    int32_t *pivots = calloc((size_t)count, sizeof *pivots), info = 0;
    int bad = played_fails("lu_factor_in_place");
    atomic_fetch_add(&played.factored, 1);
    (void)context, (void)options;
    for (int64_t k = 0; k < (bad ? n : 0); k++) /* the device failed while the factors came down */
        memset((double *)A->data + k * A->ld, 0x55, (size_t)m * sizeof(double));
    if (!bad) {
        lapack("dgetrf_").getrf(&m, &n, A->data, &lda, pivots, &info);
        for (int32_t i = 0; i < count; i++) ipiv[i] = pivots[i];
        report->info = info;
    }
    free(pivots);
    return bad ? played.status : info ? CLSOLVE_SINGULAR : CLSOLVE_OK;
}

/* ---- bands ---- */

EXPORTED clsolve_status clsolve_band_predict(clsolve_context *context, int64_t m, int64_t n, int64_t kl, int64_t ku,
                                             int64_t nrhs, clsolve_type type, double *device_seconds,
                                             double *host_seconds) {
    const double work = played_band(n, kl, ku);
    (void)m, (void)nrhs;
    *host_seconds = work / played.host_rate;
    *device_seconds = played.device_fixed + work / played.device_rate;
    if (!clsolve_band_is_warm(context, type)) *device_seconds += played.compile_seconds;
    return CLSOLVE_OK;
}

EXPORTED int clsolve_band_is_warm(const clsolve_context *context, clsolve_type type) {
    (void)context;
    return atomic_load(&played.band_warm[type == CLSOLVE_F32]);
}

EXPORTED clsolve_status clsolve_band_warm(clsolve_context *context, int64_t n, int64_t kl, int64_t ku,
                                          clsolve_type type) {
    (void)context;
    played.band[0] = n, played.band[1] = kl, played.band[2] = ku;
    atomic_fetch_add(&played.band_warming, 1);
    while (played.blocks && sem_wait(&played.release) != 0) {
    }
    if (played_fails("band_warm")) return played.status;
    atomic_store(&played.band_warm[type == CLSOLVE_F32], 1);
    return CLSOLVE_OK;
}

EXPORTED clsolve_status clsolve_band_create(clsolve_context *context, int64_t n, int64_t kl, int64_t ku,
                                            clsolve_type type, const clsolve_band_options *options,
                                            clsolve_band **band) {
    (void)context;
    *band = NULL;
    if (played_fails("band_create") || type != CLSOLVE_F64 || options->form != CLSOLVE_BAND_GBTRF)
        return CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY;
    *band = calloc(1, sizeof **band);
    if (!*band) abort();
    **band = (clsolve_band){.n = (int32_t)n, .kl = (int32_t)kl, .ku = (int32_t)ku, .rows = (int32_t)(2 * kl + ku + 1)};
    (*band)->ab = calloc((size_t)((*band)->rows * n), sizeof(double));
    (*band)->ipiv = calloc((size_t)n, sizeof(int32_t));
    atomic_fetch_add(&played.handles, 1);
    return CLSOLVE_OK;
}

EXPORTED void clsolve_band_destroy(clsolve_band *band) {
    if (!band) return;
    free(band->ab), free(band->ipiv), free(band);
    atomic_fetch_sub(&played.handles, 1);
}

static void take_band(const clsolve_band *band, const clsolve_matrix *from) {
    for (int64_t j = 0; j < band->n; j++)
        memcpy(band->ab + j * band->rows, (const double *)from->data + j * from->ld,
               (size_t)band->rows * sizeof(double));
}

EXPORTED clsolve_status clsolve_band_factor(clsolve_band *band, const clsolve_matrix *AB) {
    atomic_fetch_add(&played.factored, 1);
    if (played_fails("band_factor")) return played.status;
    take_band(band, AB);
    lapack("dgbtrf_").gbtrf(&band->n, &band->n, &band->kl, &band->ku, band->ab, &band->rows, band->ipiv, &band->info);
    return band->info ? CLSOLVE_SINGULAR : CLSOLVE_OK;
}

EXPORTED clsolve_status clsolve_band_import(clsolve_band *band, const clsolve_matrix *AFB, const int64_t *ipiv) {
    if (played_fails("band_import")) return played.status;
    take_band(band, AFB);
    for (int32_t i = 0; i < band->n; i++) band->ipiv[i] = (int32_t)ipiv[i];
    for (int32_t i = 0; i < band->n; i++)
        if (band->ab[band->kl + band->ku + i * band->rows] == 0) return CLSOLVE_SINGULAR;
    return CLSOLVE_OK;
}

EXPORTED clsolve_status clsolve_band_solve(clsolve_band *band, clsolve_op op, clsolve_matrix *B) {
    const int32_t nrhs = (int32_t)B->cols, ldb = (int32_t)B->ld;
    int32_t info = 0;
    if (played_fails("band_solve")) return played.status;
    lapack("dgbtrs_").gbtrs(op == CLSOLVE_TRANS ? "T" : "N", &band->n, &band->kl, &band->ku, &nrhs, band->ab,
                            &band->rows, band->ipiv, B->data, &ldb, &info, 1);
    return CLSOLVE_OK;
}

EXPORTED clsolve_status clsolve_band_condition(clsolve_band *band, clsolve_norm norm, double norm_A, double *rcond) {
    double *work = calloc(3 * (size_t)band->n, sizeof *work);
    int32_t *iwork = calloc((size_t)band->n, sizeof *iwork), info = 0;
    int bad = played_fails("band_condition");
    if (!bad)
        lapack("dgbcon_").gbcon(norm == CLSOLVE_NORM_INF ? "I" : "1", &band->n, &band->kl, &band->ku, band->ab,
                                &band->rows, band->ipiv, &norm_A, rcond, work, iwork, &info, 1);
    free(work), free(iwork);
    return bad ? played.status : CLSOLVE_OK;
}

EXPORTED clsolve_status clsolve_band_factors(clsolve_band *band, clsolve_matrix *AFB, int64_t *ipiv) {
    if (played_fails("band_factors")) return played.status;
    for (int64_t j = 0; j < band->n; j++)
        memcpy((double *)AFB->data + j * AFB->ld, band->ab + j * band->rows, (size_t)band->rows * sizeof(double));
    for (int32_t i = 0; i < band->n; i++) ipiv[i] = band->ipiv[i];
    return CLSOLVE_OK;
}

EXPORTED clsolve_status clsolve_band_report(const clsolve_band *band, clsolve_report *report) {
    if (played_fails("band_report")) return played.status;
    *report = (clsolve_report){.info = band->info};
    return CLSOLVE_OK;
}

EXPORTED clsolve_status clsolve_band_factor_in_place(clsolve_context *context, int64_t m, int64_t n, int64_t kl,
                                                     int64_t ku, clsolve_matrix *AB, int64_t *ipiv,
                                                     const clsolve_band_options *options, clsolve_report *report) {
    const int32_t sizes[] = {(int32_t)m, (int32_t)n, (int32_t)kl, (int32_t)ku, (int32_t)AB->ld};
    const int64_t count = m < n ? m : n;
    int32_t *pivots = calloc((size_t)count, sizeof *pivots), info = 0;
    int bad = played_fails("band_factor_in_place");
    if (AB->type != CLSOLVE_F64) {
        free(pivots);
        return CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY;
    }
    (void)context, (void)options;
    atomic_fetch_add(&played.factored, 1);
    played_device_works(played_band(n, kl, ku));
    for (int64_t k = 0; k < (bad ? n : 0); k++) /* the device failed while the factors came down */
        memset((double *)AB->data + k * AB->ld, 0x55, (size_t)AB->rows * sizeof(double));
    if (!bad) {
        lapack("dgbtrf_").gbtrf(&sizes[0], &sizes[1], &sizes[2], &sizes[3], AB->data, &sizes[4], pivots, &info);
        for (int64_t i = 0; i < count; i++) ipiv[i] = pivots[i];
        report->info = info;
    }
    free(pivots);
    return bad ? played.status : info ? CLSOLVE_SINGULAR : CLSOLVE_OK;
}
