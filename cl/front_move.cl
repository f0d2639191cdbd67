/*
 * front_move.cl: what comes into the blocks of fronts.
 *
 *   front_scatter   entries of A, those of a slab each to its place there, which is zero elsewhere
 *   front_gather    the rests of the children, added to the blocks of their parent
 *   front_order     the rows of each front in the order of its pivots, from their exchanges
 *   front_engine    what an engine of dense matrices has of front s: exchanges of f rows, in LAPACK's way, in `info`
 *                   whether a pivot vanished, and of LU (`words` 2) whether the factors are to be made again
 *   front_engine_d  the same of L D L^T
 *   front_pivots    the diagonals of all fronts, by positions
 *
 * A child's border is ascending in the rows of its parent: `relative` has them. A work-group of front_gather has STRIP
 * columns and LS rows of one front. It finds their places in a child's border, and sums what the children have there,
 * one after the other, in registers: nobody else writes there, and sums have one order.
 *
 * Work-groups: LS work-items. front_scatter: as many groups as fill the device. front_gather: dimension 0 over strips
 * and, behind all strips of LS rows, the next rows, where no part has pivots and border; dimension 1 over fronts.
 * front_pivots: a group a front. front_order: dimension 0 over fronts, dimension 1 over LS rows each. front_engine: as
 * many groups as f rows want. Access: neighbours on neighbouring rows of a child's column and of the parent's; in LOW,
 * whose rows are the parent's columns, STRIP neighbours on a row. Local memory: of front_order ROOM ints, of
 * front_gather LS + STRIP + 4.
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

/* Element e of a work-item: its row and column in the group's part of the front. */
#define ROW_OF(e)    (across ? lid / STRIP + (e) * (LS / STRIP) : lid)
#define COLUMN_OF(e) (across ? lid % STRIP : (e))
/* The part has it, and a one-sided front too. */
#define IS_THERE(e)                                                                                                    \
    (ROW_OF(e) < height && COLUMN_OF(e) < width && (!one_sided() || top + ROW_OF(e) >= left + COLUMN_OF(e)))

/* In three steps with barriers between them place[k] becomes the child's row that is row first + k of the parent, for
 * the rows first .. end - 1; -1 where there is none. `at` has the child's rows as the parent counts them, ascending.
 * Each work-item looks at the beginning of one of LS equally long parts of them, then all look at the parts that
 * matter. */
#define CLEAR_PLACES(place, count, range)                                                                              \
    {                                                                                                                  \
        if (lid < (count)) (place)[lid] = -1;                                                                          \
        if (lid < 2) (range)[lid] = 0;                                                                                 \
    }
#define FIND_RANGE(first, end, range)                                                                                  \
    {                                                                                                                  \
        if (here < (first) && next >= (first)) (range)[0] = lid * each;                                                \
        if (here < (end) && next >= (end)) (range)[1] = (lid + 1) * each < size ? (lid + 1) * each : size;             \
    }
#define FILL_PLACES(place, first, end, range)                                                                          \
    for (int p = (range)[0] + lid; p < (range)[1]; p += LS) {                                                          \
        const int i = at[p];                                                                                           \
        if (i >= (first) && i < (end)) (place)[i - (first)] = p;                                                       \
    }

HELPER int end_of(int begin, int count, int most) {
    return begin + count < most ? begin + count : most;
}

KERNEL WORK_GROUP(LS, 1, 1) void front_gather(GLOBAL const idx_t *RESTRICT fronts, GLOBAL const int *RESTRICT list,
                                              idx_t from, int strips, GLOBAL const int *RESTRICT children,
                                              GLOBAL const int *RESTRICT relative, GLOBAL const ELEMENT *RESTRICT below,
                                              GLOBAL ELEMENT *arena, GLOBAL ELEMENT *here_rests) {
    LOCAL_ARRAY(int, rows, LS);
    LOCAL_ARRAY(int, columns, STRIP);
    LOCAL_ARRAY(int, of_rows, 2);
    LOCAL_ARRAY(int, of_columns, 2);
    const idx_t s = list[from + GROUP_ID(1)];
    const int f = (int)FRONT(s, F_PIVOTS), b = (int)FRONT(s, F_BORDER), m = f + b, lid = (int)LOCAL_ID(0);
    const int strip = (int)GROUP_ID(0) % strips, chunk = (int)GROUP_ID(0) / strips;
    const int of_f = (f + STRIP - 1) / STRIP, high = (f + LS - 1) / LS; /* strips and chunks of the pivots */
    const int left = strip < of_f ? strip * STRIP : f + (strip - of_f) * STRIP;
    const int top = chunk < high ? chunk * LS : f + (chunk - high) * LS;
    const int right = end_of(left, STRIP, left < f ? f : m), bottom = end_of(top, LS, top < f ? f : m);
    const int width = right - left, height = bottom - top;
    const int across = left < f && top >= f; /* LOW: neighbours in a row follow each other there */
    const idx_t ld = FRONT(s, F_LD), child = FRONT(s, F_CHILD), end = child + FRONT(s, F_CHILDREN);
    GLOBAL ELEMENT *to = arena + FRONT(s, F_PIVOT) + top + left * ld;
    idx_t apart = ld; /* from element to element of a work-item */
    ELEMENT sum[STRIP];
    if (width <= 0 || height <= 0 || (one_sided() && bottom <= left)) return;
    if (across)
        to = arena + FRONT(s, F_LOW) + left + (top - f) * ld;
    else if (top < f && left >= f)
        to = arena + FRONT(s, F_UP) + top + (left - f) * ld;
    else if (left >= f)
        to = here_rests + FRONT(s, F_REST) + (top - f) + (idx_t)(left - f) * b;
    if (left >= f && top >= f) apart = b;
    to += across ? lid % STRIP + lid / STRIP * ld : lid;
    if (across) apart = LS / STRIP * ld;
    UNROLL
    for (int e = 0; e < STRIP; ++e) {
        sum[e] = ZERO;
        if (IS_THERE(e) && (top < f || left < f)) sum[e] = CONJUGATE_IF(conjugating() && across, to[e * apart]);
    }
    for (idx_t c = child; c < end; ++c) {
        const idx_t of = children[c];
        const int size = (int)FRONT(of, F_BORDER), each = (size + LS - 1) / LS;
        GLOBAL const int *const at = relative + FRONT(of, F_RELATIVE);
        GLOBAL const ELEMENT *const x = below + FRONT(of, F_REST);
        const int here = lid * each < size ? at[lid * each] : m,
                  next = (lid + 1) * each < size ? at[(lid + 1) * each] : m;
        CLEAR_PLACES(rows, LS, of_rows)
        CLEAR_PLACES(columns, STRIP, of_columns)
        LOCAL_BARRIER();
        FIND_RANGE(top, bottom, of_rows)
        FIND_RANGE(left, right, of_columns)
        LOCAL_BARRIER();
        FILL_PLACES(rows, top, bottom, of_rows)
        FILL_PLACES(columns, left, right, of_columns)
        LOCAL_BARRIER();
        UNROLL
        for (int e = 0; e < STRIP; ++e) {
            const int p = rows[ROW_OF(e)], q = columns[COLUMN_OF(e)];
            if (p >= 0 && q >= 0 && (!one_sided() || p >= q)) ADD(sum[e], x[p + (idx_t)q * size]);
        }
        if (c + 1 == end) { /* PoCL has nothing behind a loop with barriers */
            UNROLL
            for (int e = 0; e < STRIP; ++e)
                if (IS_THERE(e)) to[e * apart] = CONJUGATE_IF(conjugating() && across, sum[e]);
        }
        LOCAL_BARRIER();
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

#if LDL
/*
 * The dense engine of L D L^T (method/ldl/device.h) has made PIVOT of front s: takes D, whose diagonal is d and whose
 * elements below it are e, and the order of rows. Pivots of size less than `tiny` are replaced by one of that size, and
 * counted; a front without a border (`whole`) has one as good as zero if it is less than `zero`. No element of L is
 * large, so that changes A by little more. One work-group.
 */
KERNEL WORK_GROUP(LS, 1, 1) void front_engine_d(GLOBAL const idx_t *RESTRICT state, idx_t s, int f, idx_t first,
                                                int whole, GLOBAL const ELEMENT *RESTRICT d,
                                                GLOBAL const ELEMENT *RESTRICT e,
                                                GLOBAL const idx_t *RESTRICT permutation, REAL tiny, REAL zero,
                                                GLOBAL int *orders, GLOBAL int *replaced FACTORS_D) {
    LOCAL_ARRAY(int, counts, LS);
    LOCAL_ARRAY(int, signs, LS);
    const int lid = (int)LOCAL_ID(0);
    int count = 0, negative = 0, gone = 0;
    blocks += first * OF_BLOCK;
    pivots += first * OF_POSITION;
    for (int i = lid; i < f; i += LS) {
        const int is_first = i + 1 < f && SIZE_1(e[i]) >= tiny, is_second = i > 0 && SIZE_1(e[i - 1]) >= tiny;
        const int at = is_second ? i - 1 : i;
        GLOBAL ELEMENT *const to = blocks + i * OF_BLOCK;
        ELEMENT here = d[i];
        orders[first + i] = (int)permutation[i];
        if (is_first || is_second) {
            const ELEMENT a = d[at], c = d[at + 1], low = e[at], up = CONJUGATE_IF(LDL == 2, low);
            ELEMENT determinant = TIMES(a, c);
            SUBTRACT_PRODUCT(determinant, low, up);
            if (LDL == 2) determinant = FROM_REAL(REAL_PART(determinant));
            const ELEMENT quotient = INVERSE(determinant);
            to[0] = here;
            to[1] = is_first ? up : low;
            to[OF_INVERSE] = TIMES(is_first ? c : a, quotient);
            to[OF_INVERSE + 1] = NEGATED(TIMES(is_first ? up : low, quotient));
            if (is_first) negative += REAL_PART(determinant) < 0 ? 1 : REAL_PART(a) + REAL_PART(c) < 0 ? 2 : 0;
        } else {
            const REAL size = SIZE_1(here);
            const int small = !(size >= tiny);
            if (small) here = size > 0 ? BY_REAL(here, tiny / size) : FROM_REAL(tiny);
            count += small;
            gone |= small && whole && !(size >= zero);
            negative += REAL_PART(here) < 0;
            to[0] = here;
            to[1] = to[OF_INVERSE + 1] = ZERO;
            to[OF_INVERSE] = INVERSE(here);
        }
        PAIR(i) = is_first ? 1 : is_second ? -1 : 0;
    }
    counts[lid] = count | (gone ? VANISHED : 0);
    signs[lid] = negative;
    for (int step = LS / 2; step > 0; step /= 2) {
        LOCAL_BARRIER();
        if (lid < step) {
            counts[lid] = ((counts[lid] | counts[lid + step]) & VANISHED) |
                          ((counts[lid] & ~VANISHED) + (counts[lid + step] & ~VANISHED));
            signs[lid] += signs[lid + step];
        }
        if (lid == 0 && step == 1) {
            replaced[s] = counts[0] | (state[0] != 0 ? AGAIN : 0);
            replaced[all + s] = signs[0];
        }
    }
}
#endif

KERNEL WORK_GROUP(LS, 1, 1) void front_pivots(GLOBAL const idx_t *RESTRICT fronts, GLOBAL const int *RESTRICT list,
                                              idx_t from, GLOBAL const ELEMENT *RESTRICT arena, GLOBAL ELEMENT *to) {
    const idx_t s = list[from + GROUP_ID(0)], f = FRONT(s, F_PIVOTS), ld = FRONT(s, F_LD);
    for (idx_t i = LOCAL_ID(0); i < f; i += LS) to[FRONT(s, F_FIRST) + i] = arena[FRONT(s, F_PIVOT) + i + i * ld];
}
