/* solve_direct.c: solves with the factors of a handle: of vectors on the host, and of the caller's right-hand sides. */
#include "method/lu/direct.h"

clsolve_status cls_lu_solve_host(void *factors, clsolve_op op, int64_t cols, double *x) {
    cls_lu *lu = factors;
    const cls_sides sides = cls_lu_sides(lu, cols);
    return cls_sides_solve_vectors(lu->device, &sides, op, cols, x);
}

clsolve_status cls_lu_solve_in_core(cls_direct *direct, clsolve_op op, const clsolve_matrix *B, cls_place *in,
                                    cls_place *out) {
    const cls_sides sides = cls_lu_sides(direct->factors, B->cols);
    return cls_sides_solve(direct, &sides, op, B, in, out);
}

clsolve_status cls_lu_solve_unrefined(cls_direct *direct, clsolve_op op, const clsolve_matrix *B, cls_place *in,
                                      cls_place *out) {
    const cls_lu *lu = direct->factors;

    /* Tiny columns were scaled: the vectors of the host keep the digits of a small B. */
    if (direct->scaling.cols && !direct->equilibrate) return cls_direct_solve_staged(direct, op, B, in, out);
    /* With a transpose the factors of rows come after the solve, and numbers they multiply must keep their digits. */
    if (direct->equilibrate && op != CLSOLVE_NO_TRANS && cls_scaling_rows_tiny(&direct->scaling))
        return cls_direct_solve_staged(direct, op, B, in, out);
    return lu->engine->solve(direct, op, B, in, out);
}
