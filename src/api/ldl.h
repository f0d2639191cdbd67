/* ldl.h (private): what a clsolve_ldl is, and what the files of its calls share. */
#ifndef CLS_API_LDL_H
#define CLS_API_LDL_H

#include <clsolve/ldl.h>

#include "api/context.h"
#include "api/where.h"
#include "method/ldl/direct.h"

struct clsolve_ldl {
    clsolve_context *context;
    clsolve_ldl_options options;
    cls_choice choice; /* on the device, or on the host */
    cls_ldl factors;
    cls_direct direct;     /* what became of the factorization, and what makes its answers accurate */
    clsolve_status status; /* of the last call */
    cls_error message;     /* the line that belongs to `status`, when that is an enqueued call's; else empty */
};

#endif
