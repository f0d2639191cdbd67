/* given.c: what takes factors from the caller, as getrf left them: getrs, getri, gecon, gerfs. */
#include <math.h>
#include <stdlib.h>

#include "lapack/call.h"
#include "lapack/device.h"
#include "lapack/snapshot.h"

/* ---- getrs(trans, n, nrhs, A, lda, ipiv, B, ldb, info) ---- */

static int check_getrs(const lapack_call *call, lapack_shape *shape) {
    int64_t n = cls_call_int(call, 1), nrhs = cls_call_int(call, 2);
    clsolve_op op;
    *shape = (lapack_shape){.work = WORK_SOLVE, .m = n, .n = n, .nrhs = nrhs};
    return cls_call_op(call, 0, &op) && n >= 0 && nrhs >= 0 && cls_call_int(call, 4) >= cls_at_least_1(n) &&
           cls_call_int(call, 7) >= cls_at_least_1(n);
}

static clsolve_status run_getrs(const lapack_call *call, const lapack_shape *shape) {
    clsolve_matrix LU = cls_call_matrix(call, 3, shape->n, shape->n, 4);
    clsolve_matrix B = cls_call_matrix(call, 6, shape->n, shape->nrhs, 7);
    clsolve_lu *lu = NULL;
    clsolve_op op;
    clsolve_status status =
        cls_call_op(call, 0, &op) ? cls_device_import(call, &LU, 5, &lu) : CLSOLVE_ERROR_UNSUPPORTED;
    if (status == CLSOLVE_OK) status = cls_lapack.library.lu_solve(lu, op, &B);
    if (status == CLSOLVE_OK) cls_call_put(call, 8, 0, 0);
    cls_lapack.library.lu_destroy(lu);
    return status;
}

const lapack_routine cls_lapack_getrs = {check_getrs, run_getrs};

/* ---- getri(n, A, lda, ipiv, work, lwork, info) ---- */

/* lwork = -1 asks for the size of work, which is the host's to say. */
static int check_getri(const lapack_call *call, lapack_shape *shape) {
    int64_t n = cls_call_int(call, 0), lwork = cls_call_int(call, 5);
    *shape = (lapack_shape){.work = lwork == -1 ? WORK_HOST : WORK_INVERT, .m = n, .n = n, .nrhs = n};
    return n >= 0 && cls_call_int(call, 2) >= cls_at_least_1(n) && (lwork == -1 || lwork >= cls_at_least_1(n));
}

/* The library has read A by then, and the device may fail while it writes it. */
static clsolve_status run_getri(const lapack_call *call, const lapack_shape *shape) {
    clsolve_matrix A = cls_call_matrix(call, 1, shape->n, shape->n, 2);
    clsolve_lu *lu = NULL;
    cls_snapshot kept;
    clsolve_status status = cls_snapshot_take(&kept, &A);
    if (status != CLSOLVE_OK) return status;
    status = cls_device_import(call, &A, 3, &lu);
    cls_snapshot_wait(&kept);
    if (status == CLSOLVE_OK) status = cls_lapack.library.lu_inverse(lu, &A);
    cls_snapshot_end(&kept, status);
    if (status == CLSOLVE_OK) {
        cls_call_put_real(call, 4, 0, (double)shape->n); /* the size of work that would do */
        if (cls_lapack_is_complex(call->type)) cls_call_put_real(call, 4, 1, 0);
        cls_call_put(call, 6, 0, 0);
    }
    cls_lapack.library.lu_destroy(lu);
    return status;
}

const lapack_routine cls_lapack_getri = {check_getri, run_getri};

/* ---- gecon(norm, n, A, lda, anorm, rcond, work, iwork, info) ---- */

/* A norm that is 0 or no number has answers of its own, which versions of LAPACK give differently. */
static int check_gecon(const lapack_call *call, lapack_shape *shape) {
    clsolve_norm norm;
    int64_t n = cls_call_int(call, 1);
    double size = cls_call_real(call, 4);
    *shape = (lapack_shape){.work = WORK_ESTIMATE, .m = n, .n = n, .nrhs = 1};
    return cls_call_norm(call, 0, &norm) && n >= 0 && cls_call_int(call, 3) >= cls_at_least_1(n) && size > 0 &&
           isfinite(size);
}

/* Exchanges of rows change neither norm of the inverse, so gecon is not told of them. */
static clsolve_status run_gecon(const lapack_call *call, const lapack_shape *shape) {
    clsolve_matrix LU = cls_call_matrix(call, 2, shape->n, shape->n, 3);
    clsolve_lu *lu = NULL;
    clsolve_norm norm;
    double rcond = 0;
    clsolve_status status =
        cls_call_norm(call, 0, &norm) ? cls_device_import(call, &LU, -1, &lu) : CLSOLVE_ERROR_UNSUPPORTED;
    if (status == CLSOLVE_OK) status = cls_lapack.library.lu_condition(lu, norm, cls_call_real(call, 4), &rcond);
    if (status == CLSOLVE_OK) {
        cls_call_put_real(call, 5, 0, rcond);
        cls_call_put(call, 8, 0, 0);
    }
    cls_lapack.library.lu_destroy(lu);
    return status;
}

const lapack_routine cls_lapack_gecon = {check_gecon, run_gecon};

/* ---- gerfs(trans, n, nrhs, A, lda, AF, ldaf, ipiv, B, ldb, X, ldx, ferr, berr, work, iwork, info) ---- */

static int check_gerfs(const lapack_call *call, lapack_shape *shape) {
    int64_t n = cls_call_int(call, 1), nrhs = cls_call_int(call, 2), least = cls_at_least_1(n);
    clsolve_op op;
    *shape = (lapack_shape){.work = WORK_ESTIMATE, .m = n, .n = n, .nrhs = nrhs};
    return cls_call_op(call, 0, &op) && n >= 0 && nrhs >= 0 && cls_call_int(call, 4) >= least &&
           cls_call_int(call, 6) >= least && cls_call_int(call, 9) >= least && cls_call_int(call, 11) >= least;
}

static clsolve_status run_gerfs(const lapack_call *call, const lapack_shape *shape) {
    clsolve_matrix A = cls_call_matrix(call, 3, shape->n, shape->n, 4);
    clsolve_matrix AF = cls_call_matrix(call, 5, shape->n, shape->n, 6);
    clsolve_matrix B = cls_call_matrix(call, 8, shape->n, shape->nrhs, 9);
    clsolve_matrix X = cls_call_matrix(call, 10, shape->n, shape->nrhs, 11);
    clsolve_lu *lu = NULL;
    clsolve_op op;
    clsolve_status status =
        cls_call_op(call, 0, &op) ? cls_device_import(call, &AF, 7, &lu) : CLSOLVE_ERROR_UNSUPPORTED;
    if (status == CLSOLVE_OK) status = cls_device_refine(call, lu, op, &A, &B, &X, 12);
    if (status == CLSOLVE_OK) cls_call_put(call, 16, 0, 0);
    cls_lapack.library.lu_destroy(lu);
    return status;
}

const lapack_routine cls_lapack_gerfs = {check_gerfs, run_gerfs};
