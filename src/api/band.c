#include "api/band.h"

#include "api/handle_calls.h"
#include "api/in_place.h"

/* ---- the family ---- */

#define REFUSE(...) return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, __VA_ARGS__)

static cls_handle_options options_of(const void *options) {
    return CLS_HANDLE_OPTIONS((const clsolve_band_options *)options);
}

clsolve_status cls_band_check_shape(cls_error *error, const char *call, const cls_handle_shape *shape,
                                    clsolve_type type) {
    const int64_t n = shape->n, kl = shape->kl, ku = shape->ku, most = CLS_MOST_ELEMENTS;
    if (n < 0) REFUSE("%s: n is %lld: sizes start at 0", call, (long long)n);
    if (kl < 0 || ku < 0 || kl > most || ku > most || n > most)
        REFUSE("%s: n = %lld with %lld diagonals below and %lld above: from 0 to %lld", call, (long long)n,
               (long long)kl, (long long)ku, (long long)most);
    CLS_TRY(cls_validate_type(error, call, "type", type, CLS_ALL_TYPES));
    return cls_validate_extent(error, CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY, call, n, 2 * kl + ku + 1);
}

clsolve_status cls_band_check_form(cls_error *error, const char *call, clsolve_band_form form) {
    if (form == CLSOLVE_BAND_PLAIN || form == CLSOLVE_BAND_GBTRF) return CLSOLVE_OK;
    REFUSE("%s: form is %d: see clsolve_band_form", call, (int)form);
}

static clsolve_status check(cls_error *error, const char *call, const void *options) {
    const clsolve_band_options *o = options;
    CLS_TRY(cls_in_place_alone(error, call, "clsolve_band_factor_in_place", o->nonfinite));
    return cls_band_check_form(error, call, o->form);
}

static int64_t rows(const cls_handle *it) {
    const cls_handle_shape *shape = &it->shape;
    const int with_room = ((const clsolve_band *)it)->options.form == CLSOLVE_BAND_GBTRF;
    return shape->kl + shape->ku + 1 + (with_room ? shape->kl : 0);
}

static clsolve_status setup(cls_handle *it, clsolve_type type) {
    clsolve_band *band = (clsolve_band *)it;
    const cls_handle_shape *shape = &it->shape;
    return cls_band_direct_setup(it->head.choice.device, shape->n, shape->kl, shape->ku, type, &band->options,
                                 &band->band, &it->direct);
}

static void release(cls_handle *it) {
    cls_band_release(&((clsolve_band *)it)->band);
}

static const cls_handle_family family = {CLS_HANDLE_FAMILY(band),
                                         .kind.method = "band-lu",
                                         .kind.argument = "band",
                                         .kind.handle = "a band handle",
                                         .banded = 1,
                                         .model = CLS_FAMILY_BAND,
                                         .kernels_by_size = 1,
                                         .options = options_of,
                                         .check_shape = cls_band_check_shape,
                                         .check = check,
                                         .rows = rows,
                                         .setup = setup,
                                         .release = release};

clsolve_status clsolve_band_create(clsolve_context *context, int64_t n, int64_t kl, int64_t ku, clsolve_type type,
                                   const clsolve_band_options *options, clsolve_band **band) {
    return cls_handle_create(&family, context, &(cls_handle_shape){n, kl, ku}, type, options, band);
}

CLS_HANDLE_CALLS(band)
CLS_GENERAL_CALLS(band)

clsolve_status clsolve_band_warm(clsolve_context *context, int64_t n, int64_t kl, int64_t ku, clsolve_type type) {
    return cls_handle_warm(&family, context, n, &(cls_handle_shape){n, kl, ku}, type);
}
