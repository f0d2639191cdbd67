#include "lapack/copy.h"

#include <string.h>

size_t cls_device_size(clsolve_type type) {
    static const size_t sizes[] = {[CLSOLVE_F32] = 4, [CLSOLVE_F64] = 8, [CLSOLVE_C32] = 8, [CLSOLVE_C64] = 16};
    return sizes[type];
}

void cls_device_copy(const clsolve_matrix *from, clsolve_matrix *to) {
    size_t size = cls_device_size(from->type);
    for (int64_t j = 0; j < from->cols; j++)
        memcpy((char *)to->data + size * (size_t)(j * to->ld), (const char *)from->data + size * (size_t)(j * from->ld),
               size * (size_t)from->rows);
}
