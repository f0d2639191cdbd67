#include <clsolve/band_batch.h>

#include <string.h>

#include "api/context.h"
#include "api/families_enqueue.h"
#include "api/slices.h"
#include "api/validate.h"
#include "base/clock.h"
#include "base/memory.h"
#include "method/band/batch.h"
#include "method/members.h"

struct clsolve_band_batch {
    clsolve_context *context;
    cls_band_batch work;
    int64_t n, kl, ku, count; /* as the caller gave them */
    int32_t *infos, *now;     /* count each: of the last factorization, and of the call */
    int factored;
    clsolve_status status;                    /* of the last call */
    cls_error message;                        /* see enqueue.h */
    int64_t info, member, nrhs, device_bytes; /* of the last call: the first member without a solution, from 1 */
    double build_seconds;
    clsolve_seconds seconds;
    cls_counters before, moved;
    double start;
    cls_slices slices; /* over several devices; then `work` has nothing but the type */
};

/* ---- create, destroy ---- */

static clsolve_status validate_create(clsolve_context *context, int64_t n, int64_t kl, int64_t ku, int64_t count,
                                      clsolve_type type, const clsolve_band_batch_options *options) {
    cls_error *error = &context->error;
    const char *call = "clsolve_band_batch_create";
    const int64_t sizes[] = {n, kl, ku, count};
    static const char *const names[] = {"n", "kl", "ku", "count"};

    for (int s = 0; s < 4; ++s)
        if (sizes[s] < 0 || sizes[s] > CLS_MOST_ELEMENTS)
            return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: %s is %lld: sizes go from 0 to %lld", call,
                            names[s], (long long)sizes[s], (long long)CLS_MOST_ELEMENTS);
    CLS_TRY(cls_validate_type(error, call, "type", type, CLS_ALL_TYPES));
    if (options) CLS_TRY(CLS_VALIDATE_RESERVED(error, call, options->reserved));
    kl = cls_band_batch_diagonals(n, kl);
    ku = cls_band_batch_diagonals(n, ku);
    if (kl + ku > CLSOLVE_BAND_BATCH_DIAGONALS || n > INT32_MAX)
        return cls_fail(error, CLSOLVE_ERROR_UNSUPPORTED,
                        "%s: kl + ku is %lld and n %lld; batches go up to %d and 2^31 - 1: use clsolve_band for each",
                        call, (long long)(kl + ku), (long long)n, CLSOLVE_BAND_BATCH_DIAGONALS);
    CLS_TRY(cls_validate_extent(error, CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY, call, count, n * (2 * kl + ku + 1)));
    CLS_TRY(cls_validate_device(context->device, call, type));
    if (!cls_narrow_fits(context->device, type, kl, ku))
        return cls_fail(error, CLSOLVE_ERROR_UNSUPPORTED,
                        "%s: %s has too little local memory for kl = %lld and ku = %lld: use clsolve_band for each",
                        call, context->device->info.name, (long long)kl, (long long)ku);
    return CLSOLVE_OK;
}

static clsolve_status create(clsolve_context *context, clsolve_type type, clsolve_band_batch *batch) {
    cls_device *device = context->device;
    double build = device->build_seconds;
    int64_t bytes = device->counters.buffer_bytes;

    batch->context = context;
    batch->infos = cls_alloc((size_t)batch->count, sizeof *batch->infos);
    batch->now = cls_alloc((size_t)batch->count, sizeof *batch->now);
    if (!batch->infos || !batch->now)
        return cls_fail(&context->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a batch's infos");
    CLS_TRY(cls_band_batch_setup(device, batch->n, batch->kl, batch->ku, batch->count, type, &batch->work));
    batch->build_seconds = device->build_seconds - build;
    batch->device_bytes = device->counters.buffer_bytes - bytes;
    return CLSOLVE_OK;
}

static const char create_call[] = "clsolve_band_batch_create";

static void destroy_one(void *handle) {
    clsolve_band_batch_destroy(handle);
}

static void release(clsolve_band_batch *batch) {
    cls_slices_release(&batch->slices, destroy_one);
    cls_band_batch_release(&batch->work);
    cls_free(batch->infos);
    cls_free(batch->now);
    cls_free(batch);
}

/* A handle of `count` members that works on the context's own device; the rest is as `like` has it. */
static clsolve_status make_one(clsolve_context *context, const clsolve_band_batch *like, int64_t count,
                               clsolve_band_batch **batch) {
    CLS_TRY(cls_enter(context));
    clsolve_band_batch *made = cls_alloc(1, sizeof *made);
    if (!made)
        return cls_leave(context, cls_fail(&context->error, CLSOLVE_ERROR_OUT_OF_MEMORY,
                                           "no host memory for a handle of band matrices"));
    made->n = like->n;
    made->kl = like->kl;
    made->ku = like->ku;
    made->count = count;
    clsolve_status status = validate_create(context, like->n, like->kl, like->ku, count, like->work.narrow.type, NULL);
    if (status == CLSOLVE_OK) status = create(context, like->work.narrow.type, made);
    if (status == CLSOLVE_OK)
        *batch = made;
    else
        release(made);
    return cls_leave(context, status);
}

/* ---- several devices ---- */

static clsolve_status make_slice(void *what, int64_t d) {
    clsolve_band_batch *like = what;
    cls_slices *s = &like->slices;
    clsolve_context *context = cls_context_of(s->context, d);
    clsolve_band_batch *made = NULL;
    CLS_TRY(make_one(context, like, s->firsts[d + 1] - s->firsts[d], &made));
    s->handles[d] = made;
    return CLSOLVE_OK;
}

/* Over all devices of the context, where they are worth it. */
static clsolve_status make(clsolve_context *context, const clsolve_band_batch *like, clsolve_band_batch **batch) {
    /* A band of so few diagonals takes about as long as as many lines: the model has no batch of bands. */
    const clsolve_type type = like->work.narrow.type;
    const cls_task task = {.family = CLS_FAMILY_LINES, .type = type, .n = like->n, .count = like->count};
    const double bytes =
        (double)(like->kl + like->ku + 2) * (double)like->n * (double)like->count * (double)cls_type_size(type);
    if (clsolve_context_device_count(context) == 1) return make_one(context, like, like->count, batch);
    clsolve_band_batch *made = cls_alloc(1, sizeof *made);
    if (!made)
        return cls_fail(&context->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a handle of band matrices");
    *made = *like;
    made->context = context;
    clsolve_status status = cls_slices_setup(&made->slices, context, create_call, &task, bytes, 1);
    const int dealt = made->slices.devices > 0;
    if (status == CLSOLVE_OK && dealt) status = cls_slices_each(&made->slices, create_call, make_slice, made);
    if (status == CLSOLVE_OK && dealt)
        *batch = made;
    else
        release(made);
    return status != CLSOLVE_OK || dealt ? status : make_one(context, like, like->count, batch);
}

clsolve_status clsolve_band_batch_create(clsolve_context *context, int64_t n, int64_t kl, int64_t ku, int64_t count,
                                         clsolve_type type, const clsolve_band_batch_options *options,
                                         clsolve_band_batch **batch) {
    if (batch) *batch = NULL;
    if (!context) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_enter(context));
    if (!batch)
        return cls_leave(context, cls_fail(&context->error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                                           "clsolve_band_batch_create: batch is NULL: give the address of a pointer"));
    clsolve_status status = validate_create(context, n, kl, ku, count, type, options);
    if (status != CLSOLVE_OK) return cls_leave(context, status);

    const clsolve_band_batch like = {.n = n, .kl = kl, .ku = ku, .count = count, .work.narrow.type = type};
    return cls_leave(context, make(context, &like, batch));
}

void clsolve_band_batch_destroy(clsolve_band_batch *batch) {
    if (!batch) return;
    clsolve_context *context = batch->context;
    if (cls_enter(context) != CLSOLVE_OK) return;
    release(batch);
    (void)cls_leave(context, CLSOLVE_OK);
}

/* ---- factor, solve, factors ---- */

static clsolve_status begin(clsolve_band_batch *batch) {
    CLS_TRY(cls_enter(batch->context));
    batch->before = batch->context->device->counters;
    memset(&batch->seconds, 0, sizeof batch->seconds);
    batch->start = cls_seconds();
    return CLSOLVE_OK;
}

/* The end of a call that did not enqueue. If it was to do so it changes nothing, not even the outcome that is kept. */
static clsolve_status plain_end(clsolve_band_batch *batch, clsolve_status status, const cls_enqueue *how) {
    if (!how) batch->status = status;
    if (!how) batch->message.text[0] = 0;
    return cls_leave(batch->context, status);
}

static clsolve_status end(clsolve_band_batch *batch, clsolve_status status, const cls_enqueue *how) {
    const cls_counters *now = &batch->context->device->counters, *before = &batch->before;
    batch->moved = cls_counters_since(now, before);
    batch->device_bytes += now->buffer_bytes - before->buffer_bytes;
    batch->seconds.total = cls_seconds() - batch->start;
    if (!how) return plain_end(batch, status, how);
    return cls_leave(batch->context, cls_enqueue_end(batch->context, how, status, &batch->status, &batch->message));
}

/* The call's infos to the caller, and the first member that is not 0 to the report. */
static void tell(clsolve_band_batch *batch, const int32_t *infos, int64_t *info) {
    if (batch->slices.devices > 0) {
        cls_slices_tell(&batch->slices, info, &batch->info, &batch->member);
        return;
    }
    batch->info = batch->member = 0;
    for (int64_t m = batch->count - 1; m >= 0; --m) {
        info[m] = infos[m];
        if (infos[m] == 0) continue;
        batch->info = infos[m];
        batch->member = m + 1;
    }
}

static clsolve_status validate(clsolve_band_batch *batch, const char *call, const char *name, const clsolve_batch *view,
                               int64_t rows, int64_t cols, int written) {
    cls_error *error = &batch->context->error;
    CLS_TRY(cls_validate_batch(error, call, name, view, batch->work.narrow.type, rows, cols, written));
    if (view->count == batch->count) return cls_members_fit(batch->context->device, view);
    return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: %s has %lld members, the handle %lld", call, name,
                    (long long)view->count, (long long)batch->count);
}

static clsolve_status validate_info(clsolve_band_batch *batch, const char *call, const int64_t *info) {
    if (info || batch->count == 0) return CLSOLVE_OK;
    return cls_fail(&batch->context->error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                    "%s: info is NULL: it alone tells of singular members", call);
}

static clsolve_status validate_factored(clsolve_band_batch *batch, const char *call) {
    if (batch->factored) return CLSOLVE_OK;
    return cls_fail(&batch->context->error, CLSOLVE_ERROR_STATE, "%s: call clsolve_band_batch_factor first", call);
}

static clsolve_status factor(clsolve_band_batch *batch, const char *call, const clsolve_batch *AB, int64_t *info,
                             const cls_enqueue *how);
static clsolve_status solve(clsolve_band_batch *batch, const char *call, clsolve_op op, const clsolve_batch *B,
                            int64_t *info, const cls_enqueue *how);

/* `view` is AB, of all members, or B. */
typedef struct bands {
    cls_slices *slices;
    const char *call;
    clsolve_op op;
    const clsolve_batch *view;
} bands;

static clsolve_status factor_slice(void *what, int64_t d) {
    const bands *all = what;
    cls_slices *s = all->slices;
    const clsolve_batch AB = cls_slices_of(s, d, all->view);
    return factor(s->handles[d], all->call, &AB, s->infos + s->firsts[d], NULL);
}

static clsolve_status solve_slice(void *what, int64_t d) {
    const bands *all = what;
    cls_slices *s = all->slices;
    const clsolve_batch B = cls_slices_of(s, d, all->view);
    return solve(s->handles[d], all->call, all->op, &B, s->infos + s->firsts[d], NULL);
}

static clsolve_status factor_all(clsolve_band_batch *batch, const char *call, const clsolve_batch *AB) {
    bands all = {&batch->slices, call, CLSOLVE_NO_TRANS, AB};
    if (batch->slices.devices > 0) return cls_slices_each(&batch->slices, call, factor_slice, &all);
    return cls_band_batch_factor(&batch->work, AB, batch->infos, &batch->seconds);
}

static clsolve_status solve_all(clsolve_band_batch *batch, const char *call, clsolve_op op, const clsolve_batch *B) {
    bands all = {&batch->slices, call, op, B};
    if (batch->slices.devices > 0) return cls_slices_each(&batch->slices, call, solve_slice, &all);
    memcpy(batch->now, batch->infos, (size_t)batch->count * sizeof *batch->now);
    return cls_band_batch_solve(&batch->work, op, B, batch->now, &batch->seconds);
}

static clsolve_status factor(clsolve_band_batch *batch, const char *call, const clsolve_batch *AB, int64_t *info,
                             const cls_enqueue *how) {
    clsolve_context *context = batch->context;
    CLS_TRY(begin(batch));
    clsolve_status status = cls_slices_check_host(&batch->slices, call, how != NULL, &AB, 1);
    if (status == CLSOLVE_OK) status = validate(batch, call, "AB", AB, batch->kl + batch->ku + 1, batch->n, 0);
    if (status == CLSOLVE_OK) status = validate_info(batch, call, info);
    if (status == CLSOLVE_OK) status = cls_enqueue_check_batches(context, how, (const char *const[]){"AB"}, &AB, 1);
    if (status != CLSOLVE_OK) return plain_end(batch, status, how);
    if (how) status = cls_enqueue_begin(context, how);
    batch->factored = 0;
    batch->nrhs = 0;
    if (status == CLSOLVE_OK) status = factor_all(batch, call, AB);
    batch->factored = status == CLSOLVE_OK;
    if (status == CLSOLVE_OK) tell(batch, batch->infos, info);
    return end(batch, status, how);
}

static clsolve_status solve(clsolve_band_batch *batch, const char *call, clsolve_op op, const clsolve_batch *B,
                            int64_t *info, const cls_enqueue *how) {
    clsolve_context *context = batch->context;
    CLS_TRY(begin(batch));
    clsolve_status status = cls_slices_check_host(&batch->slices, call, how != NULL, &B, 1);
    if (status == CLSOLVE_OK) status = validate_factored(batch, call);
    if (status == CLSOLVE_OK) status = cls_validate_op(&context->error, call, op);
    if (status == CLSOLVE_OK) status = validate(batch, call, "B", B, batch->n, -1, 1);
    if (status == CLSOLVE_OK) status = validate_info(batch, call, info);
    if (status == CLSOLVE_OK) status = cls_enqueue_check_batches(context, how, (const char *const[]){"B"}, &B, 1);
    if (status != CLSOLVE_OK) return plain_end(batch, status, how);
    if (how) status = cls_enqueue_begin(context, how);
    batch->nrhs = B->cols;
    if (status == CLSOLVE_OK) status = solve_all(batch, call, op, B);
    if (status == CLSOLVE_OK) tell(batch, batch->now, info);
    return end(batch, status, how);
}

clsolve_status clsolve_band_batch_factor(clsolve_band_batch *batch, const clsolve_batch *AB, int64_t *info) {
    return batch ? factor(batch, "clsolve_band_batch_factor", AB, info, NULL) : CLSOLVE_ERROR_INVALID_ARGUMENT;
}

clsolve_status clsolve_band_batch_solve(clsolve_band_batch *batch, clsolve_op op, clsolve_batch *B, int64_t *info) {
    return batch ? solve(batch, "clsolve_band_batch_solve", op, B, info, NULL) : CLSOLVE_ERROR_INVALID_ARGUMENT;
}

clsolve_status cls_band_batch_enqueue_factor(clsolve_band_batch *batch, const clsolve_batch *AB, int64_t *info,
                                             const cls_enqueue *how) {
    return batch ? factor(batch, how->call, AB, info, how) : CLSOLVE_ERROR_INVALID_ARGUMENT;
}

clsolve_status cls_band_batch_enqueue_solve(clsolve_band_batch *batch, clsolve_op op, clsolve_batch *B, int64_t *info,
                                            const cls_enqueue *how) {
    return batch ? solve(batch, how->call, op, B, info, how) : CLSOLVE_ERROR_INVALID_ARGUMENT;
}

clsolve_status clsolve_band_batch_status(clsolve_band_batch *batch) {
    if (!batch) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_enter(batch->context));
    return cls_leave(batch->context, cls_enqueue_tell(batch->context, batch->status, &batch->message));
}

typedef struct bands_out {
    cls_slices *slices;
    const clsolve_batch *AFB;
    int64_t *ipiv;
    int64_t n;
} bands_out;

static clsolve_status factors_slice(void *what, int64_t d) {
    const bands_out *all = what;
    cls_slices *s = all->slices;
    clsolve_batch AFB = {0};
    if (all->AFB) AFB = cls_slices_of(s, d, all->AFB);
    return clsolve_band_batch_factors(s->handles[d], all->AFB ? &AFB : NULL,
                                      all->ipiv ? all->ipiv + s->firsts[d] * all->n : NULL);
}

clsolve_status clsolve_band_batch_factors(clsolve_band_batch *batch, clsolve_batch *AFB, int64_t *ipiv) {
    const char *call = "clsolve_band_batch_factors";
    if (!batch) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(begin(batch));
    clsolve_status status = validate_factored(batch, call);
    if (status == CLSOLVE_OK && AFB)
        status = validate(batch, call, "AFB", AFB, 2 * batch->kl + batch->ku + 1, batch->n, 1);
    const clsolve_batch *const views[] = {AFB};
    if (status == CLSOLVE_OK) status = cls_slices_check_host(&batch->slices, call, 0, views, 1);
    if (status != CLSOLVE_OK) return end(batch, status, NULL);
    if (batch->slices.devices > 0) {
        bands_out out = {&batch->slices, AFB, ipiv, batch->n};
        return end(batch, cls_slices_each(&batch->slices, call, factors_slice, &out), NULL);
    }
    memset(batch->now, 0, (size_t)batch->count * sizeof *batch->now);
    return end(batch, cls_band_batch_factors(&batch->work, AFB, batch->now, ipiv), NULL);
}

static void report_one(const void *handle, clsolve_report *report) {
    (void)clsolve_band_batch_report(handle, report);
}

clsolve_status clsolve_band_batch_report(const clsolve_band_batch *batch, clsolve_report *report) {
    if (!batch) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    if (!report) return cls_refuse_no_report(batch->context, "clsolve_band_batch_report");
    CLS_TRY(cls_enter(batch->context));
    *report = (clsolve_report){.status = batch->status,
                               .method = "band-lu",
                               .n = batch->n,
                               .nrhs = batch->nrhs,
                               .members = batch->count,
                               .info = batch->info,
                               .member = batch->member,
                               .seconds = batch->seconds,
                               .bytes_up = batch->moved.bytes_up,
                               .bytes_down = batch->moved.bytes_down,
                               .transfers_up = batch->moved.transfers_up,
                               .transfers_down = batch->moved.transfers_down,
                               .device_bytes = batch->device_bytes,
                               .direct.rcond = -1,
                               .refinement.backward_error = -1,
                               .where = "device",
                               .where_reason = "batches of bands work on the device alone",
                               .precision = cls_is_double(batch->work.narrow.type) ? "double" : "single"};
    report->seconds.build = batch->build_seconds;
    if (batch->slices.devices > 0) cls_slices_report(&batch->slices, report_one, report);
    return cls_leave(batch->context, CLSOLVE_OK);
}
