/*
 * lookahead.c: native panels under the trailing update. Two queues (J. Kurzak, J. Dongarra, Implementing linear algebra
 * routines on multi-core processors with pipelining and a look ahead, PARA 2006, with one block looked ahead):
 *
 *      COMPUTE  panel j | block j+1 as block j wants it | panel j+1               | block j+2 ...
 *      BESIDE                                           | all columns behind it . . . . | ...
 *
 * COMPUTE touches block j+1 when BESIDE has done with it for block j-1. Where panels are a few launches of groups that must
 * run together, BESIDE begins with panel j+1 and not before: so its first leaf finds room for all its groups, and the
 * products take the rest of the device; later leaves wait for groups of the product to end. A panel of many small launches
 * gains more from a BESIDE that begins with panel j's end, where the device prefers COMPUTE's.
 */
#include "method/lu/lu.h"

/* What block j does to the columns from .. to-1: moves rows, solves, multiplies. */
static clsolve_status apply(cls_lu *lu, int64_t j, int64_t width, int64_t from, int64_t to) {
    if (from >= to) return CLSOLVE_OK;
    CLS_TRY(cls_lu_move_rows(lu, &lu->A, from, to, to, 0, j, j + width, 0));
    return cls_lu_update(lu, j, width, from, to);
}

static clsolve_status beside(cls_lu *lu, int64_t begin, int64_t j, int64_t width, int64_t from, int64_t end) {
    cls_device *device = lu->device;

    device->blas_queue = CLS_BESIDE;
    clsolve_status status = apply(lu, j, width, from, end);
    if (status == CLSOLVE_OK && j > begin) status = cls_lu_move_rows(lu, &lu->A, begin, j, j, 0, j, j + width, 0);
    device->blas_queue = CLS_COMPUTE;
    return status;
}

/* The next panel's columns brought up to date. */
static clsolve_status bring_next(cls_lu *lu, int64_t j, int64_t width, int64_t next, cls_event *before) {
    if (before) CLS_TRY(lu->device->ops->queue_wait(lu->device, CLS_COMPUTE, before));
    return apply(lu, j, width, j + width, j + width + next);
}

static clsolve_status panel_of(cls_lu *lu, int64_t k, int64_t next) {
    if (next > 0) CLS_TRY(cls_lu_panel(lu, k, next));
    return lu->device->ops->flush(lu->device, CLS_COMPUTE); /* not after what is beside it */
}

/* One block. *done: BESIDE has done with the block before; becomes the same of this one. */
static clsolve_status step(cls_lu *lu, int64_t begin, int64_t j, int64_t width, int64_t next, int64_t end,
                           cls_event **done) {
    cls_device *device = lu->device;
    const cls_device_ops *ops = device->ops;
    cls_event *ready = NULL, *before = *done;
    int64_t k = j + width;

    *done = NULL;
    clsolve_status status = cls_lu_merge_moves(lu, j, width);
    if (status == CLSOLVE_OK && lu->few_launches) status = bring_next(lu, j, width, next, before);
    if (status == CLSOLVE_OK) status = ops->mark(device, CLS_COMPUTE, &ready);
    if (status == CLSOLVE_OK && lu->few_launches) status = panel_of(lu, k, next);
    if (status == CLSOLVE_OK) status = ops->queue_wait(device, CLS_BESIDE, ready);
    if (status == CLSOLVE_OK) status = beside(lu, begin, j, width, k + next, end);
    if (status == CLSOLVE_OK) status = ops->mark(device, CLS_BESIDE, done);
    if (status == CLSOLVE_OK) status = ops->flush(device, CLS_BESIDE);
    if (status == CLSOLVE_OK && !lu->few_launches) status = bring_next(lu, j, width, next, before);
    if (status == CLSOLVE_OK && !lu->few_launches) status = panel_of(lu, k, next);
    ops->event_release(device, ready);
    ops->event_release(device, before);
    return status;
}

static int64_t at_most(int64_t value, int64_t most) {
    return value < most ? value : most;
}

clsolve_status cls_lu_factor_ahead(cls_lu *lu, int64_t begin, int64_t end, const clsolve_lu_options *options,
                                   cls_event **previous) {
    cls_device *device = lu->device;
    cls_event *done = NULL;
    clsolve_status status = CLSOLVE_OK;

    if (begin >= end) return CLSOLVE_OK;
    status = cls_lu_panel(lu, begin, at_most(lu->block, end - begin));
    for (int64_t j = begin; j < end && status == CLSOLVE_OK; j += lu->block) {
        int64_t width = at_most(lu->block, end - j), next = at_most(lu->block, end - j - width);
        status = step(lu, begin, j, width, next, end, &done);
        if (status == CLSOLVE_OK) status = cls_lu_tell(lu, options, j + width, previous);
    }
    if (status == CLSOLVE_OK && done) status = device->ops->queue_wait(device, CLS_COMPUTE, done);
    device->ops->event_release(device, done);
    /* After a failure nothing may still run in memory that its owner gives back. */
    if (status != CLSOLVE_OK) (void)device->ops->finish(device, CLS_BESIDE);
    return status;
}
