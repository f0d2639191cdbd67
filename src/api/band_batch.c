/* band_batch.c: the family of batches of bands (batch.h). */
#include <clsolve/band_batch.h>

#include <string.h>

#include "api/batch_call.h"
#include "api/validate.h"
#include "method/band/batch.h"

struct clsolve_band_batch {
    cls_batch batch;
    cls_band_batch work;
};

static clsolve_band_batch *mine(cls_batch *batch) {
    return (clsolve_band_batch *)batch;
}

static const char create_call[] = "clsolve_band_batch_create";

static clsolve_status check(clsolve_context *context, const cls_batch_shape *shape, int alone) {
    static const char *const names[] = {"n", "kl", "ku", "count"};
    const int64_t n = shape->n, sizes[] = {n, shape->kl, shape->ku, shape->count};
    const char *call = create_call;
    cls_error *error = &context->error;

    (void)alone;
    for (int s = 0; s < 4; ++s)
        if (sizes[s] < 0 || sizes[s] > CLS_MOST_ELEMENTS)
            return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: %s is %lld: sizes go from 0 to %lld", call,
                            names[s], (long long)sizes[s], (long long)CLS_MOST_ELEMENTS);
    const int64_t kl = cls_band_batch_diagonals(n, shape->kl), ku = cls_band_batch_diagonals(n, shape->ku);
    if (kl + ku > CLSOLVE_BAND_BATCH_DIAGONALS || n > INT32_MAX)
        return cls_fail(error, CLSOLVE_ERROR_UNSUPPORTED,
                        "%s: kl + ku is %lld and n %lld; batches go up to %d and 2^31 - 1: use clsolve_band for each",
                        call, (long long)(kl + ku), (long long)n, CLSOLVE_BAND_BATCH_DIAGONALS);
    CLS_TRY(cls_validate_extent(error, CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY, call, shape->count, n * (2 * kl + ku + 1)));
    CLS_TRY(cls_validate_device(context->device, call, shape->type));
    if (!cls_narrow_fits(context->device, shape->type, kl, ku))
        return cls_fail(error, CLSOLVE_ERROR_UNSUPPORTED,
                        "%s: %s has too little local memory for kl = %lld and ku = %lld: use clsolve_band for each",
                        call, context->device->info.name, (long long)kl, (long long)ku);
    return CLSOLVE_OK;
}

static double elements(const cls_batch_shape *shape) {
    return (double)(shape->kl + shape->ku + 2) * (double)shape->n;
}

static clsolve_status setup(cls_batch *batch) {
    const cls_batch_shape *shape = &batch->shape;
    return cls_band_batch_setup(batch->head.choice.device, shape->n, shape->kl, shape->ku, shape->count, shape->type,
                                &mine(batch)->work);
}

static void release(cls_batch *batch) {
    cls_band_batch_release(&mine(batch)->work);
}

/* A band of so few diagonals takes about as long as as many lines: the model has no batch of bands. */
static const cls_batch_family family = {CLS_BATCH_KIND,
                                        .kind.create = create_call,
                                        .factor = "clsolve_band_batch_factor",
                                        .kind.report = "clsolve_band_batch_report",
                                        .kind.method = "band-lu",
                                        .kind.handle = "a handle of band matrices",
                                        .told = "singular members",
                                        .kind.bytes = sizeof(clsolve_band_batch),
                                        .model = CLS_FAMILY_LINES,
                                        .model_percent = 100,
                                        .kind.device_alone = "batches of bands work on the device alone",
                                        .check = check,
                                        .elements = elements,
                                        .setup = setup,
                                        .release = release};

/* ---- calls ---- */

static clsolve_status run_factor(cls_batch *batch, const cls_batch_call *call, int32_t *infos) {
    return cls_band_batch_factor(&mine(batch)->work, call->views[0], infos, &batch->seconds);
}

static clsolve_status run_solve(cls_batch *batch, const cls_batch_call *call, int32_t *infos) {
    return cls_band_batch_solve(&mine(batch)->work, call->op, call->views[0], infos, &batch->seconds);
}

/* Factors of members without a solution come too. */
static clsolve_status run_factors(cls_batch *batch, const cls_batch_call *call, int32_t *infos) {
    memset(infos, 0, (size_t)batch->shape.count * sizeof *infos);
    return cls_band_batch_factors(&mine(batch)->work, call->views[0], infos, call->ipiv);
}

static const cls_batch_verb factor = {.call = "clsolve_band_batch_factor",
                                      .kind = CLS_BATCH_FACTOR,
                                      .arguments = {{"AB", CLS_BATCH_BAND, CLS_BATCH_N, CLS_BATCH_READ}},
                                      .run = run_factor};
static const cls_batch_verb solve = {.call = "clsolve_band_batch_solve",
                                     .kind = CLS_BATCH_SOLVE,
                                     .arguments = {{"B", CLS_BATCH_N, CLS_BATCH_ANY, CLS_BATCH_WRITTEN}},
                                     .run = run_solve};
static const cls_batch_verb factors = {.call = "clsolve_band_batch_factors",
                                       .kind = CLS_BATCH_EXPORT,
                                       .arguments = {{"AFB", CLS_BATCH_BAND_FACTORS, CLS_BATCH_N, CLS_BATCH_WANTED}},
                                       .run = run_factors};

CLS_BATCH_CALLS(band, factor, (const clsolve_batch *A), .views = {A})
CLS_BATCH_CALLS(band, solve, (clsolve_op op, clsolve_batch *B), .op = op, .views = {B})
CLS_BATCH_CALL(band, factors, (clsolve_batch * F, int64_t *ipiv), .views = {F}, .ipiv = ipiv)

/* ---- handles ---- */

clsolve_status clsolve_band_batch_create(clsolve_context *context, int64_t n, int64_t kl, int64_t ku, int64_t count,
                                         clsolve_type type, const clsolve_band_batch_options *options,
                                         clsolve_band_batch **batch) {
    const cls_batch_shape shape = {
        .n = n, .kl = kl, .ku = ku, .count = count, .type = type, CLS_BATCH_RESERVED(options)};
    return cls_batch_create(&family, context, &shape, batch);
}

CLS_BATCH_DESTROY(band)
CLS_BATCH_TOLD(band)
