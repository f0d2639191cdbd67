/*
 * export.c: the factors of a batch of LDL^T as LAPACK's sytrf_rook leaves them. They come to the host, where
 * method/ldl/export.c turns those of one matrix into that form; members on the device are copied there and back.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/type.h"
#include "device/use.h"
#include "method/direct_batch/batch.h"
#include "method/ldl/ldl.h"
#include "method/symmetric.h"

/* The host has all members here: F, rows and scales as the batch's; `theirs`, the caller's members, tight in the view's
 * layout, where they lie on the device. The others are for one member. */
typedef struct exported {
    char *F, *theirs, *e;
    int32_t *rows, *scales;
    int64_t *order, *ipiv, *pivots;
    cls_buffer *at; /* the caller's */
} exported;

static int64_t elements_of(const cls_direct_batch *batch) {
    return batch->table ? batch->elements : batch->count * batch->n * batch->n;
}

static clsolve_status take_memory(const cls_direct_batch *batch, int copies, exported *x) {
    const size_t size = (size_t)cls_type_size(batch->type), n = (size_t)batch->n, all = (size_t)elements_of(batch);
    x->F = cls_alloc(all, size);
    x->theirs = copies ? cls_alloc(all, size) : NULL;
    x->e = cls_alloc(n, size);
    x->rows = cls_alloc((size_t)batch->all_rows, sizeof *x->rows);
    x->scales = cls_alloc((size_t)batch->count, sizeof *x->scales);
    x->order = cls_alloc(3 * n, sizeof *x->order);
    if (!x->F || (copies && !x->theirs) || !x->e || !x->rows || !x->scales || !x->order)
        return cls_no_memory(batch->device->error, "a batch's factors");
    x->ipiv = x->order + n;
    x->pivots = x->ipiv + n;
    return CLSOLVE_OK;
}

static void drop_memory(const cls_direct_batch *batch, exported *x) {
    batch->device->ops->buffer_destroy(batch->device, x->at);
    cls_free(x->F);
    cls_free(x->theirs);
    cls_free(x->e);
    cls_free(x->rows);
    cls_free(x->scales);
    cls_free(x->order);
}

/* ---- the caller's members ---- */

static int64_t place_of(const clsolve_batch *view, int64_t m) {
    return view->offset + (view->offsets ? view->offsets[m] : m * view->stride);
}

/* Members of the caller's buffer to `theirs`, or those without NaN back. */
static clsolve_status cross(const cls_direct_batch *batch, const clsolve_batch *view, const int32_t *infos, int back,
                            const exported *x) {
    const cls_device_ops *ops = batch->device->ops;
    const size_t size = (size_t)cls_type_size(batch->type);
    for (int64_t m = 0; m < batch->count; ++m) {
        const size_t n = (size_t)cls_direct_batch_order(batch, m), ld = view->ld > 0 ? (size_t)view->ld : n;
        const cls_rect rect = {n * size, n, (size_t)place_of(view, m) * size, ld * size, n * size};
        char *const tight = x->theirs + (size_t)cls_direct_batch_factors_of(batch, m) * size;
        if (n == 0 || infos[m] < 0) continue;
        CLS_TRY(back ? ops->write(batch->device, CLS_COMPUTE, x->at, tight, &rect, NULL, NULL)
                     : ops->read(batch->device, CLS_COMPUTE, x->at, tight, &rect, NULL, NULL));
    }
    return ops->finish(batch->device, CLS_COMPUTE);
}

/* Member m goes there on the host. */
static clsolve_matrix target_of(const cls_direct_batch *batch, const clsolve_batch *view, const exported *x,
                                int64_t m) {
    const int64_t n = cls_direct_batch_order(batch, m), size = cls_type_size(batch->type);
    return (clsolve_matrix){.type = batch->type,
                            .layout = view->layout,
                            .rows = n,
                            .cols = n,
                            .ld = x->theirs || view->ld == 0 ? n : view->ld,
                            .data = x->theirs ? x->theirs + cls_direct_batch_factors_of(batch, m) * size
                                              : (char *)view->data + place_of(view, m) * size};
}

/* ---- a member ---- */

/* D of A itself is that of the scaled member over 2^power. */
static void scale_d(const cls_direct_batch *batch, int64_t n, char *F, char *e, int power) {
    const int64_t parts = cls_type_parts(batch->type);
    for (int64_t k = 0; k < n; ++k)
        for (int64_t p = 0; p < parts; ++p) {
            const int64_t at = k * (n + 1) * parts + p;
            cls_type_put(batch->type, F, at, ldexp(cls_type_get(batch->type, F, at), -power));
            cls_type_put(batch->type, e, k * parts + p, ldexp(cls_type_get(batch->type, e, k * parts + p), -power));
        }
}

/* The member's factors in LAPACK's form, in their place in x->F, and its pivots in x->pivots. */
static clsolve_status convert(const cls_direct_batch *batch, const exported *x, int64_t m) {
    const int64_t n = cls_direct_batch_order(batch, m), size = cls_type_size(batch->type);
    char *const F = x->F + cls_direct_batch_factors_of(batch, m) * size;
    const int32_t *rows = x->rows + cls_direct_batch_rows_of(batch, m);
    cls_ldl ldl = {.device = batch->device,
                   .type = batch->type,
                   .hermitian = !batch->symmetric,
                   .n = n,
                   .ipiv = x->ipiv,
                   .e = x->e};
    int found;
    for (int64_t k = 0; k < n; ++k) {
        x->order[k] = rows[k];
        memset(x->e + k * size, 0, (size_t)size);
        if (k + 1 < n) memcpy(x->e + k * size, F + (k + (k + 1) * n) * size, (size_t)size);
    }
    CLS_TRY(cls_ldl_find_exchanges(&ldl, x->order, &found));
    if (!found)
        return cls_fail(batch->device->error, CLSOLVE_ERROR_DEVICE,
                        "the device returns no permutation of the rows of member %lld", (long long)m);
    if (x->scales[m] != 0) scale_d(batch, n, F, x->e, x->scales[m] >> 1);
    cls_ldl_give_exchanges(&ldl, x->e, F, x->pivots);
    return CLSOLVE_OK;
}

static clsolve_status convert_all(const cls_direct_batch *batch, const clsolve_batch *view, const int32_t *infos,
                                  int64_t *ipiv, const exported *x) {
    const int64_t size = cls_type_size(batch->type);
    for (int64_t m = 0; m < batch->count; ++m) {
        const int64_t n = cls_direct_batch_order(batch, m);
        if (n == 0 || infos[m] < 0) continue;
        CLS_TRY(convert(batch, x, m));
        if (ipiv) memcpy(ipiv + cls_direct_batch_rows_of(batch, m), x->pivots, (size_t)n * sizeof *ipiv);
        if (!view) continue;
        const clsolve_matrix to = target_of(batch, view, x, m);
        const cls_triangle_view triangle = cls_symmetric_view(&to, CLSOLVE_LOWER);
        cls_symmetric_copy(n, x->F + cls_direct_batch_factors_of(batch, m) * size, 0, &triangle);
    }
    return CLSOLVE_OK;
}

static clsolve_status run(cls_direct_batch *batch, const clsolve_batch *view, const int32_t *infos, int64_t *ipiv,
                          exported *x) {
    const size_t bytes = (size_t)(elements_of(batch) * cls_type_size(batch->type));
    const int copies = view && view->place == CLSOLVE_ON_DEVICE;
    CLS_TRY(take_memory(batch, copies, x));
    if (copies) CLS_TRY(cls_direct_ragged_adopt(batch, view, 1, 1, &x->at));
    if (copies) CLS_TRY(cross(batch, view, infos, 0, x));
    CLS_TRY(cls_bytes_get(batch->device, batch->F, 0, x->F, bytes));
    CLS_TRY(cls_bytes_get(batch->device, batch->rows, 0, x->rows, (size_t)batch->all_rows * sizeof *x->rows));
    CLS_TRY(cls_bytes_get(batch->device, batch->scales, 0, x->scales, (size_t)batch->count * sizeof *x->scales));
    CLS_TRY(convert_all(batch, view, infos, ipiv, x));
    return copies ? cross(batch, view, infos, 1, x) : CLSOLVE_OK;
}

clsolve_status cls_direct_batch_ldl_factors(cls_direct_batch *batch, const clsolve_batch *F, const int32_t *infos,
                                            int64_t *ipiv) {
    exported x = {0};
    if (!F && !ipiv) return CLSOLVE_OK;
    const clsolve_status status = run(batch, F, infos, ipiv, &x);
    drop_memory(batch, &x);
    return status;
}
