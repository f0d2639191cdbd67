/* ldl_factors.c: the factors to the caller and from him, and the inertia that they tell. */
#include "api/given.h"
#include "api/ldl.h"
#include "api/validate.h"
#include "method/direct/given.h"

/* Factors that hold numbers, those of a singular matrix too. */
static clsolve_status validate_there(const cls_direct *direct, const char *call) {
    return direct->factored && direct->outcome == CLSOLVE_SINGULAR
               ? CLSOLVE_OK
               : cls_validate_factors(direct, call, "clsolve_ldl_factor");
}

/* ---- inertia ---- */

clsolve_status clsolve_ldl_inertia(clsolve_ldl *ldl, clsolve_inertia *inertia) {
    const char *call = "clsolve_ldl_inertia";
    CLS_TRY(cls_head_enter((cls_head *)ldl));
    cls_direct *direct = &ldl->it.direct;
    cls_error *error = &ldl->it.head.context->error;

    clsolve_status status = cls_validate_pointer(error, call, "inertia", inertia);
    if (status == CLSOLVE_OK && !ldl->factors.hermitian)
        status = cls_fail(error, CLSOLVE_ERROR_UNSUPPORTED,
                          "%s: the eigenvalues of a complex A = A^T have no signs: a hermitian A has", call);
    (void)cls_handle_settle(&ldl->it);
    if (status == CLSOLVE_OK) status = cls_direct_show(direct);
    if (status == CLSOLVE_OK) status = validate_there(direct, call);
    if (status == CLSOLVE_OK && cls_direct_in_float(direct))
        status = cls_fail(error, CLSOLVE_ERROR_UNSUPPORTED,
                          "%s: the factors are of float, and small eigenvalues may have the other sign: give "
                          "clsolve_ldl_create CLSOLVE_PRECISION_WORKING%s",
                          call, direct->device->info.fp64 ? "" : ", and CLSOLVE_WHERE_HOST");
    if (status == CLSOLVE_OK) *inertia = cls_ldl_count(cls_direct_in_use(direct));
    return cls_leave(ldl->it.head.context, status);
}

/* ---- factors ---- */

static clsolve_status validate_pointer(const clsolve_ldl *ldl, const char *call, const int64_t *ipiv) {
    if (ipiv || ldl->it.direct.n == 0) return CLSOLVE_OK;
    return cls_fail(&ldl->it.head.context->error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                    "%s: ipiv is NULL: it is for %lld pivots", call, (long long)ldl->it.direct.n);
}

/* Row k was exchanged with itself or one behind it; a block of order 2 has two pivots below zero, with partial pivots
 * twice that of its second row. */
static clsolve_status validate_pivots(const clsolve_ldl *ldl, const char *call, const int64_t *ipiv) {
    const int64_t n = ldl->it.direct.n;
    const int partial = ldl->options.pivots == CLSOLVE_LDL_PIVOTS_PARTIAL;

    CLS_TRY(validate_pointer(ldl, call, ipiv));
    for (int64_t k = 0, first = 0; k < n; ++k) {
        const int pair = ipiv[k] < 0;
        /* -INT64_MIN is no number */
        const int in_range = pair ? ipiv[k] >= -n && -ipiv[k] > k : ipiv[k] <= n && ipiv[k] > k;
        const int alone = pair && !first && (k + 1 == n || ipiv[k + 1] >= 0);
        if (!in_range || alone || (first && !pair) || (partial && first && ipiv[k] != ipiv[k - 1]))
            return cls_fail(&ldl->it.head.context->error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                            "%s: ipiv[%lld] is %lld: pivots are %lld .. %lld, or of a block of order 2 two %snumbers "
                            "below zero",
                            call, (long long)k, (long long)ipiv[k], (long long)k + 1, (long long)n,
                            partial ? "equal " : "");
        first = pair && !first;
    }
    return CLSOLVE_OK;
}

clsolve_status clsolve_ldl_factors(clsolve_ldl *ldl, clsolve_matrix *F, int64_t *ipiv) {
    const char *call = "clsolve_ldl_factors";
    CLS_TRY(cls_head_enter((cls_head *)ldl));
    cls_direct *direct = &ldl->it.direct;

    (void)cls_handle_settle(&ldl->it);
    clsolve_status status = cls_given_show(direct, F);
    if (status == CLSOLVE_OK)
        status = cls_given_triangle(direct, call, "F", CLSOLVE_LOWER, F, cls_direct_type_in_use(direct));
    if (status == CLSOLVE_OK) status = validate_pointer(ldl, call, ipiv);
    if (status == CLSOLVE_OK) status = validate_there(direct, call);
    if (status == CLSOLVE_OK) status = cls_ldl_export(direct, call, F, ipiv);
    return cls_leave(ldl->it.head.context, status);
}

clsolve_status clsolve_ldl_import(clsolve_ldl *ldl, const clsolve_matrix *F, const int64_t *ipiv) {
    const char *call = "clsolve_ldl_import";
    CLS_TRY(cls_head_enter((cls_head *)ldl));
    cls_direct *direct = &ldl->it.direct;

    (void)cls_handle_settle(&ldl->it);
    clsolve_status status = cls_given_triangle(direct, call, "F", CLSOLVE_LOWER, F, direct->type);
    if (status == CLSOLVE_OK) status = validate_pivots(ldl, call, ipiv);
    if (status == CLSOLVE_OK) status = cls_given_alone(direct, call, " and without refine");
    if (status == CLSOLVE_OK) status = cls_direct_import(direct, call, "F", F, ipiv);
    return cls_head_end(&ldl->it.head, NULL, status);
}
