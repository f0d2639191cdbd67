/*
 * symmetric_check.cl: is a square matrix symmetric, or of complex elements hermitian, or with `transposed` symmetric;
 * and with `positive`, is its diagonal positive?
 *
 *     A(i,j) = A(j,i)     hermitian: the conjugate of A(j,i), so that the diagonal is real     A(i,i) > 0
 *
 * A NaN is equal to nothing. Either layout may be given as column-major, because the transpose has the same answer.
 *
 * Work-groups: TILE x LY work-items, dimension 0 along a column. A group compares a tile below the diagonal with the
 * one above it that mirrors it, then the pair GROUPS(0) further on; the pairs are counted down the columns of tiles.
 * So every element is read once, but those of tiles on the diagonal twice. Both tiles are read along columns, the
 * upper one into local memory: TILE x (TILE + 1) elements, whose odd length keeps the columns in different banks, and
 * a word.
 *
 * *record becomes `mark` where an answer is no. A group that finds it there ends: the groups that run together begin
 * with the first columns, so a matrix that is not symmetric usually costs no more than these. Several groups may
 * write the mark at once, always the same one. To miss it costs time alone.
 */
#ifndef TILE
#define TILE 32
#endif
#ifndef LY
#define LY 8
#endif
#if CLS_COMPLEX
#define MIRRORS(a, b) ((a).x == (b).x && (a).y == (transposed ? (b).y : -(b).y))
#else
#define MIRRORS(a, b) ((a) == (b))
#endif

KERNEL WORK_GROUP(TILE, LY, 1) void symmetric_check(GLOBAL const ELEMENT *A, idx_t offset, idx_t ld, idx_t n,
                                                    int transposed, int positive, unsigned mark,
                                                    volatile GLOBAL unsigned *record) {
    LOCAL_ARRAY(ELEMENT, tile, TILE * (TILE + 1));
    LOCAL_ARRAY(unsigned, seen, 1);
    const idx_t x = LOCAL_ID(0), y = LOCAL_ID(1), tiles = (n + TILE - 1) / TILE;
    (void)transposed;             /* of real elements both kinds are one */
    idx_t i = GROUP_ID(0), j = 0; /* the tile below the diagonal: its number down, and across */

    for (;;) {
        for (; j < tiles && i >= tiles; ++j) i += j + 1 - tiles; /* column j + 1 begins on the diagonal */
        if (j >= tiles) return;
        const idx_t row = i * TILE + x, above = j * TILE + x;
        int differs = 0;
        for (idx_t c = y; c < TILE; c += LY) {
            const idx_t column = i * TILE + c;
            if (above < n && column < n) tile[c * (TILE + 1) + x] = A[offset + above + column * ld];
        }
        if (x == 0 && y == 0) seen[0] = *record;
        LOCAL_BARRIER();
        for (idx_t c = y; c < TILE; c += LY) {
            const idx_t column = j * TILE + c;
            if (row < n && column < n) {
                const ELEMENT a = A[offset + row + column * ld], b = tile[x * (TILE + 1) + c]; /* A(column, row) */
                differs |= !MIRRORS(a, b) || (positive && row == column && !(REAL_PART(a) > 0));
            }
        }
        if (differs) *record = mark;
        if (seen[0] == mark) return;
        i += GROUPS(0);
        LOCAL_BARRIER(); /* all have read the tile and the word */
    }
}
