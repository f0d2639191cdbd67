/* tridiagonal_support.h: batches of tridiagonal matrices in every storage that the calls take, and LAPACK's ratios of them. */
#ifndef CLSOLVE_TEST_TRIDIAGONAL_SUPPORT_H
#define CLSOLVE_TEST_TRIDIAGONAL_SUPPORT_H

#include <clsolve/clsolve.h>

#include "support/test_support.h"

/* Arrays member after member, right-hand side after right-hand side: create, factor, solve, destroy. info: `count` numbers. */
clsolve_status tridiagonal_once(clsolve_context *on, int64_t count, int64_t n, clsolve_type type, void *dl, void *d,
                                void *du, void *b, int64_t nrhs, clsolve_pivoting pivoting, int64_t *info);
clsolve_status tridiagonal_create(clsolve_context *on, int64_t n, int64_t count, clsolve_type type,
                                  clsolve_pivoting pivoting, clsolve_tridiagonal_batch **batch);
/* Views of such arrays. */
clsolve_batch tridiagonal_view(clsolve_type type, int64_t count, int64_t n, int64_t cols, void *data);

typedef enum storage {
    BY_COLUMN,   /* columns of a member one after the other, with gaps */
    BY_ROW,      /* rows of a member one after the other, with gaps */
    INTERLEAVED, /* row k of all members, then row k + 1 */
    BY_SIDE,     /* all members of a column, then the next column */
    STORAGES
} storage;

/* A view with memory of its own; what is no element holds 77. */
typedef struct stored {
    clsolve_batch view;
    int64_t words;
} stored;

stored stored_make(clsolve_type type, storage how, int64_t count, int64_t rows, int64_t cols);
void stored_free(stored *s);
double stored_get(const stored *s, int64_t m, int64_t i, int64_t j);
void stored_set(const stored *s, int64_t m, int64_t i, int64_t j, double value);
/* Fails the test where a word that is no element does not hold 77. */
void stored_expect_gaps(const stored *s);

/*
 * Column j of member m: ||b - op(A) x||_1 / (||op(A)||_1 ||x||_1 n eps). a: its dl, d and du, from the view. b is that of before.
 */
double stored_ratio(const stored a[3], const stored *b, const stored *x, clsolve_op op, int64_t m, int64_t j);

#endif
