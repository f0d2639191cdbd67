/* lu_factors.c: factors to the caller and from him, and what LAPACK computes from factors: inverse, refinement. */
#include "api/given.h"
#include "api/lu_state.h"
#include "api/validate.h"
#include "method/direct/given.h"

/* Every call here begins so: outcomes of what was enqueued come first. */
static clsolve_status begin(clsolve_lu *lu) {
    CLS_TRY(cls_head_enter((cls_head *)lu));
    (void)cls_handle_settle(&lu->it);
    return CLSOLVE_OK;
}

/* ---- factors ---- */

clsolve_status clsolve_lu_factors(clsolve_lu *lu, clsolve_matrix *LU, int64_t *ipiv) {
    CLS_TRY(cls_head_enter((cls_head *)lu));
    clsolve_context *context = lu->it.head.context;
    const char *call = "clsolve_lu_factors";

    clsolve_status status = cls_given_show(&lu->it.direct, LU); /* with something enqueued there are none of float */
    if (status == CLSOLVE_OK && LU)
        status = cls_validate_matrix(&context->error, call, "LU", LU, cls_direct_type_in_use(&lu->it.direct),
                                     lu->it.direct.n, lu->it.direct.n);
    if (status == CLSOLVE_OK && LU) status = cls_handle_check_place(&lu->it, call, LU);
    if (status == CLSOLVE_OK) (void)cls_handle_settle(&lu->it);
    if (status == CLSOLVE_OK && !lu->it.direct.factored) status = cls_handle_check_factors(&lu->it, call);
    if (status == CLSOLVE_OK) status = lu->it.direct.ops->export(&lu->it.direct, call, LU, ipiv);
    return cls_leave(context, status);
}

/* ---- import ---- */

static clsolve_status validate_import(clsolve_lu *lu, const char *call, const clsolve_matrix *LU, const int64_t *ipiv) {
    CLS_TRY(cls_validate_matrix(&lu->it.head.context->error, call, "LU", LU, lu->it.direct.type, lu->it.direct.n,
                                lu->it.direct.n));
    CLS_TRY(cls_given_on_host(&lu->it.head.context->error, call, "LU", LU));
    CLS_TRY(cls_given_pivots(&lu->it.head.context->error, call, lu->it.direct.n, lu->it.direct.n, ipiv));
    if (cls_lu_is_several(lu)) return cls_lu_several_refuse(lu, call);
    if (lu->it.direct.copies || !lu->it.direct.ops->import)
        return cls_fail(&lu->it.head.context->error, CLSOLVE_ERROR_UNSUPPORTED,
                        "%s: the handle keeps a copy of A, or its factors do not fit the device: create it with "
                        "CLSOLVE_PRECISION_WORKING, without refine and RBT, or on the host",
                        call);
    return CLSOLVE_OK;
}

clsolve_status clsolve_lu_import(clsolve_lu *lu, const clsolve_matrix *LU, const int64_t *ipiv) {
    const char *call = "clsolve_lu_import";
    CLS_TRY(begin(lu));
    clsolve_status status = validate_import(lu, call, LU, ipiv);
    if (status == CLSOLVE_OK) {
        lu->it.pending_factor = lu->it.pending_solve = 0;
        status = cls_direct_import(&lu->it.direct, call, "LU", LU, ipiv);
    }
    return cls_head_end(&lu->it.head, NULL, status);
}

/* ---- inverse ---- */

clsolve_status clsolve_lu_inverse(clsolve_lu *lu, clsolve_matrix *X) {
    return cls_handle_inverse((cls_handle *)lu, CLSOLVE_LOWER, X);
}

/* ---- refine ---- */

static clsolve_status refine(clsolve_lu *lu, const char *call, clsolve_op op, const clsolve_matrix *A,
                             const clsolve_matrix *B, const clsolve_matrix *X, double *ferr, double *berr) {
    cls_error *error = &lu->it.head.context->error;
    const clsolve_type type = lu->it.direct.type;
    const int64_t n = lu->it.direct.n;

    CLS_TRY(cls_validate_op(error, call, op));
    CLS_TRY(cls_validate_matrix(error, call, "A", A, type, n, n));
    CLS_TRY(cls_validate_matrix(error, call, "B", B, type, n, -1));
    CLS_TRY(cls_validate_matrix(error, call, "X", X, type, n, B->cols));
    CLS_TRY(cls_given_on_host(error, call, "A", A));
    CLS_TRY(cls_given_on_host(error, call, "B", B));
    CLS_TRY(cls_given_on_host(error, call, "X", X));
    CLS_TRY(cls_handle_check_factors(&lu->it, call));
    return cls_direct_refine_given(&lu->it.direct, call, op, A, B, X, ferr, berr);
}

clsolve_status clsolve_lu_refine(clsolve_lu *lu, clsolve_op op, const clsolve_matrix *A, const clsolve_matrix *B,
                                 clsolve_matrix *X, double *ferr, double *berr) {
    CLS_TRY(begin(lu));
    return cls_head_end(&lu->it.head, NULL, refine(lu, "clsolve_lu_refine", op, A, B, X, ferr, berr));
}
