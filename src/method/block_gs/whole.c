#include "method/block_gs/whole.h"

#include <stdio.h>

#include "base/clock.h"

/* ---- factor ---- */

static clsolve_status inspect(cls_bt *bt, const char *call) {
    cls_error *error = bt->device->error;
    double largest;
    int scaled;

    CLS_TRY(cls_bt_inspect(&bt->grid, &bt->bits, &largest));
    if (largest < 0) return cls_fail(error, CLSOLVE_ERROR_NONFINITE, "%s: a coefficient is NaN or Inf", call);
    CLS_TRY(cls_bt_scale_matrix(bt, largest, &scaled));
    if (scaled) CLS_TRY(cls_bt_inspect(&bt->grid, &bt->bits, &largest));
    if (!bt->scale) return CLSOLVE_OK;
    if (bt->bits & CLS_BT_ZERO_DIAGONAL)
        return cls_fail(error, CLSOLVE_SINGULAR, "%s: Jacobi scaling divides by the diagonal, which has a zero", call);
    CLS_TRY(cls_bt_scale_rows(bt));
    CLS_TRY(cls_bt_inspect(&bt->grid, &bt->bits, &largest)); /* rows scaled one by one are not symmetric any more */
    if (largest >= 0 && !(bt->bits & CLS_BT_BAD)) return CLSOLVE_OK;
    return cls_fail(error, CLSOLVE_OVERFLOW, "%s: a row divided by its diagonal leaves the type's range", call);
}

clsolve_status cls_bt_factor_system(cls_bt *bt, const char *call, const clsolve_grid *const arrays[5],
                                    cls_bt_factored *outcome) {
    double start = cls_seconds();
    int64_t line = -1;

    *outcome = (cls_bt_factored){0};
    CLS_TRY(cls_bt_take(bt, arrays));
    outcome->seconds.upload = cls_seconds() - start;
    start = cls_seconds();
    CLS_TRY(inspect(bt, call));
    CLS_TRY(cls_bt_prepare(bt, &line));
    CLS_TRY(cls_bt_finish(bt));
    outcome->seconds.factor = cls_seconds() - start;
    if (line < 0) return CLSOLVE_OK;
    outcome->line = line + 1;
    if (bt->options.pivoting == CLSOLVE_PIVOTING_NONE)
        return cls_fail(
            bt->device->error, CLSOLVE_SINGULAR,
            "%s: without pivoting, a pivot of line %lld, counted from 1, is exactly zero; CLSOLVE_PIVOTING_AUTO "
            "exchanges rows",
            call, (long long)outcome->line);
    return cls_fail(bt->device->error, CLSOLVE_SINGULAR,
                    "%s: the tridiagonal matrix of line %lld, counted from 1, is singular; the whole matrix need not "
                    "be: clsolve/band.h's LU tells",
                    call, (long long)outcome->line);
}

/* ---- solve ---- */

/* Right-hand sides first .. first + count - 1. */
typedef struct portion {
    const cls_bt_sides *sides;
    int64_t first, count;
} portion;

static clsolve_status load(cls_bt *bt, const char *call, const portion *p) {
    int finite;

    CLS_TRY(cls_bt_reserve(bt, p->count));
    CLS_TRY(cls_bt_upload(&bt->grid, p->sides->F, p->first, p->count, bt->F, 0, NULL));
    if (p->sides->guess) CLS_TRY(cls_bt_upload(&bt->grid, p->sides->guess, p->first, p->count, bt->Y, 0, NULL));
    if (!p->sides->guess) CLS_TRY(cls_bt_guess_zeros(bt, p->count));
    CLS_TRY(cls_bt_scale_in(bt, &finite));
    if (!finite) return cls_fail(bt->device->error, CLSOLVE_ERROR_NONFINITE, "%s: F or Y holds NaN or Inf", call);
    return CLSOLVE_OK;
}

/* Columns that leave the type's range stay as they were. */
static clsolve_status store(cls_bt *bt, const portion *p, cls_bt_solved *outcome) {
    CLS_TRY(cls_bt_scale_out(bt));
    for (int64_t r = 0, end; r < p->count; r = end) {
        int over = bt->sizes[r] < 0;
        for (end = r + 1; end < p->count && (bt->sizes[end] < 0) == over; ++end) continue;
        if (!over)
            CLS_TRY(cls_bt_download(&bt->grid, bt->Y, r * bt->grid.level[0].size, p->sides->Y, p->first + r, end - r));
        if (over && outcome->overflowed == 0) outcome->first_overflowed = p->first + r + 1;
        if (over) outcome->overflowed += end - r;
    }
    return CLSOLVE_OK;
}

/* One portion; what it was like is added to what is told of all. */
static clsolve_status solve_portion(cls_bt *bt, const char *call, const portion *p, cls_bt_solved *outcome) {
    clsolve_seconds *seconds = &outcome->seconds;
    double start = cls_seconds();

    CLS_TRY(load(bt, call, p));
    seconds->upload += cls_seconds() - start;
    start = cls_seconds();
    clsolve_status status = cls_bt_solve(bt);
    if (status < 0) return status;
    CLS_TRY(cls_bt_finish(bt));
    seconds->solve += cls_seconds() - start;
    start = cls_seconds();
    CLS_TRY(store(bt, p, outcome));
    seconds->download += cls_seconds() - start;
    if (bt->failed > 0 && outcome->failed == 0) outcome->first_failed = p->first + bt->first_failed;
    outcome->failed += bt->failed;
    if (bt->iterations > outcome->iterations) outcome->iterations = bt->iterations;
    if (!(bt->residual <= outcome->residual) || p->first == 0) outcome->residual = bt->residual;
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

static clsolve_status explain(cls_bt *bt, const char *call, int64_t nrhs, const cls_bt_solved *o) {
    char which[96] = "";

    if (o->overflowed > 0)
        return cls_fail(
            bt->device->error, CLSOLVE_OVERFLOW,
            "%s: the solution leaves the type's range, of right-hand side %lld of %lld first: that is as it was", call,
            (long long)o->first_overflowed, (long long)nrhs);
    if (o->failed == 0) return CLSOLVE_OK;
    if (nrhs > 1)
        (void)snprintf(which, sizeof which, " of right-hand side %lld of %lld%s", (long long)o->first_failed,
                       (long long)nrhs, o->failed > 1 ? " and others" : ", the others being solved");
    return cls_fail(
        bt->device->error, CLSOLVE_NOT_CONVERGED,
        "%s: %s stopped after %lld iteration%s, %s, at the relative residual %.3g%s, above the tolerance %.3g%s", call,
        bt->method, (long long)o->iterations, o->iterations == 1 ? "" : "s", how_it_ended(bt), o->residual, which,
        bt->options.tolerance,
        bt->grid.singular
            ? "; all row sums are zero: F is not in the matrix's range, or the iteration does not do for this matrix"
            : "; clsolve/band.h's LU needs no convergence");
}

/* So many right-hand sides at once as memory allows, with the memory of the method apart from F and Y. */
static int64_t portion_of(const cls_bt *bt) {
    enum { MOST = 65535 }; /* a grid's second number has 16 bits on some devices */
    int direct = bt->options.method == CLSOLVE_BLOCK_GS_SWEEPS;
    int64_t each = bt->grid.level[0].size * cls_type_size(bt->grid.type) * (direct ? 4 : 2 * CLS_BT_RESTART + 12);
    int64_t room = bt->device->info.global_memory / 2 / each;
    return room < 1 ? 1 : room < MOST ? room : MOST;
}

static portion portion_at(const cls_bt_sides *sides, int64_t first, int64_t most) {
    return (portion){sides, first, sides->nrhs - first < most ? sides->nrhs - first : most};
}

clsolve_status cls_bt_solve_system(cls_bt *bt, const char *call, const cls_bt_sides *sides, cls_bt_solved *outcome) {
    int64_t most = portion_of(bt);

    *outcome = (cls_bt_solved){0};
    /* Nothing is written before all is known to be finite. */
    for (int64_t r = 0; r < sides->nrhs && sides->nrhs > most; r += most) {
        portion p = portion_at(sides, r, most);
        CLS_TRY(load(bt, call, &p));
    }
    for (int64_t r = 0; r < sides->nrhs; r += most) {
        portion p = portion_at(sides, r, most);
        CLS_TRY(solve_portion(bt, call, &p, outcome));
    }
    return explain(bt, call, sides->nrhs, outcome);
}
