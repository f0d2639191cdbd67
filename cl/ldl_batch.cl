/*
 * ldl_batch.cl: the factors P^T A P = L D L^H of many hermitian or symmetric matrices of up to N rows, in one launch,
 * with pivots of 1 x 1 and 2 x 2. ^H is ^T for real elements, and with HERMITIAN 0.
 *
 * The factors lie tight, in order^2 elements a member: L, unit lower triangular, below the diagonal; D's diagonal on
 * it; and D(k + 1, k) at (k, k + 1), 0 where k is not the first row of a pivot of 2 x 2. L(k + 1, k) of such a pivot is
 * 0, and the rest above the diagonal is undefined. rows has the row of A_m that is row i of L. A may lie in the same
 * place: all of a member is read before anything of it is written. A member of numbers near an end of the range is
 * scaled first (direct_batch.clh).
 *
 * A member belongs to LX * PER work-items: item (r, part) has the rows r, r + LX, ... (HELD of them) of the whole
 * matrix, and of each EACH columns, in private memory. Each part has the diagonal too. Rows do not move. In a turn one
 * row comes to local memory, and all look at it:
 *
 *     1 x 1   the largest diagonal element p, if it is at least ALPHA times the largest other element of its row
 *     2 x 2   else from row p to the row of that largest element, until none is larger: rook pivoting (C. Ashcraft,
 *             R. G. Grimes, J. G. Lewis, SIAM J. Matrix Anal. Appl. 20 (1998), section 2.4)
 *
 * so no element of L exceeds 2.8. Rows and columns that have been pivots go on changing, and nobody looks at them.
 * Columns of L are written row by row of A; a last turn brings them into their order. Rows take turns in three places:
 * while one is published, others still read the two before. So a turn has one barrier where lanes run in step, and a
 * member's rows are those of a wave, which finds the largest element by exchanges. Elsewhere each work-item looks
 * through local memory, and a turn has two.
 *
 * Work-groups: LX * PER x LY, a member for each LOCAL_ID(1); one beyond the last runs along on a copy of the last and
 * writes nothing. LX is at most 32, and LY is 1 where a member has several waves. Access: neighbouring work-items on
 * neighbouring rows of a column. Local memory: LY * (3 ROOM + 2 N) elements and LY * LX * PER words, without lanes ROOM
 * elements more.
 *
 * info[m]: 0; k > 0: pivot k, counted from 1, is zero; -1: the triangle holds NaN or Inf.
 */
#ifndef N
#define N 8
#endif
#ifndef LX
#define LX 8
#endif
#ifndef PER
#define PER 1
#endif
#ifndef LY
#define LY 1
#endif
#define HELD  ((N + LX - 1) / LX)
#define EACH  (((N + PER - 1) / PER + 1) / 2 * 2) /* pairs are read */
#define ITEMS (LX * PER)
#define ROOM  (HELD * LX > PER * EACH ? HELD * LX : PER * EACH)
#define ALL   (0xffffffffu >> (32 - LX)) /* a bit for each of LX rows */

#include "direct_batch.clh"
#include "ldl_pivots.clh"

#ifdef RAGGED
#define OWN_ORDER(m) ORDER_OF(m)
#else
#define OWN_ORDER(m) N
#endif

/* The one of a work-item's rows with the largest key. */
typedef struct {
    unsigned key;
    int row;
} candidate_t;
HELPER candidate_t candidate_of(const ELEMENT values[HELD], const unsigned open[HELD], int r) {
    candidate_t best;
    best.key = 0;
    best.row = r;
    UNROLL
    for (int h = 0; h < HELD; ++h) {
        const unsigned key = open[h] >> r & 1 ? key_of(values[h]) : 0;
        if (key > best.key) {
            best.key = key;
            best.row = r + h * LX;
        }
    }
    return best;
}

/* The best of all of a member's rows: its candidates are `best`, values in local memory those of the same rows. */
#ifdef LANES
#define BEST_OF_MEMBER(best, values, open) best_of_member(best, base)
HELPER candidate_t best_of_member(candidate_t best, unsigned base) {
    candidate_t its;
    unsigned most = best.key;
#if LX == LANES
    most = LANES_MAX(most);
#else
    UNROLL
    for (int mask = LX / 2; mask > 0; mask /= 2) {
        const unsigned other = LANE_XOR(most, mask);
        most = other > most ? other : most;
    }
#endif
    const unsigned votes = LANES_VOTE(best.key == most) >> base & ALL;
    its.key = most;
    its.row = (int)LANES_GET((unsigned)best.row, base + HIGHEST_BIT(votes));
    return its;
}
#if ITEMS <= LANES
#define MEMBER_SYNC() LANES_SYNC()
#else
#define MEMBER_SYNC() BARRIER()
#endif
#else
#define BEST_OF_MEMBER(best, values, open) best_of_member(values, open)
HELPER candidate_t best_of_member(LOCAL_PTR const ELEMENT *values, const unsigned open[HELD]) {
    candidate_t best;
    best.key = 0;
    best.row = 0;
    for (int h = 0; h < HELD; ++h)
        for (int i = 0; i < LX; ++i) {
            const unsigned key = open[h] >> i & 1 ? key_of(values[i + h * LX]) : 0;
            if (key > best.key) {
                best.key = key;
                best.row = i + h * LX;
            }
        }
    return best;
}
#define MEMBER_SYNC()                      BARRIER()
#endif

/* The bits of rows without that of row p. */
HELPER unsigned without(unsigned rows, int h, int p) {
    return p / LX == h ? rows & ~(1u << p % LX) : rows;
}

/* EACH elements of a row lose l times those of a published one. */
INLINED void take_out(ELEMENT own[EACH], ELEMENT l, LOCAL_PTR const ELEMENT *row) {
    UNROLL
    for (int k = 0; k < EACH; k += 2) {
        const ELEMENT_PAIR u = *(LOCAL_PTR const ELEMENT_PAIR *)(row + k);
        own[k] = LESS_PRODUCT(own[k], l, u.x);
        own[k + 1] = LESS_PRODUCT(own[k + 1], l, u.y);
    }
}

/* The lower triangle of A, or with `conjugate` its conjugate. */
KERNEL WORK_GROUP(ITEMS, LY, 1) void ldl_batch(MEMBERS, GLOBAL const ELEMENT *A, VIEW_OF(a), GLOBAL ELEMENT *F,
                                               GLOBAL int *rows, GLOBAL int *scales, GLOBAL int *info,
                                               const int conjugate) {
    LOCAL_ARRAY(ELEMENT_PAIR, all_pairs, LY * 3 * ROOM / 2);
    LOCAL_ARRAY(ELEMENT, all_pivots, LY * 2 * N);
    LOCAL_ARRAY(unsigned, all_seen, LY *ITEMS);
#ifndef LANES
    LOCAL_ARRAY(ELEMENT, all_diagonals, LY * ROOM);
#endif
    const int item = (int)LOCAL_ID(0), r = item % LX, part = item / LX, y = (int)LOCAL_ID(1);
    const idx_t wanted = GROUP_ID(0) * LY + y;
    const int mine = wanted < count;
    const idx_t m = MEMBER(mine ? wanted : count - 1);
    const int order = OWN_ORDER(m);
    LOCAL_PTR ELEMENT *const published = (LOCAL_PTR ELEMENT *)(all_pairs + y * 3 * ROOM / 2);
    LOCAL_PTR ELEMENT *const of_d = all_pivots + y * 2 * N, *const of_e = of_d + N;
    LOCAL_PTR unsigned *const seen = all_seen + y * ITEMS;
    GLOBAL const ELEMENT *const a = A + PLACE_OF(a, m);
    const idx_t down = STEP_OF(a, row, order), across = STEP_OF(a, column, order);
    GLOBAL ELEMENT *const f = F + FACTORS_OF(m);
    GLOBAL int *const source = rows + ROWS_OF(m);
    ELEMENT own[HELD][EACH], d[HELD], before = ZERO; /* d: the diagonal elements of these rows; before: of row q */
    unsigned open[HELD], most = 0, largest = 0;      /* open: rows that are no pivots yet, a bit each */
    int place[HELD];                                 /* where the rows come in the factors */
    int t = 0, held = 0, looked = 0, q = 0, next = 0, turn = 0, zero = 0, is_broken = 0;
#ifdef LANES
    const unsigned base = (unsigned)(item + y * ITEMS) % LANES / LX * LX;
#else
    LOCAL_PTR ELEMENT *const diagonal = all_diagonals + y * ROOM;
#endif
    (void)conjugate;
    MEMBERS_TAKEN;
    VIEW_TAKEN(a);

    UNROLL
    for (int h = 0; h < HELD; ++h) {
        const int i = r + h * LX;
        UNROLL
        for (int k = 0; k < EACH; ++k) {
            const int c = part * EACH + k, later = i > c ? i : c, sooner = i > c ? c : i;
            ELEMENT x = ZERO;
            if (later < order) x = a[later * down + sooner * across];
            x = CONJUGATE_IF(conjugate != (HERMITIAN && c > i), x);
            if (c == i && HERMITIAN) x = FROM_REAL(REAL_PART(x));
            const unsigned bits = leading_of(x);
            most = bits > most ? bits : most;
            own[h][k] = x;
        }
        place[h] = 0;
        d[h] = ZERO;
        if (i < order) d[h] = a[i * (down + across)];
        if (HERMITIAN) d[h] = FROM_REAL(REAL_PART(d[h]));
    }
    seen[item] = most;
    for (int at = item; at < 3 * ROOM; at += ITEMS) published[at] = ZERO;
    BARRIER(); /* all of A is read, which may lie where the factors come */
    for (int c = 0; c < ITEMS; ++c) most = seen[c] > most ? seen[c] : most;
    const int scale = scale_for(most), is_spoilt = most >= NO_NUMBER, take = is_spoilt ? 0 : order;
    UNROLL
    for (int h = 0; h < HELD; ++h) {
        const int those = order - h * LX;
        open[h] = those >= LX ? ALL : those > 0 ? (1u << those) - 1 : 0;
        UNROLL
        for (int k = 0; k < EACH; ++k)
            if (scale != 0) own[h][k] = scaled_by(own[h][k], scale);
        if (scale != 0) d[h] = scaled_by(d[h], scale);
#ifndef LANES
        if (part == 0) diagonal[r + h * LX] = d[h];
#endif
    }
    LOCAL_BARRIER();

    /* A stage of 0: pivots are looked for; 1: the last turn. Members that are done wait for those of their group. */
    for (int stage = 0; stage < 2;) {
        LOCAL_PTR ELEMENT *const row = published + turn % 3 * ROOM;
        LOCAL_PTR const ELEMENT *const other = published + (turn + 2) % 3 * ROOM;
        const int works = t < take;
        int p = next;
        ELEMENT pivot = ZERO;
        if (stage == 0) {
            const candidate_t best = candidate_of(d, open, r), of_all = BEST_OF_MEMBER(best, diagonal, open);
            if (!held) p = of_all.row;
            (void)best;
#ifdef LANES
            ELEMENT its = d[0];
            UNROLL
            for (int h = 1; h < HELD; ++h) its = PICK(p / LX == h, d[h], its);
            pivot = LANES_GET_ELEMENT(its, base + (unsigned)p % LX);
#else
            pivot = diagonal[p];
#endif
            UNROLL
            for (int h = 0; h < HELD; ++h) {
                if (works && r + h * LX == p) {
                    UNROLL
                    for (int k = 0; k < EACH; ++k) row[part * EACH + k] = own[h][k];
                }
            }
        } else {
            UNROLL
            for (int h = 0; h < HELD; ++h) {
                UNROLL
                for (int k = 0; k < EACH; ++k) {
                    const int c = part * EACH + k;
                    if (mine && c < place[h]) own[h][k] = f[r + h * LX + c * order];
                }
            }
        }
        MEMBER_SYNC();
        if (stage == 0) {
            ELEMENT its[HELD]; /* this item's rows in the column of row p, or their conjugates */
            unsigned rest[HELD];
            UNROLL
            for (int h = 0; h < HELD; ++h) {
                its[h] = row[r + h * LX];
                rest[h] = without(open[h], h, p);
            }
            const candidate_t best = candidate_of(its, rest, r), of_all = BEST_OF_MEMBER(best, row, rest);
            const int alone = works && !held && (t + 1 == take || SIZE_1(pivot) >= ALPHA * size_of_key(of_all.key));
            const int two = works && held && (of_all.key <= largest || looked >= N);
            const int goes_on = works && !alone && !two;
            ELEMENT by_row[HELD], by_other[HELD]; /* what the two published rows are taken out times */
            (void)best;
            UNROLL
            for (int h = 0; h < HELD; ++h) by_row[h] = by_other[h] = ZERO;
            if (alone) {
                const int is_zero = IS_ZERO_ELEMENT(pivot), divides = IS_TO_DIVIDE(size_of(pivot));
                const divisor_t divisor = divisor_of(is_zero ? ONE : pivot, divides && !is_zero);
                UNROLL
                for (int h = 0; h < HELD; ++h) {
                    const int i = r + h * LX;
                    ELEMENT l = ZERO;
                    if (!is_zero && rest[h] >> r & 1) l = quotient_of(ADJOINT(its[h]), divisor, divides);
                    if (mine && t / EACH == part && i < order) f[i + t * order] = l;
                    by_row[h] = l;
                    if (i == p) place[h] = t;
                }
                if (item == 0) {
                    of_d[t] = pivot;
                    of_e[t] = ZERO;
                    if (mine) source[t] = p;
                }
                if (is_zero && zero == 0) zero = t + 1;
                is_broken |= !IS_BOUNDED(pivot);
                t += 1;
            }
            if (two) { /* rows q and p */
                /* As row q has it, where it was found to be the largest: row p may differ from it by rounding. */
                const ELEMENT between = ADJOINT(other[p]);
                const pair_t by = pair_of(before, between, pivot);
                UNROLL
                for (int h = 0; h < HELD; ++h) {
                    const int i = r + h * LX;
                    const ELEMENT of_q = other[i];
                    ELEMENT first = ZERO, second = ZERO;
                    rest[h] = without(rest[h], h, q);
                    if (rest[h] >> r & 1) {
                        first = first_of_row(ADJOINT(of_q), ADJOINT(its[h]), by);
                        second = second_of_row(ADJOINT(of_q), ADJOINT(its[h]), by);
                    }
                    if (mine && t / EACH == part && i < order) f[i + t * order] = first;
                    if (mine && (t + 1) / EACH == part && i < order) f[i + (t + 1) * order] = second;
                    d[h] = LESS_PRODUCT(d[h], first, of_q);
                    by_other[h] = first;
                    by_row[h] = second;
                    if (i == q) place[h] = t;
                    if (i == p) place[h] = t + 1;
                }
                if (item == 0) {
                    of_d[t] = before;
                    of_d[t + 1] = pivot;
                    of_e[t] = between;
                    of_e[t + 1] = ZERO;
                    if (mine) source[t] = q;
                    if (mine) source[t + 1] = p;
                }
                is_broken |= !IS_BOUNDED(before) || !IS_BOUNDED(between) || !IS_BOUNDED(pivot);
                t += 2;
            }
            if (alone || two) {
                UNROLL
                for (int h = 0; h < HELD; ++h) {
                    d[h] = LESS_PRODUCT(d[h], by_row[h], its[h]);
                    take_out(own[h], by_row[h], row + part * EACH);
                    open[h] = rest[h];
                }
            }
            if (two) { /* apart, because both rows at once would take half as many registers more */
                UNROLL
                for (int h = 0; h < HELD; ++h) take_out(own[h], by_other[h], other + part * EACH);
            }
            if (goes_on) {
                next = of_all.row;
                before = pivot;
                largest = of_all.key;
                q = p;
            }
            held = goes_on;
            looked = goes_on ? looked + 1 : 0;
            UNROLL
            for (int h = 0; h < HELD; ++h) {
                if (HERMITIAN) d[h] = FROM_REAL(REAL_PART(d[h]));
            }
        } else {
            UNROLL
            for (int h = 0; h < HELD; ++h) {
                const int i = r + h * LX, is_written = mine && !is_spoilt && i < order;
                UNROLL
                for (int k = 0; k < EACH; ++k) {
                    const int c = part * EACH + k;
                    if (is_written && c < order && c <= place[h] + 1) {
                        ELEMENT x = own[h][k];
                        if (c == place[h]) x = of_d[c];
                        if (c == place[h] + 1) x = of_e[c - 1];
                        f[place[h] + c * order] = x;
                    }
                }
                if (mine && is_spoilt && part == 0 && i < order) source[i] = i; /* a solve reads rows by it */
            }
            if (mine && item == 0) {
                scales[m] = 2 * scale;
                info[m] = is_spoilt || is_broken ? -1 : zero;
            }
        }
        ++turn;
#if defined(LANES) && ITEMS <= LANES
        const int goes = LANES_VOTE(t < take) != 0;
#elif LY == 1
        const int goes = t < take;
#else
        if (item == 0) seen[0] = t < take;
#endif
#ifndef LANES
        UNROLL
        for (int h = 0; h < HELD; ++h)
            if (part == 0) diagonal[r + h * LX] = d[h];
        LOCAL_BARRIER();
#endif
#if !(defined(LANES) && ITEMS <= LANES) && LY > 1
        unsigned goes = 0;
        for (int g = 0; g < LY; ++g) goes |= all_seen[g * ITEMS];
#endif
        stage = stage == 1 ? 2 : goes ? 0 : 1;
    }
}
