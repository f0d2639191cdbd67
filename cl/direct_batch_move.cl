/*
 * direct_batch_move.cl: members of a batch that are factored by panels (front_panel.cl), and what is read from factors.
 *
 *   direct_batch_take      a member comes to the place of its factors, TAKEN columns for each GROUP_ID(1)
 *   direct_batch_scale     it is scaled where it must be (direct_batch.clh)
 *   direct_batch_pivots    the exchanges of one member, from the pivots of dense LU
 *   direct_batch_order     the order of its rows, from the exchanges of the panels
 *   direct_batch_out       L \ U to where the caller wants it, unscaled; of Cholesky L, or its conjugate
 *   direct_batch_det       det A as a number of size 1 and a power of two
 *   direct_batch_norm      |A|_1, the largest sum of a column, of the scaled member where that is wanted; of LDL^T from
 *                          the lower triangle
 *
 * Work-groups: LS work-items a member, GROUP_ID(0) of them; of _det a work-item a member. Access: neighbours on
 * neighbouring elements of a column of the factors; of _norm on neighbours of the view too where its columns are
 * contiguous. Local memory: LS words or REALs; _order MOST_ROWS ints.
 */
#ifndef LS
#define LS 64
#endif
#ifndef MOST_ROWS
#define MOST_ROWS 1024
#endif

#define TAKEN 16

#include "direct_batch.clh"
#ifdef LDL_BATCH
#include "ldl_pivots.clh"
#endif

#define LARGEST_OF_GROUP(type, words, value)                                                                           \
    words[lid] = value;                                                                                                \
    LOCAL_BARRIER();                                                                                                   \
    for (int apart = LS / 2; apart > 0; apart /= 2) {                                                                  \
        if (lid < apart && words[lid + apart] > words[lid]) words[lid] = words[lid + apart];                           \
        LOCAL_BARRIER();                                                                                               \
    }

#if CHOLESKY

/* The largest of these that a work-item has seen describes the member. */
#define IS_TINY_OR_HUGE 1
#define IS_SPOILT       2

/* The diagonal counts as real. */
#define LOWER_OF(i, j) lower_of(from_a[(i)*row + (j)*column], i, j, conjugate)
HELPER ELEMENT lower_of(ELEMENT a, int i, int j, int conjugate) {
    ELEMENT value = CONJUGATE_IF(conjugate, a);
    if (i == j) value = FROM_REAL(REAL_PART(value));
    return value;
}

/*
 * The lower triangle, or with `conjugate` its conjugate; zeros come above it. A may lie where the factors come, element
 * upon element. found[ROWS_OF(m) + t]: what the columns of group t have seen.
 */
KERNEL WORK_GROUP(LS, 1, 1) void direct_batch_take(MEMBERS, GLOBAL const ELEMENT *A, VIEW_OF(a), GLOBAL ELEMENT *F,
                                                   GLOBAL int *rows, GLOBAL int *found, const int conjugate) {
    LOCAL_ARRAY(int, words, LS);
    const int lid = (int)LOCAL_ID(0), first = (int)GROUP_ID(1) * TAKEN;
    const idx_t m = MEMBER(GROUP_ID(0));
    const int order = ORDER_OF(m);
    GLOBAL const ELEMENT *const from_a = A + PLACE_OF(a, m);
    GLOBAL ELEMENT *const f = F + FACTORS_OF(m);
    const idx_t row = STEP_OF(a, row, order), column = STEP_OF(a, column, order);
    int what = 0;
    (void)conjugate;
    MEMBERS_TAKEN;
    VIEW_TAKEN(a);
    if (first >= order) return;
    for (int i = lid; i < order; i += LS) {
        ELEMENT value[TAKEN];
        UNROLL
        for (int c = 0; c < TAKEN; ++c) value[c] = first + c <= i ? LOWER_OF(i, first + c) : ZERO;
        UNROLL
        for (int c = 0; c < TAKEN; ++c) {
            if (!IS_BOUNDED(value[c])) what = IS_SPOILT;
            if (first + c == i) {
                const REAL d = REAL_PART(value[c]);
                rows[ROWS_OF(m) + i] = root_scale_of(d);
                if (what == 0 && is_extreme(d)) what = IS_TINY_OR_HUGE;
            }
            if (first + c < order) f[i + (idx_t)(first + c) * order] = value[c];
        }
    }
    LARGEST_OF_GROUP(int, words, what)
    if (lid == 0) found[ROWS_OF(m) + GROUP_ID(1)] = words[0];
}

/* Behind _take: info[m] is 0, or -1 of a member with NaN or Inf. */
KERNEL WORK_GROUP(LS, 1, 1) void direct_batch_scale(MEMBERS, GLOBAL ELEMENT *F, GLOBAL const int *RESTRICT rows,
                                                    GLOBAL const int *RESTRICT found, GLOBAL int *scales,
                                                    GLOBAL int *info) {
    const int lid = (int)LOCAL_ID(0);
    const idx_t m = MEMBER(GROUP_ID(0));
    const int order = ORDER_OF(m);
    GLOBAL ELEMENT *const f = F + FACTORS_OF(m);
    GLOBAL const int *const roots = rows + ROWS_OF(m);
    int what = 0;
    MEMBERS_TAKEN;
    for (int t = 0; t * TAKEN < order; ++t) what = found[ROWS_OF(m) + t] > what ? found[ROWS_OF(m) + t] : what;
    const int end = what == IS_TINY_OR_HUGE ? order : 0;
    for (int j = 0; j < end; ++j)
        for (int i = lid; i < order; i += LS)
            if (i >= j) f[i + (idx_t)j * order] = scaled_by(f[i + (idx_t)j * order], roots[i] + roots[j]);
    if (lid == 0) {
        scales[m] = what == IS_TINY_OR_HUGE;
        info[m] = what == IS_SPOILT ? -1 : 0;
    }
}

/* A member that is not factored is left as it is. */
KERNEL WORK_GROUP(LS, 1, 1) void direct_batch_out(MEMBERS, GLOBAL const ELEMENT *RESTRICT F, GLOBAL ELEMENT *V,
                                                  VIEW_OF(v), GLOBAL const int *RESTRICT rows,
                                                  GLOBAL const int *RESTRICT scales, GLOBAL const int *RESTRICT info,
                                                  const int conjugate) {
    const int lid = (int)LOCAL_ID(0);
    const idx_t m = MEMBER(GROUP_ID(0));
    const int order = info[m] != 0 ? 0 : ORDER_OF(m), is_scaled = scales[m];
    GLOBAL const ELEMENT *const f = F + FACTORS_OF(m);
    GLOBAL const int *const roots = rows + ROWS_OF(m);
    GLOBAL ELEMENT *const v = V + PLACE_OF(v, m);
    const idx_t row = STEP_OF(v, row, order), column = STEP_OF(v, column, order);
    (void)conjugate;
    MEMBERS_TAKEN;
    VIEW_TAKEN(v);
    for (int j = 0; j < order; ++j)
        for (int i = lid; i < order; i += LS)
            if (i >= j) {
                ELEMENT value = f[i + (idx_t)j * order];
                if (is_scaled) value = scaled_by(value, -roots[i]);
                v[i * row + j * column] = CONJUGATE_IF(conjugate, value);
            }
}

#else

/* A may lie where the factors come, element upon element. found[ROWS_OF(m) + t]: the leading bits of the largest number
 * in the columns of group t. */
KERNEL WORK_GROUP(LS, 1, 1) void direct_batch_take(MEMBERS, GLOBAL const ELEMENT *A, VIEW_OF(a), GLOBAL ELEMENT *F,
                                                   GLOBAL int *rows, GLOBAL int *found, const int conjugate) {
    LOCAL_ARRAY(unsigned, words, LS);
    const int lid = (int)LOCAL_ID(0), first = (int)GROUP_ID(1) * TAKEN;
    const idx_t m = MEMBER(GROUP_ID(0));
    const int order = ORDER_OF(m);
    GLOBAL const ELEMENT *const from_a = A + PLACE_OF(a, m);
    GLOBAL ELEMENT *const f = F + FACTORS_OF(m);
    const idx_t row = STEP_OF(a, row, order), column = STEP_OF(a, column, order);
    unsigned most = 0;
    (void)rows;
    (void)conjugate;
    MEMBERS_TAKEN;
    VIEW_TAKEN(a);
    if (first >= order) return;
    for (int i = lid; i < order; i += LS) {
        ELEMENT value[TAKEN];
        UNROLL
        for (int c = 0; c < TAKEN; ++c) value[c] = first + c < order ? from_a[i * row + (first + c) * column] : ZERO;
        UNROLL
        for (int c = 0; c < TAKEN; ++c) {
            const unsigned bits = leading_of(value[c]);
            most = bits > most ? bits : most;
            if (first + c < order) f[i + (idx_t)(first + c) * order] = value[c];
        }
    }
    LARGEST_OF_GROUP(unsigned, words, most)
    if (lid == 0) found[ROWS_OF(m) + GROUP_ID(1)] = (int)words[0];
}

/* Behind _take: info[m] is 0, or -1 of a member with NaN or Inf. */
KERNEL WORK_GROUP(LS, 1, 1) void direct_batch_scale(MEMBERS, GLOBAL ELEMENT *F, GLOBAL const int *RESTRICT rows,
                                                    GLOBAL const int *RESTRICT found, GLOBAL int *scales,
                                                    GLOBAL int *info) {
    const int lid = (int)LOCAL_ID(0);
    const idx_t m = MEMBER(GROUP_ID(0));
    const int order = ORDER_OF(m);
    GLOBAL ELEMENT *const f = F + FACTORS_OF(m);
    unsigned most = 0;
    (void)rows;
    MEMBERS_TAKEN;
    for (int t = 0; t * TAKEN < order; ++t) {
        const unsigned its = (unsigned)found[ROWS_OF(m) + t];
        most = its > most ? its : most;
    }
    const int scale = scale_for(most);
    const idx_t end = scale != 0 ? (idx_t)order * order : 0;
    for (idx_t e = lid; e < end; e += LS) f[e] = scaled_by(f[e], scale);
    if (lid == 0) {
        scales[m] = 2 * scale;
        info[m] = most >= NO_NUMBER ? -1 : 0;
    }
}

/* pivots: of a launch's only member, counted from 1; `gone`: its info as LAPACK's. A member that held NaN or Inf keeps
 * its info, and one whose factors do gets the same. */
KERNEL WORK_GROUP(LS, 1, 1) void direct_batch_pivots(MEMBERS, GLOBAL const ELEMENT *RESTRICT F,
                                                     GLOBAL const idx_t *RESTRICT pivots, const int gone,
                                                     GLOBAL int *exchanges, GLOBAL int *info) {
    LOCAL_ARRAY(unsigned, words, LS);
    const int lid = (int)LOCAL_ID(0);
    const idx_t m = MEMBER(GROUP_ID(0)), first = ROWS_OF(m);
    const int order = ORDER_OF(m);
    GLOBAL const ELEMENT *const f = F + FACTORS_OF(m);
    unsigned spoilt = 0;
    MEMBERS_TAKEN;
    for (int i = lid; i < order; i += LS) {
        exchanges[first + i] = (int)pivots[i] - 1;
        if (!IS_BOUNDED(f[i + (idx_t)i * order])) spoilt = 1;
    }
    LARGEST_OF_GROUP(unsigned, words, spoilt)
    if (lid == 0 && info[m] == 0) info[m] = words[0] ? -1 : gone;
}

/* exchanges[ROWS_OF(m) + k] is the row with which row k was exchanged. */
KERNEL WORK_GROUP(LS, 1, 1) void direct_batch_order(MEMBERS, GLOBAL const int *RESTRICT exchanges, GLOBAL int *rows,
                                                    GLOBAL int *scales) {
    LOCAL_ARRAY(int, with, MOST_ROWS);
    const int lid = (int)LOCAL_ID(0);
    const idx_t m = MEMBER(GROUP_ID(0)), first = ROWS_OF(m);
    const int order = ORDER_OF(m);
    MEMBERS_TAKEN;
    for (int i = lid; i < order; i += LS) with[i] = exchanges[first + i];
    LOCAL_BARRIER();
    for (int i = lid; i < order; i += LS) {
        int at = i;
        for (int c = 0; c < order; ++c) {
            const int other = with[c];
            at = at == other ? c : at == c ? other : at;
        }
        rows[first + at] = i;
    }
    if (lid == 0) {
        int odd = 0;
        for (int c = 0; c < order; ++c) odd ^= with[c] != c;
        scales[m] |= odd;
    }
}

/* A member that held NaN or Inf has no factors, and is left as it is. */
KERNEL WORK_GROUP(LS, 1, 1) void direct_batch_out(MEMBERS, GLOBAL const ELEMENT *RESTRICT F, GLOBAL ELEMENT *V,
                                                  VIEW_OF(v), GLOBAL const int *RESTRICT rows,
                                                  GLOBAL const int *RESTRICT scales, GLOBAL const int *RESTRICT info,
                                                  const int conjugate) {
    const int lid = (int)LOCAL_ID(0);
    const idx_t m = MEMBER(GROUP_ID(0));
    const int order = info[m] < 0 ? 0 : ORDER_OF(m), scale = scales[m] >> 1;
    GLOBAL const ELEMENT *const f = F + FACTORS_OF(m);
    GLOBAL ELEMENT *const v = V + PLACE_OF(v, m);
    const idx_t row = STEP_OF(v, row, order), column = STEP_OF(v, column, order);
    (void)rows;
    (void)conjugate;
    MEMBERS_TAKEN;
    VIEW_TAKEN(v);
    for (int j = 0; j < order; ++j)
        for (int i = lid; i < order; i += LS) {
            ELEMENT value = f[i + j * order];
            if (scale != 0 && i <= j) value = scaled_by(value, -scale);
            v[i * row + j * column] = value;
        }
}

/* det A = (det[3 m] + i det[3 m + 1]) 2^det[3 m + 2]. */
KERNEL WORK_GROUP(LS, 1, 1) void direct_batch_det(MEMBERS, GLOBAL const ELEMENT *RESTRICT F,
                                                  GLOBAL const int *RESTRICT scales, GLOBAL REAL *det) {
    const idx_t k = GROUP_ID(0) * LS + LOCAL_ID(0);
    MEMBERS_TAKEN;
    if (k >= count) return;
    const idx_t m = MEMBER(k);
    const int order = ORDER_OF(m), scale = scales[m] >> 1;
    GLOBAL const ELEMENT *const f = F + FACTORS_OF(m);
    product_t p;
    p.mantissa = scales[m] & 1 ? NEGATED(ONE) : ONE;
    p.exponent = -order * scale;
    for (int j = 0; j < order; ++j) p = multiplied(p, f[j + (idx_t)j * order]);
    det[3 * m] = REAL_PART(p.mantissa);
#if CLS_COMPLEX
    det[3 * m + 1] = p.mantissa.y;
#else
    det[3 * m + 1] = 0;
#endif
    det[3 * m + 2] = (REAL)p.exponent;
}

HELPER ELEMENT element_at(GLOBAL const ELEMENT *v, idx_t row, idx_t column, int i, int j) {
#ifdef LDL_BATCH
    ELEMENT value = i > j ? v[i * row + j * column] : v[j * row + i * column];
    if (i == j && HERMITIAN) value = FROM_REAL(REAL_PART(value));
    return value;
#else
    return v[i * row + j * column];
#endif
}

/* The members may be those of any view; with `is_scaled` they are multiplied as the factorization does it. A sum beyond
 * the range is Inf. */
KERNEL WORK_GROUP(LS, 1, 1) void direct_batch_norm(MEMBERS, GLOBAL const ELEMENT *RESTRICT V, VIEW_OF(v),
                                                   GLOBAL REAL *norms, const int is_scaled) {
    LOCAL_ARRAY(REAL, words, LS);
    LOCAL_ARRAY(unsigned, sizes, LS);
    const int lid = (int)LOCAL_ID(0);
    const idx_t m = MEMBER(GROUP_ID(0));
    const int order = ORDER_OF(m);
    GLOBAL const ELEMENT *const v = V + PLACE_OF(v, m);
    const idx_t row = STEP_OF(v, row, order), column = STEP_OF(v, column, order);
    unsigned largest = 0;
    REAL most = 0;
    MEMBERS_TAKEN;
    VIEW_TAKEN(v);
    for (int j = lid; j < order; j += LS)
        for (int i = 0; i < order; ++i) {
            const unsigned bits = leading_of(element_at(v, row, column, i, j));
            largest = bits > largest ? bits : largest;
        }
    LARGEST_OF_GROUP(unsigned, sizes, largest)
    const int scale = is_scaled ? scale_for(sizes[0]) : 0;
    for (int j = lid; j < order; j += LS) {
        REAL sum = 0;
        for (int i = 0; i < order; ++i) {
            ELEMENT value = element_at(v, row, column, i, j);
            if (scale != 0) value = scaled_by(value, scale);
            sum += MODULUS(value);
        }
        if (!(sum <= most)) most = sum;
    }
    LARGEST_OF_GROUP(REAL, words, most)
    if (lid == 0) norms[m] = words[0];
}

#endif
