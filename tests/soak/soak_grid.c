/* soak_grid.c: block-tridiagonal systems on a grid, by every iterative method. */
#include "block_gs/grid_problem.h"
#include "lu/ratios.h"
#include "soak/soak.h"

typedef enum grid_kind { GRID_DIFFUSION, GRID_HEMODYNAMICS, GRID_NONSYMMETRIC, GRID_CLOSED, GRID_KINDS } grid_kind;
static const char *const kind_names[GRID_KINDS] = {"diffusion", "hemodynamics", "random", "closed"};

typedef struct grid_task {
    soak *s;
    int64_t N, M, nrhs, rounds;
    clsolve_type type;
    clsolve_block_gs_options o;
    clsolve_block_gs *handle;
    grid_kind kind;
    grid_problem p; /* as rounded; F is not used */
    soak_array *coefficients[5], *F, *Y;
} grid_task;

static clsolve_status call_create(void *task) {
    grid_task *t = task;
    t->handle = NULL;
    return clsolve_block_gs_create(t->s->context, t->N, t->M, t->type, &t->o, &t->handle);
}

static clsolve_status call_set(void *task) {
    grid_task *t = task;
    clsolve_grid g[5];
    for (int q = 0; q < 5; ++q) g[q] = soak_grid_view(t->coefficients[q]);
    return clsolve_block_gs_factor(t->handle, &g[0], &g[1], &g[2], &g[3], &g[4]);
}

static clsolve_status call_solve(void *task) {
    grid_task *t = task;
    clsolve_grid f = soak_grid_view(t->F), y = soak_grid_view(t->Y);
    return clsolve_block_gs_solve(t->handle, &f, &y, t->nrhs);
}

/* ---- draws ---- */

static void draw_options(soak *s, grid_task *t) {
    clsolve_block_gs_options *o = &t->o;
    o->method = (clsolve_block_gs_method)soak_between(s, 0, 7);
    o->preconditioner = (clsolve_block_gs_preconditioner)soak_between(s, 0, 3);
    o->cycle = (clsolve_block_gs_cycle)soak_between(s, 0, 2);
    o->pivoting = (clsolve_pivoting)soak_between(s, 0, 2);
    if (soak_one_in(s, 4))
        o->smooth_before = (int32_t)soak_between(s, 1, 2), o->smooth_after = (int32_t)soak_between(s, 1, 2);
    o->sweeps = soak_between(s, 0, 4);
    if (soak_one_in(s, 3)) o->omega = 0.8 + 0.6 * test_random_unit(&s->random);
    if (soak_one_in(s, 3)) o->tolerance = t->type == CLSOLVE_F32 ? 1e-4 : 1e-8;
    o->sequential = soak_one_in(s, 8);
    o->jacobi = soak_one_in(s, 8) && o->method != CLSOLVE_BLOCK_GS_SWEEPS;
    o->single_precision = t->type == CLSOLVE_F64 && o->method >= CLSOLVE_BLOCK_GS_CG && soak_one_in(s, 4);
    o->zero_guess = soak_one_in(s, 3);
    soak_say(s, " method %d preconditioner %d cycle %d lines %d smooth %d %d sweeps %d omega %g tolerance %g",
             (int)o->method, (int)o->preconditioner, (int)o->cycle, (int)o->pivoting, (int)o->smooth_before,
             (int)o->smooth_after, (int)o->sweeps, o->omega, o->tolerance);
    soak_say(s, " sequential %d jacobi %d single %d zero_guess %d;", (int)o->sequential, (int)o->jacobi,
             (int)o->single_precision, (int)o->zero_guess);
}

/* Conjugate gradients are for symmetric matrices; a mean is taken off by what has a stop test. */
static void draw_problem(soak *s, grid_task *t) {
    t->kind = (grid_kind)soak_between(s, 0, GRID_KINDS - 1);
    if (t->o.method == CLSOLVE_BLOCK_GS_CG && t->kind != GRID_CLOSED) t->kind = GRID_DIFFUSION;
    if (t->kind == GRID_CLOSED && (t->N < 3 || t->M < 3 || t->o.method == CLSOLVE_BLOCK_GS_SWEEPS || t->o.jacobi))
        t->kind = GRID_DIFFUSION;
    uint64_t use = test_random_bits(&s->random);
    if (t->kind == GRID_HEMODYNAMICS)
        t->p = soak_one_in(s, 2) ? grid_hemodynamics_1(t->N, t->M) : grid_hemodynamics_2(t->N, t->M);
    else if (t->kind == GRID_NONSYMMETRIC)
        t->p = grid_random(t->N, t->M, use);
    else
        t->p = grid_diffusion(t->N, t->M, 1, NULL, t->kind == GRID_CLOSED, use);
    soak_say(s, " %s", kind_names[t->kind]);
    double *arrays[] = {t->p.up, t->p.a, t->p.c, t->p.b, t->p.down};
    for (int q = 0; q < 5; ++q) {
        t->coefficients[q] = soak_points(s, t->type, t->N, t->M, 1);
        for (int64_t i = 0; i < t->N; ++i)
            for (int64_t k = 0; k < t->M; ++k) {
                double *e = &arrays[q][i * t->M + k];
                *e = test_rounded(t->type, *e);
                soak_set(t->coefficients[q], i, k, 0, *e);
            }
    }
}

/* ---- checks ---- */

typedef struct grid_sizes {
    double residual, floor; /* ||F - A Y|| / ||F||, and what rounding in F - A Y makes of it */
} grid_sizes;

/* Of the system that is iterated on: by Jacobi each equation is divided by its diagonal. */
static grid_sizes measure(const grid_task *t, const double *F, const double *Y) {
    const grid_problem *p = &t->p;
    int64_t N = t->N, M = t->M;
    long double r2 = 0, f2 = 0, s2 = 0;
    for (int64_t i = 0; i < N; ++i)
        for (int64_t k = 0; k < M; ++k) {
            int64_t o = i * M + k;
            const double e[5] = {i > 0 ? p->up[o] : 0, k > 0 ? p->a[o] : 0, p->c[o], k + 1 < M ? p->b[o] : 0,
                                 i + 1 < N ? p->down[o] : 0};
            const double y[5] = {i > 0 ? Y[o - M] : 0, k > 0 ? Y[o - 1] : 0, Y[o], k + 1 < M ? Y[o + 1] : 0,
                                 i + 1 < N ? Y[o + M] : 0};
            long double by = t->o.jacobi ? (long double)p->c[o] : 1, f = (long double)F[o] / by, r = f, size = fabsl(f);
            for (int q = 0; q < 5; ++q) {
                long double term = (long double)e[q] * y[q] / by;
                r -= term;
                size += fabsl(term);
            }
            r2 += r * r, f2 += f * f, s2 += size * size;
        }
    double eps = 2 * test_epsilon(t->type);
    return (grid_sizes){(double)sqrtl(r2 / f2), 8 * eps * (double)sqrtl(s2 / f2)};
}

/* Should it converge? Where nothing promises that, an honest NOT_CONVERGED is right too. */
static int is_promised(const grid_task *t) {
    int krylov = t->o.method >= CLSOLVE_BLOCK_GS_CG;
    if (t->kind == GRID_CLOSED || t->o.jacobi || t->o.omega > 0 || t->o.single_precision) return 0;
    if (krylov && t->o.preconditioner == CLSOLVE_BLOCK_GS_PRECONDITIONER_NONE) return 0;
    if (t->kind == GRID_NONSYMMETRIC && t->o.method != CLSOLVE_BLOCK_GS_AUTO &&
        t->o.method != CLSOLVE_BLOCK_GS_GAUSS_SEIDEL)
        return 0;
    return t->N <= 40 && t->M <= 130 && t->o.method != CLSOLVE_BLOCK_GS_BICGSTAB;
}

/* What so many sweeps make of Y, by the host. */
static void check_sweeps(soak *s, const grid_task *t, const double *F, double *guess, const double *Y) {
    grid_problem p = t->p;
    int64_t count = t->N * t->M;
    double most = 0, worst = 0;
    p.F = (double *)F;
    for (int64_t o = 0; o < count && t->o.zero_guess; ++o) guess[o] = 0;
    grid_sweep(&p, t->o.sequential, t->o.sweeps > 0 ? t->o.sweeps : 1, guess);
    for (int64_t o = 0; o < count; ++o) {
        double off = fabs(guess[o] - Y[o]);
        most = fmax(most, fabs(guess[o]));
        if (!(off <= worst) && worst == worst) worst = off;
    }
    if (!(worst <= 2000 * test_epsilon(t->type) * most)) soak_wrong(s, "sweeps differ by %g of %g", worst, most);
}

static void check_answer(soak *s, const grid_task *t, const double *F, const double *Y, clsolve_status status) {
    double tolerance = t->o.tolerance > 0 ? t->o.tolerance : t->type == CLSOLVE_F32 ? 1e-5 : 1e-10;
    grid_sizes got = measure(t, F, Y);
    if (status == CLSOLVE_OK && !(got.residual <= 1.01 * tolerance + got.floor))
        soak_wrong(s, "the residual is %g, and rounding at most %g", got.residual, got.floor);
    if (status == CLSOLVE_NOT_CONVERGED && t->nrhs == 1 && is_promised(t) && got.floor < tolerance / 2)
        soak_wrong(s, "it did not converge: residual %g", got.residual);
    if (status == CLSOLVE_NOT_CONVERGED && !(got.residual <= 1 + got.floor))
        soak_wrong(s, "the residual is %g", got.residual);
}

/* ---- rounds ---- */

/* Right-hand sides whose sum is zero where the matrix is singular. */
static void draw_right(soak *s, const grid_task *t, double *F) {
    int64_t count = t->N * t->M;
    for (int64_t r = 0; r < t->nrhs; ++r) {
        double *f = F + r * count, sum = 0;
        test_random_fill(&s->random, f, count);
        for (int64_t o = 0; o < count; ++o) sum += f[o];
        for (int64_t o = 0; o < count; ++o)
            f[o] = test_rounded(t->type, t->kind == GRID_CLOSED ? f[o] - sum / (double)count : f[o]);
    }
}

/* From and to line after line, one right-hand side after the other. */
static void copy(const grid_task *t, const soak_array *a, double *values, int to) {
    for (int64_t r = 0; r < t->nrhs; ++r)
        for (int64_t i = 0; i < t->N; ++i)
            for (int64_t k = 0; k < t->M; ++k) {
                double *v = &values[(r * t->N + i) * t->M + k];
                if (to)
                    soak_set(a, i, k, r, *v);
                else
                    *v = soak_at(a, i, k, r);
            }
}

static void solve(soak *s, grid_task *t, clsolve_status due) {
    int64_t count = t->N * t->M;
    int in_place = soak_one_in(s, 5);
    t->nrhs = soak_between(s, 1, soak_one_in(s, 3) ? 5 : 1);
    t->F = soak_points(s, t->type, t->N, t->M, t->nrhs);
    t->Y = in_place ? t->F : soak_points(s, t->type, t->N, t->M, t->nrhs);
    SCRATCH double *F = soak_doubles(count * t->nrhs), *guess = soak_doubles(count * t->nrhs),
                   *Y = soak_doubles(count * t->nrhs);
    draw_right(s, t, F);
    soak_fill(s, t->type, guess, count * t->nrhs);
    if (in_place)
        for (int64_t o = 0; o < count * t->nrhs; ++o) guess[o] = F[o];
    copy(t, t->Y, guess, 1);
    copy(t, t->F, F, 1);
    soak_say(s, " solve %d%s", (int)t->nrhs, in_place ? " in place" : "");
    if (due == CLSOLVE_OK && soak_one_in(s, 15)) soak_poison(s, t->F), due = CLSOLVE_ERROR_NONFINITE;
    t->Y->use = SOAK_ITERATE;
    clsolve_status status = soak_call(s, "solve", call_solve, t);
    int sweeps = t->o.method == CLSOLVE_BLOCK_GS_SWEEPS;
    soak_expect(s, "solve", status, due, due == CLSOLVE_OK && !sweeps ? CLSOLVE_NOT_CONVERGED : due);
    copy(t, t->Y, Y, 0);
    for (int64_t r = 0; r < t->nrhs && status >= 0; ++r)
        if (sweeps)
            check_sweeps(s, t, F + r * count, guess + r * count, Y + r * count);
        else
            check_answer(s, t, F + r * count, Y + r * count, status);
    soak_drop(s, t->F);
    if (!in_place) soak_drop(s, t->Y);
}

/* ---- the family ---- */

static void *begin(soak *s) {
    static const int64_t few[][2] = {{1, 1}, {3, 5}, {17, 3}, {5, 17}};
    grid_task *t = soak_task(s, sizeof *t);
    t->type = soak_real_type(s);
    int64_t most = soak_one_in(s, 30) ? 130 : soak_one_in(s, 4) ? 40 : 17;
    int64_t pick = soak_between(s, 0, 3);
    t->N = s->quick ? few[pick][0] : soak_between(s, 1, most);
    t->M = s->quick ? few[pick][1] : soak_between(s, 1, most);
    t->rounds = soak_between(s, 1, 3);
    soak_say(s, " N %d M %d", (int)t->N, (int)t->M);
    draw_options(s, t);
    clsolve_status due = t->type == CLSOLVE_F64 && !s->device.fp64 ? CLSOLVE_ERROR_UNSUPPORTED : CLSOLVE_OK;
    soak_expect(s, "create", soak_call(s, "create", call_create, t), due, due);
    return t;
}

static int step(soak *s, void *task) {
    grid_task *t = task;
    clsolve_status due = CLSOLVE_OK;
    if (!t->handle || s->wrong[0]) return 0;
    draw_problem(s, t);
    if (soak_one_in(s, 15)) soak_poison(s, t->coefficients[2]), due = CLSOLVE_ERROR_NONFINITE;
    clsolve_status status = soak_call(s, "set", call_set, t);
    soak_expect(s, "set", status, due, due);
    for (int64_t k = soak_between(s, 1, 2); k > 0 && !s->wrong[0]; --k)
        solve(s, t, due == CLSOLVE_OK ? CLSOLVE_OK : CLSOLVE_ERROR_STATE);
    for (int q = 0; q < 5; ++q) soak_drop(s, t->coefficients[q]);
    grid_free(&t->p);
    return --t->rounds > 0;
}

static void end(soak *s, void *task) {
    SCRATCH grid_task *t = task;
    (void)s;
    clsolve_block_gs_destroy(t->handle);
}

const soak_family soak_grid = {"block-tridiagonal", begin, step, end};
