/*
 * sparse_batch_solve.cl: right-hand sides of many sparse matrices of one pattern, with the factors of sparse_batch.cl.
 *
 *   sparse_batch_sides      right-hand sides of members into b and r, zeros into x; the largest part of each
 *   sparse_batch_begin      the exponent that is taken out of each, its size, and its state: MORE, or its member's
 *   sparse_batch_shrink     takes it out
 *   sparse_batch_substitute x += (L U)^-1 r, by levels, for members that are to have MORE
 *   sparse_batch_residual   r = b - A x; the largest of x, r and of the row sums of |A| that each work-item has seen
 *   sparse_batch_judge      the backward error of each, and its state: DONE, MORE or AGAIN
 *   sparse_batch_put        the solutions to their place
 *
 * Layout: side s of a member is like one of another block, at ((s * blocks + block) * n + i) * MEMBERS + w, and what it
 * has once at (s * blocks + block) * MEMBERS + w. Work-groups: MEMBERS * ITEMS work-items for each block and side;
 * of sparse_batch_begin and sparse_batch_judge LS, a side of a member each. Access: as sparse_batch.cl.
 * No local memory.
 */
#ifndef LS
#define LS 64
#endif
#include "sparse_member.clh"

/* Neighbouring work-groups have the sides of one block, so its factors come once for several of them. The numbers of
 * the block and the side begin at PLACE. */
#define W_ID    ((int)LOCAL_ID(0) % MEMBERS)
#define ITEM_ID ((int)LOCAL_ID(0) / MEMBERS)
#define BLOCK   (GROUP_ID(0) / sides)
#define SIDE    (GROUP_ID(0) % sides)
#define PLACE   (SIDE * (GROUPS(0) / sides) + BLOCK)

/* The elements of member m's side s are at offset + m * member + i * step + s * across. */
KERNEL WORK_GROUP(MEMBERS *ITEMS, 1,
                  1) void sparse_batch_sides(GLOBAL const ELEMENT *RESTRICT B, idx_t offset, idx_t member, idx_t step,
                                             idx_t across, idx_t count, idx_t n, idx_t sides, int conjugated,
                                             GLOBAL const int *RESTRICT outcomes, GLOBAL ELEMENT *b, GLOBAL ELEMENT *r,
                                             GLOBAL ELEMENT *x, GLOBAL REAL *partial) {
    const int w = W_ID, item = ITEM_ID;
    const idx_t m = BLOCK * MEMBERS + w, at = PLACE * n * MEMBERS + w;
    const int there = m < count ? outcomes[m] == DONE : 0;
    GLOBAL const ELEMENT *const from = B + offset + (there ? m : 0) * member + SIDE * across;
    REAL most = 0;
    for (idx_t i = item; i < n; i += ITEMS) {
        ELEMENT a = ZERO;
        if (there) a = CONJUGATE_IF(conjugated, from[i * step]);
        b[at + i * MEMBERS] = a;
        r[at + i * MEMBERS] = a;
        x[at + i * MEMBERS] = ZERO;
        most = larger_of(most, a);
    }
    partial[(PLACE * ITEMS + item) * MEMBERS + w] = most;
    (void)conjugated;
}

KERNEL WORK_GROUP(LS, 1, 1) void sparse_batch_begin(GLOBAL const REAL *RESTRICT partial, idx_t members, idx_t sides,
                                                    idx_t count, GLOBAL const int *RESTRICT outcomes,
                                                    GLOBAL int *exponents, GLOBAL REAL *sizes, GLOBAL int *states) {
    const idx_t k = GROUP_ID(0) * LS + LOCAL_ID(0), m = k % members;
    if (k >= members * sides) return;
    const REAL most = most_of(partial, k / MEMBERS, (int)(k % MEMBERS));
    const int outcome = m < count ? outcomes[m] : DONE, fine = most - most == 0;
    const int exponent = fine ? exponent_of(most) : 0;
    exponents[k] = exponent;
    sizes[k] = exponent != 0 ? ldexp(most, -exponent) : most;
    states[k] = m >= count ? DONE : outcome != DONE ? outcome : fine ? MORE : NOT_FINITE;
}

KERNEL WORK_GROUP(MEMBERS *ITEMS, 1, 1) void sparse_batch_shrink(GLOBAL const int *RESTRICT exponents, idx_t n,
                                                                 idx_t sides, GLOBAL ELEMENT *b, GLOBAL ELEMENT *r) {
    const idx_t at = PLACE * n * MEMBERS + W_ID;
    const int exponent = exponents[PLACE * MEMBERS + W_ID];
    const idx_t end = exponent != 0 ? n : 0;
    for (idx_t i = ITEM_ID; i < end; i += ITEMS) {
        const ELEMENT a = EACH_PART(ldexp, b[at + i * MEMBERS], -exponent);
        b[at + i * MEMBERS] = a;
        r[at + i * MEMBERS] = a;
    }
}

/* The whole block is left out where no member is to have more. */
HELPER int wants_more(GLOBAL const int *states, idx_t place) {
    int wanted = 0;
    for (int w = 0; w < MEMBERS; ++w)
        if (states[place * MEMBERS + w] == MORE) wanted = 1;
    return wanted;
}

KERNEL WORK_GROUP(MEMBERS *ITEMS, 1,
                  1) void sparse_batch_substitute(GLOBAL const int *RESTRICT level, int levels,
                                                  GLOBAL const int *RESTRICT steps, GLOBAL const int2 *RESTRICT pairs,
                                                  GLOBAL const ELEMENT *RESTRICT LU, idx_t slots, idx_t n, idx_t sides,
                                                  GLOBAL const int *RESTRICT states, GLOBAL const ELEMENT *RESTRICT r,
                                                  GLOBAL ELEMENT *v, GLOBAL ELEMENT *x) {
    const int w = W_ID, item = ITEM_ID;
    const idx_t at = PLACE * n * MEMBERS + w;
    GLOBAL const ELEMENT *const lu = LU + BLOCK * slots * MEMBERS + w, *const side = r + at;
    GLOBAL ELEMENT *const y = v + at, *const sum_of = x + at;
    const int mine = states[PLACE * MEMBERS + w] == MORE, end_level = wants_more(states, PLACE) ? levels : 0;
    for (int l = 0; l < end_level; ++l) {
        const int last = level[l + 1];
        for (int t = level[l] + item; t < last; t += ITEMS) {
            GLOBAL const int *const step = steps + (idx_t)t * FIELDS;
            const int from = step[FROM], into = step[INTO], diagonal = step[DIAGONAL], end = step[FIELDS + BEGIN];
            const idx_t to = (idx_t)step[TO] * MEMBERS;
            ELEMENT sum;
            if (from >= 0)
                sum = side[(idx_t)from * MEMBERS];
            else
                sum = y[to];
            UNROLL_SOME
            for (int k = step[BEGIN]; k < end; ++k) {
                const int2 pair = pairs[k];
                SUBTRACT_PRODUCT(sum, lu[(idx_t)pair.x * MEMBERS], y[(idx_t)pair.y * MEMBERS]);
            }
            if (diagonal >= 0) MULTIPLY_BY(sum, lu[(idx_t)diagonal * MEMBERS]);
            y[to] = sum;
            if (into >= 0)
                if (mine) ADD(sum_of[(idx_t)into * MEMBERS], sum);
        }
        BARRIER();
    }
}

/* |a| of a number whose square is in the range. */
#if CLS_COMPLEX
#define LENGTH(a) sqrt(SQUARE(a))
#else
#define LENGTH(a) ABS(a)
#endif

#define PIECE 64 /* entries: roundings of a plain sum of thousands hide an error of x */

/* partial: of x, of r and of A, one behind the other. */
KERNEL WORK_GROUP(MEMBERS *ITEMS, 1,
                  1) void sparse_batch_residual(GLOBAL const int *RESTRICT start, GLOBAL const int *RESTRICT column,
                                                GLOBAL const int *RESTRICT entry, GLOBAL const ELEMENT *RESTRICT A,
                                                idx_t entries, idx_t n, idx_t sides, GLOBAL const int *RESTRICT states,
                                                GLOBAL const ELEMENT *RESTRICT b, GLOBAL const ELEMENT *RESTRICT x,
                                                GLOBAL ELEMENT *r, GLOBAL REAL *partial) {
    const int w = W_ID, item = ITEM_ID;
    const idx_t at = PLACE * n * MEMBERS + w, all = GROUPS(0) * ITEMS * MEMBERS;
    const idx_t to = (PLACE * ITEMS + item) * MEMBERS + w, end = wants_more(states, PLACE) ? n : 0;
    GLOBAL const ELEMENT *const a = A + BLOCK * entries * MEMBERS + w, *const of = x + at;
    REAL most_x = 0, most_r = 0, most_A = 0;
    for (idx_t i = item; i < end; i += ITEMS) {
        ELEMENT sum = b[at + i * MEMBERS];
        REAL sizes = 0;
        for (int first = start[i]; first < start[i + 1]; first += PIECE) {
            const int last = first + PIECE < start[i + 1] ? first + PIECE : start[i + 1];
            ELEMENT part = ZERO;
            UNROLL_SOME
            for (int k = first; k < last; ++k) {
                const ELEMENT value = a[(idx_t)entry[k] * MEMBERS];
                SUBTRACT_PRODUCT(part, value, of[(idx_t)column[k] * MEMBERS]);
                sizes += LENGTH(value);
            }
            ADD(sum, part);
        }
        r[at + i * MEMBERS] = sum;
        const REAL size_x = LENGTH(of[i * MEMBERS]), size_r = LENGTH(sum);
        most_x = size_x <= most_x ? most_x : size_x; /* NaN too */
        most_r = size_r <= most_r ? most_r : size_r;
        if (!(size_r - size_r == 0)) most_r = (REAL)INFINITY;
        most_A = larger(most_A, sizes);
    }
    partial[to] = most_x;
    partial[all + to] = most_r;
    partial[2 * all + to] = most_A;
}

#if CLS_DOUBLE
#define LEAST ((REAL)2.2250738585072014e-308) /* normal number */
#else
#define LEAST ((REAL)1.17549435e-38f)
#endif

/* `step`: of refinement, 0 the first solution. A step that does not halve the error is the last. A solution beyond the
 * range, or below that of normal numbers, is the host's. */
KERNEL WORK_GROUP(LS, 1, 1) void sparse_batch_judge(GLOBAL const REAL *RESTRICT partial, idx_t members, idx_t sides,
                                                    GLOBAL const REAL *RESTRICT sizes,
                                                    GLOBAL const int *RESTRICT exponents,
                                                    GLOBAL const int *RESTRICT of_A, REAL promised, int step,
                                                    int last_step, GLOBAL REAL *errors, GLOBAL int *states) {
    const idx_t k = GROUP_ID(0) * LS + LOCAL_ID(0), m = k % members, all = members * sides * ITEMS;
    if (k >= members * sides) return;
    if (states[k] != MORE) return;
    const idx_t block = k / MEMBERS;
    const int w = (int)(k % MEMBERS);
    const REAL size_x = most_of(partial, block, w), rest = most_of(partial + all, block, w);
    const REAL error = rest == 0 ? 0 : rest / (most_of(partial + 2 * all, block, w) * size_x + sizes[k]);
    const REAL result = ldexp(size_x, exponents[k] - of_A[m]);
    const int fine = error <= promised && result < (REAL)INFINITY && (result >= LEAST || size_x == 0);
    const int better = step == 0 ? error - error == 0 : 2 * error <= errors[k];
    errors[k] = error;
    states[k] = fine ? DONE : better && step < last_step && !(error <= promised) ? MORE : AGAIN;
}

/* The solutions of members whose state is DONE. */
KERNEL WORK_GROUP(MEMBERS *ITEMS, 1,
                  1) void sparse_batch_put(GLOBAL const ELEMENT *RESTRICT x, idx_t n, idx_t sides,
                                           GLOBAL const int *RESTRICT exponents, GLOBAL const int *RESTRICT of_A,
                                           GLOBAL const int *RESTRICT states, idx_t count, int conjugated,
                                           GLOBAL ELEMENT *B, idx_t offset, idx_t member, idx_t step, idx_t across) {
    const int w = W_ID;
    const idx_t m = BLOCK * MEMBERS + w, at = PLACE * n * MEMBERS + w;
    const int there = m < count ? states[m] == DONE : 0, exponent = exponents[PLACE * MEMBERS + w] - of_A[m];
    GLOBAL ELEMENT *const to = B + offset + (there ? m : 0) * member + SIDE * across;
    const idx_t end = there ? n : 0;
    for (idx_t i = ITEM_ID; i < end; i += ITEMS) {
        ELEMENT a = x[at + i * MEMBERS];
        if (exponent != 0) a = EACH_PART(ldexp, a, exponent);
        to[i * step] = CONJUGATE_IF(conjugated, a);
    }
    (void)conjugated;
}
