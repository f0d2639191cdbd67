/*
 * csr.h (private): the solver's own copy of a sparse matrix: square, indices from 0 in 64 bits, columns ascending in
 * each row, entries at the same place added, values in double, two for a complex entry.
 */
#ifndef CLS_BASE_CSR_H
#define CLS_BASE_CSR_H

#include <clsolve/csr.h>
#include <clsolve/sparse.h>
#include <clsolve/status.h>

#include "base/error.h"
#include "base/pool.h"

typedef struct cls_csr {
    int64_t n, entries;      /* after entries at the same place were added */
    int64_t given;           /* entries of the caller's view */
    int64_t *start, *column; /* n + 1, entries */
    int64_t parts;           /* doubles of an entry */
    double *value;           /* parts times entries */
    int64_t *slot;           /* where the caller's entry e is added; NULL: at e */
    cls_pool *pool;          /* the owner's threads for the values of a large matrix; NULL: none */
} cls_csr;

/* Everything but LU: A is given by one triangle, and so are its factors. */
static inline int cls_form_is_one_sided(clsolve_sparse_form form) {
    return form != CLSOLVE_SPARSE_GENERAL;
}

static inline int cls_form_is_ldl(clsolve_sparse_form form) {
    return form == CLSOLVE_SPARSE_SYMMETRIC || form == CLSOLVE_SPARSE_HERMITIAN;
}

/* The other triangle has the conjugates, and the diagonal is real. */
static inline int cls_form_conjugates(clsolve_sparse_form form) {
    return form == CLSOLVE_SPARSE_POSITIVE_DEFINITE || form == CLSOLVE_SPARSE_HERMITIAN;
}

/* Whether an entry of a symmetric matrix is read. */
static inline int cls_sparse_reads(clsolve_sparse_part part, int64_t row, int64_t column) {
    return part == CLSOLVE_SPARSE_WHOLE || (part == CLSOLVE_SPARSE_LOWER ? row >= column : row <= column);
}

/* Checks the view, copies and sorts the pattern; values are 0. On failure `csr` is empty. */
clsolve_status cls_csr_take_pattern(cls_error *error, const char *call, const clsolve_csr *view, cls_csr *csr);

/* OK: the view has the same pattern in the same order of entries, and values. */
clsolve_status cls_csr_check_same(cls_error *error, const char *call, const clsolve_csr *view, const cls_csr *csr);

/* Takes the values of a view that cls_csr_check_same has found the same; of the view only type and values are read.
 * Entries outside `part` are not read, nor, if `hermitian`, imaginary parts on the diagonal; they count as zeros. */
clsolve_status cls_csr_take_values(cls_error *error, const char *call, const clsolve_csr *view,
                                   clsolve_sparse_part part, int hermitian, cls_csr *csr);

void cls_csr_free(cls_csr *csr);

/* Calls `see` for each entry, whose `parts` doubles are at `value`: (row, column), or (column, row) where
 * `transposed`. */
typedef void (*cls_csr_seen)(void *user, int64_t row, int64_t column, const double *value);
void cls_csr_each(const cls_csr *csr, int transposed, cls_csr_seen see, void *user);

#endif
