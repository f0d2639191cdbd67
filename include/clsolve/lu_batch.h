/*
 * lu_batch.h: LU factorizations with partial pivoting of many matrices at once, P_m A_m = L_m U_m, to solve
 * A_m X_m = B_m any number of times.
 *
 * Example, given clsolve_context *context, int64_t n, int64_t count, double *a, double *b, int64_t *info:
 *
 *     clsolve_lu_batch *batch;
 *     clsolve_batch A = clsolve_batch_f64(count, n, n, a), B = clsolve_batch_f64(count, n, 1, b);
 *     clsolve_status status = clsolve_lu_batch_create(context, n, count, CLSOLVE_F64, NULL, &batch);
 *     if (status == CLSOLVE_OK) status = clsolve_lu_batch_factor(batch, &A, info);
 *     if (status == CLSOLVE_OK) status = clsolve_lu_batch_solve(batch, CLSOLVE_NO_TRANS, &B, info);
 *     for (int64_t m = 0; status == CLSOLVE_OK && m < count; m++)
 *         if (info[m] != 0) printf("member %lld has no solution\n", (long long)m);
 *     clsolve_lu_batch_destroy(batch);
 *
 * Members have one order n, at most CLSOLVE_LU_BATCH_LARGEST, or each its own (clsolve_lu_batch_create_ragged). Each
 * member is factored as if it were alone: with LAPACK's pivots, and with its backward error. Other calls suit:
 *
 *   one matrix, or larger ones      lu.h
 *   symmetric positive definite     cholesky_batch.h
 *   other symmetric ones            ldl_batch.h
 *   few diagonals                   band_batch.h, tridiagonal_batch.h
 *
 * Several devices. The members are dealt out over the devices of the context (context.h). If a device fails, the
 * members of the other devices hold their results, and info is as it was.
 *
 * Range. A member whose largest number is near an end of the type's range is multiplied by a power of two before it is
 * factored. So members of subnormal or huge numbers have solutions as accurate as other members. In a huge member
 * numbers 2^1074 times smaller than the largest, of float 2^149 times, count as zeros.
 *
 * Algorithm. Members of up to 32 rows lie in registers, a work-item a row, and one launch factors all of them. On
 * NVIDIA's GPUs it takes 128 rows of floats, and 64 of complex floats.
 * Larger members go by panels of 16 or 32 columns (G. Golub, C. Van Loan, Matrix Computations, 4th ed., section 3.4):
 * on NVIDIA's GPUs in double up to 256 rows in one launch, else a launch a panel. The engine of lu.h factors few large
 * members on GPUs, one after the other. Solves go by blocks of 32 rows.
 * The host has plain loops over its threads up to 256 rows, and LAPACK for larger members. The factors stay in the
 * handle, n^2 elements a member.
 *
 * On the device. Members in the caller's own buffers (opencl.h, cuda.h) are read and written where they lie, if they
 * lie by stride. The library copies these:
 *
 *     members by offsets
 *     members that begin at no multiple of their element's size, or whose cl_mem keeps kernels from the access
 *     more right-hand sides than a work-group has at once: 16, for n above 512 only 4, above 2048 only 1
 *
 * A device that cannot keep the values of private arrays over barriers has batches of n above 32 on the host.
 */
#ifndef CLSOLVE_LU_BATCH_H
#define CLSOLVE_LU_BATCH_H

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
enum { CLSOLVE_LU_BATCH_LARGEST = 4096 };

typedef struct clsolve_lu_batch clsolve_lu_batch;

/* All zeros are the defaults. */
typedef struct clsolve_lu_batch_options {
    clsolve_where where; /* on the device or on the host (factorization.h) */
    int32_t condition;   /* 1: factor computes norms, for clsolve_lu_batch_condition */
    int64_t reserved[7]; /* zeros */
} clsolve_lu_batch_options;

CLSOLVE_BEGIN_DECLS

/*
 * Creates a handle for `count` matrices of n x n, and takes n^2 elements of device memory for each. The first call
 * of each kind builds its kernel.
 *
 *   n         order of the members, from 0 to CLSOLVE_LU_BATCH_LARGEST
 *   count     number of members, at least 0
 *   type      of all members: any clsolve_type
 *   options   NULL: the defaults
 *   batch     out: the handle; NULL on failure
 *
 *   status                       when
 *   ERROR_INVALID_ARGUMENT       an argument or an option is out of range
 *   ERROR_UNSUPPORTED            n is above CLSOLVE_LU_BATCH_LARGEST
 *   ERROR_UNSUPPORTED            the type is CLSOLVE_F64 or CLSOLVE_C64, and the device has no double precision
 *   ERROR_UNSUPPORTED            n is above 32, the device has no such batches, and the context is of the caller's
 *                                own handles
 *   ERROR_OUT_OF_MEMORY          the host has no room
 *   ERROR_OUT_OF_DEVICE_MEMORY   the device has no room
 *   ERROR_OUT_OF_DEVICE_MEMORY   all members together exceed one allocation of the device: give fewer at a time
 *   ERROR_DEVICE                 the driver failed
 */
CLSOLVE_API clsolve_status clsolve_lu_batch_create(clsolve_context *context, int64_t n, int64_t count,
                                                   clsolve_type type, const clsolve_lu_batch_options *options,
                                                   clsolve_lu_batch **batch);

/*
 * The same for members of orders of their own, some of which may be 0. In the views of such a handle
 *
 *   rows      is the largest order; and cols too, of A, F and X of an inverse
 *   ld        is that of all members; 0: members are tight, each by its own order
 *   offsets   may be NULL: then members are `stride` apart
 *
 * and ipiv has as many numbers for each member as its order. B on the device with more right-hand sides than a
 * work-group has may be solved in part where info is -1.
 *
 *   orders    `count` numbers from 0 to CLSOLVE_LU_BATCH_LARGEST, which are copied
 *
 * Statuses as clsolve_lu_batch_create. ERROR_INVALID_ARGUMENT: orders is NULL, or holds a negative number.
 */
CLSOLVE_API clsolve_status clsolve_lu_batch_create_ragged(clsolve_context *context, const int64_t *orders,
                                                          int64_t count, clsolve_type type,
                                                          const clsolve_lu_batch_options *options,
                                                          clsolve_lu_batch **batch);

/*
 * Factors all members. The call may be repeated with new values. It takes new memory, n^2 elements a member, only for
 * members in the host's memory that come to the device as copies:
 *
 *     by rows, of n above 32
 *     of orders of their own
 *     on NVIDIA's GPUs in double, of n from 33 to 256
 *     few large ones, which the engine of lu.h factors
 *
 *   A         in: `count` members of n x n, the handle's type
 *   info      out: one number for each member:
 *
 *                0   the member is factored
 *              k>0   pivot k, counted from 1, was exactly zero; the factorization is finished as LAPACK's
 *               -1   the member held NaN or Inf, or its factors do
 *
 * The status is OK when the batch ran, whatever the members' infos; no member affects another. The report's
 * member is the first member whose info is not 0, counted from 1, and its info is that member's. On any other status
 * info is as it was.
 */
CLSOLVE_API clsolve_status clsolve_lu_batch_factor(clsolve_lu_batch *batch, const clsolve_batch *A, int64_t *info);

/*
 * Solves op(A_m) X_m = B_m for all members.
 *
 *   op        CLSOLVE_NO_TRANS: A_m X_m = B_m; CLSOLVE_TRANS: A_m^T X_m = B_m; CLSOLVE_CONJ_TRANS: A_m^H X_m = B_m
 *   B         in: `count` members of n x nrhs; out: the solutions. A member whose info is not 0 is as it was.
 *   info      out: as from the factorization; -1 also where B_m held NaN or Inf, or X_m would
 *
 * On any status but OK, B and info are as they were, unless the driver fails while solutions are written.
 * ERROR_STATE: there are no factors. The call takes device memory if there are more right-hand sides than in all
 * calls before.
 */
CLSOLVE_API clsolve_status clsolve_lu_batch_solve(clsolve_lu_batch *batch, clsolve_op op, clsolve_batch *B,
                                                  int64_t *info);

/*
 * Factors all members and solves op(A_m) X_m = B_m, as the two calls one behind the other do. The factors do not stay:
 * the host solves with a member's while they are in its cache.
 *
 *   op, A, B  as above; B is as it was where info is not 0
 *   info      out: as from the factorization; -1 also where B_m held NaN or Inf, or X_m would
 *
 * Statuses as clsolve_lu_batch_solve, without ERROR_STATE.
 */
CLSOLVE_API clsolve_status clsolve_lu_batch_factor_solve(clsolve_lu_batch *batch, clsolve_op op, const clsolve_batch *A,
                                                         clsolve_batch *B, int64_t *info);

/*
 * The inverse of each member, from the factors.
 *
 *   X         out: `count` members of n x n; a member whose info is not 0 is as it was
 *   info      out: as from the factorization; -1 also where the inverse would hold NaN or Inf
 *
 * Statuses as clsolve_lu_batch_solve.
 */
CLSOLVE_API clsolve_status clsolve_lu_batch_inverse(clsolve_lu_batch *batch, clsolve_batch *X, int64_t *info);

/*
 * The determinant of each member, from the factors. A real type has one number a member in det and sign. A complex
 * type has two: the real part and the imaginary part.
 *
 *   det       out: det A_m, which may leave the range of double; NULL: not wanted
 *   sign      out: det A_m / |det A_m|, 0 where it is 0; NULL: not wanted
 *   log_abs   out: the natural logarithm of |det A_m|, one number a member, -Inf where it is 0; NULL: not wanted
 *
 * A member that held NaN or Inf has NaN in all of them. ERROR_STATE: there are no factors.
 */
CLSOLVE_API clsolve_status clsolve_lu_batch_determinant(clsolve_lu_batch *batch, double *det, double *sign,
                                                        double *log_abs);

/*
 * The reciprocal condition number of each member in the 1-norm, 1 / (|A_m|_1 |A_m^-1|_1), from its whole inverse. It
 * is no estimate.
 *
 *   rconds    out: one number a member; 0: the member is singular, or the range has no inverse of it; NaN: it
 *             held NaN or Inf; 1: it is empty
 *
 * ERROR_STATE: there are no factors, or the options had no `condition`. The call takes n^2 elements of device memory
 * for each member, once.
 */
CLSOLVE_API clsolve_status clsolve_lu_batch_condition(clsolve_lu_batch *batch, double *rconds);

/*
 * Exports the factors as LAPACK's getrf leaves them.
 *
 *   F         out: `count` members of n x n, L \ U; NULL: not wanted
 *   ipiv      out: pivot k of member m in ipiv[m * n + k], counted from 1; NULL: not wanted
 *
 * A member that held NaN or Inf is as it was in both. ERROR_STATE: there are no factors.
 */
CLSOLVE_API clsolve_status clsolve_lu_batch_factors(clsolve_lu_batch *batch, clsolve_batch *F, int64_t *ipiv);

/* The calls that enqueue, for arrays on the device, and the call that returns their outcome (enqueue.h). */
CLSOLVE_API clsolve_status clsolve_lu_batch_factor_enqueue(clsolve_lu_batch *batch, const clsolve_batch *A,
                                                           int64_t *info, const clsolve_events *events);
CLSOLVE_API clsolve_status clsolve_lu_batch_solve_enqueue(clsolve_lu_batch *batch, clsolve_op op, clsolve_batch *B,
                                                          int64_t *info, const clsolve_events *events);
CLSOLVE_API clsolve_status clsolve_lu_batch_inverse_enqueue(clsolve_lu_batch *batch, clsolve_batch *X, int64_t *info,
                                                            const clsolve_events *events);
CLSOLVE_API clsolve_status clsolve_lu_batch_status(clsolve_lu_batch *batch);

/*
 * The infos of the last factorization, solve or inverse; waits for it if the call was enqueued. So `info` of the calls
 * that enqueue may be NULL, and then they do not wait (enqueue.h).
 *
 *   info      out: `count` numbers
 *
 * ERROR_STATE: there are no factors.
 */
CLSOLVE_API clsolve_status clsolve_lu_batch_infos(clsolve_lu_batch *batch, int64_t *info);

/* Writes into `report` how the last call went (report.h). method is "lu", and nrhs is the number of right-hand sides
 * of one member, n for an inverse and 0 after a factorization. */
CLSOLVE_API clsolve_status clsolve_lu_batch_report(const clsolve_lu_batch *batch, clsolve_report *report);

/* Releases the handle. `batch` may be NULL. */
CLSOLVE_API void clsolve_lu_batch_destroy(clsolve_lu_batch *batch);

CLSOLVE_END_DECLS

#endif
