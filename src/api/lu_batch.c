/* lu_batch.c: the family of LU batches (batch.h). */
#include <clsolve/lu_batch.h>

#include "api/batch.h"
#include "api/validate.h"
#include "base/type.h"
#include "method/lu/batch.h"

struct clsolve_lu_batch {
    cls_batch batch;
    cls_lu_batch work;
};

static clsolve_lu_batch *mine(cls_batch *batch) {
    return (clsolve_lu_batch *)batch;
}

static const char create_call[] = "clsolve_lu_batch_create";

static clsolve_status check(clsolve_context *context, const cls_batch_shape *shape, int alone) {
    cls_error *error = &context->error;
    (void)alone;
    if (shape->orders && shape->n < 0)
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                        "clsolve_lu_batch_create_ragged: orders is NULL, or holds a negative number");
    CLS_TRY(cls_batch_check_sizes(error, create_call, shape));
    CLS_TRY(cls_batch_check_options(error, create_call, shape));
    CLS_TRY(cls_validate_flag(error, create_call, "condition", shape->condition));
    if (shape->n > CLSOLVE_LU_BATCH_LARGEST)
        return cls_fail(error, CLSOLVE_ERROR_UNSUPPORTED, "%s: n is %lld; batches go up to %d: use clsolve_lu for each",
                        create_call, (long long)shape->n, CLSOLVE_LU_BATCH_LARGEST);
    return cls_validate_extent(error, CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY, create_call, shape->count,
                               shape->n * shape->n);
}

/* The average, where each member has its own order. */
static double elements(const cls_batch_shape *shape) {
    double sum = 0;
    for (int64_t m = 0; shape->orders && m < shape->count; ++m)
        sum += (double)shape->orders[m] * (double)shape->orders[m];
    return shape->orders ? sum / (double)shape->count : (double)(shape->n * shape->n);
}

/* The host takes what the device's compiler would get wrong. */
static clsolve_status find_place(cls_batch *batch) {
    cls_choice *choice = &batch->choice;
    if (cls_lu_batch_may(choice->device, batch->shape.n)) return CLSOLVE_OK;
    if (choice->device->callers)
        return cls_fail(&batch->context->error, CLSOLVE_ERROR_UNSUPPORTED,
                        "%s: %s has no batches of n = %lld: give arrays on the host, to a context of the library's own",
                        create_call, choice->device->info.name, (long long)batch->shape.n);
    CLS_TRY(cls_context_host(batch->context, &choice->device));
    choice->where = "host";
    choice->reason = "the device has no batches of this order";
    return CLSOLVE_OK;
}

static clsolve_status setup(cls_batch *batch) {
    const cls_batch_shape *shape = &batch->shape;
    CLS_TRY(find_place(batch));
    if (shape->orders)
        return cls_lu_batch_setup_ragged(batch->choice.device, shape->orders, shape->n, shape->count, shape->type,
                                         shape->condition, &mine(batch)->work);
    return cls_lu_batch_setup(batch->choice.device, shape->n, shape->count, shape->type, shape->condition,
                              &mine(batch)->work);
}

static void release(cls_batch *batch) {
    cls_lu_batch_release(&mine(batch)->work);
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
                                        .elements = elements,
                                        .setup = setup,
                                        .release = release};

/* ---- calls ---- */

static clsolve_status built(cls_batch *batch, clsolve_status status) {
    if (status == CLSOLVE_OK) cls_where_built(batch->context, &batch->choice);
    return status;
}

static clsolve_status run_factor(cls_batch *batch, const cls_batch_call *call, int32_t *infos) {
    return built(batch, cls_lu_batch_factor(&mine(batch)->work, call->views[0], infos, &batch->seconds));
}

static clsolve_status run_solve(cls_batch *batch, const cls_batch_call *call, int32_t *infos) {
    return built(batch, cls_lu_batch_solve(&mine(batch)->work, call->op, call->views[0], infos, &batch->seconds));
}

static clsolve_status run_inverse(cls_batch *batch, const cls_batch_call *call, int32_t *infos) {
    return built(batch, cls_lu_batch_inverse(&mine(batch)->work, call->views[0], infos, &batch->seconds));
}

static clsolve_status run_factors(cls_batch *batch, const cls_batch_call *call, int32_t *infos) {
    return built(batch, cls_lu_batch_factors(&mine(batch)->work, call->views[0], infos, call->ipiv));
}

static clsolve_status run_determinant(cls_batch *batch, const cls_batch_call *call, int32_t *infos) {
    double *const *to = call->numbers;
    return built(batch, cls_lu_batch_determinant(&mine(batch)->work, infos, to[0], to[1], to[2]));
}

static clsolve_status run_condition(cls_batch *batch, const cls_batch_call *call, int32_t *infos) {
    if (!batch->shape.condition)
        return cls_fail(&batch->context->error, CLSOLVE_ERROR_STATE,
                        "%s: create the handle with the option `condition`", call->name);
    if (!call->numbers[0])
        return cls_fail(&batch->context->error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: rconds is NULL", call->name);
    return built(batch, cls_lu_batch_condition(&mine(batch)->work, infos, call->numbers[0]));
}

static const cls_batch_verb factor = {.call = "clsolve_lu_batch_factor",
                                      .kind = CLS_BATCH_FACTOR,
                                      .arguments = {{"A", CLS_BATCH_N, CLS_BATCH_N, CLS_BATCH_READ}},
                                      .run = run_factor};
static const cls_batch_verb solve = {.call = "clsolve_lu_batch_solve",
                                     .kind = CLS_BATCH_SOLVE,
                                     .arguments = {{"B", CLS_BATCH_N, CLS_BATCH_ANY, CLS_BATCH_WRITTEN}},
                                     .run = run_solve};
static const cls_batch_verb inverse = {.call = "clsolve_lu_batch_inverse",
                                       .kind = CLS_BATCH_SOLVE,
                                       .arguments = {{"X", CLS_BATCH_N, CLS_BATCH_N, CLS_BATCH_WRITTEN}},
                                       .run = run_inverse};
static const cls_batch_verb factors = {.call = "clsolve_lu_batch_factors",
                                       .kind = CLS_BATCH_EXPORT,
                                       .arguments = {{"F", CLS_BATCH_N, CLS_BATCH_N, CLS_BATCH_WANTED}},
                                       .run = run_factors};
static const cls_batch_verb determinant = {
    .call = "clsolve_lu_batch_determinant", .kind = CLS_BATCH_EXPORT, .run = run_determinant};
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
    const int64_t parts = batch ? cls_type_parts(batch->batch.shape.type) : 1;
    const cls_batch_call call = {.verb = &determinant, .numbers = {det, sign, log_abs}, .each = {parts, parts, 1}};
    return cls_batch_run((cls_batch *)batch, &call);
}

clsolve_status clsolve_lu_batch_condition(clsolve_lu_batch *batch, double *rconds) {
    const cls_batch_call call = {.verb = &condition, .numbers = {rconds}, .each = {1}};
    return cls_batch_run((cls_batch *)batch, &call);
}

/* ---- handles ---- */

clsolve_status clsolve_lu_batch_create(clsolve_context *context, int64_t n, int64_t count, clsolve_type type,
                                       const clsolve_lu_batch_options *options, clsolve_lu_batch **batch) {
    const cls_batch_shape shape = {.n = n,
                                   .count = count,
                                   .type = type,
                                   .condition = options ? options->condition : 0,
                                   .where = options ? options->where : CLSOLVE_WHERE_AUTO,
                                   CLS_BATCH_RESERVED(options)};
    void *made = NULL;
    const clsolve_status status = cls_batch_create(&family, context, &shape, batch ? &made : NULL);
    if (batch) *batch = made;
    return status;
}

/* The largest of them; -1: one is no order. */
static int64_t largest_of(const int64_t *orders, int64_t count) {
    int64_t largest = 0;
    for (int64_t m = 0; m < count; ++m) {
        if (orders[m] < 0) return -1;
        if (orders[m] > largest) largest = orders[m];
    }
    return largest;
}

clsolve_status clsolve_lu_batch_create_ragged(clsolve_context *context, const int64_t *orders, int64_t count,
                                              clsolve_type type, const clsolve_lu_batch_options *options,
                                              clsolve_lu_batch **batch) {
    static const int64_t none[1] = {0};
    const cls_batch_shape shape = {.n = orders      ? largest_of(orders, count)
                                        : count > 0 ? -1
                                                    : 0,
                                   .orders = orders ? orders : none,
                                   .count = count,
                                   .type = type,
                                   .condition = options ? options->condition : 0,
                                   .where = options ? options->where : CLSOLVE_WHERE_AUTO,
                                   CLS_BATCH_RESERVED(options)};
    void *made = NULL;
    const clsolve_status status = cls_batch_create(&family, context, &shape, batch ? &made : NULL);
    if (batch) *batch = made;
    return status;
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
