/* rbt_host.h: the butterflies of rbt.h on matrices in the host's memory. */
#ifndef CLS_LU_RBT_HOST_H
#define CLS_LU_RBT_HOST_H

#include "device/matrix.h"

/* `diagonals`: 16 q doubles, as cl/lu_rbt.cl has them; `back` as there; `begin` 0 for W, 8 q for V. */
void cls_lu_rbt_host_matrix(const cls_matrix *A, const double *diagonals);
void cls_lu_rbt_host_vectors(const cls_matrix *B, int64_t cols, const double *diagonals, int64_t begin, int back);

#endif
