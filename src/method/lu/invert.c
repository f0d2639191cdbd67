/* invert.c: the inverse from factors: LAPACK's getri on the host, a solve for the identity elsewhere. */
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "method/direct/failure.h"
#include "method/lu/direct.h"
#include "method/mapped.h"

static void put_identity(const clsolve_matrix *T) {
    for (int64_t k = 0; k < T->rows; ++k)
        if (T->type == CLSOLVE_F64)
            ((double *)T->data)[k + k * T->ld] = 1;
        else
            ((float *)T->data)[k + k * T->ld] = 1;
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

/* ---- by LAPACK ---- */

static clsolve_status invert_pivoted(cls_direct *direct, const char *call, const clsolve_matrix *T, int64_t *ipiv,
                                     int *pivots, void *work, int64_t room) {
    const lapack_int n = (lapack_int)T->rows;

    CLS_TRY(cls_lu_export(direct, call, T, ipiv));
    for (int64_t k = 0; k < T->rows; ++k) pivots[k] = (int)ipiv[k];
    if (T->type == CLSOLVE_F64)
        (void)LAPACKE_dgetri_work(LAPACK_COL_MAJOR, n, T->data, n, pivots, work, (lapack_int)room);
    else
        (void)LAPACKE_sgetri_work(LAPACK_COL_MAJOR, n, T->data, n, pivots, work, (lapack_int)room);
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

/* ---- both ---- */

static clsolve_status invert(cls_direct *direct, const char *call, const clsolve_matrix *T) {
    double norm, largest;

    if (direct->device->no_kernels && !direct->copies && !direct->equilibrate) {
        CLS_TRY(invert_by_lapack(direct, call, T));
    } else {
        put_identity(T);
        CLS_TRY(cls_direct_solve(direct, call, CLSOLVE_NO_TRANS, T));
    }
    cls_mapped_block(T->type, T->data, T->ld, T->rows, T->cols, &norm, &largest);
    if (isfinite(norm)) return CLSOLVE_OK;
    return cls_fail(direct->device->error, CLSOLVE_OVERFLOW,
                    "%s: the inverse holds NaN or Inf: the matrix is too close to a singular one", call);
}

clsolve_status cls_lu_invert(cls_direct *direct, const char *call, const clsolve_matrix *X) {
    clsolve_matrix T = *X;

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
