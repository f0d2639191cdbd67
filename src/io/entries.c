#include "io/entries.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "io/message.h"
#include "io/number.h"

/* No header is believed: arrays grow with the entries that really come, so memory stays in proportion to the file. */
enum { FIRST_CAPACITY = 1 << 10 };

mm_result mm_entries_out_of_memory(mm_entries *r) {
    return mm_fail(r->lines.message, MM_OUT_OF_MEMORY,
                   "%s:%" PRId64 ": out of memory after %" PRId64 " entries; a machine with more is needed",
                   r->lines.name, r->lines.number, r->count);
}

int64_t mm_entries_parts(const mm_entries *r) {
    return r->header.field == MM_COMPLEX ? 2 : 1;
}

static int regrow(void **array, int64_t capacity, size_t size) {
    void *grown = (uint64_t)capacity > SIZE_MAX / size ? NULL : realloc(*array, (size_t)capacity * size);
    if (grown) *array = grown;
    return grown != NULL;
}

mm_result mm_entries_grow(mm_entries *r) {
    const int64_t capacity = r->capacity > 0 ? 2 * r->capacity : FIRST_CAPACITY;
    void *row = r->row, *column = r->column, *value = r->value;
    int grown = regrow(&value, capacity, (size_t)mm_entries_parts(r) * sizeof *r->value);
    if (r->header.sparse)
        grown = grown && regrow(&row, capacity, sizeof *r->row) && regrow(&column, capacity, sizeof *r->column);
    r->row = row;
    r->column = column;
    r->value = value;
    if (!grown) return mm_entries_out_of_memory(r);
    r->capacity = capacity;
    return MM_OK;
}

/* `row` and `column` mean nothing to an array. */
static mm_result append(mm_entries *r, int64_t row, int64_t column, const double value[2]) {
    const int64_t parts = mm_entries_parts(r);
    if (r->count == r->capacity) {
        const mm_result result = mm_entries_grow(r);
        if (result != MM_OK) return result;
    }
    if (r->header.sparse) {
        r->row[r->count] = row;
        r->column[r->count] = column;
    }
    for (int64_t p = 0; p < parts; p++) r->value[r->count * parts + p] = value[p];
    r->count++;
    return MM_OK;
}

/* The next line that is not blank. */
static mm_result next_entry(mm_entries *r, mm_span *line, int *more) {
    for (;;) {
        const mm_result result = mm_lines_next(&r->lines, line, more);
        if (result != MM_OK || !*more || !mm_at_end(line)) return result;
    }
}

/* Refuses the token at the front of `rest`. */
static mm_result bad_token(mm_entries *r, mm_span rest, mm_number number, const char *what) {
    char shown[40];
    const mm_span word = mm_take_word(&rest);
    mm_printable(shown, sizeof shown, word.begin, (size_t)(word.end - word.begin));
    switch (number) {
    case MM_NUMBER_ABSENT:
        return mm_malformed(&r->lines, "the %s is missing; the line is not whole", what);
    case MM_NUMBER_NONFINITE:
        return mm_malformed(&r->lines, "'%s' is no finite number; a system to be solved has none such", shown);
    case MM_NUMBER_OVERFLOW:
        return mm_malformed(&r->lines, "'%s' is too large for the %s; %s", shown, what,
                            what[0] == 'v' || what[0] == 'i' ? "scale the matrix into the range of double"
                                                             : "see the size line");
    default:
        if (*word.begin == '%')
            return mm_malformed(&r->lines, "a comment stands among the entries; move it above the size line");
        return mm_malformed(&r->lines, "'%s' is no %s; write a number in ASCII digits", shown, what);
    }
}

static mm_result take_number(mm_entries *r, mm_span *rest, const char *what, double *value) {
    mm_span token = *rest;
    const mm_number number = mm_take_real(rest, value);
    if (number > MM_NUMBER_UNDERFLOW) return bad_token(r, *rest, number, what);
    if (number == MM_NUMBER_UNDERFLOW && r->underflows++ == 0) r->underflow_line = r->lines.number;
    int64_t ignored;
    const int whole = r->header.field == MM_INTEGER || r->header.field == MM_UNSIGNED;
    if (whole && mm_take_integer(&token, &ignored) == MM_NUMBER_BAD)
        return mm_malformed(&r->lines, "the value is no integer; the banner must say 'real'");
    if (r->header.field == MM_UNSIGNED && *value < 0)
        return mm_malformed(&r->lines, "the value is negative; the banner must say 'integer'");
    return MM_OK;
}

/* The number, or the real and the imaginary part. */
static mm_result take_value(mm_entries *r, mm_span *rest, double value[2]) {
    mm_result result = take_number(r, rest, "value", &value[0]);
    if (result == MM_OK && r->header.field == MM_COMPLEX) result = take_number(r, rest, "imaginary part", &value[1]);
    return result;
}

static mm_result take_index(mm_entries *r, mm_span *rest, const char *what, int64_t limit, int64_t *index) {
    const mm_number number = mm_take_integer(rest, index);
    if (number != MM_NUMBER) return bad_token(r, *rest, number, what);
    if (*index < 1 || *index > limit)
        return mm_malformed(&r->lines, "%s %" PRId64 " is outside 1 .. %" PRId64 "; correct it or the size line", what,
                            *index, limit);
    --*index;
    return MM_OK;
}

static mm_result check_end(mm_entries *r, mm_span rest, const char *what) {
    if (mm_at_end(&rest)) return MM_OK;
    char shown[40];
    const mm_span word = mm_take_word(&rest);
    return mm_malformed(&r->lines, "'%s' follows the %s; one entry a line, and nothing else",
                        mm_printable(shown, sizeof shown, word.begin, (size_t)(word.end - word.begin)), what);
}

/* Only the lower triangle stands in the file, without the diagonal when skew. */
static mm_result check_triangle(mm_entries *r, int64_t row, int64_t column) {
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

void mm_mirror(mm_symmetry symmetry, double value[2]) {
    if (symmetry == MM_SKEW) value[0] = -value[0];
    if (symmetry == MM_SKEW || symmetry == MM_HERMITIAN) value[1] = -value[1];
}

static mm_result check_diagonal(mm_entries *r, int64_t row, const double value[2]) {
    if (r->header.symmetry != MM_HERMITIAN || value[1] == 0) return MM_OK;
    return mm_malformed(&r->lines,
                        "(%" PRId64 ", %" PRId64 ") has an imaginary part; the diagonal of a hermitian matrix is real: "
                        "write 0 there, or 'general'",
                        row + 1, row + 1);
}

static mm_result take_coordinate_entry(mm_entries *r, mm_span line) {
    int64_t row = 0, column = 0;
    double value[2] = {1.0, 0.0};
    mm_result result = take_index(r, &line, "row", r->header.rows, &row);
    if (result == MM_OK) result = take_index(r, &line, "column", r->header.cols, &column);
    if (result == MM_OK && r->header.field != MM_PATTERN) result = take_value(r, &line, value);
    if (result == MM_OK) result = check_end(r, line, r->header.field == MM_PATTERN ? "indices" : "value");
    if (result == MM_OK) result = check_triangle(r, row, column);
    if (result == MM_OK) result = append(r, row, column, value);
    if (result == MM_OK && row == column) result = check_diagonal(r, row, value);
    if (result != MM_OK || r->header.symmetry == MM_GENERAL || row == column) return result;
    mm_mirror(r->header.symmetry, value);
    return append(r, column, row, value);
}

static mm_result take_array_entry(mm_entries *r, mm_span line) {
    double value[2] = {0.0, 0.0};
    mm_result result = take_value(r, &line, value);
    if (result == MM_OK) result = check_end(r, line, "value");
    return result == MM_OK ? append(r, 0, 0, value) : result;
}

mm_result mm_entries_take(mm_entries *r, mm_span line) {
    r->taken++;
    return r->header.sparse ? take_coordinate_entry(r, line) : take_array_entry(r, line);
}

static mm_result too_many(mm_entries *r) {
    const mm_header *h = &r->header;
    if (!h->sparse && h->symmetry != MM_GENERAL)
        return mm_malformed(&r->lines,
                            "more follows the %" PRId64
                            " numbers of the lower triangle%s, which is all that such an array "
                            "holds; if the file has all %" PRId64 " x %" PRId64 ", the banner must say 'general'",
                            h->entries, h->symmetry == MM_SKEW ? " without the diagonal" : "", h->rows, h->cols);
    return mm_malformed(&r->lines,
                        "more follows the %" PRId64 " entries that the sizes on line %" PRId64
                        " announce; correct them or remove it",
                        h->entries, h->size_line);
}

mm_result mm_entries_read(mm_entries *r) {
    mm_span line;
    int more;
    mm_result result;
    while (r->taken < r->header.entries) {
        result = next_entry(r, &line, &more);
        if (result != MM_OK) return result;
        if (!more)
            return mm_malformed(&r->lines,
                                "the file ends after %" PRId64 " of %" PRId64
                                " entries; it is not whole, or the size line is wrong",
                                r->taken, r->header.entries);
        result = mm_entries_take(r, line);
        if (result != MM_OK) return result;
    }
    do {
        result = next_entry(r, &line, &more);
    } while (result == MM_OK && more && *line.begin == '%');
    return result == MM_OK && more ? too_many(r) : result;
}

void mm_entries_free(mm_entries *r) {
    free(r->row);
    free(r->column);
    free(r->value);
    r->row = r->column = NULL;
    r->value = NULL;
}
