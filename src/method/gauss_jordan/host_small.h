/*
 * host_small.h: the inverse of a matrix of few rows on the host by plain loops, as batches have it
 * (eliminate_element.h): a call of BLAS takes longer than its few operations here, and so do reads of the clock between
 * the phases.
 */
#ifndef CLS_GAUSS_JORDAN_HOST_SMALL_H
#define CLS_GAUSS_JORDAN_HOST_SMALL_H

#include "method/gauss_jordan/gauss_jordan.h"

enum { CLS_GJ_HOST_SMALL_MOST = 64 }; /* rows: the most of eliminate_element.h */

int cls_gj_host_small_suits(const cls_gj *gj);
/* X = A^-1, and *rcond. 0: X is as it was, because something is unusual: A is singular, tiny or has NaN or Inf, or a
 * number overflows. LAPACK's way finds out what. */
int cls_gj_host_small_invert(cls_gj *gj, const clsolve_matrix *A, const clsolve_matrix *X, double *rcond);

#endif
