/*
 * front_inverse.cl: triangles of PIVOT as inverses, for the solves (front_solve.cl). Whole inverses are made by way of
 * scratch memory: front_double (front_product.cl) makes larger ones of the blocks on the diagonal.
 *
 *   front_invert   blocks of W columns on the diagonal
 *   front_unfold   L and U of PIVOT, of one-sided factors L, as matrices of their own, zero beyond their triangles;
 *                  `back`: from there to PIVOT
 *   front_take     UP or LOW of the front list[from], to element `at` of scratch. way UP_ORDERED, LOW_ORDERED: its rows
 *                  in the order of the pivots; LOW_PLAIN: as it is; LOW_BY_D: times D. LOW_BACK: D^-1 times what is in
 *                  scratch goes back to LOW
 *
 * Scratch: as in front_double. Work-groups: LS work-items but for front_invert; dimension 0 over columns, dimension 1
 * over fronts. Access: neighbours on neighbouring rows. Local memory: none.
 */
#ifndef LS
#define LS 64
#endif
#ifndef W
#define W 32
#endif

/* ways of front_take */
#define UP_ORDERED  0
#define LOW_PLAIN   1
#define LOW_ORDERED 2
#define LOW_BY_D    3
#define LOW_BACK    4

#include "front.clh"

KERNEL WORK_GROUP(LS, 1, 1) void front_unfold(GLOBAL const idx_t *RESTRICT fronts, GLOBAL const int *RESTRICT list,
                                              idx_t from, int back, GLOBAL ELEMENT *arena, GLOBAL ELEMENT *scratch,
                                              idx_t apart) {
    const idx_t s = list[from + GROUP_ID(1)];
    const int f = (int)FRONT(s, F_PIVOTS), j = (int)GROUP_ID(0);
    const idx_t ld = SCRATCH_LD(f);
    GLOBAL ELEMENT *const low = scratch + GROUP_ID(1) * apart + j * ld;
    GLOBAL ELEMENT *const high = low + 2 * ld * f;
    GLOBAL ELEMENT *const p = arena + FRONT(s, F_PIVOT) + j * FRONT(s, F_LD);
    const int rows = j < f ? f : 0;
    for (int i = (int)LOCAL_ID(0); i < rows; i += LS) {
        if (back) {
            if (i > j || one_sided())
                p[i] = low[i];
            else
                p[i] = high[i];
        } else {
            const ELEMENT value = p[i];
            ELEMENT of_low = ZERO;
            if (i > j || (i == j && !has_unit())) of_low = value;
            if (i == j && has_unit()) of_low = ONE;
            low[i] = of_low;
            if (!one_sided()) high[i] = i <= j ? value : ZERO;
        }
    }
}

KERNEL WORK_GROUP(LS, 1, 1) void front_take(GLOBAL const idx_t *RESTRICT fronts, GLOBAL const int *RESTRICT list,
                                            idx_t from, int way, GLOBAL const int *RESTRICT order,
                                            GLOBAL ELEMENT *arena, GLOBAL ELEMENT *scratch, idx_t at USES_D) {
    const idx_t s = list[from], j = GROUP_ID(0);
    const int f = (int)FRONT(s, F_PIVOTS), is_ordered = way == UP_ORDERED || way == LOW_ORDERED;
    GLOBAL ELEMENT *const x = arena + (way == UP_ORDERED ? FRONT(s, F_UP) : FRONT(s, F_LOW)) + j * FRONT(s, F_LD);
    GLOBAL const int *const rows = order + FRONT(s, F_FIRST);
    GLOBAL ELEMENT *const to = scratch + at + j * SCRATCH_LD(f);
#if LDL
    blocks += FRONT(s, F_FIRST) * OF_BLOCK;
    pivots += FRONT(s, F_FIRST) * OF_POSITION;
#endif
    for (int i = (int)LOCAL_ID(0); i < f; i += LS) {
#if LDL
        if (way == LOW_BY_D)
            D_TIMES(to[i], blocks + i * OF_BLOCK, PAIR(i), x, i, 1)
        else if (way == LOW_BACK)
            D_TIMES(x[i], blocks + i * OF_BLOCK + OF_INVERSE, PAIR(i), to, i, 1)
        else
#endif
            to[i] = x[is_ordered ? rows[i] : i];
    }
}

/*
 * A column of the inverse of a triangle, whose element (r, c), c < r < w, is t[r * down + c * across]: y comes as a
 * column of the unit matrix. In step c y[0] is element c; y is turned by one a step, so that all indices are constants.
 * With `inverses`, whose element c is inverses[c * of], the diagonal is divided by.
 */
INLINED void turn_through(ELEMENT y[W], LOCAL_PTR const ELEMENT *t, int down, int across,
                          LOCAL_PTR const ELEMENT *inverses, int of, int divides, int w) {
    for (int c = 0; c < w; ++c) {
        ELEMENT first = y[0];
        if (divides) MULTIPLY_BY(first, inverses[c * of]);
        UNROLL
        for (int j = 1; j < W; ++j) {
            ELEMENT next = y[j];
            if (c + j < w) SUBTRACT_PRODUCT(next, t[(c + j) * down + c * across], first);
            y[j - 1] = next;
        }
        y[W - 1] = first;
    }
}

/*
 * Inverts each block of W columns on the diagonal of PIVOT: the part below the diagonal becomes that of the inverse of
 * the unit triangle L, the rest the inverse of U; of Cholesky the triangle becomes its inverse. Dimension 0 over
 * blocks, dimension 1 over fronts; a group has W work-items, each a column of both.
 * Local memory: W * (W + 2) elements.
 */
KERNEL WORK_GROUP(W, 1, 1) void front_invert(GLOBAL const idx_t *RESTRICT fronts, GLOBAL const int *RESTRICT list,
                                             idx_t from, GLOBAL ELEMENT *arena) {
    LOCAL_ARRAY(ELEMENT, t, W * (W + 1));
    LOCAL_ARRAY(ELEMENT, inverses, W);
    const idx_t s = list[from + GROUP_ID(1)];
    const int f = (int)FRONT(s, F_PIVOTS), k = (int)GROUP_ID(0) * W, w = f - k < W ? f - k : W;
    const int j = (int)LOCAL_ID(0);
    const idx_t ld = FRONT(s, F_LD);
    GLOBAL ELEMENT *const p = arena + FRONT(s, F_PIVOT) + k + k * ld;
    ELEMENT y[W];
    if (w <= 0) return;
    for (int e = j; e < W * w; e += W) {
        const int r = e % W, c = e / W;
        const ELEMENT value = r < w ? p[r + c * ld] : ZERO;
        t[r + c * (W + 1)] = value;
        if (r == c) inverses[r] = INVERSE(value);
    }
    BARRIER(); /* others write what has been read */
    UNROLL
    for (int r = 0; r < W; ++r) y[r] = r == j ? ONE : ZERO;
    turn_through(y, t, 1, W + 1, inverses, 1, !has_unit(), w);
    UNROLL
    for (int q = 0; q < W; ++q) {
        const int r = q - (W - w);
        if (j < w && r >= j + has_unit()) p[r + j * ld] = y[q];
    }
#if !CHOLESKY && !LDL
    const int last = w - 1; /* this row of U comes first */
    UNROLL
    for (int r = 0; r < W; ++r) y[r] = r == last - j ? ONE : ZERO;
    turn_through(y, t + last * (W + 2), -1, -(W + 1), inverses + last, -1, 1, w);
    UNROLL
    for (int q = 0; q < W; ++q) {
        const int r = last - (q - (W - w));
        if (j < w && q >= W - w && r <= j) p[r + j * ld] = y[q];
    }
#endif
}
