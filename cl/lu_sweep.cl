/*
 * lu_sweep.cl: X = op(T)^-1 B for a triangle T of order n and up to SIDES right-hand sides, in one launch of many
 * groups that wait for each other, in OpenCL C 1.2.
 *
 * All four cases are one forward substitution with a lower triangle W of n rows:
 *
 *     forward  (L x = b, U^T x = b)   W(i, j) = op(T)(i, j),              y(i) = b(i)
 *     backward (U x = b, L^T x = b)   W(i, j) = op(T)(n-1-i, n-1-j),      y(i) = b(n-1-i)
 *
 * With the conjugate transpose (`trans` 2) b and x are conjugated as they come and go, and T is not. W goes in blocks
 * of 64 rows, of complex doubles of 32. Group g has the blocks g, g + groups, ... For block i it takes out of the
 * block's rows what the solved blocks 0 .. i-1 leave, one after the other as they come, solves the block's own triangle
 * in parts of 8 rows, and gives the solution to all groups, by words with a mark as lu_together.cl does. The
 * triangle's blocks are read ahead: that of step j + 1 is on its way while step j is computed, and so are the words of
 * its solution.
 *
 * The groups need not be at the same place, but each must run: the waits are bounded by `spins`, and when the bound is
 * passed, *late is set, X is spoilt (no number), and the host solves anew without this kernel.
 *
 * Work-groups: 64 x 4 work-items, or 32 x 8; any number of groups. A work-item holds HELD elements of a block. Not
 * transposed it has row lid % BLOCK and the columns HELD q ..., transposed column lid % BLOCK and the rows HELD q ...,
 * q = lid / BLOCK: so neighbours go along the columns of T. Local memory in double: 39 KB with SIDES 1, 42 with 2; in
 * complex double 24. words: n SIDES elements, of one pair or, of complex doubles, two.
 */
#include "lu_search.clh"
#include "triangle.clh"

#ifndef SIDES
#define SIDES 1
#endif
#if CLS_COMPLEX && CLS_DOUBLE
#define BLOCK    32
#define QUARTERS 8
#else
#define BLOCK    64
#define QUARTERS 4
#endif
#define HELD      (BLOCK / QUARTERS)
#define ITEMS     (BLOCK * QUARTERS)
#define PART      8
#define PITCH     (BLOCK + 2)
#define NO_NUMBER FROM_REAL(BITS_TO_REAL(~(REAL_BITS)0))

#define FOR_HELD                                                                                                       \
    UNROLL                                                                                                             \
    for (int e = 0; e < HELD; ++e)
#define FOR_SIDES                                                                                                      \
    UNROLL                                                                                                             \
    for (int s = 0; s < SIDES; ++s)

/* The work-item's elements of a block that begins at W(i, k): the first at `from`, `step` apart. */
HELPER void fetch(const GLOBAL ELEMENT *from, idx_t step, ELEMENT *held) {
    FOR_HELD {
        held[e] = *from;
        from += step;
    }
}

/*
 * The same of a block that the end of W or its diagonal passes: what is beyond is there as 0. `row` and `k` are of the
 * first element; the others are in the rows below it, or in the columns right of it.
 */
HELPER void fetch_edge(const GLOBAL ELEMENT *from, idx_t step, idx_t row, idx_t k, int down, idx_t n, ELEMENT *held) {
    FOR_HELD {
        held[e] = row < n && k <= row ? *from : ZERO;
        from += step;
        row += down ? 1 : 0;
        k += down ? 0 : 1;
    }
}

KERNEL WORK_GROUP(ITEMS, 1, 1) void lu_sweep(idx_t n, int sides, int backward, int trans, int unit,
                                             const GLOBAL ELEMENT *t, idx_t t_offset, idx_t ldt, GLOBAL ELEMENT *b,
                                             idx_t b_offset, idx_t ldb, GLOBAL PAIR_OF_WORDS *words, unsigned sweep,
                                             GLOBAL int *late, unsigned spins) {
    LOCAL_PAIRS(pairs, w, BLOCK * PITCH / 2);             /* W's own block; before, transposed, what is summed up */
    LOCAL_ARRAY(ELEMENT, sums, QUARTERS * BLOCK * SIDES); /* of the quarters of the columns */
    LOCAL_ARRAY(ELEMENT, solved, 2 * BLOCK * SIDES);      /* of the block that is taken out, of two by turns */
    LOCAL_ARRAY(ELEMENT, own, BLOCK * SIDES);             /* the block's rows, at last its solution */
    LOCAL_ARRAY(ELEMENT, pivots, BLOCK);
    LOCAL_ARRAY(ELEMENT, inverses, BLOCK);
    LOCAL_ARRAY(int, flags, 2); /* a pivot without a safe inverse; words did not come */
    const int lid = (int)LOCAL_ID(0), line = lid % BLOCK, q = lid / BLOCK, groups = (int)GROUPS(0);
    const unsigned mark = sweep << 16;
    const idx_t blocks = (n + BLOCK - 1) / BLOCK;
    const idx_t along_i = (backward ? -1 : 1) * (trans ? ldt : 1), along_k = (backward ? -1 : 1) * (trans ? 1 : ldt);
    const idx_t step = trans ? along_i : along_k;                         /* between a work-item's elements */
    const int r0 = trans ? q * HELD : line, k0 = trans ? line : q * HELD; /* its first one in a block */
    const GLOBAL ELEMENT *const origin =
        t + t_offset + (backward ? (n - 1) * (1 + ldt) : 0) + r0 * along_i + k0 * along_k;
    ELEMENT held[HELD], next[HELD];

    if (lid == 0) flags[1] = late[0]; /* an earlier sweep has failed */
    BARRIER();
    int failed = flags[1];
    LOCAL_BARRIER();
#pragma unroll 1
    for (idx_t i = GROUP_ID(0); i < blocks && !failed; i += groups) {
        const idx_t row = i * BLOCK + line, at = backward ? n - 1 - row : row;
        ELEMENT sum[HELD * SIDES]; /* transposed of each row, else of one */
        offered_t word = {0};

        UNROLL
        for (int e = 0; e < HELD * SIDES; ++e) sum[e] = ZERO;
        const GLOBAL ELEMENT *from = origin + i * BLOCK * along_i;
        const int whole = (i + 1) * BLOCK <= n;
        if (i > 0 && whole)
            fetch(from, step, held);
        else
            fetch_edge(from, step, i * BLOCK + r0, k0, trans, n, held);
        if (i > 0 && q < sides) LOAD_OFFER(words + OFFER_PAIRS * q * n + OFFER_PAIRS * line, word);
#pragma unroll 1
        for (idx_t j = 0; j < i; ++j) {
            LOCAL_PTR ELEMENT *const x_of = solved + (int)(j % 2) * BLOCK * SIDES;
            from += BLOCK * along_k;
            if (j + 1 < i && whole)
                fetch(from, step, next);
            else
                fetch_edge(from, step, i * BLOCK + r0, (j + 1) * BLOCK + k0, trans, n, next);
            if (q < sides) {
                GLOBAL PAIR_OF_WORDS *const place =
                    words + OFFER_PAIRS * q * n + OFFER_PAIRS * j * BLOCK + OFFER_PAIRS * line;
                unsigned missing = IS_MISSING(word, mark);
#pragma unroll 1
                AWAIT_OFFER(place, word, mark, spins, missing)
                if (missing != 0) flags[1] = 1;
                x_of[q * BLOCK + line] = ELEMENT_IN(word);
                if (j + 1 < i) LOAD_OFFER(place + OFFER_PAIRS * BLOCK, word);
            }
            LOCAL_BARRIER();
            if (trans) {
                FOR_SIDES if (s < sides) {
                    const ELEMENT x = x_of[s * BLOCK + line];
                    FOR_HELD ADD_PRODUCT(sum[e * SIDES + s], held[e], x);
                }
            } else {
                FOR_SIDES if (s < sides) {
                    FOR_HELD ADD_PRODUCT(sum[s], held[e], x_of[s * BLOCK + q * HELD + e]);
                }
            }
            FOR_HELD held[e] = next[e];
        }

        /* The sum that is taken out of each row, in `own` less than b. */
        if (trans) {
            FOR_SIDES {
                ELEMENT part = ZERO;
                LOCAL_BARRIER();
                FOR_HELD w[line * PITCH + q * HELD + e] = sum[e * SIDES + s];
                LOCAL_BARRIER();
#pragma unroll 1
                for (int k = q * HELD; k < (q + 1) * HELD; ++k) ADD(part, w[k * PITCH + line]);
                sums[(s * QUARTERS + q) * BLOCK + line] = part;
            }
        } else {
            FOR_SIDES sums[(s * QUARTERS + q) * BLOCK + line] = sum[s];
        }
        if (lid == 0) flags[0] = 0;
        LOCAL_BARRIER();
        if (q < sides) {
            ELEMENT y = row < n ? CONJUGATE_IF(trans == 2, b[b_offset + q * ldb + at]) : ZERO;
            UNROLL
            for (int k = 0; k < QUARTERS; ++k) y = MINUS(y, sums[(q * QUARTERS + k) * BLOCK + line]);
            own[q * BLOCK + line] = y;
        }
        ELEMENT pivot = ONE; /* a work-item has one of the diagonal's elements, or none */
        FOR_HELD {
            const int r = trans ? q * HELD + e : line, k = trans ? line : q * HELD + e;
            w[k * PITCH + r] = held[e];
            pivot = PICK((r == k) & !unit & (row < n), held[e], pivot);
        }
        if (line / HELD == q) {
            pivots[line] = pivot;
            inverses[line] = OVER(ONE, pivot);
            if (!IS_SAFE(pivot)) flags[0] = 1;
        }
        LOCAL_BARRIER();
        const int divides = flags[0];

        /* The block's own triangle. A work-item a side solves 8 rows, then each row takes out what they leave. */
#pragma unroll 1
        for (int p = 0; p < BLOCK; p += PART) {
            if (lid < sides) {
                ELEMENT y[PART];
                UNROLL
                for (int k = 0; k < PART; ++k) y[k] = own[lid * BLOCK + p + k];
                UNROLL
                for (int k = 0; k < PART; ++k) {
                    if (!unit) y[k] = divides ? OVER(y[k], pivots[p + k]) : TIMES(y[k], inverses[p + k]);
                    UNROLL
                    for (int r = k / 2 * 2; r < PART; r += 2) {
                        const ELEMENT_PAIR l = PAIR(w + (p + k) * PITCH + p + r);
                        if (r > k) SUBTRACT_PRODUCT(y[r], l.x, y[k]);
                        if (r + 1 > k) SUBTRACT_PRODUCT(y[r + 1], l.y, y[k]);
                    }
                }
                UNROLL
                for (int k = 0; k < PART; ++k) own[lid * BLOCK + p + k] = y[k];
            }
            LOCAL_BARRIER();
            if (q < sides && line >= p + PART) {
                ELEMENT y = own[q * BLOCK + line];
                UNROLL
                for (int k = 0; k < PART; ++k) SUBTRACT_PRODUCT(y, w[(p + k) * PITCH + line], own[q * BLOCK + p + k]);
                own[q * BLOCK + line] = y;
            }
            LOCAL_BARRIER();
        }
        if (q < sides && row < n) {
            const ELEMENT y = flags[1] ? NO_NUMBER : own[q * BLOCK + line];
            STORE_OFFER(words + OFFER_PAIRS * q * n + OFFER_PAIRS * row, y, 0, 0, mark);
            b[b_offset + q * ldb + at] = CONJUGATE_IF(trans == 2, y);
        }
        failed = flags[1];
        LOCAL_BARRIER(); /* before a work-item sets it in the next block */
    }
    if (failed) { /* what is left of this group's is spoilt too */
        if (lid == 0) late[0] = 1;
#pragma unroll 1
        for (idx_t i = GROUP_ID(0); i < blocks; i += groups) {
            const idx_t row = i * BLOCK + line;
            if (q < sides && row < n) b[b_offset + q * ldb + (backward ? n - 1 - row : row)] = NO_NUMBER;
        }
    }
}
