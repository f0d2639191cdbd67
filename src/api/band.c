#include "api/band.h"

#include "api/in_place.h"
#include "api/validate.h"
#include "base/memory.h"

/* ---- create, destroy ---- */

#define REFUSE(...) return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, __VA_ARGS__)

clsolve_status cls_band_validate_options(cls_error *error, const char *call, clsolve_type type,
                                         const clsolve_band_options *options) {
    CLS_TRY(CLS_VALIDATE_RESERVED(error, call, options->reserved));
    if (options->form != CLSOLVE_BAND_PLAIN && options->form != CLSOLVE_BAND_GBTRF)
        REFUSE("%s: form is %d: see clsolve_band_form", call, (int)options->form);
    return cls_validate_options(error, call, CLS_COMMON_OPTIONS(options, options->panel), type);
}

clsolve_status cls_band_validate_shape(cls_error *error, const char *call, int64_t n, int64_t kl, int64_t ku,
                                       clsolve_type type) {
    const int64_t most = CLS_MOST_ELEMENTS;
    if (n < 0) REFUSE("%s: n is %lld: sizes start at 0", call, (long long)n);
    if (kl < 0 || ku < 0 || kl > most || ku > most || n > most)
        REFUSE("%s: n = %lld with %lld diagonals below and %lld above: from 0 to %lld", call, (long long)n,
               (long long)kl, (long long)ku, (long long)most);
    CLS_TRY(cls_validate_type(error, call, "type", type, CLS_ALL_TYPES));
    return cls_validate_extent(error, CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY, call, n, 2 * kl + ku + 1);
}

static clsolve_status validate_create(cls_error *error, int64_t n, int64_t kl, int64_t ku, clsolve_type type,
                                      const clsolve_band_options *options) {
    CLS_TRY(cls_band_validate_shape(error, "clsolve_band_create", n, kl, ku, type));
    if (!options) return CLSOLVE_OK;
    CLS_TRY(cls_in_place_alone(error, "clsolve_band_create", "clsolve_band_factor_in_place", options->nonfinite));
    return cls_band_validate_options(error, "clsolve_band_create", type, options);
}

int cls_band_host_can(const clsolve_band_options *o) {
    return cls_host_can(CLS_COMMON_OPTIONS(o, o->panel));
}

static clsolve_status setup(clsolve_band *band, clsolve_type type) {
    clsolve_context *context = band->context;
    int64_t most = band->n > 0 ? band->n - 1 : 0, kl = band->kl, ku = band->ku;
    cls_task task = {.family = CLS_FAMILY_BAND,
                     .type = type,
                     .n = band->n,
                     .kl = kl < most ? kl : most,
                     .ku = ku < most ? ku : most,
                     .nrhs = 1};

    CLS_TRY(cls_where_choose(context, "clsolve_band_create", &task, band->options.where,
                             cls_band_host_can(&band->options), &band->choice));
    CLS_TRY(
        cls_band_direct_setup(band->choice.device, band->n, kl, ku, type, &band->options, &band->band, &band->direct));
    cls_where_built(context, &band->choice);
    return CLSOLVE_OK;
}

clsolve_status clsolve_band_create(clsolve_context *context, int64_t n, int64_t kl, int64_t ku, clsolve_type type,
                                   const clsolve_band_options *options, clsolve_band **band) {
    if (band) *band = NULL;
    CLS_TRY(cls_enter_create(context, "clsolve_band_create", "band", band));
    clsolve_status status = validate_create(&context->error, n, kl, ku, type, options);
    if (status != CLSOLVE_OK) return cls_leave(context, status);

    clsolve_band *made = cls_alloc(1, sizeof *made);
    if (!made)
        return cls_leave(context,
                         cls_fail(&context->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a band handle"));
    made->context = context;
    made->n = n;
    made->kl = kl;
    made->ku = ku;
    if (options) made->options = *options;
    status = setup(made, type);
    if (status == CLSOLVE_OK) {
        *band = made;
    } else {
        cls_error first = context->error; /* what releases waits may overwrite it */
        cls_direct_release(&made->direct);
        cls_band_release(&made->band);
        cls_free(made);
        context->error = first;
    }
    return cls_leave(context, status);
}

void clsolve_band_destroy(clsolve_band *band) {
    if (!band) return;
    clsolve_context *context = band->context;
    if (cls_enter(context) != CLSOLVE_OK) return;
    cls_direct_release(&band->direct);
    cls_band_release(&band->band);
    cls_free(band);
    (void)cls_leave(context, CLSOLVE_OK);
}

/* ---- failures ---- */

/* Where a band passes through a window, the host's memory is where the factors are. */
static clsolve_status validate_place(clsolve_band *band, const char *call, const clsolve_matrix *m) {
    if (m->place == CLSOLVE_ON_HOST) return CLSOLVE_OK;
    if (band->band.stream)
        return cls_fail(&band->context->error, CLSOLVE_ERROR_UNSUPPORTED,
                        "%s: the matrix is on the device, and a band that is larger than the device takes none: give "
                        "it on the host",
                        call);
    return cls_transfer_fits(band->choice.device, m);
}

/* ---- factor ---- */

clsolve_status cls_band_check_factor(clsolve_band *band, const char *call, const clsolve_matrix *AB) {
    cls_error *error = &band->context->error;
    int64_t rows = band->kl + band->ku + 1 + (band->options.form == CLSOLVE_BAND_GBTRF ? band->kl : 0);

    CLS_TRY(cls_validate_matrix(error, call, "AB", AB, band->direct.type, rows, band->n));
    return validate_place(band, call, AB);
}

clsolve_status clsolve_band_factor(clsolve_band *band, const clsolve_matrix *AB) {
    if (!band) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    clsolve_context *context = band->context;
    CLS_TRY(cls_enter(context));

    band->message.text[0] = 0;
    clsolve_status status = cls_band_check_factor(band, "clsolve_band_factor", AB);
    if (status == CLSOLVE_OK) status = cls_direct_factor(&band->direct, "clsolve_band_factor", AB);
    band->status = status;
    return cls_leave(context, status);
}

/* ---- solve ---- */

static clsolve_status validate_state(clsolve_band *band, const char *call) {
    return cls_validate_factors(&band->direct, call, "clsolve_band_factor");
}

clsolve_status cls_band_check_solve(clsolve_band *band, const char *call, clsolve_op op, const clsolve_matrix *B) {
    cls_error *error = &band->context->error;
    CLS_TRY(cls_validate_op(error, call, op));
    CLS_TRY(cls_validate_matrix(error, call, "B", B, band->direct.type, band->n, -1));
    return validate_place(band, call, B);
}

clsolve_status clsolve_band_solve(clsolve_band *band, clsolve_op op, clsolve_matrix *B) {
    if (!band) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    clsolve_context *context = band->context;
    CLS_TRY(cls_enter(context));

    band->message.text[0] = 0;
    clsolve_status status = cls_band_check_solve(band, "clsolve_band_solve", op, B);
    if (status == CLSOLVE_OK) status = validate_state(band, "clsolve_band_solve");
    if (status == CLSOLVE_OK) status = cls_direct_solve(&band->direct, "clsolve_band_solve", op, B);
    band->status = status;
    return cls_leave(context, status);
}

/* ---- factors, report ---- */

clsolve_status clsolve_band_factors(clsolve_band *band, clsolve_matrix *AFB, int64_t *ipiv) {
    if (!band) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    clsolve_context *context = band->context;
    const char *call = "clsolve_band_factors";
    CLS_TRY(cls_enter(context));

    clsolve_status status = CLSOLVE_OK;
    cls_band *b = cls_direct_in_use(&band->direct);
    if (AFB) {
        status = cls_validate_matrix(&context->error, call, "AFB", AFB, b->type, 2 * band->kl + band->ku + 1, band->n);
        if (status == CLSOLVE_OK) status = validate_place(band, call, AFB);
    }
    if (status == CLSOLVE_OK && !band->direct.factored) status = validate_state(band, call);
    /* The export takes memory, the pivots take none: without memory neither array changes. */
    if (status == CLSOLVE_OK && AFB && band->n > 0) status = cls_band_export(b, band->kl, band->ku, AFB);
    if (status == CLSOLVE_OK && ipiv && band->n > 0) status = cls_band_pivots(b, ipiv);
    return cls_leave(context, status);
}

clsolve_status clsolve_band_report(const clsolve_band *band, clsolve_report *report) {
    if (!band) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    if (!report) return cls_refuse_no_report(band->context, "clsolve_band_report");

    CLS_TRY(cls_enter(band->context));
    *report = (clsolve_report){.status = band->status, .method = "band-lu"};
    cls_direct_report(&band->direct, report);
    cls_where_report(&band->choice, report);
    return cls_leave(band->context, CLSOLVE_OK);
}
