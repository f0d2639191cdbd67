/* ref.h: a place in a device buffer where a matrix begins, and the sizes and names of the element types. */
#ifndef CLS_REF_H
#define CLS_REF_H

#include <stdint.h>

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

static inline int64_t cls_type_size(clsolve_type type) {
    return type == CLSOLVE_F64 ? 8 : 4;
}

/* "-DREAL=double" or "-DREAL=float": the option every typed kernel is built with. */
static inline const char *cls_type_option(clsolve_type type) {
    return type == CLSOLVE_F64 ? "-DREAL=double -DCLS_DOUBLE=1" : "-DREAL=float -DCLS_DOUBLE=0";
}

#endif
