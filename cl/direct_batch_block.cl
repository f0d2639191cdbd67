/*
 * direct_batch_block.cl: members of a batch that are factored by blocks of BLOCK columns, with front_panel.cl, which
 * factors the columns k .. k + BLOCK - 1 of all rows below k:
 *
 *       k       BLOCK
 *      +-----+---------+
 *      | L11 |   A12   |    direct_batch_right      rows of A12 and A22 are exchanged; A12 becomes U12 = L11^-1 A12
 *      +-----+---------+    direct_batch_product    A22 - L21 U12, of Cholesky the lower triangle of A22 - L21 L21^H
 *      | L21 |   A22   |    direct_batch_left       at the end: the exchanges of later blocks in each block's rows
 *      +-----+---------+
 *
 * exchanges[ROWS_OF(m) + i] is the row with which row i was exchanged.
 *
 *                            work-groups, GROUP_ID(1) of them a member          local memory
 *   direct_batch_right       COLUMNS columns, a work-item each                  BLOCK^2 + COLUMNS (BLOCK + 1) elements,
 *                                                                               3 BLOCK ints
 *   direct_batch_product     TILE x TILE elements, EDGE x EDGE a work-item      BLOCK (2 TILE + 1) elements
 *   direct_batch_left        STRIP columns, PER rows each of LS work-items      MOST_ROWS ints
 *
 * Access: neighbours on neighbouring rows.
 */
#ifndef COLUMNS
#define COLUMNS 64
#endif
#ifndef LS
#define LS 64
#endif
#ifndef BLOCK
#define BLOCK 32
#endif
#ifndef TILE
#define TILE 32
#endif
#ifndef STRIP
#define STRIP 8
#endif
#ifndef PER
#define PER 2
#endif
#ifndef MOST_ROWS
#define MOST_ROWS 128
#endif
#define EDGE   4
#define ACROSS (TILE / EDGE) /* work-items of a tile in each direction */
#define PITCH  (BLOCK + 1)
#define SOME   8 /* rows on their way at once */

#include "direct_batch.clh"

/* No constant to compilers, which warn of constants in conditions. */
HELPER int is_half(void) {
    return CHOLESKY;
}

/* The first column right of the block, and elements of A from row and column k on. */
#define BLOCK_OF_MEMBER                                                                                                \
    const int lid = (int)LOCAL_ID(0);                                                                                  \
    const idx_t m = MEMBER(GROUP_ID(0));                                                                               \
    const int order = ORDER_OF(m), rest = order - k - BLOCK;                                                           \
    const idx_t ld = order;                                                                                            \
    GLOBAL ELEMENT *const a = F + FACTORS_OF(m) + k + k * ld;                                                          \
    MEMBERS_TAKEN

#if !CHOLESKY

/* Which row comes to place `row` by all exchanges of a block: row c with row with[c], c = 0, 1, ... */
HELPER int row_for(int row, LOCAL_PTR const int *with) {
    for (int c = BLOCK - 1; c >= 0; --c) {
        const int other = with[c];
        row = row == other ? c : row == c ? other : row;
    }
    return row;
}

KERNEL WORK_GROUP(COLUMNS, 1, 1) void direct_batch_right(MEMBERS, const int k, GLOBAL ELEMENT *F,
                                                         GLOBAL const int *RESTRICT exchanges) {
    LOCAL_ARRAY(int, with, BLOCK);
    LOCAL_ARRAY(int, source, 2 * BLOCK); /* of the block's rows; of row with[c] below it, else -1 */
    LOCAL_ARRAY(ELEMENT, t, BLOCK * BLOCK);
    LOCAL_ARRAY(ELEMENT, x, COLUMNS * PITCH);
    BLOCK_OF_MEMBER;
    const int first = BLOCK + (int)GROUP_ID(1) * COLUMNS, column = first + lid; /* from k on */
    ELEMENT value[BLOCK];
    if (first >= order - k) return;
    (void)rest;
    for (int c = lid; c < BLOCK; c += COLUMNS) with[c] = exchanges[ROWS_OF(m) + k + c] - k;
    for (int e = lid; e < BLOCK * BLOCK; e += COLUMNS) t[e] = a[e % BLOCK + e / BLOCK * ld];
    LOCAL_BARRIER();
    for (int c = lid; c < 2 * BLOCK; c += COLUMNS) {
        const int place = c < BLOCK ? c : with[c % BLOCK];
        source[c] = c < BLOCK || place >= BLOCK ? row_for(place, with) : -1;
    }
    LOCAL_BARRIER();
    const int has_column = column < order - k;
    for (int e = lid; e < BLOCK * COLUMNS; e += COLUMNS) {
        const int r = e % BLOCK, c = e / BLOCK;
        x[c * PITCH + r] = first + c < order - k ? a[source[r] + (first + c) * ld] : ZERO;
    }
    BARRIER(); /* rows below the block are read that are written now; those of the block are as they were */
    for (int begin = 0; begin < BLOCK; begin += SOME) {
        ELEMENT down[SOME];
        UNROLL
        for (int q = 0; q < SOME; ++q) {
            const int from_row = source[BLOCK + begin + q];
            down[q] = has_column && from_row >= 0 ? a[from_row + column * ld] : ZERO;
        }
        UNROLL
        for (int q = 0; q < SOME; ++q)
            if (has_column && source[BLOCK + begin + q] >= 0) a[with[begin + q] + column * ld] = down[q];
    }
    UNROLL
    for (int c = 0; c < BLOCK; ++c) value[c] = x[lid * PITCH + c];
    UNROLL
    for (int c = 0; c < BLOCK; ++c) {
        UNROLL
        for (int r = c + 1; r < BLOCK; ++r) SUBTRACT_PRODUCT(value[r], t[r + c * BLOCK], value[c]);
    }
    UNROLL
    for (int c = 0; c < BLOCK; ++c) x[lid * PITCH + c] = value[c];
    BARRIER();
    for (int e = lid; e < BLOCK * COLUMNS; e += COLUMNS) {
        const int r = e % BLOCK, c = e / BLOCK;
        if (first + c < order - k) a[r + (first + c) * ld] = x[c * PITCH + r];
    }
}

/* Columns STRIP * GROUP_ID(1) and those behind it, all of one block; rows of later blocks are exchanged. */
KERNEL WORK_GROUP(LS, 1, 1) void direct_batch_left(MEMBERS, GLOBAL ELEMENT *F, GLOBAL const int *RESTRICT exchanges) {
    LOCAL_ARRAY(int, with, MOST_ROWS);
    const int k = (int)GROUP_ID(1) * STRIP / BLOCK * BLOCK, column = (int)GROUP_ID(1) * STRIP - k;
    BLOCK_OF_MEMBER;
    ELEMENT y[PER][STRIP];
    int place[PER];
    if (rest <= 0) return;
    for (int c = lid; c < rest; c += LS) with[c] = exchanges[ROWS_OF(m) + k + BLOCK + c] - (k + BLOCK);
    LOCAL_BARRIER();
    UNROLL
    for (int q = 0; q < PER; ++q) {
        const int i = lid + q * LS;
        int row = i;
        for (int c = 0; c < rest; ++c) {
            const int other = with[c];
            row = row == other ? c : row == c ? other : row;
        }
        place[q] = i < rest && row != i ? row : -1;
        UNROLL
        for (int j = 0; j < STRIP; ++j) y[q][j] = place[q] >= 0 ? a[BLOCK + i + (column + j) * ld] : ZERO;
    }
    BARRIER();
    UNROLL
    for (int q = 0; q < PER; ++q) {
        UNROLL
        for (int j = 0; j < STRIP; ++j)
            if (place[q] >= 0) a[BLOCK + place[q] + (column + j) * ld] = y[q][j];
    }
}

#endif

/* Tiles: so many in each direction. */
KERNEL WORK_GROUP(ACROSS *ACROSS, 1, 1) void direct_batch_product(MEMBERS, const int k, const int tiles,
                                                                  GLOBAL ELEMENT *F) {
    LOCAL_ARRAY(ELEMENT, left, BLOCK * TILE);
    LOCAL_ARRAY(ELEMENT, up, BLOCK * (TILE + 1));
    BLOCK_OF_MEMBER;
    const int x = lid % ACROSS, y = lid / ACROSS;
    const int row = (int)GROUP_ID(1) % tiles * TILE, column = (int)GROUP_ID(1) / tiles * TILE;
    GLOBAL ELEMENT *const b = a + BLOCK + BLOCK * ld;
    ELEMENT sum[EDGE][EDGE];
    if (row >= rest || column >= rest || (is_half() && row < column)) return;
    UNROLL
    for (int q = 0; q < EDGE; ++q) {
        UNROLL
        for (int p = 0; p < EDGE; ++p) {
            const int i = row + x + p * ACROSS, j = column + y + q * ACROSS;
            sum[q][p] = ZERO;
            if (i < rest && j < rest) sum[q][p] = b[i + j * ld];
        }
    }
    for (int e = lid; e < BLOCK * TILE; e += ACROSS * ACROSS) {
        const int i = e % TILE, c = e / TILE;
        ELEMENT value = ZERO;
        if (row + i < rest) value = a[BLOCK + row + i + c * ld];
        left[e] = value;
    }
#if CHOLESKY
    for (int e = lid; e < BLOCK * TILE; e += ACROSS * ACROSS) {
        const int j = e % TILE, c = e / TILE;
        ELEMENT value = ZERO;
        if (column + j < rest) value = CONJUGATE_IF(1, a[BLOCK + column + j + c * ld]);
        up[c * (TILE + 1) + j] = value;
    }
#else
    for (int e = lid; e < BLOCK * TILE; e += ACROSS * ACROSS) {
        const int c = e % BLOCK, j = e / BLOCK;
        ELEMENT value = ZERO;
        if (column + j < rest) value = a[c + (BLOCK + column + j) * ld];
        up[c * (TILE + 1) + j] = value;
    }
#endif
    LOCAL_BARRIER();
    UNROLL_SOME
    for (int c = 0; c < BLOCK; ++c) {
        ELEMENT l[EDGE], u[EDGE];
        UNROLL
        for (int p = 0; p < EDGE; ++p) {
            l[p] = left[c * TILE + x + p * ACROSS];
            u[p] = up[c * (TILE + 1) + y + p * ACROSS];
        }
        UNROLL
        for (int q = 0; q < EDGE; ++q) {
            UNROLL
            for (int p = 0; p < EDGE; ++p) SUBTRACT_PRODUCT(sum[q][p], l[p], u[q]);
        }
    }
    UNROLL
    for (int q = 0; q < EDGE; ++q) {
        UNROLL
        for (int p = 0; p < EDGE; ++p) {
            const int i = row + x + p * ACROSS, j = column + y + q * ACROSS;
            if (i < rest && j < rest && !(is_half() && i < j)) b[i + j * ld] = sum[q][p];
        }
    }
}
