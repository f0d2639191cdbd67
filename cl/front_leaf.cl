/*
 * front_leaf.cl: a panel of W columns of the PIVOT of each front, from row and column k on, whose rows are in
 * registers.
 *
 * LU: the pivot of a column is the largest element (by |re| + |im|) of the rows from it on, the first of equals; where
 * lanes run in step, elements are equal that have the same exponent and the same 11 leading bits (in float 14). A pivot
 * of size less than `tiny` is replaced by one of that size in the same direction and counted in replaced[s], which has
 * the bit VANISHED where one was less than `zero`. ipiv[first + k + c] is the row, counted from the front's first, with
 * which row k + c was exchanged: in the panel now, elsewhere by front_right.cl. Cholesky: replaced[s] is VANISHED where
 * a pivot is not positive.
 *
 * A work-item has the rows LOCAL_ID(0), LOCAL_ID(0) + LS, ..., PER in all. Rows are not moved: `place` says where a row
 * of the work-item is by now. A row is turned by one element a step, so that the current column is always element 0 and
 * all elements are registers. The row of the pivot (of Cholesky the column) reaches the others through local memory.
 *
 * Work-groups: LS work-items, one group a front, for fronts of up to LS * PER rows. Access: neighbours on neighbouring
 * rows. Local memory: LS + PARTS REALs and ints, W ELEMENTs.
 */
#ifndef LS
#define LS 64
#endif
#ifndef PER
#define PER 1
#endif
#ifndef W
#define W 32
#endif

#include "front.clh"

#ifdef LANES
#define PARTS (LS / LANES)
#else
#define PARTS (LS > 256 ? 32 : LS > 64 ? 16 : 8)
#endif

#define VANISHED (1 << 30)
#define NOWHERE  0x7fffffff

/* Before what is done with row R of the work-item. PoCL's compiler loses work-items behind two loops with a barrier
 * between them, so there is no loop over one row. */
#if PER == 1
#define EACH_ROW
#define R 0
#else
#define EACH_ROW                                                                                                       \
    UNROLL                                                                                                             \
    for (int R = 0; R < PER; ++R)
#endif

/* Is (size, at) better than (most, best)? */
HELPER int is_better(REAL size, int at, REAL most, int best) {
    return size > most || (size == most && at < best);
}

/* For the largest of all lanes: the leading bits of a size, and below them its place, which is less than 1024.
 * NaN is 0. */
#define PLACE_BITS 10
HELPER unsigned key_of(REAL size, int at) {
    const REAL_BITS bits = size > 0 ? REAL_TO_BITS(size) : 0;
    const unsigned leading = (unsigned)(bits >> (CLS_DOUBLE ? 41 : 9));
    return leading << PLACE_BITS | (unsigned)((1 << PLACE_BITS) - 1 - at);
}

/* Each row has been turned w times. */
#define STORE_ROWS                                                                                                     \
    EACH_ROW {                                                                                                         \
        UNROLL                                                                                                         \
        for (int j = 0; j < W; ++j)                                                                                    \
            if (place[R] >= 0 && j >= W - w) p[place[R] + (j - (W - w)) * ld] = y[R][j];                               \
    }

KERNEL WORK_GROUP(LS, 1, 1) void front_leaf(GLOBAL const idx_t *RESTRICT fronts, GLOBAL const int *RESTRICT list,
                                            idx_t from, int k, GLOBAL ELEMENT *arena, GLOBAL int *ipiv, REAL tiny,
                                            REAL zero, GLOBAL int *replaced) {
    LOCAL_ARRAY(ELEMENT, u, W);
#if !CHOLESKY
#ifdef LANES
    LOCAL_ARRAY(unsigned, keys, PARTS);
#else
    LOCAL_ARRAY(REAL, sizes, LS);
    LOCAL_ARRAY(int, places, LS);
    LOCAL_ARRAY(REAL, part_sizes, PARTS);
    LOCAL_ARRAY(int, part_places, PARTS);
#endif
#endif
    const idx_t s = list[from + GROUP_ID(0)];
    const int f = (int)FRONT(s, F_PIVOTS), lid = (int)LOCAL_ID(0);
    const int rows = f - k, w = rows < W ? rows : W;
    const idx_t ld = FRONT(s, F_LD);
    GLOBAL ELEMENT *const p = arena + FRONT(s, F_PIVOT) + k + k * ld;
    GLOBAL int *const pivots = ipiv + FRONT(s, F_FIRST) + k;
    ELEMENT y[PER][W];
    int place[PER], count = 0, gone = 0;
    if (rows <= 0) return;
    (void)tiny;
    (void)zero;
    (void)pivots;
    EACH_ROW {
        const int i = lid + R * LS;
        place[R] = i < rows ? i : -1;
        UNROLL
        for (int j = 0; j < W; ++j) y[R][j] = i < rows && j < w ? p[i + j * ld] : ZERO;
    }
    for (int c = 0; c < w; ++c) {
#if CHOLESKY
        LOCAL_BARRIER();
        EACH_ROW if (place[R] >= c && place[R] < W) u[place[R] - c] = CONJUGATE_IF(1, y[R][0]);
        if (lid < c) u[W - c + lid] = ZERO;
        LOCAL_BARRIER();
        const REAL d = REAL_PART(u[0]);
        const int bad = !(d > 0); /* also of NaN */
        const REAL root = d > 0 ? sqrt(d) : (REAL)1;
        gone |= bad;
        EACH_ROW {
            const ELEMENT first = y[R][0];
            const ELEMENT l = place[R] > c ? BY_REAL(first, 1 / (root * root)) : ZERO;
            UNROLL
            for (int j = 1; j < W; ++j) {
                ELEMENT next = y[R][j];
                SUBTRACT_PRODUCT(next, l, u[j]);
                y[R][j - 1] = next;
            }
            y[R][W - 1] = place[R] >= c ? BY_REAL(first, 1 / root) : first;
        }
#else
#ifdef LANES
        unsigned key = 0;
        EACH_ROW {
            const unsigned mine = place[R] >= c ? key_of(SIZE_1(y[R][0]), place[R]) : 0;
            key = mine > key ? mine : key;
        }
        key = LANES_MAX(key);
        if (lid % LANES == 0) keys[lid / LANES] = key;
        LOCAL_BARRIER();
        key = LANES_MAX(lid % LANES < PARTS ? keys[lid % LANES] : 0u);
        const int at = (1 << PLACE_BITS) - 1 - (int)(key & ((1 << PLACE_BITS) - 1));
#else
        REAL most = -1;
        int at = NOWHERE;
        EACH_ROW {
            const REAL size = SIZE_1(y[R][0]);
            if (place[R] >= c && is_better(size, place[R], most, at)) {
                most = size;
                at = place[R];
            }
        }
        sizes[lid] = most;
        places[lid] = at;
        LOCAL_BARRIER();
        /* No loop for some of the work-items: without optimization PoCL's compiler loses the others behind it. */
        for (int q = PARTS; q < LS; q += PARTS) {
            const int other = (lid + q) % LS;
            if (lid < PARTS && is_better(sizes[other], places[other], most, at)) {
                most = sizes[other];
                at = places[other];
            }
        }
        if (lid < PARTS) {
            part_sizes[lid] = most;
            part_places[lid] = at;
        }
        LOCAL_BARRIER();
        most = part_sizes[0];
        at = part_places[0];
        for (int q = 1; q < PARTS; ++q)
            if (is_better(part_sizes[q], part_places[q], most, at)) {
                most = part_sizes[q];
                at = part_places[q];
            }
        if (at == NOWHERE) at = c; /* all are NaN */
#endif
        if (lid == 0) pivots[c] = k + at;
        EACH_ROW {
            const int here = place[R];
            place[R] = here == at ? c : here == c ? at : here;
            const int is_pivot = place[R] == c;
            UNROLL
            for (int j = 0; j < W; ++j)
                if (is_pivot && j < W - c) u[j] = y[R][j];
            if (is_pivot && c > 0) u[W - c] = ZERO; /* those behind it are so already */
        }
        LOCAL_BARRIER();
        ELEMENT d = u[0];
        const REAL size = SIZE_1(d);
        const int small = size < tiny;
        if (small) d = size > 0 ? BY_REAL(d, tiny / size) : FROM_REAL(tiny);
        const ELEMENT quotient = INVERSE(d);
        count += small;
        if (size < zero) gone = 1;
        EACH_ROW {
            const int below = place[R] > c;
            const ELEMENT first = y[R][0], l = below ? TIMES(first, quotient) : ZERO;
            UNROLL
            for (int j = 1; j < W; ++j) {
                ELEMENT next = y[R][j];
                SUBTRACT_PRODUCT(next, l, u[j]);
                y[R][j - 1] = next;
            }
            y[R][W - 1] = below ? l : small && place[R] == c ? d : first;
        }
#endif
#ifdef CLS_ROLLED /* behind the loop PoCL's compiler loses work-items without optimization */
        if (c == w - 1) STORE_ROWS
#endif
    }
#ifndef CLS_ROLLED /* within it, compilers for GPUs want more registers than there are */
    STORE_ROWS
#endif
    if (lid == 0 && (count > 0 || gone)) replaced[s] = (replaced[s] + count) | (gone ? VANISHED : 0);
}
