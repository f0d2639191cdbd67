#include "api/cholesky.h"

#include "api/handle_calls.h"

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

CLS_SQUARE_CALLS(cholesky)
CLS_SYMMETRIC_CALLS(cholesky)
