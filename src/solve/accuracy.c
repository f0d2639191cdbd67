/*
 * accuracy.c: how well x solves op(A) x = b, and how it is made better.
 *
 * The residual is computed in double on the host, with the solver's own copy of A. A correction solves for it once
 * more and adds the solution (iterative refinement: N. J. Higham, Accuracy and Stability of Numerical Algorithms,
 * chapter 12). One correction makes a stable method's answer as good as it gets, and gains an iteration as many
 * digits as its first solve.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/type.h"
#include "solve/solver.h"

/* Corrections that are tried. An iteration to 1e-5 in float needs two; another one that gains little stops by
 * itself. */
enum { MOST_CORRECTIONS = 4 };

double cls_epsilon(clsolve_type type) {
    return cls_is_double(type) ? 0x1p-53 : 0x1p-24;
}

double cls_accuracy_promised(const clsolve_solver *solver) {
    return fmax(sqrt((double)solver->n), 10) * cls_epsilon(solver->type);
}

/* ---- norms ---- */

/* A maximum that keeps NaN, which every comparison would lose. */
static double larger(double a, double b) {
    return isnan(a) || a > b ? a : b;
}

/* 0/0 counts as 0: the answer is exact. In long double no norm near the end of the range makes the product overflow. */
static double quotient(long double above, long double below) {
    return above == 0 && below == 0 ? 0 : (double)(above / below);
}

typedef struct norms {
    long double inf, one, two;
} norms;

/* The norms of n elements of so many parts each, which are `wide` where that is not NULL, else x. NaN stays. */
static norms norms_of(int64_t n, int64_t parts, const double *x, const long double *wide) {
    norms of = {0, 0, 0};
    for (int64_t i = 0; i < n; i++) {
        const int64_t k = i * parts, last = k + parts - 1;
        const long double re = wide ? wide[k] : x[k], im = wide ? wide[last] : x[last];
        const long double size = parts == 1 ? fabsl(re) : cls_modulus(re, im);
        of.inf = isnan(of.inf) || of.inf > size ? of.inf : size;
        of.one += size;
        of.two += size * size;
    }
    of.two = sqrtl(of.two);
    return of;
}

/* ---- the residual ---- */

/* r = b - A x, a sum of one row at a time; r: n. Rounded to double a residual of small numbers would seem to be 0. */
static void subtract_rows(const cls_csr *A, const double *x, const double *b, long double *r) {
    for (int64_t i = 0; i < A->n; i++) {
        long double sum = b[i];
        for (int64_t e = A->start[i]; e < A->start[i + 1]; e++) sum -= (long double)A->value[e] * x[A->column[e]];
        r[i] = sum;
    }
}

/* r = b - A^T x. */
static void subtract_columns(const cls_csr *A, const double *x, const double *b, long double *r) {
    for (int64_t i = 0; i < A->n; i++) r[i] = b[i];
    for (int64_t i = 0; i < A->n; i++)
        for (int64_t e = A->start[i]; e < A->start[i + 1]; e++) r[A->column[e]] -= (long double)A->value[e] * x[i];
}

/* The same of complex numbers: r = b - op(A) x; r: 2 n. */
static void subtract_complex(const cls_csr *A, clsolve_op op, const double *x, const double *b, long double *r) {
    const long double sign = op == CLSOLVE_CONJ_TRANS ? -1 : 1;
    for (int64_t k = 0; k < 2 * A->n; k++) r[k] = b[k];
    for (int64_t i = 0; i < A->n; i++)
        for (int64_t e = A->start[i]; e < A->start[i + 1]; e++) {
            const int64_t to = op == CLSOLVE_NO_TRANS ? i : A->column[e],
                          from = op == CLSOLVE_NO_TRANS ? A->column[e] : i;
            const long double re = A->value[2 * e], im = sign * A->value[2 * e + 1];
            r[2 * to] -= re * x[2 * from] - im * x[2 * from + 1];
            r[2 * to + 1] -= re * x[2 * from + 1] + im * x[2 * from];
        }
}

static void measure_column(const clsolve_solver *solver, int transposed, const double *b, const double *x,
                           const long double *r, cls_accuracy *worst) {
    const cls_analysis *a = &solver->analysis;
    const int64_t n = solver->n, parts = cls_type_parts(solver->type);
    const long double A_inf = transposed ? a->norm_1 : a->norm_inf, A_1 = transposed ? a->norm_inf : a->norm_1;
    const norms of_r = norms_of(n, parts, NULL, r), of_x = norms_of(n, parts, x, NULL),
                of_b = norms_of(n, parts, b, NULL);
    const long double scale = A_1 * of_x.one * (long double)n * cls_epsilon(solver->type);
    worst->backward = larger(worst->backward, quotient(of_r.inf, A_inf * of_x.inf + of_b.inf));
    worst->relative = larger(worst->relative, quotient(of_r.two, of_b.two));
    worst->scaled = larger(worst->scaled, quotient(of_r.one, scale));
}

void cls_measure(clsolve_solver *solver, clsolve_op op, const double *b, const double *x, int64_t nrhs, double *r,
                 cls_accuracy *accuracy) {
    const int64_t numbers = solver->n * cls_type_parts(solver->type);
    const int transposed = op != CLSOLVE_NO_TRANS;
    long double *residual = solver->analysis.work;
    *accuracy = (cls_accuracy){0};
    for (int64_t at = 0; at < numbers * nrhs; at += numbers) {
        if (cls_is_complex(solver->type))
            subtract_complex(&solver->A, op, x + at, b + at, residual);
        else if (transposed)
            subtract_columns(&solver->A, x + at, b + at, residual);
        else
            subtract_rows(&solver->A, x + at, b + at, residual);
        measure_column(solver, transposed, b + at, x + at, residual, accuracy);
        for (int64_t k = 0; k < numbers; k++) r[at + k] = (double)residual[k];
    }
}

/* ---- corrections ---- */

void cls_remove_means(int64_t n, int64_t nrhs, int64_t parts, double *x) {
    for (int64_t j = 0; j < nrhs; j++, x += n * parts)
        for (int64_t p = 0; p < parts; p++) {
            double mean = 0;
            for (int64_t i = 0; i < n; i++) mean += x[i * parts + p] / (double)n;
            for (int64_t i = 0; i < n; i++) x[i * parts + p] -= mean;
        }
}

/* x + r, rounded to the caller's type. */
static void add(const clsolve_solver *solver, int64_t count, const double *x, double *r) {
    for (int64_t e = 0; e < count; e++) {
        double sum = x[e] + r[e];
        r[e] = cls_is_double(solver->type) ? sum : (double)(float)sum;
    }
}

void cls_correct(clsolve_solver *solver, clsolve_op op, const double *b, double *x, int64_t nrhs, double *r,
                 cls_accuracy *accuracy) {
    int64_t count = solver->n * nrhs * cls_type_parts(solver->type);
    clsolve_solve_report first = solver->report; /* a correction's own report and history are not those of the solve */
    double *history = solver->history;
    solver->history = NULL;
    double *residual = cls_alloc((size_t)count + 1, sizeof *residual);
    for (int step = 0; residual && step < MOST_CORRECTIONS; step++) {
        cls_accuracy next;
        if (accuracy->backward <= cls_accuracy_promised(solver)) break;
        /* As far as is promised, and somewhat more, but no further: each cycle counts. */
        solver->aim = fmin(0.1, fmax(cls_is_double(solver->type) ? 1e-10 : 1e-5,
                                     0.1 * cls_accuracy_promised(solver) / accuracy->backward));
        clsolve_status status = cls_way_solve(solver, op, r, nrhs);
        solver->aim = 0;
        if (status != CLSOLVE_OK) break;
        add(solver, count, x, r);
        if (solver->report.singular) cls_remove_means(solver->n, nrhs, cls_type_parts(solver->type), r);
        cls_measure(solver, op, b, r, nrhs, residual, &next);
        if (!(next.backward < accuracy->backward)) break;
        int little = next.backward > 0.5 * accuracy->backward;
        memcpy(x, r, (size_t)count * sizeof *x);
        memcpy(r, residual, (size_t)count * sizeof *r);
        *accuracy = next;
        first.corrections++;
        if (solver->way == &cls_way_grid) first.report.iterations += solver->report.report.iterations;
        if (little) break;
    }
    cls_free(solver->history);
    solver->history = history;
    solver->report = first;
    cls_free(residual);
}
