/*
 * at_once.c: few columns, whose waits take as long as their work: the host enqueues all of it and waits once. A matrix
 * that has a NaN or is to be scaled was factored in vain then, as one that comes while it is factored.
 */
#include "base/clock.h"
#include "device/staging.h"
#include "method/cholesky/direct.h"

clsolve_status cls_cholesky_factor_at_once(cls_direct *direct, const clsolve_matrix *A) {
    cls_cholesky *c = direct->factors;
    const cls_triangle_view view = cls_symmetric_view(A, c->uplo);
    int64_t of_A[CLS_RECORD_WORDS], of_L[CLS_RECORD_WORDS];
    const double start = cls_seconds();

    CLS_TRY(cls_symmetric_upload(c->device, &c->transfer, &view.matrix, view.upper, &c->A));
    CLS_TRY(cls_symmetric_to_lower(c->device, &c->mirror, &c->A, &view));
    direct->costs.factor.upload += cls_seconds() - start;
    CLS_TRY(cls_check_enqueue(c->device, &c->check, &c->A, c->n, CLS_CHECK_LOWER));
    cls_check_turn(&c->check);
    CLS_TRY(cls_cholesky_factor_enqueue(c));
    CLS_TRY(cls_cholesky_multiply_diagonal(c));
    const cls_fetch_part parts[] = {{c->check.before, of_A, sizeof of_A, 0},
                                    {c->check.record, of_L, sizeof of_L, 0},
                                    {c->info, &direct->info, sizeof direct->info, 0}};
    CLS_TRY(cls_staging_fetch(c->device, parts, 3));
    direct->measures = cls_check_measures(&c->check, of_A, c->n);
    direct->growth = cls_growth_unknown();
    if (direct->info == 0 && direct->measures.row < 0) cls_cholesky_take_determinant(c, of_L, &direct->growth);
    return CLSOLVE_OK;
}
