/* text.h: two functions of POSIX that not every C library has. */
#ifndef CLS_SYSTEM_TEXT_H
#define CLS_SYSTEM_TEXT_H

#include <stdint.h>
#include <stdio.h>

/* The first `length` bytes as a text of its own, for free(); NULL: no memory. */
char *cls_text_part(const char *text, size_t length);

/* The next line with its end into *line, of *room bytes from malloc, which grows. Its length; -1 at the end, or with no
 * memory, or where the stream cannot be read. */
int64_t cls_text_line(FILE *stream, char **line, size_t *room);

#endif
