/*
 * band.h: Cholesky factorization of a symmetric, of complex elements hermitian, positive definite band in the host's memory:
 * what LAPACK's pbtrf and pbtrs do. Few diagonals go by loops of its own, as in method/band/few.h; more of them by LAPACK.
 */
#ifndef CLS_CHOLESKY_BAND_H
#define CLS_CHOLESKY_BAND_H

#include <clsolve/band_cholesky.h>

#include "method/direct/direct.h"

typedef struct cls_band_cholesky {
    cls_device *device; /* the host */
    clsolve_type type;
    int64_t n, k, given; /* diagonals below the main one, at most n - 1; as the caller gives them */
    clsolve_uplo uplo;   /* of the caller's next matrix */
    void *L;             /* k + 1 rows by n columns, LAPACK's lower form */
} cls_band_cholesky;

/* `device` is the host; `band` is zeroed memory, and stays where it is, as `options` do. On failure the caller still calls
 * cls_direct_release and then cls_band_cholesky_release. */
clsolve_status cls_band_cholesky_setup(cls_device *device, int64_t n, int64_t k, clsolve_type type,
                                       const clsolve_band_cholesky_options *options, cls_band_cholesky *band,
                                       cls_direct *direct);
void cls_band_cholesky_release(cls_band_cholesky *band);

/* The factor of A itself, in the caller's form: given + 1 rows by n columns. Elements outside of the matrix stay. */
void cls_band_cholesky_export(const cls_direct *direct, clsolve_uplo uplo, const clsolve_matrix *F);

#endif
