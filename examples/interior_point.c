/*
 * interior_point.c: loads on a line of machines. Machine i takes the load x(i) >= 0; each group of three machines has to
 * carry a load of 1. The cost is
 *
 *      f(x) = sum of  x(i)^2 / 2 - 1.5 x(i) x(i + 1) + c(i) x(i)
 *
 * because neighbours that work together save. So f is not convex, and a point where its slope vanishes may be a saddle.
 *
 * Primal-dual interior point method: with X = diag(x), multipliers y of the groups and z of x >= 0, Newton's steps for
 * x(i) z(i) = mu are those of
 *
 *      | Q + Z/X + d I   A^T |  | dx  |     | mu / x - (Q x + c - A^T y) |
 *      |       A          0  |  | -dy |  =  |          1 - A x           |,     mu becomes smaller and smaller.
 *
 * dx leads downhill if the matrix has as many positive eigenvalues as there are machines, and as many negative ones as
 * groups (J. Nocedal, S. Wright, Numerical Optimization, theorem 16.3). The inertia of its L D L^T tells. If it is
 * another one, d grows and the matrix is factored again, as in Ipopt. The pattern is analysed once.
 */
#include <clsolve/clsolve.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { GROUPS = 400, N = 3 * GROUPS, ROWS = N + GROUPS, MOST = 2 * N + N + GROUPS, MOST_STEPS = 60, MOST_TRIES = 20 };

static const double saving = 1.5;

/* The lower triangle, by rows: diagonal, left neighbour; of a group its three machines and a zero. */
static int32_t row_start[ROWS + 1], column[MOST], diagonal[N];
static double values[MOST], x[N], y[GROUPS], z[N], cost[N], right[ROWS];

static void make_pattern(void) {
    int at = 0;
    for (int i = 0; i < N; i++) {
        if (i > 0) column[at] = i - 1, values[at++] = -saving;
        diagonal[i] = at;
        column[at++] = i;
        row_start[i + 1] = at;
    }
    for (int g = 0; g < GROUPS; g++) {
        for (int k = 0; k < 3; k++) column[at] = 3 * g + k, values[at++] = 1;
        column[at] = N + g, values[at++] = 0;
        row_start[N + g + 1] = at;
    }
}

static double slope(int i) {
    const double left = i > 0 ? x[i - 1] : 0, next = i + 1 < N ? x[i + 1] : 0;
    return x[i] - saving * (left + next) + cost[i];
}

/* Factors with d = 0, or as large as it must be. */
static clsolve_status factor(clsolve_sparse *sparse, const clsolve_csr *K, int *corrected) {
    double d = 0;
    for (int attempt = 0; attempt < MOST_TRIES; attempt++) {
        clsolve_inertia inertia;
        for (int i = 0; i < N; i++) values[diagonal[i]] = 1 + z[i] / x[i] + d;
        clsolve_status status = clsolve_sparse_factor_csr(sparse, K);
        if (status == CLSOLVE_OK) status = clsolve_sparse_inertia(sparse, &inertia);
        if (status == CLSOLVE_OK && inertia.positive == N && inertia.negative == GROUPS) return status;
        if (status != CLSOLVE_OK && status != CLSOLVE_SINGULAR) return status;
        d = d == 0 ? 0.1 : 2 * d;
        ++*corrected;
    }
    return CLSOLVE_NOT_CONVERGED;
}

/* The longest step of at most 1 that keeps v + step dv positive. */
static double longest(const double *v, const double *dv) {
    double step = 1;
    for (int i = 0; i < N; i++)
        if (dv[i] < 0) step = fmin(step, -0.99 * v[i] / dv[i]);
    return step;
}

/* One step; returns the error of the conditions of an optimum before it. */
static clsolve_status step(clsolve_sparse *sparse, const clsolve_csr *K, int *corrected, double *error) {
    static double dz[N];
    clsolve_matrix B = clsolve_matrix_f64(ROWS, 1, right);
    double mu = 0;
    *error = 0;
    for (int i = 0; i < N; i++) mu += 0.1 * x[i] * z[i] / N;
    for (int i = 0; i < N; i++) {
        const double rest = slope(i) - y[i / 3];
        right[i] = mu / x[i] - rest;
        *error = fmax(*error, fmax(fabs(rest - z[i]), x[i] * z[i]));
    }
    for (int g = 0; g < GROUPS; g++) {
        right[N + g] = 1 - x[3 * g] - x[3 * g + 1] - x[3 * g + 2];
        *error = fmax(*error, fabs(right[N + g]));
    }
    clsolve_status status = factor(sparse, K, corrected);
    if (status == CLSOLVE_OK) status = clsolve_sparse_solve(sparse, CLSOLVE_NO_TRANS, &B);
    if (status != CLSOLVE_OK) return status;
    for (int i = 0; i < N; i++) dz[i] = (mu - z[i] * right[i]) / x[i] - z[i];
    const double of_x = longest(x, right), of_z = longest(z, dz);
    for (int i = 0; i < N; i++) x[i] += of_x * right[i], z[i] += of_z * dz[i];
    for (int g = 0; g < GROUPS; g++) y[g] -= of_z * right[N + g];
    return status;
}

int main(void) {
    clsolve_context *context = NULL;
    clsolve_sparse *sparse = NULL;
    const clsolve_sparse_options options = {.form = CLSOLVE_SPARSE_SYMMETRIC, .part = CLSOLVE_SPARSE_LOWER};
    double error = 1, all = 0;
    int steps = 0, corrected = 0, idle = 0;

    make_pattern();
    for (int i = 0; i < N; i++) {
        cost[i] = 0.3 * sin(1.7 * i);
        x[i] = 1.0 / 3;
        z[i] = 0.1;
        values[diagonal[i]] = 1 + z[i] / x[i];
    }
    const clsolve_csr K = {CLSOLVE_F64, CLSOLVE_I32, 0, ROWS, ROWS, row_start, column, values};
    clsolve_status status = clsolve_context_create("host", &context);
    if (status == CLSOLVE_OK) status = clsolve_sparse_create_csr(context, &K, &options, &sparse);
    for (; status == CLSOLVE_OK && steps < MOST_STEPS && error > 1e-9; steps++)
        status = step(sparse, &K, &corrected, &error);
    for (int i = 0; i < N; i++) {
        all += 0.5 * x[i] * (slope(i) + cost[i]);
        idle += x[i] < 1e-6;
    }
    if (status == CLSOLVE_OK)
        printf("%d machines, %d steps, d raised %d times: error %.0e, cost %.4f, %d machines idle\n", N, steps,
               corrected, error, all, idle);
    else
        fprintf(stderr, "%s: %s\n", clsolve_status_text(status), clsolve_context_message(context));
    clsolve_sparse_destroy(sparse);
    clsolve_context_destroy(context);
    return status == CLSOLVE_OK ? 0 : 1;
}
