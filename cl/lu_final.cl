/*
 * lu_final.cl: L with its rows where all later pivots move them, made of block columns whose rows have stayed as their
 * own panels left them (method/several/home.c).
 *
 * lu_final_rows makes a list for each block column: row i of the final L is row list[i] of the block column. The leaves
 * behind the block column are followed from the first to the last, as lu_move_rows of lu_rows.cl does.
 *
 * lu_final_place copies: to(i, c) = from(list[i], c). Rows of a column lie apart, but all of them are read at nearly
 * the same time, so that caches read the column from memory once.
 *
 * Work-groups: LX work-items. In lu_final_rows one group has a block column, because each leaf waits for the one before
 * it; a work-item keeps 2 * WIDTH / LX entries. In lu_final_place neighbours go along a column. No local memory.
 */
#ifndef LX
#define LX 64
#endif
#ifndef WIDTH
#define WIDTH 32
#endif
#define HELD ((2 * WIDTH + LX - 1) / LX)

/* `lists`: n entries a block column of `block` columns. */
KERNEL WORK_GROUP(LX, 1, 1) void lu_final_rows(GLOBAL int *lists, idx_t n, idx_t block, GLOBAL const idx_t *sources,
                                               GLOBAL const idx_t *targets) {
    const idx_t lx = LOCAL_ID(0), first = (GROUP_ID(0) + 1) * block;
    const idx_t leaves = first < n ? (n - first + WIDTH - 1) / WIDTH : 0;
    GLOBAL int *const list = lists + GROUP_ID(0) * n;

#pragma unroll 1
    for (idx_t i = lx; i < n; i += LX) list[i] = (int)i;
    BARRIER();
#pragma unroll 1
    for (idx_t s = 0; s < leaves; ++s) {
        const idx_t c = first + s * WIDTH, pairs = 2 * (c + WIDTH < n ? WIDTH : n - c);
        int held[HELD];
        for (int h = 0; h < HELD; ++h) {
            const idx_t q = lx + h * LX;
            if (q < pairs && sources[2 * c + q] >= 0) held[h] = list[sources[2 * c + q]];
        }
        BARRIER();
        for (int h = 0; h < HELD; ++h) {
            const idx_t q = lx + h * LX;
            if (q < pairs && targets[2 * c + q] >= 0) list[targets[2 * c + q]] = held[h];
        }
        BARRIER();
    }
}

/* The rows begin .. end-1 of `columns` columns, by the list of block column `number`. */
KERNEL WORK_GROUP(LX, 1, 1) void lu_final_place(GLOBAL const ELEMENT *from, idx_t from_offset, idx_t from_ld,
                                                GLOBAL ELEMENT *to, idx_t to_offset, idx_t to_ld,
                                                GLOBAL const int *lists, idx_t n, idx_t number, idx_t begin, idx_t end,
                                                idx_t columns) {
    const idx_t i = begin + GROUP_ID(0) * LX + LOCAL_ID(0);

    if (i < end) {
        const idx_t row = lists[number * n + i];
        for (idx_t c = GROUP_ID(1); c < columns; c += GROUPS(1))
            to[to_offset + i + c * to_ld] = from[from_offset + row + c * from_ld];
    }
}
