/*
 * cholesky_batch.cl: the factors A = L L^H of many hermitian positive definite matrices of up to N rows, in one launch;
 * for real elements L^H is L^T.
 *
 * L lies tight, in order^2 elements a member; nothing is read or written above its diagonal. A may lie in the same
 * place: all of a member is read before anything of it is written. A member of numbers near an end of the range is
 * scaled first (direct_batch.clh); one of order < N has the identity behind it, whose steps change nothing.
 *
 * A member belongs to LX * PER work-items: item (x, q) has the rows x, x + LX, ... (HELD of them), and of each the
 * columns q, q + PER, ... (SLOTS) in private memory. Column k is in slot 0 when its step comes, because all slots move
 * down by one after PER steps, so that the compiler knows each index into the registers. With d = a(k, k):
 *
 *     the column's owners put it in local memory, element i at i - k, so that all read it by the same indices
 *     l(i, k) = a(i, k) / sqrt(d);  w(i) = l(i, k) / sqrt(d)
 *     a(i, j) = a(i, j) - w(i) conj(a(j, k))   for i, j > k
 *
 * One barrier a column, for which two columns take turns. Slots beyond the matrix are dropped after each PART of
 * them.
 *
 * Work-groups: LX * PER x LY, a member for each LOCAL_ID(1); one beyond the last runs along on a copy of the last and
 * writes nothing. Access: neighbouring work-items on neighbouring rows of a column. Local memory: LY * 2 ROOM elements,
 * LY * LX * PER ints and LY * N REALs.
 *
 * info[m]: 0; k > 0: the k-th leading minor, counted from 1, is not positive; -1: the triangle holds NaN or Inf. A
 * member with another info than 0 has no factor.
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

#include "direct_batch.clh"

#define CONJUGATE(a) CONJUGATE_IF(1, a)
#ifdef RAGGED
#define OWN_ORDER(m) ORDER_OF(m)
#else
#define OWN_ORDER(m) N
#endif

/* A member of one work-item waits for nobody, one of neighbours in step for these alone. */
#if LX * PER == 1
#define SYNC()
#elif defined(LANES) && LX * PER <= LANES
#define SYNC() LANES_SYNC()
#else
#define SYNC() LOCAL_BARRIER()
#endif

/* The place of element i of a column that lies from `base` on. */
#define PLACE(i) ((i) % PER * PITCH + (i) / PER)

/* Work-items see these of a member. */
#define IS_TINY_OR_HUGE 1
#define IS_SPOILT       2

/* The member's triangle. The diagonal counts as real. */
HELPER int load_rows(ELEMENT r[HELD][PITCH], int x, int q, int order, GLOBAL const ELEMENT *a, idx_t row, idx_t column,
                     int conjugate) {
    int seen = 0;
    (void)conjugate;
    UNROLL
    for (int h = 0; h < HELD; ++h) {
        const int i = x + h * LX;
        UNROLL
        for (int f = 0; f < PITCH; ++f) {
            const int j = f * PER + q;
            ELEMENT value = i == j && i < N ? ONE : ZERO;
            if (i < order && j <= i) value = CONJUGATE_IF(conjugate, a[i * row + j * column]);
#if CLS_COMPLEX
            if (i == j) value.y = 0;
#endif
            seen |= IS_BOUNDED(value) ? 0 : IS_SPOILT;
            r[h][f] = value;
        }
    }
    return seen;
}

/* The powers of S. */
HELPER int find_powers(int item, int order, GLOBAL const ELEMENT *a, idx_t step, LOCAL_PTR REAL *powers,
                       GLOBAL int *exponents, int mine) {
    int seen = 0;
    for (int i = item; i < order; i += LX * PER) {
        const REAL d = REAL_PART(a[i * step]);
        const int exponent = root_scale_of(d);
        seen |= is_extreme(d) ? IS_TINY_OR_HUGE : 0;
        powers[i] = ldexp((REAL)1, exponent);
        if (mine) exponents[i] = exponent;
    }
    return seen;
}

/* S A S; no factor is beyond the range, nor is an element of a positive definite matrix times one. */
HELPER void scale_rows(ELEMENT r[HELD][PITCH], int x, int q, int order, LOCAL_PTR const REAL *powers) {
    UNROLL
    for (int h = 0; h < HELD; ++h) {
        const int i = x + h * LX;
        UNROLL
        for (int f = 0; f < PITCH; ++f) {
            const int j = f * PER + q;
            if (i < order && j <= i) r[h][f] = BY_REAL(BY_REAL(r[h][f], powers[i]), powers[j]);
        }
    }
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
HELPER void take_out(ELEMENT r[HELD][PITCH], int part, int x, int q, int order, int base, int k, REAL d, REAL inverse,
                     LOCAL_PTR const ELEMENT *column, GLOBAL ELEMENT *l, int mine) {
    const REAL root = d * inverse;
    LOCAL_PTR const ELEMENT *const own = column + q * PITCH;
    UNROLL
    for (int h = 0; h < HELD; ++h) {
        const int i = x + h * LX, end = SLOTS - part * PART;
        const ELEMENT a = PER == 1 ? r[h][0] : i >= k && i < N ? column[PLACE(i - base)] : ZERO;
        const ELEMENT value = BY_REAL(a, inverse), w = BY_REAL(value, inverse);
        if (mine && q == k - base && i >= k && i < order) /* on the diagonal a step of Newton's for the root */
            l[i + k * order] = i == k ? FROM_REAL(root + (d - root * root) * inverse / 2) : value;
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

/* The lower triangle of A, or with `conjugate` its conjugate. */
KERNEL WORK_GROUP(LX *PER, LY, 1) void cholesky_batch(MEMBERS, GLOBAL const ELEMENT *A, VIEW_OF(a), GLOBAL ELEMENT *F,
                                                      GLOBAL int *rows, GLOBAL int *scales, GLOBAL int *info,
                                                      const int conjugate) {
    LOCAL_ARRAY(ELEMENT_PAIR, pairs, LY * ROOM); /* two columns a member */
    LOCAL_ARRAY(int, all_seen, LY *LX *PER);
    LOCAL_ARRAY(REAL, all_powers, LY * N);
    const int item = (int)LOCAL_ID(0), x = item % LX, q = item / LX, y = (int)LOCAL_ID(1);
    const idx_t wanted = GROUP_ID(0) * LY + y;
    const int mine = wanted < count;
    const idx_t m = MEMBER(mine ? wanted : count - 1);
    const int order = OWN_ORDER(m);
    LOCAL_PTR ELEMENT *const columns = (LOCAL_PTR ELEMENT *)(pairs + y * ROOM);
    LOCAL_PTR REAL *const powers = all_powers + y * N;
    GLOBAL const ELEMENT *const a = A + PLACE_OF(a, m);
    const idx_t down = STEP_OF(a, row, order), across = STEP_OF(a, column, order);
    GLOBAL ELEMENT *const l = F + FACTORS_OF(m);
    ELEMENT r[HELD][PITCH];
    int bad = 0, seen = 0; /* the first minor, counted from 1, that is not positive */
    MEMBERS_TAKEN;
    VIEW_TAKEN(a);

    seen = load_rows(r, x, q, order, a, down, across, conjugate) |
           find_powers(item, order, a, down + across, powers, rows + ROWS_OF(m), mine);
    all_seen[y * LX * PER + item] = seen;
    for (int at = item; at < 2 * ROOM; at += LX * PER) columns[at] = ZERO;
    BARRIER(); /* all of A is read, which may lie where L comes */
    for (int c = 0; c < LX * PER; ++c) seen |= all_seen[y * LX * PER + c];
    if (seen == IS_TINY_OR_HUGE) scale_rows(r, x, q, order, powers);

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
                    if (bad != 0) d = 1;
                    take_out(r, part, x, q, order, base, k, d, rsqrt(d), column, l, mine);
                }
            }
            move_down(r, part);
        }
    }
    if (mine && item == 0) {
        scales[m] = seen == IS_TINY_OR_HUGE;
        info[m] = seen & IS_SPOILT ? -1 : bad;
    }
}
