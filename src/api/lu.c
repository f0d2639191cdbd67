#include "api/in_place.h"
#include "api/lu_state.h"

#include "api/validate.h"
#include "base/memory.h"

/* ---- create, destroy ---- */

static clsolve_status validate_create(clsolve_context *context, int64_t n, clsolve_type type,
                                      const clsolve_lu_options *options) {
    cls_error *error = &context->error;

    if (n < 0)
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, "clsolve_lu_create: n is %lld: sizes start at 0",
                        (long long)n);
    CLS_TRY(cls_validate_type(error, "clsolve_lu_create", "type", type, CLS_ALL_TYPES));
    CLS_TRY(cls_validate_extent(error, CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY, "clsolve_lu_create", n, n));
    if (!options) return CLSOLVE_OK;
    CLS_TRY(CLS_VALIDATE_RESERVED(error, "clsolve_lu_create", options->reserved));
    CLS_TRY(cls_validate_pivoting(error, "clsolve_lu_create", options->pivoting, CLS_PIVOTINGS_OF_LU));
    CLS_TRY(cls_in_place_alone(error, "clsolve_lu_create", "clsolve_lu_factor_in_place", options->nonfinite));
    return cls_validate_options(error, "clsolve_lu_create", CLS_COMMON_OPTIONS(options, options->panel), type);
}

/* The host has no options about the device, or about speed on it. */
static int host_can(const clsolve_lu_options *o) {
    return o->panel == CLSOLVE_PANEL_AUTO && o->block == 0 && o->slab_bytes == 0 && o->memory_limit == 0 &&
           o->precision != CLSOLVE_PRECISION_MIXED &&
           (o->pivoting == CLSOLVE_PIVOTING_AUTO || o->pivoting == CLSOLVE_PIVOTING_PARTIAL);
}

static clsolve_status setup(clsolve_lu *lu, int64_t n, clsolve_type type) {
    clsolve_context *context = lu->context;
    cls_task task = {.family = CLS_FAMILY_LU, .type = type, .n = n, .nrhs = 1};

    CLS_TRY(
        cls_where_choose(context, "clsolve_lu_create", &task, lu->options.where, host_can(&lu->options), &lu->choice));
    if (cls_lu_wants_many(lu, n)) {
        const clsolve_status status = cls_lu_many_setup(lu, n, type);
        if (status != CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY) return status;
        cls_direct_release(&lu->direct); /* the first device alone has the host's memory behind it */
        cls_lu_many_release(lu);
    }
    /* A matrix of no rows has no panel, and a host that leads other devices would refuse one of kernels. */
    if (n == 0 && context->peer_count > 0) lu->options.panel = CLSOLVE_PANEL_AUTO;
    CLS_TRY(cls_lu_direct_setup(lu->choice.device, n, type, &lu->options, &lu->lu, &lu->direct));
    cls_where_built(context, &lu->choice);
    return CLSOLVE_OK;
}

clsolve_status clsolve_lu_create(clsolve_context *context, int64_t n, clsolve_type type,
                                 const clsolve_lu_options *options, clsolve_lu **lu) {
    if (lu) *lu = NULL;
    if (!context) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_enter(context));
    if (!lu)
        return cls_leave(context, cls_fail(&context->error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                                           "clsolve_lu_create: lu is NULL: give the address of a pointer"));
    clsolve_status status = validate_create(context, n, type, options);
    if (status != CLSOLVE_OK) return cls_leave(context, status);

    clsolve_lu *made = cls_alloc(1, sizeof *made);
    if (!made)
        return cls_leave(context,
                         cls_fail(&context->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for an LU handle"));
    made->context = context;
    if (options) made->options = *options;
    status = setup(made, n, type);
    if (status == CLSOLVE_OK) {
        *lu = made;
    } else {
        cls_direct_release(&made->direct);
        cls_lu_release(&made->lu);
        cls_lu_many_release(made);
        cls_free(made);
    }
    return cls_leave(context, status);
}

void clsolve_lu_destroy(clsolve_lu *lu) {
    if (!lu) return;
    clsolve_context *context = lu->context;
    if (cls_enter(context) != CLSOLVE_OK) return;
    cls_async_release(lu->choice.device, &lu->async);
    cls_direct_release(&lu->direct);
    cls_lu_release(&lu->lu);
    cls_lu_many_release(lu);
    cls_free(lu);
    (void)cls_leave(context, CLSOLVE_OK);
}

/* ---- factor ---- */

clsolve_status cls_lu_factor_now(clsolve_lu *lu, const clsolve_matrix *A) {
    lu->pending_factor = lu->pending_solve = 0;
    return cls_direct_factor(&lu->direct, "clsolve_lu_factor", A);
}

clsolve_status clsolve_lu_factor(clsolve_lu *lu, const clsolve_matrix *A) {
    if (!lu) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    clsolve_context *context = lu->context;
    CLS_TRY(cls_enter(context));
    lu->message.text[0] = 0;

    clsolve_status status =
        cls_validate_matrix(&context->error, "clsolve_lu_factor", "A", A, lu->direct.type, lu->lu.n, lu->lu.n);
    if (status == CLSOLVE_OK) status = cls_lu_validate_place(lu, "clsolve_lu_factor", A);
    if (status == CLSOLVE_OK) status = cls_lu_factor_now(lu, A);
    lu->status = status;
    return cls_leave(context, status);
}

/* ---- solve ---- */

clsolve_status cls_lu_solve_now(clsolve_lu *lu, clsolve_op op, const clsolve_matrix *B) {
    CLS_TRY(cls_lu_validate_state(lu, "clsolve_lu_solve"));
    return cls_direct_solve(&lu->direct, "clsolve_lu_solve", op, B);
}

clsolve_status clsolve_lu_solve(clsolve_lu *lu, clsolve_op op, clsolve_matrix *B) {
    if (!lu) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    clsolve_context *context = lu->context;
    CLS_TRY(cls_enter(context));

    clsolve_status status = cls_validate_op(&context->error, "clsolve_lu_solve", op);
    if (status == CLSOLVE_OK)
        status = cls_validate_matrix(&context->error, "clsolve_lu_solve", "B", B, lu->direct.type, lu->lu.n, -1);
    if (status == CLSOLVE_OK) status = cls_lu_validate_place(lu, "clsolve_lu_solve", B);
    if (status == CLSOLVE_OK) (void)cls_lu_settle(lu);
    lu->message.text[0] = 0;
    if (status == CLSOLVE_OK) status = cls_lu_solve_now(lu, op, B);
    lu->status = status;
    return cls_leave(context, status);
}

/* ---- factors, report ---- */

clsolve_status clsolve_lu_factors(clsolve_lu *lu, clsolve_matrix *LU, int64_t *ipiv) {
    if (!lu) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    clsolve_context *context = lu->context;
    const char *call = "clsolve_lu_factors";
    CLS_TRY(cls_enter(context));

    /* Float factors are for those who ask for float. A handle with something enqueued never has any. */
    int as_float = LU && cls_type_is_known(LU->type) && !cls_is_double(LU->type);
    clsolve_status status = as_float ? CLSOLVE_OK : cls_direct_show(&lu->direct);
    if (status == CLSOLVE_OK && LU)
        status = cls_validate_matrix(&context->error, call, "LU", LU, cls_lu_type_in_use(lu), lu->lu.n, lu->lu.n);
    if (status == CLSOLVE_OK && LU) status = cls_lu_validate_place(lu, call, LU);
    if (status == CLSOLVE_OK) (void)cls_lu_settle(lu);
    if (status == CLSOLVE_OK && !lu->direct.factored) status = cls_lu_validate_state(lu, call);
    if (status == CLSOLVE_OK)
        status = cls_lu_is_many(lu) ? cls_many_export_direct(&lu->direct, LU, ipiv)
                                    : cls_lu_export(&lu->direct, call, LU, ipiv);
    return cls_leave(context, status);
}

void cls_lu_write_report(const clsolve_lu *lu, clsolve_report *report) {
    *report = (clsolve_report){.status = lu->status, .method = "lu"};
    cls_direct_report(&lu->direct, report);
    cls_where_report(&lu->choice, report);
}

clsolve_status clsolve_lu_report(const clsolve_lu *lu, clsolve_report *report) {
    if (!lu) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    if (!report) return cls_refuse_no_report(lu->context, "clsolve_lu_report");

    CLS_TRY(cls_enter(lu->context));
    cls_lu_write_report(lu, report);
    return cls_leave(lu->context, CLSOLVE_OK);
}
