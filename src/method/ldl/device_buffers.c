/* device_buffers.c: the memory of the engine by kernels. */
#include "base/memory.h"
#include "method/columns/columns.h"
#include "method/ldl/device.h"

/* The permutation's beginning; and no window has failed. */
static clsolve_status fill_buffers(cls_ldl *ldl) {
    cls_ldl_device *own = cls_ldl_own(ldl);
    cls_device *device = ldl->device;

    for (int64_t i = 0; i < ldl->n; ++i) own->host_permutation[i] = i;
    CLS_TRY(device->ops->fill(device, CLS_COMPUTE, own->state, 0, CLS_LDL_WORDS * sizeof(int64_t), 0));
    return cls_bytes_put(device, own->identity, 0, own->host_permutation, (size_t)ldl->n * sizeof(int64_t));
}

clsolve_status cls_ldl_take_buffers(cls_ldl *ldl) {
    cls_ldl_device *own = cls_ldl_own(ldl);
    cls_device *device = ldl->device;
    const cls_device_ops *ops = device->ops;
    const size_t size = (size_t)cls_type_size(ldl->type), n = (size_t)ldl->n, t = (size_t)own->taken;
    const size_t strip = (size_t)own->strip_ld * t * size;
    const size_t record = t * (size_t)own->window + 5 * t, numbers = (size_t)own->window + t; /* cl/ldl_panel.cl */
    const int64_t columns = own->block < ldl->n ? own->block : ldl->n;
    void *words;

    for (int turn = 0; turn < 2; ++turn) {
        CLS_TRY(cls_matrix_create(device, ldl->type, ldl->n, columns > own->taken ? columns : own->taken, 1,
                                  ldl->slab_bytes, &own->W[turn]));
        if (own->W[turn].slabs > 1)
            return cls_fail(device->error, CLSOLVE_ERROR_UNSUPPORTED,
                            "slab_bytes has no room for %lld columns of a panel of LDL^T", (long long)columns);
    }
    CLS_TRY(ops->buffer_create(device, strip, &own->T));
    CLS_TRY(ops->buffer_create(device, strip, &own->R));
    CLS_TRY(ops->buffer_create(device, 2 * record * size, &own->record));
    CLS_TRY(ops->buffer_create(device, 2 * numbers * sizeof(int32_t), &own->numbers));
    CLS_TRY(ops->buffer_create(device, n * size, &own->d));
    CLS_TRY(ops->buffer_create(device, n * size, &own->e));
    CLS_TRY(ops->buffer_create(device, n * sizeof(int64_t), &own->permutation));
    CLS_TRY(ops->buffer_create(device, n * sizeof(int64_t), &own->identity));
    CLS_TRY(ops->buffer_create(device, CLS_LDL_WORDS * sizeof(int64_t), &own->state));
    CLS_TRY(cls_pinned_create(device, (CLS_WATCHED + 1) * sizeof *own->words, &own->watched, &words));
    own->words = words;
    own->host_permutation = cls_alloc(n + 1, sizeof *own->host_permutation);
    return own->host_permutation ? fill_buffers(ldl) : cls_no_memory(device->error, "a permutation");
}

void cls_ldl_release_buffers(cls_ldl *ldl) {
    cls_ldl_device *own = cls_ldl_own(ldl);
    cls_device *device = ldl->device;

    CLS_BUFFERS_DESTROY(device, own->T, own->R, own->record, own->numbers, own->d, own->e, own->state, own->permutation,
                        own->identity);
    cls_matrix_destroy(device, &own->W[0]);
    cls_matrix_destroy(device, &own->W[1]);
    cls_matrix_destroy(device, &own->X);
    cls_pinned_destroy(device, own->watched);
    cls_free(own->host_permutation);
}
