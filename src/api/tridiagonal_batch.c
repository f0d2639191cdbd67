/* tridiagonal_batch.c: factorizations and solves of batches of tridiagonal matrices, and their report. */
#include "api/tridiagonal_batch.h"

#include <string.h>

#include "api/families_enqueue.h"
#include "api/validate.h"
#include "base/clock.h"

/* ---- views ---- */

/* Do no two of these numbers of elements fall on one address? Each stride must step over all that smaller strides
 * reach. */
static int elements_apart(const clsolve_batch *b) {
    const int by_column = b->layout == CLSOLVE_COLUMN_MAJOR;
    int64_t extent[3] = {b->count, b->rows, b->cols},
            stride[3] = {b->stride, by_column ? 1 : b->ld, by_column ? b->ld : 1};
    int64_t reach = 1;

    for (int turn = 0; turn < 3; ++turn) {
        int least = -1;
        for (int d = 0; d < 3; ++d)
            if (extent[d] > 1 && (least < 0 || stride[d] < stride[least])) least = d;
        if (least < 0) return 1;
        if (stride[least] < reach) return 0;
        reach += (extent[least] - 1) * stride[least];
        extent[least] = 1;
    }
    return 1;
}

/* A batch's view as one of lines: line i is member i, right-hand side r is column r. */
static clsolve_grid lines_of(const clsolve_batch *b) {
    const int by_column = b->layout == CLSOLVE_COLUMN_MAJOR;
    return (clsolve_grid){.type = b->type,
                          .line_stride = b->count > 1 ? b->stride : 1,
                          .stride = by_column ? 1 : b->ld,
                          .rhs_stride = by_column ? b->ld : 1,
                          .data = b->data,
                          .place = b->place,
                          .offset = b->offset};
}

static clsolve_status validate_view(clsolve_tridiagonal_batch *batch, const char *call, const char *name,
                                    const clsolve_batch *view, int64_t cols, int written) {
    cls_error *error = &batch->context->error;
    CLS_TRY(cls_validate_batch(error, call, name, view, batch->type, batch->n, cols, 0));
    if (view->count != batch->count)
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: %s has %lld members, the handle %lld", call, name,
                        (long long)view->count, (long long)batch->count);
    if (view->offsets)
        return cls_fail(error, CLSOLVE_ERROR_UNSUPPORTED,
                        "%s: %s has offsets: give members by stride, or use clsolve_band_batch", call, name);
    if (cls_lines_are_empty(batch) || view->cols == 0) return CLSOLVE_OK;
    if (written && !elements_apart(view))
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                        "%s: with stride %lld and ld %lld, members of %s would overlap", call, (long long)view->stride,
                        (long long)view->ld, name);
    const clsolve_grid lines = lines_of(view);
    return cls_bt_reaches(&batch->work.bt.grid, &lines, view->cols);
}

static clsolve_status validate_info(clsolve_tridiagonal_batch *batch, const char *call, const int64_t *info) {
    if (info || batch->count == 0) return CLSOLVE_OK;
    return cls_fail(&batch->context->error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                    "%s: info is NULL: it alone tells of singular members", call);
}

/* ---- factor, solve, report ---- */

static clsolve_status begin(clsolve_tridiagonal_batch *batch) {
    CLS_TRY(cls_enter(batch->context));
    batch->before = batch->choice.device->counters;
    memset(&batch->seconds, 0, sizeof batch->seconds);
    batch->whole = NULL;
    batch->start = cls_seconds();
    return CLSOLVE_OK;
}

/* The end of a call that did not enqueue. If it was to do so it changes nothing, not even the outcome that is kept. */
static clsolve_status plain_end(clsolve_tridiagonal_batch *batch, clsolve_status status, const cls_enqueue *how) {
    if (!how) batch->status = status;
    if (!how) batch->message.text[0] = 0;
    return cls_leave(batch->context, status);
}

static clsolve_status end(clsolve_tridiagonal_batch *batch, clsolve_status status, const cls_enqueue *how) {
    const cls_counters *now = &batch->choice.device->counters, *before = &batch->before;
    batch->moved = cls_counters_since(now, before);
    batch->device_bytes += now->buffer_bytes - before->buffer_bytes;
    batch->seconds.total = cls_seconds() - batch->start;
    if (batch->whole) *batch->whole = batch->seconds.total;
    if (!how) return plain_end(batch, status, how);
    return cls_leave(batch->context, cls_enqueue_end(batch->context, how, status, &batch->status, &batch->message));
}

/* The call's infos to the caller, and the first member that is not 0 to the report. */
static void tell(clsolve_tridiagonal_batch *batch, const int32_t *infos, int64_t *info) {
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

static clsolve_status factor_one(clsolve_tridiagonal_batch *batch, const clsolve_batch *const views[3]) {
    clsolve_grid lines[3];
    const clsolve_grid *arrays[3] = {&lines[0], &lines[1], &lines[2]};
    memset(batch->infos, 0, (size_t)batch->count * sizeof *batch->infos);
    if (cls_lines_are_empty(batch)) return CLSOLVE_OK;
    for (int q = 0; q < 3; ++q) lines[q] = lines_of(views[q]);
    if (!cls_lines_on_host(batch)) return cls_bt_members_factor(&batch->work, arrays, batch->infos, &batch->seconds);
    batch->whole = &batch->seconds.factor;
    cls_host_lines_factor(&batch->host, arrays, batch->infos);
    return CLSOLVE_OK;
}

static clsolve_status factor_call(clsolve_tridiagonal_batch *batch, const char *call, const clsolve_batch *views[3],
                                  int64_t *info, const cls_enqueue *how);

typedef struct lines_to_factor {
    cls_slices *slices;
    const char *call;
    const clsolve_batch *const *views;
} lines_to_factor;

static clsolve_status factor_slice(void *what, int64_t d) {
    const lines_to_factor *all = what;
    cls_slices *s = all->slices;
    const clsolve_batch parts[3] = {cls_slices_of(s, d, all->views[0]), cls_slices_of(s, d, all->views[1]),
                                    cls_slices_of(s, d, all->views[2])};
    const clsolve_batch *views[3] = {&parts[0], &parts[1], &parts[2]};
    return factor_call(s->handles[d], all->call, views, s->infos + s->firsts[d], NULL);
}

static clsolve_status factor(clsolve_tridiagonal_batch *batch, const char *call, const clsolve_batch *const views[3]) {
    lines_to_factor all = {&batch->slices, call, views};
    return batch->slices.devices > 0 ? cls_slices_each(&batch->slices, call, factor_slice, &all)
                                     : factor_one(batch, views);
}

static clsolve_status factor_call(clsolve_tridiagonal_batch *batch, const char *call, const clsolve_batch *views[3],
                                  int64_t *info, const cls_enqueue *how) {
    static const char *const names[3] = {"dl", "d", "du"};
    clsolve_context *context = batch->context;
    CLS_TRY(begin(batch));
    clsolve_status status = cls_slices_check_host(&batch->slices, call, how != NULL, views, 3);
    if (status == CLSOLVE_OK) status = validate_info(batch, call, info);
    for (int q = 0; q < 3 && status == CLSOLVE_OK; ++q) status = validate_view(batch, call, names[q], views[q], 1, 0);
    if (status == CLSOLVE_OK) status = cls_enqueue_check_batches(context, how, names, views, 3);
    if (status != CLSOLVE_OK) return plain_end(batch, status, how);
    if (how) status = cls_enqueue_begin(context, how);
    batch->factored = 0;
    batch->nrhs = 0;
    if (status == CLSOLVE_OK) status = factor(batch, call, views);
    batch->factored = status == CLSOLVE_OK;
    if (status == CLSOLVE_OK) tell(batch, batch->infos, info);
    return end(batch, status, how);
}

clsolve_status clsolve_tridiagonal_batch_factor(clsolve_tridiagonal_batch *batch, const clsolve_batch *dl,
                                                const clsolve_batch *d, const clsolve_batch *du, int64_t *info) {
    const clsolve_batch *views[3] = {dl, d, du};
    if (!batch) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    return factor_call(batch, "clsolve_tridiagonal_batch_factor", views, info, NULL);
}

clsolve_status cls_tridiagonal_batch_enqueue_factor(clsolve_tridiagonal_batch *batch, const clsolve_batch *dl,
                                                    const clsolve_batch *d, const clsolve_batch *du, int64_t *info,
                                                    const cls_enqueue *how) {
    const clsolve_batch *views[3] = {dl, d, du};
    return batch ? factor_call(batch, how->call, views, info, how) : CLSOLVE_ERROR_INVALID_ARGUMENT;
}

static clsolve_status solve_one(clsolve_tridiagonal_batch *batch, clsolve_op op, const clsolve_batch *B) {
    memcpy(batch->now, batch->infos, (size_t)batch->count * sizeof *batch->now);
    if (cls_lines_are_empty(batch) || B->cols == 0) return CLSOLVE_OK;
    const clsolve_grid lines = lines_of(B);
    if (!cls_lines_on_host(batch))
        return cls_bt_members_solve(&batch->work, op, &lines, B->cols, batch->now, &batch->seconds);
    batch->whole = &batch->seconds.solve;
    return cls_host_lines_solve(&batch->host, op, &lines, B->cols, batch->now);
}

static clsolve_status solve_call(clsolve_tridiagonal_batch *batch, const char *call, clsolve_op op,
                                 const clsolve_batch *B, int64_t *info, const cls_enqueue *how);

typedef struct lines_to_solve {
    cls_slices *slices;
    const char *call;
    clsolve_op op;
    const clsolve_batch *B;
} lines_to_solve;

static clsolve_status solve_slice(void *what, int64_t d) {
    const lines_to_solve *all = what;
    cls_slices *s = all->slices;
    const clsolve_batch B = cls_slices_of(s, d, all->B);
    return solve_call(s->handles[d], all->call, all->op, &B, s->infos + s->firsts[d], NULL);
}

static clsolve_status solve(clsolve_tridiagonal_batch *batch, const char *call, clsolve_op op, const clsolve_batch *B) {
    lines_to_solve all = {&batch->slices, call, op, B};
    return batch->slices.devices > 0 ? cls_slices_each(&batch->slices, call, solve_slice, &all)
                                     : solve_one(batch, op, B);
}

static clsolve_status solve_call(clsolve_tridiagonal_batch *batch, const char *call, clsolve_op op,
                                 const clsolve_batch *B, int64_t *info, const cls_enqueue *how) {
    clsolve_context *context = batch->context;
    CLS_TRY(begin(batch));
    cls_error *error = &context->error;
    clsolve_status status = cls_slices_check_host(&batch->slices, call, how != NULL, &B, 1);
    if (status == CLSOLVE_OK && !batch->factored)
        status = cls_fail(error, CLSOLVE_ERROR_STATE, "%s: call clsolve_tridiagonal_batch_factor first", call);
    if (status == CLSOLVE_OK) status = cls_validate_op(error, call, op);
    if (status == CLSOLVE_OK) status = validate_view(batch, call, "B", B, -1, 1);
    if (status == CLSOLVE_OK) status = validate_info(batch, call, info);
    if (status == CLSOLVE_OK) status = cls_enqueue_check_batches(context, how, (const char *const[]){"B"}, &B, 1);
    if (status != CLSOLVE_OK) return plain_end(batch, status, how);
    if (how) status = cls_enqueue_begin(context, how);
    batch->nrhs = B->cols;
    if (status == CLSOLVE_OK) status = solve(batch, call, op, B);
    if (status == CLSOLVE_OK) tell(batch, batch->now, info);
    return end(batch, status, how);
}

clsolve_status clsolve_tridiagonal_batch_solve(clsolve_tridiagonal_batch *batch, clsolve_op op, clsolve_batch *B,
                                               int64_t *info) {
    if (!batch) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    return solve_call(batch, "clsolve_tridiagonal_batch_solve", op, B, info, NULL);
}

clsolve_status cls_tridiagonal_batch_enqueue_solve(clsolve_tridiagonal_batch *batch, clsolve_op op, clsolve_batch *B,
                                                   int64_t *info, const cls_enqueue *how) {
    return batch ? solve_call(batch, how->call, op, B, info, how) : CLSOLVE_ERROR_INVALID_ARGUMENT;
}

clsolve_status clsolve_tridiagonal_batch_status(clsolve_tridiagonal_batch *batch) {
    if (!batch) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_enter(batch->context));
    return cls_leave(batch->context, cls_enqueue_tell(batch->context, batch->status, &batch->message));
}

static const char *pivoting_used(const clsolve_tridiagonal_batch *batch) {
    if (!batch->factored || batch->slices.devices > 0) return NULL;
    if (cls_lines_are_empty(batch)) return batch->pivoting == CLSOLVE_PIVOTING_PARTIAL ? "partial" : "none";
    return cls_lines_on_host(batch) || batch->work.bt.grid.pivoted ? "partial" : "none";
}

static void report_one(const void *handle, clsolve_report *report) {
    (void)clsolve_tridiagonal_batch_report(handle, report);
}

clsolve_status clsolve_tridiagonal_batch_report(const clsolve_tridiagonal_batch *batch, clsolve_report *report) {
    static const char *const names[] = {"auto", "partial", "none"};
    if (!batch) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    if (!report) return cls_refuse_no_report(batch->context, "clsolve_tridiagonal_batch_report");
    CLS_TRY(cls_enter(batch->context));
    *report = (clsolve_report){.status = batch->status,
                               .method = "tridiagonal",
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
                               .direct.pivoting = names[batch->pivoting],
                               .direct.pivoting_used = pivoting_used(batch),
                               .refinement.backward_error = -1,
                               .precision = cls_is_double(batch->type) ? "double" : "single"};
    report->seconds.build = batch->build_seconds;
    cls_where_report(&batch->choice, report);
    if (batch->slices.devices > 0) cls_slices_report(&batch->slices, report_one, report);
    return cls_leave(batch->context, CLSOLVE_OK);
}
