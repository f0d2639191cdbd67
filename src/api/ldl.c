#include "api/ldl.h"

#include "api/handle_calls.h"

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
                                         .working_in_double = 1,
                                         .options = options_of,
                                         .check = check,
                                         .setup = setup,
                                         .release = release,
                                         .uplo = uplo_of};

CLS_SQUARE_CALLS(ldl)
CLS_SYMMETRIC_CALLS(ldl)
