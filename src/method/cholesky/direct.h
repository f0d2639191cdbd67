/*
 * direct.h: Cholesky as a direct method (method/direct/direct.h): what its table of operations does, and the calls that
 * it alone has.
 */
#ifndef CLS_CHOLESKY_DIRECT_H
#define CLS_CHOLESKY_DIRECT_H

#include "method/cholesky/cholesky.h"
#include "method/direct/direct.h"

/* Takes all that a handle needs; `options` and `cholesky` (zeroed memory) stay where they are. On failure the caller
 * still calls cls_direct_release and then cls_cholesky_release. */
clsolve_status cls_cholesky_direct_setup(cls_device *device, int64_t n, clsolve_type type,
                                         const clsolve_cholesky_options *options, cls_cholesky *cholesky,
                                         cls_direct *direct);

/* ---- take.c ---- */

/* For the triangle cholesky->uplo: cls_direct_ops.copy and .take. */
clsolve_status cls_cholesky_copy(cls_direct *direct, const clsolve_matrix *A, int scale);
clsolve_status cls_cholesky_take(cls_direct *direct, const clsolve_matrix *A);
/* A of order 1 at least, without a copy, before it is factored. */
clsolve_status cls_cholesky_take_plainly(cls_direct *direct, const clsolve_matrix *A);

/* ---- arrival.c ---- */

/* A comes while it is factored, and cls_cholesky_take leaves it where it is. */
int cls_cholesky_takes_while_factoring(const cls_direct *direct, const clsolve_matrix *A);
/* direct->measures, in the triangle of the device, and ->info. */
clsolve_status cls_cholesky_factor_while_taking(cls_direct *direct, const clsolve_matrix *A);

/* ---- at_once.c ---- */

/* A of few columns is taken, measured and factored without a wait between: the same, and direct->growth. */
clsolve_status cls_cholesky_factor_at_once(cls_direct *direct, const clsolve_matrix *A);

/* ---- export.c, invert.c: each in the caller's triangle `uplo` of a matrix on the host ---- */

/* Does the type hold this real number of a factor, on the diagonal one above 0? */
int cls_cholesky_holds(clsolve_type type, double value, int on_diagonal);
clsolve_status cls_cholesky_out_of_range(const cls_direct *direct, const char *call);

/* The factor of A itself, in the type of the factors in use. */
clsolve_status cls_cholesky_export(cls_direct *direct, const char *call, clsolve_uplo uplo, const clsolve_matrix *F);
/* cls_direct_ops.import: the triangle cholesky->uplo of F. */
clsolve_status cls_cholesky_import(cls_direct *direct, const clsolve_matrix *F, const int64_t *ipiv);
/* The factors are there; on any status but OK X is as it was. */
clsolve_status cls_cholesky_invert(cls_direct *direct, const char *call, clsolve_uplo uplo, const clsolve_matrix *X);

#endif
