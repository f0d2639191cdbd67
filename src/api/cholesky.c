#include "api/cholesky_state.h"

#include "api/validate.h"
#include "base/memory.h"

/* ---- create, destroy ---- */

static clsolve_status validate_create(clsolve_context *context, int64_t n, clsolve_type type,
                                      const clsolve_cholesky_options *options) {
    const char *call = "clsolve_cholesky_create";
    cls_error *error = &context->error;

    CLS_TRY(cls_validate_square(error, call, n, type));
    if (!options) return CLSOLVE_OK;
    CLS_TRY(CLS_VALIDATE_RESERVED(error, call, options->reserved));
    return cls_validate_options(error, call, CLS_COMMON_OPTIONS(options, options->panel), type);
}

/* The host has no options about the device, or about speed on it. */
static int host_can(const clsolve_cholesky_options *o) {
    return o->panel == CLSOLVE_PANEL_AUTO && o->block == 0 && o->slab_bytes == 0 && o->memory_limit == 0 &&
           o->precision != CLSOLVE_PRECISION_MIXED;
}

static clsolve_status setup(clsolve_cholesky *cholesky, int64_t n, clsolve_type type) {
    clsolve_context *context = cholesky->context;
    const cls_task task = {.family = CLS_FAMILY_CHOLESKY, .type = type, .n = n, .nrhs = 1};

    CLS_TRY(cls_where_choose(context, "clsolve_cholesky_create", &task, cholesky->options.where,
                             host_can(&cholesky->options), &cholesky->choice));
    CLS_TRY(cls_cholesky_direct_setup(cholesky->choice.device, n, type, &cholesky->options, &cholesky->factors,
                                      &cholesky->direct));
    cls_where_built(context, &cholesky->choice);
    return CLSOLVE_OK;
}

clsolve_status clsolve_cholesky_create(clsolve_context *context, int64_t n, clsolve_type type,
                                       const clsolve_cholesky_options *options, clsolve_cholesky **cholesky) {
    if (cholesky) *cholesky = NULL;
    if (!context) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_enter(context));
    if (!cholesky)
        return cls_leave(context, cls_fail(&context->error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                                           "clsolve_cholesky_create: cholesky is NULL: give the address of a pointer"));
    clsolve_status status = validate_create(context, n, type, options);
    if (status != CLSOLVE_OK) return cls_leave(context, status);

    clsolve_cholesky *made = cls_alloc(1, sizeof *made);
    if (!made)
        return cls_leave(
            context, cls_fail(&context->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a Cholesky handle"));
    made->context = context;
    if (options) made->options = *options;
    status = setup(made, n, type);
    if (status == CLSOLVE_OK) {
        *cholesky = made;
    } else {
        cls_direct_release(&made->direct);
        cls_cholesky_release(&made->factors);
        cls_free(made);
    }
    return cls_leave(context, status);
}

void clsolve_cholesky_destroy(clsolve_cholesky *cholesky) {
    if (!cholesky) return;
    clsolve_context *context = cholesky->context;
    if (cls_enter(context) != CLSOLVE_OK) return;
    cls_async_release(cholesky->choice.device, &cholesky->async);
    cls_direct_release(&cholesky->direct);
    cls_cholesky_release(&cholesky->factors);
    cls_free(cholesky);
    (void)cls_leave(context, CLSOLVE_OK);
}

/* ---- factor, solve, report ---- */

clsolve_status clsolve_cholesky_factor(clsolve_cholesky *cholesky, clsolve_uplo uplo, const clsolve_matrix *A) {
    const char *call = "clsolve_cholesky_factor";
    if (!cholesky) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    clsolve_context *context = cholesky->context;
    cls_direct *direct = &cholesky->direct;
    CLS_TRY(cls_enter(context));

    clsolve_status status = cls_validate_uplo(&cholesky->context->error, call, uplo);
    if (status == CLSOLVE_OK)
        status = cls_validate_matrix(&context->error, call, "A", A, direct->type, direct->n, direct->n);
    if (status == CLSOLVE_OK) status = cls_cholesky_validate_place(cholesky, call, A);
    cholesky->message.text[0] = 0;
    if (status == CLSOLVE_OK) {
        cls_cholesky_begin(cholesky);
        cholesky->factors.uplo = uplo;
        status = cls_direct_factor(direct, call, A);
    }
    cholesky->status = status;
    return cls_leave(context, status);
}

clsolve_status clsolve_cholesky_solve(clsolve_cholesky *cholesky, clsolve_matrix *B) {
    const char *call = "clsolve_cholesky_solve";
    if (!cholesky) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    clsolve_context *context = cholesky->context;
    cls_direct *direct = &cholesky->direct;
    CLS_TRY(cls_enter(context));

    clsolve_status status = cls_validate_matrix(&context->error, call, "B", B, direct->type, direct->n, -1);
    if (status == CLSOLVE_OK) status = cls_cholesky_validate_place(cholesky, call, B);
    if (status == CLSOLVE_OK) (void)cls_cholesky_settle(cholesky);
    cholesky->message.text[0] = 0;
    if (status == CLSOLVE_OK) status = cls_validate_factors(direct, call, "clsolve_cholesky_factor");
    if (status == CLSOLVE_OK) status = cls_direct_solve(direct, call, CLSOLVE_NO_TRANS, B);
    cholesky->status = status;
    return cls_leave(context, status);
}

clsolve_status clsolve_cholesky_report(const clsolve_cholesky *cholesky, clsolve_report *report) {
    if (!cholesky) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    if (!report) return cls_refuse_no_report(cholesky->context, "clsolve_cholesky_report");

    CLS_TRY(cls_enter(cholesky->context));
    *report = (clsolve_report){.status = cholesky->status, .method = "cholesky"};
    cls_direct_report(&cholesky->direct, report);
    cls_where_report(&cholesky->choice, report);
    return cls_leave(cholesky->context, CLSOLVE_OK);
}
