/*
 * lu_together.cl: LU with partial pivoting of a leaf, m rows by at most WIDTH columns, in one launch of many groups, in
 * OpenCL C 1.2 alone. The same pivots as lu_panel.cl finds by steps; lu_resident.cl does it with NVIDIA's instructions.
 *
 * The leaf lies in registers from the first step to the last. A group has ROWS rows; work-item r + ROWS s has of row r
 * the columns of set s: RUN neighbouring ones, and the same again each ROUND = RUN * SETS columns.
 *
 *                    set 0      set 1      set 0      set 1             SETS = 2, RUN = 4
 *                 +----------+----------+----------+----------+
 *      row r      | a[0..3]  | a[0..3]  | a[4..7]  | a[4..7]  |
 *                 +----------+----------+----------+----------+
 *
 * Each ROUND steps the registers turn by RUN columns, so that the columns at hand are always a[0 .. RUN-1] and every
 * index is a constant. Step t:
 *
 *      1. the set that has column t shows it to its group, which finds its largest element: the group's candidate
 *      2. the group writes the candidate, and the row that it lies in, for all groups
 *      3. every group reads all candidates and finds the pivot among them
 *      4. every group reads the row of the pivot, which the pivot's group has written
 *      5. l = a_t / pivot, and a_k -= l u_k for the columns that are left
 *
 * The groups wait for each other in every step, which OpenCL does not promise to work: only behind a self-test that
 * had as many groups. The wait is bounded by `spins`; when the bound is passed, info[1] is set, what some groups may
 * have stored is not to be used, and the host factors the matrix anew, by steps.
 *
 * A candidate needs no fence and no counter: each of its words carries a part of an element and a mark of the step, so
 * that a reader sees of each word that it is there (the protocol that communication libraries call LL; STORE_WORDS in
 * dialect.clh).
 *
 * There are two places for candidates, used by turns. A place is written again two steps later, by a group that has
 * read all candidates of the step between; a group makes those when all of it has read what it needed of the place.
 * Marks count on from leaf to leaf, modulo 2^16; the caller sees to it that no place keeps a candidate for that long.
 *
 * Pivots of which the inverse is no normal number divide their column.
 *
 * With inner > 0 the leaf first does to its columns what the leaf before, `inner` columns left of it, still has to do:
 * it moves their rows, solves for U's and multiplies (LAPACK's laswp, trsm and gemm; step 0 below, lu_update.clh). So
 * between the two no launch is needed. Each group solves for all of U, because that takes less time than a meeting:
 *
 *           inner  width
 *          +------+------+
 *          | L11  |  U   |   L11 U = the rows that the moves have brought here, in parts of 16 rows;
 *          +------+------+   work-item c + WIDTH p has part p of column c
 *          | L21  |  a   |   a -= L21 U, part by part; a's rows are read from where the moves find them
 *          +------+------+
 *
 * With ALONE there is none of that, and inner is 0.
 *
 * Group 0 keeps U in `upper` and stores it at the end: until then other groups may still read what lies there.
 *
 * The two searches go through local memory, with two barriers each; by sub-groups (SUB_GROUPS of dialect.clh) with one.
 *
 * At the end every row is stored where its swaps have brought it, and the list of moves (see lu_panel.cl) is written.
 *
 * Work-groups: ROWS * SETS work-items, neighbouring work-items on neighbouring rows; at most `most` groups, no more of
 * them than a group has work-items, and 65534 rows. Local memory: ROWS + 35 * WIDTH elements, and an element and a word
 * for each work-item. `offers`: two places of most * (WIDTH + 1) pairs of words. upper: WIDTH * WIDTH elements.
 */
#include "lu_search.clh"

#ifndef ROWS /* of a group */
#define ROWS 64
#endif
#ifndef SETS
#define SETS 4
#endif
#ifndef WIDTH /* a multiple of RUN * SETS and of 16; a group has WIDTH * WIDTH / 16 work-items at least */
#define WIDTH 32
#endif

#define LS      (ROWS * SETS)
#define COLUMNS (WIDTH / SETS) /* of a set */
#define RUN     4
#define ROUND   (RUN * SETS)
#define SOME    (ROWS < 128 ? 8 : 16)               /* work-items that make a long search short */
#define EACH    (ROWS / SOME < 8 ? ROWS / SOME : 8) /* entries that each of them looks at together */

/* Column c of a set. */
#define COLUMN_OF(set, c) (((c) / RUN * SETS + (set)) * RUN + (c) % RUN)

#define IS_ZERO 1u
#define DIVIDES 2u

#define FOR_COLUMNS                                                                                                    \
    UNROLL                                                                                                             \
    for (int c = 0; c < COLUMNS; ++c)

/* a[i], i < RUN, of registers. */
#define AT_HAND(a, i) PICK((i) > 1, PICK((i) == 3, a[3], a[2]), PICK((i) == 1, a[1], a[0]))

#if CLS_DOUBLE
#define UPPER(size) ((unsigned)((size) >> 32))
#define LOWER(size) ((unsigned)(size))
#else
#define UPPER(size) (size)
#define LOWER(size) 0u
#endif

/* ---- candidates ---- */

/* An element with two numbers of 16 bits; the mark is in the upper 16 bits of `mark`. */
HELPER void offer(GLOBAL PAIR_OF_WORDS *at, ELEMENT x, unsigned first, unsigned second, unsigned mark) {
    STORE_OFFER(at, x, first, second, mark);
}

/* Waits for it; 0: it did not come. */
HELPER int await(GLOBAL PAIR_OF_WORDS *at, unsigned mark, unsigned spins, ELEMENT *x, unsigned *first,
                 unsigned *second) {
    offered_t o;
    LOAD_OFFER(at, o);
    unsigned missing = IS_MISSING(o, mark);
    AWAIT_OFFER(at, o, mark, spins, missing)
    *x = ELEMENT_IN(o);
    *first = o.of_low & 0xffffu;
    *second = o.of_high & 0xffffu;
    return missing == 0;
}

/* ---- searches ---- */

#ifdef SUB_GROUPS

/* A work-item's entry: its size, and its place and what the caller chooses in a word. */
#define SEARCH_ARRAYS                                                                                                  \
    LOCAL_ARRAY(REAL_BITS, sizes, LS); /* of sub-groups, LS of them at most */                                         \
    LOCAL_ARRAY(unsigned, numbers, LS)
#define SEARCH_BEGINS                                                                                                  \
    REAL_BITS its_size = 0;                                                                                            \
    unsigned its_number = NOTHING << 16
#define PUT_ENTRY(k, x, place, which) put_entry(x, place, which, &its_size, &its_number)
#define FIRST_OF(count, places, most)                                                                                  \
    within(first_by_sub_groups(its_size, its_number, sizes, numbers), places, (unsigned)(most))

/* An entry that exists also where sub-groups are wrong, so that a self-test touches no memory of others. */
HELPER unsigned within(unsigned number, unsigned places, unsigned most) {
    return (number & 0xffffu) < most && (number >> 16 < places || number >> 16 == NOTHING) ? number : 0;
}

HELPER void put_entry(ELEMENT x, unsigned place, unsigned which, REAL_BITS *size, unsigned *number) {
    *size = place != NOTHING ? size_of(x) : 0;
    *number = place << 16 | which;
}

#else

#define SEARCH_ARRAYS                                                                                                  \
    LOCAL_ARRAY(unsigned, words, 3 * (LS + SOME));                                                                     \
    const entries all = {words, words + LS, words + 2 * LS};                                                           \
    const entries some = {words + 3 * LS, words + 3 * LS + SOME, words + 3 * LS + 2 * SOME}
#define SEARCH_BEGINS
#define PUT_ENTRY(k, x, place, which) put_entry(all, k, x, place, which)
#define FIRST_OF(count, places, most) first_of(all, count, lid, some)

/*
 * Entries that are searched. keys: the upper half of a candidate's size and 1; 0: no candidate. lows: the lower half.
 * numbers: its place in the upper half, and the caller's choice in the lower. Among equals the smallest place wins.
 */
typedef struct {
    LOCAL_PTR unsigned *keys, *lows, *numbers;
} entries;

HELPER void put_entry(const entries all, int k, ELEMENT x, unsigned place, unsigned which) {
    const REAL_BITS size = size_of(x);
    all.keys[k] = place != NOTHING ? UPPER(size) + 1 : 0;
    all.lows[k] = LOWER(size);
    all.numbers[k] = place << 16 | which;
}

/* The first of those of the entries begin, begin + by ... that have the largest key: seldom more than one. */
HELPER int pick_equal(const entries all, int begin, int end, int by, unsigned key) {
    unsigned low = 0, number = 0xffffffffu;
    int which = begin;
    for (int k = begin; k < end; k += by) {
        const int first = (all.keys[k] == key) & BEFORE(all.lows[k], all.numbers[k], low, number);
        which = first ? k : which;
        low = first ? all.lows[k] : low;
        number = first ? all.numbers[k] : number;
    }
    return which;
}

/* The first of so many entries begin, begin + by ...; all keys are read before the first comparison. */
#define PICK_OF(count, all, begin, by, which)                                                                          \
    {                                                                                                                  \
        unsigned key[count], largest = 0, equals = 0;                                                                  \
        UNROLL                                                                                                         \
        for (int e = 0; e < (count); ++e) key[e] = all.keys[(begin) + e * (by)];                                       \
        UNROLL                                                                                                         \
        for (int e = 0; e < (count); ++e) largest = key[e] > largest ? key[e] : largest;                               \
        UNROLL                                                                                                         \
        for (int e = 0; e < (count); ++e) {                                                                            \
            which = key[e] == largest ? (begin) + e * (by) : which;                                                    \
            equals += key[e] == largest;                                                                               \
        }                                                                                                              \
        if ((equals > 1) & (largest != 0)) which = pick_equal(all, begin, (begin) + (count) * (by), by, largest);      \
    }

/* The number of the first of `count` entries, a multiple of SOME, that work-items have just put: for all work-items. */
HELPER unsigned first_of(const entries all, int count, int lid, const entries some) {
    LOCAL_BARRIER();
    if (lid < SOME) {
        int which = lid;
        unsigned key = 0;
        for (int k = lid; k < count; k += SOME * EACH) {
            int here = k;
            PICK_OF(EACH, all, k, SOME, here)
            const unsigned its = all.keys[here];
            const int first = its > key;
            if ((its == key) & (key != 0)) /* both passes have such ones */
                which = pick_equal(all, lid, count, SOME, key);
            which = first ? here : which;
            key = first ? its : key;
        }
        some.keys[lid] = all.keys[which];
        some.lows[lid] = all.lows[which];
        some.numbers[lid] = all.numbers[which];
    }
    LOCAL_BARRIER();
    int which = 0;
    PICK_OF(SOME, some, 0, 1, which)
    return some.numbers[which];
}

#endif

#include "lu_update.clh"

/* l = the next of the work-item's row of L21, from column q of the part on. */
#define FETCH_ROW(l, q)                                                                                                \
    UNROLL                                                                                                             \
    for (int i = 0; i < AT_ONCE; ++i) {                                                                                \
        const int k = PART * p + (q) + i;                                                                              \
        l[i] = own < m && k < inner ? before[inner + own + k * ld] : ZERO;                                             \
    }

/* ---- the leaf ---- */

KERNEL WORK_GROUP(LS, 1, 1) void lu_leaf_together(GLOBAL ELEMENT *A, idx_t offset, idx_t ld, idx_t m_, idx_t width_,
                                                  idx_t top, unsigned before, GLOBAL PAIR_OF_WORDS *offers, int most,
                                                  GLOBAL idx_t *sources, GLOBAL idx_t *targets, GLOBAL idx_t *ipiv,
                                                  GLOBAL idx_t *info, unsigned spins, int inner,
                                                  GLOBAL ELEMENT *upper) {
    LOCAL_ARRAY(ELEMENT, column, ROWS);                /* column t */
    LOCAL_ARRAY(ELEMENT_PAIR, best_pairs, WIDTH / 2);  /* the candidate's row, set by set, as its registers lie */
    LOCAL_ARRAY(ELEMENT_PAIR, pivot_pairs, WIDTH / 2); /* the pivot's, with 0 in finished columns */
    LOCAL_ARRAY(ELEMENT, values, LS);                  /* of the candidates, by group */
    SEARCH_ARRAYS;
    LOCAL_ARRAY(unsigned, rows, LS);      /* the candidates' rows in the leaf */
    LOCAL_ARRAY(unsigned, pivots, WIDTH); /* place and row of each step's pivot */
    LOCAL_ARRAY(int, late, 2);            /* a candidate did not come; a pivot's row */
#ifndef ALONE
    LOCAL_ARRAY(ELEMENT_PAIR, solved_pairs, PART * WIDTH / 2); /* a part of U, row by row */
    LOCAL_ARRAY(ELEMENT, lower, PART * (WIDTH + 1));           /* the last PART are read, and not used */
    LOCAL_PTR ELEMENT *const solved = (LOCAL_PTR ELEMENT *)solved_pairs;
#endif
    LOCAL_PTR ELEMENT *const best_row = (LOCAL_PTR ELEMENT *)best_pairs;
    LOCAL_PTR ELEMENT *const pivot_row = (LOCAL_PTR ELEMENT *)pivot_pairs;
    const int lid = (int)LOCAL_ID(0), row = lid % ROWS, set = lid / ROWS;
    const int groups = (int)GROUPS(0), group = (int)GROUP_ID(0), own = group * ROWS + row;
    const int m = (int)m_, width = (int)width_;
    GLOBAL PAIR_OF_WORDS *here = offers, *there = offers + most * (WIDTH + 1) * OFFER_PAIRS;
    unsigned mark = before << 16, place = own < m ? (unsigned)own : NOTHING;
    int done = 0, zero = 0; /* columns of each set before a[0]; the first step without a pivot, from 1 */
    ELEMENT a[COLUMNS];

    if (lid == 0) {
        late[0] = info[1] != 0; /* an earlier leaf has failed: none needs to wait again */
        late[1] = 0;
    }
    BARRIER();
    if (late[0]) return;
#ifdef ALONE
    FOR_COLUMNS {
        const int k = COLUMN_OF(set, c);
        a[c] = own < m && k < width ? A[offset + own + k * ld] : ZERO;
    }
#else
    /* 0 */
    GLOBAL ELEMENT *const rows_before = A + offset - inner; /* row 0 of the leaf before */
    find_sources(sources + 2 * (top - inner), targets + 2 * (top - inner), top - inner, inner, inner + m,
                 inner + group * ROWS, lid, rows, pivots);
    FOR_COLUMNS {
        const int k = COLUMN_OF(set, c);
        a[c] = own < m && k < width ? rows_before[rows[row] + k * ld] : ZERO;
    }
    if (inner > 0) {
        GLOBAL const ELEMENT *const before = rows_before - inner * ld;
        const int side = lid % WIDTH, part = lid / WIDTH;
        ELEMENT y[PART];
        FOR_PART {
            const int k = PART * part + i;
            y[i] = k < inner && side < width ? rows_before[pivots[k] + side * ld] : ZERO;
        }
#pragma unroll 1
        for (int p = 0; PART * p < inner; ++p) {
            ELEMENT l[AT_ONCE]; /* of the row of L21, on their way while U's part is solved for */
            FETCH_ROW(l, 0);
            fetch_lower(before, ld, inner, p, lid, lower);
            LOCAL_BARRIER();
            if (part == p) {
                solve_part(lower + PART * p, y, solved + side);
                if (group == 0) FOR_PART upper[(PART * p + i) * WIDTH + side] = solved[i * WIDTH + side];
            }
            LOCAL_BARRIER();
            if (part > p && part < PARTS) take_out(lower + PART * part, solved + side, y);
#pragma unroll 1
            for (int q = 0; q < PART; q += AT_ONCE) {
                UNROLL
                for (int i = 0; i < AT_ONCE; ++i) multiply_row(l[i], solved + (q + i) * WIDTH, set, width, a);
                if (q + AT_ONCE < PART) FETCH_ROW(l, q + AT_ONCE);
            }
            LOCAL_BARRIER();
        }
    }
#endif

#pragma unroll 1
    for (int t = 0; t < width; ++t) {
        const int i = t % RUN, in_turn = t / RUN % SETS == set;
        SEARCH_BEGINS;
        /* 1 */
        if (in_turn) {
            const ELEMENT x = AT_HAND(a, i);
            const int open = (place != NOTHING) & (place >= (unsigned)t);
            column[row] = x;
            PUT_ENTRY(row, x, open ? place : NOTHING, (unsigned)row);
        }
        unsigned best = FIRST_OF(ROWS, m, ROWS);
        const int best_at = (int)(best & 0xffffu);

        /* 2 */
        if (lid == 0)
            offer(here + group * OFFER_PAIRS, column[best_at], best >> 16, (unsigned)(group * ROWS + best_at), mark);
        if (row == best_at) FOR_COLUMNS best_row[set * COLUMNS + c] = a[c];
        LOCAL_BARRIER();
        for (int k = lid; k < WIDTH; k += LS)
            offer(here + (most + group * WIDTH + k) * OFFER_PAIRS, best_row[k], 0, 0, mark);

        /* 3 */
        if (lid < groups) {
            ELEMENT x;
            unsigned its_place, its_row;
            if (!await(here + lid * OFFER_PAIRS, mark, spins, &x, &its_place, &its_row)) late[0] = 1;
            values[lid] = x;
            rows[lid] = its_row;
            PUT_ENTRY(lid, x, its_place, (unsigned)lid);
        } else {
            PUT_ENTRY(lid, ZERO, NOTHING, 0);
        }
        best = FIRST_OF((groups + SOME * EACH - 1) / (SOME * EACH) * (SOME * EACH), m, groups);
        if (late[0]) {
            if (lid == 0) info[1] = 1;
            return;
        }
        const int from = (int)(best & 0xffffu);
        const unsigned pivot_place = best >> 16;
        const ELEMENT pivot = values[from];
        const REAL_BITS size = size_of(pivot);
        const unsigned kind = size == 0 ? IS_ZERO : IS_TO_DIVIDE(size) ? DIVIDES : 0;
        if (lid == 0) pivots[t] = pivot_place << 16 | rows[from];
        if (size == 0 && zero == 0) zero = t + 1;

        /* 4, and the multipliers while the row is on its way */
        GLOBAL PAIR_OF_WORDS *const row_of_pivot = here + (most + from * WIDTH) * OFFER_PAIRS;
        offered_t of_pivot_row = {0};
        if (lid < WIDTH) LOAD_OFFER(row_of_pivot + lid * OFFER_PAIRS, of_pivot_row);
        const int of_pivot = place == pivot_place;
        const int below = (place != NOTHING) & (place >= (unsigned)t) & !of_pivot & (kind != IS_ZERO);
        const divisor_t divisor = divisor_of(pivot, kind == DIVIDES);
        ELEMENT l = quotient_of(column[row], divisor, kind == DIVIDES);
        l = PICK(below, l, ZERO);
        place = of_pivot ? (unsigned)t : place == (unsigned)t ? pivot_place : place;
        for (int k = lid; k < WIDTH; k += LS) {
            const int c = k % COLUMNS + done; /* of that set; the ones from COLUMNS on are finished */
            ELEMENT x = ELEMENT_IN(of_pivot_row);
            unsigned none, neither;
            if ((k > lid) | (IS_MISSING(of_pivot_row, mark) != 0))
                if (!await(row_of_pivot + k * OFFER_PAIRS, mark, spins, &x, &none, &neither)) late[1] = 1;
            pivot_row[k] = c < COLUMNS && COLUMN_OF(k / COLUMNS, c) > t ? x : ZERO;
        }
        LOCAL_BARRIER();
        if (late[1]) {
            if (lid == 0) info[1] = 1;
            return;
        }
        UNROLL
        for (int chunk = 0; chunk < COLUMNS; chunk += RUN)
            if (done + chunk < COLUMNS) {
                UNROLL
                for (int c = chunk; c < chunk + RUN; c += 2) {
                    const ELEMENT_PAIR u = pivot_pairs[(set * COLUMNS + c) / 2];
                    a[c] = LESS_PRODUCT(a[c], l, u.x);
                    a[c + 1] = LESS_PRODUCT(a[c + 1], l, u.y);
                }
            }
        if (in_turn & below) {
            a[0] = PICK(i == 0, l, a[0]);
            a[1] = PICK(i == 1, l, a[1]);
            a[2] = PICK(i == 2, l, a[2]);
            a[3] = PICK(i == 3, l, a[3]);
        }
        if (t % ROUND == ROUND - 1) { /* the next columns of each set */
            ELEMENT finished[RUN];
            UNROLL
            for (int c = 0; c < RUN; ++c) finished[c] = a[c];
            UNROLL
            for (int c = 0; c + RUN < COLUMNS; ++c) a[c] = a[c + RUN];
            UNROLL
            for (int c = 0; c < RUN; ++c) a[COLUMNS - RUN + c] = finished[c];
            done += RUN;
        }
        GLOBAL PAIR_OF_WORDS *const before_this = here;
        here = there;
        there = before_this;
        mark += 1u << 16;
    }

    /* All rows have been read into registers by all groups: the first step waited for them. */
    if (group == 0) {
        BARRIER();
        for (int t = lid; t < width; t += LS) {
            const idx_t number = pivots[t] & 0xffffu;
            sources[2 * top + t] = number != t ? top + number : -1;
            targets[2 * top + t] = number != t ? top + t : -1;
            ipiv[top + t] = top + (pivots[t] >> 16) + 1;
        }
        if (lid == 0 && zero != 0 && info[0] == 0) info[0] = top + zero;
#ifndef ALONE
        for (int q = lid; q < inner * width; q += LS)
            rows_before[q % inner + q / inner * ld] = upper[q % inner * WIDTH + q / inner];
#endif
    }
    if (set == 0 && own < width) { /* one that became a pivot is in the list already */
        sources[2 * top + width + own] = place >= (unsigned)width ? top + own : -1;
        targets[2 * top + width + own] = place >= (unsigned)width ? top + place : -1;
    }
    if (place != NOTHING) FOR_COLUMNS {
            const int k = COLUMN_OF(set, (done + c) % COLUMNS);
            if (k < width) A[offset + place + k * ld] = a[c];
        }
}
