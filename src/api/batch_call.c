#include "api/batch_call.h"

#include <stdio.h>
#include <string.h>

#include "api/validate.h"
#include "base/clock.h"
#include "base/type.h"
#include "method/members.h"

/* ---- validation ---- */

static int64_t size_of(const cls_batch_shape *shape, cls_batch_size size) {
    switch (size) {
    case CLS_BATCH_N:
        return shape->n;
    case CLS_BATCH_ONE:
        return 1;
    case CLS_BATCH_ENTRIES:
        return shape->entries;
    case CLS_BATCH_BAND:
        return shape->kl + shape->ku + 1;
    case CLS_BATCH_BAND_FACTORS:
        return 2 * shape->kl + shape->ku + 1;
    case CLS_BATCH_ANY:
        break;
    }
    return -1;
}

static clsolve_status validate_view(cls_batch *batch, const cls_batch_call *call, int v) {
    const struct cls_batch_argument *argument = &call->verb->arguments[v];
    const cls_batch_family *family = batch->family;
    const cls_batch_shape *shape = &batch->shape;
    const clsolve_batch *view = call->views[v];
    cls_error *error = &batch->head.context->error;
    const int written = argument->use != CLS_BATCH_READ;

    if (!view && argument->use == CLS_BATCH_WANTED) return CLSOLVE_OK;
    if (shape->orders)
        return cls_validate_ragged(error, call->name, argument->name, view, shape->type,
                                   &(cls_orders){shape->orders, shape->n, shape->count}, argument->cols == CLS_BATCH_N,
                                   written);
    CLS_TRY(cls_validate_batch(error, call->name, argument->name, view, shape->type, size_of(shape, argument->rows),
                               size_of(shape, argument->cols), written && !family->check_view));
    if (view->count != shape->count)
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: %s has %lld members, the handle %lld", call->name,
                        argument->name, (long long)view->count, (long long)shape->count);
    return family->check_view ? family->check_view(batch, call->name, argument->name, view, written)
                              : cls_members_fit(batch->head.choice.device, view);
}

static int views_of(const cls_batch_verb *verb) {
    int views = 0;
    while (views < CLS_BATCH_VIEWS && verb->arguments[views].name) ++views;
    return views;
}

static clsolve_status validate(cls_batch *batch, const cls_batch_call *call, const cls_enqueue *how) {
    const cls_batch_verb *verb = call->verb;
    const cls_batch_kind kind = verb->kind;
    const int views = views_of(verb);
    cls_error *error = &batch->head.context->error;
    const char *names[CLS_BATCH_VIEWS];
    clsolve_place places[CLS_BATCH_VIEWS];

    for (int v = 0; v < views; ++v) names[v] = verb->arguments[v].name;
    CLS_TRY(cls_slices_check_host(&batch->slices, call->name, how != NULL, call->views, views));
    if ((kind == CLS_BATCH_SOLVE || kind == CLS_BATCH_EXPORT) && !batch->factored)
        return cls_fail(error, CLSOLVE_ERROR_STATE, "%s: call %s first", call->name, batch->family->factor);
    CLS_TRY(cls_validate_op(error, call->name, call->op));
    CLS_TRY(cls_validate_uplo(error, call->name, call->uplo));
    for (int v = 0; v < views; ++v) CLS_TRY(validate_view(batch, call, v));
    if (!call->info && !(how && verb->may_stay) && kind != CLS_BATCH_EXPORT && batch->shape.count > 0)
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: info is NULL: it alone tells of %s", call->name,
                        batch->family->told);
    for (int v = 0; v < views && how; ++v) places[v] = call->views[v]->place;
    return cls_enqueue_check(batch->head.context, how, "batch", views, names, places);
}

/* ---- the work ---- */

/* Members of order 0 have determinants. */
static int is_empty(const cls_batch *batch, const cls_batch_call *call) {
    int empty = (batch->shape.n == 0 && !call->each[0]) || batch->shape.count == 0;
    for (int v = 0; v < CLS_BATCH_VIEWS; ++v) empty = empty || (call->views[v] && call->views[v]->cols == 0);
    return empty;
}

/* The first member whose info is not 0 to the report. */
static void note(cls_batch *batch, int64_t m, int64_t info) {
    batch->info = info;
    batch->member = m + 1;
}

static void note_told(cls_batch *batch) {
    int64_t m = 0;
    while (m < batch->shape.count && batch->told[m] == 0) ++m;
    if (m < batch->shape.count) note(batch, m, batch->told[m]);
}

/* Infos that stayed on the device come to the host. */
static clsolve_status settle(cls_batch *batch) {
    const int owed = batch->owed;
    batch->owed = 0;
    if (owed & CLS_BATCH_OWES_INFOS) CLS_TRY(batch->family->fetch(batch, 0));
    if (owed & CLS_BATCH_OWES_LATER) {
        memcpy(batch->now, batch->infos, (size_t)batch->shape.count * sizeof *batch->now);
        CLS_TRY(batch->family->fetch(batch, 1));
    }
    if (owed) note_told(batch);
    return CLSOLVE_OK;
}

static clsolve_status run_one(cls_batch *batch, const cls_batch_call *call) {
    const cls_batch_kind kind = call->verb->kind;
    const int fresh = kind == CLS_BATCH_FACTOR || kind == CLS_BATCH_WHOLE;
    int32_t *infos = fresh ? batch->infos : batch->now;
    const size_t bytes = (size_t)batch->shape.count * sizeof *infos;

    if (fresh) batch->owed = 0;
    if (batch->stays) {
        CLS_TRY(call->verb->run(batch, call, NULL));
        batch->owed |= fresh ? CLS_BATCH_OWES_INFOS : CLS_BATCH_OWES_LATER;
        batch->told = infos;
        return CLSOLVE_OK;
    }
    CLS_TRY(settle(batch));
    if (kind != CLS_BATCH_EXPORT) batch->told = NULL;
    if (fresh)
        memset(infos, 0, bytes);
    else
        memcpy(infos, batch->infos, bytes);
    if (!is_empty(batch, call)) CLS_TRY(call->verb->run(batch, call, infos));
    if (kind == CLS_BATCH_EXPORT) return CLSOLVE_OK;
    for (int64_t m = 0; call->info && m < batch->shape.count; ++m) call->info[m] = infos[m];
    batch->told = infos;
    note_told(batch);
    return CLSOLVE_OK;
}

typedef struct sliced_call {
    cls_batch *batch;
    const cls_batch_call *all;
} sliced_call;

/* Rows of the members before that one. */
static int64_t rows_before(const cls_batch_shape *shape, int64_t first) {
    int64_t rows = 0;
    for (int64_t m = 0; shape->orders && m < first; ++m) rows += shape->orders[m];
    return shape->orders ? rows : first * shape->n;
}

static clsolve_status run_slice(void *what, int64_t d) {
    const sliced_call *sliced = what;
    cls_slices *s = &sliced->batch->slices;
    const int64_t first = s->firsts[d];
    clsolve_batch parts[CLS_BATCH_VIEWS];
    cls_batch_call call = *sliced->all;
    for (int v = 0; v < CLS_BATCH_VIEWS; ++v) {
        if (!call.views[v]) continue;
        parts[v] = cls_slices_of(s, d, call.views[v]);
        call.views[v] = &parts[v];
    }
    if (call.info) call.info = s->infos + first;
    if (call.ipiv) call.ipiv += rows_before(&sliced->batch->shape, first);
    for (int k = 0; k < CLS_BATCH_NUMBERS; ++k)
        if (call.numbers[k])
            call.numbers[k] +=
                first * (call.each[k] == CLS_BATCH_PARTS ? cls_type_parts(sliced->batch->shape.type) : call.each[k]);
    if (call.inertias) call.inertias += first;
    return cls_batch_run(s->handles[d], &call);
}

static clsolve_status run_slices(cls_batch *batch, const cls_batch_call *call) {
    cls_slices *s = &batch->slices;
    sliced_call sliced = {batch, call};
    CLS_TRY(cls_slices_each(s, call->name, run_slice, &sliced));
    if (!call->info) return CLSOLVE_OK;
    memcpy(call->info, s->infos, (size_t)batch->shape.count * sizeof *s->infos);
    int64_t m = 0;
    while (m < batch->shape.count && s->infos[m] == 0) ++m;
    if (m < batch->shape.count) note(batch, m, s->infos[m]);
    return CLSOLVE_OK;
}

/* An export tells no infos: the report keeps those of the call before. */
static clsolve_status run(cls_batch *batch, const cls_batch_call *call) {
    const cls_batch_kind kind = call->verb->kind;
    if (kind != CLS_BATCH_EXPORT) batch->info = batch->member = batch->nrhs = 0;
    if (kind == CLS_BATCH_SOLVE || kind == CLS_BATCH_WHOLE) batch->nrhs = call->views[views_of(call->verb) - 1]->cols;
    if (kind == CLS_BATCH_FACTOR || kind == CLS_BATCH_WHOLE) batch->factored = 0;
    CLS_TRY(batch->slices.devices > 0 ? run_slices(batch, call) : run_one(batch, call));
    if (kind == CLS_BATCH_FACTOR) batch->factored = 1;
    return CLSOLVE_OK;
}

/* ---- the call ---- */

/* A call that is refused took no time. */
static void forget(cls_batch *batch) {
    memset(&batch->seconds, 0, sizeof batch->seconds);
    batch->whole = CLS_BATCH_NO_PHASE;
}

static clsolve_status make_call(cls_batch *batch, const cls_batch_call *asked, const cls_enqueue *how) {
    CLS_TRY(cls_head_enter((cls_head *)batch));
    cls_batch_call call = *asked;
    call.name = how ? how->call : call.verb->call;
    clsolve_status status = validate(batch, &call, how);
    if (status == CLSOLVE_OK || !how) forget(batch);
    if (status == CLSOLVE_OK) status = cls_head_begin(&batch->head, how);
    if (status == CLSOLVE_OK) {
        batch->stays =
            how && !call.info && call.verb->may_stay && !is_empty(batch, &call) && call.verb->may_stay(batch, &call);
        status = run(batch, &call);
    }
    return cls_head_end(&batch->head, how, status);
}

clsolve_status cls_batch_run(cls_batch *batch, const cls_batch_call *call) {
    return make_call(batch, call, NULL);
}

clsolve_status cls_batch_enqueue(cls_batch *batch, const cls_batch_call *call, const clsolve_events *events) {
    char name[64];

    (void)snprintf(name, sizeof name, "%s_enqueue", call->verb->call);
    const cls_enqueue how = cls_enqueue_as(name, events);
    return make_call(batch, call, &how);
}

/* A failure is the outcome of the handle from then on. */
static clsolve_status settle_and_keep(cls_batch *batch) {
    const clsolve_status status = settle(batch);
    if (status == CLSOLVE_OK) return CLSOLVE_OK;
    batch->head.status = status;
    cls_enqueue_save(batch->head.context, status, &batch->head.message);
    return status;
}

clsolve_status cls_batch_status(cls_batch *batch) {
    CLS_TRY(cls_head_enter((cls_head *)batch));
    (void)settle_and_keep(batch);
    return cls_leave(batch->head.context,
                     cls_enqueue_tell(batch->head.context, batch->head.status, &batch->head.message));
}

static clsolve_status get_infos(cls_batch *batch, const char *name, int64_t *info) {
    cls_error *error = &batch->head.context->error;
    if (!batch->factored) return cls_fail(error, CLSOLVE_ERROR_STATE, "%s: call %s first", name, batch->family->factor);
    if (batch->shape.count > 0) CLS_TRY(cls_validate_pointer(error, name, "info", info));
    if (batch->slices.devices > 0) {
        memcpy(info, batch->slices.infos, (size_t)batch->shape.count * sizeof *info);
        return CLSOLVE_OK;
    }
    CLS_TRY(settle_and_keep(batch));
    const int32_t *told = batch->told ? batch->told : batch->infos;
    for (int64_t m = 0; m < batch->shape.count; ++m) info[m] = told[m];
    return CLSOLVE_OK;
}

clsolve_status cls_batch_infos(cls_batch *batch, const char *name, int64_t *info) {
    CLS_TRY(cls_head_enter((cls_head *)batch));
    return cls_leave(batch->head.context, get_infos(batch, name, info));
}
