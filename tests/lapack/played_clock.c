/*
 * played_clock.c: the time that the played device and the played host take. The host's routines are here under LAPACK's
 * names (CLSOLVE_LAPACK_HOST): their calls take what the model says, or what the test wants.
 */
#include <clsolve/clsolve.h>

#include "lapack/played_host.h"

#define EXPORTED __attribute__((visibility("default")))

static void move(int64_t wanted, double seconds) {
    atomic_fetch_add(&played.clock, wanted > 0 ? wanted : (int64_t)(1e9 * seconds));
}

void played_device_works(double operations) {
    move(played.device_takes, played.device_fixed + operations / played.device_rate);
}

static void host_works(double operations) {
    if (operations > 0) move(played.host_takes, operations / played.host_rate);
}

double played_dense(int64_t n) {
    return 2.0 / 3 * (double)n * (double)n * (double)n;
}

double played_band(int64_t n, int64_t kl, int64_t ku) {
    return 2.0 * (double)n * (double)kl * (double)(kl + ku);
}

typedef void getrf(const int32_t *, const int32_t *, double *, const int32_t *, int32_t *, int32_t *);
typedef void getrs(const char *, const int32_t *, const int32_t *, const double *, const int32_t *, const int32_t *,
                   double *, const int32_t *, int32_t *, size_t);
typedef void gbtrf(const int32_t *, const int32_t *, const int32_t *, const int32_t *, void *, const int32_t *,
                   int32_t *, int32_t *);
typedef union function {
    void *object;
    getrf *dense;
    getrs *solve;
    gbtrf *band;
} function;

static function lapack(const char *symbol) {
    return (function){played_lapack(symbol)};
}

EXPORTED getrf dgetrf_;
EXPORTED getrs dgetrs_;
EXPORTED gbtrf dgbtrf_, sgbtrf_;

void dgetrf_(const int32_t *m, const int32_t *n, double *a, const int32_t *lda, int32_t *ipiv, int32_t *info) {
    host_works(played_dense(*n));
    lapack("dgetrf_").dense(m, n, a, lda, ipiv, info);
}

void dgetrs_(const char *trans, const int32_t *n, const int32_t *nrhs, const double *a, const int32_t *lda,
             const int32_t *ipiv, double *b, const int32_t *ldb, int32_t *info, size_t length) {
    host_works(2.0 * *n * *n * *nrhs);
    lapack("dgetrs_").solve(trans, n, nrhs, a, lda, ipiv, b, ldb, info, length);
}

void dgbtrf_(const int32_t *m, const int32_t *n, const int32_t *kl, const int32_t *ku, void *ab, const int32_t *ldab,
             int32_t *ipiv, int32_t *info) {
    host_works(played_band(*n, *kl, *ku));
    lapack("dgbtrf_").band(m, n, kl, ku, ab, ldab, ipiv, info);
}

void sgbtrf_(const int32_t *m, const int32_t *n, const int32_t *kl, const int32_t *ku, void *ab, const int32_t *ldab,
             int32_t *ipiv, int32_t *info) {
    host_works(played_band(*n, *kl, *ku));
    lapack("sgbtrf_").band(m, n, kl, ku, ab, ldab, ipiv, info);
}
