/*
 * gemm_complex.cl: op(A) as a real matrix, so that a real product multiplies complex matrices. A complex number a + b i
 * acts on (re, im) as a matrix of 2 x 2, and a complex column of n lies in memory as a real one of 2 n:
 *
 *      op(A) B = C        [ a  -b ] [ re B ]   [ re C ]
 *                         [ b   a ] [ im B ] = [ im C ]       for each element of op(A), m x k
 *
 * So B and C are real matrices as they lie, of 2 k and 2 m rows, and of op(A) each column is there twice: as it is, and
 * times i. A transposed B is turned by the same kernel, each column of op(B) once.
 *
 * Work-groups: TILE x TILE work-items, one a tile of op(A), dimension 0 along its rows. Local memory: a tile of
 * TILE x (TILE + 1) elements, by which a transposed one is read and written along columns.
 */
#ifndef TILE
#define TILE 16
#endif

/* trans: 1 transposed, 2 conjugate too. unit: the diagonal is 1, whatever is there. Column l of op(A) becomes the
 * columns 2 l and 2 l + 1, m rows each, of `to`; or, where `once`, the column l. */
KERNEL WORK_GROUP(TILE, TILE, 1) void gemm_complex(idx_t m, idx_t k, int trans, int unit, int once,
                                                   GLOBAL const ELEMENT *RESTRICT a, idx_t offset, idx_t lda,
                                                   GLOBAL ELEMENT *RESTRICT to) {
    LOCAL_ARRAY(ELEMENT, tile, TILE * (TILE + 1));
    const int x = (int)LOCAL_ID(0), y = (int)LOCAL_ID(1);
    const idx_t i = GROUP_ID(0) * TILE, l = GROUP_ID(1) * TILE;

    if (trans) {
        if (l + x < k && i + y < m) tile[y * (TILE + 1) + x] = a[offset + l + x + (i + y) * lda];
    } else {
        if (i + x < m && l + y < k) tile[x * (TILE + 1) + y] = a[offset + i + x + (l + y) * lda];
    }
    LOCAL_BARRIER();
    if (i + x < m && l + y < k) {
        ELEMENT e = CONJUGATE_IF(trans == 2, tile[x * (TILE + 1) + y]);
        if (unit && i + x == l + y) e = FROM_REAL(1);
        to[i + x + (once ? 1 : 2) * (l + y) * m] = e;
        if (!once) to[i + x + (2 * (l + y) + 1) * m] = TIMES_I(e);
    }
}
