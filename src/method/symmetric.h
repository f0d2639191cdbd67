/*
 * symmetric.h: symmetric and hermitian matrices, of which the caller gives one triangle.
 *
 * A row-major matrix is the transpose of a column-major one in the same memory, and a symmetric matrix is its own
 * transpose. So the array is always taken as column-major, and only the triangle changes:
 *
 *      layout          the caller's triangle     in memory       of a hermitian matrix
 *      column-major    lower, upper              the same        as they are
 *      row-major       lower, upper              upper, lower    the conjugates
 *
 * The transpose of a hermitian matrix is its conjugate. So a row-major array has the conjugates of what is factored,
 * which is always A itself. Imaginary parts on the diagonal count as zeros, as LAPACK's.
 */
#ifndef CLS_METHOD_SYMMETRIC_H
#define CLS_METHOD_SYMMETRIC_H

#include "device/matrix.h"
#include "method/check.h"
#include "method/transfer.h"

/* The kernel for one type on one device. A zeroed one is valid to destroy. */
typedef struct cls_symmetric {
    cls_kernel *mirror;
    int64_t tile;
} cls_symmetric;

clsolve_status cls_symmetric_create(cls_device *device, clsolve_type type, cls_symmetric *symmetric);
void cls_symmetric_destroy(cls_device *device, cls_symmetric *symmetric);

/* A triangle in memory, column-major: the upper one or the lower one, its elements as they are or the conjugates. */
typedef struct cls_triangle_view {
    clsolve_matrix matrix;
    int upper, conjugate;
} cls_triangle_view;

/* The third value of `conjugate`, here and in all calls below: the matrix is complex and equal to its transpose.
 * Nothing is conjugated then, and its diagonal is not real. */
enum { CLS_TRANSPOSES = 2 };

cls_triangle_view cls_symmetric_view(const clsolve_matrix *A, clsolve_uplo uplo);

/* The element of the caller's triangle that is equal to that one. */
cls_place cls_symmetric_place(clsolve_uplo uplo, int64_t row, int64_t column);

/* One triangle of a square, column-major view to the same of `matrix`, and of `matrix` to a view on the host: little
 * more than half of its bytes cross. In what receives, the other triangle is undefined then. Views on the device and
 * mapped matrices are copied whole. They return as cls_upload and cls_download do. */
clsolve_status cls_symmetric_upload(cls_device *device, cls_transfer *transfer, const clsolve_matrix *view, int upper,
                                    const cls_matrix *matrix);
clsolve_status cls_symmetric_download(cls_device *device, cls_transfer *transfer, const cls_matrix *matrix, int upper,
                                      const clsolve_matrix *view);

/* The triangle below A's diagonal becomes the one above, of a hermitian matrix conjugated; with `upper` the other way
 * round. With `conjugate` the triangle that is there is conjugated first. On the device this enqueues; a mapped matrix
 * needs no kernel. */
clsolve_status cls_symmetric_mirror(cls_device *device, cls_symmetric *symmetric, const cls_matrix *A, int upper,
                                    int conjugate);
/* The columns begin .. end-1 of the triangle below A's diagonal, on the device, as that call leaves them, and nothing
 * in the other triangle. Enqueues in that queue. */
clsolve_status cls_symmetric_own(cls_device *device, cls_symmetric *symmetric, cls_queue queue, const cls_matrix *A,
                                 int64_t begin, int64_t end, int conjugate);
/* The view's triangle, which lies where it does in A, on the device: the lower one has the matrix's elements then. The
 * other one is undefined, but where the view has it. Enqueues. */
clsolve_status cls_symmetric_to_lower(cls_device *device, cls_symmetric *symmetric, const cls_matrix *A,
                                      const cls_triangle_view *view);
/* The same as the mirror of an n x n array on the host, `ld` apart. */
void cls_symmetric_mirror_host(clsolve_type type, int64_t n, void *a, int64_t ld, int upper, int conjugate);

/* Rows of one triangle's column j from `first` on: conjugated where that is asked for, and the diagonal made real. */
void cls_symmetric_column(clsolve_type type, void *column, int64_t first, int64_t rows, int64_t j, int conjugate);

/* The diagonal of A, n doubles. The host waits; O(n) bytes cross. */
clsolve_status cls_symmetric_diagonal(cls_device *device, const cls_matrix *A, double *diagonal);

/* `from`'s triangle, tight and column-major on the host, to the caller's: one that differs is transposed, of a complex
 * matrix conjugated. Nothing else of `to` is touched. */
void cls_symmetric_copy(int64_t n, const void *from, int from_upper, const cls_triangle_view *to);

#endif
