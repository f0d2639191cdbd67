#include "method/gauss_jordan/whole.h"

#include <math.h>

#include "base/clock.h"
#include "method/direct/failure.h"
#include "method/direct/scaling.h"
#include "method/gauss_jordan/host_small.h"

static clsolve_status measure(cls_gj *gj, const cls_matrix *M, int64_t cols, cls_measures *measures) {
    CLS_TRY(cls_check_enqueue(gj->device, &gj->check, M, cols, CLS_CHECK_WHOLE));
    return cls_check_read(gj->device, &gj->check, gj->n, measures, NULL);
}

/* A tiny matrix is brought to a size at which reciprocals of pivots do not overflow: the device has `*lift` times A,
 * and `*measures` are of the same. */
static clsolve_status upload(cls_gj *gj, const char *call, const clsolve_matrix *A, double *lift,
                             cls_measures *measures) {
    CLS_TRY(cls_upload_square(gj->device, &gj->transfer, A, &gj->A));
    CLS_TRY(measure(gj, &gj->A, gj->n, measures));
    if (measures->row >= 0)
        return cls_nonfinite(gj->device->error, CLSOLVE_ERROR_NONFINITE, call, "A", measures->row, measures->column);
    *lift = cls_scaling_unit(gj->type, measures->largest);
    if (*lift == 1) return CLSOLVE_OK;
    CLS_TRY(cls_gj_scale(gj, &gj->A, gj->n, *lift));
    return measure(gj, &gj->A, gj->n, measures); /* for its norm */
}

/* The outcome of the elimination: a solution, which *measures are of, or why not. */
static clsolve_status judge(cls_gj *gj, cls_gj_outcome *outcome, const char *call, const cls_matrix *result,
                            int64_t cols, cls_measures *measures) {
    if (outcome->info < 0) {
        const int64_t column = -outcome->info;
        outcome->info = 0;
        return cls_fail(gj->device->error, CLSOLVE_OVERFLOW,
                        "%s: the elimination came to NaN or Inf in column %lld, counted from 1: the matrix leaves the "
                        "range of the type; scale it",
                        call, (long long)column);
    }
    if (outcome->info > 0 && gj->pivoting) outcome->rcond = 0; /* else other pivots might have done */
    if (outcome->info > 0)
        return cls_fail(gj->device->error, CLSOLVE_SINGULAR,
                        gj->pivoting
                            ? "%s: A is singular: the pivot of column %lld, counted from 1, is exactly zero"
                            : "%s: without pivoting, the pivot of column %lld, counted from 1, is exactly zero; "
                              "CLSOLVE_PIVOTING_AUTO exchanges rows",
                        call, (long long)outcome->info);
    CLS_TRY(measure(gj, result, cols, measures));
    return measures->row < 0
               ? CLSOLVE_OK
               : cls_nonfinite(gj->device->error, CLSOLVE_OVERFLOW, call, "X", measures->row, measures->column);
}

clsolve_status cls_gj_system(cls_gj *gj, const clsolve_matrix *A, int conjugate, const clsolve_matrix *B,
                             cls_gj_outcome *outcome) {
    const cls_matrix *result;
    cls_measures measures;
    int64_t row, column, cols = B->cols;
    double start = cls_seconds(), lift;

    if (gj->n == 0 || cols == 0) return CLSOLVE_OK;
    CLS_TRY(cls_gj_reserve(gj, cols, B->layout == CLSOLVE_ROW_MAJOR));
    CLS_TRY(upload(gj, "clsolve_gauss_jordan_solve", A, &lift, &measures));
    if (conjugate) CLS_TRY(cls_gj_conjugate(gj));
    CLS_TRY(cls_upload(gj->device, &gj->transfer, B, 0, cols, &gj->B, &gj->scratch));
    CLS_TRY(cls_check_finite(gj->device, &gj->check, &gj->B, cols, &row, &column));
    outcome->seconds.upload = cls_seconds() - start;
    if (row >= 0)
        return cls_nonfinite(gj->device->error, CLSOLVE_ERROR_NONFINITE, "clsolve_gauss_jordan_solve", "B", row,
                             column);

    start = cls_seconds();
    if (lift != 1) CLS_TRY(cls_gj_scale(gj, &gj->B, cols, lift));
    CLS_TRY(cls_gj_solve(gj, cols, &result, &outcome->info));
    clsolve_status status = judge(gj, outcome, "clsolve_gauss_jordan_solve", result, cols, &measures);
    outcome->seconds.factor = cls_seconds() - start;
    CLS_TRY(status);

    start = cls_seconds();
    CLS_TRY(cls_download(gj->device, &gj->transfer, result, cols, B, 0, &gj->scratch));
    outcome->seconds.download = cls_seconds() - start;
    return CLSOLVE_OK;
}

/* rcond, of norms times powers of 2: 1 / (a x) may leave the type's range where rcond does not. */
static double reciprocal_condition(double norm_A, double norm_X, int exponent) {
    return norm_A > 0 && norm_X > 0 ? ldexp(1 / norm_A / norm_X, -exponent) : 0;
}

clsolve_status cls_gj_inverse(cls_gj *gj, const clsolve_matrix *A, const clsolve_matrix *X, cls_gj_outcome *outcome) {
    const cls_matrix *result;
    cls_measures measures;
    double norm_A, norm_X, lift, start;
    int exponent_A, exponent_X;

    outcome->rcond = 1; /* of a matrix without elements, as LAPACK has it */
    if (gj->n == 0) return CLSOLVE_OK;
    outcome->one_phase = cls_gj_host_small_suits(gj) && cls_gj_host_small_invert(gj, A, X, &outcome->rcond);
    if (outcome->one_phase) return CLSOLVE_OK;
    start = cls_seconds();
    outcome->rcond = -1;
    CLS_TRY(upload(gj, "clsolve_gauss_jordan_invert", A, &lift, &measures));
    CLS_TRY(cls_gj_norm(gj, &gj->A, measures.norm1, &norm_A, &exponent_A));
    outcome->seconds.upload = cls_seconds() - start;

    start = cls_seconds();
    CLS_TRY(cls_gj_invert(gj, &result, &outcome->info));
    CLS_TRY(judge(gj, outcome, "clsolve_gauss_jordan_invert", result, gj->n, &measures));
    CLS_TRY(cls_gj_norm(gj, result, measures.norm1, &norm_X, &exponent_X));
    if (lift != 1) { /* X is the inverse of `lift` A */
        CLS_TRY(cls_gj_scale(gj, result, gj->n, lift));
        CLS_TRY(judge(gj, outcome, "clsolve_gauss_jordan_invert", result, gj->n, &measures));
    }
    outcome->rcond = reciprocal_condition(norm_A, norm_X, exponent_A + exponent_X);
    outcome->seconds.factor = cls_seconds() - start;

    start = cls_seconds();
    CLS_TRY(cls_download_square(gj->device, &gj->transfer, result, X));
    outcome->seconds.download = cls_seconds() - start;
    return CLSOLVE_OK;
}
