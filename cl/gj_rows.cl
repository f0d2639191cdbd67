/*
 * gj_rows.cl: Gauss-Jordan elimination on (A|B), one pivot a launch, a work-item an element.
 *
 *     l_i = a_ik / a_pk,   a_ij -= l_i a_pj   for the rows i that the launch is for and the columns j that are open,
 *
 * with p the row of pivot k. Rows stay where they are: pivots[k] is the row of pivot k and place[i] the pivot that row
 * i served as, NOT_YET (all bytes 0x7f) before. So "below pivot k" is place[i] > k and "above" place[i] < k.
 *
 * No launch writes what another work-item of it reads: the pivot's row is not normalised before the end, and the
 * pivot's column stays as it is, since nobody reads it any more. Each work-item makes its own quotient l_i.
 *
 * Work-groups: gj_pivot one group of LS; gj_rows LS work-items (neighbours on neighbouring rows) by 1, dimension 0 over
 * blocks of LS * ROWS rows, dimension 1 over columns; on a GPU ROWS is 1, on a CPU LS is 1 and the loop over ROWS rows
 * is what the compiler vectorises. Local memory: gj_pivot LS elements and LS indices.
 */
#ifndef LS
#define LS 64
#endif
#ifndef ROWS
#define ROWS 1
#endif

/* A NaN counts as the largest, so that it becomes the pivot and the result is seen to be no number. */
HELPER REAL magnitude(ELEMENT x) {
    return IS_NUMBER(x) ? SIZE_1(x) : (REAL)INFINITY;
}

/*
 * Chooses the row of pivot k: the largest in column k of the rows that have not been pivots, the first of equals;
 * without `pivoting` row k. *info becomes the number, from 1, of the first column whose pivot is zero, or less than 0
 * where a pivot was Inf or NaN before that: what it divides would be zero, and finite again. Each Inf or NaN of the
 * elimination comes to a pivot or to the result, for what is subtracted spreads it over its column and, from the
 * pivot's row, over all rows.
 */
KERNEL WORK_GROUP(LS, 1, 1) void gj_pivot(GLOBAL const ELEMENT *P, idx_t p_offset, idx_t n, idx_t k, int pivoting,
                                          GLOBAL idx_t *place, GLOBAL idx_t *pivots, GLOBAL idx_t *info) {
    LOCAL_ARRAY(REAL, value, LS);
    LOCAL_ARRAY(idx_t, row, LS);
    const idx_t lid = LOCAL_ID(0);
    REAL best = -1;
    idx_t best_row = k;

    if (pivoting)
        for (idx_t i = lid; i < n; i += LS)
            if (place[i] > k) {
                const REAL x = magnitude(P[p_offset + i]);
                if (x > best) {
                    best = x;
                    best_row = i;
                }
            }
    value[lid] = best;
    row[lid] = best_row;
    BARRIER();
    for (int step = LS / 2; step > 0; step /= 2) {
        if (lid < step && (value[lid + step] > value[lid] ||
                           (value[lid + step] == value[lid] && value[lid] >= 0 && row[lid + step] < row[lid]))) {
            value[lid] = value[lid + step];
            row[lid] = row[lid + step];
        }
        BARRIER();
    }
    if (lid == 0) {
        const idx_t p = row[0];
        pivots[k] = p;
        place[p] = k;
        const ELEMENT pivot = P[p_offset + p];
        if (info[0] == 0) info[0] = IS_ZERO_ELEMENT(pivot) ? k + 1 : IS_BOUNDED(pivot) ? 0 : -(k + 1);
    }
}

/*
 * `cols` columns of A at `offset` in the rows below pivot k (which & 1) and above it (which & 2). P holds the pivot's
 * column at p_offset; it is none of the columns that are written, but may lie in the same buffer.
 */
KERNEL WORK_GROUP(LS, 1, 1) void gj_rows(GLOBAL const ELEMENT *P, idx_t p_offset, GLOBAL ELEMENT *A, idx_t offset,
                                         idx_t ld, idx_t cols, idx_t n, idx_t k, int which, GLOBAL const idx_t *place,
                                         GLOBAL const idx_t *pivots) {
    const idx_t p = pivots[k];
    const ELEMENT pivot = P[p_offset + p];
    const idx_t first = GROUP_ID(0) * LS * ROWS + LOCAL_ID(0);
    const int mine = (int)(first >= n ? 0 : first + (ROWS - 1) * LS < n ? ROWS : (n - first + LS - 1) / LS);
    ELEMENT l[ROWS];
    int active[ROWS];

    for (int r = 0; r < mine; ++r) {
        const idx_t i = first + r * LS, at = place[i];
        active[r] = (at > k && (which & 1)) || (at < k && (which & 2));
        l[r] = ZERO;
        if (active[r] && !IS_ZERO_ELEMENT(pivot)) l[r] = OVER(P[p_offset + i], pivot);
    }
    for (idx_t j = GROUP_ID(1); j < cols; j += GROUPS(1)) {
        GLOBAL ELEMENT *column = A + offset + j * ld;
        const ELEMENT u = column[p];
        for (int r = 0; r < mine; ++r)
            if (active[r]) column[first + r * LS] = LESS_PRODUCT(column[first + r * LS], l[r], u);
    }
}

/* X_kj = b_pj / a_pk, p the row of pivot k, for the pivots k = begin .. begin + width - 1, whose columns lie at A. */
KERNEL WORK_GROUP(LS, 1, 1) void gj_extract(GLOBAL const ELEMENT *A, idx_t a_offset, idx_t a_ld, idx_t begin,
                                            idx_t width, GLOBAL const ELEMENT *B, idx_t b_offset, idx_t b_ld,
                                            GLOBAL ELEMENT *X, idx_t x_offset, idx_t x_ld, idx_t cols,
                                            GLOBAL const idx_t *pivots) {
    const idx_t k = GROUP_ID(0) * LS + LOCAL_ID(0);
    if (k >= width) return;
    const idx_t p = pivots[begin + k];
    const ELEMENT pivot = A[a_offset + p + k * a_ld];
    for (idx_t j = GROUP_ID(1); j < cols; j += GROUPS(1))
        X[x_offset + begin + k + j * x_ld] = OVER(B[b_offset + p + j * b_ld], pivot);
}

/* rows x cols with ones at (first + j, j), where these are rows of it, and zeros elsewhere. */
KERNEL WORK_GROUP(LS, 1, 1) void gj_identity(GLOBAL ELEMENT *A, idx_t offset, idx_t ld, idx_t rows, idx_t cols,
                                             idx_t first) {
    for (idx_t j = GROUP_ID(1); j < cols; j += GROUPS(1))
        for (int r = 0; r < ROWS; ++r) {
            const idx_t i = (GROUP_ID(0) * ROWS + r) * LS + LOCAL_ID(0);
            if (i < rows) A[offset + i + j * ld] = i == first + j ? FROM_REAL(1) : ZERO;
        }
}
