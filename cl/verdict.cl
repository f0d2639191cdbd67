/*
 * verdict.cl: how a factorization and a solve went. The device keeps it, so that the host need not wait. Only a true
 * solution overwrites a right-hand side.
 *
 * words[0 .. 3]: index i + j * rows of the first NaN or Inf of A, L\\U, B and X; FOUND and above: there is none.
 * info[0]: the first column without a pivot, counted from 1, or 0.
 */
#ifndef LS
#define LS 64
#endif
#define ROWS  64
#define NONE  ((idx_t)0x7fffffffffffffff)
#define FOUND ((idx_t)0x7f7f7f7f7f7f7f7f) /* what the host fills the words with, byte by byte */

/* words[slot] becomes the smallest of itself and partial[0 .. count-1]. One group of LS; local memory: LS words. */
KERNEL WORK_GROUP(LS, 1, 1) void verdict_least(GLOBAL const idx_t *partial, idx_t count, GLOBAL idx_t *words,
                                               idx_t slot) {
    LOCAL_ARRAY(idx_t, found, LS);
    const idx_t lid = LOCAL_ID(0);
    idx_t first = NONE;

    for (idx_t c = lid; c < count; c += LS)
        if (partial[c] < first) first = partial[c];
    found[lid] = first;
    BARRIER();
    if (lid == 0) {
        for (int k = 1; k < LS; ++k)
            if (found[k] < first) first = found[k];
        if (first < words[slot]) words[slot] = first;
    }
}

/* The words and info from the record of lu_small.cl, in the place of fills and of passes over A and L\\U: nothing was
 * found before. One group of LS; no local memory. */
KERNEL WORK_GROUP(LS, 1, 1) void verdict_take(GLOBAL const idx_t *record, GLOBAL idx_t *words, GLOBAL idx_t *info) {
    if (LOCAL_ID(0) != 0) return;
    words[0] = record[0];
    words[1] = record[4];
    words[2] = words[3] = NONE;
    info[0] = record[3];
}

/*
 * to(i, j) = from(i, j) for a rows x cols matrix, unless something went wrong before; steps between neighbouring rows
 * and columns of `to` are given, so that it may be of either layout. info counts where it is of the factors in use.
 *
 * Work-group: ROWS work-items, one a row, neighbours on neighbouring rows of `from`; a group goes on to column + number
 * of groups. No local memory.
 */
KERNEL WORK_GROUP(ROWS, 1, 1) void verdict_deliver(GLOBAL const idx_t *words, GLOBAL const idx_t *info, int info_counts,
                                                   GLOBAL const ELEMENT *from, idx_t offset, idx_t ld, idx_t rows,
                                                   idx_t cols, GLOBAL ELEMENT *to, idx_t to_offset, idx_t row_step,
                                                   idx_t column_step) {
    const idx_t i = GROUP_ID(0) * ROWS + LOCAL_ID(0);
    if (i >= rows || (info_counts && info[0] != 0)) return;
    for (int w = 0; w < 4; ++w)
        if (words[w] < FOUND) return;
    for (idx_t j = GROUP_ID(1); j < cols; j += GROUPS(1))
        to[to_offset + i * row_step + j * column_step] = from[offset + i + j * ld];
}
