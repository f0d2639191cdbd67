/*
 * invert.c: the inverse from factors: LAPACK's getri on the host; on a device a solve for the identity, which is made
 * there where it has the room, and else comes from the host.
 */
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/blas_int.h"
#include "base/host_blas.h"
#include "base/memory.h"
#include "base/process.h"
#include "method/direct/failure.h"
#include "method/lu/direct.h"
#include "method/mapped.h"

static void put_one(clsolve_type type, void *array, int64_t k) {
    cls_type_put(type, array, k * cls_type_parts(type), 1);
}

static void put_identity(const clsolve_matrix *T) {
    for (int64_t k = 0; k < T->rows; ++k) put_one(T->type, T->data, k + k * T->ld);
}

static void copy_out(const clsolve_matrix *T, const clsolve_matrix *X) {
    const int64_t n = T->rows;
    const size_t size = (size_t)cls_type_size(T->type);

    for (int64_t j = 0; j < n; ++j) {
        const char *from = (const char *)T->data + (size_t)(j * n) * size;
        char *to = (char *)X->data + (size_t)(j * (X->layout == CLSOLVE_COLUMN_MAJOR ? X->ld : 1)) * size;
        if (X->layout == CLSOLVE_COLUMN_MAJOR)
            memcpy(to, from, (size_t)n * size);
        else
            for (int64_t i = 0; i < n; ++i) memcpy(to + (size_t)(i * X->ld) * size, from + (size_t)i * size, size);
    }
}

static clsolve_status overflow(const cls_direct *direct, const char *call) {
    return cls_fail(direct->device->error, CLSOLVE_OVERFLOW,
                    "%s: the inverse holds NaN or Inf: the matrix is too close to a singular one", call);
}

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

/* `ones`: as many as columns. */
static clsolve_status send_diagonal(cls_device *device, const cls_matrix *B, int64_t n, const void *ones) {
    const size_t size = (size_t)cls_type_size(B->type);
    for (int64_t c = 0, run; c < n; c += run) {
        const cls_ref at = cls_matrix_at(B, c, c);
        run = cls_matrix_run(B, c, n);
        const cls_rect rect = {size, (size_t)run, (size_t)at.offset * size, (size_t)(at.ld + 1) * size, size};
        CLS_TRY(device->ops->write(device, CLS_COMPUTE, at.buffer, ones, &rect, NULL, NULL));
    }
    return CLSOLVE_OK;
}

/* lu->B becomes the identity. */
static clsolve_status make_identity(cls_lu *lu) {
    cls_device *device = lu->device;
    const size_t size = (size_t)cls_type_size(lu->type);
    void *ones = cls_alloc((size_t)lu->n, size);
    clsolve_status status = CLSOLVE_OK;

    if (!ones) return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a diagonal");
    for (int64_t k = 0; k < lu->n; ++k) put_one(lu->type, ones, k);
    for (int64_t c = 0, run; c < lu->n && status == CLSOLVE_OK; c += run) {
        const cls_ref at = cls_matrix_at(&lu->B, 0, c);
        run = cls_matrix_run(&lu->B, c, lu->n);
        status = device->ops->fill(device, CLS_COMPUTE, at.buffer, (size_t)at.offset * size,
                                   (size_t)(run * at.ld) * size, 0);
    }
    if (status == CLSOLVE_OK) status = send_diagonal(device, &lu->B, lu->n, ones);
    clsolve_status done = device->ops->finish(device, CLS_COMPUTE);
    cls_free(ones);
    return status != CLSOLVE_OK ? status : done;
}

static clsolve_status invert_there(cls_direct *direct, const char *call, const clsolve_matrix *X) {
    cls_lu *lu = direct->factors;
    const cls_sides sides = cls_lu_sides(lu, lu->n);
    cls_place out;

    CLS_TRY(make_identity(lu));
    CLS_TRY(cls_sides_apply(direct, &sides, CLSOLVE_NO_TRANS, lu->n, 1, &out));
    if (out.row >= 0) return overflow(direct, call);
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

static clsolve_status invert(cls_direct *direct, const char *call, const clsolve_matrix *T) {
    double norm, largest;

    if (direct->device->no_kernels && !direct->copies && !direct->equilibrate && !direct->scaling.cols) {
        CLS_TRY(invert_by_lapack(direct, call, T));
    } else {
        put_identity(T);
        CLS_TRY(cls_direct_solve(direct, call, CLSOLVE_NO_TRANS, T));
    }
    cls_mapped_block(T->type, T->data, T->ld, T->rows, T->cols, &norm, &largest);
    return isfinite(norm) ? CLSOLVE_OK : overflow(direct, call);
}

clsolve_status cls_lu_invert_by_host(cls_direct *direct, const char *call, clsolve_uplo uplo, const clsolve_matrix *X) {
    clsolve_matrix T = *X;

    (void)uplo;
    if (X->rows == 0) return CLSOLVE_OK;
    T.layout = CLSOLVE_COLUMN_MAJOR;
    T.ld = X->rows;
    T.data = cls_alloc((size_t)X->rows, (size_t)X->rows * (size_t)cls_type_size(X->type));
    if (!T.data)
        return cls_fail(direct->device->error, CLSOLVE_ERROR_OUT_OF_MEMORY,
                        "%s: the host has no room for an inverse of order %lld", call, (long long)X->rows);
    clsolve_status status = invert(direct, call, &T);
    if (status == CLSOLVE_OK) copy_out(&T, X);
    cls_free(T.data);
    return status;
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
