/*
 * ldl_solve.cl: around the triangular solves with P^T A P = L D L^H: ldl_gather brings right-hand sides into the order
 * of the pivots, ldl_divide solves with D, and ldl_scatter brings the solution back into that of A.
 *
 * Work-groups of LX rows in one column; neighbouring work-items have neighbouring rows of the factors. `d`: D's
 * diagonal; `e`: the elements below it, 0 but at the first row of a block of 2 x 2.
 */
#ifndef LX
#define LX 64
#endif
#ifndef HERMITIAN
#define HERMITIAN 1
#endif

#define ADJOINT(a)      CONJUGATE_IF(HERMITIAN, a)
#define OVER_REAL(x, r) ((x) / (r))

KERNEL WORK_GROUP(LX, 1, 1) void ldl_gather(const GLOBAL ELEMENT *B, idx_t offset, idx_t ld, idx_t n,
                                            const GLOBAL idx_t *permutation, GLOBAL ELEMENT *X, idx_t x_offset,
                                            idx_t x_ld) {
    const idx_t i = GROUP_ID(0) * LX + LOCAL_ID(0), c = GROUP_ID(1);
    if (i < n) X[x_offset + i + c * x_ld] = B[offset + permutation[i] + c * ld];
}

KERNEL WORK_GROUP(LX, 1, 1) void ldl_scatter(GLOBAL ELEMENT *B, idx_t offset, idx_t ld, idx_t n,
                                             const GLOBAL idx_t *permutation, const GLOBAL ELEMENT *X, idx_t x_offset,
                                             idx_t x_ld) {
    const idx_t i = GROUP_ID(0) * LX + LOCAL_ID(0), c = GROUP_ID(1);
    if (i < n) B[offset + permutation[i] + c * ld] = X[x_offset + i + c * x_ld];
}

/* By quotients, because the reciprocal of an element may overflow. q is the largest of a block [p q^H; q r] or near. */
KERNEL WORK_GROUP(LX, 1, 1) void ldl_divide(GLOBAL ELEMENT *X, idx_t x_offset, idx_t x_ld, idx_t n,
                                            const GLOBAL ELEMENT *d, const GLOBAL ELEMENT *e) {
    const idx_t i = GROUP_ID(0) * LX + LOCAL_ID(0);
    GLOBAL ELEMENT *const x = X + x_offset + GROUP_ID(1) * x_ld;
    if (i >= n) return;
    if (i > 0 && IS_NONZERO_ELEMENT(e[i - 1])) return; /* the second of two */
    if (IS_NONZERO_ELEMENT(e[i])) {
        const REAL size = LARGER_PART(e[i]);
        const ELEMENT p = EACH_PART(OVER_REAL, d[i], size), q = EACH_PART(OVER_REAL, e[i], size),
                      r = EACH_PART(OVER_REAL, d[i + 1], size);
        const ELEMENT determinant = LESS_PRODUCT(TIMES(p, r), q, ADJOINT(q));
        const ELEMENT u = EACH_PART(OVER_REAL, x[i], size), v = EACH_PART(OVER_REAL, x[i + 1], size);
        x[i] = OVER(LESS_PRODUCT(TIMES(r, u), ADJOINT(q), v), determinant);
        x[i + 1] = OVER(LESS_PRODUCT(TIMES(p, v), q, u), determinant);
    } else {
        x[i] = OVER(x[i], d[i]);
    }
}
