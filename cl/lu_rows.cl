/*
 * lu_rows.cl: moves the rows that the factored leaves have exchanged, in other columns: LAPACK's laswp, but by lists of
 * (source, target) made by lu_leaf_swaps, so that the rows of one leaf move at once. The leaves of a panel follow each
 * other inside one launch.
 *
 * lu_merge_moves makes one list of a block's leaves, for lu_move_rows with the block in a leaf's place: then a column
 * is read and written once.
 *
 * Leaf s (columns c = begin + s * width) has its list at sources[2 * c], two entries a column. `reverse` undoes: the
 * leaves from the last to the first, targets and sources exchanged.
 *
 * Work-groups: LX x LY work-items, LX along a list, LY along columns; each column belongs to one group, which reads
 * all rows of a list before it writes any. A work-item keeps 2 * WIDTH / LX elements. No local memory. Rows lie apart
 * in memory, so accesses don't coalesce; a leaf moves at most 2 * WIDTH elements a column. Loops over leaves and
 * entries stay loops, for the compiler's time.
 */
#ifndef LX
#define LX 64
#endif
#ifndef LY
#define LY 4
#endif
#ifndef WIDTH
#define WIDTH 32
#endif
#ifndef MERGES /* 1: with lu_merge_moves */
#define MERGES 1
#endif
#define HELD ((2 * WIDTH + LX - 1) / LX)

/* A work-item alone needs no barrier; with one, PoCL 6.0 left out the moves of a list of two entries. */
#if LX * LY == 1
#define MEET()
#else
#define MEET() BARRIER()
#endif

KERNEL WORK_GROUP(LX, LY, 1) void lu_move_rows(GLOBAL ELEMENT *A, idx_t offset, idx_t ld, idx_t columns, idx_t hole,
                                               idx_t hole_width, GLOBAL const idx_t *sources,
                                               GLOBAL const idx_t *targets, idx_t begin, idx_t end, idx_t width,
                                               int reverse) {
    const idx_t lx = LOCAL_ID(0);
    const idx_t leaves = (end - begin + width - 1) / width;

    for (idx_t first = GROUP_ID(0) * LY; first < columns; first += GROUPS(0) * LY) {
        idx_t j = first + LOCAL_ID(1);
        const int mine = j < columns;
        if (j >= hole) j += hole_width;       /* the columns of the panel itself are left out */
        const idx_t column = offset + j * ld; /* a view's rows may begin before its buffer does */

#pragma unroll 1
        for (idx_t s = 0; s < leaves; ++s) {
            const idx_t c = begin + (reverse ? leaves - 1 - s : s) * width;
            const idx_t pairs = 2 * (c + width < end ? width : end - c);
            GLOBAL const idx_t *from = (reverse ? targets : sources) + 2 * c;
            GLOBAL const idx_t *to = (reverse ? sources : targets) + 2 * c;
            ELEMENT held[HELD];
            for (int h = 0; h < HELD; ++h) {
                const idx_t q = lx + h * LX;
                if (mine && q < pairs && from[q] >= 0) held[h] = A[column + from[q]];
            }
            MEET();
            for (int h = 0; h < HELD; ++h) {
                const idx_t q = lx + h * LX;
                if (mine && q < pairs && to[q] >= 0) A[column + to[q]] = held[h];
            }
            MEET();
        }
    }
}

#if MERGES

/*
 * The leaves of the columns begin .. end-1 as one list, from entry 2 * begin on: an entry for the last leaf that moves
 * a row, with the row that its content has come from, through all leaves before. A work-item an entry; neighbours walk
 * the same lists.
 */
KERNEL WORK_GROUP(LX, LY,
                  1) void lu_merge_moves(GLOBAL const idx_t *RESTRICT sources, GLOBAL const idx_t *RESTRICT targets,
                                         GLOBAL idx_t *RESTRICT merged_sources, GLOBAL idx_t *RESTRICT merged_targets,
                                         idx_t begin, idx_t end, idx_t width) {
    const idx_t first = 2 * begin, last = 2 * end;
    const idx_t q = first + (GROUP_ID(0) * LY + LOCAL_ID(1)) * LX + LOCAL_ID(0);

    if (q >= last) return;
    const idx_t leaf = first + (q - first) / (2 * width) * (2 * width), target = targets[q];
    idx_t row = target >= 0 ? sources[q] : -1, moves_again = 0;
    for (idx_t p = leaf + 2 * width; p < last; ++p) moves_again |= targets[p] == target;
#pragma unroll 1
    for (idx_t before = leaf - 2 * width; before >= first; before -= 2 * width) {
        idx_t from = row;
        for (idx_t p = before; p < before + 2 * width; ++p)
            if (targets[p] == row) from = sources[p];
        row = from;
    }
    if (moves_again || row == target) row = -1;
    merged_sources[q] = row;
    merged_targets[q] = row >= 0 ? target : -1;
}

#endif
