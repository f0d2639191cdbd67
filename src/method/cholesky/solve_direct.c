/* solve_direct.c: solves with the factors of a handle: of vectors on the host, and of the caller's right-hand sides. */
#include "base/clock.h"
#include "method/cholesky/direct.h"
#include "method/direct/vectors.h"

clsolve_status cls_cholesky_solve_host(void *factors, clsolve_op op, int64_t cols, double *x) {
    cls_cholesky *c = factors;

    if (c->out.slab > 0) return cls_out_solve_vectors(&c->out, op, cols, x);
    CLS_TRY(cls_cholesky_reserve(c, cols, 0));
    CLS_TRY(cls_vectors_up(c->device, &c->transfer, cols, x, &c->B));
    CLS_TRY(cls_cholesky_apply(c, cols));
    return cls_vectors_down(c->device, &c->transfer, cols, &c->B, x);
}

/* With what was scaled: A^-1 = diag(c) F^-1 diag(r). One number for all of A goes into B, so that a small B has its
 * digits. */
static clsolve_status apply_scaled(cls_direct *direct, cls_cholesky *c, int64_t cols, cls_place *out) {
    cls_device *device = c->device;

    CLS_TRY(cls_scaling_rows(device, &direct->scaling, &c->B, cols, 1));
    CLS_TRY(cls_cholesky_apply(c, cols));
    CLS_TRY(cls_scaling_rows(device, &direct->scaling, &c->B, cols, 0));
    return cls_check_finite(device, &c->check, &c->B, cols, &out->row, &out->column);
}

clsolve_status cls_cholesky_solve_in_core(cls_direct *direct, cls_cholesky *cholesky, const clsolve_matrix *B,
                                          cls_place *in, cls_place *out) {
    cls_cholesky *c = cholesky;
    cls_device *device = c->device;
    clsolve_seconds *seconds = &direct->costs.solve;
    const int64_t cols = B->cols;
    double start = cls_seconds();

    CLS_TRY(cls_cholesky_reserve(c, cols, B->layout == CLSOLVE_ROW_MAJOR));
    CLS_TRY(cls_upload(device, &c->transfer, B, 0, cols, &c->B, &c->scratch));
    CLS_TRY(cls_check_finite(device, &c->check, &c->B, cols, &in->row, &in->column));
    seconds->upload = cls_seconds() - start;
    if (in->row >= 0) return CLSOLVE_OK;

    start = cls_seconds();
    CLS_TRY(apply_scaled(direct, c, cols, out));
    seconds->solve = cls_seconds() - start;
    if (out->row >= 0) return CLSOLVE_OK;

    start = cls_seconds();
    CLS_TRY(cls_download(device, &c->transfer, &c->B, cols, B, 0, &c->scratch));
    seconds->download = cls_seconds() - start;
    return CLSOLVE_OK;
}

clsolve_status cls_cholesky_solve_unrefined(cls_direct *direct, const char *call, clsolve_op op,
                                            const clsolve_matrix *B, cls_place *in, cls_place *out) {
    cls_cholesky *c = direct->factors;

    (void)call;
    if (c->out.slab == 0) return cls_cholesky_solve_in_core(direct, c, B, in, out);
    if (direct->copies || direct->scaling.rows || direct->scaling.cols)
        return cls_direct_solve_staged(direct, op, B, in, out);
    return cls_out_solve(&c->out, op, B, &direct->costs.solve, in, out);
}
