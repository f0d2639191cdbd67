/* cholesky_batch.c: the family of Cholesky batches (batch.h). */
#include <clsolve/cholesky_batch.h>

#include "api/direct_batch.h"

static const cls_batch_family family = {
    CLS_DIRECT_FAMILY("cholesky", CLS_DIRECT_BATCH_CHOLESKY), .told = "members that are not positive definite",
    .largest = CLSOLVE_CHOLESKY_BATCH_LARGEST, .model_percent = 55, .members = CLS_MEMBERS_CHOLESKY};

/* ---- calls ---- */

static const cls_batch_verb factor = CLS_DIRECT_FACTOR("cholesky");
static const cls_batch_verb solve = CLS_DIRECT_SOLVE("cholesky");
static const cls_batch_verb inverse = CLS_DIRECT_INVERSE("cholesky");
static const cls_batch_verb factors = CLS_DIRECT_FACTORS("cholesky", CLS_BATCH_WRITTEN);

clsolve_status clsolve_cholesky_batch_factor(clsolve_cholesky_batch *batch, clsolve_uplo uplo, const clsolve_batch *A,
                                             int64_t *info) {
    return CLS_BATCH_RUN(batch, .verb = &factor, .uplo = uplo, .views = {A}, .info = info);
}

clsolve_status clsolve_cholesky_batch_factor_enqueue(clsolve_cholesky_batch *batch, clsolve_uplo uplo,
                                                     const clsolve_batch *A, int64_t *info,
                                                     const clsolve_events *events) {
    return CLS_BATCH_ENQUEUE(batch, events, .verb = &factor, .uplo = uplo, .views = {A}, .info = info);
}

clsolve_status clsolve_cholesky_batch_solve(clsolve_cholesky_batch *batch, clsolve_batch *B, int64_t *info) {
    return CLS_BATCH_RUN(batch, .verb = &solve, .views = {B}, .info = info);
}

clsolve_status clsolve_cholesky_batch_solve_enqueue(clsolve_cholesky_batch *batch, clsolve_batch *B, int64_t *info,
                                                    const clsolve_events *events) {
    return CLS_BATCH_ENQUEUE(batch, events, .verb = &solve, .views = {B}, .info = info);
}

clsolve_status clsolve_cholesky_batch_inverse(clsolve_cholesky_batch *batch, clsolve_uplo uplo, clsolve_batch *X,
                                              int64_t *info) {
    return CLS_BATCH_RUN(batch, .verb = &inverse, .uplo = uplo, .views = {X}, .info = info);
}

clsolve_status clsolve_cholesky_batch_inverse_enqueue(clsolve_cholesky_batch *batch, clsolve_uplo uplo,
                                                      clsolve_batch *X, int64_t *info, const clsolve_events *events) {
    return CLS_BATCH_ENQUEUE(batch, events, .verb = &inverse, .uplo = uplo, .views = {X}, .info = info);
}

clsolve_status clsolve_cholesky_batch_factors(clsolve_cholesky_batch *batch, clsolve_uplo uplo, clsolve_batch *F) {
    return CLS_BATCH_RUN(batch, .verb = &factors, .uplo = uplo, .views = {F});
}

/* ---- handles ---- */

clsolve_status clsolve_cholesky_batch_create(clsolve_context *context, int64_t n, int64_t count, clsolve_type type,
                                             const clsolve_cholesky_batch_options *options,
                                             clsolve_cholesky_batch **batch) {
    const cls_batch_shape shape = {CLS_DIRECT_SHAPE(n, count, type, options)};
    return cls_batch_create(&family, context, &shape, batch);
}

clsolve_status clsolve_cholesky_batch_create_ragged(clsolve_context *context, const int64_t *orders, int64_t count,
                                                    clsolve_type type, const clsolve_cholesky_batch_options *options,
                                                    clsolve_cholesky_batch **batch) {
    const cls_batch_shape shape = {CLS_DIRECT_RAGGED(orders, count, type, options)};
    return cls_batch_create(&family, context, &shape, batch);
}

void clsolve_cholesky_batch_destroy(clsolve_cholesky_batch *batch) {
    cls_batch_destroy((cls_batch *)batch);
}

clsolve_status clsolve_cholesky_batch_infos(clsolve_cholesky_batch *batch, int64_t *info) {
    return cls_batch_infos((cls_batch *)batch, "clsolve_cholesky_batch_infos", info);
}

clsolve_status clsolve_cholesky_batch_status(clsolve_cholesky_batch *batch) {
    return cls_batch_status((cls_batch *)batch);
}

clsolve_status clsolve_cholesky_batch_report(const clsolve_cholesky_batch *batch, clsolve_report *report) {
    return cls_batch_report((const cls_batch *)batch, report);
}
