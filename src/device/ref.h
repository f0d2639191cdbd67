/* ref.h: a place in a device buffer where a matrix begins, and the sizes and names of the element types. */
#ifndef CLS_REF_H
#define CLS_REF_H

#include <stdint.h>

#include "base/type.h"
#include "device/device.h"

/* A matrix in a device buffer: element (i, j) at offset + i + j * ld, in elements. */
typedef struct cls_ref {
    cls_buffer *buffer;
    int64_t offset, ld;
} cls_ref;

static inline cls_ref cls_ref_at(cls_ref ref, int64_t i, int64_t j) {
    cls_ref moved = {ref.buffer, ref.offset + i + j * ref.ld, ref.ld};
    return moved;
}

/* "-DREAL=double" or "-DREAL=float", and whether elements are complex: the option every typed kernel is built with. */
static inline const char *cls_type_option(clsolve_type type) {
    if (cls_is_complex(type))
        return cls_is_double(type) ? "-DREAL=double -DCLS_DOUBLE=1 -DCLS_COMPLEX=1"
                                   : "-DREAL=float -DCLS_DOUBLE=0 -DCLS_COMPLEX=1";
    return cls_is_double(type) ? "-DREAL=double -DCLS_DOUBLE=1" : "-DREAL=float -DCLS_DOUBLE=0";
}

#endif
