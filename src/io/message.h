/* message.h: how the file reader and writer word what went wrong. */
#ifndef CLS_IO_MESSAGE_H
#define CLS_IO_MESSAGE_H

#include <stddef.h>

#include "io/matrix_market.h"

/* Writes message->error (printf style, no newline) and returns `result`. `message` may be NULL. */
mm_result mm_fail(mm_message *message, mm_result result, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Adds to message->warning, after "; " when one is there already. */
void mm_warn(mm_message *message, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Empties both texts. */
void mm_message_clear(mm_message *message);

/* Copies bytes for showing: controls and non-ASCII as \xNN, cut with "..." where `out` ends. Returns `out`. */
const char *mm_printable(char *out, size_t size, const char *bytes, size_t length);

/* A path for showing: its end when it is long, so that a message still has room; controls as '?'. Returns `out`. */
const char *mm_show_path(char *out, size_t size, const char *path);

#endif
