/*
 * tridiagonal_batch.h: factorization of many tridiagonal matrices at once, to solve A_m X_m = B_m or A_m^T X_m = B_m
 * any number of times.
 *
 * Example, given clsolve_context *context, int64_t n, int64_t count, double *dl, double *d, double *du, double *b,
 * int64_t *info:
 *
 *     clsolve_tridiagonal_batch *batch; // each array has n elements for each member, one member after the other
 *     clsolve_batch DL = clsolve_batch_f64(count, n, 1, dl), D = clsolve_batch_f64(count, n, 1, d);
 *     clsolve_batch DU = clsolve_batch_f64(count, n, 1, du), B = clsolve_batch_f64(count, n, 1, b);
 *     clsolve_status status = clsolve_tridiagonal_batch_create(context, n, count, CLSOLVE_F64, NULL, &batch);
 *     if (status == CLSOLVE_OK) status = clsolve_tridiagonal_batch_factor(batch, &DL, &D, &DU, info);
 *     if (status == CLSOLVE_OK) status = clsolve_tridiagonal_batch_solve(batch, CLSOLVE_NO_TRANS, &B, info);
 *     if (status == CLSOLVE_OK && info[0] != 0) puts("the first member has no solution");
 *     clsolve_tridiagonal_batch_destroy(batch);
 *
 * Storage. dl, d and du are views of members of n x 1. Row k, k = 0 .. n-1, of a member's system is
 *
 *     dl(k) x(k-1) + d(k) x(k) + du(k) x(k+1) = b(k)
 *
 *     d(0)  du(0)                            The three elements of a row have the row's index. dl(0) and du(n-1) lie
 *     dl(1) d(1)  du(1)                      outside the matrix. They must be memory that can be read, and may hold
 *           dl(2) d(2)  du(2)                anything: they are never used.
 *
 * cuSPARSE's gtsv2StridedBatch has the same storage. LAPACK's gttrf has n - 1 elements in DL and DU: its DL begins at
 * the address of dl(1) here, and its DU at that of du(0). So an array of n elements for each member serves both.
 *
 * Any layout of a view works, with members by `stride`. Two are usual:
 *
 *   member after member   clsolve_batch_f64(count, n, 1, data)
 *   interleaved           layout CLSOLVE_ROW_MAJOR, ld = count, stride = 1: element k of member m is
 *                         data[k * count + m]
 *
 * B has members of n x nrhs. Its members may be interleaved too, but no element may belong to two. Members of dl, d and
 * du may share elements; with stride 0 all members are the same matrix.
 *
 * Several devices. The members are dealt out over the devices of the context (context.h). If a device fails, the
 * members of the other devices hold their results, and info is as it was.
 *
 * Algorithm. A member is factored and solved by the Thomas algorithm, or with row exchanges as LAPACK's gttrf. On a
 * GPU several work-items share a member:
 *
 *   H. S. Stone, An efficient parallel algorithm for the solution of a tridiagonal linear system of equations,
 *   J. ACM 20 (1973), section 3
 *   H. H. Wang, A parallel method for tridiagonal equations, ACM TOMS 7 (1981)
 *
 * Each member is first divided by a power of two if its numbers are near an end of the type's range.
 *
 * Other calls suit one long system (band.h) and more diagonals (band_batch.h).
 */
#ifndef CLSOLVE_TRIDIAGONAL_BATCH_H
#define CLSOLVE_TRIDIAGONAL_BATCH_H

#include <stdint.h>

#include <clsolve/batch.h>
#include <clsolve/context.h>
#include <clsolve/enqueue.h>
#include <clsolve/export.h>
#include <clsolve/factorization.h>
#include <clsolve/matrix.h>
#include <clsolve/report.h>
#include <clsolve/status.h>

typedef struct clsolve_tridiagonal_batch clsolve_tridiagonal_batch;

/* All zeros are the defaults. */
typedef struct clsolve_tridiagonal_batch_options {
    /*
     * AUTO, PARTIAL or NONE (factorization.h). With AUTO rows are exchanged in all members as soon as one member needs
     * it. The report says which factors are in use.
     */
    clsolve_pivoting pivoting;
    clsolve_where where; /* on the device or on the host, where AUTO exchanges rows as PARTIAL does (factorization.h) */
    int64_t reserved[8]; /* zeros */
} clsolve_tridiagonal_batch_options;

CLSOLVE_BEGIN_DECLS

/*
 * Creates a handle for `count` tridiagonal matrices of n x n: takes the device memory and builds the kernels. Each
 * member takes 9 n elements, and 11 n with row exchanges.
 *
 *   n         order of the members, at least 0
 *   count     number of members, at least 0
 *   type      of all members: any clsolve_type, the complex ones too
 *   options   NULL: the defaults
 *   batch     out: the handle; NULL on failure
 *
 *   status                       when
 *   ERROR_INVALID_ARGUMENT       an argument or an option is out of range
 *   ERROR_UNSUPPORTED            the pivoting is of another family, or n is above 2^31 - 17
 *   ERROR_UNSUPPORTED            NONE on the host: only kernels solve without row exchanges
 *   ERROR_UNSUPPORTED            the type is in double, and the device has no double precision
 *   ERROR_OUT_OF_MEMORY          the host has no room
 *   ERROR_OUT_OF_DEVICE_MEMORY   the device has no room
 *   ERROR_OUT_OF_DEVICE_MEMORY   all members together exceed one allocation of the device: give fewer at a time
 *   ERROR_BUILD                  a kernel did not build
 *   ERROR_DEVICE                 the driver failed
 */
CLSOLVE_API clsolve_status clsolve_tridiagonal_batch_create(clsolve_context *context, int64_t n, int64_t count,
                                                            clsolve_type type,
                                                            const clsolve_tridiagonal_batch_options *options,
                                                            clsolve_tridiagonal_batch **batch);

/*
 * Factors all members. The call may be repeated with new values. The factors stay in the handle.
 *
 *   dl, d, du   in: below, on and above the diagonal: `count` members of n x 1 each, on the host or on the device
 *   info        out: one number for each member:
 *
 *                  0   the member is factored
 *                k>0   pivot k, counted from 1, is exactly zero: the member has no solution; with NONE it may have
 *                      one, and only the exchange of rows is missing
 *                 -1   the member holds NaN or Inf
 *
 * The status is OK when the batch ran, whatever the members' infos; no member changes another member's solution by more
 * than rounding. The report names the first member whose info is not 0. On any other status info is as it was.
 *
 *   status                   when
 *   ERROR_INVALID_ARGUMENT   a view is not valid
 *   ERROR_UNSUPPORTED        a view has `offsets`: only members by `stride` work
 */
CLSOLVE_API clsolve_status clsolve_tridiagonal_batch_factor(clsolve_tridiagonal_batch *batch, const clsolve_batch *dl,
                                                            const clsolve_batch *d, const clsolve_batch *du,
                                                            int64_t *info);

/*
 * Solves op(A_m) X_m = B_m for all members. Both op use the same factors.
 *
 *   op        CLSOLVE_NO_TRANS: A_m X_m = B_m; CLSOLVE_TRANS: A_m^T X_m = B_m; CLSOLVE_CONJ_TRANS: A_m^H X_m = B_m
 *   B         in: `count` members of n x nrhs; out: the solutions. A member whose info is not 0 is as it was.
 *   info      out: as from the factorization; -1 also where B_m held NaN or Inf, or X_m would
 *
 * On any status but OK, B and info are as they were. The statuses are those of the factorization, and ERROR_STATE:
 * there are no factors. The call takes device memory if there are more right-hand sides than in all calls before. If
 * memory cannot take all right-hand sides at once, they are solved in portions, each twice.
 */
CLSOLVE_API clsolve_status clsolve_tridiagonal_batch_solve(clsolve_tridiagonal_batch *batch, clsolve_op op,
                                                           clsolve_batch *B, int64_t *info);

/* The calls that enqueue, for arrays on the device, and the call that returns their outcome (enqueue.h). */
CLSOLVE_API clsolve_status clsolve_tridiagonal_batch_factor_enqueue(clsolve_tridiagonal_batch *batch,
                                                                    const clsolve_batch *dl, const clsolve_batch *d,
                                                                    const clsolve_batch *du, int64_t *info,
                                                                    const clsolve_events *events);
CLSOLVE_API clsolve_status clsolve_tridiagonal_batch_solve_enqueue(clsolve_tridiagonal_batch *batch, clsolve_op op,
                                                                   clsolve_batch *B, int64_t *info,
                                                                   const clsolve_events *events);
CLSOLVE_API clsolve_status clsolve_tridiagonal_batch_status(clsolve_tridiagonal_batch *batch);

/*
 * Writes into `report` how the last call went (report.h). method is "tridiagonal", nrhs is that of one member, and the
 * part direct has the pivoting.
 */
CLSOLVE_API clsolve_status clsolve_tridiagonal_batch_report(const clsolve_tridiagonal_batch *batch,
                                                            clsolve_report *report);

/* Releases the handle. `batch` may be NULL. */
CLSOLVE_API void clsolve_tridiagonal_batch_destroy(clsolve_tridiagonal_batch *batch);

CLSOLVE_END_DECLS

#endif
