/*
 * symmetric.cl: one triangle of a symmetric matrix becomes the other: Q(j, i) = P(i, j), through a tile in local memory
 * so that both sides are read and written along columns.
 *
 * Only words move, so the elements may be of any type, also doubles on a device that does not compute with them: WORD is
 * unsigned, or with WIDE wide_t.
 *
 * Work-groups: TILE x TILE work-items, group (x, y) has tile (x, y) of P. Local memory: TILE x (TILE + 1) words; the odd
 * length keeps the columns of a tile in different banks.
 */
#ifndef TILE
#define TILE 16
#endif
#ifdef WIDE
#define WORD wide_t
#else
#define WORD unsigned
#endif

/*
 * P is rows x cols, and Q cols x rows. With `diagonal` both are the same square: then the triangle below its diagonal is
 * read, or with `upper` the one above, and the other one is written. Elsewhere P and Q do not overlap.
 */
KERNEL WORK_GROUP(TILE, TILE, 1) void symmetric_mirror(GLOBAL const WORD *P, idx_t p_offset, idx_t p_ld, GLOBAL WORD *Q,
                                                       idx_t q_offset, idx_t q_ld, idx_t rows, idx_t cols, int diagonal,
                                                       int upper) {
    LOCAL_ARRAY(WORD, tile, TILE * (TILE + 1));
    const idx_t x = LOCAL_ID(0), y = LOCAL_ID(1);
    const idx_t i = GROUP_ID(0) * TILE, j = GROUP_ID(1) * TILE;
    /* The same for the whole group: a tile on the other side of the diagonal has nothing to give. */
    const int skip = diagonal && (upper ? i > j : i < j);

    if (!skip && i + x < rows && j + y < cols) tile[y * (TILE + 1) + x] = P[p_offset + i + x + (j + y) * p_ld];
    BARRIER();
    if (skip || j + x >= cols || i + y >= rows) return;
    /* Here the element is P(i + y, j + x). */
    if (diagonal && (upper ? i + y >= j + x : i + y <= j + x)) return;
    Q[q_offset + j + x + (i + y) * q_ld] = tile[x * (TILE + 1) + y];
}
