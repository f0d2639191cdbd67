#include "base/system/program.h"

#include <fcntl.h>
#include <io.h>
#include <stdlib.h>
#include <string.h>

#include "base/system/windows/wide.h"

#include <shellapi.h>

/* The arguments live as long as the program. */
int cls_program_begin(int *argc, char ***argv) {
    int count = 0;
    wchar_t **wide = CommandLineToArgvW(GetCommandLineW(), &count);
    char **narrow = calloc((size_t)count + 1, sizeof *narrow);
    int done = wide && narrow;
    for (int k = 0; done && k < count; k++) done = (narrow[k] = cls_narrow_copy(wide[k])) != NULL;
    (void)LocalFree(wide);
    if (!done) return 0;
    *argc = count;
    *argv = narrow;
    (void)_setmode(0, _O_BINARY);
    (void)_setmode(1, _O_BINARY);
    (void)_setmode(2, _O_BINARY);
    (void)SetConsoleOutputCP(CP_UTF8);
    return 1;
}

static void (*clean_up_now)(void);

/* On a thread of the system's. 0: the system ends the program next. */
static BOOL WINAPI end(DWORD what) {
    (void)what;
    clean_up_now();
    return FALSE;
}

void cls_program_on_interrupt(void (*clean_up)(void)) {
    clean_up_now = clean_up;
    (void)SetConsoleCtrlHandler(end, TRUE);
}

/* Consoles from Windows 10 on know the sequences of terminals when asked to. */
int cls_program_is_terminal(FILE *stream) {
    const HANDLE console = (HANDLE)_get_osfhandle(_fileno(stream));
    DWORD mode;
    return GetConsoleMode(console, &mode) && SetConsoleMode(console, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
}

/* ---- processes ---- */

/* One argument, quoted as CommandLineToArgvW and the C library read it; returns behind it. */
static wchar_t *quote(wchar_t *to, const wchar_t *argument) {
    size_t slashes = 0;
    *to++ = L'"';
    for (; *argument; argument++) {
        if (*argument == L'"')
            for (size_t k = 0; k <= slashes; k++) *to++ = L'\\'; /* twice those before it, and one for itself */
        slashes = *argument == L'\\' ? slashes + 1 : 0;
        *to++ = *argument;
    }
    for (; slashes > 0; slashes--) *to++ = L'\\';
    *to++ = L'"';
    return to;
}

/* For free(). */
static wchar_t *command_line(char *const *arguments) {
    size_t room = 1;
    for (char *const *a = arguments; *a; a++) room += 2 * strlen(*a) + 3;
    wchar_t *line = malloc(room * sizeof *line), *at = line;
    for (char *const *a = arguments; line && *a; a++) {
        wchar_t *wide = cls_wide(*a, "");
        if (!wide) {
            free(line);
            return NULL;
        }
        if (at != line) *at++ = L' ';
        at = quote(at, wide);
        free(wide);
    }
    if (line) *at = L'\0';
    return line;
}

int cls_program_start(char *const *arguments, int64_t *process) {
    wchar_t program[4096], *line = command_line(arguments);
    const DWORD length = GetModuleFileNameW(NULL, program, 4096);
    STARTUPINFOW start = {.cb = sizeof start, .dwFlags = STARTF_USESTDHANDLES};
    PROCESS_INFORMATION made = {0};
    int started = 0;
    start.hStdInput = start.hStdOutput = start.hStdError = INVALID_HANDLE_VALUE;
    if (line && length > 0 && length < 4096)
        started = CreateProcessW(program, line, NULL, NULL, FALSE, CREATE_NO_WINDOW, NULL, NULL, &start, &made) != 0;
    free(line);
    if (!started) return 0;
    (void)CloseHandle(made.hThread);
    *process = (int64_t)(intptr_t)made.hProcess;
    return 1;
}

void cls_program_wait(int64_t process) {
    const HANDLE handle = (HANDLE)(intptr_t)process;
    (void)WaitForSingleObject(handle, INFINITE);
    (void)CloseHandle(handle);
}
