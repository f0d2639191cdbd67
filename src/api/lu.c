#include "api/lu_state.h"

#include "api/handle_calls.h"
#include "api/in_place.h"

/* ---- the family ---- */

static cls_handle_options options_of(const void *options) {
    return CLS_HANDLE_OPTIONS((const clsolve_lu_options *)options);
}

static clsolve_status check(cls_error *error, const char *call, const void *options) {
    const clsolve_lu_options *o = options;
    CLS_TRY(cls_validate_pivoting(error, call, o->pivoting, CLS_PIVOTINGS_OF_LU));
    return cls_in_place_alone(error, call, "clsolve_lu_factor_in_place", o->nonfinite);
}

static int host_can(const void *options) {
    const clsolve_lu_options *o = options;
    return (o->pivoting == CLSOLVE_PIVOTING_AUTO || o->pivoting == CLSOLVE_PIVOTING_PARTIAL) &&
           cls_host_can(CLS_COMMON_OPTIONS(o, o->panel));
}

static clsolve_status setup(cls_handle *it, clsolve_type type) {
    clsolve_lu *lu = (clsolve_lu *)it;
    const int64_t n = it->shape.n;

    if (cls_lu_wants_several(lu, n)) {
        const clsolve_status status = cls_lu_several_setup(lu, n, type);
        if (status != CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY) return status;
        cls_direct_release(&it->direct); /* the first device alone has the host's memory behind it */
        cls_lu_several_release(lu);
    }
    /* A matrix of no rows has no panel, and a host that leads other devices would refuse one of kernels. */
    if (n == 0 && it->head.context->peer_count > 0) lu->options.panel = CLSOLVE_PANEL_AUTO;
    return cls_lu_direct_setup(it->head.choice.device, n, type, &lu->options, &lu->lu, &it->direct);
}

static void release(cls_handle *it) {
    clsolve_lu *lu = (clsolve_lu *)it;
    cls_lu_release(&lu->lu);
    cls_lu_several_release(lu);
}

static const cls_handle_family family = {CLS_HANDLE_FAMILY(lu),
                                         .kind.method = "lu",
                                         .kind.argument = "lu",
                                         .kind.handle = "an LU handle",
                                         .factors = "L\\U",
                                         .model = CLS_FAMILY_LU,
                                         .rate = 3,
                                         .kernels_by_size = 1,
                                         .options = options_of,
                                         .check = check,
                                         .host_can = host_can,
                                         .setup = setup,
                                         .release = release};

CLS_SQUARE_CALLS(lu)
CLS_GENERAL_CALLS(lu)

clsolve_status clsolve_lu_predict(clsolve_context *context, int64_t m, int64_t n, int64_t nrhs, clsolve_type type,
                                  double *device_seconds, double *host_seconds) {
    return cls_handle_predict(&family, context, m, n, nrhs, type, device_seconds, host_seconds);
}

int clsolve_lu_is_compiling(clsolve_context *context, int64_t n, clsolve_type type) {
    const cls_task task = {.family = CLS_FAMILY_LU, .type = type, .n = n, .nrhs = 1};
    return n < 0 || !cls_type_is_known(type) ? 0 : cls_ahead_is_compiling(context, &task);
}

clsolve_status clsolve_lu_warm(clsolve_context *context, int64_t m, int64_t n, clsolve_type type) {
    return cls_handle_warm(&family, context, m, &(cls_handle_shape){.n = n}, type);
}
