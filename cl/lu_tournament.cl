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
 * In a round a work-item keeps EACH rows in registers. A row's registers move on by one a step, so that the current column
 * is always a[0] and every index is a constant; what is finished is dropped, for the last launch makes L:
 *
 *      a = | column t | t+1 | ... | WIDTH-1 |
 *
 * `place` is where a row would stand among the group's rows had every swap been made; it breaks ties as LAPACK does.
 *
 * A step takes one barrier where LANES of the work-items exchange values without: each wave offers its best row in one of
 * two places, used by turns, and each finds the best of the offers for itself. Elsewhere a tree in local memory finds it.
 *
 * Work-groups: LS work-items, a power of two; neighbouring work-items on neighbouring rows. Local memory of a round: with LANES
 * 2 * LS / LANES rows, else LS + WIDTH elements; of the last launch WIDTH * WIDTH elements.
 */
#include "lu_search.clh"

#ifndef LS
#define LS 64
#endif
#ifndef EACH
#define EACH 2
#endif
#ifndef WIDTH
#define WIDTH 32
#endif
#define CHUNK (LS * EACH)
#define PAIRS ((WIDTH + 1) / 2)
#define WIDE  (2 * PAIRS)
#ifdef LANES
#define WAVES (LS / LANES)
#else
#define WAVES 1
#endif

/* ---- division by a pivot ---- */

/* With the inverse at hand, made before the pivot was known to be one, and a step of correction: a / x but for its range. */
#ifdef LANES
#if CLS_DOUBLE
#define IN_RANGE(x) (ABS(x) > (REAL)1e-290 && ABS(x) < (REAL)1e290)
#else
#define IN_RANGE(x) (ABS(x) > 1e-30f && ABS(x) < 1e30f)
#endif
HELPER REAL inverse_of(REAL x) {
    return IN_RANGE(x) ? 1 / x : (REAL)0;
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
    LOCAL_ARRAY(REAL2, offered, 2 * WAVES * PAIRS);                                                                    \
    LOCAL_ARRAY(REAL, offered_inverse, 2 * WAVES);                                                                     \
    LOCAL_ARRAY(REAL, offered_value, 2 * WAVES);                                                                       \
    LOCAL_ARRAY(unsigned, offered_place, 2 * WAVES);                                                                   \
    LOCAL_ARRAY(unsigned, offered_index, 2 * WAVES)
#define OFFERS_OF                                                                                                      \
    LOCAL_PTR REAL2 *offered, LOCAL_PTR REAL *offered_inverse, LOCAL_PTR REAL *offered_value,                          \
        LOCAL_PTR unsigned *offered_place, LOCAL_PTR unsigned *offered_index
#define THE_OFFERS offered, offered_inverse, offered_value, offered_place, offered_index

/* The best row of this work-item for step t; -1 and NOTHING where it has none left. */
HELPER int best_of_mine(REAL (*a)[WIDE], const unsigned *place, int t, REAL *size, unsigned *at) {
    int which = 0;
    *size = -1;
    *at = NOTHING;
#pragma unroll
    for (int r = 0; r < EACH; ++r) {
        const REAL x = magnitude(a[r][0]);
        const int left = place[r] != NOTHING && place[r] >= (unsigned)t;
        if (left && (x > *size || (x == *size && place[r] < *at))) {
            *size = x;
            *at = place[r];
            which = r;
        }
    }
    return which;
}

/* Row `which` into offer `at`, as far as it is still in work. */
HELPER void offer(REAL (*a)[WIDE], int which, int live, REAL size, unsigned place, REAL inverse, int at, OFFERS_OF) {
#pragma unroll
    for (int r = 0; r < EACH; ++r)
        if (r == which) {
#pragma unroll
            for (int p = 0; p < PAIRS; ++p)
                if (2 * p < live) {
                    REAL2 pair;
                    pair.x = a[r][2 * p], pair.y = a[r][2 * p + 1];
                    offered[at * PAIRS + p] = pair;
                }
        }
    offered_inverse[at] = inverse;
    offered_value[at] = size;
    offered_place[at] = place;
    offered_index[at] = (unsigned)(LOCAL_ID(0) + which * LS);
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

/* Which offer holds the pivot of step t, which has been made then. `live`: columns that are in work, a constant. */
HELPER int find_pivot(REAL (*a)[WIDE], const unsigned *place, int t, int live, LOCAL_PTR REAL *value_of,
                      LOCAL_PTR unsigned *place_of, OFFERS_OF) {
    const int lid = (int)LOCAL_ID(0);
    unsigned at;
    REAL size;
    const int which = best_of_mine(a, place, t, &size, &at);
    REAL mine = a[0][0];
#pragma unroll
    for (int r = 1; r < EACH; ++r)
        if (r == which) mine = a[r][0];
    const REAL inverse = inverse_of(mine);
#ifdef LANES
    const int lane = lid % LANES, first = t % 2 * WAVES;
    (void)value_of, (void)place_of;
    if ((unsigned)lane == best_lane(size, at))
        offer(a, which, live, size, at, inverse, first + lid / LANES, THE_OFFERS);
    LOCAL_BARRIER();
#if WAVES > 1
    const int w = first + lane % WAVES;
    const REAL value = offered_value[w];
    const unsigned where = lane < WAVES ? offered_place[w] : NOTHING;
    return first + (int)(best_lane(value, where) % WAVES);
#else
    return first;
#endif
#else
    value_of[lid] = size;
    place_of[lid] = at;
    best_of_group(value_of, place_of, lid);
    const unsigned best = place_of[0];
    if (lid == 0) offered_place[0] = best; /* also where no row is left */
    if (best != NOTHING && best == at) offer(a, which, live, size, at, inverse, 0, THE_OFFERS);
    LOCAL_BARRIER();
    return 0;
#endif
}

/* Takes l times the pivot's row off the rows; they move on by one column. Of rows that have won, nobody reads what becomes. */
HELPER void eliminate(REAL (*a)[WIDE], int live, LOCAL_PTR const REAL2 *row, REAL inverse) {
    const REAL pivot = row[0].x, second = row[0].y;
    REAL l[EACH];
#pragma unroll
    for (int r = 0; r < EACH; ++r) {
        l[r] = quotient(a[r][0], pivot, inverse);
        a[r][0] = a[r][1] - l[r] * second;
    }
#pragma unroll
    for (int p = 1; p < PAIRS; ++p)
        if (2 * p < live) {
            const REAL2 u = row[p];
#pragma unroll
            for (int r = 0; r < EACH; ++r) {
                a[r][2 * p - 1] = a[r][2 * p] - l[r] * u.x;
                a[r][2 * p] = a[r][2 * p + 1] - l[r] * u.y;
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

/* Steps begin .. end-1, with at most `live` columns in work. */
#define STEPS(begin, end, live)                                                                                        \
    for (int t = (begin); t < (end); ++t) {                                                                            \
        const int from = find_pivot(a, place, t, live, value_of, place_of, THE_OFFERS);                                \
        const unsigned pivot_place = offered_place[from];                                                              \
        LOCAL_PTR const REAL2 *const pivot_row = offered + from * PAIRS;                                               \
        if (lid == 0) {                                                                                                \
            winner[t] = pivot_place == NOTHING ? NOTHING : offered_index[from];                                        \
            if (last && pivot_row[0].x == 0 && info[0] == 0) info[0] = top + t + 1;                                    \
        }                                                                                                              \
        if (last)                                                                                                      \
            for (int k = lid; k < width - t; k += LS)                                                                  \
                upper[t * WIDE + t + k] = ((LOCAL_PTR const REAL *)pivot_row)[k];                                      \
        for (int r = 0; r < EACH; ++r)                                                                                 \
            place[r] = place[r] == pivot_place ? (unsigned)t : place[r] == (unsigned)t ? pivot_place : place[r];       \
        eliminate(a, live, pivot_row, offered_inverse[from]);                                                          \
    }

#define QUARTER  ((PAIRS + 3) / 4 * 2)
#define UP_TO(s) ((s)*QUARTER < width ? (s)*QUARTER : width)
#define LIVE(s)  (WIDE - (s)*QUARTER)

/*
 * One round among `rows` rows of A, or with `first` = 0 among those whose numbers are in `entrants`, A their elements (ld
 * apart), -1 a row that is not there. Group g puts the numbers of its winners to winners[g * width] ..., and their elements
 * to the same rows of `elements`. A group that is alone makes the last round: row t of U to upper[t * WIDE] ..., the swaps
 * and moves of rows, and *info, the number of the first column without a pivot.
 */
KERNEL WORK_GROUP(LS, 1, 1) void lu_tournament_round(GLOBAL const REAL *A, idx_t offset, idx_t ld, idx_t rows,
                                                     idx_t width_, int first, GLOBAL const idx_t *entrants,
                                                     GLOBAL idx_t *winners, GLOBAL REAL *elements, idx_t elements_ld,
                                                     GLOBAL REAL *upper, idx_t top, GLOBAL idx_t *sources,
                                                     GLOBAL idx_t *targets, GLOBAL idx_t *ipiv, GLOBAL idx_t *info) {
    OFFERS;
    LOCAL_ARRAY(REAL, value_of, LS);
    LOCAL_ARRAY(unsigned, place_of, LS);
    LOCAL_ARRAY(unsigned, winner, WIDTH);
    LOCAL_ARRAY(idx_t, row, WIDTH);
    LOCAL_ARRAY(idx_t, swap, WIDTH);
    const int lid = (int)LOCAL_ID(0), width = (int)width_, last = GROUPS(0) == 1;
    const idx_t begin = GROUP_ID(0) * CHUNK, put = GROUP_ID(0) * width;
    unsigned place[EACH];
    REAL a[EACH][WIDE];

#pragma unroll
    for (int r = 0; r < EACH; ++r) {
        const idx_t i = begin + lid + r * LS;
        int there = i < rows;
        if (there && !first) there = entrants[i] >= 0;
        place[r] = there ? (unsigned)(lid + r * LS) : NOTHING;
#pragma unroll
        for (int k = 0; k < WIDE; ++k) a[r][k] = there && k < width ? A[offset + i + k * ld] : 0;
    }
#ifdef LANES
    STEPS(0, UP_TO(1), LIVE(0))
    STEPS(UP_TO(1), UP_TO(2), LIVE(1))
    STEPS(UP_TO(2), UP_TO(3), LIVE(2))
    STEPS(UP_TO(3), width, LIVE(3))
#else
    STEPS(0, width, WIDE)
#endif
    LOCAL_BARRIER();

    for (int t = lid; t < width; t += LS) {
        const idx_t i = begin + winner[t];
        row[t] = winner[t] == NOTHING ? -1 : first ? i : entrants[i];
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
KERNEL WORK_GROUP(LS, 1, 1) void lu_tournament_rows(GLOBAL REAL *A, idx_t offset, idx_t ld, idx_t m, idx_t width_,
                                                    idx_t top, GLOBAL const idx_t *winners, GLOBAL const REAL *upper,
                                                    GLOBAL const idx_t *targets) {
    LOCAL_ARRAY(REAL2, U, WIDE * PAIRS); /* row by row; zeros beyond `width`, where nothing is stored */
    LOCAL_ARRAY(REAL, inverse, WIDE);
    LOCAL_ARRAY(idx_t, winner, WIDTH);
    LOCAL_PTR REAL *const elements = (LOCAL_PTR REAL *)U;
    const int lid = (int)LOCAL_ID(0), width = (int)width_;
    REAL x[WIDE];

    for (int e = lid; e < WIDE * WIDE; e += LS) {
        const int t = e / WIDE, k = e % WIDE;
        elements[e] = k < width && t <= k ? upper[e] : (REAL)0;
    }
    for (int t = lid; t < width; t += LS) winner[t] = winners[t];
    LOCAL_BARRIER();
    for (int t = lid; t < WIDE; t += LS) inverse[t] = inverse_of(elements[t * WIDE + t]);
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
#pragma unroll
    for (int k = 0; k < WIDE; ++k) x[k] = from >= 0 && k < width ? A[offset + from + k * ld] : 0;
    BARRIER(); /* group 0 has read all that it is about to write */

#pragma unroll
    for (int t = 0; t < WIDE; ++t) {
        x[t] = quotient(x[t], elements[t * WIDE + t], inverse[t]);
        if (t % 2 == 0) x[t + 1] -= x[t] * elements[t * WIDE + t + 1];
#pragma unroll
        for (int p = t / 2 + 1; p < PAIRS; ++p) {
            const REAL2 u = U[t * PAIRS + p];
            x[2 * p] -= x[t] * u.x;
            x[2 * p + 1] -= x[t] * u.y;
        }
    }
    if (to < 0) return;
#pragma unroll
    for (int k = 0; k < WIDE; ++k)
        if (k < width) A[offset + to + k * ld] = to <= k ? elements[to * WIDE + k] : x[k];
}
