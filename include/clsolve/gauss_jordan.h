/*
 * gauss_jordan.h: Gauss-Jordan elimination: A X = B in one sweep without triangular phases, the explicit inverse, and
 * many small inverses or systems at once.
 *
 * For a few right-hand sides dense LU (lu.h) does a third less work. Gauss-Jordan is for the explicit inverse, which it
 * makes in place with one large matrix product a step, for about as many right-hand sides as unknowns, and for
 * thousands of small matrices.
 *
 * Variants (docs/gauss-jordan.md has them with pictures):
 *   TWO_PASS    down to an upper triangle, then up, a launch a pivot: model 1 of Gauss-Jordan en GPU, COMTEL 2012
 *   ONE_PASS    rows above and below the pivot in one launch: its model 2
 *   OPERATIONS  multipliers, elimination, reciprocals and normalisation as kernels of their own: S. Tasior, Parallel
 *               Gauss-Jordan elimination through trace theory (2025), in its stable form
 *   BLOCKED     a panel of columns, then a matrix product on everything else: E. S. Quintana-Orti, G. Quintana-Orti, X.
 *               Sun, R. van de Geijn, A note on parallel matrix inversion, SIAM J. Sci. Comput. 22 (2001), section 4
 * All pivot partially: the pivot of column k is the largest of that column in the rows that have not been pivots.
 *
 * The residual of a solution is usually as small as LU's, but for very ill-conditioned matrices it may be larger: Gauss-
 * Jordan is forward stable, not backward (N. J. Higham, Accuracy and Stability of Numerical Algorithms, section 14.4).
 */
#ifndef CLSOLVE_GAUSS_JORDAN_H
#define CLSOLVE_GAUSS_JORDAN_H

#include <stdint.h>

#include <clsolve/batch.h>
#include <clsolve/context.h>
#include <clsolve/export.h>
#include <clsolve/matrix.h>
#include <clsolve/report.h>
#include <clsolve/status.h>

typedef struct clsolve_gauss_jordan clsolve_gauss_jordan;

typedef enum clsolve_gauss_jordan_variant {
    CLSOLVE_GAUSS_JORDAN_AUTO = 0, /* blocked beyond a few tiles or in the host's memory, else one-pass */
    CLSOLVE_GAUSS_JORDAN_TWO_PASS = 1,
    CLSOLVE_GAUSS_JORDAN_ONE_PASS = 2,
    CLSOLVE_GAUSS_JORDAN_OPERATIONS = 3,
    CLSOLVE_GAUSS_JORDAN_BLOCKED = 4
} clsolve_gauss_jordan_variant;

typedef struct clsolve_gauss_jordan_options {
    clsolve_gauss_jordan_variant variant;
    int32_t no_pivoting;       /* 1: pivot k is the element (k, k), whatever it is; for matrices known to allow it */
    int32_t block;             /* BLOCKED: columns in a panel; 0: chosen for the device and n */
    int64_t slab_bytes;        /* bound on one device buffer of the matrix; 0: the device's own */
    clsolve_progress progress; /* NULL: none */
    void *progress_user;
} clsolve_gauss_jordan_options;

/* The largest order of the members of a batch. */
enum { CLSOLVE_GAUSS_JORDAN_BATCH_LARGEST = 64 };

CLSOLVE_BEGIN_DECLS

/*
 * Takes the device memory for an n x n matrix of `type` and builds the kernels of the variant. n = 0 is fine.
 * Beside A, BLOCKED takes two panels of n x block, a third one from n = 2048 on where the next panel is factored beside the products
 * (NVIDIA's GPUs), or one where the device works in the host's memory; the other variants take n^2 more for each n columns of B, twice. A matrix that the device cannot hold is OUT_OF_DEVICE_MEMORY: dense LU
 * (lu.h) streams it through.
 * Errors: INVALID_ARGUMENT, UNSUPPORTED (double on a device without it), OUT_OF_MEMORY, OUT_OF_DEVICE_MEMORY,
 * BUILD, DEVICE. On failure *handle is NULL. `options` may be NULL.
 */
CLSOLVE_API clsolve_status clsolve_gauss_jordan_create(clsolve_context *context, int64_t n, clsolve_type type,
                                                       const clsolve_gauss_jordan_options *options,
                                                       clsolve_gauss_jordan **handle);

/*
 * B (n x nrhs, any nrhs) becomes X with op(A) X = B; A (n x n) is only read. Both of the handle's type, either layout,
 * any ld. May be called again with new values. On any status but OK, B is as it was: SINGULAR with the first column
 * whose pivot is exactly zero in the report's info, ERROR_NONFINITE for NaN or Inf in A or B, OVERFLOW when X would
 * hold them or when the elimination came to them before any zero pivot: then a scaled A may have a solution. One exception:
 * where the driver itself fails while X is copied back (ERROR_DEVICE), B may hold X in part.
 *
 * A matrix of numbers near the smallest is multiplied by a power of two on the device, so that reciprocals of its pivots
 * do not overflow. BLOCKED makes such reciprocals; a pivot below the least normal number in a larger matrix may be
 * OVERFLOW there and solved by the other variants.
 */
CLSOLVE_API clsolve_status clsolve_gauss_jordan_solve(clsolve_gauss_jordan *handle, clsolve_op op,
                                                      const clsolve_matrix *A, clsolve_matrix *B);

/*
 * X (n x n) becomes the inverse of A (n x n); X may be A's own memory in A's own layout. Statuses as for solve; on any
 * but OK, X is as it was, with the same exception. The report's rcond is 1 / (||A||_1 ||X||_1), the exact reciprocal
 * condition in the 1-norm up to rounding: below the type's epsilon no digit of X is sure; 1 for n = 0. After SINGULAR it
 * is 0, of solve too, unless options forbade pivoting; otherwise -1 after any other status, after a solve, and after a
 * batch.
 */
CLSOLVE_API clsolve_status clsolve_gauss_jordan_invert(clsolve_gauss_jordan *handle, const clsolve_matrix *A,
                                                       clsolve_matrix *X);

/*
 * Inverts all members of A (rows = cols = n of the handle, n <= CLSOLVE_GAUSS_JORDAN_BATCH_LARGEST) into those of X, which
 * may be the same memory in the same shape. Always pivots, whatever the variant. The kernel is built at the first call.
 *
 * info[0 .. count-1], counted from 1 within the member: 0 done; k > 0: pivot k was exactly zero; -1: the member held NaN
 * or Inf, whatever its pivots, or the elimination came to them before any zero pivot, or its inverse would hold them. The
 * status is OK when the batch ran, whatever its members gave: a member whose info is not 0 is left as it was in X and
 * spoils no other. The report's info is the number, from 1, of the first such member.
 * On any other status neither X nor info changes; but where the driver itself fails while members are copied back
 * (ERROR_DEVICE), X may hold some of them.
 */
CLSOLVE_API clsolve_status clsolve_gauss_jordan_invert_batch(clsolve_gauss_jordan *handle, const clsolve_batch *A,
                                                             const clsolve_batch *X, int64_t *info);

/*
 * The same for A_m X_m = B_m; the members of B (n x nrhs) become the solutions, and NaN or Inf in B_m is -1 too. Without
 * right-hand sides (nrhs = 0) or for n = 0 there is nothing to do: A is not looked at, each info is 0, of a singular member
 * too; so are solve's OK and info for a B without columns.
 */
CLSOLVE_API clsolve_status clsolve_gauss_jordan_solve_batch(clsolve_gauss_jordan *handle, const clsolve_batch *A,
                                                            const clsolve_batch *B, int64_t *info);

/*
 * What the last call did; `nrhs` is n for an inverse and the number of members for a batch; seconds.factor the elimination
 * (which includes the right-hand sides), seconds.solve is 0.
 */
CLSOLVE_API clsolve_status clsolve_gauss_jordan_report(const clsolve_gauss_jordan *handle, clsolve_report *report);

/* NULL is fine. */
CLSOLVE_API void clsolve_gauss_jordan_destroy(clsolve_gauss_jordan *handle);

CLSOLVE_END_DECLS

#endif
