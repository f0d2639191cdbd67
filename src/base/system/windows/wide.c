#include "base/system/windows/wide.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

wchar_t *cls_wide(const char *text, const char *after) {
    const size_t length = strlen(text) + strlen(after) + 1;
    char *whole = malloc(length);
    wchar_t *wide = malloc(length * sizeof *wide); /* UTF-16 never has more units than UTF-8 has bytes */
    if (whole && wide && length <= INT_MAX) {
        (void)strcpy(whole, text);
        (void)strcat(whole, after);
        if (MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, whole, -1, wide, (int)length) > 0) {
            free(whole);
            return wide;
        }
        errno = EILSEQ;
    } else {
        errno = ENOMEM;
    }
    free(whole);
    free(wide);
    return NULL;
}

/* The path from the root on, behind "\\\\?\\", which has no limit; NULL: no memory. */
static wchar_t *without_limit(const wchar_t *full) {
    const int share = full[0] == L'\\' && full[1] == L'\\';
    const wchar_t *prefix = share ? L"\\\\?\\UNC" : L"\\\\?\\";
    wchar_t *path = malloc((wcslen(full) + wcslen(prefix) + 1) * sizeof *path);
    if (path) (void)wcscat(wcscpy(path, prefix), share ? full + 1 : full);
    return path;
}

/* A folder's path may have 247 characters. A short path below a deep current folder counts with that folder. */
wchar_t *cls_wide_path(const char *path, const char *after) {
    enum { SHORT = 247 };
    wchar_t *wide = cls_wide(path, after);
    if (!wide || wcsncmp(wide, L"\\\\?\\", 4) == 0) return wide;
    const DWORD room = GetFullPathNameW(wide, 0, NULL, NULL); /* with the zero at its end */
    if (room <= SHORT) return wide;
    wchar_t *full = malloc(room * sizeof *full), *free_of_limit = NULL;
    if (full && GetFullPathNameW(wide, room, full, NULL) < room) free_of_limit = without_limit(full);
    if (!free_of_limit) errno = ENOMEM;
    free(full);
    free(wide);
    return free_of_limit;
}

int cls_narrow(const wchar_t *wide, char *to, size_t size) {
    return size <= INT_MAX && WideCharToMultiByte(CP_UTF8, 0, wide, -1, to, (int)size, NULL, NULL) > 0;
}

char *cls_narrow_copy(const wchar_t *wide) {
    const size_t size = 3 * wcslen(wide) + 1;
    char *copy = malloc(size);
    if (copy && !cls_narrow(wide, copy, size)) {
        free(copy);
        copy = NULL;
    }
    if (!copy) errno = ENOMEM;
    return copy;
}

int cls_windows_errno(void) {
    static const struct {
        DWORD error;
        int number;
    } table[] = {{ERROR_FILE_NOT_FOUND, ENOENT},
                 {ERROR_PATH_NOT_FOUND, ENOENT},
                 {ERROR_INVALID_NAME, ENOENT},
                 {ERROR_BAD_PATHNAME, ENOENT},
                 {ERROR_INVALID_DRIVE, ENOENT},
                 {ERROR_BAD_NETPATH, ENOENT},
                 {ERROR_DIRECTORY, ENOTDIR},
                 {ERROR_FILE_EXISTS, EEXIST},
                 {ERROR_ALREADY_EXISTS, EEXIST},
                 {ERROR_ACCESS_DENIED, EACCES},
                 {ERROR_SHARING_VIOLATION, EACCES},
                 {ERROR_LOCK_VIOLATION, EACCES},
                 {ERROR_WRITE_PROTECT, EROFS},
                 {ERROR_DISK_FULL, ENOSPC},
                 {ERROR_HANDLE_DISK_FULL, ENOSPC},
                 {ERROR_NOT_ENOUGH_MEMORY, ENOMEM},
                 {ERROR_OUTOFMEMORY, ENOMEM},
                 {ERROR_TOO_MANY_OPEN_FILES, EMFILE},
                 {ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG}};
    const DWORD error = GetLastError();
    errno = EIO;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (table[i].error == error) errno = table[i].number;
    return errno;
}
