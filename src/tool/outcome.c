/* outcome.c: exit codes from statuses, and the lines on stderr. */
#include "tool/outcome.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char outcome_help[] = "Exit codes: 0 done; 2 usage; 3 a file is unreadable, malformed or cannot be written;\n"
                            "  4 singular, or not positive definite; 5 no accurate answer or out of the type's\n"
                            "  range; 6 no device, or a device or driver error; 7 out of memory, of the host or of\n"
                            "  the device.\n";

/* The name in reports of a failure that is not the library's. */
static const struct {
    exit_code code;
    const char *name, *text;
} own_failures[] = {
    {EXIT_CODE_USAGE, "ERROR_USAGE", "the command line is not valid"},
    {EXIT_CODE_FILE, "ERROR_FILE", "an input cannot be used or an output cannot be written"},
    {EXIT_CODE_SINGULAR, "SINGULAR", "the matrix is singular"},
    {EXIT_CODE_NOT_CONVERGED, "NOT_CONVERGED", "no solution was reached"},
    {EXIT_CODE_DEVICE, "ERROR_DEVICE", "the device or its driver failed"},
    {EXIT_CODE_MEMORY, "ERROR_OUT_OF_MEMORY", "out of host memory"},
};

static exit_code code_of_status(clsolve_status status) {
    switch (status) {
    case CLSOLVE_OK:
        return EXIT_CODE_OK;
    case CLSOLVE_SINGULAR:
    case CLSOLVE_NOT_POSITIVE_DEFINITE:
        return EXIT_CODE_SINGULAR;
    case CLSOLVE_NOT_CONVERGED:
    case CLSOLVE_OVERFLOW:
        return EXIT_CODE_NOT_CONVERGED;
    case CLSOLVE_ERROR_INVALID_ARGUMENT:
        return EXIT_CODE_USAGE;
    case CLSOLVE_ERROR_NONFINITE:
    case CLSOLVE_ERROR_FILE:
        return EXIT_CODE_FILE;
    case CLSOLVE_ERROR_OUT_OF_MEMORY:
    case CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY:
        return EXIT_CODE_MEMORY;
    case CLSOLVE_ERROR_NO_DEVICE:
    case CLSOLVE_ERROR_DEVICE:
    case CLSOLVE_ERROR_BUILD:
    case CLSOLVE_ERROR_UNSUPPORTED:
    case CLSOLVE_ERROR_STATE:
    case CLSOLVE_ERROR_BUSY:
    case CLSOLVE_ERROR_FORKED:
        break;
    }
    return EXIT_CODE_DEVICE;
}

static exit_code set(outcome *out, exit_code code, clsolve_status status, const char *format, va_list list) {
    if (out->code != EXIT_CODE_OK) return out->code;
    out->code = code;
    out->status = status;
    vsnprintf(out->message, sizeof out->message, format, list);
    return code;
}

exit_code outcome_fail(outcome *out, exit_code code, const char *format, ...) {
    va_list list;
    va_start(list, format);
    exit_code result = set(out, code, CLSOLVE_OK, format, list);
    va_end(list);
    return result;
}

exit_code outcome_fail_status(outcome *out, clsolve_status status, const char *format, ...) {
    va_list list;
    va_start(list, format);
    exit_code result = set(out, code_of_status(status), status, format, list);
    va_end(list);
    return result;
}

exit_code outcome_fail_file(outcome *out, mm_result result, const mm_message *message) {
    exit_code code = result == MM_OUT_OF_MEMORY ? EXIT_CODE_MEMORY : EXIT_CODE_FILE;
    return outcome_fail(out, code, "%s", message->error);
}

const char *outcome_name(const outcome *out) {
    if (out->status != CLSOLVE_OK || out->code == EXIT_CODE_OK) return clsolve_status_name(out->status);
    for (size_t i = 0; i < sizeof own_failures / sizeof own_failures[0]; i++)
        if (own_failures[i].code == out->code) return own_failures[i].name;
    return "UNKNOWN";
}

const char *outcome_text(const outcome *out) {
    if (out->status != CLSOLVE_OK || out->code == EXIT_CODE_OK) return clsolve_status_text(out->status);
    for (size_t i = 0; i < sizeof own_failures / sizeof own_failures[0]; i++)
        if (own_failures[i].code == out->code) return own_failures[i].text;
    return "";
}

void outcome_print(const outcome *out) {
    size_t line = strcspn(out->message, "\n");
    const char *rest = out->message + line;
    rest += strspn(rest, "\n \t");
    fprintf(stderr, "clsolve: %.*s%s\n", (int)line, out->message,
            *rest != '\0' ? " (the rest of the log is in the --json report)" : "");
}

void outcome_warn(const char *text) {
    fprintf(stderr, "clsolve: warning: %.*s\n", (int)strcspn(text, "\n"), text);
}
