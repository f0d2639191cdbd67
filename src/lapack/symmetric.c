/*
 * symmetric.c: potrf, posv, potrs, potri, pocon, of hermitian matrices in the complex types. The library writes a
 * triangle of the caller's only when nothing can fail any more, so A needs no copy. A matrix that is not positive
 * definite is the host's: its potrf leaves the columns before.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lapack/call.h"
#include "lapack/device.h"

static clsolve_uplo uplo_of(const lapack_call *call, int i) {
    clsolve_uplo uplo;
    (void)cls_call_uplo(call, i, &uplo);
    return uplo;
}

static clsolve_status make(const lapack_call *call, int64_t n, clsolve_cholesky **cholesky) {
    const clsolve_cholesky_options options = cls_device_cholesky_options(n, call->type);
    *cholesky = NULL;
    return cls_lapack.library.cholesky_create(cls_lapack.context, n, call->type, &options, cholesky);
}

/* A handle with the factor that the caller has from potrf; NULL or a handle to destroy, whatever the status. */
static clsolve_status import(const lapack_call *call, int uplo, const clsolve_matrix *F, clsolve_cholesky **cholesky) {
    clsolve_status status = make(call, F->cols, cholesky);
    return status == CLSOLVE_OK ? cls_lapack.library.cholesky_import(*cholesky, uplo_of(call, uplo), F) : status;
}

/* ---- potrf(uplo, n, A, lda, info) ---- */

static int check_potrf(const lapack_call *call, lapack_shape *shape) {
    const int64_t n = cls_call_int(call, 1);
    clsolve_uplo uplo;
    *shape = (lapack_shape){.work = WORK_FACTOR, .m = n, .n = n};
    return cls_call_uplo(call, 0, &uplo) && n >= 0 && cls_call_int(call, 3) >= cls_at_least_1(n);
}

static clsolve_status run_potrf(const lapack_call *call, const lapack_shape *shape) {
    const lapack_library *library = &cls_lapack.library;
    clsolve_matrix A = cls_call_matrix(call, 2, shape->n, shape->n, 3);
    clsolve_cholesky *cholesky = NULL;
    clsolve_status status = make(call, shape->n, &cholesky);
    if (status == CLSOLVE_OK) status = library->cholesky_factor(cholesky, uplo_of(call, 0), &A);
    if (status == CLSOLVE_OK) status = library->cholesky_factors(cholesky, uplo_of(call, 0), &A);
    if (status == CLSOLVE_OK) cls_call_put(call, 4, 0, 0);
    library->cholesky_destroy(cholesky);
    return status;
}

const lapack_routine cls_lapack_potrf = {check_potrf, run_potrf};

/* ---- posv(uplo, n, nrhs, A, lda, B, ldb, info) ---- */

static int check_posv(const lapack_call *call, lapack_shape *shape) {
    const int64_t n = cls_call_int(call, 1), nrhs = cls_call_int(call, 2);
    clsolve_uplo uplo;
    *shape = (lapack_shape){.work = WORK_FACTOR, .m = n, .n = n, .nrhs = nrhs};
    return cls_call_uplo(call, 0, &uplo) && n >= 0 && nrhs >= 0 && cls_call_int(call, 4) >= cls_at_least_1(n) &&
           cls_call_int(call, 6) >= cls_at_least_1(n);
}

/* B is solved for, and given back if the factor does not come. `kept`: a copy of B. */
static clsolve_status factor_and_solve(const lapack_call *call, clsolve_cholesky *cholesky, clsolve_matrix *A,
                                       clsolve_matrix *B, const clsolve_matrix *kept) {
    const lapack_library *library = &cls_lapack.library;
    clsolve_status status = library->cholesky_factor(cholesky, uplo_of(call, 0), A);
    if (status == CLSOLVE_OK) status = library->cholesky_solve(cholesky, B);
    if (status != CLSOLVE_OK) return status;
    status = library->cholesky_factors(cholesky, uplo_of(call, 0), A);
    if (status != CLSOLVE_OK) cls_device_copy(kept, B);
    return status;
}

static clsolve_status run_posv(const lapack_call *call, const lapack_shape *shape) {
    clsolve_matrix A = cls_call_matrix(call, 3, shape->n, shape->n, 4);
    clsolve_matrix B = cls_call_matrix(call, 5, shape->n, shape->nrhs, 6), kept = B;
    clsolve_cholesky *cholesky = NULL;
    clsolve_status status = CLSOLVE_ERROR_OUT_OF_MEMORY;
    kept.ld = cls_at_least_1(kept.rows);
    kept.data = cls_device_room(call, kept.rows, kept.cols);
    if (kept.data) {
        cls_device_copy(&B, &kept);
        status = make(call, shape->n, &cholesky);
    }
    if (status == CLSOLVE_OK) status = factor_and_solve(call, cholesky, &A, &B, &kept);
    if (status == CLSOLVE_OK) cls_call_put(call, 7, 0, 0);
    cls_lapack.library.cholesky_destroy(cholesky);
    free(kept.data);
    return status;
}

const lapack_routine cls_lapack_posv = {check_posv, run_posv};

/* ---- potrs(uplo, n, nrhs, A, lda, B, ldb, info) ---- */

static int check_potrs(const lapack_call *call, lapack_shape *shape) {
    const int right = check_posv(call, shape);
    shape->work = WORK_SOLVE;
    return right;
}

static clsolve_status run_potrs(const lapack_call *call, const lapack_shape *shape) {
    const clsolve_matrix F = cls_call_matrix(call, 3, shape->n, shape->n, 4);
    clsolve_matrix B = cls_call_matrix(call, 5, shape->n, shape->nrhs, 6);
    clsolve_cholesky *cholesky = NULL;
    clsolve_status status = import(call, 0, &F, &cholesky);
    if (status == CLSOLVE_OK) status = cls_lapack.library.cholesky_solve(cholesky, &B);
    if (status == CLSOLVE_OK) cls_call_put(call, 7, 0, 0);
    cls_lapack.library.cholesky_destroy(cholesky);
    return status;
}

const lapack_routine cls_lapack_potrs = {check_potrs, run_potrs};

/* ---- potri(uplo, n, A, lda, info) ---- */

static int check_potri(const lapack_call *call, lapack_shape *shape) {
    const int right = check_potrf(call, shape);
    shape->work = WORK_INVERT;
    shape->nrhs = shape->n;
    return right;
}

static clsolve_status run_potri(const lapack_call *call, const lapack_shape *shape) {
    clsolve_matrix A = cls_call_matrix(call, 2, shape->n, shape->n, 3);
    clsolve_cholesky *cholesky = NULL;
    clsolve_status status = import(call, 0, &A, &cholesky);
    if (status == CLSOLVE_OK) status = cls_lapack.library.cholesky_inverse(cholesky, uplo_of(call, 0), &A);
    if (status == CLSOLVE_OK) cls_call_put(call, 4, 0, 0);
    cls_lapack.library.cholesky_destroy(cholesky);
    return status;
}

const lapack_routine cls_lapack_potri = {check_potri, run_potri};

/* ---- pocon(uplo, n, A, lda, anorm, rcond, work, iwork, info); complex matrices have rwork instead of iwork ---- */

/* A norm that is 0 or no number has answers of its own, which versions of LAPACK give differently. */
static int check_pocon(const lapack_call *call, lapack_shape *shape) {
    const double size = cls_call_real(call, 4);
    const int right = check_potrf(call, shape);
    shape->work = WORK_ESTIMATE;
    shape->nrhs = 1;
    return right && size > 0 && isfinite(size);
}

static clsolve_status run_pocon(const lapack_call *call, const lapack_shape *shape) {
    const clsolve_matrix F = cls_call_matrix(call, 2, shape->n, shape->n, 3);
    clsolve_cholesky *cholesky = NULL;
    double rcond = 0;
    clsolve_status status = import(call, 0, &F, &cholesky);
    if (status == CLSOLVE_OK) status = cls_lapack.library.cholesky_condition(cholesky, cls_call_real(call, 4), &rcond);
    if (status == CLSOLVE_OK) {
        cls_call_put_real(call, 5, 0, rcond);
        cls_call_put(call, 8, 0, 0);
    }
    cls_lapack.library.cholesky_destroy(cholesky);
    return status;
}

const lapack_routine cls_lapack_pocon = {check_pocon, run_pocon};
