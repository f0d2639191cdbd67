/* generate_entries.h: the entries of a sparse test matrix while it is made. */
#ifndef CLS_GENERATE_ENTRIES_H
#define CLS_GENERATE_ENTRIES_H

#include <stdint.h>

#include "io/matrix_market.h"

typedef struct entries {
    int64_t count;
    int64_t *row, *column;
    double *value;
} entries;

/* Room for n * each entries. Also refuses what no generator makes. */
mm_result entries_reserve(int64_t n, int64_t each, entries *list, mm_matrix *A, mm_message *message);
void entries_add(entries *list, int64_t row, int64_t column, double value);
/* Makes the n x n matrix A of them, entries at one place added up, and frees the list. */
mm_result entries_finish(int64_t n, entries *list, mm_matrix *A, mm_message *message);
void entries_drop(entries *list);

#endif
