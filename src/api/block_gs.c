#include <clsolve/block_gs.h>

#include <string.h>

#include "api/block_gs.h"
#include "api/validate.h"
#include "api/where.h"
#include "base/clock.h"
#include "base/memory.h"

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

static clsolve_status validate_create(clsolve_context *context, const char *call, int64_t N, int64_t M,
                                      clsolve_type type, const clsolve_block_gs_options *options) {
    cls_error *error = &context->error;

    if (N < 1 || M < 1)
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: N is %lld and M %lld: both start at 1", call,
                        (long long)N, (long long)M);
    CLS_TRY(cls_validate_extent(error, CLSOLVE_ERROR_INVALID_ARGUMENT, call, N, M));
    CLS_TRY(cls_validate_type(error, call, "type", type, CLS_ALL_TYPES));
    if (options) CLS_TRY(validate_options(error, call, options));
    return cls_validate_device(context->device, call, type);
}

static clsolve_status create(clsolve_context *context, const char *call, int64_t N, int64_t M, clsolve_type type,
                             const clsolve_block_gs_options *options, clsolve_block_gs **handle) {
    cls_device *device = context->device;
    double start = cls_seconds(), build = device->build_seconds;
    const cls_choice choice = {.device = device, .task = {.family = CLS_FAMILY_GRID, .type = type, .n = N * M}};

    CLS_TRY(validate_create(context, call, N, M, type, options));
    clsolve_block_gs *made = cls_alloc(1, sizeof *made);
    if (!made) return cls_fail(&context->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a handle");
    made->context = context;
    made->before_bytes = device->counters.buffer_bytes;
    clsolve_status status = cls_bt_setup(device, N, M, type, options, &made->bt);
    if (status != CLSOLVE_OK) {
        cls_bt_release(&made->bt);
        cls_free(made);
        return status;
    }
    cls_where_built(context, &choice);
    made->device_bytes = device->counters.buffer_bytes - made->before_bytes;
    made->build_seconds = device->build_seconds - build;
    made->create_seconds = cls_seconds() - start;
    *handle = made;
    return CLSOLVE_OK;
}

clsolve_status clsolve_block_gs_create(clsolve_context *context, int64_t N, int64_t M, clsolve_type type,
                                       const clsolve_block_gs_options *options, clsolve_block_gs **handle) {
    if (handle) *handle = NULL;
    CLS_TRY(cls_enter_create(context, "clsolve_block_gs_create", "handle", handle));
    return cls_leave(context, create(context, "clsolve_block_gs_create", N, M, type, options, handle));
}

void clsolve_block_gs_destroy(clsolve_block_gs *handle) {
    if (!handle) return;
    clsolve_context *context = handle->context;
    if (cls_enter(context) != CLSOLVE_OK) return;
    cls_bt_release(&handle->bt);
    cls_free(handle);
    (void)cls_leave(context, CLSOLVE_OK);
}

/* ---- factor ---- */

clsolve_status cls_block_gs_check_grid(clsolve_block_gs *h, const char *call, const char *name,
                                       const clsolve_grid *grid, int64_t nrhs) {
    cls_error *error = &h->context->error;
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

clsolve_status cls_block_gs_factor(clsolve_block_gs *h, const char *call, const clsolve_grid *arrays[5]) {
    cls_device *device = h->context->device;
    cls_counters before = device->counters;
    double start = cls_seconds();

    h->ready = 0;
    h->nrhs = 0;
    memset(&h->solved, 0, sizeof h->solved);
    memset(&h->solve_counts, 0, sizeof h->solve_counts);
    clsolve_status status = h->factor_status = cls_bt_factor_system(&h->bt, call, arrays, &h->factored);
    h->ready = status == CLSOLVE_OK;
    (void)cls_bt_finish(&h->bt);
    h->device_bytes = device->counters.buffer_bytes - h->before_bytes;
    h->factored.seconds.total = cls_seconds() - start;
    h->factor_counts = cls_counters_since(&device->counters, &before);
    return status;
}

clsolve_status cls_block_gs_check_factor(clsolve_block_gs *handle, const char *call, const clsolve_grid *arrays[5]) {
    const char *names[] = {"a", "c", "b", "up", "down"};
    for (int q = 0; q < 5; ++q) CLS_TRY(cls_block_gs_check_grid(handle, call, names[q], arrays[q], 1));
    return CLSOLVE_OK;
}

clsolve_status clsolve_block_gs_factor(clsolve_block_gs *handle, const clsolve_grid *up, const clsolve_grid *a,
                                       const clsolve_grid *c, const clsolve_grid *b, const clsolve_grid *down) {
    static const char call[] = "clsolve_block_gs_factor";
    const clsolve_grid *arrays[] = {a, c, b, up, down};
    if (!handle) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_enter(handle->context));
    handle->message.text[0] = 0;
    clsolve_status status = cls_block_gs_check_factor(handle, call, arrays);
    if (status == CLSOLVE_OK) status = cls_block_gs_factor(handle, call, arrays);
    handle->status = status;
    return cls_leave(handle->context, status);
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
    if (!report) return cls_refuse_no_report(handle->context, "clsolve_block_gs_report");
    const cls_bt *bt = &handle->bt;
    const clsolve_seconds *f = &handle->factored.seconds, *s = &handle->solved.seconds;
    const cls_counters *a = &handle->factor_counts, *b = &handle->solve_counts;

    CLS_TRY(cls_enter(handle->context));
    *report = (clsolve_report){.status = handle->status,
                               .method = "block-gs",
                               .n = bt->grid.N * bt->grid.M,
                               .nrhs = handle->nrhs,
                               .member = handle->factored.line,
                               .iterations = handle->solved.iterations,
                               .bytes_up = a->bytes_up + b->bytes_up,
                               .bytes_down = a->bytes_down + b->bytes_down,
                               .transfers_up = a->transfers_up + b->transfers_up,
                               .transfers_down = a->transfers_down + b->transfers_down,
                               .device_bytes = handle->device_bytes,
                               .direct.rcond = -1,
                               .refinement.backward_error = -1,
                               .block_gs = report_iteration(handle),
                               .where = "device",
                               .where_reason = "grids work on the device alone",
                               .precision = cls_is_double(bt->grid.type) ? "double" : "single"};
    report->seconds = (clsolve_seconds){.build = handle->build_seconds,
                                        .upload = f->upload + s->upload,
                                        .factor = f->factor,
                                        .solve = s->solve,
                                        .download = s->download,
                                        .total = handle->create_seconds + f->total + s->total};
    return cls_leave(handle->context, CLSOLVE_OK);
}
