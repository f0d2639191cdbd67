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

clsolve_status clsolve_lu_batch_factor(clsolve_lu_batch *batch, const clsolve_batch *A, int64_t *info) {
    return CLS_BATCH_RUN(batch, .verb = &factor, .views = {A}, .info = info);
}

clsolve_status clsolve_lu_batch_factor_enqueue(clsolve_lu_batch *batch, const clsolve_batch *A, int64_t *info,
                                               const clsolve_events *events) {
    return CLS_BATCH_ENQUEUE(batch, events, .verb = &factor, .views = {A}, .info = info);
}

clsolve_status clsolve_lu_batch_solve(clsolve_lu_batch *batch, clsolve_op op, clsolve_batch *B, int64_t *info) {
    return CLS_BATCH_RUN(batch, .verb = &solve, .op = op, .views = {B}, .info = info);
}

clsolve_status clsolve_lu_batch_solve_enqueue(clsolve_lu_batch *batch, clsolve_op op, clsolve_batch *B, int64_t *info,
                                              const clsolve_events *events) {
    return CLS_BATCH_ENQUEUE(batch, events, .verb = &solve, .op = op, .views = {B}, .info = info);
}

clsolve_status clsolve_lu_batch_factor_solve(clsolve_lu_batch *batch, clsolve_op op, const clsolve_batch *A,
                                             clsolve_batch *B, int64_t *info) {
    return CLS_BATCH_RUN(batch, .verb = &factor_solve, .op = op, .views = {A, B}, .info = info);
}

clsolve_status clsolve_lu_batch_inverse(clsolve_lu_batch *batch, clsolve_batch *X, int64_t *info) {
    return CLS_BATCH_RUN(batch, .verb = &inverse, .views = {X}, .info = info);
}

clsolve_status clsolve_lu_batch_inverse_enqueue(clsolve_lu_batch *batch, clsolve_batch *X, int64_t *info,
                                                const clsolve_events *events) {
    return CLS_BATCH_ENQUEUE(batch, events, .verb = &inverse, .views = {X}, .info = info);
}

clsolve_status clsolve_lu_batch_factors(clsolve_lu_batch *batch, clsolve_batch *F, int64_t *ipiv) {
    return CLS_BATCH_RUN(batch, .verb = &factors, .views = {F}, .ipiv = ipiv);
}

clsolve_status clsolve_lu_batch_determinant(clsolve_lu_batch *batch, double *det, double *sign, double *log_abs) {
    return CLS_BATCH_RUN(batch, .verb = &determinant, .numbers = {det, sign, log_abs},
                         .each = {CLS_BATCH_PARTS, CLS_BATCH_PARTS, 1});
}

clsolve_status clsolve_lu_batch_condition(clsolve_lu_batch *batch, double *rconds) {
    return CLS_BATCH_RUN(batch, .verb = &condition, .numbers = {rconds}, .each = {1});
}

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

void clsolve_lu_batch_destroy(clsolve_lu_batch *batch) {
    cls_batch_destroy((cls_batch *)batch);
}

clsolve_status clsolve_lu_batch_infos(clsolve_lu_batch *batch, int64_t *info) {
    return cls_batch_infos((cls_batch *)batch, "clsolve_lu_batch_infos", info);
}

clsolve_status clsolve_lu_batch_status(clsolve_lu_batch *batch) {
    return cls_batch_status((cls_batch *)batch);
}

clsolve_status clsolve_lu_batch_report(const clsolve_lu_batch *batch, clsolve_report *report) {
    return cls_batch_report((const cls_batch *)batch, report);
}
