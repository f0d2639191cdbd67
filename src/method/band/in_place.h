/*
 * in_place.h: gbtrf of an m x n band in the caller's memory. A rectangle becomes a square by zeros, of the order beyond
 * which the matrix has nothing: at most kl columns or ku rows of them, whose elements stay zero.
 *
 *      m > n:  |\  . |   order min(m, n + kl)        m < n:  |\     |   order min(n, m + ku)
 *              | \ 0 |                                       | \    |
 *              |  \  |                                       |0 0 0 |
 */
#ifndef CLS_BAND_IN_PLACE_H
#define CLS_BAND_IN_PLACE_H

#include "method/band/direct.h"

typedef struct cls_band_job {
    cls_device *device;
    const char *call; /* begins messages */
    const clsolve_band_options *options;
    int64_t m, n, kl, ku; /* kl and ku may be more than the matrix has */
    /* Out: LAPACK's info, seconds, memory, and the report's `band`. */
    clsolve_report report;
} cls_band_job;

/* Order and diagonals of the square. */
typedef struct cls_band_square {
    int64_t n, kl, ku;
} cls_band_square;
cls_band_square cls_band_square_of(int64_t m, int64_t n, int64_t kl, int64_t ku);

/*
 * AB, 2 kl + ku + 1 rows on the host, becomes what gbtrf leaves; ipiv: min(m, n) pivots, counted from 1. OVERFLOW and
 * SINGULAR: AB and ipiv are LAPACK's. Errors leave both as they were, but for a device that fails while the factors
 * come down.
 */
clsolve_status cls_band_in_place(cls_band_job *job, const clsolve_matrix *AB, int64_t *ipiv);

/* The same by the host's gbtrf, for a band that holds NaN or Inf. It is never OVERFLOW. */
clsolve_status cls_band_by_lapack(cls_band_job *job, const clsolve_matrix *AB, int64_t *ipiv);

#endif
