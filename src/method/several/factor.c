/*
 * factor.c: LU over several devices: a thread for each of them runs the loop of LU (method/lu/factor.c) over the block
 * columns that are its own, ahead by a block column. It factors its own panels, and exchange.c brings the others'.
 *
 * Panels go by strips where events of another queue cost little. Through OpenCL each wait for the other queue costs
 * some 10 us, and a panel as a whole is the sooner: n = 16384 on two H100 takes 77.6 ms so, and 83.3 by strips.
 */
#include "method/several/several.h"

/* ---- a device's columns, for the loop of LU ---- */

static int64_t block_at(const cls_several_part *part, int64_t c) {
    return c / part->several->width;
}

static cls_matrix view(void *holder, int64_t lead, int64_t c, int64_t to, int64_t *run) {
    const cls_several_part *part = holder;
    (void)lead;
    *run = to - c;
    return part->lu.A;
}

static int owns(void *holder, int64_t c) {
    const cls_several_part *part = holder;
    return part->several->owner[block_at(part, c)] == part->number;
}

static int64_t behind(void *holder, int64_t k) {
    const cls_several_part *part = holder;
    const cls_several *several = part->several;
    for (int64_t b = block_at(part, k + several->width - 1); b < several->blocks; ++b)
        if (several->owner[b] == part->number) return several->local[b];
    return part->cols;
}

static clsolve_status take(void *holder, int64_t c, int64_t k, cls_block_column *L) {
    cls_several_part *part = holder;
    *L = (cls_block_column){.j = c, .width = k - c, .end = part->several->n};
    return cls_several_take(part, block_at(part, c), &L->at);
}

static clsolve_status used(void *holder, int64_t c, int64_t k, cls_queue queue) {
    cls_several_part *part = holder;
    (void)k;
    return cls_several_used(part, block_at(part, c), queue);
}

static clsolve_status factored(void *holder, int64_t c, int64_t k) {
    cls_several_part *part = holder;
    (void)k;
    return cls_several_offer(part, block_at(part, c), 1);
}

/* The block column at c has the numbers of A in the matrix of its owner. */
static const cls_columns *inside(void *holder, int64_t c, int64_t k) {
    cls_several_part *part = holder;

    part->window = cls_several_window(part, block_at(part, c));
    part->panel = (cls_lu_whole){.lu = &part->lu, .A = &part->window, .info = &part->info};
    part->inside = cls_lu_whole_columns(&part->panel, c, k);
    part->inside.last = k;
    part->inside.is_inside = 1;
    part->inside.ahead = CLS_AHEAD_STRIP;
    part->inside.beside = CLS_SOON;
    part->inside.strip = cls_panel_strip(&part->lu.panel, part->several->n);
    return &part->inside;
}

static clsolve_status factor_panel(void *holder, int64_t c, int64_t k, cls_event *ready) {
    const cls_columns *whole = inside(holder, c, k);
    return whole->ops->factor(whole->holder, c, k, ready);
}

static const cls_columns_ops ops = {.view = view,
                                    .factor = factor_panel,
                                    .factored = factored,
                                    .take = take,
                                    .used = used,
                                    .owns = owns,
                                    .behind = behind,
                                    .inside = inside};

/* ---- the factorization ---- */

static cls_columns columns_of(cls_several_part *part) {
    cls_several *several = part->several;
    cls_panel *panel = &part->lu.panel;
    const int by_strips = part->beside != CLS_COMPUTE && !panel->mapped && several->by_strips;
    cls_columns columns = {.ops = &ops,
                           .holder = part,
                           .panel = panel,
                           .ahead = CLS_AHEAD_BLOCK,
                           .beside = part->beside,
                           .end = several->n,
                           .last = part->cols,
                           .block = several->width,
                           .strip = by_strips ? cls_panel_strip(panel, several->n) : several->width,
                           .rows_stay = 1};

    if (part->number == 0) cls_lu_tell_progress(&columns, several->options);
    return columns;
}

static clsolve_status factor(cls_several_part *part, void *what) {
    cls_lu *lu = &part->lu;
    const cls_columns columns = columns_of(part);

    (void)what;
    part->info = 0;
    part->again = 0;
    CLS_TRY(cls_panel_start(&lu->panel, CLS_PANEL_REPEATABLE));
    CLS_TRY(cls_lu_factor_loop(&columns));
    if (part->beside != CLS_COMPUTE) CLS_TRY(lu->device->ops->finish(lu->device, part->beside));
    return cls_panel_end(&lu->panel, &part->info, &part->again);
}

clsolve_status cls_several_factor(cls_several *several, int64_t *info, int *again) {
    *info = 0;
    *again = 0;
    for (int p = 0; p < several->count; ++p) several->parts[p].active = 1;
    cls_several_home_forget(several);
    CLS_TRY(cls_several_pass_begin(several, CLS_LOWER_UNIT, 0, 1));
    const clsolve_status status = cls_several_run(several, factor, NULL);
    cls_several_pass_end(several);
    CLS_TRY(status);
    for (int p = 0; p < several->count; ++p) {
        const cls_several_part *part = &several->parts[p];
        if (part->info > 0 && (*info == 0 || part->info < *info)) *info = part->info;
        *again |= part->again;
    }
    return CLSOLVE_OK;
}
