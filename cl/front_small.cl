/*
 * front_small.cl: small fronts whole, by the steps of front_step.clh: the children's rests, the pivots, UP and LOW, and
 * the front's own rest. The rows of the front's PIVOT are candidates. order[first + i] is the row, counted from the
 * front's first, that is i-th now; replaced[s] is as in front_panel.cl. L D L^T takes whole rows, and all of them
 * count in the choice of a pivot.
 *
 * Work-groups: LS = W work-items, one group a front, for fronts of up to W rows, pivots and border. Access: neighbours
 * on neighbouring rows, but on columns of LOW. Local memory: as front_step.clh, and W ints.
 */
#ifndef W
#define W 32
#endif
#define LS W

#include "front.clh"
#include "front_step.clh"

/* One-sided factors have the columns of the border up to the row's own. */
#define HAS(column, row) (!one_sided() || (column) <= (row))

/* Row `place`, which has been turned f times, so that column f is its element 0. */
#define STORE_ROW                                                                                                      \
    {                                                                                                                  \
        const int i = place[0], is_border = i >= f;                                                                    \
        UNROLL                                                                                                         \
        for (int j = 0; j < W; ++j) {                                                                                  \
            const int c = j - (W - f);                                                                                 \
            if (c >= 0 && i >= 0 && !is_border) pivot[i + c * ld] = y[0][j];                                           \
            if (c >= 0 && is_border) low[c + (i - f) * ld] = CONJUGATE_IF(conjugating(), y[0][j]);                     \
            if (j < b && i >= 0 && !is_border && !one_sided()) up[i + j * ld] = y[0][j];                               \
            if (j < b && is_border && HAS(j, i - f)) rest[i - f + j * b] = y[0][j];                                    \
        }                                                                                                              \
        if (i >= 0 && !is_border && has_unit()) order[i] = lid;                                                        \
    }

#if LDL
#define STORE_ALL                                                                                                      \
    {                                                                                                                  \
        STORE_ROW                                                                                                      \
        if (lid == 0) {                                                                                                \
            TELL_PIVOTS                                                                                                \
        }                                                                                                              \
    }
#else
#define STORE_ALL                                                                                                      \
    {                                                                                                                  \
        STORE_ROW                                                                                                      \
        tell(replaced + s, of, 0, lid);                                                                                \
    }
#endif

KERNEL WORK_GROUP(LS, 1, 1) void front_small(GLOBAL const idx_t *RESTRICT fronts, GLOBAL const int *RESTRICT list,
                                             idx_t from, GLOBAL const int *RESTRICT children,
                                             GLOBAL const int *RESTRICT relative, GLOBAL const ELEMENT *RESTRICT below,
                                             GLOBAL ELEMENT *arena, GLOBAL ELEMENT *here, GLOBAL int *orders, REAL tiny,
                                             REAL zero, GLOBAL int *replaced FACTORS_D) {
    STEP_ARRAYS;
    LOCAL_ARRAY(int, at, W); /* the child's row that belongs to a row of the front; -1: none */
    const idx_t s = list[from + GROUP_ID(0)];
    const int f = (int)FRONT(s, F_PIVOTS), b = (int)FRONT(s, F_BORDER), m = f + b, lid = (int)LOCAL_ID(0);
    const int candidates = f;
    const idx_t ld = FRONT(s, F_LD);
    GLOBAL ELEMENT *const pivot = arena + FRONT(s, F_PIVOT);
    GLOBAL ELEMENT *const up = arena + FRONT(s, F_UP);
    GLOBAL ELEMENT *const low = arena + FRONT(s, F_LOW);
    GLOBAL ELEMENT *const rest = here + FRONT(s, F_REST);
    GLOBAL int *const order = orders + FRONT(s, F_FIRST);
    ELEMENT y[1][W];
    int place[1];
    outcome of = no_outcome();
    (void)tiny;
    (void)zero;
    (void)candidates;
    place[0] = lid < m ? lid : -1;
    UNROLL
    for (int j = 0; j < W; ++j) {
        ELEMENT value = ZERO;
        if (lid < f && j < f) value = pivot[lid + j * ld];
        if (lid < f && j >= f && j < m && !one_sided()) value = up[lid + (j - f) * ld];
        if (lid >= f && lid < m && j < f) value = CONJUGATE_IF(conjugating(), low[j + (lid - f) * ld]);
#if LDL /* the other side of the diagonal */
        if (lid < j && j < f) value = CONJUGATE_IF(conjugating(), pivot[j + lid * ld]);
        if (lid < f && j >= f && j < m) value = low[lid + (j - f) * ld];
#endif
        y[0][j] = value;
    }
    BARRIER(); /* rows go to other places */
    const int count = (int)FRONT(s, F_CHILDREN);
    for (int c = 0; c < count; ++c) {
        const idx_t child = children[FRONT(s, F_CHILD) + c];
        const int size = (int)FRONT(child, F_BORDER);
        GLOBAL const ELEMENT *const x = below + FRONT(child, F_REST);
        at[lid] = -1;
        LOCAL_BARRIER();
        if (lid < size) at[relative[FRONT(child, F_RELATIVE) + lid]] = lid;
        LOCAL_BARRIER();
        const int p = at[lid];
        UNROLL
        for (int j = 0; j < W; ++j) {
            const int q = at[j];
            if (p >= 0 && q >= 0 && HAS(q, p)) ADD(y[0][j], x[p + q * size]);
#if LDL
            if (p >= 0 && q >= 0 && !HAS(q, p)) ADD(y[0][j], CONJUGATE_IF(conjugating(), x[q + p * size]));
#endif
        }
        LOCAL_BARRIER();
    }
#if LDL
    window at_c;
    at_c.c = at_c.forced = 0;
    at_c.open = at_c.w = at_c.target = f;
    at_c.whole = 1;
    for (int goes_on = 1; goes_on;) {
        goes_on = eliminate(y, place, &at_c, STEP_ROOM, blocks + FRONT(s, F_FIRST) * OF_BLOCK,
                            pivots + FRONT(s, F_FIRST) * OF_POSITION, &of);
#ifdef CLS_ROLLED
        if (!goes_on) STORE_ALL
#endif
    }
#else
    for (int c = 0; c < f; ++c) {
        (void)eliminate(y, place, c, STEP_ROOM, &of);
#ifdef CLS_ROLLED /* see front_panel.cl */
        if (c == f - 1) STORE_ALL
#endif
    }
#endif
#ifndef CLS_ROLLED
    STORE_ALL
#endif
}
