/* front.h (private): one front of a sparse factorization; fronts.h has the picture. */
#ifndef CLS_FRONTS_HOST_FRONT_H
#define CLS_FRONTS_HOST_FRONT_H

#include "method/fronts_host/fronts.h"

/* The matrix that a front hands on to its parent: size x size, column-major, tight; of Cholesky the lower triangle. The
 * first `delayed` rows and columns are pivots that were too small: the last ones of the front's labels. */
typedef struct cls_contribution {
    void *data; /* NULL: nothing */
    size_t bytes;
    int64_t size, delayed;
} cls_contribution;

/* Gives the memory back. */
void cls_contribution_free(cls_factors *factors, cls_contribution *contribution);

typedef struct cls_front_run {
    cls_factors *factors;
    const double *value;
    double threshold;
    cls_contribution *contribution; /* of each front */
    clsolve_status *status;         /* of each front */
} cls_front_run;

/* Assembles and eliminates front s, with the threads of the pool; NULL: the caller's alone. Its children's
 * contributions are there and are given back. */
clsolve_status cls_front_factor(cls_front_run *run, int64_t s, cls_pool *pool);

/*
 * L D L^T or L D L^H of a dense matrix, as a front without a border: front->f rows and columns of doubles, or with
 * `parts` 2 of complex ones, with leading dimension front->m and zeros behind row f. front->row and front->column have
 * f labels each. No element of L is larger than 1 / threshold, complex ones by |re| + |im|, unless A is singular but
 * for rounding. front->k: columns that have a pivot. Behind them nothing is left of A, but where elements overflowed.
 */
clsolve_status cls_front_factor_dense(cls_front *front, clsolve_sparse_form form, int64_t parts, double threshold,
                                      cls_pool *pool);

#endif
