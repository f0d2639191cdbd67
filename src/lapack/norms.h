/* norms.h (private): norms of the caller's matrices for gesvx, which LAPACK's driver computes on the way. */
#ifndef CLS_LAPACK_NORMS_H
#define CLS_LAPACK_NORMS_H

#include <clsolve/matrix.h>
#include <clsolve/status.h>

/* By columns. ERROR_OUT_OF_MEMORY: no room for the sums of the rows. */
clsolve_status cls_norm_of(const clsolve_matrix *A, clsolve_norm norm, double *value);

/* The largest magnitude in the first `cols` columns, or in their part on and above the diagonal. */
double cls_norm_largest(const clsolve_matrix *A, int64_t cols, int upper);

#endif
