/* tridiagonal_batch.c: the family of batches of tridiagonal matrices (batch.h). */
#include <clsolve/tridiagonal_batch.h>

#include "api/batch_call.h"
#include "api/validate.h"
#include "method/block_gs/members.h"
#include "method/block_gs/members_host.h"

struct clsolve_tridiagonal_batch {
    cls_batch batch;
    cls_bt_members work; /* of an empty batch, or on the host, all zeros */
    cls_host_lines host; /* of an empty batch, or on the device, all zeros */
};

static clsolve_tridiagonal_batch *mine(cls_batch *batch) {
    return (clsolve_tridiagonal_batch *)batch;
}

static int is_empty(const cls_batch *batch) {
    return batch->shape.n == 0 || batch->shape.count == 0;
}

static int is_on_host(const cls_batch *batch) {
    return batch->head.choice.device->no_kernels;
}

/* ---- create ---- */

static const char create_call[] = "clsolve_tridiagonal_batch_create";

static clsolve_status check(clsolve_context *context, const cls_batch_shape *shape, int alone) {
    enum { LONGEST = INT32_MAX - 16 }; /* a kernel's int holds the row of a zero pivot */
    cls_error *error = &context->error;
    const char *call = create_call;

    CLS_TRY(cls_validate_extent(error, CLSOLVE_ERROR_INVALID_ARGUMENT, call, shape->n, shape->count));
    CLS_TRY(cls_validate_pivoting(error, call, shape->pivoting, CLS_PIVOTINGS_OF_ROWS));
    if (shape->n > LONGEST)
        return cls_fail(error, CLSOLVE_ERROR_UNSUPPORTED, "%s: n is %lld; members go up to %lld unknowns", call,
                        (long long)shape->n, (long long)LONGEST);
    if (alone && shape->pivoting == CLSOLVE_PIVOTING_NONE &&
        (shape->where == CLSOLVE_WHERE_HOST || context->device->no_kernels))
        return cls_fail(error, CLSOLVE_ERROR_UNSUPPORTED,
                        "%s: without row exchanges lines are solved by kernels, and the host has none: with "
                        "CLSOLVE_PIVOTING_AUTO it solves them",
                        call);
    return CLSOLVE_OK;
}

static double elements(const cls_batch_shape *shape) {
    return 4.0 * (double)shape->n;
}

static clsolve_status setup(cls_batch *batch) {
    const cls_batch_shape *s = &batch->shape;
    cls_device *device = batch->head.choice.device;
    if (is_empty(batch)) return CLSOLVE_OK;
    if (is_on_host(batch)) return cls_host_lines_setup(device, s->n, s->count, s->type, &mine(batch)->host);
    CLS_TRY(cls_bt_members_setup(device, s->n, s->count, s->type, s->pivoting, &mine(batch)->work));
    cls_where_built(batch->head.context, &batch->head.choice);
    return CLSOLVE_OK;
}

static void release(cls_batch *batch) {
    cls_bt_members_release(&mine(batch)->work);
    cls_host_lines_release(&mine(batch)->host);
}

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

static clsolve_status check_view(cls_batch *batch, const char *call, const char *name, const clsolve_batch *view,
                                 int written) {
    cls_error *error = &batch->head.context->error;
    if (view->offsets)
        return cls_fail(error, CLSOLVE_ERROR_UNSUPPORTED,
                        "%s: %s has offsets: give members by stride, or use clsolve_band_batch", call, name);
    if (is_empty(batch) || view->cols == 0) return CLSOLVE_OK;
    if (written && !elements_apart(view))
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                        "%s: with stride %lld and ld %lld, members of %s would overlap", call, (long long)view->stride,
                        (long long)view->ld, name);
    const clsolve_grid lines = lines_of(view);
    return cls_bt_reaches(&mine(batch)->work.bt.grid, &lines, view->cols);
}

/* ---- the family ---- */

static const char *pivoting_used(const clsolve_tridiagonal_batch *lines) {
    const cls_batch *batch = &lines->batch;
    if (!batch->factored || batch->slices.devices > 0) return NULL;
    if (is_empty(batch)) return batch->shape.pivoting == CLSOLVE_PIVOTING_PARTIAL ? "partial" : "none";
    return is_on_host(batch) || lines->work.bt.grid.pivoted ? "partial" : "none";
}

static void add_report(const cls_batch *batch, clsolve_report *report) {
    static const char *const names[] = {"auto", "partial", "none"};
    report->direct.pivoting = names[batch->shape.pivoting];
    report->direct.pivoting_used = pivoting_used((const clsolve_tridiagonal_batch *)batch);
}

static const cls_batch_family family = {CLS_BATCH_KIND,
                                        .kind.create = create_call,
                                        .factor = "clsolve_tridiagonal_batch_factor",
                                        .kind.report = "clsolve_tridiagonal_batch_report",
                                        .kind.method = "tridiagonal",
                                        .kind.handle = "a handle of tridiagonal matrices",
                                        .told = "singular members",
                                        .kind.bytes = sizeof(clsolve_tridiagonal_batch),
                                        .model = CLS_FAMILY_LINES,
                                        .model_percent = 100,
                                        .check = check,
                                        .elements = elements,
                                        .setup = setup,
                                        .release = release,
                                        .check_view = check_view,
                                        .add_report = add_report};

/* ---- calls ---- */

static clsolve_status run_factor(cls_batch *batch, const cls_batch_call *call, int32_t *infos) {
    const clsolve_grid lines[3] = {lines_of(call->views[0]), lines_of(call->views[1]), lines_of(call->views[2])};
    const clsolve_grid *arrays[3] = {&lines[0], &lines[1], &lines[2]};
    if (!is_on_host(batch)) return cls_bt_members_factor(&mine(batch)->work, arrays, infos, &batch->seconds);
    batch->whole = CLS_BATCH_FACTORS;
    cls_host_lines_factor(&mine(batch)->host, arrays, infos);
    return CLSOLVE_OK;
}

static clsolve_status run_solve(cls_batch *batch, const cls_batch_call *call, int32_t *infos) {
    const clsolve_batch *B = call->views[0];
    const clsolve_grid lines = lines_of(B);
    if (!is_on_host(batch))
        return cls_bt_members_solve(&mine(batch)->work, call->op, &lines, B->cols, infos, &batch->seconds);
    batch->whole = CLS_BATCH_SOLVES;
    return cls_host_lines_solve(&mine(batch)->host, call->op, &lines, B->cols, infos);
}

static const cls_batch_verb factor = {.call = "clsolve_tridiagonal_batch_factor",
                                      .kind = CLS_BATCH_FACTOR,
                                      .arguments = {{"dl", CLS_BATCH_N, CLS_BATCH_ONE, CLS_BATCH_READ},
                                                    {"d", CLS_BATCH_N, CLS_BATCH_ONE, CLS_BATCH_READ},
                                                    {"du", CLS_BATCH_N, CLS_BATCH_ONE, CLS_BATCH_READ}},
                                      .run = run_factor};
static const cls_batch_verb solve = {.call = "clsolve_tridiagonal_batch_solve",
                                     .kind = CLS_BATCH_SOLVE,
                                     .arguments = {{"B", CLS_BATCH_N, CLS_BATCH_ANY, CLS_BATCH_WRITTEN}},
                                     .run = run_solve};

CLS_BATCH_CALLS(tridiagonal, factor, (const clsolve_batch *dl, const clsolve_batch *d, const clsolve_batch *du),
                .views = {dl, d, du})
CLS_BATCH_CALLS(tridiagonal, solve, (clsolve_op op, clsolve_batch *B), .op = op, .views = {B})

/* ---- handles ---- */

clsolve_status clsolve_tridiagonal_batch_create(clsolve_context *context, int64_t n, int64_t count, clsolve_type type,
                                                const clsolve_tridiagonal_batch_options *options,
                                                clsolve_tridiagonal_batch **batch) {
    const cls_batch_shape shape = {.n = n,
                                   .count = count,
                                   .type = type,
                                   .pivoting = options ? options->pivoting : CLSOLVE_PIVOTING_AUTO,
                                   .where = options ? options->where : CLSOLVE_WHERE_AUTO,
                                   CLS_BATCH_RESERVED(options)};
    return cls_batch_create(&family, context, &shape, batch);
}

CLS_BATCH_DESTROY(tridiagonal)
CLS_BATCH_TOLD(tridiagonal)
