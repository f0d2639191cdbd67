/*
 * mapped.h: on matrices that stay mapped in the host's memory (device/matrix.h), where no kernel works: what
 * cl/measure.cl and cl/equilibrate.cl do elsewhere.
 */
#ifndef CLS_MAPPED_H
#define CLS_MAPPED_H

#include <float.h>

#include "device/matrix.h"

/* Columns begin .. end - 1, in cl/measure.cl's words: *row is -1 when all is finite. With `upper` *norm is of |re| +
 * |im|. */
void cls_mapped_measure(const cls_matrix *A, int64_t begin, int64_t end, int upper, int64_t *row, int64_t *column,
                        double *largest, double *norm);

/* The same of `rows` numbers in a row: NaN or Inf makes *sum (times 2^-16) so. */
void cls_mapped_column(clsolve_type type, const void *a, int64_t rows, double *sum, double *largest);
/* The same of several columns, of which the largest count: *norm is not finite where an element is NaN or Inf. */
void cls_mapped_block(clsolve_type type, const void *a, int64_t ld, int64_t rows, int64_t cols, double *norm,
                      double *largest);
/* The sum of |a(i)| 2^-16 over `rows` complex elements, all finite, of which `largest` is the largest part. */
double cls_mapped_moduli(clsolve_type type, const void *a, int64_t rows, double largest);
/* ||A||_1, unscaled, summed in double. */
double cls_mapped_norm(const cls_matrix *A);

/* size * r; where that underflows to 0 the smallest normal number, because a row or column of it is not one of
 * zeros. */
static inline double cls_scaled_size(double size, double r) {
    const double scaled = size * r;
    return size > 0 && scaled == 0 ? DBL_MIN : scaled;
}

/* The largest |a(i,j)| and the sum of |a(i,j)| 2^-16 of each row; the largest |a(i,j)| r(i) of each column. */
void cls_mapped_rows(const cls_matrix *A, double *largest, double *sums);
void cls_mapped_columns(const cls_matrix *A, const double *r, double *largest);

/* T = diag(r) A diag(c); T may be A, or of the other type; B = diag(v) B. */
void cls_mapped_scale(const cls_matrix *A, const double *r, const double *c, const cls_matrix *T);
void cls_mapped_scale_rows(const cls_matrix *B, int64_t cols, const double *v);

void cls_mapped_copy(const cls_matrix *A, const cls_matrix *T);

/* The product of the diagonal as mantissa * 2^exponent, the mantissa's real and imaginary part; *least: of its elements
 * but for zeros the smallest, Inf where there is none. _perturb: zeros on the diagonal become `value`. */
void cls_mapped_diagonal(const cls_matrix *A, double mantissa[2], int64_t *exponent, double *least);
/* m 2^exponent becomes u times that; m is a mantissa as above. */
void cls_mapped_multiply(int is_complex, const double u[2], double m[2], int64_t *exponent);
void cls_mapped_perturb(const cls_matrix *A, double value);

#endif
