/*
 * batch_call.c: factor and solve of a batch: see batch.h. Where the device has no room for all members, portions of
 * them take turns there: the values stay on the host then, and a solve factors each portion again.
 */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/type.h"
#include "method/members.h"
#include "method/sparse/batch.h"

static clsolve_status no_memory(const cls_sparse_batch *batch) {
    return cls_fail(batch->device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for the members of a batch");
}

/* ---- setup ---- */

static int is_empty(const cls_sparse_batch *batch) {
    return batch->plan->rank < batch->plan->A.n || batch->plan->A.n == 0 || batch->count == 0;
}

static clsolve_status choose_portion(cls_sparse_batch *batch, int64_t memory_limit) {
    cls_device *device = batch->device;
    const double left = 0.9 * (double)device->ops->memory_left(device);
    const double limit = memory_limit > 0 ? (double)memory_limit : left;
    const double fixed = cls_batch_there_bytes(batch, 0),
                 block = cls_batch_there_bytes(batch, CLS_BATCH_MEMBERS) - fixed;
    const double blocks = floor((limit - fixed) / block); /* of few members, which take the most each */
    const int64_t most = cls_batch_there_most(batch);
    if (batch->count <= most && cls_batch_there_bytes(batch, batch->count) <= limit) return CLSOLVE_OK;
    if (blocks < 1 || most < CLS_BATCH_MEMBERS)
        return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY,
                        "the device has no room for %d members of order %lld: they take %.0f MB", CLS_BATCH_MEMBERS,
                        (long long)batch->plan->A.n, (fixed + block) / 1e6);
    batch->portion = batch->count;
    if (batch->portion > most) batch->portion = most;
    if ((double)batch->portion > blocks * CLS_BATCH_MEMBERS) batch->portion = (int64_t)blocks * CLS_BATCH_MEMBERS;
    if (batch->portion == batch->count) return CLSOLVE_OK;
    batch->values = cls_alloc((size_t)(batch->count * batch->plan->A.given) + 1, (size_t)cls_type_size(batch->type));
    return batch->values ? CLSOLVE_OK : no_memory(batch);
}

clsolve_status cls_sparse_batch_setup(cls_device *device, const cls_sparse_plan *plan, int64_t count,
                                      int64_t memory_limit, cls_sparse_batch *batch) {
    batch->device = device;
    batch->plan = plan;
    batch->type = plan->type;
    batch->count = batch->portion = count;
    batch->resident = -1;
    batch->backward_error = -1;
    if (is_empty(batch)) return CLSOLVE_OK;
    if (!device->no_kernels) CLS_TRY(choose_portion(batch, memory_limit));
    batch->states = cls_alloc((size_t)batch->portion + 1, sizeof *batch->states);
    batch->outcomes = cls_alloc((size_t)batch->portion + 1, sizeof *batch->outcomes);
    if (!batch->states || !batch->outcomes) return no_memory(batch);
    return device->no_kernels ? cls_batch_host_open(batch) : cls_batch_there_open(batch);
}

void cls_sparse_batch_release(cls_sparse_batch *batch) {
    if (!batch->device) return;
    if (batch->device->no_kernels)
        cls_batch_host_close(batch);
    else
        cls_batch_there_close(batch);
    if (batch->engine_open) cls_sparse_close(&batch->engine);
    cls_free(batch->values);
    cls_free(batch->states);
    cls_free(batch->outcomes);
}

/* ---- the report ---- */

static void forget(cls_sparse_batch *batch) {
    batch->again = batch->iterations = 0;
    batch->backward_error = -1;
    batch->upload = batch->download = 0;
}

/* *phase: all that was no transfer. */
static void note_seconds(const cls_sparse_batch *batch, double start, double *phase, clsolve_seconds *seconds) {
    seconds->upload = batch->upload;
    seconds->download = batch->download;
    *phase = cls_seconds() - start - batch->upload - batch->download;
}

/* ---- factor ---- */

/* A matrix whose pattern is singular: a member with NaN or Inf is told as such. */
static clsolve_status tell_rank(const cls_sparse_batch *batch, int32_t *infos) {
    for (int64_t m = 0; m < batch->count; m++) infos[m] = (int32_t)batch->plan->rank + 1;
    return CLSOLVE_OK;
}

/* The values of a portion to the host. */
static clsolve_status keep_values(cls_sparse_batch *batch, const clsolve_batch *values, char *to) {
    cls_device *device = batch->device;
    const size_t bytes = (size_t)(values->count * values->rows * cls_type_size(batch->type));
    const cls_rect rect = {bytes, 1, 0, bytes, bytes};
    cls_buffer *between = NULL;
    CLS_TRY(device->ops->buffer_create(device, bytes, &between));
    clsolve_status status = cls_members_up(device, values, between);
    if (status == CLSOLVE_OK) status = device->ops->read(device, CLS_COMPUTE, between, to, &rect, NULL, NULL);
    const clsolve_status done = device->ops->finish(device, CLS_COMPUTE);
    device->ops->buffer_destroy(device, between);
    return status != CLSOLVE_OK ? status : done;
}

static clsolve_batch kept_values(const cls_sparse_batch *batch, int64_t first, int64_t count) {
    const int64_t given = batch->plan->A.given;
    const clsolve_batch all = {.type = batch->type,
                               .layout = CLSOLVE_COLUMN_MAJOR,
                               .count = batch->count,
                               .rows = given,
                               .cols = 1,
                               .ld = given > 0 ? given : 1,
                               .stride = given,
                               .data = batch->values};
    return cls_members_of(&all, first, count);
}

static clsolve_status factor_portion(cls_sparse_batch *batch, const clsolve_batch *values, int64_t first) {
    batch->resident = -1;
    CLS_TRY(batch->device->no_kernels ? cls_batch_host_factor(batch, values) : cls_batch_there_factor(batch, values));
    memcpy(batch->outcomes, batch->states, (size_t)values->count * sizeof *batch->outcomes);
    batch->resident = first;
    return CLSOLVE_OK;
}

static int64_t portion_at(const cls_sparse_batch *batch, int64_t first) {
    return batch->count - first < batch->portion ? batch->count - first : batch->portion;
}

clsolve_status cls_sparse_batch_factor(cls_sparse_batch *batch, const clsolve_batch *values, int32_t *infos,
                                       clsolve_seconds *seconds) {
    const double start = cls_seconds();
    forget(batch);
    if (is_empty(batch)) return tell_rank(batch, infos);
    for (int64_t first = 0; first < batch->count; first += batch->portion) {
        const int64_t count = portion_at(batch, first);
        clsolve_batch some = cls_members_of(values, first, count);
        if (batch->values) {
            const clsolve_batch kept = kept_values(batch, first, count);
            CLS_TRY(keep_values(batch, &some, kept.data));
            some = kept;
        }
        CLS_TRY(factor_portion(batch, &some, first));
        for (int64_t m = 0; m < count; m++) {
            infos[first + m] = batch->states[m] == CLS_MEMBER_NOT_FINITE ? -1 : 0;
            if (batch->states[m] != CLS_MEMBER_AGAIN) continue;
            batch->again++;
            CLS_TRY(cls_batch_again_factor(batch, m, &infos[first + m]));
        }
    }
    note_seconds(batch, start, &seconds->factor, seconds);
    return CLSOLVE_OK;
}

/* ---- solve ---- */

clsolve_status cls_sparse_batch_solve(cls_sparse_batch *batch, clsolve_op op, const clsolve_batch *B, int32_t *infos,
                                      clsolve_seconds *seconds) {
    const double start = cls_seconds();
    forget(batch);
    if (is_empty(batch)) return CLSOLVE_OK;
    for (int64_t first = 0; first < batch->count; first += batch->portion) {
        const int64_t count = portion_at(batch, first);
        const clsolve_batch some = cls_members_of(B, first, count), values = kept_values(batch, first, count);
        if (batch->resident != first) CLS_TRY(factor_portion(batch, &values, first));
        CLS_TRY(batch->device->no_kernels ? cls_batch_host_solve(batch, op, &some, infos + first)
                                          : cls_batch_there_solve(batch, op, &some, infos + first));
        for (int64_t m = 0; m < count; m++) {
            if (infos[first + m] != 0) continue;
            if (batch->states[m] == CLS_MEMBER_NOT_FINITE) infos[first + m] = -1;
            if (batch->states[m] != CLS_MEMBER_AGAIN) continue;
            batch->again++;
            CLS_TRY(cls_batch_again_solve(batch, op, m, &some, &infos[first + m]));
        }
    }
    note_seconds(batch, start, &seconds->solve, seconds);
    return CLSOLVE_OK;
}
