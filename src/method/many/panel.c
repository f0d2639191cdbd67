/*
 * panel.c: a panel by strips, the widest that the panel's room factors at once, so that of the update by the block column
 * before only the first strip's is waited for (method/lu/lookahead.c has the same of one device):
 *
 *      COMPUTE  strip 0 | its update of strip 1 | strip 1                     | its update of strip 2 | ...
 *      SOON     update by the block before      | strip 0's of 2, 3, ...      | moves in strip 0
 *
 * Through OpenCL each wait for the other queue costs some 10 us, and a panel as a whole is the sooner: n = 16384 on two H100
 * takes 77.6 ms so, and 83.3 by strips.
 */
#include "method/many/many.h"

/* As in method/lu/lookahead.c. */
enum { STRIP = 128, WIDE_STRIP = 256, LARGE = 16384 };

int64_t cls_many_strip(const cls_many_part *part) {
    const int64_t leaf = part->lu.panel.leaf, wanted = part->many->n > LARGE ? WIDE_STRIP : STRIP;

    if (part->beside == CLS_COMPUTE || part->lu.panel.mapped || !part->many->by_strips) return part->many->width;
    return leaf < wanted ? wanted / leaf * leaf : leaf;
}

clsolve_status cls_many_soon_follows(cls_many_part *part) {
    cls_device *device = part->lu.device;
    cls_event *ready = NULL;

    CLS_TRY(device->ops->mark(device, CLS_COMPUTE, &ready));
    clsolve_status status = device->ops->flush(device, CLS_COMPUTE);
    if (status == CLSOLVE_OK) status = device->ops->queue_wait(device, CLS_SOON, ready);
    device->ops->event_release(device, ready);
    return status;
}

clsolve_status cls_many_soon_mark(cls_many_part *part) {
    cls_device *device = part->lu.device;

    device->ops->event_release(device, part->soon);
    part->soon = NULL;
    CLS_TRY(device->ops->mark(device, CLS_SOON, &part->soon));
    return device->ops->flush(device, CLS_SOON);
}

static clsolve_status await_soon(cls_many_part *part) {
    cls_device *device = part->lu.device;

    if (part->soon) CLS_TRY(device->ops->queue_wait(device, CLS_COMPUTE, part->soon));
    device->ops->event_release(device, part->soon);
    part->soon = NULL;
    return CLSOLVE_OK;
}

static clsolve_status by_strips(cls_many_part *part, const cls_matrix *A, int64_t j, int64_t end, int64_t strip) {
    cls_lu *lu = &part->lu;

    for (int64_t c = j, k, next; c < end; c = k) {
        k = end - c > strip ? c + strip : end;
        next = end - k > strip ? k + strip : end;
        const cls_block_column L = {cls_matrix_at(A, c, c), c, k - c, lu->n};
        CLS_TRY(cls_panel_factor(&lu->panel, A, c, lu->n - c, k - c));
        CLS_TRY(cls_many_soon_follows(part));
        CLS_TRY(await_soon(part));
        CLS_TRY(cls_panel_step(&lu->panel, CLS_COMPUTE, &L, A, k, next));
        CLS_TRY(cls_panel_step(&lu->panel, CLS_SOON, &L, A, next, end));
        if (c > j) CLS_TRY(cls_panel_move_rows(&lu->panel, CLS_SOON, A, j, c, c, 0, c, k, 0));
        CLS_TRY(cls_many_soon_mark(part));
    }
    return await_soon(part);
}

clsolve_status cls_many_panel(cls_many_part *part, int64_t b) {
    cls_lu *lu = &part->lu;
    const cls_matrix window = cls_many_window(part, b);
    const int64_t j = cls_many_column(part->many, b), end = cls_many_column(part->many, b + 1);
    const int64_t strip = cls_many_strip(part);

    if (strip >= end - j) return cls_panel_factor(&lu->panel, &window, j, lu->n - j, end - j);
    return by_strips(part, &window, j, end, strip);
}
