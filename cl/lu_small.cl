/*
 * lu_small.cl: LU with partial pivoting of a matrix of few rows, in steps of WIDTH columns (a chunk): the check of A,
 * the factorization, all moves of rows and the outcome. With one work-group one launch does all steps; with several
 * a launch does one.
 *
 *      step 0              A comes from the caller's matrix S, of any strides, and is measured; chunk 0 is the panel
 *      step k, 0 < k < K   every chunk but k-1: rows move as panel k-1 did; chunks right of it are solved for with its
 *                          triangle and updated; then group 0 factors the panel, chunk k, from its registers
 *      step K              the rows of the last panel move; the factors are measured
 *      step K + 1          group 0 joins what was measured: the record
 *
 * So what a step does right of the panel runs concurrently with the panel, and no group waits for another.
 *
 * A work-item has ROWS rows of a chunk in registers, and gathers them from where the panel before has left them. In
 * the panel rows stay where they are; place[] says where they belong, and they are stored there at its end. A step of
 * the panel: each wave writes its candidate, its best row with all elements, to local memory; after a barrier every
 * wave finds the best candidate by itself. Candidates alternate between two places, so one barrier a column suffices.
 *
 * Pivots of which the inverse is no normal number are scaled by a power of two first, and their column with them.
 * Complex pivots are compared by |re| + |im|; what is measured of complex elements is their larger part, and of norms
 * |a|.
 *
 * rows: n numbers, row i of P A is row rows[i] of A; behind them twice n numbers, the moves of even and of odd panels.
 * columns, places: of each column what was measured: largest, norm * 2^-16 and largest of U; first NaN or Inf of A, of
 * L\U. record, words of 8 bytes, as measure.cl has them:
 *
 *      0  first NaN or Inf of A, i + j * n, or NONE    1  largest of A    2  norm of A    3  LAPACK's info
 *      4  first NaN or Inf of L\U                      5  largest of U    6, 7  exponent and mantissa of det A,
 *                                                                                followed by an imaginary part
 *
 * Work-groups: SPAN * PARTS work-items; part p of a group has a chunk of its own, SPAN * ROWS >= n, at least 16 and
 * WIDTH. Neighbouring work-items have neighbouring rows. Local memory: see the arrays, 17 KB in double by default,
 * at most 23 in complex double.
 *
 * The file is long because one launch does all of check, factorization and outcome, in the same local memory.
 */
#include "lu_search.clh"

#ifdef LANES

#ifndef SPAN
#define SPAN 128
#endif
#ifndef PARTS
#define PARTS 4
#endif
#ifndef ROWS
#define ROWS 1
#endif
#ifndef WIDTH
#define WIDTH 16
#endif
#define LS     (SPAN * PARTS)
#define BATCH  4 /* columns of L that are in registers at once */
#define JOINED 32
#define ROOM   (PARTS * WIDTH * WIDTH > 2 * LS ? PARTS * WIDTH * WIDTH : 2 * LS)

#define NONE  ((idx_t)0x7fffffffffffffff)
#define SMALL ((REAL)1.52587890625e-05f) /* 2^-16 */
#if !CLS_COMPLEX
/* Exponents from which on an inverse has lost digits, and what brings numbers of either end to its middle. */
#define LARGE (REAL_EXPONENT - 2 * (REAL_EXPONENT & (~REAL_EXPONENT + 1)))
#if CLS_DOUBLE
#define RAISE 1.2676506002282294e30 /* 2^100 */
#else
#define RAISE 1.8446744073709552e19f /* 2^64 */
#endif

#endif

#define FOR_ROWS                                                                                                       \
    UNROLL                                                                                                             \
    for (int s = 0; s < ROWS; ++s)
#define FOR_COLUMNS                                                                                                    \
    UNROLL                                                                                                             \
    for (int c = 0; c < WIDTH; ++c)

/* RUN columns of a panel are factored before its registers turn by so many: then every index is a constant, in a
 * quarter of the code. */
#define RUN          4
#define FOR_RUNS(t0) _Pragma("unroll 1") for (int t0 = 0; t0 < WIDTH; t0 += RUN)

#define WAVES           (SPAN / LANES)
#define PANEL_BARRIER() PART_BARRIER(1, SPAN)

/* ---- measuring ---- */

/* The n rows of a part's chunk; `upper`: largest of the upper triangle. One value of each kind a column; all work-items
 * of the group call it. */
HELPER void measure(GLOBAL const ELEMENT *A, idx_t ld, int n, int begin, int upper, int part, int r,
                    LOCAL_PTR REAL *room, LOCAL_PTR int *found, GLOBAL REAL *largests, GLOBAL REAL *norms,
                    GLOBAL idx_t *firsts) {
    const int each = SPAN / WIDTH, c = r / each, h = r % each, j = begin + c;
    LOCAL_PTR REAL *const sums = room + part * SPAN, *const most = room + LS + part * SPAN;
    LOCAL_PTR int *const first = found + part * SPAN;
    REAL sum = 0, largest = 0;
    int at = n;

    if (c < WIDTH && j < n)
        for (int i = h; i < n; i += each) {
            const ELEMENT x = A[i + j * ld];
            const REAL size = LARGER_PART(x);
            sum += MODULUS_BY(x, SMALL);
            if (i <= j || !upper) largest = size > largest ? size : largest;
            if (!IS_FINITE_ELEMENT(x) && at == n) at = i;
        }
    sums[r] = sum;
    most[r] = largest;
    first[r] = at;
    LOCAL_BARRIER();
    if (h == 0 && c < WIDTH && j < n) {
        for (int k = 1; k < each; ++k) {
            sum += sums[r + k];
            largest = most[r + k] > largest ? most[r + k] : largest;
            at = first[r + k] < at ? first[r + k] : at;
        }
        largests[j] = largest;
        if (!upper) norms[j] = sum;
        firsts[j] = at < n ? at + (idx_t)j * n : NONE;
    }
    LOCAL_BARRIER();
}

/* All columns' values into the record; one group. */
HELPER void join(GLOBAL const ELEMENT *A, idx_t ld, int n, int lid, GLOBAL const REAL *columns,
                 GLOBAL const idx_t *places, GLOBAL const idx_t *ipiv, LOCAL_PTR REAL *room, LOCAL_PTR idx_t *words,
                 GLOBAL idx_t *record) {
    LOCAL_PTR ELEMENT *const mantissas = (LOCAL_PTR ELEMENT *)(room + 3 * JOINED);
    REAL largest = 0, norm = 0, upper = 0;
    ELEMENT mantissa = ONE;
    idx_t in = NONE, out = NONE, exponent = 0;
    int e;

    if (lid < JOINED) {
        for (int j = lid; j < n; j += JOINED) {
            int own;
            const ELEMENT u = SPLIT(A[j + j * ld], &own);
            mantissa = SPLIT(ipiv[j] != j + 1 ? TIMES(NEGATED(mantissa), u) : TIMES(mantissa, u), &e);
            exponent += own + e;
            largest = columns[j] > largest ? columns[j] : largest;
            norm = columns[n + j] > norm ? columns[n + j] : norm;
            upper = columns[2 * n + j] > upper ? columns[2 * n + j] : upper;
            in = places[j] < in ? places[j] : in;
            out = places[n + j] < out ? places[n + j] : out;
        }
        room[lid] = largest;
        room[JOINED + lid] = norm;
        room[2 * JOINED + lid] = upper;
        mantissas[lid] = mantissa;
        words[lid] = in;
        words[JOINED + lid] = out;
        words[2 * JOINED + lid] = exponent;
    }
    LOCAL_BARRIER();
    if (lid == 0) {
        for (int k = 1; k < JOINED; ++k) {
            largest = room[k] > largest ? room[k] : largest;
            norm = room[JOINED + k] > norm ? room[JOINED + k] : norm;
            upper = room[2 * JOINED + k] > upper ? room[2 * JOINED + k] : upper;
            MULTIPLY_BY(mantissa, mantissas[k]); /* each is at least 1/2, or 0 */
            in = words[k] < in ? words[k] : in;
            out = words[JOINED + k] < out ? words[JOINED + k] : out;
            exponent += words[2 * JOINED + k];
        }
        mantissa = SPLIT(mantissa, &e);
        record[0] = in;
        ((GLOBAL REAL *)(record + 1))[0] = largest;
        ((GLOBAL REAL *)(record + 2))[0] = norm;
        record[4] = out;
        ((GLOBAL REAL *)(record + 5))[0] = upper;
        record[6] = exponent + e;
        STORE_AS(REAL, (GLOBAL REAL *)(record + 7), 0, mantissa);
    }
}

/* ---- the panel ---- */

/* The best of a work-item's rows for column t, a[.][q]: its size and place, and in *row which. */
HELPER REAL_BITS best_row(ELEMENT (*a)[WIDTH], const unsigned *place, int q, int t, unsigned *at, int *row) {
    REAL_BITS size = 0;
    *at = NOTHING;
    *row = 0;
    FOR_ROWS {
        const int open = (place[s] != NOTHING) & (place[s] >= (unsigned)t);
        const unsigned there = open ? place[s] : NOTHING;
        const REAL_BITS bits = open ? size_of(a[s][q]) : 0;
        const int first = (s == 0) | BEFORE(bits, there, size, *at);
        size = first ? bits : size;
        *at = first ? there : *at;
        *row = first ? s : *row;
    }
    return size;
}

/* A column's elements over its pivot, of that size. */
#if CLS_COMPLEX
#define SCALE_FOR(size) const int divides = IS_TO_DIVIDE(size)
#define DIVISOR(pivot)  const divisor_t divisor = divisor_of(pivot, divides)
#define BY_DIVISOR(x)   quotient_of(x, divisor, divides)
#else
/* The factor for a pivot of that size and its column, so that its inverse is a normal number. */
HELPER REAL scale_of(REAL_BITS size) {
    return (size & REAL_EXPONENT) == 0 ? (REAL)RAISE : size >= LARGE ? 1 / (REAL)RAISE : (REAL)1;
}
#define SCALE_FOR(size) const REAL scale = scale_of(size)
#define DIVISOR(pivot)  const REAL inverse = 1 / ((pivot)*scale)
#define BY_DIVISOR(x)   ((x)*scale * inverse)
#endif

/* A candidate: the columns from t on of a row. Row s of the work-item: the text differs for each s, or a compiler makes
 * one store of them all with an index that is no constant, and the registers become memory. */
#define OFFER (WIDTH / 2) /* pairs */
#if CLS_COMPLEX
#define KEEP_PAIR(s, to, c, even, odd)                                                                                 \
    do {                                                                                                               \
        STORE_LOCAL_PAIR(s, LOCAL_ADDRESS((to) + (c) / 2), (even).x, (even).y);                                        \
        STORE_LOCAL_PAIR(s, LOCAL_ADDRESS((to) + (c) / 2) + (unsigned)sizeof(ELEMENT), (odd).x, (odd).y);              \
    } while (0)
#else
#define KEEP_PAIR(s, to, c, even, odd) STORE_LOCAL_PAIR(s, LOCAL_ADDRESS((to) + (c) / 2), even, odd)
#endif
#define KEEP_ROW(s)                                                                                                    \
    if (row == (s)) {                                                                                                  \
        UNROLL                                                                                                         \
        for (int c = 0; c < WIDTH; c += 2)                                                                             \
            if (c + 1 >= q) KEEP_PAIR(s, to, c, a[s][c], a[s][c + 1]);                                                 \
    }
HELPER void offer(ELEMENT (*a)[WIDTH], int q, int row, LOCAL_PTR ELEMENT_PAIR *to) {
    KEEP_ROW(0)
#if ROWS > 1
    KEEP_ROW(1)
#endif
#if ROWS > 2
    KEEP_ROW(2)
    KEEP_ROW(3)
#endif
}

/* The best candidate for column t; a row of `offers`. */
HELPER int choose(ELEMENT (*a)[WIDTH], const unsigned *place, int q, int t, int r, LOCAL_PTR ELEMENT_PAIR *offers,
                  LOCAL_PTR REAL_BITS *sizes, LOCAL_PTR unsigned *ats) {
    const int wave = r / LANES, lane = r % LANES, turn = t % 2 * WAVES;
    unsigned at;
    int row;
    const REAL_BITS size = best_row(a, place, q, t, &at, &row);
    const unsigned best = first_lane(size, at);
    if ((unsigned)lane == best) {
        sizes[turn + wave] = size;
        ats[turn + wave] = at;
        offer(a, q, row, offers + (turn + wave) * OFFER);
    }
#if WAVES == 1
    LANES_SYNC();
    return turn;
#else
    PANEL_BARRIER();
    const int there = lane < WAVES;
    const unsigned first =
        first_lane(there ? sizes[turn + lane % WAVES] : 0, there ? ats[turn + lane % WAVES] : NOTHING);
    return turn + (int)(first % WAVES); /* behind the last row every lane is as good */
#endif
}

/* ---- the kernel ---- */

KERNEL WORK_GROUP(LS, 1, 1) void lu_small(GLOBAL ELEMENT *A_, idx_t offset, idx_t ld, GLOBAL const ELEMENT *S_,
                                          idx_t s_offset, idx_t row_step, idx_t column_step, int n, int from, int to,
                                          GLOBAL int *rows, GLOBAL idx_t *ipiv, GLOBAL REAL *columns,
                                          GLOBAL idx_t *places, GLOBAL idx_t *record) {
    LOCAL_ARRAY(ELEMENT_PAIR, u_pairs, (ROOM / 2)); /* by turns: U12 of each part, row by row; what is measured */
    LOCAL_ARRAY(ELEMENT_PAIR, l_pairs, (WIDTH * WIDTH / 2)); /* L11, column by column */
    LOCAL_ARRAY(ELEMENT_PAIR, offers, 2 * WAVES * OFFER);
    LOCAL_ARRAY(REAL_BITS, sizes, 2 * WAVES);
    LOCAL_ARRAY(unsigned, ats, 2 * WAVES);
    LOCAL_ARRAY(int, found, LS);
    LOCAL_ARRAY(idx_t, words, 3 * JOINED);
    const int lid = (int)LOCAL_ID(0), part = lid / SPAN, r = lid % SPAN;
    const int groups = (int)GROUPS(0), group = (int)GROUP_ID(0), chunks = (n + WIDTH - 1) / WIDTH;
    const int rounds = (chunks + PARTS * groups - 1) / (PARTS * groups);
    GLOBAL ELEMENT *const A = A_ + offset;
    GLOBAL const ELEMENT *const S = S_ + s_offset;
    LOCAL_PTR ELEMENT_PAIR *const u = u_pairs + part * (WIDTH * WIDTH / 2);
    LOCAL_PTR ELEMENT *const u_of_part = (LOCAL_PTR ELEMENT *)u, *const l11 = (LOCAL_PTR ELEMENT *)l_pairs;
    ELEMENT a[ROWS][WIDTH], l[ROWS][BATCH];
    int source[ROWS], number[ROWS], zero = 0;
    unsigned place[ROWS];

    for (int k = from; k < to && k <= chunks; ++k) {
        const int j = k * WIDTH, top = k > 0 ? j - WIDTH : 0, m = n - top;
        GLOBAL const int *const moved = rows + n * (2 - k % 2); /* by panel k - 1 */
        GLOBAL int *const moves = rows + n * (1 + k % 2);

        /* The panel comes last, so that it stays in the registers. */
        for (int round = rounds - 1; round >= 0; --round) {
            const int index = (round * groups + group) * PARTS + part;
            const int chunk = k < chunks ? (index + k) % chunks : index, there = index < chunks;
            const int begin = chunk * WIDTH, wide = n - begin < WIDTH ? n - begin : WIDTH;
            const int right = there & (k > 0) & (chunk >= k), before = there & (k > 0) & (chunk == k - 1);

            FOR_ROWS {
                const int p = s * SPAN + r, in = there & !before & (p < m);
                source[s] = k > 0 && p < m ? moved[p] : p;
                GLOBAL const ELEMENT *const at =
                    k > 0 ? A + (top + source[s]) + begin * ld : S + p * row_step + begin * column_step;
                const idx_t step = k > 0 ? ld : column_step;
                FOR_COLUMNS a[s][c] = in && c < wide && (k == 0 || right || source[s] != p) ? at[c * step] : ZERO;
                number[s] = before && p < m && k > 1 ? rows[top + source[s]] : source[s];
            }
            UNROLL
            for (int q = 0; q < BATCH; ++q) FOR_ROWS {
                    const int p = s * SPAN + r;
                    l[s][q] = right && p >= WIDTH && p < m ? A[top + p + (top + q) * ld] : ZERO;
                }
            if (k == 0) {
                FOR_ROWS {
                    const int p = s * SPAN + r;
                    FOR_COLUMNS if (there && p < m && c < wide) A[p + (begin + c) * ld] = a[s][c];
                }
            } else {
                for (int e = lid; e < WIDTH * WIDTH; e += LS) {
                    const int i = e % WIDTH, q = e / WIDTH;
                    l11[e] = i > q && i < m ? A[top + i + (top + q) * ld] : ZERO;
                }
                if (right && r < WIDTH) FOR_COLUMNS u_of_part[r * WIDTH + c] = a[0][c];
            }
            BARRIER(); /* rows are gathered before any is stored */

            if (right && r < WIDTH) { /* column r of U12 = L11^-1 A12 */
                ELEMENT x[WIDTH];
                FOR_COLUMNS x[c] = u_of_part[c * WIDTH + r];
                UNROLL
                for (int q = 0; q + 1 < WIDTH; ++q) UNROLL
                for (int i = (q + 1) / 2 * 2; i < WIDTH; i += 2) {
                    const ELEMENT_PAIR y = l_pairs[(q * WIDTH + i) / 2];
                    if (i > q) SUBTRACT_PRODUCT(x[i], y.x, x[q]);
                    SUBTRACT_PRODUCT(x[i + 1], y.y, x[q]);
                }
                FOR_COLUMNS u_of_part[c * WIDTH + r] = x[c];
                if (r < wide) FOR_COLUMNS A[top + c + (begin + r) * ld] = x[c];
            }
            LOCAL_BARRIER();
            if (right) { /* A22 -= L21 U12 */
#pragma unroll 1
                for (int first = 0; first < WIDTH; first += BATCH) {
                    const int next = first + BATCH;
                    ELEMENT now[ROWS][BATCH];
                    UNROLL
                    for (int q = 0; q < BATCH; ++q) FOR_ROWS {
                            const int p = s * SPAN + r;
                            now[s][q] = l[s][q];
                            l[s][q] = next < WIDTH && p >= WIDTH && p < m ? A[top + p + (top + next + q) * ld] : ZERO;
                        }
                    UNROLL
                    for (int q = 0; q < BATCH; ++q) UNROLL
                    for (int c = 0; c < WIDTH; c += 2) {
                        const ELEMENT_PAIR x = u[((first + q) * WIDTH + c) / 2];
                        FOR_ROWS {
                            SUBTRACT_PRODUCT(a[s][c], now[s][q], x.x);
                            SUBTRACT_PRODUCT(a[s][c + 1], now[s][q], x.y);
                        }
                    }
                }
            }
            FOR_ROWS {
                const int p = s * SPAN + r;
                const int stays = right ? p < WIDTH || chunk == k : source[s] == p;
                if (before && p < m) rows[top + p] = number[s];
                if (there && k > 0 && !before && p < m && !stays)
                    FOR_COLUMNS if (c < wide) A[top + p + (begin + c) * ld] = a[s][c];
            }
            BARRIER();
            if (k == 0)
                measure(A, ld, n, there ? begin : n, 0, part, r, (LOCAL_PTR REAL *)u_pairs, found, columns, columns + n,
                        places);
            if (k == chunks)
                measure(A, ld, n, there ? begin : n, 1, part, r, (LOCAL_PTR REAL *)u_pairs, found, columns + 2 * n,
                        columns, places + n);
        }

        if (k < chunks && group == 0 && part == 0) {
            const int lead = k > 0 ? WIDTH : 0, width = n - j < WIDTH ? n - j : WIDTH;

            zero = 0;
            FOR_ROWS {
                const int p = s * SPAN + r;
                place[s] = part == 0 && p >= lead && p < m ? (unsigned)(p - lead) : NOTHING;
            }
            FOR_RUNS(t0) {
                UNROLL
                for (int q = 0; q < RUN; ++q) {
                    const int t = t0 + q;
                    const int best = choose(a, place, q, t, r, offers, sizes, ats);
                    const LOCAL_PTR ELEMENT_PAIR *const pivot_row = offers + best * OFFER;
                    const REAL_BITS size = sizes[best];
                    const unsigned pivot_place = ats[best];
                    SCALE_FOR(size);
                    const ELEMENT pivot = q % 2 ? pivot_row[q / 2].y : pivot_row[q / 2].x;
                    DIVISOR(pivot);
                    ELEMENT multiplier[ROWS];
                    FOR_ROWS {
                        const int of_pivot = place[s] == pivot_place;
                        const int open = (place[s] != NOTHING) & (place[s] >= (unsigned)t) & !of_pivot & (size != 0);
                        const ELEMENT quotient = BY_DIVISOR(a[s][q]);
                        multiplier[s] = PICK(open, quotient, ZERO);
                        a[s][q] = PICK(open, quotient, a[s][q]);
                        place[s] = place[s] == NOTHING       ? NOTHING
                                   : of_pivot                ? (unsigned)t
                                   : place[s] == (unsigned)t ? pivot_place
                                                             : place[s];
                    }
                    UNROLL
                    for (int c = q / 2 * 2; c < WIDTH; c += 2) {
                        const ELEMENT_PAIR x = pivot_row[c / 2];
                        const int live = c < RUN || t0 + c / RUN * RUN < WIDTH; /* behind them are finished columns */
                        FOR_ROWS {
                            const ELEMENT factor = PICK(live, multiplier[s], ZERO);
                            if (c > q) SUBTRACT_PRODUCT(a[s][c], factor, x.x);
                            if (c + 1 > q) SUBTRACT_PRODUCT(a[s][c + 1], factor, x.y);
                        }
                    }
                    if (lid == 0 && t < width) {
                        ipiv[j + t] = j + (idx_t)pivot_place + 1;
                        if (size == 0 && zero == 0) zero = j + t + 1;
                    }
                }
                if (RUN < WIDTH) FOR_ROWS { /* the next columns of the panel */
                        ELEMENT finished[RUN];
                        UNROLL
                        for (int c = 0; c < RUN; ++c) finished[c] = a[s][c];
                        UNROLL
                        for (int c = 0; c + RUN < WIDTH; ++c) a[s][c] = a[s][c + RUN];
                        UNROLL
                        for (int c = 0; c < RUN; ++c) a[s][WIDTH - RUN + c] = finished[c];
                    }
            }
            if (lid == 0 && (k == 0 || (zero != 0 && record[3] == 0))) record[3] = zero;
            FOR_ROWS if (place[s] != NOTHING) {
                moves[place[s]] = s * SPAN + r - lead;
                FOR_COLUMNS if (c < width) A[j + (int)place[s] + (j + c) * ld] = a[s][c];
            }
        }
        BARRIER();
    }
    if (to > chunks + 1 && group == 0)
        join(A, ld, n, lid, columns, places, ipiv, (LOCAL_PTR REAL *)u_pairs, words, record);
}

#endif
