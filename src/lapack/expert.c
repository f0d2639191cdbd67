/*
 * expert.c: gesvx(fact, trans, n, nrhs, A, lda, AF, ldaf, ipiv, equed, R, C, B, ldb, X, ldx, rcond, ferr, berr, work,
 * iwork, info); of complex matrices rwork stands in the place of iwork.
 *
 *   fact   equed     here
 *   N                A is factored, and all else done by the handle's factors
 *   F      N         the factors come from the caller
 *   F      R, C, B   the host's: its driver scales B and X, and calls gecon, getrs and gerfs, which are met again
 *   E                the host's: its driver scales A, and calls getrf, which is met again
 */
#include <float.h>
#include <stdlib.h>

#include "lapack/call.h"
#include "lapack/device.h"
#include "lapack/norms.h"

static int check(const lapack_call *call, lapack_shape *shape) {
    int64_t n = cls_call_int(call, 2), nrhs = cls_call_int(call, 3), least = cls_at_least_1(n);
    char fact = cls_call_letter(call, 0), equed = fact == 'F' ? cls_call_letter(call, 9) : 'N';
    clsolve_op op;
    *shape = (lapack_shape){.m = n, .n = n, .nrhs = nrhs};
    if (fact == 'E' || equed != 'N') return 1; /* LAPACK checks the rest */
    shape->work = fact == 'F' ? WORK_ESTIMATE : WORK_FACTOR;
    return (fact == 'N' || fact == 'F') && cls_call_op(call, 1, &op) && n >= 0 && nrhs >= 0 &&
           cls_call_int(call, 5) >= least && cls_call_int(call, 7) >= least && cls_call_int(call, 13) >= least &&
           cls_call_int(call, 15) >= least;
}

typedef struct expert {
    clsolve_lu *lu;
    clsolve_op op;
    clsolve_matrix A, AF, B, X;
    int64_t *ipiv; /* NULL: the caller's */
    int64_t info;
    double rcond;
} expert;

/* AF and X are only written by LAPACK here, so a failure may leave anything in them. */
static clsolve_status factor(const lapack_call *call, expert *made) {
    const lapack_library *library = &cls_lapack.library;
    clsolve_lu_options options = cls_device_lu_options(made->A.cols, call->type);
    clsolve_report report = {0};

    made->ipiv = malloc((size_t)made->A.cols * sizeof *made->ipiv);
    if (!made->ipiv) return CLSOLVE_ERROR_OUT_OF_MEMORY;
    clsolve_status status = library->lu_create(cls_lapack.context, made->A.cols, call->type, &options, &made->lu);
    if (status != CLSOLVE_OK) return status;
    clsolve_status outcome = library->lu_factor(made->lu, &made->A);
    if (outcome != CLSOLVE_OK && outcome != CLSOLVE_SINGULAR) return outcome;
    status = library->lu_report(made->lu, &report);
    made->info = report.info;
    if (status == CLSOLVE_OK) status = library->lu_factors(made->lu, &made->AF, made->ipiv);
    return status == CLSOLVE_OK ? outcome : status;
}

static clsolve_status solve(const lapack_call *call, expert *made) {
    const lapack_library *library = &cls_lapack.library;
    const clsolve_norm norm = made->op == CLSOLVE_NO_TRANS ? CLSOLVE_NORM_ONE : CLSOLVE_NORM_INF;
    double size;

    clsolve_status status = cls_norm_of(&made->A, norm, &size);
    if (status == CLSOLVE_OK) status = library->lu_condition(made->lu, norm, size, &made->rcond);
    if (status != CLSOLVE_OK || made->B.cols == 0) return status;
    cls_device_copy(&made->B, &made->X);
    status = library->lu_solve(made->lu, made->op, &made->X);
    return status == CLSOLVE_OK ? cls_device_refine(call, made->lu, made->op, &made->A, &made->B, &made->X, 17)
                                : status;
}

/* LAPACK's reciprocal growth: of a singular matrix that of the columns up to the zero pivot. */
static double growth(const expert *made) {
    const int64_t columns = made->info > 0 ? made->info : made->A.cols;
    double of_U = cls_norm_largest(&made->AF, columns, 1);
    return of_U > 0 ? cls_norm_largest(&made->A, columns, 0) / of_U : 1;
}

static void give(const lapack_call *call, const lapack_shape *shape, const expert *made) {
    const double epsilon = (cls_lapack_is_single(call->type) ? (double)FLT_EPSILON : DBL_EPSILON) / 2;
    int64_t info = made->info;
    if (info == 0 && made->rcond < epsilon) info = shape->n + 1;
    if (made->ipiv) {
        cls_device_put_pivots(call, 8, made->ipiv, shape->n);
        *(char *)call->args[9] = 'N';
    }
    cls_call_put_real(call, 16, 0, made->rcond);
    cls_call_put_real(call, cls_lapack_is_complex(call->type) ? 20 : 19, 0, growth(made)); /* into rwork, or work */
    cls_call_put(call, 21, 0, info);
}

static clsolve_status run(const lapack_call *call, const lapack_shape *shape) {
    expert made = {.A = cls_call_matrix(call, 4, shape->n, shape->n, 5),
                   .AF = cls_call_matrix(call, 6, shape->n, shape->n, 7),
                   .B = cls_call_matrix(call, 12, shape->n, shape->nrhs, 13),
                   .X = cls_call_matrix(call, 14, shape->n, shape->nrhs, 15)};
    clsolve_status status = CLSOLVE_ERROR_UNSUPPORTED;
    if (cls_call_op(call, 1, &made.op))
        status = shape->work == WORK_FACTOR ? factor(call, &made) : cls_device_import(call, &made.AF, 8, &made.lu);
    if (status == CLSOLVE_OK) status = solve(call, &made);
    if (status == CLSOLVE_OK || status == CLSOLVE_SINGULAR) give(call, shape, &made);
    cls_lapack.library.lu_destroy(made.lu);
    free(made.ipiv);
    return status;
}

const lapack_routine cls_lapack_gesvx = {check, run};
