/*
 * trailing.h: the trailing update of symmetric factorizations, C = C - L W^H: of rectangles, and of a lower triangle,
 * most of which is in products of large blocks. For Cholesky W is L, for L D L^H it is L D.
 *
 *      const cls_trailing t = {device, {CLS_COMPUTE}, type, cls_adjoint(type), &A, &A, &A};
 *      static const cls_queue queues[2] = {CLS_COMPUTE, CLS_COMPUTE};
 *      CLS_TRY(cls_trailing_triangle(&t, queues, k, n, j, k));       the triangle behind the columns j .. k-1
 */
#ifndef CLS_TRAILING_H
#define CLS_TRAILING_H

#include "blas/blas.h"
#include "device/matrix.h"

/* Rows have the same numbers in all three, and columns of L and W too. */
typedef struct cls_trailing {
    cls_device *device;
    cls_blas_options how; /* its queue does not count */
    clsolve_type type;
    clsolve_op adjoint; /* ^H, or ^T */
    const cls_matrix *C, *L, *W;
} cls_trailing;

/* The rows top .. bottom - 1 of the columns from .. to - 1, less what the columns p .. q - 1 of L make of them. */
clsolve_status cls_trailing_rectangle(const cls_trailing *trailing, cls_queue queue, int64_t top, int64_t bottom,
                                      int64_t from, int64_t to, int64_t p, int64_t q);
/* The same of the lower triangle of the rows and columns from .. to - 1. Elements above the diagonal in squares of
 * cls_trailing_square columns are computed too, or not. Products may take turns in two queues, which may be one. */
clsolve_status cls_trailing_triangle(const cls_trailing *trailing, const cls_queue queues[2], int64_t from, int64_t to,
                                     int64_t p, int64_t q);
/* Columns of the squares on the diagonal, by which a triangle of that many columns is brought up to date. */
int64_t cls_trailing_square(int64_t columns);

#endif
