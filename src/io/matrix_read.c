#define _POSIX_C_SOURCE 200809L

#include "io/matrix_market.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/header.h"
#include "io/lines.h"
#include "io/message.h"
#include "io/number.h"
#include "io/reason.h"
#include "io/triplets.h"

/*
 * No header is believed: arrays grow with the entries that really come, so memory stays in proportion to the file.
 * Compressed columns also need a word per column, hence the bound on columns without entries: this many are free.
 */
enum { FREE_COLUMNS = 1 << 16, FIRST_CAPACITY = 1 << 10 };

typedef struct reading {
    mm_lines lines;
    mm_header header;
    int64_t *row, *column; /* sparse only */
    double *value;
    int64_t count, capacity;
    int64_t underflows, underflow_line; /* how many values became 0, the first of them on this line */
} reading;

static mm_result out_of_memory(reading *r) {
    return mm_fail(r->lines.message, MM_OUT_OF_MEMORY,
                   "%s:%" PRId64 ": out of memory after %" PRId64 " entries; a machine with more is needed",
                   r->lines.name, r->lines.number, r->count);
}

static int regrow(void **array, int64_t capacity, size_t size) {
    void *grown = (uint64_t)capacity > SIZE_MAX / size ? NULL : realloc(*array, (size_t)capacity * size);
    if (grown) *array = grown;
    return grown != NULL;
}

static mm_result grow(reading *r) {
    const int64_t capacity = r->capacity > 0 ? 2 * r->capacity : FIRST_CAPACITY;
    void *row = r->row, *column = r->column, *value = r->value;
    int grown = regrow(&value, capacity, sizeof *r->value);
    if (r->header.sparse)
        grown = grown && regrow(&row, capacity, sizeof *r->row) && regrow(&column, capacity, sizeof *r->column);
    r->row = row;
    r->column = column;
    r->value = value;
    if (!grown) return out_of_memory(r);
    r->capacity = capacity;
    return MM_OK;
}

/* `row` and `column` mean nothing to an array. */
static mm_result append(reading *r, int64_t row, int64_t column, double value) {
    if (r->count == r->capacity) {
        const mm_result result = grow(r);
        if (result != MM_OK) return result;
    }
    if (r->header.sparse) {
        r->row[r->count] = row;
        r->column[r->count] = column;
    }
    r->value[r->count++] = value;
    return MM_OK;
}

/* The next line that is not blank. */
static mm_result next_entry(reading *r, mm_span *line, int *more) {
    for (;;) {
        const mm_result result = mm_lines_next(&r->lines, line, more);
        if (result != MM_OK || !*more || !mm_at_end(line)) return result;
    }
}

/* Refuses the token at the front of `rest`. */
static mm_result bad_token(reading *r, mm_span rest, mm_number number, const char *what) {
    char shown[40];
    const mm_span word = mm_take_word(&rest);
    mm_printable(shown, sizeof shown, word.begin, (size_t)(word.end - word.begin));
    switch (number) {
    case MM_NUMBER_ABSENT:
        return mm_malformed(&r->lines, "the %s is missing; the line is not whole", what);
    case MM_NUMBER_NONFINITE:
        return mm_malformed(&r->lines, "'%s' is no finite number; a system to be solved has none such", shown);
    case MM_NUMBER_OVERFLOW:
        return mm_malformed(&r->lines, "'%s' is too large a %s; %s", shown, what,
                            strcmp(what, "value") == 0 ? "scale the matrix into the range of double"
                                                       : "see the size line");
    default:
        if (*word.begin == '%')
            return mm_malformed(&r->lines, "a comment stands among the entries; move it above the size line");
        return mm_malformed(&r->lines, "'%s' is no %s; write a number in ASCII digits", shown, what);
    }
}

static mm_result take_value(reading *r, mm_span *rest, double *value) {
    mm_span token = *rest;
    const mm_number number = mm_take_real(rest, value);
    if (number > MM_NUMBER_UNDERFLOW) return bad_token(r, *rest, number, "value");
    if (number == MM_NUMBER_UNDERFLOW && r->underflows++ == 0) r->underflow_line = r->lines.number;
    int64_t ignored;
    if (r->header.field == MM_INTEGER && mm_take_integer(&token, &ignored) == MM_NUMBER_BAD)
        return mm_malformed(&r->lines, "the value is no integer; the banner must say 'real'");
    return MM_OK;
}

static mm_result take_index(reading *r, mm_span *rest, const char *what, int64_t limit, int64_t *index) {
    const mm_number number = mm_take_integer(rest, index);
    if (number != MM_NUMBER) return bad_token(r, *rest, number, what);
    if (*index < 1 || *index > limit)
        return mm_malformed(&r->lines, "%s %" PRId64 " is outside 1 .. %" PRId64 "; correct it or the size line", what,
                            *index, limit);
    --*index;
    return MM_OK;
}

static mm_result check_end(reading *r, mm_span rest, const char *what) {
    if (mm_at_end(&rest)) return MM_OK;
    char shown[40];
    const mm_span word = mm_take_word(&rest);
    return mm_malformed(&r->lines, "'%s' follows the %s; one entry a line, and nothing else",
                        mm_printable(shown, sizeof shown, word.begin, (size_t)(word.end - word.begin)), what);
}

/* Only the lower triangle stands in the file, without the diagonal when skew. */
static mm_result check_triangle(reading *r, int64_t row, int64_t column) {
    if (r->header.symmetry == MM_GENERAL || row > column) return MM_OK;
    if (row < column)
        return mm_malformed(&r->lines,
                            "(%" PRId64 ", %" PRId64 ") is above the diagonal; a symmetric file holds the "
                            "lower triangle only: swap the indices, or write 'general'",
                            row + 1, column + 1);
    if (r->header.symmetry == MM_SKEW)
        return mm_malformed(&r->lines,
                            "(%" PRId64 ", %" PRId64 ") is on the diagonal; it is zero in a skew-symmetric "
                            "matrix and not written: remove the line",
                            row + 1, column + 1);
    return MM_OK;
}

static mm_result take_coordinate_entry(reading *r, mm_span line) {
    int64_t row = 0, column = 0;
    double value = 1.0;
    mm_result result = take_index(r, &line, "row", r->header.rows, &row);
    if (result == MM_OK) result = take_index(r, &line, "column", r->header.cols, &column);
    if (result == MM_OK && r->header.field != MM_PATTERN) result = take_value(r, &line, &value);
    if (result == MM_OK) result = check_end(r, line, r->header.field == MM_PATTERN ? "indices" : "value");
    if (result == MM_OK) result = check_triangle(r, row, column);
    if (result == MM_OK) result = append(r, row, column, value);
    if (result != MM_OK || r->header.symmetry == MM_GENERAL || row == column) return result;
    return append(r, column, row, r->header.symmetry == MM_SKEW ? -value : value);
}

static mm_result take_array_entry(reading *r, mm_span line) {
    double value = 0.0;
    mm_result result = take_value(r, &line, &value);
    if (result == MM_OK) result = check_end(r, line, "value");
    return result == MM_OK ? append(r, 0, 0, value) : result;
}

static mm_result read_entries(reading *r) {
    mm_span line;
    int more;
    mm_result result;
    for (int64_t k = 0; k < r->header.entries; k++) {
        result = next_entry(r, &line, &more);
        if (result != MM_OK) return result;
        if (!more)
            return mm_malformed(&r->lines,
                                "the file ends after %" PRId64 " of %" PRId64
                                " entries; it is not whole, or the size line is wrong",
                                k, r->header.entries);
        result = r->header.sparse ? take_coordinate_entry(r, line) : take_array_entry(r, line);
        if (result != MM_OK) return result;
    }
    result = next_entry(r, &line, &more);
    if (result == MM_OK && more)
        return mm_malformed(&r->lines,
                            "more follows the %" PRId64 " entries that the sizes on line %" PRId64
                            " announce; correct them or remove it",
                            r->header.entries, r->header.size_line);
    return result;
}

static mm_result finish_sparse(reading *r, mm_matrix *matrix) {
    if (r->header.cols > FREE_COLUMNS && r->header.cols - FREE_COLUMNS > r->count) {
        r->lines.number = r->header.size_line;
        return mm_malformed(
            &r->lines, "%" PRId64 " columns but only %" PRId64 " entries; most columns are empty: correct the sizes",
            r->header.cols, r->header.entries);
    }
    mm_clash clash;
    const mm_result result =
        mm_compress(r->header.rows, r->header.cols, r->count, r->row, r->column, r->value, matrix, &clash);
    if (result == MM_OUT_OF_MEMORY) return out_of_memory(r);
    if (result == MM_MALFORMED)
        return mm_malformed(&r->lines,
                            "up to here, the entries at (%" PRId64 ", %" PRId64
                            ") sum to more than a double holds; scale the matrix",
                            clash.row + 1, clash.column + 1);
    return result;
}

/* Spells the lower triangle out, which stands in the file column by column. */
static void spell_out_triangle(const reading *r, mm_matrix *matrix) {
    const int skew = r->header.symmetry == MM_SKEW;
    const int64_t n = matrix->rows;
    const double *next = r->value;
    for (int64_t j = 0; j < n; j++) {
        for (int64_t i = skew ? j + 1 : j; i < n; i++, next++) {
            matrix->value[i + j * n] = *next;
            if (i != j) matrix->value[j + i * n] = skew ? -*next : *next;
        }
    }
}

static mm_result finish_array(reading *r, mm_matrix *matrix) {
    if (r->header.symmetry != MM_GENERAL) {
        const mm_result result = mm_dense_create(r->header.rows, r->header.cols, matrix, NULL);
        if (result != MM_OK) return out_of_memory(r);
        spell_out_triangle(r, matrix);
        return MM_OK;
    }
    if (r->count == 0) {
        const mm_result result = grow(r); /* a value array for free() all the same */
        if (result != MM_OK) return result;
    }
    void *exact = r->value;
    regrow(&exact, r->count > 0 ? r->count : 1, sizeof *r->value); /* gives back what is spare; may fail */
    matrix->rows = r->header.rows;
    matrix->cols = r->header.cols;
    matrix->entries = r->count;
    matrix->value = exact;
    r->value = NULL;
    return MM_OK;
}

/* Reads from r->lines, which this closes. */
static mm_result read_matrix(reading *r, mm_matrix *matrix) {
    mm_result result = mm_read_header(&r->lines, &r->header);
    if (result == MM_OK) result = read_entries(r);
    if (result == MM_OK) result = r->header.sparse ? finish_sparse(r, matrix) : finish_array(r, matrix);
    if (result == MM_OK && r->underflows > 0)
        mm_warn(r->lines.message,
                "%s:%" PRId64 ": %" PRId64 " value%s too small for a double, taken as 0, here the first", r->lines.name,
                r->underflow_line, r->underflows, r->underflows == 1 ? " is" : "s are");
    free(r->row);
    free(r->column);
    free(r->value);
    mm_lines_close(&r->lines);
    return result;
}

mm_result mm_read_memory(const char *bytes, size_t length, const char *name, mm_matrix *matrix, mm_message *message) {
    reading r = {0};
    memset(matrix, 0, sizeof *matrix);
    mm_message_clear(message);
    mm_lines_of_memory(&r.lines, bytes, length, name, message);
    return read_matrix(&r, matrix);
}

static mm_result unreadable(const char *path, int error, mm_message *message) {
    char shown[200], reason[MM_REASON];
    return mm_fail(message, MM_UNREADABLE, "%s: cannot read: %s", mm_show_path(shown, sizeof shown, path),
                   mm_reason(reason, path, error));
}

mm_result mm_read(const char *path, mm_matrix *matrix, mm_message *message) {
    reading r = {0};
    memset(matrix, 0, sizeof *matrix);
    mm_message_clear(message);
    const int standard_input = strcmp(path, "-") == 0;
    const int descriptor = standard_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return unreadable(path, errno, message);
    struct stat status;
    mm_result result;
    if (fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode))
        result = unreadable(path, EISDIR, message);
    else
        result = mm_lines_of_descriptor(&r.lines, descriptor, standard_input ? "<stdin>" : path, message);
    if (result == MM_OK) result = read_matrix(&r, matrix);
    if (!standard_input) close(descriptor);
    return result;
}
