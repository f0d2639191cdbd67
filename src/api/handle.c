#include "api/handle.h"

#include <string.h>

#include "api/enqueue.h"
#include "api/given.h"
#include "base/memory.h"
#include "method/direct/failure.h"
#include "method/fetch.h"
#include "method/symmetric.h"
#include "method/transfer.h"

/* ---- create, destroy ---- */

clsolve_status cls_handle_check_shape(const cls_handle_family *family, cls_error *error, const char *call,
                                      const cls_handle_shape *shape, clsolve_type type) {
    return family->check_shape ? family->check_shape(error, call, shape, type)
                               : cls_validate_square(error, call, shape->n, type);
}

static clsolve_status check_create(const cls_handle_family *family, cls_error *error, const cls_handle_shape *shape,
                                   clsolve_type type, const void *options) {
    const char *call = family->names.create;

    CLS_TRY(cls_handle_check_shape(family, error, call, shape, type));
    if (!options) return CLSOLVE_OK;
    const cls_handle_options o = family->options(options);
    CLS_TRY(cls_validate_reserved(error, call, o.reserved, o.reserved_words));
    if (family->check) CLS_TRY(family->check(error, call, options));
    return cls_validate_options(error, call, &o.common, type);
}

static int64_t at_most(int64_t value, int64_t most) {
    return value < most ? value : most;
}

static clsolve_status setup(cls_handle *it, clsolve_type type) {
    const cls_handle_family *family = it->family;
    const void *options = (const char *)it + family->options_at;
    const cls_handle_options o = family->options(options);
    const int64_t n = it->shape.n, most = n > 0 ? n - 1 : 0;
    const cls_task task = {.family = family->model,
                           .type = type,
                           .n = n,
                           .kl = at_most(it->shape.kl, most),
                           .ku = at_most(it->shape.ku, most),
                           .nrhs = 1};
    const int host_can = family->host_can ? family->host_can(options) : cls_host_can(&o.common);

    CLS_TRY(cls_where_choose(it->context, family->names.create, &task, o.where, host_can, &it->choice));
    CLS_TRY(family->setup(it, type));
    cls_where_built(it->context, &it->choice);
    return CLSOLVE_OK;
}

static void release(cls_handle *it) {
    cls_direct_release(&it->direct);
    it->family->release(it);
    cls_free(it);
}

static clsolve_status make(const cls_handle_family *family, clsolve_context *context, const cls_handle_shape *shape,
                           clsolve_type type, const void *options, cls_handle **handle) {
    CLS_TRY(check_create(family, &context->error, shape, type, options));
    cls_handle *made = cls_alloc(1, family->bytes);
    if (!made) return cls_fail(&context->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for %s", family->handle);
    made->family = family;
    made->context = context;
    made->shape = *shape;
    if (options) memcpy((char *)made + family->options_at, options, family->options_bytes);
    const clsolve_status status = setup(made, type);
    if (status == CLSOLVE_OK) {
        *handle = made;
    } else {
        const cls_error first = context->error; /* what releases waits may overwrite it */
        release(made);
        context->error = first;
    }
    return status;
}

clsolve_status cls_handle_create(const cls_handle_family *family, clsolve_context *context,
                                 const cls_handle_shape *shape, clsolve_type type, const void *options, void *handle) {
    cls_handle *made = NULL;
    if (handle) memcpy(handle, &made, sizeof made); /* pointers to structs of all families are alike */
    CLS_TRY(cls_enter_create(context, family->names.create, family->argument, handle));
    const clsolve_status status = make(family, context, shape, type, options, &made);
    memcpy(handle, &made, sizeof made);
    return cls_leave(context, status);
}

void cls_handle_destroy(cls_handle *it) {
    if (!it) return;
    clsolve_context *context = it->context;
    if (cls_enter(context) != CLSOLVE_OK) return;
    cls_async_release(it->choice.device, &it->async);
    release(it);
    (void)cls_leave(context, CLSOLVE_OK);
}

/* ---- factor, solve ---- */

static int fetches(const cls_handle *it) {
    return it->family->fetches && it->family->fetches(it);
}

clsolve_status cls_handle_check_place(const cls_handle *it, const char *call, const clsolve_matrix *m) {
    const char *host_only = it->direct.host_only;
    if (!host_only || m->place == CLSOLVE_ON_HOST)
        return cls_transfer_fits(fetches(it) ? it->context->device : it->direct.device, m);
    return cls_fail(&it->context->error, CLSOLVE_ERROR_UNSUPPORTED,
                    "%s: the matrix is on %s takes none: give it on the host", call, host_only);
}

static clsolve_status bring(const cls_handle *it, const clsolve_matrix *m, cls_fetched *there) {
    *there = (cls_fetched){.view = *m};
    return fetches(it) ? cls_fetch(it->context->device, m, there) : CLSOLVE_OK;
}

clsolve_status cls_handle_factor_now(cls_handle *it, const char *call, clsolve_uplo uplo, const clsolve_matrix *A) {
    it->pending_factor = it->pending_solve = 0;
    if (it->family->uplo) *it->family->uplo(it) = uplo;
    cls_fetched there;
    CLS_TRY(bring(it, A, &there));
    const clsolve_status status = cls_direct_factor(&it->direct, call, &there.view);
    cls_fetched_free(&there);
    return status;
}

clsolve_status cls_handle_factor(cls_handle *it, clsolve_uplo uplo, const clsolve_matrix *A) {
    if (!it) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    clsolve_context *context = it->context;
    const char *call = it->family->names.factor;
    const cls_direct *direct = &it->direct;
    clsolve_status status = CLSOLVE_OK;
    CLS_TRY(cls_enter(context));

    it->message.text[0] = 0;
    if (it->family->uplo) status = cls_validate_uplo(&context->error, call, uplo);
    if (status == CLSOLVE_OK)
        status = cls_validate_matrix(&context->error, call, cls_handle_matrix(it), A, direct->type, cls_handle_rows(it),
                                     direct->n);
    if (status == CLSOLVE_OK) status = cls_handle_check_place(it, call, A);
    if (status == CLSOLVE_OK) status = cls_handle_factor_now(it, call, uplo, A);
    it->status = status;
    return cls_leave(context, status);
}

clsolve_status cls_handle_solve_now(cls_handle *it, const char *call, clsolve_op op, const clsolve_matrix *B) {
    CLS_TRY(cls_validate_factors(&it->direct, call, it->family->names.factor));
    cls_fetched there;
    CLS_TRY(bring(it, B, &there));
    clsolve_status status = cls_direct_solve(&it->direct, call, op, &there.view);
    if (status == CLSOLVE_OK && there.copy) status = cls_store(it->context->device, &there, B);
    cls_fetched_free(&there);
    return status;
}

clsolve_status cls_handle_solve(cls_handle *it, clsolve_op op, const clsolve_matrix *B) {
    if (!it) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    clsolve_context *context = it->context;
    const char *call = it->family->names.solve;
    CLS_TRY(cls_enter(context));

    clsolve_status status = cls_validate_op(&context->error, call, op);
    if (status == CLSOLVE_OK)
        status = cls_validate_matrix(&context->error, call, "B", B, it->direct.type, it->direct.n, -1);
    if (status == CLSOLVE_OK) status = cls_handle_check_place(it, call, B);
    if (status == CLSOLVE_OK) (void)cls_handle_settle(it);
    it->message.text[0] = 0;
    if (status == CLSOLVE_OK) status = cls_handle_solve_now(it, call, op, B);
    it->status = status;
    return cls_leave(context, status);
}

/* ---- what LAPACK computes from factors ---- */

clsolve_status cls_handle_check_factors(cls_handle *it, const char *call) {
    (void)cls_handle_settle(it);
    return cls_validate_factors(&it->direct, call, it->family->names.factor);
}

clsolve_status cls_handle_condition(cls_handle *it, clsolve_norm norm, double norm_A, double *rcond) {
    if (!it) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    const cls_handle_names *names = &it->family->names;
    CLS_TRY(cls_enter(it->context));
    (void)cls_handle_settle(it);
    return cls_leave(it->context, cls_given_condition(&it->direct, names->condition, names->create, names->factor, norm,
                                                      norm_A, rcond));
}

clsolve_status cls_handle_inverse(cls_handle *it, clsolve_uplo uplo, clsolve_matrix *X) {
    if (!it) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    const char *call = it->family->names.inverse;
    CLS_TRY(cls_enter(it->context));
    clsolve_status status = cls_given_triangle(&it->direct, call, "X", uplo, X, it->direct.type);
    if (status == CLSOLVE_OK) status = cls_handle_check_factors(it, call);
    it->message.text[0] = 0;
    if (status == CLSOLVE_OK) status = it->direct.ops->invert(&it->direct, call, uplo, X);
    it->status = status;
    return cls_leave(it->context, status);
}

/* ---- report ---- */

void cls_handle_write_report(const cls_handle *it, clsolve_report *report) {
    *report = (clsolve_report){.status = it->status, .method = it->family->method};
    cls_direct_report(&it->direct, report);
    cls_where_report(&it->choice, report);
}

clsolve_status cls_handle_report(const cls_handle *it, clsolve_report *report) {
    if (!it) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    if (!report) return cls_refuse_no_report(it->context, it->family->names.report);

    CLS_TRY(cls_enter(it->context));
    cls_handle_write_report(it, report);
    return cls_leave(it->context, CLSOLVE_OK);
}

/* ---- what was enqueued before ---- */

static clsolve_status nonfinite(const cls_handle *it, clsolve_status status, const char *call, const char *what,
                                int64_t at) {
    const int64_t n = it->direct.n;
    return cls_nonfinite(&it->context->error, status, call, what, at % n, at / n);
}

static clsolve_status take_factor(cls_handle *it, const cls_async_outcome *o) {
    const char *call = it->family->names.factor_enqueue;
    const int64_t n = it->direct.n, at = o->found[CLS_ASYNC_A];

    it->direct.info = o->info;
    if (at >= 0) {
        cls_place place = {at % n, at / n};
        it->direct.info = it->direct.factored = 0;
        if (it->family->uplo) place = cls_symmetric_place(*it->family->uplo(it), place.row, place.column);
        return cls_nonfinite(&it->context->error, CLSOLVE_ERROR_NONFINITE, call, "A", place.row, place.column);
    }
    if (o->found[CLS_ASYNC_FACTORS] >= 0)
        return nonfinite(it, CLSOLVE_OVERFLOW, call, it->family->factors, o->found[CLS_ASYNC_FACTORS]);
    return o->info > 0 ? cls_direct_refuse(&it->direct, call) : CLSOLVE_OK;
}

static clsolve_status solve_again(const cls_handle *it, const char *why) {
    return cls_fail(&it->context->error, CLSOLVE_NOT_CONVERGED, "%s: B is as it was, because %s: solve again",
                    it->family->names.solve_enqueue, why);
}

static clsolve_status take_solve(cls_handle *it, const cls_async_outcome *o) {
    const char *call = it->family->names.solve_enqueue;
    const int64_t in = o->found[CLS_ASYNC_B], out = o->found[CLS_ASYNC_X];
    cls_direct *direct = &it->direct;
    int again = 0;

    if (!direct->factored || direct->outcome != CLSOLVE_OK) return direct->outcome;
    if (in >= 0) return nonfinite(it, CLSOLVE_ERROR_NONFINITE, call, "B", in);
    if (out >= 0 && direct->ops->solve_failed) CLS_TRY(direct->ops->solve_failed(direct, &again));
    if (again) return solve_again(it, "work-groups of the device did not run together; other kernels solve now");
    return out >= 0 ? nonfinite(it, CLSOLVE_OVERFLOW, call, "X", out) : CLSOLVE_OK;
}

clsolve_status cls_handle_settle(cls_handle *it) {
    static const char later[] = "the factorization was not done when the solve ran; it is now";
    const cls_direct_ops *ops = it->direct.ops;
    cls_async_outcome o;

    if (!it->pending_factor && !it->pending_solve) return it->status;
    clsolve_status status = cls_async_wait(it->direct.device, &it->async, ops->state(&it->direct), &o);
    const int64_t left = ops->finish && it->pending_factor && status == CLSOLVE_OK ? o.info : 0;
    if (status == CLSOLVE_OK && ops->finish && it->pending_factor) status = ops->finish(&it->direct, &o);
    if (status == CLSOLVE_OK) {
        if (it->pending_factor) status = it->direct.outcome = take_factor(it, &o);
        if (it->pending_solve) status = left && status == CLSOLVE_OK ? solve_again(it, later) : take_solve(it, &o);
    } else {
        it->direct.factored = 0; /* nobody knows */
    }
    it->pending_factor = it->pending_solve = 0;
    it->status = status;
    cls_enqueue_save(it->context, status, &it->message);
    return status;
}
