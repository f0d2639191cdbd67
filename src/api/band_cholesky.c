#include <clsolve/band_cholesky.h>

#include "api/context.h"
#include "api/given.h"
#include "api/validate.h"
#include "api/where.h"
#include "base/memory.h"
#include "method/cholesky/band.h"
#include "method/direct/given.h"
#include "method/fetch.h"
#include "method/transfer.h"

struct clsolve_band_cholesky {
    clsolve_context *context;
    clsolve_band_cholesky_options options;
    cls_choice choice; /* on the device, or on the host */
    cls_band_cholesky band;
    cls_direct direct;
    clsolve_status status; /* of the last call */
};

/* ---- create, destroy ---- */

static const char create_call[] = "clsolve_band_cholesky_create";
static const char factor_call[] = "clsolve_band_cholesky_factor";

static clsolve_status validate_create(cls_error *error, int64_t n, int64_t k, clsolve_type type,
                                      const clsolve_band_cholesky_options *options) {
    const int64_t most = CLS_MOST_ELEMENTS;
    if (n < 0 || k < 0 || n > most || k > most)
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                        "%s: n = %lld with %lld diagonals on either side: from "
                        "0 to %lld",
                        create_call, (long long)n, (long long)k, (long long)most);
    CLS_TRY(cls_validate_type(error, create_call, "type", type, CLS_ALL_TYPES));
    CLS_TRY(cls_validate_extent(error, CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY, create_call, n, k + 1));
    if (!options) return CLSOLVE_OK;
    CLS_TRY(CLS_VALIDATE_RESERVED(error, create_call, options->reserved));
    return cls_validate_options(error, create_call, CLS_COMMON_OPTIONS(options, CLSOLVE_PANEL_AUTO), type);
}

static void release(clsolve_band_cholesky *band) {
    cls_direct_release(&band->direct);
    cls_band_cholesky_release(&band->band);
    cls_free(band);
}

static int host_can(const clsolve_band_cholesky_options *o) {
    return o->block == 0 && o->slab_bytes == 0 && o->memory_limit == 0;
}

static clsolve_status setup_there(clsolve_band_cholesky *band, int64_t n, int64_t k, clsolve_type type) {
    return cls_band_cholesky_setup(band->choice.device, n, k, type, &band->options, &band->band, &band->direct);
}

/* A band for which the device has no room is the host's, where nobody asked for the device. */
static clsolve_status setup(clsolve_band_cholesky *band, int64_t n, int64_t k, clsolve_type type) {
    clsolve_context *context = band->context;
    const clsolve_band_cholesky_options *o = &band->options;
    const int64_t most = n > 0 ? n - 1 : 0, used = k < most ? k : most;
    const cls_task task = {.family = CLS_FAMILY_BAND_CHOLESKY, .type = type, .n = n, .kl = used, .ku = used, .nrhs = 1};

    CLS_TRY(cls_where_choose(context, create_call, &task, o->where, host_can(o), &band->choice));
    clsolve_status status = setup_there(band, n, k, type);
    if (status == CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY && o->where == CLSOLVE_WHERE_AUTO && host_can(o) &&
        !context->device->callers) {
        cls_direct_release(&band->direct);
        cls_band_cholesky_release(&band->band);
        CLS_TRY(cls_context_host(context, &band->choice.device));
        band->choice.where = "host";
        band->choice.reason = "auto: the device has no room for the band";
        status = setup_there(band, n, k, type);
    }
    if (status == CLSOLVE_OK) cls_where_built(context, &band->choice);
    return status;
}

clsolve_status clsolve_band_cholesky_create(clsolve_context *context, int64_t n, int64_t k, clsolve_type type,
                                            const clsolve_band_cholesky_options *options,
                                            clsolve_band_cholesky **band) {
    if (band) *band = NULL;
    CLS_TRY(cls_enter_create(context, create_call, "band", band));
    clsolve_status status = validate_create(&context->error, n, k, type, options);
    if (status != CLSOLVE_OK) return cls_leave(context, status);
    clsolve_band_cholesky *made = cls_alloc(1, sizeof *made);
    if (!made)
        return cls_leave(context,
                         cls_fail(&context->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a band handle"));
    made->context = context;
    if (options) made->options = *options;
    status = setup(made, n, k, type);
    if (status == CLSOLVE_OK)
        *band = made;
    else
        release(made);
    return cls_leave(context, status);
}

void clsolve_band_cholesky_destroy(clsolve_band_cholesky *band) {
    if (!band) return;
    clsolve_context *context = band->context;
    if (cls_enter(context) != CLSOLVE_OK) return;
    release(band);
    (void)cls_leave(context, CLSOLVE_OK);
}

/* ---- validation ---- */

static clsolve_status validate_matrix(clsolve_band_cholesky *band, const char *call, const char *name,
                                      const clsolve_matrix *m, int64_t rows, int64_t cols) {
    cls_error *error = &band->context->error;
    CLS_TRY(cls_validate_matrix(error, call, name, m, band->direct.type, rows, cols));
    return cls_transfer_fits(band->context->device, m);
}

/* A factor, which is always on the host. */
static clsolve_status validate_factor(clsolve_band_cholesky *band, const char *call, clsolve_uplo uplo,
                                      const clsolve_matrix *F, clsolve_type type) {
    cls_error *error = &band->context->error;
    CLS_TRY(cls_validate_uplo(error, call, uplo));
    CLS_TRY(cls_validate_matrix(error, call, "F", F, type, band->band.given + 1, band->band.n));
    return cls_given_on_host(error, call, "F", F);
}

/* ---- calls ---- */

/* A matrix on the device comes to the host where the factors are there; else it is the caller's own. */
static clsolve_status bring(clsolve_band_cholesky *band, const clsolve_matrix *m, cls_fetched *there) {
    cls_device *device = band->context->device;
    *there = (cls_fetched){.view = *m};
    return band->band.L ? cls_fetch(device, m, there) : CLSOLVE_OK;
}

static clsolve_status factor(clsolve_band_cholesky *band, const clsolve_matrix *AB) {
    cls_fetched there;
    CLS_TRY(bring(band, AB, &there));
    const clsolve_status status = cls_direct_factor(&band->direct, factor_call, &there.view);
    cls_fetched_free(&there);
    return status;
}

static clsolve_status solve(clsolve_band_cholesky *band, const char *call, const clsolve_matrix *B) {
    cls_fetched there;
    CLS_TRY(bring(band, B, &there));
    clsolve_status status = cls_direct_solve(&band->direct, call, CLSOLVE_NO_TRANS, &there.view);
    if (status == CLSOLVE_OK && there.copy) status = cls_store(band->context->device, &there, B);
    cls_fetched_free(&there);
    return status;
}

clsolve_status clsolve_band_cholesky_factor(clsolve_band_cholesky *band, clsolve_uplo uplo, const clsolve_matrix *AB) {
    if (!band) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_enter(band->context));
    clsolve_status status = cls_validate_uplo(&band->context->error, factor_call, uplo);
    if (status == CLSOLVE_OK) status = validate_matrix(band, factor_call, "AB", AB, band->band.given + 1, band->band.n);
    if (status == CLSOLVE_OK) {
        band->band.uplo = uplo;
        status = factor(band, AB);
    }
    band->status = status;
    return cls_leave(band->context, status);
}

clsolve_status clsolve_band_cholesky_solve(clsolve_band_cholesky *band, clsolve_matrix *B) {
    const char *call = "clsolve_band_cholesky_solve";
    if (!band) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_enter(band->context));
    clsolve_status status = validate_matrix(band, call, "B", B, band->band.n, -1);
    if (status == CLSOLVE_OK) status = cls_validate_factors(&band->direct, call, factor_call);
    if (status == CLSOLVE_OK) status = solve(band, call, B);
    band->status = status;
    return cls_leave(band->context, status);
}

clsolve_status clsolve_band_cholesky_factors(clsolve_band_cholesky *band, clsolve_uplo uplo, clsolve_matrix *F) {
    const char *call = "clsolve_band_cholesky_factors";
    if (!band) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    cls_direct *direct = &band->direct;
    CLS_TRY(cls_enter(band->context));

    /* Float factors are for those who ask for float. */
    const int as_float = F && F->type == cls_single_type(direct->type);
    clsolve_status status = as_float ? CLSOLVE_OK : cls_direct_show(direct);
    const cls_band_cholesky *in_use = cls_direct_in_use(direct);
    if (status == CLSOLVE_OK) status = validate_factor(band, call, uplo, F, in_use->type);
    if (status == CLSOLVE_OK) status = cls_validate_factors(direct, call, factor_call);
    if (status == CLSOLVE_OK) status = cls_band_cholesky_export(direct, call, uplo, F);
    return cls_leave(band->context, status);
}

clsolve_status clsolve_band_cholesky_import(clsolve_band_cholesky *band, clsolve_uplo uplo, const clsolve_matrix *F) {
    const char *call = "clsolve_band_cholesky_import";
    if (!band) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_enter(band->context));
    clsolve_status status = validate_factor(band, call, uplo, F, band->direct.type);
    if (status == CLSOLVE_OK && band->direct.copies)
        status = cls_fail(&band->context->error, CLSOLVE_ERROR_UNSUPPORTED,
                          "%s: the handle keeps a copy of A: create it with CLSOLVE_PRECISION_WORKING, without refine "
                          "and equilibrate",
                          call);
    if (status == CLSOLVE_OK) {
        band->band.uplo = uplo;
        status = cls_direct_import(&band->direct, call, "F", F, NULL);
    }
    band->status = status;
    return cls_leave(band->context, status);
}

clsolve_status clsolve_band_cholesky_condition(clsolve_band_cholesky *band, double norm_A, double *rcond) {
    const char *call = "clsolve_band_cholesky_condition";
    if (!band) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_enter(band->context));
    return cls_leave(band->context, cls_given_condition(&band->direct, call, create_call, factor_call, CLSOLVE_NORM_ONE,
                                                        norm_A, rcond));
}

clsolve_status clsolve_band_cholesky_report(const clsolve_band_cholesky *band, clsolve_report *report) {
    if (!band) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    if (!report) return cls_refuse_no_report(band->context, "clsolve_band_cholesky_report");
    CLS_TRY(cls_enter(band->context));
    *report = (clsolve_report){.status = band->status, .method = "band-cholesky"};
    cls_direct_report(&band->direct, report);
    cls_where_report(&band->choice, report);
    return cls_leave(band->context, CLSOLVE_OK);
}
