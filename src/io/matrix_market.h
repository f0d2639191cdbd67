/*
 * matrix_market.h: matrices in Matrix Market files (R. F. Boisvert, R. Pozo, K. A. Remington, The Matrix Market
 * Exchange Formats: Initial Design, NISTIR 5935, 1996). Only the command uses it; the library reads no files.
 *
 * Read: `coordinate` and `array`; `real`, `double`, `integer`, `unsigned-integer`, `complex`, `pattern` (each
 * entry 1); `general`, `symmetric`, `skew-symmetric`, `hermitian`. Indices in files count from 1, here from 0.
 *
 * Nothing is repaired: an entry outside the sizes, above the diagonal of a symmetric file or on that of a skew one, a
 * count that is not the size line's, a second thing on a line, a line over 1024 characters that is no comment, NaN and
 * Inf and what overflows to it are errors. Two things are taken with a warning: a file without a banner whose first
 * line of numbers has three (`coordinate real general`), and values below the smallest double (0). Comments stand above
 * the size line or after the entries, blank lines anywhere. Sizes go up to 2^31 - 1; memory follows the entries that
 * come, not those that are announced.
 */
#ifndef CLS_MATRIX_MARKET_H
#define CLS_MATRIX_MARKET_H

#include <stddef.h>
#include <stdint.h>

/*
 * A matrix as read. Symmetric storage is spelled out, duplicates are summed.
 *   sparse: compressed columns: entries of column j at start[j] .. start[j+1]-1, rows ascending in each column
 *   dense:  column-major, element (i, j) at value[i + j * rows]; start and row are NULL
 * A complex entry is two numbers: entry k is at value[2 * k], the real part, and value[2 * k + 1].
 */
typedef struct mm_matrix {
    int64_t rows, cols;
    int sparse, is_complex;
    int64_t entries; /* sparse: stored ones; dense: rows * cols */
    int64_t *start;  /* cols + 1 */
    int64_t *row;    /* entries */
    double *value;   /* entries, of one number each or of two */
} mm_matrix;

/* Numbers in an entry. */
static inline int64_t mm_numbers(const mm_matrix *matrix) {
    return matrix->is_complex ? 2 : 1;
}

typedef enum mm_result {
    MM_OK = 0,
    MM_UNREADABLE, /* cannot be opened or read */
    MM_MALFORMED,  /* not what the format allows, or not what this reader takes */
    MM_OUT_OF_MEMORY,
    MM_UNWRITABLE
} mm_result;

/* One line for people, "file:line: what is wrong; what to do", and warnings on files that were taken all the same. */
typedef struct mm_message {
    char error[512];
    char warning[512];
} mm_message;

/* On any result but MM_OK the matrix is all zeros. `message` may be NULL. The path "-" is standard input. */
mm_result mm_read(const char *path, mm_matrix *matrix, mm_message *message);

/* The same from bytes in memory; `name` stands for the file in messages. */
mm_result mm_read_memory(const char *bytes, size_t length, const char *name, mm_matrix *matrix, mm_message *message);

/* Written to a temporary name next to `path` and renamed when whole, so `path` never holds half a file. Sparse matrices
 * as `coordinate`, dense ones as `array`, `real general` or `complex general`, 17 significant digits: reading gives the
 * same bits back. A NaN or Inf is MM_UNWRITABLE, for the format has none. `comment` (may be NULL) becomes comment
 * lines. An existing file keeps its permissions, a symbolic link stays one. The path "-" is standard output; what is no
 * regular file, such as a pipe or /dev/null, is written as it stands. */
mm_result mm_write(const char *path, const mm_matrix *matrix, const char *comment, mm_message *message);

/* Memory for a dense rows x cols matrix of zeros. */
mm_result mm_dense_create(int64_t rows, int64_t cols, mm_matrix *matrix, mm_message *message);

/* The same matrix with imaginary parts of 0, unless it is complex. MM_OUT_OF_MEMORY leaves it as it was. */
mm_result mm_make_complex(mm_matrix *matrix, mm_message *message);

/* From triplets in any order (row and column from 0); duplicates summed. The arrays stay the caller's. */
mm_result mm_from_triplets(int64_t rows, int64_t cols, int64_t count, const int64_t *row, const int64_t *column,
                           const double *value, mm_matrix *matrix, mm_message *message);

/* Spells a sparse matrix out into column-major `out` with leading dimension ld; also copies a dense one. */
void mm_to_dense(const mm_matrix *matrix, double *out, int64_t ld);

/* y = A x for `columns` vectors, complex ones where A is; X cols x columns and Y rows x columns, both column-major and
 * tight. Sums are made in long double. */
void mm_product(const mm_matrix *A, int64_t columns, const double *X, double *Y);

/* b = A (1, ..., 1): a dense column, complex where A is. `b` is for mm_free. */
mm_result mm_row_sums(const mm_matrix *A, mm_matrix *b, mm_message *message);

/* Frees the arrays and zeroes the struct. A zeroed struct is fine. */
void mm_free(mm_matrix *matrix);

#endif
