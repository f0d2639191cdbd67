/*
 * patterns.h: sparse matrices for tests, by kind and size; their compressed rows in every form; residuals and dense
 * copies. All arithmetic is complex; a real type takes the real parts.
 */
#ifndef CLSOLVE_TEST_PATTERNS_H
#define CLSOLVE_TEST_PATTERNS_H

#include <complex.h>

#include <clsolve/clsolve.h>

#include "lu/ratios.h"
#include "support/test_support.h"

/* Entries by rows, columns ascending in each row, each place once. */
typedef struct entry {
    int64_t row, column;
    double complex value;
} entry;

typedef struct triplets {
    int64_t n, count, room;
    entry *at;
} triplets;

void triplets_add(triplets *A, int64_t row, int64_t column, double complex value);
/* At both sides of the diagonal: as conjugates, but of SYMMETRIC. */
void triplets_add_both(triplets *A, clsolve_sparse_form form, int64_t row, int64_t column, double complex value);
void triplets_sort(triplets *A); /* of entries at one place the first stays */
void triplets_free(triplets *A);
#define scratch_triplets SCRATCH_BY(triplets_free) triplets
/* What the values become in the type. */
void triplets_round(triplets *A, clsolve_type type);

typedef enum pattern {
    PATTERN_POWER,        /* a few rows and columns have many entries, most have few */
    PATTERN_BAND,         /* random bandwidths */
    PATTERN_ARROW,        /* first row and column, and the diagonal */
    PATTERN_DENSE_LINES,  /* two rows and two columns are dense */
    PATTERN_BLOCKS,       /* block triangular, rows and columns permuted */
    PATTERN_GRID2,        /* 5 points */
    PATTERN_GRID3,        /* 7 points */
    PATTERN_SADDLE,       /* K, B^T, B and a zero block */
    PATTERN_SYMMETRIC,    /* a symmetric pattern, values that are not symmetric */
    PATTERN_RANDOM,       /* a diagonal and three more entries in a row */
    PATTERN_DISCONNECTED, /* several random diagonal blocks */
    PATTERN_PERMUTED,     /* a band whose rows and columns are permuted */
    PATTERN_CYCLES,       /* a permutation matrix and few other entries */
    PATTERN_SCALED,       /* rows and columns differ by many powers of ten */
    PATTERNS
} pattern;
extern const char *const pattern_names[PATTERNS];

/* n rows, but for grids, which take the largest grid of at most n points. */
triplets pattern_make(pattern kind, int64_t n, test_random *random);
/* The same entries on both sides of the diagonal, as the form has them; indefinite. Of kind SADDLE a third of the diagonal
 * is missing. */
triplets pattern_make_symmetric(pattern kind, int64_t n, clsolve_sparse_form form, int is_complex, test_random *random);
/* Symmetric of real types, hermitian of complex ones, with a dominant diagonal. */
triplets pattern_make_definite(pattern kind, int64_t n, int is_complex, test_random *random);

/* A permutation of 0 .. n - 1, for the caller to free. */
int64_t *permutation_make(int64_t n, test_random *random);
int is_permutation(const int64_t *permutation, int64_t n);

/* ---- compressed rows ---- */

typedef struct csr_form {
    clsolve_type type;
    clsolve_index index;
    int base;
    int unsorted, duplicates; /* 1: rows are shuffled; some entries stand there in pieces */
} csr_form;

typedef struct csr {
    clsolve_csr view;
    int64_t count; /* entries with their pieces */
    void *start, *column, *values;
} csr;

csr csr_make(const triplets *A, const csr_form *form, test_random *random);
void csr_free(csr *A);
#define scratch_csr SCRATCH_BY(csr_free) csr

/* ---- references ---- */

/* ||b - op(A) x|| / (||op(A)|| ||x|| + ||b||) in infinity norms, the largest of the columns. B and X are column-major
 * and tight, as test_matrix_get writes them. */
double triplets_backward(const triplets *A, clsolve_type type, clsolve_op op, int64_t nrhs, const double *B,
                         const double *X);
/* The error that clsolve/sparse.h allows, and that of rounding X to the type. */
double triplets_bound(int64_t n, clsolve_type type);

/* Column-major, n x n. */
double complex *triplets_dense(const triplets *A);

typedef struct dense_facts {
    int singular;          /* a pivot is exactly zero */
    double log_abs, phase; /* of the determinant */
    double rcond;          /* of the 1-norm */
} dense_facts;
dense_facts dense_measure(const triplets *A);

/* Ends the program as skipped where the device has no kernels of sparse systems. */
void require_fronts(void);

/* Five points of a square grid: 5 on the diagonal, -1 beside it; the arrays hold 5 side^2 entries. */
void five_points(int32_t side, int32_t *start, int32_t *column, double *value);

/* Fails unless the status is as wanted, and the message has the words. */
#define EXPECT(context, call, wanted, words) TEST_EXPECT(context, call, wanted, words)

clsolve_sparse *sparse_create(clsolve_context *context, const clsolve_csr *A, const clsolve_sparse_options *options);
clsolve_report sparse_report(clsolve_context *context, const clsolve_sparse *sparse);

#endif
