#include <clsolve/band_cholesky.h>

#include "api/context.h"
#include "api/given.h"
#include "api/validate.h"
#include "api/where.h"
#include "base/memory.h"
#include "method/cholesky/band.h"
#include "method/direct/given.h"

struct clsolve_band_cholesky {
    clsolve_context *context;
    clsolve_band_cholesky_options options;
    cls_band_cholesky band;
    cls_direct direct;
    clsolve_status status; /* of the last call */
};

/* ---- create, destroy ---- */

static const char create_call[] = "clsolve_band_cholesky_create";
static const char factor_call[] = "clsolve_band_cholesky_factor";

static clsolve_status validate_create(cls_error *error, int64_t n, int64_t k, clsolve_type type,
                                      const clsolve_band_cholesky_options *options) {
    const int64_t most = INT64_MAX / 64; /* so that sums of diagonals are numbers */
    if (n < 0 || k < 0 || n > most || k > most)
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                        "%s: n = %lld with %lld diagonals on either side: from "
                        "0 to %lld",
                        create_call, (long long)n, (long long)k, (long long)most);
    CLS_TRY(cls_validate_type(error, create_call, "type", type, CLS_ALL_TYPES));
    return options ? CLS_VALIDATE_RESERVED(error, create_call, options->reserved) : CLSOLVE_OK;
}

static void release(clsolve_band_cholesky *band) {
    cls_direct_release(&band->direct);
    cls_band_cholesky_release(&band->band);
    cls_free(band);
}

/* The device is the host: the context's own, where it has no kernels. */
static clsolve_status setup(clsolve_band_cholesky *band, int64_t n, int64_t k, clsolve_type type) {
    cls_device *host = band->context->device;
    if (!host->no_kernels) CLS_TRY(cls_context_host(band->context, &host));
    return cls_band_cholesky_setup(host, n, k, type, &band->options, &band->band, &band->direct);
}

clsolve_status clsolve_band_cholesky_create(clsolve_context *context, int64_t n, int64_t k, clsolve_type type,
                                            const clsolve_band_cholesky_options *options,
                                            clsolve_band_cholesky **band) {
    if (band) *band = NULL;
    if (!context) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    cls_enter(context);
    if (!band)
        return cls_leave(context, cls_fail(&context->error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                                           "%s: band is NULL: give the address of a pointer", create_call));
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
    cls_enter(context);
    release(band);
    (void)cls_leave(context, CLSOLVE_OK);
}

/* ---- validation ---- */

static clsolve_status validate_matrix(clsolve_band_cholesky *band, const char *call, const char *name,
                                      const clsolve_matrix *m, int64_t rows, int64_t cols) {
    cls_error *error = &band->context->error;
    CLS_TRY(cls_validate_matrix(error, call, name, m, band->direct.type, rows, cols));
    if (m->place == CLSOLVE_ON_HOST) return CLSOLVE_OK;
    return cls_fail(error, CLSOLVE_ERROR_UNSUPPORTED,
                    "%s: %s is on the device, and Cholesky of a band works on the host: give it there, or use "
                    "clsolve_band",
                    call, name);
}

static clsolve_status validate_triangle(clsolve_band_cholesky *band, const char *call, const char *name,
                                        clsolve_uplo uplo, const clsolve_matrix *m) {
    if (uplo != CLSOLVE_LOWER && uplo != CLSOLVE_UPPER)
        return cls_fail(&band->context->error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                        "%s: uplo is %d: give CLSOLVE_LOWER or CLSOLVE_UPPER", call, (int)uplo);
    return validate_matrix(band, call, name, m, band->band.given + 1, band->band.n);
}

/* ---- calls ---- */

clsolve_status clsolve_band_cholesky_factor(clsolve_band_cholesky *band, clsolve_uplo uplo, const clsolve_matrix *AB) {
    if (!band) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    cls_enter(band->context);
    clsolve_status status = validate_triangle(band, factor_call, "AB", uplo, AB);
    if (status == CLSOLVE_OK) {
        band->band.uplo = uplo;
        status = cls_direct_factor(&band->direct, factor_call, AB);
    }
    band->status = status;
    return cls_leave(band->context, status);
}

clsolve_status clsolve_band_cholesky_solve(clsolve_band_cholesky *band, clsolve_matrix *B) {
    const char *call = "clsolve_band_cholesky_solve";
    if (!band) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    cls_enter(band->context);
    clsolve_status status = validate_matrix(band, call, "B", B, band->band.n, -1);
    if (status == CLSOLVE_OK) status = cls_validate_factors(&band->direct, call, factor_call);
    if (status == CLSOLVE_OK) status = cls_direct_solve(&band->direct, call, CLSOLVE_NO_TRANS, B);
    band->status = status;
    return cls_leave(band->context, status);
}

clsolve_status clsolve_band_cholesky_factors(clsolve_band_cholesky *band, clsolve_uplo uplo, clsolve_matrix *F) {
    const char *call = "clsolve_band_cholesky_factors";
    if (!band) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    cls_enter(band->context);
    clsolve_status status = validate_triangle(band, call, "F", uplo, F);
    if (status == CLSOLVE_OK) status = cls_validate_factors(&band->direct, call, factor_call);
    if (status == CLSOLVE_OK) cls_band_cholesky_export(&band->direct, uplo, F);
    return cls_leave(band->context, status);
}

clsolve_status clsolve_band_cholesky_import(clsolve_band_cholesky *band, clsolve_uplo uplo, const clsolve_matrix *F) {
    const char *call = "clsolve_band_cholesky_import";
    if (!band) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    cls_enter(band->context);
    clsolve_status status = validate_triangle(band, call, "F", uplo, F);
    if (status == CLSOLVE_OK && band->direct.copies)
        status = cls_fail(&band->context->error, CLSOLVE_ERROR_UNSUPPORTED,
                          "%s: the handle refines, by a copy of A, which its factor does not give", call);
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
    cls_enter(band->context);
    clsolve_status status = cls_validate_factors(&band->direct, call, factor_call);
    if (status == CLSOLVE_OK)
        status = cls_given_condition(&band->direct, call, create_call, factor_call, CLSOLVE_NORM_ONE, norm_A, rcond);
    return cls_leave(band->context, status);
}

clsolve_status clsolve_band_cholesky_report(const clsolve_band_cholesky *band, clsolve_report *report) {
    const cls_choice choice = {.where = "host", .reason = "Cholesky of a band works on the host alone"};
    if (!band) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    if (!report) return cls_refuse_no_report(band->context, "clsolve_band_cholesky_report");
    cls_enter(band->context);
    *report = (clsolve_report){.status = band->status, .method = "band-cholesky"};
    cls_direct_report(&band->direct, report);
    cls_where_report(&choice, report);
    return cls_leave(band->context, CLSOLVE_OK);
}
