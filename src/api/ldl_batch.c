/* ldl_batch.c: the family of LDL^T batches (batch.h). */
#include <clsolve/ldl_batch.h>

#include "api/direct_batch.h"
#include "base/type.h"

struct clsolve_ldl_batch {
    cls_direct_handle it;
};

static const char create_call[] = "clsolve_ldl_batch_create";

static clsolve_status check(clsolve_context *context, const cls_batch_shape *shape, int alone) {
    (void)alone;
    CLS_TRY(cls_direct_family_check(context, shape, create_call, "clsolve_ldl_batch_create_ragged",
                                    CLSOLVE_LDL_BATCH_LARGEST, "clsolve_ldl"));
    if (shape->symmetry == CLSOLVE_SYMMETRY_HERMITIAN || shape->symmetry == CLSOLVE_SYMMETRY_TRANSPOSE)
        return CLSOLVE_OK;
    return cls_fail(&context->error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: symmetry is %d: see clsolve_symmetry",
                    create_call, (int)shape->symmetry);
}

static clsolve_status setup(cls_batch *batch) {
    return cls_direct_family_setup(batch, CLS_DIRECT_BATCH_LDL);
}

/* The model has batches of inverses, of any order. Pivots of LDL^T take the time that it saves of LU. */
static const cls_batch_family family = {.create = create_call,
                                        .factor = "clsolve_ldl_batch_factor",
                                        .report = "clsolve_ldl_batch_report",
                                        .method = "ldl",
                                        .matrices = "many",
                                        .told = "singular members",
                                        .handle_bytes = sizeof(clsolve_ldl_batch),
                                        .model = CLS_FAMILY_BATCH,
                                        .model_percent = 70,
                                        .kind = CLS_MEMBERS_LDL,
                                        .total_has_create = 1,
                                        .check = check,
                                        .elements = cls_direct_family_elements,
                                        .classes = cls_direct_family_classes,
                                        .setup = setup,
                                        .release = cls_direct_family_drop};

/* ---- calls ---- */

static clsolve_status run_inertia(cls_batch *batch, const cls_batch_call *call, int32_t *infos) {
    if (batch->shape.symmetry == CLSOLVE_SYMMETRY_TRANSPOSE && cls_is_complex(batch->shape.type))
        return cls_fail(&batch->context->error, CLSOLVE_ERROR_UNSUPPORTED,
                        "%s: the eigenvalues of complex matrices with A = A^T have no signs", call->name);
    if (!call->inertias)
        return cls_fail(&batch->context->error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: inertias is NULL", call->name);
    return cls_direct_family_built(batch,
                                   cls_direct_batch_inertia(cls_direct_family_work(batch), infos, call->inertias));
}

static const cls_batch_verb factor = CLS_DIRECT_FACTOR("ldl");
static const cls_batch_verb solve = CLS_DIRECT_SOLVE("ldl");
static const cls_batch_verb inverse = CLS_DIRECT_INVERSE("ldl");
static const cls_batch_verb inertia = {
    .call = "clsolve_ldl_batch_inertia", .kind = CLS_BATCH_EXPORT, .run = run_inertia};
static const cls_batch_verb determinant = CLS_DIRECT_DETERMINANT("ldl");

clsolve_status clsolve_ldl_batch_factor(clsolve_ldl_batch *batch, clsolve_uplo uplo, const clsolve_batch *A,
                                        int64_t *info) {
    const cls_batch_call call = {.verb = &factor, .uplo = uplo, .views = {A}, .info = info};
    return cls_batch_run((cls_batch *)batch, &call);
}

clsolve_status clsolve_ldl_batch_factor_enqueue(clsolve_ldl_batch *batch, clsolve_uplo uplo, const clsolve_batch *A,
                                                int64_t *info, const clsolve_events *events) {
    const cls_batch_call call = {.verb = &factor, .uplo = uplo, .views = {A}, .info = info};
    return cls_batch_enqueue((cls_batch *)batch, &call, events);
}

clsolve_status clsolve_ldl_batch_solve(clsolve_ldl_batch *batch, clsolve_batch *B, int64_t *info) {
    const cls_batch_call call = {.verb = &solve, .views = {B}, .info = info};
    return cls_batch_run((cls_batch *)batch, &call);
}

clsolve_status clsolve_ldl_batch_solve_enqueue(clsolve_ldl_batch *batch, clsolve_batch *B, int64_t *info,
                                               const clsolve_events *events) {
    const cls_batch_call call = {.verb = &solve, .views = {B}, .info = info};
    return cls_batch_enqueue((cls_batch *)batch, &call, events);
}

clsolve_status clsolve_ldl_batch_inverse(clsolve_ldl_batch *batch, clsolve_uplo uplo, clsolve_batch *X, int64_t *info) {
    const cls_batch_call call = {.verb = &inverse, .uplo = uplo, .views = {X}, .info = info};
    return cls_batch_run((cls_batch *)batch, &call);
}

clsolve_status clsolve_ldl_batch_inverse_enqueue(clsolve_ldl_batch *batch, clsolve_uplo uplo, clsolve_batch *X,
                                                 int64_t *info, const clsolve_events *events) {
    const cls_batch_call call = {.verb = &inverse, .uplo = uplo, .views = {X}, .info = info};
    return cls_batch_enqueue((cls_batch *)batch, &call, events);
}

clsolve_status clsolve_ldl_batch_inertia(clsolve_ldl_batch *batch, clsolve_inertia *inertias) {
    const cls_batch_call call = {.verb = &inertia, .inertias = inertias, .each = {1}};
    return cls_batch_run((cls_batch *)batch, &call);
}

clsolve_status clsolve_ldl_batch_determinant(clsolve_ldl_batch *batch, double *det, double *sign, double *log_abs) {
    const int64_t parts = batch ? cls_type_parts(batch->it.batch.shape.type) : 1;
    const cls_batch_call call = {.verb = &determinant, .numbers = {det, sign, log_abs}, .each = {parts, parts, 1}};
    return cls_batch_run((cls_batch *)batch, &call);
}

/* ---- handles ---- */

/* orders: NULL, or of each member its own. */
static clsolve_status create(clsolve_context *context, int64_t n, const int64_t *orders, int64_t count,
                             clsolve_type type, const clsolve_ldl_batch_options *options, clsolve_ldl_batch **batch) {
    const cls_batch_shape shape = {CLS_DIRECT_SHAPE(n, orders, count, type, options),
                                   .symmetry = options ? options->symmetry : CLSOLVE_SYMMETRY_HERMITIAN};
    void *made = NULL;
    const clsolve_status status = cls_batch_create(&family, context, &shape, batch ? &made : NULL);
    if (batch) *batch = made;
    return status;
}

clsolve_status clsolve_ldl_batch_create(clsolve_context *context, int64_t n, int64_t count, clsolve_type type,
                                        const clsolve_ldl_batch_options *options, clsolve_ldl_batch **batch) {
    return create(context, n, NULL, count, type, options, batch);
}

clsolve_status clsolve_ldl_batch_create_ragged(clsolve_context *context, const int64_t *orders, int64_t count,
                                               clsolve_type type, const clsolve_ldl_batch_options *options,
                                               clsolve_ldl_batch **batch) {
    return create(context, cls_direct_family_largest(orders, count), cls_direct_family_orders(orders), count, type,
                  options, batch);
}

void clsolve_ldl_batch_destroy(clsolve_ldl_batch *batch) {
    cls_batch_destroy((cls_batch *)batch);
}

clsolve_status clsolve_ldl_batch_status(clsolve_ldl_batch *batch) {
    return cls_batch_status((cls_batch *)batch);
}

clsolve_status clsolve_ldl_batch_report(const clsolve_ldl_batch *batch, clsolve_report *report) {
    return cls_batch_report((const cls_batch *)batch, report);
}
