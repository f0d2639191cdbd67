/*
 * ldl_batch.h: factorizations P_m^T A_m P_m = L_m D_m L_m^T of many symmetric indefinite matrices at once, to solve
 * A_m X_m = B_m any number of times, and their inertia. D_m has blocks of order 1 and 2. Complex matrices are
 * hermitian, with L^H in the place of L^T, or by an option symmetric.
 *
 * Example, given clsolve_context *context, int64_t n, int64_t count, double *a, double *b, int64_t *info:
 *
 *     clsolve_ldl_batch *batch;
 *     clsolve_batch A = clsolve_batch_f64(count, n, n, a), B = clsolve_batch_f64(count, n, 1, b);
 *     clsolve_status status = clsolve_ldl_batch_create(context, n, count, CLSOLVE_F64, NULL, &batch);
 *     if (status == CLSOLVE_OK) status = clsolve_ldl_batch_factor(batch, CLSOLVE_LOWER, &A, info);
 *     if (status == CLSOLVE_OK) status = clsolve_ldl_batch_solve(batch, &B, info);
 *     for (int64_t m = 0; status == CLSOLVE_OK && m < count; m++)
 *         if (info[m] != 0) printf("member %lld has no solution\n", (long long)m);
 *     clsolve_ldl_batch_destroy(batch);
 *
 * Members have one order n, at most CLSOLVE_LDL_BATCH_LARGEST, or each its own (clsolve_ldl_batch_create_ragged). For
 * larger matrices use ldl.h for each, or lu_batch.h, which has members of up to 4096 rows.
 *
 * Several devices and the range of numbers are as in lu_batch.h. Scaled for its range, a member loses numbers that are
 * 2^1074 times smaller than its largest, of float 2^149 times: they count as zeros, in the inertia too. So it is with
 * diag(1e300, -1e-300); give such a matrix to ldl.h.
 *
 * Algorithm. Bunch-Kaufman pivoting with rook exchange, as in ldl.h: no element of L exceeds 2.8. On the device the
 * search begins with the largest diagonal element, on the host with the first one. One launch factors all members,
 * whose elements lie in registers; rows do not move before the end. The host has plain loops over its threads. The
 * factors stay in the handle, n^2 elements a member.
 *
 * On the device. Members in the caller's own buffers are read and written where they lie, as in cholesky_batch.h. A
 * device that cannot keep the values of private arrays over barriers has these batches on the host.
 *
 * Triangles are those of ldl.h: each call names the triangle that it reads or writes, in the caller's layout. Imaginary
 * parts on the diagonal of a hermitian matrix count as zeros.
 */
#ifndef CLSOLVE_LDL_BATCH_H
#define CLSOLVE_LDL_BATCH_H

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
enum { CLSOLVE_LDL_BATCH_LARGEST = 64 };

typedef struct clsolve_ldl_batch clsolve_ldl_batch;

/* All zeros are the defaults. */
typedef struct clsolve_ldl_batch_options {
    clsolve_where where;       /* on the device or on the host (factorization.h) */
    clsolve_symmetry symmetry; /* of complex matrices: HERMITIAN or TRANSPOSE (factorization.h) */
    int32_t condition;         /* 1: factor computes norms, for clsolve_ldl_batch_condition */
    int64_t reserved[6];       /* zeros */
} clsolve_ldl_batch_options;

CLSOLVE_BEGIN_DECLS

/*
 * Creates a handle for `count` matrices of n x n, and takes n^2 elements of device memory for each. The first call
 * of each kind builds its kernel.
 *
 *   n         order of the members, from 0 to CLSOLVE_LDL_BATCH_LARGEST
 *   count     number of members, at least 0
 *   type      of all members: any clsolve_type
 *   options   NULL: the defaults
 *   batch     out: the handle; NULL on failure
 *
 *   status                       when
 *   ERROR_INVALID_ARGUMENT       an argument or an option is out of range
 *   ERROR_UNSUPPORTED            n is above CLSOLVE_LDL_BATCH_LARGEST
 *   ERROR_UNSUPPORTED            the type is CLSOLVE_F64 or CLSOLVE_C64, and the device has no double precision
 *   ERROR_UNSUPPORTED            the device has no such batches, and the context is of the caller's own handles
 *   ERROR_OUT_OF_MEMORY          the host has no room
 *   ERROR_OUT_OF_DEVICE_MEMORY   the device has no room
 *   ERROR_OUT_OF_DEVICE_MEMORY   all members together exceed one allocation of the device: give fewer at a time
 *   ERROR_DEVICE                 the driver failed
 */
CLSOLVE_API clsolve_status clsolve_ldl_batch_create(clsolve_context *context, int64_t n, int64_t count,
                                                    clsolve_type type, const clsolve_ldl_batch_options *options,
                                                    clsolve_ldl_batch **batch);

/*
 * The same for members of orders of their own, some of which may be 0, with views as for
 * clsolve_cholesky_batch_create_ragged.
 *
 *   orders    `count` numbers from 0 to CLSOLVE_LDL_BATCH_LARGEST, which are copied
 *
 * Statuses as clsolve_ldl_batch_create. ERROR_INVALID_ARGUMENT: orders is NULL, or holds a negative number.
 */
CLSOLVE_API clsolve_status clsolve_ldl_batch_create_ragged(clsolve_context *context, const int64_t *orders,
                                                           int64_t count, clsolve_type type,
                                                           const clsolve_ldl_batch_options *options,
                                                           clsolve_ldl_batch **batch);

/*
 * Factors all members. The call may be repeated with new values, and takes no new memory then.
 *
 *   uplo      the triangle of each member that is read
 *   A         in: `count` members of n x n, the handle's type
 *   info      out: one number for each member:
 *
 *                0   the member is factored
 *              k>0   pivot k, counted from 1, is exactly zero; its inertia and determinant can be had
 *               -1   the triangle held NaN or Inf
 *
 * The status is OK when the batch ran, whatever the members' infos; no member affects another. The report's
 * member is the first member whose info is not 0, counted from 1, and its info is that member's. On any other status
 * info is as it was.
 */
CLSOLVE_API clsolve_status clsolve_ldl_batch_factor(clsolve_ldl_batch *batch, clsolve_uplo uplo, const clsolve_batch *A,
                                                    int64_t *info);

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
CLSOLVE_API clsolve_status clsolve_ldl_batch_solve(clsolve_ldl_batch *batch, clsolve_batch *B, int64_t *info);

/*
 * The signs of each member's eigenvalues, from D, as clsolve_ldl_inertia.
 *
 *   inertias  out: one a member; -1 in all three numbers of a member that held NaN or Inf
 *
 * ERROR_STATE: there are no factors. ERROR_UNSUPPORTED: the members are complex with A = A^T.
 */
CLSOLVE_API clsolve_status clsolve_ldl_batch_inertia(clsolve_ldl_batch *batch, clsolve_inertia *inertias);

/* The determinant of each member, from D, as clsolve_lu_batch_determinant. */
CLSOLVE_API clsolve_status clsolve_ldl_batch_determinant(clsolve_ldl_batch *batch, double *det, double *sign,
                                                         double *log_abs);

/* The reciprocal condition number of each member in the 1-norm, by the option `condition`, as
 * clsolve_lu_batch_condition. */
CLSOLVE_API clsolve_status clsolve_ldl_batch_condition(clsolve_ldl_batch *batch, double *rconds);

/*
 * Exports the factors as LAPACK's sytrf_rook with UPLO = 'L' leaves them, of hermitian members hetrf_rook, as
 * clsolve_ldl_factors. They pass through the host's memory.
 *
 *   F         out: the lower triangle of `count` members of n x n; NULL: not wanted
 *   ipiv      out: pivot k of member m in ipiv[m * n + k], counted from 1; NULL: not wanted
 *
 * A member that held NaN or Inf is as it was in both; a singular one is exported. ERROR_STATE: there are no factors.
 */
CLSOLVE_API clsolve_status clsolve_ldl_batch_factors(clsolve_ldl_batch *batch, clsolve_batch *F, int64_t *ipiv);

/*
 * One triangle of the inverse of each member, from the factors.
 *
 *   uplo      the triangle that is written
 *   X         out: that triangle of `count` members of n x n; a member whose info is not 0 is as it was
 *   info      out: as from the factorization; -1 also where the inverse would hold NaN or Inf
 *
 * Statuses as clsolve_ldl_batch_solve.
 */
CLSOLVE_API clsolve_status clsolve_ldl_batch_inverse(clsolve_ldl_batch *batch, clsolve_uplo uplo, clsolve_batch *X,
                                                     int64_t *info);

/* The calls that enqueue, for arrays on the device, and the call that returns their outcome (enqueue.h). */
CLSOLVE_API clsolve_status clsolve_ldl_batch_factor_enqueue(clsolve_ldl_batch *batch, clsolve_uplo uplo,
                                                            const clsolve_batch *A, int64_t *info,
                                                            const clsolve_events *events);
CLSOLVE_API clsolve_status clsolve_ldl_batch_solve_enqueue(clsolve_ldl_batch *batch, clsolve_batch *B, int64_t *info,
                                                           const clsolve_events *events);
CLSOLVE_API clsolve_status clsolve_ldl_batch_inverse_enqueue(clsolve_ldl_batch *batch, clsolve_uplo uplo,
                                                             clsolve_batch *X, int64_t *info,
                                                             const clsolve_events *events);
CLSOLVE_API clsolve_status clsolve_ldl_batch_status(clsolve_ldl_batch *batch);

/*
 * The infos of the last factorization, solve or inverse; waits for it if the call was enqueued. So `info` of the calls
 * that enqueue may be NULL, and then they do not wait (enqueue.h).
 *
 *   info      out: `count` numbers
 *
 * ERROR_STATE: there are no factors.
 */
CLSOLVE_API clsolve_status clsolve_ldl_batch_infos(clsolve_ldl_batch *batch, int64_t *info);

/* Writes into `report` how the last call went (report.h). method is "ldl", and nrhs is the number of right-hand sides
 * of one member, n for an inverse and 0 after a factorization. */
CLSOLVE_API clsolve_status clsolve_ldl_batch_report(const clsolve_ldl_batch *batch, clsolve_report *report);

/* Releases the handle. `batch` may be NULL. */
CLSOLVE_API void clsolve_ldl_batch_destroy(clsolve_ldl_batch *batch);

CLSOLVE_END_DECLS

#endif
