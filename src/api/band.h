/* band.h (private): what a clsolve_band is. */
#ifndef CLS_API_BAND_H
#define CLS_API_BAND_H

#include <clsolve/band.h>

#include "api/context.h"
#include "api/where.h"
#include "method/band/direct.h"

struct clsolve_band {
    clsolve_context *context;
    cls_choice choice; /* on the device, or on the host */
    clsolve_band_options options;
    int64_t n, kl, ku; /* as the caller gave them: the shape of their arrays */
    cls_band band;
    cls_direct direct;     /* what became of the factorization, and what makes its answers accurate */
    clsolve_status status; /* of the last call */
    cls_error message;     /* see enqueue.h */
};

/* The arguments of clsolve_band_create, and of `call`. */
clsolve_status cls_band_validate_shape(cls_error *error, const char *call, int64_t n, int64_t kl, int64_t ku,
                                       clsolve_type type);
clsolve_status cls_band_validate_options(cls_error *error, const char *call, clsolve_type type,
                                         const clsolve_band_options *options);

/* The host has no options about the device, or about speed on it. */
int cls_band_host_can(const clsolve_band_options *options);

/* The arguments of a factorization and of a solve are valid; whether there are factors is not asked. */
clsolve_status cls_band_check_factor(clsolve_band *band, const char *call, const clsolve_matrix *AB);
clsolve_status cls_band_check_solve(clsolve_band *band, const char *call, clsolve_op op, const clsolve_matrix *B);

#endif
