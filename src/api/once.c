#include "api/once.h"

#include "blas/blas.h"

enum { HOST_ROWS = 64, DEVICE_BYTES = 512 << 10, DEVICE_PART = 1024 };

static int are_same(const cls_once *a, const cls_once *b) {
    return a->n == b->n && a->type == b->type && a->where == b->where && a->precision == b->precision &&
           a->pivoting == b->pivoting && a->rcond == b->rcond;
}

/* Bytes of a matrix, and of right-hand sides, that are few for the device. */
static int64_t few_bytes(const cls_device *device) {
    const int64_t part = cls_in_place(device) ? 0 : device->info.global_memory / DEVICE_PART;
    return part > DEVICE_BYTES ? part : DEVICE_BYTES;
}

int cls_once_is_small(const cls_device *device, const clsolve_matrix *A, int64_t sides) {
    const int64_t n = A->rows;
    if (device->no_kernels) return n <= HOST_ROWS;
    if (A->place != CLSOLVE_ON_DEVICE && cls_in_place(device)) return 0;
    return n < DEVICE_BYTES && n * n * cls_type_size(A->type) <= few_bytes(device) && sides <= few_bytes(device);
}

void *cls_once_find(clsolve_context *context, cls_once_family family, const char *call, const cls_task *task,
                    const cls_once *wanted, const clsolve_matrix *A, cls_choice *choice) {
    const cls_once_slot *slot = &context->kept[family];

    if (!slot->handle || !are_same(&slot->of, wanted)) return NULL;
    if (A->place == CLSOLVE_ON_DEVICE && slot->device->no_kernels) return NULL;
    if (cls_where_choose(context, call, task, wanted->where, 1, choice) != CLSOLVE_OK || choice->device != slot->device)
        return NULL;
    return slot->handle;
}

void cls_once_take(clsolve_context *context, cls_once_family family) {
    context->kept[family].handle = NULL;
}

void cls_once_keep(clsolve_context *context, cls_once_family family, const cls_once_slot *slot, int may_stay) {
    void *leaves = slot->handle;
    if (may_stay) {
        if (cls_enter(context) != CLSOLVE_OK) return;
        leaves = context->kept[family].handle;
        context->kept[family] = *slot;
        (void)cls_leave(context, CLSOLVE_OK);
    }
    if (leaves) slot->destroy(leaves);
}

void cls_once_release(clsolve_context *context) {
    for (int family = 0; family < CLS_ONCE_FAMILIES; ++family) {
        cls_once_slot *slot = &context->kept[family];
        if (slot->handle) slot->destroy(slot->handle);
        slot->handle = NULL;
    }
}
