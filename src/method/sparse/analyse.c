/* analyse.c: KLU or fronts, matching or not, and the analysis of fronts. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "cost/sparse.h"
#include "method/sparse/engine.h"
#include "method/fronts_host/product_wide.h"

static clsolve_status no_memory(cls_error *error, const char *call, const cls_sparse *sparse) {
    return cls_fail(error, CLSOLVE_ERROR_OUT_OF_MEMORY,
                    "%s: no host memory for the analysis of %lld rows with %lld entries", call, (long long)sparse->A.n,
                    (long long)sparse->A.entries);
}

static void progress(const cls_sparse *sparse, const char *phase, double fraction) {
    if (sparse->options.progress) sparse->options.progress(sparse->options.progress_user, phase, fraction);
}

/*
 * Seconds that are expected: of KLU by its operations and entries; of fronts by operations, entries that are moved, and
 * fronts, which have a cost of their own.
 */
static void expect(cls_sparse *sparse) {
    clsolve_sparse_analysis *a = &sparse->analysis;
    const double parts = (double)sparse->A.parts;
    const cls_sparse_rates rates = cls_sparse_rates_of(cls_product_lanes());
    const cls_sparse_counts counts = {.rows = (double)a->n,
                                      .entries = a->factor_entries * parts,
                                      .operations = a->operations * (parts > 1 ? 3 : 1),
                                      .fronts = (double)a->fronts,
                                      .threads = sparse->threads};
    a->expected_factor = cls_sparse_factor_seconds(&rates, &counts, sparse->klu != NULL);
    a->expected_solve = cls_sparse_solve_seconds(&rates, &counts);
}

/* ---- KLU ---- */

static int is_general(const cls_sparse *sparse) {
    return sparse->options.form == CLSOLVE_SPARSE_GENERAL;
}

/* An order that KLU has not, or options that it has not, leave fronts. */
static int klu_may(const cls_sparse *sparse) {
    const clsolve_sparse_options *o = &sparse->options;
    return is_general(sparse) && sparse->A.n > 0 && cls_klu_fits(&sparse->A) && o->where != CLSOLVE_WHERE_DEVICE &&
           !sparse->pairs &&
           (o->engine == CLSOLVE_SPARSE_KLU ||
            (double)sparse->A.entries < (2 * CLS_SPARSE_KLU_HOPELESS + 1) * (double)sparse->A.n ||
            cls_klu_least(&sparse->A) < CLS_SPARSE_KLU_HOPELESS) &&
           (o->engine == CLSOLVE_SPARSE_KLU ||
            (o->engine == CLSOLVE_SPARSE_AUTO && o->order == CLSOLVE_ORDER_AUTO && o->matching == CLSOLVE_CHOICE_AUTO));
}

/* KLU counts nothing for an order that is given: the counts are those of A + A^T, without pivoting. 0: no memory. */
static int count_given(const cls_sparse *sparse, cls_klu_found *found) {
    const int64_t n = sparse->A.n;
    cls_graph graph = {0};
    cls_factor_columns columns = {0};
    int64_t *place = cls_alloc((size_t)n + 1, sizeof *place);
    for (int64_t k = 0; k < n && place; k++) place[sparse->given ? sparse->given[k] : k] = k;
    const int done = place && cls_graph_make(&sparse->A, NULL, CLSOLVE_SPARSE_WHOLE, &graph) &&
                     cls_columns_make(&graph, place, &columns);
    if (done) {
        found->entries = 2 * columns.entries;
        found->operations = 2 * columns.operations;
    }
    cls_columns_free(&columns);
    cls_graph_free(&graph);
    cls_free(place);
    return done;
}

static void take_klu(cls_sparse *sparse, const cls_klu_found *found) {
    static const char *const names[] = {"amd", "amd", "amd", "natural", "amd", "given"};
    sparse->analysis.engine = "klu";
    sparse->analysis.order = names[sparse->options.order];
    sparse->analysis.blocks = found->blocks;
    sparse->analysis.largest_block = found->largest_block;
    sparse->analysis.factor_entries = found->entries - (double)sparse->A.n; /* the diagonal once */
    sparse->analysis.operations = found->operations;
    sparse->analysis.host_bytes = cls_klu_bytes(sparse->klu, found->entries);
}

/* ---- fronts ---- */

/* Fewer neighbours are ordered sooner by one thread. */
static const int64_t neighbours_for_threads = 20000;

int cls_sparse_threads(const cls_sparse *sparse) {
    return sparse->analysis.operations < CLS_SPARSE_THREADED_OPERATIONS ? 1 : sparse->threads;
}

cls_pool *cls_sparse_pool(cls_sparse *sparse) {
    if (!sparse->pool && sparse->threads > 1) sparse->pool = cls_pool_create(sparse->threads - 1);
    return sparse->pool;
}

cls_pool *cls_sparse_factor_pool(cls_sparse *sparse) {
    return cls_sparse_threads(sparse) < 2 ? NULL : cls_sparse_pool(sparse);
}

/* 0: no memory. */
static int take_fronts(cls_sparse *sparse, const char *order) {
    const cls_symbolic *symbolic = &sparse->symbolic;
    const double n = (double)sparse->A.n, sides = is_general(sparse) ? 2 : 1;
    sparse->analysis.engine = "multifrontal";
    sparse->analysis.order = order;
    sparse->analysis.fronts = symbolic->tree.fronts;
    sparse->analysis.largest_front = symbolic->largest;
    sparse->analysis.levels = symbolic->levels;
    sparse->analysis.factor_entries = sides * symbolic->tree.entries - (sides - 1) * n;
    sparse->analysis.operations = sides * symbolic->tree.operations;
    sparse->stack = cls_factors_stack(symbolic, cls_sparse_threads(sparse));
    sparse->analysis.host_bytes = cls_factors_bytes(symbolic, sparse->A.parts, sparse->stack);
    return sparse->stack >= 0;
}

static clsolve_status analyse_fronts(cls_error *error, const char *call, cls_sparse *sparse,
                                     const cls_klu_found *known) {
    const clsolve_sparse_options *o = &sparse->options;
    cls_graph graph = {0};
    cls_tree tree = {0};
    cls_factor_columns columns = {0};
    cls_ordering ordering = {.order = o->order,
                             .given = sparse->given,
                             .foresee = cls_sparse_foresee,
                             .of = sparse,
                             /* The rate of two threads, however many there are: the order is to be the same
                              * everywhere. */
                             .rate = 2 * cls_sparse_rates_of(0).order / (is_general(sparse) ? 2 : 1) /
                                     (double)(3 * sparse->A.parts - 2)};
    const char *taken = "amd";
    int64_t *vertices = NULL, *place = NULL;
    int room;

    progress(sparse, "matching", 0);
    room = cls_sparse_pair(sparse);
    if (room && known && known->order && !known->exchanged && known->blocks == 1 && !sparse->row_of) {
        vertices = cls_alloc((size_t)sparse->A.n + 1, sizeof *vertices);
        for (int64_t k = 0; k < sparse->A.n && vertices; k++) vertices[k] = known->order[k];
        ordering.known = vertices;
    }
    progress(sparse, "order", 0.1);
    room = room && cls_graph_make(&sparse->A, sparse->row_of, o->part, &graph) &&
           (!sparse->partner || cls_graph_pair(&graph, sparse->partner));
    if (room && (o->order == CLSOLVE_ORDER_AUTO || o->order == CLSOLVE_ORDER_NESTED) &&
        graph.start[graph.n] > neighbours_for_threads)
        ordering.pool = cls_sparse_pool(sparse);
    room = room && cls_order_sparse(&graph, &ordering, &place, &columns, &taken);
    progress(sparse, "symbolic", 0.8);
    int64_t *with = room && sparse->weak ? columns.work[1] : NULL;
    if (with) cls_partners_make(&graph, &columns, place, sparse->weak, with);
    room = room && cls_tree_make(&columns, place, o->amalgamation != CLSOLVE_CHOICE_OFF, with, &tree) &&
           (!sparse->partner || cls_tree_pair(&tree, sparse->partner)) &&
           cls_symbolic_make(&sparse->A, &graph, sparse->row_of, o->part, o->form, &tree, &sparse->symbolic);
    cls_free(sparse->weak);
    sparse->weak = NULL;
    cls_tree_free(&tree);
    cls_columns_free(&columns);
    cls_graph_free(&graph);
    cls_free(vertices);
    if (!room || !take_fronts(sparse, taken)) return no_memory(error, call, sparse);
    progress(sparse, "symbolic", 1);
    return CLSOLVE_OK;
}

static clsolve_status check_memory(cls_error *error, const char *call, const cls_sparse *sparse) {
    const double wanted = sparse->analysis.host_bytes, host = (double)cls_host_memory();
    const double limit = sparse->options.memory_limit > 0 ? (double)sparse->options.memory_limit
                         : host > 0                       ? host
                                                          : HUGE_VAL;
    if (wanted <= limit) return CLSOLVE_OK;
    return cls_fail(error, CLSOLVE_ERROR_OUT_OF_MEMORY, "%s: the factors take %.3g GB and %s %.3g GB; use a larger %s",
                    call, wanted / 1e9, sparse->options.memory_limit > 0 ? "memory_limit is" : "this host has",
                    limit / 1e9, sparse->options.memory_limit > 0 ? "limit" : "host");
}

/* Frees all that an analysis has made so far. */
static void forget(cls_sparse *sparse) {
    cls_klu_free(sparse->klu);
    cls_symbolic_free(&sparse->symbolic);
    cls_free(sparse->row_of);
    cls_free(sparse->partner);
    cls_free(sparse->row_scale);
    cls_free(sparse->col_scale);
    sparse->klu = NULL;
    sparse->row_of = sparse->partner = NULL;
    sparse->row_scale = sparse->col_scale = NULL;
}

/*
 * KLU pairs rows with columns before it looks for blocks. Circuits take a few steps for each entry. For meshes with
 * rows in a chance order the steps grow as the square of the entries: there fronts take the matrix, because their
 * matching has no such growth. The steps for each entry that AUTO lets KLU take:
 */
static double most_steps_of(const cls_sparse *sparse) {
    const double any_matrix = 5, small_matrix = 1e7 / ((double)sparse->A.entries + 1);
    if (sparse->options.engine == CLSOLVE_SPARSE_KLU) return 0;
    return fmax(any_matrix, small_matrix);
}

clsolve_status cls_sparse_analyse(cls_error *error, const char *call, cls_sparse *sparse) {
    const double start = cls_seconds();
    cls_klu_found found = {0};
    clsolve_status status = CLSOLVE_OK;
    sparse->analysis = (clsolve_sparse_analysis){.n = sparse->A.n, .entries = sparse->A.entries, .structural_rank = -1};
    if (klu_may(sparse)) {
        progress(sparse, "order", 0);
        cls_klu_analyse(&sparse->A, sparse->options.order, sparse->given, most_steps_of(sparse), &sparse->klu, &found);
        sparse->analysis.structural_rank = found.stopped ? -1 : found.rank;
        if (!sparse->klu || (found.entries < 0 && !count_given(sparse, &found)) ||
            (found.rank < 0 && !cls_sparse_find_rank(sparse))) {
            forget(sparse);
            return no_memory(error, call, sparse);
        }
    }
    if (sparse->klu && !found.stopped &&
        (sparse->options.engine == CLSOLVE_SPARSE_KLU ||
         found.operations <= cls_sparse_klu_border(found.symmetry) * found.entries)) {
        take_klu(sparse, &found);
        progress(sparse, "order", 1);
    } else {
        status = analyse_fronts(error, call, sparse, sparse->klu && !found.stopped ? &found : NULL);
        cls_klu_free(sparse->klu);
        sparse->klu = NULL;
    }
    if (status == CLSOLVE_OK) status = check_memory(error, call, sparse);
    if (status == CLSOLVE_OK) expect(sparse);
    if (status == CLSOLVE_OK)
        cls_sparse_expect_there(sparse);
    else
        forget(sparse); /* the next factorization analyses again */
    sparse->analysed = status == CLSOLVE_OK;
    sparse->analysis.seconds = cls_seconds() - start;
    return status;
}

clsolve_status cls_sparse_analyse_again(cls_error *error, const char *call, cls_sparse *sparse) {
    cls_factors_free(&sparse->factors);
    cls_sparse_ahead_close(sparse);
    cls_sparse_values_close(sparse);
    cls_sparse_vectors_close(sparse);
    cls_sparse_device_close(sparse->there);
    cls_free(sparse->scaled);
    forget(sparse);
    sparse->there = NULL;
    sparse->scaled = NULL;
    sparse->made_there = sparse->factored = sparse->analysed = sparse->remembered = 0;
    sparse->pairs = 1;
    return cls_sparse_analyse(error, call, sparse);
}
