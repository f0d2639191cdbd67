#include "method/direct/refine.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/sized.h"
#include "method/direct/vectors.h"

enum { STEPS = 20 }; /* of plain refinement; each gains a factor of two or is the last */

/* The errors of each column; NaN where X is NaN or Inf. */
typedef struct measured {
    double error[CLS_REFINE_COLUMNS];    /* ||b - op(A) x||_1 / (||op(A)||_1 ||x||_1 + ||b||_1), or of the goal */
    double infinity[CLS_REFINE_COLUMNS]; /* ||b - op(A) x||_inf / (||op(A)||_inf ||x||_inf); 0 with a goal */
} measured;

typedef struct state {
    const cls_refine *problem;
    const double *B;
    double *X, *R, *D, *before; /* n x cols; `before`: X before the last step */
    int64_t cols;
    cls_refined *result;
    int64_t record; /* place in the history */
    cls_sized norm, norm_inf, norm_b[CLS_REFINE_COLUMNS];
    measured best;
    int open[CLS_REFINE_COLUMNS];   /* not there yet, and still gaining */
    int lost[CLS_REFINE_COLUMNS];   /* the first solution was no number */
    int beyond[CLS_REFINE_COLUMNS]; /* and nor was what GMRES made of zeros */
} state;

/* max |x(i)|; NaN if an element is NaN or Inf. */
static double largest_number(int64_t n, const double *x) {
    double largest = 0, all = 0;
    for (int64_t i = 0; i < n; ++i) {
        const double size = fabs(x[i]);
        largest = size > largest ? size : largest;
        all += 0 * size;
    }
    return largest + all;
}

static cls_sized norm_1(int64_t n, const double *x) {
    const double largest = largest_number(n, x);
    double sum = 0;
    if (!isfinite(largest)) return (cls_sized){(double)NAN, 0};
    if (largest == 0) return (cls_sized){0, 0};
    int exponent = ilogb(largest) > -1000 ? ilogb(largest) : -1000; /* 2^1000 is a double, 2^1074 is not */
    double factor = ldexp(1, -exponent);
    for (int64_t i = 0; i < n; ++i) sum += fabs(x[i]) * factor;
    cls_sized norm = cls_sized_of(sum);
    norm.exponent += exponent;
    return norm;
}

static cls_sized largest_of(int64_t n, const double *x) {
    const double largest = largest_number(n, x);
    return isfinite(largest) ? cls_sized_of(largest) : (cls_sized){(double)NAN, 0};
}

static double *column(const state *s, double *matrix, int64_t c) {
    return matrix + c * s->problem->n;
}

/* ---- where to stop: refine.h has the three levels ---- */

static double order_of(const cls_refine *p) {
    return (double)(p->order > 0 ? p->order : p->n);
}

static double target(const cls_refine *p) {
    return p->goal > 0 ? p->goal : fmax(sqrt(order_of(p)), 4) * p->epsilon;
}

static double target_infinity(const cls_refine *p) {
    return 0.5 * sqrt(order_of(p)) * p->epsilon;
}

static double acceptable(const cls_refine *p) {
    return p->goal > 0 || p->strict ? target(p) : fmax(order_of(p), 10) * p->epsilon;
}

static int reached(const cls_refine *p, const measured *m, int64_t c) {
    return m->error[c] <= target(p) && m->infinity[c] <= target_infinity(p);
}

static int settled(const cls_refine *p, const measured *m, int64_t c) {
    double rounding = fmax(target_infinity(p), 4 * p->epsilon); /* of residuals of few rows */
    return m->error[c] <= target(p) && m->infinity[c] <= rounding;
}

/* How many times what is aimed at; asked of columns that have not reached it. */
static double excess(const cls_refine *p, const measured *m, int64_t c) {
    double error = m->error[c] / target(p);
    return isnan(error) ? error : fmax(error, m->infinity[c] / target_infinity(p));
}

/* Until an answer is acceptable its backward error counts alone: acceptance depends on nothing else. */
static int is_better(const cls_refine *p, const measured *now, const measured *best, int64_t c) {
    if (isnan(best->error[c])) return !isnan(now->error[c]);
    if (!(best->error[c] <= acceptable(p))) return now->error[c] < best->error[c];
    return now->error[c] <= acceptable(p) && excess(p, now, c) < excess(p, best, c);
}

static int has_gained(const cls_refine *p, const measured *now, const measured *best, double gain, int64_t c) {
    return !(now->error[c] > gain * best->error[c]) || !(excess(p, now, c) > gain * excess(p, best, c));
}

/* ---- measuring ---- */

/* The number by which the residual's 1-norm is divided. */
static cls_sized size_of(state *s, int64_t c) {
    if (s->problem->goal > 0) return s->norm_b[c];
    return cls_sized_sum(cls_sized_product(s->norm, norm_1(s->problem->n, column(s, s->X, c))), s->norm_b[c]);
}

/* And its largest element. */
static cls_sized size_infinity(state *s, int64_t c) {
    return cls_sized_product(s->norm_inf, largest_of(s->problem->n, column(s, s->X, c)));
}

static double ratio_of(cls_sized r, cls_sized size) {
    return isfinite(r.fraction) && isfinite(size.fraction) ? cls_sized_quotient(r, size) : (double)NAN;
}

/* Column c from its residual, which was made 2^down times smaller. */
static void take_measures(state *s, int64_t c, const double *r, int down, measured *m) {
    const cls_refine *p = s->problem;
    cls_sized sum = norm_1(p->n, r), largest = largest_of(p->n, r);

    sum.exponent += down;
    largest.exponent += down;
    m->error[c] = ratio_of(sum, size_of(s, c));
    m->infinity[c] = p->goal > 0 ? 0 : ratio_of(largest, size_infinity(s, c));
}

static void copy_smaller(int64_t n, int exponent, const double *from, double *to) {
    for (int64_t i = 0; i < n; ++i) to[i] = ldexp(from[i], -exponent);
}

/* The errors of columns whose residual overflowed, from smaller ones of both sides; the residual itself stays none,
 * so that nothing is made of it. */
static clsolve_status measure_smaller(state *s, measured *m) {
    const cls_refine *p = s->problem;
    size_t count = (size_t)p->n * (size_t)s->cols;
    double *X = cls_alloc(3 * count, sizeof *X), *B = X ? X + count : NULL, *R = X ? B + count : NULL;
    int down[CLS_REFINE_COLUMNS];

    if (!X) return cls_fail(p->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for the vectors of refinement");
    for (int64_t c = 0; c < s->cols; ++c) {
        cls_sized size = size_of(s, c);
        down[c] = isfinite(size.fraction) && size.exponent > 900 ? size.exponent - 900 : 0;
        copy_smaller(p->n, down[c], column(s, s->X, c), X + c * p->n);
        copy_smaller(p->n, down[c], s->B + c * p->n, B + c * p->n);
    }
    clsolve_status status = p->residual(p->self, p->op, s->cols, X, B, R);
    for (int64_t c = 0; status == CLSOLVE_OK && c < s->cols; ++c) {
        if (isnan(m->error[c])) take_measures(s, c, R + c * p->n, down[c], m);
    }
    cls_free(X);
    return status;
}

/* R = B - op(A) X, and each column's errors. */
static clsolve_status measure(state *s, measured *m) {
    const cls_refine *p = s->problem;
    int again = 0;

    CLS_TRY(p->residual(p->self, p->op, s->cols, s->X, s->B, s->R));
    for (int64_t c = 0; c < s->cols; ++c) {
        take_measures(s, c, column(s, s->R, c), 0, m);
        again = again || (isnan(m->error[c]) && isfinite(norm_1(p->n, column(s, s->X, c)).fraction));
    }
    return again ? measure_smaller(s, m) : CLSOLVE_OK;
}

/* The worst column's error into the history; the chunks of a solve share one history, entry by entry. */
static void note(state *s) {
    cls_refined *result = s->result;
    double worst = 0;
    for (int64_t c = 0; c < s->cols; ++c)
        if (!(s->best.error[c] <= worst)) worst = s->best.error[c];
    if (s->record < CLSOLVE_REPORT_HISTORY) {
        double *entry = &result->history[s->record];
        if (s->record >= result->history_length || !(worst <= *entry)) *entry = worst;
        if (s->record >= result->history_length) result->history_length = s->record + 1;
    }
    s->record++;
}

static void round_to_float(const state *s) {
    if (!s->problem->single) return;
    for (int64_t k = 0; k < s->problem->n * s->cols; ++k) s->X[k] = (double)(float)s->X[k];
}

static int any_open(const state *s) {
    int any = 0;
    for (int64_t c = 0; c < s->cols; ++c) any = any || s->open[c];
    return any;
}

/* Columns that are no better get back what they were. */
static void judge(state *s, const measured *now, double gain) {
    const cls_refine *p = s->problem;
    measured *best = &s->best;

    for (int64_t c = 0; c < s->cols; ++c) {
        if (!s->open[c]) continue;
        int better = is_better(p, now, best, c);
        double least = best->error[c] <= acceptable(p) ? 0.5 : gain; /* what is accepted already is worth less work */
        s->open[c] = better && has_gained(p, now, best, least, c) && !reached(p, now, c);
        if (better) {
            best->error[c] = now->error[c];
            best->infinity[c] = now->infinity[c];
        } else {
            memcpy(column(s, s->X, c), column(s, s->before, c), (size_t)p->n * sizeof(double));
        }
    }
}

static clsolve_status refine_plainly(state *s) {
    const cls_refine *p = s->problem;
    size_t bytes = (size_t)(p->n * s->cols) * sizeof(double);
    measured now;

    for (int step = 0; step < STEPS && any_open(s); ++step) {
        memcpy(s->before, s->X, bytes);
        CLS_TRY(p->precondition(p->self, p->op, s->cols, s->R, s->D));
        for (int64_t c = 0; c < s->cols; ++c)
            for (int64_t i = 0; s->open[c] && i < p->n; ++i) column(s, s->X, c)[i] += column(s, s->D, c)[i];
        round_to_float(s);
        CLS_TRY(measure(s, &now));
        judge(s, &now, 0.5);
        note(s);
        s->result->iterations++;
    }
    return CLSOLVE_OK;
}

/* The product of the two, which may be a number where `size` is beyond all. */
static double times(double factor, cls_sized size) {
    return cls_sized_value(cls_sized_product(cls_sized_of(factor), size));
}

/*
 * How small ||r||_2 is to become, because x is about as large at the end as now: ||r||_1 <= sqrt(n) ||r||_2 and
 * ||r||_inf <= ||r||_2. Where x is too small yet, ||b|| is what op(A) x will be.
 */
static double gmres_goal(state *s, int64_t c) {
    const cls_refine *p = s->problem;
    double goal = times(0.5 * target(p) / sqrt((double)p->n), size_of(s, c));
    cls_sized b = largest_of(p->n, s->B + c * p->n);
    double most = fmax(times(target_infinity(p), size_infinity(s, c)), times(target_infinity(p), b));
    return p->goal > 0 ? goal : fmin(goal, most);
}

/* Every cycle starts from the true residual, so the number of them bounds the work and not the accuracy. */
static clsolve_status refine_by_gmres(state *s) {
    const cls_refine *p = s->problem;
    size_t bytes = (size_t)(p->n * s->cols) * sizeof(double);
    double goal[CLS_REFINE_COLUMNS];
    measured now;

    for (int64_t c = 0; c < s->cols; ++c) {
        s->open[c] = !settled(p, &s->best, c);
        s->lost[c] = isnan(s->best.error[c]);
        if (s->lost[c]) memset(column(s, s->X, c), 0, (size_t)p->n * sizeof(double));
    }
    if (!any_open(s)) return CLSOLVE_OK;
    CLS_TRY(measure(s, &s->best));
    for (int cycle = 0; cycle < p->cycles && any_open(s); ++cycle) {
        int64_t steps = 0;
        memcpy(s->before, s->X, bytes);
        for (int64_t c = 0; c < s->cols; ++c) goal[c] = gmres_goal(s, c);
        CLS_TRY(cls_gmres_cycle(p, s->cols, s->open, goal, s->R, s->X, &steps));
        round_to_float(s);
        CLS_TRY(measure(s, &now));
        for (int64_t c = 0; c < s->cols; ++c) s->beyond[c] = s->beyond[c] || (s->lost[c] && isnan(now.error[c]));
        judge(s, &now, 0.9);
        note(s);
        s->result->iterations += steps + 1;
        s->result->gmres += steps;
    }
    return CLSOLVE_OK;
}

/* The outcome of the columns. A system without an answer in double is told apart from one that is too
 * ill-conditioned. */
static void conclude(state *s) {
    const cls_refine *p = s->problem;
    cls_refined *result = s->result;

    for (int64_t c = 0; c < s->cols; ++c) {
        int done = p->strict ? settled(p, &s->best, c) : s->best.error[c] <= acceptable(p);
        if (!done) result->converged = 0;
        if (!settled(p, &s->best, c)) result->unsettled = 1;
        if (!done && s->lost[c] && (p->working || s->beyond[c])) {
            column(s, s->X, c)[0] = (double)INFINITY;
            s->best.error[c] = (double)NAN;
            result->overflowed = 1;
        }
        if (!isnan(result->backward_error) && !(s->best.error[c] <= result->backward_error))
            result->backward_error = s->best.error[c];
    }
}

static clsolve_status run(state *s) {
    const cls_refine *p = s->problem;

    s->norm = cls_sized_of(p->norm);
    s->norm_inf = cls_sized_of(p->norm_inf);
    s->norm.exponent -= ilogb(CLS_NORM_SCALE);
    s->norm_inf.exponent -= ilogb(CLS_NORM_SCALE);
    for (int64_t c = 0; c < s->cols; ++c) s->norm_b[c] = norm_1(p->n, s->B + c * p->n);
    CLS_TRY(p->precondition(p->self, p->op, s->cols, s->B, s->X));
    round_to_float(s);
    CLS_TRY(measure(s, &s->best));
    note(s);
    /* Columns that are NaN or Inf skip plain refinement. */
    for (int64_t c = 0; c < s->cols; ++c) s->open[c] = !isnan(s->best.error[c]) && !reached(p, &s->best, c);
    CLS_TRY(refine_plainly(s));
    if (p->gmres) CLS_TRY(refine_by_gmres(s));
    conclude(s);
    return CLSOLVE_OK;
}

clsolve_status cls_refine_solve(const cls_refine *problem, int64_t cols, const double *B, double *X,
                                cls_refined *result) {
    size_t count = (size_t)problem->n * (size_t)cols;
    state s = {.problem = problem, .B = B, .X = X, .cols = cols, .result = result};

    s.R = cls_alloc(count, sizeof *s.R);
    s.D = cls_alloc(count, sizeof *s.D);
    s.before = cls_alloc(count, sizeof *s.before);
    clsolve_status status = s.R && s.D && s.before ? run(&s)
                                                   : cls_fail(problem->error, CLSOLVE_ERROR_OUT_OF_MEMORY,
                                                              "no host memory for the vectors of refinement");
    cls_free(s.R);
    cls_free(s.D);
    cls_free(s.before);
    return status;
}

/* ---- of a matrix that was multiplied as a whole ---- */

static void scale(int64_t n, int64_t cols, const double *B, double *scaled, int *exponents) {
    for (int64_t c = 0; c < cols; ++c) {
        double largest = 0;
        for (int64_t i = 0; i < n; ++i) largest = fmax(largest, fabs(B[i + c * n]));
        exponents[c] = ilogb(cls_vector_unit(largest));
        for (int64_t i = 0; i < n; ++i) scaled[i + c * n] = ldexp(B[i + c * n], -exponents[c]);
    }
}

clsolve_status cls_refine_solve_scaled(const cls_refine *problem, double unit, int64_t cols, const double *B, double *X,
                                       cls_refined *result) {
    int64_t n = problem->n;
    int exponents[CLS_REFINE_COLUMNS];

    if (unit == 1) return cls_refine_solve(problem, cols, B, X, result);
    double *scaled = cls_alloc((size_t)n * (size_t)cols, sizeof *scaled);
    if (!scaled) return cls_fail(problem->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for right-hand sides");
    scale(n, cols, B, scaled, exponents);
    clsolve_status status = cls_refine_solve(problem, cols, scaled, X, result);
    for (int64_t k = 0; k < n * cols; ++k) X[k] = ldexp(X[k], exponents[k / n] + ilogb(unit));
    cls_free(scaled);
    return status;
}
