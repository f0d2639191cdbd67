/*
 * trsm.cl: B = op(T)^-1 B for one diagonal block: T is m x m with m <= 32, B is m x n, both column-major.
 *
 * All four cases are one forward substitution with a lower triangle W:
 *
 *     forward  (L x = b, U^T x = b)   W(i, j) = op(T)(i, j),              y(i) = b(i)
 *     backward (U x = b, L^T x = b)   W(i, j) = op(T)(m-1-i, m-1-j),      y(i) = b(m-1-i)
 *
 *     for k = 0 .. m-1:   y(k) = y(k) / W(k, k);   y(i) = y(i) - W(i, k) y(k)  for i > k
 *
 * W is filled up to order 32 by the identity and y by zeros, so that the loops have constant bounds and y stays in
 * registers.
 *
 * Work-group: 64 work-items, one column of B each; the global size is n rounded up to 64.
 * Local memory: W (32 x 33) and the group's part of B (64 columns, 33 apart): 25 344 bytes in double.
 * Access: T and B go through local memory: 32 neighbouring work-items read 32 neighbouring rows of a column, and the
 * odd pitch keeps both directions through local memory free of bank conflicts. W(i, k) is one word for all.
 */
#define ORDER   32
#define COLUMNS 64
#define PITCH   (ORDER + 1)

KERNEL WORK_GROUP(COLUMNS, 1, 1) void trsm(int m, idx_t n, int backward, int trans, int unit,
                                           const GLOBAL REAL *RESTRICT t, idx_t t_offset, idx_t ldt,
                                           GLOBAL REAL *RESTRICT b, idx_t b_offset, idx_t ldb) {
    LOCAL_ARRAY(REAL, w, ORDER * PITCH);       /* W(i, j) at i + j * PITCH */
    LOCAL_ARRAY(REAL, tile, COLUMNS * PITCH);  /* y(i) of column c at i + c * PITCH */
    unsigned me = (unsigned)LOCAL_ID(0);
    int item = (int)me, lane = (int)(me % ORDER), side = (int)(me / ORDER);
    idx_t first = GROUP_ID(0) * COLUMNS;
    REAL y[ORDER];

    /* Element (r, c) of T itself; its place in W follows from op and from the direction. */
    for (int c = side; c < ORDER; c += COLUMNS / ORDER) {
        int r = lane, i = trans ? c : r, j = trans ? r : c;
        if (backward) {
            i = m - 1 - i;
            j = m - 1 - j;
        }
        if (r >= m || c >= m)
            w[r + c * PITCH] = r == c ? (REAL)1 : (REAL)0;
        else if (i == j && unit)
            w[i + j * PITCH] = (REAL)1;
        else if (i >= j)
            w[i + j * PITCH] = t[t_offset + r + c * ldt];
        else
            w[i + j * PITCH] = (REAL)0;
    }
    for (int c = side; c < COLUMNS; c += COLUMNS / ORDER) {
        int i = backward ? m - 1 - lane : lane;
        if (lane >= m)
            tile[lane + c * PITCH] = (REAL)0;
        else
            tile[i + c * PITCH] = first + c < n ? b[b_offset + lane + (first + c) * ldb] : (REAL)0;
    }
    BARRIER();

#pragma unroll
    for (int i = 0; i < ORDER; i++) y[i] = tile[i + item * PITCH];
#pragma unroll
    for (int k = 0; k < ORDER; k++) {
        y[k] = y[k] / w[k + k * PITCH];
#pragma unroll
        for (int i = k + 1; i < ORDER; i++) y[i] = y[i] - w[i + k * PITCH] * y[k];
    }
#pragma unroll
    for (int i = 0; i < ORDER; i++) tile[i + item * PITCH] = y[i];
    BARRIER();

    for (int c = side; c < COLUMNS; c += COLUMNS / ORDER) {
        int i = backward ? m - 1 - lane : lane;
        if (lane < m && first + c < n) b[b_offset + lane + (first + c) * ldb] = tile[i + c * PITCH];
    }
}
