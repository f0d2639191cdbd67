/*
 * direct.h: dense LU as a direct method (method/direct/direct.h): what its table of operations does, and the calls
 * that it alone has.
 */
#ifndef CLS_LU_DIRECT_H
#define CLS_LU_DIRECT_H

#include "method/async.h"
#include "method/direct/direct.h"
#include "method/lu/lu.h"

/* An engine factors a matrix in core. Create chooses it. */
struct cls_lu_engine {
    int panels; /* takes the kernels of panels */
    /* lu->A in place, and its growth where *again is 0: as cls_lu_factor. */
    clsolve_status (*factor)(cls_lu *lu, const clsolve_lu_options *options, int64_t *info, cls_growth *growth,
                             int *again);
    /* cls_direct_ops.factor of a matrix that nobody has taken, nor copies or scales. NULL: it is taken first. */
    clsolve_status (*factor_given)(cls_direct *direct, const clsolve_matrix *A, int *again);
    /* The caller's A on the device without waiting, and a search for NaN and Inf in it and in the factors. */
    clsolve_status (*enqueue)(cls_lu *lu, cls_async *async, const clsolve_matrix *A);
    /* The caller's pivots, which the panel has, for move_rows. NULL: that takes the panel's. */
    clsolve_status (*import)(cls_lu *lu, const int64_t *ipiv);
    /* The rows of lu->B's first `cols` columns move as those of A did, or back. Enqueues. */
    clsolve_status (*move_rows)(cls_lu *lu, int64_t cols, int reverse);
    /* cls_direct_ops.solve_unrefined, and .solve. */
    clsolve_status (*solve)(cls_direct *direct, clsolve_op op, const clsolve_matrix *B, cls_place *in, cls_place *out);
    clsolve_status (*solve_vectors)(void *factors, clsolve_op op, int64_t cols, double *x);
    int inverts_there; /* solves for the identity on the device; 0: by way of the host */
};

/* engine.c: panels (whole.c), one kernel for few rows (small.h), and plain loops on the host (host_small.h). */
extern const cls_lu_engine cls_lu_panels, cls_lu_few, cls_lu_host_loops;

/* Takes all that a handle needs; `options` and `lu` (zeroed memory) stay where they are. On failure the caller
 * still calls cls_direct_release and then cls_lu_release. */
clsolve_status cls_lu_direct_setup(cls_device *device, int64_t n, clsolve_type type, const clsolve_lu_options *options,
                                   cls_lu *lu, cls_direct *direct);

/* ---- take.c ---- */

/* A, or its copy, into the memory of the factors, measured and scaled: cls_direct_ops.take. */
clsolve_status cls_lu_take(cls_direct *direct, const clsolve_matrix *A);
/* The part of cls_lu_take for A in core, unrefined. */
clsolve_status cls_lu_take_plainly(cls_direct *direct, const clsolve_matrix *A);
/* The same for an A that turns out to be tiny after it was factored: it comes again, is scaled, and factored. */
clsolve_status cls_lu_factor_anew(cls_direct *direct, const clsolve_matrix *A, int *again);
/* The same as cls_lu_take, out of core, of A or its copy that are scaled in the memory of the factors. */
clsolve_status cls_lu_take_staged(cls_direct *direct, const clsolve_matrix *A);
/* After scaling, lu->A is no longer A: measures its largest element once more, for the growth. */
clsolve_status cls_lu_measure_scaled(cls_direct *direct);
/* The entries of a sparse A go to their places in lu->A, because nobody wants A before. lu->entries is set then, and
 * the calls here have no A. */
int cls_lu_scatters(const cls_direct *direct, const cls_entries *entries);
/* A comes while it is factored (method/arrival.h), and cls_lu_take leaves it where it is. */
int cls_lu_takes_while_factoring(const cls_direct *direct, const clsolve_matrix *A);
/* It begins to come, group by group, each measured as it arrives; the look-ahead (factor.c) waits for the groups alone
 * that it comes to next. lu->arrival is there until cls_arrival_end. Between them the view is not touched. */
clsolve_status cls_lu_arrival_begin(cls_lu *lu, const clsolve_matrix *view);

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

/* solve.c: cls_direct_ops.solve */
clsolve_status cls_lu_solve_host(void *factors, clsolve_op op, int64_t cols, double *x);

/* ---- import.c, invert.c ---- */

/* cls_direct_ops.import, for factors in core. */
clsolve_status cls_lu_import(cls_direct *direct, const clsolve_matrix *LU, const int64_t *ipiv);
/* X, on the host, becomes the inverse; on any status but OK it is as it was, unless the device fails while X comes
 * down. The factors are there and none is zero. */
clsolve_status cls_lu_invert(cls_direct *direct, const char *call, clsolve_uplo uplo, const clsolve_matrix *X);
/* The same by cls_direct_solve or LAPACK, out of core too. */
clsolve_status cls_lu_invert_by_host(cls_direct *direct, const char *call, clsolve_uplo uplo, const clsolve_matrix *X);

/* ---- export.c ---- */

/* A's own factors as LAPACK has them, in the type of the factors in use: L\U (NULL: not wanted), pivots from 1
 * (likewise). */
clsolve_status cls_lu_export(cls_direct *direct, const char *call, const clsolve_matrix *LU, int64_t *ipiv);
/* The same out of core. */
clsolve_status cls_lu_export_slabs(cls_direct *direct, const char *call, const clsolve_matrix *LU, int64_t *ipiv);

#endif
