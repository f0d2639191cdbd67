/*
 * mixed.c: dsgesv(n, nrhs, A, lda, ipiv, B, ldb, X, ldx, work, swork, iter, info), and zcgesv, which has rwork before
 * iter.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "lapack/call.h"
#include "lapack/device.h"
#include "lapack/norms.h"

enum { MOST_STEPS = 30 }; /* ITERMAX of LAPACK's dsgesv */

static int check(const lapack_call *call, lapack_shape *shape) {
    int64_t n = cls_call_int(call, 0), nrhs = cls_call_int(call, 1), least = cls_at_least_1(n);
    *shape = (lapack_shape){.work = WORK_FACTOR, .m = n, .n = n, .nrhs = nrhs};
    return n >= 0 && nrhs >= 0 && cls_call_int(call, 3) >= least && cls_call_int(call, 6) >= least &&
           cls_call_int(call, 8) >= least;
}

/* The solution by the float factors, if they sufficed; else by the double ones, which then take A's place. */
typedef struct solution {
    clsolve_lu *lu;
    clsolve_matrix X, LU;
    int64_t *ipiv, info, iter;
} solution;

/*
 * LAPACK's dsgesv promises ||b - A x|| <= sqrt(n) eps ||A|| ||x|| of what it refined. The library's error has
 * ||A|| ||x|| + ||b|| below the line, at most twice that; and it stops at 4 eps, which is more than LAPACK's of few
 * rows. zcgesv measures |re| + |im| where the library measures moduli or parts: that changes the quotient by 2 sqrt 2
 * at most.
 */
static int keeps_promise(const clsolve_report *report, clsolve_type type) {
    const double error = report->refinement.backward_error, factor = cls_lapack_is_complex(type) ? 6 : 2;
    return error >= 0 && factor * error <= sqrt((double)report->n) * 0x1p-53;
}

/* LAPACK's number for factors of double. Without a reason A is singular already in float. */
static int iter_of(const clsolve_report *report) {
    switch (report->direct.fallback_reason) {
    case CLSOLVE_FALLBACK_OVERFLOW:
        return -2;
    case CLSOLVE_FALLBACK_NOT_CONVERGED:
        return -31;
    default:
        return -3;
    }
}

/*
 * The library scales, so that what overflows in float, or is 0 there, is solved too; and within a memory limit it
 * factors in float alone, and lets refinement decide where a pivot is zero. LAPACK's answers to these have numbers of
 * their own.
 */
static int is_lapacks(const clsolve_matrix *A, const clsolve_matrix *B, const clsolve_lu_options *options) {
    const double most = cls_norm_largest(A, A->cols, 0);
    return options->memory_limit > 0 || most < (double)FLT_MIN || most > (double)FLT_MAX ||
           cls_norm_largest(B, B->cols, 0) > (double)FLT_MAX;
}

static clsolve_status solve(const lapack_call *call, const clsolve_matrix *A, const clsolve_matrix *B, solution *made) {
    const lapack_library *library = &cls_lapack.library;
    clsolve_lu_options options = cls_device_lu_options(A->cols, call->type);
    clsolve_report report = {0};
    options.precision = CLSOLVE_PRECISION_MIXED;
    if (is_lapacks(A, B, &options)) return CLSOLVE_ERROR_UNSUPPORTED;

    made->X = *B;
    made->X.ld = cls_at_least_1(B->rows);
    made->X.data = cls_device_room(call, B->rows, B->cols);
    made->ipiv = malloc((size_t)A->cols * sizeof *made->ipiv);
    if (!made->X.data || !made->ipiv) return CLSOLVE_ERROR_OUT_OF_MEMORY;
    cls_device_copy(B, &made->X);
    clsolve_status status = library->lu_create(cls_lapack.context, A->cols, call->type, &options, &made->lu);
    if (status != CLSOLVE_OK) return status;
    clsolve_status outcome = library->lu_factor(made->lu, A);
    if (outcome == CLSOLVE_OK) outcome = library->lu_solve(made->lu, CLSOLVE_NO_TRANS, &made->X);
    if (outcome != CLSOLVE_OK && outcome != CLSOLVE_SINGULAR) return outcome;
    status = library->lu_report(made->lu, &report);
    if (status != CLSOLVE_OK) return status;
    made->info = report.info;
    made->iter = report.iterations;
    if (outcome == CLSOLVE_OK && !report.direct.fallback) {
        if (made->X.cols > 0 && (!keeps_promise(&report, call->type) || made->iter > MOST_STEPS))
            return CLSOLVE_NOT_CONVERGED;
        status = library->lu_factors(made->lu, NULL, made->ipiv);
        return status == CLSOLVE_OK ? outcome : status;
    }
    made->iter = iter_of(&report);
    made->LU = *A;
    made->LU.ld = A->rows;
    made->LU.data = cls_device_room(call, A->rows, A->cols);
    if (!made->LU.data) return CLSOLVE_ERROR_OUT_OF_MEMORY;
    status = library->lu_factors(made->lu, &made->LU, made->ipiv);
    return status == CLSOLVE_OK ? outcome : status;
}

static clsolve_status run(const lapack_call *call, const lapack_shape *shape) {
    clsolve_matrix A = cls_call_matrix(call, 2, shape->n, shape->n, 3);
    clsolve_matrix B = cls_call_matrix(call, 5, shape->n, shape->nrhs, 6);
    clsolve_matrix X = cls_call_matrix(call, 7, shape->n, shape->nrhs, 8);
    solution made = {0};
    clsolve_status status = solve(call, &A, &B, &made);
    if (status == CLSOLVE_OK) cls_device_copy(&made.X, &X);
    if (status == CLSOLVE_OK || status == CLSOLVE_SINGULAR) {
        if (made.LU.data) cls_device_copy(&made.LU, &A);
        cls_device_put_pivots(call, 4, made.ipiv, shape->n);
        cls_call_put(call, 11 + cls_lapack_is_complex(call->type), 0, made.iter);
        cls_call_put(call, 12 + cls_lapack_is_complex(call->type), 0, made.info);
    }
    cls_lapack.library.lu_destroy(made.lu);
    free(made.X.data);
    free(made.LU.data);
    free(made.ipiv);
    return status;
}

const lapack_routine cls_lapack_mixed = {check, run};
