/* import.c: factors from the caller, as LAPACK's getrf leaves them, in the place of a factorization. */
#include "base/memory.h"
#include "method/lu/direct.h"

/* ---- the caller's arrays ---- */

static int is_zero(const clsolve_matrix *LU, int64_t k) {
    const int64_t parts = cls_type_parts(LU->type), at = (k + k * LU->ld) * parts; /* in either layout */
    return cls_type_get(LU->type, LU->data, at) == 0 && cls_type_get(LU->type, LU->data, at + parts - 1) == 0;
}

static int64_t first_zero(const clsolve_matrix *LU) {
    for (int64_t k = 0; k < LU->rows; ++k)
        if (is_zero(LU, k)) return k + 1;
    return 0;
}

/* ---- few rows on the device (small.h): row i of P A is row rows[i] of A ---- */

static clsolve_status send_rows(cls_lu *lu, const int64_t *ipiv) {
    const size_t bytes = (size_t)lu->n * sizeof(int32_t);
    cls_rect rect = {bytes, 1, 0, bytes, bytes};
    int32_t *rows = cls_alloc((size_t)lu->n, sizeof *rows);

    if (!rows) return cls_fail(lu->device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for pivots");
    for (int64_t k = 0; k < lu->n; ++k) rows[k] = (int32_t)k;
    for (int64_t k = 0; k < lu->n; ++k) {
        int32_t other = rows[ipiv[k] - 1];
        rows[ipiv[k] - 1] = rows[k];
        rows[k] = other;
    }
    clsolve_status status = lu->device->ops->write(lu->device, CLS_COMPUTE, lu->small.rows, rows, &rect, NULL, NULL);
    clsolve_status done = lu->device->ops->finish(lu->device, CLS_COMPUTE);
    cls_free(rows);
    return status != CLSOLVE_OK ? status : done;
}

/* ---- import ---- */

clsolve_status cls_lu_import(cls_direct *direct, const clsolve_matrix *LU, const int64_t *ipiv) {
    cls_lu *lu = direct->factors;

    lu->small.host_is_new = 0;
    direct->info = first_zero(LU);
    CLS_TRY(cls_upload_square(lu->device, &lu->transfer, LU, &lu->A));
    CLS_TRY(cls_scaling_uniform(lu->device, &direct->scaling, 0, 1)); /* of the matrix before */
    CLS_TRY(cls_panel_set_pivots(&lu->panel, lu->n, ipiv, lu->n));
    direct->growth = cls_growth_begin();
    if (lu->n > 0) CLS_TRY(cls_lu_growth_columns(lu, 0, lu->n, &direct->growth));
    if (!lu->small.on) return CLSOLVE_OK;
    CLS_TRY(send_rows(lu, ipiv));
    lu->small.growth = direct->growth;
    return CLSOLVE_OK;
}
