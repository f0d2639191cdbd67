/*
 * gauss_jordan.h: Gauss-Jordan elimination for the explicit inverse, for A X = B with many right-hand sides, and for
 * batches of small matrices.
 *
 * Example, given clsolve_context *context, int64_t n, double *a:
 *
 *     clsolve_gauss_jordan *handle;
 *     clsolve_report report = {0};
 *     clsolve_matrix A = clsolve_matrix_f64(n, n, a); // by columns, ld = n
 *     clsolve_status status = clsolve_gauss_jordan_create(context, n, CLSOLVE_F64, NULL, &handle);
 *     if (status == CLSOLVE_OK) status = clsolve_gauss_jordan_invert(handle, &A, &A); // a holds the inverse now
 *     if (status == CLSOLVE_OK) status = clsolve_gauss_jordan_report(handle, &report);
 *     if (status == CLSOLVE_OK) printf("condition number %g\n", 1 / report.direct.rcond);
 *     clsolve_gauss_jordan_destroy(handle);
 *
 * Gauss-Jordan eliminates above and below each pivot in one sweep, without triangular phases. It suits:
 *
 *   - the explicit inverse, made in place with one large matrix product a step
 *   - about as many right-hand sides as unknowns
 *   - thousands of small matrices
 *
 * For a few right-hand sides dense LU (lu.h) does a third less work.
 *
 * Variants (docs/gauss-jordan.md has pictures of them):
 *
 *   TWO_PASS     down to an upper triangle, then up, a launch a pivot
 *   ONE_PASS     rows above and below the pivot in one launch
 *   OPERATIONS   multipliers, elimination, reciprocals and normalisation as separate kernels, in the stable form
 *   BLOCKED      a panel of columns, then one matrix product on all the rest
 *
 * Sources of the variants:
 *
 *   TWO_PASS     Gauss-Jordan en GPU, COMTEL 2012, model 1
 *   ONE_PASS     the same paper, model 2
 *   OPERATIONS   S. Tasior, Parallel Gauss-Jordan elimination through trace theory (2025)
 *   BLOCKED      E. S. Quintana-Orti, G. Quintana-Orti, X. Sun, R. van de Geijn, A note on parallel matrix inversion,
 *                SIAM J. Sci. Comput. 22 (2001), section 4
 *
 * All variants pivot partially: the pivot of column k is its largest element in the rows that have not been pivots.
 *
 * Accuracy. The residual of a solution is usually as small as LU's. It may be larger for a very ill-conditioned matrix,
 * because Gauss-Jordan is forward stable, not backward stable. See N. J. Higham, Accuracy and Stability of
 * Numerical Algorithms, section 14.4.
 */
#ifndef CLSOLVE_GAUSS_JORDAN_H
#define CLSOLVE_GAUSS_JORDAN_H

#include <stdint.h>

#include <clsolve/batch.h>
#include <clsolve/context.h>
#include <clsolve/export.h>
#include <clsolve/factorization.h>
#include <clsolve/matrix.h>
#include <clsolve/report.h>
#include <clsolve/status.h>

typedef struct clsolve_gauss_jordan clsolve_gauss_jordan;

typedef enum clsolve_gauss_jordan_variant {
    CLSOLVE_GAUSS_JORDAN_AUTO = 0, /* BLOCKED for n > 96 or in the host's memory, else ONE_PASS */
    CLSOLVE_GAUSS_JORDAN_TWO_PASS = 1,
    CLSOLVE_GAUSS_JORDAN_ONE_PASS = 2,
    CLSOLVE_GAUSS_JORDAN_OPERATIONS = 3,
    CLSOLVE_GAUSS_JORDAN_BLOCKED = 4
} clsolve_gauss_jordan_variant;

/* All zeros are the defaults. */
typedef struct clsolve_gauss_jordan_options {
    clsolve_gauss_jordan_variant variant;
    clsolve_pivoting pivoting; /* PARTIAL or NONE (factorization.h); AUTO means PARTIAL */
    int32_t block;             /* BLOCKED: columns in a panel; 0: chosen for the device and n */
    int64_t slab_bytes;        /* bound on one device buffer of the matrix, in bytes; 0: the device's own */
    clsolve_progress progress; /* called during the elimination (report.h); NULL: none */
    void *progress_user;       /* first argument of `progress` */
    int64_t reserved[8];       /* zeros */
} clsolve_gauss_jordan_options;

/* The largest order n of the members of a batch. */
enum { CLSOLVE_GAUSS_JORDAN_BATCH_LARGEST = 64 };

CLSOLVE_BEGIN_DECLS

/*
 * Creates a handle for n x n matrices: takes the device memory and builds the kernels of the variant.
 *
 *   n         order of A, at least 0
 *   type      of A, B and X
 *   options   NULL: the defaults
 *   handle    out: the handle; NULL on failure
 *
 *   status                       when
 *   ERROR_INVALID_ARGUMENT       an argument or an option is out of range
 *   ERROR_UNSUPPORTED            the type is CLSOLVE_F64, and the device has no double precision
 *   ERROR_UNSUPPORTED            the kernels fail their self-test on the device (context.h)
 *   ERROR_OUT_OF_MEMORY          the host has no room
 *   ERROR_OUT_OF_DEVICE_MEMORY   the device cannot hold the matrix; dense LU (lu.h) streams it through the device
 *   ERROR_BUILD                  a kernel did not build
 *   ERROR_DEVICE                 the driver failed
 *
 * Device memory in elements, besides the n^2 of A:
 *
 *   BLOCKED                                                          2 n block
 *   BLOCKED, n >= 2048, with panels overlapped (NVIDIA's GPUs)       3 n block
 *   BLOCKED on a device that works in the host's memory              n block
 *   other variants                                                   2 n nrhs for B and X, or 2 n^2 for an inverse
 */
CLSOLVE_API clsolve_status clsolve_gauss_jordan_create(clsolve_context *context, int64_t n, clsolve_type type,
                                                       const clsolve_gauss_jordan_options *options,
                                                       clsolve_gauss_jordan **handle);

/*
 * Solves op(A) X = B. The call may be repeated with new values.
 *
 *   op        CLSOLVE_NO_TRANS: A X = B; CLSOLVE_TRANS: A^T X = B
 *   A         in: n x n, the handle's type, either layout, any ld
 *   B         in: n x nrhs, any nrhs, the handle's type, either layout, any ld; out: X, or B as it was on any status
 *             but OK
 *
 *   status                       when
 *   SINGULAR                     a pivot is exactly zero; the report's info has the first one's column
 *   OVERFLOW                     X would hold NaN or Inf
 *   OVERFLOW                     the elimination met NaN or Inf before any zero pivot; a scaled A may have a solution
 *   ERROR_NONFINITE              A or B holds NaN or Inf
 *   ERROR_DEVICE                 the driver failed; B may hold X in part if the driver failed while X was copied back
 *
 * Tiny matrices. A matrix of numbers near the smallest is multiplied by a power of two on the device. So the
 * reciprocals of its pivots do not overflow. BLOCKED computes these reciprocals. A pivot below the smallest normal
 * number in a matrix of larger elements may be OVERFLOW with BLOCKED, where the other variants solve the system.
 */
CLSOLVE_API clsolve_status clsolve_gauss_jordan_solve(clsolve_gauss_jordan *handle, clsolve_op op,
                                                      const clsolve_matrix *A, clsolve_matrix *B);

/*
 * Computes the inverse of A.
 *
 *   A         in: n x n, the handle's type, either layout, any ld
 *   X         out: n x n, the inverse, or X as it was on any status but OK; may be A's own memory in A's layout
 *
 * The call returns the same statuses as clsolve_gauss_jordan_solve. The report's rcond is then:
 *
 *   OK           1 / (||A||_1 ||X||_1), up to rounding the exact reciprocal condition number in the 1-norm; 1 for n = 0
 *   SINGULAR     0 (also after clsolve_gauss_jordan_solve), or -1 with pivoting NONE
 *   otherwise    -1; also after a solve and after a batch
 *
 * If rcond is below the type's epsilon, no digit of X is sure.
 */
CLSOLVE_API clsolve_status clsolve_gauss_jordan_invert(clsolve_gauss_jordan *handle, const clsolve_matrix *A,
                                                       clsolve_matrix *X);

/*
 * Inverts all members of A. It always pivots, whatever the variant. The first call builds the kernel.
 *
 *   A         in: members of n x n for the handle's n, at most CLSOLVE_GAUSS_JORDAN_BATCH_LARGEST; the handle's type
 *   X         out: as many members of n x n, the inverses; may be A's own memory in the same shape
 *   info      out: one number for each member:
 *
 *                0   the inverse is in X
 *              k>0   pivot k, counted from 1 within the member, was exactly zero
 *               -1   the member held NaN or Inf, whatever its pivots
 *               -1   the elimination met NaN or Inf before any zero pivot, or the inverse would hold them
 *
 * The status is OK when the batch ran, whatever the members' infos. A member whose info is not 0 stays in X as it was,
 * and does not affect the others. The report's info is the number, counted from 1, of the first of them; 0: there is
 * none.
 *
 * On any other status neither X nor info changes. There is one exception: if the driver fails while the inverses are
 * copied back (ERROR_DEVICE), X may hold some of them. ERROR_UNSUPPORTED: n is too large for a batch.
 */
CLSOLVE_API clsolve_status clsolve_gauss_jordan_invert_batch(clsolve_gauss_jordan *handle, const clsolve_batch *A,
                                                             const clsolve_batch *X, int64_t *info);

/*
 * Solves A_m X_m = B_m for all members, as clsolve_gauss_jordan_invert_batch inverts them.
 *
 *   A         in: members of n x n
 *   B         in: as many members of n x nrhs; out: the solutions
 *   info      out: as for the inverse; -1 also where B_m held NaN or Inf
 *
 * Without right-hand sides (nrhs = 0) or for n = 0 there is nothing to solve. A is not read, and each info is 0, also
 * for a singular member. In the same case clsolve_gauss_jordan_solve returns OK with info 0.
 */
CLSOLVE_API clsolve_status clsolve_gauss_jordan_solve_batch(clsolve_gauss_jordan *handle, const clsolve_batch *A,
                                                            const clsolve_batch *B, int64_t *info);

/*
 * Writes into `report` how the last call went (report.h). nrhs is n for an inverse, and the number of members for a
 * batch. seconds.factor covers the elimination, right-hand sides included; seconds.solve is 0.
 */
CLSOLVE_API clsolve_status clsolve_gauss_jordan_report(const clsolve_gauss_jordan *handle, clsolve_report *report);

/* Releases the handle. `handle` may be NULL. */
CLSOLVE_API void clsolve_gauss_jordan_destroy(clsolve_gauss_jordan *handle);

CLSOLVE_END_DECLS

#endif
