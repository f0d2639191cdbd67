/* sparse_order.c: --order and --order-file: the order in which sparse LU and sparse Cholesky eliminate columns. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/system/path.h"
#include "base/system/text.h"
#include "tool/solve_job.h"

enum { MOST_SHOWN = 60 }; /* characters of a wrong line, in a message */

exit_code order_find(const char *command, const char *name, const char *path, solve_job *job, outcome *out) {
    static const char *const names[] = {"auto", "amd", "metis", "natural", "nested"}; /* as clsolve_sparse_order */
    if (name != NULL && path != NULL)
        return outcome_fail(out, EXIT_CODE_USAGE, "%s: --order and --order-file both give an order: leave one out",
                            command);
    const int found = options_word(name, names, 5);
    if (found < 0)
        return outcome_fail(out, EXIT_CODE_USAGE,
                            "%s: --order '%s' is unknown; use auto, amd, nested, metis or natural", command, name);
    job->order = path != NULL ? CLSOLVE_ORDER_GIVEN : (clsolve_sparse_order)found;
    return EXIT_CODE_OK;
}

/* The number on a line that holds one number and nothing else; 0: it does not, or the number is not 1 .. n. */
static int64_t number_on(const char *line, int64_t n) {
    char *end;
    errno = 0;
    const long long number = strtoll(line, &end, 10);
    const int whole = end != line && end[strspn(end, " \t\r\n")] == '\0' && errno == 0;
    return whole && number >= 1 && number <= n ? number : 0;
}

/* `place[c]` is the line of column c, 0 before it came. */
static exit_code take_line(solve_job *job, const char *line, int64_t at, int64_t *count, int64_t *place, outcome *out) {
    const int64_t n = job->A.cols, column = number_on(line, n);
    const size_t length = strcspn(line, "\r\n");
    const int shown = length < MOST_SHOWN ? (int)length : MOST_SHOWN;
    if (line[strspn(line, " \t\r\n")] == '\0') return EXIT_CODE_OK;
    if (column == 0)
        return outcome_fail(out, EXIT_CODE_FILE,
                            "%s:%" PRId64 ": '%.*s' is not a column number from 1 to %" PRId64
                            "; give one on each line",
                            job->order_path, at, shown, line, n);
    if (place[column - 1] > 0)
        return outcome_fail(out, EXIT_CODE_FILE,
                            "%s:%" PRId64 ": column %" PRId64 " stands in line %" PRId64 " already; give each one once",
                            job->order_path, at, column, place[column - 1]);
    place[column - 1] = at;
    job->permutation[(*count)++] = column - 1;
    return EXIT_CODE_OK;
}

static exit_code read_lines(FILE *file, solve_job *job, int64_t *place, outcome *out) {
    char *line = NULL;
    size_t room = 0;
    int64_t length;
    int64_t count = 0, at = 0;
    exit_code code = EXIT_CODE_OK;
    while (code == EXIT_CODE_OK && (length = cls_text_line(file, &line, &room)) >= 0) {
        if (strlen(line) < (size_t)length) line[0] = '?'; /* a zero byte is no end of a number */
        code = take_line(job, line, ++at, &count, place, out);
    }
    free(line);
    if (code == EXIT_CODE_OK && ferror(file))
        return outcome_fail(out, EXIT_CODE_FILE, "%s: cannot read: %s", job->order_path, strerror(errno));
    if (code == EXIT_CODE_OK && count < job->A.cols)
        return outcome_fail(out, EXIT_CODE_FILE,
                            "%s: %" PRId64 " column number%s, and the matrix in %s has %" PRId64 " columns; give each "
                            "one once",
                            job->order_path, count, count == 1 ? "" : "s", job->matrix_path, job->A.cols);
    return code;
}

exit_code order_read(solve_job *job, outcome *out) {
    if (job->order_path == NULL) return EXIT_CODE_OK;
    FILE *file = cls_path_open(job->order_path, "r");
    if (file == NULL) return outcome_fail(out, EXIT_CODE_FILE, "%s: cannot read: %s", job->order_path, strerror(errno));
    int64_t *place = calloc((size_t)job->A.cols + 1, sizeof *place);
    job->permutation = calloc((size_t)job->A.cols + 1, sizeof *job->permutation);
    const exit_code code = place != NULL && job->permutation != NULL
                               ? read_lines(file, job, place, out)
                               : outcome_fail(out, EXIT_CODE_MEMORY, "%s: out of host memory", job->order_path);
    free(place);
    (void)fclose(file);
    return code;
}
