/* gauss_jordan.h (private): what a clsolve_gauss_jordan is, for the files that serve it. */
#ifndef CLS_API_GAUSS_JORDAN_H
#define CLS_API_GAUSS_JORDAN_H

#include <clsolve/gauss_jordan.h>

#include "api/context.h"
#include "base/clock.h"
#include "method/gauss_jordan/gauss_jordan.h"

struct clsolve_gauss_jordan {
    clsolve_context *context;
    cls_gj gj;
    clsolve_status status; /* of the last call */
    int64_t info, nrhs;
    int64_t device_bytes;
    double rcond;
    double create_seconds, build_seconds;
    clsolve_seconds seconds; /* of the last call */
    cls_counters before;     /* the device's when it began */
    double start;
    cls_counters moved; /* what it has moved */
};

/* Every call that computes stands between these two; `end` returns `status` and gives the context's lock back. */
void cls_gauss_jordan_begin(clsolve_gauss_jordan *handle);
clsolve_status cls_gauss_jordan_end(clsolve_gauss_jordan *handle, clsolve_status status);

#endif
