/*
 * lu_det.cl: the determinant of P^T L U as mantissa * 2^exponent, which no order makes overflow: the product of U's
 * diagonal, the sign turned once for every row that was swapped; with `swapped` 0 the host sees to the signs.
 *
 *     det = (-1)^(number of i with ipiv(i) != i + 1) * product of u(i,i)
 *
 * The columns first .. first + cols - 1, which lie in one slab, in one launch of one group of JOIN work-items; each
 * multiplies every JOIN-th element and takes the exponent out after each. With `more` the result is joined to what
 * record holds: word 3 the exponent, word 4 the mantissa (a REAL), 0.5 <= |mantissa| < 1 or 0. Local memory: JOIN
 * elements and indices. The diagonal is read with the stride ld + 1: n elements out of n^2.
 */
#ifndef JOIN
#define JOIN 32
#endif

KERNEL WORK_GROUP(JOIN, 1, 1) void lu_det(GLOBAL const REAL *A, idx_t offset, idx_t ld, idx_t first, idx_t cols,
                                          GLOBAL const idx_t *ipiv, int swapped, int more, GLOBAL idx_t *record) {
    LOCAL_ARRAY(REAL, mantissas, JOIN);
    LOCAL_ARRAY(idx_t, exponents, JOIN);
    GLOBAL REAL *mantissa_out = (GLOBAL REAL *)(record + 4);
    const idx_t lid = LOCAL_ID(0);
    REAL mantissa = 1;
    idx_t exponent = 0;
    int e;

    for (idx_t j = lid; j < cols; j += JOIN) {
        int own;
        const REAL u = frexp(A[offset + first + j + j * ld], &own);
        mantissa = frexp(swapped && ipiv[first + j] != first + j + 1 ? -mantissa * u : mantissa * u, &e);
        exponent += own + e;
    }
    mantissas[lid] = mantissa;
    exponents[lid] = exponent;
    BARRIER();
    if (lid > 0) return;
    if (more) {
        mantissa = mantissa * mantissa_out[0];
        exponent += record[3];
    }
    for (int k = 1; k < JOIN; ++k) {
        mantissa = frexp(mantissa * mantissas[k], &e);
        exponent += exponents[k] + e;
    }
    mantissa = frexp(mantissa, &e);
    record[3] = exponent + e;
    mantissa_out[0] = mantissa;
}

/* Zero pivots become `value`, so that the factors are those of a matrix nearby. One work-item a column. */
KERNEL WORK_GROUP(JOIN, 1, 1) void lu_mend(GLOBAL REAL *A, idx_t offset, idx_t ld, idx_t first, idx_t cols,
                                           REAL value) {
    const idx_t j = GROUP_ID(0) * JOIN + LOCAL_ID(0);
    if (j < cols && A[offset + first + j + j * ld] == 0) A[offset + first + j + j * ld] = value;
}
