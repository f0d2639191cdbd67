#include "io/triplets.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/message.h"

/* count * size bytes, at least one; NULL when memory is short or the product overflows. */
static void *allocate(int64_t count, size_t size) {
    if ((uint64_t)count > SIZE_MAX / size) return NULL;
    return malloc(count > 0 ? (size_t)count * size : 1);
}

/* Counting sort by column: each column gets its entries in the order in which they came. */
static void distribute(int64_t count, const int64_t *row, const int64_t *column, const double *value,
                       mm_matrix *matrix) {
    const int64_t parts = mm_numbers(matrix);
    int64_t *start = matrix->start;
    memset(start, 0, ((size_t)matrix->cols + 1) * sizeof *start);
    for (int64_t k = 0; k < count; k++) start[column[k] + 1]++;
    for (int64_t j = 0; j < matrix->cols; j++) start[j + 1] += start[j];
    for (int64_t k = 0; k < count; k++) {
        const int64_t at = start[column[k]]++;
        matrix->row[at] = row[k];
        for (int64_t p = 0; p < parts; p++) matrix->value[at * parts + p] = value[k * parts + p];
    }
    /* start[j] has moved on to where column j + 1 begins */
    memmove(start + 1, start, (size_t)matrix->cols * sizeof *start);
    start[0] = 0;
}

typedef struct column_entry {
    int64_t row;
    int64_t order; /* keeps duplicates in the order in which they came: qsort is not stable */
    double value[2];
} column_entry;

static int by_row(const void *left, const void *right) {
    const column_entry *a = left, *b = right;
    if (a->row != b->row) return a->row < b->row ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

/* Most files have ascending rows in each column already; only other columns are sorted. */
static mm_result sort_column(int64_t length, int64_t *row, double *value, int64_t parts) {
    int64_t ascending = 1;
    while (ascending < length && row[ascending - 1] <= row[ascending]) ascending++;
    if (ascending >= length) return MM_OK;
    column_entry *entry = allocate(length, sizeof *entry);
    if (!entry) return MM_OUT_OF_MEMORY;
    for (int64_t i = 0; i < length; i++)
        entry[i] = (column_entry){row[i], i, {value[i * parts], value[i * parts + parts - 1]}};
    qsort(entry, (size_t)length, sizeof *entry, by_row);
    for (int64_t i = 0; i < length; i++) {
        row[i] = entry[i].row;
        for (int64_t p = 0; p < parts; p++) value[i * parts + p] = entry[i].value[p];
    }
    free(entry);
    return MM_OK;
}

/* Sums neighbours with the same row and closes the gaps. */
static mm_result sum_duplicates(mm_matrix *matrix, mm_clash *clash) {
    const int64_t parts = mm_numbers(matrix);
    int64_t kept = 0;
    for (int64_t j = 0, k = 0; j < matrix->cols; j++) {
        const int64_t first = kept, end = matrix->start[j + 1];
        matrix->start[j] = first;
        for (; k < end; k++) {
            const double *value = matrix->value + k * parts;
            if (kept > first && matrix->row[kept - 1] == matrix->row[k]) {
                double *sum = matrix->value + (kept - 1) * parts;
                for (int64_t p = 0; p < parts; p++) sum[p] += value[p];
                if (!isfinite(sum[0]) || !isfinite(sum[parts - 1])) {
                    *clash = (mm_clash){matrix->row[k], j};
                    return MM_MALFORMED;
                }
            } else {
                matrix->row[kept] = matrix->row[k];
                for (int64_t p = 0; p < parts; p++) matrix->value[kept * parts + p] = value[p];
                kept++;
            }
        }
    }
    matrix->start[matrix->cols] = kept;
    matrix->entries = kept;
    return MM_OK;
}

mm_result mm_compress(int64_t rows, int64_t cols, int64_t count, const int64_t *row, const int64_t *column,
                      const double *value, int is_complex, mm_matrix *matrix, mm_clash *clash) {
    memset(matrix, 0, sizeof *matrix);
    mm_result result = MM_OUT_OF_MEMORY;
    if (cols == INT64_MAX) return result;
    matrix->rows = rows;
    matrix->cols = cols;
    matrix->sparse = 1;
    matrix->is_complex = is_complex;
    matrix->entries = count;
    matrix->start = allocate(cols + 1, sizeof *matrix->start);
    matrix->row = allocate(count, sizeof *matrix->row);
    matrix->value = allocate(count, (size_t)mm_numbers(matrix) * sizeof *matrix->value);
    if (!matrix->start || !matrix->row || !matrix->value) goto failed;

    distribute(count, row, column, value, matrix);
    for (int64_t j = 0; j < cols; j++) {
        const int64_t at = matrix->start[j];
        result = sort_column(matrix->start[j + 1] - at, matrix->row + at, matrix->value + at * mm_numbers(matrix),
                             mm_numbers(matrix));
        if (result != MM_OK) goto failed;
    }
    result = sum_duplicates(matrix, clash);
    if (result == MM_OK) return MM_OK;
failed:
    mm_free(matrix);
    return result;
}

mm_result mm_from_triplets(int64_t rows, int64_t cols, int64_t count, const int64_t *row, const int64_t *column,
                           const double *value, mm_matrix *matrix, mm_message *message) {
    memset(matrix, 0, sizeof *matrix);
    if (rows < 0 || cols < 0 || count < 0)
        return mm_fail(message, MM_MALFORMED,
                       "a %" PRId64 " x %" PRId64 " matrix of %" PRId64 " entries; sizes count from 0", rows, cols,
                       count);
    for (int64_t k = 0; k < count; k++)
        if (row[k] < 0 || row[k] >= rows || column[k] < 0 || column[k] >= cols)
            return mm_fail(message, MM_MALFORMED,
                           "entry %" PRId64 " is at (%" PRId64 ", %" PRId64 "), outside %" PRId64 " x %" PRId64
                           "; indices count from 0",
                           k, row[k], column[k], rows, cols);
    mm_clash clash;
    const mm_result result = mm_compress(rows, cols, count, row, column, value, 0, matrix, &clash);
    if (result == MM_MALFORMED)
        return mm_fail(message, result,
                       "the entries at (%" PRId64 ", %" PRId64 ") sum to no finite number; scale the matrix", clash.row,
                       clash.column);
    if (result != MM_OK)
        return mm_fail(message, result, "out of memory for a matrix of %" PRId64 " columns and %" PRId64 " entries",
                       cols, count);
    return MM_OK;
}
