#include <clsolve/band_cholesky.h>

#include "api/given.h"
#include "api/handle_calls.h"
#include "api/host.h"
#include "method/cholesky/band.h"
#include "method/direct/given.h"
#include "method/transfer.h"

struct clsolve_band_cholesky {
    cls_handle it;
    clsolve_band_cholesky_options options;
    cls_band_cholesky band;
};

/* ---- the family ---- */

static cls_handle_options options_of(const void *options) {
    const clsolve_band_cholesky_options *o = options;
    return (cls_handle_options){*CLS_COMMON_OPTIONS(o, CLSOLVE_PANEL_AUTO), o->where, o->reserved,
                                sizeof o->reserved / sizeof *o->reserved};
}

static clsolve_status check_shape(cls_error *error, const char *call, const cls_handle_shape *shape,
                                  clsolve_type type) {
    const int64_t n = shape->n, k = shape->kl, most = CLS_MOST_ELEMENTS;
    if (n < 0 || k < 0 || n > most || k > most)
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                        "%s: n = %lld with %lld diagonals on either side: from "
                        "0 to %lld",
                        call, (long long)n, (long long)k, (long long)most);
    CLS_TRY(cls_validate_type(error, call, "type", type, CLS_ALL_TYPES));
    return cls_validate_extent(error, CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY, call, n, k + 1);
}

static int host_can(const void *options) {
    const clsolve_band_cholesky_options *o = options;
    return o->block == 0 && o->slab_bytes == 0 && o->memory_limit == 0;
}

static int64_t rows(const cls_handle *it) {
    return it->shape.kl + 1;
}

static clsolve_status setup_there(clsolve_band_cholesky *band, clsolve_type type) {
    cls_handle *it = &band->it;
    return cls_band_cholesky_setup(it->head.choice.device, it->shape.n, it->shape.kl, type, &band->options, &band->band,
                                   &it->direct);
}

/* A band for which the device has no room is the host's, where nobody asked for the device. */
static clsolve_status setup(cls_handle *it, clsolve_type type) {
    clsolve_band_cholesky *band = (clsolve_band_cholesky *)it;
    const clsolve_status status = setup_there(band, type);
    if (status != CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY || band->options.where != CLSOLVE_WHERE_AUTO ||
        !host_can(&band->options) || it->head.context->device->callers)
        return status;
    cls_direct_release(&it->direct);
    cls_band_cholesky_release(&band->band);
    CLS_TRY(cls_context_host(it->head.context, &it->head.choice.device));
    it->head.choice.where = "host";
    it->head.choice.reason = "auto: the device has no room for the band";
    return setup_there(band, type);
}

static void release(cls_handle *it) {
    cls_band_cholesky_release(&((clsolve_band_cholesky *)it)->band);
}

static clsolve_uplo *uplo_of(cls_handle *it) {
    return &((clsolve_band_cholesky *)it)->band.uplo;
}

static int fetches(const cls_handle *it) {
    return ((const clsolve_band_cholesky *)it)->band.L != NULL;
}

static const cls_handle_family family = {CLS_HANDLE_FAMILY(band_cholesky),
                                         .kind.method = "band-cholesky",
                                         .kind.argument = "band",
                                         .kind.handle = "a band handle",
                                         .banded = 1,
                                         .model = CLS_FAMILY_BAND_CHOLESKY,
                                         .options = options_of,
                                         .check_shape = check_shape,
                                         .host_can = host_can,
                                         .rows = rows,
                                         .setup = setup,
                                         .release = release,
                                         .uplo = uplo_of,
                                         .fetches = fetches};

clsolve_status clsolve_band_cholesky_create(clsolve_context *context, int64_t n, int64_t k, clsolve_type type,
                                            const clsolve_band_cholesky_options *options,
                                            clsolve_band_cholesky **band) {
    return cls_handle_create(&family, context, &(cls_handle_shape){n, k, k}, type, options, band);
}

CLS_HANDLE_CALLS(band_cholesky)
CLS_TRIANGLE_CALLS(band_cholesky)

/* ---- factors to the caller and from him ---- */

/* A factor, which is always on the host. */
static clsolve_status validate_factor(clsolve_band_cholesky *band, const char *call, clsolve_uplo uplo,
                                      const clsolve_matrix *F, clsolve_type type) {
    cls_error *error = &band->it.head.context->error;
    CLS_TRY(cls_validate_uplo(error, call, uplo));
    CLS_TRY(cls_validate_matrix(error, call, "F", F, type, rows(&band->it), band->it.shape.n));
    return cls_given_on_host(error, call, "F", F);
}

clsolve_status clsolve_band_cholesky_factors(clsolve_band_cholesky *band, clsolve_uplo uplo, clsolve_matrix *F) {
    const char *call = "clsolve_band_cholesky_factors";
    CLS_TRY(cls_head_enter((cls_head *)band));
    cls_direct *direct = &band->it.direct;

    clsolve_status status = cls_given_show(direct, F);
    if (status == CLSOLVE_OK) status = validate_factor(band, call, uplo, F, cls_direct_type_in_use(direct));
    if (status == CLSOLVE_OK) status = cls_validate_factors(direct, call, family.names.factor);
    if (status == CLSOLVE_OK) status = cls_band_cholesky_export(direct, call, uplo, F);
    return cls_leave(band->it.head.context, status);
}

clsolve_status clsolve_band_cholesky_import(clsolve_band_cholesky *band, clsolve_uplo uplo, const clsolve_matrix *F) {
    const char *call = "clsolve_band_cholesky_import";
    CLS_TRY(cls_head_enter((cls_head *)band));
    clsolve_status status = validate_factor(band, call, uplo, F, band->it.direct.type);
    if (status == CLSOLVE_OK) status = cls_given_alone(&band->it.direct, call, ", without refine and equilibrate");
    if (status == CLSOLVE_OK) {
        band->band.uplo = uplo;
        status = cls_direct_import(&band->it.direct, call, "F", F, NULL);
    }
    return cls_head_end(&band->it.head, NULL, status);
}
