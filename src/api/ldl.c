#include "api/ldl.h"

#include "api/ahead.h"

/* ---- the family ---- */

static cls_handle_options options_of(const void *options) {
    return CLS_HANDLE_OPTIONS((const clsolve_ldl_options *)options);
}

static clsolve_status check(cls_error *error, const char *call, const void *options) {
    const clsolve_ldl_options *asked = options;
    const clsolve_symmetry symmetry = asked->symmetry;
    const clsolve_ldl_pivots pivots = asked->pivots;
    if (symmetry != CLSOLVE_SYMMETRY_HERMITIAN && symmetry != CLSOLVE_SYMMETRY_TRANSPOSE)
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: symmetry is %d: see clsolve_symmetry", call,
                        (int)symmetry);
    if (pivots != CLSOLVE_LDL_PIVOTS_AUTO && pivots != CLSOLVE_LDL_PIVOTS_PARTIAL && pivots != CLSOLVE_LDL_PIVOTS_ROOK)
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: pivots is %d: see clsolve_ldl_pivots", call,
                        (int)pivots);
    return CLSOLVE_OK;
}

static clsolve_status setup(cls_handle *it, clsolve_type type) {
    clsolve_ldl *ldl = (clsolve_ldl *)it;
    return cls_ldl_direct_setup(it->head.choice.device, it->shape.n, type, &ldl->options, &ldl->factors, &it->direct);
}

static void release(cls_handle *it) {
    cls_ldl_release(&((clsolve_ldl *)it)->factors);
}

static clsolve_uplo *uplo_of(cls_handle *it) {
    return &((clsolve_ldl *)it)->factors.uplo;
}

static const cls_handle_family family = {CLS_HANDLE_FAMILY(ldl),
                                         .kind.method = "ldl",
                                         .kind.argument = "ldl",
                                         .kind.handle = "an LDL^T handle",
                                         .factors = "L or D",
                                         .model = CLS_FAMILY_LDL,
                                         .rate = 6,
                                         .options = options_of,
                                         .check = check,
                                         .setup = setup,
                                         .release = release,
                                         .uplo = uplo_of};

clsolve_status clsolve_ldl_create(clsolve_context *context, int64_t n, clsolve_type type,
                                  const clsolve_ldl_options *options, clsolve_ldl **ldl) {
    return cls_handle_create(&family, context, &(cls_handle_shape){.n = n}, type, options, ldl);
}

void clsolve_ldl_destroy(clsolve_ldl *ldl) {
    cls_handle_destroy((cls_handle *)ldl);
}

/* ---- factor, solve, report ---- */

clsolve_status clsolve_ldl_factor(clsolve_ldl *ldl, clsolve_uplo uplo, const clsolve_matrix *A) {
    return cls_handle_factor((cls_handle *)ldl, uplo, A);
}

clsolve_status clsolve_ldl_factor_enqueue(clsolve_ldl *ldl, clsolve_uplo uplo, const clsolve_matrix *A,
                                          const clsolve_events *events) {
    return cls_handle_factor_enqueue((cls_handle *)ldl, uplo, A, events);
}

clsolve_status clsolve_ldl_solve(clsolve_ldl *ldl, clsolve_matrix *B) {
    return cls_handle_solve((cls_handle *)ldl, CLSOLVE_NO_TRANS, B);
}

clsolve_status clsolve_ldl_solve_enqueue(clsolve_ldl *ldl, clsolve_matrix *B, const clsolve_events *events) {
    return cls_handle_solve_enqueue((cls_handle *)ldl, CLSOLVE_NO_TRANS, B, events);
}

clsolve_status clsolve_ldl_condition(clsolve_ldl *ldl, double norm_A, double *rcond) {
    return cls_handle_condition((cls_handle *)ldl, CLSOLVE_NORM_ONE, norm_A, rcond);
}

clsolve_status clsolve_ldl_inverse(clsolve_ldl *ldl, clsolve_uplo uplo, clsolve_matrix *X) {
    return cls_handle_inverse((cls_handle *)ldl, uplo, X);
}

clsolve_status clsolve_ldl_report(const clsolve_ldl *ldl, clsolve_report *report) {
    return cls_handle_report((const cls_handle *)ldl, report);
}

clsolve_status clsolve_ldl_status(clsolve_ldl *ldl) {
    return cls_handle_status((cls_handle *)ldl);
}

/* ---- ahead of a matrix ---- */

clsolve_status clsolve_ldl_predict(clsolve_context *context, int64_t n, int64_t nrhs, clsolve_type type,
                                   double *device_seconds, double *host_seconds) {
    return cls_handle_predict(&family, context, n, n, nrhs, type, device_seconds, host_seconds);
}

clsolve_status clsolve_ldl_warm(clsolve_context *context, int64_t n, clsolve_type type) {
    return cls_handle_warm(&family, context, n, &(cls_handle_shape){.n = n}, type);
}

int clsolve_ldl_is_warm(const clsolve_context *context, clsolve_type type) {
    return cls_ahead_is_warm(context, family.model, type);
}
