/*
 * lu_tournament.cl: LU of a leaf, m rows by at most WIDTH columns, whose pivots a tournament finds (L. Grigori, J. Demmel,
 * H. Xiang, CALU: a communication optimal LU factorization algorithm, SIAM J. Matrix Anal. Appl. 32 (2011), section 2).
 *
 *      round 0       CHUNK rows of the leaf a group: LU with partial pivoting, and its pivot rows are the winners
 *      round 1 ...   CHUNK rows a group, winners of neighbouring groups, as they were in the leaf: the same
 *      the last      one group: its winners are the pivots in their order, and its U is the leaf's
 *      then          every other row, and the winners themselves, solve l U = a
 *
 * A round is a launch, and no group waits for another. With one round this is partial pivoting, place by place.
 *
 * In a round a work-item keeps a row in registers, which moves on by one a step, so that the current column is always a[0]
 * and every index is a constant; what is finished is dropped, for the last launch makes L:
 *
 *      a = | column t | t+1 | ... | WIDTH-1 |
 *
 * `place` is where a row would stand among the group's rows had every swap been made; it breaks ties as LAPACK does.
 *
 * A step takes one barrier where LANES of the work-items exchange values without: each wave offers its best row in one of
 * two places, used by turns, and each finds the best of the offers for itself. Elsewhere a tree in local memory finds it. The loop over
 * the steps stays one, and small: a round is over in microseconds, of which code that is read for the first time takes its share.
 *
 * Work-groups: LS work-items, a power of two; neighbouring work-items on neighbouring rows. Local memory of a round: with LANES
 * 2 * LS / LANES rows, else LS + WIDTH elements; of the last launch WIDTH * WIDTH elements.
 */
#include "lu_search.clh"

#ifndef LS
#define LS 64
#endif
#ifndef WIDTH
#define WIDTH 32
#endif
#define PAIRS   ((WIDTH + 1) / 2)
#define WIDE    (2 * PAIRS)
#define QUARTER ((PAIRS + 3) / 4) /* pairs that one branch is for */
#ifdef LANES
#define WAVES (LS / LANES)
#else
#define WAVES 1
#endif

/* ---- division by a pivot ---- */

/* With the inverse at hand, made before the pivot was known to be one, and of real numbers a step of correction: a / x but for
 * its range. An inverse of 0 says that there is none. */
#if CLS_COMPLEX /* |x|^2 is a normal number */
#define IN_RANGE(x) (LARGER_PART(x) > (REAL)1e-17f && LARGER_PART(x) < (REAL)1e17f)
HELPER ELEMENT inverse_of(ELEMENT x) {
    return PICK(IN_RANGE(x), INVERSE(x), ZERO);
}
HELPER ELEMENT quotient(ELEMENT a, ELEMENT x, ELEMENT inverse) {
    if (IS_ZERO_ELEMENT(inverse)) return IS_NONZERO_ELEMENT(x) ? OVER(a, x) : ZERO;
    return TIMES(a, inverse);
}
#elif defined(LANES)
#define IN_RANGE(x) (ABS(x) > (REAL)1e-30f && ABS(x) < (REAL)1e30f)
HELPER REAL inverse_of(REAL x) {
    REAL inverse = (REAL)(1.0f / (float)x);
#if CLS_DOUBLE /* 23 digits, 46, then all */
    inverse = fma(fma(-x, inverse, (REAL)1), inverse, inverse);
    inverse = fma(fma(-x, inverse, (REAL)1), inverse, inverse);
#endif
    return IN_RANGE(x) ? inverse : (REAL)0;
}
HELPER REAL quotient(REAL a, REAL x, REAL inverse) {
    const REAL q = a * inverse;
    if (inverse == 0) return x != 0 ? a / x : (REAL)0;
    return fma(fma(-q, x, a), inverse, q);
}
#else
HELPER REAL inverse_of(REAL x) {
    (void)x;
    return 0;
}
HELPER REAL quotient(REAL a, REAL x, REAL inverse) {
    (void)inverse;
    return x != 0 ? a / x : (REAL)0;
}
#endif

/* ---- a step ---- */

/* An offer: the row from the current column on, what is divided by, and which row it is. */
#define OFFERS                                                                                                         \
    LOCAL_ARRAY(ELEMENT_PAIR, offered, 2 * WAVES * PAIRS);                                                             \
    LOCAL_ARRAY(ELEMENT, offered_inverse, 2 * WAVES);                                                                  \
    LOCAL_ARRAY(REAL, offered_value, 2 * WAVES);                                                                       \
    LOCAL_ARRAY(unsigned, offered_place, 2 * WAVES);                                                                   \
    LOCAL_ARRAY(unsigned, offered_index, 2 * WAVES)
#define OFFERS_OF                                                                                                      \
    LOCAL_PTR ELEMENT_PAIR *offered, LOCAL_PTR ELEMENT *offered_inverse, LOCAL_PTR REAL *offered_value,                \
        LOCAL_PTR unsigned *offered_place, LOCAL_PTR unsigned *offered_index
#define THE_OFFERS offered, offered_inverse, offered_value, offered_place, offered_index

/* This work-item's row into offer `at`, as far as it is still in work. */
HELPER void offer(const ELEMENT *a, int live, REAL size, unsigned place, ELEMENT inverse, int at, OFFERS_OF) {
    UNROLL
    for (int q = 0; q < PAIRS; q += QUARTER)
        if (2 * q < live) {
            UNROLL
            for (int p = q; p < q + QUARTER && p < PAIRS; ++p) {
                ELEMENT_PAIR pair;
                pair.x = a[2 * p], pair.y = a[2 * p + 1];
                offered[at * PAIRS + p] = pair;
            }
        }
    offered_inverse[at] = inverse;
    offered_value[at] = size;
    offered_place[at] = place;
    offered_index[at] = (unsigned)LOCAL_ID(0);
}

#ifndef LANES
/* Leaves in element 0 of both arrays the best of all LS; a work-item without a row has a value of -1. */
HELPER void best_of_group(LOCAL_PTR REAL *value, LOCAL_PTR unsigned *place, int lid) {
    LOCAL_BARRIER();
    for (int step = LS / 2; step > 0; step /= 2) {
        if (lid < step &&
            (value[lid + step] > value[lid] || (value[lid + step] == value[lid] && place[lid + step] < place[lid]))) {
            value[lid] = value[lid + step];
            place[lid] = place[lid + step];
        }
        LOCAL_BARRIER();
    }
}
#endif

/* Which offer holds the pivot of step t, which has been made then. `live`: columns that are in work. */
HELPER int find_pivot(const ELEMENT *a, unsigned place, int t, int live, LOCAL_PTR REAL *value_of,
                      LOCAL_PTR unsigned *place_of, OFFERS_OF) {
    const int lid = (int)LOCAL_ID(0);
    const unsigned at = place != NOTHING && place >= (unsigned)t ? place : NOTHING;
    const REAL size = magnitude(a[0]);
    const ELEMENT inverse = inverse_of(a[0]);
#ifdef LANES
    const int lane = lid % LANES, first = t % 2 * WAVES;
    (void)value_of, (void)place_of;
    const unsigned best = best_lane(size, at);
    if ((unsigned)lane == best) offer(a, live, size, at, inverse, first + lid / LANES, THE_OFFERS);
    LOCAL_BARRIER();
    const int w = first + lane % WAVES;
    const REAL value = offered_value[w];
    const unsigned where = lane < WAVES ? offered_place[w] : NOTHING;
    return first + (int)(best_lane(value, where) % WAVES);
#else
    value_of[lid] = at == NOTHING ? (REAL)-1 : size;
    place_of[lid] = at;
    best_of_group(value_of, place_of, lid);
    const unsigned best = place_of[0];
    if (lid == 0) offered_place[0] = best; /* also where no row is left */
    if (best != NOTHING && best == at) offer(a, live, size, at, inverse, 0, THE_OFFERS);
    LOCAL_BARRIER();
    return 0;
#endif
}

/* Takes l times the pivot's row off the row; it moves on by one column. Of rows that have won, nobody reads what becomes. */
HELPER void eliminate(ELEMENT *a, int live, LOCAL_PTR const ELEMENT_PAIR *row, ELEMENT inverse) {
    const ELEMENT l = quotient(a[0], row[0].x, inverse);
    a[0] = LESS_PRODUCT(a[1], l, row[0].y);
    UNROLL
    for (int q = 0; q < PAIRS; q += QUARTER)
        if (2 * q < live) {
            UNROLL
            for (int p = q > 0 ? q : 1; p < q + QUARTER && p < PAIRS; ++p) {
                const ELEMENT_PAIR u = row[p];
                a[2 * p - 1] = LESS_PRODUCT(a[2 * p], l, u.x);
                a[2 * p] = LESS_PRODUCT(a[2 * p + 1], l, u.y);
            }
        }
}

/* ---- the last round ---- */

/*
 * The winners' rows, in `row`, as LAPACK's sequence of swaps and as the list of moves that lu_panel.cl makes. `swap` receives
 * where each stands when its turn comes: at its place in the leaf, or, of the first `width` rows, where the swaps before
 * have brought it.
 */
HELPER void list_swaps(LOCAL_PTR const idx_t *row, LOCAL_PTR idx_t *swap, idx_t width, idx_t top, GLOBAL idx_t *sources,
                       GLOBAL idx_t *targets, GLOBAL idx_t *ipiv) {
    const int lid = (int)LOCAL_ID(0);

    if (lid == 0)
        for (idx_t t = 0; t < width; ++t) {
            idx_t place = row[t];
            while (place < t) place = swap[place];
            swap[t] = place;
        }
    BARRIER();
    for (idx_t q = lid; q < width; q += LS) {
        int wins = 0;
        idx_t place = q;
        for (idx_t t = 0; t < width; ++t) wins |= row[t] == q;
        while (!wins && place < width) place = swap[place];
        ipiv[top + q] = top + swap[q] + 1;
        sources[2 * top + q] = row[q] != q ? top + row[q] : -1;
        targets[2 * top + q] = row[q] != q ? top + q : -1;
        sources[2 * (top + width) - width + q] = wins ? -1 : top + q;
        targets[2 * (top + width) - width + q] = wins ? -1 : top + place;
    }
}

/* ---- kernels ---- */

/*
 * One round among `rows` rows of A, LS a group, or with `first` = 0 among those whose numbers are in `entrants`, A their elements (ld
 * apart), -1 a row that is not there. Group g puts the numbers of its winners to winners[g * width] ..., and their elements
 * to the same rows of `elements`. A group that is alone makes the last round: row t of U, from its diagonal on, to upper[t * WIDE] ..., the
 * swaps and moves of rows, and *info, the number of the first column without a pivot.
 */
KERNEL WORK_GROUP(LS, 1, 1) void lu_tournament_round(GLOBAL const ELEMENT *A, idx_t offset, idx_t ld, idx_t rows,
                                                     idx_t width_, int first, GLOBAL const idx_t *entrants,
                                                     GLOBAL idx_t *winners, GLOBAL ELEMENT *elements, idx_t elements_ld,
                                                     GLOBAL ELEMENT *upper, idx_t top, GLOBAL idx_t *sources,
                                                     GLOBAL idx_t *targets, GLOBAL idx_t *ipiv, GLOBAL idx_t *info) {
    OFFERS;
    LOCAL_ARRAY(REAL, value_of, LS);
    LOCAL_ARRAY(unsigned, place_of, LS);
    LOCAL_ARRAY(unsigned, winner, WIDTH);
    LOCAL_ARRAY(idx_t, row, WIDTH);
    LOCAL_ARRAY(idx_t, swap, WIDTH);
    const int lid = (int)LOCAL_ID(0), width = (int)width_, last = GROUPS(0) == 1;
    const idx_t begin = GROUP_ID(0) * LS, put = GROUP_ID(0) * width, i = begin + lid;
    int there = i < rows;
    if (there && !first) there = entrants[i] >= 0;
    unsigned place = there ? (unsigned)lid : NOTHING;
    ELEMENT a[WIDE];

    UNROLL
    for (int k = 0; k < WIDE; ++k) a[k] = there && k < width ? A[offset + i + k * ld] : ZERO;

    for (int t = 0; t < width; ++t) {
        const int live = WIDE - t;
        const int from = find_pivot(a, place, t, live, value_of, place_of, THE_OFFERS);
        const unsigned pivot_place = offered_place[from];
        LOCAL_PTR const ELEMENT_PAIR *const pivot_row = offered + from * PAIRS;
        if (lid == 0) {
            winner[t] = pivot_place == NOTHING ? NOTHING : offered_index[from];
            if (last && IS_ZERO_ELEMENT(pivot_row[0].x) && info[0] == 0) info[0] = top + t + 1;
        }
        if (last)
            for (int k = lid; k < width - t; k += LS) upper[t * WIDE + k] = ELEMENT_OF(pivot_row, k);
        place = place == pivot_place ? (unsigned)t : place == (unsigned)t ? pivot_place : place;
        eliminate(a, live, pivot_row, offered_inverse[from]);
    }
    LOCAL_BARRIER();

    for (int t = lid; t < width; t += LS) {
        const idx_t won = begin + winner[t];
        row[t] = winner[t] == NOTHING ? -1 : first ? won : entrants[won];
        winners[put + t] = row[t];
    }
    LOCAL_BARRIER();
    if (last) {
        list_swaps(row, swap, width, top, sources, targets, ipiv);
        return;
    }
    for (int e = lid; e < width * width; e += LS) {
        const int t = e % width, k = e / width;
        if (winner[t] != NOTHING) elements[put + t + k * elements_ld] = A[offset + begin + winner[t] + k * ld];
    }
}

/*
 * L of all m rows, put where the swaps bring them, and U of the first `width`. Group 0 has the rows that move, `width`
 * winners and the first `width` rows of the leaf, and reads them all before it writes; so nobody else may write or read
 * there, and LS >= 2 * WIDTH. The other groups have the rows behind, a work-item each.
 */
KERNEL WORK_GROUP(LS, 1, 1) void lu_tournament_rows(GLOBAL ELEMENT *A, idx_t offset, idx_t ld, idx_t m, idx_t width_,
                                                    idx_t top, GLOBAL const idx_t *winners, GLOBAL const ELEMENT *upper,
                                                    GLOBAL const idx_t *targets) {
    LOCAL_ARRAY(ELEMENT_PAIR, U,
                WIDE * PAIRS); /* a row from its diagonal on; zeros beyond `width`, where nothing is stored */
    LOCAL_ARRAY(ELEMENT, inverse, WIDE);
    LOCAL_ARRAY(idx_t, winner, WIDTH);
    const int lid = (int)LOCAL_ID(0), width = (int)width_;
    ELEMENT x[WIDE];

    for (int e = lid; e < WIDE * WIDE; e += LS) {
        const int t = e / WIDE, k = e % WIDE;
        SET_ELEMENT_OF(U, e, t + k < width ? upper[e] : ZERO);
    }
    for (int t = lid; t < width; t += LS) winner[t] = winners[t];
    LOCAL_BARRIER();
    for (int t = lid; t < WIDE; t += LS) inverse[t] = inverse_of(ELEMENT_OF(U, t * WIDE));
    LOCAL_BARRIER();

    /* Row `from` goes to row `to`, both of the leaf; -1: nothing to do. */
    idx_t from, to;
    if (GROUP_ID(0) == 0) {
        from = to = -1;
        if (lid < width) {
            from = winner[lid];
            to = lid;
        } else if (lid < 2 * width && targets[2 * top + lid] >= 0) {
            from = lid - width;
            to = targets[2 * top + lid] - top;
        }
    } else {
        from = width + (GROUP_ID(0) - 1) * LS + lid;
        if (from >= m) from = -1;
        for (int t = 0; t < width; ++t)
            if (winner[t] == from) from = -1;
        to = from;
    }
    UNROLL
    for (int k = 0; k < WIDE; ++k) x[k] = from >= 0 && k < width ? A[offset + from + k * ld] : ZERO;
    BARRIER(); /* group 0 has read all that it is about to write */

    for (int t = 0; t < WIDE; ++t) { /* the registers go round once */
        LOCAL_PTR const ELEMENT_PAIR *const row = U + t * PAIRS;
        const ELEMENT l = quotient(x[0], row[0].x, inverse[t]);
        x[0] = LESS_PRODUCT(x[1], l, row[0].y);
        UNROLL
        for (int p = 1; p < PAIRS; ++p) {
            const ELEMENT_PAIR u = row[p];
            x[2 * p - 1] = LESS_PRODUCT(x[2 * p], l, u.x);
            x[2 * p] = LESS_PRODUCT(x[2 * p + 1], l, u.y);
        }
        x[WIDE - 1] = l;
    }
    if (to < 0) return;
    UNROLL
    for (int k = 0; k < WIDE; ++k)
        if (k < width) A[offset + to + k * ld] = to <= k ? ELEMENT_OF(U, to * WIDE + k - to) : x[k];
}
