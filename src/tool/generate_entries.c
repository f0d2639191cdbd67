/* generate_entries.c: see generate_entries.h. */
#include "tool/generate_entries.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "io/message.h"

void entries_add(entries *list, int64_t row, int64_t column, double value) {
    list->row[list->count] = row;
    list->column[list->count] = column;
    list->value[list->count++] = value;
}

void entries_drop(entries *list) {
    free(list->row);
    free(list->column);
    free(list->value);
}

mm_result entries_reserve(int64_t n, int64_t each, entries *list, mm_matrix *A, mm_message *message) {
    memset(list, 0, sizeof *list);
    memset(A, 0, sizeof *A);
    if (n < 0) return mm_fail(message, MM_MALFORMED, "n = %" PRId64 " is negative; sizes count from 0", n);
    const uint64_t most = SIZE_MAX / sizeof(int64_t) / (uint64_t)each;
    if ((uint64_t)n < most) {
        const size_t room = (size_t)n * (size_t)each + 1;
        list->row = malloc(room * sizeof *list->row);
        list->column = malloc(room * sizeof *list->column);
        list->value = malloc(room * sizeof *list->value);
    }
    if (list->row && list->column && list->value) return MM_OK;
    entries_drop(list);
    return mm_fail(message, MM_OUT_OF_MEMORY, "out of memory for a sparse matrix of order %" PRId64, n);
}

mm_result entries_finish(int64_t n, entries *list, mm_matrix *A, mm_message *message) {
    const mm_result result = mm_from_triplets(n, n, list->count, list->row, list->column, list->value, A, message);
    entries_drop(list);
    return result;
}
