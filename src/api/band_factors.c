/* band_factors.c: factors from the caller, and the condition number from factors, as LAPACK's gbtrs and gbcon want
 * them. */
#include "api/band.h"
#include "api/given.h"
#include "api/validate.h"
#include "method/direct/given.h"

static clsolve_status validate_import(clsolve_band *band, const char *call, const clsolve_matrix *AFB,
                                      const int64_t *ipiv) {
    cls_error *error = &band->context->error;

    CLS_TRY(cls_validate_matrix(error, call, "AFB", AFB, band->direct.type, 2 * band->kl + band->ku + 1, band->n));
    CLS_TRY(cls_given_on_host(error, call, "AFB", AFB));
    CLS_TRY(cls_given_pivots(error, call, band->n, band->kl, ipiv));
    if (band->direct.copies)
        return cls_fail(error, CLSOLVE_ERROR_UNSUPPORTED,
                        "%s: the handle keeps a copy of A: create it with CLSOLVE_PRECISION_WORKING, without refine "
                        "and equilibrate",
                        call);
    if (band->n > INT32_MAX && !band->band.stream)
        return cls_fail(error, CLSOLVE_ERROR_UNSUPPORTED, "%s: n is %lld: moves of rows count in 32 bits", call,
                        (long long)band->n);
    return CLSOLVE_OK;
}

clsolve_status clsolve_band_import(clsolve_band *band, const clsolve_matrix *AFB, const int64_t *ipiv) {
    const char *call = "clsolve_band_import";
    if (!band) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_enter(band->context));
    band->message.text[0] = 0;
    clsolve_status status = validate_import(band, call, AFB, ipiv);
    if (status == CLSOLVE_OK) status = cls_direct_import(&band->direct, call, "AFB", AFB, ipiv);
    band->status = status;
    return cls_leave(band->context, status);
}

clsolve_status clsolve_band_condition(clsolve_band *band, clsolve_norm norm, double norm_A, double *rcond) {
    if (!band) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_enter(band->context));
    band->message.text[0] = 0;
    return cls_leave(band->context, cls_given_condition(&band->direct, "clsolve_band_condition", "clsolve_band_create",
                                                        "clsolve_band_factor", norm, norm_A, rcond));
}
