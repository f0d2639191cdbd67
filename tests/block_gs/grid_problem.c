#include "block_gs/grid_problem.h"

#include <lapacke.h>

static double *array(int64_t count) {
    double *made = test_doubles(count + 1);
    return made;
}

static grid_problem make(int64_t N, int64_t M) {
    int64_t n = N * M;
    grid_problem p = {N, M, array(n), array(n), array(n), array(n), array(n), array(n)};
    return p;
}

static void mark_borders(grid_problem *p) {
    for (int64_t i = 0; i < p->N; ++i) p->a[i * p->M] = p->b[i * p->M + p->M - 1] = NAN;
    for (int64_t k = 0; k < p->M; ++k) p->up[k] = p->down[(p->N - 1) * p->M + k] = NAN;
}

void grid_free(grid_problem *p) {
    double *arrays[] = {p->up, p->a, p->c, p->b, p->down, p->F};
    for (int q = 0; q < 6; ++q) free(arrays[q]);
}

#define AT(i, k) ((i)*M + (k))

grid_problem grid_hemodynamics_1(int64_t N, int64_t M) {
    grid_problem p = make(N, M);
    for (int64_t i = 0; i < N; ++i)
        for (int64_t k = 0; k < M; ++k) {
            int64_t o = AT(i, k);
            double m = (double)(2 * (i + 1) + k + 1) / (double)(2 * N + M);
            p.up[o] = p.a[o] = p.b[o] = p.down[o] = m;
            p.c[o] = 4;
            p.F[o] = 4 + m * ((i > 0) + (i + 1 < N) + (k > 0) + (k + 1 < M));
        }
    mark_borders(&p);
    return p;
}

grid_problem grid_hemodynamics_2(int64_t N, int64_t M) {
    grid_problem p = make(N, M);
    for (int64_t i = 0; i < N; ++i)
        for (int64_t k = 0; k < M; ++k) {
            int64_t o = AT(i, k);
            p.up[o] = p.a[o] = p.b[o] = p.down[o] = -1;
            p.c[o] = 4 + (k == 0) + (k + 1 == M) - (i == 0) - (i + 1 == N);
            p.F[o] = 2 * ((k == 0) + (k + 1 == M));
        }
    mark_borders(&p);
    return p;
}

grid_problem grid_random(int64_t N, int64_t M, uint64_t use) {
    grid_problem p = make(N, M);
    test_random random = test_random_start(use);
    double *arrays[] = {p.up, p.a, p.b, p.down, p.F};
    for (int q = 0; q < 5; ++q) test_random_fill(&random, arrays[q], N * M);
    for (int64_t o = 0; o < N * M; ++o)
        p.c[o] = (test_random_signed(&random) < 0 ? -1 : 1) *
                 (fabs(p.up[o]) + fabs(p.a[o]) + fabs(p.b[o]) + fabs(p.down[o]) + 0.1);
    mark_borders(&p);
    return p;
}

grid_problem grid_drift(int64_t N, int64_t M, double w, double v, uint64_t use) {
    grid_problem p = make(N, M);
    test_random random = test_random_start(use);
    test_random_fill(&random, p.F, N * M);
    for (int64_t o = 0; o < N * M; ++o) {
        p.up[o] = -1 - w, p.down[o] = -1 + w;
        p.a[o] = -1 - v, p.b[o] = -1 + v;
        p.c[o] = 4;
    }
    mark_borders(&p);
    return p;
}

static double between(double p, double q) {
    return 2 * p * q / (p + q);
}

grid_problem grid_diffusion(int64_t N, int64_t M, double ratio, const double *K, int closed, uint64_t use) {
    grid_problem p = make(N, M);
    test_random random = test_random_start(use);
    double sum = 0;
    test_random_fill(&random, p.F, N * M);
    for (int64_t i = 0; i < N; ++i)
        for (int64_t k = 0; k < M; ++k) {
            int64_t o = AT(i, k);
            double here = K ? K[o] : 1, wall = closed ? 0 : 2 * here;
            double up = i > 0 ? between(here, K ? K[o - M] : 1) : wall;
            double down = i + 1 < N ? between(here, K ? K[o + M] : 1) : wall;
            double a = ratio * (k > 0 ? between(here, K ? K[o - 1] : 1) : wall);
            double b = ratio * (k + 1 < M ? between(here, K ? K[o + 1] : 1) : wall);
            p.up[o] = -up, p.down[o] = -down, p.a[o] = -a, p.b[o] = -b;
            p.c[o] = up + down + a + b;
            sum += p.F[o];
        }
    for (int64_t o = 0; closed && o < N * M; ++o) p.F[o] -= sum / (double)(N * M);
    mark_borders(&p);
    return p;
}

/* ---- references ---- */

/* The Thomas algorithm in the study's words. */
static void solve_line(const grid_problem *p, int64_t i, double omega, double *Y) {
    int64_t M = p->M;
    SCRATCH double *alpha = array(M + 1), *beta = array(M + 2);
    for (int64_t k = 0; k < M; ++k) {
        int64_t o = AT(i, k);
        double a = k > 0 ? p->a[o] : 0, b = k + 1 < M ? p->b[o] : 0, phi = p->F[o];
        if (i > 0) phi -= p->up[o] * Y[o - M];
        if (i + 1 < p->N) phi -= p->down[o] * Y[o + M];
        alpha[k + 1] = -b / (p->c[o] + a * alpha[k]);
        beta[k + 1] = (phi - a * beta[k]) / (p->c[o] + a * alpha[k]);
    }
    for (int64_t k = M - 1; k >= 0; --k) {
        double y = (k + 1 < M ? alpha[k + 1] * beta[k + 2] : 0) + beta[k + 1];
        beta[k + 1] = y; /* solved; what is written may be relaxed */
        Y[AT(i, k)] += omega * (y - Y[AT(i, k)]);
    }
}

void grid_sweep(const grid_problem *p, int sequential, int64_t sweeps, double *Y) {
    grid_relax(p, sequential, sweeps, 1, Y);
}

void grid_relax(const grid_problem *p, int sequential, int64_t sweeps, double omega, double *Y) {
    for (int64_t s = 0; s < sweeps; ++s) {
        if (sequential)
            for (int64_t i = 0; i < p->N; ++i) solve_line(p, i, omega, Y);
        for (int colour = 0; colour < 2 && !sequential; ++colour)
            for (int64_t i = colour; i < p->N; i += 2) solve_line(p, i, omega, Y);
    }
}

double grid_residual(const grid_problem *p, const double *Y) {
    int64_t N = p->N, M = p->M;
    double r2 = 0, f2 = 0;
    for (int64_t i = 0; i < N; ++i)
        for (int64_t k = 0; k < M; ++k) {
            int64_t o = AT(i, k);
            double r = p->F[o] - p->c[o] * Y[o];
            if (k > 0) r -= p->a[o] * Y[o - 1];
            if (k + 1 < M) r -= p->b[o] * Y[o + 1];
            if (i > 0) r -= p->up[o] * Y[o - M];
            if (i + 1 < N) r -= p->down[o] * Y[o + M];
            r2 += r * r;
            f2 += p->F[o] * p->F[o];
        }
    return sqrt(r2 / f2);
}

void grid_solve_dense(const grid_problem *p, double *Y) {
    int64_t N = p->N, M = p->M, n = N * M;
    SCRATCH double *A = array(n * n);
    SCRATCH lapack_int *pivots = test_room(n, sizeof *pivots);
    for (int64_t i = 0; i < N; ++i)
        for (int64_t k = 0; k < M; ++k) {
            int64_t o = AT(i, k);
            A[o + o * n] = p->c[o];
            if (k > 0) A[o + (o - 1) * n] = p->a[o];
            if (k + 1 < M) A[o + (o + 1) * n] = p->b[o];
            if (i > 0) A[o + (o - M) * n] = p->up[o];
            if (i + 1 < N) A[o + (o + M) * n] = p->down[o];
        }
    memcpy(Y, p->F, (size_t)n * sizeof *Y);
    assert_int_equal(LAPACKE_dgesv(LAPACK_COL_MAJOR, (lapack_int)n, 1, A, (lapack_int)n, pivots, Y, (lapack_int)n), 0);
}

/* ---- on the device ---- */

static clsolve_grid view(const grid_problem *p, clsolve_type type, const double *from) {
    int64_t n = p->N * p->M;
    if (type == CLSOLVE_F64) {
        double *copy = array(n);
        memcpy(copy, from, (size_t)n * sizeof *copy);
        return clsolve_grid_f64(p->N, p->M, copy);
    }
    float *copy = test_room(n + 1, sizeof *copy);
    for (int64_t o = 0; o < n; ++o) copy[o] = (float)from[o];
    return clsolve_grid_f32(p->N, p->M, copy);
}

clsolve_block_gs *grid_set(clsolve_context *context, const grid_problem *p, clsolve_type type,
                           const clsolve_block_gs_options *options) {
    const double *arrays[] = {p->up, p->a, p->c, p->b, p->down};
    clsolve_block_gs *handle = NULL;
    clsolve_grid g[5];
    clsolve_status status = clsolve_block_gs_create(context, p->N, p->M, type, options, &handle);
    if (status != CLSOLVE_OK) fail_msg("create: %s", clsolve_context_message(context));
    for (int q = 0; q < 5; ++q) g[q] = view(p, type, arrays[q]);
    status = clsolve_block_gs_factor(handle, &g[0], &g[1], &g[2], &g[3], &g[4]);
    if (status != CLSOLVE_OK) fail_msg("set: %s", clsolve_context_message(context));
    for (int q = 0; q < 5; ++q) free(g[q].data);
    return handle;
}

clsolve_status grid_solve(clsolve_block_gs *handle, const grid_problem *p, clsolve_type type, double *Y) {
    clsolve_grid F = view(p, type, p->F), y = view(p, type, Y);
    clsolve_status status = clsolve_block_gs_solve(handle, &F, &y, 1);
    for (int64_t o = 0; o < p->N * p->M; ++o)
        Y[o] = type == CLSOLVE_F64 ? ((double *)y.data)[o] : (double)((float *)y.data)[o];
    free(F.data);
    free(y.data);
    return status;
}
