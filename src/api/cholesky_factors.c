/* cholesky_factors.c: the factor to the caller and from him, and what LAPACK computes from it: condition, inverse. */
#include "api/cholesky_state.h"
#include "api/given.h"
#include "api/validate.h"
#include "method/direct/given.h"

static clsolve_status validate_factors(clsolve_cholesky *cholesky, const char *call) {
    (void)cls_cholesky_settle(cholesky);
    return cls_validate_factors(&cholesky->direct, call, "clsolve_cholesky_factor");
}

clsolve_status clsolve_cholesky_factors(clsolve_cholesky *cholesky, clsolve_uplo uplo, clsolve_matrix *F) {
    const char *call = "clsolve_cholesky_factors";
    if (!cholesky) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    cls_direct *direct = &cholesky->direct;
    CLS_TRY(cls_enter(cholesky->context));

    /* Float factors are for those who ask for float. */
    const int as_float = F && F->type == cls_single_type(direct->type);
    clsolve_status status = as_float ? CLSOLVE_OK : cls_direct_show(direct);
    const cls_cholesky *in_use = cls_direct_in_use(direct);
    if (status == CLSOLVE_OK) status = cls_given_triangle(direct, call, "F", uplo, F, in_use->type);
    if (status == CLSOLVE_OK) status = validate_factors(cholesky, call);
    if (status == CLSOLVE_OK) status = cls_cholesky_export(direct, call, uplo, F);
    return cls_leave(cholesky->context, status);
}

clsolve_status clsolve_cholesky_import(clsolve_cholesky *cholesky, clsolve_uplo uplo, const clsolve_matrix *F) {
    const char *call = "clsolve_cholesky_import";
    if (!cholesky) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    cls_direct *direct = &cholesky->direct;
    CLS_TRY(cls_enter(cholesky->context));

    clsolve_status status = cls_given_triangle(direct, call, "F", uplo, F, direct->type);
    if (status == CLSOLVE_OK && direct->copies)
        status = cls_fail(
            &cholesky->context->error, CLSOLVE_ERROR_UNSUPPORTED,
            "%s: the handle keeps a copy of A: create it with CLSOLVE_PRECISION_WORKING and without refine", call);
    cholesky->message.text[0] = 0;
    if (status == CLSOLVE_OK) {
        cls_cholesky_begin(cholesky);
        cholesky->factors.uplo = uplo;
        status = cls_direct_import(direct, call, "F", F, NULL);
    }
    cholesky->status = status;
    return cls_leave(cholesky->context, status);
}

clsolve_status clsolve_cholesky_condition(clsolve_cholesky *cholesky, double norm_A, double *rcond) {
    const char *call = "clsolve_cholesky_condition";
    if (!cholesky) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_enter(cholesky->context));
    clsolve_status status = validate_factors(cholesky, call);
    if (status == CLSOLVE_OK)
        status = cls_given_condition(&cholesky->direct, call, "clsolve_cholesky_create", "clsolve_cholesky_factor",
                                     CLSOLVE_NORM_ONE, norm_A, rcond);
    return cls_leave(cholesky->context, status);
}

clsolve_status clsolve_cholesky_inverse(clsolve_cholesky *cholesky, clsolve_uplo uplo, clsolve_matrix *X) {
    const char *call = "clsolve_cholesky_inverse";
    if (!cholesky) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_enter(cholesky->context));
    clsolve_status status = cls_given_triangle(&cholesky->direct, call, "X", uplo, X, cholesky->direct.type);
    if (status == CLSOLVE_OK) status = validate_factors(cholesky, call);
    cholesky->message.text[0] = 0;
    if (status == CLSOLVE_OK) status = cls_cholesky_invert(&cholesky->direct, call, uplo, X);
    cholesky->status = status;
    return cls_leave(cholesky->context, status);
}
