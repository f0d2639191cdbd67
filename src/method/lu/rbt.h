/*
 * rbt.h: LU without pivoting of W^T A V, W and V random butterflies of depth 2 (D. S. Parker, Random Butterfly
 * Transformations with Applications in Computational Linear Algebra, UCLA CSD-950023, 1995; M. Baboulin, J. Dongarra,
 * J. Herrmann, S. Tomov, Accelerating linear system solutions using randomization techniques, ACM TOMS 39 (2013),
 * sections 2 and 3; N. Lindquist, P. Luszczek, J. Dongarra, Replacing pivoting in distributed Gaussian elimination
 * with randomized techniques, ScalA 2020).
 *
 *                                          1     [ R0   R1 ]
 *     V = diag(B1, B2) B3,    each  B = -------  [         ],   R0, R1 diagonal: exp(r / 10), r uniform in [-1/2, 1/2]
 *                                       sqrt(2)  [ R0  -R1 ]
 *
 *     A x = b:     L U = W^T A V,    y = U^-1 L^-1 W^T b,   x = V y;        A^T x = b:   W and V change places
 *
 * If n is no multiple of 4, the papers put a unit matrix behind A. Here a butterfly's missing partners are left out
 * instead, and who has none is multiplied by its number alone: the order stays n, and groups of four rows, i, i + q,
 * i + 2q, i + 3q with q = ceil(n / 4), stay closed, so that one pass does both levels (cl/lu_rbt.cl).
 *
 * For a full matrix it is likely that no pivot vanishes, and for none it is certain: depth 2 mixes four rows with four
 * columns.
 * So who uses this checks what came of it and keeps A for another factorization.
 */
#ifndef CLS_LU_RBT_H
#define CLS_LU_RBT_H

#include "method/lu/lu.h"

/* The numbers from `seed`, on the device or, where the matrix will stay mapped, on the host. Before lu->A is there. */
clsolve_status cls_lu_rbt_setup(cls_lu *lu, uint64_t seed);
void cls_lu_rbt_release(cls_lu *lu);

/* The next factorization of lu->A, whose largest element is `largest`, is of this kind; or is not. */
void cls_lu_rbt_begin(cls_lu *lu, double largest);
void cls_lu_rbt_end(cls_lu *lu);

/* lu->A = W^T A V. Enqueues. */
clsolve_status cls_lu_rbt_transform(cls_lu *lu);

/* The first `cols` columns of lu->B before and after they are solved with L and U. Enqueues. */
clsolve_status cls_lu_rbt_before(cls_lu *lu, clsolve_op op, int64_t cols);
clsolve_status cls_lu_rbt_after(cls_lu *lu, clsolve_op op, int64_t cols);

#endif
