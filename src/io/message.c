#include "io/message.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

mm_result mm_fail(mm_message *message, mm_result result, const char *format, ...) {
    if (message) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(message->error, sizeof message->error, format, arguments);
        va_end(arguments);
    }
    return result;
}

void mm_warn(mm_message *message, const char *format, ...) {
    if (!message) return;
    size_t used = strlen(message->warning);
    if (used > 0) {
        snprintf(message->warning + used, sizeof message->warning - used, "; ");
        used = strlen(message->warning);
    }
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message->warning + used, sizeof message->warning - used, format, arguments);
    va_end(arguments);
}

void mm_message_clear(mm_message *message) {
    if (!message) return;
    message->error[0] = '\0';
    message->warning[0] = '\0';
}

const char *mm_printable(char *out, size_t size, const char *bytes, size_t length) {
    size_t used = 0;
    for (size_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char)bytes[i];
        if (used + 8 > size) { /* room for one "\xNN", the "..." and the end */
            used += (size_t)snprintf(out + used, size - used, "...");
            break;
        }
        if (c < 0x20 || c > 0x7e)
            used += (size_t)snprintf(out + used, size - used, "\\x%02x", (unsigned)c);
        else
            out[used++] = (char)c;
    }
    out[used] = '\0';
    return out;
}

const char *mm_show_path(char *out, size_t size, const char *path) {
    const size_t length = strlen(path);
    if (length < size)
        memcpy(out, path, length + 1);
    else
        snprintf(out, size, "...%s", path + (length - (size - 4)));
    for (char *c = out; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f) *c = '?';
    return out;
}
