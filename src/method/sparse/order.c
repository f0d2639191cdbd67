/*
 * order.c: an order with little fill. AMD (P. R. Amestoy, T. A. Davis, I. S. Duff, ACM TOMS 30, 2004) is quick and good
 * in two dimensions; nested dissection (G. Karypis, V. Kumar, METIS) takes ten times as long, and halves the operations
 * in three dimensions.
 */
#define _DEFAULT_SOURCE /* initstate */

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <metis.h>
#include <suitesparse/amd.h>

#include "base/memory.h"
#include "method/sparse/sparse.h"

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

static int amd_long(const cls_graph *graph, int64_t *place) {
    int64_t *vertex = cls_alloc((size_t)graph->n + 1, sizeof *vertex);
    const int done =
        vertex && amd_l_order((SuiteSparse_long)graph->n, (const SuiteSparse_long *)graph->start,
                              (const SuiteSparse_long *)graph->next, (SuiteSparse_long *)vertex, NULL, NULL) >= AMD_OK;
    for (int64_t k = 0; k < graph->n && done; k++) place[vertex[k]] = k;
    cls_free(vertex);
    return done;
}

static int amd_int(const cls_graph *graph, int64_t *place) {
    int *start = narrow(graph->start, graph->n + 1), *next = narrow(graph->next, graph->start[graph->n]);
    int *vertex = cls_alloc((size_t)graph->n + 1, sizeof *vertex);
    const int room = start && next && vertex;
    const int said = room ? amd_order((int)graph->n, start, next, vertex, NULL, NULL) : AMD_OUT_OF_MEMORY;
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
    char state[128];
    idx_t n = (idx_t)graph->n, options[METIS_NOPTIONS];
    int *start = narrow(graph->start, graph->n + 1), *next = narrow(graph->next, graph->start[graph->n]);
    int *vertex = cls_alloc((size_t)graph->n + 1, sizeof *vertex), *at = cls_alloc((size_t)graph->n + 1, sizeof *at);
    (void)METIS_SetDefaultOptions(options);
    (void)pthread_mutex_lock(&one_at_a_time);
    char *before = initstate(1, state, sizeof state);
    const int done =
        start && next && vertex && at && METIS_NodeND(&n, start, next, NULL, options, vertex, at) == METIS_OK;
    if (before) (void)setstate(before);
    (void)pthread_mutex_unlock(&one_at_a_time);
    for (int64_t v = 0; v < graph->n && done; v++) place[v] = at[v];
    cls_free(start);
    cls_free(next);
    cls_free(vertex);
    cls_free(at);
    return done;
}

/* ---- the choice ---- */

/* Seconds of METIS for each neighbour, and the part of AMD's operations that it saves as a rule. */
static const double metis_seconds = 0.9e-6, metis_saves = 0.4;

/* METIS knows no graph without edges, and numbers of 32 bits alone. */
static int metis_can(const cls_graph *graph) {
    return fits_int(graph) && graph->start[graph->n] > 0;
}

static int metis_pays(const cls_graph *graph, double operations, double rate) {
    return metis_can(graph) && metis_seconds * (double)graph->start[graph->n] < metis_saves * operations / rate;
}

static void place_of(int64_t n, const int64_t *vertex, int64_t *place) {
    for (int64_t k = 0; k < n; k++) place[vertex ? vertex[k] : k] = k;
}

static int amd(const cls_graph *graph, const cls_ordering *wanted, int64_t *place) {
    if (wanted->known) place_of(graph->n, wanted->known, place);
    return wanted->known || (fits_int(graph) ? amd_int(graph, place) : amd_long(graph, place));
}

/* AMD's order is there: METIS's in its place where that has fewer operations. 0: no memory. */
static int try_metis(const cls_graph *graph, const cls_ordering *wanted, int64_t *place, cls_columns *columns,
                     clsolve_sparse_order *taken) {
    cls_columns of_metis = {0};
    if (!metis_pays(graph, columns->operations, wanted->rate)) return 1;
    int64_t *other = cls_alloc((size_t)graph->n + 1, sizeof *other);
    const int done = other && metis(graph, other) && cls_columns_make(graph, other, &of_metis);
    if (done && of_metis.operations < columns->operations) {
        const cls_columns of_amd = *columns;
        memcpy(place, other, (size_t)graph->n * sizeof *place);
        *columns = of_metis;
        of_metis = of_amd;
        *taken = CLSOLVE_ORDER_METIS;
    }
    cls_columns_free(&of_metis);
    cls_free(other);
    return done;
}

int cls_order_sparse(const cls_graph *graph, const cls_ordering *wanted, int64_t **place, cls_columns *columns,
                     clsolve_sparse_order *taken) {
    int64_t *made = cls_alloc((size_t)graph->n + 1, sizeof *made);
    int done = made != NULL;
    *columns = (cls_columns){0};
    *place = made;
    *taken = wanted->order;
    if (done && wanted->order == CLSOLVE_ORDER_METIS && metis_can(graph)) {
        done = metis(graph, made);
    } else if (done && (wanted->order == CLSOLVE_ORDER_NATURAL || wanted->order == CLSOLVE_ORDER_GIVEN)) {
        place_of(graph->n, wanted->order == CLSOLVE_ORDER_GIVEN ? wanted->given : NULL, made);
    } else if (done) {
        *taken = CLSOLVE_ORDER_AMD;
        done = amd(graph, wanted, made);
    }
    done = done && cls_columns_make(graph, made, columns);
    if (done && wanted->order == CLSOLVE_ORDER_AUTO) done = try_metis(graph, wanted, made, columns, taken);
    if (done) return 1;
    cls_columns_free(columns);
    cls_free(made);
    *place = NULL;
    return 0;
}
