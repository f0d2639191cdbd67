/* band_ahead.c: a band's kernels, compiled before a band is there. */
#include "api/ahead.h"
#include "api/band.h"

/* The handle of a call's band, which compiles what that band needs. */
static clsolve_status make(clsolve_context *context, const cls_task *task, clsolve_band **band) {
    const clsolve_band_options options = {.where = CLSOLVE_WHERE_DEVICE};
    return clsolve_band_create(context, task->n, task->kl, task->ku, task->type, &options, band);
}

static clsolve_status run(void *band, const clsolve_matrix *AB, clsolve_matrix *B) {
    CLS_TRY(clsolve_band_factor(band, AB));
    return clsolve_band_solve(band, CLSOLVE_NO_TRANS, B);
}

static clsolve_status warm(clsolve_context *context, const cls_task *task, const void *user) {
    cls_task tried = *task;
    clsolve_band *band = NULL;

    (void)user;
    if (task->n > CLS_AHEAD_TRIED) {
        CLS_TRY(make(context, task, &band));
        clsolve_band_destroy(band);
        tried.n = CLS_AHEAD_TRIED;
    }
    if (tried.kl > tried.n - 1) tried.kl = tried.n - 1;
    if (tried.ku > tried.n - 1) tried.ku = tried.n - 1;
    CLS_TRY(make(context, &tried, &band));
    const int64_t rows = tried.kl + tried.ku + 1;
    clsolve_status status = cls_ahead_try(band, run, task->type, tried.n, rows, tried.ku, rows);
    clsolve_band_destroy(band);
    return status;
}

clsolve_status clsolve_band_warm(clsolve_context *context, int64_t n, int64_t kl, int64_t ku, clsolve_type type) {
    const cls_task task = {.family = CLS_FAMILY_BAND, .type = type, .n = n, .kl = kl, .ku = ku, .nrhs = 1};

    if (!context) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_enter(context));
    clsolve_status status = cls_band_validate_shape(&context->error, "clsolve_band_warm", n, kl, ku, type);
    if (status == CLSOLVE_OK) status = cls_ahead_warm(context, &task, warm, NULL);
    return cls_leave(context, status);
}

int clsolve_band_is_warm(const clsolve_context *context, clsolve_type type) {
    return cls_ahead_is_warm(context, CLS_FAMILY_BAND, type);
}
