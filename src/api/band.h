/* band.h (private): what a clsolve_band is. */
#ifndef CLS_API_BAND_H
#define CLS_API_BAND_H

#include <clsolve/band.h>

#include "api/context.h"
#include "method/band/direct.h"

struct clsolve_band {
    clsolve_context *context;
    clsolve_band_options options;
    int64_t n, kl, ku; /* as the caller gave them: the shape of their arrays */
    cls_band band;
    cls_direct direct;     /* what became of the factorization, and what makes its answers accurate */
    clsolve_status status; /* of the last call */
};

#endif
