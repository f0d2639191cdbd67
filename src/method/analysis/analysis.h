/*
 * analysis.h (private): what is known of a sparse matrix before its factorization.
 *
 *      matching.c   large entries onto the diagonal, and scaling
 *      pairs.c      columns of a symmetric matrix that are to be eliminated two at a time
 *      graph.c      the graph of A + A^T
 *      order.c      an order with little fill: AMD, nested dissection, METIS, or the caller's
 *      nested.c     nested dissection by threads; quotient.c its graph, separator.c and coarsen.c its separators
 *      tree.c       elimination tree, column counts, supernodes, amalgamation
 *      symbolic.c   rows of each front, places of the entries of A and of the children's contributions
 *      split.c      fronts with many pivots as chains of fronts
 *
 * Labels. `row` and `column` are those of A. A front works with positions: position k is the k-th column in the order
 * of elimination, and the row that the matching pairs with that column.
 */
#ifndef CLS_ANALYSIS_ANALYSIS_H
#define CLS_ANALYSIS_ANALYSIS_H

#include <clsolve/sparse.h>

#include "base/csr.h"
#include "base/pool.h"

/* ---- the graph of A + A^T, or of a symmetric A ---- */

/* Neighbours of vertex v: next[start[v]] .. next[start[v + 1] - 1], ascending, without v. */
typedef struct cls_graph {
    int64_t n;
    int64_t *start, *next;
} cls_graph;

/* The graph of P A + (P A)^T, where row i is vertex row_of[i]; row_of NULL: i. 0: no memory. */
int cls_graph_make(const cls_csr *A, const int64_t *row_of, clsolve_sparse_part part, cls_graph *graph);
void cls_graph_free(cls_graph *graph);

/* ---- matching.c ---- */

typedef struct cls_matching {
    int64_t rank;                  /* rows with a column: the structural rank */
    int64_t *column_of;            /* the column of row i; -1: none */
    double *row_scale, *col_scale; /* entries become 1 at matched places and at most 1 elsewhere; powers of two */
} cls_matching;

/*
 * A pairing of rows and columns:
 *
 *      CLS_MATCH_PATTERN     any, without scales
 *      CLS_MATCH_VALUES      with the largest product of absolute values
 *      CLS_MATCH_SYMMETRIC   the same of a symmetric A, whose row i and column i have one scale
 */
typedef enum cls_match { CLS_MATCH_PATTERN, CLS_MATCH_VALUES, CLS_MATCH_SYMMETRIC } cls_match;

int cls_matching_make(const cls_csr *A, cls_match by, cls_matching *matching);
void cls_matching_free(cls_matching *matching);
/* Rows that can be paired with columns; *row: one for which no column is left, -1: there is none. -1: no memory. */
int64_t cls_structural_rank(const cls_csr *A, int64_t *row);

/* ---- pairs.c ---- */

/*
 * partner[v]: the column with which column v is to be eliminated, -1: v alone. The matching pairs row i with column
 * `column_of[i]`. Columns that have a large element on the diagonal, as far as `scale` makes it comparable, stay alone.
 * diagonal[v]: size of a(v,v). 0: no memory.
 */
int cls_pairs_make(int64_t n, const int64_t *column_of, const double *scale, const double *diagonal, int64_t *partner);
/* Gives both partners of a pair all neighbours of both: so an order that goes by the graph has them in one front. 0: no
 * memory, and the graph is empty. */
int cls_graph_pair(cls_graph *graph, const int64_t *partner);

/* ---- order.c ---- */

/* place[v]: position of vertex v. Writes which order was taken. */
typedef struct cls_ordering {
    clsolve_sparse_order order; /* as asked for */
    const int64_t *given;       /* column at position k; of GIVEN */
    const int64_t *known;       /* an order by AMD that is there already: column at position k; NULL: none */
    double rate;                /* operations a second of the factorization, to see whether dissection pays */
    cls_pool *pool;             /* for nested dissection; NULL: one thread */
    /* Told the first separator's rows, where nested dissection goes on behind it; NULL: nobody is. */
    void (*foresee)(void *of, int64_t separator);
    void *of;
} cls_ordering;

/* ---- tree.c ---- */

/* The columns of L in an order that is a postorder of their elimination tree. */
typedef struct cls_factor_columns {
    int64_t n;
    int64_t *vertex;            /* at each position */
    int64_t *parent;            /* of each position; -1: a root */
    int64_t *count;             /* entries of each column, with the diagonal */
    int64_t *work[4];           /* n each */
    double entries, operations; /* of L, and of Cholesky; LU has twice as many operations */
} cls_factor_columns;

/* Makes a postorder of `place`. 0: no memory. */
int cls_columns_make(const cls_graph *graph, int64_t *place, cls_factor_columns *columns);
void cls_columns_free(cls_factor_columns *columns);

/*
 * with[k]: the later position with which position k is eliminated as a block of order 2, as far as the graph tells; -1:
 * k has a pivot of its own. weak[v]: the diagonal of column v is small; cleared where the order makes it large.
 */
void cls_partners_make(const cls_graph *graph, const cls_factor_columns *columns, const int64_t *place, char *weak,
                       int64_t *with);

/*
 * The supernodes of the order, after amalgamation. Supernode s has the positions first[s] .. first[s + 1] - 1. Its
 * front has rows[s] rows: these positions and the border, which are later positions.
 */
typedef struct cls_tree {
    int64_t n, fronts;
    int64_t *place;    /* vertex to position; made so that supernodes and subtrees are ranges of positions */
    int64_t *first;    /* fronts + 1 */
    int64_t *rows;     /* fronts */
    int64_t *parent;   /* fronts; -1: a root */
    double entries;    /* of L, with the diagonal */
    double operations; /* of Cholesky; LU has twice as many */
} cls_tree;

/* Takes `place` over. 0: no memory. `relax` 0: no amalgamation. with[k]: the later position with which position k is to
 * be eliminated together, -1: none; NULL: there are none. */
int cls_tree_make(cls_factor_columns *columns, int64_t *place, int relax, const int64_t *with, cls_tree *tree);
void cls_tree_free(cls_tree *tree);
/* pairs.c: puts partners that are in one front next to each other. 0: no memory. */
int cls_tree_pair(cls_tree *tree, const int64_t *partner);

/* Chooses an order; *place and *columns are the caller's then. *taken: its name. 0: no memory. */
int cls_order_sparse(const cls_graph *graph, const cls_ordering *wanted, int64_t **place, cls_factor_columns *columns,
                     const char **taken);

/* ---- symbolic.c ---- */

/* An entry of A in its front: value `entry` is added at (row, column) of the front. Below 0: the conjugate of value
 * -1 - entry. One-sided forms have row >= column. */
typedef struct cls_placed {
    int64_t entry;
    int32_t row, column;
} cls_placed;

typedef struct cls_symbolic {
    cls_tree tree;
    int64_t *border_start;         /* fronts + 1: border of front s is border[border_start[s]] .. */
    int64_t *border;               /* positions, ascending */
    int32_t *relative;             /* of the same size: the place of each in the parent's front */
    int64_t *placed_start;         /* fronts + 1 */
    cls_placed *placed;            /* the entries of each front */
    int64_t *child_start, *child;  /* fronts + 1: the children of each front, ascending */
    int64_t *columns_at, *rows_at; /* fronts + 1: where a front's block of columns and of rows begin, in elements */
    int64_t largest, levels;       /* rows of the largest front; depth of the tree */
} cls_symbolic;

/* Takes `tree` over. row_of[i]: the vertex of row i; NULL: i. Entries of a one-sided form go below the diagonal, so
 * `part` is one triangle. */
int cls_symbolic_make(const cls_csr *A, const cls_graph *graph, const int64_t *row_of, clsolve_sparse_part part,
                      clsolve_sparse_form form, cls_tree *tree, cls_symbolic *symbolic);
void cls_symbolic_free(cls_symbolic *symbolic);
/* Room for the lists of so many fronts, of their borders, and of entries. 0: no memory, and what is there is freed by
 * cls_symbolic_free. */
int cls_symbolic_reserve(cls_symbolic *symbolic, int64_t fronts, int64_t borders, int64_t entries);
/* Fronts with more than `most` pivots become chains of fronts (split.c); `levels` and places in the host's memory are
 * not made. 0: no memory. */
int cls_symbolic_split(const cls_symbolic *symbolic, int64_t most, cls_symbolic *made);

#endif
