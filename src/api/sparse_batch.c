/* sparse_batch.c: the family of batches of sparse matrices of one pattern (batch.h). */
#include <clsolve/sparse_batch.h>

#include <math.h>

#include "api/batch_call.h"
#include "api/validate.h"
#include "method/sparse_batch/batch.h"

struct clsolve_sparse_batch {
    cls_batch batch;
    cls_sparse_batch work; /* zeros in a handle of several devices */
};

static clsolve_sparse_batch *mine(cls_batch *batch) {
    return (clsolve_sparse_batch *)batch;
}

/* The handle that the caller has owns the plan; handles of single devices share it. */
static const cls_sparse_plan *plan_of(const cls_batch_shape *shape) {
    return shape->plan;
}

/* ---- create ---- */

static const char create_call[] = "clsolve_sparse_batch_create_csr";

static clsolve_status check(clsolve_context *context, const cls_batch_shape *shape, int alone) {
    cls_error *error = &context->error;
    const cls_sparse_plan *plan = plan_of(shape);
    (void)alone;
    if (shape->memory_limit < 0)
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: memory_limit is %lld: give 0 or more", create_call,
                        (long long)shape->memory_limit);
    const int64_t most = plan->slots > shape->entries ? plan->slots : shape->entries;
    return cls_validate_extent(error, CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY, create_call, shape->count,
                               most > shape->n ? most : shape->n);
}

static double elements(const cls_batch_shape *shape) {
    return (double)(plan_of(shape)->slots + plan_of(shape)->A.entries);
}

/* The order of a dense matrix whose inverse takes as many products as a factorization and a solve. */
static int64_t model_order(const cls_batch_shape *shape) {
    const cls_sparse_plan *plan = plan_of(shape);
    return (int64_t)cbrt((double)(plan->factor.pairs + 2 * plan->slots)) + 1;
}

static clsolve_status setup(cls_batch *batch) {
    const cls_batch_shape *shape = &batch->shape;
    return cls_sparse_batch_setup(batch->head.choice.device, plan_of(shape), shape->count, shape->memory_limit,
                                  &mine(batch)->work);
}

static void release(cls_batch *batch) {
    cls_sparse_batch_release(&mine(batch)->work);
}

static void add_report(const cls_batch *batch, clsolve_report *report) {
    const cls_sparse_batch *work = &((const clsolve_sparse_batch *)batch)->work;
    if (!work->plan) return;
    report->refinement.backward_error = work->backward_error;
    report->iterations = work->iterations;
}

static const cls_batch_family family = {CLS_BATCH_KIND,
                                        .kind.create = create_call,
                                        .factor = "clsolve_sparse_batch_factor",
                                        .kind.report = "clsolve_sparse_batch_report",
                                        .kind.method = "sparse-lu",
                                        .kind.handle = "a handle of sparse matrices",
                                        .told = "singular members",
                                        .kind.bytes = sizeof(clsolve_sparse_batch),
                                        .model = CLS_FAMILY_BATCH,
                                        .model_order = model_order,
                                        .members = CLS_MEMBERS_SPARSE,
                                        .check = check,
                                        .elements = elements,
                                        .setup = setup,
                                        .release = release,
                                        .add_report = add_report};

/* ---- calls ---- */

static clsolve_status run_factor(cls_batch *batch, const cls_batch_call *call, int32_t *infos) {
    return cls_sparse_batch_factor(&mine(batch)->work, call->views[0], infos, &batch->seconds);
}

static clsolve_status run_solve(cls_batch *batch, const cls_batch_call *call, int32_t *infos) {
    const clsolve_status status =
        cls_sparse_batch_solve(&mine(batch)->work, call->op, call->views[0], infos, &batch->seconds);
    if (status == CLSOLVE_OK) cls_where_built(batch->head.context, &batch->head.choice);
    return status;
}

static clsolve_status run_determinant(cls_batch *batch, const cls_batch_call *call, int32_t *infos) {
    double *const *to = call->numbers;
    return cls_sparse_batch_determinant(&mine(batch)->work, infos, to[0], to[1], to[2]);
}

static clsolve_status run_condition(cls_batch *batch, const cls_batch_call *call, int32_t *infos) {
    CLS_TRY(cls_validate_pointer(&batch->head.context->error, call->name, "rconds", call->numbers[0]));
    return cls_sparse_batch_condition(&mine(batch)->work, infos, call->numbers[0]);
}

static const cls_batch_verb factor = {.call = "clsolve_sparse_batch_factor",
                                      .kind = CLS_BATCH_FACTOR,
                                      .arguments = {{"values", CLS_BATCH_ENTRIES, CLS_BATCH_ONE, CLS_BATCH_READ}},
                                      .run = run_factor};
static const cls_batch_verb solve = {.call = "clsolve_sparse_batch_solve",
                                     .kind = CLS_BATCH_SOLVE,
                                     .arguments = {{"B", CLS_BATCH_N, CLS_BATCH_ANY, CLS_BATCH_WRITTEN}},
                                     .run = run_solve};

static const cls_batch_verb determinant = {
    .call = "clsolve_sparse_batch_determinant", .kind = CLS_BATCH_EXPORT, .run = run_determinant};

static const cls_batch_verb condition = {
    .call = "clsolve_sparse_batch_condition", .kind = CLS_BATCH_EXPORT, .run = run_condition};

CLS_BATCH_CALLS(sparse, factor, (const clsolve_batch *A), .views = {A})
CLS_BATCH_CALLS(sparse, solve, (clsolve_op op, clsolve_batch *B), .op = op, .views = {B})
CLS_BATCH_CALL(sparse, determinant, (double *det, double *sign, double *log_abs), .numbers = {det, sign, log_abs},
               .each = {CLS_BATCH_PARTS, CLS_BATCH_PARTS, 1})
CLS_BATCH_CALL(sparse, condition, (double *rconds), .numbers = {rconds}, .each = {1})

/* ---- handles ---- */

static clsolve_status make_plan(clsolve_context *context, const clsolve_csr *A, cls_sparse_plan **plan) {
    CLS_TRY(cls_enter(context));
    return cls_leave(context, cls_sparse_plan_make(&context->error, create_call, A, plan));
}

clsolve_status clsolve_sparse_batch_create_csr(clsolve_context *context, const clsolve_csr *A, int64_t count,
                                               const clsolve_sparse_batch_options *options,
                                               clsolve_sparse_batch **batch) {
    cls_sparse_plan *plan = NULL;
    void *made = NULL;
    if (batch) *batch = NULL;
    if (!context) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(make_plan(context, A, &plan));
    const cls_batch_shape shape = {.n = plan->A.n,
                                   .count = count,
                                   .entries = plan->A.given,
                                   .memory_limit = options ? options->memory_limit : 0,
                                   .plan = plan,
                                   .type = plan->type,
                                   .where = options ? options->where : CLSOLVE_WHERE_AUTO,
                                   CLS_BATCH_RESERVED(options)};
    const clsolve_status status = cls_batch_create(&family, context, &shape, batch ? &made : NULL);
    if (status != CLSOLVE_OK) cls_sparse_plan_free(plan);
    if (batch) *batch = made;
    return status;
}

void clsolve_sparse_batch_destroy(clsolve_sparse_batch *batch) {
    if (!batch) return;
    cls_sparse_plan *plan = (cls_sparse_plan *)plan_of(&batch->batch.shape);
    cls_batch_destroy(&batch->batch);
    cls_sparse_plan_free(plan);
}

/* ---- what is known ---- */

/* Members done anew, and the portion of the first device. */
static void add_work(const cls_batch *batch, clsolve_sparse_batch_analysis *analysis) {
    const cls_sparse_batch *work = &((const clsolve_sparse_batch *)batch)->work;
    analysis->again += work->again;
    if (analysis->portion == 0) analysis->portion = work->portion;
}

clsolve_status clsolve_sparse_batch_get_analysis(const clsolve_sparse_batch *batch,
                                                 clsolve_sparse_batch_analysis *analysis) {
    if (!batch) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    clsolve_context *context = batch->batch.head.context;
    const cls_sparse_plan *plan = plan_of(&batch->batch.shape);
    CLS_TRY(cls_enter(context));
    const clsolve_status status =
        cls_validate_pointer(&context->error, "clsolve_sparse_batch_get_analysis", "analysis", analysis);
    if (status != CLSOLVE_OK) return cls_leave(context, status);
    *analysis = (clsolve_sparse_batch_analysis){.n = plan->A.n,
                                                .entries = plan->A.entries,
                                                .structural_rank = plan->rank,
                                                .factor_entries = plan->slots,
                                                .products = plan->factor.pairs,
                                                .levels = plan->factor.levels,
                                                .seconds = plan->seconds};
    const cls_slices *slices = &batch->batch.slices;
    for (int64_t d = 0; d < slices->devices; d++)
        if (slices->handles[d]) add_work(slices->handles[d], analysis);
    if (slices->devices == 0) add_work(&batch->batch, analysis);
    return cls_leave(context, CLSOLVE_OK);
}

CLS_BATCH_TOLD(sparse)
