/* lu_batch.c: the family of LU batches (batch.h). */
#include <clsolve/lu_batch.h>

#include "api/direct_batch.h"
#include "api/validate.h"
#include "base/type.h"

struct clsolve_lu_batch {
    cls_direct_handle it;
};

static const char create_call[] = "clsolve_lu_batch_create";

static clsolve_status check(clsolve_context *context, const cls_batch_shape *shape, int alone) {
    (void)alone;
    CLS_TRY(cls_direct_family_check(context, shape, create_call, "clsolve_lu_batch_create_ragged",
                                    CLSOLVE_LU_BATCH_LARGEST, "clsolve_lu"));
    return cls_validate_flag(&context->error, create_call, "condition", shape->condition);
}

static clsolve_status setup(cls_batch *batch) {
    return cls_direct_family_setup(batch, CLS_DIRECT_BATCH_LU);
}

/* A factorization has a third of the operations of an inverse: the model has batches of inverses, of any order. */
static const cls_batch_family family = {.create = create_call,
                                        .factor = "clsolve_lu_batch_factor",
                                        .report = "clsolve_lu_batch_report",
                                        .method = "lu",
                                        .matrices = "many",
                                        .told = "singular members",
                                        .handle_bytes = sizeof(clsolve_lu_batch),
                                        .model = CLS_FAMILY_BATCH,
                                        .model_percent = 70,
                                        .kind = CLS_MEMBERS_LU,
                                        .total_has_create = 1,
                                        .check = check,
                                        .elements = cls_direct_family_elements,
                                        .classes = cls_direct_family_classes,
                                        .setup = setup,
                                        .release = cls_direct_family_drop};

/* ---- calls ---- */

static clsolve_status run_condition(cls_batch *batch, const cls_batch_call *call, int32_t *infos) {
    if (!batch->shape.condition)
        return cls_fail(&batch->context->error, CLSOLVE_ERROR_STATE,
                        "%s: create the handle with the option `condition`", call->name);
    if (!call->numbers[0])
        return cls_fail(&batch->context->error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: rconds is NULL", call->name);
    return cls_direct_family_built(batch,
                                   cls_direct_batch_condition(cls_direct_family_work(batch), infos, call->numbers[0]));
}

static const cls_batch_verb factor = CLS_DIRECT_FACTOR("lu");
static const cls_batch_verb solve = CLS_DIRECT_SOLVE("lu");
static const cls_batch_verb inverse = CLS_DIRECT_INVERSE("lu");
static const cls_batch_verb factors = CLS_DIRECT_FACTORS("lu", CLS_BATCH_WANTED);
static const cls_batch_verb determinant = CLS_DIRECT_DETERMINANT("lu");
static const cls_batch_verb condition = {
    .call = "clsolve_lu_batch_condition", .kind = CLS_BATCH_EXPORT, .run = run_condition};

clsolve_status clsolve_lu_batch_factor(clsolve_lu_batch *batch, const clsolve_batch *A, int64_t *info) {
    const cls_batch_call call = {.verb = &factor, .views = {A}, .info = info};
    return cls_batch_run((cls_batch *)batch, &call);
}

clsolve_status clsolve_lu_batch_factor_enqueue(clsolve_lu_batch *batch, const clsolve_batch *A, int64_t *info,
                                               const clsolve_events *events) {
    const cls_batch_call call = {.verb = &factor, .views = {A}, .info = info};
    return cls_batch_enqueue((cls_batch *)batch, &call, events);
}

clsolve_status clsolve_lu_batch_solve(clsolve_lu_batch *batch, clsolve_op op, clsolve_batch *B, int64_t *info) {
    const cls_batch_call call = {.verb = &solve, .op = op, .views = {B}, .info = info};
    return cls_batch_run((cls_batch *)batch, &call);
}

clsolve_status clsolve_lu_batch_solve_enqueue(clsolve_lu_batch *batch, clsolve_op op, clsolve_batch *B, int64_t *info,
                                              const clsolve_events *events) {
    const cls_batch_call call = {.verb = &solve, .op = op, .views = {B}, .info = info};
    return cls_batch_enqueue((cls_batch *)batch, &call, events);
}

clsolve_status clsolve_lu_batch_inverse(clsolve_lu_batch *batch, clsolve_batch *X, int64_t *info) {
    const cls_batch_call call = {.verb = &inverse, .views = {X}, .info = info};
    return cls_batch_run((cls_batch *)batch, &call);
}

clsolve_status clsolve_lu_batch_inverse_enqueue(clsolve_lu_batch *batch, clsolve_batch *X, int64_t *info,
                                                const clsolve_events *events) {
    const cls_batch_call call = {.verb = &inverse, .views = {X}, .info = info};
    return cls_batch_enqueue((cls_batch *)batch, &call, events);
}

clsolve_status clsolve_lu_batch_factors(clsolve_lu_batch *batch, clsolve_batch *F, int64_t *ipiv) {
    const cls_batch_call call = {.verb = &factors, .views = {F}, .ipiv = ipiv};
    return cls_batch_run((cls_batch *)batch, &call);
}

clsolve_status clsolve_lu_batch_determinant(clsolve_lu_batch *batch, double *det, double *sign, double *log_abs) {
    const int64_t parts = batch ? cls_type_parts(batch->it.batch.shape.type) : 1;
    const cls_batch_call call = {.verb = &determinant, .numbers = {det, sign, log_abs}, .each = {parts, parts, 1}};
    return cls_batch_run((cls_batch *)batch, &call);
}

clsolve_status clsolve_lu_batch_condition(clsolve_lu_batch *batch, double *rconds) {
    const cls_batch_call call = {.verb = &condition, .numbers = {rconds}, .each = {1}};
    return cls_batch_run((cls_batch *)batch, &call);
}

/* ---- handles ---- */

/* orders: NULL, or of each member its own. */
static clsolve_status create(clsolve_context *context, int64_t n, const int64_t *orders, int64_t count,
                             clsolve_type type, const clsolve_lu_batch_options *options, clsolve_lu_batch **batch) {
    const cls_batch_shape shape = {CLS_DIRECT_SHAPE(n, orders, count, type, options),
                                   .condition = options ? options->condition : 0};
    void *made = NULL;
    const clsolve_status status = cls_batch_create(&family, context, &shape, batch ? &made : NULL);
    if (batch) *batch = made;
    return status;
}

clsolve_status clsolve_lu_batch_create(clsolve_context *context, int64_t n, int64_t count, clsolve_type type,
                                       const clsolve_lu_batch_options *options, clsolve_lu_batch **batch) {
    return create(context, n, NULL, count, type, options, batch);
}

clsolve_status clsolve_lu_batch_create_ragged(clsolve_context *context, const int64_t *orders, int64_t count,
                                              clsolve_type type, const clsolve_lu_batch_options *options,
                                              clsolve_lu_batch **batch) {
    return create(context, cls_direct_family_largest(orders, count), cls_direct_family_orders(orders), count, type,
                  options, batch);
}

void clsolve_lu_batch_destroy(clsolve_lu_batch *batch) {
    cls_batch_destroy((cls_batch *)batch);
}

clsolve_status clsolve_lu_batch_status(clsolve_lu_batch *batch) {
    return cls_batch_status((cls_batch *)batch);
}

clsolve_status clsolve_lu_batch_report(const clsolve_lu_batch *batch, clsolve_report *report) {
    return cls_batch_report((const cls_batch *)batch, report);
}
