/*
 * lu_resident.cl: LU with partial pivoting of a leaf, m rows by at most WIDTH columns, in one launch of many groups. The
 * same pivots as lu_panel.cl finds by steps.
 *
 * A row a work-item, kept in registers from the first step to the last. The groups wait for each other once a step, which
 * OpenCL does not promise to work: only for devices that are known to run this many groups at the same time, and behind a
 * self-test. The wait is bounded; when the bound is passed, info[1] is set, nothing is stored, and the host factors again by
 * steps.
 *
 * Step t. Each group offers its best row for column t in one of two places, used by turns; when all have, each group finds
 * the same pivot among the offers, and each work-item eliminates in its own row. The row's registers rotate by one a step,
 * so that the current column is always a[0] and every index is a constant:
 *
 *      a = | column t | t+1 | ... | WIDTH-1 | 0 | ... | t-1 |      finished columns at the end
 *
 * An offer needs no fence and no counter: each of its 64-bit words carries half an element and a mark of the step,
 *
 *      element k:   low half of a[k] | mark, place of the row       high half of a[k] | mark, number of the row
 *
 * so that a reader sees of each word that it is there (the protocol that communication libraries call LL; a 64-bit word is
 * written and read whole). A place is written again two steps later, when each group has offered for the step between, so
 * has read all offers of this one. Marks count on from leaf to leaf, modulo 2^16; the caller sees to it that no place keeps
 * an offer for that long.
 *
 * At the end every row is stored where its swaps have brought it, and the list of moves (see lu_panel.cl) is written.
 *
 * Work-groups: LS work-items, group g has rows g*LS ..., neighbouring work-items on neighbouring rows; at most MOST groups
 * and 65535 rows. LANES of the work-items exchange values without a barrier (dialect.clh). Local memory: (MOST + LS / LANES)
 * * (WIDTH + 3) words. WIDTH <= LANES, even.
 */
#include "lu_search.clh"

#ifndef LS
#define LS 256
#endif
#ifndef WIDTH
#define WIDTH 32
#endif
#ifndef MOST
#define MOST 132
#endif
#define WAVES (LS / LANES)
#define SPINS 2000000 /* some seconds; a step takes a microsecond */
#define BATCH 4       /* offers that a wave reads at a time */

#ifdef LANES

KERNEL WORK_GROUP(LS, 1, 1) void lu_leaf_resident(GLOBAL REAL *A, idx_t offset, idx_t ld, idx_t m_, idx_t width_,
                                                  idx_t top, unsigned before, GLOBAL PAIR_OF_WORDS *offers,
                                                  GLOBAL idx_t *sources, GLOBAL idx_t *targets, GLOBAL idx_t *ipiv,
                                                  GLOBAL idx_t *info) {
    LOCAL_ARRAY(REAL2, offered, MOST * (WIDTH / 2)); /* row by row; what belongs to a row beside it */
    LOCAL_ARRAY(REAL, offered_value, MOST);
    LOCAL_ARRAY(unsigned, offered_place, MOST);
    LOCAL_ARRAY(unsigned, offered_number, MOST);
    LOCAL_ARRAY(REAL2, best_row, WIDTH / 2); /* of this group; and the same of its waves */
    LOCAL_ARRAY(REAL, best_values, WAVES);
    LOCAL_ARRAY(unsigned, best_places, WAVES);
    LOCAL_ARRAY(unsigned, best_numbers, WAVES);
    LOCAL_ARRAY(int, late, 1);
    const int lid = (int)LOCAL_ID(0), lane = lid % LANES, wave = lid / LANES;
    const int groups = (int)GROUPS(0), group = (int)GROUP_ID(0), i = group * LS + lid;
    const int m = (int)m_, width = (int)width_;
    LOCAL_PTR REAL *const elements = (LOCAL_PTR REAL *)offered, *const mine_of_row = (LOCAL_PTR REAL *)best_row;
    unsigned place = (unsigned)i;
    REAL a[WIDTH];

    if (lid == 0) late[0] = info[1] != 0; /* an earlier leaf has failed: none needs to wait again */
    BARRIER();
    if (late[0]) return;
#pragma unroll
    for (int k = 0; k < WIDTH; ++k) a[k] = i < m && k < width ? A[offset + i + k * ld] : 0;

    for (int t = 0; t < width; ++t) {
        const unsigned mark = (before + (unsigned)t) & 0xffffu;
        GLOBAL PAIR_OF_WORDS *const here = offers + (t % 2) * (MOST * WIDTH);

        /* The best of each wave, then of the waves; its wave writes the offer. */
        const unsigned candidate = i < m && place >= (unsigned)t ? place : NOTHING;
        const REAL size = magnitude(a[0]);
        const unsigned best = best_lane(size, candidate);
        if ((unsigned)lane == best) {
            best_values[wave] = size;
            best_places[wave] = candidate;
            best_numbers[wave] = (unsigned)i;
        }
        LOCAL_BARRIER();
        if ((unsigned)wave ==
            best_lane(best_values[lane % WAVES], lane < WAVES ? best_places[lane % WAVES] : NOTHING) % WAVES) {
            if ((unsigned)lane == best) {
#pragma unroll
                for (int k = 0; k < WIDTH; k += 2) {
                    REAL2 pair;
                    pair.x = a[k], pair.y = a[k + 1];
                    best_row[k / 2] = pair;
                }
            }
            LANES_SYNC();
            if (lane < WIDTH) {
                const REAL x = mine_of_row[lane];
                STORE_WORDS(here + group * WIDTH + lane, LOW(x), mark << 16 | best_places[wave], HIGH(x),
                            mark << 16 | best_numbers[wave]);
            }
        }

        /* All offers, a few rows a wave. */
        for (int first = wave; first < groups; first += BATCH * WAVES) {
            int missing = 1;
            for (int spins = 0; missing && spins < SPINS; ++spins) {
                unsigned low[BATCH], of_low[BATCH], high[BATCH], of_high[BATCH];
#pragma unroll
                for (int b = 0; b < BATCH; ++b) {
                    const int c = first + b * WAVES < groups ? first + b * WAVES : first;
                    LOAD_WORDS(here + c * WIDTH + lane % WIDTH, low[b], of_low[b], high[b], of_high[b]);
                }
                missing = 0;
#pragma unroll
                for (int b = 0; b < BATCH; ++b) {
                    const int c = first + b * WAVES < groups ? first + b * WAVES : first;
                    missing |= of_low[b] >> 16 != mark || of_high[b] >> 16 != mark;
                    /* Of finished columns nothing is taken away any more. */
                    if (lane < WIDTH) elements[c * WIDTH + lane] = lane < width - t ? JOIN(high[b], low[b]) : 0;
                    if (lane == 0) {
                        offered_value[c] = magnitude(JOIN(high[b], low[b]));
                        offered_place[c] = of_low[b] & 0xffffu;
                        offered_number[c] = of_high[b] & 0xffffu;
                    }
                }
            }
            if (missing) late[0] = 1;
        }
        LOCAL_BARRIER();
        if (late[0]) {
            info[1] = 1;
            return;
        }

        /* Every wave finds the pivot's group. */
        REAL largest = lane < groups ? offered_value[lane] : 0;
        unsigned at = lane < groups ? offered_place[lane] : NOTHING, from = (unsigned)lane;
        for (int c = lane + LANES; c < groups; c += LANES) {
            const REAL value = offered_value[c];
            const unsigned p = offered_place[c];
            if (p != NOTHING && (at == NOTHING || value > largest || (value == largest && p < at))) {
                largest = value;
                at = p;
                from = (unsigned)c;
            }
        }
        const unsigned lane_of_best = best_lane(largest, at);
        from = groups > LANES ? LANES_GET(from, lane_of_best) : lane_of_best;
        const unsigned pivot_place = offered_place[from];
        const LOCAL_PTR REAL2 *pivot_row = offered + from * (WIDTH / 2);
        const REAL pivot = pivot_row[0].x;

        if (i == 0) {
            const idx_t p = offered_number[from];
            sources[2 * top + t] = p != t ? top + p : -1;
            targets[2 * top + t] = p != t ? top + t : -1;
            ipiv[top + t] = top + pivot_place + 1;
            if (pivot == 0 && info[0] == 0) info[0] = top + t + 1;
        }
        if (place == pivot_place && i < m)
            place = (unsigned)t;
        else if (place == (unsigned)t)
            place = pivot_place;

        /* Without a branch, so that the next step's search runs beside the products. A finished row takes 0 times the
         * pivot row; only where that holds NaN or Inf, and so does the result, that is not nothing. */
        const int below = i < m && place > (unsigned)t && pivot != 0;
        const REAL l = below ? a[0] / pivot : (REAL)0, last = below ? l : a[0];
        a[0] = a[1] - l * pivot_row[0].y;
#pragma unroll
        for (int k = 1; k + 2 < WIDTH; k += 2) {
            const REAL2 u = pivot_row[(k + 1) / 2];
            a[k] = a[k + 1] - l * u.x;
            a[k + 1] = a[k + 2] - l * u.y;
        }
        a[WIDTH - 1] = last;
    }

    for (int t = width; t < WIDTH; ++t) { /* a narrow leaf: turn on to the start */
        const REAL first = a[0];
#pragma unroll
        for (int k = 0; k + 1 < WIDTH; ++k) a[k] = a[k + 1];
        a[WIDTH - 1] = first;
    }
    if (i < width) { /* a row of the top that became a pivot is in the list already */
        sources[2 * top + width + i] = place >= (unsigned)width ? top + i : -1;
        targets[2 * top + width + i] = place >= (unsigned)width ? top + place : -1;
    }
    if (i < m) {
#pragma unroll
        for (int k = 0; k < WIDTH; ++k)
            if (k < width) A[offset + place + k * ld] = a[k];
    }
}

#endif
