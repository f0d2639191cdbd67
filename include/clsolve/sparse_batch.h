/*
 * sparse_batch.h: LU factorizations of many sparse matrices of one pattern at once, to solve A_m X_m = B_m any number
 * of times. The members differ in their values alone: a circuit over parameters, the power flow of a network over
 * scenarios, the steps of many reactors.
 *
 * Example, given clsolve_context *context, int64_t n, int64_t count, const int32_t *row_start, const int32_t *column,
 *                double *values, double *b, int64_t *info:
 *
 *     const int64_t entries = row_start[n];                                  // of each member, one behind the other
 *     clsolve_csr A = clsolve_csr_f64(n, row_start, column, values);         // member 0 is the typical member
 *     clsolve_batch V = clsolve_batch_f64(count, entries, 1, values), B = clsolve_batch_f64(count, n, 1, b);
 *     clsolve_sparse_batch *batch;
 *     clsolve_status status = clsolve_sparse_batch_create_csr(context, &A, count, NULL, &batch);
 *     if (status == CLSOLVE_OK) status = clsolve_sparse_batch_factor(batch, &V, info);
 *     if (status == CLSOLVE_OK) status = clsolve_sparse_batch_solve(batch, CLSOLVE_NO_TRANS, &B, info);
 *     for (int64_t m = 0; status == CLSOLVE_OK && m < count; m++)
 *         if (info[m] != 0) printf("member %lld has no solution\n", (long long)m);
 *     clsolve_sparse_batch_destroy(batch);
 *
 * Algorithm. KLU of SuiteSparse (T. A. Davis, E. Palamadai Natarajan, ACM TOMS 37, 2010) analyses the pattern and
 * factors the typical member, whose values create is given. Its pivots become those of all members (static pivoting: X.
 * S. Li, J. W. Demmel, ACM TOMS 29, 2003). The factors are computed entry by entry, each by a sum of products (J. R.
 * Gilbert, T. Peierls, SIAM J. Sci. Stat. Comput. 9, 1988), from lists that create makes. Neighbouring work-items
 * compute the same entry of neighbouring members; the entries of a level, which do not need each other, are computed at
 * the same time. On the host vector instructions do the same for eight members at once.
 *
 * Accuracy. Each solution has a backward error ||b - op(A) x|| / (||op(A)|| ||x|| + ||b||) in infinity norms of at most
 * max(sqrt(n), 10) epsilon of the type. It is computed for each member, and iterative refinement is used where it is
 * needed. A member that static pivots do not suffice for is factored and solved anew on the host by the solver of
 * sparse.h, in double, with pivots of its own. The analysis counts these members (`again`): many of them mean that the
 * typical member is none. No member affects another.
 *
 * Memory. The handle holds the values of all members and their factors. If the device or memory_limit has no room for
 * them, portions of the members take turns there. The values stay on the host then, and each solve factors the portions
 * again.
 *
 * Several devices. The members are dealt out over the devices of the context (context.h). If a device fails, the
 * members of the other devices hold their results, and info is as it was.
 */
#ifndef CLSOLVE_SPARSE_BATCH_H
#define CLSOLVE_SPARSE_BATCH_H

#include <stdint.h>

#include <clsolve/batch.h>
#include <clsolve/context.h>
#include <clsolve/csr.h>
#include <clsolve/enqueue.h>
#include <clsolve/export.h>
#include <clsolve/factorization.h>
#include <clsolve/matrix.h>
#include <clsolve/report.h>
#include <clsolve/status.h>

typedef struct clsolve_sparse_batch clsolve_sparse_batch;

/* All zeros are the defaults. */
typedef struct clsolve_sparse_batch_options {
    clsolve_where where;  /* on the device or on the host (factorization.h) */
    int64_t memory_limit; /* most bytes of the device's memory for the handle; 0: what is free */
    int64_t reserved[6];  /* zeros */
} clsolve_sparse_batch_options;

/* The findings of the analysis, of one member. */
typedef struct clsolve_sparse_batch_analysis {
    int64_t n, entries;      /* entries of A, after entries at one place were added */
    int64_t structural_rank; /* rows that can be paired with columns; less than n: all members are singular */
    int64_t factor_entries;  /* of L and U, the diagonal once */
    int64_t products;        /* multiplications with a subtraction of the factorization */
    int64_t levels;          /* of the factorization: steps that follow each other */
    int64_t portion;         /* members that are on the device at once; over several devices of the first */
    int64_t again;           /* members of the last call that were done anew on the host */
    double seconds;          /* of the analysis */
    int64_t reserved[6];
} clsolve_sparse_batch_analysis;

CLSOLVE_BEGIN_DECLS

/*
 * Creates a handle for `count` members: copies the pattern of A and analyses it.
 *
 *   A         in: n x n on the host, any type, either index: the pattern, and the values of a typical member
 *   count     number of members, at least 0
 *   options   NULL: the defaults
 *   batch     out: the handle; NULL on failure
 *
 *   status                       when
 *   ERROR_INVALID_ARGUMENT       the pattern is wrong (the message names row and column), A has no values, or an
 *                                argument or option is out of range
 *   ERROR_NONFINITE              a value is NaN or Inf
 *   ERROR_UNSUPPORTED            a member is too large for lists: more than 2^27 products or 2^28 entries. Use
 *                                clsolve_sparse for each
 *   ERROR_UNSUPPORTED            the type is CLSOLVE_F64 or CLSOLVE_C64, and the device has no double precision
 *   ERROR_OUT_OF_MEMORY          the host has no room
 *   ERROR_OUT_OF_DEVICE_MEMORY   the device or memory_limit has no room for eight members
 *   ERROR_DEVICE, ERROR_BUILD    a call of the driver failed
 */
CLSOLVE_API clsolve_status clsolve_sparse_batch_create_csr(clsolve_context *context, const clsolve_csr *A,
                                                           int64_t count, const clsolve_sparse_batch_options *options,
                                                           clsolve_sparse_batch **batch);

/*
 * Factors all members. The call may be repeated with new values.
 *
 *   values    in: `count` members of entries x 1, create's type, on the host or on the device: the values of each
 *             member in the order of create's A. Columns by stride or offsets; rows with ld apart for a layout in which
 *             members are neighbours (row-major, ld = count, stride = 1)
 *   info      out: one number for each member:
 *
 *                0   the member is factored
 *              k>0   the member is singular: no pivot is left for column k, counted from 1. All members have
 *                    k = structural_rank + 1 where that is below n
 *               -1   the values hold NaN or Inf, or the factors would
 *
 * The status is OK when the batch ran, whatever the members' infos; no member affects another. The report's
 * member is the first member whose info is not 0, counted from 1, and its info is that member's. On any other status
 * info is as it was, and there are no factors.
 */
CLSOLVE_API clsolve_status clsolve_sparse_batch_factor(clsolve_sparse_batch *batch, const clsolve_batch *values,
                                                       int64_t *info);

/*
 * Solves op(A_m) X_m = B_m for all members.
 *
 *   op        NO_TRANS, TRANS or CONJ_TRANS
 *   B         in: `count` members of n x nrhs, on the host or on the device; out: the solutions. A member whose info is
 *             not 0 is as it was.
 *   info      out: as from the factorization; -1 also where B_m held NaN or Inf, or X_m would; -2 where the backward
 *             error stays above max(sqrt(n), 10) epsilon on the host too, or a column of X_m has nothing but numbers
 *             too small for the type
 *
 * On any status but OK, B and info are as they were, unless the driver or memory fails while solutions are copied back.
 * ERROR_STATE: there are no factors. The call takes device memory for right-hand sides.
 */
CLSOLVE_API clsolve_status clsolve_sparse_batch_solve(clsolve_sparse_batch *batch, clsolve_op op, clsolve_batch *B,
                                                      int64_t *info);

/*
 * The determinant of each member, from the factors. A real type has one number a member in det and sign. A complex
 * type has two: the real part and the imaginary part.
 *
 *   det       out: det A_m, which may leave the range of double; NULL: not wanted
 *   sign      out: det A_m / |det A_m|, 0 where it is 0; NULL: not wanted
 *   log_abs   out: the natural logarithm of |det A_m|, one number a member, -Inf where it is 0; NULL: not wanted
 *
 * A member whose pivots are far larger than its values is factored anew on the host, with pivots of its own, because
 * static pivots leave its determinant few digits. A member that held NaN or Inf has NaN in all of them. ERROR_STATE:
 * there are no factors.
 */
CLSOLVE_API clsolve_status clsolve_sparse_batch_determinant(clsolve_sparse_batch *batch, double *det, double *sign,
                                                            double *log_abs);

/*
 * The reciprocal condition number of each member in the 1-norm: 1 / (|A_m|_1 e_m), where e_m is an estimate of
 * |A_m^-1|_1 by solves with the factors (N. J. Higham, ACM TOMS 14, 1988, algorithm 4.1; LAPACK's dlacn2). The
 * estimate is never more than the norm, and rarely less than a third of it.
 *
 *   rconds    out: one number a member; 0: the member is singular, or the range has no inverse of it; NaN: it
 *             held NaN or Inf; 1: it is empty
 *
 * At most eleven solves with one right-hand side, of all members. ERROR_STATE: there are no factors.
 */
CLSOLVE_API clsolve_status clsolve_sparse_batch_condition(clsolve_sparse_batch *batch, double *rconds);

/* Writes what the analysis found. */
CLSOLVE_API clsolve_status clsolve_sparse_batch_get_analysis(const clsolve_sparse_batch *batch,
                                                             clsolve_sparse_batch_analysis *analysis);

/* The calls that enqueue, for arrays on the device, and the call that returns their outcome (enqueue.h). */
CLSOLVE_API clsolve_status clsolve_sparse_batch_factor_enqueue(clsolve_sparse_batch *batch, const clsolve_batch *values,
                                                               int64_t *info, const clsolve_events *events);
CLSOLVE_API clsolve_status clsolve_sparse_batch_solve_enqueue(clsolve_sparse_batch *batch, clsolve_op op,
                                                              clsolve_batch *B, int64_t *info,
                                                              const clsolve_events *events);
CLSOLVE_API clsolve_status clsolve_sparse_batch_status(clsolve_sparse_batch *batch);

/*
 * Writes into `report` how the last call went (report.h). method is "sparse-lu", and nrhs is the number of right-hand
 * sides of one member, 0 after a factorization. refinement.backward_error is the largest of the members that were not
 * done anew, and iterations the most steps of refinement of these.
 */
CLSOLVE_API clsolve_status clsolve_sparse_batch_report(const clsolve_sparse_batch *batch, clsolve_report *report);

/* Releases the handle. `batch` may be NULL. */
CLSOLVE_API void clsolve_sparse_batch_destroy(clsolve_sparse_batch *batch);

CLSOLVE_END_DECLS

#endif
