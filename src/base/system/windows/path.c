#include "base/system/path.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/system/windows/wide.h"

static int describe(HANDLE handle, cls_path_about *about) {
    BY_HANDLE_FILE_INFORMATION info;
    memset(about, 0, sizeof *about);
    const DWORD kind = GetFileType(handle);
    if (kind != FILE_TYPE_DISK) {
        about->kind = kind == FILE_TYPE_CHAR ? CLS_PATH_CHARACTERS : CLS_PATH_OTHER;
        return 0;
    }
    if (!GetFileInformationByHandle(handle, &info)) return cls_windows_errno();
    about->kind = info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY ? CLS_PATH_FOLDER : CLS_PATH_FILE;
    about->device = info.dwVolumeSerialNumber;
    about->number = (uint64_t)info.nFileIndexHigh << 32 | info.nFileIndexLow;
    return 0;
}

int cls_path_look(const char *path, cls_path_about *about) {
    wchar_t *wide = cls_wide_path(path, "");
    if (!wide) return errno;
    const HANDLE handle =
        CreateFileW(wide, FILE_READ_ATTRIBUTES, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                    OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL);
    int error = handle == INVALID_HANDLE_VALUE ? cls_windows_errno() : 0;
    free(wide);
    if (error) return error;
    error = describe(handle, about);
    (void)CloseHandle(handle);
    return error;
}

int cls_path_look_at(FILE *stream, cls_path_about *about) {
    const HANDLE handle = (HANDLE)_get_osfhandle(_fileno(stream));
    return handle == INVALID_HANDLE_VALUE ? EBADF : describe(handle, about);
}

int cls_path_is_link(const char *path) {
    wchar_t *wide = cls_wide_path(path, "");
    const DWORD found = wide ? GetFileAttributesW(wide) : INVALID_FILE_ATTRIBUTES;
    free(wide);
    return found != INVALID_FILE_ATTRIBUTES && (found & FILE_ATTRIBUTE_REPARSE_POINT) != 0;
}

/* The access list is not asked: whatever it forbids shows when the file is opened. */
int cls_path_may_write(const char *path, int folder) {
    cls_path_about about;
    const int error = cls_path_look(path, &about);
    wchar_t *wide = error ? NULL : cls_wide_path(path, "");
    if (error || !wide) return error ? error : errno;
    const DWORD found = GetFileAttributesW(wide);
    free(wide);
    if (folder) return about.kind == CLS_PATH_FOLDER ? 0 : ENOTDIR;
    return found != INVALID_FILE_ATTRIBUTES && (found & FILE_ATTRIBUTE_READONLY) ? EACCES : 0;
}

const char *cls_path_slash(const char *path) {
    const char *last = NULL;
    for (const char *at = path; *at; at++)
        if (*at == '/' || *at == '\\' || (*at == ':' && at == path + 1)) last = at;
    return last;
}

int cls_path_same_name(const char *a, const char *b) {
    wchar_t *wide_a = cls_wide(a, ""), *wide_b = cls_wide(b, "");
    const int same =
        wide_a && wide_b ? CompareStringOrdinal(wide_a, -1, wide_b, -1, TRUE) == CSTR_EQUAL : strcmp(a, b) == 0;
    free(wide_a);
    free(wide_b);
    return same;
}

char *cls_path_real(const char *path) {
    wchar_t *wide = cls_wide(path, ""), *full = NULL;
    char *real = NULL;
    if (!wide) return NULL;
    full = _wfullpath(NULL, wide, 0);
    if (full) real = cls_narrow_copy(full);
    free(wide);
    free(full);
    return real;
}

FILE *cls_path_open(const char *path, const char *mode) {
    wchar_t *wide = cls_wide_path(path, "");
    FILE *stream = wide ? _wfopen(wide, mode[0] == 'r' ? L"rbN" : L"wbN") : NULL;
    free(wide);
    return stream;
}

FILE *cls_path_stream(int file, const char *mode) {
    return _fdopen(file, mode[0] == 'r' ? "rb" : "wb");
}

int cls_path_create(const char *path) {
    wchar_t *wide = cls_wide_path(path, "");
    if (!wide) return -1;
    const int file = _wopen(wide, _O_WRONLY | _O_CREAT | _O_EXCL | _O_BINARY | _O_NOINHERIT, _S_IREAD | _S_IWRITE);
    free(wide);
    return file;
}

/* A new file has the access list of its folder; MoveFileEx keeps the new one. */
int cls_path_permit(int file, const cls_path_about *like) {
    (void)file;
    (void)like;
    return 0;
}

int cls_path_sync(FILE *stream) {
    return _commit(_fileno(stream)) == 0 ? 0 : errno;
}

int cls_path_replace(const char *from, const char *to) {
    wchar_t *wide_from = cls_wide_path(from, ""), *wide_to = cls_wide_path(to, "");
    int error = wide_from && wide_to ? 0 : errno;
    if (!error && !MoveFileExW(wide_from, wide_to, MOVEFILE_REPLACE_EXISTING)) error = cls_windows_errno();
    free(wide_from);
    free(wide_to);
    return error;
}

void cls_path_remove(const char *path) {
    wchar_t *wide = cls_wide_path(path, "");
    if (wide) (void)DeleteFileW(wide);
    free(wide);
}
