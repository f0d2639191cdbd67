/* whole.c: a dense matrix in the memory of one device, factored by panels (factor.c). */
#include "method/lu/whole.h"

#include "method/arrival.h"
#include "method/lu/out_of_core.h"
#include "method/lu/rbt.h"

/* ---- its columns ---- */

static cls_matrix view(void *holder, int64_t lead, int64_t c, int64_t to, int64_t *run) {
    const cls_lu_whole *whole = holder;
    (void)lead;
    *run = to - c;
    return *whole->A;
}

static clsolve_status take(void *holder, int64_t c, int64_t k, cls_block_column *L) {
    const cls_lu_whole *whole = holder;
    *L = (cls_block_column){cls_matrix_at(whole->A, c, c), c, k - c, whole->lu->rows};
    return CLSOLVE_OK;
}

static clsolve_status factor(void *holder, int64_t c, int64_t k, cls_event *ready) {
    const cls_lu_whole *whole = holder;
    cls_lu *lu = whole->lu;

    (void)ready;
    if (!lu->A.mapped) return cls_panel_factor(&lu->panel, whole->A, c, lu->rows - c, k - c);
    cls_panel_host_factor(&lu->panel, whole->A, c, lu->rows - c, k - c, whole->info);
    return CLSOLVE_OK;
}

/* COMPUTE comes by between all other work: what can cross meanwhile does. */
static clsolve_status need(void *holder, cls_queue queue, int64_t to) {
    const cls_lu_whole *whole = holder;
    if (queue == CLS_COMPUTE) CLS_TRY(cls_arrival_poll(whole->lu->arrival));
    return cls_arrival_await(whole->lu->arrival, queue, to);
}

static int64_t arrived(void *holder) {
    const cls_lu_whole *whole = holder;
    return cls_arrival_arrived(whole->lu->arrival);
}

/* ---- slabs: those before the one in the window stream by ---- */

static clsolve_status next_slab(void *holder, int64_t from, int64_t *to) {
    const cls_lu_whole *whole = holder;
    return cls_lu_out_next(whole->lu, from, to);
}

static clsolve_status take_slab(void *holder, int64_t c, int64_t k, cls_block_column *L) {
    const cls_lu_whole *whole = holder;
    cls_lu *lu = whole->lu;

    if (c >= lu->out.window_begin) return take(holder, c, k, L);
    *L = (cls_block_column){.j = c, .width = k - c, .end = lu->n};
    return cls_out_stream_take(&lu->out, &L->at);
}

static cls_matrix view_slab(void *holder, int64_t lead, int64_t c, int64_t to, int64_t *run) {
    const cls_matrix A = view(holder, lead, c, to, run);
    if (*run > CLS_OUT_COLUMNS) *run = CLS_OUT_COLUMNS;
    return A;
}

static clsolve_status used_slab(void *holder, int64_t c, int64_t k, cls_queue queue) {
    const cls_lu_whole *whole = holder;
    (void)queue;
    return cls_out_stream_used(&whole->lu->out, c, k);
}

/* ---- the tables ---- */

static const cls_columns_ops there = {.view = view, .factor = factor, .take = take};
static const cls_columns_ops by_slabs = {
    .view = view_slab, .factor = factor, .take = take_slab, .used = used_slab, .next = next_slab};
static const cls_columns_ops arriving = {
    .need = need, .arrived = arrived, .view = view, .factor = factor, .take = take};

cls_columns cls_lu_whole_columns(cls_lu_whole *whole, int64_t begin, int64_t end) {
    cls_lu *lu = whole->lu;
    return (cls_columns){.ops = lu->slabs     ? &by_slabs
                                : lu->arrival ? &arriving
                                              : &there,
                         .holder = whole,
                         .panel = &lu->panel,
                         .begin = begin,
                         .end = end,
                         .last = end == lu->n ? end + lu->behind : end,
                         .block = lu->block,
                         .strip = lu->block,
                         .group = lu->out.slab};
}

/* ---- the factorization ---- */

clsolve_status cls_lu_factor_columns(cls_lu *lu, int64_t begin, int64_t end, const clsolve_lu_options *options,
                                     int64_t *info) {
    cls_lu_whole whole = {.lu = lu, .A = &lu->A, .info = info};
    cls_columns columns = cls_lu_whole_columns(&whole, begin, end);

    if (lu->rbt.on) columns.stop = info; /* a zero pivot: nobody uses what would come of the rest */
    if (lu->ahead) {
        columns.ahead = CLS_AHEAD_STRIP;
        columns.beside = CLS_BESIDE;
        columns.strip = cls_panel_strip(&lu->panel, lu->rows);
    }
    cls_lu_tell_progress(&columns, options);
    return cls_lu_factor_loop(&columns);
}

clsolve_status cls_lu_factor(cls_lu *lu, const clsolve_lu_options *options, int64_t *info, int *again) {
    *again = 0;
    *info = 0;
    CLS_TRY(cls_panel_start(&lu->panel, CLS_PANEL_REPEATABLE));
    if (lu->rbt.on) CLS_TRY(cls_lu_rbt_transform(lu));
    CLS_TRY(cls_lu_factor_columns(lu, 0, lu->n, options, info));
    return cls_panel_end(&lu->panel, info, again);
}

clsolve_status cls_lu_factor_enqueue(cls_lu *lu) {
    int64_t info = 0; /* it stays on the device */
    cls_lu_whole whole = {.lu = lu, .A = &lu->A, .info = &info};
    const cls_columns columns = cls_lu_whole_columns(&whole, 0, lu->n);

    /* A leaf that might have to be done again asks the host; by steps it does not. */
    CLS_TRY(cls_panel_start(&lu->panel, CLS_PANEL_ONCE));
    return cls_lu_factor_loop(&columns);
}
