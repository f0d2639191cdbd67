/*
 * front_move.cl: what comes into the blocks of fronts.
 *
 *   front_scatter   entries of A, those of a slab each to its place there, which is zero elsewhere
 *   front_gather    the rests of the children, added to the blocks of their parent
 *   front_order     the rows of each front in the order of its pivots, from their exchanges
 *   front_engine    what an engine of dense matrices has of front s: exchanges of f rows, in LAPACK's way, in `info`
 *                   whether a pivot vanished, and of LU (`words` 2) whether the factors are to be made again
 *   front_pivots    the diagonals of all fronts, by positions
 *
 * A child's border is ascending in the rows of its parent: `relative` has them. So the columns of a child that belong
 * to a strip of the parent's columns follow each other, and so do rows. A work-group has STRIP columns and CHUNK rows
 * of one front and takes the children one after the other: nobody else writes there, and sums have one order.
 *
 * Work-groups: LS work-items. front_scatter: as many groups as fill the device. front_gather: dimension 0 over strips
 * and, behind all strips of CHUNK rows, the next rows; dimension 1 over fronts. front_pivots: a group a
 * front. front_order: dimension 0 over fronts, dimension 1 over LS rows each. front_engine: as many groups as f rows
 * want. Access: neighbours read neighbouring rows of a child's column, and write to rows of the parent that are not
 * far from each other, but those of LOW lie apart. Local memory: of front_order ROOM ints, of front_gather 4.
 */
#ifndef LS
#define LS 64
#endif
#ifndef ROOM
#define ROOM 1024
#endif
#ifndef STRIP
#define STRIP 8
#endif
#ifndef CHUNK
#define CHUNK 256
#endif

#include "front.clh"

#define VANISHED (1 << 30) /* as in front_step.clh */
#define AGAIN    (1 << 29)

/* place[e]: 0: the entry is not used; k > 0: it goes to element k - 1 of all slabs, k < 0: its conjugate to element
 * -k - 1. The slab has `elements` from `begin` on. */
KERNEL WORK_GROUP(LS, 1, 1) void front_scatter(GLOBAL const idx_t *RESTRICT place, GLOBAL const ELEMENT *RESTRICT value,
                                               idx_t count, idx_t begin, idx_t elements, GLOBAL ELEMENT *arena) {
    for (idx_t e = GROUP_ID(0) * LS + LOCAL_ID(0); e < count; e += GROUPS(0) * LS) {
        const idx_t to = place[e], at = (to < 0 ? -1 - to : to - 1) - begin; /* Oclgrind has no abs */
        if (to != 0 && at >= 0 && at < elements) arena[at] = CONJUGATE_IF(to < 0, value[e]);
    }
}

KERNEL WORK_GROUP(LS, 1, 1) void front_gather(GLOBAL const idx_t *RESTRICT fronts, GLOBAL const int *RESTRICT list,
                                              idx_t from, int strips, GLOBAL const int *RESTRICT children,
                                              GLOBAL const int *RESTRICT relative, GLOBAL const ELEMENT *RESTRICT below,
                                              GLOBAL ELEMENT *arena, GLOBAL ELEMENT *here) {
    LOCAL_ARRAY(int, bounds, 4);
    const idx_t s = list[from + GROUP_ID(1)];
    const int f = (int)FRONT(s, F_PIVOTS), b = (int)FRONT(s, F_BORDER), m = f + b, lid = (int)LOCAL_ID(0);
    const int left = (int)GROUP_ID(0) % strips * STRIP, top = (int)GROUP_ID(0) / strips * CHUNK;
    const int right = left + STRIP < m ? left + STRIP : m, bottom = top + CHUNK < m ? top + CHUNK : m;
    const idx_t ld = FRONT(s, F_LD);
    GLOBAL ELEMENT *const pivot = arena + FRONT(s, F_PIVOT);
    GLOBAL ELEMENT *const up = arena + FRONT(s, F_UP);
    GLOBAL ELEMENT *const low = arena + FRONT(s, F_LOW);
    GLOBAL ELEMENT *const rest = here + FRONT(s, F_REST);
    const idx_t child = FRONT(s, F_CHILD), count = FRONT(s, F_CHILDREN);
    if (left >= right || top >= bottom) return;
    const int j0 = left > f ? left - f : 0, i0 = top > f ? top - f : 0;
    const int rows = bottom - f - i0 > 0 ? bottom - f - i0 : 0, columns = right - f - j0;
    for (int e = lid; e < rows * columns; e += LS) rest[i0 + e % rows + (idx_t)(j0 + e / rows) * b] = ZERO;
    for (idx_t c = child; c < child + count; ++c) {
        const idx_t of = children[c];
        const int size = (int)FRONT(of, F_BORDER);
        GLOBAL const int *const at = relative + FRONT(of, F_RELATIVE);
        GLOBAL const ELEMENT *const x = below + FRONT(of, F_REST);
        BARRIER(); /* what the child before has added is there, and before that the zeros */
        for (int k = lid; k < 4; k += LS)
            bounds[k] = first_from(at, size, k == 0 ? left : k == 1 ? right : k == 2 ? top : bottom);
        LOCAL_BARRIER();
        const int q0 = bounds[0], p0 = bounds[2], high = bounds[3] - p0, wide = bounds[1] - q0;
        for (int e = lid; e < high * wide; e += LS) {
            const int p = p0 + e % high, q = q0 + e / high, i = at[p], j = at[q];
            if (one_sided() && p < q) continue;
            const ELEMENT value = x[p + (idx_t)q * size];
            if (j < f && i < f)
                ADD(pivot[i + j * ld], value);
            else if (j < f)
                ADD(low[j + (i - f) * ld], CONJUGATE_IF(conjugating(), value));
            else if (i >= f)
                ADD(rest[i - f + (idx_t)(j - f) * b], value);
            else
                ADD(up[i + (j - f) * ld], value);
        }
    }
}

/* order[first + i] is the row, counted from the front's first, that is i-th now. ROOM exchanges are near at a time. */
KERNEL WORK_GROUP(LS, 1, 1) void front_order(GLOBAL const idx_t *RESTRICT fronts, GLOBAL const int *RESTRICT list,
                                             idx_t from, GLOBAL const int *RESTRICT ipiv, GLOBAL int *order) {
    LOCAL_ARRAY(int, with, ROOM);
    const idx_t s = list[from + GROUP_ID(0)], first = FRONT(s, F_FIRST);
    const int f = (int)FRONT(s, F_PIVOTS), lid = (int)LOCAL_ID(0), row = (int)GROUP_ID(1) * LS + lid;
    int at = row;
    if ((int)GROUP_ID(1) * LS >= f) return;
    for (int k = 0; k < f; k += ROOM) {
        const int some = f - k < ROOM ? f - k : ROOM;
        for (int c = lid; c < some; c += LS) with[c] = ipiv[first + k + c] - k;
        LOCAL_BARRIER();
        at = k + after_exchanges(at - k, with, some);
        if (k + ROOM >= f && row < f) order[first + at] = row; /* PoCL has nothing behind a loop with barriers */
        LOCAL_BARRIER();
    }
}

KERNEL WORK_GROUP(LS, 1, 1) void front_engine(GLOBAL const idx_t *RESTRICT info, int words, idx_t s, int f, idx_t first,
                                              GLOBAL const idx_t *RESTRICT pivots, GLOBAL int *ipiv,
                                              GLOBAL int *replaced) {
    const idx_t i = GROUP_ID(0) * LS + LOCAL_ID(0);
    if (i < f) ipiv[first + i] = (int)pivots[i] - 1;
    if (i == 0 && info[0] != 0) replaced[s] |= VANISHED;
    if (i == 0 && words > 1 && info[words - 1] != 0) replaced[s] |= AGAIN;
}

KERNEL WORK_GROUP(LS, 1, 1) void front_pivots(GLOBAL const idx_t *RESTRICT fronts, GLOBAL const int *RESTRICT list,
                                              idx_t from, GLOBAL const ELEMENT *RESTRICT arena, GLOBAL ELEMENT *to) {
    const idx_t s = list[from + GROUP_ID(0)], f = FRONT(s, F_PIVOTS), ld = FRONT(s, F_LD);
    for (idx_t i = LOCAL_ID(0); i < f; i += LS) to[FRONT(s, F_FIRST) + i] = arena[FRONT(s, F_PIVOT) + i + i * ld];
}
