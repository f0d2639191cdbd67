/*
 * klu.h (private): KLU of SuiteSparse (T. A. Davis, E. Palamadai Natarajan, ACM TOMS 37, 2010) for a matrix in
 * compressed rows. KLU takes compressed columns, so it factors A^T.
 */
#ifndef CLS_SPARSE_KLU_H
#define CLS_SPARSE_KLU_H

#include "base/csr.h"

typedef struct cls_klu cls_klu;

typedef struct cls_klu_found {
    int stopped;  /* the pairing of rows with columns took too long: nothing else here is known */
    int64_t rank; /* below 0: not known */
    int64_t blocks, largest_block;
    double entries, operations; /* of L and U, expected */
    double symmetry;            /* of the largest block's pattern: 1 symmetric, 0 not at all */
    const int *order;           /* column k of the order; the rows are not exchanged where `exchanged` is 0 */
    int exchanged;
} cls_klu_found;

/* Whether KLU's indices of 32 bits can hold the matrix. */
int cls_klu_fits(const cls_csr *A);
/*
 * Operations for each entry of the factors that any order of KLU's has, at least. It is known where the pattern is
 * symmetric with a whole diagonal: then the blocks have all entries of A. 0: not known.
 */
double cls_klu_least(const cls_csr *A);
/* Order and block triangular form. `order`: AUTO and AMD, NATURAL, or GIVEN with `given`. most_steps: of the
 * pairing, for each entry; 0: any number. *klu NULL: no memory. */
void cls_klu_analyse(const cls_csr *A, clsolve_sparse_order order, const int64_t *given, double most_steps,
                     cls_klu **klu, cls_klu_found *found);
/* Bytes of the factorization where L and U have so many entries; and the most that it has taken so far. */
double cls_klu_bytes(const cls_klu *klu, double entries);
double cls_klu_held(const cls_klu *klu);
/*
 * Factors the values of A with pivots of at least `threshold` times the largest of their column, the diagonal first.
 * With `again` it keeps the pivots of the factors before, unless one of them is zero now.
 * OK, SINGULAR (*row of A without a pivot, and the *column that stood there: from 0), OVERFLOW, ERROR_OUT_OF_MEMORY.
 */
clsolve_status cls_klu_factor(cls_klu *klu, const cls_csr *A, double threshold, int again, int64_t *row,
                              int64_t *column);
/* x: n x nrhs, column-major. `op` as of A. */
clsolve_status cls_klu_solve(cls_klu *klu, clsolve_op op, double *x, int64_t nrhs);

/* The number of entries of the factors. */
double cls_klu_entries(const cls_klu *klu);
/* The operations of the last factorization that chose its pivots. */
double cls_klu_operations(cls_klu *klu);
/* Pivot k of P A Q = L U, without scales, of one double or two. */
void cls_klu_pivot(const cls_klu *klu, int64_t k, double *pivot);
/* The order of the factors; `factored` 0: as the analysis has it. NULL: not wanted. */
void cls_klu_order(const cls_klu *klu, int factored, int64_t *rows, int64_t *columns);

void cls_klu_free(cls_klu *klu); /* NULL is fine */

#endif
