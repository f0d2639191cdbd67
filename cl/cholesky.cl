/*
 * cholesky.cl: a leaf of the Cholesky factorization A = L L^T, m <= LEAF columns.
 *
 *     [ L11     ]      cholesky_leaf: A11 = L11 L11^T, m x m, by one work-group
 *     [ L21     ]      cholesky_rows: L21 = A21 L11^-T, as many rows as there are below
 *
 * Both read and write the lower triangle and what is below it alone. info is 0, or the number from 1 of the first column
 * whose leading minor is not positive: then nothing is done, because no factor comes of it.
 *
 * cholesky_leaf. SIDE x SIDE work-items; item (s, t) has the elements (s + SIDE e, t + SIDE b), so that all have about
 * the same to do until the end. Column by column, with d = a(k, k):
 *
 *     a(i, k) of all rows to local memory; barrier
 *     a(i, j) = a(i, j) - a(i, k) a(j, k) / d     for i, j > k
 *     l(k, k) = sqrt(d), l(i, k) = a(i, k) / sqrt(d)
 *
 * so one barrier a column, behind which each item finds d by itself. Two columns of LEAF elements in local memory take
 * turns. With IN_LOCAL the elements lie in local memory too, LEAF^2, for compilers that do not keep them over barriers.
 *
 * cholesky_rows. ROWS work-items, each of which has one row: x L11^T = a, PART columns at a time. The columns solved
 * before come from global memory again, neighbours reading neighbours. Local memory: L11 below its diagonal, column
 * after column, and the reciprocals of the diagonal, LEAF (LEAF + 1) / 2 elements; all items read the same one. A
 * diagonal element is the root of a number of the type, so that its reciprocal is in range.
 */
#ifndef LEAF
#define LEAF 64
#endif
#ifndef SIDE
#define SIDE 16
#endif
#ifndef ROWS
#define ROWS 64
#endif
#define EACH (LEAF / SIDE)
#define PART 8
/* Where column k of L11 would have its row 0: row k + 1 is its first. */
#define COLUMN_AT(k) ((k) * (LEAF - 1) - (k) * ((k)-1) / 2 - (k)-1)

#ifdef IN_LOCAL
#define OWN(e, b) block[(s + SIDE * (e)) + (t + SIDE * (b)) * LEAF]
#else
#define OWN(e, b) own[(b)*EACH + (e)]
#endif

/* The diagonal block is at `offset`; its first column is column `first` of the matrix, counted from 0. */
KERNEL WORK_GROUP(SIDE *SIDE, 1, 1) void cholesky_leaf(GLOBAL REAL *A, idx_t offset, idx_t ld, int m, idx_t first,
                                                       GLOBAL idx_t *info) {
    LOCAL_ARRAY(REAL, columns, 2 * LEAF);
#ifdef IN_LOCAL
    LOCAL_ARRAY(REAL, block, LEAF * LEAF);
#else
    REAL own[EACH * EACH];
#endif
    const int s = (int)LOCAL_ID(0) % SIDE, t = (int)LOCAL_ID(0) / SIDE;
    GLOBAL REAL *const a = A + offset;
    int bad = info[0] != 0; /* the same for all; the barriers are passed all the same, as compilers like it best */

    UNROLL
    for (int b = 0; b < EACH; ++b) UNROLL
    for (int e = 0; e < EACH; ++e) {
        const int i = s + SIDE * e, j = t + SIDE * b;
        OWN(e, b) = i < m && j <= i ? a[i + j * ld] : (REAL)0;
    }
    BARRIER(); /* all have read info */

    UNROLL
    for (int part = 0; part < EACH; ++part) {
        const int here = m - part * SIDE < SIDE ? m - part * SIDE : SIDE;
        for (int c = 0; c < here; ++c) {
            const int k = part * SIDE + c;
            LOCAL_PTR REAL *const column = columns + k % 2 * LEAF;
            if (t == c) {
                UNROLL
                for (int e = 0; e < EACH; ++e) column[s + SIDE * e] = OWN(e, part);
            }
            LOCAL_BARRIER();
            const REAL d = column[k];
            if (!bad && !(d > 0)) { /* NaN too */
                if (LOCAL_ID(0) == 0) info[0] = first + k + 1;
                bad = 1;
            }
            const REAL root = bad ? (REAL)1 : sqrt(d), inverse = 1 / root;
            UNROLL
            for (int b = 0; b < EACH; ++b) {
                const int j = t + SIDE * b;
                const REAL right = j > k ? column[j] * inverse : (REAL)0;
                UNROLL
                for (int e = 0; e < EACH; ++e) {
                    const int i = s + SIDE * e;
                    const REAL left = i > k ? column[i] * inverse : (REAL)0;
                    if (j > k) OWN(e, b) -= left * right;
                    if (j == k && i > k) OWN(e, b) = left;
                    if (j == k && i == k) OWN(e, b) = root;
                }
            }
        }
    }
    if (bad) return;
    UNROLL
    for (int b = 0; b < EACH; ++b) UNROLL
    for (int e = 0; e < EACH; ++e) {
        const int i = s + SIDE * e, j = t + SIDE * b;
        if (i < m && j <= i) a[i + j * ld] = OWN(e, b);
    }
}

/* The diagonal block is at `offset`, the `rows` rows are those below it. */
KERNEL WORK_GROUP(ROWS, 1, 1) void cholesky_rows(GLOBAL REAL *A, idx_t offset, idx_t ld, int m, idx_t rows,
                                                 const GLOBAL idx_t *info) {
    LOCAL_ARRAY(REAL, l, LEAF * (LEAF - 1) / 2); /* element (i, k) at COLUMN_AT(k) + i; zeros from row m on */
    LOCAL_ARRAY(REAL, inverses, LEAF);
    const GLOBAL REAL *const t = A + offset;
    const idx_t row = GROUP_ID(0) * ROWS + LOCAL_ID(0);
    GLOBAL REAL *const a = A + offset + m + (row < rows ? row : 0);

    for (int at = (int)LOCAL_ID(0); at < LEAF * LEAF; at += ROWS) {
        const int i = at % LEAF, k = at / LEAF;
        if (i > k) l[COLUMN_AT(k) + i] = i < m ? t[i + k * ld] : (REAL)0;
    }
    for (int k = (int)LOCAL_ID(0); k < LEAF; k += ROWS) inverses[k] = k < m ? 1 / t[k + k * ld] : (REAL)1;
    LOCAL_BARRIER();
    if (row >= rows || info[0] != 0) return;

    for (int p = 0; p < m; p += PART) {
        REAL x[PART];
        UNROLL
        for (int q = 0; q < PART; ++q) x[q] = p + q < m ? a[(p + q) * ld] : (REAL)0;
        for (int k = 0; k < p; ++k) {
            const REAL solved = a[k * ld];
            UNROLL
            for (int q = 0; q < PART; ++q) x[q] -= solved * l[COLUMN_AT(k) + p + q];
        }
        UNROLL
        for (int q = 0; q < PART; ++q) {
            x[q] *= inverses[p + q];
            UNROLL
            for (int r = q + 1; r < PART; ++r) x[r] -= x[q] * l[COLUMN_AT(p + q) + p + r];
        }
        UNROLL
        for (int q = 0; q < PART; ++q)
            if (p + q < m) a[(p + q) * ld] = x[q];
    }
}
