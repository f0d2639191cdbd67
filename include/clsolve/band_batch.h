/*
 * band_batch.h: LU factorization of many matrices of few diagonals at once, to solve A_m X_m = B_m or A_m^T X_m = B_m
 * any number of times.
 *
 * Example, given clsolve_context *context, int64_t n, int64_t count, double *ab, double *b, int64_t *info:
 *
 *     clsolve_band_batch *batch; // tridiagonal members, kl = ku = 1: element (i,j) in row 1 + i - j of column j
 *     clsolve_batch AB = clsolve_batch_f64(count, 3, n, ab), B = clsolve_batch_f64(count, n, 1, b);
 *     clsolve_status status = clsolve_band_batch_create(context, n, 1, 1, count, CLSOLVE_F64, NULL, &batch);
 *     if (status == CLSOLVE_OK) status = clsolve_band_batch_factor(batch, &AB, info);
 *     if (status == CLSOLVE_OK) status = clsolve_band_batch_solve(batch, CLSOLVE_NO_TRANS, &B, info);
 *     for (int64_t m = 0; status == CLSOLVE_OK && m < count; m++)
 *         if (info[m] != 0) printf("member %lld has no solution\n", (long long)m);
 *     clsolve_band_batch_destroy(batch);
 *
 * Members have one order and few diagonals; they may be tridiagonal or pentadiagonal, for example. Other calls suit:
 *
 *   one long system                               band.h
 *   tridiagonal systems                           tridiagonal_batch.h, which is faster where no pivots are needed
 *
 * Several devices. The members are dealt out over the devices of the context with kernels (context.h). If a device
 * fails, the members of the other devices hold their results, and info is as it was.
 *
 * Algorithm. Each member is factored with partial pivoting and solved by itself, by the algorithm of LAPACK's gbtf2
 * and gbtrs. The pivots are LAPACK's unless two candidates are equal in magnitude. A work-item has a member where
 * there are many members of very few diagonals; else a work-group has a member.
 *
 * Storage. Bands lie as in band.h, form CLSOLVE_BAND_PLAIN: a member has kl + ku + 1 rows and n columns. Element (i,j),
 * counted from 0, lies in column j at row ku + i - j. Elements outside the matrix are not read.
 *
 * kl + ku is at most CLSOLVE_BAND_BATCH_DIAGONALS. If kl or ku is more than n - 1, only n - 1 counts.
 */
#ifndef CLSOLVE_BAND_BATCH_H
#define CLSOLVE_BAND_BATCH_H

#include <stdint.h>

#include <clsolve/batch.h>
#include <clsolve/context.h>
#include <clsolve/enqueue.h>
#include <clsolve/export.h>
#include <clsolve/matrix.h>
#include <clsolve/report.h>
#include <clsolve/status.h>

/* The largest kl + ku of the members. */
enum { CLSOLVE_BAND_BATCH_DIAGONALS = 64 };

typedef struct clsolve_band_batch clsolve_band_batch;

/* All zeros are the defaults. There is no option yet. */
typedef struct clsolve_band_batch_options {
    int64_t reserved[8]; /* zeros */
} clsolve_band_batch_options;

CLSOLVE_BEGIN_DECLS

/*
 * Creates a handle for `count` band matrices of n x n: takes the device memory and builds the kernels. Each member
 * takes (3 kl + 2 ku + 2) n elements and n pivots.
 *
 *   n         order of the members, at least 0
 *   kl, ku    diagonals below and above the main one, at least 0. They may be more than the matrix has: AB then still
 *             has kl + ku + 1 rows, and AFB has 2 kl + ku + 1.
 *   count     number of members, at least 0
 *   type      of all members: any clsolve_type, the complex ones too
 *   options   NULL: the defaults
 *   batch     out: the handle; NULL on failure
 *
 *   status                       when
 *   ERROR_INVALID_ARGUMENT       an argument or an option is out of range
 *   ERROR_UNSUPPORTED            kl + ku is too large, n is above 2^31 - 1, or the device has too little local memory
 *   ERROR_UNSUPPORTED            the type is CLSOLVE_F64 or CLSOLVE_C64, and the device has no double precision
 *   ERROR_OUT_OF_MEMORY          the host has no room
 *   ERROR_OUT_OF_DEVICE_MEMORY   the device has no room
 *   ERROR_OUT_OF_DEVICE_MEMORY   all members together exceed one allocation of the device: give fewer at a time
 *   ERROR_BUILD                  a kernel did not build
 *   ERROR_DEVICE                 the driver failed
 */
CLSOLVE_API clsolve_status clsolve_band_batch_create(clsolve_context *context, int64_t n, int64_t kl, int64_t ku,
                                                     int64_t count, clsolve_type type,
                                                     const clsolve_band_batch_options *options,
                                                     clsolve_band_batch **batch);

/*
 * Factors all members. The call may be repeated with new values, and takes no new memory then.
 *
 *   AB        in: `count` members of kl + ku + 1 rows by n columns, the handle's type
 *   info      out: one number for each member:
 *
 *                0   the member is factored
 *              k>0   pivot k, counted from 1, was exactly zero; the factorization is finished as LAPACK's
 *               -1   the member held NaN or Inf
 *
 * The status is OK when the batch ran, whatever the members' infos; no member affects another. The report's
 * member is the first member whose info is not 0, counted from 1, and its info is that member's. On any other status
 * info is as it was.
 */
CLSOLVE_API clsolve_status clsolve_band_batch_factor(clsolve_band_batch *batch, const clsolve_batch *AB, int64_t *info);

/*
 * Solves op(A_m) X_m = B_m for all members.
 *
 *   op        CLSOLVE_NO_TRANS: A_m X_m = B_m; CLSOLVE_TRANS: A_m^T X_m = B_m; CLSOLVE_CONJ_TRANS: A_m^H X_m = B_m
 *   B         in: `count` members of n x nrhs; out: the solutions. A member whose info is not 0 is as it was.
 *   info      out: as from the factorization; -1 also where B_m held NaN or Inf, or X_m would
 *
 * On any status but OK, B and info are as they were. ERROR_STATE: there are no factors. The call takes device memory if
 * there are more right-hand sides than in all calls before.
 */
CLSOLVE_API clsolve_status clsolve_band_batch_solve(clsolve_band_batch *batch, clsolve_op op, clsolve_batch *B,
                                                    int64_t *info);

/*
 * Exports the factors as LAPACK's gbtrf leaves them.
 *
 *   AFB       out: `count` members of 2 kl + ku + 1 rows by n columns, with 0 outside the matrix; NULL: not wanted
 *   ipiv      out: pivot j of member m in ipiv[m * n + j], counted from 1; NULL: not wanted
 *
 * ERROR_STATE: there are no factors. ERROR_INVALID_ARGUMENT: AFB reaches beyond the caller's buffer.
 */
CLSOLVE_API clsolve_status clsolve_band_batch_factors(clsolve_band_batch *batch, clsolve_batch *AFB, int64_t *ipiv);

/* The calls that enqueue, for arrays on the device, and the call that returns their outcome (enqueue.h). */
CLSOLVE_API clsolve_status clsolve_band_batch_factor_enqueue(clsolve_band_batch *batch, const clsolve_batch *AB,
                                                             int64_t *info, const clsolve_events *events);
CLSOLVE_API clsolve_status clsolve_band_batch_solve_enqueue(clsolve_band_batch *batch, clsolve_op op, clsolve_batch *B,
                                                            int64_t *info, const clsolve_events *events);
CLSOLVE_API clsolve_status clsolve_band_batch_status(clsolve_band_batch *batch);

/* Writes into `report` how the last call went (report.h). method is "band-lu", and nrhs is the number of
 * right-hand sides of one member, 0 after a factorization. */
CLSOLVE_API clsolve_status clsolve_band_batch_report(const clsolve_band_batch *batch, clsolve_report *report);

/* Releases the handle. `batch` may be NULL. */
CLSOLVE_API void clsolve_band_batch_destroy(clsolve_band_batch *batch);

CLSOLVE_END_DECLS

#endif
