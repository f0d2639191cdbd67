/*
 * lu_rbt.cl: LU without pivoting of a matrix made harmless by random butterflies: W^T A V, two levels on either side,
 * and the leaves of its factorization. method/lu/rbt.h has the mathematics and the sources.
 *
 * Rows i, i + q, i + 2q, i + 3q, q = ceil(n / 4), belong together and no others are mixed with them; columns likewise.
 * So a work-item takes the 4 x 4 elements of a group of rows and a group of columns, mixes them in registers, columns
 * first, and writes them back: each element is read and written once for both sides and both levels. If n is no
 * multiple of 4, the last members of a short group are zeros, and so are their diagonals.
 *
 * diagonals: four arrays of 4q real numbers, of W inner and outer, of V inner and outer; 1/sqrt(2) of a pair is in
 * them.
 *
 * Work-groups: LS work-items on neighbouring rows, so that the four rows of a column are four runs; along the second
 * dimension columns. No local memory, but for the leaves WIDTH * WIDTH elements.
 */
#include "divisor.clh"

#ifndef LS
#define LS 64
#endif
#ifndef WIDTH
#define WIDTH 32
#endif

/* a / pivot. */
#if CLS_COMPLEX
#define QUOTIENT(a, pivot) quotient_by(a, pivot)
HELPER ELEMENT quotient_by(ELEMENT a, ELEMENT pivot) {
    const int divides = IS_TO_DIVIDE(size_of(pivot));
    return quotient_of(a, divisor_of(pivot, divides), divides);
}
#else
#define QUOTIENT(a, pivot) ((a) / (pivot))
#endif

/* x W for the four numbers at x, a step apart: inner pairs (0,1), (2,3), then outer ones (0,2), (1,3). */
HELPER void mix(ELEMENT *x, int step, const REAL *inner, const REAL *outer) {
    const ELEMENT a = BY_REAL(x[0] + x[step], inner[0]), b = BY_REAL(x[0] - x[step], inner[1]);
    const ELEMENT c = BY_REAL(x[2 * step] + x[3 * step], inner[2]), d = BY_REAL(x[2 * step] - x[3 * step], inner[3]);
    x[0] = BY_REAL(a + c, outer[0]);
    x[step] = BY_REAL(b + d, outer[1]);
    x[2 * step] = BY_REAL(a - c, outer[2]);
    x[3 * step] = BY_REAL(b - d, outer[3]);
}

/* W x: the outer pairs first. */
HELPER void mix_back(ELEMENT *x, const REAL *inner, const REAL *outer) {
    const ELEMENT a = SCALED(outer[0], x[0]) + SCALED(outer[2], x[2]),
                  c = SCALED(outer[0], x[0]) - SCALED(outer[2], x[2]);
    const ELEMENT b = SCALED(outer[1], x[1]) + SCALED(outer[3], x[3]),
                  d = SCALED(outer[1], x[1]) - SCALED(outer[3], x[3]);
    x[0] = SCALED(inner[0], a) + SCALED(inner[1], b);
    x[1] = SCALED(inner[0], a) - SCALED(inner[1], b);
    x[2] = SCALED(inner[2], c) + SCALED(inner[3], d);
    x[3] = SCALED(inner[2], c) - SCALED(inner[3], d);
}

/* The four diagonals of a level that group `i` has. */
HELPER void take_level(GLOBAL const REAL *level, idx_t i, idx_t q, REAL *taken) {
    for (int k = 0; k < 4; ++k) taken[k] = level[i + k * q];
}

/*
 * A = W^T A V for the groups first .. first + columns - 1 of columns, each with `members` columns; Ak and offset_k:
 * column first + k q, which may lie in another buffer than the one before it.
 */
KERNEL WORK_GROUP(LS, 1, 1) void lu_rbt_matrix(GLOBAL ELEMENT *A0, idx_t offset_0, GLOBAL ELEMENT *A1, idx_t offset_1,
                                               GLOBAL ELEMENT *A2, idx_t offset_2, GLOBAL ELEMENT *A3, idx_t offset_3,
                                               idx_t ld, idx_t n, idx_t first, idx_t columns, int members,
                                               GLOBAL const REAL *diagonals) {
    const idx_t i = GROUP_ID(0) * LS + LOCAL_ID(0), q = (n + 3) / 4;
    REAL inner[4], outer[4], inner_v[4], outer_v[4];

    if (i >= q) return;
    const int rows = i + 3 * q < n ? 4 : i + 2 * q < n ? 3 : i + q < n ? 2 : 1;
    take_level(diagonals, i, q, inner);
    take_level(diagonals + 4 * q, i, q, outer);
    for (idx_t c = GROUP_ID(1); c < columns; c += GROUPS(1)) {
        GLOBAL ELEMENT *const column[4] = {A0 + offset_0 + c * ld + i, A1 + offset_1 + c * ld + i,
                                           A2 + offset_2 + c * ld + i, A3 + offset_3 + c * ld + i};
        ELEMENT x[16]; /* of four columns the four rows */
        UNROLL
        for (int k = 0; k < 4; ++k) UNROLL
        for (int r = 0; r < 4; ++r) x[4 * k + r] = k < members && r < rows ? column[k][r * q] : ZERO;
        take_level(diagonals + 8 * q, first + c, q, inner_v);
        take_level(diagonals + 12 * q, first + c, q, outer_v);
        UNROLL
        for (int r = 0; r < 4; ++r) mix(x + r, 4, inner_v, outer_v);
        UNROLL
        for (int k = 0; k < 4; ++k) mix(x + 4 * k, 1, inner, outer);
        UNROLL
        for (int k = 0; k < 4; ++k) UNROLL
        for (int r = 0; r < 4; ++r)
            if (k < members && r < rows) column[k][r * q] = x[4 * k + r];
    }
}

/* B = W^T B, or with `back` W B, for the matrix whose two levels begin at diagonals[begin]. */
KERNEL WORK_GROUP(LS, 1, 1) void lu_rbt_vectors(GLOBAL ELEMENT *B, idx_t offset, idx_t ld, idx_t n, idx_t columns,
                                                GLOBAL const REAL *diagonals, idx_t begin, int back) {
    const idx_t i = GROUP_ID(0) * LS + LOCAL_ID(0), q = (n + 3) / 4;
    REAL inner[4], outer[4];

    if (i >= q) return;
    const int rows = i + 3 * q < n ? 4 : i + 2 * q < n ? 3 : i + q < n ? 2 : 1;
    take_level(diagonals + begin, i, q, inner);
    take_level(diagonals + begin + 4 * q, i, q, outer);
    for (idx_t c = GROUP_ID(1); c < columns; c += GROUPS(1)) {
        GLOBAL ELEMENT *const column = B + offset + c * ld + i;
        ELEMENT x[4];
        for (int r = 0; r < 4; ++r) x[r] = r < rows ? column[r * q] : ZERO;
        if (back)
            mix_back(x, inner, outer);
        else
            mix(x, 1, inner, outer);
        for (int r = 0; r < 4; ++r)
            if (r < rows) column[r * q] = x[r];
    }
}

/*
 * L\U of the width x width block at `offset`, width <= WIDTH, whose first row and column in the matrix is `top`. *info
 * becomes the number of the first column whose pivot is not larger than `tiny` or is no number, counted from 1; what is
 * divided by such a pivot is worth nothing then. One group. WIDTH <= LANES where there are such.
 */
#ifdef LANES

/* By LANES neighbours, a row each, in registers; the pivot's row comes lane to lane. */
KERNEL WORK_GROUP(LS, 1, 1) void lu_rbt_diagonal(GLOBAL ELEMENT *A, idx_t offset, idx_t ld, idx_t width, idx_t top,
                                                 REAL tiny, GLOBAL idx_t *info) {
    const int row = (int)LOCAL_ID(0), w = (int)width;
    ELEMENT x[WIDTH];

    if (row >= LANES) return;
    UNROLL
    for (int k = 0; k < WIDTH; ++k) x[k] = row < w && k < w ? A[offset + row + k * ld] : FROM_REAL(row == k);
    UNROLL
    for (int t = 0; t < WIDTH; ++t) {
        const ELEMENT pivot = LANES_GET_ELEMENT(x[t], t), l = QUOTIENT(x[t], pivot);
        if (row == 0 && t < w && !(SIZE_1(pivot) > tiny) && info[0] == 0) info[0] = top + t + 1;
        x[t] = PICK(row > t, l, x[t]);
        UNROLL
        for (int k = t + 1; k < WIDTH; ++k) {
            const ELEMENT u = LANES_GET_ELEMENT(x[k], t);
            x[k] = PICK(row > t, LESS_PRODUCT(x[k], l, u), x[k]);
        }
    }
    UNROLL
    for (int k = 0; k < WIDTH; ++k)
        if (row < w && k < w) A[offset + row + k * ld] = x[k];
}

#else

KERNEL WORK_GROUP(LS, 1, 1) void lu_rbt_diagonal(GLOBAL ELEMENT *A, idx_t offset, idx_t ld, idx_t width, idx_t top,
                                                 REAL tiny, GLOBAL idx_t *info) {
    LOCAL_ARRAY(ELEMENT, T, WIDTH * WIDTH);
    const int lid = (int)LOCAL_ID(0), w = (int)width;

    for (int e = lid; e < w * w; e += LS) T[e % w + e / w * WIDTH] = A[offset + e % w + e / w * ld];
    LOCAL_BARRIER();
    for (int t = 0; t < w; ++t) {
        const ELEMENT pivot = T[t + t * WIDTH];
        const int left = w - 1 - t;
        if (lid == 0 && !(SIZE_1(pivot) > tiny) && info[0] == 0) info[0] = top + t + 1;
        for (int i = t + 1 + lid; i < w; i += LS) T[i + t * WIDTH] = QUOTIENT(T[i + t * WIDTH], pivot);
        LOCAL_BARRIER();
        for (int e = lid; e < left * left; e += LS) {
            const int i = t + 1 + e % left, k = t + 1 + e / left;
            SUBTRACT_PRODUCT(T[i + k * WIDTH], T[i + t * WIDTH], T[t + k * WIDTH]);
        }
        LOCAL_BARRIER();
    }
    for (int e = lid; e < w * w; e += LS) A[offset + e % w + e / w * ld] = T[e % w + e / w * WIDTH];
}

#endif

/* The m rows below that block: A21 = A21 U11^-1, a work-item a row, which it keeps in registers. They rotate by one a
 * step, so that the current column is always x[0] and the loop over the steps stays one; U11's rows begin at their
 * diagonals. */
KERNEL WORK_GROUP(LS, 1, 1) void lu_rbt_rows(GLOBAL ELEMENT *A, idx_t offset, idx_t ld, idx_t m, idx_t width) {
    LOCAL_ARRAY(ELEMENT, U, WIDTH * WIDTH);
    const int lid = (int)LOCAL_ID(0), w = (int)width;
    const idx_t i = GROUP_ID(0) * LS + lid;
    ELEMENT x[WIDTH];

    /* A block that is not as wide is made so by columns of the unit matrix. */
    for (int e = lid; e < WIDTH * WIDTH; e += LS) {
        const int t = e % WIDTH, k = e / WIDTH;
        U[t * WIDTH + k] = t + k < w ? A[offset + t + (t + k) * ld] : FROM_REAL(t >= w && k == 0);
    }
    LOCAL_BARRIER();
    if (i >= m) return;
    UNROLL
    for (int k = 0; k < WIDTH; ++k) x[k] = k < w ? A[offset + w + i + k * ld] : ZERO;
    for (int t = 0; t < WIDTH; ++t) {
        const LOCAL_PTR ELEMENT *const row = U + t * WIDTH;
        const ELEMENT l = QUOTIENT(x[0], row[0]);
        UNROLL
        for (int k = 1; k < WIDTH; ++k) x[k - 1] = LESS_PRODUCT(x[k], l, row[k]);
        x[WIDTH - 1] = l;
    }
    UNROLL
    for (int k = 0; k < WIDTH; ++k)
        if (k < w) A[offset + w + i + k * ld] = x[k];
}
