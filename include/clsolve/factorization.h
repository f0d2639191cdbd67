/*
 * factorization.h: choices that several families share: where panels are factored, in which precision, with which
 * pivots.
 */
#ifndef CLSOLVE_FACTORIZATION_H
#define CLSOLVE_FACTORIZATION_H

/*
 * The place where a handle works:
 *
 *   AUTO     On the context's device, or on the host by LAPACK where that is expected to be faster: for small matrices,
 *            for narrow bands, and while a thread of the library compiles the device's kernels: for a call that the
 *            host ends sooner than a compiler, or for several. It goes by a guess until clsolve_calibrate has measured
 *            this machine, or a second of work has come for which the guess did not decide.
 *   DEVICE   On the context's device.
 *   HOST     On the host, by LAPACK. The create call returns ERROR_UNSUPPORTED where the host does not do the same,
 *            and ERROR_OUT_OF_MEMORY where it has no room.
 *
 * The host does the same for matrices on the host, with partial pivots. It has no options about the device (panel,
 * block, memory_limit, slab_bytes) or about speed on it (MIXED, RBT). A context of the selector `host`
 * has no other place: there MIXED and RBT are done on the host. A context that was made of the
 * caller's own OpenCL or CUDA handles always works on its device. The report says where a handle works, and why.
 */
typedef enum clsolve_where { CLSOLVE_WHERE_AUTO = 0, CLSOLVE_WHERE_DEVICE = 1, CLSOLVE_WHERE_HOST = 2 } clsolve_where;

/* The place where a panel is factored. A panel is the part of a block column that is being pivoted. */
typedef enum clsolve_panel {
    /* LU: hybrid on a device that works in the host's memory; else native. Bands: band.h. */
    CLSOLVE_PANEL_AUTO = 0,
    /* By device kernels: no panel crosses to the host. */
    CLSOLVE_PANEL_NATIVE = 1,
    /* On the host by LAPACK, in place. Dense LU and Cholesky: on a device that works in the host's memory alone.
     * Bands: on other devices too, where panels cross down and up, overlapped with the product. */
    CLSOLVE_PANEL_HYBRID = 2
} clsolve_panel;

/* The symmetry of complex matrices in calls that take one triangle; for real matrices both are the same. */
typedef enum clsolve_symmetry {
    CLSOLVE_SYMMETRY_HERMITIAN = 0, /* A = A^H */
    CLSOLVE_SYMMETRY_TRANSPOSE = 1  /* A = A^T */
} clsolve_symmetry;

/*
 * The precision in which a system of doubles is factored and solved.
 *
 *   AUTO      MIXED for a dense matrix of doubles, if the device is much slower in double than in float; else WORKING.
 *   MIXED     The factors are in float, which most devices compute faster. Refinement with residuals in double then
 *             brings the solution to the accuracy of double.
 *   WORKING   The factors and the solution have the handle's type.
 *
 * AUTO asks for the ratio of the rates of float and double. NVIDIA's GPUs tell it. On other devices AUTO measures it
 * once, in a few milliseconds, and keeps it. AUTO takes MIXED if all of these hold:
 *
 *   - float is at least 12 times as fast as double (GPUs of 1/16, 1/32 and 1/64)
 *   - the matrix is dense, of doubles, and has at least 512 rows
 *   - the handle works on a GPU of the library's own context, not on the host or by the caller's OpenCL or CUDA handles
 *   - the device's free memory holds float factors, A and double factors together: about 22 n^2 bytes
 *   - memory_limit is 0, and pivoting is not RBT
 *
 * With AUTO the statuses are those of WORKING, and so are answers by their backward error. The handle factors in double
 * too (the report's `fallback`) where float factors only bound the condition number, and where the factors are
 * exported as doubles. Growth and determinant are those of the float factors; det_precision says so. Ask for WORKING
 * where those must have double's digits, or where rows differ by more than 1e8, as below.
 *
 * MIXED goes through these steps until the solution is accurate enough; docs/accuracy.md has the exact bounds:
 *
 *   1. factor in float
 *   2. refine plainly, to half of the bound at which LAPACK's dsgesv stops
 *   3. refine by GMRES, where the error stays above that half and above 4 epsilon
 *   4. factor in double; the best answer of the double factors stands, as with WORKING
 *
 * The report says which steps it took. By its normwise backward error (report.h), the answer is as good as with
 * WORKING. This error says little of rows much smaller than the largest row. If rows differ by more than 1e8:
 *
 *   - an element of x may have the digits of float only
 *   - an element of x that is 1e38 times smaller than the largest may be 0
 *
 * WORKING computes both to all their digits.
 *
 * On a device without double precision a handle of CLSOLVE_F64 or CLSOLVE_C64 is always MIXED, but that of LDL^T with
 * WORKING (ldl.h):
 *
 *   - A lies on the device in double, read by integer arithmetic; on the host if the device has no room or is the
 *     host, and where A is complex
 *   - there is no step 4: clsolve_lu_solve returns NOT_CONVERGED instead
 *   - a pivot that is zero in float alone is perturbed, and refinement corrects the solution
 *   - SINGULAR means that a row or a column of A is all zeros; any other singular A returns OK where an accurate
 *     solution exists. Option rcond of dense LU and bands tells: rcond is below 1e-16, and rcond_is_bound is 1
 */
typedef enum clsolve_precision {
    CLSOLVE_PRECISION_AUTO = 0,
    CLSOLVE_PRECISION_MIXED = 1,
    CLSOLVE_PRECISION_WORKING = 2
} clsolve_precision;

/*
 * A value of option rcond: the condition number is estimated only where A may be ill-conditioned.
 *
 * Solves with one random vector, or with two, bound ||A^-1||_1 from above: small-sample estimation (Kenney and Laub,
 * SIAM J. Sci. Comput. 15 (1994)). If by this bound rcond is at least 4.4e-16, the report's rcond stays -1, not known.
 * Else the handle estimates rcond, as with 1.
 *
 * A matrix whose rcond is less is overlooked with a probability of at most 2^-30. The vectors, and so the outcome, are
 * the same in each run. These are estimated as with 1:
 *
 *   - matrices of floats, for which the bound would have to be closer
 *   - float factors in a handle of doubles, and factors without pivots (MIXED, RBT)
 *   - sparse matrices
 */
enum { CLSOLVE_RCOND_IF_ILL = 2 };

/*
 * The way in which a factorization avoids division by small pivots.
 *
 *   AUTO         The family's own choice: PARTIAL, but for lines of a grid and for batches of tridiagonal systems.
 *                These exchange rows only if numbers grow above 1000 times the row while a line is eliminated.
 *   PARTIAL      The largest element of a column becomes its pivot.
 *   NONE         Pivot k is element (k, k), whatever its value: for matrices that are known to allow it.
 *   TOURNAMENT   Removed: every call returns ERROR_UNSUPPORTED. Use PARTIAL or RBT.
 *   RBT          Random butterfly transformations make pivots unnecessary for nearly every dense matrix.
 *
 * The families take:
 *
 *   dense LU                                       AUTO, PARTIAL, RBT
 *   Gauss-Jordan                                   AUTO, PARTIAL, NONE
 *   lines of a grid, batches of tridiagonal ones   AUTO, PARTIAL, NONE
 *
 * The create call of a family returns ERROR_UNSUPPORTED for the others. Bands always pivot partially.
 *
 * RBT (Parker 1995, Baboulin, Dongarra, Herrmann and Tomov, ACM TOMS 39 (2013), sections 2 and 3, and Lindquist,
 * Luszczek and Dongarra 2020). The factors are L U = W^T A V, without pivots. W and V are random butterfly
 * transformations of depth 2 from options.seed. One pass over the matrix replaces each row by a combination of four
 * rows, and each column by a combination of four columns. There is no search for pivots and no exchange of rows. The
 * handle keeps a copy of A in its type, and refines every solution with this copy: plainly, then by GMRES.
 *
 * RBT makes pivoting unnecessary for nearly every dense matrix, but guarantees it for none. It usually fails for a
 * matrix of mostly zeros, like a permutation or a band. RBT then falls back to partial pivoting of the copy of A, in
 * the memory of the factors:
 *
 *   at factor   a pivot is nearly zero
 *   at factor   the elements of the factors grew too much
 *   at factor   the condition number that option rcond asks for is too large for refined solves
 *   at solve    refinement does not reach a backward error of max(sqrt(n), 4) epsilon, and the bound of MIXED
 *   at solve    X is so large that A must be close to singular
 *
 * The report gives the reason. From then on until the next factorization the handle works as with PARTIAL and `refine`.
 * So an answer is, by its backward error, as good as with PARTIAL.
 *
 * The outcome for a singular A may differ from that of PARTIAL:
 *
 *   - Usually clsolve_lu_solve returns SINGULAR, with the column that partial pivoting finds.
 *   - clsolve_lu_factor returns SINGULAR only where option rcond is set or the zero pivot shows.
 *   - A right-hand side in the range of a singular A may be solved, where PARTIAL refuses.
 *
 * RBT together with other features:
 *
 *   as with PARTIAL     transposed solves, any number and layout of right-hand sides, equilibrate, rcond,
 *                       the determinant (of A itself), growth (of the factors, relative to A's largest element)
 *   MIXED               RBT makes the float factors; they fall back to partial pivoting in float, then in double
 *   hybrid panels       the fallback uses them; the host also factors without pivots a matrix in the host's memory
 *   ERROR_UNSUPPORTED   export of RBT's factors, matrices on the device (as with all refinement), and a matrix
 *                       that must be factored out of core
 */
typedef enum clsolve_pivoting {
    CLSOLVE_PIVOTING_AUTO = 0,
    CLSOLVE_PIVOTING_PARTIAL = 1,
    CLSOLVE_PIVOTING_NONE = 2,
    CLSOLVE_PIVOTING_TOURNAMENT = 3, /* removed: ERROR_UNSUPPORTED */
    CLSOLVE_PIVOTING_RBT = 4
} clsolve_pivoting;

#endif
