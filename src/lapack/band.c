/* band.c: gbtrf of any shape, gbsv, and of factors that gbtrf left in the caller's arrays gbtrs and gbcon. */
#include <math.h>
#include <stdlib.h>

#include "lapack/call.h"
#include "lapack/device.h"
#include "lapack/snapshot.h"

static int64_t rows_of(const lapack_shape *shape) {
    return 2 * shape->kl + shape->ku + 1;
}

static int has_sizes(const lapack_call *call, const lapack_shape *shape, int ldab) {
    return shape->m >= 0 && shape->n >= 0 && shape->kl >= 0 && shape->ku >= 0 && shape->nrhs >= 0 &&
           cls_call_int(call, ldab) >= rows_of(shape);
}

/* ---- gbtrf(m, n, kl, ku, AB, ldab, ipiv, info) ---- */

static int check_gbtrf(const lapack_call *call, lapack_shape *shape) {
    *shape = (lapack_shape){.work = WORK_FACTOR,
                            .m = cls_call_int(call, 0),
                            .n = cls_call_int(call, 1),
                            .kl = cls_call_int(call, 2),
                            .ku = cls_call_int(call, 3)};
    return has_sizes(call, shape, 5);
}

/* AB may be half written when the device fails, and after an overflow it holds factors. */
static clsolve_status factor_kept(const lapack_shape *shape, clsolve_matrix *AB, int64_t *pivots,
                                  clsolve_report *report) {
    clsolve_band_options options = cls_device_band_options();
    cls_snapshot kept;
    clsolve_status status = cls_snapshot_take(&kept, AB);
    if (status != CLSOLVE_OK) return status;
    cls_snapshot_wait(&kept);
    status = cls_lapack.library.band_factor_in_place(cls_lapack.context, shape->m, shape->n, shape->kl, shape->ku, AB,
                                                     pivots, &options, report);
    cls_snapshot_end(&kept, status);
    return status;
}

static clsolve_status run_gbtrf(const lapack_call *call, const lapack_shape *shape) {
    const int64_t count = shape->m < shape->n ? shape->m : shape->n;
    clsolve_matrix AB = cls_call_matrix(call, 4, rows_of(shape), shape->n, 5);
    clsolve_report report = {0};
    int64_t *pivots = malloc((size_t)count * sizeof *pivots);
    if (!pivots) return CLSOLVE_ERROR_OUT_OF_MEMORY;
    clsolve_status status = factor_kept(shape, &AB, pivots, &report);
    if (status == CLSOLVE_OK || status == CLSOLVE_SINGULAR) {
        cls_device_put_pivots(call, 6, pivots, count);
        cls_call_put(call, 7, 0, report.info);
    }
    free(pivots);
    return status;
}

const lapack_routine cls_lapack_gbtrf = {check_gbtrf, run_gbtrf};

/* ---- gbsv(n, kl, ku, nrhs, AB, ldab, ipiv, B, ldb, info) ---- */

typedef struct band_factors {
    clsolve_band *band;
    clsolve_matrix AFB; /* what AB is going to be */
    int64_t *ipiv, info;
} band_factors;

/* AB has elements outside the matrix, which stay. */
static clsolve_status make_factors(const lapack_call *call, const lapack_shape *shape, const clsolve_matrix *AB,
                                   band_factors *made) {
    const lapack_library *library = &cls_lapack.library;
    clsolve_band_options options = cls_device_band_options();
    clsolve_report report = {0};

    made->AFB = *AB;
    made->AFB.ld = AB->rows;
    made->AFB.data = cls_device_room(call, AB->rows, AB->cols);
    made->ipiv = malloc((size_t)AB->cols * sizeof *made->ipiv);
    if (!made->AFB.data || !made->ipiv) return CLSOLVE_ERROR_OUT_OF_MEMORY;
    cls_device_copy(AB, &made->AFB);
    clsolve_status status =
        library->band_create(cls_lapack.context, shape->n, shape->kl, shape->ku, call->type, &options, &made->band);
    if (status != CLSOLVE_OK) return status;
    clsolve_status outcome = library->band_factor(made->band, AB);
    if (outcome != CLSOLVE_OK && outcome != CLSOLVE_SINGULAR) return outcome;
    status = library->band_report(made->band, &report);
    made->info = report.info;
    if (status == CLSOLVE_OK) status = library->band_factors(made->band, &made->AFB, made->ipiv);
    return status == CLSOLVE_OK ? outcome : status;
}

static clsolve_status factor_and_solve(const lapack_call *call, const lapack_shape *shape, clsolve_matrix *AB, int ipiv,
                                       clsolve_matrix *B, int info) {
    band_factors made = {0};
    clsolve_status status = make_factors(call, shape, AB, &made);
    if (status == CLSOLVE_OK && B->cols > 0) status = cls_lapack.library.band_solve(made.band, CLSOLVE_NO_TRANS, B);
    if (status == CLSOLVE_OK || status == CLSOLVE_SINGULAR) {
        cls_device_copy(&made.AFB, AB);
        cls_device_put_pivots(call, ipiv, made.ipiv, AB->cols);
        cls_call_put(call, info, 0, made.info);
    }
    cls_lapack.library.band_destroy(made.band);
    free(made.AFB.data);
    free(made.ipiv);
    return status;
}

static int check_gbsv(const lapack_call *call, lapack_shape *shape) {
    *shape = (lapack_shape){.work = WORK_FACTOR,
                            .m = cls_call_int(call, 0),
                            .n = cls_call_int(call, 0),
                            .kl = cls_call_int(call, 1),
                            .ku = cls_call_int(call, 2),
                            .nrhs = cls_call_int(call, 3)};
    return has_sizes(call, shape, 5) && cls_call_int(call, 8) >= cls_at_least_1(shape->n);
}

static clsolve_status run_gbsv(const lapack_call *call, const lapack_shape *shape) {
    clsolve_matrix AB = cls_call_matrix(call, 4, rows_of(shape), shape->n, 5);
    clsolve_matrix B = cls_call_matrix(call, 7, shape->n, shape->nrhs, 8);
    return factor_and_solve(call, shape, &AB, 6, &B, 9);
}

const lapack_routine cls_lapack_gbsv = {check_gbsv, run_gbsv};

/* ---- factors of the caller's ---- */

/* A handle with the factors that the caller has from gbtrf, in arguments `ab` to `ab` + 2: array, ldab, pivots. NULL or
 * a handle to destroy, whatever the status. */
static clsolve_status import(const lapack_call *call, const lapack_shape *shape, int ab, clsolve_band **band) {
    const lapack_library *library = &cls_lapack.library;
    clsolve_matrix AFB = cls_call_matrix(call, ab, rows_of(shape), shape->n, ab + 1);
    clsolve_band_options options = cls_device_band_options();
    int64_t *pivots = NULL;
    *band = NULL;
    clsolve_status status = cls_device_get_pivots(call, ab + 2, shape->n, &pivots);
    if (status == CLSOLVE_OK)
        status = library->band_create(cls_lapack.context, shape->n, shape->kl, shape->ku, call->type, &options, band);
    if (status == CLSOLVE_OK) status = library->band_import(*band, &AFB, pivots);
    free(pivots);
    /* With a zero pivot LAPACK divides by it, which the host does. */
    return status == CLSOLVE_SINGULAR ? CLSOLVE_ERROR_UNSUPPORTED : status;
}

/* ---- gbtrs(trans, n, kl, ku, nrhs, AB, ldab, ipiv, B, ldb, info) ---- */

static int check_gbtrs(const lapack_call *call, lapack_shape *shape) {
    clsolve_op op;
    *shape = (lapack_shape){.work = WORK_SOLVE,
                            .m = cls_call_int(call, 1),
                            .n = cls_call_int(call, 1),
                            .kl = cls_call_int(call, 2),
                            .ku = cls_call_int(call, 3),
                            .nrhs = cls_call_int(call, 4)};
    return cls_call_op(call, 0, &op) && has_sizes(call, shape, 6) && cls_call_int(call, 9) >= cls_at_least_1(shape->n);
}

static clsolve_status run_gbtrs(const lapack_call *call, const lapack_shape *shape) {
    clsolve_matrix B = cls_call_matrix(call, 8, shape->n, shape->nrhs, 9);
    clsolve_band *band = NULL;
    clsolve_op op;
    clsolve_status status = cls_call_op(call, 0, &op) ? import(call, shape, 5, &band) : CLSOLVE_ERROR_UNSUPPORTED;
    if (status == CLSOLVE_OK) status = cls_lapack.library.band_solve(band, op, &B);
    if (status == CLSOLVE_OK) cls_call_put(call, 10, 0, 0);
    cls_lapack.library.band_destroy(band);
    return status;
}

const lapack_routine cls_lapack_gbtrs = {check_gbtrs, run_gbtrs};

/* ---- gbcon(norm, n, kl, ku, AB, ldab, ipiv, anorm, rcond, work, iwork, info) ---- */

/* A norm that is 0 or no number has answers of its own, as in gecon. */
static int check_gbcon(const lapack_call *call, lapack_shape *shape) {
    clsolve_norm norm;
    double size = cls_call_real(call, 7);
    *shape = (lapack_shape){.work = WORK_ESTIMATE,
                            .m = cls_call_int(call, 1),
                            .n = cls_call_int(call, 1),
                            .kl = cls_call_int(call, 2),
                            .ku = cls_call_int(call, 3),
                            .nrhs = 1};
    return cls_call_norm(call, 0, &norm) && has_sizes(call, shape, 5) && size > 0 && isfinite(size);
}

static clsolve_status run_gbcon(const lapack_call *call, const lapack_shape *shape) {
    clsolve_band *band = NULL;
    clsolve_norm norm;
    double rcond = 0;
    clsolve_status status = cls_call_norm(call, 0, &norm) ? import(call, shape, 4, &band) : CLSOLVE_ERROR_UNSUPPORTED;
    if (status == CLSOLVE_OK) status = cls_lapack.library.band_condition(band, norm, cls_call_real(call, 7), &rcond);
    if (status == CLSOLVE_OK) {
        cls_call_put_real(call, 8, 0, rcond);
        cls_call_put(call, 11, 0, 0);
    }
    cls_lapack.library.band_destroy(band);
    return status;
}

const lapack_routine cls_lapack_gbcon = {check_gbcon, run_gbcon};
