/*
 * cholesky_batch_solve.cl: A X = B by the factors of cholesky_batch.cl, or X = A^-1, for many small members.
 *
 * Item x of a member has the rows x, x + LX, ... (HELD of them) of RHS columns. The solved elements of a row pass
 * through local memory; L too where IN_LOCAL says that there is room, so that each element of it is read once from
 * global memory.
 *
 *     y_k = b_k / l(k, k);        b_i = b_i - l(i, k) y_k        for i > k,  downwards
 *     x_k = y_k / l(k, k);        y_i = y_i - conj(l(k, i)) x_k  for i < k,  upwards
 *
 * Work-groups: LX x LY, a member for each LOCAL_ID(1); one beyond the last runs along on a copy of the last and writes
 * nothing. GROUP_ID(1): which RHS columns. Access: neighbouring work-items on neighbouring rows of a column. Local
 * memory: LY * (N (N - 1) / 2 + 1 + 2 RHS) elements, LY * N real numbers, LY * LX words.
 *
 * outcome[m], 0 before: -1 where B holds NaN or Inf, or X would; of one column's groups any says so. AGAIN of a member
 * that had a tiny pivot: the host solves it, scaled (batch_again.c). A member that the factorization gave another info
 * than 0 is left alone.
 */
#ifndef N
#define N 8
#endif
#ifndef LX
#define LX 8
#endif
#ifndef LY
#define LY 1
#endif
#ifndef RHS
#define RHS 1
#endif
#define PER  1
#define HELD ((N + LX - 1) / LX)

#include "cholesky_member.clh"

#define LEFT_ALONE 2 /* in `spoilt`: of a member with a tiny pivot */

#ifdef IN_LOCAL
/* The elements of L below its diagonal; column k begins where its row 0 would be, at COLUMN_AT(k). */
#define BELOW        (N * (N - 1) / 2)
#define COLUMN_AT(k) ((k) * (N - 1) - (k) * ((k)-1) / 2 - (k)-1)
#define L_OF(i, k)   below[COLUMN_AT(k) + (i)]
#else
#define L_OF(i, k) l[(i) + (k)*N]
#endif

/* A row's results in one of two places in local memory, by turns, to all. */
#define SOLVE_ROW(k)                                                                                                   \
    do {                                                                                                               \
        UNROLL                                                                                                         \
        for (int h = 0; h < HELD; ++h)                                                                                 \
            if (x + h * LX == (k)) {                                                                                   \
                UNROLL                                                                                                 \
                for (int s = 0; s < RHS; ++s) solved[s] = r[h][s] = BY_REAL(r[h][s], inverse[k]);                      \
            }                                                                                                          \
        SYNC();                                                                                                        \
    } while (0)

#define TAKE_ROW_OUT(h, factor)                                                                                        \
    do {                                                                                                               \
        const ELEMENT factor_ = (factor);                                                                              \
        UNROLL                                                                                                         \
        for (int s = 0; s < RHS; ++s) r[h][s] = LESS_PRODUCT(r[h][s], factor_, solved[s]);                             \
    } while (0)

/*
 * The columns GROUP_ID(1) * RHS and on, RHS of them, of `rhs`. B from `offset` on, element (i, j) of member m at
 * m * b_member + i * b_row + j * b_column. `inverse_of`: 0, or the columns are the identity's, and B becomes the
 * triangle of the inverse, 1 the lower one, 2 the upper one.
 */
KERNEL WORK_GROUP(LX, LY, 1) void cholesky_batch_solve(GLOBAL const ELEMENT *L, GLOBAL ELEMENT *B, idx_t offset,
                                                       idx_t b_row, idx_t b_column, idx_t b_member, idx_t rhs,
                                                       int inverse_of, idx_t count, GLOBAL const int *info,
                                                       GLOBAL int *outcome) {
#ifdef IN_LOCAL
    LOCAL_ARRAY(ELEMENT, all_below, LY * (BELOW + 1));
#endif
    LOCAL_ARRAY(ELEMENT, all_solved, LY * 2 * RHS);
    LOCAL_ARRAY(REAL, all_inverse, LY * N);
    LOCAL_ARRAY(int, spoilt, LY *LX);
    const int x = (int)LOCAL_ID(0), y = (int)LOCAL_ID(1);
    const idx_t wanted = GROUP_ID(0) * LY + y, first = GROUP_ID(1) * RHS;
    const int mine = wanted < count;
    const idx_t member = mine ? wanted : count - 1;
    GLOBAL const ELEMENT *const l = L + member * (N * N);
    GLOBAL ELEMENT *const b = B + offset + member * b_member;
    LOCAL_PTR REAL *const inverse = all_inverse + y * N;
    LOCAL_PTR ELEMENT *solved;
    ELEMENT r[HELD][RHS];
    int bad = 0, tiny = 0;

#ifdef IN_LOCAL
    LOCAL_PTR ELEMENT *const below = all_below + y * (BELOW + 1);
    for (int k = 0; k < N - 1; ++k)
        for (int i = x; i < N; i += LX)
            if (i > k) below[COLUMN_AT(k) + i] = l[i + k * N];
#endif
    for (int k = x; k < N; k += LX) {
        inverse[k] = 1 / REAL_PART(l[k + k * N]);
        if (REAL_PART(l[k + k * N]) < ROOT_OF_TINY) tiny = LEFT_ALONE;
    }
    UNROLL
    for (int h = 0; h < HELD; ++h) {
        const int i = x + h * LX;
        UNROLL
        for (int s = 0; s < RHS; ++s) {
            const idx_t j = first + s;
            r[h][s] = ZERO;
            if (i < N && j < rhs) r[h][s] = inverse_of ? (i == j ? FROM_REAL(1) : ZERO) : b[i * b_row + j * b_column];
            bad |= !IS_BOUNDED(r[h][s]);
        }
    }
    SYNC();

    for (int k = 0; k < N; ++k) {
        solved = all_solved + (2 * y + k % 2) * RHS;
        SOLVE_ROW(k);
        UNROLL
        for (int h = 0; h < HELD; ++h)
            if (x + h * LX > k && x + h * LX < N) TAKE_ROW_OUT(h, L_OF(x + h * LX, k));
    }
    for (int k = N - 1; k >= 0; --k) {
        solved = all_solved + (2 * y + (k + 1) % 2) * RHS; /* row N - 1 came last before */
        SOLVE_ROW(k);
        UNROLL
        for (int h = 0; h < HELD; ++h)
            if (x + h * LX < k) TAKE_ROW_OUT(h, CONJUGATE(L_OF(k, x + h * LX)));
    }

    UNROLL
    for (int h = 0; h < HELD; ++h) {
        UNROLL
        for (int s = 0; s < RHS; ++s) bad |= !IS_BOUNDED(r[h][s]);
    }
    spoilt[y * LX + x] = bad | tiny;
    SYNC();
    bad = any_of(spoilt + y * LX, LX);
    if (!mine || info[member] != 0) return;
    if (bad && x == 0) outcome[member] = bad & LEFT_ALONE ? AGAIN : -1;
    UNROLL
    for (int h = 0; h < HELD; ++h) {
        const int i = x + h * LX;
        UNROLL
        for (int s = 0; s < RHS; ++s) {
            const idx_t j = first + s;
            if (bad || i >= N || j >= rhs || (inverse_of == 1 && i < j) || (inverse_of == 2 && i > j)) continue;
#if CLS_COMPLEX
            if (inverse_of && i == j) r[h][s].y = 0;
#endif
            b[i * b_row + j * b_column] = r[h][s];
        }
    }
}
