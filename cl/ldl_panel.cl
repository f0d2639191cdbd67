/*
 * ldl_panel.cl: TAKEN columns of the factorization P^T A P = L D L^H with pivots of 1 x 1 and 2 x 2 within a window,
 * the rows below it, and the columns behind. ^H is ^T for real elements, and with HERMITIAN 0.
 *
 *          j        j+TAKEN
 *      j   [ window |          ]       1. ldl_step   L21 of the window before into A, and the trailing columns of the
 *          [--------|          ]                     panel less L21 W^H; L11, D and the order of rows of that window;
 *          [  rows  | trailing ]                     then of the WINDOW x WINDOW block at (j, j) the TAKEN best columns
 *                                                    become pivots, and the others stay candidates
 *                                      2. ldl_rows   W = A21 L11^-H, L21 = W D^-1, and whether L21 is bounded
 *
 * Twice as many candidates as pivots: a column whose elements below the window are large next to its pivot is left for
 * a later window, where rows that it needs have come. So |L| stays small (below 5 for random matrices), although no
 * column is searched below the window; Duff, Hogg, Lopez, "A new sparse LDL^T solver using a posteriori threshold
 * pivoting", SIAM J. Sci. Comput. 42 (2020), sections 3 and 4, check L afterwards as ldl_rows does.
 *
 * state[0] is 0, or 1 + j of the first window whose L21 has an element beyond BOUND, or a NaN. From then on nothing of
 * A is written, and the columns of W are zeros, so that products with them change nothing.
 *
 * The window is the first group's, with WINDOW x SETS work-items. Item r + HALF s has rows r and r + HALF of the whole
 * symmetric window, EACH columns of them, in registers, or with IN_LOCAL in local memory. Rows do not move: `order`
 * says which row becomes which. In a turn a row is published in local memory, and all search it:
 *
 *     1 x 1   the largest diagonal element p, if it is at least ALPHA times the largest other element of its row
 *     2 x 2   else from row p to the row r of that largest element, until none is larger: rook pivoting within the
 *             window (Ashcraft, Grimes, Lewis, SIAM J. Matrix Anal. Appl. 20 (1998), section 4)
 *
 * The last place takes the largest diagonal element, whatever it is next to; ldl_rows checks it.
 *
 * With `partial` a block of order 2 has the row that stands at its first place, so that one exchange a block tells the
 * order (LAPACK's sytrf). If the largest diagonal element is no pivot, that row is next, and the second row is that of
 * its largest element (Bunch, Kaufman, Math. Comp. 31 (1977), algorithm A, within the window). `places`: the row at
 * each place after the exchanges so far, then the place of each row.
 *
 * A record of a window, in elements: the columns of L by the window's rows as they were, TAKEN * WINDOW; then TAKEN of
 * each: D(k, k); D(k+1, k), or 0; the inverse of D: its diagonal, its elements below, its elements above. The record in
 * integers: `order`, WINDOW of them, then TAKEN kinds: 0: 1 x 1; 1, 2: the first and the second of two; 3: a zero.
 */
#include "ldl_pivots.clh"

#ifndef WINDOW
#define WINDOW 64
#endif
#ifndef ROWS
#define ROWS 64
#endif
#ifndef BOUND
#define BOUND 8
#endif
#define SETS  4
#define HALF  (WINDOW / 2)
#define EACH  (WINDOW / (2 * SETS))
#define ITEMS (WINDOW * SETS)
#define TAKEN (WINDOW / 2)
#if CLS_DOUBLE && CLS_COMPLEX
#define SLICE 16
#else
#define SLICE TAKEN
#endif
#define FEW   16 /* loads at a time */
#define PER   (TAKEN / (2 * SETS))
#define TURNS WINDOW /* rows that are looked at for a pivot of 2 x 2, at most */

/* The parts of a record. */
#define OF_D     (TAKEN * WINDOW)
#define OF_E     (OF_D + TAKEN)
#define OF_SAME  (OF_E + TAKEN)
#define OF_LATER (OF_SAME + TAKEN)
#define OF_PRIOR (OF_LATER + TAKEN)
#define RECORD   (OF_PRIOR + TAKEN)
#define NUMBERS  (WINDOW + TAKEN)

/* ---- the window ---- */

/* The larger of two keys of a work-item's rows, r and r + HALF, and which it is. */
typedef struct {
    unsigned key;
    int second;
} larger_t;
HELPER larger_t larger_of(ELEMENT x, ELEMENT y, unsigned in_first, unsigned in_second) {
    larger_t larger;
    const unsigned one = in_first ? key_of(x) : 0, two = in_second ? key_of(y) : 0;
    larger.second = two > one;
    larger.key = larger.second ? two : one;
    return larger;
}

#ifdef LANES
/* The largest key of the wave's rows; and a row that has it. */
#define LARGEST_KEY(larger, values, open) LANES_MAX((larger).key)
#define PLACE_OF(larger, values, open, largest)                                                                        \
    ((int)LANES_GET((unsigned)(r + (larger).second * HALF), HIGHEST_BIT(LANES_VOTE((larger).key == (largest)))))
#else
/* The same of values in local memory, those whose bits are set: by each work-item alone. */
#define LARGEST_KEY(larger, values, open)       largest_key(values, (open)[0], (open)[1])
#define PLACE_OF(larger, values, open, largest) place_of(values, (open)[0], (open)[1], largest)
HELPER unsigned largest_key(const LOCAL_PTR ELEMENT *values, unsigned first, unsigned second) {
    unsigned most = 0;
    for (int i = 0; i < HALF; ++i) {
        const larger_t one = larger_of(values[i], values[i + HALF], first >> i & 1, second >> i & 1);
        most = one.key > most ? one.key : most;
    }
    return most;
}
HELPER int place_of(const LOCAL_PTR ELEMENT *values, unsigned first, unsigned second, unsigned key) {
    int place = 0;
    for (int i = 0; i < HALF; ++i) {
        const larger_t one = larger_of(values[i], values[i + HALF], first >> i & 1, second >> i & 1);
        place = one.key == key ? i + one.second * HALF : place;
    }
    return place;
}
#endif

/* The inverse of [a conj(b); b c] for hermitian ones, else of [a b; b c]: its diagonal, and below and above it. Their
 * sizes are those of 1 / b, and a c is less than b^2. */
typedef struct {
    ELEMENT first, second, below, above;
} inverse_t;
HELPER inverse_t inverse_of_two(ELEMENT a, ELEMENT b, ELEMENT c) {
    inverse_t x;
    const REAL scale = 1 / LARGER_PART(b);
    a = BY_REAL(a, scale);
    b = BY_REAL(b, scale);
    c = BY_REAL(c, scale);
    const ELEMENT by = BY_REAL(INVERSE(LESS_PRODUCT(TIMES(a, c), b, ADJOINT(b))), scale);
    x.first = TIMES(c, by);
    x.second = TIMES(a, by);
    x.below = NEGATED(TIMES(b, by));
    x.above = NEGATED(TIMES(ADJOINT(b), by));
    return x;
}

#ifdef IN_LOCAL
#define OWN(h, k) block[(part * EACH + (k)) * WINDOW + r + (h)*HALF]
#else
#define OWN(h, k) own[h][k]
#endif
/* If lanes run in step, each wave has the whole diagonal. */
#ifdef LANES
#define DIAGONAL(p) LANES_GET_ELEMENT(PICK((p) < HALF, d[0], d[1]), (p) % HALF)
#else
#define DIAGONAL(p) diagonal[p]
#endif

/*
 * `a` is at (j, j) and has m rows and columns; `take` columns are eliminated: TAKEN, or all m. `rows` has room for four
 * of the window's rows, and `block` with IN_LOCAL for all. With `failed` nothing is done.
 */
INLINED void find_pivots(const GLOBAL ELEMENT *a, idx_t ld, idx_t m, int take, GLOBAL ELEMENT *record,
                         GLOBAL int *numbers, int failed, int partial, LOCAL_PTR ELEMENT *rows,
                         LOCAL_PTR ELEMENT *block, LOCAL_PTR int *places) {
    LOCAL_PTR ELEMENT *const diagonal = rows + 3 * WINDOW;
#ifndef IN_LOCAL
    ELEMENT own[2][EACH];
#endif
    const int r = (int)LOCAL_ID(0) % HALF, part = (int)LOCAL_ID(0) / HALF;
    const int there = m < WINDOW ? (int)m : WINDOW;
    unsigned open[2];            /* rows r that are no pivots yet, and rows r + HALF, a bit each */
    ELEMENT d[2], before = ZERO; /* the diagonal elements of these rows, and of row q */
    int t = failed ? take : 0, held = 0, starts = 0, looked = 0, q = 0, next = 0, turn = 0;
    unsigned largest = 0;

    (void)block;
    (void)diagonal;
    UNROLL
    for (int h = 0; h < 2; ++h) {
        const int i = r + h * HALF, bits = there - h * HALF;
        open[h] = bits >= HALF ? 0xffffffffu >> (32 - HALF) : bits > 0 ? (1u << bits) - 1 : 0;
        UNROLL
        for (int k = 0; k < EACH; ++k) {
            const int c = part * EACH + k, row = i > c ? i : c, column = i > c ? c : i;
            ELEMENT x = ZERO;
            if (row < there) x = a[row + column * ld];
            x = CONJUGATE_IF(HERMITIAN && c > i, x);
            OWN(h, k) = c == i && HERMITIAN ? FROM_REAL(REAL_PART(x)) : x;
        }
        d[h] = ZERO;
        if (i < there) d[h] = a[i + i * ld];
        if (HERMITIAN) d[h] = FROM_REAL(REAL_PART(d[h]));
#ifndef LANES
        if (part == 0) diagonal[i] = d[h];
#endif
        if (part == 0) places[i] = places[WINDOW + i] = i;
    }
    LOCAL_BARRIER();

    while (t < take) {
        /* Rows take turns in three places: while one is published, others still read the two before. */
        LOCAL_PTR ELEMENT *const row = rows + turn % 3 * WINDOW, *const other = rows + (turn + 2) % 3 * WINDOW;
        const unsigned columns = (part * EACH < HALF ? open[0] : open[1]) >> (part * EACH % HALF); /* this item's */
        int p = next;
        if (!held && !starts) {
            const larger_t one = larger_of(d[0], d[1], open[0] >> r & 1, open[1] >> r & 1);
            const unsigned most = LARGEST_KEY(one, diagonal, open);
            p = PLACE_OF(one, diagonal, open, most);
            (void)one;
        }
        ELEMENT pivot = DIAGONAL(p);
        UNROLL
        for (int h = 0; h < 2; ++h) {
            if (r + h * HALF == p) {
                UNROLL
                for (int k = 0; k < EACH; ++k) row[part * EACH + k] = columns >> k & 1 ? OWN(h, k) : ZERO;
            }
        }
        ELEMENT inv = IS_ZERO_ELEMENT(pivot) ? ZERO : OVER(ONE, pivot);
        unsigned rest[2]; /* of `open`, without p, and without q where they are a pivot together */
        rest[0] = open[0] & ~(p < HALF ? 1u << p : 0);
        rest[1] = open[1] & ~(p < HALF ? 0 : 1u << (p - HALF));
        LOCAL_BARRIER();
        ELEMENT mine[2]; /* this item's rows in the column of row p, or their conjugates */
        mine[0] = row[r];
        mine[1] = row[r + HALF];
        const larger_t one = larger_of(mine[0], mine[1], rest[0] >> r & 1, rest[1] >> r & 1);
        const unsigned key = LARGEST_KEY(one, row, rest);
        (void)one;
        const REAL size = size_of_key(key), size_before = size_of_key(largest);
        const int home = places[t];
        const int first = (!held || partial) && (t + 1 == take || SIZE_1(pivot) >= ALPHA * size);
        /* The row before, of which this one has the largest element: with growth of this one's elements. */
        const int back = partial && held && !first && SIZE_1(before) >= ALPHA * size_before * (size_before / size);
        const int alone = first || back;
        const int two = held && !alone && (partial || key <= largest || looked >= TURNS);
        LOCAL_PTR ELEMENT *const used = back ? other : row;
        if (back) {
            p = q;
            pivot = before;
            inv = OVER(ONE, pivot);
            rest[0] = open[0] & ~(p < HALF ? 1u << p : 0);
            rest[1] = open[1] & ~(p < HALF ? 0 : 1u << (p - HALF));
            mine[0] = other[r];
            mine[1] = other[r + HALF];
        }
        if (alone) {
            UNROLL
            for (int h = 0; h < 2; ++h) {
                ELEMENT l = ZERO;
                if (rest[h] >> r & 1) l = TIMES(ADJOINT(mine[h]), inv);
                if (part == (t & 7)) record[t * WINDOW + r + h * HALF] = l;
                d[h] = LESS_PRODUCT(d[h], l, mine[h]);
                UNROLL
                for (int k = 0; k < EACH; ++k) OWN(h, k) = LESS_PRODUCT(OWN(h, k), l, used[part * EACH + k]);
            }
            if (LOCAL_ID(0) == 0) {
                record[OF_D + t] = pivot;
                record[OF_SAME + t] = inv;
                record[OF_E + t] = record[OF_LATER + t] = record[OF_PRIOR + t] = ZERO;
                numbers[t] = p;
                numbers[WINDOW + t] = IS_ZERO_ELEMENT(pivot) ? 3 : 0;
            }
            t += 1;
        }
        if (two) { /* rows q and p; l = w D^-1 */
            rest[0] &= ~(q < HALF ? 1u << q : 0);
            rest[1] &= ~(q < HALF ? 0 : 1u << (q - HALF));
            /* As row q has it, where it was found to be the largest: row p may differ from it by rounding. That counts
             * where nothing is left of the window but rounding. */
            const ELEMENT between = ADJOINT(other[p]);
            const inverse_t by = inverse_of_two(before, between, pivot);
            UNROLL
            for (int h = 0; h < 2; ++h) {
                const ELEMENT its = other[r + h * HALF];
                ELEMENT first = ZERO, second = ZERO;
                if (rest[h] >> r & 1) {
                    const ELEMENT x = ADJOINT(its), y = ADJOINT(mine[h]);
                    first = PLUS(TIMES(x, by.first), TIMES(y, by.below));
                    second = PLUS(TIMES(x, by.above), TIMES(y, by.second));
                }
                if (part == 0) record[t * WINDOW + r + h * HALF] = first;
                if (part == 1) record[(t + 1) * WINDOW + r + h * HALF] = second;
                d[h] = LESS_PRODUCT(LESS_PRODUCT(d[h], first, its), second, mine[h]);
                UNROLL
                for (int k = 0; k < EACH; ++k) {
                    const int c = part * EACH + k;
                    OWN(h, k) = LESS_PRODUCT(LESS_PRODUCT(OWN(h, k), first, other[c]), second, row[c]);
                }
            }
            if (LOCAL_ID(0) == 0) {
                record[OF_D + t] = before;
                record[OF_D + t + 1] = pivot;
                record[OF_E + t] = between;
                record[OF_E + t + 1] = ZERO;
                record[OF_SAME + t] = by.first;
                record[OF_SAME + t + 1] = by.second;
                record[OF_LATER + t] = by.below;
                record[OF_LATER + t + 1] = record[OF_PRIOR + t] = ZERO;
                record[OF_PRIOR + t + 1] = by.above;
                numbers[t] = q;
                numbers[t + 1] = p;
                numbers[WINDOW + t] = 1;
                numbers[WINDOW + t + 1] = 2;
            }
            t += 2;
        }
        const int goes_on = !alone && !two, begins = partial && goes_on && !held && !starts && p != home;
        if (begins) {
            next = home;
        } else if (goes_on) {
            next = PLACE_OF(one, row, rest, key);
            before = pivot;
            largest = key;
            q = p;
        } else {
            open[0] = rest[0];
            open[1] = rest[1];
        }
        held = goes_on && !begins;
        starts = begins;
        looked = goes_on ? looked + 1 : 0;
        ++turn;
#ifndef LANES
        LOCAL_BARRIER(); /* all have read the diagonal */
#else
        if (partial) LOCAL_BARRIER();   /* and the places */
#endif
        if (partial && !goes_on && LOCAL_ID(0) == 0) {
            const int to = t - 1, from = places[WINDOW + p], row_there = places[to]; /* row q is where it was */
            places[from] = row_there;
            places[WINDOW + row_there] = from;
            places[to] = p;
            places[WINDOW + p] = to;
            for (int k = take; k < there && t >= take; ++k) numbers[k] = places[k];
        }
        UNROLL
        for (int h = 0; h < 2; ++h) {
            if (HERMITIAN) d[h] = FROM_REAL(REAL_PART(d[h]));
#ifndef LANES
            if (part == 0) diagonal[r + h * HALF] = d[h];
#endif
        }
        if (t >= take && part == 0 && !partial) { /* the candidates that are left, in their order */
            int place = take;
            for (int k = 0; k < r; ++k) place += (int)(open[0] >> k & 1);
            if (open[0] >> r & 1) numbers[place] = r;
            for (int k = r; k < HALF; ++k) place += (int)(open[0] >> k & 1);
            for (int k = 0; k < r; ++k) place += (int)(open[1] >> k & 1);
            if (open[1] >> r & 1) numbers[place] = r + HALF;
        }
#ifndef LANES
        LOCAL_BARRIER();
#endif
    }
}

/* ---- the rows below ---- */

/* Element (row, c) of a window's columns, of which the lower triangle is there. */
HELPER ELEMENT element_at(const GLOBAL ELEMENT *a, idx_t ld, idx_t row, idx_t c) {
    const int above = row < c;
    return CONJUGATE_IF(HERMITIAN && above, a[above ? c + row * ld : row + c * ld]);
}

/*
 * The rows behind the pivots of m: position i is row `top` + i, and its content comes from the row that `order` says
 * while that is in the window. T, R: TAKEN columns of L21, and the candidates that are left as they were, both in their
 * new order. Two work-items a row: one for L21, and one for the candidates.
 */
KERNEL WORK_GROUP(2 * ROWS, 1, 1) void ldl_rows(const GLOBAL ELEMENT *RESTRICT A, idx_t offset, idx_t ld, idx_t m,
                                                idx_t top, const GLOBAL ELEMENT *RESTRICT record,
                                                const GLOBAL int *RESTRICT numbers, idx_t turn,
                                                GLOBAL ELEMENT *RESTRICT T, GLOBAL ELEMENT *RESTRICT R, idx_t t_ld,
                                                GLOBAL ELEMENT *RESTRICT W, idx_t w_offset, idx_t w_ld,
                                                GLOBAL idx_t *RESTRICT state) {
    LOCAL_ARRAY(ELEMENT, l, TAKEN * TAKEN); /* the adjoint of L11, element (t, s) at t + s * TAKEN */
    LOCAL_ARRAY(ELEMENT, by, 3 * TAKEN);
    LOCAL_ARRAY(int, order, NUMBERS);
    const int item = (int)LOCAL_ID(0), there = m < WINDOW ? (int)m : WINDOW;
    const idx_t i = TAKEN + GROUP_ID(0) * ROWS + item % ROWS;
    const GLOBAL ELEMENT *const a = A + offset;
    const int works = i < m && state[0] == 0;
    record += turn * RECORD;
    numbers += turn * NUMBERS;

    for (int k = item; k < NUMBERS; k += 2 * ROWS) {
        const int number = numbers[k]; /* where a window failed, anything */
        order[k] = (k < there || k >= WINDOW) && number >= 0 && number < WINDOW ? number : 0;
    }
    for (int k = item; k < 3 * TAKEN; k += 2 * ROWS) by[k] = record[OF_SAME + k];
    LOCAL_BARRIER();
    UNROLL_SOME
    for (int k = item; k < TAKEN * TAKEN; k += 2 * ROWS) l[k] = ADJOINT(record[k / TAKEN * WINDOW + order[k % TAKEN]]);
    LOCAL_BARRIER();
    const idx_t row = i < there ? order[works && i < there ? (int)i : 0] : i;
    if (works && item >= ROWS) {
        for (int q = TAKEN; q < there; q += FEW) {
            ELEMENT x[FEW];
            UNROLL
            for (int k = 0; k < FEW; ++k) x[k] = element_at(a, ld, row, order[q + k < there ? q + k : q]);
            UNROLL
            for (int k = 0; k < FEW; ++k)
                if (q + k < there) R[top + i + (q + k - TAKEN) * t_ld] = x[k];
        }
    }
    if (works && item < ROWS) {
        ELEMENT w[TAKEN];
        UNROLL
        for (int t = 0; t < TAKEN; ++t) w[t] = element_at(a, ld, row, order[t]);
        UNROLL
        for (int s = 0; s < TAKEN; ++s) {
            UNROLL
            for (int t = s + 1; t < TAKEN; ++t) w[t] = LESS_PRODUCT(w[t], w[s], l[t + s * TAKEN]);
        }
        int bad = 0;
        UNROLL
        for (int t = 0; t < TAKEN; ++t) {
            ELEMENT x = TIMES(w[t], by[t]);
            if (t + 1 < TAKEN) ADD_PRODUCT(x, w[t + 1 < TAKEN ? t + 1 : t], by[TAKEN + t]);
            if (t > 0) ADD_PRODUCT(x, w[t > 0 ? t - 1 : t], by[2 * TAKEN + t]);
            bad |= !(SIZE_1(x) <= (REAL)BOUND);
            if (order[WINDOW + t] == 3) bad |= IS_NONZERO_ELEMENT(w[t]);
            T[top + i + t * t_ld] = x;
            W[w_offset + i + t * w_ld] = w[t];
        }
        if (bad) state[0] = top + 1;
    }
}

/* ---- what the window before has left to do ---- */

/*
 * Its rows come into the order of `numbers`, in TAKEN columns that neither `first` nor `last` are beyond: those of A
 * before the window, and behind them the panel's columns of W. `a` and `w`: at the window's first row.
 */
INLINED void exchange_rows(GLOBAL ELEMENT *a, idx_t ld, idx_t columns, GLOBAL ELEMENT *w, idx_t w_ld, idx_t w_columns,
                           idx_t first, int there, const GLOBAL int *numbers) {
    const int i = (int)LOCAL_ID(0) % WINDOW, set = (int)LOCAL_ID(0) / WINDOW;
    const int works = i < there, from = works ? numbers[i] : 0;
    ELEMENT x[TAKEN / SETS];

    UNROLL
    for (int k = 0; k < TAKEN / SETS; ++k) {
        const idx_t c = first + set + k * SETS;
        x[k] = ZERO;
        if (works && c < columns) x[k] = a[from + c * ld];
        if (works && c >= columns && c - columns < w_columns) x[k] = w[from + (c - columns) * w_ld];
    }
    BARRIER();
    UNROLL
    for (int k = 0; k < TAKEN / SETS; ++k) {
        const idx_t c = first + set + k * SETS;
        if (works && c < columns) a[i + c * ld] = x[k];
        if (works && c >= columns && c - columns < w_columns) w[i + (c - columns) * w_ld] = x[k];
    }
}

/* L11 and D, at `a`, and the numbers of the window's rows. */
INLINED void put_pivots(GLOBAL ELEMENT *a, idx_t ld, int there, int take, const GLOBAL ELEMENT *record,
                        const GLOBAL int *numbers, GLOBAL ELEMENT *d, GLOBAL ELEMENT *e, GLOBAL idx_t *permutation) {
    const int i = (int)LOCAL_ID(0) % WINDOW, set = (int)LOCAL_ID(0) / WINDOW;
    const int works = i < there, from = works ? numbers[i] : 0;
    const idx_t number = works ? permutation[from] : 0;

    BARRIER();
    if (works && set == 0) permutation[i] = number;
    for (int t = set; t < take; t += SETS) {
        if (i > t && i < take) a[i + t * ld] = record[t * WINDOW + from];
        if (i == t) {
            a[t * (ld + 1)] = d[t] = record[OF_D + t];
            e[t] = record[OF_E + t];
        }
    }
}

/*
 * The tile WINDOW x TAKEN at `a` becomes that at `from` less T W^H, where t and w are at the tile's first row and
 * column of them. Both have TAKEN columns.
 */
INLINED void update_tile(GLOBAL ELEMENT *a, idx_t ld, const GLOBAL ELEMENT *from, idx_t from_ld,
                         const GLOBAL ELEMENT *t, idx_t t_ld, const GLOBAL ELEMENT *w, idx_t w_ld, idx_t rows,
                         idx_t columns, LOCAL_PTR ELEMENT *l, LOCAL_PTR ELEMENT *u) {
    const int item = (int)LOCAL_ID(0), r = item % (WINDOW / 2), c = item / (WINDOW / 2) * PER;
    ELEMENT x[2][PER];

    UNROLL
    for (int k = 0; k < PER; ++k) {
        UNROLL
        for (int h = 0; h < 2; ++h) {
            const int row = r + h * (WINDOW / 2);
            x[h][k] = row < rows && c + k < columns ? from[row + (c + k) * from_ld] : ZERO;
        }
    }
    for (int s = 0; s < TAKEN; s += SLICE) {
        for (int k = item; k < WINDOW * SLICE; k += ITEMS)
            l[k] = k % WINDOW < rows ? t[k % WINDOW + (s + k / WINDOW) * t_ld] : ZERO;
        for (int k = item; k < TAKEN * SLICE; k += ITEMS)
            u[k] = k % TAKEN < columns ? ADJOINT(w[k % TAKEN + (s + k / TAKEN) * w_ld]) : ZERO;
        LOCAL_BARRIER();
        for (int k = 0; k < SLICE; ++k) {
            UNROLL
            for (int p = 0; p < PER; ++p) {
                const ELEMENT by = u[k * TAKEN + c + p];
                UNROLL
                for (int h = 0; h < 2; ++h) x[h][p] = LESS_PRODUCT(x[h][p], l[k * WINDOW + r + h * (WINDOW / 2)], by);
            }
        }
        LOCAL_BARRIER();
    }
    UNROLL
    for (int k = 0; k < PER; ++k) {
        UNROLL
        for (int h = 0; h < 2; ++h) {
            const int row = r + h * (WINDOW / 2);
            if (row < rows && c + k < columns) a[row + (c + k) * ld] = x[h][k];
        }
    }
}

/* The columns of T for WINDOW rows at `a`, the first of them TAKEN columns behind; with `failed` zeros into those of W
 * for these rows. */
INLINED void put_rows(GLOBAL ELEMENT *a, idx_t ld, const GLOBAL ELEMENT *t, idx_t t_ld, GLOBAL ELEMENT *w, idx_t w_ld,
                      idx_t rows, int failed) {
    for (int k = (int)LOCAL_ID(0); k < WINDOW * TAKEN; k += ITEMS) {
        const int row = k % WINDOW, column = k / WINDOW;
        if (row < rows && failed) w[row + column * w_ld] = ZERO;
        if (row < rows && !failed) a[row + (column - TAKEN) * ld] = t[row + column * t_ld];
    }
}

/*
 * The window at j, of which `takes` columns are to become pivots, or 0, and what the window before has left to do, in
 * the panel with columns begin .. end-1: it had `there` rows and `take` pivots, or 0: there is none. A and W: at (0, 0)
 * and (0, begin). T, R: see ldl_rows. `turn`: of the records that of the window at j. `partial`: see above.
 *
 * Group 0 has the rows and columns of the window at j. The next `exchanges` ones have TAKEN columns each before the
 * window before; the first of them its pivots, and L21 of the rows of the window at j. The others have a tile each of
 * WINDOW x TAKEN elements below the window at j, `tall` of them in a column of tiles.
 */
KERNEL WORK_GROUP(ITEMS, 1, 1) void ldl_step(GLOBAL ELEMENT *A, idx_t offset, idx_t ld, idx_t n, idx_t begin, idx_t j,
                                             idx_t end, int there, int take, int takes, int partial, GLOBAL ELEMENT *W,
                                             idx_t w_offset, idx_t w_ld, const GLOBAL ELEMENT *T,
                                             const GLOBAL ELEMENT *R, idx_t t_ld, GLOBAL ELEMENT *record,
                                             GLOBAL int *numbers, idx_t turn, GLOBAL ELEMENT *d, GLOBAL ELEMENT *e,
                                             GLOBAL idx_t *permutation, const GLOBAL idx_t *state, idx_t exchanges,
                                             idx_t tall) {
    LOCAL_ARRAY(ELEMENT, l, WINDOW * SLICE);
    LOCAL_ARRAY(ELEMENT, u, TAKEN * SLICE);
    LOCAL_ARRAY(int, places, 2 * WINDOW);
#ifdef IN_LOCAL
    LOCAL_ARRAY(ELEMENT, block, WINDOW * WINDOW);
#else
    LOCAL_PTR ELEMENT *const block = l; /* not used */
#endif
    const idx_t group = GROUP_ID(0), top = j - take, columns = end - j;
    const int failed = state[0] != 0;
    GLOBAL ELEMENT *const a = A + offset + j + j * ld;
    GLOBAL ELEMENT *const w = W + w_offset + j + (top - begin) * w_ld; /* of the window before, from row j on */

    if (group == 0) {
        if (take == TAKEN && j < n) {
            if (!failed) {
                update_tile(a, ld, R + j, t_ld, T + j, t_ld, w, w_ld, n - j, columns, l, u);
                update_tile(a + TAKEN * ld, ld, a + TAKEN * ld, ld, T + j, t_ld, w + TAKEN, w_ld, n - j,
                            columns - TAKEN, l, u);
            }
        }
        BARRIER();
        find_pivots(a, ld, n - j, takes, record + turn * RECORD, numbers + turn * NUMBERS, failed, partial, l, block,
                    places);
    } else if (group == 1) {
        if (take == TAKEN && j < n) put_rows(a, ld, T + j, t_ld, w, w_ld, n - j, failed);
        if (!failed)
            put_pivots(A + offset + top + top * ld, ld, there, take, record + (1 - turn) * RECORD,
                       numbers + (1 - turn) * NUMBERS, d + top, e + top, permutation + top);
    } else if (group <= exchanges) {
        if (!failed)
            exchange_rows(A + offset + top, ld, top, W + w_offset + top, w_ld, top - begin, (group - 2) * TAKEN, there,
                          numbers + (1 - turn) * NUMBERS);
    } else {
        const idx_t tile = group - 1 - exchanges, i = (1 + tile % tall) * WINDOW, c = tile / tall * TAKEN;
        if (c == 0) put_rows(a + i, ld, T + j + i, t_ld, w + i, w_ld, n - j - i, failed);
        if (!failed && i + WINDOW > c)
            update_tile(a + i + c * ld, ld, c == 0 ? R + j + i : a + i + c * ld, c == 0 ? t_ld : ld, T + j + i, t_ld,
                        w + c, w_ld, n - j - i, columns - c, l, u);
    }
}
