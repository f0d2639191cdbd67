/*
 * front_ahead.cl: what the host otherwise decides between the launches of a factorization and of a solve, so that it
 * need not wait. Outcomes stay in words, and X goes to the caller's memory only if all of them are zero.
 *
 *   ahead_values    from the maxima of values_check (front_values.cl): WORD_VALUES 1: NaN, Inf, or A is not its own
 *                   conjugate transpose, 2: the largest part is not in low .. high
 *   ahead_factors   WORD_FACTORS 1: a pivot was replaced, or a front is to be factored again
 *   ahead_judge     the backward error of X from the maxima of front_residual.cl; WORD_SIDES 1: B has NaN or Inf,
 *                   WORD_ERROR 1: the error is above `enough`. `begins`: the solution before refinement, BEGINS_ALL: of
 *                   the first columns of B, BEGINS_MORE: of others, and what came of those before is added to
 *                   WORD_BEFORE and to the state's worst. A later solution counts if the one before was not good
 *                   enough, and its error is smaller
 *   ahead_keep      x = next, if that one counts
 *   ahead_deliver   X in the caller's order, times C 2^(k - exponent), as residual_gather
 *   ahead_hand_over X of all columns to where B lies
 *
 * state: the error of the first solution, the least error, the steps that counted, whether the last one did, and
 * whether one did not make the error half as large, behind which none counts. Behind them the worst of the first three
 * for the columns before.
 *
 * Work-groups: LS work-items, of the first two one group, of ahead_judge one of one work-item; of the others dimension
 * 0 over as many groups as fill the device, dimension 1 over columns. Access: neighbours on neighbouring rows;
 * positions scatter. Local memory: LS REALs or ints.
 */
#ifndef LS
#define LS 64
#endif
#include "front_most.clh"

#define SLOTS        5 /* as in front_residual.cl */
#define SLOT_B       0
#define SLOT_RB      1
#define SLOT_X       2
#define SLOT_REST    3
#define SLOT_NORM    4
#define WORD_VALUES  0
#define WORD_FACTORS 1
#define WORD_SIDES   2
#define WORD_ERROR   3
#define WORD_BEFORE  4
#define WORDS        5
#define STATE_FIRST  0
#define STATE_LEAST  1
#define STATE_STEPS  2
#define STATE_COUNTS 3
#define STATE_OVER   4
#define STATE_BEFORE 5
#define FOLDED       3 /* STATE_FIRST .. STATE_STEPS */
#define BEGINS_ALL   1
#define BEGINS_MORE  2

KERNEL WORK_GROUP(LS, 1, 1) void ahead_values(GLOBAL const REAL *RESTRICT partial, int groups, REAL low, REAL high,
                                              GLOBAL int *words) {
    LOCAL_ARRAY(REAL, sizes, LS);
    const int lid = (int)LOCAL_ID(0);
    REAL size = 0;
    for (int g = lid; g < groups; g += LS) {
        const int bad = !(partial[2 * g] - partial[2 * g] == 0) || partial[2 * g + 1] != 0;
        size = larger(size, bad ? (REAL)INFINITY : partial[2 * g]);
    }
    find_most(sizes, size, lid);
    if (lid == 0) words[WORD_VALUES] = !(sizes[0] - sizes[0] == 0) ? 1 : sizes[0] < low || sizes[0] > high ? 2 : 0;
}

KERNEL WORK_GROUP(LS, 1, 1) void ahead_factors(GLOBAL const int *RESTRICT replaced, int fronts, GLOBAL int *words) {
    LOCAL_ARRAY(int, all, LS);
    const int lid = (int)LOCAL_ID(0);
    int lost = 0;
    UNROLL_SOME
    for (int s = lid; s < fronts; s += LS) lost |= replaced[s]; /* with VANISHED and AGAIN */
    all[lid] = lost;
    LOCAL_BARRIER();
    for (int apart = LS / 2; apart > 0; apart /= 2) {
        if (lid < apart) all[lid] |= all[lid + apart];
        LOCAL_BARRIER();
    }
    if (lid == 0) words[WORD_FACTORS] = all[0] != 0;
}

#if CLS_DOUBLE
#define LEAST ((REAL)2.2250738585072014e-308) /* normal number */
#else
#define LEAST ((REAL)1.17549435e-38f)
#endif

/* The error of a column; less than 0: it is no number, or X or R b are beyond the range of normal numbers. */
HELPER REAL error_of(GLOBAL const REAL *found, REAL norm, int exponent) {
    const REAL most = found[SLOT_RB];
    int k = 0;
    if (most > 0 && most - most == 0) (void)frexp(most, &k);
    const REAL size = norm * found[SLOT_X] + ldexp(found[SLOT_B], -k), x = ldexp(found[SLOT_X], k - exponent),
               error = found[SLOT_REST] == 0 ? (REAL)0 : found[SLOT_REST] / size;
    const int lost = (found[SLOT_X] > 0 && x < LEAST) || (most < LEAST && most < found[SLOT_B]);
    return size - size == 0 && x - x == 0 && error >= 0 && !lost ? error : (REAL)-1;
}

/* The columns before are added to the worst. A value below 0 is worse than all others. */
HELPER void fold(GLOBAL REAL *state, GLOBAL int *words) {
    for (int k = 0; k < FOLDED; ++k) {
        const REAL now = state[k], before = state[STATE_BEFORE + k];
        state[STATE_BEFORE + k] = before < 0 || now < 0 ? (REAL)-1 : now > before ? now : before;
    }
    words[WORD_BEFORE] |= words[WORD_ERROR];
}

/* norm: of A; below 0: that of the first column's slot. */
KERNEL WORK_GROUP(1, 1, 1) void ahead_judge(GLOBAL const REAL *RESTRICT found, int sides, REAL norm, int exponent,
                                            REAL enough, int begins, GLOBAL REAL *state, GLOBAL int *words) {
    const int first = begins != 0;
    REAL worst = 0;
    int bad = 0;
    if (begins == BEGINS_MORE) fold(state, words);
    if (begins == BEGINS_ALL) {
        for (int k = 0; k < FOLDED; ++k) state[STATE_BEFORE + k] = 0;
        words[WORD_SIDES] = words[WORD_BEFORE] = 0;
    }
    if (norm < 0) norm = found[SLOT_NORM];
    for (int j = 0; j < sides; ++j) {
        const REAL error = error_of(found + j * SLOTS, norm, exponent), b = found[j * SLOTS + SLOT_B];
        if (!(b - b == 0)) bad = 1;
        if (worst >= 0 && (error < 0 || error > worst)) worst = error;
    }
    const REAL least = first ? (REAL)-1 : state[STATE_LEAST];
    const int goes_on = !first && state[STATE_OVER] == 0 && !(least >= 0 && least <= enough);
    const int counts = first || (goes_on && worst >= 0 && worst < least);
    if (first) {
        state[STATE_FIRST] = worst;
        state[STATE_STEPS] = -1;
        state[STATE_OVER] = 0;
        words[WORD_SIDES] |= bad;
    }
    if (counts) {
        state[STATE_LEAST] = worst;
        state[STATE_STEPS] += 1;
    }
    if (!first && !(counts && worst <= least / 2)) state[STATE_OVER] = 1;
    state[STATE_COUNTS] = counts;
    words[WORD_ERROR] = !(state[STATE_LEAST] >= 0 && state[STATE_LEAST] <= enough);
}

KERNEL WORK_GROUP(LS, 1, 1) void ahead_keep(GLOBAL const REAL *RESTRICT state, idx_t n,
                                            GLOBAL const ELEMENT *RESTRICT next, GLOBAL ELEMENT *x) {
    const idx_t end = state[STATE_COUNTS] != 0 ? n : 0;
    for (idx_t p = GROUP_ID(0) * LS + LOCAL_ID(0); p < end; p += GROUPS(0) * LS)
        x[p + GROUP_ID(1) * n] = next[p + GROUP_ID(1) * n];
}

KERNEL WORK_GROUP(LS, 1, 1) void ahead_deliver(GLOBAL const int *RESTRICT words, GLOBAL const ELEMENT *RESTRICT x,
                                               idx_t n, GLOBAL const int *RESTRICT at,
                                               GLOBAL const REAL *RESTRICT after, int scaled,
                                               GLOBAL const REAL *RESTRICT found, int exponent, GLOBAL ELEMENT *X,
                                               idx_t first, idx_t down, idx_t across) {
    const REAL most = found[GROUP_ID(1) * SLOTS + SLOT_RB];
    int k = 0, bad = 0;
    for (int w = 0; w < WORDS; ++w) bad |= words[w];
    const idx_t end = bad ? 0 : n;
    if (most > 0 && most - most == 0) (void)frexp(most, &k);
    for (idx_t i = GROUP_ID(0) * LS + LOCAL_ID(0); i < end; i += GROUPS(0) * LS) {
        ELEMENT result = x[at[i] + GROUP_ID(1) * n];
        if (scaled) result = BY_REAL(result, after[at[i]]);
        X[first + i * down + GROUP_ID(1) * across] = EACH_PART(ldexp, result, k - exponent);
    }
}

KERNEL WORK_GROUP(LS, 1, 1) void ahead_hand_over(GLOBAL const int *RESTRICT words, GLOBAL const ELEMENT *RESTRICT x,
                                                 idx_t first_x, idx_t n, GLOBAL ELEMENT *X, idx_t first, idx_t down,
                                                 idx_t across) {
    int bad = 0;
    for (int w = 0; w < WORDS; ++w) bad |= words[w];
    const idx_t end = bad ? 0 : n;
    for (idx_t i = GROUP_ID(0) * LS + LOCAL_ID(0); i < end; i += GROUPS(0) * LS)
        X[first + i * down + GROUP_ID(1) * across] = x[first_x + i + GROUP_ID(1) * n];
}
