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

/* Whether the kernels of a family, a type and a shape (cls_task_shape) are compiled. */
typedef struct cls_built {
    cls_family family;
    clsolve_type type;
    int64_t shape;
    int here;          /* the context has them */
    int looked, found; /* the folder was looked into, and had them */
} cls_built;

typedef struct cls_where_known {
    cls_device *host;  /* the host as a device; NULL until it is used */
    cls_built *shapes; /* that were asked for */
    int shape_count, shape_room;
    /* The context has the kernels of a shape of the family, for the type, from CLSOLVE_F32 on; read without the
     * lock. */
    atomic_int built[CLS_FAMILIES][CLS_TYPES];
    cls_times times[CLS_FAMILIES][2]; /* zeros until they are asked for */
    cls_sum unsure[CLS_FAMILIES][2];  /* seconds of the work for which they did not decide */
} cls_where_known;

#endif
