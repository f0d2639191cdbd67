#include "api/cholesky.h"

#include "api/ahead.h"

/* ---- the family ---- */

static cls_handle_options options_of(const void *options) {
    return CLS_HANDLE_OPTIONS((const clsolve_cholesky_options *)options);
}

static clsolve_status setup(cls_handle *it, clsolve_type type) {
    clsolve_cholesky *cholesky = (clsolve_cholesky *)it;
    return cls_cholesky_direct_setup(it->choice.device, it->shape.n, type, &cholesky->options, &cholesky->factors,
                                     &it->direct);
}

static void release(cls_handle *it) {
    cls_cholesky_release(&((clsolve_cholesky *)it)->factors);
}

static clsolve_uplo *uplo_of(cls_handle *it) {
    return &((clsolve_cholesky *)it)->factors.uplo;
}

/* Out of core the host's memory is where the factor is. */
static clsolve_status check_place(cls_handle *it, const char *call, const clsolve_matrix *m) {
    if (m->place == CLSOLVE_ON_HOST) return CLSOLVE_OK;
    if (((clsolve_cholesky *)it)->factors.out.slab == 0) return cls_transfer_fits(it->direct.device, m);
    return cls_fail(&it->context->error, CLSOLVE_ERROR_UNSUPPORTED,
                    "%s: the matrix is on the device, and out of core the handle takes none: give it on the host",
                    call);
}

static int runs_ahead(const cls_handle *it) {
    return !((const clsolve_cholesky *)it)->factors.A.mapped;
}

static clsolve_status async_factor(cls_handle *it, const clsolve_matrix *A) {
    return cls_cholesky_async_factor(&((clsolve_cholesky *)it)->factors, &it->async, A);
}

static clsolve_status async_solve(cls_handle *it, clsolve_op op, const clsolve_matrix *B, int after_factor) {
    (void)op; /* none but NO_TRANS */
    return cls_cholesky_async_solve(&((clsolve_cholesky *)it)->factors, &it->async, B, after_factor);
}

static cls_buffer *info_of(const cls_handle *it) {
    return ((const clsolve_cholesky *)it)->factors.info;
}

static const cls_handle_family family = {CLS_HANDLE_FAMILY(cholesky),
                                         .method = "cholesky",
                                         .argument = "cholesky",
                                         .handle = "a Cholesky handle",
                                         .factors = "L",
                                         .model = CLS_FAMILY_CHOLESKY,
                                         .rate = 6,
                                         .options = options_of,
                                         .setup = setup,
                                         .release = release,
                                         .uplo = uplo_of,
                                         .check_place = check_place,
                                         .invert = cls_cholesky_invert,
                                         .runs_ahead = runs_ahead,
                                         .async_factor = async_factor,
                                         .async_solve = async_solve,
                                         .info = info_of};

clsolve_status clsolve_cholesky_create(clsolve_context *context, int64_t n, clsolve_type type,
                                       const clsolve_cholesky_options *options, clsolve_cholesky **cholesky) {
    return cls_handle_create(&family, context, &(cls_handle_shape){.n = n}, type, options, cholesky);
}

void clsolve_cholesky_destroy(clsolve_cholesky *cholesky) {
    cls_handle_destroy((cls_handle *)cholesky);
}

/* ---- factor, solve, report ---- */

clsolve_status clsolve_cholesky_factor(clsolve_cholesky *cholesky, clsolve_uplo uplo, const clsolve_matrix *A) {
    return cls_handle_factor((cls_handle *)cholesky, uplo, A);
}

clsolve_status clsolve_cholesky_factor_enqueue(clsolve_cholesky *cholesky, clsolve_uplo uplo, const clsolve_matrix *A,
                                               const clsolve_events *events) {
    return cls_handle_factor_enqueue((cls_handle *)cholesky, uplo, A, events);
}

clsolve_status clsolve_cholesky_solve(clsolve_cholesky *cholesky, clsolve_matrix *B) {
    return cls_handle_solve((cls_handle *)cholesky, CLSOLVE_NO_TRANS, B);
}

clsolve_status clsolve_cholesky_solve_enqueue(clsolve_cholesky *cholesky, clsolve_matrix *B,
                                              const clsolve_events *events) {
    return cls_handle_solve_enqueue((cls_handle *)cholesky, CLSOLVE_NO_TRANS, B, events);
}

clsolve_status clsolve_cholesky_condition(clsolve_cholesky *cholesky, double norm_A, double *rcond) {
    return cls_handle_condition((cls_handle *)cholesky, CLSOLVE_NORM_ONE, norm_A, rcond);
}

clsolve_status clsolve_cholesky_inverse(clsolve_cholesky *cholesky, clsolve_uplo uplo, clsolve_matrix *X) {
    return cls_handle_inverse((cls_handle *)cholesky, uplo, X);
}

clsolve_status clsolve_cholesky_report(const clsolve_cholesky *cholesky, clsolve_report *report) {
    return cls_handle_report((const cls_handle *)cholesky, report);
}

clsolve_status clsolve_cholesky_status(clsolve_cholesky *cholesky) {
    return cls_handle_status((cls_handle *)cholesky);
}

/* ---- ahead of a matrix ---- */

clsolve_status clsolve_cholesky_predict(clsolve_context *context, int64_t n, int64_t nrhs, clsolve_type type,
                                        double *device_seconds, double *host_seconds) {
    return cls_handle_predict(&family, context, n, n, nrhs, type, device_seconds, host_seconds);
}

clsolve_status clsolve_cholesky_warm(clsolve_context *context, int64_t n, clsolve_type type) {
    return cls_handle_warm(&family, context, n, &(cls_handle_shape){.n = n}, type);
}

int clsolve_cholesky_is_warm(const clsolve_context *context, clsolve_type type) {
    return cls_ahead_is_warm(context, family.model, type);
}
