/* gauss_jordan.h (private): what a clsolve_gauss_jordan is. */
#ifndef CLS_API_GAUSS_JORDAN_H
#define CLS_API_GAUSS_JORDAN_H

#include <clsolve/gauss_jordan.h>

#include "api/head.h"
#include "method/gauss_jordan/whole.h"

struct clsolve_gauss_jordan {
    cls_head head;
    cls_gj gj;
    cls_gj_outcome last; /* of the last call */
    int64_t nrhs;
};

#endif
