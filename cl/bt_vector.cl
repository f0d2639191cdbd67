/*
 * bt_vector.cl: whole vectors and the few numbers that an iteration needs, all of which stay on the device.
 *
 * Vectors are those of bt_layout.clh, `length` words a right-hand side, their padding zero, so that sums may run over
 * it. Scalars: SCALARS words a right-hand side, by the names below. control: [0] 0 while the iteration runs, else why
 * it ended (1 converged, 2 broken: NaN or beyond all bounds, 3 no more progress); [1] entries of the history; [2] tests
 * since the last progress; [3] not used. Each right-hand side has COLUMN words in columns, by the names
 * below, and one in flags, which says what bt_keep is to do with it.
 *
 * Work-groups: LS work-items (a power of two), neighbours on neighbouring words. On a CPU LS is 1 and the inner loop
 * over RUN words is what is vectorised. Local memory: 2 * LS words.
 *
 * KERNELS: which of them a program has: 1 what each iteration takes, and of bt_scalar the steps of CG alone; 2 what CG
 * with levels in float has no use for, with all of bt_scalar's steps; 3 all.
 */
#include "bt_dot.clh"
#include "bt_words.clh"

#ifndef RESTART
#define RESTART 16
#endif
#ifndef KERNELS
#define KERNELS 3
#endif

#define JUDGE_FIRST   1 /* modes of bt_judge */
#define JUDGE_KEEPS   2
#define JUDGE_IF_SLOW 4
#define JUDGE_AGAIN   8 /* in the last entry's place */
#define JUDGE_KEPT    16
#define JUDGE_QUIET   32
#define JUDGE_REFERS  64

#define FLAG_KEEP  1
#define FLAG_RESET 2

#define BEST   0 /* columns: the relative residual of the iterate that is kept */
#define MARK   1 /* the one that patience counts from: progress means half of it */
#define LAST   2 /* that of the last test */
#define REFERS 3 /* |F|^2, which residuals are measured by */
#define COLUMN 4

#define G_G   32                  /* RESTART + 1: the rotated right-hand side */
#define G_COS (G_G + RESTART + 1) /* RESTART; complex where elements are, the sines real */
#define G_SIN (G_COS + RESTART)   /* RESTART */
#define G_Y   (G_SIN + RESTART)   /* RESTART: the coefficients of the update */
#define G_H   (G_Y + RESTART)     /* RESTART columns of RESTART + 1 */

#if KERNELS & 1

/* The partial sums of x.y and u.v, group by group: the first at partial, the second behind all the first. */
KERNEL WORK_GROUP(LS, 1, 1) void bt_dots(GLOBAL const ELEMENT *x, GLOBAL const ELEMENT *y, GLOBAL const ELEMENT *u,
                                         GLOBAL const ELEMENT *v, idx_t length, GLOBAL ELEMENT *RESTRICT partial,
                                         GLOBAL const idx_t *RESTRICT control CONJUGATED) {
    LOCAL_ARRAY(ELEMENT, scratch, LS);
    const idx_t at = GROUP_ID(1) * length, groups = GROUPS(0) * GROUPS(1);
    ELEMENT first[RUN], second[RUN];
    if (control[0] != 0) length = 0; /* no return: every work-item comes to every barrier */
    for (int j = 0; j < RUN; ++j) first[j] = second[j] = ZERO;
    WORDS(i) {
        const int here = HERE(i);
        for (int j = 0; j < here; ++j) first[j] += TIMES(x[at + i + j], CONJUGATE_IF(conjugated, y[at + i + j]));
        for (int j = 0; j < here; ++j) second[j] += TIMES(u[at + i + j], CONJUGATE_IF(conjugated, v[at + i + j]));
    }
    for (int j = 1; j < RUN; ++j) first[0] += first[j], second[0] += second[j];
    const ELEMENT a = sum_of_group(first[0], scratch), b = sum_of_group(second[0], scratch);
    if (LOCAL_ID(0) == 0) {
        partial[GROUP_ID(1) * GROUPS(0) + GROUP_ID(0)] = a;
        partial[groups + GROUP_ID(1) * GROUPS(0) + GROUP_ID(0)] = b;
    }
}

#endif

#if KERNELS & 2

/* A coefficient: `sign` times scalar `index`; index -1: `sign` itself. */
HELPER ELEMENT coefficient(GLOBAL const ELEMENT *scalars, int index, REAL sign) {
    return index < 0 ? FROM_REAL(sign) : SCALED(sign, scalars[GROUP_ID(1) * SCALARS + index]);
}

/* out = a x + b y + c z; a term whose coefficient is 0 is not read. out may be one of the three. */
KERNEL WORK_GROUP(LS, 1, 1) void bt_combine(GLOBAL ELEMENT *out, GLOBAL const ELEMENT *x, GLOBAL const ELEMENT *y,
                                            GLOBAL const ELEMENT *z, idx_t length, int ix, REAL sx, int iy, REAL sy,
                                            int iz, REAL sz, GLOBAL const ELEMENT *RESTRICT scalars,
                                            GLOBAL const idx_t *RESTRICT control) {
    const idx_t at = GROUP_ID(1) * length;
    if (control[0] != 0) return;
    const ELEMENT a = coefficient(scalars, ix, sx), b = coefficient(scalars, iy, sy), c = coefficient(scalars, iz, sz);
    WORDS(i) {
        const int here = HERE(i);
        ELEMENT sum[RUN];
        for (int j = 0; j < RUN; ++j) sum[j] = ZERO;
        if (IS_NONZERO_ELEMENT(a))
            for (int j = 0; j < here; ++j) sum[j] += TIMES(a, x[at + i + j]);
        if (IS_NONZERO_ELEMENT(b))
            for (int j = 0; j < here; ++j) sum[j] += TIMES(b, y[at + i + j]);
        if (IS_NONZERO_ELEMENT(c))
            for (int j = 0; j < here; ++j) sum[j] += TIMES(c, z[at + i + j]);
        for (int j = 0; j < here; ++j) out[at + i + j] = sum[j];
    }
}

/* CG's step: y += alpha p, r -= alpha q, and the partial sums of r.r in the place of bt_dots' first. */
KERNEL WORK_GROUP(LS, 1, 1) void bt_advance(GLOBAL ELEMENT *RESTRICT y, GLOBAL const ELEMENT *RESTRICT p,
                                            GLOBAL ELEMENT *RESTRICT rest, GLOBAL const ELEMENT *RESTRICT q,
                                            idx_t length, GLOBAL const ELEMENT *RESTRICT scalars,
                                            GLOBAL ELEMENT *RESTRICT partial, GLOBAL const idx_t *RESTRICT control) {
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
            sum[j] += FROM_REAL(SQUARE(x));
        }
    }
    for (int j = 1; j < RUN; ++j) sum[0] += sum[j];
    const ELEMENT a = sum_of_group(sum[0], scratch);
    if (LOCAL_ID(0) == 0) partial[GROUP_ID(1) * GROUPS(0) + GROUP_ID(0)] = a;
}

#endif

#if KERNELS & 1

/* Copies the columns whose flag is `wanted`: to what is handed back if no better iterate comes, or from there. With
 * FLAG_RESET they become zero. */
KERNEL WORK_GROUP(LS, 1, 1) void bt_keep(GLOBAL const ELEMENT *from, GLOBAL ELEMENT *to, idx_t length,
                                         GLOBAL const idx_t *RESTRICT flags, idx_t wanted) {
    const int is_reset = wanted == FLAG_RESET;
    const idx_t at = GROUP_ID(1) * length;
    if (flags[GROUP_ID(1)] != wanted) return;
    WORDS(i) {
        const int here = HERE(i);
        for (int j = 0; j < here; ++j) to[at + i + j] = is_reset ? ZERO : from[at + i + j];
    }
}

/* ---- the range of the numbers ---- */

/* The larger of `most` and |x|; -1 once there was a NaN or Inf. */
HELPER REAL larger(REAL most, REAL x) {
    const REAL size = ABS(x);
    if (most < 0 || !(size - size == 0)) return -1;
    return size > most ? size : most;
}

/* The largest |x| of each group's, NaN where some x is NaN or Inf: group (g, r) writes word g of `stride` words for
 * right-hand side r. A second launch, of one group a right-hand side, makes one number of these. Vectors are those of
 * the elements' parts. */
KERNEL WORK_GROUP(LS, 1, 1) void bt_largest(GLOBAL const REAL *x, idx_t length, GLOBAL REAL *RESTRICT to, idx_t to_at,
                                            idx_t stride) {
    LOCAL_ARRAY(REAL, scratch, LS);
    const idx_t at = GROUP_ID(1) * length, lid = LOCAL_ID(0);
    REAL most = 0;
    WORDS(i) {
        const int here = HERE(i);
        for (int j = 0; j < here; ++j) most = larger(most, x[at + i + j]);
    }
    scratch[lid] = most;
    BARRIER();
    for (int step = LS / 2; step > 0; step /= 2) {
        if (lid < step) scratch[lid] = scratch[lid + step] < 0 ? -1 : larger(scratch[lid], scratch[lid + step]);
        BARRIER();
    }
    if (lid == 0) to[to_at + GROUP_ID(1) * stride + GROUP_ID(0)] = scratch[0] < 0 ? sqrt(scratch[0]) : scratch[0];
}

#endif

#if KERNELS & 2

/* x = x times each factor in turn, a power of two both: one alone may leave the range. x: the elements' parts. */
KERNEL WORK_GROUP(LS, 1, 1) void bt_rescale(GLOBAL REAL *x, idx_t at, idx_t length, REAL first, REAL second) {
    WORDS(i) {
        const int here = HERE(i);
        for (int j = 0; j < here; ++j) x[at + i + j] = x[at + i + j] * first * second;
    }
}

/* x = x times y, element by element. */
KERNEL WORK_GROUP(LS, 1, 1) void bt_times(GLOBAL ELEMENT *x, GLOBAL const ELEMENT *RESTRICT y, idx_t length) {
    const idx_t at = GROUP_ID(1) * length;
    WORDS(i) {
        const int here = HERE(i);
        for (int j = 0; j < here; ++j) MULTIPLY_BY(x[at + i + j], y[i + j]);
    }
}

#endif

/* ---- the numbers of an iteration ---- */

HELPER ELEMENT quotient(ELEMENT above, ELEMENT below) {
    return IS_NONZERO_ELEMENT(below) ? OVER(above, below) : ZERO;
}

#if KERNELS & 2

/* GMRES, column j complete but for its last element: the rotations of before, a new one (Y. Saad, Iterative Methods for
 * Sparse Linear Systems, 2nd ed., section 6.5.3). */
HELPER void gmres_column(GLOBAL ELEMENT *s, int j, REAL last) {
    GLOBAL ELEMENT *h = s + G_H + j * (RESTART + 1);
    for (int i = 0; i < j; ++i) {
        const ELEMENT upper = TIMES(CONJUGATE_IF(1, s[G_COS + i]), h[i]) + TIMES(s[G_SIN + i], h[i + 1]);
        h[i + 1] = TIMES(s[G_COS + i], h[i + 1]) - TIMES(s[G_SIN + i], h[i]);
        h[i] = upper;
    }
    const REAL size = sqrt(SQUARE(h[j]) + last * last);
    s[G_COS + j] = size > 0 ? OVER(h[j], FROM_REAL(size)) : ONE;
    s[G_SIN + j] = FROM_REAL(size > 0 ? last / size : 0);
    h[j] = FROM_REAL(size);
    s[G_G + j + 1] = TIMES(-s[G_SIN + j], s[G_G + j]);
    MULTIPLY_BY(s[G_G + j], CONJUGATE_IF(1, s[G_COS + j]));
    s[SIZE] = FROM_REAL(SQUARE(s[G_G + j + 1]));
    s[SCALE] = quotient(ONE, FROM_REAL(last));
    s[COLUMNS] = FROM_REAL(j + 1);
}

HELPER void gmres_solve(GLOBAL ELEMENT *s) {
    const int columns = (int)REAL_PART(s[COLUMNS]);
    for (int i = RESTART - 1; i >= 0; --i) {
        ELEMENT y = i < columns ? s[G_G + i] : ZERO;
        for (int j = i + 1; j < columns; ++j) SUBTRACT_PRODUCT(y, s[G_H + j * (RESTART + 1) + i], s[G_Y + j]);
        s[G_Y + i] = i < columns ? quotient(y, s[G_H + i * (RESTART + 1) + i]) : ZERO;
    }
}

#endif

/* The scalars that each step of a Krylov method computes from two sums, by the host's CLS_BT_ names in the same
 * order. */
HELPER void scalar_step(GLOBAL ELEMENT *s, int step, int i, int j, ELEMENT a, ELEMENT b) {
    switch (step) {
    case 0: /* CG: beta = (r.z) / (r.z before) */
        s[BETA] = i == 0 ? ZERO : quotient(a, s[RHO]);
        s[RHO] = a;
        break;
    case 1: /* CG, BiCGStab: alpha = rho / (p.Ap) or rho / (r0.v); of CG (i = 1) it is positive, or there is no step */
        s[ALPHA] = quotient(s[RHO], a);
        if (i == 1 && !(REAL_PART(s[ALPHA]) > 0)) s[ALPHA] = ZERO;
        break;
#if KERNELS & 2
    case 2: /* BiCGStab: beta = (rho / rho before) (alpha / omega) */
        s[BETA] = i == 0 ? ZERO : quotient(TIMES(a, s[ALPHA]), TIMES(s[RHO], s[OMEGA]));
        s[BETA_OMEGA] = i == 0 ? ZERO : TIMES(s[BETA], s[OMEGA]);
        s[RHO] = a;
        break;
    case 3: /* BiCGStab: omega = (t.s) / (t.t) */
        s[OMEGA] = quotient(a, b);
        break;
    case 4: /* GMRES begins: |r| */
        s[G_G] = FROM_REAL(sqrt(REAL_PART(a)));
        s[SCALE] = quotient(ONE, s[G_G]);
        s[COLUMNS] = ZERO;
        break;
    case 5: /* GMRES: h_ij */
        s[DOT] = s[G_H + j * (RESTART + 1) + i] = a;
        break;
    case 6: /* GMRES: |w| ends column j */
        gmres_column(s, j, sqrt(REAL_PART(a)));
        break;
    case 7: /* GMRES: the coefficients of the update */
        gmres_solve(s);
        break;
#endif
    case 8: /* the mean: -(y.e) / (e.e) */
        s[ALPHA] = -quotient(a, b);
        break;
    case 9: /* the two sums themselves */
        s[ALPHA] = a;
        s[BETA] = b;
        break;
    }
}

/* One group; `groups` partial sums a right-hand side and sum. */
KERNEL WORK_GROUP(LS, 1, 1) void bt_scalar(GLOBAL ELEMENT *scalars, GLOBAL const ELEMENT *RESTRICT partial,
                                           idx_t groups, idx_t rhs, int step, int i, int j,
                                           GLOBAL const idx_t *RESTRICT control) {
    LOCAL_ARRAY(ELEMENT, scratch, LS);
    if (control[0] != 0) rhs = 0;
    for (idx_t r = 0; r < rhs; ++r) {
        ELEMENT a = ZERO, b = ZERO;
        for (idx_t g = LOCAL_ID(0); g < groups; g += LS) {
            a += partial[r * groups + g];
            b += partial[(rhs + r) * groups + g];
        }
        a = sum_of_group(a, scratch);
        b = sum_of_group(b, scratch);
        if (LOCAL_ID(0) == 0) scalar_step(scalars + r * SCALARS, step, i, j, a, b);
    }
}

#if KERNELS & 1

#define BEYOND_HOPE 1e12f

/* How many columns run on, are broken, have come forward; the largest residual. */
typedef struct verdict {
    REAL worst;
    int running, broken, forward;
} verdict;

/* One column's residual a: its flag, and its part of the outcome. */
HELPER void judge_column(GLOBAL REAL *column, GLOBAL idx_t *flag, REAL a, REAL tolerance, int mode, verdict *all) {
    const REAL before = column[LAST];
    if ((mode & JUDGE_FIRST && !(a < BEYOND_HOPE)) || (mode & JUDGE_KEPT && !(a <= 1))) {
        a = 1; /* that of zero */
        *flag = FLAG_RESET;
    } else {
        const int slow = !(a <= 0.1f * before);
        *flag = (mode & JUDGE_KEEPS) && (slow || !(mode & JUDGE_IF_SLOW)) && a < column[BEST] ? FLAG_KEEP : 0;
    }
    column[LAST] = a;
    if (*flag != 0) column[BEST] = a;
    if (mode & JUDGE_KEPT) column[BEST] = a;
    if (!(a <= all->worst) && all->worst == all->worst) all->worst = a;
    if (a <= tolerance) return;
    if (!(a < BEYOND_HOPE)) {
        all->broken += 1;
        return;
    }
    all->running += 1;
    if (a < 0.5f * column[MARK]) {
        column[MARK] = a;
        all->forward += 1;
    }
}

/* The number that residuals are divided by: |F|^2, which comes first, or the first residual's where F is zero, or 1. */
HELPER void refer_column(GLOBAL REAL *reference, REAL a, int first) {
    if (first || *reference == 0) *reference = first || a != 0 ? a : 1;
}

/*
 * The stop test: the largest relative residual of all right-hand sides goes into the history, as a new entry or in the
 * last one's place, and control is set once no column runs on: all converged, or some broken. The squares come from the
 * partial sums, or (estimated) from the scalars. JUDGE_FIRST: of the initial guess; one that is worse than zero by far
 * counts as zero. JUDGE_KEEPS: a column that is better than the one kept is flagged to be kept; with IF_SLOW only where
 * the test before was not ten times as large. JUDGE_KEPT: these are the residuals of what is kept, and zero is
 * better than what is worse than that. JUDGE_QUIET: nothing but the columns. JUDGE_REFERS: the squares are only made
 * what residuals are divided by, those of F with JUDGE_FIRST. One group.
 */
KERNEL WORK_GROUP(LS, 1, 1) void bt_judge(GLOBAL const ELEMENT *RESTRICT partial, idx_t groups, idx_t rhs,
                                          GLOBAL const ELEMENT *scalars, int estimated, REAL tolerance, idx_t patience,
                                          idx_t capacity, int mode, GLOBAL REAL *history, GLOBAL REAL *columns,
                                          GLOBAL idx_t *flags, GLOBAL idx_t *control) {
    LOCAL_ARRAY(ELEMENT, scratch, LS);
    const int over = control[0] != 0;
    verdict all = {0, 0, 0, 0};
    for (idx_t r = 0; r < rhs; ++r) {
        ELEMENT a = ZERO;
        for (idx_t g = LOCAL_ID(0); g < groups && !over; g += LS) a += partial[r * groups + g];
        a = sum_of_group(a, scratch);
        if (LOCAL_ID(0) != 0) continue;
        if (over) {
            flags[r] = 0;
            continue;
        }
        if (mode & JUDGE_REFERS) {
            refer_column(columns + COLUMN * r + REFERS, REAL_PART(a), mode & JUDGE_FIRST);
            continue;
        }
        if (estimated) a = scalars[r * SCALARS + SIZE];
        judge_column(columns + COLUMN * r, flags + r, sqrt(REAL_PART(a) / columns[COLUMN * r + REFERS]), tolerance,
                     mode, &all);
    }
    if (LOCAL_ID(0) != 0 || over || (mode & (JUDGE_QUIET | JUDGE_REFERS))) return;
    const idx_t count = mode & JUDGE_AGAIN ? control[1] - 1 : control[1];
    if (count < capacity) history[count] = all.worst;
    control[1] = count + 1;
    control[2] = all.forward > 0 ? 0 : control[2] + 1;
    if (all.running == 0)
        control[0] = all.broken > 0 ? 2 : 1;
    else if (patience > 0 && control[2] >= patience)
        control[0] = 3;
}

#endif
