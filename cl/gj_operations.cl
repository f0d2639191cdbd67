/*
 * gj_operations.cl: Gauss-Jordan elimination by the operations of S. Tasior, Parallel Gauss-Jordan elimination through
 * trace theory (2025), in its stable form, each a kernel and each launch one class of the Foata normal form:
 *
 *     A(i,j)             m_j = M_ji / M_ii                         gj_multipliers
 *     B(i,j,k), C(i,j,k) M_jk -= m_j M_ik                          gj_eliminate: both in one, on the words of both
 *                        the pivot's column becomes exactly zero   gj_clear: B and C for k = i, without rounding
 *     D(i)               d_i = 1 / (s_i M_ii)                      gj_reciprocals
 *     E(i,k)             M_ik s_i d_i, written into X              gj_normalise
 *
 * s_i is 1, or LIFT where M_ii is below the least normal number, so that its reciprocal does not overflow; s stands
 * behind d.
 *
 * Row i here means the row of pivot i, pivots[i], for rows stay where they are (see gj_rows.cl).
 *
 * Work-groups: LS work-items on neighbouring rows, dimension 0 over blocks of LS * ROWS rows, dimension 1 over columns.
 * Local memory: none.
 */
#ifndef LS
#define LS 64
#endif
#ifndef ROWS
#define ROWS 1
#endif

#define LIFT ((REAL)18446744073709551616.0f) /* 2^64 */
#if CLS_DOUBLE
#define SMALL 2.2250738585072014e-308
#else
#define SMALL 1.17549435e-38f
#endif

/* The row of this work-item in round r. */
#define ROW(r) ((GROUP_ID(0) * ROWS + (r)) * LS + LOCAL_ID(0))

KERNEL WORK_GROUP(LS, 1, 1) void gj_multipliers(GLOBAL const ELEMENT *P, idx_t p_offset, idx_t n, idx_t i,
                                                GLOBAL const idx_t *pivots, GLOBAL ELEMENT *m) {
    const idx_t p = pivots[i];
    const ELEMENT pivot = P[p_offset + p];
    for (int r = 0; r < ROWS; ++r) {
        const idx_t j = ROW(r);
        if (j < n) m[j] = j == p || IS_ZERO_ELEMENT(pivot) ? ZERO : OVER(P[p_offset + j], pivot);
    }
}

KERNEL WORK_GROUP(LS, 1, 1) void gj_eliminate(GLOBAL ELEMENT *M, idx_t offset, idx_t ld, idx_t cols, idx_t n, idx_t i,
                                              GLOBAL const idx_t *pivots, GLOBAL const ELEMENT *m) {
    const idx_t p = pivots[i];
    for (idx_t k = GROUP_ID(1); k < cols; k += GROUPS(1)) {
        GLOBAL ELEMENT *column = M + offset + k * ld;
        const ELEMENT u = column[p];
        for (int r = 0; r < ROWS; ++r) {
            const idx_t j = ROW(r);
            if (j < n && j != p) column[j] = LESS_PRODUCT(column[j], m[j], u);
        }
    }
}

KERNEL WORK_GROUP(LS, 1, 1) void gj_clear(GLOBAL ELEMENT *P, idx_t p_offset, idx_t n, idx_t i,
                                          GLOBAL const idx_t *pivots) {
    const idx_t p = pivots[i];
    for (int r = 0; r < ROWS; ++r) {
        const idx_t j = ROW(r);
        if (j < n && j != p) P[p_offset + j] = ZERO;
    }
}

/* For the pivots begin .. begin + width - 1 of n, whose columns lie at M. */
KERNEL WORK_GROUP(LS, 1, 1) void gj_reciprocals(GLOBAL const ELEMENT *M, idx_t offset, idx_t ld, idx_t begin,
                                                idx_t width, idx_t n, GLOBAL const idx_t *pivots, GLOBAL ELEMENT *d) {
    for (int r = 0; r < ROWS; ++r) {
        const idx_t i = ROW(r);
        if (i < width) {
            const ELEMENT pivot = M[offset + pivots[begin + i] + i * ld];
            const REAL s = LARGER_PART(pivot) < SMALL ? LIFT : (REAL)1;
            d[begin + i] = OVER(FROM_REAL(1), BY_REAL(pivot, s));
            d[n + begin + i] = FROM_REAL(s);
        }
    }
}

KERNEL WORK_GROUP(LS, 1, 1) void gj_normalise(GLOBAL const ELEMENT *B, idx_t b_offset, idx_t b_ld, GLOBAL ELEMENT *X,
                                              idx_t x_offset, idx_t x_ld, idx_t n, idx_t cols,
                                              GLOBAL const idx_t *pivots, GLOBAL const ELEMENT *d) {
    for (idx_t k = GROUP_ID(1); k < cols; k += GROUPS(1))
        for (int r = 0; r < ROWS; ++r) {
            const idx_t i = ROW(r);
            if (i < n) X[x_offset + i + k * x_ld] = TIMES(TIMES(B[b_offset + pivots[i] + k * b_ld], d[n + i]), d[i]);
        }
}
