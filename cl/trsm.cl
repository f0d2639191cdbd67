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
 * Work-group: 32 x 8 work-items, a row of the block each and 2 of the group's 16 columns of B; the global size is n / 16
 * rounded up, times 256. A column's 32 work-items are neighbours: where those run in step no barrier is needed between the
 * steps of a block. Local memory: the solved rows of the 16 columns and one block of W, 25 KB in double.
 * Access: 32 neighbouring work-items read 32 neighbouring elements of a column of T, of B; the odd pitch keeps both
 * directions through local memory free of bank conflicts; a solved y(k) is one word for all rows.
 */
#define ORDER     32
#define COLUMNS   16
#define MOST_ROWS 128
#define SIDES     8 /* work-items beside each other in a row */
#define PITCH     (ORDER + 1)
#define X_PITCH   (MOST_ROWS + 1)
#define HELD      (ORDER / SIDES) /* elements of a block of W that a work-item brings */

#ifdef LANES
#define STEP_DONE() LANES_SYNC()
#else
#define STEP_DONE() BARRIER()
#endif

KERNEL WORK_GROUP(256, 1, 1) void trsm(int m, idx_t n, int backward, int trans, int unit, const GLOBAL REAL *RESTRICT t,
                                       idx_t t_offset, idx_t ldt, GLOBAL REAL *RESTRICT b, idx_t b_offset, idx_t ldb) {
    LOCAL_ARRAY(REAL, w, ORDER * PITCH);     /* W(i, j) of a block at i + j * PITCH */
    LOCAL_ARRAY(REAL, x, COLUMNS * X_PITCH); /* y(i) of column c at i + c * X_PITCH */
    const int row = (int)LOCAL_ID(0) % ORDER, side = (int)LOCAL_ID(0) / ORDER;
    const idx_t column0 = GROUP_ID(0) * COLUMNS + side, column1 = column0 + SIDES;
    const int blocks = (m + ORDER - 1) / ORDER;
    LOCAL_PTR REAL *const x0 = x + side * X_PITCH, *const x1 = x0 + SIDES * X_PITCH;

    for (int i = 0; i < blocks; ++i) {
        const int r = i * ORDER + row, there = r < m;
        const idx_t at = b_offset + (backward ? m - 1 - r : r);
        REAL y0 = there && column0 < n ? b[at + column0 * ldb] : (REAL)0;
        REAL y1 = there && column1 < n ? b[at + column1 * ldb] : (REAL)0;

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
#pragma unroll
                for (int k = 0; k < ORDER; ++k) {
                    y0 -= w[row + k * PITCH] * x0[j * ORDER + k];
                    y1 -= w[row + k * PITCH] * x1[j * ORDER + k];
                }
            }
        }
        for (int k = 0; k < ORDER; ++k) {
            if (row == k) {
                if (!unit) {
                    y0 = y0 / w[k + k * PITCH];
                    y1 = y1 / w[k + k * PITCH];
                }
                x0[i * ORDER + k] = y0;
                x1[i * ORDER + k] = y1;
            }
            STEP_DONE();
            if (row > k) {
                y0 -= w[row + k * PITCH] * x0[i * ORDER + k];
                y1 -= w[row + k * PITCH] * x1[i * ORDER + k];
            }
        }
        if (there && column0 < n) b[at + column0 * ldb] = y0;
        if (there && column1 < n) b[at + column1 * ldb] = y1;
    }
}
