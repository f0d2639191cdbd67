/*
 * lu_batch_small.cl: LU with partial pivoting of many matrices of up to N rows, P A = L U, in one launch.
 *
 * Item x of a member has row x, N elements, in registers. Rows are not moved: `place` says where a row is by now. A row
 * is turned by one element a step, so that the current column is always element 0. The steps are PASSES passes of PART
 * steps; each pass turns PART elements fewer than the pass before, and leaves PART finished ones behind these. Step k,
 * with d the largest of column k by |re| + |im|, the first of equals:
 *
 *     the row of the pivot comes to local memory, from where all read it
 *     l(i) = a(i, k) / d;   a(i, j) = a(i, j) - l(i) a(k, j)    for i, j > k
 *
 * A member of n < N rows has the identity behind them, whose steps change nothing. If d is 0 the step is left out, as
 * LAPACK's getf2 does. A member of numbers near an end of the range is scaled first (direct_batch.clh).
 *
 * Where lanes run in step, a member is LX neighbouring lanes, which find the pivot by exchanges and wait for nobody
 * else. A member of more rows than LANES has WAVES waves of them: each writes the row of its own candidate to local
 * memory, and after the only barrier of a step all take the best of these. Elsewhere the work-items of a member compare
 * their elements in local memory.
 *
 * Work-groups: LX x LY, LX >= N a power of two, a member for each LOCAL_ID(1); one behind the last runs along on a copy
 * of the last and writes nothing. LY is 1 where a member has several waves. Access: neighbouring work-items on
 * neighbouring rows of a column. Local memory: LY * 2 N elements for each wave of a member, and its size and place;
 * without lanes LY * LX sizes and places.
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
#if N % 16 == 0
#define PASSES 4
#else
#define PASSES 2
#endif
#define PART (N / PASSES)

#include "direct_batch.clh"
#include "lu_search.clh"

#if !defined(LANES)
#define WAVES      1
#define CANDIDATES LX /* of a member, whose sizes and places lie in local memory */
#elif LX > LANES
#define WAVES      (LX / LANES)
#define CANDIDATES (2 * WAVES) /* of two steps */
#else
#define WAVES 1
#endif

#ifdef CANDIDATES
#define SEARCH_PARAMETERS , LOCAL_PTR REAL_BITS *sizes, LOCAL_PTR int *places
#define SEARCH_ROOM       , sizes, places
#define SYNC()            LOCAL_BARRIER()
#else
#define SEARCH_PARAMETERS
#define SEARCH_ROOM
#define SYNC() LANES_SYNC()
#endif

#if defined(LANES) && LX <= LANES

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

#endif

/* Step k of rows of which `width` elements are still turned, and have been `done` times; returns the place that the
 * pivot had. *told: 0; or the first step without a pivot, from 1; or -1, once a pivot was NaN or Inf. */
INLINED int step(ELEMENT a[N], const int width, int done, int k, int x, int order, int first_of_lanes, int *place,
                 LOCAL_PTR ELEMENT *u SEARCH_PARAMETERS, int *told) {
    const int open = (*place >= k) & ((x < order) | (k >= order)); /* no NaN gets a row behind the member into it */
    const REAL_BITS mine = open ? size_of(a[0]) : 0;
#if WAVES > 1
    const int lane = x % LANES, which = k % 2 * WAVES, its_place = open ? *place : (int)NOTHING;
    LOCAL_PTR ELEMENT *const its_row = u + (which + x / LANES) * N;
    if (lane == (int)first_lane(mine, (unsigned)its_place)) {
        UNROLL
        for (int j = 0; j < width; ++j) its_row[j] = a[j];
        sizes[which + x / LANES] = mine;
        places[which + x / LANES] = its_place;
    }
    LANES_SYNC();
    for (int j = width - 1 - lane; j >= width - done; j -= LANES) its_row[j] = ZERO; /* of finished columns */
    SYNC();
    REAL_BITS most = sizes[which];
    int at = places[which], best = which;
    (void)first_of_lanes;
    UNROLL
    for (int q = which + 1; q < which + WAVES; ++q) {
        const int first = BEFORE(sizes[q], places[q], most, at);
        best = first ? q : best;
        most = first ? sizes[q] : most;
        at = first ? places[q] : at;
    }
    u += best * N;
#elif defined(LANES)
    const int at = first_place(mine, open ? *place : (int)NOTHING, first_of_lanes);
    u += k % 2 * N;
#else
    REAL_BITS most = 0;
    int at = (int)NOTHING;
    (void)first_of_lanes;
    u += k % 2 * N;
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
#if WAVES == 1
    if (*place == k) {
        UNROLL
        for (int j = 0; j < width; ++j) /* behind the open columns are finished ones */
            u[j] = j < width - done ? a[j] : ZERO;
    }
    SYNC();
#endif
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

#define PASS(number)                                                                                                   \
    for (int k = (number)*PART; k < ((number) + 1) * PART; ++k) {                                                      \
        const int at =                                                                                                 \
            step(a, N - (number)*PART, k - (number)*PART, k, x, order, first_of_lanes, &place, u SEARCH_ROOM, &told);  \
        odd ^= at != k;                                                                                                \
    }

KERNEL WORK_GROUP(LX, LY, 1) void lu_batch_small(MEMBERS, GLOBAL const ELEMENT *A, VIEW_OF(a), GLOBAL ELEMENT *F,
                                                 GLOBAL int *rows, GLOBAL int *scales, GLOBAL int *info,
                                                 const int conjugate) {
    LOCAL_PAIRS(pairs_of_u, all_u, LY * WAVES * N);
#ifdef CANDIDATES
    LOCAL_ARRAY(REAL_BITS, all_sizes, LY * CANDIDATES);
    LOCAL_ARRAY(int, all_places, LY *CANDIDATES);
#endif
    const int x = (int)LOCAL_ID(0), y = (int)LOCAL_ID(1), first_of_lanes = y * LX % 32;
    const idx_t wanted = GROUP_ID(0) * LY + y;
    const int mine = wanted < count;
    const idx_t m = MEMBER(mine ? wanted : count - 1);
    const int order = ORDER_OF(m);
    LOCAL_PTR ELEMENT *const u = all_u + y * 2 * WAVES * N;
    int place = x, told = 0, odd = 0;
    unsigned most = 0;
    ELEMENT a[N];
    MEMBERS_TAKEN;
    VIEW_TAKEN(a);
    (void)conjugate;
#ifdef CANDIDATES
    LOCAL_PTR REAL_BITS *const sizes = all_sizes + y * CANDIDATES;
    LOCAL_PTR int *const places = all_places + y * CANDIDATES;
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
#if WAVES > 1
    most = LANES_MAX(most);
    if (x % LANES == 0) places[x / LANES] = (int)most;
    LOCAL_BARRIER();
    for (int q = 0; q < WAVES; ++q) most = (unsigned)places[q] > most ? (unsigned)places[q] : most;
#elif defined(LANES)
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
    PASS(0)
#pragma unroll 1
    PASS(1)
#if PASSES == 4
#pragma unroll 1
    PASS(2)
#pragma unroll 1
    PASS(3)
#endif
    if (mine && x < order) {
        GLOBAL ELEMENT *const f = F + FACTORS_OF(m);
        UNROLL
        for (int j = 0; j < N; ++j) /* the last pass left its columns first */
            if (j < order) f[place + j * order] = a[(PASSES - 1 - j / PART) * PART + j % PART];
        rows[ROWS_OF(m) + place] = x;
    }
    if (mine && x == 0) {
        scales[m] = 2 * scale + odd;
        info[m] = told;
    }
}
