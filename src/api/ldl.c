#include "api/ldl.h"

#include "api/validate.h"
#include "base/memory.h"

/* ---- create, destroy ---- */

static clsolve_status validate_create(clsolve_context *context, int64_t n, clsolve_type type,
                                      const clsolve_ldl_options *options) {
    const char *call = "clsolve_ldl_create";
    cls_error *error = &context->error;

    CLS_TRY(cls_validate_square(error, call, n, type));
    if (!options) return CLSOLVE_OK;
    CLS_TRY(CLS_VALIDATE_RESERVED(error, call, options->reserved));
    if (options->symmetry != CLSOLVE_SYMMETRY_HERMITIAN && options->symmetry != CLSOLVE_SYMMETRY_TRANSPOSE)
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: symmetry is %d: see clsolve_symmetry", call,
                        (int)options->symmetry);
    return cls_validate_options(error, call, CLS_COMMON_OPTIONS(options, options->panel), type);
}

/* The host has no options about the device, or about speed on it. */
static int host_can(const clsolve_ldl_options *o) {
    return o->panel == CLSOLVE_PANEL_AUTO && o->block == 0 && o->slab_bytes == 0 && o->memory_limit == 0 &&
           o->precision != CLSOLVE_PRECISION_MIXED;
}

static clsolve_status setup(clsolve_ldl *ldl, int64_t n, clsolve_type type) {
    clsolve_context *context = ldl->context;
    const cls_task task = {.family = CLS_FAMILY_LDL, .type = type, .n = n, .nrhs = 1};

    CLS_TRY(cls_where_choose(context, "clsolve_ldl_create", &task, ldl->options.where, host_can(&ldl->options),
                             &ldl->choice));
    CLS_TRY(cls_ldl_direct_setup(ldl->choice.device, n, type, &ldl->options, &ldl->factors, &ldl->direct));
    cls_where_built(context, &ldl->choice);
    return CLSOLVE_OK;
}

clsolve_status clsolve_ldl_create(clsolve_context *context, int64_t n, clsolve_type type,
                                  const clsolve_ldl_options *options, clsolve_ldl **ldl) {
    if (ldl) *ldl = NULL;
    if (!context) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_enter(context));
    if (!ldl)
        return cls_leave(context, cls_fail(&context->error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                                           "clsolve_ldl_create: ldl is NULL: give the address of a pointer"));
    clsolve_status status = validate_create(context, n, type, options);
    if (status != CLSOLVE_OK) return cls_leave(context, status);

    clsolve_ldl *made = cls_alloc(1, sizeof *made);
    if (!made)
        return cls_leave(context,
                         cls_fail(&context->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for an LDL^T handle"));
    made->context = context;
    if (options) made->options = *options;
    status = setup(made, n, type);
    if (status == CLSOLVE_OK) {
        *ldl = made;
    } else {
        cls_direct_release(&made->direct);
        cls_ldl_release(&made->factors);
        cls_free(made);
    }
    return cls_leave(context, status);
}

void clsolve_ldl_destroy(clsolve_ldl *ldl) {
    if (!ldl) return;
    clsolve_context *context = ldl->context;
    if (cls_enter(context) != CLSOLVE_OK) return;
    cls_direct_release(&ldl->direct);
    cls_ldl_release(&ldl->factors);
    cls_free(ldl);
    (void)cls_leave(context, CLSOLVE_OK);
}

/* ---- factor, solve, report ---- */

clsolve_status clsolve_ldl_factor(clsolve_ldl *ldl, clsolve_uplo uplo, const clsolve_matrix *A) {
    const char *call = "clsolve_ldl_factor";
    if (!ldl) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    clsolve_context *context = ldl->context;
    cls_direct *direct = &ldl->direct;
    CLS_TRY(cls_enter(context));

    clsolve_status status = cls_validate_uplo(&context->error, call, uplo);
    if (status == CLSOLVE_OK)
        status = cls_validate_matrix(&context->error, call, "A", A, direct->type, direct->n, direct->n);
    if (status == CLSOLVE_OK) status = cls_transfer_fits(direct->device, A);
    ldl->message.text[0] = 0;
    if (status == CLSOLVE_OK) {
        ldl->factors.uplo = uplo;
        status = cls_direct_factor(direct, call, A);
    }
    ldl->status = status;
    return cls_leave(context, status);
}

clsolve_status clsolve_ldl_solve(clsolve_ldl *ldl, clsolve_matrix *B) {
    const char *call = "clsolve_ldl_solve";
    if (!ldl) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    clsolve_context *context = ldl->context;
    cls_direct *direct = &ldl->direct;
    CLS_TRY(cls_enter(context));

    clsolve_status status = cls_validate_matrix(&context->error, call, "B", B, direct->type, direct->n, -1);
    if (status == CLSOLVE_OK) status = cls_transfer_fits(direct->device, B);
    ldl->message.text[0] = 0;
    if (status == CLSOLVE_OK) status = cls_validate_factors(direct, call, "clsolve_ldl_factor");
    if (status == CLSOLVE_OK) status = cls_direct_solve(direct, call, CLSOLVE_NO_TRANS, B);
    ldl->status = status;
    return cls_leave(context, status);
}

clsolve_status clsolve_ldl_report(const clsolve_ldl *ldl, clsolve_report *report) {
    if (!ldl) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    if (!report) return cls_refuse_no_report(ldl->context, "clsolve_ldl_report");

    CLS_TRY(cls_enter(ldl->context));
    *report = (clsolve_report){.status = ldl->status, .method = "ldl"};
    cls_direct_report(&ldl->direct, report);
    cls_where_report(&ldl->choice, report);
    return cls_leave(ldl->context, CLSOLVE_OK);
}
