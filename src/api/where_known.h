/* where_known.h (private): what a context knows for the choices of where.h. */
#ifndef CLS_API_WHERE_KNOWN_H
#define CLS_API_WHERE_KNOWN_H

#include <stdatomic.h>

#include "base/type.h"
#include "cost/where.h"
#include "device/device.h"

/* Seconds that add up over the calls of a context, and in its folder over those of earlier ones. */
typedef struct cls_sum {
    int looked;    /* `before` is known */
    double before; /* the folder's when it was looked for */
    double here;   /* of this context */
    double noted;  /* of these, in the folder */
} cls_sum;

/* Whether a folder has a family's kernels; looked for once. */
typedef enum cls_found { CLS_NOT_LOOKED = 0, CLS_FOUND = 1, CLS_NOT_FOUND = 2 } cls_found;

typedef struct cls_where_known {
    cls_device *host; /* the host as a device; NULL until it is used */
    /* The context has the kernels of the family for the type, from CLSOLVE_F32 on; read without the lock. */
    atomic_int built[CLS_FAMILIES][CLS_TYPES];
    cls_found found[CLS_FAMILIES][CLS_TYPES]; /* earlier contexts had them */
    cls_sum lost[CLS_FAMILIES][CLS_TYPES];    /* seconds more on the host, because they were not built */
    cls_times times[CLS_FAMILIES][2];         /* zeros until they are asked for */
    cls_sum unsure[CLS_FAMILIES][2];          /* seconds of the work for which they did not decide */
} cls_where_known;

#endif
