/* gauss_jordan_batch.c: the family of batches of inverses and of systems that are solved once (batch.h). */
#include <clsolve/gauss_jordan_batch.h>

#include "api/batch_call.h"
#include "base/clock.h"
#include "method/gauss_jordan/batch.h"

struct clsolve_gauss_jordan_batch {
    cls_batch batch;
    cls_gj_batch work;
    int one_phase; /* the work takes no longer than reads of the clock do: its phases are not told apart */
};

static clsolve_gauss_jordan_batch *mine(cls_batch *batch) {
    return (clsolve_gauss_jordan_batch *)batch;
}

/* On the host, the elements of all members. */
static int work_is_brief(const cls_gj_batch *work) {
    enum { FEW = 4096 };
    return work->device->no_kernels && work->count <= FEW && work->n <= FEW && work->count * work->n * work->n <= FEW;
}

static clsolve_status setup(cls_batch *batch) {
    const cls_batch_shape *shape = &batch->shape;
    cls_gj_batch *work = &mine(batch)->work;
    CLS_TRY(cls_gj_batch_setup(batch->head.choice.device, shape->n, shape->count, shape->type, work));
    mine(batch)->one_phase = work_is_brief(work);
    return CLSOLVE_OK;
}

static void release(cls_batch *batch) {
    cls_gj_batch_release(&mine(batch)->work);
}

static const cls_batch_family family = {CLS_BATCH_KIND,
                                        .kind.create = "clsolve_gauss_jordan_batch_create",
                                        .kind.report = "clsolve_gauss_jordan_batch_report",
                                        .kind.method = "gauss-jordan",
                                        .kind.handle = "a handle of small matrices",
                                        .told = "singular members",
                                        .kind.bytes = sizeof(clsolve_gauss_jordan_batch),
                                        .largest = CLSOLVE_GAUSS_JORDAN_BATCH_LARGEST,
                                        .instead = "clsolve_gauss_jordan",
                                        .model = CLS_FAMILY_BATCH,
                                        .model_percent = 100,
                                        .total_has_create = 1,
                                        .setup = setup,
                                        .release = release};

/* ---- invert, solve ---- */

/* *build: since then, which becomes its seconds. */
static void note_build(cls_batch *batch, double *build) {
    cls_where_built(batch->head.context, &batch->head.choice);
    *build = batch->head.choice.device->build_seconds - *build;
}

static clsolve_status stream(cls_batch *batch, const cls_batch_call *call, int32_t *infos) {
    double build = batch->head.choice.device->build_seconds;

    CLS_TRY(cls_gj_batch_stream(&mine(batch)->work, call->views[0], call->views[1], infos, &batch->seconds));
    note_build(batch, &build);
    batch->seconds.upload -= build; /* the kernel is asked for while the first slice comes */
    return CLSOLVE_OK;
}

/* The clock, where phases are told apart. */
static double now(const cls_batch *batch) {
    return batch->whole ? 0 : cls_seconds();
}

/* The infos of all, of members that the kernel left to the host as well. */
static clsolve_status read_infos(cls_gj_batch *work, const cls_gj_call *call, int32_t *infos) {
    CLS_TRY(cls_gj_batch_infos(work, infos));
    return cls_gj_batch_again(work, call->inverse ? 0 : call->B->cols, &call->from, &call->to, 0, work->count, infos);
}

/* The host waits once where the results are in their place: reading the infos waits for the kernel too. */
static clsolve_status run_call(cls_batch *batch, cls_gj_call *call, int32_t *infos) {
    cls_gj_batch *work = &mine(batch)->work;
    clsolve_seconds *seconds = &batch->seconds;
    double start = now(batch), build = work->device->build_seconds;

    CLS_TRY(cls_gj_batch_up(work, call));
    seconds->upload = now(batch) - start;

    start = now(batch);
    CLS_TRY(cls_gj_batch_run(work, call->inverse ? 0 : call->B->cols, &call->from, &call->to));
    CLS_TRY(call->b ? read_infos(work, call, infos) : cls_gj_batch_finish(work));
    note_build(batch, &build);
    seconds->factor = now(batch) - start - build;
    if (call->b) return CLSOLVE_OK;

    start = now(batch);
    CLS_TRY(read_infos(work, call, infos));
    CLS_TRY(cls_gj_batch_down(work, call, infos));
    seconds->download = now(batch) - start;
    return CLSOLVE_OK;
}

static clsolve_status run(cls_batch *batch, cls_gj_call *call, int32_t *infos) {
    if (mine(batch)->one_phase) batch->whole = CLS_BATCH_FACTORS;
    const clsolve_status status = run_call(batch, call, infos);
    cls_gj_batch_leave(&mine(batch)->work, call);
    return status;
}

static clsolve_status run_solve(cls_batch *batch, const cls_batch_call *call, int32_t *infos) {
    cls_gj_call solve = {.A = call->views[0], .B = call->views[1], .op = call->op};
    return run(batch, &solve, infos);
}

/* B is X. */
static clsolve_status run_invert(cls_batch *batch, const cls_batch_call *call, int32_t *infos) {
    cls_gj_call invert = {.A = call->views[0], .B = call->views[1], .inverse = 1};
    const int streams = cls_gj_batch_can_stream(&mine(batch)->work, invert.A, invert.B);
    return streams ? stream(batch, call, infos) : run(batch, &invert, infos);
}

static const cls_batch_verb invert = {
    .call = "clsolve_gauss_jordan_batch_invert",
    .arguments = {{"A", CLS_BATCH_N, CLS_BATCH_N, CLS_BATCH_READ}, {"X", CLS_BATCH_N, CLS_BATCH_N, CLS_BATCH_WRITTEN}},
    .run = run_invert};
static const cls_batch_verb solve = {.call = "clsolve_gauss_jordan_batch_solve",
                                     .arguments = {{"A", CLS_BATCH_N, CLS_BATCH_N, CLS_BATCH_READ},
                                                   {"B", CLS_BATCH_N, CLS_BATCH_ANY, CLS_BATCH_WRITTEN}},
                                     .run = run_solve};

CLS_BATCH_CALLS(gauss_jordan, invert, (const clsolve_batch *A, clsolve_batch *X), .views = {A, X})
CLS_BATCH_CALLS(gauss_jordan, solve, (clsolve_op op, const clsolve_batch *A, clsolve_batch *B), .op = op,
                .views = {A, B})

/* ---- handles ---- */

clsolve_status clsolve_gauss_jordan_batch_create(clsolve_context *context, int64_t n, int64_t count, clsolve_type type,
                                                 const clsolve_gauss_jordan_batch_options *options,
                                                 clsolve_gauss_jordan_batch **batch) {
    const cls_batch_shape shape = {.n = n,
                                   .count = count,
                                   .type = type,
                                   .where = options ? options->where : CLSOLVE_WHERE_AUTO,
                                   CLS_BATCH_RESERVED(options)};
    return cls_batch_create(&family, context, &shape, batch);
}

CLS_BATCH_DESTROY(gauss_jordan)
CLS_BATCH_TOLD(gauss_jordan)
