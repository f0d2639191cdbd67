/* sparse_support.h: sparse systems for tests: triplets, their compressed rows in every form, and plain residuals. */
#ifndef CLSOLVE_TEST_SPARSE_SUPPORT_H
#define CLSOLVE_TEST_SPARSE_SUPPORT_H

#include <clsolve/clsolve.h>

#include "support/test_support.h"

/* Compressed rows as the tests make them: base 0, 64 bits, double. */
typedef struct sparse {
    int64_t n, count;
    int64_t *start, *column;
    double *value;
} sparse;

/* Entries come row by row. */
sparse sparse_begin(int64_t n, int64_t most);
void sparse_row(sparse *A, int64_t i); /* begins row i; rows come in their order, and at last n ends the matrix */
void sparse_add(sparse *A, int64_t j, double value);
void sparse_free(sparse *A);
#define scratch_sparse SCRATCH_BY(sparse_free) sparse

/* A 5-point operator on N lines of M: diagonal `c`, couplings -1; c = 4 or more is dominant. */
sparse sparse_grid(int64_t N, int64_t M, double c);
/* A grid with random coefficients that no iteration here converges on. */
sparse sparse_wild_grid(int64_t N, int64_t M, uint64_t use);
/* A band with random entries, the diagonal larger than the others; shuffled symmetrically where asked. */
sparse sparse_band(int64_t n, int64_t kl, int64_t ku, int shuffled, uint64_t use);
/* About `each` random entries in each row and a diagonal. */
sparse sparse_random(int64_t n, int64_t each, uint64_t use);

clsolve_csr sparse_view(const sparse *A);

/* ||b - op(A) x|| / (||op(A)|| ||x|| + ||b||) in infinity norms, the largest of the columns. */
double sparse_backward(const sparse *A, int transposed, int64_t nrhs, const double *b, const double *x);

/* The bound that AUTO promises. */
double sparse_promised(int64_t n, clsolve_type type);

/* Shared by the tests of a program. Tests in double skip on a device without it. */
extern clsolve_context *context;
int sparse_set_up(void **state);
int sparse_tear_down(void **state);

#endif
