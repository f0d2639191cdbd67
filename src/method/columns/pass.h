/*
 * pass.h: op(A)^-1 B by two passes over the block columns of A's triangular factors, wherever they lie. The holder of
 * the factors brings one block column after the other, and each is applied to the right-hand sides:
 *
 *      holder                          where the factors lie
 *      method/lu/solve.c               a matrix of the device
 *      method/cholesky/solve.c         the same, or a band of the device
 *      method/band/solve.c             a ring of block columns, all there or streaming by
 *      method/out_of_core/solve.c      the host's memory: they stream by
 *      method/several/home.c           a matrix of one device of several
 *      method/several/solve.c          dealt out to several devices: they pass by all; in chain.c B goes round instead
 *
 *      A = L U     A x = b      P and L from the left, then U from the right
 *                  A^T x = b    U^T from the left, then L^T and P^T from the right
 *      A = L L^H   A x = b      L from the left, then L^H from the right
 *
 *                  j    k                           j    k         The rows of B that T and the rest have:
 *              j   |  T |                  begin    |    |
 *              k   |----|                           |rest|         op N   T's = T^-1 T's; the rest's -= rest * T's
 *                  |rest|                       j   |----|         else   T's -= op(rest) * the rest's;
 *            end   |    |                     end   |  T |                T's = op(T)^-1 T's
 *
 * So the factors are read by columns in each case.
 */
#ifndef CLS_PASS_H
#define CLS_PASS_H

#include "blas/blas.h"
#include "device/matrix.h"

typedef struct cls_pass cls_pass;

/* The columns j .. j+width-1 of one half, with the rows begin .. end-1: of the lower half begin is j, of the upper half
 * end is j + width. */
typedef struct cls_pass_column {
    int64_t j, width, begin, end;
    cls_ref at; /* of element (begin, j) */
} cls_pass_column;

/* A function may be NULL where its comment has brackets, which say what holds then. All enqueue in COMPUTE. */
typedef struct cls_pass_ops {
    /* A pass of pass->half begins. [Nothing is to be done.] */
    clsolve_status (*begin)(cls_pass *pass);
    /* COMPUTE waits for the block column, and column->at is its place; begin and end become those of a band. Where B
     * goes round, pass->device and pass->B become those that the block column is applied to. */
    clsolve_status (*take)(cls_pass *pass, cls_pass_column *column);
    /* Rows of B move as the pivots of these columns of L have moved them, or with another op than N back. [None.] */
    clsolve_status (*move)(cls_pass *pass, const cls_pass_column *column);
    /* It has been applied. [Nobody waits for it.] */
    clsolve_status (*used)(cls_pass *pass, const cls_pass_column *column);
} cls_pass_ops;

struct cls_pass {
    const cls_pass_ops *ops;
    void *holder;
    cls_device *device;
    cls_uplo lower;      /* L's half: LOWER_UNIT for A = L U, LOWER for A = L L^H */
    int64_t n;           /* the order of the factors */
    int64_t block, slab; /* block columns have `block` columns, from multiples of `slab` on unless that is 0 */
    int64_t first;       /* the columns before it, and those rows of B, are left out */
    int64_t most;        /* columns of B in one product; 0: those that lie in one slab */
    cls_blas_options triangle, product; /* how solves with T run, and products with the rest */

    /* The pass that runs. */
    cls_uplo half;
    clsolve_op op;
    int backward;
    cls_matrix B; /* its rows have the factors' numbers */
    int64_t from, to;
};

static inline cls_pass cls_pass_of(const cls_pass_ops *ops, void *holder, cls_device *device, cls_uplo lower, int64_t n,
                                   int64_t block) {
    return (cls_pass){.ops = ops, .holder = holder, .device = device, .lower = lower, .n = n, .block = block};
}

/* The columns from .. to-1 of B go through the first or the second pass for op, which is N where A = L L^H. */
clsolve_status cls_pass_run(cls_pass *pass, clsolve_op op, int second, const cls_matrix *B, int64_t from, int64_t to);
/* Through both: they become op(A)^-1 times them. */
clsolve_status cls_pass_both(cls_pass *pass, clsolve_op op, const cls_matrix *B, int64_t from, int64_t to);

#endif
