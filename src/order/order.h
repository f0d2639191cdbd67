/*
 * order.h: rows and columns of a sparse matrix renumbered so that its entries lie near the diagonal.
 *
 * Patterns are compressed columns: the rows of column j's entries are row[start[j]] .. row[start[j + 1] - 1], from 0,
 * no row twice in a column. A pattern of compressed rows is that of the transpose: its kl and ku change places.
 */
#ifndef CLS_ORDER_H
#define CLS_ORDER_H

#include <stdint.h>

/* How far entries lie below the diagonal, and above. */
typedef struct cls_order_band {
    int64_t kl, ku;
} cls_order_band;

/* The band of the n x n pattern when row and column i stand at place[i]; `place` NULL: where they are. */
cls_order_band cls_order_band_of(int64_t n, const int64_t *start, const int64_t *row, const int64_t *place);

/*
 * Reverse Cuthill-McKee on the pattern of A + A^T: place[i], i = 0 .. n - 1, is where row and column i go. Each
 * connected part is numbered level by level from a vertex at one of its far ends, neighbours by ascending degree (E.
 * Cuthill, J. McKee, Reducing the bandwidth of sparse symmetric matrices, ACM 1969), all in the reverse order (A.
 * George, J. W-H. Liu, Computer Solution of Large Sparse Positive Definite Systems, 1981, chapter 4, also for the far
 * end). Takes time and memory in proportion to the entries. 0 without memory, or for more than 2^31 - 1 rows; else 1.
 */
int cls_order_reverse_cuthill_mckee(int64_t n, const int64_t *start, const int64_t *row, int64_t *place);

#endif
