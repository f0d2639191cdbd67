/* vectors.h: a few columns of doubles on the host to and from a matrix on the device of either type. */
#ifndef CLS_VECTORS_H
#define CLS_VECTORS_H

#include "method/transfer.h"

/* `values` is n x cols, tight and column-major; the first `cols` columns of `matrix` are meant. Both wait. */
clsolve_status cls_vectors_up(cls_device *device, cls_transfer *transfer, int64_t cols, const double *values,
                              const cls_matrix *matrix);
clsolve_status cls_vectors_down(cls_device *device, cls_transfer *transfer, int64_t cols, const cls_matrix *matrix,
                                double *values);

/* The same from and to the caller's view, of either type and layout. */
void cls_vectors_get(const clsolve_matrix *view, int64_t begin, int64_t cols, double *values);
void cls_vectors_put(const clsolve_matrix *view, int64_t begin, int64_t cols, const double *values);

/* A power of two near `largest`; 1 for what is no positive number. */
double cls_vector_unit(double largest);

/*
 * to = scale * v .* from, with a power of two `scale` that brings the column's largest element to `unit`; returns what
 * undoes it: x = x / unit * size, times v. v NULL: ones. The product is formed in two steps because scale alone may leave
 * the range.
 */
double cls_vector_bring_in(int64_t n, const double *v, double unit, const double *from, double *to);
void cls_vector_bring_out(int64_t n, const double *v, double size, double unit, double *x);

#endif
