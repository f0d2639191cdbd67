#include <clsolve/gauss_jordan_batch.h>

#include <string.h>

#include "api/context.h"
#include "api/families_enqueue.h"
#include "api/slices.h"
#include "api/validate.h"
#include "api/where.h"
#include "base/clock.h"
#include "base/memory.h"
#include "method/gauss_jordan/batch.h"
#include "method/members.h"

struct clsolve_gauss_jordan_batch {
    clsolve_context *context;
    cls_choice choice; /* on the device, or on the host */
    cls_gj_batch work;
    int32_t *infos;        /* count, of the call */
    clsolve_status status; /* of the last call */
    cls_error message;     /* see enqueue.h */
    int64_t info, member, nrhs, device_bytes;
    double create_seconds, build_seconds;
    int one_phase;           /* the work takes no longer than reads of the clock do: its phases are not told apart */
    clsolve_seconds seconds; /* of the last call */
    cls_counters before;     /* the device's when it began */
    double start;
    cls_counters moved; /* what it has moved */
    cls_slices slices;  /* over several devices; then `work` has sizes alone */
};

typedef struct job {
    const char *call;
    clsolve_op op;
    const clsolve_batch *A;
    clsolve_batch *B; /* B of the systems, or X of the inverses */
    int inverse;
    int64_t *info;
} job;

/* ---- create, destroy ---- */

static clsolve_status validate_create(clsolve_context *context, int64_t n, int64_t count, clsolve_type type,
                                      const clsolve_gauss_jordan_batch_options *options) {
    cls_error *error = &context->error;
    const char *call = "clsolve_gauss_jordan_batch_create";

    if (n < 0 || count < 0)
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: n is %lld and count %lld: sizes start at 0", call,
                        (long long)n, (long long)count);
    CLS_TRY(cls_validate_type(error, call, "type", type, CLS_ALL_TYPES));
    if (options) CLS_TRY(CLS_VALIDATE_RESERVED(error, call, options->reserved));
    if (n > CLSOLVE_GAUSS_JORDAN_BATCH_LARGEST)
        return cls_fail(error, CLSOLVE_ERROR_UNSUPPORTED,
                        "%s: n is %lld; batches go up to %d: use clsolve_gauss_jordan for each", call, (long long)n,
                        CLSOLVE_GAUSS_JORDAN_BATCH_LARGEST);
    return cls_validate_extent(error, CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY, call, count, n * n);
}

/* On the host, the elements of all members. */
static int work_is_brief(const cls_gj_batch *work) {
    enum { FEW = 4096 };
    return work->device->no_kernels && work->count <= FEW && work->n <= FEW && work->count * work->n * work->n <= FEW;
}

static void destroy_one(void *handle) {
    clsolve_gauss_jordan_batch_destroy(handle);
}

static const char create_call[] = "clsolve_gauss_jordan_batch_create";

static clsolve_status create(clsolve_context *context, const cls_task *task, clsolve_where where,
                             clsolve_gauss_jordan_batch *batch) {
    double start = cls_seconds();

    batch->context = context;
    CLS_TRY(cls_where_choose(context, create_call, task, where, 1, &batch->choice));
    cls_device *device = batch->choice.device;
    int64_t bytes = device->counters.buffer_bytes;
    CLS_TRY(cls_validate_double(device, create_call, task->type));
    batch->infos = cls_alloc((size_t)task->count, sizeof *batch->infos);
    if (!batch->infos)
        return cls_fail(&context->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a batch's infos");
    CLS_TRY(cls_gj_batch_setup(device, task->n, task->count, task->type, &batch->work));
    batch->device_bytes = device->counters.buffer_bytes - bytes;
    batch->one_phase = work_is_brief(&batch->work);
    batch->create_seconds = cls_seconds() - start;
    return CLSOLVE_OK;
}

static void release(clsolve_gauss_jordan_batch *batch) {
    if (batch->slices.devices == 0) cls_gj_batch_release(&batch->work);
    cls_slices_release(&batch->slices, destroy_one);
    cls_free(batch->infos);
    cls_free(batch);
}

/* A handle that works on the context's own device. */
static clsolve_status make_one(clsolve_context *context, const cls_task *task, clsolve_where where,
                               clsolve_gauss_jordan_batch **batch) {
    CLS_TRY(cls_enter(context));
    clsolve_gauss_jordan_batch *made = cls_alloc(1, sizeof *made);
    if (!made)
        return cls_leave(context, cls_fail(&context->error, CLSOLVE_ERROR_OUT_OF_MEMORY,
                                           "no host memory for a handle of small matrices"));
    clsolve_status status = create(context, task, where, made);
    if (status == CLSOLVE_OK)
        *batch = made;
    else
        release(made);
    return cls_leave(context, status);
}

/* ---- several devices ---- */

typedef struct slices_to_make {
    cls_slices *slices;
    cls_task task;
    clsolve_where where;
} slices_to_make;

static clsolve_status make_slice(void *what, int64_t d) {
    const slices_to_make *all = what;
    cls_slices *s = all->slices;
    cls_task part = all->task;
    clsolve_gauss_jordan_batch *made;
    part.count = s->firsts[d + 1] - s->firsts[d];
    CLS_TRY(make_one(cls_context_of(s->context, d), &part, cls_slices_where(s, d, all->where), &made));
    s->handles[d] = made;
    return CLSOLVE_OK;
}

static clsolve_status create_slices(clsolve_context *context, const cls_task *task, clsolve_where where,
                                    clsolve_gauss_jordan_batch *batch) {
    double start = cls_seconds();
    slices_to_make all = {&batch->slices, *task, where};
    batch->work = (cls_gj_batch){.device = context->device, .type = task->type, .n = task->n, .count = task->count};
    CLS_TRY(cls_slices_each(&batch->slices, create_call, make_slice, &all));
    batch->create_seconds = cls_seconds() - start;
    return CLSOLVE_OK;
}

/* Where the host is faster than the lead, it is left to the host; else over all devices of the context. */
static clsolve_status make(clsolve_context *context, const cls_task *task, clsolve_where where,
                           clsolve_gauss_jordan_batch **batch) {
    cls_choice choice;
    if (clsolve_context_device_count(context) == 1) return make_one(context, task, where, batch);
    CLS_TRY(cls_where_choose(context, create_call, task, where, 1, &choice));
    if (choice.device != context->device) return make_one(context, task, where, batch);
    clsolve_gauss_jordan_batch *made = cls_alloc(1, sizeof *made);
    if (!made)
        return cls_fail(&context->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a handle of small matrices");
    double bytes = (double)task->count * (double)(task->n * task->n * cls_type_size(task->type));
    made->context = context;
    made->choice = choice;
    clsolve_status status = cls_slices_setup(&made->slices, context, create_call, task, bytes, 0);
    const int dealt = made->slices.devices > 0;
    if (status == CLSOLVE_OK && dealt) status = create_slices(context, task, where, made);
    if (status == CLSOLVE_OK && dealt)
        *batch = made;
    else
        release(made);
    return status != CLSOLVE_OK || dealt ? status : make_one(context, task, where, batch);
}

clsolve_status clsolve_gauss_jordan_batch_create(clsolve_context *context, int64_t n, int64_t count, clsolve_type type,
                                                 const clsolve_gauss_jordan_batch_options *options,
                                                 clsolve_gauss_jordan_batch **batch) {
    if (batch) *batch = NULL;
    if (!context) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_enter(context));
    if (!batch)
        return cls_leave(context,
                         cls_fail(&context->error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                                  "clsolve_gauss_jordan_batch_create: batch is NULL: give the address of a pointer"));
    clsolve_status status = validate_create(context, n, count, type, options);
    if (status != CLSOLVE_OK) return cls_leave(context, status);

    const cls_task task = {.family = CLS_FAMILY_BATCH, .type = type, .n = n, .count = count};
    return cls_leave(context, make(context, &task, options ? options->where : CLSOLVE_WHERE_AUTO, batch));
}

void clsolve_gauss_jordan_batch_destroy(clsolve_gauss_jordan_batch *batch) {
    if (!batch) return;
    clsolve_context *context = batch->context;
    if (cls_enter(context) != CLSOLVE_OK) return;
    release(batch);
    (void)cls_leave(context, CLSOLVE_OK);
}

/* ---- validation ---- */

static clsolve_status validate_view(clsolve_gauss_jordan_batch *batch, const char *call, const char *name,
                                    const clsolve_batch *view, int64_t cols, int written) {
    const cls_gj_batch *work = &batch->work;
    cls_error *error = &batch->context->error;

    CLS_TRY(cls_validate_batch(error, call, name, view, work->type, work->n, cols, written));
    if (view->count == work->count) return cls_members_fit(work->device, view);
    return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: %s has %lld members, the handle %lld", call, name,
                    (long long)view->count, (long long)work->count);
}

static clsolve_status validate(clsolve_gauss_jordan_batch *batch, const job *j) {
    cls_error *error = &batch->context->error;
    int64_t n = batch->work.n;

    CLS_TRY(cls_validate_op(error, j->call, j->op));
    CLS_TRY(validate_view(batch, j->call, "A", j->A, n, 0));
    CLS_TRY(validate_view(batch, j->call, j->inverse ? "X" : "B", j->B, j->inverse ? n : -1, 1));
    if (!j->info && batch->work.count > 0)
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: info is NULL: it alone tells of singular members",
                        j->call);
    return CLSOLVE_OK;
}

/* ---- invert, solve ---- */

static void note_build(clsolve_gauss_jordan_batch *batch, double *build) {
    cls_where_built(batch->context, &batch->choice, CLS_FAMILY_BATCH, batch->work.type);
    *build = batch->work.device->build_seconds - *build;
    batch->build_seconds += *build;
}

static clsolve_status stream(clsolve_gauss_jordan_batch *batch, const job *j) {
    cls_gj_batch *work = &batch->work;
    double build = work->device->build_seconds;

    CLS_TRY(cls_gj_batch_stream(work, j->A, j->B, batch->infos, &batch->seconds));
    note_build(batch, &build);
    batch->seconds.upload -= build; /* the kernel is asked for while the first slice comes */
    return CLSOLVE_OK;
}

/* The clock, where phases are told apart. */
static double now(const clsolve_gauss_jordan_batch *batch) {
    return batch->one_phase ? 0 : cls_seconds();
}

/* The infos of all, of members that the kernel left to the host as well. */
static clsolve_status read_infos(clsolve_gauss_jordan_batch *batch, const cls_gj_call *call) {
    cls_gj_batch *work = &batch->work;
    CLS_TRY(cls_gj_batch_infos(work, batch->infos));
    return cls_gj_batch_again(work, call->inverse ? 0 : call->B->cols, &call->from, &call->to, 0, work->count,
                              batch->infos);
}

/* The host waits once where the results are in their place: reading the infos waits for the kernel too. */
static clsolve_status run_call(clsolve_gauss_jordan_batch *batch, cls_gj_call *call) {
    cls_gj_batch *work = &batch->work;
    double start = now(batch), build = work->device->build_seconds;

    CLS_TRY(cls_gj_batch_up(work, call));
    batch->seconds.upload = now(batch) - start;

    start = now(batch);
    CLS_TRY(cls_gj_batch_run(work, call->inverse ? 0 : call->B->cols, &call->from, &call->to));
    CLS_TRY(call->b ? read_infos(batch, call) : cls_gj_batch_finish(work));
    note_build(batch, &build);
    batch->seconds.factor = now(batch) - start - build;
    if (call->b) return CLSOLVE_OK;

    start = now(batch);
    CLS_TRY(read_infos(batch, call));
    CLS_TRY(cls_gj_batch_down(work, call, batch->infos));
    batch->seconds.download = now(batch) - start;
    return CLSOLVE_OK;
}

static clsolve_status run(clsolve_gauss_jordan_batch *batch, const job *j) {
    cls_gj_call call = {.A = j->A, .B = j->B, .op = j->op, .inverse = j->inverse};

    if (j->inverse && cls_gj_batch_can_stream(&batch->work, j->A, j->B)) return stream(batch, j);
    clsolve_status status = run_call(batch, &call);
    cls_gj_batch_leave(&batch->work, &call);
    return status;
}

static clsolve_status run_job(clsolve_gauss_jordan_batch *batch, const job *j) {
    int64_t count = batch->work.count;

    batch->nrhs = j->B->cols;
    memset(batch->infos, 0, (size_t)count * sizeof *batch->infos);
    if (count > 0 && batch->work.n > 0 && j->B->cols > 0) CLS_TRY(run(batch, j));
    for (int64_t m = count - 1; m >= 0; --m) {
        j->info[m] = batch->infos[m];
        if (batch->infos[m] == 0) continue;
        batch->info = batch->infos[m];
        batch->member = m + 1;
    }
    return CLSOLVE_OK;
}

static clsolve_status call_one(clsolve_gauss_jordan_batch *batch, const job *j, const cls_enqueue *how) {
    const char *const names[] = {"A", j->inverse ? "X" : "B"};
    const clsolve_batch *const views[] = {j->A, j->B};
    clsolve_context *context = batch->context;
    cls_device *device = batch->choice.device;

    CLS_TRY(cls_enter(context));
    clsolve_status status = validate(batch, j);
    if (status == CLSOLVE_OK) status = cls_enqueue_check_batches(context, how, names, views, 2);
    if (status != CLSOLVE_OK && how) return cls_leave(context, status); /* it changes nothing */

    batch->info = batch->member = batch->nrhs = 0;
    memset(&batch->seconds, 0, sizeof batch->seconds);
    batch->before = device->counters;
    batch->start = cls_seconds();
    if (status == CLSOLVE_OK && how) status = cls_enqueue_begin(context, how);
    if (status == CLSOLVE_OK) status = run_job(batch, j);
    batch->moved = cls_counters_since(&device->counters, &batch->before);
    batch->device_bytes += device->counters.buffer_bytes - batch->before.buffer_bytes;
    batch->seconds.total = cls_seconds() - batch->start;
    if (batch->one_phase && status == CLSOLVE_OK) batch->seconds.factor = batch->seconds.total;
    if (how) return cls_leave(context, cls_enqueue_end(context, how, status, &batch->status, &batch->message));
    batch->status = status;
    batch->message.text[0] = 0;
    return cls_leave(context, status);
}

/* ---- several devices: the same, in slices ---- */

typedef struct sliced_job {
    cls_slices *slices;
    const job *all;
} sliced_job;

static clsolve_status call_slice(void *what, int64_t d) {
    const sliced_job *sliced = what;
    cls_slices *s = sliced->slices;
    job j = *sliced->all;
    const clsolve_batch A = cls_slices_of(s, d, j.A);
    clsolve_batch B = cls_slices_of(s, d, j.B);
    j.A = &A;
    j.B = &B;
    j.info = s->infos + s->firsts[d];
    return call_one(s->handles[d], &j, NULL);
}

static clsolve_status call_slices(clsolve_gauss_jordan_batch *batch, const job *j, const cls_enqueue *how) {
    cls_slices *s = &batch->slices;
    sliced_job sliced = {s, j};
    CLS_TRY(cls_slices_check_host(s, j->call, how != NULL, (const clsolve_batch *const[]){j->A, j->B}, 2));
    batch->info = batch->member = batch->nrhs = 0;
    batch->start = cls_seconds();
    clsolve_status status = validate(batch, j);
    if (status == CLSOLVE_OK) {
        batch->nrhs = j->B->cols;
        status = cls_slices_each(s, j->call, call_slice, &sliced);
    }
    if (status == CLSOLVE_OK) cls_slices_tell(s, j->info, &batch->info, &batch->member);
    batch->seconds.total = cls_seconds() - batch->start;
    batch->status = status;
    return status;
}

static clsolve_status call(clsolve_gauss_jordan_batch *batch, const job *j, const cls_enqueue *how) {
    if (batch->slices.devices == 0) return call_one(batch, j, how);
    CLS_TRY(cls_enter(batch->context));
    return cls_leave(batch->context, call_slices(batch, j, how));
}

clsolve_status clsolve_gauss_jordan_batch_invert(clsolve_gauss_jordan_batch *batch, const clsolve_batch *A,
                                                 clsolve_batch *X, int64_t *info) {
    job j = {"clsolve_gauss_jordan_batch_invert", CLSOLVE_NO_TRANS, A, X, 1, info};
    return batch ? call(batch, &j, NULL) : CLSOLVE_ERROR_INVALID_ARGUMENT;
}

clsolve_status clsolve_gauss_jordan_batch_solve(clsolve_gauss_jordan_batch *batch, clsolve_op op,
                                                const clsolve_batch *A, clsolve_batch *B, int64_t *info) {
    job j = {"clsolve_gauss_jordan_batch_solve", op, A, B, 0, info};
    return batch ? call(batch, &j, NULL) : CLSOLVE_ERROR_INVALID_ARGUMENT;
}

clsolve_status cls_gauss_jordan_batch_enqueue_invert(clsolve_gauss_jordan_batch *batch, const clsolve_batch *A,
                                                     clsolve_batch *X, int64_t *info, const cls_enqueue *how) {
    job j = {how->call, CLSOLVE_NO_TRANS, A, X, 1, info};
    return batch ? call(batch, &j, how) : CLSOLVE_ERROR_INVALID_ARGUMENT;
}

clsolve_status cls_gauss_jordan_batch_enqueue_solve(clsolve_gauss_jordan_batch *batch, clsolve_op op,
                                                    const clsolve_batch *A, clsolve_batch *B, int64_t *info,
                                                    const cls_enqueue *how) {
    job j = {how->call, op, A, B, 0, info};
    return batch ? call(batch, &j, how) : CLSOLVE_ERROR_INVALID_ARGUMENT;
}

clsolve_status clsolve_gauss_jordan_batch_status(clsolve_gauss_jordan_batch *batch) {
    if (!batch) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_enter(batch->context));
    return cls_leave(batch->context, cls_enqueue_tell(batch->context, batch->status, &batch->message));
}

/* ---- report ---- */

static void report_one(const void *handle, clsolve_report *report) {
    (void)clsolve_gauss_jordan_batch_report(handle, report);
}

clsolve_status clsolve_gauss_jordan_batch_report(const clsolve_gauss_jordan_batch *batch, clsolve_report *report) {
    if (!batch) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    if (!report) return cls_refuse_no_report(batch->context, "clsolve_gauss_jordan_batch_report");
    CLS_TRY(cls_enter(batch->context));
    *report = (clsolve_report){.status = batch->status,
                               .method = "gauss-jordan",
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
