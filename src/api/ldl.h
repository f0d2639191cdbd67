/* ldl.h (private): what a clsolve_ldl is, and what the files of its calls share. */
#ifndef CLS_API_LDL_H
#define CLS_API_LDL_H

#include <clsolve/ldl.h>

#include "api/handle.h"
#include "method/ldl/direct.h"

struct clsolve_ldl {
    cls_handle it;
    clsolve_ldl_options options;
    cls_ldl factors;
};

#endif
