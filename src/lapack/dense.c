/* dense.c: getrf and gesv. */
#include <stdlib.h>
#include <string.h>

#include "lapack/call.h"
#include "lapack/device.h"

/* ---- getrf(m, n, A, lda, ipiv, info), getrf2 ---- */

static int check_getrf(const lapack_call *call, lapack_shape *shape) {
    int64_t m = cls_call_int(call, 0), n = cls_call_int(call, 1), lda = cls_call_int(call, 3);
    *shape = (lapack_shape){.work = WORK_FACTOR, .m = m, .n = n};
    return m >= 0 && n >= 0 && lda >= cls_at_least_1(m);
}

static clsolve_status run_getrf(const lapack_call *call, const lapack_shape *shape) {
    clsolve_matrix A = cls_call_matrix(call, 2, shape->m, shape->n, 3);
    return cls_device_factor(call, &A, 4, NULL, 5);
}

const lapack_routine cls_lapack_getrf = {check_getrf, run_getrf};

/* ---- gesv(n, nrhs, A, lda, ipiv, B, ldb, info) ---- */

static int check_gesv(const lapack_call *call, lapack_shape *shape) {
    int64_t n = cls_call_int(call, 0), nrhs = cls_call_int(call, 1), lda = cls_call_int(call, 3),
            ldb = cls_call_int(call, 6);
    *shape = (lapack_shape){.work = WORK_FACTOR, .m = n, .n = n, .nrhs = nrhs};
    return n >= 0 && nrhs >= 0 && lda >= cls_at_least_1(n) && ldb >= cls_at_least_1(n);
}

static clsolve_status run_gesv(const lapack_call *call, const lapack_shape *shape) {
    clsolve_matrix A = cls_call_matrix(call, 2, shape->n, shape->n, 3);
    clsolve_matrix B = cls_call_matrix(call, 5, shape->n, shape->nrhs, 6);
    return cls_device_factor(call, &A, 4, &B, 7);
}

const lapack_routine cls_lapack_gesv = {check_gesv, run_gesv};
