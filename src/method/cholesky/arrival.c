/*
 * arrival.c: A comes up while its first columns are factored (method/arrival.h). Only the lower triangle as it lies in
 * memory comes so, because its columns are complete in the order in which they are factored.
 */
#include "method/arrival.h"
#include "method/cholesky/direct.h"

/* Options that want the whole matrix, or a copy of it, want it before. */
int cls_cholesky_takes_while_factoring(const cls_direct *direct, const clsolve_matrix *A) {
    const cls_cholesky *c = direct->factors;
    const cls_triangle_view view = cls_symmetric_view(A, c->uplo);

    return c->arrival_columns > 0 && c->out.slab == 0 && !direct->copies && !direct->equilibrate &&
           !direct->wants_rcond && !view.upper && cls_arrival_suits(&view.matrix, &c->A);
}

typedef struct coming {
    cls_cholesky *c;
    int conjugate;
} coming;

static clsolve_status receive(void *owner, cls_queue queue, int64_t begin, int64_t cols) {
    const coming *of = owner;
    cls_cholesky *c = of->c;

    CLS_TRY(cls_symmetric_own(c->device, &c->mirror, queue, &c->A, begin, begin + cols, of->conjugate));
    return cls_check_accumulate(c->device, &c->check, queue, &c->A, begin, cols, CLS_CHECK_LOWER, begin > 0);
}

clsolve_status cls_cholesky_factor_while_taking(cls_direct *direct, const clsolve_matrix *A) {
    cls_cholesky *c = direct->factors;
    const cls_triangle_view view = cls_symmetric_view(A, c->uplo);
    coming of = {c, view.conjugate};
    const cls_arrival_plan plan = {.device = direct->device,
                                   .from = &view.matrix,
                                   .to = &c->A,
                                   .columns = c->arrival_columns,
                                   .lower = 1,
                                   .receive = receive,
                                   .owner = &of};

    clsolve_status status = cls_arrival_begin(&plan, &c->arrival);
    if (status == CLSOLVE_OK) status = cls_cholesky_factor(c, direct->options, &direct->info);
    /* Where a column has failed, those behind it may hold a NaN. */
    if (status == CLSOLVE_OK) status = cls_arrival_await(c->arrival, CLS_COMPUTE, c->n);
    if (c->arrival) direct->costs.factor.upload += c->arrival->seconds;
    cls_arrival_end(&c->arrival);
    CLS_TRY(status);
    return cls_check_read(direct->device, &c->check, c->n, &direct->measures, NULL);
}
