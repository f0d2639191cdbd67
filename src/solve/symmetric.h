/* symmetric.h (private): whether a matrix is one for Cholesky or LDL^T: symmetric, or of complex elements hermitian;
 * and how either factors it. */
#ifndef CLS_SOLVE_SYMMETRIC_H
#define CLS_SOLVE_SYMMETRIC_H

#include <clsolve/solve.h>

#include "solve/half.h"

/* AUTO asks from so many rows on: for fewer the ways of dense LU for few rows are as quick. On a GPU a launch and a
 * word that comes back are a small part of LU's time then. With a GPU a matrix on the host that has fewer rows than
 * that goes to Cholesky where it is expected to be faster than LU, mostly on the host. */
enum { CLS_CHOLESKY_LEAST = 128, CLS_CHOLESKY_LEAST_ON_GPU = 512 };

/* Whether the options leave AUTO free to try Cholesky and LDL^T: all that are about pivots, and panels that only LU
 * has, say no. */
int cls_lets_cholesky(const clsolve_solver_options *options, int64_t n);

typedef enum cls_symmetry {
    CLS_SYMMETRY_NONE = 0,   /* it is not symmetric, or AUTO does not ask: LU */
    CLS_SYMMETRY_BEGINS = 1, /* its first piece is symmetric; the others are searched while it is factored */
    CLS_SYMMETRY_WHOLE = 2   /* it is symmetric */
} cls_symmetry;

/*
 * The method that AUTO begins with, and what is known of the matrix: CHOLESKY where the diagonal is positive, LDL where
 * it is not and LDL^T is expected to be faster than LU, else LU. `half`: the table of either, of the matrix's symmetry.
 * A complex matrix with A = A^T goes to LDL whatever its diagonal is.
 */
typedef struct cls_suits {
    clsolve_method method;
    cls_symmetry symmetry;
    const cls_half_family *half; /* NULL: LU */
} cls_suits;

/*
 * AUTO tries one of the two on this matrix unless NONE:
 *
 *      A                  device                      it is searched
 *      on the host        in the host's memory        by the host, at once: WHOLE
 *      on the host        a GPU                       by the host: its first piece at once, so BEGINS
 *      on the device      a GPU                       there, by a kernel, for Cholesky alone: WHOLE
 *      on the device      in the host's memory        not at all
 */
cls_suits cls_dense_suits(clsolve_context *context, const clsolve_solver_options *options, const clsolve_matrix *A);

/* The method that follows one that gave up with `status`: LDL after a symmetric matrix that is not positive definite,
 * where it is expected to be faster than LU, else LU. */
cls_suits cls_dense_after(clsolve_context *context, const clsolve_solver_options *options, const clsolve_matrix *A,
                          clsolve_method method, clsolve_status status);

/* Why AUTO begins with the method, for the report; and why it goes on from it. */
const char *cls_suits_reason(const cls_suits *suits, clsolve_type type);
const char *cls_after_reason(clsolve_method method);

/* OK, and *half is its table, where CHOLESKY or LDL was asked for by name and A, wherever it lies, is one for it. */
clsolve_status cls_dense_check_symmetric(clsolve_context *context, const char *call, clsolve_method method,
                                         const clsolve_matrix *A, const cls_half_family **half);

/* Factors A, which suits a method that is not LU, under AUTO. *gives_up: another method follows; with BEGINS also
 * because A is not symmetric, which is ERROR_INVALID_ARGUMENT. When the call returns, A is not read any more. */
clsolve_status cls_half_try(clsolve_context *context, const cls_suits *suits, void *handle, const clsolve_matrix *A,
                            int *gives_up);

#endif
