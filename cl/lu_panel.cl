/*
 * lu_panel.cl: LU with partial pivoting of a leaf, m rows by at most WIDTH columns, one launch a column.
 *
 * Rows stay where they are while the leaf is factored; `position[i]` says where row i would stand had every swap been
 * made (LAPACK's dgetf2 makes them at once). So no work-group waits for another's swap, and each launch does one whole
 * step t, with the pivot p found by the launch before:
 *
 *     l_i = a_it / a_pt,   a_ik -= l_i a_pk  (k > t)   for every row i whose position is beyond t,
 *     and the candidate for the next pivot: the largest |a_i,t+1| of the group's rows, the first position of equals; of
 *     complex numbers |re| + |im|, as LAPACK's izamax.
 *
 * Row p is only read. lu_leaf_swaps then lists which row goes where, for lu_rows.cl to move them.
 *
 * Work-groups: LS work-items (a power of two); group g has rows g*chunk .. (g+1)*chunk - 1 and handles LS * ROWS of
 * them at a time: on a GPU ROWS is 1 and neighbouring work-items touch neighbouring rows; on a CPU LS is 1 and the
 * loop over ROWS rows is what the compiler vectorises. Local memory: WIDTH + LS elements and 2 * LS indices.
 *
 * The best of a group's candidates is found by a tree in local memory, with a barrier a level; by sub-groups
 * (SUB_GROUPS of dialect.clh) with one barrier in all.
 *
 * Candidates lie in three arrays of 2 * groups, the halves used by turns (step t reads half t % 2).
 */
#ifndef LS
#define LS 64
#endif
#ifndef ROWS
#define ROWS 1
#endif
#ifndef WIDTH
#define WIDTH 32
#endif
#ifndef BATCH
#define BATCH 8
#endif

/* A NaN counts as the largest, so that it becomes the pivot and the result is seen to be no number. */
HELPER REAL magnitude(ELEMENT x) {
    return IS_NUMBER(x) ? SIZE_1(x) : (REAL)INFINITY;
}

#define BETTER(value, position, best, best_position)                                                                   \
    ((value) > (best) || ((value) == (best) && (position) < (best_position)))

/*
 * Each work-item brings a candidate; those of rows have a value of 0 or more, and positions of their own. Leaves the
 * best of all in one element of the three arrays, and returns its number. The next call wants a barrier before it.
 */
#ifdef SUB_GROUPS

/* Orders as the values do; 0 for what is no row. */
HELPER REAL_BITS key_of(REAL value) {
    return value < 0 ? 0 : REAL_TO_BITS(value) + 1;
}

HELPER int best_of_group(REAL best, idx_t best_row, idx_t best_position, LOCAL_PTR REAL *value, LOCAL_PTR idx_t *row,
                         LOCAL_PTR idx_t *position, idx_t lid) {
    const idx_t last = (idx_t)0x7fffffffffffffff;
    const int lane = SUB_GROUP_LANE, group = SUB_GROUP_ID;
    const REAL_BITS key = key_of(best), largest = SUB_GROUP_MAX(key);
    const idx_t first = SUB_GROUP_MIN(key == largest ? best_position : last);
    /* Where there is no row at all, several have the same. Rows and positions exist also where sub-groups are wrong, so
     * that a self-test touches no memory of others. */
    if (largest != 0 ? key == largest && best_position == first : lane == 0) {
        value[group] = best;
        row[group] = best_row;
        position[group] = key != 0 ? best_position : 0;
    }
    (void)lid;
    BARRIER();
    REAL_BITS its = 0;
    idx_t its_position = last;
    int which = 0;
    for (int s = lane; s < SUB_GROUP_COUNT; s += SUB_GROUP_SIZE)
        if (BETTER(key_of(value[s]), position[s], its, its_position)) {
            its = key_of(value[s]);
            its_position = position[s];
            which = s;
        }
    const REAL_BITS most = SUB_GROUP_MAX(its);
    const idx_t at = SUB_GROUP_MIN(its == most ? its_position : last);
    which = SUB_GROUP_MIN(its == most && its_position == at ? which : LS - 1);
    return which >= 0 && which < SUB_GROUP_COUNT ? which : 0;
}

#else

HELPER int best_of_group(REAL best, idx_t best_row, idx_t best_position, LOCAL_PTR REAL *value, LOCAL_PTR idx_t *row,
                         LOCAL_PTR idx_t *position, idx_t lid) {
    value[lid] = best;
    row[lid] = best_row;
    position[lid] = best_position;
    BARRIER();
    for (int step = LS / 2; step > 0; step /= 2) {
        if (lid < step && BETTER(value[lid + step], position[lid + step], value[lid], position[lid])) {
            value[lid] = value[lid + step];
            row[lid] = row[lid + step];
            position[lid] = position[lid + step];
        }
        BARRIER();
    }
    return 0;
}

#endif

/* The work-group's arrays, for the helpers below. */
#define GROUP_ARRAYS                                                                                                   \
    LOCAL_ARRAY(ELEMENT, pivot_row, WIDTH);                                                                            \
    LOCAL_ARRAY(REAL, value, LS);                                                                                      \
    LOCAL_ARRAY(idx_t, row, LS);                                                                                       \
    LOCAL_ARRAY(idx_t, position, LS)

/* Before step 0: rows begin .. end-1 each at its own position, and the best of them for column 0: the number of its
 * element. */
HELPER int begin_rows(GLOBAL const ELEMENT *A, idx_t begin, idx_t end, GLOBAL idx_t *positions, LOCAL_PTR REAL *value,
                      LOCAL_PTR idx_t *row, LOCAL_PTR idx_t *position) {
    const idx_t lid = LOCAL_ID(0);
    REAL best = -1;
    idx_t best_row = 0;

    for (idx_t i = begin + lid; i < end; i += LS) {
        const REAL x = magnitude(A[i]);
        positions[i] = i;
        if (x > best) {
            best = x;
            best_row = i;
        }
    }
    return best_of_group(best, best_row, best_row, value, row, position, lid);
}

/*
 * Step t for the rows begin .. end-1 with the pivot's row in pivot_row, p the number and p_position the position of
 * that row; leaves the best candidate for step t+1 in an element of value, row and position, and returns its number.
 */
HELPER int step_rows(GLOBAL ELEMENT *A, idx_t ld, idx_t width, idx_t t, idx_t begin, idx_t end, idx_t p,
                     idx_t p_position, GLOBAL idx_t *positions, LOCAL_PTR const ELEMENT *pivot_row,
                     LOCAL_PTR REAL *value, LOCAL_PTR idx_t *row, LOCAL_PTR idx_t *position) {
    const idx_t lid = LOCAL_ID(0), column = t * ld;
    const ELEMENT pivot = pivot_row[t];
    REAL best = -1;
    idx_t best_row = begin, best_position = (idx_t)0x7fffffffffffffff;

    for (idx_t block = begin; block < end; block += LS * ROWS) {
        ELEMENT l[ROWS];
        int active[ROWS];
        idx_t places[ROWS];
        const idx_t first = block + lid;
        const idx_t left = end - block - lid; /* may be negative: nothing of this block is ours */
        const int mine = (int)(left >= LS * ROWS ? ROWS : left <= 0 ? 0 : (left + LS - 1) / LS);
        active[0] = 0; /* where nothing is ours */

        for (int r = 0; r < mine; ++r) {
            const idx_t i = first + r * LS;
            idx_t place = positions[i];
            if (i == p)
                place = t;
            else if (place == t)
                place = p_position;
            positions[i] = places[r] = place;
            active[r] = place > t;
            l[r] = ZERO;
            if (active[r] && !IS_ZERO_ELEMENT(pivot)) {
                l[r] = OVER(A[column + i], pivot);
                A[column + i] = l[r];
            }
        }
        ELEMENT next[ROWS]; /* column t + 1 after this step, where the next pivot is looked for */
        idx_t k = t + 1;
#if ROWS == 1
        /* One row a work-item: BATCH elements are loaded before the first is stored, for a load that waits behind a
         * store costs a memory latency a column. */
        if (active[0])
            for (; k + BATCH <= width; k += BATCH) {
                ELEMENT a[BATCH];
                GLOBAL ELEMENT *at = A + first + k * ld;
                UNROLL
                for (int b = 0; b < BATCH; ++b) a[b] = at[b * ld];
                UNROLL
                for (int b = 0; b < BATCH; ++b) a[b] = LESS_PRODUCT(a[b], l[0], pivot_row[k + b]);
                UNROLL
                for (int b = 0; b < BATCH; ++b) at[b * ld] = a[b];
                if (k == t + 1) next[0] = a[0];
            }
#endif
        for (; k < width; ++k) {
            const ELEMENT u = pivot_row[k];
            for (int r = 0; r < mine; ++r) {
                /* Not even a write of the same value: other groups read the pivot's row. */
                if (active[r]) {
                    const ELEMENT a = LESS_PRODUCT(A[first + r * LS + k * ld], l[r], u);
                    A[first + r * LS + k * ld] = a;
                    if (k == t + 1) next[r] = a;
                }
            }
        }
        if (t + 1 < width)
            for (int r = 0; r < mine; ++r) {
                const REAL x = active[r] ? magnitude(next[r]) : -1;
                const idx_t place = places[r];
                if (active[r] && BETTER(x, place, best, best_position)) {
                    best = x;
                    best_row = first + r * LS;
                    best_position = place;
                }
            }
    }

    return best_of_group(best, best_row, best_position, value, row, position, lid);
}

/*
 * Step t leaves for later: `pivots[t]` receives the pivot's row in the leaf, `ipiv[top + t]` its position as
 * LAPACK counts it (from 1, over the whole matrix, whose row and column `top` are the leaf's first), *info the number
 * of the first column without a pivot.
 */
HELPER void note_pivot(idx_t t, idx_t top, idx_t p, idx_t p_position, ELEMENT pivot, GLOBAL idx_t *pivots,
                       GLOBAL idx_t *ipiv, GLOBAL idx_t *info) {
    pivots[t] = p;
    ipiv[top + t] = top + p_position + 1;
    if (IS_ZERO_ELEMENT(pivot) && info[0] == 0) info[0] = top + t + 1;
}

KERNEL WORK_GROUP(LS, 1, 1) void lu_leaf_begin(GLOBAL const ELEMENT *A, idx_t offset, idx_t m, idx_t chunk,
                                               GLOBAL idx_t *positions, GLOBAL REAL *values, GLOBAL idx_t *rows,
                                               GLOBAL idx_t *places) {
    LOCAL_ARRAY(REAL, value, LS);
    LOCAL_ARRAY(idx_t, row, LS);
    LOCAL_ARRAY(idx_t, position, LS);
    const idx_t group = GROUP_ID(0), begin = group * chunk, end = begin + chunk < m ? begin + chunk : m;

    const int which = begin_rows(A + offset, begin, end, positions, value, row, position);
    if (LOCAL_ID(0) == 0) {
        values[group] = value[which];
        rows[group] = row[which];
        places[group] = position[which];
    }
}

/* Step t, all groups together. */
KERNEL WORK_GROUP(LS, 1, 1) void lu_leaf_step(GLOBAL ELEMENT *A, idx_t offset, idx_t ld, idx_t m, idx_t width, idx_t t,
                                              idx_t chunk, idx_t top, GLOBAL idx_t *positions, GLOBAL REAL *values,
                                              GLOBAL idx_t *rows, GLOBAL idx_t *places, GLOBAL idx_t *pivots,
                                              GLOBAL idx_t *ipiv, GLOBAL idx_t *info) {
    GROUP_ARRAYS;
    const idx_t lid = LOCAL_ID(0), group = GROUP_ID(0), groups = GROUPS(0);
    const idx_t half_in = (t % 2) * groups, half_out = groups - half_in;
    const idx_t begin = group * chunk, end = begin + chunk < m ? begin + chunk : m;

    /* Every group finds the same pivot from all groups' candidates. */
    REAL best = -2;
    idx_t best_row = 0, best_position = 0;
    for (idx_t c = lid; c < groups; c += LS)
        if (BETTER(values[half_in + c], places[half_in + c], best, best_position)) {
            best = values[half_in + c];
            best_row = rows[half_in + c];
            best_position = places[half_in + c];
        }
    int which = best_of_group(best, best_row, best_position, value, row, position, lid);
    const idx_t p = row[which], p_position = position[which];
    for (idx_t k = t + lid; k < width; k += LS) pivot_row[k] = A[offset + p + k * ld];
    BARRIER();
    if (group == 0 && lid == 0) note_pivot(t, top, p, p_position, pivot_row[t], pivots, ipiv, info);

    which = step_rows(A + offset, ld, width, t, begin, end, p, p_position, positions, pivot_row, value, row, position);
    if (lid == 0) {
        values[half_out + group] = value[which];
        rows[half_out + group] = row[which];
        places[half_out + group] = position[which];
    }
}

/* A whole leaf in one launch of one group: where m is small, launches would cost more than the group's solitude. */
KERNEL WORK_GROUP(LS, 1, 1) void lu_leaf_whole(GLOBAL ELEMENT *A, idx_t offset, idx_t ld, idx_t m, idx_t width,
                                               idx_t top, GLOBAL idx_t *positions, GLOBAL idx_t *pivots,
                                               GLOBAL idx_t *ipiv, GLOBAL idx_t *info) {
    GROUP_ARRAYS;
    const idx_t lid = LOCAL_ID(0);

    int which = begin_rows(A + offset, 0, m, positions, value, row, position);
    for (idx_t t = 0; t < width; ++t) {
        const idx_t p = row[which], p_position = position[which];
        for (idx_t k = t + lid; k < width; k += LS) pivot_row[k] = A[offset + p + k * ld];
        /* Before the barrier, from A: PoCL 3.1 loses the loop above when the barrier follows it at once. */
        if (lid == 0) note_pivot(t, top, p, p_position, A[offset + p + t * ld], pivots, ipiv, info);
        BARRIER();
        which = step_rows(A + offset, ld, width, t, 0, m, p, p_position, positions, pivot_row, value, row, position);
    }
}

/*
 * After the last step: row sources[2 * top + q] of the matrix goes to row targets[2 * top + q], q < 2 * width; -1 where
 * nothing moves.
 * The sources are the targets in another order. One group.
 */
KERNEL WORK_GROUP(LS, 1, 1) void lu_leaf_swaps(GLOBAL const idx_t *positions, GLOBAL const idx_t *pivots, idx_t width,
                                               idx_t top, GLOBAL idx_t *sources, GLOBAL idx_t *targets) {
    for (idx_t q = LOCAL_ID(0); q < 2 * width; q += LS) {
        idx_t source = q < width ? pivots[q] : q - width;
        idx_t target = positions[source];
        /* A row of the top that became a pivot is in the list's first half already. */
        const int moves = source != target && (q < width || target >= width);
        sources[2 * top + q] = moves ? top + source : -1;
        targets[2 * top + q] = moves ? top + target : -1;
    }
}
