/* triplets.h: from entries in any order to compressed columns. */
#ifndef CLS_IO_TRIPLETS_H
#define CLS_IO_TRIPLETS_H

#include <stdint.h>

#include "io/matrix_market.h"

/* The place where the sum of duplicates is no double. */
typedef struct mm_clash {
    int64_t row, column;
} mm_clash;

/*
 * The entries (row[k], column[k], value[k]), of two numbers each where `is_complex`, which must lie inside rows x cols,
 * as compressed columns; duplicates are summed in the order in which they come. Writes no message. MM_MALFORMED: a sum
 * overflows, at *clash.
 */
mm_result mm_compress(int64_t rows, int64_t cols, int64_t count, const int64_t *row, const int64_t *column,
                      const double *value, int is_complex, mm_matrix *matrix, mm_clash *clash);

#endif
