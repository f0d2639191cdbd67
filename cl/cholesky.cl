/*
 * cholesky.cl: a leaf of the Cholesky factorization A = L L^H, m <= LEAF columns. For real elements L^H is L^T.
 * Where lanes run in step, cholesky_tiles.cl takes its place.
 *
 *     [ L11     ]      cholesky_leaf: A11 = L11 L11^H, m x m, by one work-group
 *     [ L21     ]      cholesky_rows: L21 = A21 L11^-H, as many rows as there are below
 *
 * Both read and write the lower triangle and what is below it alone. info is 0, or the number from 1 of the first
 * column whose leading minor is not positive: then nothing is done, because no factor comes of it.
 *
 * cholesky_leaf. SIDE x SIDE work-items; item (s, t) has the elements (s + SIDE e, t + SIDE b), so that all have about
 * the same to do until the end. Column by column, with d = a(k, k):
 *
 *     a(i, k) of all rows to local memory; barrier
 *     l(k, k) = sqrt(d), l(i, k) = a(i, k) / sqrt(d)
 *     a(i, j) = a(i, j) - l(i, k) conj(l(j, k))   for i, j > k
 *
 * so one barrier a column, behind which each item finds 1 / sqrt(d) by itself: the next column waits for that number
 * alone. Two columns of LEAF elements in local memory take turns. With IN_LOCAL the elements lie in local memory too,
 * LEAF^2, for compilers that do not keep them over barriers. Only the elements that a column still changes are touched:
 * which ones, but for those of its own SIDE columns, the compiler knows.
 *
 * cholesky_rows. Each row is a chain of m steps: x L11^H = a. A diagonal element of L11 is the root of a number of the
 * type, so that its reciprocal is in range. One work-item has a row, PART columns at a time. The columns solved before
 * come from global memory again, neighbours reading neighbours. Local memory: all of conj(L11) below its diagonal; all
 * items read the same element.
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
/* The place where column k of L11 would have its row 0: row k + 1 is its first. */
#define COLUMN_AT(k) ((k) * (LEAF - 1) - (k) * ((k)-1) / 2 - (k)-1)

#define CONJUGATE(a) CONJUGATE_IF(1, a)

#ifdef IN_LOCAL
#define OWN(e, b) block[(s + SIDE * (e)) + (t + SIDE * (b)) * LEAF]
#else
#define OWN(e, b) own[(b)*EACH + (e)]
#endif

/* The diagonal block is at `offset`; its first column is column `first` of the matrix, counted from 0. */
KERNEL WORK_GROUP(SIDE *SIDE, 1, 1) void cholesky_leaf(GLOBAL ELEMENT *A, idx_t offset, idx_t ld, int m, idx_t first,
                                                       GLOBAL idx_t *info) {
    LOCAL_ARRAY(ELEMENT, columns, 2 * LEAF);
#ifdef IN_LOCAL
    LOCAL_ARRAY(ELEMENT, block, LEAF * LEAF);
#else
    ELEMENT own[EACH * EACH];
#endif
    const int s = (int)LOCAL_ID(0) % SIDE, t = (int)LOCAL_ID(0) / SIDE;
    GLOBAL ELEMENT *const a = A + offset;
    int bad = info[0] != 0; /* the same for all; the barriers are passed all the same, as compilers like it best */

    UNROLL
    for (int b = 0; b < EACH; ++b) {
        const int j = t + SIDE * b;
        const GLOBAL ELEMENT *const from = a + s + j * ld;
        UNROLL
        for (int e = b; e < EACH; ++e) {
            const int i = s + SIDE * e;
            OWN(e, b) = i < m && j <= i ? from[SIDE * e] : ZERO;
        }
    }
    BARRIER(); /* all have read info */

    UNROLL
    for (int part = 0; part < EACH; ++part) {
        const int here = m - part * SIDE < SIDE ? m - part * SIDE : SIDE;
        for (int c = 0; c < here; ++c) {
            const int k = part * SIDE + c;
            LOCAL_PTR ELEMENT *const column = columns + k % 2 * LEAF;
            if (t == c) {
                UNROLL
                for (int e = part; e < EACH; ++e) column[s + SIDE * e] = OWN(e, part);
            }
            LOCAL_BARRIER();
            const REAL d = REAL_PART(column[k]);
            if (!bad && !(d > 0)) { /* NaN too */
                if (LOCAL_ID(0) == 0) info[0] = first + k + 1;
                bad = 1;
            }
            const REAL inverse = bad ? (REAL)1 : rsqrt(d);
            ELEMENT left[EACH];
            UNROLL
            for (int e = part; e < EACH; ++e)
                left[e] = e > part || s > c ? BY_REAL(column[s + SIDE * e], inverse) : ZERO;
            UNROLL
            for (int b = part; b < EACH; ++b) {
                const ELEMENT right = b > part || t > c ? BY_REAL(CONJUGATE(column[t + SIDE * b]), inverse) : ZERO;
                UNROLL
                for (int e = b; e < EACH; ++e) OWN(e, b) = LESS_PRODUCT(OWN(e, b), left[e], right);
            }
            if (t == c) {
                UNROLL
                for (int e = part; e < EACH; ++e)
                    if (e > part || s > c) OWN(e, part) = left[e];
                if (s == c) { /* a step of Newton's: a root by itself would take all other work-items' time */
                    const REAL root = d * inverse;
                    OWN(part, part) = FROM_REAL(root + (d - root * root) * inverse / 2);
                }
            }
        }
    }
    if (bad) return;
    UNROLL
    for (int b = 0; b < EACH; ++b) {
        const int j = t + SIDE * b;
        GLOBAL ELEMENT *const to = a + s + j * ld;
        UNROLL
        for (int e = b; e < EACH; ++e) {
            const int i = s + SIDE * e;
            if (i < m && j <= i) to[SIDE * e] = OWN(e, b);
        }
    }
}

/* The diagonal block is at `offset`, the `rows` rows are those below it. */
KERNEL WORK_GROUP(ROWS, 1, 1) void cholesky_rows(GLOBAL ELEMENT *A, idx_t offset, idx_t ld, int m, idx_t rows,
                                                 const GLOBAL idx_t *info) {
    LOCAL_ARRAY(ELEMENT, l, LEAF * (LEAF - 1) / 2); /* element (i, k) at COLUMN_AT(k) + i; zeros from row m on */
    LOCAL_ARRAY(REAL, inverses, LEAF);
    const GLOBAL ELEMENT *const t = A + offset;
    const idx_t row = GROUP_ID(0) * ROWS + LOCAL_ID(0);
    GLOBAL ELEMENT *const a = A + offset + m + (row < rows ? row : 0);

    for (int at = (int)LOCAL_ID(0); at < LEAF * LEAF; at += ROWS) {
        const int i = at % LEAF, k = at / LEAF;
        if (i > k) l[COLUMN_AT(k) + i] = i < m ? CONJUGATE(t[i + k * ld]) : ZERO;
    }
    for (int k = (int)LOCAL_ID(0); k < LEAF; k += ROWS) inverses[k] = k < m ? 1 / REAL_PART(t[k + k * ld]) : (REAL)1;
    LOCAL_BARRIER();
    if (row >= rows || info[0] != 0) return;

    for (int p = 0; p < m; p += PART) {
        ELEMENT x[PART];
        UNROLL
        for (int q = 0; q < PART; ++q) x[q] = p + q < m ? a[(p + q) * ld] : ZERO;
        for (int k = 0; k < p; ++k) {
            const ELEMENT solved = a[k * ld];
            UNROLL
            for (int q = 0; q < PART; ++q) x[q] = LESS_PRODUCT(x[q], solved, l[COLUMN_AT(k) + p + q]);
        }
        UNROLL
        for (int q = 0; q < PART; ++q) {
            x[q] = BY_REAL(x[q], inverses[p + q]);
            UNROLL
            for (int r = q + 1; r < PART; ++r) x[r] = LESS_PRODUCT(x[r], x[q], l[COLUMN_AT(p + q) + p + r]);
        }
        UNROLL
        for (int q = 0; q < PART; ++q)
            if (p + q < m) a[(p + q) * ld] = x[q];
    }
}
