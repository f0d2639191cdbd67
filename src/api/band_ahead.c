/* band_ahead.c: a band's kernels, compiled before a band is there. */
#include "api/ahead.h"
#include "api/band.h"
#include "base/memory.h"

enum { TRIED = 512 }; /* the most columns of a band that is factored, so that queues and copies have run too */

/* The handle of a call's band, which compiles what that band needs. */
static clsolve_status make(clsolve_context *context, const cls_task *task, clsolve_band **band) {
    const clsolve_band_options options = {.where = CLSOLVE_WHERE_DEVICE};
    return clsolve_band_create(context, task->n, task->kl, task->ku, task->type, &options, band);
}

/* The identity in the storage of a band with these diagonals, and a solve with it. */
static clsolve_status try_identity(clsolve_band *band, const cls_task *task) {
    const size_t size = (size_t)cls_type_size(task->type);
    const int64_t n = task->n, rows = task->kl + task->ku + 1;
    char *ab = cls_alloc((size_t)(rows * n), size), *b = cls_alloc((size_t)n, size);
    clsolve_matrix AB = {task->type, CLSOLVE_COLUMN_MAJOR, rows, n, rows, ab, CLSOLVE_ON_HOST, 0};
    clsolve_matrix B = {task->type, CLSOLVE_COLUMN_MAJOR, n, 1, n, b, CLSOLVE_ON_HOST, 0};
    clsolve_status status = CLSOLVE_ERROR_OUT_OF_MEMORY;

    if (ab && b) {
        cls_ahead_put_ones(task->type, ab + (size_t)task->ku * size, n, rows);
        cls_ahead_put_ones(task->type, b, n, 1);
        status = clsolve_band_factor(band, &AB);
        if (status == CLSOLVE_OK) status = clsolve_band_solve(band, CLSOLVE_NO_TRANS, &B);
    }
    cls_free(ab);
    cls_free(b);
    return status;
}

static clsolve_status warm(clsolve_context *context, const cls_task *task) {
    cls_task tried = *task;
    clsolve_band *band = NULL;

    if (task->n > TRIED) {
        CLS_TRY(make(context, task, &band));
        clsolve_band_destroy(band);
        tried.n = TRIED;
    }
    if (tried.kl > tried.n - 1) tried.kl = tried.n - 1;
    if (tried.ku > tried.n - 1) tried.ku = tried.n - 1;
    CLS_TRY(make(context, &tried, &band));
    clsolve_status status = try_identity(band, &tried);
    clsolve_band_destroy(band);
    return status;
}

clsolve_status clsolve_band_warm(clsolve_context *context, int64_t n, int64_t kl, int64_t ku, clsolve_type type) {
    const cls_task task = {.family = CLS_FAMILY_BAND, .type = type, .n = n, .kl = kl, .ku = ku, .nrhs = 1};

    if (!context) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_enter(context));
    clsolve_status status = cls_band_validate_shape(&context->error, "clsolve_band_warm", n, kl, ku, type);
    if (status == CLSOLVE_OK) status = cls_ahead_warm(context, &task, warm);
    return cls_leave(context, status);
}

int clsolve_band_is_warm(const clsolve_context *context, clsolve_type type) {
    return cls_ahead_is_warm(context, CLS_FAMILY_BAND, type);
}
