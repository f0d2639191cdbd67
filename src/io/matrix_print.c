#include "io/matrix_print.h"

#include <inttypes.h>
#include <string.h>

/* 17 significant digits name every double. The decimal point is a point, whatever the locale's is. */
static void format_value(char out[40], double value) {
    const int length = snprintf(out, 40, "%.17g", value);
    const size_t whole = strspn(out, "-0123456789");
    if (out[whole] == '\0' || out[whole] == 'e' || out[whole] == '.') return;
    const size_t point = strcspn(out + whole, "0123456789"); /* maybe several bytes */
    out[whole] = '.';
    memmove(out + whole + 1, out + whole + point, (size_t)length - whole - point + 1);
}

/* Each line of the comment becomes one, and a long one several, within the format's 1024 characters a line. */
static int print_comment(FILE *stream, const char *comment) {
    const size_t most = 1000;
    for (const char *p = comment;;) {
        const size_t line = strcspn(p, "\r\n");
        const size_t taken = line < most ? line : most;
        if (fprintf(stream, "%% %.*s\n", (int)taken, p) < 0) return -1;
        p += taken;
        if (taken < line) continue;
        if (*p == '\0') return 0;
        p += p[0] == '\r' && p[1] == '\n' ? 2 : 1;
        if (*p == '\0') return 0;
    }
}

int mm_print_entry(FILE *stream, int64_t row, int64_t column, double value) {
    char text[40];
    format_value(text, value);
    return fprintf(stream, "%" PRId64 " %" PRId64 " %s\n", row + 1, column + 1, text) < 0 ? -1 : 0;
}

/* The number, or the real and the imaginary part, and the end of the line. */
static int print_value(FILE *stream, const mm_matrix *matrix, int64_t k) {
    const int64_t parts = mm_numbers(matrix);
    char text[40];
    for (int64_t p = 0; p < parts; p++) {
        format_value(text, matrix->value[k * parts + p]);
        if (fprintf(stream, p > 0 ? " %s" : "%s", text) < 0) return -1;
    }
    return fputc('\n', stream) < 0 ? -1 : 0;
}

static int print_sparse(FILE *stream, const mm_matrix *matrix) {
    for (int64_t j = 0; j < matrix->cols; j++)
        for (int64_t k = matrix->start[j]; k < matrix->start[j + 1]; k++)
            if (fprintf(stream, "%" PRId64 " %" PRId64 " ", matrix->row[k] + 1, j + 1) < 0 ||
                print_value(stream, matrix, k) != 0)
                return -1;
    return 0;
}

static int print_dense(FILE *stream, const mm_matrix *matrix) {
    for (int64_t k = 0; k < matrix->entries; k++)
        if (print_value(stream, matrix, k) != 0) return -1;
    return 0;
}

int mm_print_head(FILE *stream, const mm_matrix *matrix, const char *comment) {
    const char *format = matrix->sparse ? "coordinate" : "array";
    const char *field = matrix->is_complex ? "complex" : "real";
    if (fprintf(stream, "%%%%MatrixMarket matrix %s %s general\n", format, field) < 0) return -1;
    if (comment && print_comment(stream, comment) != 0) return -1;
    if (fprintf(stream, "%" PRId64 " %" PRId64, matrix->rows, matrix->cols) < 0) return -1;
    if (matrix->sparse && fprintf(stream, " %" PRId64, matrix->entries) < 0) return -1;
    return fputc('\n', stream) < 0 ? -1 : 0;
}

int mm_print(FILE *stream, const mm_matrix *matrix, const char *comment) {
    if (mm_print_head(stream, matrix, comment) != 0) return -1;
    return matrix->sparse ? print_sparse(stream, matrix) : print_dense(stream, matrix);
}
