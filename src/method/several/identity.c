/* identity.c: a device's columns of the identity. */
#include <string.h>

#include "base/memory.h"
#include "method/several/several.h"

/* As many ones as the device has columns. */
static clsolve_status put_ones(cls_several_part *part, const void *ones) {
    cls_lu *lu = &part->lu;
    cls_device *device = lu->device;
    const size_t size = (size_t)cls_type_size(lu->type);

    for (int64_t c = 0, run; c < part->sides; c += run) {
        run = cls_matrix_run(&lu->B, c, part->sides);
        const cls_ref at = cls_matrix_at(&lu->B, part->begin + c, c), first = cls_matrix_at(&lu->B, 0, c);
        CLS_TRY(device->ops->fill(device, CLS_COMPUTE, first.buffer, (size_t)first.offset * size,
                                  (size_t)(run * first.ld) * size, 0));
        const cls_rect rect = {size, (size_t)run, (size_t)at.offset * size, (size_t)(at.ld + 1) * size, size};
        CLS_TRY(device->ops->write(device, CLS_COMPUTE, at.buffer, ones, &rect, NULL, NULL));
    }
    return device->ops->finish(device, CLS_COMPUTE);
}

/* In the host's memory. */
static void put_mapped(cls_several_part *part) {
    const cls_matrix *B = &part->lu.B;

    for (int64_t c = 0; c < part->sides; ++c) {
        memset(cls_matrix_host(B, 0, c), 0, (size_t)(B->rows * cls_type_size(B->type)));
        cls_type_put(B->type, cls_matrix_host(B, part->begin + c, c), 0, 1);
    }
}

clsolve_status cls_several_identity(cls_several_part *part, void *what) {
    cls_lu *lu = &part->lu;
    const int64_t parts = cls_type_parts(lu->type);

    part->in = part->out = (cls_place){-1, -1};
    if (!part->active) return CLSOLVE_OK;
    CLS_TRY(cls_lu_reserve(lu, part->sides, *(const int *)what));
    if (lu->B.mapped) {
        put_mapped(part);
        return CLSOLVE_OK;
    }
    void *ones = cls_alloc((size_t)part->sides, (size_t)cls_type_size(lu->type));
    if (!ones) return cls_fail(lu->device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a diagonal");
    for (int64_t k = 0; k < part->sides; ++k) cls_type_put(lu->type, ones, k * parts, 1);
    clsolve_status status = put_ones(part, ones);
    cls_free(ones);
    return status;
}
