#include "method/cholesky/async.h"

/* Elements of L never exceed the root of A's largest one: the factor is not searched. */
clsolve_status cls_cholesky_async_factor(cls_cholesky *cholesky, cls_async *async, const clsolve_matrix *A) {
    cls_cholesky *c = cholesky;
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

clsolve_status cls_cholesky_async_solve(cls_cholesky *cholesky, cls_async *async, const clsolve_matrix *B,
                                        int after_factor) {
    cls_cholesky *c = cholesky;
    const int64_t cols = B->cols;

    CLS_TRY(cls_async_setup(c->device, c->type, async));
    CLS_TRY(cls_async_forget(c->device, async, after_factor ? CLS_ASYNC_B : CLS_ASYNC_A));
    if (c->n == 0 || cols == 0) return CLSOLVE_OK;
    CLS_TRY(cls_cholesky_reserve(c, cols, B->layout == CLSOLVE_ROW_MAJOR));
    CLS_TRY(cls_upload(c->device, &c->transfer, B, 0, cols, &c->B, &c->scratch));
    CLS_TRY(cls_async_search(c->device, async, &c->check, &c->B, cols, CLS_CHECK_WHOLE, CLS_ASYNC_B));
    CLS_TRY(cls_cholesky_apply(c, cols));
    CLS_TRY(cls_async_search(c->device, async, &c->check, &c->B, cols, CLS_CHECK_WHOLE, CLS_ASYNC_X));
    return cls_async_deliver(c->device, async, after_factor ? c->info : NULL, &c->B, B);
}
