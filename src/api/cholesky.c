#include "api/cholesky.h"

#include "api/ahead.h"

/* ---- the family ---- */

static cls_handle_options options_of(const void *options) {
    return CLS_HANDLE_OPTIONS((const clsolve_cholesky_options *)options);
}

static clsolve_status setup(cls_handle *it, clsolve_type type) {
    clsolve_cholesky *cholesky = (clsolve_cholesky *)it;
    return cls_cholesky_direct_setup(it->head.choice.device, it->shape.n, type, &cholesky->options, &cholesky->factors,
                                     &it->direct);
}

static void release(cls_handle *it) {
    cls_cholesky_release(&((clsolve_cholesky *)it)->factors);
}

static clsolve_uplo *uplo_of(cls_handle *it) {
    return &((clsolve_cholesky *)it)->factors.uplo;
}

static const cls_handle_family family = {CLS_HANDLE_FAMILY(cholesky),
                                         .kind.method = "cholesky",
                                         .kind.argument = "cholesky",
                                         .kind.handle = "a Cholesky handle",
                                         .factors = "L",
                                         .model = CLS_FAMILY_CHOLESKY,
                                         .rate = 6,
                                         .options = options_of,
                                         .setup = setup,
                                         .release = release,
                                         .uplo = uplo_of};

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
