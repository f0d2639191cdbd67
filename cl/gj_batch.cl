/*
 * gj_batch.cl: many small inverses or systems in registers with partial pivoting: inverses by Gauss-Jordan elimination,
 * systems by Gaussian elimination and back substitution, which is as stable as LU.
 *
 * A matrix belongs to LX work-items, work-item x holding its rows x, x + LX, ... (HELD of them) in private memory,
 * COLUMNS elements each: N for an inverse, N and RHS right-hand sides for a system. Rows never move: a row that was a
 * pivot is marked, and remembers which. Step k works on slot 0 and shifts all others down one slot, so that column k is
 * in slot 0 again at step k and every index into the registers is known when the kernel is compiled:
 *
 *     s_j   = r_p,j+1 / r_p0      (the pivot's row p; an inverse adds 1 / r_p0 as its last)
 *     r_p,j = s_j,   r_ij = r_i,j+1 - r_i0 s_j   (i != p; the slot that comes in is 0)
 *
 * A system's row that has served is not eliminated further: its slots rotate, so that what it has right of its pivot, a
 * row of U, is in the slots from RHS on in the end, column l in slot RHS + l. Back substitution goes from the last
 * pivot to the first one, and shifts these slots the other way, so that column k is in the last one:
 *
 *     x_k is in the first RHS slots of the row of pivot k;   rows of earlier pivots: r_ij = r_ij - u_ik x_kj, j < RHS
 *
 * BY_MULTIPLIERS: each row divides its r_i0 instead, so that nobody waits for the s_j; r_p,j = 0 - (-1 / r_p0) r_p,j+1:
 *
 *     c_i   = r_i0 / r_p0,   c_p = -1 / r_p0,   r_ij = r_i,j+1 - c_i r_p,j+1
 *
 * This is for an inverse alone, which has 1 / r_p0 in any case. A system's s_j may be numbers where 1 / r_p0 is none.
 *
 * After N steps an inverse is back in its slots, with rows and columns in the pivots' order: X(k, p_j) = r_(p_k),j, p_k
 * the row of pivot k. This is the exchange of all variables, one after another (E. Stiefel, Einfuehrung in die
 * numerische Mathematik, 1961, chapter 1).
 *
 * The pivot is found in two rounds: FEW work-items take the best of a share of the candidates, then each takes the best
 * of those. IN_STEP, where lanes of one wave have all rows, they find it by exchanges. Among equals the first row wins.
 *
 * The members first .. end - 1 of all. Work-groups: LX x LY, a matrix for each LOCAL_ID(1); a matrix beyond the last
 * runs along on a copy of the last and writes nothing. On a CPU LX is 1, and the loops over a row's slots are what the
 * compiler vectorises. Access: neighbouring work-items on neighbouring rows, element (i, j) of member m of A at
 * a_offset + m * a_member + i * a_row + j * a_column, of B likewise. B has the right-hand sides and receives the
 * solutions, or it receives the inverses. The inverse of a member may lie where the member lies, because a group writes
 * nothing before it has read its members. Local memory: LY * (2 * COLUMNS + 3 * LX + N + 2) words of an element at
 * most.
 *
 * keep: with complex elements bit 1 takes the conjugate of A.
 *
 * info[m], kept with `keep` where it is not 0 (later right-hand sides of the same batch): 0; k > 0: the k-th pivot,
 * counted from 1, was exactly zero; -1: the matrix or the right-hand sides hold NaN or Inf, which counts before any
 * zero, or the elimination or the result does. A pivot that became Inf would make zeros of its row: it counts like a
 * result, unless a zero came first. AGAIN: all was finite before, and a pivot was tiny; the host does such a member
 * once more, and scales it (batch_again.c). Only a member with 0 is written.
 */
#ifndef N
#define N 4
#endif
#ifndef RHS
#define RHS 0
#endif
#ifndef LX
#define LX 4
#endif
#ifndef LY
#define LY 1
#endif
#define COLUMNS (N + RHS)
#define HELD    ((N + LX - 1) / LX)
#define RESULTS (RHS == 0 ? N : RHS) /* slots that hold the result at the end */
/* In `spoilt`: the member came with NaN or Inf; 1: its result has some. */
#define HELD_BEFORE 2
#define AGAIN       (-2)
#if CLS_DOUBLE
#define TINY 1.0020841800044864e-292 /* the smallest normal number by the distance from 1 to the next */
#else
#define TINY 9.8607613152626476e-32f
#endif
/* About the square root of LX, so that both rounds of the search are short. */
#define FEW (LX >= 64 ? 8 : LX >= 16 ? 4 : LX >= 4 ? 2 : 1)

/* One work-item divides a row's elements as quickly as its rows. */
#define BY_MULTIPLIERS (RHS == 0 && LX > 1)
#if defined(LANES) && LX > 1 && LX * LY == LANES && N <= LX
#define IN_STEP
#endif

/* Registers want every loop over slots unrolled; a CPU's compiler does better with a loop that it can vectorise. */
#if LX > 1
#define UNROLL_SLOTS UNROLL
#else
#define UNROLL_SLOTS
#endif

/* A work-item alone waits for nobody, and its compiler is spared the barriers. */
#ifdef IN_STEP
#define SYNC() LANES_SYNC()
#elif LX * LY > 1
#define SYNC() BARRIER()
#else
#define SYNC()
#endif

#if CLS_COMPLEX
#include "divisor.clh"
#endif

/* A NaN counts as the largest, so that it becomes the pivot and the result is seen to be no number. */
HELPER REAL magnitude(ELEMENT x) {
    return IS_NUMBER(x) ? SIZE_1(x) : (REAL)INFINITY;
}

/* The member's rows of this work-item; returns whether they hold NaN or Inf. */
HELPER int load_rows(ELEMENT r[HELD][COLUMNS], int served[HELD], int x, GLOBAL const ELEMENT *a, idx_t a_row,
                     idx_t a_column, GLOBAL const ELEMENT *b, idx_t b_row, idx_t b_column, idx_t rhs, int conjugate) {
    int bad = 0;
    (void)conjugate;
    UNROLL_SLOTS
    for (int h = 0; h < HELD; ++h) {
        const int i = x + h * LX;
        served[h] = i < N ? -1 : N; /* a row that there is not has served from the beginning */
        UNROLL_SLOTS
        for (int j = 0; j < COLUMNS; ++j) {
            r[h][j] = ZERO;
            if (i < N && j < N) r[h][j] = CONJUGATE_IF(conjugate, a[i * a_row + j * a_column]);
            if (i < N && j >= N && j - N < rhs) r[h][j] = b[i * b_row + (j - N) * b_column];
            bad |= !IS_BOUNDED(r[h][j]);
        }
    }
    return bad;
}

#ifdef IN_STEP
/* The row with the largest `key` of this work-item's row and the others of its member, among equals the first. */
HELPER int row_of_largest(REAL_BITS key, int row) {
#if LX == LANES
    int is_best = 1;
#if CLS_DOUBLE
    const unsigned high = (unsigned)(key >> 32);
    is_best = high == LANES_MAX(high);
#endif
    const unsigned low = is_best ? (unsigned)key : 0;
    const unsigned votes = LANES_VOTE(low == LANES_MAX(low) && is_best);
    (void)row;
    return (int)HIGHEST_BIT(votes & (~votes + 1));
#else
    UNROLL
    for (int mask = LX / 2; mask > 0; mask /= 2) {
        const int other = (int)LANE_XOR((unsigned)row, mask);
        REAL_BITS its = LANE_XOR((unsigned)key, mask);
#if CLS_DOUBLE
        its |= (REAL_BITS)LANE_XOR((unsigned)(key >> 32), mask) << 32;
#endif
        if (its > key || (its == key && other < row)) {
            key = its;
            row = other;
        }
    }
    return row;
#endif
}

/* The row of the next pivot, the same for all of the member's work-items. A row that has served has the key 0. */
HELPER int choose_row(ELEMENT r[HELD][COLUMNS], const int served[HELD], int x, LOCAL_PTR REAL *candidate,
                      LOCAL_PTR int *candidate_row) {
    (void)candidate;
    (void)candidate_row;
    const REAL_BITS key = served[0] < 0 ? REAL_TO_BITS(magnitude(r[0][0])) + 1 : 0;
    const int row = row_of_largest(key, x);
    SYNC(); /* all have read the row before */
    return row;
}
#else
/* The best of the candidates first, first + step, ..., if it beats *best. */
HELPER void best_of(LOCAL_PTR const REAL *candidate, LOCAL_PTR const int *candidate_row, int first, int end, int step,
                    REAL *best, int *best_row) {
    for (int c = first; c < end; c += step) {
        const REAL value = candidate[c];
        const int row = candidate_row[c];
        if (value > *best || (value == *best && row < *best_row)) {
            *best = value;
            *best_row = row;
        }
    }
}

/* The row of the next pivot, the same for all of the member's work-items. */
HELPER int choose_row(ELEMENT r[HELD][COLUMNS], const int served[HELD], int x, LOCAL_PTR REAL *candidate,
                      LOCAL_PTR int *candidate_row) {
    REAL best = -1;
    int best_row = 0;
    UNROLL_SLOTS
    for (int h = 0; h < HELD; ++h) {
        const REAL value = magnitude(r[h][0]);
        if (served[h] < 0 && value > best) {
            best = value;
            best_row = x + h * LX;
        }
    }
    candidate[x] = best;
    candidate_row[x] = best_row;
    SYNC();
    if (x < FEW) best_of(candidate, candidate_row, x + FEW, LX, FEW, &best, &best_row);
    /* The few write what only they have read, or their own. */
    if (x < FEW) {
        candidate[x] = best;
        candidate_row[x] = best_row;
    }
    SYNC();
    best = candidate[0];
    best_row = candidate_row[0];
    best_of(candidate, candidate_row, 1, FEW, 1, &best, &best_row);
    return best_row;
}
#endif

/* Does the result hold NaN or Inf? */
HELPER int spoils(ELEMENT r[HELD][COLUMNS], int x) {
    int bad = 0;
    UNROLL_SLOTS
    for (int h = 0; h < HELD; ++h)
        if (x + h * LX < N) {
            UNROLL_SLOTS
            for (int j = 0; j < RESULTS; ++j) bad |= !IS_BOUNDED(r[h][j]);
        }
    return bad;
}

/* The rows where their pivots say; an inverse's columns as well. */
HELPER void store_rows(ELEMENT r[HELD][COLUMNS], const int served[HELD], int x, LOCAL_PTR const int *pivot_row,
                       GLOBAL ELEMENT *to, idx_t row, idx_t column, idx_t rhs) {
    UNROLL_SLOTS
    for (int h = 0; h < HELD; ++h) {
        const int k = served[h];
        if (x + h * LX >= N) continue;
        UNROLL_SLOTS
        for (int j = 0; j < RESULTS; ++j)
            if (RHS == 0)
                to[k * row + pivot_row[j] * column] = r[h][j];
            else if (j < rhs)
                to[k * row + j * column] = r[h][j];
    }
}

/* Real elements never have bit 1. */
#if CLS_COMPLEX
#define KEEPS (keep & 1)
#else
#define KEEPS keep
#endif

/* A step's two hot loops stay in here: with the division in a helper, PoCL's code was a sixth slower at order 64. */
KERNEL WORK_GROUP(LX, LY, 1) void gj_batch(GLOBAL const ELEMENT *A, idx_t a_offset, idx_t a_row, idx_t a_column,
                                           idx_t a_member, GLOBAL ELEMENT *B, idx_t b_offset, idx_t b_row,
                                           idx_t b_column, idx_t b_member, idx_t rhs, idx_t first, idx_t end, int keep,
                                           GLOBAL int *info) {
    LOCAL_ARRAY(REAL, candidate, LY * LX);
    LOCAL_ARRAY(int, candidate_row, LY *LX);
    LOCAL_ARRAY(ELEMENT, raw, LY * COLUMNS);
#if !BY_MULTIPLIERS
    LOCAL_ARRAY(ELEMENT, scaled, LY * COLUMNS);
#endif
    LOCAL_ARRAY(int, pivot_row, LY *N);
    LOCAL_ARRAY(int, spoilt, LY *LX);
    const int x = (int)LOCAL_ID(0), y = (int)LOCAL_ID(1);
    const idx_t wanted = first + GROUP_ID(0) * LY + y;
    const int mine = wanted < end;
    const idx_t member = mine ? wanted : end - 1;
    GLOBAL const ELEMENT *a = A + a_offset + member * a_member;
    GLOBAL ELEMENT *b = RHS == 0 ? B : B + b_offset + member * b_member;
    ELEMENT r[HELD][COLUMNS];
    int served[HELD];       /* as which pivot, -1: not yet */
    int zero = 0, wild = 0; /* the first pivot, counted from 1, that is zero; was one Inf or NaN before it? */
    int tiny = 0;           /* was one? */

    const int held = load_rows(r, served, x, a, a_row, a_column, b, b_row, b_column, rhs, keep & 2);
#pragma unroll 1
    for (int k = 0; k < N; ++k) {
        const int p = choose_row(r, served, x, candidate + y * LX, candidate_row + y * LX);
        UNROLL_SLOTS
        for (int h = 0; h < HELD; ++h)
            if (x + h * LX == p) {
                served[h] = k;
                pivot_row[y * N + k] = p;
                UNROLL_SLOTS
                for (int j = 0; j < COLUMNS; ++j) raw[y * COLUMNS + j] = r[h][j];
            }
        SYNC();
        const ELEMENT pivot = raw[y * COLUMNS];
#if CLS_COMPLEX
        const int divides = IS_TO_DIVIDE(size_of(pivot));
        const divisor_t divisor = divisor_of(pivot, divides);
#endif
#if !BY_MULTIPLIERS
        for (int j = x; j < COLUMNS; j += LX) {
            const ELEMENT next = j + 1 < COLUMNS ? raw[y * COLUMNS + j + 1] : RHS == 0 ? FROM_REAL(1) : ZERO;
#if CLS_COMPLEX
            scaled[y * COLUMNS + j] = quotient_of(next, divisor, divides);
#else
            scaled[y * COLUMNS + j] = next / pivot;
#endif
        }
        SYNC();
#endif
        if (IS_ZERO_ELEMENT(pivot) && zero == 0) zero = k + 1;
        if (!IS_BOUNDED(pivot) && zero == 0) wild = 1;
        if (SIZE_1(pivot) < TINY && zero == 0) tiny = 1;
        UNROLL_SLOTS
        for (int h = 0; h < HELD; ++h) {
            /* For the pivot's own row: 0 - (-1) s. */
            const int own = x + h * LX == p;
#if RHS > 0
            const int done = served[h] >= 0 && !own;
            const ELEMENT first_slot = r[h][0];
            const ELEMENT c = PICK(own, FROM_REAL(-1), PICK(done, ZERO, first_slot));
#else
            const ELEMENT c = PICK(own, FROM_REAL(-1), r[h][0]);
#endif
#if BY_MULTIPLIERS
#if CLS_COMPLEX
            const ELEMENT by = quotient_of(c, divisor, divides);
#else
            const ELEMENT by = c / pivot;
#endif
            UNROLL_SLOTS
            for (int j = 0; j + 1 < COLUMNS; ++j)
                r[h][j] = LESS_PRODUCT(PICK(own, ZERO, r[h][j + 1]), by, raw[y * COLUMNS + j + 1]);
            r[h][COLUMNS - 1] = MINUS(ZERO, by);
#else
            UNROLL_SLOTS
            for (int j = 0; j + 1 < COLUMNS; ++j)
                r[h][j] = LESS_PRODUCT(PICK(own, ZERO, r[h][j + 1]), c, scaled[y * COLUMNS + j]);
            r[h][COLUMNS - 1] = LESS_PRODUCT(ZERO, c, scaled[y * COLUMNS + COLUMNS - 1]);
#if RHS > 0
            r[h][COLUMNS - 1] = PICK(done, first_slot, r[h][COLUMNS - 1]);
#endif
#endif
        }
    }
#if RHS > 0
#pragma unroll 1
    for (int k = N - 1; k > 0; --k) {
        SYNC(); /* all have read what was there before */
        UNROLL_SLOTS
        for (int h = 0; h < HELD; ++h)
            if (served[h] == k) {
                UNROLL_SLOTS
                for (int j = 0; j < RHS; ++j) raw[y * COLUMNS + j] = r[h][j];
            }
        SYNC();
        UNROLL_SLOTS
        for (int h = 0; h < HELD; ++h) {
            /* A work-item alone has its rows in memory, where any slot is as near. */
            const ELEMENT u = PICK(served[h] < k, r[h][LX > 1 ? COLUMNS - 1 : RHS + k], ZERO);
            UNROLL_SLOTS
            for (int j = 0; j < RHS; ++j) r[h][j] = LESS_PRODUCT(r[h][j], u, raw[y * COLUMNS + j]);
#if LX > 1
            UNROLL
            for (int j = COLUMNS - 1; j > RHS; --j) r[h][j] = r[h][j - 1];
#endif
        }
    }
    SYNC();
#endif
    spoilt[y * LX + x] = held ? HELD_BEFORE : spoils(r, x);
    SYNC();
    int bad = 0;
    for (int c = 0; c < LX; ++c) bad |= spoilt[y * LX + c];
    const int outcome = bad >= HELD_BEFORE ? -1 : tiny ? AGAIN : wild ? -1 : zero > 0 ? zero : bad ? -1 : 0;
    if (mine && x == 0 && !(KEEPS && info[member] != 0 && bad < HELD_BEFORE)) info[member] = outcome;
    /* A member that is written has the number `wanted`; found again, it takes no registers in the loop. */
    if (RHS == 0) b = B + b_offset + (first + GROUP_ID(0) * LY + LOCAL_ID(1)) * b_member;
    if (mine && outcome == 0) store_rows(r, served, x, pivot_row + y * N, b, b_row, b_column, rhs);
}
