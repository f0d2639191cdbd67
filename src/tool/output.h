/*
 * output.h: files that the tool writes: whole or not at all. "-" is standard output.
 *
 * A regular file is written under a temporary name beside it and renamed, so that a reader never sees half of
 * it and an input may be its own output. What is there already and is no regular file (a device, a pipe) is
 * written in place: renaming over /dev/null would replace it. Links stay links. mm_write does the same for matrices.
 */
#ifndef CLS_TOOL_OUTPUT_H
#define CLS_TOOL_OUTPUT_H

#include <stdbool.h>

#include "io/matrix_market.h"
#include "tool/outcome.h"

/* Is it "-"? False for NULL. */
bool output_is_stdout(const char *path);

/* Before long work: could `path` be written at its end? NULL and "-" are fine. */
exit_code output_check(const char *path, outcome *out);

exit_code output_text(const char *path, const char *text, outcome *out);

exit_code output_matrix(const char *path, const mm_matrix *matrix, const char *comment, outcome *out);

#endif
