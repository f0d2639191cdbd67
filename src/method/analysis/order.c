/*
 * order.c: an order with little fill. AMD (P. R. Amestoy, T. A. Davis, I. S. Duff, ACM TOMS 30, 2004) is quick and good
 * in two dimensions; nested dissection takes ten times as long, and has a half to a quarter of the operations in three
 * dimensions. AUTO takes that of nested.c, which threads share; METIS (G. Karypis, V. Kumar) is for callers who name
 * it.
 */
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

#include <metis.h>
#include <suitesparse/amd.h>

#include "base/memory.h"
#include "base/system/random.h"
#include "cost/sparse.h"
#include "method/analysis/nested.h"

/* ---- arrays of int for both libraries ---- */

static int fits_int(const cls_graph *graph) {
    return graph->n < INT_MAX && graph->start[graph->n] < INT_MAX;
}

static int *narrow(const int64_t *from, int64_t count) {
    int *to = cls_alloc((size_t)count + 1, sizeof *to);
    for (int64_t k = 0; k < count && to; k++) to[k] = (int)from[k];
    return to;
}

/* ---- AMD ---- */

/* AMD puts rows of more than 10 sqrt(n) entries last, in the order in which they stand. If more than an eighth of all
 * rows are such, they are ordered as the others. */
static void set_controls(const cls_graph *graph, double *control) {
    enum { PART = 8 };
    const double many = 10 * sqrt((double)graph->n);
    int64_t dense = 0;
    for (int64_t v = 0; v < graph->n; v++) dense += (double)(graph->start[v + 1] - graph->start[v]) > many;
    amd_defaults(control);
    if (PART * dense > graph->n) control[AMD_DENSE] = -1;
}

static int amd_long(const cls_graph *graph, double *control, int64_t *place) {
    int64_t *vertex = cls_alloc((size_t)graph->n + 1, sizeof *vertex);
    const int done = vertex && amd_l_order((SuiteSparse_long)graph->n, (const SuiteSparse_long *)graph->start,
                                           (const SuiteSparse_long *)graph->next, (SuiteSparse_long *)vertex, control,
                                           NULL) >= AMD_OK;
    for (int64_t k = 0; k < graph->n && done; k++) place[vertex[k]] = k;
    cls_free(vertex);
    return done;
}

static int amd_int(const cls_graph *graph, double *control, int64_t *place) {
    int *start = narrow(graph->start, graph->n + 1), *next = narrow(graph->next, graph->start[graph->n]);
    int *vertex = cls_alloc((size_t)graph->n + 1, sizeof *vertex);
    const int room = start && next && vertex;
    const int said = room ? amd_order((int)graph->n, start, next, vertex, control, NULL) : AMD_OUT_OF_MEMORY;
    const int done = said == AMD_OK || said == AMD_OK_BUT_JUMBLED;
    for (int64_t k = 0; k < graph->n && done; k++) place[vertex[k]] = k;
    cls_free(start);
    cls_free(next);
    cls_free(vertex);
    return done;
}

/* ---- METIS ---- */

/*
 * METIS seeds the C library's random numbers, which are the process's, and draws from them. One thread at a time calls
 * METIS, so that an order does not depend on other threads of the library; afterwards the numbers go on as if METIS had
 * not been called.
 */
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

static int metis(const cls_graph *graph, int64_t *place) {
    cls_random_numbers random;
    idx_t n = (idx_t)graph->n, options[METIS_NOPTIONS];
    int *start = narrow(graph->start, graph->n + 1), *next = narrow(graph->next, graph->start[graph->n]);
    int *vertex = cls_alloc((size_t)graph->n + 1, sizeof *vertex), *at = cls_alloc((size_t)graph->n + 1, sizeof *at);
    (void)METIS_SetDefaultOptions(options);
    (void)pthread_mutex_lock(&one_at_a_time);
    cls_random_lend(&random);
    const int done =
        start && next && vertex && at && METIS_NodeND(&n, start, next, NULL, options, vertex, at) == METIS_OK;
    cls_random_return(&random);
    (void)pthread_mutex_unlock(&one_at_a_time);
    for (int64_t v = 0; v < graph->n && done; v++) place[v] = at[v];
    cls_free(start);
    cls_free(next);
    cls_free(vertex);
    cls_free(at);
    return done;
}

/* ---- the choice ---- */

/* AMD takes long enough for threads to do something else. */
static const int64_t neighbours_for_both = 500000;

/* METIS knows no graph without edges. */
static int may_dissect(const cls_graph *graph) {
    return fits_int(graph) && graph->start[graph->n] > 0;
}

static int nested_pays(const cls_graph *graph, double operations, double rate) {
    return may_dissect(graph) && cls_sparse_nested_pays((double)graph->start[graph->n], operations, rate);
}

static void place_of(int64_t n, const int64_t *vertex, int64_t *place) {
    for (int64_t k = 0; k < n; k++) place[vertex ? vertex[k] : k] = k;
}

static int amd(const cls_graph *graph, const cls_ordering *wanted, int64_t *place) {
    double control[AMD_CONTROL];
    if (wanted->known) place_of(graph->n, wanted->known, place);
    if (wanted->known) return 1;
    set_controls(graph, control);
    return fits_int(graph) ? amd_int(graph, control, place) : amd_long(graph, control, place);
}

/* AMD's order and its columns, by a thread of its own where there are some. */
typedef struct quick {
    const cls_graph *graph;
    const cls_ordering *wanted;
    int64_t *place;
    cls_factor_columns columns;
    int done;
    cls_job job;
} quick;

static void order_quickly(void *what, int64_t unused) {
    quick *q = what;
    (void)unused;
    q->done = amd(q->graph, q->wanted, q->place) && cls_columns_make(q->graph, q->place, &q->columns);
}

static int quick_leaves_more(quick *q) {
    cls_pool_wait(q->wanted->pool, &q->job);
    return q->done && nested_pays(q->graph, q->columns.operations, q->wanted->rate);
}

/* The first separator alone may be so large that dissection pays, whatever AMD finds. */
static int goes_on(void *of, int64_t separator) {
    quick *q = of;
    const double rows = (double)separator;
    const int goes = nested_pays(q->graph, rows * rows * rows / 3, q->wanted->rate) || quick_leaves_more(q);
    if (goes && q->wanted->foresee) q->wanted->foresee(q->wanted->of, separator);
    return goes;
}

/*
 * AMD, or nested dissection where that pays and has fewer operations. Large graphs find their first separator while AMD
 * is at work; what is taken depends on neither. 0: no memory.
 */
static int order_auto(const cls_graph *graph, const cls_ordering *wanted, int64_t *place, cls_factor_columns *columns,
                      const char **taken) {
    const int early = wanted->pool && may_dissect(graph) && graph->start[graph->n] > neighbours_for_both;
    quick q = {
        .graph = graph, .wanted = wanted, .place = place, .job = {.work = order_quickly, .what = &q, .parts = 1}};
    const cls_nested_question question = {early ? goes_on : NULL, &q};
    cls_factor_columns of_nested = {0};
    cls_pool_post(early ? wanted->pool : NULL, &q.job);
    int64_t *other = early || quick_leaves_more(&q) ? cls_alloc((size_t)graph->n + 1, sizeof *other) : NULL;
    const int nested = other && cls_nested(graph, wanted->pool, question, other);
    const int pays = quick_leaves_more(&q);
    const int done = q.done && (!pays || (nested && cls_columns_make(graph, other, &of_nested)));
    *columns = q.columns;
    *taken = "amd";
    if (done && pays && of_nested.operations < q.columns.operations) {
        memcpy(place, other, (size_t)graph->n * sizeof *place);
        *columns = of_nested;
        of_nested = q.columns;
        *taken = "nested";
    }
    cls_columns_free(&of_nested);
    cls_free(other);
    return done;
}

int cls_order_sparse(const cls_graph *graph, const cls_ordering *wanted, int64_t **place, cls_factor_columns *columns,
                     const char **taken) {
    static const char *const names[] = {"amd", "amd", "metis", "natural", "nested", "given"};
    int64_t *made = cls_alloc((size_t)graph->n + 1, sizeof *made);
    int done = made != NULL;
    *columns = (cls_factor_columns){0};
    *place = made;
    *taken = names[wanted->order];
    if (done && wanted->order == CLSOLVE_ORDER_AUTO) {
        done = order_auto(graph, wanted, made, columns, taken);
    } else if (done && wanted->order == CLSOLVE_ORDER_METIS && may_dissect(graph)) {
        done = metis(graph, made) && cls_columns_make(graph, made, columns);
    } else if (done && wanted->order == CLSOLVE_ORDER_NESTED && may_dissect(graph)) {
        done =
            cls_nested(graph, wanted->pool, (cls_nested_question){0}, made) && cls_columns_make(graph, made, columns);
    } else if (done && (wanted->order == CLSOLVE_ORDER_NATURAL || wanted->order == CLSOLVE_ORDER_GIVEN)) {
        place_of(graph->n, wanted->order == CLSOLVE_ORDER_GIVEN ? wanted->given : NULL, made);
        done = cls_columns_make(graph, made, columns);
    } else if (done) {
        *taken = "amd";
        done = amd(graph, wanted, made) && cls_columns_make(graph, made, columns);
    }
    if (done) return 1;
    cls_columns_free(columns);
    cls_free(made);
    *place = NULL;
    return 0;
}
