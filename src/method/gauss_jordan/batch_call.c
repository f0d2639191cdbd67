/*
 * batch_call.c: the members of a call, which the kernel takes where they lie on the device, or as copies in the
 * handle's memory. Copies are made of members
 *
 *   on the host, or by offsets;
 *   of a buffer that its owner keeps from kernels, or that begin at no multiple of an element's size;
 *   of A, where A and the results lie in the same memory, and not member for member in the same places;
 *   of B with more right-hand sides than a launch takes: a later launch may find that a member has no solution.
 */
#include "method/gauss_jordan/batch.h"
#include "method/members.h"

static cls_gj_members members_at(const clsolve_batch *view, clsolve_op op, cls_buffer *buffer, int64_t offset,
                                 int64_t ld, int64_t member) {
    const int by_column = (view->layout == CLSOLVE_COLUMN_MAJOR) == (op == CLSOLVE_NO_TRANS);
    const cls_gj_strides strides = {by_column ? 1 : ld, by_column ? ld : 1, op == CLSOLVE_CONJ_TRANS};
    return (cls_gj_members){buffer, offset, member, strides};
}

cls_gj_members cls_gj_batch_tight(const clsolve_batch *view, clsolve_op op, cls_buffer *buffer) {
    const int64_t line = view->layout == CLSOLVE_COLUMN_MAJOR ? view->rows : view->cols;
    return members_at(view, op, buffer, 0, line, view->rows * view->cols);
}

static cls_gj_members there(const clsolve_batch *view, clsolve_op op, cls_buffer *theirs) {
    return members_at(view, op, theirs, view->offset, view->ld, view->stride);
}

/* An inverse takes the place of its matrix: then the layouts may differ. */
static int is_in_place(const cls_gj_call *call) {
    const clsolve_batch *A = call->A, *X = call->B;
    return call->inverse && (A->stride == X->stride || A->count == 1) && A->ld == X->ld &&
           cls_members_begin_together(A, call->a, X, call->b);
}

static void drop(cls_device *device, cls_buffer **theirs) {
    device->ops->buffer_destroy(device, *theirs);
    *theirs = NULL;
}

/* Which of the caller's buffers the kernel takes. */
static clsolve_status choose(cls_device *device, cls_gj_call *call) {
    const int one_launch = call->inverse || call->B->cols <= cls_gj_batch_launch_rhs();

    CLS_TRY(cls_members_there(device, call->A, 0, &call->a));
    if (one_launch) CLS_TRY(cls_members_there(device, call->B, 1, &call->b));
    if (call->a && call->b && cls_members_meet(call->A, call->a, call->B, call->b) && !is_in_place(call))
        drop(device, &call->a);
    return CLSOLVE_OK;
}

clsolve_status cls_gj_batch_up(cls_gj_batch *batch, cls_gj_call *call) {
    cls_device *device = batch->device;

    CLS_TRY(choose(device, call));
    if (!call->a || (call->inverse && !call->b)) CLS_TRY(cls_gj_batch_reserve_A(batch));
    if (!call->inverse && !call->b) CLS_TRY(cls_gj_batch_reserve_B(batch, call->B->cols));
    cls_buffer *results = call->inverse ? batch->A : batch->B;
    call->from = call->a ? there(call->A, call->op, call->a) : cls_gj_batch_tight(call->A, call->op, batch->A);
    call->to =
        call->b ? there(call->B, CLSOLVE_NO_TRANS, call->b) : cls_gj_batch_tight(call->B, CLSOLVE_NO_TRANS, results);
    if (!call->a) CLS_TRY(cls_members_up(device, call->A, batch->A));
    return call->inverse || call->b ? CLSOLVE_OK : cls_members_up(device, call->B, batch->B);
}

clsolve_status cls_gj_batch_down(cls_gj_batch *batch, const cls_gj_call *call, const int32_t *infos) {
    return call->b ? CLSOLVE_OK : cls_members_down(batch->device, call->B, call->inverse ? batch->A : batch->B, infos);
}

void cls_gj_batch_leave(cls_gj_batch *batch, cls_gj_call *call) {
    drop(batch->device, &call->a);
    drop(batch->device, &call->b);
}
