/*
 * bt_vector.cl: whole vectors and the few numbers that an iteration needs, all of which stay on the device.
 *
 * Vectors are those of bt_layout.clh, `length` words a right-hand side, their padding zero, so that sums may run over it.
 * Scalars: SCALARS words a right-hand side, by the names below. control: [0] 0 while the iteration runs, else why it ended
 * (1 converged, 2 broken: NaN or beyond all bounds, 3 no more progress); [1] entries of the history; [2] entries since the
 * best one; [3] the last was the best so far.
 *
 * Work-groups: LS work-items (a power of two), neighbours on neighbouring words. On a CPU LS is 1 and the inner loop over
 * RUN words is what is vectorised. Local memory: 2 * LS words.
 */
#ifndef LS
#define LS 64
#endif
#ifndef RUN
#define RUN 1
#endif
#ifndef RESTART
#define RESTART 16
#endif

#define SCALARS    512
#define RHO        0 /* r.z of CG, r0.r of BiCGStab */
#define ALPHA      1
#define BETA       2
#define OMEGA      3
#define BETA_OMEGA 4
#define SCALE      5                   /* 1 / norm of the vector made last */
#define DOT        6                   /* h_ij just made */
#define SIZE       7                   /* estimated norm of the residual, squared */
#define COLUMNS    8                   /* of GMRES that are complete */
#define G_G        32                  /* RESTART + 1: the rotated right-hand side */
#define G_COS      (G_G + RESTART + 1) /* RESTART */
#define G_SIN      (G_COS + RESTART)   /* RESTART */
#define G_Y        (G_SIN + RESTART)   /* RESTART: the coefficients of the update */
#define G_H        (G_Y + RESTART)     /* RESTART columns of RESTART + 1 */

HELPER REAL sum_of_group(REAL value, LOCAL_PTR REAL *scratch) {
    const idx_t lid = LOCAL_ID(0);
    scratch[lid] = value;
    BARRIER();
    for (int step = LS / 2; step > 0; step /= 2) {
        if (lid < step) scratch[lid] += scratch[lid + step];
        BARRIER();
    }
    const REAL total = scratch[0];
    BARRIER();
    return total;
}

/* The work-item's words of a vector: RUN at a time. */
#define WORDS(i) for (idx_t i = (GROUP_ID(0) * LS + LOCAL_ID(0)) * RUN; i < length; i += GROUPS(0) * LS * RUN)
#define HERE(i)  ((i) + RUN <= length ? RUN : (int)(length - (i)))

/* The partial sums of x.y and u.v, group by group: the first at partial, the second behind all the first. */
KERNEL WORK_GROUP(LS, 1, 1) void bt_dots(GLOBAL const REAL *x, GLOBAL const REAL *y, GLOBAL const REAL *u,
                                         GLOBAL const REAL *v, idx_t length, GLOBAL REAL *RESTRICT partial,
                                         GLOBAL const idx_t *RESTRICT control) {
    LOCAL_ARRAY(REAL, scratch, LS);
    const idx_t at = GROUP_ID(1) * length, groups = GROUPS(0) * GROUPS(1);
    REAL first[RUN], second[RUN];
    if (control[0] != 0) length = 0; /* no return: every work-item comes to every barrier */
    for (int j = 0; j < RUN; ++j) first[j] = second[j] = 0;
    WORDS(i) {
        const int here = HERE(i);
        for (int j = 0; j < here; ++j) first[j] += x[at + i + j] * y[at + i + j];
        for (int j = 0; j < here; ++j) second[j] += u[at + i + j] * v[at + i + j];
    }
    for (int j = 1; j < RUN; ++j) first[0] += first[j], second[0] += second[j];
    const REAL a = sum_of_group(first[0], scratch), b = sum_of_group(second[0], scratch);
    if (LOCAL_ID(0) == 0) {
        partial[GROUP_ID(1) * GROUPS(0) + GROUP_ID(0)] = a;
        partial[groups + GROUP_ID(1) * GROUPS(0) + GROUP_ID(0)] = b;
    }
}

/* A coefficient: `sign` times scalar `index`; index -1: `sign` itself. */
HELPER REAL coefficient(GLOBAL const REAL *scalars, int index, REAL sign) {
    return index < 0 ? sign : sign * scalars[GROUP_ID(1) * SCALARS + index];
}

/* out = a x + b y + c z; a term whose coefficient is 0 is not read. out may be one of the three. */
KERNEL WORK_GROUP(LS, 1, 1) void bt_combine(GLOBAL REAL *out, GLOBAL const REAL *x, GLOBAL const REAL *y,
                                            GLOBAL const REAL *z, idx_t length, int ix, REAL sx, int iy, REAL sy,
                                            int iz, REAL sz, GLOBAL const REAL *RESTRICT scalars,
                                            GLOBAL const idx_t *RESTRICT control) {
    const idx_t at = GROUP_ID(1) * length;
    if (control[0] != 0) return;
    const REAL a = coefficient(scalars, ix, sx), b = coefficient(scalars, iy, sy), c = coefficient(scalars, iz, sz);
    WORDS(i) {
        const int here = HERE(i);
        REAL sum[RUN];
        for (int j = 0; j < RUN; ++j) sum[j] = 0;
        if (a != 0)
            for (int j = 0; j < here; ++j) sum[j] += a * x[at + i + j];
        if (b != 0)
            for (int j = 0; j < here; ++j) sum[j] += b * y[at + i + j];
        if (c != 0)
            for (int j = 0; j < here; ++j) sum[j] += c * z[at + i + j];
        for (int j = 0; j < here; ++j) out[at + i + j] = sum[j];
    }
}

/* CG's step: y += alpha p, r -= alpha q, and the partial sums of r.r in the place of bt_dots' first. */
KERNEL WORK_GROUP(LS, 1, 1) void bt_advance(GLOBAL REAL *RESTRICT y, GLOBAL const REAL *RESTRICT p,
                                            GLOBAL REAL *RESTRICT rest, GLOBAL const REAL *RESTRICT q, idx_t length,
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
            sum[j] += x * x;
        }
    }
    for (int j = 1; j < RUN; ++j) sum[0] += sum[j];
    const REAL a = sum_of_group(sum[0], scratch);
    if (LOCAL_ID(0) == 0) partial[GROUP_ID(1) * GROUPS(0) + GROUP_ID(0)] = a;
}

/* Copies Y when the last residual was the best so far: what is handed back if no better one comes. */
KERNEL WORK_GROUP(LS, 1, 1) void bt_keep(GLOBAL const REAL *Y, GLOBAL REAL *best, idx_t length,
                                         GLOBAL const idx_t *RESTRICT control) {
    const idx_t at = GROUP_ID(1) * length;
    if (control[3] == 0) return;
    WORDS(i) {
        const int here = HERE(i);
        for (int j = 0; j < here; ++j) best[at + i + j] = Y[at + i + j];
    }
}

HELPER REAL quotient(REAL above, REAL below) {
    return below != 0 ? above / below : 0;
}

/* GMRES, column j complete but for its last element: the rotations of before, a new one (Y. Saad, Iterative Methods for
 * Sparse Linear Systems, 2nd ed., section 6.5.3). */
HELPER void gmres_column(GLOBAL REAL *s, int j, REAL last) {
    GLOBAL REAL *h = s + G_H + j * (RESTART + 1);
    for (int i = 0; i < j; ++i) {
        const REAL upper = s[G_COS + i] * h[i] + s[G_SIN + i] * h[i + 1];
        h[i + 1] = s[G_COS + i] * h[i + 1] - s[G_SIN + i] * h[i];
        h[i] = upper;
    }
    const REAL size = sqrt(h[j] * h[j] + last * last);
    s[G_COS + j] = size > 0 ? h[j] / size : 1;
    s[G_SIN + j] = size > 0 ? last / size : 0;
    h[j] = size;
    s[G_G + j + 1] = -s[G_SIN + j] * s[G_G + j];
    s[G_G + j] *= s[G_COS + j];
    s[SIZE] = s[G_G + j + 1] * s[G_G + j + 1];
    s[SCALE] = quotient(1, last);
    s[COLUMNS] = j + 1;
}

HELPER void gmres_solve(GLOBAL REAL *s) {
    const int columns = (int)s[COLUMNS];
    for (int i = RESTART - 1; i >= 0; --i) {
        REAL y = i < columns ? s[G_G + i] : 0;
        for (int j = i + 1; j < columns; ++j) y -= s[G_H + j * (RESTART + 1) + i] * s[G_Y + j];
        s[G_Y + i] = i < columns ? quotient(y, s[G_H + i * (RESTART + 1) + i]) : 0;
    }
}

/* What each step of a Krylov method makes of two sums, by the host's CLS_BT_ names in the same order. */
HELPER void scalar_step(GLOBAL REAL *s, int step, int i, int j, REAL a, REAL b) {
    switch (step) {
    case 0: /* CG: beta = (r.z) / (r.z before) */
        s[BETA] = i == 0 ? 0 : quotient(a, s[RHO]);
        s[RHO] = a;
        break;
    case 1: /* CG, BiCGStab: alpha = rho / (p.Ap) or rho / (r0.v) */
        s[ALPHA] = quotient(s[RHO], a);
        break;
    case 2: /* BiCGStab: beta = (rho / rho before) (alpha / omega) */
        s[BETA] = i == 0 ? 0 : quotient(a * s[ALPHA], s[RHO] * s[OMEGA]);
        s[BETA_OMEGA] = i == 0 ? 0 : s[BETA] * s[OMEGA];
        s[RHO] = a;
        break;
    case 3: /* BiCGStab: omega = (t.s) / (t.t) */
        s[OMEGA] = quotient(a, b);
        break;
    case 4: /* GMRES begins: |r| */
        s[G_G] = sqrt(a);
        s[SCALE] = quotient(1, s[G_G]);
        s[COLUMNS] = 0;
        break;
    case 5: /* GMRES: h_ij */
        s[DOT] = s[G_H + j * (RESTART + 1) + i] = a;
        break;
    case 6: /* GMRES: |w| ends column j */
        gmres_column(s, j, sqrt(a));
        break;
    case 7: /* GMRES: the coefficients of the update */
        gmres_solve(s);
        break;
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
KERNEL WORK_GROUP(LS, 1, 1) void bt_scalar(GLOBAL REAL *scalars, GLOBAL const REAL *RESTRICT partial, idx_t groups,
                                           idx_t rhs, int step, int i, int j, GLOBAL const idx_t *RESTRICT control) {
    LOCAL_ARRAY(REAL, scratch, LS);
    if (control[0] != 0) rhs = 0;
    for (idx_t r = 0; r < rhs; ++r) {
        REAL a = 0, b = 0;
        for (idx_t g = LOCAL_ID(0); g < groups; g += LS) {
            a += partial[r * groups + g];
            b += partial[(rhs + r) * groups + g];
        }
        a = sum_of_group(a, scratch);
        b = sum_of_group(b, scratch);
        if (LOCAL_ID(0) == 0) scalar_step(scalars + r * SCALARS, step, i, j, a, b);
    }
}

/* reference[r]: what residuals are measured by: |F|^2, or the first residual's where F is zero, or 1. `first`: 1 for F. */
KERNEL WORK_GROUP(LS, 1, 1) void bt_reference(GLOBAL const REAL *RESTRICT partial, idx_t groups, idx_t rhs, int first,
                                              GLOBAL REAL *reference) {
    LOCAL_ARRAY(REAL, scratch, LS);
    for (idx_t r = 0; r < rhs; ++r) {
        REAL a = 0;
        for (idx_t g = LOCAL_ID(0); g < groups; g += LS) a += partial[r * groups + g];
        a = sum_of_group(a, scratch);
        if (LOCAL_ID(0) == 0 && (first || reference[r] == 0)) reference[r] = first || a != 0 ? a : 1;
    }
}

/*
 * The stop test: the largest relative residual of all right-hand sides goes into the history, and control is set. The
 * squares come from the partial sums, or (estimated) from the scalars. best: [0] the smallest so far, [1] the one that
 * `patience` counts from: progress means half of it. One group.
 */
KERNEL WORK_GROUP(LS, 1, 1) void bt_judge(GLOBAL const REAL *RESTRICT partial, idx_t groups, idx_t rhs,
                                          GLOBAL const REAL *scalars, int estimated, GLOBAL const REAL *reference,
                                          REAL tolerance, idx_t patience, idx_t capacity, GLOBAL REAL *history,
                                          GLOBAL REAL *best, GLOBAL idx_t *control) {
    LOCAL_ARRAY(REAL, scratch, LS);
    const int over = control[0] != 0;
    REAL worst = 0;
    if (over) rhs = 0;
    for (idx_t r = 0; r < rhs; ++r) {
        REAL a = 0;
        for (idx_t g = LOCAL_ID(0); g < groups; g += LS) a += partial[r * groups + g];
        a = sum_of_group(a, scratch);
        if (estimated) a = scalars[r * SCALARS + SIZE];
        a = sqrt(a / reference[r]);
        if (!(a <= worst)) worst = a;
    }
    BARRIER();
    if (LOCAL_ID(0) != 0) return;
    if (over) {
        control[3] = 0;
        return;
    }
    const idx_t count = control[1];
    if (count < capacity) history[count] = worst;
    control[1] = count + 1;
    control[3] = worst < best[0];
    if (control[3]) best[0] = worst;
    control[2] += 1;
    if (worst < 0.5f * best[1]) {
        best[1] = worst;
        control[2] = 0;
    }
    if (worst <= tolerance)
        control[0] = 1;
    else if (!(worst < 1e12f))
        control[0] = 2;
    else if (patience > 0 && control[2] >= patience)
        control[0] = 3;
}
