/*
 * front_residual.cl: refinement with the factors of front_*.cl: A x = b and b - A x, for the columns of B. R and C are
 * the scales of rows and columns, powers of two. Vectors hold the scaled system (R A C) (x / C) = R b by positions,
 * divided by 2^k, where 2^k is just above the largest |R b|. `value` has the entries of R A C.
 *
 *   residual_sizes    the largest |b| and |R b|, B in the caller's order
 *   residual_spread   R b / 2^k to its positions
 *   residual_add      next = x + the correction that the substitution has left, and the largest |C next|
 *   residual_rows     the residual of x, for the next substitution, and the largest |residual / R|
 *   residual_norm     the largest sum of a row of |A|
 *   residual_gather   X in the caller's order, times C 2^(k - exponent)
 *   residual_deliver  X from where it has waited to the caller's memory
 *   residual_most     the largest of the maxima that the groups of a kernel before have left
 *
 * Row i has the entries start[i] .. start[i + 1] - 1; their positions are in `column`. With `through`, entry e has the
 * value entry[e], below 0 the conjugate of value -1 - entry[e]; else value e. So one triangle or A^T are rows too. `at`
 * has the position of each row or column. Without `scaled` there are no scales. Element (i, j) of B and of X is number
 * first + i down + j across of its buffer, which may be the caller's.
 *
 * Work-groups: LS work-items, a power of two. Dimension 0 over as many groups as fill the device, dimension 1 over the
 * columns of B. residual_most: dimension 0 over slots. A row has `lanes` work-items, one of more than `limit` entries
 * the whole group. Each group writes its maximum to a place of its own, and every sum has one order. NaN is a maximum.
 * Access: neighbours on neighbouring entries or rows; positions scatter. Local memory: LS elements and LS REALs.
 */
#ifndef LS
#define LS 64
#endif
#define SLOTS     5 /* of each column of B in `found` */
#define SLOT_B    0
#define SLOT_RB   1
#define SLOT_X    2
#define SLOT_REST 3
#define SLOT_NORM 4 /* of the first column alone */

#include "front_most.clh"

/* The exponent k of a column whose largest |R b| is `most`. */
HELPER int unit_of(REAL most) {
    int k = 0;
    if (most > 0 && most - most == 0) (void)frexp(most, &k);
    return k;
}

/* The place in `partial` of the maximum that the group finds. */
HELPER idx_t place_of(int slot) {
    return (GROUP_ID(1) * SLOTS + slot) * GROUPS(0) + GROUP_ID(0);
}

KERNEL WORK_GROUP(LS, 1, 1) void residual_sizes(GLOBAL const ELEMENT *RESTRICT B, idx_t first, idx_t down, idx_t across,
                                                idx_t n, GLOBAL const int *RESTRICT at,
                                                GLOBAL const REAL *RESTRICT before, int scaled, GLOBAL REAL *partial) {
    LOCAL_ARRAY(REAL, sizes, LS);
    const int lid = (int)LOCAL_ID(0);
    REAL plain = 0, most = 0;
    for (idx_t i = GROUP_ID(0) * LS + lid; i < n; i += GROUPS(0) * LS) {
        const REAL size = MODULUS(B[first + i * down + GROUP_ID(1) * across]);
        plain = larger(plain, size);
        most = larger(most, scaled ? size * before[at[i]] : size);
    }
    put_most(sizes, plain, partial + place_of(SLOT_B), lid);
    put_most(sizes, most, partial + place_of(SLOT_RB), lid);
}

KERNEL WORK_GROUP(LS, 1, 1) void residual_spread(GLOBAL const ELEMENT *RESTRICT B, idx_t first, idx_t down,
                                                 idx_t across, idx_t n, GLOBAL const int *RESTRICT at,
                                                 GLOBAL const REAL *RESTRICT before, int scaled,
                                                 GLOBAL const REAL *RESTRICT found, int turned, GLOBAL ELEMENT *b,
                                                 GLOBAL ELEMENT *rest) {
    const int k = unit_of(found[GROUP_ID(1) * SLOTS + SLOT_RB]);
    for (idx_t i = GROUP_ID(0) * LS + LOCAL_ID(0); i < n; i += GROUPS(0) * LS) {
        const idx_t to = at[i] + GROUP_ID(1) * n;
        ELEMENT x = B[first + i * down + GROUP_ID(1) * across];
        if (scaled) x = BY_REAL(x, before[at[i]]);
        x = EACH_PART(ldexp, x, -k);
        b[to] = x;
        rest[to] = CONJUGATE_IF(turned, x);
    }
    (void)turned;
}

/* `more` 0: x counts as zero. */
KERNEL WORK_GROUP(LS, 1, 1) void residual_add(GLOBAL const ELEMENT *RESTRICT rest, idx_t n,
                                              GLOBAL const ELEMENT *RESTRICT x, int more, int turned,
                                              GLOBAL const REAL *RESTRICT after, int scaled, GLOBAL ELEMENT *next,
                                              GLOBAL REAL *partial) {
    LOCAL_ARRAY(REAL, sizes, LS);
    const int lid = (int)LOCAL_ID(0);
    REAL most = 0;
    for (idx_t p = GROUP_ID(0) * LS + lid; p < n; p += GROUPS(0) * LS) {
        const idx_t here = p + GROUP_ID(1) * n;
        ELEMENT sum = CONJUGATE_IF(turned, rest[here]);
        if (more) ADD(sum, x[here]);
        next[here] = sum;
        most = larger(most, scaled ? MODULUS(sum) * after[p] : MODULUS(sum));
    }
    put_most(sizes, most, partial + place_of(SLOT_X), lid);
    (void)turned;
}

/* A matrix by rows, as above. */
typedef struct {
    GLOBAL const idx_t *start;
    GLOBAL const int *column, *entry;
    GLOBAL const ELEMENT *value;
    int through, conjugated;
} rows_of;

HELPER ELEMENT entry_of(const rows_of *A, idx_t e) {
    if (!A->through) return CONJUGATE_IF(A->conjugated, A->value[e]);
    const int k = A->entry[e];
    return CONJUGATE_IF((k < 0) != A->conjugated, A->value[k < 0 ? -1 - k : k]);
}

/* Entries e, e + step, ... below `end`, times x; of a norm their sizes over C. */
HELPER ELEMENT sum_of(const rows_of *A, idx_t e, idx_t end, idx_t step, GLOBAL const ELEMENT *x,
                      GLOBAL const REAL *after, int norm) {
    ELEMENT sum = ZERO;
    for (; e < end; e += step) {
        const int c = A->column[e];
        const ELEMENT a = entry_of(A, e);
        if (!norm)
            ADD_PRODUCT(sum, a, x[c]);
        else
            ADD(sum, FROM_REAL(after ? MODULUS(a) / after[c] : MODULUS(a)));
    }
    return sum;
}

/* Makes the residual of a row from its sum and stores it; `norm`: the sum is the result, and nothing is stored. Returns
 * the size of the result on the scale of A. */
HELPER REAL end_row(ELEMENT sum, idx_t to, GLOBAL const REAL *before, GLOBAL const ELEMENT *b, GLOBAL ELEMENT *rest,
                    int turned, int norm) {
    const ELEMENT result = norm ? sum : MINUS(b[to], sum);
    if (!norm) rest[to] = CONJUGATE_IF(turned, result);
    (void)turned;
    return before ? MODULUS(result) / before[to] : MODULUS(result);
}

HELPER ELEMENT sum_of_parts(LOCAL_PTR const ELEMENT *parts, int count) {
    ELEMENT sum = parts[0];
    for (int k = 1; k < count; ++k) ADD(sum, parts[k]);
    return sum;
}

/* All rows of the group; returns the largest size that this work-item has seen. before, after: NULL without scales. */
HELPER REAL each_row(const rows_of *A, idx_t n, GLOBAL const int *at, int lanes, idx_t limit, int longer,
                     GLOBAL const REAL *before, GLOBAL const REAL *after, GLOBAL const ELEMENT *x,
                     GLOBAL const ELEMENT *b, GLOBAL ELEMENT *rest, int turned, int norm, LOCAL_PTR ELEMENT *parts,
                     int lid) {
    const int rows = LS / lanes, lane = lid % lanes;
    REAL most = 0;
    for (idx_t first = GROUP_ID(0) * rows; first < n; first += GROUPS(0) * rows) {
        const idx_t i = first + lid / lanes, begin = i < n ? A->start[i] : 0, end = i < n ? A->start[i + 1] : 0;
        const int mine = i < n && end - begin <= limit;
        parts[lid] = mine ? sum_of(A, begin + lane, end, lanes, x, after, norm) : ZERO;
        LOCAL_BARRIER();
        if (mine && lane == 0)
            most = larger(most, end_row(sum_of_parts(parts + lid, lanes), at[i], before, b, rest, turned, norm));
        LOCAL_BARRIER();
        for (idx_t k = first; longer && k < first + rows && k < n; ++k) {
            if (A->start[k + 1] - A->start[k] <= limit) continue;
            parts[lid] = sum_of(A, A->start[k] + lid, A->start[k + 1], LS, x, after, norm);
            LOCAL_BARRIER();
            if (lid == 0) most = larger(most, end_row(sum_of_parts(parts, LS), at[k], before, b, rest, turned, norm));
            LOCAL_BARRIER();
        }
    }
    return most;
}

KERNEL WORK_GROUP(LS, 1, 1) void residual_rows(GLOBAL const idx_t *RESTRICT start, GLOBAL const int *RESTRICT column,
                                               GLOBAL const int *RESTRICT entry, int through, int conjugated,
                                               GLOBAL const ELEMENT *RESTRICT value, idx_t n,
                                               GLOBAL const int *RESTRICT at, int lanes, idx_t limit, int longer,
                                               GLOBAL const REAL *RESTRICT before, int scaled,
                                               GLOBAL const ELEMENT *RESTRICT x, GLOBAL const ELEMENT *RESTRICT b,
                                               int turned, GLOBAL ELEMENT *rest, GLOBAL REAL *partial) {
    LOCAL_ARRAY(ELEMENT, parts, LS);
    LOCAL_ARRAY(REAL, sizes, LS);
    const int lid = (int)LOCAL_ID(0);
    const idx_t column_of_b = GROUP_ID(1) * n;
    rows_of A;
    A.start = start;
    A.column = column;
    A.entry = entry;
    A.value = value;
    A.through = through;
    A.conjugated = conjugated;
    const REAL most = each_row(&A, n, at, lanes, limit, longer, scaled ? before : 0, 0, x + column_of_b,
                               b + column_of_b, rest + column_of_b, turned, 0, parts, lid);
    put_most(sizes, most, partial + place_of(SLOT_REST), lid);
}

KERNEL WORK_GROUP(LS, 1, 1) void residual_norm(GLOBAL const idx_t *RESTRICT start, GLOBAL const int *RESTRICT column,
                                               GLOBAL const int *RESTRICT entry, int through,
                                               GLOBAL const ELEMENT *RESTRICT value, idx_t n,
                                               GLOBAL const int *RESTRICT at, int lanes, idx_t limit, int longer,
                                               GLOBAL const REAL *RESTRICT before, GLOBAL const REAL *RESTRICT after,
                                               int scaled, GLOBAL REAL *partial) {
    LOCAL_ARRAY(ELEMENT, parts, LS);
    LOCAL_ARRAY(REAL, sizes, LS);
    const int lid = (int)LOCAL_ID(0);
    rows_of A;
    A.start = start;
    A.column = column;
    A.entry = entry;
    A.value = value;
    A.through = through;
    A.conjugated = 0;
    const REAL most = each_row(&A, n, at, lanes, limit, longer, scaled ? before : 0, scaled ? after : 0, value, value,
                               0, 0, 1, parts, lid);
    put_most(sizes, most, partial + place_of(SLOT_NORM), lid);
}

KERNEL WORK_GROUP(LS, 1, 1) void residual_gather(GLOBAL const ELEMENT *RESTRICT x, idx_t n,
                                                 GLOBAL const int *RESTRICT at, GLOBAL const REAL *RESTRICT after,
                                                 int scaled, GLOBAL const REAL *RESTRICT found, int exponent,
                                                 GLOBAL ELEMENT *X, idx_t first, idx_t down, idx_t across) {
    const int k = unit_of(found[GROUP_ID(1) * SLOTS + SLOT_RB]) - exponent;
    for (idx_t i = GROUP_ID(0) * LS + LOCAL_ID(0); i < n; i += GROUPS(0) * LS) {
        ELEMENT result = x[at[i] + GROUP_ID(1) * n];
        if (scaled) result = BY_REAL(result, after[at[i]]);
        X[first + i * down + GROUP_ID(1) * across] = EACH_PART(ldexp, result, k);
    }
}

KERNEL WORK_GROUP(LS, 1, 1) void residual_deliver(GLOBAL const ELEMENT *RESTRICT from, idx_t start, idx_t n,
                                                  GLOBAL ELEMENT *X, idx_t first, idx_t down, idx_t across) {
    for (idx_t i = GROUP_ID(0) * LS + LOCAL_ID(0); i < n; i += GROUPS(0) * LS)
        X[first + i * down + GROUP_ID(1) * across] = from[start + i + GROUP_ID(1) * n];
}

/* Slots first .. first + GROUPS(0) - 1, of which `groups` groups have made a maximum each. */
KERNEL WORK_GROUP(LS, 1, 1) void residual_most(GLOBAL const REAL *RESTRICT partial, int groups, int first,
                                               GLOBAL REAL *found) {
    LOCAL_ARRAY(REAL, sizes, LS);
    const int lid = (int)LOCAL_ID(0), slot = first + (int)GROUP_ID(0);
    const idx_t at = GROUP_ID(1) * SLOTS + slot;
    REAL most = 0;
    for (int g = lid; g < groups; g += LS) most = larger(most, partial[at * groups + g]);
    put_most(sizes, most, found + at, lid);
}
