#include "io/lines.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/system/file.h"
#include "io/message.h"

enum { BUFFER_SIZE = 1 << 16, CTRL_Z = 0x1a };

void mm_lines_of_memory(mm_lines *lines, const char *bytes, size_t length, const char *name, mm_message *message) {
    memset(lines, 0, sizeof *lines);
    mm_show_path(lines->name, sizeof lines->name, name);
    lines->message = message;
    lines->next = length > 0 ? bytes : "";
    lines->end = lines->next + length;
    lines->descriptor = -1;
}

mm_result mm_lines_of_descriptor(mm_lines *lines, int descriptor, const char *name, mm_message *message) {
    mm_lines_of_memory(lines, NULL, 0, name, message);
    lines->buffer = malloc(BUFFER_SIZE);
    if (!lines->buffer) return mm_fail(message, MM_OUT_OF_MEMORY, "%s: out of memory", lines->name);
    lines->next = lines->end = lines->buffer;
    lines->size = BUFFER_SIZE;
    lines->descriptor = descriptor;
    return MM_OK;
}

/* Keeps what is not yet given and reads more behind it. At the end of the file the descriptor is forgotten. */
static mm_result refill(mm_lines *lines) {
    const size_t kept = (size_t)(lines->end - lines->next);
    memmove(lines->buffer, lines->next, kept);
    const int64_t got = cls_file_take(lines->descriptor, lines->buffer + kept, lines->size - kept);
    if (got < 0)
        return mm_fail(lines->message, MM_UNREADABLE, "%s: cannot read after line %" PRId64 ": %s", lines->name,
                       lines->number, strerror(errno));
    if (got == 0) lines->descriptor = -1;
    lines->next = lines->buffer;
    lines->end = lines->buffer + kept + got;
    return MM_OK;
}

static const char *find_newline(const mm_lines *lines) {
    const size_t length = (size_t)(lines->end - lines->next);
    return length > 0 ? memchr(lines->next, '\n', length) : NULL;
}

/* The rest of a comment that was cut, with its end. */
static mm_result skip_rest(mm_lines *lines) {
    lines->cut = 0;
    for (;;) {
        const char *newline = find_newline(lines);
        lines->next = newline ? newline + 1 : lines->end;
        if (newline || lines->descriptor < 0) return MM_OK;
        const mm_result result = refill(lines);
        if (result != MM_OK) return result;
    }
}

static int is_comment(mm_span line) {
    while (line.begin < line.end && (*line.begin == ' ' || *line.begin == '\t')) line.begin++;
    return line.begin < line.end && *line.begin == '%';
}

mm_result mm_lines_next(mm_lines *lines, mm_span *line, int *more) {
    const char *newline = NULL;
    if (lines->cut) {
        const mm_result result = skip_rest(lines);
        if (result != MM_OK) return result;
    }
    for (;;) {
        newline = find_newline(lines);
        if (newline || lines->descriptor < 0 || lines->end - lines->next > MM_LINE_MAX + 1) break;
        const mm_result result = refill(lines);
        if (result != MM_OK) return result;
    }
    *more = lines->next != lines->end;
    if (!*more) return MM_OK;

    lines->number++;
    line->begin = lines->next;
    line->end = newline ? newline : lines->end;
    const int is_last = !newline && lines->descriptor < 0;
    while (is_last && line->end > line->begin && line->end[-1] == CTRL_Z) line->end--;
    if (line->end - line->begin > MM_LINE_MAX && is_comment((mm_span){line->begin, line->begin + MM_LINE_MAX})) {
        line->end = line->begin + MM_LINE_MAX;
        lines->next = line->end;
        lines->cut = 1;
        return MM_OK;
    }
    lines->next = newline ? newline + 1 : lines->end;
    if (line->end > line->begin && line->end[-1] == '\r') line->end--;
    if (line->end - line->begin > MM_LINE_MAX)
        return mm_malformed(lines,
                            "the line is longer than the format's %d characters; one entry a line is what "
                            "belongs here",
                            MM_LINE_MAX);
    return MM_OK;
}

void mm_lines_close(mm_lines *lines) {
    free(lines->buffer);
    lines->buffer = NULL;
    lines->next = lines->end = NULL;
    lines->descriptor = -1;
}

mm_result mm_malformed(mm_lines *lines, const char *format, ...) {
    char what[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return mm_fail(lines->message, MM_MALFORMED, "%s:%" PRId64 ": %s", lines->name, lines->number, what);
}
