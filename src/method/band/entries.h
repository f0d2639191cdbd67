/*
 * entries.h: a band that comes as a sparse matrix: its entries by columns, from the caller's rows, and their way into the
 * window. Only the entries cross, never the band's zeros.
 */
#ifndef CLS_BAND_ENTRIES_H
#define CLS_BAND_ENTRIES_H

#include <clsolve/csr.h>

#include "method/band/band.h"

/* Rows ascend in each column, and no place has two entries. */
struct cls_band_entries {
    int64_t n;
    int64_t *start, *row; /* n + 1; start[n] */
    double *value;
};

/*
 * Entry (i, j) of A comes to row rows[i] and column columns[j]; NULL: i, j. Entries at one place are added. A must have been
 * checked (cls_band_entries_check). On failure `entries` is empty.
 */
clsolve_status cls_band_entries_take(cls_error *error, const clsolve_csr *A, const int64_t *rows,
                                     const int64_t *columns, cls_band_entries *entries);
void cls_band_entries_free(cls_band_entries *entries);

/* INVALID_ARGUMENT or NONFINITE where A is not an n x n matrix with kl and ku diagonals once it is renumbered. */
clsolve_status cls_band_entries_check(cls_error *error, const char *call, int64_t n, int64_t kl, int64_t ku,
                                      const clsolve_csr *A, const int64_t *rows, const int64_t *columns);

/* Do they take fewer bytes than the band they are in? */
int cls_band_entries_are_few(const cls_band *band, const cls_band_entries *entries);

/* Rows first .. end-1 of column j, of kl + ku + 1, in the band's type; other rows of it are zero already or become it. */
void cls_band_entries_pack(const cls_band *band, const cls_band_entries *entries, int64_t j, int64_t first, int64_t end,
                           void *to);

/* All of them into the window, which is zero (cls_band_clear). Waits. */
clsolve_status cls_band_entries_scatter(cls_band *band, const cls_band_entries *entries);

#endif
