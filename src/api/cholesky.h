/* cholesky.h (private): what a clsolve_cholesky is, and what cholesky.c and cholesky_factors.c share. */
#ifndef CLS_API_CHOLESKY_H
#define CLS_API_CHOLESKY_H

#include <clsolve/cholesky.h>

#include "api/context.h"
#include "api/where.h"
#include "method/cholesky/direct.h"

struct clsolve_cholesky {
    clsolve_context *context;
    clsolve_cholesky_options options;
    cls_choice choice; /* on the device, or on the host */
    cls_cholesky factors;
    cls_direct direct;     /* what became of the factorization, and what makes its answers accurate */
    clsolve_status status; /* of the last call */
};

/* CLSOLVE_LOWER or CLSOLVE_UPPER. */
clsolve_status cls_cholesky_validate_uplo(clsolve_cholesky *cholesky, const char *call, clsolve_uplo uplo);

#endif
