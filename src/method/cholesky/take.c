/* take.c: one triangle of A to where it is factored (method/direct/half.h). */
#include "method/cholesky/direct.h"
#include "method/direct/half.h"

static cls_half half_of(cls_cholesky *c) {
    return (cls_half){.A = cls_cholesky_matrix(c),
                      .check = &c->check,
                      .transfer = &c->transfer,
                      .mirror = &c->mirror,
                      .uplo = c->uplo,
                      .upper = c->upper,
                      .crosses = c->out.slab == 0};
}

clsolve_status cls_cholesky_copy(cls_direct *direct, const clsolve_matrix *A, int scale) {
    const cls_half half = half_of(direct->factors);
    return cls_half_copy(direct, &half, A, scale);
}

clsolve_status cls_cholesky_take_plainly(cls_direct *direct, const clsolve_matrix *A) {
    const cls_half half = half_of(direct->factors);
    return cls_half_take(direct, &half, A);
}

clsolve_status cls_cholesky_take(cls_direct *direct, const clsolve_matrix *A) {
    cls_cholesky *c = direct->factors;

    c->upper = c->A.mapped ? cls_symmetric_view(A, c->uplo).upper : 0;
    if (direct->copies) return cls_copy_write(&direct->copy, cls_cholesky_matrix(c)); /* it has both triangles */
    if (c->n == 0 || cls_cholesky_takes_while_factoring(direct, A)) return CLSOLVE_OK;
    return cls_cholesky_take_plainly(direct, A);
}
