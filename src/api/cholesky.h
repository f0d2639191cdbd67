/* cholesky.h (private): what a clsolve_cholesky is, and what the files of its calls share. */
#ifndef CLS_API_CHOLESKY_H
#define CLS_API_CHOLESKY_H

#include <clsolve/cholesky.h>

#include "api/handle.h"
#include "method/cholesky/direct.h"

struct clsolve_cholesky {
    cls_handle it;
    clsolve_cholesky_options options;
    cls_cholesky factors;
};

#endif
