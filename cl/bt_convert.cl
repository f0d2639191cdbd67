/*
 * bt_convert.cl: double to float and back, for a preconditioner in float inside an iteration in double; and CG's steps
 * that read or write its vectors as they are, so that no double copy of them is made. Built in double. Vectors,
 * work-groups and `control` as in bt_vector.cl. Local memory: LS words.
 */
#include "bt_dot.clh"
#include "bt_words.clh"

/* The vectors of bt_narrow and bt_widen are those of the elements' parts. */
KERNEL WORK_GROUP(LS, 1, 1) void bt_narrow(GLOBAL const REAL *from, GLOBAL float *to, idx_t length) {
    WORDS(i) {
        const int here = HERE(i);
        for (int j = 0; j < here; ++j) to[i + j] = (float)from[i + j];
    }
}

KERNEL WORK_GROUP(LS, 1, 1) void bt_widen(GLOBAL const float *from, GLOBAL REAL *to, idx_t length) {
    WORDS(i) {
        const int here = HERE(i);
        for (int j = 0; j < here; ++j) to[i + j] = (REAL)from[i + j];
    }
}

/* The partial sums of x.z, in the place of bt_dots' first. */
KERNEL WORK_GROUP(LS, 1, 1) void bt_dot_float(GLOBAL const ELEMENT *x, GLOBAL const float *z, idx_t length,
                                              GLOBAL ELEMENT *RESTRICT partial,
                                              GLOBAL const idx_t *RESTRICT control CONJUGATED) {
    LOCAL_ARRAY(ELEMENT, scratch, LS);
    const idx_t at = GROUP_ID(1) * length;
    ELEMENT sum[RUN];
    if (control[0] != 0) length = 0; /* no return: every work-item comes to every barrier */
    for (int j = 0; j < RUN; ++j) sum[j] = ZERO;
    WORDS(i) {
        const int here = HERE(i);
        for (int j = 0; j < here; ++j)
            sum[j] += TIMES(x[at + i + j], CONJUGATE_IF(conjugated, LOAD_FROM(z, at + i + j)));
    }
    for (int j = 1; j < RUN; ++j) sum[0] += sum[j];
    const ELEMENT total = sum_of_group(sum[0], scratch);
    if (LOCAL_ID(0) == 0) partial[GROUP_ID(1) * GROUPS(0) + GROUP_ID(0)] = total;
}

/* p = z + beta p; with beta 0 p is not read. */
KERNEL WORK_GROUP(LS, 1, 1) void bt_direction(GLOBAL ELEMENT *p, GLOBAL const float *RESTRICT z, idx_t length,
                                              GLOBAL const ELEMENT *RESTRICT scalars,
                                              GLOBAL const idx_t *RESTRICT control) {
    const idx_t at = GROUP_ID(1) * length;
    if (control[0] != 0) return;
    const ELEMENT beta = scalars[GROUP_ID(1) * SCALARS + BETA];
    WORDS(i) {
        const int here = HERE(i);
        for (int j = 0; j < here; ++j) {
            const ELEMENT before = IS_NONZERO_ELEMENT(beta) ? p[at + i + j] : ZERO;
            p[at + i + j] = LOAD_FROM(z, at + i + j) + TIMES(beta, before);
        }
    }
}

/* bt_advance of bt_vector.cl, and r in float for the preconditioner. */
KERNEL WORK_GROUP(LS, 1, 1) void bt_advance_float(GLOBAL ELEMENT *RESTRICT y, GLOBAL const ELEMENT *RESTRICT p,
                                                  GLOBAL ELEMENT *RESTRICT rest, GLOBAL const ELEMENT *RESTRICT q,
                                                  GLOBAL float *RESTRICT narrow, idx_t length,
                                                  GLOBAL const ELEMENT *RESTRICT scalars,
                                                  GLOBAL ELEMENT *RESTRICT partial,
                                                  GLOBAL const idx_t *RESTRICT control) {
    LOCAL_ARRAY(ELEMENT, scratch, LS);
    const idx_t at = GROUP_ID(1) * length;
    const ELEMENT alpha = scalars[GROUP_ID(1) * SCALARS + ALPHA];
    ELEMENT sum[RUN];
    if (control[0] != 0) length = 0;
    for (int j = 0; j < RUN; ++j) sum[j] = ZERO;
    WORDS(i) {
        const int here = HERE(i);
        for (int j = 0; j < here; ++j) y[at + i + j] += TIMES(alpha, p[at + i + j]);
        for (int j = 0; j < here; ++j) {
            const ELEMENT x = LESS_PRODUCT(rest[at + i + j], alpha, q[at + i + j]);
            rest[at + i + j] = x;
            STORE_AS(float, narrow, at + i + j, x);
            sum[j] += FROM_REAL(SQUARE(x));
        }
    }
    for (int j = 1; j < RUN; ++j) sum[0] += sum[j];
    const ELEMENT total = sum_of_group(sum[0], scratch);
    if (LOCAL_ID(0) == 0) partial[GROUP_ID(1) * GROUPS(0) + GROUP_ID(0)] = total;
}
