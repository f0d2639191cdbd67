/*
 * factor.c: the numbers of all fronts, children before their parents. Subtrees that have nothing in common go to
 * threads; then the fronts above them follow one by one, each by all threads. The numbers of a front depend
 * on its children alone, so the result is the same for any number of threads.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "method/fronts_host/front.h"
#include "method/fronts_host/number.h"

int cls_factors_open(const cls_symbolic *symbolic, int64_t parts, clsolve_sparse_form form, double stack,
                     cls_factors *factors) {
    const int64_t fronts = symbolic->tree.fronts, n = symbolic->tree.n;
    *factors = (cls_factors){.symbolic = symbolic, .parts = parts, .form = form, .zero_row = -1, .zero_column = -1};
    factors->arena = cls_alloc((size_t)(symbolic->columns_at[fronts] + symbolic->rows_at[fronts] + 1),
                               (size_t)parts * sizeof(double));
    factors->front = cls_alloc((size_t)fronts + 1, sizeof *factors->front);
    factors->labels = cls_alloc((size_t)n + 1, 2 * sizeof *factors->labels);
    factors->where = cls_alloc((size_t)n + 1, sizeof *factors->where);
    factors->blocks.at_once = stack * (double)parts * sizeof(double);
    if (pthread_mutex_init(&factors->blocks.lock, NULL) != 0) {
        cls_free(factors->arena);
        factors->arena = NULL;
    }
    if (factors->arena && factors->front && factors->labels && factors->where) return 1;
    cls_factors_free(factors);
    return 0;
}

void cls_factors_free(cls_factors *factors) {
    for (int64_t s = 0; factors->front && s < factors->symbolic->tree.fronts; s++)
        if (factors->front[s].owned) {
            cls_free(factors->front[s].columns);
            cls_free(factors->front[s].rows);
            cls_free(factors->front[s].row);
        }
    for (int k = 0; k < factors->blocks.count; k++) cls_free(factors->blocks.kept[k].data);
    if (factors->symbolic) (void)pthread_mutex_destroy(&factors->blocks.lock);
    cls_free(factors->arena);
    cls_free(factors->front);
    cls_free(factors->labels);
    cls_free(factors->where);
    *factors = (cls_factors){0};
}

/* ---- subtrees ---- */

/* Work of a front: of its elimination, of its contribution, and of the front as such. */
static double work_of(const cls_symbolic *symbolic, int64_t s) {
    const double f = (double)(symbolic->tree.first[s + 1] - symbolic->tree.first[s]);
    const double m = (double)symbolic->tree.rows[s], b = m - f;
    return f * f * m + f * b * b + m * m + 100;
}

static int by_work(const void *a, const void *b) {
    const cls_subtree *x = a, *y = b;
    if (x->work != y->work) return x->work > y->work ? -1 : 1;
    return x->root < y->root ? -1 : x->root > y->root;
}

/* `work` becomes that of each front's subtree, which begins with front `first`. */
static void sum_work(const cls_tree *tree, double *work, int64_t *first) {
    for (int64_t s = 0; s < tree->fronts; s++) first[s] = s;
    for (int64_t s = 0; s < tree->fronts; s++) {
        const int64_t above = tree->parent[s];
        if (above < 0) continue;
        work[above] += work[s];
        if (first[s] < first[above]) first[above] = first[s];
    }
}

/*
 * Splits the largest subtree into those of its children, until the largest is small against the whole; the fronts that
 * were split come after all subtrees.
 */
static void choose_subtrees(const cls_symbolic *symbolic, const double *work, double small, cls_subtrees *trees) {
    trees->count = 0;
    for (int64_t s = 0; s < symbolic->tree.fronts; s++)
        if (symbolic->tree.parent[s] < 0) trees->at[trees->count++] = (cls_subtree){.root = s, .work = work[s]};
    qsort(trees->at, (size_t)trees->count, sizeof *trees->at, by_work);
    for (int64_t k = 0; k < trees->count; k++) /* those that are split leave a gap, which the last one fills */
        while (k < trees->count && trees->at[k].work > small) {
            const int64_t root = trees->at[k].root;
            trees->at[k] = trees->at[--trees->count];
            for (int64_t c = symbolic->child_start[root]; c < symbolic->child_start[root + 1]; c++) {
                const int64_t child = symbolic->child[c];
                trees->at[trees->count++] = (cls_subtree){.root = child, .work = work[child]};
            }
        }
    qsort(trees->at, (size_t)trees->count, sizeof *trees->at, by_work);
}

int cls_subtrees_make(const cls_symbolic *symbolic, int threads, cls_subtrees *trees) {
    const int64_t fronts = symbolic->tree.fronts;
    double *work = cls_alloc((size_t)fronts + 1, sizeof *work);
    int64_t *first = cls_alloc((size_t)fronts + 1, sizeof *first);
    *trees = (cls_subtrees){.at = cls_alloc((size_t)fronts + 1, sizeof *trees->at),
                            .inside = cls_alloc((size_t)fronts + 1, 1)};
    const int room = work && first && trees->at && trees->inside;
    for (int64_t s = 0; s < fronts && room; s++) {
        work[s] = work_of(symbolic, s);
        trees->whole += work[s];
    }
    if (room && threads > 1) {
        sum_work(&symbolic->tree, work, first);
        choose_subtrees(symbolic, work, trees->whole / (3.0 * threads), trees);
        for (int64_t k = 0; k < trees->count; k++) {
            trees->at[k].first = first[trees->at[k].root];
            for (int64_t s = trees->at[k].first; s <= trees->at[k].root; s++) trees->inside[s] = 1;
        }
    }
    cls_free(work);
    cls_free(first);
    if (!room) cls_subtrees_free(trees);
    return room;
}

void cls_subtrees_free(cls_subtrees *trees) {
    cls_free(trees->at);
    cls_free(trees->inside);
    *trees = (cls_subtrees){0};
}

/* ---- memory of contributions ---- */

static double border_of(const cls_symbolic *symbolic, int64_t s) {
    return (double)(symbolic->border_start[s + 1] - symbolic->border_start[s]);
}

/* Front s has its contribution while those of its children are still there. */
static void stack_front(const cls_symbolic *symbolic, int64_t s, double *now, double *most) {
    const double border = border_of(symbolic, s);
    *now += border * border;
    *most = fmax(*most, *now);
    for (int64_t c = symbolic->child_start[s]; c < symbolic->child_start[s + 1]; c++) {
        const double below = border_of(symbolic, symbolic->child[c]);
        *now -= below * below;
    }
}

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return x > y ? -1 : x < y;
}

/*
 * While subtrees run, each that is over has left its root's contribution, and of those that run, one by each thread,
 * any may be at its height. Then the fronts above follow one by one.
 */
static double stack_of(const cls_symbolic *symbolic, const cls_subtrees *trees, int threads, double *over) {
    double now = 0, most = 0;
    for (int64_t k = 0; k < trees->count; k++) {
        const double border = border_of(symbolic, trees->at[k].root);
        double of_tree = 0;
        over[k] = 0;
        for (int64_t s = trees->at[k].first; s <= trees->at[k].root; s++) stack_front(symbolic, s, &of_tree, &over[k]);
        over[k] -= border * border;
        now += border * border;
    }
    qsort(over, (size_t)trees->count, sizeof *over, by_size);
    most = now;
    for (int64_t k = 0; k < trees->count && k < threads; k++) most += over[k];
    for (int64_t s = 0; s < symbolic->tree.fronts; s++)
        if (!trees->inside[s]) stack_front(symbolic, s, &now, &most);
    return most;
}

double cls_factors_stack(const cls_symbolic *symbolic, int threads) {
    cls_subtrees trees;
    double most = -1;
    if (!cls_subtrees_make(symbolic, threads, &trees)) return -1;
    double *over = cls_alloc((size_t)trees.count + 1, sizeof *over);
    if (over) most = stack_of(symbolic, &trees, threads, over);
    cls_free(over);
    cls_subtrees_free(&trees);
    return most;
}

/* Factors without delayed pivots, and labels. */
static double arena_bytes(const cls_symbolic *symbolic, int64_t parts) {
    const double fronts = (double)symbolic->tree.fronts, n = (double)symbolic->tree.n;
    const double elements =
        (double)symbolic->columns_at[symbolic->tree.fronts] + (double)symbolic->rows_at[symbolic->tree.fronts];
    const double for_front = sizeof(cls_front) + sizeof(cls_contribution) + sizeof(clsolve_status);
    return (double)parts * sizeof(double) * elements + 3 * sizeof(int64_t) * n + for_front * fronts;
}

double cls_factors_bytes(const cls_symbolic *symbolic, int64_t parts, double stack) {
    return arena_bytes(symbolic, parts) + cls_blocks_at_most(stack * (double)parts * sizeof(double));
}

double cls_factors_held(const cls_factors *factors) {
    return arena_bytes(factors->symbolic, factors->parts) + factors->bytes + factors->blocks.most;
}

/* ---- the run ---- */

typedef struct run_of {
    cls_front_run *run;
    cls_subtrees trees;
    cls_pool *pool;
    double finished; /* work of the fronts that are done, as the caller's thread sees it */
} run_of;

static void tell(run_of *of, double work) {
    const cls_factors *factors = of->run->factors;
    of->finished += work;
    if (factors->progress && of->trees.whole > 0)
        factors->progress(factors->progress_user, "factor", fmin(of->finished / of->trees.whole, 1));
}

/* A root of L D L^T that has no pivot left makes A singular, but the other fronts count for the inertia. */
static int goes_on(const cls_front_run *run, int64_t s) {
    return run->status[s] == CLSOLVE_OK || (run->status[s] == CLSOLVE_SINGULAR && cls_form_is_ldl(run->factors->form));
}

static void run_fronts(cls_front_run *run, int64_t from, int64_t to, cls_pool *pool) {
    for (int64_t s = from; s < to; s++) {
        run->status[s] = cls_front_factor(run, s, pool);
        if (!goes_on(run, s)) return;
    }
}

static void run_subtree(void *what, int64_t part) {
    run_of *of = what;
    run_fronts(of->run, of->trees.at[part].first, of->trees.at[part].root + 1, NULL);
}

/* The fronts above the subtrees, as far as the first front that has failed: the outcome is that of one thread. */
static void run_above(run_of *of) {
    const int64_t fronts = of->run->factors->symbolic->tree.fronts;
    for (int64_t k = 0; k < of->trees.count; k++) of->finished += of->trees.at[k].work;
    tell(of, 0);
    for (int64_t s = 0; s < fronts; s++) {
        if (!of->trees.inside[s]) run_fronts(of->run, s, s + 1, of->pool);
        if (!goes_on(of->run, s)) return;
        if (!of->trees.inside[s]) tell(of, work_of(of->run->factors->symbolic, s));
    }
}

static int has_failed(const cls_front_run *run, int64_t from, int64_t to) {
    for (int64_t s = from; s < to; s++)
        if (!goes_on(run, s)) return 1;
    return 0;
}

static void run_all(run_of *of) {
    const int64_t fronts = of->run->factors->symbolic->tree.fronts;
    if (!of->pool) {
        const int64_t step = fronts / 64 + 1; /* so many calls of progress, about */
        for (int64_t s = 0; s < fronts; s += step) {
            const int64_t to = s + step < fronts ? s + step : fronts;
            run_fronts(of->run, s, to, NULL);
            if (has_failed(of->run, s, to)) return;
            tell(of, of->trees.whole * (double)(to - s) / (double)fronts);
        }
        return;
    }
    cls_job job = {.work = run_subtree, .what = of, .parts = of->trees.count};
    if (of->trees.count > 0) cls_pool_run(of->pool, &job);
    run_above(of);
}

/* ---- outcome ---- */

/* A block of order 2 with a negative determinant has one eigenvalue of each sign, another one two of the trace's. */
static void count_signs(const cls_front *front, int64_t parts, clsolve_inertia *inertia) {
    for (int64_t t = 0; t < front->k; t++) {
        const double *d = (const double *)front->columns + t * (front->m + 1) * parts;
        const double a = d[0];
        int negative = a < 0, of = 1;
        if (cls_front_pairs(front, t)) {
            const double *right = d + front->m * parts, b = right[parts];
            const double size = absolute(get(right, 0, parts)), scale = fmax(size, fmax(fabs(a), fabs(b)));
            const double det = (a / scale) * (b / scale) - (size / scale) * (size / scale);
            negative = det < 0 ? 1 : a < 0 ? 2 : 0;
            of = 2;
            t++;
        }
        inertia->negative += negative;
        inertia->positive += of - negative;
    }
}

/* Eigenvalues of a complex symmetric matrix have no signs. */
static void find_inertia(cls_factors *factors) {
    const cls_tree *tree = &factors->symbolic->tree;
    factors->inertia = (clsolve_inertia){0};
    if (!cls_form_is_ldl(factors->form) || (factors->parts == 2 && !cls_form_conjugates(factors->form))) return;
    for (int64_t s = 0; s < tree->fronts; s++) count_signs(&factors->front[s], factors->parts, &factors->inertia);
    factors->inertia.zero = tree->n - factors->inertia.positive - factors->inertia.negative;
}

static clsolve_status find_outcome(cls_factors *factors, const cls_front_run *run) {
    const int64_t fronts = factors->symbolic->tree.fronts;
    clsolve_status status = CLSOLVE_OK;
    factors->delayed = 0;
    factors->bytes = 0;
    factors->inertia = (clsolve_inertia){0};
    for (int64_t s = 0; s < fronts; s++) {
        const cls_front *front = &factors->front[s];
        if (!goes_on(run, s)) status = CLSOLVE_OK;
        if (run->status[s] == CLSOLVE_OK) {
            factors->delayed += front->f - front->k;
            if (front->owned) factors->bytes += (double)(front->f * front->m) * (double)factors->parts * 8;
        } else if (status == CLSOLVE_OK) {
            status = run->status[s];
            if (status == CLSOLVE_SINGULAR || status == CLSOLVE_NOT_POSITIVE_DEFINITE) {
                factors->zero_row = front->row[front->k];
                factors->zero_column = front->column[front->k];
            }
        }
        if (!goes_on(run, s)) return status;
    }
    find_inertia(factors);
    return status;
}

clsolve_status cls_factors_run(cls_factors *factors, const double *value, double threshold, cls_pool *pool,
                               int threads) {
    const cls_symbolic *symbolic = factors->symbolic;
    const size_t fronts = (size_t)symbolic->tree.fronts + 1;
    cls_front_run run = {.factors = factors, .value = value, .threshold = threshold};
    run_of of = {.run = &run, .pool = threads > 1 ? pool : NULL};
    clsolve_status status = CLSOLVE_ERROR_OUT_OF_MEMORY;
    run.contribution = cls_alloc(fronts, sizeof *run.contribution);
    run.status = cls_alloc(fronts, sizeof *run.status);
    factors->made = 0;
    factors->zero_row = factors->zero_column = -1;
    if (cls_subtrees_make(symbolic, of.pool ? threads : 1, &of.trees) && run.contribution && run.status) {
        run_all(&of);
        status = find_outcome(factors, &run);
        for (int64_t s = 0; s < symbolic->tree.fronts; s++) cls_contribution_free(factors, &run.contribution[s]);
    }
    factors->made = status == CLSOLVE_OK;
    cls_free(run.contribution);
    cls_free(run.status);
    cls_subtrees_free(&of.trees);
    return status;
}
