/* choose.c: which method runs, which next where it fails, what it is called and why it ran. */
#include "method/block_gs/block_gs.h"

#include <stdio.h>

/* ---- which method ---- */

static const char *preconditioner_name(clsolve_block_gs_preconditioner p) {
    return p == CLSOLVE_BLOCK_GS_PRECONDITIONER_NONE        ? "no preconditioner"
           : p == CLSOLVE_BLOCK_GS_PRECONDITIONER_MULTIGRID ? "multigrid"
                                                            : "zebra";
}

static void name_method(cls_bt *bt, const cls_bt_attempt *a) {
    const clsolve_block_gs_options *o = &bt->options;
    const char kinds[] = "VWF", *single = !a->single       ? ""
                                          : !bt->damped    ? " in float"
                                          : bt->has_single ? " in float with losses"
                                                           : " with losses";
    char cycle[32];

    (void)snprintf(cycle, sizeof cycle, " %c(%d,%d)", kinds[o->cycle], (int)o->smooth_before, (int)o->smooth_after);
    if (a->method == &cls_bt_multigrid)
        (void)snprintf(bt->method, sizeof bt->method, "%s%s", a->method->name, cycle);
    else if (a->method->works > 0)
        (void)snprintf(bt->method, sizeof bt->method, "%s + %s%s%s", a->method->name,
                       preconditioner_name(a->preconditioner),
                       a->preconditioner == CLSOLVE_BLOCK_GS_PRECONDITIONER_MULTIGRID ? cycle : "",
                       a->preconditioner == CLSOLVE_BLOCK_GS_PRECONDITIONER_MULTIGRID ? single : "");
    else if (o->sequential)
        (void)snprintf(bt->method, sizeof bt->method, "%s in sequence",
                       a->method == &cls_bt_gauss_seidel ? "block Gauss-Seidel" : a->method->name);
    else
        (void)snprintf(bt->method, sizeof bt->method, "%s", a->method->name);
}

/* Why the attempt before this one was not the last. */
static void tell_reason(cls_bt *bt, const cls_bt_attempt *a, const cls_bt_attempt *before) {
    const char *lines =
        before && before->method->works > 0 && before->preconditioner == CLSOLVE_BLOCK_GS_PRECONDITIONER_MULTIGRID
            ? " with multigrid"
            : "";
    if (!before)
        (void)snprintf(bt->reason, sizeof bt->reason, "%s", a->reason);
    else if (bt->ended == CLS_BT_BROKEN || bt->ended == CLS_BT_STALLED)
        (void)snprintf(bt->reason, sizeof bt->reason, "auto: %s%s %s", before->method->name, lines,
                       bt->ended == CLS_BT_BROKEN ? "diverged" : "came to a standstill");
    else if (bt->ended == CLS_BT_CONVERGED)
        (void)snprintf(bt->reason, sizeof bt->reason, "auto: %s%s was stopped by rounding", before->method->name,
                       lines);
    else
        (void)snprintf(bt->reason, sizeof bt->reason, "auto: %s%s did not converge in %lld iterations",
                       before->method->name, lines, (long long)before->limit);
}

void cls_bt_name(cls_bt *bt, const cls_bt_attempt *a, const cls_bt_attempt *before) {
    name_method(bt, a);
    tell_reason(bt, a, before);
}

static cls_bt_attempt attempt_asked(const cls_bt *bt) {
    const clsolve_block_gs_options *o = &bt->options;
    int64_t limit = o->max_iterations;
    cls_bt_attempt a = {
        .method = &cls_bt_gauss_seidel, .preconditioner = o->preconditioner, .limit = limit > 0 ? limit : 10000};

    if (a.preconditioner == CLSOLVE_BLOCK_GS_PRECONDITIONER_AUTO)
        a.preconditioner =
            bt->has_levels ? CLSOLVE_BLOCK_GS_PRECONDITIONER_MULTIGRID : CLSOLVE_BLOCK_GS_PRECONDITIONER_ZEBRA;
    if (a.preconditioner == CLSOLVE_BLOCK_GS_PRECONDITIONER_MULTIGRID && !bt->has_levels)
        a.preconditioner = CLSOLVE_BLOCK_GS_PRECONDITIONER_ZEBRA;
    switch (o->method) {
    case CLSOLVE_BLOCK_GS_SOR:
        a.method = o->omega > 0 ? &cls_bt_sor : &cls_bt_estimated_sor;
        return a;
    case CLSOLVE_BLOCK_GS_MULTIGRID:
        a.preconditioner = CLSOLVE_BLOCK_GS_PRECONDITIONER_MULTIGRID;
        a.method = &cls_bt_multigrid;
        a.limit = limit > 0 ? limit : 100;
        a.patience = 16;
        return a;
    case CLSOLVE_BLOCK_GS_CG:
        a.method = &cls_bt_cg;
        break;
    case CLSOLVE_BLOCK_GS_COCG:
        a.method = &cls_bt_cocg;
        break;
    case CLSOLVE_BLOCK_GS_BICGSTAB:
        a.method = &cls_bt_bicgstab;
        break;
    case CLSOLVE_BLOCK_GS_FGMRES:
        a.method = &cls_bt_fgmres;
        break;
    default:
        return a;
    }
    a.single = bt->single_ready && a.preconditioner == CLSOLVE_BLOCK_GS_PRECONDITIONER_MULTIGRID;
    a.limit = limit > 0 ? limit : 1000;
    a.patience = 300;
    return a;
}

static const char *why_cycles(const cls_bt *bt) {
    if (bt->grid.singular) return "auto: singular, all row sums are zero";
    if (bt->grid.symmetric == CLS_BT_HERMITIAN) return "auto: hermitian with a diagonal of both signs, which dominates";
    if (bt->bits & CLS_BT_ASYMMETRIC) return "auto: not symmetric, but the diagonal dominates";
    return "auto: symmetric with a diagonal of both signs, which dominates";
}

/*
 * The attempts of auto, in order; returns how many. CG where the matrix is symmetric and definite: it takes fewer
 * cycles than cycles alone, and float serves it as a preconditioner. A singular matrix is left to cycles. BiCGStab,
 * which has no restarts to forget by, answers indefinite matrices of which FGMRES comes to a standstill. Complex
 * symmetric matrices have COCG, with short recurrences: waves with losses, which multigrid serves as long as the losses
 * are large enough.
 */
static int attempts_auto(const cls_bt *bt, cls_bt_attempt list[CLS_BT_ATTEMPTS]) {
    const clsolve_block_gs_preconditioner multigrid = CLSOLVE_BLOCK_GS_PRECONDITIONER_MULTIGRID;
    const int64_t limit = bt->options.max_iterations;
    cls_bt_attempt zebra = {
        &cls_bt_fgmres, CLSOLVE_BLOCK_GS_PRECONDITIONER_ZEBRA, limit > 0 ? limit : 1000, 300, 0, NULL};
    cls_bt_attempt krylov = {&cls_bt_fgmres, multigrid, limit > 0 ? limit : 300, 60, bt->damped, NULL};
    cls_bt_attempt cycles = {&cls_bt_multigrid, multigrid, limit > 0 ? limit : 40, 6, 0, NULL};
    cls_bt_attempt bicgstab = {
        &cls_bt_bicgstab, CLSOLVE_BLOCK_GS_PRECONDITIONER_ZEBRA, limit > 0 ? limit : 2000, 300, 0, NULL};
    cls_bt_attempt cocg = {&cls_bt_cocg, multigrid, limit > 0 ? limit : 1000, 200, bt->single_ready, NULL};
    cls_bt_attempt plain = {&cls_bt_cocg, CLSOLVE_BLOCK_GS_PRECONDITIONER_ZEBRA, limit > 0 ? limit : 1000, 300, 0,
                            NULL};
    cls_bt_attempt cg = {&cls_bt_cg, multigrid, limit > 0 ? limit : 100, 20, bt->single_ready, NULL};
    const int hermitian = bt->grid.symmetric == CLS_BT_HERMITIAN, dominant = !(bt->bits & CLS_BT_NOT_DOMINANT);
    const int waves = cls_is_complex(bt->grid.type) && bt->grid.symmetric == CLS_BT_SYMMETRIC && !bt->grid.singular;
    int n = 0;

    cg.reason =
        hermitian ? "auto: hermitian, and the diagonal dominates" : "auto: symmetric, and the diagonal dominates";
    cocg.reason = "auto: complex symmetric";
    plain.reason = "auto: complex symmetric, and lines want pivoting, which multigrid has none of";
    cycles.reason = why_cycles(bt);
    krylov.reason = "auto: the diagonal does not dominate";
    zebra.reason = "auto: lines want pivoting, which multigrid has none of";
    if (bt->has_levels) {
        if (cls_bt_definite(bt) && !bt->grid.singular)
            list[n++] = cg;
        else if (waves)
            list[n++] = cocg;
        else if (dominant)
            list[n++] = cycles;
        if (!waves || dominant) list[n++] = krylov;
    }
    if (waves && !(bt->has_levels && dominant)) list[n++] = plain;
    list[n++] = zebra;
    list[n++] = bicgstab;
    return n;
}

int cls_bt_choose(const cls_bt *bt, cls_bt_attempt list[CLS_BT_ATTEMPTS]) {
    int64_t limit = bt->options.max_iterations;
    if (bt->options.method == CLSOLVE_BLOCK_GS_AUTO) return attempts_auto(bt, list);
    list[0] = attempt_asked(bt);
    list[0].reason = "asked for";
    if (bt->options.method == CLSOLVE_BLOCK_GS_MULTIGRID && !bt->has_levels)
        list[0] = (cls_bt_attempt){&cls_bt_fgmres,
                                   CLSOLVE_BLOCK_GS_PRECONDITIONER_ZEBRA,
                                   limit > 0 ? limit : 1000,
                                   300,
                                   0,
                                   "multigrid was asked for, but lines want pivoting, which it has none of"};
    return 1;
}
