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

static int is_small(const cls_device *device, const clsolve_matrix *A, int64_t sides) {
    const int64_t n = A->rows;
    if (device->no_kernels) return n <= HOST_ROWS;
    if (A->place != CLSOLVE_ON_DEVICE && cls_in_place(device)) return 0;
    return n < DEVICE_BYTES && n * n * cls_type_size(A->type) <= few_bytes(device) && sides <= few_bytes(device);
}

cls_handle *cls_once_find(clsolve_context *context, cls_once_family family, const cls_once *wanted,
                          const clsolve_matrix *A) {
    const cls_once_slot *slot = &context->kept[family];
    cls_handle *it = slot->handle;
    cls_choice choice;

    if (!it || !are_same(&slot->of, wanted)) return NULL;
    if (A->place == CLSOLVE_ON_DEVICE && it->head.choice.device->no_kernels) return NULL;
    const cls_task task = {.family = it->family->model, .type = A->type, .n = A->rows, .nrhs = 1};
    if (cls_where_choose(context, it->family->kind.create, &task, wanted->where, 1, &choice) != CLSOLVE_OK ||
        choice.device != it->head.choice.device)
        return NULL;
    it->head.choice = choice;
    it->direct.costs.create = it->direct.costs.build = 0;
    return it;
}

void cls_once_take(clsolve_context *context, cls_once_family family) {
    context->kept[family].handle = NULL;
}

void cls_once_keep(cls_handle *handle, cls_once_family family, const cls_once *of, const clsolve_matrix *A,
                   int64_t sides, int may_stay) {
    clsolve_context *context = handle->head.context;
    cls_handle *leaves = handle;
    if (may_stay && handle->head.status >= 0 && is_small(handle->head.choice.device, A, sides)) {
        if (cls_enter(context) != CLSOLVE_OK) return;
        leaves = context->kept[family].handle;
        context->kept[family] = (cls_once_slot){handle, *of};
        (void)cls_leave(context, CLSOLVE_OK);
    }
    cls_head_destroy((cls_head *)leaves);
}

void cls_once_release(clsolve_context *context) {
    for (int family = 0; family < CLS_ONCE_FAMILIES; ++family) {
        cls_head_destroy((cls_head *)context->kept[family].handle);
        context->kept[family].handle = NULL;
    }
}
