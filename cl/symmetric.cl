/*
 * symmetric.cl: one triangle of a symmetric matrix becomes the other: Q(j, i) = P(i, j), through a tile in local memory
 * so that both sides are read and written along columns. For a hermitian matrix, with CLS_COMPLEX, Q(j, i) is the
 * conjugate, and the diagonal becomes real.
 *
 * Real numbers move as words, so they may be of any type, also doubles on a device that does not compute with
 * them: WORD is unsigned, or with WIDE wide_t.
 *
 * Work-groups: TILE x TILE work-items, group (x, y) has tile (x, y) of P. Local memory: TILE x (TILE + 1) words; the
 * odd length keeps the columns of a tile in different banks.
 */
#ifndef TILE
#define TILE 16
#endif
#if CLS_COMPLEX
#define WORD ELEMENT
#elif defined(WIDE)
#define WORD wide_t
#else
#define WORD unsigned
#endif

/*
 * P is rows x cols, and Q cols x rows. With `diagonal` both are the same square: then the triangle below its diagonal
 * is read, or with `upper` the one above, and the other one is written. Elsewhere P and Q do not overlap. With
 * `conjugate` 1 what is read is the conjugate of a hermitian matrix, and its triangle is put right in P; with 2 the
 * matrix is no hermitian one, but equal to its transpose. With `alone` Q is not written: that is for the sake of P,
 * with CLS_COMPLEX.
 */
KERNEL WORK_GROUP(TILE, TILE, 1) void symmetric_mirror(GLOBAL WORD *P, idx_t p_offset, idx_t p_ld, GLOBAL WORD *Q,
                                                       idx_t q_offset, idx_t q_ld, idx_t rows, idx_t cols, int diagonal,
                                                       int upper, int conjugate, int alone) {
    LOCAL_ARRAY(WORD, tile, TILE * (TILE + 1));
    const idx_t x = LOCAL_ID(0), y = LOCAL_ID(1);
    const idx_t i = GROUP_ID(0) * TILE, j = GROUP_ID(1) * TILE;
    /* The same for the whole group: a tile on the other side of the diagonal has nothing to give. */
    const int skip = diagonal && (upper ? i > j : i < j);

    if (!skip && i + x < rows && j + y < cols) tile[y * (TILE + 1) + x] = P[p_offset + i + x + (j + y) * p_ld];
    BARRIER();
#if CLS_COMPLEX
    if (!skip && i + x < rows && j + y < cols) { /* the element is P(i + x, j + y) */
        const int inside = !diagonal || (upper ? i + x <= j + y : i + x >= j + y);
        ELEMENT a = CONJUGATE_IF(conjugate == 1, tile[y * (TILE + 1) + x]);
        const int real = conjugate != 2 && diagonal && i + x == j + y;
        if (real) a.y = 0;
        if (inside && (conjugate == 1 || real)) P[p_offset + i + x + (j + y) * p_ld] = a;
    }
#else
    (void)conjugate;
#endif
    if (skip || alone || j + x >= cols || i + y >= rows) return;
    /* Here the element is P(i + y, j + x). */
    if (diagonal && (upper ? i + y >= j + x : i + y <= j + x)) return;
    Q[q_offset + j + x + (i + y) * q_ld] = CONJUGATE_IF(!conjugate, tile[x * (TILE + 1) + y]);
}
