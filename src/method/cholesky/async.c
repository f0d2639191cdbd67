#include "method/cholesky/async.h"

/* Elements of L never exceed the root of A's largest one: the factor is not searched. */
clsolve_status cls_cholesky_async_factor(cls_direct *direct, cls_async *async, const clsolve_matrix *A) {
    cls_cholesky *c = direct->factors;
    const cls_triangle_view view = cls_symmetric_view(A, c->uplo);

    CLS_TRY(cls_async_setup(c->device, c->type, async));
    CLS_TRY(cls_async_forget(c->device, async, CLS_ASYNC_A));
    if (c->n > 0) {
        CLS_TRY(cls_symmetric_upload(c->device, &c->transfer, &view.matrix, view.upper, &c->A));
        CLS_TRY(cls_symmetric_to_lower(c->device, &c->mirror, &c->A, &view));
        CLS_TRY(cls_async_search(c->device, async, &c->check, &c->A, c->n, CLS_CHECK_LOWER, CLS_ASYNC_A));
    }
    return cls_cholesky_factor_enqueue(c);
}

cls_buffer *cls_cholesky_async_state(const cls_direct *direct) {
    return ((const cls_cholesky *)direct->factors)->info;
}

clsolve_status cls_cholesky_async_solve(cls_direct *direct, cls_async *async, clsolve_op op, const clsolve_matrix *B,
                                        int after_factor) {
    const cls_sides sides = cls_cholesky_sides(direct->factors);
    (void)op; /* none but NO_TRANS */
    return cls_sides_solve_enqueue(direct->device, &sides, CLSOLVE_NO_TRANS, async, cls_cholesky_async_state(direct), B,
                                   after_factor);
}
