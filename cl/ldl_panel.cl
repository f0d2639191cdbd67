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
 * The window is the first group's, with WINDOW x SETS work-items. Item i + WINDOW s has row i of the whole symmetric
 * window, EACH columns of it, in registers, or with IN_LOCAL in local memory. Rows do not move: `order` says which row
 * becomes which. In a turn a row is published in local memory, and all search it:
 *
 *     1 x 1   the largest diagonal element p, if it is at least ALPHA times the largest other element of its row
 *     2 x 2   else from row p to the row r of that largest element, until none is larger: rook pivoting within the
 *             window (Ashcraft, Grimes, Lewis, SIAM J. Matrix Anal. Appl. 20 (1998), section 4)
 *
 * The last place takes the largest diagonal element, whatever it is next to; ldl_rows checks it.
 *
 * A record of a window, in elements: the columns of L by the window's rows as they were, TAKEN * WINDOW; then TAKEN of
 * each: D(k, k); D(k+1, k), or 0; the inverse of D: its diagonal, its elements below, its elements above. The record in
 * integers: `order`, WINDOW of them, then TAKEN kinds: 0: 1 x 1; 1, 2: the first and the second of two; 3: a zero.
 */
#include "divisor.clh"

#ifndef WINDOW
#define WINDOW 64
#endif
#ifndef HERMITIAN
#define HERMITIAN 1
#endif
#ifndef ROWS
#define ROWS 64
#endif
#ifndef BOUND
#define BOUND 8
#endif
#define SETS  4
#define EACH  (WINDOW / SETS)
#define ITEMS (WINDOW * SETS)
#define TAKEN (WINDOW / 2)
#define SLICE 16
#define PER   (TAKEN / (2 * SETS))
#define TURNS WINDOW                     /* rows that are looked at for a pivot of 2 x 2, at most */
#define ALPHA ((REAL)0.6403882032022076) /* (1 + sqrt(17)) / 8 */

#define ADJOINT(a) CONJUGATE_IF(HERMITIAN, a)

/* The parts of a record. */
#define OF_D     (TAKEN * WINDOW)
#define OF_E     (OF_D + TAKEN)
#define OF_SAME  (OF_E + TAKEN)
#define OF_LATER (OF_SAME + TAKEN)
#define OF_PRIOR (OF_LATER + TAKEN)
#define RECORD   (OF_PRIOR + TAKEN)
#define NUMBERS  (WINDOW + TAKEN)

/* ---- the window ---- */

/* Sizes in order, from 1 on. A double's high half decides. */
HELPER unsigned key_of(ELEMENT x) {
#if CLS_DOUBLE
    return (unsigned)(size_of(x) >> 32) + 1;
#else
    return size_of(x) + 1;
#endif
}

/* The place of the largest of the elements whose bits are set, for all work-items alike; *key is 0 where there is
 * none. */
HELPER int largest_of(const LOCAL_PTR ELEMENT *values, wide_t among, unsigned *key) {
    int place = 0;
#ifdef LANES
    const int lane = (int)LOCAL_ID(0) % LANES;
    unsigned mine = 0, votes;
    int at = lane;
    UNROLL
    for (int i = 0; i < WINDOW; i += LANES) {
        const unsigned one = among >> (i + lane) & 1 ? key_of(values[i + lane]) : 0;
        at = one > mine ? i + lane : at;
        mine = one > mine ? one : mine;
    }
    *key = LANES_MAX(mine);
    votes = LANES_VOTE(mine == *key);
    place = (int)LANES_GET((unsigned)at, HIGHEST_BIT(votes));
#else
    unsigned most = 0;
    for (int i = 0; i < WINDOW; ++i) {
        const unsigned one = among >> i & 1 ? key_of(values[i]) : 0;
        place = one > most ? i : place;
        most = one > most ? one : most;
    }
    *key = most;
#endif
    return place;
}

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
#define OWN(k) block[(set * EACH + (k)) * WINDOW + i]
#else
#define OWN(k) own[k]
#endif

/*
 * `a` is at (j, j) and has m rows and columns; `take` columns are eliminated: TAKEN, or all m. `rows` has room for
 * three of the window's rows, and `block` with IN_LOCAL for all. With `failed` nothing is done.
 */
INLINED void find_pivots(const GLOBAL ELEMENT *a, idx_t ld, idx_t m, int take, GLOBAL ELEMENT *record,
                         GLOBAL int *numbers, int failed, LOCAL_PTR ELEMENT *rows, LOCAL_PTR ELEMENT *block) {
    LOCAL_PTR ELEMENT *const diagonal = rows + 2 * WINDOW;
#ifndef IN_LOCAL
    ELEMENT own[EACH];
#endif
    const int i = (int)LOCAL_ID(0) % WINDOW, set = (int)LOCAL_ID(0) / WINDOW;
    const int there = m < WINDOW ? (int)m : WINDOW;
    wide_t open = there < 64 ? ((wide_t)1 << there) - 1 : ~(wide_t)0;
    ELEMENT d = ZERO; /* of this row */
    int t = failed ? take : 0, held = 0, looked = 0, q = 0, next = 0, which = 0;
    unsigned largest = 0;

    (void)block;
    UNROLL
    for (int k = 0; k < EACH; ++k) {
        const int c = set * EACH + k, row = i > c ? i : c, column = i > c ? c : i;
        ELEMENT x = ZERO;
        if (row < there) x = a[row + column * ld];
        x = CONJUGATE_IF(HERMITIAN && c > i, x);
        OWN(k) = c == i && HERMITIAN ? FROM_REAL(REAL_PART(x)) : x;
    }
    if (i < there) d = a[i + i * ld];
    if (HERMITIAN) d = FROM_REAL(REAL_PART(d));
    if (set == 0) diagonal[i] = d;
    LOCAL_BARRIER();

    while (t < take) {
        LOCAL_PTR ELEMENT *const row = rows + which * WINDOW, *const other = rows + (1 - which) * WINDOW;
        unsigned key;
        const int p = held ? next : largest_of(diagonal, open, &key);
        if (i == p) {
            UNROLL
            for (int k = 0; k < EACH; ++k) {
                const int c = set * EACH + k;
                row[c] = open >> c & 1 ? OWN(k) : ZERO;
            }
        }
        LOCAL_BARRIER();
        const int s = largest_of(row, open & ~((wide_t)1 << p), &key);
        const ELEMENT pivot = diagonal[p];
        const int alone = !held && (t + 1 == take || SIZE_1(pivot) >= ALPHA * (key ? SIZE_1(row[s]) : (REAL)0));
        const int two = held && (key <= largest || looked >= TURNS);
        const int is_open = (int)(open >> i & 1) && i != p && !(two && i == q);
        ELEMENT first = ZERO, second = ZERO; /* this row's elements of L */
        if (alone) {
            const ELEMENT inv = IS_ZERO_ELEMENT(pivot) ? ZERO : OVER(ONE, pivot);
            if (is_open) first = TIMES(ADJOINT(row[i]), inv);
            if (set == (t & (SETS - 1))) record[t * WINDOW + i] = first;
            if (set == 0 && i == p) {
                record[OF_D + t] = pivot;
                record[OF_SAME + t] = inv;
                record[OF_E + t] = record[OF_LATER + t] = record[OF_PRIOR + t] = ZERO;
                numbers[t] = p;
                numbers[WINDOW + t] = IS_ZERO_ELEMENT(pivot) ? 3 : 0;
            }
        }
        if (two) { /* rows q and p; l = w D^-1 */
            /* As row q has it, where it was found to be the largest: row p may differ from it by rounding. That counts
             * where nothing is left of the window but rounding. */
            const ELEMENT between = ADJOINT(other[p]);
            const inverse_t by = inverse_of_two(diagonal[q], between, pivot);
            if (is_open) {
                const ELEMENT x = ADJOINT(other[i]), y = ADJOINT(row[i]);
                first = PLUS(TIMES(x, by.first), TIMES(y, by.below));
                second = PLUS(TIMES(x, by.above), TIMES(y, by.second));
            }
            if (set == 0) {
                record[t * WINDOW + i] = first;
                record[(t + 1) * WINDOW + i] = second;
            }
            if (set == 0 && i == p) {
                record[OF_D + t] = diagonal[q];
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
        }
        if (alone) {
            UNROLL
            for (int k = 0; k < EACH; ++k) OWN(k) = LESS_PRODUCT(OWN(k), first, row[set * EACH + k]);
            d = LESS_PRODUCT(d, first, row[i]);
        }
        if (two) {
            UNROLL
            for (int k = 0; k < EACH; ++k) {
                const int c = set * EACH + k;
                OWN(k) = LESS_PRODUCT(LESS_PRODUCT(OWN(k), first, other[c]), second, row[c]);
            }
            d = LESS_PRODUCT(LESS_PRODUCT(d, first, other[i]), second, row[i]);
        }
        if (HERMITIAN) d = FROM_REAL(REAL_PART(d));
        LOCAL_BARRIER(); /* all have read the diagonal */
        if (set == 0) diagonal[i] = d;
        if (alone || two) {
            open &= ~((wide_t)1 << p);
            if (two) open &= ~((wide_t)1 << q);
            t += alone ? 1 : 2;
            held = looked = 0;
        } else {
            held = 1;
            looked++;
            q = p;
            largest = key;
            next = s;
            which = 1 - which;
        }
        if (t >= take && set == 0 && (open >> i & 1)) { /* the candidates that are left, in their order */
            int place = take;
            for (int k = 0; k < i; ++k) place += (int)(open >> k & 1);
            numbers[place] = i;
        }
        LOCAL_BARRIER();
    }
}

/* ---- the rows below ---- */

/*
 * The rows behind the pivots of m: position i is row `from` + i, and its content comes from the row that `order` says
 * while that is in the window. `t`, `r`: TAKEN columns of L21, and the candidates that are left as they were, both in
 * their new order. A work-item a row.
 */
KERNEL WORK_GROUP(ROWS, 1, 1) void ldl_rows(const GLOBAL ELEMENT *A, idx_t offset, idx_t ld, idx_t m, idx_t top,
                                            const GLOBAL ELEMENT *record, const GLOBAL int *numbers, idx_t turn,
                                            GLOBAL ELEMENT *T, GLOBAL ELEMENT *R, idx_t t_ld, GLOBAL ELEMENT *W,
                                            idx_t w_offset, idx_t w_ld, GLOBAL idx_t *state) {
    LOCAL_ARRAY(ELEMENT, l, TAKEN * TAKEN); /* the adjoint of L11, element (t, s) at t + s * TAKEN */
    LOCAL_ARRAY(ELEMENT, by, 3 * TAKEN);
    LOCAL_ARRAY(int, order, NUMBERS);
    const int item = (int)LOCAL_ID(0), there = m < WINDOW ? (int)m : WINDOW;
    const idx_t i = TAKEN + GROUP_ID(0) * ROWS + item;
    const GLOBAL ELEMENT *const a = A + offset;
    const int skip = state[0] != 0;
    record += turn * RECORD;
    numbers += turn * NUMBERS;

    for (int k = item; k < NUMBERS; k += ROWS) order[k] = !skip && (k < there || k >= WINDOW) ? numbers[k] : 0;
    for (int k = item; k < 3 * TAKEN; k += ROWS) by[k] = record[OF_SAME + k];
    LOCAL_BARRIER();
    for (int k = item; k < TAKEN * TAKEN; k += ROWS) l[k] = ADJOINT(record[k / TAKEN * WINDOW + order[k % TAKEN]]);
    LOCAL_BARRIER();
    if (i < m && !skip) {
        const int in_window = i < there;
        const idx_t row = in_window ? order[(int)i] : i;
        ELEMENT w[TAKEN];
        UNROLL
        for (int t = 0; t < TAKEN; ++t) {
            const int c = order[t], above = row < c;
            w[t] = CONJUGATE_IF(HERMITIAN && above, above ? a[c + row * ld] : a[row + c * ld]);
        }
        for (int q = TAKEN; q < there; ++q) {
            const int c = order[q], above = row < c;
            R[top + i + (q - TAKEN) * t_ld] =
                CONJUGATE_IF(HERMITIAN && above, above ? a[c + row * ld] : a[row + c * ld]);
        }
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
 * and (0, begin). T, R: see ldl_rows. `turn`: of the records that of the window at j.
 *
 * Group 0 has the rows and columns of the window at j; the next `exchanges` ones have TAKEN columns each before the
 * window before, the first of them its pivots; and the others a tile each of WINDOW x TAKEN elements below the window
 * at j, `tall` of them in a column of tiles.
 */
KERNEL WORK_GROUP(ITEMS, 1,
                  1) void ldl_step(GLOBAL ELEMENT *A, idx_t offset, idx_t ld, idx_t n, idx_t begin, idx_t j, idx_t end,
                                   int there, int take, int takes, GLOBAL ELEMENT *W, idx_t w_offset, idx_t w_ld,
                                   const GLOBAL ELEMENT *T, const GLOBAL ELEMENT *R, idx_t t_ld, GLOBAL ELEMENT *record,
                                   GLOBAL int *numbers, idx_t turn, GLOBAL ELEMENT *d, GLOBAL ELEMENT *e,
                                   GLOBAL idx_t *permutation, const GLOBAL idx_t *state, idx_t exchanges, idx_t tall) {
    LOCAL_ARRAY(ELEMENT, l, WINDOW * SLICE);
    LOCAL_ARRAY(ELEMENT, u, TAKEN * SLICE);
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
            put_rows(a, ld, T + j, t_ld, w, w_ld, n - j, failed);
            if (!failed) {
                update_tile(a, ld, R + j, t_ld, T + j, t_ld, w, w_ld, n - j, columns, l, u);
                update_tile(a + TAKEN * ld, ld, a + TAKEN * ld, ld, T + j, t_ld, w + TAKEN, w_ld, n - j,
                            columns - TAKEN, l, u);
            }
        }
        BARRIER();
        find_pivots(a, ld, n - j, takes, record + turn * RECORD, numbers + turn * NUMBERS, failed, l, block);
    } else if (group == 1) {
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
