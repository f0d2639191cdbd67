/*
 * gauss_jordan_batch.h: Gauss-Jordan elimination of many small matrices at once: their inverses, or A_m X_m = B_m.
 *
 * Example, given clsolve_context *context, int64_t n, int64_t count, double *a, double *b, int64_t *info:
 *
 *     clsolve_gauss_jordan_batch *batch;
 *     clsolve_batch A = clsolve_batch_f64(count, n, n, a), B = clsolve_batch_f64(count, n, 1, b);
 *     clsolve_status status = clsolve_gauss_jordan_batch_create(context, n, count, CLSOLVE_F64, NULL, &batch);
 *     if (status == CLSOLVE_OK) status = clsolve_gauss_jordan_batch_solve(batch, CLSOLVE_NO_TRANS, &A, &B, info);
 *     for (int64_t m = 0; status == CLSOLVE_OK && m < count; m++)
 *         if (info[m] != 0) printf("member %lld has no solution\n", (long long)m);
 *     clsolve_gauss_jordan_batch_destroy(batch);
 *
 * Members have one order n, at most CLSOLVE_GAUSS_JORDAN_BATCH_LARGEST. For larger matrices use gauss_jordan.h or lu.h
 * for each; for many band matrices use band_batch.h.
 *
 * Several devices. The members are dealt out over the devices of the context (context.h). If a device fails, the
 * members of the other devices hold their results, and info is as it was.
 *
 * On the device. Members in the caller's own buffers (opencl.h, cuda.h) are read and written where they lie, if they
 * lie by stride. The library copies these:
 *
 *     members by offsets
 *     A, if the results lie in the same memory, but not each inverse in the place of its matrix
 *     B of more than 16 right-hand sides
 *     members that begin at no multiple of their element's size, or whose cl_mem keeps kernels from the access
 *
 * Algorithm. A work-group eliminates a member with partial pivoting, in the memory next to its processors. An inverse
 * goes by Gauss-Jordan elimination, a system by Gaussian elimination and back substitution, as stable as LU. On
 * a CPU through PoCL a work-item has a member. A solve with more than 16 right-hand sides eliminates anew for each 16.
 */
#ifndef CLSOLVE_GAUSS_JORDAN_BATCH_H
#define CLSOLVE_GAUSS_JORDAN_BATCH_H

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
enum { CLSOLVE_GAUSS_JORDAN_BATCH_LARGEST = 64 };

typedef struct clsolve_gauss_jordan_batch clsolve_gauss_jordan_batch;

/* All zeros are the defaults. */
typedef struct clsolve_gauss_jordan_batch_options {
    clsolve_where where; /* on the device or on the host (factorization.h) */
    int64_t reserved[7]; /* zeros */
} clsolve_gauss_jordan_batch_options;

CLSOLVE_BEGIN_DECLS

/*
 * Creates a handle for `count` matrices of n x n, and takes n^2 elements of device memory for each. On a context of
 * clsolve_context_create_opencl or clsolve_context_create_cuda the first call that makes copies takes that memory. The
 * first call of each kind builds its kernel.
 *
 *   n         order of the members, from 0 to CLSOLVE_GAUSS_JORDAN_BATCH_LARGEST
 *   count     number of members, at least 0
 *   type      of all members: any clsolve_type, the complex ones too
 *   options   NULL: the defaults
 *   batch     out: the handle; NULL on failure
 *
 *   status                       when
 *   ERROR_INVALID_ARGUMENT       an argument or an option is out of range
 *   ERROR_UNSUPPORTED            n is above CLSOLVE_GAUSS_JORDAN_BATCH_LARGEST
 *   ERROR_UNSUPPORTED            the type is CLSOLVE_F64 or CLSOLVE_C64, and the device has no double precision
 *   ERROR_OUT_OF_MEMORY          the host has no room
 *   ERROR_OUT_OF_DEVICE_MEMORY   the device has no room
 *   ERROR_OUT_OF_DEVICE_MEMORY   all members together exceed one allocation of the device: give fewer at a time
 *   ERROR_DEVICE                 the driver failed
 */
CLSOLVE_API clsolve_status clsolve_gauss_jordan_batch_create(clsolve_context *context, int64_t n, int64_t count,
                                                             clsolve_type type,
                                                             const clsolve_gauss_jordan_batch_options *options,
                                                             clsolve_gauss_jordan_batch **batch);

/*
 * Inverts all members of A.
 *
 *   A         in: `count` members of n x n, the handle's type
 *   X         out: `count` members of n x n, the inverses; may be A's own memory in the same shape
 *   info      out: one number for each member:
 *
 *                0   the inverse is in X
 *              k>0   pivot k, counted from 1 within the member, was exactly zero
 *               -1   the member held NaN or Inf, whatever its pivots
 *               -1   the elimination met NaN or Inf before any zero pivot, or the inverse would hold them
 *
 * The status is OK when the batch ran, whatever the members' infos. A member whose info is not 0 stays in X as it was,
 * and does not affect the others.
 *
 *   status                       when
 *   ERROR_INVALID_ARGUMENT       an argument is not valid, or a view reaches beyond the caller's buffer
 *   ERROR_OUT_OF_MEMORY          the host has no room
 *   ERROR_OUT_OF_DEVICE_MEMORY   the device has no room
 *   ERROR_BUILD                  the kernel did not build
 *   ERROR_DEVICE                 the driver failed
 *
 * On any status but OK neither X nor info changes. There is one exception: if the driver fails while the inverses are
 * written (ERROR_DEVICE), X may hold some of them. In a large batch on the host whose X lies apart from A, the
 * first inverses are copied back while the last members of A come.
 */
CLSOLVE_API clsolve_status clsolve_gauss_jordan_batch_invert(clsolve_gauss_jordan_batch *batch, const clsolve_batch *A,
                                                             clsolve_batch *X, int64_t *info);

/*
 * Solves op(A_m) X_m = B_m for all members, as clsolve_gauss_jordan_batch_invert inverts them.
 *
 *   op        CLSOLVE_NO_TRANS: A_m X_m = B_m; CLSOLVE_TRANS: A_m^T X_m = B_m; CLSOLVE_CONJ_TRANS: A_m^H X_m = B_m
 *   A         in: `count` members of n x n
 *   B         in: `count` members of n x nrhs; out: the solutions. A member whose info is not 0 is as it was.
 *   info      out: as for the inverse; -1 also where B_m held NaN or Inf
 *
 * The statuses are those of the inverse. The call takes device memory for copies of B if it makes any, and if
 * there are more right-hand sides than in all calls before.
 *
 * Without right-hand sides (nrhs = 0) or for n = 0 there is nothing to solve. A is not read, and each info is 0, also
 * for a singular member.
 */
CLSOLVE_API clsolve_status clsolve_gauss_jordan_batch_solve(clsolve_gauss_jordan_batch *batch, clsolve_op op,
                                                            const clsolve_batch *A, clsolve_batch *B, int64_t *info);

/* The calls that enqueue, for arrays on the device, and the call that returns their outcome (enqueue.h). */
CLSOLVE_API clsolve_status clsolve_gauss_jordan_batch_invert_enqueue(clsolve_gauss_jordan_batch *batch,
                                                                     const clsolve_batch *A, clsolve_batch *X,
                                                                     int64_t *info, const clsolve_events *events);
CLSOLVE_API clsolve_status clsolve_gauss_jordan_batch_solve_enqueue(clsolve_gauss_jordan_batch *batch, clsolve_op op,
                                                                    const clsolve_batch *A, clsolve_batch *B,
                                                                    int64_t *info, const clsolve_events *events);
CLSOLVE_API clsolve_status clsolve_gauss_jordan_batch_status(clsolve_gauss_jordan_batch *batch);

/*
 * Writes into `report` how the last call went (report.h). method is "gauss-jordan", and nrhs is the number of
 * right-hand sides of one member, n for an inverse. seconds.factor covers the elimination, right-hand sides included;
 * seconds.solve is 0.
 */
CLSOLVE_API clsolve_status clsolve_gauss_jordan_batch_report(const clsolve_gauss_jordan_batch *batch,
                                                             clsolve_report *report);

/* Releases the handle. `batch` may be NULL. */
CLSOLVE_API void clsolve_gauss_jordan_batch_destroy(clsolve_gauss_jordan_batch *batch);

CLSOLVE_END_DECLS

#endif
