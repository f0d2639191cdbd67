/*
 * front_solve.cl: substitution in the fronts of a level, for the right-hand sides of a matrix X in positions (column r
 * from r * ldx on).
 *
 *   front_up     from the leaves to the roots, with the first triangle: a front adds what its children leave it, in
 *                their order, takes its rows in the order of the pivots, solves, and leaves in `left` what its border
 *                is to lose:
 *                x1 = T^-1 P x1,  left = sum of the children's - M^T x1
 *   front_down   from the roots to the leaves, with the second one: x1 = T^-1 (x1 - M x2), x2 the rows of the border
 *
 *                 front_up                   front_down
 *   A             T = L11, M = LOW           T = U11, M = UP
 *   A^T           T = U11^T, M = UP          T = L11^T, M = LOW; then the rows go back to where they were
 *   Cholesky      T = L11, M = conj(LOW)     T = L11^H, M = LOW
 *   L D L^H       T = L11, M = conj(LOW)     T = L11^H, M = LOW; x1 is multiplied by D^-1 first, and then the rows go
 *                                            back to where they were
 *   L D L^T       T = L11, M = LOW           T = L11^T, M = LOW; likewise
 *
 * With `apart` both leave out what concerns the border, front_up the children, and front_down D: the kernels below do
 * that.
 *
 * For wider fronts, by several work-groups each:
 *
 *   front_children   what the children leave, CHUNK rows of a front a group; dimension 0 over chunks and right-hand
 *                    sides, dimension 1 over fronts
 *   front_rows       `way` ROWS_OF_BORDER: the rows of the border go to `left`; TO_PIVOTS: the front's own come into
 *                    the order of the pivots; FROM_PIVOTS: and back; BY_INVERSE: they are multiplied by D^-1
 *   front_apply      a block of the front, or the inverse of a triangle of PIVOT (front_inverse.cl), times a vector;
 *                    TALL results a group, dimension 0 over these and right-hand sides, dimension 1 over fronts
 *
 * KERNELS: which of them a program has: 1 front_up and front_down, 2 the other three, 3 all.
 *
 * Work-groups: LS work-items; of the others a front and a right-hand side each: dimension 0 over fronts, dimension 1
 * over right-hand sides. Access: neighbours on neighbouring rows of a column of T and M. Local memory: ROOM elements
 * for x1, fronts up to that many rows, and W + LS elements. Fronts of front_up have been through front_invert.
 */
#ifndef LS
#define LS 64
#endif
#ifndef W /* of front_invert (front_inverse.cl) */
#define W 32
#endif
#ifndef ROOM
#define ROOM 256
#endif
#ifndef CHUNK
#define CHUNK 256
#endif
#ifndef KERNELS
#define KERNELS 3
#endif
#define TALL 16 /* along a column; of front_down too */
#define SETS (LS / TALL)

/* ways of front_rows */
#define ROWS_OF_BORDER 0
#define TO_PIVOTS      1
#define FROM_PIVOTS    2
#define BY_INVERSE     3

/* parts of front_apply: the block (PIVOT where it is neither UP nor LOW), and what is done with it */
#define OF_UP      1
#define OF_LOW     2
#define TRANSPOSED 4
#define CONJUGATED 8
#define TRIANGLE_L 16 /* of PIVOT, without it U */
#define UNIT       32
#define BY_ORDER   64  /* x is taken in the order of the pivots */
#define TO_ORDER   128 /* the result goes back from there */
#define LESS       256 /* the result is subtracted */

#include "front.clh"

/* The sum of all SETS, or of all lanes: of `count` values `apart` from each other. */
HELPER ELEMENT sum_of(LOCAL_PTR const ELEMENT *values, int count, int apart) {
    ELEMENT sum = values[0];
    for (int k = 1; k < count; ++k) ADD(sum, values[k * apart]);
    return sum;
}

#if KERNELS & 1

/*
 * x becomes T^-1 x, for T whose blocks of W columns on the diagonal are there as inverses. Element (i, c) of T is
 * t[i * down + c * across]. A block of x goes through y, so that no work-item reads what another one writes.
 */
HELPER void triangle(LOCAL_PTR ELEMENT *x, LOCAL_PTR ELEMENT *y, LOCAL_PTR ELEMENT *parts, GLOBAL const ELEMENT *t,
                     idx_t down, idx_t across, int f, int unit, int back, int conjugate, int lid) {
    const int blocks = (f + W - 1) / W, i = lid % W, part = lid / W;
    (void)conjugate;
    for (int step = 0; step < blocks; ++step) {
        const int k = (back ? blocks - 1 - step : step) * W, w = f - k < W ? f - k : W;
        const int begin = back ? i + unit : 0, end = i < w ? (back ? w : i + 1 - unit) : 0;
        ELEMENT sum = ZERO;
        UNROLL_SOME
        for (int c = begin + part; c < end; c += LS / W)
            ADD_PRODUCT(sum, CONJUGATE_IF(conjugate, t[(k + i) * down + (k + c) * across]), x[k + c]);
        parts[lid] = sum;
        LOCAL_BARRIER();
        if (lid < w) {
            sum = sum_of(parts + lid, LS / W, W);
            if (unit) ADD(sum, x[k + lid]);
            y[lid] = sum;
        }
        LOCAL_BARRIER();
        if (lid < w) x[k + lid] = y[lid];
        for (int r = (back ? 0 : k + w) + lid; r < (back ? k : f); r += LS) {
            sum = x[r];
            UNROLL_SOME
            for (int c = 0; c < w; ++c)
                SUBTRACT_PRODUCT(sum, CONJUGATE_IF(conjugate, t[r * down + (k + c) * across]), y[c]);
            x[r] = sum;
        }
        LOCAL_BARRIER();
    }
}

/* Adds what the children of front s leave to its rows, `own`, and to those of its border, which begin as zeros. */
HELPER void add_children(GLOBAL const idx_t *fronts, idx_t s, GLOBAL const int *children, GLOBAL const int *relative,
                         GLOBAL ELEMENT *own, GLOBAL ELEMENT *left, int lid) {
    const int f = (int)FRONT(s, F_PIVOTS), b = (int)FRONT(s, F_BORDER);
    const idx_t child = FRONT(s, F_CHILD), count = FRONT(s, F_CHILDREN);
    GLOBAL ELEMENT *const border = left + FRONT(s, F_RELATIVE);
    for (int i = lid; i < b; i += LS) border[i] = ZERO;
    BARRIER();
    for (idx_t c = child; c < child + count; ++c) {
        const idx_t of = children[c], begin = FRONT(of, F_RELATIVE);
        const int size = (int)FRONT(of, F_BORDER);
        for (int p = lid; p < size; p += LS) {
            const int i = relative[begin + p];
            if (i < f)
                ADD(own[i], left[begin + p]);
            else
                ADD(border[i - f], left[begin + p]);
        }
        BARRIER();
    }
}

KERNEL WORK_GROUP(LS, 1, 1) void front_up(GLOBAL const idx_t *RESTRICT fronts, GLOBAL const int *RESTRICT list,
                                          idx_t from, int transposed, int apart, GLOBAL const int *RESTRICT children,
                                          GLOBAL const int *RESTRICT relative, GLOBAL const int *RESTRICT order,
                                          GLOBAL const ELEMENT *RESTRICT arena, GLOBAL ELEMENT *X, idx_t ldx,
                                          GLOBAL ELEMENT *left, idx_t ldl) {
    LOCAL_ARRAY(ELEMENT, x, ROOM);
    LOCAL_ARRAY(ELEMENT, y, W);
    LOCAL_ARRAY(ELEMENT, parts, LS);
    const idx_t s = list[from + GROUP_ID(0)], first = FRONT(s, F_FIRST), side = GROUP_ID(1), ld = FRONT(s, F_LD);
    const int f = (int)FRONT(s, F_PIVOTS), b = (int)FRONT(s, F_BORDER), lid = (int)LOCAL_ID(0);
    GLOBAL ELEMENT *const own = X + side * ldx + first;
    GLOBAL ELEMENT *const border = left + side * ldl + FRONT(s, F_RELATIVE);
    GLOBAL const ELEMENT *const t = arena + FRONT(s, F_PIVOT);
    GLOBAL const ELEMENT *const m = arena + (transposed ? FRONT(s, F_UP) : FRONT(s, F_LOW));
    if (!apart) add_children(fronts, s, children, relative, own, left + side * ldl, lid);
    for (int i = lid; i < f; i += LS) x[i] = own[transposed || !has_unit() ? i : order[first + i]];
    BARRIER();
    triangle(x, y, parts, t, transposed ? ld : 1, transposed ? 1 : ld, f, !transposed && has_unit(), 0, 0, lid);
    for (int i = lid; i < f; i += LS) own[i] = x[i];
    LOCAL_BARRIER();
    const int columns = apart ? 0 : b;
    for (int j = lid; j < columns; j += LS) { /* a column each: its elements follow each other */
        GLOBAL const ELEMENT *const column = m + j * ld;
        ELEMENT sum = border[j];
        UNROLL_SOME
        for (int k = 0; k < f; ++k) SUBTRACT_PRODUCT(sum, CONJUGATE_IF(conjugating(), column[k]), x[k]);
        border[j] = sum;
    }
}

KERNEL WORK_GROUP(LS, 1, 1) void front_down(GLOBAL const idx_t *RESTRICT fronts, GLOBAL const int *RESTRICT list,
                                            idx_t from, int transposed, int apart, GLOBAL const int *RESTRICT border,
                                            GLOBAL const int *RESTRICT order, GLOBAL const ELEMENT *RESTRICT arena,
                                            GLOBAL ELEMENT *X, idx_t ldx, GLOBAL ELEMENT *left, idx_t ldl USES_D) {
    LOCAL_ARRAY(ELEMENT, x, ROOM);
    LOCAL_ARRAY(ELEMENT, y, W);
    LOCAL_ARRAY(ELEMENT, parts, LS);
    const idx_t s = list[from + GROUP_ID(0)], first = FRONT(s, F_FIRST), side = GROUP_ID(1), ld = FRONT(s, F_LD);
    const int f = (int)FRONT(s, F_PIVOTS), b = apart ? 0 : (int)FRONT(s, F_BORDER), lid = (int)LOCAL_ID(0);
    const int lane = lid % TALL, set = lid / TALL, low = transposed || one_sided();
    GLOBAL ELEMENT *const all = X + side * ldx;
    GLOBAL ELEMENT *const own = all + first;
    GLOBAL ELEMENT *const rows = left + side * ldl + FRONT(s, F_RELATIVE);
    GLOBAL const int *const at = border + FRONT(s, F_RELATIVE);
    GLOBAL const ELEMENT *const t = arena + FRONT(s, F_PIVOT);
    GLOBAL const ELEMENT *const m = arena + (low ? FRONT(s, F_LOW) : FRONT(s, F_UP));
    for (int j = lid; j < b; j += LS) rows[j] = all[at[j]];
    BARRIER();
    for (int i0 = 0; i0 < f; i0 += TALL) {
        const int i = i0 + lane;
        const int end = i < f ? b : 0;
        ELEMENT sum = ZERO;
        UNROLL_SOME
        for (int j = set; j < end; j += SETS) ADD_PRODUCT(sum, m[i + j * ld], rows[j]);
        LOCAL_BARRIER();
        parts[lid] = sum;
        LOCAL_BARRIER();
        if (set == 0 && i < f) {
            ELEMENT value = own[i];
#if LDL
            const idx_t position = first + i;
            if (!apart) D_TIMES(value, blocks + position * OF_BLOCK + OF_INVERSE, PAIR(position), own, i, 1)
#endif
            x[i] = MINUS(value, sum_of(parts + lane, SETS, TALL));
        }
    }
    BARRIER();
    triangle(x, y, parts, t, low ? ld : 1, low ? 1 : ld, f, low && has_unit(), 1, conjugating(), lid);
    for (int i = lid; i < f; i += LS) own[low && has_unit() ? order[first + i] : i] = x[i];
}

#endif
#if KERNELS & 2

KERNEL WORK_GROUP(LS, 1, 1) void front_children(GLOBAL const idx_t *RESTRICT fronts, GLOBAL const int *RESTRICT list,
                                                idx_t from, int chunks, GLOBAL const int *RESTRICT children,
                                                GLOBAL const int *RESTRICT relative, GLOBAL ELEMENT *X, idx_t ldx,
                                                GLOBAL ELEMENT *left, idx_t ldl) {
    LOCAL_ARRAY(int, bounds, 2);
    const idx_t s = list[from + GROUP_ID(1)], side = GROUP_ID(0) / chunks;
    const int f = (int)FRONT(s, F_PIVOTS), b = (int)FRONT(s, F_BORDER), lid = (int)LOCAL_ID(0);
    const int top = (int)(GROUP_ID(0) % chunks) * CHUNK, bottom = top + CHUNK < f + b ? top + CHUNK : f + b;
    const idx_t child = FRONT(s, F_CHILD), count = FRONT(s, F_CHILDREN);
    GLOBAL ELEMENT *const own = X + side * ldx + FRONT(s, F_FIRST);
    GLOBAL ELEMENT *const lefts = left + side * ldl;
    GLOBAL ELEMENT *const border = lefts + FRONT(s, F_RELATIVE);
    if (top >= bottom) return;
    for (int i = (top > f ? top : f) + lid; i < bottom; i += LS) border[i - f] = ZERO;
    for (idx_t c = child; c < child + count; ++c) {
        const idx_t of = children[c], begin = FRONT(of, F_RELATIVE);
        BARRIER(); /* what the child before has added is there, and before that the zeros */
        if (lid < 2) bounds[lid] = first_from(relative + begin, (int)FRONT(of, F_BORDER), lid == 0 ? top : bottom);
        LOCAL_BARRIER();
        for (int p = bounds[0] + lid; p < bounds[1]; p += LS) {
            const int i = relative[begin + p];
            if (i < f)
                ADD(own[i], lefts[begin + p]);
            else
                ADD(border[i - f], lefts[begin + p]);
        }
    }
}

KERNEL WORK_GROUP(LS, 1, 1) void front_rows(GLOBAL const idx_t *RESTRICT fronts, GLOBAL const int *RESTRICT list,
                                            idx_t from, int way, GLOBAL const int *RESTRICT border,
                                            GLOBAL const int *RESTRICT order, GLOBAL ELEMENT *X, idx_t ldx,
                                            GLOBAL ELEMENT *other, GLOBAL ELEMENT *left, idx_t ldl USES_D) {
    const idx_t s = list[from + GROUP_ID(0)], first = FRONT(s, F_FIRST), side = GROUP_ID(1);
    const int f = way == ROWS_OF_BORDER ? 0 : (int)FRONT(s, F_PIVOTS), lid = (int)LOCAL_ID(0);
    const int b = way == ROWS_OF_BORDER ? (int)FRONT(s, F_BORDER) : 0;
    GLOBAL ELEMENT *const all = X + side * ldx;
    GLOBAL ELEMENT *const own = all + first;
    GLOBAL ELEMENT *const moved = other + side * ldx + first;
    for (int j = lid; j < b; j += LS)
        left[side * ldl + FRONT(s, F_RELATIVE) + j] = all[border[FRONT(s, F_RELATIVE) + j]];
    for (int i = lid; i < f; i += LS) {
        const int with = order[first + i];
#if LDL
        const idx_t position = first + i;
        if (way == BY_INVERSE)
            D_TIMES(moved[i], blocks + position * OF_BLOCK + OF_INVERSE, PAIR(position), own, i, 1)
        else
#endif
            if (way == TO_PIVOTS)
            moved[i] = own[with];
        else
            moved[with] = own[i];
    }
    BARRIER();
    for (int i = lid; i < f; i += LS) own[i] = moved[i];
}

/* Vectors: of the front's own rows from F_FIRST on, of its border from F_RELATIVE on; ldx and ldy from side to side. */
KERNEL WORK_GROUP(LS, 1, 1) void front_apply(GLOBAL const idx_t *RESTRICT fronts, GLOBAL const int *RESTRICT list,
                                             idx_t from, int parts, int groups, GLOBAL const int *RESTRICT order,
                                             GLOBAL const ELEMENT *RESTRICT arena, GLOBAL const ELEMENT *RESTRICT X,
                                             idx_t ldx, GLOBAL ELEMENT *Y, idx_t ldy) {
    LOCAL_ARRAY(ELEMENT, values, LS);
    const idx_t s = list[from + GROUP_ID(1)], side = GROUP_ID(0) / groups, ld = FRONT(s, F_LD);
    const int f = (int)FRONT(s, F_PIVOTS), b = (int)FRONT(s, F_BORDER), lid = (int)LOCAL_ID(0);
    const int turned = (parts & TRANSPOSED) != 0, conjugated = (parts & CONJUGATED) != 0;
    const int of_pivot = !(parts & (OF_UP | OF_LOW)), unit = (parts & UNIT) != 0;
    /* A block has f rows and b columns, so its product has f or b. */
    const int count = of_pivot || !turned ? f : b, all = of_pivot || turned ? f : b;
    const int lane = lid % TALL, set = lid / TALL, part = turned ? lane : set;
    const int i = (int)(GROUP_ID(0) % groups) * TALL + (turned ? set : lane);
    GLOBAL const ELEMENT *const t = arena + (of_pivot         ? FRONT(s, F_PIVOT)
                                             : parts & OF_LOW ? FRONT(s, F_LOW)
                                                              : FRONT(s, F_UP));
    GLOBAL const ELEMENT *const x = X + side * ldx + (of_pivot || turned ? FRONT(s, F_FIRST) : FRONT(s, F_RELATIVE));
    GLOBAL ELEMENT *const y = Y + side * ldy + (of_pivot || !turned ? FRONT(s, F_FIRST) : FRONT(s, F_RELATIVE));
    GLOBAL const int *const rows = order + FRONT(s, F_FIRST);
    const int steps = turned ? TALL : SETS;
    int begin = 0, end = i < count ? all : 0;
    (void)conjugated;
    if ((GROUP_ID(0) % groups) * TALL >= count) return;
    if (of_pivot && i < count) {
        if (((parts & TRIANGLE_L) != 0) != turned)
            end = i + 1 - unit;
        else
            begin = i + unit;
    }
    ELEMENT sum = ZERO;
    UNROLL_SOME
    for (int c = begin + part; c < end; c += steps) {
        const ELEMENT value = CONJUGATE_IF(conjugated, t[turned ? c + i * ld : i + c * ld]);
        ADD_PRODUCT(sum, value, x[parts & BY_ORDER ? rows[c] : c]);
    }
    values[lid] = sum;
    LOCAL_BARRIER();
    if (part == 0 && i < count) {
        sum = turned ? sum_of(values + lid, TALL, 1) : sum_of(values + lid, SETS, TALL);
        if (unit) ADD(sum, x[parts & BY_ORDER ? rows[i] : i]);
        const int to = parts & TO_ORDER ? rows[i] : i;
        y[to] = parts & LESS ? MINUS(y[to], sum) : sum;
    }
}

#endif
