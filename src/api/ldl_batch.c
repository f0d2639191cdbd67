/* ldl_batch.c: the family of LDL^T batches (batch.h). */
#include <clsolve/ldl_batch.h>

#include "api/direct_batch.h"
#include "api/validate.h"
#include "base/type.h"

static clsolve_status check(clsolve_context *context, const cls_batch_shape *shape, int alone) {
    (void)alone;
    if (shape->symmetry == CLSOLVE_SYMMETRY_HERMITIAN || shape->symmetry == CLSOLVE_SYMMETRY_TRANSPOSE)
        return cls_validate_flag(&context->error, "clsolve_ldl_batch_create", "condition", shape->condition);
    return cls_fail(&context->error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                    "clsolve_ldl_batch_create: symmetry is %d: see clsolve_symmetry", (int)shape->symmetry);
}

/* Pivots of LDL^T take the time that it saves of LU. */
static const cls_batch_family family = {CLS_DIRECT_FAMILY("ldl", CLS_DIRECT_BATCH_LDL),
                                        .told = "singular members",
                                        .largest = CLSOLVE_LDL_BATCH_LARGEST,
                                        .model_percent = 70,
                                        .members = CLS_MEMBERS_LDL,
                                        .check = check};

/* ---- calls ---- */

static clsolve_status run_inertia(cls_batch *batch, const cls_batch_call *call, int32_t *infos) {
    if (batch->shape.symmetry == CLSOLVE_SYMMETRY_TRANSPOSE && cls_is_complex(batch->shape.type))
        return cls_fail(&batch->head.context->error, CLSOLVE_ERROR_UNSUPPORTED,
                        "%s: the eigenvalues of complex matrices with A = A^T have no signs", call->name);
    CLS_TRY(cls_validate_pointer(&batch->head.context->error, call->name, "inertias", call->inertias));
    return cls_direct_family_built(batch,
                                   cls_direct_batch_inertia(cls_direct_family_work(batch), infos, call->inertias));
}

static const cls_batch_verb factor = CLS_DIRECT_FACTOR("ldl");
static const cls_batch_verb solve = CLS_DIRECT_SOLVE("ldl");
static const cls_batch_verb inverse = CLS_DIRECT_INVERSE("ldl");
static const cls_batch_verb inertia = {
    .call = "clsolve_ldl_batch_inertia", .kind = CLS_BATCH_EXPORT, .run = run_inertia};
static const cls_batch_verb determinant = CLS_DIRECT_DETERMINANT("ldl");
static const cls_batch_verb condition = CLS_DIRECT_CONDITION("ldl");
static const cls_batch_verb factors = CLS_DIRECT_FACTORS("ldl", CLS_BATCH_WANTED);

CLS_BATCH_CALLS(ldl, factor, (clsolve_uplo uplo, const clsolve_batch *A), .uplo = uplo, .views = {A})
CLS_BATCH_CALLS(ldl, solve, (clsolve_batch * B), .views = {B})
CLS_BATCH_CALLS(ldl, inverse, (clsolve_uplo uplo, clsolve_batch *X), .uplo = uplo, .views = {X})
CLS_BATCH_CALL(ldl, inertia, (clsolve_inertia * inertias), .inertias = inertias, .each = {1})
CLS_BATCH_CALL(ldl, determinant, (double *det, double *sign, double *log_abs), .numbers = {det, sign, log_abs},
               .each = {CLS_BATCH_PARTS, CLS_BATCH_PARTS, 1})
CLS_BATCH_CALL(ldl, condition, (double *rconds), .numbers = {rconds}, .each = {1})
CLS_BATCH_CALL(ldl, factors, (clsolve_batch * F, int64_t *ipiv), .views = {F}, .ipiv = ipiv)

/* ---- handles ---- */

clsolve_status clsolve_ldl_batch_create(clsolve_context *context, int64_t n, int64_t count, clsolve_type type,
                                        const clsolve_ldl_batch_options *options, clsolve_ldl_batch **batch) {
    const cls_batch_shape shape = {CLS_DIRECT_SHAPE(n, count, type, options),
                                   .symmetry = options ? options->symmetry : CLSOLVE_SYMMETRY_HERMITIAN,
                                   .condition = options ? options->condition : 0};
    return cls_batch_create(&family, context, &shape, batch);
}

clsolve_status clsolve_ldl_batch_create_ragged(clsolve_context *context, const int64_t *orders, int64_t count,
                                               clsolve_type type, const clsolve_ldl_batch_options *options,
                                               clsolve_ldl_batch **batch) {
    const cls_batch_shape shape = {CLS_DIRECT_RAGGED(orders, count, type, options),
                                   .symmetry = options ? options->symmetry : CLSOLVE_SYMMETRY_HERMITIAN,
                                   .condition = options ? options->condition : 0};
    return cls_batch_create(&family, context, &shape, batch);
}

CLS_BATCH_DESTROY(ldl)
CLS_BATCH_TOLD(ldl)
CLS_BATCH_INFOS(ldl)
