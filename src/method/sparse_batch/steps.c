/* steps.c: the factorization and the substitutions of a plan as lists of steps by levels: see batch.h. */
#include <stdlib.h>
#include <string.h>

#include "base/arrays.h"
#include "method/sparse_batch/batch.h"

/* A step before it has its place: its level, and the number of its pairs. */
typedef struct draft {
    int32_t to, diagonal, from, into;
    int32_t level;
    int32_t pairs;
} draft;

/* By levels; within a level the longest first, so that neighbours have about as much to do. */
static int compare_drafts(const void *a, const void *b) {
    const draft *x = a, *y = b;
    if (x->level != y->level) return (x->level > y->level) - (x->level < y->level);
    if (x->pairs != y->pairs) return (x->pairs < y->pairs) - (x->pairs > y->pairs);
    return (x->to > y->to) - (x->to < y->to);
}

/* Sorts the drafts into steps with room for their pairs. 0: no memory. */
static int place_steps(draft *drafts, int64_t count, cls_plan_steps *steps) {
    int32_t begin = 0;
    if (count > 0) qsort(drafts, (size_t)count, sizeof *drafts, compare_drafts);
    steps->count = count;
    steps->levels = count > 0 ? drafts[count - 1].level + 1 : 0;
    steps->level = cls_alloc((size_t)steps->levels + 1, sizeof *steps->level);
    steps->step = cls_alloc((size_t)(count + 1) * CLS_STEP_FIELDS, sizeof *steps->step);
    if (!steps->level || !steps->step) return 0;
    for (int64_t t = 0; t < count; t++) {
        int32_t *step = steps->step + t * CLS_STEP_FIELDS;
        step[CLS_STEP_TO] = drafts[t].to;
        step[CLS_STEP_DIAGONAL] = drafts[t].diagonal;
        step[CLS_STEP_FROM] = drafts[t].from;
        step[CLS_STEP_INTO] = drafts[t].into;
        step[CLS_STEP_BEGIN] = begin;
        begin += drafts[t].pairs;
        steps->level[drafts[t].level + 1] = (int32_t)(t + 1);
    }
    steps->step[count * CLS_STEP_FIELDS + CLS_STEP_BEGIN] = begin;
    for (int64_t l = 0; l < steps->levels; l++)
        if (steps->level[l + 1] < steps->level[l]) steps->level[l + 1] = steps->level[l]; /* nobody has this level */
    steps->pairs = begin;
    steps->pair = cls_alloc(2 * (size_t)begin + 2, sizeof *steps->pair);
    return steps->pair != NULL;
}

/* ---- the factorization ---- */

typedef struct factor_lists {
    const cls_sparse_plan *plan;
    draft *drafts; /* of each slot, until they are sorted */
    int64_t *next; /* where the next pair of each slot goes */
    int32_t *at;
    cls_plan_steps *steps;
} factor_lists;

static void count_product(draft *drafts, int32_t target, int64_t l, int64_t u) {
    const int32_t left = drafts[l].level, up = drafts[u].level, before = left > up ? left : up;
    drafts[target].pairs++;
    if (drafts[target].level <= before) drafts[target].level = before + 1;
}

/* All products of slot (i, k) are counted before its own turn comes, so its level is known then. L waits for its pivot
 * too, which is not among its products. */
static void count_row(factor_lists *f, int64_t i) {
    const cls_sparse_plan *plan = f->plan;
    for (int64_t s = plan->start[i]; s < plan->start[i + 1]; s++) f->at[plan->column[s]] = (int32_t)s;
    for (int64_t s = plan->start[i]; s < plan->diagonal[i]; s++) {
        const int32_t k = plan->column[s];
        draft *l = &f->drafts[s];
        l->diagonal = plan->diagonal[k];
        if (l->level <= f->drafts[l->diagonal].level) l->level = f->drafts[l->diagonal].level + 1;
        for (int64_t u = plan->diagonal[k] + 1; u < plan->start[k + 1]; u++)
            count_product(f->drafts, f->at[plan->column[u]], s, u);
    }
    f->drafts[plan->diagonal[i]].diagonal = CLS_STEP_PIVOT;
}

/* The products of row i: slot (i, j) loses slot (i, k) times slot (k, j). */
static void put_row(factor_lists *f, int64_t i) {
    const cls_sparse_plan *plan = f->plan;
    for (int64_t s = plan->start[i]; s < plan->start[i + 1]; s++) f->at[plan->column[s]] = (int32_t)s;
    for (int64_t s = plan->start[i]; s < plan->diagonal[i]; s++) {
        const int32_t k = plan->column[s];
        for (int64_t u = plan->diagonal[k] + 1; u < plan->start[k + 1]; u++) {
            int32_t *pair = f->steps->pair + 2 * f->next[f->at[plan->column[u]]]++;
            pair[0] = (int32_t)s;
            pair[1] = (int32_t)u;
        }
    }
}

static int64_t count_products(const cls_sparse_plan *plan) {
    int64_t products = 0;
    for (int64_t i = 0; i < plan->A.n; i++)
        for (int64_t s = plan->start[i]; s < plan->diagonal[i]; s++) {
            const int32_t k = plan->column[s];
            products += plan->start[k + 1] - plan->diagonal[k] - 1;
        }
    return products;
}

static void draft_slots(factor_lists *f, const int64_t *place) {
    const cls_sparse_plan *plan = f->plan;
    const cls_csr *A = &plan->A;
    for (int64_t s = 0; s < plan->slots; s++)
        f->drafts[s] = (draft){.to = (int32_t)s, .diagonal = -1, .from = -1, .into = -1};
    for (int64_t i = 0; i < A->n; i++) {
        const int64_t row = plan->pivot[0][i];
        count_row(f, i);
        for (int64_t e = A->start[row]; e < A->start[row + 1]; e++)
            f->drafts[f->at[place[A->column[e]]]].from = (int32_t)e;
    }
}

static int make_factor(cls_sparse_plan *plan) {
    const int64_t n = plan->A.n, slots = plan->slots;
    factor_lists f = {.plan = plan, .steps = &plan->factor};
    int64_t *place;
    int fine = CLS_ALLOC_ALL(CLS_ARRAY(f.drafts, slots + 1), CLS_ARRAY(f.next, slots + 1), CLS_ARRAY(f.at, n + 1),
                             CLS_ARRAY(place, n + 1));
    for (int64_t k = 0; k < n && fine; k++) place[plan->pivot[1][k]] = k;
    if (fine) draft_slots(&f, place);
    fine = fine && place_steps(f.drafts, slots, &plan->factor);
    for (int64_t t = 0; t < slots && fine; t++) {
        const int32_t *step = plan->factor.step + t * CLS_STEP_FIELDS;
        f.next[step[CLS_STEP_TO]] = step[CLS_STEP_BEGIN];
    }
    for (int64_t i = 0; i < n && fine; i++) put_row(&f, i);
    cls_free(f.drafts); /* and all others */
    return fine;
}

/* ---- substitutions ---- */

/* The entries of a triangle, without the diagonal, by the position that they are subtracted from. */
typedef struct triangle {
    int64_t *start;
    int32_t *slot, *position;
} triangle;

/* `upper`: U, else L; `across`: by columns. */
static int make_triangle(const cls_sparse_plan *plan, int upper, int across, triangle *t) {
    const int64_t n = plan->A.n;
    if (!CLS_ALLOC_ALL(CLS_ARRAY(t->start, n + 2), CLS_ARRAY(t->slot, plan->slots + 1),
                       CLS_ARRAY(t->position, plan->slots + 1)))
        return 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t i = 0; i < n; i++) {
            const int64_t begin = upper ? plan->diagonal[i] + 1 : plan->start[i];
            const int64_t end = upper ? plan->start[i + 1] : plan->diagonal[i];
            for (int64_t s = begin; s < end; s++) {
                const int64_t of = across ? plan->column[s] : i, other = across ? i : plan->column[s];
                if (pass == 0) {
                    t->start[of + 2]++;
                    continue;
                }
                const int64_t at = t->start[of + 1]++;
                t->slot[at] = (int32_t)s;
                t->position[at] = (int32_t)other;
            }
        }
        for (int64_t k = 0; k < n && pass == 0; k++) t->start[k + 2] += t->start[k + 1];
    }
    return 1;
}

/* Drafts of one triangle, to be done after `first` levels. Returns the levels so far. */
static int32_t draft_triangle(const cls_sparse_plan *plan, const triangle *t, int upper, int32_t first, draft *drafts) {
    const int64_t n = plan->A.n;
    int32_t levels = first;
    for (int64_t k = 0; k < n; k++) {
        const int64_t p = upper ? n - 1 - k : k;
        drafts[p] = (draft){.to = (int32_t)p,
                            .diagonal = -1,
                            .from = -1,
                            .into = -1,
                            .level = first,
                            .pairs = (int32_t)(t->start[p + 1] - t->start[p])};
        for (int64_t e = t->start[p]; e < t->start[p + 1]; e++) {
            const int32_t before = drafts[t->position[e]].level;
            if (drafts[p].level <= before) drafts[p].level = before + 1;
        }
        if (drafts[p].level >= levels) levels = drafts[p].level + 1;
    }
    return levels;
}

/* For A: L, then U with the pivots; for its transpose: U^T with the pivots, then L^T. */
static int make_substitution(cls_sparse_plan *plan, int across) {
    const int64_t n = plan->A.n;
    triangle lower = {0}, upper = {0};
    draft *drafts = cls_alloc(2 * (size_t)n + 1, sizeof *drafts), *later = drafts ? drafts + n : NULL;
    cls_plan_steps *steps = &plan->substitute[across];
    int fine = drafts && make_triangle(plan, across, across, &lower) && make_triangle(plan, !across, across, &upper);
    if (fine) {
        const int32_t levels = draft_triangle(plan, &lower, 0, 0, drafts);
        (void)draft_triangle(plan, &upper, 1, levels, later);
    }
    for (int64_t p = 0; p < n && fine; p++) {
        drafts[p].from = (int32_t)plan->pivot[across][p];
        later[p].into = (int32_t)plan->pivot[!across][p];
        (across ? drafts : later)[p].diagonal = plan->diagonal[p];
    }
    fine = fine && place_steps(drafts, 2 * n, steps);
    for (int64_t t = 0; t < 2 * n && fine; t++) {
        const int32_t *step = steps->step + t * CLS_STEP_FIELDS;
        const triangle *of = step[CLS_STEP_INTO] < 0 ? &lower : &upper;
        int32_t *pair = steps->pair + 2 * (int64_t)step[CLS_STEP_BEGIN];
        for (int64_t e = of->start[step[CLS_STEP_TO]]; e < of->start[step[CLS_STEP_TO] + 1]; e++, pair += 2) {
            pair[0] = of->slot[e];
            pair[1] = of->position[e];
        }
    }
    cls_free(lower.start); /* and all others */
    cls_free(upper.start); /* and all others */
    cls_free(drafts);
    return fine;
}

int cls_plan_make_steps(cls_sparse_plan *plan, int64_t *products) {
    *products = count_products(plan);
    return *products <= CLS_PLAN_MOST && make_factor(plan) && make_substitution(plan, 0) && make_substitution(plan, 1);
}

/* ---- one behind the other ---- */

typedef struct place {
    int64_t key, step;
} place;

static int compare_places(const void *a, const void *b) {
    const place *x = a, *y = b;
    return (x->key > y->key) - (x->key < y->key);
}

/* Backward substitution comes behind forward substitution, and from the last position on. */
static int64_t key_of(const cls_plan_steps *steps, const int32_t *step) {
    return step[CLS_STEP_INTO] < 0 ? step[CLS_STEP_TO] : 2 * steps->count - step[CLS_STEP_TO];
}

int cls_plan_sort_steps(const cls_plan_steps *steps, cls_plan_steps *sorted) {
    place *places = cls_alloc((size_t)steps->count + 1, sizeof *places);
    *sorted = (cls_plan_steps){.count = steps->count,
                               .pairs = steps->pairs,
                               .step = cls_alloc((size_t)(steps->count + 1) * CLS_STEP_FIELDS, sizeof *sorted->step),
                               .pair = cls_alloc(2 * (size_t)steps->pairs + 2, sizeof *sorted->pair)};
    const int fine = places && sorted->step && sorted->pair;
    int32_t begin = 0;
    for (int64_t t = 0; t < steps->count && fine; t++)
        places[t] = (place){key_of(steps, steps->step + t * CLS_STEP_FIELDS), t};
    if (fine && steps->count > 0) qsort(places, (size_t)steps->count, sizeof *places, compare_places);
    for (int64_t t = 0; t < steps->count && fine; t++) {
        const int32_t *from = steps->step + places[t].step * CLS_STEP_FIELDS;
        const int32_t first = from[CLS_STEP_BEGIN], pairs = from[CLS_STEP_FIELDS + CLS_STEP_BEGIN] - first;
        int32_t *to = sorted->step + t * CLS_STEP_FIELDS;
        memcpy(to, from, CLS_STEP_FIELDS * sizeof *to);
        memcpy(sorted->pair + 2 * (int64_t)begin, steps->pair + 2 * (int64_t)first, 2 * (size_t)pairs * sizeof *to);
        to[CLS_STEP_BEGIN] = begin;
        begin += pairs;
    }
    if (fine) sorted->step[steps->count * CLS_STEP_FIELDS + CLS_STEP_BEGIN] = begin;
    cls_free(places);
    return fine;
}

void cls_plan_free_steps(cls_plan_steps *steps) {
    cls_free(steps->level);
    cls_free(steps->step);
    cls_free(steps->pair);
}
