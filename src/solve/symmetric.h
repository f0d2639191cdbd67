/* symmetric.h (private): whether a matrix is one for Cholesky: symmetric, or of complex elements
 * hermitian, and its diagonal positive. */
#ifndef CLS_SOLVE_SYMMETRIC_H
#define CLS_SOLVE_SYMMETRIC_H

#include <clsolve/cholesky.h>
#include <clsolve/solve.h>

/* AUTO asks from so many rows on: for fewer the ways of dense LU for few rows are the quicker. */
enum { CLS_CHOLESKY_LEAST = 128 };

/* Whether the options leave AUTO free to try Cholesky: all that are about pivots, and panels that only LU has, say no. */
int cls_lets_cholesky(const clsolve_solver_options *options, int64_t n);

/* Of a dense A on the host. *row and *column: a pair of elements that differ, found first; -1: there is none. A matrix
 * that is not symmetric usually shows it within its first block. Threads of the context's device share a large one. */
int cls_dense_is_symmetric(clsolve_context *context, const clsolve_matrix *A, int64_t *row, int64_t *column);
/* AUTO tries Cholesky on this matrix: on a device that works in the host's memory, where LAPACK's potrf takes half of LU's
 * time. On a GPU the search for symmetry on the host takes about what Cholesky saves. A matrix on the device is not looked at. */
int cls_dense_suits_cholesky(clsolve_context *context, const clsolve_solver_options *options, const clsolve_matrix *A);

/* Why it does, for the report. */
const char *cls_cholesky_reason(clsolve_type type);

/* OK where Cholesky was asked for by name and A is symmetric, or lies on the device, where its lower triangle is taken. */
clsolve_status cls_dense_check_symmetric(clsolve_context *context, const char *call, const clsolve_matrix *A);

/* op(A) X = B with the factor of A. The transpose of a hermitian matrix is its conjugate, so A^T X = B is solved as
 * A conj(X) = conj(B), for which a B on the device comes to the host and goes back. */
clsolve_status cls_cholesky_solve_op(clsolve_context *context, clsolve_cholesky *cholesky, clsolve_op op,
                                     clsolve_matrix *B);

/* Another method follows Cholesky under AUTO: A is not positive definite, or the device lacks room or kernels. */
int cls_cholesky_gave_up(clsolve_status status);

#endif
