/* solve_direct.c: solves with the factors of a handle: of vectors on the host, and of the caller's right-hand sides. */
#include "method/cholesky/direct.h"

clsolve_status cls_cholesky_solve_host(void *factors, clsolve_op op, int64_t cols, double *x) {
    cls_cholesky *c = factors;
    const cls_sides sides = cls_cholesky_sides(c);
    (void)op;
    return cls_sides_solve_vectors(c->device, &sides, CLSOLVE_NO_TRANS, cols, x);
}

clsolve_status cls_cholesky_solve_in_core(cls_direct *direct, cls_cholesky *cholesky, const clsolve_matrix *B,
                                          cls_place *in, cls_place *out) {
    const cls_sides sides = cls_cholesky_sides(cholesky);
    return cls_sides_solve(direct, &sides, CLSOLVE_NO_TRANS, B, in, out);
}

clsolve_status cls_cholesky_solve_unrefined(cls_direct *direct, clsolve_op op, const clsolve_matrix *B, cls_place *in,
                                            cls_place *out) {
    (void)op;
    return cls_cholesky_solve_in_core(direct, direct->factors, B, in, out);
}

clsolve_status cls_cholesky_solve_slabs_host(void *factors, clsolve_op op, int64_t cols, double *x) {
    cls_cholesky *c = factors;
    return cls_out_solve_vectors(&c->out, op, cols, x);
}

clsolve_status cls_cholesky_solve_slabs(cls_direct *direct, clsolve_op op, const clsolve_matrix *B, cls_place *in,
                                        cls_place *out) {
    cls_cholesky *c = direct->factors;
    if (direct->copies || direct->scaling.rows || direct->scaling.cols)
        return cls_direct_solve_staged(direct, op, B, in, out);
    return cls_out_solve(&c->out, op, B, &direct->costs.solve, in, out);
}
