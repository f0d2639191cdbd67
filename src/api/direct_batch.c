/* direct_batch.c: checks and setup of the batches of LU, Cholesky and LDL^T: see direct_batch.h. */
#include "api/direct_batch.h"

#include "api/host.h"
#include "api/validate.h"
#include "base/type.h"

int64_t cls_direct_family_largest(const int64_t *orders, int64_t count) {
    int64_t largest = 0;
    if (!orders && count > 0) return -1;
    for (int64_t m = 0; m < count; ++m) {
        if (orders[m] < 0) return -1;
        if (orders[m] > largest) largest = orders[m];
    }
    return largest;
}

int64_t cls_direct_family_classes(const cls_batch_shape *shape) {
    return cls_direct_batch_classes_of(shape->orders, shape->count);
}

/* The host takes what the device's compiler would get wrong. */
static clsolve_status find_place(cls_batch *batch, const cls_direct_batch_shape *shape) {
    cls_choice *choice = &batch->head.choice;
    if (cls_direct_batch_may(choice->device, shape)) return CLSOLVE_OK;
    if (choice->device->callers)
        return cls_fail(&batch->head.context->error, CLSOLVE_ERROR_UNSUPPORTED,
                        "%s: %s has no batches of n = %lld: give arrays on the host, to a context of the library's own",
                        batch->family->kind.create, choice->device->info.name, (long long)shape->n);
    CLS_TRY(cls_context_host(batch->head.context, &choice->device));
    cls_head_count(&batch->head);
    choice->where = "host";
    choice->reason = "the device has no batches of this order";
    return CLSOLVE_OK;
}

clsolve_status cls_direct_family_setup(cls_batch *batch) {
    const cls_batch_shape *asked = &batch->shape;
    const cls_direct_batch_shape shape = {.family = (cls_direct_batch_family)batch->family->engine,
                                          .symmetric = cls_is_complex(asked->type) &&
                                                       asked->symmetry == CLSOLVE_SYMMETRY_TRANSPOSE,
                                          .type = asked->type,
                                          .n = asked->n,
                                          .count = asked->count,
                                          .orders = asked->orders,
                                          .condition = asked->condition};
    CLS_TRY(find_place(batch, &shape));
    return cls_direct_batch_setup(batch->head.choice.device, &shape, cls_direct_family_work(batch));
}

void cls_direct_family_drop(cls_batch *batch) {
    cls_direct_batch_release(cls_direct_family_work(batch));
}

clsolve_status cls_direct_family_built(cls_batch *batch, clsolve_status status) {
    if (status == CLSOLVE_OK) cls_where_built(batch->head.context, &batch->head.choice);
    return status;
}

const int64_t *cls_direct_family_orders(const int64_t *orders) {
    static const int64_t none[1] = {0};
    return orders ? orders : none;
}

clsolve_status cls_direct_family_fetch(cls_batch *batch, int later) {
    return cls_direct_batch_infos(cls_direct_family_work(batch), later, later ? batch->now : batch->infos);
}

/* ---- calls ---- */

int cls_direct_factor_stays(cls_batch *batch, const cls_batch_call *call) {
    (void)call;
    return cls_direct_batch_factor_stays(cls_direct_family_work(batch));
}

int cls_direct_sides_stay(cls_batch *batch, const cls_batch_call *call) {
    return cls_direct_batch_sides_stay(cls_direct_family_work(batch), call->views[0]);
}

clsolve_status cls_direct_run_factor(cls_batch *batch, const cls_batch_call *call, int32_t *infos) {
    return cls_direct_family_built(batch, cls_direct_batch_factor(cls_direct_family_work(batch), call->uplo,
                                                                  call->views[0], infos, &batch->seconds));
}

clsolve_status cls_direct_run_solve(cls_batch *batch, const cls_batch_call *call, int32_t *infos) {
    return cls_direct_family_built(
        batch, cls_direct_batch_solve(cls_direct_family_work(batch), call->op, call->views[0], infos, &batch->seconds));
}

clsolve_status cls_direct_run_factor_solve(cls_batch *batch, const cls_batch_call *call, int32_t *infos) {
    return cls_direct_family_built(batch, cls_direct_batch_factor_solve(cls_direct_family_work(batch), call->op,
                                                                        call->views[0], call->views[1], infos,
                                                                        &batch->seconds));
}

clsolve_status cls_direct_run_inverse(cls_batch *batch, const cls_batch_call *call, int32_t *infos) {
    return cls_direct_family_built(batch, cls_direct_batch_inverse(cls_direct_family_work(batch), call->uplo,
                                                                   call->views[0], infos, &batch->seconds));
}

clsolve_status cls_direct_run_factors(cls_batch *batch, const cls_batch_call *call, int32_t *infos) {
    return cls_direct_family_built(
        batch, cls_direct_batch_factors(cls_direct_family_work(batch), call->uplo, call->views[0], infos, call->ipiv));
}

clsolve_status cls_direct_run_determinant(cls_batch *batch, const cls_batch_call *call, int32_t *infos) {
    double *const *to = call->numbers;
    return cls_direct_family_built(
        batch, cls_direct_batch_determinant(cls_direct_family_work(batch), infos, to[0], to[1], to[2]));
}

clsolve_status cls_direct_run_condition(cls_batch *batch, const cls_batch_call *call, int32_t *infos) {
    if (!batch->shape.condition)
        return cls_fail(&batch->head.context->error, CLSOLVE_ERROR_STATE,
                        "%s: create the handle with the option `condition`", call->name);
    CLS_TRY(cls_validate_pointer(&batch->head.context->error, call->name, "rconds", call->numbers[0]));
    return cls_direct_family_built(batch,
                                   cls_direct_batch_condition(cls_direct_family_work(batch), infos, call->numbers[0]));
}
