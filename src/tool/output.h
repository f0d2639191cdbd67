/*
 * output.h: files that the tool writes: whole or not at all. "-" is standard output.
 *
 * How, and what is excepted, tells io/whole_file.h. An input may be its own output, two outputs may not be one.
 */
#ifndef CLS_TOOL_OUTPUT_H
#define CLS_TOOL_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "io/matrix_market.h"
#include "tool/outcome.h"

/* Is it "-" or another name of standard output? False for NULL. */
bool output_is_stdout(const char *path);

/* Before long work: could `path` be written at its end? NULL and "-" are fine. */
exit_code output_check(const char *path, outcome *out);

/* Before any work: would the one destroy the other? Links and other spellings of a name are seen through. NULL is an
 * output that is not asked for. The options, "--rhs", are for the message. */
exit_code output_check_different(const char *command, const char *first_option, const char *first,
                                 const char *second_option, const char *second, outcome *out);

exit_code output_text(const char *path, const char *text, outcome *out);

/* Writes what `print` makes of `what`; `print` returns 0, or -1 with errno set. */
exit_code output_print(const char *path, int (*print)(FILE *stream, const void *what), const void *what, outcome *out);

exit_code output_matrix(const char *path, const mm_matrix *matrix, const char *comment, outcome *out);

#endif
