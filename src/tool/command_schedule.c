/* command_schedule.c: clsolve schedule: which operations of a method can run at once. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schedule/schedule.h"
#include "tool/command.h"
#include "tool/options.h"

/* Operations grow with n^3; beyond these nobody reads the classes, or the graph. */
enum { LARGEST_TEXT = 128, LARGEST_GRAPH = 16 };

static const char notes[] =
    "\nThe operations of a method on M = (A|b), n rows and n + 1 columns, indices from 1. From what each reads and "
    "writes\n"
    "follows which must come after which. Without --format, the Foata normal form: a class of operations that can run\n"
    "at once in each line. With --format dot, the Diekert graph for Graphviz.\n\n"
    "gauss-jordan: A(i,j) multiplier of row j for pivot i; B(i,j,k) element k of row j scaled by it; C(i,j,k) element "
    "k of\n"
    "the pivot's row subtracted; D(i) reciprocal of the diagonal; E(i,k) element k of row i times that.\n\n";

/* The values that popt fills in. */
typedef struct schedule_options {
    char *n, *format;
} schedule_options;

static exit_code print(int64_t n, int graph, outcome *out) {
    schedule s = {0};
    char title[96];
    snprintf(title, sizeof title, "Gauss-Jordan elimination, N = %" PRId64, n);
    bool fine = schedule_gauss_jordan(n, &s) &&
                (graph ? schedule_print_dot(&s, title, stdout) : schedule_print_foata(&s, stdout));
    schedule_free(&s);
    return fine ? EXIT_CODE_OK : outcome_fail(out, EXIT_CODE_MEMORY, "schedule: out of host memory");
}

static exit_code run(const command_line *line, const schedule_options *options, outcome *out) {
    int64_t n = 0;
    exit_code code = options_check_operands(line, 1, 1, "the method", out);
    if (code != EXIT_CODE_OK) return code;
    if (strcmp(line->operands[0], "gauss-jordan") != 0)
        return outcome_fail(out, EXIT_CODE_USAGE, "schedule: there is none for '%s'; use gauss-jordan",
                            line->operands[0]);
    if (options->n == NULL) return outcome_fail(out, EXIT_CODE_USAGE, "schedule: the size is missing: give -n N");
    int graph = options->format != NULL && strcmp(options->format, "dot") == 0;
    if (options->format != NULL && !graph && strcmp(options->format, "foata") != 0)
        return outcome_fail(out, EXIT_CODE_USAGE, "schedule: --format '%s' is unknown; use foata or dot",
                            options->format);
    code = options_count(line, "-n", options->n, &n, out);
    if (code != EXIT_CODE_OK) return code;
    int most = graph ? LARGEST_GRAPH : LARGEST_TEXT;
    if (n > most)
        return outcome_fail(out, EXIT_CODE_USAGE,
                            "schedule: -n %" PRId64 " is too large for this format; it goes to %d", n, most);
    return print(n, graph, out);
}

exit_code command_schedule(int argc, const char **argv, outcome *out) {
    schedule_options options = {0};
    command_line line;
    const struct poptOption table[] = {
        OPTIONS_STRING("n", 'n', &options.n, "Rows of the system", "N"),
        OPTIONS_STRING("format", '\0', &options.format, "foata (default) or dot", "NAME"),
        OPTIONS_HELP(line),
        OPTIONS_END,
    };
    exit_code code = options_parse(&line, argc, argv, table, "gauss-jordan -n N [OPTION...]", out);
    if (!options_helped(&line, code, notes) && code == EXIT_CODE_OK) code = run(&line, &options, out);
    options_free(&line);
    return code;
}
