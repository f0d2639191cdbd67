/* once_slot.h (private): a handle that stays with a context, see once.h. */
#ifndef CLS_API_ONCE_SLOT_H
#define CLS_API_ONCE_SLOT_H

#include <clsolve/factorization.h>

#include "device/device.h"

/* The calls that one handle serves have this in common. */
typedef struct cls_once {
    int64_t n;
    clsolve_type type;
    clsolve_where where;
    clsolve_precision precision;
    clsolve_pivoting pivoting;
    int32_t rcond;
} cls_once;

typedef enum cls_once_family { CLS_ONCE_LU = 0, CLS_ONCE_CHOLESKY = 1, CLS_ONCE_FAMILIES = 2 } cls_once_family;

typedef struct cls_once_slot {
    struct cls_handle *handle; /* NULL: none */
    cls_once of;
} cls_once_slot;

#endif
