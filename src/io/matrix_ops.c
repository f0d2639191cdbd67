#include "io/matrix_market.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "io/message.h"

mm_result mm_dense_create(int64_t rows, int64_t cols, mm_matrix *matrix, mm_message *message) {
    memset(matrix, 0, sizeof *matrix);
    if (rows < 0 || cols < 0)
        return mm_fail(message, MM_MALFORMED, "a %" PRId64 " x %" PRId64 " matrix; sizes count from 0", rows, cols);
    const uint64_t most = SIZE_MAX / sizeof *matrix->value;
    if (cols == 0 || (uint64_t)rows <= most / (uint64_t)cols) {
        const size_t count = (size_t)rows * (size_t)cols;
        matrix->value = calloc(count > 0 ? count : 1, sizeof *matrix->value);
    }
    if (!matrix->value)
        return mm_fail(message, MM_OUT_OF_MEMORY, "out of memory for a dense %" PRId64 " x %" PRId64 " matrix", rows,
                       cols);
    matrix->rows = rows;
    matrix->cols = cols;
    matrix->entries = rows * cols;
    return MM_OK;
}

void mm_to_dense(const mm_matrix *matrix, double *out, int64_t ld) {
    for (int64_t j = 0; j < matrix->cols; j++) {
        double *column = out + j * ld;
        if (!matrix->sparse) {
            for (int64_t i = 0; i < matrix->rows; i++) column[i] = matrix->value[i + j * matrix->rows];
            continue;
        }
        for (int64_t i = 0; i < matrix->rows; i++) column[i] = 0.0;
        for (int64_t k = matrix->start[j]; k < matrix->start[j + 1]; k++) column[matrix->row[k]] = matrix->value[k];
    }
}

enum { ROW_BLOCK = 256 };

/* y = A x by blocks of rows, so that the wide sums of one block stay in the cache while all columns pass. */
static void dense_product(const mm_matrix *A, const double *x, double *y) {
    for (int64_t first = 0; first < A->rows; first += ROW_BLOCK) {
        const int64_t count = A->rows - first < ROW_BLOCK ? A->rows - first : ROW_BLOCK;
        long double sum[ROW_BLOCK] = {0};
        for (int64_t j = 0; j < A->cols; j++) {
            const double *column = A->value + first + j * A->rows;
            const long double factor = x[j];
            for (int64_t i = 0; i < count; i++) sum[i] += factor * column[i];
        }
        for (int64_t i = 0; i < count; i++) y[first + i] = (double)sum[i];
    }
}

static void sparse_product(const mm_matrix *A, const double *x, long double *sum, double *y) {
    for (int64_t i = 0; i < A->rows; i++) sum[i] = 0;
    for (int64_t j = 0; j < A->cols; j++) {
        const long double factor = x[j];
        for (int64_t k = A->start[j]; k < A->start[j + 1]; k++) sum[A->row[k]] += factor * A->value[k];
    }
    for (int64_t i = 0; i < A->rows; i++) y[i] = (double)sum[i];
}

static void sparse_product_in_double(const mm_matrix *A, const double *x, double *y) {
    for (int64_t i = 0; i < A->rows; i++) y[i] = 0.0;
    for (int64_t j = 0; j < A->cols; j++)
        for (int64_t k = A->start[j]; k < A->start[j + 1]; k++) y[A->row[k]] += x[j] * A->value[k];
}

/*
 * Residuals are made from these products, small differences of large numbers: so each sum is one of long doubles, 64
 * bits of mantissa on x86 and 113 on arm64. Should there be no memory for a sparse product's sums, they are doubles.
 */
void mm_product(const mm_matrix *A, int64_t columns, const double *X, double *Y) {
    long double *sum = NULL;
    if (A->sparse && A->rows > 0 && (uint64_t)A->rows <= SIZE_MAX / sizeof *sum)
        sum = malloc((size_t)A->rows * sizeof *sum);
    for (int64_t c = 0; c < columns; c++) {
        const double *x = X + c * A->cols;
        double *y = Y + c * A->rows;
        if (!A->sparse)
            dense_product(A, x, y);
        else if (sum)
            sparse_product(A, x, sum, y);
        else
            sparse_product_in_double(A, x, y);
    }
    free(sum);
}

void mm_free(mm_matrix *matrix) {
    if (!matrix) return;
    free(matrix->start);
    free(matrix->row);
    free(matrix->value);
    memset(matrix, 0, sizeof *matrix);
}
