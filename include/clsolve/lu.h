/*
 * lu.h: dense LU: P A = L U, then A X = B or A^T X = B, again and again. With partial pivoting, a tournament's, or without
 * any of a matrix made harmless by random butterflies.
 *
 * The matrix crosses to the device once, at factor; B crosses at each solve and X comes back. Nothing else but
 * O(n) bytes travels, or in hybrid mode the panels, each down and up once, and with
 * refinement O(n) for each step and right-hand side. The algorithm is the blocked right-looking LU of
 * LAPACK's getrf (Golub and Van Loan, Matrix Computations, 4th ed., algorithm 3.4.1 in its block form, section 3.2.11): a
 * panel, its row swaps applied at once, a triangular solve, and one matrix product for all the rest; where panels are
 * factored beside products, columns far from the panel come in Crout's order (LAPACK's variant SRC/VARIANTS/lu/CR). The panel is factored
 * by device kernels, or on the host by LAPACK while the device finishes the product before (see clsolve_panel).
 *
 * Storage after factor, as LAPACK's: L below the diagonal with an implied unit diagonal, U on and above it.
 *
 *        u00 u01 u02        row i of the pivots: row i was swapped with row ipiv[i] (counted from 1), in
 *        l10 u11 u12        order i = 0, 1, ...
 *        l20 l21 u22
 */
#ifndef CLSOLVE_LU_H
#define CLSOLVE_LU_H

#include <stdint.h>

#include <clsolve/context.h>
#include <clsolve/export.h>
#include <clsolve/matrix.h>
#include <clsolve/report.h>
#include <clsolve/status.h>

typedef struct clsolve_lu clsolve_lu;

/* Where the panel, the columns that are being pivoted, is factored. */
typedef enum clsolve_panel {
    CLSOLVE_PANEL_AUTO =
        0, /* hybrid where the device works in the host's memory and its pivoting allows, else native; of bands see
                                 band.h */
    CLSOLVE_PANEL_NATIVE = 1, /* on the device, by our kernels: A crosses the bus once, nothing else does */
    CLSOLVE_PANEL_HYBRID = 2  /* on the host by LAPACK: the panels cross down and up, under the trailing update */
} clsolve_panel;

/*
 * How a system of doubles is solved.
 *
 *   WORKING   factored and solved in the handle's type
 *   MIXED     factored in float, where most devices are faster, and refined with residuals in double to the accuracy of
 *             double: plainly, then by GMRES; where that does not get there, factored again in double, and then the best
 *             answer of those factors stands, as with WORKING. Refinement aims at half of the bound at which LAPACK's dsgesv
 *             stops. Where the answer stays above that half and above 4 epsilon, GMRES follows, then double
 *             (docs/accuracy.md). The answer is as good as with WORKING by its normwise
 *             backward error (report.h). That says little of rows much smaller than the largest: where they differ by
 *             more than 1e8 an element of x may have float's digits only, and one 1e38 times smaller than the largest be
 *             0, where WORKING has all of them. The report says what it took.
 *
 * On a device without double precision a handle of CLSOLVE_F64 is MIXED by itself, A in double stays on the host, and
 * there is nothing to fall back to: NOT_CONVERGED then. A zero pivot in float alone is mended and refined over; SINGULAR
 * is a row or a column of zeros.
 */
typedef enum clsolve_precision { CLSOLVE_PRECISION_WORKING = 0, CLSOLVE_PRECISION_MIXED = 1 } clsolve_precision;

/*
 * How it is kept from dividing by what is too small.
 *
 *   PARTIAL      the largest element of a column becomes its pivot
 *   TOURNAMENT   the pivots of a few columns at once: each group of rows chooses its best by partial pivoting, as many as there are
 *                columns, and the winners of the groups play on until one group is left (L. Grigori, J. Demmel, H. Xiang,
 *                CALU: a communication optimal LU factorization algorithm, SIAM J. Matrix Anal. Appl. 32 (2011)). A few
 *                launches for all these columns, and no search over all rows for each. Where no more rows are left than a
 *                group has, 128 at least, the pivots are exactly those of PARTIAL. Growth is like that of PARTIAL in
 *                practice; its bound is weaker, for w columns and h rounds 2^(w h) where PARTIAL's is 2^w, and elements of
 *                L may be larger than 1. The report has the growth; refinement and all else work as with PARTIAL, out of
 *                core too. Panels are native: INVALID_ARGUMENT with CLSOLVE_PANEL_HYBRID; UNSUPPORTED on a device
 *                whose work-groups have fewer than 64 work-items.
 *   RBT          no pivots: L U = W^T A V, where W and V are random butterfly transformations of depth 2 (Parker 1995;
 *                Baboulin, Dongarra, Herrmann and Tomov, ACM TOMS 39 (2013), sections 2 and 3; Lindquist, Luszczek and
 *                Dongarra 2020), from options.seed: each row becomes a combination of four rows, each column one of
 *                four columns, in one pass over the matrix. No search, no exchange of rows. Every solution is refined with A
 *                itself, which is kept, in the handle's type: plainly, then by GMRES.
 *
 * RBT makes trouble unlikely for a full matrix and impossible for none; a matrix that is mostly zeros (a permutation, a
 * band) will as a rule be none for it. So it falls back to partial pivoting of the kept matrix, in the memory of the
 * factors, and the report says why: at factor, when a pivot is nearly zero, the elements grew beyond use, or the condition
 * number that was asked for is beyond what refined solves reach; at solve, when refinement does not come to a backward error
 * of max(sqrt(n), 4) epsilon and to MIXED's bound, or X is so large that A must be close to singular. From then on until
 * the next factor the handle does as with PARTIAL and refine. So an answer is as good as with PARTIAL, by its backward
 * error. The reason why there is none may differ: a singular A is told by the solve as a rule (SINGULAR, the column as
 * partial pivoting has it) and by factor only where the option rcond is set or the zero shows; and a right-hand side that a singular A can meet may have
 * an answer where PARTIAL refuses.
 *
 * With RBT: transposed solves, any number of right-hand sides and layouts, equilibrate, rcond, determinant (of A itself)
 * and growth (of the factors, by A's largest element) work as with PARTIAL. With MIXED the float factors are made so, and fall
 * back to partial pivoting in float, then in double. A panel of CLSOLVE_PANEL_HYBRID is the fallback's; where the matrix
 * lies in the host's memory, the host factors without pivots too. UNSUPPORTED: the export of factors while they are RBT's,
 * matrices on the device, as with all that refines, and a matrix that must be factored out of core.
 */
typedef enum clsolve_pivoting {
    CLSOLVE_PIVOTING_PARTIAL = 0,
    CLSOLVE_PIVOTING_RBT = 1,
    CLSOLVE_PIVOTING_TOURNAMENT = 2
} clsolve_pivoting;

typedef struct clsolve_lu_options {
    clsolve_panel panel;
    int32_t block;             /* columns in a block; 0: chosen for the device and n */
    int64_t slab_bytes;        /* bound on one device buffer of the matrix; 0: the device's own */
    clsolve_progress progress; /* NULL: none */
    void *progress_user;
    clsolve_precision precision; /* MIXED: handles of CLSOLVE_F64 only */
    int32_t rcond;               /* 1: estimate the condition number in each factor, by at most eleven more solves */
    int32_t equilibrate; /* 1: scale rows and columns by powers of two where they differ much (LAPACK's geequb) */
    int32_t refine;      /* 1: iterative refinement of each solution in the handle's type; keeps a copy of A */
    /*
     * Bytes of device memory that the handle may take, its right-hand sides included; 0: what is
     * free, see clsolve_lu_create. A matrix that does not fit is factored out of core, see clsolve_lu_create.
     */
    int64_t memory_limit;
    clsolve_pivoting pivoting;
    uint64_t seed; /* of the butterflies of CLSOLVE_PIVOTING_RBT, any number: the same give the same solution */
} clsolve_lu_options;

CLSOLVE_BEGIN_DECLS

/*
 * Takes the device memory for an n x n matrix of `type` and builds the kernels. n = 0 is fine. Refinement takes a copy
 * of A beside the factors, on the device or, where it or memory_limit leaves no room or it has no double, on the host in
 * double, and takes matrices on the host only; falling back from MIXED takes the memory for double factors then and only
 * then, OUT_OF_DEVICE_MEMORY where there is none. Errors:
 * INVALID_ARGUMENT, UNSUPPORTED (see below, and clsolve_pivoting), OUT_OF_MEMORY, OUT_OF_DEVICE_MEMORY, BUILD, DEVICE. On
 * failure *lu is NULL. `options` may be NULL.
 *
 * Larger than what is free on the device, or than memory_limit (what is free is the driver's word at this moment through CUDA and on
 * AMD's OpenCL; other drivers do not tell, and it is all but what the context has taken): the factors then lie in the host's memory, n^2 elements taken here, and
 * slabs of columns as wide as the limit allows pass through the device (left-looking LU). Everything works as before
 * and gives the same pivots; what crosses the bus is about n^2 (1 + n / (3 slab)) elements up and n^2 down at factor,
 * and n^2 up for each solve of as many right-hand sides as a slab has columns. The report's host_bytes and
 * slab_columns say that it is so. OUT_OF_DEVICE_MEMORY when not even two panels of the smallest width fit. Work space
 * that the BLAS provider takes for itself is not counted. Under a limit that the matrix does fit, a solve whose
 * right-hand sides do not is refused with OUT_OF_DEVICE_MEMORY. On a device that works in the host's memory panels are
 * native then. All options work out of core: equilibration scales A in the memory of its factors before the slabs go up;
 * refinement and MIXED keep A on the host, n^2 doubles more; each step of refinement, for at most 16 right-hand sides at a
 * time, and each of rcond's at most eleven solves bring n^2 elements up. MIXED has nothing to fall back to there:
 * NOT_CONVERGED then. Matrices of the caller's on the device are UNSUPPORTED out of core, and so is CLSOLVE_PIVOTING_RBT:
 * create says so then.
 */
CLSOLVE_API clsolve_status clsolve_lu_create(clsolve_context *context, int64_t n, clsolve_type type,
                                             const clsolve_lu_options *options, clsolve_lu **lu);

/*
 * Factors A (n x n, the handle's type, either layout, any ld); A itself is only read. May be called again with
 * new values: nothing is allocated for it. Returns SINGULAR with the factorization finished as LAPACK's and the
 * column in the report's info; ERROR_NONFINITE when A holds NaN or Inf; OVERFLOW when the factors do: scale A then, or
 * set the option equilibrate. A matrix in core whose largest element is below the smallest normal number of the type over
 * its epsilon is scaled by itself, by one power of two; the first one takes 2 n elements for that.
 */
CLSOLVE_API clsolve_status clsolve_lu_factor(clsolve_lu *lu, const clsolve_matrix *A);

/*
 * B (n x nrhs) becomes X with op(A) X = B. On any status but OK, B is as it was: SINGULAR after a singular
 * factor, ERROR_STATE without a factor, ERROR_NONFINITE for NaN or Inf in B, OVERFLOW when X would hold them,
 * NOT_CONVERGED when mixed precision did not reach the accuracy of double and has nothing to fall back to, and
 * OUT_OF_DEVICE_MEMORY when it has no room for double factors either; an answer with a backward error of at most
 * max(n, 10) epsilon stands then. Refinement never refuses or spoils an answer: where its own
 * arithmetic leaves the range of the type, the unrefined one stands, with a backward_error of -1 where it is not known.
 */
CLSOLVE_API clsolve_status clsolve_lu_solve(clsolve_lu *lu, clsolve_op op, clsolve_matrix *B);

/*
 * The factors as LAPACK's getrf leaves them: L\U into LU (n x n, either layout) and the pivots, counted from 1, into
 * ipiv[0 .. n-1]. Either may be NULL. LU is of the type of the factors: the handle's, or float while the report says
 * "mixed". They are those of A as it was scaled, when the report says that rows or columns were or says "mixed";
 * those of A itself when all of A was scaled by one number (UNSUPPORTED for an LU on the device then). UNSUPPORTED while
 * the report says "rbt": those factors are not A's.
 */
CLSOLVE_API clsolve_status clsolve_lu_factors(clsolve_lu *lu, clsolve_matrix *LU, int64_t *ipiv);

/* What the last factor and the last solve did. */
CLSOLVE_API clsolve_status clsolve_lu_report(const clsolve_lu *lu, clsolve_report *report);

/* NULL is fine. */
CLSOLVE_API void clsolve_lu_destroy(clsolve_lu *lu);

/*
 * Waits for what was enqueued (clsolve/opencl.h, clsolve/cuda.h) and returns how it went, as the calls that wait return it:
 * what came of the factorization, or when that is OK, of the last of several solves. May be asked again; a call that was
 * refused since does not count. clsolve_lu_factor, clsolve_lu_solve and clsolve_lu_factors do the same first; the report
 * knows only of what has been waited for.
 */
CLSOLVE_API clsolve_status clsolve_lu_status(clsolve_lu *lu);

CLSOLVE_END_DECLS

#endif
