/*
 * cholesky_batch.cl: the factors A = L L^H of many small hermitian positive definite matrices. For real elements L^H
 * is L^T.
 *
 *   cholesky_batch_factor   L of each member, from one triangle of it; an info
 *   cholesky_batch_out      L or L^H to where the caller wants it, one triangle
 *
 * L lies tight, N^2 elements a member, element (i, k) at i + k N; nothing is read or written above its diagonal. A may
 * lie in the same place: all of a member is read before anything of it is written.
 *
 * cholesky_batch_factor. A member belongs to LX * PER work-items: item (x, q) has the rows x, x + LX, ... (HELD of
 * them), and of each the columns q, q + PER, ... (SLOTS) in private memory. Column k is in slot 0 when its step comes,
 * because all slots move down by one after PER steps, so that the compiler knows each index into the registers. With d
 * = a(k, k):
 *
 *     the column's owners put it in local memory, element i at i - k, so that all read it by the same indices
 *     l(i, k) = a(i, k) / sqrt(d);  w(i) = l(i, k) / sqrt(d)
 *     a(i, j) = a(i, j) - w(i) conj(a(j, k))   for i, j > k
 *
 * One barrier a column, for which two columns take turns. Slots beyond the matrix are dropped after each PART of
 * them. w leaves the range of the type only where two elements of the diagonal are as far apart as the type's ends
 * squared.
 *
 * Work-groups: LX * PER (for _out LX) x LY, a member for each LOCAL_ID(1); one beyond the last runs along on a copy of
 * the last and writes nothing. Access: neighbouring work-items on neighbouring rows of a column. Local memory:
 * LY * 2 ROOM elements and LY * LX * PER words.
 *
 * info[m]: 0; k > 0: the k-th leading minor, counted from 1, is not positive; -1: the triangle holds NaN or Inf; AGAIN:
 * a pivot was tiny, and the host does the member once more, scaled (batch_again.c). A member with another info than 0
 * has no factor.
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
#define SLOTS ((N + PER - 1) / PER)
#define PART  8
#define PARTS ((SLOTS + PART - 1) / PART)
#define PITCH ((SLOTS + 1) / 2 * 2) /* pairs are read */
#define ROOM  (PER * PITCH)

#include "cholesky_member.clh"

/* The place of element i of a column that lies from `base` on. */
#define PLACE(i) ((i) % PER * PITCH + (i) / PER)

/* The member's triangle; returns whether it holds NaN or Inf. The diagonal counts as real. */
HELPER int load_rows(ELEMENT r[HELD][PITCH], int x, int q, GLOBAL const ELEMENT *a, idx_t row, idx_t column,
                     int conjugate) {
    int bad = 0;
    (void)conjugate;
    UNROLL
    for (int h = 0; h < HELD; ++h) {
        const int i = x + h * LX;
        UNROLL
        for (int f = 0; f < PITCH; ++f) {
            const int j = f * PER + q;
            r[h][f] = i < N && j <= i ? CONJUGATE_IF(conjugate, a[i * row + j * column]) : ZERO;
#if CLS_COMPLEX
            if (i == j) r[h][f].y = 0;
#endif
            bad |= !IS_BOUNDED(r[h][f]);
        }
    }
    return bad;
}

/* Column k, which its owners have in slot 0, to all. */
HELPER void give_column(ELEMENT r[HELD][PITCH], int x, int base, int k, LOCAL_PTR ELEMENT *column) {
    UNROLL
    for (int h = 0; h < HELD; ++h) {
        const int i = x + h * LX;
        if (i >= k && i < N) column[PLACE(i - base)] = r[h][0];
    }
}

/* Step k takes column k out of the later ones; its owners, q of them, store it as a column of L, `l`, where it is
 * `mine`. */
HELPER void take_out(ELEMENT r[HELD][PITCH], int part, int x, int q, int base, int k, REAL d, REAL inverse,
                     LOCAL_PTR const ELEMENT *column, GLOBAL ELEMENT *l, int mine) {
    const REAL root = d * inverse;
    LOCAL_PTR const ELEMENT *const own = column + q * PITCH;
    UNROLL
    for (int h = 0; h < HELD; ++h) {
        const int i = x + h * LX, end = SLOTS - part * PART;
        const ELEMENT a = PER == 1 ? r[h][0] : i >= k && i < N ? column[PLACE(i - base)] : ZERO;
        const ELEMENT value = BY_REAL(a, inverse), w = BY_REAL(value, inverse);
        if (mine && q == k - base && i >= k && i < N) /* on the diagonal a step of Newton's for the root */
            l[i + k * N] = i == k ? FROM_REAL(root + (d - root * root) * inverse / 2) : value;
        if (q > k - base) r[h][0] = LESS_PRODUCT(r[h][0], w, CONJUGATE(own[0]));
        if (1 < end) r[h][1] = LESS_PRODUCT(r[h][1], w, CONJUGATE(own[1]));
        UNROLL
        for (int f = 2; f < end; f += 2) {
            const ELEMENT_PAIR u = *(LOCAL_PTR const ELEMENT_PAIR *)(own + f);
            r[h][f] = LESS_PRODUCT(r[h][f], w, CONJUGATE(u.x));
            if (f + 1 < end) r[h][f + 1] = LESS_PRODUCT(r[h][f + 1], w, CONJUGATE(u.y));
        }
    }
}

/* Slot 0 is done with in all rows. */
HELPER void move_down(ELEMENT r[HELD][PITCH], int part) {
    UNROLL
    for (int h = 0; h < HELD; ++h) {
        UNROLL
        for (int f = 1; f < SLOTS - part * PART; ++f) r[h][f - 1] = r[h][f];
    }
}

/* A from `offset` on, element (i, j) of member m at m * a_member + i * a_row + j * a_column, conjugated with
 * `conjugate`. */
KERNEL WORK_GROUP(LX *PER, LY, 1) void cholesky_batch_factor(GLOBAL const ELEMENT *A, idx_t offset, idx_t a_row,
                                                             idx_t a_column, idx_t a_member, int conjugate,
                                                             GLOBAL ELEMENT *L, idx_t count, GLOBAL int *info) {
    LOCAL_ARRAY(ELEMENT_PAIR, pairs, LY * ROOM); /* two columns a member */
    LOCAL_ARRAY(int, spoilt, LY *LX *PER);
    const int item = (int)LOCAL_ID(0), x = item % LX, q = item / LX, y = (int)LOCAL_ID(1);
    const idx_t wanted = GROUP_ID(0) * LY + y;
    const int mine = wanted < count;
    const idx_t member = mine ? wanted : count - 1;
    LOCAL_PTR ELEMENT *const columns = (LOCAL_PTR ELEMENT *)(pairs + y * ROOM);
    GLOBAL ELEMENT *const l = L + member * (N * N);
    ELEMENT r[HELD][PITCH];
    int bad = 0, tiny = 0; /* the first minor, counted from 1, that is not positive; was a pivot before it tiny? */

    spoilt[y * LX * PER + item] = load_rows(r, x, q, A + offset + member * a_member, a_row, a_column, conjugate);
    for (int at = item; at < 2 * ROOM; at += LX * PER) columns[at] = ZERO;
    BARRIER(); /* all of A is read, which may lie where L comes */
    const int spoils = any_of(spoilt + y * LX * PER, LX * PER);

    UNROLL
    for (int part = 0; part < PARTS; ++part) {
#pragma unroll 1
        for (int s = 0; s < PART; ++s) {
            const int base = (part * PART + s) * PER;
            if (base >= N) break;
            UNROLL
            for (int c = 0; c < PER; ++c) {
                const int k = base + c;
                if (k < N) { /* the same for all */
                    LOCAL_PTR ELEMENT *const column = columns + k % 2 * ROOM;
                    if (q == c) give_column(r, x, base, k, column);
                    SYNC();
                    REAL d = REAL_PART(column[PLACE(c)]);
                    if (!(d > 0) && bad == 0) bad = k + 1; /* NaN too */
                    if (d < TINY && bad == 0) tiny = 1;
                    if (bad != 0) d = 1;
                    take_out(r, part, x, q, base, k, d, rsqrt(d), column, l, mine);
                }
            }
            move_down(r, part);
        }
    }
    if (mine && item == 0) info[member] = spoils ? -1 : tiny ? AGAIN : bad;
}

/* F from `offset` on, as B above: L where `lower`, else L^H. */
KERNEL WORK_GROUP(LX, LY, 1) void cholesky_batch_out(GLOBAL const ELEMENT *L, GLOBAL ELEMENT *F, idx_t offset,
                                                     idx_t f_row, idx_t f_column, idx_t f_member, int lower,
                                                     idx_t count, GLOBAL const int *info) {
    const idx_t member = GROUP_ID(0) * LY + LOCAL_ID(1);
    if (member >= count || info[member] != 0) return;
    GLOBAL const ELEMENT *const l = L + member * (N * N);
    GLOBAL ELEMENT *const f = F + offset + member * f_member;
    for (idx_t k = 0; k < N; ++k)
        for (idx_t i = LOCAL_ID(0); i < N; i += LX)
            if (i >= k)
                f[lower ? i * f_row + k * f_column : k * f_row + i * f_column] = CONJUGATE_IF(!lower, l[i + k * N]);
}
