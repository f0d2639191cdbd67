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

typedef struct handle_asked {
    const cls_handle_family *family;
    const cls_handle_shape *shape;
    clsolve_type type;
    const void *options;
} handle_asked;

clsolve_status cls_handle_check(clsolve_context *context, const void *asked) {
    const handle_asked *form = asked;
    const cls_handle_family *family = form->family;
    cls_error *error = &context->error;
    const char *call = family->kind.create;

    CLS_TRY(cls_handle_check_shape(family, error, call, form->shape, form->type));
    if (!form->options) return CLSOLVE_OK;
    const cls_handle_options o = family->options(form->options);
    CLS_TRY(cls_validate_reserved(error, call, o.reserved, o.reserved_words));
    if (family->check) CLS_TRY(family->check(error, call, form->options));
    return cls_validate_options(error, call, &o.common, form->type);
}

static int64_t at_most(int64_t value, int64_t most) {
    return value < most ? value : most;
}

clsolve_status cls_handle_setup(cls_head *head, const void *asked) {
    const handle_asked *form = asked;
    const cls_handle_family *family = form->family;
    cls_handle *it = (cls_handle *)head;
    void *options = (char *)it + family->options_at;
    const int64_t n = form->shape->n, most = n > 0 ? n - 1 : 0;

    it->family = family;
    it->shape = *form->shape;
    if (form->options) memcpy(options, form->options, family->options_size);
    const cls_handle_options o = family->options(options);
    const cls_task task = {.family = family->model,
                           .type = form->type,
                           .n = n,
                           .kl = at_most(it->shape.kl, most),
                           .ku = at_most(it->shape.ku, most),
                           .nrhs = 1};
    int host_can = family->host_can ? family->host_can(options) : cls_host_can(&o.common);
    if (host_can && family->working_in_double && o.common.precision == CLSOLVE_PRECISION_WORKING &&
        cls_is_double(form->type) && !head->context->device->info.fp64)
        host_can = CLS_HOST_IN_DOUBLE;

    CLS_TRY(cls_where_choose(head->context, family->kind.create, &task, o.where, host_can, &head->choice));
    CLS_TRY(family->setup(it, form->type));
    cls_where_built(head->context, &head->choice);
    return CLSOLVE_OK;
}

void cls_handle_release(cls_head *head) {
    cls_handle *it = (cls_handle *)head;
    cls_async_release(head->choice.device, &it->async);
    cls_direct_release(&it->direct);
    it->family->release(it);
}

clsolve_status cls_handle_create(const cls_handle_family *family, clsolve_context *context,
                                 const cls_handle_shape *shape, clsolve_type type, const void *options, void *handle) {
    return cls_head_create(&family->kind, context, &(handle_asked){family, shape, type, options}, handle);
}

/* ---- factor, solve ---- */

static int fetches(const cls_handle *it) {
    return it->family->fetches && it->family->fetches(it);
}

clsolve_status cls_handle_check_place(const cls_handle *it, const char *call, const clsolve_matrix *m) {
    const char *host_only = it->direct.host_only;
    if (!host_only || m->place == CLSOLVE_ON_HOST)
        return cls_transfer_fits(fetches(it) ? it->head.context->device : it->direct.device, m);
    return cls_fail(&it->head.context->error, CLSOLVE_ERROR_UNSUPPORTED,
                    "%s: the matrix is on %s takes none: give it on the host", call, host_only);
}

static clsolve_status bring(const cls_handle *it, const clsolve_matrix *m, cls_fetched *there) {
    *there = (cls_fetched){.view = *m};
    return fetches(it) ? cls_fetch(it->head.context->device, m, there) : CLSOLVE_OK;
}

clsolve_status cls_handle_check_A(cls_handle *it, const char *call, clsolve_uplo uplo, const clsolve_matrix *A) {
    cls_error *error = &it->head.context->error;
    if (it->family->uplo) CLS_TRY(cls_validate_uplo(error, call, uplo));
    return cls_validate_matrix(error, call, cls_handle_matrix(it), A, it->direct.type, cls_handle_rows(it),
                               it->direct.n);
}

clsolve_status cls_handle_check_B(cls_handle *it, const char *call, clsolve_op op, const clsolve_matrix *B) {
    cls_error *error = &it->head.context->error;
    CLS_TRY(cls_validate_op(error, call, op));
    return cls_validate_matrix(error, call, "B", B, it->direct.type, it->direct.n, -1);
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
    CLS_TRY(cls_head_enter((cls_head *)it));
    const char *call = it->family->names.factor;
    clsolve_status status = cls_handle_check_A(it, call, uplo, A);
    if (status == CLSOLVE_OK) status = cls_handle_check_place(it, call, A);
    if (status == CLSOLVE_OK) status = cls_handle_factor_now(it, call, uplo, A);
    return cls_head_end(&it->head, NULL, status);
}

clsolve_status cls_handle_solve_now(cls_handle *it, const char *call, clsolve_op op, const clsolve_matrix *B) {
    CLS_TRY(cls_validate_factors(&it->direct, call, it->family->names.factor));
    cls_fetched there;
    CLS_TRY(bring(it, B, &there));
    clsolve_status status = cls_direct_solve(&it->direct, call, op, &there.view);
    if (status == CLSOLVE_OK && there.copy) status = cls_store(it->head.context->device, &there, B);
    cls_fetched_free(&there);
    return status;
}

clsolve_status cls_handle_solve(cls_handle *it, clsolve_op op, const clsolve_matrix *B) {
    CLS_TRY(cls_head_enter((cls_head *)it));
    const char *call = it->family->names.solve;
    clsolve_status status = cls_handle_check_B(it, call, op, B);
    if (status == CLSOLVE_OK) status = cls_handle_check_place(it, call, B);
    if (status == CLSOLVE_OK) (void)cls_handle_settle(it);
    if (status == CLSOLVE_OK) status = cls_handle_solve_now(it, call, op, B);
    return cls_head_end(&it->head, NULL, status);
}

/* ---- what LAPACK computes from factors ---- */

clsolve_status cls_handle_check_factors(cls_handle *it, const char *call) {
    (void)cls_handle_settle(it);
    return cls_validate_factors(&it->direct, call, it->family->names.factor);
}

clsolve_status cls_handle_condition(cls_handle *it, clsolve_norm norm, double norm_A, double *rcond) {
    CLS_TRY(cls_head_enter((cls_head *)it));
    const cls_handle_names *names = &it->family->names;
    (void)cls_handle_settle(it);
    return cls_leave(it->head.context, cls_given_condition(&it->direct, names->condition, it->family->kind.create,
                                                           names->factor, norm, norm_A, rcond));
}

clsolve_status cls_handle_inverse(cls_handle *it, clsolve_uplo uplo, clsolve_matrix *X) {
    CLS_TRY(cls_head_enter((cls_head *)it));
    const char *call = it->family->names.inverse;
    clsolve_status status = cls_given_triangle(&it->direct, call, "X", uplo, X, it->direct.type);
    if (status == CLSOLVE_OK) status = cls_handle_check_factors(it, call);
    if (status == CLSOLVE_OK && it->direct.n > 0) status = cls_direct_prepare_inverse(&it->direct);
    if (status == CLSOLVE_OK) status = cls_validate_factors(&it->direct, call, it->family->names.factor);
    if (status == CLSOLVE_OK) status = it->direct.ops->invert(&it->direct, call, uplo, X);
    return cls_head_end(&it->head, NULL, status);
}

/* ---- report ---- */

void cls_handle_write_report(const cls_handle *it, clsolve_report *report) {
    *report = (clsolve_report){.status = it->head.status, .method = it->head.kind->method};
    cls_direct_report(&it->direct, report);
    cls_where_report(&it->head.choice, report);
}

clsolve_status cls_handle_report(const cls_handle *it, clsolve_report *report) {
    if (!it) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    if (!report) return cls_refuse_no_report(it->head.context, it->head.kind->report);

    CLS_TRY(cls_enter(it->head.context));
    cls_handle_write_report(it, report);
    return cls_leave(it->head.context, CLSOLVE_OK);
}

/* ---- what was enqueued before ---- */

static clsolve_status nonfinite(const cls_handle *it, clsolve_status status, const char *call, const char *what,
                                int64_t at) {
    const int64_t n = it->direct.n;
    return cls_nonfinite(&it->head.context->error, status, call, what, at % n, at / n);
}

static clsolve_status take_factor(cls_handle *it, const cls_async_outcome *o) {
    const char *call = it->family->names.factor_enqueue;
    const int64_t n = it->direct.n, at = o->found[CLS_ASYNC_A];

    it->direct.info = o->info;
    if (at >= 0) {
        cls_place place = {at % n, at / n};
        it->direct.info = it->direct.factored = 0;
        if (it->family->uplo) place = cls_symmetric_place(*it->family->uplo(it), place.row, place.column);
        return cls_nonfinite(&it->head.context->error, CLSOLVE_ERROR_NONFINITE, call, "A", place.row, place.column);
    }
    if (o->found[CLS_ASYNC_FACTORS] >= 0)
        return nonfinite(it, CLSOLVE_OVERFLOW, call, it->family->factors, o->found[CLS_ASYNC_FACTORS]);
    return o->info > 0 ? cls_direct_refuse(&it->direct, call) : CLSOLVE_OK;
}

static clsolve_status solve_again(const cls_handle *it, const char *why) {
    return cls_fail(&it->head.context->error, CLSOLVE_NOT_CONVERGED, "%s: B is as it was, because %s: solve again",
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

    if (!it->pending_factor && !it->pending_solve) return it->head.status;
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
    it->head.status = status;
    cls_enqueue_save(it->head.context, status, &it->head.message);
    return status;
}
