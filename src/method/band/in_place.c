#include "method/band/in_place.h"

#include <limits.h>
#include <string.h>

#include <lapacke.h>

#include "base/blas_int.h"
#include "base/host_blas.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/process.h"
#include "method/direct/failure.h"

cls_band_square cls_band_square_of(int64_t m, int64_t n, int64_t kl, int64_t ku) {
    cls_band_square square = {.kl = cls_lesser(kl, m > 0 ? m - 1 : 0), .ku = cls_lesser(ku, n > 0 ? n - 1 : 0)};
    square.n = m > n ? cls_lesser(m, n + square.kl) : cls_lesser(n, m + square.ku);
    return square;
}

/* Behind the square gbtrf leaves nothing but zeros above the matrix's last rows: where swaps might have filled in. */
static void clear_behind(const cls_band_job *job, const clsolve_matrix *AB, int64_t order) {
    const int64_t size = cls_type_size(AB->type), kv = job->kl + job->ku;
    const int64_t down = AB->layout == CLSOLVE_COLUMN_MAJOR ? 1 : AB->ld, across = AB->ld + 1 - down;

    for (int64_t c = order; c < job->n && c - kv < job->m; ++c)
        for (int64_t i = c > kv ? c - kv : 0; i < job->m; ++i)
            memset((char *)AB->data + ((kv + i - c) * down + c * across) * size, 0, (size_t)size);
}

/* Into the caller's pivots last, because the device may still fail. */
static clsolve_status export(const cls_band_job *job, cls_band *band, const clsolve_matrix *AB, int64_t *ipiv) {
    int64_t *pivots = cls_alloc((size_t)band->n, sizeof *pivots);

    if (!pivots) return cls_fail(job->device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for pivots");
    clsolve_status status = cls_band_pivots(band, pivots);
    if (status == CLSOLVE_OK) status = cls_band_export(band, job->kl, job->ku, AB);
    if (status == CLSOLVE_OK) {
        clear_behind(job, AB, band->n);
        memcpy(ipiv, pivots, (size_t)cls_lesser(job->m, job->n) * sizeof *ipiv);
    }
    cls_free(pivots);
    return status;
}

static clsolve_status singular_or_ok(const cls_band_job *job) {
    return job->report.info > 0 ? cls_singular(job->device->error, job->call, "U", job->report.info, 0) : CLSOLVE_OK;
}

static clsolve_status factor(cls_band_job *job, cls_band *band, cls_direct *direct, const clsolve_matrix *AB,
                             int64_t *ipiv) {
    band->first = job->kl + job->ku - band->ku;
    band->rows = job->m;
    band->cols = job->n;
    clsolve_status status = cls_direct_factor(direct, job->call, AB);
    cls_error said = *job->device->error; /* of a singular matrix */
    if (status < CLSOLVE_OK) return status;
    CLS_TRY(export(job, band, AB, ipiv));
    *job->device->error = said;
    /* The zeros behind a rectangle have no pivots either. */
    job->report.info = direct->info > cls_lesser(job->m, job->n) ? 0 : direct->info;
    job->report.seconds = direct->costs.factor;
    direct->ops->report(direct, &job->report);
    if (status == CLSOLVE_OVERFLOW && job->options->nonfinite) return singular_or_ok(job);
    return status == CLSOLVE_SINGULAR && job->report.info == 0 ? CLSOLVE_OK : status;
}

clsolve_status cls_band_in_place(cls_band_job *job, const clsolve_matrix *AB, int64_t *ipiv) {
    const double start = cls_seconds();
    const cls_band_square square = cls_band_square_of(job->m, job->n, job->kl, job->ku);
    clsolve_band_options options = *job->options;
    cls_band band = {0};
    cls_direct direct;

    job->report.band.panel = "none";
    if (job->m == 0 || job->n == 0) return CLSOLVE_OK;
    options.form = CLSOLVE_BAND_GBTRF;
    options.precision = CLSOLVE_PRECISION_WORKING;
    clsolve_status status =
        cls_band_direct_setup(job->device, square.n, square.kl, square.ku, AB->type, &options, &band, &direct);
    if (status == CLSOLVE_OK) status = factor(job, &band, &direct, AB, ipiv);
    cls_error said = *job->device->error; /* what releases waits may overwrite it */
    cls_direct_release(&direct);
    cls_band_release(&band);
    *job->device->error = said;
    job->report.seconds.total = cls_seconds() - start;
    return status;
}

/* ---- NaN and Inf ---- */

/* All elements of the array by columns into `copy`; or back those of the matrix alone. */
static void copy_elements(const cls_band_job *job, const clsolve_matrix *AB, char *copy, int back) {
    const int64_t size = cls_type_size(AB->type), rows = AB->rows, kv = job->kl + job->ku;
    const int64_t down = AB->layout == CLSOLVE_COLUMN_MAJOR ? 1 : AB->ld, across = AB->ld + 1 - down;

    for (int64_t c = 0; c < AB->cols; ++c)
        for (int64_t r = 0; r < rows; ++r) {
            char *its = (char *)AB->data + (r * down + c * across) * size, *mine = copy + (r + c * rows) * size;
            const int64_t i = r - kv + c;
            if (!back) memcpy(mine, its, (size_t)size);
            if (back && i >= 0 && i < job->m) memcpy(its, mine, (size_t)size);
        }
}

static int64_t gbtrf(const cls_band_job *job, clsolve_type type, void *ab, int *pivots) {
    const lapack_int m = cls_blas_int(job->m), n = cls_blas_int(job->n), kl = cls_blas_int(job->kl),
                     ku = cls_blas_int(job->ku);
    const lapack_int ld = 2 * kl + ku + 1;
    CLS_HOST_BLAS;
    return CLS_LAPACKE(type, gbtrf, m, n, kl, ku, ab, ld, pivots);
}

clsolve_status cls_band_by_lapack(cls_band_job *job, const clsolve_matrix *AB, int64_t *ipiv) {
    const double start = cls_seconds();
    const int64_t count = cls_lesser(job->m, job->n);

    if (job->m > INT_MAX / 2 || job->n > INT_MAX / 2 || AB->rows > INT_MAX / 2)
        return cls_fail(job->device->error, CLSOLVE_ERROR_UNSUPPORTED,
                        "%s: LAPACK counts in 32 bits, too few for %lld x %lld", job->call, (long long)job->m,
                        (long long)job->n);
    char *copy = cls_alloc((size_t)AB->rows * (size_t)AB->cols, (size_t)cls_type_size(AB->type));
    int *pivots = cls_alloc((size_t)count, sizeof *pivots);
    clsolve_status status = CLSOLVE_OK;
    if (!copy || !pivots) {
        status = cls_fail(job->device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "%s: the host has no room for a copy of A",
                          job->call);
    } else {
        copy_elements(job, AB, copy, 0);
        job->report = (clsolve_report){.info = gbtrf(job, AB->type, copy, pivots)};
        job->report.band.panel = "lapack";
        copy_elements(job, AB, copy, 1);
        for (int64_t k = 0; k < count; ++k) ipiv[k] = pivots[k];
        status = singular_or_ok(job);
    }
    cls_free(copy);
    cls_free(pivots);
    job->report.seconds.factor = job->report.seconds.total = cls_seconds() - start;
    return status;
}
