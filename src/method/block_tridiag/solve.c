/* solve.c: which method runs, and the loop around it. */
#include "method/block_tridiag/block_tridiag.h"

#include <math.h>
#include <stdio.h>

#include "base/memory.h"

/* ---- one method, to its end ---- */

typedef struct attempt {
    const cls_bt_method *method;
    clsolve_preconditioner preconditioner;
    int64_t limit; /* iterations */
    int64_t patience;
    int single; /* the preconditioner in float */
} attempt;

/* A look: the control words as they are now, to be read when `done` is. */
static clsolve_status look_later(cls_bt *bt, int slot, cls_event **done) {
    cls_device *device = bt->device;
    size_t bytes = CLS_BT_CONTROL * sizeof(int64_t);
    cls_rect rect = {bytes, 1, 0, bytes, bytes};
    cls_event *made = NULL;
    CLS_TRY(
        device->ops->read(device, CLS_COMPUTE, bt->run.control, bt->looks + slot * CLS_BT_CONTROL, &rect, NULL, &made));
    clsolve_status status = device->ops->flush(device, CLS_COMPUTE);
    if (status == CLSOLVE_OK) {
        *done = made;
    } else {
        (void)device->ops->event_wait(device, made);
        device->ops->event_release(device, made);
    }
    return status;
}

static clsolve_status look_now(cls_bt *bt, cls_event *done) {
    clsolve_status status = bt->device->ops->event_wait(bt->device, done);
    bt->device->ops->event_release(bt->device, done);
    return status;
}

static void tell(const cls_bt *bt, int64_t done, int64_t limit) {
    if (bt->options.progress)
        bt->options.progress(bt->options.progress_user, "solve", limit > 0 ? (double)done / (double)limit : 1);
}

/* Enqueues a stretch of iterations; the last of them keeps the iterate if it is the best. */
static clsolve_status enqueue(cls_bt *bt, const attempt *a, int64_t number, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
        bt->keep = i + a->method->each >= count;
        CLS_TRY(a->method->step(bt, number + i));
    }
    return CLSOLVE_OK;
}

/*
 * Iterates until the device says stop or `left` iterations are enqueued. While the host waits for one look, the next stretch
 * is already under way; once the device has said stop, what is left of it does nothing.
 */
static clsolve_status iterate_ahead(cls_bt *bt, const attempt *a, int64_t left, cls_event **before) {
    const cls_bt_method *m = a->method;
    int slot = 0, over = 0;

    for (int64_t number = 0; number < left && !over; slot = 1 - slot) {
        int64_t count = left - number < m->ahead ? left - number : m->ahead;
        int64_t *old = bt->looks + (1 - slot) * CLS_BT_CONTROL, *fresh = bt->looks + slot * CLS_BT_CONTROL;
        cls_event *waited = *before;

        CLS_TRY(enqueue(bt, a, number, count));
        number += count;
        CLS_TRY(look_later(bt, slot, before));
        if (waited) CLS_TRY(look_now(bt, waited));
        over = old[0] != 0;
        if (m->look && !over) {
            waited = *before;
            *before = NULL;
            CLS_TRY(look_now(bt, waited));
            over = fresh[0] != 0;
            if (!over) CLS_TRY(m->look(bt, fresh[1]));
        }
        tell(bt, number, left);
    }
    return CLSOLVE_OK;
}

static clsolve_status iterate(cls_bt *bt, const attempt *a, int64_t left) {
    cls_event *before = NULL;

    bt->looks[0] = bt->looks[CLS_BT_CONTROL] = 0;
    if (a->method->start) CLS_TRY(a->method->start(bt));
    clsolve_status status = iterate_ahead(bt, a, left, &before);
    clsolve_status waited = before ? look_now(bt, before) : CLSOLVE_OK;
    if (status == CLSOLVE_OK) status = waited;
    if (status == CLSOLVE_OK && a->method->end) status = a->method->end(bt);
    return status;
}

/* The true residual, the iterate kept if it is the best; what stands in control afterwards. */
static clsolve_status judge_truly(cls_bt *bt, int64_t control[CLS_BT_CONTROL]) {
    cls_event *done = NULL;
    int64_t groups;

    CLS_TRY(cls_bt_run_resume(&bt->run));
    bt->keep = 1;
    CLS_TRY(cls_bt_residual(&bt->grid, bt->F, bt->Y, bt->run.rhs, NULL, 0, bt->run.control, &groups));
    CLS_TRY(cls_bt_test(bt, groups));
    CLS_TRY(look_later(bt, 0, &done));
    CLS_TRY(look_now(bt, done));
    for (int w = 0; w < CLS_BT_CONTROL; ++w) control[w] = bt->looks[w];
    return CLSOLVE_OK;
}

static clsolve_status restore_best(cls_bt *bt) {
    size_t bytes = (size_t)(bt->grid.level[0].size * bt->run.rhs * cls_type_size(bt->grid.type));
    return bt->device->ops->copy(bt->device, CLS_COMPUTE, bt->best, 0, bt->Y, 0, bytes);
}

/*
 * Runs the method, and again where its own test was too hopeful: by rounding, or because an estimate had drifted away.
 * *converged as the true residual says. *tests: how many tests there were before.
 */
static clsolve_status run_attempt(cls_bt *bt, const attempt *a, int64_t *tests, int *converged) {
    enum { TRIES = 4 };
    int64_t left = a->limit, control[CLS_BT_CONTROL];

    bt->preconditioner = a->preconditioner;
    bt->patience = a->patience;
    bt->use_single = a->single;
    *converged = 0;
    if (a->preconditioner == CLSOLVE_PRECONDITIONER_MULTIGRID && !a->single) CLS_TRY(cls_bt_make_levels(bt));
    CLS_TRY(cls_bt_reserve_works(bt, a->method->works));
    for (int t = 0; t < TRIES && left > 0 && !*converged; ++t) {
        CLS_TRY(iterate(bt, a, left));
        int64_t ended = bt->looks[0] ? bt->looks[0] : bt->looks[CLS_BT_CONTROL];
        CLS_TRY(judge_truly(bt, control));
        int64_t done = (control[1] - 1 - *tests) * a->method->each;
        if (done > left) done = left;
        if (ended == CLS_BT_RUNS) done = left;
        *tests = control[1];
        left -= done;
        bt->iterations += done;
        /* The test stands in the middle of a cycle: the one that it ended was not complete. */
        if (a->method == &cls_bt_multigrid && ended == CLS_BT_CONVERGED && bt->iterations > 1) --bt->iterations;
        *converged = control[0] == CLS_BT_CONVERGED;
        if (ended == CLS_BT_BROKEN || ended == CLS_BT_STALLED || control[0] == CLS_BT_BROKEN) break;
        if (!*converged) CLS_TRY(cls_bt_run_resume(&bt->run));
    }
    /* Kept iterates are as good as their tests; the one at hand may be worse than the best of them. */
    if (!*converged && control[3] == 0) CLS_TRY(restore_best(bt));
    return CLSOLVE_OK;
}

/* ---- which method ---- */

static const char *preconditioner_name(clsolve_preconditioner p) {
    return p == CLSOLVE_PRECONDITIONER_NONE        ? "no preconditioner"
           : p == CLSOLVE_PRECONDITIONER_MULTIGRID ? "multigrid"
                                                   : "zebra";
}

static void name_method(cls_bt *bt, const attempt *a) {
    const clsolve_block_tridiag_options *o = &bt->options;
    const char kinds[] = "VWF", *single = a->single ? " in float" : "";
    char cycle[32];

    (void)snprintf(cycle, sizeof cycle, " %c(%d,%d)", kinds[o->cycle], (int)o->smooth_before, (int)o->smooth_after);
    if (a->method == &cls_bt_multigrid)
        (void)snprintf(bt->method, sizeof bt->method, "%s%s", a->method->name, cycle);
    else if (a->method->works > 0)
        (void)snprintf(bt->method, sizeof bt->method, "%s + %s%s%s", a->method->name,
                       preconditioner_name(a->preconditioner),
                       a->preconditioner == CLSOLVE_PRECONDITIONER_MULTIGRID ? cycle : "",
                       a->preconditioner == CLSOLVE_PRECONDITIONER_MULTIGRID ? single : "");
    else if (o->sequential)
        (void)snprintf(bt->method, sizeof bt->method, "%s", "block Gauss-Seidel in sequence");
    else
        (void)snprintf(bt->method, sizeof bt->method, "%s", a->method->name);
}

static attempt attempt_asked(const cls_bt *bt) {
    const clsolve_block_tridiag_options *o = &bt->options;
    int64_t limit = o->max_iterations;
    attempt a = {
        .method = &cls_bt_gauss_seidel, .preconditioner = o->preconditioner, .limit = limit > 0 ? limit : 10000};

    if (a.preconditioner == CLSOLVE_PRECONDITIONER_AUTO)
        a.preconditioner = bt->has_levels ? CLSOLVE_PRECONDITIONER_MULTIGRID : CLSOLVE_PRECONDITIONER_ZEBRA;
    if (a.preconditioner == CLSOLVE_PRECONDITIONER_MULTIGRID && !bt->has_levels)
        a.preconditioner = CLSOLVE_PRECONDITIONER_ZEBRA;
    switch (o->method) {
    case CLSOLVE_BLOCK_TRIDIAG_SOR:
        a.method = o->omega > 0 ? &cls_bt_sor : &cls_bt_estimated_sor;
        return a;
    case CLSOLVE_BLOCK_TRIDIAG_MULTIGRID:
        a.preconditioner = CLSOLVE_PRECONDITIONER_MULTIGRID;
        a.method = &cls_bt_multigrid;
        a.limit = limit > 0 ? limit : 100;
        a.patience = 16;
        return a;
    case CLSOLVE_BLOCK_TRIDIAG_CG:
        a.method = &cls_bt_cg;
        break;
    case CLSOLVE_BLOCK_TRIDIAG_BICGSTAB:
        a.method = &cls_bt_bicgstab;
        break;
    case CLSOLVE_BLOCK_TRIDIAG_FGMRES:
        a.method = &cls_bt_fgmres;
        break;
    default:
        return a;
    }
    a.single = bt->single_ready && a.preconditioner == CLSOLVE_PRECONDITIONER_MULTIGRID;
    a.limit = limit > 0 ? limit : 1000;
    a.patience = 300;
    return a;
}

/*
 * What auto tries, in order, with the reasons to give; returns how many. CG where the matrix is symmetric and definite: it
 * takes fewer cycles than cycles alone, and float serves it as a preconditioner. A singular matrix is left to cycles.
 */
static int attempts_auto(const cls_bt *bt, attempt list[4], const char *reasons[4]) {
    const clsolve_preconditioner multigrid = CLSOLVE_PRECONDITIONER_MULTIGRID;
    const int64_t limit = bt->options.max_iterations;
    const attempt zebra = {&cls_bt_fgmres, CLSOLVE_PRECONDITIONER_ZEBRA, limit > 0 ? limit : 1000, 300, 0};
    const attempt krylov = {&cls_bt_fgmres, multigrid, limit > 0 ? limit : 300, 60, 0};
    const attempt cycles = {&cls_bt_multigrid, multigrid, limit > 0 ? limit : 40, 6, 0};
    const attempt cg = {&cls_bt_cg, multigrid, limit > 0 ? limit : 100, 20, bt->single_ready};
    int n = 0;

    if (!bt->has_levels) {
        list[0] = zebra;
        reasons[0] = "auto: lines want pivoting, which multigrid has none of";
        return 1;
    }
    if (cls_bt_definite(bt) && !bt->grid.singular) {
        reasons[n] = "auto: symmetric, and the diagonal dominates";
        list[n++] = cg;
        reasons[n] = "auto: cg came to a standstill";
    } else if (!(bt->bits & CLS_BT_NOT_DOMINANT)) {
        reasons[n] = bt->grid.singular ? "auto: singular, all row sums are zero"
                                       : "auto: not symmetric, but the diagonal dominates";
        list[n++] = cycles;
        reasons[n] = "auto: multigrid alone came to a standstill";
    } else {
        reasons[n] = "auto: the diagonal does not dominate";
    }
    list[n++] = krylov;
    reasons[n] = "auto: multigrid does not suit this matrix";
    list[n++] = zebra;
    return n;
}

/* ---- the solve ---- */

static clsolve_status measure_start(cls_bt *bt) {
    int64_t groups;
    CLS_TRY(cls_bt_run_start(&bt->run));
    CLS_TRY(cls_bt_dots(&bt->run, bt->F, bt->F, bt->F, bt->F, &groups));
    CLS_TRY(cls_bt_set_reference(&bt->run, groups, 1));
    CLS_TRY(cls_bt_residual(&bt->grid, bt->F, bt->Y, bt->run.rhs, NULL, 0, bt->run.control, &groups));
    CLS_TRY(cls_bt_set_reference(&bt->run, groups, 0));
    bt->patience = 0;
    bt->keep = 1;
    return cls_bt_test(bt, groups);
}

/* The residuals of all tests come down once, at the end. */
static clsolve_status read_history(cls_bt *bt, int64_t tests) {
    cls_device *device = bt->device;
    int64_t count = tests < bt->run.capacity ? tests : bt->run.capacity;
    int f64 = bt->grid.type == CLSOLVE_F64;
    size_t bytes = (size_t)(count * cls_type_size(bt->grid.type));
    cls_rect rect = {bytes, 1, 0, bytes, bytes};

    if (count > bt->history_room) {
        cls_free(bt->history);
        bt->history_room = 0;
        bt->history = cls_alloc((size_t)count, sizeof *bt->history);
        if (!bt->history)
            return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for the residual history");
        bt->history_room = count;
    }
    CLS_TRY(device->ops->read(device, CLS_COMPUTE, bt->run.history, bt->history, &rect, NULL, NULL));
    CLS_TRY(device->ops->finish(device, CLS_COMPUTE));
    const float *floats = (const float *)(const void *)bt->history;
    for (int64_t i = count; !f64 && i-- > 0;) bt->history[i] = (double)floats[i]; /* from behind: in place */
    bt->history_count = count;
    return CLSOLVE_OK;
}

/* Of all solutions of a singular system, the one with mean 0. */
static clsolve_status remove_mean(cls_bt *bt) {
    int64_t groups;
    cls_bt_run one = bt->run;
    size_t bytes = (size_t)(bt->grid.level[0].size * cls_type_size(bt->grid.type));

    one.control = bt->grid.idle;
    CLS_TRY(cls_bt_reserve_works(bt, 1));
    for (int64_t r = 0; r < one.rhs; ++r)
        CLS_TRY(bt->device->ops->copy(bt->device, CLS_COMPUTE, bt->ones, 0, bt->work[0], (size_t)r * bytes, bytes));
    CLS_TRY(cls_bt_dots(&one, bt->Y, bt->work[0], bt->work[0], bt->work[0], &groups));
    CLS_TRY(cls_bt_scalar(&one, groups, CLS_BT_MEAN, 0, 0, one.control));
    cls_bt_term terms[] = {{bt->Y, -1, 1}, {bt->work[0], CLS_BT_ALPHA, 1}};
    return cls_bt_combine(&one, bt->Y, terms, 2, one.control);
}

static clsolve_status just_sweep(cls_bt *bt, int64_t *tests, int *converged) {
    int64_t control[CLS_BT_CONTROL];
    (void)snprintf(bt->method, sizeof bt->method, "%s",
                   bt->options.sequential ? "sweeps in sequence" : "red-black sweeps");
    for (int64_t s = 0; s < bt->options.sweeps; ++s)
        CLS_TRY(cls_bt_sweep(&bt->grid, bt->F, bt->Y, bt->run.rhs, bt->options.sequential, 1, bt->grid.idle));
    bt->iterations = bt->options.sweeps;
    CLS_TRY(judge_truly(bt, control));
    *tests = control[1];
    *converged = 1; /* nothing was promised but the sweeps */
    return CLSOLVE_OK;
}

static clsolve_status run_methods(cls_bt *bt, int64_t *tests, int *converged) {
    attempt list[4] = {attempt_asked(bt)};
    const char *reasons[4] = {"asked for"};
    int count = 1;

    if (bt->options.method == CLSOLVE_BLOCK_TRIDIAG_SWEEPS) {
        bt->reason = reasons[0];
        return just_sweep(bt, tests, converged);
    }
    if (bt->options.method == CLSOLVE_BLOCK_TRIDIAG_MULTIGRID && !bt->has_levels) {
        list[0] = (attempt){&cls_bt_fgmres, CLSOLVE_PRECONDITIONER_ZEBRA, list[0].limit * 10, 300, 0};
        reasons[0] = "multigrid was asked for, but lines want pivoting, which it has none of";
    }
    if (bt->options.method == CLSOLVE_BLOCK_TRIDIAG_AUTO) count = attempts_auto(bt, list, reasons);
    for (int i = 0; i < count && !*converged; ++i) {
        if (i > 0) CLS_TRY(cls_bt_run_resume(&bt->run));
        bt->reason = reasons[i];
        name_method(bt, &list[i]);
        CLS_TRY(run_attempt(bt, &list[i], tests, converged));
    }
    return CLSOLVE_OK;
}

clsolve_status cls_bt_finite(cls_bt *bt, int *finite) {
    cls_bt_run idle = bt->run;
    int64_t groups;

    idle.control = bt->grid.idle;
    CLS_TRY(cls_bt_dots(&idle, bt->F, bt->F, bt->Y, bt->Y, &groups));
    double *sums = cls_alloc((size_t)(2 * idle.rhs), sizeof *sums);
    if (!sums) return cls_fail(bt->device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for sums");
    clsolve_status status = cls_bt_read_sums(&idle, groups, sums);
    for (int64_t s = 0; status == CLSOLVE_OK && s < 2 * idle.rhs; ++s)
        if (!isfinite(sums[s])) *finite = 0;
    cls_free(sums);
    return status;
}

clsolve_status cls_bt_solve(cls_bt *bt) {
    int64_t tests = 1;
    int converged = 0;
    double best;

    bt->tolerance = bt->options.tolerance;
    bt->omega = bt->options.omega > 0 && bt->options.method == CLSOLVE_BLOCK_TRIDIAG_SOR ? bt->options.omega : 1;
    bt->iterations = 0;
    bt->omega_changed = 0;
    CLS_TRY(measure_start(bt));
    CLS_TRY(run_methods(bt, &tests, &converged));
    if (bt->grid.singular) CLS_TRY(remove_mean(bt));
    CLS_TRY(read_history(bt, tests));
    bt->residual = bt->history_count > 0 ? bt->history[bt->history_count - 1] : 0;
    for (int64_t i = 0; !converged && i < bt->history_count; ++i) {
        best = bt->history[i];
        if (!isnan(best) && !(bt->residual <= best)) bt->residual = best;
    }
    return converged ? CLSOLVE_OK : CLSOLVE_NOT_CONVERGED;
}
