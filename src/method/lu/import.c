/* import.c: factors from the caller, as LAPACK's getrf leaves them, in the place of a factorization. */
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

/* ---- import ---- */

clsolve_status cls_lu_import(cls_direct *direct, const clsolve_matrix *LU, const int64_t *ipiv) {
    cls_lu *lu = direct->factors;

    direct->info = first_zero(LU);
    CLS_TRY(cls_upload_square(lu->device, &lu->transfer, LU, &lu->A));
    CLS_TRY(cls_scaling_uniform(lu->device, &direct->scaling, 0, 1)); /* of the matrix before */
    CLS_TRY(cls_panel_set_pivots(&lu->panel, lu->n, ipiv, lu->n));
    direct->growth = cls_growth_begin();
    if (lu->n > 0) CLS_TRY(cls_lu_growth_columns(lu, 0, lu->n, &direct->growth));
    return lu->engine->import ? lu->engine->import(lu, ipiv) : CLSOLVE_OK;
}
