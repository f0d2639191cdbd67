/* direct.h: band LU as a direct method (method/direct/direct.h): what its table of operations does. */
#ifndef CLS_BAND_DIRECT_H
#define CLS_BAND_DIRECT_H

#include "method/band/band.h"
#include "method/direct/direct.h"

/* Takes all that a handle needs; `options` and `band` (zeroed memory) stay where they are, `kl` and `ku` are the
 * caller's. On failure the caller still calls cls_direct_release and then cls_band_release. */
clsolve_status cls_band_direct_setup(cls_device *device, int64_t n, int64_t kl, int64_t ku, clsolve_type type,
                                     const clsolve_band_options *options, cls_band *band, cls_direct *direct);

/* copy.c: the source's numbers into a copy of A, as they are, measured and scaled as cls_copy_take has it. `band`
 * says their shape. */
void cls_band_copy_take(cls_copy *copy, const cls_band *band, const cls_band_source *source, int scale);

/* import.c: cls_direct_ops.import, of a band that is there as a whole and of one with a window. */
clsolve_status cls_band_import(cls_direct *direct, const clsolve_matrix *AFB, const int64_t *ipiv);

/* ---- solve_direct.c: cls_direct_ops.solve and .solve_unrefined ---- */

clsolve_status cls_band_solve_host(void *factors, clsolve_op op, int64_t cols, double *x);
clsolve_status cls_band_solve_unrefined(cls_direct *direct, clsolve_op op, const clsolve_matrix *B, cls_place *in,
                                        cls_place *out);

#endif
