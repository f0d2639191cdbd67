/* half.h (private): Cholesky and LDL^T by one table each: both read the lower triangle of a symmetric or hermitian
 * matrix. */
#ifndef CLS_SOLVE_HALF_H
#define CLS_SOLVE_HALF_H

#include <clsolve/solve.h>

/* A handle is a clsolve_cholesky or a clsolve_ldl. */
typedef struct cls_half_family {
    clsolve_method method;
    clsolve_symmetry symmetry; /* of complex matrices */
    const char *name;          /* "CLSOLVE_METHOD_LDL" */
    clsolve_status (*create)(clsolve_context *context, int64_t n, clsolve_type type, clsolve_symmetry symmetry,
                             const clsolve_solver_options *options, void **handle);
    /* A handle that an earlier call has left, for a call with A and B; NULL: none is ever left. And in the place of
     * cls_door_destroy, where one is: the handle that has factored A may stay (api/door.h). */
    void *(*once)(clsolve_context *context, const clsolve_matrix *A, const clsolve_matrix *B,
                  const clsolve_solver_options *options);
    void (*keep)(void *handle, const clsolve_matrix *A);
} cls_half_family;

/* The table of LDL^T for CLSOLVE_METHOD_LDL, else that of Cholesky, which takes hermitian matrices alone. */
const cls_half_family *cls_half_of(clsolve_method method, clsolve_symmetry symmetry);

/* op(A) X = B with the factors of A. The transpose of a hermitian matrix is its conjugate, so A^T X = B is solved as
 * A conj(X) = conj(B), for which a B on the device comes to the host and goes back. So is A^H X = B for A = A^T. */
clsolve_status cls_half_solve_op(clsolve_context *context, const cls_half_family *family, void *handle, clsolve_op op,
                                 clsolve_matrix *B);

/* Another method follows Cholesky or LDL^T under AUTO: A is not positive definite, or the device lacks room or
 * kernels. */
int cls_half_gave_up(clsolve_status status);

#endif
