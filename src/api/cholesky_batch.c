#include <clsolve/cholesky_batch.h>

#include <string.h>

#include "api/context.h"
#include "api/families_enqueue.h"
#include "api/slices.h"
#include "api/validate.h"
#include "api/where.h"
#include "base/clock.h"
#include "base/memory.h"
#include "method/cholesky/batch.h"
#include "method/members.h"

struct clsolve_cholesky_batch {
    clsolve_context *context;
    cls_choice choice; /* on the device, or on the host */
    cls_cholesky_batch work;
    int32_t *infos, *now; /* count each: of the last factorization, and of the call */
    int factored;
    clsolve_status status; /* of the last call */
    cls_error message;     /* the line that belongs to `status`, when that is an enqueued call's; else empty */
    int64_t info, member, nrhs, device_bytes;
    double create_seconds, build_seconds;
    clsolve_seconds seconds;
    cls_counters before, moved; /* the device's when the call began; what it has moved */
    cls_slices slices;          /* over several devices; then `work` has sizes alone */
};

/* ---- create, destroy ---- */

static const char create_call[] = "clsolve_cholesky_batch_create";

static clsolve_status validate_create(clsolve_context *context, int64_t n, int64_t count, clsolve_type type,
                                      const clsolve_cholesky_batch_options *options) {
    cls_error *error = &context->error;

    if (n < 0 || count < 0)
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: n is %lld and count %lld: sizes start at 0",
                        create_call, (long long)n, (long long)count);
    CLS_TRY(cls_validate_type(error, create_call, "type", type, CLS_ALL_TYPES));
    if (options) CLS_TRY(CLS_VALIDATE_RESERVED(error, create_call, options->reserved));
    if (n > CLSOLVE_CHOLESKY_BATCH_LARGEST)
        return cls_fail(error, CLSOLVE_ERROR_UNSUPPORTED,
                        "%s: n is %lld; batches go up to %d: use clsolve_cholesky for each", create_call, (long long)n,
                        CLSOLVE_CHOLESKY_BATCH_LARGEST);
    return cls_validate_extent(error, CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY, create_call, count, n * n);
}

/* A factorization has a sixth of the operations of an inverse: the model has batches of inverses, of any order. */
static cls_task task_of(int64_t n, int64_t count, clsolve_type type) {
    return (cls_task){.family = CLS_FAMILY_BATCH, .type = type, .n = (55 * n + 99) / 100, .count = count};
}

static void destroy_one(void *handle) {
    clsolve_cholesky_batch_destroy(handle);
}

static void release(clsolve_cholesky_batch *batch) {
    if (batch->slices.devices == 0) cls_cholesky_batch_release(&batch->work);
    cls_slices_release(&batch->slices, destroy_one);
    cls_free(batch->infos);
    cls_free(batch->now);
    cls_free(batch);
}

/* `like` has the sizes. */
static clsolve_status create(clsolve_context *context, const cls_cholesky_batch *like, clsolve_where where,
                             clsolve_cholesky_batch *batch) {
    const double start = cls_seconds();
    const cls_task task = task_of(like->n, like->count, like->type);

    batch->context = context;
    CLS_TRY(cls_where_choose(context, create_call, &task, where, 1, &batch->choice));
    cls_device *device = batch->choice.device;
    const int64_t bytes = device->counters.buffer_bytes;
    CLS_TRY(cls_validate_double(device, create_call, like->type));
    batch->infos = cls_alloc((size_t)like->count, sizeof *batch->infos);
    batch->now = cls_alloc((size_t)like->count, sizeof *batch->now);
    if (!batch->infos || !batch->now)
        return cls_fail(&context->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a batch's infos");
    CLS_TRY(cls_cholesky_batch_setup(device, like->n, like->count, like->type, &batch->work));
    batch->device_bytes = device->counters.buffer_bytes - bytes;
    batch->create_seconds = cls_seconds() - start;
    return CLSOLVE_OK;
}

static clsolve_cholesky_batch *new_handle(clsolve_context *context) {
    clsolve_cholesky_batch *made = cls_alloc(1, sizeof *made);
    if (!made)
        (void)cls_fail(&context->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a handle of small matrices");
    return made;
}

/* A handle that works on the context's own device. */
static clsolve_status make_one(clsolve_context *context, const cls_cholesky_batch *like, clsolve_where where,
                               clsolve_cholesky_batch **batch) {
    CLS_TRY(cls_enter(context));
    clsolve_cholesky_batch *made = new_handle(context);
    if (!made) return cls_leave(context, CLSOLVE_ERROR_OUT_OF_MEMORY);
    const clsolve_status status = create(context, like, where, made);
    if (status == CLSOLVE_OK)
        *batch = made;
    else
        release(made);
    return cls_leave(context, status);
}

/* ---- several devices ---- */

typedef struct slices_to_make {
    cls_slices *slices;
    const cls_cholesky_batch *like;
    clsolve_where where;
} slices_to_make;

static clsolve_status make_slice(void *what, int64_t d) {
    const slices_to_make *all = what;
    cls_slices *s = all->slices;
    cls_cholesky_batch like = *all->like;
    clsolve_cholesky_batch *made;
    like.count = s->firsts[d + 1] - s->firsts[d];
    CLS_TRY(make_one(cls_context_of(s->context, d), &like, cls_slices_where(s, d, all->where), &made));
    s->handles[d] = made;
    return CLSOLVE_OK;
}

/* Where the host is faster than the lead, it is left to the host; else over all devices of the context. */
static clsolve_status make(clsolve_context *context, const cls_cholesky_batch *like, clsolve_where where,
                           clsolve_cholesky_batch **batch) {
    const cls_task task = task_of(like->n, like->count, like->type);
    const double bytes = (double)like->count * (double)(like->n * like->n * cls_type_size(like->type));
    const double start = cls_seconds();
    cls_choice choice;

    if (clsolve_context_device_count(context) == 1) return make_one(context, like, where, batch);
    CLS_TRY(cls_where_choose(context, create_call, &task, where, 1, &choice));
    if (choice.device != context->device) return make_one(context, like, where, batch);
    clsolve_cholesky_batch *made = new_handle(context);
    if (!made) return CLSOLVE_ERROR_OUT_OF_MEMORY;
    made->context = context;
    made->choice = choice;
    clsolve_status status = cls_slices_setup(&made->slices, context, create_call, &task, bytes, 0);
    const int dealt = made->slices.devices > 0;
    if (status == CLSOLVE_OK && dealt) {
        slices_to_make all = {&made->slices, like, where};
        made->work = *like;
        status = cls_slices_each(&made->slices, create_call, make_slice, &all);
        made->create_seconds = cls_seconds() - start;
    }
    if (status == CLSOLVE_OK && dealt)
        *batch = made;
    else
        release(made);
    return status != CLSOLVE_OK || dealt ? status : make_one(context, like, where, batch);
}

clsolve_status clsolve_cholesky_batch_create(clsolve_context *context, int64_t n, int64_t count, clsolve_type type,
                                             const clsolve_cholesky_batch_options *options,
                                             clsolve_cholesky_batch **batch) {
    if (batch) *batch = NULL;
    if (!context) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_enter(context));
    if (!batch)
        return cls_leave(context, cls_fail(&context->error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                                           "%s: batch is NULL: give the address of a pointer", create_call));
    const clsolve_status status = validate_create(context, n, count, type, options);
    if (status != CLSOLVE_OK) return cls_leave(context, status);
    const cls_cholesky_batch like = {.device = context->device, .n = n, .count = count, .type = type};
    return cls_leave(context, make(context, &like, options ? options->where : CLSOLVE_WHERE_AUTO, batch));
}

void clsolve_cholesky_batch_destroy(clsolve_cholesky_batch *batch) {
    if (!batch) return;
    clsolve_context *context = batch->context;
    if (cls_enter(context) != CLSOLVE_OK) return;
    release(batch);
    (void)cls_leave(context, CLSOLVE_OK);
}

/* ---- calls ---- */

typedef enum verb { FACTOR, SOLVE, INVERSE, FACTORS } verb;

/* `view` is A, B, X or F. */
typedef struct job {
    const char *call;
    cls_slices *slices;
    verb verb;
    clsolve_uplo uplo;
    const clsolve_batch *view;
    int64_t *info; /* FACTORS: NULL */
} job;

static const char *const calls[] = {"clsolve_cholesky_batch_factor", "clsolve_cholesky_batch_solve",
                                    "clsolve_cholesky_batch_inverse", "clsolve_cholesky_batch_factors"};
static const char *const names[] = {"A", "B", "X", "F"};

static clsolve_status validate(clsolve_cholesky_batch *batch, const job *j, int enqueues) {
    const cls_cholesky_batch *work = &batch->work;
    const clsolve_batch *view = j->view;
    const char *call = j->call;
    cls_error *error = &batch->context->error;

    CLS_TRY(cls_slices_check_host(&batch->slices, call, enqueues, &view, 1));
    if (j->verb != FACTOR && !batch->factored)
        return cls_fail(error, CLSOLVE_ERROR_STATE, "%s: call clsolve_cholesky_batch_factor first", call);
    if (j->verb != SOLVE && j->uplo != CLSOLVE_LOWER && j->uplo != CLSOLVE_UPPER)
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: uplo is %d: give CLSOLVE_LOWER or CLSOLVE_UPPER",
                        call, (int)j->uplo);
    CLS_TRY(cls_validate_batch(error, call, names[j->verb], view, work->type, work->n, j->verb == SOLVE ? -1 : work->n,
                               j->verb != FACTOR));
    if (view->count != work->count)
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: %s has %lld members, the handle %lld", call,
                        names[j->verb], (long long)view->count, (long long)work->count);
    if (!j->info && j->verb != FACTORS && work->count > 0)
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                        "%s: info is NULL: it alone tells of members that are not positive definite", call);
    return batch->slices.devices > 0 ? CLSOLVE_OK : cls_members_fit(work->device, view);
}

static clsolve_status run(clsolve_cholesky_batch *batch, const job *j) {
    cls_cholesky_batch *work = &batch->work;
    clsolve_seconds *seconds = &batch->seconds;
    int32_t *infos = j->verb == FACTOR ? batch->infos : batch->now;
    const size_t bytes = (size_t)work->count * sizeof *infos;

    if (j->verb == FACTOR)
        memset(batch->infos, 0, bytes);
    else
        memcpy(batch->now, batch->infos, bytes);
    if (work->count == 0 || work->n == 0 || j->view->cols == 0) return CLSOLVE_OK;
    switch (j->verb) {
    case FACTOR:
        CLS_TRY(cls_cholesky_batch_factor(work, j->uplo, j->view, infos, seconds));
        break;
    case SOLVE:
        CLS_TRY(cls_cholesky_batch_solve(work, j->view, infos, seconds));
        break;
    case INVERSE:
        CLS_TRY(cls_cholesky_batch_inverse(work, j->uplo, j->view, infos, seconds));
        break;
    case FACTORS:
        CLS_TRY(cls_cholesky_batch_factors(work, j->uplo, j->view, infos));
        break;
    }
    cls_where_built(batch->context, &batch->choice, CLS_FAMILY_BATCH, work->type);
    return CLSOLVE_OK;
}

static clsolve_status call(clsolve_cholesky_batch *batch, const job *j, const cls_enqueue *how);

static clsolve_status call_slice(void *what, int64_t d) {
    const job *all = what;
    cls_slices *s = all->slices;
    const clsolve_batch view = cls_slices_of(s, d, all->view);
    const job one = {all->call, NULL, all->verb, all->uplo, &view, all->info ? s->infos + s->firsts[d] : NULL};
    return call(s->handles[d], &one, NULL);
}

/* The call's infos to the caller, and the first that is not 0 to the report. */
static void tell(clsolve_cholesky_batch *batch, const job *j) {
    const int32_t *infos = j->verb == FACTOR ? batch->infos : batch->now;
    if (!j->info) return;
    if (batch->slices.devices > 0) {
        cls_slices_tell(&batch->slices, j->info, &batch->info, &batch->member);
        return;
    }
    for (int64_t m = batch->work.count - 1; m >= 0; --m) {
        j->info[m] = infos[m];
        if (infos[m] == 0) continue;
        batch->info = infos[m];
        batch->member = m + 1;
    }
}

static clsolve_status call_all(clsolve_cholesky_batch *batch, const job *j) {
    job sliced = *j;
    sliced.slices = &batch->slices;
    batch->info = batch->member = 0;
    batch->nrhs = j->verb == FACTOR || j->verb == FACTORS ? 0 : j->view->cols;
    if (j->verb == FACTOR) batch->factored = 0;
    CLS_TRY(batch->slices.devices > 0 ? cls_slices_each(&batch->slices, j->call, call_slice, &sliced) : run(batch, j));
    if (j->verb == FACTOR) batch->factored = 1;
    tell(batch, j);
    return CLSOLVE_OK;
}

/* With `how` it enqueues; a call that is refused then changes nothing. */
static clsolve_status call(clsolve_cholesky_batch *batch, const job *j, const cls_enqueue *how) {
    cls_device *device = batch->work.device;
    clsolve_context *context = batch->context;

    CLS_TRY(cls_enter(context));
    clsolve_status status = validate(batch, j, how != NULL);
    if (status == CLSOLVE_OK) status = cls_enqueue_check_batches(context, how, &names[j->verb], &j->view, 1);
    if (status != CLSOLVE_OK && how) return cls_leave(context, status);
    batch->before = device->counters;
    memset(&batch->seconds, 0, sizeof batch->seconds);
    const double start = cls_seconds(), build = device->build_seconds;
    if (status == CLSOLVE_OK && how) status = cls_enqueue_begin(context, how);
    if (status == CLSOLVE_OK) status = call_all(batch, j);
    batch->moved = cls_counters_since(&device->counters, &batch->before);
    batch->device_bytes += device->counters.buffer_bytes - batch->before.buffer_bytes;
    batch->build_seconds += device->build_seconds - build;
    batch->seconds.total = cls_seconds() - start;
    if (how) return cls_leave(context, cls_enqueue_end(context, how, status, &batch->status, &batch->message));
    batch->status = status;
    batch->message.text[0] = 0;
    return cls_leave(context, status);
}

clsolve_status clsolve_cholesky_batch_factor(clsolve_cholesky_batch *batch, clsolve_uplo uplo, const clsolve_batch *A,
                                             int64_t *info) {
    const job j = {calls[FACTOR], NULL, FACTOR, uplo, A, info};
    return batch ? call(batch, &j, NULL) : CLSOLVE_ERROR_INVALID_ARGUMENT;
}

clsolve_status clsolve_cholesky_batch_solve(clsolve_cholesky_batch *batch, clsolve_batch *B, int64_t *info) {
    const job j = {calls[SOLVE], NULL, SOLVE, CLSOLVE_LOWER, B, info};
    return batch ? call(batch, &j, NULL) : CLSOLVE_ERROR_INVALID_ARGUMENT;
}

clsolve_status clsolve_cholesky_batch_factors(clsolve_cholesky_batch *batch, clsolve_uplo uplo, clsolve_batch *F) {
    const job j = {calls[FACTORS], NULL, FACTORS, uplo, F, NULL};
    return batch ? call(batch, &j, NULL) : CLSOLVE_ERROR_INVALID_ARGUMENT;
}

clsolve_status clsolve_cholesky_batch_inverse(clsolve_cholesky_batch *batch, clsolve_uplo uplo, clsolve_batch *X,
                                              int64_t *info) {
    const job j = {calls[INVERSE], NULL, INVERSE, uplo, X, info};
    return batch ? call(batch, &j, NULL) : CLSOLVE_ERROR_INVALID_ARGUMENT;
}

/* ---- calls that enqueue: they work before they return ---- */

clsolve_status cls_cholesky_batch_enqueue_factor(clsolve_cholesky_batch *batch, clsolve_uplo uplo,
                                                 const clsolve_batch *A, int64_t *info, const cls_enqueue *how) {
    const job j = {how->call, NULL, FACTOR, uplo, A, info};
    return batch ? call(batch, &j, how) : CLSOLVE_ERROR_INVALID_ARGUMENT;
}

clsolve_status cls_cholesky_batch_enqueue_solve(clsolve_cholesky_batch *batch, clsolve_batch *B, int64_t *info,
                                                const cls_enqueue *how) {
    const job j = {how->call, NULL, SOLVE, CLSOLVE_LOWER, B, info};
    return batch ? call(batch, &j, how) : CLSOLVE_ERROR_INVALID_ARGUMENT;
}

clsolve_status cls_cholesky_batch_enqueue_inverse(clsolve_cholesky_batch *batch, clsolve_uplo uplo, clsolve_batch *X,
                                                  int64_t *info, const cls_enqueue *how) {
    const job j = {how->call, NULL, INVERSE, uplo, X, info};
    return batch ? call(batch, &j, how) : CLSOLVE_ERROR_INVALID_ARGUMENT;
}

clsolve_status clsolve_cholesky_batch_status(clsolve_cholesky_batch *batch) {
    if (!batch) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_enter(batch->context));
    return cls_leave(batch->context, cls_enqueue_tell(batch->context, batch->status, &batch->message));
}

/* ---- report ---- */

static void report_one(const void *handle, clsolve_report *report) {
    (void)clsolve_cholesky_batch_report(handle, report);
}

clsolve_status clsolve_cholesky_batch_report(const clsolve_cholesky_batch *batch, clsolve_report *report) {
    if (!batch) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    if (!report) return cls_refuse_no_report(batch->context, "clsolve_cholesky_batch_report");
    CLS_TRY(cls_enter(batch->context));
    *report = (clsolve_report){.status = batch->status,
                               .method = "cholesky",
                               .n = batch->work.n,
                               .nrhs = batch->nrhs,
                               .members = batch->work.count,
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
                               .precision = cls_is_double(batch->work.type) ? "double" : "single"};
    report->seconds.build = batch->build_seconds;
    report->seconds.total += batch->create_seconds;
    cls_where_report(&batch->choice, report);
    if (batch->slices.devices > 0) cls_slices_report(&batch->slices, report_one, report);
    return cls_leave(batch->context, CLSOLVE_OK);
}
