/*
 * lu_small_solve.cl: solves with the factors of lu_small.cl.
 *
 * lu_small_solve: op(A) x = b with n <= LS, all of it: the search of b for NaN and Inf, rows moved, both triangles, the
 * search of x. A group has one right-hand side, a work-item one row. W is op(L U), of which the forward half and then
 * the backward half are solved for:
 *
 *      forward     W(i, k), k < i, and with trans the diagonal:   L y = P b       or   U^T y = b
 *      backward    W(i, k), k > i, and without trans the diagonal: U x = y         or   L^T (P x) = y
 *
 * by blocks of BLOCK rows. Every work-item solves for the block by itself, from what the rows of the block have left
 * in local memory, and takes the block's solution out of its own row: so a block takes one barrier. The blocks of the
 * diagonal lie in local memory. Pivots of which the inverse is not safe divide.
 *
 * With the conjugate transpose (`trans` 2) b and x are conjugated as they come and go, and the factors are not.
 *
 * words: of each right-hand side the first row of B and of X that is no finite number, or -1. X is written where there
 * is none, so that it may be the caller's one right-hand side. S and X have any strides.
 *
 * lu_small_move: the rows of B, a column a group: row i becomes row rows[i], or `reverse`: goes there. n <= MOST.
 *
 * Local memory: (3 + BLOCK) * LS elements for the one, MOST elements for the other: 11 and 8 KB in double,
 * twice that in complex double.
 */
#include "triangle.clh"

#ifndef LS
#define LS 128
#endif
#ifndef BLOCK
#define BLOCK 8
#endif
#ifndef MOST
#define MOST 1024
#endif
#define BLOCKS ((LS + BLOCK - 1) / BLOCK)

#define FOR_BLOCK                                                                                                      \
    UNROLL                                                                                                             \
    for (int q = 0; q < BLOCK; ++q)

/* The first of n numbers that is not finite, or -1. */
HELPER int first_bad(const LOCAL_PTR ELEMENT *x, int n) {
    for (int i = 0; i < n; ++i)
        if (!IS_FINITE_ELEMENT(x[i])) return i;
    return -1;
}

/* The elements of a work-item's row in block p. */
HELPER void bring(ELEMENT *w, GLOBAL const ELEMENT *row, idx_t along_k, int p, int n, int there) {
    FOR_BLOCK w[q] = there && p * BLOCK + q < n ? row[(p * BLOCK + q) * along_k] : ZERO;
}

/* x of one block: z, what its rows have left, becomes their solution. */
HELPER void solve_block(ELEMENT *z, const LOCAL_PTR ELEMENT *t, const LOCAL_PTR ELEMENT *inverse, int backward,
                        int unit) {
    if (backward) {
        UNROLL
        for (int k = BLOCK - 1; k >= 0; --k) {
            if (!unit) z[k] = IS_NONZERO_ELEMENT(inverse[k]) ? TIMES(z[k], inverse[k]) : OVER(z[k], t[k * BLOCK + k]);
            UNROLL
            for (int i = 0; i < k; ++i) SUBTRACT_PRODUCT(z[i], t[k * BLOCK + i], z[k]);
        }
    } else {
        UNROLL
        for (int k = 0; k < BLOCK; ++k) {
            if (!unit) z[k] = IS_NONZERO_ELEMENT(inverse[k]) ? TIMES(z[k], inverse[k]) : OVER(z[k], t[k * BLOCK + k]);
            UNROLL
            for (int i = k + 1; i < BLOCK; ++i) SUBTRACT_PRODUCT(z[i], t[k * BLOCK + i], z[k]);
        }
    }
}

KERNEL WORK_GROUP(LS, 1, 1) void lu_small_solve(GLOBAL const ELEMENT *A, idx_t offset, idx_t ld, int n,
                                                GLOBAL const int *rows, int trans, GLOBAL const ELEMENT *S,
                                                idx_t s_offset, idx_t s_row_step, idx_t s_column_step,
                                                GLOBAL ELEMENT *X, idx_t x_offset, idx_t row_step, idx_t column_step,
                                                GLOBAL idx_t *words, idx_t words_at) {
    LOCAL_ARRAY(ELEMENT, sides, LS);
    LOCAL_ARRAY(ELEMENT, left, LS);    /* what the rows have left */
    LOCAL_ARRAY(ELEMENT, inverse, LS); /* of the diagonal; 0: it is to be divided by */
    LOCAL_ARRAY(ELEMENT, diagonal, BLOCKS * BLOCK * BLOCK);
    LOCAL_ARRAY(int, bad, 2);
    const int i = (int)LOCAL_ID(0), blocks = (n + BLOCK - 1) / BLOCK, own = i / BLOCK;
    const idx_t along_i = trans ? ld : 1, along_k = trans ? 1 : ld;
    GLOBAL const ELEMENT *const row = A + offset + (i < n ? i : 0) * along_i;
    const int number = i < n ? rows[i] : 0;
    ELEMENT w[BLOCK], z[BLOCK], rest = ZERO;

    if (i < 2) bad[i] = 0;
    sides[i] = i < n ? CONJUGATE_IF(trans == 2, S[s_offset + i * s_row_step + GROUP_ID(0) * s_column_step]) : ZERO;
    for (int e = i; e < blocks * BLOCK * BLOCK; e += LS) {
        const int p = e / (BLOCK * BLOCK), k = e / BLOCK % BLOCK, h = e % BLOCK;
        const int at_i = p * BLOCK + h, at_k = p * BLOCK + k;
        const int there = at_i < n && at_k < n;
        const ELEMENT t = there ? A[offset + at_i * along_i + at_k * along_k] : FROM_REAL(h == k);
        diagonal[e] = t;
        if (h == k) inverse[at_i] = IS_SAFE(t) ? OVER(ONE, t) : ZERO;
    }
    BARRIER(); /* in place: all of S is read before X is stored */
    if (!IS_FINITE_ELEMENT(sides[i])) bad[0] = 1;
    if (i < n) rest = sides[trans ? i : number];
    left[i] = rest;
    bring(w, row, along_k, 0, n, i < n && own > 0);
    LOCAL_BARRIER();

    for (int p = 0; p < blocks; ++p) {
        FOR_BLOCK z[q] = left[p * BLOCK + q];
        solve_block(z, diagonal + p * BLOCK * BLOCK, inverse + p * BLOCK, 0, !trans);
        if (own == p) FOR_BLOCK rest = PICK(i % BLOCK == q, z[q], rest);
        if (own > p) {
            FOR_BLOCK SUBTRACT_PRODUCT(rest, w[q], z[q]);
            if (own == p + 1) left[i] = rest;
        }
        bring(w, row, along_k, p + 1, n, i < n && own > p + 1);
        LOCAL_BARRIER();
    }

    left[i] = rest;
    bring(w, row, along_k, blocks - 1, n, own < blocks - 1);
    LOCAL_BARRIER();
    for (int p = blocks - 1; p >= 0; --p) {
        FOR_BLOCK z[q] = left[p * BLOCK + q];
        solve_block(z, diagonal + p * BLOCK * BLOCK, inverse + p * BLOCK, 1, trans);
        if (own == p) FOR_BLOCK rest = PICK(i % BLOCK == q, z[q], rest);
        if (own < p) {
            FOR_BLOCK SUBTRACT_PRODUCT(rest, w[q], z[q]);
            if (own == p - 1) left[i] = rest;
        }
        if (p > 0) bring(w, row, along_k, p - 1, n, own < p - 1);
        LOCAL_BARRIER();
    }

    if (i < n) {
        left[trans ? number : i] = rest;
        if (!IS_FINITE_ELEMENT(rest)) bad[1] = 1;
    }
    LOCAL_BARRIER();
    if (i < n && !bad[0] && !bad[1])
        X[x_offset + (trans ? number : i) * row_step + GROUP_ID(0) * column_step] = CONJUGATE_IF(trans == 2, rest);
    if (i < 2) words[words_at + 2 * GROUP_ID(0) + i] = bad[i] ? first_bad(i == 0 ? sides : left, n) : -1;
}

KERNEL WORK_GROUP(LS, 1, 1) void lu_small_move(GLOBAL ELEMENT *B, idx_t offset, idx_t ld, int n, GLOBAL const int *rows,
                                               int reverse) {
    LOCAL_ARRAY(ELEMENT, x, MOST);
    GLOBAL ELEMENT *const b = B + offset + GROUP_ID(0) * ld;

    for (int i = (int)LOCAL_ID(0); i < n; i += LS) x[reverse ? rows[i] : i] = b[reverse ? i : rows[i]];
    BARRIER();
    for (int i = (int)LOCAL_ID(0); i < n; i += LS) b[i] = x[i];
}
