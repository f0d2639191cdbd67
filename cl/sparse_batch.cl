/*
 * sparse_batch.cl: LU factors of many sparse matrices of one pattern, by the steps of src/method/sparse_batch/batch.h.
 *
 *   sparse_batch_take       values of members, side by side; the largest part that each work-item has seen
 *   sparse_batch_exponents  the exponent that is taken out of each member's values, and its state: DONE or NOT_FINITE
 *   sparse_batch_scale      takes it out
 *   sparse_batch_pivots     the inverses of the pivots of all positions, side by side
 *   sparse_batch_factor     all steps, by levels; counts the pivots of each member that have no finite inverse
 *
 * Layout: number s of a block lies at (block * numbers + s) * MEMBERS + w. Work-groups: MEMBERS * ITEMS work-items a
 * block; of sparse_batch_exponents LS, a member each. Access: the MEMBERS work-items of a number on neighbouring
 * elements, whole sectors of memory; a member's values are read by MEMBERS * ITEMS work-items from MEMBERS places.
 * Sums are read from memory, and each is stored once. No local memory.
 */
#ifndef LS
#define LS 64
#endif
#include "sparse_member.clh"

/* Entry e of the member: with `listed` the sum of entries given[first[e]] .. */
HELPER ELEMENT value_of(GLOBAL const ELEMENT *from, idx_t step, idx_t e, GLOBAL const int *first,
                        GLOBAL const int *given, int listed) {
    ELEMENT sum = ZERO;
    if (!listed) return from[e * step];
    for (int k = first[e]; k < first[e + 1]; ++k) ADD(sum, from[given[k] * step]);
    return sum;
}

/* The members from `begin` on, of `count`. Members that are not there have the value 1 everywhere. */
KERNEL WORK_GROUP(MEMBERS *ITEMS, 1, 1) void sparse_batch_take(GLOBAL const ELEMENT *RESTRICT values, idx_t offset,
                                                               idx_t member, idx_t step, idx_t begin, idx_t count,
                                                               GLOBAL const int *RESTRICT first,
                                                               GLOBAL const int *RESTRICT given, int listed,
                                                               idx_t entries, GLOBAL ELEMENT *A, GLOBAL REAL *partial) {
    const int w = (int)LOCAL_ID(0) % MEMBERS, item = (int)LOCAL_ID(0) / MEMBERS;
    const idx_t block = begin / MEMBERS + GROUP_ID(0), m = block * MEMBERS + w;
    const int there = m < count;
    GLOBAL const ELEMENT *const from = values + offset + (there ? m - begin : 0) * member;
    GLOBAL ELEMENT *const to = A + block * entries * MEMBERS + w;
    REAL most = 0;
    for (idx_t e = item; e < entries; e += ITEMS) {
        ELEMENT a = ONE;
        if (there) a = value_of(from, step, e, first, given, listed);
        to[e * MEMBERS] = a;
        most = larger_of(most, a);
    }
    partial[(block * ITEMS + item) * MEMBERS + w] = most;
}

KERNEL WORK_GROUP(LS, 1, 1) void sparse_batch_exponents(GLOBAL const REAL *RESTRICT partial, idx_t members,
                                                        GLOBAL int *exponents, GLOBAL int *states,
                                                        GLOBAL int *vanished) {
    const idx_t m = GROUP_ID(0) * LS + LOCAL_ID(0);
    if (m >= members) return;
    const REAL most = most_of(partial, m / MEMBERS, (int)(m % MEMBERS));
    const int fine = most - most == 0;
    exponents[m] = fine ? exponent_of(most) : 0;
    states[m] = fine ? DONE : NOT_FINITE;
    vanished[m] = 0;
}

KERNEL WORK_GROUP(MEMBERS *ITEMS, 1, 1) void sparse_batch_scale(GLOBAL const int *RESTRICT exponents, idx_t entries,
                                                                GLOBAL ELEMENT *A) {
    const int w = (int)LOCAL_ID(0) % MEMBERS, item = (int)LOCAL_ID(0) / MEMBERS;
    const int exponent = exponents[GROUP_ID(0) * MEMBERS + w];
    GLOBAL ELEMENT *const a = A + GROUP_ID(0) * entries * MEMBERS + w;
    const idx_t end = exponent != 0 ? entries : 0;
    for (idx_t e = item; e < end; e += ITEMS) a[e * MEMBERS] = EACH_PART(ldexp, a[e * MEMBERS], -exponent);
}

KERNEL WORK_GROUP(MEMBERS *ITEMS, 1,
                  1) void sparse_batch_factor(GLOBAL const int *RESTRICT level, int levels,
                                              GLOBAL const int *RESTRICT steps, GLOBAL const int2 *RESTRICT pairs,
                                              GLOBAL const ELEMENT *RESTRICT A, idx_t entries, GLOBAL ELEMENT *LU,
                                              idx_t slots, GLOBAL int *vanished) {
    const int w = (int)LOCAL_ID(0) % MEMBERS, item = (int)LOCAL_ID(0) / MEMBERS;
    GLOBAL const ELEMENT *const a = A + GROUP_ID(0) * entries * MEMBERS + w;
    GLOBAL ELEMENT *const lu = LU + GROUP_ID(0) * slots * MEMBERS + w;
    for (int l = 0; l < levels; ++l) {
        const int last = level[l + 1];
        for (int t = level[l] + item; t < last; t += ITEMS) {
            GLOBAL const int *const step = steps + (idx_t)t * FIELDS;
            const int from = step[FROM], diagonal = step[DIAGONAL], end = step[FIELDS + BEGIN];
            ELEMENT sum = ZERO;
            if (from >= 0) sum = a[(idx_t)from * MEMBERS];
            UNROLL_SOME
            for (int k = step[BEGIN]; k < end; ++k) {
                const int2 pair = pairs[k];
                SUBTRACT_PRODUCT(sum, lu[(idx_t)pair.x * MEMBERS], lu[(idx_t)pair.y * MEMBERS]);
            }
            if (diagonal >= 0) MULTIPLY_BY(sum, lu[(idx_t)diagonal * MEMBERS]);
            if (diagonal == PIVOT) {
                sum = INVERSE(sum);
                if (!IS_FINITE_ELEMENT(sum)) ATOMIC_INC(&vanished[GROUP_ID(0) * MEMBERS + w]);
            }
            lu[(idx_t)step[TO] * MEMBERS] = sum;
        }
        BARRIER();
    }
}

KERNEL WORK_GROUP(MEMBERS *ITEMS, 1, 1) void sparse_batch_pivots(GLOBAL const ELEMENT *RESTRICT LU, idx_t slots,
                                                                 GLOBAL const int *RESTRICT diagonal, idx_t n,
                                                                 GLOBAL ELEMENT *pivots) {
    const int w = (int)LOCAL_ID(0) % MEMBERS, item = (int)LOCAL_ID(0) / MEMBERS;
    GLOBAL const ELEMENT *const lu = LU + GROUP_ID(0) * slots * MEMBERS + w;
    GLOBAL ELEMENT *const to = pivots + GROUP_ID(0) * n * MEMBERS + w;
    for (idx_t k = item; k < n; k += ITEMS) to[k * MEMBERS] = lu[(idx_t)diagonal[k] * MEMBERS];
}
