/*
 * rectangle.h: P A = L U of a matrix of any shape in the caller's memory, in place, with LAPACK's pivots.
 *
 *      m >= n:  |\ U |   as a square, with panels of m rows         m < n:  |\ U |   U12 |   the first m columns as a
 *               | \  |   and m n^2 - n^3 / 3 operations                     |L \ |       |   square; then their moves
 *               of |L \ |                                                                       rows, and U12 = L^-1
 *               A12 |    |
 *
 *      on the host               LAPACK's getrf where A lies
 *      on a device, m = n        as a handle does it (direct.h), out of core too; the factors then replace A
 *      on a device, else         A goes up, the loop of factor.c factors it, the factors come down
 *
 * A tiny matrix (method/direct/scaling.h) is factored from a scaled copy on the host, and so is a row-major one there.
 */
#ifndef CLS_LU_RECTANGLE_H
#define CLS_LU_RECTANGLE_H

#include "method/lu/rectangle_device.h"

/*
 * A, on the host, becomes L\U; ipiv: min(m, n) pivots, counted from 1. OVERFLOW and SINGULAR: A and ipiv are
 * LAPACK's. Errors leave both as they were, but for a device that fails while the factors come down.
 */
clsolve_status cls_rectangle_factor(cls_rectangle *job, const clsolve_matrix *A, int64_t *ipiv);

#endif
