#include "io/matrix_print.h"

#include <inttypes.h>
#include <math.h>

#include "io/message.h"
#include "io/reason.h"
#include "io/whole_file.h"

static mm_result unwritable(const char *path, int error, mm_message *message) {
    char shown[200], reason[MM_REASON];
    return mm_fail(message, MM_UNWRITABLE, "%s: cannot write: %s", mm_show_path(shown, sizeof shown, path),
                   mm_reason(reason, path, error));
}

/* The format has no NaN and no Inf, so they are refused before any file is touched. */
static mm_result check_values(const char *path, const mm_matrix *matrix, mm_message *message) {
    const int64_t parts = mm_numbers(matrix);
    for (int64_t e = 0; e < matrix->entries * parts; e++) {
        const int64_t k = e / parts;
        if (isfinite(matrix->value[e])) continue;
        int64_t row = 0, column = 0;
        if (matrix->sparse) {
            while (matrix->start[column + 1] <= k) column++;
            row = matrix->row[k];
        } else {
            row = k % matrix->rows;
            column = k / matrix->rows;
        }
        char shown[200];
        return mm_fail(message, MM_UNWRITABLE,
                       "%s: cannot write: element (%" PRId64 ", %" PRId64 ") is %s, for which the Matrix Market format "
                       "has no word",
                       mm_show_path(shown, sizeof shown, path), row + 1, column + 1,
                       isnan(matrix->value[e]) ? "NaN" : "infinite");
    }
    return MM_OK;
}

typedef struct printed {
    const mm_matrix *matrix;
    const char *comment;
} printed;

static int print_matrix(FILE *stream, const void *what) {
    const printed *p = what;
    return mm_print(stream, p->matrix, p->comment);
}

mm_result mm_write(const char *path, const mm_matrix *matrix, const char *comment, mm_message *message) {
    mm_message_clear(message);
    const mm_result result = check_values(path, matrix, message);
    if (result != MM_OK) return result;
    const printed p = {matrix, comment};
    const int error = mm_write_whole(path, print_matrix, &p);
    return error ? unwritable(mm_names_standard_output(path) ? "<stdout>" : path, error, message) : MM_OK;
}
