#include <clsolve/band.h>

clsolve_status clsolve_band_create(clsolve_context *context, int64_t n, int64_t kl, int64_t ku, clsolve_type type,
                                   const clsolve_band_options *options, clsolve_band **band) {
    (void)context, (void)n, (void)kl, (void)ku, (void)type, (void)options;
    if (band) *band = 0;
    return CLSOLVE_ERROR_UNSUPPORTED;
}
