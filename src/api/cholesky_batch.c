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

CLS_BATCH_CALLS(cholesky, factor, (clsolve_uplo uplo, const clsolve_batch *A), .uplo = uplo, .views = {A})
CLS_BATCH_CALLS(cholesky, solve, (clsolve_batch * B), .views = {B})
CLS_BATCH_CALLS(cholesky, inverse, (clsolve_uplo uplo, clsolve_batch *X), .uplo = uplo, .views = {X})
CLS_BATCH_CALL(cholesky, factors, (clsolve_uplo uplo, clsolve_batch *F), .uplo = uplo, .views = {F})

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

CLS_BATCH_DESTROY(cholesky)
CLS_BATCH_TOLD(cholesky)
CLS_BATCH_INFOS(cholesky)
