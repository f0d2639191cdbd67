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

mm_result mm_make_complex(mm_matrix *matrix, mm_message *message) {
    if (matrix->is_complex) return MM_OK;
    const uint64_t count = (uint64_t)matrix->entries;
    double *pairs =
        count <= SIZE_MAX / 2 / sizeof *pairs ? calloc(count > 0 ? 2 * (size_t)count : 1, sizeof *pairs) : NULL;
    if (!pairs)
        return mm_fail(message, MM_OUT_OF_MEMORY, "out of memory for a complex matrix of %" PRId64 " entries",
                       matrix->entries);
    for (int64_t k = 0; k < matrix->entries; k++) pairs[2 * k] = matrix->value[k];
    free(matrix->value);
    matrix->value = pairs;
    matrix->is_complex = 1;
    return MM_OK;
}

void mm_to_dense(const mm_matrix *matrix, double *out, int64_t ld) {
    const int64_t parts = mm_numbers(matrix), length = matrix->rows * parts;
    for (int64_t j = 0; j < matrix->cols; j++) {
        double *column = out + j * ld * parts;
        if (!matrix->sparse) {
            for (int64_t i = 0; i < length; i++) column[i] = matrix->value[i + j * length];
            continue;
        }
        for (int64_t i = 0; i < length; i++) column[i] = 0.0;
        for (int64_t k = matrix->start[j]; k < matrix->start[j + 1]; k++)
            for (int64_t p = 0; p < parts; p++) column[matrix->row[k] * parts + p] = matrix->value[k * parts + p];
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

/* Complex, of either storage. Without memory for sums in long double they are made in double, in y. */
static void complex_product(const mm_matrix *A, const double *x, long double *sum, double *y) {
    const int64_t length = 2 * A->rows;
    for (int64_t i = 0; i < length; i++) y[i] = 0;
    for (int64_t i = 0; sum && i < length; i++) sum[i] = 0;
    for (int64_t j = 0; j < A->cols; j++) {
        const int64_t first = A->sparse ? A->start[j] : j * A->rows;
        const int64_t end = A->sparse ? A->start[j + 1] : first + A->rows;
        const long double re = x[2 * j], im = x[2 * j + 1];
        for (int64_t k = first; k < end; k++) {
            const int64_t i = 2 * (A->sparse ? A->row[k] : k - first);
            const double *a = A->value + 2 * k;
            const long double real = a[0] * re - a[1] * im, imaginary = a[0] * im + a[1] * re;
            if (sum) {
                sum[i] += real;
                sum[i + 1] += imaginary;
            } else {
                y[i] += (double)real;
                y[i + 1] += (double)imaginary;
            }
        }
    }
    for (int64_t i = 0; sum && i < length; i++) y[i] = (double)sum[i];
}

/*
 * Residuals are made from these products, small differences of large numbers: so each sum is one of long doubles, 64
 * bits of mantissa on x86 and 113 on arm64. Should there be no memory for a sparse product's sums, they are doubles.
 */
void mm_product(const mm_matrix *A, int64_t columns, const double *X, double *Y) {
    long double *sum = NULL;
    const int64_t parts = mm_numbers(A);
    if ((A->sparse || A->is_complex) && A->rows > 0 && (uint64_t)A->rows <= SIZE_MAX / sizeof *sum / 2)
        sum = malloc((size_t)(A->rows * parts) * sizeof *sum);
    for (int64_t c = 0; c < columns; c++) {
        const double *x = X + c * A->cols * parts;
        double *y = Y + c * A->rows * parts;
        if (A->is_complex)
            complex_product(A, x, sum, y);
        else if (!A->sparse)
            dense_product(A, x, y);
        else if (sum)
            sparse_product(A, x, sum, y);
        else
            sparse_product_in_double(A, x, y);
    }
    free(sum);
}

mm_result mm_row_sums(const mm_matrix *A, mm_matrix *b, mm_message *message) {
    const int64_t parts = mm_numbers(A);
    mm_matrix ones = {0};
    mm_result result = mm_dense_create(A->rows, 1, b, message);
    if (result == MM_OK) result = mm_dense_create(A->cols, 1, &ones, message);
    if (result == MM_OK && A->is_complex) result = mm_make_complex(b, message);
    if (result == MM_OK && A->is_complex) result = mm_make_complex(&ones, message);
    for (int64_t j = 0; result == MM_OK && j < A->cols; j++) ones.value[j * parts] = 1;
    if (result == MM_OK) mm_product(A, 1, ones.value, b->value);
    if (result != MM_OK) mm_free(b);
    mm_free(&ones);
    return result;
}

void mm_free(mm_matrix *matrix) {
    if (!matrix) return;
    free(matrix->start);
    free(matrix->row);
    free(matrix->value);
    memset(matrix, 0, sizeof *matrix);
}
