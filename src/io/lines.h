/*
 * lines.h: a text in memory or behind a file descriptor, line by line, never more than one line's length plus one
 * buffer in memory. Lines end with LF or CR LF; the last one may lack its end, or end with DOS's Ctrl-Z, which is not
 * given. A line longer than the format's 1024 characters is refused, so every token has a known bound. A longer
 * comment gives its first 1024 characters.
 */
#ifndef CLS_IO_LINES_H
#define CLS_IO_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "io/matrix_market.h"

enum { MM_LINE_MAX = 1024 }; /* characters, without the line's end */

typedef struct mm_span {
    const char *begin, *end;
} mm_span;

typedef struct mm_lines {
    char name[200]; /* for messages */
    mm_message *message;
    int64_t number;         /* of the line last given, from 1; 0 before the first */
    const char *next, *end; /* in memory, not yet given */
    int cut;                /* the line last given was a longer comment, whose rest comes next */
    int descriptor;         /* where more comes from; -1: nowhere */
    char *buffer;
    size_t size; /* of the buffer */
} mm_lines;

/* Lines of bytes[0 .. length-1], which must outlive the reading. */
void mm_lines_of_memory(mm_lines *lines, const char *bytes, size_t length, const char *name, mm_message *message);

/* Lines of an open descriptor, which stays the caller's to close. */
mm_result mm_lines_of_descriptor(mm_lines *lines, int descriptor, const char *name, mm_message *message);

/* The next line, without its end, valid until the next call. *more = 0 when there is none. */
mm_result mm_lines_next(mm_lines *lines, mm_span *line, int *more);

void mm_lines_close(mm_lines *lines);

/* Writes "name:number: ..." as the error and returns MM_MALFORMED. */
mm_result mm_malformed(mm_lines *lines, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
