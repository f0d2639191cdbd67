#include "api/gauss_jordan.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define REFUSE(...) return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, __VA_ARGS__)

typedef struct job {
    const char *call;
    const clsolve_batch *A, *B; /* what is read; what is written, B of a system or X of an inverse */
    int64_t rhs;                /* 0: inverse */
    int64_t *info;
} job;

/* ---- validation ---- */

static int compare_offsets(const void *a_, const void *b_) {
    int64_t a = *(const int64_t *)a_, b = *(const int64_t *)b_;
    return (a > b) - (a < b);
}

/* Do members of `extent` elements at these offsets share any? Offsets that rise, the usual ones, need no sorting. */
static clsolve_status validate_apart(cls_error *error, const char *call, const char *name, const clsolve_batch *b,
                                     int64_t extent) {
    const int64_t *offsets = b->offsets;
    int64_t *sorted = NULL, m = 1, near = 0, next = 0;

    while (m < b->count && offsets[m] - offsets[m - 1] >= extent) ++m;
    if (m >= b->count) return CLSOLVE_OK;
    sorted = cls_alloc((size_t)b->count, sizeof *sorted);
    if (!sorted) return cls_fail(error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a batch's offsets");
    memcpy(sorted, offsets, (size_t)b->count * sizeof *sorted);
    qsort(sorted, (size_t)b->count, sizeof *sorted, compare_offsets);
    for (m = 1; m < b->count && sorted[m] - sorted[m - 1] >= extent; ++m) continue;
    if (m < b->count) near = sorted[m - 1], next = sorted[m];
    cls_free(sorted);
    if (m < b->count)
        REFUSE("%s: members of %s at the offsets %lld and %lld overlap: each takes %lld", call, name, (long long)near,
               (long long)next, (long long)extent);
    return CLSOLVE_OK;
}

static clsolve_status validate_layout(cls_error *error, const char *call, const char *name, const clsolve_batch *b,
                                      int written) {
    int by_column = b->layout == CLSOLVE_COLUMN_MAJOR;
    int64_t line = by_column ? b->rows : b->cols, lines = by_column ? b->cols : b->rows, most = INT64_MAX / 16;

    if (b->layout != CLSOLVE_COLUMN_MAJOR && b->layout != CLSOLVE_ROW_MAJOR)
        REFUSE("%s: %s has layout %d: give CLSOLVE_COLUMN_MAJOR or CLSOLVE_ROW_MAJOR", call, name, (int)b->layout);
    if (b->ld < line || b->ld < 1)
        REFUSE("%s: the ld of %s is %lld, smaller than its %s (%lld)", call, name, (long long)b->ld,
               by_column ? "rows" : "columns", (long long)(line > 0 ? line : 1));
    if (lines > 0 && b->ld > most / lines) REFUSE("%s: the ld of %s is more than memory can hold", call, name);
    if (b->count == 0 || line == 0 || lines == 0) return CLSOLVE_OK;
    if (!b->data) REFUSE("%s: the data of %s is NULL", call, name);
    int64_t extent = (lines - 1) * b->ld + line;
    if (!b->offsets && b->count > 1 && (b->stride < 0 || b->stride > most / b->count))
        REFUSE("%s: the stride of %s is %lld", call, name, (long long)b->stride);
    if (!b->offsets && b->count > 1 && written && b->stride < extent)
        REFUSE("%s: the stride of %s is %lld where a member takes %lld: they would overlap", call, name,
               (long long)b->stride, (long long)extent);
    for (int64_t m = 0; b->offsets && m < b->count; ++m)
        if (b->offsets[m] < 0 || b->offsets[m] > most)
            REFUSE("%s: offset %lld of %s is %lld", call, (long long)m, name, (long long)b->offsets[m]);
    return b->offsets && written ? validate_apart(error, call, name, b, extent) : CLSOLVE_OK;
}

static clsolve_status validate_batch(const clsolve_gauss_jordan *handle, const job *j, const char *name,
                                     const clsolve_batch *b, int64_t cols, int written) {
    cls_error *error = &handle->context->error;
    const cls_lu *lu = &handle->gj.lu;

    if (!b) REFUSE("%s: %s is NULL", j->call, name);
    if (b->type != lu->type)
        REFUSE("%s: %s is of type %d where the handle is of %d", j->call, name, (int)b->type, (int)lu->type);
    if (b->count < 0 || b->count > INT64_MAX / 16)
        REFUSE("%s: %s has %lld members", j->call, name, (long long)b->count);
    if (b->rows != lu->n || b->cols < 0 || (cols >= 0 && b->cols != cols))
        REFUSE("%s: the members of %s are %lld x %lld where the handle's n is %lld", j->call, name, (long long)b->rows,
               (long long)b->cols, (long long)lu->n);
    return validate_layout(error, j->call, name, b, written);
}

static clsolve_status validate(const clsolve_gauss_jordan *handle, const job *j) {
    cls_error *error = &handle->context->error;
    int64_t n = handle->gj.lu.n;

    if (n > CLSOLVE_GAUSS_JORDAN_BATCH_LARGEST)
        return cls_fail(error, CLSOLVE_ERROR_UNSUPPORTED, "%s: n is %lld; batches go up to %d", j->call, (long long)n,
                        CLSOLVE_GAUSS_JORDAN_BATCH_LARGEST);
    CLS_TRY(validate_batch(handle, j, "A", j->A, n, 0));
    CLS_TRY(validate_batch(handle, j, j->rhs < 0 ? "X" : "B", j->B, j->rhs < 0 ? n : -1, 1));
    if (j->A->count != j->B->count)
        REFUSE("%s: %lld members of A and %lld of %s", j->call, (long long)j->A->count, (long long)j->B->count,
               j->rhs < 0 ? "X" : "B");
    if (!j->info && j->A->count > 0) REFUSE("%s: info is NULL: it alone tells of singular members", j->call);
    return CLSOLVE_OK;
}

/* ---- the work ---- */

static cls_gj_strides strides_of(const clsolve_batch *b) {
    cls_gj_strides column = {1, b->rows}, row = {b->cols, 1};
    return b->layout == CLSOLVE_COLUMN_MAJOR ? column : row;
}

/* `infos`: room for count words. */
static clsolve_status run(clsolve_gauss_jordan *handle, const job *j, int32_t *infos) {
    cls_gj *gj = &handle->gj;
    cls_device *device = gj->lu.device;
    int64_t count = j->A->count;
    size_t bytes = (size_t)count * sizeof *infos;
    cls_rect rect = {bytes, 1, 0, bytes, bytes};
    double start = cls_seconds(), build = device->build_seconds;

    CLS_TRY(cls_gj_batch_reserve(gj, count, j->rhs));
    CLS_TRY(cls_gj_members_up(gj, j->A, gj->batch.A));
    if (j->rhs > 0) CLS_TRY(cls_gj_members_up(gj, j->B, gj->batch.B));
    handle->seconds.upload = cls_seconds() - start;

    start = cls_seconds();
    CLS_TRY(cls_gj_batch_run(gj, count, j->rhs, strides_of(j->A), strides_of(j->B)));
    CLS_TRY(device->ops->finish(device, CLS_COMPUTE));
    build = device->build_seconds - build;
    handle->build_seconds += build;
    handle->seconds.factor = cls_seconds() - start - build;

    start = cls_seconds();
    CLS_TRY(device->ops->read(device, CLS_COMPUTE, gj->batch.info, infos, &rect, NULL, NULL));
    CLS_TRY(device->ops->finish(device, CLS_COMPUTE));
    CLS_TRY(cls_gj_members_down(gj, j->B, j->rhs > 0 ? gj->batch.B : gj->batch.A, infos));
    handle->seconds.download = cls_seconds() - start;
    return CLSOLVE_OK;
}

static clsolve_status run_job(clsolve_gauss_jordan *handle, job *j) {
    int64_t count = j->A->count;
    int32_t *infos = cls_alloc((size_t)count, sizeof *infos);
    clsolve_status status = CLSOLVE_OK;

    if (!infos)
        return cls_fail(&handle->context->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a batch's infos");
    if (j->rhs != 0 && count > 0 && handle->gj.lu.n > 0) {
        if (j->rhs < 0) j->rhs = 0;
        status = run(handle, j, infos);
    }
    for (int64_t m = count - 1; status == CLSOLVE_OK && m >= 0; --m) {
        j->info[m] = infos[m];
        if (infos[m] != 0) handle->info = m + 1;
    }
    cls_free(infos);
    return status;
}

static clsolve_status batch(clsolve_gauss_jordan *handle, job *j) {
    cls_enter(handle->context);
    cls_gauss_jordan_begin(handle);
    clsolve_status status = validate(handle, j);
    if (status == CLSOLVE_OK) {
        handle->nrhs = j->A->count;
        status = run_job(handle, j);
    }
    return cls_gauss_jordan_end(handle, status);
}

clsolve_status clsolve_gauss_jordan_invert_batch(clsolve_gauss_jordan *handle, const clsolve_batch *A,
                                                 const clsolve_batch *X, int64_t *info) {
    if (!handle) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    job j = {"clsolve_gauss_jordan_invert_batch", A, X, -1, info};
    return batch(handle, &j);
}

clsolve_status clsolve_gauss_jordan_solve_batch(clsolve_gauss_jordan *handle, const clsolve_batch *A,
                                                const clsolve_batch *B, int64_t *info) {
    if (!handle) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    job j = {"clsolve_gauss_jordan_solve_batch", A, B, B ? B->cols : 0, info};
    return batch(handle, &j);
}
