/*
 * trsm.cl: B = op(T)^-1 B for T of order m <= MOST_ROWS and B m x n, both column-major, in one launch.
 *
 * All four cases are one forward substitution with a lower triangle W:
 *
 *     forward  (L x = b, U^T x = b)   W(i, j) = op(T)(i, j),              y(i) = b(i)
 *     backward (U x = b, L^T x = b)   W(i, j) = op(T)(m-1-i, m-1-j),      y(i) = b(m-1-i)
 *
 * by blocks of 32 rows: what earlier blocks contribute is taken away, block by block, then
 *
 *     for k = 0 .. 31:   y(k) = y(k) / W(k, k);   y(i) = y(i) - W(i, k) y(k)  for i > k
 *
 * The last block is filled up by the identity and by zeros.
 *
 * Work-group: 32 x 8 work-items, a row of the block each and EACH of the group's 8 EACH columns of B; the global size is
 * n / (8 EACH) rounded up, times 256. A column's 32 work-items are neighbours: where those run in step (LANES) the steps
 * exchange y(k) without local memory or a barrier. Local memory: the solved rows of the columns and one block of W, in double 25
 * KB with EACH = 2, 42 KB with 4. An element of W that is read serves EACH columns: the more, the less local memory is
 * what the products wait for; few columns fill more groups with 2.
 * Access: 32 neighbouring work-items read 32 neighbouring elements of a column of T, of B; the odd pitch keeps both
 * directions through local memory free of bank conflicts; a solved y(k) is one word for all rows.
 */
#ifndef EACH
#define EACH 2
#endif
#define ORDER     32
#define MOST_ROWS 128
#define SIDES     8 /* work-items beside each other in a row */
#define COLUMNS   (SIDES * EACH)
#define PITCH     (ORDER + 1)
#define X_PITCH   (MOST_ROWS + 1)
#define HELD      (ORDER / SIDES) /* elements of a block of W that a work-item brings */

/* Where y times 1 / d is as good as y / d. */
#if CLS_DOUBLE
#define SAFE 1e-280
#else
#define SAFE 1e-30f
#endif

/* The steps of a diagonal block: y becomes the solution, also at `solved`. */
HELPER void solve_block(const LOCAL_PTR REAL *w, int row, int unit, REAL *y, LOCAL_PTR REAL *const *solved) {
    const REAL diagonal = unit ? (REAL)1 : w[row + row * PITCH];
#ifdef LANES
    const unsigned unsafe = !(ABS(diagonal) > SAFE && ABS(diagonal) < 1 / SAFE);
    const int divide = LANES_VOTE(unsafe) != 0; /* the same for all lanes */
    const REAL inverse = 1 / diagonal;

#pragma unroll 2
    for (int k = 0; k < ORDER; ++k) {
        const REAL l = w[row + k * PITCH];
#pragma unroll
        for (int c = 0; c < EACH; ++c) {
            REAL z = y[c] * inverse;
            if (divide) z = y[c] / diagonal;
            z = LANES_GET_REAL(z, k);
            y[c] = row > k ? y[c] - l * z : row == k ? z : y[c];
        }
    }
#pragma unroll
    for (int c = 0; c < EACH; ++c) solved[c][row] = y[c];
#else
    for (int k = 0; k < ORDER; ++k) {
        if (row == k)
            for (int c = 0; c < EACH; ++c) solved[c][k] = y[c] = y[c] / diagonal;
        BARRIER();
        if (row > k)
            for (int c = 0; c < EACH; ++c) y[c] -= w[row + k * PITCH] * solved[c][k];
    }
#endif
}

KERNEL WORK_GROUP(256, 1, 1) void trsm(int m, idx_t n, int backward, int trans, int unit, const GLOBAL REAL *RESTRICT t,
                                       idx_t t_offset, idx_t ldt, GLOBAL REAL *RESTRICT b, idx_t b_offset, idx_t ldb) {
    LOCAL_ARRAY(REAL, w, ORDER * PITCH);     /* W(i, j) of a block at i + j * PITCH */
    LOCAL_ARRAY(REAL, x, COLUMNS * X_PITCH); /* y(i) of column c at i + c * X_PITCH */
    const int row = (int)LOCAL_ID(0) % ORDER, side = (int)LOCAL_ID(0) / ORDER;
    const idx_t column = GROUP_ID(0) * COLUMNS + side; /* the first; SIDES apart */
    const int blocks = (m + ORDER - 1) / ORDER;

    for (int i = 0; i < blocks; ++i) {
        const int r = i * ORDER + row, there = r < m;
        const idx_t at = b_offset + (backward ? m - 1 - r : r);
        LOCAL_PTR REAL *solved[EACH];
        REAL y[EACH];

#pragma unroll
        for (int c = 0; c < EACH; ++c) {
            y[c] = there && column + c * SIDES < n ? b[at + (column + c * SIDES) * ldb] : (REAL)0;
            solved[c] = x + (side + c * SIDES) * X_PITCH + i * ORDER;
        }
        for (int j = 0; j <= i; ++j) {
            REAL held[HELD];
#pragma unroll
            for (int h = 0; h < HELD; ++h) { /* neighbours along T's columns */
                const int p = row, q = side + h * SIDES;
                const int wi = i * ORDER + (trans ? q : p), wj = j * ORDER + (trans ? p : q);
                const int ti = backward ? m - 1 - wi : wi, tj = backward ? m - 1 - wj : wj;
                held[h] = wi == wj ? (REAL)1 : (REAL)0;
                if (wi < m && wj < m && (wi > wj || (wi == wj && !unit)))
                    held[h] = t[t_offset + (trans ? tj + ti * ldt : ti + tj * ldt)];
            }
            BARRIER(); /* the block before is no longer read */
#pragma unroll
            for (int h = 0; h < HELD; ++h)
                w[trans ? side + h * SIDES + row * PITCH : row + (side + h * SIDES) * PITCH] = held[h];
            BARRIER();
            if (j < i) {
#pragma unroll 8
                for (int k = 0; k < ORDER; ++k) {
                    const REAL l = w[row + k * PITCH];
#pragma unroll
                    for (int c = 0; c < EACH; ++c) y[c] -= l * solved[c][(j - i) * ORDER + k];
                }
            }
        }
        solve_block(w, row, unit, y, solved);
#pragma unroll
        for (int c = 0; c < EACH; ++c)
            if (there && column + c * SIDES < n) b[at + (column + c * SIDES) * ldb] = y[c];
    }
}
