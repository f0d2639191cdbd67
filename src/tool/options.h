/* options.h: the command line of one command, by popt, with failures as one line and exit code 2. */
#ifndef CLS_TOOL_OPTIONS_H
#define CLS_TOOL_OPTIONS_H

#include <popt.h>
#include <stdbool.h>
#include <stdint.h>

#include "tool/outcome.h"

/* A row for an option with a value. options_free frees its variable, a char *; given twice, the last value counts. */
#define OPTIONS_STRING(name, letter, variable, about, value)                                                           \
    { (name), (letter), POPT_ARG_STRING, (variable), 1, (about), (value) }

/* The last two rows of every command's option table. */
#define OPTIONS_HELP(line)                                                                                             \
    { "help", 'h', POPT_ARG_NONE, &(line).help, 0, "Show this help", NULL }
#define OPTIONS_END                                                                                                    \
    { NULL, '\0', 0, NULL, 0, NULL, NULL }

typedef struct command_line {
    poptContext context;
    const struct poptOption *table; /* as given to options_parse */
    int help;                       /* --help was given */
    const char *command;            /* "solve" */
    const char **operands;          /* what is no option; never NULL */
    int count;
} command_line;

/*
 * Fills the variables that `table` points to. argv[0] is the command's name for messages and help,
 * "clsolve solve"; `operands` stands in the usage line: "A.mtx [b.mtx]".
 */
exit_code options_parse(command_line *line, int argc, const char **argv, const struct poptOption *table,
                        const char *operands, outcome *out);

/* 1: --help was given, and the option table, `notes` and the exit codes are on stdout. `code` is options_parse's. */
int options_helped(const command_line *line, exit_code code, const char *notes);
/* The option table and then `notes` on stdout. */
void options_print_help(const command_line *line, const char *notes);

/* Refuses fewer than `least` operands, naming `what` is missing, and more than `most`. */
exit_code options_check_operands(const command_line *line, int least, int most, const char *what, outcome *out);

/* Also frees the strings of the table's variables. */
void options_free(command_line *line);

/* The place of `name` among `count` words, as in an enumeration; NULL stands for the first; -1: it is none of them. */
int options_word(const char *name, const char *const *words, int count);

/* Digits only, 1 .. INT64_MAX; 0 .. INT64_MAX; and 0 .. UINT64_MAX. `option` stands in the message: "-n". */
exit_code options_count(const command_line *line, const char *option, const char *text, int64_t *value, outcome *out);
exit_code options_whole(const command_line *line, const char *option, const char *text, int64_t *value, outcome *out);
exit_code options_seed(const command_line *line, const char *option, const char *text, uint64_t *value, outcome *out);

/* Digits and perhaps a K, M or G for 1024, 1024^2 or 1024^3: bytes, 1 .. INT64_MAX. */
exit_code options_bytes(const command_line *line, const char *option, const char *text, int64_t *value, outcome *out);

#endif
