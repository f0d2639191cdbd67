#include "base/system/text.h"

#include <stdlib.h>
#include <string.h>

char *cls_text_part(const char *text, size_t length) {
    char *part = malloc(length + 1);
    if (!part) return NULL;
    memcpy(part, text, length);
    part[length] = '\0';
    return part;
}

/* Room for one byte more and the zero. */
static int grow(char **line, size_t *room, size_t used) {
    if (used + 2 <= *room) return 1;
    const size_t wanted = *room < 64 ? 128 : 2 * *room;
    char *grown = realloc(*line, wanted);
    if (!grown) return 0;
    *line = grown;
    *room = wanted;
    return 1;
}

int64_t cls_text_line(FILE *stream, char **line, size_t *room) {
    size_t used = 0;
    for (int c = 0; c != '\n' && (c = getc(stream)) != EOF;) {
        if (!grow(line, room, used)) return -1;
        (*line)[used++] = (char)c;
    }
    if (used == 0 || ferror(stream)) return -1;
    (*line)[used] = '\0';
    return (int64_t)used;
}
