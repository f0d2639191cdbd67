#include "method/direct/identity.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "method/mapped.h"
#include "method/view.h"

/* ---- on the device ---- */

static void put_mapped(const cls_matrix *B, int64_t first, int64_t cols) {
    for (int64_t c = 0; c < cols; ++c) {
        memset(cls_matrix_host(B, 0, c), 0, (size_t)(B->rows * cls_type_size(B->type)));
        cls_type_put(B->type, cls_matrix_host(B, first + c, c), 0, 1);
    }
}

/* `ones`: as many as columns. */
static clsolve_status put_ones(cls_device *device, const cls_matrix *B, int64_t first, int64_t cols, const void *ones) {
    const size_t size = (size_t)cls_type_size(B->type);

    for (int64_t c = 0, run; c < cols; c += run) {
        run = cls_matrix_run(B, c, cols);
        const cls_ref at = cls_matrix_at(B, 0, c), one = cls_matrix_at(B, first + c, c);
        const cls_rect rect = {size, (size_t)run, (size_t)one.offset * size, (size_t)(one.ld + 1) * size, size};
        CLS_TRY(device->ops->fill(device, CLS_COMPUTE, at.buffer, (size_t)at.offset * size,
                                  (size_t)(run * at.ld) * size, 0));
        CLS_TRY(device->ops->write(device, CLS_COMPUTE, one.buffer, ones, &rect, NULL, NULL));
    }
    return CLSOLVE_OK;
}

clsolve_status cls_identity_put(cls_device *device, const cls_matrix *B, int64_t first, int64_t cols) {
    if (B->mapped) {
        put_mapped(B, first, cols);
        return CLSOLVE_OK;
    }
    void *ones = cls_alloc((size_t)cols, (size_t)cls_type_size(B->type));
    if (!ones) return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a diagonal");
    for (int64_t k = 0; k < cols; ++k) cls_type_put(B->type, ones, k * cls_type_parts(B->type), 1);
    const clsolve_status status = put_ones(device, B, first, cols, ones);
    const clsolve_status done = device->ops->finish(device, CLS_COMPUTE); /* nobody reads `ones` any more */
    cls_free(ones);
    return status != CLSOLVE_OK ? status : done;
}

/* ---- on the host ---- */

clsolve_status cls_identity_room(const cls_direct *direct, const char *call, const clsolve_matrix *X,
                                 clsolve_matrix *T) {
    const int64_t n = X->rows;

    /* A column more, because OpenBLAS's potri reads beyond n columns. */
    *T = cls_view_of(X->type, n, n, cls_alloc((size_t)n + 1, (size_t)(n * cls_type_size(X->type))));
    if (T->data) return CLSOLVE_OK;
    return cls_fail(direct->device->error, CLSOLVE_ERROR_OUT_OF_MEMORY,
                    "%s: the host has no room for an inverse of order %lld", call, (long long)n);
}

void cls_identity_ones(const clsolve_matrix *T) {
    for (int64_t k = 0; k < T->rows; ++k) cls_type_put(T->type, T->data, cls_view_at(T, k, k), 1);
}

clsolve_status cls_identity_overflow(const cls_direct *direct, const char *call) {
    return cls_fail(direct->device->error, CLSOLVE_OVERFLOW,
                    "%s: the inverse holds NaN or Inf: the matrix is too close to a singular one", call);
}

clsolve_status cls_identity_deliver(const cls_direct *direct, const char *call, clsolve_status status,
                                    const clsolve_matrix *T, const clsolve_matrix *X) {
    double norm, largest;

    if (status == CLSOLVE_OK) {
        cls_mapped_block(T->type, T->data, T->ld, T->rows, T->cols, &norm, &largest);
        if (!isfinite(norm)) status = cls_identity_overflow(direct, call);
    }
    if (status == CLSOLVE_OK) cls_view_copy(T, X);
    cls_free(T->data);
    return status;
}

clsolve_status cls_identity_solve(cls_direct *direct, const char *call, const clsolve_matrix *X) {
    clsolve_matrix T;

    CLS_TRY(cls_identity_room(direct, call, X, &T));
    cls_identity_ones(&T);
    return cls_identity_deliver(direct, call, cls_direct_solve(direct, call, CLSOLVE_NO_TRANS, &T), &T, X);
}
