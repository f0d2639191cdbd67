/*
 * fronts.h (private): the numbers of a sparse factorization on the host, in double, by the fronts of an analysis.
 *
 *      factor.c     fronts from the leaves to the roots, subtrees by threads
 *      blocks.c     memory of contributions
 *      front.c      one front: assembly, elimination with threshold pivoting
 *      product.c    products of dense blocks; product_wide.c by the vectors of x86-64
 *      solve.c      forward and backward substitution with the fronts
 */
#ifndef CLS_FRONTS_HOST_FRONTS_H
#define CLS_FRONTS_HOST_FRONTS_H

#include "base/pool.h"
#include "method/analysis/analysis.h"
#include "method/fronts_host/blocks.h"

/* ---- factor.c ---- */

/*
 * The factors of a front of m rows, f of them to be eliminated, k eliminated, b = m - f in the border:
 *
 *      f      b
 *    +------+------+
 *    | columns | rows |  f      columns: m x f, leading dimension m; its first k columns hold L and U11
 *    |         +------+         rows:    f x b, leading dimension f; its first k rows hold U12 (LU alone)
 *    |         |        b
 *    +---------+
 *
 * The f positions of a front with delayed pivots come from itself, then from its children. row[t] and column[t] are the
 * positions eliminated at step t, for t >= k those that are handed on.
 *
 * One-sided forms have no rows. Cholesky has L below and on the diagonal of the first k columns. L D L^T has L, which
 * is unit, below the diagonal, and D on it. A block of order 2 of D at steps t and t + 1 has D(t,t+1) above the
 * diagonal, and L(t+1,t) is 0; row[t] is column[t+1], and row[t+1] is column[t]. Else row[t] is column[t].
 */
typedef struct cls_front {
    int64_t f, k, m;       /* as above */
    void *columns, *rows;  /* in the arena, or memory of its own */
    int64_t *row, *column; /* f each */
    int owned;             /* 1: memory of its own */
    double growth;         /* largest element of U */
} cls_front;

/* L D L^T: whether step t is the first (1) or the second (2) of a block of order 2, or a pivot of its own (0). */
static inline int cls_front_pairs(const cls_front *front, int64_t t) {
    if (front->row[t] == front->column[t]) return 0;
    return t > 0 && front->row[t] == front->column[t - 1] ? 2 : 1;
}

typedef struct cls_factors {
    const cls_symbolic *symbolic;
    int64_t parts; /* doubles of an element */
    clsolve_sparse_form form;
    double *arena;
    cls_front *front;
    int64_t *labels;               /* what row and column of fronts without delayed pivots point into: 2 n */
    int64_t *where;                /* n, for the fronts while they are eliminated */
    int64_t delayed;               /* pivots that went up */
    int64_t zero_row, zero_column; /* positions where no pivot was left; -1: there was one everywhere */
    clsolve_progress progress;     /* NULL: none */
    void *progress_user;
    cls_blocks blocks;       /* of contributions */
    double bytes;            /* of fronts with memory of their own */
    int made;                /* the factors are whole */
    clsolve_inertia inertia; /* of L D L^T or L D L^H, as far as pivots go; all zeros: not known */
} cls_factors;

/* Subtrees that have nothing in common, for threads. The fronts above them come after all of them. */
typedef struct cls_subtree {
    int64_t first, root; /* its fronts are first .. root */
    double work;
} cls_subtree;

typedef struct cls_subtrees {
    int64_t count;
    cls_subtree *at;       /* the most work first */
    unsigned char *inside; /* of fronts: 1: in a subtree */
    double whole;          /* work of all fronts */
} cls_subtrees;

/* One thread has none. 0: no memory. */
int cls_subtrees_make(const cls_symbolic *symbolic, int threads, cls_subtrees *subtrees);
void cls_subtrees_free(cls_subtrees *subtrees);

/* Elements of the contributions that so many threads have at once, at most, unless pivots are delayed. -1: no
 * memory. */
double cls_factors_stack(const cls_symbolic *symbolic, int threads);
/* Bytes of the factors, and of contributions that are `stack` elements at once. */
double cls_factors_bytes(const cls_symbolic *symbolic, int64_t parts, double stack);

/* stack: of cls_factors_stack. 0: no memory. */
int cls_factors_open(const cls_symbolic *symbolic, int64_t parts, clsolve_sparse_form form, double stack,
                     cls_factors *factors);
/*
 * `value`: entries of A, scaled. `threshold`: a pivot is at least so many times the largest of its column.
 * OK, SINGULAR (zero_row, zero_column say where), NOT_POSITIVE_DEFINITE (zero_column), ERROR_OUT_OF_MEMORY.
 */
clsolve_status cls_factors_run(cls_factors *factors, const double *value, double threshold, cls_pool *pool,
                               int threads);
/* Bytes that the factorization has held at once. */
double cls_factors_held(const cls_factors *factors);
void cls_factors_free(cls_factors *factors);

/* x: n x nrhs in positions, column-major, tight; B becomes X. `adjoint`: 0: A, 1: A^T, 2: A^H. 0: no memory. */
int cls_factors_solve(const cls_factors *factors, int adjoint, double *x, int64_t nrhs, cls_pool *pool);

#endif
