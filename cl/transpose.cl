/*
 * transpose.cl: row-major to column-major and back, through a tile in local memory so that both sides are read and
 * written along columns.
 *
 * Work-groups: TILE x TILE work-items, dimension 0 along the rows of a tile. Local memory: one or two tiles of
 * TILE x (TILE + 1) elements; the odd row length keeps the columns of a tile in different banks.
 */
#ifndef TILE
#define TILE 16
#endif

/* to (cols x rows) = from (rows x cols) transposed; the two do not overlap. Group (x, y): tile (x, y) of `from`. */
KERNEL WORK_GROUP(TILE, TILE, 1) void transpose_copy(GLOBAL const ELEMENT *from, idx_t from_offset, idx_t from_ld,
                                                     GLOBAL ELEMENT *to, idx_t to_offset, idx_t to_ld, idx_t rows,
                                                     idx_t cols) {
    LOCAL_ARRAY(ELEMENT, tile, TILE * (TILE + 1));
    const idx_t x = LOCAL_ID(0), y = LOCAL_ID(1);
    const idx_t i = GROUP_ID(0) * TILE, j = GROUP_ID(1) * TILE;

    if (i + x < rows && j + y < cols) tile[y * (TILE + 1) + x] = from[from_offset + i + x + (j + y) * from_ld];
    BARRIER();
    if (j + x < cols && i + y < rows) to[to_offset + j + x + (i + y) * to_ld] = tile[x * (TILE + 1) + y];
}

/*
 * Exchanges Q (rows x cols) with the transpose of P (cols x rows), element (i, j) of Q with (j, i) of P. With
 * `diagonal` P and Q are the same square and only tiles on and below the diagonal's other side are handled, each pair
 * once: then it is the transposition in place. Group (x, y): tile (x, y) of Q and tile (y, x) of P.
 */
KERNEL WORK_GROUP(TILE, TILE, 1) void transpose_exchange(GLOBAL ELEMENT *P, idx_t p_offset, idx_t p_ld,
                                                         GLOBAL ELEMENT *Q, idx_t q_offset, idx_t q_ld, idx_t rows,
                                                         idx_t cols, int diagonal) {
    LOCAL_ARRAY(ELEMENT, p_tile, TILE * (TILE + 1));
    LOCAL_ARRAY(ELEMENT, q_tile, TILE * (TILE + 1));
    const idx_t x = LOCAL_ID(0), y = LOCAL_ID(1);
    const idx_t i = GROUP_ID(0) * TILE, j = GROUP_ID(1) * TILE;
    const int skip = diagonal && GROUP_ID(0) > GROUP_ID(1); /* the same for the whole group */
    const int in_q = !skip && i + x < rows && j + y < cols;
    const int in_p = !skip && j + x < cols && i + y < rows;

    if (in_q) q_tile[y * (TILE + 1) + x] = Q[q_offset + i + x + (j + y) * q_ld];
    if (in_p) p_tile[y * (TILE + 1) + x] = P[p_offset + j + x + (i + y) * p_ld];
    BARRIER();
    /* On a diagonal tile both writes put the same value into the same place's partner: P's write alone does it. */
    if (in_q && !(diagonal && GROUP_ID(0) == GROUP_ID(1)))
        Q[q_offset + i + x + (j + y) * q_ld] = p_tile[x * (TILE + 1) + y];
    if (in_p) P[p_offset + j + x + (i + y) * p_ld] = q_tile[x * (TILE + 1) + y];
}
