#include "io/matrix_market.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/system/file.h"
#include "base/system/path.h"
#include "io/entries.h"
#include "io/message.h"
#include "io/reason.h"
#include "io/triplets.h"

/*
 * Memory stays in proportion to the file. Compressed columns also need a word per column, hence the bound on columns
 * without entries: this many are free.
 */
enum { FREE_COLUMNS = 1 << 16, STANDARD_INPUT = 0 };

static mm_result finish_sparse(mm_entries *r, mm_matrix *matrix) {
    if (r->header.cols > FREE_COLUMNS && r->header.cols - FREE_COLUMNS > r->count) {
        r->lines.number = r->header.size_line;
        return mm_malformed(
            &r->lines, "%" PRId64 " columns but only %" PRId64 " entries; most columns are empty: correct the sizes",
            r->header.cols, r->header.entries);
    }
    mm_clash clash;
    const mm_result result = mm_compress(r->header.rows, r->header.cols, r->count, r->row, r->column, r->value,
                                         r->header.field == MM_COMPLEX, matrix, &clash);
    if (result == MM_OUT_OF_MEMORY) return mm_entries_out_of_memory(r);
    if (result == MM_MALFORMED)
        return mm_malformed(&r->lines,
                            "up to here, the entries at (%" PRId64 ", %" PRId64
                            ") sum to more than a double holds; scale the matrix",
                            clash.row + 1, clash.column + 1);
    return result;
}

/* Spells the lower triangle out, which stands in the file column by column. */
static mm_result spell_out_triangle(mm_entries *r, mm_matrix *matrix) {
    const int skew = r->header.symmetry == MM_SKEW;
    const int64_t n = matrix->rows, parts = mm_numbers(matrix);
    const double *next = r->value;
    for (int64_t j = 0; j < n; j++) {
        for (int64_t i = skew ? j + 1 : j; i < n; i++, next += parts) {
            double value[2] = {next[0], next[parts - 1]};
            if (i == j && r->header.symmetry == MM_HERMITIAN && value[1] != 0)
                return mm_malformed(&r->lines,
                                    "up to here, (%" PRId64 ", %" PRId64 ") has an imaginary part; the diagonal of a "
                                    "hermitian matrix is real: write 0 there, or 'general'",
                                    i + 1, i + 1);
            for (int64_t p = 0; p < parts; p++) matrix->value[(i + j * n) * parts + p] = value[p];
            mm_mirror(r->header.symmetry, value);
            for (int64_t p = 0; i != j && p < parts; p++) matrix->value[(j + i * n) * parts + p] = value[p];
        }
    }
    return MM_OK;
}

static mm_result finish_array(mm_entries *r, mm_matrix *matrix) {
    if (r->header.symmetry != MM_GENERAL) {
        mm_result result = mm_dense_create(r->header.rows, r->header.cols, matrix, NULL);
        if (result == MM_OK && r->header.field == MM_COMPLEX) result = mm_make_complex(matrix, NULL);
        if (result == MM_OK) {
            result = spell_out_triangle(r, matrix);
            if (result != MM_OK) mm_free(matrix);
            return result;
        }
        mm_free(matrix);
        return mm_entries_out_of_memory(r);
    }
    if (r->count == 0) {
        const mm_result result = mm_entries_grow(r); /* a value array for free() all the same */
        if (result != MM_OK) return result;
    }
    void *exact = r->value;
    void *smaller = realloc(exact, (size_t)(r->count > 0 ? r->count * mm_entries_parts(r) : 1) * sizeof *r->value);
    if (smaller) exact = smaller; /* what was spare is given back, where that can be */
    matrix->rows = r->header.rows;
    matrix->cols = r->header.cols;
    matrix->entries = r->count;
    matrix->is_complex = r->header.field == MM_COMPLEX;
    matrix->value = exact;
    r->value = NULL;
    return MM_OK;
}

/* Reads from r->lines, which this closes. */
static mm_result read_matrix(mm_entries *r, mm_matrix *matrix) {
    mm_result result = mm_read_header(&r->lines, &r->header);
    if (result == MM_OK) result = mm_entries_read_blocks(r);
    if (result == MM_OK) result = mm_entries_read(r);
    if (result == MM_OK) result = r->header.sparse ? finish_sparse(r, matrix) : finish_array(r, matrix);
    if (result == MM_OK && r->underflows > 0)
        mm_warn(r->lines.message,
                "%s:%" PRId64 ": %" PRId64 " value%s too small for a double, taken as 0, here the first", r->lines.name,
                r->underflow_line, r->underflows, r->underflows == 1 ? " is" : "s are");
    mm_entries_free(r);
    mm_lines_close(&r->lines);
    return result;
}

mm_result mm_read_memory(const char *bytes, size_t length, const char *name, mm_matrix *matrix, mm_message *message) {
    mm_entries r = {0};
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
    mm_entries r = {0};
    memset(matrix, 0, sizeof *matrix);
    mm_message_clear(message);
    const int standard_input = strcmp(path, "-") == 0;
    cls_path_about about;
    if ((standard_input ? cls_path_look_at(stdin, &about) : cls_path_look(path, &about)) == 0 &&
        about.kind == CLS_PATH_FOLDER)
        return unreadable(path, EISDIR, message);
    const int descriptor = standard_input ? STANDARD_INPUT : cls_file_open(path, 0);
    if (descriptor < 0) return unreadable(path, errno, message);
    mm_result result = mm_lines_of_descriptor(&r.lines, descriptor, standard_input ? "<stdin>" : path, message);
    if (result == MM_OK) result = read_matrix(&r, matrix);
    if (!standard_input) (void)cls_file_close(descriptor);
    return result;
}
