/*
 * lu_batch_small.cl: LU with partial pivoting of many matrices of up to N rows, P A = L U, in one launch.
 *
 * Item x of a member has row x, N elements, in registers. Rows are not moved: `place` says where a row is by now. A row
 * is turned by one element a step, so that the current column is always element 0; the second half of the steps turns
 * the first half of the elements alone. Step k, with d the largest of column k by |re| + |im|, the first of equals:
 *
 *     the row of the pivot comes to local memory, from where all read it
 *     l(i) = a(i, k) / d;   a(i, j) = a(i, j) - l(i) a(k, j)    for i, j > k
 *
 * A member of n < N rows has the identity behind them, whose steps change nothing. If d is 0 the step is left out, as
 * LAPACK's getf2 does. A member of numbers near an end of the range is scaled first (lu_batch.clh).
 *
 * Where lanes run in step, a member is LX neighbouring lanes, which find the pivot by exchanges and wait for nobody
 * else. Elsewhere its work-items compare their elements in local memory.
 *
 * Work-groups: LX x LY, LX >= N a power of two, a member for each LOCAL_ID(1); one behind the last runs along on a copy
 * of the last and writes nothing. Access: neighbouring work-items on neighbouring rows of a column. Local memory:
 * LY * 2 N elements; without lanes LY * LX sizes and words too.
 *
 * info[m]: 0; k > 0: pivot k, counted from 1, was zero; -1: the member, or its factors, hold NaN or Inf.
 */
#ifndef N
#define N 8
#endif
#ifndef LX
#define LX 8
#endif
#ifndef LY
#define LY 4
#endif
#define HALF (N / 2)

#include "lu_batch.clh"
#include "lu_search.clh"

#ifdef LANES

#define SEARCH_PARAMETERS
#define SEARCH_ROOM
#define SYNC() LANES_SYNC()

/* The largest of the member's lanes. */
HELPER unsigned most_of_member(unsigned x) {
#if LX == LANES
    return LANES_MAX(x);
#else
    UNROLL
    for (int mask = LX / 2; mask > 0; mask /= 2) {
        const unsigned y = LANE_XOR(x, mask);
        x = y > x ? y : x;
    }
    return x;
#endif
}

/* The place of the row that comes first in the member. The high halves of sizes decide as a rule; where they do not,
 * all lanes of the wave look on. */
HELPER int first_place(REAL_BITS size, int place, int first_of_lanes) {
    const unsigned all = LX == LANES ? 0xffffffffu : (1u << LX % LANES) - 1;
    const unsigned high = LEADING_BITS(size);
    unsigned in = high == most_of_member(high), votes = LANES_VOTE(in) >> first_of_lanes & all;
    if (LANES_VOTE((votes & (votes - 1)) != 0) != 0) {
#if CLS_DOUBLE
        const unsigned low = in ? (unsigned)size : 0;
        const unsigned largest = most_of_member(low);
        in = in && low == largest;
#endif
        const unsigned mine = in ? NOTHING - (unsigned)place : 0;
        const unsigned first = most_of_member(mine);
        in = in && mine == first;
        votes = LANES_VOTE(in) >> first_of_lanes & all;
    }
    return (int)LANES_GET((unsigned)place, (unsigned)first_of_lanes + HIGHEST_BIT(votes));
}

#else

#define SEARCH_PARAMETERS , LOCAL_PTR REAL_BITS *sizes, LOCAL_PTR int *places
#define SEARCH_ROOM       , sizes, places
#define SYNC()            LOCAL_BARRIER()

#endif

/* Step k of rows of which `width` elements are still turned, and have been `done` times; returns the place that the
 * pivot had. *told: 0; or the first step without a pivot, from 1; or -1, once a pivot was NaN or Inf. */
INLINED int step(ELEMENT a[N], const int width, int done, int k, int x, int order, int first_of_lanes, int *place,
                 LOCAL_PTR ELEMENT *u SEARCH_PARAMETERS, int *told) {
    const int open = (*place >= k) & ((x < order) | (k >= order)); /* no NaN gets a row behind the member into it */
    const REAL_BITS mine = open ? size_of(a[0]) : 0;
#ifdef LANES
    const int at = first_place(mine, open ? *place : (int)NOTHING, first_of_lanes);
#else
    REAL_BITS most = 0;
    int at = (int)NOTHING;
    (void)first_of_lanes;
    sizes[x] = mine;
    places[x] = open ? *place : (int)NOTHING;
    LOCAL_BARRIER();
    for (int q = 0; q < LX; ++q) {
        const REAL_BITS size = sizes[q];
        const int its = places[q];
        if (BEFORE(size, its, most, at)) {
            most = size;
            at = its;
        }
    }
#endif
    const int here = *place;
    *place = here == at ? k : here == k ? at : here;
    if (*place == k) {
        UNROLL
        for (int j = 0; j < width; ++j) /* behind the open columns are finished ones */
            u[j] = j < width - done ? a[j] : ZERO;
    }
    SYNC();
    const ELEMENT d = u[0];
    const REAL_BITS size = size_of(d);
    const int divides = IS_TO_DIVIDE(size), is_zero = size == 0;
    const divisor_t divisor = divisor_of(is_zero ? ONE : d, divides & !is_zero);
    if (size >= REAL_EXPONENT) *told = -1;
    if (is_zero && *told == 0) *told = k + 1;
    const ELEMENT first = a[0];
    const int below = (*place > k) & !is_zero;
    ELEMENT l = ZERO;
    if (below) l = quotient_of(first, divisor, divides);
    UNROLL
    for (int j = 1; j < width; ++j) {
        ELEMENT next = a[j];
        SUBTRACT_PRODUCT(next, l, u[j]);
        a[j - 1] = next;
    }
    a[width - 1] = below ? l : first;
    return at;
}

#define PASS(width, begin, end)                                                                                        \
    for (int k = begin; k < end; ++k) {                                                                                \
        const int at =                                                                                                 \
            step(a, width, k - (begin), k, x, order, first_of_lanes, &place, u + k % 2 * N SEARCH_ROOM, &told);        \
        odd ^= at != k;                                                                                                \
    }

KERNEL WORK_GROUP(LX, LY, 1) void lu_batch_small(MEMBERS, GLOBAL const ELEMENT *A, VIEW_OF(a), GLOBAL ELEMENT *F,
                                                 GLOBAL int *rows, GLOBAL int *scales, GLOBAL int *info) {
    LOCAL_ARRAY(ELEMENT, all_u, LY * 2 * N);
#ifndef LANES
    LOCAL_ARRAY(REAL_BITS, all_sizes, LY * LX);
    LOCAL_ARRAY(int, all_places, LY *LX);
#endif
    const int x = (int)LOCAL_ID(0), y = (int)LOCAL_ID(1), first_of_lanes = y * LX % 32;
    const idx_t wanted = GROUP_ID(0) * LY + y;
    const int mine = wanted < count;
    const idx_t m = MEMBER(mine ? wanted : count - 1);
    const int order = ORDER_OF(m);
    LOCAL_PTR ELEMENT *const u = all_u + y * 2 * N;
    int place = x, told = 0, odd = 0;
    unsigned most = 0;
    ELEMENT a[N];
    MEMBERS_TAKEN;
    VIEW_TAKEN(a);
#ifndef LANES
    LOCAL_PTR REAL_BITS *const sizes = all_sizes + y * LX;
    LOCAL_PTR int *const places = all_places + y * LX;
#endif
    {
        GLOBAL const ELEMENT *const from_a = A + PLACE_OF(a, m);
        const idx_t row = STEP_OF(a, row, order), column = STEP_OF(a, column, order);
        UNROLL
        for (int j = 0; j < N; ++j) {
            ELEMENT value = x == j ? ONE : ZERO;
            if (x < order && j < order) value = from_a[x * row + j * column];
            a[j] = value;
            const unsigned bits = x < order && j < order ? leading_of(value) : 0;
            most = bits > most ? bits : most;
        }
    }
#ifdef LANES
    most = most_of_member(most);
#else
    places[x] = (int)most;
    LOCAL_BARRIER();
    for (int q = 0; q < LX; ++q) most = (unsigned)places[q] > most ? (unsigned)places[q] : most;
    LOCAL_BARRIER();
#endif
    const int scale = scale_for(most);
    if (most >= NO_NUMBER) told = -1;
    if (scale != 0) {
        UNROLL
        for (int j = 0; j < N; ++j)
            if (x < order && j < order) a[j] = scaled_by(a[j], scale);
    }
    BARRIER(); /* all of A is read, which may lie where L U comes */
#pragma unroll 1
    PASS(N, 0, HALF)
#pragma unroll 1
    PASS(HALF, HALF, N)
    if (mine && x < order) {
        GLOBAL ELEMENT *const f = F + FACTORS_OF(m);
        UNROLL
        for (int j = 0; j < HALF; ++j) {
            if (j < order) f[place + j * order] = a[HALF + j];
            if (HALF + j < order) f[place + (HALF + j) * order] = a[j];
        }
        rows[ROWS_OF(m) + place] = x;
    }
    if (mine && x == 0) {
        scales[m] = 2 * scale + odd;
        info[m] = told;
    }
}
