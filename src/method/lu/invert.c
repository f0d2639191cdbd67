/*
 * invert.c: the inverse from factors: LAPACK's getri on the host; on a device a solve for the identity, which is made
 * there where it has the room, and else comes from the host.
 */
#include <lapacke.h>

#include "base/blas_int.h"
#include "base/host_blas.h"
#include "base/memory.h"
#include "base/process.h"
#include "method/direct/identity.h"
#include "method/lu/direct.h"

/* ---- by LAPACK ---- */

static clsolve_status invert_pivoted(cls_direct *direct, const char *call, const clsolve_matrix *T, int64_t *ipiv,
                                     int *pivots, void *work, int64_t room) {
    const lapack_int n = cls_blas_int(T->rows);

    CLS_TRY(cls_lu_export(direct, call, T, ipiv));
    for (int64_t k = 0; k < T->rows; ++k) pivots[k] = (int)ipiv[k];
    const lapack_int length = cls_blas_int(cls_blas_run(room));
    CLS_HOST_BLAS;
    (void)CLS_LAPACKE(T->type, getri, n, T->data, n, pivots, work, length);
    return CLSOLVE_OK;
}

static clsolve_status invert_by_lapack(cls_direct *direct, const char *call, const clsolve_matrix *T) {
    enum { BLOCK = 64 }; /* columns that getri works on at a time */
    const int64_t n = T->rows;
    int64_t *ipiv = cls_alloc((size_t)n, sizeof *ipiv);
    int *pivots = cls_alloc((size_t)n, sizeof *pivots);
    void *work = cls_alloc((size_t)n * BLOCK, (size_t)cls_type_size(T->type));

    clsolve_status status = ipiv && pivots && work ? invert_pivoted(direct, call, T, ipiv, pivots, work, n * BLOCK)
                                                   : cls_fail(direct->device->error, CLSOLVE_ERROR_OUT_OF_MEMORY,
                                                              "%s: no host memory for work space", call);
    cls_free(ipiv);
    cls_free(pivots);
    cls_free(work);
    return status;
}

/* ---- on the device ---- */

/* Factors that need nothing of the host's, neither a copy of A nor memory that is mapped. */
static int stays_on_device(const cls_direct *direct) {
    const cls_lu *lu = direct->factors;
    return !direct->device->no_kernels && !direct->copies && !lu->A.mapped && lu->engine->inverts_there;
}

static clsolve_status invert_there(cls_direct *direct, const char *call, const clsolve_matrix *X) {
    cls_lu *lu = direct->factors;
    const cls_sides sides = cls_lu_sides(lu, lu->n);
    cls_place out;

    CLS_TRY(cls_identity_put(lu->device, &lu->B, 0, lu->n));
    CLS_TRY(cls_sides_apply(direct, &sides, CLSOLVE_NO_TRANS, lu->n, 1, &out));
    if (out.row >= 0) return cls_identity_overflow(direct, call);
    return cls_download(lu->device, &lu->transfer, &lu->B, lu->n, X, 0, &lu->scratch);
}

/* The handle may live on for solves, which want columns and no square. */
static clsolve_status invert_and_give_back(cls_direct *direct, const char *call, const clsolve_matrix *X) {
    cls_lu *lu = direct->factors;
    const clsolve_status status = invert_there(direct, call, X);
    cls_matrix_destroy(lu->device, &lu->B);
    cls_matrix_destroy(lu->device, &lu->scratch);
    return status;
}

/* ---- by way of the host ---- */

clsolve_status cls_lu_invert_by_host(cls_direct *direct, const char *call, clsolve_uplo uplo, const clsolve_matrix *X) {
    const int as_given = !direct->copies && !direct->equilibrate && !direct->scaling.cols;
    clsolve_matrix T;

    (void)uplo;
    if (X->rows == 0) return CLSOLVE_OK;
    if (!direct->device->no_kernels || !as_given) return cls_identity_solve(direct, call, X);
    CLS_TRY(cls_identity_room(direct, call, X, &T));
    return cls_identity_deliver(direct, call, invert_by_lapack(direct, call, &T), &T, X);
}

clsolve_status cls_lu_invert(cls_direct *direct, const char *call, clsolve_uplo uplo, const clsolve_matrix *X) {
    const cls_error before = *direct->device->error;

    if (X->rows == 0) return CLSOLVE_OK;
    if (stays_on_device(direct)) {
        clsolve_status room = cls_lu_reserve(direct->factors, X->rows, X->layout == CLSOLVE_ROW_MAJOR);
        if (room == CLSOLVE_OK) return invert_and_give_back(direct, call, X);
        if (room != CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY) return room;
        *direct->device->error = before;
    }
    return cls_lu_invert_by_host(direct, call, uplo, X);
}
