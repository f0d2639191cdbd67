/*
 * band_batch.h: many band systems of one order and few diagonals at once, tridiagonal and pentadiagonal ones among them: LU
 * with partial pivoting of each, then A_m X_m = B_m or A_m^T X_m = B_m, again and again.
 *
 * Bands lie as in band.h, form CLSOLVE_BAND_PLAIN: kl + ku + 1 rows and n columns a member, element (i,j), counted from 0, in
 * column j at row ku + i - j; elements outside the matrix are not read. kl + ku is at most CLSOLVE_BAND_BATCH_DIAGONALS,
 * where of more than the n - 1 diagonals that the matrix has on one side n - 1 count.
 *
 * The algorithm is that of LAPACK's gbtf2 and gbtrs, with its pivots where no two candidates are equal in magnitude, each
 * member by itself: by a work-item where there are many members of very few diagonals, else by a work-group. One long
 * system is for band.h; tridiagonal ones that need no pivots are faster by clsolve_tridiagonal_* (block_tridiag.h).
 */
#ifndef CLSOLVE_BAND_BATCH_H
#define CLSOLVE_BAND_BATCH_H

#include <stdint.h>

#include <clsolve/batch.h>
#include <clsolve/context.h>
#include <clsolve/export.h>
#include <clsolve/matrix.h>
#include <clsolve/report.h>
#include <clsolve/status.h>

/* The most diagonals beside the main one, kl + ku, that members may have. */
enum { CLSOLVE_BAND_BATCH_DIAGONALS = 64 };

typedef struct clsolve_band_batch clsolve_band_batch;

CLSOLVE_BEGIN_DECLS

/*
 * Takes the device memory for `count` n x n matrices of `type` with kl lower and ku upper diagonals, (3 kl + 2 ku + 2) n
 * elements and n pivots each, and builds the kernels. count = 0, n = 0 and more diagonals than the matrix has are fine: AB then
 * has kl + ku + 1 rows all the same, and AFB 2 kl + ku + 1.
 * Errors: INVALID_ARGUMENT; UNSUPPORTED for wider bands, or double on a device without it; OUT_OF_MEMORY;
 * OUT_OF_DEVICE_MEMORY, also where all members together are more than one allocation of the device: give fewer at a time;
 * BUILD; DEVICE. On failure *batch is NULL.
 */
CLSOLVE_API clsolve_status clsolve_band_batch_create(clsolve_context *context, int64_t n, int64_t kl, int64_t ku,
                                                     int64_t count, clsolve_type type, clsolve_band_batch **batch);

/*
 * Factors all members of AB (`count` of kl + ku + 1 rows x n columns, the handle's type, host memory); AB is only read. May
 * be called again with new values: nothing is allocated for it.
 *
 * info[0 .. count-1]: 0 done; k > 0: pivot k, counted from 1, was exactly zero, the member factored to its end as LAPACK
 * does; -1: the member held NaN or Inf. The status is OK when the batch ran, whatever its members gave: none spoils another.
 * The report's info is the number, from 1, of the first member whose info is not 0. On any other status info is as it was.
 */
CLSOLVE_API clsolve_status clsolve_band_batch_factor(clsolve_band_batch *batch, const clsolve_batch *AB, int64_t *info);

/*
 * The members of B (`count` of n x nrhs) become the solutions of op(A_m) X_m = B_m. info as from the factorization, and -1
 * where B_m held NaN or Inf or X_m would: members whose info is not 0 are left as they were. ERROR_STATE without a factor;
 * on any status but OK neither B nor info changes. More right-hand sides than before take memory.
 */
CLSOLVE_API clsolve_status clsolve_band_batch_solve(clsolve_band_batch *batch, clsolve_op op, const clsolve_batch *B,
                                                    int64_t *info);

/*
 * The factors as LAPACK's gbtrf leaves them into AFB (`count` of 2 kl + ku + 1 rows x n columns; elements outside the
 * matrix become 0), and the pivots, counted from 1, into ipiv[m * n + j]. Either may be NULL.
 */
CLSOLVE_API clsolve_status clsolve_band_batch_factors(clsolve_band_batch *batch, const clsolve_batch *AFB,
                                                      int64_t *ipiv);

/* What the last call did; method "band-lu", nrhs the number of members. */
CLSOLVE_API clsolve_status clsolve_band_batch_report(const clsolve_band_batch *batch, clsolve_report *report);

/* NULL is fine. */
CLSOLVE_API void clsolve_band_batch_destroy(clsolve_band_batch *batch);

CLSOLVE_END_DECLS

#endif
