/* lu_factors.c: factors from the caller, and what LAPACK computes from factors: condition, inverse, refinement. */
#include "api/given.h"
#include "api/lu_state.h"
#include "api/validate.h"
#include "method/direct/given.h"

/* Every call here begins so: outcomes of what was enqueued come first. */
static clsolve_status begin(clsolve_lu *lu) {
    CLS_TRY(cls_enter(lu->context));
    (void)cls_lu_settle(lu);
    lu->message.text[0] = 0;
    return CLSOLVE_OK;
}

/* ---- import ---- */

static clsolve_status validate_import(clsolve_lu *lu, const char *call, const clsolve_matrix *LU, const int64_t *ipiv) {
    CLS_TRY(cls_validate_matrix(&lu->context->error, call, "LU", LU, lu->direct.type, lu->lu.n, lu->lu.n));
    CLS_TRY(cls_given_on_host(&lu->context->error, call, "LU", LU));
    CLS_TRY(cls_given_pivots(&lu->context->error, call, lu->lu.n, lu->lu.n, ipiv));
    if (cls_lu_is_many(lu)) return cls_lu_many_refuse(lu, call);
    if (lu->direct.copies || lu->lu.out.slab > 0)
        return cls_fail(&lu->context->error, CLSOLVE_ERROR_UNSUPPORTED,
                        "%s: the handle keeps a copy of A, or its factors do not fit the device: create it with "
                        "CLSOLVE_PRECISION_WORKING, without refine and RBT, or on the host",
                        call);
    return CLSOLVE_OK;
}

clsolve_status clsolve_lu_import(clsolve_lu *lu, const clsolve_matrix *LU, const int64_t *ipiv) {
    const char *call = "clsolve_lu_import";
    if (!lu) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(begin(lu));
    clsolve_status status = validate_import(lu, call, LU, ipiv);
    if (status == CLSOLVE_OK) {
        lu->pending_factor = lu->pending_solve = 0;
        status = cls_direct_import(&lu->direct, call, "LU", LU, ipiv);
    }
    lu->status = status;
    return cls_leave(lu->context, status);
}

/* ---- condition ---- */

clsolve_status clsolve_lu_condition(clsolve_lu *lu, clsolve_norm norm, double norm_A, double *rcond) {
    if (!lu) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(begin(lu));
    return cls_leave(lu->context, cls_given_condition(&lu->direct, "clsolve_lu_condition", "clsolve_lu_create",
                                                      "clsolve_lu_factor", norm, norm_A, rcond));
}

/* ---- inverse ---- */

clsolve_status clsolve_lu_inverse(clsolve_lu *lu, clsolve_matrix *X) {
    const char *call = "clsolve_lu_inverse";
    if (!lu) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(begin(lu));
    clsolve_status status = cls_validate_matrix(&lu->context->error, call, "X", X, lu->direct.type, lu->lu.n, lu->lu.n);
    if (status == CLSOLVE_OK) status = cls_given_on_host(&lu->context->error, call, "X", X);
    if (status == CLSOLVE_OK) status = cls_lu_validate_state(lu, call);
    if (status == CLSOLVE_OK)
        status = cls_lu_is_many(lu) ? cls_many_invert(&lu->direct, call, X) : cls_lu_invert(&lu->direct, call, X);
    lu->status = status;
    return cls_leave(lu->context, status);
}

/* ---- refine ---- */

static clsolve_status refine(clsolve_lu *lu, const char *call, clsolve_op op, const clsolve_matrix *A,
                             const clsolve_matrix *B, const clsolve_matrix *X, double *ferr, double *berr) {
    cls_error *error = &lu->context->error;
    const clsolve_type type = lu->direct.type;
    const int64_t n = lu->lu.n;

    CLS_TRY(cls_validate_op(error, call, op));
    CLS_TRY(cls_validate_matrix(error, call, "A", A, type, n, n));
    CLS_TRY(cls_validate_matrix(error, call, "B", B, type, n, -1));
    CLS_TRY(cls_validate_matrix(error, call, "X", X, type, n, B->cols));
    CLS_TRY(cls_given_on_host(error, call, "A", A));
    CLS_TRY(cls_given_on_host(error, call, "B", B));
    CLS_TRY(cls_given_on_host(error, call, "X", X));
    CLS_TRY(cls_lu_validate_state(lu, call));
    return cls_direct_refine_given(&lu->direct, call, op, A, B, X, ferr, berr);
}

clsolve_status clsolve_lu_refine(clsolve_lu *lu, clsolve_op op, const clsolve_matrix *A, const clsolve_matrix *B,
                                 clsolve_matrix *X, double *ferr, double *berr) {
    if (!lu) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(begin(lu));
    lu->status = refine(lu, "clsolve_lu_refine", op, A, B, X, ferr, berr);
    return cls_leave(lu->context, lu->status);
}
