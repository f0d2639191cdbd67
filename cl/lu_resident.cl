/*
 * lu_resident.cl: LU with partial pivoting of a leaf, m rows by at most WIDTH columns, in one launch of many groups.
 * The same pivots as lu_panel.cl finds by steps.
 *
 * The leaf lies in registers from the first step to the last. A group has HEIGHT = LANES * ROWS rows; of its waves, so
 * many lanes each, WAVES work and one decides. Lane l of a working wave has the rows l, l + LANES, ...; wave w has the
 * columns RUN w ... RUN w + RUN - 1, and the same again each ROUND columns. So a column of a group lies in one wave,
 * which finds its largest element without the others, and of most pairs of neighbouring columns both lie in it. The
 * groups wait for each other in every step, which OpenCL does not promise to work: only for devices that are known to
 * run this many groups at the same time, and behind a self-test. The wait is bounded; when the bound is passed, info[1]
 * is set, what some groups may have stored is not to be used, and the host factors the matrix anew, by steps.
 *
 * Step t; in turn is the wave that has column t:
 *
 *      working     take the last step's product from their columns; the elements of the group's best row for column t
 *                  are its candidate row
 *      deciding    waits for the candidates of all groups, the best rows' elements of column t, and finds the pivot
 *      working     read the candidate row of the pivot's group
 *      in turn     the multipliers; column t + 1 and its best row, whose element is the candidate of the next step
 *
 * Where the next column is another wave's, that wave finds its best row after the product.
 *
 * Each ROUND steps the registers of all waves turn by RUN columns, so that the columns at hand are always a[.][0 ..
 * RUN-1] and every index is a constant.
 *
 * A candidate needs no fence and no counter: each of its 64-bit words carries half an element and a mark of the step,
 *
 *      low half of the element | mark, place of the row       high half | mark, number of the row
 *
 * so that a reader sees of each word that it is there (the protocol that communication libraries call LL; a 64-bit word
 * is written and read whole). There are three places for a step's candidates, used by turns. A place is written again
 * three steps later, by a group that knows the candidates of all for the step before; a group makes that when all its
 * waves have read what they needed of the place. Marks count on from leaf to leaf, modulo 2^16; the caller sees to it
 * that no place keeps a candidate for that long.
 *
 * Pivots of which the inverse is no normal number divide their column.
 *
 * At the end every row is stored where its swaps have brought it, and the list of moves (see lu_panel.cl) is written.
 *
 * Work-groups: (WAVES + 1) * LANES work-items, group g has the rows g * HEIGHT ..., neighbouring work-items on
 * neighbouring rows; at most `most` and LANES * BATCHES groups, and 65534 rows. LANES of the work-items exchange values
 * without a barrier (dialect.clh). Local memory: 2 * WIDTH + HEIGHT elements and as many words. COLUMNS <= LANES, a
 * power of two, at least CHUNK. `offers`: three places of most * (WIDTH + 1) pairs of words.
 *
 * The file is long because the kernel is one loop over arrays in registers, whose indices must be constants.
 */
#include "lu_search.clh"

#ifndef WAVES
#define WAVES 8
#endif
#ifndef ROWS /* of a lane: 1, 2, 4 or 8 */
#define ROWS 2
#endif
#ifndef COLUMNS /* of a wave */
#define COLUMNS 16
#endif
#ifndef BATCHES /* candidates that a lane of the deciding wave reads */
#define BATCHES 4
#endif
#ifndef SPINS
#define SPINS 2000000 /* some seconds; a step takes a microsecond */
#endif

#ifdef LANES

#define LS     ((WAVES + 1) * LANES)
#define HEIGHT (LANES * ROWS)
#define WIDTH  (WAVES * COLUMNS)
#define RUN    4 /* neighbouring columns of a wave */
#define ROUND  (RUN * WAVES)
#define CHUNK  RUN /* columns of a wave that are passed over together when they are finished */

/* Column c of a wave. */
#define COLUMN_OF(wave, c) (((c) / RUN * WAVES + (wave)) * RUN + (c) % RUN)

/* The barriers at which parts of a group meet. */
#define CHOSEN 1
#define WON    2
#define READY  3

/* Flags stored with a pivot's place. */
#define IS_ZERO 0x10000u
#define DIVIDES 0x20000u

#define FOR_ROWS                                                                                                       \
    UNROLL                                                                                                             \
    for (int s = 0; s < ROWS; ++s)
#define FOR_COLUMNS                                                                                                    \
    UNROLL                                                                                                             \
    for (int c = 0; c < COLUMNS; ++c)
#define FOR_BATCHES                                                                                                    \
    UNROLL                                                                                                             \
    for (int b = 0; b < BATCHES; ++b)

/* Row s of the lane to local memory: the text differs for each s, or the compiler makes one store of them all with
 * an index that is no constant, and the registers become memory. */
#define KEEP_ROW(s)                                                                                                    \
    if (row / LANES == (s)) {                                                                                          \
        UNROLL                                                                                                         \
        for (int c = 0; c < COLUMNS; c += STORED)                                                                      \
            STORE_ELEMENTS(s, best_address + (unsigned)(c * (int)sizeof(ELEMENT)), a[s], c);                           \
    }
#if CLS_COMPLEX
#define STORED                         1
#define STORE_ELEMENTS(tag, to, of, c) STORE_LOCAL_PAIR(tag, to, of[c].x, of[c].y)
#else
#define STORED                         2
#define STORE_ELEMENTS(tag, to, of, c) STORE_LOCAL_PAIR(tag, to, of[c], of[(c) + 1])
#endif

/* Row s's elements of column t and the next, which the wave in turn needs; many at once are better read before the
 * wait, one during it. */
#define SELECT(s)                                                                                                      \
    {                                                                                                                  \
        place[s] = places[(s)*LANES + lane];                                                                           \
        x[s] = PICK(q > 1, PICK(q == 3, a[s][3], a[s][2]), PICK(q == 1, a[s][1], a[s][0]));                            \
        y[s] = PICK(q > 1, a[s][3], PICK(q == 1, a[s][2], a[s][1]));                                                   \
    }

/* The group's best row for column t, whose elements are x: its candidate to all groups, its number to `*offered`. */
HELPER void offer_best(const ELEMENT *x, const unsigned *place, int t, unsigned mark, int lane, int group,
                       GLOBAL PAIR_OF_WORDS *firsts, LOCAL_PTR unsigned *offered) {
    ELEMENT value = ZERO;
    unsigned row = 0;
    REAL_BITS size = 0;
    unsigned at = NOTHING;
    FOR_ROWS {
        const int open = (place[s] != NOTHING) & (place[s] >= (unsigned)t);
        const unsigned there = open ? place[s] : NOTHING;
        const ELEMENT element = PICK(open, x[s], ZERO);
        const REAL_BITS bits = size_of(element);
        const int first = (s == 0) | BEFORE(bits, there, size, at);
        size = first ? bits : size;
        at = first ? there : at;
        value = PICK(first, element, value);
        row = first ? (unsigned)(s * LANES + lane) : row;
    }
    const unsigned best = first_lane(size, at);
    if ((unsigned)lane == best) {
        STORE_OFFER(firsts + group * OFFER_PAIRS, value, at, (unsigned)(group * HEIGHT) + row, mark);
        *offered = row;
    }
}

/*
 * The deciding wave, from the first step to the last: the pivot of each among the candidates of all groups, to chosen
 * and pivot_value for this step and to pivots; zero: the first step without one, from 1. 0: a candidate did not come.
 */
HELPER int decide(GLOBAL PAIR_OF_WORDS *here, GLOBAL PAIR_OF_WORDS *next, GLOBAL PAIR_OF_WORDS *after, int groups,
                  int width, unsigned mark, int lane, const LOCAL_PTR int *late, LOCAL_PTR unsigned *chosen,
                  LOCAL_PTR ELEMENT *pivot_value, LOCAL_PTR unsigned *pivots, LOCAL_PTR int *zero) {
    int offer[BATCHES];
    FOR_BATCHES offer[b] = b * LANES + lane < groups ? (b * LANES + lane) * OFFER_PAIRS : 0;
#pragma unroll 1
    for (int t = 0; t < width; ++t) {
        offered_t offers[BATCHES];
        ELEMENT pivot = ZERO;
        REAL_BITS size = 0;
        unsigned pivot_place = NOTHING, number = 0, from = 0;
        int missing = 1;
        PART_BARRIER(READY, LS);
        int failed = late[0]; /* a candidate row of an earlier step */
        if (t % RUN == 0) PART_BARRIER(CHOSEN, LS);
        for (int spins = 0; missing && spins < SPINS; ++spins) {
            unsigned differs = 0;
            /* Without a condition, or one would wait for the other. */
            FOR_BATCHES LOAD_OFFER(here + offer[b], offers[b]);
            FOR_BATCHES differs |= DIFFERS(offers[b], mark);
            missing = differs >> 16 != 0;
        }
        failed |= missing;
        FOR_BATCHES {
            const int there_is = b * LANES + lane < groups;
            const ELEMENT value = ELEMENT_IN(offers[b]);
            const REAL_BITS x = there_is ? size_of(value) : 0;
            const unsigned p = there_is ? offers[b].of_low & 0xffffu : NOTHING;
            const int first = (b == 0) | BEFORE(x, p, size, pivot_place);
            size = first ? x : size;
            pivot = PICK(first, value, pivot);
            pivot_place = first ? p : pivot_place;
            number = first ? offers[b].of_high & 0xffffu : number;
            from = first ? (unsigned)(b * LANES + lane) : from;
        }
        const unsigned best = first_lane(size, pivot_place);
        if (LANES_VOTE(failed) != 0) {
            chosen[0] = NOTHING;
        } else if ((unsigned)lane == best) {
            chosen[0] = from;
            chosen[1] = pivot_place | (size == 0 ? IS_ZERO : IS_TO_DIVIDE(size) ? DIVIDES : 0);
            pivot_value[0] = pivot;
        }
        PART_BARRIER(WON, LS);
        if (LANES_VOTE(failed) != 0) return 0;
        if ((unsigned)lane == best) {
            pivots[t] = pivot_place << 16 | number;
            if (size == 0 && zero[0] == 0) zero[0] = t + 1;
        }
        GLOBAL PAIR_OF_WORDS *const before_this = here;
        here = next;
        next = after;
        after = before_this;
        mark += 1u << 16;
    }
    return 1;
}

KERNEL WORK_GROUP(LS, 1, 1) void lu_leaf_resident(GLOBAL ELEMENT *A, idx_t offset, idx_t ld, idx_t m_, idx_t width_,
                                                  idx_t top, unsigned before, GLOBAL PAIR_OF_WORDS *offers, int most,
                                                  GLOBAL idx_t *sources, GLOBAL idx_t *targets, GLOBAL idx_t *ipiv,
                                                  GLOBAL idx_t *info) {
    LOCAL_ARRAY(ELEMENT_PAIR, pivot_pairs, WIDTH / 2); /* wave by wave, as their registers lie; 0 in finished columns */
    LOCAL_ARRAY(ELEMENT_PAIR, best_pairs, WIDTH / 2);
    LOCAL_ARRAY(ELEMENT, multipliers, HEIGHT);
    LOCAL_ARRAY(ELEMENT, pivot_value, 1);
    LOCAL_ARRAY(unsigned, places, HEIGHT);
    LOCAL_ARRAY(unsigned, pivots, WIDTH); /* place and number of each step's pivot */
    LOCAL_ARRAY(unsigned, chosen, 2);     /* the group that won, and the place of its row */
    LOCAL_ARRAY(unsigned, offered,
                WAVES); /* the group's candidate row, by the wave that found it: apart from what others
                                              read while the next is being written */
    LOCAL_ARRAY(int, late, 1);
    LOCAL_ARRAY(int, zero, 1); /* the first step without a pivot, from 1 */
    const int lid = (int)LOCAL_ID(0), lane = lid % LANES, wave = lid / LANES, works = wave < WAVES;
    const int groups = (int)GROUPS(0), group = (int)GROUP_ID(0), first = group * HEIGHT;
    const int m = (int)m_, width = (int)width_, own = works ? wave : 0;
    GLOBAL PAIR_OF_WORDS *here = offers, *next = offers + most * (WIDTH + 1) * OFFER_PAIRS,
                         *after = offers + 2 * most * (WIDTH + 1) * OFFER_PAIRS; /* of this step, and later ones */
    unsigned mark = before << 16;
    ELEMENT a[ROWS][COLUMNS];
    int done = 0; /* columns of each wave before a[.][0] */

    if (lid == 0) {
        late[0] = info[1] != 0; /* an earlier leaf has failed: none needs to wait again */
        zero[0] = 0;
    }
#pragma unroll 1
    for (int k = lid; k < WIDTH / 2; k += LS) pivot_pairs[k].x = pivot_pairs[k].y = ZERO;
#pragma unroll 1
    for (int r = lid; r < HEIGHT; r += LS) {
        places[r] = first + r < m ? (unsigned)(first + r) : NOTHING;
        multipliers[r] = ZERO;
    }
    BARRIER();
    if (late[0]) return;

    if (works) {
        LOCAL_PTR ELEMENT *const u_of_wave = (LOCAL_PTR ELEMENT *)(pivot_pairs + own * (COLUMNS / 2));
        LOCAL_PTR ELEMENT *const best_row = (LOCAL_PTR ELEMENT *)(best_pairs + own * (COLUMNS / 2));
        const unsigned best_address = LOCAL_ADDRESS(best_row);
        const int word =
            (most + own * COLUMNS + lane % COLUMNS) * OFFER_PAIRS; /* this lane's in group 0's candidate row */
        FOR_ROWS FOR_COLUMNS {
            const int i = first + s * LANES + lane, k = COLUMN_OF(wave, c);
            a[s][c] = i < m && k < width ? A[offset + i + k * ld] : ZERO;
        }
        for (int t0 = 0;; t0 += ROUND) {
            const int turns = width - t0 < ROUND ? width - t0 : ROUND;
#pragma unroll 1
            for (int turn = 0; turn < turns; ++turn) {
                const int t = t0 + turn, in_turn = turn / RUN == wave, q = turn % RUN, takes_over = in_turn && q == 0;
                unsigned place[ROWS];
                ELEMENT l[ROWS];

                PART_BARRIER(READY, LS);
                FOR_ROWS l[s] = multipliers[s * LANES + lane];
                ELEMENT_PAIR u = pivot_pairs[own * (COLUMNS / 2)];
                if (takes_over) {
                    ELEMENT x[ROWS];
                    FOR_ROWS {
                        place[s] = places[s * LANES + lane];
                        a[s][0] = LESS_PRODUCT(a[s][0], l[s], u.x);
                        x[s] = a[s][0];
                    }
                    offer_best(x, place, t, mark, lane, group, here, offered + wave);
                    u.x = ZERO;
                    PART_BARRIER(CHOSEN, LS);
                }
                UNROLL
                for (int chunk = 0; chunk < COLUMNS; chunk += CHUNK)
                    if (done + chunk < COLUMNS) {
                        UNROLL
                        for (int c = chunk; c < chunk + CHUNK; c += 2) {
                            if (c > 0) u = pivot_pairs[own * (COLUMNS / 2) + c / 2];
                            FOR_ROWS {
                                a[s][c] = LESS_PRODUCT(a[s][c], l[s], u.x);
                                a[s][c + 1] = LESS_PRODUCT(a[s][c + 1], l[s], u.y);
                            }
                        }
                    }
                if (q == 0) {
                    if (takes_over)
                        LANES_SYNC();
                    else
                        PART_BARRIER(CHOSEN, LS);
                }
                const unsigned row = offered[turn / RUN];
                if ((unsigned)lane == row % LANES) {
                    KEEP_ROW(0)
#if ROWS > 1
                    KEEP_ROW(1)
#endif
#if ROWS > 2
                    KEEP_ROW(2)
                    KEEP_ROW(3)
#endif
#if ROWS > 4
                    KEEP_ROW(4)
                    KEEP_ROW(5)
                    KEEP_ROW(6)
                    KEEP_ROW(7)
#endif
                }
                LANES_SYNC();
                if (lane < COLUMNS) {
                    const ELEMENT x = best_row[lane]; /* beyond the last column, of a finished one */
                    STORE_OFFER(here + group * (WIDTH * OFFER_PAIRS) + word, x, 0, 0, mark);
                }

                ELEMENT x[ROWS], y[ROWS]; /* column t and the one after it */
                if (in_turn) {
                    if (ROWS > 1) FOR_ROWS SELECT(s);
                }
                PART_BARRIER(WON, LS);
                const unsigned from = chosen[0];
                if (from == NOTHING) {
                    info[1] = 1;
                    return;
                }

                const GLOBAL PAIR_OF_WORDS *const offer = here + from * (WIDTH * OFFER_PAIRS) + word;
                offered_t offered_row;
                LOAD_OFFER(offer, offered_row);
                const unsigned pivot = chosen[1], pivot_place = pivot & 0xffffu;
                const int goes_on = in_turn & (q + 1 < RUN) & (t + 1 < width);
                if (in_turn) { /* while the candidate row is on its way */
                    const int divides = (pivot & DIVIDES) != 0;
                    const divisor_t of_pivot_value = divisor_of(pivot_value[0], divides);
                    FOR_ROWS {
                        if (ROWS == 1) SELECT(s);
                        const int of_pivot = place[s] == pivot_place;
                        const int below = (place[s] >= (unsigned)t) & !of_pivot & ((pivot & IS_ZERO) == 0);
                        const ELEMENT quotient = quotient_of(x[s], of_pivot_value, divides);
                        l[s] = PICK(below, quotient, ZERO);
                        x[s] = PICK(below, quotient, x[s]);
                        place[s] = of_pivot ? (unsigned)t : place[s] == (unsigned)t ? pivot_place : place[s];
                        multipliers[s * LANES + lane] = l[s];
                        places[s * LANES + lane] = place[s];
                    }
                }
                int missing = IS_MISSING(offered_row, mark) != 0;
                for (int spins = 0; missing && spins < SPINS; ++spins) {
                    LOAD_OFFER(offer, offered_row);
                    missing = IS_MISSING(offered_row, mark) != 0;
                }
                if (missing) late[0] = 1;
                const ELEMENT of_pivot_row = ELEMENT_IN(offered_row);
                if (in_turn) {
                    const ELEMENT of_next = LANES_GET_ELEMENT(of_pivot_row, (unsigned)q + 1);
                    FOR_ROWS y[s] = LESS_PRODUCT(y[s], l[s], of_next);
                    if (goes_on) offer_best(y, place, t + 1, mark + (1u << 16), lane, group, next, offered + wave);
                    FOR_ROWS {
                        a[s][0] = PICK(q == 0, x[s], a[s][0]);
                        a[s][1] = PICK(q == 1, x[s], PICK(q == 0 && goes_on, y[s], a[s][1]));
                        a[s][2] = PICK(q == 2, x[s], PICK(q == 1 && goes_on, y[s], a[s][2]));
                        a[s][3] = PICK(q == 3, x[s], PICK(q == 2 && goes_on, y[s], a[s][3]));
                    }
                }
                /* Columns that are finished, or have just been brought up to date, have 0 taken away. */
                const int last = turn == ROUND - 1;
                const int open = (lane >= RUN) | (wave > turn / RUN) | (in_turn & (lane > q + goes_on));
                if (lane < COLUMNS) /* where its column will be */
                    u_of_wave[(lane - (last ? RUN : 0)) & (COLUMNS - 1)] =
                        PICK(open & (lane < COLUMNS - done), of_pivot_row, ZERO);
                GLOBAL PAIR_OF_WORDS *const before_this = here;
                here = next;
                next = after;
                after = before_this;
                mark += 1u << 16;
            }
            if (t0 + ROUND >= width) break;
            done += RUN;
            FOR_ROWS { /* the next columns of each wave */
                ELEMENT finished[RUN];
                UNROLL
                for (int c = 0; c < RUN; ++c) finished[c] = a[s][c];
                UNROLL
                for (int c = 0; c + RUN < COLUMNS; ++c) a[s][c] = a[s][c + RUN];
                UNROLL
                for (int c = 0; c < RUN; ++c) a[s][COLUMNS - RUN + c] = finished[c];
            }
        }
    } else {
        if (!decide(here, next, after, groups, width, mark, lane, late, chosen, pivot_value, pivots, zero)) return;
    }
    BARRIER();
    if (late[0]) {
        info[1] = 1;
        return;
    }

    if (group == 0)
#pragma unroll 1
        for (int t = lid; t < width; t += LS) {
            const idx_t number = pivots[t] & 0xffffu;
            sources[2 * top + t] = number != t ? top + number : -1;
            targets[2 * top + t] = number != t ? top + t : -1;
            ipiv[top + t] = top + (pivots[t] >> 16) + 1;
        }
    if (group == 0 && lid == 0 && zero[0] != 0 && info[0] == 0) info[0] = top + zero[0];
    for (int r = lid; r < HEIGHT && first + r < width; r += LS) {
        const idx_t i = first + r; /* one that became a pivot is in the list already */
        sources[2 * top + width + i] = places[r] >= (unsigned)width ? top + i : -1;
        targets[2 * top + width + i] = places[r] >= (unsigned)width ? top + places[r] : -1;
    }
    FOR_ROWS {
        const unsigned place = places[s * LANES + lane];
        FOR_COLUMNS {
            const int k = COLUMN_OF(wave, (done + c) % COLUMNS);
            if (works && place != NOTHING && k < width) A[offset + place + k * ld] = a[s][c];
        }
    }
}

#endif
