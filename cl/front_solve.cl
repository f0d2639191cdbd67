/*
 * front_solve.cl: substitution in the fronts of a level, for the right-hand sides of a matrix X in positions (column r from
 * r * ldx on).
 *
 *   front_up     from the leaves to the roots, with the first triangle: a front adds what its children leave it, in their
 *                order, takes its rows in the order of the pivots, solves, and leaves in `left` what its border is to lose:
 *                x1 = T^-1 P x1,  left = sum of the children's - M^T x1
 *   front_down   from the roots to the leaves, with the second one: x1 = T^-1 (x1 - M x2), x2 the rows of the border
 *
 *                 front_up                   front_down
 *   A             T = L11, M = LOW           T = U11, M = UP
 *   A^T           T = U11^T, M = UP          T = L11^T, M = LOW; then the rows go back to where they were
 *   Cholesky      T = L11, M = conj(LOW)     T = L11^H, M = LOW
 *
 * For large fronts, which products of dense matrices solve for:
 *
 *   front_children   what the children leave, and the order of the rows
 *   front_rows       `back` 0: the rows of the border go to `left`; 1: the front's own go back to where they were
 *
 * Work-groups: LS work-items, a front and a right-hand side each: dimension 0 over fronts, dimension 1 over right-hand
 * sides. Access: neighbours on neighbouring rows of a column of T and M. Local memory: ROOM elements for x1, fronts up
 * to that many rows, and W + LS elements. Fronts that are solved for here have been through front_invert.
 */
#ifndef LS
#define LS 64
#endif
#ifndef W /* of front_invert (front_right.cl) */
#define W 32
#endif
#ifndef ROOM
#define ROOM 256
#endif
#define LANES_OF_ROWS 16 /* of a work-group, along a column */
#define SETS          (LS / LANES_OF_ROWS)

#include "front.clh"

/* The sum of all SETS, or of all lanes: of `count` values `apart` from each other. */
HELPER ELEMENT sum_of(LOCAL_PTR const ELEMENT *values, int count, int apart) {
    ELEMENT sum = values[0];
    for (int k = 1; k < count; ++k) ADD(sum, values[k * apart]);
    return sum;
}

/*
 * x becomes T^-1 x, for T whose blocks of W columns on the diagonal are there as inverses. Element (i, c) of T is
 * t[i * down + c * across]. A block of x goes through y, so that no work-item reads what another one writes.
 */
HELPER void triangle(LOCAL_PTR ELEMENT *x, LOCAL_PTR ELEMENT *y, GLOBAL const ELEMENT *t, idx_t down, idx_t across,
                     int f, int unit, int back, int conjugate, int lid) {
    const int blocks = (f + W - 1) / W;
    (void)conjugate;
    for (int step = 0; step < blocks; ++step) {
        const int k = (back ? blocks - 1 - step : step) * W, w = f - k < W ? f - k : W;
        for (int i = lid; i < w; i += LS) {
            ELEMENT sum = unit ? x[k + i] : ZERO;
            const int begin = back ? i + unit : 0, end = back ? w : i + 1 - unit;
            for (int c = begin; c < end; ++c)
                ADD_PRODUCT(sum, CONJUGATE_IF(conjugate, t[(k + i) * down + (k + c) * across]), x[k + c]);
            y[i] = sum;
        }
        LOCAL_BARRIER();
        for (int i = lid; i < w; i += LS) x[k + i] = y[i];
        for (int i = (back ? 0 : k + w) + lid; i < (back ? k : f); i += LS) {
            ELEMENT sum = x[i];
            for (int c = 0; c < w; ++c)
                SUBTRACT_PRODUCT(sum, CONJUGATE_IF(conjugate, t[i * down + (k + c) * across]), y[c]);
            x[i] = sum;
        }
        LOCAL_BARRIER();
    }
}

/* What the children of front s leave is added to its rows, `own`, and makes its border's. */
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
                                          idx_t from, int transposed, GLOBAL const int *RESTRICT children,
                                          GLOBAL const int *RESTRICT relative, GLOBAL const int *RESTRICT order,
                                          GLOBAL const ELEMENT *RESTRICT arena, GLOBAL ELEMENT *X, idx_t ldx,
                                          GLOBAL ELEMENT *left, idx_t ldl) {
    LOCAL_ARRAY(ELEMENT, x, ROOM);
    LOCAL_ARRAY(ELEMENT, y, W);
    const idx_t s = list[from + GROUP_ID(0)], first = FRONT(s, F_FIRST), side = GROUP_ID(1), ld = FRONT(s, F_LD);
    const int f = (int)FRONT(s, F_PIVOTS), b = (int)FRONT(s, F_BORDER), lid = (int)LOCAL_ID(0);
    GLOBAL ELEMENT *const own = X + side * ldx + first;
    GLOBAL ELEMENT *const border = left + side * ldl + FRONT(s, F_RELATIVE);
    GLOBAL const ELEMENT *const t = arena + FRONT(s, F_PIVOT);
    GLOBAL const ELEMENT *const m = arena + (transposed ? FRONT(s, F_UP) : FRONT(s, F_LOW));
    add_children(fronts, s, children, relative, own, left + side * ldl, lid);
    for (int i = lid; i < f; i += LS) x[i] = own[transposed || hermitian() ? i : order[first + i]];
    BARRIER();
    triangle(x, y, t, transposed ? ld : 1, transposed ? 1 : ld, f, !transposed && !hermitian(), 0, 0, lid);
    for (int i = lid; i < f; i += LS) own[i] = x[i];
    LOCAL_BARRIER();
    for (int j = lid; j < b; j += LS) { /* a column each: its elements follow each other */
        GLOBAL const ELEMENT *const column = m + j * ld;
        ELEMENT sum = border[j];
        for (int k = 0; k < f; ++k) SUBTRACT_PRODUCT(sum, CONJUGATE_IF(hermitian(), column[k]), x[k]);
        border[j] = sum;
    }
}

KERNEL WORK_GROUP(LS, 1, 1) void front_down(GLOBAL const idx_t *RESTRICT fronts, GLOBAL const int *RESTRICT list,
                                            idx_t from, int transposed, GLOBAL const int *RESTRICT border,
                                            GLOBAL const int *RESTRICT order, GLOBAL const ELEMENT *RESTRICT arena,
                                            GLOBAL ELEMENT *X, idx_t ldx, GLOBAL ELEMENT *left, idx_t ldl) {
    LOCAL_ARRAY(ELEMENT, x, ROOM);
    LOCAL_ARRAY(ELEMENT, y, W);
    LOCAL_ARRAY(ELEMENT, parts, LS);
    const idx_t s = list[from + GROUP_ID(0)], first = FRONT(s, F_FIRST), side = GROUP_ID(1), ld = FRONT(s, F_LD);
    const int f = (int)FRONT(s, F_PIVOTS), b = (int)FRONT(s, F_BORDER), lid = (int)LOCAL_ID(0);
    const int lane = lid % LANES_OF_ROWS, set = lid / LANES_OF_ROWS, low = transposed || hermitian();
    GLOBAL ELEMENT *const all = X + side * ldx;
    GLOBAL ELEMENT *const own = all + first;
    GLOBAL ELEMENT *const rows = left + side * ldl + FRONT(s, F_RELATIVE);
    GLOBAL const int *const at = border + FRONT(s, F_RELATIVE);
    GLOBAL const ELEMENT *const t = arena + FRONT(s, F_PIVOT);
    GLOBAL const ELEMENT *const m = arena + (low ? FRONT(s, F_LOW) : FRONT(s, F_UP));
    for (int j = lid; j < b; j += LS) rows[j] = all[at[j]];
    BARRIER();
    for (int i0 = 0; i0 < f; i0 += LANES_OF_ROWS) {
        const int i = i0 + lane;
        const int end = i < f ? b : 0;
        ELEMENT sum = ZERO;
        for (int j = set; j < end; j += SETS) ADD_PRODUCT(sum, m[i + j * ld], rows[j]);
        LOCAL_BARRIER();
        parts[lid] = sum;
        LOCAL_BARRIER();
        if (set == 0 && i < f) x[i] = MINUS(own[i], sum_of(parts + lane, SETS, LANES_OF_ROWS));
    }
    BARRIER();
    triangle(x, y, t, low ? ld : 1, low ? 1 : ld, f, transposed && !hermitian(), 1, hermitian(), lid);
    for (int i = lid; i < f; i += LS) own[transposed && !hermitian() ? order[first + i] : i] = x[i];
}

KERNEL WORK_GROUP(LS, 1, 1) void front_children(GLOBAL const idx_t *RESTRICT fronts, GLOBAL const int *RESTRICT list,
                                                idx_t from, int transposed, GLOBAL const int *RESTRICT children,
                                                GLOBAL const int *RESTRICT relative, GLOBAL const int *RESTRICT order,
                                                GLOBAL ELEMENT *X, idx_t ldx, GLOBAL ELEMENT *other,
                                                GLOBAL ELEMENT *left, idx_t ldl) {
    const idx_t s = list[from + GROUP_ID(0)], first = FRONT(s, F_FIRST), side = GROUP_ID(1);
    const int lid = (int)LOCAL_ID(0), moved_rows = transposed || hermitian() ? 0 : (int)FRONT(s, F_PIVOTS);
    GLOBAL ELEMENT *const own = X + side * ldx + first;
    GLOBAL ELEMENT *const moved = other + side * ldx + first;
    add_children(fronts, s, children, relative, own, left + side * ldl, lid);
    for (int i = lid; i < moved_rows; i += LS) moved[i] = own[order[first + i]];
    BARRIER();
    for (int i = lid; i < moved_rows; i += LS) own[i] = moved[i];
}

KERNEL WORK_GROUP(LS, 1, 1) void front_rows(GLOBAL const idx_t *RESTRICT fronts, GLOBAL const int *RESTRICT list,
                                            idx_t from, int back, GLOBAL const int *RESTRICT border,
                                            GLOBAL const int *RESTRICT order, GLOBAL ELEMENT *X, idx_t ldx,
                                            GLOBAL ELEMENT *other, GLOBAL ELEMENT *left, idx_t ldl) {
    const idx_t s = list[from + GROUP_ID(0)], first = FRONT(s, F_FIRST), side = GROUP_ID(1);
    const int f = back ? (int)FRONT(s, F_PIVOTS) : 0, b = back ? 0 : (int)FRONT(s, F_BORDER), lid = (int)LOCAL_ID(0);
    GLOBAL ELEMENT *const all = X + side * ldx;
    GLOBAL ELEMENT *const own = all + first;
    GLOBAL ELEMENT *const moved = other + side * ldx + first;
    for (int j = lid; j < b; j += LS)
        left[side * ldl + FRONT(s, F_RELATIVE) + j] = all[border[FRONT(s, F_RELATIVE) + j]];
    for (int i = lid; i < f; i += LS) moved[order[first + i]] = own[i];
    BARRIER();
    for (int i = lid; i < f; i += LS) own[i] = moved[i];
}
