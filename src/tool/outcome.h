/*
 * outcome.h: how a command ended: the exit code that scripts rely on, and the one line for people.
 *
 * The place that sees a failure writes the line with outcome_fail() and returns its code; everyone above only
 * passes the code on, and main() prints the line.
 */
#ifndef CLS_TOOL_OUTCOME_H
#define CLS_TOOL_OUTCOME_H

#include <clsolve/status.h>

#include "io/matrix_market.h"

typedef enum exit_code {
    EXIT_CODE_OK = 0,
    EXIT_CODE_USAGE = 2, /* an option, a value or an operand is wrong */
    EXIT_CODE_FILE = 3,  /* an input is unreadable or malformed, or an output cannot be written */
    EXIT_CODE_SINGULAR = 4,
    EXIT_CODE_NOT_CONVERGED = 5, /* or the answer left the range of the type */
    EXIT_CODE_DEVICE = 6,        /* no such device, one that cannot do it, or a driver that failed */
    EXIT_CODE_MEMORY = 7         /* of the host or of the device */
} exit_code;

/* The same codes as a paragraph for --help. */
extern const char outcome_help[];

typedef struct outcome {
    exit_code code;
    clsolve_status status; /* what the library said; CLSOLVE_OK where the failure was not the library's */
    char message[5120];    /* the first line is for stderr; a compiler's log may follow it */
} outcome;

/* Sets code and message (printf style) and returns the code. A failure that is already there stays: it came first. */
exit_code outcome_fail(outcome *out, exit_code code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The same for a status of the library, which picks the code. */
exit_code outcome_fail_status(outcome *out, clsolve_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* And for a result of the file reader or writer, whose message already says where. */
exit_code outcome_fail_file(outcome *out, mm_result result, const mm_message *message);

/* "OK", "SINGULAR", "ERROR_FILE"; and the sentence that belongs to it. */
const char *outcome_name(const outcome *out);
const char *outcome_text(const outcome *out);

/* One line on stderr: "clsolve: ..." and "clsolve: warning: ...". */
void outcome_print(const outcome *out);
void outcome_warn(const char *text);

#endif
