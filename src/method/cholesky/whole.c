/*
 * whole.c: where the columns of a Cholesky factorization lie, for the loop (factor.c): in core, all of them at once or
 * as they arrive; of a matrix larger than the device in the window.
 */
#include "method/cholesky/factor.h"

#include "method/cholesky/cholesky.h"

enum { WATCHED = 2048, WATCHED_BY_TILES = 8192 }; /* from so many columns on it is worth asking whether it has failed */

static clsolve_status factor(void *holder, int64_t c, int64_t k, cls_event *ready) {
    (void)ready;
    return cls_cholesky_panel(holder, c, k - c);
}

static int64_t reach(void *holder, int64_t c, int64_t k) {
    (void)c;
    return cls_cholesky_bottom(holder, k);
}

/* ---- columns that arrive ---- */

static clsolve_status wait_for(void *holder, cls_event *event) {
    const cls_cholesky *c = holder;
    return cls_arrival_wait(c->arrival, c->device, event);
}

/* One group, or all that have come. */
static clsolve_status next_arrived(void *holder, int64_t from, int64_t *to) {
    cls_cholesky *c = holder;

    if (from == c->n) return CLSOLVE_OK;
    const int64_t arrived = cls_arrival_arrived(c->arrival), next = from + c->arrival_columns;
    *to = arrived > next ? arrived : next;
    if (*to > c->n) *to = c->n;
    return cls_arrival_await(c->arrival, CLS_COMPUTE, *to);
}

/* ---- the factorization ---- */

static const cls_columns_ops there = {.factor = factor, .reach = reach};
static const cls_columns_ops arriving = {.factor = factor, .reach = reach, .next = next_arrived, .wait = wait_for};
static const cls_columns_ops by_slabs = {.factor = factor,
                                         .reach = reach,
                                         .next = cls_cholesky_next_slab,
                                         .take = cls_cholesky_take_slab,
                                         .view = cls_cholesky_view_slab,
                                         .used = cls_cholesky_used_slab};

static clsolve_status factor_columns(cls_cholesky *c, const clsolve_cholesky_options *options, int64_t *info) {
    const cls_trailing trailing = cls_cholesky_trailing(c);
    cls_columns columns = {.ops = c->arrival ? &arriving : &there,
                           .holder = c,
                           .ahead = c->ahead ? CLS_AHEAD_BLOCK : CLS_AHEAD_NOT,
                           .end = c->n,
                           .last = c->n,
                           .block = c->block,
                           .progress = options ? options->progress : NULL,
                           .progress_user = options ? options->progress_user : NULL,
                           .power = c->is_band ? 1 : 3,
                           .trailing = &trailing,
                           .word = c->info,
                           .words = c->words,
                           .watched = c->n >= (c->tiles ? WATCHED_BY_TILES : WATCHED)};

    if (c->out.slab > 0) {
        columns.ops = &by_slabs;
        c->out.progress = columns.progress;
        c->out.progress_user = columns.progress_user;
        columns.progress = NULL;
    }
    CLS_TRY(c->device->ops->fill(c->device, CLS_COMPUTE, c->info, 0, sizeof *info, 0));
    const clsolve_status status = cls_out_stream_end(&c->out, cls_cholesky_factor_loop(&columns, info));
    c->A.origin = 0;
    return status;
}

clsolve_status cls_cholesky_factor_enqueue(cls_cholesky *cholesky) {
    return factor_columns(cholesky, NULL, NULL);
}

clsolve_status cls_cholesky_factor(cls_cholesky *cholesky, const clsolve_cholesky_options *options, int64_t *info) {
    *info = 0;
    if (cholesky->n == 0) return CLSOLVE_OK;
    if (!cholesky->A.mapped) return factor_columns(cholesky, options, info);
    cls_cholesky_lapack_factor(cholesky, info);
    if (options && options->progress) options->progress(options->progress_user, "factor", 1);
    return CLSOLVE_OK;
}
