/* lu_state.h (private): what a clsolve_lu is, and what the files of its calls share. */
#ifndef CLS_API_LU_STATE_H
#define CLS_API_LU_STATE_H

#include <clsolve/lu.h>

#include "api/handle.h"
#include "method/lu/direct.h"
#include "method/several/direct.h"

struct clsolve_lu {
    cls_handle it;
    clsolve_lu_options options;
    cls_lu lu;           /* over several devices its order and type alone */
    cls_several several; /* the factors over several devices; zeroed: there is one */
};

/* ---- lu_several.c ---- */

static inline int cls_lu_is_several(const clsolve_lu *lu) {
    return lu->several.count > 0;
}

/* Whether a handle of that order works on all devices of its context, whose choice has been made. */
int cls_lu_wants_several(const clsolve_lu *lu, int64_t n);
clsolve_status cls_lu_several_setup(clsolve_lu *lu, int64_t n, clsolve_type type);
void cls_lu_several_release(clsolve_lu *lu);
/* For a call that one device alone does. */
clsolve_status cls_lu_several_refuse(clsolve_lu *lu, const char *call);

#endif
