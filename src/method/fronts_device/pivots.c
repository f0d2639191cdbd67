/* pivots.c: the pivots of factors on the device, for determinant, inertia and order. */
#include <math.h>

#include "base/memory.h"
#include "base/type.h"
#include "method/fronts_device/device.h"

/* ---- LU and Cholesky ---- */

/* Takes the pivots of front s, whose inverses are staged. */
static void take_pivots(const cls_sparse_device *sparse, int64_t s, double *pivot, int64_t *row) {
    const int64_t first = cls_front_of(sparse, s, CLS_FIRST), f = cls_front_of(sparse, s, CLS_PIVOTS);
    const char *staged = (const char *)sparse->staged + first * cls_type_size(sparse->type);
    cls_front_unscale(cls_real_type(sparse->type), staged, f * sparse->parts, 0, pivot + first * sparse->parts);
    for (int64_t i = first; i < first + f; i++) {
        double *at = pivot + i * sparse->parts;
        row[i] = sparse->cholesky ? i : first + sparse->made[i];
        const double size = sparse->parts == 2 ? hypot(at[0], at[1]) : fabs(at[0]);
        const double factor = 1 / size / size;
        at[0] *= factor;
        if (sparse->parts == 2) at[1] *= -factor;
    }
}

/* By positions. */
static clsolve_status gather_pivots(cls_sparse_device *sparse, cls_buffer *diagonal) {
    for (int64_t i = 0; i < sparse->slabs; i++) {
        const cls_front_class all = {.from = sparse->slab[i].from, .count = sparse->slab[i].count, .slab = i};
        cls_arg args[] = {CLS_BUFFER(cls_front_buffer(sparse, &all)), CLS_BUFFER(diagonal)};
        const cls_front_launch launch = {sparse->diagonal, 1, {(size_t)sparse->far_local, 1}, 1, CLS_COMPUTE};
        CLS_TRY(cls_front_bring_slab(sparse, i));
        CLS_TRY(cls_front_run_class(sparse, &all, &launch, args, 2));
        CLS_TRY(cls_front_leave_slab(sparse, i, 0));
    }
    return CLSOLVE_OK;
}

/* ---- L D L^T ---- */

static clsolve_status get_order(cls_sparse_device *sparse) {
    return cls_bytes_get(sparse->device, sparse->order, 0, sparse->made, (size_t)sparse->n * sizeof *sparse->made);
}

/* The eigenvalues of a hermitian block of order 2 with a and d on the diagonal, and an element of size `both`. */
static void take_eigenvalues(double a, double d, double both, double *first, double *second) {
    const double middle = (a + d) / 2, root = hypot((a - d) / 2, both);
    *first = middle < 0 ? middle - root : middle + root;
    *second = a / *first * d - both / *first * both;
}

/* Two numbers with the product of the eigenvalues; the block begins with a and e, its second row with d. */
static void take_product(const double *a, const double *e, const double *d, double *first, double *second) {
    const double size = hypot(e[0], e[1]);
    /* Products of two elements may be below the range. */
    const double d0 = d[0] / size, d1 = d[1] / size, e0 = e[0] / size, e1 = e[1] / size;
    first[0] = a[0] * d0 - a[1] * d1 - (e[0] * e0 - e[1] * e1);
    first[1] = a[0] * d1 + a[1] * d0 - 2 * e[0] * e1;
    second[0] = size;
    second[1] = 0;
}

/* block: of D, what the kernels have of each position of front s. */
static void take_blocks(const cls_sparse_device *sparse, int64_t s, const double *block, double *pivot, int64_t *row) {
    const int64_t first = cls_front_of(sparse, s, CLS_FIRST), f = cls_front_of(sparse, s, CLS_PIVOTS);
    const int64_t parts = sparse->parts, apart = CLS_OF_BLOCK * parts;
    for (int64_t i = first; i < first + f; i++) {
        const double *a = block + i * apart, *e = a + parts, size = hypot(e[0], parts == 2 ? e[1] : 0);
        const int64_t here = first + sparse->made[i], there = size > 0 ? first + sparse->made[i + 1] : here;
        double *to = pivot + here * parts, *other = pivot + there * parts;
        row[here] = there;
        row[there] = here;
        for (int64_t p = 0; p < parts; p++) to[p] = a[p];
        if (here == there) continue;
        i++;
        for (int64_t p = 0; p < parts; p++) other[p] = 0;
        if (parts == 2 && sparse->ldl == CLS_LDL_TRANSPOSED)
            take_product(a, e, a + apart, to, other);
        else
            take_eigenvalues(a[0], a[apart], size, to, other);
    }
}

static clsolve_status get_blocks(cls_sparse_device *sparse, double *pivot, int64_t *row) {
    const int64_t elements = CLS_OF_BLOCK * sparse->n;
    CLS_TRY(cls_front_stage(sparse, elements));
    double *block = cls_alloc((size_t)(elements * sparse->parts) + 1, sizeof *block);
    if (!block) return cls_no_memory(sparse->device->error, "pivots");
    clsolve_status status = cls_bytes_get(sparse->device, sparse->blocks, 0, sparse->staged,
                                          (size_t)(elements * cls_type_size(sparse->type)));
    if (status == CLSOLVE_OK) status = get_order(sparse);
    cls_front_unscale(cls_real_type(sparse->type), sparse->staged, elements * sparse->parts, 0, block);
    for (int64_t s = 0; s < sparse->symbolic->tree.fronts && status == CLSOLVE_OK; s++)
        if (cls_front_is_here(sparse, s)) take_blocks(sparse, s, block, pivot, row);
    cls_free(block);
    return status;
}

/* ---- all ---- */

clsolve_status cls_front_pivots(cls_sparse_device *sparse, double *pivot, int64_t *row) {
    cls_device *device = sparse->device;
    if (sparse->ldl) return get_blocks(sparse, pivot, row);
    const size_t bytes = (size_t)(sparse->n * cls_type_size(sparse->type));
    cls_buffer *diagonal = NULL;
    CLS_TRY(cls_front_stage(sparse, sparse->n));
    clsolve_status status = device->ops->buffer_create(device, bytes, &diagonal);
    if (status == CLSOLVE_OK) status = gather_pivots(sparse, diagonal);
    if (status == CLSOLVE_OK) status = cls_bytes_get(sparse->device, diagonal, 0, sparse->staged, bytes);
    if (status == CLSOLVE_OK && !sparse->cholesky) status = get_order(sparse);
    device->ops->buffer_destroy(device, diagonal);
    CLS_TRY(status);
    for (int64_t s = 0; s < sparse->symbolic->tree.fronts; s++)
        if (cls_front_is_here(sparse, s)) take_pivots(sparse, s, pivot, row);
    return CLSOLVE_OK;
}
