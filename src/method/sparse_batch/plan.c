/* plan.c: the pivots of a typical member, and the pattern of L + U for them: see batch.h. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/arrays.h"
#include "method/sparse_batch/batch.h"

/* A pivot of the typical member is at least so many times the largest of its column. The pivots of other members are
 * not chosen, so they have something in reserve. */
static const double threshold = 0.01;

void cls_sparse_plan_free(cls_sparse_plan *plan) {
    if (!plan) return;
    cls_plan_free_steps(&plan->factor);
    for (int k = 0; k < 2; k++) cls_plan_free_steps(&plan->substitute[k]);
    cls_free(plan->pivot[0]); /* and pivot[1]; the others likewise */
    cls_free(plan->rows[0].start);
    cls_free(plan->rows[1].start);
    cls_free(plan->start);
    cls_free(plan->column);
    cls_free(plan->first);
    cls_csr_free(&plan->A);
    cls_free(plan);
}

/* ---- pivots ---- */

/* A typical member that is singular has the order of the analysis, whose diagonal has entries. 0: no memory. */
static int choose_pivots(cls_sparse_plan *plan) {
    const cls_csr *A = &plan->A;
    cls_klu *klu;
    cls_klu_found found;
    int64_t row, column;
    if (!CLS_ALLOC_ALL(CLS_ARRAY(plan->pivot[0], A->n + 1), CLS_ARRAY(plan->pivot[1], A->n + 1))) return 0;
    cls_klu_analyse(A, CLSOLVE_ORDER_AMD, NULL, 0, &klu, &found);
    if (!klu) return 0;
    const clsolve_status status = cls_klu_factor(klu, A, threshold, 0, &row, &column);
    if (status != CLSOLVE_ERROR_OUT_OF_MEMORY)
        cls_klu_order(klu, status == CLSOLVE_OK || status == CLSOLVE_OVERFLOW, plan->pivot[0], plan->pivot[1]);
    cls_klu_free(klu);
    return status != CLSOLVE_ERROR_OUT_OF_MEMORY;
}

/* ---- the pattern of L + U ---- */

/* The columns of the row that are not done and lie left of the diagonal: the least comes first (a binary heap). */
typedef struct heap {
    int32_t *at;
    int64_t count;
} heap;

static void heap_put(heap *h, int32_t column) {
    int64_t k = h->count++;
    for (; k > 0 && h->at[(k - 1) / 2] > column; k = (k - 1) / 2) h->at[k] = h->at[(k - 1) / 2];
    h->at[k] = column;
}

static int32_t heap_take(heap *h) {
    const int32_t least = h->at[0], last = h->at[--h->count];
    int64_t k = 0;
    for (;;) {
        int64_t child = 2 * k + 1;
        if (child >= h->count) break;
        if (child + 1 < h->count && h->at[child + 1] < h->at[child]) child++;
        if (last <= h->at[child]) break;
        h->at[k] = h->at[child];
        k = child;
    }
    h->at[k] = last;
    return least;
}

static int compare_columns(const void *a, const void *b) {
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

typedef struct filler {
    cls_sparse_plan *plan;
    int64_t *place, room; /* the position of each column of A; slots that there is room for */
    int32_t *mark, *right;
    int64_t rights;
    heap left;
} filler;

static void see(filler *f, int32_t row, int32_t column) {
    if (f->mark[column] == row + 1) return;
    f->mark[column] = row + 1;
    if (column < row)
        heap_put(&f->left, column);
    else
        f->right[f->rights++] = column;
}

/* Room for one more row. 0: no memory, or more slots than the lists count. */
static int make_room(filler *f) {
    cls_sparse_plan *plan = f->plan;
    if (plan->slots + plan->A.n <= f->room) return 1;
    const int64_t room = 2 * f->room + plan->A.n + 1;
    int32_t *column = room < INT32_MAX ? cls_alloc((size_t)room, sizeof *column) : NULL;
    if (!column) return 0;
    if (plan->column) memcpy(column, plan->column, (size_t)plan->slots * sizeof *column);
    cls_free(plan->column);
    plan->column = column;
    f->room = room;
    return 1;
}

/* Row i of L, from the left: each entry brings the columns of its row of U. The diagonal is always there. */
static int fill_row(filler *f, int32_t i) {
    cls_sparse_plan *plan = f->plan;
    const cls_csr *A = &plan->A;
    const int64_t row = plan->pivot[0][i];
    if (!make_room(f)) return 0;
    f->rights = 0;
    see(f, i, i);
    for (int64_t e = A->start[row]; e < A->start[row + 1]; e++) see(f, i, (int32_t)f->place[A->column[e]]);
    while (f->left.count > 0) {
        const int32_t k = heap_take(&f->left);
        plan->column[plan->slots++] = k;
        for (int64_t s = plan->diagonal[k] + 1; s < plan->start[k + 1]; s++) see(f, i, plan->column[s]);
    }
    qsort(f->right, (size_t)f->rights, sizeof *f->right, compare_columns);
    plan->diagonal[i] = (int32_t)plan->slots;
    memcpy(plan->column + plan->slots, f->right, (size_t)f->rights * sizeof *f->right);
    plan->slots += f->rights;
    plan->start[i + 1] = plan->slots;
    return 1;
}

static int fill(cls_sparse_plan *plan) {
    const int64_t n = plan->A.n;
    filler f = {.plan = plan};
    int fine = CLS_ALLOC_ALL(CLS_ARRAY(f.place, n + 1), CLS_ARRAY(f.mark, n + 1), CLS_ARRAY(f.right, n + 1),
                             CLS_ARRAY(f.left.at, n + 1)) &&
               CLS_ALLOC_ALL(CLS_ARRAY(plan->start, n + 1), CLS_ARRAY(plan->diagonal, n + 1));
    for (int64_t k = 0; k < n && fine; k++) f.place[plan->pivot[1][k]] = k;
    for (int64_t i = 0; i < n && fine; i++) fine = fill_row(&f, (int32_t)i);
    cls_free(f.place); /* and all others */
    return fine;
}

/* ---- A ---- */

static int make_rows(cls_sparse_plan *plan) {
    const cls_csr *A = &plan->A;
    for (int k = 0; k < 2; k++) {
        cls_plan_rows *rows = &plan->rows[k];
        if (!CLS_ALLOC_ALL(CLS_ARRAY(rows->start, A->n + 2), CLS_ARRAY(rows->column, A->entries + 1),
                           CLS_ARRAY(rows->entry, A->entries + 1)))
            return 0;
    }
    cls_plan_rows *rows = &plan->rows[0], *across = &plan->rows[1];
    for (int64_t i = 0; i < A->n; i++) {
        rows->start[i + 1] = (int32_t)A->start[i + 1];
        for (int64_t e = A->start[i]; e < A->start[i + 1]; e++) {
            rows->column[e] = (int32_t)A->column[e];
            rows->entry[e] = (int32_t)e;
            across->start[A->column[e] + 2]++;
        }
    }
    for (int64_t j = 0; j < A->n; j++) across->start[j + 2] += across->start[j + 1];
    for (int64_t i = 0; i < A->n; i++)
        for (int64_t e = A->start[i]; e < A->start[i + 1]; e++) {
            const int32_t at = across->start[A->column[e] + 1]++;
            across->column[at] = (int32_t)i;
            across->entry[at] = (int32_t)e;
        }
    return 1;
}

/* Which of the caller's entries make up each of A's. */
static int make_sources(cls_sparse_plan *plan) {
    const cls_csr *A = &plan->A;
    if (!A->slot) return 1;
    if (!CLS_ALLOC_ALL(CLS_ARRAY(plan->first, A->entries + 2), CLS_ARRAY(plan->given, A->given + 1))) return 0;
    for (int64_t e = 0; e < A->given; e++) plan->first[A->slot[e] + 2]++;
    for (int64_t e = 0; e < A->entries; e++) plan->first[e + 2] += plan->first[e + 1];
    for (int64_t e = 0; e < A->given; e++) plan->given[plan->first[A->slot[e] + 1]++] = (int32_t)e;
    return 1;
}

static clsolve_status make(cls_error *error, const char *call, const clsolve_csr *A, cls_sparse_plan *plan) {
    int64_t row, products = 0;
    if (!A) return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: A is NULL", call);
    CLS_TRY(cls_csr_take_pattern(error, call, A, &plan->A));
    if (!A->values)
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                        "%s: A has no values: give those of a typical member, for which pivots are chosen", call);
    CLS_TRY(cls_csr_take_values(error, call, A, CLSOLVE_SPARSE_WHOLE, 0, &plan->A));
    plan->type = A->type;
    if (!cls_klu_fits(&plan->A) || plan->A.given >= INT32_MAX / 8)
        return cls_fail(error, CLSOLVE_ERROR_UNSUPPORTED,
                        "%s: A has %lld rows and %lld entries: use clsolve_sparse for each member", call,
                        (long long)plan->A.n, (long long)plan->A.given);
    plan->rank = cls_structural_rank(&plan->A, &row);
    int fine = plan->rank >= 0 && make_sources(plan) && make_rows(plan);
    if (fine && plan->rank == plan->A.n && plan->A.n > 0)
        fine = choose_pivots(plan) && fill(plan) && cls_plan_make_steps(plan, &products);
    if (products > CLS_PLAN_MOST)
        return cls_fail(error, CLSOLVE_ERROR_UNSUPPORTED,
                        "%s: a member takes %lld products, and a batch goes up to %lld: use clsolve_sparse for each",
                        call, (long long)products, (long long)CLS_PLAN_MOST);
    return fine ? CLSOLVE_OK
                : cls_fail(error, CLSOLVE_ERROR_OUT_OF_MEMORY,
                           "%s: no host memory for the analysis of %lld rows with %lld entries", call,
                           (long long)plan->A.n, (long long)plan->A.entries);
}

clsolve_status cls_sparse_plan_make(cls_error *error, const char *call, const clsolve_csr *A, cls_sparse_plan **plan) {
    const double start = cls_seconds();
    cls_sparse_plan *made = cls_alloc(1, sizeof *made);
    *plan = NULL;
    if (!made) return cls_fail(error, CLSOLVE_ERROR_OUT_OF_MEMORY, "%s: no host memory for a handle", call);
    const clsolve_status status = make(error, call, A, made);
    made->seconds = cls_seconds() - start;
    if (status == CLSOLVE_OK)
        *plan = made;
    else
        cls_sparse_plan_free(made);
    return status;
}
