#include "api/given.h"

#include <math.h>

#include "api/validate.h"
#include "method/direct/given.h"

clsolve_status cls_given_on_host(cls_error *error, const char *call, const char *name, const clsolve_matrix *m) {
    if (m->place == CLSOLVE_ON_HOST) return CLSOLVE_OK;
    return cls_fail(error, CLSOLVE_ERROR_UNSUPPORTED, "%s: %s is on the device: give it on the host", call, name);
}

clsolve_status cls_given_show(cls_direct *direct, const clsolve_matrix *F) {
    return F && F->type == cls_single_type(direct->type) ? CLSOLVE_OK : cls_direct_show(direct);
}

clsolve_status cls_given_alone(const cls_direct *direct, const char *call, const char *without) {
    if (!direct->copies) return CLSOLVE_OK;
    return cls_fail(direct->device->error, CLSOLVE_ERROR_UNSUPPORTED,
                    "%s: the handle keeps a copy of A: create it with CLSOLVE_PRECISION_WORKING%s", call, without);
}

clsolve_status cls_given_triangle(const cls_direct *direct, const char *call, const char *name, clsolve_uplo uplo,
                                  const clsolve_matrix *m, clsolve_type type) {
    cls_error *error = direct->device->error;

    CLS_TRY(cls_validate_uplo(error, call, uplo));
    CLS_TRY(cls_validate_matrix(error, call, name, m, type, direct->n, direct->n));
    return cls_given_on_host(error, call, name, m);
}

clsolve_status cls_given_pivots(cls_error *error, const char *call, int64_t n, int64_t below, const int64_t *ipiv) {
    if (n > 0 && !ipiv)
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: ipiv is NULL: give %lld pivots", call,
                        (long long)n);
    for (int64_t i = 0; i < n; ++i) {
        const int64_t last = n - i - 1 < below ? n : i + 1 + below;
        if (ipiv[i] < i + 1 || ipiv[i] > last)
            return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                            "%s: ipiv[%lld] is %lld: pivots count from 1, and this one is %lld .. %lld", call,
                            (long long)i, (long long)ipiv[i], (long long)i + 1, (long long)last);
    }
    return CLSOLVE_OK;
}

clsolve_status cls_given_condition(cls_direct *direct, const char *call, const char *create_call,
                                   const char *factor_call, clsolve_norm norm, double norm_A, double *rcond) {
    cls_error *error = direct->device->error;

    if (norm != CLSOLVE_NORM_ONE && norm != CLSOLVE_NORM_INF)
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                        "%s: norm is %d: give CLSOLVE_NORM_ONE or CLSOLVE_NORM_INF", call, (int)norm);
    if (!(norm_A >= 0) || !isfinite(norm_A) || !rcond)
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                        "%s: norm_A is %g, and a norm is a number from 0; rcond is the address of a double", call,
                        norm_A);
    /* Factors with a zero pivot have a condition, which is 0. */
    if (!direct->factored || direct->outcome == CLSOLVE_OVERFLOW || direct->outcome == CLSOLVE_NOT_POSITIVE_DEFINITE)
        CLS_TRY(cls_validate_factors(direct, call, factor_call));
    if (cls_direct_in_float(direct) || cls_direct_is_unpivoted(direct))
        return cls_fail(error, CLSOLVE_ERROR_UNSUPPORTED,
                        "%s: the factors are of float or without pivots, and only bound it: set option rcond, or "
                        "give %s CLSOLVE_PRECISION_WORKING and partial pivoting",
                        call, create_call);
    return cls_direct_condition_given(direct, norm == CLSOLVE_NORM_INF, norm_A, rcond);
}
