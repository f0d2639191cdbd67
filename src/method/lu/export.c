/* export.c: the factors as LAPACK has them. */
#include <math.h>

#include "base/memory.h"
#include "method/fetch.h"
#include "method/lu/direct.h"
#include "method/lu/out_of_core.h"

/* The lines begin .. begin + lines - 1 of L\U, `ld` apart: U of A itself, where A was factored times a power of two as
 * a whole, or its columns times `c`, which may be NULL. */
static void unscale(const clsolve_matrix *LU, void *data, int64_t ld, int64_t begin, int64_t lines, int exponent,
                    const double *c) {
    int column = LU->layout == CLSOLVE_COLUMN_MAJOR;
    const int64_t n = LU->rows, parts = cls_type_parts(LU->type);

    for (int64_t l = 0; l < lines; ++l) {
        int64_t first = column ? 0 : begin + l, end = column ? begin + l + 1 : n;
        for (int64_t k = (l * ld + first) * parts; k < (l * ld + end) * parts; ++k) {
            const int of_column = c ? ilogb(c[column ? begin + l : k / parts - l * ld]) : 0;
            cls_type_put(LU->type, data, k, ldexp(cls_type_get(LU->type, data, k), exponent - of_column));
        }
    }
}

/* The host does it, some lines at a time: U may hold numbers so small that a device takes them for 0. */
static clsolve_status unscale_there(cls_device *device, const clsolve_matrix *LU, int exponent, const double *c) {
    enum { LINES = 64 };
    int64_t n = LU->rows;
    void *lines = cls_alloc((size_t)n, (size_t)(LINES * cls_type_size(LU->type)));
    clsolve_status status = CLSOLVE_OK;

    if (!lines) return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for lines of L\\U");
    for (int64_t l = 0, count; l < n && status == CLSOLVE_OK; l += count) {
        count = n - l < LINES ? n - l : LINES;
        status = cls_fetch_lines(device, LU, l, count, lines);
        if (status != CLSOLVE_OK) break;
        unscale(LU, lines, n, l, count, exponent, c);
        status = cls_store_lines(device, LU, l, count, lines);
    }
    cls_free(lines);
    return status;
}

/* *spoilt: the factors on the device are lost. */
typedef clsolve_status download(cls_lu *lu, const clsolve_matrix *LU, int *spoilt);

static clsolve_status download_slabs(cls_lu *lu, const clsolve_matrix *LU, int *spoilt) {
    (void)spoilt;
    return cls_lu_out_export(lu, LU);
}

static clsolve_status download_factors(cls_lu *lu, const clsolve_matrix *LU, int *spoilt) {
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

/* U of A itself, of a huge matrix that was factored times a number below 1, may leave the range. Factors that were not
 * finite before are exported as they are. */
static clsolve_status check_range(const cls_direct *direct, const char *call) {
    const double most = cls_type_most(direct->type) * cls_direct_uniform(direct);
    if (direct->growth.row >= 0 || !(direct->growth.largest > most)) return CLSOLVE_OK;
    return cls_fail(
        direct->device->error, CLSOLVE_OVERFLOW,
        "%s: elements of U are beyond the largest number of the type, and no matrix can hold them: solve with "
        "the handle, or scale A",
        call);
}

static clsolve_status export(cls_direct *direct, const char *call, download *down, const clsolve_matrix *LU,
                             int64_t *ipiv) {
    cls_lu *lu = cls_direct_in_use(direct);
    cls_error *error = direct->device->error;
    double uniform = cls_direct_uniform(direct);

    if (lu->rbt.on && lu->n > 0)
        return cls_fail(error, CLSOLVE_ERROR_UNSUPPORTED,
                        "%s: the factors are those of W^T A V, butterflies W and V, without pivots, and not "
                        "A's: choose CLSOLVE_PIVOTING_PARTIAL for those",
                        call);
    if (LU && uniform < 1) CLS_TRY(check_range(direct, call));
    if (ipiv && lu->n > 0) CLS_TRY(cls_lu_pivots(lu, ipiv));
    if (!LU || lu->n == 0) return CLSOLVE_OK;
    int spoilt = 0;
    clsolve_status status = down(lu, LU, &spoilt);
    if (spoilt) direct->factored = 0; /* later calls ask for a factorization, instead of giving wrong answers */
    /* With the option equilibrate the caller has asked for the factors of what was scaled. */
    const double *c = !direct->copies && !direct->equilibrate && direct->scaling.cols ? direct->scaling.host_c : NULL;
    if (status != CLSOLVE_OK || (uniform == 1 && !c)) return status;
    if (LU->place == CLSOLVE_ON_DEVICE) return unscale_there(direct->device, LU, -ilogb(uniform), c);
    unscale(LU, LU->data, LU->ld, 0, lu->n, -ilogb(uniform), c);
    return CLSOLVE_OK;
}

clsolve_status cls_lu_export(cls_direct *direct, const char *call, const clsolve_matrix *LU, int64_t *ipiv) {
    return export(direct, call, download_factors, LU, ipiv);
}

clsolve_status cls_lu_export_slabs(cls_direct *direct, const char *call, const clsolve_matrix *LU, int64_t *ipiv) {
    return export(direct, call, download_slabs, LU, ipiv);
}
