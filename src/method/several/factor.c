/*
 * factor.c: right-looking LU over several devices, with a look-ahead of one block column:
 *
 *      owner of b+1   COMPUTE  take b | its update of b+1 | panel b+1        | take b+1 ...
 *                     BESIDE                              | its update of the rest . . . . .
 *      others         COMPUTE  take b
 *                     BESIDE          | its update of all that they have . . . . . . . . . .
 *
 * So the panel, its way to the others and the update of the next block column are hidden as long as the update of the
 * rest takes longer, which only the last block columns' does not. The block column that comes after the next is the
 * first of the rest: COMPUTE then waits for its update alone, and not for the rest's.
 *
 * A panel goes by strips, as those that method/lu/factor.c looks ahead, so that of the update by the block column
 * before only the first strip's is waited for:
 *
 *      COMPUTE  strip 0 | its update of strip 1 | strip 1                     | its update of strip 2 | ...
 *      SOON     update by the block before      | strip 0's of 2, 3, ...      | moves in strip 0
 *
 * Through OpenCL each wait for the other queue costs some 10 us, and a panel as a whole is the sooner: n = 16384 on
 * two H100 takes 77.6 ms so, and 83.3 by strips.
 */
#include "method/events.h"
#include "method/several/several.h"

/* ---- a panel ---- */

/* Columns of a strip. */
static int64_t strip_of(const cls_several_part *part) {
    const cls_panel *panel = &part->lu.panel;
    const int whole = part->beside == CLS_COMPUTE || panel->mapped || !part->several->by_strips;
    return whole ? part->several->width : cls_panel_strip(panel, part->several->n);
}

/* SOON has enqueued what COMPUTE waits for next. */
static clsolve_status mark_soon(cls_several_part *part) {
    cls_device *device = part->lu.device;

    device->ops->event_release(device, part->soon);
    part->soon = NULL;
    CLS_TRY(device->ops->mark(device, CLS_SOON, &part->soon));
    return device->ops->flush(device, CLS_SOON);
}

/* The columns j .. end-1 of A, the first strip of which is up to date, and the others when part->soon is. */
static clsolve_status by_strips(cls_several_part *part, const cls_matrix *A, int64_t j, int64_t end, int64_t strip) {
    cls_lu *lu = &part->lu;

    for (int64_t c = j, k, next; c < end; c = k) {
        k = end - c > strip ? c + strip : end;
        next = end - k > strip ? k + strip : end;
        const cls_block_column L = {cls_matrix_at(A, c, c), c, k - c, lu->n};
        CLS_TRY(cls_panel_factor(&lu->panel, A, c, lu->n - c, k - c));
        CLS_TRY(cls_queue_follow(lu->device, CLS_SOON, CLS_COMPUTE));
        CLS_TRY(cls_queue_take(lu->device, CLS_COMPUTE, &part->soon));
        CLS_TRY(cls_panel_step(&lu->panel, CLS_COMPUTE, &L, A, k, next));
        CLS_TRY(cls_panel_step(&lu->panel, CLS_SOON, &L, A, next, end));
        if (c > j) CLS_TRY(cls_panel_move_rows(&lu->panel, CLS_SOON, A, j, c, c, 0, c, k, 0));
        CLS_TRY(mark_soon(part));
    }
    return cls_queue_take(lu->device, CLS_COMPUTE, &part->soon);
}

/* The panel of block column b, which is the device's own, ready for the others. */
static clsolve_status panel(cls_several_part *part, int64_t b) {
    cls_lu *lu = &part->lu;
    const cls_matrix window = cls_several_window(part, b);
    const int64_t j = cls_several_column(part->several, b), end = cls_several_column(part->several, b + 1);
    const int64_t strip = strip_of(part);

    if (lu->panel.mapped)
        cls_panel_host_factor(&lu->panel, &window, j, lu->n - j, end - j, &part->info);
    else
        CLS_TRY(strip < end - j ? by_strips(part, &window, j, end, strip)
                                : cls_panel_factor(&lu->panel, &window, j, lu->n - j, end - j));
    return cls_several_offer(part, b, 1);
}

/* ---- the loop ---- */

static int owns(const cls_several_part *part, int64_t b) {
    return b < part->several->blocks && part->several->owner[b] == part->number;
}

/* The device's first column behind block column b. */
static int64_t first_behind(const cls_several_part *part, int64_t b) {
    const cls_several *several = part->several;
    for (int64_t c = b + 1; c < several->blocks; ++c)
        if (several->owner[c] == part->number) return several->local[c];
    return part->cols;
}

/* BESIDE begins with what COMPUTE has enqueued until now. */
static clsolve_status follow(cls_several_part *part) {
    return part->beside == CLS_COMPUTE ? CLSOLVE_OK : cls_queue_follow(part->lu.device, part->beside, CLS_COMPUTE);
}

/* The next block column, by block b and then by its panel. */
static clsolve_status next_panel(cls_several_part *part, int64_t b, const cls_block_column *L, int64_t *from) {
    cls_lu *lu = &part->lu;
    cls_device *device = lu->device;
    const int64_t end = *from + cls_several_width(part->several, b + 1);
    const int64_t strip = strip_of(part), first = end - *from > strip ? *from + strip : end;

    CLS_TRY(cls_queue_take(device, CLS_COMPUTE, &part->near));
    CLS_TRY(cls_panel_step(&lu->panel, CLS_COMPUTE, L, &lu->A, *from, first));
    if (first < end) {
        CLS_TRY(cls_queue_follow(device, CLS_SOON, CLS_COMPUTE));
        CLS_TRY(cls_panel_step(&lu->panel, CLS_SOON, L, &lu->A, first, end));
        CLS_TRY(mark_soon(part));
        CLS_TRY(device->ops->mark(device, CLS_SOON, &part->applied)); /* until then L is in use */
    }
    CLS_TRY(follow(part));
    *from = end;
    return panel(part, b + 1);
}

/* All columns from `from` on; the block column that is next but one comes first. */
static clsolve_status rest(cls_several_part *part, int64_t b, const cls_block_column *L, int64_t from) {
    cls_lu *lu = &part->lu;
    cls_device *device = lu->device;

    if (owns(part, b + 2) && part->beside != CLS_COMPUTE) {
        const int64_t end = from + cls_several_width(part->several, b + 2);
        CLS_TRY(cls_panel_step(&lu->panel, part->beside, L, &lu->A, from, end));
        CLS_TRY(device->ops->mark(device, part->beside, &part->near));
        CLS_TRY(device->ops->flush(device, part->beside));
        from = end;
    }
    return cls_panel_step(&lu->panel, part->beside, L, &lu->A, from, part->cols);
}

static clsolve_status step(cls_several_part *part, int64_t b) {
    cls_lu *lu = &part->lu;
    const int64_t j = cls_several_column(part->several, b), width = cls_several_width(part->several, b);
    int64_t from = first_behind(part, b);
    cls_block_column L = {.j = j, .width = width, .end = lu->n};

    CLS_TRY(cls_several_take(part, b, &L.at));
    if (!lu->panel.mapped) CLS_TRY(cls_panel_merge_moves(&lu->panel, CLS_COMPUTE, j, width));
    if (owns(part, b + 1))
        CLS_TRY(next_panel(part, b, &L, &from));
    else
        CLS_TRY(follow(part));
    CLS_TRY(rest(part, b, &L, from));
    CLS_TRY(cls_queue_take(lu->device, part->beside, &part->applied));
    CLS_TRY(cls_several_used(part, b, part->beside));
    return part->number == 0 ? cls_lu_tell(lu, part->several->options, j + width, &part->told) : CLSOLVE_OK;
}

static clsolve_status factor(cls_several_part *part, void *what) {
    cls_lu *lu = &part->lu;

    (void)what;
    part->info = 0;
    part->again = 0;
    CLS_TRY(cls_panel_start(&lu->panel, CLS_PANEL_REPEATABLE));
    if (owns(part, 0)) CLS_TRY(panel(part, 0));
    for (int64_t b = 0; b < part->several->blocks; ++b) CLS_TRY(step(part, b));
    if (part->beside != CLS_COMPUTE) CLS_TRY(lu->device->ops->finish(lu->device, part->beside));
    return cls_panel_end(&lu->panel, &part->info, &part->again);
}

clsolve_status cls_several_factor(cls_several *several, int64_t *info, int *again) {
    *info = 0;
    *again = 0;
    for (int p = 0; p < several->count; ++p) several->parts[p].active = 1;
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
