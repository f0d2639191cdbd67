/* lu_batch.c: the family of LU batches (batch.h). */
#include <clsolve/lu_batch.h>

#include "api/direct_batch.h"
#include "api/validate.h"

static clsolve_status check(clsolve_context *context, const cls_batch_shape *shape, int alone) {
    (void)alone;
    return cls_validate_flag(&context->error, "clsolve_lu_batch_create", "condition", shape->condition);
}

static const cls_batch_family family = {CLS_DIRECT_FAMILY("lu", CLS_DIRECT_BATCH_LU),
                                        .told = "singular members",
                                        .largest = CLSOLVE_LU_BATCH_LARGEST,
                                        .model_percent = 70,
                                        .members = CLS_MEMBERS_LU,
                                        .check = check};

/* ---- calls ---- */

static const cls_batch_verb factor = CLS_DIRECT_FACTOR("lu");
static const cls_batch_verb solve = CLS_DIRECT_SOLVE("lu");
static const cls_batch_verb inverse = CLS_DIRECT_INVERSE("lu");
static const cls_batch_verb factors = CLS_DIRECT_FACTORS("lu", CLS_BATCH_WANTED);
static const cls_batch_verb factor_solve = CLS_DIRECT_VERB(
    "lu", "factor_solve", CLS_BATCH_WHOLE, cls_direct_run_factor_solve, NULL,
    {"A", CLS_BATCH_N, CLS_BATCH_N, CLS_BATCH_READ}, {"B", CLS_BATCH_N, CLS_BATCH_ANY, CLS_BATCH_WRITTEN});
static const cls_batch_verb determinant = CLS_DIRECT_DETERMINANT("lu");
static const cls_batch_verb condition = CLS_DIRECT_CONDITION("lu");

CLS_BATCH_CALLS(lu, factor, (const clsolve_batch *A), .views = {A})
CLS_BATCH_CALLS(lu, solve, (clsolve_op op, clsolve_batch *B), .op = op, .views = {B})
CLS_BATCH_CALLS(lu, inverse, (clsolve_batch * X), .views = {X})
CLS_BATCH_CALL(lu, factor_solve, (clsolve_op op, const clsolve_batch *A, clsolve_batch *B, int64_t *info), .op = op,
               .views = {A, B}, .info = info)
CLS_BATCH_CALL(lu, factors, (clsolve_batch * F, int64_t *ipiv), .views = {F}, .ipiv = ipiv)
CLS_BATCH_CALL(lu, determinant, (double *det, double *sign, double *log_abs), .numbers = {det, sign, log_abs},
               .each = {CLS_BATCH_PARTS, CLS_BATCH_PARTS, 1})
CLS_BATCH_CALL(lu, condition, (double *rconds), .numbers = {rconds}, .each = {1})

/* ---- handles ---- */

clsolve_status clsolve_lu_batch_create(clsolve_context *context, int64_t n, int64_t count, clsolve_type type,
                                       const clsolve_lu_batch_options *options, clsolve_lu_batch **batch) {
    const cls_batch_shape shape = {CLS_DIRECT_SHAPE(n, count, type, options),
                                   .condition = options ? options->condition : 0};
    return cls_batch_create(&family, context, &shape, batch);
}

clsolve_status clsolve_lu_batch_create_ragged(clsolve_context *context, const int64_t *orders, int64_t count,
                                              clsolve_type type, const clsolve_lu_batch_options *options,
                                              clsolve_lu_batch **batch) {
    const cls_batch_shape shape = {CLS_DIRECT_RAGGED(orders, count, type, options),
                                   .condition = options ? options->condition : 0};
    return cls_batch_create(&family, context, &shape, batch);
}

CLS_BATCH_DESTROY(lu)
CLS_BATCH_TOLD(lu)
CLS_BATCH_INFOS(lu)
