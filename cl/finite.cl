/*
 * finite.cl: is there a NaN or an Inf in a matrix, and where is the first?
 *
 * A value is not finite when all bits of its exponent are set; integer tests, because they vectorise on a CPU. Each
 * work-group looks at the rows of its share in each of its columns and writes the smallest index i + j * rows of what
 * it found, or NONE, into partial[group]; the host reads those few words.
 *
 * Work-groups: GROUPS(0) share the rows, GROUPS(1) the columns; LS work-items (a power of two), neighbours on
 * neighbouring rows. Local memory: LS words.
 */
#ifndef LS
#define LS 64
#endif

#define NONE ((idx_t)0x7fffffffffffffff)

KERNEL WORK_GROUP(LS, 1, 1) void find_nonfinite(GLOBAL const REAL_BITS *A, idx_t offset, idx_t ld, idx_t rows,
                                                idx_t cols, idx_t first_column, GLOBAL idx_t *partial) {
    LOCAL_ARRAY(idx_t, found, LS);
    const idx_t share = (rows + GROUPS(0) - 1) / GROUPS(0);
    const idx_t begin = GROUP_ID(0) * share;
    const idx_t end = begin + share < rows ? begin + share : rows;
    const idx_t lid = LOCAL_ID(0);
    idx_t first = NONE;

    for (idx_t j = GROUP_ID(1); j < cols; j += GROUPS(1)) {
        GLOBAL const REAL_BITS *column = A + offset + j * ld;
        int bad = 0;
        for (idx_t i = begin + lid; i < end; i += LS) bad |= (column[i] & REAL_EXPONENT) == REAL_EXPONENT;
        if (bad && first == NONE)
            for (idx_t i = begin + lid; i < end; i += LS)
                if (first == NONE && (column[i] & REAL_EXPONENT) == REAL_EXPONENT) first = i + (first_column + j) * rows;
    }

    found[lid] = first;
    BARRIER();
    for (int step = LS / 2; step > 0; step /= 2) {
        if (lid < step && found[lid + step] < found[lid]) found[lid] = found[lid + step];
        BARRIER();
    }
    if (lid == 0) partial[GROUP_ID(1) * GROUPS(0) + GROUP_ID(0)] = found[0];
}
