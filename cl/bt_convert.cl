/*
 * bt_convert.cl: double to float and back, for a preconditioner in float inside an iteration in double; and CG's steps that read
 * or write its vectors as they are, so that no double copy of them is made. Built in double. Vectors, work-groups and
 * `control` as in bt_vector.cl. Local memory: LS words.
 */
#include "bt_words.clh"

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
KERNEL WORK_GROUP(LS, 1, 1) void bt_dot_float(GLOBAL const REAL *x, GLOBAL const float *z, idx_t length,
                                              GLOBAL REAL *RESTRICT partial, GLOBAL const idx_t *RESTRICT control) {
    LOCAL_ARRAY(REAL, scratch, LS);
    const idx_t at = GROUP_ID(1) * length;
    REAL sum[RUN];
    if (control[0] != 0) length = 0; /* no return: every work-item comes to every barrier */
    for (int j = 0; j < RUN; ++j) sum[j] = 0;
    WORDS(i) {
        const int here = HERE(i);
        for (int j = 0; j < here; ++j) sum[j] += x[at + i + j] * (REAL)z[at + i + j];
    }
    for (int j = 1; j < RUN; ++j) sum[0] += sum[j];
    const REAL total = sum_of_group(sum[0], scratch);
    if (LOCAL_ID(0) == 0) partial[GROUP_ID(1) * GROUPS(0) + GROUP_ID(0)] = total;
}

/* p = z + beta p; with beta 0 p is not read. */
KERNEL WORK_GROUP(LS, 1, 1) void bt_direction(GLOBAL REAL *p, GLOBAL const float *RESTRICT z, idx_t length,
                                              GLOBAL const REAL *RESTRICT scalars,
                                              GLOBAL const idx_t *RESTRICT control) {
    const idx_t at = GROUP_ID(1) * length;
    if (control[0] != 0) return;
    const REAL beta = scalars[GROUP_ID(1) * SCALARS + BETA];
    WORDS(i) {
        const int here = HERE(i);
        for (int j = 0; j < here; ++j) {
            const REAL before = beta != 0 ? p[at + i + j] : 0;
            p[at + i + j] = (REAL)z[at + i + j] + beta * before;
        }
    }
}

/* bt_advance of bt_vector.cl, and r in float for the preconditioner. */
KERNEL WORK_GROUP(LS, 1, 1) void bt_advance_float(GLOBAL REAL *RESTRICT y, GLOBAL const REAL *RESTRICT p,
                                                  GLOBAL REAL *RESTRICT rest, GLOBAL const REAL *RESTRICT q,
                                                  GLOBAL float *RESTRICT narrow, idx_t length,
                                                  GLOBAL const REAL *RESTRICT scalars, GLOBAL REAL *RESTRICT partial,
                                                  GLOBAL const idx_t *RESTRICT control) {
    LOCAL_ARRAY(REAL, scratch, LS);
    const idx_t at = GROUP_ID(1) * length;
    const REAL alpha = scalars[GROUP_ID(1) * SCALARS + ALPHA];
    REAL sum[RUN];
    if (control[0] != 0) length = 0;
    for (int j = 0; j < RUN; ++j) sum[j] = 0;
    WORDS(i) {
        const int here = HERE(i);
        for (int j = 0; j < here; ++j) y[at + i + j] += alpha * p[at + i + j];
        for (int j = 0; j < here; ++j) {
            const REAL x = rest[at + i + j] - alpha * q[at + i + j];
            rest[at + i + j] = x;
            narrow[at + i + j] = (float)x;
            sum[j] += x * x;
        }
    }
    for (int j = 1; j < RUN; ++j) sum[0] += sum[j];
    const REAL total = sum_of_group(sum[0], scratch);
    if (LOCAL_ID(0) == 0) partial[GROUP_ID(1) * GROUPS(0) + GROUP_ID(0)] = total;
}
