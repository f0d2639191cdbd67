/* block_gs_solve.c: the solve of block-tridiagonal systems: right-hand sides in portions, what became of each. */
#include <stdio.h>
#include <string.h>

#include "api/block_gs.h"
#include "base/clock.h"

/* Right-hand sides first .. first + count - 1. */
typedef struct portion {
    const clsolve_grid *F, *Y, *to; /* Y NULL: from zero; the solution goes to `to` */
    int64_t nrhs, first, count;
} portion;

static clsolve_status load(clsolve_block_gs *h, const char *call, const portion *p) {
    cls_bt *bt = &h->bt;
    int finite;

    CLS_TRY(cls_bt_reserve(bt, p->count));
    CLS_TRY(cls_bt_upload(&bt->grid, p->F, p->first, p->count, bt->F, 0, NULL));
    if (p->Y) CLS_TRY(cls_bt_upload(&bt->grid, p->Y, p->first, p->count, bt->Y, 0, NULL));
    if (!p->Y) CLS_TRY(cls_bt_guess_zeros(bt, p->count));
    CLS_TRY(cls_bt_scale_in(bt, &finite));
    if (!finite) return cls_fail(&h->context->error, CLSOLVE_ERROR_NONFINITE, "%s: F or Y holds NaN or Inf", call);
    return CLSOLVE_OK;
}

/* Columns that leave the type's range stay as they were. */
static clsolve_status store(clsolve_block_gs *h, const portion *p) {
    cls_bt *bt = &h->bt;
    CLS_TRY(cls_bt_scale_out(bt));
    for (int64_t r = 0, end; r < p->count; r = end) {
        int over = bt->sizes[r] < 0;
        for (end = r + 1; end < p->count && (bt->sizes[end] < 0) == over; ++end) continue;
        if (!over) CLS_TRY(cls_bt_download(&bt->grid, bt->Y, r * bt->grid.level[0].size, p->to, p->first + r, end - r));
        if (over && h->overflowed == 0) h->first_overflowed = p->first + r + 1;
        if (over) h->overflowed += end - r;
    }
    return CLSOLVE_OK;
}

/* One portion; what it was like is added to what is told of all. */
static clsolve_status solve_portion(clsolve_block_gs *h, const char *call, const portion *p) {
    cls_bt *bt = &h->bt;
    clsolve_seconds *seconds = &h->solve_seconds;
    double start = cls_seconds();

    CLS_TRY(load(h, call, p));
    seconds->upload += cls_seconds() - start;
    start = cls_seconds();
    clsolve_status status = cls_bt_solve(bt);
    if (status < 0) return status;
    CLS_TRY(cls_bt_finish(bt));
    seconds->solve += cls_seconds() - start;
    start = cls_seconds();
    CLS_TRY(store(h, p));
    seconds->download += cls_seconds() - start;
    if (bt->failed > 0 && h->failed == 0) h->first_failed = p->first + bt->first_failed;
    h->failed += bt->failed;
    if (bt->iterations > h->iterations) h->iterations = bt->iterations;
    if (!(bt->residual <= h->residual) || p->first == 0) h->residual = bt->residual;
    return CLSOLVE_OK;
}

/* How the iteration ended, of a portion that did not converge. */
static const char *how_it_ended(const cls_bt *bt) {
    switch (bt->ended) {
    case CLS_BT_BROKEN:
        return "diverging";
    case CLS_BT_STALLED:
        return "at a standstill";
    case CLS_BT_CONVERGED:
        return "where rounding holds it";
    default:
        return "its limit";
    }
}

static clsolve_status explain(clsolve_block_gs *h, const char *call, int64_t nrhs) {
    const cls_bt *bt = &h->bt;
    char which[96] = "";

    if (h->overflowed > 0)
        return cls_fail(
            &h->context->error, CLSOLVE_OVERFLOW,
            "%s: the solution leaves the type's range, of right-hand side %lld of %lld first: that is as it was", call,
            (long long)h->first_overflowed, (long long)nrhs);
    if (h->failed == 0) return CLSOLVE_OK;
    if (nrhs > 1)
        (void)snprintf(which, sizeof which, " of right-hand side %lld of %lld%s", (long long)h->first_failed,
                       (long long)nrhs, h->failed > 1 ? " and others" : ", the others being solved");
    return cls_fail(
        &h->context->error, CLSOLVE_NOT_CONVERGED,
        "%s: %s stopped after %lld iteration%s, %s, at the relative residual %.3g%s, above the tolerance %.3g%s", call,
        bt->method, (long long)h->iterations, h->iterations == 1 ? "" : "s", how_it_ended(bt), h->residual, which,
        bt->options.tolerance,
        bt->grid.singular
            ? "; all row sums are zero: F is not in the matrix's range, or the iteration does not do for this matrix"
            : "; clsolve/band.h's LU needs no convergence");
}

/* So many right-hand sides at once as memory allows, with what the method takes beside F and Y. */
static int64_t portion_of(const clsolve_block_gs *h) {
    enum { MOST = 65535 }; /* a grid's second number has 16 bits on some devices */
    const cls_bt *bt = &h->bt;
    int direct = bt->options.method == CLSOLVE_BLOCK_GS_SWEEPS;
    int64_t each = bt->grid.level[0].size * cls_type_size(bt->grid.type) * (direct ? 4 : 2 * CLS_BT_RESTART + 12);
    int64_t room = h->context->device->info.global_memory / 2 / each;
    return room < 1 ? 1 : room < MOST ? room : MOST;
}

static clsolve_status solve_all(clsolve_block_gs *h, const char *call, portion p) {
    int64_t most = portion_of(h);
    /* Nothing is written before all is known to be finite. */
    for (int64_t r = 0; r < p.nrhs && p.nrhs > most; r += most) {
        p.first = r;
        p.count = p.nrhs - r < most ? p.nrhs - r : most;
        CLS_TRY(load(h, call, &p));
    }
    for (int64_t r = 0; r < p.nrhs; r += most) {
        p.first = r;
        p.count = p.nrhs - r < most ? p.nrhs - r : most;
        CLS_TRY(solve_portion(h, call, &p));
    }
    return CLSOLVE_OK;
}

/* `Y` NULL: from zero, and the solution goes to `to`. */
clsolve_status cls_block_gs_solve(clsolve_block_gs *h, const char *call, const clsolve_grid *F, const clsolve_grid *Y,
                                  const clsolve_grid *to, int64_t nrhs) {
    cls_device *device = h->context->device;
    cls_counters before = device->counters;
    double begin = cls_seconds();

    memset(&h->solve_seconds, 0, sizeof h->solve_seconds);
    h->nrhs = nrhs;
    h->failed = h->first_failed = h->overflowed = h->first_overflowed = h->iterations = 0;
    h->residual = 0;
    CLS_TRY(solve_all(h, call, (portion){F, Y, to, nrhs, 0, nrhs}));
    h->solve_seconds.total = cls_seconds() - begin;
    h->device_bytes = device->counters.buffer_bytes - h->before_bytes;
    h->solve_counts = cls_counters_since(&device->counters, &before);
    return explain(h, call, nrhs);
}

static clsolve_status check_ready(clsolve_block_gs *h, const char *call) {
    if (h->ready) return CLSOLVE_OK;
    return cls_fail(&h->context->error, CLSOLVE_ERROR_STATE,
                    "%s: call clsolve_block_gs_factor, and let it succeed, first", call);
}

clsolve_status cls_block_gs_check_sides(clsolve_block_gs *h, const char *call, const clsolve_grid *F,
                                        const clsolve_grid *Y, int64_t nrhs) {
    if (nrhs < 1)
        return cls_fail(&h->context->error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: nrhs is %lld: give 1 or more", call,
                        (long long)nrhs);
    CLS_TRY(cls_block_gs_check_grid(h, call, "F", F, nrhs));
    return cls_block_gs_check_grid(h, call, "Y", Y, nrhs);
}

clsolve_status cls_block_gs_check_solve(clsolve_block_gs *h, const char *call, const clsolve_grid *F,
                                        const clsolve_grid *Y, int64_t nrhs) {
    CLS_TRY(cls_block_gs_check_sides(h, call, F, Y, nrhs));
    return check_ready(h, call);
}

clsolve_status clsolve_block_gs_solve(clsolve_block_gs *handle, const clsolve_grid *F, clsolve_grid *Y, int64_t nrhs) {
    static const char call[] = "clsolve_block_gs_solve";
    if (!handle) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    cls_enter(handle->context);
    handle->message.text[0] = 0;
    clsolve_status status = cls_block_gs_check_solve(handle, call, F, Y, nrhs);
    if (status == CLSOLVE_OK)
        status = cls_block_gs_solve(handle, call, F, handle->bt.options.zero_guess ? NULL : Y, Y, nrhs);
    handle->status = status;
    return cls_leave(handle->context, status);
}
