/*
 * gj_block.cl: what blocked Gauss-Jordan needs apart from the panel and the matrix products (src/method/gauss_jordan/
 * blocked.c): taking the block row out and putting it back, the columns' order at the end, a block's LU without
 * pivoting, the 1-norm.
 *
 * Work-groups: LS work-items, neighbours on neighbouring rows of a column; a group takes columns, or blocks of LS *
 * ROWS rows, as each kernel says. On a CPU LS is 1 and the loops over rows vectorise. Local memory: gj_norm LS
 * elements, gj_column_sources LS words.
 */
#ifndef LS
#define LS 64
#endif
#ifndef ROWS
#define ROWS 1
#endif

/*
 * For each of `cols` columns of A, the first of which is column `first` of the matrix: its rows j .. j + width - 1 go
 * to R, the same column of it. Within the panel, columns j .. j + width - 1, R receives the unit matrix instead. Groups
 * share the columns.
 */
KERNEL WORK_GROUP(LS, 1, 1) void gj_take_rows(GLOBAL const ELEMENT *A, idx_t offset, idx_t ld, idx_t cols, idx_t first,
                                              idx_t j, idx_t width, GLOBAL ELEMENT *R, idx_t r_offset, idx_t r_ld) {
    for (idx_t c = GROUP_ID(0); c < cols; c += GROUPS(0)) {
        GLOBAL const ELEMENT *column = A + offset + c * ld + j;
        GLOBAL ELEMENT *taken = R + r_offset + c * r_ld;
        const idx_t unit = first + c - j;
        if (unit >= 0 && unit < width)
            for (idx_t i = LOCAL_ID(0); i < width; i += LS) taken[i] = i == unit ? FROM_REAL(1) : ZERO;
        else
            for (idx_t i = LOCAL_ID(0); i < width; i += LS) taken[i] = column[i];
    }
}

/* R back into the rows j .. j + width - 1 of `cols` columns of A. */
KERNEL WORK_GROUP(LS, 1, 1) void gj_put_rows(GLOBAL ELEMENT *A, idx_t offset, idx_t ld, idx_t cols, idx_t j,
                                             idx_t width, GLOBAL const ELEMENT *R, idx_t r_offset, idx_t r_ld) {
    for (idx_t c = GROUP_ID(0); c < cols; c += GROUPS(0))
        for (idx_t i = LOCAL_ID(0); i < width; i += LS) A[offset + c * ld + j + i] = R[r_offset + c * r_ld + i];
}

/* Where column c of the inverse lies, when the columns are still in the order that the exchanges of rows left: the
 * exchanges of gj_swap_columns followed back, from the last to the first. A work-item a column. */
KERNEL WORK_GROUP(LS, 1, 1) void gj_column_sources(idx_t n_, GLOBAL const idx_t *ipiv, GLOBAL idx_t *sources) {
    LOCAL_ARRAY(int, pivots, LS);
    const int lid = (int)LOCAL_ID(0), n = (int)n_, c = (int)(GROUP_ID(0) * LS) + lid;
    int at = c;
    for (int begin = 0; begin < n; begin += LS) {
        pivots[lid] = begin + lid < n ? (int)ipiv[begin + lid] - 1 : n; /* n: no column's place */
        LOCAL_BARRIER();
#pragma unroll 8
        for (int k = 0; k < LS; ++k) {
            const int p = pivots[k];
            const int to = at == begin + k ? p : at == p ? begin + k : at;
            at = p < n ? to : at;
        }
        LOCAL_BARRIER();
    }
    if (c < n) sources[c] = at;
}

/* The rows j .. j + width - 1 of A into R, each column from where it lies. Groups share the columns. */
KERNEL WORK_GROUP(LS, 1, 1) void gj_gather_rows(GLOBAL const ELEMENT *A, idx_t offset, idx_t ld, idx_t n, idx_t j,
                                                idx_t width, GLOBAL const idx_t *sources, GLOBAL ELEMENT *R,
                                                idx_t r_offset, idx_t r_ld) {
    for (idx_t c = GROUP_ID(0); c < n; c += GROUPS(0)) {
        GLOBAL const ELEMENT *column = A + offset + sources[c] * ld + j;
        for (idx_t i = LOCAL_ID(0); i < width; i += LS) R[r_offset + c * r_ld + i] = column[i];
    }
}

/* Exchanges columns k and ipiv[k] - 1 of A for k = n-1 .. 0, as the rows were exchanged in the order 0 .. n-1. A group
 * has LS * ROWS rows. */
KERNEL WORK_GROUP(LS, 1, 1) void gj_swap_columns(GLOBAL ELEMENT *A, idx_t offset, idx_t ld, idx_t n,
                                                 GLOBAL const idx_t *ipiv) {
    const idx_t begin = GROUP_ID(0) * LS * ROWS;
    const idx_t end = begin + LS * ROWS < n ? begin + LS * ROWS : n;
    for (idx_t k = n - 1; k >= 0; --k) {
        const idx_t p = ipiv[k] - 1;
        if (p == k || p < 0 || p >= n) continue; /* beyond n: of a leaf that gave up */
        GLOBAL ELEMENT *x = A + offset + k * ld;
        GLOBAL ELEMENT *y = A + offset + p * ld;
        for (idx_t i = begin + LOCAL_ID(0); i < end; i += LS) {
            const ELEMENT held = x[i];
            x[i] = y[i];
            y[i] = held;
        }
    }
}

/* The same for one pair, whose columns may lie in two buffers. */
KERNEL WORK_GROUP(LS, 1, 1) void gj_swap_pair(GLOBAL ELEMENT *A, idx_t a_offset, GLOBAL ELEMENT *B, idx_t b_offset,
                                              idx_t n) {
    const idx_t begin = GROUP_ID(0) * LS * ROWS;
    const idx_t end = begin + LS * ROWS < n ? begin + LS * ROWS : n;
    for (idx_t i = begin + LOCAL_ID(0); i < end; i += LS) {
        const ELEMENT held = A[a_offset + i];
        A[a_offset + i] = B[b_offset + i];
        B[b_offset + i] = held;
    }
}

/*
 * LU of the width x width block at A in place, without pivoting: L below the diagonal with a unit diagonal, U on and
 * above it; *info as gj_pivot's, `top` the number of the block's first column. One group.
 */
KERNEL WORK_GROUP(LS, 1, 1) void gj_block_factor(GLOBAL ELEMENT *A, idx_t offset, idx_t ld, idx_t width, idx_t top,
                                                 GLOBAL idx_t *info) {
    const idx_t lid = LOCAL_ID(0);
    GLOBAL ELEMENT *a = A + offset;
    for (idx_t t = 0; t < width; ++t) {
        const ELEMENT pivot = a[t + t * ld];
        if (lid == 0 && info[0] == 0)
            info[0] = IS_ZERO_ELEMENT(pivot) ? top + t + 1 : IS_BOUNDED(pivot) ? 0 : -(top + t + 1);
        for (idx_t i = t + 1 + lid; i < width; i += LS) a[i + t * ld] = OVER(a[i + t * ld], pivot);
        BARRIER();
        for (idx_t c = t + 1; c < width; ++c) {
            const ELEMENT u = a[t + c * ld];
            for (idx_t i = t + 1 + lid; i < width; i += LS)
                a[i + c * ld] = LESS_PRODUCT(a[i + c * ld], a[i + t * ld], u);
        }
        BARRIER();
    }
}

/* Each element of `cols` columns becomes its conjugate. Groups share the columns. */
KERNEL WORK_GROUP(LS, 1, 1) void gj_conjugate(GLOBAL ELEMENT *A, idx_t offset, idx_t ld, idx_t rows, idx_t cols) {
    for (idx_t c = GROUP_ID(0); c < cols; c += GROUPS(0))
        for (idx_t i = LOCAL_ID(0); i < rows; i += LS) A[offset + i + c * ld] = CONJUGATE_IF(1, A[offset + i + c * ld]);
}

/* partial[group]: the largest sum of |a_ij| scale over a column, of the group's columns. A CPU's work-item keeps
 * several sums. */
KERNEL WORK_GROUP(LS, 1, 1) void gj_norm(GLOBAL const ELEMENT *A, idx_t offset, idx_t ld, idx_t rows, idx_t cols,
                                         REAL scale, GLOBAL REAL *partial) {
    LOCAL_ARRAY(REAL, sums, LS);
    const idx_t lid = LOCAL_ID(0);
    REAL most = 0;
    for (idx_t j = GROUP_ID(0); j < cols; j += GROUPS(0)) {
        GLOBAL const ELEMENT *column = A + offset + j * ld;
        REAL sum[8] = {0, 0, 0, 0, 0, 0, 0, 0};
        idx_t i = lid;
        for (; i + 7 * LS < rows; i += 8 * LS)
            for (int s = 0; s < 8; ++s) sum[s] += MODULUS_BY(column[i + s * LS], scale);
        for (; i < rows; i += LS) sum[0] += MODULUS_BY(column[i], scale);
        sums[lid] = ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
        BARRIER();
        for (int step = LS / 2; step > 0; step /= 2) {
            if (lid < step) sums[lid] += sums[lid + step];
            BARRIER();
        }
        most = sums[0] > most ? sums[0] : most;
        BARRIER();
    }
    if (lid == 0) partial[GROUP_ID(0)] = most;
}
