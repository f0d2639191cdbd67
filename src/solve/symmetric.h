/* symmetric.h (private): whether a matrix is one for Cholesky: symmetric, or of complex elements
 * hermitian, and its diagonal positive. */
#ifndef CLS_SOLVE_SYMMETRIC_H
#define CLS_SOLVE_SYMMETRIC_H

#include <clsolve/cholesky.h>
#include <clsolve/solve.h>

/* AUTO asks from so many rows on: for fewer the ways of dense LU for few rows are as quick. On a GPU a launch and a
 * word that comes back are a small part of LU's time then. With a GPU a matrix on the host that has fewer rows than
 * that goes to Cholesky where it is expected to be faster than LU, mostly on the host. */
enum { CLS_CHOLESKY_LEAST = 128, CLS_CHOLESKY_LEAST_ON_GPU = 512 };

/* Whether the options leave AUTO free to try Cholesky: all that are about pivots, and panels that only LU has, say
 * no. */
int cls_lets_cholesky(const clsolve_solver_options *options, int64_t n);

/* The symmetry of a dense matrix whose diagonal is positive. */
typedef enum cls_symmetry {
    CLS_SYMMETRY_NONE = 0,   /* it is not symmetric, or AUTO does not ask: LU */
    CLS_SYMMETRY_BEGINS = 1, /* its first piece is symmetric; the others are searched while Cholesky factors */
    CLS_SYMMETRY_WHOLE = 2   /* it is symmetric */
} cls_symmetry;

/*
 * AUTO tries Cholesky on this matrix unless NONE:
 *
 *      A                  device                      it is searched
 *      on the host        in the host's memory        by the host, at once: WHOLE
 *      on the host        a GPU                       by the host: its first piece at once, so BEGINS
 *      on the device      a GPU                       there, by a kernel: WHOLE
 *      on the device      in the host's memory        not at all
 */
cls_symmetry cls_dense_suits_cholesky(clsolve_context *context, const clsolve_solver_options *options,
                                      const clsolve_matrix *A);

/* Why it does, for the report. */
const char *cls_cholesky_reason(clsolve_type type);

/* OK where Cholesky was asked for by name and A is symmetric, or lies on the device, where its lower triangle is
 * taken. */
clsolve_status cls_dense_check_symmetric(clsolve_context *context, const char *call, const clsolve_matrix *A);

/* Factors A, of which `symmetry` is known, under AUTO. *gives_up: another method follows; with BEGINS also because A
 * is not symmetric, which is ERROR_INVALID_ARGUMENT. When the call returns, A is not read any more. */
clsolve_status cls_cholesky_try(clsolve_context *context, clsolve_cholesky *cholesky, const clsolve_matrix *A,
                                cls_symmetry symmetry, int *gives_up);

/* op(A) X = B with the factor of A. The transpose of a hermitian matrix is its conjugate, so A^T X = B is solved as
 * A conj(X) = conj(B), for which a B on the device comes to the host and goes back. */
clsolve_status cls_cholesky_solve_op(clsolve_context *context, clsolve_cholesky *cholesky, clsolve_op op,
                                     clsolve_matrix *B);

/* Another method follows Cholesky under AUTO: A is not positive definite, or the device lacks room or kernels. */
int cls_cholesky_gave_up(clsolve_status status);

#endif
