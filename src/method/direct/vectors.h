/* vectors.h: a few columns of doubles on the host to and from a matrix on the device of any type. A complex number is
 * two doubles. */
#ifndef CLS_VECTORS_H
#define CLS_VECTORS_H

#include "method/transfer.h"

/*
 * `values` is n x cols elements, tight and column-major; the first `cols` columns of `matrix` are meant. A way up
 * returns when `values` is free again, a way down when the numbers are there. Few numbers cross behind what is
 * enqueued, and only the way down waits. So each way up is followed by one down, or by cls_vectors_stop.
 */
clsolve_status cls_vectors_up(cls_device *device, cls_transfer *transfer, int64_t cols, const double *values,
                              const cls_matrix *matrix);
clsolve_status cls_vectors_up_both(cls_device *device, cls_transfer *transfer, int64_t cols,
                                   const double *const values[2], const cls_matrix *const matrix[2]);
clsolve_status cls_vectors_down(cls_device *device, cls_transfer *transfer, int64_t cols, const cls_matrix *matrix,
                                double *values);
/* After a failure behind a way up: nothing crosses any more. The status is given back, and the message stays. */
clsolve_status cls_vectors_stop(cls_device *device, clsolve_status status);

/* The same from and to the caller's view, of any type and layout. */
void cls_vectors_get(const clsolve_matrix *view, int64_t begin, int64_t cols, double *values);
void cls_vectors_put(const clsolve_matrix *view, int64_t begin, int64_t cols, const double *values);

/* A power of two near `largest`; 1 for what is no positive number. */
double cls_vector_unit(double largest);

/*
 * For n elements of `parts` doubles each: to = 2^-e v .* from, with the e that brings the column's largest element to
 * `unit`; returns e. v NULL: ones. Exponents are added before anything is multiplied, for the products of two of these
 * numbers may leave the range.
 */
int cls_vector_bring_in(int64_t n, int64_t parts, const double *v, double unit, const double *from, double *to);
/* x = 2^exponent v .* x */
void cls_vector_bring_out(int64_t n, int64_t parts, const double *v, int exponent, double *x);

#endif
