/*
 * search.h (private): the search for a pair of elements by which a dense matrix on the host is not symmetric, of
 * complex elements not hermitian. It reads all of A, as long as no pair is found, so threads of the context share it.
 * It may also go on while the matrix is factored:
 *
 *      cls_search_start(&search, A, symmetry);
 *      if (!cls_search_first(&search) && cls_search_begin(context, &search)) {
 *          ... factor ...                                   concurrently with the other pieces
 *          ... = cls_search_end(context, &search);            waits for them; 1: a pair differs
 */
#ifndef CLS_SOLVE_SEARCH_H
#define CLS_SOLVE_SEARCH_H

#include <stdatomic.h>

#include <clsolve/context.h>
#include <clsolve/factorization.h>
#include <clsolve/matrix.h>

#include "base/pool.h"

typedef struct cls_search {
    const clsolve_matrix *A;
    int sign;              /* of the imaginary part of A(j, i) next to that of A(i, j): -1 or 1 */
    int64_t down;          /* pieces in a column of them */
    int64_t pieces;        /* all of them */
    int64_t row, column;   /* the pair that differs, of the first piece that has one; -1: there is none */
    _Atomic int64_t first; /* this piece; INT64_MAX: none so far */
    cls_job job;
} cls_search;

/* A is only read. Nothing has been searched. `symmetry`: the one that a complex A is to have. */
void cls_search_start(cls_search *search, const clsolve_matrix *A, clsolve_symmetry symmetry);

/* The first piece, which usually shows that a matrix is not symmetric. These return whether a pair was found. */
int cls_search_first(cls_search *search);

/* The other pieces, by threads of the context where there are many. */
int cls_search_run(clsolve_context *context, cls_search *search);

/* The other pieces begin, and the calling thread goes on; it has the context to itself until cls_search_end. 0: there
 * are no threads, and nothing has begun. */
int cls_search_begin(clsolve_context *context, cls_search *search);
int cls_search_end(clsolve_context *context, cls_search *search);

/* The diagonal is positive; of complex elements its real parts are. */
int cls_search_diagonal(const clsolve_matrix *A);

#endif
