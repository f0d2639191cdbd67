/* device_solve.c: solves with the factors on the device. */
#include "blas/blas.h"
#include "method/ldl/device.h"

enum { LX = 64 }; /* as in cl/ldl_solve.cl */

static cls_grid grid_of(const cls_ldl *ldl, int64_t cols) {
    return (cls_grid){{(size_t)((ldl->n + LX - 1) / LX * LX), (size_t)cols, 1}, {LX, 1, 1}};
}

/* Right-hand sides at B into the order of the pivots, at X, or back. */
static clsolve_status move(cls_ldl *ldl, cls_kernel *kernel, cls_ref B, cls_ref X, int64_t cols) {
    const cls_grid grid = grid_of(ldl, cols);
    const cls_arg args[] = {CLS_REF(B), CLS_VALUE(ldl->n), CLS_BUFFER(cls_ldl_own(ldl)->permutation), CLS_REF(X)};
    return cls_launch(ldl->device, CLS_COMPUTE, kernel, &grid, CLS_ARGS(args));
}

static clsolve_status divide(cls_ldl *ldl, cls_ref X, int64_t cols) {
    cls_ldl_device *own = cls_ldl_own(ldl);
    const cls_grid grid = grid_of(ldl, cols);
    const cls_arg args[] = {CLS_REF(X), CLS_VALUE(ldl->n), CLS_BUFFER(own->d), CLS_BUFFER(own->e)};
    return cls_launch(ldl->device, CLS_COMPUTE, own->divide, &grid, CLS_ARGS(args));
}

static clsolve_status solve_triangle(cls_ldl *ldl, clsolve_op op, cls_ref X, int64_t cols) {
    return cls_trsm(ldl->device, CLS_BLAS_DEFAULT, ldl->type, CLS_LOWER_UNIT, op, ldl->n, cols,
                    cls_matrix_at(&ldl->A, 0, 0), X);
}

clsolve_status cls_ldl_device_apply(cls_ldl *ldl, int64_t cols) {
    cls_ldl_device *own = cls_ldl_own(ldl);

    CLS_TRY(cls_matrix_reserve(ldl->device, ldl->type, ldl->n, cols, ldl->slab_bytes, 0, &own->X));
    for (int64_t c = 0, run; c < cols; c += run) {
        run = cls_matrix_run(&own->X, c, c + cls_matrix_run(&ldl->B, c, cols));
        const cls_ref B = cls_matrix_at(&ldl->B, 0, c), X = cls_matrix_at(&own->X, 0, c);
        CLS_TRY(move(ldl, own->gather, B, X, run));
        CLS_TRY(solve_triangle(ldl, CLSOLVE_NO_TRANS, X, run));
        CLS_TRY(divide(ldl, X, run));
        CLS_TRY(solve_triangle(ldl, cls_ldl_adjoint(ldl), X, run));
        CLS_TRY(move(ldl, own->scatter, B, X, run));
    }
    return CLSOLVE_OK;
}

clsolve_status cls_ldl_device_put(cls_ldl *ldl) {
    cls_ldl_device *own = cls_ldl_own(ldl);
    cls_device *device = ldl->device;
    const size_t n = (size_t)ldl->n, bytes = n * (size_t)cls_type_size(ldl->type);

    CLS_TRY(device->ops->fill(device, CLS_COMPUTE, own->state, 0, CLS_LDL_WORDS * sizeof(int64_t), 0)); /* of NaN */
    for (int64_t i = 0; i < ldl->n; ++i) own->host_permutation[i] = i;
    for (int64_t k = 0; k < ldl->n; ++k) {
        const int64_t other = (ldl->ipiv[k] < 0 ? -ldl->ipiv[k] : ldl->ipiv[k]) - 1, row = own->host_permutation[k];
        own->host_permutation[k] = own->host_permutation[other];
        own->host_permutation[other] = row;
    }
    CLS_TRY(cls_bytes_write(device, CLS_COMPUTE, own->d, 0, ldl->d, bytes));
    CLS_TRY(cls_bytes_write(device, CLS_COMPUTE, own->e, 0, ldl->e, bytes));
    return cls_bytes_put(device, own->permutation, 0, own->host_permutation, n * sizeof(int64_t));
}
