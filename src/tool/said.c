#include "tool/said.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *library, *command;
} words[] = {
    {"clsolve/band.h's LU", "--method band-lu"},
    {"CLSOLVE_METHOD_LU", "--method lu"},
    {"CLSOLVE_METHOD_CHOLESKY", "--method cholesky"},
    {"CLSOLVE_METHOD_LDL", "--method ldl"},
    {"CLSOLVE_PANEL_NATIVE", "--panel native"},
    {"CLSOLVE_PIVOTING_PARTIAL", "--pivoting partial"},
    {"use CLSOLVE_F32 or another device", "use --precision single or another --device"},
    {"use CLSOLVE_C32 or another device", "use --precision single or another --device"},
    {"memory_limit", "--memory-limit"},
    {"the option equilibrate", "--equilibrate"},
    {"leave `where` 0", "leave out --where host"},
    {": F is not in the matrix's range", ": b is not in the matrix's range"},
    {"F or Y holds NaN", "b holds NaN"},
};

/* Behind "clsolve_lu_factor: ", with which messages of calls begin. */
static const char *behind_call(const char *message) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz_0123456789";
    size_t length = strspn(message, letters);
    int is_call = strncmp(message, "clsolve_", 8) == 0 && strncmp(message + length, ": ", 2) == 0;
    return is_call ? message + length + 2 : message;
}

static void append(char text[SAID_SIZE], const char *more, size_t length) {
    size_t used = strlen(text), room = SAID_SIZE - 1 - used;
    if (length > room) length = room;
    memcpy(text + used, more, length);
    text[used + length] = '\0';
}

void said_in_own_words(const char *message, clsolve_status status, char text[SAID_SIZE]) {
    text[0] = '\0';
    for (const char *rest = behind_call(message); *rest != '\0';) {
        size_t w = 0, count = sizeof words / sizeof words[0];
        while (w < count && strncmp(rest, words[w].library, strlen(words[w].library)) != 0) w++;
        append(text, w < count ? words[w].command : rest, w < count ? strlen(words[w].command) : 1);
        rest += w < count ? strlen(words[w].library) : 1;
    }
    if (text[0] == '\0') snprintf(text, SAID_SIZE, "%s", clsolve_status_text(status));
}

void said_by_context(clsolve_context *context, clsolve_status status, char text[SAID_SIZE]) {
    said_in_own_words(clsolve_context_message(context), status, text);
}

const char *said_of_devices(clsolve_status status) {
    /* An environment variable is wrong: another device changes nothing. */
    return status == CLSOLVE_ERROR_INVALID_ARGUMENT ? "" : "; 'clsolve devices' lists what there is";
}
