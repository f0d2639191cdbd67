#include "api/block_gs.h"

#include "api/door.h"
#include "api/validate.h"
#include "base/clock.h"

/* ---- create, destroy ---- */

static clsolve_status validate_options(cls_error *error, const char *call, const clsolve_block_gs_options *o) {
    if ((int)o->method < 0 || o->method > CLSOLVE_BLOCK_GS_COCG || (int)o->preconditioner < 0 ||
        o->preconditioner > CLSOLVE_BLOCK_GS_PRECONDITIONER_NONE || (int)o->cycle < 0 ||
        o->cycle > CLSOLVE_BLOCK_GS_CYCLE_F)
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                        "%s: method %d, preconditioner %d or cycle %d is none that there is", call, (int)o->method,
                        (int)o->preconditioner, (int)o->cycle);
    CLS_TRY(CLS_VALIDATE_RESERVED(error, call, o->reserved));
    CLS_TRY(cls_validate_pivoting(error, call, o->pivoting, CLS_PIVOTINGS_OF_ROWS));
    if (o->smooth_before < 0 || o->smooth_after < 0 || o->sweeps < 0 || o->max_iterations < 0)
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                        "%s: smooth_before, smooth_after, sweeps or max_iterations is below 0", call);
    if (o->max_iterations > CLS_BT_MOST_ITERATIONS || o->sweeps > CLS_BT_MOST_ITERATIONS)
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                        "%s: max_iterations %lld or sweeps %lld is above %lld, of which a history can be kept", call,
                        (long long)o->max_iterations, (long long)o->sweeps, (long long)CLS_BT_MOST_ITERATIONS);
    if (!(o->tolerance >= 0 && o->tolerance < 1))
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: tolerance is %g: give 0 (chosen) or less than 1",
                        call, o->tolerance);
    if (!(o->omega >= 0 && o->omega < 2))
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                        "%s: omega is %g: give 0 (estimated) or a number between 0 and 2", call, o->omega);
    CLS_TRY(cls_validate_flag(error, call, "sequential", o->sequential));
    CLS_TRY(cls_validate_flag(error, call, "jacobi", o->jacobi));
    CLS_TRY(cls_validate_flag(error, call, "single_precision", o->single_precision));
    return cls_validate_flag(error, call, "zero_guess", o->zero_guess);
}

typedef struct grid_asked {
    int64_t N, M;
    clsolve_type type;
    const clsolve_block_gs_options *options;
} grid_asked;

static clsolve_status check_create(clsolve_context *context, const void *asked) {
    static const char call[] = "clsolve_block_gs_create";
    const grid_asked *grid = asked;
    cls_error *error = &context->error;

    if (grid->N < 1 || grid->M < 1)
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: N is %lld and M %lld: both start at 1", call,
                        (long long)grid->N, (long long)grid->M);
    CLS_TRY(cls_validate_extent(error, CLSOLVE_ERROR_INVALID_ARGUMENT, call, grid->N, grid->M));
    CLS_TRY(cls_validate_type(error, call, "type", grid->type, CLS_ALL_TYPES));
    if (grid->options) CLS_TRY(validate_options(error, call, grid->options));
    return cls_validate_device(context->device, call, grid->type);
}

static clsolve_status setup(cls_head *head, const void *asked) {
    const grid_asked *grid = asked;
    cls_device *device = head->choice.device;

    head->choice.task = (cls_task){.family = CLS_FAMILY_GRID, .type = grid->type, .n = grid->N * grid->M};
    CLS_TRY(cls_bt_setup(device, grid->N, grid->M, grid->type, grid->options, &((clsolve_block_gs *)head)->bt));
    cls_where_built(head->context, &head->choice);
    return CLSOLVE_OK;
}

static void release(cls_head *head) {
    cls_bt_release(&((clsolve_block_gs *)head)->bt);
}

static const cls_head_kind kind = {
    CLS_HEAD_KIND(block_gs),         .argument = "handle",  .handle = "a handle", .method = "block-gs",
    .device_alone = CLS_GRIDS_ALONE, .check = check_create, .setup = setup,       .release = release};

clsolve_status clsolve_block_gs_create(clsolve_context *context, int64_t N, int64_t M, clsolve_type type,
                                       const clsolve_block_gs_options *options, clsolve_block_gs **handle) {
    return cls_head_create(&kind, context, &(grid_asked){N, M, type, options}, handle);
}

void clsolve_block_gs_destroy(clsolve_block_gs *handle) {
    cls_head_destroy((cls_head *)handle);
}

/* ---- arguments ---- */

static clsolve_status check_grid(clsolve_block_gs *h, const char *call, const char *name, const clsolve_grid *grid,
                                 int64_t nrhs) {
    cls_error *error = &h->head.context->error;
    const cls_bt_grid *g = &h->bt.grid;

    if (!grid || !grid->data)
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: %s or its data is NULL", call, name);
    if (grid->type != g->type)
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: %s is of type %d where the handle is of %d", call,
                        name, (int)grid->type, (int)g->type);
    if (grid->stride < 1 || grid->line_stride < 1 || (nrhs > 1 && grid->rhs_stride < 1))
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                        "%s: the strides of %s are %lld, %lld, %lld: each is at least 1", call, name,
                        (long long)grid->line_stride, (long long)grid->stride, (long long)grid->rhs_stride);
    if (!cls_is_countable(g->M, grid->stride) || !cls_is_countable(g->N, grid->line_stride) ||
        (nrhs > 1 && !cls_is_countable(nrhs, grid->rhs_stride)))
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: the strides of %s reach beyond any memory", call,
                        name);
    if ((grid->place != CLSOLVE_ON_HOST && grid->place != CLSOLVE_ON_DEVICE) || grid->offset < 0 ||
        grid->offset > CLS_MOST_ELEMENTS || (grid->place == CLSOLVE_ON_HOST && grid->offset != 0))
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                        "%s: %s has place %d and offset %lld: give CLSOLVE_ON_HOST with 0, or CLSOLVE_ON_DEVICE", call,
                        name, (int)grid->place, (long long)grid->offset);
    return cls_bt_reaches(&h->bt.grid, grid, nrhs);
}

/* ---- factor ---- */

static clsolve_status check_factor(clsolve_block_gs *h, const char *call, const cls_enqueue *how,
                                   const clsolve_grid *const arrays[5]) {
    static const char *const names[] = {"a", "c", "b", "up", "down"};
    clsolve_place places[5];
    for (int q = 0; q < 5; ++q) {
        CLS_TRY(check_grid(h, call, names[q], arrays[q], 1));
        places[q] = arrays[q]->place;
    }
    return cls_enqueue_check(h->head.context, how, "grid", 5, names, places);
}

static clsolve_status factor_now(clsolve_block_gs *h, const char *call, const clsolve_grid *arrays[5]) {
    const cls_head *head = &h->head;

    h->ready = 0;
    h->nrhs = 0;
    h->solved = (cls_bt_solved){0};
    h->solve_counts = (cls_counters){0};
    const clsolve_status status = cls_bt_factor_system(&h->bt, call, arrays, &h->factored);
    h->head.outcome = cls_enqueue_is_outcome(status) ? status : CLSOLVE_OK;
    h->ready = status == CLSOLVE_OK;
    (void)cls_bt_finish(&h->bt);
    h->factored.seconds.total = cls_seconds() - head->start;
    h->factor_counts = cls_counters_since(&head->choice.device->counters, &head->before);
    return status;
}

/* arrays: a, c, b, up, down; NULL where all is 0. */
static clsolve_status factor(clsolve_block_gs *h, const char *call, const cls_enqueue *how,
                             const clsolve_grid *arrays[5]) {
    CLS_TRY(cls_head_enter((cls_head *)h));
    clsolve_status status = check_factor(h, call, how, arrays);
    if (status == CLSOLVE_OK) status = cls_head_begin(&h->head, how);
    if (status == CLSOLVE_OK) status = factor_now(h, call, arrays);
    return cls_head_end(&h->head, how, status);
}

clsolve_status clsolve_block_gs_factor(clsolve_block_gs *handle, const clsolve_grid *up, const clsolve_grid *a,
                                       const clsolve_grid *c, const clsolve_grid *b, const clsolve_grid *down) {
    return factor(handle, "clsolve_block_gs_factor", NULL, (const clsolve_grid *[]){a, c, b, up, down});
}

clsolve_status clsolve_block_gs_factor_enqueue(clsolve_block_gs *handle, const clsolve_grid *up, const clsolve_grid *a,
                                               const clsolve_grid *c, const clsolve_grid *b, const clsolve_grid *down,
                                               const clsolve_events *events) {
    const cls_enqueue how = cls_enqueue_as("clsolve_block_gs_factor_enqueue", events);
    return factor(handle, how.call, &how, (const clsolve_grid *[]){a, c, b, up, down});
}

/* ---- solve ---- */

void cls_block_gs_aim(clsolve_block_gs *handle, double tolerance) {
    if (cls_enter(handle->head.context) != CLSOLVE_OK) return;
    handle->bt.options.tolerance = tolerance;
    (void)cls_leave(handle->head.context, CLSOLVE_OK);
}

static clsolve_status check_sides(clsolve_block_gs *h, const char *call, const cls_enqueue *how,
                                  const cls_bt_sides *s) {
    static const char *const names[] = {"F", "Y"};
    if (s->nrhs < 1)
        return cls_fail(&h->head.context->error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: nrhs is %lld: give 1 or more",
                        call, (long long)s->nrhs);
    CLS_TRY(check_grid(h, call, "F", s->F, s->nrhs));
    CLS_TRY(check_grid(h, call, "Y", s->Y, s->nrhs));
    const clsolve_place places[] = {s->F->place, s->Y->place};
    CLS_TRY(cls_enqueue_check(h->head.context, how, "grid", 2, names, places));
    if (h->ready || (how && h->head.outcome != CLSOLVE_OK)) return CLSOLVE_OK;
    return cls_fail(&h->head.context->error, CLSOLVE_ERROR_STATE,
                    "%s: call clsolve_block_gs_factor, and let it succeed, first", call);
}

static clsolve_status solve_now(clsolve_block_gs *h, const char *call, const cls_bt_sides *sides) {
    const cls_head *head = &h->head;
    h->nrhs = sides->nrhs;
    const clsolve_status status = cls_bt_solve_system(&h->bt, call, sides, &h->solved);
    h->solved.seconds.total = cls_seconds() - head->start;
    h->solve_counts = cls_counters_since(&head->choice.device->counters, &head->before);
    return status;
}

/* Y in the caller's buffer is written behind the iteration. It must be there for other queues when the call ends. */
static clsolve_status finish(clsolve_block_gs *h, const cls_bt_sides *s, clsolve_status status) {
    if (!s->F || !s->Y || (s->F->place != CLSOLVE_ON_DEVICE && s->Y->place != CLSOLVE_ON_DEVICE)) return status;
    const clsolve_status finished = cls_bt_finish(&h->bt);
    return status >= 0 && finished != CLSOLVE_OK ? finished : status;
}

/* From the guess Y, or from zero. */
static clsolve_status solve(clsolve_block_gs *h, const char *call, const cls_enqueue *how, const clsolve_grid *F,
                            const clsolve_grid *Y, int64_t nrhs) {
    CLS_TRY(cls_head_enter((cls_head *)h));
    const cls_bt_sides sides = {F, h->bt.options.zero_guess ? NULL : Y, Y, nrhs};
    clsolve_status status = check_sides(h, call, how, &sides);
    if (status == CLSOLVE_OK && how && h->head.outcome != CLSOLVE_OK) return cls_head_tell_outcome(&h->head, how);
    if (status == CLSOLVE_OK) status = cls_head_begin(&h->head, how);
    if (status == CLSOLVE_OK) status = solve_now(h, call, &sides);
    if (!how) status = finish(h, &sides, status);
    return cls_head_end(&h->head, how, status);
}

clsolve_status clsolve_block_gs_solve(clsolve_block_gs *handle, const clsolve_grid *F, clsolve_grid *Y, int64_t nrhs) {
    return solve(handle, "clsolve_block_gs_solve", NULL, F, Y, nrhs);
}

clsolve_status clsolve_block_gs_solve_enqueue(clsolve_block_gs *handle, const clsolve_grid *F, clsolve_grid *Y,
                                              int64_t nrhs, const clsolve_events *events) {
    const cls_enqueue how = cls_enqueue_as("clsolve_block_gs_solve_enqueue", events);
    return solve(handle, how.call, &how, F, Y, nrhs);
}

clsolve_status clsolve_block_gs_status(clsolve_block_gs *handle) {
    return cls_head_status((cls_head *)handle);
}

/* ---- report ---- */

static clsolve_report_block_gs report_iteration(const clsolve_block_gs *handle) {
    const cls_bt *bt = &handle->bt;
    const int64_t levels = bt->single_ready ? bt->single.levels : bt->grid.levels;
    return (clsolve_report_block_gs){.method = bt->method,
                                     .reason = bt->reason,
                                     .relative_residual = handle->solved.residual,
                                     .history = bt->history,
                                     .history_count = bt->history_count,
                                     .omega = bt->options.method == CLSOLVE_BLOCK_GS_SOR ? bt->omega : 0,
                                     .symmetric = bt->grid.symmetric != CLS_BT_GENERAL,
                                     .singular = bt->grid.singular,
                                     .pivoted = bt->grid.pivoted,
                                     .levels = bt->has_levels ? levels : 0,
                                     .failed = handle->solved.failed,
                                     .first_failed = handle->solved.first_failed};
}

clsolve_status clsolve_block_gs_report(const clsolve_block_gs *handle, clsolve_report *report) {
    if (!handle) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    const cls_bt_grid *grid = &handle->bt.grid;
    const clsolve_seconds *f = &handle->factored.seconds, *s = &handle->solved.seconds;
    const cls_counters *a = &handle->factor_counts, *b = &handle->solve_counts;
    const cls_head *head = &handle->head;

    CLS_TRY(cls_head_report_begin(head, grid->type, grid->N * grid->M, report));
    report->nrhs = handle->nrhs;
    report->member = handle->factored.line;
    report->iterations = handle->solved.iterations;
    report->bytes_up = a->bytes_up + b->bytes_up;
    report->bytes_down = a->bytes_down + b->bytes_down;
    report->transfers_up = a->transfers_up + b->transfers_up;
    report->transfers_down = a->transfers_down + b->transfers_down;
    report->block_gs = report_iteration(handle);
    report->seconds = (clsolve_seconds){.build = head->build_seconds,
                                        .upload = f->upload + s->upload,
                                        .factor = f->factor,
                                        .solve = s->solve,
                                        .download = s->download,
                                        .total = head->create_seconds + f->total + s->total};
    return cls_head_report_end(head, report);
}
