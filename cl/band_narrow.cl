/*
 * band_narrow.cl: LU with partial pivoting of band matrices with few diagonals, a work-group a matrix.
 *
 * AB is LAPACK's gbtrf storage: a(i,c) at row top + i - c of column c, `ld` elements between columns, `member` between
 * matrices; what is not A's is zero before. Rows above top - KV, KV = KL + KU, are not touched. The algorithm is
 * gbtf2's (LAPACK), column by column:
 *
 *        j         j+KV          rows j .. j+KL of the columns j .. j+KV are the window, the only part of the matrix
 *     j  | p  u u u u  |         that column j changes. It is in local memory, as a ring both ways: row j gives its
 *        | l  x x x x  |         place to row j+KL+1, column j to column j+KV+1. Each element of A is read once and
 *   j+KL | l  x x x x  |         each of the factors written once.
 *
 * All work-items look for the pivot themselves; then each makes a share of the multipliers; a barrier; then work-item
 * (x, y) updates the rows y of the columns x, whose pivot row it has read before the barrier; a barrier. Pivots divide.
 *
 * Work-groups: LX x LY. Access: L and U leave by columns and rows, the latter ld - 1 elements apart; the row that
 * enters is fetched a step ahead of its use. Local memory: (KL + 1) (KV + 1) + KL + 1 words, 34 KB at most in double.
 *
 * Columns begin .. end-1 are eliminated, the window being taken from AB and put back, so that no launch gets too long.
 */
#ifndef KL
#define KL 2
#endif
#ifndef KU
#define KU 2
#endif
#ifndef LX
#define LX 8
#endif
#ifndef LY
#define LY 1
#endif
#define KV   (KL + KU)
#define ROWS (KL + 1)
#define COLS (KV + 1)
#define HELD ((COLS + LX - 1) / LX)

/* The place of the k-th line after the one at `first`. */
HELPER int place(int first, int k, int lines) {
    return first + k < lines ? first + k : first + k - lines;
}

#define W(r, c) window[place(row0, r, ROWS) + place(col0, c, COLS) * ROWS]

KERNEL WORK_GROUP(LX, LY, 1) void band_narrow_factor(GLOBAL ELEMENT *AB, idx_t top, idx_t ld, idx_t member, idx_t n,
                                                     idx_t begin, idx_t end, GLOBAL idx_t *ipiv, GLOBAL idx_t *info) {
    LOCAL_ARRAY(ELEMENT, window, ROWS * COLS);
    LOCAL_ARRAY(ELEMENT, multiplier, ROWS);
    const int x = (int)LOCAL_ID(0), y = (int)LOCAL_ID(1), item = y * LX + x;
    GLOBAL ELEMENT *a = AB + GROUP_ID(0) * member + top; /* a(i,c) at a[i - c + c * ld] */
    GLOBAL idx_t *pivots = ipiv + GROUP_ID(0) * n;
    ELEMENT upper[HELD], first[HELD], fresh[HELD];
    int row0 = 0, col0 = 0, reach = KV;
    idx_t zero = 0;

    for (int t = item; t < ROWS * COLS; t += LX * LY) {
        const int r = t % ROWS, c = t / ROWS;
        window[t] = begin + r < n && begin + c < n ? a[r - c + (begin + c) * ld] : ZERO;
    }
    BARRIER();

    for (idx_t j = begin; j < end; ++j) {
        const idx_t below = n - 1 - j; /* rows and columns that there are after j */
        int p = 0;
        REAL best = SIZE_1(W(0, 0));
        for (int r = 1; r <= KL; ++r) { /* those beyond the last are zero */
            const REAL value = SIZE_1(W(r, 0));
            if (value > best) {
                best = value;
                p = r;
            }
        }
        const ELEMENT pivot = W(p, 0), diagonal = W(0, 0);
        reach = reach - 1 > KU + p ? reach - 1 : KU + p; /* columns after j in which any row has something */
        for (int h = 0; h < HELD; ++h) {
            const int c = 1 + x + h * LX;
            upper[h] = c <= KV ? W(p, c) : ZERO;
            first[h] = c <= KV ? W(0, c) : ZERO;
            fresh[h] = ZERO;
            if (y == 0 && c <= COLS && c <= below && ROWS <= below) fresh[h] = a[ROWS - c + (j + c) * ld];
        }
        for (int r = 1 + item; r <= KL; r += LX * LY) {
            ELEMENT value = r == p ? diagonal : W(r, 0);
            if (IS_NONZERO_ELEMENT(pivot)) value = OVER(value, pivot);
            multiplier[r] = value;
            if (r <= below) a[r + j * ld] = value;
        }
        if (item == 0) {
            pivots[j] = j + p + 1;
            a[j * ld] = pivot;
            if (IS_ZERO_ELEMENT(pivot) && zero == 0) zero = j + 1;
        }
        BARRIER();

        for (int h = 0; h < HELD; ++h) {
            const int c = 1 + x + h * LX;
            if (c > COLS) continue;
            if (y == 0 && c <= KV && c <= below) a[-c + (j + c) * ld] = upper[h];
            if (c <= reach)
                for (int r = 1 + y; r <= KL; r += LY)
                    W(r, c) = LESS_PRODUCT(r == p ? first[h] : W(r, c), multiplier[r], upper[h]);
            if (c == COLS) /* column j's place */
                for (int r = 1 + y; r <= KL; r += LY) W(r, 0) = ZERO;
            if (y == 0) W(0, c == COLS ? 0 : c) = fresh[h];
        }
        BARRIER();
        row0 = place(row0, 1, ROWS);
        col0 = place(col0, 1, COLS);
    }

    for (int t = item; t < ROWS * COLS && end < n; t += LX * LY) {
        const int r = t % ROWS, c = t / ROWS;
        if (end + r < n && end + c < n) a[r - c + (end + c) * ld] = W(r, c);
    }
    if (item == 0 && zero != 0 && info[GROUP_ID(0)] == 0) info[GROUP_ID(0)] = zero;
}

/*
 * One of the four sweeps of a solve over the rows begin .. end-1 of a right-hand side, a work-group each: GROUP_ID(0)
 * the matrix, GROUP_ID(1) the right-hand side. The rows in use are a ring in local memory:
 *
 *   SWEEP_L    downwards   b_j with b_p, then b_(j+r) -= l_(j+r),j b_j
 *   SWEEP_UT   downwards   b_j /= u_jj,  then b_(j+r) -= u_j,(j+r) b_j
 *   SWEEP_U    upwards     b_j /= u_jj,  then b_(j-r) -= u_(j-r),j b_j
 *   SWEEP_LT   upwards     b_j -= sum of l_(j+r),j b_(j+r), then b_j with b_p
 *
 * Work-groups: LX * LY in a row. Local memory: 2 (KV + 1) words.
 */
enum { SWEEP_L = 0, SWEEP_UT = 1, SWEEP_U = 2, SWEEP_LT = 3 };
#if CLS_COMPLEX /* 4 more: of the conjugates */
#define SWEEP_OF(which)   ((which)&3)
#define CONJUGATES(which) ((which) >> 2)
#else
#define SWEEP_OF(which)   (which)
#define CONJUGATES(which) 0
#endif
#define LS    (LX * LY)
#define SHARE ((KV + LS) / LS) /* of the KV coefficients, at least one */

#define B(k) ring[place(row0, k, COLS)]

/* L, UT and U: what is left of b_j is final as soon as it is the first of the ring. */
HELPER void sweep_on(int which, GLOBAL const ELEMENT *a, idx_t ld, idx_t n, idx_t begin, idx_t end,
                     GLOBAL const idx_t *pivots, GLOBAL ELEMENT *b, LOCAL_PTR ELEMENT *ring) {
    const int sweep = SWEEP_OF(which);
    const int x = (int)LOCAL_ID(0), width = sweep == SWEEP_L ? KL : KV, up = sweep == SWEEP_U;
    int row0 = 0;
    ELEMENT coefficient[SHARE];

    for (int k = x; k < COLS; k += LS) {
        const idx_t i = up ? end - 1 - k : begin + k;
        ring[k] = k <= width && i >= 0 && i < n ? b[i] : ZERO;
    }
    BARRIER();
    for (idx_t step = begin; step < end; ++step) {
        const idx_t j = up ? end - 1 - (step - begin) : step, left = up ? j : n - 1 - j;
        const int p = sweep == SWEEP_L ? (int)(pivots[j] - 1 - j) : 0;
        const ELEMENT first = B(0);
        ELEMENT value = B(p);
        if (sweep != SWEEP_L) value = OVER(value, CONJUGATE_IF(CONJUGATES(which), a[j * ld]));
        for (int s = 0; s < SHARE; ++s) {
            const int r = 1 + x + s * LS;
            coefficient[s] = ZERO;
            if (r > width || r > left) continue;
            coefficient[s] = sweep == SWEEP_L ? a[r + j * ld]
                             : up             ? a[-r + j * ld]
                                              : CONJUGATE_IF(CONJUGATES(which), a[-r + (j + r) * ld]);
        }
        ELEMENT fresh = ZERO;
        if (x == 0 && width < left) fresh = up ? b[j - width - 1] : b[j + width + 1];
        BARRIER();
        for (int s = 0; s < SHARE; ++s) {
            const int r = 1 + x + s * LS;
            if (r <= width) B(r) = LESS_PRODUCT(r == p ? first : B(r), coefficient[s], value);
        }
        if (x == 0) {
            b[j] = value;
            B(width + 1 < COLS ? width + 1 : 0) = fresh; /* where the ring has room for the row that comes in */
        }
        BARRIER();
        row0 = place(row0, 1, COLS);
    }
    /* The rows that are begun and not done. */
    for (int k = x; k <= width; k += LS) {
        const idx_t i = up ? begin - 1 - k : end + k;
        if (i >= 0 && i < n) b[i] = B(k);
    }
}

/* LT: a row is final when the ring goes past it, for pivots may still move it. */
HELPER void sweep_back(int which, GLOBAL const ELEMENT *a, idx_t ld, idx_t n, idx_t begin, idx_t end,
                       GLOBAL const idx_t *pivots, GLOBAL ELEMENT *b, LOCAL_PTR ELEMENT *ring, LOCAL_PTR ELEMENT *l) {
    const int x = (int)LOCAL_ID(0);
    (void)which;  /* of real numbers */
    int row0 = 0; /* of b_(j+1) before step j */

    for (int k = x; k < KL; k += LS) ring[k] = end + k < n ? b[end + k] : ZERO;
    BARRIER();
    for (idx_t j = end - 1; j >= begin; --j) {
        for (int r = 1 + x; r <= KL; r += LS) l[r] = j + r < n ? CONJUGATE_IF(CONJUGATES(which), a[r + j * ld]) : ZERO;
        BARRIER();
        row0 = place(row0, COLS - 1, COLS);
        if (x == 0) {
            const int p = (int)(pivots[j] - 1 - j);
            ELEMENT sum = b[j];
            for (int r = 1; r <= KL; ++r) sum = LESS_PRODUCT(sum, l[r], B(r));
            if (p > 0) {
                const ELEMENT other = B(p);
                B(p) = sum;
                sum = other;
            }
            B(0) = sum;
            if (j + KL < n) b[j + KL] = B(KL);
        }
        BARRIER();
    }
    for (int k = x; k < KL; k += LS)
        if (begin + k < n) b[begin + k] = B(k);
}

KERNEL WORK_GROUP(LS, 1, 1) void band_narrow_sweep(int which, GLOBAL const ELEMENT *AB, idx_t top, idx_t ld,
                                                   idx_t member, idx_t n, idx_t begin, idx_t end,
                                                   GLOBAL const idx_t *ipiv, GLOBAL ELEMENT *b, idx_t offset, idx_t ldb,
                                                   idx_t b_member) {
    LOCAL_ARRAY(ELEMENT, ring, COLS);
    LOCAL_ARRAY(ELEMENT, l, COLS);
    GLOBAL const ELEMENT *a = AB + GROUP_ID(0) * member + top;
    GLOBAL const idx_t *pivots = ipiv + GROUP_ID(0) * n;
    GLOBAL ELEMENT *mine = b + offset + GROUP_ID(0) * b_member + GROUP_ID(1) * ldb;
    if (SWEEP_OF(which) == SWEEP_LT)
        sweep_back(which, a, ld, n, begin, end, pivots, mine, ring, l);
    else
        sweep_on(which, a, ld, n, begin, end, pivots, mine, ring);
}
