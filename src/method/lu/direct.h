/*
 * direct.h: dense LU as a direct method (method/direct/direct.h): what its table of operations does, and the calls
 * that it alone has.
 */
#ifndef CLS_LU_DIRECT_H
#define CLS_LU_DIRECT_H

#include "method/direct/direct.h"
#include "method/lu/lu.h"

/* Takes all that a handle needs; `options` and `lu` (zeroed memory) stay where they are. On failure the caller
 * still calls cls_direct_release and then cls_lu_release. */
clsolve_status cls_lu_direct_setup(cls_device *device, int64_t n, clsolve_type type, const clsolve_lu_options *options,
                                   cls_lu *lu, cls_direct *direct);

/* ---- take.c ---- */

/* A, or its copy, into the memory of the factors, measured and scaled: cls_direct_ops.take. */
clsolve_status cls_lu_take(cls_direct *direct, const clsolve_matrix *A);
/* The part of cls_lu_take for A in core, unrefined. */
clsolve_status cls_lu_take_plainly(cls_direct *direct, const clsolve_matrix *A);
/* After scaling, lu->A is no longer A: measures its largest element once more, for the growth. */
clsolve_status cls_lu_measure_scaled(cls_direct *direct);
/* The entries of a sparse A go to their places in lu->A, because nobody wants A before. lu->entries is set then, and
 * the calls here have no A. */
int cls_lu_scatters(const cls_direct *direct, const cls_entries *entries);
/* A comes while it is factored (arrival.h), and cls_lu_take leaves it where it is. */
int cls_lu_takes_while_factoring(const cls_direct *direct, const clsolve_matrix *A);
/* Few rows are factored from the caller's matrix (small.h), likewise. */
int cls_lu_takes_small(const cls_direct *direct);
/* The same on the host (host_small.h). */
int cls_lu_takes_host_small(const cls_direct *direct);
/* Out of core, and cls_lu_take leaves what is to be factored in the memory of the factors. */
int cls_lu_stages(const cls_direct *direct);

/* ---- growth.c: L\U after a factorization ---- */

/* One pass over L\U and one over its diagonal, in one wait. */
clsolve_status cls_lu_growth(cls_lu *lu, cls_growth *growth);
/* The same part by part, for a matrix that is not there as a whole: the columns begin .. end-1 that lu->A holds, joined
 * to what is known of those before (cls_growth_begin). A mapped matrix has one part. */
clsolve_status cls_lu_growth_columns(cls_lu *lu, int64_t begin, int64_t end, cls_growth *growth);

/* The same in its two steps, for parts that are read at once. The first enqueues the columns begin .. end-1 of a matrix
 * that is not mapped, joined to those before with `more`. The second reads what was enqueued; `sign` is that of the
 * host's exchanges of rows. */
clsolve_status cls_lu_growth_enqueue(cls_lu *lu, int64_t begin, int64_t end, int more);
clsolve_status cls_lu_growth_read(cls_lu *lu, double sign, cls_growth *growth);

/* ---- solve_direct.c: cls_direct_ops.solve and .solve_unrefined ---- */

clsolve_status cls_lu_solve_host(void *factors, clsolve_op op, int64_t cols, double *x);
clsolve_status cls_lu_solve_unrefined(cls_direct *direct, const char *call, clsolve_op op, const clsolve_matrix *B,
                                      cls_place *in, cls_place *out);
/* lu->B, `cols` columns, becomes the solution; *out its first element that is no number. `first`: the rows' scaling
 * comes before the solve, and not after. */
clsolve_status cls_lu_apply_scaled(cls_direct *direct, clsolve_op op, int64_t cols, int first, cls_place *out);

/* ---- import.c, invert.c ---- */

/* cls_direct_ops.import, for factors in core. */
clsolve_status cls_lu_import(cls_direct *direct, const clsolve_matrix *LU, const int64_t *ipiv);
/* X, on the host, becomes the inverse; on any status but OK it is as it was, unless the device fails while X comes
 * down. The factors are there and none is zero. */
clsolve_status cls_lu_invert(cls_direct *direct, const char *call, const clsolve_matrix *X);

/* ---- export.c ---- */

/* A's own factors as LAPACK has them, in the type of the factors in use: L\U (NULL: not wanted), pivots from 1
 * (likewise). */
clsolve_status cls_lu_export(cls_direct *direct, const char *call, const clsolve_matrix *LU, int64_t *ipiv);

#endif
