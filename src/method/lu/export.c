/* export.c: the factors as LAPACK has them. */
#include <math.h>

#include "method/lu/direct.h"
#include "method/lu/out_of_core.h"

/* U of A itself, where A was factored times a power of two as a whole. */
static void unscale(const clsolve_matrix *LU, double factor) {
    int column = LU->layout == CLSOLVE_COLUMN_MAJOR, exponent = -ilogb(factor);
    int64_t n = LU->rows;
    for (int64_t j = 0; factor != 1 && j < n; ++j)
        for (int64_t i = 0; i <= j; ++i) {
            int64_t at = column ? i + j * LU->ld : i * LU->ld + j;
            if (LU->type == CLSOLVE_F64)
                ((double *)LU->data)[at] = ldexp(((double *)LU->data)[at], exponent);
            else
                ((float *)LU->data)[at] = ldexpf(((float *)LU->data)[at], exponent);
        }
}

/* *spoilt: the factors on the device are lost. */
static clsolve_status download_factors(cls_lu *lu, const clsolve_matrix *LU, int *spoilt) {
    if (lu->out.slab > 0) return cls_lu_out_export(lu, LU);
    if (LU->layout == CLSOLVE_COLUMN_MAJOR || lu->A.mapped)
        return cls_download(lu->device, &lu->transfer, &lu->A, lu->n, LU, 0, NULL);

    /* Transposed in place for the copy, and back. */
    clsolve_matrix lines = *LU;
    lines.layout = CLSOLVE_COLUMN_MAJOR;
    CLS_TRY(cls_transpose_square(lu->device, &lu->transfer, &lu->A, spoilt));
    clsolve_status status = cls_download(lu->device, &lu->transfer, &lu->A, lu->n, &lines, 0, NULL);
    /* One failure may pass: the factors are worth a second try. */
    clsolve_status back = cls_transpose_square(lu->device, &lu->transfer, &lu->A, spoilt);
    if (back != CLSOLVE_OK && !*spoilt) back = cls_transpose_square(lu->device, &lu->transfer, &lu->A, spoilt);
    if (back != CLSOLVE_OK) *spoilt = 1;
    return status != CLSOLVE_OK ? status : back;
}

clsolve_status cls_lu_export(cls_direct *direct, const char *call, const clsolve_matrix *LU, int64_t *ipiv) {
    cls_lu *lu = cls_direct_in_use(direct);
    cls_error *error = direct->device->error;
    double uniform = cls_direct_uniform(direct);

    if (LU && uniform != 1 && LU->place == CLSOLVE_ON_DEVICE)
        return cls_fail(error, CLSOLVE_ERROR_UNSUPPORTED,
                        "%s: a matrix so small was factored times a power of two, which the host takes "
                        "out of U: give LU on the host",
                        call);
    if (lu->rbt.on && lu->n > 0)
        return cls_fail(error, CLSOLVE_ERROR_UNSUPPORTED,
                        "%s: the factors are those of W^T A V, butterflies W and V, without pivots, and not "
                        "A's: choose CLSOLVE_PIVOTING_PARTIAL for those",
                        call);
    if (ipiv && lu->n > 0) CLS_TRY(cls_lu_pivots(lu, ipiv));
    if (!LU || lu->n == 0) return CLSOLVE_OK;
    int spoilt = 0;
    clsolve_status status = download_factors(lu, LU, &spoilt);
    if (spoilt) direct->factored = 0; /* later calls ask for a factorization, instead of giving wrong answers */
    if (status == CLSOLVE_OK) unscale(LU, uniform);
    return status;
}
