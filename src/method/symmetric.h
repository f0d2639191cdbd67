/*
 * symmetric.h: matrices of which the caller gives one triangle.
 *
 * A row-major matrix is the transpose of a column-major one in the same memory, and a symmetric matrix is its own
 * transpose. So the array is always taken as column-major, and only the triangle changes:
 *
 *      layout          the caller's triangle     in memory
 *      column-major    lower, upper              the same
 *      row-major       lower, upper              upper, lower
 */
#ifndef CLS_METHOD_SYMMETRIC_H
#define CLS_METHOD_SYMMETRIC_H

#include "device/matrix.h"
#include "method/check.h"

/* The kernel for one type on one device. A zeroed one is valid to destroy. */
typedef struct cls_symmetric {
    cls_kernel *mirror;
    int64_t tile;
} cls_symmetric;

clsolve_status cls_symmetric_create(cls_device *device, clsolve_type type, cls_symmetric *symmetric);
void cls_symmetric_destroy(cls_device *device, cls_symmetric *symmetric);

/* The array as a column-major matrix; *upper: its triangle in memory is the upper one. */
clsolve_matrix cls_symmetric_view(const clsolve_matrix *A, clsolve_uplo uplo, int *upper);

/* The element of the caller's triangle that is equal to that one. */
cls_place cls_symmetric_place(clsolve_uplo uplo, int64_t row, int64_t column);

/* The triangle below A's diagonal becomes the one above; with `upper` the other way round. On the device this enqueues; a
 * mapped matrix needs no kernel. */
clsolve_status cls_symmetric_mirror(cls_device *device, cls_symmetric *symmetric, const cls_matrix *A, int upper);
/* The same of n x n doubles on the host, `ld` apart. */
void cls_symmetric_mirror_host(int64_t n, double *a, int64_t ld, int upper);

/* The diagonal of A, n doubles. The host waits; O(n) bytes cross. */
clsolve_status cls_symmetric_diagonal(cls_device *device, const cls_matrix *A, double *diagonal);

/* `from`'s triangle into `to`'s, both column-major on the host; `from_upper` and `to_upper` say which: one that differs
 * is transposed. Nothing else of `to` is touched. */
void cls_symmetric_copy(clsolve_type type, int64_t n, const void *from, int64_t from_ld, int from_upper, void *to,
                        int64_t to_ld, int to_upper);

#endif
