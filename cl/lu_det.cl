/*
 * lu_det.cl: the determinant of P^T L U as mantissa * 2^exponent, which no order makes overflow: the product of U's
 * diagonal, the sign turned once for every row that was swapped; with `swapped` 0 the host sees to the signs.
 *
 *     det = (-1)^(number of i with ipiv(i) != i + 1) * product of u(i,i)
 *
 * The columns first .. first + cols - 1, which lie in one slab, in one launch of one group of JOIN work-items; each
 * multiplies every JOIN-th element and takes the exponent out after each. With `more` the result is joined to what
 * record holds: word 3 the exponent, from word 4 on the mantissa (an ELEMENT), 0.5 <= |mantissa| < 1 or 0, of a complex
 * one its larger part. Local memory: JOIN elements and indices. The diagonal is read with the stride ld + 1: n elements
 * out of n^2. Loops stay loops, for the compiler's time.
 */
#ifndef JOIN
#define JOIN 32
#endif

KERNEL WORK_GROUP(JOIN, 1, 1) void lu_det(GLOBAL const ELEMENT *A, idx_t offset, idx_t ld, idx_t first, idx_t cols,
                                          GLOBAL const idx_t *ipiv, int swapped, int more, GLOBAL idx_t *record) {
    LOCAL_ARRAY(ELEMENT, mantissas, JOIN);
    LOCAL_ARRAY(idx_t, exponents, JOIN);
    GLOBAL ELEMENT *mantissa_out = (GLOBAL ELEMENT *)(record + 4);
    const idx_t lid = LOCAL_ID(0);
    ELEMENT mantissa = FROM_REAL(1);
    idx_t exponent = 0;
    int e;

#pragma unroll 1
    for (idx_t j = lid; j < cols; j += JOIN) {
        int own;
        const ELEMENT u = SPLIT(A[offset + first + j + j * ld], &own);
        mantissa = SPLIT(swapped && ipiv[first + j] != first + j + 1 ? TIMES(-mantissa, u) : TIMES(mantissa, u), &e);
        exponent += own + e;
    }
    mantissas[lid] = mantissa;
    exponents[lid] = exponent;
    BARRIER();
    if (lid > 0) return;
    if (more) {
        mantissa = TIMES(mantissa, mantissa_out[0]);
        exponent += record[3];
    }
#pragma unroll 1
    for (int k = 1; k < JOIN; ++k) {
        mantissa = SPLIT(TIMES(mantissa, mantissas[k]), &e);
        exponent += exponents[k] + e;
    }
    mantissa = SPLIT(mantissa, &e);
    record[3] = exponent + e;
    mantissa_out[0] = mantissa;
}

/* Zero pivots become `value`, so that the factors are those of a matrix nearby. One work-item a column. */
KERNEL WORK_GROUP(JOIN, 1, 1) void lu_mend(GLOBAL ELEMENT *A, idx_t offset, idx_t ld, idx_t first, idx_t cols,
                                           REAL value) {
    const idx_t j = GROUP_ID(0) * JOIN + LOCAL_ID(0);
    if (j < cols && IS_ZERO_ELEMENT(A[offset + first + j + j * ld])) A[offset + first + j + j * ld] = FROM_REAL(value);
}
