/* options.c: popt, with every complaint as one line that ends in where to read more. */
#include "tool/options.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *no_operands[] = {NULL};

enum { MOST_ROWS = 32 };

static bool holds_string(const struct poptOption *row) {
    return (row->argInfo & POPT_ARG_MASK) == POPT_ARG_STRING && row->arg != NULL;
}

/*
 * popt gives each string of an option over to its variable and forgets the one that was there, so that an option given
 * twice would lose the first. It returns after each option whose `val` is not 0: here the variables are looked at,
 * and what one held before is freed. The last one given counts.
 */
static int next_option(poptContext context, const struct poptOption *table) {
    char *before[MOST_ROWS];
    for (size_t i = 0; table[i].longName != NULL && i < MOST_ROWS; i++)
        before[i] = holds_string(&table[i]) ? *(char **)table[i].arg : NULL;
    int found = poptGetNextOpt(context);
    for (size_t i = 0; table[i].longName != NULL && i < MOST_ROWS; i++)
        if (before[i] != NULL && *(char **)table[i].arg != before[i]) free(before[i]);
    return found;
}

/* A script's variable that was not set must not choose a device. */
static exit_code check_device(const command_line *line, const struct poptOption *table, outcome *out) {
    for (const struct poptOption *row = table; row->longName != NULL; row++) {
        const char *value = holds_string(row) ? *(char **)row->arg : NULL;
        if (value != NULL && value[0] == '\0' && strcmp(row->longName, "device") == 0)
            return outcome_fail(out, EXIT_CODE_USAGE,
                                "%s: --device is empty: give a selector of 'clsolve devices', or leave it out",
                                line->command);
    }
    return EXIT_CODE_OK;
}

exit_code options_parse(command_line *line, int argc, const char **argv, const struct poptOption *table,
                        const char *operands, outcome *out) {
    memset(line, 0, sizeof *line);
    line->table = table;
    line->operands = no_operands;
    const char *space = strchr(argv[0], ' ');
    line->command = space != NULL ? space + 1 : argv[0];
    line->context = poptGetContext(NULL, argc, argv, table, 0);
    if (line->context == NULL) return outcome_fail(out, EXIT_CODE_MEMORY, "out of host memory");
    poptSetOtherOptionHelp(line->context, operands);

    int found;
    do found = next_option(line->context, table);
    while (found >= 0);
    if (found < -1) {
        const char *bad = poptBadOption(line->context, POPT_BADOPTION_NOALIAS);
        return outcome_fail(out, EXIT_CODE_USAGE, "%s: %s: %s; see '%s --help'", line->command,
                            bad != NULL ? bad : "options", poptStrerror(found), argv[0]);
    }
    exit_code code = check_device(line, table, out);
    if (code != EXIT_CODE_OK) return code;
    const char **rest = poptGetArgs(line->context);
    if (rest == NULL) return EXIT_CODE_OK;
    line->operands = rest;
    while (rest[line->count] != NULL) line->count++;
    return EXIT_CODE_OK;
}

void options_print_help(const command_line *line, const char *notes) {
    poptPrintHelp(line->context, stdout, 0);
    fputs(notes, stdout);
}

int options_helped(const command_line *line, exit_code code, const char *notes) {
    if (code != EXIT_CODE_OK || !line->help) return 0;
    options_print_help(line, notes);
    fputs(outcome_help, stdout);
    return 1;
}

exit_code options_check_operands(const command_line *line, int least, int most, const char *what, outcome *out) {
    if (line->count < least)
        return outcome_fail(out, EXIT_CODE_USAGE, "%s: %s is missing; see 'clsolve %s --help'", line->command, what,
                            line->command);
    if (line->count > most)
        return outcome_fail(out, EXIT_CODE_USAGE, "%s: unexpected operand '%s'; see 'clsolve %s --help'", line->command,
                            line->operands[most], line->command);
    return EXIT_CODE_OK;
}

void options_free(command_line *line) {
    if (line->context != NULL) poptFreeContext(line->context);
    line->context = NULL;
    for (const struct poptOption *row = line->table; row->longName != NULL; row++) {
        if (!holds_string(row)) continue;
        free(*(char **)row->arg);
        *(char **)row->arg = NULL;
    }
}

int options_word(const char *name, const char *const *words, int count) {
    int at = name != NULL ? count - 1 : 0;
    while (at >= 0 && name != NULL && strcmp(name, words[at]) != 0) at--;
    return at;
}

/* strtoumax alone would take "-1", " 7" and "7x". */
static bool read_digits(const char *text, uintmax_t limit, uintmax_t *value) {
    if (*text == '\0') return false;
    for (const char *c = text; *c != '\0'; c++)
        if (!isdigit((unsigned char)*c)) return false;
    errno = 0;
    *value = strtoumax(text, NULL, 10);
    return errno == 0 && *value <= limit;
}

exit_code options_count(const command_line *line, const char *option, const char *text, int64_t *value, outcome *out) {
    uintmax_t digits = 0;
    if (!read_digits(text, INT64_MAX, &digits) || digits == 0)
        return outcome_fail(out, EXIT_CODE_USAGE, "%s: %s '%s' is not a whole number above 0", line->command, option,
                            text);
    *value = (int64_t)digits;
    return EXIT_CODE_OK;
}

exit_code options_whole(const command_line *line, const char *option, const char *text, int64_t *value, outcome *out) {
    uintmax_t digits = 0;
    if (!read_digits(text, INT64_MAX, &digits))
        return outcome_fail(out, EXIT_CODE_USAGE, "%s: %s '%s' is not a whole number from 0 on", line->command, option,
                            text);
    *value = (int64_t)digits;
    return EXIT_CODE_OK;
}

exit_code options_seed(const command_line *line, const char *option, const char *text, uint64_t *value, outcome *out) {
    uintmax_t digits = 0;
    if (!read_digits(text, UINT64_MAX, &digits))
        return outcome_fail(out, EXIT_CODE_USAGE, "%s: %s '%s' is not a whole number from 0 to %" PRIu64, line->command,
                            option, text, UINT64_MAX);
    *value = (uint64_t)digits;
    return EXIT_CODE_OK;
}

exit_code options_bytes(const command_line *line, const char *option, const char *text, int64_t *value, outcome *out) {
    static const char units[] = "KMG";
    char digits[32] = "";
    size_t length = strlen(text);
    const char *unit = length > 0 ? strchr(units, toupper((unsigned char)text[length - 1])) : NULL;
    uintmax_t scale = 1, number = 0;

    if (unit != NULL && *unit != '\0') {
        length--;
        for (const char *u = units; u <= unit; u++) scale *= 1024;
    }
    if (length < sizeof digits) memcpy(digits, text, length);
    if (!read_digits(digits, INT64_MAX / scale, &number) || number == 0)
        return outcome_fail(out, EXIT_CODE_USAGE,
                            "%s: %s '%s' is not a number of bytes above 0, as in 4000000000, 512M or 4G", line->command,
                            option, text);
    *value = (int64_t)(number * scale);
    return EXIT_CODE_OK;
}
