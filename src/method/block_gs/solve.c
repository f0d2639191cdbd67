/* solve.c: which method runs, and the loop around it. */
#include "method/block_gs/block_gs.h"

#include <stdio.h>

#include "base/memory.h"
#include "device/staging.h"

/* ---- one method, to its end ---- */

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

/* Enqueues a stretch of iterations; the last of them keeps the iterate if it is the best, the others if there is
 * time. */
static clsolve_status enqueue(cls_bt *bt, const cls_bt_attempt *a, int64_t number, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
        bt->keep = i + a->method->each >= count;
        CLS_TRY(a->method->step(bt, number + i));
    }
    return CLSOLVE_OK;
}

/* Iterations between two looks. On a small grid a GPU is done with a launch sooner than the host with the next one, so
 * what is enqueued in vain behind the last iteration takes longer than a look at each. */
static int64_t stretch_of(const cls_bt *bt, const cls_bt_method *m) {
    enum { SMALL = 1 << 18 }; /* unknowns */
    const int small = bt->device->info.type == CLSOLVE_DEVICE_GPU && bt->grid.N * bt->grid.M * bt->run.rhs <= SMALL;
    return small && m->each == 1 ? 1 : m->ahead;
}

/*
 * Iterates until the device says stop or `left` iterations are enqueued. While the host waits for one look, the next
 * stretch is already under way; once the device has said stop, what is left of it does nothing.
 */
static clsolve_status iterate_ahead(cls_bt *bt, const cls_bt_attempt *a, int64_t left, cls_event **before) {
    const cls_bt_method *m = a->method;
    const int64_t stretch = stretch_of(bt, m);
    int slot = 0, over = 0;

    for (int64_t number = 0; number < left && !over; slot = 1 - slot) {
        int64_t count = left - number < stretch ? left - number : stretch;
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

static clsolve_status iterate(cls_bt *bt, const cls_bt_attempt *a, int64_t left) {
    cls_event *before = NULL;

    bt->looks[0] = bt->looks[CLS_BT_CONTROL] = 0;
    if (a->method->start) CLS_TRY(a->method->start(bt));
    clsolve_status status = iterate_ahead(bt, a, left, &before);
    clsolve_status waited = before ? look_now(bt, before) : CLSOLVE_OK;
    if (status == CLSOLVE_OK) status = waited;
    if (status == CLSOLVE_OK && a->method->end) status = a->method->end(bt);
    return status;
}

/* Takes the solution with mean 0 among all those of a singular system. Row sums may be zero but for rounding, so
 * residuals are taken after. */
static clsolve_status remove_mean(cls_bt *bt, cls_bt_vector Y) {
    int64_t groups;
    cls_bt_run one = bt->run;
    size_t bytes = (size_t)(bt->grid.level[0].size * cls_type_size(bt->grid.type));

    if (!bt->grid.singular || bt->options.method == CLSOLVE_BLOCK_GS_SWEEPS) return CLSOLVE_OK;
    one.control = bt->grid.idle;
    CLS_TRY(cls_bt_reserve_works(bt, 1));
    for (int64_t r = 0; r < one.rhs; ++r)
        CLS_TRY(bt->device->ops->copy(bt->device, CLS_COMPUTE, bt->ones, 0, bt->work[0], (size_t)r * bytes, bytes));
    CLS_TRY(cls_bt_dots(&one, Y, bt->work[0], bt->work[0], bt->work[0], &groups));
    CLS_TRY(cls_bt_scalar(&one, groups, CLS_BT_MEAN, 0, 0, one.control));
    cls_bt_term terms[] = {{Y, -1, 1}, {bt->work[0], CLS_BT_ALPHA, 1}};
    return cls_bt_combine(&one, Y, terms, 2, one.control);
}

/* The true residual; what stands in control afterwards. `again`: of the iterate that was tested last, in that test's
 * place. */
static clsolve_status judge_truly(cls_bt *bt, int again, int64_t control[CLS_BT_CONTROL]) {
    cls_event *done = NULL;
    int64_t groups;

    CLS_TRY(cls_bt_run_resume(&bt->run));
    CLS_TRY(remove_mean(bt, bt->Y));
    CLS_TRY(cls_bt_residual(&bt->grid, bt->F, bt->Y, bt->run.rhs, NULL, CLS_BT_REST, bt->run.control, &groups));
    CLS_TRY(cls_bt_judge(&bt->run, groups, bt->tolerance, bt->patience, again ? CLS_BT_JUDGE_AGAIN : 0));
    CLS_TRY(look_later(bt, 0, &done));
    CLS_TRY(look_now(bt, done));
    for (int w = 0; w < CLS_BT_CONTROL; ++w) control[w] = bt->looks[w];
    return CLSOLVE_OK;
}

/*
 * Y becomes the better of itself and of what is kept, column by column and by true residuals, for those that were
 * tested may have drifted away; where both are worse than zero, zero. The kept ones become the same.
 */
static clsolve_status settle(cls_bt *bt) {
    cls_bt_run *run = &bt->run;
    int64_t groups;

    CLS_TRY(cls_bt_run_resume(run));
    CLS_TRY(remove_mean(bt, bt->best));
    CLS_TRY(cls_bt_residual(&bt->grid, bt->F, bt->best, run->rhs, NULL, CLS_BT_REST, run->control, &groups));
    CLS_TRY(cls_bt_judge(run, groups, bt->tolerance, 0, CLS_BT_JUDGE_KEPT | CLS_BT_JUDGE_QUIET));
    CLS_TRY(cls_bt_reset(run, bt->best));
    CLS_TRY(cls_bt_residual(&bt->grid, bt->F, bt->Y, run->rhs, NULL, CLS_BT_REST, run->control, &groups));
    CLS_TRY(cls_bt_judge(run, groups, bt->tolerance, 0, CLS_BT_JUDGE_KEEPS | CLS_BT_JUDGE_QUIET));
    CLS_TRY(cls_bt_keep(run, bt->Y, bt->best));
    return cls_bt_restore(run, bt->best, bt->Y);
}

/* Was the present iterate tested, so that the true residual belongs in that test's place? */
static int tested_last(const cls_bt_attempt *a, int64_t ended, int64_t limit) {
    return ended != CLS_BT_RUNS || (a->method != &cls_bt_multigrid && limit % a->method->each == 0);
}

/*
 * Runs the method, and again where its own test was too hopeful: by rounding, or because an estimate had drifted away.
 * *converged as the true residual says. *tests: how many tests there were before.
 */
static clsolve_status run_attempt(cls_bt *bt, const cls_bt_attempt *a, int64_t *tests, int *converged) {
    enum { TRIES = 4 };
    int64_t left = a->limit, control[CLS_BT_CONTROL];

    bt->preconditioner = a->preconditioner;
    bt->patience = a->patience;
    bt->use_single = a->single;
    bt->run.plain = a->method == &cls_bt_cocg;
    *converged = 0;
    if (a->preconditioner == CLSOLVE_BLOCK_GS_PRECONDITIONER_MULTIGRID && !a->single) CLS_TRY(cls_bt_make_levels(bt));
    CLS_TRY(cls_bt_reserve_works(bt, a->method->works));
    for (int t = 0; t < TRIES && left > 0 && !*converged; ++t) {
        CLS_TRY(iterate(bt, a, left));
        int64_t ended = bt->looks[0] ? bt->looks[0] : bt->looks[CLS_BT_CONTROL];
        int again = tested_last(a, ended, left);
        CLS_TRY(judge_truly(bt, again, control));
        int64_t done = (control[1] - !again - *tests) * a->method->each;
        if (done > left || ended == CLS_BT_RUNS) done = left;
        *tests = control[1];
        left -= done;
        bt->iterations += done;
        /* The test stands in the middle of a cycle: the one that it ended was not complete. */
        if (a->method == &cls_bt_multigrid && ended == CLS_BT_CONVERGED && bt->iterations > 1) --bt->iterations;
        *converged = control[0] == CLS_BT_CONVERGED;
        bt->ended = control[0] == CLS_BT_BROKEN ? CLS_BT_BROKEN : (int)ended;
        int failed = ended == CLS_BT_BROKEN || ended == CLS_BT_STALLED || control[0] == CLS_BT_BROKEN;
        /* BiCGStab breaks down now and then where it would get there from its best iterate. */
        if (failed && a->method != &cls_bt_bicgstab) break;
        if (failed && !*converged) CLS_TRY(settle(bt));
        if (!*converged) CLS_TRY(cls_bt_run_resume(&bt->run));
    }
    bt->run.plain = 0;
    return *converged ? CLSOLVE_OK : settle(bt);
}

/* ---- the solve ---- */

static clsolve_status measure_start(cls_bt *bt) {
    size_t bytes = (size_t)(bt->grid.level[0].size * bt->run.rhs * cls_type_size(bt->grid.type));
    int sweeps = bt->options.method == CLSOLVE_BLOCK_GS_SWEEPS;
    int64_t groups;
    CLS_TRY(cls_bt_run_start(&bt->run));
    CLS_TRY(remove_mean(bt, bt->Y));
    CLS_TRY(cls_bt_dots(&bt->run, bt->F, bt->F, bt->F, bt->F, &groups));
    CLS_TRY(cls_bt_judge(&bt->run, groups, 0, 0, CLS_BT_JUDGE_REFERS | CLS_BT_JUDGE_FIRST));
    CLS_TRY(cls_bt_residual(&bt->grid, bt->F, bt->Y, bt->run.rhs, NULL, CLS_BT_REST, bt->run.control, &groups));
    CLS_TRY(cls_bt_judge(&bt->run, groups, 0, 0, CLS_BT_JUDGE_REFERS));
    CLS_TRY(cls_bt_judge(&bt->run, groups, bt->tolerance, 0, sweeps ? 0 : CLS_BT_JUDGE_FIRST | CLS_BT_JUDGE_KEEPS));
    if (sweeps) return CLSOLVE_OK;
    CLS_TRY(cls_bt_reset(&bt->run, bt->Y));
    return bt->device->ops->copy(bt->device, CLS_COMPUTE, bt->Y, 0, bt->best, 0, bytes);
}

/* The residuals of all tests come down once, at the end. */
static clsolve_status read_history(cls_bt *bt, int64_t tests) {
    enum { LITTLE = 4096 }; /* bytes */
    cls_device *device = bt->device;
    int64_t count = tests < bt->run.capacity ? tests : bt->run.capacity;
    int f64 = cls_is_double(bt->grid.type);
    size_t bytes = (size_t)count * cls_bt_real_size(bt->grid.type);
    cls_rect rect = {bytes, 1, 0, bytes, bytes};

    if (count > bt->history_room) {
        cls_free(bt->history);
        bt->history_room = 0;
        bt->history = cls_alloc((size_t)count, sizeof *bt->history);
        if (!bt->history) return cls_no_memory(device->error, "the residual history");
        bt->history_room = count;
    }
    const cls_fetch_part few = {bt->run.history, bt->history, bytes, 0};
    if (bytes > LITTLE)
        CLS_TRY(device->ops->read(device, CLS_COMPUTE, bt->run.history, bt->history, &rect, NULL, NULL));
    CLS_TRY(bytes > LITTLE ? device->ops->finish(device, CLS_COMPUTE) : cls_staging_fetch(device, &few, 1));
    const float *floats = (const float *)(const void *)bt->history;
    for (int64_t i = count; !f64 && i-- > 0;) bt->history[i] = (double)floats[i]; /* from behind: in place */
    bt->history_count = count;
    return CLSOLVE_OK;
}

static clsolve_status just_sweep(cls_bt *bt, int64_t *tests, int *converged) {
    int64_t control[CLS_BT_CONTROL];
    (void)snprintf(bt->method, sizeof bt->method, "%s",
                   bt->options.sequential ? "sweeps in sequence" : "red-black sweeps");
    for (int64_t s = 0; s < bt->options.sweeps; ++s)
        CLS_TRY(cls_bt_sweep(&bt->grid, bt->F, bt->Y, bt->run.rhs, bt->options.sequential, 1, bt->grid.idle));
    bt->iterations = bt->options.sweeps;
    CLS_TRY(judge_truly(bt, 0, control));
    *tests = control[1];
    *converged = 1; /* nothing was promised but the sweeps */
    return CLSOLVE_OK;
}

static clsolve_status run_methods(cls_bt *bt, int64_t *tests, int *converged) {
    cls_bt_attempt list[CLS_BT_ATTEMPTS];
    int64_t most = bt->options.max_iterations;

    if (bt->options.method == CLSOLVE_BLOCK_GS_SWEEPS) {
        (void)snprintf(bt->reason, sizeof bt->reason, "asked for");
        return just_sweep(bt, tests, converged);
    }
    int count = cls_bt_choose(bt, list);
    for (int i = 0; i < count && !*converged; ++i) {
        /* The limit that was given is one for all attempts. */
        if (most > 0 && i > 0 && bt->iterations >= most) break;
        if (most > 0 && list[i].limit > most - bt->iterations) list[i].limit = most - bt->iterations;
        if (i > 0) CLS_TRY(cls_bt_run_resume(&bt->run));
        cls_bt_name(bt, &list[i], i > 0 ? &list[i - 1] : NULL);
        CLS_TRY(run_attempt(bt, &list[i], tests, converged));
    }
    return CLSOLVE_OK;
}

/* The outcome of each column: *converged may have been too strict where one of several did not. */
static clsolve_status tell_columns(cls_bt *bt, int converged) {
    double tolerance = cls_is_double(bt->grid.type) ? bt->tolerance : (double)(float)bt->tolerance;

    CLS_TRY(converged ? cls_bt_read_last(&bt->run, bt->residuals) : cls_bt_read_best(&bt->run, bt->residuals));
    bt->failed = bt->first_failed = 0;
    bt->residual = 0;
    for (int64_t r = 0; r < bt->run.rhs; ++r) {
        if (!(bt->residuals[r] <= bt->residual)) bt->residual = bt->residuals[r];
        if (converged || bt->residuals[r] <= tolerance) continue;
        bt->failed += 1;
        if (bt->first_failed == 0) bt->first_failed = r + 1;
    }
    return CLSOLVE_OK;
}

clsolve_status cls_bt_solve(cls_bt *bt) {
    int64_t tests = 1;
    int converged = 0;

    bt->tolerance = bt->options.tolerance;
    bt->omega = bt->options.omega > 0 && bt->options.method == CLSOLVE_BLOCK_GS_SOR ? bt->options.omega : 1;
    bt->iterations = 0;
    bt->omega_changed = 0;
    CLS_TRY(measure_start(bt));
    CLS_TRY(run_methods(bt, &tests, &converged));
    CLS_TRY(tell_columns(bt, converged));
    CLS_TRY(read_history(bt, tests));
    return converged || bt->failed == 0 ? CLSOLVE_OK : CLSOLVE_NOT_CONVERGED;
}
