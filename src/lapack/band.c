/*
 * band.c: gbtrf and gbsv. libclsolve factors square bands, and takes no factors from its caller: so a gbtrf of m != n and
 * all of gbtrs are the host's.
 */
#include <stdlib.h>

#include "lapack/call.h"
#include "lapack/device.h"

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

static clsolve_status factor(const lapack_call *call, const lapack_shape *shape, clsolve_matrix *AB, int ipiv,
                             clsolve_matrix *B, int info) {
    band_factors made = {0};
    clsolve_status status = make_factors(call, shape, AB, &made);
    if (status == CLSOLVE_OK && B && B->cols > 0)
        status = cls_lapack.library.band_solve(made.band, CLSOLVE_NO_TRANS, B);
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

static int64_t rows_of(const lapack_shape *shape) {
    return 2 * shape->kl + shape->ku + 1;
}

/* ---- gbtrf(m, n, kl, ku, AB, ldab, ipiv, info) ---- */

static int check_gbtrf(const lapack_call *call, lapack_shape *shape) {
    int64_t m = cls_call_int(call, 0), n = cls_call_int(call, 1);
    *shape = (lapack_shape){.work = m == n ? WORK_FACTOR : WORK_HOST,
                            .m = m,
                            .n = n,
                            .kl = cls_call_int(call, 2),
                            .ku = cls_call_int(call, 3)};
    return shape->m >= 0 && shape->n >= 0 && shape->kl >= 0 && shape->ku >= 0 &&
           cls_call_int(call, 5) >= rows_of(shape);
}

static clsolve_status run_gbtrf(const lapack_call *call, const lapack_shape *shape) {
    clsolve_matrix AB = cls_call_matrix(call, 4, rows_of(shape), shape->n, 5);
    return factor(call, shape, &AB, 6, NULL, 7);
}

const lapack_routine cls_lapack_gbtrf = {"gbtrf", KIND_BAND, check_gbtrf, run_gbtrf};

/* ---- gbsv(n, kl, ku, nrhs, AB, ldab, ipiv, B, ldb, info) ---- */

static int check_gbsv(const lapack_call *call, lapack_shape *shape) {
    *shape = (lapack_shape){.work = WORK_FACTOR,
                            .m = cls_call_int(call, 0),
                            .n = cls_call_int(call, 0),
                            .kl = cls_call_int(call, 1),
                            .ku = cls_call_int(call, 2),
                            .nrhs = cls_call_int(call, 3)};
    return shape->n >= 0 && shape->kl >= 0 && shape->ku >= 0 && shape->nrhs >= 0 &&
           cls_call_int(call, 5) >= rows_of(shape) && cls_call_int(call, 8) >= cls_at_least_1(shape->n);
}

static clsolve_status run_gbsv(const lapack_call *call, const lapack_shape *shape) {
    clsolve_matrix AB = cls_call_matrix(call, 4, rows_of(shape), shape->n, 5);
    clsolve_matrix B = cls_call_matrix(call, 7, shape->n, shape->nrhs, 8);
    return factor(call, shape, &AB, 6, &B, 9);
}

const lapack_routine cls_lapack_gbsv = {"gbsv", KIND_BAND, check_gbsv, run_gbsv};

/* ---- gbtrs ---- */

const lapack_routine cls_lapack_gbtrs = {"gbtrs", KIND_BAND, NULL, NULL};
