/*
 * front_right.cl: triangles of W columns.
 *
 *   front_right    what a panel does to the other columns of its front
 *   front_invert   the triangles become their inverses, for the solves (front_solve.cl)
 *
 * front_right. A panel of front_panel.cl, columns k .. k + w - 1 of PIVOT, changes the other columns: they have their
 * rows exchanged, and rows k .. k + w - 1 become
 *
 *     of the columns right of the panel and of UP   L^-1 times them, L the panel's unit triangle
 *     of LOW                                        U^-T times them; of Cholesky L^-1 times them; no rows are exchanged
 *
 * Columns left of the panel only have their rows exchanged. parts says what is done: RIGHT, LEFT, UP and LOW of a front
 * follow each other in strips of LS columns, those not in parts left out; with SWAP_UP rows of UP are exchanged and no
 * more.
 *
 * Work-groups: LS work-items, one a column, whose W rows are in private memory. Dimension 0 over strips, dimension 1
 * over fronts. Access: a work-item reads a column's rows, one after the other. Local memory: W * (W + 1) elements.
 */
#ifndef LS
#define LS 32
#endif
#ifndef W
#define W 32
#endif
#define RIGHT   1
#define LEFT    2
#define UP      4
#define LOW     8
#define SWAP_UP 16

#include "front.clh"

#define STRIPS(columns) (((columns) + LS - 1) / LS)

KERNEL WORK_GROUP(LS, 1, 1) void front_right(GLOBAL const idx_t *RESTRICT fronts, GLOBAL const int *RESTRICT list,
                                             idx_t from, int k, int parts, GLOBAL ELEMENT *arena,
                                             GLOBAL const int *RESTRICT ipiv) {
    LOCAL_ARRAY(ELEMENT, t, W * (W + 1));
    LOCAL_ARRAY(ELEMENT, quotient, W);
    const idx_t s = list[from + GROUP_ID(1)];
    const int f = (int)FRONT(s, F_PIVOTS), b = (int)FRONT(s, F_BORDER), lid = (int)LOCAL_ID(0);
    const int w = f - k < W ? f - k : W;
    const idx_t ld = FRONT(s, F_LD);
    GLOBAL ELEMENT *const pivot = arena + FRONT(s, F_PIVOT);
    GLOBAL const int *const pivots = ipiv + FRONT(s, F_FIRST) + k;
    if (w <= 0) return;
    const int right = parts & RIGHT ? f - k - w : 0, left = parts & LEFT ? k : 0;
    const int up = parts & (UP | SWAP_UP) ? b : 0, low = parts & LOW ? b : 0;
    int strip = (int)GROUP_ID(0), is_low = 0, solves = 1, column, columns;
    GLOBAL ELEMENT *x;
    if (strip < STRIPS(right)) {
        x = pivot + (k + w) * ld;
        columns = right;
    } else if ((strip -= STRIPS(right)) < STRIPS(left)) {
        x = pivot;
        columns = left;
        solves = 0;
    } else if ((strip -= STRIPS(left)) < STRIPS(up)) {
        x = arena + FRONT(s, F_UP);
        columns = up;
        solves = (parts & UP) != 0;
    } else if ((strip -= STRIPS(up)) < STRIPS(low)) {
        x = arena + FRONT(s, F_LOW);
        columns = low;
        is_low = 1;
    } else {
        return;
    }
    column = strip * LS + lid;
    const int mine = column < columns;
    x += (mine ? column : 0) * ld + k;
    /* t(r, c), with the unit matrix behind it: the triangle by rows r of the solution. */
    for (int e = lid; e < W * W; e += LS) {
        const int r = e % W, c = e / W;
        ELEMENT value = ZERO;
        if (r > c && r < w) value = is_low && !hermitian() ? pivot[k + c + (k + r) * ld] : pivot[k + r + (k + c) * ld];
        t[r + c * (W + 1)] = value;
    }
    for (int c = lid; c < W; c += LS) {
        ELEMENT d = ONE;
        if (is_low && c < w) d = pivot[k + c + (k + c) * ld];
        quotient[c] = INVERSE(d);
    }
    LOCAL_BARRIER();
    /* Work-items without a column stay: PoCL's compiler drops a return behind a barrier. */
#if !CHOLESKY
    const int moves = mine && !is_low ? w : 0;
    for (int c = 0; c < moves; ++c) {
        const int row = pivots[c] - k;
        if (row == c) continue;
        const ELEMENT above = x[c];
        x[c] = x[row];
        x[row] = above;
    }
#else
    (void)pivots;
#endif
    ELEMENT y[W];
    UNROLL
    for (int r = 0; r < W; ++r) y[r] = r < w ? x[r] : ZERO;
    UNROLL
    for (int c = 0; c < W; ++c) {
        MULTIPLY_BY(y[c], quotient[c]);
        UNROLL
        for (int r = c + 1; r < W; ++r) SUBTRACT_PRODUCT(y[r], t[r + c * (W + 1)], y[c]);
    }
    UNROLL
    for (int r = 0; r < W; ++r)
        if (r < w && mine && solves) x[r] = y[r];
}

/*
 * Inverts each block of W columns on the diagonal of PIVOT: the part below the diagonal becomes that of the inverse of
 * the unit triangle L, the rest the inverse of U; of Cholesky the triangle becomes its inverse. Dimension 0 over
 * blocks, dimension 1 over fronts; a work-item has a column of both.
 */
KERNEL WORK_GROUP(LS, 1, 1) void front_invert(GLOBAL const idx_t *RESTRICT fronts, GLOBAL const int *RESTRICT list,
                                              idx_t from, GLOBAL ELEMENT *arena) {
    LOCAL_ARRAY(ELEMENT, t, W * (W + 1));
    LOCAL_ARRAY(ELEMENT, inverses, W);
    const idx_t s = list[from + GROUP_ID(1)];
    const int f = (int)FRONT(s, F_PIVOTS), k = (int)GROUP_ID(0) * W, w = f - k < W ? f - k : W;
    const int lid = (int)LOCAL_ID(0);
    const idx_t ld = FRONT(s, F_LD);
    GLOBAL ELEMENT *const p = arena + FRONT(s, F_PIVOT) + k + k * ld;
    if (w <= 0) return;
    for (int e = lid; e < W * W; e += LS) {
        const int r = e % W, c = e / W;
        ELEMENT value = r == c ? ONE : ZERO;
        if (r < w && c < w) value = p[r + c * ld];
        t[r + c * (W + 1)] = value;
        if (r == c) inverses[r] = INVERSE(value);
    }
    LOCAL_BARRIER();
    const int j = lid;
    if (j < w) {
        ELEMENT y[W];
        UNROLL
        for (int r = 0; r < W; ++r) y[r] = r == j ? ONE : ZERO;
        UNROLL
        for (int c = 0; c < W; ++c) {
#if CHOLESKY
            MULTIPLY_BY(y[c], inverses[c]);
#endif
            UNROLL
            for (int r = 0; r < W; ++r)
                if (r > c) SUBTRACT_PRODUCT(y[r], t[r + c * (W + 1)], y[c]);
        }
        UNROLL
        for (int r = 0; r < W; ++r)
            if (r < w && r >= j + (hermitian() ? 0 : 1)) p[r + j * ld] = y[r];
#if !CHOLESKY
        UNROLL
        for (int r = 0; r < W; ++r) y[r] = r == j ? ONE : ZERO;
        UNROLL
        for (int q = 0; q < W; ++q) {
            MULTIPLY_BY(y[W - 1 - q], inverses[W - 1 - q]);
            UNROLL
            for (int r = 0; r < W; ++r)
                if (r < W - 1 - q) SUBTRACT_PRODUCT(y[r], t[r + (W - 1 - q) * (W + 1)], y[W - 1 - q]);
        }
        UNROLL
        for (int r = 0; r < W; ++r)
            if (r <= j) p[r + j * ld] = y[r];
#endif
    }
}
