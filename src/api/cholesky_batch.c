/* cholesky_batch.c: the family of Cholesky batches (batch.h). */
#include <clsolve/cholesky_batch.h>

#include "api/direct_batch.h"

struct clsolve_cholesky_batch {
    cls_direct_handle it;
};

static const char create_call[] = "clsolve_cholesky_batch_create";

static clsolve_status check(clsolve_context *context, const cls_batch_shape *shape, int alone) {
    (void)alone;
    return cls_direct_family_check(context, shape, create_call, "clsolve_cholesky_batch_create_ragged",
                                   CLSOLVE_CHOLESKY_BATCH_LARGEST, "clsolve_cholesky");
}

static clsolve_status setup(cls_batch *batch) {
    return cls_direct_family_setup(batch, CLS_DIRECT_BATCH_CHOLESKY);
}

/* A factorization has a sixth of the operations of an inverse: the model has batches of inverses, of any order. */
static const cls_batch_family family = {.create = create_call,
                                        .factor = "clsolve_cholesky_batch_factor",
                                        .report = "clsolve_cholesky_batch_report",
                                        .method = "cholesky",
                                        .matrices = "many",
                                        .told = "members that are not positive definite",
                                        .handle_bytes = sizeof(clsolve_cholesky_batch),
                                        .model = CLS_FAMILY_BATCH,
                                        .model_percent = 55,
                                        .kind = CLS_MEMBERS_CHOLESKY,
                                        .total_has_create = 1,
                                        .check = check,
                                        .elements = cls_direct_family_elements,
                                        .classes = cls_direct_family_classes,
                                        .setup = setup,
                                        .release = cls_direct_family_drop};

/* ---- calls ---- */

static const cls_batch_verb factor = CLS_DIRECT_FACTOR("cholesky");
static const cls_batch_verb solve = CLS_DIRECT_SOLVE("cholesky");
static const cls_batch_verb inverse = CLS_DIRECT_INVERSE("cholesky");
static const cls_batch_verb factors = CLS_DIRECT_FACTORS("cholesky", CLS_BATCH_WRITTEN);

clsolve_status clsolve_cholesky_batch_factor(clsolve_cholesky_batch *batch, clsolve_uplo uplo, const clsolve_batch *A,
                                             int64_t *info) {
    const cls_batch_call call = {.verb = &factor, .uplo = uplo, .views = {A}, .info = info};
    return cls_batch_run((cls_batch *)batch, &call);
}

clsolve_status clsolve_cholesky_batch_factor_enqueue(clsolve_cholesky_batch *batch, clsolve_uplo uplo,
                                                     const clsolve_batch *A, int64_t *info,
                                                     const clsolve_events *events) {
    const cls_batch_call call = {.verb = &factor, .uplo = uplo, .views = {A}, .info = info};
    return cls_batch_enqueue((cls_batch *)batch, &call, events);
}

clsolve_status clsolve_cholesky_batch_solve(clsolve_cholesky_batch *batch, clsolve_batch *B, int64_t *info) {
    const cls_batch_call call = {.verb = &solve, .views = {B}, .info = info};
    return cls_batch_run((cls_batch *)batch, &call);
}

clsolve_status clsolve_cholesky_batch_solve_enqueue(clsolve_cholesky_batch *batch, clsolve_batch *B, int64_t *info,
                                                    const clsolve_events *events) {
    const cls_batch_call call = {.verb = &solve, .views = {B}, .info = info};
    return cls_batch_enqueue((cls_batch *)batch, &call, events);
}

clsolve_status clsolve_cholesky_batch_inverse(clsolve_cholesky_batch *batch, clsolve_uplo uplo, clsolve_batch *X,
                                              int64_t *info) {
    const cls_batch_call call = {.verb = &inverse, .uplo = uplo, .views = {X}, .info = info};
    return cls_batch_run((cls_batch *)batch, &call);
}

clsolve_status clsolve_cholesky_batch_inverse_enqueue(clsolve_cholesky_batch *batch, clsolve_uplo uplo,
                                                      clsolve_batch *X, int64_t *info, const clsolve_events *events) {
    const cls_batch_call call = {.verb = &inverse, .uplo = uplo, .views = {X}, .info = info};
    return cls_batch_enqueue((cls_batch *)batch, &call, events);
}

clsolve_status clsolve_cholesky_batch_factors(clsolve_cholesky_batch *batch, clsolve_uplo uplo, clsolve_batch *F) {
    const cls_batch_call call = {.verb = &factors, .uplo = uplo, .views = {F}};
    return cls_batch_run((cls_batch *)batch, &call);
}

/* ---- handles ---- */

/* orders: NULL, or of each member its own. */
static clsolve_status create(clsolve_context *context, int64_t n, const int64_t *orders, int64_t count,
                             clsolve_type type, const clsolve_cholesky_batch_options *options,
                             clsolve_cholesky_batch **batch) {
    const cls_batch_shape shape = {CLS_DIRECT_SHAPE(n, orders, count, type, options)};
    void *made = NULL;
    const clsolve_status status = cls_batch_create(&family, context, &shape, batch ? &made : NULL);
    if (batch) *batch = made;
    return status;
}

clsolve_status clsolve_cholesky_batch_create(clsolve_context *context, int64_t n, int64_t count, clsolve_type type,
                                             const clsolve_cholesky_batch_options *options,
                                             clsolve_cholesky_batch **batch) {
    return create(context, n, NULL, count, type, options, batch);
}

clsolve_status clsolve_cholesky_batch_create_ragged(clsolve_context *context, const int64_t *orders, int64_t count,
                                                    clsolve_type type, const clsolve_cholesky_batch_options *options,
                                                    clsolve_cholesky_batch **batch) {
    return create(context, cls_direct_family_largest(orders, count), cls_direct_family_orders(orders), count, type,
                  options, batch);
}

void clsolve_cholesky_batch_destroy(clsolve_cholesky_batch *batch) {
    cls_batch_destroy((cls_batch *)batch);
}

clsolve_status clsolve_cholesky_batch_status(clsolve_cholesky_batch *batch) {
    return cls_batch_status((cls_batch *)batch);
}

clsolve_status clsolve_cholesky_batch_report(const clsolve_cholesky_batch *batch, clsolve_report *report) {
    return cls_batch_report((const cls_batch *)batch, report);
}
