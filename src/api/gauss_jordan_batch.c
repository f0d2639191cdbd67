#include "api/gauss_jordan.h"

#include "api/validate.h"
#include "base/memory.h"
#include "method/members.h"

#define REFUSE(...) return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, __VA_ARGS__)

typedef struct job {
    const char *call;
    const clsolve_batch *A, *B; /* what is read; what is written, B of a system or X of an inverse */
    int64_t rhs;                /* 0: inverse */
    int64_t *info;
} job;

/* ---- validation ---- */

static clsolve_status validate(const clsolve_gauss_jordan *handle, const job *j) {
    cls_error *error = &handle->context->error;
    int64_t n = handle->gj.n;

    if (n > CLSOLVE_GAUSS_JORDAN_BATCH_LARGEST)
        return cls_fail(error, CLSOLVE_ERROR_UNSUPPORTED, "%s: n is %lld; batches go up to %d", j->call, (long long)n,
                        CLSOLVE_GAUSS_JORDAN_BATCH_LARGEST);
    clsolve_type type = handle->gj.type;
    CLS_TRY(cls_validate_batch(error, j->call, "A", j->A, type, n, n, 0));
    CLS_TRY(cls_validate_batch(error, j->call, j->rhs < 0 ? "X" : "B", j->B, type, n, j->rhs < 0 ? n : -1, 1));
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
    cls_device *device = gj->device;
    int64_t count = j->A->count;
    double start = cls_seconds(), build = device->build_seconds;

    CLS_TRY(cls_gj_batch_reserve(gj, count, j->rhs));
    CLS_TRY(cls_members_up(device, j->A, gj->batch.A));
    if (j->rhs > 0) CLS_TRY(cls_members_up(device, j->B, gj->batch.B));
    handle->last.seconds.upload = cls_seconds() - start;

    start = cls_seconds();
    CLS_TRY(cls_gj_batch_run(gj, count, j->rhs, strides_of(j->A), strides_of(j->B)));
    CLS_TRY(cls_gj_batch_finish(gj));
    build = device->build_seconds - build;
    handle->build_seconds += build;
    handle->last.seconds.factor = cls_seconds() - start - build;

    start = cls_seconds();
    CLS_TRY(cls_gj_batch_infos(gj, count, infos));
    CLS_TRY(cls_members_down(device, j->B, j->rhs > 0 ? gj->batch.B : gj->batch.A, infos));
    handle->last.seconds.download = cls_seconds() - start;
    return CLSOLVE_OK;
}

static clsolve_status run_job(clsolve_gauss_jordan *handle, job *j) {
    int64_t count = j->A->count;
    int32_t *infos = cls_alloc((size_t)count, sizeof *infos);
    clsolve_status status = CLSOLVE_OK;

    if (!infos)
        return cls_fail(&handle->context->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a batch's infos");
    if (j->rhs != 0 && count > 0 && handle->gj.n > 0) {
        if (j->rhs < 0) j->rhs = 0;
        status = run(handle, j, infos);
    }
    for (int64_t m = count - 1; status == CLSOLVE_OK && m >= 0; --m) {
        j->info[m] = infos[m];
        if (infos[m] == 0) continue;
        handle->last.info = infos[m];
        handle->member = m + 1;
    }
    cls_free(infos);
    return status;
}

static clsolve_status batch(clsolve_gauss_jordan *handle, job *j) {
    cls_enter(handle->context);
    cls_gauss_jordan_begin(handle);
    clsolve_status status = validate(handle, j);
    if (status == CLSOLVE_OK) {
        handle->members = j->A->count;
        handle->nrhs = j->B->cols;
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
