/*
 * factor.c: the numbers of all fronts, children before their parents. Subtrees that have nothing in common go to threads;
 * then the fronts above them follow one by one, each by all threads. What a front computes depends on its
 * children alone, so the result is the same for any number of threads.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "method/sparse/front.h"

int cls_factors_open(const cls_symbolic *symbolic, int64_t parts, int cholesky, cls_factors *factors) {
    const int64_t fronts = symbolic->tree.fronts, n = symbolic->tree.n;
    *factors =
        (cls_factors){.symbolic = symbolic, .parts = parts, .cholesky = cholesky, .zero_row = -1, .zero_column = -1};
    factors->arena = cls_alloc((size_t)(symbolic->columns_at[fronts] + symbolic->rows_at[fronts] + 1),
                               (size_t)parts * sizeof(double));
    factors->front = cls_alloc((size_t)fronts + 1, sizeof *factors->front);
    factors->labels = cls_alloc((size_t)n + 1, 2 * sizeof *factors->labels);
    factors->where = cls_alloc((size_t)n + 1, sizeof *factors->where);
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

typedef struct subtree {
    int64_t root;
    double work;
} subtree;

typedef struct run_of {
    cls_front_run *run;
    int64_t *first; /* of each front: the first front of its subtree */
    subtree *trees;
    int64_t count;
    unsigned char *done; /* of fronts: a subtree's */
    cls_pool *pool;
    double whole, finished; /* work of all fronts, and of those that are done, as the caller's thread sees it */
} run_of;

static double work_of(const cls_symbolic *symbolic, int64_t s) {
    const double f = (double)(symbolic->tree.first[s + 1] - symbolic->tree.first[s]);
    const double m = (double)symbolic->tree.rows[s], b = m - f;
    return f * f * m + f * b * b + m * m + 100;
}

static int by_work(const void *a, const void *b) {
    const subtree *x = a, *y = b;
    if (x->work != y->work) return x->work > y->work ? -1 : 1;
    return x->root < y->root ? -1 : x->root > y->root;
}

/*
 * Splits the largest subtree into those of its children, until the largest is small beside the whole; the fronts that were
 * split come after all subtrees. work: of each front's subtree.
 */
static void choose_subtrees(run_of *of, const double *work, int threads) {
    const cls_symbolic *symbolic = of->run->factors->symbolic;
    const int64_t fronts = symbolic->tree.fronts;
    double whole = 0;
    of->count = 0;
    for (int64_t s = 0; s < fronts; s++)
        if (symbolic->tree.parent[s] < 0) {
            of->trees[of->count++] = (subtree){s, work[s]};
            whole += work[s];
        }
    qsort(of->trees, (size_t)of->count, sizeof *of->trees, by_work);
    const double small = whole / (3.0 * threads);
    for (int64_t k = 0; k < of->count; k++) /* those that are split leave a gap, which the last one fills */
        while (k < of->count && of->trees[k].work > small) {
            const int64_t root = of->trees[k].root;
            of->trees[k] = of->trees[--of->count];
            for (int64_t c = symbolic->child_start[root]; c < symbolic->child_start[root + 1]; c++)
                of->trees[of->count++] = (subtree){symbolic->child[c], work[symbolic->child[c]]};
        }
    qsort(of->trees, (size_t)of->count, sizeof *of->trees, by_work);
}

static void tell(run_of *of, double work) {
    const cls_factors *factors = of->run->factors;
    of->finished += work;
    if (factors->progress && of->whole > 0)
        factors->progress(factors->progress_user, "factor", fmin(of->finished / of->whole, 1));
}

static void run_fronts(cls_front_run *run, int64_t from, int64_t to, cls_pool *pool) {
    for (int64_t s = from; s < to; s++) {
        run->status[s] = cls_front_factor(run, s, pool);
        if (run->status[s] != CLSOLVE_OK) return;
    }
}

static void run_subtree(void *what, int64_t part) {
    run_of *of = what;
    const int64_t root = of->trees[part].root;
    run_fronts(of->run, of->first[root], root + 1, NULL);
}

/* The fronts above the subtrees, as far as the first front that has failed: the outcome is that of one thread. */
static void run_above(run_of *of) {
    const int64_t fronts = of->run->factors->symbolic->tree.fronts;
    for (int64_t k = 0; k < of->count; k++) {
        const int64_t root = of->trees[k].root;
        for (int64_t s = of->first[root]; s <= root; s++) of->done[s] = 1;
        of->finished += of->trees[k].work;
    }
    tell(of, 0);
    for (int64_t s = 0; s < fronts; s++) {
        if (!of->done[s]) run_fronts(of->run, s, s + 1, of->pool);
        if (of->run->status[s] != CLSOLVE_OK) return;
        if (!of->done[s]) tell(of, work_of(of->run->factors->symbolic, s));
    }
}

static int has_failed(const cls_front_run *run, int64_t from, int64_t to) {
    for (int64_t s = from; s < to; s++)
        if (run->status[s] != CLSOLVE_OK) return 1;
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
            tell(of, of->whole * (double)(to - s) / (double)fronts);
        }
        return;
    }
    cls_job job = {.work = run_subtree, .what = of, .parts = of->count};
    if (of->count > 0) cls_pool_run(of->pool, &job);
    run_above(of);
}

/* ---- outcome ---- */

static clsolve_status find_outcome(cls_factors *factors, const cls_front_run *run) {
    const int64_t fronts = factors->symbolic->tree.fronts;
    factors->delayed = 0;
    factors->bytes = 0;
    for (int64_t s = 0; s < fronts; s++) {
        const cls_front *front = &factors->front[s];
        if (run->status[s] == CLSOLVE_OK) {
            factors->delayed += front->f - front->k;
            if (front->owned) factors->bytes += (double)(front->f * front->m) * (double)factors->parts * 8;
            continue;
        }
        if (run->status[s] == CLSOLVE_SINGULAR || run->status[s] == CLSOLVE_NOT_POSITIVE_DEFINITE) {
            factors->zero_row = front->row[front->k];
            factors->zero_column = front->column[front->k];
        }
        return run->status[s];
    }
    return CLSOLVE_OK;
}

static void sum_work(const cls_symbolic *symbolic, double *work, int64_t *first) {
    const cls_tree *tree = &symbolic->tree;
    for (int64_t s = 0; s < tree->fronts; s++) first[s] = s;
    for (int64_t s = 0; s < tree->fronts; s++) {
        work[s] += work_of(symbolic, s);
        const int64_t above = tree->parent[s];
        if (above < 0) continue;
        work[above] += work[s];
        if (first[s] < first[above]) first[above] = first[s];
    }
}

clsolve_status cls_factors_run(cls_factors *factors, const double *value, double threshold, cls_pool *pool,
                               int threads) {
    const cls_symbolic *symbolic = factors->symbolic;
    const size_t fronts = (size_t)symbolic->tree.fronts + 1;
    cls_front_run run = {.factors = factors, .value = value, .threshold = threshold};
    run_of of = {.run = &run, .pool = threads > 1 ? pool : NULL};
    clsolve_status status = CLSOLVE_ERROR_OUT_OF_MEMORY;
    double *work = cls_alloc(fronts, sizeof *work);
    run.contribution = cls_alloc(fronts, sizeof *run.contribution);
    run.status = cls_alloc(fronts, sizeof *run.status);
    of.first = cls_alloc(fronts, sizeof *of.first);
    of.trees = cls_alloc(fronts, sizeof *of.trees);
    of.done = cls_alloc(fronts, 1);
    factors->made = 0;
    factors->zero_row = factors->zero_column = -1;
    if (work && run.contribution && run.status && of.first && of.trees && of.done) {
        sum_work(symbolic, work, of.first);
        for (int64_t s = 0; s < symbolic->tree.fronts; s++) of.whole += work_of(symbolic, s);
        if (of.pool) choose_subtrees(&of, work, threads);
        run_all(&of);
        status = find_outcome(factors, &run);
        for (int64_t s = 0; s < symbolic->tree.fronts; s++) cls_contribution_free(factors, &run.contribution[s]);
    }
    factors->made = status == CLSOLVE_OK;
    cls_free(work);
    cls_free(run.contribution);
    cls_free(run.status);
    cls_free(of.first);
    cls_free(of.trees);
    cls_free(of.done);
    return status;
}
