/* band_factors.c: factors to the caller and from him, as LAPACK's gbtrf leaves them. */
#include "api/band.h"
#include "api/given.h"
#include "api/validate.h"
#include "method/direct/given.h"

/* ---- to the caller ---- */

/* The array for factors, which have kl diagonals more than A. */
static clsolve_status validate_factors(clsolve_band *band, const char *call, clsolve_type type,
                                       const clsolve_matrix *AFB) {
    const cls_handle_shape *shape = &band->it.shape;
    return cls_validate_matrix(&band->it.head.context->error, call, "AFB", AFB, type, 2 * shape->kl + shape->ku + 1,
                               shape->n);
}

clsolve_status clsolve_band_factors(clsolve_band *band, clsolve_matrix *AFB, int64_t *ipiv) {
    CLS_TRY(cls_head_enter((cls_head *)band));
    const char *call = "clsolve_band_factors";
    const cls_handle_shape *shape = &band->it.shape;
    clsolve_status status = CLSOLVE_OK;

    cls_band *b = cls_direct_in_use(&band->it.direct);
    if (AFB) {
        status = validate_factors(band, call, cls_direct_type_in_use(&band->it.direct), AFB);
        if (status == CLSOLVE_OK) status = cls_handle_check_place(&band->it, call, AFB);
    }
    if (status == CLSOLVE_OK && !band->it.direct.factored) status = cls_handle_check_factors(&band->it, call);
    /* The export takes memory, the pivots take none: without memory neither array changes. */
    if (status == CLSOLVE_OK && AFB && shape->n > 0) status = cls_band_export(b, shape->kl, shape->ku, AFB);
    if (status == CLSOLVE_OK && ipiv && shape->n > 0) status = cls_band_pivots(b, ipiv);
    return cls_leave(band->it.head.context, status);
}

/* ---- from the caller ---- */

static clsolve_status validate_import(clsolve_band *band, const char *call, const clsolve_matrix *AFB,
                                      const int64_t *ipiv) {
    cls_error *error = &band->it.head.context->error;
    const int64_t n = band->it.shape.n;

    CLS_TRY(validate_factors(band, call, band->it.direct.type, AFB));
    CLS_TRY(cls_given_on_host(error, call, "AFB", AFB));
    CLS_TRY(cls_given_pivots(error, call, n, band->it.shape.kl, ipiv));
    CLS_TRY(cls_given_alone(&band->it.direct, call, ", without refine and equilibrate"));
    if (n > INT32_MAX && !band->band.stream)
        return cls_fail(error, CLSOLVE_ERROR_UNSUPPORTED, "%s: n is %lld: moves of rows count in 32 bits", call,
                        (long long)n);
    return CLSOLVE_OK;
}

clsolve_status clsolve_band_import(clsolve_band *band, const clsolve_matrix *AFB, const int64_t *ipiv) {
    const char *call = "clsolve_band_import";
    CLS_TRY(cls_head_enter((cls_head *)band));
    clsolve_status status = validate_import(band, call, AFB, ipiv);
    if (status == CLSOLVE_OK) status = cls_direct_import(&band->it.direct, call, "AFB", AFB, ipiv);
    return cls_head_end(&band->it.head, NULL, status);
}
