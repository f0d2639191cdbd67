/*
 * cholesky_batch.h: Cholesky factorizations A_m = L_m L_m^T of many symmetric positive definite matrices at once, to
 * solve A_m X_m = B_m any number of times. For complex elements A_m is hermitian, and L^T here is L^H.
 *
 * Example, given clsolve_context *context, int64_t n, int64_t count, double *a, double *b, int64_t *info:
 *
 *     clsolve_cholesky_batch *batch;
 *     clsolve_batch A = clsolve_batch_f64(count, n, n, a), B = clsolve_batch_f64(count, n, 1, b);
 *     clsolve_status status = clsolve_cholesky_batch_create(context, n, count, CLSOLVE_F64, NULL, &batch);
 *     if (status == CLSOLVE_OK) status = clsolve_cholesky_batch_factor(batch, CLSOLVE_LOWER, &A, info);
 *     if (status == CLSOLVE_OK) status = clsolve_cholesky_batch_solve(batch, &B, info);
 *     for (int64_t m = 0; status == CLSOLVE_OK && m < count; m++)
 *         if (info[m] != 0) printf("member %lld has no solution\n", (long long)m);
 *     clsolve_cholesky_batch_destroy(batch);
 *
 * Members have one order n, at most CLSOLVE_CHOLESKY_BATCH_LARGEST, or each its own
 * (clsolve_cholesky_batch_create_ragged). For larger matrices use cholesky.h for each.
 *
 * Several devices. The members are dealt out over the devices of the context (context.h). If a device fails, the
 * members of the other devices hold their results, and info is as it was.
 *
 * Range. A member whose diagonal is near an end of the type's range is factored as S A_m S. S is diagonal, of powers of
 * two. So members of subnormal or huge numbers have solutions as accurate as other members.
 *
 * Algorithm. Members of up to 64 rows lie in registers, and one launch factors all of them, column by column, in the
 * order of LAPACK's potf2. Larger members go by panels of 16 or 32 columns (G. Golub, C. Van Loan, Matrix Computations,
 * 4th ed., section 4.2.6): on NVIDIA's GPUs in double up to 512 rows in one launch, else a launch a panel. Solves go by
 * blocks of 32 rows. The host has plain loops over its threads up to 256 rows, and LAPACK for larger members. The
 * factors stay in the handle, n^2 elements a member.
 *
 * On the device. Members in the caller's own buffers (opencl.h, cuda.h) are read and written where they lie, if they
 * lie by stride. The library copies these:
 *
 *     members by offsets
 *     members that begin at no multiple of their element's size, or whose cl_mem keeps kernels from the access
 *     more right-hand sides than a work-group has at once: 16, for n above 512 only 4, above 2048 only 1
 *
 * A device that cannot keep the values of private arrays over barriers has batches of n above 64 on the host.
 *
 * Triangles are those of cholesky.h: each call names the triangle that it reads or writes, in the caller's layout.
 * Imaginary parts on the diagonal of a hermitian matrix count as zeros.
 */
#ifndef CLSOLVE_CHOLESKY_BATCH_H
#define CLSOLVE_CHOLESKY_BATCH_H

#include <stdint.h>

#include <clsolve/batch.h>
#include <clsolve/context.h>
#include <clsolve/enqueue.h>
#include <clsolve/export.h>
#include <clsolve/factorization.h>
#include <clsolve/matrix.h>
#include <clsolve/report.h>
#include <clsolve/status.h>

/* The largest order n of the members. */
enum { CLSOLVE_CHOLESKY_BATCH_LARGEST = 4096 };

typedef struct clsolve_cholesky_batch clsolve_cholesky_batch;

/* All zeros are the defaults. */
typedef struct clsolve_cholesky_batch_options {
    clsolve_where where; /* on the device or on the host (factorization.h) */
    int64_t reserved[7]; /* zeros */
} clsolve_cholesky_batch_options;

CLSOLVE_BEGIN_DECLS

/*
 * Creates a handle for `count` matrices of n x n, and takes n^2 elements of device memory for each. The first call
 * of each kind builds its kernel.
 *
 *   n         order of the members, from 0 to CLSOLVE_CHOLESKY_BATCH_LARGEST
 *   count     number of members, at least 0
 *   type      of all members: any clsolve_type
 *   options   NULL: the defaults
 *   batch     out: the handle; NULL on failure
 *
 *   status                       when
 *   ERROR_INVALID_ARGUMENT       an argument or an option is out of range
 *   ERROR_UNSUPPORTED            n is above CLSOLVE_CHOLESKY_BATCH_LARGEST
 *   ERROR_UNSUPPORTED            the type is CLSOLVE_F64 or CLSOLVE_C64, and the device has no double precision
 *   ERROR_UNSUPPORTED            n is above 64, the device has no such batches, and the context is of the caller's
 *                                own handles
 *   ERROR_OUT_OF_MEMORY          the host has no room
 *   ERROR_OUT_OF_DEVICE_MEMORY   the device has no room
 *   ERROR_OUT_OF_DEVICE_MEMORY   all members together exceed one allocation of the device: give fewer at a time
 *   ERROR_DEVICE                 the driver failed
 */
CLSOLVE_API clsolve_status clsolve_cholesky_batch_create(clsolve_context *context, int64_t n, int64_t count,
                                                         clsolve_type type,
                                                         const clsolve_cholesky_batch_options *options,
                                                         clsolve_cholesky_batch **batch);

/*
 * The same for members of orders of their own, some of which may be 0. In the views of such a handle
 *
 *   rows      is the largest order; and cols too, of A, F and X of an inverse
 *   ld        is that of all members; 0: members are tight, each by its own order
 *   offsets   may be NULL: then members are `stride` apart
 *
 * B on the device with more right-hand sides than a work-group has may be solved in part where info is -1, and so may
 * the triangle of an inverse.
 *
 *   orders    `count` numbers from 0 to CLSOLVE_CHOLESKY_BATCH_LARGEST, which are copied
 *
 * Statuses as clsolve_cholesky_batch_create. ERROR_INVALID_ARGUMENT: orders is NULL, or holds a negative number.
 */
CLSOLVE_API clsolve_status clsolve_cholesky_batch_create_ragged(clsolve_context *context, const int64_t *orders,
                                                                int64_t count, clsolve_type type,
                                                                const clsolve_cholesky_batch_options *options,
                                                                clsolve_cholesky_batch **batch);

/*
 * Factors all members. The call may be repeated with new values. It takes new memory, n^2 elements a member, only for
 * members in the host's memory that come to the device as copies:
 *
 *     by rows with their lower triangle or by columns with their upper one, of n above 64
 *     of orders of their own
 *     on NVIDIA's GPUs in double, of n from 33 to 512
 *
 *   uplo      the triangle of each member that is read
 *   A         in: `count` members of n x n, the handle's type
 *   info      out: one number for each member:
 *
 *                0   the member is factored
 *              k>0   the leading minor of order k is not positive
 *               -1   the triangle held NaN or Inf
 *
 * The status is OK when the batch ran, whatever the members' infos; no member affects another. The report's
 * member is the first member whose info is not 0, counted from 1, and its info is that member's. On any other status
 * info is as it was.
 */
CLSOLVE_API clsolve_status clsolve_cholesky_batch_factor(clsolve_cholesky_batch *batch, clsolve_uplo uplo,
                                                         const clsolve_batch *A, int64_t *info);

/*
 * Solves A_m X_m = B_m for all members.
 *
 *   B         in: `count` members of n x nrhs; out: the solutions. A member whose info is not 0 is as it was.
 *   info      out: as from the factorization; -1 also where B_m held NaN or Inf, or X_m would
 *
 * On any status but OK, B and info are as they were, unless the driver fails while solutions are copied back.
 * ERROR_STATE: there are no factors. The call takes device memory if there are more right-hand sides than in all
 * calls before.
 */
CLSOLVE_API clsolve_status clsolve_cholesky_batch_solve(clsolve_cholesky_batch *batch, clsolve_batch *B, int64_t *info);

/*
 * Exports the factors as LAPACK's potrf leaves them.
 *
 *   uplo      CLSOLVE_LOWER: L with A = L L^T; CLSOLVE_UPPER: U with A = U^T U; whatever triangle of A was read
 *   F         out: that triangle of `count` members of n x n; a member that is not factored is as it was
 *
 * ERROR_STATE: there are no factors.
 */
CLSOLVE_API clsolve_status clsolve_cholesky_batch_factors(clsolve_cholesky_batch *batch, clsolve_uplo uplo,
                                                          clsolve_batch *F);

/*
 * One triangle of the inverse of each member, from the factors.
 *
 *   uplo      the triangle that is written
 *   X         out: that triangle of `count` members of n x n; a member whose info is not 0 is as it was
 *   info      out: as from the factorization; -1 also where the inverse would hold NaN or Inf
 *
 * Statuses as clsolve_cholesky_batch_solve.
 */
CLSOLVE_API clsolve_status clsolve_cholesky_batch_inverse(clsolve_cholesky_batch *batch, clsolve_uplo uplo,
                                                          clsolve_batch *X, int64_t *info);

/* The calls that enqueue, for arrays on the device, and the call that returns their outcome (enqueue.h). */
CLSOLVE_API clsolve_status clsolve_cholesky_batch_factor_enqueue(clsolve_cholesky_batch *batch, clsolve_uplo uplo,
                                                                 const clsolve_batch *A, int64_t *info,
                                                                 const clsolve_events *events);
CLSOLVE_API clsolve_status clsolve_cholesky_batch_solve_enqueue(clsolve_cholesky_batch *batch, clsolve_batch *B,
                                                                int64_t *info, const clsolve_events *events);
CLSOLVE_API clsolve_status clsolve_cholesky_batch_inverse_enqueue(clsolve_cholesky_batch *batch, clsolve_uplo uplo,
                                                                  clsolve_batch *X, int64_t *info,
                                                                  const clsolve_events *events);
CLSOLVE_API clsolve_status clsolve_cholesky_batch_status(clsolve_cholesky_batch *batch);

/*
 * The infos of the last factorization, solve or inverse; waits for it if the call was enqueued. So `info` of the calls
 * that enqueue may be NULL, and then they do not wait (enqueue.h).
 *
 *   info      out: `count` numbers
 *
 * ERROR_STATE: there are no factors.
 */
CLSOLVE_API clsolve_status clsolve_cholesky_batch_infos(clsolve_cholesky_batch *batch, int64_t *info);

/* Writes into `report` how the last call went (report.h). method is "cholesky", and nrhs is the number of right-hand
 * sides of one member, n for an inverse and 0 after a factorization. */
CLSOLVE_API clsolve_status clsolve_cholesky_batch_report(const clsolve_cholesky_batch *batch, clsolve_report *report);

/* Releases the handle. `batch` may be NULL. */
CLSOLVE_API void clsolve_cholesky_batch_destroy(clsolve_cholesky_batch *batch);

CLSOLVE_END_DECLS

#endif
